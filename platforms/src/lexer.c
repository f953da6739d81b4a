/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens of a platform: words, numbers with units, strings, marks. Comments run from '#' or '//' to
 * the end of the line. Columns count characters, not bytes. Words are interned, so that later
 * comparisons are of short texts in one place.
 */
#include "platform-priv.h"
#include <errno.h>
#include <string.h>

static const struct {
    const char *word;
    uint64_t factor;
} unit_table[] = {
    {"B", 1},      {"KiB", 1ull << 10}, {"MiB", 1ull << 20},     {"GiB", 1ull << 30},
    {"Hz", 1},     {"kHz", 1000},       {"MHz", 1000ull * 1000}, {"GHz", 1000ull * 1000 * 1000},
    {"cycles", 1}, {"entries", 1},
};

uint64_t plat_unit(const char *word)
{
    for (size_t i = 0; i < G_N_ELEMENTS(unit_table); i++) {
        if (strcmp(unit_table[i].word, word) == 0) {
            return unit_table[i].factor;
        }
    }
    return 0;
}

void plat_lexer_init(Lexer *lexer, const Sources *sources, const Source *source, Arena *arena,
                     GStringChunk *names)
{
    *lexer = (Lexer){
        .sources = sources,
        .arena = arena,
        .names = names,
        .file = source->file,
        .at = source->text,
        .end = source->text + source->length,
        .line = 1,
        .counted = source->text,
    };
}

/** Where @p at is; places are asked for from left to right. */
static WwLocation location(Lexer *l, const char *at)
{
    for (; l->counted < at; l->counted++) {
        l->column += (*l->counted & 0xc0) != 0x80; /* no byte of a character behind its first */
    }
    return (WwLocation){.file = l->file, .line = l->line, .column = l->column + 1};
}

static void skip_blanks(Lexer *l)
{
    while (l->at < l->end) {
        char c = *l->at;
        if (c == '\n') {
            l->at++;
            l->line++;
            l->counted = l->at;
            l->column = 0;
        } else if (c == ' ' || c == '\t' || c == '\r') {
            l->at++;
        } else if (c == '#' || (c == '/' && l->at + 1 < l->end && l->at[1] == '/')) {
            const char *newline = memchr(l->at, '\n', (size_t)(l->end - l->at));
            l->at = newline != NULL ? newline : l->end;
        } else {
            return;
        }
    }
}

static bool is_letter(char c)
{
    return g_ascii_isalpha(c) || c == '_';
}

/** Most words have stood there before: those that were met last are at hand. */
static const char *intern(Lexer *l, const char *text, size_t length)
{
    char small[64];
    const char **last =
        &l->last[((unsigned)text[0] * 5 + (unsigned)text[length - 1] + (unsigned)length * 11) %
                 G_N_ELEMENTS(l->last)];
    if (*last != NULL && strncmp(*last, text, length) == 0 && (*last)[length] == '\0') {
        return *last;
    }
    if (length < sizeof small) {
        memcpy(small, text, length);
        small[length] = '\0';
        return *last = g_string_chunk_insert_const(l->names, small);
    }
    g_autofree char *copy = g_strndup(text, length);
    return g_string_chunk_insert_const(l->names, copy);
}

/** Length of "{NAME}" at @p at, 0 when it is something else. */
static size_t braced(const Lexer *l, const char *at)
{
    const char *p = at + 1;
    if (at == l->end || *at != '{' || p == l->end || !is_letter(*p)) {
        return 0;
    }
    while (p < l->end && (is_letter(*p) || g_ascii_isdigit(*p))) {
        p++;
    }
    return p < l->end && *p == '}' ? (size_t)(p + 1 - at) : 0;
}

