/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes into each run, as one hash: the program, the files of its machine, its trace, its settings. Many runs share most of that, so machines
 * and traces are looked at once each.
 */
#include "record.h"
#include "sweep.h"
#include <sweep/hashes.h>

#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HASH_VERSION "warpwright-run-1"
#define PACKED 200u /* bytes of text for one of a file that does not say */

typedef struct TraceInput {
    char *path;
    GPtrArray *files; /* char *; all that is read of it */
    uint32_t version;
    uint64_t bytes; /* of its kernels' text */
    char hash[SWEEP_KEY + 1];
} TraceInput;

typedef struct Inputs {
    Sweep *s;
    WwHashes *hashes;
    GHashTable *traces;   /* identity -> TraceInput */
    GHashTable *machines; /* identity -> hash, char * */
    TraceInput **of_run;
    WwOpcodes *opcodes;
    char *common; /* hash of what is the same for all */
    bool told;
} Inputs;

/* ---- texts that tell things apart ------------------------------------------------------------------------------- */

static const char *const trace_words[] = {"trace", "kernels", "sass", "opcodes", NULL};

/* Those of @p options that are of @p names, as one text. */
static char *identity(const GPtrArray *options, const char *const *names)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (sweep_is_one_of(o, names)) {
            g_string_append_printf(out, "%s=%s\n", o->word->name, o->value);
        }
    }
    return g_string_free(out, false);
}

/* ---- traces ----------------------------------------------------------------------------------------------------- */

static void ignore_warning(void *user, const char *message) {}

static void free_trace(gpointer data)
{
    TraceInput *t = data;
    g_free(t->path);
    g_ptr_array_unref(t->files);
    g_free(t);
}

static bool add_file(Inputs *in, TraceInput *t, const char *path, GError **error)
{
    g_ptr_array_add(t->files, g_strdup(path));
    return ww_hashes_add(in->hashes, path, error);
}

/* Compressed text has anything from a tenth to a thousandth of its length. */
static uint64_t text_size(const char *path)
{
    GStatBuf st;
    uint64_t said = ww_trace_text_size(path);
    return said != 0 ? said : g_stat(path, &st) == 0 ? (uint64_t)st.st_size * PACKED : 0;
}

static bool list_files(Inputs *in, TraceInput *t, const WwTrace *trace, GError **error)
{
    bool single;
    uint32_t n;
    const char *list = ww_trace_file(trace, &single), *file;
    char *const *listings = ww_trace_listings(trace, &n);
    if (!single && !add_file(in, t, list, error)) {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (!add_file(in, t, listings[i], error)) {
            return false;
        }
    }
    const char *before = NULL; /* the kernels of a pack are all in one file */
    for (uint32_t i = 0; (file = ww_trace_kernel_file(trace, i)) != NULL; i++) {
        if (before == NULL || strcmp(before, file) != 0) {
            t->bytes += text_size(file);
            if (!add_file(in, t, file, error)) {
                return false;
            }
        }
        before = file;
    }
    return true;
}

static bool open_trace(Inputs *in, TraceInput *t, const GPtrArray *options, GError **error)
{
    g_auto(GStrv) sass = sweep_values_of(options, "sass");
    const char *map = sweep_value_of(options, "opcodes");
    g_autoptr(WwOpcodes) own = map != NULL ? ww_opcodes_new(cli_opcode_dirs()) : NULL;
    WwTraceOptions read = {.kernels = sweep_value_of(options, "kernels"),
                           .warn = ignore_warning,
                           .opcodes = own != NULL ? own : in->opcodes};
    if ((own != NULL && !ww_opcodes_choose(own, map, error)) ||
        !cli_listings(sass, &read.listings, error)) {
        return false;
    }
    g_autoptr(WwTrace) trace = ww_trace_open(t->path, &read, error);
    if (trace == NULL) {
        return false;
    }
    t->version = ww_trace_version(trace, false);
    if (map != NULL && g_file_test(map, G_FILE_TEST_IS_REGULAR) && !add_file(in, t, map, error)) {
        return false;
    }
    return list_files(in, t, trace, error);
}

/* Can the trace of these options be opened? */
static bool opens(gpointer user, const GPtrArray *options, GError **error)
{
    const char *path = sweep_value_of(options, "trace");
    if (path == NULL) {
        return ww_fail(error, WW_ERROR_INPUT, "there is no trace");
    }
    TraceInput *t = g_new0(TraceInput, 1);
    t->path = g_strdup(path);
    t->files = g_ptr_array_new_with_free_func(g_free);
    bool good = open_trace(user, t, options, error);
    free_trace(t);
    return good;
}

