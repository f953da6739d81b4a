/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: lines. Each partition writes its own behind each other while it runs; outside of windows they go to the log at once,
 * at the end of a window they are merged (log_merge.c). What a cycle, and a component and a kind, come to as text is made once and copied with
 * room to spare. All of it is beside the machine's heap: no checkpoint has any of it.
 */
#include "log-priv.h"
#include <stdarg.h>
#include <stdio.h>

#define PIECE (1u << 20)
#define FIRST_ROOM (1u << 20) /* Of which the system gives what is written to. */
#define NUMBERS 64u           /* Cycle, unit, the line's end. */
#define DIGITS 24u            /* Of a cycle. */
#define MOST_HEAD 1024u       /* Of a kind and a path that are written the short way. */
#define MOST (NUMBERS + MOST_HEAD + LOG_COPY + WW_EVENT_FIELDS * WW_EVENT_ROOM)

const char ww_event_digits[201] =
    "00010203040506070809101112131415161718192021222324252627282930313233343536373839"
    "40414243444546474849505152535455565758596061626364656667686970717273747576777879"
    "8081828384858687888990919293949596979899";

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static __attribute__((noinline)) void more_room(LogText *t, size_t n)
{
    t->room = MAX(t->room * 2, MAX(t->n + n + MOST, FIRST_ROOM));
    t->text = g_realloc(t->text, t->room + LOG_STEP);
    t->most = t->room - MOST;
}

/* Where the next bytes go, @p n of them. */
static inline char *room_for(LogText *t, size_t n)
{
    if (G_UNLIKELY(t->room - t->n < n)) {
        more_room(t, n);
    }
    return t->text + t->n;
}

/* The same for MOST of them. */
static inline char *room_for_most(LogText *t)
{
    if (G_UNLIKELY(t->n >= t->most)) {
        more_room(t, MOST);
    }
    return t->text + t->n;
}

static LogText *more_texts(LogText *of, uint32_t n, uint32_t all)
{
    of = g_renew(LogText, of, all);
    memset(of + n, 0, (all - n) * sizeof *of);
    for (uint32_t i = n; i < all; i++) {
        of[i].cycle = WW_NEVER;
        of[i].tick = NO_TICK;
    }
    return of;
}

static void free_texts(LogText *of, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(of[i].text);
        g_free(of[i].piece);
    }
    g_free(of);
}

void ww_log_make(WwMachine *m)
{
    Host *h = m->host;
    if (h->log == NULL) {
        h->log = g_new0(Log, 1);
        h->log->out.cycle = WW_NEVER;
        more_room(&h->log->out, 2 * PIECE);
    }
    if (h->log->n_of < m->n_all) {
        ww_scribe_wait(h->log);
        h->log->of = more_texts(h->log->of, h->log->n_of, m->n_all);
        h->log->full = more_texts(h->log->full, h->log->n_of, m->n_all);
        h->log->merge = g_renew(Merged, h->log->merge, m->n_all);
        h->log->next = g_renew(uint32_t, h->log->next, m->n_all);
        h->log->n_of = m->n_all;
    }
    if (h->log->n_heads < m->info.n) {
        h->log->head = g_renew(LogHead *, h->log->head, m->info.n);
        memset(h->log->head + h->log->n_heads, 0,
               (m->info.n - h->log->n_heads) * sizeof *h->log->head);
        h->log->n_heads = m->info.n;
    }
}

void ww_log_free(WwMachine *m)
{
    Log *l = m->host->log;
    if (l == NULL) {
        return;
    }
    ww_scribe_end(l);
    free_texts(l->of, l->n_of);
    free_texts(l->full, l->n_of);
    for (uint32_t i = 0; i < l->n_heads; i++) {
        for (LogHead *h = l->head[i], *next; h != NULL; h = next) {
            next = h->next;
            g_free(h);
        }
    }
    g_strfreev(l->fields);
    g_free(l->outside);
    g_free(l->out.text);
    g_free(l->head);
    g_free(l->sorted);
    g_free(l->count);
    g_free(l->merge);
    g_free(l->next);
    g_free(l);
    m->host->log = NULL;
}

bool ww_log_wants(const WwMachine *m, const char *kind)
{
    return m->kinds == NULL ||
           g_strv_contains((const char *const *)m->kinds, kind) != m->filter.but;
}

/* So many fields does the component's type say that its events of this kind have; 0: it says nothing. */
static uint32_t fields_of(const WwComponent *c, const char *kind)
{
    const WwEventRow *row;
    for (WW_ROWS(c->type->events, row)) {
        if (row->name == kind) {
            uint32_t n = 0;
            while (row->field[n] != NULL) {
                n++;
            }
            return n;
        }
    }
    return 0;
}

