/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep and its parts, as objects. */
#include "sweep-priv.h"

#include <stdarg.h>

bool sweep_fail(const WwLocation *at, GError **error, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    if (at->line == 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: %s", at->file, text);
    }
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u:%u: %s", at->file, at->line, at->column, text);
}

static void free_option(gpointer data)
{
    WwSweepOption *o = data;
    g_free(o->value);
    g_free(o);
}

WwSweepOption *sweep_option_new(const WwSweepWord *word, const char *value, const WwLocation *at)
{
    WwSweepOption *o = g_new0(WwSweepOption, 1);
    o->word = word;
    o->value = g_strdup(value);
    o->at = *at;
    return o;
}

static void free_value(gpointer data)
{
    WwSweepValue *v = data;
    g_free(v->name);
    g_ptr_array_unref(v->options);
    g_free(v);
}

WwSweepValue *sweep_value_new(const char *name, const WwLocation *at)
{
    WwSweepValue *v = g_new0(WwSweepValue, 1);
    v->name = g_strdup(name);
    v->options = g_ptr_array_new_with_free_func(free_option);
    v->at = *at;
    return v;
}

static void free_axis(gpointer data)
{
    WwSweepAxis *a = data;
    g_free(a->name);
    g_ptr_array_unref(a->values);
    g_free(a);
}

WwSweepAxis *sweep_axis_new(const char *name, const WwLocation *at)
{
    WwSweepAxis *a = g_new0(WwSweepAxis, 1);
    a->name = g_strdup(name);
    a->values = g_ptr_array_new_with_free_func(free_value);
    a->at = *at;
    return a;
}

static void free_test(gpointer data)
{
    SweepTest *t = data;
    g_free(t->axis);
    g_strfreev(t->patterns);
    g_free(t);
}

SweepRule *sweep_rule_new(bool keep, const WwLocation *at)
{
    SweepRule *r = g_new0(SweepRule, 1);
    r->keep = keep;
    r->tests = g_ptr_array_new_with_free_func(free_test);
    r->at = *at;
    return r;
}

static void free_rule(gpointer data)
{
    SweepRule *r = data;
    g_ptr_array_unref(r->tests);
    g_free(r);
}

WwSweep *ww_sweep_new(void)
{
    WwSweep *s = g_new0(WwSweep, 1);
    s->options = g_ptr_array_new_with_free_func(free_option);
    s->axes = g_ptr_array_new_with_free_func(free_axis);
    s->rules = g_ptr_array_new_with_free_func(free_rule);
    s->slurm = g_ptr_array_new_with_free_func(g_free);
    s->files = g_ptr_array_new_with_free_func(g_free);
    return s;
}

void ww_sweep_free(WwSweep *s)
{
    if (s != NULL) {
        g_free(s->experiment);
        g_free(s->text);
        g_ptr_array_unref(s->options);
        g_ptr_array_unref(s->axes);
        g_ptr_array_unref(s->rules);
        g_ptr_array_unref(s->slurm);
        g_ptr_array_unref(s->files);
        g_free(s);
    }
}
