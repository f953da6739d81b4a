/* SPDX-License-Identifier: Apache-2.0 */
/* Writing JSON: values by jansson, the layout ours, so that a diff of two results has a line for each counter. */
#include "json.h"

#include <glib.h>
#include <stdbool.h>
#include <string.h>
#include <warpwright/event_log.h>

#define SMALL_LEVEL 3

json_t *cli_json_text(const char *text)
{
    g_autofree char *valid = g_utf8_make_valid(text != NULL ? text : "", -1);
    return json_string(valid);
}

json_t *cli_json_number(uint64_t value)
{
    return json_integer((json_int_t)value);
}

/* ---- text ------------------------------------------------------------------------------------------------------- */

static void put(const char *bytes, size_t n, FILE *out)
{
    fwrite_unlocked(bytes, 1, n, out);
}

void cli_json_put(const char *text, FILE *out)
{
    put(text, strlen(text), out);
}

void cli_json_put_line(int level, FILE *out)
{
    static const char line[] = "\n                ";
    put(line, 1 + (size_t)MIN(level, (int)sizeof line - 2), out);
}

void cli_json_put_number(uint64_t value, FILE *out)
{
    char text[48]; /* ww_event_number() may write behind its end */
    put(text, (size_t)(ww_event_number(text, value) - text), out);
}

void cli_json_put_numbers(const uint64_t *values, uint32_t n, FILE *out)
{
    char text[1024], *at = text;
    *at++ = '[';
    for (uint32_t i = 0; i < n; i++) {
        if (G_UNLIKELY(at - text > (ptrdiff_t)sizeof text - 48)) {
            put(text, (size_t)(at - text), out);
            at = text;
        }
        at = ww_event_number(at, values[i]);
        memcpy(at, ", ", 2);
        at += 2;
    }
    at -= n != 0 ? 2 : 0;
    *at++ = ']';
    put(text, (size_t)(at - text), out);
}

/* Characters that do not stand for themselves, and the end of a text. */
static const bool special[256] = {
    [0 ... ' ' - 1] = true, ['"'] = true, ['\\'] = true, [127 ... 255] = true};

size_t cli_json_plain(const char *text)
{
    const char *p = text;
    while (!special[(unsigned char)*p]) {
        p++;
    }
    return *p == '\0' ? (size_t)(p - text) : 0;
}

/* With @p before and @p after, which are a few characters. */
static void put_quoted(const char *before, const char *text, const char *after, FILE *out)
{
    char line[128];
    size_t n = cli_json_plain(text), b = strlen(before), a = strlen(after);
    if (n != 0 && n + a + b + 2 <= sizeof line) {
        char *at = (char *)memcpy(line, before, b) + b;
        *at++ = '"';
        at = (char *)memcpy(at, text, n) + n;
        *at++ = '"';
        memcpy(at, after, a);
        put(line, n + a + b + 2, out);
        return;
    }
    json_t *value = cli_json_text(text);
    char *dump = json_dumps(value, JSON_ENCODE_ANY);
    cli_json_put(before, out);
    cli_json_put(dump, out);
    cli_json_put(after, out);
    free(dump);
    json_decref(value);
}

void cli_json_put_string(const char *text, FILE *out)
{
    put_quoted("", text, "", out);
}

void cli_json_put_name(unsigned n, int level, const char *name, FILE *out)
{
    static const char line[] = ",\n                ";
    char before[sizeof line];
    size_t length = 2 + (size_t)MIN(level, (int)sizeof line - 3);
    memcpy(before, line, length);
    before[length] = '\0';
    put_quoted(before + (n == 0), name, ": ", out);
}

