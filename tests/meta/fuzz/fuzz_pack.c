/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A trace, packed: the pack says what the text says. Then bytes of its index and of its first segment are changed, with lengths and check sums that
 * are right again, as somebody would who wants to harm: it is read, or refused in a line.
 */
#include "common/fuzz.h"

#include <lzma.h>
#include <pack-priv.h>
#include <string.h>
#include <trace/info.h>
#include <unistd.h>
#include <zstd.h>

enum { ROUNDS = 48, HARM = 4 };

static void ignore(void *user, const char *message)
{
    fuzz_check(strchr(message, '\n') == NULL, "more than a line", message);
}

static uint32_t state;

static uint32_t draw(size_t n)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)((state >> 8) % MAX(n, 1));
}

static uint64_t get(const uint8_t *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return GUINT64_FROM_LE(value);
}

static void harm(GByteArray *bytes, guint most)
{
    static const uint8_t edges[] = {0, 1, 2, 126, 127, 128, 129, 254, 255};
    for (uint32_t n = 1 + draw(HARM); n > 0 && most > 0; n--) {
        bytes->data[draw(most)] = draw(2) ? edges[draw(sizeof edges)] : (uint8_t)draw(256);
    }
}

static GByteArray *unpacked(const uint8_t *frame, size_t size, bool dictionary)
{
    GByteArray *out = g_byte_array_new();
    ZSTD_DCtx *zst = ZSTD_createDCtx();
    g_byte_array_set_size(out, (guint)ZSTD_getFrameContentSize(frame, size));
    size_t n = ZSTD_decompress_usingDict(zst, out->data, out->len, frame, size,
                                         dictionary ? ww_pack_dictionary : NULL,
                                         dictionary ? ww_pack_dictionary_size : 0);
    ZSTD_freeDCtx(zst);
    fuzz_check(n == out->len, "no frame of a pack", "");
    return out;
}

static void add_frame(GByteArray *to, const GByteArray *bytes, bool dictionary)
{
    size_t room = ZSTD_compressBound(bytes->len);
    g_autofree uint8_t *out = g_malloc(room);
    ZSTD_CCtx *zst = ZSTD_createCCtx();
    size_t n = ZSTD_compress_usingDict(zst, out, room, bytes->data, bytes->len,
                                       dictionary ? ww_pack_dictionary : NULL,
                                       dictionary ? ww_pack_dictionary_size : 0, 1);
    ZSTD_freeCCtx(zst);
    fuzz_check(!ZSTD_isError(n), "zstd", "");
    g_byte_array_append(to, out, (guint)n);
}

/** Takes the number off the end of the index. */
static void drop_number(GByteArray *index)
{
    guint n = index->len - 1;
    while (n > 0 && index->data[n - 1] > 127) {
        n--;
    }
    g_byte_array_set_size(index, n);
}

/** The index ends with the one segment: its length is another now. */
static void put_length(GByteArray *index, const GByteArray *segment, uint64_t size)
{
    uint8_t last = index->data[index->len - 1], bytes[20], *p;
    for (uint32_t i = 0; i < 3; i++) {
        drop_number(index);
    }
    p = ww_put_number(ww_put_number(bytes, size), segment->len);
    *p++ = last;
    g_byte_array_append(index, bytes, (guint)(p - bytes));
}

/** A pack of one segment with its index, or the segment, harmed. */
static GByteArray *harmed(const uint8_t *pack, size_t size)
{
    const uint8_t *tail = pack + size - WW_PACK_TAIL;
    uint64_t at = get(tail);
    g_autoptr(GByteArray) index = unpacked(pack + at, get(tail + 8), true);
    g_autoptr(GByteArray) segment = unpacked(pack + WW_PACK_HEAD, at - WW_PACK_HEAD, false);
    GByteArray *out = g_byte_array_new();
    g_byte_array_append(out, pack, WW_PACK_HEAD);
    bool which = draw(2) != 0;
    if (which) {
        harm(segment, segment->len);
    }
    add_frame(out, segment, false);
    if (index->data[index->len - 1] < 128) {
        put_length(index, segment, out->len - WW_PACK_HEAD);
    }
    if (!which) {
        harm(index, index->len);
    }
    uint8_t end[WW_PACK_TAIL];
    uint64_t place[3] = {GUINT64_TO_LE(out->len), 0, GUINT64_TO_LE(index->len)};
    add_frame(out, index, true);
    place[1] = GUINT64_TO_LE(out->len - GUINT64_FROM_LE(place[0]));
    memcpy(end, place, sizeof place);
    uint32_t sum = GUINT32_TO_LE(lzma_crc32(out->data, out->len, 0));
    memcpy(end + 24, &sum, 4);
    sum = GUINT32_TO_LE(lzma_crc32(end, 28, 0));
    memcpy(end + 28, &sum, 4);
    memcpy(end + 32, WW_PACK_END, 8);
    g_byte_array_append(out, end, sizeof end);
    return out;
}

static void harm_all(const WwTraceOptions *options, const uint8_t *pack, size_t size)
{
    size_t at = get(pack + size - WW_PACK_TAIL);
    if (ZSTD_findFrameCompressedSize(pack + WW_PACK_HEAD, at - WW_PACK_HEAD) != at - WW_PACK_HEAD) {
        return; /* more than one segment, or none */
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        g_autoptr(GByteArray) bad = harmed(pack, size);
        g_autoptr(GError) error = NULL;
        uint64_t n;
        bool good = fuzz_read_trace(fuzz_file(1, bad->data, bad->len), options, &n, &error);
        fuzz_check_error(good, error, false);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    WwTraceOptions options = {.warn = ignore, .max_line_bytes = 4096};
    g_autoptr(GError) error = NULL;
    uint64_t n = 0, m = 0;
    const char *text = fuzz_file(0, data, size);
    g_autofree char *file = g_strdup_printf("%s/fuzz-%d.wwpack", g_get_tmp_dir(), (int)getpid());
    g_autofree char *bytes = NULL;
    gsize length;
    if (!fuzz_read_trace(text, &options, &n, NULL) || !ww_trace_pack(text, file, 1, NULL, &error)) {
        unlink(file);
        return 0;
    }
    fuzz_check(g_file_get_contents(file, &bytes, &length, NULL), "no pack", file);
    unlink(file);
    fuzz_check(fuzz_read_trace(fuzz_file(1, bytes, length), &options, &m, &error) && n == m,
               "the pack is not what the text is", error != NULL ? error->message : "");
    state = (uint32_t)size;
    for (size_t i = 0; i < size; i++) {
        state = (state ^ data[i]) * 16777619u;
    }
    harm_all(&options, (const uint8_t *)bytes, length);
    return 0;
}
