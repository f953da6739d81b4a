/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `writeback.modern`: the write-back of a sub-core, the first stage of its cycle.
 *
 *     regular  -> |              results of fixed latency: `pops` a cycle of either queue
 *     uniform  -> | writeback => register_ports, warps, result_slots
 *     variable -> |              one of the sub-core's own units of variable latency
 *     shared   -> |              one of what the SM shares
 *
 * In this order they ask for the write ports of the regular register banks: results of fixed latency never wait for loads. A result of several
 * registers needs all their ports at once, at most as many as there are. What comes from the SM (WW_TAKES_TRANSFER) comes register by register,
 * `transfer_cycles` each, and needs the port of each register's bank in the last of these. Uniform registers and predicates have no ports.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/execute.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/warps.h>

typedef enum Source { FROM_REGULAR, FROM_UNIFORM, FROM_VARIABLE, FROM_SHARED, N_SOURCES } Source;

/* The result in a latch. */
typedef struct Transfer {
    int32_t at;    /* Its register of the set; -1: none is being written. */
    uint32_t left; /* Cycles that its transfer still takes, */
    uint32_t reg;  /* and the register that comes next. */
} Transfer;

typedef struct Writeback {
    WwComponent base;
    /* parameters */
    uint32_t pops;
    uint32_t transfer_cycles;
    /* ports */
    WwPort regular, uniform, variable, shared;
    WwPort warps;
    WwPort ports;
    WwPort regular_slots, uniform_slots;
    /* state */
    Transfer transfer[N_SOURCES];
    /* statistics */
    uint64_t instructions[N_SOURCES];
    uint64_t port_conflicts;
} Writeback;

static const WwEventRow writeback_events[] = {
    WW_EVENT_RETIRE,
    {0},
};

static bool can_write(const Writeback *wb, uint32_t first, uint32_t n)
{
    return WW_REGISTER_PORTS(&wb->ports)->can_write(wb->ports.peer, first, n);
}

static void write_register(const Writeback *wb, uint32_t reg)
{
    WW_REGISTER_PORTS(&wb->ports)->write(wb->ports.peer, reg);
}

/* Registers that are written at once. */
static uint32_t width_of(const Writeback *wb, const WwTiming *t)
{
    return MIN(t->n_dst, WW_REGISTER_PORTS(&wb->ports)->writes(wb->ports.peer));
}

/* Writes all of it, if it may. */
static bool write_whole(Writeback *wb, const WwTiming *t)
{
    if (t->dst_file != WW_FILE_REGULAR) {
        return true;
    }
    uint32_t n = width_of(wb, t);
    if (!can_write(wb, t->dst, n)) {
        wb->port_conflicts++;
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        write_register(wb, (uint32_t)t->dst + i);
    }
    return true;
}

/* A cycle of what comes register by register. Is it all here? */
static bool write_next(Writeback *wb, Transfer *x, const WwTiming *t)
{
    bool regular = t->dst_file == WW_FILE_REGULAR;
    bool last = x->left % wb->transfer_cycles == 1 % wb->transfer_cycles; /* of a register */
    if (x->left == 0) {
        return true;
    }
    if (last && regular && !can_write(wb, x->reg, 1)) {
        wb->port_conflicts++;
        return false;
    }
    x->left--;
    if (last) {
        if (regular) {
            write_register(wb, x->reg);
        }
        x->reg++;
    }
    return x->left == 0;
}

static inline bool is_transfer(const WwTiming *t)
{
    return (t->flags & WW_TAKES_TRANSFER) != 0 &&
           (t->dst_file == WW_FILE_REGULAR || t->dst_file == WW_FILE_UNIFORM);
}

static void retire(Writeback *wb, const WwPort *in, int slot, Source from)
{
    WwInst *inst = ww_regs_take(in, slot);
    WW_LOG(wb, &writeback_events[0], inst->warp, WW_PART(inst));
    wb->instructions[from]++;
    WW_WARPS(&wb->warps)->finish(wb->warps.peer, inst, WW_END_ALL);
}

