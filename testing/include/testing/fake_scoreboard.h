/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake provider of `scoreboard`: instructions collide when the test says so (never, at first),
 * and every call is counted.
 */
#pragma once

#include <ports/hazards.h>

/** A scoreboard whose warps collide when the test says so; counts calls. */
typedef struct WwFakeScoreboard {
    WwComponent base;
    WwProvided hazards;
    /* what it may look at */
    uint32_t checks; /**< Calls of collides(). */
    uint32_t reserved, released, released_all;
    const WwInst *last; /**< The last instruction reserved or released. */
    uint32_t warp, reg; /**< Of the last release(). */
    WwHazardView view;
    /* its own; see the functions below */
    bool exact; /**< Its view shows registers. */
    uint8_t regs[WW_MAX_WARPS][WW_HAZARD_REGS];
    uint64_t colliding, slow; /**< Warps whose instructions collide; for a long operation. */
} WwFakeScoreboard;

/** The type `fake.scoreboard`. */
WW_API extern const WwType ww_fake_scoreboard_type;

/** From now on all instructions of @p warp collide (@p slow: with a load); a write is pending. */
WW_API void ww_fake_scoreboard_collide(WwFakeScoreboard *f, uint32_t warp, bool slow);
/** Nothing of @p warp collides or is pending any more; causes the notices of a release. */
WW_API void ww_fake_scoreboard_clear(WwFakeScoreboard *f, uint32_t warp);
/** A write of @p warp is pending, or is not any more (with notices), without any collision. */
WW_API void ww_fake_scoreboard_pending(WwFakeScoreboard *f, uint32_t warp, bool pending);
/**
 * Before the start: its view shows registers, and says that it is exact; a warp collides with all of them, or with none. Who makes a warp
 * collide whose head was looked at breaks that promise.
 */
WW_API void ww_fake_scoreboard_show(WwFakeScoreboard *f);
