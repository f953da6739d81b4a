/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reading good traces: every field, tracer versions, address modes, sharing, lists, selections.
 */
#include "util.h"

#include <glib/gstdio.h>
#include <string.h>

/** One open kernel with its first CTA. */
typedef struct Open {
    WwTrace *trace;
    const WwKernel *kernel;
    const WwCtaTrace *cta;
} Open;

static Open open_first(const char *path, const WwTraceOptions *options)
{
    g_autoptr(GError) error = NULL;
    Open o = {0};
    WwCommand command;
    o.trace = ww_trace_open(path, options, &error);
    g_assert_no_error(error);
    do {
        g_assert_true(ww_trace_source.next_command(o.trace, &command, &error));
    } while (command.kind == WW_COMMAND_MEMCPY_HTOD);
    o.kernel = command.kernel;
    ww_trace_source.next_cta(o.trace, o.kernel, &o.cta, &error);
    g_assert_no_error(error);
    return o;
}

static void close_first(Open *o)
{
    ww_trace_source.release_cta(o->trace, o->kernel, o->cta);
    ww_trace_source.close_kernel(o->trace, o->kernel);
    ww_trace_free(o->trace);
}

static const WwSinst *sinst(const Open *o, uint32_t i)
{
    return o->kernel->sinst[o->cta->warp[0][i].sinst];
}

static void expand(const Open *o, uint32_t i, uint64_t out[32])
{
    const WwTinst *t = &o->cta->warp[0][i];
    const WwAddrBlock *b =
        t->addr == 0 ? NULL : (const WwAddrBlock *)(const void *)&o->cta->addr[t->addr - 1];
    ww_addr_expand(b, t->mask, out);
    uint64_t first = t->mask == 0 ? 0 : out[__builtin_ctz(t->mask)];
    g_assert_cmpuint(ww_addr_first(b, t->mask), ==, first);
}

