/* SPDX-License-Identifier: Apache-2.0 */
/* The value of one option into assignments: a function for each form that values have. */
#include "import-priv.h"
#include <string.h>

/* ---- values ----------------------------------------------------------------------------------------------------- */

bool import_assign(Import *in, const char *path, const char *value, const Given *g, GError **error)
{
    return ww_overrides_add(in->out, path, value, g->at.file, g->at.line, error);
}

static bool bad_value(const Option *o, const Given *g, const char *expected, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s has value '%.60s'; expected %s", g->at.file,
                   g->at.line, o->name, g->value, expected);
}

bool import_number(const char *text, uint64_t *out)
{
    return g_ascii_string_to_unsigned(text, 10, 0, UINT32_MAX, out, NULL);
}

/* A number that is an option's whole value: a leading 0x makes it hexadecimal, a leading 0 octal. */
static bool option_number(const char *text, uint64_t *out)
{
    bool hex = text[0] == '0' && text[1] == 'x' && text[2] != 0,
         octal = text[0] == '0' && !hex && text[1] != 0;
    return g_ascii_string_to_unsigned(text + (hex ? 2 : 0),
                                      hex     ? 16
                                      : octal ? 8
                                              : 10,
                                      0, UINT32_MAX, out, NULL);
}

static bool same_to_all(Import *in, const Option *o, const Given *g, const char *value,
                        GError **error)
{
    for (const char *const *p = o->paths; *p != NULL; p++) {
        if (!import_assign(in, *p, value, g, error)) {
            return false;
        }
    }
    return true;
}

/* Of the pipeline widths the last two, of the tensor stages, came later, and a configuration that has no tensor cores
   may be written without them. A width of 0 belongs to a unit kind that the configuration lacks:
   nothing ever enters that stage, so it may as well be 1. */
static bool fields(Import *in, const Option *o, const Given *g, GError **error)
{
    g_auto(GStrv) f = g_strsplit_set(g->value, ",:", -1);
    uint32_t want = g_strv_length((char **)o->paths), have = g_strv_length(f);
    uint32_t late = o->form == FORM_WIDTHS ? 2 : 0;
    if (have < want && have != want - late) {
        g_autofree char *text =
            late > 0
                ? g_strdup_printf("%u fields, or %u without the tensor stages", want, want - late)
                : g_strdup_printf("%u fields", want);
        return bad_value(o, g, text, error);
    }
    for (uint32_t i = 0; i < MIN(want, have); i++) {
        uint64_t n = 0;
        g_autofree char *value =
            o->form == FORM_MHZ ? g_strdup_printf("%sMHz", f[i]) : g_strdup(f[i]);
        if (o->form != FORM_MHZ && !import_number(f[i], &n)) {
            return bad_value(o, g, "numbers", error);
        }
        if (!import_assign(in, o->paths[i], o->form == FORM_WIDTHS && n == 0 ? "1" : value, g,
                           error)) {
            return false;
        }
    }
    return true;
}

/* "enabled,units,latency,id_oc,oc_ex,name" */
static bool special(Import *in, const Option *o, const Given *g, GError **error)
{
    static const char *const form[] = {NULL, "sm.spec%u_units", "sm.spec%u[*].depth",
                                       "sm.id_oc_spec[%u].width", "sm.oc_ex_spec[%u].width"};
    g_auto(GStrv) f = g_strsplit(g->value, ",", -1);
    uint64_t v[5];
    for (uint32_t i = 0; i < 5; i++) {
        if (g_strv_length(f) < 5 || !import_number(f[i], &v[i])) {
            return bad_value(o, g, "enabled,units,latency,id_oc_width,oc_ex_width,name", error);
        }
    }
    char path[64];
    if (v[0] == 0) {
        g_snprintf(path, sizeof path, "sm.spec%u_units", o->unit);
        return import_assign(in, path, "0", g, error);
    }
    for (uint32_t i = 1; i < 5; i++) {
        g_snprintf(path, sizeof path, form[i], i < 3 ? o->unit : o->unit - 1);
        if (!import_assign(in, path, f[i], g, error)) {
            return false;
        }
    }
    return true;
}

/* Takes the field that stands for N in @p form out of @p value; false if they do not match. */
static bool argument(const char *form, const char *value, char **out)
{
    g_auto(GStrv) want = g_strsplit(form, ":", -1);
    g_auto(GStrv) have = g_strsplit(value, ":", -1);
    uint64_t n;
    if (g_strv_length(want) != g_strv_length(have)) {
        return false;
    }
    for (uint32_t i = 0; want[i] != NULL; i++) {
        if (strcmp(want[i], "N") == 0) {
            if (!import_number(have[i], &n)) {
                return false;
            }
            g_free(*out);
            *out = g_strdup(have[i]);
        } else if (strcmp(want[i], have[i]) != 0) {
            return false;
        }
    }
    return true;
}

