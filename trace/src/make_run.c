/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel language: executing a warp of it, whose lanes have values of their own, and writing its lines. */
#include "make-priv.h"
#include "text-priv.h"

#include <string.h>

#define FULL (1u << 20) /* bytes of text that are handed on */

typedef int64_t Lanes[WW_WARP_SIZE];

static bool count_step(const WwMakeWarp *w, uint32_t line, GError **error)
{
    if (*w->left == 0) {
        return ww_fail_at(
            error, w->program->file, line,
            "the program has not ended after all of its steps; expected a shorter one, "
            "or --max-steps with more");
    }
    --*w->left;
    return true;
}

/* ---- expressions --------------------------------------------------------------------------- */

static int64_t name_of(const WwMakeWarp *w, int64_t name, uint32_t lane)
{
    const WwMakeKernel *k = w->kernel;
    uint64_t thread = (uint64_t)w->warp * WW_WARP_SIZE + lane;
    switch ((WwMakeName)name) {
    case WW_NAME_LANE:
        return lane;
    case WW_NAME_WARP:
        return w->warp;
    case WW_NAME_THREAD:
        return (int64_t)thread;
    case WW_NAME_TX:
        return (int64_t)(thread % k->block[0]);
    case WW_NAME_TY:
        return (int64_t)(thread / k->block[0] % k->block[1]);
    case WW_NAME_TZ:
        return (int64_t)(thread / (k->block[0] * k->block[1]));
    case WW_NAME_CTA:
        return (int64_t)w->cta_number;
    case WW_NAME_CX:
    case WW_NAME_CY:
    case WW_NAME_CZ:
        return (int64_t)w->cta[name - WW_NAME_CX];
    case WW_NAME_GX:
    case WW_NAME_GY:
    case WW_NAME_GZ:
        return (int64_t)k->grid[name - WW_NAME_GX];
    case WW_NAME_BX:
    case WW_NAME_BY:
    case WW_NAME_BZ:
        return (int64_t)k->block[name - WW_NAME_BX];
    case WW_NAME_WARPS:
        return (int64_t)k->warps;
    case WW_NAME_SHARED_BASE:
        return (int64_t)k->shared_base;
    case WW_NAME_LOCAL_BASE:
        return (int64_t)k->local_base;
    case WW_N_NAMES:
        break;
    }
    return 0;
}

/** Spreads the bits of @p x, always in the same way. */
static int64_t hash(int64_t x)
{
    uint64_t h = (uint64_t)x + 0x9E3779B97F4A7C15u;
    h = (h ^ h >> 30) * 0xBF58476D1CE4E5B9u;
    h = (h ^ h >> 27) * 0x94D049BB133111EBu;
    return (int64_t)((h ^ h >> 31) >> 1); /* not negative */
}

/** What can be done with any two numbers; all is of 64 bits and wraps. */
static int64_t combine(WwMakeOp op, int64_t a, int64_t b)
{
    uint64_t x = (uint64_t)a, y = (uint64_t)b;
    switch (op) {
    case WW_MAKE_NEGATE:
        return (int64_t)(0 - x);
    case WW_MAKE_NOT:
        return a == 0;
    case WW_MAKE_INVERT:
        return ~a;
    case WW_MAKE_HASH:
        return hash(a);
    case WW_MAKE_MIN:
        return MIN(a, b);
    case WW_MAKE_MAX:
        return MAX(a, b);
    case WW_MAKE_MUL:
        return (int64_t)(x * y);
    case WW_MAKE_ADD:
        return (int64_t)(x + y);
    case WW_MAKE_SUB:
        return (int64_t)(x - y);
    case WW_MAKE_DIV:
        ww_assert(b != 0); /* see check_operand() */
        return b == -1 ? (int64_t)(0 - x) : a / b;
    case WW_MAKE_REM:
        ww_assert(b != 0);
        return b == -1 ? 0 : a % b;
    case WW_MAKE_LEFT:
        return (int64_t)(x << y);
    case WW_MAKE_RIGHT:
        return a >> b;
    case WW_MAKE_LESS:
        return a < b;
    case WW_MAKE_MOST:
        return a <= b;
    case WW_MAKE_MORE:
        return a > b;
    case WW_MAKE_LEAST:
        return a >= b;
    case WW_MAKE_EQUAL:
        return a == b;
    case WW_MAKE_OTHER:
        return a != b;
    case WW_MAKE_AND:
        return a & b;
    case WW_MAKE_XOR:
        return a ^ b;
    case WW_MAKE_OR:
        return a | b;
    case WW_MAKE_BOTH:
        return a != 0 && b != 0;
    case WW_MAKE_EITHER:
        return a != 0 || b != 0;
    default:
        return 0;
    }
}

