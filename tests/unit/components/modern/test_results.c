/* SPDX-License-Identifier: Apache-2.0 */
/* result_queue and writeback.modern on a bench. */
#include "backend.h"

#include <ports/execute.h>
#include <testing/fake_sub_core.h>
#include <testing/fake_warps.h>

/* ---- result_queue ----------------------------------------------------------------------------------------------- */

static void test_slots(void)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "result_queue", "slots=3");
    ww_harness_callers(h, "queue", WW_RANK_ISSUE, 1);
    ww_harness_start(h, NULL);
    void *self;
    const WwResultSlotsIf *f = ww_harness_table(h, "queue", &self);
    for (int i = 0; i < 3; i++) {
        g_assert_true(f->free(self));
        f->reserve(self);
    }
    g_assert_false(f->free(self));
    ww_harness_wakes(h, "queue", WW_RANK_ISSUE, 0);
    f->release(self);
    g_assert_cmpuint(ww_harness_wakes(h, "queue", WW_RANK_ISSUE, 0), ==, 1);
    g_assert_true(f->free(self));
    f->release(self);
    g_assert_cmpuint(ww_harness_wakes(h, "queue", WW_RANK_ISSUE, 0), ==, 0);
    g_assert_cmpuint(ww_harness_stat(h, "results", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "most", 0), ==, 3);
}

static void test_slots_miscounted(void)
{
    for (int over = 0; over < 2; over++) {
        g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "result_queue", "slots=1");
        ww_harness_start(h, NULL);
        void *self;
        const WwResultSlotsIf *f = ww_harness_table(h, "queue", &self);
        if (over) {
            f->reserve(self);
            f->reserve(self);
        } else {
            f->release(self);
        }
        ww_harness_step(h, 1);
        const GError *error = ww_machine_error(ww_harness_machine(h));
        g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
        g_assert_true(
            g_str_has_suffix(error->message, over ? "a slot is reserved with 1 of 1 reserved"
                                                  : "a slot is released with 0 of 1 reserved"));
    }
}

/* ---- writeback.modern ------------------------------------------------------------------------------------------- */

enum { REGULAR, UNIFORM, VARIABLE, SHARED };
static const char *const ports[] = {"regular", "uniform", "variable", "shared"};

/* With real write ports, of two banks. */
static WwHarness *writeback(const char *params)
{
    WwHarness *h = ww_harness_new(test_registry(), "writeback.modern", params);
    for (size_t i = 0; i < G_N_ELEMENTS(ports); i++) {
        ww_harness_channel(h, ports[i], i < VARIABLE ? "width=8" : "width=1");
    }
    ww_harness_fill(h, "ports", "register_ports", NULL);
    ww_harness_fill(h, "regular_slots", NULL, NULL);
    ww_harness_fill(h, "uniform_slots", NULL, ""); /* not the same one */
    ww_harness_start(h, NULL);
    return h;
}

static WwTiming result(WwRegFile file, uint8_t dst, uint8_t n)
{
    return (WwTiming){.dst_file = (uint8_t)file, .dst = dst, .n_dst = n};
}

static WwInst *put_result(WwHarness *h, int from, WwRegFile file, uint8_t dst, uint8_t n,
                          uint64_t uid)
{
    WwTiming t = result(file, dst, n);
    return test_put(h, ports[from], &t, uid);
}

static WwInst *put_transfer(WwHarness *h, int from, uint8_t dst, uint8_t n, uint16_t cycles,
                            uint64_t uid)
{
    WwTiming t = result(WW_FILE_REGULAR, dst, n);
    t.flags = WW_TAKES_TRANSFER;
    t.transfer = cycles;
    return test_put(h, ports[from], &t, uid);
}

/* In a cycle, these and no others come to their end. */
static void ends(WwHarness *h, uint32_t n, const WwInst *last)
{
    WwFakeWarps *warps = ww_harness_peer(h, "warps");
    uint32_t before = warps->total.complete;
    ww_harness_step(h, 1);
    g_assert_cmpuint(warps->total.complete - before, ==, n);
    if (n != 0) {
        g_assert_true(warps->completed == last && warps->released == last);
    }
}

