/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts `warps` (the hardware warps of an SM: i-buffers, lanes, counters, trace cursors) and `simt` (the pc that a
 * warp is expected to execute next).
 *
 * Readers look at masks over warps (WwWarpView), so that a scheduler touches only warps that can issue. Whoever changes a mask
 * through the functions below causes the notices: "a warp became issuable" wakes the `issue` caller (scheduler w mod n),
 * "a warp may be fetched or retired" wakes the `fetch` caller.
 */
#pragma once

#include <ports/inst.h>
#include <ports/packed.h>
#include <ports/trace_source.h>
#include <warpwright/component.h>

#define WW_IBUFFER                                                                                 \
    2u /**< Instructions that one fetch delivers and an i-buffer holds: docs/model.md#decode. */

/** What others may look at of a hardware warp; its provider's. */
typedef struct WwWarp {
    const WwInst *ibuf[WW_IBUFFER]; /**< NULL: empty entry. */
    const WwTinst *trace;           /**< NULL: packed. */
    WwPacked *packed;
    const uint64_t *addr; /**< Address arena of the CTA. */
    const WwKernel *kernel;
    uint32_t n_trace, cursor; /**< Instructions in the trace, next one to decode. */
    uint64_t
        after; /**< The pc behind the instruction issued last; at first, where the trace begins. */
    uint32_t lanes;    /**< Lanes that have not exited. */
    uint32_t launched; /**< Lanes at launch. */
    uint32_t
        dynamic_id; /**< Per-SM order of launch, modulo 2^32: the age of policies, ww_warp_older(). */
    uint32_t in_pipeline; /**< Decoded and not yet left: docs/model.md#warps. */
    uint32_t stores;      /**< Unacknowledged stores. */
    uint32_t atomics;     /**< Outstanding atomic lanes. */
    uint8_t next;         /**< Read pointer of the i-buffer. */
    uint8_t cta;          /**< CTA slot. */
    bool fenced;          /**< See fence(). */
    bool launch_paid;     /**< Its device-side launch has started to count, */
    uint32_t launch_wait; /**< and is tried in vain so many times more: see tries(). */
    uint64_t spare[4];    /**< Two cache lines, without holes. */
} WwWarp;
G_STATIC_ASSERT(sizeof(WwWarp) == 128);

/** The instruction that is decoded next, an index into kernel->sinst; the trace is not at its end. */
static inline uint32_t ww_warp_decodes(const WwWarp *w)
{
    return G_UNLIKELY(w->packed != NULL) ? ww_packed_peek(w->packed) : w->trace[w->cursor].sinst;
}

/** Was @p a launched before @p b? Of warps that are in an SM, whose launches are fewer than 2^31 apart. */
static inline bool ww_warp_older(const WwWarp *a, const WwWarp *b)
{
    return ww_order_older(a->dynamic_id, b->dynamic_id);
}

/** Bit w of each mask speaks of hardware warp w. */
typedef struct WwWarpView {
    uint64_t resident; /**< Holds a warp that is not retired yet. */
    uint64_t live;     /**< Some lane has not exited. */
    uint64_t ibuf;     /**< I-buffer not empty (entry at the read pointer valid). */
    uint64_t imiss;    /**< Waits for an instruction miss. */
    uint64_t busy;     /**< in_pipeline > 0 */
    uint64_t stores;   /**< stores > 0 */
    uint64_t atomics;  /**< atomics > 0 */
    uint32_t slots;    /**< Hardware warps, constant. */
    uint32_t
        schedulers; /**< Callers of rank issue: warp w is of number w mod schedulers. Constant. */
    bool
        keeps_loads; /**< A warp is not finished before the loads that write a register have their data. Constant. */
    bool zero_free;     /**< Nobody waits for R255: WwHazardView.zero_free. Constant. */
    uint32_t touches;   /**< How often touch() was called. */
    uint32_t launches;  /**< Warps launched so far: changes whenever ages do. */
    const WwWarp *warp; /**< [slots] */
    const uint64_t
        *insns; /**< Active lanes of the instructions completed so far; NULL: nobody counts. */
} WwWarpView;

/** What a warp is when it is put on a hardware warp. Copied. */
typedef struct WwWarpLaunch {
    uint32_t warp;  /**< Hardware warp. */
    uint32_t cta;   /**< CTA slot. */
    uint32_t lanes; /**< Live lanes as a mask. */
    const WwKernel *kernel;
    const WwCtaTrace *trace;
    uint32_t trace_warp; /**< Which warp of the trace. */
} WwWarpLaunch;

/** What of an instruction ends; bits for finish(). */
enum {
    WW_END_PIPELINE = 1u << 0, /**< It leaves the warp's pipeline: in_pipeline -= 1. */
    WW_END_COUNT = 1u << 1, /**< It counts as completed (statistics, progress); LDGSTS may twice. */
    WW_END_RESULT = 1u << 2, /**< Its destination is written: the scoreboard releases all of it. */
    WW_END_DATA = 1u << 3, /**< The same when memory wrote it: the scoreboard releases the register,
                                    which leaves the long-operation mark (docs/model.md#scoreboard). */
    WW_END_RECORD = 1u << 4, /**< Nobody looks at the record any more: it goes back to the pool. */
    /** All at once. */
    WW_END_ALL = WW_END_PIPELINE | WW_END_COUNT | WW_END_RESULT | WW_END_RECORD,
};

