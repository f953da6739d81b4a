/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Scanners of NUL-terminated text: numbers and fields of trace lines.
 *
 * Each returns where it stopped, or NULL when there is no such number or it does not fit; a scanner
 * never passes the terminating NUL. They run several times a trace line: no locale, no strtoull().
 */
#pragma once

#include <warpwright/base.h>

#include <string.h>

/** "264,192", newly allocated. */
char *ww_trace_grouped(uint64_t n);

/** Value of a hexadecimal digit, or 255. */
extern const uint8_t ww_hex_value[256];

static inline const char *ww_skip_blanks(const char *p)
{
    while (*p == ' ' || *p == '\t') {
        p++;
    }
    return p;
}

/** True at the end of a field: blank or end of line. */
static inline bool ww_at_field_end(const char *p)
{
    return *p == ' ' || *p == '\0' || *p == '\t';
}

/** Hexadecimal, at most 64 bits, "0x" allowed in front. */
static inline const char *ww_scan_hex(const char *p, uint64_t *out)
{
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2;
    }
    const char *first = p;
    uint64_t value = 0, lost = 0;
    for (uint8_t digit; (digit = ww_hex_value[(uint8_t)*p]) != 255; p++) {
        lost |= value >> 60;
        value = value << 4 | digit;
    }
    *out = value;
    return p == first || lost != 0 ? NULL : p;
}

/** Eight characters as a number, the first in its lowest byte. */
static inline uint64_t ww_eight(const char *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return GUINT64_FROM_LE(v);
}

#define WW_EACH UINT64_C(0x0101010101010101) /**< One in each of eight bytes. */

/** The highest bit of each of eight bytes that is a decimal digit. */
static inline uint64_t ww_dec_digits(uint64_t v)
{
    uint64_t low = v & ~(WW_EACH << 7); /* so that no byte carries into the next */
    return (low + WW_EACH * (0x80 - '0')) & ~(low + WW_EACH * (0x80 - '9' - 1)) & ~v & WW_EACH << 7;
}

/** And that is a hexadecimal digit. */
static inline uint64_t ww_hex_digits(uint64_t v)
{
    uint64_t low = (v | WW_EACH * 0x20) & ~(WW_EACH << 7);
    return (
        ((low + WW_EACH * (0x80 - 'a')) & ~(low + WW_EACH * (0x80 - 'f' - 1)) & ~v & WW_EACH << 7) |
        ww_dec_digits(v));
}

/** How many of eight bytes are digits before the first that is none. */
static inline uint32_t ww_n_digits(uint64_t digits)
{
    uint64_t others = digits ^ WW_EACH << 7;
    return others == 0 ? 8 : (uint32_t)__builtin_ctzll(others) / 8;
}

/** The value of eight hexadecimal digits; a byte of zero counts as one, 0. */
static inline uint64_t ww_hex_value_of(uint64_t v)
{
    v = (v & WW_EACH * 0x0F) + (v >> 6 & WW_EACH) * 9;
    v = (v << 4 | v >> 8) & UINT64_C(0x00FF00FF00FF00FF);
    v = (v << 8 | v >> 16) & UINT64_C(0x0000FFFF0000FFFF);
    return (v << 16 | v >> 32) & UINT64_C(0xFFFFFFFF);
}

/** ww_scan_hex() without "0x", for text in a line buffer (WW_LINES_SLACK bytes may be read past its end): eight digits at a time. */
static inline const char *ww_scan_hex_digits(const char *p, uint64_t *out)
{
    uint64_t v = ww_eight(p);
    uint32_t n = ww_n_digits(ww_hex_digits(v));
    *out = 0;
    if (G_UNLIKELY(n == 0)) {
        return NULL;
    }
    uint64_t value = ww_hex_value_of(v << (64 - 8 * n));
    p += n;
    if (n == 8) {
        v = ww_eight(p);
        n = ww_n_digits(ww_hex_digits(v));
        if (n != 0) {
            value = value << 4 * n | ww_hex_value_of(v << (64 - 8 * n));
            p += n;
        }
        uint64_t lost = 0;
        for (uint8_t digit; n == 8 && (digit = ww_hex_value[(uint8_t)*p]) != 255; p++) {
            lost |= value >> 60;
            value = value << 4 | digit;
        }
        p = lost != 0 ? NULL : p;
    }
    *out = value;
    return p;
}

