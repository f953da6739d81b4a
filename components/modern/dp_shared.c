/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dp.shared`: the double-precision unit of an SM, behind the queues of its sub-cores.
 *
 *     in (one latch for all) -> [ dispatch | stages ] -> out[sub-core]
 *               => dispatch_slot
 *
 * An instruction is taken when the dispatch register is empty and no other is on the way over. It holds the register for its initiation interval
 * I, enters stage L - I, L its latency, and goes to the latch of its sub-core L + 1 cycles after it was taken; while that is full, it keeps
 * its stage. One without a result ends there.
 */
#include "stages-priv.h"
#include "types.h"

#include <ports/events.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <ports/warps.h>

enum { MAX_SUB_CORES = 16 };

typedef struct Dp {
    WwComponent base;
    /* parameters */
    uint32_t depth;
    /* ports */
    WwPort in;
    WwPort out[MAX_SUB_CORES];
    uint32_t n_out;
    WwPort warps;
    WwPort dispatch;
    /* state */
    WwInst *held;   /* In the dispatch register; NULL: it is empty. */
    WwCycle enters; /* When that goes on. */
    Stages stages;
    /* statistics */
    uint64_t issued;
    uint64_t busy;
    uint64_t lanes;
    uint64_t result_waits;
} Dp;

enum { LOG_EXEC, LOG_RETIRE };

static const WwEventField field_latency =
    WW_EVENT_FIELD("latency", WW_EVENT_NUMBER, "cycles", "from here to its result");
static const WwEventField field_interval =
    WW_EVENT_FIELD("interval", WW_EVENT_NUMBER, "cycles", "until the unit takes another one");
static const WwEventRow dp_events[] = {
    [LOG_EXEC] = {"exec",
                  "warp",
                  "the unit accepts an instruction",
                  {&ww_field_inst, &field_latency, &field_interval}},
    [LOG_RETIRE] = WW_EVENT_RETIRE,
    {0},
};

/* Stages between its initiation interval and its result. */
static inline uint32_t rest_of(const WwTiming *t)
{
    return (t->latency > t->interval ? (uint32_t)t->latency - t->interval : 0) + 1u;
}

static bool finish(Dp *d, WwInst *inst)
{
    if (inst->timing->dst_file == WW_FILE_NONE) {
        WW_LOG(d, &dp_events[LOG_RETIRE], inst->warp, WW_PART(inst));
        WW_WARPS(&d->warps)->finish(d->warps.peer, inst, WW_END_ALL);
        return true;
    }
    const WwPort *out = &d->out[inst->sched];
    int slot = ww_regs_free(out, inst->sched);
    if (slot < 0) {
        d->result_waits++;
        return false;
    }
    ww_regs_put_in(out->peer, slot, inst);
    return true;
}

static void leave(Dp *d, WwCycle now)
{
    if (stages_next(&d->stages) > now) {
        return;
    }
    if (finish(d, stages_first(&d->stages))) {
        stages_pop(&d->stages);
    } else {
        stages_hold(&d->stages, now);
    }
}

static void go_on(Dp *d, WwCycle now)
{
    if (d->held == NULL || d->enters > now) {
        return;
    }
    WwCycle leaves = now + rest_of(d->held->timing);
    if (stages_taken(&d->stages, leaves)) {
        d->enters = now + 1;
        return;
    }
    stages_put(&d->stages, d, d->held, leaves);
    d->held = NULL;
}

WW_COLD static void refuse(Dp *d, const WwInst *inst)
{
    g_autofree char *path = ww_path(d);
    ww_fail_run(d, inst->sched >= d->n_out
                       ? g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                     "%s: %s (trace line %u) comes from sub-core %u; expected that "
                                     "`out` leads there",
                                     path, inst->s->opcode, inst->s->line, inst->sched)
                       : g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                     "%s: %s (trace line %u) takes %u stages; expected at most "
                                     "depth = %u",
                                     path, inst->s->opcode, inst->s->line, rest_of(inst->timing),
                                     d->depth));
}

/* Takes the next one; answers when to look again. */
static WwCycle accept(Dp *d, WwCycle now)
{
    int slot = ww_regs_oldest(&d->in);
    if (d->held != NULL || slot < 0) {
        return WW_NEVER;
    }
    if (!WW_DISPATCH_SLOT(&d->dispatch)->free(d->dispatch.peer)) {
        return WW_DISPATCH_SLOT(&d->dispatch)->free_at(d->dispatch.peer);
    }
    const WwInst *inst = ww_regs_at(&d->in, slot);
    const WwTiming *t = inst->timing;
    if (G_UNLIKELY(inst->sched >= d->n_out || rest_of(t) > d->depth)) {
        refuse(d, inst);
        return WW_NEVER;
    }
    d->held = ww_regs_take(&d->in, slot);
    d->enters = now + MAX(t->interval, 1);
    d->issued++;
    d->lanes += ww_inst_lanes(inst);
    WW_LOG(d, &dp_events[LOG_EXEC], inst->warp, WW_PART(inst), MAX(t->interval, 1) + rest_of(t),
           MAX(t->interval, 1));
    return WW_NEVER;
}

static void dp_settle(void *self, uint32_t entry, uint64_t n)
{
    Dp *d = self;
    d->busy += d->held != NULL || d->stages.ring.n != 0 ? n : 0;
}

static WwRest dp_tick(void *self)
{
    Dp *d = self;
    WwCycle now = ww_now(d);
    leave(d, now);
    go_on(d, now);
    WwCycle next = MIN(accept(d, now), stages_next(&d->stages));
    next = d->held != NULL ? MIN(next, d->enters) : next;
    dp_settle(d, 0, 1);
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

static bool dp_init(void *self, GError **error)
{
    Dp *d = self;
    stages_init(&d->stages, d);
    return true;
}

static void dp_reset(void *self)
{
    Dp *d = self;
    d->held = NULL;
    d->enters = 0;
    ww_ring_clear(&d->stages.ring);
}

static void dp_explain(void *self, WwExplain *explain)
{
    const Dp *d = self;
    for (uint32_t i = 0; i < d->stages.ring.n; i++) {
        ww_explain_holds_inst(explain, stages_at(&d->stages, i)->inst);
    }
    if (d->stages.ring.n != 0) {
        const WwInst *inst = stages_first(&d->stages);
        ww_explain_waits(explain, d->out[inst->sched].peer,
                         "%u instructions inside, %s of warp %u is first", d->stages.ring.n,
                         inst->s->opcode, inst->warp);
    }
    if (d->held != NULL) {
        ww_explain_holds_inst(explain, d->held);
        ww_explain_note(explain, "%s of warp %u is in the dispatch register", d->held->s->opcode,
                        d->held->warp);
    }
}

static uint64_t dp_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried_from(&((const Dp *)self)->in, k);
}

static void dp_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Dp *d = self;
    WwInst *inst = ww_token_inst(token);
    WwTiming *t = ww_test_timing(inst);
    inst->sched = (uint8_t)(inst->sched % d->n_out);
    t->latency = (uint16_t)MIN(t->latency, t->interval + d->depth - 1);
}

static const WwParamRow dp_params[] = {
    WW_UINT(Dp, depth, "cycles", "64", 1, 4096,
            "stages: the largest (latency - initiation interval) of an instruction, plus 1"),
    {0},
};

static const WwPortRow dp_ports[] = {
    WW_PORT_IN(Dp, in, &ww_contract_inst, 1, "the reception latch for all sub-cores"),
    WW_PORT_ARRAY(Dp, out, WW_OUT, &ww_contract_inst, 1, NULL,
                  "the latch of results from the SM of each sub-core, by its number"),
    WW_PORT_REQUIRES(Dp, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "told of instructions that end without a result"),
    WW_PORT_REQUIRES(Dp, dispatch, &ww_contract_dispatch_slot, 1, WW_RANK_SHARED,
                     "nothing is accepted while a transfer is in progress"),
    {0},
};

static const WwStatRow dp_stats[] = {
    WW_COUNTER(Dp, issued, "instructions", "instructions accepted"),
    WW_COUNTER(Dp, busy, "cycles",
               "cycles at the end of which an instruction is in the register or the stages"),
    WW_COUNTER(Dp, lanes, "lanes", "their active lanes"),
    WW_COUNTER(Dp, result_waits, "cycles",
               "cycles in which a result found the latch of its sub-core full"),
    {0},
};

static const WwEntryRow dp_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = dp_tick,
     .doc = "sends a result on, advances the dispatch register, accepts an instruction"},
    {0},
};

const WwType dp_shared_type = {
    .abi = WW_ABI_VERSION,
    .name = "dp.shared",
    .doc = "The double-precision unit shared by the sub-cores of an SM.",
    .family = "sub_core",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Dp),
    .events = dp_events,
    .params = dp_params,
    .ports = dp_ports,
    .stats = dp_stats,
    .entries = dp_entries,
    .init = dp_init,
    .reset = dp_reset,
    .settle = dp_settle,
    .explain = dp_explain,
    .carries = dp_carries,
    .adapt = dp_adapt,
};
