/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions, values, types, paths and loops of a platform; the grammar heads parser.c. */
#include "parser-priv.h"
#include <string.h>

bool plat_parse_expected(Parser *p, const char *expected, GError **error)
{
    char text[64];
    return FAIL_AT(p, p->token.at, NULL, error, "%s here; expected %s",
                   plat_token_text(&p->token, text, sizeof text), expected);
}

bool plat_parse_advance(Parser *p, GError **error)
{
    return plat_lex(&p->lexer, &p->token, error);
}

bool plat_parse_is_mark(const Parser *p, int mark)
{
    return p->token.kind == TOKEN_MARK && p->token.mark == mark;
}

bool plat_parse_is_word(const Parser *p, const char *word)
{
    return p->token.kind == TOKEN_WORD && strcmp(p->token.text, word) == 0;
}

bool plat_parse_mark(Parser *p, int mark, const char *expected, GError **error)
{
    return plat_parse_is_mark(p, mark) ? plat_parse_advance(p, error)
                                       : plat_parse_expected(p, expected, error);
}

bool plat_parse_word(Parser *p, const char *word, GError **error)
{
    char expected[32];
    g_snprintf(expected, sizeof expected, "'%s'", word);
    return plat_parse_is_word(p, word) ? plat_parse_advance(p, error)
                                       : plat_parse_expected(p, expected, error);
}

bool plat_parse_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                     GError **error)
{
    if (p->token.kind != TOKEN_WORD) {
        return plat_parse_expected(p, expected, error);
    }
    *name = p->token.text;
    *at = p->token.at;
    return plat_parse_advance(p, error);
}

bool plat_parse_final(Parser *p, GError **error)
{
    p->final = false;
    if (!plat_parse_is_word(p, "final")) {
        return true;
    }
    Parser ahead = *p;
    g_autoptr(GError) later = NULL;
    if (!plat_parse_advance(&ahead, &later) || ahead.token.kind != TOKEN_WORD) {
        return true; /* a name; what is wrong behind it is found in its turn */
    }
    p->final = true;
    return plat_parse_advance(p, error);
}

bool plat_parse_deeper(Parser *p, GError **error)
{
    if (++p->depth > PLAT_MAX_DEPTH) {
        return FAIL_AT(p, p->token.at, NULL, error, "nested too deeply; expected at most %u levels",
                       PLAT_MAX_DEPTH);
    }
    return true;
}

/* ---- expressions --------------------------------------------------------------------------- */

static const Expr *parse_factor(Parser *p, GError **error);

static Expr *new_expr(Parser *p, ExprKind kind)
{
    Expr *e = PLAT_NEW(p->arena, Expr);
    e->kind = kind;
    e->at = p->token.at;
    return e;
}

static Expr *parse_number(Parser *p, GError **error)
{
    const Token *t = &p->token;
    Expr *e = new_expr(p, t->real ? EXPR_REAL : t->wide ? EXPR_WIDE : EXPR_INTEGER);
    e->integer = t->integer;
    e->real = t->number;
    e->text = t->text;
    return plat_parse_advance(p, error) ? e : NULL;
}

static const Expr *parse_atom(Parser *p, GError **error)
{
    if (p->token.kind == TOKEN_NUMBER) {
        return parse_number(p, error);
    }
    if (p->token.kind == TOKEN_WORD) {
        Expr *e = new_expr(p, EXPR_NAME);
        e->name = p->token.text;
        return plat_parse_advance(p, error) ? e : NULL;
    }
    if (plat_parse_is_mark(p, '-')) {
        Expr *e = new_expr(p, EXPR_NEGATE);
        if (!plat_parse_advance(p, error) || (e->left = parse_factor(p, error)) == NULL) {
            return NULL;
        }
        e->text = e->left->text != NULL ? plat_printf(p->arena, "-%s", e->left->text) : NULL;
        return e;
    }
    if (plat_parse_is_mark(p, '(')) {
        if (!plat_parse_advance(p, error)) {
            return NULL;
        }
        const Expr *e = plat_parse_expr(p, error);
        return e != NULL && plat_parse_mark(p, ')', "')'", error) ? e : NULL;
    }
    plat_parse_expected(p, "a number, a parameter or '('", error);
    return NULL;
}

