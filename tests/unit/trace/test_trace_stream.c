/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Compressed files, broken ones, and lines that do not end.
 */
#include "util.h"

#include <fcntl.h>
#include <lzma.h>
#include <stream-priv.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <warpwright/interrupt.h>

typedef GByteArray *(*Maker)(const char *text, gsize n);

static const struct {
    const char *suffix;
    Maker make;
} formats[] = {{".xz", make_xz}, {".zst", make_zst}};

static char *sample(void)
{
    g_autoptr(GString) lines = g_string_new(NULL);
    for (uint32_t i = 0; i < 20000; i++) {
        g_string_append_printf(lines, "%04x %08x 1 R%u IADD3 1 R2 0 %u \n", i % 997 * 16,
                               i * 2654435761u, i % 200, i % 13);
    }
    return make_kernel("", 20000, lines->str);
}

static void test_formats(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    ReadResult plain, r;
    const char *path = scratch_write(s, "kernel-0.traceg", text, -1);
    g_assert_true(read_all(path, NULL, &plain, NULL));
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        size_t half = strlen(text) / 2;
        g_autoptr(GByteArray) a = formats[i].make(text, half);
        g_autoptr(GByteArray) b = formats[i].make(text + half, strlen(text) - half);
        g_autofree char *name = g_strconcat("kernel-1.traceg", formats[i].suffix, NULL);
        g_byte_array_append(a, b->data, b->len); /* two streams in one file are one text */
        path = scratch_write(s, name, a->data, (gssize)a->len);
        g_assert_true(read_all(path, NULL, &r, NULL));
        assert_same(&r, &plain);
        /* the list's plain name finds the compressed file */
        g_assert_true(
            read_all(scratch_write(s, "kernelslist.g", "kernel-1.traceg\n", -1), NULL, &r, NULL));
        assert_same(&r, &plain);
        /* the format follows the bytes where the name says nothing */
        path = scratch_write(s, "kernel-2.traceg", a->data, (gssize)a->len);
        g_assert_true(read_all(path, NULL, &r, NULL));
        unlink(scratch_path(s, name));
    }
}

static void test_truncated(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_autoptr(GByteArray) a = formats[i].make(text, strlen(text));
        g_autofree char *name = g_strconcat("kernel-1.traceg", formats[i].suffix, NULL);
        for (guint cut = 8; cut < a->len / 2; cut += a->len / 9) {
            assert_read_fails(scratch_write(s, name, a->data, (gssize)cut), NULL, "truncated");
        }
        assert_read_fails(scratch_write(s, name, a->data, 3), NULL, "expected what the name says");
        assert_read_fails(scratch_write(s, name, "", 0), NULL, "file is empty");
    }
}

static void test_corrupt(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_autoptr(GByteArray) a = formats[i].make(text, strlen(text));
        g_autofree char *name = g_strconcat("kernel-1.traceg", formats[i].suffix, NULL);
        memset(a->data + a->len / 2, 0x5a, 64);
        assert_read_fails(scratch_write(s, name, a->data, (gssize)a->len), NULL, name);
        assert_read_fails(scratch_write(s, name, text, -1), NULL, "expected what the name says");
    }
}

/** Peak memory of this process, KiB. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/** A sparse file of 4 GiB is one line of NULs; it must be refused after max_line_bytes. */
static void test_long_line(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *path = scratch_path(s, "kernel-1.traceg");
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    g_assert_cmpint(ftruncate(fd, (off_t)4 << 30), ==, 0);
    close(fd);
    long before = peak();
    assert_read_fails(path, NULL, ":1: line is longer than 1048576 bytes");
    g_assert_cmpint(peak() - before, <, 64 << 10);
    WwTraceOptions options = {.max_line_bytes = 20};
    g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0\n");
    assert_read_fails(scratch_write(s, "kernel-2.traceg", text, -1), &options,
                      "line is longer than 20 bytes");
}

/** 256 MiB without a newline in some kilobytes. */
static void test_bomb(void)
{
    g_autoptr(Scratch) s = scratch_new();
    size_t n = (size_t)256 << 20;
    char *text = g_malloc(n);
    memset(text, 'a', n);
    GByteArray *a = make_zst(text, n);
    g_free(text);
    scratch_write(s, "kernel-1.traceg.zst", a->data, (gssize)a->len);
    g_byte_array_unref(a);
    assert_read_fails(scratch_path(s, "kernel-1.traceg.zst"), NULL,
                      "line is longer than 1048576 bytes");
}

