/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Values from outside: `.conf` files and single assignments.
 *
 *   line    = [ pattern "=" VALUE | "include" FILE | "platform" NAME | traces | opcodes | "not" "validated" ]
 *             [ "#" comment ]
 *   opcodes = "opcodes" ( NAME | FILE )              FILE: with a '/' or ".map", beside this one
 *   traces  = "traces" "sm_"NUMBER { "sm_"NUMBER } [ "preferred" ]
 *   pattern = element { "." element }        the last element names a parameter and has no index
 *   element = NAME [ "[" ( "*" | NUMBER [ ".." NUMBER ] ) "]" ]     the end of a range is excluded
 *
 * VALUE is the rest of the line, without blanks at its ends; a '#' within double quotes belongs to
 * it. What the value means is decided by the parameter, when a platform is elaborated.
 */
#include "platform-priv.h"
#include <stdlib.h>
#include <string.h>

WwOverrides *ww_overrides_new(void)
{
    WwOverrides *o = g_new0(WwOverrides, 1);
    o->refs = 1;
    plat_arena_init(&o->arena);
    o->open = g_ptr_array_new();
    return o;
}

void ww_overrides_free(WwOverrides *o)
{
    if (o == NULL || --o->refs != 0) {
        return;
    }
    g_ptr_array_unref(o->open);
    plat_arena_clear(&o->arena);
    g_free(o);
}

const uint32_t *ww_overrides_traces(const WwOverrides *o, uint32_t *n, const char **by)
{
    *n = o->traces.n;
    if (by != NULL) {
        *by = o->traces_by;
    }
    return o->traces.n != 0 ? o->traces.v : NULL;
}

void ww_overrides_set_traces(WwOverrides *o, const uint32_t *versions, uint32_t n, const char *by)
{
    o->traces.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        *VEC_ADD(&o->arena, &o->traces) = versions[i];
    }
    o->traces_by = plat_dup(&o->arena, by, strlen(by));
}

const char *ww_overrides_not_validated(const WwOverrides *o)
{
    return o->not_validated;
}

const char *ww_overrides_opcodes(const WwOverrides *o, const char **by)
{
    if (by != NULL) {
        *by = o->opcodes_by;
    }
    return o->opcodes;
}

const char *ww_overrides_platform(const WwOverrides *o, char **by)
{
    if (by != NULL) {
        *by = o->platform != NULL
                  ? g_strdup_printf("%s:%u", o->platform_at.file, o->platform_at.line)
                  : NULL;
    }
    return o->platform;
}

/* ---- patterns ------------------------------------------------------------------------------ */

typedef struct Scan {
    const char *start, *at;
    const char *why;
} Scan;

static void skip(Scan *s)
{
    while (*s->at == ' ' || *s->at == '\t') {
        s->at++;
    }
}

static bool scan_name(Arena *arena, Scan *s, const char **name)
{
    skip(s);
    const char *start = s->at;
    while (g_ascii_isalnum(*s->at) || *s->at == '_') {
        s->at++;
    }
    if (s->at == start || g_ascii_isdigit(*start)) {
        s->at = start;
        s->why = "expected a name";
        return false;
    }
    *name = plat_dup(arena, start, (size_t)(s->at - start));
    return true;
}

static bool scan_number(Scan *s, uint32_t *out)
{
    skip(s);
    char *end = NULL;
    guint64 u = g_ascii_isdigit(*s->at) ? g_ascii_strtoull(s->at, &end, 10) : UINT64_MAX;
    if (u > PLAT_MAX_ARRAY) {
        s->why = "expected an index from 0 to 65535 or '*'";
        return false;
    }
    *out = (uint32_t)u;
    s->at = end;
    skip(s);
    return true;
}

static bool scan_index(Scan *s, PatternSeg *seg)
{
    s->at++;
    skip(s);
    if (*s->at == '*') {
        s->at++;
        skip(s);
    } else {
        if (!scan_number(s, &seg->from)) {
            return false;
        }
        seg->any = false;
        seg->to = seg->from + 1;
        if (s->at[0] == '.' && s->at[1] == '.') {
            s->at += 2;
            if (!scan_number(s, &seg->to)) {
                return false;
            }
            if (seg->to <= seg->from) {
                s->why = "expected a range A..B with A less than B (B is excluded)";
                return false;
            }
        }
    }
    if (*s->at != ']') {
        s->why = "expected ']'";
        return false;
    }
    s->at++;
    return true;
}

