/* SPDX-License-Identifier: Apache-2.0 */
/** @file Figures that one looks at when comparing schedulers, computed alike for a run's own report and for `compare`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/** Where the values come from: statistic @p stat of the components of @p type, entry @p label (NULL: all of it). */
typedef bool (*WwValueFn)(void *user, const char *type, const char *stat, const char *label,
                          uint64_t *out);

/** A share of something, in percent. */
typedef struct WwRate {
    const char *name; /**< "L1D hits" */
    const char *of;   /**< What it is a share of, for people. */
    bool has;         /**< The machine has it, and there was something to have a share of. */
    double percent;
} WwRate;

/** How many figures ww_rates() has. */
enum { WW_N_RATES = 5 };

/** Fills @p rates: occupancy, hits of the L1D, the L1I and the L2, requests that DRAM served from an open row. */
void ww_rates(WwValueFn value, void *user, WwRate rates[WW_N_RATES]);

/** Digits behind the point with which @p ipc, thread instructions a cycle, is shown: 1, below one instruction a cycle 3, so that one that waits is not 0.0. */
int ww_ipc_digits(double ipc);

/** What a cause of a warp scheduler means ("scoreboard_long": "data from memory"); an unknown one is its own text. */
const char *ww_cause_text(const char *label);
