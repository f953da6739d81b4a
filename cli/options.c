/* SPDX-License-Identifier: Apache-2.0 */
/* Options and errors. Every message is one line that is complete by itself, and goes to stderr once. */
#include "page.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_say(const char *kind, const char *text)
{
    CliPaint paint = *kind == '\0'                       ? CLI_ERROR
                     : g_str_has_prefix(kind, "warning") ? CLI_WARNING
                                                         : CLI_NOTE;
    g_autoptr(GString) line = g_string_new(cli_paint(stderr, paint));
    g_string_append_printf(line, "warpwright: %s%s", kind, cli_paint(stderr, CLI_PLAIN));
    for (const char *p = text; *p != '\0';) {
        if (*p == '\n' && p[1] == ' ') { /* an excerpt of a file goes below, indented */
            g_string_append_c(line, *p++);
        } else {
            cli_add_visible(line, &p);
        }
    }
    g_string_append_c(line, '\n');
    fputs(line->str, stderr);
}

int cli_fail(GError *error)
{
    if (cli_page_only()) {
        g_clear_error(&error);
        return CLI_DONE;
    }
    g_autofree char *text = g_strdup_printf(
        "%s%s", error != NULL && g_str_has_prefix(error->message, ": ") ? "''" : "", /* no name */
        error != NULL ? error->message : "failed without a reason");
    cli_say("", text);
    g_clear_error(&error);
    return CLI_USAGE;
}

int cli_fail_text(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    cli_say("", text);
    return CLI_USAGE;
}

/* GLib says "Unknown option --confg": say which subcommand, and what was probably meant. */
static bool fail_unknown(const CliPage *page, const char *message, GError **error)
{
    const char *at = strstr(message, "--");
    g_autofree char *word = g_strdup(at != NULL ? at + 2 : "");
    word[strcspn(word, "= \t")] = '\0';
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (const GOptionEntry *const *table = page->tables; *table != NULL; table++) {
        for (const GOptionEntry *e = *table; e->long_name != NULL; e++) {
            g_ptr_array_add(names, (gpointer)e->long_name);
        }
    }
    const char *near = ww_closest(word, (const char *const *)names->pdata, names->len);
    g_autofree char *first = g_strdup(message);
    first[0] = g_ascii_tolower(first[0]);
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s: %s%s%s%s; expected an option that 'warpwright %s --help' lists",
                   page->command, first, near != NULL ? ", did you mean --" : "",
                   near != NULL ? near : "", near != NULL ? "?" : "", page->command);
}

/* "-vcNAME" of options without a value, and of one that has it: where that one's letter stands, or 0. */
static size_t letter_with_value(const CliPage *page, const char *word)
{
    for (size_t i = 1; word[i] != '\0'; i++) {
        const GOptionEntry *e = cli_page_option(page, NULL, word[i]);
        if (e == NULL || cli_option_takes_word(e)) {
            return e != NULL ? i : 0;
        }
    }
    return 0;
}

/* "--pcs=yes" of an option without a value, which GLib takes for "--pcs". */
static bool refuse_value(const CliPage *page, const char *word, GError **error)
{
    const char *equals = g_str_has_prefix(word, "--") ? strchr(word, '=') : NULL;
    g_autofree char *name = equals != NULL ? g_strndup(word + 2, (gsize)(equals - word) - 2) : NULL;
    const GOptionEntry *e = name != NULL ? cli_page_option(page, name, '\0') : NULL;
    return e == NULL || e->arg != G_OPTION_ARG_NONE ||
           ww_fail(error, WW_ERROR_USAGE, "%s: --%s has a value, '%s'; expected --%s alone",
                   page->command, name, equals + 1, name);
}

/* The option of @p word that has a value, with it or before it: "--rows", "--rows=a", or the letter at @p at. NULL: none. */
static const GOptionEntry *row_with_value(const CliPage *page, const char *word, size_t at)
{
    g_autofree char *name =
        g_str_has_prefix(word, "--") ? g_strndup(word + 2, strcspn(word + 2, "=")) : NULL;
    const GOptionEntry *e = name != NULL || at != 0 ? cli_page_option(page, name, word[at]) : NULL;
    return e != NULL && cli_option_takes_word(e) ? e : NULL;
}

