/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a heap keeps of itself, at the begin of its range: a part of what is saved. Private to kernel/src. */
#pragma once

#include <warpwright/heap.h>

/** Of a heap that has no place of its own. */
typedef struct WwHeapPiece {
    struct WwHeapPiece *next;
    void *at;
    size_t size;
} WwHeapPiece;

#define WW_HEAP_CLASSES 192u

struct WwHeap {
    uint64_t end;  /**< Bytes of the range in use, whole pages. */
    uint64_t most; /**< Bytes that it can have. */
    uint32_t range, place;
    bool loose; /**< It has no place of its own: checkpoints cannot save it. */
    char *at;   /**< From here on blocks are cut, */
    size_t left;
    char *ready;                        /**< Up to here their pages are there. */
    struct Head *free[WW_HEAP_CLASSES]; /**< Given back, by class. */
    WwHeapPiece *pieces;
    GPtrArray *held; /**< By handle - 1; itself of the process alone. */
};
