/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dram.frfcfs, one rule a test, with the timing of the QV100's memory: cycles from the activation,
 * x, as its documentation counts them.
 */
#include "tests.h"
#include <string.h>

#define QV100                                                                                      \
    "nbk=16 ccd=1 rrd=3 rcd=12 ras=28 rp=12 rc=40 cl=12 wl=2 cdlr=3 wr=10 nbkgrp=4 ccdl=2 rtpl=3 " \
    "buswidth=16 "                                                                                 \
    "burst_length=2 data_command_ratio=2 dual_bus=true group_index=low sched_queue=64 "            \
    "return_queue=192 "

enum { X = 1 /* a request put before cycle 0 is activated in cycle 1 when nothing delays it */ };

static WwHarness *dram_new(const char *params, uint32_t slices, const char *depth)
{
    WwHarness *h = ww_harness_new(registry, "dram.frfcfs", params);
    for (uint32_t i = 0; i < slices; i++) {
        ww_harness_channel(h, element("request", i), "depth=64");
        ww_harness_channel(h, element("response", i), depth);
    }
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

static void read_row(WwHarness *h, uint32_t bank, uint32_t row, uint64_t serial)
{
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_R, bank, row, serial));
}

/* Activation, RCD, command, CL, return queue, response. */
static void test_cold_read(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    read_row(h, 3, 7, 1);
    g_assert_cmpuint(response_at(h, 0, 1), ==, X + 12 + 12 + 1);
    g_assert_cmpuint(ww_harness_stat(h, "n_act", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "n_rd", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "reads", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "n_cmd", 0), ==, X + 26);
    g_assert_cmpuint(ww_harness_stat(h, "n_nop", 0), ==, X + 24);
}

/* The latency before the channel: 100 cycles, then the input. */
static void test_latency(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=100", 1, "depth=64");
    read_row(h, 3, 7, 1);
    g_assert_cmpuint(response_at(h, 0, 1), ==, 100 + X + 25);
}

/* Four sectors of a line: the same bank, so CCDL apart. */
static void test_same_row(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    for (uint32_t i = 0; i < 4; i++) {
        read_row(h, 3, 7, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(response_at(h, 0, i), ==, X + 25 + 2 * i);
    }
    g_assert_cmpuint(ww_harness_stat(h, "n_act", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "row_hits", 0), ==, 3);
}

/* Banks of different groups: RRD apart, and then only CCD. */
static void test_other_banks(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    for (uint32_t i = 0; i < 4; i++) {
        read_row(h, i, 7, i);
    }
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_cmpuint(response_at(h, 0, i), ==, X + 25 + 3 * i);
    }
}

/* Another row of the same bank: precharge after RAS, activation after RP (and RC), RCD. */
static void test_row_conflict(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    read_row(h, 0, 1, 1);
    read_row(h, 0, 2, 2);
    g_assert_cmpuint(response_at(h, 0, 1), ==, X + 25);
    g_assert_cmpuint(response_at(h, 0, 2), ==, X + 28 + 12 + 25);
    g_assert_cmpuint(ww_harness_stat(h, "n_pre", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(h, "row_changes", 0), ==, 2);
}

/* Requests for the selected row overtake older ones for another. */
static void test_row_first(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    read_row(h, 0, 1, 1);
    read_row(h, 0, 2, 2);
    read_row(h, 0, 1, 3);
    response_at(h, 0, 1);
    response_at(h, 0, 3);
    response_at(h, 0, 2);
}

/* row_limit = 2: the third request of the row lets the older one of another row go first. */
static void test_row_limit(void)
{
    for (uint32_t limit = 0; limit < 2; limit++) {
        g_autoptr(WwHarness) h =
            dram_new(limit ? QV100 "latency=0 row_limit=2" : QV100 "latency=0", 1, "depth=64");
        read_row(h, 0, 1, 1);
        read_row(h, 0, 2, 2);
        read_row(h, 0, 1, 3);
        read_row(h, 0, 1, 4);
        response_at(h, 0, 1);
        response_at(h, 0, 3);
        response_at(h, 0, limit ? 2 : 4);
        response_at(h, 0, limit ? 4 : 2);
        g_assert_cmpuint(ww_harness_stat(h, "row_changes", 0), ==, limit ? 3 : 2);
    }
}

/*
 * A single bus: the pass begins at bank 3, activates bank 4 and goes on to the column command of
 * bank 1 in the same cycle; with one_command that is next.
 */
static void test_one_command(void)
{
    for (uint32_t one = 0; one < 2; one++) {
        g_autoptr(WwHarness) h = dram_new(one ? QV100 "latency=0 dual_bus=false one_command=true"
                                              : QV100 "latency=0 dual_bus=false",
                                          1, "depth=64");
        read_row(h, 1, 7, 1);
        ww_harness_step(h, X + 12 - 1);
        read_row(h, 4, 7, 2);
        g_assert_cmpuint(response_at(h, 0, 1), ==, X + 25 + one);
        g_assert_cmpuint(response_at(h, 0, 2), ==, X + 12 + 25);
        g_assert_cmpuint(ww_harness_stat(h, "both_commands", 0), ==, !one);
    }
}

/*
 * After a write, a read waits WL + burst + CDLR; the write's data leave after its minimum of cells.
 */
static void test_write_to_read(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, 1));
    read_row(h, 0, 7, 2);
    WwCycle command = X + 12 - 3; /* RCDWR = RCD - (WL + 1) */
    g_assert_cmpuint(response_at(h, 0, 1), ==, command + 2 + 1);
    g_assert_cmpuint(response_at(h, 0, 2), ==, command + 6 + 12 + 1);
    g_assert_cmpuint(ww_harness_stat(h, "n_write", 0), ==, 1);
}

