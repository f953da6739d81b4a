/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a sweep, and the plan that it makes. */
#include "common/fuzz.h"

#include <string.h>
#include <sweep/sweep.h>

/* Of no file but ours: patterns would find what there is on this machine. */
static bool names_others(const uint8_t *data, size_t size)
{
    return memmem(data, size, "trace", 5) != NULL &&
           (memchr(data, '/', size) != NULL || memchr(data, '*', size) != NULL ||
            memchr(data, '?', size) != NULL || memchr(data, '[', size) != NULL ||
            memchr(data, '.', size) != NULL);
}

/* Whatever a plan is, its runs are what its axes say, each once. */
static void check_plan(const WwSweep *s, const WwPlan *plan)
{
    uint32_t n = ww_plan_n(plan);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    fuzz_check(n >= 1 && n <= WW_SWEEP_MAX_RUNS, "number of runs", "");
    for (uint32_t i = 0; i < MIN(n, 100u); i++) {
        for (guint a = 0; a < s->axes->len; a++) {
            const WwSweepAxis *axis = s->axes->pdata[a];
            fuzz_check(ww_plan_value(plan, i, a) < axis->values->len, "value", axis->name);
        }
        g_autoptr(GPtrArray) options = ww_plan_options(plan, i);
        for (guint k = 0; k < options->len; k++) {
            const WwSweepOption *o = options->pdata[k];
            fuzz_check(o->word != NULL && o->value != NULL && o->at.file != NULL, "option", "");
        }
        char *text = ww_plan_text(plan, i);
        fuzz_check(g_utf8_validate(text, -1, NULL) && strchr(text, '\n') == NULL, "text", text);
        fuzz_check(g_hash_table_add(seen, text), "run twice", text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (names_others(data, size)) {
        return 0;
    }
    const char *file = fuzz_file(0, data, size);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwSweep) s = ww_sweep_new();
    g_autoptr(WwPlan) plan = NULL;
    bool good = ww_sweep_read(s, file, &error);
    fuzz_check_error(good, error, false);
    if (!good) {
        return 0;
    }
    plan = ww_plan_new(s, &error);
    if (plan == NULL) { /* it may be about nothing that has a place */
        fuzz_check(error != NULL && strchr(error->message, '\n') == NULL, "no plan", "");
        return 0;
    }
    check_plan(s, plan);
    return 0;
}
