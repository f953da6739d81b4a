/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taps: fingerprints and what the event log says of tokens. In a window each partition notes for the fingerprints what it did, and at its
 * end the notes are put in the order of ticks, phases and turns: the same prints as without.
 */
#include "log-priv.h"
#include <string.h>

__thread WwPartition *ww_acting __attribute__((tls_model("initial-exec")));

struct WwTap {
    bool print;
};

WwTap ww_tap_of_watch;

static const WwEventField field_slot =
    WW_EVENT_FIELD("slot", WW_EVENT_NUMBER, "", "the register; behind it, what the token is");
const WwEventRow ww_token_events[] = {
    {"put", "", "a token goes in", {&field_slot}},
    {"take", "", "a token goes out", {&field_slot}},
    {0},
};

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

/* ---- in a window ------------------------------------------------------------------------------------------------- */

uint64_t ww_turn_in_window(void)
{
    const WwPartition *p = ww_acting;
    if (p == NULL) {
        return 0;
    }
    uint64_t place = p->at != NULL ? p->at->share->of->place[p->at->share->member] : 0;
    return ((uint64_t)p->done << 40 | (uint64_t)(uint32_t)(MAX(p->moment.now.phase, -1) + 1) << 32 |
            place) +
           1;
}

/* A note of the partition that has its turn, after those that it made before. */
static Note *add_note(WwPartition *p)
{
    uint64_t turn = ww_turn_in_window();
    ww_assert(p->notes.n == 0 || p->notes.v[p->notes.n - 1].turn <= turn);
    Note *n = WW_LIST_ADD(p->machine, &p->notes);
    *n = (Note){.turn = turn};
    return n;
}

static void print_token(WwMachine *m, const Note *n)
{
    m->print[n->partition] = mix(mix(mix(m->print[n->partition], n->id), n->what), n->key);
}

/* ---- the notes of a window, in order ----------------------------------------------------------------------------- */

static inline bool is_before(const Merged *a, const Merged *b)
{
    return a->turn != b->turn ? a->turn < b->turn : a->partition < b->partition;
}

/* What stands at @p i of the heap @p h of @p n goes down to its place. */
static void sink(Merged *h, uint32_t n, uint32_t i)
{
    Merged it = h[i];
    for (uint32_t k; (k = 2 * i + 1) < n; i = k) {
        k += k + 1 < n && is_before(&h[k + 1], &h[k]);
        if (!is_before(&h[k], &it)) {
            break;
        }
        h[i] = h[k];
    }
    h[i] = it;
}

/* The notes of @p p from @p from on that come before the first of @p next (NULL: all); returns behind which. */
static uint32_t print_run(WwMachine *m, const WwPartition *p, uint32_t from, const Merged *next)
{
    const Note *n = p->notes.v;
    uint32_t i = from;
    for (; i < p->notes.n && (next == NULL || is_before(&(Merged){n[i].turn, p->index}, next));
         i++) {
        print_token(m, &n[i]);
    }
    return i;
}

/* What one partition notes in a turn stands together, as it would if they all had run tick by tick; each has its notes in order. */
void ww_print_notes(WwMachine *m)
{
    ww_log_make(m);
    Log *l = m->host->log;
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        if (p->notes.n != 0) {
            l->merge[n++] = (Merged){p->notes.v[0].turn, i};
        }
        l->next[i] = 0;
    }
    for (uint32_t i = n / 2; i-- != 0;) {
        sink(l->merge, n, i);
    }
    while (n != 0) {
        Merged *first = &l->merge[0], *next = n > 1 ? &l->merge[1] : NULL;
        next = n > 2 && is_before(&l->merge[2], next) ? &l->merge[2] : next;
        WwPartition *p = &m->partition[first->partition];
        uint32_t at = print_run(m, p, l->next[p->index], next);
        l->next[p->index] = at;
        if (at < p->notes.n) {
            first->turn = p->notes.v[at].turn;
        } else {
            *first = l->merge[--n];
            p->notes.n = 0;
        }
        sink(l->merge, n, 0);
    }
}

