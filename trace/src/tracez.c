/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `.tracez`, the file of Accel-Sim 2's tracer: the text of a kernel trace in zstd frames, each some thousand instructions of a warp.
 *
 *     the header's text, NUL
 *     u32 bytes of a zstd dictionary, u32 (instructions of a frame; not needed here), the dictionary
 *     for each warp: u32 instructions, u32 frames, and for each frame u32 bytes and the frame
 *     the index: u32 thread blocks; for each u32 x, y, z, cluster x, y, z, place in the cluster x, y, z, rank, warps; for each warp u32 instructions,
 *         u32 frames, u64 where in the file, and for each frame u32 instructions
 *     u64 where the index is
 *
 * All little-endian. It is read in the index's order, through two windows of the file: memory does not grow with it.
 */
#include "stream-priv.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#define WINDOW (32u << 10)
/* The tracer's own has at most 64 KiB. */
#define MOST_DICTIONARY (16u << 20)

typedef enum { AT_HEADER, AT_BLOCK, AT_WARP, AT_FRAME, IN_FRAME, AT_END } State;

/** A piece of the file, and a place in it that goes forward. */
typedef struct Window {
    uint64_t at;    /**< The next byte's place in the file. */
    uint64_t begin; /**< Of the bytes. */
    size_t n;
    uint8_t bytes[WINDOW];
} Window;

struct WwTracez {
    int fd;
    uint64_t size;
    State state;
    uint64_t header;                      /**< Bytes of it, without the NUL. */
    uint32_t blocks, warps, warp, frames; /**< That are left; `warp`: the next one's number. */
    uint32_t left;                        /**< Bytes of the frame. */
    ZSTD_DStream *zst;
    ZSTD_DDict *dictionary;
    char said[256]; /**< Text between frames. */
    size_t n_said, told;
    Window index, data;
};

static bool truncated(const char **why)
{
    *why = ".tracez data is truncated";
    return false;
}

static bool corrupt(const char **why)
{
    *why = ".tracez data is corrupt";
    return false;
}

/** Bytes of the file from the window's place on, at least one, up to what a window has. */
static bool look(const WwTracez *z, Window *w, const uint8_t **bytes, size_t *n, const char **why)
{
    if (w->at < w->begin || w->at >= w->begin + w->n) {
        ssize_t got;
        do {
            got = w->at > INT64_MAX ? 0 : pread(z->fd, w->bytes, WINDOW, (off_t)w->at);
        } while (got < 0 && errno == EINTR);
        if (got < 0) {
            *why = g_strerror(errno);
            return false;
        }
        w->begin = w->at;
        w->n = (size_t)got;
        if (got == 0) {
            return truncated(why);
        }
    }
    *bytes = w->bytes + (w->at - w->begin);
    *n = (size_t)(w->begin + w->n - w->at);
    return true;
}

static bool take(const WwTracez *z, Window *w, void *to, size_t size, const char **why)
{
    for (size_t done = 0; done < size;) {
        const uint8_t *bytes;
        size_t n;
        if (!look(z, w, &bytes, &n, why)) {
            return false;
        }
        n = MIN(n, size - done);
        memcpy((char *)to + done, bytes, n);
        done += n;
        w->at += n;
    }
    return true;
}

static bool take_numbers(const WwTracez *z, Window *w, uint32_t *to, uint32_t n, const char **why)
{
    bool good = take(z, w, to, n * sizeof *to, why);
    for (uint32_t i = 0; good && i < n; i++) {
        to[i] = GUINT32_FROM_LE(to[i]);
    }
    return good;
}

/** From the place that the last bytes name. */
static bool find_index(WwTracez *z, uint64_t from, const char **why)
{
    uint64_t place;
    if (z->size < from + sizeof place + sizeof(uint32_t)) {
        return truncated(why);
    }
    z->index.at = z->size - sizeof place;
    if (!take(z, &z->index, &place, sizeof place, why)) {
        return false;
    }
    z->index.at = GUINT64_FROM_LE(place);
    if (z->index.at < from || z->index.at > z->size - sizeof place - sizeof z->blocks) {
        return corrupt(why);
    }
    return take_numbers(z, &z->index, &z->blocks, 1, why);
}

static bool read_dictionary(WwTracez *z, uint32_t n, const char **why)
{
    if (n > MOST_DICTIONARY || n > z->size) {
        return corrupt(why);
    }
    if (n != 0) {
        g_autofree char *bytes = g_malloc(n);
        if (!take(z, &z->data, bytes, n, why)) {
            return false;
        }
        z->dictionary = ZSTD_createDDict(bytes, n);
        if (z->dictionary == NULL || ZSTD_isError(ZSTD_DCtx_refDDict(z->zst, z->dictionary))) {
            return corrupt(why);
        }
    }
    return true;
}

WwTracez *ww_tracez_new(int fd, struct ZSTD_DCtx_s *zst, uint64_t header, const char **why)
{
    struct stat st;
    uint32_t numbers[2];
    WwTracez *z = g_new0(WwTracez, 1);
    z->fd = fd;
    z->zst = zst;
    z->header = header;
    z->data.at = header + 1;
    z->size = fstat(fd, &st) == 0 ? (uint64_t)st.st_size : 0;
    if (!take_numbers(z, &z->data, numbers, 2, why) || !read_dictionary(z, numbers[0], why) ||
        !find_index(z, z->data.at, why)) {
        ww_tracez_free(z);
        return NULL;
    }
    z->data.at = 0;
    return z;
}

