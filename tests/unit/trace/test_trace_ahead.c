/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reading ahead: nobody can see how far a reader is.
 */
#include "util.h"

#include <glib/gstdio.h>
#include <string.h>
#include <trace-priv.h>
#include <warpwright/interrupt.h>

enum { CTAS = 400, LINES = 5 };

/*
 * CTAs of one warp with LINES instructions each, pcs of its own in every CTA: 2,000 different ones, so that tables grow. @p odd and @p broken:
 * the CTAs whose third line has an unknown opcode, and is no line at all; CTAS: none.
 */
static char *many(const char *name, uint32_t odd, uint32_t broken)
{
    g_autofree char *grid = g_strdup_printf("-grid dim = (%u,1,1)\n-kernel name = %s", CTAS, name);
    g_autofree char *header = make_header(32, grid);
    GString *text = g_string_new(header);
    for (uint32_t i = 0; i < CTAS; i++) {
        g_string_append_printf(text, "#BEGIN_TB\n\nthread block = %u,0,0\n\nwarp = 0\ninsts = %u\n",
                               i, LINES);
        for (uint32_t n = 0; n + 1 < LINES; n++) {
            const char *line = i == broken && n == 2 ? "nonsense"
                               : i == odd && n == 2  ? "1 R4 ODDITY 1 R6 0 0"
                                                     : "1 R4 IADD3 1 R6 0 0";
            g_string_append_printf(text, "%04x ffffffff %s\n", (i * LINES + n) * 16, line);
        }
        g_string_append_printf(text, "%04x ffffffff 0 EXIT 0 0 0\n\n#END_TB\n",
                               (i * LINES + LINES - 1) * 16);
    }
    return g_string_free(text, false);
}

typedef struct Look {
    WwTrace *trace;
    const WwKernel *kernel[2];
    uint32_t warnings;
} Look;

static void on_warning(void *user, const char *message)
{
    g_assert_nonnull(strstr(message, "ODDITY"));
    ((Look *)user)->warnings++;
}

/* @p second: the text of the second kernel; NULL: its file is gone before it is read. */
static void open_texts(Look *l, Scratch *s, const char *first, const char *second)
{
    g_autoptr(GError) error = NULL;
    scratch_write(s, "kernel-1.traceg", first, -1);
    g_autofree char *gone =
        g_strdup(scratch_write(s, "kernel-2.traceg", second != NULL ? second : "", -1));
    const char *list = "kernel-1.traceg\nkernel-2.traceg\n";
    const char *path = scratch_write(s, "kernelslist.g", list, -1);
    WwTraceOptions options = {.warn = on_warning, .warn_user = l};
    l->trace = ww_trace_open(path, &options, &error);
    g_assert_no_error(error);
    if (second == NULL) {
        g_assert_cmpint(g_unlink(gone), ==, 0);
    }
    g_assert_true(ww_trace_read_ahead(l->trace));
}

static void open_list(Look *l, Scratch *s, uint32_t odd, uint32_t broken)
{
    g_autofree char *first = many("a", odd, broken), *second = many("b", CTAS, CTAS);
    open_texts(l, s, first, second);
}

static void open_next(Look *l, uint32_t k)
{
    g_autoptr(GError) error = NULL;
    WwCommand command;
    g_assert_true(ww_trace_source.next_command(l->trace, &command, &error));
    g_assert_no_error(error);
    l->kernel[k] = command.kernel;
}

static void open_two(Look *l, Scratch *s, uint32_t odd, uint32_t broken)
{
    open_list(l, s, odd, broken);
    open_next(l, 0);
    open_next(l, 1);
}

static const WwCtaTrace *take(Look *l, uint32_t k, uint32_t i)
{
    g_autoptr(GError) error = NULL;
    const WwCtaTrace *cta = NULL;
    g_assert_true(ww_trace_source.next_cta(l->trace, l->kernel[k], &cta, &error));
    g_assert_no_error(error);
    g_assert_cmpuint(cta->id[0], ==, i);
    return cta;
}

static void look_at(const Look *l, uint32_t k, const WwCtaTrace *cta)
{
    g_assert_cmpuint(cta->n_insts[0], ==, LINES);
    for (uint32_t n = 0; n < LINES; n++) {
        const WwSinst *s = l->kernel[k]->sinst[cta->warp[0][n].sinst];
        g_assert_cmpuint(s->pc, ==, (cta->id[0] * LINES + n) * 16);
    }
}