/* After a read, a write waits CL + burst + 2 - WL. */
static void test_read_to_write(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    read_row(h, 0, 7, 1);
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, 2));
    g_assert_cmpuint(response_at(h, 0, 1), ==, X + 25);
    g_assert_cmpuint(response_at(h, 0, 2), ==, X + 12 + 13 + 2 + 1);
}

static uint32_t ended;

static void end(WwMemOwner *owner, WwMemReq *req)
{
    ended++;
}

/* Nobody waits for a write-back: it ends when its data have gone, one command for each 32 bytes. */
static void test_write_back(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 1, "depth=64");
    static WwMemOwner owner = {end};
    WwMemReq *r = new_req(h, WW_ACCESS_L2_WRBK, 0, 7, 1);
    r->size = 96;
    r->owner = &owner;
    ended = 0;
    put_req(h, r);
    WwCycle last = X + 9 + 2 * 2 + 2; /* third command, WL */
    ww_harness_step(h, last);
    g_assert_cmpuint(ended, ==, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ended, ==, 1);
    g_assert_cmpint(take_response(h, 0), ==, -1);
    g_assert_cmpuint(ww_harness_stat(h, "n_wr_bk", 0), ==, 3);
    g_assert_cmpuint(ww_harness_stat(h, "writes", 0), ==, 3);
    ww_harness_step(h, 100);
    g_assert_true(ww_harness_asleep(h));
}

/*
 * Slices take turns, the one after the last first; with one credit each they wait for its return.
 */
static void test_arbitration(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0", 2, "depth=64");
    for (uint32_t i = 0; i < 6; i++) {
        WwMemReq *r = new_req(h, WW_ACCESS_GLOBAL_R, 0, 7, i);
        r->at.slice = i / 3;
        put_req(h, r);
    }
    ww_harness_step(h, 2);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 2);
    g_assert_cmpuint(ww_harness_count(h, "request[1]"), ==, 2);
    g_assert_cmpuint(response_at(h, 0, 0), ==, X + 25);
    g_assert_cmpuint(response_at(h, 1, 3), ==, X + 27);
    g_assert_cmpuint(response_at(h, 0, 1), ==, X + 29);
}

static void test_credits(void)
{
    g_autoptr(WwHarness) h =
        dram_new(QV100 "latency=0 sched_queue=1 return_queue=1", 1, "depth=64");
    for (uint32_t i = 0; i < 8; i++) {
        read_row(h, 0, 7, i);
    }
    ww_harness_step(h, 20);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 8 - 1 - 2);
    response_at(h, 0, 0);
    ww_harness_step(h, 1);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 4);
}

/* In order there is one queue, but a separate one gives its places as credits all the same. */
static void test_credits_in_order(void)
{
    g_autoptr(WwHarness) h = dram_new(
        QV100 "latency=50 sched_queue=1 return_queue=1 scheduler=fifo separate_write_queue=true "
              "write_queue=2 write_high=2 write_low=1",
        1, "depth=64");
    for (uint32_t i = 0; i < 8; i++) {
        read_row(h, 0, 7, i);
    }
    ww_harness_step(h, 20);
    g_assert_cmpuint(ww_harness_count(h, "request[0]"), ==, 8 - 1 - 4);
}

/*
 * A slice whose response queue is full sends nothing; the data pipe stands still when the return
 * queue is full too.
 */
static void test_back_pressure(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=0 return_queue=2", 1, "depth=1");
    for (uint32_t i = 0; i < 12; i++) {
        read_row(h, 0, 7, i);
    }
    ww_harness_step(h, 500);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 1);
    g_assert_true(ww_harness_asleep(h));
    for (uint32_t i = 0; i < 12; i++) {
        response_at(h, 0, i);
    }
    ww_harness_step(h, 300);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 0);
    g_assert_true(ww_harness_asleep(h));
}

