/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright view`: an event log as a file that a viewer opens. */
#include "view.h"
#include "cli-priv.h"

#include <string.h>

typedef struct Options {
    CliSetup setup;
    CliViewOptions view;
    char **outputs;
    const char *output; /* the one of them */
} Options;

static const char *const description =
    "LOG was written by 'warpwright run --events LOG', plain or .zst. The ending of FILE gives the "
    "format:\n"
    "  .kanata           the pipeline, for Konata\n"
    "  .perfetto-trace   the timeline, for Perfetto (https://ui.perfetto.dev)\n"
    "  .vcd              waveforms, for GTKWave\n"
    "\n"
    "Give the options that chose the machine of the run (-c, -p, -s, ...), so that its clocks and "
    "SM numbers are known. Without\n"
    "them a cycle is drawn as a nanosecond. 'warpwright run --view FILE' draws without a log in "
    "between. See also docs/view.md.";

static bool parse(Options *o, int *argc, char ***argv, GError **error)
{
    const GOptionEntry own[] = {
        CLI_HEADING(CLI_WHAT_COMES_OUT),
        {"output", 'o', 0, G_OPTION_ARG_FILENAME_ARRAY, &o->outputs, "The file to write", "FILE"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, cli_view_options(&o->view),
                                          cli_setup_options(&o->setup), NULL};
    return cli_parse(argc, argv, "LOG",
                     "Converts the event log of a run to a file for Konata, Perfetto or GTKWave.",
                     description, tables, error);
}

/* The machine, when any option asks for one. */
static bool build(Options *o, GError **error)
{
    const CliSetup *s = &o->setup;
    bool asked = s->configs != NULL || s->platform_name != NULL || s->values != NULL ||
                 s->gpgpusim != NULL || s->modules != NULL || s->sms_text != NULL;
    return !asked || (cli_setup_machine(&o->setup, error) && cli_setup_seal(&o->setup, error));
}

static bool draw(Options *o, const char *log, GError **error)
{
    WwOutput *out = NULL;
    WwView *view = NULL;
    if (ww_output_same(log, o->output)) {
        return ww_fail(error, WW_ERROR_USAGE, "-o '%s' is the log; expected another file",
                       o->output);
    }
    if (!cli_view_open(&o->view, o->output, o->setup.machine, log, &out, &view, error)) {
        return false;
    }
    bool good = ww_view_log(view, log, error) && ww_view_end(view, error);
    if (good) {
        cli_view_tell(view, o->output);
        good = ww_output_keep(out, "cannot write ", error);
    } else {
        ww_output_drop(out);
    }
    ww_view_free(view);
    return good;
}

static bool choose_output(Options *o, GError **error)
{
    if (o->outputs == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "view: no file to write to; expected -o FILE that ends in %s",
                       ww_view_endings());
    }
    o->output = o->outputs[0];
    return o->outputs[1] == NULL ||
           ww_fail(error, WW_ERROR_USAGE,
                   "view: -o '%s' and -o '%s'; expected one file, and a call for each",
                   o->outputs[0], o->outputs[1]);
}

int cli_view(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    bool good = parse(&o, &argc, &argv, &error);
    if (good && argc != 2) {
        good =
            ww_fail(&error, WW_ERROR_USAGE, "view: expected one log: warpwright view LOG -o FILE");
    }
    good = good && choose_output(&o, &error) && cli_view_check(&o.view, &error) &&
           build(&o, &error) && cli_view_check_machine(&o.view, o.setup.machine, &error) &&
           draw(&o, argv[1], &error);
    ww_machine_free(o.setup.machine);
    o.setup.machine = NULL;
    cli_setup_clear(&o.setup);
    cli_view_clear(&o.view);
    g_strfreev(o.outputs);
    return good ? CLI_DONE : cli_fail(error);
}
