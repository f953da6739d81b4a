/* SPDX-License-Identifier: Apache-2.0 */
/** @file Control words of SASS instructions, and listings of them: shared by the files of this module. */
#pragma once

#include <warpwright/component.h>

#define BARRIERS 6u
#define NO_BARRIER 7u
#define LONGEST_STALL 15u

typedef struct ControlWord {
    uint64_t pc;
    uint8_t wait;  /* barriers that must be free, a mask */
    uint8_t read;  /* barrier taken until the operands are read, or NO_BARRIER */
    uint8_t write; /* barrier taken until the result is written, or NO_BARRIER */
    uint8_t stall; /* cycles from this instruction to the next one of the warp */
} ControlWord;

typedef struct Listing {
    uint32_t n;
    ControlWord *word; /* by pc */
} Listing;

/** Reads a listing: one instruction a line, its pc in hexadecimal and `B01---5:R-:W2:-:S04`; '#' begins a comment. */
bool listing_read(const char *path, Listing *out, GError **error);
void listing_clear(Listing *listing);

static inline const ControlWord *listing_find(const Listing *l, uint64_t pc)
{
    uint32_t lo = 0, hi = l->n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (l->word[mid].pc == pc) {
            return &l->word[mid];
        }
        if (l->word[mid].pc < pc) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return NULL;
}