/* Two kernels are open, and their CTAs taken in any order; those of before are still what they were. */
static void test_same(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    const WwCtaTrace *before[2] = {NULL, NULL};
    uint32_t next[2] = {0, 0};
    open_two(&l, s, CTAS, CTAS);
    while (next[0] < CTAS || next[1] < CTAS) {
        uint32_t k = next[0] == CTAS || (next[1] < CTAS && g_test_rand_int_range(0, 2) == 1);
        const WwCtaTrace *cta = take(&l, k, next[k]++);
        look_at(&l, k, cta);
        if (before[k] != NULL) {
            look_at(&l, k, before[k]);
            ww_trace_source.release_cta(l.trace, l.kernel[k], before[k]);
        }
        before[k] = cta;
    }
    for (uint32_t k = 0; k < 2; k++) {
        ww_trace_source.release_cta(l.trace, l.kernel[k], before[k]);
        ww_trace_source.close_kernel(l.trace, l.kernel[k]);
    }
    ww_trace_free(l.trace);
}

/* A CTA is what it was when its kernel's table has grown since, and another kernel takes what memory was given back. */
static void test_grown(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    open_list(&l, s, CTAS, CTAS);
    open_next(&l, 0);
    const WwCtaTrace *first = take(&l, 0, 0);
    const WwSinst *const *before = l.kernel[0]->sinst;
    for (uint32_t i = 1; i < CTAS; i++) {
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
    }
    open_next(&l, 1);
    ww_trace_source.release_cta(l.trace, l.kernel[1], take(&l, 1, 0));
    for (uint32_t n = 0; n < LINES; n++) {
        g_assert_cmpuint(before[first->warp[0][n].sinst]->pc, ==, n * 16);
    }
    ww_trace_free(l.trace);
}

/* Until there are so many CTAs of the first kernel, for whose end nobody waits. */
static void wait_for_ready(const Look *l, uint32_t n)
{
    for (bool there = false; !there; g_usleep(100)) {
        g_assert_true(ww_trace_hold_whole(l->trace));
        there = ww_kernel_reader(l->kernel[0])->n_ready >= n;
        ww_trace_go(l->trace);
    }
}

/* As much text as another thread unpacks, from before its first CTA is read on, and that of the next kernel; a run ends anywhere. */
static void test_unpacked(void)
{
    g_autoptr(Scratch) s = scratch_new();
    for (uint32_t round = 0; round < 6; round++) {
        g_autoptr(GError) error = NULL;
        Look l = {0};
        for (uint32_t k = 0; k < 2; k++) {
            g_autofree char *text = many(k == 0 ? "a" : "b", CTAS, CTAS);
            g_autoptr(GByteArray) packed = g_byte_array_new();
            size_t n = strlen(text), some = n / 150;
            for (size_t at = 0; at < n;
                 at += some) { /* as many streams: little is to be gained in each */
                g_autoptr(GByteArray) one = make_xz(text + at, MIN(some, n - at));
                g_byte_array_append(packed, one->data, one->len);
            }
            g_assert_cmpuint(packed->len, >, 8 << 10);
            scratch_write(s, k == 0 ? "kernel-1.traceg.xz" : "kernel-2.traceg.xz", packed->data,
                          (gssize)packed->len);
        }
        const char *list = "kernel-1.traceg\nkernel-2.traceg\n";
        l.trace = ww_trace_open(scratch_write(s, "kernelslist.g", list, -1), NULL, &error);
        g_assert_no_error(error);
        g_assert_cmpuint(ww_trace_version(l.trace, round % 2 == 0), ==, 70);
        ww_trace_unpack_ahead(l.trace);
        for (uint32_t i = 0; i < round * CTAS / 2; i++) {
            if (i == 0) {
                g_assert_true(ww_trace_read_ahead(l.trace));
            }
            uint32_t k = i / CTAS;
            if (i % CTAS == 0) {
                open_next(&l, k);
            }
            const WwCtaTrace *cta = take(&l, k, i % CTAS);
            look_at(&l, k, cta);
            ww_trace_source.release_cta(l.trace, l.kernel[k], cta);
            if (i == 2 * CTAS - 1) {
                break;
            }
        }
        ww_trace_free(l.trace);
    }
}