static const Expr *parse_factor(Parser *p, GError **error)
{
    if (!plat_parse_deeper(p, error)) {
        return NULL;
    }
    const Expr *e = parse_atom(p, error);
    p->depth--;
    uint64_t unit = e != NULL && p->token.kind == TOKEN_WORD ? plat_unit(p->token.text) : 0;
    if (unit == 0) {
        return e;
    }
    Expr *scaled = new_expr(p, EXPR_BINARY);
    Expr *factor = new_expr(p, EXPR_INTEGER);
    factor->integer = (int64_t)unit;
    scaled->op = '*';
    scaled->at = e->at;
    scaled->left = e;
    scaled->right = factor;
    /* one number with its unit stays a literal */
    scaled->text = e->text != NULL ? plat_printf(p->arena, "%s %s", e->text, p->token.text) : NULL;
    return plat_parse_advance(p, error) ? scaled : NULL;
}

static const Expr *parse_binary(Parser *p, const char *ops, GError **error)
{
    const Expr *left = ops[1] == '-' ? parse_binary(p, "*/%", error) : parse_factor(p, error);
    /* a chain of operators nests the tree to the left: bounded, since evaluation recurses */
    for (uint32_t n = 0; left != NULL && p->token.kind == TOKEN_MARK && p->token.mark < 128 &&
                         strchr(ops, p->token.mark) != NULL;
         n++) {
        if (n == PLAT_MAX_DEPTH) {
            FAIL_AT(p, p->token.at, NULL, error,
                    "more than %u operators in a row; expected parentheses", PLAT_MAX_DEPTH);
            return NULL;
        }
        Expr *e = new_expr(p, EXPR_BINARY);
        e->op = (char)p->token.mark;
        e->left = left;
        e->right = !plat_parse_advance(p, error) ? NULL
                   : ops[1] == '-'               ? parse_binary(p, "*/%", error)
                                                 : parse_factor(p, error);
        left = e->right != NULL ? e : NULL;
    }
    return left;
}

const Expr *plat_parse_expr(Parser *p, GError **error)
{
    return parse_binary(p, "+-", error);
}

/** NAME "." NAME ... after the first name; the result is one dotted word. */
static const char *parse_dots(Parser *p, const char *first, GError **error)
{
    if (!plat_parse_is_mark(p, '.')) {
        return first;
    }
    g_autoptr(GString) out = g_string_new(first);
    while (plat_parse_is_mark(p, '.')) {
        const char *name = NULL;
        WwLocation at;
        if (!plat_parse_advance(p, error) ||
            !plat_parse_name(p, "a name after '.'", &name, &at, error)) {
            return NULL;
        }
        g_string_append_printf(out, ".%s", name);
    }
    return g_string_chunk_insert_const(p->platform->names, out->str);
}

static bool parse_list(Parser *p, Value *v, GError **error)
{
    v->kind = VALUE_LIST;
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    while (!plat_parse_is_mark(p, ']')) {
        const Expr *e = plat_parse_expr(p, error);
        if (e == NULL) {
            return false;
        }
        *VEC_ADD(p->arena, &v->list) = e;
        if (!plat_parse_is_mark(p, ']') && !plat_parse_mark(p, ',', "',' or ']'", error)) {
            return false;
        }
    }
    return plat_parse_advance(p, error);
}

