/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the kernel notes for <warpwright/at_work.h>. All of it is outside of the tick: plain stores of pointers that a signal handler may
 * read.
 */
#pragma once

#include <warpwright/at_work.h>

/** A module is being opened; NULL: it has been. */
void ww_at_work_loading(const char *path);
/** It has been, and its descriptors are looked at. */
void ww_at_work_adding(const char *path);
/** A module is loaded. */
void ww_at_work_loaded(const WwModule *module, const char *path);
/** The component that is in a function that is not an entry point ("init", "reset", "finish"), or NULL; and which. */
extern const WwComponent *volatile ww_doing;
extern const char *volatile ww_doing_what;
/** It begins; NULL: it has returned. */
static inline void ww_at_work_doing(const WwComponent *component, const char *what)
{
    ww_doing_what = what;
    ww_doing = component;
}
/** The machine whose ticks are being run. */
void ww_at_work_running(const WwMachine *machine);
/** The machine is gone. */
void ww_at_work_forget(const WwMachine *machine);
