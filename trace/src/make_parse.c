/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel language: reading it. docs/kernel-language.md has the grammar. */
#include "make-priv.h"
#include "text-priv.h"

#include <string.h>

typedef enum Token { TOK_END, TOK_LINE, TOK_NUMBER, TOK_WORD, TOK_UPPER, TOK_TEXT, TOK_SIGN } Token;

typedef struct Parser {
    WwMakeProgram *program;
    WwOpcodes *opcodes;
    const WwOpcodeMap *map;
    const char *at; /**< Behind the token. */
    uint32_t line, depth;
    uint32_t parens; /**< Open ones: within them lines do not end. */
    Token token;
    const char *text; /**< Of the token, n bytes. */
    uint32_t n;
    int64_t number;
    const char *names[WW_MAKE_MAX_NAMES]; /**< Of slots. */
    uint32_t n_names;
    WwMakeStmt **tail;
    uint64_t pc;
} Parser;

static const char *const known_names[WW_N_NAMES] = {
    "lane", "warp", "thread", "tx", "ty", "tz", "cta",   "cx",          "cy",        "cz",
    "gx",   "gy",   "gz",     "bx", "by", "bz", "warps", "shared_base", "local_base"};

static void *own(Parser *p, size_t size)
{
    void *memory = g_malloc0(size);
    g_ptr_array_add(p->program->owned, memory);
    return memory;
}

static char *own_text(Parser *p, const char *text, size_t n)
{
    char *copy = own(p, n + 1);
    memcpy(copy, text, n);
    return copy;
}

static bool fail(const Parser *p, const char *expected, GError **error)
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

static bool scan_number(Parser *p, GError **error)
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
            return fail(p, "a number of 64 bits, decimal or with 0x", error);
        }
        value = digit >= 0 ? value * base + (uint64_t)digit : value;
    }
    p->n = (uint32_t)(at - p->text);
    p->number = (int64_t)value;
    p->token = TOK_NUMBER;
    p->at = at;
    return at != first || fail(p, "digits behind 0x", error);
}

static bool scan_text(Parser *p, GError **error)
{
    const char *end = p->text + 1;
    while ((unsigned char)*end >= ' ' && *end != '"') {
        end++;
    }
    p->n = (uint32_t)(end - p->text);
    if (*end != '"') {
        return fail(p, "'\"' at its end", error);
    }
    p->token = TOK_TEXT;
    p->text++;
    p->n--;
    p->at = end + 1;
    return true;
}

static void skip_blanks(Parser *p)
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

static bool advance(Parser *p, GError **error)
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
           fail(p, "a program: words, numbers, signs, '#' before a comment", error);
}

static bool is(const Parser *p, const char *text)
{
    return (p->token == TOK_SIGN || p->token == TOK_WORD) && strlen(text) == p->n &&
           memcmp(p->text, text, p->n) == 0;
}

/** Takes the token if it is @p text. */
static bool take(Parser *p, const char *text, bool *good, GError **error)
{
    if (!*good || !is(p, text)) {
        return false;
    }
    if (strcmp(text, "(") == 0 || strcmp(text, "[") == 0) {
        p->parens++;
    } else if ((strcmp(text, ")") == 0 || strcmp(text, "]") == 0) && p->parens > 0) {
        p->parens--;
    }
    *good = advance(p, error);
    return *good;
}

static bool need(Parser *p, const char *text, const char *expected, GError **error)
{
    bool good = true;
    return take(p, text, &good, error) || (good && fail(p, expected, error));
}

static bool skip_lines(Parser *p, GError **error)
{
    while (p->token == TOK_LINE) {
        if (!advance(p, error)) {
            return false;
        }
    }
    return true;
}

static bool deeper(Parser *p, GError **error)
{
    return ++p->depth <= WW_MAKE_MAX_DEPTH ||
           ww_fail_at(error, p->program->file, p->line,
                      "blocks or parentheses nested too deeply; expected at most %u levels",
                      WW_MAKE_MAX_DEPTH);
}

/* ---- expressions --------------------------------------------------------------------------- */

