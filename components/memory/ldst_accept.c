/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acceptance into the dispatch register: from an instruction to its memory accesses or its bank
 * conflicts.
 *
 * The reference generates accesses when the instruction issues; nothing that they depend on
 * changes until it arrives here, and here there is room for one instruction's accesses only.
 */
#include "ldst-priv.h"

enum { LINE = 128 }; /* Longer than a segment. */

static void fail(Ldst *u, const char *format, ...) G_GNUC_PRINTF(2, 3);
WW_COLD static void fail(Ldst *u, const char *format, ...)
{
    GError *error = NULL;
    va_list ap;
    va_start(ap, format);
    g_autofree char *what = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_autofree char *path = ww_path(u);
    const WwInst *i = u->dispatch.inst;
    ww_fail(&error, WW_ERROR_MODEL, "%s: %s at pc %" G_GINT64_MODIFIER "x (trace line %u): %s",
            path, i->s->opcode, i->s->pc, i->s->line, what);
    ww_fail_run(u, error);
}

/* Bytes a lane accesses. */
static inline uint32_t width_of(const LdstCoalescing *c, const WwInst *inst)
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

static bool add_global_run(Ldst *u)
{
    const LdstCoalescing *c = &u->coalescing;
    LdstDispatch *d = &u->dispatch;
    const WwInst *inst = d->inst;
    CoalesceRun run;
    if (c->rule.parts != 1 || (inst->s->flags & WW_INST_ATOMIC) != 0 ||
        !run_of(inst, width_of(c, inst), &run)) {
        return false;
    }
    d->n = coalesce_run(&run, coalesce_segment(&c->rule, run.width, bypasses_l1(inst)), d->access);
    return d->n != 0;
}

static void add_global(Ldst *u)
{
    uint64_t addr[WW_WARP_SIZE];
    if (add_global_run(u)) {
        return;
    }
    ww_addr_expand(u->dispatch.inst->addr, u->dispatch.inst->mask, addr);
    const LdstCoalescing *c = &u->coalescing;
    LdstDispatch *d = &u->dispatch;
    const WwInst *inst = d->inst;
    CoalesceLanes lanes = {
        addr, 1, inst->mask, width_of(c, inst), !c->null_skipped, !c->tail_counts_whole};
    uint32_t segment = coalesce_segment(&c->rule, lanes.width, bypasses_l1(inst));
    if (!(inst->s->flags & WW_INST_ATOMIC)) {
        d->n = coalesce_plain(&lanes, c->rule.parts, segment, d->access);
        return;
    }
    uint32_t bad = coalesce_straddles(&lanes, segment);
    if (bad != 0) {
        uint32_t lane = (uint32_t)__builtin_ctz(bad);
        fail(u,
             "atomic of %u bytes at %" G_GINT64_MODIFIER
             "x in lane %u crosses a segment of %u bytes; expected aligned addresses",
             lanes.width, addr[lane], lane, segment);
        return;
    }
    d->n = coalesce_atomic(&lanes, c->rule.parts, segment, d->access);
}

/* Where the local memory of this SM's threads lies. */
static CoalesceLocal local_memory(Ldst *u)
{
    const WwCtaView *view = WW_CTAS(&u->ctas)->view(u->ctas.peer);
    return (CoalesceLocal){.map = u->coalescing.local_mem_map,
                           .sm = view->sm,
                           .sms = view->sms,
                           .padded = view->padded,
                           .limit = view->limit,
                           .threads =
                               WW_WARPS(&u->warps)->view(u->warps.peer)->slots * WW_WARP_SIZE};
}

/* Lanes that all access the same local address: each word of it is a run, far from the one before. */
static bool add_local_run(Ldst *u, const CoalesceLocal *local, uint32_t width)
{
    const LdstCoalescing *c = &u->coalescing;
    LdstDispatch *d = &u->dispatch;
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
        uint32_t more = coalesce_run(&run, segment, d->access + d->n);
        if (more == 0 || run.base < first[0]) {
            d->n = 0;
            return false;
        }
        d->n += more;
    }
    return true;
}

