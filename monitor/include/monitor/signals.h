/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What SIGINT, SIGTERM, SIGHUP, SIGUSR1 and SIGUSR2 do to the process.
 *
 * While nothing that is worth keeping has been made, a signal ends the process at once, with one line on stderr, and removes what is
 * half written (ww_pending_remove_all()). While a model runs, the first one asks for its end (ww_interrupt()); when the model does not
 * come back from what it does, it is named and the process ends. A second signal never waits. SIGUSR1 asks where the run stands,
 * SIGUSR2 for a checkpoint.
 */
#pragma once

#include <warpwright/base.h>

/** What a signal that asks for the end does. */
typedef enum WwSignalsMode {
    WW_SIGNALS_END,   /**< The first one ends the process: status 128 + its number. */
    WW_SIGNALS_ASK,   /**< The first one asks, and has an answer soon, or ends the process. */
    WW_SIGNALS_DEFER, /**< The first one is only noted: results are being written. */
} WwSignalsMode;

/** Takes the signals over. The mode is WW_SIGNALS_END. SIGHUP stays ignored where it is (nohup). */
WW_API void ww_signals_begin(void);
/** From now on. */
WW_API void ww_signals_set(WwSignalsMode mode);
/** What is at work has an end, and comes nearer to it: whoever asked waits on. Cheap; by the thread that runs the model, not in a handler. */
WW_API void ww_signals_alive(void);
/** The first signal that came since ww_signals_begin() and did not end the process, or 0. */
WW_API int ww_signals_caught(void);
/** Has SIGUSR2 come since the last call? */
WW_API bool ww_signals_wanted(void);
/** Has SIGUSR1 come since the last call? */
WW_API bool ww_signals_asked(void);