static WwMakeExpr *parse_expr(Parser *p, GError **error);

static WwMakeExpr *new_expr(Parser *p, WwMakeOp op, int64_t number)
{
    WwMakeExpr *e = own(p, sizeof *e);
    *e = (WwMakeExpr){.op = op, .line = p->line, .number = number};
    return e;
}

/** @p e, whose parts are known; NULL when they are too deep for whoever goes through them. */
static WwMakeExpr *whole(Parser *p, WwMakeExpr *e, GError **error)
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

static WwMakeExpr *parse_call(Parser *p, WwMakeOp op, uint32_t n, GError **error)
{
    WwMakeExpr *e = new_expr(p, op, 0);
    if (!advance(p, error) || !need(p, "(", "'('", error)) {
        return NULL;
    }
    for (uint32_t i = 0; i < n; i++) {
        if ((i > 0 && !need(p, ",", "','", error)) || (e->part[i] = parse_expr(p, error)) == NULL) {
            return NULL;
        }
    }
    return need(p, ")", "')'", error) ? whole(p, e, error) : NULL;
}

static WwMakeExpr *parse_word(Parser *p, GError **error)
{
    static const struct {
        const char *name;
        WwMakeOp op;
        uint32_t n;
    } calls[] = {{"hash", WW_MAKE_HASH, 1}, {"min", WW_MAKE_MIN, 2}, {"max", WW_MAKE_MAX, 2}};
    WwMakeExpr *e = NULL;
    for (size_t i = 0; i < G_N_ELEMENTS(calls); i++) {
        if (is(p, calls[i].name)) {
            return parse_call(p, calls[i].op, calls[i].n, error);
        }
    }
    for (uint32_t i = p->n_names; i-- > 0 && e == NULL;) {
        e = is(p, p->names[i]) ? new_expr(p, WW_MAKE_VARIABLE, i) : NULL;
    }
    for (uint32_t i = 0; i < WW_N_NAMES && e == NULL; i++) {
        e = is(p, known_names[i]) ? new_expr(p, WW_MAKE_NAME, i) : NULL;
    }
    if (e == NULL) {
        fail(p,
             "a variable, or one of lane, warp, thread, tx, ty, tz, cta, cx, cy, cz, gx, gy, gz, "
             "bx, by, bz, warps, shared_base, local_base, hash(), min(), max()",
             error);
        return NULL;
    }
    return advance(p, error) ? e : NULL;
}

