/* SPDX-License-Identifier: Apache-2.0 */
/* The payloads of channels: keys for fingerprints, texts, generators of valid tokens, checkers; and test instructions. */
#include "said-priv.h"
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <ports/tokens.h>
#include <string.h>

/* Mixes two words; any fixed odd constants serve (these are splitmix64's). */
static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = a * 0x9e3779b97f4a7c15u + b;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

/* ---- instructions ----------------------------------------------------------------------------------------------- */

static uint64_t inst_key(WwToken token)
{
    const WwInst *i = ww_token_pointer(token);
    return mix(mix(i->order, i->s->pc), (uint64_t)i->warp << 32 | i->mask);
}

/* @p text is a literal. */
#define PUT(at, text) ((char *)memcpy((at), (text), sizeof(text) - 1) + sizeof(text) - 1)

void ww_explain_holds_inst(WwExplain *explain, const WwInst *inst)
{
    char text[WW_TOKEN_TEXT];
    ww_token_text(&ww_payload_inst, (WwToken)(uintptr_t)inst, text);
    if (inst->s->dst != 0) {
        ww_explain_holds(explain, ww_thing_write(inst->warp, inst->s->dst), "%s", text);
    }
    ww_explain_holds(explain, ww_thing_flight(inst->warp), "%s", text);
}

WwInst *ww_test_inst(WwHarness *h, const WwTestInst *what)
{
    WwSinst *s = ww_harness_alloc(h, sizeof *s);
    WwInst *i = ww_harness_alloc(h, sizeof *i);
    const char *opcode = what->opcode != NULL ? what->opcode : ww_op_name(what->op);
    s->pc = what->pc;
    size_t n = strlen(opcode);
    s->opcode = memcpy(ww_harness_alloc(h, n + WW_OPCODE_ROOM), opcode, n);
    s->letters = n & 127u; /* of 128 letters nobody counted */
    s->flags = what->flags;
    if (what->op == WW_OP_LOAD) {
        s->flags |= WW_INST_LOAD;
    } else if (what->op == WW_OP_STORE) {
        s->flags |= WW_INST_STORE;
    }
    s->op = (uint8_t)what->op;
    s->space = what->space;
    s->width = what->width != 0 ? what->width : 4;
    s->dst = what->dst;
    s->ndst = what->dst != 0;
    while (s->nsrc < WW_MAX_SRC && what->src[s->nsrc] != 0) {
        s->src[s->nsrc] = what->src[s->nsrc];
        s->nsrc++;
    }
    i->s = s;
    if (what->base != 0 || what->stride != 0) {
        WwAddrBlock *a = ww_harness_alloc(h, sizeof *a);
        a->base = what->base;
        a->stride = what->stride;
        a->mode = WW_ADDR_STRIDE;
        i->addr = a;
    }
    i->uid = i->order = (uint32_t)what->uid;
    i->mask = what->no_lanes ? 0 : what->mask != 0 ? what->mask : UINT32_MAX;
    i->warp = what->warp;
    i->sched = what->sched;
    i->op = s->op;
    i->space = s->space;
    i->latency = what->latency != 0 ? what->latency : 1;
    i->interval = what->interval != 0 ? what->interval : 1;
    i->cycles = i->interval;
    if (what->timing != NULL) {
        i->timing =
            memcpy(ww_harness_alloc(h, sizeof *what->timing), what->timing, sizeof *what->timing);
        i->unit = what->timing->unit;
    }
    return i;
}

WwSinst *ww_test_sinst(WwInst *inst)
{
    return (WwSinst *)(uintptr_t)inst->s;
}

WwTiming *ww_test_timing(WwInst *inst)
{
    return (WwTiming *)(uintptr_t)inst->timing;
}

/* A number below @p n, one of many that follow from @p of: nothing is drawn, so that what else is does not depend on it. */
static uint32_t of_number(uint64_t of, uint32_t which, uint32_t n)
{
    return (uint32_t)(mix(of, which) >> 32) % n;
}

