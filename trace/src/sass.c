/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operands from the bits of an instruction of sm_70 to sm_90.
 *
 * An opcode's operands are letters (sass_table.c), in the order of the text:
 *
 *   d D     register at bit 16; D: unless RZ        p q P Q  predicate written, at bit 81 or 84; P, Q: unless PT
 *   a 4     register at 24; 4: just that            r R s    predicate read, at 87; R: unless PT; s: never a uniform one
 *   x w     what the form has at 32; w: third       z e $    PLOP3's three and its tables; ISETP.EX's second; MATCH.ALL's
 *   b c 9   second, third source; VIADDMNMX's       X Y      predicates of a carry: two, one
 *   v V W   register at 32; V, W: in form 1 at 64   K o L    predicate of .RELU, unless PT; of a load; B2R's
 *   | 2 3   at 32, not in form 7; at 64; at 32,     i y 7    immediates: at 72, at 32, of 8 bits at 32 (unless all)
 *           unless RZ                               H n h    MOV's mask; BAR's numbers; LEA's shift with what is around it
 *   u U 1 0 uniform register at 16; U: unless URZ;  f g ~    SHFL's last two; DEPBAR's; MUFU's
 *           at 32; at 64                            t T I +  target of a branch; of RET; offset of BRX; target of CALL
 *   B G     convergence barrier at 16 or 24         / &      register of CALL and WARPSYNC; the latter's target
 *   S A Z   special register; PR; another text      ? :      ELECT's predicate; what SYNCS gives
 *   N E ! ; nothing, but makes the operands not known: .MERGE_C and .UNPACK_B; sparse integers; VIMNMX's other results; descriptors
 *
 * and of memory, textures and surfaces, sass_memory.c.
 *
 * Forms (bits 9 to 11): what stands at bit 32, and whether that is the second source or the third; the other one is a register at bit 64.
 * Whatever is not understood makes the operands unknown: the trace's registers are better than wrong ones.
 */
#include "sass_reader-priv.h"

#include <math.h>
#include <string.h>

#define FIRST_ARCH 70u
#define LAST_ARCH 90u

enum { HMUL2 = 0x032, HMMA = 0x03c, BSSY = 0x145, BRA = 0x147 };

/* ---- registers ---------------------------------------------------------------------------------------------------- */

/** Bits @p negated and @p absolute, where data of that kind has them. */
static void add_signs(const Reader *r, WwOperand *o, uint32_t negated, uint32_t absolute)
{
    bool floats = r->data >= WW_SASS_FLOAT && r->data <= WW_SASS_HALF3;
    bool some = r->data != WW_SASS_BITS && (r->data != WW_SASS_FIRST || negated != 75);
    if (some && bits(r, negated, 1)) {
        o->flags |= WW_OPERAND_NEGATED;
    }
    if (floats && bits(r, absolute, 1)) {
        o->flags |= WW_OPERAND_ABSOLUTE;
    }
}

/** @p place: 0 to 2, of the bits that say which registers are kept. */
static void add_reuse(const Reader *r, WwOperand *o, uint32_t place)
{
    o->flags |= bits(r, 122 + place, 1) && o->kind == WW_OPERAND_REG ? WW_OPERAND_REUSE : 0;
}

static void add_a(Reader *r)
{
    WwOperand *o = add_reg(r, 24, r->uniform);
    add_signs(r, o, 72, 73);
    add_reuse(r, o, 0);
}

/** The register at bit 64. */
static void add_last(Reader *r, uint32_t place)
{
    WwOperand *o = add_reg(r, 64, r->uniform);
    if (r->data != WW_SASS_HALF3) {
        add_signs(r, o, 75, 74);
    } else if (place == 2) {
        add_signs(r, o, 84, 83);
    }
    add_reuse(r, o, place);
}

/* ---- what stands at bit 32 ---------------------------------------------------------------------------------------- */

static void add_double(Reader *r, double v)
{
    WwOperand *o = add(r, WW_OPERAND_IMMEDIATE);
    o->flags = WW_OPERAND_FLOAT;
    memcpy(&o->imm, &v, sizeof v);
}

static double single_of(uint32_t word)
{
    float v;
    memcpy(&v, &word, sizeof v);
    return (double)v;
}

