/* SPDX-License-Identifier: Apache-2.0 */
/* Is everything that readers of results look at of the kind that it should be? What is not there, is missed; the rest is an error. */
#include "figures.h"

#include <report/report.h>

#include <glib.h>

typedef struct Check {
    const char *file;
    GError **error;
} Check;

static bool wrong(const Check *c, const char *where, const char *expected)
{
    return ww_fail(c->error, WW_ERROR_INPUT, "%s: '%s' is of the wrong kind; expected %s", c->file,
                   where, expected);
}

/* A whole number, not below 0: as results are read, what has a sign, a point or an exponent is a real one. */
static bool is_figure(const json_t *v)
{
    return json_is_integer(v);
}

/* Member @p key, where it is there: a figure. */
static bool figures(const Check *c, const char *where, const json_t *o, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const json_t *v = json_object_get(o, *keys);
        if (v != NULL && !is_figure(v)) {
            g_autofree char *path = g_strdup_printf("%s.%s", where, *keys);
            return wrong(c, path, "a whole number, not below 0");
        }
    }
    return true;
}

static bool texts(const Check *c, const char *where, const json_t *o, const char *const *keys)
{
    for (; *keys != NULL; keys++) {
        const json_t *v = json_object_get(o, *keys);
        if (v != NULL && !json_is_string(v)) {
            g_autofree char *path = g_strdup_printf("%s.%s", where, *keys);
            return wrong(c, path, "a text");
        }
    }
    return true;
}

/* A statistic: a number, or numbers by label or index. */
static bool is_statistic(const json_t *v)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)v, key, member)
    {
        if (!is_figure(member)) {
            return false;
        }
    }
    for (size_t i = 0; i < json_array_size(v); i++) {
        if (!is_figure(json_array_get(v, i))) {
            return false;
        }
    }
    return json_is_object(v) || json_is_array(v) || is_figure(v);
}

static bool statistics(const Check *c, const char *where, const json_t *o)
{
    const char *key;
    json_t *v;
    if (o == NULL) {
        return true;
    }
    if (!json_is_object(o)) {
        return wrong(c, where, "an object of statistics");
    }
    json_object_foreach((json_t *)o, key, v)
    {
        if (!is_statistic(v) && !(json_is_string(v) && g_str_equal(key, "type"))) {
            g_autofree char *path = g_strdup_printf("%s.%s", where, key);
            return wrong(c, path, "whole numbers, not below 0");
        }
    }
    return true;
}

static bool instances(const Check *c, const char *where, const json_t *o)
{
    const char *path;
    json_t *v;
    if (o != NULL && !json_is_object(o)) {
        return wrong(c, where, "an object of components");
    }
    json_object_foreach((json_t *)o, path, v)
    {
        g_autofree char *at = g_strdup_printf("%s.%s", where, path);
        if (!json_is_object(v) || !json_is_string(json_object_get(v, "type"))) {
            return wrong(c, at, "an object with 'type' and statistics");
        }
        if (!statistics(c, at, v)) {
            return false;
        }
    }
    return true;
}

static bool instruction(const Check *c, const char *where, const json_t *o)
{
    static const char *const numbers[] = {"pc",     "line",     "source",       "issues",
                                          "lanes",  "requests", "transactions", "bank_conflicts",
                                          "kernel", NULL};
    static const char *const words[] = {"opcode", "registers", NULL};
    static const char *const groups[] = {"stalls", "slots", "latency", "l1", "l2", NULL};
    if (!json_is_object(o)) {
        return wrong(c, where, "an object");
    }
    if (json_object_get(o, "pc") == NULL) {
        return wrong(c, where, "an object with 'pc'");
    }
    for (const char *const *g = groups; *g != NULL; g++) {
        g_autofree char *path = g_strdup_printf("%s.%s", where, *g);
        if (json_object_get(o, *g) != NULL && !json_is_object(json_object_get(o, *g))) {
            return wrong(c, path, "an object of numbers");
        }
        if (!statistics(c, path, json_object_get(o, *g))) {
            return false;
        }
    }
    return figures(c, where, o, numbers) && texts(c, where, o, words);
}

/* What resident warps waited for. */
static bool warps(const Check *c, const char *where, const json_t *o)
{
    static const char *const numbers[] = {"cycles", NULL};
    g_autofree char *stalls = g_strdup_printf("%s.stalls", where);
    if (o != NULL && !json_is_object(o)) {
        return wrong(c, where, "an object with 'stalls'");
    }
    return figures(c, where, o, numbers) && statistics(c, stalls, json_object_get(o, "stalls"));
}

static bool instructions(const Check *c, const char *where, const json_t *list)
{
    if (list != NULL && !json_is_array(list)) {
        return wrong(c, where, "a list of instructions");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        g_autofree char *at = g_strdup_printf("%s[%zu]", where, i);
        if (!instruction(c, at, json_array_get(list, i))) {
            return false;
        }
    }
    return true;
}