static WwMakeExpr *parse_unary(Parser *p, GError **error)
{
    static const struct {
        const char *sign;
        WwMakeOp op;
    } signs[] = {{"-", WW_MAKE_NEGATE}, {"!", WW_MAKE_NOT}, {"~", WW_MAKE_INVERT}};
    WwMakeExpr *e = NULL;
    bool good = deeper(p, error);
    for (size_t i = 0; i < G_N_ELEMENTS(signs) && good; i++) {
        if (take(p, signs[i].sign, &good, error)) {
            e = new_expr(p, signs[i].op, 0);
            e->part[0] = parse_unary(p, error);
            p->depth--;
            return e->part[0] != NULL ? whole(p, e, error) : NULL;
        }
    }
    if (!good) {
        return NULL;
    }
    if (p->token == TOK_NUMBER) {
        e = new_expr(p, WW_MAKE_NUMBER, p->number);
        e = advance(p, error) ? e : NULL;
    } else if (take(p, "(", &good, error)) {
        e = parse_expr(p, error);
        e = e != NULL && need(p, ")", "')' or an operator", error) ? e : NULL;
    } else if (good && p->token == TOK_WORD) {
        e = parse_word(p, error);
    } else if (good) {
        fail(p, "a number, a name or '('", error);
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

static WwMakeExpr *parse_binary(Parser *p, uint32_t level, GError **error)
{
    WwMakeExpr *left = parse_unary(p, error);
    while (left != NULL) {
        size_t i = 0;
        while (i < G_N_ELEMENTS(binary) && !(binary[i].level >= level && is(p, binary[i].sign))) {
            i++;
        }
        if (i == G_N_ELEMENTS(binary)) {
            return left;
        }
        WwMakeExpr *e = new_expr(p, binary[i].op, 0);
        e->part[0] = left;
        if (!deeper(p, error) || !advance(p, error) ||
            (e->part[1] = parse_binary(p, binary[i].level + 1, error)) == NULL) {
            return NULL;
        }
        p->depth--;
        left = whole(p, e, error);
    }
    return NULL;
}

static WwMakeExpr *parse_expr(Parser *p, GError **error)
{
    bool good = deeper(p, error);
    WwMakeExpr *e = good ? parse_binary(p, 0, error) : NULL;
    if (e != NULL && take(p, "?", &good, error)) {
        WwMakeExpr *choice = new_expr(p, WW_MAKE_CHOICE, 0);
        choice->part[0] = e;
        choice->part[1] = parse_expr(p, error);
        good = choice->part[1] != NULL && need(p, ":", "':' of '?'", error);
        choice->part[2] = good ? parse_expr(p, error) : NULL;
        e = choice->part[2] != NULL ? whole(p, choice, error) : NULL;
    }
    p->depth--;
    return good ? e : NULL;
}

/** An expression of numbers and names that have a value outside of kernels. */
static bool parse_constant(Parser *p, int64_t *out, GError **error)
{
    WwMakeExpr *e = parse_expr(p, error);
    return e != NULL && ww_make_constant(p->program, e, out, error);
}

static bool parse_between(Parser *p, const char *what, int64_t least, int64_t most, uint64_t *out,
                          GError **error)
{
    int64_t n;
    uint32_t line = p->line;
    if (!parse_constant(p, &n, error)) {
        return false;
    }
    *out = (uint64_t)n;
    return (n >= least && n <= most) ||
           ww_fail_at(error, p->program->file, line,
                      "%s %" G_GINT64_FORMAT "; expected %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                      what, n, least, most);
}

/** Makes a variable of the word. */
static bool add_name(Parser *p, uint32_t *slot, GError **error)
{
    if (p->token != TOK_WORD) {
        return fail(p, "a name that begins with a small letter", error);
    }
    if (p->n_names == WW_MAKE_MAX_NAMES) {
        return fail(p, "at most 256 names at one place", error);
    }
    for (uint32_t i = 0; i < WW_N_NAMES; i++) {
        if (is(p, known_names[i])) {
            return fail(p, "a name that means nothing yet", error);
        }
    }
    *slot = p->n_names;
    p->names[p->n_names++] = own_text(p, p->text, p->n);
    return advance(p, error);
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool parse_block(Parser *p, WwMakeStmt **body, GError **error);

static WwMakeStmt *new_stmt(Parser *p, WwMakeKind kind)
{
    WwMakeStmt *s = own(p, sizeof *s);
    s->kind = kind;
    s->line = p->line;
    *p->tail = s;
    p->tail = &s->next;
    return s;
}

static bool parse_let(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_LET);
    uint32_t i = p->n_names;
    if (!advance(p, error)) {
        return false;
    }
    while (i-- > 0 && !is(p, p->names[i])) {
    }
    bool there = i != UINT32_MAX;
    uint32_t before = p->n_names; /* a new name is not known in its own value */
    if (there && i < p->program->n_constants) {
        return fail(p, "a name of its own: this one is a constant", error);
    }
    s->slot = i;
    s->defines = !there;
    if ((there ? !advance(p, error) : !add_name(p, &s->slot, error)) ||
        !need(p, "=", "'='", error)) {
        return false;
    }
    uint32_t n = p->n_names;
    p->n_names = before;
    s->from = parse_expr(p, error);
    p->n_names = n;
    return s->from != NULL;
}

static bool parse_if(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_IF);
    bool good = true;
    if (!advance(p, error) || (s->from = parse_expr(p, error)) == NULL ||
        !parse_block(p, &s->body, error)) {
        return false;
    }
    if (!take(p, "else", &good, error)) {
        return good;
    }
    if (!is(p, "if")) {
        return parse_block(p, &s->other, error);
    }
    WwMakeStmt **tail = p->tail;
    p->tail = &s->other;
    good = deeper(p, error) && parse_if(p, error);
    p->depth--;
    p->tail = tail;
    return good;
}

static bool parse_range(Parser *p, WwMakeStmt *s, GError **error)
{
    bool good = true;
    return need(p, "in", "'in'", error) && (s->from = parse_expr(p, error)) != NULL &&
           need(p, "..", "'..' between the first value and the one behind the last", error) &&
           (s->to = parse_expr(p, error)) != NULL &&
           (!take(p, "step", &good, error) || (s->step = parse_expr(p, error)) != NULL) && good;
}

static bool parse_for(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_FOR);
    uint32_t n = p->n_names;
    bool good = advance(p, error);
    if (!good || !add_name(p, &s->slot, error)) {
        return false;
    }
    p->n_names = n; /* not known in its own range */
    const char *kept = p->names[n];
    good = parse_range(p, s, error);
    p->names[n] = kept;
    p->n_names = n + 1;
    good = good && parse_block(p, &s->body, error);
    p->n_names = n;
    return good;
}

/** `repeat N` and `unroll N` count with a variable that nobody names. */
static bool add_counter(Parser *p, uint32_t *slot, GError **error)
{
    if (p->n_names == WW_MAKE_MAX_NAMES) {
        return fail(p, "at most 256 names at one place", error);
    }
    *slot = p->n_names;
    p->names[p->n_names++] = "";
    return true;
}

static bool parse_repeat(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_FOR);
    uint32_t n = p->n_names;
    if (!advance(p, error) || (s->to = parse_expr(p, error)) == NULL ||
        !add_counter(p, &s->slot, error)) {
        return false;
    }
    s->from = new_expr(p, WW_MAKE_NUMBER, 0);
    bool good = parse_block(p, &s->body, error);
    p->n_names = n;
    return good;
}

