/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts `result_bus` and `register_banks`: what function units and write-back share; `inst_ends`: who hears of the ends of a
 * memory unit's instructions.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>

/** Buses that carry results of function units to write-back. */
typedef struct WwResultBusIf {
    /** Reserves a bus for a result @p latency cycles from now (below 512); false when all buses are taken then. */
    bool (*reserve)(void *self, uint32_t latency);
} WwResultBusIf;
/** Port contract `result_bus`: reservation of result buses. WW_RESULT_BUS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_result_bus;
#define WW_RESULT_BUS(port) ((const WwResultBusIf *)(port)->table)

/** Banks of a register file, as write-back sees them. */
typedef struct WwRegisterBanksIf {
    /**
     * A result is written: takes the bank of the destination of @p inst, until the end of the next collector step. False when it is taken;
     * try again next cycle, or ignore it as the main write-back does: docs/model.md#write-back.
     */
    bool (*write)(void *self, const WwInst *inst);
} WwRegisterBanksIf;
/** Write < collect (the provider's own step). */
#define WW_RANK_WRITE "write"
#define WW_RANK_COLLECT "collect"
/** Port contract `register_banks`: writes to register file banks. WW_REGISTER_BANKS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_register_banks;
#define WW_REGISTER_BANKS(port) ((const WwRegisterBanksIf *)(port)->table)

/** Who stands between a memory unit and the warps of an SM of another kind, and is told what the warps would be. */
typedef struct WwInstEndsIf {
    /**
     * As WwWarpsIf.finish(), in its place: @p what of @p inst ends. With WW_END_RECORD the caller is through with it and looks at it no
     * more; the provider ends it with the warps, then or later, once.
     */
    void (*finish)(void *self, WwInst *inst, uint32_t what);
} WwInstEndsIf;
/** Port contract `inst_ends`: ends of a memory unit's instructions. Nobody is woken. WW_INST_ENDS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_inst_ends;
#define WW_INST_ENDS(port) ((const WwInstEndsIf *)(port)->table)
