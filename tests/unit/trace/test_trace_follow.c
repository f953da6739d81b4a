/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lines that follow each other as they did before are not parsed: what they mean is the same. A drawn program is written twice, the
 * second time with two blanks in front of each mask, which nothing but the parser reads; both must say the same.
 */
#include "util.h"

#include <string.h>

enum { N_PCS = 40, N_WARPS = 3, N_INSTS = 400, N_CTAS = 6 };

typedef struct Drawn {
    GRand *rand;
    GString *text;
    const char *front, *blanks, *end; /**< Of a line. */
    bool wild;                        /**< Masks and ways through the program are drawn anew. */
} Drawn;

static uint32_t draw(Drawn *d, uint32_t n)
{
    return (uint32_t)g_rand_int_range(d->rand, 0, (gint32)n);
}

static uint32_t draw_mask(Drawn *d)
{
    return draw(d, d->wild ? 2 : 30) == 0 ? g_rand_int(d->rand) : UINT32_MAX;
}

static void put_addresses(Drawn *d, uint32_t pc, uint32_t mask)
{
    uint32_t mode = draw(d, d->wild ? 3 : 40) == 0 ? draw(d, 3) : pc % 3;
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    uint64_t base = draw(d, 3) == 0 ? draw(d, 4096) : UINT64_C(0x7f0000000000) + draw(d, 1u << 30);
    g_string_append_printf(d->text, " 4 %u", mode);
    if (mode != 0) {
        g_string_append_printf(d->text, " 0x%" G_GINT64_MODIFIER "x", base);
    }
    if (mode == 1) {
        g_string_append_printf(d->text, " %d", (int)draw(d, 3) * 4 - 4);
    }
    for (uint32_t i = mode == 2 && lanes > 0; i < lanes && mode != 1; i++) {
        if (mode == 0) {
            g_string_append_printf(d->text, " 0x%" G_GINT64_MODIFIER "x", base + i * 12);
        } else {
            g_string_append_printf(d->text, " %d", d->wild ? (int)draw(d, 20000000) - 9999999 : 4);
        }
    }
}

static void put_line(Drawn *d, uint32_t pc, bool last)
{
    static const char *const alu[] = {"1 R4 FFMA 3 R1 R2 R3", "1 R9 IADD3 2 R4 R5", "0 BRA 0",
                                      "1 R200 XQZ.SOME 1 R4", "0 NOP 0"};
    uint32_t mask = last ? UINT32_MAX : draw_mask(d);
    if (strchr(d->front, '%') != NULL) {
        g_string_append_printf(d->text, "%u ", pc / 5);
    }
    g_string_append_printf(d->text, "%04x%s%08x ", pc * 16, d->blanks, mask);
    if (last) {
        g_string_append(d->text, "0 EXIT 0 0");
    } else if (pc % 4 == 1) {
        g_string_append(d->text, pc % 8 == 1 ? "1 R7 LDG.E.SYS 1 R2" : "0 STS 2 R1 R7");
        put_addresses(d, pc, mask);
    } else {
        g_string_append_printf(d->text, "%s 0", alu[pc % G_N_ELEMENTS(alu)]);
    }
    /* the same text with several immediates is as many instructions */
    g_string_append_printf(d->text, " %u%s", pc % 7 == 0 ? draw(d, 3) : 0, d->end);
}

static void put_warp(Drawn *d, uint32_t warp)
{
    uint32_t pc = 0;
    g_string_append_printf(d->text, "\nwarp = %u\ninsts = %u\n", warp, N_INSTS);
    for (uint32_t i = 0; i + 1 < N_INSTS; i++) {
        put_line(d, pc, false);
        pc = draw(d, d->wild ? 4 : 50) == 0 ? draw(d, N_PCS) : (pc + 1) % N_PCS;
    }
    put_line(d, N_PCS, true);
}

static char *draw_trace(uint32_t seed, bool wild, const char *front, const char *blanks,
                        const char *end, const char *more)
{
    Drawn d = {.rand = g_rand_new_with_seed(seed), .text = g_string_new(NULL), .wild = wild};
    d.front = front;
    d.blanks = blanks;
    d.end = end;
    g_string_append_printf(
        d.text,
        "-kernel name = k\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 0\n-nregs = 8\n"
        "-binary version = 70\n-accelsim tracer version = 5\n-enable lineinfo = %d\n\n#\n",
        N_CTAS, N_WARPS * 32, *front != '\0');
    for (uint32_t c = 0; c < N_CTAS; c++) {
        g_string_append_printf(d.text, "#BEGIN_TB\nthread block = %u,0,0\n", c);
        for (uint32_t w = 0; w < N_WARPS; w++) {
            put_warp(&d, w);
            g_string_append(d.text, c + 1 == N_CTAS && w == 1 ? more : "");
        }
        g_string_append(d.text, "#END_TB\n");
    }
    g_rand_free(d.rand);
    return g_string_free(d.text, false);
}

static void compare(bool wild, const char *front, const char *end, const char *more)
{
    for (uint32_t seed = 1; seed <= 20; seed++) {
        g_autoptr(Scratch) s = scratch_new();
        g_autofree char *plain = draw_trace(seed, wild, front, " ", end, more);
        g_autofree char *parsed = draw_trace(seed, wild, front, "  ", end, more);
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
