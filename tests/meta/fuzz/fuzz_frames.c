/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames of xz and zst: each part of a text, ended by "\n---\n", becomes a frame of its own. Read through them it is the trace that the
 * plain text is, errors included. With its first byte above 127 a byte of the frames is changed: then it is read, or refused in a line.
 */
#include "common/fuzz.h"

#include <lzma.h>
#include <string.h>
#include <zstd.h>

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL, "more than a line", message);
}

static void add_frame(GByteArray *to, const uint8_t *data, size_t size, bool zst)
{
    size_t room = zst ? ZSTD_compressBound(size) : lzma_stream_buffer_bound(size), n = 0;
    g_autofree uint8_t *out = g_malloc(room);
    if (zst) {
        n = ZSTD_compress(out, room, data, size, 1);
        fuzz_check(!ZSTD_isError(n), "zstd", "");
    } else {
        fuzz_check(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, data, size, out, &n, room) ==
                       LZMA_OK,
                   "lzma", "");
    }
    g_byte_array_append(to, out, (guint)n);
}

/* What is told without the place: the names of the files differ. */
static const char *without_file(const GError *error)
{
    const char *file = error != NULL ? strstr(error->message, "/proc/self/fd/90") : NULL;
    return file != NULL ? file + strlen("/proc/self/fd/900") : "";
}

/* Text that begins as xz or zstd does is no text to the reader. */
static bool is_frames(const GByteArray *text)
{
    return (text->len >= 6 && memcmp(text->data,
                                     "\xfd"
                                     "7zXZ",
                                     6) == 0) ||
           (text->len >= 4 && memcmp(text->data, "\x28\xb5\x2f\xfd", 4) == 0) ||
           (text->len >= 4 && (text->data[0] & 0xf0) == 0x50 &&
            memcmp(text->data + 1, "\x2a\x4d\x18", 3) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4) {
        return 0;
    }
    uint8_t how = data[0], by = data[1], where = data[2];
    const uint8_t *at = data + 3, *end = data + size;
    g_autoptr(GByteArray) plain = g_byte_array_new();
    g_autoptr(GByteArray) frames = g_byte_array_new();
    while (at < end) {
        size_t n;
        const uint8_t *next = (const uint8_t *)fuzz_second(at, (size_t)(end - at), &n);
        g_byte_array_append(plain, at, (guint)n);
        add_frame(frames, at, n, how % 2 == 1);
        at = next;
    }
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096};
    g_autoptr(GError) error = NULL;
    g_autoptr(GError) other = NULL;
    uint64_t n, m;
    if (how > 127) {
        frames->data[(size_t)where * frames->len / 256] ^= by;
    }
    bool good = fuzz_read_trace(fuzz_file(0, frames->data, frames->len), &options, &n, &error);
    fuzz_check_error(good, error, false);
    if (how <= 127 && !is_frames(plain)) {
        bool same = fuzz_read_trace(fuzz_file(1, plain->data, plain->len), &options, &m, &other);
        fuzz_check(good == same && n == m, "another trace", "");
        fuzz_check(strcmp(without_file(error), without_file(other)) == 0, "another error",
                   good ? "" : error->message);
    }
    return 0;
}
