/* SPDX-License-Identifier: Apache-2.0 */
/* Runs and their results. */
#include "tests.h"

#include <db/query.h>

#include <string.h>

#define assert_query(path, sql, expected)                                                          \
    do {                                                                                           \
        g_autofree char *got_ = test_query(path, sql);                                             \
        g_assert_cmpstr(got_, ==, expected);                                                       \
    } while (0)

static void put(WwDb *db, const WwDbRun *run, const char *text)
{
    g_autoptr(GError) error = NULL;
    bool good = ww_db_put_text(db, "e", run, "r.json", text, strlen(text), &error);
    g_assert_no_error(error);
    g_assert_true(good);
}

/* All that a result says is there for SQL, zeros too; a statistic that the machine does not have is not. */
static void test_result(void)
{
    g_autoptr(WwDb) db = test_new("result.db");
    const char *file = tool_path("result.db");
    const WwDbPair axes[] = {{"scheduler", "gto"}, {"a \"b\"\n", "1"}};
    const WwDbRun run = {.key = test_key('a'),
                         .number = 7,
                         .axes = axes,
                         .n_axes = 2,
                         .host = "h1",
                         .start = 1700000000,
                         .seconds = 1.5,
                         .memory = 4096};
    g_autofree char *text =
        test_results("\"intervals\": {\"every\": 100, \"statistics\": [\"a.x\", \"z\"], \"rows\": "
                     "[[100, 3, 0], [150, 2, -4]]},",
                     123);
    put(db, &run, text);
    assert_query(file,
                 "SELECT experiment, number, key = '"
                 "' , state, cycles, round(ipc, 3), sms, bound_by, trace, config, seconds, host, "
                 "memory FROM runs",
                 "e|7|0|done|123|8.13|2|DRAM|t/vec add|[\"qv100\"]|1.5|h1|4096");
    assert_query(file, "SELECT settings, axes->>'scheduler' FROM runs",
                 "{\"sm.scheduler\":\"gto\"}|gto");
    assert_query(file, "SELECT name, value FROM axes ORDER BY name", "a \"b\"\n|1;scheduler|gto");
    assert_query(file, "SELECT name, value FROM statistics ORDER BY name",
                 "a.l.HIT|0;a.l.MISS|9;a.v.0|0;a.v.1|7;a.x|5;b.zero|0;c.most|12");
    assert_query(file, "SELECT kernel, name, value FROM kernel_statistics ORDER BY name",
                 "1|a.l.HIT|0;1|a.l.MISS|9;1|a.v.0|0;1|a.v.1|7;1|a.x|5;1|b.zero|0");
    assert_query(file, "SELECT kernel, name, grid, cycles, end_cycle, sms FROM kernels",
                 "1|k|[4,1,1]|123|123|NULL");
    assert_query(file, "SELECT cycle, name, value FROM intervals ORDER BY cycle, name",
                 "100|a.x|3;100|z|0;150|a.x|2;150|z|-4");
    assert_query(file, "SELECT name, value FROM machine_values ORDER BY name",
                 "core_clock|1132000000.0;gpu.clusters|80;list|[1,2];sm.name|a\"b");
}

static bool on_run(void *user, const char *experiment, const WwDbRun *run)
{
    g_string_append_printf(user, "%s %u %s=%s %u", experiment, (unsigned)run->number,
                           run->axes[0].name, run->axes[0].value, (unsigned)run->memory);
    return true;
}

/* Other names for the same run: its results stay. */
static void test_rename(void)
{
    g_autoptr(WwDb) db = test_new("rename.db");
    const char *file = tool_path("rename.db");
    const WwDbPair axes[] = {{"scheduler", "gto"}}, others[] = {{"policy", "oldest"}};
    const WwDbRun run = {
        .key = test_key('a'), .number = 7, .axes = axes, .n_axes = 1, .memory = 17};
    g_autofree char *text = test_results("", 123);
    g_autoptr(GString) told = g_string_new(NULL);
    g_autoptr(GError) error = NULL;
    put(db, &run, text);
    g_assert_true(ww_db_rename(db, "e", test_key('a'), 9, others, 1, &error));
    g_assert_true(ww_db_rename(db, "e", test_key('b'), 9, others, 1, &error));
    g_assert_true(ww_db_rename(db, "none", test_key('a'), 1, others, 1, &error));
    g_assert_true(ww_db_each_run(db, "e", on_run, told, &error));
    g_assert_no_error(error);
    g_assert_cmpstr(told->str, ==, "e 9 policy=oldest 17");
    assert_query(file, "SELECT number, cycles FROM runs", "9|123");
}

