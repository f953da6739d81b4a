/* SPDX-License-Identifier: Apache-2.0 */
/** @file Instructions and memory requests as the event log says them (said.c). Each writes at @p at, and returns where it ends. */
#pragma once

#include <ports/events.h>

/** " LDG.E pc=a0 uid=307", of a WwInst. */
char *ww_say_inst(char *at, uint64_t inst);
/** "LDG.E pc=a0 warp=4 uid=307" */
char *ww_say_inst_token(char *at, uint64_t inst);
/** " sm=0 uid=307 req=4 type=GLOBAL_ACC_R addr=7fb0fc400260 size=32", of a WwMemReq. */
char *ww_say_req(char *at, uint64_t req);
/** "GLOBAL_ACC_R request addr=7fb0fc400260 size=32 sm=0 warp=4" */
char *ww_say_req_token(char *at, uint64_t req);

/** How a line keeps what each of them says. */
extern const WwEventKept ww_kept_inst, ww_kept_inst_token, ww_kept_req, ww_kept_req_token;