bool plat_pattern_parse(Arena *arena, const char *text, Pattern *pattern, const char **why,
                        size_t *column)
{
    Scan s = {.start = text, .at = text, .why = NULL};
    *pattern = (Pattern){0};
    for (;;) {
        PatternSeg *seg = VEC_ADD(arena, &pattern->seg);
        seg->any = true;
        if (!scan_name(arena, &s, &seg->name)) {
            break;
        }
        skip(&s);
        if (*s.at == '[' && !scan_index(&s, seg)) {
            break;
        }
        skip(&s);
        if (*s.at == '.' && pattern->seg.n < PLAT_MAX_DEPTH) {
            s.at++;
            continue;
        }
        if (*s.at != '\0') {
            s.why = "expected '.' or '[' or the end of the path";
        } else if (s.at[-1] == ']') {
            s.why = "expected '.' and the name of a parameter";
        } else {
            pattern->param = seg->name;
            pattern->seg.n--;
            return true;
        }
        break;
    }
    *why = s.why;
    *column = (size_t)(s.at - text);
    return false;
}

/* ---- assignments --------------------------------------------------------------------------- */

static bool add(WwOverrides *o, const char *pattern, const char *value, WwLocation at,
                WwLocation value_at, GError **error)
{
    if (!g_utf8_validate(value, -1, NULL) || !g_utf8_validate(pattern, -1, NULL)) {
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                         "assignment is not UTF-8; expected text");
    }
    Override one = {.at = at, .value_at = value_at, .by = o->by};
    one.text = plat_dup(&o->arena, pattern, strlen(pattern));
    one.value = plat_dup(&o->arena, value, strlen(value));
    const char *why = NULL;
    size_t column = 0;
    if (!plat_pattern_parse(&o->arena, one.text, &one.pattern, &why, &column)) {
        at.column += at.column != 0 ? (uint32_t)column : 0;
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error, "bad path '%.60s': %s",
                         pattern, why);
    }
    if (*value == '\0') {
        return plat_fail(&o->sources, WW_ERROR_INPUT, value_at, NULL, error,
                         "no value for '%.60s'; expected PATH = VALUE", pattern);
    }
    *VEC_ADD(&o->arena, &o->list) = one;
    return true;
}

bool ww_overrides_add(WwOverrides *o, const char *pattern, const char *value, const char *file,
                      uint32_t line, GError **error)
{
    WwLocation at = {.file = plat_dup(&o->arena, file, strlen(file)), .line = line};
    if (!add(o, pattern, value, at, at, error)) {
        return false;
    }
    o->list.v[o->list.n - 1].translated = true;
    return true;
}

bool ww_overrides_add_text(WwOverrides *o, const char *assignment, const char *origin,
                           GError **error)
{
    WwLocation at = {.file = plat_printf(&o->arena, "%s %s", origin, assignment)};
    const char *equals = strchr(assignment, '=');
    if (equals == NULL) {
        return plat_fail(NULL, WW_ERROR_USAGE, at, NULL, error, "no '='; expected PATH=VALUE");
    }
    g_autofree char *pattern = g_strstrip(g_strndup(assignment, (gsize)(equals - assignment)));
    g_autofree char *value = g_strstrip(g_strdup(equals + 1));
    if (!add(o, pattern, value, at, at, error)) {
        return false;
    }
    o->list.v[o->list.n - 1].asked = true;
    return true;
}

/* ---- files --------------------------------------------------------------------------------- */

/** Cuts a comment off: the first '#' that is not within double quotes. */
static void cut_comment(char *line)
{
    bool quoted = false;
    for (char *p = line; *p != '\0'; p++) {
        if (*p == '\\' && quoted && p[1] != '\0') {
            p++;
        } else if (*p == '"') {
            quoted = !quoted;
        } else if (*p == '#' && !quoted) {
            *p = '\0';
            return;
        }
    }
}

/**
 * The argument of `include` or `platform`, or NULL when @p line is not one. Quotes are optional.
 */
static char *directive(const char *line, const char *word)
{
    size_t n = strlen(word);
    if (strncmp(line, word, n) != 0 || (line[n] != ' ' && line[n] != '\t' && line[n] != '"')) {
        return NULL;
    }
    g_autofree char *rest = g_strstrip(g_strdup(line + n));
    size_t length = strlen(rest);
    if (*rest == '=' || strchr(rest, '=') != NULL) {
        return NULL;
    }
    if (length >= 2 && rest[0] == '"' && rest[length - 1] == '"') {
        return g_strndup(rest + 1, length - 2);
    }
    return g_steal_pointer(&rest);
}

/* A `platform` in front of an `include` that says another one would be lost without a word: what comes later wins. */
static bool keeps_platform(const WwOverrides *o, const char *said, WwLocation at, GError **error)
{
    return said == NULL || strcmp(o->platform, said) == 0 ||
           plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                     "'platform %s' is replaced by 'platform %s' of %s:%u; expected it behind the "
                     "'include'",
                     said, o->platform, o->platform_at.file, o->platform_at.line);
}