static bool kernel_or_total(const Check *c, const char *where, const json_t *o)
{
    static const char *const numbers[] = {"uid",
                                          "stream",
                                          "cycles",
                                          "end_cycle",
                                          "thread_instructions",
                                          "warp_instructions",
                                          "ctas",
                                          "sms",
                                          "launch_cycles",
                                          "tail_cycles",
                                          NULL};
    static const char *const words[] = {"name", "bound_by", NULL};
    g_autofree char *counters = g_strdup_printf("%s.counters", where),
                    *parts = g_strdup_printf("%s.instances", where),
                    *pcs = g_strdup_printf("%s.pcs", where),
                    *idle = g_strdup_printf("%s.warps", where);
    if (!json_is_object(o)) {
        return wrong(c, where, "an object");
    }
    return figures(c, where, o, numbers) && texts(c, where, o, words) &&
           statistics(c, counters, json_object_get(o, "counters")) &&
           instances(c, parts, json_object_get(o, "instances")) &&
           instructions(c, pcs, json_object_get(o, "pcs")) &&
           warps(c, idle, json_object_get(o, "warps"));
}

static bool text_list(const Check *c, const char *where, const json_t *list)
{
    if (list != NULL && !json_is_array(list)) {
        return wrong(c, where, "a list of texts");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        if (!json_is_string(json_array_get(list, i))) {
            return wrong(c, where, "a list of texts");
        }
    }
    return true;
}

static bool intervals(const Check *c, const json_t *o)
{
    static const char *const numbers[] = {"every", NULL};
    if (o == NULL) {
        return true;
    }
    const json_t *names = json_object_get(o, "statistics"), *rows = json_object_get(o, "rows");
    if (!json_is_object(o) || !json_is_array(names) || !json_is_array(rows) ||
        json_object_get(o, "every") == NULL) {
        return wrong(c, "intervals", "an object with 'every', 'statistics' and 'rows'");
    }
    if (!figures(c, "intervals", o, numbers) || !text_list(c, "intervals.statistics", names)) {
        return false;
    }
    double before = -1;
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        g_autofree char *at = g_strdup_printf("intervals.rows[%zu]", i);
        if (!json_is_array(row) || json_array_size(row) != json_array_size(names) + 1 ||
            !is_statistic(row)) {
            return wrong(c, at, "the cycle at its end and a whole number for each statistic");
        }
        if (ww_report_number(json_array_get(row, 0)) <= before) {
            return wrong(c, at, "a later cycle than in the row before");
        }
        before = ww_report_number(json_array_get(row, 0));
    }
    return true;
}

/* Files that went in, by kind and name. */
static bool files(const Check *c, const json_t *list)
{
    static const char *const words[] = {"kind", "file", NULL};
    if (list != NULL && !json_is_array(list)) {
        return wrong(c, "inputs", "a list of files");
    }
    for (size_t i = 0; i < json_array_size(list); i++) {
        g_autofree char *at = g_strdup_printf("inputs[%zu]", i);
        const json_t *in = json_array_get(list, i);
        if (!json_is_object(in)) {
            return wrong(c, at, "an object with 'kind' and 'file'");
        }
        if (!texts(c, at, in, words)) {
            return false;
        }
    }
    return true;
}

/* Types by module. */
static bool modules(const Check *c, const json_t *o)
{
    const char *module;
    json_t *types;
    if (o != NULL && !json_is_object(o)) {
        return wrong(c, "modules", "an object of lists of types");
    }
    json_object_foreach((json_t *)o, module, types)
    {
        g_autofree char *at = g_strdup_printf("modules.%s", module);
        if (!text_list(c, at, types)) {
            return false;
        }
    }
    return true;
}

bool ww_report_check(const WwReportRun *run, GError **error)
{
    static const char *const words[] = {"version",  "status",      "trace",
                                        "platform", "fingerprint", NULL};
    const Check c = {run->file, error};
    const json_t *o = run->result, *resolved = json_object_get(o, "resolved"),
                 *kernels = json_object_get(o, "kernels"), *partial = json_object_get(o, "partial");
    if (!texts(&c, "results", o, words) || !text_list(&c, "config", json_object_get(o, "config")) ||
        !text_list(&c, "command", json_object_get(o, "command")) ||
        !text_list(&c, "unused", json_object_get(o, "unused"))) {
        return false;
    }
    if (partial != NULL && !json_is_boolean(partial)) {
        return wrong(&c, "partial", "true or false");
    }
    if (resolved != NULL && !json_is_object(resolved)) {
        return wrong(&c, "resolved", "an object of values");
    }
    if (!files(&c, json_object_get(o, "inputs")) || !modules(&c, json_object_get(o, "modules"))) {
        return false;
    }
    for (size_t i = 0; i < json_array_size(kernels); i++) {
        g_autofree char *at = g_strdup_printf("kernels[%zu]", i);
        if (!kernel_or_total(&c, at, json_array_get(kernels, i))) {
            return false;
        }
    }
    return kernel_or_total(&c, "total", json_object_get(o, "total")) &&
           intervals(&c, json_object_get(o, "intervals"));
}
