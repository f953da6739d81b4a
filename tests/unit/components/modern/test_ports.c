/* SPDX-License-Identifier: Apache-2.0 */
/* register_ports and register_cache: how many cycles instructions wait for registers. */
#include "backend.h"

#include <string.h>

typedef struct Ports {
    WwHarness *h;
    const WwRegisterPortsIf *f;
    void *self;
} Ports;

static Ports ports_new(const char *params, bool cache)
{
    Ports p = {.h = ww_harness_new(test_registry(), "register_ports", params)};
    if (cache) {
        ww_harness_fill(p.h, "cache", "register_cache", NULL);
    }
    ww_harness_start(p.h, NULL);
    p.f = ww_harness_table(p.h, "ports", &p.self);
    return p;
}

/* FFMA of these sources, which end with 0; letters of @p reuse say which stay. */
static WwInst *ffma(const Ports *p, uint16_t warp, const uint8_t *reg, const char *reuse)
{
    WwTiming t = test_fadd(1);
    test_reads(&t, reg);
    for (; *reuse != '\0'; reuse++) {
        t.read[*reuse - 'a'].reuse = true;
    }
    WwInst *inst = test_timed(p->h, &t, 1);
    inst->warp = warp;
    return inst;
}

/* Asks in each cycle, as Allocate does. Returns the cycle in which it was read; the next is the following cycle's. */
static WwCycle allocate(const Ports *p, const WwInst *inst)
{
    for (;;) {
        WwCycle now = ww_harness_now(p->h);
        bool read = p->f->read(p->self, inst);
        ww_harness_step(p->h, 1);
        if (read) {
            return now;
        }
    }
}

/* In the long run an instruction of these sources is read every @p cycles cycles. */
static void reads_every(const char *params, const uint8_t *reg, const char *reuse, uint32_t cycles)
{
    Ports p = ports_new(params, true);
    WwInst *inst = ffma(&p, 0, reg, reuse);
    WwCycle last = allocate(&p, inst);
    g_assert_cmpuint(last, ==, 0);
    for (uint32_t i = 0; i < 6; i++) {
        last = allocate(&p, inst);
    }
    for (uint32_t i = 0; i < 6; i++) {
        WwCycle next = allocate(&p, inst);
        g_assert_cmpuint(next - last, ==, cycles);
        last = next;
    }
    ww_harness_free(p.h);
}

#define REGS(...) ((const uint8_t[]){__VA_ARGS__, 0})

/* One port a bank, two banks. */
static void test_rates(void)
{
    reads_every(NULL, REGS(4, 6, 8), "", 3);
    reads_every(NULL, REGS(4, 6, 9), "", 2);
    reads_every(NULL, REGS(5, 7, 9), "", 3);
    reads_every(NULL, REGS(4, 7, 9), "", 2);
    reads_every(NULL, REGS(4, 7), "", 1);
    reads_every(NULL, REGS(4), "", 1);
    reads_every(NULL, REGS(4, 4, 4), "", 1); /* once, however often it is named */
    reads_every(NULL, REGS(4, 4, 6), "", 2);
}

/* What the cache has is not read. */
static void test_rates_reuse(void)
{
    reads_every(NULL, REGS(4, 6, 8), "a", 2);
    reads_every(NULL, REGS(4, 6, 8), "ab", 1);
    reads_every(NULL, REGS(4, 6, 8), "abc", 1);
}

static void test_rates_ports(void)
{
    reads_every("read_ports=2", REGS(4, 6, 8, 10), "", 2);
    reads_every("read_ports=3", REGS(4, 6, 8), "", 1);
    reads_every("banks=4", REGS(4, 8, 12), "", 3);
    reads_every("banks=4", REGS(4, 5, 6), "", 1);
}

