/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pipelined function unit.
 *
 *     in (OC_EX) -> [ dispatch register | stages depth-1 .. 0 ] -> out (EX_WB)
 *                              bus => result_bus
 *
 * An instruction accepted in cycle e holds the dispatch register for its initiation interval I,
 * then enters stage L - I, moves one stage a cycle and leaves in cycle e + L + 1 (L its latency).
 * Accepting takes an empty dispatch register, no other instruction that would arrive at the same
 * time, and a result bus at e + L.
 *
 * Nothing of that moves here. When an instruction is accepted all its times are known, so the unit
 * keeps a ring of (instruction, exit), sorted, and the cycle from which the dispatch register is
 * empty: it runs when a token can be accepted. What it accepted is sent ahead (ww_regs_send()) and leaves without a turn
 * of the unit; where that is not possible, it has one when something leaves: two activations an instruction.
 * An append is the usual case; only a shorter latency behind a longer one moves entries. With an
 * interval of 0 the instruction enters stage L one cycle after acceptance and may find it taken;
 * then it waits in the dispatch register, which is also known at acceptance.
 *
 * A full write-back register set cannot happen when it has as many registers as there are result
 * buses. With a platform that has fewer, results wait in order at the exit, and the unit accepts
 * nothing while one does.
 */
#include "fu-priv.h"

static const WwEventField field_latency =
    WW_EVENT_FIELD("latency", WW_EVENT_NUMBER, "cycles", "from here to its result");
static const WwEventField field_interval =
    WW_EVENT_FIELD("interval", WW_EVENT_NUMBER, "cycles", "until the unit takes another one");
const WwEventRow fu_events[] = {
    {"exec",
     "warp",
     "a unit accepts an instruction",
     {&ww_field_inst, &field_latency, &field_interval}},
    {0},
};

static inline FuFlight *flight_at(const Fu *fu, uint32_t i)
{
    return &fu->flight[ww_ring_slot(&fu->ring, i)];
}

/* The tick in which cycle @p cycle of the unit lies. */
static inline WwCycle tick_of(const Fu *fu, WwCycle cycle, bool one)
{
    return one ? cycle : cycle / fu->clock_multiplier;
}

/* Has the unit to put what leaves in tick @p tick? */
static inline bool by_hand(const Fu *fu, WwCycle tick)
{
    return G_UNLIKELY(tick >= fu->ahead->until);
}

static __attribute__((noinline)) bool put_result(Fu *fu, WwInst *inst)
{
    int slot = ww_regs_free(&fu->out, inst->sched);
    if (slot >= 0) {
        ww_regs_put_in(fu->out.peer, slot, inst);
    }
    return slot >= 0;
}

/*
 * Something is due: everything leaves that is up to cycle @p end, if it has not. False when the write-back registers are
 * full.
 */
static inline __attribute__((always_inline)) bool retire(Fu *fu, WwCycle end, bool one)
{
    do {
        const FuFlight *f = flight_at(fu, 0);
        if (by_hand(fu, tick_of(fu, f->exit, one)) && !put_result(fu, f->inst)) {
            return false;
        }
        ww_ring_take(&fu->ring);
        fu->next_exit = fu->ring.n != 0 ? flight_at(fu, 0)->exit : WW_NEVER;
    } while (fu->next_exit <= end);
    return true;
}

/* Does an instruction in the unit arrive at the time that one with @p booked would? */
static inline bool occupied(const Fu *fu, WwCycle booked)
{
    for (uint32_t i = fu->ring.n; i-- > 0 && flight_at(fu, i)->exit > booked;) {
        if (flight_at(fu, i)->booked == booked) {
            return true;
        }
    }
    return false;
}