static bool check_operand(const WwMakeWarp *w, const WwMakeExpr *e, int64_t b, GError **error)
{
    if ((e->op == WW_MAKE_DIV || e->op == WW_MAKE_REM) && b == 0) {
        return ww_fail_at(error, w->program->file, e->line,
                          "division by 0; expected another number");
    }
    if ((e->op == WW_MAKE_LEFT || e->op == WW_MAKE_RIGHT) && (b < 0 || b > 63)) {
        return ww_fail_at(error, w->program->file, e->line,
                          "shift by %" G_GINT64_FORMAT "; expected 0 to 63 bits", b);
    }
    return true;
}

/** The lanes of @p mask that a part is evaluated on: what `&&`, `||` and `?:` do not ask for is not. */
static uint32_t asked(const WwMakeExpr *e, uint32_t part, uint32_t mask, const Lanes first)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        bool holds = (mask >> i & 1u) && first[i] != 0;
        bool wants =
            e->op == WW_MAKE_BOTH || (e->op == WW_MAKE_CHOICE && part == 1) ? holds : !holds;
        out |= (uint32_t)wants << i;
    }
    return out & mask;
}

static bool evaluate(const WwMakeWarp *w, const WwMakeExpr *e, uint32_t mask, Lanes out,
                     GError **error)
{
    Lanes part[2];
    if (!count_step(w, e->line, error)) {
        return false;
    }
    bool lazy = e->op == WW_MAKE_BOTH || e->op == WW_MAKE_EITHER;
    if (e->op == WW_MAKE_CHOICE) {
        if (!evaluate(w, e->part[0], mask, part[0], error)) {
            return false;
        }
        uint32_t yes = asked(e, 1, mask, part[0]);
        if ((yes != 0 && !evaluate(w, e->part[1], yes, part[1], error)) ||
            ((mask & ~yes) != 0 && !evaluate(w, e->part[2], mask & ~yes, out, error))) {
            return false;
        }
        for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
            out[i] = yes >> i & 1u ? part[1][i] : out[i];
        }
        return true;
    }
    for (uint32_t n = 0; n < 2 && e->part[n] != NULL; n++) {
        uint32_t lanes = lazy && n == 1 ? asked(e, n, mask, part[0]) : mask;
        memset(part[n], 0, sizeof part[n]);
        if (lanes != 0 && !evaluate(w, e->part[n], lanes, part[n], error)) {
            return false;
        }
    }
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        if (!(mask >> i & 1u)) {
            continue;
        }
        if (e->part[0] == NULL) {
            out[i] = e->op == WW_MAKE_NUMBER ? e->number
                     : e->op == WW_MAKE_NAME ? name_of(w, e->number, i)
                                             : w->slot[e->number][i];
        } else if (e->part[1] != NULL && !check_operand(w, e, part[1][i], error)) {
            return false;
        } else {
            out[i] = combine(e->op, part[0][i], e->part[1] != NULL ? part[1][i] : 0);
        }
    }
    return true;
}

static bool is_constant(const WwMakeProgram *p, const WwMakeExpr *e, GError **error)
{
    if (e->op == WW_MAKE_NAME || (e->op == WW_MAKE_VARIABLE && e->number >= p->n_constants)) {
        return ww_fail_at(error, p->file, e->line,
                          "this depends on lanes, blocks or variables; expected a number, or names "
                          "that were given one outside of kernels");
    }
    for (int i = 0; i < 3; i++) {
        if (e->part[i] != NULL && !is_constant(p, e->part[i], error)) {
            return false;
        }
    }
    return true;
}

static void begin_constants(WwMakeWarp *w)
{
    for (uint32_t i = 0; i < w->program->n_constants; i++) {
        for (uint32_t lane = 0; lane < WW_WARP_SIZE; lane++) {
            w->slot[i][lane] = w->program->constant[i];
        }
    }
}

