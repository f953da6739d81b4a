/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What turns did, for ww_machine_count_turns(). A machine that does not count has its entry points' own functions where it calls them, so that
 * nothing is paid for. Private to kernel/src.
 */
#pragma once

#include "machine-priv.h"

typedef struct Counts Counts;

/** What is called for entry point @p row of @p c: @p own, or one that counts. */
WwTickFn ww_counts_tick(const WwComponent *c, WwTickFn own, uint32_t row);
/** @p at is @p self's from now on. */
void ww_counts_memory(const WwComponent *self, const void *at, size_t size);
/** The machine is sealed, all memory given out. */
void ww_counts_start(WwMachine *m);
/** All to zero. */
void ww_counts_reset(WwMachine *m);
void ww_counts_free(WwMachine *m);
