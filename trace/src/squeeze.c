/* SPDX-License-Identifier: Apache-2.0 */
/** @file Text into files, plain or compressed. */
#include "files-priv.h"

#include <errno.h>
#include <lzma.h>
#include <zstd.h>

#define CHUNK (256u << 10)

struct WwSqueeze {
    const char *path;
    FILE *out;
    WwTraceCompressor compressor;
    uint64_t bytes;
    lzma_stream xz;
    ZSTD_CStream *zst;
    uint8_t chunk[CHUNK];
};

static bool write_out(WwSqueeze *o, const void *data, size_t n, GError **error)
{
    o->bytes += n;
    return fwrite(data, 1, n, o->out) == n ||
           ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot write: %s; expected room for it", o->path,
                   g_strerror(errno));
}

void ww_squeeze_free(WwSqueeze *squeeze)
{
    if (squeeze == NULL) {
        return;
    }
    lzma_end(&squeeze->xz);
    ZSTD_freeCStream(squeeze->zst);
    g_free(squeeze);
}

static bool compress_xz(WwSqueeze *o, const void *data, size_t n, bool last, GError **error)
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
        if (!write_out(o, o->chunk, CHUNK - o->xz.avail_out, error)) {
            return false;
        }
        if (code == LZMA_STREAM_END || (!last && o->xz.avail_in == 0 && o->xz.avail_out > 0)) {
            return true;
        }
    }
}

static bool compress_zst(WwSqueeze *o, const void *data, size_t n, bool last, GError **error)
{
    ZSTD_inBuffer in = {.src = data, .size = n};
    for (;;) {
        ZSTD_outBuffer out = {.dst = o->chunk, .size = CHUNK};
        size_t left = ZSTD_compressStream2(o->zst, &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) {
            return ww_fail(error, WW_ERROR_SYSTEM, "%s: zstd: %s", o->path,
                           ZSTD_getErrorName(left));
        }
        if (!write_out(o, o->chunk, out.pos, error)) {
            return false;
        }
        if (last ? left == 0 : in.pos == in.size) {
            return true;
        }
    }
}

static bool start(WwSqueeze *o, uint32_t level, GError **error)
{
    bool good = true;
    if (o->compressor == WW_TRACE_XZ) {
        good = lzma_easy_encoder(&o->xz, level != 0 ? level : 6, LZMA_CHECK_CRC64) == LZMA_OK;
    } else if (o->compressor == WW_TRACE_ZST) {
        o->zst = ZSTD_createCStream();
        good = o->zst != NULL &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(o->zst, ZSTD_c_compressionLevel,
                                                    level != 0 ? (int)level : 9)) &&
               !ZSTD_isError(ZSTD_CCtx_setParameter(o->zst, ZSTD_c_checksumFlag, 1));
    }
    return good || ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot start the compressor", o->path);
}

WwSqueeze *ww_squeeze_new(const char *path, FILE *out, WwTraceCompressor compressor, uint32_t level,
                          GError **error)
{
    WwSqueeze *o = g_new0(WwSqueeze, 1);
    o->path = path;
    o->out = out;
    o->compressor = compressor;
    o->xz = (lzma_stream)LZMA_STREAM_INIT;
    if (!start(o, level, error)) {
        ww_squeeze_free(o);
        return NULL;
    }
    return o;
}

bool ww_squeeze(WwSqueeze *squeeze, const void *data, size_t n, bool last, GError **error)
{
    return squeeze->compressor == WW_TRACE_XZ    ? compress_xz(squeeze, data, n, last, error)
           : squeeze->compressor == WW_TRACE_ZST ? compress_zst(squeeze, data, n, last, error)
                                                 : n == 0 || write_out(squeeze, data, n, error);
}

uint64_t ww_squeeze_bytes(const WwSqueeze *squeeze)
{
    return squeeze->bytes;
}