static void add_local(Ldst *u)
{
    const LdstCoalescing *c = &u->coalescing;
    LdstDispatch *d = &u->dispatch;
    const WwInst *inst = d->inst;
    CoalesceLocal local = local_memory(u);
    uint32_t width = width_of(c, inst);
    uint32_t words = width < 4 ? 1 : MIN(width / 4, COALESCE_LANE_WORDS);
    uint64_t word[COALESCE_MAX], addr[WW_WARP_SIZE];
    if (add_local_run(u, &local, width)) {
        return;
    }
    ww_addr_expand(inst->addr, inst->mask, addr);
    for (uint32_t m = inst->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        if (coalesce_local(&local, inst->warp * WW_WARP_SIZE + lane, addr[lane], width,
                           &word[lane * words]) == 0) {
            fail(u,
                 "local access of %u bytes at %" G_GINT64_MODIFIER
                 "x in lane %u; expected it aligned to words of 4 bytes",
                 width, addr[lane], lane);
            return;
        }
    }
    CoalesceLanes lanes = {word, words, inst->mask, MIN(width, 4u), !c->null_skipped};
    uint32_t segment = coalesce_segment(&c->rule, width, bypasses_l1(inst));
    d->n = coalesce_plain(&lanes, c->rule.parts, segment, d->access);
}

static void count_by_space(LdstCounts *c, const WwInst *inst)
{
    uint32_t lanes = ww_inst_lanes(inst);
    switch ((WwSpace)inst->space) {
    case WW_SPACE_SHARED:
        c->n_shmem_insn += lanes;
        break;
    case WW_SPACE_CONST:
        c->n_const_insn += lanes;
        break;
    case WW_SPACE_GLOBAL:
    case WW_SPACE_LOCAL:
        if (ww_inst_is_store(inst)) {
            c->n_store_insn += lanes;
        } else {
            c->n_load_insn += lanes;
        }
        break;
    default:
        break;
    }
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

static void generate(Ldst *u)
{
    LdstDispatch *d = &u->dispatch;
    WwInst *inst = d->inst;
    d->addr0 = (inst->mask & 1u) != 0 ? ww_addr_first(inst->addr, inst->mask) : 0;
    switch ((WwSpace)inst->space) {
    case WW_SPACE_SHARED:
        inst->cycles = ldst_shared_cost(&u->shared, u->coalescing.rule.parts, inst);
        break;
    case WW_SPACE_GLOBAL:
        add_global(u);
        break;
    case WW_SPACE_LOCAL:
        add_local(u);
        break;
    default: /* a perfect constant cache answers at once */
        break;
    }
    if (!u->coalescing.highest_first) {
        turn_round(d->access, d->n);
    }
    if (d->n != 0 && !WW_BOUND(&u->mem_out)) {
        fail(u, "it needs memory, but no memory is bound to port mem_out");
        d->n = 0;
    }
}

/* For figures of instructions. */
static __attribute__((noinline)) void tell(Ldst *u)
{
    LdstDispatch *d = &u->dispatch;
    uint32_t conflicts = d->conflicts && d->inst->cycles > 1 ? d->inst->cycles - 1u : 0;
    d->made.number = WW_PCS(&u->pcs)->accesses(u->pcs.peer, d->inst, d->n, conflicts);
}

void ldst_accept(Ldst *u, WwInst *inst)
{
    LdstDispatch *d = &u->dispatch;
    d->inst = inst;
    d->flight = NULL;
    d->addr0 = 0;
    d->n = 0;
    d->conflicts = inst->space == WW_SPACE_SHARED && inst->mask != 0;
    d->cached = u->l1.facts != NULL && !bypasses_l1(inst) &&
                !(inst->space == WW_SPACE_GLOBAL && u->coalescing.rule.skip_l1);
    u->counts.n_insn++;
    count_by_space(&u->counts, inst);
    if (inst->mask != 0 && (inst->op == WW_OP_LOAD || inst->op == WW_OP_STORE)) {
        generate(u);
    }
    if (ww_inst_is_load(inst) && inst->space != WW_SPACE_SHARED && d->n != 0) {
        d->flight = ldst_flight(u);
    }
    if (d->n != 0) {
        ldst_prepare(u);
    }
    if (G_UNLIKELY(WW_BOUND(&u->pcs)) && (d->n != 0 || (d->conflicts && inst->cycles > 1))) {
        tell(u);
    }
    WW_LOG(u, &ldst_events[LOG_EXEC], inst->warp, WW_PART(inst),
           WW_TEXT(ww_space_name(inst->space)), d->n, inst->cycles);
}
