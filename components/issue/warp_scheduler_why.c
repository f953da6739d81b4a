/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a warp scheduler does not issue: the statistics of ticks without an issue, and what a hang
 * report says. Runs at most once in a tick in which nothing issues; slept ticks repeat the last.
 */
#include "warp_scheduler-priv.h"

const char *const warp_scheduler_causes[N_CAUSES] = {
    WW_SCHEDULER_STALL_LABELS,
};

/* ---- statistics of ticks without an issue -------------------------------------------------- */

static Cause idle_cause(const WarpScheduler *s)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    uint64_t live = s->view.mine & w->live;
    uint64_t barred = warp_scheduler_unsettled(s, live & b->membar);
    if (s->counting) {
        return CAUSE_UNIT + UNIT_LAUNCH - 1;
    }
    if (s->can & w->ibuf) {
        return CAUSE_POLICY; /* it left them out */
    }
    if (s->can != 0) {
        return CAUSE_FETCH;
    }
    if (live & ~b->held & ~barred & warp_scheduler_atomics(s)) {
        return CAUSE_ATOMIC;
    }
    if (live & ~b->held & ~barred) {
        return CAUSE_ASYNC;
    }
    if (live & ~b->held) {
        return CAUSE_MEMBAR;
    }
    return live != 0 ? CAUSE_BARRIER : CAUSE_NO_WARP;
}

void warp_scheduler_find_cause(WarpScheduler *s)
{
    if (s->refused != UNIT_NONE) {
        s->outcome = STALL;
        s->cause = CAUSE_UNIT + (Cause)s->refused - 1;
        return;
    }
    uint64_t considered = s->policy_if->considers != NULL
                              ? s->policy_if->considers(s->policy.peer, &s->view)
                              : s->view.mine | s->guest;
    uint64_t blocked = s->can & s->view.warps->ibuf & s->blocked & considered;
    if (blocked != 0) {
        s->outcome = SCOREBOARD;
        s->cause = blocked & ~s->blocked_long ? CAUSE_SHORT : CAUSE_LONG;
    } else {
        s->outcome = IDLE;
        s->cause = idle_cause(s);
    }
}

/* ---- reports ------------------------------------------------------------------------------- */

static void explain_warp(WarpScheduler *s, WwExplain *explain, uint32_t warp)
{
    const WwWarpView *w = s->view.warps;
    const WwBarrierView *b = s->view.barriers;
    const WwWarp *state = &w->warp[warp];
    uint64_t bit = 1ull << warp;
    ww_explain_unit(explain, warp, warp);
    if (b->held & bit) {
        ww_explain_waits(explain, s->barriers.peer, "warp %u is at a CTA barrier", warp);
    } else if (warp_scheduler_unsettled(s, b->membar & bit) != 0) {
        ww_explain_waits(explain, s->hazards->pending & bit ? s->hazard.peer : s->warps.peer,
                         "warp %u is at a memory barrier", warp);
    } else if (warp_scheduler_atomics(s) & bit) {
        ww_explain_waits(explain, s->warps.peer, "warp %u has %u atomic lanes outstanding", warp,
                         state->atomics);
    } else if (b->async & bit) {
        ww_explain_waits(explain, s->barriers.peer, "warp %u waits for asynchronous copies", warp);
    } else if (!(w->ibuf & bit)) {
        ww_explain_waits(explain, s->warps.peer, "warp %u has no instruction in its i-buffer",
                         warp);
    } else {
        const WwInst *inst = state->ibuf[state->next];
        const Route *route = &s->route[inst->op];
        if (state->launch_wait != 0) {
            ww_explain_note(explain, "warp %u: %s takes %u more tries for its device-side launch",
                            warp, inst->s->opcode, state->launch_wait);
            return;
        }
        const char *needs = "a register whose write is pending";
        const void *on = s->hazard.peer;
        if (!(s->blocked & bit)) {
            bool full = WW_BOUND(route->port) && ww_regs_none_free(route->port, s->view.scheduler);
            needs = full ? "a free issue register" : "its policy, which does not order it";
            on = full ? route->port->peer : s->policy.peer;
        }
        ww_explain_waits(explain, on, "warp %u: %s (pc %" G_GINT64_MODIFIER "x) needs %s", warp,
                         inst->s->opcode, inst->s->pc, needs);
    }
}

void warp_scheduler_explain(void *self, WwExplain *explain)
{
    WarpScheduler *s = self;
    for (uint64_t m = s->view.mine & s->view.warps->live; m != 0; m &= m - 1) {
        explain_warp(s, explain, (uint32_t)__builtin_ctzll(m));
    }
}
