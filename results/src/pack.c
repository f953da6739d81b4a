/* SPDX-License-Identifier: Apache-2.0 */
/* Values in little room: for each that is not 0, 1 + how many were since the last, and itself. Then a 0. */
#include "pack-priv.h"

#include <string.h>

uint64_t ww_unpack_long(const uint8_t **from)
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
    uint8_t *to = g_malloc(WW_VALUES_MOST((size_t)n));
    size_t all = (size_t)(ww_pack_values(to, values, n) - to);
    uint8_t *packed = ww_heap_take(heap, all);
    memcpy(packed, to, all);
    g_free(to);
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