/* Of an option that has one value GLib keeps the last, and forgets the others without a word. */
static bool refuse_twice(const CliPage *page, const GOptionEntry *e, GHashTable *given,
                         GError **error)
{
    bool many =
        e == NULL || e->arg == G_OPTION_ARG_FILENAME_ARRAY || e->arg == G_OPTION_ARG_STRING_ARRAY;
    return many || g_hash_table_add(given, (gpointer)e) ||
           ww_fail(error, WW_ERROR_USAGE, "%s: --%s is given more than once; expected it once",
                   page->command, e->long_name);
}

/*
 * GLib wants "-c NAME": makes that of "-cNAME", and of "--": what follows are arguments, whatever they look like. The words
 * before it are in @p options, those behind it in @p rest.
 */
static bool split_words(int argc, char **argv, const CliPage *page, GPtrArray *options,
                        GPtrArray *rest, GError **error)
{
    g_autoptr(GHashTable) given = g_hash_table_new(g_direct_hash, g_direct_equal);
    bool value = false; /* of the option before */
    int i = 0;
    for (; i < argc && (value || i == 0 || strcmp(argv[i], "--") != 0); i++) {
        const char *w = argv[i];
        bool is_option = !value && i != 0 && w[0] == '-' && w[1] != '\0';
        size_t at = is_option && w[1] != '-' ? letter_with_value(page, w) : 0;
        const GOptionEntry *e = is_option ? row_with_value(page, w, at) : NULL;
        if (is_option && (!refuse_value(page, w, error) || !refuse_twice(page, e, given, error))) {
            return false;
        }
        value = e != NULL && at == 0 && strchr(w, '=') == NULL;
        if (at == 0) {
            g_ptr_array_add(options, argv[i]);
            continue;
        }
        g_autofree char *letters = g_strndup(w, at + 1);
        g_ptr_array_add(options, (gpointer)g_intern_string(letters));
        value = w[at + 1] == '\0';
        if (!value) {
            g_ptr_array_add(options, argv[i] + at + 1);
        }
    }
    for (i++; i < argc; i++) {
        g_ptr_array_add(rest, argv[i]);
    }
    return true;
}

/* To GLib the rows of all tables are one list; headings are ours. */
static GArray *plain_rows(const CliPage *page, gboolean *help)
{
    GArray *rows = g_array_new(true, false, sizeof(GOptionEntry));
    for (const GOptionEntry *const *table = page->tables; *table != NULL; table++) {
        for (const GOptionEntry *e = *table; e->long_name != NULL; e++) {
            if (*e->long_name != '\0') {
                g_array_append_val(rows, *e);
            }
        }
    }
    const GOptionEntry last = {"help", 'h', 0, G_OPTION_ARG_NONE, help, "", NULL};
    g_array_append_val(rows, last);
    return rows;
}

/* GLib's parser on @p words, in which the arguments stay. */
static bool parse(const CliPage *page, int *argc, char ***argv, gboolean *help, GError **error)
{
    g_autofree char *name = g_strdup_printf("warpwright %s", page->command);
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GArray) rows = plain_rows(page, help);
    g_autoptr(GError) why = NULL;
    g_option_context_set_help_enabled(context, false);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)rows->data, NULL);
    g_set_prgname(name);
    if (g_option_context_parse(context, argc, argv, &why)) {
        return true;
    }
    if (g_error_matches(why, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
        return fail_unknown(page, why->message, error);
    }
    return ww_fail(error, WW_ERROR_USAGE, "%s: %c%s; expected as 'warpwright %s --help' says",
                   page->command, g_ascii_tolower(why->message[0]), why->message + 1,
                   page->command);
}

