/* SPDX-License-Identifier: Apache-2.0 */
#include "csv.h"

#include <errno.h>
#include <string.h>

#define MOST_FIELD (1u << 20) /* bytes of a field */
#define MOST_FIELDS 65536u    /* of a record */

bool cli_csv_fail(const CliCsv *r, GError **error, const char *what)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s", r->path, r->first, what);
}

bool cli_csv_open(CliCsv *r, const char *path, GError **error)
{
    *r = (CliCsv){.path = path, .in = fopen(path, "re")};
    if (r->in == NULL) {
        return ww_fail(error, WW_ERROR_SYSTEM, "cannot open '%s': %s; expected a CSV", path,
                       g_strerror(errno));
    }
    r->fields = g_ptr_array_new_with_free_func(g_free);
    r->field = g_string_new(NULL);
    return true;
}

void cli_csv_close(CliCsv *r)
{
    g_ptr_array_unref(r->fields);
    g_string_free(r->field, true);
    fclose(r->in);
}

static bool end_field(CliCsv *r, bool loose, GError **error)
{
    if (r->fields->len == MOST_FIELDS) {
        return loose ||
               cli_csv_fail(r, error, "more than 65536 fields; expected a table of figures");
    }
    if (!loose && strlen(r->field->str) != r->field->len) {
        return cli_csv_fail(r, error, "a byte that is 0; expected CSV, which is text");
    }
    g_ptr_array_add(r->fields, g_strdup(g_strstrip(r->field->str)));
    g_string_truncate(r->field, 0);
    return true;
}

static bool add_byte(CliCsv *r, int c, bool loose, GError **error)
{
    if (r->field->len == MOST_FIELD) {
        return loose ||
               cli_csv_fail(r, error, "a field of more than 1 MiB; expected a name or a number");
    }
    g_string_append_c(r->field, (char)c);
    return true;
}

/* What stands in quotes, whose first was read: up to the last one. Two are one of the text. */
static bool read_quoted(CliCsv *r, bool loose, GError **error)
{
    for (;;) {
        int c = getc_unlocked(r->in);
        if (c == EOF || (loose && c == '\n')) {
            ungetc(c, r->in);
            return loose || ferror(r->in) || /* which the reader of the record tells */
                   cli_csv_fail(r, error, "quotes that do not end; expected '\"' behind the field");
        }
        r->line += c == '\n';
        if (c == '"') {
            c = getc_unlocked(r->in);
            if (c != '"') {
                ungetc(c, r->in);
                return true;
            }
        }
        if (!add_byte(r, c, loose, error)) {
            return false;
        }
    }
}

/* Some programs begin text with the mark of UTF-8. */
static void skip_mark(CliCsv *r)
{
    static const unsigned char mark[] = {0xef, 0xbb, 0xbf};
    size_t n = 0;
    int c = 0;
    while (n < sizeof mark && (c = getc_unlocked(r->in)) == mark[n]) {
        n++;
    }
    if (n < sizeof mark) {
        ungetc(c, r->in);
        g_string_append_len(r->field, (const char *)mark, (gssize)n);
    }
}

bool cli_csv_next(CliCsv *r, bool loose, GError **error)
{
    g_ptr_array_set_size(r->fields, 0);
    g_string_truncate(r->field, 0);
    if (r->line == 0) {
        skip_mark(r);
    }
    r->first = ++r->line;
    bool begins = r->field->len == 0, good = true;
    for (;;) {
        int c = getc_unlocked(r->in);
        if (c == EOF && ferror(r->in)) {
            return ww_fail(error, WW_ERROR_SYSTEM, "cannot read '%s': %s; expected a CSV", r->path,
                           g_strerror(errno));
        }
        if (c == EOF && r->fields->len == 0 && begins) {
            return true;
        }
        bool ends = c == EOF || c == '\n';
        if (ends || c == ',') {
            good = end_field(r, loose, error);
        } else if (c == '"' && begins) {
            good = read_quoted(r, loose, error);
        } else {
            good = add_byte(r, c, loose, error);
        }
        begins = c == ',';
        if (ends || !good) {
            return good;
        }
    }
}
