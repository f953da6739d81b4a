/* SPDX-License-Identifier: Apache-2.0 */
/** @file Texts that are told apart: each is kept once, and has a number, from 0 in the order in which they came. */
#pragma once

#include <warpwright/heap.h>

/** Zeros behind each text. */
#define WW_NAME_ROOM 16u

typedef struct WwNames {
    WwHeap *heap;
    const char **text; /**< By number. */
    uint32_t *index;   /**< Open addressing: number + 1. */
    uint32_t n, room;
} WwNames;

/** All of it is in memory of @p heap. */
void ww_names_init(WwNames *names, WwHeap *heap);
void ww_names_clear(WwNames *names);
/** The number of @p text; it is `n - 1` after the call, and was not before, if the text is new. */
uint32_t ww_names_add(WwNames *names, const char *text);
