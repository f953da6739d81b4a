/* SPDX-License-Identifier: Apache-2.0 */
/** @file A writer of HTML and SVG: what is opened is closed, and every text and attribute is escaped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { HTML_MOST_OPEN = 24 };

typedef struct Html {
    FILE *out;
    const char *open[HTML_MOST_OPEN]; /* tags, constants */
    unsigned depth;
} Html;

/** Attributes are pairs of name and value up to a NULL name; one with a NULL value is left out. */
void html_open(Html *h, const char *tag, ...) __attribute__((sentinel));
/** Closes the tag that was opened last. */
void html_close(Html *h);
/** Closes as many. */
void html_close_n(Html *h, unsigned n);
/** A tag with a text and nothing else; @p text may be NULL. */
void html_leaf(Html *h, const char *tag, const char *text, ...) __attribute__((sentinel));
/** A tag that has no end: meta. */
void html_void(Html *h, const char *tag, ...) __attribute__((sentinel));
void html_text(Html *h, const char *text);
void html_textf(Html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- numbers ---------------------------------------------------------------------------------------------------- */

/** 1234567.891 as "1,234,567.9" with @p digits behind the point; newly allocated. */
char *html_number(double v, int digits);
/** A cell of a number: what is written, and `data-v` with the exact one, which columns are sorted by. */
void html_cell(Html *h, double v, int digits);
/** A cell of a share in percent, with a bar; @p of == 0: "-". */
void html_share(Html *h, double part, double of);
/** A cell without a value. */
void html_none(Html *h);

/* ---- what the page is made of ------------------------------------------------------------------------------------ */

/** <section> with a heading; html_close() ends it. */
void html_section(Html *h, const char *id, const char *title);
/** A table in a box that scrolls by itself, up to its head's row: cells of it come next, then html_body(). html_table_end() ends it. */
void html_table(Html *h, const char *class, const char *caption);
void html_body(Html *h);
void html_table_end(Html *h);
/** A column's head; @p left: its cells are text. */
void html_head(Html *h, const char *text, bool left);
void html_note(Html *h, const char *format, ...) __attribute__((format(printf, 2, 3)));