/* The trace of a run, which may be one of another run; NULL where it has none. */
static bool find_trace(Inputs *in, uint32_t run, const GPtrArray *options, TraceInput **out,
                       GError **error)
{
    const char *path = sweep_value_of(options, "trace");
    *out = NULL;
    if (path == NULL) {
        return sweep_value_of(options, "platform") != NULL ||
               ww_fail(error, WW_ERROR_INPUT,
                       "%s: nothing says which trace runs; expected 'axis "
                       "trace: PATTERN', or a platform that replays none",
                       in->s->file != NULL ? in->s->file : "sweep");
    }
    g_autofree char *id = identity(options, trace_words);
    *out = g_hash_table_lookup(in->traces, id);
    if (*out != NULL) {
        return true;
    }
    TraceInput *t = g_new0(TraceInput, 1);
    t->path = g_strdup(path);
    t->files = g_ptr_array_new_with_free_func(g_free);
    *out = t;
    g_hash_table_insert(in->traces, g_steal_pointer(&id), t);
    return open_trace(in, t, options, error) || sweep_blame(in->s, run, options, opens, in, error);
}

static void hash_trace(const Inputs *in, TraceInput *t)
{
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint i = 0; i < t->files->len; i++) {
        g_checksum_update(sum, (const guchar *)ww_hashes_of(in->hashes, t->files->pdata[i], NULL),
                          SWEEP_KEY);
    }
    g_strlcpy(t->hash, g_checksum_get_string(sum), sizeof t->hash);
}

/* ---- machines --------------------------------------------------------------------------------------------------- */

/* What the files of a machine hold. */
static char *hash_machine(CliSetup *setup, GError **error)
{
    if (!cli_setup_platform(setup, error)) {
        return NULL;
    }
    g_autoptr(CliRecord) record = cli_record_new(setup, NULL, true);
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint i = 0; i < record->inputs->len; i++) {
        const CliInput *input = record->inputs->pdata[i];
        if (input->sha256 == NULL) {
            ww_fail(error, WW_ERROR_INPUT, "cannot read '%s' twice; expected a file", input->path);
            return NULL;
        }
        g_checksum_update(sum, (const guchar *)input->kind, -1);
        g_checksum_update(sum, (const guchar *)input->sha256, -1);
    }
    return g_strdup(g_checksum_get_string(sum));
}

/* Where machines may be chosen by the trace, those of traces of another kind are others. */
static char *machine_identity(const GPtrArray *options, const TraceInput *trace)
{
    g_autofree char *id = identity(options, sweep_machine_words);
    bool chosen = sweep_value_of(options, "config") == NULL &&
                  sweep_value_of(options, "platform") == NULL &&
                  sweep_value_of(options, "gpgpusim") == NULL;
    return chosen && trace != NULL ? g_strdup_printf("sm_%u\n%s", trace->version, id)
                                   : g_steal_pointer(&id);
}

/* Hash of what the machine of run @p run is made from; borrowed. */
static const char *machine_of(Inputs *in, uint32_t run, const GPtrArray *options, GError **error)
{
    g_autofree char *id = machine_identity(options, in->of_run[run]);
    const char *known = g_hash_table_lookup(in->machines, id);
    if (known != NULL) {
        return known;
    }
    CliSetup setup = {0};
    char *hash = sweep_set_up(&setup, &in->s->runs[run], options, error)
                     ? hash_machine(&setup, error)
                     : NULL;
    cli_setup_clear(&setup);
    if (hash == NULL) {
        sweep_blame_machine(in->s, run, SWEEP_FILES, error);
        return NULL;
    }
    g_hash_table_insert(in->machines, g_steal_pointer(&id), hash);
    return hash;
}

/* ---- what is the same for all ----------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_maps(GPtrArray *files)
{
    for (const char *const *dir = cli_opcode_dirs(); *dir != NULL; dir++) {
        g_autoptr(GDir) d = g_dir_open(*dir, 0, NULL);
        g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
        const char *name;
        while (d != NULL && (name = g_dir_read_name(d)) != NULL) {
            if (g_str_has_suffix(name, ".map")) {
                g_ptr_array_add(names, g_build_filename(*dir, name, NULL));
            }
        }
        g_ptr_array_sort(names, by_text);
        g_ptr_array_extend_and_steal(files, g_steal_pointer(&names));
    }
}

/* Files that go into every run. */
static GPtrArray *common_files(void)
{
    GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
    char *program = g_file_read_link("/proc/self/exe", NULL);
    g_ptr_array_add(files, program != NULL && access(program, R_OK) == 0
                               ? program
                               : g_strdup("/proc/self/exe"));
    add_maps(files);
    return files;
}

static void show_reading(void *user, uint64_t bytes, uint64_t all)
{
    Inputs *in = user;
    if (in->s->progress == 2 || !isatty(STDERR_FILENO)) {
        return;
    }
    g_autofree char *now = sweep_size(bytes), *of = sweep_size(all);
    fprintf(stderr, "\rreading what goes in: %s of %s\033[K", now, of);
    in->told = true;
}

