/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Loading modules: the good one, and one line for each way in which a module can be bad.
 */
#include "tests.h"

#include <warpwright/module.h>

#include <glib/gstdio.h>
#include <string.h>

static char *module_path(const char *name)
{
    g_autofree char *file = g_strconcat(name, ".so", NULL);
    return g_test_build_filename(G_TEST_BUILT, "modules", file, NULL);
}

static size_t n_types(const WwRegistry *registry)
{
    size_t n;
    ww_registry_types(registry, &n);
    return n;
}

static void load(WwRegistry *registry, const char *name)
{
    GError *error = NULL;
    g_autofree char *path = module_path(name);
    const WwModule *module = NULL;
    bool loaded = ww_module_load(registry, path, &module, &error);
    g_assert_no_error(error);
    g_assert_true(loaded);
    g_assert_cmpstr(module->name, ==, name);
}

/** It is refused, the message says its path and @p message, and the registry is as before. */
static void assert_refused(WwRegistry *registry, const char *path, const char *message)
{
    GError *error = NULL;
    size_t before = n_types(registry);
    const WwModule *module = NULL;
    g_assert_false(ww_module_load(registry, path, &module, &error));
    g_assert_null(module);
    g_assert_true(g_str_has_prefix(error->message, path));
    test_assert_error(&error, WW_ERROR_MODULE, message);
    g_assert_cmpuint(n_types(registry), ==, before);
    g_assert_false(ww_module_load(registry, path, NULL, NULL));
}

static void good(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    load(registry, "good");
    g_assert_cmpuint(n_types(registry), ==, 1);
    GError *error = NULL;
    const WwType *type = ww_registry_find(registry, "thing.good", &error);
    g_assert_no_error(error);
    g_autofree char *path = module_path("good");
    g_assert_cmpstr(ww_registry_origin(registry, type), ==, path);
    /* A second registry has its own view. */
    g_autoptr(WwRegistry) other = ww_registry_new();
    load(other, "good");
    g_assert_true(ww_registry_find(other, "thing.good", NULL) == type);
}

/** A bare file name is a file here, not something in the loader's directories. */
static void relative(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autofree char *before = g_get_current_dir();
    g_autofree char *path = module_path("good");
    g_autofree char *dir = g_path_get_dirname(path);
    GError *error = NULL;
    g_assert_cmpint(g_chdir(dir), ==, 0);
    bool loaded = ww_module_load(registry, "good.so", NULL, &error);
    g_assert_cmpint(g_chdir(before), ==, 0);
    g_assert_no_error(error);
    g_assert_true(loaded);
    const WwType *type = ww_registry_find(registry, "thing.good", NULL);
    g_assert_cmpstr(ww_registry_origin(registry, type), ==, path);
}

static void bad(void)
{
    static const struct {
        const char *name, *message;
    } cases[] = {
        {"wrong_abi", "built for interface version 42, expected 16"},
        {"bad_descriptor", "type 'thing.small': size 1, expected at least"},
        {"no_symbol", "no symbol 'ww_module'"},
        {"no_types", "its ww_module has no types"},
    };
    g_autoptr(WwRegistry) registry = ww_registry_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *path = module_path(cases[i].name);
        assert_refused(registry, path, cases[i].message);
    }
    g_assert_cmpuint(n_types(registry), ==, 0);
    load(registry, "good");
}

static void duplicate(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autofree char *path = module_path("duplicate");
    g_autofree char *first = module_path("good");
    g_autofree char *expected = g_strconcat("is already defined by ", first, NULL);
    load(registry, "good");
    assert_refused(registry, path, expected);
    assert_refused(registry, first, "was loaded before; expected it once");
    g_assert_null(ww_registry_find(registry, "thing.first", NULL));
}

static void no_module(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *dir = g_dir_make_tmp("ww-module-XXXXXX", &error);
    g_assert_no_error(error);
    g_autofree char *file = g_build_filename(dir, "text.so", NULL);
    assert_refused(registry, file, "no such module");
    assert_refused(registry, dir, "not a file");
    g_assert_true(g_file_set_contents(file, "not an object\n", -1, NULL));
    assert_refused(registry, file, "cannot be loaded: ");
    g_assert_true(g_file_set_contents(file, "\177ELF", 4, NULL));
    assert_refused(registry, file, "cannot be loaded: ");
    assert_refused(registry, "libm.so.6", "no such module"); /* Not searched for. */
    g_unlink(file);
    g_rmdir(dir);
}

void test_module_register(void)
{
    g_test_add_func("/kernel/module/good", good);
    g_test_add_func("/kernel/module/relative", relative);
    g_test_add_func("/kernel/module/bad", bad);
    g_test_add_func("/kernel/module/duplicate", duplicate);
    g_test_add_func("/kernel/module/no-module", no_module);
}
