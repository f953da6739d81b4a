/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results for programs: JSON and CSV. Files appear under their names all together and complete, or not at all.
 *
 * JSON: {schema, version, status, partial, trace, platform, config, command[], inputs[], resolved{}, kernels[], intervals{}, total{}, host{}}. It
 * is written kernel by kernel, and never whole in memory. `command` and `inputs` make the result again. A kernel's counters are
 * of that kernel alone; maxima, which cannot be taken apart, stand in `total` only. A counter is named TYPE.STATISTIC;
 * 'warpwright inspect TYPE' says its unit and meaning. `instances`, in kernels and total, has the components that --stats chose. CSV: one
 * row a kernel, vectors as one column an entry; without a trace one row, the platform's, with maxima.
 */
#include "json.h"
#include "output-priv.h"
#include "pcs.h"
#include "record.h"
#include "report.h"
#include "result_file.h"

#include <errno.h>
#include <inttypes.h>
#include <results/limit.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <warpwright/module.h>
#include <warpwright/output.h>

#define SCHEMA "warpwright-results-1"
#define CANNOT "cannot write results: "

static const WwColumn *column_at(const WwResults *r, uint32_t i)
{
    return &g_array_index(r->columns, WwColumn, i);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static bool is_number(const WwStatRow *row)
{
    return row->kind == WW_STAT_COUNTER || row->kind == WW_STAT_MAX;
}

static void write_statistic(const WwColumn *c, const uint64_t *values, FILE *out)
{
    const WwStatRow *row = c->row;
    if (is_number(row)) {
        cli_json_put_number(values[c->at], out);
        return;
    }
    if (row->labels == NULL) {
        cli_json_put_numbers(values + c->at, row->n, out);
        return;
    }
    cli_json_put("{", out);
    for (uint32_t i = 0; i < row->n; i++) {
        cli_json_put_flat_name(i, row->labels[i], out);
        cli_json_put_number(values[c->at + i], out);
    }
    cli_json_put("}", out);
}

/* @p level: of the object. Numbers alone stand on one line in a kernel, as cli_json_write() has it. */
static void write_counters(const WwResults *r, const uint64_t *values, bool maxima, int level,
                           FILE *out)
{
    bool flat = true;
    unsigned n = 0;
    for (uint32_t i = 0; i < r->columns->len; i++) {
        const WwStatRow *row = column_at(r, i)->row;
        flat &= is_number(row) && (level > 2 || (row->kind == WW_STAT_MAX && !maxima));
    }
    cli_json_put("{", out);
    for (uint32_t i = 0; i < r->columns->len; i++) {
        const WwColumn *c = column_at(r, i);
        if (c->row->kind == WW_STAT_MAX && !maxima) {
            continue;
        }
        g_autofree char *name = g_strconcat(c->type->name, ".", c->row->name, NULL);
        if (flat) {
            cli_json_put_flat_name(n++, name, out);
        } else {
            cli_json_put_name(n++, level + 1, name, out);
        }
        write_statistic(c, values, out);
    }
    if (!flat) {
        cli_json_put_line(level, out);
    }
    cli_json_put("}", out);
}

static json_t *three(const uint32_t v[3])
{
    return json_pack("[o,o,o]", cli_json_number(v[0]), cli_json_number(v[1]),
                     cli_json_number(v[2]));
}

/* When SMs had work, and what bounds it. */
static void add_work(const WwResults *r, json_t *o, const uint64_t *values, uint32_t sms,
                     WwCycle cycles, WwCycle launch, WwCycle tail)
{
    WwLimit limit = ww_limit(r, values, cycles, launch, tail);
    g_autofree char *text = ww_limit_text(&limit);
    if (r->slots->len != 0) {
        json_object_set_new(o, "sms", cli_json_number(sms));
        json_object_set_new(o, "launch_cycles", cli_json_number(launch));
        json_object_set_new(o, "tail_cycles", cli_json_number(tail));
    }
    if (text != NULL) {
        json_object_set_new(o, "bound_by", json_string(text));
    }
}

/* Statistics, as sums and of what --stats chose. */
static void write_statistics(CliJsonWriter *w, const WwResults *r, const uint64_t *values,
                             const uint64_t *picked, bool maxima)
{
    cli_json_part(w, "counters");
    write_counters(r, values, maxima, w->level + 1, w->out);
    if (r->picks != NULL) {
        cli_json_parts(w,
                       json_pack("{s:o}", "instances", cli_picks_json(r->picks, picked, maxima)));
    }
}

/* @p values and @p picked have room for all of a kernel's. */
static void write_kernel(CliJsonWriter *w, const WwResults *r, const WwResultKernel *k,
                         uint64_t *values, uint64_t *picked)
{
    ww_results_kernel_values(r, k, values);
    if (r->picks != NULL) {
        ww_results_kernel_picked(r, k, picked);
    }
    json_t *o = json_object();
    json_object_set_new(o, "name", cli_json_text(k->name));
    json_object_set_new(o, "uid", cli_json_number(k->uid));
    json_object_set_new(o, "grid", three(k->grid));
    json_object_set_new(o, "block", three(k->block));
    json_object_set_new(o, "stream", cli_json_number(k->stream));
    json_object_set_new(o, "partial", json_boolean(k->partial));
    json_object_set_new(o, "cycles", cli_json_number(k->cycles));
    json_object_set_new(o, "end_cycle", cli_json_number(k->end));
    json_object_set_new(o, "thread_instructions", cli_json_number(k->thread_insns));
    json_object_set_new(o, "warp_instructions", cli_json_number(k->warp_insns));
    json_object_set_new(o, "ctas", cli_json_number(k->ctas));
    add_work(r, o, values, k->sms, k->cycles, k->launch, k->tail);
    cli_json_entry_begin(w);
    cli_json_parts(w, o);
    write_statistics(w, r, values, picked, false);
    cli_pcs_json(r, k, values, w);
    cli_json_parts_end(w);
}

static void write_total(CliJsonWriter *w, const WwResults *r)
{
    json_t *o = json_object();
    uint64_t threads, warps, launch, ctas = 0, tail = 0;
    uint32_t all, sms = ww_results_sms(r, &all);
    ww_results_value(r, r->total, WW_EMPTY_CYCLES, NULL, &launch);
    ww_results_value(r, r->total, WW_THREAD_INSNS, NULL, &threads);
    ww_results_value(r, r->total, WW_WARP_INSNS, NULL, &warps);
    for (guint i = 0; i < r->kernels.n; i++) {
        ctas += ((const WwResultKernel *)r->kernels.v[i])->ctas;
        tail += ((const WwResultKernel *)r->kernels.v[i])->tail;
    }
    json_object_set_new(o, "cycles", cli_json_number(r->cycles));
    json_object_set_new(o, "thread_instructions", cli_json_number(threads));
    json_object_set_new(o, "warp_instructions", cli_json_number(warps));
    json_object_set_new(o, "ctas", cli_json_number(ctas));
    add_work(r, o, r->total, sms, r->cycles, launch, tail);
    cli_json_member(w, "total", NULL);
    cli_json_value_begin(w);
    cli_json_parts(w, o);
    write_statistics(w, r, r->total, r->picked_total, true);
    cli_json_parts_end(w);
}

static json_t *value_json(const WwSettingInfo *s)
{
    switch (s->row->kind) {
    case WW_PARAM_BOOL:
        return json_boolean(s->value->b);
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        return cli_json_number(s->value->u);
    case WW_PARAM_REAL:
        return json_real(s->value->r);
    case WW_PARAM_LIST: {
        json_t *list = json_array();
        for (uint32_t i = 0; i < s->value->list.n; i++) {
            json_array_append_new(list, cli_json_number(s->value->list.v[i]));
        }
        return list;
    }
    case WW_PARAM_STRING:
        return cli_json_text(s->value->s);
    case WW_PARAM_CHOICE:
        return cli_json_text(s->row->choices[s->value->u]);
    }
    return cli_json_text(s->text);
}

typedef struct Resolved {
    json_t *all, *unused; /* the latter may be NULL */
} Resolved;

static void add_unused(void *user, const WwSettingInfo *s)
{
    json_array_append_new(user, cli_json_text(s->path));
}

static void add_setting(void *user, const WwSettingInfo *s)
{
    const Resolved *r = user;
    json_object_set_new(r->all, s->path, value_json(s));
    if (s->unused && r->unused != NULL) {
        add_unused(r->unused, s);
    }
}

json_t *cli_resolved_json(const WwElaboration *elaboration, json_t *unused)
{
    Resolved r = {json_object(), unused};
    ww_elaboration_each(elaboration, NULL, add_setting, &r);
    if (unused != NULL) {
        cli_fit_carved(elaboration, add_unused, unused);
    }
    return r.all;
}

/* Values, and paths of those by which nothing of the platform goes; most platforms have none. */
static void write_resolved(CliJsonWriter *w, const WwElaboration *elaboration)
{
    json_t *unused = json_array();
    cli_json_member(w, "resolved", cli_resolved_json(elaboration, unused));
    if (json_array_size(unused) != 0) {
        cli_json_member(w, "unused", unused);
    } else {
        json_decref(unused);
    }
}

static json_t *words_json(const char *const *words, guint n)
{
    json_t *list = json_array();
    for (guint i = 0; i < n; i++) {
        json_array_append_new(list, cli_json_text(words[i]));
    }
    return list;
}

static json_t *host_json(const WwResults *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "seconds", json_real(r->host_s));
    json_object_set_new(o, "processor_seconds", json_real(r->host_cpu_s));
    json_object_set_new(o, "start_seconds", json_real(r->host_start_cpu_s));
    json_object_set_new(o, "threads", cli_json_number(r->threads));
    json_object_set_new(o, "activations", cli_json_number(r->activations));
    json_object_set_new(o, "window_ticks", cli_json_number(r->window_ticks));
    const char *const *words = cli_process_words();
    json_object_set_new(o, "command_line", words_json(words, g_strv_length((char **)words)));
    return o;
}