bool ww_make_constant(const WwMakeProgram *program, const WwMakeExpr *e, int64_t *out,
                      GError **error)
{
    g_autofree WwMakeWarp *w = g_new0(WwMakeWarp, 1);
    Lanes value;
    uint64_t left = WW_MAKE_MAX_BYTES; /* an operation has a byte */
    w->program = program;
    w->left = &left;
    begin_constants(w);
    if (!is_constant(program, e, error) || !evaluate(w, e, 1, value, error)) {
        return false;
    }
    *out = value[0];
    return true;
}

/* ---- instructions -------------------------------------------------------------------------- */

/** The value that all lanes of @p mask have. */
static bool uniform(const WwMakeWarp *w, const WwMakeExpr *e, uint32_t mask, const char *what,
                    int64_t least, int64_t most, int64_t *out, GError **error)
{
    Lanes value;
    int first = __builtin_ctz(mask);
    if (!evaluate(w, e, mask, value, error)) {
        return false;
    }
    *out = value[first];
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        if ((mask >> i & 1u) && value[i] != *out) {
            return ww_fail_at(error, w->program->file, e->line,
                              "%s differs from lane to lane; expected one for all", what);
        }
    }
    return (*out >= least && *out <= most) ||
           ww_fail_at(error, w->program->file, e->line,
                      "%s %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                      what, *out, least, most);
}

static bool add_register(WwMakeWarp *w, const WwMakeExpr *e, uint32_t mask, GError **error)
{
    int64_t number = e->number;
    if (e->op != WW_MAKE_NUMBER || number < 0 || number > 255) {
        if (!uniform(w, e, mask, "register", 0, 255, &number, error)) {
            return false;
        }
    }
    g_string_append_printf(w->text, " R%d", (int)number);
    return true;
}

/** As tracers do: a stride where neighbouring lanes have one, else a base and differences. */
static void add_addresses(GString *text, uint32_t mask, const Lanes value)
{
    uint32_t low = (uint32_t)__builtin_ctz(mask), last = low;
    uint32_t run = mask >> low;
    bool together = (run & (run + 1)) == 0;
    int64_t stride =
        together && run != 1 ? (int64_t)((uint64_t)value[low + 1] - (uint64_t)value[low]) : 0;
    for (uint32_t i = low + 1; i < WW_WARP_SIZE && together; i++) {
        together =
            !(mask >> i & 1u) || (int64_t)((uint64_t)value[i] - (uint64_t)value[i - 1]) == stride;
    }
    if (together) {
        g_string_append_printf(text, " 1 0x%" G_GINT64_MODIFIER "x %" G_GINT64_FORMAT,
                               (uint64_t)value[low], stride);
        return;
    }
    g_string_append_printf(text, " 2 0x%" G_GINT64_MODIFIER "x", (uint64_t)value[low]);
    for (uint32_t i = low + 1; i < WW_WARP_SIZE; i++) {
        if (mask >> i & 1u) {
            g_string_append_printf(text, " %" G_GINT64_FORMAT,
                                   (int64_t)((uint64_t)value[i] - (uint64_t)value[last]));
            last = i;
        }
    }
}

static bool add_line(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    GString *text = w->text;
    Lanes address;
    int64_t imm = 0;
    if (w->kernel->lineinfo != 0) {
        g_string_append_printf(text, "%u ", s->line);
    }
    g_string_append_printf(text, "%04" G_GINT64_MODIFIER "x %08x %d", 16 * (s->pc + w->pc_offset),
                           mask, s->reg[0] != NULL);
    if (s->reg[0] != NULL && !add_register(w, s->reg[0], mask, error)) {
        return false;
    }
    g_string_append_printf(text, " %s %u", s->opcode, s->n_src);
    for (uint32_t i = 0; i < s->n_src; i++) {
        if (!add_register(w, s->reg[1 + i], mask, error)) {
            return false;
        }
    }
    if (s->address == NULL) {
        g_string_append(text, " 0");
    } else {
        if (!evaluate(w, s->address, mask, address, error)) {
            return false;
        }
        g_string_append_printf(text, " %u", s->width);
        add_addresses(text, mask, address);
    }
    if (s->imm != NULL &&
        !uniform(w, s->imm, mask, "immediate", INT32_MIN, INT32_MAX, &imm, error)) {
        return false;
    }
    g_string_append_printf(text, " %d \n", (int)imm);
    return text->len < FULL || w->full(w->user, error);
}

