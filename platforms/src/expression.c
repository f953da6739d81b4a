/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions: 64-bit integers, and real numbers where one is among them.
 */
#include "elab-priv.h"
#include <math.h>
#include <string.h>

#define MAX_EXPR_DEPTH                                                                             \
    10000u /* one expression can nest 8,192 deep; a level takes some 200 bytes of stack */

static double as_real(const Number *n)
{
    return n->from != NULL ? n->real : (double)n->integer;
}

static bool is_true(const Number *n)
{
    return n->from != NULL ? n->real != 0 : n->integer != 0;
}

/* ---- leaves ---------------------------------------------------------------------------------- */

static bool param_number(WwElaboration *e, const Expr *x, const WwValue *v, Number *out,
                         GError **error)
{
    switch (v->kind) {
    case WW_PARAM_BOOL:
        out->integer = v->b;
        return true;
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        if (v->u <= INT64_MAX) {
            out->integer = (int64_t)v->u;
            return true;
        }
        return ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error,
                         "'%s' is too large to compute with; expected less than 2^63", x->name);
    case WW_PARAM_REAL:
        *out = (Number){.from = x, .real = v->r};
        return true;
    default:
        return ELAB_FAIL(
            e, WW_ERROR_USAGE, x->at, NULL, error,
            "parameter '%s' is not a number; expected one of kind uint, u64, real or bool: "
            "nothing else is computed with",
            x->name);
    }
}

static bool name_number(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, Number *out,
                        GError **error)
{
    for (uint32_t i = vars != NULL ? vars->n : 0; i > 0; i--) {
        if (strcmp(vars->name[i - 1], x->name) == 0) {
            out->integer = vars->value[i - 1];
            return true;
        }
    }
    int i = plat_param(scope->composite, x->name);
    if (i >= 0) {
        return elab_read(e, scope, (uint32_t)i, error) &&
               param_number(e, x, &scope->setting[i].value, out, error);
    }
    const IndexSet *set = plat_set(scope->composite, x->name);
    if (set != NULL) {
        out->integer = set->elements.n;
        return true;
    }
    return ELAB_FAIL(e, WW_ERROR_USAGE, x->at, elab_near_own_param(e, scope, x->name), error,
                     "'%s' has no parameter '%s'; expected a number or a parameter",
                     scope->composite->name, x->name);
}

/* ---- operators ------------------------------------------------------------------------------- */

static bool whole(WwElaboration *e, const Expr *x, int64_t a, int64_t b, int64_t *out,
                  GError **error)
{
    bool overflow = false;
    switch (x->op) {
    case '+':
        overflow = __builtin_add_overflow(a, b, out);
        break;
    case '-':
        overflow = __builtin_sub_overflow(a, b, out);
        break;
    case '*':
        overflow = __builtin_mul_overflow(a, b, out);
        break;
    default:
        ww_assert(b != 0); /* arithmetic() has looked */
        overflow = a == INT64_MIN && b == -1;
        if (!overflow) {
            *out = x->op == '/' ? a / b : a % b;
        }
    }
    return !overflow ||
           ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error, "result beyond 2^63; expected less");
}

static bool real(WwElaboration *e, const Expr *x, double a, double b, double *out, GError **error)
{
    switch (x->op) {
    case '+':
        *out = a + b;
        break;
    case '-':
        *out = a - b;
        break;
    case '*':
        *out = a * b;
        break;
    case '/':
        *out = a / b;
        break;
    default:
        return ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error,
                         "'%%' of a number with a fraction; expected integers");
    }
    return isfinite(*out) || ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error,
                                       "result beyond the range of real numbers; expected less");
}

static bool arithmetic(WwElaboration *e, const Expr *x, const Number *a, const Number *b,
                       Number *out, GError **error)
{
    bool divides = x->op == '/' || x->op == '%';
    if (divides && !is_true(b)) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, x->right->at, NULL, error,
                         "division by zero; expected another divisor");
    }
    out->from = a->from != NULL ? a->from : b->from;
    return out->from != NULL ? real(e, x, as_real(a), as_real(b), &out->real, error)
                             : whole(e, x, a->integer, b->integer, &out->integer, error);
}

/** 1 or 0; what decides alone leaves the other side aside. */
static bool logic(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, Number *out,
                  GError **error)
{
    Number a = {0};
    if (!elab_number(e, scope, vars, x->left, &a, error)) {
        return false;
    }
    if (x->kind == EXPR_NOT || is_true(&a) == (x->op == OP_OR)) {
        out->integer = x->kind == EXPR_NOT ? !is_true(&a) : is_true(&a);
        return true;
    }
    if (!elab_number(e, scope, vars, x->right, &a, error)) {
        return false;
    }
    out->integer = is_true(&a);
    return true;
}