static inline __attribute__((always_inline)) void accept(Fu *fu, WwInst *inst, WwCycle end,
                                                         bool one)
{
    WwCycle enter = end + (inst->interval != 0 ? inst->interval : 1u);
    WwCycle exit = enter + (inst->latency - inst->interval) + 1u;
    uint32_t at = fu->ring.n;
    while (at > 0 && flight_at(fu, at - 1)->exit > exit) {
        at--;
    }
    if (at > 0 && flight_at(fu, at - 1)->exit == exit) { /* only after an interval of 0 */
        enter++;
        exit++;
        for (; at < fu->ring.n && flight_at(fu, at)->exit == exit; at++) {
            enter++;
            exit++;
        }
    }
    if (G_UNLIKELY(ww_ring_full(&fu->ring))) {
        fu->flight = ww_ring_grow(&fu->ring, fu, fu->flight, sizeof *fu->flight);
    }
    ww_ring_put(&fu->ring);
    for (uint32_t i = fu->ring.n - 1; i > at; i--) {
        *flight_at(fu, i) = *flight_at(fu, i - 1);
    }
    *flight_at(fu, at) = (FuFlight){inst, end + inst->latency, exit};
    fu->next_exit = MIN(fu->next_exit, exit);
    ww_regs_send(&fu->out, inst, tick_of(fu, exit, one));
    fu->free_at = enter;
    fu->issued++;
    fu->active_lane_cycles += ww_inst_lanes(inst) * (exit - enter);
    fu->busy += exit > fu->busy_until ? exit - MAX(end, fu->busy_until) : 0;
    fu->busy_until = MAX(exit, fu->busy_until);
    WW_LOG(fu, &fu_events[0], inst->warp, WW_PART(inst), inst->latency, inst->interval);
}

/* The register that the unit looks at, or -1. */
static inline int candidate(const Fu *fu)
{
    uint64_t full = fu->set->full & fu->mine;
    return full == 0 ? -1 : fu->private ? (int)fu->in.ordinal : ww_regs_oldest_in(fu->set, full);
}

WW_COLD static void refuse_latency(Fu *fu, const WwInst *inst)
{
    GError *error = NULL;
    char *path = ww_path(fu);
    if (inst->latency > FU_MAX_LATENCY) {
        ww_fail(&error, WW_ERROR_MODEL,
                "%s: %s (trace line %u) has a latency of %u cycles; expected at most %u", path,
                inst->s->opcode, inst->s->line, inst->latency, FU_MAX_LATENCY);
    } else if (inst->latency < inst->interval) {
        ww_fail(
            &error, WW_ERROR_MODEL,
            "%s: %s (trace line %u) has a latency of %u cycles and an initiation interval of %u; "
            "expected a latency not below the interval",
            path, inst->s->opcode, inst->s->line, inst->latency, inst->interval);
    } else {
        ww_fail(
            &error, WW_ERROR_MODEL,
            "%s: %s (trace line %u) with a latency of %u cycles and an initiation interval of %u "
            "does not fit into depth = %u; expected at least %u",
            path, inst->s->opcode, inst->s->line, inst->latency, inst->interval, fu->depth,
            inst->latency - inst->interval + 1u);
    }
    ww_fail_run(fu, error);
    g_free(path);
}

static inline bool latency_fits(const Fu *fu, const WwInst *inst)
{
    return inst->latency <= FU_MAX_LATENCY && inst->latency >= inst->interval &&
           (uint32_t)(inst->latency - inst->interval) < fu->depth;
}

/* An instruction in a register of its scheduler's for which there is no unit: it would stay there for ever. */
WW_COLD static void fail_unread(Fu *fu)
{
    const WwRegisterSet *set = fu->in.peer;
    int slot = __builtin_ctzll(set->full & fu->unread);
    g_autofree char *path = ww_path(set);
    ww_fail_run(fu,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: %s (trace line %u) of scheduler %d is in its private register, "
                            "and no unit takes from there: %u units; expected one for each "
                            "scheduler",
                            path, set->reg[slot]->s->opcode, set->reg[slot]->s->line, slot,
                            set->ch.n_readers));
}

