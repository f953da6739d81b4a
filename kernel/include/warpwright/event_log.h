/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What a component type says of the events that it writes (docs/events.md): a row for each kind, its fields, how a value becomes text.
 *
 * Workload: a log of everything has some ten events for each warp instruction and as many for each memory request; one costs about as
 * many host instructions as it has characters. Nothing here runs while nobody listens.
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
    WW_EVENT_TEXT,   /**< `name=INT`: a word, by address (WW_TEXT()); NULL: nothing */
    WW_EVENT_WORD,   /**< `MOV`: the word alone */
    WW_EVENT_PARTS,  /**< What `write` makes of it, which are `parts`. */
} WwEventForm;

/** A field of events. Fields that many types have are constants in ports/events.h. */
typedef struct WwEventField {
    const char *name;
    const char *unit; /**< "" or what it counts. */
    const char *doc;
    WwEventForm form;
    uint8_t n_lead;
    char lead[20]; /**< " name=" */
    /** WW_EVENT_PARTS: writes at @p at, a blank before each of them, at most WW_EVENT_ROOM bytes; returns where it ends. */
    char *(*write)(char *at, uint64_t value);
    const struct WwEventField *const *parts; /**< Those that it may write, up to a NULL. */
} WwEventField;

#define WW_EVENT_FIELD(name_, form_, unit_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .unit = unit_, .doc = doc_, .form = form_,                                  \
        .n_lead = sizeof(" " name_ "=") - 1, .lead = " " name_ "="                                 \
    }

/** A kind of event that a type writes: a row of WwType.events, which end with { 0 }. */
typedef struct WwEventRow {
    const char *name; /**< The kind: a word. Several types may have one of a name. */
    const char *unit; /**< What its unit is ("warp", "bank"); "": it has none, and -1 is written. */
    const char *doc;  /**< When it is written. */
    const WwEventField *field[WW_EVENT_FIELDS + 1]; /**< In their order, up to a NULL. */
} WwEventRow;

/** The value of a field of texts. */
#define WW_TEXT(text) ((uint64_t)(uintptr_t)(const char *)(text))
/** The value of a field of parts: what it is made of. */
#define WW_PART(pointer) ((uint64_t)(uintptr_t)(const void *)(pointer))

/* ---- for fields of parts ----------------------------------------------------------------------------------------- */

WW_API extern const char ww_event_digits[201]; /**< "000102...99" */

/** Each writes at @p at and returns where it ends. @p value as a number; */
static inline char *ww_event_number(char *at, uint64_t value)
{
    char room[20], *p = room + sizeof room;
    if (value < 10) {
        *at = (char)('0' + value);
        return at + 1;
    }
    for (; value >= 100; value /= 100) {
        p -= 2;
        memcpy(p, ww_event_digits + 2 * (value % 100), 2);
    }
    if (value >= 10) {
        p -= 2;
        memcpy(p, ww_event_digits + 2 * value, 2);
    } else {
        *--p = (char)('0' + value);
    }
    size_t n = (size_t)(room + sizeof room - p);
    memcpy(at, p, n);
    return at + n;
}
/** in hexadecimal, without zeros before it; */
static inline char *ww_event_hex(char *at, uint64_t value)
{
    uint32_t digits = value != 0 ? (67u - (uint32_t)__builtin_clzll(value)) / 4u : 1u;
    for (uint32_t i = digits; i-- != 0; value >>= 4) {
        at[i] = "0123456789abcdef"[value & 15u];
    }
    return at + digits;
}
/** @p text, a word, of which no more than 128 bytes count; */
WW_API char *ww_event_text(char *at, const char *text);
/** what is before the value of @p field. */
static inline char *ww_event_lead(char *at, const WwEventField *field)
{
    memcpy(at, field->lead, sizeof field->lead);
    return at + field->n_lead;
}
