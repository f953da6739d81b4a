/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Trace packs: they say what their text says, give it back, and are refused in one line when they are damaged.
 */
#include "util.h"

#include <lzma.h>
#include <string.h>
#include <trace/info.h>
#include <zstd.h>

static void pack(const char *from, const char *to)
{
    g_autoptr(GError) error = NULL;
    ww_trace_pack(from, to, 3, NULL, &error);
    g_assert_no_error(error);
}

static void unpack(const char *from, const char *to)
{
    g_autoptr(GError) error = NULL;
    ww_trace_unpack(from, to, NULL, &error);
    g_assert_no_error(error);
}

static void assert_same_files(const char *a, const char *b)
{
    g_autofree char *x = NULL, *y = NULL;
    gsize n, m;
    g_assert_true(g_file_get_contents(a, &x, &n, NULL));
    g_assert_true(g_file_get_contents(b, &y, &m, NULL));
    g_assert_cmpmem(x, n, y, m);
}

/** A drawn program, there and back; @p exact: byte for byte. */
static void there_and_back(DrawnStyle style, bool exact)
{
    for (uint32_t seed = 1; seed <= 10; seed++) {
        g_autoptr(Scratch) s = scratch_new();
        g_autofree char *text = draw_trace(seed, style);
        const char *from = scratch_write(s, "kernel-1.traceg", text, -1);
        const char *file = scratch_path(s, "k.wwpack"), *out = scratch_path(s, "out");
        pack(from, file);
        assert_same_traces(from, file, true);
        unpack(file, out);
        const char *back = scratch_path(s, "out/kernel-1.traceg");
        if (exact) {
            assert_same_files(from, back);
        }
        assert_same_traces(from, back, exact);
    }
}

static void test_regular(void)
{
    there_and_back((DrawnStyle){.blanks = " ", .end = " \n"}, true);
    there_and_back((DrawnStyle){.blanks = " ", .end = "\n"}, true);
}

static void test_wild(void)
{
    there_and_back((DrawnStyle){.wild = true, .blanks = " ", .end = " \n"}, true);
}

static void test_lineinfo(void)
{
    there_and_back((DrawnStyle){.front = "%", .blanks = " ", .end = " \n"}, true);
}

/** Other blanks than tracers write: the same instructions come back. */
static void test_other_blanks(void)
{
    there_and_back((DrawnStyle){.blanks = "   ", .end = " \n"}, false);
    there_and_back((DrawnStyle){.wild = true, .blanks = " ", .end = "\t\r\n"}, false);
}

/** A list comes back as it was, with what nobody reads, and the files under the names in it. */
static void test_list(void)
{
    static const char list[] =
        "# a comment\nMemcpyHtoD,0x100,64\nkernel-1.traceg\nkernel-2.traceg.xz\n"
        "cudaFree\nkernel-1.traceg\n";
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *one = draw_trace(1, (DrawnStyle){.blanks = " ", .end = " \n"});
    g_autofree char *two = draw_trace(2, (DrawnStyle){.wild = true, .blanks = " ", .end = "\n"});
    g_autoptr(GByteArray) xz = make_xz(two, strlen(two));
    const char *from = scratch_write(s, "in/kernelslist.g", list, -1);
    const char *first = scratch_write(s, "in/kernel-1.traceg", one, -1);
    scratch_write(s, "in/kernel-2.traceg.xz", xz->data, (gssize)xz->len);
    const char *file = scratch_path(s, "k.wwpack"), *out = scratch_path(s, "out");
    pack(from, file);
    assert_same_traces(from, file, true);
    unpack(file, out);
    assert_same_files(from, scratch_path(s, "out/kernelslist.g"));
    assert_same_files(first, scratch_path(s, "out/kernel-1.traceg"));
    assert_same_traces(from, out, true);
    const WwTraceOptions some = {.kernels = "2", .max_ctas = 2};
    ReadResult a, b;
    g_assert_true(read_all(from, &some, &a, NULL) && read_all(file, &some, &b, NULL));
    assert_same(&a, &b);
    g_assert_cmpuint(a.ctas, ==, 2);
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_trace_pack(file, scratch_path(s, "again"), 0, NULL, &error));
    g_assert_nonnull(strstr(error->message, "is a trace pack; expected text"));
    g_clear_error(&error);
    g_assert_false(ww_trace_unpack(from, out, NULL, &error));
    g_assert_nonnull(strstr(error->message, "is no trace pack; expected one"));
}

