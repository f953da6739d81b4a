/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Where the host's time goes in windows, for ww_machine_set_profile(). Without a profile each of these is a load and a branch, a few a
 * partition and window.
 */
#pragma once

#include "machine-priv.h"

/** What took a partition's time in the stage that is being run. */
typedef enum ProfilePart { PROFILE_ALONE, PROFILE_SERVED, N_PROFILE_PARTS } ProfilePart;

typedef struct Profile {
    FILE *out;
    uint64_t last;                      /**< When the last row was written, */
    WwTick tick;                        /**< and in which tick. */
    uint64_t next;                      /**< Nanoseconds that the next stage has had already. */
    uint64_t cost;                      /**< Nanoseconds of rows that none tells yet. */
    char **title;                       /**< [n_all]: paths of partitions, or names. */
    uint64_t (*spent)[N_PROFILE_PARTS]; /**< [n_all]: nanoseconds. */
} Profile;

uint64_t ww_profile_clock(void);
void ww_profile_write_part(WwMachine *m, WwTick ticks, const char *part);
void ww_profile_write_stage(WwMachine *m, uint32_t stage);
/** Ends the profile, if there is one. */
void ww_profile_free(WwMachine *m);

/** Something begins: nanoseconds that the thread has had of a processor, or 0. */
static inline uint64_t ww_profile_begin(const WwMachine *m)
{
    return G_UNLIKELY(m->host->profile != NULL) ? ww_profile_clock() : 0;
}
/** It is over: what it took is the partition's. */
static inline void ww_profile_end(const WwPartition *p, ProfilePart part, uint64_t begin)
{
    Profile *of = p->machine->host->profile;
    if (G_UNLIKELY(of != NULL)) {
        of->spent[p->index][part] += ww_profile_clock() - begin;
    }
}
/** A row for what the whole machine has done since the last row, in @p ticks; 0: those since then. */
static inline void ww_profile_part(WwMachine *m, WwTick ticks, const char *part)
{
    if (G_UNLIKELY(m->host->profile != NULL)) {
        ww_profile_write_part(m, ticks, part);
    }
}
/** The rows of a stage that is over. */
static inline void ww_profile_stage(WwMachine *m, uint32_t stage)
{
    if (G_UNLIKELY(m->host->profile != NULL)) {
        ww_profile_write_stage(m, stage);
    }
}