/* What is wrong or unknown in a CTA is told when that one is taken, and counted then. */
static void test_told_in_time(void)
{
    enum { ODD = 20, BROKEN = 30 };
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    Look l = {0};
    uint32_t n;
    open_two(&l, s, ODD, BROKEN);
    for (uint32_t i = 0; i < BROKEN; i++) {
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
        const WwTraceUnknown *unknown = ww_trace_unknown(l.trace, &n);
        g_assert_cmpuint(l.warnings, ==, i >= ODD);
        g_assert_cmpuint(n, ==, i >= ODD);
        g_assert_cmpuint(n == 0 ? 1 : unknown[0].count, ==, 1);
    }
    const WwCtaTrace *cta = NULL;
    g_assert_false(ww_trace_source.next_cta(l.trace, l.kernel[0], &cta, &error));
    g_assert_null(cta);
    g_assert_nonnull(strstr(error->message, "kernel-1.traceg"));
    g_assert_nonnull(strstr(error->message, "nonsense"));
    for (uint32_t i = 0; i < 10; i++) { /* the other one goes on */
        ww_trace_source.release_cta(l.trace, l.kernel[1], take(&l, 1, i));
    }
    ww_trace_free(l.trace);
}

/* A kernel that ends early: what was read ahead of it is nobody's. */
static void test_closed_early(void)
{
    g_autoptr(Scratch) s = scratch_new();
    for (uint32_t round = 0; round < 20; round++) {
        Look l = {0};
        open_two(&l, s, CTAS, CTAS);
        for (uint32_t i = 0; i < round; i++) {
            ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
        }
        ww_trace_source.close_kernel(l.trace, l.kernel[0]);
        ww_trace_source.release_cta(l.trace, l.kernel[1], take(&l, 1, 0));
        ww_trace_free(l.trace); /* with the second one open */
    }
}

/* Waits until the reader has opened the kernel that comes and read @p n CTAs of it. */
static void wait_for_coming(const Look *l, uint32_t n)
{
    for (bool there = false; !there; g_usleep(100)) {
        ww_trace_hold(l->trace);
        const WwKernelReader *k = l->trace->looked_at;
        there = k != NULL && k->n_ready >= n;
        g_assert_cmpuint(l->trace->n_ready, <=, 64);
        ww_trace_go(l->trace);
    }
}

/* Instructions are those of the CTAs that were handed out, however many more were read, also before the kernel's turn came. */
static void test_instructions(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    open_list(&l, s, CTAS, CTAS);
    for (uint32_t k = 0; k < 2; k++) {
        wait_for_coming(&l, 32);
        open_next(&l, k);
        g_assert_cmpuint(ww_trace_n_instructions(l.kernel[k]), ==, 0);
        for (uint32_t i = 0; i < CTAS; i++) {
            ww_trace_source.release_cta(l.trace, l.kernel[k], take(&l, k, i));
            g_assert_cmpuint(ww_trace_n_instructions(l.kernel[k]), ==, (i + 1) * LINES);
            g_assert_cmpuint(l.kernel[k]->sinst[i * LINES]->pc, ==, i * LINES * 16);
        }
    }
    ww_trace_free(l.trace);
}

/* Waits until the reader has tried to open the kernel that comes. */
static void wait_for_failure(const Look *l)
{
    for (bool tried = false; !tried; g_usleep(100)) {
        ww_trace_hold(l->trace);
        g_assert_null(l->trace->looked_at);
        tried = !ww_trace_may_look(l->trace);
        ww_trace_go(l->trace);
    }
}

/* While the last CTAs of a kernel are in use, the first of the next one are read. */
static void test_next_kernel(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    open_list(&l, s, CTAS, CTAS);
    open_next(&l, 0);
    const WwCtaTrace *last = NULL;
    for (uint32_t i = 0; i < CTAS; i++) {
        if (last != NULL) {
            ww_trace_source.release_cta(l.trace, l.kernel[0], last);
        }
        last = take(&l, 0, i);
    }
    wait_for_coming(&l, 32); /* at least: the reader goes on when half of its room is free */
    look_at(&l, 0, last);
    open_next(&l, 1);
    for (uint32_t i = 0; i < CTAS; i++) {
        const WwCtaTrace *cta = take(&l, 1, i);
        look_at(&l, 1, cta);
        ww_trace_source.release_cta(l.trace, l.kernel[1], cta);
    }
    ww_trace_source.close_kernel(l.trace, l.kernel[0]);
    ww_trace_free(l.trace);
}

