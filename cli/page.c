/* SPDX-License-Identifier: Apache-2.0 */
/* A command's page: its options in groups, and --help. */
#include "page.h"

#include <string.h>

#define MOST_WIDTH 110u /* lines that are longer are not read well */
#define NAMES_WIDTH 27u /* what an option is called; longer ones have a line of their own */

#define ROW_WIDTH 16u

/* ---- looking at a command without running it -------------------------------------------------------------------- */

static CliPageFn taker;
static void *taker_user;
static bool only;

void cli_page_of(const CliCommand *command, CliPageFn fn, void *user)
{
    char *words[] = {(char *)command->name, NULL}; /* nobody writes into a word */
    taker = fn;
    taker_user = user;
    only = true;
    command->run(1, words);
    only = false;
    taker = NULL;
}

bool cli_page_taken(const CliPage *page)
{
    CliPageFn fn = taker;
    taker = NULL; /* whom it asks may parse, too */
    if (fn != NULL) {
        fn(page, taker_user);
    }
    return fn != NULL;
}

bool cli_page_only(void)
{
    return only;
}

/* ---- options ---------------------------------------------------------------------------------------------------- */

static const GOptionEntry help_row = {"help",           'h', 0, G_OPTION_ARG_NONE, NULL,
                                      "Show this help", NULL};

static void free_group(gpointer data)
{
    CliGroup *group = data;
    g_ptr_array_unref(group->rows);
    g_free(group);
}

static CliGroup *group_named(GPtrArray *groups, const char *title)
{
    for (guint i = 0; i < groups->len; i++) {
        CliGroup *group = groups->pdata[i];
        if (strcmp(group->title, title) == 0) {
            return group;
        }
    }
    CliGroup *group = g_new0(CliGroup, 1);
    group->title = title;
    group->rows = g_ptr_array_new();
    g_ptr_array_add(groups, group);
    return group;
}

GPtrArray *cli_page_groups(const CliPage *page)
{
    GPtrArray *groups = g_ptr_array_new_with_free_func(free_group);
    for (const GOptionEntry *const *table = page->tables; *table != NULL; table++) {
        const char *title = "Options";
        for (const GOptionEntry *e = *table; e->long_name != NULL; e++) {
            if (*e->long_name == '\0') {
                title = e->description;
            } else if (!(e->flags & G_OPTION_FLAG_HIDDEN)) {
                g_ptr_array_add(group_named(groups, title)->rows, (gpointer)e);
            }
        }
    }
    CliGroup *last =
        groups->len == 1 ? groups->pdata[0] : group_named(groups, groups->len ? "Help" : "Options");
    g_ptr_array_add(last->rows, (gpointer)&help_row);
    return groups;
}

bool cli_option_takes_word(const GOptionEntry *row)
{
    return row->arg != G_OPTION_ARG_NONE &&
           !(row->flags & (G_OPTION_FLAG_OPTIONAL_ARG | G_OPTION_FLAG_NO_ARG));
}

char *cli_option_text(const GOptionEntry *row)
{
    bool optional = (row->flags & G_OPTION_FLAG_OPTIONAL_ARG) != 0;
    const char *value = row->arg_description;
    GString *text = g_string_new(NULL);
    if (row->short_name != 0) {
        g_string_append_printf(text, "-%c, ", row->short_name);
    }
    g_string_append_printf(text, "--%s", row->long_name);
    if (value != NULL && (optional || cli_option_takes_word(row))) {
        g_string_append_printf(text, "%s=%s%s", optional ? "[" : "", value, optional ? "]" : "");
    }
    return g_string_free(text, false);
}

