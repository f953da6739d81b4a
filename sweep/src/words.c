/* SPDX-License-Identifier: Apache-2.0 */
/* Options of `warpwright run` that the language knows, and quantities. */
#include "sweep-priv.h"

#include <math.h>
#include <string.h>

const WwSweepWord ww_sweep_words[] = {
    {"trace", WW_SWEEP_TRACE, NULL, false, false},
    {"config", WW_SWEEP_NAMED, ".conf", true, false},
    {"platform", WW_SWEEP_NAMED, ".plat", false, false},
    {"module", WW_SWEEP_NAMED, ".so", true, false},
    {"gpgpusim", WW_SWEEP_FILE, NULL, true, false},
    {"opcodes", WW_SWEEP_NAMED, ".map", false, false},
    {"sass", WW_SWEEP_FILE, NULL, true, false},
    {"set", WW_SWEEP_SETTING, NULL, true, false},
    {"sms", WW_SWEEP_NUMBER, NULL, false, false},
    {"kernels", WW_SWEEP_TEXT, NULL, false, false},
    {"max-ctas", WW_SWEEP_NUMBER, NULL, false, false},
    {"max-cycles", WW_SWEEP_NUMBER, NULL, false, false},
    {"hang-limit", WW_SWEEP_NUMBER, NULL, false, false},
    {"strict", WW_SWEEP_FLAG, NULL, false, false},
    {"ignore-unknown-options", WW_SWEEP_FLAG, NULL, false, false},
    {"stats", WW_SWEEP_TEXT, NULL, true, false},
    {"intervals", WW_SWEEP_NUMBER, NULL, false, false},
    {"interval-stats", WW_SWEEP_TEXT, NULL, true, false},
    {"threads", WW_SWEEP_NUMBER, NULL, false, true},
    {NULL, WW_SWEEP_TEXT, NULL, false, false},
};

const WwSweepWord *ww_sweep_word(const char *name)
{
    for (const WwSweepWord *w = ww_sweep_words; w->name != NULL; w++) {
        if (strcmp(w->name, name) == 0) {
            return w;
        }
    }
    return NULL;
}

/* ---- Slurm ------------------------------------------------------------------------------------------------------ */

bool ww_sweep_slurm(WwSweep *s, const char *from, const char *text, GError **error)
{
    static const char *const own[] = {"-a", "--array", "-c", "--cpus-per-task", NULL};
    if (*text != '-') {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s '%s'; expected options of sbatch, such as '--partition=short'", from,
                       text);
    }
    g_auto(GStrv) words = g_strsplit_set(text, " \t=", -1);
    for (char **w = words; *w != NULL; w++) {
        if (g_strv_contains(own, *w)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s '%s': '%s' is what the sweep sets; expected --slurm-tasks, or -j",
                           from, text, *w);
        }
    }
    for (const char *p = text; *p != '\0'; p++) {
        if (g_ascii_iscntrl(*p) && *p != '\t') {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s: a control character; expected one line of options", from);
        }
    }
    g_ptr_array_add(s->slurm, g_strdup(text));
    return true;
}

/* ---- quantities ------------------------------------------------------------------------------------------------- */

typedef struct Unit {
    const char *name;
    double factor;
} Unit;

static bool quantity(const char *what, const char *text, const Unit *units, const char *expected,
                     double least, double most, double *out, GError **error)
{
    char *end;
    double n = g_ascii_strtod(text, &end);
    bool digits = end != text && g_ascii_isdigit(*text);
    g_autofree char *unit = g_strstrip(g_strdup(end));
    for (const Unit *u = units; digits && u->name != NULL; u++) {
        if (strcmp(u->name, unit) == 0 && isfinite(n) && n * u->factor <= most &&
            n * u->factor > 0 && n * u->factor >= least) {
            *out = n * u->factor;
            return true;
        }
    }
    return ww_fail(error, WW_ERROR_USAGE, "%s '%s'; expected %s", what, text, expected);
}

bool ww_sweep_time(const char *what, const char *text, double *seconds, GError **error)
{
    static const Unit units[] = {{"", 1}, {"s", 1}, {"min", 60}, {"h", 3600}, {NULL, 0}};
    return quantity(what, text, units, "a time above 0, such as '90 s', '10 min' or '1.5 h'", 0,
                    1e9, seconds, error);
}

bool ww_sweep_bytes(const char *what, const char *text, uint64_t *bytes, GError **error)
{
    static const Unit units[] = {{"B", 1},        {"KiB", 0x1p10}, {"MiB", 0x1p20},
                                 {"GiB", 0x1p30}, {"TiB", 0x1p40}, {NULL, 0}};
    double n = 0;
    if (!quantity(what, text, units, "a size above 0, such as '512 MiB' or '2 GiB'", 1, 0x1p60, &n,
                  error)) {
        return false;
    }
    *bytes = (uint64_t)n;
    return true;
}
