/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From a memory instruction to its accesses: where its lanes point to, in which space, as runs where that is seen at once.
 */
#include "coalesce-priv.h"

#include <ports/ctas.h>
#include <ports/warps.h>

enum { LINE = 128 }; /* Longer than a segment. */

/* An instruction on its way to accesses. */
typedef struct Job {
    const Coalescing *c;
    const WwInst *inst;
    const CoalescePorts *ports;
    LdstAccess *out;
    uint32_t n;
    CoalesceBad *bad;
} Job;

/* Bytes a lane accesses. */
static inline uint32_t width_of(const Coalescing *c, const WwInst *inst)
{
    return inst->s->signed_width != 0 && c->signed_widths ? inst->s->signed_width : inst->s->width;
}

static inline bool bypasses_l1(const WwInst *inst)
{
    return (inst->s->flags & WW_INST_BYPASS_L1) != 0;
}

/* Are the addresses of its lanes a run? Most are. */
static inline bool run_of(const WwInst *inst, uint32_t width, CoalesceRun *run)
{
    const WwAddrBlock *block = inst->addr;
    if (block == NULL || block->mode != WW_ADDR_STRIDE || !ww_one_run(inst->mask)) {
        return false;
    }
    uint32_t lane = (uint32_t)__builtin_ctz(inst->mask);
    *run = (CoalesceRun){block->base, (uint64_t)block->stride, lane,
                         32u - lane - (uint32_t)__builtin_clz(inst->mask), width};
    return true;
}

/* ---- lanes to accesses --------------------------------------------------------------------- */

static inline bool is_others(const Job *d)
{
    return G_UNLIKELY(WW_BOUND(d->ports->coalescer));
}

uint32_t coalesce_by_rule(const CoalesceRule *rule, const WwInst *inst, const WwLanes *lanes,
                          LdstAccess *out, CoalesceBad *bad)
{
    uint32_t segment = coalesce_segment(rule, lanes->width, bypasses_l1(inst));
    if (inst->space != WW_SPACE_GLOBAL || !(inst->s->flags & WW_INST_ATOMIC)) {
        return coalesce_plain(lanes, rule->parts, segment, out);
    }
    uint32_t straddle = coalesce_straddles(lanes, segment);
    if (straddle != 0) {
        uint32_t lane = (uint32_t)__builtin_ctz(straddle);
        *bad = (CoalesceBad){COALESCE_ATOMIC, lane, lanes->width, segment, lanes->addr[lane]};
        return 0;
    }
    return coalesce_atomic(lanes, rule->parts, segment, out);
}

/* What another coalescer makes of them is looked at: nobody else would find out what is wrong with it. */
static __attribute__((noinline)) uint32_t ask(const Job *d, const WwLanes *lanes)
{
    const WwPort *port = d->ports->coalescer;
    const WwCoalescerIf *other = WW_COALESCER(port);
    uint32_t n = other->coalesce(port->peer, d->inst, lanes, d->out), served = 0;
    uint32_t most = other->most(port->peer), expected = ww_lanes_with_address(lanes);
    CoalesceBad bad = {.wrong = COALESCE_FINE, .n = n, .coalescer = port->peer};
    if (n > COALESCE_MAX) {
        bad.wrong = COALESCE_MANY;
        n = 0;
    }
    for (uint32_t i = 0; i < n && bad.wrong == COALESCE_FINE; i++) {
        const LdstAccess *a = &d->out[i];
        bad.expected = ww_transaction_wrong(a, lanes, most);
        if (bad.expected != NULL) {
            bad.wrong = COALESCE_TRANSACTION;
            bad.n = i + 1;
            bad.addr = a->addr;
            bad.size = a->size;
        }
        served |= a->lanes;
    }
    if (bad.wrong == COALESCE_FINE && (expected & ~served) != 0) {
        bad.wrong = COALESCE_LANE;
        bad.lane = (uint32_t)__builtin_ctz(expected & ~served);
        bad.addr = lanes->addr[bad.lane * lanes->words];
    }
    *d->bad = bad;
    return bad.wrong == COALESCE_FINE ? n : 0;
}

static void add_lanes(Job *d, const WwLanes *lanes)
{
    d->n = is_others(d) ? ask(d, lanes)
                        : coalesce_by_rule(&d->c->rule, d->inst, lanes, d->out, d->bad);
}

/* Lanes that are a few runs. */
static uint32_t add_rows(const WwInst *inst, uint32_t width, uint32_t segment, LdstAccess *out)
{
    const WwAddrBlock *block = inst->addr;
    if (block == NULL || block->mode != WW_ADDR_DELTA || segment != WW_SECTOR_BYTES ||
        block->n + 1u < ww_ones32(inst->mask)) {
        return 0;
    }
    return coalesce_rows((CoalesceRows){block->base, ww_addr_values(block), inst->mask, width},
                         out);
}

static bool add_global_runs(Job *d)
{
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    const uint32_t width = width_of(c, inst);
    if (c->rule.parts != 1 || (inst->s->flags & WW_INST_ATOMIC) != 0 || is_others(d)) {
        return false;
    }
    const uint32_t segment = coalesce_segment(&c->rule, width, bypasses_l1(inst));
    CoalesceRun run;
    d->n = run_of(inst, width, &run) ? coalesce_run(&run, segment, d->out)
                                     : add_rows(inst, width, segment, d->out);
    return d->n != 0;
}

static void add_global(Job *d)
{
    uint64_t addr[WW_WARP_SIZE];
    if (add_global_runs(d)) {
        return;
    }
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    ww_addr_expand(inst->addr, inst->mask, addr);
    WwLanes lanes = {
        addr, 1, inst->mask, width_of(c, inst), !c->null_skipped, !c->tail_counts_whole};
    add_lanes(d, &lanes);
}

