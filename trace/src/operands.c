/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operands of SASS as disassemblers print them, and which of them an instruction writes.
 *
 * Text that is no operand known here is kept as WW_OPERAND_OTHER: new architectures bring new ones, and who needs none of them shall still read the
 * rest.
 */
#include "listing-priv.h"

#include <stdlib.h>
#include <string.h>

/** What is left of a text. */
typedef struct Text {
    const char *p, *end;
} Text;

static bool take(Text *t, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(t->end - t->p) < n || memcmp(t->p, word, n) != 0) {
        return false;
    }
    t->p += n;
    return true;
}

/** A decimal number of at most @p max, behind which no letter or digit stands. */
static bool take_number(Text *t, uint32_t max, uint32_t *out)
{
    const char *p = t->p;
    uint32_t v = 0;
    for (; p < t->end && g_ascii_isdigit(*p); p++) {
        v = v * 10 + (uint32_t)(*p - '0');
        if (v > max) {
            return false;
        }
    }
    if (p == t->p || (p < t->end && (g_ascii_isalnum(*p) || *p == '_'))) {
        return false;
    }
    *out = v;
    t->p = p;
    return true;
}

/** "R12", "RZ": a letter or two, and a number or what stands for the last one. */
static bool take_named(Text *t, const char *letters, const char *zero, uint32_t zero_number,
                       uint32_t max, uint8_t *out)
{
    Text at = *t;
    uint32_t n;
    if (take(&at, zero) && (at.p == at.end || !g_ascii_isalnum(*at.p))) {
        n = zero_number;
    } else {
        at = *t;
        if (!take(&at, letters) || !take_number(&at, max, &n)) {
            return false;
        }
    }
    *out = (uint8_t)n;
    *t = at;
    return true;
}

static bool take_reg(Text *t, uint8_t *reg)
{
    return take_named(t, "R", "RZ", WW_REG_ZERO, 254, reg);
}

static bool take_ureg(Text *t, uint8_t *reg)
{
    return take_named(t, "UR", "URZ", WW_UREG_ZERO, 254, reg);
}

/** Hexadecimal or decimal, with a sign. */
static bool take_integer(Text *t, int64_t *out)
{
    Text at = *t;
    bool negative = take(&at, "-");
    if (!negative) {
        take(&at, "+");
    }
    uint64_t v = 0;
    bool hex = take(&at, "0x");
    const char *first = at.p;
    for (; at.p < at.end; at.p++) {
        int digit = hex ? g_ascii_xdigit_value(*at.p) : g_ascii_digit_value(*at.p);
        if (digit < 0) {
            break;
        }
        if (v > (UINT64_MAX - (uint64_t)digit) / (hex ? 16 : 10)) {
            return false;
        }
        v = v * (hex ? 16 : 10) + (uint64_t)digit;
    }
    if (at.p == first || (at.p < at.end && (g_ascii_isalnum(*at.p) || *at.p == '.'))) {
        return false;
    }
    *out = (int64_t)(negative ? 0 - v : v);
    *t = at;
    return true;
}

/** Suffixes of a register: ".reuse", ".64", ".H0_H0", ".X4", ... */
static bool take_suffixes(Text *t, WwOperand *o)
{
    while (t->p < t->end && *t->p == '.') {
        const char *first = ++t->p;
        while (t->p < t->end && (g_ascii_isalnum(*t->p) || *t->p == '_')) {
            t->p++;
        }
        size_t n = (size_t)(t->p - first);
        if (n == 0) {
            return false;
        }
        o->flags |= n == 5 && memcmp(first, "reuse", 5) == 0 ? WW_OPERAND_REUSE : 0u;
        o->flags |= n == 2 && memcmp(first, "64", 2) == 0 ? WW_OPERAND_WIDE : 0u;
    }
    return true;
}

/** What stands between brackets: registers and offsets, with '+' between them. @p t stands behind '['. */
static bool take_inside(Text *t, WwOperand *o)
{
    if (take(t, "]")) {
        return true;
    }
    do {
        int64_t offset;
        if (take_reg(t, &o->reg)) {
            o->flags |= WW_OPERAND_HAS_REG;
        } else if (take_ureg(t, &o->ureg)) {
            o->flags |= WW_OPERAND_HAS_UREG;
        } else if (take_integer(t, &offset)) {
            o->imm = (int64_t)((uint64_t)o->imm + (uint64_t)offset);
        } else {
            return false;
        }
        uint8_t wide = o->flags & WW_OPERAND_WIDE;
        if (!take_suffixes(t, o)) {
            return false;
        }
        if (o->flags & WW_OPERAND_HAS_UREG) { /* [R2+UR4.64]: the register alone is no pair */
            o->flags = (uint8_t)((o->flags & ~WW_OPERAND_WIDE) | wide);
        }
    } while (take(t, "+"));
    return take(t, "]");
}