static json_t *inputs_json(const CliRecord *record)
{
    json_t *list = json_array();
    for (guint i = 0; i < record->inputs->len; i++) {
        const CliInput *in = record->inputs->pdata[i];
        json_t *o = json_object();
        json_object_set_new(o, "kind", json_string(in->kind));
        json_object_set_new(o, "file", cli_json_text(in->name));
        if (in->files != 0) {
            json_object_set_new(o, "files", cli_json_number(in->files));
            json_object_set_new(o, "bytes", cli_json_number(in->bytes));
        } else {
            json_object_set_new(o, "sha256",
                                in->sha256 != NULL ? json_string(in->sha256) : json_null());
        }
        json_array_append_new(list, o);
    }
    return list;
}

/* {"MODULE": ["TYPE", ...], ...}: so that readers know whose the statistics of a type are. */
static json_t *modules_json(const GPtrArray *modules)
{
    json_t *all = json_object();
    for (guint i = 0; i < modules->len; i++) {
        const WwModule *module = modules->pdata[i];
        json_t *types = json_array();
        for (const WwType *const *t = module->types; t != NULL && *t != NULL; t++) {
            json_array_append_new(types, json_string((*t)->name));
        }
        json_object_set_new(all, module->name, types);
    }
    return all;
}

static void write_head(CliJsonWriter *w, const CliOutput *run)
{
    const WwResults *r = run->results;
    const CliRecord *record = run->record;
    cli_json_member(w, "schema", json_string(SCHEMA));
    cli_json_member(w, "version", json_string(WW_VERSION));
    cli_json_member(w, "status", json_string(r->status));
    cli_json_member(w, "partial", json_boolean(r->partial));
    cli_json_member(w, "trace", cli_json_text(r->trace));
    cli_json_member(w, "platform", cli_json_text(r->platform));
    cli_json_member(w, "config",
                    words_json((const char *const *)r->configs,
                               r->configs != NULL ? g_strv_length(r->configs) : 0));
    cli_json_member(w, "command",
                    words_json((const char *const *)record->command->pdata, record->command->len));
    cli_json_member(w, "inputs", inputs_json(record));
    if (run->modules != NULL && run->modules->len != 0) {
        cli_json_member(w, "modules", modules_json(run->modules));
    }
    if (run->notes != NULL && run->notes->len != 0) {
        cli_json_member(w, "notes",
                        words_json((const char *const *)run->notes->pdata, run->notes->len));
    }
    if (r->has_fingerprint) {
        g_autofree char *print = g_strdup_printf("%016" PRIx64, r->fingerprint);
        cli_json_member(w, "fingerprint", json_string(print));
    }
}

