/* SPDX-License-Identifier: Apache-2.0 */
/** @file Words around what components have, to see what writes beside it: on test benches. Private to kernel/src. */
#pragma once

#include "machine-priv.h"

typedef struct Guards Guards;

/** For a machine without components. */
void ww_guards_begin(WwMachine *m);
void ww_guards_free(WwMachine *m);
/** ww_machine_alloc(), with room around. */
void *ww_guards_alloc(WwMachine *m, size_t size);
/** What guards take of a component, between its state and its entry points. */
uint32_t ww_guards_room(void);
/** @p size bytes at @p at are the state of component @p self, or memory that it has of ww_alloc(). */
void ww_guards_own(WwComponent *self, void *at, size_t size);
/** The first of these beside which something was written, newly allocated text; NULL: none. */
char *ww_guards_overwritten(const WwMachine *m);