void cli_json_put_flat_name(unsigned n, const char *name, FILE *out)
{
    put_quoted(n == 0 ? "" : ", ", name, ": ", out);
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

static void write_flat(const json_t *value, FILE *out);

static void write_flat_parts(const json_t *value, FILE *out)
{
    const char *key;
    unsigned n = 0;
    json_t *member;
    bool list = json_is_array(value);
    cli_json_put(list ? "[" : "{", out);
    for (size_t i = 0; i < json_array_size(value); i++) {
        cli_json_put(i != 0 ? ", " : "", out);
        write_flat(json_array_get(value, i), out);
    }
    json_object_foreach((json_t *)value, key, member)
    {
        cli_json_put_flat_name(n++, key, out);
        write_flat(member, out);
    }
    cli_json_put(list ? "]" : "}", out);
}

static void write_flat(const json_t *value, FILE *out)
{
    if (json_is_integer(value)) {
        cli_json_put_number((uint64_t)json_integer_value(value), out);
        return;
    }
    if (json_is_string(value) && strlen(json_string_value(value)) == json_string_length(value)) {
        cli_json_put_string(json_string_value(value), out);
        return;
    }
    if (json_is_array(value) || json_is_object(value)) {
        write_flat_parts(value, out);
        return;
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_REAL_PRECISION(17));
    fputs(text, out);
    free(text);
}

static void write_at(const json_t *value, int depth, int level, FILE *out);

static void write_object(const json_t *value, int depth, int level, FILE *out)
{
    const char *key;
    unsigned n = 0;
    json_t *member;
    fputc('{', out);
    json_object_foreach((json_t *)value, key, member)
    {
        cli_json_put_name(n++, level + 1, key, out);
        write_at(member, depth - 1, level + 1, out);
    }
    cli_json_put_line(level, out);
    fputc('}', out);
}

static void write_list(const json_t *value, int depth, int level, FILE *out)
{
    fputc('[', out);
    for (size_t i = 0; i < json_array_size(value); i++) {
        fputs(i != 0 ? "," : "", out);
        cli_json_put_line(level + 1, out);
        write_at(json_array_get(value, i), depth - 1, level + 1, out);
    }
    cli_json_put_line(level, out);
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
    cli_json_put(w->members == 0 ? "{" : "", w->out);
    cli_json_put_name(w->members++, 1, key, w->out);
    w->entries = 0;
    if (value != NULL) {
        write_at(value, w->depth - 1, 1, w->out);
        json_decref(value);
    }
}

void cli_json_entry(CliJsonWriter *w, json_t *value)
{
    fputs(w->entries++ == 0 ? "[" : ",", w->out);
    cli_json_put_line(2, w->out);
    write_at(value, w->depth - 2, 2, w->out);
    json_decref(value);
}

static void begin_parts(CliJsonWriter *w, int level)
{
    fputc('{', w->out);
    w->level = level;
    w->parts = 0;
}

void cli_json_value_begin(CliJsonWriter *w)
{
    begin_parts(w, 1);
}

void cli_json_entry_begin(CliJsonWriter *w)
{
    fputs(w->entries++ == 0 ? "[" : ",", w->out);
    cli_json_put_line(2, w->out);
    begin_parts(w, 2);
}

void cli_json_part(CliJsonWriter *w, const char *key)
{
    cli_json_put_name(w->parts++, w->level + 1, key, w->out);
}

void cli_json_parts(CliJsonWriter *w, json_t *value)
{
    const char *key;
    json_t *part;
    json_object_foreach(value, key, part)
    {
        cli_json_part(w, key);
        write_at(part, w->depth - w->level - 1, w->level + 1, w->out);
    }
    json_decref(value);
}

void cli_json_parts_end(CliJsonWriter *w)
{
    cli_json_put_line(w->level, w->out);
    fputc('}', w->out);
}

void cli_json_list_end(CliJsonWriter *w)
{
    if (w->entries == 0) {
        fputs("[]", w->out);
    } else {
        cli_json_put_line(1, w->out);
        fputc(']', w->out);
    }
}

void cli_json_end(CliJsonWriter *w)
{
    fputs("\n}\n", w->out);
}
