/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Taps: fingerprints and the event log. In a window each partition notes what it did, and at its end the notes are put in the order of
 * ticks, phases and turns: the same prints and lines as without.
 */
#include "machine-priv.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

__thread WwPartition *ww_acting __attribute__((tls_model("initial-exec")));

struct WwTap {
    bool print;
};

WwTap ww_tap_of_watch;

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ b) * 0x9e3779b97f4a7c15u;
    return x ^ (x >> 29);
}

/* ---- in a window ------------------------------------------------------------------------------------------------- */

/* The time of @p c: in a window, of the partition that has its turn, which need not be the component's own. */
static WwCycle time_of(const WwComponent *c)
{
    const WwPartition *p = ww_acting;
    return p != NULL ? p->moment.domain[c->domain->index]->cycle : c->domain->cycle;
}

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
    Note *n = WW_LIST_ADD(p->machine, &p->notes);
    *n = (Note){.turn = ww_turn_in_window()};
    return n;
}

static int compare_notes(const void *a, const void *b)
{
    const Note *x = a, *y = b;
    return x->turn != y->turn ? (x->turn < y->turn ? -1 : 1)
                              : (x->number > y->number) - (x->number < y->number);
}

static void print_note(WwMachine *m, const Note *n)
{
    if (n->text != NULL) {
        fputs(n->text, m->events);
        g_free(n->text);
    } else {
        m->print[n->partition] = mix(mix(mix(m->print[n->partition], n->id), n->what), n->key);
    }
}

/* What one partition notes in a turn stands together, as it would if they all had run tick by tick. */
void ww_print_notes(WwMachine *m)
{
    m->notes.n = 0;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        for (uint32_t k = 0; k < p->notes.n; k++) {
            Note *n = WW_LIST_ADD(m, &m->notes);
            *n = p->notes.v[k];
            n->number = m->notes.n;
        }
        p->notes.n = 0;
    }
    if (m->notes.n != 0) {
        qsort(m->notes.v, m->notes.n, sizeof *m->notes.v, compare_notes);
    }
    for (uint32_t i = 0; i < m->notes.n; i++) {
        print_note(m, &m->notes.v[i]);
    }
}

/* ---- taps -------------------------------------------------------------------------------------------------------- */

static void print_token(const WwChannel *ch, bool put, uint32_t slot, WwToken token)
{
    Note n = {.partition = ch->base.partition,
              .id = ch->base.id,
              .what = time_of(&ch->base) << 8 | (uint64_t)put << 7 | slot,
              .key = ch->payload->key(token)};
    if (ww_acting == NULL) {
        print_note(ch->base.machine, &n);
        return;
    }
    Note *at = add_note(ww_acting);
    n.turn = at->turn;
    *at = n;
}

void ww_tap(WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    const WwTap *t = ch->tap;
    if (t->print) {
        print_token(ch, verb[0] == 'p', slot, token);
    }
    if (ch->base.logged != 0) {
        char text[200];
        ch->payload->text(token, text, sizeof text);
        ww_event_write(ch, verb, -1, "slot=%u %s", slot, text);
    }
}

void ww_machine_retap(WwMachine *m)
{
    g_autoptr(GPatternSpec) glob =
        m->filter.path != NULL ? g_pattern_spec_new(m->filter.path) : NULL;
    for (uint32_t i = 0; i < m->n_all && m->events != NULL; i++) {
        for (uint32_t d = 0; d < m->n_domains; d++) {
            ww_use_time(&m->partition[i], d); /* of any component */
        }
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        bool logged = m->events != NULL;
        if (logged && glob != NULL) {
            g_autofree char *path = ww_path(c);
            logged = g_pattern_spec_match_string(glob, path);
        }
        c->logged = logged ? WW_LOGGED : 0;
        if (c->type->flags & WW_TYPE_CHANNEL) {
            WwChannel *ch = (WwChannel *)c;
            ch->tap = NULL;
            if (ch->payload != NULL && (m->fingerprint || c->logged)) {
                ch->tap = ww_machine_alloc(m, sizeof(WwTap));
                *ch->tap = (WwTap){m->fingerprint};
            }
        }
    }
}

void ww_machine_set_fingerprint(WwMachine *m, bool on)
{
    m->fingerprint = on;
    ww_machine_retap(m);
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
    m->events = out;
    g_free((char *)m->filter.path);
    g_strfreev(m->kinds);
    m->filter = filter != NULL ? *filter : (WwEventFilter){0};
    m->filter.path = g_strdup(m->filter.path);
    m->kinds = m->filter.kinds != NULL ? g_strsplit(m->filter.kinds, ",", -1) : NULL;
    m->filter.kinds = NULL;
    ww_machine_retap(m);
}

void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
{
    const WwComponent *c = self;
    WwMachine *m = c->machine;
    const WwEventFilter *f = &m->filter;
    WwCycle now = time_of(c);
    va_list ap;
    if (c->logged & WW_WATCHED) {
        va_start(ap, format);
        ww_watch_event(c, now, kind, unit, format, ap);
        va_end(ap);
    }
    if (!(c->logged & WW_LOGGED) || now < f->from || (f->to != 0 && now > f->to) ||
        (f->has_unit && unit != f->unit) ||
        (m->kinds != NULL && !g_strv_contains((const char *const *)m->kinds, kind))) {
        return;
    }
    g_autofree char *path = ww_path(self);
    GString *line = g_string_new(NULL);
    g_string_printf(line, "%" PRIu64 "\t%s\t%s\t%" PRId64 "\t", now, kind, path, unit);
    va_start(ap, format);
    g_string_append_vprintf(line, format, ap);
    va_end(ap);
    g_string_append_c(line, '\n');
    if (ww_acting != NULL) {
        add_note(ww_acting)->text = g_string_free(line, false);
    } else {
        fputs(line->str, m->events);
        g_string_free(line, true);
    }
}
