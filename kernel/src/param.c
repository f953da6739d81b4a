/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Parameter values: text to value, value to text, ranges, units.
 *
 * Everything a user writes into a parameter passes here, from platforms, configs, command lines and
 * type defaults, so this is the one place that knows what a value may look like:
 *
 *   BOOL          true false yes no on off 1 0
 *   UINT, U64     123, 0x7b; with a unit that scales also 1.5 (KiB), when the result is whole
 *   REAL          1, -0.5, 1e9
 *   CHOICE        one of the row's names
 *   LIST          [1, 2, 3] or 1, 2, 3; [] is empty
 *   STRING        the text itself, or "quoted" with the escapes \" \\ \n \t
 *
 * Numbers take the suffix of the row's unit, with or without a space. Bytes scale by 1024 and only
 * under the names that say so: KB, K, MB are refused, because half of all readers take them for
 * 1000. The locale is never consulted, and NaN, infinities, overflow, underscores and anything left
 * over are refused. Every message is one line and names the parameter.
 */
#include "param-priv.h"
#include <warpwright/type.h>

const WwParamField ww_param_field[WW_N_PARAM_KINDS] = {
    [WW_PARAM_BOOL] = {sizeof(bool), _Alignof(bool)},
    [WW_PARAM_UINT] = {sizeof(uint32_t), _Alignof(uint32_t)},
    [WW_PARAM_U64] = {sizeof(uint64_t), _Alignof(uint64_t)},
    [WW_PARAM_REAL] = {sizeof(double), _Alignof(double)},
    [WW_PARAM_STRING] = {sizeof(char *), _Alignof(char *)},
    [WW_PARAM_CHOICE] = {sizeof(uint32_t), _Alignof(uint32_t)},
    [WW_PARAM_LIST] = {sizeof(WwList), _Alignof(WwList)},
};

#include <math.h>
#include <string.h>

enum { QUOTED_MAX = 60 /**< Bytes of a user's text that a message repeats. */ };

/* ---- units ----------------------------------------------------------------------------------- */

typedef struct Suffix {
    const char *unit;
    const char *text;
    uint64_t scale;
} Suffix;

/* Of each unit the largest scale first: that is the order in which ww_value_text() tries them. */
static const Suffix suffixes[] = {
    {"bytes", "GiB", 1ull << 30},
    {"bytes", "MiB", 1ull << 20},
    {"bytes", "KiB", 1ull << 10},
    {"bytes", "B", 1},
    {"bytes", "bytes", 1},
    {"bytes", "byte", 1},
    {"Hz", "GHz", 1000000000},
    {"Hz", "MHz", 1000000},
    {"Hz", "kHz", 1000},
    {"Hz", "Hz", 1},
    {"cycles", "cycles", 1},
    {"cycles", "cycle", 1},
    {"entries", "entries", 1},
    {"entries", "entry", 1},
    {"%", "%", 1},
};