static bool word(Import *in, const Option *o, const Given *g, GError **error)
{
    g_autoptr(GString) known = g_string_new("one of");
    for (const Word *w = o->words; w->word != NULL; w++) {
        /* the reference looks for the word anywhere in the value, in its own order */
        if (strstr(g->value, w->word) != NULL) {
            g_autofree char *n = NULL;
            if (w->form != NULL && !argument(w->form, g->value, &n)) {
                return bad_value(o, g, w->form, error);
            }
            return same_to_all(in, o, g, w->value, error) &&
                   (n == NULL || import_assign(in, w->path, n, g, error));
        }
        g_string_append_printf(known, " %s", w->form != NULL ? w->form : w->word);
    }
    return bad_value(o, g, known->str, error);
}

static bool list(Import *in, const Option *o, const Given *g, GError **error)
{
    g_auto(GStrv) f = g_strsplit(g->value, ",", -1);
    uint32_t count = g_strv_length(f);
    bool good = o->unit == 0 || count == o->unit;
    for (uint32_t i = 0; good && i < count; i++) {
        uint64_t n;
        good = import_number(f[i], &n);
    }
    if (!good) {
        g_autofree char *expected = g_strdup_printf("%u numbers separated by commas", o->unit);
        return bad_value(o, g, o->unit == 0 ? "numbers separated by commas" : expected, error);
    }
    g_autofree char *numbers = g_strjoinv(", ", f);
    g_autofree char *value = g_strdup_printf("[%s]", numbers);
    return same_to_all(in, o, g, value, error);
}

static bool choice(Import *in, const Option *o, const Given *g, GError **error)
{
    g_autoptr(GString) known = g_string_new("one of");
    bool found = false;
    for (const Word *w = o->words; w->word != NULL; w++) {
        g_string_append_printf(known, " %s", w->word);
        if (strcmp(w->word, g->value) != 0) {
            continue;
        }
        found = true;
        if (!(w->path != NULL ? import_assign(in, w->path, w->value, g, error)
                              : same_to_all(in, o, g, w->value, error))) {
            return false;
        }
    }
    return found || bad_value(o, g, known->str, error);
}

/* ---- caches and DRAM timing -------------------------------------------------------------------------------------- */

/* A letter of a cache's description and the parameter it stands for. */
typedef struct Letter {
    char letter;
    const char *value;
} Letter;

static const char *letter_value(const Letter *letters, const char *field)
{
    for (; letters->letter != 0; letters++) {
        if (field != NULL && field[0] == letters->letter && field[1] == 0) {
            return letters->value;
        }
    }
    return NULL;
}

static bool set_below(Import *in, const char *prefix, const char *parameter, const char *value,
                      const Given *g, GError **error)
{
    g_autofree char *path = g_strdup_printf("%s.%s", prefix, parameter);
    return import_assign(in, path, value, g, error);
}

#define CACHE_FORM                                                                                 \
    "none or "                                                                                     \
    "TYPE:SETS:LINE:WAYS,REPLACEMENT:WRITE:ALLOCATE:WRITE_ALLOCATE:INDEX,MSHR:ENTRIES:MERGE,"      \
    "QUEUE[:0[,WIDTH]]"

