/* SPDX-License-Identifier: Apache-2.0 */
/* What pages are made of, as it was embedded. */
#include <glib.h>
#include <results/stalls.h>
#include <string.h>
#include <web/web.h>

static void ends_with(const char *text, const char *folder, const char *file)
{
    g_autofree char *path = g_build_filename(g_getenv("WW_SOURCE_DIR"), folder, file, NULL);
    g_autofree char *own = NULL;
    g_assert_true(g_file_get_contents(path, &own, NULL, NULL));
    g_assert_true(g_str_has_suffix(text, own));
}

/* All files, whole and in their order. */
static void test_whole(void)
{
    ends_with(ww_web_style, "web", "style.css");
    ends_with(ww_web_script, "web", "charts.js");
    const char *library = strstr(ww_web_script, "uPlot=function"),
               *series = strstr(ww_web_script, "var WW =");
    g_assert_true(library != NULL && series != NULL && library < series);
}

/* In a page it ends where it ends, whatever the page's encoding; and nothing of it asks for anything else. */
static void test_embeddable(void)
{
    const char *texts[] = {ww_web_style, ww_web_script};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_assert_true(g_str_is_ascii(texts[i]));
        g_assert_null(strstr(texts[i], "</"));
        g_assert_null(strstr(texts[i], "<!--"));
    }
    static const char *const asks[] = {"@import",   "url(",        "fetch(",  "XMLHttpRequest",
                                       "WebSocket", "EventSource", "import(", "eval(",
                                       "innerHTML", "new Function"};
    for (size_t i = 0; i < G_N_ELEMENTS(asks); i++) {
        g_assert_null(strstr(ww_web_style, asks[i]));
        g_assert_null(strstr(ww_web_script, asks[i]));
    }
}

/* Each cause has a colour of its own, in charts (the variable) and in pictures (the class). */
static void test_causes(void)
{
    uint32_t n;
    const WwStallCause *stall = ww_stalls(&n);
    g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *name = g_strdup_printf("--c-%s: #", stall[i].cause),
                        *class = g_strdup_printf(".c-%s { fill: var(--c-%s); }", stall[i].cause,
                                                 stall[i].cause);
        const char *colour = strstr(ww_web_style, name);
        g_assert_nonnull(colour);
        g_assert_nonnull(strstr(ww_web_style, class));
        colour += strlen(name);
        g_assert_true(g_hash_table_add(seen, g_strndup(colour, strcspn(colour, ";"))));
    }
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/web/whole", test_whole);
    g_test_add_func("/web/embeddable", test_embeddable);
    g_test_add_func("/web/causes", test_causes);
    return g_test_run();
}
