/* SPDX-License-Identifier: Apache-2.0 */
/** @file Any text as text of other languages. */
#pragma once

#include "cli-priv.h"

/** In a cell of a table in Markdown: nothing of it is markup, or HTML, or ends the cell. */
void cli_markdown_text(const char *text, FILE *out);
/** In LaTeX: nothing of it is a command. */
void cli_latex_text(const char *text, FILE *out);
