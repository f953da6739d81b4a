/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `operand_read`: Allocate and the read stages of a sub-core's fixed-latency instructions.
 *
 *     in (CONTROL_ALLOCATE) -> [ allocate ] -> [ stage depth - 1 .. 0 ] -> out[unit]: dispatch latches
 *                                 => register_ports, unit[]
 *
 * Allocate takes, in one cycle, all that an instruction needs until it is executed: its read stage, ports of the register banks within the
 * cycles of these stages, and the cycle in which it will leave its unit. What lacks one of them stays for another cycle, and so long its
 * unit's reservation lasts. Behind that nothing waits for anything: the read stages are a shift register, and what leaves it finds the
 * dispatch latch of its unit empty, unless instructions of one unit have different numbers of read stages.
 */
#include "stages-priv.h"
#include "types.h"

#include <ports/events.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>

typedef struct Reader {
    WwComponent base;
    /* parameters */
    uint32_t depth;
    /* ports */
    WwPort in;
    WwPort out[WW_N_FIXED_UNITS];
    uint32_t n_out;
    WwPort dependence;
    WwPort ports;
    WwPort unit[WW_N_FIXED_UNITS];
    uint32_t n_unit;
    /* state */
    Stages stages;
    /* statistics */
    uint64_t instructions;
    uint64_t held;
    uint64_t latch_waits;
} Reader;

enum { LOG_ALLOCATE, LOG_READ };

static const WwEventField field_stages =
    WW_EVENT_FIELD("stages", WW_EVENT_NUMBER, "cycles", "until its operands are read");
static const WwEventRow reader_events[] = {
    [LOG_ALLOCATE] = {"allocate",
                      "warp",
                      "an instruction has what it needs and enters the read stages",
                      {&ww_field_inst, &field_stages}},
    [LOG_READ] = {"read",
                  "warp",
                  "its operands have been read: it goes to its unit",
                  {&ww_field_inst}},
    {0},
};

/* What leaves the read stages goes into the dispatch latch of its unit. */
static void dispatch(Reader *r, WwCycle now)
{
    if (stages_next(&r->stages) > now) {
        return;
    }
    WwInst *inst = stages_first(&r->stages);
    const WwPort *out = &r->out[inst->unit];
    int slot = ww_regs_free(out, inst->sched);
    if (G_UNLIKELY(slot < 0)) {
        r->latch_waits++;
        stages_hold(&r->stages, now);
        return;
    }
    stages_pop(&r->stages);
    WW_LOG(r, &reader_events[LOG_READ], inst->warp, WW_PART(inst));
    WW_DEPENDENCE(&r->dependence)->read(r->dependence.peer, inst);
    ww_regs_put_in(out->peer, slot, inst);
}

/* An instruction that no unit here executes, or that reads for longer than there are stages. */
WW_COLD static void fail_inst(Reader *r, const WwInst *inst)
{
    g_autofree char *path = ww_path(r);
    const WwTiming *t = inst->timing;
    if (inst->unit >= MIN(r->n_out, r->n_unit)) {
        ww_fail_run(r, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                   "%s: %s (trace line %u) goes to unit %s; expected that the "
                                   "sub-core has one",
                                   path, inst->s->opcode, inst->s->line,
                                   ww_unit_name((WwUnit)inst->unit)));
    } else {
        ww_fail_run(r, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                   "%s: %s (trace line %u) takes %u read stages of depth = %u; "
                                   "expected 1 to %u",
                                   path, inst->s->opcode, inst->s->line, t->read_stages, r->depth,
                                   r->depth));
    }
}

static inline bool is_possible(const Reader *r, const WwInst *inst)
{
    return inst->unit < r->n_out && inst->unit < r->n_unit && inst->timing->read_stages >= 1 &&
           inst->timing->read_stages <= r->depth;
}

static bool try(const Reader *r, const WwInst *inst, WwCycle leaves, uint32_t ahead)
{
    const WwPort *unit = &r->unit[inst->unit];
    return !stages_taken(&r->stages, leaves) && WW_FIXED_UNIT(unit)->fits(unit->peer, ahead) &&
           WW_REGISTER_PORTS(&r->ports)->read(r->ports.peer, inst);
}