/** Sets @p scale for @p text after a number of @p row; "" is always allowed. */
static bool unit_scale(const WwParamRow *row, const char *text, uint64_t *scale, GError **error)
{
    *scale = 1;
    if (*text == '\0') {
        return true;
    }
    const char *names[G_N_ELEMENTS(suffixes)];
    size_t n = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        if (strcmp(suffixes[i].unit, row->unit) == 0) {
            if (strcmp(suffixes[i].text, text) == 0) {
                *scale = suffixes[i].scale;
                return true;
            }
            names[n++] = suffixes[i].text;
        }
    }
    if (n == 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "parameter '%s': unit '%s' does not fit, expected a number without unit",
                       row->name, text);
    }
    g_autoptr(GString) expected = g_string_new(NULL);
    for (size_t i = 0; i < n; i++) {
        g_string_append_printf(expected, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    const char *near = NULL;
    if (strcmp(row->unit, "bytes") == 0 && strchr("kKmMgG", text[0]) != NULL) {
        /* KB, kb, K, kib: the nearest by letters would be "B". */
        const char *binary[] = {"KiB", "MiB", "GiB"};
        near = binary[(strchr("kKmMgG", text[0]) - "kKmMgG") / 2];
    } else {
        near = ww_closest(text, names, n);
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "parameter '%s': unit '%s' does not fit, expected %s or none%s%s%s", row->name,
                   text, expected->str, near != NULL ? "; did you mean '" : "",
                   near != NULL ? near : "", near != NULL ? "'?" : "");
}

/* ---- ranges ---------------------------------------------------------------------------------- */

static bool is_whole(const WwParamRow *row)
{
    return row->kind == WW_PARAM_UINT || row->kind == WW_PARAM_U64 || row->kind == WW_PARAM_LIST;
}

/** A double bound of a whole number, without undefined conversions. */
static uint64_t whole_bound(double bound, uint64_t most)
{
    if (!(bound > 0)) {
        return 0;
    }
    /* 2^64 is the first double that does not fit. */
    return bound >= 18446744073709551616.0 ? most : MIN((uint64_t)bound, most);
}

bool ww_param_range(const WwParamRow *row, uint64_t *least, uint64_t *most)
{
    if (!is_whole(row)) {
        return false;
    }
    uint64_t kind_most = row->kind == WW_PARAM_U64 ? UINT64_MAX : UINT32_MAX;
    bool all = row->min == 0 && row->max == 0;
    *least = all ? 0 : whole_bound(ceil(row->min), kind_most);
    *most = all ? kind_most : whole_bound(row->max, kind_most);
    return true;
}

/** The shortest text that reads back as @p value. */
static const char *real_text(double value, char *out)
{
    static const char *const formats[] = {"%.15g", "%.16g", "%.17g"};
    for (size_t i = 0; i < G_N_ELEMENTS(formats); i++) {
        g_ascii_formatd(out, G_ASCII_DTOSTR_BUF_SIZE, formats[i], value);
        if (g_ascii_strtod(out, NULL) == value) {
            break;
        }
    }
    return out;
}

/** "1 to 16", newly allocated. */
static char *range_text(const WwParamRow *row)
{
    char least[G_ASCII_DTOSTR_BUF_SIZE];
    char most[G_ASCII_DTOSTR_BUF_SIZE];
    uint64_t low, high;
    if (ww_param_range(row, &low, &high)) {
        g_snprintf(least, sizeof least, "%" G_GUINT64_FORMAT, low);
        g_snprintf(most, sizeof most, "%" G_GUINT64_FORMAT, high);
    } else {
        bool all = row->min == 0 && row->max == 0;
        real_text(all ? -G_MAXDOUBLE : row->min, least);
        real_text(all ? G_MAXDOUBLE : row->max, most);
    }
    return g_strdup_printf("%s to %s%s%s", least, most, row->unit[0] != '\0' ? " " : "", row->unit);
}

/** @p text is what the user wrote, or the value as text. */
static bool fail_range(const WwParamRow *row, const char *text, GError **error)
{
    g_autofree char *range = range_text(row);
    return ww_fail(error, WW_ERROR_USAGE, "parameter '%s': %s is out of range, expected %s",
                   row->name, text, range);
}

static bool check_whole(const WwParamRow *row, uint64_t value, GError **error)
{
    uint64_t least = 0;
    uint64_t most = 0; /* without a range none is left */
    ww_param_range(row, &least, &most);
    if (value >= least && value <= most) {
        return true;
    }
    char text[24];
    g_snprintf(text, sizeof text, "%" G_GUINT64_FORMAT, value);
    return fail_range(row, text, error);
}

static bool check_real(const WwParamRow *row, double value, GError **error)
{
    bool all = row->min == 0 && row->max == 0;
    if (isfinite(value) && (all || (value >= row->min && value <= row->max))) {
        return true;
    }
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    return fail_range(row, real_text(value, text), error);
}

static uint32_t n_choices(const WwParamRow *row)
{
    return row->choices != NULL ? g_strv_length((gchar **)row->choices) : 0;
}

bool ww_value_check(const WwParamRow *row, const WwValue *value, GError **error)
{
    if (value->kind != row->kind) {
        return ww_fail(error, WW_ERROR_USAGE, "parameter '%s': a value of another kind", row->name);
    }
    switch (row->kind) {
    case WW_PARAM_BOOL:
        return true;
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        return check_whole(row, value->u, error);
    case WW_PARAM_REAL:
        return check_real(row, value->r, error);
    case WW_PARAM_STRING:
        return value->s != NULL ||
               ww_fail(error, WW_ERROR_USAGE, "parameter '%s': no text", row->name);
    case WW_PARAM_CHOICE:
        return value->u < n_choices(row) ||
               ww_fail(error, WW_ERROR_USAGE,
                       "parameter '%s': choice number %" G_GUINT64_FORMAT
                       " does not exist, expected less than %u",
                       row->name, value->u, n_choices(row));
    case WW_PARAM_LIST:
        for (uint32_t i = 0; i < value->list.n; i++) {
            if (!check_whole(row, value->list.v[i], error)) {
                return false;
            }
        }
        return true;
    }
    ww_assert(!"a parameter kind that ww_type_check() refuses");
    return false;
}

/* ---- text to value --------------------------------------------------------------------------- */

/** @p text as a message may repeat it: one line, printable, not too long. */
static char *printable(const char *text)
{
    size_t length = strlen(text);
    g_autoptr(GString) out = g_string_new(NULL);
    for (const char *at = text; *at != '\0' && at < text + QUOTED_MAX;) {
        gunichar c = g_utf8_get_char_validated(at, -1);
        bool good = c != (gunichar)-1 && c != (gunichar)-2;
        const char *next = good ? g_utf8_next_char(at) : at + 1;
        if (good && g_unichar_isprint(c)) {
            g_string_append_len(out, at, next - at);
        } else {
            g_string_append_c(out, '?');
        }
        at = next;
    }
    if (length > QUOTED_MAX) {
        g_string_append(out, "...");
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}

static bool fail_syntax(const WwParamRow *row, const char *text, const char *expected,
                        GError **error)
{
    g_autofree char *shown = printable(text);
    g_autofree char *range = g_str_has_suffix(expected, "number") ? range_text(row) : NULL;
    return ww_fail(error, WW_ERROR_USAGE, "parameter '%s': '%s' is not %s%s%s", row->name, shown,
                   expected, range != NULL ? ", expected " : "", range != NULL ? range : "");
}

/** Of a number as it was written. */
static bool fail_range_of(const WwParamRow *row, const char *text, GError **error)
{
    g_autofree char *shown = printable(text);
    return fail_range(row, shown, error);
}

/** Sets @p scale from what follows the number of @p text, which ends at @p digits_end. */
static bool unit_after(const WwParamRow *row, const char *text, const char *digits_end,
                       uint64_t *scale, GError **error)
{
    while (g_ascii_isspace(*digits_end)) {
        digits_end++;
    }
    /* Something like 1_000, 1..2 or 12a4 is a bad number, not a number with a strange unit. */
    bool unit = *digits_end == '\0' || *digits_end == '%' || g_ascii_isalpha(*digits_end);
    for (const char *p = digits_end; unit && *p != '\0'; p++) {
        unit = g_ascii_isalpha(*p) || (*p == '%' && p[1] == '\0');
    }
    if (!unit) {
        return fail_syntax(row, text, is_whole(row) ? "a whole number" : "a number", error);
    }
    g_autofree char *shown = strlen(digits_end) > QUOTED_MAX ? printable(digits_end) : NULL;
    return unit_scale(row, shown != NULL ? shown : digits_end, scale, error);
}

/**
 * A whole number with unit: decimal digits, perhaps a fraction that the unit makes whole, or
 * hexadecimal.
 */
static bool parse_whole(const WwParamRow *row, const char *text, uint64_t *out, GError **error)
{
    const char *p = text;
    if (p[0] == '-' && g_ascii_isdigit(p[1])) {
        return fail_range_of(row, text, error);
    }
    bool overflow = false;
    uint64_t number = 0;
    uint64_t divisor = 1;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2;
        if (!g_ascii_isxdigit(*p)) {
            return fail_syntax(row, text, "a whole number", error);
        }
        for (; g_ascii_isxdigit(*p); p++) {
            overflow |= number >> 60 != 0;
            number = number << 4 | (uint64_t)g_ascii_xdigit_value(*p);
        }
    } else {
        if (!g_ascii_isdigit(*p)) {
            return fail_syntax(row, text, "a whole number", error);
        }
        bool fraction = false;
        for (; g_ascii_isdigit(*p) || (*p == '.' && !fraction && g_ascii_isdigit(p[1])); p++) {
            if (*p == '.') {
                fraction = true;
                continue;
            }
            overflow |= __builtin_mul_overflow(number, 10, &number);
            overflow |= __builtin_add_overflow(number, (uint64_t)(*p - '0'), &number);
            if (fraction) {
                overflow |= __builtin_mul_overflow(divisor, 10, &divisor);
            }
        }
    }
    uint64_t scale;
    if (!unit_after(row, text, p, &scale, error)) {
        return false;
    }
    if (overflow) {
        return fail_range_of(row, text, error);
    }
    __extension__ unsigned __int128 scaled = (unsigned __int128)number * scale;
    if (scaled % divisor != 0) {
        return fail_syntax(row, text, "a whole number", error);
    }
    scaled /= divisor;
    *out = (uint64_t)scaled;
    return scaled <= UINT64_MAX ? check_whole(row, *out, error) : fail_range_of(row, text, error);
}

static bool parse_real(const WwParamRow *row, const char *text, double *out, GError **error)
{
    /* Scanned by hand first: strtod would also take hexadecimal, "inf" and "nan". */
    const char *p = text + (*text == '-' || *text == '+');
    const char *digits = p;
    bool zero = true;
    for (; g_ascii_isdigit(*p); p++) {
        zero = zero && *p == '0';
    }
    if (p == digits) {
        return fail_syntax(row, text, "a number", error);
    }
    if (*p == '.' && g_ascii_isdigit(p[1])) {
        for (p++; g_ascii_isdigit(*p); p++) {
            zero = zero && *p == '0';
        }
    }
    if ((*p == 'e' || *p == 'E') &&
        (g_ascii_isdigit(p[1]) || ((p[1] == '-' || p[1] == '+') && g_ascii_isdigit(p[2])))) {
        for (p += 2; g_ascii_isdigit(*p); p++) {
        }
    }
    g_autofree char *number = g_strndup(text, (gsize)(p - text));
    uint64_t scale;
    if (!unit_after(row, text, p, &scale, error)) {
        return false;
    }
    /* The number times the unit, in this order: a clock source compares with a reference that
     * multiplies MHz by 1e6. */
    *out = g_ascii_strtod(number, NULL) * (double)scale;
    if (!isfinite(*out) || (*out == 0 && !zero)) {
        return fail_range_of(row, text, error);
    }
    return check_real(row, *out, error);
}

static bool parse_bool(const WwParamRow *row, const char *text, bool *out, GError **error)
{
    static const char *const words[] = {"true", "yes", "on", "1", "false", "no", "off", "0"};
    for (size_t i = 0; i < G_N_ELEMENTS(words); i++) {
        if (strcmp(text, words[i]) == 0) {
            *out = i < G_N_ELEMENTS(words) / 2;
            return true;
        }
    }
    return fail_syntax(row, text, "true or false, expected one of them", error);
}

static bool parse_choice(const WwParamRow *row, const char *text, uint64_t *out, GError **error)
{
    uint32_t n = n_choices(row);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(text, row->choices[i]) == 0) {
            *out = i;
            return true;
        }
    }
    g_autoptr(GString) expected = g_string_new(NULL);
    for (uint32_t i = 0; i < n; i++) {
        g_string_append_printf(expected, "%s%s",
                               i == 0      ? ""
                               : i + 1 < n ? ", "
                                           : " or ",
                               row->choices[i]);
    }
    const char *near = ww_closest(text, row->choices, n);
    if (near != NULL) {
        g_string_append_printf(expected, "; did you mean '%s'?", near);
    }
    g_autofree char *shown = printable(text);
    return ww_fail(error, WW_ERROR_USAGE, "parameter '%s': '%s' is unknown, expected %s", row->name,
                   shown, expected->str);
}

