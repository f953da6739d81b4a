/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is noted of the runs of a sweep, which nobody sees on the way: each note once, with the runs that it is of. Where it names the parameter that an
 * axis sets, it is one note for all values of the axis.
 */
#include "sweep.h"

#include <string.h>

#define MOST_TOLD 20u
#define MOST_VALUES 4u /* of an axis that are named */

typedef struct Noted {
    char *text;
    GArray *runs; /* uint32_t */
} Noted;

static void free_noted(gpointer data)
{
    Noted *n = data;
    g_free(n->text);
    g_array_unref(n->runs);
    g_free(n);
}

char *sweep_note_of_all(const Sweep *s, uint32_t run, const char *note)
{
    g_autoptr(GString) text = g_string_new(note);
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        for (guint i = 0; i < v->options->len; i++) {
            const WwSweepOption *o = v->options->pdata[i];
            if (o->word->kind == WW_SWEEP_SETTING) {
                g_autofree char *own = g_strconcat(o->value, "'", NULL), /* all of what is quoted */
                    *any = g_strdup_printf("%.*s=...'", (int)strcspn(o->value, "="), o->value);
                g_string_replace(text, own, any, 0);
            }
        }
    }
    return g_string_free(g_steal_pointer(&text), false);
}

void sweep_note(Sweep *s, uint32_t run, const char *lines)
{
    g_auto(GStrv) notes = g_strsplit(lines, "\n", -1);
    if (s->noted == NULL) {
        s->noted = g_ptr_array_new_with_free_func(free_noted);
    }
    for (char **n = notes; *n != NULL; n++) {
        g_autofree char *text = sweep_note_of_all(s, run, *n);
        Noted *found = NULL;
        for (guint i = 0; i < s->noted->len && found == NULL; i++) {
            Noted *at = s->noted->pdata[i];
            found = strcmp(at->text, text) == 0 ? at : NULL;
        }
        if (found == NULL && *text != '\0') {
            found = g_new0(Noted, 1);
            found->text = g_steal_pointer(&text);
            found->runs = g_array_new(false, false, sizeof run);
            g_ptr_array_add(s->noted, found);
        }
        if (found != NULL) {
            g_array_append_val(found->runs, run);
        }
    }
}

/* " config=rtx3070,titanv" where these runs have some of the values of an axis and others have the rest. */
static void add_values(const Sweep *s, const Noted *n, guint a, GString *out)
{
    const WwSweepAxis *axis = s->sweep->axes->pdata[a];
    g_autofree bool *own = g_new0(bool, axis->values->len + 1),
                    *all = g_new0(bool, axis->values->len + 1);
    uint32_t n_own = 0, n_all = 0;
    for (guint i = 0; i < n->runs->len; i++) {
        own[ww_plan_value(s->plan, g_array_index(n->runs, uint32_t, i), a)] = true;
    }
    for (uint32_t i = s->first; i < s->last; i++) {
        all[ww_plan_value(s->plan, i, a)] |= sweep_has(s, i);
    }
    for (guint i = 0; i < axis->values->len; i++) {
        n_own += own[i];
        n_all += all[i];
    }
    for (guint i = 0, k = 0; n_own < n_all && n_own <= MOST_VALUES && i < axis->values->len; i++) {
        if (own[i]) {
            const WwSweepValue *v = axis->values->pdata[i];
            g_string_append_printf(out, "%s%s%s", k == 0 ? (out->len != 0 ? " " : "") : ",",
                                   k == 0 ? axis->name : "", k == 0 ? "=" : "");
            g_string_append(out, v->name);
            k++;
        }
    }
}

void sweep_tell_notes(Sweep *s)
{
    uint32_t n = 0;
    for (guint i = 0; s->noted != NULL && i < s->noted->len; i++) {
        const Noted *note = s->noted->pdata[i];
        gpointer before = s->told != NULL ? g_hash_table_lookup(s->told, note->text) : NULL;
        if (GPOINTER_TO_UINT(before) == note->runs->len || n++ >= MOST_TOLD) {
            continue;
        }
        g_autoptr(GString) values = g_string_new(NULL);
        for (guint a = 0; a < s->sweep->axes->len; a++) {
            add_values(s, note, a, values);
        }
        fflush(stdout);
        g_autofree char *line =
            g_strdup_printf("%u of %u %s%s%s%s: %s", note->runs->len, sweep_all(s),
                            WW_PLURAL(sweep_all(s), "run", "runs"), values->len != 0 ? " (" : "",
                            values->str, values->len != 0 ? ")" : "", note->text);
        cli_say("note: ", line);
        if (s->told == NULL) {
            s->told = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        }
        g_hash_table_insert(s->told, g_strdup(note->text), GUINT_TO_POINTER(note->runs->len));
    }
    if (n > MOST_TOLD) {
        g_autofree char *more = g_strdup_printf(
            "%u %s more; the database has them ('warpwright db list -e %s')", n - MOST_TOLD,
            WW_PLURAL(n - MOST_TOLD, "note", "notes"), sweep_name(s));
        cli_say("note: ", more);
    }
    g_clear_pointer(&s->noted, g_ptr_array_unref);
}

typedef struct Reading {
    Sweep *s;
    GHashTable *numbers; /* key -> number of the run, from 1 */
} Reading;

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    Reading *r = user;
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(r->numbers, run->key));
    if (number != 0 && run->notes != NULL) {
        g_hash_table_remove(r->numbers, run->key); /* two databases may have it */
        sweep_note(r->s, number - 1, run->notes);
    }
    return true;
}

bool sweep_tell_noted(Sweep *s, GError **error)
{
    Reading r = {.s = s, .numbers = g_hash_table_new(g_str_hash, g_str_equal)};
    for (uint32_t i = s->first; i < s->last; i++) {
        if (sweep_has(s, i)) {
            g_hash_table_insert(r.numbers, s->runs[i].key, GUINT_TO_POINTER(i + 1));
        }
    }
    bool good = sweep_each_run(s, sweep_name(s), on_run, &r, error);
    g_hash_table_unref(r.numbers);
    if (good) {
        sweep_tell_notes(s);
    }
    return good;
}
