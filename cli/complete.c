/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warpwright complete WORD...`: what the last word of a command line may become, a line each; shells ask it (warpwright.bash). Options and
 * arguments are those of the command's page; what their values may be is in complete_values.c. Nothing here is ever an error: who
 * does not know, offers nothing.
 */
#include "complete.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void complete_offer(const Completion *c, const char *candidate)
{
    if (g_str_has_prefix(candidate, c->begun)) {
        printf("%s%s\n", c->prefix, candidate);
    }
}

/* "TYPE|FILE.plat", "info|check": kinds, and words as they are. */
static void offer_alternatives(const Completion *c, const char *names)
{
    g_auto(GStrv) each = g_strsplit(names, "|", -1);
    for (char **name = each; *name != NULL; name++) {
        if (!complete_kind(c, *name)) {
            complete_offer(c, *name);
        }
    }
}

static void offer_value(const Completion *c, const GOptionEntry *row, const char *prefix,
                        const char *begun)
{
    Completion value = *c;
    value.prefix = prefix;
    value.begun = begun;
    if (row->arg_description != NULL) {
        offer_alternatives(&value, row->arg_description);
    }
}

static void offer_options(const Completion *c, const CliPage *page)
{
    g_autoptr(GPtrArray) groups = cli_page_groups(page);
    for (guint i = 0; i < groups->len; i++) {
        const CliGroup *group = groups->pdata[i];
        for (guint k = 0; k < group->rows->len; k++) {
            const GOptionEntry *row = group->rows->pdata[k];
            g_autofree char *word =
                g_strdup_printf("--%s%s", row->long_name, cli_option_takes_word(row) ? "=" : "");
            complete_offer(c, word);
        }
    }
}

/* Argument @p i of the page, as its usage calls it ("[SCRIPT]" is "SCRIPT"); the last may go on ("B.json..."). */
static void offer_argument(const Completion *c, const CliPage *page, guint i)
{
    g_auto(GStrv) all = g_strsplit(page->usage, " ", -1);
    guint n = g_strv_length(all);
    bool goes_on = n != 0 && g_str_has_suffix(all[n - 1], "...");
    if (n == 0 || (i >= n && !goes_on)) {
        return;
    }
    g_auto(GStrv) pieces = g_strsplit_set(all[MIN(i, n - 1)], "[]", -1);
    g_autofree char *name = g_strjoinv("", pieces);
    if (g_str_has_suffix(name, "...")) {
        name[strlen(name) - 3] = '\0';
    }
    offer_alternatives(c, name);
}

/* The option whose value the next word is, if @p word is one that has none in itself. */
static const GOptionEntry *waits(const CliPage *page, const char *word)
{
    const GOptionEntry *row = NULL;
    if (g_str_has_prefix(word, "--")) {
        row = cli_page_option(page, word + 2, '\0');
    } else if (word[0] == '-' && word[1] != '\0') {
        row = cli_page_option(page, NULL, word[strlen(word) - 1]);
        for (const char *p = word + 1; p[1] != '\0'; p++) {
            const GOptionEntry *before = cli_page_option(page, NULL, *p);
            row = before == NULL || cli_option_takes_word(before) ? NULL : row;
        }
    }
    return row != NULL && cli_option_takes_word(row) ? row : NULL;
}

/* A last word that begins with '-': an option's name, or its value behind "--report=" or "-c". */
static void offer_dashed(const Completion *c, const CliPage *page)
{
    const char *equals = strchr(c->begun, '=');
    bool is_long = g_str_has_prefix(c->begun, "--");
    g_autofree char *name =
        is_long && equals != NULL ? g_strndup(c->begun + 2, (gsize)(equals - c->begun - 2)) : NULL;
    const GOptionEntry *row = is_long && equals == NULL ? NULL
                              : is_long                 ? cli_page_option(page, name, '\0')
                                                        : cli_page_option(page, NULL, c->begun[1]);
    if (row == NULL || row->arg == G_OPTION_ARG_NONE) {
        offer_options(c, page);
        return;
    }
    size_t n = is_long ? (size_t)(equals - c->begun) + 1 : 2;
    g_autofree char *prefix = g_strndup(c->begun, n);
    offer_value(c, row, prefix, c->begun + n);
}

static void complete_with(const CliPage *page, void *user)
{
    const Completion *c = user;
    const GOptionEntry *open = NULL;
    bool ended = false;
    guint arguments = 0;
    for (guint i = 1; i + 1 < c->n; i++) {
        const char *word = c->words[i];
        if (open != NULL) {
            open = NULL;
        } else if (!ended && strcmp(word, "--") == 0) {
            ended = true;
        } else if (!ended && word[0] == '-' && word[1] != '\0') {
            open = waits(page, word);
        } else {
            arguments++;
        }
    }
    if (open != NULL) {
        offer_value(c, open, "", c->begun);
    } else if (!ended && c->begun[0] == '-' && c->begun[1] != '\0') {
        offer_dashed(c, page);
    } else if (!ended && c->begun[0] == '-') {
        offer_options(c, page);
    } else {
        offer_argument(c, page, arguments);
    }
}

int cli_complete(int argc, char **argv)
{
    Completion c = {.words = argv + 1, .n = (guint)argc - 1, .prefix = ""};
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (null < 0 || dup2(null, STDERR_FILENO) < 0) { /* a line that is typed is not to be spoilt */
        return CLI_USAGE;
    }
    close(null);
    if (c.n > 1 && strcmp(c.words[0], "help") != 0) {
        const CliCommand *command = cli_command_find(c.words[0]);
        c.begun = c.words[c.n - 1];
        if (command != NULL && !command->hidden) {
            cli_page_of(command, complete_with, &c);
        }
        return CLI_DONE;
    }
    c.begun = c.n != 0 ? c.words[c.n - 1] : "";
    for (const CliCommand *k = cli_commands; k->name != NULL; k++) {
        if (!k->hidden) {
            complete_offer(&c, k->name);
        }
    }
    if (*c.begun == '-') {
        complete_offer(&c, "--help");
        complete_offer(&c, "--version");
    }
    return CLI_DONE;
}
