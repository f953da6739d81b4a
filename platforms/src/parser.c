/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of a platform to statements. Recursive descent, one token ahead, the first error only.
 *
 *   file      = { import | composite }
 *   import    = "import" STRING ";"
 *   composite = ( "composite" | "machine" ) NAME [ "extends" NAME ] "{" { statement } "}"
 *   statement = doc | index | param | port | mode | domain | phases | remove | group | entry | wire
 *   doc       = "doc" STRING ";"
 *   index     = "index" NAME ( "=" | "+" "=" ) items ";"
 *   items     = NAME [ ".." NAME ] { "," NAME [ ".." NAME ] }
 *   param     = [ "final" ] "param" NAME ":" kind [ UNIT ] [ "=" value ] [ "in" expr ".." expr ] [ STRING ] tail ";"
 *   kind      = "bool" | "uint" | "u64" | "real" | "string" | "list"
 *             | "choice" "(" NAME { "|" NAME } ")" | "type" "like" NAME
 *   port      = "port" NAME "=" path { "," path } tail ";"
 *   mode      = "clock" NAME ";" | "gate" ";" | "partition" ";"
 *   domain    = "domain" NAME "=" value ";"
 *   phases    = "phases" "{" { NAME ":" NAME ";" } "}"
 *   remove    = "remove" NAME [ "." NAME ] tail ";"
 *   group     = ( "rotate" | "sequence" | "repeat" "=" expr ) ( member | "{" { group | member } "}" )
 *   member    = NAME [ "[" expr "]" ] ":" type [ "in" NAME ] body
 *   entry     = [ "final" ] path "=" value tail ";" | path [ ":" type [ "in" NAME ] ] body
 *   body      = tail ";" | "{" { entry } "}" [ tail ";" ]
 *   type      = NAME { "." NAME } | "$" NAME
 *   wire      = path ( "->" | "=>" ) path { ( "->" | "=>" ) path } tail ";"
 *   tail      = { "for" NAME "in" ( expr ".." expr | items ) } [ "if" expr ]
 *   path      = NAME [ element ] { "." NAME [ element ] }
 *   element   = "[" ( "*" | expr [ ".." expr ] ) "]"
 *   value     = expr | STRING | NAME "." NAME { "." NAME } | "[" [ expr { "," expr } ] "]"
 *             | "{" NAME ":" value { "," NAME ":" value } [ "," "*" ":" value ] "}"
 *   expr      = both { "or" both }
 *   both      = test { "and" test }
 *   test      = "not" test | sum [ ( "==" | "!=" | "<" | "<=" | ">" | ">=" ) sum ]
 *   sum       = term { ( "+" | "-" ) term }
 *   term      = factor { ( "*" | "/" | "%" ) factor }
 *   factor    = ( NUMBER | NAME | "(" expr ")" | "-" factor ) [ UNIT ]
 *
 * Thirty productions (`file` included). A NAME may hold "{NAME}", which stands for an element of the
 * set that the statement's tail goes over. The words that open a statement cannot name a member,
 * parameter or port of a composite; `final` and `index` are words of the language only before another
 * word. An entry in a composite declares a member, changes one, or gives an inherited parameter its
 * value; blocks are taken apart into one Edit for each assignment.
 */
#include "parser-priv.h"
#include <string.h>

static const char *const statement_words[] = {"doc",    "param",     "port",   "clock",
                                              "gate",   "partition", "domain", "phases",
                                              "remove", "rotate",    "repeat", "sequence"};
