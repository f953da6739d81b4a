/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a component type says of the events that it writes (docs/events.md): a row for each kind, its fields, how a value becomes text.
 *
 * Workload: a log of everything has some ten events for each warp instruction and as many for each memory request. Nothing here runs while
 * nobody listens.
 */
#pragma once

#include <inttypes.h>
#include <string.h>
#include <warpwright/base.h>

/** What a field writes at most. */
#define WW_EVENT_ROOM 256u
#define WW_EVENT_FIELDS 8u
/** Letters of a kind at most. */
#define WW_EVENT_NAME 20u

/** How a field is written. */
typedef enum WwEventForm {
    WW_EVENT_NUMBER, /**< `name=123` */
    WW_EVENT_HEX,    /**< `name=7f00` */
    WW_EVENT_MASK,   /**< `name=0000ffff`: 32 bits */
    WW_EVENT_TEXT,  /**< `name=INT`: a word that is measured each time (WW_TEXT()); NULL: nothing */
    WW_EVENT_LABEL, /**< `name=hit`: a constant word (WW_SAY()); NULL: nothing */
    WW_EVENT_WORD,  /**< `read`: likewise, the word alone */
    WW_EVENT_PARTS, /**< What `write` makes of it, which are `parts`. */
} WwEventForm;

/**
 * What text is made of, kept until it is: most lines become text later, many of them in a thread of the log's own. An instruction or a request is
 * another one by then. Lines that somebody else asks for text, too - a filter by cycle or field, a breakpoint - and the first of a component and kind are
 * written at once, by `write`.
 */
typedef struct WwEventKept {
    /** Copies at @p at what there is to say of @p value, at most WW_EVENT_ROOM bytes; returns where it ends. */
    char *(*keep)(char *at, uint64_t value);
    /** Writes at @p at what `write` would have written, of no more than what keep() left at @p *from, and moves that behind it. */
    char *(*tell)(char *at, const char **from);
} WwEventKept;
/** The value itself, of which `write` makes the text then: for one that is no pointer, or points to what never changes. */
WW_API extern const WwEventKept ww_event_value;

/** A field of events. Fields that many types have are constants in ports/events.h. */
typedef struct WwEventField {
    const char *name;
    const char *unit; /**< "" or what it counts. */
    const char *doc;
    WwEventForm form;
    uint8_t n_lead;
    char lead[16]; /**< " name=", of which n_lead count: of a word alone the blank. */
    /** WW_EVENT_PARTS: writes at @p at, a blank before each of them, at most WW_EVENT_ROOM bytes; returns where it ends. */
    char *(*write)(char *at, uint64_t value);
    const struct WwEventField *const *parts; /**< Those that it may write, up to a NULL. */
    const WwEventKept *kept;                 /**< WW_EVENT_PARTS; NULL: the text is. */
} WwEventField;

/** A WwEventField that is written as @p form_ says: a number or a word, not parts. */
#define WW_EVENT_FIELD(name_, form_, unit_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .unit = unit_, .doc = doc_, .form = form_,                                  \
        .n_lead = (form_) == WW_EVENT_WORD ? 1 : sizeof(" " name_ "=") - 1, .lead = " " name_ "="  \
    }

/** A kind of event that a type writes: a row of WwType.events, which end with { 0 }. */
typedef struct WwEventRow {
    const char *name; /**< The kind: a word. Several types may have one of a name. */
    const char *unit; /**< What its unit is ("warp", "bank"); "": it has none, and -1 is written. */
    const char *doc;  /**< When it is written. */
    const WwEventField *field[WW_EVENT_FIELDS + 1]; /**< In their order, up to a NULL. */
} WwEventRow;

/** A word and the number of its letters. */
typedef struct WwEventWord {
    char text[16]; /**< Up to a NUL. */
    uint8_t n;
} WwEventWord;
/** `static const WwEventWord hit = WW_WORD("hit");` */
#define WW_WORD(letters)                                                                           \
    {                                                                                              \
        .text = letters, .n = sizeof(letters) - 1                                                  \
    }

