/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: lines, as they come. Most are of a log of all components, which asks nothing of them but their kind: of those what they say is kept, behind
 * a LogHead, and the text is made when they are in order (log_text.c). All others are text at once; between kept ones they stand behind a NULL and
 * their length.
 */
#include "log-priv.h"
#include <stdarg.h>
#include <stdio.h>

/* Of a line that is text at once. */
#define WHOLE (2 * sizeof(uint64_t))
/* Pieces outside of windows, two for each chunk, from which on they are handed over. */
#define MOST_ASIDE 8u
/* The host fetches what is written some lines later. */
#define AHEAD 256u

static const LogHead *head_of(LogHead **first, const WwComponent *c, const char *kind,
                              const WwEventRow *row)
{
    const LogHead *h = __atomic_load_n(&first[c->id], __ATOMIC_ACQUIRE);
    while (h != NULL && (h->kind != kind || h->row != row)) {
        h = h->next;
    }
    return h != NULL ? h : ww_log_head(first, c, kind, row);
}

/* ---- text at once ------------------------------------------------------------------------------------------------ */

typedef struct Line {
    Log *log;
    LogText *to;
    const LogHead *head;
    const WwPartition *acting; /* NULL: outside of windows; */
    uint32_t tick;             /* in one, its tick, otherwise 0. */
    WwCycle now;
    bool logged;
} Line;

/* Where lines go outside of windows. */
static LogText *aside(WwMachine *m, Log *l)
{
    if (G_UNLIKELY(ww_log_aside(l, l->of)->n_pieces >= MOST_ASIDE)) {
        ww_log_hand_over(m, l);
    }
    return ww_log_aside(l, l->of);
}

/* False: nobody wants this one. */
static bool is_wanted(Line *line, const WwComponent *c, const char *kind, const WwEventRow *row,
                      int64_t unit)
{
    WwMachine *m = c->machine;
    if (m->host->log == NULL) {
        ww_log_make(m);
    }
    Log *l = line->log = m->host->log;
    const WwPartition *p = line->acting = ww_acting;
    line->to = p != NULL ? &l->of[p->index] : aside(m, l);
    line->tick = p != NULL ? p->done : 0;
    line->head = head_of(l->head, c, kind, row);
    line->now = p != NULL ? ww_log_time_in(p, c) : c->domain->cycle;
    line->logged =
        line->head->wanted && (c->logged & (WW_LOGGED | WW_LOGGED_IF)) != 0 &&
        ww_log_in_bounds(m, p != NULL ? ww_log_core_in(c, p->done) : ww_log_core(c), unit);
    return line->logged || (c->logged & WW_WATCHED) != 0;
}

/* All up to the unit; there is room for @p room bytes of text. */
static char *begin(const Line *line, int64_t unit, size_t room)
{
    LogText *t = line->to;
    const LogHead *h = line->head;
    ww_log_need(line->log, t, WHOLE + LOG_NUMBERS + h->n + LOG_COPY + room);
    return ww_log_put_start(t->at + WHOLE, line->now, h, unit);
}

/* Somebody looks at the text, from @p text to @p end. False: it is not for the log. */
static __attribute__((noinline)) bool show(const Line *line, int64_t unit, const char *text,
                                           char *end)
{
    const WwComponent *c = line->head->component;
    *end = '\0';
    if (c->logged & WW_WATCHED) {
        ww_watch_event(c, line->now, line->head->kind, unit, text);
    }
    return line->logged && ww_log_wants_text(line->log, c, text);
}

/* What comes next is of the turn that @p p has, and of tick @p tick. */
static inline void need_turn(LogText *t, const WwPartition *p, uint32_t tick)
{
    if (t->turn != (p != NULL ? p->at : NULL) || t->tick != tick) {
        ww_log_need_piece(t);
        ww_log_begin_piece(t, p, tick);
    }
}

static void end(const Line *line, int64_t unit, const char *text, char *end)
{
    LogText *t = line->to;
    if (show(line, unit, text, end)) {
        *end++ = '\n';
        need_turn(t, line->acting, line->tick);
        char *at = ww_event_keep(t->at, LOG_WHOLE);
        ww_event_keep(at, (uint64_t)(end - t->at) - WHOLE);
        t->at = end;
    }
}

