/* SPDX-License-Identifier: Apache-2.0 */
/* Logs as files: what is written comes back, plain and compressed, in one go and in pieces; what is no log is one clear error. */
#include <events/log.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>
#include <warpwright/output.h>
#include <zstd.h>

typedef struct Folder {
    char *path, *plain, *zst;
} Folder;

static void folder_begin(Folder *f, gconstpointer data)
{
    f->path = g_dir_make_tmp("log-XXXXXX", NULL);
    f->plain = g_build_filename(f->path, "log", NULL);
    f->zst = g_build_filename(f->path, "log.zst", NULL);
}

static void folder_end(Folder *f, gconstpointer data)
{
    GDir *d = g_dir_open(f->path, 0, NULL);
    for (const char *name; (name = g_dir_read_name(d)) != NULL;) {
        g_autofree char *path = g_build_filename(f->path, name, NULL);
        g_unlink(path);
    }
    g_dir_close(d);
    g_assert_cmpint(g_rmdir(f->path), ==, 0);
    g_free(f->path);
    g_free(f->plain);
    g_free(f->zst);
}

static void write_lines(WwLogFile *l, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        fprintf(ww_log_stream(l),
                "%" G_GUINT64_FORMAT "\tissue\tgpu.sm[%" G_GUINT64_FORMAT
                "]\t%d\tMOV uid=%" G_GUINT64_FORMAT " pc=%" G_GINT64_MODIFIER "x\n",
                i / 7, i % 80, i % 3 == 0 ? -1 : (int)(i % 64), i, 16 * i);
    }
}

static void expect_lines(const char *path, uint64_t n)
{
    g_autoptr(GError) error = NULL;
    WwLogReader *r = ww_log_open(path, &error);
    g_assert_no_error(error);
    WwLogLine line;
    uint64_t i = 0, v;
    for (; ww_log_next(r, &line, &error); i++) {
        g_assert_cmpuint(line.number, ==, i + 1);
        g_assert_cmpuint(line.cycle, ==, i / 7);
        g_assert_cmpstr(line.kind, ==, "issue");
        g_assert_cmpint(line.unit, ==, i % 3 == 0 ? -1 : (int64_t)(i % 64));
        g_assert_true(ww_log_number(line.text, "uid", 10, &v) && v == i);
        g_assert_true(ww_log_number(line.text, "pc", 16, &v) && v == 16 * i);
        g_assert_false(ww_log_number(line.text, "c", 16, &v));
        g_assert_true(g_str_has_prefix(line.path, "gpu.sm["));
    }
    g_assert_no_error(error);
    g_assert_cmpuint(i, ==, n);
    ww_log_close(r);
}

static void write_log(const char *path, uint64_t n)
{
    g_autoptr(GError) error = NULL;
    WwLogFile *l = ww_log_new(path, false, &error);
    g_assert_no_error(error);
    write_lines(l, 0, n);
    g_assert_true(ww_log_keep(l, "cannot write ", &error));
}

static char *contents(const char *path, gsize *n)
{
    char *text;
    g_assert_true(g_file_get_contents(path, &text, n, NULL));
    return text;
}

static void test_both(Folder *f, gconstpointer data)
{
    const uint64_t sizes[] = {0, 1, 7, 40000,
                              500000}; /* the last: more frames than are in use at once */
    for (size_t i = 0; i < G_N_ELEMENTS(sizes); i++) {
        gsize plain, zst, again;
        write_log(f->plain, sizes[i]);
        expect_lines(f->plain, sizes[i]);
        write_log(f->zst, sizes[i]);
        expect_lines(f->zst, sizes[i]);
        g_autofree char *b = contents(f->zst, &zst);
        g_free(contents(f->plain, &plain));
        write_log(f->zst, sizes[i]);
        g_autofree char *same = contents(f->zst, &again);
        g_assert_cmpmem(b, zst, same, again);
        g_assert_cmpuint(zst, >, 4);
        g_assert_cmphex(*(uint32_t *)(void *)b, ==, 0xFD2FB528u);
        g_assert_true(sizes[i] < 1000 || zst < plain / 4);
        g_assert_cmpint(g_rename(f->zst, f->plain), ==, 0); /* not by its name */
        expect_lines(f->plain, sizes[i]);
    }
}

/* What another process goes on with, after more was written that does not count. */
static void test_resumed(Folder *f, gconstpointer data)
{
    const char *const paths[] = {f->plain, f->zst};
    for (size_t k = 0; k < 2; k++) {
        g_autoptr(GError) error = NULL;
        uint64_t bytes = 0, sum = 0;
        for (uint64_t part = 0; part < 4; part++) {
            WwLogFile *l = ww_log_new(paths[k], true, &error);
            g_assert_true(l != NULL && ww_log_from(l, bytes, sum, &error));
            write_lines(l, 5000 * part, 5000 * (part + 1));
            g_assert_true(ww_log_sum(l, &bytes, &sum, &error));
            if (part == 3) {
                g_assert_true(ww_log_keep(l, "cannot write ", &error));
                break;
            }
            write_lines(l, 0, 20000);
            ww_log_drop(l);
        }
        g_assert_no_error(error);
        expect_lines(paths[k], 20000);
    }
}

