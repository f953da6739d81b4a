/* SPDX-License-Identifier: Apache-2.0 */
/** @file What a waveform is made of. */
#pragma once

#include "follow-priv.h"

typedef struct Signal {
    char *path, *name;
    uint32_t number, bits;
    bool starts;          /* with 0; else nobody knows with what */
    bool known, written;  /* has it a value, and was any written? */
    bool changed;         /* at the present time */
    uint64_t value, last; /* now; the last that was written */
    uint64_t until;       /* when the cycle that it counts is over */
} Signal;

/** A count that is 0 again when its cycle is over. */
typedef struct Pulse {
    uint64_t until;
    Signal *signal;
} Pulse;

typedef struct WarpSignals {
    Signal *buffered, *flying, *pc;
} WarpSignals;

typedef struct Vcd {
    WwView *view;
    Follow *follow;
    FILE *spool;        /* changes */
    uint64_t now;       /* picoseconds */
    GPtrArray *signals; /* Signal *, by number */
    GPtrArray *changed; /* at the present time */
    GArray *pulses;     /* Pulse, in the order of their ends */
    GPtrArray *tables;  /* of places: name -> Signal */
    GHashTable *warps;  /* (sm, warp) -> WarpSignals */
    GString *name;
    /* Statistics over time: told when an interval is over, drawn from its begin on. */
    FILE *later;          /* their changes */
    GHashTable *counted;  /* path, tab, name -> Signal */
    uint64_t since, over; /* begin and end of the last interval */
} Vcd;
