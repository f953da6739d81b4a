/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: lines. Each partition writes its own behind each other while it runs; outside of windows they go to the log at once,
 * at the end of a window they are merged by turn (tap.c). Paths are made once a component, a cycle's digits once a cycle, and the file gets
 * pieces of a megabyte. All of it is beside the machine's heap: no checkpoint has any of it.
 */
#include "log-priv.h"
#include <stdarg.h>
#include <stdio.h>

#define PIECE (1u << 20)
#define HEAD 128u /* Cycle, kind, unit, tabs. */

const char ww_event_digits[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void more_room(LogText *t, size_t n)
{
    t->room = MAX(t->room * 2, t->n + n);
    t->text = g_realloc(t->text, t->room);
}

/* Where the next @p n bytes go. */
static inline char *room_for(LogText *t, size_t used, size_t n)
{
    if (G_UNLIKELY(t->room - t->n < used + n)) {
        more_room(t, used + n);
    }
    return t->text + t->n + used;
}

void ww_log_make(WwMachine *m)
{
    Host *h = m->host;
    if (h->log == NULL) {
        h->log = g_new0(Log, 1);
    }
    if (h->log->n_of < m->n_all) {
        h->log->of = g_renew(LogText, h->log->of, m->n_all);
        memset(h->log->of + h->log->n_of, 0, (m->n_all - h->log->n_of) * sizeof *h->log->of);
        h->log->merge = g_renew(Merged, h->log->merge, m->n_all);
        h->log->next = g_renew(uint32_t, h->log->next, m->n_all);
        h->log->n_of = m->n_all;
    }
    if (h->log->n_paths < m->info.n) {
        h->log->path = g_renew(LogPath *, h->log->path, m->info.n);
        memset(h->log->path + h->log->n_paths, 0,
               (m->info.n - h->log->n_paths) * sizeof *h->log->path);
        h->log->n_paths = m->info.n;
    }
}

void ww_log_free(WwMachine *m)
{
    Log *l = m->host->log;
    if (l == NULL) {
        return;
    }
    for (uint32_t i = 0; i < l->n_of; i++) {
        g_free(l->of[i].text);
    }
    for (uint32_t i = 0; i < l->n_paths; i++) {
        g_free(l->path[i]);
    }
    g_strfreev(l->fields);
    g_free(l->outside);
    g_free(l->out.text);
    g_free(l->of);
    g_free(l->path);
    g_free(l->merge);
    g_free(l->next);
    g_free(l);
    m->host->log = NULL;
}

/* The component's path. Several threads may want it at once: the first that has it, gives it. */
static __attribute__((noinline)) const LogPath *make_path(Log *l, const WwComponent *c)
{
    g_autofree char *plain = ww_path(c);
    size_t n = strlen(plain);
    LogPath *made = g_malloc(sizeof *made + n + 1), *there = NULL;
    made->n = n + 1;
    memcpy(made->text, plain, n);
    made->text[n] = '\t';
    if (!__atomic_compare_exchange_n(&l->path[c->id], &there, made, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE)) {
        g_free(made);
        return there;
    }
    return made;
}

static inline const LogPath *path_of(Log *l, const WwComponent *c)
{
    const LogPath *path = __atomic_load_n(&l->path[c->id], __ATOMIC_ACQUIRE);
    return G_LIKELY(path != NULL) ? path : make_path(l, c);
}

bool ww_log_wants(const WwMachine *m, const char *kind)
{
    return m->kinds == NULL ||
           g_strv_contains((const char *const *)m->kinds, kind) != m->filter.but;
}

static __attribute__((noinline)) void learn_kind(LogKind *k, const WwMachine *m, const char *name)
{
    size_t n = MIN(strlen(name), sizeof k->text - 2);
    *k = (LogKind){.name = name, .n = (uint32_t)n + 2, .wanted = ww_log_wants(m, name)};
    k->text[0] = k->text[n + 1] = '\t';
    memcpy(k->text + 1, name, n);
}

/* What is known of the kind whose name stands at @p name. */
static inline const LogKind *kind_of(LogText *t, const WwMachine *m, const char *name)
{
    LogKind *k = &t->kind[(uintptr_t)name / 2 % LOG_KINDS];
    if (G_UNLIKELY(k->name != name)) {
        learn_kind(k, m, name);
    }
    return k;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

void ww_log_flush(WwMachine *m)
{
    Log *l = m->host->log;
    if (l != NULL && l->out.n != 0) {
        fwrite(l->out.text, 1, l->out.n, m->events);
        l->out.n = 0;
    }
}

void ww_log_put(WwMachine *m, const char *text, size_t n)
{
    Log *l = m->host->log;
    memcpy(room_for(&l->out, 0, n), text, n);
    l->out.n += n;
    if (l->out.n >= PIECE) {
        ww_log_flush(m);
    }
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

char *ww_event_text(char *at, const char *text)
{
    for (uint32_t i = 0; i < 128 && text[i] != '\0'; i++) {
        *at++ = text[i];
    }
    return at;
}

static char *write_field(char *at, const WwEventField *f, uint64_t value)
{
    const char *text = (const char *)(uintptr_t)value;
    switch (f->form) {
    case WW_EVENT_NUMBER:
        return ww_event_number(ww_event_lead(at, f), value);
    case WW_EVENT_HEX:
        return ww_event_hex(ww_event_lead(at, f), value);
    case WW_EVENT_MASK:
        at = ww_event_lead(at, f);
        for (uint32_t i = 8; i-- != 0; value >>= 4) {
            at[i] = "0123456789abcdef"[value & 15u];
        }
        return at + 8;
    case WW_EVENT_TEXT:
        return text != NULL ? ww_event_text(ww_event_lead(at, f), text) : at;
    case WW_EVENT_WORD:
        *at = ' ';
        return ww_event_text(at + 1, text);
    default:
        return f->write(at, value);
    }
}

/* Has @p text the field @p field, name and value? */
static bool has_field(const char *text, const char *field)
{
    size_t n = strlen(field);
    for (const char *at = text; (at = strstr(at, field)) != NULL; at += n) {
        if ((at == text || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) {
            return true;
        }
    }
    return false;
}

static bool wanted_text(const Log *l, const WwComponent *c, const char *text)
{
    if ((c->logged & WW_LOGGED_IF) != 0 && !has_field(text, l->outside)) {
        return false;
    }
    for (char **f = l->fields; f != NULL && *f != NULL; f++) {
        if (!has_field(text, *f)) {
            return false;
        }
    }
    return true;
}

/* ---- a line ------------------------------------------------------------------------------------------------------ */

typedef struct Line {
    LogText *to;
    size_t n;  /* Bytes so far, */
    size_t at; /* of which the text begins behind so many. */
    WwCycle now;
    bool logged;
} Line;

static inline bool wanted(const WwMachine *m, const WwComponent *c, WwCycle now, int64_t unit)
{
    const WwEventFilter *f = &m->filter;
    return (c->logged & (WW_LOGGED | WW_LOGGED_IF)) != 0 && now >= f->from &&
           (f->to == 0 || now <= f->to) && (!f->has_unit || unit == f->unit);
}

static inline char *write_cycle(LogText *t, char *at, WwCycle now)
{
    if (t->cycle != now || t->n_digits == 0) {
        t->cycle = now;
        t->n_digits = (uint32_t)(ww_event_number(t->digits, now) - t->digits);
    }
    memcpy(at, t->digits, sizeof t->digits);
    return at + t->n_digits;
}

/* False: nobody wants this one. */
static inline bool begin(Line *line, const WwComponent *c, const char *name, int64_t unit)
{
    WwMachine *m = c->machine;
    if (G_UNLIKELY(m->host->log == NULL)) {
        ww_log_make(m);
    }
    Log *l = m->host->log;
    line->to = ww_acting != NULL ? &l->of[ww_acting->index] : &l->out;
    const LogKind *kind = kind_of(line->to, m, name);
    line->now = ww_log_time(c);
    line->logged = kind->wanted && wanted(m, c, line->now, unit);
    if (!line->logged && (c->logged & WW_WATCHED) == 0) {
        return false;
    }
    const LogPath *path = path_of(l, c);
    char *first = room_for(line->to, 0, HEAD + path->n), *at = first;
    at = write_cycle(line->to, at, line->now);
    memcpy(at, kind->text, sizeof kind->text);
    at += kind->n;
    memcpy(at, path->text, path->n);
    at += path->n;
    if (unit < 0) {
        *at++ = '-';
    }
    at = ww_event_number(at, unit < 0 ? -(uint64_t)unit : (uint64_t)unit);
    *at++ = '\t';
    line->at = line->n = (size_t)(at - first);
    return true;
}

static void end(Line *line, const WwComponent *c, const char *kind, int64_t unit)
{
    WwMachine *m = c->machine;
    const Log *l = m->host->log;
    char *end = room_for(line->to, line->n, 1), *text = line->to->text + line->to->n + line->at;
    if (G_UNLIKELY((c->logged & (WW_WATCHED | WW_LOGGED_IF)) != 0 || l->fields != NULL)) {
        *end = '\0';
        if (c->logged & WW_WATCHED) {
            ww_watch_event(c, line->now, kind, unit, text);
        }
        if (!line->logged || !wanted_text(l, c, text)) {
            return;
        }
    }
    *end = '\n';
    line->to->n += line->n + 1;
    if (ww_acting != NULL) {
        ww_note_text(ww_acting, line->to->n - line->n - 1, line->n + 1);
    } else if (line->to->n >= PIECE) {
        ww_log_flush(m);
    }
}

void ww_log(const void *self, const WwEventRow *row, int64_t unit, const uint64_t *values,
            uint32_t n)
{
    Line line;
    if (!begin(&line, self, row->name, unit)) {
        return;
    }
    size_t first = line.n - 1; /* the first field's blank is the tab */
    line.n = first;
    for (uint32_t i = 0; i < n; i++) {
        ww_assert(row->field[i] != NULL);
        char *at = room_for(line.to, line.n, WW_EVENT_ROOM);
        line.n += (size_t)(write_field(at, row->field[i], values[i]) - at);
    }
    line.to->text[line.to->n + first] = '\t';
    line.n = MAX(line.n, first + 1);
    end(&line, self, row->name, unit);
}

void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
{
    Line line;
    va_list ap;
    if (!begin(&line, self, kind, unit)) {
        return;
    }
    for (size_t room = WW_EVENT_ROOM;;) {
        char *at = room_for(line.to, line.n, room);
        va_start(ap, format);
        int n = vsnprintf(at, room, format, ap);
        va_end(ap);
        if (n >= 0 && (size_t)n >= room) {
            room = (size_t)n + 1;
            continue;
        }
        line.n += (size_t)MAX(n, 0);
        break;
    }
    end(&line, self, kind, unit);
}