/* Where the local memory of this SM's threads lies. */
static CoalesceLocal local_memory(const Job *d)
{
    const WwPort *ctas = d->ports->ctas, *warps = d->ports->warps;
    const WwCtaView *view = WW_CTAS(ctas)->view(ctas->peer);
    return (CoalesceLocal){.map = d->c->local_mem_map,
                           .sm = view->sm,
                           .sms = view->sms,
                           .padded = view->padded,
                           .limit = view->limit,
                           .threads = WW_WARPS(warps)->view(warps->peer)->slots * WW_WARP_SIZE,
                           .start = d->c->local_start};
}

/* Lanes that all access the same local address: each word of it is a run, far from the one before. */
static bool add_local_run(Job *d, const CoalesceLocal *local, uint32_t width)
{
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    CoalesceRun run;
    uint64_t first[COALESCE_LANE_WORDS], last[COALESCE_LANE_WORDS];
    if (c->rule.parts != 1 || is_others(d) || !run_of(inst, MIN(width, 4u), &run) ||
        run.stride != 0) {
        return false;
    }
    uint32_t thread = inst->warp * WW_WARP_SIZE + run.lane, end = run.n - 1;
    uint32_t n = coalesce_local(local, thread, run.base, width, first);
    coalesce_local(local, thread + end, run.base, width, last);
    uint32_t segment = coalesce_segment(&c->rule, width, bypasses_l1(inst));
    if (n == 0 || last[0] != first[0] + 4u * end || (n > 1 && first[1] - first[0] < 4u * LINE)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        run.base = first[i];
        run.stride = 4;
        uint32_t more = coalesce_run(&run, segment, d->out + d->n);
        if (more == 0 || run.base < first[0]) {
            d->n = 0;
            return false;
        }
        d->n += more;
    }
    return true;
}

static void add_local(Job *d)
{
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    CoalesceLocal local = local_memory(d);
    uint32_t width = width_of(c, inst);
    uint32_t words = width < 4 ? 1 : MIN(width / 4, COALESCE_LANE_WORDS);
    uint64_t word[COALESCE_MAX], addr[WW_WARP_SIZE];
    if (add_local_run(d, &local, width)) {
        return;
    }
    ww_addr_expand(inst->addr, inst->mask, addr);
    for (uint32_t m = inst->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (coalesce_local(&local, inst->warp * WW_WARP_SIZE + lane, addr[lane], width,
                           &word[lane * words]) == 0) {
            *d->bad = (CoalesceBad){COALESCE_LOCAL, lane, width, 0, addr[lane]};
            return;
        }
    }
    WwLanes lanes = {word, words, inst->mask, MIN(width, 4u), !c->null_skipped};
    add_lanes(d, &lanes);
}

void coalesce_turn_round(LdstAccess *a, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        LdstAccess other = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = other;
    }
}

WW_COLD bool coalesce_rule_fits(const CoalesceRule *rule, GError **error)
{
    return (rule->parts & (rule->parts - 1)) == 0 ||
           ww_fail(error, WW_ERROR_USAGE, "warp_parts = %u; expected a power of two, 1..%u",
                   rule->parts, WW_WARP_SIZE);
}

WW_COLD char *coalesce_bad_text(const CoalesceBad *bad)
{
    if (bad->wrong == COALESCE_LOCAL) {
        return g_strdup_printf("local access of %u bytes at %" G_GINT64_MODIFIER
                               "x in lane %u; expected it aligned to words of 4 bytes",
                               bad->width, bad->addr, bad->lane);
    }
    if (bad->wrong == COALESCE_ATOMIC) {
        return g_strdup_printf(
            "atomic of %u bytes at %" G_GINT64_MODIFIER
            "x in lane %u crosses a segment of %u bytes; expected aligned addresses",
            bad->width, bad->addr, bad->lane, bad->segment);
    }
    g_autofree char *who = ww_path(bad->coalescer);
    switch (bad->wrong) {
    case COALESCE_TRANSACTION:
        return g_strdup_printf("transaction %u of %s has %u bytes at %" G_GINT64_MODIFIER
                               "x; expected %s",
                               bad->n, who, bad->size, bad->addr, bad->expected);
    case COALESCE_LANE:
        return g_strdup_printf(
            "no transaction of %s serves lane %u, which is at %" G_GINT64_MODIFIER
            "x; expected one",
            who, bad->lane, bad->addr);
    default:
        return g_strdup_printf("%s makes %u transactions; expected at most %u", who, bad->n,
                               COALESCE_MAX);
    }
}

uint32_t coalesce_most(const Coalescing *c, const CoalescePorts *ports)
{
    const WwPort *other = ports->coalescer;
    return WW_BOUND(other) ? WW_COALESCER(other)->most(other->peer)
                           : coalesce_segment(&c->rule, 4, false);
}

WW_COLD char *coalesce_who(const Coalescing *c, const CoalescePorts *ports)
{
    return WW_BOUND(ports->coalescer) ? ww_path(ports->coalescer->peer)
                                      : g_strdup_printf("coalesce_arch = %u", c->rule.arch);
}

uint32_t coalesce_inst(const Coalescing *c, const WwInst *inst, const CoalescePorts *ports,
                       LdstAccess *out, CoalesceBad *bad)
{
    Job job = {.c = c, .inst = inst, .ports = ports, .out = out, .bad = bad};
    bad->wrong = COALESCE_FINE;
    if (inst->space == WW_SPACE_GLOBAL) {
        add_global(&job);
    } else {
        add_local(&job);
    }
    if (!c->highest_first || is_others(&job)) {
        coalesce_turn_round(out, job.n); /* the list is consumed from its end */
    }
    return job.n;
}
