/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Helpers of the trace tests.
 */
#include "util.h"

#include <stream-priv.h>

#include <lzma.h>
#include <string.h>
#include <tests/support/files.h>
#include <zstd.h>

Scratch *scratch_new(void)
{
    Scratch *s = g_new0(Scratch, 1);
    g_autoptr(GError) error = NULL;
    s->dir = g_dir_make_tmp("ww-trace-XXXXXX", &error);
    g_assert_no_error(error);
    return s;
}

void scratch_free(Scratch *s)
{
    test_remove_folder(s->dir);
    g_free(s->dir);
    g_free(s);
}

const char *scratch_path(Scratch *s, const char *name)
{
    g_autofree char *path = g_build_filename(s->dir, name, NULL);
    return g_intern_string(path);
}

const char *scratch_write(Scratch *s, const char *name, const void *data, gssize n)
{
    const char *path = scratch_path(s, name);
    g_autofree char *parent = g_path_get_dirname(path);
    g_autoptr(GError) error = NULL;
    g_mkdir_with_parents(parent, 0777);
    g_file_set_contents(path, data, n, &error);
    g_assert_no_error(error);
    return path;
}

GByteArray *make_xz(const char *text, gsize n)
{
    GByteArray *out = g_byte_array_sized_new(0);
    size_t used = 0;
    g_byte_array_set_size(out, (guint)lzma_stream_buffer_bound(n));
    g_assert_cmpint(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, (const uint8_t *)text, n,
                                            out->data, &used, out->len),
                    ==, LZMA_OK);
    g_byte_array_set_size(out, (guint)used);
    return out;
}

GByteArray *make_zst(const char *text, gsize n)
{
    GByteArray *out = g_byte_array_sized_new(0);
    g_byte_array_set_size(out, (guint)ZSTD_compressBound(n));
    size_t used = ZSTD_compress(out->data, out->len, text, n, 1);
    g_assert_false(ZSTD_isError(used));
    g_byte_array_set_size(out, (guint)used);
    return out;
}

/* A line of @p more takes the place of the same one here, which becomes blank: numbers stay. */
char *unpacked_text(const char *path)
{
    GString *text = g_string_new(NULL);
    WwStream *s = ww_stream_open(path, NULL);
    char some[4096];
    const char *why;
    size_t n;
    g_assert_nonnull(s);
    for (;;) {
        g_assert_true(ww_stream_read(s, some, sizeof some, &n, &why));
        if (n == 0) {
            break;
        }
        g_string_append_len(text, some, (gssize)n);
    }
    ww_stream_free(s);
    return g_string_free(text, false);
}

char *make_header(uint32_t threads, const char *more)
{
    g_autofree char *all = g_strdup_printf(
        "-kernel name = k\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (%u,1,1)\n"
        "-shmem = 0\n-nregs = 32\n-binary version = 70\n-cuda stream id = 0\n"
        "-accelsim tracer version = 5\n",
        threads);
    g_auto(GStrv) lines = g_strsplit(all, "\n", -1);
    for (char **l = lines; **l != '\0'; l++) {
        g_autofree char *key = g_strndup(*l, strcspn(*l, "=") + 1);
        **l = strstr(more, key) != NULL ? '\0' : **l;
    }
    g_autofree char *head = g_strjoinv("\n", lines);
    return g_strdup_printf("%s%s\n#traces format = x\n\n", head, more);
}

char *make_kernel(const char *more_header, uint32_t n_insts, const char *lines)
{
    g_autofree char *header = make_header(32, more_header);
    return g_strdup_printf(
        "%s#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = %u\n%s\n#END_TB\n", header,
        n_insts, lines);
}

static bool read_kernel(WwTrace *trace, const WwKernel *kernel, ReadResult *r, GError **error)
{
    for (uint64_t i = 0; i < kernel->n_ctas; i++) {
        const WwCtaTrace *cta = NULL;
        if (!ww_trace_source.next_cta(trace, kernel, &cta, error)) {
            g_assert_null(cta);
            return false;
        }
        for (uint32_t w = 0; w < cta->n_warps; w++) {
            r->warp_insts += cta->n_insts[w];
            WwPacked *packed = cta->packed != NULL ? cta->packed[w] : NULL;
            if (packed != NULL) {
                ww_packed_start(packed);
            }
            for (uint32_t k = 0; k < cta->n_insts[w]; k++) {
                WwTinst t;
                WwAddrRoom room;
                if (packed == NULL) {
                    t = cta->warp[w][k];
                } else {
                    g_assert_true(ww_packed_next(packed, &t, &room));
                }
                r->lanes += (uint32_t)__builtin_popcount(t.mask);
            }
        }
        r->ctas++;
        ww_trace_source.release_cta(trace, kernel, cta);
    }
    return true;
}

