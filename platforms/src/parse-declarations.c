/* SPDX-License-Identifier: Apache-2.0 */
/* Statements that one of their words opens: parameters, ports, index sets, what a machine declares. */
#include "parser-priv.h"
#include <string.h>

static const char *const kind_words[] = {"bool",   "uint", "u64",    "real",
                                         "string", "list", "choice", "type"};

bool plat_parse_own_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                         GError **error)
{
    if (p->token.kind == TOKEN_WORD && plat_is_statement_word(p->token.text)) {
        return FAIL_AT(p, p->token.at, NULL, error, "'%s' is a word of the language; expected %s",
                       p->token.text, expected);
    }
    return plat_parse_any_name(p, expected, name, at, error);
}

Statement *plat_add_statement(Parser *p, StatementKind kind)
{
    Statement *s = VEC_ADD(p->arena, &p->composite->statements);
    s->kind = kind;
    return s;
}

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
                return FAIL_AT(p, at, NULL, error, "choice '%s' is given twice; expected each once",
                               name);
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
    if (!plat_parse_own_name(p, "the name of a parameter", &param->name, &param->at, error) ||
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
            return FAIL_AT(p, p->token.at, NULL, error,
                           "range for '%s', which is not a number; expected none", param->name);
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
    Statement *s = plat_add_statement(p, STATEMENT_PARAM);
    s->param = param;
    if (!plat_parse_loops(p, &s->tail, error)) {
        return false;
    }
    if (s->tail->list.n != s->tail->n_sets || s->tail->cond != NULL) {
        return FAIL_AT(
            p, s->tail->cond != NULL ? s->tail->cond_at : s->tail->list.v[s->tail->n_sets].at, NULL,
            error, "%s behind a parameter; expected a loop over an index set",
            s->tail->cond != NULL ? "a condition" : "a loop over numbers");
    }
    return plat_parse_mark(p, ';', "'=', 'in', a doc string, 'for' or ';'", error);
}

static bool parse_port(Parser *p, GError **error)
{
    Boundary *port = PLAT_NEW(p->arena, Boundary);
    if (!plat_parse_own_name(p, "the name of a port", &port->name, &port->at, error) ||
        !plat_parse_mark(p, '=', "'=' and the inner port", error)) {
        return false;
    }
    do {
        if ((port->ends.n != 0 && !plat_parse_advance(p, error)) ||
            !plat_parse_path(p, VEC_ADD(p->arena, &port->ends), error)) {
            return false;
        }
    } while (plat_parse_is_mark(p, ','));
    Statement *s = plat_add_statement(p, STATEMENT_PORT);
    s->port = port;
    if (!plat_parse_loops(p, &port->loops, error)) {
        return false;
    }
    s->tail = port->loops;
    return plat_parse_mark(p, ';', "',', 'for', 'if' or ';'", error);
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
    plat_add_statement(p, STATEMENT_DOMAIN)->domain = domain;
    return plat_parse_plain(p, error) && plat_parse_mark(p, ';', "';'", error);
}

static bool parse_phases(Parser *p, WwLocation at, GError **error)
{
    if (!need_machine(p, at, "phases", error)) {
        return false;
    }
    if (p->composite->phases.n != 0) {
        return FAIL_AT(p, at, NULL, error,
                       "'phases' is given twice in machine '%s'; expected it once",
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
        return FAIL_AT(p, at, NULL, error, "'doc' is given twice in '%s'; expected it once",
                       c->name);
    }
    if (p->token.kind != TOKEN_STRING) {
        return plat_parse_expected(p, "a string", error);
    }
    c->doc = p->token.text;
    return plat_parse_advance(p, error) && plat_parse_mark(p, ';', "';'", error);
}

static bool parse_clock(Parser *p, WwLocation at, GError **error)
{
    Composite *c = p->composite;
    if (!c->machine) {
        return FAIL_AT(p, at, NULL, error,
                       "'clock' in composite '%s'; expected none: what is in it runs in the clock "
                       "domains of its phases, which the machine declares",
                       c->name);
    }
    if (c->clock != NULL) {
        return FAIL_AT(p, at, NULL, error,
                       "'clock' is given twice in machine '%s'; expected it once", c->name);
    }
    if (!plat_parse_name(p, "accelsim or exact", &c->clock, &c->clock_at, error)) {
        return false;
    }
    if (strcmp(c->clock, "accelsim") != 0 && strcmp(c->clock, "exact") != 0) {
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
    if (*flag) {
        return FAIL_AT(p, at, NULL, error, "'%s' is given twice in '%s'; expected it once", word,
                       p->composite->name);
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
    Statement *s = plat_add_statement(p, STATEMENT_REMOVE);
    s->remove = path;
    if (!plat_parse_loops(p, &s->tail, error)) {
        return false;
    }
    if (s->tail->list.n != s->tail->n_sets || s->tail->cond != NULL) {
        return FAIL_AT(
            p, s->tail->cond != NULL ? s->tail->cond_at : s->tail->list.v[s->tail->n_sets].at, NULL,
            error, "%s behind 'remove'; expected a loop over an index set",
            s->tail->cond != NULL ? "a condition" : "a loop over numbers");
    }
    return plat_parse_mark(p, ';', "';'", error);
}

static bool parse_index(Parser *p, GError **error)
{
    IndexDecl *index = VEC_ADD(p->arena, &p->composite->indexes);
    const char *expected = "'=' or '+=' and the elements";
    if (!plat_parse_name(p, "the name of an index set", &index->name, &index->at, error)) {
        return false;
    }
    index->more = plat_parse_is_mark(p, '+');
    if ((index->more && !plat_parse_advance(p, error)) ||
        !plat_parse_mark(p, '=', expected, error) || !plat_parse_items(p, &index->items, error)) {
        return false;
    }
    return plat_parse_mark(p, ';', "',' or ';'", error);
}

bool plat_parse_declaration(Parser *p, const char *word, WwLocation at, GError **error)
{
    if (!plat_parse_advance(p, error)) {
        return false;
    }
    return strcmp(word, "doc") == 0     ? parse_doc(p, at, error)
           : strcmp(word, "index") == 0 ? parse_index(p, error)
           : strcmp(word, "param") == 0 ? parse_param(p, error)
           : strcmp(word, "port") == 0  ? parse_port(p, error)
           : strcmp(word, "clock") == 0 ? parse_clock(p, at, error)
           : strcmp(word, "gate") == 0  ? parse_flag(p, &p->composite->gated, at, word, error)
           : strcmp(word, "partition") == 0
               ? parse_flag(p, &p->composite->partition, at, word, error)
           : strcmp(word, "domain") == 0 ? parse_domain(p, at, error)
           : strcmp(word, "phases") == 0 ? parse_phases(p, at, error)
                                         : parse_remove(p, error);
}
