/* SPDX-License-Identifier: Apache-2.0 */
/* The table of stalls: it has every cause of who issues, in their order, and docs/stalls.md prints it. */
#include <results/rates.h>
#include <results/stalls.h>
#include <string.h>
#include <tests/support/registry.h>
#include <tests/support/tool.h>
#include <warpwright/machine.h>

static void test_complete(void)
{
    uint32_t n, most = 0;
    const WwStallCause *stalls = ww_stalls(&n);
    for (const char *const *name = ww_issue_types; *name != NULL; name++) {
        const WwType *type = ww_registry_find(test_registry(), *name, NULL);
        const WwStatRow *cause = &type->stats[ww_type_stat(type, "cause")];
        g_assert_cmpuint(cause->n, <=, n);
        most = MAX(most, cause->n);
        for (uint32_t i = 0; i < cause->n; i++) {
            g_autofree char *full = g_strdup_printf("%s.cause.%s", *name, cause->labels[i]);
            g_assert_cmpstr(stalls[i].cause, ==, cause->labels[i]);
            g_assert_cmpstr(ww_cause_of(full, '.'), ==, cause->labels[i]);
            g_assert_null(ww_cause_of(full, '['));
        }
    }
    g_assert_null(ww_cause_of("warp_pool.cause.fetch", '.'));
    g_assert_cmpuint(n, ==, most);
    for (uint32_t i = 0; i < n; i++) {
        g_assert_true(ww_stall(stalls[i].cause) == &stalls[i]);
        g_assert_true(*stalls[i].text != '\0' && *stalls[i].meaning != '\0' &&
                      *stalls[i].remedy != '\0');
    }
    g_assert_null(ww_stall("lunch"));
}

/* Instructions a cycle: below one, the digits behind the point are all that there is. */
static void test_digits(void)
{
    g_assert_cmpint(ww_ipc_digits(0), ==, 1);
    g_assert_cmpint(ww_ipc_digits(0.001), ==, 3);
    g_assert_cmpint(ww_ipc_digits(0.999), ==, 3);
    g_assert_cmpint(ww_ipc_digits(1), ==, 1);
    g_assert_cmpint(ww_ipc_digits(108.1), ==, 1);
}

/* "`a`, `b`" */
static char *quoted(const char *names)
{
    g_auto(GStrv) each = g_strsplit(names, ", ", -1);
    g_autofree char *all = g_strjoinv("`, `", each);
    return *names != '\0' ? g_strdup_printf("`%s`", all) : g_strdup("none");
}

static void test_page(void)
{
    g_autofree char *page = tool_read(tool_source("docs/stalls.md"));
    uint32_t n, rows = 0;
    const WwStallCause *stalls = ww_stalls(&n);
    for (uint32_t i = 0; i < n; i++) {
        g_autofree char *nsight = quoted(stalls[i].nsight);
        g_autofree char *row =
            g_strdup_printf("\n| `%s` | %s | %s | %s | %s |\n", stalls[i].cause, stalls[i].text,
                            nsight, stalls[i].meaning, stalls[i].remedy);
        if (strstr(page, row) == NULL) {
            g_error("docs/stalls.md lacks the row%s", row);
        }
    }
    for (const char *p = page; (p = strstr(p, "\n| `")) != NULL; p++) {
        rows++;
    }
    g_assert_cmpuint(rows, ==, n);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    g_test_add_func("/results/stalls/complete", test_complete);
    g_test_add_func("/results/rates/digits", test_digits);
    g_test_add_func("/results/stalls/page", test_page);
    return test_run();
}