static bool parse_unroll(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_UNROLL);
    uint32_t n = p->n_names, line = p->line;
    uint64_t begin = p->pc;
    if (!advance(p, error)) {
        return false;
    }
    bool named = p->token == TOK_WORD && strncmp(p->at + strspn(p->at, " \t"), "in ", 3) == 0;
    bool good = true;
    if (named) {
        good = add_name(p, &s->slot, error) && need(p, "in", "'in'", error);
        p->n_names -= good;
        const char *kept = good ? p->names[n] : NULL;
        good = good && parse_constant(p, &s->first, error) && need(p, "..", "'..'", error) &&
               parse_constant(p, &s->last, error);
        p->names[n] = kept != NULL ? kept : p->names[n];
        p->n_names += good;
    } else {
        good = parse_constant(p, &s->last, error) && add_counter(p, &s->slot, error);
    }
    good = good && parse_block(p, &s->body, error);
    p->n_names = n;
    s->size = p->pc - begin;
    if (!good) {
        return false;
    }
    uint64_t copies = s->last > s->first ? (uint64_t)s->last - (uint64_t)s->first : 0;
    if (copies > WW_TRACE_MAX_SINSTS || s->size * copies > WW_TRACE_MAX_SINSTS) {
        return ww_fail_at(error, p->program->file, line,
                          "more than %u different instructions; expected fewer copies",
                          WW_TRACE_MAX_SINSTS);
    }
    p->pc = begin + s->size * copies;
    return true;
}

/** Register R4, RZ or R(EXPR). */
static WwMakeExpr *parse_register(Parser *p, GError **error)
{
    WwMakeExpr *e = NULL;
    bool digits = p->token == TOK_UPPER && p->n >= 2 && p->n <= 4 && p->text[0] == 'R';
    int64_t n = 0;
    for (uint32_t i = 1; i < p->n && digits; i++) {
        digits = g_ascii_isdigit(p->text[i]);
        n = n * 10 + (p->text[i] - '0');
    }
    if (digits && n <= 255) {
        e = new_expr(p, WW_MAKE_NUMBER, n);
    } else if (p->token == TOK_UPPER && p->n == 2 && memcmp(p->text, "RZ", 2) == 0) {
        e = new_expr(p, WW_MAKE_NUMBER, 255);
    } else if (p->token == TOK_UPPER && p->n == 1 && *p->text == 'R') {
        bool good = advance(p, error) && need(p, "(", "'(' of R(EXPRESSION)", error);
        e = good ? parse_expr(p, error) : NULL;
        return e != NULL && need(p, ")", "')'", error) ? e : NULL;
    } else {
        fail(p, "a register: R0 to R255, RZ or R(EXPRESSION)", error);
        return NULL;
    }
    return advance(p, error) ? e : NULL;
}

