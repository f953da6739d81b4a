/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: text. What a cycle, and a component and a kind, come to is made once and copied with room to spare. Lines that are kept (log_line.c)
 * are told here, in order, into what goes to the file; what they are of may be gone by then.
 */
#include "log-priv.h"
#include <string.h>

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

char *ww_event_digits_of(char *at, uint64_t value)
{
    uint64_t high = value / 10000;
    uint32_t low = (uint32_t)(value - 10000 * high);
    at = ww_event_number(at, high);
    put_two(at, low / 100);
    put_two(at + 2, low % 100);
    return at + 4;
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

__attribute__((noinline)) char *ww_event_text(char *at, const char *text)
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

char *ww_log_put_field(char *at, const WwEventField *f, uint64_t value)
{
    return put_field(at, f, value);
}

/* ---- lines ------------------------------------------------------------------------------------------------------- */

/* What lines of @p h have between cycle and unit, of which @p n bytes. */
static inline char *put_head(char *at, const LogHead *h, size_t n)
{
    memcpy(at, h->text, LOG_COPY / 2);
    memcpy(at + LOG_COPY / 2, h->text + LOG_COPY / 2, LOG_COPY / 2);
    for (size_t i = LOG_COPY; G_UNLIKELY(i < n); i += 16) {
        memcpy(at + i, h->text + i, 16);
    }
    return at + n;
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

char *ww_log_put_start(char *at, WwCycle now, const LogHead *h, int64_t unit)
{
    return put_unit(put_head(ww_event_number(at, now), h, h->n), unit);
}

/* The first field's blank was a tab. */
static inline char *end_fields(char *text, char *end)
{
    text[-1] = '\t';
    return MAX(end, text);
}

char *ww_log_put_fields(char *text, const WwEventRow *row, const uint64_t *values, uint32_t n)
{
    char *at = text - 1;
    const WwEventField *const *field = row->field;
    for (const uint64_t *v = values, *last = values + n; v != last; v++) {
        at = put_field(at, *field++, *v);
    }
    return end_fields(text, at);
}

/* ---- lines that were kept ---------------------------------------------------------------------------------------- */

/* Units of lines that are kept, and what is behind them. */
#define TEN(tens, n)                                                                               \
    tens "0\t" n, tens "1\t" n, tens "2\t" n, tens "3\t" n, tens "4\t" n, tens "5\t" n,            \
        tens "6\t" n, tens "7\t" n, tens "8\t" n, tens "9\t" n
/* Up to three letters, and in the last byte how many. */
static const char units[][4] = {TEN("", "\0\2"), TEN("1", "\3"), TEN("2", "\3"), TEN("3", "\3"),
                                TEN("4", "\3"),  TEN("5", "\3"), TEN("6", "\3"), TEN("7", "\3"),
                                TEN("8", "\3"),  TEN("9", "\3")};
G_STATIC_ASSERT(G_N_ELEMENTS(units) == LOG_UNITS);

static inline char *put_kept_unit(char *at, uint32_t unit)
{
    memcpy(at, units[unit], sizeof units[unit]);
    return at + units[unit][3];
}

/* Without the last two digits that is the cycle of the line before, mostly. */
static void set_cycle(LogCycle *c, WwCycle now)
{
    WwCycle last = now - c->hundreds;
    c->cycle = now;
    if (last < 100) {
        put_two(c->digits + c->n - 2, (uint32_t)last);
        return;
    }
    c->hundreds = now < 100 ? LOG_NO_HUNDREDS : now - now % 100;
    c->n = (uint32_t)(ww_event_number(c->digits, now) - c->digits);
    ww_assert(c->n <= LOG_MOST_DIGITS);
}

static inline char *put_kept_cycle(char *at, const LogCycle *c)
{
    memcpy(at, c->digits, LOG_MOST_DIGITS);
    return at + c->n;
}

/* That of lines of clock @p domain at @p at. */
static LogCycle *cycle_of(LogCycle *cycle, uint32_t domain, LogTime at)
{
    LogCycle *c = &cycle[domain];
    WwCycle now = at.time[domain][at.tick];
    if (c->cycle != now) {
        set_cycle(c, now);
    }
    return c;
}

/* Behind its length. */
static char *put_kept_text(char *at, const char **from)
{
    uint16_t n;
    memcpy(&n, *from, sizeof n);
    memcpy(at, *from + sizeof n, n);
    *from += sizeof n + n;
    return at + n;
}

const WwEventKept ww_event_value = {0};

static inline char *put_kept_field(char *at, const WwEventField *f, const char **from)
{
    if (ww_log_by_keep(f->kept)) {
        return f->kept->tell(at, from);
    }
    return ww_log_as_text(f) ? put_kept_text(at, from) : put_field(at, f, ww_event_take(from));
}

/* A line that was kept as it is. */
static void put_whole(LogText *out, const char **from)
{
    uint64_t n = ww_event_take(from);
    ww_log_need_text(out, n);
    memcpy(out->at, *from, n);
    out->at += n;
    *from += n;
}

static inline char *put_kept_token(char *at, const LogHead *h, const char **from)
{
    if (ww_log_by_keep(h->kept)) {
        return h->kept->tell(at, from);
    }
    const WwPayload *payload = ((const WwChannel *)h->component)->payload;
    return h->kept != NULL ? payload->write(at, ww_event_take(from)) : put_kept_text(at, from);
}

static inline char *put_kept(char *at, const LogHead *h, LogKept kept, const char **from)
{
    uint32_t unit = kept.unit, n = kept.n;
    if (h->row == NULL) { /* of a token; the unit is its slot */
        at = put_head(at, h, h->n + LOG_SLOT);
        *at = (char)('0' + unit);
        at[1] = ' ';
        at = put_kept_token(at + 2, h, from);
    } else {
        char *text = put_kept_unit(put_head(at, h, h->n), unit), *end = text - 1;
        for (const WwEventField *const *f = h->row->field, *const *last = f + n; f != last; f++) {
            end = put_kept_field(end, *f, from);
        }
        at = end_fields(text, end);
    }
    *at = '\n';
    return at + 1;
}

/* What stands where a head would. */
static __attribute__((noinline)) void put_other(Log *l, LogText *out, uintptr_t what,
                                                const char **from)
{
    if (what == LOG_WHOLE) {
        put_whole(out, from);
    } else {
        uint64_t domain = ww_event_take(from);
        l->told[domain] = ww_event_take(from);
    }
}

void ww_log_put_kept(Log *l, LogText *out, LogCycle *cycle, const char *from, size_t n, LogTime at)
{
    const LogCycle *c = cycle; /* of clock `domain`, as most lines are that the last one was of */
    uint32_t domain = UINT32_MAX;
    for (const char *last = from + n; from != last;) {
        uintptr_t what = ww_event_take(&from);
        if (G_UNLIKELY(what <= LOG_TIME)) {
            put_other(l, out, what, &from);
            domain = UINT32_MAX; /* it may have told of another edge */
            continue;
        }
        const LogHead *h = (const LogHead *)what;
        LogKept kept;
        memcpy(&kept, from, sizeof kept);
        const char *next = from - sizeof what + kept.size;
        ww_log_fetch_head(next);
        ww_host_fetch(from + LOG_FETCH);
        from += sizeof kept;
        if (G_UNLIKELY(out->at >= out->most)) {
            ww_log_more_text(out, 0);
        }
        if (h->domain != domain) {
            domain = h->domain;
            c = cycle_of(cycle, domain, at);
        }
        char *end = put_kept(put_kept_cycle(out->at, c), h, kept, &from);
        if (G_UNLIKELY(from != next)) {
            from = next;
            __atomic_store_n(&l->badly, h, __ATOMIC_RELEASE);
        }
        ww_host_fetch(end + AHEAD);
        ww_host_fetch(end + AHEAD + 64);
        out->at = end;
    }
}
