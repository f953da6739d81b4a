/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <glib/gstdio.h>

void test_remove_folder(const char *path)
{
    g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *inside = g_build_filename(path, name, NULL);
        if (g_file_test(inside, G_FILE_TEST_IS_DIR) &&
            !g_file_test(inside, G_FILE_TEST_IS_SYMLINK)) {
            test_remove_folder(inside);
        } else {
            g_unlink(inside);
        }
    }
    g_rmdir(path);
}
