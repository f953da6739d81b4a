/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Units, latencies and stages by class of instruction. Sources of the numbers: docs/modern.md#latencies.
 */
#include "timing-priv.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- classes ------------------------------------------------------------------------------- */

WwSubOp timing_class(const WwSinst *s)
{
    static const uint8_t by_op[WW_N_OPS] = {
        [WW_OP_ALU] = WW_SUB_INT,
        [WW_OP_INT] = WW_SUB_INT,
        [WW_OP_SP] = WW_SUB_SP,
        [WW_OP_DP] = WW_SUB_DP,
        [WW_OP_SFU] = WW_SUB_SFU,
        [WW_OP_TENSOR] = WW_SUB_TENSOR,
        [WW_OP_LOAD] = WW_SUB_LOAD,
        [WW_OP_STORE] = WW_SUB_STORE,
        [WW_OP_BARRIER] = WW_SUB_BARRIER,
        [WW_OP_MEMBAR] = WW_SUB_MEMBAR,
        [WW_OP_EXIT] = WW_SUB_EXIT,
        [WW_OP_BRANCH] = WW_SUB_BRANCH,
        [WW_OP_CALL] = WW_SUB_CALL,
        [WW_OP_RET] = WW_SUB_RET,
        [WW_OP_SPEC1] = WW_SUB_BRANCH,
        [WW_OP_SPEC1 + 1] = WW_SUB_TEXTURE,
        [WW_OP_SPEC1 + 2] = WW_SUB_TENSOR,
        [WW_OP_SPEC1 + 3] = WW_SUB_UNIFORM,
        [WW_OP_SPEC1 + 4] = WW_SUB_INT,
        [WW_OP_SPEC1 + 5] = WW_SUB_INT,
        [WW_OP_SPEC1 + 6] = WW_SUB_INT,
        [WW_OP_SPEC1 + 7] = WW_SUB_INT,
    };
    bool global_atomic = (s->flags & WW_INST_ATOMIC) != 0 && g_str_has_prefix(s->opcode, "ATOM") &&
                         !g_str_has_prefix(s->opcode, "ATOMS");
    if (global_atomic) {
        return WW_SUB_LOAD; /* whatever the map says: a result comes back */
    }
    return s->sub_op != 0 ? (WwSubOp)(s->sub_op - 1) : (WwSubOp)by_op[s->op];
}

static void set_pair(WwTiming *out, TimingPair pair)
{
    out->latency = (uint16_t)pair.latency;
    out->interval = (uint16_t)pair.interval;
}

/* Results that are predicates come later, by the same pipeline. */
static void add_predicate(const TimingRules *rules, WwTiming *out)
{
    uint32_t plain = (uint32_t)out->latency + out->interval;
    out->extra = (uint16_t)(rules->predicate > plain ? rules->predicate - plain : 0);
}

/* ---- tensor products ----------------------------------------------------------------------- */

/* The shape in the opcode's text: HMMA.16816.F32 multiplies 16 x 16 by 16 x 8. */
static void read_shape(TimingInst *t)
{
    const char *p = t->s->opcode;
    while (*p != '\0' && !isdigit((unsigned char)*p)) {
        p++;
    }
    t->n = 8;
    t->bits = 1;
    t->sparse = timing_says(t, "SP");
    t->wide_sum =
        strcmp(t->s->opcode, "HMMA.16816.F32") == 0 || strcmp(t->s->opcode, "HMMA.1688.F32") == 0;
    t->m = *p == '8' ? 8 : 16;
    uint32_t skip = *p == '8' ? 1 : 2; /* M, then N, whose digit is always 8; the rest is K */
    char *end = (char *)(uintptr_t)p;
    if (strlen(p) > skip + 1) {
        t->k = (uint32_t)MIN(strtoul(p + skip + 1, &end, 10), 65536ul);
    }
    while (*end != '\0' && !isdigit((unsigned char)*end)) {
        end++;
    }
    if (*end != '\0') {
        t->bits = (uint32_t)MIN(strtoul(end, NULL, 10), 1024ul);
    }
}

