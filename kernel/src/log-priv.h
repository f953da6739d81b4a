/* SPDX-License-Identifier: Apache-2.0 */
/** @file What taps and the lines of the event log have in common. */
#pragma once

#include "machine-priv.h"

/** A kind that was written: found by where its name stands. */
typedef struct LogKind {
    const char *name;
    uint32_t n;
    bool wanted;   /**< The filter lets it through. */
    char text[24]; /**< Its name between two tabs. */
} LogKind;
#define LOG_KINDS 32u

/** Lines behind each other: of a partition in a window, or those that go to the file next. */
typedef struct LogText {
    char *text;
    size_t n, room;
    WwCycle cycle; /**< Of the last line: */
    uint32_t n_digits;
    char digits[24];
    LogKind kind[LOG_KINDS];
} LogText;

/** The path of a component, and a tab. */
typedef struct LogPath {
    size_t n;
    char text[];
} LogPath;

/** A partition whose notes are being merged. */
typedef struct Merged {
    uint64_t turn; /**< Of its next note. */
    uint32_t partition;
} Merged;

typedef struct Log {
    LogText out; /**< In order. */
    LogText *of; /**< [n_all] Of partitions, in a window. */
    uint32_t n_of, n_paths;
    LogPath **path; /**< By component; NULL: not asked for yet. */
    Merged *merge;  /**< [n_all] A heap, the next one first. */
    uint32_t *next; /**< [n_all] Notes that are in the log. */
    char **fields;  /**< Of the filter; NULL: none. */
    char *outside;
} Log;

/** Room for the log of a machine as it is now. */
void ww_log_make(WwMachine *m);
void ww_log_free(WwMachine *m);
/** Does the filter let this kind through? */
bool ww_log_wants(const WwMachine *m, const char *kind);
/** Whole lines into the log. */
void ww_log_put(WwMachine *m, const char *text, size_t n);
/** In a window partition @p p has written @p n bytes from @p at on. */
void ww_note_text(WwPartition *p, size_t at, size_t n);
/** The time of @p c: in a window, of the partition that has its turn, which need not be the component's own. */
static inline WwCycle ww_log_time(const WwComponent *c)
{
    const WwPartition *p = ww_acting;
    return p != NULL ? p->moment.domain[c->domain->index]->cycle : c->domain->cycle;
}
