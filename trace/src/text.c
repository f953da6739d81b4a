/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The parts of text scanning that are not hot: the digit table, quoting, located errors.
 */
#include "text-priv.h"

#include <stdarg.h>
#include <trace/trace.h>

#define X16 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255
#define LETTERS 255, 10, 11, 12, 13, 14, 15, 255, 255, 255, 255, 255, 255, 255, 255, 255

const uint8_t ww_hex_value[256] = {
    X16, X16, X16, 0,       1,   2,       3,   4,   5,   6,   7,   8,   9,   255, 255, 255,
    255, 255, 255, LETTERS, X16, LETTERS, X16, X16, X16, X16, X16, X16, X16, X16, X16,
};

char *ww_trace_grouped(uint64_t n)
{
    GString *out = g_string_new(NULL);
    g_string_printf(out, "%" G_GUINT64_FORMAT, n);
    for (gssize at = (gssize)out->len - 3; at > 0; at -= 3) {
        g_string_insert_c(out, at, ',');
    }
    return g_string_free(out, false);
}

static gsize seed;

uint64_t ww_trace_seed(void)
{
    if (g_once_init_enter(&seed)) {
        g_once_init_leave(&seed, (gsize)g_random_int() << 32 | g_random_int() | 1);
    }
    return seed;
}

void ww_trace_set_seed(uint64_t value)
{
    seed = value | 1;
}

guint ww_text_hash(gconstpointer text)
{
    uint64_t h = ww_trace_seed();
    for (const uint8_t *p = text; *p != '\0'; p++) {
        h = (h ^ *p) * 0x9E3779B97F4A7C15u;
        h ^= h >> 29;
    }
    return (guint)(h ^ h >> 32);
}

const char *ww_quote(const char *text, char out[48])
{
    size_t i = 0;
    for (; text[i] != '\0' && i < 40; i++) {
        out[i] = g_ascii_isprint(text[i]) ? text[i] : '?';
    }
    if (text[i] != '\0') {
        out[i++] = '.';
        out[i++] = '.';
        out[i++] = '.';
    }
    out[i] = '\0';
    return out;
}

bool ww_fail_at(GError **error, const char *file, uint32_t line, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s", file, line, text);
}
