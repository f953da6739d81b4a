/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Fake providers of what a sub-core's parts ask of each other: `unit`, `register_ports`, `register_cache`, `result_slots`, `dispatch_slot`. They
 * keep the promises of their contracts as long as the test does not order refusals.
 */
#pragma once

#include <ports/sub_core.h>

/** Cycles by which an end may be ahead: WwFakeUnit.end is by cycle modulo this. */
#define WW_FAKE_AHEAD 512u

/** A unit whose input is reserved as it is told. */
typedef struct WwFakeUnit {
    WwComponent base;
    WwProvided unit;
    /* what the test may set */
    uint32_t refuse; /**< fits() refuses so often; UINT32_MAX: always. */
    uint32_t
        others; /**< Not 0: others end or stand still in some cycles, which follow from this number. */
    /* what it may look at */
    uint32_t reserved, delayed, asked, booked; /**< Calls. */
    uint32_t ahead;                            /**< Of the last fits() or book(). */
    WwCycle free_at;
    WwCycle end[WW_FAKE_AHEAD]; /**< 1 + a cycle in which one ends, by cycle modulo. */
} WwFakeUnit;
/** The type `fake.unit`. */
WW_API extern const WwType ww_fake_unit_type;

/** Register banks with ports for everything, but for writes at most `width` in a cycle. */
typedef struct WwFakeRegisterPorts {
    WwComponent base;
    WwProvided ports;
    /* what the test may set */
    uint32_t refuse;       /**< read() and read_queued() refuse so often; UINT32_MAX: always. */
    uint32_t refuse_write; /**< can_write() likewise. */
    uint32_t others;       /**< Not 0: others take ports in some cycles, which follow from it. */
    uint32_t width;        /**< Writes in a cycle: 2 at first. */
    /* what it may look at */
    uint32_t reads, queued, asked, writes; /**< Instructions read, questions, registers written. */
    const WwInst *last;                    /**< The last instruction that was read. */
    uint32_t reg;                          /**< The last register that was written, */
    WwCycle cycle;                         /**< when, */
    uint32_t here;                         /**< and how many in that cycle. */
} WwFakeRegisterPorts;
/** The type `fake.register_ports`. */
WW_API extern const WwType ww_fake_register_ports_type;

/** One entry for each of 16 slots and banks. */
typedef struct WwFakeRegisterCache {
    WwComponent base;
    WwProvided cache;
    uint32_t entry[16][16]; /**< 1 + warp * 256 + register. */
    uint32_t uses;
} WwFakeRegisterCache;
/** The type `fake.register_cache`. */
WW_API extern const WwType ww_fake_register_cache_type;

/** Slots that are taken and given back. */
typedef struct WwFakeResultSlots {
    WwComponent base;
    WwProvided slots;
    /* what the test may set */
    uint32_t n; /**< Of them: 8 at first. */
    /* what it may look at */
    uint32_t reserved, released, most;
} WwFakeResultSlots;
/** The type `fake.result_slots`. */
WW_API extern const WwType ww_fake_result_slots_type;

/** A way that is taken as it is told. */
typedef struct WwFakeDispatchSlot {
    WwComponent base;
    WwProvided slot;
    /* what the test may set */
    WwCycle free_at;
    uint32_t
        others; /**< Not 0: in some cycles, which follow from this number, another one is first. */
    /* what it may look at */
    uint32_t taken, cycles; /**< Calls; cycles of the last. */
} WwFakeDispatchSlot;
/** The type `fake.dispatch_slot`. */
WW_API extern const WwType ww_fake_dispatch_slot_type;
