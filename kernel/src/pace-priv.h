/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Do several threads pay? What they are worth depends on what else the host does, and on where it puts its cores, so it is measured: now and then a
 * window or two are a try, which are run the other way, and the pace (the host's time for a turn) is compared with that of those before. Who runs what changes
 * no result. Private to kernel/src.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Host's time and turns of some windows. */
typedef struct Spent {
    double time, turns;
} Spent;

/** Zero-initialise but for `busy`. */
typedef struct Pace {
    bool busy;         /**< The host has other work, as far as is known: the first try can wait. */
    Spent spent;       /**< In the windows since the last try; the last ones count most. */
    Spent tried;       /**< In the try. */
    double left;       /**< Turns until the next try. */
    uint32_t pause[2]; /**< Turns between tries: while one thread is faster, several are. */
    bool several;      /**< They are faster, as far as is known. */
    bool trying;       /**< The windows of now are a try: they are run the other way. */
    bool moved;        /**< The next one is the first of a try. */
} Pace;

/** Do several threads run the next window? */
bool ww_pace_several(Pace *pace);
/** What that window took; neither is 0. */
void ww_pace_note(Pace *pace, double host_time, double turns);
/** The same of a window that begins; returns the host's time, not 0. */
uint64_t ww_pace_begin(Pace *pace, bool *several);
/** It has ended, with so many turns. */
void ww_pace_end(Pace *pace, uint64_t begun, uint64_t turns);
