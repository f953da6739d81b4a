/* SPDX-License-Identifier: Apache-2.0 */
/* The channel types register_set and fifo (wire.c has the others). Their operations are inline in the headers; here are life and descriptors. */
#include "channel-priv.h"
#include "fifo-priv.h"
#include "regs_ahead-priv.h"
#include <ports/bits.h>
#include <ports/register_set.h>
#include <ports/tokens.h>
#include <string.h>

#define SAME_PARAM(T, doc_)                                                                        \
    {                                                                                              \
        .name = "same", .kind = WW_PARAM_BOOL, .unit = "", .def = "false",                         \
        .doc = doc_ " (the writer runs first)", .offset = WW_FIELD(T, ch.same, bool)               \
    }

/* ---- register_set ----------------------------------------------------------------------------------------------- */

static bool regs_init(void *self, GError **error)
{
    WwRegisterSet *s = self;
    if (s->private && s->ch.n_readers > 1 && s->ch.n_readers > s->width) {
        return ww_fail(
            error, WW_ERROR_WIRING,
            "private register_set of width %u has %u readers; expected at most one a register",
            s->width, s->ch.n_readers);
    }
    bool few = s->width <= WW_REGISTER_SET_FEW;
    s->reg = few ? s->few : ww_alloc(s, s->width * sizeof *s->reg);
    s->refused = few ? s->few_refused : ww_alloc(s, s->width * sizeof *s->refused);
    s->put_mark = s->take_mark = &s->nobody;
    s->all = UINT64_MAX >> (64u - s->width);
    s->one = s->ch.n_readers == 1;
    s->read = s->one ? s->ch.reader[0].wake : ww_wake_none();
    return true;
}

bool ww_regs_mark_puts(const WwPort *in, uint32_t *word, uint32_t bit)
{
    WwRegisterSet *s = in->peer;
    if (s->ch.n_readers != 1) {
        return false;
    }
    s->put_mark = word;
    s->put_bit = bit;
    return true;
}

bool ww_regs_mark_takes(const WwPort *out, uint32_t *word, uint32_t bit)
{
    WwRegisterSet *s = out->peer;
    if (s->ch.n_writers != 1) {
        return false;
    }
    s->take_mark = word;
    s->take_bit = bit;
    return true;
}

/* Whoever writes fills the register of its scheduler: one beyond the width would be one that is not there. */
static bool regs_start(void *self, GError **error)
{
    WwRegisterSet *s = self;
    uint32_t schedulers = s->private ? ww_carried_schedulers(&(WwPort){.peer = s}) : 0;
    if (schedulers > s->width) {
        return ww_fail(
            error, WW_ERROR_WIRING,
            "private register_set of width %u with schedulers = %u; expected a register for each",
            s->width, schedulers);
    }
    return true;
}

static void regs_reset(void *self)
{
    WwRegisterSet *s = self;
    s->full = 0;
    s->refusing = false;
    s->nobody = 0;
    if (s->ahead != NULL) {
        ww_regs_reset_ahead(s);
    }
    memset(s->refused, 0, s->width * sizeof *s->refused);
    memset(s->reg, 0, s->width * sizeof *s->reg);
}

static void regs_explain(void *self, WwExplain *explain)
{
    WwRegisterSet *s = self;
    ww_regs_arrive_in_order(s);
    for (uint64_t m = s->full; m != 0; m &= m - 1) {
        char text[WW_TOKEN_TEXT];
        int i = __builtin_ctzll(m);
        ww_token_text(&ww_payload_inst, (WwToken)(uintptr_t)s->reg[i], text);
        ww_explain_holds_inst(explain, s->reg[i]);
        const WwClient *r = s->ch.n_readers == 0 ? NULL
                            : s->ch.n_readers > 1 && s->private && (uint32_t)i < s->ch.n_readers
                                ? &s->ch.reader[i]
                                : &s->ch.reader[0];
        ww_explain_waits(explain, r != NULL ? r->who : NULL,
                         "register %d holds %s until it is taken", i, text);
    }
}

