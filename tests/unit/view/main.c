/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of runs: each format of small logs, byte by byte, and logs that are none. */
#include "tests.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The log goes through a file, as a user's does. */
char *view_draw(const WwViewSpec *spec, const char *log, size_t *size, char ***notes,
                GError **error)
{
    WwViewSpec s = *spec;
    char *text = NULL;
    g_autofree char *path = NULL;
    int fd = g_file_open_tmp("view-XXXXXX", &path, NULL);
    g_assert_cmpint(fd, >=, 0);
    close(fd);
    g_assert_true(g_file_set_contents(path, log, -1, NULL));
    s.out = open_memstream(&text, size);
    s.name = "log";
    WwView *view = ww_view_new(&s);
    bool good = ww_view_log(view, path, error) && ww_view_end(view, error);
    if (notes != NULL) {
        *notes = ww_view_notes(view);
    }
    ww_view_free(view);
    fclose(s.out);
    remove(path);
    if (!good) {
        g_clear_pointer(&text, free);
    }
    return text;
}

char *view_text(WwViewFormat format, const char *log)
{
    GError *error = NULL;
    size_t size;
    char *text = view_draw(&(WwViewSpec){.format = format}, log, &size, NULL, &error);
    g_assert_no_error(error);
    return text;
}

static void test_names(void)
{
    g_assert_cmpint(ww_view_format_of("a.kanata"), ==, WW_VIEW_KONATA);
    g_assert_cmpint(ww_view_format_of("x/a.perfetto-trace"), ==, WW_VIEW_PERFETTO);
    g_assert_cmpint(ww_view_format_of("a.pftrace"), ==, WW_VIEW_PERFETTO);
    g_assert_cmpint(ww_view_format_of("a.vcd"), ==, WW_VIEW_VCD);
    g_assert_cmpint(ww_view_format_of("a.vcd.gz"), ==, -1);
    g_assert_cmpint(ww_view_format_of("vcd"), ==, -1);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/view/names", test_names);
    test_konata();
    test_perfetto();
    test_vcd();
    test_refused();
    return g_test_run();
}
