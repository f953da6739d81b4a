/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `kernels`: runs that the test fills in; none at first. */
#pragma once

#include <ports/ctas.h>

/** Kernels that can be added at most. */
#define WW_FAKE_KERNELS_MAX 8u

/** Running kernels that the test adds; each CTA that is handed out has the same trace, without warps. */
typedef struct WwFakeKernels {
    WwComponent base;
    WwProvided kernels;
    /* what the test may set */
    uint32_t n; /**< Runs in use; see ww_fake_kernels_add(). */
    WwKernelRun run[WW_FAKE_KERNELS_MAX];
    WwKernel kernel[WW_FAKE_KERNELS_MAX];
    bool fail;        /**< take() answers NULL, as after a trace error. */
    WwCycle idle;     /**< What idle() answers. */
    uint64_t changes; /**< How often it was asked for changes. */
    /* what it may look at */
    uint32_t selects; /**< Calls of select(). */
    uint32_t takes;
    uint32_t completed;           /**< CTAs given back. */
    const WwKernelRun *last;      /**< Run of the last one, */
    const WwCtaTrace *last_trace; /**< and its trace. */
    /* its own */
    WwCtaTrace trace; /**< What take() hands out. */
    char name[8];     /**< Of each kernel. */
} WwFakeKernels;

/** The type `fake.kernels`. */
WW_API extern const WwType ww_fake_kernels_type;

/**
 * Adds a kernel of @p ctas CTAs of @p threads threads that may be selected from cycle @p ready on
 * (and wakes the `dispatch` callers then). select() returns the first that is ready and has CTAs
 * left.
 */
WW_API WwKernelRun *ww_fake_kernels_add(WwFakeKernels *f, uint64_t ctas, uint32_t threads,
                                        WwCycle ready);