static double half_of(uint32_t h)
{
    uint32_t exponent = h >> 10 & 31u, sign = h >> 15;
    double fraction = (double)(h & 1023u) / 1024.0, v;
    if (exponent == 31) {
        v = fraction != 0 ? (double)NAN : (double)INFINITY;
    } else {
        v = exponent == 0 ? ldexp(fraction, -14) : ldexp(1.0 + fraction, (int)exponent - 15);
    }
    return sign != 0 ? -v : v;
}

/** Does bit 85 say .BF16? */
static bool has_brain_floats(const Reader *r)
{
    return r->data == WW_SASS_HALF3 || (r->arch >= WW_SASS_LATER && (r->low & 0x1ffu) == HMUL2);
}

static void add_immediate(Reader *r)
{
    uint32_t word = bits(r, 32, 32);
    uint64_t wide = (uint64_t)word << 32;
    double v;
    switch (r->data) {
    case WW_SASS_FLOAT:
        add_double(r, single_of(word));
        break;
    case WW_SASS_DOUBLE:
        memcpy(&v, &wide, sizeof v);
        add_double(r, v);
        break;
    case WW_SASS_HALF3:
    case WW_SASS_HALF:
        if (bits(r, 85, 1) && has_brain_floats(r)) {
            add_double(r, single_of(word & 0xffff0000u));
            add_double(r, single_of(word << 16));
            break;
        }
        add_double(r, half_of(word >> 16));
        add_double(r, half_of(word & 0xffffu));
        break;
    default:
        add(r, WW_OPERAND_IMMEDIATE)->imm = (int32_t)word;
    }
}

/** @p place of a register, for reuse. */
static void add_x(Reader *r, uint32_t place)
{
    WwOperand *o;
    switch (r->form) {
    case 1:
        o = add_reg(r, 32, r->uniform);
        add_reuse(r, o, place);
        break;
    case 2:
    case 4:
        add_immediate(r);
        return;
    case 3:
    case 5:
        r->bad |= bits(r, 91, 1) != 0; /* cx[UR][offset] */
        o = add_constant(r);
        break;
    default:
        o = add_reg(r, 32, true);
    }
    add_signs(r, o, 63, 62);
}

static bool x_is_third(const Reader *r)
{
    return r->form == 2 || r->form == 3 || r->form == 7;
}

static void add_b(Reader *r)
{
    if (x_is_third(r)) {
        add_last(r, 1);
    } else {
        add_x(r, 1);
    }
}

static void add_c(Reader *r)
{
    if (x_is_third(r)) {
        add_x(r, 2);
    } else {
        add_last(r, 2);
    }
}

/* ---- predicates --------------------------------------------------------------------------------------------------- */

static void add_any_pred(Reader *r, uint32_t at, bool always, bool uniform)
{
    uint32_t n = bits(r, at, 3);
    if (always || n != WW_PRED_TRUE) {
        add(r, uniform ? WW_OPERAND_UPRED : WW_OPERAND_PRED)->reg = (uint8_t)n;
    }
}

static void add_pred(Reader *r, uint32_t at, bool always)
{
    add_any_pred(r, at, always, r->uniform);
}

void ww_sass_add_read(Reader *r, uint32_t at, bool always, bool uniform)
{
    uint32_t before = r->out->n;
    bool negated = bits(r, at + 3, 1) != 0;
    add_any_pred(r, at, always || negated, uniform);
    if (r->out->n != before && negated) {
        r->out->operand[before].flags |= WW_OPERAND_NEGATED;
    }
}

static void add_read_pred(Reader *r, uint32_t at, bool always)
{
    ww_sass_add_read(r, at, always, r->uniform);
}

/* ---- the rest ----------------------------------------------------------------------------------------------------- */

static void add_lea(Reader *r)
{
    if (bits(r, 80, 1) && !bits(r, 73, 1)) { /* .HI, without .SX32 */
        add_c(r);
    } else if (x_is_third(r)) {
        r->bad = true;
    }
    add_integer(r, bits(r, 75, 5));
    if (bits(r, 74, 1)) {
        add_read_pred(r, 87, true);
    }
}