/* "S:4:128:64,L:T:m:L:L,A:512:8,16:0,32" */
static bool cache(Import *in, const Option *o, const Given *g, GError **error)
{
    static const Letter types[] = {{'N', "false"}, {'S', "true"}, {0}};
    static const Letter replacements[] = {{'L', "lru"}, {'F', "fifo"}, {0}};
    static const Letter writes[] = {{'R', "read_only"}, {'B', "back"},       {'T', "through"},
                                    {'E', "evict"},     {'L', "local_back"}, {0}};
    static const Letter allocates[] = {{'m', "miss"}, {'f', "fill"}, {'s', "streaming"}, {0}};
    static const Letter write_allocates[] = {
        {'N', "none"}, {'W', "naive"}, {'F', "fetch"}, {'L', "lazy"}, {0}};
    static const Letter indices[] = {{'L', "linear"}, {'X', "xor"},    {'P', "ipoly"},
                                     {'H', "fermi"},  {'C', "custom"}, {0}};
    static const Letter mshrs[] = {{'A', "assoc"}, {'S', "sector_assoc"}, {0}};
    static const struct {
        uint32_t part, field;
        const Letter *letters; /* NULL: a number */
        const char *parameter;
    } fields[] = {
        {0, 0, types, "sector"},
        {0, 1, NULL, "sets"},
        {0, 2, NULL, "line"},
        {0, 3, NULL, "ways"},
        {1, 0, replacements, "replacement"},
        {1, 1, writes, "write"},
        {1, 2, allocates, "allocate"},
        {1, 3, write_allocates, "write_allocate"},
        {1, 4, indices, "index"},
        {2, 0, mshrs, "mshr"},
        {2, 1, NULL, "mshr_entries"},
        {2, 2, NULL, "mshr_merge"},
        {3, 0, NULL, "miss_queue"},
    };
    const char *self = o->paths[0], *there = o->paths[1];
    if (*there != '\0' &&
        !import_assign(in, there, strcmp(g->value, "none") == 0 ? "false" : "true", g, error)) {
        return false;
    }
    if (*there != '\0' && strcmp(g->value, "none") == 0) {
        return true;
    }
    g_auto(GStrv) parts = g_strsplit(g->value, ",", -1);
    uint32_t n_parts = g_strv_length(parts);
    if (n_parts < 4 || n_parts > 5) {
        return bad_value(o, g, CACHE_FORM, error);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        g_auto(GStrv) f = g_strsplit(parts[fields[i].part], ":", -1);
        uint64_t n;
        const char *text = fields[i].field < g_strv_length(f) ? f[fields[i].field] : NULL;
        const char *value = fields[i].letters != NULL ? letter_value(fields[i].letters, text)
                            : text != NULL && import_number(text, &n) ? text
                                                                      : NULL;
        if (value == NULL) {
            return bad_value(o, g, CACHE_FORM, error);
        }
        if (!set_below(in, self, fields[i].parameter, value, g, error)) {
            return false;
        }
    }
    return set_below(in, self, "port_width", n_parts == 5 ? parts[4] : "0", g, error);
}

#define DRAM_FORM                                                                                  \
    "nbk=N:CCD=N:RRD=N:RCD=N:RAS=N:RP=N:RC=N:CL=N:WL=N:CDLR=N:WR=N:nbkgrp=N:CCDL=N:RTPL=N, or "    \
    "the "                                                                                         \
    "numbers alone in this order (the last three may be left out)"

/* In the order of the form without names. What has no default must be given. */
static const struct {
    const char *name, *parameter, *otherwise;
} dram_times[] = {
    {"nbk", "nbk", NULL},  {"CCD", "ccd", NULL},   {"RRD", "rrd", NULL}, {"RCD", "rcd", NULL},
    {"RAS", "ras", NULL},  {"RP", "rp", NULL},     {"RC", "rc", NULL},   {"CL", "cl", NULL},
    {"WL", "wl", NULL},    {"CDLR", "cdlr", NULL}, {"WR", "wr", NULL},   {"nbkgrp", "nbkgrp", "1"},
    {"CCDL", "ccdl", "0"}, {"RTPL", "rtpl", "0"},
};

static int dram_time(const char *name)
{
    for (size_t i = 0; i < G_N_ELEMENTS(dram_times); i++) {
        if (strcmp(dram_times[i].name, name) == 0) {
            return (int)i;
        }
    }
    return -1;
}

