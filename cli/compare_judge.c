/* SPDX-License-Identifier: Apache-2.0 */
/* What makes a comparison of files fail besides figures that differ (--exact): a change that is too large, a run that was cut. */
#include "compare.h"

#include <math.h>
#include <report/report.h>
#include <string.h>

bool compare_percent(const char *text, double *out, GError **error)
{
    char *end;
    *out = g_ascii_strtod(text, &end);
    const char *rest = end + strspn(end, " ");
    if (end == text || !(*out >= 0 && *out <= 1e9) || strcmp(rest, "%") != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "--max-change '%s'; expected a percentage, as 1%%",
                       text);
    }
    *out /= 100;
    return true;
}

void compare_print_more(const char *indent, uint32_t n)
{
    printf("%sand %u more that %s (--all)\n", indent, n, WW_PLURAL(n, "differs", "differ"));
}

static double cycles_of(const Compare *c, uint32_t i)
{
    return ww_report_number(json_object_get(compare_total(c, i), "cycles"));
}

bool compare_within(const Compare *c, double most)
{
    bool good = true;
    double first = cycles_of(c, 0);
    for (uint32_t i = 1; i < c->n; i++) {
        double v = cycles_of(c, i), change = first != 0 ? v / first - 1 : v != 0 ? INFINITY : 0;
        if (fabs(change) > most) {
            printf("\ncycles of %c changed by %+.2f %%: more than %g %%\n", 'A' + (char)i,
                   change * 100, most * 100);
            good = false;
        }
    }
    return good;
}

static bool is_partial(const Compare *c, uint32_t i)
{
    return json_is_true(json_object_get(c->run[i], "partial"));
}

bool compare_ends(const Compare *c)
{
    bool good = true;
    for (uint32_t i = 1; i < c->n; i++) {
        if (is_partial(c, i) != is_partial(c, 0)) {
            char cut = is_partial(c, i) ? 'A' + (char)i : 'A',
                 whole = is_partial(c, i) ? 'A' : 'A' + (char)i;
            printf("\n%c is partial, %c is not: their figures are of different work\n", cut, whole);
            good = false;
        }
    }
    return good;
}