static void add_shuffle(Reader *r)
{
    bool lane_is_number = r->form == 4 || r->form == 7,
         mask_is_number = r->form == 2 || r->form == 7;
    if (lane_is_number) {
        add_integer(r, bits(r, 53, 5));
    } else {
        add_reuse(r, add_reg(r, 32, false), 1);
    }
    if (mask_is_number) {
        add_integer(r, bits(r, 40, 13));
    } else {
        add_reuse(r, add_reg(r, 64, false), 2);
    }
}

static void add_depbar(Reader *r)
{
    uint32_t counter = bits(r, 44, 3), mask = bits(r, 32, WW_COUNTERS);
    r->bad |= counter >= WW_COUNTERS;
    add(r, WW_OPERAND_COUNTER)->reg = (uint8_t)counter;
    add_integer(r, bits(r, 38, 6));
    if (mask != 0) {
        add(r, WW_OPERAND_COUNTERS)->imm = mask;
    }
}

/** In bytes, from behind the instruction: 48 bits of words, since sm_90 with 8 more below them, but for BSSY, whose barrier stands there. */
static int64_t offset_of(const Reader *r)
{
    int64_t high = (int64_t)((r->high & 0x3ffffu) << 46) >> 14;
    int64_t offset = (high | (int64_t)(r->low >> 32)) & ~INT64_C(3);
    bool more = r->arch >= WW_SASS_LATER && (r->low & 0x1ffu) != BSSY;
    return more ? offset * 256 + bits(r, 16, 8) * INT64_C(4) : offset;
}

static void add_behind(Reader *r, int64_t offset)
{
    add_integer(r, (int64_t)(r->pc + WW_CODE_BYTES + (uint64_t)offset));
}

static void add_target(Reader *r)
{
    bool branch = (r->low & 0x1ffu) == BRA, uniform = bits(r, 91, 1) != 0;
    if (branch && uniform) { /* .DIV, .CONV */
        add_reg(r, 24, true)->flags = bits(r, 30, 1) ? WW_OPERAND_NEGATED : 0;
        r->bad |= bits(r, 32, 2) == 0;
    } else {
        r->bad |= uniform || bits(r, 24, 8) != 0;
    }
    add_behind(r, offset_of(r));
}

/** Targets of calls and returns, and what BRX adds: as they stand, or from behind the instruction. */
static void add_far_target(Reader *r, char letter)
{
    int64_t offset = offset_of(r);
    r->bad |= bits(r, 91, 1) != 0;
    if (letter == '&') { /* WARPSYNC.COLLECTIVE */
        if (bits(r, 86, 1)) {
            add_behind(r, offset);
        }
    } else if (letter == 'T' && !bits(r, 85, 1)) {
        add_behind(r, offset);
    } else if (letter != '+' || r->form != 1 || offset != 0) {
        add_integer(r, offset);
    }
}

/** BAR's: which one and of how many threads, each a number or a register; for .RED a predicate. */
static void add_bar(Reader *r)
{
    if (bits(r, 79, 1)) { /* .SYNCALL */
        return;
    }
    if (r->form == 5) {
        add_integer(r, bits(r, 54, 4));
    } else {
        add_reg(r, 32, false);
    }
    if (r->form == 1) { /* both in one */
        add_reg(r, 32, false);
    } else if (bits(r, 42, 12) != 0 || bits(r, 77, 1)) { /* .ARV */
        add_integer(r, bits(r, 42, 12));
    }
    if (bits(r, 78, 1)) {
        add_read_pred(r, 87, true);
    }
}

/** MUFU's: .RCP64H and .RSQ64H have upper halves of doubles. */
static void add_mufu(Reader *r)
{
    uint32_t what = bits(r, 74, 4);
    r->data = what == 6 || what == 7 ? WW_SASS_DOUBLE : r->data;
    add_x(r, 1);
}

/** PLOP3's three, and its two tables of truth. */
static void add_plop(Reader *r)
{
    add_read_pred(r, 87, true);
    add_read_pred(r, 77, true);
    add_read_pred(r, 68, true);
    if (bits(r, 67, 1)) {
        r->out->operand[r->out->n - 1].kind = WW_OPERAND_UPRED;
    }
    add_integer(r, bits(r, 72, 5) << 3 | bits(r, 64, 3));
    add_integer(r, bits(r, 16, 8));
}