/* Room for what was chosen. */
static uint64_t *new_picked(const WwResults *r)
{
    return g_new(uint64_t, (r->picks != NULL ? ww_picks_n(r->picks) : 0) + 1);
}

static void results_json(const CliOutput *run, FILE *out)
{
    const WwResults *r = run->results;
    CliJsonWriter w = {.out = out, .depth = 5};
    g_autofree uint64_t *values = g_new(uint64_t, r->n + 1), *picked = new_picked(r);
    write_head(&w, run);
    write_resolved(&w, run->elaboration);
    cli_json_member(&w, "kernels", NULL);
    for (guint i = 0; i < r->kernels.n; i++) {
        write_kernel(&w, r, r->kernels.v[i], values, picked);
    }
    cli_json_list_end(&w);
    if (run->intervals != NULL) {
        cli_json_member(&w, "intervals", NULL);
        cli_intervals_json(run->intervals, out);
    }
    write_total(&w, r);
    if (run->host) {
        cli_json_member(&w, "host", host_json(r));
    }
    cli_json_end(&w);
}

/* ---- CSV -------------------------------------------------------------------------------------------------------- */

void cli_csv_text(const char *text, FILE *out)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, out);
        return;
    }
    fputc('"', out);
    for (const char *p = text; *p != '\0'; p++) {
        fputs(*p == '"' ? "\"" : "", out);
        fputc(*p, out);
    }
    fputc('"', out);
}