static bool include(WwOverrides *o, const char *name, WwLocation at, const char *const *dirs,
                    GError **error)
{
    const char *said = o->platform_depth == o->open->len ? o->platform : NULL;
    WwLocation said_at = o->platform_at;
    if (o->open->len == PLAT_MAX_DEPTH) {
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                         "includes nested too deeply; expected at most %u levels", PLAT_MAX_DEPTH);
    }
    if (o->n_files >= PLAT_MAX_CONFS || o->n_bytes > PLAT_MAX_CONF_BYTES) {
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                         "more than %u configs or %u MiB of them, each 'include' counted; expected "
                         "fewer",
                         PLAT_MAX_CONFS, PLAT_MAX_CONF_BYTES >> 20);
    }
    g_autofree char *dir = g_path_get_dirname(at.file);
    g_autofree char *beside =
        g_path_is_absolute(name) ? g_strdup(name) : g_strconcat(dir, "/", name, NULL);
    bool there = g_file_test(beside, G_FILE_TEST_EXISTS);
    const char *file = there ? (g_str_has_prefix(beside, "./") ? beside + 2 : beside) : name;
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;
    g_autoptr(GError) why = NULL;
    if (!plat_read(file, ".conf", dirs, &path, &text, &length, &why)) {
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error, "cannot include: %s",
                         why->message);
    }
    char *real = realpath(path, NULL);
    for (uint32_t i = 0; real != NULL && i < o->open->len; i++) {
        if (strcmp(o->open->pdata[i], real) == 0) {
            free(real);
            return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                             "'%s' includes itself; expected no cycle", path);
        }
    }
    free(real);
    WwLocation by = o->by;
    o->by = by.line == 0 ? at : by;
    bool ok = ww_overrides_add_conf(o, text, length, path, dirs, error);
    o->by = by;
    if (!ok || !keeps_platform(o, said, said_at, error)) {
        return false;
    }
    o->platform_depth = said != NULL ? o->open->len : 0;
    o->platform_at = said != NULL ? said_at : o->platform_at;
    return true;
}

/** Versions of a `traces` line, in @p out (at most @p most); UINT32_MAX when a word is none. */
static uint32_t parse_traces(const char *text, uint32_t *out, uint32_t most, bool *preferred)
{
    uint32_t n = 0;
    g_auto(GStrv) words = g_strsplit_set(text, " \t", -1);
    *preferred = false;
    for (char **w = words; *w != NULL; w++) {
        guint64 version = 0;
        if (**w == '\0') {
            continue;
        }
        if (strcmp(*w, "preferred") == 0 && n != 0 && !*preferred) {
            *preferred = true;
            continue;
        }
        if (!g_str_has_prefix(*w, "sm_") || *preferred || n == most ||
            !g_ascii_string_to_unsigned(*w + 3, 10, 1, 9999, &version, NULL)) {
            return UINT32_MAX;
        }
        out[n++] = (uint32_t)version;
    }
    return n != 0 ? n : UINT32_MAX;
}

#define MOST_TRACES 16u

static bool add_traces(WwOverrides *o, const char *text, WwLocation at, GError **error)
{
    uint32_t version[MOST_TRACES];
    bool preferred;
    uint32_t n = parse_traces(text, version, MOST_TRACES, &preferred);
    if (n == UINT32_MAX) {
        return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                         "'traces %.60s'; expected up to %u binary versions as in 'traces sm_70 "
                         "sm_72', then perhaps 'preferred'",
                         text, MOST_TRACES);
    }
    ww_overrides_set_traces(o, version, n, at.file);
    return true;
}

static void add_opcodes(WwOverrides *o, const char *name, WwLocation at)
{
    bool is_file = strchr(name, '/') != NULL || g_str_has_suffix(name, ".map");
    g_autofree char *folder = g_path_get_dirname(at.file);
    g_autofree char *path = is_file && !g_path_is_absolute(name)
                                ? g_build_filename(folder, name, NULL)
                                : g_strdup(name);
    o->opcodes = plat_dup(&o->arena, path, strlen(path));
    o->opcodes_by = plat_printf(&o->arena, "%s:%u", at.file, at.line);
}

/* For which traces a config is, as the line says; of any other line nothing. */
static bool line_is_for(const char *raw, size_t length, uint32_t version, bool *preferred)
{
    uint32_t own[MOST_TRACES];
    g_autofree char *line = g_strndup(raw, length);
    cut_comment(line);
    g_autofree char *said = directive(g_strchomp(line), "traces");
    uint32_t n = said != NULL ? parse_traces(said, own, MOST_TRACES, preferred) : UINT32_MAX;
    for (uint32_t i = 0; n != UINT32_MAX && i < n; i++) {
        if (own[i] == version) {
            return true;
        }
    }
    return false;
}

