/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The wish to stop, from a signal handler to whoever works long: the run loop between two ticks, readers of files, a
 * component that does very much in one tick.
 *
 * One flag for the process. All but ww_interrupt_clear() may be called in a signal handler.
 */
#pragma once

#include <warpwright/base.h>

/** Somebody wants the process to come to its end: ww_run() returns after the tick in which it is, ww_interrupted() is true. */
WW_API void ww_interrupt(void);
/** Has somebody? Long work outside of the run loop asks every some ten thousand steps, and leaves off. */
WW_API bool ww_interrupted(void);
/** Makes ww_run() return once, after the tick in which it is, with WW_RUN_BUDGET. */
WW_API void ww_attention(void);
/** ww_run() goes on again until the next ww_attention(). */
WW_API void ww_attention_clear(void);
/** Nobody wants the end any more: for a process that goes on after it. */
WW_API void ww_interrupt_clear(void);
