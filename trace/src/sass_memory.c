/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operands of memory, textures, surfaces and warp groups, by letter:
 *
 *   m M F 5 j J 6 O ^ _   an address: register at 24, offset behind it, uniform register at 32 or 64 (`places`)
 *   < >               one in a uniform register: at 32; at 24, with its offset
 *   @ *               a surface's; CCTL's
 *   l k               LDGSTS's addresses and predicate; constant that is loaded
 *   ( )               of a product of warp groups: its first two, a register or descriptors of shared memory; its predicate and group
 *   {                 WARPGROUP.DEPBAR's
 *   # %               where a texture's or surface's header is; which of its four values (unless all)
 *
 * Since sm_80 a global access says in a bit (`flag`) whether its uniform register is a descriptor of memory. Until sm_89 the text has that one
 * only where bit 101 is set.
 */
#include "sass_reader-priv.h"

static const struct Place {
    char letter;
    uint8_t ureg; /**< Where its uniform register stands, if bit 91 says that there is one. */
    uint8_t wide; /**< Beside one: the other is a pair; 0: it never is. */
    uint8_t flag; /**< 0: never a descriptor. */
    bool far;     /**< Without a uniform register the offset has 32 bits. */
    bool quiet;   /**< The text has no URZ behind a pair. */
} places[] = {
    {'m', 32, 90, 0, false, false},  {'M', 64, 0, 0, false, false},
    {'F', 32, 90, 76, false, false}, {'5', 64, 90, 76, false, false},
    {'j', 32, 90, 76, true, false},  {'J', 64, 90, 76, true, false},
    {'6', 64, 90, 71, false, false}, {'O', 64, 70, 71, false, false},
    {'^', 64, 90, 0, false, true},   {'_', 64, 72, 0, false, true},
};

enum { DESC_NONE, DESC_HIDDEN, DESC_SHOWN };

/** Is the uniform register a descriptor, and does the text have it? */
static int descriptor(const Reader *r, uint32_t flag)
{
    if (r->arch < 80 || flag == 0 || !bits(r, flag, 1)) {
        return DESC_NONE;
    }
    return r->arch >= WW_SASS_LATER || bits(r, 101, 1) ? DESC_SHOWN : DESC_HIDDEN;
}

static void set_ureg(WwOperand *o, uint8_t ureg)
{
    o->flags |= WW_OPERAND_HAS_UREG;
    o->ureg = ureg;
}

static void add_address(Reader *r, const struct Place *p)
{
    bool uniform = bits(r, 91, 1) != 0, far = p->far && (p->ureg == 32 || r->form == 1);
    int desc = uniform ? descriptor(r, p->flag) : DESC_NONE;
    bool wide = uniform && p->wide != 0 && bits(r, p->wide, 1) != 0;
    bool quiet = p->quiet && wide && ureg_at(r, p->ureg) == WW_UREG_ZERO;
    bool has = uniform && desc != DESC_HIDDEN && !quiet;
    WwOperand *o = add(r, desc == DESC_SHOWN ? WW_OPERAND_DESC : WW_OPERAND_ADDRESS);
    o->imm = far && !uniform ? signed_bits(r, 32, 32) : signed_bits(r, 40, 24);
    o->reg = (uint8_t)bits(r, 24, 8);
    if (has) {
        set_ureg(o, ureg_at(r, p->ureg));
    }
    bool both = has && p->flag != 0 && r->arch >= WW_SASS_LATER; /* also [RZ+UR4] */
    if (o->reg != WW_REG_ZERO || both || (!has && o->imm == 0)) {
        o->flags |= WW_OPERAND_HAS_REG;
        o->flags |= wide ? WW_OPERAND_WIDE : 0;
    } else {
        o->reg = 0;
    }
}

static void add_copy(Reader *r)
{
    uint8_t ureg = ureg_at(r, 64);
    int desc = ureg != WW_UREG_ZERO || r->arch >= WW_SASS_LATER ? descriptor(r, 76) : DESC_NONE;
    WwOperand *to = add(r, WW_OPERAND_ADDRESS);
    to->reg = (uint8_t)bits(r, 16, 8);
    to->flags = WW_OPERAND_HAS_REG;
    to->imm = signed_bits(r, 44, 20);
    WwOperand *from = add(r, desc == DESC_SHOWN ? WW_OPERAND_DESC : WW_OPERAND_ADDRESS);
    from->reg = (uint8_t)bits(r, 24, 8);
    from->flags = WW_OPERAND_HAS_REG | (bits(r, 70, 1) ? WW_OPERAND_WIDE : 0);
    from->imm = signed_bits(r, 32, 12);
    if (desc == DESC_SHOWN || (desc == DESC_NONE && ureg != WW_UREG_ZERO)) {
        set_ureg(from, ureg);
    }
    ww_sass_add_read(r, 87, false, false);
}

/** In a uniform register: at @p at, with an offset where it is the first. */
static void add_uniform(Reader *r, uint32_t at)
{
    WwOperand *o = add(r, WW_OPERAND_ADDRESS);
    set_ureg(o, ureg_at(r, at));
    o->imm = at == 24 ? signed_bits(r, 40, 24) : 0;
}

static WwOperand *add_plain(Reader *r)
{
    WwOperand *o = add(r, WW_OPERAND_ADDRESS);
    o->flags = WW_OPERAND_HAS_REG;
    o->reg = (uint8_t)bits(r, 24, 8);
    return o;
}

static void add_control(Reader *r)
{
    enum { PF1 = 0, PF2 = 1, IV = 3, IVALL = 4, PML2 = 9, RML2 = 11 };
    uint32_t what = bits(r, 87, 4);
    if (what != IVALL) {
        add_plain(r)->imm = signed_bits(r, 32, 32);
        r->bad |= what != PF1 && what != PF2 && what != IV && what != PML2 && what != RML2;
    }
    r->bad |= bits(r, 91, 1) != 0;
}

/** Its bank and place among constants, or a uniform register with what is added to it. */
static void add_header(Reader *r)
{
    bool uniform = bits(r, 91, 1) != 0;
    if (uniform) {
        add_reg(r, 40, true);
        add_integer(r, bits(r, 46, 8));
    } else {
        add_integer(r, bits(r, 54, 5));
        add_integer(r, bits(r, 40, 14));
    }
}

static void add_loaded(Reader *r)
{
    WwOperand *o = add_constant(r);
    bool has = r->uniform ? bits(r, 91, 1) != 0 : bits(r, 24, 8) != WW_REG_ZERO;
    if (has || (!r->uniform && o->imm == 0)) {
        o->imm = signed_bits(r, 38, 16);
    }
    if (has && r->uniform) {
        set_ureg(o, ureg_at(r, 24));
    } else if (has || (!r->uniform && o->imm == 0)) {
        o->flags |= WW_OPERAND_HAS_REG;
        o->reg = (uint8_t)bits(r, 24, 8);
    }
}

static void add_matrix(Reader *r, uint32_t at)
{
    set_ureg(add(r, WW_OPERAND_DESC), ureg_at(r, at));
}

/** Of form 6 the first one is in registers; of form 4 one descriptor stands for both. */
static void add_matrices(Reader *r)
{
    if (r->form != 6) {
        add_matrix(r, 24);
        return;
    }
    WwOperand *a = add_reg(r, 24, false);
    a->flags |= r->data == WW_SASS_FLOAT && bits(r, 72, 1) ? WW_OPERAND_NEGATED : 0;
    add_matrix(r, 32);
}

/** Whether it adds up, and the group that it ends, if it does. */
static void add_group(Reader *r)
{
    enum { NO_GROUP = 7 };
    uint32_t group = bits(r, 84, 3);
    WwOperand *o = add(r, WW_OPERAND_UPRED);
    o->reg = (uint8_t)(7 - bits(r, 87, 3));
    o->flags = bits(r, 90, 1) ? WW_OPERAND_NEGATED : 0;
    r->bad |= bits(r, 73, 1) != 0; /* sparse */
    r->bad |= group != 0 && group != NO_GROUP;
    if (group == 0) {
        add(r, WW_OPERAND_OTHER); /* gsb0 */
    }
}

static void add_warp_group(Reader *r)
{
    if (bits(r, 80, 1)) { /* .DEPBAR */
        add(r, WW_OPERAND_OTHER);
        add_integer(r, bits(r, 72, 3));
        r->bad |= bits(r, 84, 3) != 0;
    }
}

bool ww_sass_memory(Reader *r, char letter)
{
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        if (places[i].letter == letter) {
            add_address(r, &places[i]);
            return true;
        }
    }
    switch (letter) {
    case '<':
        add_uniform(r, 32);
        return true;
    case '>':
        add_uniform(r, 24);
        return true;
    case '@':
        add_plain(r);
        return true;
    case '*':
        add_control(r);
        return true;
    case 'l':
        add_copy(r);
        return true;
    case 'k':
        add_loaded(r);
        return true;
    case '(':
        add_matrices(r);
        return true;
    case ')':
        add_group(r);
        return true;
    case '{':
        add_warp_group(r);
        return true;
    case '#':
        add_header(r);
        return true;
    case '%':
        if (bits(r, 72, 4) != 15) {
            add_integer(r, bits(r, 72, 4));
        }
        return true;
    default:
        return false;
    }
}
