/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#define MOST_DEPTH 64u

void db_scan_init(DbScan *s, const char *name, const char *text, size_t length, GError **error)
{
    *s = (DbScan){.name = name,
                  .begin = text,
                  .p = text,
                  .end = text + length,
                  .chunk = g_string_chunk_new(256),
                  .word = g_string_new(NULL),
                  .error = error};
}

void db_scan_clear(DbScan *s)
{
    g_string_chunk_free(s->chunk);
    g_string_free(s->word, true);
}

bool db_scan_fail(DbScan *s, const char *format, ...)
{
    if (s->failed) {
        return false;
    }
    unsigned line = 1;
    const char *from = s->begin;
    for (const char *p = s->begin; p < s->p; p++) {
        if (*p == '\n') {
            line++;
            from = p + 1;
        }
    }
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    s->failed = true;
    return ww_fail(s->error, WW_ERROR_INPUT, "%s:%u:%u: %s", s->name, line,
                   (unsigned)(s->p - from) + 1, text);
}

bool db_slice_is(DbSlice s, const char *text)
{
    return strlen(text) == s.n && memcmp(s.p, text, s.n) == 0;
}

char db_scan_peek(DbScan *s)
{
    while (s->p < s->end && (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')) {
        s->p++;
    }
    return s->p < s->end ? *s->p : '\0';
}

static bool expect(DbScan *s, char c, const char *expected)
{
    if (s->failed) {
        return false;
    }
    if (db_scan_peek(s) != c) {
        return db_scan_fail(s, "expected %s", expected);
    }
    s->p++;
    return true;
}

/* ---- objects and lists ------------------------------------------------------------------------------------------ */

static bool deeper(DbScan *s)
{
    return ++s->depth <= MOST_DEPTH ||
           db_scan_fail(s, "nested too deeply; expected at most %u levels", MOST_DEPTH);
}

bool db_scan_object(DbScan *s)
{
    return expect(s, '{', "an object") && deeper(s);
}

bool db_scan_array(DbScan *s)
{
    return expect(s, '[', "a list") && deeper(s);
}

/* Before the next member or entry: is there one? Where a value stood before, a comma comes first. */
static bool next(DbScan *s, char open, char close)
{
    if (s->failed) {
        return false;
    }
    char c = db_scan_peek(s);
    const char *before = s->p - 1;
    while (*before == ' ' || *before == '\n' || *before == '\t' || *before == '\r') {
        before--;
    }
    if (c == close) {
        s->p++;
        s->depth--;
        return false;
    }
    if (*before == open) { /* no value ends with it */
        return true;
    }
    return expect(s, ',', close == '}' ? "',' or '}'" : "',' or ']'");
}

bool db_scan_member(DbScan *s, DbSlice *key)
{
    return next(s, '{', '}') && db_scan_string(s, key) && expect(s, ':', "':'");
}

bool db_scan_entry(DbScan *s)
{
    return next(s, '[', ']');
}

/* ---- texts ------------------------------------------------------------------------------------------------------ */

static bool hex(DbScan *s, gunichar *out)
{
    *out = 0;
    for (int i = 0; i < 4; i++) {
        int digit = s->p < s->end ? g_ascii_xdigit_value(*s->p) : -1;
        if (digit < 0) {
            return db_scan_fail(s, "expected four hexadecimal digits behind \\u");
        }
        *out = *out << 4 | (gunichar)digit;
        s->p++;
    }
    return true;
}

static bool unicode(DbScan *s)
{
    gunichar c, low;
    if (!hex(s, &c)) {
        return false;
    }
    if (c >= 0xd800 && c < 0xdc00 && s->end - s->p >= 2 && s->p[0] == '\\' && s->p[1] == 'u') {
        s->p += 2;
        if (!hex(s, &low)) {
            return false;
        }
        c = low >= 0xdc00 && low < 0xe000 ? 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00) : 0;
    }
    if (c == 0 || (c >= 0xd800 && c < 0xe000)) {
        return db_scan_fail(s, "\\u stands for no character; expected one");
    }
    g_string_append_unichar(s->word, c);
    return true;
}

static bool escape(DbScan *s)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    char c = s->p < s->end ? *s->p++ : '\0';
    const char *at = c != '\0' ? strchr(from, c) : NULL;
    if (at != NULL) {
        g_string_append_c(s->word, to[at - from]);
        return true;
    }
    return c == 'u' ? unicode(s) : db_scan_fail(s, "expected a character behind '\\'");
}

/* A text with escapes: the part before the first one is in @p text. */
static bool string_rest(DbScan *s, DbSlice *text)
{
    g_string_truncate(s->word, 0);
    g_string_append_len(s->word, text->p, (gssize)text->n);
    while (s->p < s->end && *s->p != '"') {
        char c = *s->p++;
        if (c == '\\') {
            if (!escape(s)) {
                return false;
            }
        } else if ((unsigned char)c < ' ') {
            return db_scan_fail(s, "a text goes over the end of its line; expected '\"'");
        } else {
            g_string_append_c(s->word, c);
        }
    }
    text->p = g_string_chunk_insert_len(s->chunk, s->word->str, (gssize)s->word->len);
    text->n = s->word->len;
    return expect(s, '"', "'\"' at the end of a text");
}

bool db_scan_string(DbScan *s, DbSlice *text)
{
    if (!expect(s, '"', "a text")) {
        return false;
    }
    text->p = s->p;
    while (s->p < s->end && *s->p != '"' && *s->p != '\\' && (unsigned char)*s->p >= ' ') {
        s->p++;
    }
    text->n = (size_t)(s->p - text->p);
    if (s->p < s->end && *s->p == '"') {
        s->p++;
        return true;
    }
    return string_rest(s, text);
}

