/* SPDX-License-Identifier: Apache-2.0 */
/* Sweeps without the command: the language, plans, remembered hashes, the pool of processes. */
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>

void put(const char *folder, const char *path, const char *text)
{
    g_autofree char *file = g_build_filename(folder, path, NULL);
    g_autofree char *above = g_path_get_dirname(file);
    g_assert_cmpint(g_mkdir_with_parents(above, 0700), ==, 0);
    g_assert_true(g_file_set_contents(file, text, -1, NULL));
}

char *make_folder(void)
{
    char *folder = g_dir_make_tmp("sweep-XXXXXX", NULL);
    g_assert_nonnull(folder);
    put(folder, "t/a/kernelslist.g", "kernel-1.traceg\n");
    put(folder, "t/b/kernelslist.g", "kernel-1.traceg\n");
    put(folder, "t/README", "no trace\n");
    put(folder, "sub/one/x/traces/kernelslist.g", "\n");
    put(folder, "sub/two/x/traces/kernelslist.g", "\n");
    put(folder, "k.traceg.xz", "");
    put(folder, "wide.conf", "");
    put(folder, "none/empty", "");
    return folder;
}

static void remove_all(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *below = g_build_filename(path, name, NULL);
        remove_all(below);
    }
    g_remove(path);
}

void drop_folder(char *folder)
{
    remove_all(folder);
    g_free(folder);
}

static void replace(GString *text, const char *what, const char *with)
{
    g_auto(GStrv) parts = g_strsplit(text->str, what, -1);
    g_autofree char *joined = g_strjoinv(with, parts);
    g_string_assign(text, joined);
}

static void list_run(const WwPlan *plan, uint32_t run, GString *out)
{
    g_autofree char *text = ww_plan_text(plan, run);
    g_autoptr(GPtrArray) options = ww_plan_options(plan, run);
    g_string_append_printf(out, "%s:", text);
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        g_string_append_printf(out, " %s(%s)", o->word->name, o->value);
    }
    g_string_append_c(out, '\n');
}

char *plan_of(const char *text)
{
    char *folder = make_folder();
    g_autofree char *file = g_build_filename(folder, "x.sweep", NULL);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwSweep) sweep = ww_sweep_new();
    g_autoptr(WwPlan) plan = NULL;
    GString *out = g_string_new(NULL);
    put(folder, "x.sweep", text);
    if (ww_sweep_read(sweep, file, &error)) {
        plan = ww_plan_new(sweep, &error);
    }
    g_assert_true((plan != NULL) == (error == NULL));
    for (uint32_t i = 0; plan != NULL && i < ww_plan_n(plan); i++) {
        list_run(plan, i, out);
    }
    if (error != NULL) {
        g_string_assign(out, error->message);
    }
    replace(out, folder, "DIR");
    drop_folder(folder);
    return g_string_free(out, false);
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--child") == 0) {
        return child(argc - 2, argv + 2);
    }
    g_test_init(&argc, &argv, NULL);
    add_plan_tests();
    add_error_tests();
    add_hash_tests();
    add_process_tests();
    add_memory_tests();
    return g_test_run();
}
