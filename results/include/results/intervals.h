/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Chosen statistics over time: a row every some cycles. What was counted between the end of the row before and its own; maxima so far. All rows
 * together are what the run counted.
 *
 * Workload: 100 to 1,000 values, mostly 0 or small, every 100 to 100,000 cycles; kept packed, in memory that checkpoints save.
 */
#pragma once

#include <results/picks.h>

/** Rows so far, and what is counted for the next. Free with ww_intervals_free(). */
typedef struct WwIntervals WwIntervals;

/** Rows of @p picks (closed; now owned) every @p every cycles of the first clock domain, in memory of @p heap. Before anything has run. */
WwIntervals *ww_intervals_new(WwMachine *machine, WwHeap *heap, WwPicks *picks, WwCycle every);
/** With its picks; @p intervals may be NULL. */
void ww_intervals_free(WwIntervals *intervals);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwIntervals, ww_intervals_free)
/** From now on rows go into the machine's event log, too: a line of kind WW_INTERVAL_EVENT for each value. */
void ww_intervals_tell(WwIntervals *intervals);
/** The kind of events that rows become. */
#define WW_INTERVAL_EVENT "interval"
/** The path of a sum over a type is this and the type's name. */
#define WW_INTERVAL_TOTAL "total."
/** The cycle in which the next row is to be made: no later than this ww_run() must come back (ww_machine_run_until()). */
WwCycle ww_intervals_next(const WwIntervals *intervals);
/** After each ww_run(): makes a row if it is time. */
void ww_intervals_look(WwIntervals *intervals);
/** Nothing runs any more: makes the last row, of what is left. */
void ww_intervals_end(WwIntervals *intervals);

/** Cycles of a row, as given. */
WwCycle ww_intervals_every(const WwIntervals *intervals);
/** What rows have the values of. */
const WwPicks *ww_intervals_picks(const WwIntervals *intervals);
/** Rows so far. */
uint32_t ww_intervals_n(const WwIntervals *intervals);
/** Row @p i into @p values, which has room for ww_picks_n(); returns the cycle at its end. */
WwCycle ww_intervals_row(const WwIntervals *intervals, uint32_t i, uint64_t *values);
