/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `operand_collect`: an operand collector in the place of Allocate, read stages and register-file cache of a sub-core (operand_read).
 *
 *     in (CONTROL_ALLOCATE) -> [ collector unit ] x units -> out[unit]: dispatch latches
 *                                      ^ reads of each bank a cycle
 *
 * An instruction waits in a collector unit until all its registers have been read. Each bank gives its registers to the oldest that want one; each register is read
 * once, however often it is named. Who has all leaves for the latch of its unit, oldest first, when that is empty and no other will leave the unit in the same
 * cycle. So instructions overtake each other, of one warp too, and how long reading takes nobody knows at issue: stall counts do not fit, scoreboards do.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <string.h>

#define MAX_UNITS 64u
#define MAX_BANKS 16u

typedef struct Unit {
    WwInst *inst;
    uint8_t left[MAX_BANKS]; /* registers that are to be read yet, by bank, */
    uint32_t n_left;         /* and all in all */
} Unit;

typedef struct Collector {
    WwComponent base;
    /* parameters */
    uint32_t units, banks, reads;
    /* ports */
    WwPort in;
    WwPort out[WW_N_FIXED_UNITS];
    uint32_t n_out;
    WwPort dependence;
    WwPort unit[WW_N_FIXED_UNITS];
    uint32_t n_unit;
    /* state */
    uint32_t n;            /* of `taken` */
    Unit taken[MAX_UNITS]; /* oldest first */
    /* statistics */
    uint64_t instructions, held, conflicts;
} Collector;

enum { LOG_ALLOCATE, LOG_READ };

static const WwEventRow collector_events[] = {
    [LOG_ALLOCATE] = {"allocate", "warp", "an instruction gets a collector unit", {&ww_field_inst}},
    [LOG_READ] = {"read",
                  "warp",
                  "its operands have been read: it goes to its unit",
                  {&ww_field_inst}},
    {0},
};

/* ---- a cycle ------------------------------------------------------------------------------- */

/* Sends @p u on, if it has all its operands and its unit takes it. */
static bool leave(Collector *c, Unit *u)
{
    WwInst *inst = u->inst;
    const WwTiming *t = inst->timing;
    const WwPort *out = &c->out[inst->unit], *unit = &c->unit[inst->unit];
    uint32_t ahead = (uint32_t)t->latency + t->interval;
    int slot = u->n_left == 0 ? ww_regs_free(out, inst->sched) : -1;
    if (slot < 0 || !WW_FIXED_UNIT(unit)->fits(unit->peer, ahead)) {
        return false;
    }
    WW_FIXED_UNIT(unit)->book(unit->peer, ahead);
    WW_LOG(c, &collector_events[LOG_READ], inst->warp, WW_PART(inst));
    WW_DEPENDENCE(&c->dependence)->read(c->dependence.peer, inst);
    ww_regs_put_in(out->peer, slot, inst);
    return true;
}

static void dispatch(Collector *c)
{
    uint32_t left = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        if (leave(c, &c->taken[i])) {
            continue;
        }
        if (left != i) {
            c->taken[left] = c->taken[i];
        }
        left++;
    }
    c->n = left;
}

static void read_banks(Collector *c)
{
    for (uint32_t bank = 0; bank < c->banks; bank++) {
        uint32_t room = c->reads;
        for (uint32_t i = 0; i < c->n; i++) {
            Unit *u = &c->taken[i];
            uint32_t n = MIN(room, u->left[bank]);
            u->left[bank] = (uint8_t)(u->left[bank] - n);
            u->n_left -= n;
            room -= n;
            c->conflicts += u->left[bank];
        }
    }
}

/* The registers of @p t by bank, each once. */
static void count_reads(const Collector *c, const WwTiming *t, Unit *u)
{
    for (uint32_t i = 0; i < t->n_reads; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i; k++) {
            again |= t->read[k].reg == t->read[i].reg;
        }
        u->left[t->read[i].reg % c->banks] += !again;
        u->n_left += !again;
    }
}

/* An instruction that no unit here executes. */
WW_COLD static void fail_inst(Collector *c, const WwInst *inst)
{
    g_autofree char *path = ww_path(c);
    ww_fail_run(c, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s (trace line %u) goes to unit %s; expected that the sub-core "
                               "has one",
                               path, inst->s->opcode, inst->s->line,
                               ww_unit_name((WwUnit)inst->unit)));
}

