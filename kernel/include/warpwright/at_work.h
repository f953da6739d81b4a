/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Whose code is at work: for whoever reports how a process ended, or where it was interrupted. The kernel itself installs no signal
 * handler; it keeps what a handler may read, in plain stores outside of the tick.
 */
#pragma once

#include <pthread.h>
#include <warpwright/module.h>

/** All NULL: nobody, or nobody knows. */
typedef struct WwAtWork {
    const WwComponent
        *component;       /**< It has its turn, or is in the function that @c function names. */
    const char *function; /**< "init", "start", "reset", "finish"; NULL: a turn. */
    const char *loading;  /**< File of the module that is being opened: its constructors may run. */
    bool adding;          /**< They have; now its descriptors are looked at. */
} WwAtWork;

/** In the calling thread. May be called in a signal handler. */
WW_API WwAtWork ww_at_work(void);
/** Does another thread run a part of the machine now? Likewise. */
WW_API bool ww_at_work_beside(pthread_t *thread);

/**
 * Calls @p fn in the thread in which an assertion of Warpwright's own does not hold, before the process aborts: it writes the rest of the line, and
 * its end, to stderr. NULL: nobody any more.
 */
WW_API void ww_assert_watch(void (*fn)(void));

/** Is told of a module, and the file that it lies in. */
typedef void (*WwModuleFn)(const WwModule *module, const char *path);
/** Calls @p fn for each module that is loaded from now on; NULL: nobody any more. */
WW_API void ww_module_watch(WwModuleFn fn);
