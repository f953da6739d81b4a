/* SPDX-License-Identifier: Apache-2.0 */
/** @file Any text in a table: for people, and as text of other languages. */
#pragma once

#include "cli-priv.h"

/** In a cell of a table in Markdown: nothing of it is markup, or HTML, or ends the cell. */
void cli_markdown_text(const char *text, FILE *out);
/** In LaTeX: nothing of it is a command. */
void cli_latex_text(const char *text, FILE *out);
/** Columns of the terminal that @p text takes, as cli_visible() has it. */
guint cli_columns(const char *text);
/** Writes it so, with blanks behind it (@p right: in front) up to @p width columns. */
void cli_pad(FILE *out, const char *text, guint width, bool right);
