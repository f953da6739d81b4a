/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The test bench for one component: every port gets a peer that the test drives, on a private clock.
 *
 *     WwHarness *h = ww_harness_new(registry, "fu.pipelined", "depth=8");
 *     ww_harness_channel(h, "in", "width=4 private=true");       // optional: how the channel of a port is made
 *     ww_harness_start(h);
 *     ww_harness_put(h, "in", 2, token);                          // slot 2 of a register_set; fifos ignore the slot
 *     ww_harness_step(h, 5);
 *     ww_harness_take(h, "out", &slot, &token);
 *     ww_harness_free(h);
 *
 * All phases that the component and its fakes name tick together, once a step. What the test does between two steps is seen by the
 * component's next turn, as if a writer had acted late in the previous tick. Misuse (unknown port, bad parameter) aborts with a clear line: a
 * harness belongs in tests.
 */
#pragma once

#include <warpwright/machine.h>

/** Creates the component under test; @p params is "name=value ..." (lists without blanks: [1,2]) or NULL. */
WW_API WwHarness *ww_harness_new(const WwRegistry *registry, const char *type, const char *params);
/**
 * The same in a machine of partitions, which has windows (docs/kernel.md#windows) as far as the type allows it: the component and what fills its needs are
 * one, each end of its fifos is another. Tokens go in by ww_harness_put_at() and come out by ww_harness_was_taken().
 */
WW_API WwHarness *ww_harness_new_apart(const WwRegistry *registry, const char *type,
                                       const char *params);
/** Harnesses that this thread makes from now on have words around each state and each block of ww_alloc(): see ww_harness_overwritten(). */
WW_API void ww_harness_guarded(bool on);
/** Of one with such words: beside what of whom something was written, newly allocated text; NULL: nowhere. */
WW_API char *ww_harness_overwritten(const WwHarness *h);
/** Frees @p h (may be NULL), with its machine. */
WW_API void ww_harness_free(WwHarness *h);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwHarness, ww_harness_free)

/* ---- before ww_harness_start() ---------------------------------------------------------------------------------- */

/** Binds channel port @p port (optional ones are unbound unless this is called) to a channel made with @p params. */
WW_API void ww_harness_channel(WwHarness *h, const char *port, const char *params);
/** Fills REQUIRES port @p port with a component of @p type (default: the contract's fake provider). Optional ports stay unbound
 *  unless this or ww_harness_provide() is called. Returns its state. */
WW_API void *ww_harness_fill(WwHarness *h, const char *port, const char *type, const char *params);
/** Fills REQUIRES port @p port with functions of the test. */
WW_API void ww_harness_provide(WwHarness *h, const char *port, const void *table, void *self);
/** Gives what ww_harness_provide() filled @p port with an owned step (see ww_bind_external_step()); returns its wake. */
WW_API WwWake ww_harness_provide_step(WwHarness *h, const char *port, WwTickFn tick,
                                      void (*settle)(void *self, uint32_t entry, uint64_t n),
                                      void *self);
/** PROVIDES port @p port gets @p n callers of rank @p rank (NULL: unranked). Default: one caller of each rank. */
WW_API void ww_harness_callers(WwHarness *h, const char *port, const char *rank, uint32_t n);
/** Seals. Returns false with @p error when the component refuses its parameters (for tests of refusals; @p error NULL: aborts). */
WW_API bool ww_harness_start(WwHarness *h, GError **error);

/* ---- driving ---------------------------------------------------------------------------------------------------- */

/** Runs @p n ticks (edges of the private clock). */
WW_API void ww_harness_step(WwHarness *h, uint64_t n);
/** Ordinal of the next edge. */
WW_API WwCycle ww_harness_now(const WwHarness *h);
/**
 * Puts a token into the channel of IN port @p port. @p slot: register number for a register_set (-1: any free one). False when there is
 * no room. For a port array write "port[2]".
 */
WW_API bool ww_harness_put(WwHarness *h, const char *port, int slot, WwToken token);
/** Takes a token that the component put into the channel of OUT port @p port; @p slot may be NULL. False: none visible. */
WW_API bool ww_harness_take(WwHarness *h, const char *port, int *slot, WwToken *token);
/**
 * The end of IN port @p port puts @p token by itself, one a turn in the order of these calls, from its turn at @p cycle on as soon as there is room.
 */
WW_API void ww_harness_put_at(WwHarness *h, const char *port, WwCycle cycle, int slot,
                              WwToken token);
/** From now on the end of OUT port @p port takes tokens by itself, one a turn, in cycles that follow from @p seed: every other one on the whole. */
WW_API void ww_harness_read(WwHarness *h, const char *port, uint64_t seed);
/** The next token that it took, and when. False: it took no more so far. */
WW_API bool ww_harness_was_taken(WwHarness *h, const char *port, WwCycle *cycle, int *slot,
                                 WwToken *token);
/** Before the start: what is known to come into IN port @p port, which has a channel already, as bits of its contract (ww_carried()). */
WW_API void ww_harness_carries(WwHarness *h, const char *port, uint64_t bits);
/** Tokens now in the channel of @p port. */
WW_API uint32_t ww_harness_count(WwHarness *h, const char *port);
/** Steps until OUT port @p port holds a token, at most @p limit ticks; the ticks it took, or UINT64_MAX. */
WW_API uint64_t ww_harness_until(WwHarness *h, const char *port, uint64_t limit);
/** Function table of PROVIDES port @p port, its self in @p self. */
WW_API const void *ww_harness_table(WwHarness *h, const char *port, void **self);
/** State of whatever fills REQUIRES port @p port (a fake provider, to be told what to do). */
WW_API void *ww_harness_peer(WwHarness *h, const char *port);
/** How often the caller (@p rank, @p ordinal) of PROVIDES port @p port was woken since the last question. */
WW_API uint32_t ww_harness_wakes(WwHarness *h, const char *port, const char *rank,
                                 uint32_t ordinal);
/**
 * A turn, now, of the first caller of PROVIDES port @p port, which runs the component's owned step there: in ww_harness_step() it has one
 * whenever the step is due.
 */
WW_API void ww_harness_turn(WwHarness *h, const char *port);
/** Is that step due in the caller's next turn? */
WW_API bool ww_harness_due(WwHarness *h, const char *port);
/** State of the component under test. */
WW_API void *ww_harness_self(WwHarness *h);
/** The machine that it is in, the harness's. */
WW_API WwMachine *ww_harness_machine(WwHarness *h);
/** Are all entry points of the component asleep, with no timer? */
WW_API bool ww_harness_asleep(WwHarness *h);
/** A statistic (entry @p i of a vector), settled. */
WW_API uint64_t ww_harness_stat(WwHarness *h, const char *name, uint32_t i);
/** Back to power-on. */
WW_API void ww_harness_reset(WwHarness *h);
/** Memory of the machine's heap, zeroed: for token generators and tests. */
WW_API void *ww_harness_alloc(WwHarness *h, size_t size);
