/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lines that follow each other as they did before are not parsed: what they mean is the same. A drawn program is written twice, the
 * second time with two blanks in front of each mask, which nothing but the parser reads; both must say the same.
 */
#include "util.h"

#include <string.h>

static void compare(bool wild, const char *front, const char *end, const char *more)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        g_autoptr(Scratch) s = scratch_new();
        g_autofree char *plain = draw_trace(seed, (DrawnStyle){wild, front, " ", end, more});
        g_autofree char *parsed = draw_trace(seed, (DrawnStyle){wild, front, "  ", end, more});
        assert_same_traces(scratch_write(s, "kernel-1.traceg", plain, -1),
                           scratch_write(s, "kernel-2.traceg", parsed, -1), true);
    }
}

static void test_loops(void)
{
    compare(false, "", "\n", "");
    compare(false, "", " \n", ""); /* as tracers write it */
    compare(false, "", " \t\r\n", "");
}

static void test_wild(void)
{
    compare(true, "", " \n", "");
}

static void test_lineinfo(void)
{
    compare(false, "%", " \n", "");
}

/** An error is told where it stands, however the lines before it were read. */
static void test_errors(void)
{
    compare(false, "", " \n", "0010 ffffffff 1 R1 MOV 0 0 0\n");
    compare(false, "", " \n", "what is this\n");
    compare(true, "", "\n", "\nwarp = 1\n");
}

/* Lines that repeat their deltas (for good when the table has stopped growing) share them, as many as a kernel may have; the others have the same values of their own. */
static void test_shared(void)
{
    enum { N = 4200, MOST = 4096, WARPS = 4 };
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *header = make_header(32 * WARPS, "");
    GString *text = g_string_new(header);
    g_string_append(text, "#BEGIN_TB\n\nthread block = 0,0,0\n");
    for (uint32_t w = 0; w < WARPS; w++) {
        g_string_append_printf(text, "\nwarp = %u\ninsts = %u\n", w, N);
        for (uint32_t i = 0; i < N; i++) {
            g_string_append_printf(text, "%04x 00000003 1 R2 LDG.E 1 R4 4 2 0x%x000 %u 0\n", 16 * i,
                                   w + 1, i);
        }
    }
    g_string_append(text, "\n#END_TB\n");
    const char *path = scratch_write(s, "kernel-1.traceg", text->str, (gssize)text->len);
    g_string_free(text, true);
    g_autoptr(WwTrace) trace = ww_trace_open(path, NULL, &error);
    WwCommand command;
    const WwCtaTrace *cta;
    g_assert_true(ww_trace_source.next_command(trace, &command, &error));
    g_assert_true(ww_trace_source.next_cta(trace, command.kernel, &cta, &error));
    uint32_t shared = 0;
    for (uint32_t w = 0; w < WARPS; w++) {
        for (uint32_t i = 0; i < N; i++) {
            const WwTinst *t = &cta->warp[w][i];
            const WwAddrBlock *b = (const WwAddrBlock *)(const void *)&cta->addr[t->addr - 1];
            g_assert_cmpuint(b->base, ==, (w + 1) << 12);
            g_assert_cmpuint(b->n, ==, 1);
            g_assert_cmpint(ww_addr_values(b)[0], ==, i);
            shared += w == WARPS - 1 && b->shared != NULL;
        }
    }
    g_assert_cmpuint(shared, ==, MOST);
}

void add_follow_tests(void)
{
    g_test_add_func("/trace/follow/loops", test_loops);
    g_test_add_func("/trace/follow/wild", test_wild);
    g_test_add_func("/trace/follow/lineinfo", test_lineinfo);
    g_test_add_func("/trace/follow/errors", test_errors);
    g_test_add_func("/trace/follow/shared", test_shared);
}
