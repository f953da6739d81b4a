/* SPDX-License-Identifier: Apache-2.0 */
/** @file What reading the kernel language shares: the parser, its words and expressions (make_expr.c). */
#pragma once

#include "make-priv.h"

typedef enum Token { TOK_END, TOK_LINE, TOK_NUMBER, TOK_WORD, TOK_UPPER, TOK_TEXT, TOK_SIGN } Token;

typedef struct WwMakeParser {
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
} WwMakeParser;

/** Zeroed memory that goes with the program. */
void *ww_make_own(WwMakeParser *p, size_t size);
/** A copy of @p text in such memory. */
char *ww_make_own_text(WwMakeParser *p, const char *text, size_t n);
/** Sets an error: what stands here, and what was expected. Returns false. */
bool ww_make_fail(const WwMakeParser *p, const char *expected, GError **error);
/** Goes to the next token. */
bool ww_make_advance(WwMakeParser *p, GError **error);
/** Is the token @p text? */
bool ww_make_is(const WwMakeParser *p, const char *text);
/** If it is, goes on; *@p good: the next one could be read. */
bool ww_make_take(WwMakeParser *p, const char *text, bool *good, GError **error);
/** It has to be @p text; goes on. */
bool ww_make_need(WwMakeParser *p, const char *text, const char *expected, GError **error);
/** Over empty lines. */
bool ww_make_skip_lines(WwMakeParser *p, GError **error);
/** One level more of blocks or parentheses; not too many. */
bool ww_make_deeper(WwMakeParser *p, GError **error);
/** An expression without parts. */
WwMakeExpr *ww_make_new_expr(WwMakeParser *p, WwMakeOp op, int64_t number);
/** The expression that stands here, or NULL with @p error. */
WwMakeExpr *ww_make_expr(WwMakeParser *p, GError **error);
/** An expression of numbers and names that have a value outside of kernels. */
bool ww_make_number(WwMakeParser *p, int64_t *out, GError **error);
/** Such a one, from @p least to @p most. */
bool ww_make_between(WwMakeParser *p, const char *what, int64_t least, int64_t most, uint64_t *out,
                     GError **error);
/** Makes a variable of the word. */
bool ww_make_add_name(WwMakeParser *p, uint32_t *slot, GError **error);
