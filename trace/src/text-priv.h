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

/**
 * ww_scan_hex() for text in a line buffer (WW_LINES_SLACK bytes may be read past the NUL): eight
 * digits at a time. Addresses are half of a trace's bytes.
 */
static inline const char *ww_scan_hex_slack(const char *p, uint64_t *out)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X')) {
        p += 2;
    }
    const char *first = p;
    uint64_t value = 0;
    for (uint32_t i = 0; i < 2; i++) {
        uint64_t v;
        memcpy(&v, p, sizeof v);
        uint64_t low = v & ~high; /* a byte above 127 is caught at the end */
        uint64_t digit = (low + ones * (0x80 - '0')) & ~(low + ones * (0x80 - '9' - 1));
        uint64_t folded = low | ones * 0x20;
        uint64_t letter = (folded + ones * (0x80 - 'a')) & ~(folded + ones * (0x80 - 'f' - 1));
        if (((digit | letter) & ~v & high) != high) {
            break;
        }
        v = (v & ones * 0x0F) + ((letter & high) >> 7) * 9;
        v = (v << 4 | v >> 8) & UINT64_C(0x00FF00FF00FF00FF);
        v = (v << 8 | v >> 16) & UINT64_C(0x0000FFFF0000FFFF);
        v = (v << 16 | v >> 32) & UINT64_C(0xFFFFFFFF);
        value = value << 32 | v;
        p += 8;
    }
    uint64_t lost = 0;
    for (uint8_t digit; (digit = ww_hex_value[(uint8_t)*p]) != 255; p++) {
        lost |= value >> 60;
        value = value << 4 | digit;
    }
    *out = value;
    return p == first || lost != 0 ? NULL : p;
#else
    return ww_scan_hex(p, out);
#endif
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

/** A hash of a string for GHashTable, keyed anew in each process (ww_trace_seed()): nobody can write a trace whose
 * names all collide. */
guint ww_text_hash(gconstpointer text);

/** @p text for a message: at most 40 bytes, everything unprintable as '?', "..." if cut. Returns @p
 * out. */
const char *ww_quote(const char *text, char out[48]);

/** Sets an error "FILE:LINE: ...". Returns false. */
bool ww_fail_at(GError **error, const char *file, uint32_t line, const char *format, ...)
    G_GNUC_PRINTF(4, 5);