static void expect_text(const char *path, const char *text)
{
    gsize n;
    g_autofree char *is = contents(path, &n);
    g_assert_cmpmem(is, n, text, strlen(text));
}

/* It cannot be gone on with: for @p why. */
static void go_on(const char *path, uint64_t bytes, uint64_t sum, const char *why)
{
    g_autoptr(GError) error = NULL;
    WwLogFile *l = ww_log_new(path, true, &error);
    g_assert_false(ww_log_from(l, bytes, sum, &error));
    if (strstr(error->message, why) == NULL) {
        g_error("'%s' does not say '%s'", error->message, why);
    }
    ww_log_drop(l);
}

/* What cannot be gone on with stays as it is, and nothing is left beside it that was not there. */
static void test_refused(Folder *f, gconstpointer data)
{
    const char *const paths[] = {f->plain, f->zst};
    for (size_t k = 0; k < 2; k++) {
        g_autofree char *partial = g_strconcat(paths[k], ".partial", NULL);
        g_autoptr(GError) error = NULL;
        ww_log_drop(ww_log_new(paths[k], true, &error)); /* before it is known */
        g_assert_no_error(error);
        g_assert_false(g_file_test(partial, G_FILE_TEST_EXISTS));
        go_on(paths[k], 10, 1, ".partial' has the 10 bytes that the run had written");
        g_assert_false(g_file_test(partial, G_FILE_TEST_EXISTS));
        g_assert_false(g_file_test(paths[k], G_FILE_TEST_EXISTS));
        g_assert_true(g_file_set_contents(paths[k], "quite another text", -1, NULL));
        g_autofree char *others =
            g_strdup_printf("%s': its first 10 bytes are not those that the run had written, nor "
                            "are they in '%s'; expected that output",
                            paths[k], partial);
        go_on(paths[k], 10, 1, others);
        g_assert_false(g_file_test(partial, G_FILE_TEST_EXISTS));
        g_assert_true(g_file_set_contents(partial, "somebody's", -1, NULL));
        go_on(paths[k], 10, 1, others);
        ww_log_drop(ww_log_new(paths[k], true, &error));
        expect_text(partial, "somebody's");
        expect_text(paths[k], "quite another text");
        g_unlink(paths[k]);
        go_on(paths[k], 10, 1, ".partial': its first 10 bytes are not those");
        expect_text(partial, "somebody's");
        g_unlink(partial);
        WwLogFile *l = ww_log_new(paths[k], true, &error); /* begun, but no checkpoint needs it */
        g_assert_true(ww_log_from(l, 0, 0, &error));
        write_lines(l, 0, 100);
        ww_log_drop(l);
        g_assert_false(g_file_test(partial, G_FILE_TEST_EXISTS));
    }
}

/* Two runs with one name: the first has the file until it has its name, and nothing of it is touched. */
static void test_claimed(Folder *f, gconstpointer data)
{
    const char *const paths[] = {f->plain, f->zst};
    for (size_t k = 0; k < 2; k++) {
        for (int whole = 0; whole < 2; whole++) {
            g_autoptr(GError) error = NULL;
            uint64_t bytes, sum;
            WwLogFile *l = ww_log_new(paths[k], true, &error);
            g_assert_true(ww_log_from(l, 0, 0, &error));
            write_lines(l, 0, 100);
            g_assert_true(whole == 0 || ww_log_sum(l, &bytes, &sum, &error));
            g_assert_no_error(error);
            g_assert_null(ww_log_new(paths[k], true, &error));
            g_assert_nonnull(strstr(
                error->message, ".partial': another process writes it; expected it to end first"));
            g_clear_error(&error);
            ww_outputs_hold(); /* complete, and without its name for a while */
            g_assert_true(ww_log_keep(l, "cannot write ", &error));
            g_assert_null(ww_log_new(paths[k], true, NULL));
            g_assert_true(ww_outputs_release(&error));
            expect_lines(paths[k], 100);
            ww_log_drop(ww_log_new(paths[k], true, &error)); /* free again */
            g_assert_no_error(error);
        }
    }
}

static void refuse(Folder *f, const char *text, gssize n, const char *why)
{
    g_autoptr(GError) error = NULL;
    WwLogLine line;
    g_assert_true(g_file_set_contents(f->plain, text, n, NULL));
    WwLogReader *r = ww_log_open(f->plain, &error);
    while (error == NULL && ww_log_next(r, &line, &error)) {
    }
    g_assert_error(error, WW_ERROR, WW_ERROR_INPUT);
    g_assert_true(g_str_has_prefix(error->message, f->plain));
    if (strstr(error->message, why) == NULL) {
        g_error("'%s' does not say '%s'", error->message, why);
    }
    ww_log_close(r);
}

