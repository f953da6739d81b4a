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

/** Zero-initialise. */
typedef struct Pace {
    double
        before; /**< Of the windows since the last try, the last ones above all; 0: there was none. */
    double gain;    /**< So many times as fast are several threads; 0: nothing was run yet. */
    uint32_t every; /**< Windows between two tries. */
    int32_t left;   /**< Until the next one; 0: its first window, -1: another one, which counts. */
    uint32_t pause; /**< The same, for the next time that several pay no more. */
} Pace;

/** Do several threads run the next window? */
bool ww_pace_several(Pace *pace);
/** The pace of that window; not 0. */
void ww_pace_note(Pace *pace, double host_time_of_a_turn);
/** The same of a window that begins; returns the host's time, not 0. */
uint64_t ww_pace_begin(Pace *pace, bool *several);
/** It has ended, with so many turns. */
void ww_pace_end(Pace *pace, uint64_t begun, uint64_t turns);
