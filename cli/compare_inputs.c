/* SPDX-License-Identifier: Apache-2.0 */
/* What runs that are side by side were made from: values of the machine, files, and what of the trace was replayed. */
#include "compare.h"
#include <report/report.h>

#include <string.h>

#define MOST_SETTINGS 8u

/* ---- values ----------------------------------------------------------------------------------------------------- */

static json_t *resolved(const Compare *c, uint32_t i, const char *path)
{
    return json_object_get(json_object_get(c->run[i], "resolved"), path);
}

/* Have all runs the value, and not all the same? */
static bool differs(const Compare *c, const char *path)
{
    bool alike = true, all = true;
    for (uint32_t i = 0; i < c->n; i++) {
        const json_t *own = resolved(c, i, path);
        all &= own != NULL;
        alike &= own != NULL && json_equal(resolved(c, 0, path), own);
    }
    return all && !alike;
}

/* Is there a run whose platform does not go by the value? That it differs is no cause there. */
static bool unused_somewhere(const Compare *c, const char *path)
{
    bool unused = false;
    for (uint32_t i = 0; i < c->n; i++) {
        unused |= ww_report_unused(c->run[i], path);
    }
    return unused;
}

static void print_setting(const Compare *c, const char *path)
{
    g_autoptr(GString) line = g_string_new(path);
    for (uint32_t i = 0; i < c->n; i++) {
        g_autofree char *text = ww_report_setting(c->run[i], path);
        g_string_append_printf(line, "%s%c %s", i == 0 ? ": " : ", ", 'A' + (char)i, text);
    }
    g_autofree char *cut = cli_cut(line->str, c->all ? UINT32_MAX : COMPARE_LINE - 2);
    printf("  %s\n", cut);
}

/* Values that not all runs have: of machines with other parts. With @p head the first says what they are. */
static uint32_t settings_of_some(const Compare *c, bool head)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (json_object_size(json_object_get(c->run[i], "resolved")) == 0) {
            return 0; /* it does not say what its machine was */
        }
    }
    for (uint32_t i = 0; i < c->n; i++) {
        const char *path;
        json_t *value;
        json_object_foreach(json_object_get(c->run[i], "resolved"), path, value)
        {
            uint32_t have = 0;
            bool earlier = false;
            for (uint32_t k = 0; k < c->n; k++) {
                bool has = resolved(c, k, path) != NULL;
                have += has;
                earlier |= has && k < i;
            }
            if (!earlier && have < c->n) {
                fputs(head && n == 0 ? "\nsettings that differ\n" : "", stdout);
                n++;
                if (c->all) {
                    print_setting(c, path);
                }
            }
        }
    }
    return n;
}

/* What was set differently: names of runs alone do not say what -s changed. What may be no cause comes last. */
void compare_settings(const Compare *c)
{
    const char *path;
    json_t *first;
    uint32_t shown = 0;
    for (int last = 0; last < 2; last++) {
        json_object_foreach(json_object_get(c->run[0], "resolved"), path, first)
        {
            if (!differs(c, path) || unused_somewhere(c, path) != (last == 1) ||
                (shown++ >= MOST_SETTINGS && !c->all)) {
                continue;
            }
            fputs(shown == 1 ? "\nsettings that differ\n" : "", stdout);
            print_setting(c, path);
        }
    }
    if (shown > MOST_SETTINGS && !c->all) {
        compare_print_more("  ", shown - MOST_SETTINGS);
    }
    uint32_t some = settings_of_some(c, shown == 0);
    if (some > 0 && !c->all) {
        printf("  %s%u that not all runs have (--all)\n", shown != 0 ? "and " : "", some);
    }
}

/* ---- what of the trace ------------------------------------------------------------------------------------------ */

/* The value of option @p name in the command of run @p i, or NULL. */
static const char *option(const Compare *c, uint32_t i, const char *name)
{
    const char *value = NULL;
    size_t k;
    json_t *word;
    json_array_foreach(json_object_get(c->run[i], "command"), k, word)
    {
        if (g_strcmp0(json_string_value(word), name) == 0) {
            value = json_string_value(json_array_get(json_object_get(c->run[i], "command"), k + 1));
        }
    }
    return value;
}