/* All times at once, as in the reference: one that is not given goes back to its default. */
static bool dram(Import *in, const Option *o, const Given *g, GError **error)
{
    uint64_t value[G_N_ELEMENTS(dram_times)];
    bool given[G_N_ELEMENTS(dram_times)] = {false};
    bool names = strchr(g->value, '=') != NULL;
    g_auto(GStrv) f = g_strsplit_set(g->value, names ? ":;" : ":", -1);
    for (uint32_t i = 0; f[i] != NULL; i++) {
        if (names && f[i][0] == '\0') {
            continue;
        }
        char *equals = names ? strchr(f[i], '=') : NULL;
        if (equals != NULL) {
            *equals = '\0';
        }
        int k = names && equals != NULL ? dram_time(f[i]) : (int)MIN(i, INT_MAX);
        if (k < 0 || k >= (int)G_N_ELEMENTS(dram_times) || names != (equals != NULL) ||
            !(names ? option_number(equals + 1, &value[k]) : import_number(f[i], &value[k]))) {
            return bad_value(o, g, DRAM_FORM, error);
        }
        given[k] = true;
    }
    for (size_t k = 0; k < G_N_ELEMENTS(dram_times); k++) {
        if (!given[k] && dram_times[k].otherwise == NULL) {
            g_autofree char *expected = g_strdup_printf("%s, too: " DRAM_FORM, dram_times[k].name);
            return bad_value(o, g, expected, error);
        }
        g_autofree char *text = given[k] ? g_strdup_printf("%u", (uint32_t)value[k])
                                         : g_strdup(dram_times[k].otherwise);
        if (!set_below(in, o->paths[0], dram_times[k].parameter, text, g, error)) {
            return false;
        }
    }
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* A number, which all of the option's parameters take as it stands. */
static bool number(Import *in, const Option *o, const Given *g, GError **error)
{
    uint64_t n;
    if (!option_number(g->value, &n)) {
        return bad_value(o, g, "a number", error);
    }
    g_autofree char *text = g_strdup_printf("%u", (uint32_t)n);
    return same_to_all(in, o, g, text, error);
}

/* The same of up to 64 bits, decimal alone. */
static bool long_number(Import *in, const Option *o, const Given *g, GError **error)
{
    uint64_t n;
    return g_ascii_string_to_unsigned(g->value, 10, 0, UINT64_MAX, &n, NULL)
               ? same_to_all(in, o, g, g->value, error)
               : bad_value(o, g, "a number", error);
}

static bool first_number(Import *in, const Option *o, const Given *g, GError **error)
{
    uint64_t n;
    g_autofree char *first = g_strndup(g->value, strcspn(g->value, ",:"));
    return import_number(first, &n) ? same_to_all(in, o, g, first, error)
                                    : bad_value(o, g, "a number first", error);
}

static bool flag(Import *in, const Option *o, const Given *g, GError **error)
{
    uint64_t n;
    return option_number(g->value, &n) && n <= (o->form == FORM_FLAG ? 1 : 255)
               ? same_to_all(in, o, g, n != 0 ? "true" : "false", error)
               : bad_value(o, g, o->form == FORM_FLAG ? "0 or 1" : "a number up to 255", error);
}

static bool networks(const Option *o, const Given *g, GError **error)
{
    uint64_t n;
    return (option_number(g->value, &n) && n >= 2) ||
           bad_value(o, g,
                     "2, for requests and replies, or more; with fewer the reference reads a "
                     "network that it does not have",
                     error);
}

static bool pair(Import *in, const Option *o, const Given *g, GError **error)
{
    g_auto(GStrv) f = g_strsplit(g->value, ",", -1);
    uint64_t a, b;
    if (g_strv_length(f) != 2 || !import_number(f[0], &a) || !import_number(f[1], &b)) {
        return bad_value(o, g, "latency,interval", error);
    }
    g_autofree char *both = g_strdup_printf("[%s, %s]", f[0], f[1]);
    return same_to_all(in, o, g, both, error);
}

/* "2048:32": threads of an SM, and of a warp, which has 32 here. */
static bool threads(Import *in, const Option *o, const Given *g, GError **error)
{
    g_auto(GStrv) f = g_strsplit(g->value, ":", -1);
    uint64_t n, warp;
    if (g_strv_length(f) != 2 || !import_number(f[0], &n) || !import_number(f[1], &warp) ||
        warp != 32 || n % 32 != 0) {
        return bad_value(o, g, "threads:32 with threads a multiple of 32", error);
    }
    g_autofree char *warps = g_strdup_printf("%u", (uint32_t)(n / 32));
    return same_to_all(in, o, g, warps, error);
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

bool import_apply(Import *in, const Option *o, const Given *g, GError **error)
{
    switch (o->form) {
    case FORM_LONG:
        return long_number(in, o, g, error);
    case FORM_REFUSED:
        return strcmp(g->value, o->words->word) == 0 || bad_value(o, g, o->words->value, error);
    case FORM_NETWORKS:
        return networks(o, g, error);
    case FORM_FIRST:
        return first_number(in, o, g, error);
    case FORM_NUMBER:
        return number(in, o, g, error);
    case FORM_FLAG:
    case FORM_SWITCH:
        return flag(in, o, g, error);
    case FORM_PAIR:
        return pair(in, o, g, error);
    case FORM_TEXT:
        return same_to_all(in, o, g, g->value, error);
    case FORM_CHOICE:
        return choice(in, o, g, error);
    case FORM_CACHE:
        return cache(in, o, g, error);
    case FORM_DRAM:
        return dram(in, o, g, error);
    case FORM_FIELDS:
    case FORM_WIDTHS:
    case FORM_MHZ:
        return fields(in, o, g, error);
    case FORM_WORD:
        return word(in, o, g, error);
    case FORM_LIST:
        return list(in, o, g, error);
    case FORM_THREADS:
        return threads(in, o, g, error);
    case FORM_SPECIAL:
        return special(in, o, g, error);
    case FORM_DERIVED:
        return true;
    }
    return true;
}
