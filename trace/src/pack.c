/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace pack`: recompresses the kernel traces of a list.
 *
 * A file is written under a temporary name, flushed to disk and renamed; the list comes last, so
 * that a directory with a `kernelslist.g` is complete whatever interrupted the work.
 */
#include "trace-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <glib/gstdio.h>
#include <trace/info.h>

#define CHUNK (256u << 10)

/** One file being written. */
typedef struct Output {
    char *path, *temporary;
    int fd;
    uint64_t bytes;
    lzma_stream xz;
    ZSTD_CStream *zst;
    uint8_t chunk[CHUNK];
} Output;

static bool fail_write(const Output *o, GError **error)
{
    return ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot write: %s", o->temporary, g_strerror(errno));
}

static bool output_open(Output *o, const char *path, GError **error)
{
    o->path = g_strdup(path);
    o->temporary = g_strdup_printf("%s.tmp.%ld", path, (long)getpid());
    o->xz = (lzma_stream)LZMA_STREAM_INIT;
    o->fd = open(o->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return o->fd >= 0 || fail_write(o, error);
}

static bool output_write(Output *o, const void *data, size_t n, GError **error)
{
    for (const char *p = data; n > 0;) {
        ssize_t put = write(o->fd, p, n);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put < 0) {
            return fail_write(o, error);
        }
        p += put;
        n -= (size_t)put;
        o->bytes += (uint64_t)put;
    }
    return true;
}

/** Gives the file its name if @p good; removes it otherwise. */
static bool output_close(Output *o, bool good, GError **error)
{
    if (good && fsync(o->fd) != 0) {
        good = fail_write(o, error);
    }
    if (o->fd >= 0 && close(o->fd) != 0 && good) {
        good = fail_write(o, error);
    }
    if (good && g_rename(o->temporary, o->path) != 0) {
        good = ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot rename to %s: %s", o->temporary, o->path,
                       g_strerror(errno));
    }
    if (!good && o->fd >= 0) {
        g_unlink(o->temporary);
    }
    lzma_end(&o->xz);
    ZSTD_freeCStream(o->zst);
    g_free(o->path);
    g_free(o->temporary);
    return good;
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

static bool pack_file(const char *from, const char *to, const WwTracePackOptions *options,
                      uint64_t *bytes, GError **error)
{
    WwStream *in = ww_stream_open(from, error);
    if (in == NULL) {
        return false;
    }
    Output *o = g_new0(Output, 1);
    bool good = output_open(o, to, error) && start_compressor(o, options, error) &&
                copy_stream(in, from, o, options, error);
    good = output_close(o, good, error);
    *bytes = o->bytes;
    g_free(o);
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

static bool same_directory(const char *a, const char *b)
{
    struct stat x, y;
    return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static bool prepare(const WwTrace *trace, const char *outdir, const WwTracePackOptions *options,
                    GError **error)
{
    g_autofree char *own = g_path_get_dirname(trace->list.file);
    uint32_t max = options->format == WW_TRACE_PACK_XZ ? 9 : 19;
    if (options->level > max) {
        return ww_fail(error, WW_ERROR_USAGE, "compression level %u; expected 1 to %u",
                       options->level, max);
    }
    if (g_mkdir_with_parents(outdir, 0777) != 0) {
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "%s: cannot make the directory: %s; expected a folder that can be written",
                       outdir, g_strerror(errno));
    }
    if (same_directory(own, outdir)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s: is the trace's own directory; expected another one", outdir);
    }
    return true;
}

static bool write_list(const char *outdir, const GString *list, GError **error)
{
    g_autofree char *path = g_build_filename(outdir, "kernelslist.g", NULL);
    Output *o = g_new0(Output, 1);
    bool good = output_open(o, path, error) && output_write(o, list->str, list->len, error);
    good = output_close(o, good, error);
    g_free(o);
    return good;
}

/** Packs one kernel trace, unless an earlier entry of the list was the same file; appends its name
 * to the list. */
static bool pack_entry(const WwListEntry *e, const char *outdir, const WwTracePackOptions *options,
                       GHashTable *done, GHashTable *taken, GString *list, FILE *out,
                       GError **error)
{
    const char *known = g_hash_table_lookup(done, e->path);
    if (known == NULL) {
        char *name = choose_name(e, options->format == WW_TRACE_PACK_XZ ? ".xz" : ".zst", taken);
        g_autofree char *to = g_build_filename(outdir, name, NULL);
        uint64_t bytes = 0;
        g_hash_table_add(taken, name);
        g_hash_table_insert(done, e->path, name);
        known = name;
        if (!pack_file(e->path, to, options, &bytes, error)) {
            return false;
        }
        if (out != NULL) {
            fprintf(out, "%s: %" G_GUINT64_FORMAT " bytes\n", to, bytes);
        }
    }
    g_string_append_printf(list, "%s\n", known);
    return true;
}

bool ww_trace_pack(const char *path, const char *outdir, const WwTracePackOptions *options,
                   FILE *out, GError **error)
{
    static const WwTracePackOptions defaults = {0};
    options = options != NULL ? options : &defaults;
    g_autoptr(WwTrace) trace = ww_trace_open(path, NULL, error);
    if (trace == NULL || !prepare(trace, outdir, options, error)) {
        return false;
    }
    g_autoptr(GHashTable) done = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    g_autoptr(GString) list = g_string_new(NULL);
    for (uint32_t i = 0; i < trace->list.n; i++) {
        const WwListEntry *e = &trace->list.entries[i];
        if (e->kind == WW_COMMAND_MEMCPY_HTOD) {
            g_string_append_printf(
                list, "MemcpyHtoD,0x%016" G_GINT64_MODIFIER "x,%" G_GUINT64_FORMAT "\n", e->address,
                e->bytes);
        } else if (!pack_entry(e, outdir, options, done, taken, list, out, error)) {
            return false;
        }
    }
    return write_list(outdir, list, error);
}
