/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. A row here is all that a new one needs: help, manual page, completion and messages are made of it. */
#include "page.h"

#include <string.h>

const CliCommand cli_commands[] = {
    {"run", cli_run, "replay a trace; say how many cycles it takes, and why", false},
    {"inspect", cli_inspect, "describe component types, or a platform and its values", false},
    {"list", cli_list, "list component types, platforms, configs, modules and more", false},
    {"trace", cli_trace, "inspect, verify, pack or make a trace", false},
    {"sweep", cli_sweep, "run an experiment of many runs; resumes after an interruption", false},
    {"compare", cli_compare, "compare the results of two or more runs", false},
    {"db", cli_db, "keep the results of many runs in one file", false},
    {"table", cli_table, "tabulate a figure of many runs by rows and columns", false},
    {"plot", cli_plot, "plot such a table as bars, lines or points", false},
    {"correlate", cli_correlate, "compare kernels with what a GPU measured", false},
    {"report", cli_report, "make an HTML page of some runs, or of an experiment", false},
    {"view", cli_view, "convert an event log for Konata, Perfetto or GTKWave", false},
    {"bench", cli_bench, "drive a single component, by a script or at random", false},
    {"conformance", cli_conformance, "run the checks that every component type must pass", false},
    {"new", cli_new, "start your own scheduler, component or platform, out of tree", false},
    {"man", cli_man, "manual pages", true}, /* written by the build */
    {"complete", cli_complete, "completions of the last word of a command line", true},
    {0},
};

const CliFact cli_exit_statuses[] = {
    {"0", "done"},
    {"1", "the model stopped (hang, limit, signal), or compare --exact or --max-change found "
          "differences"},
    {"2", "bad usage or input"},
    {0},
};

const CliFact cli_environment[] = {
    {"WARPWRIGHT_PATH",
     "more folders to search for platforms, configs and modules, separated by ':'"},
    {"WARPWRIGHT_SEED", "seed for hashing the texts of a trace (default: random for each process); "
                        "no result depends on it"},
    {"NO_COLOR", "no colours, whatever its value; there are none either if TERM is 'dumb', or in "
                 "files and pipes"},
    {0},
};

const CliCommand *cli_command_find(const char *name)
{
    for (const CliCommand *c = cli_commands; c->name != NULL; c++) {
        if (strcmp(c->name, name) == 0) {
            return c;
        }
    }
    return NULL;
}

static GPtrArray *shown_names(void)
{
    GPtrArray *names = g_ptr_array_new();
    for (const CliCommand *c = cli_commands; c->name != NULL; c++) {
        if (!c->hidden) {
            g_ptr_array_add(names, (gpointer)c->name);
        }
    }
    return names;
}

char *cli_command_names(void)
{
    g_autoptr(GPtrArray) names = shown_names();
    GString *all = g_string_new(NULL);
    for (guint i = 0; i < names->len; i++) {
        g_string_append_printf(all, "%s%s",
                               i == 0               ? ""
                               : i + 1 < names->len ? ", "
                                                    : " or ",
                               (const char *)names->pdata[i]);
    }
    return g_string_free(all, false);
}

int cli_command_unknown(const char *word)
{
    g_autoptr(GPtrArray) names = shown_names();
    const char *near = ww_closest(word, (const char *const *)names->pdata, names->len);
    if (near != NULL) {
        return cli_fail_text("unknown command '%s', did you mean '%s'?", word, near);
    }
    g_autofree char *all = cli_command_names();
    return cli_fail_text("unknown command '%s'; expected %s", word, all);
}
