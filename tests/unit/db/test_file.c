/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are databases of ours, and who may write them when. */
#include "tests.h"

#include <db/query.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void refuses(const char *path, unsigned flags, const char *says)
{
    g_autoptr(GError) error = NULL;
    g_assert_null(ww_db_open(path, flags, &error));
    g_assert_nonnull(error);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, says));
    g_assert_nonnull(strstr(error->message, "expected"));
    g_assert_null(strchr(error->message, '\n'));
}

static void sql(const char *path, const char *text)
{
    sqlite3 *db = NULL;
    g_assert_cmpint(sqlite3_open(path, &db), ==, SQLITE_OK);
    if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK) {
        g_error("%s: %s", text, sqlite3_errmsg(db));
    }
    sqlite3_close(db);
}

static void test_foreign(void)
{
    const char *path = tool_path("foreign.db");
    refuses(tool_path("none.db"), WW_DB_READ, "No such file");
    refuses(tool_path("none.db"), WW_DB_WRITE, "No such file");
    refuses("/dev/null", WW_DB_CREATE, "is no file");
    refuses("/nowhere/at/all.db", WW_DB_CREATE, "No such file");
    g_assert_true(g_file_set_contents(path, "", 0, NULL));
    refuses(path, WW_DB_READ, "is empty");
    g_assert_true(g_file_set_contents(path, "{\"schema\": \"warpwright-results-1\"}", -1, NULL));
    refuses(path, WW_DB_CREATE, "is no database");
    g_unlink(path);
    sql(path, "CREATE TABLE t (x); INSERT INTO t VALUES (1)");
    refuses(path, WW_DB_CREATE, "of another program");
}

/* The tables have a version; those of a newer program are not touched, and those that somebody changed are not trusted. */
static void test_version(void)
{
    const char *path = tool_path("version.db");
    ww_db_close(test_new("version.db"));
    ww_db_close(ww_db_open(path, WW_DB_READ, NULL));
    g_autofree char *version = test_query(path, "PRAGMA user_version");
    g_assert_cmpstr(version, ==, G_STRINGIFY(WW_DB_VERSION));
    sql(path, "PRAGMA user_version = 99");
    refuses(path, WW_DB_WRITE, "version 99 of the tables, which a newer Warpwright wrote");
    sql(path, "PRAGMA user_version = 0");
    refuses(path, WW_DB_WRITE, "version 0 of the tables; expected");
    sql(path, "PRAGMA user_version = " G_STRINGIFY(WW_DB_VERSION));
    sql(path,
        "CREATE VIEW mine AS SELECT 1; CREATE INDEX own ON run (trace)"); /* one's own do not matter */
    g_autoptr(GError) error = NULL;
    ww_db_close(ww_db_open(path, WW_DB_READ, &error));
    g_assert_no_error(error);
    sql(path, "DROP VIEW runs");
    refuses(path, WW_DB_READ, "has no 'runs'");
    sql(path, "CREATE VIEW runs AS SELECT 1");
    refuses(path, WW_DB_READ, "'runs' has been changed");
}

/* Bytes of a database overwritten: opening or reading says so, and nothing else happens. */
static void test_damaged(void)
{
    g_autofree char *good = NULL;
    gsize n;
    g_autoptr(GRand) rand = g_rand_new_with_seed(7);
    WwDb *whole = test_new("whole.db");
    g_autofree char *text = test_results("", 50);
    unsigned refused = 0;
    for (int c = '0'; c <= '9'; c++) {
        g_assert_true(ww_db_put_text(whole, "e", &(WwDbRun){.key = test_key((char)c)}, "r", text,
                                     strlen(text), NULL));
    }
    ww_db_close(whole);
    g_assert_true(g_file_get_contents(tool_path("whole.db"), &good, &n, NULL));
    for (int i = 0; i < 60; i++) {
        g_autofree char *bad = g_memdup2(good, n);
        gsize length = i % 4 == 0 ? (gsize)g_rand_int_range(rand, 1, (int)n) : n;
        for (int k = 0; k < 40; k++) {
            bad[g_rand_int_range(rand, 0, (int)n)] = (char)g_rand_int_range(rand, 0, 256);
        }
        g_assert_true(g_file_set_contents(tool_path("bad.db"), bad, (gssize)length, NULL));
        g_autoptr(GError) error = NULL;
        g_autoptr(WwDb) db = ww_db_open(tool_path("bad.db"), WW_DB_WRITE, &error);
        g_autoptr(WwDb) into = ww_db_open(":memory:", WW_DB_CREATE, NULL);
        bool read = db != NULL && ww_db_merge(into, db, NULL, &error);
        bool written =
            read && ww_db_put_text(db, "e", &(WwDbRun){0}, "r", text, strlen(text), &error);
        g_assert_true((error == NULL) == written);
        refused += error != NULL;
    }
    g_assert_cmpuint(refused, >, 20);
}

