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
    const WwPort *ctas, *warps;
    LdstAccess *out;
    uint32_t n;
    CoalesceBad bad;
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

static bool add_global_run(Job *d)
{
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    CoalesceRun run;
    if (c->rule.parts != 1 || (inst->s->flags & WW_INST_ATOMIC) != 0 ||
        !run_of(inst, width_of(c, inst), &run)) {
        return false;
    }
    d->n = coalesce_run(&run, coalesce_segment(&c->rule, run.width, bypasses_l1(inst)), d->out);
    return d->n != 0;
}

static void add_global(Job *d)
{
    uint64_t addr[WW_WARP_SIZE];
    if (add_global_run(d)) {
        return;
    }
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    ww_addr_expand(inst->addr, inst->mask, addr);
    CoalesceLanes lanes = {
        addr, 1, inst->mask, width_of(c, inst), !c->null_skipped, !c->tail_counts_whole};
    uint32_t segment = coalesce_segment(&c->rule, lanes.width, bypasses_l1(inst));
    if (!(inst->s->flags & WW_INST_ATOMIC)) {
        d->n = coalesce_plain(&lanes, c->rule.parts, segment, d->out);
        return;
    }
    uint32_t bad = coalesce_straddles(&lanes, segment);
    if (bad != 0) {
        uint32_t lane = (uint32_t)__builtin_ctz(bad);
        d->bad = (CoalesceBad){true, false, lane, lanes.width, segment, addr[lane]};
        return;
    }
    d->n = coalesce_atomic(&lanes, c->rule.parts, segment, d->out);
}

/* Where the local memory of this SM's threads lies. */
static CoalesceLocal local_memory(const Job *d)
{
    const WwCtaView *view = WW_CTAS(d->ctas)->view(d->ctas->peer);
    return (CoalesceLocal){.map = d->c->local_mem_map,
                           .sm = view->sm,
                           .sms = view->sms,
                           .padded = view->padded,
                           .limit = view->limit,
                           .threads =
                               WW_WARPS(d->warps)->view(d->warps->peer)->slots * WW_WARP_SIZE,
                           .start = d->c->local_start};
}

/* Lanes that all access the same local address: each word of it is a run, far from the one before. */
static bool add_local_run(Job *d, const CoalesceLocal *local, uint32_t width)
{
    const Coalescing *c = d->c;
    const WwInst *inst = d->inst;
    CoalesceRun run;
    uint64_t first[COALESCE_LANE_WORDS], last[COALESCE_LANE_WORDS];
    if (c->rule.parts != 1 || !run_of(inst, MIN(width, 4u), &run) || run.stride != 0) {
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
            d->bad = (CoalesceBad){true, true, lane, width, 0, addr[lane]};
            return;
        }
    }
    CoalesceLanes lanes = {word, words, inst->mask, MIN(width, 4u), !c->null_skipped};
    uint32_t segment = coalesce_segment(&c->rule, width, bypasses_l1(inst));
    d->n = coalesce_plain(&lanes, c->rule.parts, segment, d->out);
}

/* The list is consumed from its end. */
static void turn_round(LdstAccess *a, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) {
        LdstAccess other = a[i];
        a[i] = a[n - 1 - i];
        a[n - 1 - i] = other;
    }
}

WW_COLD char *coalesce_bad_text(const CoalesceBad *bad)
{
    if (bad->local) {
        return g_strdup_printf("local access of %u bytes at %" G_GINT64_MODIFIER
                               "x in lane %u; expected it aligned to words of 4 bytes",
                               bad->width, bad->addr, bad->lane);
    }
    return g_strdup_printf("atomic of %u bytes at %" G_GINT64_MODIFIER
                           "x in lane %u crosses a segment of %u bytes; expected aligned addresses",
                           bad->width, bad->addr, bad->lane, bad->segment);
}

uint32_t coalesce_inst(const Coalescing *c, const WwInst *inst, const WwPort *ctas,
                       const WwPort *warps, LdstAccess *out, CoalesceBad *bad)
{
    Job job = {.c = c, .inst = inst, .ctas = ctas, .warps = warps, .out = out};
    if (inst->space == WW_SPACE_GLOBAL) {
        add_global(&job);
    } else {
        add_local(&job);
    }
    if (!c->highest_first) {
        turn_round(out, job.n);
    }
    *bad = job.bad;
    return job.n;
}
