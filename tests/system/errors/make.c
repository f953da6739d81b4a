/* SPDX-License-Identifier: Apache-2.0 */
/* Things that a table cannot write down: traces, damaged ones, compressed ones, very long lines. */
#include "tests.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <trace/info.h>
#include <unistd.h>
#include <zstd.h>

#define LONG (4ull << 30)
#define PIECE (64u << 20) /* of a long line: compressed once, written LONG / PIECE times */

static const char kernel[] = "-kernel name = vadd\n"
                             "-kernel id = 1\n"
                             "-grid dim = (2,1,1)\n"
                             "-block dim = (64,1,1)\n"
                             "-shmem = 0\n"
                             "-nregs = 16\n"
                             "-binary version = 70\n"
                             "-cuda stream id = 0\n"
                             "-shmem base_addr = 0x00007f0000000000\n"
                             "-local mem base_addr = 0x00007e0000000000\n"
                             "-nvbit version = 1.7\n"
                             "-accelsim tracer version = 5\n"
                             "-enable lineinfo = 0\n"
                             "\n"
                             "#traces\n";
static const char warp[] = "warp = %d\n"
                           "insts = 4\n"
                           "0000 ffffffff 1 R4 LDG.E.SYS 1 R2 4 1 0x7f1000000000 4 0\n"
                           "0010 ffffffff 1 R5 FFMA 2 R4 R4 0 0\n"
                           "0020 ffffffff 0 STG.E.SYS 2 R2 R5 4 1 0x7f1000100000 4 0\n"
                           "0030 ffffffff 0 EXIT 0 0 0\n\n";

static void write_bytes(const char *path, const char *bytes, gsize n)
{
    g_autoptr(GError) error = NULL;
    g_file_set_contents(path, bytes, (gssize)n, &error);
    g_assert_no_error(error);
}

static char *read_bytes(const char *path, gsize *n)
{
    char *bytes = NULL;
    g_autoptr(GError) error = NULL;
    g_file_get_contents(path, &bytes, n, &error);
    g_assert_no_error(error);
    return bytes;
}

static void make_kernel(const char *path)
{
    g_autoptr(GString) s = g_string_new(kernel);
    for (int cta = 0; cta < 2; cta++) {
        g_string_append_printf(s, "#BEGIN_TB\n\nthread block = %d,0,0\n\n", cta);
        for (int w = 0; w < 2; w++) {
            g_string_append_printf(s, warp, w);
        }
        g_string_append(s, "#END_TB\n\n");
    }
    write_bytes(path, s->str, s->len);
}

static void make_trace(const char *path)
{
    g_autofree char *list = g_build_filename(path, "kernelslist.g", NULL);
    g_autofree char *one = g_build_filename(path, "kernel-1.traceg", NULL);
    g_assert_cmpint(g_mkdir(path, 0777), ==, 0);
    write_bytes(list, "kernel-1.traceg\n", strlen("kernel-1.traceg\n"));
    make_kernel(one);
}

static void cut(const char *path, const char *from, long bytes)
{
    gsize n;
    g_autofree char *all = read_bytes(from, &n);
    write_bytes(path, all, bytes >= 0 ? (gsize)bytes : n - (gsize)-bytes);
}

static void swap(const char *path, const char *old, const char *new)
{
    gsize n;
    g_autofree char *all = read_bytes(path, &n);
    g_autofree char *was = g_strcompress(old);
    g_autofree char *will = g_strcompress(new);
    char *at = strstr(all, was);
    g_assert_nonnull(at);
    g_autoptr(GString) s = g_string_new_len(all, at - all);
    g_string_append(s, will);
    g_string_append(s, at + strlen(was));
    write_bytes(path, s->str, s->len);
}

