/* SPDX-License-Identifier: Apache-2.0 */
/** @file What windows and their stages know of each other. Private to kernel/src. */
#pragma once

#include "machine-priv.h"

/** Runs all stages of the window that is open to its end. */
void ww_run_stages(WwMachine *m);
/** The first partition that takes part from rank *at on, below @p end; *at is behind it. NULL: none. */
WwPartition *ww_next_in(const WwMachine *m, uint32_t *at, uint32_t end);
/** What partitions of the stage left for others is taken, in the order of their ranks. */
void ww_take_mail(WwMachine *m, const Stage *stage);
/** Runs the first @p n of m->job, each to its `until`, in as many threads as the window has. */
void ww_run_jobs(WwMachine *m, uint32_t n);
/** Runs @p stage and the next one to the end of the window, in turns: see tight.c. */
void ww_run_tight(WwMachine *m, uint32_t stage);
/** The first tick that a partition of the stage is held in, or @p end. */
uint32_t ww_first_stop(const WwMachine *m, const Stage *stage, uint32_t end);
/** A turn of the serial partition in tick @p k, for all of the stage that are held there. Does it want the next one? */
bool ww_serve(WwMachine *m, const Stage *stage, uint32_t k);
/** Those who have turns that are due take part. Is there one? */
bool ww_join_due(const WwMachine *m);
/** The serial partition looks at those of the stage that are held, up to tick @p end. */
void ww_serve_all(WwMachine *m, const Stage *stage, uint32_t end);
/** In a window: all of the partition's domains have the time of its tick @p k. */
void ww_set_times(const WwMachine *m, const WwPartition *p, uint32_t k);
/** Is one of its turns due? */
bool ww_busy(const WwPartition *p);
/** All of tick @p k of partition @p p, which is then in its end. */
void ww_run_tick(WwMachine *m, WwPartition *p, uint32_t k);
/** Runs the partition on to the beginning of tick @p end, or to the end of the one in which it posts something, in which it is held. */
void ww_run_on(WwMachine *m, WwPartition *p, uint32_t end);
