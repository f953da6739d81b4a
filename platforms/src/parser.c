/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text of a platform to statements. Recursive descent, one token ahead, the first error only.
 *
 *   file      = { import | composite }
 *   import    = "import" STRING ";"
 *   composite = ( "composite" | "machine" ) NAME [ "extends" NAME ] "{" { statement } "}"
 *   statement = doc | param | port | mode | domain | phases | remove | group | entry | wire
 *   doc       = "doc" STRING ";"
 *   param     = [ "final" ] "param" NAME ":" kind [ UNIT ] [ "=" value ] [ "in" expr ".." expr ] [ STRING ] ";"
 *   kind      = "bool" | "uint" | "u64" | "real" | "string" | "list"
 *             | "choice" "(" NAME { "|" NAME } ")" | "type" "like" NAME
 *   port      = "port" NAME "=" path { "," path } loops ";"
 *   mode      = "clock" NAME ";" | "gate" ";" | "partition" ";"
 *   domain    = "domain" NAME "=" value ";"
 *   phases    = "phases" "{" { NAME ":" NAME ";" } "}"
 *   remove    = "remove" path ";"
 *   group     = ( "rotate" | "repeat" "=" expr ) ( entry | "{" { group | entry } "}" )
 *   entry     = [ "final" ] path "=" value ";" | path [ ":" type ] body
 *   body      = ";" | "{" { entry } "}"
 *   type      = NAME { "." NAME } | "$" NAME
 *   wire      = path ( "->" | "=>" ) path { ( "->" | "=>" ) path } loops ";"
 *   loops     = { "for" NAME "in" expr ".." expr }
 *   path      = NAME [ index ] { "." NAME [ index ] }
 *   index     = "[" ( "*" | expr [ ".." expr ] ) "]"
 *   value     = expr | STRING | NAME "." NAME { "." NAME } | "[" [ expr { "," expr } ] "]"
 *   expr      = term { ( "+" | "-" ) term }
 *   term      = factor { ( "*" | "/" | "%" ) factor }
 *   factor    = ( NUMBER | NAME | "(" expr ")" | "-" factor ) [ UNIT ]
 *
 * Twenty-four productions (`file` included). The words that open a statement cannot name a member,
 * parameter or port of a composite; `final` is a word of the language only before another word. An entry in a composite declares a member, changes one, or
 * gives an inherited parameter its value; blocks are taken apart into one Edit for each assignment.
 */
#include "parser-priv.h"
#include <string.h>

static const char *const statement_words[] = {"doc",    "param",     "port",   "clock",
                                              "gate",   "partition", "domain", "phases",
                                              "remove", "rotate",    "repeat"};
static const char *const kind_words[] = {"bool",   "uint", "u64",    "real",
                                         "string", "list", "choice", "type"};

static bool is_statement_word(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(statement_words); i++) {
        if (strcmp(word, statement_words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/** A name that a composite declares: not one of the words that open its statements. */
static bool parse_own_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                           GError **error)
{
    if (p->token.kind == TOKEN_WORD && is_statement_word(p->token.text)) {
        return FAIL_AT(p, p->token.at, NULL, error, "'%s' is a word of the language; expected %s",
                       p->token.text, expected);
    }
    return plat_parse_name(p, expected, name, at, error);
}

/* ---- entries ------------------------------------------------------------------------------- */

static Statement *add_statement(Parser *p, StatementKind kind)
{
    Statement *s = VEC_ADD(p->arena, &p->composite->statements);
    s->kind = kind;
    return s;
}

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
                              GError **error);

/** ";" or a block of entries about @p path. */
static bool parse_body(Parser *p, const Path *path, GError **error)
{
    if (plat_parse_is_mark(p, ';')) {
        return plat_parse_advance(p, error);
    }
    if (!plat_parse_deeper(p, error) || !plat_parse_mark(p, '{', "';' or '{'", error)) {
        return false;
    }
    while (!plat_parse_is_mark(p, '}')) {
        Path inner = {0};
        if (p->token.kind != TOKEN_WORD) {
            return plat_parse_expected(p, "'NAME = VALUE;', 'NAME : TYPE' or '}'", error);
        }
        if (!plat_parse_final(p, error) || !plat_parse_path(p, &inner, error) ||
            !parse_entry_after(p, path, &inner, NULL, error)) {
            return false;
        }
    }
    p->depth--;
    return plat_parse_advance(p, error);
}

/** An assignment: the last name of @p path is the parameter. */
static bool parse_assignment(Parser *p, const Path *scope, const Path *path, GError **error)
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
    add_statement(p, STATEMENT_EDIT)->edit = edit;
    return plat_parse_advance(p, error) && (edit->value = plat_parse_value(p, error)) != NULL &&
           plat_parse_mark(p, ';', "';' after the value", error);
}

