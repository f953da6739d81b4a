/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Threads for the partitions of a stage. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"

/** @p threads threads besides the caller's, or as many as the system gives. They live until ww_crew_free(); the memory is the machine's. */
WwCrew *ww_crew_new(WwMachine *machine, uint32_t threads);
/** Runs the @p n partitions of @p job through the window that is open, and returns when all are done. */
void ww_crew_run(WwCrew *crew, WwPartition *const *job, uint32_t n);
/** Does one of the threads run a partition now? May be called in a signal handler. */
bool ww_crew_at_work(const WwCrew *crew, pthread_t *thread);
/** Ends the threads. */
void ww_crew_free(WwCrew *crew);
/** One partition, through the window that is open; in whatever thread. */
void ww_run_partition(WwPartition *partition);
