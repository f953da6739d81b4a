/* SPDX-License-Identifier: Apache-2.0 */
/* `trace make`: the kernels of a program as a trace. Each warp is executed twice, for its number of instructions and then for their text. */
#include "files-priv.h"
#include "make-priv.h"
#include "text-priv.h"

#include <string.h>

#define MOST_STEPS 1000000000u

typedef struct Target {
    GString *text;
    WwSqueeze *squeeze;
    uint64_t bytes;
} Target;

static bool flush(void *user, GError **error)
{
    Target *t = user;
    bool good = ww_squeeze(t->squeeze, t->text->str, t->text->len, false, error);
    t->bytes += t->text->len;
    g_string_truncate(t->text, 0);
    return good;
}

static void put_header(GString *text, const WwMakeKernel *k, uint32_t id)
{
    g_string_append_printf(
        text,
        "-kernel name = %s\n-kernel id = %u\n"
        "-grid dim = (%d,%d,%d)\n-block dim = (%d,%d,%d)\n"
        "-shmem = %d\n-nregs = %d\n-binary version = %d\n"
        "-cuda stream id = %" G_GUINT64_FORMAT "\n"
        "-shmem base_addr = 0x%016" G_GINT64_MODIFIER "x\n"
        "-local mem base_addr = 0x%016" G_GINT64_MODIFIER "x\n"
        "-nvbit version = 1.7\n-accelsim tracer version = 5\n-enable lineinfo = %d\n\n"
        "#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
        "mem_width [adrrescompress?] [mem_addresses] immediate\n",
        k->name, id, (int)k->grid[0], (int)k->grid[1], (int)k->grid[2], (int)k->block[0],
        (int)k->block[1], (int)k->block[2], (int)k->shared, (int)k->registers, (int)k->version,
        k->stream, k->shared_base, k->local_base, (int)k->lineinfo);
}

static bool put_warp(WwMakeWarp *w, Target *t, GError **error)
{
    w->text = NULL;
    if (!ww_make_warp(w, error)) {
        return false;
    }
    w->text = t->text;
    g_string_append_printf(t->text, "\nwarp = %u\ninsts = %" G_GUINT64_FORMAT "\n", w->warp, w->n);
    return ww_make_warp(w, error);
}

static bool put_cta(WwMakeWarp *w, Target *t, GError **error)
{
    const WwMakeKernel *k = w->kernel;
    w->cta[0] = w->cta_number % k->grid[0];
    w->cta[1] = w->cta_number / k->grid[0] % k->grid[1];
    w->cta[2] = w->cta_number / (k->grid[0] * k->grid[1]);
    g_string_append_printf(t->text, "%s\n#BEGIN_TB\n\nthread block = %d,%d,%d\n",
                           w->cta_number != 0 ? "" : "\n\n", (int)w->cta[0], (int)w->cta[1],
                           (int)w->cta[2]);
    for (w->warp = 0; w->warp < k->warps; w->warp++) {
        if (!put_warp(w, t, error)) {
            return false;
        }
    }
    g_string_append(t->text, "\n#END_TB\n");
    return true;
}

static bool put_kernel(const WwMakeProgram *p, const WwMakeKernel *k, uint32_t id, uint64_t *left,
                       Target *t, GError **error)
{
    g_autofree WwMakeWarp *w = g_new0(WwMakeWarp, 1);
    w->program = p;
    w->kernel = k;
    w->left = left;
    w->full = flush;
    w->user = t;
    put_header(t->text, k, id);
    for (; w->cta_number < k->ctas; w->cta_number++) {
        if (!put_cta(w, t, error)) {
            return false;
        }
    }
    return flush(t, error) && ww_squeeze(t->squeeze, NULL, 0, true, error);
}

static bool write_kernel(WwFiles *files, const WwMakeProgram *p, const WwMakeKernel *k, uint32_t id,
                         const char *name, WwTraceCompressor format, uint64_t *left, GString *told,
                         GError **error)
{
    g_autofree char *path = g_build_filename(ww_files_folder(files), name, NULL);
    WwOutput *file = ww_files_add(files, path, error);
    if (file == NULL) {
        return false;
    }
    Target t = {.text = g_string_new(NULL),
                .squeeze = ww_squeeze_new(path, ww_output_file(file), format, 0, error)};
    bool good =
        t.squeeze != NULL && put_kernel(p, k, id, left, &t, error) && ww_output_finish(file, error);
    ww_squeeze_free(t.squeeze);
    g_string_free(t.text, true);
    g_autofree char *bytes = ww_trace_grouped(t.bytes);
    g_string_append_printf(told, "%s: %s bytes of text\n", path, bytes);
    return good;
}

static bool write_list(WwFiles *files, const GString *list, GError **error)
{
    g_autofree char *path = g_build_filename(ww_files_folder(files), "kernelslist.g", NULL);
    WwOutput *file = ww_files_add(files, path, error);
    if (file == NULL) {
        return false;
    }
    fputs(list->str, ww_output_file(file));
    return ww_output_finish(file, error);
}

static bool write_all(WwFiles *files, const WwMakeProgram *p, WwTraceCompressor format,
                      uint64_t left, GString *told, GError **error)
{
    static const char *const suffixes[] = {
        [WW_TRACE_ZST] = ".zst", [WW_TRACE_XZ] = ".xz", [WW_TRACE_PLAIN] = ""};
    g_autoptr(GString) list = g_string_new(NULL);
    uint32_t id = 0;
    for (guint i = 0; i < p->commands->len; i++) {
        const WwMakeCommand *c = &g_array_index(p->commands, WwMakeCommand, i);
        if (c->kernel == NULL) {
            g_string_append_printf(
                list, "MemcpyHtoD,0x%016" G_GINT64_MODIFIER "x,%" G_GUINT64_FORMAT "\n", c->address,
                c->bytes);
            continue;
        }
        g_autofree char *name = g_strdup_printf("kernel-%u.traceg%s", ++id, suffixes[format]);
        g_string_append_printf(list, "%s\n", name);
        if (!write_kernel(files, p, c->kernel, id, name, format, &left, told, error)) {
            return false;
        }
    }
    return id != 0 ? write_list(files, list, error)
                   : ww_fail_at(error, p->file, 1, "no kernel; expected 'kernel NAME { ... }'");
}

bool ww_trace_make(const char *path, const char *outdir, const WwTraceMakeOptions *options,
                   FILE *out, GError **error)
{
    static const WwTraceMakeOptions defaults = {0};
    static const WwTextLimits limits = {
        .bytes = WW_MAKE_MAX_BYTES, .line = 65536, .expected = "a kernel program"};
    g_autofree char *text = NULL;
    size_t length;
    options = options != NULL ? options : &defaults;
    if (!ww_read_text(path, &limits, &text, &length, error)) {
        return false;
    }
    WwMakeProgram program = {.file = path};
    bool good = ww_make_parse(&program, text, options->opcodes, error);
    if (good) {
        uint64_t left = options->max_steps != 0 ? options->max_steps : MOST_STEPS;
        WwFiles *files = ww_files_new(outdir, error);
        g_autoptr(GString) told = g_string_new(NULL);
        good = files != NULL && write_all(files, &program, options->format, left, told, error);
        good = ww_files_end(files, good, error);
        if (good && out != NULL) {
            fputs(told->str, out);
        }
    }
    ww_make_clear(&program);
    return good;
}