/** The same with or without "0x". Addresses are half of a trace's bytes. */
static inline const char *ww_scan_hex_slack(const char *p, uint64_t *out)
{
    return ww_scan_hex_digits(p[0] == '0' && (p[1] == 'x' || p[1] == 'X') ? p + 2 : p, out);
}

/** Decimal, without sign, at most @p max. */
static inline const char *ww_scan_dec(const char *p, uint64_t max, uint64_t *out)
{
    const char *first = p;
    uint64_t value = 0;
    for (; *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        if (G_UNLIKELY(value > (UINT64_MAX - digit) / 10)) {
            return NULL;
        }
        value = value * 10 + digit;
    }
    *out = value;
    return p == first || value > max ? NULL : p;
}

/** Decimal with optional '-', 64 bits; values up to 2^64-1 are taken as bits (tracers print
 * unsigned immediates). */
static inline const char *ww_scan_signed(const char *p, int64_t *out)
{
    bool negative = *p == '-';
    uint8_t only = (uint8_t)(p[0] - '0');
    if (only <= 9 && (p[1] == ' ' || p[1] == '\0')) {
        *out = only; /* most deltas, strides and immediates have one digit */
        return p + 1;
    }
    uint64_t value = 0;
    p = ww_scan_dec(p + negative, negative ? (uint64_t)INT64_MAX + 1 : UINT64_MAX, &value);
    *out = (int64_t)(negative ? 0 - value : value);
    return p;
}

/** ww_scan_signed() for text in a line buffer: up to seven digits at once. */
static inline const char *ww_scan_signed_slack(const char *p, int64_t *out)
{
    bool negative = *p == '-';
    uint64_t v = ww_eight(p + negative);
    uint32_t n = ww_n_digits(ww_dec_digits(v));
    if (G_UNLIKELY(n == 0 || n == 8)) {
        return ww_scan_signed(p, out);
    }
    v = v << (64 - 8 * n) & WW_EACH * 0x0F;
    v = (v * 10 + (v >> 8)) & UINT64_C(0x00FF00FF00FF00FF);
    v = (v * 100 + (v >> 16)) & UINT64_C(0x0000FFFF0000FFFF);
    v = (v * 10000 + (v >> 32)) & UINT64_C(0xFFFFFFFF);
    *out = negative ? -(int64_t)v : (int64_t)v;
    return p + negative + n;
}

/** Keys of a kernel trace's header that version6.c has to know, too. */
#define WW_KEY_TRACER "accelsim tracer version"
#define WW_KEY_LINEINFO "enable lineinfo"

/** The value in a header line `-key = value`, if its key is the one of @p n bytes; else NULL. */
static inline const char *ww_header_value(const char *line, const char *key, size_t n)
{
    if (line[0] != '-' || strncmp(line + 1, key, n) != 0) {
        return NULL;
    }
    line = ww_skip_blanks(line + 1 + n);
    return *line == '=' ? ww_skip_blanks(line + 1) : NULL;
}

/** A hash of a string for GHashTable, keyed anew in each process (ww_trace_seed()): nobody can write a trace whose
 * names all collide. */
guint ww_text_hash(gconstpointer text);

/** @p text for a message: at most 40 bytes, everything unprintable as '?', "..." if cut. Returns @p
 * out. */
const char *ww_quote(const char *text, char out[48]);

/** Sets an error "FILE:LINE: ...". Returns false. */
bool ww_fail_at(GError **error, const char *file, uint32_t line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