/* Writes what stands in @p in, the oldest first. Did it? */
static bool write_one(Writeback *wb, const WwPort *in, Source from)
{
    Transfer *x = &wb->transfer[from];
    if (x->at < 0) {
        int slot = ww_regs_oldest(in);
        if (slot < 0) {
            return false;
        }
        const WwTiming *t = ww_regs_at(in, slot)->timing;
        if (!is_transfer(t)) {
            if (write_whole(wb, t)) {
                retire(wb, in, slot, from);
                return true;
            }
            return false;
        }
        *x = (Transfer){.at = slot, .left = t->transfer, .reg = t->dst};
    }
    if (write_next(wb, x, ww_regs_at(in, x->at)->timing)) {
        retire(wb, in, x->at, from);
        x->at = -1;
        return true;
    }
    return false;
}

static void write_queue(Writeback *wb, const WwPort *in, const WwPort *slots, Source from)
{
    for (uint32_t i = 0; i < wb->pops && WW_BOUND(in) && write_one(wb, in, from); i++) {
        if (WW_BOUND(slots)) {
            WW_RESULT_SLOTS(slots)->release(slots->peer);
        }
    }
}

static bool is_full(const WwPort *in)
{
    return WW_BOUND(in) && ww_regs_full(in) != 0;
}

static WwRest writeback_tick(void *self)
{
    Writeback *wb = self;
    write_queue(wb, &wb->regular, &wb->regular_slots, FROM_REGULAR);
    write_queue(wb, &wb->uniform, &wb->uniform_slots, FROM_UNIFORM);
    if (is_full(&wb->variable)) {
        write_one(wb, &wb->variable, FROM_VARIABLE);
    }
    if (is_full(&wb->shared)) {
        write_one(wb, &wb->shared, FROM_SHARED);
    }
    return is_full(&wb->regular) || is_full(&wb->uniform) || is_full(&wb->variable) ||
                   is_full(&wb->shared)
               ? WW_AGAIN
               : WW_SLEEP;
}

static void writeback_reset(void *self)
{
    Writeback *wb = self;
    for (uint32_t i = 0; i < N_SOURCES; i++) {
        wb->transfer[i].at = -1;
    }
}

static const WwParamRow writeback_params[] = {
    WW_UINT(Writeback, pops, "entries", "1", 1, 64, "results of a queue written per cycle"),
    WW_UINT(Writeback, transfer_cycles, "cycles", "2", 1, 64,
            "cycles per register from the SM's shared units; 2 for 64 bytes per cycle"),
    {0},
};

static const WwPortRow writeback_ports[] = {
    WW_PORT_IN(Writeback, regular, &ww_contract_inst, 1,
               "result queue of the fixed-latency units for regular registers and predicates"),
    WW_PORT_IN(Writeback, uniform, &ww_contract_inst, 0, "the same for uniform registers"),
    WW_PORT_IN(Writeback, variable, &ww_contract_inst, 0,
               "the latch of the sub-core's variable-latency results"),
    WW_PORT_IN(Writeback, shared, &ww_contract_inst, 0,
               "the latch of results from the SM's shared units"),
    WW_PORT_REQUIRES(Writeback, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "told of instructions that end"),
    WW_PORT_REQUIRES(Writeback, ports, &ww_contract_register_ports, 1, WW_RANK_WRITE,
                     "write ports of the register banks"),
    WW_PORT_REQUIRES(Writeback, regular_slots, &ww_contract_result_slots, 0, WW_RANK_WRITE,
                     "slots of the regular queue"),
    WW_PORT_REQUIRES(Writeback, uniform_slots, &ww_contract_result_slots, 0, WW_RANK_WRITE,
                     "slots of the uniform queue"),
    {0},
};

static const char *const source_labels[N_SOURCES] = {"regular", "uniform", "variable", "shared"};

static const WwStatRow writeback_stats[] = {
    WW_VECTOR(Writeback, instructions, "instructions", source_labels,
              "instructions that ended, by origin"),
    WW_COUNTER(Writeback, port_conflicts, "cycles",
               "cycles in which a result found the write port of its bank in use"),
    {0},
};

static const WwEntryRow writeback_entries[] = {
    {.name = "writeback",
     .phase = "core",
     .tick = writeback_tick,
     .doc = "writes results and ends their instructions"},
    {0},
};

const WwType writeback_modern_type = {
    .abi = WW_ABI_VERSION,
    .name = "writeback.modern",
    .doc =
        "Write-back of a sub-core: result queues and latches share the write ports of the banks.",
    .family = "sub_core",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Writeback),
    .events = writeback_events,
    .params = writeback_params,
    .ports = writeback_ports,
    .stats = writeback_stats,
    .entries = writeback_entries,
    .reset = writeback_reset,
};
