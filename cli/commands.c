/* SPDX-License-Identifier: Apache-2.0 */
/* The commands. A row here is all that a new one needs: help, manual page, completion and messages are made of it. */
#include "page.h"

#include <string.h>

const CliCommand cli_commands[] = {
    {"run", cli_run, "replay a trace and say how many cycles it takes, and why", false},
    {"inspect", cli_inspect, "describe component types, or a platform with its values", false},
    {"list", cli_list, "what there is to choose from", false},
    {"trace", cli_trace, "look into a trace, verify it, pack it", false},
    {"sweep", cli_sweep, "many runs: axes of values; interrupted at any time, and gone on with",
     false},
    {"compare", cli_compare, "results of two or more runs side by side", false},
    {"db", cli_db, "results of many runs in one file: import, merge, export, list", false},
    {"table", cli_table, "a figure of many runs by rows and columns", false},
    {"plot", cli_plot, "the same as bars, lines or points", false},
    {"correlate", cli_correlate, "kernels beside what a GPU measured of them", false},
    {"report", cli_report, "results of one run or several as a page", false},
    {"view", cli_view, "draw an event log for Konata, Perfetto or GTKWave", false},
    {"bench", cli_bench, "drive one component alone, by a script or at random", false},
    {"conformance", cli_conformance, "the checks that every component type has to pass", false},
    {"new", cli_new, "begin one of your own, out of tree, with tests and a build file", false},
    {"man", cli_man, "manual pages", true}, /* written by the build */
    {"complete", cli_complete, "what the last word of a command line may become", true},
    {0},
};

const CliFact cli_exit_statuses[] = {
    {"0", "done"},
    {"1", "the model stopped: hang, limit, signal; or compare --exact or --max-change found "
          "differences"},
    {"2", "bad usage or input"},
    {0},
};

const CliFact cli_environment[] = {
    {"WARPWRIGHT_PATH",
     "adds folders (separated by ':') in which platforms, configs and modules are looked up"},
    {"WARPWRIGHT_SEED",
     "the number that texts of a trace are hashed with, else drawn by each process; no result "
     "depends on it"},
    {"NO_COLOR", "no colours, whatever its value; nor are there any where TERM is 'dumb', and in "
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