/** c[0x3][R2+0x10], cx[UR4][0x10]; @p t stands behind the 'c'. */
static bool take_const(Text *t, WwOperand *o)
{
    o->kind = WW_OPERAND_CONST;
    if (take(t, "x[")) {
        o->flags |= WW_OPERAND_BOUND;
        return take_ureg(t, &o->ureg) && take(t, "][") && take_inside(t, o);
    }
    int64_t bank;
    if (!take(t, "[") || !take_integer(t, &bank) || bank < 0 || bank > 255 || !take(t, "]")) {
        return false;
    }
    take(t, " "); /* in front of constants of halves */
    if (!take(t, "[")) {
        return false;
    }
    o->bank = (uint32_t)bank;
    return take_inside(t, o);
}

/** desc[UR4][R2.64], gdesc[UR4] */
static bool take_desc(Text *t, WwOperand *o)
{
    o->kind = WW_OPERAND_DESC;
    if (!take_ureg(t, &o->ureg) || !take(t, "]")) {
        return false;
    }
    o->flags |= WW_OPERAND_HAS_UREG;
    if (!take(t, "[")) {
        return true;
    }
    WwOperand inside = {0};
    if (!take_inside(t, &inside)) {
        return false;
    }
    o->reg = inside.reg;
    o->imm = inside.imm;
    o->flags |= inside.flags & (WW_OPERAND_HAS_REG | WW_OPERAND_WIDE);
    return true;
}

/** {3,1} */
static bool take_counters(Text *t, WwOperand *o)
{
    uint32_t n;
    o->kind = WW_OPERAND_COUNTERS;
    do {
        while (take(t, " ")) {
        }
        if (!take_number(t, WW_COUNTERS - 1, &n)) {
            return false;
        }
        o->imm |= INT64_C(1) << n;
    } while (take(t, ","));
    return take(t, "}");
}

static bool take_float(Text *t, WwOperand *o)
{
    char text[48];
    char *end;
    size_t n = (size_t)(t->end - t->p);
    if (n == 0 || n >= sizeof text) {
        return false;
    }
    memcpy(text, t->p, n);
    text[n] = '\0';
    double v = g_ascii_strtod(text + (text[0] == '+'), &end);
    if (strcmp(text, "+QNAN") == 0 || strcmp(text, "-QNAN") == 0) {
        v = g_ascii_strtod(text[0] == '-' ? "-nan" : "nan", NULL);
    } else if (*end != '\0' || strchr(text, 'x') != NULL) {
        return false;
    }
    o->kind = WW_OPERAND_IMMEDIATE;
    o->flags |= WW_OPERAND_FLOAT;
    memcpy(&o->imm, &v, sizeof v);
    t->p = t->end;
    return true;
}

/** Signs and bars in front of a register. Returns what '|' closes it. */
static bool take_signs(Text *t, WwOperand *o)
{
    for (;; t->p++) {
        if (t->p == t->end) {
            return false;
        }
        if (*t->p == '-' || *t->p == '!' || *t->p == '~') {
            o->flags |= WW_OPERAND_NEGATED;
        } else if (*t->p == '|') {
            o->flags |= WW_OPERAND_ABSOLUTE;
        } else {
            return true;
        }
    }
}

/** The register, predicate or other thing that @p t begins with, without its suffixes. */
static bool take_thing(Text *t, WwOperand *o)
{
    static const struct {
        const char *letters, *zero;
        uint8_t kind, zero_number;
        uint32_t max;
    } names[] = {
        {"UR", "URZ", WW_OPERAND_UREG, WW_UREG_ZERO, 254},
        {"UP", "UPT", WW_OPERAND_UPRED, WW_PRED_TRUE, 6},
        {"UP", "UPR", WW_OPERAND_UPRED, WW_PRED_ALL, 6},
        {"R", "RZ", WW_OPERAND_REG, WW_REG_ZERO, 254},
        {"P", "PT", WW_OPERAND_PRED, WW_PRED_TRUE, 6},
        {"P", "PR", WW_OPERAND_PRED, WW_PRED_ALL, 6},
        {"SB", "SB0", WW_OPERAND_COUNTER, 0, WW_COUNTERS - 1},
        {"B", "B0", WW_OPERAND_BARRIER, 0, 15},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (take_named(t, names[i].letters, names[i].zero, names[i].zero_number, names[i].max,
                       &o->reg)) {
            o->kind = names[i].kind;
            return true;
        }
    }
    return take(t, "c") ? take_const(t, o) : false;
}