static bool read_files(Inputs *in, GPtrArray *common, GError **error)
{
    for (guint i = 0; i < common->len; i++) {
        if (!ww_hashes_add(in->hashes, common->pdata[i], error)) {
            return false;
        }
    }
    bool good = ww_hashes_read(in->hashes, g_get_num_processors(), show_reading, in, error);
    if (in->told) {
        fputs("\r\033[K", stderr);
    }
    if (!good) {
        return false;
    }
    g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
    for (guint i = 0; i < common->len; i++) {
        g_checksum_update(sum, (const guchar *)ww_hashes_of(in->hashes, common->pdata[i], NULL),
                          -1);
    }
    in->common = g_strdup(g_checksum_get_string(sum));
    GHashTableIter iter;
    gpointer value;
    g_hash_table_iter_init(&iter, in->traces);
    while (g_hash_table_iter_next(&iter, NULL, &value)) {
        hash_trace(in, value);
    }
    return true;
}

/* ---- keys ------------------------------------------------------------------------------------------------------- */

static void set_key(const Inputs *in, uint32_t run, const GPtrArray *options, const char *machine)
{
    static const char *const files[] = {"trace",    "sass",   "config", "platform",
                                        "gpgpusim", "module", NULL};
    g_autoptr(GString) all = g_string_new(HASH_VERSION "\n");
    const TraceInput *t = in->of_run[run];
    g_string_append_printf(all, "%s\n%s\n%s\n", in->common, machine, t != NULL ? t->hash : "none");
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (!o->word->host && !sweep_is_one_of(o, files)) {
            g_string_append_printf(all, "%s %s\n", o->word->name, o->value);
        }
    }
    g_autofree char *hash =
        g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)all->str, all->len);
    SweepRun *r = &in->s->runs[run];
    g_strlcpy(r->key, hash, sizeof r->key);
    r->trace_bytes = t != NULL ? t->bytes : 0;
    const char *threads = sweep_value_of(options, "threads");
    uint64_t n = threads != NULL ? g_ascii_strtoull(threads, NULL, 10) : 1;
    r->cores = (uint32_t)CLAMP(n, 1, in->s->cores);
}

static bool find_all(Inputs *in, GError **error)
{
    Sweep *s = in->s;
    for (uint32_t run = s->first; run < s->last; run++) {
        g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
        if (s->runs[run].state != SWEEP_OUT &&
            !find_trace(in, run, options, &in->of_run[run], error)) {
            return false;
        }
        s->runs[run].replays = in->of_run[run] != NULL;
        s->runs[run].version = in->of_run[run] != NULL ? in->of_run[run]->version : 0;
    }
    g_autoptr(GPtrArray) common = common_files();
    if (!sweep_try_values(s, error) || !read_files(in, common, error)) {
        return false;
    }
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t run = s->first; run < s->last; run++) {
        if (s->runs[run].state == SWEEP_OUT) {
            continue;
        }
        g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
        const char *machine = machine_of(in, run, options, error);
        if (machine == NULL) {
            return false;
        }
        set_key(in, run, options, machine);
        if (!g_hash_table_add(seen, s->runs[run].key)) {
            sweep_set(s, run, SWEEP_SAME);
        }
    }
    return true;
}

bool sweep_find_keys(Sweep *s, GError **error)
{
    g_autofree char *place = ww_hashes_place();
    Inputs in = {.s = s,
                 .hashes = ww_hashes_new(place),
                 .traces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_trace),
                 .machines = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free),
                 .of_run = g_new0(TraceInput *, s->n + 1),
                 .opcodes = ww_opcodes_new(cli_opcode_dirs())};
    bool good = find_all(&in, error);
    ww_hashes_free(in.hashes);
    g_hash_table_unref(in.traces);
    g_hash_table_unref(in.machines);
    g_free(in.of_run);
    ww_opcodes_free(in.opcodes);
    g_free(in.common);
    return good;
}

/* ---- command lines ---------------------------------------------------------------------------------------------- */

char **sweep_words(const Sweep *s, uint32_t run)
{
    static const char *const head[] = {"run",  "--report", "none",       "--progress",
                                       "none", "-o",       "/dev/stdout"};
    GPtrArray *words = g_ptr_array_new();
    const char *trace = NULL;
    g_ptr_array_add(words, g_strdup("warpwright"));
    for (size_t i = 0; i < G_N_ELEMENTS(head); i++) {
        g_ptr_array_add(words, g_strdup(head[i]));
    }
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    if (sweep_value_of(options, "threads") == NULL) { /* runs beside each other are worth more */
        g_ptr_array_add(words, g_strdup("--threads"));
        g_ptr_array_add(words, g_strdup("1"));
    }
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (o->word->kind == WW_SWEEP_TRACE) {
            trace = o->value;
            continue;
        }
        g_ptr_array_add(words, g_strconcat("--", o->word->name, NULL));
        if (o->word->kind != WW_SWEEP_FLAG) {
            g_ptr_array_add(words, g_strdup(o->value));
        }
    }
    if (trace != NULL) {
        g_ptr_array_add(words, g_strdup("--"));
        g_ptr_array_add(words, g_strdup(trace));
    }
    g_ptr_array_add(words, NULL);
    return (char **)g_ptr_array_free(words, false);
}