/* The error that asking for @p column and cycles has; NULL: none. */
static GError *ask(WwDb *db, const char *column)
{
    const char *columns[] = {column, "cycles", NULL};
    GError *error = NULL;
    g_autoptr(WwDbTable) table =
        ww_db_select(db, &(WwDbQuery){.columns = columns, .all = true}, &error);
    g_assert_true((table == NULL) == (error != NULL));
    return error;
}

static void is_damaged(const GError *error, const char *what)
{
    g_assert_error(error, WW_ERROR, WW_ERROR_INPUT);
    g_test_message("%s", error->message);
    g_assert_nonnull(strstr(error->message, "' is damaged ("));
    g_assert_nonnull(strstr(error->message, what));
}

static WwDb *damaged_by(const char *name, const char *change)
{
    g_autofree char *text = test_results("", 50);
    WwDb *whole = test_new(name);
    g_assert_true(ww_db_put_text(whole, "e", &(WwDbRun){.key = test_key('1')}, "r", text,
                                 strlen(text), NULL));
    ww_db_close(whole);
    sql(tool_path(name), change);
    return ww_db_open(tool_path(name), WW_DB_WRITE, NULL);
}

/* What we never write is told where it is read; it is no 0, no text and no run that goes on. */
static void test_unlikely_values(void)
{
    static const struct {
        const char *change, *what;
        bool asked;
    } all[] = {{"counter_values = '[[['", "statistics", true},
               {"counter_values = '[[1,2'", "statistics", true},
               {"counter_values = '[[1,2]'", "statistics", true},
               {"counter_values = '[[1,2]]]'", "statistics", true},
               {"counter_values = '[[1,x]]'", "statistics", true},
               {"counter_values = '[[1,-2]]'", "statistics", true},
               {"counter_values = '[[1,]]'", "statistics", true},
               {"counter_values = '[[18446744073709551616]]'", "statistics", true},
               {"counter_values = '[[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]]'", "statistics", true},
               {"counter_values = '[0,0,[1],]'", "statistics", false},
               {"counter_values = '7'", "statistics", true},
               {"counter_values = ''", "statistics", true},
               {"axes = '[1]'", "axes", true},
               {"axes = '{'", "axes", true},
               {"settings = '{'", "settings", false},
               {"cycles = -5", "", true},
               {"cycles = 'many'", "", true},
               {"state = 'weird'", "state", true}};
    for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
        g_autofree char *change = g_strconcat("UPDATE run SET ", all[i].change, NULL);
        g_autoptr(WwDb) db = damaged_by("unlikely.db", change);
        g_autoptr(WwDb) into = ww_db_open(":memory:", WW_DB_CREATE, NULL);
        g_autoptr(GError) asked = ask(db, "a.v.1"), merged = NULL;
        g_test_message("%s", all[i].change);
        g_assert_true(!all[i].asked || asked != NULL);
        if (all[i].asked) {
            is_damaged(asked, all[i].what);
        }
        g_assert_false(ww_db_merge(into, db, NULL, &merged));
        is_damaged(merged, all[i].what);
        g_assert_true(ww_db_is_damaged(db) && !ww_db_is_damaged(into));
    }
    g_autoptr(WwDb) empty = damaged_by("unlikely.db", "UPDATE run SET counter_values = '[]'");
    g_autoptr(GError) error = ask(empty, "a.v.1");
    g_assert_no_error(error);
}

