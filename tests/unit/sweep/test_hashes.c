/* SPDX-License-Identifier: Apache-2.0 */
/* What files hold, remembered. */
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sweep/hashes.h>
#include <sys/resource.h>
#include <utime.h>

#define ABC "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" /* of "abc" */

static char *hash_of(const char *place, const char *file, GError **error)
{
    g_autoptr(WwHashes) h = ww_hashes_new(place);
    uint64_t bytes;
    if (!ww_hashes_add(h, file, error) || !ww_hashes_read(h, 2, NULL, NULL, error)) {
        return NULL;
    }
    return g_strdup(ww_hashes_of(h, file, &bytes));
}

static void set(const char *file, const char *text, int seconds_ago)
{
    g_assert_true(g_file_set_contents(file, text, -1, NULL));
    struct utimbuf times = {g_get_real_time() / G_USEC_PER_SEC - seconds_ago,
                            g_get_real_time() / G_USEC_PER_SEC - seconds_ago};
    g_assert_cmpint(utime(file, &times), ==, 0);
}

static guint lines_of(const char *place)
{
    g_autofree char *text = NULL;
    if (!g_file_get_contents(place, &text, NULL, NULL)) {
        return 0;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    return g_strv_length(lines) - 1;
}

/* Contents count, not names; what changes is read again. */
static void test_contents(void)
{
    char *folder = make_folder();
    g_autofree char *place = g_build_filename(folder, "cache", "hashes", NULL);
    g_autofree char *x = g_build_filename(folder, "x", NULL),
                    *y = g_build_filename(folder, "y", NULL);
    set(x, "abc", 100);
    set(y, "abc", 100);
    g_autofree char *one = hash_of(place, x, NULL), *two = hash_of(place, y, NULL);
    g_assert_cmpstr(one, ==, ABC);
    g_assert_cmpstr(one, ==, two);
    set(x, "abd", 100);
    g_autofree char *other = hash_of(place, x, NULL);
    g_assert_cmpstr(one, !=, other);
    drop_folder(folder);
}

/* What changed just now is not remembered: it may change again within its time's grain. */
static void test_remembered(void)
{
    char *folder = make_folder();
    g_autofree char *place = g_build_filename(folder, "cache", "hashes", NULL);
    g_autofree char *x = g_build_filename(folder, "x", NULL);
    static const char old[] = "/bin/sh"; /* it has not changed just now */
    gint64 before = g_get_real_time();
    set(x, "abc", 100); /* but its inode changed now */
    g_free(hash_of(place, x, NULL));
    if (g_get_real_time() - before < G_USEC_PER_SEC) { /* else that was long ago, on this host */
        g_assert_cmpuint(lines_of(place), ==, 0);
    }
    g_autofree char *first = hash_of(place, old, NULL);
    guint after = lines_of(place);
    g_autofree char *again = hash_of(place, old, NULL);
    g_assert_cmpstr(first, ==, again);
    g_assert_cmpuint(lines_of(place), ==, after); /* was known */
    drop_folder(folder);
}

/* A memory that says something else is believed only where it is whole. */
static void test_faulty(void)
{
    char *folder = make_folder();
    g_autofree char *place = g_build_filename(folder, "hashes", NULL);
    g_autofree char *x = g_build_filename(folder, "x", NULL);
    set(x, "abc", 100);
    static const char *const texts[] = {
        "",
        "nonsense",
        "warpwright-hashes-1\n1 2 3 4 5 6\n",
        "warpwright-hashes-1\n3 0 0 0 0 ba78",
        ("warpwright-hashes-1\n3 0 0 0 0 " ABC " relative\n"),
    };
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_assert_true(g_file_set_contents(place, texts[i], -1, NULL));
        g_autofree char *one = hash_of(place, x, NULL);
        g_assert_true(g_str_has_prefix(one, "ba7816bf"));
    }
    drop_folder(folder);
}

#define MANY 40

/* More files than threads, on this thread and on others: the same hashes, each in its place. */
static void test_many(void)
{
    char *folder = make_folder();
    g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
    for (int i = 0; i < MANY; i++) {
        char name[12];
        g_snprintf(name, sizeof name, "%d", i);
        g_ptr_array_add(files, g_build_filename(folder, name, NULL));
        set(files->pdata[i], name, 100);
    }
    for (uint32_t threads = 0; threads <= 3; threads++) {
        g_autoptr(WwHashes) h = ww_hashes_new(NULL);
        for (int i = 0; i < MANY; i++) {
            g_assert_true(ww_hashes_add(h, files->pdata[i], NULL));
        }
        g_assert_true(ww_hashes_read(h, threads, NULL, NULL, NULL));
        for (int i = 0; i < MANY; i++) {
            uint64_t bytes;
            char name[12];
            int length = g_snprintf(name, sizeof name, "%d", i);
            g_autofree char *plain = g_compute_checksum_for_string(G_CHECKSUM_SHA256, name, -1);
            g_assert_cmpstr(ww_hashes_of(h, files->pdata[i], &bytes), ==, plain);
            g_assert_cmpuint(bytes, ==, (uint64_t)length);
        }
    }
    drop_folder(folder);
}

