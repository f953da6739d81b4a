/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Channels `wire` and `signal`: one value between two or more components, without back-pressure.
 *
 * A wire carries a token that its reader must take at its next turn: putting on a wire that still holds one ends the run with an
 * error that names both ends. A signal holds a level that any number of readers look at; a change wakes them.
 */
#pragma once

#include <warpwright/component.h>

/** A token that its reader has not taken yet, or none. */
typedef struct WwWire {
    WwChannel ch;
    bool full;
    WwToken token;
} WwWire;

/** A level that readers look at. */
typedef struct WwSignal {
    WwChannel ch;
    /* parameters */
    uint64_t initial; /**< Level at power-on. */
    /* state */
    uint64_t level;
} WwSignal;

/** The channel type `wire`. */
WW_API extern const WwType ww_wire_type;
/** The channel type `signal`. */
WW_API extern const WwType ww_signal_type;
/** Port contract: a number as a level on a `signal`. */
WW_API extern const WwContract ww_contract_level;

/** Out of line: ends the run, since @p token would be put on another. */
WW_API void ww_wire_overrun(WwWire *wire, WwToken token);

/** Puts a token; the wire must be empty. */
static inline void ww_wire_put(const WwPort *out, WwToken token)
{
    WwWire *w = out->peer;
    if (G_UNLIKELY(w->full)) {
        ww_wire_overrun(w, token);
        return;
    }
    WW_TAP(&w->ch, "put", 0, token);
    w->full = true;
    w->token = token;
    ww_wake(&w->ch.reader->wake);
}

/** Is there a token? */
static inline bool ww_wire_ready(const WwPort *in)
{
    return ((const WwWire *)in->peer)->full;
}

/** Takes the token; there must be one. */
static inline WwToken ww_wire_take(const WwPort *in)
{
    WwWire *w = in->peer;
    WW_TAP(&w->ch, "take", 0, w->token);
    w->full = false;
    return w->token;
}

/** The level now. */
static inline uint64_t ww_signal_read(const WwPort *in)
{
    return ((const WwSignal *)in->peer)->level;
}

/** Sets the level; readers are woken when it is another one. */
static inline void ww_signal_write(const WwPort *out, uint64_t level)
{
    WwSignal *s = out->peer;
    if (s->level != level) {
        WW_TAP(&s->ch, "put", 0, level);
        s->level = level;
        for (uint32_t i = 0; i < s->ch.n_readers; i++) {
            ww_wake(&s->ch.reader[i].wake);
        }
    }
}
