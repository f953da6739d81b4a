/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of this room give to main(), and the small component types that their platforms
 * are made of.
 */
#pragma once

#include <platforms/platform.h>
#include <string.h>

void register_structure_tests(void);
void register_extends_tests(void);
void register_index_tests(void);
void register_wires_tests(void);
void register_overrides_tests(void);
void register_elaboration_tests(void);
void register_resolved_tests(void);
void register_files_tests(void);
void register_syntax_error_tests(void);
void register_name_error_tests(void);
void register_speed_tests(void);

/*
 * Channel `pipe`, providers `board` and `policy.*`, and `source`, `worker`, `sink`, `strict`. Lives
 * as long as the program.
 */
const WwRegistry *test_registry(void);
WwRegistry *test_types_new(void);

/* A machine of two domains around @p body, after @p before. */
char *test_machine(const char *before, const char *body);
/* Loads and elaborates a whole text; @p values is one assignment a line ("-s" each), or NULL. */
WwMachine *test_build(const char *text, const char *values, WwElaboration **elaboration,
                      GError **error);
/* The same, which must work. */
WwMachine *test_built(const char *text, const char *values, WwElaboration **elaboration);
/* Components with all values, then bindings, a line each. */
char *test_dump(const WwMachine *machine);
/* Fails unless @p text elaborates to what contains every line of @p lines. */
void test_expect(const char *text, const char *values, const char *const *lines);
/*
 * Fails unless @p text is refused with an error that contains every string of the NULL-terminated
 * list.
 */
void test_refuse(const char *text, const char *values, const char *const *parts);
