/* SPDX-License-Identifier: Apache-2.0 */
/* What stands behind a word: files from the folder of the sweep, traces by patterns, and names for values that were given none. */
#include "sweep-priv.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <trace/trace.h>
#include <warpwright/component.h>

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* As the process opens it. */
static char *from_folder(const SweepText *t, const char *path)
{
    return t->folder != NULL && !g_path_is_absolute(path) ? g_build_filename(t->folder, path, NULL)
                                                          : g_strdup(path);
}

/* "qv100" is looked for where such things lie; "wide.conf" there, too, unless it lies beside the sweep. */
static char *named(const SweepText *t, const WwSweepWord *word, const char *text)
{
    g_autofree char *file = from_folder(t, text);
    bool is_file = strchr(text, '/') != NULL ||
                   (g_str_has_suffix(text, word->suffix) && g_file_test(file, G_FILE_TEST_EXISTS));
    return is_file ? g_steal_pointer(&file) : g_strdup(text);
}

static bool has_wildcard(const char *text)
{
    return strpbrk(text, "*?[") != NULL;
}

static bool looks_like_trace(const char *file)
{
    static const char *const endings[] = {".g",          ".traceg", ".traceg.xz",
                                          ".traceg.zst", ".tracez", ".wwpack"};
    for (size_t i = 0; i < G_N_ELEMENTS(endings); i++) {
        if (g_str_has_suffix(file, endings[i])) {
            return true;
        }
    }
    return false;
}

/* Traces at @p path; a folder stands for all that are in it. */
static bool add_traces(const char *path, bool chosen, GPtrArray *found, GError **error)
{
    if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
        g_autoptr(GPtrArray) below = ww_trace_find(path, error);
        for (guint i = 0; below != NULL && i < below->len; i++) {
            g_ptr_array_add(found, g_strdup(((WwTraceFound *)below->pdata[i])->path));
        }
        return below != NULL;
    }
    if (chosen ? g_file_test(path, G_FILE_TEST_EXISTS) : looks_like_trace(path)) {
        g_ptr_array_add(found, g_strdup(path));
    }
    return true;
}

