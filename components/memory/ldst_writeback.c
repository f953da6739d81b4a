/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The back end of the LD/ST unit: responses, the arbiter of five clients, the write-back register.
 *
 * At most one response leaves the response queue and one client supplies the write-back register
 * in a cycle; what was supplied in cycle x is finished in cycle x + 1 at the earliest, later when
 * another result takes the register bank it needs. A load with four accesses passes here four
 * times and completes with the last.
 */
#include "ldst-priv.h"

static inline uint32_t lanes_of(const LdstReq *r)
{
    return (uint32_t)__builtin_popcount(r->req.lanes);
}

static void release_register(Ldst *u, WwInst *inst, uint32_t warp, uint32_t reg)
{
    WW_EVENT(u, "writeback", warp, "R%u", reg - 1);
    WW_SCOREBOARD(&u->hazard)->release(u->hazard.peer, warp, reg);
    WW_WARPS(&u->warps)->complete(u->warps.peer, inst);
}

static void copy_forget(Ldst *u, uint32_t warp, LdstCopy *copy)
{
    LdstCopy **p = &u->copy[warp];
    while (*p != copy) {
        p = &(*p)->next;
    }
    *p = copy->next;
    ldst_pool_give(&u->copies, copy);
}

/* One access of an asynchronous copy is there; with the last one of its key the copy is done. */
static void copy_returned(Ldst *u, LdstFlight *f)
{
    if (--f->copy->left != 0) {
        return;
    }
    copy_forget(u, f->warp, f->copy);
    WW_EVENT(u, "writeback", f->warp, "asynchronous copy pc=%" G_GINT64_MODIFIER "x", f->pc);
    if (u->count_ldgsts_twice) {
        WW_WARPS(&u->warps)->complete(u->warps.peer, f->inst);
    }
    WW_BARRIERS(&u->barriers)->async_done(u->barriers.peer, f->warp, f->pc, f->addr);
}

/* Finishes what the write-back register holds. */
static void finish_access(Ldst *u)
{
    LdstFlight *f = u->wb_flight;
    WwInst *inst = u->wb;
    u->wb = NULL;
    u->n_writeback++;
    if (f == NULL) {
        if (u->wb_dst != 0) {
            release_register(u, inst, inst->warp, u->wb_dst);
        }
        WW_WARPS(&u->warps)->release(u->warps.peer, inst);
        return;
    }
    f->left--;
    if (f->dst != 0) {
        if (f->left == 0) {
            release_register(u, inst, f->warp, f->dst);
        }
    } else if (f->copy != NULL) {
        copy_returned(u, f);
    }
    if (f->left == 0) {
        WW_WARPS(&u->warps)->release(u->warps.peer, inst);
        ldst_pool_give(&u->flights, f);
    }
}

static inline bool shared_ready(const Ldst *u)
{
    return u->pipe_n != 0 && u->pipe[u->pipe_head].due <= u->cycle;
}

static void supply_shared(Ldst *u)
{
    WwInst *inst = u->pipe[u->pipe_head].inst;
    u->pipe_head = u->pipe_head + 1 == u->smem_latency ? 0 : u->pipe_head + 1;
    u->pipe_n--;
    if (inst->s->flags & WW_INST_ATOMIC) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, inst->warp, -(int32_t)ww_inst_lanes(inst));
    }
    WW_WARPS(&u->warps)->leave(u->warps.peer, inst->warp);
    u->wb = inst;
    u->wb_flight = NULL;
    u->wb_dst = inst->s->dst;
}

static void supply_global(Ldst *u)
{
    LdstReq *r = u->next_global;
    u->next_global = NULL;
    u->wb = r->flight->inst;
    u->wb_flight = r->flight;
    u->wb_dst = r->flight->dst;
    if (r->req.atomic) {
        WW_WARPS(&u->warps)->atomics(u->warps.peer, r->req.warp, -(int32_t)lanes_of(r));
    }
    ldst_pool_give(&u->reqs, r);
}

void ldst_write_back(Ldst *u)
{
    if (u->wb != NULL) {
        if (u->wb_dst != 0 && !WW_REGISTER_BANKS(&u->banks)->write(u->banks.peer, u->wb)) {
            u->n_writeback_blocked++;
            return;
        }
        finish_access(u);
    }
    uint32_t ready = (uint32_t)shared_ready(u) << LDST_CLIENT_SHARED |
                     (uint32_t)(u->next_global != NULL) << LDST_CLIENT_GLOBAL;
    if (ready == 0) {
        return;
    }
    /* the first ready client at or after `arb`, around the ring */
    uint32_t after = ready & ~((1u << u->arb) - 1);
    uint32_t client = (uint32_t)__builtin_ctz(after != 0 ? after : ready);
    if (client == LDST_CLIENT_SHARED) {
        supply_shared(u);
    } else {
        supply_global(u);
    }
    u->wb->written = 0; /* each access is a fresh write */
    u->arb = client + 1 == LDST_N_CLIENTS ? 0 : client + 1;
}

void ldst_take_response(Ldst *u)
{
    if (!WW_BOUND(&u->mem_in) || !ww_fifo_ready(&u->mem_in)) {
        return;
    }
    LdstReq *r = (LdstReq *)(uintptr_t)ww_fifo_peek(&u->mem_in);
    if (r->req.inst == NULL) { /* not from here */
        ww_fifo_take(&u->mem_in);
        u->n_stray++;
        return;
    }
    if (r->req.write) {
        ww_fifo_take(&u->mem_in);
        u->outstanding--;
        WW_EVENT(u, "response", r->req.warp, "store addr=%" G_GINT64_MODIFIER "x", r->req.addr);
        WW_WARPS(&u->warps)->stores(u->warps.peer, r->req.warp, -1);
        ldst_pool_give(&u->reqs, r);
    } else if (u->next_global == NULL) {
        ww_fifo_take(&u->mem_in);
        u->outstanding--;
        WW_EVENT(u, "response", r->req.warp, "load addr=%" G_GINT64_MODIFIER "x", r->req.addr);
        u->next_global = r;
    }
}