/** The hardware warps of one SM. */
typedef struct WwWarpsIf {
    /** The masks and warps; the pointer stays valid for the machine's life. What is constant in it may be asked for in a caller's init. */
    const WwWarpView *(*view)(void *self);
    /** Puts a warp on an empty slot. */
    void (*launch)(void *self, const WwWarpLaunch *launch);
    /**
     * Next instruction of the warp's trace as a fresh record (s, addr, mask, warp, op, space set; generic space resolved), or NULL
     * at its end; the cursor advances.
     */
    WwInst *(*decode)(void *self, uint32_t warp);
    /** Puts a decoded instruction into i-buffer entry @p entry; entry 0 resets the read pointer; in_pipeline += 1. */
    void (*fill)(void *self, uint32_t warp, uint32_t entry, WwInst *inst);
    /**
     * Both for a whole i-buffer that is empty, at one go: writes the instructions that it holds then to @p out, for the caller to stamp; how many
     * they are, 0 at the end of the trace.
     */
    uint32_t (*refill)(void *self, uint32_t warp, WwInst *out[WW_IBUFFER]);
    /**
     * For who keeps i-buffers itself and fills none: @p inst, from decode(), is what the warp issues next, NULL: nothing is; pop() takes it. What
     * enters or leaves such a buffer is said with flight().
     */
    void (*show)(void *self, uint32_t warp, WwInst *inst);
    /** in_pipeline changes by @p delta: instructions decoded and not filled, or dropped. */
    void (*flight)(void *self, uint32_t warp, int32_t delta);
    void (*set_imiss)(void *self, uint32_t warp, bool pending);
    /** Takes the instruction at the read pointer out of the i-buffer, moves the pointer on and stamps the order of issue. */
    WwInst *(*pop)(void *self, uint32_t warp);
    /** The i-buffer's entries are dropped (in_pipeline falls by their number). */
    void (*drop)(void *self, uint32_t warp);
    /** Drops the i-buffer's entries and takes the cursor back to the first of them: the warp is fetched again from there. */
    void (*rewind)(void *self, uint32_t warp);
    /** A scheduler has changed a warp that is not its own: wakes the warp's `issue` caller. */
    void (*touch)(void *self, uint32_t warp);
    /** While it is on, whatever leaves the warp's pipeline and every acknowledgement wakes the warp's `issue` caller. Off at launch. */
    void (*fence)(void *self, uint32_t warp, bool on);
    /** The warp's device-side launch has started to count (@p paid) and is tried in vain @p wait times more. False and 0 at launch. */
    void (*tries)(void *self, uint32_t warp, bool paid, uint32_t wait);
    /** Lanes of @p mask have exited. */
    void (*exit_lanes)(void *self, uint32_t warp, uint32_t mask);
    /**
     * An instruction ends, in one call: @p what of it (WW_END_ bits). Most end whole, WW_END_ALL; a load leaves the pipeline before its
     * data come, and ends with them. The provider keeps all that has to be told, the scoreboard among it.
     */
    void (*finish)(void *self, WwInst *inst, uint32_t what);
    /** Outstanding stores and atomic lanes change by @p delta. */
    void (*stores)(void *self, uint32_t warp, int32_t delta);
    void (*atomics)(void *self, uint32_t warp, int32_t delta);
    /** The fetch stage found the warp finished: it is not resident any more. */
    void (*retire)(void *self, uint32_t warp);
    /** No fewer edges pass until the last of them is finished: what their traces say, at most @p most. Before a window. */
    WwCycle (*lasts)(void *self, WwCycle most);
} WwWarpsIf;

/** Callers in the order in which they act in a tick. */
enum {
    WW_WARPS_WRITEBACK,
    WW_WARPS_EXECUTE,
    WW_WARPS_ISSUE,
    WW_WARPS_DECODE,
    WW_WARPS_FETCH,
    WW_WARPS_CTA
};
#define WW_RANK_WRITEBACK "writeback"
#define WW_RANK_EXECUTE "execute"
#define WW_RANK_ISSUE "issue"
#define WW_RANK_DECODE "decode"
#define WW_RANK_FETCH "fetch"
#define WW_RANK_CTA "cta"
/** Port contract `warps`: the hardware warps of an SM. WW_WARPS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_warps;
#define WW_WARPS(port) ((const WwWarpsIf *)(port)->table)

/** Bit w speaks of hardware warp w. */
typedef struct WwSimtView {
    uint64_t
        unsure; /**< What the i-buffer holds may not be what the warp executes next: ask expected() before an issue. */
} WwSimtView;

/** What the warps of one SM execute next. */
typedef struct WwSimtIf {
    /**
     * The pc to fetch from, asked while the i-buffer is empty. (The reference goes on behind the instruction issued last, also where
     * the warp branches away: docs/model.md#fetch.)
     */
    uint64_t (*pc)(void *self, uint32_t warp);
    /**
     * The pointer stays valid for the machine's life. Every caller is notified when an `unsure` warp appears or when what it
     * is expected to execute changes.
     */
    const WwSimtView *(*view)(void *self);
    /** The pc of the instruction that the warp must issue next. An i-buffer that starts with another one is flushed. */
    uint64_t (*expected)(void *self, uint32_t warp);
} WwSimtIf;
/** Port contract `simt`: the pc a warp executes next. WW_SIMT(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_simt;
#define WW_SIMT(port) ((const WwSimtIf *)(port)->table)
