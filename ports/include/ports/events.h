/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fields that the events of many types have (warpwright/event_log.h), so that one instruction, and one memory request, is called the same
 * wherever it is. docs/events.md tells how to follow them.
 */
#pragma once

#include <ports/inst.h>
#include <ports/tokens.h>
#include <warpwright/event_log.h>

/** Of an instruction: `uid=` and `pc=`, its opcode as a word alone, `mask=` of active lanes. */
WW_API extern const WwEventField ww_field_uid, ww_field_pc, ww_field_opcode, ww_field_mask;
/** Of a memory request: `sm=`, `req=`, `type=`, `addr=`, `size=`. */
WW_API extern const WwEventField ww_field_sm, ww_field_req, ww_field_type, ww_field_addr,
    ww_field_size;
/** `kernel=`, its number in the run; `slot=`, a place in the SM or a register. */
WW_API extern const WwEventField ww_field_kernel, ww_field_slot;

/** The registers of @p s at @p at, " dst=R4 src=R2,R6": a blank before each, and only what there is; returns where it ends. */
WW_API char *ww_write_registers(char *at, const WwSinst *s);

/** `dst= src=`, what there is of it; their value is WW_PART() of a WwSinst. */
WW_API extern const WwEventField ww_field_registers;
/** `line=` of the trace's file. */
WW_API extern const WwEventField ww_field_line;
/** An instruction: `OPCODE pc= uid=`. Its value is WW_PART() of a WwInst. */
WW_API extern const WwEventField ww_field_inst;
/**
 * The row of a type of a modern SM in which instructions end: each instruction is over in one event of this kind, with a result or without, in the
 * cycle in which its result is written or it leaves the last part that it needs. Behind it nobody says anything of the instruction.
 */
#define WW_EVENT_RETIRE                                                                            \
    {                                                                                              \
        "retire", "warp", "an instruction of a modern SM ends",                                    \
        {                                                                                          \
            &ww_field_inst                                                                         \
        }                                                                                          \
    }
/**
 * A memory request: `sm= uid= req= type= addr= size=`, of which there is no `uid=` when no instruction made it, and no `sm=` when no SM did.
 * Its value is WW_PART() of a WwMemReq.
 */
WW_API extern const WwEventField ww_field_request;
/**
 * What it is called: the number that its LD/ST unit gave it, or a letter and the number of its maker: i an instruction cache, c a
 * first-level cache, s and its number an L2 slice. An SM has no two of one name, but for i in a modern one, where several parts count; what a
 * slice makes is called differently from what SMs do.
 */
WW_API char *ww_request_name(char *at, const WwMemReq *req);
