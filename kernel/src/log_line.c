/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: lines. What a cycle, and a component and a kind, come to as text is made once and copied with room to spare. Most lines are of
 * a log of all components, which asks nothing of them but their kind: they are written the short way, in a window by functions that call
 * nothing but what writes their fields, and that leave all else to others before they have begun.
 */
#include "log-priv.h"
#include <stdarg.h>
#include <stdio.h>

const char ww_event_digits[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

#define SIXTEEN(high)                                                                              \
    high "0" high "1" high "2" high "3" high "4" high "5" high "6" high "7" high "8" high "9" high \
         "a" high "b" high "c" high "d" high "e" high "f"
const char ww_event_hexes[513] = SIXTEEN("0") SIXTEEN("1") SIXTEEN("2") SIXTEEN("3") SIXTEEN("4")
    SIXTEEN("5") SIXTEEN("6") SIXTEEN("7") SIXTEEN("8") SIXTEEN("9") SIXTEEN("a") SIXTEEN("b")
        SIXTEEN("c") SIXTEEN("d") SIXTEEN("e") SIXTEEN("f");

/* The host fetches what is written some lines later: as much as most lines have, so far ahead. */
#define AHEAD 512u

/* ---- fields ------------------------------------------------------------------------------------------------------ */

/* Two digits of a number below 100. */
static inline void put_two(char *at, uint32_t value)
{
    memcpy(at, ww_event_digits + 2 * value, 2);
}

/* Of a number from 100 to 9999. */
static inline char *put_four(char *at, uint32_t value)
{
    uint32_t high = value / 100;
    if (high < 10) {
        *at = (char)('0' + high);
        at++;
    } else {
        put_two(at, high);
        at += 2;
    }
    put_two(at, value - 100 * high);
    return at + 2;
}

static __attribute__((noinline)) char *put_many(char *at, uint64_t value)
{
    uint64_t high = value / 10000;
    uint32_t low = (uint32_t)(value - 10000 * high);
    at = ww_event_number(at, high);
    put_two(at, low / 100);
    put_two(at + 2, low % 100);
    return at + 4;
}

char *ww_event_digits_of(char *at, uint64_t value)
{
    return G_LIKELY(value < 10000) ? put_four(at, (uint32_t)value) : put_many(at, value);
}

char *ww_event_hex_of(char *at, uint64_t value)
{
    uint32_t digits = (67u - (uint32_t)__builtin_clzll(value | 1u)) / 4u;
    value <<= 64u - 4u * digits;
    ww_event_hex8(at, (uint32_t)(value >> 32));
    if (digits > 8) {
        ww_event_hex8(at + 8, (uint32_t)value);
    }
    return at + digits;
}

/* Most masks are of all lanes. */
static inline char *put_mask(char *at, uint32_t mask)
{
    if (mask == UINT32_MAX) {
        memcpy(at, "ffffffff", 8);
        return at + 8;
    }
    return ww_event_hex8(at, mask);
}

static __attribute__((noinline)) size_t letters_of(const char *text)
{
    return strnlen(text, 128);
}

static inline char *put_text(char *at, const char *text)
{
    return ww_event_letters(at, text, letters_of(text));
}

char *ww_event_text(char *at, const char *text)
{
    return put_text(at, text);
}

static __attribute__((noinline)) char *put_value(char *at, const WwEventField *f, uint64_t value)
{
    const char *text = (const char *)(uintptr_t)value;
    switch (f->form) {
    case WW_EVENT_HEX:
        return ww_event_hex(ww_event_lead(at, f), value);
    case WW_EVENT_MASK:
        return put_mask(ww_event_lead(at, f), (uint32_t)value);
    case WW_EVENT_TEXT:
        return text != NULL ? put_text(ww_event_lead(at, f), text) : at;
    default: /* the caller's */
        return at;
    }
}

static inline char *put_field(char *at, const WwEventField *f, uint64_t value)
{
    if (f->form == WW_EVENT_NUMBER) {
        return ww_event_number(ww_event_lead(at, f), value);
    }
    if (f->write != NULL) {
        return f->write(at, value);
    }
    if (f->form >= WW_EVENT_LABEL) {
        const WwEventWord *word = (const WwEventWord *)(uintptr_t)value;
        return word != NULL ? ww_event_word(ww_event_lead(at, f), word) : at;
    }
    return put_value(at, f, value);
}

/* ---- what a line is made of -------------------------------------------------------------------------------------- */

/* The time of the lines of @p h. */
static inline LogCycle *cycle_of(LogText *t, const LogHead *h)
{
    return (LogCycle *)((char *)t + h->cycle);
}

/* Cycle and head; of the head @p n bytes. */
static inline char *put_head(char *at, const LogCycle *cycle, const LogHead *h, size_t n)
{
    memcpy(at, cycle->digits, LOG_MOST_DIGITS);
    at += cycle->n;
    memcpy(at, h->text, LOG_COPY / 2);
    memcpy(at + LOG_COPY / 2, h->text + LOG_COPY / 2, LOG_COPY / 2);
    for (size_t i = LOG_COPY; G_UNLIKELY(i < n); i += 16) {
        memcpy(at + i, h->text + i, 16);
    }
    return at + n;
}

/* Units that most lines have, and what is behind them. */
#define TEN(tens, n)                                                                               \
    tens "0\t" n, tens "1\t" n, tens "2\t" n, tens "3\t" n, tens "4\t" n, tens "5\t" n,            \
        tens "6\t" n, tens "7\t" n, tens "8\t" n, tens "9\t" n
/* Up to three letters, and in the last byte how many. */
static const char units[][4] = {TEN("", "\0\2"), TEN("1", "\3"), TEN("2", "\3"), TEN("3", "\3"),
                                TEN("4", "\3"),  TEN("5", "\3"), TEN("6", "\3"), TEN("7", "\3"),
                                TEN("8", "\3"),  TEN("9", "\3")};

static inline bool is_short_unit(int64_t unit)
{
    return (uint64_t)unit < G_N_ELEMENTS(units);
}

static inline char *put_short_unit(char *at, int64_t unit)
{
    memcpy(at, units[unit], sizeof units[unit]);
    return at + units[unit][3];
}

static char *put_unit(char *at, int64_t unit)
{
    if (unit < 0) {
        *at++ = '-';
    }
    at = ww_event_number(at, unit < 0 ? -(uint64_t)unit : (uint64_t)unit);
    *at = '\t';
    return at + 1;
}

void ww_log_set_cycle(LogCycle *c, uint32_t tick, WwCycle now)
{
    WwCycle last = now - c->hundreds;
    if (last < 100) {
        ww_log_set_last_digits(c, tick, now, last);
        return;
    }
    c->tick = tick;
    c->cycle = now;
    c->hundreds = now < 100 ? NO_HUNDREDS : now - now % 100;
    c->n = (uint32_t)(ww_event_number(c->digits, now) - c->digits);
    ww_assert(c->n <= LOG_MOST_DIGITS);
}

/* The fields of a row behind its unit. */
static inline char *put_fields(char *text, const WwEventRow *row, const uint64_t *values,
                               uint32_t n)
{
    char *at = text - 1;
    const WwEventField *const *field = row->field;
    for (const uint64_t *v = values, *last = values + n; v != last; v++) {
        at = put_field(at, *field++, *v);
    }
    text[-1] = '\t'; /* was the first field's blank */
    return MAX(at, text);
}

/* The only one, of parts in most cases. */
static inline char *put_one(char *text, const WwEventRow *row, uint64_t value)
{
    const WwEventField *f = row->field[0];
    char *at =
        G_LIKELY(f->write != NULL) ? f->write(text - 1, value) : put_field(text - 1, f, value);
    text[-1] = '\t';
    return MAX(at, text);
}

/* Behind LOG_OF_SLOT. */
static inline char *put_token(char *at, const WwChannel *ch, uint32_t slot, WwToken token)
{
    at = ww_event_number(at, slot);
    *at = ' ';
    return ch->payload->write(at + 1, token);
}

static inline void end_line(LogText *t, char *end)
{
    *end = '\n';
    t->at = end + 1;
    ww_host_fetch(end + AHEAD);
    ww_host_fetch(end + AHEAD + 64);
}

static const LogHead *head_of(LogHead **first, const WwComponent *c, const char *kind)
{
    const LogHead *h = __atomic_load_n(&first[c->id], __ATOMIC_ACQUIRE);
    while (h != NULL && h->kind != kind) {
        h = h->next;
    }
    return h != NULL ? h : ww_log_head(first, c, kind);
}

/* ---- any line ---------------------------------------------------------------------------------------------------- */

typedef struct Line {
    Log *log;
    LogText *to;
    const LogHead *head;
    const WwPartition *acting; /* NULL: it goes to the log at once. */
    WwCycle now;
    bool logged;
} Line;

/* What is written outside of windows comes behind what the log's thread has. */
static inline void wait_for_scribe(Log *l)
{
    if (G_UNLIKELY(l->handed)) {
        ww_scribe_wait(l);
    }
}

/* False: nobody wants this one. */
static bool is_wanted(Line *line, const WwComponent *c, const char *kind, int64_t unit)
{
    WwMachine *m = c->machine;
    if (m->host->log == NULL) {
        ww_log_make(m);
    }
    Log *l = line->log = m->host->log;
    const WwPartition *p = line->acting = ww_acting;
    if (p == NULL) {
        wait_for_scribe(l);
    }
    line->to = p != NULL ? &l->of[p->index] : &l->out;
    line->head = head_of(l->head, c, kind);
    line->now = p != NULL ? ww_log_time_in(p, c) : c->domain->cycle;
    line->logged = line->head->wanted && (c->logged & (WW_LOGGED | WW_LOGGED_IF)) != 0 &&
                   ww_log_in_bounds(m, line->now, unit);
    return line->logged || (c->logged & WW_WATCHED) != 0;
}

/* All up to the unit; there is room for @p room bytes of text. */
static char *begin(const Line *line, int64_t unit, size_t room)
{
    LogText *t = line->to;
    const LogHead *h = line->head;
    ww_log_need(line->log, t, LOG_NUMBERS + h->n + LOG_COPY + room);
    LogCycle *cycle = cycle_of(t, h);
    if (cycle->cycle != line->now) {
        ww_log_set_cycle(cycle, NO_TICK, line->now);
    }
    return put_unit(put_head(t->at, cycle, h, h->n), unit);
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

static void end(const Line *line, int64_t unit, const char *text, char *end)
{
    LogText *t = line->to;
    if (!show(line, unit, text, end)) {
        return;
    }
    const WwPartition *p = line->acting;
    if (p != NULL && (t->turn != p->at || t->tick != p->done)) {
        ww_log_need_piece(t);
        ww_log_begin_piece(t, p, p->done);
    }
    end_line(t, end);
    if (p == NULL && ww_log_bytes(t) >= LOG_PIECE) {
        ww_log_flush(line->head->component->machine);
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

static __attribute__((noinline)) void write_any_row(const WwComponent *c, const WwEventRow *row,
                                                    int64_t unit, const uint64_t *values,
                                                    uint32_t n)
{
    Line line;
    if (G_UNLIKELY(n != 0 && row->field[n - 1] == NULL)) {
        n = fail_values(c, row, n);
    }
    if (is_wanted(&line, c, row->name, unit)) {
        char *text = begin(&line, unit, (size_t)n * WW_EVENT_ROOM);
        end(&line, unit, text, put_fields(text, row, values, n));
    }
}

/* Where the head of its tokens' lines is. */
static inline const LogHead **token_head(const LogHead **first, const WwChannel *ch,
                                         const char *verb)
{
    return &first[2 * (size_t)ch->base.id + LOG_TAKES(verb)];
}

static __attribute__((noinline)) void write_any_token(const WwChannel *ch, const char *verb,
                                                      uint32_t slot, WwToken token)
{
    Line line;
    if (is_wanted(&line, &ch->base, verb, -1)) {
        if (line.head->brief != NULL) {
            __atomic_store_n(token_head(line.log->token, ch, verb), line.head, __ATOMIC_RELEASE);
        }
        char *text = begin(&line, -1, 2 * WW_EVENT_ROOM);
        memcpy(text - 3, LOG_OF_SLOT, LOG_SLOT);
        end(&line, -1, text, put_token(text - 3 + LOG_SLOT, ch, slot, token));
    }
}

char *ww_log_draft(LogText *t, const WwComponent *c, WwCycle now, const WwEventRow *row,
                   int64_t unit, const uint64_t *values, uint32_t n)
{
    Log *l = c->machine->host->log;
    const LogHead *h = head_of(l->head, c, row->name);
    Line line = {.log = l, .to = t, .head = h, .now = now, .logged = h->wanted};
    if (!h->wanted) {
        return NULL;
    }
    char *text = begin(&line, unit, (size_t)n * WW_EVENT_ROOM),
         *end = put_fields(text, row, values, n);
    if (!show(&line, unit, text, end)) {
        return NULL;
    }
    *end = '\n';
    return end + 1;
}

void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
{
    Line line;
    if (!is_wanted(&line, self, kind, unit)) {
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

/* ---- the short way ----------------------------------------------------------------------------------------------- */

/* NULL: there is none yet, or none for the short way; of a component of which not all is wanted there is none. */
static inline const LogHead *short_head(LogHead *const *first, const WwComponent *c,
                                        const char *kind)
{
    const LogHead *h = __atomic_load_n(&first[c->id], __ATOMIC_ACQUIRE);
    while (h != NULL && h->brief != kind) {
        h = h->next;
    }
    return h;
}

static inline bool is_short(const WwComponent *c)
{
    return c->logged == (WW_LOGGED | WW_LOGGED_ALL);
}

/*
 * Each takes what it is called with in the order in which its caller has it, and saves of the caller's registers only what it needs: the compiler
 * would save all of them before the first question.
 */
#define APART static __attribute__((noinline)) void

APART write_row(const LogHead *h, const WwEventRow *row, int64_t unit, const uint64_t *values,
                uint32_t n, LogText *t)
{
    char *text = put_short_unit(put_head(t->at, cycle_of(t, h), h, h->n), unit);
    end_line(t, put_fields(text, row, values, n));
}

APART write_one(const LogHead *h, const WwEventRow *row, int64_t unit, uint64_t value, LogText *t)
{
    char *text = put_short_unit(put_head(t->at, cycle_of(t, h), h, h->n), unit);
    end_line(t, put_one(text, row, value));
}

APART write_token(const WwChannel *ch, const LogHead *h, uint32_t slot, WwToken token, LogText *t)
{
    char *at = put_head(t->at, cycle_of(t, h), h, h->n + LOG_SLOT);
    *at = (char)('0' + slot);
    at[1] = ' ';
    end_line(t, ch->payload->write(at + 2, token));
}

/* There is room, and the line is of the same turn as the last, and a time that is there as text: one of the same tick, as is the piece then. */
static inline bool goes_on(LogText *t, const LogHead *h)
{
    const WwPartition *p = t->partition;
    uint32_t tick = p->done;
    return t->turn == p->at && cycle_of(t, h)->tick == tick && t->at < t->most;
}

/* A piece of another turn, or another time. False: it needs what is rare. */
static inline bool turns(LogText *t, const LogHead *h)
{
    const WwPartition *p = t->partition;
    uint32_t tick = p->done;
    LogCycle *cycle = cycle_of(t, h);
    if (cycle->tick != tick) {
        WwCycle now = ww_log_time_in(p, h->component), last = now - cycle->hundreds;
        if (G_UNLIKELY(last >= 100)) {
            return false;
        }
        ww_log_set_last_digits(cycle, tick, now, last);
    }
    if (t->turn != p->at || t->tick != tick) {
        if (G_UNLIKELY(t->at >= t->most || t->n_pieces == t->room_pieces)) {
            return false;
        }
        ww_log_begin_piece(t, p, p->done);
    }
    return t->at < t->most;
}

static void prepare(LogText *t, const LogHead *h)
{
    const WwPartition *p = t->partition;
    if (t->at >= t->most) {
        ww_log_more(p->machine->host->log, t, 0);
    }
    ww_log_need_piece(t);
    if (t->turn != p->at || t->tick != p->done) {
        ww_log_begin_piece(t, p, p->done);
    }
    LogCycle *cycle = cycle_of(t, h);
    if (cycle->tick != p->done) {
        ww_log_set_cycle(cycle, p->done, ww_log_time_in(p, h->component));
    }
}

/* Outside of windows: where the line goes; NULL: it is not written the short way. */
static LogText *prepare_out(const WwComponent *c, const char *kind, const LogHead **h)
{
    Log *l = c->machine->host->log;
    *h = is_short(c) && ww_acting == NULL ? head_of(l->head, c, kind) : NULL;
    if (*h == NULL || (*h)->brief == NULL) {
        return NULL;
    }
    wait_for_scribe(l);
    LogText *t = &l->out;
    if (ww_log_bytes(t) >= LOG_PIECE) {
        ww_log_write(c->machine, l);
    }
    if (t->at >= t->most) {
        ww_log_more(l, t, 0);
    }
    LogCycle *cycle = cycle_of(t, *h);
    if (cycle->cycle != c->domain->cycle) {
        ww_log_set_cycle(cycle, NO_TICK, c->domain->cycle);
    }
    return t;
}

APART write_rare_row(const LogHead *h, const WwEventRow *row, int64_t unit, const uint64_t *values,
                     uint32_t n, LogText *t)
{
    prepare(t, h);
    write_row(h, row, unit, values, n, t);
}

APART write_first_row(const LogHead *h, const WwEventRow *row, int64_t unit, const uint64_t *values,
                      uint32_t n, LogText *t)
{
    if (G_LIKELY(turns(t, h))) {
        write_row(h, row, unit, values, n, t);
    } else {
        write_rare_row(h, row, unit, values, n, t);
    }
}

APART write_row_out(const WwComponent *c, const WwEventRow *row, int64_t unit,
                    const uint64_t *values, uint32_t n)
{
    const LogHead *h = NULL;
    LogText *t = is_short_unit(unit) ? prepare_out(c, row->name, &h) : NULL;
    if (t != NULL) {
        write_row(h, row, unit, values, n, t);
    } else {
        write_any_row(c, row, unit, values, n);
    }
}

void ww_log(const void *self, const WwEventRow *row, int64_t unit, const uint64_t *values,
            uint32_t n)
{
    const WwComponent *c = self;
    LogText *t = ww_log_acting;
    const LogHead *h = NULL;
    if (G_UNLIKELY(t == NULL || !is_short_unit(unit) ||
                   (h = short_head(t->head, c, row->name)) == NULL)) {
        write_row_out(c, row, unit, values, n);
    } else if (G_LIKELY(goes_on(t, h))) {
        write_row(h, row, unit, values, n, t);
    } else {
        write_first_row(h, row, unit, values, n, t);
    }
}

APART write_rare_one(const LogHead *h, const WwEventRow *row, int64_t unit, uint64_t value,
                     LogText *t)
{
    prepare(t, h);
    write_one(h, row, unit, value, t);
}

APART write_first_one(const LogHead *h, const WwEventRow *row, int64_t unit, uint64_t value,
                      LogText *t)
{
    if (G_LIKELY(turns(t, h))) {
        write_one(h, row, unit, value, t);
    } else {
        write_rare_one(h, row, unit, value, t);
    }
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
    if (G_UNLIKELY(t == NULL || !is_short_unit(unit) ||
                   (h = short_head(t->head, c, row->name)) == NULL)) {
        write_one_out(c, row, unit, value);
    } else if (G_LIKELY(goes_on(t, h))) {
        write_one(h, row, unit, value, t);
    } else {
        write_first_one(h, row, unit, value, t);
    }
}

APART write_rare_token(const WwChannel *ch, const LogHead *h, uint32_t slot, WwToken token,
                       LogText *t)
{
    prepare(t, h);
    write_token(ch, h, slot, token, t);
}

APART write_first_token(const WwChannel *ch, const LogHead *h, uint32_t slot, WwToken token,
                        LogText *t)
{
    if (G_LIKELY(turns(t, h))) {
        write_token(ch, h, slot, token, t);
    } else {
        write_rare_token(ch, h, slot, token, t);
    }
}

APART write_token_out(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    if (ch->base.logged == 0) {
        return;
    }
    const LogHead *h = NULL;
    LogText *t = slot < 10 ? prepare_out(&ch->base, verb, &h) : NULL;
    if (t != NULL) {
        write_token(ch, h, slot, token, t);
    } else {
        write_any_token(ch, verb, slot, token);
    }
}

void ww_log_token(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    LogText *t = ww_log_acting;
    const LogHead *h = NULL;
    if (G_UNLIKELY(t == NULL || slot >= 10 ||
                   (h = __atomic_load_n(token_head(t->token, ch, verb), __ATOMIC_ACQUIRE)) ==
                       NULL)) {
        write_token_out(ch, verb, slot, token);
    } else if (G_LIKELY(goes_on(t, h))) {
        write_token(ch, h, slot, token, t);
    } else {
        write_first_token(ch, h, slot, token, t);
    }
}