bool plat_is_statement_word(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(statement_words); i++) {
        if (strcmp(word, statement_words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* ---- entries ------------------------------------------------------------------------------- */

/** NULL with an error when bodies have nested too often. */
static Path *join_paths(Parser *p, const Path *head, const Path *tail, GError **error)
{
    Path *path = PLAT_NEW(p->arena, Path);
    p->platform->copied += head != NULL ? head->seg.n : 0;
    if (p->platform->copied > PLAT_MAX_COPIED) {
        FAIL_AT(p, tail->seg.v[0].at, NULL, error,
                "more than %u names of nested bodies; expected fewer", PLAT_MAX_COPIED);
        return NULL;
    }
    for (uint32_t i = 0; head != NULL && i < head->seg.n; i++) {
        *VEC_ADD(p->arena, &path->seg) = head->seg.v[i];
    }
    for (uint32_t i = 0; i < tail->seg.n; i++) {
        *VEC_ADD(p->arena, &path->seg) = tail->seg.v[i];
    }
    return path;
}

static bool parse_entry_after(Parser *p, const Path *scope, const Path *path, const Grouping *group,
                              const uint32_t *first, GError **error);

/** Does a tail begin here, and no entry that has the name of its word? Behind a name stands one of few marks. */
static bool is_tail(const Parser *p)
{
    g_autoptr(GError) later = NULL;
    Parser ahead = *p;
    if (!plat_parse_is_word(p, "for") && !plat_parse_is_word(p, "if")) {
        return false;
    }
    if (!plat_parse_advance(&ahead, &later) || ahead.token.kind != TOKEN_MARK) {
        return true;
    }
    return strchr(":.[={", MIN(ahead.token.mark, 127)) == NULL &&
           !plat_parse_is_mark(&ahead, MARK_WIRE) && !plat_parse_is_mark(&ahead, MARK_JOIN);
}

/** The tail of an entry in a composite, for all statements from @p first; then ";". */
static bool parse_entry_tail(Parser *p, uint32_t first, GError **error)
{
    const Loops *tail = NULL;
    if (!is_tail(p)) {
        return plat_parse_plain(p, error);
    }
    if (!plat_parse_loops(p, &tail, error)) {
        return false;
    }
    Composite *c = p->composite;
    bool member = first < c->statements.n && c->statements.v[first].kind == STATEMENT_MEMBER;
    if (tail->list.n != tail->n_sets) {
        return FAIL_AT(p, tail->list.v[tail->n_sets].at, NULL, error,
                       member ? "a loop over numbers behind a member; expected NAME[COUNT] : TYPE"
                              : "a loop over numbers behind a value; expected an index [A..B] in "
                                "the path");
    }
    if (tail->cond != NULL && !member) {
        return FAIL_AT(p, tail->cond_at, NULL, error,
                       "a condition behind a value; expected it behind a new member or a wire");
    }
    for (uint32_t i = first; i < c->statements.n; i++) {
        c->statements.v[i].tail = tail;
    }
    return true;
}

/** A parameter of the part itself, twice in one body, is an oversight: what says it anew on purpose stands behind the body, or reaches further. */
static bool check_once(Parser *p, const Path *inner, GHashTable **seen, GError **error)
{
    const Seg *name = inner->seg.v;
    if (inner->seg.n != 1 || name->index != INDEX_NONE || !plat_parse_is_mark(p, '=')) {
        return true;
    }
    *seen = *seen != NULL ? *seen : g_hash_table_new(g_str_hash, g_str_equal);
    const WwLocation *first = g_hash_table_lookup(*seen, name->name);
    if (first != NULL) {
        return FAIL_AT(p, name->at, NULL, error,
                       "parameter '%s' is given already in %s:%u; expected it once in a body",
                       name->name, first->file, first->line);
    }
    return g_hash_table_insert(*seen, (gpointer)name->name, (gpointer)&name->at);
}

/** ";" or a block of entries about @p path; in a composite (@p first) what follows, too. */
static bool parse_body(Parser *p, const Path *path, const uint32_t *first, GError **error)
{
    if (plat_parse_is_mark(p, ';') || (first != NULL && is_tail(p))) {
        return (first == NULL || parse_entry_tail(p, *first, error)) &&
               plat_parse_mark(p, ';', "';'", error);
    }
    if (!plat_parse_deeper(p, error) || !plat_parse_mark(p, '{', "';' or '{'", error)) {
        return false;
    }
    g_autoptr(GHashTable) seen = NULL;
    while (!plat_parse_is_mark(p, '}')) {
        Path inner = {0};
        if (p->token.kind != TOKEN_WORD) {
            return plat_parse_expected(p, "'NAME = VALUE;', 'NAME : TYPE' or '}'", error);
        }
        if (!plat_parse_final(p, error) || !plat_parse_path(p, &inner, error) ||
            !check_once(p, &inner, &seen, error) ||
            !parse_entry_after(p, path, &inner, NULL, NULL, error)) {
            return false;
        }
    }
    p->depth--;
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    if (first == NULL) {
        return true;
    }
    bool there = is_tail(p);
    return parse_entry_tail(p, *first, error) && (!there || plat_parse_mark(p, ';', "';'", error));
}

/** An assignment: the last name of @p path is the parameter. */
static bool parse_assignment(Parser *p, const Path *scope, const Path *path, const uint32_t *first,
                             GError **error)
{
    const Path *whole = join_paths(p, scope, path, error);
    if (whole == NULL) {
        return false;
    }
    Edit *edit = PLAT_NEW(p->arena, Edit);
    edit->path = *whole;
    const Seg *last = &edit->path.seg.v[--edit->path.seg.n];
    if (last->index != INDEX_NONE) {
        return FAIL_AT(p, last->at, NULL, error,
                       "parameter '%s' with an index; expected NAME = VALUE", last->name);
    }
    edit->param = last->name;
    edit->at = last->at;
    edit->final = p->final;
    p->final = false;
    plat_add_statement(p, STATEMENT_EDIT)->edit = edit;
    return plat_parse_advance(p, error) && (edit->value = plat_parse_value(p, error)) != NULL &&
           (first == NULL || parse_entry_tail(p, *first, error)) &&
           plat_parse_mark(p, ';', "';' after the value", error);
}

/** `in PHASE` behind a type. */
static bool parse_phase(Parser *p, TypeRef *type, GError **error)
{
    return !plat_parse_is_word(p, "in") ||
           (plat_parse_advance(p, error) &&
            plat_parse_name(p, "the name of a phase", &type->phase, &type->phase_at, error));
}

/** ":" and a type: a member of the composite (@p own), a slot, or a new type for either. */
static bool parse_typed(Parser *p, const Path *path, bool own, const Grouping *group,
                        const uint32_t *first, GError **error)
{
    TypeRef type = {0};
    if (!plat_parse_advance(p, error) || !plat_parse_type(p, &type, error) ||
        !parse_phase(p, &type, error)) {
        return false;
    }
    uint32_t i = p->composite->statements.n;
    if (own) {
        Statement *s = plat_add_statement(p, STATEMENT_MEMBER);
        s->member.path = (Path *)path;
        s->member.type = type;
        s->member.group = group;
    } else {
        Edit *edit = PLAT_NEW(p->arena, Edit);
        edit->path = *path;
        edit->type = type;
        edit->at = type.at;
        plat_add_statement(p, STATEMENT_EDIT)->edit = edit;
    }
    bool ok = parse_body(p, path, first, error);
    if (own) {
        p->composite->statements.v[i].member.n_body = p->composite->statements.n - i - 1;
    }
    return ok;
}

/**
 * What follows a path in a composite (@p scope NULL), where statements from @p first are this one's,
 * or in a body.
 */
static bool parse_entry_after(Parser *p, const Path *scope, const Path *path, const Grouping *group,
                              const uint32_t *first, GError **error)
{
    if (group == NULL && plat_parse_is_mark(p, '=')) {
        return parse_assignment(p, scope, path, first, error);
    }
    if (group != NULL && !plat_parse_is_mark(p, ':')) {
        return plat_parse_expected(p, "':' and a type: a group holds members", error);
    }
    if (p->final) {
        return plat_parse_expected(p, "'=': only a parameter's value is final", error);
    }
    Path *whole = join_paths(p, scope, path, error);
    if (whole == NULL) {
        return false;
    }
    if (plat_parse_is_mark(p, ':')) {
        return parse_typed(p, whole, scope == NULL && path->seg.n == 1, group, first, error);
    }
    if (plat_parse_is_mark(p, '{')) {
        return parse_body(p, whole, first, error);
    }
    return plat_parse_expected(p, scope == NULL ? "'=', ':', '{', '->' or '=>'" : "'=', ':' or '{'",
                               error);
}

static bool parse_wire(Parser *p, const Path *first, GError **error)
{
    const Path *left = first;
    uint32_t from = p->composite->statements.n;
    while (plat_parse_is_mark(p, MARK_WIRE) || plat_parse_is_mark(p, MARK_JOIN)) {
        Wire *wire = PLAT_NEW(p->arena, Wire);
        wire->interface = plat_parse_is_mark(p, MARK_JOIN);
        wire->at = p->token.at;
        wire->left = *left;
        if (!plat_parse_advance(p, error) || !plat_parse_path(p, &wire->right, error)) {
            return false;
        }
        left = &wire->right;
        plat_add_statement(p, STATEMENT_WIRE)->wire = wire;
    }
    const Loops *loops = NULL;
    if (!plat_parse_loops(p, &loops, error)) {
        return false;
    }
    for (uint32_t i = from; i < p->composite->statements.n; i++) {
        p->composite->statements.v[i].wire->loops = loops;
        p->composite->statements.v[i].tail = loops;
    }
    bool bare = loops->list.n == 0 && loops->cond == NULL;
    return plat_parse_mark(p, ';', bare ? "';', 'for', 'if' or an arrow" : "';'", error);
}

static bool parse_entry(Parser *p, const Grouping *group, GError **error)
{
    Path *path = PLAT_NEW(p->arena, Path);
    uint32_t first = p->composite->statements.n;
    p->braces.line = p->cases.line = 0;
    if (!plat_parse_path(p, path, error)) {
        return false;
    }
    if (group == NULL && !p->final &&
        (plat_parse_is_mark(p, MARK_WIRE) || plat_parse_is_mark(p, MARK_JOIN))) {
        return parse_wire(p, path, error);
    }
    if (group != NULL && path->seg.n != 1) {
        return FAIL_AT(p, path->seg.v[1].at, NULL, error, "path in a group; expected a new member");
    }
    return parse_entry_after(p, NULL, path, group, &first, error);
}

static bool opens_group(const Parser *p)
{
    return plat_parse_is_word(p, "rotate") || plat_parse_is_word(p, "repeat") ||
           plat_parse_is_word(p, "sequence");
}

static bool parse_group(Parser *p, const Grouping *parent, GError **error)
{
    if (!plat_parse_deeper(p, error)) {
        return false;
    }
    Grouping *group = PLAT_NEW(p->arena, Grouping);
    group->parent = parent;
    group->depth = parent != NULL ? parent->depth + 1 : 1;
    group->at = p->token.at;
    group->mode = plat_parse_is_word(p, "rotate")     ? WW_GROUP_ROTATE
                  : plat_parse_is_word(p, "sequence") ? WW_GROUP_SEQUENCE
                                                      : WW_GROUP_REPEAT;
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    if (group->mode == WW_GROUP_REPEAT) {
        if (!plat_parse_mark(p, '=', "'=' and how often", error) ||
            (group->repeat = plat_parse_expr(p, error)) == NULL || !plat_parse_plain(p, error)) {
            return false;
        }
    }
    bool block = plat_parse_is_mark(p, '{');
    if (block && !plat_parse_advance(p, error)) {
        return false;
    }
    while (!block || !plat_parse_is_mark(p, '}')) {
        bool inner = opens_group(p);
        if (!inner && p->token.kind == TOKEN_WORD && plat_is_statement_word(p->token.text)) {
            return plat_parse_expected(p, "a member, 'rotate', 'repeat', 'sequence' or '}'", error);
        }
        if (!(inner ? parse_group(p, group, error) : parse_entry(p, group, error))) {
            return false;
        }
        if (!block) {
            p->depth--;
            return true;
        }
    }
    p->depth--;
    return plat_parse_advance(p, error);
}

/* ---- statements ---------------------------------------------------------------------------- */

/** `index` opens a statement where another word follows it; elsewhere it is a name. */
static bool is_index(const Parser *p)
{
    g_autoptr(GError) later = NULL;
    Parser ahead = *p;
    return !p->final && plat_parse_is_word(p, "index") && plat_parse_advance(&ahead, &later) &&
           ahead.token.kind == TOKEN_WORD;
}

static bool parse_statement(Parser *p, GError **error)
{
    if (p->token.kind != TOKEN_WORD) {
        return plat_parse_expected(p, "a statement or '}'", error);
    }
    p->braces.line = p->cases.line = 0;
    if (!plat_parse_final(p, error)) {
        return false;
    }
    WwLocation at = p->token.at;
    const char *word = p->token.text;
    if (!plat_is_statement_word(word) && !is_index(p)) {
        return parse_entry(p, NULL, error);
    }
    if (p->final && strcmp(word, "param") != 0) {
        return plat_parse_expected(p, "'param' or NAME = VALUE after 'final'", error);
    }
    if (opens_group(p)) {
        return parse_group(p, NULL, error);
    }
    return plat_parse_declaration(p, word, at, error);
}

static bool parse_composite(Parser *p, GError **error)
{
    Composite *c = PLAT_NEW(p->arena, Composite);
    c->machine = plat_parse_is_word(p, "machine");
    p->composite = c;
    if (!plat_parse_advance(p, error) ||
        !plat_parse_own_name(p, "a name", &c->name, &c->at, error)) {
        return false;
    }
    if (strchr(c->name, '{') != NULL) {
        return FAIL_AT(p, c->at, NULL, error, "name '%s' has braces; expected one without",
                       c->name);
    }
    const Composite *other = g_hash_table_lookup(p->platform->by_name, c->name);
    if (other != NULL) {
        return FAIL_AT(p, c->at, NULL, error,
                       "'%s' is declared already in %s:%u; expected another name", c->name,
                       other->at.file, other->at.line);
    }
    if (plat_parse_is_word(p, "extends")) {
        if (!plat_parse_advance(p, error) ||
            !plat_parse_name(p, "what it extends", &c->base_name, &c->base_at, error)) {
            return false;
        }
    }
    if (!plat_parse_mark(p, '{', c->base_name != NULL ? "'{'" : "'extends' or '{'", error)) {
        return false;
    }
    while (!plat_parse_is_mark(p, '}')) {
        if (!parse_statement(p, error)) {
            return false;
        }
    }
    g_hash_table_insert(p->platform->by_name, (gpointer)c->name, c);
    *VEC_ADD(p->arena, &p->platform->composites) = c;
    return plat_parse_advance(p, error);
}

static bool parse_import(Parser *p, PlatImportFn import, void *user, GError **error)
{
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    Token name = p->token;
    if (name.kind != TOKEN_STRING) {
        return plat_parse_expected(p, "a file name in quotes", error);
    }
    return plat_parse_advance(p, error) && plat_parse_mark(p, ';', "';'", error) &&
           import(user, name.text, name.at, error);
}

bool plat_parse(WwPlatform *platform, const Source *source, PlatImportFn import, void *user,
                GError **error)
{
    Parser p = {.platform = platform, .arena = &platform->arena};
    plat_lexer_init(&p.lexer, &platform->sources, source, &platform->arena, platform->names);
    if (!plat_parse_advance(&p, error)) {
        return false;
    }
    while (p.token.kind != TOKEN_END) {
        bool ok = plat_parse_is_word(&p, "import") ? parse_import(&p, import, user, error)
                  : plat_parse_is_word(&p, "composite") || plat_parse_is_word(&p, "machine")
                      ? parse_composite(&p, error)
                      : plat_parse_expected(&p, "'import', 'composite' or 'machine'", error);
        if (!ok) {
            return false;
        }
    }
    return true;
}