/* Writes of their own queue wait until there are enough, then go until there are few. */
static void test_write_queue(void)
{
    g_autoptr(WwHarness) h =
        dram_new(QV100 "latency=0 separate_write_queue=true write_queue=8 write_high=4 write_low=2",
                 1, "depth=64");
    for (uint32_t i = 0; i < 3; i++) {
        put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, i));
    }
    ww_harness_step(h, 200);
    g_assert_cmpuint(ww_harness_stat(h, "n_act", 0), ==, 0);
    g_assert_true(ww_harness_asleep(h));
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, 3));
    ww_harness_step(h, 200);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 3);
    g_assert_true(ww_harness_asleep(h));
}

/* A low mark of 0 is never passed: once there were enough writes, reads wait for ever. Before, nothing is different. */
static void test_writes_for_ever(void)
{
    g_autoptr(WwHarness) h =
        dram_new(QV100 "latency=0 separate_write_queue=true write_queue=8 write_high=2 write_low=0",
                 1, "depth=64");
    for (uint32_t i = 0; i < 2; i++) {
        put_req(h, new_req(h, WW_ACCESS_GLOBAL_R, 0, 7, i));
        ww_harness_step(h, 200);
        g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, i + 1);
        put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, i));
    }
    ww_harness_step(h, 200);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 4);
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_R, 0, 7, 3));
    ww_harness_step(h, 2000);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), ==, 4);
    g_assert_true(ww_harness_asleep(h));
    g_autofree char *why = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(
        strstr(why, "reads wait for ever: there are never fewer writes than write_low = 0"));
}

/* Few writes that no read pushes wait for others, and say so. */
static void test_few_writes(void)
{
    g_autoptr(WwHarness) h =
        dram_new(QV100 "latency=0 separate_write_queue=true write_queue=8 write_high=2 write_low=1",
                 1, "depth=64");
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, 0));
    ww_harness_step(h, 2000);
    g_assert_true(ww_harness_asleep(h));
    g_autofree char *why = ww_machine_explain(ww_harness_machine(h));
    g_assert_nonnull(strstr(why, "writes wait until there are write_high = 2 of them"));
    put_req(h, new_req(h, WW_ACCESS_GLOBAL_W, 0, 7, 1));
    ww_harness_step(h, 2000);
    g_assert_cmpuint(ww_harness_count(h, "response[0]"), >=, 1);
}

/* Waiting for a timing costs a handful of turns, not one a cycle. */
static void test_sleep(void)
{
    g_autoptr(WwHarness) h = dram_new(QV100 "latency=1000", 1, "depth=64");
    ww_harness_step(h, 5);
    g_assert_true(ww_harness_asleep(h));
    uint64_t before = ww_machine_activations(ww_harness_machine(h));
    read_row(h, 3, 7, 1);
    ww_harness_step(h, 5000);
    g_assert_cmpint(take_response(h, 0), ==, 1);
    g_assert_cmpuint(ww_machine_activations(ww_harness_machine(h)) - before, <, 14);
    g_assert_cmpuint(ww_harness_stat(h, "n_cmd", 0), ==, 5005);
    g_assert_cmpuint(ww_harness_stat(h, "idle", 0) + ww_harness_stat(h, "wasted_col", 0) +
                         ww_harness_stat(h, "util_bw", 0) + ww_harness_stat(h, "wasted_row", 0),
                     ==, 5005);
}

static void refuse(const char *params, const char *word)
{
    WwHarness *h = ww_harness_new(registry, "dram.frfcfs", params);
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, word));
    ww_harness_free(h);
}

static void test_refusals(void)
{
    refuse("bank_index=ipoly", "16, 32 or 64");
    refuse("separate_write_queue=true write_low=30", "in this order");
}

#define GROUPS_OF_FOUR                                                                             \
    "ccd=1 rrd=3 rcd=12 ras=28 rp=12 rc=40 cl=12 wl=2 cdlr=3 wr=10 nbkgrp=4 ccdl=7 rtpl=3 "        \
    "buswidth=16 burst_length=2 data_command_ratio=2 dual_bus=true group_index=high "              \
    "sched_queue=64 return_queue=192 latency=0 "