/** A name, in which "{NAME}" stands for an element of an index set; false when there is none. */
static bool lex_word(Lexer *l, Token *t)
{
    const char *start = l->at;
    size_t n = braced(l, l->at);
    if (n == 0 && !is_letter(*l->at)) {
        return false;
    }
    while (n != 0 || l->at < l->end) {
        if (n != 0) {
            t->braces = true;
            l->at += n;
        } else if (is_letter(*l->at) || g_ascii_isdigit(*l->at)) {
            l->at++;
        } else {
            break;
        }
        n = l->at < l->end && *l->at == '{' ? braced(l, l->at) : 0;
    }
    t->kind = TOKEN_WORD;
    t->text = intern(l, start, (size_t)(l->at - start));
    return true;
}

static void skip_digits(Lexer *l)
{
    while (l->at < l->end && g_ascii_isdigit(*l->at)) {
        l->at++;
    }
}

/** Skips fraction and exponent; true if there was one. "0..n" is a range, "5entries" has a unit. */
static bool skip_fraction(Lexer *l)
{
    bool real = false;
    if (l->at + 1 < l->end && *l->at == '.' && g_ascii_isdigit(l->at[1])) {
        l->at++;
        skip_digits(l);
        real = true;
    }
    const char *p = l->at;
    if (p < l->end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < l->end && (*p == '+' || *p == '-') ? 1 : 0;
        if (p < l->end && g_ascii_isdigit(*p)) {
            l->at = p;
            skip_digits(l);
            real = true;
        }
    }
    return real;
}

static bool lex_unit(Lexer *l, uint64_t *factor, GError **error)
{
    const char *start = l->at;
    while (l->at < l->end && (is_letter(*l->at) || g_ascii_isdigit(*l->at))) {
        l->at++;
    }
    *factor = 1;
    if (l->at == start) {
        return true;
    }
    g_autofree char *word = g_strndup(start, (gsize)(l->at - start));
    *factor = plat_unit(word);
    if (*factor == 0) {
        const char *names[G_N_ELEMENTS(unit_table)];
        for (size_t i = 0; i < G_N_ELEMENTS(unit_table); i++) {
            names[i] = unit_table[i].word;
        }
        const char *near =
            strcmp(word, "K") == 0 || strcmp(word, "k") == 0 || strcmp(word, "KB") == 0 ? "KiB"
            : strcmp(word, "M") == 0 || strcmp(word, "MB") == 0                         ? "MiB"
            : strcmp(word, "G") == 0 || strcmp(word, "GB") == 0
                ? "GiB"
                : ww_closest(word, names, G_N_ELEMENTS(names));
        return plat_fail(
            l->sources, WW_ERROR_INPUT, location(l, start), near, error,
            "unknown unit '%.40s'; expected B, KiB, MiB, GiB, Hz, kHz, MHz, GHz, cycles or entries",
            word);
    }
    return true;
}

static bool lex_number(Lexer *l, Token *t, GError **error)
{
    const char *start = l->at;
    t->kind = TOKEN_NUMBER;
    bool hex =
        l->end - l->at > 2 && l->at[0] == '0' && l->at[1] == 'x' && g_ascii_isxdigit(l->at[2]);
    if (hex) {
        for (l->at += 2; l->at < l->end && g_ascii_isxdigit(*l->at);) {
            l->at++;
        }
    } else {
        skip_digits(l);
        t->real = skip_fraction(l);
    }
    g_autofree char *digits = g_strndup(start, (gsize)(l->at - start));
    uint64_t factor = 1;
    if (!lex_unit(l, &factor, error)) {
        return false;
    }
    t->text = plat_dup(l->arena, start, (size_t)(l->at - start));
    if (t->real) {
        t->number = g_ascii_strtod(digits, NULL) * (double)factor;
        /* 877.5MHz is an integer of Hz */
        if (factor > 1 && t->number < 9e15 && t->number == (double)(int64_t)t->number) {
            t->real = false;
            t->integer = (int64_t)t->number;
        }
        return true;
    }
    errno = 0;
    uint64_t u = hex ? g_ascii_strtoull(digits + 2, NULL, 16) : g_ascii_strtoull(digits, NULL, 10);
    t->wide = errno == ERANGE || u > INT64_MAX || factor > INT64_MAX / MAX(u, 1u);
    t->integer = t->wide ? 0 : (int64_t)(u * factor);
    return true;
}

