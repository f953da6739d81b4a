/* SPDX-License-Identifier: Apache-2.0 */
/* The database of results: what is put is what SQL reads, files go together, and what is no such file is refused. */
#include "tests.h"

#include <glib/gstdio.h>
#include <string.h>

const char *test_key(char digit)
{
    static char keys[128][65];
    char *key = keys[(unsigned char)digit & 127];
    memset(key, digit, 64);
    return key;
}

char *test_results(const char *more, unsigned cycles)
{
    return g_strdup_printf(
        "{\"schema\": \"warpwright-results-1\", \"version\": \"0.1.0\", \"status\": \"done\", "
        "\"partial\": false,\n"
        " \"trace\": \"t\\/vec add\", \"platform\": \"gpu\", \"config\": [\"qv100\"],\n"
        " \"command\": [\"warpwright\", \"run\", \"-c\", \"qv100\", \"-s\", \"sm.scheduler=gto\", "
        "\"t\"],\n"
        " \"inputs\": [{\"kind\": \"platform\", \"file\": \"gpu.plat\", \"sha256\": \"ab\"}],\n"
        " \"resolved\": {\"core_clock\": 1132000000.0, \"gpu.clusters\": 80, \"sm.name\": "
        "\"a\\\"b\", \"list\": [1, 2]},\n %s"
        " \"kernels\": [{\"name\": \"k\", \"uid\": 1, \"grid\": [4, 1, 1], \"block\": [64, 1, 1], "
        "\"stream\": 0,\n"
        "  \"partial\": false, \"cycles\": %u, \"end_cycle\": %u, \"thread_instructions\": 1000, "
        "\"warp_instructions\": 40,\n"
        "  \"ctas\": 4, \"counters\": {\"a.x\": 5, \"a.v\": [0, 7], \"a.l\": {\"HIT\": 0, "
        "\"MISS\": 9}, \"b.zero\": 0}}],\n"
        " \"total\": {\"cycles\": %u, \"thread_instructions\": 1000, \"warp_instructions\": 40, "
        "\"ctas\": 4, \"sms\": 2,\n"
        "  \"launch_cycles\": 10, \"tail_cycles\": 3, \"bound_by\": \"DRAM\",\n"
        "  \"counters\": {\"a.x\": 5, \"a.v\": [0, 7], \"a.l\": {\"HIT\": 0, \"MISS\": 9}, "
        "\"b.zero\": 0, \"c.most\": 12}}}\n",
        more, cycles, cycles, cycles);
}

WwDb *test_new(const char *name)
{
    g_autoptr(GError) error = NULL;
    g_unlink(tool_path(name));
    WwDb *db = ww_db_open(tool_path(name), WW_DB_CREATE, &error);
    g_assert_no_error(error);
    return db;
}

char *test_query(const char *path, const char *sql)
{
    sqlite3 *db = NULL;
    sqlite3_stmt *s = NULL;
    GString *out = g_string_new(NULL);
    g_assert_cmpint(sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL), ==, SQLITE_OK);
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK) {
        g_error("%s: %s", sql, sqlite3_errmsg(db));
    }
    while (sqlite3_step(s) == SQLITE_ROW) {
        g_string_append(out, out->len != 0 ? ";" : "");
        for (int i = 0; i < sqlite3_column_count(s); i++) {
            const char *text = (const char *)sqlite3_column_text(s, i);
            g_string_append_printf(out, "%s%s", i != 0 ? "|" : "", text != NULL ? text : "NULL");
        }
    }
    sqlite3_finalize(s);
    sqlite3_close(db);
    return g_string_free(out, false);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_file_tests();
    add_put_tests();
    add_merge_tests();
    return tool_test_run();
}
