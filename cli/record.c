/* SPDX-License-Identifier: Apache-2.0 */
/* The files of a run, by hash. Texts are hashed as they were read; kernel traces, which may be very large, only by their size. */
#include "record.h"

#include <string.h>
#include <sys/stat.h>
#include <warpwright/output.h>

#define CHUNK 65536u

static void free_input(gpointer data)
{
    CliInput *in = data;
    g_free(in->name);
    g_free(in->path);
    g_free(in->sha256);
    g_free(in);
}

/* "configs/qv100.conf" wherever the command's data lie. */
static char *name_of(const char *path)
{
    static const char *const kinds[] = {"platforms", "configs", "modules"};
    for (size_t k = 0; k < G_N_ELEMENTS(kinds); k++) {
        for (const char *const *dir = cli_dirs(kinds[k]); *dir != NULL; dir++) {
            size_t n = strlen(*dir);
            if (strncmp(path, *dir, n) == 0 && path[n] == '/') {
                return g_strconcat(kinds[k], path + n, NULL);
            }
        }
    }
    return g_strdup(path);
}

static CliInput *add(CliRecord *r, const char *kind, const char *path)
{
    CliInput *in = g_new0(CliInput, 1);
    in->kind = kind;
    in->path = g_strdup(path);
    in->name = name_of(path);
    g_ptr_array_add(r->inputs, in);
    return in;
}

/* ---- hashes ----------------------------------------------------------------------------------------------------- */

typedef struct Reading {
    CliRecord *record;
    const char *kind;
} Reading;

static void add_text(void *user, const char *file, const char *text, size_t length)
{
    const Reading *reading = user;
    CliInput *in = add(reading->record, reading->kind, file);
    if (!reading->record->hashes) {
        return;
    }
    in->sha256 = g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, length);
}

/* NULL for what cannot be read a second time. */
char *cli_record_hash(const char *path)
{
    struct stat st;
    FILE *in = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
    if (in == NULL) {
        return NULL;
    }
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    g_autofree guchar *chunk = g_malloc(CHUNK);
    size_t n;
    while ((n = fread(chunk, 1, CHUNK, in)) != 0) {
        g_checksum_update(sum, chunk, (gssize)n);
    }
    bool good = !ferror(in);
    fclose(in);
    return good ? g_strdup(g_checksum_get_string(sum)) : NULL;
}

static void add_file(CliRecord *r, const char *kind, const char *path)
{
    CliInput *in = add(r, kind, path);
    in->sha256 = r->hashes ? cli_record_hash(path) : NULL;
}

static void add_kernels(CliRecord *r, const WwTrace *trace)
{
    bool single;
    struct stat st;
    const char *list = ww_trace_file(trace, &single), *file;
    if (!single) {
        add_file(r, "list", list);
    }
    uint32_t n;
    char *const *listings = ww_trace_listings(trace, &n);
    for (uint32_t i = 0; i < n; i++) {
        add_file(r, "listing", listings[i]);
    }
    CliInput *all = add(r, "kernels", list);
    for (uint32_t i = 0; (file = ww_trace_kernel_file(trace, i)) != NULL; i++) {
        g_ptr_array_add(r->kernels, g_strdup(file));
        all->files++;
        all->bytes += stat(file, &st) == 0 ? (uint64_t)st.st_size : 0;
    }
}

typedef struct Maps {
    CliRecord *record;
    CliInput *first;
    GChecksum *sum;
} Maps;

static void add_map(void *user, const char *file, const char *text, size_t length)
{
    Maps *maps = user;
    if (maps->first == NULL) {
        maps->first = add(maps->record, "opcodes", file);
    }
    g_checksum_update(maps->sum, (const guchar *)text, (gssize)length);
}

void cli_record_opcodes(CliRecord *r, const WwOpcodeMap *map)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    Maps maps = {.record = r, .sum = sum};
    if (!r->hashes) {
        add(r, "opcodes", ww_opcode_map_file(map));
        return;
    }
    ww_opcode_map_each_file(map, add_map, &maps);
    maps.first->sha256 = g_strdup(g_checksum_get_string(sum));
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

void cli_record_word(CliRecord *r, const char *option, const char *value)
{
    g_ptr_array_add(r->command, g_strdup(option));
    if (value != NULL) {
        g_ptr_array_add(r->command, g_strdup(value));
    }
}

