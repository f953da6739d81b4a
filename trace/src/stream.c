/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A byte stream over a plain, `.xz`, `.zst` or `.tracez` file.
 *
 * Compressed input passes through one 64 KiB buffer; output goes straight to the caller, so memory
 * is that buffer plus the decompressor's window (at most WW_STREAM_MEMORY) however much the file
 * expands.
 */
#include "stream-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

#define IN_SIZE (64u << 10)
#define SKIP (64u << 10)
/* What a decoder is asked for at a time: it is copied out of its window, and read, while it lies in the first-level cache. */
#define PIECE (4u << 10)

/* A file is unpacked ahead if it has so many bytes (or a buffer of them): a MB of text, say, which takes some times as long as another thread to begin. */
#define MUCH (8u << 10)

typedef enum { FORMAT_PLAIN, FORMAT_XZ, FORMAT_ZST, FORMAT_TRACEZ } Format;

struct WwStream {
    Format format;
    int fd;
    bool in_end;   /**< The file has no more bytes. */
    bool done;     /**< The decompressor has returned everything. */
    bool in_frame; /**< zstd: a frame has begun and not ended. */
    size_t in_pos, in_len;
    lzma_stream xz;
    lzma_allocator memory; /**< Of `xz`. */
    void *window, *block; /**< The decoder's window, and the memory in which it lies; NULL: none. */
    ZSTD_DStream *zst;
    WwTracez *tracez;     /**< NULL: it is none. */
    WwVersion6 *version6; /**< NULL: it is no kernel trace. */
    WwUnpacker *unpacker; /**< At rest, unless `ahead`; NULL: it has had none. */
    bool ahead;
    uint8_t in[IN_SIZE];
};

/*
 * The xz decoder's window has up to 64 MiB, and as much of it is touched as the text is long. On huge pages that is a page fault for 2 MiB
 * instead of 4 KiB; the system may give others. The decoder writes to the window's last byte before anything else, so that lies in
 * the first small page behind the huge ones: a short text clears one huge page, not two.
 */
#define HUGE_PAGE ((size_t)2 << 20)
#define SMALL_PAGE ((size_t)4096)

static void *take_memory(void *user, size_t n, size_t size)
{
    WwStream *s = user;
    size *= n; /* liblzma has looked whether it fits */
    if (size < HUGE_PAGE || s->window != NULL) {
        return malloc(size);
    }
    size_t before = (SMALL_PAGE - size) & (HUGE_PAGE - 1);
    if (posix_memalign(&s->block, HUGE_PAGE, before + size) != 0) {
        return NULL;
    }
    madvise(s->block, (before + size) & ~(HUGE_PAGE - 1), MADV_HUGEPAGE);
    return s->window = (char *)s->block + before;
}

static void give_memory(void *user, void *at)
{
    WwStream *s = user;
    if (at != NULL && at == s->window) {
        free(s->block);
        s->window = s->block = NULL;
    } else {
        free(at);
    }
}

/*
 * One that was freed, for the next that is opened: its decoder's memory is there already, where the system clears some 8 MiB for each kernel of a
 * list otherwise. Larger ones are not kept.
 */
#define KEPT (32u << 20)

static WwStream *kept;

static WwStream *exchange_kept(WwStream *s)
{
    return __atomic_exchange_n(&kept, s, __ATOMIC_ACQ_REL);
}

static void destroy(WwStream *s)
{
    if (s != NULL) {
        ww_unpacker_free(s->unpacker);
        lzma_end(&s->xz);
        ZSTD_freeDStream(s->zst);
        g_free(s);
    }
}

void ww_stream_forget(void)
{
    destroy(exchange_kept(NULL));
}

/* As new, but for memory of its decoders. */
static WwStream *take_stream(int fd)
{
    WwStream *s = exchange_kept(NULL);
    if (s == NULL) {
        s = g_new0(WwStream, 1);
        s->xz = (lzma_stream)LZMA_STREAM_INIT;
        s->memory = (lzma_allocator){take_memory, give_memory, s};
        s->xz.allocator = &s->memory;
    }
    s->format = FORMAT_PLAIN;
    s->fd = fd;
    s->in_end = s->done = s->in_frame = s->ahead = false;
    s->in_pos = s->in_len = 0;
    return s;
}

static bool begin_xz(WwStream *s)
{
    return lzma_stream_decoder(&s->xz, WW_STREAM_MEMORY, LZMA_CONCATENATED) == LZMA_OK;
}

static bool begin_zst(WwStream *s)
{
    if (s->zst == NULL && (s->zst = ZSTD_createDStream()) == NULL) {
        return false;
    }
    return !ZSTD_isError(ZSTD_DCtx_reset(s->zst, ZSTD_reset_session_and_parameters)) &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(s->zst, ZSTD_d_windowLogMax, WW_STREAM_WINDOW_LOG));
}

