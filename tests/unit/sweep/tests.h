/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <sweep/sweep.h>

void add_plan_tests(void);
void add_error_tests(void);
void add_hash_tests(void);
void add_process_tests(void);
void add_memory_tests(void);
/** What the pool's tests start: this program, with these words. */
int child(int argc, char **argv);

/** A file in @p folder, and the folders on its way. */
void put(const char *folder, const char *path, const char *text);
/** A folder with what tests need: traces a, b, sub/one/traces and sub/two/traces, configs; removed by drop_folder(). */
char *make_folder(void);
void drop_folder(char *folder);
/** The plan of @p text, a line a run with its options behind it; or the error, where folders are "DIR". */
char *plan_of(const char *text);