/* Machines are kept as what differs from another one; SQL sees all values of each. */
static void test_machines(void)
{
    g_autoptr(WwDb) db = test_new("machines.db");
    const char *file = tool_path("machines.db");
    g_autofree char *one = test_results("", 1);
    g_autoptr(GString) other = g_string_new(one), third = g_string_new(one);
    g_string_replace(other, "\"gpu.clusters\": 80", "\"gpu.clusters\": 40", 0);
    g_string_replace(third, ", \"list\": [1, 2]", "", 0);
    put(db, &(WwDbRun){.key = test_key('1')}, one);
    put(db, &(WwDbRun){.key = test_key('2')}, other->str);
    put(db, &(WwDbRun){.key = test_key('3')}, third->str);
    put(db, &(WwDbRun){.key = test_key('4')}, one);
    assert_query(file, "SELECT settings FROM machine WHERE base IS NOT NULL ORDER BY id",
                 "{\"gpu.clusters\":40};{\"list\":null}");
    assert_query(
        file,
        "SELECT substr(key, 1, 1), group_concat(name || '=' || value, ',') FROM"
        " (SELECT * FROM runs JOIN machine_values USING (run) ORDER BY key, name) GROUP BY key",
        "1|core_clock=1132000000.0,gpu.clusters=80,list=[1,2],sm.name=a\"b;"
        "2|core_clock=1132000000.0,gpu.clusters=40,list=[1,2],sm.name=a\"b;"
        "3|core_clock=1132000000.0,gpu.clusters=80,sm.name=a\"b;"
        "4|core_clock=1132000000.0,gpu.clusters=80,list=[1,2],sm.name=a\"b");
    assert_query(file, "SELECT count(DISTINCT machine), sum(machine IS NULL) FROM runs", "3|0");
}

static bool count_run(void *user, const char *experiment, const WwDbRun *run)
{
    GString *out = user;
    g_string_append_printf(out, "%s %.2s %u %s %s %s %d;", experiment, run->key,
                           (unsigned)run->number, ww_db_state_name(run->state),
                           run->n_axes != 0 ? run->axes[0].value : "-",
                           run->error != NULL ? run->error : "-", run->exit_status);
    return true;
}

/* A run begins, fails, and is done: one row, and nothing stays of what it was before. */
static void test_states(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) db = test_new("states.db");
    const WwDbPair axes[] = {{"x", "1"}};
    WwDbRun run = {
        .key = test_key('b'), .state = WW_DB_RUNNING, .number = 2, .axes = axes, .n_axes = 1};
    WwDbState state;
    bool found;
    g_assert_true(ww_db_state(db, "e", run.key, &found, &state, &error) && !found);
    g_assert_true(ww_db_put(db, "e", &run, &error));
    g_assert_true(ww_db_state(db, "e", run.key, &found, &state, &error));
    g_assert_true(found && state == WW_DB_RUNNING);
    run.state = WW_DB_FAILED;
    run.error = "warpwright: no such trace";
    run.exit_status = 2;
    g_assert_true(ww_db_put(db, "e", &run, &error));
    g_assert_true(ww_db_put(db, "f", &(WwDbRun){.key = test_key('a'), .number = 1}, &error));
    g_autoptr(GString) all = g_string_new(NULL);
    g_assert_true(ww_db_each_run(db, NULL, count_run, all, &error));
    g_assert_cmpstr(all->str, ==,
                    "e bb 2 failed 1 warpwright: no such trace 2;f aa 1 running - - 0;");
    g_autofree char *text = test_results("", 50);
    run.error = NULL;
    run.exit_status = 0;
    put(db, &run, text);
    put(db, &run, text); /* and again */
    g_string_truncate(all, 0);
    g_assert_true(ww_db_each_run(db, "e", count_run, all, &error));
    g_assert_cmpstr(all->str, ==, "e bb 2 done 1 - 0;");
    assert_query(tool_path("states.db"), "SELECT count(*) FROM kernel", "1");
    g_assert_true(ww_db_remove(db, "e", run.key, &found, &error) && found);
    g_assert_true(ww_db_remove(db, "e", run.key, &found, &error) && !found);
    assert_query(tool_path("states.db"), "SELECT count(*) FROM kernel", "0");
}