static void time_tensor(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    uint32_t cycles = (uint32_t)((uint64_t)t->m * t->n * t->k * t->bits / rules->tensor_rate);
    cycles = t->sparse ? cycles / 2 : cycles;
    uint32_t extra = t->wide_sum ? rules->tensor_extra : 0;
    out->interval = (uint16_t)MIN(cycles / 2 + extra, 1024u);
    out->latency = (uint16_t)MIN(cycles - cycles / 2 + extra, 1024u);
    out->read_stages = (uint8_t)rules->read_stages;
    /* operands are looked at up to the first that is no register */
    for (uint32_t i = t->result; i < t->n_operands; i++) {
        const WwOperand *o = &t->operand[i];
        if (o->kind > WW_OPERAND_UPRED || (o->kind == WW_OPERAND_REG && o->reg == WW_REG_ZERO)) {
            break;
        }
        if (timing_uses(t, i) == 4) {
            out->read_stages = (uint8_t)rules->read_wide;
        }
    }
}

/* ---- memory -------------------------------------------------------------------------------- */

static void all_stages(WwTiming *out, uint32_t n)
{
    out->n_stages = (uint8_t)MIN(n, WW_MAX_SUB_STAGES);
    for (uint32_t i = 0; i < out->n_stages; i++) {
        out->stage[i] = 1;
    }
}

static uint32_t stages_before(const WwTiming *out, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += out->stage[i];
    }
    return sum;
}

/* Address calculation, cycles of the first stage and of the last one. */
typedef struct Access {
    bool shared, flat, in_register; /* Flat: global or local. */
    uint32_t bytes, address, first, last, war, extra;
} Access;

static void time_store(const TimingRules *rules, const Access *in, Access *a, WwTiming *out)
{
    uint32_t link = rules->store_half ? rules->link / 2 : rules->link;
    if (a->shared) {
        out->stage[1] = 1;
    } else if (!a->in_register) {
        out->stage[1] = 2;
    } else {
        a->first = in->first / 2;
    }
    a->last = in->bytes / link;
    if (a->in_register) {
        a->last += a->flat ? 4 : a->shared ? 2 : 0;
    }
    a->war += 1 + a->last;
    if (a->shared) {
        a->war -= 2;
    } else if (a->flat) {
        a->war += in->address - 2;
        a->war -= 3;
    }
}

static void time_load(const TimingRules *rules, Access *a, WwTiming *out)
{
    bool constant = out->space == WW_SPACE_CONST;
    uint32_t link = rules->load_half && !a->shared ? rules->link / 2 : rules->link;
    a->war += !constant || a->in_register;
    a->last += a->flat && !a->in_register;
    out->transfer = (uint16_t)(a->bytes / link);
    if (a->shared && a->bytes == 4 * WW_WARP_SIZE) {
        out->transfer *= 2;
    } else if (constant) {
        out->transfer = 1;
        if (!a->in_register) {
            a->first = a->address = a->last = 1;
            for (uint32_t i = 1; i < rules->mem_stages - 1; i++) {
                out->stage[i] = 1;
            }
        }
    }
    if (out->flags & WW_TAKES_LDGSTS) {
        out->transfer = 1;
        a->extra = rules->copy_extra;
        a->war += rules->copy_extra;
    }
}

/* Of a lane: LDSM brings a register for each matrix. */
static uint32_t width_of(const TimingInst *t)
{
    if (!timing_says(t, "LDSM")) {
        return t->s->width;
    }
    return g_str_has_suffix(t->s->opcode, ".4") ? 16 : g_str_has_suffix(t->s->opcode, ".2") ? 8 : 4;
}

