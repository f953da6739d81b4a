/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a table of errors is made of, and the things that its cases make. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/** A line of a case: `word: text`, with the text of a file below it. */
typedef struct Line {
    char *word, *text;
    GString *below; /* lines that began with '|', NULL: none */
} Line;

/** One case: what is made, what is run, what is said. */
typedef struct Case {
    char *table, *name;
    int line;
    GPtrArray *lines; /* Line, in order */
} Case;

/** Reads a table; dies with a message when it is malformed. */
void table_read(const char *path, GPtrArray *cases);
void case_free(gpointer data);

/**
 * Makes something in the current folder: @p what is "KIND NAME [ARGUMENT]...". Kinds:
 *   kernel NAME              a good kernel trace
 *   trace NAME               a folder with a good kernel trace and its list
 *   folder NAME              a folder
 *   cut NAME FROM BYTES      the first BYTES bytes of file FROM; less than 0: without its last
 *   swap NAME "OLD" "NEW"    replaces the first OLD in NAME
 *   spoil NAME BYTE          inverts byte BYTE (less than 0: from the end)
 *   zst NAME FROM, xz NAME FROM      compressed
 *   long-zst NAME, long-xz NAME, long NAME   4 GiB without a line break
 */
void make(const char *what);
