/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of checkpoints share. Private to checkpoint/src. */
#pragma once

#include <checkpoint/checkpoint.h>

struct WwCheckpoint {
    WwHeap **heap;
    WwHeapImage **image; /**< [n], as are the heaps. */
    uint32_t n;
    GPtrArray *facts; /**< "name\tvalue" */
};

/** Are the facts @p there, of the file @p path, those of this process? An error names the first that is not. */
bool checkpoint_compare(const char *path, const GPtrArray *there, const GPtrArray *here,
                        GError **error);

#define WW_CHECKPOINT_MAGIC "wwckpt01" /* 8 bytes; the number is that of the format */
/** After the changes of a heap. */
#define WW_CHECKPOINT_END UINT64_MAX
/** Longest text of a fact that is read. */
#define WW_CHECKPOINT_TEXT (1u << 16)
/** Most facts, and bytes of all their texts: few bytes of a file can be very many. */
#define WW_CHECKPOINT_FACTS (1u << 20)
#define WW_CHECKPOINT_TEXTS (64u << 20)