static void spoil(const char *path, long byte)
{
    gsize n;
    g_autofree char *all = read_bytes(path, &n);
    gsize at = byte >= 0 ? (gsize)byte : n - (gsize)-byte;
    g_assert_cmpuint(at, <, n);
    all[at] = (char)~all[at];
    write_bytes(path, all, n);
}

static char *compress_bytes(bool xz, const char *bytes, gsize n, gsize *size)
{
    gsize room = xz ? lzma_stream_buffer_bound(n) : ZSTD_compressBound(n);
    char *out = g_malloc(room);
    if (xz) {
        *size = 0;
        g_assert_cmpint(lzma_easy_buffer_encode(0, LZMA_CHECK_NONE, NULL, (const uint8_t *)bytes, n,
                                                (uint8_t *)out, size, room),
                        ==, LZMA_OK);
    } else {
        *size = ZSTD_compress(out, room, bytes, n, 1);
        g_assert_false(ZSTD_isError(*size));
    }
    return out;
}

static void compress_file(bool xz, const char *path, const char *from)
{
    gsize n, size;
    g_autofree char *all = read_bytes(from, &n);
    g_autofree char *packed = compress_bytes(xz, all, n, &size);
    write_bytes(path, packed, size);
}

/* Compressed files may be joined: each piece stands for itself, and what comes out still has no
 * line break. */
static void make_long_packed(bool xz, const char *path)
{
    gsize size;
    g_autofree char *bytes = g_malloc(PIECE);
    memset(bytes, 'a', PIECE);
    g_autofree char *packed = compress_bytes(xz, bytes, PIECE, &size);
    g_autoptr(GString) all = g_string_sized_new(size * (LONG / PIECE));
    for (uint64_t i = 0; i < LONG / PIECE; i++) {
        g_string_append_len(all, packed, (gssize)size);
    }
    write_bytes(path, all->str, all->len);
}

static void append(const char *path, const char *text)
{
    gsize n = 0;
    g_autofree char *all = g_file_test(path, G_FILE_TEST_EXISTS) ? read_bytes(path, &n) : NULL;
    g_autoptr(GString) s = g_string_new_len(all, (gssize)n);
    for (const char *p = text; *p != '\0'; p++) { /* \ooo may be 0, which g_strcompress() ends at */
        bool octal = p[0] == '\\' && g_ascii_isdigit(p[1]) && strlen(p) >= 4;
        char digits[4] = {octal ? p[1] : '0', octal ? p[2] : '0', octal ? p[3] : '0', '\0'};
        g_string_append_c(s, octal ? (char)strtol(digits, NULL, 8) : *p);
        p += octal ? 3 : 0;
    }
    write_bytes(path, s->str, s->len);
}

static void put_nul(const char *path, long byte)
{
    gsize n;
    g_autofree char *all = read_bytes(path, &n);
    g_assert_cmpint(byte, <, (long)n);
    all[byte] = '\0';
    write_bytes(path, all, n);
}

/* A gigabyte of line breaks in the middle of what compresses to some kilobytes. */
static void make_blanks(const char *path, const char *from, long at)
{
    gsize n, head, middle, tail;
    g_autofree char *all = read_bytes(from, &n);
    g_autofree char *blanks = g_strnfill(PIECE, '\n');
    g_autofree char *a = compress_bytes(false, all, (gsize)at, &head);
    g_autofree char *b = compress_bytes(false, blanks, PIECE, &middle);
    g_autofree char *c = compress_bytes(false, all + at, n - (gsize)at, &tail);
    g_autoptr(GString) s = g_string_new_len(a, (gssize)head);
    for (int i = 0; i < 16; i++) {
        g_string_append_len(s, b, (gssize)middle);
    }
    g_string_append_len(s, c, (gssize)tail);
    write_bytes(path, s->str, s->len);
}

/* Nothing of it is on the disk. */
static void make_long(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    g_assert_cmpint(fd, >=, 0);
    g_assert_cmpint(ftruncate(fd, (off_t)LONG), ==, 0);
    close(fd);
}

