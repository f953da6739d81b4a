/* SPDX-License-Identifier: Apache-2.0 */
/* The channel types wire and signal. Their operations are inline in the headers; here are life and descriptors. */
#include "channel-priv.h"
#include <ports/tokens.h>
#include <ports/wire.h>

/* ---- wire ------------------------------------------------------------------------------------------------------- */

static bool wire_init(void *self, GError **error)
{
    WwWire *w = self;
    if (w->ch.n_readers != 1) {
        return ww_fail_readers(&w->ch, "wire", error);
    }
    return true;
}

static void wire_reset(void *self)
{
    ((WwWire *)self)->full = false;
}

WW_COLD void ww_wire_overrun(WwWire *w, WwToken token)
{
    GError *error = NULL;
    char text[WW_TOKEN_TEXT], held[WW_TOKEN_TEXT];
    char *path = ww_path(w);
    char *reader = ww_path(w->ch.reader->who);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: token %s put while %s is still on the wire; expected that %s takes a token at "
            "each turn "
            "(use a fifo where it may not)",
            path, ww_token_text(w->ch.payload, token, text),
            ww_token_text(w->ch.payload, w->token, held), reader);
    ww_fail_run(w, error);
    g_free(path);
    g_free(reader);
}

static void wire_explain(void *self, WwExplain *explain)
{
    WwWire *w = self;
    if (w->full) {
        ww_explain_waits(explain, w->ch.reader->who, "holds a token until it is taken");
    }
}

static bool wire_put_any(const WwPort *out, int slot, WwToken token)
{
    if (ww_wire_ready(out)) {
        return false;
    }
    ww_wire_put(out, token);
    return true;
}

static bool wire_take_any(const WwPort *in, int *slot, WwToken *token)
{
    *slot = 0;
    if (!ww_wire_ready(in)) {
        return false;
    }
    *token = ww_wire_take(in);
    return true;
}

static uint32_t wire_count(const WwPort *port)
{
    return ww_wire_ready(port);
}

static void wire_fill(const void *channel, WwFill *out)
{
    out->tokens = out->used = ((const WwWire *)channel)->full;
    out->capacity = 1;
}

static const WwChannelOps wire_ops = {wire_put_any, wire_take_any, wire_count, wire_fill};

static const WwParamRow wire_params[] = {
    {.name = "same",
     .kind = WW_PARAM_BOOL,
     .unit = "",
     .def = "false",
     .doc = "the token is visible in the same tick (the writer runs first)",
     .offset = WW_FIELD(WwWire, ch.same, bool)},
    {0},
};

const WwType ww_wire_type = {
    .abi = WW_ABI_VERSION,
    .name = "wire",
    .doc = "One token, no back-pressure: the reader must take it at its next turn.",
    .family = "channel",
    .flags = WW_TYPE_CHANNEL,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(WwWire),
    .params = wire_params,
    .channel = &wire_ops,
    .events = ww_token_events,
    .init = wire_init,
    .reset = wire_reset,
    .explain = wire_explain,
};

/* ---- signal ----------------------------------------------------------------------------------------------------- */

static void signal_reset(void *self)
{
    WwSignal *s = self;
    s->level = s->initial;
}

static bool signal_put_any(const WwPort *out, int slot, WwToken token)
{
    ww_signal_write(out, token);
    return true;
}

/* A level is never used up: it is there to be read, always. */
static bool signal_take_any(const WwPort *in, int *slot, WwToken *token)
{
    *slot = 0;
    *token = ww_signal_read(in);
    return true;
}

static uint32_t signal_count(const WwPort *port)
{
    return 1;
}

static const WwChannelOps signal_ops = {signal_put_any, signal_take_any, signal_count, NULL};

static const WwParamRow signal_params[] = {
    WW_U64(WwSignal, initial, "", "0", 0, 0, "level at power-on"),
    {.name = "same",
     .kind = WW_PARAM_BOOL,
     .unit = "",
     .def = "false",
     .doc = "a level is visible in the same tick (the writer runs first)",
     .offset = WW_FIELD(WwSignal, ch.same, bool)},
    {0},
};

const WwType ww_signal_type = {
    .abi = WW_ABI_VERSION,
    .name = "signal",
    .doc = "A level that any number of readers can see; a change wakes them.",
    .family = "channel",
    .flags = WW_TYPE_CHANNEL,
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(WwSignal),
    .params = signal_params,
    .channel = &signal_ops,
    .events = ww_token_events,
    .reset = signal_reset,
};
