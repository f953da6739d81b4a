/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Manual pages, in the macros that every `man` knows: `warpwright man COMMAND | man -l -`. The build writes them all (-o FOLDER), and they
 * are installed.
 */
#include "page.h"

#include <string.h>
#include <warpwright/output.h>

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* In a line of text: characters that roff takes for something else. */
static void add_escaped(GString *out, const char *text)
{
    if (*text == '.' || *text == '\'') {
        g_string_append(out, "\\&");
    }
    for (; *text != '\0'; text++) {
        const char *as = *text == '\\'   ? "\\e"
                         : *text == '-'  ? "\\-"
                         : *text == '\'' ? "\\(aq"
                         : *text == '`'  ? "\\(ga"
                         : *text == '^'  ? "\\(ha"
                         : *text == '~'  ? "\\(ti"
                                         : NULL;
        if (as != NULL) {
            g_string_append(out, as);
        } else {
            g_string_append_c(out, *text);
        }
    }
}

static void add_line(GString *out, const char *text)
{
    add_escaped(out, text);
    g_string_append_c(out, '\n');
}

static void add_tagged(GString *out, const char *tag, const char *text)
{
    g_string_append(out, ".TP\n\\fB");
    add_escaped(out, tag);
    g_string_append(out, "\\fR\n");
    add_line(out, text);
}

static void add_head(GString *out, const char *name, const char *doc)
{
    g_autofree char *upper = g_ascii_strup(name, -1);
    g_string_append(out, ".\\\" Made of the command's own tables; do not edit.\n.TH ");
    add_escaped(out, upper);
    g_string_append(out, " 1 \"\" \"Warpwright " WW_VERSION "\" \"Warpwright\"\n"
                         ".SH NAME\n");
    add_escaped(out, name);
    g_string_append(out, " \\- ");
    add_line(out, doc);
}

/* Paragraphs flow; lines that begin with a blank stay as they are. */
static void add_description(GString *out, const char *description)
{
    g_auto(GStrv) lines = g_strsplit(description, "\n", -1);
    bool fixed = false, gap = false;
    for (char **l = lines; *l != NULL; l++) {
        bool row = **l == ' ';
        if (**l == '\0') {
            gap = true;
            continue;
        }
        if (row != fixed && fixed) {
            g_string_append(out, ".fi\n.RE\n");
        }
        if (l != lines && (gap || row != fixed)) {
            g_string_append(out, ".PP\n");
        }
        if (row != fixed && row) {
            g_string_append(out, ".RS 2\n.nf\n");
        }
        add_line(out, row ? *l + 2 - (l[0][1] != ' ') : *l);
        fixed = row;
        gap = false;
    }
    g_string_append(out, fixed ? ".fi\n.RE\n" : "");
}

static void add_facts(GString *out)
{
    g_string_append(out, ".SH EXIT STATUS\n");
    for (const CliFact *f = cli_exit_statuses; f->name != NULL; f++) {
        add_tagged(out, f->name, f->doc);
    }
    g_string_append(out, ".SH ENVIRONMENT\n");
    for (const CliFact *f = cli_environment; f->name != NULL; f++) {
        add_tagged(out, f->name, f->doc);
    }
}

/* ---- pages ------------------------------------------------------------------------------------------------------ */

static void add_see_also(GString *out, const char *but)
{
    g_string_append(out, ".SH SEE ALSO\n");
    g_string_append(out, but != NULL ? ".BR warpwright (1)" : "");
    bool any = but != NULL;
    for (const CliCommand *c = cli_commands; c->name != NULL; c++) {
        if (!c->hidden && (but == NULL || strcmp(c->name, but) != 0)) {
            g_string_append_printf(out, "%s.BR warpwright\\-%s (1)", any ? ",\n" : "", c->name);
            any = true;
        }
    }
    g_string_append_c(out, '\n');
}

