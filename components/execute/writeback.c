/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write-back stage: whatever function units left in the write-back registers completes, all of
 * it, oldest first.
 *
 *     in (EX_WB) -> [ writeback ] => warps, banks
 *
 * It is the first stage of a core tick: a register released here lets a dependent instruction issue
 * in the same tick. Result buses have bounded what can arrive, so nothing is ever refused: the bank
 * of a destination is claimed when it is still free and written all the same when it is not.
 * Typically 1 to 4 instructions a tick; asleep until the next one is due.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/execute.h>
#include <ports/register_set.h>
#include <ports/warps.h>

static const WwEventRow writeback_events[] = {
    {"writeback",
     "warp",
     "an instruction's result is written: the instruction ends",
     {&ww_field_inst}},
    {0},
};

typedef struct Writeback {
    WwComponent base;
    /* parameters */
    bool wait_for_banks;
    /* ports */
    WwPort in;
    WwPort warps;
    WwPort banks;
    /* statistics */
    uint64_t instructions;
    uint64_t bank_conflicts;
} Writeback;

/* The register with the oldest result, those of @p waiting aside; -1: none. */
static int oldest_but(const WwPort *in, uint64_t waiting)
{
    int best = -1;
    if (waiting == 0) {
        return ww_regs_oldest(in);
    }
    for (uint64_t m = ww_regs_full(in) & ~waiting; m != 0; m &= m - 1) {
        int i = __builtin_ctzll(m);
        if (best < 0 || ww_inst_older(ww_regs_at(in, i), ww_regs_at(in, best))) {
            best = i;
        }
    }
    return best;
}

/* False: its bank is taken. */
static inline bool claim_bank(Writeback *wb, const WwInst *inst)
{
    bool free = WW_REGISTER_BANKS(&wb->banks)->write(wb->banks.peer, inst);
    wb->bank_conflicts += !free;
    return free;
}

static inline void complete(Writeback *wb, WwInst *inst)
{
    WW_LOG(wb, &writeback_events[0], inst->warp, WW_PART(inst));
    WW_WARPS(&wb->warps)->finish(wb->warps.peer, inst, WW_END_ALL);
    wb->instructions++;
}

/* What stands in registers. Does something have to wait? */
static bool take_registers(Writeback *wb)
{
    uint64_t waiting = 0; /* registers whose result found its bank taken */
    int slot;
    while ((slot = oldest_but(&wb->in, waiting)) >= 0) {
        if (!claim_bank(wb, ww_regs_at(&wb->in, slot)) && wb->wait_for_banks) {
            waiting |= 1ull << slot;
            continue;
        }
        complete(wb, ww_regs_take(&wb->in, slot));
    }
    return waiting != 0;
}

static WwRest writeback_tick(void *self)
{
    Writeback *wb = self;
    if (wb->wait_for_banks) {
        return take_registers(wb) ? WW_AGAIN : WW_SLEEP;
    }
    const WwCycle now = ww_now(wb);
    WwInst *inst;
    while ((inst = ww_regs_take_sent(&wb->in, now)) != NULL) {
        claim_bank(wb, inst);
        complete(wb, inst);
    }
    if (ww_regs_full(&wb->in) != 0) {
        take_registers(wb);
    }
    return ww_regs_rest(&wb->in, now);
}

static bool writeback_init(void *self, GError **error)
{
    const Writeback *wb = self;
    if (!wb->wait_for_banks) { /* else a result may find no room */
        ww_regs_drains(&wb->in);
    }
    return true;
}

static const WwParamRow writeback_params[] = {
    WW_BOOL(Writeback, wait_for_banks, "false",
            "a result waits while another write occupies its register bank; false: it does not, as "
            "in the reference"),
    {0},
};

static const WwPortRow writeback_ports[] = {
    WW_PORT_IN(Writeback, in, &ww_contract_inst, 1, "results of the function units"),
    WW_PORT_REQUIRES(Writeback, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "told of instructions that end"),
    WW_PORT_REQUIRES(Writeback, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                     "register banks for results"),
    {0},
};

static const WwStatRow writeback_stats[] = {
    WW_COUNTER(Writeback, instructions, "instructions", "warp instructions written back"),
    WW_COUNTER(Writeback, bank_conflicts, "instructions",
               "results whose bank was already in use; they are written without delay"),
    {0},
};

static const WwEntryRow writeback_entries[] = {
    {.name = "writeback",
     .phase = "core",
     .tick = writeback_tick,
     .doc = "completes every instruction in the write-back registers"},
    {0},
};

const WwType writeback_type = {
    .abi = WW_ABI_VERSION,
    .name = "writeback",
    .doc =
        "Write-back stage: releases registers and completes all results of the units each cycle.",
    .family = "writeback",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Writeback),
    .events = writeback_events,
    .params = writeback_params,
    .ports = writeback_ports,
    .stats = writeback_stats,
    .entries = writeback_entries,
    .init = writeback_init,
};