/*
 * Takes an instruction if one may be taken after cycle @p end, the last of tick @p now. Returns the
 * tick in which looking again may change something: a booked arrival moves on and a bus frees up
 * with each cycle.
 */
static inline __attribute__((always_inline)) WwCycle look(Fu *fu, WwCycle now, WwCycle end,
                                                          bool one)
{
    int slot = candidate(fu);
    if (slot < 0) {
        if (G_UNLIKELY(fu->private && (ww_regs_full(&fu->in) & fu->unread) != 0)) {
            fail_unread(fu);
        }
        return WW_NEVER;
    }
    if (end < fu->free_at) {
        return tick_of(fu, fu->free_at, one);
    }
    const WwInst *inst = ww_regs_at(&fu->in, slot);
    if (!(fu->accepts >> inst->op & 1u)) {
        return fu->shared ? now + 1 : WW_NEVER;
    }
    if (G_UNLIKELY(!latency_fits(fu, inst))) {
        refuse_latency(fu, inst);
        return WW_NEVER;
    }
    if (occupied(fu, end + inst->latency)) {
        fu->slot_waits++;
        return now + 1;
    }
    if (!WW_RESULT_BUS(&fu->bus)->reserve(fu->bus.peer, inst->latency)) {
        fu->bus_waits++;
        return now + 1;
    }
    accept(fu, ww_regs_take_out(fu->set, slot), end, one);
    return candidate(fu) >= 0 ? tick_of(fu, fu->free_at, one) : WW_NEVER;
}

/* @p one: it makes one cycle in a tick, a constant. */
static inline __attribute__((always_inline)) WwRest execute(Fu *fu, bool one)
{
    WwCycle now = ww_now(fu);
    WwCycle end = one ? now : (now + 1) * fu->clock_multiplier - 1;
    if (fu->next_exit <= end && !retire(fu, end, one)) {
        return WW_SLEEP; /* until a write-back register is freed */
    }
    WwCycle next = look(fu, now, end, one);
    if (fu->next_exit != WW_NEVER && by_hand(fu, tick_of(fu, fu->next_exit, one))) {
        next = MIN(next, tick_of(fu, fu->next_exit, one));
    }
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

static __attribute__((noinline)) WwRest execute_cycles(Fu *fu)
{
    return execute(fu, false);
}

WwRest fu_execute(void *self)
{
    Fu *fu = self;
    return G_LIKELY(fu->clock_multiplier == 1) ? execute(fu, true) : execute_cycles(fu);
}

bool fu_init(Fu *fu, uint32_t accepts, GError **error)
{
    const WwRegisterSet *set = fu->in.peer;
    fu->set = set;
    fu->private = set->private;
    fu->mine = set->private ? 1ull << (fu->in.ordinal & 63u) : UINT64_MAX;
    fu->accepts = accepts;
    fu->unread = set->width > set->ch.n_readers ? UINT64_MAX << set->ch.n_readers : 0;
    fu->shared = !fu->private && set->ch.n_readers > 1;
    ww_ring_init(&fu->ring, 1); /* it grows, up to depth + 2: all stages, dispatch register */
    fu->flight = &fu->first;
    fu->ahead = ww_regs_sends(&fu->out, fu->clock_multiplier == 1);
    return true;
}

/* Every arithmetic class that is issued to the units of the register_set has one that executes it. */
bool fu_start(void *self, GError **error)
{
    Fu *fu = self;
    const WwRegisterSet *set = fu->in.peer;
    uint32_t accepted = 0;
    for (uint32_t i = 0; i < set->ch.n_readers; i++) {
        const WwComponent *other = set->ch.reader[i].who;
        accepted |= other->type->start == fu_start ? ((const Fu *)other)->accepts : UINT32_MAX;
    }
    uint64_t missing = ww_carried(&fu->in) & ((1ull << WW_N_OPS) - 1) & ~(uint64_t)accepted;
    if (missing == 0) {
        return true;
    }
    g_autofree char *path = ww_path(set);
    uint32_t op = (uint32_t)__builtin_ctzll(missing);
    return ww_fail(
        error, WW_ERROR_USAGE,
        "%s instructions are issued to the units behind %s, of which none executes them; "
        "expected %s",
        ww_op_name((WwOp)op), path,
        op < WW_OP_SPEC1 ? "the class of what is issued there"
                         : "no specialised unit off below others that are on, or the schedulers' "
                           "spec_categories to name those that are on");
}

uint64_t fu_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const Fu *)self)->in);
}

