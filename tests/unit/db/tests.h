/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <db/db.h>
#include <sqlite3.h>
#include <tests/support/tool.h>

/** A key: 64 times this digit. */
const char *test_key(char digit);
/** Results of one kernel; @p more stands among the members of the run, "" or "..., ". */
char *test_results(const char *more, unsigned cycles);
/** A database of its own at tool_path(@p name), which is not there before. */
WwDb *test_new(const char *name);
/** What a query of the file says: rows by ';', columns by '|'. */
char *test_query(const char *path, const char *sql);

void add_file_tests(void);
void add_put_tests(void);
void add_merge_tests(void);