static bool regs_put_any(const WwPort *out, int slot, WwToken token)
{
    const WwRegisterSet *s = out->peer;
    WwInst *inst = (WwInst *)(uintptr_t)token;
    if (slot < 0) {
        slot = ww_regs_free(out, inst->sched);
    } else if ((uint32_t)slot >= s->width || (s->full >> slot & 1u)) {
        slot = -1;
    }
    if (slot < 0) {
        return false;
    }
    ww_regs_put(out, slot, inst);
    return true;
}

static bool regs_take_any(const WwPort *in, int *slot, WwToken *token)
{
    *slot = ww_regs_oldest(in);
    if (*slot < 0) {
        return false;
    }
    *token = (WwToken)(uintptr_t)ww_regs_take(in, *slot);
    return true;
}

static uint32_t regs_count(const WwPort *port)
{
    return ww_ones(ww_regs_full(port));
}

static void regs_fill(const void *channel, WwFill *out)
{
    const WwRegisterSet *s = channel;
    out->tokens = out->used = ww_ones(s->full) + ww_regs_arriving(s);
    out->capacity = s->width;
}

void ww_regs_wake_readers(const WwRegisterSet *s)
{
    for (uint32_t i = 0; i < s->ch.n_readers; i++) {
        ww_wake(&s->ch.reader[i].wake);
    }
}

/* Each token is seen from now on: nothing is put ahead of time any more. */
static void regs_tap(void *channel, bool on)
{
    WwRegisterSet *s = channel;
    s->tapped = on;
    if (on && s->ahead != NULL && s->ahead->until == WW_NEVER) {
        ww_regs_arrive_in_order(s);
        ww_regs_stop_ahead(s, s->ch.base.domain->cycle);
    }
}

static const WwChannelOps regs_ops = {regs_put_any, regs_take_any, regs_count, regs_fill, regs_tap};

static const WwParamRow regs_params[] = {
    WW_UINT(WwRegisterSet, width, "entries", "1", 1, WW_REGISTER_SET_MAX, "registers in the set"),
    WW_BOOL(WwRegisterSet, private, "false", "register i belongs to scheduler i (sub-core model)"),
    SAME_PARAM(WwRegisterSet, "instructions are visible in the same tick"),
    {0},
};

const WwType ww_register_set_type = {
    .abi = WW_ABI_VERSION,
    .name = "register_set",
    .doc = "A row of pipeline registers between two stages; instructions move by handle.",
    .family = "channel",
    .flags = WW_TYPE_CHANNEL,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(WwRegisterSet),
    .params = regs_params,
    .channel = &regs_ops,
    .events = ww_token_events,
    .init = regs_init,
    .start = regs_start,
    .reset = regs_reset,
    .explain = regs_explain,
};

/* ---- fifo ------------------------------------------------------------------------------------------------------- */

static bool fifo_init(void *self, GError **error)
{
    WwFifo *f = self;
    if (f->ch.same && f->ch.latency != 0) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "fifo with same = true and latency = %u; expected one of them (now, or later)",
            f->ch.latency);
    }
    if (f->ch.n_readers != 1) {
        return ww_fail_readers(&f->ch, "fifo", error);
    }
    ww_ring_init(&f->ring, WW_FIFO_INLINE);
    f->slot = f->few;
    f->how |= f->ch.latency != 0 ? WW_FIFO_LATE : 0;
    f->limit = f->depth != 0 ? f->depth : UINT32_MAX;
    f->read = f->ch.reader->wake;
    return true;
}

static void fifo_reset(void *self)
{
    WwFifo *f = self;
    ww_ring_clear(&f->ring);
    f->clock = f->ch.base.domain; /* a channel counts its reader's edges */
    f->refused = 0;
    f->how &= (uint8_t)~WW_FIFO_REFUSING;
    f->longest = 0;
    f->times.seen = 0;
    f->times.stay = 0;
    f->times.puts = 0;
    if (f->back != NULL) {
        ww_fifo_reset_back(f);
    }
}

/* ---- fifos with times -------------------------------------------------------------------------------------------- */