void fu_reset(void *self)
{
    Fu *fu = self;
    fu->free_at = 0;
    fu->busy_until = 0;
    fu->next_exit = WW_NEVER;
    ww_ring_clear(&fu->ring);
}

/* Is it in the write-back registers, or further, without a turn of the unit since? */
static bool has_left(const Fu *fu, const FuFlight *f)
{
    WwCycle tick = f->exit / fu->clock_multiplier;
    return tick < ww_now(fu) && tick < fu->ahead->until;
}

void fu_explain(void *self, WwExplain *explain)
{
    Fu *fu = self;
    WwCycle end = (ww_now(fu) + 1) * fu->clock_multiplier - 1;
    uint32_t i = 0;
    while (i < fu->ring.n && has_left(fu, flight_at(fu, i))) {
        i++;
    }
    for (uint32_t k = i; k < fu->ring.n; k++) {
        ww_explain_holds_inst(explain, flight_at(fu, k)->inst);
    }
    if (i < fu->ring.n) {
        const WwInst *inst = flight_at(fu, i)->inst;
        if (flight_at(fu, i)->exit < end) {
            ww_explain_waits(explain, fu->out.peer,
                             "result of %s of warp %u finds no free register", inst->s->opcode,
                             inst->warp);
        } else {
            ww_explain_note(explain, "%u instructions in the pipeline, %s of warp %u leaves first",
                            fu->ring.n - i, inst->s->opcode, inst->warp);
        }
    }
    int slot = candidate(fu);
    if (slot < 0) {
        return;
    }
    const WwInst *inst = ww_regs_at(&fu->in, slot);
    if (!(fu->accepts >> inst->op & 1u)) {
        ww_explain_waits(explain, NULL,
                         "%s of warp %u has category %s, which this unit does not execute",
                         inst->s->opcode, inst->warp, ww_op_name(inst->op));
    } else if (end >= fu->free_at && !occupied(fu, end + inst->latency)) {
        ww_explain_waits(explain, fu->bus.peer, "%s of warp %u needs a result bus in %u cycles",
                         inst->s->opcode, inst->warp, inst->latency);
    }
}

const WwGoneRow fu_gone[] = {
    {"private",
     "the unit takes the register of its ordinal where those of its register_set are private"},
    {0},
};

const WwPortRow fu_ports[] = {
    WW_PORT_IN(Fu, in, &ww_contract_inst, 1, "instructions with collected operands"),
    WW_PORT_OUT(Fu, out, &ww_contract_inst, 1, "results for write-back"),
    WW_PORT_REQUIRES(Fu, bus, &ww_contract_result_bus, 1, NULL, "result buses of the SM"),
    {0},
};

const WwStatRow fu_stats[] = {
    WW_COUNTER(Fu, issued, "instructions", "instructions accepted"),
    WW_COUNTER(Fu, busy, "cycles", "unit cycles with an instruction inside; counted at acceptance"),
    WW_COUNTER(
        Fu, active_lane_cycles, "lanes",
        "active lanes of each instruction times its cycles in the stages; counted at acceptance"),
    WW_COUNTER(Fu, bus_waits, "cycles", "cycles in which an instruction waited for a result bus"),
    WW_COUNTER(
        Fu, slot_waits, "cycles",
        "cycles in which an instruction waited because another would arrive at the same time"),
    {0},
};

const WwEntryRow fu_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = fu_execute,
     .doc = "sends results on and takes the next instruction"},
    {0},
};