/** Is the token a register, and not an opcode? */
static bool at_register(const Parser *p)
{
    bool digits = p->token == TOK_UPPER && p->text[0] == 'R';
    for (uint32_t i = 1; i < p->n && digits; i++) {
        digits = g_ascii_isdigit(p->text[i]);
    }
    return digits || (p->token == TOK_UPPER && p->n == 2 && memcmp(p->text, "RZ", 2) == 0);
}

static bool check_opcode(Parser *p, WwMakeStmt *s, GError **error)
{
    const char *file = p->program->file;
    WwSinst inst = {0};
    char quoted[48];
    if (strlen(s->opcode) > 127) {
        return ww_fail_at(error, file, s->line, "'%s'; expected an opcode of at most 127 bytes",
                          ww_quote(s->opcode, quoted));
    }
    if (!ww_opcode_decode(p->map, s->opcode, &inst)) {
        return ww_fail_at(error, file, s->line,
                          "unknown opcode '%s' (%s); expected one of its opcode map",
                          ww_quote(s->opcode, quoted), ww_opcode_map_name(p->map));
    }
    bool access = inst.op == WW_OP_LOAD || inst.op == WW_OP_STORE;
    if (access && inst.space != WW_SPACE_NONE && s->address == NULL) {
        return ww_fail_at(error, file, s->line,
                          "%s accesses memory; expected an address, as [EXPR]", s->opcode);
    }
    if (!access && inst.space == WW_SPACE_NONE && s->address != NULL) {
        return ww_fail_at(error, file, s->line, "%s accesses no memory; expected no address",
                          s->opcode);
    }
    if (inst.op == WW_OP_STORE && (inst.flags & WW_INST_ATOMIC) == 0 && s->reg[0] != NULL) {
        return ww_fail_at(error, file, s->line, "the store %s has a destination; expected none",
                          s->opcode);
    }
    s->exits = inst.op == WW_OP_EXIT;
    s->width = s->width != 0 ? s->width : inst.signed_width != 0 ? inst.signed_width : inst.width;
    return true;
}

static bool parse_operands(Parser *p, WwMakeStmt *s, GError **error)
{
    bool good = true;
    while (good && p->token == TOK_UPPER) {
        if (s->n_src == WW_MAX_SRC) {
            return fail(p, "at most 4 source registers", error);
        }
        if ((s->reg[1 + s->n_src] = parse_register(p, error)) == NULL) {
            return false;
        }
        s->n_src++;
        if (take(p, ",", &good, error) && p->token != TOK_UPPER && !is(p, "[")) {
            return fail(p, "a register or '['", error);
        }
    }
    if (take(p, "[", &good, error)) {
        s->address = parse_expr(p, error);
        good = s->address != NULL && need(p, "]", "']' or an operator", error);
    }
    if (take(p, "width", &good, error)) {
        uint64_t width = 0;
        good = parse_between(p, "width", 1, 128, &width, error);
        s->width = (uint32_t)width;
    }
    if (take(p, "imm", &good, error)) {
        good = (s->imm = parse_expr(p, error)) != NULL;
    }
    return good;
}

static bool parse_inst(Parser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_INST);
    if (at_register(p)) {
        if ((s->reg[0] = parse_register(p, error)) == NULL ||
            !need(p, "=", "'=' and an opcode", error)) {
            return false;
        }
    }
    if (p->token != TOK_UPPER) {
        return fail(p, "an opcode, in capitals", error);
    }
    s->opcode = own_text(p, p->text, p->n);
    s->pc = p->pc++;
    if (p->pc > WW_TRACE_MAX_SINSTS) {
        return ww_fail_at(error, p->program->file, p->line,
                          "more than %u different instructions; expected fewer",
                          WW_TRACE_MAX_SINSTS);
    }
    return advance(p, error) && parse_operands(p, s, error) && check_opcode(p, s, error);
}

