/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs a sweep has: the product of its axes, less what its rules leave out. */
#include "sweep-priv.h"

#include <string.h>

struct WwPlan {
    const WwSweep *sweep;
    uint32_t *place;  /* of each run in the whole product */
    uint32_t *stride; /* of each axis there */
    uint32_t n, n_axes;
};

typedef struct Test {
    uint32_t axis;
    bool *fits; /* for each value of it */
} Test;

typedef struct Rule {
    const SweepRule *said;
    Test *tests;
    uint32_t n;
    bool used;
} Rule;

/* ---- rules ------------------------------------------------------------------------------------------------------ */

static bool unknown_axis(const WwSweep *s, const SweepTest *t, GError **error)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (guint i = 0; i < s->axes->len; i++) {
        g_ptr_array_add(names, ((WwSweepAxis *)s->axes->pdata[i])->name);
    }
    if (names->len == 0) {
        return sweep_fail(&t->at, error, "no axis is '%s': there are none; expected axes, too",
                          t->axis);
    }
    const char *near = ww_closest(t->axis, (const char *const *)names->pdata, names->len);
    g_ptr_array_add(names, NULL);
    g_autofree char *all = g_strjoinv(", ", (char **)names->pdata);
    return sweep_fail(&t->at, error, "no axis is '%s'%s%s%s; expected one of: %s", t->axis,
                      near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                      near != NULL ? "'?" : "", all);
}

static bool find_axis(const WwSweep *s, const char *name, uint32_t *axis)
{
    for (guint i = 0; i < s->axes->len; i++) {
        if (strcmp(((WwSweepAxis *)s->axes->pdata[i])->name, name) == 0) {
            *axis = i;
            return true;
        }
    }
    return false;
}

static bool set_test(const WwSweep *s, Test *t, const SweepTest *said, GError **error)
{
    if (!find_axis(s, said->axis, &t->axis)) {
        return unknown_axis(s, said, error);
    }
    const WwSweepAxis *a = s->axes->pdata[t->axis];
    t->fits = g_new0(bool, a->values->len + 1);
    for (char **p = said->patterns; *p != NULL; p++) {
        bool any = false;
        for (guint i = 0; i < a->values->len; i++) {
            const WwSweepValue *v = a->values->pdata[i];
            bool fits = g_pattern_match_simple(*p, v->name);
            t->fits[i] |= fits;
            any |= fits;
        }
        if (!any) {
            return sweep_fail(&said->at, error,
                              "no value of axis '%s' is '%s'; expected the name of "
                              "one, as 'warpwright sweep --list' shows them",
                              said->axis, *p);
        }
    }
    for (guint i = 0; said->differs && i < a->values->len; i++) {
        t->fits[i] = !t->fits[i];
    }
    return true;
}

static void free_rules(Rule *rules, guint n)
{
    for (guint i = 0; i < n; i++) {
        for (uint32_t k = 0; k < rules[i].n; k++) {
            g_free(rules[i].tests[k].fits);
        }
        g_free(rules[i].tests);
    }
    g_free(rules);
}

static bool set_rules(const WwSweep *s, Rule *rules, GError **error)
{
    for (guint i = 0; i < s->rules->len; i++) {
        Rule *r = &rules[i];
        r->said = s->rules->pdata[i];
        r->tests = g_new0(Test, r->said->tests->len);
        r->n = r->said->tests->len;
        for (uint32_t k = 0; k < r->n; k++) {
            if (!set_test(s, &r->tests[k], r->said->tests->pdata[k], error)) {
                return false;
            }
        }
    }
    return true;
}

