/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Memory and time grow with the input, not with its tricks: long warps, opcodes that are all
 * different or collide in common hashes, archives of blanks.
 */
#include "util.h"

#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <trace/info.h>
#include <unistd.h>

/** Peak memory of this process, KiB. */
static long peak(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static double cpu(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

/** A kernel of one warp whose @p n lines @p line writes, and an EXIT. */
static const char *write_kernel(Scratch *s, uint32_t n, void (*line)(FILE *, uint32_t))
{
    const char *path = scratch_path(s, "kernel-1.traceg");
    g_autofree char *header = make_header(32, "");
    FILE *f = fopen(path, "w");
    fprintf(f, "%s#BEGIN_TB\nthread block = 0,0,0\nwarp = 0\ninsts = %u\n", header, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        line(f, i);
    }
    fputs("fff0 ffffffff 0 EXIT 0 0 0\n#END_TB\n", f);
    g_assert_cmpint(fclose(f), ==, 0);
    return path;
}

static void loop_line(FILE *f, uint32_t i)
{
    fprintf(f, "%04x ffffffff 1 R%u FFMA 2 R4 R4 0 0\n", i % 100 * 16, 5 + i % 20);
}

static void gather_line(FILE *f, uint32_t i)
{
    uint32_t state = i * 2654435761u;
    fprintf(f, "%04x ffffffff 1 R5 LDG.E 1 R2 4 2 0x%x", i % 50 * 16, state);
    for (int lane = 1; lane < 32; lane++) {
        state = state * 1664525u + 1013904223u;
        fprintf(f, " %d", (int)(state >> 24) - 128);
    }
    fputs(" 0\n", f);
}

/** A million instructions of one warp: 12 bytes each when they were flat. */
static void test_long_warp(void)
{
    g_autoptr(Scratch) s = scratch_new();
    ReadResult r;
    const char *path = write_kernel(s, 1000000, loop_line);
    long before = peak();
    g_assert_true(read_all(path, NULL, &r, NULL));
    g_assert_cmpint(peak() - before, <, 3000);
    g_assert_cmpuint(r.warp_insts, ==, 1000001);
    g_assert_cmpuint(r.lanes, ==, 32u * 1000001);
}

/** 100,000 gathers: no more memory than their text, which was 290 bytes each. */
static void test_gathers(void)
{
    g_autoptr(Scratch) s = scratch_new();
    ReadResult r;
    const char *path = write_kernel(s, 100000, gather_line);
    long before = peak();
    g_assert_true(read_all(path, NULL, &r, NULL));
    g_assert_cmpint(peak() - before, <, 15000);
    g_assert_cmpuint(r.warp_insts, ==, 100001);
}

/** What a packed warp holds is what the lines say: every address. */
static void test_same(void)
{
    g_autoptr(Scratch) s = scratch_new();
    WwCommand command;
    const WwCtaTrace *cta;
    WwTinst t;
    WwAddrRoom room;
    WwTrace *trace = ww_trace_open(write_kernel(s, 20000, gather_line), NULL, NULL);
    g_assert_true(ww_trace_source.next_command(trace, &command, NULL));
    g_assert_true(ww_trace_source.next_cta(trace, command.kernel, &cta, NULL));
    g_assert_null(cta->warp[0]);
    ww_packed_start(cta->packed[0]);
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t address[WW_WARP_SIZE];
        uint32_t state = i * 2654435761u;
        uint64_t expected = state;
        g_assert_true(ww_packed_next(cta->packed[0], &t, &room));
        ww_addr_expand(ww_addr_block(&room), t.mask, address);
        g_assert_cmphex(command.kernel->sinst[t.sinst]->pc, ==, i % 50 * 16);
        for (int lane = 0; lane < 32; lane++) {
            g_assert_cmphex(address[lane], ==, expected);
            state = state * 1664525u + 1013904223u;
            expected += (uint64_t)((int64_t)(state >> 24) - 128);
        }
    }
    g_assert_true(ww_packed_next(cta->packed[0], &t, &room));
    g_assert_cmpuint(t.addr, ==, 0);
    g_assert_false(ww_packed_next(cta->packed[0], &t, &room));
    ww_trace_source.release_cta(trace, command.kernel, cta);
    ww_trace_source.close_kernel(trace, command.kernel);
    ww_trace_free(trace);
}

static void distinct_line(FILE *f, uint32_t i)
{
    fprintf(f, "%04x ffffffff 1 R5 XQ%u 2 R4 R4 0 0\n", i * 16, i);
}

/** Names of equal sums under the usual hash of strings: "Ab" and "BA" count the same. */
static void colliding_line(FILE *f, uint32_t i)
{
    fprintf(f, "%04x ffffffff 1 R5 X", i * 16);
    for (uint32_t bit = 0; bit < 17; bit++) {
        fputs(i >> bit & 1 ? "Ab" : "BA", f);
    }
    fputs(" 2 R4 R4 0 0\n", f);
}

static void ignore(void *user, const char *message) {}

static double check_seconds(void (*line)(FILE *, uint32_t), uint32_t n)
{
    g_autoptr(Scratch) s = scratch_new();
    WwTraceOptions options = {.warn = ignore};
    const char *path = write_kernel(s, n, line);
    FILE *out = fopen("/dev/null", "w");
    double start = cpu();
    g_assert_true(ww_trace_check(path, &options, out, NULL));
    fclose(out);
    return cpu() - start;
}

/** Eight times the opcodes take about eight times as long, not 64 times. */
static void test_opcodes(void)
{
    static void (*const lines[])(FILE *, uint32_t) = {distinct_line, colliding_line};
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        double few = check_seconds(lines[i], 8000), many = check_seconds(lines[i], 64000);
        g_assert_cmpfloat(many, <, 25 * MAX(few, 0.01));
    }
}

/** Gigabytes in an archive of kilobytes: blank lines of a header, between CTAs, within a warp. */
static void test_blanks(void)
{
    static const char *const before[] = {"-kernel name = ", "#BEGIN_TB", "0010 ", "#END_TB"};
    static const char *const tells[] = {
        "the header has more than 4096 lines", "more than 65536 blank lines in a row",
        "more than 65536 blank lines in a row", "more than 65536 blank lines in a row"};
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 1, "0010 ffffffff 0 EXIT 0 0 0\n");
    g_autofree char *blanks = g_strnfill(64 << 20, '\n');
    for (size_t i = 0; i < G_N_ELEMENTS(before); i++) {
        size_t at = (size_t)(strstr(text, before[i]) - text);
        g_autoptr(GString) all = g_string_new_len(text, (gssize)at);
        g_string_append(all, blanks);
        g_string_append(all, text + at);
        g_autoptr(GByteArray) packed = make_zst(all->str, all->len);
        g_assert_cmpuint(packed->len, <, 100000);
        scratch_write(s, "kernel-1.traceg.zst", packed->data, (gssize)packed->len);
        double start = cpu();
        assert_read_fails(scratch_path(s, "kernel-1.traceg.zst"), NULL, tells[i]);
        g_assert_cmpfloat(cpu() - start, <, 0.5);
    }
}

void add_big_tests(void)
{
    g_test_add_func("/trace/big/long_warp", test_long_warp);
    g_test_add_func("/trace/big/gathers", test_gathers);
    g_test_add_func("/trace/big/same", test_same);
    g_test_add_func("/trace/big/opcodes", test_opcodes);
    g_test_add_func("/trace/big/blanks", test_blanks);
}