/* Results of a run that did not come to its end are of one that failed, unless who puts them says that it is done. */
static void test_ends(void)
{
    static const char *const words[] = {"done", "limit", "hang", "stuck", "interrupted"};
    g_autoptr(WwDb) db = test_new("ends.db");
    g_autofree char *text = test_results("", 50);
    for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
        g_autoptr(GString) own = g_string_new(text);
        g_autofree char *status = g_strdup_printf("\"status\": \"%s\"", words[i]);
        g_string_replace(own, "\"status\": \"done\"", status, 0);
        put(db, &(WwDbRun){.key = test_key((char)('a' + i)), .number = i + 1}, own->str);
    }
    assert_query(tool_path("ends.db"),
                 "SELECT state, exit_status, cycles FROM runs ORDER BY number",
                 "done|0|50;done|0|50;failed|1|50;failed|1|50;failed|1|50");
    assert_query(tool_path("ends.db"), "SELECT error FROM runs WHERE number = 4",
                 "status 'stuck': did not come to its end");
    g_autoptr(GString) own = g_string_new(text);
    g_string_replace(own, "\"status\": \"done\"", "\"status\": \"hang\"", 0);
    put(db, &(WwDbRun){.key = test_key('c'), .state = WW_DB_DONE}, own->str);
    assert_query(tool_path("ends.db"),
                 "SELECT state, exit_status, error FROM runs WHERE number IS NULL", "done|0|NULL");
}

/* Without a key it is a hash of the results, whatever the host needed for them. */
static void test_key_of_results(void)
{
    g_autoptr(WwDb) db = test_new("keys.db");
    g_autofree char *one = test_results("\"host\": {\"seconds\": 1.5},", 50),
                    *again = test_results("\"host\": {\"seconds\": 2.5},", 50),
                    *other = test_results("\"host\": {\"seconds\": 1.5},", 51);
    put(db, &(WwDbRun){0}, one);
    put(db, &(WwDbRun){0}, again);
    put(db, &(WwDbRun){0}, other);
    assert_query(tool_path("keys.db"),
                 "SELECT cycles, seconds, length(key) FROM runs ORDER BY cycles",
                 "50|2.5|64;51|1.5|64");
}

/* The order of numbers in a row follows which are seldom 0; values do not depend on it. */
static void test_orders(void)
{
    g_autoptr(WwDb) db = test_new("orders.db");
    enum { N = 60, RUNS = 400 };
    g_assert_true(ww_db_begin(db, NULL));
    for (int r = 0; r < RUNS; r++) {
        g_autoptr(GString) text = g_string_new(
            "{\"schema\": \"warpwright-results-1\", \"kernels\": [], \"total\": {\"counters\": {");
        for (int i = 0; i < N;
             i++) { /* at first the early ones are not 0, then the last one is not, too */
            int v = i < 3 || (r > 0 && i == N - 1) ? r * 100 + i : 0;
            g_string_append_printf(text, "%s\"s.%d\": %d", i != 0 ? ", " : "", i, v);
        }
        g_string_append(text, "}}}");
        g_autofree char *key = g_strdup_printf("%064x", r);
        put(db, &(WwDbRun){.key = key, .number = (uint64_t)r + 1}, text->str);
    }
    g_assert_true(ww_db_commit(db, NULL));
    const char *file = tool_path("orders.db");
    assert_query(file, "SELECT count(*) FROM statistics", "24000");
    assert_query(file,
                 "SELECT count(*) FROM statistics s JOIN runs r USING (run) WHERE value <>"
                 " CASE WHEN name IN ('s.0', 's.1', 's.2') OR (name = 's.59' AND number > 1)"
                 " THEN (number - 1) * 100 + CAST(substr(name, 3) AS INTEGER) ELSE 0 END",
                 "0");
    assert_query(file, "SELECT count(DISTINCT layout) BETWEEN 2 AND 8 FROM layout", "1");
    assert_query(file, "SELECT max(length(counter_values)) < 40 FROM run WHERE id > 300", "1");
}

