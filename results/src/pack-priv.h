/* SPDX-License-Identifier: Apache-2.0 */
/** @file Many values of which most are 0 and the others small: a few bytes each that is not. */
#pragma once

#include <warpwright/heap.h>

/* A number in groups of seven bits, lowest first. */
void ww_pack_number(GByteArray *to, uint64_t v);
uint64_t ww_unpack_number(const uint8_t **from);
/* @p n values; in memory of @p heap. */
uint8_t *ww_pack(WwHeap *heap, const uint64_t *values, uint32_t n);
/* The same values again. */
void ww_unpack(const uint8_t *from, uint64_t *values, uint32_t n);