static bool parse_list(const WwParamRow *row, const char *text, WwList *out, GError **error)
{
    g_autofree char *inside = g_strdup(text);
    size_t length = strlen(inside);
    char *p = inside;
    bool opened = p[0] == '[';
    if (opened != (length > 0 && inside[length - 1] == ']') || (opened && length < 2)) {
        return fail_syntax(row, text, "a list, expected [1, 2, 3]", error);
    }
    if (opened) {
        inside[length - 1] = '\0';
        p++;
    }
    g_strstrip(p);
    if (*p == '\0') {
        *out = (WwList){0};
        return opened || fail_syntax(row, text, "a list, expected [1, 2, 3]", error);
    }
    g_auto(GStrv) parts = g_strsplit(p, ",", -1);
    uint32_t n = g_strv_length(parts);
    g_autofree uint32_t *values = g_new(uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t one;
        g_strstrip(parts[i]);
        if (*parts[i] == '\0') {
            return fail_syntax(row, text, "a list: an entry is empty, expected [1, 2, 3]", error);
        }
        if (!parse_whole(row, parts[i], &one, error)) {
            return false;
        }
        values[i] = (uint32_t)one;
    }
    *out = (WwList){.n = n, .v = g_steal_pointer(&values)};
    return true;
}

/** @p text is stripped; @p verbatim is not. */
static bool parse_string(const WwParamRow *row, const char *verbatim, const char *text,
                         const char **out, GError **error)
{
    if (text[0] != '"') {
        *out = g_strdup(verbatim);
        return true;
    }
    g_autoptr(GString) value = g_string_new(NULL);
    const char *p = text + 1;
    for (; *p != '\0' && *p != '"'; p++) {
        char c = *p;
        if (c == '\\') {
            p++;
            if (*p != '"' && *p != '\\' && *p != 'n' && *p != 't') {
                return fail_syntax(row, text,
                                   "a string: after '\\' expected '\"', '\\', 'n' or 't'", error);
            }
            c = *p == 'n' ? '\n' : *p == 't' ? '\t' : *p;
        }
        g_string_append_c(value, c);
    }
    if (p[0] != '"' || p[1] != '\0') {
        return fail_syntax(row, text, "a string: expected one '\"' at its end", error);
    }
    *out = g_string_free(g_steal_pointer(&value), FALSE);
    return true;
}