static void count(void *user, uint64_t bytes, uint64_t all)
{
    uint64_t *most = user;
    g_assert_cmpuint(bytes, >=, *most);
    g_assert_cmpuint(bytes, <=, all);
    *most = bytes;
}

/* Also of one file: what is read is told of. */
static void test_progress(void)
{
    char *folder = make_folder();
    g_autofree char *x = g_build_filename(folder, "x", NULL);
    uint64_t most = 0, size = 3u << 20;
    set(x, "", 100);
    g_assert_cmpint(truncate(x, (off_t)size), ==, 0);
    g_autoptr(WwHashes) h = ww_hashes_new(NULL);
    g_assert_true(ww_hashes_add(h, x, NULL));
    g_assert_true(ww_hashes_read(h, 2, count, &most, NULL));
    g_assert_cmpuint(most, ==, size);
    drop_folder(folder);
}

/* What is mostly of files that have changed is written anew: the last line of each file, and what was read now. */
static void test_written_anew(void)
{
    static const char old[] = "/bin/sh"; /* it has not changed just now */
    static const char other[] = "/nowhere/other";
    char *folder = make_folder();
    g_autofree char *place = g_build_filename(folder, "hashes", NULL);
    g_autoptr(GString) text = g_string_new("warpwright-hashes-1\n");
    for (int i = 0; i < 2003; i++) {
        g_string_append_printf(text, "%d 0 0 0 0 %s %s\n", i, ABC, other);
    }
    g_assert_true(g_file_set_contents(place, text->str, -1, NULL));
    g_autofree char *plain = hash_of(NULL, old, NULL);
    g_autofree char *first = hash_of(place, old, NULL);
    g_assert_cmpstr(first, ==, plain);
    g_assert_cmpuint(lines_of(place), ==, 3);
    g_autofree char *now = NULL;
    g_assert_true(g_file_get_contents(place, &now, NULL, NULL));
    g_assert_true(
        g_str_has_prefix(now, "warpwright-hashes-1\n2002 0 0 0 0 " ABC " /nowhere/other\n"));
    g_assert_nonnull(strstr(now, plain));
    g_autofree char *again = hash_of(place, old, NULL);
    g_assert_cmpstr(again, ==, plain);
    g_assert_cmpuint(lines_of(place), ==, 3);
    drop_folder(folder);
}

static void test_missing(void)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *none = hash_of(NULL, "/nowhere/x", &error);
    g_assert_null(none);
    g_assert_cmpstr(error->message, ==,
                    "cannot read '/nowhere/x': No such file or directory; expected a file");
}

/* What could not be read, for a reason that may be over the next time, is read again: nothing of it is remembered. */
static void test_unread(void)
{
    static const char old[] = "/bin/sh"; /* it has not changed just now */
    char *folder = make_folder();
    g_autofree char *place = g_build_filename(folder, "hashes", NULL);
    g_autoptr(GError) error = NULL;
    struct rlimit before;
    WwHashes *h = ww_hashes_new(place);
    g_assert_true(ww_hashes_add(h, old, NULL));
    g_assert_cmpint(getrlimit(RLIMIT_NOFILE, &before), ==, 0);
    const struct rlimit none = {0, before.rlim_max};
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &none), ==, 0);
    bool good = ww_hashes_read(h, 1, NULL, NULL, &error);
    g_assert_cmpint(setrlimit(RLIMIT_NOFILE, &before), ==, 0);
    g_assert_false(good);
    g_assert_cmpstr(error->message, ==,
                    "cannot read '/bin/sh': Too many open files; expected a file");
    ww_hashes_free(h);
    g_assert_cmpuint(lines_of(place), ==, 0);
    g_autofree char *now = hash_of(place, old, NULL), *plain = hash_of(NULL, old, NULL);
    g_assert_cmpstr(now, ==, plain);
    g_assert_cmpuint(lines_of(place), ==, 2); /* else this test says nothing */
    drop_folder(folder);
}

void add_hash_tests(void)
{
    g_test_add_func("/sweep/hashes/contents", test_contents);
    g_test_add_func("/sweep/hashes/remembered", test_remembered);
    g_test_add_func("/sweep/hashes/faulty", test_faulty);
    g_test_add_func("/sweep/hashes/many", test_many);
    g_test_add_func("/sweep/hashes/progress", test_progress);
    g_test_add_func("/sweep/hashes/written-anew", test_written_anew);
    g_test_add_func("/sweep/hashes/missing", test_missing);
    g_test_add_func("/sweep/hashes/unread", test_unread);
}
