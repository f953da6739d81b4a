/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace unpack`: the text of a pack, written under the names that its files had.
 */
#include "files-priv.h"
#include "pack-priv.h"
#include "text-priv.h"

#include <string.h>
#include <trace/info.h>

/** A kernel trace that is being written. */
typedef struct Target {
    WwSqueeze *squeeze;
    uint64_t bytes;
} Target;

static bool write_text(void *user, const char *text, size_t n, GError **error)
{
    Target *t = user;
    t->bytes += n;
    return ww_squeeze(t->squeeze, text, n, false, error);
}

static bool write_newlines(Target *t, uint32_t n, GError **error)
{
    char text[WW_PACK_BLANKS];
    memset(text, '\n', sizeof text);
    return write_text(t, text, n, error);
}

static bool write_ctas(WwTrace *trace, const WwKernel *pub, const WwPackKernel *k, Target *t,
                       GError **error)
{
    const WwPackCode *code = trace->pack->codes[k->code].code;
    if (!write_text(t, k->header, k->n_header, error)) {
        return false;
    }
    for (uint64_t i = 0; i < pub->n_ctas; i++) {
        const WwCtaTrace *cta;
        if (!ww_trace_source.next_cta(trace, pub, &cta, error)) {
            return false;
        }
        bool good =
            ww_pack_text(k, code, ww_kernel_reader(pub), cta->priv, i == 0, write_text, t, error);
        ww_trace_source.release_cta(trace, pub, cta);
        if (!good) {
            return false;
        }
    }
    return write_newlines(t, k->style.at_end, error);
}

static WwTraceCompressor compressor_of(const char *name)
{
    return g_str_has_suffix(name, ".xz")    ? WW_TRACE_XZ
           : g_str_has_suffix(name, ".zst") ? WW_TRACE_ZST
                                            : WW_TRACE_PLAIN;
}

static bool unpack_kernel(WwFiles *files, WwTrace *trace, const WwKernel *pub,
                          const WwPackKernel *k, FILE *out, GError **error)
{
    g_autofree char *path = g_build_filename(ww_files_folder(files), k->name, NULL);
    WwOutput *file = ww_files_add(files, path, error);
    Target t = {0};
    if (file == NULL) {
        return false;
    }
    t.squeeze = ww_squeeze_new(path, ww_output_file(file), compressor_of(k->name), 0, error);
    bool good = t.squeeze != NULL && write_ctas(trace, pub, k, &t, error) &&
                ww_squeeze(t.squeeze, NULL, 0, true, error) && ww_output_finish(file, error);
    ww_squeeze_free(t.squeeze);
    if (good && out != NULL) {
        g_autofree char *bytes = ww_trace_grouped(t.bytes);
        fprintf(out, "%s: %s bytes of text%s\n", path, bytes,
                k->exact ? "" : ", in the tracers' words");
    }
    return good;
}

static bool write_list(WwFiles *files, const WwPack *pack, GError **error)
{
    g_autofree char *path = g_build_filename(ww_files_folder(files), "kernelslist.g", NULL);
    WwOutput *file = *pack->list != '\0' ? ww_files_add(files, path, error) : NULL;
    if (file == NULL) {
        return *pack->list == '\0';
    }
    fputs(pack->list, ww_output_file(file));
    return ww_output_finish(file, error);
}

static bool unpack_all(WwFiles *files, WwTrace *trace, FILE *out, GError **error)
{
    g_autofree bool *done = g_new0(bool, trace->pack->n_kernels);
    const WwListEntry *e;
    while ((e = ww_trace_peek(trace)) != NULL) {
        WwCommand command;
        if (e->kind != WW_COMMAND_KERNEL || done[e->in_pack]) {
            trace->next++;
            continue;
        }
        done[e->in_pack] = true;
        if (!ww_trace_source.next_command(trace, &command, error)) {
            return false;
        }
        bool good = unpack_kernel(files, trace, command.kernel, &trace->pack->kernels[e->in_pack],
                                  out, error);
        ww_trace_source.close_kernel(trace, command.kernel);
        if (!good) {
            return false;
        }
    }
    return write_list(files, trace->pack, error);
}

static void no_warning(void *user, const char *message) {}

bool ww_trace_unpack(const char *path, const char *outdir, FILE *out, GError **error)
{
    const WwTraceOptions options = {.warn = no_warning, .as_written = true};
    g_autoptr(WwTrace) trace = ww_trace_open(path, &options, error);
    if (trace == NULL) {
        return false;
    }
    if (trace->pack == NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "%s: is no trace pack; expected one", path);
    }
    WwFiles *files = ww_files_new(outdir, error);
    bool good = files != NULL && unpack_all(files, trace, out, error);
    return ww_files_end(files, good, error);
}