/* Is @p name the same in all runs that say what their command was? */
static bool same_option(const Compare *c, const char *name)
{
    bool alike = true;
    for (uint32_t i = 1; i < c->n; i++) {
        alike &= json_object_get(c->run[i], "command") == NULL ||
                 g_strcmp0(option(c, 0, name), option(c, i, name)) == 0;
    }
    return alike || json_object_get(c->run[0], "command") == NULL;
}

/* Runs of parts of a trace beside those of all of it. */
static void compare_replayed(const Compare *c)
{
    static const char *const names[] = {"--kernels", "--max-ctas"};
    bool head = false;
    for (size_t k = 0; k < G_N_ELEMENTS(names); k++) {
        if (same_option(c, names[k])) {
            continue;
        }
        g_autoptr(GString) line = g_string_new(names[k]);
        for (uint32_t i = 0; i < c->n; i++) {
            const char *value = option(c, i, names[k]);
            g_string_append_printf(line, "%s%c %s", i == 0 ? ": " : ", ", 'A' + (char)i,
                                   value != NULL ? value : "all");
        }
        g_autofree char *text = cli_cut(line->str, c->all ? UINT32_MAX : COMPARE_LINE - 2);
        printf("%s  %s\n", head ? "" : "\nparts of the trace that are replayed\n", text);
        head = true;
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* The input of run @p i of the same kind and file as @p wanted, or NULL. */
static const json_t *input_of(const Compare *c, uint32_t i, const json_t *wanted)
{
    size_t k;
    json_t *in;
    json_array_foreach(json_object_get(c->run[i], "inputs"), k, in)
    {
        if (json_equal(json_object_get(in, "kind"), json_object_get(wanted, "kind")) &&
            json_equal(json_object_get(in, "file"), json_object_get(wanted, "file"))) {
            return in;
        }
    }
    return NULL;
}

/* One input of run @p from: named by the first run that has it, with who has it not, or with other contents. */
static uint32_t compare_input(const Compare *c, uint32_t from, const json_t *in, uint32_t shown)
{
    g_autoptr(GString) line = g_string_new(NULL);
    const char *kind = json_string_value(json_object_get(in, "kind"));
    if (g_strcmp0(kind, "kernels") == 0 && !same_option(c, "--kernels")) {
        return shown; /* their files were not all read: compare_replayed() */
    }
    for (uint32_t i = 0; i < from; i++) {
        if (input_of(c, i, in) != NULL) {
            return shown;
        }
    }
    for (uint32_t i = 0; i < c->n; i++) {
        const json_t *other = input_of(c, i, in);
        if (json_object_get(c->run[i], "inputs") != NULL &&
            (other == NULL || !json_equal(other, in))) {
            g_string_append_printf(line, "%s%s %c", line->len != 0 ? ", " : "",
                                   other == NULL ? "not in" : "other contents in", 'A' + (char)i);
        }
    }
    if (line->len == 0 || shown++ >= (c->all ? UINT32_MAX : MOST_SETTINGS)) {
        return shown;
    }
    const char *file = json_string_value(json_object_get(in, "file"));
    g_autofree char *all = g_strdup_printf("%s %s", kind != NULL ? kind : "?",
                                           file != NULL ? file : "?"),
                    *text = cli_visible(all);
    printf("%s  %s: %s\n", shown == 1 ? "\ninputs that differ\n" : "", text, line->str);
    return shown;
}

/* Files that went in: by name, and by what was in them. */
void compare_inputs(const Compare *c)
{
    uint32_t shown = 0;
    const char *first = json_string_value(json_object_get(c->run[0], "version"));
    for (uint32_t i = 1; i < c->n; i++) {
        const char *other = json_string_value(json_object_get(c->run[i], "version"));
        if (g_strcmp0(first, other) != 0) {
            printf("\nversions differ: A %s, %c %s\n", first != NULL ? first : "?", 'A' + (char)i,
                   other != NULL ? other : "?");
        }
    }
    for (uint32_t i = 0; i < c->n; i++) {
        size_t k;
        json_t *in;
        json_array_foreach(json_object_get(c->run[i], "inputs"), k, in)
        {
            shown = compare_input(c, i, in, shown);
        }
    }
    if (shown > MOST_SETTINGS && !c->all) {
        compare_print_more("  ", shown - MOST_SETTINGS);
    }
    compare_replayed(c);
}
