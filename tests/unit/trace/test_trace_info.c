/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace info`, `trace check`, `trace recompress`.
 */
#include "text-priv.h"
#include "util.h"

#include <string.h>

#include <trace/info.h>

#define LINES                                                                                      \
    "0010 0000000f 1 R1 LDG.E 1 R2 4 1 0x100 4 0\n0020 ffffffff 1 R1 FADD 1 R2 0 0\n0030 "         \
    "ffffffff 0 EXIT 0 0 0\n"

/** What a function wrote to a memory file. Free it. */
typedef struct Memory {
    char *text;
    size_t n;
    FILE *file;
} Memory;

static Memory *memory_new(void)
{
    Memory *m = g_new0(Memory, 1);
    m->file = open_memstream(&m->text, &m->n);
    return m;
}

static const char *memory_text(Memory *m)
{
    fflush(m->file);
    return m->text;
}

static void memory_free(Memory *m)
{
    fclose(m->file);
    free(m->text);
    g_free(m);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Memory, memory_free)

static const char *two_kernels(Scratch *s)
{
    g_autofree char *text = make_kernel("-kernel name = a\"b\\c", 3, LINES);
    scratch_write(s, "in/kernel-1.traceg", text, -1);
    scratch_write(s, "in/kernel-2.traceg", text, -1);
    return scratch_write(s, "in/kernelslist.g",
                         "MemcpyHtoD,0x100,64\nkernel-1.traceg\nkernel-2.traceg\nkernel-1.traceg\n",
                         -1);
}

static void test_info(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(Memory) m = memory_new();
    g_assert_true(ww_trace_info(two_kernels(s), NULL, m->file, NULL));
    const char *text = memory_text(m);
    g_assert_nonnull(strstr(text, "kernel 3: a\"b\\c\n"));
    g_assert_nonnull(strstr(text, "total: 3 kernels, 1 copy to the device (64 bytes)\n"));
    g_assert_nonnull(strstr(text, "warp instructions 9, thread instructions 204"));
    g_assert_nonnull(strstr(text, "address modes: list 0 stride 3 delta 0\n"));
}

static void test_grouped(void)
{
    static const struct {
        uint64_t n;
        const char *text;
    } cases[] = {{0, "0"},
                 {7, "7"},
                 {999, "999"},
                 {1000, "1,000"},
                 {123456, "123,456"},
                 {1234567, "1,234,567"},
                 {UINT64_MAX, "18,446,744,073,709,551,615"}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = ww_trace_grouped(cases[i].n);
        g_assert_cmpstr(text, ==, cases[i].text);
    }
}

/* What a name holds is no order to a terminal, be it of 7 bits or of 8 (U+009B is CSI). */
static void test_name(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(Memory) m = memory_new();
    g_autofree char *text = make_kernel("-kernel name = a\033[1mb\xc2\x9b"
                                        "2Jc\x7f\xc2\x80\xc2\xa0\xff",
                                        3, LINES);
    const char *file = scratch_write(s, "kernel-1.traceg", text, -1);
    g_assert_true(ww_trace_info(file, NULL, m->file, NULL));
    g_assert_nonnull(strstr(memory_text(m), "kernel 1: a?[1mb?2Jc??\xc2\xa0\xef\xbf\xbd\n"));
}

static void test_json(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(Memory) m = memory_new();
    WwTraceInfoOptions options = {.json = true, .top = 1};
    g_assert_true(ww_trace_info(two_kernels(s), &options, m->file, NULL));
    const char *text = memory_text(m);
    g_assert_nonnull(strstr(text, "{\"name\": \"a\\\"b\\\\c\""));
    g_assert_nonnull(strstr(text, "\"categories\": {\"SP\": 1, \"LOAD\": 1, \"EXIT\": 1}"));
    g_assert_nonnull(strstr(text, "\"opcodes\": {\"EXIT\": 1}}"));
    g_assert_nonnull(strstr(text, "\"memcpy_bytes\": 64"));
}

static void test_check(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(Memory) m = memory_new();
    g_autoptr(GError) error = NULL;
    const char *path = two_kernels(s);
    g_assert_true(ww_trace_check(path, NULL, m->file, NULL));
    g_autofree char *text = make_kernel("", 3, LINES);
    g_autofree char *twice = g_strconcat(text, strstr(text, "#BEGIN_TB"), NULL);
    scratch_write(s, "in/kernel-2.traceg", twice, -1);
    g_assert_false(ww_trace_check(path, NULL, m->file, &error));
    g_assert_nonnull(strstr(error->message, "1 of 3 kernel traces cannot be read"));
    g_assert_nonnull(strstr(memory_text(m), "another thread block after 1; expected the end"));
    g_assert_nonnull(
        strstr(memory_text(m), "kernel-1.traceg: ok, 1 thread block, 3 warp instructions\n"));
}

static void test_pack(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    const char *in = two_kernels(s), *from = in;
    for (int format = WW_TRACE_ZST; format <= WW_TRACE_XZ; format++) {
        WwTraceRecompressOptions options = {.format = (WwTraceCompressor)format, .level = 1};
        const char *out = scratch_path(s, format == WW_TRACE_XZ ? "xz/deep" : "zst");
        const char *suffix = format == WW_TRACE_XZ ? ".xz" : ".zst";
        g_autofree char *list = NULL;
        ReadResult a, b;
        g_assert_true(ww_trace_recompress(from, out, &options, NULL, &error));
        g_assert_true(read_all(from, NULL, &a, NULL) && read_all(out, NULL, &b, NULL));
        assert_same(&a, &b);
        g_autofree char *path = g_build_filename(out, "kernelslist.g", NULL);
        g_autofree char *expected =
            g_strdup_printf("MemcpyHtoD,0x0000000000000100,64\nkernel-1.traceg%s\nkernel-2.traceg%"
                            "s\nkernel-1.traceg%s\n",
                            suffix, suffix, suffix);
        g_assert_true(g_file_get_contents(path, &list, NULL, NULL));
        g_assert_cmpstr(list, ==, expected);
        from = out;
    }
    g_assert_false(ww_trace_recompress(in, scratch_path(s, "in"), NULL, NULL, &error));
    g_assert_nonnull(strstr(error->message, "is the trace's own directory"));
}

/** A broken input leaves neither a file nor a list. */
static void test_pack_broken(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    scratch_write(s, "in/kernel-1.traceg.xz",
                  "\xFD"
                  "7zXZ\0garbagegarbagegarbage",
                  28);
    const char *path = scratch_write(s, "in/kernelslist.g", "kernel-1.traceg\n", -1);
    g_assert_false(ww_trace_recompress(path, scratch_path(s, "out"), NULL, NULL, &error));
    g_assert_nonnull(strstr(error->message, "kernel-1.traceg.xz: cannot read"));
    g_assert_false(g_file_test(scratch_path(s, "out"), G_FILE_TEST_EXISTS)); /* nor the folder */
}

void add_info_tests(void)
{
    g_test_add_func("/trace/info/text", test_info);
    g_test_add_func("/trace/info/grouped", test_grouped);
    g_test_add_func("/trace/info/name", test_name);
    g_test_add_func("/trace/info/json", test_json);
    g_test_add_func("/trace/check", test_check);
    g_test_add_func("/trace/recompress/formats", test_pack);
    g_test_add_func("/trace/recompress/broken", test_pack_broken);
}