static void accept(Collector *c)
{
    int slot = ww_regs_oldest(&c->in);
    if (slot < 0) {
        return;
    }
    const WwInst *inst = ww_regs_at(&c->in, slot);
    if (G_UNLIKELY(inst->unit >= MIN(c->n_out, c->n_unit))) {
        fail_inst(c, inst);
        return;
    }
    if (c->n == c->units) {
        const WwPort *unit = &c->unit[inst->unit];
        WW_FIXED_UNIT(unit)->delay(unit->peer);
        c->held++;
        return;
    }
    Unit *u = &c->taken[c->n++];
    *u = (Unit){.inst = ww_regs_take(&c->in, slot)};
    count_reads(c, u->inst->timing, u);
    c->instructions++;
    WW_LOG(c, &collector_events[LOG_ALLOCATE], u->inst->warp, WW_PART(u->inst));
}

static WwRest collector_tick(void *self)
{
    Collector *c = self;
    dispatch(c);
    read_banks(c);
    accept(c);
    return c->n != 0 || ww_regs_full(&c->in) != 0 ? WW_AGAIN : WW_SLEEP;
}

/* ---- life ---------------------------------------------------------------------------------- */

static void collector_reset(void *self)
{
    ((Collector *)self)->n = 0;
}

static void collector_explain(void *self, WwExplain *explain)
{
    Collector *c = self;
    for (uint32_t i = 0; i < c->n; i++) {
        const WwInst *inst = c->taken[i].inst;
        ww_explain_holds_inst(explain, inst);
        if (c->taken[i].n_left == 0) {
            ww_explain_waits(explain, c->out[inst->unit].peer, "%s of warp %u waits for its unit",
                             inst->s->opcode, inst->warp);
        }
    }
}

static uint64_t collector_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried(&((const Collector *)self)->in);
}

static void collector_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    const Collector *c = self;
    WwInst *inst = ww_token_inst(token);
    WwTiming *t = ww_test_timing(inst);
    t->flags |= WW_TAKES_FIXED;
    inst->unit = t->unit = (uint8_t)(t->unit % MIN(c->n_out, c->n_unit));
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow collector_params[] = {
    WW_UINT(Collector, units, "entries", "8", 1, MAX_UNITS, "collector units"),
    WW_UINT(Collector, banks, "entries", "2", 1, MAX_BANKS, "register banks of the sub-core"),
    WW_UINT(Collector, reads, "entries", "1", 1, 64, "registers read from a bank per cycle"),
    {0},
};

static const WwPortRow collector_ports[] = {
    WW_PORT_IN(Collector, in, &ww_contract_inst, 1, "fixed-latency instructions"),
    WW_PORT_ARRAY(Collector, out, WW_OUT, &ww_contract_inst, 1, NULL,
                  "dispatch latches of the units, by number: int, sp, uniform, tensor, branch, "
                  "misc"),
    WW_PORT_REQUIRES(Collector, dependence, &ww_contract_dependence, 1, WW_RANK_READ,
                     "told of operands that have been read"),
    WW_PORT_ARRAY(Collector, unit, WW_REQUIRES, &ww_contract_unit, 1, WW_RANK_ALLOCATE,
                  "the units, numbered as `out`"),
    {0},
};

static const WwStatRow collector_stats[] = {
    WW_COUNTER(Collector, instructions, "instructions", "instructions collected"),
    WW_COUNTER(Collector, held, "cycles",
               "cycles in which an instruction found no free collector unit"),
    WW_COUNTER(Collector, conflicts, "registers",
               "registers that waited for their bank; counted each cycle"),
    {0},
};

static const WwEntryRow collector_entries[] = {
    {.name = "collect",
     .phase = "core",
     .tick = collector_tick,
     .doc = "passes on instructions with operands, reads the banks, takes the next instruction"},
    {0},
};

const WwType operand_collect_type = {
    .abi = WW_ABI_VERSION,
    .name = "operand_collect",
    .doc = "An operand collector for a sub-core's fixed-latency instructions, instead of register "
           "ports and cache.",
    .family = "operand_read",
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Collector),
    .events = collector_events,
    .params = collector_params,
    .ports = collector_ports,
    .stats = collector_stats,
    .entries = collector_entries,
    .reset = collector_reset,
    .explain = collector_explain,
    .carries = collector_carries,
    .adapt = collector_adapt,
};
