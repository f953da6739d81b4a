/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pending request table and the address units.
 *
 *     in, copies -> waiting -> [ open: an address unit each ] -> next -> ways (lsu_paths.c)
 *                                                  ... served -> done -> results (lsu_end.c)
 *
 * The oldest waiting instruction gets an address unit as soon as one is free and, if its accesses go to the L1D, as many lines of a set as it has
 * accesses are not promised to others: they might all fall into one set, and wait there for each other. An instruction that wants more than there
 * are goes alone.
 */
#include "lsu-priv.h"

static void list_init(Lsu *u, LsuList *l, uint32_t n)
{
    l->entry = ww_alloc(u, ww_ring_init(&l->ring, n) * sizeof *l->entry);
}

void lsu_table_init(Lsu *u)
{
    LsuTable *t = &u->table;
    t->entry = ww_alloc(u, t->entries * sizeof *t->entry);
    list_init(u, &t->free, t->entries);
    list_init(u, &t->waiting, t->entries);
    for (uint32_t i = 0; i <= u->n_in; i++) {
        list_init(u, &t->done[i], t->entries);
    }
    ww_pool_init(&t->accesses, u, sizeof(LsuAccess));
}

void lsu_table_reset(Lsu *u)
{
    LsuTable *t = &u->table;
    ww_ring_clear(&t->free.ring);
    ww_ring_clear(&t->waiting.ring);
    for (uint32_t i = 0; i <= u->n_in; i++) {
        ww_ring_clear(&t->done[i].ring);
    }
    for (uint32_t i = 0; i < t->entries; i++) {
        t->entry[i] = (LsuEntry){0};
        lsu_list_put(&t->free, i);
    }
    ww_pool_reset(&t->accesses);
    t->next = (LsuQueue){0};
    t->n_done = t->n_open = t->reserved = t->inside = t->inside_shared = t->turn = 0;
}

/* ---- accesses of an instruction ------------------------------------------------------------ */

WW_COLD static void fail(Lsu *u, const WwInst *inst, const char *what)
{
    g_autofree char *path = ww_path(u);
    ww_fail_run(u, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s at pc %" G_GINT64_MODIFIER "x (trace line %u): %s", path,
                               inst->s->opcode, inst->s->pc, inst->s->line, what));
}

WW_COLD static void fail_address(Lsu *u, const WwInst *inst, const CoalesceBad *bad)
{
    g_autofree char *text = coalesce_bad_text(bad);
    fail(u, inst, text);
}

static LsuAccess *new_access(LsuTable *t, uint32_t entry)
{
    LsuAccess *a = ww_pool_take(&t->accesses);
    *a = (LsuAccess){.at = {.size = WW_SECTOR_BYTES}, .entry = (uint16_t)entry};
    return a;
}

/* @p n of @p made, to be made from the last one on. */
static void keep_accesses(Lsu *u, uint32_t entry, const LdstAccess *made, uint32_t n)
{
    LsuTable *t = &u->table;
    LsuEntry *e = &t->entry[entry];
    for (uint32_t i = 0; i < n; i++) {
        LsuAccess *a = new_access(t, entry);
        a->at = made[i];
        a->next = e->address;
        e->address = a;
    }
    if (n == 0) { /* all lanes are at address 0: an access of nothing */
        e->address = new_access(t, entry);
    }
    e->left = MAX(n, 1);
}

/* The lines of the constant cache that the lanes touch with their first bytes, ascending. */
static uint32_t constant_lines(const Lsu *u, const WwInst *inst, LdstAccess *made)
{
    uint64_t addr[WW_WARP_SIZE] = {0};
    uint32_t line = u->constant_facts != NULL ? u->constant_facts->line : 64, n = 0;
    if (inst->addr != NULL) {
        ww_addr_expand(inst->addr, inst->mask, addr);
    }
    for (uint32_t m = inst->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m), at = n;
        uint64_t block = (inst->timing->constant + addr[lane]) & ~(uint64_t)(line - 1);
        while (at > 0 && made[at - 1].addr > block) {
            at--;
        }
        if (at == 0 || made[at - 1].addr != block) {
            memmove(&made[at + 1], &made[at], (n++ - at) * sizeof *made);
            made[at] = (LdstAccess){.addr = block, .size = (uint8_t)MIN(line, 128u), .sectors = 1};
        } else {
            at--;
        }
        made[at].lanes |= 1u << lane;
    }
    return n;
}