/* More values than fields: how many there may be. */
WW_COLD static uint32_t fail_values(const WwComponent *c, const WwEventRow *row, uint32_t n)
{
    GError *error = NULL;
    uint32_t fields = 0;
    g_autofree char *path = ww_path(c);
    while (fields < WW_EVENT_FIELDS && row->field[fields] != NULL) {
        fields++;
    }
    ww_fail(&error, WW_ERROR_MODEL,
            "%s (%s): event '%s' was written with %u %s; expected no more than its row has: %u",
            path, c->type->name, row->name, n, WW_PLURAL(n, "value", "values"), fields);
    ww_fail_run((void *)(uintptr_t)c, error);
    return fields;
}

/* How many of @p n values may be written. */
static inline uint32_t check_values(const WwComponent *c, const WwEventRow *row, uint32_t n)
{
    bool good = n == 0 || (n <= WW_EVENT_FIELDS && row->field[n - 1] != NULL);
    return G_LIKELY(good) ? n : fail_values(c, row, n);
}

static void write_text(const Line *line, const WwEventRow *row, int64_t unit,
                       const uint64_t *values, uint32_t n)
{
    char *text = begin(line, unit, (size_t)n * WW_EVENT_ROOM);
    end(line, unit, text, ww_log_put_fields(text, row, values, n));
}

static __attribute__((noinline)) void write_row(const WwComponent *c, const WwEventRow *row,
                                                int64_t unit, const uint64_t *values, uint32_t n)
{
    Line line;
    n = check_values(c, row, n);
    if (is_wanted(&line, c, row->name, row, unit)) {
        write_text(&line, row, unit, values, n);
    }
}

/* Where the head of its tokens' lines is. */
static inline const LogHead **token_head(const LogHead **first, const WwChannel *ch,
                                         const char *verb)
{
    return &first[2 * (size_t)ch->base.id + LOG_TAKES(verb)];
}

static __attribute__((noinline)) void write_token(const WwChannel *ch, const char *verb,
                                                  uint32_t slot, WwToken token)
{
    Line line;
    if (ch->base.logged != 0 && is_wanted(&line, &ch->base, verb, NULL, -1)) {
        if (line.head->brief) {
            __atomic_store_n(token_head(line.log->token, ch, verb), line.head, __ATOMIC_RELEASE);
        }
        char *text = begin(&line, -1, 2 * WW_EVENT_ROOM), *at = text - 3 + LOG_SLOT;
        memcpy(text - 3, LOG_OF_SLOT, LOG_SLOT);
        at = ww_event_number(at, slot);
        *at = ' ';
        end(&line, -1, text, ch->payload->write(at + 1, token));
    }
}

