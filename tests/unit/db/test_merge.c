/* SPDX-License-Identifier: Apache-2.0 */
/* Files together. */
#include "tests.h"

#include <string.h>

static void put(WwDb *db, const char *experiment, char key, unsigned cycles, const char *from,
                const char *to)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *text = test_results("\"intervals\": {\"every\": 100, \"statistics\": "
                                         "[\"a.x\"], \"rows\": [[100, 3], [150, 2]]},",
                                         cycles);
    g_autoptr(GString) changed = g_string_new(text);
    g_string_replace(changed, from, to, 0);
    g_assert_true(ww_db_put_text(db, experiment, &(WwDbRun){.key = test_key(key)}, "r",
                                 changed->str, changed->len, &error));
    g_assert_no_error(error);
}

static char *contents(const char *name)
{
    return test_query(tool_path(name),
                      "SELECT experiment, substr(key, 1, 1), state, machine, (SELECT "
                      "group_concat(name || ' ' || value, ',') FROM"
                      " (SELECT * FROM statistics s WHERE s.run = r.run ORDER BY name)), (SELECT "
                      "group_concat(name || ' ' || cycles) FROM kernels k"
                      " WHERE k.run = r.run), (SELECT group_concat(cycle || ' ' || value) FROM "
                      "intervals i WHERE i.run = r.run),"
                      " (SELECT group_concat(name || ' ' || value, ',') FROM (SELECT * FROM "
                      "machine_values m WHERE m.run = r.run ORDER BY name))"
                      " FROM runs r ORDER BY experiment, key");
}

static WwDbMerged merge(WwDb *into, WwDb *from)
{
    g_autoptr(GError) error = NULL;
    WwDbMerged done;
    g_assert_true(ww_db_merge(into, from, &done, &error));
    g_assert_no_error(error);
    return done;
}

/* Parts in either order are the same whole, and twice the same changes nothing. */
static void test_parts(void)
{
    g_autoptr(WwDb) a = test_new("part-a.db");
    g_autoptr(WwDb) b = test_new("part-b.db");
    g_autoptr(WwDb) ab = test_new("ab.db");
    g_autoptr(WwDb) ba = test_new("ba.db");
    g_assert_true(ww_db_experiment(a, "e", "axes and so on", NULL));
    put(a, "e", '1', 50, "", "");
    put(a, "e", '2', 60, "\"b.zero\": 0", "\"z.other\": 4, \"b.zero\": 1");
    put(b, "e", '3', 70, "\"gpu.clusters\": 80", "\"gpu.clusters\": 4");
    put(b, "e", '2', 60, "\"b.zero\": 0", "\"z.other\": 4, \"b.zero\": 1");
    put(b, "f", '1', 80, "\"k\"", "\"another\"");
    WwDbMerged one = merge(ab, a), two = merge(ab, b), again = merge(ab, a);
    g_assert_true(one.added == 2 && one.same == 0 && two.added == 2 && two.same == 1);
    g_assert_true(again.added == 0 && again.replaced == 0 && again.same == 2);
    merge(ba, b);
    merge(ba, a);
    g_autofree char *x = contents("ab.db"), *y = contents("ba.db");
    g_assert_cmpstr(x, ==, y);
    g_assert_nonnull(strstr(x, "e|3|done|"));
    g_assert_nonnull(strstr(x, "another 80"));
    g_assert_nonnull(strstr(x, "gpu.clusters 4,"));
    g_assert_nonnull(strstr(x, "z.other 4"));
    g_autofree char *source =
        test_query(tool_path("ba.db"), "SELECT name, source FROM experiment ORDER BY name");
    g_assert_cmpstr(source, ==, "e|axes and so on;f|NULL");
}

/* A run that is done replaces one that failed or runs, never the other way round. */
static void test_further(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) a = test_new("further-a.db");
    g_autoptr(WwDb) b = test_new("further-b.db");
    g_assert_true(ww_db_put(
        a, "e", &(WwDbRun){.key = test_key('1'), .state = WW_DB_FAILED, .error = "x"}, &error));
    put(a, "e", '2', 5, "", "");
    put(b, "e", '1', 6, "", "");
    g_assert_true(
        ww_db_put(b, "e", &(WwDbRun){.key = test_key('2'), .state = WW_DB_RUNNING}, &error));
    WwDbMerged done = merge(a, b);
    g_assert_true(done.added == 0 && done.replaced == 1 && done.same == 1);
    g_autofree char *states =
        test_query(tool_path("further-a.db"),
                   "SELECT substr(key, 1, 1), state, cycles, error FROM runs ORDER BY key");
    g_assert_cmpstr(states, ==, "1|done|6|NULL;2|done|5|NULL");
}

void add_merge_tests(void)
{
    g_test_add_func("/db/merge/parts", test_parts);
    g_test_add_func("/db/merge/further", test_further);
}
