/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The write-back stage: whatever function units left in the write-back registers completes, all of
 * it, oldest first.
 *
 *     in (EX_WB) -> [ writeback ] => warps, scoreboard, banks
 *
 * It is the first stage of a core tick: a register released here lets a dependent instruction issue
 * in the same tick. Result buses have bounded what can arrive, so nothing is ever refused: the bank
 * of a destination is claimed when it is still free and written all the same when it is not.
 * Typically 1 to 4 instructions a tick; asleep when none came.
 */
#include "types.h"

#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/register_set.h>
#include <ports/warps.h>

typedef struct Writeback {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort warps;
    WwPort scoreboard;
    WwPort banks;
    /* statistics */
    uint64_t instructions;
    uint64_t bank_conflicts;
} Writeback;

static WwRest writeback_tick(void *self)
{
    Writeback *wb = self;
    int slot;
    while ((slot = ww_regs_oldest(&wb->in)) >= 0) {
        WwInst *inst = ww_regs_take(&wb->in, slot);
        if (!WW_REGISTER_BANKS(&wb->banks)->write(wb->banks.peer, inst)) {
            wb->bank_conflicts++;
        }
        WW_SCOREBOARD(&wb->scoreboard)->release_all(wb->scoreboard.peer, inst);
        WW_EVENT(wb, "writeback", inst->warp,
                 "%s pc=%" G_GINT64_MODIFIER "x uid=%" G_GUINT64_FORMAT, inst->s->opcode,
                 inst->s->pc, inst->uid);
        const WwWarpsIf *warps = WW_WARPS(&wb->warps);
        warps->leave(wb->warps.peer, inst->warp);
        warps->complete(wb->warps.peer, inst);
        warps->release(wb->warps.peer, inst);
        wb->instructions++;
    }
    return WW_SLEEP;
}

static const WwPortRow writeback_ports[] = {
    WW_PORT_IN(Writeback, in, &ww_contract_inst, 1, "results of the function units"),
    WW_PORT_REQUIRES(Writeback, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "instructions leave their warp's pipeline here"),
    WW_PORT_REQUIRES(Writeback, scoreboard, &ww_contract_scoreboard, 1, WW_RANK_RELEASE,
                     "destinations are released here"),
    WW_PORT_REQUIRES(Writeback, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                     "register file banks that results are written to"),
    {0},
};

static const WwStatRow writeback_stats[] = {
    WW_COUNTER(Writeback, instructions, "instructions", "warp instructions written back"),
    WW_COUNTER(Writeback, bank_conflicts, "instructions",
               "results whose bank was taken already; they are written without delay"),
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
    .ports = writeback_ports,
    .stats = writeback_stats,
    .entries = writeback_entries,
};
