/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright run --monitor`: where a run is looked at and held. */
#include "run-priv.h"

#include <string.h>

bool run_monitor_begin(Run *r, void (*look)(void *user, WwProgress *out), GError **error)
{
    if (r->live_options.listen == NULL) {
        return true;
    }
    r->live = cli_live_new(
        &r->live_options,
        &(CliLiveSpec){.monitor = r->monitor, .results = r->results, .look = look, .user = r},
        error);
    return r->live != NULL;
}

void run_monitor_advance(Run *r)
{
    r->status = cli_live_run(r->live, run_limit(r));
}

bool run_monitor_serving(void *user)
{
    return cli_live_serving(((Run *)user)->live);
}

bool run_monitor_waiting(void *user)
{
    return cli_live_waiting(((Run *)user)->live);
}

/* How the page names the end of the run. */
static const char *state_of(const Run *r)
{
    static const char *const names[] = {
        [WW_RUN_BUDGET] = "interrupted", [WW_RUN_PAUSED] = "interrupted", [WW_RUN_DONE] = "done",
        [WW_RUN_LIMIT] = "limit",        [WW_RUN_HANG] = "hang",          [WW_RUN_STUCK] = "stuck",
        [WW_RUN_FAILED] = "failed"};
    return r->failed != NULL ? "failed" : r->results->at_limit ? "limit" : names[r->status];
}

void run_monitor_over(Run *r)
{
    bool hang = r->status == WW_RUN_HANG || r->status == WW_RUN_STUCK;
    if (r->live == NULL || r->unheard) {
        return;
    }
    const GError *failed = r->failed != NULL ? r->failed : ww_machine_error(r->setup.machine);
    g_autofree char *why = hang             ? ww_machine_explain(r->setup.machine)
                           : failed != NULL ? g_strdup(failed->message)
                                            : NULL;
    cli_live_over(r->live, state_of(r), why);
    cli_live_hold(r->live);
}
