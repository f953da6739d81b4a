/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dram.frfcfs against the plain model (naive.h): random requests, timings, queue sizes and readers;
 * everything that comes out, when, and every count must agree.
 */
#include "naive.h"
#include <string.h>

typedef struct Owner {
    WwMemOwner owner;
    uint64_t released;
} Owner;

static void owner_release(WwMemOwner *owner, WwMemReq *req)
{
    ((Owner *)owner)->released++;
}

static uint32_t between(GRand *r, int low, int high)
{
    return (uint32_t)g_rand_int_range(r, low, high + 1);
}

static Shape random_shape(GRand *r)
{
    Shape s = {.ccd = between(r, 0, 4),
               .rrd = between(r, 0, 8),
               .ras = between(r, 0, 30),
               .rp = between(r, 0, 14),
               .rc = between(r, 0, 40),
               .cl = between(r, 0, 14),
               .cdlr = between(r, 0, 6),
               .wr = between(r, 0, 12),
               .ccdl = between(r, 0, 6),
               .rtpl = between(r, 0, 5),
               .burst = 1u << between(r, 0, 2),
               .latency = between(r, 0, 40),
               .slices = 1u << between(r, 0, 2),
               .sched_queue = between(r, 0, 3) * 5,
               .return_queue = between(r, 0, 3) * 3,
               .write_queue = between(r, 4, 12),
               .depth = between(r, 1, 6),
               .dual = g_rand_boolean(r),
               .low_groups = g_rand_boolean(r),
               .xor_banks = g_rand_boolean(r),
               .separate = between(r, 0, 3) == 0,
               .eliminate = between(r, 0, 5) == 0,
               .fifo = between(r, 0, 7) == 0,
               .atom = 32};
    /* mostly what a DRAM has; else what makes times negative */
    bool usual = between(r, 0, 2) != 0;
    s.wl = between(r, 0, usual ? (int)MIN(s.cl, 6) : 20);
    s.rcd = usual ? s.wl + 1 + between(r, 0, 12) : between(r, 0, 14);
    s.nbk = usual ? 4u << between(r, 0, 4) : between(r, 1, BANKS);
    s.nbkgrp = usual || !s.low_groups ? 1u << between(r, 0, 2) : between(r, 1, (int)s.nbk);
    if (!s.low_groups) {
        s.nbk = 1u << (31 - __builtin_clz(s.nbk));
        s.nbkgrp = between(r, 0, 3) == 0 ? s.nbk : MIN(s.nbkgrp, s.nbk);
    }
    s.xor_banks &= (s.nbk & (s.nbk - 1)) == 0;
    s.write_high = between(r, 1, (int)s.write_queue);
    s.write_low = between(r, 0, (int)s.write_high);
    s.separate = s.separate && !s.fifo;
    if (s.sched_queue != 0 && s.return_queue != 0 && s.fifo) {
        s.sched_queue = 8;
    }
    return s;
}

static WwHarness *new_channel(const Shape *s)
{
    g_autofree char *params = g_strdup_printf(
        "nbk=%u ccd=%u rrd=%u rcd=%u ras=%u rp=%u rc=%u cl=%u wl=%u cdlr=%u wr=%u nbkgrp=%u "
        "ccdl=%u rtpl=%u "
        "burst_length=%u buswidth=%u data_command_ratio=1 chips=1 latency=%u sched_queue=%u "
        "return_queue=%u write_queue=%u "
        "write_high=%u write_low=%u dual_bus=%d group_index=%s bank_index=%s "
        "separate_write_queue=%d "
        "eliminate_turnaround=%d scheduler=%s",
        s->nbk, s->ccd, s->rrd, s->rcd, s->ras, s->rp, s->rc, s->cl, s->wl, s->cdlr, s->wr,
        s->nbkgrp, s->ccdl, s->rtpl, s->burst, s->atom / s->burst, s->latency, s->sched_queue,
        s->return_queue, s->write_queue, s->write_high, s->write_low, s->dual,
        s->low_groups ? "low" : "high", s->xor_banks ? "xor" : "linear", s->separate, s->eliminate,
        s->fifo ? "fifo" : "frfcfs");
    WwHarness *h = ww_harness_new(registry, "dram.frfcfs", params);
    g_autofree char *depth = g_strdup_printf("depth=%u", s->depth);
    for (uint32_t i = 0; i < s->slices; i++) {
        ww_harness_channel(h, element("request", i), "depth=32");
        ww_harness_channel(h, element("response", i), depth);
    }
    g_assert_true(ww_harness_start(h, NULL));
    return h;
}

