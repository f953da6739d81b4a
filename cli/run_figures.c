/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright run`: statistics that the user chooses, of single components and over time. */
#include "run-priv.h"

#include <string.h>

/* What charts over time need: instructions, occupancy, stalls, caches, memory; and for each SM whether it had work. */
static const struct {
    WwPickKind kind;
    const char *pattern;
} charted[] = {
    {WW_PICK_SUM, "warp_pool.thread_insns"},
    {WW_PICK_SUM, "warp_pool.warp_insns"},
    {WW_PICK_SUM, "cta_slots.ctas_*"},
    {WW_PICK_SUM, "cta_slots.*_cycles"},
    {WW_PICK_SUM, "warp_scheduler.single_issue"},
    {WW_PICK_SUM, "warp_scheduler.dual_issue"},
    {WW_PICK_SUM, "warp_scheduler.cause"},
    {WW_PICK_SUM, "issue_stage.single_issue"},
    {WW_PICK_SUM, "issue_stage.cause"},
    {WW_PICK_SUM, "cache.*.accesses"},
    {WW_PICK_SUM, "cache.*.misses"},
    {WW_PICK_SUM, "cache.*.pending_hits"},
    {WW_PICK_SUM, "cache.l1.outcomes.INST_ACC_R.HIT*"}, /* to be taken off: what is no data */
    {WW_PICK_SUM, "cache.l1.outcomes.INST_ACC_R.*MISS"},
    {WW_PICK_SUM, "cache.l1.outcomes.CONST_ACC_R.HIT*"},
    {WW_PICK_SUM, "cache.l1.outcomes.CONST_ACC_R.*MISS"},
    {WW_PICK_SUM, "cluster_port.responses"},
    {WW_PICK_SUM, "cluster_port.latency_sum"},
    {WW_PICK_SUM, "l2_slice.accepted"},
    {WW_PICK_SUM, "memory.*.bytes"},
    {WW_PICK_SUM, "dram.*.reads"},
    {WW_PICK_SUM, "dram.*.writes"},
    {WW_PICK_SUM, "dram.*.n_cmd"},
    {WW_PICK_SUM, "dram.*.n_activity"},
    {WW_PICK_SUM, "dram.*.column_commands"},
    {WW_PICK_SUM, "dram.*.bw_util"},
    {WW_PICK_SUM, "dram.*.selections"},
    {WW_PICK_SUM, "dram.*.row_hits"},
    {WW_PICK_SUM, "dram.*.queue_sum"},
    {WW_PICK_EACH, "warp_pool.warp_insns"},
    {WW_PICK_EACH, "cta_slots.*_cycles"},
};

const GOptionEntry *run_figures_options(RunFigures *f)
{
    static GOptionEntry rows[5];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_IS_LOOKED_AT),
        {"stats", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &f->stats,
         "With -o: also write the statistics of single components, PATH[:STATISTIC] with * and ?; "
         "repeatable",
         "PATTERN"},
        {"intervals", 0, 0, G_OPTION_ARG_FILENAME, &f->every_text,
         "With -o, --events or --view: also write statistics over time, every N core cycles", "N"},
        {"interval-stats", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &f->interval_stats,
         "Add these to --intervals: TYPE.STATISTIC or PATH[:STATISTIC]; repeatable; none: omit the "
         "default ones",
         "PATTERN"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

static bool fail_alone(const char *option, const char *other, GError **error)
{
    return ww_fail(error, WW_ERROR_USAGE, "--%s has no effect without %s; expected both", option,
                   other);
}

bool run_figures_check(Run *r, GError **error)
{
    RunFigures *f = &r->figures;
    if (f->stats != NULL && r->outputs == NULL) {
        return fail_alone("stats", "-o FILE", error);
    }
    if (f->interval_stats != NULL && f->every_text == NULL) {
        return fail_alone("interval-stats", "--intervals N", error);
    }
    if (f->every_text == NULL) {
        return true;
    }
    if (r->outputs == NULL && r->events_file == NULL && r->view_files == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--intervals has no effect without -o, --events or "
                       "--view FILE; expected one of them");
    }
    return cli_number_in("--intervals", f->every_text, 1, UINT64_MAX, &f->every, error);
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

static bool is_none(const char *pattern)
{
    return strcmp(pattern, "none") == 0;
}

/* A machine that has nothing of what is charted shows all that it has. */
static void add_charted(WwPicks *picks)
{
    bool any = false;
    for (size_t i = 0; i < G_N_ELEMENTS(charted); i++) {
        any |= ww_picks_add(picks, charted[i].kind, charted[i].pattern, NULL);
    }
    if (!any) {
        ww_picks_add(picks, WW_PICK_SUM, "*", NULL);
    }
}

/* What --intervals looks at; NULL with an error. */
static WwPicks *pick_intervals(const WwMachine *machine, char *const *patterns, GError **error)
{
    static const char option[] = "--interval-stats";
    g_autoptr(WwPicks) picks = ww_picks_new(machine);
    bool none = false;
    for (char *const *p = patterns; p != NULL && *p != NULL; p++) {
        none |= is_none(*p);
    }
    if (!none) {
        add_charted(picks);
    }
    for (char *const *p = patterns; p != NULL && *p != NULL; p++) {
        bool path = strchr(*p, ':') != NULL;
        bool done = is_none(*p) || (!path && (ww_picks_add(picks, WW_PICK_SUM, *p, NULL) ||
                                              ww_picks_add(picks, WW_PICK_PATH, *p, NULL)));
        if (!done && !add(picks, option, path ? WW_PICK_PATH : WW_PICK_SUM, *p, error)) {
            return NULL;
        }
    }
    ww_picks_close(picks);
    if (ww_picks_n(picks) == 0) {
        ww_fail(error, WW_ERROR_USAGE,
                "--intervals of no statistics; expected --interval-stats PATTERN, too, of a "
                "machine that has some");
        return NULL;
    }
    return g_steal_pointer(&picks);
}

/* What --stats looks at; NULL with an error. */
static WwPicks *pick_stats(const WwMachine *machine, char *const *patterns, GError **error)
{
    g_autoptr(WwPicks) picks = ww_picks_new(machine);
    for (char *const *p = patterns; *p != NULL; p++) {
        if (!add(picks, "--stats", WW_PICK_PATH, *p, error)) {
            return NULL;
        }
    }
    ww_picks_close(picks);
    return g_steal_pointer(&picks);
}

bool cli_try_figures(const WwMachine *machine, char *const *stats, bool intervals,
                     char *const *interval_stats, GError **error)
{
    g_autoptr(WwPicks) chosen = stats != NULL ? pick_stats(machine, stats, error) : NULL;
    if (stats != NULL && chosen == NULL) {
        return false;
    }
    if (interval_stats != NULL && !intervals) {
        return fail_alone("interval-stats", "--intervals N", error);
    }
    g_autoptr(WwPicks) over_time =
        intervals ? pick_intervals(machine, interval_stats, error) : NULL;
    return !intervals || over_time != NULL;
}

static bool begin_intervals(Run *r, GError **error)
{
    WwPicks *picks = pick_intervals(r->setup.machine, r->figures.interval_stats, error);
    if (picks == NULL) {
        return false;
    }
    r->figures.intervals = ww_intervals_new(r->setup.machine, r->heap, picks, r->figures.every);
    if (r->events_file != NULL || r->view_files != NULL) {
        ww_intervals_tell(r->figures.intervals);
    }
    return true;
}

bool run_figures_begin(Run *r, GError **error)
{
    if (r->figures.stats != NULL) {
        WwPicks *picks = pick_stats(r->setup.machine, r->figures.stats, error);
        if (picks == NULL) {
            return false;
        }
        ww_results_pick(r->results, picks);
    }
    return r->figures.every == 0 || begin_intervals(r, error);
}

void run_figures_look(Run *r)
{
    if (r->figures.intervals != NULL) {
        ww_intervals_look(r->figures.intervals);
    }
}

void run_figures_end(Run *r)
{
    if (r->figures.intervals != NULL) {
        ww_intervals_end(r->figures.intervals);
    }
}

static void note_all(CliRecord *record, const char *option, char **values)
{
    for (; values != NULL && *values != NULL; values++) {
        cli_record_word(record, option, *values);
    }
}

void run_figures_note(const Run *r)
{
    char *every[] = {r->figures.every_text, NULL};
    note_all(r->record, "--stats", r->figures.stats);
    note_all(r->record, "--intervals", every);
    note_all(r->record, "--interval-stats", r->figures.interval_stats);
}

static void add_fact(CliCheckpoints *c, const char *name, char **patterns)
{
    g_autofree char *all = patterns != NULL ? g_strjoinv(" ", patterns) : NULL;
    cli_checkpoints_fact(c, name, all);
}

void run_figures_facts(Run *r)
{
    add_fact(&r->checkpoints, "--stats", r->figures.stats);
    cli_checkpoints_fact(&r->checkpoints, "--intervals", r->figures.every_text);
    add_fact(&r->checkpoints, "--interval-stats", r->figures.interval_stats);
}

void run_figures_clear(RunFigures *f)
{
    ww_intervals_free(f->intervals);
    g_strfreev(f->stats);
    g_strfreev(f->interval_stats);
    g_free(f->every_text);
}
