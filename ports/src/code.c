/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Static code as text.
 */
#include <ports/code.h>

#include <string.h>

const char *ww_operand_kind_name(WwOperandKind kind)
{
    static const char *const names[WW_N_OPERAND_KINDS] = {
        [WW_OPERAND_REG] = "register",
        [WW_OPERAND_UREG] = "uniform register",
        [WW_OPERAND_PRED] = "predicate",
        [WW_OPERAND_UPRED] = "uniform predicate",
        [WW_OPERAND_BARRIER] = "convergence barrier",
        [WW_OPERAND_COUNTER] = "dependence counter",
        [WW_OPERAND_COUNTERS] = "dependence counters",
        [WW_OPERAND_SPECIAL] = "special register",
        [WW_OPERAND_CONST] = "constant",
        [WW_OPERAND_ADDRESS] = "address",
        [WW_OPERAND_DESC] = "descriptor",
        [WW_OPERAND_IMMEDIATE] = "immediate",
        [WW_OPERAND_OTHER] = "other",
    };
    return (unsigned)kind < WW_N_OPERAND_KINDS ? names[kind] : "?";
}

void ww_control_text(const WwControl *c, char *out)
{
    char wait[WW_COUNTERS + 1] = {0};
    for (uint32_t i = 0; i < WW_COUNTERS; i++) {
        wait[i] = c->wait >> i & 1u ? (char)('0' + i) : '-';
    }
    g_snprintf(out, WW_CONTROL_TEXT, "B%s:R%c:W%c:%c:S%02u", wait,
               c->read == WW_NO_COUNTER ? '-' : '0' + c->read,
               c->write == WW_NO_COUNTER ? '-' : '0' + c->write, c->yield ? 'Y' : '-', c->stall);
}

/* "R12", "URZ", "PT": @p letters, and the number or what stands for @p last. */
static void put_name(GString *s, const char *letters, uint32_t number, uint32_t last,
                     const char *last_letter)
{
    g_string_append(s, letters);
    if (number == last) {
        g_string_append(s, last_letter);
    } else {
        g_string_append_printf(s, "%u", number);
    }
}

static void put_reg(GString *s, uint32_t reg)
{
    put_name(s, "R", reg, WW_REG_ZERO, "Z");
}

static void put_ureg(GString *s, uint32_t reg)
{
    put_name(s, "UR", reg, WW_UREG_ZERO, "Z");
}

static void put_predicate(GString *s, const char *letters, uint32_t reg)
{
    if (reg == WW_PRED_ALL) {
        put_name(s, letters, reg, reg, "R");
    } else {
        put_name(s, letters, reg, WW_PRED_TRUE, "T");
    }
}

static void put_integer(GString *s, int64_t v, bool plus)
{
    bool negative = v < 0;
    g_string_append_printf(s, "%s%s0x%" G_GINT64_MODIFIER "x", plus ? "+" : "", negative ? "-" : "",
                           negative ? 0 - (uint64_t)v : (uint64_t)v);
}

/* "[R2.64+UR4+0x10]" */
static void put_inside(GString *s, const WwOperand *o, bool ureg)
{
    size_t before = s->len + 1;
    g_string_append_c(s, '[');
    if (o->flags & WW_OPERAND_HAS_REG) {
        put_reg(s, o->reg);
        g_string_append(s, o->flags & WW_OPERAND_WIDE ? ".64" : "");
    }
    if (ureg) {
        g_string_append(s, s->len > before ? "+" : "");
        put_ureg(s, o->ureg);
    }
    if (o->imm != 0 || s->len == before) {
        put_integer(s, o->imm, s->len > before);
    }
    g_string_append_c(s, ']');
}

