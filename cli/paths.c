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

const char *const *cli_opcode_dirs(void)
{
    static GPtrArray *list; /* kept until the end */
    if (list == NULL) {
        list = g_ptr_array_new();
        const char *extra = g_getenv("WARPWRIGHT_PATH");
        g_auto(GStrv) roots = g_strsplit(extra != NULL ? extra : "", ":", -1);
        for (char **r = roots; *r != NULL; r++) {
            if (**r != '\0') {
                add_if_folder(list, g_build_filename(*r, "configs", "opcodes", NULL));
                add_if_folder(list, g_build_filename(*r, "opcodes", NULL));
            }
        }
        g_autofree char *own = own_root();
        add_if_folder(list, g_build_filename(own, "configs", "opcodes", NULL));
        g_ptr_array_add(list, NULL);
    }
    return (const char *const *)list->pdata;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Adds the files of @p folder with @p suffix to @p list, by name, but for names in @p seen, and adds them there. */
static void add_files(GPtrArray *list, GHashTable *seen, const char *folder, const char *suffix)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) d = g_dir_open(folder, 0, NULL);
    const char *name;
    while (d != NULL && (name = g_dir_read_name(d)) != NULL) {
        if (g_str_has_suffix(name, suffix)) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    if (names->len != 0) {
        qsort(names->pdata, names->len, sizeof names->pdata[0], by_text);
    }
    for (guint i = 0; i < names->len; i++) {
        if (g_hash_table_add(seen, g_strdup(names->pdata[i]))) {
            g_ptr_array_add(list, g_build_filename(folder, names->pdata[i], NULL));
        }
    }
}

static GPtrArray *files_in(const char *const *folders, const char *suffix)
{
    GPtrArray *list = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (; *folders != NULL; folders++) {
        add_files(list, seen, *folders, suffix);
    }
    return list;
}

GPtrArray *cli_files(const char *kind, const char *suffix)
{
    return files_in(cli_dirs(kind), suffix);
}

bool cli_is_file(const char *kind, const char *suffix, const char *name)
{
    g_autofree char *file = g_strconcat(name, suffix, NULL);
    bool found = false;
    for (const char *const *dir = cli_dirs(kind); *dir != NULL && !found; dir++) {
        g_autofree char *path = g_build_filename(*dir, file, NULL);
        found = strchr(name, '/') == NULL && g_file_test(path, G_FILE_TEST_IS_REGULAR);
    }
    return found;
}

char *cli_closest_file(const char *const *folders, const char *suffix, const char *name)
{
    g_autoptr(GPtrArray) files = files_in(folders, suffix);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (guint i = 0; i < files->len; i++) {
        char *stem = g_path_get_basename(files->pdata[i]);
        stem[strlen(stem) - strlen(suffix)] = '\0';
        g_ptr_array_add(names, stem);
    }
    return g_strdup(ww_closest(name, (const char *const *)names->pdata, names->len));
}
