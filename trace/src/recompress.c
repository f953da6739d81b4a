/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace recompress`: recompresses the kernel traces of a list.
 */
#include "files-priv.h"
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

#include <trace/info.h>
#include <warpwright/output.h>

#define CHUNK (256u << 10)

/** All that is written; nothing has its name yet. */
typedef struct Pack {
    const char *outdir;
    const WwTraceRecompressOptions *options;
    WwFiles *files;
    GHashTable *done;  /**< Path of a kernel trace -> its new name. */
    GHashTable *taken; /**< Names. */
    GString *list;
} Pack;

static bool copy_stream(WwStream *in, const char *name, WwSqueeze *o, GError **error)
{
    g_autofree uint8_t *data = g_malloc(CHUNK);
    size_t n = 0;
    do {
        const char *why = NULL;
        if (!ww_stream_read(in, data, CHUNK, &n, &why)) {
            return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected a complete file",
                           name, why);
        }
        if (!ww_squeeze(o, data, n, n == 0, error)) {
            return false;
        }
    } while (n > 0);
    return true;
}

static bool pack_file(Pack *p, const char *from, const char *to, uint64_t *bytes, GError **error)
{
    WwStream *in = ww_stream_open(from, error);
    WwOutput *file = in != NULL ? ww_files_add(p->files, to, error) : NULL;
    WwSqueeze *o = file != NULL ? ww_squeeze_new(to, ww_output_file(file), p->options->format,
                                                 p->options->level, error)
                                : NULL;
    bool good = o != NULL && copy_stream(in, from, o, error) && ww_output_finish(file, error);
    *bytes = o != NULL ? ww_squeeze_bytes(o) : 0;
    ww_squeeze_free(o);
    ww_stream_free(in);
    return good;
}

/** Name in the new list: that of the old one if it is free and a list can name it, else by ordinal.
 * Free it. */
static char *choose_name(const WwListEntry *e, const char *suffix, GHashTable *taken)
{
    static const char *const old[] = {".xz", ".zst", ".traceg", ".tracez"};
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

static bool prepare(Pack *p, const WwTrace *trace, GError **error)
{
    g_autofree char *own = g_path_get_dirname(trace->list.file);
    uint32_t max = p->options->format == WW_TRACE_XZ ? 9 : 19;
    if (p->options->level > max) {
        return ww_fail(error, WW_ERROR_USAGE, "compression level %u; expected 1 to %u",
                       p->options->level, max);
    }
    if (ww_output_same(own, p->outdir)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s: is the trace's own directory; expected another one", p->outdir);
    }
    p->files = ww_files_new(p->outdir, error);
    return p->files != NULL;
}

static bool write_list(Pack *p, GError **error)
{
    g_autofree char *path = g_build_filename(p->outdir, "kernelslist.g", NULL);
    WwOutput *file = ww_files_add(p->files, path, error);
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
        char *name = choose_name(e, p->options->format == WW_TRACE_XZ ? ".xz" : ".zst", p->taken);
        g_autofree char *to = g_build_filename(p->outdir, name, NULL);
        uint64_t bytes = 0;
        g_hash_table_add(p->taken, name);
        g_hash_table_insert(p->done, e->path, name);
        known = name;
        if (!refuse_inputs(trace, to, error) || !pack_file(p, e->path, to, &bytes, error)) {
            return false;
        }
        if (out != NULL) {
            g_autofree char *size = ww_trace_grouped(bytes);
            fprintf(out, "%s: %s bytes\n", to, size);
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

bool ww_trace_recompress(const char *path, const char *outdir,
                         const WwTraceRecompressOptions *options, FILE *out, GError **error)
{
    static const WwTraceRecompressOptions defaults = {0};
    g_autoptr(WwTrace) trace = ww_trace_open(path, NULL, error);
    if (trace == NULL) {
        return false;
    }
    Pack p = {
        .outdir = outdir,
        .options = options != NULL ? options : &defaults,
        .done = g_hash_table_new(g_str_hash, g_str_equal),
        .taken = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
        .list = g_string_new(NULL),
    };
    bool good = prepare(&p, trace, error) && pack_all(&p, trace, out, error);
    g_hash_table_unref(p.done);
    g_hash_table_unref(p.taken);
    g_string_free(p.list, true);
    return ww_files_end(p.files, good, error);
}