/* A counter has 64 bits: the file has them all, and what SQL has not is its largest number. */
static void test_large(void)
{
    static const char *const counts[] = {"9223372036854775807", "9223372036854775808",
                                         "9223372036854775809", "18446744073709551615"};
    static const double values[] = {9223372036854775807.0, 9223372036854775808.0,
                                    9223372036854775809.0, 18446744073709551615.0};
    g_autoptr(WwDb) db = test_new("large.db");
    for (int i = 0; i < 4; i++) {
        g_autofree char *text =
            g_strdup_printf("{\"schema\": \"warpwright-results-1\", \"kernels\": [], \"total\": "
                            "{\"cycles\": 50, \"counters\": {\"a.x\": %s}}}",
                            counts[i]);
        put(db, &(WwDbRun){.key = test_key((char)('a' + i)), .number = (uint64_t)i + 1}, text);
    }
    assert_query(tool_path("large.db"), "SELECT counter_values FROM run ORDER BY number",
                 "[[9223372036854775807]];[[9223372036854775808]];[[9223372036854775809]];"
                 "[[18446744073709551615]]");
    assert_query(tool_path("large.db"), "SELECT DISTINCT value FROM statistics",
                 "9223372036854775807");
    const char *const columns[] = {"a.x", NULL};
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDbTable) table = ww_db_select(db, &(WwDbQuery){.columns = columns}, &error);
    g_assert_no_error(error);
    g_assert_cmpuint(table->n_rows, ==, 4);
    for (uint32_t i = 0; i < 4; i++) {
        g_assert_true(ww_db_at(table, i, 0)->number == values[i]);
    }
}

/* What is not as it should be: one line that says where, and the file is as before. */
static void test_refused(void)
{
    static const struct {
        const char *from, *to, *says;
    } cases[] = {
        {"\"warpwright-results-1\"", "\"results-9\"", "r.json:1:"},
        {"\"a.x\": 5", "\"a.x\": 5.5", "expected a whole number"},
        {"\"a.x\": 5", "\"a.x\": 18446744073709551616", "too large; expected one from 0"},
        {"\"a.x\": 5", "\"a.x\": 99999999999999999999999", "too large; expected one from 0"},
        {"\"a.x\": 5", "\"a.x\": -1", "too small; expected one from 0"},
        {"\"cycles\": 50", "\"cycles\": 9223372036854775808", "too large; expected one of 63"},
        {"\"a.x\": 5", "\"a.x\": \"five\"", "expected a whole number"},
        {"\"a.x\": 5", "\"a.v.1\": 5", "'a.v.1' is there twice"},
        {"\"kernels\": [{", "\"kernels\": [[{", "expected an object"},
        {"\"kernels\": ", "\"colonels\": ", "no 'kernels'"},
        {"\"c.most\": 12}}}", "\"c.most\": 12}}} x", "expected nothing behind"},
        {"\"c.most\": 12}}}", "\"c.most\": 12}}", "expected ',' or '}'"},
        {"\"partial\": false", "\"partial\": 0", "expected true or false"},
        {"\"status\": \"done\"", "\"status\": \"do\\ud800ne\"", "no character"},
        {"\"status\": \"done\"", "\"status\": \"done\", \"status\": \"done\"", "there twice"},
        {"[1, 2]}", "[1, 2,]}", "expected a value"},
        {"\"gpu.clusters\": 80", "\"gpu.clusters\": 80, \"gpu.clusters\": 80", "there twice"},
        {"\"rows\": [[100, 3], [150, 2]]", "\"rows\": [[100, 3], [100, 2]]", "later cycle"},
        {"\"rows\": [[100, 3], [150, 2]]", "\"rows\": [[100, 3], [150, 2, 4]]", "expected 2"},
    };
    g_autoptr(WwDb) db = test_new("refused.db");
    g_autofree char *good = test_results("\"intervals\": {\"every\": 100, \"statistics\": "
                                         "[\"a.x\"], \"rows\": [[100, 3], [150, 2]]},",
                                         50);
    put(db, &(WwDbRun){.key = test_key('c')}, good);
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) text = g_string_new(good);
        g_assert_cmpuint(g_string_replace(text, cases[i].from, cases[i].to, 1), ==, 1);
        g_assert_false(ww_db_put_text(db, "other", &(WwDbRun){.key = test_key('c')}, "r.json",
                                      text->str, text->len, &error));
        g_assert_nonnull(error);
        g_test_message("%s", error->message);
        g_assert_true(g_str_has_prefix(error->message, "r.json"));
        g_assert_nonnull(strstr(error->message, cases[i].says));
        g_assert_null(strchr(error->message, '\n'));
    }
    put(db, &(WwDbRun){.key = test_key('d')}, good);
    assert_query(tool_path("refused.db"), "SELECT count(*), count(DISTINCT experiment) FROM runs",
                 "2|1");
    assert_query(tool_path("refused.db"), "SELECT count(*) FROM statistics WHERE value <> 0", "8");
}

