/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel language: its words and expressions. */
#include "make_parse-priv.h"
#include "text-priv.h"

#include <string.h>

static const char *const known_names[WW_N_NAMES] = {
    "lane", "warp", "thread", "tx", "ty", "tz", "cta",   "cx",          "cy",        "cz",
    "gx",   "gy",   "gz",     "bx", "by", "bz", "warps", "shared_base", "local_base"};

void *ww_make_own(WwMakeParser *p, size_t size)
{
    void *memory = g_malloc0(size);
    g_ptr_array_add(p->program->owned, memory);
    return memory;
}

char *ww_make_own_text(WwMakeParser *p, const char *text, size_t n)
{
    char *copy = ww_make_own(p, n + 1);
    memcpy(copy, text, n);
    return copy;
}

bool ww_make_fail(const WwMakeParser *p, const char *expected, GError **error)
{
    char quoted[48];
    g_autofree char *text = g_strndup(p->text, p->n);
    const char *what = p->token == TOK_END    ? "the end of the file"
                       : p->token == TOK_LINE ? "the end of the line"
                                              : ww_quote(text, quoted);
    const char *mark = p->token == TOK_END || p->token == TOK_LINE ? "" : "'";
    return ww_fail_at(error, p->program->file, p->line, "%s%s%s; expected %s", mark, what, mark,
                      expected);
}

/* ---- words --------------------------------------------------------------------------------- */

static bool scan_number(WwMakeParser *p, GError **error)
{
    uint64_t value = 0;
    const char *at = p->text;
    bool hex = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    uint32_t base = hex ? 16 : 10;
    at += hex ? 2 : 0;
    const char *first = at;
    for (; g_ascii_isalnum(*at) || *at == '_'; at++) {
        int digit = *at == '_' ? -2 : g_ascii_xdigit_value(*at);
        if (digit == -1 || digit >= (int)base ||
            (digit >= 0 && value > (UINT64_MAX - (uint64_t)digit) / base)) {
            p->n = (uint32_t)(at + 1 - p->text);
            return ww_make_fail(p, "a number of 64 bits, decimal or with 0x", error);
        }
        value = digit >= 0 ? value * base + (uint64_t)digit : value;
    }
    p->n = (uint32_t)(at - p->text);
    p->number = (int64_t)value;
    p->token = TOK_NUMBER;
    p->at = at;
    return at != first || ww_make_fail(p, "digits behind 0x", error);
}

static bool scan_text(WwMakeParser *p, GError **error)
{
    const char *end = p->text + 1;
    while ((unsigned char)*end >= ' ' && *end != '"') {
        end++;
    }
    p->n = (uint32_t)(end - p->text);
    if (*end != '"') {
        return ww_make_fail(p, "'\"' at its end", error);
    }
    p->token = TOK_TEXT;
    p->text++;
    p->n--;
    p->at = end + 1;
    return true;
}

static void skip_blanks(WwMakeParser *p)
{
    for (;; p->at++) {
        if (*p->at == '#') {
            p->at += strcspn(p->at, "\n");
        }
        if (*p->at == '\n' && p->parens > 0) {
            p->line++;
        } else if (*p->at != ' ' && *p->at != '\t' && *p->at != '\r') {
            return;
        }
    }
}