/* SQLite's next number would be 0, or there are none to go on from: told, and before there are results. */
static void test_unlikely_numbers(void)
{
    g_autofree char *text = test_results("", 50);
    static const char *const changes[] = {"UPDATE experiment SET id = -1",
                                          "UPDATE experiment SET id = 0; UPDATE run SET id = -3",
                                          "UPDATE machine SET id = -1", "UPDATE input SET id = -1"};
    for (size_t i = 0; i < G_N_ELEMENTS(changes); i++) {
        for (int k = 0; k < 2; k++) {
            g_autoptr(WwDb) db = damaged_by("numbers.db", changes[i]);
            g_autoptr(GError) error = NULL;
            g_assert_false(ww_db_put_text(db, k == 0 && i == 0 ? "other" : "e",
                                          &(WwDbRun){.key = test_key('2')}, "r", text, strlen(text),
                                          &error));
            is_damaged(error, "the number of ");
        }
    }
    g_autoptr(WwDb) db = damaged_by("numbers.db", "DELETE FROM name WHERE id = 2");
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_db_prepare(db, &error));
    is_damaged(error, "its names");
    g_assert_true(ww_db_is_damaged(db));
}

static void test_read_only(void)
{
    g_autoptr(GError) error = NULL;
    const char *path = tool_path("still/one.db");
    g_mkdir(tool_path("still"), 0777);
    ww_db_close(ww_db_open(path, WW_DB_CREATE, &error));
    g_assert_no_error(error);
    {
        g_autoptr(WwDb) db = ww_db_open(path, WW_DB_READ, &error);
        g_assert_no_error(error);
        g_assert_false(ww_db_put(db, "e", &(WwDbRun){.key = test_key('a')}, &error));
        g_assert_nonnull(strstr(error->message, "open for reading"));
    }
    /* the file alone is all that there is, when it is closed */
    g_autoptr(GDir) dir = g_dir_open(tool_path("still"), 0, NULL);
    g_assert_cmpstr(g_dir_read_name(dir), ==, "one.db");
    g_assert_null(g_dir_read_name(dir));
    if (geteuid() != 0) {
        g_chmod(path, 0444);
        refuses(path, WW_DB_WRITE, "for writing: Permission denied");
    }
}

/* Others may read while one writes; what a killed process had not finished is not there. */
static void test_killed(void)
{
    const char *path = tool_path("killed.db");
    g_autofree char *text = test_results("", 50);
    WwDb *db = test_new("killed.db");
    g_assert_true(
        ww_db_put_text(db, "e", &(WwDbRun){.key = test_key('1')}, "r", text, strlen(text), NULL));
    ww_db_close(db);
    pid_t child = fork();
    if (child == 0) {
        WwDb *own = ww_db_open(path, WW_DB_WRITE, NULL);
        ww_db_put_text(own, "e", &(WwDbRun){.key = test_key('2')}, "r", text, strlen(text), NULL);
        ww_db_begin(own, NULL);
        ww_db_put_text(own, "e", &(WwDbRun){.key = test_key('3')}, "r", text, strlen(text), NULL);
        raise(SIGKILL);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFSIGNALED(status));
    g_autofree char *runs = test_query(
        path, "SELECT group_concat(substr(key, 1, 1)) FROM (SELECT key FROM runs ORDER BY key)");
    g_assert_cmpstr(runs, ==, "1,2");
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) again = ww_db_open(path, WW_DB_WRITE, &error);
    g_assert_no_error(error);
    g_assert_true(ww_db_put_text(again, "e", &(WwDbRun){.key = test_key('4')}, "r", text,
                                 strlen(text), &error));
    g_autofree char *more = test_query(path, "SELECT count(*) FROM kernels");
    g_assert_cmpstr(more, ==, "3");
}

/* A writer ends in the middle of a change of which a part is in the file, and the rest in its journal. */
static void kill_in_change(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        sqlite3 *db = NULL;
        sqlite3_open(path, &db);
        sqlite3_exec(db,
                     "PRAGMA cache_size = 4; BEGIN; UPDATE run SET error = hex(randomblob(50000))",
                     NULL, NULL, NULL);
        raise(SIGKILL);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFSIGNALED(status));
    sqlite3 *db = NULL;
    g_assert_cmpint(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
    sqlite3_extended_result_codes(db, 1);
    g_assert_cmpint(sqlite3_exec(db, "SELECT count(*) FROM run", NULL, NULL, NULL), ==,
                    SQLITE_READONLY_ROLLBACK);
    sqlite3_close(db);
}