/* ---- numbers and words ------------------------------------------------------------------------------------------ */

/* A whole number up to @p most, or with a minus up to @p least. */
static bool whole(DbScan *s, uint64_t most, uint64_t least, const char *expected, bool *minus,
                  uint64_t *v)
{
    if (s->failed) {
        return false;
    }
    *minus = db_scan_peek(s) == '-';
    const char *from = s->p;
    uint64_t n = 0;
    most = *minus ? least : most;
    const char *first = s->p += *minus;
    for (; s->p < s->end && g_ascii_isdigit(*s->p); s->p++) {
        uint64_t digit = (uint64_t)(*s->p - '0');
        if (digit > most || n > (most - digit) / 10) {
            s->p = from;
            return db_scan_fail(s, "a number is too %s; expected %s", *minus ? "small" : "large",
                                expected);
        }
        n = n * 10 + digit;
    }
    if (s->p == first || (*first == '0' && s->p - first > 1) ||
        (s->p < s->end && (*s->p == '.' || *s->p == 'e' || *s->p == 'E'))) {
        s->p = from;
        return db_scan_fail(s, "expected a whole number");
    }
    *v = n;
    return true;
}

bool db_scan_count(DbScan *s, uint64_t *v)
{
    bool minus;
    return whole(s, UINT64_MAX, 0, "one from 0 to less than 2^64", &minus, v);
}

bool db_scan_integer(DbScan *s, int64_t *v)
{
    bool minus;
    uint64_t n;
    if (!whole(s, INT64_MAX, (uint64_t)INT64_MAX + 1, "one of 63 bits and a sign", &minus, &n)) {
        return false;
    }
    *v = (int64_t)(minus ? 0 - n : n);
    return true;
}

static size_t digits(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && g_ascii_isdigit(p[n])) {
        n++;
    }
    return n;
}

/* The length of the number that begins at @p p, or 0. */
static size_t number_length(const char *p, const char *end)
{
    const char *at = p + (p < end && *p == '-');
    size_t n = digits(at, end);
    if (n == 0 || (*at == '0' && n > 1)) {
        return 0;
    }
    at += n;
    if (at < end && *at == '.') {
        n = digits(++at, end);
        if (n == 0) {
            return 0;
        }
        at += n;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '+' || *at == '-');
        n = digits(at, end);
        if (n == 0) {
            return 0;
        }
        at += n;
    }
    return (size_t)(at - p);
}

bool db_scan_real(DbScan *s, double *v)
{
    if (s->failed) {
        return false;
    }
    db_scan_peek(s);
    size_t n = number_length(s->p, s->end);
    if (n == 0) {
        return db_scan_fail(s, "expected a number");
    }
    *v = g_ascii_strtod(s->p, NULL);
    if (!(*v > -G_MAXDOUBLE && *v < G_MAXDOUBLE)) {
        return db_scan_fail(s, "a number is too large");
    }
    s->p += n;
    return true;
}

static bool word(DbScan *s, const char *text)
{
    size_t n = strlen(text);
    if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n) != 0) {
        return false;
    }
    s->p += n;
    return true;
}

bool db_scan_bool(DbScan *s, bool *v)
{
    if (s->failed) {
        return false;
    }
    db_scan_peek(s);
    *v = word(s, "true");
    return *v || word(s, "false") || db_scan_fail(s, "expected true or false");
}

/* ---- any value -------------------------------------------------------------------------------------------------- */

static void copy(GString *out, const char *from, const char *to)
{
    if (out != NULL) {
        g_string_append_len(out, from, to - from);
    }
}

static void put(GString *out, char c)
{
    if (out != NULL) {
        g_string_append_c(out, c);
    }
}

/* A text as it stands there, escapes and all; db_scan_string() has seen that it is one. */
static bool any_text(DbScan *s, GString *out)
{
    DbSlice text;
    db_scan_peek(s);
    const char *from = s->p;
    bool good = db_scan_string(s, &text);
    copy(out, from, s->p);
    return good;
}

static bool any_list(DbScan *s, GString *out, bool object)
{
    bool first = true;
    if (!(object ? db_scan_object(s) : db_scan_array(s))) {
        return false;
    }
    char open = object ? '{' : '[', close = object ? '}' : ']';
    put(out, open);
    while (next(s, open, close)) {
        if (!first) {
            put(out, ',');
        }
        first = false;
        if (object && (!any_text(s, out) || !expect(s, ':', "':'"))) {
            return false;
        }
        if (object) {
            put(out, ':');
        }
        if (!db_scan_any(s, out)) {
            return false;
        }
    }
    put(out, close);
    return !s->failed;
}

bool db_scan_any(DbScan *s, GString *out)
{
    if (s->failed) {
        return false;
    }
    char c = db_scan_peek(s);
    const char *from = s->p;
    if (c == '{' || c == '[') {
        return any_list(s, out, c == '{');
    }
    if (c == '"') {
        return any_text(s, out);
    }
    size_t n = number_length(s->p, s->end);
    s->p += n;
    if (n == 0 && !word(s, "true") && !word(s, "false") && !word(s, "null")) {
        return db_scan_fail(s, c == '\0' ? "the text ends here; expected a value"
                                         : "expected a value");
    }
    copy(out, from, s->p);
    return true;
}

bool db_scan_end(DbScan *s)
{
    if (!s->failed && (db_scan_peek(s) != '\0' || s->p != s->end)) {
        return db_scan_fail(s, "expected nothing behind the results");
    }
    return !s->failed;
}