/* Paths of the traces that @p text means, at least one. */
static GPtrArray *find_traces(const SweepText *t, const char *text, const WwLocation *at,
                              GError **error)
{
    g_autoptr(GPtrArray) found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *path = from_folder(t, text);
    g_autoptr(GError) why = NULL;
    glob_t matches;
    bool good = true;
    if (!has_wildcard(text) || g_file_test(path, G_FILE_TEST_EXISTS)) {
        good = add_traces(path, true, found, &why);
    } else if (glob(path, 0, NULL, &matches) == 0) {
        for (size_t i = 0; good && i < matches.gl_pathc; i++) {
            good = add_traces(matches.gl_pathv[i], false, found, &why);
        }
        globfree(&matches);
    }
    if (!good) {
        sweep_fail(at, error, "%s", why->message);
        return NULL;
    }
    if (found->len == 0) {
        bool there = !has_wildcard(text) && g_file_test(path, G_FILE_TEST_IS_DIR);
        sweep_fail(at, error,
                   there ? "no trace is in folder '%s'; expected a kernelslist.g there, "
                           "or below it"
                         : "no trace is '%s'; expected a folder with kernelslist.g, a "
                           "list, a kernel trace or a pack",
                   path);
        return NULL;
    }
    return g_steal_pointer(&found);
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static bool number_fits(const WwSweepWord *word, const char *text, const WwLocation *at,
                        GError **error)
{
    static const struct {
        const char *word;
        uint64_t least, most;
    } ranges[] = {{"threads", 1, WW_MAX_WORKERS},
                  {"sms", 1, UINT64_MAX},
                  {"intervals", 1, UINT64_MAX},
                  {"max-ctas", 1, UINT64_MAX},
                  {"max-cycles", 1, UINT64_MAX}};
    uint64_t n;
    if (!g_ascii_string_to_unsigned(text, 10, 0, UINT64_MAX, &n, NULL)) {
        return sweep_fail(at, error, "%s '%s' is not a whole number; expected one", word->name,
                          text);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(ranges); i++) {
        if (strcmp(ranges[i].word, word->name) != 0 ||
            (n >= ranges[i].least && n <= ranges[i].most)) {
            continue;
        }
        return ranges[i].most == UINT64_MAX
                   ? sweep_fail(at, error, "%s %s; expected 1 or more", word->name, text)
                   : sweep_fail(at, error, "%s %s; expected 1 to %" G_GUINT64_FORMAT, word->name,
                                text, ranges[i].most);
    }
    return true;
}

/* What @p word is told; NULL with an error. */
static char *value_of(const SweepText *t, const WwSweepWord *word, const char *text,
                      const WwLocation *at, GError **error)
{
    switch (word->kind) {
    case WW_SWEEP_NUMBER:
        return number_fits(word, text, at, error) ? g_strdup(text) : NULL;
    case WW_SWEEP_FILE:
        return strcmp(word->name, "sass") == 0 && strcmp(text, "none") == 0 ? g_strdup(text)
                                                                            : from_folder(t, text);
    case WW_SWEEP_NAMED:
        return named(t, word, text);
    case WW_SWEEP_SETTING:
        if (strchr(text, '=') == NULL) {
            sweep_fail(at, error, "'%s' sets nothing; expected PARAMETER=VALUE", text);
            return NULL;
        }
        return g_strdup(text);
    default:
        return g_strdup(text);
    }
}

bool sweep_add_option(const SweepText *t, GPtrArray *options, const WwSweepWord *word,
                      const char *text, const WwLocation *at, GError **error)
{
    g_autofree char *value = NULL;
    if (word->kind == WW_SWEEP_TRACE) {
        g_autoptr(GPtrArray) found = find_traces(t, text, at, error);
        if (found != NULL && found->len > 1) {
            return sweep_fail(at, error,
                              "%u traces are '%s'; expected one here, or an axis of them",
                              found->len, text);
        }
        value = found != NULL ? g_strdup(found->pdata[0]) : NULL;
    } else {
        value = value_of(t, word, text, at, error);
    }
    if (value == NULL) {
        return false;
    }
    g_ptr_array_add(options, sweep_option_new(word, value, at));
    return true;
}

/* ---- values of an axis ------------------------------------------------------------------------------------------ */

static bool add_value(WwSweepAxis *a, const WwSweepWord *word, const char *name, const char *value,
                      const WwLocation *at, GError **error)
{
    if (a->values->len == WW_SWEEP_MAX_VALUES) {
        return sweep_fail(at, error, "more than %u values of axis '%s'; expected fewer",
                          WW_SWEEP_MAX_VALUES, a->name);
    }
    WwSweepValue *v = sweep_value_new(name, at);
    g_ptr_array_add(v->options, sweep_option_new(word, value, at));
    g_ptr_array_add(a->values, v);
    return true;
}

static bool add_found(const SweepText *t, WwSweepAxis *a, const WwSweepWord *word, const char *name,
                      const char *text, const WwLocation *at, GError **error)
{
    g_autoptr(GPtrArray) found = find_traces(t, text, at, error);
    if (found == NULL) {
        return false;
    }
    if (name != NULL && found->len > 1) {
        return sweep_fail(at, error, "%u traces are '%s'; expected one that is '%s', or no name",
                          found->len, text, name);
    }
    for (guint i = 0; i < found->len; i++) {
        if (!add_value(a, word, name, found->pdata[i], at, error)) {
            return false;
        }
    }
    return true;
}

/* Of a parameter's value, or what a word is told, something that a person would call it. */
static char *short_name(const WwSweepWord *word, const char *text)
{
    if (word == NULL || (word->kind != WW_SWEEP_NAMED && word->kind != WW_SWEEP_FILE)) {
        return g_strdup(text);
    }
    char *name = g_path_get_basename(text);
    if (word->suffix != NULL && g_str_has_suffix(name, word->suffix)) {
        name[strlen(name) - strlen(word->suffix)] = '\0';
    }
    return name;
}

bool sweep_add_values(const SweepText *t, WwSweepAxis *a, const WwSweepWord *word, const char *path,
                      const char *name, const char *text, const WwLocation *at, GError **error)
{
    if (word != NULL && word->kind == WW_SWEEP_TRACE) {
        return add_found(t, a, word, name, text, at, error);
    }
    g_autofree char *own = name != NULL ? g_strdup(name) : short_name(word, text);
    g_autofree char *value =
        word != NULL ? value_of(t, word, text, at, error) : g_strdup_printf("%s=%s", path, text);
    return value != NULL &&
           add_value(a, word != NULL ? word : ww_sweep_word("set"), own, value, at, error);
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static const WwSweepOption *its_trace(const WwSweepValue *v)
{
    const WwSweepOption *o = v->options->len == 1 ? v->options->pdata[0] : NULL;
    return o != NULL && o->word->kind == WW_SWEEP_TRACE ? o : NULL;
}

/* Words of a path, without what all traces are called. */
static char **path_words(const char *path)
{
    static const char *const endings[] = {".xz", ".zst", ".traceg", ".tracez", ".wwpack", ".g"};
    g_auto(GStrv) all = g_strsplit(path, "/", -1);
    g_autoptr(GPtrArray) words = g_ptr_array_new_with_free_func(g_free);
    for (char **w = all; *w != NULL; w++) {
        if (**w != '\0' && strcmp(*w, ".") != 0) {
            g_ptr_array_add(words, g_strdup(*w));
        }
    }
    while (words->len > 1 && (strcmp(words->pdata[words->len - 1], "traces") == 0 ||
                              strcmp(words->pdata[words->len - 1], "kernelslist.g") == 0)) {
        g_ptr_array_set_size(words, (gint)words->len - 1);
    }
    for (size_t i = 0; words->len != 0 && i < G_N_ELEMENTS(endings); i++) {
        char *last = words->pdata[words->len - 1];
        if (g_str_has_suffix(last, endings[i]) && strlen(last) > strlen(endings[i])) {
            last[strlen(last) - strlen(endings[i])] = '\0';
        }
    }
    if (words->len == 0) {
        g_ptr_array_add(words, g_strdup("trace"));
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(g_steal_pointer(&words), false);
}

static void free_words(gpointer words)
{
    g_strfreev(words);
}

static bool all_differ(const GPtrArray *names)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < names->len; i++) {
        if (!g_hash_table_add(seen, names->pdata[i])) {
            return false;
        }
    }
    return true;
}

/* How many words all have in common, from the front or (@p back) from the end, each keeping one. */
static guint in_common(const GPtrArray *paths, bool back, guint kept)
{
    for (guint n = 0;; n++) {
        const char *word = NULL;
        for (guint i = 0; i < paths->len; i++) {
            char **w = paths->pdata[i];
            guint length = g_strv_length(w);
            if (n + kept + 1 >= length) {
                return n;
            }
            const char *its = back ? w[length - 1 - n] : w[n];
            if (word != NULL && strcmp(word, its) != 0) {
                return n;
            }
            word = its;
        }
    }
}

/* Names of traces: the last word of their paths where all differ, else what distinguishes the paths. */
static GPtrArray *trace_names(const GPtrArray *paths)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < paths->len; i++) {
        char **w = paths->pdata[i];
        g_ptr_array_add(names, g_strdup(w[g_strv_length(w) - 1]));
    }
    if (all_differ(names)) {
        return g_steal_pointer(&names);
    }
    guint front = in_common(paths, false, 0), end = in_common(paths, true, front);
    g_ptr_array_set_size(names, 0);
    for (guint i = 0; i < paths->len; i++) {
        char **w = paths->pdata[i];
        g_autofree char *cut = w[g_strv_length(w) - end];
        w[g_strv_length(w) - end] = NULL;
        g_ptr_array_add(names, g_strjoinv("/", w + front));
        w[g_strv_length(w)] = g_steal_pointer(&cut);
    }
    return g_steal_pointer(&names);
}