static WwDb *with_runs(const char *path)
{
    WwDb *db = ww_db_open(path, WW_DB_CREATE, NULL);
    g_autofree char *text = test_results("", 50);
    for (int c = '0'; c <= '9'; c++) {
        g_assert_true(ww_db_put_text(db, "e", &(WwDbRun){.key = test_key((char)c)}, "r", text,
                                     strlen(text), NULL));
    }
    return db;
}

/* Who reads what a killed writer left rolls back what it had begun. */
static void test_hot_journal(void)
{
    const char *path = tool_path("hot.db");
    g_autofree char *journal = g_strconcat(path, "-journal", NULL);
    ww_db_close(with_runs(path));
    for (unsigned flags = WW_DB_READ; flags <= WW_DB_WRITE; flags++) {
        kill_in_change(path);
        g_assert_true(g_file_test(journal, G_FILE_TEST_EXISTS));
        g_autoptr(GError) error = NULL;
        g_autoptr(WwDb) db = ww_db_open(path, flags, &error);
        g_assert_no_error(error);
        g_assert_false(g_file_test(journal, G_FILE_TEST_EXISTS));
        g_assert_true(flags != WW_DB_READ ||
                      !ww_db_put(db, "e", &(WwDbRun){.key = test_key('a')}, NULL));
        g_autofree char *runs = test_query(path, "SELECT count(*), count(error) FROM run");
        g_assert_cmpstr(runs, ==, "10|0");
    }
}

/* Who may not write there cannot, and is not shown half a change, either. */
static void test_hot_journal_of_others(void)
{
    g_autofree char *folder = g_dir_make_tmp("warpwright-hot-XXXXXX", NULL);
    g_autofree char *path = g_build_filename(folder, "hot.db", NULL),
                    *journal = g_strconcat(path, "-journal", NULL);
    ww_db_close(with_runs(path));
    kill_in_change(path);
    g_chmod(path, 0444);
    g_chmod(journal, 0444);
    g_chmod(folder, 0555);
    pid_t child = fork();
    if (child == 0) {
        const uid_t other = 65534;
        if (geteuid() == 0 && (setgid(other) != 0 || setuid(other) != 0)) {
            _exit(77);
        }
        GError *error = NULL;
        bool good = ww_db_open(path, WW_DB_READ, &error) == NULL && error->code == WW_ERROR_USAGE &&
                    strstr(error->message, "has the journal of a writer that was killed (") &&
                    strstr(error->message, "; expected it rolled back: by 'warpwright db list' of");
        _exit(good ? 0 : 1);
    }
    int status;
    g_assert_cmpint(waitpid(child, &status, 0), ==, child);
    g_assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 77));
    g_assert_true(g_file_test(journal, G_FILE_TEST_EXISTS));
    g_chmod(folder, 0777);
    g_unlink(path);
    g_unlink(journal);
    g_rmdir(folder);
}

/* A file that another one is writing: one line, after some waiting; reading goes on. */
static void test_locked(void)
{
    const char *path = tool_path("locked.db");
    g_autofree char *text = test_results("", 50);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) a = test_new("locked.db");
    g_assert_true(
        ww_db_put_text(a, "e", &(WwDbRun){.key = test_key('1')}, "r", text, strlen(text), &error));
    g_assert_true(ww_db_begin(a, &error));
    ww_db_set_patience(50);
    g_autoptr(WwDb) b = ww_db_open(path, WW_DB_WRITE, &error);
    ww_db_set_patience(10000);
    g_assert_no_error(error);
    g_assert_false(ww_db_put(b, "e", &(WwDbRun){.key = test_key('2')}, &error));
    g_assert_nonnull(
        strstr(error->message, "is locked by another process that writes it; expected"));
    g_clear_error(&error);
    g_autofree char *runs = test_query(path, "SELECT count(*) FROM runs");
    g_assert_cmpstr(runs, ==, "1");
    g_assert_true(ww_db_put(a, "e", &(WwDbRun){.key = test_key('3')}, &error) &&
                  ww_db_commit(a, &error));
    g_assert_true(ww_db_put(b, "e", &(WwDbRun){.key = test_key('2')}, &error));
}