/** ":" and a type: a member of the composite (@p own), a slot, or a new type for either. */
static bool parse_typed(Parser *p, const Path *path, bool own, const Grouping *group,
                        GError **error)
{
    TypeRef type = {0};
    if (!plat_parse_advance(p, error) || !plat_parse_type(p, &type, error)) {
        return false;
    }
    uint32_t i = p->composite->statements.n;
    if (own) {
        Statement *s = add_statement(p, STATEMENT_MEMBER);
        s->member.path = (Path *)path;
        s->member.type = type;
        s->member.group = group;
    } else {
        Edit *edit = PLAT_NEW(p->arena, Edit);
        edit->path = *path;
        edit->type = type;
        edit->at = type.at;
        add_statement(p, STATEMENT_EDIT)->edit = edit;
    }
    if (!parse_body(p, path, error)) {
        return false;
    }
    if (own) {
        p->composite->statements.v[i].member.n_body = p->composite->statements.n - i - 1;
    }
    return true;
}

/** What follows a path in a composite (@p scope NULL) or in a body. */
static bool parse_entry_after(Parser *p, const Path *scope, const Path *path, const Grouping *group,
                              GError **error)
{
    if (plat_parse_is_mark(p, '=')) {
        if (group != NULL) {
            return plat_parse_expected(p, "':' and a type: a group holds members", error);
        }
        return parse_assignment(p, scope, path, error);
    }
    if (p->final) {
        return plat_parse_expected(p, "'=': only a parameter's value is final", error);
    }
    Path *whole = join_paths(p, scope, path, error);
    if (whole == NULL) {
        return false;
    }
    if (plat_parse_is_mark(p, ':')) {
        return parse_typed(p, whole, scope == NULL && path->seg.n == 1, group, error);
    }
    if (plat_parse_is_mark(p, '{')) {
        return parse_body(p, whole, error);
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
        add_statement(p, STATEMENT_WIRE)->wire = wire;
    }
    const Loops *loops = NULL;
    if (!plat_parse_loops(p, &loops, error)) {
        return false;
    }
    for (uint32_t i = from; i < p->composite->statements.n; i++) {
        p->composite->statements.v[i].wire->loops = loops;
    }
    return plat_parse_mark(p, ';', loops->list.n == 0 ? "';', 'for' or an arrow" : "';'", error);
}