/* The window is that of the read stages: three reads of a bank are three cycles, whatever came before. */
static void test_window(void)
{
    Ports p = ports_new(NULL, false);
    const WwInst *even = ffma(&p, 0, REGS(4, 6, 8), ""), *one = ffma(&p, 0, REGS(4), "");
    WwInst *wide = ffma(&p, 0, REGS(4, 6, 8), "");
    ww_test_timing(wide)->read_stages = 6;
    g_assert_true(p.f->read(p.self, even)); /* cycles 1 to 3 */
    ww_harness_step(p.h, 1);
    g_assert_true(p.f->read(p.self, one)); /* 4, of 2 to 4 */
    ww_harness_step(p.h, 1);
    g_assert_false(p.f->read(p.self, even)); /* 5, of 3 to 5 */
    g_assert_true(p.f->read(p.self, wide));  /* 5 to 7, of 3 to 8 */
    ww_harness_step(p.h, 2);
    g_assert_false(p.f->read(p.self, one)); /* none of 5 to 7 */
    g_assert_cmpuint(ww_harness_stat(p.h, "read_conflicts", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(p.h, "reads", 0), ==, 7);
    ww_harness_step(p.h, 1);
    g_assert_true(p.f->read(p.self, one)); /* 8 */
    ww_harness_free(p.h);
}

/* A refused read takes nothing: one bank could, the other not. */
static void test_refused_takes_nothing(void)
{
    Ports p = ports_new(NULL, false);
    g_assert_true(p.f->read(p.self, ffma(&p, 0, REGS(4, 6, 8), "")));
    g_assert_false(p.f->read(p.self, ffma(&p, 0, REGS(10, 5, 7), "")));
    g_assert_true(p.f->read(p.self, ffma(&p, 0, REGS(5, 7, 9), "")));
    ww_harness_free(p.h);
}

/*
 * A queue reads in its own cycle, where Allocate has taken ports in an earlier one: not in those of the cycles to come. As the code does it, it
 * needs a port of every bank.
 */
static void test_queued(void)
{
    Ports p = ports_new(NULL, false);
    WwInst *load = ffma(&p, 0, REGS(4), "");
    g_assert_true(p.f->read_queued(p.self, load));
    g_assert_false(p.f->read_queued(p.self, load));                   /* both banks are taken now */
    g_assert_true(p.f->read(p.self, ffma(&p, 0, REGS(4, 6, 8), ""))); /* 1 to 3 */
    ww_harness_step(p.h, 1);
    for (WwCycle cycle = 1; cycle <= 3; cycle++) {
        g_assert_false(p.f->read_queued(p.self, ffma(&p, 0, REGS(5), "")));
        ww_harness_step(p.h, 1);
    }
    g_assert_true(p.f->read_queued(p.self, load));
    g_assert_cmpuint(ww_harness_stat(p.h, "queued", 0), ==, 2);
    g_assert_cmpuint(ww_harness_stat(p.h, "queued_conflicts", 0), ==, 4);
    ww_harness_free(p.h);
}

/* As the paper has it, it reads its registers. */
static void test_queued_paper(void)
{
    Ports p = ports_new("queued_reads=paper", false);
    g_assert_true(p.f->read(p.self, ffma(&p, 0, REGS(4, 6), ""))); /* 1 and 2 */
    ww_harness_step(p.h, 1);
    g_assert_false(p.f->read_queued(p.self, ffma(&p, 0, REGS(8), "")));
    g_assert_true(p.f->read_queued(p.self, ffma(&p, 0, REGS(9), "")));
    g_assert_false(p.f->read_queued(p.self, ffma(&p, 0, REGS(9), "")));
    ww_harness_step(p.h, 2);
    g_assert_true(p.f->read_queued(p.self, ffma(&p, 0, REGS(8, 10), ""))); /* two cycles: 3 and 4 */
    ww_harness_step(p.h, 1);
    g_assert_false(p.f->read_queued(p.self, ffma(&p, 0, REGS(8), "")));
    g_assert_true(p.f->read_queued(p.self, ffma(&p, 0, REGS(9), "")));
    ww_harness_free(p.h);
}

static void test_writes(void)
{
    static const struct {
        const char *params;
        uint32_t banks, ports;
    } some[] = {{NULL, 2, 1}, {"write_ports=2", 2, 2}, {"banks=4", 4, 1}};
    for (size_t i = 0; i < G_N_ELEMENTS(some); i++) {
        Ports p = ports_new(some[i].params, false);
        g_assert_cmpuint(p.f->writes(p.self), ==, some[i].banks * some[i].ports);
        for (int cycle = 0; cycle < 2; cycle++) {
            for (uint32_t n = 0; n < some[i].ports; n++) {
                g_assert_true(p.f->can_write(p.self, 3, 1));
                p.f->write(p.self, 3);
            }
            g_assert_false(p.f->can_write(p.self, 3, 1));
            g_assert_false(p.f->can_write(p.self, 3 + some[i].banks, 1));
            g_assert_true(p.f->can_write(p.self, 4, 1));
            ww_harness_step(p.h, 1);
        }
        g_assert_cmpuint(ww_harness_stat(p.h, "writes", 0), ==, 2 * some[i].ports);
        ww_harness_free(p.h);
    }
}

/* Registers of one result share what is left of a bank. */
static void test_writes_at_once(void)
{
    Ports p = ports_new("write_ports=2", false);
    g_assert_true(p.f->can_write(p.self, 0, 4));
    p.f->write(p.self, 0);
    g_assert_false(p.f->can_write(p.self, 0, 4)); /* two of them in the bank of R0 */
    g_assert_false(p.f->can_write(p.self, 2, 3));
    g_assert_true(p.f->can_write(p.self, 1, 3)); /* R2 alone is in it */
    g_assert_true(p.f->can_write(p.self, 2, 2));
    p.f->write(p.self, 2);
    g_assert_false(p.f->can_write(p.self, 2, 2));
    g_assert_true(p.f->can_write(p.self, 3, 1));
    ww_harness_free(p.h);
}

/* It could never be read. */
static void test_too_wide(void)
{
    Ports p = ports_new("banks=1", false);
    g_assert_false(p.f->read(p.self, ffma(&p, 0, REGS(1, 2, 3, 4), "")));
    ww_harness_step(p.h, 1);
    const GError *error = ww_machine_error(ww_harness_machine(p.h));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    g_assert_true(g_str_has_suffix(error->message,
                                   "reads 4 registers of a bank in 3 cycles; expected more banks "
                                   "or read_ports than 1 and 1"));
    ww_harness_free(p.h);
}

/* ---- the cache -------------------------------------------------------------------------------------------------- */

/* Reads them one after the other, well apart; says how many registers the cache had for the last. */
static uint64_t hits_of_last(const char *cache, const uint8_t *const *regs,
                             const char *const *reuse, uint32_t n)
{
    g_autoptr(WwHarness) h = ww_harness_new(test_registry(), "register_ports", NULL);
    ww_harness_fill(h, "cache", "register_cache", cache);
    ww_harness_start(h, NULL);
    Ports p = {.h = h};
    p.f = ww_harness_table(h, "ports", &p.self);
    uint64_t before = 0;
    for (uint32_t i = 0; i < n; i++) {
        before = ww_harness_stat(h, "cache_hits", 0);
        g_assert_true(p.f->read(p.self, ffma(&p, 0, regs[i], reuse[i])));
        ww_harness_step(h, 8);
    }
    return ww_harness_stat(h, "cache_hits", 0) - before;
}

#define HITS(n, r0, u0, r1, u1, r2, u2)                                                            \
    hits_of_last(NULL, (const uint8_t *const[]){r0, r1, r2}, (const char *const[]){u0, u1, u2}, n)

/* IADD3 R1,R2.reuse,R3,R4; FFMA R5,R2,R7,R8; IADD3 R10,R2,R12,R13 and its variants: R2 and R4 even, R7 odd. */
static void test_cache_listing(void)
{
    const uint8_t *a = REGS(2, 3, 4), *c = REGS(2, 12, 13);
    /* 1: hits, and is lost */
    g_assert_cmpuint(HITS(2, a, "a", REGS(2, 7, 8), "", NULL, NULL), ==, 1);
    g_assert_cmpuint(HITS(3, a, "a", REGS(2, 7, 8), "", c, ""), ==, 0);
    /* 2: unless it says reuse again */
    g_assert_cmpuint(HITS(3, a, "a", REGS(2, 7, 8), "a", c, ""), ==, 1);
    /* 3: another slot has not got it, and leaves it there */
    g_assert_cmpuint(HITS(2, a, "a", REGS(7, 2, 8), "", NULL, NULL), ==, 0);
    g_assert_cmpuint(HITS(3, a, "a", REGS(7, 2, 8), "", c, ""), ==, 1);
    /* 4: another register of the slot and bank makes it go */
    g_assert_cmpuint(HITS(2, a, "a", REGS(4, 7, 8), "", NULL, NULL), ==, 0);
    g_assert_cmpuint(HITS(3, a, "a", REGS(4, 7, 8), "", c, ""), ==, 0);
}

/* A warp finds only what it has left, and of instructions that may not use the cache nothing is found or lost. */
static void test_cache_warp(void)
{
    Ports p = ports_new(NULL, true);
    const uint8_t *r = REGS(2, 3);
    g_assert_true(p.f->read(p.self, ffma(&p, 1, r, "a")));
    ww_harness_step(p.h, 8);
    WwInst *uncached = ffma(&p, 1, r, "");
    ww_test_timing(uncached)->flags = WW_TAKES_FIXED;
    g_assert_true(p.f->read(p.self, uncached));
    g_assert_true(p.f->read_queued(p.self, ffma(&p, 1, r, "")));
    ww_harness_step(p.h, 8);
    g_assert_cmpuint(ww_harness_stat(p.h, "cache_hits", 0), ==, 0);
    g_assert_true(p.f->read(p.self, ffma(&p, 1, r, "a")));
    g_assert_cmpuint(ww_harness_stat(p.h, "cache_hits", 0), ==, 1);
    ww_harness_step(p.h, 8);
    g_assert_true(p.f->read(p.self, ffma(&p, 2, r, "")));
    g_assert_cmpuint(ww_harness_stat(p.h, "cache_hits", 0), ==, 1);
    ww_harness_free(p.h);
}

/* An operand behind the last slot is never kept: four in the code, three in the paper. */
static void test_cache_slots(void)
{
    static const char *const reuse[] = {"d", ""};
    const uint8_t *r = REGS(1, 2, 3, 4);
    const uint8_t *const regs[] = {r, r};
    g_assert_cmpuint(hits_of_last("slots=4", regs, reuse, 2), ==, 1);
    g_assert_cmpuint(hits_of_last("slots=3", regs, reuse, 2), ==, 0);
}

void register_ports_tests(void)
{
    g_test_add_func("/modern/ports/rates", test_rates);
    g_test_add_func("/modern/ports/rates-reuse", test_rates_reuse);
    g_test_add_func("/modern/ports/rates-ports", test_rates_ports);
    g_test_add_func("/modern/ports/window", test_window);
    g_test_add_func("/modern/ports/refused-takes-nothing", test_refused_takes_nothing);
    g_test_add_func("/modern/ports/queued", test_queued);
    g_test_add_func("/modern/ports/queued-paper", test_queued_paper);
    g_test_add_func("/modern/ports/writes", test_writes);
    g_test_add_func("/modern/ports/writes_at_once", test_writes_at_once);
    g_test_add_func("/modern/ports/too-wide", test_too_wide);
    g_test_add_func("/modern/cache/listing", test_cache_listing);
    g_test_add_func("/modern/cache/warp", test_cache_warp);
    g_test_add_func("/modern/cache/slots", test_cache_slots);
}