static bool begin_tracez(WwStream *s, const char **why)
{
    const uint8_t *end = memchr(s->in, '\0', s->in_len);
    s->tracez = ww_tracez_new(s->fd, s->zst, (uint64_t)(end - s->in), why);
    return s->tracez != NULL;
}

static ssize_t read_some(WwStream *s, void *out, size_t size, const char **why)
{
    ssize_t n;
    do {
        n = read(s->fd, out, size);
    } while (n < 0 && errno == EINTR);
    if (n < 0) {
        *why = g_strerror(errno);
    }
    return n;
}

static bool fill(WwStream *s, const char **why)
{
    if (s->in_pos < s->in_len || s->in_end) {
        return true;
    }
    ssize_t n = read_some(s, s->in, sizeof s->in, why);
    if (n < 0) {
        return false;
    }
    s->in_pos = 0;
    s->in_len = (size_t)n;
    s->in_end = n == 0;
    return true;
}

static bool starts_with(const WwStream *s, const char *magic, size_t n)
{
    return s->in_len >= n && memcmp(s->in, magic, n) == 0;
}

/** Finds the format by name and first bytes; a short file is not an error before it is read. */
static bool choose_format(WwStream *s, const char *path, GError **error)
{
    bool is_xz = starts_with(s,
                             "\xFD"
                             "7zXZ",
                             6);
    bool is_zst = starts_with(s, "\x28\xB5\x2F\xFD", 4) ||
                  (s->in_len >= 4 && (s->in[0] & 0xF0) == 0x50 && /* a skippable frame */
                   memcmp(s->in + 1, "\x2A\x4D\x18", 3) == 0);
    bool named_xz = g_str_has_suffix(path, ".xz"), named_zst = g_str_has_suffix(path, ".zst");
    bool named_tracez = g_str_has_suffix(path, ".tracez");
    if (s->in_len == 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: file is empty; expected a trace", path);
    }
    if (named_xz && !is_xz) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: not xz data; expected what the name says", path);
    }
    if (named_zst && !is_zst) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: not zstd data; expected what the name says",
                       path);
    }
    if (named_tracez && (s->in[0] != '-' || memchr(s->in, '\0', s->in_len) == NULL)) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: not .tracez data; expected what the name says",
                       path);
    }
    if (ww_begins_with_mark(s->in, s->in_len)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:1: begins with a byte order mark; expected plain text without", path);
    }
    s->format = named_tracez ? FORMAT_TRACEZ
                : is_xz      ? FORMAT_XZ
                : is_zst     ? FORMAT_ZST
                             : FORMAT_PLAIN;
    return true;
}

static const char *kind_of(mode_t mode)
{
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

WwStream *ww_stream_open(const char *path, GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO does not stop us here */
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot open: %s; expected a trace", path,
                g_strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return NULL;
    }
    WwStream *s = take_stream(fd);
    const char *why = NULL;
    if (!S_ISREG(st.st_mode)) {
        ww_fail(error, WW_ERROR_INPUT, "%s: is %s; expected a file (it is read more than once)",
                path, kind_of(st.st_mode));
        goto fail;
    }
    if (!fill(s, &why)) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected a trace", path, why);
        goto fail;
    }
    if (!choose_format(s, path, error)) {
        goto fail;
    }
    if (s->format == FORMAT_XZ && !begin_xz(s)) {
        ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot start the xz decoder", path);
        goto fail;
    }
    if ((s->format == FORMAT_ZST || s->format == FORMAT_TRACEZ) && !begin_zst(s)) {
        ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot start the zstd decoder", path);
        goto fail;
    }
    if (s->format == FORMAT_TRACEZ && !begin_tracez(s, &why)) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected a complete file", path, why);
        goto fail;
    }
    return s;

fail:
    ww_stream_free(s);
    return NULL;
}

WwStream *ww_stream_open_trace(const char *path, GError **error)
{
    WwStream *s = ww_stream_open(path, error);
    if (s != NULL) {
        s->version6 = ww_version6_new();
    }
    return s;
}

void ww_stream_free(WwStream *s)
{
    if (s == NULL) {
        return;
    }
    if (s->ahead) {
        ww_unpacker_stop(s->unpacker);
    }
    ww_version6_free(s->version6);
    ww_tracez_free(s->tracez);
    s->version6 = NULL;
    s->tracez = NULL;
    close(s->fd);
    if (lzma_memusage(&s->xz) + ZSTD_sizeof_DStream(s->zst) <= KEPT) {
        s = exchange_kept(s);
    }
    destroy(s);
}

static const char *xz_reason(lzma_ret code, bool in_end)
{
    switch (code) {
    case LZMA_BUF_ERROR:
        return in_end ? "xz data is truncated" : "xz data makes no progress";
    case LZMA_MEMLIMIT_ERROR:
        return "xz data needs more than 256 MiB to decompress";
    case LZMA_OPTIONS_ERROR:
        return "xz data uses an unsupported option";
    case LZMA_FORMAT_ERROR:
    case LZMA_DATA_ERROR:
        return "xz data is corrupt";
    default:
        return "xz decoder failed";
    }
}

