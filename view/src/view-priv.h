/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of the viewer share: an event, where it happened, and who draws it. */
#pragma once

#include <view/view.h>

#include <string.h>

enum {
    VIEW_WORDS = 4,
    VIEW_FIELDS = 24,         /* of one event; more are not looked at */
    VIEW_LINE = 64 << 10,     /* bytes of a line */
    VIEW_PLACES = 1 << 20,    /* different paths, */
    VIEW_PATHS = 64 << 20,    /* and bytes of them all: few of a compressed log may be very many */
    VIEW_WARPS = 1000,        /* of an SM */
    VIEW_IN_FLIGHT = 1 << 20, /* instructions, requests */
    VIEW_NAMES = 1 << 16,     /* that are written once and then by number */
};
#define VIEW_CYCLES (1ull << 53) /* all of them have a time */
#define VIEW_NOBODY UINT32_MAX

/* ---- events ------------------------------------------------------------------------------------------------------ */

/** Kinds that a picture knows; docs/events.md has who writes them. */
typedef enum Kind {
    KIND_FETCH,
    KIND_DECODE,
    KIND_ISSUE,
    KIND_COLLECT,
    KIND_DISPATCH,
    KIND_EXEC,
    KIND_CONTROL,
    KIND_ALLOCATE,
    KIND_REQUEST,
    KIND_DONE,
    KIND_WRITEBACK,
    KIND_RETIRE,
    KIND_VACATE,
    KIND_FLUSH,
    KIND_BARRIER,
    KIND_KERNEL,
    KIND_CTA,
    KIND_COLUMN,
    KIND_PUT,
    KIND_TAKE,
    KIND_INTERVAL,
    KIND_OTHER,
} Kind;

typedef struct Field {
    const char *key, *value; /* both end with NUL */
} Field;

/** A component that events come from. */
typedef struct Place {
    char *path;
    uint32_t index;  /* in the order of appearance */
    uint32_t sm;     /* index of its SM, or VIEW_NOBODY */
    double hz;       /* of its clock; 0: not known */
    uint32_t domain; /* index of its clock; VIEW_NOBODY: not known */
    bool core;       /* is its clock that of the SMs? */
    bool wanted;     /* by the globs */
    uint64_t cycle;  /* of its last event */
    void *drawn;     /* what the format keeps of it */
} Place;

/** What an event of kind `interval` says: statistic @p name of its place (or of a type) was @p value from core cycle @p since on. */
typedef struct Counted {
    uint64_t since;
    const char *name;
    int64_t value;
} Counted;

typedef struct Event {
    uint64_t cycle;
    int64_t unit;
    Kind kind;
    const char *word; /* the kind as it stands there */
    Place *place;
    const char *text;
    uint32_t n_fields;
    Field field[VIEW_FIELDS];
    uint32_t n_words;
    const char *word_at[VIEW_WORDS]; /* words of the text that are no fields */
    const char *first;               /* the first of them, or "" */
    Counted counted;                 /* of an interval */
} Event;

/** The value of @p key, or NULL. */
static inline const char *event_field(const Event *e, const char *key)
{
    for (uint32_t i = 0; i < e->n_fields; i++) {
        if (strcmp(e->field[i].key, key) == 0) {
            return e->field[i].value;
        }
    }
    return NULL;
}

/** A whole number of the event, decimal; false: it has none, or @p view has failed. */
bool event_number(WwView *view, const Event *e, const char *key, uint64_t *out);
/** The same, hexadecimal. */
bool event_hex(WwView *view, const Event *e, const char *key, uint64_t *out);

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

typedef struct Sm {
    char *prefix;     /* of the paths inside, with its dot; "" when they have none */
    uint64_t number;  /* as --sm and sm= have it */
    bool known;       /* is that number certain? */
    GPtrArray *warps; /* Warp *, by number, NULL where there was none */
} Sm;

/* ---- the view ---------------------------------------------------------------------------------------------------- */

/** What a format does. */
typedef struct Drawer {
    void *(*begin)(WwView *view);
    void (*event)(void *self, const Event *e);
    void (*end)(void *self); /* writes what is left */
    void (*free)(void *self);
} Drawer;
extern const Drawer view_konata, view_perfetto, view_vcd;

/** A note that is counted: "N events ..." */
typedef enum Lack {
    LACK_UID,   /* events of instructions or requests without uid= */
    LACK_ISSUE, /* events of instructions whose issue is not among them */
    LACK_CLOCK, /* whose clock is not known, where time is drawn */
    LACK_SM,    /* of SMs whose number is guessed */
    LACK_PLACE, /* paths that are not in the machine */
    LACK_DATA,  /* of a DRAM: what it moves, though its commands are there */
    N_LACKS,
} Lack;

/** What some event was, of all that is asked for. */
enum {
    MET_SM = 1,
    MET_WARP = 2,
    MET_PATH = 4,
    MET_CYCLE = 8,
    MET_ALL = 16, /* of one and the same event */
};

struct WwView {
    WwViewSpec spec;
    GPtrArray *globs; /* GPatternSpec, or NULL */
    uint64_t line;    /* number of the last one */
    GError *failed;
    GString *text;                  /* of the event at hand */
    GHashTable *places;             /* path -> Place */
    size_t paths;                   /* bytes of their paths */
    GPtrArray *sms;                 /* Sm * */
    GHashTable *prefixes;           /* of the machine: prefix -> 1 + number */
    uint64_t now;                   /* core cycle of the last event of an SM */
    uint64_t cycle[WW_MAX_DOMAINS]; /* of the last event of each clock, where they are known */
    uint64_t counted;               /* core cycle at the end of the last interval */
    double core_hz;                 /* clock of the cycles of intervals; 0: not known */
    uint64_t lack[N_LACKS];
    const char *stranger; /* the first path that is not in the machine */
    uint32_t met;         /* MET_SM, ... */
    bool empty;           /* the format had nothing to draw */
    const Drawer *drawer;
    void *drawn;
};

/** The first failure counts; it names the line, or the event. False. */
bool view_fail(WwView *view, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** The same of what no line is to blame for: a full disk. */
void view_fail_host(WwView *view, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** Where @p path is; NULL when that failed. @p inside: the event is one of those that only parts of an SM write; @p core: who writes it has their clock. */
Place *view_place(WwView *view, const char *path, bool inside, bool core);
Sm *view_sm(const WwView *view, const Place *place);
/** Learns from @p e which number its SM has; false: it is not to be drawn. */
bool view_wants(WwView *view, const Event *e);
void view_places_begin(WwView *view);
void view_places_free(WwView *view);
/** Fills @p e with what stands in @p line; false: view_fail() was called. */
bool view_parse(WwView *view, const WwLogLine *line, Event *e);
/**
 * Nanoseconds since the beginning when edge @p cycle of the clock of @p place is. Nobody says how fast it is: a cycle of the SMs has one, and what has
 * another clock happens when the SMs are where they are.
 */
double view_time(WwView *view, const Place *place, uint64_t cycle);
/**
 * The cycle of the SMs in which an event is, whatever clock its cycle is of: the one in which that clock's edge lies, or where the SMs are when nobody
 * says how fast it is.
 */
uint64_t view_core_cycle(const WwView *view, const Event *e);
/** The same of cycle @p cycle of the first clock, which that of the SMs is. */
double view_core_time(WwView *view, uint64_t cycle);
