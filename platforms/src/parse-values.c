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
    if (p->token.braces && p->braces.line == 0) {
        p->braces = p->token.at;
    }
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
    if (p->token.kind == TOKEN_WORD && p->token.braces) {
        return FAIL_AT(p, p->token.at, NULL, error,
                       "'%s' has an element's name in it; expected %s without braces",
                       p->token.text, expected);
    }
    return plat_parse_any_name(p, expected, name, at, error);
}

bool plat_parse_any_name(Parser *p, const char *expected, const char **name, WwLocation *at,
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

/** One more level, @p a or @p b below it. */
static bool set_height(Parser *p, Expr *e, const Expr *a, const Expr *b, GError **error)
{
    e->height = 1 + MAX(a->height, b != NULL ? b->height : 0);
    return e->height <= PLAT_MAX_HEIGHT ||
           FAIL_AT(p, e->at, NULL, error, "expression nested too deeply; expected a simpler one");
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
        /* a second sign makes it no literal any more */
        e->text = e->left->text != NULL && e->left->text[0] != '-'
                      ? plat_printf(p->arena, "-%s", e->left->text)
                      : NULL;
        return set_height(p, e, e->left, NULL, error) ? e : NULL;
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
    scaled->height = e->height + 1;
    /* one number with its unit stays a literal */
    scaled->text = e->text != NULL ? plat_printf(p->arena, "%s %s", e->text, p->token.text) : NULL;
    return plat_parse_advance(p, error) ? scaled : NULL;
}

/** Operators from those that bind least; after a comparison there is no second one. */
enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARE, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_FACTOR };

/** The operator of a level that stands here, or 0. */
static char operator_here(const Parser *p, int level)
{
    static const char *const marks[] = {"", "", "<>", "+-", "*/%"};
    if (level <= LEVEL_AND) {
        const char *word = level == LEVEL_OR ? "or" : "and";
        return !plat_parse_is_word(p, word) ? 0 : level == LEVEL_OR ? OP_OR : OP_AND;
    }
    if (p->token.kind != TOKEN_MARK) {
        return 0;
    }
    int mark = p->token.mark;
    if (mark < 128) {
        return strchr(marks[level], mark) != NULL ? (char)mark : 0;
    }
    return level != LEVEL_COMPARE ? 0
           : mark == MARK_EQUAL   ? OP_EQUAL
           : mark == MARK_OTHER   ? OP_OTHER
           : mark == MARK_MOST    ? OP_MOST
           : mark == MARK_LEAST   ? OP_LEAST
                                  : 0;
}

/** Is the token here the word @p word, and no name: does something follow that it can act on? */
static bool is_operator_word(const Parser *p, const char *word)
{
    g_autoptr(GError) later = NULL;
    Parser ahead = *p;
    return plat_parse_is_word(p, word) && plat_parse_advance(&ahead, &later) &&
           (ahead.token.kind == TOKEN_WORD || ahead.token.kind == TOKEN_NUMBER ||
            plat_parse_is_mark(&ahead, '(') || plat_parse_is_mark(&ahead, '-'));
}

static const Expr *parse_level(Parser *p, int level, GError **error);

static const Expr *parse_not(Parser *p, GError **error)
{
    Expr *e = new_expr(p, EXPR_NOT);
    if (!plat_parse_deeper(p, error) || !plat_parse_advance(p, error) ||
        (e->left = parse_level(p, LEVEL_COMPARE, error)) == NULL ||
        !set_height(p, e, e->left, NULL, error)) {
        return NULL;
    }
    p->depth--;
    return e;
}

static const Expr *parse_level(Parser *p, int level, GError **error)
{
    if (level == LEVEL_FACTOR) {
        return parse_factor(p, error);
    }
    if (level == LEVEL_COMPARE && is_operator_word(p, "not")) {
        return parse_not(p, error);
    }
    const Expr *left = parse_level(p, level + 1, error);
    /* a chain of operators nests the tree to the left: bounded, since evaluation recurses */
    char op = 0;
    for (uint32_t n = 0; left != NULL && (op = operator_here(p, level)) != 0; n++) {
        if (n == (level == LEVEL_COMPARE ? 1 : PLAT_MAX_DEPTH)) {
            level == LEVEL_COMPARE
                ? FAIL_AT(p, p->token.at, NULL, error,
                          "a second comparison; expected 'and' between two, or parentheses")
                : FAIL_AT(p, p->token.at, NULL, error,
                          "more than %u operators in a row; expected parentheses", PLAT_MAX_DEPTH);
            return NULL;
        }
        Expr *e = new_expr(p, EXPR_BINARY);
        e->op = op;
        e->left = left;
        e->right = plat_parse_advance(p, error) ? parse_level(p, level + 1, error) : NULL;
        left = e->right != NULL && set_height(p, e, e->left, e->right, error) ? e : NULL;
    }
    return left;
}