static void keep_times(WwFifo *f, uint8_t why)
{
    if (!(f->how & WW_FIFO_TIMED)) {
        f->times.writer = ww_turns_of(&f->ch.writer[0].wake, f);
        f->times.reader = ww_turns_of(&f->ch.reader[0].wake, f);
        f->times.mark = &f->nobody;
    }
    f->how |= why;
}

void ww_fifo_weigh(const WwPort *out)
{
    WwFifo *f = out->peer;
    keep_times(f, WW_FIFO_WEIGHED);
}

/* Turns of the writer that are over when it is @p partition's time. */
static inline WwCycle writers_turns(const WwFifoTimes *t, const WwPartition *partition)
{
    return ww_turns_over(partition, t->writer.domain, t->writer.phase);
}

uint64_t ww_fifo_stays(const WwPort *out)
{
    const WwFifo *f = out->peer;
    const WwFifoTimes *t = &f->times;
    return t->stay + f->ring.n * (writers_turns(t, t->writer.partition) + 1);
}

/* The first token of a window: the reader finds out about the next ones when it has taken this one. */
static void __attribute__((noinline)) tell_in_window(WwFifo *f, uint64_t window, WwCycle due)
{
    f->window = window;
    ww_wake_at(&f->read, due);
}

static void __attribute__((noinline)) tell_in_tick(WwFifo *f)
{
    ww_fifo_was_long(f, f->ring.n);
    ww_wake(&f->read);
}

/* Between partitions. A turn of the reader that is still to come in this tick sees the token in slot @p at; else the next one does. */
static inline void put_ahead(WwFifo *f, uint32_t at)
{
    WwFifoTimes *t = &f->times;
    const WwPartition *writer = t->writer.partition;
    WwCycle due = ww_turns_over(writer, t->reader.domain, t->reader.phase);
    uint64_t window = ww_window_number(writer);
    /* other threads have theirs in the same cache lines: written only if that changes something */
    if (*t->touched == 0) {
        *t->touched = 1;
    }
    if (*t->mark == 0) {
        *t->mark = 1;
    }
    f->slot[at].due = due;
    if (window == 0) {
        tell_in_tick(f);
    } else if (G_UNLIKELY(f->how & WW_FIFO_LAGS)) {
        ww_fifo_tell_lagging(f, due);
    } else if (f->window != window) { /* how long the queue is now, the reader will find out */
        tell_in_window(f, window, due);
    }
}

/* Visible tokens of a queue between partitions; each is looked at once. */
static inline uint32_t see(WwFifo *f, const WwFifoTimes *t)
{
    WwCycle now = f->clock->cycle;
    uint32_t seen = t->seen, n = f->ring.n;
    while (seen < n && f->slot[ww_ring_slot(&f->ring, seen)].due <= now) {
        seen++;
    }
    return seen;
}

uint32_t ww_fifo_see(WwFifo *f)
{
    return f->times.seen = see(f, &f->times);
}

/* Before the head is taken. */
static inline void take_timed(WwFifo *f)
{
    WwFifoTimes *t = &f->times;
    const WwPartition *reader = t->reader.partition;
    if (f->how & WW_FIFO_WEIGHED) {
        t->stay += writers_turns(t, reader) + 1;
    }
    if (!(f->how & WW_FIFO_SPAN)) {
        return;
    }
    if (f->ring.n > f->longest) { /* else what is visible is no more either */
        t->seen = see(f, t);
        ww_fifo_was_long(f, t->seen);
    }
    t->seen -= t->seen != 0;
    if (G_UNLIKELY(f->how & WW_FIFO_LAGS)) {
        ww_fifo_give_back(f);
    }
}

void ww_fifo_wake_refused(WwFifo *f)
{
    ww_wake_writers(&f->ch, f->refused);
    f->refused = 0;
    f->how &= (uint8_t)~WW_FIFO_REFUSING;
}

/* More was taken than was there: fewer tokens than none. */
static inline bool is_overdrawn(const WwFifo *f)
{
    return f->ring.n > INT32_MAX;
}

WW_COLD void ww_fifo_fail(WwFifo *f, const char *what)
{
    g_autofree char *path = ww_path(f);
    ww_fail_run(f, g_error_new(WW_ERROR, WW_ERROR_MODEL, "%s: %s", path, what));
}

