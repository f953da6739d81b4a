/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `scheduler`: the policy that fills a warp scheduler's slot. It only orders
 * warps; the warp scheduler does the rest (i-buffers, hazards, units, dual issue, statistics). A
 * new policy is some 60 lines: see components/issue/lrr.c.
 */
#pragma once

#include <ports/hazards.h>
#include <ports/warps.h>

/** What a policy may look at. Owned by the warp scheduler. */
typedef struct WwPolicyView {
    const WwWarpView *warps;
    const WwBarrierView *barriers;
    const WwPort *
        hazards; /**< Scoreboard, for policies that look at pending registers; NULL where none says what a register waits for. */
    uint64_t mine; /**< Warps of this scheduler (slot mod n_schedulers == scheduler). */
    uint64_t
        candidates; /**< Of mine (and a guest), those that could issue now: not waiting, i-buffer not
                                    empty, head not known to collide with a pending register; and
                                    those whose waiting ends when looked at. */
    uint64_t
        waiting; /**< Of mine (and a guest): done, exited, at a barrier, for atomics or copies. A
                                    memory barrier that ends when looked at does not count. */
    uint32_t scheduler, n_schedulers;
} WwPolicyView;

/** The order in which a warp scheduler tries its warps: a provider has state for one scheduler. */
typedef struct WwPolicyIf {
    /**
     * Writes the order in which warps are tried into @p out[64], best first, and returns how
     * many. Warps that are not in view->candidates may be left out or listed (they are skipped).
     * Called once a tick in which the scheduler runs.
     */
    uint32_t (*order)(void *self, const WwPolicyView *view, uint8_t *out);
    /**
     * The warp of @p among, which is not empty and a part of view->candidates, that order() would list first. Free of effects. A policy
     * that has it says all with it: it is not asked for an order in a tick in which nothing but the order matters. If it has any of
     * restless(), considers() and guest(), it has limits(), too. NULL: order() is asked, which costs more.
     */
    uint32_t (*first)(void *self, const WwPolicyView *view, uint64_t among);
    /** @p warp has issued @p n instructions in this tick (called once, after the last). */
    void (*issued)(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n);
    /**
     * The warps whose waiting state the policy evaluates before any is tried (a policy that sorts
     * looks at all). NULL: none; warps are then looked at one by one as they are tried.
     */
    uint64_t (*examines)(void *self, const WwPolicyView *view);
    /**
     * Does order() change its state even when nothing issues and nothing else changes? Then the
     * scheduler cannot sleep. NULL: no.
     */
    bool (*restless)(void *self, const WwPolicyView *view);
    /**
     * The warps that the policy would try at all in this tick, for policies that leave some out
     * on purpose (a small active set); asked after order(), and only when nothing issued. Warps
     * left out do not count in the idle and scoreboard statistics. NULL: all.
     */
    uint64_t (*considers)(void *self, const WwPolicyView *view);
    /**
     * A warp of another scheduler that order() may name in this tick, or -1; asked first of all in
     * a tick. It counts in the masks of the view, `mine` aside; what happens to it does not wake
     * this scheduler, which therefore does not sleep as long as it has a guest. NULL: never.
     */
    int32_t (*guest)(void *self, const WwPolicyView *view);
    /**
     * The warps that order() would list: asked in its place, once a tick, by whom first() is asked for the order of those that can issue. It changes the
     * policy's state as order() does. NULL: all.
     */
    uint64_t (*limits)(void *self, const WwPolicyView *view);
} WwPolicyIf;

/** Port contract `scheduler`: the order in which warps are tried. WW_POLICY(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_scheduler;
#define WW_POLICY(port) ((const WwPolicyIf *)(port)->table)
/** The port of a policy that keeps state for one warp scheduler. */
#define WW_PORT_POLICY(T, f, table_)                                                               \
    {                                                                                              \
        .name = #f, .role = WW_PROVIDES, .contract = &ww_contract_scheduler, .max = 1,             \
        .table = table_, .doc = "policy of one warp scheduler",                                    \
        .offset = WW_FIELD(T, f, WwProvided)                                                       \
    }