void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
{
    Line line;
    if (!is_wanted(&line, self, kind, NULL, unit)) {
        return;
    }
    for (size_t room = WW_EVENT_ROOM;;) {
        va_list ap;
        char *text = begin(&line, unit, room);
        va_start(ap, format);
        int n = vsnprintf(text, room, format, ap);
        va_end(ap);
        if (n < 0 || (size_t)n < room) {
            end(&line, unit, text, text + MAX(n, 0));
            return;
        }
        room = (size_t)n + 1;
    }
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

/* NULL: there is none yet, or none of lines with @p n values that are kept; of a component of which not all is wanted there is none. */
static inline const LogHead *kept_head(LogHead *const *first, const WwComponent *c,
                                       const WwEventRow *row, uint32_t n)
{
    const LogHead *h = __atomic_load_n(&first[c->id], __ATOMIC_ACQUIRE);
    while (h != NULL && h->row != row) {
        h = h->next;
    }
    return h != NULL && h->brief && n <= h->n_fields ? h : NULL;
}

#define FRONT (sizeof(uint64_t) + sizeof(LogKept))

/* A line at t->at that ends at @p end, where its fields do; @p unit: or slot. */
static inline void keep_line(LogText *t, const LogHead *h, uint32_t unit, uint32_t n, char *end)
{
    char *kept = ww_event_keep(t->at, (uintptr_t)h); /* a LogKept, by its members */
    uint16_t size = (uint16_t)(end - t->at);
    memcpy(kept + offsetof(LogKept, size), &size, sizeof size);
    kept[offsetof(LogKept, unit)] = (char)unit;
    kept[offsetof(LogKept, n)] = (char)n;
    t->at = end;
    ww_host_fetch(end + AHEAD);
}

/* The length is that of the text behind it, which begins at @p at + 2 and ends at @p end. */
static inline char *keep_text(char *at, char *end)
{
    uint16_t n = (uint16_t)(end - at - 2);
    memcpy(at, &n, sizeof n);
    return end;
}

static inline char *keep_field(char *at, const WwEventField *f, uint64_t value)
{
    if (ww_log_by_keep(f->kept)) {
        return f->kept->keep(at, value);
    }
    return ww_log_as_text(f) ? keep_text(at, ww_log_put_field(at + 2, f, value))
                             : ww_event_keep(at, value);
}

/*
 * Each takes what it is called with in the order in which its caller has it, and saves of the caller's registers only what it needs: the compiler
 * would save all of them before the first question.
 */
#define APART static __attribute__((noinline)) void

APART keep_row(const LogHead *h, const WwEventRow *row, int64_t unit, const uint64_t *values,
               uint32_t n, LogText *t)
{
    char *at = t->at + FRONT;
    const WwEventField *const *field = row->field;
    for (const uint64_t *v = values, *last = values + n; v != last; v++) {
        at = keep_field(at, *field++, *v);
    }
    keep_line(t, h, (uint32_t)unit, n, at);
}

APART keep_one(const LogHead *h, const WwEventRow *row, int64_t unit, uint64_t value, LogText *t)
{
    keep_line(t, h, (uint32_t)unit, 1, keep_field(t->at + FRONT, row->field[0], value));
}

APART keep_token(const WwChannel *ch, const LogHead *h, uint32_t slot, WwToken token, LogText *t)
{
    char *at = t->at + FRONT, *end = NULL;
    if (ww_log_by_keep(h->kept)) {
        end = h->kept->keep(at, token);
    } else {
        end = h->kept != NULL ? ww_event_keep(at, token)
                              : keep_text(at, ch->payload->write(at + 2, token));
    }
    keep_line(t, h, slot, 0, end);
}

/* There is room, and the line is of the same turn as the last, and of the same tick, as is the piece then. */
static inline bool goes_on(const LogText *t)
{
    const WwPartition *p = t->partition;
    return t->turn == p->at && t->tick == p->done && t->at < t->most;
}

/* There is room for a line that is kept, of the turn that @p p has. */
static void make_ready(Log *l, LogText *t, const WwPartition *p, uint32_t tick)
{
    if (t->at >= t->most) {
        ww_log_more(l, t, 0);
    }
    need_turn(t, p, tick);
}

static __attribute__((noinline)) void begin_piece(LogText *t)
{
    const WwPartition *p = t->partition;
    make_ready(p->machine->host->log, t, p, p->done);
}

/* May lines of @p c be kept outside of windows, where anybody may have come to look at them meanwhile? */
static inline bool is_kept_aside(const WwComponent *c)
{
    return ww_acting == NULL && c->logged == (WW_LOGGED | WW_LOGGED_ALL);
}

/* Outside of windows: where a line of @p h goes, behind its time. */
static LogText *begin_aside(const WwComponent *c, const LogHead *h)
{
    Log *l = c->machine->host->log;
    LogText *t = aside(c->machine, l);
    WwCycle now = c->domain->cycle;
    make_ready(l, t, NULL, 0);
    if (l->noted[h->domain] != now) {
        l->noted[h->domain] = now;
        t->at = ww_event_keep(ww_event_keep(ww_event_keep(t->at, LOG_TIME), h->domain), now);
    }
    return t;
}

APART write_row_out(const WwComponent *c, const WwEventRow *row, int64_t unit,
                    const uint64_t *values, uint32_t n)
{
    const LogHead *h = NULL;
    if (is_kept_aside(c) && (uint64_t)unit < LOG_UNITS) {
        h = kept_head(c->machine->host->log->head, c, row, n);
    }
    if (h != NULL) {
        keep_row(h, row, unit, values, n, begin_aside(c, h));
    } else {
        write_row(c, row, unit, values, n);
    }
}

APART begin_row(const LogHead *h, const WwEventRow *row, int64_t unit, const uint64_t *values,
                uint32_t n, LogText *t)
{
    begin_piece(t);
    keep_row(h, row, unit, values, n, t);
}

void ww_log(const void *self, const WwEventRow *row, int64_t unit, const uint64_t *values,
            uint32_t n)
{
    const WwComponent *c = self;
    LogText *t = ww_log_acting;
    const LogHead *h = NULL;
    if (G_UNLIKELY(t == NULL || (uint64_t)unit >= LOG_UNITS ||
                   (h = kept_head(t->head, c, row, n)) == NULL)) {
        write_row_out(c, row, unit, values, n);
    } else if (G_LIKELY(goes_on(t))) {
        keep_row(h, row, unit, values, n, t);
    } else {
        begin_row(h, row, unit, values, n, t);
    }
}

APART begin_one(const LogHead *h, const WwEventRow *row, int64_t unit, uint64_t value, LogText *t)
{
    begin_piece(t);
    keep_one(h, row, unit, value, t);
}

APART write_one_out(const WwComponent *c, const WwEventRow *row, int64_t unit, uint64_t value)
{
    write_row_out(c, row, unit, &value, 1);
}

void ww_log_one(const void *self, const WwEventRow *row, int64_t unit, uint64_t value)
{
    const WwComponent *c = self;
    LogText *t = ww_log_acting;
    const LogHead *h = NULL;
    if (G_UNLIKELY(t == NULL || (uint64_t)unit >= LOG_UNITS ||
                   (h = kept_head(t->head, c, row, 1)) == NULL)) {
        write_one_out(c, row, unit, value);
    } else if (G_LIKELY(goes_on(t))) {
        keep_one(h, row, unit, value, t);
    } else {
        begin_one(h, row, unit, value, t);
    }
}

APART write_token_out(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    const LogHead *h = NULL;
    if (is_kept_aside(&ch->base) && slot < LOG_SLOTS) {
        h = *token_head(ch->base.machine->host->log->token, ch, verb);
    }
    if (h != NULL) {
        keep_token(ch, h, slot, token, begin_aside(&ch->base, h));
    } else {
        write_token(ch, verb, slot, token);
    }
}

APART begin_token(const WwChannel *ch, const LogHead *h, uint32_t slot, WwToken token, LogText *t)
{
    begin_piece(t);
    keep_token(ch, h, slot, token, t);
}

void ww_log_token(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    LogText *t = ww_log_acting;
    const LogHead *h = NULL;
    if (G_UNLIKELY(t == NULL || slot >= LOG_SLOTS ||
                   (h = __atomic_load_n(token_head(t->token, ch, verb), __ATOMIC_ACQUIRE)) ==
                       NULL)) {
        write_token_out(ch, verb, slot, token);
    } else if (G_LIKELY(goes_on(t))) {
        keep_token(ch, h, slot, token, t);
    } else {
        begin_token(ch, h, slot, token, t);
    }
}

void ww_log_past_line(LogText *t, const WwComponent *c, uint32_t tick, WwCycle now,
                      const WwEventRow *row, int64_t unit, const uint64_t *values, uint32_t n)
{
    Log *l = c->machine->host->log;
    const LogHead *h = head_of(l->head, c, row->name, row);
    Line line = {l, t, h, ww_acting, tick, now, h->wanted};
    n = check_values(c, row, n);
    if (!h->wanted) {
        return;
    }
    if (h->brief && (uint64_t)unit < LOG_UNITS) {
        make_ready(l, t, line.acting, tick);
        keep_row(h, row, unit, values, n, t);
    } else {
        write_text(&line, row, unit, values, n);
    }
}
