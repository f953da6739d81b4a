/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a database says of runs that shall be done: which are there, and how long and large those were that are like them. A run like another has the
 * same values of all axes (its inputs have changed since), or the same trace; of others the size of the trace says something.
 */
#include "sweep.h"

#include <math.h>
#include <string.h>

#define START_S 0.03 /* of a run, before its first tick */
#define BYTE_S 2e-8  /* of a trace's text */
#define MARGIN 1.1   /* of memory, above what a run needed before */

typedef struct Earlier {
    WwDbState state;
    double seconds;  /* sums */
    uint64_t memory; /* the most */
    uint32_t n;
    uint64_t number;
    char *key, *text; /* of its axes */
} Earlier;

typedef struct Reading {
    Sweep *s;
    GHashTable *states;  /* key -> Earlier, of the experiment */
    GHashTable *times;   /* text of all axes, or "\1" and the trace's name -> Earlier */
    GHashTable *planned; /* keys of the plan */
    const char *trace_axis;
} Reading;

static void free_earlier(gpointer data)
{
    Earlier *e = data;
    g_free(e->key);
    g_free(e->text);
    g_free(e);
}

static Earlier *entry(GHashTable *table, char *key)
{
    Earlier *e = g_hash_table_lookup(table, key);
    if (e == NULL) {
        e = g_new0(Earlier, 1);
        g_hash_table_insert(table, key, e);
    } else {
        g_free(key);
    }
    return e;
}

static void count(GHashTable *table, char *key, const WwDbRun *run)
{
    Earlier *e = entry(table, key);
    if (run->state != WW_DB_DONE || !(run->seconds > 0)) {
        return;
    }
    e->n++;
    e->seconds += run->seconds;
    e->memory = MAX(e->memory, run->memory);
}

static const char *trace_axis(const WwSweep *s)
{
    for (guint i = 0; i < s->axes->len; i++) {
        const WwSweepAxis *a = s->axes->pdata[i];
        const WwSweepValue *v = a->values->pdata[0];
        for (guint k = 0; k < v->options->len; k++) {
            if (((const WwSweepOption *)v->options->pdata[k])->word->kind == WW_SWEEP_TRACE) {
                return a->name;
            }
        }
    }
    return NULL;
}

static char *axes_text(const WwDbRun *run)
{
    GString *out = g_string_new(NULL);
    for (uint32_t i = 0; i < run->n_axes; i++) {
        g_string_append_printf(out, "%s%s=%s", i != 0 ? " " : "", run->axes[i].name,
                               run->axes[i].value);
    }
    return g_string_free(out, false);
}

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    Reading *r = user;
    char *text = axes_text(run);
    if (strcmp(experiment, sweep_name(r->s)) == 0) {
        Earlier *e = entry(r->states, g_strdup(run->key));
        if (e->key == NULL || run->state > e->state) { /* several databases may have it */
            g_free(e->key);
            g_free(e->text);
            e->state = run->state;
            e->number = run->number;
            e->key = g_strdup(run->key);
            e->text = g_strdup(text);
        }
        Earlier *same = entry(r->times, g_strdup(text));
        if (same->key == NULL) {
            same->key = g_strdup(run->key);
        }
    }
    count(r->times, text, run);
    for (uint32_t i = 0; r->trace_axis != NULL && i < run->n_axes; i++) {
        if (strcmp(run->axes[i].name, r->trace_axis) == 0) {
            count(r->times, g_strconcat("\1", run->axes[i].value, NULL), run);
        }
    }
    return true;
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static double by_size(const SweepRun *r)
{
    return START_S + BYTE_S * (double)r->trace_bytes;
}

static const Earlier *like(const Reading *r, uint32_t run)
{
    const Sweep *s = r->s;
    g_autofree char *text = ww_plan_text(s->plan, run);
    const Earlier *e = g_hash_table_lookup(r->times, text);
    for (guint i = 0; (e == NULL || e->n == 0) && r->trace_axis != NULL && i < s->sweep->axes->len;
         i++) {
        const WwSweepAxis *a = s->sweep->axes->pdata[i];
        if (strcmp(a->name, r->trace_axis) == 0) {
            const WwSweepValue *v = a->values->pdata[ww_plan_value(s->plan, run, i)];
            g_autofree char *key = g_strconcat("\1", v->name, NULL);
            e = g_hash_table_lookup(r->times, key);
        }
    }
    return e != NULL && e->n != 0 ? e : NULL;
}

