/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the kernel tells the crash report (crash.c), so that it can say in whose code a process ended. All of it is outside
 * of the tick: plain stores of pointers that a signal handler may read.
 */
#pragma once

#include <warpwright/module.h>

/** A module is being opened (its constructors may run); NULL: it has been. */
void ww_crash_loading(const char *path);
/** A module is loaded: remembers where its code lies and what its functions are called. Nothing unless reports are on. */
void ww_crash_module(const WwModule *module, const char *path);
/** @p component is in a function that is not an entry point ("init", "reset", "finish"); NULL: it has returned. */
void ww_crash_doing(const WwComponent *component, const char *what);
/** The machine whose ticks are being run. */
void ww_crash_running(const WwMachine *machine);
/** The machine is gone. */
void ww_crash_forget(const WwMachine *machine);
