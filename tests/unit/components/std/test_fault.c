/* SPDX-License-Identifier: Apache-2.0 */
/* That the faulty components are faulty, each in its own way and in no other. */
#include "tests.h"

#include <string.h>

#define N 30u

typedef struct Outcome {
    GArray *out;     /* WwToken, in order */
    GArray *when;    /* WwCycle, of each */
    uint64_t cycles; /* Statistic of fault.unsettled. */
    bool failed;     /* The kernel ended the run. */
    bool asleep;
} Outcome;

static Outcome outcome_new(void)
{
    return (Outcome){g_array_new(FALSE, FALSE, sizeof(WwToken)),
                     g_array_new(FALSE, FALSE, sizeof(WwCycle)), 0, false, false};
}

static void outcome_clear(Outcome *o)
{
    g_array_unref(o->out);
    g_array_unref(o->when);
}

static WwHarness *bench(const char *type, bool no_sleep)
{
    WwHarness *h = ww_harness_new(test_registry(), type, NULL);
    ww_harness_channel(h, "in", "depth=64");
    ww_harness_channel(h, "out", "depth=2");
    ww_harness_start(h, NULL);
    ww_machine_set_no_sleep(ww_harness_machine(h), no_sleep);
    return h;
}

/*
 * N numbers, one every 20 cycles from cycle @p first on, taken as they come; then N at once that
 * nobody takes for a while.
 */
static Outcome drive(WwHarness *h)
{
    Outcome o = outcome_new();
    for (WwCycle c = 0; c < 20 * N + 200; c++) {
        WwToken t;
        if (c % 20 == 0 && c < 20 * N) {
            g_assert_true(ww_harness_put(h, "in", 0, 1000 + c / 20));
        }
        ww_harness_step(h, 1);
        while (ww_harness_take(h, "out", NULL, &t)) {
            g_array_append_val(o.out, t);
            g_array_append_val(o.when, c);
        }
    }
    o.asleep = ww_harness_asleep(h);
    o.cycles = ww_harness_stat(h, "cycles", 0);
    for (WwToken k = 0; k < 8; k++) {
        ww_harness_put(h, "in", 0, k);
    }
    ww_harness_step(h, 50);
    o.failed = ww_machine_error(ww_harness_machine(h)) != NULL;
    return o;
}

static Outcome once(const char *type, bool no_sleep)
{
    WwHarness *h = bench(type, no_sleep);
    Outcome o = drive(h);
    ww_harness_free(h);
    return o;
}

static bool same_times(const Outcome *a, const Outcome *b)
{
    return a->when->len == b->when->len &&
           (a->when->len == 0 ||
            memcmp(a->when->data, b->when->data, a->when->len * sizeof(WwCycle)) == 0);
}

/* How many of the numbers sent came out: all[k] times number k; others in @p strange. */
static void census(const Outcome *o, uint32_t all[N], uint32_t *strange)
{
    memset(all, 0, N * sizeof *all);
    *strange = 0;
    for (guint i = 0; i < o->out->len; i++) {
        WwToken t = g_array_index(o->out, WwToken, i);
        if (t >= 1000 && t < 1000 + N) {
            all[t - 1000]++;
        } else {
            ++*strange;
        }
    }
}

static const struct {
    const char *type;
    uint32_t lost, doubled, strange; /* of what drive() sends */
    bool fails, awake, sleep_matters, cycles_matter;
} faults[] = {
    {"fault.loses", N / 3, 0, 0, false, false, false, false},
    {"fault.duplicates", 0, N / 3, 0, false, false, false, false},
    {"fault.invents", 0, 0, N / 3, false, false, false, false},
    {"fault.overfills", 0, 0, 0, true, false, false, false},
    {"fault.insomniac", 0, 0, 0, false, true, false, false},
    {"fault.oversleeps", 0, 0, 0, false, false, true, false},
    {"fault.unsettled", 0, 0, 0, false, false, false, true},
    {"fault.remembers", 0, 0, 0, false, false, false, false},
    {"fault.keeps", N, 0, 0, false, false, false, false},
    {"fault.spins", N, 0, 0, false, true, false, false},
};

static void each_its_own(void)
{
    for (uint32_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        uint32_t all[N], strange, lost = 0, doubled = 0;
        Outcome a = once(faults[i].type, false), b = once(faults[i].type, true);
        g_test_message("%s", faults[i].type);
        census(&a, all, &strange);
        for (uint32_t k = 0; k < N; k++) {
            lost += all[k] == 0;
            doubled += all[k] == 2;
        }
        g_assert_cmpuint(lost, ==, faults[i].lost);
        g_assert_cmpuint(doubled, ==, faults[i].doubled);
        g_assert_cmpuint(strange, ==, faults[i].strange);
        g_assert_true(a.failed == faults[i].fails);
        g_assert_true(a.asleep != faults[i].awake);
        g_assert_true(same_times(&a, &b) != faults[i].sleep_matters);
        g_assert_true((a.cycles == b.cycles) != faults[i].cycles_matter);
        outcome_clear(&a);
        outcome_clear(&b);
    }
}

/* A reset makes no difference to any but one, a second run to none but one. */
static void remembers_and_fickle(void)
{
    static const char *const types[] = {"fault.loses", "fault.remembers", "fault.fickle"};
    for (uint32_t i = 0; i < 3; i++) {
        WwHarness *h = bench(types[i], false);
        Outcome a = drive(h);
        ww_harness_reset(h);
        Outcome b = drive(h), c = once(types[i], false);
        g_assert_true(same_times(&a, &b) == (i == 0));
        g_assert_true(same_times(&a, &c) == (i != 2));
        outcome_clear(&a);
        outcome_clear(&b);
        outcome_clear(&c);
        ww_harness_free(h);
    }
}

/* The report of a run that hangs names the one that keeps, or spins. */
static void explained(void)
{
    WwHarness *h = bench("fault.keeps", false);
    Outcome kept = drive(h);
    outcome_clear(&kept);
    g_autofree char *text = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(text, "keeps 3 numbers and frees none"));
    ww_harness_free(h);
    h = bench("fault.spins", false);
    ww_harness_put(h, "in", 0, 1);
    ww_machine_set_hang_limit(ww_harness_machine(h), 100);
    g_assert_cmpint(ww_run(ww_harness_machine(h), 1000), ==, WW_RUN_STUCK);
    g_autofree char *spins = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(spins, "does nothing"));
    ww_harness_free(h);
}

void register_fault_tests(void)
{
    g_test_add_func("/std/fault/each_its_own", each_its_own);
    g_test_add_func("/std/fault/remembers_and_fickle", remembers_and_fickle);
    g_test_add_func("/std/fault/explained", explained);
}
