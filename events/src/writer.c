/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log as a file. A compressed one is a stream of its own that compresses into the output's: pieces of one size, so that the bytes
 * depend on the lines alone.
 */
#include <events/log.h>

#include <errno.h>
#include <string.h>
#include <zstd.h>

#define PIECE (256u << 10)
#define LEVEL 1 /* a log is written while the run waits, and has much that repeats */

struct WwLogFile {
    WwOutput *output;
    FILE *stream;   /* What lines go to: the output's, or one that compresses. */
    ZSTD_CCtx *zst; /* NULL: plain. */
    char *in;       /* PIECE bytes not yet compressed, */
    size_t n;       /* of which there are so many. */
    bool frame;     /* One is open. */
    bool frames;    /* There has been one. */
};

static bool compress(WwLogFile *l, const char *text, size_t n, ZSTD_EndDirective how)
{
    char out[16384];
    ZSTD_inBuffer from = {.src = text, .size = n};
    FILE *to = ww_output_file(l->output);
    size_t left;
    do {
        ZSTD_outBuffer o = {.dst = out, .size = sizeof out};
        left = ZSTD_compressStream2(l->zst, &o, &from, how);
        if (ZSTD_isError(left)) {
            errno = ENOMEM; /* there is no other reason */
            return false;
        }
        if (fwrite(out, 1, o.pos, to) != o.pos) {
            return false;
        }
    } while (how == ZSTD_e_end ? left != 0 : from.pos != from.size);
    l->frame = how != ZSTD_e_end;
    l->frames = true;
    return true;
}

static ssize_t take(void *cookie, const char *text, size_t size)
{
    WwLogFile *l = cookie;
    for (size_t done = 0; done < size;) {
        size_t n = MIN(size - done, PIECE - l->n);
        bool whole = n == PIECE; /* as it is; others are put together */
        if (!whole) {
            memcpy(l->in + l->n, text + done, n);
            l->n += n;
        }
        if ((whole || l->n == PIECE) &&
            !compress(l, whole ? text + done : l->in, PIECE, ZSTD_e_continue)) {
            return 0;
        }
        l->n %= PIECE;
        done += n;
    }
    return (ssize_t)size;
}

static bool compress_rest(WwLogFile *l)
{
    size_t n = l->n;
    l->n = 0;
    return compress(l, l->in, n, ZSTD_e_end);
}

/* Ends the frame, if one is open or something waits for one. */
static bool end_frame(WwLogFile *l)
{
    bool good = fflush(l->stream) == 0 && !ferror(l->stream);
    return good && ((!l->frame && l->n == 0) || compress_rest(l));
}

static int fail_later(int why)
{
    errno = why;
    return -1;
}

/* The stream's last words: a file without a frame would be none of zstd's. */
static int end(void *cookie)
{
    WwLogFile *l = cookie;
    bool open = l->frame || l->n != 0 || !l->frames;
    return !open || compress_rest(l) ? 0 : fail_later(errno);
}

static bool start_compressing(WwLogFile *l, const char *path, GError **error)
{
    l->in = g_malloc(PIECE);
    l->zst = ZSTD_createCCtx();
    l->stream = fopencookie(l, "w", (cookie_io_functions_t){.write = take, .close = end});
    if (l->zst == NULL || l->stream == NULL) {
        return ww_fail(error, WW_ERROR_SYSTEM, "'%s': cannot start the zstd compressor", path);
    }
    ZSTD_CCtx_setParameter(l->zst, ZSTD_c_compressionLevel, LEVEL);
    ZSTD_CCtx_setParameter(l->zst, ZSTD_c_checksumFlag, 1);
    return true;
}

WwLogFile *ww_log_new(const char *path, bool resumable, GError **error)
{
    WwLogFile *l = g_new0(WwLogFile, 1);
    l->output = resumable ? ww_output_resumable(path, error) : ww_output_new(path, error);
    if (l->output == NULL) {
        g_free(l);
        return NULL;
    }
    if (!g_str_has_suffix(path, ".zst")) {
        l->stream = ww_output_file(l->output);
    } else if (!start_compressing(l, path, error)) {
        ww_log_drop(l);
        return NULL;
    }
    setvbuf(l->stream, NULL, _IONBF, 0); /* a machine writes great pieces */
    return l;
}

FILE *ww_log_stream(WwLogFile *l)
{
    return l->stream;
}

static bool cannot(GError **error)
{
    return ww_fail(error, WW_ERROR_SYSTEM, "the log: %s; expected room for it", g_strerror(errno));
}

bool ww_log_sum(WwLogFile *l, uint64_t *bytes, uint64_t *sum, GError **error)
{
    return (l->zst == NULL || end_frame(l) || cannot(error)) &&
           ww_output_sum(l->output, bytes, sum, error);
}

bool ww_log_from(WwLogFile *l, uint64_t bytes, uint64_t sum, GError **error)
{
    l->frames = bytes != 0;
    return ww_output_from(l->output, bytes, sum, error);
}

static void forget(WwLogFile *l)
{
    ZSTD_freeCCtx(l->zst);
    g_free(l->in);
    g_free(l);
}

bool ww_log_keep(WwLogFile *l, GError **error)
{
    bool good = l->zst == NULL || fclose(l->stream) == 0 || cannot(error);
    if (good) {
        good = ww_output_keep(l->output, error);
    } else {
        ww_output_drop(l->output);
    }
    forget(l);
    return good;
}

void ww_log_drop(WwLogFile *l)
{
    if (l == NULL) {
        return;
    }
    if (l->zst != NULL && l->stream != NULL) {
        fclose(l->stream);
    }
    ww_output_drop(l->output);
    forget(l);
}
