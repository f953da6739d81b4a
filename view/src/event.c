/* SPDX-License-Identifier: Apache-2.0 */
/* A line of the event log: cycle, kind, path, unit, text, tabs between them. Text is words and key=value. */
#include "view-priv.h"

#include <inttypes.h>

static const char *const kinds[] = {
    [KIND_FETCH] = "fetch",     [KIND_DECODE] = "decode",     [KIND_ISSUE] = "issue",
    [KIND_COLLECT] = "collect", [KIND_DISPATCH] = "dispatch", [KIND_EXEC] = "exec",
    [KIND_REQUEST] = "request", [KIND_DONE] = "done",         [KIND_WRITEBACK] = "writeback",
    [KIND_RETIRE] = "retire",   [KIND_FLUSH] = "flush",       [KIND_BARRIER] = "barrier",
    [KIND_KERNEL] = "kernel",   [KIND_CTA] = "cta",           [KIND_COLUMN] = "column",
    [KIND_PUT] = "put",         [KIND_TAKE] = "take",         [KIND_VACATE] = "vacate",
    [KIND_CONTROL] = "control", [KIND_ALLOCATE] = "allocate", [KIND_INTERVAL] = "interval",
};

/* Kinds that only parts of an SM write: their path is in it. */
#define INSIDE                                                                                     \
    (1u << KIND_FETCH | 1u << KIND_DECODE | 1u << KIND_ISSUE | 1u << KIND_COLLECT |                \
     1u << KIND_DISPATCH | 1u << KIND_EXEC | 1u << KIND_REQUEST | 1u << KIND_DONE |                \
     1u << KIND_CONTROL | 1u << KIND_ALLOCATE | 1u << KIND_RETIRE | 1u << KIND_VACATE |            \
     1u << KIND_FLUSH | 1u << KIND_BARRIER | 1u << KIND_CTA)

static Kind kind_of(const char *word)
{
    for (int i = 0; i < KIND_OTHER; i++) {
        if (strcmp(kinds[i], word) == 0) {
            return (Kind)i;
        }
    }
    return KIND_OTHER;
}

static bool is_word(const char *s)
{
    size_t n = strlen(s);
    if (n == 0 || n > 32 || !g_ascii_islower(*s)) {
        return false;
    }
    for (const char *p = s; *p != '\0'; p++) {
        if (!g_ascii_islower(*p) && !g_ascii_isdigit(*p) && *p != '_' && *p != '-') {
            return false;
        }
    }
    return true;
}

/* Digits only: neither blanks nor signs, which strtoull() takes. */
static bool digits(const char *s, unsigned base, uint64_t *out)
{
    uint64_t value = 0;
    if (*s == '\0') {
        return false;
    }
    for (; *s != '\0'; s++) {
        int digit = base == 16 ? g_ascii_xdigit_value(*s) : g_ascii_digit_value(*s);
        if (digit < 0 || value > (UINT64_MAX - (unsigned)digit) / base) {
            return false;
        }
        value = value * base + (unsigned)digit;
    }
    *out = value;
    return true;
}

static bool number(WwView *view, const Event *e, const char *key, unsigned base, uint64_t *out)
{
    const char *text = event_field(e, key);
    if (text == NULL) {
        return false;
    }
    return digits(text, base, out) ||
           view_fail(view, "%s=%.40s of event '%s' is no number; expected a %s one below 2^64", key,
                     text, e->word, base == 16 ? "hexadecimal" : "decimal");
}

bool event_number(WwView *view, const Event *e, const char *key, uint64_t *out)
{
    return number(view, e, key, 10, out);
}

bool event_hex(WwView *view, const Event *e, const char *key, uint64_t *out)
{
    return number(view, e, key, 16, out);
}