/* One a cycle of either queue, the oldest first, each a slot that becomes free. */
static void test_pops(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    WwFakeResultSlots *slots = ww_harness_peer(h, "regular_slots");
    WwFakeResultSlots *uniform_slots = ww_harness_peer(h, "uniform_slots");
    WwInst *young = put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 9);
    put_result(h, REGULAR, WW_FILE_REGULAR, 5, 1, 3);
    WwInst *uniform = put_result(h, UNIFORM, WW_FILE_UNIFORM, 4, 1, 8);
    ends(h, 2, uniform);
    g_assert_cmpuint(slots->released, ==, 1);
    g_assert_cmpuint(uniform_slots->released, ==, 1);
    ends(h, 1, young);
    g_assert_cmpuint(slots->released, ==, 2);
    g_assert_cmpuint(uniform_slots->released, ==, 1); /* nothing was there to be written */
    g_assert_true(ww_harness_asleep(h));
    g_assert_cmpuint(ww_harness_stat(h, "instructions", REGULAR), ==, 2);
    g_assert_cmpuint(ww_harness_stat(h, "instructions", UNIFORM), ==, 1);
}

/* Two a cycle, if their banks differ; one that cannot be written holds up what is behind it. */
static void test_pops_two(void)
{
    g_autoptr(WwHarness) h = writeback("pops=2");
    put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 1);
    WwInst *second = put_result(h, REGULAR, WW_FILE_REGULAR, 5, 1, 2);
    put_result(h, REGULAR, WW_FILE_REGULAR, 6, 1, 3);
    put_result(h, REGULAR, WW_FILE_REGULAR, 8, 1, 4);
    WwInst *last = put_result(h, REGULAR, WW_FILE_REGULAR, 9, 1, 5);
    WwFakeResultSlots *slots = ww_harness_peer(h, "regular_slots");
    ends(h, 2, second);
    ww_harness_step(h, 1); /* 6; 8 is in its bank, and 9 behind that */
    g_assert_cmpuint(ww_harness_count(h, "regular"), ==, 2);
    g_assert_cmpuint(slots->released, ==, 3);
    ends(h, 2, last);
    g_assert_cmpuint(slots->released, ==, 5);
    g_assert_cmpuint(ww_harness_stat(h, "port_conflicts", 0), ==, 1);
}

/* Queue, latch of the sub-core, latch of the SM: in this order they have a bank's port. */
static void test_order(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    WwInst *regular = put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 9);
    WwInst *variable = put_result(h, VARIABLE, WW_FILE_REGULAR, 6, 1, 2);
    WwInst *shared = put_transfer(h, SHARED, 8, 1, 1, 1);
    ends(h, 1, regular);
    ends(h, 1, variable);
    ends(h, 1, shared);
    g_assert_cmpuint(ww_harness_stat(h, "port_conflicts", 0), ==, 3);
}

/* Banks that differ do not meet; uniform registers and predicates need no port. */
static void test_free_ports(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 1);
    WwInst *variable = put_result(h, VARIABLE, WW_FILE_REGULAR, 5, 1, 2);
    ends(h, 2, variable);
    put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 3);
    put_result(h, VARIABLE, WW_FILE_UNIFORM, 6, 1, 4);
    WwInst *shared = put_result(h, SHARED, WW_FILE_OTHER, 4, 1, 5);
    ends(h, 3, shared);
    put_result(h, REGULAR, WW_FILE_OTHER, 4, 1, 6);
    WwInst *none = put_result(h, VARIABLE, WW_FILE_NONE, 0, 0, 7);
    ends(h, 2, none);
    g_assert_cmpuint(ww_harness_stat(h, "port_conflicts", 0), ==, 0);
}

/* All registers of a result at once, as many as there are ports. */
static void test_wide(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    put_result(h, REGULAR, WW_FILE_REGULAR, 4, 2, 1);
    WwInst *variable = put_result(h, VARIABLE, WW_FILE_REGULAR, 5, 1, 2);
    ww_harness_step(h, 1);
    ends(h, 1, variable);
    WwInst *first = put_result(h, REGULAR, WW_FILE_REGULAR, 7, 1, 3);
    WwInst *wide = put_result(h, VARIABLE, WW_FILE_REGULAR, 4, 4, 4);
    ends(h, 1, first);
    ends(h, 1, wide);
}