static bool parse_statement(Parser *p, GError **error)
{
    static const struct {
        const char *word;
        bool (*parse)(Parser *p, GError **error);
    } words[] = {{"let", parse_let},
                 {"if", parse_if},
                 {"for", parse_for},
                 {"repeat", parse_repeat},
                 {"unroll", parse_unroll}};
    bool good = false, found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !found; i++) {
        found = is(p, words[i].word);
        good = found && words[i].parse(p, error);
    }
    if (!found) {
        good = p->token == TOK_UPPER
                   ? parse_inst(p, error)
                   : fail(p, "an instruction, let, if, for, repeat, unroll or '}'", error);
    }
    return good && (p->token == TOK_LINE || is(p, "}") ||
                    fail(p, "the end of the line, ';' or '}'", error));
}

/** "{" statements "}" */
static bool parse_body(Parser *p, WwMakeStmt **body, GError **error)
{
    WwMakeStmt **tail = p->tail;
    uint32_t n = p->n_names;
    p->tail = body;
    bool good = deeper(p, error) && skip_lines(p, error);
    while (good && !is(p, "}")) {
        good = parse_statement(p, error) && skip_lines(p, error);
    }
    p->depth--;
    p->n_names = n;
    p->tail = tail;
    return good && advance(p, error);
}

static bool parse_block(Parser *p, WwMakeStmt **body, GError **error)
{
    return need(p, "{", "'{'", error) && parse_body(p, body, error);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static bool parse_dim(Parser *p, uint64_t dim[3], int64_t most, GError **error)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !take(p, ",", &good, error)) {
            return good;
        }
        if (!parse_between(p, "size", 1, most, &dim[i], error)) {
            return false;
        }
    }
    return true;
}

static bool parse_setting(Parser *p, WwMakeKernel *k, bool *found, GError **error)
{
    const struct {
        const char *word;
        uint64_t *value;
        int64_t least, most;
    } numbers[] = {{"shared", &k->shared, 0, INT32_MAX},
                   {"registers", &k->registers, 0, 1024},
                   {"version", &k->version, 1, 9999},
                   {"stream", &k->stream, 0, INT64_MAX},
                   {"shared_base", &k->shared_base, 0, INT64_MAX},
                   {"local_base", &k->local_base, 0, INT64_MAX},
                   {"lineinfo", &k->lineinfo, 0, 1}};
    *found = true;
    if (is(p, "grid")) {
        return advance(p, error) && parse_dim(p, k->grid, INT32_MAX, error);
    }
    if (is(p, "block")) {
        return advance(p, error) && parse_dim(p, k->block, WW_TRACE_MAX_THREADS, error);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        if (is(p, numbers[i].word)) {
            return advance(p, error) && parse_between(p, numbers[i].word, numbers[i].least,
                                                      numbers[i].most, numbers[i].value, error);
        }
    }
    *found = false;
    return true;
}

