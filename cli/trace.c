/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright trace`: what can be done with a trace besides running it. */
#include "cli-priv.h"
#include <trace/info.h>

#include <string.h>

static const char *const whats[] = {"info", "check", "pack", NULL};
static const char *const formats[] = {"zst", "xz", NULL};
enum { WHAT_INFO, WHAT_CHECK, WHAT_PACK };

typedef struct Options {
    char *kernels, *max_ctas, *top, *output, *format, *level;
    gboolean json, strict;
} Options;

static const char *const description =
    "  info     what each kernel launches and executes; --json for programs\n"
    "  check    reads every byte and says what is wrong, file by file\n"
    "  pack     writes a recompressed copy into a new folder: trace pack -o FOLDER TRACE\n"
    "\n"
    "TRACE is a kernelslist.g, a folder that holds one, or a single kernel trace; plain, .xz or "
    ".zst.";

static bool number(const char *what, const char *text, uint64_t *out, GError **error)
{
    *out = 0;
    return text == NULL || cli_number(what, text, out, error);
}

static bool work(const Options *o, int what, const char *trace, GError **error)
{
    uint64_t max_ctas, top, level;
    if (!number("--max-ctas", o->max_ctas, &max_ctas, error) ||
        !number("--top", o->top, &top, error) || !number("--level", o->level, &level, error)) {
        return false;
    }
    WwTraceInfoOptions info = {
        .trace = {.strict = o->strict, .kernels = o->kernels, .max_ctas = max_ctas},
        .json = o->json,
        .top = (uint32_t)MIN(top, UINT32_MAX),
    };
    if (what == WHAT_INFO) {
        return ww_trace_info(trace, &info, stdout, error);
    }
    if (what == WHAT_CHECK) {
        return ww_trace_check(trace, &info.trace, stdout, error);
    }
    int format = o->format != NULL ? cli_choice("--format", o->format, formats, error) : 0;
    if (format < 0) {
        return false;
    }
    if (o->output == NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "trace pack: no folder to write to; expected -o FOLDER");
    }
    WwTracePackOptions pack = {.format = format == 1 ? WW_TRACE_PACK_XZ : WW_TRACE_PACK_ZST,
                               .level = (uint32_t)MIN(level, UINT32_MAX)};
    return ww_trace_pack(trace, o->output, &pack, stdout, error);
}

int cli_trace(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "info: as JSON", NULL},
        {"top", 0, 0, G_OPTION_ARG_FILENAME, &o.top,
         "info: opcodes listed for a kernel (default 10)", "N"},
        {"kernels", 0, 0, G_OPTION_ARG_FILENAME, &o.kernels,
         "info, check: only these kernels, e.g. 3,5-7", "LIST"},
        {"max-ctas", 0, 0, G_OPTION_ARG_FILENAME, &o.max_ctas,
         "info, check: only the first N CTAs of each kernel", "N"},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &o.strict, "info, check: an unknown opcode is an error",
         NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output, "pack: the folder to write to",
         "FOLDER"},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &o.format, "pack: zst (default) or xz", "FORMAT"},
        {"level", 0, 0, G_OPTION_ARG_FILENAME, &o.level, "pack: 1 to 19 (zst), 1 to 9 (xz)", "N"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    bool good =
        cli_parse(&argc, &argv, "info|check|pack TRACE",
                  "Looks into a trace, verifies it, recompresses it.", description, tables, &error);
    if (good && argc != 3) {
        good =
            ww_fail(&error, WW_ERROR_USAGE, "trace: expected info, check or pack, and one trace");
    }
    int what = good ? cli_choice("trace:", argv[1], whats, &error) : -1;
    good = what >= 0 && work(&o, what, argv[2], &error);
    char *const texts[] = {o.kernels, o.max_ctas, o.top, o.output, o.format, o.level};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    return good ? CLI_DONE : cli_fail(error);
}