static bool execute_inst(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    w->n++;
    if (s->exits) {
        w->lanes &= ~mask;
    }
    return w->text == NULL || add_line(w, s, mask, error);
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool execute(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error);

static uint32_t lanes_of(uint32_t mask, const Lanes value)
{
    uint32_t out = 0;
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        out |= (uint32_t)(value[i] != 0) << i;
    }
    return out & mask;
}

static bool execute_if(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    Lanes value;
    if (!evaluate(w, s->from, mask, value, error)) {
        return false;
    }
    uint32_t yes = lanes_of(mask, value);
    return execute(w, s->body, yes, error) && execute(w, s->other, mask & ~yes, error);
}

/** Each lane goes round as often as its own range says. */
static bool execute_for(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    Lanes to, step;
    if (!evaluate(w, s->from, mask, w->slot[s->slot], error) ||
        !evaluate(w, s->to, mask, to, error) ||
        (s->step != NULL && !evaluate(w, s->step, mask, step, error))) {
        return false;
    }
    for (uint32_t i = 0; i < WW_WARP_SIZE && s->step != NULL; i++) {
        if ((mask >> i & 1u) && step[i] == 0) {
            return ww_fail_at(error, w->program->file, s->line,
                              "a step of 0; expected another number");
        }
    }
    for (;;) {
        for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
            bool up = s->step == NULL || step[i] > 0;
            int64_t at = w->slot[s->slot][i];
            mask &= ~((uint32_t) !(up ? at < to[i] : at > to[i]) << i);
        }
        if ((mask &= w->lanes) == 0) {
            return true;
        }
        if (!count_step(w, s->line, error) || !execute(w, s->body, mask, error)) {
            return false;
        }
        for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
            int64_t *at = &w->slot[s->slot][i];
            int64_t by = s->step != NULL ? step[i] : 1;
            if (mask >> i & 1u && __builtin_add_overflow(*at, by, at)) {
                *at = to[i]; /* that lane is at its end */
            }
        }
    }
}

static bool execute_unroll(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    uint64_t before = w->pc_offset;
    bool good = true;
    for (int64_t i = s->first; i < s->last && good; i++) {
        for (uint32_t lane = 0; lane < WW_WARP_SIZE; lane++) {
            w->slot[s->slot][lane] = i;
        }
        good = count_step(w, s->line, error) && execute(w, s->body, mask, error);
        w->pc_offset += s->size;
    }
    w->pc_offset = before;
    return good;
}

static bool execute_let(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    Lanes value;
    if (!evaluate(w, s->from, mask, value, error)) {
        return false;
    }
    for (uint32_t i = 0; i < WW_WARP_SIZE; i++) {
        if (mask >> i & 1u) {
            w->slot[s->slot][i] = value[i];
        }
    }
    return true;
}

/** The statements from @p s on, by the lanes of @p mask that have not exited. */
static bool execute(WwMakeWarp *w, const WwMakeStmt *s, uint32_t mask, GError **error)
{
    bool good = true;
    for (; s != NULL && good && (mask & w->lanes) != 0; s = s->next) {
        uint32_t lanes = mask & w->lanes;
        good = count_step(w, s->line, error);
        if (!good) {
            break;
        }
        switch (s->kind) {
        case WW_MAKE_INST:
            good = execute_inst(w, s, lanes, error);
            break;
        case WW_MAKE_LET:
            good = execute_let(w, s, lanes, error);
            break;
        case WW_MAKE_IF:
            good = execute_if(w, s, lanes, error);
            break;
        case WW_MAKE_FOR:
            good = execute_for(w, s, lanes, error);
            break;
        case WW_MAKE_UNROLL:
            good = execute_unroll(w, s, lanes, error);
            break;
        }
    }
    return good;
}

bool ww_make_warp(WwMakeWarp *w, GError **error)
{
    const WwMakeKernel *k = w->kernel;
    uint64_t threads = k->threads - (uint64_t)w->warp * WW_WARP_SIZE;
    static char exit_word[] = "EXIT";
    const WwMakeStmt end = {
        .kind = WW_MAKE_INST, .line = k->line, .pc = k->size, .opcode = exit_word, .exits = true};
    w->lanes = threads >= WW_WARP_SIZE ? UINT32_MAX : (1u << threads) - 1;
    w->n = 0;
    w->pc_offset = 0;
    begin_constants(w);
    if (!count_step(w, k->line, error)) {
        return false;
    }
    if (!execute(w, k->code, w->lanes, error)) {
        return false;
    }
    return w->lanes == 0 || execute_inst(w, &end, w->lanes, error);
}