static bool lex_string(Lexer *l, Token *t, GError **error)
{
    g_autoptr(GString) out = g_string_new(NULL);
    for (l->at++; l->at < l->end && *l->at != '\n' && *l->at != '"'; l->at++) {
        char c = *l->at;
        if (c == '\\') {
            static const char escape[] = "\"\"\\\\n\nt\t";
            const char *e = l->at + 1 < l->end ? escape : NULL;
            while (e != NULL && *e != '\0' && *e != l->at[1]) {
                e += 2;
            }
            if (e == NULL || *e == '\0') {
                return plat_fail(l->sources, WW_ERROR_INPUT, location(l, l->at), NULL, error,
                                 "unknown escape in a string; expected \\\", \\\\, \\n or \\t");
            }
            c = e[1];
            l->at++;
        }
        g_string_append_c(out, c);
    }
    if (l->at == l->end || *l->at != '"') {
        return plat_fail(l->sources, WW_ERROR_INPUT, t->at, NULL, error,
                         "string without an end; expected '\"' in the same line");
    }
    l->at++;
    t->kind = TOKEN_STRING;
    t->text = plat_dup(l->arena, out->str, out->len);
    return true;
}

/** Marks of two characters. */
static const struct {
    char text[3];
    int mark;
} two[] = {{"->", MARK_WIRE},  {"=>", MARK_JOIN}, {"..", MARK_RANGE}, {"==", MARK_EQUAL},
           {"!=", MARK_OTHER}, {"<=", MARK_MOST}, {">=", MARK_LEAST}};

static int two_marks(char c, char next)
{
    for (size_t i = 0; i < G_N_ELEMENTS(two); i++) {
        if (two[i].text[0] == c && two[i].text[1] == next) {
            return two[i].mark;
        }
    }
    return c;
}

bool plat_lex(Lexer *l, Token *t, GError **error)
{
    skip_blanks(l);
    *t = (Token){.kind = TOKEN_END, .at = location(l, l->at)};
    if (l->at == l->end) {
        return true;
    }
    char c = *l->at;
    char next = l->at + 1 < l->end ? l->at[1] : '\0';
    if (lex_word(l, t)) {
        return true;
    }
    if (g_ascii_isdigit(c)) {
        return lex_number(l, t, error);
    }
    if (c == '"') {
        return lex_string(l, t, error);
    }
    t->kind = TOKEN_MARK;
    t->mark = two_marks(c, next);
    if (t->mark < 256 && strchr(";:,.[]{}()=+-*/%$|<>", c) == NULL) {
        gunichar u = g_utf8_get_char(l->at);
        return plat_fail(
            l->sources, WW_ERROR_INPUT, t->at, NULL, error,
            u >= 32 && u < 127
                ? "'%c' has no meaning here; expected a name, a number or a mark"
                : "character U+%04X has no meaning here; expected a name, a number or a mark",
            u);
    }
    l->at += t->mark < 256 ? 1 : 2;
    return true;
}

const char *plat_token_text(const Token *t, char *out, size_t size)
{
    switch (t->kind) {
    case TOKEN_END:
        g_strlcpy(out, "end of the text", size);
        break;
    case TOKEN_STRING:
        g_snprintf(out, (gulong)size, "string \"%.40s\"", t->text);
        break;
    case TOKEN_WORD:
    case TOKEN_NUMBER:
        g_snprintf(out, (gulong)size, "'%.40s'", t->text);
        break;
    case TOKEN_MARK:
        if (t->mark < 256) {
            g_snprintf(out, (gulong)size, "'%c'", t->mark);
        } else {
            size_t i = 0;
            while (two[i].mark != t->mark) {
                i++;
            }
            g_snprintf(out, (gulong)size, "'%s'", two[i].text);
        }
        break;
    }
    return out;
}
