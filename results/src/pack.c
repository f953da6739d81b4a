/* SPDX-License-Identifier: Apache-2.0 */
/* Values in little room: for each that is not 0, 1 + how many were since the last, and itself. Then a 0. */
#include "pack-priv.h"

#include <string.h>

void ww_pack_number(GByteArray *to, uint64_t v)
{
    do {
        uint8_t byte = (uint8_t)((v & 127u) | (v > 127 ? 128u : 0));
        g_byte_array_append(to, &byte, 1);
        v >>= 7;
    } while (v != 0);
}

uint64_t ww_unpack_number(const uint8_t **from)
{
    uint64_t v = 0;
    for (uint32_t shift = 0;; shift += 7) {
        uint8_t byte = *(*from)++;
        v |= (uint64_t)(byte & 127u) << shift;
        if (byte < 128) {
            return v;
        }
    }
}

uint8_t *ww_pack(WwHeap *heap, const uint64_t *values, uint32_t n)
{
    GByteArray *to = g_byte_array_new();
    for (uint32_t i = 0, next = 0; i < n; i++) {
        if (values[i] != 0) {
            ww_pack_number(to, 1 + i - next);
            ww_pack_number(to, values[i]);
            next = i + 1;
        }
    }
    ww_pack_number(to, 0);
    uint8_t *packed = ww_heap_take(heap, to->len);
    memcpy(packed, to->data, to->len);
    g_byte_array_unref(to);
    return packed;
}

void ww_unpack(const uint8_t *from, uint64_t *values, uint32_t n)
{
    uint64_t gap;
    memset(values, 0, n * sizeof *values);
    for (uint64_t *to = values; (gap = ww_unpack_number(&from)) != 0; to++) {
        to += gap - 1;
        *to = ww_unpack_number(&from);
    }
}
