/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace info`: a summary of a trace as text or JSON.
 */
#include "tally-priv.h"
#include "text-priv.h"

#include <trace/info.h>

#define U64 "%" G_GUINT64_FORMAT

static const char *const mode_names[3] = {"list", "stride", "delta"};

typedef struct Report {
    FILE *out;
    bool json, code;
    uint32_t top;
    uint32_t n_kernels, n_memcpy;
    uint64_t memcpy_bytes;
    WwTally total;
} Report;

/** @p text as a JSON string. It is valid UTF-8 without control characters (the reader sees to that)
 * or a file name. */
void ww_info_string(FILE *out, const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text, -1);
    fputc('"', out);
    for (const char *p = valid; *p != '\0'; p++) {
        if (*p == '"' || *p == '\\') {
            fputc('\\', out);
            fputc(*p, out);
        } else if ((unsigned char)*p < 0x20) {
            fprintf(out, "\\u%04x", (unsigned)*p);
        } else {
            fputc(*p, out);
        }
    }
    fputc('"', out);
}

static void put_counts_json(FILE *out, const WwTally *t)
{
    const char *comma = "";
    fprintf(out,
            "\"ctas\": " U64 ", \"warp_instructions\": " U64 ", \"thread_instructions\": " U64
            ", \"static_instructions\": " U64 ", \"categories\": {",
            t->ctas, t->warp_insts, t->thread_insts, t->sinsts);
    for (int i = 0; i < WW_N_OPS; i++) {
        if (t->by_op[i] != 0) {
            fprintf(out, "%s\"%s\": " U64, comma, ww_op_name((WwOp)i), t->by_op[i]);
            comma = ", ";
        }
    }
    fprintf(out,
            "}, \"address_modes\": {\"list\": " U64 ", \"stride\": " U64 ", \"delta\": " U64 "}",
            t->by_mode[0], t->by_mode[1], t->by_mode[2]);
}

static void put_kernel_json(Report *r, const WwKernel *k, const WwTally *t)
{
    FILE *out = r->out;
    fprintf(out, "%s\n    {\"name\": ", r->n_kernels > 1 ? "," : "");
    ww_info_string(out, k->name);
    fputs(", \"file\": ", out);
    ww_info_string(out, k->file);
    fprintf(out,
            ", \"ordinal\": %u, \"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared_bytes\": "
            "%u,\n     "
            "\"registers\": %u, \"binary_version\": %u, \"map\": \"%s\", \"tracer_version\": %u, "
            "\"stream\": " U64 ",\n     ",
            k->uid, k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2],
            k->shmem, k->nregs, k->binary_version, ww_opcode_map_name(ww_kernel_map(k->priv)),
            ((const WwKernelReader *)k->priv)->tracer_version, k->stream);
    put_counts_json(out, t);
    fputs(",\n     ", out);
    ww_info_listing_json(out, k->priv);
    fputs(",\n     \"opcodes\": {", out);
    for (uint32_t i = 0; i < t->n_opcodes && i < r->top; i++) {
        fputs(i > 0 ? ", " : "", out);
        ww_info_string(out, t->opcodes[i].opcode);
        fprintf(out, ": " U64, t->opcodes[i].warp_insts);
    }
    fputs("}}", out);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole == 0 ? 0.0 : 100.0 * (double)part / (double)whole;
}

/* "BEFORE264,192" */
static void put_number(FILE *out, const char *before, uint64_t n)
{
    g_autofree char *number = ww_trace_grouped(n);
    fprintf(out, "%s%s", before, number);
}

static void put_counts_text(FILE *out, const WwTally *t)
{
    put_number(out, "  thread blocks ", t->ctas);
    put_number(out, ", warp instructions ", t->warp_insts);
    put_number(out, ", thread instructions ", t->thread_insts);
    fprintf(out, " (%.1f lanes of 32)",
            t->warp_insts == 0 ? 0.0 : (double)t->thread_insts / (double)t->warp_insts);
    put_number(out, ", ", t->sinsts);
    fputs(" static\n  categories:", out);
    for (int i = 0; i < WW_N_OPS; i++) {
        if (t->by_op[i] != 0) {
            fprintf(out, " %s", ww_op_name((WwOp)i));
            put_number(out, " ", t->by_op[i]);
            fprintf(out, " (%.1f %%)", percent(t->by_op[i], t->warp_insts));
        }
    }
    fputs("\n  address modes:", out);
    for (int i = 0; i < 3; i++) {
        fprintf(out, " %s", mode_names[i]);
        put_number(out, " ", t->by_mode[i]);
    }
    fputc('\n', out);
}

static void put_kernel_text(Report *r, const WwKernel *k, const WwTally *t)
{
    FILE *out = r->out;
    const WwKernelReader *reader = k->priv;
    fprintf(out, "kernel %u: %s\n", k->uid, k->name);
    fprintf(out, "  file %s (tracer version %u)\n", k->file, reader->tracer_version);
    fprintf(out,
            "  grid (%u,%u,%u), block (%u,%u,%u), shared memory %u bytes, registers %u, binary "
            "version %u (%s), "
            "stream " U64 "\n",
            k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1], k->block[2], k->shmem,
            k->nregs, k->binary_version, ww_opcode_map_name(ww_kernel_map(reader)), k->stream);
    put_counts_text(out, t);
    ww_info_listing_text(out, reader);
    fputs("  opcodes:", out);
    for (uint32_t i = 0; i < t->n_opcodes && i < r->top; i++) {
        fprintf(out, " %s", t->opcodes[i].opcode);
        put_number(out, " ", t->opcodes[i].warp_insts);
    }
    fputs(t->n_opcodes > r->top ? " ...\n" : "\n", out);
    if (r->code && k->code != NULL) {
        ww_info_code(out, reader);
    }
}

static bool report_kernel(Report *r, WwTrace *trace, const WwKernel *kernel, GError **error)
{
    WwTally tally = {0};
    bool good = ww_tally_kernel(&tally, trace, kernel, error);
    if (good) {
        r->n_kernels++;
        ww_tally_add(&r->total, &tally);
        if (r->json) {
            put_kernel_json(r, kernel, &tally);
        } else {
            put_kernel_text(r, kernel, &tally);
        }
    }
    ww_tally_clear(&tally);
    return good;
}

static void put_end(const Report *r, const WwTrace *trace)
{
    uint32_t n = 0;
    FILE *out = r->out;
    const WwTraceUnknown *unknown = ww_trace_unknown(trace, &n);
    if (r->json) {
        fprintf(out,
                "\n  ],\n  \"total\": {\"kernels\": %u, \"memcpy\": %u, \"memcpy_bytes\": " U64
                ", ",
                r->n_kernels, r->n_memcpy, r->memcpy_bytes);
        put_counts_json(out, &r->total);
        fputs("},\n  \"unknown_opcodes\": [", out);
    } else {
        fprintf(out, "total: %u kernel%s, %u %s to the device", r->n_kernels,
                r->n_kernels != 1 ? "s" : "", r->n_memcpy, r->n_memcpy != 1 ? "copies" : "copy");
        put_number(out, " (", r->memcpy_bytes);
        fputs(" bytes)\n", out);
        put_counts_text(out, &r->total);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (r->json) {
            fprintf(out, "%s\n    {\"opcode\": ", i > 0 ? "," : "");
            ww_info_string(out, unknown[i].opcode);
            fprintf(out, ", \"count\": " U64 ", \"category\": \"%s\"}", unknown[i].count,
                    ww_op_name(unknown[i].category));
        } else {
            fprintf(out, "  unknown opcode %s:", unknown[i].opcode);
            put_number(out, " ", unknown[i].count);
            fprintf(out, " time%s, taken as %s\n", unknown[i].count != 1 ? "s" : "",
                    ww_op_name(unknown[i].category));
        }
    }
    fputs(r->json ? "]\n}\n" : "", out);
}

bool ww_trace_info(const char *path, const WwTraceInfoOptions *options, FILE *out, GError **error)
{
    static const WwTraceInfoOptions defaults = {0};
    WwCommand command;
    options = options != NULL ? options : &defaults;
    Report r = {.out = out,
                .json = options->json,
                .code = options->code,
                .top = options->top != 0 ? options->top : 10};
    g_autoptr(WwTrace) trace = ww_trace_open(path, &options->trace, error);
    if (trace == NULL) {
        return false;
    }
    if (r.json) {
        fputs("{\n  \"schema\": \"warpwright-trace-info-1\",\n  \"trace\": ", out);
        ww_info_string(out, path);
        fputs(",\n  \"kernels\": [", out);
    }
    for (;;) {
        if (!ww_trace_source.next_command(trace, &command, error)) {
            return false;
        }
        if (command.kind == WW_COMMAND_END) {
            break;
        }
        if (command.kind == WW_COMMAND_MEMCPY_HTOD) {
            r.n_memcpy++;
            r.memcpy_bytes += command.bytes;
            continue;
        }
        bool good = report_kernel(&r, trace, command.kernel, error);
        ww_trace_source.close_kernel(trace, command.kernel);
        if (!good) {
            return false;
        }
    }
    put_end(&r, trace);
    return true;
}
