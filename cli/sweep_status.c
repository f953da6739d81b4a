/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright sweep --status`: what runs now and why runs failed, as the database has it. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct Status {
    const Sweep *s;
    GHashTable *numbers; /* key -> number of the run, from 1 */
    WwDbState state;     /* that is told now */
    uint32_t n;
} Status;

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    Status *x = user;
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(x->numbers, run->key));
    if (number == 0 || run->state != x->state) {
        return true;
    }
    if (x->n++ == 0) {
        printf(run->state == WW_DB_FAILED ? "failed\n" : "running, or ended with its sweep\n");
    }
    g_autofree char *text = ww_plan_text(x->s->plan, number - 1);
    if (run->state == WW_DB_FAILED) {
        printf("  %u  %s: %s\n", number, text, run->error != NULL ? run->error : "no word why");
    } else {
        g_autofree char *since = sweep_duration((double)(time(NULL) - run->start));
        printf("  %u  %s: begun %s ago%s%s\n", number, text, since, run->host != NULL ? " on " : "",
               run->host != NULL ? run->host : "");
    }
    return !cli_process_unheard();
}

int sweep_tell_status(Sweep *s, GError **error)
{
    static const WwDbState told[] = {WW_DB_RUNNING, WW_DB_FAILED};
    Status x = {.s = s, .numbers = g_hash_table_new(g_str_hash, g_str_equal)};
    bool good = true;
    for (uint32_t i = s->first; i < s->last; i++) {
        if (s->runs[i].state != SWEEP_SAME) {
            g_hash_table_insert(x.numbers, s->runs[i].key, GUINT_TO_POINTER(i + 1));
        }
    }
    for (size_t i = 0; good && s->db != NULL && i < G_N_ELEMENTS(told); i++) {
        x.state = told[i];
        x.n = 0;
        good = ww_db_each_run(s->db, sweep_name(s), on_run, &x, error);
    }
    g_hash_table_unref(x.numbers);
    return !good ? CLI_USAGE : s->counts[SWEEP_FAILED] != 0 ? CLI_STOPPED : CLI_DONE;
}