static void set_state(const Reading *r, uint32_t run)
{
    SweepRun *x = &r->s->runs[run];
    const Earlier *e = g_hash_table_lookup(r->states, x->key);
    if (!sweep_has(r->s, run)) {
        return;
    }
    g_autofree char *text = ww_plan_text(r->s->plan, run);
    sweep_set(r->s, run, SWEEP_TO_DO); /* it may have been read before */
    x->renamed = false;
    x->before = NULL;
    if (e != NULL) {
        x->renamed = e->number != run + 1 || strcmp(e->text, text) != 0;
        bool again = e->state == WW_DB_RUNNING || (e->state == WW_DB_FAILED && r->s->retry);
        sweep_set(r->s, run,
                  again                    ? SWEEP_TO_DO
                  : e->state == WW_DB_DONE ? SWEEP_DONE
                                           : SWEEP_FAILED);
        return;
    }
    const Earlier *old = g_hash_table_lookup(r->times, text);
    bool replaced = old != NULL && old->key != NULL && r->s->tasks == NULL &&
                    !g_hash_table_contains(r->planned, old->key);
    x->before = replaced ? old->key : NULL;
}

/* Runs of which nothing is known are to the known ones as their sizes are. */
static double scale_of(const Sweep *s)
{
    double known = 0, guessed = 0;
    for (uint32_t i = s->first; i < s->last; i++) {
        if (s->runs[i].state != SWEEP_OUT && !s->runs[i].guessed) {
            known += s->runs[i].expected;
            guessed += by_size(&s->runs[i]);
        }
    }
    return guessed > 0 && known > 0 ? known / guessed : 1;
}

static void expect(const Reading *r)
{
    Sweep *s = r->s;
    for (uint32_t i = s->first; i < s->last; i++) {
        SweepRun *x = &s->runs[i];
        const Earlier *e = like(r, i);
        x->guessed = e == NULL;
        x->expected = e != NULL ? e->seconds / e->n : 0;
        x->memory = MIN(SWEEP_GUESS_BYTES, s->memory);
        if (e != NULL && e->memory != 0) {
            uint64_t with_margin = (uint64_t)((double)e->memory * MARGIN);
            x->memory = e->memory <= s->memory ? MIN(with_margin, s->memory) : e->memory;
        }
    }
    double scale = scale_of(s);
    s->n_known = 0;
    for (uint32_t i = s->first; i < s->last; i++) {
        SweepRun *x = &s->runs[i];
        s->n_known += !x->guessed && x->state == SWEEP_TO_DO;
        x->expected = x->guessed ? by_size(x) * scale : x->expected;
    }
}

bool sweep_each_run(const Sweep *s, const char *experiment, WwDbRunFn fn, void *user,
                    GError **error)
{
    if (s->db != NULL && !ww_db_each_run(s->db, experiment, fn, user, error)) {
        return false;
    }
    for (guint i = 0; s->others != NULL && i < s->others->len; i++) {
        g_autoptr(GError) why = NULL;
        g_autoptr(WwDb) db = ww_db_open(s->others->pdata[i], WW_DB_READ, &why);
        if (db == NULL || !ww_db_each_run(db, experiment, fn, user, &why)) {
            g_autofree char *text = g_strdup_printf("%s: left out", why->message);
            cli_say("note: ", text);
        }
    }
    return true;
}

bool sweep_read_earlier(Sweep *s, GError **error)
{
    Reading r = {.s = s,
                 .states = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_earlier),
                 .times = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_earlier),
                 .planned = g_hash_table_new(g_str_hash, g_str_equal),
                 .trace_axis = trace_axis(s->sweep)};
    g_clear_pointer(&s->earlier, g_hash_table_unref);
    s->earlier = r.times;
    for (uint32_t i = s->first; i < s->last; i++) {
        g_hash_table_add(r.planned, s->runs[i].key);
    }
    bool good = sweep_each_run(s, NULL, on_run, &r, error);
    for (uint32_t i = s->first; good && i < s->last; i++) {
        set_state(&r, i);
    }
    if (good) {
        expect(&r);
    }
    g_hash_table_unref(r.states);
    g_hash_table_unref(r.planned);
    return good;
}

double sweep_work(const Sweep *s)
{
    double sum = 0;
    for (uint32_t i = s->first; i < s->last; i++) {
        const SweepRun *x = &s->runs[i];
        sum += x->state == SWEEP_TO_DO ? x->expected * x->cores : 0;
    }
    return sum;
}

double sweep_estimate(const Sweep *s)
{
    double sum = 0, longest = 0;
    for (uint32_t i = s->first; i < s->last; i++) {
        const SweepRun *x = &s->runs[i];
        if (x->state == SWEEP_TO_DO || x->state == SWEEP_RUNNING) {
            sum += x->expected * x->cores;
            longest = fmax(longest, x->expected);
        }
    }
    return fmax(longest, sum / s->cores);
}