/* Two that write: what one remembers of the file is looked up again when the other has changed it. */
static void test_two(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) a = test_new("two.db");
    g_autoptr(WwDb) b = ww_db_open(tool_path("two.db"), WW_DB_WRITE, &error);
    g_autofree char *text = test_results("", 50);
    g_autoptr(GString) other = g_string_new(text);
    g_string_replace(other, "\"b.zero\"", "\"d.new\"", 0);
    g_assert_no_error(error);
    for (int c = '0'; c < '8'; c++) {
        WwDb *db = c % 2 == 0 ? a : b;
        const GString *what = c % 4 < 2 ? other : NULL;
        g_assert_true(ww_db_put_text(db, "e", &(WwDbRun){.key = test_key((char)c)}, "r",
                                     what != NULL ? what->str : text,
                                     strlen(what != NULL ? what->str : text), &error));
        g_assert_no_error(error);
    }
    g_autofree char *sums =
        test_query(tool_path("two.db"),
                   "SELECT name, count(*), sum(value) FROM statistics GROUP BY name ORDER BY name");
    g_assert_cmpstr(
        sums, ==,
        "a.l.HIT|8|0;a.l.MISS|8|72;a.v.0|8|0;a.v.1|8|56;a.x|8|40;b.zero|4|0;c.most|8|96;d.new|4|0");
    g_autofree char *machines = test_query(tool_path("two.db"), "SELECT count(*) FROM machine");
    g_assert_cmpstr(machines, ==, "1");
}

static uint32_t count_runs(WwDb *db)
{
    g_autoptr(GError) error = NULL;
    static const char *const columns[] = {"key", NULL};
    g_autoptr(WwDbTable) t =
        ww_db_select(db, &(WwDbQuery){.columns = columns, .all = true}, &error);
    g_assert_no_error(error);
    return t->n_rows;
}

/* Who asks several questions may have one moment's answers to all, while another writes on. */
static void test_hold(void)
{
    const char *path = tool_path("hold.db");
    g_autoptr(GError) error = NULL;
    g_autoptr(WwDb) writer = with_runs(path);
    g_autoptr(WwDb) held = ww_db_open(path, WW_DB_READ, &error);
    g_autoptr(WwDb) other = ww_db_open(path, WW_DB_READ, &error);
    g_assert_no_error(error);
    g_assert_true(ww_db_hold(held, &error));
    g_assert_cmpuint(count_runs(held), ==, 10);
    g_assert_true(ww_db_remove(writer, "e", test_key('3'), NULL, &error));
    g_assert_cmpuint(count_runs(held), ==, 10);
    g_assert_cmpuint(count_runs(other), ==, 9);
}

/* What is written into a file that has no name any more would be lost without a word. */
static void test_gone(void)
{
    for (int again = 0; again < 2; again++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(WwDb) db = test_new("gone.db");
        g_assert_true(ww_db_experiment(db, "a", "x", NULL));
        g_assert_true(ww_db_begin(db, NULL));
        g_assert_true(ww_db_experiment(db, "b", "x", NULL));
        g_unlink(tool_path("gone.db"));
        g_assert_true(again == 0 || g_file_set_contents(tool_path("gone.db"), "", 0, NULL));
        g_assert_false(ww_db_commit(db, &error));
        g_assert_nonnull(strstr(error->message, "has been removed"));
        g_clear_error(&error);
        g_assert_false(ww_db_experiment(db, "c", "x", &error));
        g_assert_nonnull(strstr(error->message, "gone.db'"));
    }
}

void add_file_tests(void)
{
    g_test_add_func("/db/file/foreign", test_foreign);
    g_test_add_func("/db/file/version", test_version);
    g_test_add_func("/db/file/damaged", test_damaged);
    g_test_add_func("/db/file/unlikely-values", test_unlikely_values);
    g_test_add_func("/db/file/unlikely-numbers", test_unlikely_numbers);
    g_test_add_func("/db/file/read-only", test_read_only);
    g_test_add_func("/db/file/killed", test_killed);
    g_test_add_func("/db/file/hot-journal", test_hot_journal);
    g_test_add_func("/db/file/hot-journal-of-others", test_hot_journal_of_others);
    g_test_add_func("/db/file/locked", test_locked);
    g_test_add_func("/db/file/two", test_two);
    g_test_add_func("/db/file/gone", test_gone);
    g_test_add_func("/db/file/hold", test_hold);
}
