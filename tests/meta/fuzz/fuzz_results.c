/* SPDX-License-Identifier: Apache-2.0 */
/* Results that go into a database: taken whole, or refused with one line and nothing of them there. What is taken can be asked for. */
#include "common/fuzz.h"

#include <db/query.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {"trace", "cycles", "ipc", "config", NULL};
    g_autoptr(GError) error = NULL;
    const char *text = fuzz_file(0, data, size);
    g_autoptr(WwDb) db = ww_db_open(":memory:", WW_DB_CREATE, &error);
    bool good = ww_db_put_result(db, "e", &(WwDbRun){0}, text, &error);
    fuzz_check_error(good, error, false);
    g_autoptr(WwDbTable) runs = ww_db_select(db, &(WwDbQuery){.columns = columns}, NULL);
    fuzz_check(runs != NULL && runs->n_rows == (good ? 1 : 0), "not one run", text);
    g_autoptr(WwDb) other = ww_db_open(":memory:", WW_DB_CREATE, NULL);
    g_clear_error(&error);
    WwDbMerged merged;
    bool copied = ww_db_merge(other, db, &merged, &error);
    fuzz_check(copied && merged.added == (good ? 1u : 0u), "cannot be merged", text);
    return 0;
}