/** Frames that are legal, if odd; and what is none. */
static void test_frames(void)
{
    static const char skippable[] = "\x53\x2A\x4D\x18\x04\0\0\0abcd";
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_autoptr(GByteArray) a = formats[i].make(text, strlen(text));
        g_autofree char *name = g_strconcat("kernel-1.traceg", formats[i].suffix, NULL);
        g_byte_array_append(a, (const uint8_t *)"garbage behind", 14);
        assert_read_fails(scratch_write(s, name, a->data, (gssize)a->len), NULL, "data is corrupt");
    }
    g_autoptr(GByteArray) zst = make_zst(text, strlen(text));
    g_autoptr(GByteArray) both = g_byte_array_new();
    ReadResult r;
    for (int end = 0; end < 2; end++) { /* as pzstd writes */
        g_byte_array_append(both, (const uint8_t *)skippable, sizeof skippable - 1);
        g_byte_array_append(both, end ? zst->data : (const uint8_t *)"", end ? zst->len : 0);
        const char *path = scratch_write(s, "kernel-1.traceg.zst", both->data, (gssize)both->len);
        if (end) {
            g_assert_true(read_all(path, NULL, &r, NULL));
        } else {
            assert_read_fails(path, NULL, "trace ends inside the header");
        }
    }
    /* a frame that wants a window of 2 GiB */
    static const char wide[] = "\x28\xB5\x2F\xFD\x00\xA8\x01\0\0";
    assert_read_fails(scratch_write(s, "kernel-1.traceg.zst", wide, sizeof wide - 1), NULL,
                      "zstd data needs more than 128 MiB to decompress");
}

/** An xz file with a dictionary of 1 GiB, as xz --lzma2=dict=1GiB writes. */
static void test_memory_limit(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    lzma_options_lzma o;
    lzma_lzma_preset(&o, 0);
    uint8_t out[4096];
    lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &o}, {LZMA_VLI_UNKNOWN, NULL}};
    size_t n = 0;
    g_assert_cmpint(lzma_stream_buffer_encode(filters, LZMA_CHECK_NONE, NULL, (const uint8_t *)text,
                                              1000, out, &n, sizeof out),
                    ==, LZMA_OK);
    /* block header: size, flags, sizes, filter id, size of properties, dictionary; then its CRC32 */
    size_t header = ((size_t)out[12] + 1) * 4, filter = 14;
    while (out[filter] != 0x21 || out[filter + 1] != 1) {
        filter++;
    }
    g_assert_cmpuint(filter, <, 12 + header);
    out[filter + 2] = 36; /* 1 GiB */
    uint32_t crc = GUINT32_TO_LE(lzma_crc32(out + 12, header - 4, 0));
    memcpy(out + 12 + header - 4, &crc, sizeof crc);
    assert_read_fails(scratch_write(s, "kernel-1.traceg.xz", out, (gssize)n), NULL,
                      "xz data needs more than 256 MiB to decompress");
}

/** A trace is read more than once, and marks of other encodings are no text. */
static void test_odd_files(void)
{
    static const char *const marks[] = {"\xEF\xBB\xBF", "\xFF\xFE", "\xFE\xFF"};
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    const char *fifo = scratch_path(s, "kernel-1.traceg");
    g_assert_cmpint(mkfifo(fifo, 0600), ==, 0);
    assert_read_fails(fifo, NULL, "is a pipe; expected a file");
    assert_read_fails("/dev/zero", NULL, "is a device; expected a file");
    for (size_t i = 0; i < G_N_ELEMENTS(marks); i++) {
        g_autofree char *all = g_strconcat(marks[i], text, NULL);
        assert_read_fails(scratch_write(s, "kernel-2.traceg", all, -1), NULL,
                          ":1: begins with a byte order mark; expected plain text");
    }
}

/** Lines across the refills of the buffer, and a last line without newline. */
static void test_refill(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GString) lines = g_string_new(NULL);
    for (uint32_t i = 0; i < 4000; i++) {
        g_string_append_printf(lines, "%04x ffffffff 1 R1 LDG.E 1 R2 4 0", i % 7 * 16);
        for (uint32_t lane = 0; lane < 32; lane++) {
            g_string_append_printf(lines, " 0x%x", i * 977 + lane * (i % 5));
        }
        g_string_append_printf(lines, " 0%*s\n", (int)(i % 50), "");
    }
    g_autofree char *text = make_kernel("", 4000, lines->str);
    text[strlen(text) - 1] = '\0';
    ReadResult r;
    g_assert_true(read_all(scratch_write(s, "kernel-1.traceg", text, -1), NULL, &r, NULL));
    g_assert_cmpuint(r.warp_insts, ==, 4000);
}

/** What a stream gives until its end or its failure (*@p why), and whether one ahead of it gives the same. */
static GString *drain(const char *path, bool ahead, size_t most, const char **why)
{
    GString *text = g_string_new(NULL);
    WwStream *s = ww_stream_open(path, NULL);
    char some[10000];
    g_assert_nonnull(s);
    for (size_t n = 1; n != 0 && text->len < most;) {
        *why = NULL;
        if (!ww_stream_read(s, some, text->len == 0 ? 4096 : sizeof some, &n, why)) {
            break;
        }
        g_string_append_len(text, some, (gssize)n);
        if (ahead) {
            ww_stream_ahead(s); /* behind its beginning, and once more */
        }
    }
    ww_stream_free(s);
    return text;
}