WwOperand ww_operand_read(const char *text, size_t n)
{
    WwOperand o = {0}, number = {.kind = WW_OPERAND_IMMEDIATE};
    Text t = {text, text + n}, at = t;
    if (take_integer(&at, &number.imm) && at.p == at.end) {
        return number;
    }
    at = t;
    if (take_float(&at, &number)) {
        return number;
    }
    if (take(&t, "[")) {
        o.kind = WW_OPERAND_ADDRESS;
        if (take_inside(&t, &o) && t.p == t.end) {
            return o;
        }
    } else if (take(&t, "desc[") || take(&t, "gdesc[")) {
        if (take_desc(&t, &o) && take_suffixes(&t, &o) && t.p == t.end) {
            return o;
        }
    } else if (take(&t, "{")) {
        if (take_counters(&t, &o) && t.p == t.end) {
            return o;
        }
    } else if (take(&t, "SR")) {
        o.kind = WW_OPERAND_SPECIAL;
        return o;
    } else if (take_signs(&t, &o) && take_thing(&t, &o)) {
        bool bars = (o.flags & WW_OPERAND_ABSOLUTE) != 0;
        if (take_suffixes(&t, &o) && (!bars || (take(&t, "|") && take_suffixes(&t, &o))) &&
            t.p == t.end) {
            return o;
        }
    }
    return (WwOperand){.kind = WW_OPERAND_OTHER};
}

/* ---- what is written ---------------------------------------------------------------------------------------------- */

/** Is @p opcode, up to its first dot, one of the blank-separated @p words? */
static bool is_one_of(const char *opcode, const char *words)
{
    size_t n = strcspn(opcode, ".");
    for (const char *p = words; *p != '\0';) {
        size_t len = strcspn(p, " ");
        if (len == n && memcmp(p, opcode, n) == 0) {
            return true;
        }
        p += len + (p[len] == ' ');
    }
    return false;
}

/** They read all of their operands. */
static const char writes_nothing[] = "ACQBULK ACQSHMINIT ARRIVES BAR BPT BRA BREAK BRX BRXU BSYNC "
                                     "CALL CCTL CCTLL CCTLT DEPBAR ERRBAR EXIT JMP "
                                     "JMX JMXU KILL LDGDEPBAR MEMBAR NANOSLEEP NOP PMTRIG PREEXIT "
                                     "RED RET RTT ST STG STL STS SUST SURED "
                                     "SETCTAID SETLMEMBASE USETMAXREG UTMACCTL UTMAPF "
                                     "UTMAREDG UTMASTG WARPSYNC WARPGROUP YIELD "
                                     "UBLKCP UBLKRED UBLKPF ";

/** They write a second predicate, too. */
static const char writes_two_predicates[] =
    "CSETP DSETP FSETP HSETP2 ISETP PLOP3 PSETP UISETP UPLOP3 UPSETP UFSETP ";

/** They write two registers, each or a pair of it. */
static const char writes_two_registers[] = "TEX TLD TLD4 TMML TXD ";

/** Behind what they write predicates follow that they read. */
static const char reads_predicates[] = "P2R UP2UR VOTE VOTEU ELECT SEL FSEL USEL B2R ";

static bool is_predicate(const WwOperand *o)
{
    return (o->kind == WW_OPERAND_PRED || o->kind == WW_OPERAND_UPRED) &&
           (o->flags & WW_OPERAND_NEGATED) == 0;
}

static bool is_register(const WwOperand *o)
{
    return o->kind == WW_OPERAND_REG || o->kind == WW_OPERAND_UREG;
}

/** VOTE.ANY R1, PT, P0 writes two; VOTE.ALL P1, P0 the first. */
static uint8_t written_by_vote(uint32_t n)
{
    return (uint8_t)(n > 1 ? MIN(n - 1, 2) : n);
}

uint8_t ww_operands_written(const char *opcode, const WwOperand *o, uint32_t n)
{
    if (n == 0 || is_one_of(opcode, writes_nothing)) {
        return 0;
    }
    if (is_one_of(opcode, "VOTE VOTEU")) {
        return written_by_vote(n);
    }
    if (is_one_of(opcode, writes_two_predicates)) {
        return (uint8_t)(n > 1 && is_predicate(&o[1]) ? 2 : 1);
    }
    if (is_predicate(&o[0])) { /* SHFL PT, R1, ...; LOP3.LUT P0, R1, ...; FCHK P0, R1, R2 */
        bool reads_next = is_one_of(opcode, "FCHK R2P ELECT");
        return (uint8_t)(n > 1 && is_register(&o[1]) && !reads_next ? 2 : 1);
    }
    if (!is_register(&o[0]) && o[0].kind != WW_OPERAND_BARRIER) {
        return 0; /* LDGSTS [R3], [R2.64]; BSSY's barrier is written */
    }
    if (is_one_of(opcode, writes_two_registers)) {
        return (uint8_t)(n > 1 && is_register(&o[1]) ? 2 : 1);
    }
    uint8_t written = 1;
    while (written < n && is_predicate(&o[written]) && !is_one_of(opcode, reads_predicates)) {
        written++; /* IADD3 R1, P0, P1, R2, R3, R4: carries */
    }
    return written;
}