void cli_csv_visible(const char *text, FILE *out)
{
    g_autofree char *shown = cli_visible(text);
    cli_csv_text(shown, out);
}

/* Maxima cannot be taken apart into kernels: a column only where there are none. */
static bool has_column(const WwResults *r, const WwColumn *c)
{
    return c->row->kind != WW_STAT_MAX || *r->trace == '\0';
}

static void csv_head(const WwResults *r, FILE *out)
{
    fputs("kernel,uid,cycles,end_cycle,thread_instructions,warp_instructions,ctas,partial", out);
    for (uint32_t i = 0; i < r->columns->len; i++) {
        const WwColumn *c = column_at(r, i);
        for (uint32_t k = 0; has_column(r, c) && k < c->row->n; k++) {
            fprintf(out, ",%s.%s", c->type->name, c->row->name);
            if (c->row->labels != NULL) {
                fprintf(out, ".%s", c->row->labels[k]);
            } else if (c->row->n > 1) {
                fprintf(out, ".%u", k);
            }
        }
    }
    if (r->picks != NULL) {
        cli_picks_csv_head(r->picks, *r->trace == '\0', out);
    }
    fputc('\n', out);
}

static void csv_row(const WwResults *r, const WwResultKernel *k, const uint64_t *values,
                    const uint64_t *picked, FILE *out)
{
    cli_csv_text(k->name, out);
    fprintf(out, ",%u,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%s", k->uid,
            k->cycles, k->end, k->thread_insns, k->warp_insns, k->ctas,
            k->partial ? "true" : "false");
    for (uint32_t c = 0; c < r->columns->len; c++) {
        const WwColumn *column = column_at(r, c);
        for (uint32_t n = 0; has_column(r, column) && n < column->row->n; n++) {
            fprintf(out, ",%" PRIu64, values[column->at + n]);
        }
    }
    if (r->picks != NULL) {
        cli_picks_csv_row(r->picks, picked, *r->trace == '\0', out);
    }
    fputc('\n', out);
}