static void write_lines(const char *path, GString *text)
{
    write_bytes(path, text->str, text->len);
    g_string_free(text, true);
}

static const char machine[] = "machine m {\n    domain core = 1GHz; phases { main : core; }\n    ";

/* Composites of two of the one before, around nothing: as many elements as 2 has powers. */
static void make_doubling(const char *path, int levels)
{
    GString *s = g_string_new("composite c0 { }\n");
    for (int i = 1; i < levels; i++) {
        g_string_append_printf(s, "composite c%d { x[2] : c%d; }\n", i, i - 1);
    }
    g_string_append_printf(s, "%sx : c%d;\n}\n", machine, levels - 1);
    write_lines(path, s);
}

/* Each file includes the next one twice. */
static void make_includes(int levels)
{
    for (int i = 0; i <= levels; i++) {
        g_autofree char *path = g_strdup_printf("c%d.conf", i);
        GString *s = g_string_new(NULL);
        if (i < levels) {
            g_string_append_printf(s, "include \"c%d.conf\"\ninclude \"c%d.conf\"\n", i + 1, i + 1);
        } else {
            g_string_append(s, "sm.schedulers = 4\n");
        }
        write_lines(path, s);
    }
}

/* A kind of text that is cheap to write and dear to follow. */
static void make_trap(const char *path, const char *kind, int n)
{
    GString *s = g_string_new(NULL);
    if (strcmp(kind, "bodies") == 0) { /* each value has the names of all bodies around it */
        g_string_append(s, machine);
        for (int i = 0; i < 63; i++) {
            g_string_append(s, "a.b.c.d.e.f.g.h {\n");
        }
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "x%d=1;\n", i);
        }
        for (int i = 0; i < 64; i++) {
            g_string_append(s, "}\n");
        }
    } else if (strcmp(kind, "extends") == 0) { /* everybody inherits everything */
        g_string_append(s, "composite base {\n");
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "    x%d : counter;\n", i);
        }
        g_string_append(s, "}\n");
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "composite c%d extends base { }\n", i);
        }
        g_string_append_printf(s, "%s}\n", machine);
    } else if (strcmp(kind, "line") == 0) {
        for (int i = 0; i < n; i++) {
            g_string_append_c(s, 'a');
        }
    } else if (strcmp(kind, "remove") == 0) {
        g_string_append(s, machine);
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "x%d : counter { limit = 5; }\n", i);
        }
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "remove x%d;\n", i);
        }
        g_string_append(s, "}\n");
    } else if (strcmp(kind, "ports") == 0) { /* every level has each end twice */
        g_string_append(s, "composite c0 { x : source; port p = x.out; }\n");
        for (int i = 1; i < n; i++) {
            g_string_append_printf(s, "composite c%d { x : c%d; port p = x.p, x.p; }\n", i, i - 1);
        }
        g_string_append_printf(s, "%sx : c%d;\n}\n", machine, n - 1);
    } else if (strcmp(kind, "ends") == 0) { /* as many readers as writers, each before each */
        g_string_append_printf(s, "%sq : fifo;\n", machine);
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "s%d : source; k%d : sink; s%d.out -> q -> k%d.in;\n", i, i,
                                   i, i);
        }
        g_string_append(s, "}\n");
    } else if (strcmp(kind, "loop") == 0) {
        g_string_append(s, machine);
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "d%d : delay;\n", i);
        }
        for (int i = 0; i < n; i++) {
            g_string_append_printf(s, "d%d.out -> d%d.in;\n", i, (i + 1) % n);
        }
        g_string_append(s, "}\n");
    } else if (strcmp(kind, "parameters") ==
               0) { /* each needs the one before, deep in an expression */
        g_string_append(s, machine);
        for (int i = n - 1; i >= 0; i--) { /* the last one first: nothing is known of the others */
            GString *e = g_string_new("1");
            if (i > 0) {
                g_string_printf(e, "p%d", i - 1);
            }
            for (int k = 0; k < 60; k++) {
                g_string_prepend_c(e, '(');
                for (int m = 0; m < 60; m++) {
                    g_string_append(e, "+0");
                }
                g_string_append_c(e, ')');
            }
            g_string_append_printf(s, "param p%d : uint = %s;\n", i, e->str);
            g_string_free(e, true);
        }
        g_string_append_printf(s, "x[p%d] : counter;\n}\n", n - 1);
    } else {
        g_error("no trap '%s'", kind);
    }
    write_lines(path, s);
}