/** HMMA.SP's register of places, and which of its threads have them. */
static void add_sparse(Reader *r)
{
    bool half = (r->low & 0x1ffu) == HMMA;
    if (half && bits(r, 73, 1)) {
        WwOperand *o = add_reg(r, 40, false);
        o->flags = bits(r, 50, 1) ? WW_OPERAND_REUSE : 0;
        add_integer(r, bits(r, 48, 2));
        r->bad |= bits(r, 51, 13) != 0;
    } else {
        r->bad |= bits(r, 40, 24) != 0 || (!half && r->arch >= 80 && bits(r, 72, 1)); /* IMMA.SP */
    }
}

/** A register where it stands, without signs; of some letters only if it is one: neither RZ nor URZ. */
static bool add_reg_at(Reader *r, char letter)
{
    static const struct {
        char letter;
        uint8_t at;
        bool uniform, any;
    } plain[] = {{'D', 16, false, false}, {'4', 24, false, true}, {'2', 64, false, true},
                 {'3', 32, false, false}, {'U', 16, true, false}, {'u', 16, true, true},
                 {'1', 32, true, true},   {'0', 64, true, true}};
    for (size_t i = 0; i < G_N_ELEMENTS(plain); i++) {
        if (plain[i].letter == letter) {
            uint32_t at = plain[i].at;
            bool none =
                plain[i].uniform ? ureg_at(r, at) == WW_UREG_ZERO : bits(r, at, 8) == WW_REG_ZERO;
            if (plain[i].any || !none) {
                add_reg(r, at, plain[i].uniform);
            }
            return true;
        }
    }
    return false;
}

/** Results and sources: most instructions have no other operands. */
static bool add_common(Reader *r, char letter)
{
    switch (letter) {
    case 'd':
        add_reg(r, 16, r->uniform);
        break;
    case 'a':
        add_a(r);
        break;
    case 'b':
        add_b(r);
        break;
    case 'c':
        add_c(r);
        break;
    case 'x':
        add_x(r, 1);
        break;
    case 'w':
        add_x(r, 2);
        break;
    case 'W':
        if (r->form == 1) {
            add_last(r, 2);
        } else {
            add_x(r, 2);
        }
        break;
    case '|': /* ATOMS.POPC.INC has none */
        if (r->form == 7) {
            break;
        }
        G_GNUC_FALLTHROUGH;
    case 'v':
        add_reuse(r, add_reg(r, 32, false), 1);
        break;
    case 'V':
        add_reuse(r, add_reg(r, r->form == 1 ? 64 : 32, false), r->form == 1 ? 2 : 1);
        break;
    default:
        return false;
    }
    return true;
}

/** What is no register: barriers and the like. */
static bool add_special(Reader *r, char letter)
{
    switch (letter) {
    case 'B':
        add(r, WW_OPERAND_BARRIER)->reg = (uint8_t)bits(r, 16, 4);
        break;
    case 'G':
        add(r, WW_OPERAND_BARRIER)->reg = (uint8_t)bits(r, 24, 4);
        break;
    case 'S':
        add(r, WW_OPERAND_SPECIAL);
        break;
    case 'A':
        add(r, WW_OPERAND_PRED)->reg = WW_PRED_ALL;
        break;
    case 'Z':
        add(r, WW_OPERAND_OTHER);
        break;
    default:
        return false;
    }
    return true;
}

static bool add_predicate(Reader *r, char letter)
{
    switch (letter) {
    case 'p':
    case 'P':
        add_pred(r, 81, letter == 'p');
        break;
    case 'q':
    case 'Q':
        add_pred(r, 84, letter == 'q');
        break;
    case 'r':
    case 'R':
        add_read_pred(r, 87, letter == 'r');
        break;
    case 'e':
        if (bits(r, 72, 1)) {
            add_read_pred(r, 68, true);
        }
        break;
    case 'X':
    case 'Y':
        if (bits(r, 74, 1) && (letter == 'X' || r->form != 0)) {
            add_read_pred(r, 87, true);
            if (letter == 'X') {
                add_read_pred(r, 77, true);
            }
        }
        break;
    case 'K':
        if (bits(r, 79, 1)) {
            add_read_pred(r, 87, false);
        }
        break;
    case '$': /* MATCH.ALL's */
        if (!bits(r, 79, 1)) {
            add_pred(r, 81, true);
        }
        break;
    case 's':
        ww_sass_add_read(r, 87, true, false);
        break;
    case 'o':
        if (bits(r, 64, 4) != 0) {
            WwOperand *o = add(r, WW_OPERAND_PRED);
            o->reg = (uint8_t)(7 - bits(r, 64, 3));
            o->flags = bits(r, 67, 1) ? WW_OPERAND_NEGATED : 0;
        }
        break;
    case 'z':
        add_plop(r);
        break;
    default:
        return false;
    }
    return true;
}