/** -1, 0 or 1: @p a is less than, equal to or more than @p b. */
static int order(const Number *a, const Number *b)
{
    if (a->from != NULL || b->from != NULL) {
        double x = as_real(a), y = as_real(b);
        return (x > y) - (x < y);
    }
    return (a->integer > b->integer) - (a->integer < b->integer);
}

/** Is @p op a comparison? If so, @p out is 1 or 0. */
static bool compare(char op, const Number *a, const Number *b, int64_t *out)
{
    int way = order(a, b);
    switch (op) {
    case '<':
        *out = way < 0;
        return true;
    case '>':
        *out = way > 0;
        return true;
    case OP_MOST:
        *out = way <= 0;
        return true;
    case OP_LEAST:
        *out = way >= 0;
        return true;
    case OP_EQUAL:
        *out = way == 0;
        return true;
    case OP_OTHER:
        *out = way != 0;
        return true;
    default:
        return false;
    }
}

static bool negate(WwElaboration *e, const Expr *x, const Number *a, Number *out, GError **error)
{
    *out = (Number){.from = a->from, .real = -a->real};
    return !__builtin_sub_overflow((int64_t)0, a->integer, &out->integer) ||
           ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error, "result beyond 2^63; expected less");
}

/* ---- all ------------------------------------------------------------------------------------- */

static bool number(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, Number *out,
                   GError **error)
{
    Number a = {0}, b = {0};
    switch (x->kind) {
    case EXPR_INTEGER:
        out->integer = x->integer;
        return true;
    case EXPR_REAL:
        *out = (Number){.from = x, .real = x->real};
        return true;
    case EXPR_NAME:
        return name_number(e, scope, vars, x, out, error);
    case EXPR_NEGATE:
        return elab_number(e, scope, vars, x->left, &a, error) && negate(e, x, &a, out, error);
    case EXPR_NOT:
        return logic(e, scope, vars, x, out, error);
    case EXPR_BINARY:
        if (x->op == OP_OR || x->op == OP_AND) {
            return logic(e, scope, vars, x, out, error);
        }
        return elab_number(e, scope, vars, x->left, &a, error) &&
               elab_number(e, scope, vars, x->right, &b, error) &&
               (compare(x->op, &a, &b, &out->integer) || arithmetic(e, x, &a, &b, out, error));
    case EXPR_WIDE:
        break;
    }
    return ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error,
                     "number too large to compute with; expected less than 2^63");
}

bool elab_number(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, Number *out,
                 GError **error)
{
    if (e->expr_depth == MAX_EXPR_DEPTH) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error,
                         "expressions of parameters nested too deeply; expected simpler ones");
    }
    *out = (Number){0};
    e->expr_depth++;
    bool ok = number(e, scope, vars, x, out, error);
    e->expr_depth--;
    return ok;
}

bool elab_integer(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, int64_t *out,
                  GError **error)
{
    Number n;
    if (!elab_number(e, scope, vars, x, &n, error)) {
        elab_blame_expr(e, scope, x, error);
        return false;
    }
    *out = n.integer;
    if (n.from == NULL) {
        return true;
    }
    if (n.from->kind == EXPR_NAME) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, n.from->at, NULL, error,
                         "parameter '%s' is not an integer; expected one of kind uint, u64 or bool",
                         n.from->name);
    }
    return ELAB_FAIL(e, WW_ERROR_USAGE, n.from->at, NULL, error,
                     "number with a fraction; expected an integer");
}

bool elab_condition(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, bool *out,
                    GError **error)
{
    Number n = {.integer = 1};
    if (x != NULL && !elab_number(e, scope, vars, x, &n, error)) {
        elab_blame_expr(e, scope, x, error);
        return false;
    }
    *out = is_true(&n);
    return true;
}

bool elab_count(WwElaboration *e, Node *scope, const Vars *vars, const Expr *x, int64_t least,
                int64_t most, const char *what, int64_t *out, GError **error)
{
    if (!elab_integer(e, scope, vars, x, out, error)) {
        return false;
    }
    if (*out >= least && *out <= most) {
        return true;
    }
    ELAB_FAIL(e, WW_ERROR_USAGE, x->at, NULL, error, "%s is %lld; expected %lld to %lld", what,
              (long long)*out, (long long)least, (long long)most);
    e->beyond = true;
    elab_blame_expr(e, scope, x, error);
    return false;
}
