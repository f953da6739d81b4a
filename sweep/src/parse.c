/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The language of .sweep files, by recursive descent. A statement is a line, or ends with ';' inside braces; a list goes on in the next line
 * behind a comma.
 *
 *   file      = { statement }
 *   statement = "experiment" NAME | option | axis | ( "exclude" | "keep" ) test { test }
 *             | "time-limit" TIME | "memory-limit" SIZE | "slurm" TEXT
 *   option    = WORD [ TEXT ] | PATH "=" TEXT
 *   axis      = "axis" NAME [ "of" ( WORD | PATH ) ] ":" value { "," value }
 *             | "axis" NAME "{" { NAME "{" { option } "}" } "}"
 *   value     = [ NAME "=" ] TEXT
 *   test      = NAME ( "=" | "!=" ) PATTERN { "," PATTERN }
 */
#include "sweep-priv.h"

#include <string.h>

#define MOST_BYTES (1u << 20)
#define MOST_LINE 10000u
#define NAME_BYTES 200u

/* ---- characters ------------------------------------------------------------------------------------------------- */

static WwLocation here(const SweepText *t)
{
    return (WwLocation){t->name, t->line,
                        t->line != 0 ? (uint32_t)g_utf8_strlen(t->line_at, t->at - t->line_at) + 1
                                     : 0};
}

static void take(SweepText *t)
{
    if (*t->at++ == '\n' && t->line != 0) {
        t->line++;
        t->line_at = t->at;
    }
}

/* A comment begins a line or stands behind a blank. */
static bool at_comment(const SweepText *t)
{
    return *t->at == '#' && (t->at == t->line_at || strchr(" \t", t->at[-1]) != NULL);
}

static void skip_blanks(SweepText *t)
{
    while (*t->at == ' ' || *t->at == '\t') {
        take(t);
    }
    while (at_comment(t) && *t->at != '\0') {
        for (; *t->at != '\n' && *t->at != '\0'; take(t)) {
        }
    }
}

static void skip_lines(SweepText *t)
{
    for (skip_blanks(t); *t->at == '\n'; skip_blanks(t)) {
        take(t);
    }
}

static bool is_end(char c)
{
    return c == '\0' || c == '\n';
}

/* "'}'", "the end of the line": what stands here, for messages. Newly allocated. */
static char *what_is_here(const SweepText *t)
{
    if (*t->at == '\0') {
        return g_strdup("the end of the text");
    }
    return *t->at == '\n'
               ? g_strdup("the end of the line")
               : g_strdup_printf("'%.*s'", (int)(g_utf8_next_char(t->at) - t->at), t->at);
}

static bool expected(const SweepText *t, const char *what, GError **error)
{
    WwLocation at = here(t);
    g_autofree char *is = what_is_here(t);
    return sweep_fail(&at, error, "%s here; expected %s", is, what);
}

/* ---- words ------------------------------------------------------------------------------------------------------ */

static bool is_name(char c)
{
    return g_ascii_isalnum(c) || (c != '\0' && strchr("_-.+/@%", c) != NULL);
}

/* A name: newly allocated, or NULL with an error. */
static char *read_name(SweepText *t, const char *what, GError **error)
{
    const char *begin = t->at;
    while (is_name(*t->at)) {
        take(t);
    }
    if (t->at == begin) {
        expected(t, what, error);
        return NULL;
    }
    if (t->at - begin > NAME_BYTES) {
        WwLocation at = here(t);
        sweep_fail(&at, error, "a name of %u bytes; expected at most %u", (unsigned)(t->at - begin),
                   NAME_BYTES);
        return NULL;
    }
    return g_strndup(begin, (gsize)(t->at - begin));
}

/* The first word of a statement: a name, or the path of a parameter. */
static char *read_head(SweepText *t, GError **error)
{
    const char *begin = t->at;
    int depth = 0;
    while (!is_end(*t->at) && (depth > 0 || strchr(" \t=;{},:", *t->at) == NULL)) {
        depth += *t->at == '[' ? 1 : *t->at == ']' ? -1 : 0;
        take(t);
    }
    if (t->at == begin) {
        expected(t, "a statement", error);
        return NULL;
    }
    return g_strndup(begin, (gsize)(t->at - begin));
}

