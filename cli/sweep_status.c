/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright sweep --status`: what runs now and why runs failed, as the database has it. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Status {
    const Sweep *s;
    GHashTable *numbers; /* key -> number of the run, from 1; those that are told go */
    WwDbState state;     /* that is told now */
    uint32_t n;
} Status;

static char *why_of(const WwDbRun *run)
{
    return cli_visible(run->error != NULL ? run->error : "no word why");
}

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    Status *x = user;
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(x->numbers, run->key));
    if (number == 0 || run->state != x->state) {
        return true;
    }
    SweepState state = x->s->runs[number - 1].state; /* by all databases */
    if (state == SWEEP_DONE || (state == SWEEP_FAILED && run->state == WW_DB_RUNNING)) {
        return true;
    }
    g_hash_table_remove(x->numbers, run->key);
    if (x->n++ == 0) {
        printf(run->state == WW_DB_FAILED ? "failed\n" : "running, or ended with its sweep\n");
    }
    g_autofree char *plain = ww_plan_text(x->s->plan, number - 1), *text = cli_visible(plain);
    if (run->state == WW_DB_FAILED) {
        g_autofree char *why = why_of(run);
        printf("  %u  %s: %s\n", number, text, why);
    } else {
        g_autofree char *host = cli_visible(run->host != NULL ? run->host : "");
        g_autofree char *since = sweep_duration((double)(time(NULL) - run->start));
        printf("  %u  %s: begun %s ago%s%s\n", number, text, since, *host != '\0' ? " on " : "",
               host);
    }
    return !cli_process_unheard();
}

/* ---- a whole database -------------------------------------------------------------------------------------------- */

static bool on_experiment(void *user, const WwDbExperiment *e)
{
    uint64_t *failed = user;
    g_autofree char *name = cli_visible(e->name), *done = cli_grouped(e->done),
                    *time = sweep_duration(e->seconds);
    printf("%s: %s %s done", name, done, WW_PLURAL(e->done, "run", "runs"));
    if (e->seconds > 0) { /* those that were imported do not say */
        printf(" in %s", time);
    }
    if (e->failed != 0) {
        printf(", %" G_GUINT64_FORMAT " failed", e->failed);
    }
    if (e->running != 0) {
        printf(", %" G_GUINT64_FORMAT " running, or ended with their sweep", e->running);
    }
    putchar('\n');
    *failed += e->failed;
    return !cli_process_unheard();
}

static bool on_failure(void *user, const char *experiment, const WwDbRun *run)
{
    if (run->state == WW_DB_FAILED) {
        g_autoptr(GString) line = g_string_new(NULL);
        g_string_append_printf(line, "  %s %" G_GUINT64_FORMAT "  ", experiment, run->number);
        for (uint32_t i = 0; i < run->n_axes; i++) {
            g_string_append_printf(line, "%s%s=%s", i != 0 ? " " : "", run->axes[i].name,
                                   run->axes[i].value);
        }
        g_autofree char *text = cli_visible(line->str), *why = why_of(run);
        printf("%s: %s\n", text, why);
    }
    return !cli_process_unheard();
}

int sweep_tell_database(Sweep *s, GError **error)
{
    uint64_t failed = 0;
    s->db = ww_db_open(s->db_name, WW_DB_READ, error);
    if (s->db == NULL || !ww_db_each_experiment(s->db, on_experiment, &failed, error)) {
        return CLI_USAGE;
    }
    if (failed != 0) {
        puts("failed");
    }
    bool good = failed == 0 || ww_db_each_run(s->db, NULL, on_failure, NULL, error);
    return !good ? CLI_USAGE : failed != 0 ? CLI_STOPPED : CLI_DONE;
}

/* ---- runs of a plan ---------------------------------------------------------------------------------------------- */

int sweep_tell_status(Sweep *s, GError **error)
{
    static const WwDbState told[] = {WW_DB_RUNNING, WW_DB_FAILED};
    Status x = {.s = s, .numbers = g_hash_table_new(g_str_hash, g_str_equal)};
    bool good = true;
    for (uint32_t i = s->first; i < s->last; i++) {
        if (sweep_has(s, i)) {
            g_hash_table_insert(x.numbers, s->runs[i].key, GUINT_TO_POINTER(i + 1));
        }
    }
    for (size_t i = 0; good && i < G_N_ELEMENTS(told); i++) {
        x.state = told[i];
        x.n = 0;
        good = sweep_each_run(s, sweep_name(s), on_run, &x, error);
    }
    g_hash_table_unref(x.numbers);
    good = good && sweep_tell_noted(s, error);
    return !good ? CLI_USAGE : s->counts[SWEEP_FAILED] != 0 ? CLI_STOPPED : CLI_DONE;
}