static void test_hostile(Folder *f, gconstpointer data)
{
    refuse(f, "5\tissue\tgpu\t-1\tx\n\n", -1, ":2: the first field is no cycle");
    refuse(f, "5\tissue\tgpu\t-1\tx\n5\tissue\tgpu\t-1\tx", -1, ":2: the last line has no end");
    refuse(f, "-5\tissue\tgpu\t-1\tx\n", -1, ":1: the first field is no cycle");
    refuse(f, " 5\tissue\tgpu\t-1\tx\n", -1, "no cycle");
    refuse(f, "18446744073709551616\tissue\tgpu\t-1\tx\n", -1, "no cycle");
    refuse(f, "5\tissue\tgpu\n", -1, "no kind or no path");
    refuse(f, "5\t\tgpu\t1\tx\n", -1, "no kind or no path");
    refuse(f, "5\tissue\tgpu\tone\tx\n", -1, "no unit");
    refuse(f, "5\tissue\tgpu\t9223372036854775808\tx\n", -1, "no unit");
    refuse(f, "5\tissue\tgpu\t1\tx\ty\n", -1, "more than five");
    refuse(f, "5\tissue\tgpu\t1\tx\0y\n", 19, "a byte 0");
    g_autofree char *longest = g_strnfill(WW_LOG_LINE + 2, 'x');
    refuse(f, longest, -1, "more than 65,536 bytes");
    g_autofree char *huge = g_strnfill(3 << 20, '5');
    refuse(f, huge, -1, "more than 65,536 bytes");
    gsize n;
    write_log(f->zst, 3000);
    g_autofree char *zst = contents(f->zst, &n);
    refuse(f, zst, (gssize)n - 1, "ends in the middle");
    refuse(f, zst, 5, "ends in the middle");
    zst[n / 2] ^= 0x55;
    refuse(f, zst, (gssize)n, "");
    refuse(f, "\x28\xB5\x2F\xFD\x04\xF8", 6, ""); /* asks for a window of 2^41 */
}

static void test_places(Folder *f, gconstpointer data)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ww_log_open(f->plain, &error));
    g_assert_nonnull(strstr(error->message, "cannot open"));
    g_clear_error(&error);
    g_assert_null(ww_log_open(f->path, &error)); /* a folder */
    g_assert_nonnull(strstr(error->message, "cannot read"));
    g_clear_error(&error);
    g_assert_null(ww_log_new("/nowhere/at/all.zst", false, &error));
    g_clear_error(&error);
    WwLogFile *l = ww_log_new("/dev/full", false, &error);
    write_lines(l, 0, 100);
    g_assert_false(ww_log_keep(l, "cannot write ", &error));
    g_assert_cmpstr(error->message, ==,
                    "cannot write '/dev/full': No space left on device; expected room for it");
    g_clear_error(&error);
    g_assert_cmpint(symlink("/dev/full", f->zst), ==, 0);
    l = ww_log_new(f->zst, false, &error);
    write_lines(l, 0, 100);
    g_assert_false(ww_log_keep(l, "cannot write ", &error));
    g_assert_nonnull(strstr(error->message, "log.zst': No space left on device; expected room"));
    g_clear_error(&error);
    g_unlink(f->zst);
    l = ww_log_new(f->zst, false, &error);
    write_lines(l, 0, 100);
    ww_log_drop(l);
    g_assert_false(g_file_test(f->zst, G_FILE_TEST_EXISTS));
}

static void test_fields(void)
{
    size_t n;
    uint64_t v;
    const char *text = "LDG.E uid=12 pc=1f to=INT suid=3 empty= last=x";
    g_assert_true(ww_log_number(text, "uid", 10, &v) && v == 12);
    g_assert_true(ww_log_number(text, "pc", 16, &v) && v == 0x1f);
    g_assert_false(ww_log_number(text, "pc", 10, &v));
    g_assert_false(ww_log_number(text, "to", 10, &v));
    g_assert_false(ww_log_number(text, "empty", 10, &v));
    g_assert_null(ww_log_field(text, "id", &n));
    g_assert_null(ww_log_field(text, "LDG.E", &n));
    g_assert_cmpstr(ww_log_field(text, "last", &n), ==, "x");
    g_assert_true(ww_log_field(text, "to", &n) != NULL && n == 3);
    g_assert_true(ww_log_number("a=18446744073709551615", "a", 10, &v) && v == UINT64_MAX);
    g_assert_false(ww_log_number("a=18446744073709551616", "a", 10, &v));
    g_assert_false(ww_log_number("a=0x10", "a", 16, &v));
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
#define TEST(name) g_test_add("/events/" #name, Folder, NULL, folder_begin, test_##name, folder_end)
    TEST(both);
    TEST(resumed);
    TEST(refused);
    TEST(claimed);
    TEST(hostile);
    TEST(places);
    g_test_add_func("/events/fields", test_fields);
    return g_test_run();
}
