/* SPDX-License-Identifier: Apache-2.0 */
/* Options and errors. Every message is one line that is complete by itself, and goes to stderr once. */
#include "cli-priv.h"
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

void cli_say(const char *kind, const char *text)
{
    g_autoptr(GString) line = g_string_new("warpwright: ");
    g_string_append(line, kind);
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '\n' && p[1] == ' ') { /* an excerpt of a file goes below, indented */
            g_string_append_c(line, '\n');
        } else if (c < ' ' || c == 0x7f) {
            g_string_append_printf(line, c == '\n' ? "\\n" : c == '\t' ? "\\t" : "\\x%02x", c);
        } else {
            g_string_append_c(line, *p);
        }
    }
    g_string_append_c(line, '\n');
    fputs(line->str, stderr);
}

int cli_fail(GError *error)
{
    cli_say("", error != NULL ? error->message : "failed without a reason");
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
static bool fail_unknown(const char *command, const char *message,
                         const GOptionEntry *const *tables, GError **error)
{
    const char *at = strstr(message, "--");
    g_autofree char *word = g_strdup(at != NULL ? at + 2 : "");
    word[strcspn(word, "= \t")] = '\0';
    g_autoptr(GPtrArray) names = g_ptr_array_new();
    for (; *tables != NULL; tables++) {
        for (const GOptionEntry *e = *tables; e->long_name != NULL; e++) {
            g_ptr_array_add(names, (gpointer)e->long_name);
        }
    }
    const char *near = ww_closest(word, (const char *const *)names->pdata, names->len);
    g_autofree char *first = g_strdup(message);
    first[0] = g_ascii_tolower(first[0]);
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s: %s%s%s%s; expected an option that 'warpwright %s --help' lists", command,
                   first, near != NULL ? ", did you mean --" : "", near != NULL ? near : "",
                   near != NULL ? "?" : "", command);
}

/* GLib's text, in plain ASCII whatever the terminal can show. */
static void print_help(GOptionContext *context)
{
    g_autofree char *text = g_option_context_get_help(context, true, NULL);
    g_auto(GStrv) pieces = g_strsplit(text, "\xe2\x80\xa6", -1); /* the ellipsis */
    g_autofree char *plain = g_strjoinv("...", pieces);
    fputs(plain, stdout);
}

/* The row of short option @p c that takes a value, or NULL. */
static const GOptionEntry *with_value(const GOptionEntry *const *tables, char c)
{
    for (; *tables != NULL; tables++) {
        for (const GOptionEntry *e = *tables; e->long_name != NULL; e++) {
            if (e->short_name == c && e->arg != G_OPTION_ARG_NONE) {
                return e;
            }
        }
    }
    return NULL;
}

/*
 * GLib wants "-c NAME": makes that of "-cNAME", and of "--": what follows are arguments, whatever they look like. The words
 * before it are in @p options, those behind it in @p rest.
 */
static void split_words(int argc, char **argv, const GOptionEntry *const *tables,
                        GPtrArray *options, GPtrArray *rest)
{
    bool value = false; /* of the option before */
    int i = 0;
    for (; i < argc && (value || i == 0 || strcmp(argv[i], "--") != 0); i++) {
        const char *w = argv[i];
        bool is_short = !value && i != 0 && w[0] == '-' && w[1] != '-' && w[1] != '\0';
        const GOptionEntry *e = is_short ? with_value(tables, w[1]) : NULL;
        if (e != NULL && w[2] != '\0') {
            g_ptr_array_add(options, (gpointer)g_intern_string((char[]){'-', w[1], '\0'}));
            g_ptr_array_add(options, argv[i] + 2);
        } else {
            g_ptr_array_add(options, argv[i]);
            value = e != NULL;
            continue;
        }
        value = false;
    }
    for (i++; i < argc; i++) {
        g_ptr_array_add(rest, argv[i]);
    }
}

bool cli_parse(int *argc, char ***argv, const char *usage, const char *summary,
               const char *description, const GOptionEntry *const *tables, GError **error)
{
    const char *command = (*argv)[0];
    g_autofree char *name = g_strdup_printf("warpwright %s", command);
    g_autoptr(GOptionContext) context = g_option_context_new(usage);
    g_autoptr(GError) why = NULL;
    gboolean help = false;
    const GOptionEntry help_entry[] = {
        {"help", 'h', 0, G_OPTION_ARG_NONE, &help, "Show this help", NULL}, {NULL}};
    g_option_context_set_help_enabled(context, false);
    g_option_context_set_summary(context, summary);
    g_option_context_set_description(context, description);
    for (const GOptionEntry *const *t = tables; *t != NULL; t++) {
        g_option_context_add_main_entries(context, *t, NULL);
    }
    g_option_context_add_main_entries(context, help_entry, NULL);
    g_set_prgname(name);
    static GPtrArray *words; /* what argv becomes; used until the end */
    g_autoptr(GPtrArray) rest = g_ptr_array_new();
    words = words != NULL ? words : g_ptr_array_new();
    g_ptr_array_set_size(words, 0);
    split_words(*argc, *argv, tables, words, rest);
    *argc = (int)words->len;
    g_ptr_array_add(words, NULL);
    *argv = (char **)words->pdata;
    if (!g_option_context_parse(context, argc, argv, &why)) {
        if (g_error_matches(why, G_OPTION_ERROR, G_OPTION_ERROR_UNKNOWN_OPTION)) {
            return fail_unknown(command, why->message, tables, error);
        }
        return ww_fail(error, WW_ERROR_USAGE, "%s: %c%s; expected as 'warpwright %s --help' says",
                       command, g_ascii_tolower(why->message[0]), why->message + 1, command);
    }
    if (help) {
        print_help(context);
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

bool cli_number(const char *what, const char *word, uint64_t *out, GError **error)
{
    g_autoptr(GError) why = NULL;
    if (!g_ascii_string_to_unsigned(word, 10, 0, UINT64_MAX, out, &why)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "%s '%s' is not a whole number; expected 0 to %" G_GUINT64_FORMAT, what,
                       word, (uint64_t)UINT64_MAX);
    }
    return true;
}
