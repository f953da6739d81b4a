/* SPDX-License-Identifier: Apache-2.0 */
#include "result_file.h"

#include <db/query.h>
#include <report/report.h>
#include <string.h>

/* ---- whole numbers -------------------------------------------------------------------------------------------------- */

/* Counters have 64 bits without a sign, whole numbers of jansson 63 and a sign. So one of 64 bits is given to it as that with the same bits, which is what
 * ww_report_number() expects, and what stands there with a sign as a real number. */

/* The end of the text in quotes that begins at @p p. */
static const char *behind_text(const char *p, const char *end)
{
    for (p++; p < end && *p != '"'; p++) {
        p += *p == '\\' && p + 1 < end;
    }
    return p < end ? p + 1 : end;
}

/* How many of its first characters are of a number; *@p whole: all of them digits, but for a sign in front. Not strspn(): a result has a million of them. */
static size_t number_length(const char *p, const char *end, bool *whole)
{
    const char *at = p;
    *whole = true;
    for (; at < end; at++) {
        bool digit = g_ascii_isdigit(*at), sign = *at == '-' || *at == '+';
        if (!digit && !sign && *at != '.' && *at != 'e' && *at != 'E') {
            break;
        }
        *whole = *whole && (digit || (*at == '-' && at == p));
    }
    return (size_t)(at - p);
}

static bool too_large(const char *file, const char *text, const char *at, GError **error)
{
    unsigned line = 1;
    const char *from = text;
    for (const char *p = text; p < at; p++) {
        if (*p == '\n') {
            line++;
            from = p + 1;
        }
    }
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s:%u:%u: a number is too large; expected less than 2^64", file, line,
                   (unsigned)(at - from) + 1);
}

/* What is put for the whole number of @p n digits and signs at @p at; *put "": it stays. */
static bool other_form(const char *at, size_t n, char put[24])
{
    uint64_t value = 0;
    *put = '\0';
    if (*at == '-') {
        return true;
    }
    for (size_t i = 0; i < n; i++) {
        uint64_t digit = (uint64_t)(at[i] - '0');
        if (value > (UINT64_MAX - digit) / 10) {
            return false;
        }
        value = value * 10 + digit;
    }
    if (value > INT64_MAX) {
        g_snprintf(put, 24, "-%" G_GUINT64_FORMAT, 0 - value);
    }
    return true;
}

/* *@p out: the text with these forms; NULL: it needs none. */
static bool put_forms(const char *file, const char *text, size_t length, GString **out,
                      GError **error)
{
    const char *end = text + length, *copied = text;
    *out = NULL;
    for (const char *p = text; p < end;) {
        bool minus = *p == '-', whole;
        if (!minus && !g_ascii_isdigit(*p)) {
            p = *p == '"' ? behind_text(p, end) : p + 1;
            continue;
        }
        char put[24];
        size_t n = number_length(p, end, &whole);
        if (whole && !other_form(p, n, put)) {
            if (*out != NULL) {
                g_string_free(*out, true);
            }
            return too_large(file, text, p, error);
        }
        if (whole && (minus || *put != '\0')) {
            *out = *out == NULL ? g_string_sized_new(length + 64) : *out;
            g_string_append_len(*out, copied, p + (minus ? n : 0) - copied);
            g_string_append(*out, minus ? ".0" : put);
            copied = p + n;
        }
        p += n;
    }
    if (*out != NULL) {
        g_string_append_len(*out, copied, end - copied);
    }
    return true;
}

static json_t *parse(const char *file, const char *text, size_t length, json_error_t *why,
                     GError **error)
{
    GString *forms;
    if (!put_forms(file, text, length, &forms, error)) {
        return NULL;
    }
    json_t *o = json_loadb(forms != NULL ? forms->str : text, forms != NULL ? forms->len : length,
                           JSON_REJECT_DUPLICATES, why);
    if (forms != NULL) {
        g_string_free(forms, true);
    }
    return o;
}

/* ---- the file ------------------------------------------------------------------------------------------------------- */

static bool has_form(const json_t *o, const char *file, GError **error)
{
    const char *schema = json_string_value(json_object_get(o, "schema"));
    if (schema == NULL || strcmp(schema, CLI_RESULTS_SCHEMA) != 0) {
        return ww_fail(error, WW_ERROR_INPUT,
                       schema != NULL ? "%s: schema is '%s'; expected '%s'"
                                      : "%s: no 'schema'%s; expected '%s'",
                       file, schema != NULL ? schema : "", CLI_RESULTS_SCHEMA);
    }
    if (!json_is_array(json_object_get(o, "kernels")) ||
        !json_is_object(json_object_get(json_object_get(o, "total"), "counters"))) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s: no results in it; expected a list 'kernels' and 'total' with 'counters'", file);
    }
    return ww_report_check(&(WwReportRun){file, o}, error);
}

json_t *cli_result_read(const char *file, GError **error)
{
    json_error_t why;
    static const WwTextLimits limits = {.bytes = 1u << 30, .expected = "a file of results"};
    g_autofree char *text = NULL;
    size_t length;
    if (ww_db_is_one(file)) {
        ww_fail(error, WW_ERROR_INPUT,
                "'%s' is a database of runs, which table, plot, compare and report read; expected "
                "a file "
                "of results",
                file);
        return NULL;
    }
    if (!ww_read_text(file, &limits, &text, &length, error)) {
        return NULL;
    }
    GError *number = NULL;
    json_t *o = parse(file, text, length, &why, &number);
    if (o == NULL) {
        if (number != NULL) {
            g_propagate_error(error, number);
        } else if (why.line > 0) {
            g_strdelimit(why.text, "\n\r", ' '); /* it quotes the file */
            ww_fail(error, WW_ERROR_INPUT,
                    "%s:%d:%d: %s; expected results of warpwright run -o FILE.json", file, why.line,
                    why.column, why.text);
        } else {
            ww_fail(error, WW_ERROR_INPUT, "cannot read '%s': %s; expected a file of results", file,
                    why.text);
        }
        return NULL;
    }
    if (!has_form(o, file, error)) {
        json_decref(o);
        return NULL;
    }
    return o;
}
