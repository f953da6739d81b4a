/* SPDX-License-Identifier: Apache-2.0 */
/** @file Many values of which most are 0 and the others small: a few bytes each that is not. */
#pragma once

#include <warpwright/heap.h>

#define WW_PACKED_MOST 10u /* Bytes of a number. */

/* A number in groups of seven bits, lowest first; returns where it ends. */
static inline uint8_t *ww_pack_number(uint8_t *to, uint64_t v)
{
    for (; v > 127; v >>= 7) {
        *to++ = (uint8_t)(v | 128u);
    }
    *to = (uint8_t)v;
    return to + 1;
}
/* @p n values, of which most are 0, and what ends them: 1 + how many were since the last, and itself, for each other one; then 0. */
static inline uint8_t *ww_pack_values(uint8_t *to, const uint64_t *values, uint32_t n)
{
    for (uint32_t i = 0, next = 0; i < n; i++) {
        if (values[i] != 0) {
            to = ww_pack_number(to, 1 + i - next);
            to = ww_pack_number(to, values[i]);
            next = i + 1;
        }
    }
    return ww_pack_number(to, 0);
}
#define WW_VALUES_MOST(n) (2 * (n)*WW_PACKED_MOST + 1) /* Bytes of @p n values. */
uint64_t ww_unpack_long(const uint8_t **from);
static inline uint64_t ww_unpack_number(const uint8_t **from)
{
    return G_LIKELY(**from < 128) ? *(*from)++ : ww_unpack_long(from);
}
/* @p n values; in memory of @p heap. */
uint8_t *ww_pack(WwHeap *heap, const uint64_t *values, uint32_t n);
/* The same values again. */
void ww_unpack(const uint8_t *from, uint64_t *values, uint32_t n);