bool ww_make_advance(WwMakeParser *p, GError **error)
{
    static const char *const twos[] = {"..", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||"};
    if (p->token == TOK_LINE && p->text[0] == '\n') {
        p->line++;
    }
    skip_blanks(p);
    p->text = p->at;
    p->n = 1;
    char c = *p->at;
    if (c == '\0') {
        p->token = TOK_END;
        p->n = 0;
        return true;
    }
    if (g_ascii_isdigit(c)) {
        return scan_number(p, error);
    }
    if (c == '"') {
        return scan_text(p, error);
    }
    if (g_ascii_isalpha(c) || c == '_') {
        bool upper = g_ascii_isupper(c);
        const char *end = p->at;
        while (g_ascii_isalnum(*end) || *end == '_' || (upper && *end == '.' && end[1] != '.')) {
            end++;
        }
        p->token = upper ? TOK_UPPER : TOK_WORD;
        p->n = (uint32_t)(end - p->text);
        p->at = end;
        return true;
    }
    p->token = c == '\n' || c == ';' ? TOK_LINE : TOK_SIGN;
    for (size_t i = 0; i < G_N_ELEMENTS(twos); i++) {
        p->n = strncmp(p->at, twos[i], 2) == 0 ? 2 : p->n;
    }
    p->at += p->n;
    return p->token == TOK_LINE || strchr("+-*/%()[]{}<>=!&|^~?:,.", c) != NULL ||
           ww_make_fail(p, "a program: words, numbers, signs, '#' before a comment", error);
}

bool ww_make_is(const WwMakeParser *p, const char *text)
{
    return (p->token == TOK_SIGN || p->token == TOK_WORD) && strlen(text) == p->n &&
           memcmp(p->text, text, p->n) == 0;
}

/** Takes the token if it is @p text. */
bool ww_make_take(WwMakeParser *p, const char *text, bool *good, GError **error)
{
    if (!*good || !ww_make_is(p, text)) {
        return false;
    }
    if (strcmp(text, "(") == 0 || strcmp(text, "[") == 0) {
        p->parens++;
    } else if ((strcmp(text, ")") == 0 || strcmp(text, "]") == 0) && p->parens > 0) {
        p->parens--;
    }
    *good = ww_make_advance(p, error);
    return *good;
}

bool ww_make_need(WwMakeParser *p, const char *text, const char *expected, GError **error)
{
    bool good = true;
    return ww_make_take(p, text, &good, error) || (good && ww_make_fail(p, expected, error));
}

bool ww_make_skip_lines(WwMakeParser *p, GError **error)
{
    while (p->token == TOK_LINE) {
        if (!ww_make_advance(p, error)) {
            return false;
        }
    }
    return true;
}

bool ww_make_deeper(WwMakeParser *p, GError **error)
{
    return ++p->depth <= WW_MAKE_MAX_DEPTH ||
           ww_fail_at(error, p->program->file, p->line,
                      "blocks or parentheses nested too deeply; expected at most %u levels",
                      WW_MAKE_MAX_DEPTH);
}

/* ---- expressions --------------------------------------------------------------------------- */

WwMakeExpr *ww_make_new_expr(WwMakeParser *p, WwMakeOp op, int64_t number)
{
    WwMakeExpr *e = ww_make_own(p, sizeof *e);
    *e = (WwMakeExpr){.op = op, .line = p->line, .number = number};
    return e;
}

/** @p e, whose parts are known; NULL when they are too deep for whoever goes through them. */
static WwMakeExpr *whole(WwMakeParser *p, WwMakeExpr *e, GError **error)
{
    for (int i = 0; i < 3; i++) {
        e->depth = MAX(e->depth, e->part[i] != NULL ? e->part[i]->depth + 1 : 1);
    }
    if (e->depth > WW_MAKE_MAX_PARTS) {
        ww_fail_at(error, p->program->file, e->line,
                   "more than %u operations in each other; expected fewer, or a variable between",
                   WW_MAKE_MAX_PARTS);
        return NULL;
    }
    return e;
}

static WwMakeExpr *parse_call(WwMakeParser *p, WwMakeOp op, uint32_t n, GError **error)
{
    WwMakeExpr *e = ww_make_new_expr(p, op, 0);
    if (!ww_make_advance(p, error) || !ww_make_need(p, "(", "'('", error)) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if ((i > 0 && !ww_make_need(p, ",", "','", error)) ||
            (e->part[i] = ww_make_expr(p, error)) == NULL) {
            return NULL;
        }
    }
    return ww_make_need(p, ")", "')'", error) ? whole(p, e, error) : NULL;
}

static WwMakeExpr *parse_word(WwMakeParser *p, GError **error)
{
    static const struct {
        const char *name;
        WwMakeOp op;
        uint32_t n;
    } calls[] = {{"hash", WW_MAKE_HASH, 1}, {"min", WW_MAKE_MIN, 2}, {"max", WW_MAKE_MAX, 2}};
    WwMakeExpr *e = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        if (ww_make_is(p, calls[i].name)) {
            return parse_call(p, calls[i].op, calls[i].n, error);
        }
    }
    for (uint32_t i = p->n_names; i-- > 0 && e == NULL;) {
        e = ww_make_is(p, p->names[i]) ? ww_make_new_expr(p, WW_MAKE_VARIABLE, i) : NULL;
    }
    for (uint32_t i = 0; i < WW_N_NAMES && e == NULL; i++) {
        e = ww_make_is(p, known_names[i]) ? ww_make_new_expr(p, WW_MAKE_NAME, i) : NULL;
    }
    if (e == NULL) {
        ww_make_fail(
            p,
            "a variable, or one of lane, warp, thread, tx, ty, tz, cta, cx, cy, cz, gx, gy, gz, "
            "bx, by, bz, warps, shared_base, local_base, hash(), min(), max()",
            error);
        return NULL;
    }
    return ww_make_advance(p, error) ? e : NULL;
}

