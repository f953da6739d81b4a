/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a command says of itself, once: its row in the table of commands, and the tables of options that it parses with. `--help`, the
 * manual pages and what a shell completes are made of that and of nothing else.
 */
#pragma once

#include "cli-priv.h"

/* ---- commands (commands.c) -------------------------------------------------------------------------------------- */

typedef struct CliCommand {
    const char *name;
    int (*run)(int argc, char **argv);
    const char *doc; /**< One line. */
    bool hidden;     /**< Programs call it: it is in no list. */
} CliCommand;

/** All of them, up to a row without a name; those that are hidden stand last. */
extern const CliCommand cli_commands[];
const CliCommand *cli_command_find(const char *name);
/** "unknown command 'rnu', did you mean 'run'?"; is CLI_USAGE. */
int cli_command_unknown(const char *word);
/** "run, inspect, list or new" */
char *cli_command_names(void);

/** What is true of every command: lines, each a name and what it is; up to a row without a name. */
typedef struct CliFact {
    const char *name, *doc;
} CliFact;
extern const CliFact cli_exit_statuses[], cli_environment[];

/* ---- a command's page (page.c) ---------------------------------------------------------------------------------- */

typedef struct CliPage {
    const char *command; /**< "run" */
    const char *usage;   /**< Its arguments: "TRACE". */
    const char *summary; /**< One line. */
    const char
        *description; /**< Paragraphs; lines that begin with a blank stay as they are. Or NULL. */
    const GOptionEntry *const *tables; /**< NULL-terminated. */
} CliPage;

/** One group of options: those behind one CLI_HEADING, in all tables. */
typedef struct CliGroup {
    const char *title;
    GPtrArray *rows; /**< const GOptionEntry * */
} CliGroup;

/** The groups of a page, CliGroup; `--help` is in the last. They borrow the rows of the page. */
GPtrArray *cli_page_groups(const CliPage *page);
/** "-c, --config=CONFIG"; newly allocated. */
char *cli_option_text(const GOptionEntry *row);
/** Is the word behind this option its value? */
bool cli_option_takes_word(const GOptionEntry *row);
/** The row of `--NAME` (@p letter 0) or `-LETTER` (@p name NULL), or NULL. */
const GOptionEntry *cli_page_option(const CliPage *page, const char *name, char letter);
/** A name in bold and what it is, in two columns, as wide as the terminal. */
void cli_page_row(const char *name, const char *doc, FILE *out);
/** What --help prints. */
void cli_page_help(const CliPage *page, FILE *out);

/**
 * Has @p fn called with the page of @p command instead of running it: its cli_parse() says that it failed, and nothing is printed.
 */
typedef void (*CliPageFn)(const CliPage *page, void *user);
void cli_page_of(const CliCommand *command, CliPageFn fn, void *user);
/** For cli_parse(): was the page asked for, and given away? */
bool cli_page_taken(const CliPage *page);
/** Is it a page that is looked at? Then errors are none. */
bool cli_page_only(void);

/* ---- who uses them ---------------------------------------------------------------------------------------------- */

/** `warpwright man`: manual pages (man.c). */
int cli_man(int argc, char **argv);
/** `warpwright complete WORD...`: what the last word may become, a line each (complete.c). */
int cli_complete(int argc, char **argv);