bool ww_conf_is_for(const char *file, uint32_t version, bool *preferred)
{
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;
    bool found = false;
    *preferred = false;
    if (!plat_read(file, ".conf", NULL, &path, &text, &length, NULL)) {
        return false;
    }
    for (const char *at = text; *at != '\0';) {
        at += strspn(at, " \t\r\n");
        size_t n = strcspn(at, "\n");
        if (*at == 't') { /* most lines are of something else: nothing is copied of them */
            found |= line_is_for(at, n, version, preferred);
        }
        at += n;
    }
    return found;
}

/** A line that is neither an assignment nor what one of the words says. */
static bool fail_line(const WwOverrides *o, const char *text, WwLocation at, GError **error)
{
    static const char *const words[] = {"include", "platform", "traces", "opcodes", "not"};
    static const char *const needs[] = {"FILE", "NAME", "sm_NUMBER ...", "NAME", "validated"};
    size_t n = strspn(text, G_CSET_a_2_z G_CSET_A_2_Z);
    g_autofree char *word = g_strndup(text, n);
    const char *near = text[n] != '.' && text[n] != '[' && n > 1
                           ? ww_closest(word, words, G_N_ELEMENTS(words))
                           : NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(word, words[i]) == 0 && strchr(" \t", text[n]) != NULL) {
            return plat_fail(&o->sources, WW_ERROR_INPUT, at, NULL, error,
                             "'%.60s'; expected '%s %s'", text, words[i], needs[i]);
        }
    }
    return plat_fail(&o->sources, WW_ERROR_INPUT, at, near, error,
                     "no '=' in this line; expected PATH = VALUE");
}

static bool add_line(WwOverrides *o, const char *raw, size_t length, WwLocation at,
                     const char *const *dirs, GError **error)
{
    g_autofree char *line = g_strndup(raw, length);
    cut_comment(line);
    g_strchomp(line);
    const char *text = line;
    while (*text == ' ' || *text == '\t') {
        text++;
    }
    at.column = (uint32_t)(text - line) + 1;
    if (*text == '\0') {
        return true;
    }
    g_autofree char *file = directive(text, "include");
    if (file != NULL) {
        return include(o, file, at, dirs, error);
    }
    g_autofree char *platform = directive(text, "platform");
    if (platform != NULL) {
        o->platform = plat_dup(&o->arena, platform, strlen(platform));
        o->platform_at = at;
        o->platform_depth = o->open->len;
        return true;
    }
    g_autofree char *not = directive(text, "not");
    if (g_strcmp0(not, "validated") == 0) {
        o->not_validated = plat_dup(&o->arena, at.file, strlen(at.file));
        return true;
    }
    g_autofree char *opcodes = directive(text, "opcodes");
    if (opcodes != NULL) {
        add_opcodes(o, opcodes, at);
        return true;
    }
    g_autofree char *traces = directive(text, "traces");
    if (traces != NULL) {
        return add_traces(o, traces, at, error);
    }
    const char *equals = strchr(text, '=');
    if (equals == NULL) {
        return fail_line(o, text, at, error);
    }
    g_autofree char *pattern = g_strchomp(g_strndup(text, (gsize)(equals - text)));
    const char *value = equals + 1;
    while (*value == ' ' || *value == '\t') {
        value++;
    }
    WwLocation value_at = at;
    value_at.column = (uint32_t)g_utf8_strlen(line, value - line) + 1;
    return add(o, pattern, value, at, value_at, error);
}

bool ww_overrides_add_conf(WwOverrides *o, const char *text, size_t length, const char *name,
                           const char *const *dirs, GError **error)
{
    Source *source = VEC_ADD(&o->arena, &o->sources.list);
    *source = (Source){
        .file = plat_dup(&o->arena, name, strlen(name)),
        .text = plat_dup(&o->arena, text, length),
        .length = length,
    };
    Source s = *source;
    o->n_files++;
    o->n_bytes += length;
    if (!plat_check_text(&o->sources, &s, error)) {
        return false;
    }
    o->platform_depth = o->open->len == 0 ? 0 : o->platform_depth;
    char *real = realpath(name, NULL);
    char *opened = real != NULL ? real : strdup(name);
    g_ptr_array_add(o->open, opened);
    bool ok = true;
    WwLocation at = {.file = s.file, .line = 1};
    for (const char *line = s.text, *end = s.text + length; ok && line < end; at.line++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline != NULL ? newline : end;
        ok = add_line(o, line, (size_t)(stop - line), at, dirs, error);
        line = stop + 1;
    }
    g_ptr_array_set_size(o->open, (gint)o->open->len - 1);
    free(opened);
    return ok;
}

bool ww_overrides_add_file(WwOverrides *o, const char *file_or_name, const char *const *dirs,
                           GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;
    return plat_read(file_or_name, ".conf", dirs, &path, &text, &length, error) &&
           ww_overrides_add_conf(o, text, length, path, dirs, error);
}
