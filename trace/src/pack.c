/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace pack`: recompresses the kernel traces of a list.
 *
 * Every file is written under a temporary name and flushed to disk; when all are complete they get
 * their names, the list last. So a directory with a `kernelslist.g` is complete, and of work that
 * failed or was interrupted nothing is left, neither files nor the directories made for them.
 */
#include "trace-priv.h"

#include <errno.h>
#include <lzma.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <zstd.h>

#include <trace/info.h>
#include <warpwright/output.h>

#define CHUNK (256u << 10)

/** One file being written. */
typedef struct Output {
    const char *path;
    FILE *out;
    uint64_t bytes;
    lzma_stream xz;
    ZSTD_CStream *zst;
    uint8_t chunk[CHUNK];
} Output;

/** All that is written; nothing has its name yet. */
typedef struct Pack {
    const char *outdir;
    const WwTracePackOptions *options;
    GPtrArray *folders; /**< WwPending: directories made. */
    GPtrArray *files;   /**< WwOutput */
    GHashTable *done;   /**< Path of a kernel trace -> its new name. */
    GHashTable *taken;  /**< Names. */
    GString *list;
} Pack;

static bool output_write(Output *o, const void *data, size_t n, GError **error)
{
    o->bytes += n;
    return fwrite(data, 1, n, o->out) == n ||
           ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot write: %s; expected room for it", o->path,
                   g_strerror(errno));
}

static void output_clear(Output *o)
{
    lzma_end(&o->xz);
    ZSTD_freeCStream(o->zst);
    g_free(o);
}

static bool compress_xz(Output *o, const void *data, size_t n, bool last, GError **error)
{
    o->xz.next_in = data;
    o->xz.avail_in = n;
    for (;;) {
        o->xz.next_out = o->chunk;
        o->xz.avail_out = CHUNK;
        lzma_ret code = lzma_code(&o->xz, last ? LZMA_FINISH : LZMA_RUN);
        if (code != LZMA_OK && code != LZMA_STREAM_END) {
            return ww_fail(error, WW_ERROR_SYSTEM, "%s: xz compressor failed (%d)", o->path,
                           (int)code);
        }
        if (!output_write(o, o->chunk, CHUNK - o->xz.avail_out, error)) {
            return false;
        }
        if (code == LZMA_STREAM_END || (!last && o->xz.avail_in == 0 && o->xz.avail_out > 0)) {
            return true;
        }
    }
}

static bool compress_zst(Output *o, const void *data, size_t n, bool last, GError **error)
{
    ZSTD_inBuffer in = {.src = data, .size = n};
    for (;;) {
        ZSTD_outBuffer out = {.dst = o->chunk, .size = CHUNK};
        size_t left = ZSTD_compressStream2(o->zst, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            return ww_fail(error, WW_ERROR_SYSTEM, "%s: zstd: %s", o->path,
                           ZSTD_getErrorName(left));
        }
        if (!output_write(o, o->chunk, out.pos, error)) {
            return false;
        }
        if (last ? left == 0 : in.pos == in.size) {
            return true;
        }
    }
}

static bool start_compressor(Output *o, const WwTracePackOptions *options, GError **error)
{
    bool good;
    if (options->format == WW_TRACE_PACK_XZ) {
        good = lzma_easy_encoder(&o->xz, options->level != 0 ? options->level : 6,
                                 LZMA_CHECK_CRC64) == LZMA_OK;
    } else {
        int level = options->level != 0 ? (int)options->level : 9;
        o->zst = ZSTD_createCStream();
        good = o->zst != NULL &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(o->zst, ZSTD_c_compressionLevel, level)) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(o->zst, ZSTD_c_checksumFlag, 1));
    }
    return good || ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot start the compressor", o->path);
}

static bool copy_stream(WwStream *in, const char *name, Output *o,
                        const WwTracePackOptions *options, GError **error)
{
    g_autofree uint8_t *data = g_malloc(CHUNK);
    bool xz = options->format == WW_TRACE_PACK_XZ;
    size_t n = 0;
    do {
        const char *why = NULL;
        if (!ww_stream_read(in, data, CHUNK, &n, &why)) {
            return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected a complete file",
                           name, why);
        }
        if (!(xz ? compress_xz(o, data, n, n == 0, error)
                 : compress_zst(o, data, n, n == 0, error))) {
            return false;
        }
    } while (n > 0);
    return true;
}

/** Opens a file of the new trace, which is complete after ww_output_finish(). */
static WwOutput *new_file(Pack *p, const char *path, GError **error)
{
    WwOutput *file = ww_output_new(path, error);
    if (file == NULL) {
        g_prefix_error(error, "cannot write ");
    } else {
        g_ptr_array_add(p->files, file);
    }
    return file;
}

static bool pack_file(Pack *p, const char *from, const char *to, uint64_t *bytes, GError **error)
{
    WwStream *in = ww_stream_open(from, error);
    WwOutput *file = in != NULL ? new_file(p, to, error) : NULL;
    bool good = file != NULL;
    if (good) {
        Output *o = g_new0(Output, 1);
        o->path = to;
        o->out = ww_output_file(file);
        o->xz = (lzma_stream)LZMA_STREAM_INIT;
        good = start_compressor(o, p->options, error) &&
               copy_stream(in, from, o, p->options, error) && ww_output_finish(file, error);
        *bytes = o->bytes;
        output_clear(o);
    }
    ww_stream_free(in);
    return good;
}

/** Name in the new list: that of the old one if it is free and a list can name it, else by ordinal.
 * Free it. */
static char *choose_name(const WwListEntry *e, const char *suffix, GHashTable *taken)
{
    static const char *const old[] = {".xz", ".zst", ".traceg"};
    g_autofree char *base = g_path_get_basename(e->name);
    for (size_t i = 0; i < G_N_ELEMENTS(old); i++) {
        if (g_str_has_suffix(base, old[i])) {
            base[strlen(base) - strlen(old[i])] = '\0';
        }
    }
    char *name = g_strconcat(base, ".traceg", suffix, NULL);
    for (uint32_t i = 0; !g_str_has_prefix(name, "kernel") || g_hash_table_contains(taken, name);
         i++) {
        g_free(name);
        name = i == 0 ? g_strdup_printf("kernel-%u.traceg%s", e->ordinal, suffix)
                      : g_strdup_printf("kernel-%u-%u.traceg%s", e->ordinal, i, suffix);
    }
    return name;
}

/** Makes @p path and what is missing above it. */
static bool make_directory(Pack *p, const char *path, GError **error)
{
    struct stat st;
    g_autofree char *above = g_path_get_dirname(path);
    bool there = stat(path, &st) == 0;
    if (there && S_ISDIR(st.st_mode)) {
        return true;
    }
    if (!there && strcmp(above, path) != 0 && !make_directory(p, above, error)) {
        return false;
    }
    errno = ENOTDIR;
    if (!there && mkdir(path, 0777) == 0) {
        g_ptr_array_add(p->folders, ww_pending_add(path));
        return true;
    }
    return ww_fail(error, WW_ERROR_SYSTEM,
                   "%s: cannot make the directory: %s; expected a folder that can be written",
                   p->outdir, g_strerror(errno));
}

static bool prepare(Pack *p, const WwTrace *trace, GError **error)
{
    g_autofree char *own = g_path_get_dirname(trace->list.file);
    uint32_t max = p->options->format == WW_TRACE_PACK_XZ ? 9 : 19;
    if (p->options->level > max) {
        return ww_fail(error, WW_ERROR_USAGE, "compression level %u; expected 1 to %u",
                       p->options->level, max);
    }
    if (ww_output_same(own, p->outdir)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s: is the trace's own directory; expected another one", p->outdir);
    }
    return make_directory(p, p->outdir, error);
}

static bool write_list(Pack *p, GError **error)
{
    g_autofree char *path = g_build_filename(p->outdir, "kernelslist.g", NULL);
    WwOutput *file = new_file(p, path, error);
    if (file == NULL) {
        return false;
    }
    fwrite(p->list->str, 1, p->list->len, ww_output_file(file));
    return ww_output_finish(file, error);
}

/** A kernel trace may lie in another directory than its list. */
static bool refuse_inputs(const WwTrace *trace, const char *to, GError **error)
{
    for (uint32_t i = 0; i < trace->list.n; i++) {
        const WwListEntry *e = &trace->list.entries[i];
        if (e->path != NULL && ww_output_same(to, e->path)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s: is a kernel trace of the list; expected another directory", to);
        }
    }
    return true;
}

/** Packs one kernel trace, unless an earlier entry of the list was the same file; appends its name
 * to the list. */
static bool pack_entry(Pack *p, const WwTrace *trace, const WwListEntry *e, FILE *out,
                       GError **error)
{
    const char *known = g_hash_table_lookup(p->done, e->path);
    if (known == NULL) {
        char *name =
            choose_name(e, p->options->format == WW_TRACE_PACK_XZ ? ".xz" : ".zst", p->taken);
        g_autofree char *to = g_build_filename(p->outdir, name, NULL);
        uint64_t bytes = 0;
        g_hash_table_add(p->taken, name);
        g_hash_table_insert(p->done, e->path, name);
        known = name;
        if (!refuse_inputs(trace, to, error) || !pack_file(p, e->path, to, &bytes, error)) {
            return false;
        }
        if (out != NULL) {
            fprintf(out, "%s: %" G_GUINT64_FORMAT " bytes\n", to, bytes);
        }
    }
    g_string_append_printf(p->list, "%s\n", known);
    return true;
}

static bool pack_all(Pack *p, const WwTrace *trace, FILE *out, GError **error)
{
    for (uint32_t i = 0; i < trace->list.n; i++) {
        const WwListEntry *e = &trace->list.entries[i];
        if (e->kind == WW_COMMAND_MEMCPY_HTOD) {
            g_string_append_printf(
                p->list, "MemcpyHtoD,0x%016" G_GINT64_MODIFIER "x,%" G_GUINT64_FORMAT "\n",
                e->address, e->bytes);
        } else if (!pack_entry(p, trace, e, out, error)) {
            return false;
        }
    }
    return write_list(p, error);
}

/** Gives everything its name, or removes it. No signal comes between the first name and the last. */
static bool end(Pack *p, bool good, GError **error)
{
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    for (guint i = 0; i < p->files->len; i++) {
        if (good) {
            good = ww_output_keep(p->files->pdata[i], error);
        } else {
            ww_output_drop(p->files->pdata[i]);
        }
    }
    for (guint i = p->folders->len; i-- > 0;) {
        if (good) {
            ww_pending_forget(p->folders->pdata[i]);
        } else {
            ww_pending_remove(p->folders->pdata[i]);
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    g_ptr_array_unref(p->folders);
    g_ptr_array_unref(p->files);
    g_hash_table_unref(p->done);
    g_hash_table_unref(p->taken);
    g_string_free(p->list, true);
    return good;
}

bool ww_trace_pack(const char *path, const char *outdir, const WwTracePackOptions *options,
                   FILE *out, GError **error)
{
    static const WwTracePackOptions defaults = {0};
    g_autoptr(WwTrace) trace = ww_trace_open(path, NULL, error);
    if (trace == NULL) {
        return false;
    }
    Pack p = {
        .outdir = outdir,
        .options = options != NULL ? options : &defaults,
        .folders = g_ptr_array_new(),
        .files = g_ptr_array_new(),
        .done = g_hash_table_new(g_str_hash, g_str_equal),
        .taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .list = g_string_new(NULL),
    };
    bool good = prepare(&p, trace, error) && pack_all(&p, trace, out, error);
    return end(&p, good, error);
}
