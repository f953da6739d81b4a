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
    const WwInst *i = u->dispatch.inst;
    ww_fail(&error, WW_ERROR_MODEL, "%s: %s at pc %" G_GINT64_MODIFIER "x (trace line %u): %s",
            path, i->s->opcode, i->s->pc, i->s->line, what);
    ww_fail_run(u, error);
}

WW_COLD static void fail_address(Ldst *u, const CoalesceBad *bad)
{
    g_autofree char *text = coalesce_bad_text(bad);
    fail(u, "%s", text);
}

static inline bool bypasses_l1(const WwInst *inst)
{
    return (inst->s->flags & WW_INST_BYPASS_L1) != 0;
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

/* More accesses than any instruction may have had before. */
WW_COLD static void make_room(Ldst *u, uint32_t most)
{
    u->dispatch.access = ww_alloc(u, most * sizeof *u->dispatch.access);
    u->dispatch.room = most;
}

static uint32_t accesses(Ldst *u, CoalesceBad *bad)
{
    LdstDispatch *d = &u->dispatch;
    const CoalescePorts ports = {&u->ctas, &u->warps, &u->coalescer};
    bool own_global = d->inst->space == WW_SPACE_GLOBAL && !WW_BOUND(&u->coalescer);
    uint32_t most = own_global ? COALESCE_MAX_GLOBAL : COALESCE_MAX;
    if (G_UNLIKELY(d->room < most)) {
        make_room(u, most);
    }
    return coalesce_inst(&u->coalescing, d->inst, &ports, d->access, bad);
}

static void generate(Ldst *u)
{
    CoalesceBad bad;
    LdstDispatch *d = &u->dispatch;
    WwInst *inst = d->inst;
    bad.wrong = COALESCE_FINE;
    d->addr0 = (inst->mask & 1u) != 0 ? ww_addr_first(inst->addr, inst->mask) : 0;
    switch ((WwSpace)inst->space) {
    case WW_SPACE_SHARED:
        inst->cycles = ldst_shared_cost(&u->shared, u, u->coalescing.rule.parts, inst);
        break;
    case WW_SPACE_GLOBAL:
    case WW_SPACE_LOCAL:
        d->n = accesses(u, &bad);
        break;
    default: /* a perfect constant cache answers at once */
        break;
    }
    if (G_UNLIKELY(bad.wrong != COALESCE_FINE)) {
        fail_address(u, &bad);
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
    WW_LOG(u, &ldst_events[LOG_EXEC], inst->warp, WW_PART(inst), WW_SAY(ww_space_word(inst->space)),
           d->n, inst->cycles);
}