/* What instruction @p n takes in a sub-core, if one asks for it: of a fixed-latency unit, or of one with a queue. */
static WwTiming some_timing(uint64_t n)
{
    static const uint8_t units[] = {WW_UNIT_INT, WW_UNIT_SP,  WW_UNIT_INT,   WW_UNIT_MISC,
                                    WW_UNIT_SP,  WW_UNIT_MEM, WW_UNIT_TENSOR};
    WwTiming t = {.unit = units[of_number(n, 0, G_N_ELEMENTS(units))],
                  .dst_file = (uint8_t)of_number(n, 1, WW_FILE_OTHER + 1),
                  .dst = (uint8_t)of_number(n, 2, 64),
                  .n_dst = (uint8_t)(1 + of_number(n, 3, 4)),
                  .n_reads = (uint8_t)of_number(n, 4, 5),
                  .most_reads = 1,
                  .latency = (uint16_t)(1 + of_number(n, 5, 6)),
                  .interval = (uint16_t)(1 + of_number(n, 6, 4)),
                  .extra = of_number(n, 7, 4) == 0 ? (uint16_t)of_number(n, 8, 10) : 0,
                  .read_stages = of_number(n, 9, 8) == 0 ? 6 : 3,
                  .n_stages = (uint8_t)(1 + of_number(n, 10, 6)),
                  .war = (uint16_t)(1 + of_number(n, 11, 12)),
                  .transfer = (uint16_t)of_number(n, 12, 9)};
    t.flags = t.unit < WW_N_FIXED_UNITS ? WW_TAKES_FIXED | WW_TAKES_CACHED
              : of_number(n, 13, 2)     ? WW_TAKES_TRANSFER
                                        : 0;
    t.n_dst = t.dst_file == WW_FILE_NONE ? 0 : t.n_dst;
    for (uint32_t i = 0; i < t.n_stages; i++) {
        t.stage[i] = (uint16_t)of_number(n, 14 + i, 4);
    }
    for (uint32_t i = 0; i < t.n_reads; i++) {
        t.read[i] = (WwTimingRead){.reg = (uint8_t)of_number(n, 24 + i, 16),
                                   .slot = (uint8_t)i,
                                   .reuse = of_number(n, 30 + i, 2) != 0};
    }
    return t;
}

static WwToken inst_make(WwHarness *h, GRand *random, uint64_t n)
{
    static const WwOp ops[] = {WW_OP_ALU, WW_OP_INT, WW_OP_SP, WW_OP_ALU};
    WwTestInst what = {
        .op = ops[g_rand_int_range(random, 0, G_N_ELEMENTS(ops))],
        .dst = (uint16_t)g_rand_int_range(random, 0, 33),
        .src = {(uint16_t)g_rand_int_range(random, 0, 33),
                (uint16_t)g_rand_int_range(random, 0, 33)},
        .warp = (uint16_t)g_rand_int_range(random, 0, 8),
        .mask = g_rand_int(random) | 1u,
        .latency = (uint16_t)g_rand_int_range(random, 2, 5),
        .interval = (uint16_t)g_rand_int_range(random, 1, 3),
        .uid = n + 1,
        .pc = 16 * n,
    };
    what.sched = (uint8_t)(what.warp % 4);
    WwTiming timing = some_timing(n);
    what.timing = &timing;
    return ww_token_of(ww_test_inst(h, &what));
}

static bool inst_check(WwToken token, GError **error)
{
    const WwInst *i = ww_token_pointer(token);
    if (i == NULL || i->s == NULL) {
        return ww_fail(error, WW_ERROR_MODEL, "no instruction in the token");
    }
    if (i->warp >= WW_MAX_WARPS || i->op >= WW_N_OPS || i->s->nsrc > WW_MAX_SRC) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "instruction %s: warp %u, category %u or %u sources out of range",
                       i->s->opcode, i->warp, i->op, i->s->nsrc);
    }
    if (i->order == 0) {
        return ww_fail(error, WW_ERROR_MODEL, "instruction %s was never issued (order 0)",
                       i->s->opcode);
    }
    return true;
}

const WwPayload ww_payload_inst = {.name = "inst",
                                   .version = 1,
                                   .key = inst_key,
                                   .write = ww_say_inst_token,
                                   .kept = &ww_kept_inst_token,
                                   .make = inst_make,
                                   .check = inst_check};

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

static uint64_t number_key(WwToken token)
{
    return token;
}

static char *number_write(char *at, WwToken token)
{
    return ww_event_number(at, token);
}

static WwToken number_make(WwHarness *h, GRand *random, uint64_t n)
{
    return n << 8 | (uint64_t)g_rand_int_range(random, 0, 256);
}

static bool number_check(WwToken token, GError **error)
{
    return true; /* every number is a number */
}