/** A warp that nobody can guess fills segments: what is expected goes on from one to the next. */
static void test_segments(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    g_autofree char *header = make_header(64, "-grid dim = (2,1,1)");
    const char *from = scratch_path(s, "kernel-1.traceg"), *file = scratch_path(s, "k.wwpack");
    FILE *f = fopen(from, "w");
    fputs(header, f);
    for (uint32_t c = 0; c < 2; c++) {
        fprintf(f, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
        for (uint32_t w = 0; w < 2; w++) {
            fprintf(f, "warp = %u\ninsts = 20001\n", w);
            for (uint32_t i = 0; i < 20000; i++) {
                fprintf(f, "%04x ffffffff 1 R5 LDG.E 1 R2 4 2 0x%x", i % 50 * 16, g_rand_int(rand));
                for (int lane = 1; lane < 32; lane++) {
                    fprintf(f, " %d", g_rand_int_range(rand, -30000, 30000));
                }
                fputs(" 0 \n", f);
            }
            fputs("fff0 ffffffff 0 EXIT 0 0 0 \n\n", f);
        }
        fputs("#END_TB\n\n", f);
    }
    g_assert_cmpint(fclose(f), ==, 0);
    pack(from, file);
    assert_same_traces(from, file, true);
    unpack(file, scratch_path(s, "out"));
    assert_same_files(from, scratch_path(s, "out/kernel-1.traceg"));
}

/** Regular text is packed at least five times as small as xz makes it. */
static void test_size(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *header = make_header(256, "-grid dim = (100,1,1)");
    g_autoptr(GString) text = g_string_new(header);
    for (uint32_t c = 0; c < 100; c++) {
        g_string_append_printf(text, "#BEGIN_TB\n\nthread block = %u,0,0\n\n", c);
        for (uint32_t w = 0; w < 8; w++) {
            g_string_append_printf(text, "warp = %u\ninsts = 201\n", w);
            for (uint32_t i = 0; i < 100; i++) {
                g_string_append_printf(text,
                                       "0010 ffffffff 1 R5 LDG.E 1 R2 4 1 0x%x 4 0 \n"
                                       "0020 ffffffff 1 R%u FFMA 3 R5 R6 R7 0 0 \n",
                                       0x7000000 + ((c * 8 + w) * 100 + i) * 128, i % 9);
            }
            g_string_append(text, "0030 ffffffff 0 EXIT 0 0 0 \n\n");
        }
        g_string_append(text, "#END_TB\n\n");
    }
    const char *from = scratch_write(s, "kernel-1.traceg", text->str, -1);
    const char *file = scratch_path(s, "k.wwpack");
    g_autoptr(GByteArray) xz = make_xz(text->str, text->len);
    g_autofree char *bytes = NULL;
    gsize n;
    pack(from, file);
    g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
    g_assert_cmpuint(5 * n, <, xz->len);
}

/** Whatever byte is wrong, and wherever the file is cut: one line says so. */
static void test_damaged(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = draw_trace(3, (DrawnStyle){.blanks = " ", .end = " \n"});
    const char *file = scratch_path(s, "k.wwpack");
    g_autofree char *bytes = NULL;
    gsize n;
    pack(scratch_write(s, "kernel-1.traceg", text, -1), file);
    g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
    for (gsize i = 0; i < n; i += 1 + i / 500) {
        g_autoptr(GError) error = NULL;
        ReadResult r;
        bytes[i] ^= 0x41;
        scratch_write(s, "k.wwpack", bytes, (gssize)n);
        bytes[i] ^= 0x41;
        g_assert_false(read_all(file, NULL, &r, &error));
        g_assert_null(strchr(error->message, '\n'));
        if (i >= 8) { /* else it is no pack */
            g_assert_nonnull(strstr(error->message, "k.wwpack: byte "));
        }
    }
    for (gsize i = 8; i < n; i += 1 + i / 500) {
        scratch_write(s, "k.wwpack", bytes, (gssize)i);
        assert_read_fails(file, NULL, "k.wwpack: byte ");
    }
    bytes[8] = 2;
    scratch_write(s, "k.wwpack", bytes, (gssize)n);
    assert_read_fails(file, NULL, "byte 8: trace pack of version 2; expected version 1");
}

/** What reading does not look at, `trace check` does: here a sum of the file that is of another one, in a tail that is right. */
static void test_sum(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = draw_trace(5, (DrawnStyle){.blanks = " ", .end = " \n"});
    g_autofree char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    const char *file = scratch_path(s, "k.wwpack");
    WwTraceOptions options = {0};
    ReadResult r;
    gsize n;
    FILE *out = tmpfile();
    pack(scratch_write(s, "kernel-1.traceg", text, -1), file);
    g_assert_true(ww_trace_check(file, &options, out, NULL));
    g_assert_true(g_file_get_contents(file, &bytes, &n, NULL));
    uint8_t *tail = (uint8_t *)bytes + n - 40;
    tail[24] ^= 1;
    uint32_t sum = GUINT32_TO_LE(lzma_crc32(tail, 28, 0));
    memcpy(tail + 28, &sum, sizeof sum);
    scratch_write(s, "k.wwpack", bytes, (gssize)n);
    g_assert_true(read_all(file, NULL, &r, NULL));
    g_assert_false(ww_trace_check(file, &options, out, &error));
    g_assert_nonnull(
        strstr(error->message, "wrong checksum of the file; expected what 'trace pack' wrote"));
    fclose(out);
}

/* ---- a few bytes that ask for much memory --------------------------------------------------------------------------- */

static void put(GByteArray *to, uint64_t value)
{
    for (; value > 127; value >>= 7) {
        g_byte_array_append(to, (const guint8[]){(uint8_t)(value | 128)}, 1);
    }
    g_byte_array_append(to, (const guint8[]){(uint8_t)value}, 1);
}

/** @p n times @p value, which is below 128. */
static void put_many(GByteArray *to, size_t n, uint8_t value)
{
    guint before = to->len;
    g_byte_array_set_size(to, before + (guint)n);
    memset(to->data + before, value, n);
}

static void put_text(GByteArray *to, const char *text)
{
    put(to, strlen(text));
    g_byte_array_append(to, (const guint8 *)text, (guint)strlen(text));
}

/** An index of @p kernels kernels with a command for the first; then its code is due. */
static GByteArray *begin_index(uint64_t kernels)
{
    GByteArray *to = g_byte_array_new();
    put_text(to, "kernel-1.traceg\n");
    put(to, kernels);
    put(to, 1);
    put(to, 0);
    put(to, 1);
    return to;
}

/** A code of @p n instructions without texts. */
static void put_code(GByteArray *to, uint32_t n)
{
    put(to, n);
    for (int i = 0; i < 9; i++) {
        put(to, i == 0 || i == 1 || i == 3 || i == 8 ? n : 0);
    }
    put_many(to, 4 * (size_t)n, 0);
}

/** What stands behind a kernel's header; @p segments: a count. */
static void put_rest(GByteArray *to, uint64_t segments)
{
    put_many(to, 12, 0); /* its code, its layout, thread blocks */
    put(to, segments);
}

static void add_le(GByteArray *to, uint64_t value, uint32_t n)
{
    value = GUINT64_TO_LE(value);
    g_byte_array_append(to, (const guint8 *)&value, n);
}

/** A pack of nothing but @p index, in which all sums are right, is refused with @p expected. */
static void refuse_index(GByteArray *index, const char *expected)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GByteArray) file = g_byte_array_new();
    size_t room = ZSTD_compressBound(index->len);
    g_autofree uint8_t *packed = g_malloc(room);
    size_t size = ZSTD_compress(packed, room, index->data, index->len, 3);
    g_byte_array_append(file, (const guint8 *)"\x89WWPACK\n\1\0\0\0\0\0\0\0", 16);
    g_byte_array_append(file, packed, (guint)size);
    uint32_t sum = lzma_crc32(file->data, file->len, 0);
    guint tail = file->len;
    add_le(file, 16, 8);
    add_le(file, size, 8);
    add_le(file, index->len, 8);
    add_le(file, sum, 4);
    add_le(file, lzma_crc32(file->data + tail, 28, 0), 4);
    g_byte_array_append(file, (const guint8 *)"WWPKEND\n", 8);
    g_assert_cmpuint(file->len, <, 64 << 10);
    scratch_write(s, "k.wwpack", (const char *)file->data, (gssize)file->len);
    assert_read_fails(scratch_path(s, "k.wwpack"), NULL, expected);
    g_byte_array_unref(index);
}

