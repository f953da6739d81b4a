/* SPDX-License-Identifier: Apache-2.0 */
/* The importer knows every option of the reference, and no other: options.txt has their names. */
#include "tests.h"

#include <compat/import.h>
#include <string.h>
#include <tests/support/registry.h>

static char **names(void)
{
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, "options.txt", NULL);
    g_autofree char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return g_strsplit(text, "\n", -1);
}

static bool is_name(const char *line)
{
    return *line == '-';
}

static void test_all(void)
{
    g_auto(GStrv) name = names();
    uint32_t n = 0;
    for (char **l = name; *l != NULL; l++) {
        if (is_name(*l)) {
            n++;
            if (ww_gpgpusim_class(*l) == WW_OPTION_UNKNOWN) {
                g_error("the importer does not know %s", *l);
            }
        }
    }
    g_assert_cmpuint(n, >, 200);
    g_assert_cmpint(ww_gpgpusim_class("-gpgpu_no_such_option"), ==, WW_OPTION_UNKNOWN);
}

static void test_no_other(void)
{
    g_auto(GStrv) name = names();
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    WwOptionInfo o;
    uint32_t n = 0;
    for (; ww_gpgpusim_option(n, &o); n++) {
        if (!g_strv_contains((const char *const *)name, o.name)) {
            g_error("the reference has no %s", o.name);
        }
        g_assert_true(g_hash_table_add(seen, (void *)o.name)); /* a row each */
        g_assert_cmpint(o.class, ==, ww_gpgpusim_class(o.name));
        g_assert_true(o.paths != NULL || *o.what != '\0'); /* something is to be said of each */
    }
    uint32_t wanted = 0;
    for (char **l = name; *l != NULL; l++) {
        wanted += is_name(*l);
    }
    g_assert_cmpuint(n, ==, wanted);
}

void register_option_tests(void)
{
    g_test_add_func("/compat/options/all", test_all);
    g_test_add_func("/compat/options/no-other", test_no_other);
}
