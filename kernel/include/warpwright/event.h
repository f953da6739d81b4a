/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Timed events: run-to-completion functions at an edge of a clock domain, ordered by (tick, priority, sequence).
 *
 * Workload: a handful to 100,000 pending; insertion, cancellation and expiry are O(1) (a hierarchical wheel of 4 x 256
 * slots, beyond it a sorted overflow). Events of a tick run before its clocked work.
 */
#pragma once

#include <warpwright/component.h>

typedef struct WwEvent WwEvent;

/** An event is embedded in its owner's state; it must stay in place while pending. Zero-initialise. */
struct WwEvent {
    void (*fire)(void *self, WwEvent *event);
    void *self;
    WwCycle cycle;     /**< Edge of the domain at which it is due. */
    uint64_t sequence; /**< Order of scheduling. */
    int32_t priority;  /**< Lower first. */
    uint32_t slot;     /**< Wheel position + 1; 0: not pending. */
    WwEvent *next, *prev;
};

/**
 * Schedules @p event at edge @p cycle of @p domain, which must not have completed. A pending event is moved.
 * An event scheduled for the current edge from clocked work runs before the clocked work of the next edge.
 */
WW_API void ww_event_at(WwMachine *machine, WwDomain *domain, WwEvent *event, WwCycle cycle);
/** Takes a pending event back; nothing if it is not pending. */
WW_API void ww_event_cancel(WwMachine *machine, WwDomain *domain, WwEvent *event);
/** Is it scheduled, and has neither fired nor been cancelled? */
static inline bool ww_event_pending(const WwEvent *event)
{
    return event->slot != 0;
}