static void results_csv(const WwResults *r, FILE *out)
{
    g_autofree uint64_t *values = g_new(uint64_t, r->n + 1), *picked = new_picked(r);
    csv_head(r, out);
    for (guint i = 0; i < r->kernels.n; i++) {
        const WwResultKernel *k = r->kernels.v[i];
        ww_results_kernel_values(r, k, values);
        if (r->picks != NULL) {
            ww_results_kernel_picked(r, k, picked);
        }
        csv_row(r, k, values, picked, out);
    }
    if (*r->trace == '\0') {
        WwResultKernel whole = {.name = (char *)r->platform,
                                .cycles = r->cycles,
                                .end = r->cycles,
                                .partial = r->partial};
        ww_results_value(r, r->total, WW_THREAD_INSNS, NULL, &whole.thread_insns);
        ww_results_value(r, r->total, WW_WARP_INSNS, NULL, &whole.warp_insns);
        csv_row(r, &whole, r->total, r->picked_total, out);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Programs that start a run read what it writes there: JSON. */
static bool is_stdout(const char *path)
{
    return strcmp(path, "/dev/stdout") == 0;
}

static bool is_csv(const char *path)
{
    return g_str_has_suffix(path, ".csv");
}

char **cli_output_files(char *const *paths, bool intervals)
{
    GPtrArray *files = g_ptr_array_new();
    for (char *const *p = paths; p != NULL && *p != NULL; p++) {
        g_ptr_array_add(files, g_strdup(*p));
    }
    for (char *const *p = paths; intervals && p != NULL && *p != NULL; p++) {
        if (is_csv(*p)) {
            int stem = (int)(strlen(*p) - strlen(".csv"));
            g_ptr_array_add(files, g_strdup_printf("%.*s.intervals.csv", stem, *p));
        }
    }
    g_ptr_array_add(files, NULL);
    return (char **)g_ptr_array_free(files, false);
}

bool cli_output_place(const char *what, const char *path, GError **error)
{
    struct stat st;
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot write %s'%s': it is a folder; expected a file name", what, path);
    }
    if (!there && errno == ENAMETOOLONG) {
        return ww_fail(error, WW_ERROR_USAGE, "cannot write %s'%s': %s; expected a shorter one",
                       what, path, g_strerror(errno));
    }
    g_autofree char *folder = g_path_get_dirname(path);
    there = stat(folder, &st) == 0;
    if (there && !S_ISDIR(st.st_mode)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot write %s'%s': '%s' is no folder; expected one", what, path, folder);
    }
    if (!there || access(folder, W_OK | X_OK) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot write %s'%s': folder '%s': %s; expected one that can be written",
                       what, path, folder, g_strerror(errno));
    }
    return true;
}

bool cli_output_check(const char *path, GError **error)
{
    if (is_stdout(path)) {
        return true;
    }
    if (!g_str_has_suffix(path, ".json") && !is_csv(path)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "cannot tell the format of '%s'; expected a name that ends in .json or .csv",
                       path);
    }
    return cli_output_place("", path, error);
}

static bool write_one(const CliOutput *run, const char *path, bool intervals, WwOutput **out,
                      GError **error)
{
    *out = ww_output_new(path, error);
    if (*out == NULL) {
        return false;
    }
    if (intervals) {
        cli_intervals_csv(run->intervals, ww_output_file(*out));
    } else if (!is_csv(path)) {
        results_json(run, ww_output_file(*out));
    } else {
        results_csv(run->results, ww_output_file(*out));
    }
    return ww_output_finish(*out, error);
}

bool cli_output_write(const CliOutput *run, char *const *paths, GError **error)
{
    g_auto(GStrv) files = cli_output_files(paths, run->intervals != NULL);
    guint given = paths != NULL ? g_strv_length((char **)paths) : 0, n = g_strv_length(files);
    g_autofree WwOutput **out = g_new0(WwOutput *, n + 1);
    bool good = true;
    for (guint i = 0; good && i < n; i++) {
        good = write_one(run, files[i], i >= given, &out[i], error) ||
               (g_prefix_error(error, CANNOT), false);
    }
    for (guint i = 0; i < n; i++) { /* none gets its name before all are complete */
        if (good) {
            good = ww_output_keep(out[i], CANNOT, error);
        } else {
            ww_output_drop(out[i]);
        }
    }
    return good;
}