/* ---- taps -------------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) void note_token(const WwChannel *ch, bool put, uint32_t slot,
                                                 WwToken token)
{
    Note n = {.partition = ch->base.partition,
              .id = ch->base.id,
              .what = ww_log_time(&ch->base) << 8 | (uint64_t)put << 7 | slot,
              .key = ch->payload->key(token)};
    if (ww_acting == NULL) {
        print_token(ch->base.machine, &n);
        return;
    }
    Note *at = add_note(ww_acting);
    n.turn = at->turn;
    *at = n;
}

static __attribute__((noinline)) void print_and_log(const WwChannel *ch, const char *verb,
                                                    uint32_t slot, WwToken token)
{
    note_token(ch, verb[0] == 'p', slot, token);
    if (ch->base.logged != 0) {
        ww_log_token(ch, verb, slot, token);
    }
}

void ww_tap(WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    if (G_UNLIKELY(ch->tap->print)) {
        print_and_log(ch, verb, slot, token);
    } else {
        ww_log_token(ch, verb, slot, token);
    }
}

static uint8_t flags_of(const WwMachine *m, const WwComponent *c, GPatternSpec *glob)
{
    uint8_t watched = c->logged & WW_WATCHED;
    if (m->events == NULL) {
        return watched;
    }
    bool channel = (c->type->flags & WW_TYPE_CHANNEL) != 0;
    if (channel && !ww_log_wants(m, "put") && !ww_log_wants(m, "take")) {
        return watched;
    }
    g_autofree char *path = glob != NULL ? ww_path(c) : NULL;
    if (glob == NULL || g_pattern_spec_match_string(glob, path)) {
        return watched | WW_LOGGED | (m->host->log->picky ? 0 : WW_LOGGED_ALL);
    }
    return m->host->log->outside != NULL ? watched | WW_LOGGED_IF : watched;
}

void ww_set_tap(WwChannel *channel, WwTap *tap)
{
    const WwChannelOps *ops = channel->base.type->channel;
    channel->tap = tap;
    if (ops->tapped != NULL) {
        ops->tapped(channel, tap != NULL);
    }
}

void ww_machine_retap(WwMachine *m)
{
    g_autoptr(GPatternSpec) glob =
        m->filter.path != NULL ? g_pattern_spec_new(m->filter.path) : NULL;
    WwTap *tap = NULL; /* one for all: each token looks at it */
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        c->logged = flags_of(m, c, glob);
        if (c->type->flags & WW_TYPE_CHANNEL) {
            WwChannel *ch = (WwChannel *)c;
            bool wanted = ch->payload != NULL && (m->fingerprint || c->logged);
            if (wanted && tap == NULL) {
                tap = ww_machine_alloc(m, sizeof *tap);
                *tap = (WwTap){m->fingerprint};
            }
            ww_set_tap(ch, wanted ? tap : NULL);
        }
    }
}

void ww_machine_set_fingerprint(WwMachine *m, bool on)
{
    if (m->fingerprint != on) {
        m->fingerprint = on;
        ww_machine_retap(m);
    }
}

uint64_t ww_machine_fingerprint(const WwMachine *m)
{
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->n_partitions; i++) {
        h = mix(h, m->print[i]);
    }
    return h;
}

void ww_machine_set_events(WwMachine *m, FILE *out, const WwEventFilter *filter)
{
    ww_log_flush(m);
    ww_log_free(m);
    ww_log_make(m);
    m->events = out;
    g_free((char *)m->filter.path);
    g_strfreev(m->kinds);
    m->filter = filter != NULL ? *filter : (WwEventFilter){0};
    m->filter.path = g_strdup(m->filter.path);
    m->kinds = m->filter.kinds != NULL ? g_strsplit(m->filter.kinds, ",", -1) : NULL;
    m->host->log->apart = m->filter.apart;
    m->host->log->fields = m->filter.fields != NULL ? g_strsplit(m->filter.fields, ",", -1) : NULL;
    m->host->log->outside = g_strdup(m->filter.outside);
    m->host->log->picky = m->filter.from != 0 || m->filter.to != 0 || m->filter.has_unit ||
                          m->host->log->fields != NULL;
    m->filter.kinds = m->filter.fields = m->filter.outside = NULL;
    ww_machine_retap(m);
}
