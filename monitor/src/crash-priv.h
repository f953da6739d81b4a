/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the handlers of signals.c share with the crash report. */
#pragma once

#include <monitor/crash.h>
#include <pthread.h>

/**
 * Writes one line to stderr: the process was interrupted, and where it is: the component that has its turn or is being set up,
 * and for a module's its function and file. @p context is the third argument of the handler. Only for handlers that end the
 * process.
 */
void ww_crash_tell_interrupted(const void *context, const char *consequence);

/** Has @p thread call @p answer, in a handler, with the third argument of that. For handlers. */
void ww_crash_ask(pthread_t thread, void (*answer)(const void *context));
