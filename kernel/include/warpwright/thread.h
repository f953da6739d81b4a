/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Threads that work for a run beside the one that has the control plane: no signal that asks for something is delivered to them.
 */
#pragma once

#include <pthread.h>
#include <warpwright/base.h>

/** Starts @p work(user) in a thread of its own, to be joined. False: the system gives none. */
WW_API bool ww_thread_begin(pthread_t *thread, void *(*work)(void *), void *user);

/** Between two looks at what another thread will write. */
static inline void ww_relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}