bool read_all(const char *path, const WwTraceOptions *options, ReadResult *r, GError **error)
{
    g_autoptr(WwTrace) trace = ww_trace_open(path, options, error);
    WwCommand command;
    *r = (ReadResult){0};
    if (trace == NULL) {
        return false;
    }
    for (;;) {
        if (!ww_trace_source.next_command(trace, &command, error)) {
            return false;
        }
        if (command.kind == WW_COMMAND_END) {
            return true;
        }
        if (command.kind == WW_COMMAND_MEMCPY_HTOD) {
            r->memcpys++;
            continue;
        }
        r->kernels++;
        bool good = read_kernel(trace, command.kernel, r, error);
        ww_trace_source.close_kernel(trace, command.kernel);
        if (!good) {
            return false;
        }
    }
}

/** One of two traces that are read in turns. */
typedef struct Side {
    WwTrace *trace;
    WwCommand command;
    const WwCtaTrace *cta;
    WwPacked *packed;
    WwTinst inst;
    WwAddrRoom room;
    const WwAddrBlock *block;
    GError *error;
    bool good;
} Side;

static void next_inst(Side *s, uint32_t warp, uint32_t i)
{
    s->packed = s->cta->packed != NULL ? s->cta->packed[warp] : NULL;
    s->block = NULL;
    if (s->packed == NULL) {
        s->inst = s->cta->warp[warp][i];
        if (s->inst.addr != 0) {
            s->block = (const WwAddrBlock *)(const void *)&s->cta->addr[s->inst.addr - 1];
        }
        return;
    }
    if (i == 0) {
        ww_packed_start(s->packed);
    }
    g_assert_true(ww_packed_next(s->packed, &s->inst, &s->room));
    s->block = s->inst.addr != 0 ? ww_addr_block(&s->room) : NULL;
}

static void assert_same_blocks(const WwAddrBlock *a, const WwAddrBlock *b)
{
    g_assert_true((a == NULL) == (b == NULL));
    if (a != NULL) {
        g_assert_cmpuint(a->mode, ==, b->mode);
        g_assert_cmphex(a->base, ==, b->base);
        g_assert_cmpint(a->stride, ==, b->stride);
        g_assert_cmpmem(ww_addr_values(a), a->n * sizeof(int64_t), ww_addr_values(b),
                        b->n * sizeof(int64_t));
    }
}

static void assert_same_sinst(const WwSinst *a, const WwSinst *b, bool lines)
{
    WwSinst x = *a, y = *b;
    g_assert_cmpstr(x.opcode, ==, y.opcode);
    x.opcode = y.opcode = NULL;
    x.line = y.line = lines ? x.line : 0;
    g_assert_cmpuint(a->line == b->line || !lines, ==, 1);
    g_assert_cmpmem(&x, sizeof x, &y, sizeof y);
}

static void assert_same_ctas(Side *s, bool lines)
{
    g_assert_cmpuint(s[0].cta->n_warps, ==, s[1].cta->n_warps);
    g_assert_cmpmem(s[0].cta->id, sizeof s[0].cta->id, s[1].cta->id, sizeof s[1].cta->id);
    for (uint32_t w = 0; w < s[0].cta->n_warps; w++) {
        g_assert_cmpuint(s[0].cta->n_insts[w], ==, s[1].cta->n_insts[w]);
        for (uint32_t i = 0; i < s[0].cta->n_insts[w]; i++) {
            next_inst(&s[0], w, i);
            next_inst(&s[1], w, i);
            g_assert_cmphex(s[0].inst.mask, ==, s[1].inst.mask);
            g_assert_cmpuint(s[0].inst.sinst, ==, s[1].inst.sinst);
            assert_same_sinst(s[0].command.kernel->sinst[s[0].inst.sinst],
                              s[1].command.kernel->sinst[s[1].inst.sinst], lines);
            assert_same_blocks(s[0].block, s[1].block);
        }
    }
}

/** The message behind the file and its line. */
static const char *message_of(const Side *s, bool lines)
{
    const char *p = strchr(s->error->message, ':');
    return lines ? p : p + 1 + strspn(p + 1, "0123456789");
}