/* A run ends before the kernel that was opened already. */
static void test_next_unused(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    open_list(&l, s, CTAS, CTAS);
    open_next(&l, 0);
    for (uint32_t i = 0; i < CTAS; i++) {
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
    }
    wait_for_coming(&l, 1);
    ww_trace_free(l.trace);
}

/* A signal ends the run: what is read ahead stays whole, for a checkpoint, as long as nobody waits for it. */
static void test_interrupted(void)
{
    g_autoptr(Scratch) s = scratch_new();
    Look l = {0};
    open_list(&l, s, CTAS, CTAS);
    open_next(&l, 0);
    for (uint32_t i = 0; i < CTAS / 4; i++) {
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
    }
    ww_interrupt();
    for (uint32_t i = CTAS / 4; i < CTAS; i++) {
        wait_for_ready(&l, 1);
        const WwCtaTrace *cta = take(&l, 0, i);
        look_at(&l, 0, cta);
        ww_trace_source.release_cta(l.trace, l.kernel[0], cta);
    }
    ww_trace_free(l.trace);
    ww_interrupt_clear();
}

/* What is wrong with the kernel that comes is told when its turn has come: as long as it is, the one before is whole. @p second: see above. */
static void next_fails(const char *second, const char *why)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *first = many("a", CTAS, CTAS);
    Look l = {0};
    WwCommand command;
    open_texts(&l, s, first, second);
    open_next(&l, 0);
    for (uint32_t i = 0; i < CTAS; i++) {
        if (i == CTAS - 1) {
            wait_for_failure(&l);
        }
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
    }
    g_assert_false(ww_trace_source.next_command(l.trace, &command, &error));
    g_assert_nonnull(strstr(error->message, "kernel-2.traceg"));
    g_assert_nonnull(strstr(error->message, why));
    ww_trace_free(l.trace);
}

static void test_next_fails(void)
{
    next_fails(NULL, "cannot open");
    next_fails("-kernel name = b\n-nonsense = 1\n", "");
    g_autofree char *unknown = make_header(32, "-binary version = 91");
    next_fails(unknown, "no opcode map");
}

/* Its warnings and its failure, when its CTAs are taken. */
static void test_next_told_in_time(void)
{
    enum { ODD = 2, BROKEN = 4 };
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *first = many("a", CTAS, CTAS), *second = many("b", ODD, BROKEN);
    Look l = {0};
    uint32_t n;
    open_texts(&l, s, first, second);
    open_next(&l, 0);
    for (uint32_t i = 0; i < CTAS; i++) {
        ww_trace_source.release_cta(l.trace, l.kernel[0], take(&l, 0, i));
    }
    wait_for_coming(&l, BROKEN + 1);
    ww_trace_unknown(l.trace, &n);
    g_assert_cmpuint(n, ==, 0);
    open_next(&l, 1);
    for (uint32_t i = 0; i < BROKEN; i++) {
        g_assert_cmpuint(l.warnings, ==, i > ODD);
        ww_trace_source.release_cta(l.trace, l.kernel[1], take(&l, 1, i));
    }
    const WwCtaTrace *cta = NULL;
    g_assert_false(ww_trace_source.next_cta(l.trace, l.kernel[1], &cta, &error));
    g_assert_nonnull(strstr(error->message, "nonsense"));
    ww_trace_free(l.trace);
}

void add_ahead_tests(void)
{
    g_test_add_func("/trace/ahead/next-kernel", test_next_kernel);
    g_test_add_func("/trace/ahead/next-unused", test_next_unused);
    g_test_add_func("/trace/ahead/next-fails", test_next_fails);
    g_test_add_func("/trace/ahead/next-told-in-time", test_next_told_in_time);
    g_test_add_func("/trace/ahead/instructions", test_instructions);
    g_test_add_func("/trace/ahead/interrupted", test_interrupted);
    g_test_add_func("/trace/ahead/same", test_same);
    g_test_add_func("/trace/ahead/grown", test_grown);
    g_test_add_func("/trace/ahead/unpacked", test_unpacked);
    g_test_add_func("/trace/ahead/told-in-time", test_told_in_time);
    g_test_add_func("/trace/ahead/closed-early", test_closed_early);
}