/* Answers whether it has to be asked again. */
static bool allocate(Reader *r, WwCycle now)
{
    int slot = ww_regs_oldest(&r->in);
    if (slot < 0) {
        return false;
    }
    const WwInst *inst = ww_regs_at(&r->in, slot);
    if (G_UNLIKELY(!is_possible(r, inst))) {
        fail_inst(r, inst);
        return false;
    }
    const WwTiming *t = inst->timing;
    const WwPort *unit = &r->unit[inst->unit];
    uint32_t ahead = (uint32_t)t->read_stages + t->latency + t->interval;
    if (!try(r, inst, now + t->read_stages, ahead)) {
        WW_FIXED_UNIT(unit)->delay(unit->peer);
        r->held++;
        return true;
    }
    WW_FIXED_UNIT(unit)->book(unit->peer, ahead);
    stages_put(&r->stages, r, ww_regs_take(&r->in, slot), now + t->read_stages);
    r->instructions++;
    WW_LOG(r, &reader_events[LOG_ALLOCATE], inst->warp, WW_PART(inst), t->read_stages);
    return ww_regs_full(&r->in) != 0;
}

static WwRest reader_tick(void *self)
{
    Reader *r = self;
    WwCycle now = ww_now(r);
    dispatch(r, now);
    if (allocate(r, now)) {
        return WW_AGAIN;
    }
    WwCycle next = stages_next(&r->stages);
    return next == WW_NEVER ? WW_SLEEP : next - now;
}

static bool reader_init(void *self, GError **error)
{
    Reader *r = self;
    stages_init(&r->stages, r);
    return true;
}

static void reader_reset(void *self)
{
    ww_ring_clear(&((Reader *)self)->stages.ring);
}

static void reader_explain(void *self, WwExplain *explain)
{
    Reader *r = self;
    for (uint32_t i = 0; i < r->stages.ring.n; i++) {
        ww_explain_holds_inst(explain, stages_at(&r->stages, i)->inst);
    }
    if (r->stages.ring.n != 0) {
        const WwInst *inst = stages_first(&r->stages);
        ww_explain_waits(explain, r->out[inst->unit].peer,
                         "%u instructions in the read stages, %s of warp %u leaves first",
                         r->stages.ring.n, inst->s->opcode, inst->warp);
    }
    int slot = ww_regs_oldest(&r->in);
    if (slot >= 0) {
        const WwInst *inst = ww_regs_at(&r->in, slot);
        ww_explain_waits(explain, r->ports.peer, "%s of warp %u waits for its registers and unit",
                         inst->s->opcode, inst->warp);
    }
}

static uint64_t reader_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const Reader *)self)->in);
}

static void reader_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Reader *r = self;
    WwInst *inst = ww_token_inst(token);
    WwTiming *t = ww_test_timing(inst);
    t->flags |= WW_TAKES_FIXED;
    inst->unit = t->unit = (uint8_t)(t->unit % MIN(r->n_out, r->n_unit));
    t->read_stages = (uint8_t)CLAMP(t->read_stages, 1u, r->depth);
}

static const WwParamRow reader_params[] = {
    WW_UINT(Reader, depth, "cycles", "6", 1, 64,
            "read stages: as many as the instruction with the widest operands needs"),
    {0},
};

static const WwPortRow reader_ports[] = {
    WW_PORT_IN(Reader, in, &ww_contract_inst, 1, "fixed-latency instructions"),
    WW_PORT_ARRAY(Reader, out, WW_OUT, &ww_contract_inst, 1, NULL,
                  "dispatch latches of the units, by number: int, sp, uniform, tensor, branch, "
                  "misc"),
    WW_PORT_REQUIRES(Reader, dependence, &ww_contract_dependence, 1, WW_RANK_READ,
                     "told of operands that have been read"),
    WW_PORT_REQUIRES(Reader, ports, &ww_contract_register_ports, 1, WW_RANK_ALLOCATE,
                     "ports of the register banks"),
    WW_PORT_ARRAY(Reader, unit, WW_REQUIRES, &ww_contract_unit, 1, WW_RANK_ALLOCATE,
                  "the units, numbered as `out`"),
    {0},
};

static const WwStatRow reader_stats[] = {
    WW_COUNTER(Reader, instructions, "instructions", "instructions allocated"),
    WW_COUNTER(Reader, held, "cycles",
               "cycles in which a read stage, register ports or the unit of an instruction were "
               "not available"),
    WW_COUNTER(
        Reader, latch_waits, "cycles",
        "cycles in which an instruction with operands found the dispatch latch of its unit full"),
    {0},
};

static const WwEntryRow reader_entries[] = {
    {.name = "read",
     .phase = "core",
     .tick = reader_tick,
     .doc = "passes on instructions with operands, then allocates the next instruction"},
    {0},
};

const WwType operand_read_type = {
    .abi = WW_ABI_VERSION,
    .name = "operand_read",
    .doc = "Allocate and the read stages: fixed-latency instructions get register ports.",
    .family = "operand_read",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Reader),
    .events = reader_events,
    .params = reader_params,
    .ports = reader_ports,
    .stats = reader_stats,
    .entries = reader_entries,
    .init = reader_init,
    .reset = reader_reset,
    .explain = reader_explain,
    .carries = reader_carries,
    .adapt = reader_adapt,
};