static void put_const(GString *s, const WwOperand *o)
{
    if (o->flags & WW_OPERAND_BOUND) {
        g_string_append(s, "cx[");
        put_ureg(s, o->ureg);
    } else {
        g_string_append_printf(s, "c[0x%x", o->bank);
    }
    g_string_append_c(s, ']');
    put_inside(s, o, (o->flags & WW_OPERAND_HAS_UREG) != 0);
}

static void put_desc(GString *s, const WwOperand *o)
{
    g_string_append(s, "desc[");
    put_ureg(s, o->ureg);
    g_string_append_c(s, ']');
    if (o->flags & WW_OPERAND_HAS_REG || o->imm != 0) {
        put_inside(s, o, false);
    }
}

static void put_counters(GString *s, int64_t mask)
{
    const char *comma = "";
    g_string_append_c(s, '{');
    for (uint32_t i = WW_COUNTERS; i-- > 0;) {
        if (mask >> i & 1) {
            g_string_append_printf(s, "%s%u", comma, i);
            comma = ",";
        }
    }
    g_string_append_c(s, '}');
}

static void put_immediate(GString *s, const WwOperand *o)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    double v;
    memcpy(&v, &o->imm, sizeof v);
    if ((o->flags & WW_OPERAND_FLOAT) == 0) {
        put_integer(s, o->imm, false);
    } else if (v != v || v - v != 0) {
        g_string_append(s, v != v ? "+QNAN" : v < 0 ? "-INF" : "+INF");
    } else {
        g_ascii_dtostr(text, sizeof text, v);
        g_string_append(s, text);
        g_string_append(s, strpbrk(text, ".e") == NULL ? ".0" : "");
    }
}

static void put_thing(GString *s, const WwOperand *o)
{
    switch ((WwOperandKind)o->kind) {
    case WW_OPERAND_REG:
        put_reg(s, o->reg);
        break;
    case WW_OPERAND_UREG:
        put_ureg(s, o->reg);
        break;
    case WW_OPERAND_PRED:
        put_predicate(s, "P", o->reg);
        break;
    case WW_OPERAND_UPRED:
        put_predicate(s, "UP", o->reg);
        break;
    case WW_OPERAND_BARRIER:
        g_string_append_printf(s, "B%u", o->reg);
        break;
    case WW_OPERAND_COUNTER:
        g_string_append_printf(s, "SB%u", o->reg);
        break;
    case WW_OPERAND_COUNTERS:
        put_counters(s, o->imm);
        break;
    case WW_OPERAND_CONST:
        put_const(s, o);
        break;
    case WW_OPERAND_ADDRESS:
        put_inside(s, o, (o->flags & WW_OPERAND_HAS_UREG) != 0);
        break;
    case WW_OPERAND_DESC:
        put_desc(s, o);
        break;
    case WW_OPERAND_IMMEDIATE:
        put_immediate(s, o);
        break;
    case WW_OPERAND_SPECIAL:
        g_string_append(s, "SR");
        break;
    default:
        g_string_append_c(s, '?');
    }
}

void ww_operand_text(const WwOperand *o, char *out)
{
    g_autoptr(GString) s = g_string_new(NULL);
    bool predicate = o->kind == WW_OPERAND_PRED || o->kind == WW_OPERAND_UPRED;
    bool inside =
        o->kind == WW_OPERAND_ADDRESS || o->kind == WW_OPERAND_DESC || o->kind == WW_OPERAND_CONST;
    g_string_append(s, !(o->flags & WW_OPERAND_NEGATED) ? "" : predicate ? "!" : "-");
    g_string_append(s, o->flags & WW_OPERAND_ABSOLUTE ? "|" : "");
    put_thing(s, o);
    g_string_append(s, o->flags & WW_OPERAND_REUSE ? ".reuse" : "");
    g_string_append(s, o->flags & WW_OPERAND_WIDE && !inside ? ".64" : "");
    g_string_append(s, o->flags & WW_OPERAND_ABSOLUTE ? "|" : "");
    g_strlcpy(out, s->str, WW_OPERAND_TEXT);
}