/* The last rule that fits decides. */
static bool is_in(Rule *rules, guint n, const uint32_t *digits)
{
    bool in = true;
    for (guint i = 0; i < n; i++) {
        bool fits = true;
        for (uint32_t k = 0; fits && k < rules[i].n; k++) {
            fits = rules[i].tests[k].fits[digits[rules[i].tests[k].axis]];
        }
        if (fits) {
            in = rules[i].said->keep;
            rules[i].used = true;
        }
    }
    return in;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static bool count(const WwSweep *s, uint64_t *n, GError **error)
{
    *n = 1;
    for (guint i = 0; i < s->axes->len; i++) {
        WwSweepAxis *a = s->axes->pdata[i];
        if (!sweep_name_values(a, error)) {
            return false;
        }
        if (a->values->len == 0) {
            return sweep_fail(&a->at, error, "axis '%s' has no values; expected at least one",
                              a->name);
        }
        *n *= a->values->len;
        if (*n > WW_SWEEP_MAX_RUNS) {
            return sweep_fail(&a->at, error, "more than %u runs with axis '%s'; expected fewer",
                              WW_SWEEP_MAX_RUNS, a->name);
        }
    }
    return true;
}

static uint32_t n_values(const WwSweep *s, uint32_t axis)
{
    return ((const WwSweepAxis *)s->axes->pdata[axis])->values->len;
}

static void fill(WwPlan *p, Rule *rules, uint32_t all)
{
    const WwSweep *s = p->sweep;
    g_autofree uint32_t *digits = g_new0(uint32_t, p->n_axes + 1);
    for (uint32_t i = 0; i < all; i++) {
        if (is_in(rules, s->rules->len, digits)) {
            p->place[p->n++] = i;
        }
        for (uint32_t a = p->n_axes; a-- > 0;) { /* the last one changes fastest */
            if (++digits[a] < n_values(s, a)) {
                break;
            }
            digits[a] = 0;
        }
    }
}

static void set_strides(WwPlan *p)
{
    p->stride = g_new(uint32_t, p->n_axes + 1);
    p->stride[p->n_axes] = 1;
    for (uint32_t a = p->n_axes; a-- > 0;) {
        p->stride[a] = p->stride[a + 1] * n_values(p->sweep, a);
    }
}

static guint n_traces(const GPtrArray *options)
{
    guint n = 0;
    for (guint i = 0; i < options->len; i++) {
        n += ((WwSweepOption *)options->pdata[i])->word->kind == WW_SWEEP_TRACE;
    }
    return n;
}

/* Can a value of it name a trace? */
static bool names_traces(const WwSweepAxis *a)
{
    for (guint i = 0; i < a->values->len; i++) {
        if (n_traces(((WwSweepValue *)a->values->pdata[i])->options) != 0) {
            return true;
        }
    }
    return false;
}

/* One thing at most says which traces: else one of them would be without effect. */
static bool check_traces(const WwSweep *s, GError **error)
{
    guint said = n_traces(s->options);
    for (guint i = 0; i < s->axes->len; i++) {
        const WwSweepAxis *a = s->axes->pdata[i];
        said += names_traces(a);
        if (said > 1) {
            return sweep_fail(&a->at, error,
                              "axis '%s' says which trace runs, which another line "
                              "says, too; expected one of them",
                              a->name);
        }
    }
    return said <= 1 || ww_fail(error, WW_ERROR_INPUT,
                                "more than one trace for every run; expected an "
                                "axis of traces");
}

static bool check_rules(const Rule *rules, guint n, GError **error)
{
    for (guint i = 0; i < n; i++) {
        if (!rules[i].used) {
            return sweep_fail(&rules[i].said->at, error,
                              "no run is like this; expected tests that "
                              "hold of one run at least");
        }
    }
    return true;
}

WwPlan *ww_plan_new(const WwSweep *s, GError **error)
{
    uint64_t all;
    if (!count(s, &all, error) || !check_traces(s, error)) {
        return NULL;
    }
    Rule *rules = g_new0(Rule, s->rules->len + 1);
    WwPlan *p = g_new0(WwPlan, 1);
    p->sweep = s;
    p->n_axes = s->axes->len;
    p->place = g_new(uint32_t, all);
    set_strides(p);
    bool good = set_rules(s, rules, error);
    if (good) {
        fill(p, rules, (uint32_t)all);
        good = check_rules(rules, s->rules->len, error);
    }
    free_rules(rules, s->rules->len);
    if (good && p->n == 0) {
        good =
            ww_fail(error, WW_ERROR_INPUT, "every run is excluded; expected rules that leave some");
    }
    if (!good) {
        ww_plan_free(p);
        return NULL;
    }
    return p;
}

void ww_plan_free(WwPlan *p)
{
    if (p != NULL) {
        g_free(p->place);
        g_free(p->stride);
        g_free(p);
    }
}

uint32_t ww_plan_n(const WwPlan *p)
{
    return p->n;
}

uint32_t ww_plan_value(const WwPlan *p, uint32_t run, uint32_t axis)
{
    return p->place[run] % p->stride[axis] / p->stride[axis + 1];
}

static void add_options(GPtrArray *all, const GPtrArray *options)
{
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        for (guint k = 0; !o->word->adds_up && k < all->len; k++) {
            if (((const WwSweepOption *)all->pdata[k])->word == o->word) {
                g_ptr_array_remove_index(all, k);
                break;
            }
        }
        g_ptr_array_add(all, (gpointer)o);
    }
}

GPtrArray *ww_plan_options(const WwPlan *p, uint32_t run)
{
    GPtrArray *all = g_ptr_array_new();
    add_options(all, p->sweep->options);
    for (uint32_t a = 0; a < p->n_axes; a++) {
        const WwSweepAxis *axis = p->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(p, run, a)];
        add_options(all, v->options);
    }
    return all;
}

char *ww_plan_text(const WwPlan *p, uint32_t run)
{
    GString *out = g_string_new(NULL);
    for (uint32_t a = 0; a < p->n_axes; a++) {
        const WwSweepAxis *axis = p->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(p, run, a)];
        g_string_append_printf(out, "%s%s=%s", a != 0 ? " " : "", axis->name, v->name);
    }
    return g_string_free(out, false);
}