WW_COLD static void fail_empty(WwFifo *f)
{
    ww_fifo_fail(f, "a token was taken of an empty queue; expected a reader that asks whether one "
                    "is there (ww_fifo_ready)");
    ww_ring_clear(&f->ring);
}

WwToken ww_fifo_take_oddly(WwFifo *f)
{
    if (G_UNLIKELY(f->ring.n == 0 || is_overdrawn(f))) {
        fail_empty(f);
        return f->slot[ww_ring_first(&f->ring)].token;
    }
    WwToken token = f->slot[ww_ring_first(&f->ring)].token;
    if (G_UNLIKELY(f->how & WW_FIFO_TAPPED)) {
        ww_tap(&f->ch, "take", 0, token);
    }
    if (f->how & WW_FIFO_TIMED) {
        take_timed(f);
    }
    ww_ring_take(&f->ring);
    if (f->how & WW_FIFO_REFUSING) {
        ww_fifo_wake_refused(f);
    }
    return token;
}

bool ww_fifo_mark_puts(const WwPort *in, uint8_t *mark)
{
    WwFifo *f = in->peer;
    if (!(f->how & WW_FIFO_SPAN)) {
        return false;
    }
    f->times.mark = mark;
    return true;
}

uint64_t ww_fifo_waits(const WwPort *in, WwCycle now)
{
    const WwFifo *f = in->peer;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->ring.n; i++) {
        WwCycle due = f->slot[ww_ring_slot(&f->ring, i)].due;
        sum += due < now ? now - due : 0;
    }
    return sum;
}

/*
 * What its writers are sure to find in a window is worked out before: fifo_room(). If one puts more than that, what the reader would have
 * taken by now is not known.
 */
WW_COLD static void fail_many(WwFifo *f)
{
    ww_fifo_fail(f, "a component of another partition puts more tokens in a turn than it says; "
                    "expected one a turn, ww_puts_a_turn(), or --no-windows");
}

/* Are its writers in a window, ahead of its reader? */
static inline bool is_ahead(const WwFifo *f)
{
    return (f->how & WW_FIFO_SPAN) && ww_partition_alone(f->times.writer.partition) &&
           (!(f->how & WW_FIFO_LAGS) || !ww_fifo_reader_came(f));
}

bool ww_fifo_find_room(WwFifo *f, uint64_t writer)
{
    if (G_UNLIKELY(is_overdrawn(f))) {
        fail_empty(f);
    }
    if ((f->how & WW_FIFO_LAGS) && (ww_fifo_regain(f) || ww_fifo_wake_later(f, writer))) {
        return f->ring.n < f->limit;
    }
    if (G_UNLIKELY(is_ahead(f))) {
        fail_many(f);
    }
    f->refused |= writer;
    f->how |= WW_FIFO_REFUSING;
    return false;
}

bool ww_fifo_really_full(WwFifo *f)
{
    return !ww_fifo_regain(f);
}

/* With a latency of its own, how long the queue was when could not be told from what the reader sees. */
static bool fifo_span(void *self, uint8_t *touched)
{
    WwFifo *f = self;
    if (f->ch.same || f->ch.latency != 0 || f->gauge != NULL) {
        return false;
    }
    keep_times(f, 0);
    if (f->times.writer.partition == NULL || f->times.reader.partition == NULL) {
        return false;
    }
    f->how |= WW_FIFO_SPAN | WW_FIFO_LATE;
    f->times.touched = touched;
    ww_fifo_add_outbox(f);
    ww_fifo_add_back(f);
    return true;
}

/* Writers say how many tokens they put in a turn. */
uint32_t ww_fifo_puts(WwFifo *f)
{
    uint32_t puts = f->times.puts;
    for (uint32_t i = 0; f->times.puts == 0 && i < f->ch.n_writers; i++) {
        const WwClient *w = &f->ch.writer[i];
        puts += ww_turns_an_edge(&w->wake) * MAX(w->moves, 1);
    }
    return f->times.puts = puts;
}

