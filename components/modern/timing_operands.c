/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Operands: how many registers each spans, and which of them cost a read port.
 *
 * The rules are those of the released simulator of MICRO'25 (docs/modern.md#operands), which knows of an instruction its text and its operands. A
 * listing has no table of operand widths, so they follow from opcode, position and parity.
 */
#include "timing-priv.h"

#include <string.h>

bool timing_says(const TimingInst *t, const char *part)
{
    return strstr(t->s->opcode, part) != NULL;
}

/* The @p n-th part of the opcode's text between dots says @p what. */
static bool part_says(const TimingInst *t, uint32_t n, const char *what)
{
    const char *at = t->s->opcode;
    for (; n != 0 && at != NULL; n--) {
        at = strchr(at, '.');
        at = at != NULL ? at + 1 : NULL;
    }
    if (at == NULL) {
        return false;
    }
    const char *found = strstr(at, what), *end = strchr(at, '.');
    return found != NULL && (end == NULL || found < end);
}

/* ---- widths -------------------------------------------------------------------------------- */

static uint32_t tensor_width(const TimingInst *t, uint32_t at)
{
    bool whole = timing_says(t, "IMMA") || timing_says(t, "BMMA");
    switch (at) {
    case 0:
    case 3:
        return t->m * t->n * (whole ? 32u : t->bits) / 1024u;
    case 1:
        return t->m * t->k * t->bits / 1024u / 2u;
    case 2:
        return t->k * t->n * t->bits / 1024u / 2u;
    default:
        return 1;
    }
}

/* Which side of a conversion has 64 bits: the number that stands first is the result's. */
static uint32_t conversion_width(const TimingInst *t, uint32_t at)
{
    static const char *const others[] = {"32", "16", "8"};
    const char *wide = strstr(t->s->opcode, "64");
    bool first = true, behind = false;
    for (size_t i = 0; wide != NULL && i < G_N_ELEMENTS(others); i++) {
        const char *other = strstr(t->s->opcode, others[i]);
        first = first && (other == NULL || wide < other);
        behind = behind || (other != NULL && wide > other);
    }
    return wide != NULL && ((at == 0 && first) || (at == 1 && behind)) ? 2 : 1;
}

static uint32_t data_width(const TimingInst *t)
{
    if (timing_says(t, "64")) {
        return 2;
    }
    return timing_says(t, "128") && !timing_says(t, "LTC128B") ? 4 : 0;
}

static uint32_t result_of_load(const TimingInst *t)
{
    uint32_t n = data_width(t);
    if (n == 0 && timing_says(t, "LDSM")) {
        n = timing_says(t, ".2") ? 2 : timing_says(t, ".4") ? 4 : 1;
    }
    return n != 0 ? n : 1;
}

static uint32_t double_width(const TimingInst *t, uint32_t at)
{
    if (timing_says(t, "DMMA") && (at == 0 || at == 3)) {
        return 4;
    }
    return !timing_says(t, "F2F") || part_says(t, at + 1, "64") ? 2 : 1;
}

static uint32_t full_width(const TimingInst *t, uint32_t at, bool regular)
{
    if (regular && t->op == WW_SUB_DP) {
        return double_width(t, at);
    }
    if (at == 0 && timing_says(t, "IMAD") && timing_says(t, "WIDE")) {
        return 2;
    }
    if ((t->op == WW_SUB_LOAD && at == 1 && timing_says(t, ".E")) ||
        (t->op == WW_SUB_STORE && at == 0 && timing_says(t, ".E"))) {
        return 2;
    }
    if (at == 0 && timing_says(t, "LD")) {
        return result_of_load(t);
    }
    if (at == 1 && timing_says(t, "ST")) {
        return timing_says(t, "64") ? 2 : timing_says(t, "128") ? 4 : 1;
    }
    if (t->op == WW_SUB_TENSOR) {
        return tensor_width(t, at);
    }
    return timing_says(t, "F2") || timing_says(t, "2F") ? conversion_width(t, at) : 1;
}

uint32_t timing_width(const TimingInst *t, uint32_t at, bool regular, uint32_t reg)
{
    uint32_t n = full_width(t, at, regular);
    return n == 2 && reg % 2 != 0 ? 1 : n;
}

/* The register that an operand names, of whatever kind. */
static uint32_t reg_of(const WwOperand *o)
{
    bool uniform = (o->kind == WW_OPERAND_ADDRESS || o->kind == WW_OPERAND_CONST ||
                    o->kind == WW_OPERAND_DESC) &&
                   (o->flags & WW_OPERAND_HAS_REG) == 0;
    return uniform ? o->ureg : o->reg;
}