static void name_traces(WwSweepAxis *a)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(free_words);
    for (guint i = 0; i < a->values->len; i++) {
        const WwSweepValue *v = a->values->pdata[i];
        if (v->name == NULL) {
            g_ptr_array_add(paths, path_words(its_trace(v)->value));
        }
    }
    g_autoptr(GPtrArray) names = trace_names(paths);
    guint next = 0;
    for (guint i = 0; i < a->values->len; i++) {
        WwSweepValue *v = a->values->pdata[i];
        if (v->name == NULL) {
            v->name = g_strdup(names->pdata[next++]);
        }
    }
}

/* The same trace, found by two patterns, counts once. */
static void drop_found_twice(WwSweepAxis *a)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < a->values->len;) {
        const WwSweepOption *o = its_trace(a->values->pdata[i]);
        if (o != NULL && g_hash_table_contains(seen, o->value)) {
            g_ptr_array_remove_index(a->values, i);
            continue;
        }
        if (o != NULL) {
            g_hash_table_add(seen, o->value);
        }
        i++;
    }
}

bool sweep_name_values(WwSweepAxis *a, GError **error)
{
    drop_found_twice(a);
    name_traces(a);
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < a->values->len; i++) {
        WwSweepValue *v = a->values->pdata[i];
        g_strdelimit(v->name, " \t,=\"#'`", '_');
        if (!g_hash_table_add(seen, v->name)) {
            return sweep_fail(&v->at, error,
                              "axis '%s' has two values '%s'; expected each once, or "
                              "names: NAME = VALUE",
                              a->name, v->name);
        }
    }
    return true;
}
