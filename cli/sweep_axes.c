/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sets a parameter that more than one part of a sweep sets: the later one counts, so that two axes of one parameter are a table of which an axis
 * means nothing. Names do not tell that, as a parameter has many: a machine is elaborated in which each value says whose it is.
 */
#include "sweep.h"

#include <string.h>

typedef struct Given {
    const WwSweepOption *option;
    int axis; /* -1: of every run */
    bool won; /* it holds for some part */
    const void
        *over; /* const Given *: what holds where it does not; NULL: it is replaced nowhere */
} Given;

/* Options of one run that set parameters. */
static GArray *given_of(const Sweep *s, uint32_t run)
{
    GArray *all = g_array_new(false, false, sizeof(Given));
    for (int axis = -1; axis < (int)s->sweep->axes->len; axis++) {
        const GPtrArray *options = s->sweep->options;
        if (axis >= 0) {
            const WwSweepAxis *a = s->sweep->axes->pdata[axis];
            const WwSweepValue *v = a->values->pdata[ww_plan_value(s->plan, run, (uint32_t)axis)];
            options = v->options;
        }
        for (guint i = 0; i < options->len; i++) {
            const Given given = {.option = options->pdata[i], .axis = axis};
            if (given.option->word->kind == WW_SWEEP_SETTING) {
                g_array_append_val(all, given);
            }
        }
    }
    return all;
}

/* "warps" of "sm.warps=16": where it begins and how long it is. */
static const char *last_word(const WwSweepOption *o, size_t *length)
{
    const char *end = o->value + strcspn(o->value, "=");
    while (end > o->value && g_ascii_isspace(end[-1])) {
        end--;
    }
    const char *at = end;
    while (at > o->value && at[-1] != '.') {
        at--;
    }
    *length = (size_t)(end - at);
    return at;
}

/* May two of different axes, or of one and of every run, be the same parameter? It is called the same at the end. */
static bool may_meet(const GArray *all)
{
    for (guint i = 0; i < all->len; i++) {
        const Given *one = &g_array_index(all, Given, i);
        size_t n, m;
        const char *name = last_word(one->option, &n);
        for (guint k = 0; k < i; k++) {
            const Given *other = &g_array_index(all, Given, k);
            const char *its = last_word(other->option, &m);
            if (one->axis != other->axis && n == m && strncmp(name, its, n) == 0) {
                return true;
            }
        }
    }
    return false;
}

static Given *giver(GArray *all, const WwCause *cause)
{
    return *cause->from == '#'
               ? &g_array_index(all, Given, g_ascii_strtoull(cause->from + 1, NULL, 10))
               : NULL;
}

static void look_at(void *user, const WwSettingInfo *setting)
{
    GArray *all = user;
    Given *winner = setting->cause != NULL ? giver(all, setting->cause) : NULL;
    if (winner == NULL) {
        return;
    }
    winner->won = true;
    for (const WwCause *c = setting->cause->over; c != NULL; c = c->over) {
        Given *g = giver(all, c);
        if (g != NULL && g->axis != winner->axis) {
            g->over = winner;
        }
    }
}

/* False: the machine cannot be made, which is told elsewhere. */
static bool find_winners(const Sweep *s, uint32_t run, GArray *all)
{
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    CliSetup setup = {0};
    bool good = sweep_set_up(&setup, &s->runs[run], options, NULL);
    for (guint i = 0; good && i < all->len; i++) {
        g_autofree char *number = g_strdup_printf("#%u", i);
        good = ww_overrides_add_text(setup.overrides, g_array_index(all, Given, i).option->value,
                                     g_intern_string(number), NULL);
    }
    good = good && cli_setup_machine(&setup, NULL);
    if (good) {
        ww_elaboration_each(setup.elaboration, NULL, look_at, all);
    }
    cli_setup_clear(&setup);
    return good;
}

static bool fail_two(const Sweep *s, const Given *one, const Given *other, GError **error)
{
    const WwSweepAxis *a = s->sweep->axes->pdata[one->axis],
                      *b = s->sweep->axes->pdata[other->axis];
    g_autofree char *at = sweep_place(b->at), *first = sweep_place(a->at);
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: axis '%s' sets '%.*s', which axis '%s' (%s) sets as '%.*s'; expected one "
                   "axis for a parameter",
                   at, b->name, (int)strcspn(other->option->value, "="), other->option->value,
                   a->name, first, (int)strcspn(one->option->value, "="), one->option->value);
}

/* What is said for every run and holds in none of those that were looked at. */
static void keep_replaced(const Sweep *s, const Given *g, SweepReplaced *r)
{
    const Given *by = g->over;
    if (g->won) {
        g_hash_table_add(r->won, (gpointer)g->option);
    } else if (by != NULL && !g_hash_table_contains(r->notes, g->option)) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[by->axis];
        g_autofree char *at = sweep_place(g->option->at), *its = sweep_place(axis->at);
        g_hash_table_insert(r->notes, (gpointer)g->option,
                            g_strdup_printf("%s%s '%s' changes nothing: axis '%s' (%s) sets it", at,
                                            g->option->at.line != 0 ? ":" : "", g->option->value,
                                            axis->name, its));
    }
}

bool sweep_try_axes(const Sweep *s, uint32_t run, SweepReplaced *replaced, GError **error)
{
    g_autoptr(GArray) all = given_of(s, run);
    bool looked = may_meet(all) && find_winners(s, run, all);
    for (guint i = 0; i < all->len; i++) {
        Given *g = &g_array_index(all, Given, i);
        const Given *by = g->over;
        g->won |= !looked;
        if (g->axis < 0) {
            keep_replaced(s, g, replaced);
        } else if (!g->won && by != NULL) {
            return fail_two(s, g, by, error);
        }
    }
    return true;
}

void sweep_replaced_init(SweepReplaced *r)
{
    r->won = g_hash_table_new(NULL, NULL);
    r->notes = g_hash_table_new_full(NULL, NULL, NULL, g_free);
}

void sweep_replaced_tell(const Sweep *s, SweepReplaced *r)
{
    for (guint i = 0; s != NULL && i < s->sweep->options->len; i++) {
        const WwSweepOption *o = s->sweep->options->pdata[i];
        const char *note = g_hash_table_lookup(r->notes, o);
        if (note != NULL && !g_hash_table_contains(r->won, o)) {
            cli_say("note: ", note);
        }
    }
    g_hash_table_unref(r->won);
    g_hash_table_unref(r->notes);
}
