/* SPDX-License-Identifier: Apache-2.0 */
/* The command, run as a user runs it. */
#include "tool.h"

#include <glib/gstdio.h>

/* The folder of tool_path() with what the tests left in it, one level of folders deep. */
static void remove_folder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *inside = g_build_filename(path, name, NULL);
        if (g_file_test(inside, G_FILE_TEST_IS_DIR)) {
            remove_folder(inside);
        } else {
            g_unlink(inside);
        }
    }
    g_rmdir(path);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_usage_tests();
    add_run_tests();
    add_stop_tests();
    add_inspect_tests();
    add_compare_tests();
    add_monitor_tests();
    int status = g_test_run();
    g_autofree char *folder = g_path_get_dirname(tool_path("x"));
    remove_folder(folder);
    return status;
}