static void assert_same_ahead(const char *path, const char *expected)
{
    const char *why[2];
    g_autoptr(GString) beside = drain(path, true, SIZE_MAX, &why[1]);
    g_autoptr(GString) alone = drain(path, false, SIZE_MAX, &why[0]);
    g_assert_cmpuint(alone->len, ==, beside->len);
    g_assert_cmpint(memcmp(alone->str, beside->str, alone->len), ==, 0);
    g_assert_cmpstr(why[0], ==, why[1]);
    g_assert_true((why[0] == NULL) == (expected == NULL));
    g_assert_true(expected == NULL || strstr(why[0], expected) != NULL);
}

/** Unpacked by another thread: the same bytes, and the same failure behind them; left early; asked to stop. */
static void test_ahead(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *one = sample();
    g_autofree char *text = g_strconcat(one, one, one, NULL); /* more than the ring holds */
    const char *why;
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_autoptr(GByteArray) a = formats[i].make(text, strlen(text));
        g_autofree char *name = g_strconcat("kernel-1.traceg", formats[i].suffix, NULL);
        assert_same_ahead(scratch_write(s, name, a->data, (gssize)a->len), NULL);
        for (guint cut = 8192; cut < a->len; cut += a->len / 5) {
            assert_same_ahead(scratch_write(s, name, a->data, (gssize)cut), "truncated");
        }
        for (size_t most = 1; most < strlen(text); most *= 4) {
            const char *path = scratch_write(s, name, a->data, (gssize)a->len);
            g_string_free(drain(path, true, most, &why), true);
            assert_same_ahead(path, NULL);
        }
        WwStream *stream = ww_stream_open(scratch_path(s, name), NULL);
        ww_stream_ahead(stream);
        ww_interrupt();
        char some[4096];
        for (size_t n; ww_stream_read(stream, some, sizeof some, &n, &why);) {
            g_assert_cmpuint(n, !=, 0);
        }
        g_assert_cmpstr(why, ==, "interrupted");
        ww_interrupt_clear();
        ww_stream_free(stream);
        memset(a->data + a->len - 200, 0x5a, 64);
        assert_same_ahead(scratch_write(s, name, a->data, (gssize)a->len), "corrupt");
        ww_stream_forget();
    }
    assert_same_ahead(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
}

/* What a file says of its text, whole, of several streams, with fill behind them; one that is none says nothing. */
static void test_text_size(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = sample();
    gsize n = strlen(text), half = n / 2;
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", text, -1)), ==, n);
    g_autoptr(GByteArray) a = make_xz(text, (gssize)half),
                          b = make_xz(text + half, (gssize)(n - half)),
                          z = make_zst(text, (gssize)n);
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", z->data, z->len)), ==, n);
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", z->data, 5)), ==, 0);
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", b->data, b->len)), ==, n - half);
    g_byte_array_append(a, (const guint8 *)"\0\0\0", 4);
    g_byte_array_append(a, b->data, b->len);
    g_byte_array_append(a, (const guint8 *)"\0\0\0\0\0\0\0", 8);
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", a->data, a->len)), ==, n);
    for (gsize cut = 1; cut < 60;
         cut += 1 + (cut == 8) * 4) { /* fill may go, or other bytes with it */
        gsize left = a->len - cut, full = cut == 4 || cut == 8 ? n : 0;
        g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", a->data, left)), ==, full);
    }
    for (gsize at = a->len - 8 - 12; at < a->len - 8; at++) { /* the footer */
        a->data[at] ^= 0x10;
        g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", a->data, a->len)), ==, 0);
        a->data[at] ^= 0x10;
    }
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k", "", 0)), ==, 0);
    g_assert_cmpuint(ww_trace_text_size(scratch_write(s, "k.tracez", "-k", 2)), ==, 0);
    g_assert_cmpuint(ww_trace_text_size(scratch_path(s, "none")), ==, 0);
}

void add_stream_tests(void)
{
    g_test_add_func("/trace/stream/text_size", test_text_size);
    g_test_add_func("/trace/stream/ahead", test_ahead);
    g_test_add_func("/trace/stream/formats", test_formats);
    g_test_add_func("/trace/stream/truncated", test_truncated);
    g_test_add_func("/trace/stream/corrupt", test_corrupt);
    g_test_add_func("/trace/stream/long_line", test_long_line);
    g_test_add_func("/trace/stream/bomb", test_bomb);
    g_test_add_func("/trace/stream/frames", test_frames);
    g_test_add_func("/trace/stream/memory_limit", test_memory_limit);
    g_test_add_func("/trace/stream/odd_files", test_odd_files);
    g_test_add_func("/trace/stream/refill", test_refill);
}