uint32_t timing_uses(const TimingInst *t, uint32_t at)
{
    const WwOperand *o = &t->operand[at];
    bool regular = o->kind == WW_OPERAND_REG;
    if ((regular && o->reg == WW_REG_ZERO) ||
        (o->kind == WW_OPERAND_UREG && o->reg == WW_UREG_ZERO) ||
        ((o->kind == WW_OPERAND_PRED || o->kind == WW_OPERAND_UPRED) && o->reg == WW_PRED_TRUE)) {
        return 1;
    }
    if ((o->kind == WW_OPERAND_PRED || o->kind == WW_OPERAND_UPRED) && o->reg == WW_PRED_ALL) {
        return WW_PRED_TRUE;
    }
    return timing_width(t, at, regular, reg_of(o));
}

/* ---- what is read -------------------------------------------------------------------------- */

static bool has_uniform(const WwOperand *o)
{
    return (o->flags & WW_OPERAND_HAS_UREG) != 0 || o->kind == WW_OPERAND_DESC;
}

/* Does operand @p o read a regular register? An address with a uniform register in it does not, as the released simulator sees it. */
static bool reads_regular(const WwOperand *o)
{
    switch (o->kind) {
    case WW_OPERAND_REG:
        return o->reg != WW_REG_ZERO;
    case WW_OPERAND_ADDRESS:
    case WW_OPERAND_CONST:
        return !has_uniform(o) && (o->flags & WW_OPERAND_HAS_REG) != 0 && o->reg != WW_REG_ZERO;
    default:
        return false;
    }
}

static void add_reads(const TimingInst *t, uint32_t at, uint32_t slot, WwTiming *out)
{
    const WwOperand *o = &t->operand[at];
    uint32_t n = timing_uses(t, at);
    out->most_reads = (uint8_t)MAX(out->most_reads, n);
    for (uint32_t j = 0; j < n && out->n_reads < WW_MAX_READS; j++) {
        out->read[out->n_reads++] = (WwTimingRead){
            .reg = (uint8_t)(o->reg + j),
            .slot = (uint8_t)(o->kind == WW_OPERAND_REG ? slot : WW_NO_SLOT),
            .reuse = (o->flags & WW_OPERAND_REUSE) != 0,
        };
    }
}

static WwRegFile file_of(const WwOperand *o)
{
    switch (o->kind) {
    case WW_OPERAND_REG:
        return WW_FILE_REGULAR;
    case WW_OPERAND_UREG:
        return WW_FILE_UNIFORM;
    default:
        return WW_FILE_OTHER;
    }
}

bool timing_address_in_register(const TimingInst *t, uint32_t at)
{
    const WwOperand *o = at < t->n_operands ? &t->operand[at] : NULL;
    if (o == NULL || (o->kind != WW_OPERAND_ADDRESS && o->kind != WW_OPERAND_CONST &&
                      o->kind != WW_OPERAND_DESC)) {
        o = NULL;
        for (uint32_t i = 0; i < t->n_operands && o == NULL; i++) {
            bool address =
                t->operand[i].kind == WW_OPERAND_ADDRESS || t->operand[i].kind == WW_OPERAND_DESC;
            o = address ? &t->operand[i] : NULL;
        }
        if (o == NULL) {
            return true; /* no listing: the trace's registers are what there is */
        }
    }
    return o->kind == WW_OPERAND_DESC || ((o->flags & WW_OPERAND_HAS_REG) != 0 && !has_uniform(o));
}

void timing_operands(const TimingRules *rules, const TimingInst *t, WwTiming *out)
{
    uint32_t slot = 0;
    if (t->result) {
        out->dst_file = (uint8_t)file_of(&t->operand[0]);
        out->dst = t->operand[0].reg;
        out->n_dst = (uint8_t)timing_uses(t, 0);
    }
    for (uint32_t i = t->result; i < t->n_operands; i++) {
        const WwOperand *o = &t->operand[i];
        if (reads_regular(o)) {
            add_reads(t, i, slot, out);
        }
        slot += o->kind == WW_OPERAND_REG;
    }
    for (uint32_t i = 0; i < t->n_operands; i++) {
        const WwOperand *o = &t->operand[i];
        bool load = t->space == WW_SPACE_CONST && (out->flags & WW_TAKES_LOAD) != 0;
        if (o->kind == WW_OPERAND_CONST) {
            out->flags |= load ? 0 : WW_TAKES_CONSTANT;
            out->constant =
                rules->constant_base + (uint64_t)o->bank * rules->constant_bank + (uint64_t)o->imm;
            break;
        }
    }
}