void make(const char *what)
{
    g_autoptr(GError) error = NULL;
    g_auto(GStrv) w = NULL;
    int n;
    g_shell_parse_argv(what, &n, &w, &error);
    g_assert_no_error(error);
    if (strcmp(w[0], "kernel") == 0 && n == 2) {
        make_kernel(w[1]);
    } else if (strcmp(w[0], "trace") == 0 && n == 2) {
        make_trace(w[1]);
    } else if (strcmp(w[0], "folder") == 0 && n == 2) {
        g_assert_cmpint(g_mkdir(w[1], 0777), ==, 0);
    } else if (strcmp(w[0], "cut") == 0 && n == 4) {
        cut(w[1], w[2], strtol(w[3], NULL, 10));
    } else if (strcmp(w[0], "swap") == 0 && n == 4) {
        swap(w[1], w[2], w[3]);
    } else if (strcmp(w[0], "spoil") == 0 && n == 3) {
        spoil(w[1], strtol(w[2], NULL, 10));
    } else if (strcmp(w[0], "put") == 0 && n == 4) {
        gsize size;
        g_autofree char *all = read_bytes(w[1], &size);
        all[strtol(w[2], NULL, 10)] = (char)strtol(w[3], NULL, 10);
        write_bytes(w[1], all, size);
    } else if (strcmp(w[0], "xz") == 0 && n == 3) {
        compress_file(true, w[1], w[2]);
    } else if (strcmp(w[0], "zst") == 0 && n == 3) {
        compress_file(false, w[1], w[2]);
    } else if (strcmp(w[0], "long-xz") == 0 && n == 2) {
        make_long_packed(true, w[1]);
    } else if (strcmp(w[0], "long-zst") == 0 && n == 2) {
        make_long_packed(false, w[1]);
    } else if (strcmp(w[0], "append") == 0 && n == 3) {
        append(w[1], w[2]);
    } else if (strcmp(w[0], "nul") == 0 && n == 3) {
        put_nul(w[1], strtol(w[2], NULL, 10));
    } else if (strcmp(w[0], "blanks") == 0 && n == 4) {
        make_blanks(w[1], w[2], strtol(w[3], NULL, 10));
    } else if (strcmp(w[0], "pack") == 0 && n == 3) {
        g_assert_true(ww_trace_pack(w[2], w[1], 1, NULL, NULL));
    } else if (strcmp(w[0], "fifo") == 0 && n == 2) {
        g_assert_cmpint(mkfifo(w[1], 0666), ==, 0);
    } else if (strcmp(w[0], "link") == 0 && n == 3) {
        g_assert_cmpint(symlink(w[2], w[1]), ==, 0);
    } else if (strcmp(w[0], "long") == 0 && n == 2) {
        make_long(w[1]);
    } else if (strcmp(w[0], "doubling") == 0 && n == 3) {
        make_doubling(w[1], (int)strtol(w[2], NULL, 10));
    } else if (strcmp(w[0], "includes") == 0 && n == 2) {
        make_includes((int)strtol(w[1], NULL, 10));
    } else if (strcmp(w[0], "trap") == 0 && n == 4) {
        make_trap(w[1], w[2], (int)strtol(w[3], NULL, 10));
    } else {
        g_error("cannot make '%s'", what);
    }
}
