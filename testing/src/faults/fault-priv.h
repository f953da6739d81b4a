/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Components that break one rule each, on purpose: a checker that does not catch its fault is no
 * checker.
 *
 *     numbers -> in [ ] out -> numbers
 *
 * All claim to pass every number on once, to sleep when idle, and to be the same after a reset.
 * Apart from its one fault each does: it takes a number when `out` has room and puts it in the
 * same cycle.
 */
#pragma once

#include "types.h"

#include <ports/tokens.h>

typedef struct Fault {
    WwComponent base;
    /* parameters */
    uint32_t every; /* How often it misbehaves, or how long. */
    /* ports */
    WwPort in;
    WwPort out;
    /* state */
    uint64_t n;   /* Numbers taken. */
    WwToken held; /* A number that waits inside, if `holding`, until `due`. */
    WwCycle due;
    bool holding;
    uint32_t dawdle; /* fault.fickle: for how long it holds one. */
    /* statistics */
    uint64_t taken;
    uint64_t cycles;
} Fault;

extern const WwParamRow fault_params[];
extern const WwPortRow fault_ports[];
extern const WwStatRow fault_stats[];
void fault_reset(void *self);

/* Is it this number's turn to be treated badly? */
static inline bool fault_turn(const Fault *f)
{
    return f->n % f->every == 0;
}

static inline WwToken fault_take(Fault *f)
{
    f->n++;
    f->taken++;
    ww_progress(f);
    return ww_fifo_take(&f->in);
}

/* Is there a number, and room for it? */
static inline bool fault_can_pass(Fault *f)
{
    return ww_fifo_ready(&f->in) && ww_fifo_room(&f->out);
}

/* Puts the held number if it is due and there is room; false while it stays. */
static inline bool fault_put_held(Fault *f)
{
    if (f->holding && ww_now(f) >= f->due && ww_fifo_room(&f->out)) {
        ww_fifo_put(&f->out, f->held);
        f->holding = false;
    }
    return !f->holding;
}

/*
 * Passes numbers on, the first of them number @p n; holds every `every`-th for @p cycles (at
 * least 1).
 */
WwRest fault_dawdle(Fault *f, uint64_t n, uint32_t cycles);