static void add_options(GString *out, const CliPage *page)
{
    g_autoptr(GPtrArray) groups = cli_page_groups(page);
    g_string_append(out, ".SH OPTIONS\n");
    for (guint i = 0; i < groups->len; i++) {
        const CliGroup *group = groups->pdata[i];
        if (groups->len > 1) {
            g_string_append(out, ".SS ");
            add_line(out, group->title);
        }
        for (guint k = 0; k < group->rows->len; k++) {
            const GOptionEntry *row = group->rows->pdata[k];
            g_autofree char *tag = cli_option_text(row);
            add_tagged(out, tag, row->description);
        }
    }
}

static void add_page(const CliPage *page, void *user)
{
    GString *out = user;
    g_autofree char *name = g_strconcat("warpwright-", page->command, NULL);
    add_head(out, name, cli_command_find(page->command)->doc);
    g_string_append(out, ".SH SYNOPSIS\n.B warpwright ");
    add_escaped(out, page->command);
    g_string_append(out, "\n[\\fIOPTION\\fR...] ");
    add_line(out, page->usage);
    g_string_append(out, ".SH DESCRIPTION\n");
    add_line(out, page->summary);
    add_options(out, page);
    if (page->description != NULL && *page->description != '\0') {
        g_string_append(out, ".SH NOTES\n");
        add_description(out, page->description);
    }
    add_facts(out);
    add_see_also(out, page->command);
}

static void add_overview(GString *out)
{
    add_head(out, "warpwright", "simulate GPUs made of clocked components");
    g_string_append(out, ".SH SYNOPSIS\n.B warpwright\n\\fICOMMAND\\fR [\\fIARGUMENT\\fR...]\n"
                         ".SH DESCRIPTION\n"
                         "Builds GPU streaming multiprocessors out of components and replays "
                         "instruction traces on them.\n"
                         ".SH COMMANDS\n");
    for (const CliCommand *c = cli_commands; c->name != NULL; c++) {
        if (!c->hidden) {
            add_tagged(out, c->name, c->doc);
        }
    }
    add_facts(out);
    add_see_also(out, NULL);
}

/* The page of @p command, NULL: of the whole; newly allocated. */
static GString *page_text(const CliCommand *command)
{
    GString *out = g_string_new(NULL);
    if (command == NULL) {
        add_overview(out);
    } else {
        cli_page_of(command, add_page, out);
    }
    return out;
}

static bool write_page(const char *folder, const CliCommand *command, GError **error)
{
    g_autoptr(GString) text = page_text(command);
    g_autofree char *file = command == NULL ? g_strdup("warpwright.1")
                                            : g_strdup_printf("warpwright-%s.1", command->name);
    g_autofree char *path = g_build_filename(folder, file, NULL);
    g_autoptr(GError) why = NULL;
    return g_file_set_contents(path, text->str, (gssize)text->len, &why) ||
           ww_fail(error, WW_ERROR_SYSTEM,
                   "man: cannot write %s: %s; expected a folder that can be written", path,
                   why->message);
}

static bool write_all(const char *folder, GError **error)
{
    bool good = write_page(folder, NULL, error);
    for (const CliCommand *c = cli_commands; good && c->name != NULL; c++) {
        good = c->hidden || write_page(folder, c, error);
    }
    return good;
}

int cli_man(int argc, char **argv)
{
    g_autofree char *folder = NULL;
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"output", 'o', 0, G_OPTION_ARG_FILENAME, &folder, "Write all pages to this folder",
         "FOLDER"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    if (!cli_parse(&argc, &argv, "[COMMAND]", "Prints a manual page.", NULL, tables, &error)) {
        return cli_fail(error);
    }
    if (argc > 2) {
        return cli_fail_text("man: '%s' is one argument too many; expected one command", argv[2]);
    }
    const CliCommand *command = argc > 1 ? cli_command_find(argv[1]) : NULL;
    if (argc > 1 && command == NULL) {
        return cli_command_unknown(argv[1]);
    }
    if (folder != NULL) {
        return write_all(folder, &error) ? CLI_DONE : cli_fail(error);
    }
    g_autoptr(GString) text = page_text(command);
    fputs(text->str, stdout);
    return CLI_DONE;
}
