/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Warps that go on after the EXIT of their last lane: who executes something later has not left there.
 */
#include "util.h"

#include <string.h>
#include <trace/info.h>

/* As a reduction of PyTorch has it: the first EXIT is that of all lanes but for a condition that the tracer does not write. */
static const char reduction[] = "0010 ffffffff 1 R2 MOV 0 0 0 \n0020 00000000 0 EXIT 0 0 0 \n"
                                "0030 ffffffff 0 EXIT 0 0 0 \n0040 00000003 1 R3 MOV 0 0 0 \n"
                                "0050 00000003 0 EXIT 0 0 0 \n0060 00000001 1 R4 MOV 0 0 0 \n"
                                "0070 00000001 0 EXIT 0 0 0 \n";
static const uint32_t leave[] = {UINT32_MAX, 0, 0xfffffffc, 3, 2, 1, 1};

static void keep_warning(void *user, const char *message)
{
    g_string_append_printf(user, "%s\n", message);
}

/** The masks of warp 0 of the first thread block, flat or packed, from instruction @p from on. */
static void assert_masks(const char *path, const WwTraceOptions *options, uint32_t from,
                         const uint32_t *masks, uint32_t n)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwTrace) trace = ww_trace_open(path, options, &error);
    g_assert_no_error(error);
    WwCommand command;
    const WwCtaTrace *cta = NULL;
    g_assert_true(ww_trace_source.next_command(trace, &command, &error));
    g_assert_true(ww_trace_source.next_cta(trace, command.kernel, &cta, &error));
    g_assert_cmpuint(cta->n_insts[0], ==, from + n);
    WwPacked *packed = cta->packed != NULL ? cta->packed[0] : NULL;
    if (packed != NULL) {
        ww_packed_start(packed);
    }
    for (uint32_t i = 0; i < from + n; i++) {
        WwTinst t;
        WwAddrRoom room;
        if (packed == NULL) {
            t = cta->warp[0][i];
        } else {
            g_assert_true(ww_packed_next(packed, &t, &room));
        }
        if (command.kernel->sinst[t.sinst]->space == WW_SPACE_GLOBAL) {
            g_assert_cmpuint(t.addr, !=, 0);
            g_assert_true(packed == NULL || ww_addr_block(&room)->base == 0x40 + 4 * (uint64_t)i);
        }
        g_assert_cmpuint(t.mask, ==, i < from ? UINT32_MAX : masks[i - from]);
    }
    ww_trace_source.release_cta(trace, command.kernel, cta);
    ww_trace_source.close_kernel(trace, command.kernel);
}

/** Lanes leave at the last EXIT that they execute; that is told once for a trace. */
static void test_stay(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GString) said = g_string_new(NULL);
    g_autofree char *text = make_kernel("", 7, reduction);
    WwTraceOptions options = {.warn = keep_warning, .warn_user = said};
    ReadResult r;
    const char *kernel = scratch_write(s, "kernel-1.traceg", text, -1);
    const char *list = scratch_write(s, "kernelslist.g", "kernel-1.traceg\nkernel-1.traceg\n", -1);
    assert_masks(list, &options, 0, leave, 7);
    g_autofree char *expected =
        g_strdup_printf("%s:21: warp 0 of thread block 0,0,0 goes on after this EXIT of its last "
                        "lanes; lanes leave "
                        "at the last EXIT that they execute, here and wherever else it is so\n",
                        kernel);
    g_assert_cmpstr(said->str, ==, expected);
    g_string_truncate(said, 0);
    g_assert_true(read_all(list, &options, &r, NULL));
    g_assert_cmpstr(said->str, ==, expected);
    options.strict = true;
    assert_read_fails(list, &options,
                      ":21: warp 0 of thread block 0,0,0 has no lanes left after this, its "
                      "instruction 3 of 7; expected nothing after the last EXIT");
}

/** The same in a warp that is so long that it is packed. */
static void test_long(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GString) lines = g_string_new(NULL), said = g_string_new(NULL);
    WwTraceOptions options = {.warn = keep_warning, .warn_user = said};
    for (uint32_t i = 0; i < 10000; i++) {
        g_string_append_printf(lines, "0000 ffffffff 1 R4 LDG.E 1 R2 4 1 0x%x 4 0 \n",
                               0x40 + 4 * i);
    }
    g_string_append(lines, reduction);
    g_autofree char *text = make_kernel("", 10007, lines->str);
    assert_masks(scratch_write(s, "kernel-1.traceg", text, -1), &options, 10000, leave, 7);
    g_assert_nonnull(strstr(said->str, ":10021: warp 0 of thread block 0,0,0 goes on"));
}

/** A lane that no EXIT ends, and lines behind the last EXIT: there is no reading them. */
static void test_no_program(void)
{
    static const char *const cases[] = {
        "0010 ffffffff 0 EXIT 0 0 0 \n0020 00000003 1 R3 MOV 0 0 0 \n0030 00000001 0 EXIT 0 0 0 \n",
        "0010 ffffffff 0 EXIT 0 0 0 \n0020 00000003 0 EXIT 0 0 0 \n0030 00000003 1 R3 MOV 0 0 0 \n",
        "0010 ffffffff 0 EXIT 0 0 0 \n0020 00000000 0 NOP 0 0 0 \n0030 00000000 0 NOP 0 0 0 \n",
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = make_kernel("", 3, cases[i]);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL,
                          ":19: warp 0 of thread block 0,0,0 has no lanes left after this, its "
                          "instruction 1 of 3; expected nothing after the last EXIT");
    }
}

/** A pack has what the text has, and is read like it. */
static void test_packed(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autoptr(GString) said = g_string_new(NULL);
    g_autofree char *text = make_kernel("", 7, reduction), *again = NULL;
    WwTraceOptions options = {.warn = keep_warning, .warn_user = said};
    const char *from = scratch_write(s, "kernel-1.traceg", text, -1);
    const char *file = scratch_path(s, "k.wwpack"), *out = scratch_path(s, "out");
    g_assert_true(ww_trace_pack(from, file, 0, NULL, &error));
    assert_masks(file, &options, 0, leave, 7);
    g_assert_nonnull(strstr(said->str, " goes on after this EXIT"));
    g_assert_true(ww_trace_unpack(file, out, NULL, &error));
    again = unpacked_text(scratch_path(s, "out/kernel-1.traceg"));
    g_assert_cmpstr(again, ==, text);
}

void add_exits_tests(void)
{
    g_test_add_func("/trace/exits/stay", test_stay);
    g_test_add_func("/trace/exits/long", test_long);
    g_test_add_func("/trace/exits/no_program", test_no_program);
    g_test_add_func("/trace/exits/packed", test_packed);
}