static bool parse_entry(Parser *p, const Grouping *group, GError **error)
{
    Path *path = PLAT_NEW(p->arena, Path);
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
    return parse_entry_after(p, NULL, path, group, error);
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
    group->mode = plat_parse_is_word(p, "rotate") ? WW_GROUP_ROTATE : WW_GROUP_REPEAT;
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    if (group->mode == WW_GROUP_REPEAT) {
        if (!plat_parse_mark(p, '=', "'=' and how often", error) ||
            (group->repeat = plat_parse_expr(p, error)) == NULL) {
            return false;
        }
    }
    bool block = plat_parse_is_mark(p, '{');
    if (block && !plat_parse_advance(p, error)) {
        return false;
    }
    while (!block || !plat_parse_is_mark(p, '}')) {
        bool inner = plat_parse_is_word(p, "rotate") || plat_parse_is_word(p, "repeat");
        if (!inner && p->token.kind == TOKEN_WORD && is_statement_word(p->token.text)) {
            return plat_parse_expected(p, "a member, 'rotate', 'repeat' or '}'", error);
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

/* ---- declarations -------------------------------------------------------------------------- */

static bool parse_choices(Parser *p, WwParamRow *row, GError **error)
{
    VEC(const char *) names = {0};
    if (!plat_parse_mark(p, '(', "'(' and the choices", error)) {
        return false;
    }
    for (;;) {
        WwLocation at;
        const char *name = NULL;
        if (!plat_parse_name(p, "a choice", &name, &at, error)) {
            return false;
        }
        if (names.n == PLAT_MAX_CHOICES) {
            return FAIL_AT(p, at, NULL, error, "more than %u choices; expected fewer",
                           PLAT_MAX_CHOICES);
        }
        for (uint32_t i = 0; i < names.n; i++) {
            if (strcmp(names.v[i], name) == 0) {
                return FAIL_AT(p, at, NULL, error, "choice '%s' is given twice", name);
            }
        }
        *VEC_ADD(p->arena, &names) = name;
        if (!plat_parse_is_mark(p, '|')) {
            break;
        }
        if (!plat_parse_advance(p, error)) {
            return false;
        }
    }
    *VEC_ADD(p->arena, &names) = NULL;
    row->choices = names.v;
    return plat_parse_mark(p, ')', "'|' or ')'", error);
}

static bool parse_kind(Parser *p, Param *param, GError **error)
{
    uint32_t kind = 0;
    while (kind < G_N_ELEMENTS(kind_words) && !plat_parse_is_word(p, kind_words[kind])) {
        kind++;
    }
    if (kind == G_N_ELEMENTS(kind_words)) {
        const char *near = p->token.kind == TOKEN_WORD
                               ? ww_closest(p->token.text, kind_words, G_N_ELEMENTS(kind_words))
                               : NULL;
        char text[64];
        return FAIL_AT(p, p->token.at, near, error,
                       "%s here; expected bool, uint, u64, real, string, list, choice(a|b) or type "
                       "like FAMILY",
                       plat_token_text(&p->token, text, sizeof text));
    }
    static const WwParamKind kinds[] = {WW_PARAM_BOOL,   WW_PARAM_UINT,   WW_PARAM_U64,
                                        WW_PARAM_REAL,   WW_PARAM_STRING, WW_PARAM_LIST,
                                        WW_PARAM_CHOICE, WW_PARAM_STRING};
    param->row.kind = kinds[kind];
    param->row.unit = "";
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    if (param->row.kind == WW_PARAM_CHOICE) {
        return parse_choices(p, &param->row, error);
    }
    if (strcmp(kind_words[kind], "type") == 0) {
        WwLocation at;
        return plat_parse_word(p, "like", error) &&
               plat_parse_name(p, "a family or a composite", &param->like, &at, error);
    }
    if (p->token.kind == TOKEN_WORD && !plat_parse_is_word(p, "in")) {
        static const char *const units[] = {"cycles", "bytes", "Hz", "entries"};
        for (size_t i = 0; i < G_N_ELEMENTS(units); i++) {
            if (plat_parse_is_word(p, units[i])) {
                param->row.unit = units[i];
                return plat_parse_advance(p, error);
            }
        }
        return plat_parse_expected(p, "a unit (cycles, bytes, Hz, entries), '=', 'in' or ';'",
                                   error);
    }
    return true;
}

static bool parse_param(Parser *p, GError **error)
{
    Param *param = PLAT_NEW(p->arena, Param);
    if (!parse_own_name(p, "the name of a parameter", &param->name, &param->at, error) ||
        !plat_parse_mark(p, ':', "':' and the kind", error) || !parse_kind(p, param, error)) {
        return false;
    }
    param->row.name = param->name;
    param->row.doc = "";
    param->final = p->final;
    p->final = false;
    if (plat_parse_is_mark(p, '=')) {
        if (!plat_parse_advance(p, error) || (param->def = plat_parse_value(p, error)) == NULL) {
            return false;
        }
    }
    if (plat_parse_is_word(p, "in")) {
        WwParamKind k = param->row.kind;
        if (k == WW_PARAM_BOOL || k == WW_PARAM_STRING || k == WW_PARAM_CHOICE) {
            return FAIL_AT(p, p->token.at, NULL, error, "range for '%s', which is not a number",
                           param->name);
        }
        if (!plat_parse_advance(p, error) || (param->min = plat_parse_expr(p, error)) == NULL ||
            !plat_parse_mark(p, MARK_RANGE, "'..'", error) ||
            (param->max = plat_parse_expr(p, error)) == NULL) {
            return false;
        }
    }
    if (p->token.kind == TOKEN_STRING) {
        param->row.doc = p->token.text;
        if (!plat_parse_advance(p, error)) {
            return false;
        }
    }
    add_statement(p, STATEMENT_PARAM)->param = param;
    return plat_parse_mark(p, ';', "'=', 'in', a doc string or ';'", error);
}

static bool parse_port(Parser *p, GError **error)
{
    Boundary *port = PLAT_NEW(p->arena, Boundary);
    if (!parse_own_name(p, "the name of a port", &port->name, &port->at, error) ||
        !plat_parse_mark(p, '=', "'=' and the inner port", error)) {
        return false;
    }
    do {
        if ((port->ends.n != 0 && !plat_parse_advance(p, error)) ||
            !plat_parse_path(p, VEC_ADD(p->arena, &port->ends), error)) {
            return false;
        }
    } while (plat_parse_is_mark(p, ','));
    add_statement(p, STATEMENT_PORT)->port = port;
    return plat_parse_loops(p, &port->loops, error) &&
           plat_parse_mark(p, ';', "',', 'for' or ';'", error);
}

static bool need_machine(Parser *p, WwLocation at, const char *what, GError **error)
{
    return p->composite->machine ||
           FAIL_AT(p, at, NULL, error, "%s in composite '%s'; expected in a machine only", what,
                   p->composite->name);
}

static bool parse_domain(Parser *p, WwLocation at, GError **error)
{
    Domain *domain = PLAT_NEW(p->arena, Domain);
    if (!need_machine(p, at, "clock domain", error) ||
        !plat_parse_name(p, "the name of a clock domain", &domain->name, &domain->at, error) ||
        !plat_parse_mark(p, '=', "'=' and a frequency", error) ||
        (domain->hz = plat_parse_value(p, error)) == NULL) {
        return false;
    }
    add_statement(p, STATEMENT_DOMAIN)->domain = domain;
    return plat_parse_mark(p, ';', "';'", error);
}

static bool parse_phases(Parser *p, WwLocation at, GError **error)
{
    if (!need_machine(p, at, "phases", error)) {
        return false;
    }
    if (p->composite->phases.n != 0) {
        return FAIL_AT(p, at, NULL, error, "'phases' is given twice in machine '%s'",
                       p->composite->name);
    }
    if (!plat_parse_mark(p, '{', "'{'", error)) {
        return false;
    }
    while (!plat_parse_is_mark(p, '}')) {
        if (p->composite->phases.n == PLAT_MAX_DOMAINS) {
            return FAIL_AT(p, p->token.at, NULL, error, "more than %u phases; expected fewer",
                           PLAT_MAX_DOMAINS);
        }
        PhaseDecl *phase = VEC_ADD(p->arena, &p->composite->phases);
        if (!plat_parse_name(p, "the name of a phase or '}'", &phase->name, &phase->at, error) ||
            !plat_parse_mark(p, ':', "':' and a clock domain", error) ||
            !plat_parse_name(p, "a clock domain", &phase->domain, &phase->domain_at, error) ||
            !plat_parse_mark(p, ';', "';'", error)) {
            return false;
        }
    }
    return plat_parse_advance(p, error);
}

static bool parse_doc(Parser *p, WwLocation at, GError **error)
{
    Composite *c = p->composite;
    if (c->doc != NULL) {
        return FAIL_AT(p, at, NULL, error, "'doc' is given twice in '%s'", c->name);
    }
    if (p->token.kind != TOKEN_STRING) {
        return plat_parse_expected(p, "a string", error);
    }
    c->doc = p->token.text;
    return plat_parse_advance(p, error) && plat_parse_mark(p, ';', "';'", error);
}

static bool parse_clock(Parser *p, GError **error)
{
    Composite *c = p->composite;
    if (!plat_parse_name(p, c->machine ? "accelsim or exact" : "a clock domain", &c->clock,
                         &c->clock_at, error)) {
        return false;
    }
    if (c->machine && strcmp(c->clock, "accelsim") != 0 && strcmp(c->clock, "exact") != 0) {
        static const char *const kinds[] = {"accelsim", "exact"};
        return FAIL_AT(p, c->clock_at, ww_closest(c->clock, kinds, 2), error,
                       "clock '%s' in a machine; expected accelsim or exact", c->clock);
    }
    return plat_parse_mark(p, ';', "';'", error);
}

/** `gate;` and `partition;` */
static bool parse_flag(Parser *p, bool *flag, WwLocation at, const char *word, GError **error)
{
    if (p->composite->machine) {
        return FAIL_AT(p, at, NULL, error, "'%s' in a machine; expected in a composite", word);
    }
    *flag = true;
    return plat_parse_mark(p, ';', "';'", error);
}

static bool parse_remove(Parser *p, GError **error)
{
    Path *path = PLAT_NEW(p->arena, Path);
    if (!plat_parse_path(p, path, error)) {
        return false;
    }
    for (uint32_t i = 0; i < path->seg.n; i++) {
        if (path->seg.v[i].index != INDEX_NONE || i > 1) {
            return FAIL_AT(p, path->seg.v[i].at, NULL, error,
                           "'remove' with %s; expected MEMBER or MEMBER.PORT",
                           i > 1 ? "a longer path" : "an index");
        }
    }
    add_statement(p, STATEMENT_REMOVE)->remove = path;
    return plat_parse_mark(p, ';', "';'", error);
}

static bool parse_statement(Parser *p, GError **error)
{
    if (p->token.kind != TOKEN_WORD) {
        return plat_parse_expected(p, "a statement or '}'", error);
    }
    if (!plat_parse_final(p, error)) {
        return false;
    }
    WwLocation at = p->token.at;
    const char *word = p->token.text;
    if (!is_statement_word(word)) {
        return parse_entry(p, NULL, error);
    }
    if (p->final && strcmp(word, "param") != 0) {
        return plat_parse_expected(p, "'param' or NAME = VALUE after 'final'", error);
    }
    if (word[0] == 'r' && strcmp(word, "remove") != 0) {
        return parse_group(p, NULL, error);
    }
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    return strcmp(word, "doc") == 0     ? parse_doc(p, at, error)
           : strcmp(word, "param") == 0 ? parse_param(p, error)
           : strcmp(word, "port") == 0  ? parse_port(p, error)
           : strcmp(word, "clock") == 0 ? parse_clock(p, error)
           : strcmp(word, "gate") == 0  ? parse_flag(p, &p->composite->gated, at, word, error)
           : strcmp(word, "partition") == 0
               ? parse_flag(p, &p->composite->partition, at, word, error)
           : strcmp(word, "domain") == 0 ? parse_domain(p, at, error)
           : strcmp(word, "phases") == 0 ? parse_phases(p, at, error)
                                         : parse_remove(p, error);
}

static bool parse_composite(Parser *p, GError **error)
{
    Composite *c = PLAT_NEW(p->arena, Composite);
    c->machine = plat_parse_is_word(p, "machine");
    p->composite = c;
    if (!plat_parse_advance(p, error) || !parse_own_name(p, "a name", &c->name, &c->at, error)) {
        return false;
    }
    const Composite *other = g_hash_table_lookup(p->platform->by_name, c->name);
    if (other != NULL) {
        return FAIL_AT(p, c->at, NULL, error, "'%s' is declared already in %s:%u", c->name,
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
