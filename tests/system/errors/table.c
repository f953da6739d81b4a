/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables of cases: a text of lines `word: text`. `case: NAME` begins one; a file's content stands
 * below its line, each line behind a '|'. Lines that begin with '#' are comments.
 */
#include "tests.h"

#include <string.h>

static void line_free(gpointer data)
{
    Line *l = data;
    g_free(l->word);
    g_free(l->text);
    if (l->below != NULL) {
        g_string_free(l->below, true);
    }
    g_free(l);
}

void case_free(gpointer data)
{
    Case *c = data;
    g_ptr_array_unref(c->lines);
    g_free(c->table);
    g_free(c->name);
    g_free(c);
}

static Case *case_new(const char *table, const char *name, int line)
{
    Case *c = g_new0(Case, 1);
    c->table = g_strdup(table);
    c->name = g_strdup(name);
    c->line = line;
    c->lines = g_ptr_array_new_with_free_func(line_free);
    return c;
}

static void add_below(Case *c, const char *text, const char *path, int number)
{
    if (c == NULL || c->lines->len == 0) {
        g_error("%s:%d: text without a file", path, number);
    }
    Line *l = c->lines->pdata[c->lines->len - 1];
    if (l->below == NULL) {
        l->below = g_string_new(NULL);
    }
    g_string_append(l->below, *text == ' ' ? text + 1 : text);
    g_string_append_c(l->below, '\n');
}

static void add_line(Case *c, const char *word, const char *text, const char *path, int number)
{
    static const char *const words[] = {"file", "make", "run", "says", "also", "status", NULL};
    if (c == NULL || !g_strv_contains(words, word)) {
        g_error("%s:%d: '%s:' here; expected case, file, make, run, says, also or status", path,
                number, word);
    }
    Line *l = g_new0(Line, 1);
    l->word = g_strdup(word);
    l->text = g_strdup(text);
    g_ptr_array_add(c->lines, l);
}

void table_read(const char *path, GPtrArray *cases)
{
    g_autofree char *all = NULL;
    g_autoptr(GError) error = NULL;
    g_autofree char *base = g_path_get_basename(path);
    Case *c = NULL;
    g_file_get_contents(path, &all, NULL, &error);
    g_assert_no_error(error);
    *strchr(base, '.') = '\0';
    g_auto(GStrv) lines = g_strsplit(all, "\n", -1);
    for (int i = 0; lines[i] != NULL; i++) {
        char *colon = strchr(lines[i], ':');
        if (*lines[i] == '\0' || *lines[i] == '#') {
            continue;
        }
        if (*lines[i] == '|') {
            add_below(c, lines[i] + 1, path, i + 1);
            continue;
        }
        if (colon == NULL) {
            g_error("%s:%d: '%s'; expected 'word: text'", path, i + 1, lines[i]);
        }
        *colon = '\0';
        if (strcmp(lines[i], "case") == 0) {
            c = case_new(base, g_strstrip(colon + 1), i + 1);
            g_ptr_array_add(cases, c);
        } else {
            add_line(c, lines[i], g_strstrip(colon + 1), path, i + 1);
        }
    }
}