static bool end_of_text(const SweepText *t, const char *stops, int depth)
{
    return is_end(*t->at) || at_comment(t) || (depth <= 0 && strchr(stops, *t->at) != NULL);
}

/* "..." */
static char *read_quoted(SweepText *t, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    WwLocation at = here(t);
    for (take(t); *t->at != '"'; take(t)) {
        if (is_end(*t->at)) {
            sweep_fail(&at, error, "a string without an end; expected '\"' before the line ends");
            return NULL;
        }
        if (*t->at == '\\' && (t->at[1] == '"' || t->at[1] == '\\')) {
            take(t);
        }
        g_string_append_c(out, *t->at);
    }
    take(t);
    return g_strdup(out->str);
}

/* Text up to one of @p stops outside of brackets, without blanks around it; or a string. */
static char *read_text(SweepText *t, const char *stops, const char *what, GError **error)
{
    skip_blanks(t);
    const char *begin = t->at;
    int depth = 0;
    if (*begin == '"') {
        return read_quoted(t, error);
    }
    while (!end_of_text(t, stops, depth)) {
        depth += strchr("[({", *t->at) != NULL ? 1 : strchr("])}", *t->at) != NULL ? -1 : 0;
        take(t);
    }
    if (t->at == begin) {
        expected(t, what, error);
        return NULL;
    }
    return g_strchomp(g_strndup(begin, (gsize)(t->at - begin)));
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool unknown(const char *head, const WwLocation *at, bool inside, GError **error)
{
    static const char *const others[] = {"experiment", "axis",         "exclude", "keep",
                                         "time-limit", "memory-limit", "slurm"};
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (size_t i = 0; i < G_N_ELEMENTS(others) && !inside; i++) {
        g_ptr_array_add(names, (gpointer)others[i]);
    }
    for (const WwSweepWord *w = ww_sweep_words; w->name != NULL; w++) {
        if (w->kind != WW_SWEEP_SETTING) {
            g_ptr_array_add(names, (gpointer)w->name);
        }
    }
    const char *near = ww_closest(head, (const char *const *)names->pdata, names->len);
    return sweep_fail(
        at, error,
        "'%s' begins no statement%s%s%s; expected %san option of run, or "
        "PARAMETER = VALUE",
        head, near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
        near != NULL ? "'?" : "",
        inside ? "" : "axis, exclude, keep, experiment, time-limit, memory-limit, slurm, ");
}

/* An option of a run; @p head has been read. @p stops: what ends it. */
static bool read_option(SweepText *t, GPtrArray *options, const char *head, const WwLocation *at,
                        const char *stops, GError **error)
{
    const WwSweepWord *word = ww_sweep_word(head);
    skip_blanks(t);
    if (*t->at == '=') {
        take(t);
        g_autofree char *value = read_text(t, stops, "a value", error);
        g_autofree char *both = value != NULL ? g_strdup_printf("%s=%s", head, value) : NULL;
        return both != NULL && sweep_add_option(t, options, ww_sweep_word("set"), both, at, error);
    }
    if (word == NULL || word->kind == WW_SWEEP_SETTING) {
        return unknown(head, at, *stops != '\0', error);
    }
    if (word->kind == WW_SWEEP_FLAG) {
        return sweep_add_option(t, options, word, "", at, error);
    }
    WwLocation begins = here(t);
    g_autofree char *value = read_text(t, stops, "what it is", error);
    return value != NULL && sweep_add_option(t, options, word, value, &begins, error);
}

/* "{ option; ... }" of value @p v. */
static bool read_options(SweepText *t, WwSweepValue *v, GError **error)
{
    for (take(t);;) {
        for (skip_lines(t); *t->at == ';'; skip_lines(t)) {
            take(t);
        }
        if (*t->at == '}') {
            take(t);
            return true;
        }
        if (*t->at == '\0') {
            return expected(t, "'}'", error);
        }
        WwLocation at = here(t);
        g_autofree char *head = read_head(t, error);
        if (head == NULL || !read_option(t, v->options, head, &at, ";}", error)) {
            return false;
        }
        skip_blanks(t);
        if (!is_end(*t->at) && strchr(";}", *t->at) == NULL) {
            return expected(t, "';', '}' or the end of the line", error);
        }
    }
}

/* ---- axes ------------------------------------------------------------------------------------------------------- */

/* Columns of a table are called so: all fields of a run, but those that are options, too ('db list --names'). */
static bool is_measure(const char *name)
{
    static const char *const names[] = {"bound_by",
                                        "ctas",
                                        "cycles",
                                        "error",
                                        "exit_status",
                                        "experiment",
                                        "fingerprint",
                                        "host",
                                        "ipc",
                                        "kernel",
                                        "key",
                                        "launch_cycles",
                                        "memory",
                                        "notes",
                                        "number",
                                        "partial",
                                        "run",
                                        "seconds",
                                        "sms",
                                        "start",
                                        "state",
                                        "status",
                                        "tail_cycles",
                                        "version",
                                        "kernel_number",
                                        "processor_seconds",
                                        "thread_instructions",
                                        "warp_instructions",
                                        NULL};
    return g_strv_contains(names, name);
}

static WwSweepAxis *begin_axis(SweepText *t, const char *name, const WwLocation *at, GError **error)
{
    if (strchr(name, '.') != NULL && strchr(name, '/') == NULL) {
        sweep_fail(at, error,
                   "'%s' names no axis; expected '%sNAME of %s: ...' if it is a parameter", name,
                   at->line != 0 ? "axis " : "", name);
        return NULL;
    }
    if (strpbrk(name, "./+@%") != NULL || !(g_ascii_isalpha(*name) || *name == '_')) {
        sweep_fail(at, error,
                   "'%s' names no axis; expected letters, digits, '_' and '-', a letter "
                   "first",
                   name);
        return NULL;
    }
    if (is_measure(name)) {
        g_autofree char *example =
            ww_sweep_word(name) != NULL ? g_strdup_printf(", 'axis NAME of %s: ...'", name) : NULL;
        sweep_fail(at, error,
                   "an axis '%s'; expected another name%s: tables have a figure of this "
                   "name",
                   name, example != NULL ? example : "");
        return NULL;
    }
    for (guint i = 0; i < t->sweep->axes->len; i++) {
        const WwSweepAxis *a = t->sweep->axes->pdata[i];
        if (strcmp(a->name, name) == 0) {
            g_autofree char *line =
                a->at.line != 0 ? g_strdup_printf(":%u", a->at.line) : g_strdup("");
            sweep_fail(at, error, "a second axis '%s'; expected one: the first is at %s%s", name,
                       a->at.file, line);
            return NULL;
        }
    }
    if (t->sweep->axes->len == WW_SWEEP_MAX_AXES) {
        sweep_fail(at, error, "more than %u axes; expected fewer", WW_SWEEP_MAX_AXES);
        return NULL;
    }
    WwSweepAxis *a = sweep_axis_new(name, at);
    g_ptr_array_add(t->sweep->axes, a);
    return a;
}

/* "NAME =" before a value, or NULL when there is none: then nothing has been read. */
static char *read_short(SweepText *t)
{
    SweepText before = *t;
    g_autofree char *name = read_name(t, "", NULL);
    skip_blanks(t);
    if (name == NULL || *t->at != '=') {
        *t = before;
        return NULL;
    }
    take(t);
    return g_steal_pointer(&name);
}

/* Behind the colon. */
static bool read_list(SweepText *t, WwSweepAxis *a, const WwSweepWord *word, const char *path,
                      GError **error)
{
    for (;;) {
        skip_blanks(t);
        WwLocation at = here(t);
        g_autofree char *name = read_short(t);
        g_autofree char *value = read_text(t, ",", "a value", error);
        if (value == NULL || !sweep_add_values(t, a, word, path, name, value, &at, error)) {
            return false;
        }
        skip_blanks(t);
        if (*t->at != ',') {
            return is_end(*t->at) || expected(t, "',' or the end of the line", error);
        }
        take(t);
        skip_lines(t);
    }
}

/* "{ NAME { ... } ... }" */
static bool read_block(SweepText *t, WwSweepAxis *a, GError **error)
{
    take(t);
    for (skip_lines(t); *t->at != '}'; skip_lines(t)) {
        WwLocation at = here(t);
        g_autofree char *name = read_name(t, "the name of a value, or '}'", error);
        if (name == NULL) {
            return false;
        }
        skip_blanks(t);
        if (*t->at != '{') {
            return expected(t, "'{' and what the value sets", error);
        }
        if (a->values->len == WW_SWEEP_MAX_VALUES) {
            return sweep_fail(&at, error, "more than %u values of axis '%s'; expected fewer",
                              WW_SWEEP_MAX_VALUES, a->name);
        }
        WwSweepValue *v = sweep_value_new(name, &at);
        g_ptr_array_add(a->values, v);
        if (!read_options(t, v, error)) {
            return false;
        }
    }
    take(t);
    return true;
}

static bool read_axis(SweepText *t, GError **error)
{
    skip_blanks(t);
    WwLocation at = here(t), of = at;
    g_autofree char *name = read_name(t, "the name of an axis", error);
    g_autofree char *what = NULL;
    if (name == NULL) {
        return false;
    }
    WwSweepAxis *a = begin_axis(t, name, &at, error);
    skip_blanks(t);
    if (a == NULL || *t->at == '{') {
        return a != NULL && read_block(t, a, error);
    }
    if (strncmp(t->at, "of", 2) == 0 && strchr(" \t\n", t->at[2]) != NULL) { /* or the end */
        take(t);
        take(t);
        skip_blanks(t);
        if (is_end(*t->at)) {
            return expected(t, "the path of a parameter, or an option of run", error);
        }
        of = here(t);
        what = read_head(t, error);
        if (what == NULL) {
            return false;
        }
        skip_blanks(t);
    }
    if (*t->at != ':') {
        return expected(t, what != NULL ? "':' and values" : "'of', ':' or '{'", error);
    }
    take(t);
    const WwSweepWord *word = ww_sweep_word(what != NULL ? what : name);
    if (word != NULL && (word->kind == WW_SWEEP_FLAG || word->kind == WW_SWEEP_SETTING)) {
        return sweep_fail(&of, error, "'%s' has no values; expected 'axis NAME { ... }'",
                          word->name);
    }
    if (word == NULL && what == NULL) {
        return sweep_fail(&at, error,
                          "axis '%s' does not say what it sets; expected 'axis %s of "
                          "PARAMETER: ...', or 'axis %s { ... }'",
                          name, name, name);
    }
    return read_list(t, a, word, what, error);
}

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool read_test(SweepText *t, SweepRule *rule, GError **error)
{
    SweepTest *test = g_new0(SweepTest, 1);
    g_autoptr(GPtrArray) patterns = g_ptr_array_new_with_free_func(g_free);
    test->at = here(t);
    g_ptr_array_add(rule->tests, test);
    test->axis = read_name(t, "AXIS=VALUE", error);
    if (test->axis == NULL) {
        return false;
    }
    test->differs = *t->at == '!';
    if (test->differs) {
        take(t);
    }
    if (*t->at != '=') {
        return expected(t, test->differs ? "'='" : "'=' or '!='", error);
    }
    do {
        take(t);
        g_autofree char *pattern = read_text(t, " \t,", "the name of a value", error);
        if (pattern == NULL) {
            return false;
        }
        g_ptr_array_add(patterns, g_steal_pointer(&pattern));
    } while (*t->at == ',');
    g_ptr_array_add(patterns, NULL);
    test->patterns = (char **)g_ptr_array_free(g_steal_pointer(&patterns), false);
    return true;
}

static bool read_rule(SweepText *t, bool keep, const WwLocation *at, GError **error)
{
    SweepRule *rule = sweep_rule_new(keep, at);
    g_ptr_array_add(t->sweep->rules, rule);
    do {
        skip_blanks(t);
        if (!read_test(t, rule, error)) {
            return false;
        }
        skip_blanks(t);
    } while (!is_end(*t->at));
    return true;
}

/* ---- statements ------------------------------------------------------------------------------------------------- */

static bool read_experiment(SweepText *t, GError **error)
{
    skip_blanks(t);
    WwLocation at = here(t);
    g_autofree char *name = read_name(t, "a name", error);
    if (name == NULL || t->sweep->experiment != NULL) {
        return name != NULL && sweep_fail(&at, error,
                                          "a second name of the experiment; expected "
                                          "one: it is '%s'",
                                          t->sweep->experiment);
    }
    t->sweep->experiment = g_steal_pointer(&name);
    return true;
}

static bool read_limit(SweepText *t, const char *head, GError **error)
{
    skip_blanks(t);
    WwLocation at = here(t);
    g_autoptr(GError) why = NULL;
    g_autofree char *text = read_text(t, "", "a limit", error);
    if (text == NULL) {
        return false;
    }
    bool good = *head == 't' ? ww_sweep_time(head, text, &t->sweep->time_limit, &why)
                             : ww_sweep_bytes(head, text, &t->sweep->memory_limit, &why);
    return good || sweep_fail(&at, error, "%s", why->message);
}

static bool read_slurm(SweepText *t, GError **error)
{
    skip_blanks(t);
    WwLocation at = here(t);
    g_autoptr(GError) why = NULL;
    g_autofree char *text = read_text(t, "", "options of sbatch", error);
    return text != NULL && (ww_sweep_slurm(t->sweep, "slurm", text, &why) ||
                            sweep_fail(&at, error, "%s", why->message));
}

static bool read_statement(SweepText *t, GError **error)
{
    WwLocation at = here(t);
    g_autofree char *head = read_head(t, error);
    bool good;
    if (head == NULL) {
        return false;
    }
    skip_blanks(t);
    if (*t->at == '=') {
        good = read_option(t, t->sweep->options, head, &at, "", error);
    } else if (strcmp(head, "axis") == 0) {
        good = read_axis(t, error);
    } else if (strcmp(head, "exclude") == 0 || strcmp(head, "keep") == 0) {
        good = read_rule(t, *head == 'k', &at, error);
    } else if (strcmp(head, "experiment") == 0) {
        good = read_experiment(t, error);
    } else if (strcmp(head, "time-limit") == 0 || strcmp(head, "memory-limit") == 0) {
        good = read_limit(t, head, error);
    } else if (strcmp(head, "slurm") == 0) {
        good = read_slurm(t, error);
    } else {
        good = read_option(t, t->sweep->options, head, &at, "", error);
    }
    skip_blanks(t);
    return good && (is_end(*t->at) || expected(t, "the end of the line", error));
}

static bool read_all(SweepText *t, GError **error)
{
    for (skip_lines(t); *t->at != '\0'; skip_lines(t)) {
        if (!read_statement(t, error)) {
            return false;
        }
    }
    return true;
}

static const char *keep_name(WwSweep *s, const char *name)
{
    char *copy = g_strdup(name);
    g_ptr_array_add(s->files, copy);
    return copy;
}

static bool read_whole(WwSweep *s, const char *name, const char *text, const char *folder,
                       uint32_t line, GError **error)
{
    SweepText t = {.sweep = s,
                   .name = keep_name(s, name),
                   .folder = folder,
                   .at = text,
                   .line_at = text,
                   .line = line};
    return read_all(&t, error);
}

static const WwTextLimits limits = {MOST_BYTES, MOST_LINE, "a sweep"};

bool ww_sweep_read(WwSweep *s, const char *path, GError **error)
{
    g_autofree char *folder = g_path_get_dirname(path);
    size_t length;
    g_clear_pointer(&s->text, g_free);
    return ww_read_text(path, &limits, &s->text, &length, error) &&
           read_whole(s, path, s->text, strcmp(folder, ".") == 0 ? NULL : folder, 1, error);
}

bool ww_sweep_add(WwSweep *s, const char *name, const char *text, const char *folder,
                  GError **error)
{
    return ww_check_text(name, text, strlen(text), &limits, error) &&
           read_whole(s, name, text, folder, 0, error);
}

bool ww_sweep_option(WwSweep *s, const char *from, const char *word, const char *value,
                     GError **error)
{
    SweepText t = {.sweep = s, .name = keep_name(s, from)};
    WwLocation at = {t.name, 0, 0};
    return ww_check_text(from, value, strlen(value), &limits, error) &&
           sweep_add_option(&t, s->options, ww_sweep_word(word), value, &at, error);
}
