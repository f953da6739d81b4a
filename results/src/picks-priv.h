/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of picks share. */
#pragma once

#include <results/picks.h>

/* A type with statistics; masks have a byte for each of its values. */
typedef struct PickType {
    const WwType *type;
    uint32_t n;
    uint8_t *sum, *each; /* asked for by type */
    GPtrArray *of_ask;   /* uint8_t *: what each of `asks` chooses of it; NULL: nothing */
} PickType;

/* A pattern of paths. */
typedef struct PickAsk {
    GPatternSpec *path;
} PickAsk;

/* Values in memory, and where they are added up. */
typedef struct PickPlace {
    const uint64_t *from;
    uint32_t to, n;
    bool max;
} PickPlace;

struct WwPicks {
    const WwMachine *machine;
    GArray *types; /* PickType, by name */
    GHashTable *by_type;
    GPtrArray *asks; /* PickAsk */
    GArray *picks;   /* WwPick */
    GArray *places;  /* PickPlace */
    uint32_t n;
};

/* Why PATH:STATISTIC chooses nothing, and what there is; newly allocated. */
char *ww_picks_no_path(const WwMachine *machine, const char *path, const char *stat);
/* Why TYPE.STATISTIC chooses nothing. */
char *ww_picks_no_sum(const WwPicks *picks, const char *pattern);