/* Banks without a group are there as long as no request is for one: those before them are as of 16. */
static void test_strays(void)
{
    static const char *const params[] = {GROUPS_OF_FOUR "nbk=16", GROUPS_OF_FOUR "nbk=24"};
    for (size_t i = 0; i < G_N_ELEMENTS(params); i++) {
        g_autoptr(WwHarness) h = dram_new(params[i], 1, "depth=64");
        read_row(h, 12, 7, 0);
        read_row(h, 15, 7, 1);
        read_row(h, 8, 7, 2);
        g_assert_cmpuint(response_at(h, 0, 0), ==, X + 25);
        g_assert_cmpuint(response_at(h, 0, 2), ==, X + 31);
        g_assert_cmpuint(response_at(h, 0, 1), ==, X + 32);
    }
    g_autoptr(WwHarness) h = dram_new(params[1], 1, "depth=64");
    read_row(h, 17, 7, 0);
    g_assert_cmpint(ww_run(ww_harness_machine(h), 100), ==, WW_RUN_FAILED);
    g_assert_nonnull(strstr(ww_machine_error(ww_harness_machine(h))->message,
                            "is for bank 17, which would be of group 4; expected powers of two"));
}

#define XOR_OF_24                                                                                  \
    "ccd=1 rrd=3 rcd=12 ras=28 rp=12 rc=40 cl=12 wl=2 cdlr=3 wr=10 nbkgrp=4 ccdl=0 rtpl=3 "        \
    "buswidth=16 burst_length=2 data_command_ratio=2 dual_bus=true group_index=low "               \
    "sched_queue=64 return_queue=192 latency=0 nbk=24 "

/* Rows mix bits 0, 1, 2 and 4 into the number of one of 24 banks, which makes it another one of them, or none: no request may be for that. */
static void test_xor_strays(void)
{
    static const struct {
        const char *params;
        uint32_t bank[4];
    } same[] = {{XOR_OF_24 "bank_index=linear", {4, 11, 12, 21}},
                {XOR_OF_24 "bank_index=xor", {3, 12, 12, 5}}};
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        g_autoptr(WwHarness) h = dram_new(same[i].params, 1, "depth=64");
        read_row(h, same[i].bank[0], 7, 0);
        read_row(h, same[i].bank[1], 7, 1);
        read_row(h, same[i].bank[2], 8, 2);
        read_row(h, same[i].bank[3], 16, 3);
        g_assert_cmpuint(response_at(h, 0, 0), ==, X + 25);
        g_assert_cmpuint(response_at(h, 0, 1), ==, X + 28);
        g_assert_cmpuint(response_at(h, 0, 2), ==, X + 31);
        g_assert_cmpuint(response_at(h, 0, 3), ==, X + 34);
    }
    static const struct {
        uint32_t bank, row;
        const char *said;
    } none[] = {{15, 23, "is for bank 24; expected a power of two"},
                {12, 16, "is for bank 28;"},
                {1000, 0, "is for bank 1000;"}};
    for (size_t i = 0; i < G_N_ELEMENTS(none); i++) {
        g_autoptr(WwHarness) h = dram_new(same[1].params, 1, "depth=64");
        read_row(h, none[i].bank, none[i].row, 0);
        g_assert_cmpint(ww_run(ww_harness_machine(h), 100), ==, WW_RUN_FAILED);
        const char *message = ww_machine_error(ww_harness_machine(h))->message;
        g_assert_nonnull(strstr(message, "bank_index = xor with nbk = 24: "));
        g_assert_nonnull(strstr(message, none[i].said));
    }
}

void add_frfcfs_tests(void)
{
    g_test_add_func("/dram/frfcfs/strays", test_strays);
    g_test_add_func("/dram/frfcfs/xor-strays", test_xor_strays);
    g_test_add_func("/dram/frfcfs/cold-read", test_cold_read);
    g_test_add_func("/dram/frfcfs/latency", test_latency);
    g_test_add_func("/dram/frfcfs/same-row", test_same_row);
    g_test_add_func("/dram/frfcfs/other-banks", test_other_banks);
    g_test_add_func("/dram/frfcfs/row-conflict", test_row_conflict);
    g_test_add_func("/dram/frfcfs/row-first", test_row_first);
    g_test_add_func("/dram/frfcfs/row-limit", test_row_limit);
    g_test_add_func("/dram/frfcfs/one-command", test_one_command);
    g_test_add_func("/dram/frfcfs/write-to-read", test_write_to_read);
    g_test_add_func("/dram/frfcfs/read-to-write", test_read_to_write);
    g_test_add_func("/dram/frfcfs/write-back", test_write_back);
    g_test_add_func("/dram/frfcfs/arbitration", test_arbitration);
    g_test_add_func("/dram/frfcfs/credits", test_credits);
    g_test_add_func("/dram/frfcfs/credits-in-order", test_credits_in_order);
    g_test_add_func("/dram/frfcfs/back-pressure", test_back_pressure);
    g_test_add_func("/dram/frfcfs/write-queue", test_write_queue);
    g_test_add_func("/dram/frfcfs/writes-for-ever", test_writes_for_ever);
    g_test_add_func("/dram/frfcfs/writes-few", test_few_writes);
    g_test_add_func("/dram/frfcfs/sleep", test_sleep);
    g_test_add_func("/dram/frfcfs/refusals", test_refusals);
}
