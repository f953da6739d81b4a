/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names: the registers of all kinds that an instruction writes and reads, each by one number, for those who keep book of registers (dependence.scoreboard,
 * dependence.allocated).
 *
 * `code` is what the released simulator of MICRO'25 sees, for its cycles: the first operand alone is a result; of an address only the last register that stands in
 * it, and of a descriptor none; no guard; and convergence barriers and counters count as register 0. `all` is what the instruction says.
 */
#include "timing-priv.h"

/* Once in each part of the list. */
static void name(WwTiming *out, uint32_t from, uint32_t begin, uint32_t reg)
{
    uint32_t number = begin + reg;
    for (uint32_t i = from; i < out->n_named; i++) {
        if (out->name[i] == number) {
            return;
        }
    }
    if (out->n_named < WW_MAX_NAMED) {
        out->name[out->n_named++] = (uint16_t)number;
    }
}

static void name_several(WwTiming *out, uint32_t from, uint32_t begin, uint32_t reg, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        name(out, from, begin, reg + i);
    }
}

/* Register R@p reg, or UR@p reg, of operand @p at, and those behind that it spans. */
static void name_wide(const TimingInst *t, uint32_t at, uint32_t from, bool regular, uint32_t reg,
                      uint32_t least, WwTiming *out)
{
    uint32_t zero = regular ? WW_REG_ZERO : WW_UREG_ZERO;
    if (reg == zero) {
        return;
    }
    uint32_t n = MAX(timing_width(t, at, regular, reg), least);
    name_several(out, from, regular ? 0 : WW_NAME_UNIFORM, reg, MIN(n, zero - reg));
}

static void name_predicate(const WwOperand *o, uint32_t from, WwTiming *out)
{
    uint32_t begin = o->kind == WW_OPERAND_PRED ? WW_NAME_PRED : WW_NAME_UPRED;
    if (o->reg == WW_PRED_ALL) {
        name_several(out, from, begin, 0, WW_PRED_TRUE);
    } else if (o->reg != WW_PRED_TRUE) {
        name(out, from, begin, o->reg);
    }
}

/* How many registers operand @p at has by what it says itself, beyond the rules of widths. */
static uint32_t least_of(const TimingInst *t, uint32_t at, const WwOperand *o)
{
    bool addend = at == 3 && timing_says(t, "IMAD") && timing_says(t, "WIDE");
    return addend || (o->flags & WW_OPERAND_WIDE) != 0 ? 2 : 1;
}

/* A register inside an address, a constant or a descriptor. */
static void name_inside(const TimingRules *rules, const TimingInst *t, uint32_t at, uint32_t from,
                        WwTiming *out)
{
    const WwOperand *o = &t->operand[at];
    bool uniform = (o->flags & WW_OPERAND_HAS_UREG) != 0, all = rules->names == NAMES_ALL;
    bool regular = (o->flags & WW_OPERAND_HAS_REG) != 0;
    if (o->kind == WW_OPERAND_DESC && !all) {
        return;
    }
    if (uniform || (o->kind == WW_OPERAND_DESC && all)) {
        bool pair = o->kind == WW_OPERAND_DESC || (!regular && (o->flags & WW_OPERAND_WIDE) != 0);
        name_wide(t, at, from, false, o->ureg, all && pair ? 2 : 1, out);
    }
    if (regular && (all || !uniform)) {
        name_wide(t, at, from, true, o->reg, all ? least_of(t, at, o) : 1, out);
    }
}

static void name_operand(const TimingRules *rules, const TimingInst *t, uint32_t at, uint32_t from,
                         WwTiming *out)
{
    const WwOperand *o = &t->operand[at];
    bool all = rules->names == NAMES_ALL;
    switch (o->kind) {
    case WW_OPERAND_REG:
    case WW_OPERAND_UREG:
        name_wide(t, at, from, o->kind == WW_OPERAND_REG, o->reg, all ? least_of(t, at, o) : 1,
                  out);
        break;
    case WW_OPERAND_PRED:
    case WW_OPERAND_UPRED:
        name_predicate(o, from, out);
        break;
    case WW_OPERAND_BARRIER:
        name(out, from, all ? WW_NAME_BARRIER : 0, all ? o->reg % 16u : 0);
        break;
    case WW_OPERAND_COUNTER:
        if (!all) {
            name(out, from, 0, 0);
        }
        break;
    case WW_OPERAND_ADDRESS:
    case WW_OPERAND_CONST:
    case WW_OPERAND_DESC:
        name_inside(rules, t, at, from, out);
        break;
    default:
        break;
    }
}

void timing_names(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    const WwCodeInst *code = t->s->code;
    bool all = rules->names == NAMES_ALL && code != NULL;
    uint32_t n_results = all ? MIN(code->n_dst, t->n_operands) : t->result;
    for (uint32_t i = 0; i < n_results; i++) {
        name_operand(rules, t, i, 0, out);
    }
    out->n_written = out->n_named;
    for (uint32_t i = n_results; i < t->n_operands; i++) {
        name_operand(rules, t, i, out->n_written, out);
    }
    if (all) {
        WwOperand guard = {.kind = code->guard_uniform ? WW_OPERAND_UPRED : WW_OPERAND_PRED,
                           .reg = code->guard};
        name_predicate(&guard, out->n_written, out);
    }
}
