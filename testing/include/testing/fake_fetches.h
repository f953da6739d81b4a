/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `fetches`: answers what the test says (here at once, at first), and returns what it says. It says that it refuses
 * again, while a test wants that and it does.
 */
#pragma once

#include <ports/sub_core.h>

/** Instruction fetch whose answers the test sets; keeps what it was asked. */
typedef struct WwFakeFetches {
    WwComponent base;
    WwProvided fetches;
    /* what the test may set */
    WwFetchResult result; /**< Answer to every access. */
    bool
        refuses; /**< What it refuses it says to refuse until ww_fake_fetches_again(); false at first. */
    /* what it may look at */
    uint64_t refused; /**< Accesses that refused() told of, */
    WwCycle last;     /**< and when the last of them was. */
    uint32_t accesses;
    uint32_t warp; /**< Of the last access. */
    uint64_t pc;
    bool ready; /**< Something has come and was not taken. */
    /* its own */
    uint32_t ready_warp;
    uint64_t ready_pc;
} WwFakeFetches;

/** The type `fake.fetches`. */
WW_API extern const WwType ww_fake_fetches_type;

/** What @p warp fetched at @p pc comes back, in place of what had come before it; wakes the `fetch` caller. */
WW_API void ww_fake_fetches_return(WwFakeFetches *f, uint32_t warp, uint64_t pc);
/** What was refused may fit now: wakes the `fetch` caller. */
WW_API void ww_fake_fetches_again(WwFakeFetches *f);