static WwMemReq *random_request(WwHarness *h, GRand *r, const Shape *s, Owner *owner,
                                uint64_t serial)
{
    static const WwAccessType types[] = {WW_ACCESS_GLOBAL_R, WW_ACCESS_GLOBAL_R,
                                         WW_ACCESS_GLOBAL_R, WW_ACCESS_L2_WR_ALLOC_R,
                                         WW_ACCESS_GLOBAL_W, WW_ACCESS_L2_WRBK};
    WwAccessType type = types[between(r, 0, G_N_ELEMENTS(types) - 1)];
    uint32_t bank = between(r, 0, (int)s->nbk - 1);
    bank &= between(r, 0, (int)s->nbk - 1); /* the low ones more often */
    WwMemReq *m = new_req(h, type, bank, between(r, 0, 3), serial);
    m->size = type == WW_ACCESS_L2_WRBK ? 32 * between(r, 1, 4) : 32;
    m->at.slice = between(r, 0, (int)s->slices - 1);
    m->owner = &owner->owner;
    return m;
}

static void same(WwHarness *h, const char *name, uint32_t i, uint64_t expected)
{
    uint64_t got = ww_harness_stat(h, name, i);
    if (got != expected) {
        g_test_message("cycle %" G_GUINT64_FORMAT ": %s[%u] = %" G_GUINT64_FORMAT
                       ", expected %" G_GUINT64_FORMAT,
                       ww_harness_now(h), name, i, got, expected);
    }
    g_assert_cmpuint(got, ==, expected);
}

static void compare_counts(WwHarness *h, const Plain *p)
{
    const struct {
        const char *name;
        uint64_t value;
    } counts[] = {
        {"n_cmd", p->n_cmd},
        {"n_nop", p->n_nop},
        {"n_activity", p->n_activity},
        {"n_act", p->n_act},
        {"n_pre", p->n_pre},
        {"n_req", p->n_req},
        {"n_rd", p->n_rd},
        {"n_rd_l2_a", p->n_rd_l2_a},
        {"n_write", p->n_write},
        {"n_wr_bk", p->n_wr_bk},
        {"bw_util", p->bw_util},
        {"selections", p->selections},
        {"row_hits", p->row_hits},
        {"row_changes", p->row_changes},
        {"mrq_latency_sum", p->mrq_latency_sum},
        {"mrq_latency_max", p->mrq_latency_max},
        {"occupied", p->occupied},
        {"occupied_cycles", p->occupied_cycles},
        {"open", p->open},
        {"open_cycles", p->open_cycles},
        {"open_groups", p->open_groups},
        {"ready", p->ready},
        {"ready_cycles", p->ready_cycles},
        {"util_bw", p->util_bw},
        {"wasted_col", p->wasted_col},
        {"wasted_row", p->wasted_row},
        {"idle", p->idle},
        {"queue_sum", p->queue_sum},
        {"queue_max", p->queue_max},
        {"both_commands", p->both_commands},
        {"n_sent", p->n_sent},
        {"write_share", p->write_share},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(counts); i++) {
        same(h, counts[i].name, 0, counts[i].value);
    }
    for (uint32_t b = 0; b < p->s.nbk; b++) {
        same(h, "n_access", b, p->n_access[b]);
        same(h, "bank_reads", b, p->reads[b]);
        same(h, "bank_writes", b, p->writes[b]);
        same(h, "bank_selections", b, p->picks[b]);
        same(h, "bank_row_changes", b, p->changes[b]);
        same(h, "bank_most_of_a_row", b, p->most[b]);
        same(h, "bank_service_max", b, p->service[b]);
        g_assert_cmpuint(p->n_cmd - ww_harness_stat(h, "bank_busy", b) +
                             ww_harness_stat(h, "bank_seen_twice", b) -
                             ww_harness_stat(h, "bank_passed_over", b),
                         ==, p->n_idle[b]);
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(p->limits); i++) {
        same(h, "limits", i, p->limits[i]);
    }
}