/* Words of the text, apart: those with '=' are fields. */
static void split(Event *e, char *text)
{
    e->text = text;
    e->n_words = 0;
    e->n_fields = 0;
    for (char *word = text; *word != '\0';) {
        char *end = word + strcspn(word, " "), *equals;
        bool last = *end == '\0';
        *end = '\0';
        equals = strchr(word, '=');
        if (equals == word + 4 && strncmp(word, "name", 4) == 0 && !last) {
            *end = ' '; /* a kernel's, which may have blanks: up to the end */
            end += strlen(end);
            last = true;
        }
        if (equals != NULL && equals != word && e->n_fields < VIEW_FIELDS) {
            *equals = '\0';
            e->field[e->n_fields++] = (Field){word, equals + 1};
        } else if (*word != '\0' && e->n_words < VIEW_WORDS) {
            e->word_at[e->n_words++] = word;
        }
        word = last ? end : end + 1;
    }
    e->first = e->n_words != 0 ? e->word_at[0] : "";
}

static bool check_bytes(WwView *view, const char *what, const char *text)
{
    for (const char *p = text; *p != '\0'; p++) {
        unsigned char c = (unsigned char)*p;
        if (c < ' ' || c == 0x7f) {
            return view_fail(view, "byte 0x%02x in the %s; expected text", c, what);
        }
    }
    return g_utf8_validate(text, -1, NULL) ||
           view_fail(view, "the %s is no UTF-8; expected text", what);
}

static bool read_counted(WwView *view, const Event *e, Counted *out)
{
    const char *value = event_field(e, "value");
    uint64_t size;
    out->name = event_field(e, "statistic");
    bool less = value != NULL && *value == '-';
    if (!event_number(view, e, "since", &out->since) || out->since > e->cycle ||
        out->name == NULL || *out->name == '\0' || value == NULL ||
        !digits(value + less, 10, &size)) {
        return view_fail(view, "an interval without since=, a cycle before its own, statistic= and "
                               "value=, a number; expected all three");
    }
    out->value = (int64_t)(less ? -size : size);
    return true;
}

/* The cycles of a clock never go back: the log is in the order in which things happened. */
static bool check_order(WwView *view, Event *e)
{
    Place *p = e->place;
    if (e->kind == KIND_INTERVAL) { /* core cycles, whatever the place's are */
        bool back = e->cycle < view->counted;
        view->counted = e->cycle;
        return !back || view_fail(view,
                                  "an interval ends in cycle %" PRIu64
                                  ", before the one before it; expected intervals in their order",
                                  e->cycle);
    }
    uint64_t *last = p->domain != VIEW_NOBODY ? &view->cycle[p->domain]
                     : p->core                ? &view->now
                                              : &p->cycle;
    if (e->cycle < *last) {
        return view_fail(view,
                         "cycle %" PRIu64 " comes after cycle %" PRIu64
                         " of the same clock; expected events in their order",
                         e->cycle, *last);
    }
    *last = e->cycle;
    if (p->core) {
        view->now = e->cycle;
    }
    return true;
}

bool view_parse(WwView *view, const WwLogLine *line, Event *e)
{
    e->place = NULL;
    if (!is_word(line->kind)) {
        return view_fail(view, "'%.40s' is no kind of event; expected a word such as issue",
                         line->kind);
    }
    if (line->cycle >= VIEW_CYCLES) {
        return view_fail(view, "cycle %" PRIu64 " is too large; expected one below 2^53",
                         line->cycle);
    }
    if (!check_bytes(view, "path", line->path) || !check_bytes(view, "text", line->text)) {
        return false;
    }
    e->cycle = line->cycle;
    e->unit = line->unit;
    e->kind = kind_of(line->kind);
    e->word = line->kind;
    g_string_assign(view->text, line->text);
    split(e, view->text->str);
    bool inside = e->kind < KIND_OTHER && (INSIDE >> e->kind & 1u) != 0;
    e->place = view_place(view, line->path, inside, inside || e->kind == KIND_KERNEL);
    return e->place != NULL && check_order(view, e) &&
           (e->kind != KIND_INTERVAL || read_counted(view, e, &e->counted));
}
