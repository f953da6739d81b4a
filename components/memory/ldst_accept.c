/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Acceptance into the dispatch register: from an instruction to its memory accesses or its bank
 * conflicts.
 *
 * The reference generates accesses when the instruction issues; nothing that they depend on
 * changes until it arrives here, and here there is room for one instruction's accesses only.
 */
#include "ldst-priv.h"

static void fail(Ldst *u, const char *format, ...) G_GNUC_PRINTF(2, 3);
WW_COLD static void fail(Ldst *u, const char *format, ...)
{
    GError *error = NULL;
    va_list ap;
    va_start(ap, format);
    g_autofree char *what = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_autofree char *path = ww_path(u);
    const WwInst *i = u->d.inst;
    ww_fail(&error, WW_ERROR_MODEL, "%s: %s at pc %" G_GINT64_MODIFIER "x (trace line %u): %s",
            path, i->s->opcode, i->s->pc, i->s->line, what);
    ww_fail_run(u, error);
}

LdstCopy *ldst_copy_find(Ldst *u, uint32_t warp, uint64_t pc, uint64_t addr)
{
    LdstCopy *c = u->copy[warp];
    while (c != NULL && (c->pc != (uint32_t)pc || c->addr != (uint32_t)addr)) {
        c = c->next;
    }
    return c;
}

static LdstCopy *copy_add(Ldst *u, uint32_t warp, uint64_t pc, uint64_t addr, uint32_t n)
{
    LdstCopy *c = ldst_copy_find(u, warp, pc, addr);
    if (c == NULL) {
        c = ww_pool_take(&u->copies);
        *c = (LdstCopy){.next = u->copy[warp], .pc = (uint32_t)pc, .addr = (uint32_t)addr};
        u->copy[warp] = c;
    }
    c->left += n;
    return c;
}

/* Bytes a lane accesses. */
static inline uint32_t width_of(const Ldst *u, const WwInst *inst)
{
    return inst->s->signed_width != 0 && u->signed_widths ? inst->s->signed_width : inst->s->width;
}

static void add_global(Ldst *u, const uint64_t *addr)
{
    const WwInst *inst = u->d.inst;
    CoalesceRule rule = {u->coalesce_arch, u->warp_parts, u->gmem_skip_l1};
    CoalesceLanes lanes = {
        addr, 1, inst->mask, width_of(u, inst), !u->null_skipped, !u->tail_counts_whole};
    uint32_t segment =
        coalesce_segment(&rule, lanes.width, (inst->s->flags & WW_INST_BYPASS_L1) != 0);
    if (!(inst->s->flags & WW_INST_ATOMIC)) {
        u->d.n = coalesce_plain(&lanes, u->warp_parts, segment, u->d.access);
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
    u->d.n = coalesce_atomic(&lanes, u->warp_parts, segment, u->d.access);
}

static void add_local(Ldst *u, const uint64_t *addr)
{
    const WwInst *inst = u->d.inst;
    const WwCtaView *view = WW_CTAS(&u->ctas)->view(u->ctas.peer);
    CoalesceLocal local = {.map = u->local_mem_map,
                           .sm = view->sm,
                           .sms = view->sms,
                           .padded = view->padded,
                           .limit = view->limit,
                           .threads =
                               WW_WARPS(&u->warps)->view(u->warps.peer)->slots * WW_WARP_SIZE};
    uint32_t width = width_of(u, inst);
    uint32_t words = width < 4 ? 1 : MIN(width / 4, COALESCE_LANE_WORDS);
    uint64_t word[COALESCE_MAX];
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
    CoalesceRule rule = {u->coalesce_arch, u->warp_parts, u->gmem_skip_l1};
    CoalesceLanes lanes = {word, words, inst->mask, MIN(width, 4u), !u->null_skipped};
    uint32_t segment = coalesce_segment(&rule, width, (inst->s->flags & WW_INST_BYPASS_L1) != 0);
    u->d.n = coalesce_plain(&lanes, u->warp_parts, segment, u->d.access);
}

/* Accesses out of the dispatch register need somebody to count them back in. */
static void track_load(Ldst *u)
{
    WwInst *inst = u->d.inst;
    if (u->d.n != 0) {
        bool copies = (inst->s->flags & WW_INST_LDGSTS) != 0;
        LdstFlight *f = ww_pool_take(&u->flights);
        *f = (LdstFlight){.inst = inst,
                          .copy = copies ? copy_add(u, inst->warp, inst->s->pc, u->d.addr0, u->d.n)
                                         : NULL,
                          .pc = inst->s->pc,
                          .addr = u->d.addr0,
                          .left = u->d.n,
                          .dst = ldst_destination(u, inst),
                          .warp = inst->warp};
        u->d.flight = f;
    }
}

static void count_by_space(Ldst *u, const WwInst *inst)
{
    uint32_t lanes = ww_inst_lanes(inst);
    switch ((WwSpace)inst->space) {
    case WW_SPACE_SHARED:
        u->n_shmem_insn += lanes;
        break;
    case WW_SPACE_CONST:
        u->n_const_insn += lanes;
        break;
    case WW_SPACE_GLOBAL:
    case WW_SPACE_LOCAL:
        if (ww_inst_is_store(inst)) {
            u->n_store_insn += lanes;
        } else {
            u->n_load_insn += lanes;
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
    WwInst *inst = u->d.inst;
    uint64_t addr[WW_WARP_SIZE];
    ww_addr_expand(inst->addr, inst->mask, addr);
    u->d.addr0 = addr[0];
    switch ((WwSpace)inst->space) {
    case WW_SPACE_SHARED: {
        SmemRule rule = {u->smem_banks, u->warp_parts, u->limited_broadcast,
                         (inst->s->flags & WW_INST_ATOMIC) && !u->shared_atomics_merge,
                         u->smem_first_word ? 0 : inst->s->width};
        inst->cycles = (uint16_t)smem_cost(&rule, addr, inst->mask);
        break;
    }
    case WW_SPACE_GLOBAL:
        add_global(u, addr);
        break;
    case WW_SPACE_LOCAL:
        add_local(u, addr);
        break;
    default: /* a perfect constant cache answers at once */
        break;
    }
    if (!u->highest_first) {
        turn_round(u->d.access, u->d.n);
    }
    if (u->d.n != 0 && !WW_BOUND(&u->mem_out)) {
        fail(u, "it needs memory, but no memory is bound to port mem_out");
        u->d.n = 0;
    }
}

void ldst_accept(Ldst *u, WwInst *inst)
{
    u->d.inst = inst;
    u->d.flight = NULL;
    u->d.addr0 = 0;
    u->d.n = 0;
    u->d.conflicts = inst->space == WW_SPACE_SHARED && inst->mask != 0;
    u->d.cached = u->l1 != NULL && !(inst->s->flags & WW_INST_BYPASS_L1) &&
                  !(inst->space == WW_SPACE_GLOBAL && u->gmem_skip_l1);
    u->n_insn++;
    count_by_space(u, inst);
    if (inst->mask != 0 && (inst->op == WW_OP_LOAD || inst->op == WW_OP_STORE)) {
        generate(u);
    }
    if (ww_inst_is_load(inst) && inst->space != WW_SPACE_SHARED) {
        track_load(u);
    }
    WW_EVENT(u, "exec", inst->warp, "%s pc=%" G_GINT64_MODIFIER "x accesses=%u cycles=%u",
             inst->s->opcode, inst->s->pc, u->d.n, inst->cycles);
}