static WwCycle fifo_room(void *self)
{
    WwFifo *f = self;
    uint32_t puts = ww_fifo_puts(f);
    if (!(f->how & WW_FIFO_LAGS)) { /* else not all was there at a time */
        ww_fifo_was_long(f, f->ring.n);
    }
    if (f->depth == 0 || puts == 0) {
        return WW_NEVER;
    }
    return (f->depth - MIN(f->ring.n + 1, f->depth)) / puts;
}

static void fifo_tally(void *self)
{
    WwFifo *f = self;
    if (f->how & WW_FIFO_TIMED) {
        ww_fifo_was_long(f, f->ring.n);
    }
}

/* Memory follows use, not capacity: a deep fifo that stays short stays small. Doubling keeps the steady state free of
 * allocation. */
WW_COLD void ww_fifo_grow(WwFifo *f)
{
    f->slot = ww_ring_grow(&f->ring, f, f->slot, sizeof *f->slot);
}

WW_COLD static void fail_full(WwFifo *f, WwToken token)
{
    GError *error = NULL;
    char text[WW_TOKEN_TEXT];
    g_autofree char *path = ww_path(f);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: token %s put while all %u places are taken; expected a writer that asks for room",
            path, ww_token_text(f->ch.payload, token, text), f->depth);
    ww_fail_run(f, error);
}

WW_COLD static void fail_to_put(WwFifo *f, WwToken token)
{
    if (is_ahead(f)) {
        fail_many(f);
    } else {
        fail_full(f, token);
    }
}

void ww_fifo_put_oddly(const WwPort *out, WwToken token)
{
    WwFifo *f = out->peer;
    if (G_UNLIKELY(is_overdrawn(f))) {
        fail_empty(f);
    }
    if (G_UNLIKELY(f->ring.n >= f->limit && f->gauge == NULL) &&
        !((f->how & WW_FIFO_LAGS) && ww_fifo_regain(f))) {
        fail_to_put(f, token);
        return;
    }
    if (G_UNLIKELY(ww_ring_full(&f->ring))) {
        ww_fifo_grow(f);
    }
    if (G_UNLIKELY(f->how & WW_FIFO_TAPPED)) {
        ww_tap(&f->ch, "put", 0, token);
    }
    uint32_t at = ww_ring_put(&f->ring);
    f->slot[at].token = token;
    f->puts++;
    if (f->gauge != NULL) {
        f->slot[at].due = ww_now(f->ch.writer[out->ordinal].who);
    }
    if (f->how & WW_FIFO_WEIGHED) {
        f->times.stay -= writers_turns(&f->times, f->times.writer.partition);
    }
    if (f->how & WW_FIFO_SPAN) {
        put_ahead(f, at);
        return;
    }
    ww_fifo_was_long(f, f->ring.n);
    if (f->how & WW_FIFO_LATE) {
        f->slot[at].due = f->clock->cycle + f->ch.latency;
        ww_wake_at(&f->read, f->slot[at].due);
    } else {
        ww_wake(&f->read);
    }
}

static inline uint32_t units(const WwFifoGauge *g, uint32_t bytes)
{
    return (bytes + g->unit - 1) / g->unit;
}

/* Its writer would ask for ever. */
WW_COLD static void fail_to_fit(const WwFifo *f, uint32_t bytes)
{
    WwComponent *reader = f->ch.reader->who;
    g_autofree char *path = ww_path(reader);
    ww_fail_run(reader, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                    "%s: %s = %u, and what is %u bytes long needs %u places of %u; "
                                    "expected at least as many",
                                    path, f->gauge->name, f->gauge->capacity, bytes,
                                    units(f->gauge, bytes), f->gauge->unit));
}

/* The reader takes out whatever is visible at each of its edges: the loop is short. */
static inline uint64_t units_held(const WwFifo *f)
{
    const WwFifoGauge *g = f->gauge;
    uint64_t held = g->held;
    for (uint32_t i = 0; i < f->ring.n; i++) {
        held += units(g, g->bytes(f->slot[ww_ring_slot(&f->ring, i)].token));
    }
    return held;
}

bool ww_fifo_fits(const WwFifo *f, uint32_t bytes)
{
    const WwFifoGauge *g = f->gauge;
    if (G_UNLIKELY(units(g, bytes) > g->capacity)) {
        fail_to_fit(f, bytes);
    }
    return units_held(f) + units(g, bytes) <= g->capacity;
}