/* One cycle of both; then both readers take the same. */
static void step_both(WwHarness *h, Plain *p, GRand *r, const Owner *owner, uint32_t eager)
{
    ww_harness_step(h, 1);
    plain_step(p);
    g_assert_cmpuint(owner->released, ==, p->released);
    for (uint32_t s = 0; s < p->s.slices; s++) {
        g_assert_cmpuint(ww_harness_count(h, element("response", s)), ==, p->response[s].length);
        if (p->response[s].length != 0 && between(r, 0, 9) < eager) {
            const WwMemReq *m = g_queue_pop_head(&p->response[s]);
            g_assert_cmpint(take_response(h, s), ==, (int64_t)m->serial);
        }
    }
}

static uint64_t compare(uint32_t seed, bool no_sleep)
{
    g_autoptr(GRand) r = g_rand_new_with_seed(seed);
    Owner owner = {.owner.release = owner_release};
    Plain *p = plain_new(random_shape(r));
    WwHarness *h = new_channel(&p->s);
    ww_machine_set_no_sleep(ww_harness_machine(h), no_sleep);
    uint64_t serial = 0;
    for (int burst = 0; burst < 12; burst++) {
        uint32_t rate = between(r, 1, 40), eager = between(r, 1, 10), cycles = between(r, 10, 250);
        for (uint32_t i = 0; i < cycles; i++) {
            WwMemReq *m = random_request(h, r, &p->s, &owner, serial);
            bool ends = false;
            if (between(r, 0, 39) < rate && p->request[m->at.slice].length < 32) {
                put_req(h, m);
                g_queue_push_tail(&p->request[m->at.slice], m);
                serial++;
                ends = i % 64 == 7; /* the run pauses after this cycle: an interval ends */
            }
            if (ends) {
                ww_pause(ww_harness_self(h));
            }
            step_both(h, p, r, &owner, eager);
            p->interval = ends ? p->time : p->interval;
        }
        compare_counts(h, p);
        for (uint32_t i = 0; i < (burst % 3 == 0 ? 2500u : 0); i++) {
            step_both(h, p, r, &owner, 10);
        }
        if (burst % 3 == 0) {
            g_assert_true(ww_harness_asleep(h) || no_sleep || plain_works(p));
        }
    }
    compare_counts(h, p);
    uint64_t activations = ww_machine_activations(ww_harness_machine(h));
    for (uint32_t i = 0; i < 3000; i++) {
        step_both(h, p, r, &owner, 10);
    }
    plain_free(p);
    ww_harness_free(h);
    return activations;
}

#ifdef __SANITIZE_ADDRESS__
enum { SEEDS = 40 }; /* one takes fifteen times as long */
#else
enum { SEEDS = 150 };
#endif

static void test_sleeping(void)
{
    for (uint32_t seed = 0; seed < (g_test_slow() ? 2000 : SEEDS); seed++) {
        g_test_message("seed %u", seed);
        compare(seed, false);
    }
}

static void test_never_sleeping(void)
{
    for (uint32_t seed = 0; seed < 20; seed++) {
        compare(seed, true);
    }
}

void add_naive_tests(void)
{
    g_test_add_func("/dram/frfcfs/plain-model", test_sleeping);
    g_test_add_func("/dram/frfcfs/plain-model-no-sleep", test_never_sleeping);
}