void ww_tracez_free(WwTracez *z)
{
    if (z != NULL) {
        ZSTD_DCtx_refDDict(z->zst, NULL);
        ZSTD_freeDDict(z->dictionary);
        g_free(z);
    }
}

G_GNUC_PRINTF(2, 3) static void say(WwTracez *z, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    z->n_said = (size_t)g_vsnprintf(z->said, sizeof z->said, format, args);
    z->told = 0;
    va_end(args);
}

static bool begin_block(WwTracez *z, const char **why)
{
    uint32_t n[11];
    if (z->blocks == 0) {
        z->state = AT_END;
        return true;
    }
    if (!take_numbers(z, &z->index, n, 11, why)) {
        return false;
    }
    z->blocks--;
    z->warps = n[10];
    z->warp = 0;
    z->state = AT_WARP;
    say(z,
        "\n#BEGIN_TB\n\nthread block = %u,%u,%u\ncluster id = %u,%u,%u\ncluster cta = "
        "%u,%u,%u\ncluster rank = %u\n",
        n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9]);
    return true;
}

static bool begin_warp(WwTracez *z, const char **why)
{
    uint32_t n[2], there[2];
    uint64_t place;
    if (z->warps == 0) {
        z->state = AT_BLOCK;
        say(z, "\n#END_TB\n");
        return true;
    }
    if (!take_numbers(z, &z->index, n, 2, why) || !take(z, &z->index, &place, sizeof place, why)) {
        return false;
    }
    z->data.at = GUINT64_FROM_LE(place);
    if (!take_numbers(z, &z->data, there, 2, why)) {
        return false;
    }
    if (there[0] != n[0] || there[1] != n[1]) {
        *why = ".tracez data is corrupt: its index does not fit";
        return false;
    }
    z->warps--;
    z->frames = n[1];
    z->state = AT_FRAME;
    say(z, "\nwarp = %u\ninsts = %u\n", z->warp++, n[0]);
    return true;
}

static bool begin_frame(WwTracez *z, const char **why)
{
    uint32_t insts;
    if (z->frames == 0) {
        z->state = AT_WARP;
        return true;
    }
    if (!take_numbers(z, &z->index, &insts, 1, why) ||
        !take_numbers(z, &z->data, &z->left, 1, why)) {
        return false;
    }
    z->frames--;
    z->state = IN_FRAME;
    return !ZSTD_isError(ZSTD_DCtx_reset(z->zst, ZSTD_reset_session_only)) || corrupt(why);
}

/** Some of the frame's text; its last line has no newline, so that one follows. */
static bool read_frame(WwTracez *z, void *out, size_t size, size_t *n, const char **why)
{
    const uint8_t *bytes = NULL;
    size_t have = 0;
    if (z->left != 0 && !look(z, &z->data, &bytes, &have, why)) {
        return false;
    }
    ZSTD_outBuffer o = {.dst = out, .size = size};
    ZSTD_inBuffer i = {.src = bytes, .size = MIN(have, z->left)};
    size_t hint = ZSTD_decompressStream(z->zst, &o, &i);
    if (ZSTD_isError(hint)) {
        *why = ww_zst_reason(hint);
        return false;
    }
    z->data.at += i.pos;
    z->left -= (uint32_t)i.pos;
    *n = o.pos;
    if (hint == 0) {
        z->state = AT_FRAME;
        say(z, "\n");
        return z->left == 0 || corrupt(why);
    }
    return i.pos != 0 || o.pos != 0 || corrupt(why); /* it has not ended, and nothing moves */
}

static bool read_header(WwTracez *z, void *out, size_t size, size_t *n, const char **why)
{
    const uint8_t *bytes;
    if (z->data.at == z->header) {
        z->state = AT_BLOCK;
        return true;
    }
    if (!look(z, &z->data, &bytes, n, why)) {
        return false;
    }
    *n = MIN(MIN(*n, size), (size_t)(z->header - z->data.at));
    memcpy(out, bytes, *n);
    z->data.at += *n;
    return true;
}

bool ww_tracez_read(WwTracez *z, void *out, size_t size, size_t *n, const char **why)
{
    bool good = true;
    *n = 0;
    while (good && *n == 0 && (z->told < z->n_said || z->state != AT_END)) {
        if (z->told < z->n_said) {
            *n = MIN(size, z->n_said - z->told);
            memcpy(out, z->said + z->told, *n);
            z->told += *n;
            break;
        }
        switch (z->state) {
        case AT_HEADER:
            good = read_header(z, out, size, n, why);
            break;
        case AT_BLOCK:
            good = begin_block(z, why);
            break;
        case AT_WARP:
            good = begin_warp(z, why);
            break;
        case AT_FRAME:
            good = begin_frame(z, why);
            break;
        default:
            good = read_frame(z, out, size, n, why);
            break;
        }
    }
    return good;
}
