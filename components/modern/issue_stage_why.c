/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why an issue_stage issues nothing: the names of causes, what each warp waits for where somebody is bound to `pcs` (run --pcs), what a hang
 * report says.
 *
 * A warp is told to be in the first of these states that applies:
 *
 *     not live: drain | held: barrier | memory barrier | no decoded instruction: fetch | the port is closed, the next stage taken |
 *     dependences | unit | result queue | another one issues: not_selected | constant | not offered, or not tried: policy
 *
 * What is told in a turn stays so until the next one: whoever changes any of it wakes the stage. While the port is closed nothing is asked that
 * changes without a word.
 */
#include "issue_stage-priv.h"

#include <ports/pcs_book.h>

const char *const issue_stage_causes[WW_N_STALLS] = {WW_STALL_LABELS};

const uint8_t issue_stage_rank[WW_N_STALLS] = {
    [WW_STALL_NO_WARP] = 0,   [WW_STALL_BARRIER] = 1,   [WW_STALL_MEMBAR] = 2,
    [WW_STALL_FETCH] = 3,     [WW_STALL_POLICY] = 4,    [WW_STALL_ASYNC] = 5,
    [WW_STALL_LONG] = 6,      [WW_STALL_SHORT] = 7,     [WW_STALL_MIO] = 8,
    [WW_STALL_COUNT] = 9,     [WW_STALL_YIELD] = 10,    [WW_STALL_RESULT] = 11,
    [WW_STALL_CONSTANT] = 12, [WW_STALL_UNIT] = 13,     [WW_STALL_UNIT + 1] = 13,
    [WW_STALL_UNIT + 2] = 13, [WW_STALL_UNIT + 3] = 13, [WW_STALL_UNIT + 4] = 13,
    [WW_STALL_UNIT + 5] = 13, [WW_STALL_UNIT + 6] = 13, [WW_STALL_DISPATCH] = 14,
    [WW_STALL_PORT] = 15,
};

WwStall issue_stage_idle(const IssueStage *s)
{
    uint64_t live = s->view.mine & s->view.warps->live;
    if (s->view.candidates & ~s->view.waiting) {
        return WW_STALL_POLICY; /* it left them out */
    }
    if (live & ~s->view.waiting) {
        return WW_STALL_FETCH;
    }
    return live & ~s->view.barriers->held ? WW_STALL_MEMBAR : WW_STALL_BARRIER;
}

/* ---- telling ------------------------------------------------------------------------------- */

/* What warp @p warp waits for whatever its instruction is, or WW_STATE_UNKNOWN. */
static WwStall state_without(const IssueStage *s, uint32_t warp)
{
    uint64_t bit = 1ull << warp;
    if (!(s->view.warps->live & bit)) {
        return WW_STATE_DRAIN;
    }
    if (s->view.waiting & bit) {
        return s->view.barriers->held & bit ? WW_STALL_BARRIER : WW_STALL_MEMBAR;
    }
    return s->buffers->valid & bit ? WW_STATE_UNKNOWN : WW_STALL_FETCH;
}

void issue_stage_look(IssueStage *s)
{
    for (uint64_t m = s->view.mine & s->view.warps->resident; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        WwStall state = state_without(s, warp);
        if (state == WW_STATE_UNKNOWN) {
            int unit;
            WwCycle until;
            const WwInst *inst = WW_IBUFFERS(&s->ibuffer)->head(s->ibuffer.peer, warp);
            state = issue_stage_waits(s, inst, &unit, &until);
        }
        s->state[warp] = (uint8_t)state;
    }
}

/*
 * What @p warp waits to have fetched. The trace's cursor does not tell: it is as far as anybody has looked ahead, and goes on while the warp
 * waits.
 */
static void place_fetching(IssueStage *s, uint32_t warp)
{
    WwPcsWarp *w = &s->book->warp[warp];
    const WwInst *next = s->buffers->next[warp];
    if (next != NULL) {
        w->row = ww_pcs_row(&s->pcs, w, warp, next->s->id);
    }
}

