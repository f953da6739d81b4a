/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Statistics that somebody chose by name: of single components, and sums over a type.
 *
 *     gpu.cluster[*].sm[3].pool:warp_insns     of components by path
 *     gpu.cluster[*].sm[*].issue[0]:cause.*    entries of a vector
 *     gpu.dram[*].*                            all statistics of these components
 *     cache.l1.misses                          the sum over the components of a type
 *
 * In a pattern `*` stands for any text, `?` for one character, all else (`[`, too) for itself. Names are unique: a thing that several
 * patterns choose is there once. Sums come first, by type and descriptor, then components in order of creation.
 *
 * Workload: some thousand of 20,000 components are chosen once; their 100 to 100,000 values are then read at each kernel's end, or every
 * some hundred cycles.
 */
#pragma once

#include <warpwright/machine.h>

/** Entries that follow each other of one statistic. */
typedef struct WwPick {
    const WwComponent *component; /**< NULL: the sum over the components of `type`. */
    const WwType *type;
    const WwStatRow *row;
    uint32_t first, n; /**< Entries of `row`. */
    uint32_t at;       /**< Their values start here. */
} WwPick;

/** What was chosen of one machine. Free with ww_picks_free(). */
typedef struct WwPicks WwPicks;

/** What a pattern is read as, and chooses. */
typedef enum WwPickKind {
    WW_PICK_PATH, /**< PATH[:STATISTIC]: of components. */
    WW_PICK_SUM,  /**< TYPE.STATISTIC: sums. */
    WW_PICK_EACH, /**< TYPE.STATISTIC: of each component of the type. */
} WwPickKind;

/** None yet, of a machine that is complete. */
WwPicks *ww_picks_new(const WwMachine *machine);
/** @p picks may be NULL. */
void ww_picks_free(WwPicks *picks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwPicks, ww_picks_free)
/**
 * Adds what @p pattern chooses. False with @p error (which may be NULL), and nothing added, when that is nothing; the message is without a
 * subject: "matches no component; below gpu are kernels, dispatcher".
 */
bool ww_picks_add(WwPicks *picks, WwPickKind kind, const char *pattern, GError **error);
/** No more are added. */
void ww_picks_close(WwPicks *picks);

/** Values in all, once it is closed. */
uint32_t ww_picks_n(const WwPicks *picks);
/** The picks, @p n of them. */
const WwPick *ww_picks_list(const WwPicks *picks, uint32_t *n);
/** "PATH:STATISTIC", "TYPE.STATISTIC", with ".LABEL" or ".NUMBER" for entry @p i of those of @p pick; newly allocated. */
char *ww_pick_name(const WwPick *pick, uint32_t i);
/** Reads every value, as of now, into @p values; the machine must be settled. */
void ww_picks_read(const WwPicks *picks, uint64_t *values);
/** What was counted since @p before, in place: @p values minus it; maxima stay. */
void ww_picks_since(const WwPicks *picks, uint64_t *values, const uint64_t *before);
