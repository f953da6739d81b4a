/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright report`: results of runs as one page. */
#include "cli-priv.h"
#include "record.h"
#include "result_file.h"

#include <report/report.h>
#include <string.h>
#include <warpwright/output.h>

static bool write_page(const char *path, const WwReportRun *runs, uint32_t n, GError **error)
{
    WwOutput *out = ww_output_new(path, error);
    if (out == NULL) {
        return false;
    }
    ww_report_write(runs, n, "warpwright " WW_VERSION, ww_output_file(out));
    if (!ww_output_finish(out, error)) {
        ww_output_drop(out);
        return false;
    }
    return ww_output_keep(out, NULL, error);
}

int cli_report(int argc, char **argv)
{
    g_autofree char *path = NULL;
    WwReportRun runs[WW_REPORT_MOST];
    json_t *read[WW_REPORT_MOST];
    uint32_t n = 0;
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &path,
         "The page to write; its name ends in .html", "FILE.html"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    bool good =
        cli_parse(&argc, &argv, "A.json [B.json...]",
                  "Makes an HTML page of the results of one run, or of several side by side.",
                  "A.json comes from warpwright run -o A.json. With --intervals N of that run the "
                  "page shows what happened when,\n"
                  "with --pcs what each instruction costs, with --stats '*' which SM, slice or "
                  "channel is unlike the others.\n"
                  "The page is one file that loads nothing else: it can be sent, archived and "
                  "printed. docs/report.md explains how to read it.",
                  tables, &error);
    if (good && path == NULL) {
        good = ww_fail(&error, WW_ERROR_USAGE, "report: no page named; expected -o FILE.html");
    }
    if (good && !g_str_has_suffix(path, ".html")) {
        good = ww_fail(&error, WW_ERROR_USAGE,
                       "report: page '%s'; expected a name that ends in .html", path);
    }
    if (good && (argc < 2 || argc > (int)WW_REPORT_MOST + 1)) {
        good = ww_fail(&error, WW_ERROR_USAGE, "report: expected 1 to %u results, got %d",
                       WW_REPORT_MOST, argc - 1);
    }
    good = good && cli_outputs_apart((char *[]){path, NULL}, argv + 1, (uint32_t)argc - 1, &error);
    for (int i = 1; good && i < argc; i++) {
        json_t *json = read[n] = cli_result_read(argv[i], &error);
        good = json != NULL;
        if (good) {
            runs[n++] = (WwReportRun){argv[i], json};
        }
    }
    if (good && !write_page(path, runs, n, &error)) {
        g_prefix_error(&error, "cannot write the page: ");
        good = false;
    }
    for (uint32_t i = 0; i < n; i++) {
        json_decref(read[i]);
    }
    return good ? CLI_DONE : cli_fail(error);
}