static LsuWay way_of(const Lsu *u, const LsuEntry *e)
{
    const WwTiming *t = e->inst->timing;
    if (e->inst->mask == 0 || (t->flags & (WW_TAKES_OTHER | WW_TAKES_MEMBAR))) {
        return LSU_NOWHERE;
    }
    if (t->flags & WW_TAKES_TEXTURE) {
        return LSU_TEXTURE;
    }
    if (lsu_is_shared(e)) {
        return LSU_SHARED;
    }
    if (t->space == WW_SPACE_CONST) {
        return LSU_CONSTANT;
    }
    bool skips = t->space == WW_SPACE_GLOBAL && u->coalescing.rule.skip_l1;
    return (t->flags & WW_TAKES_BYPASS) || u->l1d_facts == NULL || skips ? LSU_L2 : LSU_L1D;
}

/* Its lanes become accesses: how many, and which ways they go. */
static uint32_t prepare(Lsu *u, uint32_t entry)
{
    LsuEntry *e = &u->table.entry[entry];
    const WwInst *inst = e->inst;
    const CoalescePorts ports = {&u->ctas, &u->warps, &u->coalescer};
    CoalesceBad bad;
    LdstAccess made[COALESCE_MAX];
    uint32_t n = 0;
    e->way = (uint8_t)way_of(u, e);
    e->left = 1;
    bad.wrong = COALESCE_FINE;
    switch ((LsuWay)e->way) {
    case LSU_SHARED:
        e->left = lsu_shared_cost(&u->paths, &u->coalescing, inst, e->storing);
        break;
    case LSU_CONSTANT:
        keep_accesses(u, entry, made, constant_lines(u, inst, made));
        break;
    case LSU_L1D:
    case LSU_L2:
        n = coalesce_inst(&u->coalescing, inst, &ports, made, &bad);
        keep_accesses(u, entry, made, n);
        e->lines =
            e->way == LSU_L1D || (u->l1d_facts != NULL && !(inst->timing->flags & WW_TAKES_BYPASS))
                ? n
                : 0;
        break;
    default:
        break;
    }
    if (G_UNLIKELY(bad.wrong != COALESCE_FINE)) {
        fail_address(u, inst, &bad);
    } else if (G_UNLIKELY(n != 0 && !WW_BOUND(&u->mem_out))) {
        fail(u, inst, "it needs memory, but no memory is bound to port mem_out");
    }
    return n;
}

/* For figures of instructions. */
static __attribute__((noinline)) void tell(Lsu *u, LsuEntry *e, uint32_t n)
{
    uint32_t conflicts = e->way == LSU_SHARED ? e->left - 1 : 0;
    if (n != 0 || conflicts != 0) {
        e->number = WW_PCS(&u->pcs)->accesses(u->pcs.peer, e->inst, n, conflicts);
    }
}

static LsuClass class_of(const LsuEntry *e)
{
    if (lsu_is_shared(e)) {
        return LSU_SHAREDS;
    }
    switch (e->inst->timing->space) {
    case WW_SPACE_GLOBAL:
    case WW_SPACE_LOCAL:
        return lsu_is_store(e) ? LSU_STORES : LSU_LOADS;
    case WW_SPACE_CONST:
        return LSU_CONSTANTS;
    default:
        return LSU_OTHERS;
    }
}

static void enter(Lsu *u, uint32_t entry)
{
    LsuEntry *e = &u->table.entry[entry];
    uint32_t n = prepare(u, entry);
    e->nothing = e->way == LSU_NOWHERE;
    if (G_UNLIKELY(WW_BOUND(&u->pcs))) {
        tell(u, e, n);
    }
    u->counts.instructions[e->way]++;
    u->counts.lanes_of[class_of(e)] += ww_inst_lanes(e->inst);
    lsu_list_put(&u->table.waiting, entry);
    WW_LOG(u, &lsu_events[LOG_EXEC], e->inst->warp, WW_PART(e->inst),
           WW_SAY(ww_space_word(e->storing ? WW_SPACE_SHARED : e->inst->timing->space)), n,
           e->way == LSU_SHARED ? e->left : 0);
}

/* ---- acceptance ---------------------------------------------------------------------------- */

WW_COLD static void refuse(Lsu *u, const WwInst *inst)
{
    fail(u, inst, "it comes from a sub-core to which `out` does not lead");
}

/* May an instruction from sub-core @p core come in? */
static bool may_enter(const Lsu *u, uint32_t core)
{
    const LsuTable *t = &u->table;
    int slot = ww_regs_oldest(&u->in[core]);
    if (slot < 0) {
        return false;
    }
    if (ww_regs_at(&u->in[core], slot)->timing->space == WW_SPACE_SHARED) {
        return t->most_shared == 0 || t->inside_shared < t->most_shared;
    }
    return t->most == 0 || t->inside < t->most;
}