/* A register takes two cycles, and its port in the second: 32, 64 and 128 bits of a load. */
static void test_transfer(void)
{
    for (uint8_t n = 1; n <= 4; n *= 2) {
        g_autoptr(WwHarness) h = writeback(NULL);
        ww_harness_step(h, 3);
        WwInst *load = put_transfer(h, SHARED, 4, n, (uint16_t)(2 * n), 1);
        for (int i = 0; i < 2 * n - 1; i++) {
            ends(h, 0, NULL);
        }
        ends(h, 1, load);
        g_assert_true(ww_harness_asleep(h));
    }
}

/* In the first cycle of a register others have its port, in the second it waits for it; it moves on to the next bank. */
static void test_transfer_conflict(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    WwInst *load = put_transfer(h, SHARED, 4, 2, 4, 1);
    WwInst *alu = put_result(h, REGULAR, WW_FILE_REGULAR, 6, 1, 2);
    ends(h, 1, alu); /* 0: R4's first cycle */
    alu = put_result(h, REGULAR, WW_FILE_REGULAR, 6, 1, 3);
    ends(h, 1, alu); /* 1: R4 needs bank 0 */
    alu = put_result(h, REGULAR, WW_FILE_REGULAR, 7, 1, 4);
    ends(h, 1, alu);                                        /* 2: it has it */
    ends(h, 0, NULL);                                       /* 3: R5's first */
    alu = put_result(h, REGULAR, WW_FILE_REGULAR, 9, 1, 5); /* bank 1 */
    ends(h, 1, alu);                                        /* 4 */
    put_result(h, REGULAR, WW_FILE_REGULAR, 6, 1, 6);
    ends(h, 2, load); /* 5: bank 1 is free */
    g_assert_cmpuint(ww_harness_stat(h, "port_conflicts", 0), ==, 2);
}

/* One that has nothing to transfer, or into no register with ports, is over at once. */
static void test_transfer_none(void)
{
    g_autoptr(WwHarness) h = writeback(NULL);
    ends(h, 1, put_transfer(h, SHARED, 4, 1, 0, 1));
    WwTiming t = result(WW_FILE_OTHER, 1, 1);
    t.flags = WW_TAKES_TRANSFER;
    t.transfer = 4;
    ends(h, 1, test_put(h, "shared", &t, 2));
    t.dst_file = WW_FILE_UNIFORM; /* takes its time, without ports */
    WwInst *uniform = test_put(h, "shared", &t, 3);
    for (int i = 0; i < 3; i++) {
        put_result(h, REGULAR, WW_FILE_REGULAR, 1, 1, 10u + (unsigned)i);
        ww_harness_step(h, 1);
    }
    ends(h, 1, uniform);
    g_assert_cmpuint(ww_harness_stat(h, "port_conflicts", 0), ==, 0);
}

static void test_transfer_cycles(void)
{
    static const uint32_t cycles[] = {1, 2, 3};
    for (size_t i = 0; i < G_N_ELEMENTS(cycles); i++) {
        g_autofree char *params = g_strdup_printf("transfer_cycles=%u", cycles[i]);
        g_autoptr(WwHarness) h = writeback(params);
        WwInst *load = put_transfer(h, SHARED, 4, 1, (uint16_t)cycles[i], 1);
        for (uint32_t k = 1; k < cycles[i]; k++) {
            put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 10 + k);
            ww_harness_step(h, 1);
        }
        put_result(h, REGULAR, WW_FILE_REGULAR, 4, 1, 20);
        ww_harness_step(h, 1); /* the last cycle, in which it finds no port */
        g_assert_cmpuint(ww_harness_count(h, "shared"), ==, 1);
        ends(h, 1, load);
    }
}

void register_results_tests(void)
{
    g_test_add_func("/modern/slots/reserved", test_slots);
    g_test_add_func("/modern/slots/miscounted", test_slots_miscounted);
    g_test_add_func("/modern/writeback/pops", test_pops);
    g_test_add_func("/modern/writeback/pops-two", test_pops_two);
    g_test_add_func("/modern/writeback/order", test_order);
    g_test_add_func("/modern/writeback/free-ports", test_free_ports);
    g_test_add_func("/modern/writeback/wide", test_wide);
    g_test_add_func("/modern/writeback/transfer", test_transfer);
    g_test_add_func("/modern/writeback/transfer-conflict", test_transfer_conflict);
    g_test_add_func("/modern/writeback/transfer-none", test_transfer_none);
    g_test_add_func("/modern/writeback/transfer-cycles", test_transfer_cycles);
}
