/* SPDX-License-Identifier: Apache-2.0 */
/** @file Fake provider of `kernel_results`: returns the results that the test wrote down. */
#pragma once

#include <ports/ctas.h>

/** Finished kernels that the test wrote down. */
typedef struct WwFakeKernelResults {
    WwComponent base;
    WwProvided kernel_results;
    /* what the test may set */
    const WwKernelResult *results; /**< n of them, owned by the test. */
    uint32_t n, at;
    uint32_t in_flight; /**< Answer of running(). */
    uint64_t issued, completed, total;
} WwFakeKernelResults;

/** The type `fake.kernel_results`. */
WW_API extern const WwType ww_fake_kernel_results_type;