const GOptionEntry *cli_page_option(const CliPage *page, const char *name, char letter)
{
    for (const GOptionEntry *const *table = page->tables; *table != NULL; table++) {
        for (const GOptionEntry *e = *table; e->long_name != NULL; e++) {
            bool same = name != NULL ? *e->long_name != '\0' && strcmp(e->long_name, name) == 0
                                     : e->short_name == letter;
            if (same) {
                return e;
            }
        }
    }
    bool help =
        name != NULL ? strcmp(name, help_row.long_name) == 0 : letter == help_row.short_name;
    return help ? &help_row : NULL;
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

/* Words of @p text from column @p at on, below each other from column @p indent. */
static void print_wrapped(const char *text, size_t at, size_t indent, size_t width, FILE *out)
{
    bool first = true;
    while (*text != '\0') {
        size_t n = strcspn(text, " "), wide = (size_t)g_utf8_strlen(text, (gssize)n);
        if (!first && at + 1 + wide > width) {
            fprintf(out, "\n%*s", (int)indent, "");
            at = indent;
            first = true;
        }
        fprintf(out, "%s%.*s", first ? "" : " ", (int)n, text);
        at += wide + !first;
        first = false;
        text += n;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_option(const GOptionEntry *row, size_t names, size_t width, FILE *out)
{
    g_autofree char *text = cli_option_text(row);
    size_t n = strlen(text) + (row->short_name == 0 ? 4 : 0), at = names + 4;
    fprintf(out, "  %s%s%s%s", row->short_name == 0 ? "    " : "", cli_paint(out, CLI_BOLD), text,
            cli_paint(out, CLI_PLAIN));
    if (n > names) {
        fprintf(out, "\n%*s", (int)at, "");
    } else {
        fprintf(out, "%*s", (int)(names - n) + 2, "");
    }
    print_wrapped(row->description, at, at, width, out);
}

void cli_page_row(const char *name, const char *doc, FILE *out)
{
    size_t width = MIN(cli_width(out), MOST_WIDTH);
    fprintf(out, "  %s%-*s%s  ", cli_paint(out, CLI_BOLD), (int)ROW_WIDTH, name,
            cli_paint(out, CLI_PLAIN));
    print_wrapped(doc, ROW_WIDTH + 4, ROW_WIDTH + 4, width, out);
}

static size_t names_width(const GPtrArray *groups)
{
    size_t most = 0;
    for (guint i = 0; i < groups->len; i++) {
        const CliGroup *group = groups->pdata[i];
        for (guint k = 0; k < group->rows->len; k++) {
            const GOptionEntry *row = group->rows->pdata[k];
            g_autofree char *text = cli_option_text(row);
            size_t n = strlen(text) + (row->short_name == 0 ? 4 : 0);
            most = n <= NAMES_WIDTH ? MAX(most, n) : most;
        }
    }
    return most;
}

/* A line that begins with a blank is a row of a table: what does not fit goes on below the row's last column. */
static void print_row(const char *line, size_t width, FILE *out)
{
    size_t indent = strspn(line, " "), at = indent;
    const char *gap = strstr(line + indent, "  ");
    if ((size_t)g_utf8_strlen(line, -1) <= width) {
        fprintf(out, "%s\n", line);
        return;
    }
    if (gap != NULL) {
        at = (size_t)(gap - line) + strspn(gap, " ");
    }
    fprintf(out, "%.*s", (int)at, line);
    print_wrapped(line + at, at, at, width, out);
}

/* Lines up to an empty one are a paragraph. */
static void print_description(const char *description, size_t width, FILE *out)
{
    g_auto(GStrv) lines = g_strsplit(description, "\n", -1);
    g_autoptr(GString) paragraph = g_string_new(NULL);
    for (char **l = lines;; l++) {
        bool flows = *l != NULL && **l != '\0' && **l != ' ';
        if (!flows && paragraph->len != 0) {
            print_wrapped(paragraph->str, 0, 0, width, out);
            g_string_truncate(paragraph, 0);
        }
        if (*l == NULL) {
            return;
        }
        if (flows) {
            g_string_append_printf(paragraph, "%s%s", paragraph->len != 0 ? " " : "", *l);
        } else if (**l == ' ') {
            print_row(*l, width, out);
        } else if (l[1] != NULL) {
            fputc('\n', out);
        }
    }
}

void cli_page_help(const CliPage *page, FILE *out)
{
    g_autoptr(GPtrArray) groups = cli_page_groups(page);
    size_t width = MIN(cli_width(out), MOST_WIDTH), names = names_width(groups);
    const char *bold = cli_paint(out, CLI_BOLD), *plain = cli_paint(out, CLI_PLAIN);
    fprintf(out, "%sUsage:%s\n  warpwright %s [OPTION...] %s\n\n", bold, plain, page->command,
            page->usage);
    print_wrapped(page->summary, 0, 0, width, out);
    for (guint i = 0; i < groups->len; i++) {
        const CliGroup *group = groups->pdata[i];
        fprintf(out, "\n%s%s:%s\n", bold, group->title, plain);
        for (guint k = 0; k < group->rows->len; k++) {
            print_option(group->rows->pdata[k], names, width, out);
        }
    }
    if (page->description != NULL && *page->description != '\0') {
        fputc('\n', out);
        print_description(page->description, width, out);
    }
}
