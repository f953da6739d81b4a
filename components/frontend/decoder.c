/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The decode stage: takes a fetched group, puts the warp's next two instructions (or its last
 * one) into the i-buffer and stamps their latency and initiation interval.
 *
 * Both entries are filled by one group whatever its bytes; the decoder acts before the fetch unit
 * in a turn. The latency table has a pair of numbers for each class of opcodes; memory, barrier
 * and exit instructions take 1, 1 (their time passes elsewhere). Workload: one activation for
 * each two warp instructions, two table look-ups each.
 *
 *     fetch_unit ──fetch──> decoder ──> warps (i-buffers)
 */
#include "types.h"
#include <ports/events.h>
#include <ports/tokens.h>
#include <ports/warps.h>

#define MAX_LATENCY 511u /* what result buses and pipelines can look ahead */

typedef struct Decoder {
    WwComponent base;
    /* parameters */
    WwList lat_int, lat_sp, lat_dp, lat_sfu, lat_tensor;
    bool all_half_rate, true_units;
    uint32_t fetch_bytes;
    WwList lat_spec1, lat_spec2, lat_spec3, lat_spec4, lat_spec5, lat_spec6, lat_spec7, lat_spec8;
    /* ports */
    WwPort fetch;
    WwPort warps;
    /* state */
    uint16_t latency[WW_N_OPS];
    uint16_t interval[WW_N_OPS];
    uint16_t halved; /* flags of instructions whose interval is halved */
    /* statistics */
    uint64_t decoded;
} Decoder;

static const WwEventRow decode_events[] = {
    {"decode", "warp", "an instruction enters the i-buffer", {&ww_field_inst}},
    {0},
};

static void stamp(const Decoder *d, WwInst *inst)
{
    if (G_UNLIKELY(inst->s->true_op != 0) && d->true_units) {
        inst->op = (uint8_t)(inst->s->true_op - 1);
    }
    uint32_t interval = d->interval[inst->op];
    if (inst->s->flags & d->halved) {
        interval = interval / 2 != 0 ? interval / 2 : 1;
    }
    inst->latency = d->latency[inst->op];
    inst->interval = (uint16_t)interval;
    inst->cycles = (uint16_t)interval;
}

/* Did the warp's next instruction lie in the bytes that were fetched, behind the one at @p pc? */
static bool came_along(const Decoder *d, uint32_t warp, uint64_t pc)
{
    const WwWarp *w = &WW_WARPS(&d->warps)->view(d->warps.peer)->warp[warp];
    if ((w->trace == NULL && w->packed == NULL) || w->cursor >= w->n_trace) {
        return true; /* there is none, or nothing says where */
    }
    uint64_t next = w->kernel->sinst[ww_warp_decodes(w)]->pc;
    return next > pc && (next ^ pc) < d->fetch_bytes;
}

static inline void decoded(Decoder *d, uint32_t warp, WwInst *inst)
{
    stamp(d, inst);
    WW_LOG(d, &decode_events[0], warp, WW_PART(inst));
    d->decoded++;
}

/* Fills an i-buffer with what lies in the bytes that were fetched. */
static void __attribute__((noinline)) decode_bytes(Decoder *d, uint32_t warp)
{
    uint64_t pc = 0;
    for (uint32_t entry = 0; entry < WW_IBUFFER; entry++) {
        if (entry != 0 && !came_along(d, warp, pc)) {
            break;
        }
        WwInst *inst = WW_WARPS(&d->warps)->decode(d->warps.peer, warp);
        if (inst == NULL) {
            break;
        }
        pc = inst->s->pc;
        decoded(d, warp, inst);
        WW_WARPS(&d->warps)->fill(d->warps.peer, warp, entry, inst);
    }
}

static WwRest decode_tick(void *self)
{
    Decoder *d = self;
    if (!ww_fifo_ready(&d->fetch)) {
        return WW_SLEEP;
    }
    uint32_t warp = ww_fetch_warp(ww_fifo_take(&d->fetch));
    if (d->fetch_bytes == 0) {
        WwInst *inst[WW_IBUFFER];
        uint32_t n = WW_WARPS(&d->warps)->refill(d->warps.peer, warp, inst);
        for (uint32_t i = 0; i < n; i++) {
            decoded(d, warp, inst[i]);
        }
    } else {
        decode_bytes(d, warp);
    }
    return ww_fifo_ready(&d->fetch) ? WW_AGAIN : WW_SLEEP;
}

/* ---- the latency table ----------------------------------------------------------------------- */

static bool take_pair(Decoder *d, WwOp op, const char *name, WwList pair, GError **error)
{
    if (pair.n != 2) {
        return ww_fail(error, WW_ERROR_USAGE, "%s has %u %s; expected [latency, interval]", name,
                       pair.n, WW_PLURAL(pair.n, "number", "numbers"));
    }
    for (uint32_t i = 0; i < 2; i++) {
        if (pair.v[i] < 1 || pair.v[i] > MAX_LATENCY) {
            return ww_fail(error, WW_ERROR_USAGE, "%s: %s of %s is %u; expected 1..%u cycles", name,
                           i == 0 ? "the latency" : "the initiation interval", ww_op_name(op),
                           pair.v[i], MAX_LATENCY);
        }
    }
    d->latency[op] = (uint16_t)pair.v[0];
    d->interval[op] = (uint16_t)pair.v[1];
    return true;
}