const Expr *plat_parse_expr(Parser *p, GError **error)
{
    return parse_level(p, LEVEL_OR, error);
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
            !plat_parse_any_name(p, "a name after '.'", &name, &at, error)) {
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

/** "{" NAME ":" value { "," NAME ":" value } [ "," "*" ":" value ] "}" */
static bool parse_cases(Parser *p, Value *v, GError **error)
{
    v->kind = VALUE_CHOICE;
    if (p->cases.line == 0) {
        p->cases = v->at;
    }
    bool others = false;
    do {
        Case *one = VEC_ADD(p->arena, &v->cases);
        if (!plat_parse_advance(p, error)) { /* over '{' or ',' */
            return false;
        }
        one->at = p->token.at;
        others = plat_parse_is_mark(p, '*');
        bool ok = others ? plat_parse_advance(p, error)
                         : plat_parse_name(p, "an element or '*'", &one->name, &one->at, error);
        for (uint32_t i = 0; ok && !others && i + 1 < v->cases.n; i++) {
            if (strcmp(v->cases.v[i].name, one->name) == 0) {
                return FAIL_AT(p, one->at, NULL, error, "two values for '%s'; expected one",
                               one->name);
            }
        }
        if (!ok || !plat_parse_mark(p, ':', "':' and its value", error)) {
            return false;
        }
        if (plat_parse_is_mark(p, '{')) {
            return plat_parse_expected(p, "one value: braces do not nest", error);
        }
        const Value *value = plat_parse_value(p, error);
        v->cases.v[v->cases.n - 1].value = value;
        if (value == NULL) {
            return false;
        }
    } while (!others && plat_parse_is_mark(p, ','));
    return plat_parse_mark(p, '}', others ? "'}' after the value of all others" : "',' or '}'",
                           error);
}

const Value *plat_parse_value(Parser *p, GError **error)
{
    Value *v = PLAT_NEW(p->arena, Value);
    v->at = p->token.at;
    if (plat_parse_is_mark(p, '{')) {
        return parse_cases(p, v, error) ? v : NULL;
    }
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

static bool parse_element(Parser *p, Seg *seg, GError **error)
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
        if (!plat_parse_any_name(p, "a name", &seg->name, &seg->at, error) ||
            !parse_element(p, seg, error)) {
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

/** Adds what follows @p first up to @p last: "spec1..spec8". */
static bool add_range(Parser *p, IndexItems *items, const IndexItem *first, const char *last,
                      WwLocation at, GError **error)
{
    size_t n = strlen(first->name);
    while (n > 0 && g_ascii_isdigit(first->name[n - 1])) {
        n--;
    }
    guint64 from = 0, to = 0;
    if (strncmp(first->name, last, n) != 0 ||
        !g_ascii_string_to_unsigned(first->name + n, 10, 0, 1000000, &from, NULL) ||
        !g_ascii_string_to_unsigned(last + n, 10, 0, 1000000, &to, NULL) || from > to ||
        (first->name[n] == '0' && from != 0) || (last[n] == '0' && to != 0)) {
        return FAIL_AT(p, at, NULL, error,
                       "'%s..%s'; expected elements that count up, as in x1..x8", first->name,
                       last);
    }
    for (guint64 i = from + 1; i <= to && items->n <= PLAT_MAX_ELEMENTS; i++) {
        g_autofree char *name = g_strdup_printf("%.*s%" G_GUINT64_FORMAT, (int)n, first->name, i);
        *VEC_ADD(p->arena, items) =
            (IndexItem){g_string_chunk_insert_const(p->platform->names, name), at};
    }
    return true;
}

/** Names behind "in" or "index NAME =": of index sets, of elements, first..last of elements. */
bool plat_parse_items(Parser *p, IndexItems *items, GError **error)
{
    for (;;) {
        IndexItem *item = VEC_ADD(p->arena, items);
        if (!plat_parse_name(p, "an element or an index set", &item->name, &item->at, error)) {
            return false;
        }
        IndexItem first = *item;
        if (plat_parse_is_mark(p, MARK_RANGE)) {
            const char *last = "";
            WwLocation at;
            if (!plat_parse_advance(p, error) ||
                !plat_parse_name(p, "the last element", &last, &at, error) ||
                !add_range(p, items, &first, last, at, error)) {
                return false;
            }
        }
        if (items->n > PLAT_MAX_ELEMENTS) {
            return FAIL_AT(p, first.at, NULL, error, "more than %u elements; expected fewer",
                           PLAT_MAX_ELEMENTS);
        }
        if (!plat_parse_is_mark(p, ',')) {
            return true;
        }
        if (!plat_parse_advance(p, error)) {
            return false;
        }
    }
}

/** What a loop goes over: numbers, or the elements of sets. */
static bool parse_range(Parser *p, Loop *loop, GError **error)
{
    loop->from = plat_parse_expr(p, error);
    if (loop->from == NULL) {
        return false;
    }
    if (loop->from->kind != EXPR_NAME || plat_parse_is_mark(p, MARK_RANGE)) {
        return plat_parse_mark(p, MARK_RANGE, "'..'", error) &&
               (loop->to = plat_parse_expr(p, error)) != NULL;
    }
    *VEC_ADD(p->arena, &loop->items) = (IndexItem){loop->from->name, loop->from->at};
    if (strchr(loop->from->name, '{') != NULL) {
        return FAIL_AT(p, loop->from->at, NULL, error,
                       "'%s' has an element's name in it; expected the name of an index set",
                       loop->from->name);
    }
    return !plat_parse_is_mark(p, ',') ||
           (plat_parse_advance(p, error) && plat_parse_items(p, &loop->items, error));
}

static bool parse_loop(Parser *p, Loops *loops, GError **error)
{
    WwLocation at = p->token.at;
    if (loops->list.n == PLAT_MAX_LOOPS) {
        return FAIL_AT(p, at, NULL, error, "a fifth 'for'; expected at most four");
    }
    Loop *loop = VEC_ADD(p->arena, &loops->list);
    if (!plat_parse_advance(p, error) ||
        !plat_parse_name(p, "an index name", &loop->name, &loop->at, error) ||
        !plat_parse_word(p, "in", error) || !parse_range(p, loop, error)) {
        return false;
    }
    if (loop->items.n == 0) {
        return true;
    }
    if (loops->n_sets++ + 1 != loops->list.n) {
        return FAIL_AT(p, at, NULL, error,
                       "a loop over an index set after one over numbers; expected it before");
    }
    for (uint32_t i = 0; i + 1 < loops->list.n; i++) {
        if (strcmp(loops->list.v[i].name, loop->name) == 0) {
            return FAIL_AT(p, loop->at, NULL, error, "a second loop '%s'; expected another name",
                           loop->name);
        }
    }
    return true;
}

/** What is different for each element of an index set needs a loop over one. */
static bool check_elements(Parser *p, const Loops *loops, GError **error)
{
    uint32_t n_sets = loops != NULL ? loops->n_sets : 0;
    if ((p->braces.line != 0 || p->cases.line != 0) && n_sets == 0 && loops != NULL) {
        for (uint32_t i = 0; i < loops->list.n; i++) {
            const Loop *loop = &loops->list.v[i];
            if (loop->from->kind == EXPR_NAME && loop->to->kind == EXPR_NAME) {
                return FAIL_AT(p, loop->from->at, NULL, error,
                               "'%s..%s' alone are numbers; expected an index set, as 'index NAME "
                               "= %s..%s;' declares it",
                               loop->from->name, loop->to->name, loop->from->name, loop->to->name);
            }
        }
    }
    if (p->braces.line != 0 && n_sets == 0) {
        return FAIL_AT(p, p->braces, NULL, error,
                       "a name in braces stands for an element of an index set; expected 'for "
                       "NAME in SET' at the end of the statement");
    }
    return p->cases.line == 0 || n_sets == 1 ||
           FAIL_AT(p, p->cases, NULL, error,
                   "a value for each element; expected one 'for NAME in SET' at the end of the "
                   "statement");
}

bool plat_parse_loops(Parser *p, const Loops **out, GError **error)
{
    Loops *loops = PLAT_NEW(p->arena, Loops);
    while (plat_parse_is_word(p, "for")) {
        if (!parse_loop(p, loops, error)) {
            return false;
        }
    }
    loops->cond_at = p->token.at;
    if (plat_parse_is_word(p, "if") &&
        (!plat_parse_advance(p, error) || (loops->cond = plat_parse_expr(p, error)) == NULL)) {
        return false;
    }
    if (plat_parse_is_word(p, "for")) {
        return FAIL_AT(p, p->token.at, NULL, error,
                       "a loop behind a condition; expected it before");
    }
    *out = loops;
    return check_elements(p, loops, error);
}

bool plat_parse_plain(Parser *p, GError **error)
{
    return check_elements(p, NULL, error);
}

bool plat_parse_type(Parser *p, TypeRef *type, GError **error)
{
    type->at = p->token.at;
    type->param = plat_parse_is_mark(p, '$');
    if (type->param && !plat_parse_advance(p, error)) {
        return false;
    }
    WwLocation at;
    if (!plat_parse_any_name(
            p, type->param ? "the name of a parameter" : "a component type or composite",
            &type->name, &at, error)) {
        return false;
    }
    if (!type->param) {
        type->name = parse_dots(p, type->name, error);
    }
    return type->name != NULL;
}