/** Counts that compress to nothing, as large as they are, ask for no more memory than a small index may. */
static void test_greedy(void)
{
    static const char more[] = "bytes that says more than so few can; expected at most 96 MiB";
    GByteArray *x = g_byte_array_new(); /* most of an index */
    put_many(x, 250u << 20, 0);
    refuse_index(x, more);

    x = begin_index(100000); /* a header of 8 MB, and all others as it */
    put_code(x, 1);
    for (int i = 0; i < 100000; i++) {
        put_text(x, "k");
        put(x, 1);
        put(x, 1);
        put(x, i == 0 ? 8000001 : 0);
        put_many(x, i == 0 ? 8000000 : 0, 'a');
        put_rest(x, 0);
    }
    refuse_index(x, more);

    x = begin_index(1); /* 16 codes: each is as large as one may be */
    x->data[x->len - 1] = 16;
    for (int i = 0; i < 16; i++) {
        put_code(x, 1000000);
    }
    put_many(x, 100, 0);
    refuse_index(x, more);

    x = begin_index(1); /* more segments than the file has bytes */
    put_code(x, 1);
    put_text(x, "k");
    put(x, 1);
    put(x, 0);
    put_rest(x, 10000000);
    put_many(x, 30000000, 0);
    refuse_index(x, "an index that makes no sense");
}

void add_pack_tests(void)
{
    g_test_add_func("/trace/packs/regular", test_regular);
    g_test_add_func("/trace/packs/wild", test_wild);
    g_test_add_func("/trace/packs/lineinfo", test_lineinfo);
    g_test_add_func("/trace/packs/other_blanks", test_other_blanks);
    g_test_add_func("/trace/packs/list", test_list);
    g_test_add_func("/trace/packs/segments", test_segments);
    g_test_add_func("/trace/packs/size", test_size);
    g_test_add_func("/trace/packs/damaged", test_damaged);
    g_test_add_func("/trace/packs/sum", test_sum);
    g_test_add_func("/trace/packs/greedy", test_greedy);
}
