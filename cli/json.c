/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON: values by jansson, the layout ours, so that a diff of two results has a line for each counter. */
#include "json.h"

#include <glib.h>
#include <stdbool.h>

#define SMALL_LEVEL 3

json_t *cli_json_text(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
    return json_string(valid);
}

static void indent(int n, FILE *out)
{
    fputc('\n', out);
    for (int i = 0; i < n; i++) {
        fputc(' ', out);
    }
}

static void write_flat(const json_t *value, FILE *out)
{
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    fputs(text, out);
    free(text);
}

static void write_at(const json_t *value, int depth, int level, FILE *out);

static void write_object(const json_t *value, int depth, int level, FILE *out)
{
    const char *key, *comma = "";
    json_t *member;
    fputc('{', out);
    json_object_foreach((json_t *)value, key, member)
    {
        json_t *name = cli_json_text(key);
        fputs(comma, out);
        comma = ",";
        indent(level + 1, out);
        write_flat(name, out);
        fputs(": ", out);
        write_at(member, depth - 1, level + 1, out);
        json_decref(name);
    }
    indent(level, out);
    fputc('}', out);
}

static void write_list(const json_t *value, int depth, int level, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < json_array_size(value); i++) {
        fputs(i != 0 ? "," : "", out);
        indent(level + 1, out);
        write_at(json_array_get(value, i), depth - 1, level + 1, out);
    }
    indent(level, out);
    fputc(']', out);
}

/* An object that holds no other, well inside: the entries of a vector. */
static bool is_small(const json_t *value, int level)
{
    const char *key;
    json_t *member;
    json_object_foreach((json_t *)value, key, member)
    {
        if (level < SMALL_LEVEL || json_is_object(member) || json_is_array(member)) {
            return false;
        }
    }
    return true;
}

static void write_at(const json_t *value, int depth, int level, FILE *out)
{
    if (depth > 0 && json_is_object(value) && !is_small(value, level)) {
        write_object(value, depth, level, out);
    } else if (depth > 0 && json_is_array(value) && json_is_object(json_array_get(value, 0))) {
        write_list(value, depth, level, out);
    } else {
        write_flat(value, out);
    }
}

void cli_json_write(const json_t *value, int depth, FILE *out)
{
    write_at(value, depth, 0, out);
    fputc('\n', out);
}

void cli_json_member(CliJsonWriter *w, const char *key, json_t *value)
{
    fputs(w->members++ == 0 ? "{" : ",", w->out);
    indent(1, w->out);
    json_t *name = cli_json_text(key);
    write_flat(name, w->out);
    fputs(": ", w->out);
    json_decref(name);
    w->entries = 0;
    if (value != NULL) {
        write_at(value, w->depth - 1, 1, w->out);
        json_decref(value);
    }
}

void cli_json_entry(CliJsonWriter *w, json_t *value)
{
    fputs(w->entries++ == 0 ? "[" : ",", w->out);
    indent(2, w->out);
    write_at(value, w->depth - 2, 2, w->out);
    json_decref(value);
}

void cli_json_list_end(CliJsonWriter *w)
{
    if (w->entries == 0) {
        fputs("[]", w->out);
    } else {
        indent(1, w->out);
        fputc(']', w->out);
    }
}

void cli_json_end(CliJsonWriter *w)
{
    fputs("\n}\n", w->out);
}
