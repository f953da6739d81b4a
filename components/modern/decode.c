/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode stage of a sub-core: tells the instruction buffers what has been fetched, one instruction a cycle.
 *
 *     fetch ──fetch──> decode ──> ibuffer
 */
#include "types.h"
#include <ports/sub_core.h>
#include <ports/tokens.h>

typedef struct Decode {
    WwComponent base;
    /* ports */
    WwPort fetch;
    WwPort ibuffer;
    /* statistics */
    uint64_t decoded;
} Decode;

static WwRest decode_tick(void *self)
{
    Decode *d = self;
    if (!ww_fifo_ready(&d->fetch)) {
        return WW_SLEEP;
    }
    WwToken token = ww_fifo_take(&d->fetch);
    WW_IBUFFERS(&d->ibuffer)->decoded(d->ibuffer.peer, ww_fetch_warp(token), ww_fetch_pc(token));
    d->decoded++;
    return ww_fifo_ready(&d->fetch) ? WW_AGAIN : WW_SLEEP;
}

static const WwPortRow decode_ports[] = {
    WW_PORT_IN(Decode, fetch, &ww_contract_fetch, 1, "fetched instructions"),
    WW_PORT_REQUIRES(Decode, ibuffer, &ww_contract_ibuffer, 1, WW_RANK_DECODE,
                     "the instruction buffers with the entries to validate"),
    {0},
};

static const WwStatRow decode_stats[] = {
    WW_COUNTER(Decode, decoded, "instructions", "instructions decoded, including unused ones"),
    {0},
};

static const WwEntryRow decode_entries[] = {
    {.name = "decode", .phase = "core", .tick = decode_tick, .doc = "decodes one instruction"},
    {0},
};

const WwType decode_modern_type = {
    .abi = WW_ABI_VERSION,
    .name = "decode.modern",
    .doc = "decode stage of a sub-core: one instruction per cycle",
    .family = "frontend",
    .size = sizeof(Decode),
    .ports = decode_ports,
    .stats = decode_stats,
    .entries = decode_entries,
};
