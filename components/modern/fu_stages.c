/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A unit of a sub-core that executes one instruction after the other.
 *
 *     in -> [ dispatch latch | stages depth - 1 .. 0 | predicate stages ] -> out
 *
 * What is in the latch (a register_set of one) since cycle d leaves it in d + I, I its initiation interval, enters stage L - 1, L its latency,
 * and leaves stage 0 in d + I + L; a result that is a predicate takes `extra` stages more. Then it goes out; without a result it ends here. What
 * finds the stage taken that it would enter waits in front of it; what finds no room behind the unit keeps its stage.
 *
 * In a cycle the predicate stages come first, then the others, then the latch: room is made before it is taken.
 */
#include "fu_stages-priv.h"

#include <ports/events.h>
#include <ports/test_inst.h>
#include <ports/warps.h>
#include <string.h>

static const WwEventField field_latency =
    WW_EVENT_FIELD("latency", WW_EVENT_NUMBER, "cycles", "from here to its result");
static const WwEventField field_interval =
    WW_EVENT_FIELD("interval", WW_EVENT_NUMBER, "cycles", "until the unit takes another one");
const WwEventRow fu_stages_events[] = {
    {"exec",
     "warp",
     "a unit starts an instruction",
     {&ww_field_inst, &field_latency, &field_interval}},
    WW_EVENT_RETIRE,
    {0},
};

/* It leaves the unit; false: there is no room. */
static bool finish(FuStages *fu, WwInst *inst)
{
    if (inst->timing->dst_file == WW_FILE_NONE) {
        WW_LOG(fu, &fu_stages_events[1], inst->warp, WW_PART(inst));
        fu->retired++;
        WW_WARPS(&fu->warps)->finish(fu->warps.peer, inst, WW_END_ALL);
        return true;
    }
    int slot = ww_regs_free(&fu->out, inst->sched);
    if (slot < 0) {
        fu->result_waits++;
        return false;
    }
    ww_regs_put_in(fu->out.peer, slot, inst);
    return true;
}

/* What is due leaves the stages @p s, or stays in front of what holds it up. */
static void leave(FuStages *fu, Stages *s, WwCycle now)
{
    if (stages_next(s) > now) {
        return;
    }
    WwInst *inst = stages_first(s);
    uint32_t extra = s == &fu->pipe ? inst->timing->extra : 0;
    if (extra == 0 ? !finish(fu, inst) : stages_taken(&fu->extra, now + extra)) {
        stages_hold(s, now);
        return;
    }
    if (extra != 0) {
        stages_put(&fu->extra, fu, inst, now + extra);
    }
    stages_pop(s);
}

WW_COLD static void refuse(FuStages *fu, const WwInst *inst)
{
    g_autofree char *path = ww_path(fu);
    const WwTiming *t = inst->timing;
    ww_fail_run(fu, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                "%s: %s (trace line %u) has a latency of %u cycles and %u for a "
                                "predicate; expected at most depth = %u and extra_depth = %u",
                                path, inst->s->opcode, inst->s->line, t->latency, t->extra,
                                fu->depth, fu->extra_depth));
}

static void begin(FuStages *fu, WwCycle now)
{
    const WwInst *inst = ww_regs_at(&fu->in, fu->at);
    const WwTiming *t = inst->timing;
    uint32_t interval = MAX(t->interval, 1);
    if (G_UNLIKELY(t->latency > fu->depth || t->extra > fu->extra_depth)) {
        refuse(fu, inst);
    }
    fu->enters = now + interval - 1;
    fu->issued++;
    fu->lanes += ww_inst_lanes(inst);
    WW_LOG(fu, &fu_stages_events[0], inst->warp, WW_PART(inst),
           interval - 1 + MAX(t->latency, 1) + t->extra, interval);
}

/* The latch. */
static void dispatch(FuStages *fu, WwCycle now)
{
    if (fu->at < 0) {
        fu->at = ww_regs_oldest(&fu->in);
        if (fu->at < 0) {
            fu->enters = WW_NEVER;
            return;
        }
        begin(fu, now);
    }
    if (fu->enters > now) {
        return;
    }
    const WwInst *inst = ww_regs_at(&fu->in, fu->at);
    WwCycle leaves = now + MAX(inst->timing->latency, 1);
    if (inst->timing->latency > fu->depth || stages_taken(&fu->pipe, leaves)) {
        fu->enters = now + 1;
        return;
    }
    if (WW_BOUND(&fu->dependence)) {
        WW_DEPENDENCE(&fu->dependence)->read(fu->dependence.peer, inst);
    }
    stages_put(&fu->pipe, fu, ww_regs_take(&fu->in, fu->at), leaves);
    fu->at = -1;
    fu->enters = ww_regs_full(&fu->in) != 0 ? now + 1 : WW_NEVER;
}

/* Until it is woken there stays what there is. */
void fu_stages_settle(void *self, uint32_t entry, uint64_t n)
{
    FuStages *fu = self;
    bool inside = fu->at >= 0 || fu->pipe.ring.n != 0 || fu->extra.ring.n != 0;
    fu->busy += inside ? n : 0;
}

WwRest fu_stages_tick(void *self)
{
    FuStages *fu = self;
    WwCycle now = ww_now(fu);
    leave(fu, &fu->extra, now);
    leave(fu, &fu->pipe, now);
    dispatch(fu, now);
    fu_stages_settle(fu, 0, 1);
    WwCycle next = MIN(fu->enters, MIN(stages_next(&fu->pipe), stages_next(&fu->extra)));
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

bool fu_stages_init(void *self, GError **error)
{
    FuStages *fu = self;
    stages_init(&fu->pipe, fu);
    stages_init(&fu->extra, fu);
    return true;
}

void fu_stages_reset(void *self)
{
    FuStages *fu = self;
    fu->at = -1;
    fu->enters = WW_NEVER;
    ww_ring_clear(&fu->pipe.ring);
    ww_ring_clear(&fu->extra.ring);
    fu->free_at = 0;
    fu->ends = 0;
    memset(fu->end, 0, sizeof fu->end);
}

static void explain_stages(const FuStages *fu, const Stages *s, WwExplain *explain)
{
    for (uint32_t i = 0; i < s->ring.n; i++) {
        ww_explain_holds_inst(explain, stages_at(s, i)->inst);
    }
    if (s->ring.n != 0) {
        const WwInst *inst = stages_first(s);
        ww_explain_waits(explain, fu->out.peer, "%u instructions inside, %s of warp %u is first",
                         s->ring.n, inst->s->opcode, inst->warp);
    }
}

void fu_stages_explain(void *self, WwExplain *explain)
{
    const FuStages *fu = self;
    explain_stages(fu, &fu->extra, explain);
    explain_stages(fu, &fu->pipe, explain);
    if (fu->at >= 0) {
        ww_explain_note(explain, "%s of warp %u is in the dispatch latch",
                        ww_regs_at(&fu->in, fu->at)->s->opcode, ww_regs_at(&fu->in, fu->at)->warp);
    }
}

uint64_t fu_stages_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const FuStages *)self)->in);
}

void fu_stages_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const FuStages *fu = self;
    WwTiming *t = ww_test_timing(ww_token_inst(token));
    t->latency = (uint16_t)MIN(t->latency, fu->depth);
    t->extra = (uint16_t)MIN(t->extra, fu->extra_depth);
}
