/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright db`: databases of results brought together, taken apart and looked at. */
#include "db_export.h"
#include "db_source.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include <warpwright/output.h>

static const char *const whats[] = {"import", "merge", "export", "list", NULL};
enum { WHAT_IMPORT, WHAT_MERGE, WHAT_EXPORT, WHAT_LIST };

typedef struct Options {
    CliRuns runs;
    CliExport export;
    char **outputs;
    gboolean all, names;
} Options;

static const char *const description =
    "  import  add results of 'warpwright run -o FILE.json': db import DB FILE.json...\n"
    "  merge   add the runs of other databases: db merge DB OTHER...\n"
    "  export  write FILE.csv or FILE.json: db export DB -o FILE\n"
    "  list    show its experiments; with -e NAME the runs of one; with --names what can be asked "
    "for\n"
    "\n"
    "import and merge create DB if needed. Runs already in DB stay as they are: importing them "
    "again changes nothing; a finished run replaces a failed one. 'warpwright table' and "
    "'warpwright plot' show what a database holds; docs/database.md explains how to read it with "
    "SQL, pandas and DuckDB.";

/* ---- import and merge ------------------------------------------------------------------------------------------- */

static bool import(const Options *o, WwDb *db, char *const *files, GError **error)
{
    const char *experiment = o->runs.experiment != NULL ? o->runs.experiment : "results";
    uint64_t n = 0;
    for (; *files != NULL; files++) {
        if (ww_db_is_one(*files)) {
            return ww_fail(
                error, WW_ERROR_USAGE,
                "'%s' is a database; expected a file of results, or 'warpwright db merge'", *files);
        }
        if (!ww_db_put_result(db, experiment, &(WwDbRun){.number = ++n}, *files, error)) {
            return false;
        }
    }
    if (!ww_db_commit(db, error)) {
        return false;
    }
    printf("%" G_GUINT64_FORMAT " %s in experiment '%s'\n", n, n == 1 ? "result is" : "results are",
           experiment);
    return true;
}

static bool merge(WwDb *db, char *const *files, GError **error)
{
    WwDbMerged all = {0};
    for (; *files != NULL; files++) {
        WwDbMerged one;
        g_autoptr(WwDb) from = NULL;
        if (ww_output_same(ww_db_path(db), *files)) {
            return ww_fail(error, WW_ERROR_USAGE, "'%s' is the file to merge into; expected others",
                           *files);
        }
        from = ww_db_open(*files, WW_DB_READ, error);
        if (from == NULL || !ww_db_merge(db, from, &one, error)) {
            return false;
        }
        all.added += one.added;
        all.replaced += one.replaced;
        all.same += one.same;
    }
    if (!ww_db_commit(db, error)) {
        return false;
    }
    printf("%" G_GUINT64_FORMAT " %s added, %" G_GUINT64_FORMAT " replaced, %" G_GUINT64_FORMAT
           " there already\n",
           all.added, WW_PLURAL(all.added, "run", "runs"), all.replaced, all.same);
    return true;
}

/* What SQLite has in a folder for one database. */
static const char *const parts[] = {"", "-wal", "-shm", "-journal"};

/*
 * Makes @p path as an empty file, which SQLite takes for a new database: who does is the one who may remove it. From then on it goes with the process; no
 * signal comes between. False: it is there, or cannot be made.
 */
static bool begin_new(const char *path, WwPending **pending)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    for (size_t i = 0; i < G_N_ELEMENTS(parts) && fd >= 0; i++) {
        g_autofree char *part = g_strconcat(path, parts[i], NULL);
        pending[i] = ww_pending_add(part);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return fd >= 0 && close(fd) == 0;
}

/* Another process has written it while this one waited. */
static bool is_others(const char *path)
{
    GStatBuf st;
    return g_stat(path, &st) == 0 && st.st_size != 0;
}

/*
 * All files are one change; a database that was made for a change that fails, or is interrupted, goes again, with the files that SQLite has
 * beside it meanwhile. One that was there keeps these: its next user goes back to what it held.
 */
static bool change(const Options *o, int what, char *const *files, GError **error)
{
    WwPending *pending[G_N_ELEMENTS(parts)];
    bool mine = begin_new(files[0], pending);
    WwDb *db = ww_db_open(files[0], WW_DB_CREATE, error);
    bool good =
        db != NULL && ww_db_begin(db, error) &&
        (what == WHAT_IMPORT ? import(o, db, files + 1, error) : merge(db, files + 1, error));
    bool keep = good || (db == NULL && is_others(files[0]));
    ww_db_close(db);
    for (size_t i = 0; i < G_N_ELEMENTS(parts) && mine; i++) {
        if (keep) {
            ww_pending_forget(pending[i]);
        } else {
            ww_pending_remove(pending[i]);
        }
    }
    return good;
}

/* ---- list ------------------------------------------------------------------------------------------------------- */

static bool print_experiment(void *user, const WwDbExperiment *e)
{
    g_autofree char *all = cli_visible(e->name), *name = cli_cut(all, 30);
    /* results that were imported do not say how long they took */
    g_autofree char *seconds = e->seconds > 0 ? g_strdup_printf("%.1f", e->seconds) : g_strdup("-");
    int width = 30 - (int)g_utf8_strlen(name, -1);
    printf("%s%*s %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %8" G_GUINT64_FORMAT " %11s\n",
           name, width, "", e->done, e->failed, e->running, seconds);
    *(uint64_t *)user += 1;
    return true;
}

static bool print_run(void *user, const char *experiment, const WwDbRun *r)
{
    g_autoptr(GString) line = g_string_new(NULL);
    g_string_append_printf(line, "%6" G_GUINT64_FORMAT "  %-7s  %.12s ", r->number,
                           ww_db_state_name(r->state), r->key);
    for (uint32_t i = 0; i < r->n_axes; i++) {
        g_string_append_printf(line, " %s=%s", r->axes[i].name, r->axes[i].value);
    }
    if (r->error != NULL) {
        g_string_append_printf(line, "  %s", r->error);
    }
    g_auto(GStrv) notes = r->notes != NULL ? g_strsplit(r->notes, "\n", -1) : NULL;
    for (char **n = notes; n != NULL && *n != NULL; n++) {
        g_string_append_printf(line, "  (%s)", *n);
    }
    g_autofree char *text = cli_visible(line->str); /* whatever names and messages hold */
    puts(text);
    *(uint64_t *)user += 1;
    return true;
}

static void print_name(const char *kind, const char *name)
{
    g_autofree char *text = cli_visible(name);
    printf("%-10s %s\n", kind, text);
}

static bool print_names(WwDb *db, const char *experiment, GError **error)
{
    g_auto(GStrv) axes = ww_db_axes(db, experiment, error);
    g_auto(GStrv) statistics = axes != NULL ? ww_db_statistics(db, NULL, error) : NULL;
    g_auto(GStrv) values = statistics != NULL ? ww_db_values(db, NULL, error) : NULL;
    for (char **a = axes; a != NULL && *a != NULL; a++) {
        print_name("axis", *a);
    }
    for (const char *const *f = ww_db_fields(); *f != NULL; f++) {
        print_name("figure", *f);
    }
    for (char **s = statistics; s != NULL && *s != NULL; s++) {
        print_name("statistic", *s);
    }
    for (char **v = values; v != NULL && *v != NULL; v++) {
        print_name("value", *v);
    }
    return values != NULL;
}

static bool list(const Options *o, const char *file, GError **error)
{
    uint64_t n = 0;
    g_autoptr(WwDb) db = ww_db_open(file, WW_DB_READ, error);
    if (db == NULL) {
        return false;
    }
    if (o->names) {
        return print_names(db, o->runs.experiment, error);
    }
    if (o->runs.experiment == NULL) {
        printf("%-30s %8s %8s %8s %11s\n", "experiment", "done", "failed", "running", "seconds");
        return ww_db_each_experiment(db, print_experiment, &n, error);
    }
    return ww_db_each_run(db, o->runs.experiment, print_run, &n, error) &&
           (n != 0 ||
            ww_fail(
                error, WW_ERROR_USAGE,
                "'%s' has no experiment '%s' with runs; expected one of 'warpwright db list %s'",
                file, o->runs.experiment, file));
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

/* Files: how many there must be behind the first word, and what may be said of them. */
static bool check(const Options *o, int what, int n, GError **error)
{
    static const char *const needs[] = {"DB FILE.json...", "DB OTHER...", "DB -o FILE", "DB"};
    bool few = what == WHAT_EXPORT || what == WHAT_LIST;
    if (few ? n != 1 : n < 2) {
        return ww_fail(error, WW_ERROR_USAGE, "db %s: expected warpwright db %s %s", whats[what],
                       whats[what], needs[what]);
    }
    if (what == WHAT_EXPORT && o->outputs == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "db export: no file to write to; expected -o FILE.csv or -o FILE.json");
    }
    const unsigned export = 1u << WHAT_EXPORT, list = 1u << WHAT_LIST, import = 1u << WHAT_IMPORT;
    const CliUse uses[] = {
        {"-o", cli_given_first(o->outputs), export},
        {"--where", cli_given_first(o->runs.where), export},
        {"--experiment", o->runs.experiment, import | export | list},
        {"--kernels", cli_given(o->export.kernels), export},
        {"--stats", cli_given_first(o->export.stats), export},
        {"--names", cli_given(o->names), list},
        {NULL, NULL, 0},
    };
    return cli_uses("db", whats, what, uses, error);
}

static bool work(Options *o, int what, char *const *files, GError **error)
{
    switch (what) {
    case WHAT_EXPORT:
        return cli_export(files[0], &o->runs, &o->export, o->outputs, error);
    case WHAT_LIST:
        return list(o, files[0], error);
    default:
        return change(o, what, files, error);
    }
}

int cli_db(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    g_autofree char *usage = g_strconcat(cli_choices(whats), " DB [FILE]...", NULL);
    const GOptionEntry own[] = {
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &o.outputs,
         "export: write FILE.csv or FILE.json; repeatable, for both", "FILE"},
        {"kernels", 0, 0, G_OPTION_ARG_NONE, &o.export.kernels,
         "export: one row per kernel instead of per run", NULL},
        {"stats", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.export.stats,
         "export: only statistics with these names (*: any text); none: no statistics; repeatable",
         "PATTERN"},
        {"names", 0, 0, G_OPTION_ARG_NONE, &o.names,
         "list: the axes, figures, statistics and machine values it holds", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {cli_runs_options(&o.runs), own, NULL};
    bool good = cli_parse(&argc, &argv, usage, "Keeps the results of many runs in one file.",
                          description, tables, &error);
    if (good && argc < 3) {
        good = ww_fail(&error, WW_ERROR_USAGE,
                       "db: expected import, merge, export or list, and a database");
    }
    int what = good ? cli_choice("db:", argv[1], whats, &error) : -1;
    good = what >= 0 && check(&o, what, argc - 2, &error) && work(&o, what, argv + 2, &error);
    cli_runs_clear(&o.runs);
    g_strfreev(o.outputs);
    g_strfreev(o.export.stats);
    return good ? CLI_DONE : cli_fail(error);
}
