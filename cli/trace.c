/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright trace`: what can be done with a trace besides running it. */
#include "cli-priv.h"
#include <trace/info.h>

#include <string.h>
#include <warpwright/output.h>

static const char *const whats[] = {"info", "check", "pack", "unpack", "recompress", "make", NULL};
static const char *const formats[] = {"zst", "xz", NULL};
static const char *const made[] = {"zst", "xz", "plain", NULL};
enum { WHAT_INFO, WHAT_CHECK, WHAT_PACK, WHAT_UNPACK, WHAT_RECOMPRESS, WHAT_MAKE };

typedef struct Options {
    char *opcodes, *kernels, *max_ctas, *top, *output, *format, *level, *max_steps, **sass;
    gboolean json, strict, code;
} Options;

static const char *const description =
    "  info     show what each kernel launches and executes; --json for programs\n"
    "  check    read every byte and say what is wrong, file by file\n"
    "  pack     write TRACE as one file, which is read faster: trace pack -o FILE TRACE\n"
    "  unpack   write the text of a pack to a folder: trace unpack -o FOLDER PACK\n"
    "  recompress\n"
    "           write a recompressed copy to a folder: trace recompress -o FOLDER TRACE\n"
    "  make     execute a program in the kernel language and write its trace to a folder: trace "
    "make -o FOLDER KERNEL.wwk\n"
    "FOLDER must hold no trace yet: nothing in it is replaced.\n"
    "\n"
    "TRACE is a kernelslist.g, a folder that holds one, or a single kernel trace; plain, .xz, .zst "
    "or .tracez; or a pack.";

/* A number from 1; not given, it is 0. */
static bool number(const char *what, const char *text, uint64_t *out, GError **error)
{
    *out = 0;
    return text == NULL || cli_number_in(what, text, 1, UINT64_MAX, out, error);
}

static bool make(const Options *o, WwOpcodes *opcodes, const char *program, GError **error)
{
    static const WwTraceCompressor compressors[] = {WW_TRACE_ZST, WW_TRACE_XZ, WW_TRACE_PLAIN};
    uint64_t steps;
    int format = o->format != NULL ? cli_choice("--format", o->format, made, error) : 0;
    if (format < 0 || !number("--max-steps", o->max_steps, &steps, error)) {
        return false;
    }
    const WwTraceMakeOptions options = {
        .format = compressors[format], .max_steps = steps, .opcodes = opcodes};
    return ww_trace_make(program, o->output, &options, stdout, error);
}

/* Every option is of use to what is to be done. */
static bool check(const Options *o, int what, GError **error)
{
    const unsigned info = 1u << WHAT_INFO, both = info | 1u << WHAT_CHECK, make = 1u << WHAT_MAKE,
                   pack = 1u << WHAT_PACK, recompress = 1u << WHAT_RECOMPRESS;
    const CliUse uses[] = {
        {"--json", cli_given(o->json), info},
        {"--code", cli_given(o->code), info},
        {"--top", o->top, info},
        {"--opcodes", o->opcodes, both | make},
        {"--kernels", o->kernels, both},
        {"--max-ctas", o->max_ctas, both},
        {"--sass", cli_given_first(o->sass), both},
        {"--strict", cli_given(o->strict), both},
        {"-o", o->output, pack | 1u << WHAT_UNPACK | recompress | make},
        {"--format", o->format, recompress | make},
        {"--level", o->level, pack | recompress},
        {"--max-steps", o->max_steps, make},
        {NULL, NULL, 0},
    };
    return cli_uses("trace", whats, what, uses, error);
}

static bool work(const Options *o, int what, const char *trace, GError **error)
{
    uint64_t max_ctas, top, level;
    if (!check(o, what, error) || !number("--max-ctas", o->max_ctas, &max_ctas, error) ||
        !number("--top", o->top, &top, error) || !number("--level", o->level, &level, error)) {
        return false;
    }
    g_autoptr(WwOpcodes) opcodes = ww_opcodes_new(cli_opcode_dirs());
    if (o->opcodes != NULL && !ww_opcodes_choose(opcodes, o->opcodes, error)) {
        return false;
    }
    WwTraceInfoOptions info = {
        .trace = {.strict = o->strict,
                  .kernels = o->kernels,
                  .max_ctas = max_ctas,
                  .opcodes = opcodes},
        .json = o->json,
        .code = o->code,
        .top = (uint32_t)MIN(top, UINT32_MAX),
    };
    if (!cli_listings(o->sass, &info.trace.listings, error)) {
        return false;
    }
    if (what == WHAT_INFO) {
        return ww_trace_info(trace, &info, stdout, error);
    }
    if (what == WHAT_CHECK) {
        return ww_trace_check(trace, &info.trace, stdout, error);
    }
    if (o->output == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "trace %s: no %s to write to; expected -o %s",
                       whats[what], what == WHAT_PACK ? "file" : "folder",
                       what == WHAT_PACK ? "FILE" : "FOLDER");
    }
    if (what == WHAT_MAKE) {
        return make(o, opcodes, trace, error);
    }
    if (what == WHAT_PACK) {
        FILE *out = ww_output_same(o->output, "/dev/stdout") ? stderr : stdout;
        return ww_trace_pack(trace, o->output, (uint32_t)MIN(level, UINT32_MAX), out, error);
    }
    if (what == WHAT_UNPACK) {
        return ww_trace_unpack(trace, o->output, stdout, error);
    }
    int format = o->format != NULL ? cli_choice("--format", o->format, formats, error) : 0;
    if (format < 0) {
        return false;
    }
    WwTraceRecompressOptions pack = {.format = format == 1 ? WW_TRACE_XZ : WW_TRACE_ZST,
                                     .level = (uint32_t)MIN(level, UINT32_MAX)};
    return ww_trace_recompress(trace, o->output, &pack, stdout, error);
}

int cli_trace(int argc, char **argv)
{
    Options o = {0};
    GError *error = NULL;
    g_autofree char *usage = g_strconcat(cli_choices(whats), " TRACE", NULL);
    const GOptionEntry own[] = {
        {"json", 0, 0, G_OPTION_ARG_NONE, &o.json, "info: as JSON", NULL},
        {"code", 0, 0, G_OPTION_ARG_NONE, &o.code,
         "info: the code of each kernel that is in a listing", NULL},
        {"top", 0, 0, G_OPTION_ARG_FILENAME, &o.top,
         "info: number of opcodes to show for a kernel (default 10)", "N"},
        {"opcodes", 0, 0, G_OPTION_ARG_FILENAME, &o.opcodes,
         "info, check, make: classify opcodes by this map: NAME of one, or a .map file", "MAP"},
        {"kernels", 0, 0, G_OPTION_ARG_FILENAME, &o.kernels,
         "info, check: only these kernels, e.g. 3,5-7", "LIST"},
        {"max-ctas", 0, 0, G_OPTION_ARG_FILENAME, &o.max_ctas,
         "info, check: only the first N CTAs of each kernel", "N"},
        {"sass", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &o.sass,
         "info, check: listing or cubin of the trace's code; repeatable; none: ignore those beside "
         "the trace, too",
         "FILE"},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &o.strict,
         "info, check: treat unknown opcodes, and warps that continue after their last EXIT, as "
         "errors",
         NULL},
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &o.output,
         "pack: the file to write; unpack, recompress, make: the folder", "FILE"},
        {"format", 0, 0, G_OPTION_ARG_FILENAME, &o.format,
         "recompress: zst (default) or xz; make: also plain", cli_choices(made)},
        {"level", 0, 0, G_OPTION_ARG_FILENAME, &o.level,
         "pack, recompress: 1 to 19 (zst), 1 to 9 (xz)", "N"},
        {"max-steps", 0, 0, G_OPTION_ARG_FILENAME, &o.max_steps,
         "make: limit of statements, loop iterations and operations, each counted twice (default "
         "1000000000)",
         "N"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    bool good = cli_parse(&argc, &argv, usage, "Inspects, verifies, packs or makes a trace.",
                          description, tables, &error);
    if (good && argc != 3) {
        good =
            ww_fail(&error, WW_ERROR_USAGE,
                    "trace: expected info, check, pack, unpack, recompress or make, and one trace");
    }
    int what = good ? cli_choice("trace:", argv[1], whats, &error) : -1;
    good = what >= 0 && work(&o, what, argv[2], &error);
    char *const texts[] = {o.opcodes, o.kernels, o.max_ctas, o.top,
                           o.output,  o.format,  o.level,    o.max_steps};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    g_strfreev(o.sass);
    return good ? CLI_DONE : cli_fail(error);
}
