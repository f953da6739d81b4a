/* SPDX-License-Identifier: Apache-2.0 */
/* Rests beyond the hang limit. */
#include "tests.h"

#include <warpwright/component.h>
#include <warpwright/machine.h>

static WwRest rest_long(void *self)
{
    return 500;
}

static const WwEntryRow rester_entries[] = {
    {.name = "turn", .phase = "main", .tick = rest_long, .doc = "x"}, {0}};
static const WwType rester_type = {.abi = WW_ABI_VERSION,
                                   .name = "rester",
                                   .doc = "wants to run every 500 cycles",
                                   .family = "test",
                                   .size = sizeof(WwComponent),
                                   .entries = rester_entries};

static WwMachine *machine(WwRegistry **registry)
{
    GError *error = NULL;
    static const WwType *const types[] = {&rester_type, NULL};
    *registry = ww_registry_new();
    ww_registry_add_all(*registry, types, "test", &error);
    WwMachine *m = ww_machine_new(*registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    ww_machine_add_phase(m, "main", "core", &error);
    g_assert_no_error(error);
    return m;
}

static WwComponent *add(WwMachine *m, const WwType *type, const char *name)
{
    return ww_machine_add(m, ww_machine_root(m), type, name, -1, (WwLocation){"test.plat", 1, 2});
}

/* Time that nobody needs is no sign of being stuck, however it is spent: slept through or, with --no-sleep, ticked through. */
static void test_stuck_asleep(void)
{
    for (int awake = 0; awake < 2; awake++) {
        WwRegistry *registry;
        WwMachine *m = machine(&registry);
        add(m, &rester_type, "a");
        g_assert_true(ww_machine_seal(m, NULL));
        ww_machine_set_no_sleep(m, awake);
        ww_machine_set_hang_limit(m, 200);
        g_assert_cmpint(ww_run(m, 3000), ==, WW_RUN_BUDGET);
        ww_machine_free(m);
        ww_registry_free(registry);
    }
}

/* Sleeps a few cycles, then some more, and makes progress in its first turns alone. */
typedef struct Napper {
    WwComponent base;
    uint32_t turns, last; /* the last turn with progress */
    uint32_t nap[4];      /* cycles, one after the other */
    WwCycle next;         /* the end of this one */
} Napper;

static WwRest nap(void *self)
{
    Napper *n = self;
    if (ww_now(n) >= n->next) {
        if (n->turns < n->last) {
            ww_progress(n);
        }
        n->next = ww_now(n) + n->nap[n->turns++ % G_N_ELEMENTS(n->nap)];
    }
    return n->next - ww_now(n);
}

static const WwEntryRow napper_entries[] = {
    {.name = "turn", .phase = "main", .tick = nap, .doc = "x"}, {0}};
static const WwType napper_type = {.abi = WW_ABI_VERSION,
                                   .name = "napper",
                                   .doc = "sleeps now and then",
                                   .family = "test",
                                   .size = sizeof(Napper),
                                   .entries = napper_entries};

enum { TICKS, WINDOWS, AWAKE, WAYS };

/* Two partitions of nappers drawn from @p seed: the tick in which the run counts as stuck, or 0; ticks in windows are added to *@p alone. */
static WwTick stuck_at(uint32_t seed, int way, WwTick *alone)
{
    WwRegistry *registry;
    WwMachine *m = machine(&registry);
    g_autoptr(GRand) draw = g_rand_new_with_seed(seed);
    GError *error = NULL;
    static const WwType *const types[] = {&napper_type, NULL};
    ww_registry_add_all(registry, types, "test", &error);
    g_assert_no_error(error);
    Napper *n[2];
    for (uint32_t i = 0; i < 2; i++) {
        WwGroup *g = ww_machine_add_group(
            m, ww_machine_root(m),
            &(WwGroupSpec){.name = "side", .index = i, .array = true, .partition = true});
        n[i] =
            (Napper *)ww_machine_add(m, g, &napper_type, "n", -1, (WwLocation){"test.plat", 1, 2});
    }
    g_assert_true(ww_machine_seal(m, NULL));
    ww_machine_set_windows(m, way == WINDOWS);
    ww_machine_set_no_sleep(m, way == AWAKE);
    ww_machine_set_hang_limit(m, (WwCycle)g_rand_int_range(draw, 1, 3000));
    bool together =
        g_rand_boolean(draw); /* Both sleep for longer than any window: no sign of being stuck. */
    for (uint32_t i = 0; i < 2; i++) {
        n[i]->last = (uint32_t)g_rand_int_range(draw, 0, 50);
        for (uint32_t k = 0; k < G_N_ELEMENTS(n[i]->nap); k++) {
            n[i]->nap[k] = !together ? (uint32_t)g_rand_int_range(draw, 1, 1000)
                           : i == 0  ? (uint32_t)g_rand_int_range(draw, 400, 1400)
                                     : n[0]->nap[k];
        }
    }
    WwRunStatus status = ww_run(m, 60000);
    *alone += ww_machine_window_ticks(m);
    WwTick tick = status == WW_RUN_STUCK ? ww_machine_tick(m) : 0;
    g_assert_true(status == WW_RUN_STUCK || status == WW_RUN_BUDGET);
    ww_machine_free(m);
    ww_registry_free(registry);
    return tick;
}

/* When a run counts as stuck does not depend on how it runs. */
static void test_stuck_ways(void)
{
    WwTick alone = 0;
    uint32_t stuck = 0, seeds = 300;
    for (uint32_t seed = 0; seed < seeds; seed++) {
        WwTick none = 0, at = stuck_at(seed, TICKS, &none);
        stuck += at != 0;
        for (int way = WINDOWS; way < WAYS; way++) {
            WwTick got = stuck_at(seed, way, way == WINDOWS ? &alone : &none);
            if (got != at) {
                g_test_message("seed %u: %s stuck in tick %" G_GUINT64_FORMAT
                               "; expected %" G_GUINT64_FORMAT,
                               seed, way == WINDOWS ? "windows:" : "awake:", got, at);
                g_test_fail();
            }
        }
        g_assert_cmpuint(none, ==, 0);
    }
    g_assert_cmpuint(alone, !=, 0);
    g_assert_cmpuint(stuck, >, seeds / 4);
    g_assert_cmpuint(stuck, <, seeds);
}

void test_start_register(void)
{
    g_test_add_func("/kernel/machine/run/stuck-ways", test_stuck_ways);
    g_test_add_func("/kernel/machine/run/stuck-asleep", test_stuck_asleep);
}