static void time_access(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    uint32_t n = rules->mem_stages;
    out->width = (uint8_t)width_of(t);
    bool load = (out->flags & WW_TAKES_LOAD) != 0;
    Access a = {
        .shared = out->space == WW_SPACE_SHARED,
        .flat = out->space == WW_SPACE_GLOBAL || out->space == WW_SPACE_LOCAL,
        .in_register = timing_address_in_register(t, load ? 1 : 0),
        .bytes = out->width * WW_WARP_SIZE,
        .address = WW_WARP_SIZE / rules->scalar_units,
        .last = 1,
        .war = 1,
    };
    if (a.shared || !a.in_register) {
        a.address /= 2;
    }
    a.first = a.address;
    memset(out->stage, 0, sizeof out->stage);
    out->n_stages = (uint8_t)n;
    if (out->flags & WW_TAKES_STORE) {
        Access before = a;
        time_store(rules, &before, &a, out);
    } else {
        time_load(rules, &a, out);
    }
    out->stage[0] = (uint16_t)(a.first - MIN(rules->first_less, a.first));
    out->stage[n - 2] = (uint16_t)(a.address + a.extra);
    out->stage[n - 1] = (uint16_t)a.last;
    out->war = (uint16_t)(a.war + stages_before(out, n - 2) + rules->war_more);
    if (a.flat) { /* the sources are kept as long as before */
        out->stage[0] = (uint16_t)(out->stage[0] - MIN(rules->flat_less, out->stage[0]));
    }
    bool indexed = load && out->space == WW_SPACE_CONST && a.in_register;
    out->flags |= indexed && rules->indexed == INDEXED_RESULT ? WW_TAKES_HELD : 0;
    out->flags |= WW_TAKES_TRANSFER;
    if (a.shared) {
        out->shared = (uint16_t)(rules->shared + a.in_register);
        bool several = g_str_has_suffix(t->s->opcode, ".4") || g_str_has_suffix(t->s->opcode, ".2");
        out->shared += (uint16_t)(timing_says(t, "LDSM") && several ? rules->ldsm_extra : 0);
    } else {
        out->shared = (uint16_t)(a.flat ? rules->l1 : rules->constant);
    }
    if (out->flags & WW_TAKES_LDGSTS) {
        out->copy = (uint16_t)(rules->shared + timing_address_in_register(t, 0));
    }
}

static void time_double(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    uint32_t operands = 0;
    for (uint32_t i = t->result; i < t->n_operands; i++) {
        operands += t->operand[i].kind == WW_OPERAND_REG ? WW_WARP_SIZE * 8 / (rules->link / 2) : 1;
    }
    all_stages(out, rules->dp_stages);
    out->stage[out->n_stages - 1] = (uint16_t)MIN(1 + operands, UINT16_MAX);
    out->war = (uint16_t)MIN(MAX(rules->dp_stages + operands, 2u) - 2, UINT16_MAX);
    out->transfer = (uint16_t)(rules->transfer * (t->n_operands != 0 ? timing_uses(t, 0) : 1));
    out->flags |= WW_TAKES_TRANSFER;
}

/* ---- all ----------------------------------------------------------------------------------- */

static bool has_part(const char *opcode, const char *part)
{
    size_t n = strlen(part);
    for (const char *at = strchr(opcode, '.'); at != NULL; at = strchr(at + 1, '.')) {
        if (strncmp(at + 1, part, n) == 0 && (at[1 + n] == '.' || at[1 + n] == '\0')) {
            return true;
        }
    }
    return false;
}

static uint32_t memory_flags(const TimingInst *t)
{
    const char *name = t->s->opcode;
    uint32_t flags = 0;
    bool atomic = (t->s->flags & WW_INST_ATOMIC) != 0;
    bool reduction = atomic && g_str_has_prefix(name, "RED");
    bool loads = (t->s->flags & WW_INST_LOAD) != 0 && !reduction;
    flags |= t->op == WW_SUB_LOAD || loads ? WW_TAKES_LOAD : 0;
    flags |= t->op == WW_SUB_STORE || reduction || (t->s->flags & WW_INST_STORE) != 0
                 ? WW_TAKES_STORE
                 : 0;
    flags |= atomic ? WW_TAKES_ATOMIC : 0;
    flags |= (t->s->flags & WW_INST_LDGSTS) != 0 ? WW_TAKES_LDGSTS : 0;
    bool flat = t->space == WW_SPACE_GLOBAL || t->space == WW_SPACE_LOCAL;
    bool strong = has_part(name, "STRONG") && (has_part(name, "GPU") || has_part(name, "SYS"));
    bool generic = t->s->space == WW_SPACE_GENERIC;
    bool past = (atomic && !reduction) || (strong && !generic) ||
                ((flags & WW_TAKES_LDGSTS) != 0 && has_part(name, "BYPASS"));
    flags |= flat && past ? WW_TAKES_BYPASS : 0;
    return flags;
}

