/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright run` of a folder with several traces below it: one run after the other, each as if it had been asked for alone, with `{trace}`
 * in its words replaced by the trace's name, and a row of a table for each.
 */
#include "run-priv.h"

#include <errno.h>
#include <inttypes.h>
#include <results/limit.h>
#include <results/rates.h>
#include <string.h>
#include <sys/stat.h>

#define NAME "{trace}"
enum { WIDEST = 60 }; /* columns of a name, unless one is longer */

/* ---- which ------------------------------------------------------------------------------------------------------ */

static bool is_named(const char *word)
{
    return word != NULL && strstr(word, NAME) != NULL;
}

/* A list is called as its folder is, another file as itself without what follows the first dot. */
static WwTraceFound *one_file(const char *trace)
{
    WwTraceFound *f = g_new0(WwTraceFound, 1);
    g_autofree char *base = g_path_get_basename(trace);
    f->path = g_strdup(trace);
    if (g_str_has_prefix(base, "kernelslist.g")) {
        g_autofree char *folder = g_path_get_dirname(trace);
        g_autoptr(GPtrArray) found = ww_trace_find(folder, NULL);
        if (found != NULL && found->len == 1) {
            f->name = g_strdup(((const WwTraceFound *)found->pdata[0])->name);
        }
    }
    if (f->name == NULL) {
        char *dot = strchr(base + 1, '.');
        f->name = g_strndup(base, dot != NULL ? (gsize)(dot - base) : strlen(base));
    }
    return f;
}

static void free_one(gpointer data)
{
    WwTraceFound *f = data;
    g_free(f->path);
    g_free(f->name);
    g_free(f);
}

/* NULL without an error: what runs is one trace, whose errors are told when it is opened. */
static GPtrArray *find(const Run *r, const char *trace, char *const *words, int n, GError **error)
{
    bool named = false;
    for (int i = 0; i < n; i++) {
        named |= words[i] != trace && is_named(words[i]);
    }
    if (r->part != NULL || (!named && !g_file_test(trace, G_FILE_TEST_IS_DIR))) {
        return NULL;
    }
    if (!g_file_test(trace, G_FILE_TEST_IS_DIR)) {
        GPtrArray *one = g_ptr_array_new_with_free_func(free_one);
        g_ptr_array_add(one, one_file(trace));
        return one;
    }
    GPtrArray *found = ww_trace_find(trace, error);
    if (found == NULL) {
        return NULL;
    }
    if (found->len == 0 || (found->len == 1 && !named)) {
        g_clear_pointer(&found, g_ptr_array_unref);
    }
    return found;
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool check(const Run *r, const GPtrArray *found, GError **error)
{
    g_autoptr(GArray) files = run_outputs(r, r->outputs);
    if (found->len == 1) {
        return true;
    }
    for (guint i = 0; i < files->len; i++) {
        const RunFile *f = &g_array_index(files, RunFile, i);
        if (!is_named(f->name)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s '%s' would be written by each of %u traces; expected " NAME
                           " in its name, which becomes the name of the trace",
                           f->option, f->name, found->len);
        }
    }
    const char *alone = r->live_options.listen != NULL ? "--monitor"
                        : r->checkpoints.restore != NULL && !is_named(r->checkpoints.restore)
                            ? "--restore"
                            : NULL;
    return alone == NULL ||
           ww_fail(error, WW_ERROR_USAGE,
                   "%s is for one run, and there are %u traces; expected one", alone, found->len);
}

/* Makes the folders above @p file; those that were not there are added to @p made, to go if the run fails. */
static bool make_folders(const char *file, GPtrArray *made, GError **error)
{
    struct stat st;
    g_autofree char *folder = g_path_get_dirname(file);
    if (stat(folder, &st) == 0) {
        return true;
    }
    if (!make_folders(folder, made, error)) {
        return false;
    }
    if (mkdir(folder, 0777) != 0 && errno != EEXIST) {
        return ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a folder that can be made",
                       folder, g_strerror(errno));
    }
    g_ptr_array_add(made, ww_pending_add(folder));
    return true;
}

bool run_each_folders(Run *r, GError **error)
{
    g_autoptr(GArray) files = run_outputs(r, r->outputs);
    r->folders = g_ptr_array_new();
    for (guint i = 0; i < files->len; i++) {
        if (!make_folders(g_array_index(files, RunFile, i).name, r->folders, error)) {
            return false;
        }
    }
    return true;
}

void run_each_keep_folders(Run *r, bool keep)
{
    for (guint i = r->folders != NULL ? r->folders->len : 0; i-- > 0;) {
        (keep ? ww_pending_forget : ww_pending_remove)(r->folders->pdata[i]);
    }
    g_clear_pointer(&r->folders, g_ptr_array_unref);
}

/* ---- rows ------------------------------------------------------------------------------------------------------- */

/* "DRAM bandwidth (memory 70.9 % ...)": the figures are on the page that the run alone prints. */
static char *without_brackets(char *text)
{
    char *to = text;
    int depth = 0;
    for (const char *p = text; p != NULL && *p != '\0'; p++) {
        depth += *p == '(' || (*p == ' ' && p[1] == '(' && depth == 0);
        if (depth == 0) {
            *to++ = *p;
        } else if (*p == ')') {
            depth = 0;
        }
    }
    if (text != NULL) {
        *to = '\0';
    }
    return text;
}

void run_each_note(const Run *r, RunPart *part)
{
    const WwResults *results = r->results;
    uint64_t launch, tail = 0;
    for (guint i = 0; i < results->kernels.n; i++) {
        tail += ((const WwResultKernel *)results->kernels.v[i])->tail;
    }
    ww_results_value(results, results->total, WW_EMPTY_CYCLES, NULL, &launch);
    ww_results_value(results, results->total, WW_THREAD_INSNS, NULL, &part->thread_insns);
    ww_results_value(results, results->total, WW_WARP_INSNS, NULL, &part->warp_insns);
    WwLimit limit = ww_limit(results, results->total, results->cycles, launch, tail);
    part->bound_by = without_brackets(ww_limit_text(&limit));
    part->status = g_strdup(results->status != NULL ? results->status : "done");
    part->kernels = results->kernels.n;
    part->cycles = results->cycles;
    part->has_fingerprint = results->has_fingerprint;
    part->fingerprint = results->fingerprint;
}

static void print_head(int width, bool fingerprint)
{
    printf("%-*s %8s %15s %9s %14s  %s%s\n", width, "trace", "kernels", "cycles", "IPC",
           "warp instr.", fingerprint ? "fingerprint       " : "", "bound by");
}

static void print_row(const char *name, int width, const RunPart *p)
{
    if (p->status == NULL) {
        printf("%-*s %8s\n", width, name, "failed");
        return;
    }
    g_autofree char *cycles = cli_grouped(p->cycles), *insns = cli_grouped(p->warp_insns);
    bool done = strcmp(p->status, "done") == 0;
    double ipc = p->cycles != 0 ? (double)p->thread_insns / (double)p->cycles : 0;
    printf("%-*s %8u %15s %9.*f %14s  ", width, name, p->kernels, cycles, ww_ipc_digits(ipc), ipc,
           insns);
    if (p->has_fingerprint) {
        printf("%016" PRIx64 "  ", p->fingerprint);
    }
    printf("%s%s\n", done ? "" : p->status, !done ? "" : p->bound_by != NULL ? p->bound_by : "");
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static char *replaced(const char *word, const char *name)
{
    g_auto(GStrv) parts = g_strsplit(word, NAME, -1);
    return g_strjoinv(name, parts);
}

static int run_a_part(const WwTraceFound *f, char *const *words, int n, int at, RunPart *part)
{
    g_auto(GStrv) own = g_new0(char *, (gsize)n + 1);
    g_autofree char **argv = g_new0(char *, (gsize)n + 1);
    for (int i = 0; i < n; i++) {
        own[i] = i == at ? g_strdup(f->path) : replaced(words[i], f->name);
        argv[i] = own[i];
    }
    return run_one(n, argv, part);
}

static int run_all(const Run *r, const GPtrArray *found, char *const *words, int n, int at)
{
    int status = CLI_DONE, width = 5;
    bool pages = r->report_name != NULL && r->report_file == NULL &&
                 strcmp(r->report_name, "none") != 0; /* each prints its own */
    bool single = found->len == 1, writes = r->outputs != NULL || r->report_file != NULL;
    bool go = true, fingerprint = r->fingerprint;
    for (guint i = 0; i < found->len; i++) {
        g_autofree char *name = cli_visible(((const WwTraceFound *)found->pdata[i])->name);
        width = MAX(width, MIN((int)g_utf8_strlen(name, -1), WIDEST));
    }
    for (guint i = 0; i < found->len && go; i++) {
        const WwTraceFound *f = found->pdata[i];
        RunPart part = {.alone = single};
        g_autofree char *shown = cli_visible(f->name);
        if (pages && !single) {
            printf("%s== %s ==\n", i != 0 ? "\n" : "", shown);
        } else if (i == 0 && !single) {
            print_head(width, fingerprint);
        }
        fflush(stdout);
        int own = run_a_part(f, words, n, at, &part);
        status = MAX(status, own);
        if (!pages && !single) {
            print_row(shown, width, &part);
        }
        go = (part.status == NULL || strcmp(part.status, "interrupted") != 0) &&
             (!cli_process_unheard() || writes);
        if (!go && i + 1 < found->len && part.status != NULL) {
            uint32_t left = found->len - i - 1;
            fprintf(stderr, "warpwright: %u of %u traces %s not run\n", left, found->len,
                    WW_PLURAL(left, "was", "were"));
        }
        g_free(part.status);
        g_free(part.bound_by);
    }
    return status;
}

bool run_each(const Run *r, const char *trace, char *const *words, int n, int *status,
              GError **error)
{
    g_autoptr(GError) why = NULL;
    g_autoptr(GPtrArray) found = trace != NULL ? find(r, trace, words, n, &why) : NULL;
    int at = n - 1;
    if (found == NULL) {
        bool failed = why != NULL;
        if (failed) {
            g_propagate_error(error, g_steal_pointer(&why));
        }
        return failed;
    }
    while (at > 0 && words[at] != trace) {
        at--;
    }
    *status = check(r, found, error) ? run_all(r, found, words, n, at) : CLI_USAGE;
    return true;
}