bool ww_value_parse(const WwParamRow *row, const char *text, WwValue *out, GError **error)
{
    *out = (WwValue){.kind = row->kind};
    size_t n = strlen(text);
    bool blanks = n != 0 && (g_ascii_isspace(text[0]) || g_ascii_isspace(text[n - 1]));
    g_autofree char *copy = blanks ? g_strstrip(g_strndup(text, n)) : NULL;
    const char *stripped = copy != NULL ? copy : text;
    switch (row->kind) {
    case WW_PARAM_BOOL:
        return parse_bool(row, stripped, &out->b, error);
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        return parse_whole(row, stripped, &out->u, error);
    case WW_PARAM_REAL:
        return parse_real(row, stripped, &out->r, error);
    case WW_PARAM_STRING:
        return parse_string(row, text, stripped, &out->s, error);
    case WW_PARAM_CHOICE:
        return parse_choice(row, stripped, &out->u, error);
    case WW_PARAM_LIST:
        return parse_list(row, stripped, &out->list, error);
    }
    ww_assert(!"a parameter kind that ww_type_check() refuses");
    return false;
}

void ww_value_clear(WwValue *value)
{
    if (value->kind == WW_PARAM_STRING) {
        g_free((char *)value->s);
        value->s = NULL;
    } else if (value->kind == WW_PARAM_LIST) {
        g_free((uint32_t *)value->list.v);
        value->list = (WwList){0};
    }
}

