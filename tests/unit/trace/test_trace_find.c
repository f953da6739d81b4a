/* SPDX-License-Identifier: Apache-2.0 */
/* Traces below a folder: which, and what they are called. */
#include "util.h"

#include <string.h>
#include <unistd.h>

static void plant(const char *root, const char *folder)
{
    g_autofree char *path = g_build_filename(root, folder, NULL);
    g_autofree char *list = g_build_filename(path, "kernelslist.g", NULL);
    g_assert_cmpint(g_mkdir_with_parents(path, 0777), ==, 0);
    g_assert_true(g_file_set_contents(list, "kernel-1.traceg\n", -1, NULL));
}

static void expect(const char *path, const char *names)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(GPtrArray) found = ww_trace_find(path, &error);
    g_autoptr(GString) all = g_string_new(NULL);
    g_assert_no_error(error);
    for (guint i = 0; i < found->len; i++) {
        const WwTraceFound *f = found->pdata[i];
        g_autofree char *list = g_build_filename(f->path, "kernelslist.g", NULL);
        g_assert_true(g_file_test(list, G_FILE_TEST_EXISTS));
        g_string_append_printf(all, "%s%s", i != 0 ? " " : "", f->name);
    }
    g_assert_cmpstr(all->str, ==, names);
}

static void test_names(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *root = s->dir;
    g_autofree char *app = g_build_filename(root, "app", NULL);
    g_autofree char *traces = g_build_filename(root, "app", "_n_4", "traces", NULL);
    g_autofree char *ends = g_strconcat(root, "///", NULL);
    plant(root, "app/_n_4/traces");
    expect(app, "_n_4");
    expect(traces, "_n_4"); /* itself */
    plant(root, "app/_n_16");
    plant(root, "other/traces/x");
    plant(root, "mytraces");
    expect(root, "app/_n_16 app/_n_4 mytraces other/traces/x");
    expect(ends, "app/_n_16 app/_n_4 mytraces other/traces/x");
    plant(root, "app/_n_4"); /* below it is not looked into */
    plant(root, ".hidden");
    expect(app, "_n_16 _n_4");
}

static void test_round(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *root = s->dir;
    g_autofree char *link = g_build_filename(root, "a", "back", NULL);
    g_autofree char *again = g_build_filename(root, "b", NULL);
    plant(root, "a/x/traces");
    g_assert_cmpint(symlink("..", link), ==, 0); /* leads round */
    g_assert_cmpint(symlink("nowhere", again), ==, 0);
    expect(root, "a/x");
}

static void test_deep(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *root = s->dir;
    g_autoptr(GError) error = NULL;
    plant(root, "hw_run/traces/device-0/12.1/suite/app/args/traces");
    expect(root, "hw_run/traces/device-0/12.1/suite/app/args");
    plant(root, "1/2/3/4/5/6/7/8/9/10/11/12/13");
    expect(root, "hw_run/traces/device-0/12.1/suite/app/args");
    g_autofree char *nowhere = g_build_filename(root, "nowhere", NULL);
    g_autoptr(GPtrArray) none = ww_trace_find(nowhere, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(none->len, ==, 0);
}

/* One folder that cannot be looked at is told, beside others that can. */
static void test_closed(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const char *root = s->dir;
    g_autoptr(GError) error = NULL;
    plant(root, "a");
    plant(root, "b");
    g_autofree char *list = g_build_filename(root, "b", "kernelslist.g", NULL);
    g_assert_cmpint(unlink(list), ==, 0);
    g_assert_cmpint(symlink("kernelslist.g", list), ==, 0); /* to itself */
    g_assert_null(ww_trace_find(root, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_INPUT);
    g_assert_true(g_str_has_prefix(error->message, list));
    g_assert_nonnull(strstr(error->message, "expected folders of traces that can be read"));
}

void add_find_tests(void)
{
    g_test_add_func("/trace/find/names", test_names);
    g_test_add_func("/trace/find/round", test_round);
    g_test_add_func("/trace/find/deep", test_deep);
    g_test_add_func("/trace/find/closed", test_closed);
}
