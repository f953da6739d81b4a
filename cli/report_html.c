/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright report`: results of runs, or an experiment of many, as one page. */
#include "experiment.h"
#include "output-priv.h"
#include "record.h"
#include "result_file.h"

#include <report/report.h>
#include <string.h>

static const char *const endings[] = {".html", NULL};

typedef struct Options {
    ExperimentOptions experiment;
    char *path;
} Options;

static const char *const description =
    "A.json comes from warpwright run -o A.json. With --intervals N of that run the page shows "
    "what happened when,\n"
    "with --pcs what each instruction costs, with --stats '*' which SM, slice or channel is unlike "
    "the others.\n"
    "FILE.db comes from warpwright sweep or warpwright db: the page is of one experiment in it, "
    "each run relative to a base.\n"
    "The page is one file that loads nothing else: it can be sent, archived and printed. "
    "docs/report.md explains how to read it.\n"
    "\n"
    "  warpwright report a.json b.json -o both.html\n"
    "  warpwright report runs.db --baseline scheduler=gto -o runs.html\n";

/* ---- of some runs ----------------------------------------------------------------------------------------------- */

typedef struct Results {
    WwReportRun runs[WW_REPORT_MOST];
    uint32_t n;
} Results;

static bool write_results(const void *what, int ending, FILE *out, GError **error)
{
    const Results *r = what;
    ww_report_write(r->runs, r->n, "warpwright " WW_VERSION, out);
    return true;
}

static bool of_results(const Options *o, char *const *files, int n, GError **error)
{
    Results r = {.n = 0};
    json_t *read[WW_REPORT_MOST];
    bool good = true;
    for (int i = 0; good && i < n; i++) {
        json_t *json = cli_result_read(files[i], error);
        good = json != NULL;
        if (good) {
            read[r.n] = json;
            r.runs[r.n++] = (WwReportRun){files[i], json};
        }
    }
    good = good && cli_write_files((char *[]){o->path, NULL}, endings, write_results, &r, error);
    for (uint32_t i = 0; i < r.n; i++) {
        json_decref(read[i]);
    }
    return good;
}

/* ---- of an experiment ------------------------------------------------------------------------------------------- */

static bool write_experiment(const void *what, int ending, FILE *out, GError **error)
{
    return experiment_page(what, out, error);
}

static bool of_experiment(const Options *o, const char *file, GError **error)
{
    g_autoptr(WwDb) db = ww_db_open(file, WW_DB_READ, error);
    if (db == NULL) {
        return false;
    }
    Experiment x = {.o = &o->experiment, .db = db};
    bool good = experiment_read(&x, error) &&
                cli_write_files((char *[]){o->path, NULL}, endings, write_experiment, &x, error);
    experiment_clear(&x);
    return good;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

/* An option that is of experiments only, and was given; NULL: none. */
static const char *given(const ExperimentOptions *o)
{
    return o->runs.experiment != NULL ? "--experiment"
           : o->runs.where != NULL    ? "--where"
           : o->baselines != NULL     ? "--baseline"
           : o->over != NULL          ? "--over"
           : o->full_names            ? "--full-names"
                                      : NULL;
}

static bool work(const Options *o, char *const *files, int n, GError **error)
{
    const char *option = given(&o->experiment), *db = NULL;
    if (o->path == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "report: no page named; expected -o FILE.html");
    }
    if (!g_str_has_suffix(o->path, ".html")) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "report: page '%s'; expected a name that ends in .html", o->path);
    }
    if (n < 1 || n > (int)WW_REPORT_MOST) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "report: expected 1 to %u results, or a database, got %d", WW_REPORT_MOST,
                       n);
    }
    if (!cli_outputs_apart((char *[]){o->path, NULL}, files, (uint32_t)n, error)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        db = db == NULL && ww_db_is_one(files[i]) ? files[i] : db;
    }
    if (db != NULL && n > 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "report: '%s' is a database, and a page is of one ('warpwright db merge' "
                       "makes one of several); expected nothing beside it",
                       db);
    }
    if (db == NULL && option != NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "report: %s has no effect on results of runs; expected a database", option);
    }
    return db != NULL ? of_experiment(o, db, error) : of_results(o, files, n, error);
}

int cli_report(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.path,
         "The page to write; its name ends in .html", "FILE.html"},
        CLI_HEADING("Of an experiment"),
        {"baseline", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.experiment.baselines,
         "Show speed-ups over runs with this value (default: the first of each axis); repeatable, "
         "one for each axis",
         "[NAME=]VALUE"},
        {"over", 0, 0, G_OPTION_ARG_FILENAME, &o.experiment.over,
         "Take means over the values of this (default trace)", "NAME"},
        {"full-names", 0, 0, G_OPTION_ARG_NONE, &o.experiment.full_names,
         "Do not shorten names that begin or end alike", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, cli_runs_options(&o.experiment.runs), NULL};
    bool good = cli_parse(&argc, &argv, "A.json [B.json...] | FILE.db",
                          "Makes an HTML page of one run, of several side by side, or of an "
                          "experiment of many.",
                          description, tables, &error) &&
                work(&o, argv + 1, argc - 1, &error);
    cli_runs_clear(&o.experiment.runs);
    g_strfreev(o.experiment.baselines);
    g_free(o.experiment.over);
    g_free(o.path);
    return good ? CLI_DONE : cli_fail(error);
}