static void add_words(CliRecord *r, const char *option, char *const *values)
{
    for (; values != NULL && *values != NULL; values++) {
        cli_record_word(r, option, *values);
    }
}

static void add_setup(CliRecord *r, const CliSetup *s)
{
    cli_record_word(r, "warpwright", "run");
    if (s->named) {
        cli_record_word(r, "-p", s->platform_name);
    }
    add_words(r, "-c", s->configs);
    add_words(r, "--gpgpusim", s->gpgpusim);
    if (s->sms != 0) {
        g_autofree char *n = g_strdup_printf("%" G_GUINT64_FORMAT, s->sms);
        cli_record_word(r, "--sms", n);
    }
    add_words(r, "-m", s->modules);
    add_words(r, "-s", s->values);
    if (s->strict) {
        cli_record_word(r, "--strict", NULL);
    }
    if (s->ignore_unknown) {
        cli_record_word(r, "--ignore-unknown-options", NULL);
    }
}

CliRecord *cli_record_new(const CliSetup *s, const WwTrace *trace, bool hashes)
{
    CliRecord *r = g_new0(CliRecord, 1);
    r->hashes = hashes;
    r->command = g_ptr_array_new_with_free_func(g_free);
    r->inputs = g_ptr_array_new_with_free_func(free_input);
    r->kernels = g_ptr_array_new_with_free_func(g_free);
    add_setup(r, s);
    ww_platform_each_file(s->platform, add_text, &(Reading){r, "platform"});
    ww_overrides_each_file(s->overrides, add_text, &(Reading){r, "config"});
    for (guint i = 0; s->option_files != NULL && i < s->option_files->len; i++) {
        const char *file = s->option_files->pdata[i];
        add_file(r, "options", file);
    }
    for (guint i = 0; s->module_files != NULL && i < s->module_files->len; i++) {
        const char *file = s->module_files->pdata[i];
        add_file(r, "module", file);
    }
    if (trace != NULL) {
        add_kernels(r, trace);
    }
    return r;
}

void cli_record_free(CliRecord *r)
{
    if (r != NULL) {
        g_ptr_array_unref(r->command);
        g_ptr_array_unref(r->inputs);
        g_ptr_array_unref(r->kernels);
        g_free(r);
    }
}

/* ---- outputs that are inputs -------------------------------------------------------------------------------------- */

bool cli_record_same_place(const char *path, const char *other)
{
    g_autofree char *a = g_path_get_dirname(path), *b = g_path_get_dirname(other);
    g_autofree char *x = g_path_get_basename(path), *y = g_path_get_basename(other);
    return ww_output_same(path, other) || (ww_output_same(a, b) && strcmp(x, y) == 0);
}

/* Anything else is not replaced. */
static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

bool cli_record_apart(const char *what, const char *path, const char *input, GError **error)
{
    bool same = is_file(path) && ww_output_same(path, input);
    return !same || ww_fail(error, WW_ERROR_USAGE,
                            "%s '%s' is the file '%s', which is read, too; expected another one",
                            what, path, input);
}

bool cli_outputs_apart(char *const *paths, char *const *inputs, uint32_t n, GError **error)
{
    for (char *const *p = paths; p != NULL && *p != NULL; p++) {
        for (uint32_t i = 0; i < n; i++) {
            if (!cli_record_apart("-o", *p, inputs[i], error)) {
                return false;
            }
        }
        for (char *const *before = paths; before != p; before++) {
            if (cli_record_same_place(*before, *p)) {
                return ww_fail(error, WW_ERROR_USAGE,
                               "'%s' would be written twice; expected a file for each output", *p);
            }
        }
    }
    return true;
}

bool cli_record_refuse(const CliRecord *r, const char *what, const char *path, GError **error)
{
    if (!is_file(path)) { /* as most are; a trace has 100,000 files */
        return true;
    }
    for (guint i = 0; i < r->inputs->len; i++) {
        const CliInput *in = r->inputs->pdata[i];
        if (!cli_record_apart(what, path, in->path, error)) {
            return false;
        }
    }
    for (guint i = 0; i < r->kernels->len; i++) {
        if (!cli_record_apart(what, path, r->kernels->pdata[i], error)) {
            return false;
        }
    }
    return true;
}