/** True: both are good; false: both failed, in the same way. */
static bool both_good(Side *s, bool lines)
{
    g_assert_true(s[0].good == s[1].good);
    if (!s[0].good) {
        g_assert_cmpstr(message_of(&s[0], lines), ==, message_of(&s[1], lines));
    }
    return s[0].good;
}

static bool same_kernels(Side *s, bool lines)
{
    const WwKernel *k = s[0].command.kernel, *other = s[1].command.kernel;
    bool good = true;
    g_assert_cmpstr(k->name, ==, other->name);
    g_assert_cmpmem(&k->uid, offsetof(WwKernel, sinst) - offsetof(WwKernel, uid), &other->uid,
                    offsetof(WwKernel, sinst) - offsetof(WwKernel, uid));
    for (uint64_t i = 0; i < k->n_ctas && good; i++) {
        for (int j = 0; j < 2; j++) {
            s[j].good =
                ww_trace_source.next_cta(s[j].trace, s[j].command.kernel, &s[j].cta, &s[j].error);
        }
        good = both_good(s, lines);
        if (good) {
            assert_same_ctas(s, lines);
            for (int j = 0; j < 2; j++) {
                ww_trace_source.release_cta(s[j].trace, s[j].command.kernel, s[j].cta);
            }
        }
    }
    for (int j = 0; j < 2; j++) {
        ww_trace_source.close_kernel(s[j].trace, s[j].command.kernel);
    }
    return good;
}

static void ignore_warning(void *user, const char *message) {}

void assert_same_traces(const char *a, const char *b, bool lines)
{
    const WwTraceOptions options = {.warn = ignore_warning};
    Side s[2] = {0};
    s[0].trace = ww_trace_open(a, &options, &s[0].error);
    g_assert_no_error(s[0].error);
    s[1].trace = ww_trace_open(b, &options, &s[1].error);
    g_assert_no_error(s[1].error);
    do {
        for (int j = 0; j < 2; j++) {
            s[j].good = ww_trace_source.next_command(s[j].trace, &s[j].command, &s[j].error);
        }
        if (!both_good(s, lines)) {
            break;
        }
        g_assert_cmpuint(s[0].command.kind, ==, s[1].command.kind);
        g_assert_cmphex(s[0].command.address, ==, s[1].command.address);
        g_assert_cmpuint(s[0].command.bytes, ==, s[1].command.bytes);
        if (s[0].command.kind == WW_COMMAND_KERNEL && !same_kernels(s, lines)) {
            break;
        }
    } while (s[0].command.kind != WW_COMMAND_END);
    uint32_t n[2];
    const WwTraceUnknown *x = ww_trace_unknown(s[0].trace, &n[0]),
                         *y = ww_trace_unknown(s[1].trace, &n[1]);
    g_assert_cmpuint(n[0], ==, n[1]);
    for (uint32_t i = 0; i < n[0]; i++) {
        g_assert_cmpstr(x[i].opcode, ==, y[i].opcode);
        g_assert_cmpuint(x[i].count, ==, y[i].count);
    }
    for (int j = 0; j < 2; j++) {
        ww_trace_free(s[j].trace);
        g_clear_error(&s[j].error);
    }
}

void assert_same(const ReadResult *a, const ReadResult *b)
{
    g_assert_cmpuint(a->kernels, ==, b->kernels);
    g_assert_cmpuint(a->ctas, ==, b->ctas);
    g_assert_cmpuint(a->warp_insts, ==, b->warp_insts);
    g_assert_cmpuint(a->lanes, ==, b->lanes);
    g_assert_cmpuint(a->memcpys, ==, b->memcpys);
}

void assert_read_fails(const char *path, const WwTraceOptions *options, const char *text)
{
    g_autoptr(GError) error = NULL;
    ReadResult r;
    g_assert_false(read_all(path, options, &r, &error));
    g_assert_nonnull(error);
    g_assert_null(strchr(error->message, '\n'));
    if (strstr(error->message, text) == NULL) {
        g_test_message("message: %s", error->message);
    }
    g_assert_nonnull(strstr(error->message, text));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_opcode_tests();
    add_make_tests();
    add_read_tests();
    add_error_tests();
    add_stream_tests();
    add_info_tests();
    add_big_tests();
    add_ahead_tests();
    add_find_tests();
    add_follow_tests();
    add_pack_tests();
    add_listing_tests();
    add_cubin_tests();
    add_sass_tests();
    add_exits_tests();
    add_version6_tests();
    return g_test_run();
}