void ww_fifo_measure(const WwPort *in, const WwFifoGauge *gauge)
{
    WwFifo *f = in->peer;
    f->gauge = gauge;
    f->limit = 0;
}

void ww_fifo_replace(const WwPort *out, uint32_t i, WwToken token)
{
    WwFifo *f = out->peer;
    f->slot[ww_ring_slot(&f->ring, i)].token = token;
}

static void fifo_explain(void *self, WwExplain *explain)
{
    WwFifo *f = self;
    if (f->ring.n != 0 && (f->gauge != NULL || f->depth == 0)) {
        ww_explain_waits(explain, f->ch.reader->who, "holds %u %s taken", f->ring.n,
                         WW_PLURAL(f->ring.n, "token until it is", "tokens until they are"));
    } else if (f->ring.n != 0) {
        ww_explain_waits(explain, f->ch.reader->who, "holds %u of %u tokens until %s taken",
                         f->ring.n, f->depth, WW_PLURAL(f->ring.n, "it is", "they are"));
    }
    for (uint32_t i = 0; i < f->ring.n && f->ch.payload == &ww_payload_mem; i++) {
        ww_explain_holds_req(explain, ww_token_mem(f->slot[ww_ring_slot(&f->ring, i)].token));
    }
}

static bool fifo_put_any(const WwPort *out, int slot, WwToken token)
{
    if (!ww_fifo_room(out)) {
        return false;
    }
    ww_fifo_put(out, token);
    return true;
}

static bool fifo_take_any(const WwPort *in, int *slot, WwToken *token)
{
    *slot = 0;
    if (!ww_fifo_ready(in)) {
        return false;
    }
    *token = ww_fifo_take(in);
    return true;
}

static void fifo_fill(const void *channel, WwFill *out)
{
    const WwFifo *f = channel;
    const WwFifoGauge *g = f->gauge;
    out->tokens = f->ring.n;
    out->used = g != NULL ? (uint32_t)units_held(f) : f->ring.n;
    out->capacity = g != NULL ? g->capacity : f->depth;
}

static void fifo_tap(void *channel, bool on)
{
    WwFifo *f = channel;
    f->how = (uint8_t)(on ? f->how | WW_FIFO_TAPPED : f->how & ~WW_FIFO_TAPPED);
}

static const WwChannelOps fifo_ops = {fifo_put_any, fifo_take_any, ww_fifo_length, fifo_fill,
                                      fifo_tap};

static const WwParamRow fifo_params[] = {
    WW_UINT(WwFifo, depth, "entries", "1", 0, 1 << 20, "capacity; 0 is unbounded"),
    {.name = "latency",
     .kind = WW_PARAM_UINT,
     .unit = "cycles",
     .def = "0",
     .max = 1 << 20,
     .doc = "clock edges of the reader's domain until a token is visible",
     .offset = WW_FIELD(WwFifo, ch.latency, uint32_t)},
    SAME_PARAM(WwFifo, "tokens are visible in the same tick"),
    {0},
};

static const WwStatRow fifo_stats[] = {
    WW_COUNTER(WwFifo, puts, "tokens", "tokens that went through"),
    WW_MAXIMUM(WwFifo, most, "tokens", "maximum length"),
    {0},
};

const WwType ww_fifo_type = {
    .abi = WW_ABI_VERSION,
    .name = "fifo",
    .doc = "A queue with capacity, back-pressure and an optional latency.",
    .family = "channel",
    .flags = WW_TYPE_CHANNEL,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(WwFifo),
    .params = fifo_params,
    .channel = &fifo_ops,
    .events = ww_token_events,
    .stats = fifo_stats,
    .init = fifo_init,
    .reset = fifo_reset,
    .tally = fifo_tally,
    .span = fifo_span,
    .room = fifo_room,
    .lag = ww_fifo_lag,
    .spare = ww_fifo_spare,
    .outbox = ww_fifo_outbox,
    .hand_over = ww_fifo_hand_over,
    .explain = fifo_explain,
};