static void time_memory(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    out->unit = WW_UNIT_MEM;
    switch (t->op) {
    case WW_SUB_LOAD:
    case WW_SUB_STORE:
        time_access(rules, t, out);
        return;
    case WW_SUB_TEXTURE:
    case WW_SUB_SURFACE:
        out->flags |= WW_TAKES_TEXTURE;
        all_stages(out, rules->dp_stages);
        break;
    default:
        out->flags |= t->op == WW_SUB_MEMBAR ? WW_TAKES_MEMBAR : WW_TAKES_OTHER;
        out->membar = timing_says(t, ".CTA")   ? WW_SCOPE_CTA
                      : timing_says(t, ".SYS") ? WW_SCOPE_SYSTEM
                                               : WW_SCOPE_GPU;
        all_stages(out, rules->mem_stages);
    }
    out->war = (uint16_t)rules->mem_stages;
}

/* DEPBAR.LE SB0, 0x1, {3,2} */
static void read_depbar(const TimingInst *t, WwTiming *out)
{
    out->depbar = WW_NO_COUNTER;
    for (uint32_t i = 0; i < t->n_operands; i++) {
        const WwOperand *o = &t->operand[i];
        if (o->kind == WW_OPERAND_COUNTER) {
            out->depbar = o->reg;
        } else if (o->kind == WW_OPERAND_IMMEDIATE) {
            out->depbar_most = (uint32_t)MIN((uint64_t)o->imm, UINT32_MAX);
        } else if (o->kind == WW_OPERAND_COUNTERS) {
            out->depbar_list |= (uint8_t)((uint64_t)o->imm & ((1u << WW_COUNTERS) - 1));
        }
    }
}

static void time_rest(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    switch (t->op) {
    case WW_SUB_UNIFORM:
        out->unit = WW_UNIT_UNIFORM;
        set_pair(out, rules->uniform);
        out->flags |= g_str_has_prefix(t->s->opcode, "ULDC") ? WW_TAKES_ULDC : 0;
        break;
    case WW_SUB_TENSOR:
        out->unit = WW_UNIT_TENSOR;
        time_tensor(rules, t, out);
        break;
    case WW_SUB_BRANCH:
        out->unit = WW_UNIT_BRANCH;
        set_pair(out, rules->branch);
        break;
    case WW_SUB_CALL:
    case WW_SUB_RET:
        out->unit = WW_UNIT_BRANCH;
        set_pair(out, rules->int_);
        break;
    case WW_SUB_EXIT:
        out->unit = WW_UNIT_BRANCH;
        break;
    case WW_SUB_MISC:
        out->unit = WW_UNIT_MISC;
        set_pair(out, rules->misc);
        break;
    case WW_SUB_SFU:
        out->unit = WW_UNIT_SFU;
        set_pair(out, rules->sfu);
        out->war = (uint16_t)(out->latency + out->interval - MIN(3, out->latency + out->interval));
        break;
    case WW_SUB_QUEUED:
        out->unit = WW_UNIT_QUEUED;
        out->n_stages = 1;
        out->war = 1;
        break;
    case WW_SUB_DEPBAR:
        out->unit = WW_UNIT_MISC;
        out->flags |= WW_TAKES_DEPBAR;
        read_depbar(t, out);
        break;
    default: /* barriers and waits */
        out->unit = WW_UNIT_MISC;
        out->flags |= t->op == WW_SUB_BARRIER ? WW_TAKES_BARRIER : WW_TAKES_LDGDEPBAR;
    }
}