/* From this cycle on @p warp is in state @p state. */
static inline void put(IssueStage *s, uint32_t warp, WwStall state)
{
    if (s->book->warp[warp].state != state) {
        WW_PCS(&s->pcs)->enter(s->pcs.peer, 1ull << warp, state, ww_now(s));
        if (state == WW_STALL_FETCH) {
            place_fetching(s, warp);
        }
    }
}

/* The slot is lost to @p warp, or, WW_MAX_WARPS, to none. */
static inline void blame(IssueStage *s, uint32_t warp)
{
    WwPcsRow *row = warp < WW_MAX_WARPS ? ww_pcs_place(&s->pcs, s->book, warp) : s->book->nobody;
    s->book->scheduler[s->number].lost = &row->slots[s->cause];
    row->slots[s->cause]++;
}

void issue_stage_tell(IssueStage *s, uint64_t issued)
{
    uint32_t to = WW_MAX_WARPS;
    for (uint64_t m = s->view.mine & s->view.warps->resident & ~issued; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        WwStall state = (WwStall)s->state[warp];
        if (state == WW_STATE_NOT_SELECTED && issued == 0) {
            state = s->lacking >> warp & 1u ? WW_STALL_CONSTANT : WW_STALL_POLICY;
        }
        put(s, warp, state);
        if (to == WW_MAX_WARPS && state == s->cause) {
            to = warp;
        }
    }
    if (issued == 0) {
        blame(s, to);
    }
}

void issue_stage_tell_closed(IssueStage *s)
{
    uint32_t to = WW_MAX_WARPS;
    for (uint64_t m = s->view.mine & s->view.warps->resident; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        WwStall state = state_without(s, warp);
        if (state == WW_STATE_UNKNOWN) {
            state = s->cause;
        }
        put(s, warp, state);
        if (state == s->cause ? to == WW_MAX_WARPS || s->state[to] != s->cause
                              : to == WW_MAX_WARPS && (s->view.warps->live >> warp & 1u)) {
            to = warp; /* the first that waits for it, else the first that is live */
        }
        s->state[warp] = (uint8_t)state;
    }
    blame(s, to);
}

/* ---- reports ------------------------------------------------------------------------------- */

void issue_stage_explain(void *self, WwExplain *explain)
{
    IssueStage *s = self;
    for (uint64_t m = s->view.mine & s->view.warps->live & s->buffers->valid; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        const WwInst *inst = WW_IBUFFERS(&s->ibuffer)->head(s->ibuffer.peer, warp);
        uint64_t bit = 1ull << warp;
        ww_explain_unit(explain, warp, -1);
        uint32_t blocked = WW_DEPENDENCE(&s->dependence)->blocks(s->dependence.peer, inst);
        if (ww_regs_none_free(&s->out, s->number)) {
            ww_explain_waits(explain, s->out.peer, "%s of warp %u finds the next stage taken",
                             inst->s->opcode, warp);
        } else if ((s->view.barriers->held | s->view.barriers->membar) & bit) {
            ww_explain_waits(explain, s->barriers.peer, "warp %u waits at a barrier", warp);
        } else if (blocked != 0) {
            ww_explain_unit(explain, warp, warp);
            ww_explain_waits(explain, s->dependence.peer,
                             "%s (pc %" G_GINT64_MODIFIER "x) of warp %u waits for %s",
                             inst->s->opcode, inst->s->pc, warp,
                             blocked & WW_DEP_COUNTER  ? "a dependence counter"
                             : blocked & WW_DEP_COPIES ? "asynchronous copies"
                                                       : "a register");
        } else {
            const WwPort *slots = issue_stage_slots(s, inst->timing);
            bool full = slots != NULL && !WW_RESULT_SLOTS(slots)->free(slots->peer);
            ww_explain_waits(explain, full ? slots->peer : s->constants.peer,
                             "%s of warp %u waits for %s", inst->s->opcode, warp,
                             full ? "a place for its result" : "its constant");
        }
    }
}
