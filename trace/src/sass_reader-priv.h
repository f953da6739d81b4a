/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reading the operands of one instruction from its bits: what sass.c and sass_memory.c share.
 */
#pragma once

#include "sass-priv.h"

typedef struct Reader {
    uint64_t low, high, pc;
    uint32_t arch, form, data;
    bool uniform, bad;
    WwSass *out;
} Reader;

/** @p n bits from number @p at on, of 128; not across the middle. */
static inline uint32_t bits(const Reader *r, uint32_t at, uint32_t n)
{
    return (uint32_t)((at < 64 ? r->low >> at : r->high >> (at - 64)) & ((UINT64_C(1) << n) - 1));
}

static inline int64_t signed_bits(const Reader *r, uint32_t at, uint32_t n)
{
    uint64_t v = (at < 64 ? r->low >> at : r->high >> (at - 64)) << (64 - n);
    return (int64_t)v >> (64 - n);
}

static inline WwOperand *add(Reader *r, WwOperandKind kind)
{
    static WwOperand none;
    if (r->out->n == WW_LISTING_OPERANDS) {
        r->bad = true;
        return &none;
    }
    WwOperand *o = &r->out->operand[r->out->n++];
    *o = (WwOperand){.kind = (uint8_t)kind};
    return o;
}

static inline uint8_t ureg_at(const Reader *r, uint32_t at)
{
    uint32_t n = bits(r, at, 6);
    return n == 63 ? WW_UREG_ZERO : (uint8_t)n;
}

static inline WwOperand *add_reg(Reader *r, uint32_t at, bool uniform)
{
    WwOperand *o = add(r, uniform ? WW_OPERAND_UREG : WW_OPERAND_REG);
    o->reg = uniform ? ureg_at(r, at) : (uint8_t)bits(r, at, 8);
    return o;
}

static inline void add_integer(Reader *r, int64_t v)
{
    add(r, WW_OPERAND_IMMEDIATE)->imm = v;
}

static inline WwOperand *add_constant(Reader *r)
{
    WwOperand *o = add(r, WW_OPERAND_CONST);
    o->bank = bits(r, 54, 5);
    o->imm = bits(r, 38, 16);
    return o;
}

/** A predicate that is read, at bit @p at; its negation stands behind it. @p always: also when it is PT. */
void ww_sass_add_read(Reader *r, uint32_t at, bool always, bool uniform);

/** The operand of @p letter, if it is one of memory, textures, surfaces or warp groups. */
bool ww_sass_memory(Reader *r, char letter);