/* Several threads may write lines of a component: it may have two heads of one kind, which are the same. */
static __attribute__((noinline)) const LogHead *make_head(Log *l, const WwComponent *c,
                                                          const char *kind)
{
    const LogHead *other = __atomic_load_n(&l->head[c->id], __ATOMIC_ACQUIRE);
    g_autofree char *made = other != NULL ? NULL : ww_path(c);
    const char *path = other != NULL ? other->text + other->at_path : made;
    size_t n = strlen(kind), n_path = other != NULL ? other->n - other->at_path - 1 : strlen(made),
           all = n + n_path + 3;
    LogHead *h = g_malloc0(sizeof *h + all + LOG_COPY);
    *h = (LogHead){.kind = kind,
                   .n = (uint32_t)all,
                   .at_path = (uint32_t)n + 2,
                   .wanted = ww_log_wants(c->machine, kind)};
    h->brief = h->wanted && all <= MOST_HEAD ? fields_of(c, kind) + 1 : 0;
    char *at = h->text;
    *at++ = '\t';
    memcpy(at, kind, n);
    at += n;
    *at++ = '\t';
    memcpy(at, path, n_path);
    at[n_path] = '\t';
    h->next = __atomic_load_n(&l->head[c->id], __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&l->head[c->id], &h->next, h, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return h;
}

static inline const LogHead *head_of(Log *l, const WwComponent *c, const char *kind)
{
    const LogHead *h = __atomic_load_n(&l->head[c->id], __ATOMIC_ACQUIRE);
    while (h != NULL && h->kind != kind) {
        h = h->next;
    }
    return G_LIKELY(h != NULL) ? h : make_head(l, c, kind);
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void ww_log_write(WwMachine *m, Log *l)
{
    if (l->out.n != 0) {
        fwrite(l->out.text, 1, l->out.n, m->events);
        l->out.n = 0;
    }
}

__attribute__((noinline)) void ww_log_flush(WwMachine *m)
{
    Log *l = m->host->log;
    if (l != NULL) {
        ww_scribe_wait(l);
        ww_log_write(m, l);
    }
}

char *ww_log_room(WwMachine *m, size_t n)
{
    Log *l = m->host->log;
    if (l->out.n >= PIECE) {
        ww_log_write(m, l);
    }
    return room_for(&l->out, n);
}

/* ---- fields ------------------------------------------------------------------------------------------------------ */

char *ww_event_digits_of(char *at, uint64_t value)
{
    if (value >= 100000000) {
        at = ww_event_number(at, value / 100000000);
        value %= 100000000;
        memcpy(at, ww_event_digits + 2 * (value / 1000000), 2);
        memcpy(at + 2, ww_event_digits + 2 * (value / 10000 % 100), 2);
        at += 4;
    } else if (value >= 1000000) {
        at = ww_event_number(at, value / 1000000);
        memcpy(at, ww_event_digits + 2 * (value / 10000 % 100), 2);
        at += 2;
    } else if (value >= 10000) {
        at = ww_event_number(at, value / 10000);
    } else {
        at = ww_event_number(at, value / 100);
        memcpy(at, ww_event_digits + 2 * (value % 100), 2);
        return at + 2;
    }
    memcpy(at, ww_event_digits + 2 * (value / 100 % 100), 2);
    memcpy(at + 2, ww_event_digits + 2 * (value % 100), 2);
    return at + 4;
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

static __attribute__((noinline)) char *write_value(char *at, const WwEventField *f, uint64_t value)
{
    const char *text = (const char *)(uintptr_t)value;
    switch (f->form) {
    case WW_EVENT_HEX:
        return ww_event_hex(ww_event_lead(at, f), value);
    case WW_EVENT_MASK:
        return ww_event_hex8(ww_event_lead(at, f), (uint32_t)value);
    case WW_EVENT_TEXT:
        return text != NULL ? put_text(ww_event_lead(at, f), text) : at;
    case WW_EVENT_WORD:
        *at = ' ';
        return put_text(at + 1, text);
    default: /* the caller's */
        return at;
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

static bool wanted_fields(const Log *l, const char *text)
{
    for (char **f = l->fields; f != NULL && *f != NULL; f++) {
        if (!has_field(text, *f)) {
            return false;
        }
    }
    return true;
}

static bool wanted_text(const Log *l, const WwComponent *c, const char *text)
{
    bool only_if = (c->logged & WW_LOGGED_IF) != 0;
    return (!only_if || has_field(text, l->outside)) && wanted_fields(l, text);
}

/* ---- a line ------------------------------------------------------------------------------------------------------ */

/*
 * Most lines are of a log of all components: the short way, which asks nothing of them but their kind, in windows and outside. So each of the
 * functions here is compiled three times.
 */
#define THRICE static inline __attribute__((always_inline))
typedef enum Way {
    ANY,
    SHORT,  /* In a window; */
    OUTSIDE /* the short way, too: to the log at once. */
} Way;

typedef struct Line {
    Log *log;
    LogText *to;
    const LogHead *head;
    const WwPartition *acting; /* NULL: it goes to the log at once. */
    WwCycle now;
    bool logged;
} Line;

static __attribute__((noinline)) bool in_bounds(const WwMachine *m, WwCycle now, int64_t unit)
{
    const WwEventFilter *f = &m->filter;
    return now >= f->from && (f->to == 0 || now <= f->to) && (!f->has_unit || unit == f->unit);
}

static inline Way way_of(const WwComponent *c)
{
    return c->logged != (WW_LOGGED | WW_LOGGED_ALL) ? ANY : ww_acting != NULL ? SHORT : OUTSIDE;
}

/* What is written outside of windows comes behind what the log's thread has. */
static inline void wait_for_scribe(Log *l)
{
    if (G_UNLIKELY(l->handed)) {
        ww_scribe_wait(l);
    }
}

/* False: nobody wants this one, or it is not for this way. @p n: its fields; 0 if it is no row's. */
THRICE bool is_wanted(Line *line, const WwComponent *c, const char *kind, int64_t unit, uint32_t n,
                      Way way)
{
    WwMachine *m = c->machine;
    if (way != SHORT && m->host->log == NULL) {
        ww_log_make(m);
    }
    Log *l = line->log = m->host->log;
    const WwPartition *p = line->acting = way == OUTSIDE ? NULL : ww_acting;
    if (way != SHORT && p == NULL) {
        wait_for_scribe(l);
    }
    line->to = way == SHORT || p != NULL ? &l->of[p->index] : &l->out;
    line->head = head_of(l, c, kind);
    line->now = way == SHORT || p != NULL ? ww_log_time_in(p, c) : c->domain->cycle;
    if (way != ANY) {
        return n < line->head->brief;
    }
    line->logged = line->head->wanted && (c->logged & (WW_LOGGED | WW_LOGGED_IF)) != 0 &&
                   in_bounds(m, line->now, unit);
    return line->logged || (c->logged & WW_WATCHED) != 0;
}

static __attribute__((noinline)) void set_cycle(LogText *t, WwCycle now)
{
    t->cycle = now;
    t->n_digits = (uint32_t)(ww_event_number(t->digits, now) - t->digits);
}

/* All up to the unit; there is room for @p room bytes of text. */
THRICE char *begin(const Line *line, size_t room, Way way)
{
    const LogHead *h = line->head;
    LogText *t = line->to;
    char *at = way != ANY ? room_for_most(t) : room_for(t, NUMBERS + h->n + LOG_COPY + room);
    if (G_UNLIKELY(t->cycle != line->now)) {
        set_cycle(t, line->now);
    }
    memcpy(at, t->digits, DIGITS);
    at += t->n_digits;
    uint32_t n = h->n;
    memcpy(at, h->text, LOG_COPY / 2);
    memcpy(at + LOG_COPY / 2, h->text + LOG_COPY / 2, LOG_COPY / 2);
    if (G_UNLIKELY(n > LOG_COPY)) {
        memcpy(at + LOG_COPY, h->text + LOG_COPY, n - LOG_COPY);
    }
    return at + n;
}

static inline char *put_unit(char *at, int64_t unit)
{
    if (unit < 0) {
        *at++ = '-';
    }
    at = ww_event_number(at, unit < 0 ? -(uint64_t)unit : (uint64_t)unit);
    *at = '\t';
    return at + 1;
}

/* Somebody looks at the text, from @p text to @p end. False: it is not for the log. */
static __attribute__((noinline)) bool show(const Line *line, const WwComponent *c, int64_t unit,
                                           const char *text, char *end)
{
    *end = '\0';
    if (c->logged & WW_WATCHED) {
        ww_watch_event(c, line->now, line->head->kind, unit, text);
    }
    return line->logged && wanted_text(line->log, c, text);
}

THRICE void end(const Line *line, const WwComponent *c, int64_t unit, const char *text, char *end,
                Way way)
{
    LogText *t = line->to;
    if (way == ANY && !show(line, c, unit, text, end)) {
        return;
    }
    *end++ = '\n';
    const WwPartition *p = line->acting;
    if ((way == SHORT || p != NULL) && (t->turn != p->at || t->tick != p->done)) {
        ww_log_piece(t, p);
    }
    t->n = (size_t)(end - t->text);
    if (way != SHORT && p == NULL && t->n >= PIECE) {
        ww_log_flush(c->machine);
    }
}

THRICE void write_row(const Line *line, const WwComponent *c, const WwEventRow *row, int64_t unit,
                      const uint64_t *values, uint32_t n, Way way)
{
    char *text = put_unit(begin(line, (size_t)n * WW_EVENT_ROOM, way), unit), *at = text - 1;
    const WwEventField *const *field = row->field;
    for (const uint64_t *v = values, *last = values + n; v != last; v++) {
        const WwEventField *f = *field++;
        ww_assert(way != ANY || f != NULL);
        if (f->write != NULL) {
            at = f->write(at, *v);
        } else if (f->form == WW_EVENT_NUMBER) {
            at = ww_event_number(ww_event_lead(at, f), *v);
        } else {
            at = write_value(at, f, *v);
        }
    }
    text[-1] = '\t'; /* was the first field's blank */
    end(line, c, unit, text, MAX(at, text), way);
}

THRICE bool write_row_so(const WwComponent *c, const WwEventRow *row, int64_t unit,
                         const uint64_t *values, uint32_t n, Way way)
{
    Line line;
    bool wanted = is_wanted(&line, c, row->name, unit, n, way);
    if (wanted) {
        write_row(&line, c, row, unit, values, n, way);
    }
    return wanted;
}

static __attribute__((noinline)) void write_any_row(const WwComponent *c, const WwEventRow *row,
                                                    int64_t unit, const uint64_t *values,
                                                    uint32_t n)
{
    if (way_of(c) != OUTSIDE || !write_row_so(c, row, unit, values, n, OUTSIDE)) {
        write_row_so(c, row, unit, values, n, ANY);
    }
}

void ww_log(const void *self, const WwEventRow *row, int64_t unit, const uint64_t *values,
            uint32_t n)
{
    if (G_UNLIKELY(way_of(self) != SHORT || !write_row_so(self, row, unit, values, n, SHORT))) {
        write_any_row(self, row, unit, values, n);
    }
}

THRICE bool write_token(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token,
                        Way way)
{
    Line line;
    bool wanted = is_wanted(&line, &ch->base, verb, -1, 0, way);
    if (wanted) {
        char *head = begin(&line, 2 * WW_EVENT_ROOM, way), *text = head + 3;
        memcpy(head, "-1\tslot=", 8);
        char *at = ww_event_number(head + 8, slot);
        *at = ' ';
        end(&line, &ch->base, -1, text, ch->payload->write(at + 1, token), way);
    }
    return wanted;
}

static __attribute__((noinline)) void write_any_token(const WwChannel *ch, const char *verb,
                                                      uint32_t slot, WwToken token)
{
    if (way_of(&ch->base) != OUTSIDE || !write_token(ch, verb, slot, token, OUTSIDE)) {
        write_token(ch, verb, slot, token, ANY);
    }
}

void ww_log_token(const WwChannel *ch, const char *verb, uint32_t slot, WwToken token)
{
    if (G_UNLIKELY(way_of(&ch->base) != SHORT || !write_token(ch, verb, slot, token, SHORT))) {
        write_any_token(ch, verb, slot, token);
    }
}

void ww_event_write(void *self, const char *kind, int64_t unit, const char *format, ...)
{
    Line line;
    if (!is_wanted(&line, self, kind, unit, 0, ANY)) {
        return;
    }
    for (size_t room = WW_EVENT_ROOM;;) {
        va_list ap;
        char *text = put_unit(begin(&line, room, ANY), unit);
        va_start(ap, format);
        int n = vsnprintf(text, room, format, ap);
        va_end(ap);
        if (n < 0 || (size_t)n < room) {
            end(&line, self, unit, text, text + MAX(n, 0), ANY);
            return;
        }
        room = (size_t)n + 1;
    }
}

/* ---- beside the components --------------------------------------------------------------------------------------- */

static bool wanted_path(const WwMachine *m, const char *path, const char *text)
{
    const char *outside = m->host->log->outside;
    return m->filter.path == NULL || g_pattern_match_simple(m->filter.path, path) ||
           (outside != NULL && has_field(text, outside));
}

void ww_machine_note(WwMachine *m, const char *kind, const char *path, const char *text)
{
    if (m->events == NULL) {
        return;
    }
    ww_log_make(m);
    Log *l = m->host->log;
    WwCycle now = ww_machine_cycle(m);
    if (!ww_log_wants(m, kind) || !in_bounds(m, now, -1) || !wanted_path(m, path, text) ||
        !wanted_fields(l, text)) {
        return;
    }
    wait_for_scribe(l);
    size_t n = strlen(kind) + strlen(path) + strlen(text) + NUMBERS;
    char *at = ww_log_room(m, n);
    l->out.n +=
        (size_t)g_snprintf(at, n, "%" G_GUINT64_FORMAT "\t%s\t%s\t-1\t%s\n", now, kind, path, text);
    ww_log_write(m, l); /* nobody may run it any more */
}
