/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright run`: statistics that the user chooses, of single components and over time. */
#include "run-priv.h"

#include <string.h>

const GOptionEntry *run_figures_options(RunFigures *f)
{
    static GOptionEntry rows[2];
    const GOptionEntry all[] = {
        {"stats", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &f->stats,
         "With -o: also the statistics of single components, PATH[:STATISTIC] with * and ?; may be "
         "given more than once",
         "PATTERN"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

bool run_figures_check(const Run *r, GError **error)
{
    if (r->figures.stats != NULL && r->outputs == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--stats has no effect without -o FILE; expected both");
    }
    return true;
}

static bool add(WwPicks *picks, const char *option, WwPickKind kind, const char *pattern,
                GError **error)
{
    if (!ww_picks_add(picks, kind, pattern, error)) {
        g_prefix_error(error, "%s '%s' ", option, pattern);
        return false;
    }
    return true;
}

bool run_figures_begin(Run *r, GError **error)
{
    if (r->figures.stats != NULL) {
        g_autoptr(WwPicks) picks = ww_picks_new(r->setup.machine);
        for (char **p = r->figures.stats; *p != NULL; p++) {
            if (!add(picks, "--stats", WW_PICK_PATH, *p, error)) {
                return false;
            }
        }
        ww_picks_close(picks);
        ww_results_pick(r->results, g_steal_pointer(&picks));
    }
    return true;
}

void run_figures_note(const Run *r)
{
    for (char **p = r->figures.stats; p != NULL && *p != NULL; p++) {
        cli_record_word(r->record, "--stats", *p);
    }
}

static void add_fact(CliCheckpoints *c, const char *name, char **patterns)
{
    g_autofree char *all = patterns != NULL ? g_strjoinv(" ", patterns) : NULL;
    cli_checkpoints_fact(c, name, all);
}

void run_figures_facts(Run *r)
{
    add_fact(&r->checkpoints, "--stats", r->figures.stats);
}

void run_figures_clear(RunFigures *f)
{
    g_strfreev(f->stats);
}
