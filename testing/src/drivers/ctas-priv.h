/* SPDX-License-Identifier: Apache-2.0 */
/* What the random dispatcher of an SM knows, and of what stands before one. */
#pragma once

#include "drivers-priv.h"

#include <ports/ctas.h>
#include <testing/fake_ctas.h>

enum { RUNS = 4, PLACES = 64, SM = 3, SMS = 8, CLUSTER = 2 };

/* A kernel under way: its number changes when another takes its place. */
typedef struct Run {
    WwKernel kernel;
    WwKernelRun run;
    bool fits, never; /* One was placed; it was said that none ever can. */
} Run;

typedef struct Placed {
    Run *run; /* NULL: not in use */
    uint64_t warps, order;
    bool complete;
    WwCtaTrace trace;
} Placed;

typedef struct Ctas {
    bool begun;
    uint32_t uid;
    uint64_t order;
    WwTinst tinst;
    const WwTinst *warp[WW_MAX_WARPS];
    uint32_t n_insts[WW_MAX_WARPS];
    Run run[RUNS];
    Placed placed[PLACES];
    uint32_t active, threads; /* As they should be. */
    bool owed;                /* Before a fake SM: that one is complete is to be told, */
    WwCycle since;            /* from then on. */
} Ctas;

/* The kernel that the dispatcher would take a CTA from now; NULL: none. */
Run *ctas_kernel_for(WwDrive *d, Ctas *c);

/* ctas_between.c */
void ctas_between_drive(WwDrive *d, Ctas *c, WwFakeCtas *behind);
bool ctas_between_serve(WwDrive *d, Ctas *c, WwFakeCtas *behind);
void ctas_between_rest(WwDrive *d, const WwFakeCtas *behind);