/* ---- value to text --------------------------------------------------------------------------- */

/** Appends a whole number with the largest unit that leaves it whole ("128 KiB", "1132 MHz"). */
static void append_whole(GString *out, const WwParamRow *row, uint64_t value)
{
    for (size_t i = 0; value != 0 && i < G_N_ELEMENTS(suffixes); i++) {
        const Suffix *s = &suffixes[i];
        if (s->scale > 1 && strcmp(s->unit, row->unit) == 0 && value % s->scale == 0) {
            g_string_append_printf(out, "%" G_GUINT64_FORMAT " %s", value / s->scale, s->text);
            return;
        }
    }
    g_string_append_printf(out, "%" G_GUINT64_FORMAT, value);
}

/** The same for a real; the unit is used only if the text then reads back as exactly this value. */
static void append_real(GString *out, const WwParamRow *row, double value)
{
    char text[G_ASCII_DTOSTR_BUF_SIZE];
    for (size_t i = 0; value != 0 && i < G_N_ELEMENTS(suffixes); i++) {
        const Suffix *s = &suffixes[i];
        double scale = (double)s->scale;
        if (s->scale > 1 && strcmp(s->unit, row->unit) == 0 && fabs(value) >= scale) {
            g_ascii_formatd(text, sizeof text, "%.12g", value / scale);
            if (g_ascii_strtod(text, NULL) * scale == value) {
                g_string_append_printf(out, "%s %s", text, s->text);
                return;
            }
        }
    }
    g_string_append(out, real_text(value, text));
}

static void append_quoted(GString *out, const char *text)
{
    g_string_append_c(out, '"');
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\') {
            g_string_append_c(out, '\\');
            g_string_append_c(out, *text);
        } else if (*text == '\n' || *text == '\t') {
            g_string_append(out, *text == '\n' ? "\\n" : "\\t");
        } else {
            g_string_append_c(out, *text);
        }
    }
    g_string_append_c(out, '"');
}

char *ww_value_text(const WwParamRow *row, const WwValue *value)
{
    g_autoptr(GString) out = g_string_new(NULL);
    switch (value->kind) {
    case WW_PARAM_BOOL:
        g_string_append(out, value->b ? "true" : "false");
        break;
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        append_whole(out, row, value->u);
        break;
    case WW_PARAM_REAL:
        append_real(out, row, value->r);
        break;
    case WW_PARAM_STRING:
        append_quoted(out, value->s);
        break;
    case WW_PARAM_CHOICE:
        ww_assert(value->u < n_choices(row));
        g_string_append(out, row->choices[value->u]);
        break;
    case WW_PARAM_LIST:
        g_string_append_c(out, '[');
        for (uint32_t i = 0; i < value->list.n; i++) {
            g_string_append(out, i == 0 ? "" : ", ");
            append_whole(out, row, value->list.v[i]);
        }
        g_string_append_c(out, ']');
        break;
    }
    return g_string_free(g_steal_pointer(&out), FALSE);
}