const WwPayload ww_payload_number = {.name = "number",
                                     .version = 1,
                                     .key = number_key,
                                     .write = number_write,
                                     .kept = &ww_event_value,
                                     .make = number_make,
                                     .check = number_check};

/* ---- fetched groups --------------------------------------------------------------------------------------------- */

static char *fetch_write(char *at, WwToken token)
{
    at = ww_event_number(PUT(at, "warp="), ww_fetch_warp(token));
    return ww_event_hex(PUT(at, " pc="), ww_fetch_pc(token));
}

static WwToken fetch_make(WwHarness *h, GRand *random, uint64_t n)
{
    return ww_fetch_token((uint32_t)g_rand_int_range(random, 0, 4), n * 32);
}

static bool fetch_check(WwToken token, GError **error)
{
    if (ww_fetch_warp(token) >= WW_MAX_WARPS) {
        return ww_fail(error, WW_ERROR_MODEL, "fetched group for warp %u; expected 0..%u",
                       ww_fetch_warp(token), WW_MAX_WARPS - 1);
    }
    return true;
}

const WwPayload ww_payload_fetch = {.name = "fetch",
                                    .version = 1,
                                    .key = number_key,
                                    .write = fetch_write,
                                    .kept = &ww_event_value,
                                    .make = fetch_make,
                                    .check = fetch_check};

/* ---- memory transactions ---------------------------------------------------------------------------------------- */

#define AS_IT_IS(name) name
static const char *const access_names[WW_N_ACCESS_TYPES] = {WW_ACCESS_LABELS(AS_IT_IS)};

const char *ww_access_type_name(WwAccessType type)
{
    return (unsigned)type < WW_N_ACCESS_TYPES ? access_names[type] : "?";
}

static uint64_t mem_key(WwToken token)
{
    const WwMemReq *r = ww_token_pointer(token);
    return mix(mix(r->addr, r->serial),
               (uint64_t)r->sm << 32 | (uint64_t)r->type << 8 | r->response);
}

void ww_explain_holds_req(WwExplain *explain, const WwMemReq *req)
{
    char text[WW_TOKEN_TEXT];
    ww_token_text(&ww_payload_mem, (WwToken)(uintptr_t)req, text);
    ww_explain_holds(explain, ww_thing_req(req), "%s", text);
}

static WwToken mem_make(WwHarness *h, GRand *random, uint64_t n)
{
    WwMemReq *r = ww_harness_alloc(h, sizeof *r);
    uint32_t sector = (uint32_t)g_rand_int_range(random, 0, 4);
    r->addr = 0x1000000u + 128u * (uint64_t)g_rand_int_range(random, 0, 64) + 32u * sector;
    r->size = 32;
    r->sectors = (uint8_t)(1u << sector);
    r->bytes.w[sector / 2] = 0xffffffffull << (32 * (sector % 2));
    r->lanes = UINT32_MAX;
    r->write = g_rand_boolean(random);
    r->type = r->write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
    r->serial = n;
    return ww_token_of(r);
}

#define MOST 4096u /* Bytes of a cache's line. */

static bool mem_check(WwToken token, GError **error)
{
    const WwMemReq *r = ww_token_pointer(token);
    if (r == NULL) {
        return ww_fail(error, WW_ERROR_MODEL, "no memory transaction in the token");
    }
    bool back = r->type == WW_ACCESS_L1_WRBK || r->type == WW_ACCESS_L2_WRBK; /* of any line */
    if (r->size == 0 || r->size > MOST ||
        (r->size <= 128 && !back && r->addr % 128 + r->size > 128)) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "memory transaction of %u bytes at %" G_GINT64_MODIFIER
                       "x; expected 1..128 within a line, or a longer line of up to %u",
                       r->size, r->addr, MOST);
    }
    if (r->type >= WW_N_ACCESS_TYPES || (r->write && r->atomic)) {
        return ww_fail(error, WW_ERROR_MODEL,
                       "memory transaction of type %u, write %d, atomic %d: no such thing", r->type,
                       r->write, r->atomic);
    }
    return true;
}

const WwPayload ww_payload_mem = {.name = "mem",
                                  .version = 1,
                                  .key = mem_key,
                                  .write = ww_say_req_token,
                                  .kept = &ww_kept_req_token,
                                  .make = mem_make,
                                  .check = mem_check};