static bool decode_init(void *self, GError **error)
{
    Decoder *d = self;
    const struct {
        WwOp op;
        const char *name;
        WwList pair;
    } rows[] = {
        {WW_OP_ALU, "lat_int", d->lat_int},
        {WW_OP_INT, "lat_int", d->lat_int},
        {WW_OP_BRANCH, "lat_int", d->lat_int},
        {WW_OP_CALL, "lat_int", d->lat_int},
        {WW_OP_RET, "lat_int", d->lat_int},
        {WW_OP_SP, "lat_sp", d->lat_sp},
        {WW_OP_DP, "lat_dp", d->lat_dp},
        {WW_OP_SFU, "lat_sfu", d->lat_sfu},
        {WW_OP_TENSOR, "lat_tensor", d->lat_tensor},
        {WW_OP_SPEC1, "lat_spec1", d->lat_spec1},
        {WW_OP_SPEC1 + 1, "lat_spec2", d->lat_spec2},
        {WW_OP_SPEC1 + 2, "lat_spec3", d->lat_spec3},
        {WW_OP_SPEC1 + 3, "lat_spec4", d->lat_spec4},
        {WW_OP_SPEC1 + 4, "lat_spec5", d->lat_spec5},
        {WW_OP_SPEC1 + 5, "lat_spec6", d->lat_spec6},
        {WW_OP_SPEC1 + 6, "lat_spec7", d->lat_spec7},
        {WW_OP_SPEC8, "lat_spec8", d->lat_spec8},
    };
    if ((d->fetch_bytes & (d->fetch_bytes - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "fetch_bytes = %u; expected a power of two, or 0",
                       d->fetch_bytes);
    }
    d->halved = WW_INST_HALF_RATE_II | (d->all_half_rate ? WW_INST_PACKED_HALF : 0);
    for (uint32_t op = 0; op < WW_N_OPS; op++) { /* LOAD, STORE, BARRIER, MEMBAR, EXIT stay so */
        d->latency[op] = d->interval[op] = 1;
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if (!take_pair(d, rows[i].op, rows[i].name, rows[i].pair, error)) {
            return false;
        }
    }
    return true;
}

/* ---- descriptor ------------------------------------------------------------------------------ */

#define LATENCY(field, default_, what)                                                             \
    WW_LIST(Decoder, field, "cycles", default_, 1, MAX_LATENCY,                                    \
            "[latency, initiation interval] of " what)

static const WwParamRow decode_params[] = {
    LATENCY(lat_int, "[4, 1]", "ALU, INT, BRANCH, CALL and RET instructions"),
    LATENCY(lat_sp, "[4, 1]", "SP instructions"),
    LATENCY(lat_dp, "[4, 1]", "DP instructions"),
    LATENCY(lat_sfu, "[4, 1]", "SFU instructions"),
    LATENCY(lat_tensor, "[4, 1]", "TENSOR instructions"),
    LATENCY(lat_spec1, "[4, 4]", "SPEC1 instructions (branches)"),
    LATENCY(lat_spec2, "[4, 4]", "SPEC2 instructions (texture)"),
    LATENCY(lat_spec3, "[4, 4]", "SPEC3 instructions (tensor)"),
    LATENCY(lat_spec4, "[4, 4]", "SPEC4 instructions (uniform datapath)"),
    LATENCY(lat_spec5, "[4, 4]", "SPEC5 instructions"),
    LATENCY(lat_spec6, "[4, 4]", "SPEC6 instructions"),
    LATENCY(lat_spec7, "[4, 4]", "SPEC7 instructions"),
    LATENCY(lat_spec8, "[4, 4]", "SPEC8 instructions"),
    WW_UINT(Decoder, fetch_bytes, "bytes", "0", 0, 128,
            "aligned size of a fetch: an instruction elsewhere, as after a taken branch, needs "
            "another one; 0: two instructions, wherever they are, as in the reference"),
    WW_BOOL(Decoder, all_half_rate, "false",
            "the interval of all packed half-precision instructions is halved; false: except for "
            "HMUL2 and HMNMX2, as in the reference"),
    WW_BOOL(Decoder, true_units, "false",
            "IMMA always goes to the tensor unit and KILL to the branch unit; false: as in the "
            "reference's tables"),
    {0},
};

static const WwPortRow decode_ports[] = {
    WW_PORT_IN(Decoder, fetch, &ww_contract_fetch, 1, "fetched groups"),
    WW_PORT_REQUIRES(Decoder, warps, &ww_contract_warps, 1, WW_RANK_DECODE,
                     "the i-buffers to fill"),
    {0},
};

static const WwStatRow decode_stats[] = {
    WW_COUNTER(Decoder, decoded, "instructions", "instructions put into i-buffers"),
    {0},
};

static const WwEntryRow decode_entries[] = {
    {.name = "decode", .phase = "core", .tick = decode_tick, .doc = "decodes one fetched group"},
    {0},
};

const WwType decoder_type = {
    .abi = WW_ABI_VERSION,
    .name = "decoder",
    .doc = "decode stage: fills i-buffers, stamps latency and initiation interval",
    .family = "frontend",
    .size = sizeof(Decoder),
    .events = decode_events,
    .params = decode_params,
    .ports = decode_ports,
    .stats = decode_stats,
    .entries = decode_entries,
    .init = decode_init,
};