static void test_fields(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text =
        make_kernel("-shmem base_addr = 0x00007fb139000000\n-local mem base_addr = 0x7fb137000000\n"
                    "-cuda stream id = 7\n-something new = 1",
                    3,
                    "0010 ffffffff 1 R4 IMAD.WIDE 3 R6 R255 R0 0 -5 \n"
                    "0020 0000000f 0 DEPBAR.LE 0 0 2 \n"
                    "0030 ffffffff 0 EXIT 0 0 0 \n");
    Open o = open_first(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
    g_assert_cmpstr(o.kernel->name, ==, "k");
    g_assert_cmpuint(o.kernel->shmem_base, ==, 0x7fb139000000);
    g_assert_cmpuint(o.kernel->local_base, ==, 0x7fb137000000);
    g_assert_cmpuint(o.kernel->stream, ==, 7);
    g_assert_cmpuint(o.cta->n_warps, ==, 1);
    g_assert_cmpuint(o.cta->n_insts[0], ==, 3);
    const WwSinst *i = sinst(&o, 0);
    g_assert_cmpuint(i->pc, ==, 0x10);
    g_assert_cmpstr(i->opcode, ==, "IMAD.WIDE");
    g_assert_cmpint(i->dst, ==, 5);
    g_assert_cmpint(i->nsrc, ==, 3);
    g_assert_cmpint(i->src[0], ==, 7);
    g_assert_cmpint(i->src[1], ==, 256);
    g_assert_cmpint(i->src[2], ==, 1);
    g_assert_cmpint(i->imm, ==, -5);
    g_assert_cmpint(sinst(&o, 1)->imm, ==, 2);
    g_assert_cmpuint(o.cta->warp[0][1].mask, ==, 15);
    g_assert_cmpuint(sinst(&o, 2)->line, ==, i->line + 2);
    close_first(&o);
}

/* A run that ends early gives nothing back: freeing the trace frees it all. The leak checker looks. */
static void test_handed_out(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 1, "0030 ffffffff 0 EXIT 0 0 0 \n");
    Open o = open_first(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
    g_assert_nonnull(o.cta);
    ww_trace_free(o.trace);
}

static void test_address_modes(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text =
        make_kernel("", 10,
                    "0000 0000000a 1 R1 LDG.E 1 R2 4 0 0x10 0xfffffffffffffff0 0 \n"
                    "0010 0000002e 1 R1 LDG.E 1 R2 4 1 0x00007fb0fc400000 -4 0 \n"
                    "0020 0000002e 1 R1 LDG.E 1 R2 4 2 0x7fB0FC400000 16 -8 0 1 \n"
                    "0030 00000000 1 R1 LDG.E 1 R2 4 0 0 \n"
                    "0030 00000000 1 R1 LDG.E 1 R2 4 1 0x5 4 0 \n"
                    "0040 ffffffff 1 R1 LDG.E 1 R2 0 0 \n"
                    "0050 00000001 1 R1 LDG.E 1 R2 4 2 0x123 7 \n"
                    "0060 00000001 1 R1 IADD3 1 R2 4 1 0x20 0\n"
                    "0070 00000001 1 R1 LDG.E 1 R2 4 2 0x128\n" /* nothing behind the base */
                    "0070 00000001 1 R1 LDG.E 1 R2 4 2 0x130\n");
    Open o = open_first(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
    uint64_t a[32];
    expand(&o, 0, a);
    g_assert_cmpuint(a[0], ==, 0);
    g_assert_cmpuint(a[1], ==, 0x10);
    g_assert_cmpuint(a[3], ==, 0xfffffffffffffff0);
    expand(&o, 1, a);
    g_assert_cmpuint(a[1], ==, 0x7fb0fc400000);
    g_assert_cmpuint(a[2], ==, 0x7fb0fc3ffffc);
    g_assert_cmpuint(a[3], ==, 0x7fb0fc3ffff8);
    g_assert_cmpuint(a[5], ==, 0); /* active, but behind the first gap */
    expand(&o, 2, a);
    g_assert_cmpuint(a[1], ==, 0x7fb0fc400000);
    g_assert_cmpuint(a[2], ==, 0x7fb0fc400010);
    g_assert_cmpuint(a[3], ==, 0x7fb0fc400008);
    g_assert_cmpuint(a[5], ==, 0x7fb0fc400008);
    expand(&o, 9, a);
    g_assert_cmpuint(a[0], ==, 0x130);
    g_assert_cmpint(sinst(&o, 2)->imm, ==, 1);
    for (uint32_t i = 3; i < 6; i++) {
        expand(&o, i, a);
        for (uint32_t lane = 0; lane < 32; lane++) {
            g_assert_cmpuint(a[lane], ==, 0);
        }
    }
    expand(&o, 6, a);
    g_assert_cmpuint(a[0], ==, 0x123);
    g_assert_cmpint(sinst(&o, 6)->imm, ==, 7);
    expand(&o, 7, a);
    g_assert_cmpuint(a[0], ==, 0x20);
    g_assert_cmpint(sinst(&o, 7)->op, ==, WW_OP_INT);
    close_first(&o);
}

/** A line is decoded once; its addresses and mask are of each execution, also when their text
 * repeats or changes. */
static void test_sharing(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 11,
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x100 4 4 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x200 4 4 8 0 \n"
                                        "0000 00000007 1 R1 LDG.E 1 R2 4 2 0x300 4 4 8 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x400 4 4 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x500 8 8 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x600 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R3 4 1 0x600 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x700 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 1 0x800 8 0 \n"
                                        "0000 0000000f 1 R1 LDG.E 1 R2 4 2 0x900 4 4 8 0 \n"
                                        "0000 0000001f 1 R1 LDG.E 1 R2 4 2 0xa00 4 4 8 0 \n");
    Open o = open_first(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
    static const uint32_t same_as[11] = {0, 0, 2, 0, 0, 0, 6, 0, 0, 0, 0};
    static const uint64_t third[11] = {0x108, 0x208, 0x308, 0x408, 0x510, 0x610,
                                       0x610, 0x710, 0x810, 0x908, 0xa08};
    uint64_t a[32];
    for (uint32_t i = 0; i < 11; i++) {
        g_assert_cmpuint(o.cta->warp[0][i].sinst, ==, o.cta->warp[0][same_as[i]].sinst);
        expand(&o, i, a);
        g_assert_cmpuint(a[2], ==, third[i]);
    }
    g_assert_cmpuint(a[4], ==,
                     0xa10); /* the last one of the text is a delta now, not the immediate */
    g_assert_cmpint(sinst(&o, 2)->imm, ==, 8);
    g_assert_true(sinst(&o, 0) != sinst(&o, 2));
    close_first(&o);
}

static void test_versions(void)
{
    g_autoptr(Scratch) s = scratch_new();
    static const struct {
        const char *header, *line;
    } cases[] = {
        {"-accelsim tracer version = 1", "0 0 0 3 0010 ffffffff 1 R4 FFMA 2 R4 R4 0"},
        {"-accelsim tracer version = 1.2", "0 0 0 3 0010 ffffffff 1 R4 FFMA 2 R4 R4 0 "},
        {"-accelsim tracer version = 2", "11 22 33 3 0010 ffffffff 1 R4 FFMA 2 R4 R4 0 "},
        {"-accelsim tracer version = 3", "0010 ffffffff 1 R4 FFMA 2 R4 R4 0 "},
        {"-accelsim tracer version = 4", "0010 ffffffff 1 R4 FFMA 2 R4 R4 0 0"},
        {"-enable lineinfo = 1", "123 0010 ffffffff 1 R4 FFMA 2 R4 R4 0 0 "},
        {"-accelsim tracer version = 2\n-enable lineinfo = 1",
         "0 0 0 0 9 0010 ffffffff 1 R4 FFMA 2 R4 R4 0 \r"},
        {"", "  0x10\tffffffff  1 R4 FFMA   2 R4 R4 0 0\t "},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line = g_strconcat(cases[i].line, "\n", NULL);
        g_autofree char *text = make_kernel(cases[i].header, 1, line);
        Open o = open_first(scratch_write(s, "kernel-1.traceg", text, -1), NULL);
        g_assert_cmpuint(sinst(&o, 0)->pc, ==, 0x10);
        g_assert_cmpstr(sinst(&o, 0)->opcode, ==, "FFMA");
        g_assert_cmpuint(o.cta->warp[0][0].mask, ==, UINT32_MAX);
        close_first(&o);
    }
}

static void test_crlf(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0 \n");
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autofree char *crlf = g_strjoinv("\r\n", lines);
    ReadResult r;
    scratch_write(s, "kernel-1.traceg", crlf, -1);
    g_assert_true(
        read_all(scratch_write(s, "kernelslist.g", "\r\nkernel-1.traceg\r\n", -1), NULL, &r, NULL));
    g_assert_cmpuint(r.warp_insts, ==, 1);
}

/** Four warps in any order, a partial last warp, many distinct pcs (the table grows), instruction
 * ids dense. */
static void test_warps(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *header = make_header(100, "-grid dim = (2,3,4)");
    g_autoptr(GString) text = g_string_new(header);
    static const uint32_t order[4] = {2, 0, 3, 1};
    g_string_append(text, "#BEGIN_TB\nthread block = 1,2,3\n");
    for (uint32_t w = 0; w < 4; w++) {
        g_string_append_printf(text, "warp = %u\ninsts = 3000\n", order[w]);
        for (uint32_t i = 0; i < 3000; i++) {
            g_string_append_printf(text, "%04x %08x 0 NOP 0 0 %u \n", i * 16, order[w] + 1, i);
        }
    }
    g_string_append(text, "#END_TB\n");
    Open o = open_first(scratch_write(s, "kernel-1.traceg", text->str, -1), NULL);
    g_assert_cmpuint(o.cta->n_warps, ==, 4);
    g_assert_cmpuint(o.cta->id[1], ==, 2);
    for (uint32_t w = 0; w < 4; w++) {
        for (uint32_t i = 0; i < 3000; i++) {
            const WwTinst *t = &o.cta->warp[w][i];
            g_assert_cmpuint(t->mask, ==, w + 1);
            g_assert_cmpuint(t->sinst, ==, i);
            g_assert_cmpint(o.kernel->sinst[i]->imm, ==, (int)i);
            g_assert_cmpuint(o.kernel->sinst[i]->id, ==, i);
        }
    }
    close_first(&o);
}

static const char *write_list(Scratch *s)
{
    g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0 \n");
    scratch_write(s, "kernel-1.traceg", text, -1);
    scratch_write(s, "sub/kernel-2.traceg", text, -1);
    scratch_write(s, "kernels/x.traceg", text, -1);
    return scratch_write(s, "kernelslist.g",
                         "MemcpyHtoD,0x00007fb0fc400000,1000\nkernel-1.traceg\n\nMemcpyDtoH,1\n"
                         "kernels/../sub/kernel-2.traceg\nkernels/x.traceg\nMemcpyHtoD,ff,0",
                         -1);
}

static void test_list(void)
{
    g_autoptr(Scratch) s = scratch_new();
    ReadResult r;
    const char *path = write_list(s);
    g_assert_true(read_all(path, NULL, &r, NULL));
    g_assert_cmpuint(r.kernels, ==, 3);
    g_assert_cmpuint(r.memcpys, ==, 2);
    g_assert_true(read_all(s->dir, NULL, &r, NULL));
    g_assert_cmpuint(r.kernels, ==, 3);
}

/** Blanks that the reference's reader passes over, and names of copies that begin like one. */
static void test_odd_blanks(void)
{
    static const char *const ids[] = {"thread block = 0,0,0", "thread block = 0, 0, 0",
                                      " thread\tblock =0 ,\t0 , 0 ", "thread  block  =  0,0,0"};
    for (size_t i = 0; i < G_N_ELEMENTS(ids); i++) {
        g_autoptr(Scratch) s = scratch_new();
        ReadResult r;
        g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0 \n");
        g_auto(GStrv) parts = g_strsplit(text, "thread block = 0,0,0", 2);
        g_auto(GStrv) ends = g_strsplit(parts[1], "#END_TB", 2);
        g_autofree char *odd = g_strconcat(parts[0], ids[i], ends[0], "#END_TB \t", ends[1], NULL);
        scratch_write(s, "kernel-1.traceg", odd, -1);
        const char *path = scratch_write(
            s, "kernelslist.g",
            "MemcpyHtoDAsync,0x10,4\nkernel-1.traceg\nMemcpyHtoDAsync_v2, ff, 0\n", -1);
        g_assert_true(read_all(path, NULL, &r, NULL));
        g_assert_cmpuint(r.kernels, ==, 1);
        g_assert_cmpuint(r.memcpys, ==, 2);
        g_autoptr(WwTrace) trace = ww_trace_open(path, NULL, NULL);
        WwCommand command;
        g_assert_null(ww_trace_command_line(trace));
        g_assert_true(ww_trace_source.next_command(trace, &command, NULL));
        g_assert_cmpuint(command.address, ==, 0x10);
        g_assert_cmpstr(ww_trace_command_line(trace), ==, "MemcpyHtoDAsync,0x10,4");
    }
}

static void test_selection(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *path = write_list(s);
    WwTraceOptions options = {.kernels = "3, 2-2"};
    Open o = open_first(path, &options);
    g_assert_cmpuint(o.kernel->uid, ==, 2);
    g_assert_cmpuint(ww_trace_n_kernels(o.trace), ==, 2);
    close_first(&o);
    static const char *const bad[] = {
        "", "0", "4", "2-1", "1,", "1;2", "x", "1-", "99999999999999999999"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        options.kernels = bad[i];
        assert_read_fails(path, &options, "kernels '");
    }
}

static void test_max_ctas(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *one = make_kernel("-grid dim = (3,1,1)", 1, "0010 ffffffff 0 EXIT 0 0 0 \n");
    const char *path = scratch_write(s, "kernel-1.traceg", one, -1);
    WwTraceOptions options = {.max_ctas = 1};
    ReadResult r;
    g_assert_true(read_all(path, &options, &r, NULL));
    g_assert_cmpuint(r.ctas, ==, 1);
    assert_read_fails(path, NULL, "trace ends after 1 thread blocks; expected 3");
}

static void count_warning(void *user, const char *message)
{
    g_assert_nonnull(strstr(message, "kernel-1.traceg:"));
    g_assert_nonnull(strstr(message, "unknown opcode '"));
    ++*(uint32_t *)user;
}

static void test_unknown(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text =
        make_kernel("", 5,
                    "0010 ffffffff 0 ZZZ.X 0 0 0 \n0010 ffffffff 0 ZZZ.X 0 0 0 \n"
                    "0020 ffffffff 0 ZZZ.Y 0 0 0 \n0030 0000000f 1 R1 LDGX 0 4 1 0x4 4 0 \n"
                    "0040 ffffffff 0 EXIT 0 0 0 \n");
    const char *path = scratch_write(s, "kernel-1.traceg", text, -1);
    uint32_t warnings = 0, n = 0;
    WwTraceOptions options = {.warn = count_warning, .warn_user = &warnings};
    Open o = open_first(path, &options);
    const WwTraceUnknown *u = ww_trace_unknown(o.trace, &n);
    g_assert_cmpuint(warnings, ==, 2);
    g_assert_cmpuint(n, ==, 2);
    g_assert_cmpstr(u[0].opcode, ==, "LDGX");
    g_assert_cmpint(u[0].category, ==, WW_OP_LOAD);
    g_assert_cmpstr(u[1].opcode, ==, "ZZZ");
    g_assert_cmpuint(u[1].count, ==, 3);
    close_first(&o);
    options.strict = true;
    assert_read_fails(path, &options, ":19: unknown opcode 'ZZZ.X' (Volta); expected");
}

/** Buffers of released CTAs serve the next ones. */
static void test_reuse(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *one = make_kernel("-grid dim = (2,1,1)", 1, "0010 ffffffff 0 EXIT 0 0 0 \n");
    g_autofree char *two = g_strconcat(
        one, "#BEGIN_TB\nwarp = 0\ninsts = 1\n0010 00000003 0 EXIT 0 0 0\n#END_TB\n", NULL);
    Open o = open_first(scratch_write(s, "kernel-1.traceg", two, -1), NULL);
    const WwCtaTrace *first = o.cta;
    const WwTinst *insts = first->warp[0];
    ww_trace_source.release_cta(o.trace, o.kernel, first);
    g_assert_true(ww_trace_source.next_cta(o.trace, o.kernel, &o.cta, NULL));
    g_assert_true(o.cta == first && o.cta->warp[0] == insts);
    g_assert_cmpuint(o.cta->warp[0][0].mask, ==, 3);
    close_first(&o);
}

/* Who asked for the version keeps the kernel open until its turn comes, or reads it again; or nobody ever does. */
static void test_version(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0\n");
    for (int keep = 0; keep < 2; keep++) {
        g_autoptr(GError) error = NULL;
        const char *path = scratch_write(s, "kernel-1.traceg", text, -1);
        WwTrace *trace = ww_trace_open(path, NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ww_trace_version(trace, keep), ==, 70);
        g_assert_cmpint(g_remove(path), ==, 0);
        WwCommand command;
        g_assert_cmpint(ww_trace_source.next_command(trace, &command, &error), ==, keep);
        if (keep) {
            const WwCtaTrace *cta;
            g_assert_cmpuint(command.kernel->binary_version, ==, 70);
            g_assert_true(ww_trace_source.next_cta(trace, command.kernel, &cta, &error));
            g_assert_cmpuint(cta->n_insts[0], ==, 1);
            ww_trace_source.release_cta(trace, command.kernel, cta);
            ww_trace_source.close_kernel(trace, command.kernel);
            g_assert_true(ww_trace_source.next_command(trace, &command, &error));
            g_assert_cmpint(command.kind, ==, WW_COMMAND_END);
        }
        ww_trace_free(trace);
    }
    g_autoptr(GError) error = NULL;
    WwTrace *unread = ww_trace_open(scratch_write(s, "kernel-1.traceg", text, -1), NULL, &error);
    g_assert_cmpuint(ww_trace_version(unread, true), ==, 70);
    ww_trace_free(unread);
}

void add_read_tests(void)
{
    g_test_add_func("/trace/read/version", test_version);
    g_test_add_func("/trace/read/fields", test_fields);
    g_test_add_func("/trace/read/handed_out", test_handed_out);
    g_test_add_func("/trace/read/address_modes", test_address_modes);
    g_test_add_func("/trace/read/sharing", test_sharing);
    g_test_add_func("/trace/read/versions", test_versions);
    g_test_add_func("/trace/read/crlf", test_crlf);
    g_test_add_func("/trace/read/warps", test_warps);
    g_test_add_func("/trace/read/list", test_list);
    g_test_add_func("/trace/read/odd_blanks", test_odd_blanks);
    g_test_add_func("/trace/read/selection", test_selection);
    g_test_add_func("/trace/read/max_ctas", test_max_ctas);
    g_test_add_func("/trace/read/unknown", test_unknown);
    g_test_add_func("/trace/read/reuse", test_reuse);
}
