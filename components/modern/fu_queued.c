/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fu.queued`: a unit of a sub-core with a queue: the sub-core's part of the LD/ST unit and of the DP unit, and miscellaneous instructions.
 *
 *     in -> [ queue ] -> [ stage 0 .. n - 1 ] -> out: to what the SM shares (with `dispatch`), or results
 *               => ports                => dependence
 *
 * The control stage puts an instruction into the latch `in`. It goes into the queue while fewer than `queue` are in there and behind it. The
 * first of the queue reads its registers on its way into the first stage that takes it any time (WwTiming.stage); from there it goes from stage to
 * stage, each for one instruction. `war` cycles after it entered the first its operands are said to be read, unless they are held until it is
 * over (WW_TAKES_HELD). From the last stage it goes to what the SM shares when its latch there is empty and the way is free, which it takes for `way_cycles`; without such a way it is a result, or over.
 *
 * In a cycle the last stage comes first, then those before it, the queue, the latch. Kept are the cycles in which a stage is through and the
 * operands are read, so that in between there is nothing to do.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <ports/warps.h>
#include <string.h>
#include <warpwright/ring.h>

typedef struct Stage {
    WwInst *inst; /* NULL: empty. */
    WwCycle through;
    WwCycle read; /* WW_NEVER: its operands have been. */
} Stage;

typedef struct Queued {
    WwComponent base;
    /* parameters */
    uint32_t queue;
    uint32_t way_cycles;
    /* ports */
    WwPort in;
    WwPort out;
    WwPort warps;
    WwPort dependence;
    WwPort ports;
    WwPort dispatch;
    /* state */
    uint32_t inside; /* In the queue and the stages. */
    WwInst **waiting;
    WwRing ring; /* Of them. */
    Stage stage[WW_MAX_SUB_STAGES];
    /* statistics */
    uint64_t issued;
    uint64_t busy;
    uint64_t lanes;
    uint64_t retired;
    uint64_t most;
    uint64_t out_waits;
} Queued;

enum { LOG_EXEC, LOG_READ, LOG_RETIRE };

static const WwEventRow queued_events[] = {
    [LOG_EXEC] = {"exec", "warp", "an instruction leaves the queue of its unit", {&ww_field_inst}},
    [LOG_READ] = {"read", "warp", "its operands have been read", {&ww_field_inst}},
    [LOG_RETIRE] = WW_EVENT_RETIRE,
    {0},
};

static inline uint32_t last_of(const WwTiming *t)
{
    return t->n_stages != 0 ? t->n_stages - 1u : 0;
}

/* The first stage from @p from on that takes time; the last at any rate. */
static inline uint32_t next_stage(const WwTiming *t, uint32_t from)
{
    uint32_t last = last_of(t);
    while (from < last && t->stage[from] == 0) {
        from++;
    }
    return from;
}

static inline void occupy(Stage *s, WwInst *inst, uint32_t at, WwCycle now, WwCycle read)
{
    *s = (Stage){inst, now + MAX(inst->timing->stage[at], 1), read};
}

static void tell_read(Queued *q, Stage *s)
{
    s->read = WW_NEVER;
    WW_LOG(q, &queued_events[LOG_READ], s->inst->warp, WW_PART(s->inst));
    WW_DEPENDENCE(&q->dependence)->read(q->dependence.peer, s->inst);
}

/* Has the way out room for it? Then it goes. */
static bool hand_over(Queued *q, WwInst *inst)
{
    if (!WW_BOUND(&q->dispatch) && inst->timing->dst_file == WW_FILE_NONE) {
        WW_LOG(q, &queued_events[LOG_RETIRE], inst->warp, WW_PART(inst));
        q->retired++;
        WW_WARPS(&q->warps)->finish(q->warps.peer, inst, WW_END_ALL);
        return true;
    }
    int slot = ww_regs_free(&q->out, inst->sched);
    if (slot < 0 || (WW_BOUND(&q->dispatch) &&
                     !WW_DISPATCH_SLOT(&q->dispatch)->offer(q->dispatch.peer, inst->sched))) {
        return false;
    }
    if (WW_BOUND(&q->dispatch) && q->way_cycles != 0) {
        WW_DISPATCH_SLOT(&q->dispatch)->take(q->dispatch.peer, q->way_cycles);
    }
    ww_regs_put_in(q->out.peer, slot, inst);
    return true;
}

static void leave(Queued *q, Stage *s, WwCycle now)
{
    WwInst *inst = s->inst;
    WwCycle through = s->through;
    if (s->read != WW_NEVER) { /* it takes more cycles than the stages have */
        tell_read(q, s);
    }
    if (hand_over(q, inst)) {
        q->out_waits += now - through;
        q->inside--;
        s->inst = NULL;
    }
}

static void move_on(Queued *q, uint32_t i, WwCycle now)
{
    Stage *s = &q->stage[i];
    if (s->read <= now) {
        tell_read(q, s);
    }
    if (s->through > now) {
        return;
    }
    if (i >= last_of(s->inst->timing)) {
        leave(q, s, now);
        return;
    }
    uint32_t next = next_stage(s->inst->timing, i + 1);
    if (q->stage[next].inst == NULL) {
        occupy(&q->stage[next], s->inst, next, now, s->read);
        s->inst = NULL;
    }
}

static inline WwInst *first_waiting(const Queued *q)
{
    return q->waiting[ww_ring_first(&q->ring)];
}

/* Is there somewhere for the first of the queue to go? */
static inline bool has_stage(const Queued *q)
{
    return q->ring.n != 0 && q->stage[next_stage(first_waiting(q)->timing, 0)].inst == NULL;
}

static void leave_queue(Queued *q, WwCycle now)
{
    if (!has_stage(q)) {
        return;
    }
    WwInst *inst = first_waiting(q);
    if (!WW_REGISTER_PORTS(&q->ports)->read_queued(q->ports.peer, inst)) {
        return;
    }
    uint32_t at = next_stage(inst->timing, 0);
    bool held = (inst->timing->flags & WW_TAKES_HELD) != 0;
    occupy(&q->stage[at], inst, at, now, held ? WW_NEVER : now + MAX(inst->timing->war, 1));
    ww_ring_take(&q->ring);
    WW_LOG(q, &queued_events[LOG_EXEC], inst->warp, WW_PART(inst));
}

static void enter_queue(Queued *q)
{
    int slot = ww_regs_oldest(&q->in);
    if (slot < 0 || q->inside == q->queue) {
        return;
    }
    WwInst *inst = ww_regs_take(&q->in, slot);
    q->waiting[ww_ring_put(&q->ring)] = inst;
    q->inside++;
    q->most = MAX(q->most, q->inside);
    q->issued++;
    q->lanes += ww_inst_lanes(inst);
}

/* When something is next to do that nobody tells of. */
static WwCycle next_turn(const Queued *q, WwCycle now)
{
    if (has_stage(q) || (ww_regs_full(&q->in) != 0 && q->inside < q->queue)) {
        return now + 1;
    }
    WwCycle next = WW_NEVER;
    for (uint32_t i = 0; i < WW_MAX_SUB_STAGES; i++) {
        const Stage *s = &q->stage[i];
        if (s->inst == NULL) {
            continue;
        }
        next = MIN(next, s->read);
        if (s->through > now) {
            next = MIN(next, s->through);
        } else if (i >= last_of(s->inst->timing) && WW_BOUND(&q->dispatch)) {
            WwCycle way = WW_DISPATCH_SLOT(&q->dispatch)->free_at(q->dispatch.peer);
            if (way > now) {
                next = MIN(next, way);
            } else if (!ww_regs_none_free(&q->out, s->inst->sched)) {
                next = now + 1; /* it was another one's turn */
            }                   /* else until its latch there is taken */
        }
    }
    return next;
}

static void queued_settle(void *self, uint32_t entry, uint64_t n)
{
    Queued *q = self;
    q->busy += q->inside != 0 ? n : 0;
}

static WwRest queued_tick(void *self)
{
    Queued *q = self;
    WwCycle now = ww_now(q);
    for (uint32_t i = WW_MAX_SUB_STAGES; i-- > 0;) {
        if (q->stage[i].inst != NULL) {
            move_on(q, i, now);
        }
    }
    leave_queue(q, now);
    enter_queue(q);
    queued_settle(q, 0, 1);
    WwCycle next = next_turn(q, now);
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

static bool queued_init(void *self, GError **error)
{
    Queued *q = self;
    q->waiting = ww_alloc(q, ww_ring_init(&q->ring, q->queue) * sizeof(WwInst *));
    return true;
}

static void queued_reset(void *self)
{
    Queued *q = self;
    q->inside = 0;
    ww_ring_clear(&q->ring);
    memset(q->stage, 0, sizeof q->stage);
}

static void queued_explain(void *self, WwExplain *explain)
{
    const Queued *q = self;
    for (uint32_t i = 0; i < q->ring.n; i++) {
        ww_explain_holds_inst(explain, q->waiting[ww_ring_slot(&q->ring, i)]);
    }
    for (uint32_t i = 0; i < WW_MAX_SUB_STAGES; i++) {
        const Stage *s = &q->stage[i];
        if (s->inst != NULL) {
            ww_explain_holds_inst(explain, s->inst);
            if (i >= last_of(s->inst->timing) && s->through <= ww_now(q)) {
                ww_explain_waits(explain, q->out.peer, "%s of warp %u waits to go on",
                                 s->inst->s->opcode, s->inst->warp);
            }
        }
    }
    if (q->inside == q->queue) {
        ww_explain_note(explain, "%u of %u instructions inside", q->inside, q->queue);
    }
}

static uint64_t queued_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const Queued *)self)->in);
}

static const WwParamRow queued_params[] = {
    WW_UINT(Queued, queue, "entries", "4", 1, 64, "instructions in the queue and after it"),
    WW_UINT(Queued, way_cycles, "cycles", "2", 0, 64,
            "cycles an instruction occupies the path to the SM's shared units, including this one; "
            "0: it does not use it"),
    {0},
};

static const WwPortRow queued_ports[] = {
    WW_PORT_IN(Queued, in, &ww_contract_inst, 1,
               "the dispatch latch: instructions from the control stage"),
    WW_PORT_OUT(Queued, out, &ww_contract_inst, 1,
                "the latch of the SM's shared unit, or of variable-latency results"),
    WW_PORT_REQUIRES(Queued, warps, &ww_contract_warps, 1, WW_RANK_EXECUTE,
                     "told of instructions that end without a result, unless they go on to the SM"),
    WW_PORT_REQUIRES(Queued, dependence, &ww_contract_dependence, 1, WW_RANK_READ,
                     "told of operands that have been read"),
    WW_PORT_REQUIRES(Queued, ports, &ww_contract_register_ports, 1, WW_RANK_QUEUED,
                     "read ports of the register banks"),
    WW_PORT_REQUIRES(Queued, dispatch, &ww_contract_dispatch_slot, 0, WW_RANK_UNIT,
                     "the path to the SM's shared units; unbound: what leaves is a result"),
    {0},
};

static const WwStatRow queued_stats[] = {
    WW_COUNTER(Queued, issued, "instructions", "instructions that entered the queue"),
    WW_COUNTER(Queued, busy, "cycles",
               "cycles at the end of which an instruction is in the queue or the stages"),
    WW_COUNTER(Queued, lanes, "lanes", "their active lanes"),
    WW_COUNTER(Queued, retired, "instructions",
               "of these, those without a result, which ended here"),
    WW_MAXIMUM(Queued, most, "entries", "maximum number of instructions inside"),
    WW_COUNTER(Queued, out_waits, "cycles",
               "cycles finished instructions could not proceed; counted when they do"),
    {0},
};

static const WwEntryRow queued_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = queued_tick,
     .doc = "advances instructions through the stages, out of the queue and into it"},
    {0},
};

const WwType fu_queued_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.queued",
    .doc = "A sub-core's unit with a queue: its part of LD/ST and of DP, or miscellaneous "
           "instructions.",
    .family = "sub_core",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Queued),
    .events = queued_events,
    .params = queued_params,
    .ports = queued_ports,
    .stats = queued_stats,
    .entries = queued_entries,
    .init = queued_init,
    .reset = queued_reset,
    .settle = queued_settle,
    .explain = queued_explain,
    .carries = queued_carries,
};