/* Any text, cut or with any byte of it another one, is taken or refused, and nothing of a refused one is there. */
static void test_broken(void)
{
    g_autoptr(WwDb) db = test_new("broken.db");
    g_autoptr(GRand) rand = g_rand_new_with_seed(13);
    g_autofree char *good = test_results("\"intervals\": {\"every\": 100, \"statistics\": "
                                         "[\"a.x\"], \"rows\": [[100, 3], [150, 2]]},",
                                         50);
    size_t n = strlen(good);
    unsigned taken = 0, refused = 0;
    for (int i = 0; i < 3000; i++) {
        g_autoptr(GError) error = NULL;
        size_t length = i % 3 == 0 ? (size_t)g_rand_int_range(rand, 0, (int)n) : n;
        g_autofree char *text = g_strndup(good, length);
        for (int k = 0; length != 0 && i % 3 != 0 && k < 1 + i % 2; k++) {
            static const char bytes[] = "{}[]\",:0-9.eE\\ux \n\x01\xff";
            text[g_rand_int_range(rand, 0, (int)length)] =
                bytes[g_rand_int_range(rand, 0, (int)sizeof bytes - 1)];
        }
        g_assert_true(ww_db_begin(db, &error));
        bool done = ww_db_put_text(db, "e", &(WwDbRun){0}, "r.json", text, length, &error);
        taken += done;
        refused += !done;
        g_assert_true(done == (error == NULL));
        if (!done) {
            g_assert_null(strchr(error->message, '\n'));
        }
        ww_db_rollback(db);
    }
    g_test_message("%u taken, %u refused", taken, refused);
    g_assert_cmpuint(taken, >, 100);
    g_assert_cmpuint(refused, >, 1500);
    assert_query(tool_path("broken.db"),
                 "SELECT count(*) FROM name UNION ALL SELECT count(*) FROM run", "0;0");
}

void add_put_tests(void)
{
    g_test_add_func("/db/put/result", test_result);
    g_test_add_func("/db/put/machines", test_machines);
    g_test_add_func("/db/put/rename", test_rename);
    g_test_add_func("/db/put/states", test_states);
    g_test_add_func("/db/put/ends", test_ends);
    g_test_add_func("/db/put/key-of-results", test_key_of_results);
    g_test_add_func("/db/put/orders", test_orders);
    g_test_add_func("/db/put/large", test_large);
    g_test_add_func("/db/put/refused", test_refused);
    g_test_add_func("/db/put/broken", test_broken);
}