/** Numbers that stand in the instruction. */
static bool add_number(Reader *r, char letter)
{
    switch (letter) {
    case 'i':
        add_integer(r, bits(r, 72, 8));
        break;
    case 'y':
        add_integer(r, (int32_t)bits(r, 32, 32));
        break;
    case 'n':
        add_bar(r);
        break;
    case 'H':
        if (bits(r, 72, 4) != 15) {
            add_integer(r, bits(r, 72, 4));
        }
        break;
    case '7':
        if (bits(r, 32, 8) != 255) {
            add_integer(r, bits(r, 32, 8));
        }
        break;
    default:
        return false;
    }
    return true;
}

/** What instructions of one kind have. Some letters add nothing, but may make the operands not known. */
static void add_own(Reader *r, char letter)
{
    switch (letter) {
    case 'L':
        r->bad |= !bits(r, 78, 1); /* it is .RESULT */
        add_pred(r, 81, false);
        break;
    case '~':
        add_mufu(r);
        break;
    case '9': /* VIADDMNMX's second source; its third stands at 32 */
        add_reuse(r, add_reg(r, 64, false), 1);
        r->out->operand[r->out->n - 1].flags |= bits(r, 75, 1) ? WW_OPERAND_NEGATED : 0;
        break;
    case 'h':
        add_lea(r);
        break;
    case 'f':
        add_shuffle(r);
        break;
    case 't':
        add_target(r);
        break;
    case 'g':
        add_depbar(r);
        break;
    case 'E':
        add_sparse(r);
        break;
    case 'N':
        r->bad |= bits(r, 78, 1) != 0 || bits(r, 89, 1) != 0;
        break;
    case '!':
        r->bad |= bits(r, 81, 3) != WW_PRED_TRUE;
        break;
    case ';': /* a descriptor follows */
        r->bad |= bits(r, 76, 1) != 0;
        break;
    case '?': /* ELECT's may be a uniform register */
        r->bad |= bits(r, 91, 1) != 0;
        add_read_pred(r, 87, true);
        break;
    case '/': /* WARPSYNC's mask, unless it is all */
        if (r->form == 1) {
            add_a(r);
        }
        break;
    case ':': /* what SYNCS gives: a predicate, of a test, or a register */
        r->bad |= bits(r, 70, 2) != (r->form == 2 ? 1u : 0u);
        if (r->form == 2) {
            add_pred(r, 81, true);
        } else {
            add_reg(r, 16, false);
        }
        break;
    default:
        add_far_target(r, letter);
    }
}

static void add_letter(Reader *r, char letter)
{
    bool done = add_common(r, letter) || add_reg_at(r, letter) || add_predicate(r, letter) ||
                add_special(r, letter) || ww_sass_memory(r, letter) || add_number(r, letter);
    if (!done) {
        add_own(r, letter);
    }
}

void ww_sass_read(const uint64_t word[2], uint64_t pc, uint32_t arch, WwSass *out)
{
    const WwSassOpcode *o = ww_sass_opcode(word[0], arch);
    Reader r = {.low = word[0],
                .high = word[1],
                .pc = pc,
                .arch = arch,
                .form = word[0] >> 9 & 7u,
                .out = out};
    *out = (WwSass){.name = ""};
    if (o == NULL || arch < FIRST_ARCH || arch > LAST_ARCH) {
        return;
    }
    out->name = o->name;
    r.uniform = out->uniform = (o->data & WW_SASS_UNIFORM) != 0;
    r.data = o->data & WW_SASS_DATA;
    if ((o->forms >> r.form & 1u) == 0 || !ww_sass_compared(word[0], arch)) {
        return;
    }
    for (const char *p = o->operands; *p != '\0'; p++) {
        add_letter(&r, *p);
    }
    out->known = !r.bad;
    out->n = r.bad ? 0 : out->n;
    out->n_dst = out->n != 0 ? ww_operands_written(out->name, out->operand, out->n) : 0;
}