static WwMakeExpr *parse_unary(WwMakeParser *p, GError **error)
{
    static const struct {
        const char *sign;
        WwMakeOp op;
    } signs[] = {{"-", WW_MAKE_NEGATE}, {"!", WW_MAKE_NOT}, {"~", WW_MAKE_INVERT}};
    WwMakeExpr *e = NULL;
    bool good = ww_make_deeper(p, error);
    for (size_t i = 0; i < G_N_ELEMENTS(signs) && good; i++) {
        if (ww_make_take(p, signs[i].sign, &good, error)) {
            e = ww_make_new_expr(p, signs[i].op, 0);
            e->part[0] = parse_unary(p, error);
            p->depth--;
            return e->part[0] != NULL ? whole(p, e, error) : NULL;
        }
    }
    if (!good) {
        return NULL;
    }
    if (p->token == TOK_NUMBER) {
        e = ww_make_new_expr(p, WW_MAKE_NUMBER, p->number);
        e = ww_make_advance(p, error) ? e : NULL;
    } else if (ww_make_take(p, "(", &good, error)) {
        e = ww_make_expr(p, error);
        e = e != NULL && ww_make_need(p, ")", "')' or an operator", error) ? e : NULL;
    } else if (good && p->token == TOK_WORD) {
        e = parse_word(p, error);
    } else if (good) {
        ww_make_fail(p, "a number, a name or '('", error);
    }
    p->depth--;
    return e;
}

static const struct {
    const char *sign;
    WwMakeOp op;
    uint32_t level; /* the higher, the sooner */
} binary[] = {
    {"*", WW_MAKE_MUL, 9},    {"/", WW_MAKE_DIV, 9},    {"%", WW_MAKE_REM, 9},
    {"+", WW_MAKE_ADD, 8},    {"-", WW_MAKE_SUB, 8},    {"<<", WW_MAKE_LEFT, 7},
    {">>", WW_MAKE_RIGHT, 7}, {"<", WW_MAKE_LESS, 6},   {"<=", WW_MAKE_MOST, 6},
    {">", WW_MAKE_MORE, 6},   {">=", WW_MAKE_LEAST, 6}, {"==", WW_MAKE_EQUAL, 5},
    {"!=", WW_MAKE_OTHER, 5}, {"&", WW_MAKE_AND, 4},    {"^", WW_MAKE_XOR, 3},
    {"|", WW_MAKE_OR, 2},     {"&&", WW_MAKE_BOTH, 1},  {"||", WW_MAKE_EITHER, 0},
};

static WwMakeExpr *parse_binary(WwMakeParser *p, uint32_t level, GError **error)
{
    WwMakeExpr *left = parse_unary(p, error);
    while (left != NULL) {
        size_t i = 0;
        while (i < G_N_ELEMENTS(binary) &&
               !(binary[i].level >= level && ww_make_is(p, binary[i].sign))) {
            i++;
        }
        if (i == G_N_ELEMENTS(binary)) {
            return left;
        }
        WwMakeExpr *e = ww_make_new_expr(p, binary[i].op, 0);
        e->part[0] = left;
        if (!ww_make_deeper(p, error) || !ww_make_advance(p, error) ||
            (e->part[1] = parse_binary(p, binary[i].level + 1, error)) == NULL) {
            return NULL;
        }
        p->depth--;
        left = whole(p, e, error);
    }
    return NULL;
}

WwMakeExpr *ww_make_expr(WwMakeParser *p, GError **error)
{
    bool good = ww_make_deeper(p, error);
    WwMakeExpr *e = good ? parse_binary(p, 0, error) : NULL;
    if (e != NULL && ww_make_take(p, "?", &good, error)) {
        WwMakeExpr *choice = ww_make_new_expr(p, WW_MAKE_CHOICE, 0);
        choice->part[0] = e;
        choice->part[1] = ww_make_expr(p, error);
        good = choice->part[1] != NULL && ww_make_need(p, ":", "':' of '?'", error);
        choice->part[2] = good ? ww_make_expr(p, error) : NULL;
        e = choice->part[2] != NULL ? whole(p, choice, error) : NULL;
    }
    p->depth--;
    return good ? e : NULL;
}

/** An expression of numbers and names that have a value outside of kernels. */
bool ww_make_number(WwMakeParser *p, int64_t *out, GError **error)
{
    WwMakeExpr *e = ww_make_expr(p, error);
    return e != NULL && ww_make_constant(p->program, e, out, error);
}

bool ww_make_between(WwMakeParser *p, const char *what, int64_t least, int64_t most, uint64_t *out,
                     GError **error)
{
    int64_t n;
    uint32_t line = p->line;
    if (!ww_make_number(p, &n, error)) {
        return false;
    }
    *out = (uint64_t)n;
    return (n >= least && n <= most) ||
           ww_fail_at(error, p->program->file, line,
                      "%s %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                      what, n, least, most);
}

/** Makes a variable of the word. */
bool ww_make_add_name(WwMakeParser *p, uint32_t *slot, GError **error)
{
    if (p->token != TOK_WORD) {
        return ww_make_fail(p, "a name that begins with a small letter", error);
    }
    if (p->n_names == WW_MAKE_MAX_NAMES) {
        return ww_make_fail(p, "at most 256 names at one place", error);
    }
    for (uint32_t i = 0; i < WW_N_NAMES; i++) {
        if (ww_make_is(p, known_names[i])) {
            return ww_make_fail(p, "a name that means nothing yet", error);
        }
    }
    *slot = p->n_names;
    p->names[p->n_names++] = ww_make_own_text(p, p->text, p->n);
    return ww_make_advance(p, error);
}