static bool read_xz(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    size = MIN(size, PIECE);
    s->xz.next_out = out;
    s->xz.avail_out = size;
    while (s->xz.avail_out > 0 && !s->done) {
        if (!fill(s, why)) {
            return false;
        }
        s->xz.next_in = s->in + s->in_pos;
        s->xz.avail_in = s->in_len - s->in_pos;
        lzma_ret code = lzma_code(&s->xz, s->in_end ? LZMA_FINISH : LZMA_RUN);
        s->in_pos = s->in_len - s->xz.avail_in;
        if (code == LZMA_STREAM_END) {
            s->done = true;
        } else if (code != LZMA_OK) {
            *why = xz_reason(code, s->in_end);
            return false;
        }
    }
    *n = size - s->xz.avail_out;
    return true;
}

const char *ww_zst_reason(size_t code)
{
    return ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge
               ? "zstd data needs more than 128 MiB to decompress"
               : "zstd data is corrupt";
}

static bool read_zst(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    ZSTD_outBuffer o = {.dst = out, .size = MIN(size, PIECE)};
    while (o.pos < o.size && !s->done) {
        if (!fill(s, why)) {
            return false;
        }
        size_t before = o.pos;
        ZSTD_inBuffer i = {.src = s->in, .size = s->in_len, .pos = s->in_pos};
        size_t left = ZSTD_decompressStream(s->zst, &o, &i);
        bool moved = i.pos != s->in_pos || o.pos != before;
        s->in_pos = i.pos;
        if (ZSTD_isError(left)) {
            *why = ww_zst_reason(left);
            return false;
        }
        if (moved) {
            s->in_frame = left != 0;
        } else if (s->in_end) {
            s->done = true;
        }
    }
    *n = o.pos;
    if (s->done && s->in_frame && o.pos == 0) {
        *why = "zstd data is truncated";
        return false;
    }
    return true;
}

static bool read_plain(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    size_t have = MIN(s->in_len - s->in_pos, size);
    if (have > 0) {
        memcpy(out, s->in + s->in_pos, have);
        s->in_pos += have;
        *n = have;
        return true;
    }
    ssize_t got = read_some(s, out, size, why);
    if (got < 0) {
        return false;
    }
    *n = (size_t)got;
    return true;
}

static bool unpack(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    switch (s->format) {
    case FORMAT_XZ:
        return read_xz(s, out, size, n, why);
    case FORMAT_ZST:
        return read_zst(s, out, size, n, why);
    case FORMAT_TRACEZ:
        return ww_tracez_read(s->tracez, out, MIN(size, PIECE), n, why);
    default:
        return read_plain(s, out, size, n, why);
    }
}

/* What it holds as whoever opened it wants it. */
static bool unpack_text(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    return s->version6 != NULL ? ww_version6_read(s->version6, unpack, s, out, size, n, why)
                               : unpack(s, out, size, n, why);
}

bool ww_stream_read(WwStream *s, void *out, size_t size, size_t *n, const char **why)
{
    if (ww_trace_interrupted()) { /* asked here: few bytes of the file may be very many */
        *why = "interrupted";
        return false;
    }
    return s->ahead ? ww_unpacker_read(s->unpacker, out, MIN(size, PIECE), n, why)
                    : unpack_text(s, out, size, n, why);
}

const char *ww_stream_expected(const WwStream *s)
{
    return s->version6 != NULL ? ww_version6_expected(s->version6) : NULL;
}

void ww_stream_ahead(WwStream *s)
{
    if (s->ahead || s->format == FORMAT_PLAIN || s->in_len < MUCH) {
        return;
    }
    if (s->unpacker == NULL) {
        s->unpacker = ww_unpacker_new(s, unpack_text);
    }
    s->ahead = s->unpacker != NULL;
    if (s->ahead) {
        ww_unpacker_start(s->unpacker);
    }
}

bool ww_stream_skip(WwStream *s, uint64_t n, const char **why)
{
    uint64_t have = MIN(n, s->in_len - s->in_pos);
    if (s->format == FORMAT_PLAIN && s->version6 == NULL &&
        lseek(s->fd, (off_t)(n - have), SEEK_CUR) >= 0) {
        s->in_pos += (size_t)have;
        return true; /* past the end, too: then nothing more comes */
    }
    g_autofree char *some = g_malloc(SKIP);
    while (n != 0) {
        size_t got = 0;
        *why = "it is shorter than it was";
        if (!ww_stream_read(s, some, (size_t)MIN(n, SKIP), &got, why) || got == 0) {
            return false;
        }
        n -= got;
    }
    return true;
}