/** The value of a field of words: the address of a WwEventWord, which never changes nor goes, since it is read later, maybe in another thread; */
#define WW_SAY(word) ((uint64_t)(uintptr_t)(const WwEventWord *)(word))
/** of texts, which are read at once. */
#define WW_TEXT(text) ((uint64_t)(uintptr_t)(const char *)(text))
/** The value of a field of parts: what it is made of. */
#define WW_PART(pointer) ((uint64_t)(uintptr_t)(const void *)(pointer))

/* ---- for fields of parts ----------------------------------------------------------------------------------------- */

WW_API extern const char ww_event_digits[201]; /**< "000102...99" */
WW_API extern const char ww_event_hexes[513];  /**< "000102...ff" */

/** Each writes at @p at and returns where it ends; up to 16 bytes behind that may change. @p value, 10,000 or more, as a number; */
WW_API char *ww_event_digits_of(char *at, uint64_t value);
/** any number; */
static inline char *ww_event_number(char *at, uint64_t value)
{
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    if (value < 100) {
        memcpy(at, ww_event_digits + 2 * value, 2);
        return at + 2;
    }
    if (value < 10000) {
        uint32_t high = (uint32_t)value / 100, one = high < 10; /* digit of it */
        memcpy(at, ww_event_digits + 2 * high + one, 2);
        at += 2 - one;
        memcpy(at, ww_event_digits + 2 * ((uint32_t)value - 100 * high), 2);
        return at + 2;
    }
    return ww_event_digits_of(at, value);
}
/** the eight hexadecimal digits of @p value; */
static inline char *ww_event_hex8(char *at, uint32_t value)
{
#pragma GCC unroll 4
    for (uint32_t i = 0; i < 4; i++) {
        memcpy(at + 2 * i, ww_event_hexes + 2 * (value >> (24 - 8 * i) & 0xffu), 2);
    }
    return at + 8;
}
/** any number in hexadecimal, without zeros before it: sixteen digits at a time; */
static inline char *ww_event_hex(char *at, uint64_t value)
{
    typedef uint64_t Words __attribute__((vector_size(16)));
    typedef int8_t Digits __attribute__((vector_size(16)));
    uint32_t digits = (67u - (uint32_t)__builtin_clzll(value | 1u)) / 4u;
    Words bytes = {GUINT64_TO_BE(value << (64u - 4u * digits)), 0};
    Digits high = (Digits)(bytes >> 4 & 0x0f0f0f0f0f0f0f0fu),
           low = (Digits)(bytes & 0x0f0f0f0f0f0f0f0fu),
           of = __builtin_shufflevector(high, low, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22,
                                        7, 23);
    of += '0' + ((of > 9) & ('a' - '0' - 10));
    memcpy(at, &of, sizeof of);
    return at + digits;
}
/** @p n letters, no more than 128 of them; */
static inline char *ww_event_letters(char *at, const char *text, size_t n)
{
    if (n >= 8 && n <= 16) {
        memcpy(at, text, 8);
        memcpy(at + n - 8, text + n - 8, 8);
    } else if (n >= 4 && n < 8) {
        memcpy(at, text, 4);
        memcpy(at + n - 4, text + n - 4, 4);
    } else if (n < 4) {
        for (size_t i = 0; i < n; i++) {
            at[i] = text[i];
        }
    } else {
        memcpy(at, text, n);
    }
    return at + n;
}
/** @p text, a word, of which no more than 128 bytes count; */
WW_API char *ww_event_text(char *at, const char *text);
/** what is before the value of @p field; */
static inline char *ww_event_lead(char *at, const WwEventField *field)
{
    memcpy(at, field->lead, sizeof field->lead);
    return at + field->n_lead;
}
/** a word, of which the caller knows. */
static inline char *ww_event_word(char *at, const WwEventWord *word)
{
    memcpy(at, word->text, sizeof word->text);
    return at + word->n;
}

/* ---- for what is kept of them ------------------------------------------------------------------------------------ */

/** A word of what is kept, */
static inline char *ww_event_keep(char *at, uint64_t value)
{
    memcpy(at, &value, sizeof value);
    return at + sizeof value;
}
/** and what tell() has of it, in the same order. */
static inline uint64_t ww_event_take(const char **from)
{
    uint64_t value;
    memcpy(&value, *from, sizeof value);
    *from += sizeof value;
    return value;
}