static bool check_kernel(Parser *p, WwMakeKernel *k, GError **error)
{
    g_autoptr(GError) why = NULL;
    k->threads = k->block[0] * k->block[1] * k->block[2];
    k->warps = (k->threads + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    uint64_t plane = k->grid[0] * k->grid[1]; /* below 2^62 */
    if (k->threads > WW_TRACE_MAX_THREADS) {
        return ww_fail_at(error, p->program->file, k->line,
                          "a block has %" G_GUINT64_FORMAT " threads; expected at most %u",
                          k->threads, WW_TRACE_MAX_THREADS);
    }
    if (plane > (UINT64_C(1) << 53) / k->grid[2]) {
        return ww_fail_at(error, p->program->file, k->line,
                          "the grid has too many blocks; expected at most 2^53");
    }
    k->ctas = plane * k->grid[2];
    p->map = ww_opcodes_for(p->opcodes, (uint32_t)k->version, &why);
    return p->map != NULL || ww_fail_at(error, p->program->file, k->line, "%s", why->message);
}

static bool parse_kernel(Parser *p, GError **error)
{
    WwMakeKernel *k = own(p, sizeof *k);
    *k = (WwMakeKernel){.line = p->line,
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .registers = 32,
                        .version = 70,
                        .shared_base = 0x7fb139000000,
                        .local_base = 0x7fb137000000};
    bool found = true;
    if (!advance(p, error)) {
        return false;
    }
    if ((p->token != TOK_WORD && p->token != TOK_TEXT && p->token != TOK_UPPER) || p->n == 0) {
        return fail(p, "the kernel's name", error);
    }
    k->name = own_text(p, p->text, p->n);
    if (!advance(p, error) || !need(p, "{", "'{'", error)) {
        return false;
    }
    while (found) {
        if (!skip_lines(p, error) || !parse_setting(p, k, &found, error)) {
            return false;
        }
        if (found && p->token != TOK_LINE && !is(p, "}")) {
            return fail(p, "the end of the line", error);
        }
    }
    if (!check_kernel(p, k, error)) {
        return false;
    }
    p->pc = 0;
    bool good = parse_body(p, &k->code, error);
    k->size = p->pc;
    const WwMakeCommand command = {.kernel = k};
    g_array_append_val(p->program->commands, command);
    return good;
}

static bool parse_memcpy(Parser *p, GError **error)
{
    WwMakeCommand c = {0};
    bool good = advance(p, error) && parse_between(p, "address", 0, INT64_MAX, &c.address, error) &&
                need(p, ",", "',' and the number of bytes", error) &&
                parse_between(p, "bytes", 1, INT64_C(1) << 40, &c.bytes, error);
    g_array_append_val(p->program->commands, c);
    return good;
}

/** Outside of kernels: its value is known. */
static bool parse_global(Parser *p, GError **error)
{
    uint32_t slot = 0, n = p->n_names;
    int64_t value;
    if (!advance(p, error) || !add_name(p, &slot, error)) {
        return false;
    }
    p->n_names = n;
    const char *kept = p->names[n];
    if (!need(p, "=", "'='", error) || !parse_constant(p, &value, error)) {
        return false;
    }
    p->names[n] = kept;
    p->n_names = n + 1;
    p->program->constant[slot] = value;
    p->program->n_constants = n + 1;
    return true;
}

static bool parse_top(Parser *p, GError **error)
{
    if (p->program->commands->len == WW_MAKE_MAX_KERNELS) {
        return fail(p, "at most 4096 kernels and copies", error);
    }
    bool good = is(p, "kernel")   ? parse_kernel(p, error)
                : is(p, "memcpy") ? parse_memcpy(p, error)
                : is(p, "let")    ? parse_global(p, error)
                                  : fail(p, "kernel, memcpy or let", error);
    return good &&
           (p->token == TOK_LINE || p->token == TOK_END || fail(p, "the end of the line", error));
}

bool ww_make_parse(WwMakeProgram *program, const char *text, WwOpcodes *opcodes, GError **error)
{
    g_autofree Parser *p = g_new0(Parser, 1);
    program->owned = g_ptr_array_new_with_free_func(g_free);
    program->commands = g_array_new(false, false, sizeof(WwMakeCommand));
    p->program = program;
    p->opcodes = opcodes;
    p->at = text;
    p->line = 1;
    WwMakeStmt *none = NULL;
    p->tail = &none;
    bool good = advance(p, error) && skip_lines(p, error);
    while (good && p->token != TOK_END) {
        good = parse_top(p, error) && skip_lines(p, error);
    }
    return good &&
           (program->commands->len != 0 ||
            ww_fail_at(error, program->file, 1, "no kernel; expected 'kernel NAME { ... }'"));
}

void ww_make_clear(WwMakeProgram *program)
{
    if (program->owned != NULL) {
        g_ptr_array_unref(program->owned);
        g_array_unref(program->commands);
    }
}