static void time_unit(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    out->latency = out->interval = 1;
    out->read_stages = (uint8_t)rules->read_stages;
    switch (t->op) {
    case WW_SUB_INT:
        set_pair(out, rules->int_);
        out->flags |= WW_TAKES_CACHED;
        break;
    case WW_SUB_PREDICATE:
        set_pair(out, rules->int_);
        add_predicate(rules, out);
        out->flags |= WW_TAKES_CACHED;
        break;
    case WW_SUB_SP:
    case WW_SUB_HALF:
        out->unit = WW_UNIT_SP;
        set_pair(out, t->op == WW_SUB_SP ? rules->sp : rules->half);
        out->interval /= t->s->flags & WW_INST_HALF_RATE_II ? 2 : 1;
        out->flags |= WW_TAKES_CACHED;
        out->flags |= rules->fp_in_int && !timing_says(t, "IMAD") ? WW_TAKES_EITHER : 0;
        break;
    case WW_SUB_DP:
        out->unit = WW_UNIT_DP;
        set_pair(out, rules->dp);
        out->flags |= WW_TAKES_CACHED;
        time_double(rules, t, out);
        break;
    case WW_SUB_LOAD:
    case WW_SUB_STORE:
    case WW_SUB_OTHER:
    case WW_SUB_MEMBAR:
    case WW_SUB_TEXTURE:
    case WW_SUB_SURFACE:
        time_memory(rules, t, out);
        break;
    default:
        time_rest(rules, t, out);
        out->flags |= t->op == WW_SUB_TENSOR ? WW_TAKES_CACHED : 0;
    }
    if (timing_says(t, "IMAD")) {
        bool closes = rules->imad == IMAD_ANY || timing_says(t, "WIDE");
        out->flags |= closes ? WW_TAKES_IMAD : 0;
    } else if (timing_says(t, "SETP") && t->op != WW_SUB_PREDICATE) {
        add_predicate(rules, out);
    }
    out->flags |= out->unit < WW_N_FIXED_UNITS ? WW_TAKES_FIXED : 0;
}

/* Opcodes that write nothing although a register or barrier stands first. */
static bool writes_nothing(const TimingInst *t)
{
    static const char *const names[] = {"BRA", "BRX", "JMP",  "JMX",   "BRK",
                                        "CAL", "RET", "EXIT", "YIELD", "WARPSYNC"};
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (timing_says(t, names[i])) {
            return true;
        }
    }
    return false;
}

/*
 * The trace's registers as operands, for want of a listing. Of a cubin whose bits do not say more there is which of them are kept: place i in
 * the bits is the i-th source here.
 */
static uint32_t trace_operands(const WwSinst *s, WwOperand out[1 + WW_MAX_SRC])
{
    uint32_t n = 0, reuse = s->code != NULL ? s->code->control.reuse : 0;
    if (s->ndst != 0) {
        out[n++] = (WwOperand){.kind = WW_OPERAND_REG, .reg = (uint8_t)(s->dst - 1)};
    }
    for (uint32_t i = 0; i < MIN(s->nsrc, WW_MAX_SRC); i++) {
        out[n++] = (WwOperand){.kind = WW_OPERAND_REG,
                               .flags = (uint8_t)(reuse >> i & 1u ? WW_OPERAND_REUSE : 0),
                               .reg = (uint8_t)(s->src[i] - 1)};
    }
    return n;
}

void timing_make(const TimingRules *rules, const WwSinst *s, const WwCode *code, uint8_t space,
                 WwTiming *out)
{
    WwOperand made[1 + WW_MAX_SRC];
    TimingInst t = {.s = s, .op = timing_class(s), .space = space};
    *out = (WwTiming){.space = space};
    if (s->code != NULL && code != NULL && !s->code->bits_only) {
        t.operand = ww_code_operands(code, s->code);
        t.n_operands = s->code->n_operands;
        uint32_t first = t.n_operands != 0 ? t.operand[0].kind : WW_OPERAND_OTHER;
        t.result = first <= WW_OPERAND_BARRIER && !writes_nothing(&t);
    } else {
        t.operand = made;
        t.n_operands = trace_operands(s, made);
        t.result = s->ndst != 0;
    }
    if (t.op == WW_SUB_TENSOR) {
        read_shape(&t);
    }
    out->flags = t.op == WW_SUB_LOAD || t.op == WW_SUB_STORE ? memory_flags(&t) : 0;
    time_unit(rules, &t, out);
    timing_operands(rules, &t, out);
    timing_names(rules, &t, out);
}