static void take_from(Lsu *u, uint32_t core)
{
    LsuTable *t = &u->table;
    WwInst *inst = ww_regs_take(&u->in[core], ww_regs_oldest(&u->in[core]));
    if (G_UNLIKELY(inst->sched >= u->n_out)) {
        refuse(u, inst);
        return;
    }
    uint32_t entry = lsu_list_take(&t->free);
    t->entry[entry] = (LsuEntry){.inst = inst};
    uint32_t *inside = inst->timing->space == WW_SPACE_SHARED ? &t->inside_shared : &t->inside;
    (*inside)++;
    u->counts.table_most = MAX(u->counts.table_most, t->entries - t->free.ring.n);
    u->counts.lanes += ww_inst_lanes(inst);
    enter(u, entry);
}

/* The sub-core that is taken from; n_in: none. */
static uint32_t choose(Lsu *u)
{
    LsuTable *t = &u->table;
    if (t->free.ring.n == 0) {
        u->counts.table_full++;
        return u->n_in;
    }
    if (!WW_DISPATCH_SLOT(&u->dispatch)->free(u->dispatch.peer)) {
        return u->n_in;
    }
    for (uint32_t i = 0; i < u->n_in; i++) {
        uint32_t core = lsu_in_turn(t->turn, i, u->n_in);
        if (may_enter(u, core)) {
            return core;
        }
    }
    return u->n_in;
}

void lsu_accept(Lsu *u)
{
    LsuTable *t = &u->table;
    uint32_t core = u->n_in;
    const LsuCopy *copy = u->end.copies.n != 0 ? &u->end.copy[ww_ring_first(&u->end.copies)] : NULL;
    if (copy != NULL && copy->due <= u->cycle) {
        ww_ring_take(&u->end.copies);
        if (u->end.copies_are == COPIES_OVER) {
            lsu_retire(u, copy->entry);
        } else {
            enter(u, copy->entry);
        }
        core = 0; /* as after one of the first sub-core */
    } else if (lsu_is_offered(u)) {
        core = choose(u);
        if (core < u->n_in) {
            take_from(u, core);
        }
    }
    t->turn = lsu_in_turn(core < u->n_in ? core : t->turn, 1, u->n_in);
}

/* ---- address units ------------------------------------------------------------------------- */

static bool lines_left(const Lsu *u, const LsuEntry *e)
{
    if (e->lines == 0 || u->table.reserved == 0) {
        return true;
    }
    return u->table.reserved + e->lines <= WW_CACHE(&u->l1d)->ways(u->l1d.peer);
}

void lsu_admit(Lsu *u)
{
    LsuTable *t = &u->table;
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->n_open; i++) {
        if (t->entry[t->open[i]].left != 0) {
            t->open[n++] = t->open[i];
        }
    }
    while (n < t->units && t->waiting.ring.n != 0) {
        LsuEntry *e = &t->entry[lsu_list_first(&t->waiting)];
        if (!lines_left(u, e)) {
            break;
        }
        t->reserved += e->lines;
        t->open[n++] = (uint16_t)lsu_list_take(&t->waiting);
    }
    t->n_open = n;
}

static LsuAccess *make_access(Lsu *u, uint32_t entry)
{
    LsuTable *t = &u->table;
    LsuEntry *e = &t->entry[entry];
    LsuAccess *a = e->address;
    if (a != NULL) {
        e->address = a->next;
    } else {
        a = new_access(t, entry);
    }
    a->way = e->way;
    if (a->way == LSU_L1D) {
        a->bank = (uint8_t)lsu_bank(&u->paths, a->at.addr);
    }
    if (--e->left == 0) {
        t->reserved -= e->lines;
    } else if (e->way == LSU_SHARED) {
        u->counts.bank_conflicts++;
    }
    e->out++;
    u->counts.accesses[e->way]++;
    return a;
}

void lsu_make_accesses(Lsu *u)
{
    LsuTable *t = &u->table;
    u->counts.next_full += t->next.n >= t->units;
    for (uint32_t i = 0; i < t->n_open && t->next.n < t->units; i++) {
        lsu_queue_put(&t->next, make_access(u, t->open[i]));
    }
}

/* ---- the end ------------------------------------------------------------------------------- */

void lsu_served(Lsu *u, uint32_t entry)
{
    LsuTable *t = &u->table;
    LsuEntry *e = &t->entry[entry];
    if (--e->out != 0 || e->left != 0) {
        return;
    }
    bool copies = (e->inst->timing->flags & WW_TAKES_LDGSTS) != 0 && !e->storing;
    lsu_list_put(&t->done[copies ? u->n_in : e->inst->sched], entry);
    t->n_done++;
}

void lsu_release(Lsu *u, uint32_t entry)
{
    LsuTable *t = &u->table;
    t->entry[entry].inst = NULL;
    lsu_list_put(&t->free, entry);
}