bool cli_parse(int *argc, char ***argv, const char *usage, const char *summary,
               const char *description, const GOptionEntry *const *tables, GError **error)
{
    const CliPage page = {(*argv)[0], usage, summary, description, tables};
    gboolean help = false;
    static GPtrArray *words; /* what argv becomes; used until the end */
    g_autoptr(GPtrArray) rest = g_ptr_array_new();
    if (cli_page_taken(&page)) {
        return ww_fail(error, WW_ERROR_USAGE, "%s: only looked at", page.command);
    }
    words = words != NULL ? words : g_ptr_array_new();
    g_ptr_array_set_size(words, 0);
    if (!split_words(*argc, *argv, &page, words, rest, error)) {
        return false;
    }
    *argc = (int)words->len;
    g_ptr_array_add(words, NULL);
    *argv = (char **)words->pdata;
    if (!parse(&page, argc, argv, &help, error)) {
        return false;
    }
    if (help) {
        cli_page_help(&page, stdout);
        exit(cli_process_end(CLI_DONE));
    }
    g_ptr_array_set_size(words, *argc);
    for (guint i = 0; i < rest->len; i++) {
        g_ptr_array_add(words, rest->pdata[i]);
    }
    *argc = (int)words->len;
    g_ptr_array_add(words, NULL);
    *argv = (char **)words->pdata;
    return true;
}

const char *cli_choices(const char *const *names)
{
    g_autofree char *all = g_strjoinv("|", (char **)names);
    return g_intern_string(all);
}

/* "a, b or c": names whose bits are set. */
static char *some_of(const char *const *names, unsigned bits)
{
    GString *all = g_string_new(NULL);
    for (unsigned i = 0; names[i] != NULL; i++) {
        if ((bits >> i & 1u) != 0) {
            g_string_append_printf(all, "%s%s",
                                   all->len == 0          ? ""
                                   : bits >> (i + 1) == 0 ? " or "
                                                          : ", ",
                                   names[i]);
        }
    }
    return g_string_free(all, false);
}

bool cli_uses(const char *command, const char *const *actions, int what, const CliUse *uses,
              GError **error)
{
    for (const CliUse *u = uses; u->option != NULL; u++) {
        if (u->given != NULL && (u->with >> what & 1u) == 0) {
            g_autofree char *with = some_of(actions, u->with);
            const char *quote = *u->given != '\0' ? "'" : "";
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s %s: %s %s%s%s%shas no effect; expected it with %s", command,
                           actions[what], u->option, quote, u->given, quote,
                           *quote != '\0' ? " " : "", with);
        }
    }
    return true;
}

int cli_choice(const char *what, const char *word, const char *const *names, GError **error)
{
    g_autoptr(GString) all = g_string_new(NULL);
    size_t n = 0;
    for (; names[n] != NULL; n++) {
        if (strcmp(names[n], word) == 0) {
            return (int)n;
        }
        g_string_append_printf(all, "%s%s",
                               n == 0                 ? ""
                               : names[n + 1] == NULL ? " or "
                                                      : ", ",
                               names[n]);
    }
    const char *near = ww_closest(word, names, n);
    ww_fail(error, WW_ERROR_USAGE, "%s '%s' is unknown%s%s%s; expected %s", what, word,
            near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
            near != NULL ? "'?" : "", all->str);
    return -1;
}

bool cli_number_in(const char *what, const char *word, uint64_t least, uint64_t most, uint64_t *out,
                   GError **error)
{
    bool whole = g_ascii_string_to_unsigned(word, 10, 0, UINT64_MAX, out, NULL);
    if (whole && *out >= least && *out <= most) {
        return true;
    }
    bool digits = *word != '\0' && strspn(word, "0123456789") == strlen(word); /* too many */
    g_autofree char *range =
        least != 0 && most == UINT64_MAX && (whole || !digits)
            ? g_strdup_printf("%" G_GUINT64_FORMAT " or more", least)
            : g_strdup_printf("%" G_GUINT64_FORMAT " to %" G_GUINT64_FORMAT, least, most);
    return ww_fail(error, WW_ERROR_USAGE,
                   digits ? "%s %s; expected %s" : "%s '%s' is not a whole number; expected %s",
                   what, word, range);
}

bool cli_number(const char *what, const char *word, uint64_t *out, GError **error)
{
    return cli_number_in(what, word, 0, UINT64_MAX, out, error);
}

bool cli_listings(char *const *given, const char *const **listings, GError **error)
{
    static const char *const none[] = {NULL};
    *listings = (const char *const *)given;
    if (given == NULL || !g_strv_contains((const char *const *)given, "none")) {
        return true;
    }
    *listings = none;
    return given[1] == NULL ||
           ww_fail(error, WW_ERROR_USAGE, "--sass none beside other files; expected it alone");
}
