/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright new`: begins a module or a platform out of tree, from the templates that came with the command
 * (modules/templates). A template is a folder of files NAME*.in; @NAME@ and a few other words in them are replaced. The new
 * folder is made complete under another name and then renamed: either it is all there, or nothing is.
 */
#include "cli-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <string.h>

#define LONGEST_NAME 40u

static const char *const kinds[] = {"scheduler", "component", "platform", NULL};

typedef struct New {
    const char *kind, *name;
    char *from; /* folder of the template */
    char *root; /* data that came with the command */
    char *temporary;
    GPtrArray *files; /* written so far */
} New;

/* ---- checks ----------------------------------------------------------------------------------------------------- */

static bool is_word(const char *name)
{
    size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");
    return n == strlen(name) && n != 0 && n <= LONGEST_NAME && g_ascii_isalpha(name[0]);
}

/* A name becomes a file, a C prefix, a CMake target and a component type. */
static bool check_name(const New *w, GError **error)
{
    static const char *const taken[] = {
        "all",        "build",   "clean",          "edit_cache",    "help", "install",
        "preinstall", "package", "package_source", "rebuild_cache", "test", NULL};
    if (!is_word(w->name)) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "new: name '%s'; expected a lower-case letter, then up to %u of a-z, 0-9 and '_'",
            w->name, LONGEST_NAME - 1);
    }
    if (g_str_has_prefix(w->name, "ww_") || g_strv_contains(taken, w->name)) {
        return ww_fail(error, WW_ERROR_USAGE, "new: name '%s' is taken by %s; expected another one",
                       w->name, w->name[0] == 'w' ? "Warpwright's own functions" : "the build");
    }
    return true;
}

/* A type or a platform of that name must not be there yet. */
static bool check_free(const New *w, GError **error)
{
    CliSetup setup = {0};
    g_autofree char *type = strcmp(w->kind, "scheduler") == 0
                                ? g_strconcat("scheduler.", w->name, NULL)
                                : g_strdup(w->name);
    bool good = true;
    if (strcmp(w->kind, "platform") == 0) {
        g_autofree char *file = g_strconcat(w->name, ".plat", NULL);
        for (const char *const *dir = cli_dirs("platforms"); *dir != NULL && good; dir++) {
            g_autofree char *path = g_build_filename(*dir, file, NULL);
            good = !g_file_test(path, G_FILE_TEST_EXISTS);
        }
    } else if (!cli_setup_registry(&setup, error)) {
        cli_setup_clear(&setup);
        return false;
    } else {
        good = ww_registry_find(setup.registry, type, NULL) == NULL;
    }
    cli_setup_clear(&setup);
    return good ||
           ww_fail(error, WW_ERROR_USAGE, "new: there is a %s '%s' already; expected another name",
                   strcmp(w->kind, "platform") == 0 ? "platform" : "type", type);
}

/* ---- writing ---------------------------------------------------------------------------------------------------- */

static char *filled(const New *w, const char *text)
{
    g_autofree char *prefix = g_build_filename(w->root, WW_DATADIR_TO_PREFIX, NULL);
    g_autofree char *whole = g_canonicalize_filename(prefix, NULL);
    g_autofree char *sample = g_build_filename(w->root, "samples", "vecadd", NULL);
    g_autofree char *docs = g_build_filename(w->root, "docs", "modules.md", NULL);
    g_auto(GStrv) version = g_strsplit(WW_VERSION, ".", 3);
    g_autofree char *needed = g_strdup_printf("%s.%s", version[0], version[1]);
    GString *s = g_string_new(text);
    g_string_replace(s, "@NAME@", w->name, 0);
    g_string_replace(s, "@VERSION@", needed, 0);
    g_string_replace(s, "@PREFIX@", whole, 0);
    g_string_replace(s, "@SAMPLE@", sample, 0);
    g_string_replace(s, "@DOCDIR@", docs, 0);
    return g_string_free(s, false);
}

/* "test_NAME.c.in" is "test_my_sched.c". */
static char *target_name(const New *w, const char *file)
{
    GString *s = g_string_new_len(file, (gssize)(strlen(file) - strlen(".in")));
    g_string_replace(s, "NAME", w->name, 0);
    return g_string_free(s, false);
}

static bool write_file(New *w, const char *file, GError **error)
{
    g_autofree char *from = g_build_filename(w->from, file, NULL);
    g_autofree char *name = target_name(w, file);
    char *to = g_build_filename(w->temporary, name, NULL);
    g_autofree char *text = NULL;
    g_autoptr(GError) why = NULL;
    g_ptr_array_add(w->files, to);
    if (!g_file_get_contents(from, &text, NULL, &why)) {
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "new: %s; expected the template that came with the command", why->message);
    }
    g_autofree char *out = filled(w, text);
    FILE *file_to = fopen(to, "we");
    bool good = file_to != NULL && fputs(out, file_to) >= 0 && fflush(file_to) == 0;
    if (!good) {
        ww_fail(error, WW_ERROR_SYSTEM, "new: cannot write '%s/%s': %s; expected room for it",
                w->name, name, g_strerror(errno));
    }
    if (file_to != NULL) {
        fclose(file_to);
    }
    return good;
}

static bool write_all(New *w, GError **error)
{
    g_autoptr(GDir) dir = g_dir_open(w->from, 0, NULL);
    const char *file;
    bool good = true;
    while (good && dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
        good = !g_str_has_suffix(file, ".in") || write_file(w, file, error);
    }
    if (good && w->files->len == 0) {
        return ww_fail(error, WW_ERROR_SYSTEM, "new: nothing in %s; expected the template of a %s",
                       w->from, w->kind);
    }
    return good;
}

static bool refuse_existing(const New *w, GError **error)
{
    return ww_fail(error, WW_ERROR_USAGE,
                   "new: '%s' exists already; expected the name of a new folder", w->name);
}

static bool make_folder(New *w, GError **error)
{
    if (g_file_test(w->name, G_FILE_TEST_EXISTS) || g_file_test(w->name, G_FILE_TEST_IS_SYMLINK)) {
        return refuse_existing(w, error);
    }
    w->temporary = g_strdup_printf(".%s-XXXXXX", w->name);
    if (g_mkdtemp_full(w->temporary, 0777) == NULL) {
        int code = errno;
        g_clear_pointer(&w->temporary, g_free);
        return ww_fail(error, WW_ERROR_SYSTEM,
                       "new: cannot make a folder here: %s; expected a place to write to",
                       g_strerror(code));
    }
    if (!write_all(w, error)) {
        return false;
    }
    if (renameat2(AT_FDCWD, w->temporary, AT_FDCWD, w->name, RENAME_NOREPLACE) != 0) {
        int code = errno;
        return code == EEXIST ? refuse_existing(w, error)
                              : ww_fail(error, WW_ERROR_SYSTEM,
                                        "new: cannot name the folder '%s': %s; expected a "
                                        "file system that can rename",
                                        w->name, g_strerror(code));
    }
    g_clear_pointer(&w->temporary, g_free);
    return true;
}

static void clear(New *w)
{
    for (guint i = 0; w->temporary != NULL && i < w->files->len; i++) {
        g_unlink(w->files->pdata[i]);
    }
    if (w->temporary != NULL) {
        g_rmdir(w->temporary);
    }
    g_ptr_array_unref(w->files);
    g_free(w->temporary);
    g_free(w->from);
    g_free(w->root);
}

/* ---- the subcommand --------------------------------------------------------------------------------------------- */

static bool find_template(New *w, GError **error)
{
    for (const char *const *dir = cli_dirs("modules"); *dir != NULL && w->from == NULL; dir++) {
        g_autofree char *path = g_build_filename(*dir, "templates", w->kind, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_DIR)) {
            w->from = g_steal_pointer(&path);
            w->root = g_path_get_dirname(*dir);
        }
    }
    return w->from != NULL ||
           ww_fail(error, WW_ERROR_SYSTEM,
                   "new: no template of a %s; expected modules/templates/%s beside the platforms",
                   w->kind, w->kind);
}

/* A command that was built but not installed has templates, and nothing to build against. */
static bool is_installed(const New *w)
{
    g_autofree char *package =
        g_build_filename(w->root, WW_DATADIR_TO_PREFIX, "bin", WW_RELATIVE_MODULEDIR, "..", "..",
                         "cmake", "warpwright", "warpwright-config.cmake", NULL);
    g_autofree char *path = g_canonicalize_filename(package, NULL);
    return g_file_test(path, G_FILE_TEST_EXISTS);
}

static void say(const New *w)
{
    printf("%s/ is a %s of your own; next:\n"
           "    cd %s && cmake -B build && cmake --build build && ctest --test-dir build\n",
           w->name, w->kind, w->name);
    if (!is_installed(w)) {
        fputs("warpwright: note: this command is not installed; install it (cmake --install BUILD "
              "--prefix PREFIX), and add "
              "-DCMAKE_PREFIX_PATH=PREFIX to the first\n",
              stderr);
    }
}

int cli_new(int argc, char **argv)
{
    GError *error = NULL;
    New w = {.files = g_ptr_array_new_with_free_func(g_free)};
    const GOptionEntry own[] = {{NULL}};
    const GOptionEntry *const tables[] = {own, NULL};
    g_autofree char *usage = g_strconcat(cli_choices(kinds), " NAME", NULL);
    bool good = cli_parse(&argc, &argv, usage,
                          "Starts a scheduler, a component or a platform of your own: a new folder "
                          "NAME with source, tests, build file and README.",
                          NULL, tables, &error);
    if (good && argc != 3) {
        good = ww_fail(&error, WW_ERROR_USAGE,
                       "new: expected two words: scheduler, component or platform, and a name");
    }
    int kind = good ? cli_choice("new:", argv[1], kinds, &error) : -1;
    if (kind >= 0) {
        w.kind = kinds[kind];
        w.name = argv[2];
        good = check_name(&w, &error) && check_free(&w, &error) && find_template(&w, &error) &&
               make_folder(&w, &error);
    }
    if (good && kind >= 0) {
        say(&w);
    }
    clear(&w);
    return good && kind >= 0 ? CLI_DONE : cli_fail(error);
}
