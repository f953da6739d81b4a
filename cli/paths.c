/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where platforms, configs and modules lie. The data that came with the command is, in this order: beside an installed
 * command (the tree may have been moved), in the source tree that it was built from, or where it was meant to be installed.
 */
#include "cli-priv.h"

#include <string.h>

static bool has_platforms(const char *root)
{
    g_autofree char *folder = g_build_filename(root, "platforms", NULL);
    return g_file_test(folder, G_FILE_TEST_IS_DIR);
}

/* A folder as it lies beside that of the running command. */
static char *beside_program(const char *relative)
{
    g_autofree char *program = g_file_read_link("/proc/self/exe", NULL);
    g_autofree char *bin = program != NULL ? g_path_get_dirname(program) : g_strdup("/");
    g_autofree char *joined = g_build_filename(bin, relative, NULL);
    return g_canonicalize_filename(joined, NULL);
}

/* The folder of the data that came with the command. */
static char *own_root(void)
{
    g_autofree char *root = beside_program(WW_RELATIVE_DATADIR);
    if (has_platforms(root)) {
        return g_steal_pointer(&root);
    }
    return g_strdup(has_platforms(WW_SOURCE_DATADIR) ? WW_SOURCE_DATADIR : WW_INSTALL_DATADIR);
}

static void add_if_folder(GPtrArray *list, char *folder)
{
    if (g_file_test(folder, G_FILE_TEST_IS_DIR)) {
        g_ptr_array_add(list, folder);
    } else {
        g_free(folder);
    }
}

const char *const *cli_dirs(const char *kind)
{
    static GHashTable
        *known; /* kind -> NULL-terminated GPtrArray; a few entries, kept until the end */
    if (known == NULL) {
        known = g_hash_table_new(g_str_hash, g_str_equal);
    }
    GPtrArray *list = g_hash_table_lookup(known, kind);
    if (list == NULL) {
        list = g_ptr_array_new();
        const char *extra = g_getenv("WARPWRIGHT_PATH");
        g_auto(GStrv) roots = g_strsplit(extra != NULL ? extra : "", ":", -1);
        for (char **r = roots; *r != NULL; r++) {
            if (**r != '\0') {
                add_if_folder(list, g_build_filename(*r, kind, NULL));
                add_if_folder(list, g_strdup(*r));
            }
        }
        if (strcmp(kind, "modules") == 0) {
            add_if_folder(list, beside_program(WW_RELATIVE_MODULEDIR));
        }
        g_autofree char *own = own_root();
        add_if_folder(list, g_build_filename(own, kind, NULL));
        g_ptr_array_add(list, NULL);
        g_hash_table_insert(known, (gpointer)g_intern_string(kind), list);
    }
    return (const char *const *)list->pdata;
}
