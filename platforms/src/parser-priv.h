/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The parser's state and small steps, shared by parser.c (entries), parse-declarations.c and parse-values.c
 * (expressions, values, paths).
 */
#pragma once

#include "platform-priv.h"

typedef struct Parser {
    WwPlatform *platform;
    Arena *arena;
    Lexer lexer;
    Token token;
    uint32_t depth;
    bool final;               /**< Before the assignment or parameter in hand. */
    WwLocation braces, cases; /**< The first in the statement in hand; line 0: none yet. */
    Composite *composite;
} Parser;

#define FAIL_AT(p, at, near, error, ...)                                                           \
    plat_fail(&(p)->platform->sources, WW_ERROR_INPUT, (at), (near), (error), __VA_ARGS__)

/** "X here; expected Y". */
bool plat_parse_expected(Parser *p, const char *expected, GError **error);
bool plat_parse_advance(Parser *p, GError **error);
bool plat_parse_is_mark(const Parser *p, int mark);
bool plat_parse_is_word(const Parser *p, const char *word);
bool plat_parse_mark(Parser *p, int mark, const char *expected, GError **error);
bool plat_parse_word(Parser *p, const char *word, GError **error);
bool plat_parse_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                     GError **error);
/** The same, also with "{NAME}" in it. */
bool plat_parse_any_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                         GError **error);
/**
 * Takes the word `final` before a name: elsewhere it is an ordinary name. What follows must be a
 * parameter's value.
 */
bool plat_parse_final(Parser *p, GError **error);
/** Counts a level of nesting. */
bool plat_parse_deeper(Parser *p, GError **error);

const Expr *plat_parse_expr(Parser *p, GError **error);
const Value *plat_parse_value(Parser *p, GError **error);
bool plat_parse_path(Parser *p, Path *path, GError **error);
/** The end of a statement: loops and condition. */
bool plat_parse_loops(Parser *p, const Loops **out, GError **error);
/** The end of a statement that has neither: no name in braces may be in it. */
bool plat_parse_plain(Parser *p, GError **error);
bool plat_parse_items(Parser *p, IndexItems *items, GError **error);
bool plat_parse_type(Parser *p, TypeRef *type, GError **error);

bool plat_is_statement_word(const char *word);
/** A name that a composite declares: not one of the words that open its statements. */
bool plat_parse_own_name(Parser *p, const char *expected, const char **name, WwLocation *at,
                         GError **error);
Statement *plat_add_statement(Parser *p, StatementKind kind);
/** A statement that @p word, which is the token here, opens; entries and groups aside. */
bool plat_parse_declaration(Parser *p, const char *word, WwLocation at, GError **error);