const Value *plat_parse_value(Parser *p, GError **error)
{
    Value *v = PLAT_NEW(p->arena, Value);
    v->at = p->token.at;
    Token first = p->token;
    if (first.kind == TOKEN_STRING) {
        v->kind = VALUE_STRING;
        v->text = first.text;
        return plat_parse_advance(p, error) ? v : NULL;
    }
    if (plat_parse_is_mark(p, '[')) {
        return parse_list(p, v, error) ? v : NULL;
    }
    v->expr = plat_parse_expr(p, error);
    if (v->expr == NULL) {
        return NULL;
    }
    const Expr *e = v->expr;
    if (e->kind == EXPR_NAME && plat_parse_is_mark(p, '.')) {
        v->kind = VALUE_WORD;
        v->text = parse_dots(p, e->name, error);
        return v->text != NULL ? v : NULL;
    }
    if (e->text != NULL) {
        v->kind = VALUE_LITERAL;
        v->text = e->text;
    }
    return v;
}

/* ---- paths --------------------------------------------------------------------------------- */

static bool parse_index(Parser *p, Seg *seg, GError **error)
{
    if (!plat_parse_is_mark(p, '[')) {
        return true;
    }
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    if (plat_parse_is_mark(p, '*')) {
        seg->index = INDEX_ALL;
        return plat_parse_advance(p, error) && plat_parse_mark(p, ']', "']'", error);
    }
    seg->index = INDEX_ONE;
    seg->from = plat_parse_expr(p, error);
    if (seg->from == NULL) {
        return false;
    }
    if (plat_parse_is_mark(p, MARK_RANGE)) {
        seg->index = INDEX_RANGE;
        if (!plat_parse_advance(p, error) || (seg->to = plat_parse_expr(p, error)) == NULL) {
            return false;
        }
    }
    return plat_parse_mark(p, ']', seg->index == INDEX_ONE ? "']' or '..'" : "']'", error);
}

/** Adds the elements of a path to @p path. */
bool plat_parse_path(Parser *p, Path *path, GError **error)
{
    for (;;) {
        Seg *seg = VEC_ADD(p->arena, &path->seg);
        if (!plat_parse_name(p, "a name", &seg->name, &seg->at, error) ||
            !parse_index(p, seg, error)) {
            return false;
        }
        if (!plat_parse_is_mark(p, '.')) {
            return true;
        }
        if (path->seg.n == PLAT_MAX_DEPTH) {
            return FAIL_AT(p, p->token.at, NULL, error, "path too long; expected at most %u names",
                           PLAT_MAX_DEPTH);
        }
        if (!plat_parse_advance(p, error)) {
            return false;
        }
    }
}

bool plat_parse_loops(Parser *p, const Loops **out, GError **error)
{
    Loops *loops = PLAT_NEW(p->arena, Loops);
    while (plat_parse_is_word(p, "for")) {
        if (loops->list.n == 4) {
            return FAIL_AT(p, p->token.at, NULL, error, "a fifth 'for'; expected at most four");
        }
        Loop *loop = VEC_ADD(p->arena, &loops->list);
        if (!plat_parse_advance(p, error) ||
            !plat_parse_name(p, "an index name", &loop->name, &loop->at, error) ||
            !plat_parse_word(p, "in", error) || (loop->from = plat_parse_expr(p, error)) == NULL ||
            !plat_parse_mark(p, MARK_RANGE, "'..'", error) ||
            (loop->to = plat_parse_expr(p, error)) == NULL) {
            return false;
        }
    }
    *out = loops;
    return true;
}

bool plat_parse_type(Parser *p, TypeRef *type, GError **error)
{
    type->at = p->token.at;
    type->param = plat_parse_is_mark(p, '$');
    if (type->param && !plat_parse_advance(p, error)) {
        return false;
    }
    WwLocation at;
    if (!plat_parse_name(p,
                         type->param ? "the name of a parameter" : "a component type or composite",
                         &type->name, &at, error)) {
        return false;
    }
    if (!type->param) {
        type->name = parse_dots(p, type->name, error);
    }
    return type->name != NULL;
}
