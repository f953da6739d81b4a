/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts `scoreboard` (registers with a pending write) and `barriers` (CTA barriers, memory barriers, asynchronous
 * copies): what keeps a warp from issuing.
 */
#pragma once

#include <ports/inst.h>
#include <warpwright/component.h>

/* ---- scoreboard ------------------------------------------------------------------------------------------------- */

/** What is known of a register of a warp. */
enum {
    WW_REG_PENDING = 1u << 0, /**< A write is on its way, */
    WW_REG_SLOW = 1u << 1,    /**< reserved by a long operation. */
    WW_REG_MARKED = 1u << 2,  /**< A long-operation mark (docs/model.md#scoreboard). */
};
#define WW_HAZARD_REGS 264u /**< WW_NUM_REGS, aligned. */

/** What others may look at of a scoreboard; bit w of each mask speaks of hardware warp w. */
typedef struct WwHazardView {
    uint64_t pending; /**< Warps with a pending write. */
    uint64_t changed; /**< Warps of which a register was released since their scheduler saw it. */
    bool
        exact; /**< Constant: a warp collides while, and only while, a register is pending; false: by other rules. */
    bool
        zero_free; /**< Constant: R255 is no register, writes to it are never pending; false: it is one, or nothing is said. */
    const uint8_t *regs
        [WW_MAX_WARPS]; /**< Where exact: by warp and register number, WW_REG_...; or NULL, all of them and always: ask. */
} WwHazardView;

/** What is known of the registers that @p s reads or writes, together: of an exact view with `regs`. */
static inline uint32_t ww_hazard_regs(const WwHazardView *view, uint32_t warp, const WwSinst *s)
{
    const uint8_t *r = view->regs[warp];
    return r[s->dst] | r[s->src[0]] | r[s->src[1]] | r[s->src[2]] | r[s->src[3]];
}
G_STATIC_ASSERT(WW_MAX_SRC == 4 && WW_HAZARD_REGS >= WW_NUM_REGS);

/** Of any hardware warp, 0 to WW_MAX_WARPS - 1: how many an SM has, the `warps` contract says. */
typedef struct WwScoreboardIf {
    /** The masks; the pointer stays valid for the machine's life. */
    const WwHazardView *(*view)(void *self);
    /** The scheduler of @p warps has looked at them again: they are in `changed` no more. */
    void (*seen)(void *self, uint64_t warps);
    /** Is a source or destination of @p s pending in @p warp? Free of effects. */
    bool (*collides)(void *self, uint32_t warp, const WwSinst *s);
    /** Is a source of @p s pending from a long operation (a load from global or local memory)? Free of effects. */
    bool (*waits_long)(void *self, uint32_t warp, const WwSinst *s);
    /** At issue: the destinations become pending; long for loads from global and local space. */
    void (*reserve)(void *self, const WwInst *inst);
    /** One register; leaves the long-operation mark behind (docs/model.md#scoreboard). Nothing if not pending. */
    void (*release)(void *self, uint32_t warp, uint32_t reg);
    /** All destinations of an instruction, long marks included. */
    void (*release_all)(void *self, const WwInst *inst);
    /**
     * Is a register of @p s pending that a long operation reserved? Unlike waits_long() exact (no marks left behind), and for
     * destinations too: for statistics. Free of effects.
     */
    bool (*collides_long)(void *self, uint32_t warp, const WwSinst *s);
} WwScoreboardIf;

/**
 * Release < check and reserve < retire scan. A warp that comes into `changed` wakes `check` caller (warp mod n): who has not said seen()
 * need not be told again. A clean warp wakes `retire`.
 */
enum { WW_HAZARD_RELEASE, WW_HAZARD_CHECK, WW_HAZARD_RETIRE };
#define WW_RANK_RELEASE "release"
#define WW_RANK_CHECK "check"
#define WW_RANK_RETIRE "retire"
/** Port contract `scoreboard`: registers with a pending write. WW_SCOREBOARD(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_scoreboard;
#define WW_SCOREBOARD(port) ((const WwScoreboardIf *)(port)->table)

/* ---- barriers --------------------------------------------------------------------------------------------------- */

/** What others may look at of barriers; bit w of each mask speaks of hardware warp w. */
typedef struct WwBarrierView {
    uint64_t held;       /**< Warps held at a CTA barrier. */
    uint64_t membar;     /**< Memory-barrier flag set. */
    uint64_t async;      /**< Wait for asynchronous copies. */
    uint32_t schedulers; /**< Callers of rank issue, for checks; 0: not known. */
} WwBarrierView;

/** Of any hardware warp, 0 to WW_MAX_WARPS - 1, as a scoreboard. */
typedef struct WwBarriersIf {
    /** The masks; the pointer stays valid for the machine's life. May be called in a caller's init. */
    const WwBarrierView *(*view)(void *self);
    /** A CTA is placed: its warps are present and active. Wakes their `issue` callers (they count stall causes). */
    void (*cta_enter)(void *self, uint32_t cta, uint64_t warps);
    /** The CTA has completed. */
    void (*cta_leave)(void *self, uint32_t cta);
    /** A warp reaches CTA barrier 0 (docs/model.md#cta-barriers): held until all active warps of its CTA have arrived. */
    void (*arrive)(void *self, uint32_t warp);
    /** A warp has exited: it is active no more, which may release the others. */
    void (*exit)(void *self, uint32_t warp);
    void (*set_membar)(void *self, uint32_t warp);
    /** The policy looked at a warp whose flag is set and which has nothing pending: clears the flag (docs/model.md#memory-barriers). */
    void (*complete_membar)(void *self, uint32_t warp);
    /** Asynchronous copies (docs/model.md#asynchronous-copies). @p done: an LDGSTS without active lanes. */
    void (*async_add)(void *self, uint32_t warp, uint64_t pc, uint64_t addr, bool done);
    void (*async_commit)(void *self, uint32_t warp);
    void (*async_wait)(void *self, uint32_t warp, uint32_t outstanding);
    void (*async_done)(void *self, uint32_t warp, uint64_t pc, uint64_t addr);
} WwBarriersIf;

/** Execute (async_done) < issue < cta. A release wakes `issue` caller (warp mod n). */
enum { WW_BARRIERS_EXECUTE, WW_BARRIERS_ISSUE, WW_BARRIERS_CTA };
/** Port contract `barriers`: CTA barriers, memory barriers, asynchronous copies. WW_BARRIERS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_barriers;
#define WW_BARRIERS(port) ((const WwBarriersIf *)(port)->table)
