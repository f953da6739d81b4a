/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The tag array of a cache: lines of up to four sectors, lookup, replacement.
 *
 * A place is set * ways + way, with the ways of now: when the associativity changes, the same places
 * are read differently and nothing moves. Lines are numbered as their places are met for the first
 * time, and keep place and number; so the lines that a run uses lie side by side, and there is memory for
 * hardly more of them. There is none before the first lookup.
 *
 * Workload: one lookup for each access, up to 256 ways. Lines with a sector that is not INVALID
 * stand in a hash table by tag; those that may be replaced in lists by age, clean and modified
 * apart, so that a victim is the first of a list. Nothing looks at all ways of a set.
 */
#pragma once

#include <ports/cache.h>
#include <ports/replacement.h>
#include <string.h>

#define NO_LINE UINT32_MAX
#define MAX_WAYS 1024u /* that may be asked for */
#define MAX_LINES WW_MAX_WAYS

/* Status of a sector: two bits. A normal cache's lines use sector 0 for the whole line. */
typedef enum SectorStatus {
    SECTOR_INVALID = 0,
    SECTOR_RESERVED = 1,
    SECTOR_VALID = 2,
    SECTOR_MODIFIED = 3,
} SectorStatus;

/* What a line is to the replacement. */
typedef enum LineClass { LINE_INVALID, LINE_RESERVED, LINE_CLEAN, LINE_MODIFIED } LineClass;

typedef struct Line {
    uint64_t tag;                 /* Line address. */
    uint32_t age;                 /* LRU: last access; FIFO: allocation. */
    uint16_t prev, next;          /* In its list: line + 1, 0 none. */
    uint16_t chain;               /* Next of the same hash: line + 1, 0 none. */
    uint16_t place;               /* Where it is. */
    uint8_t status;               /* Two bits a sector. */
    uint8_t unreadable;           /* Bit s: written in parts, a read must fetch it. */
    uint8_t modified_on_fill;     /* Bit s: a fill makes it MODIFIED. */
    uint8_t readable_on_fill : 4; /* Bit s. */
    bool merge_on_fill : 1;       /* A fill adds the request's bytes. */
    /* Its bytes in Tags.bytes are those written since allocation; else none were. */
    bool written : 1;
} Line;
G_STATIC_ASSERT(sizeof(Line) == 24);

/* Lines that may be replaced, oldest first; line + 1, 0 none. */
typedef struct LineList {
    uint16_t first, last;
} LineList;

typedef struct SetLists {
    LineList clean, modified;
} SetLists;

typedef struct Tags {
    /* what a lookup looks at */
    Line *line;
    uint16_t *bucket; /* By hash of the tag: line + 1 of the first that is not INVALID, 0 none. */
    uint64_t *taken;  /* Bit per place: its line is not INVALID. */
    SetLists *list;
    uint64_t one_way; /* 2^32 / ways, rounded up: the set of a place without a division. */
    uint32_t ways;
    uint32_t visible; /* Places below are within the sets of now. */
    uint32_t
        dirty; /* Lines with a MODIFIED sector, as the model counts them: it may drift and wrap. */
    uint32_t limit; /* From this many on, modified lines may be replaced. */
    uint8_t bucket_shift;
    bool mixed;   /* Several lines of a set may have the same tag. */
    bool used;    /* Accessed since the last invalidation. */
    bool touched; /* Not all zero any more. */
    /* configuration */
    bool sector;        /* Sectors of 32 bytes, else one status a line. */
    bool fifo;          /* Replacement by age of allocation. */
    bool on_fill;       /* Lines are allocated when data come, else at the miss. */
    bool free_from_top; /* The highest INVALID way is taken first. */
    bool exact_dirty;   /* `dirty` falls with what a fill makes VALID. */
    bool skip_unused;   /* What nothing accessed since the last invalidation is not invalidated. */
    uint32_t sets, max_lines, write_ratio;
    const WwPort *policy; /* Who decides which line goes; NULL: the lists do. */
    uint32_t serial;      /* Ages are compared 0: as they are; all bits: across 2^32. */
    /* memory */
    uint16_t *at;      /* [max_lines] By place: its line + 1, 0 none yet. */
    WwByteMask *bytes; /* [room] By line: written since allocation. */
    uint32_t n;        /* Lines. */
    uint32_t room;     /* For lines. */
    void *owner;
} Tags;

/* What a lookup found. */
typedef struct Look {
    WwCacheResult result;
    uint32_t line; /* The line that matched, or the victim; NO_LINE: none. */
    uint32_t set;
    uint32_t sector;
    uint64_t tag;
} Look;

/* A modified line that had to go. */
typedef struct Evicted {
    bool any;
    uint64_t addr;
    uint32_t size;
    WwByteMask bytes;
    uint8_t sectors;
} Evicted;

void tags_init(Tags *t, void *component, uint32_t max_ways);
void tags_reset(Tags *t, uint32_t ways, bool on_fill);
void tags_set_ways(Tags *t, uint32_t ways);
/* The line that goes when the set needs one; NO_LINE: none can. */
uint32_t tags_victim(Tags *t, uint32_t set);
/* The same of a set without INVALID lines, where somebody else decides; who is told of accesses, and of new lines. */
uint32_t tags_other_victim(const Tags *t, uint32_t set);
void tags_tell_touched(const Tags *t, uint32_t line, uint32_t now);
void tags_tell_filled(const Tags *t, uint32_t line, bool replaced, uint32_t now);
/* An access to @p line, which is listed by age and not the youngest. */
void tags_move(Tags *t, uint32_t line, uint32_t age);
/* Commits an access: time stamps, allocation, eviction. */
void tags_access(Tags *t, const Look *look, uint32_t now, Evicted *out);
/* Data for a sector of a line that was remembered; its tag is not looked at. */
void tags_fill_line(Tags *t, uint32_t line, uint32_t sector, const WwByteMask *bytes);
/* The line that waits for this sector: @p line, if it still does, else the one with its tag. NO_LINE: none. */
uint32_t tags_waiting(const Tags *t, uint32_t line, const Look *look);
/* Data for an address: allocates if it must, is dropped if it cannot. */
void tags_fill_address(Tags *t, Look *look, bool write, const WwByteMask *bytes, uint32_t now);
/* The same, written with no bytes, for @p n sectors of a line from that of @p look on, each at a later time. */
void tags_fill_sectors(Tags *t, Look *look, uint32_t n, uint32_t now);
void tags_set_status(Tags *t, uint32_t line, uint32_t sector, SectorStatus status);
void tags_invalidate(Tags *t);
void tags_flush_dirty(Tags *t);

static inline SectorStatus line_status(const Line *l, uint32_t sector)
{
    return (SectorStatus)(l->status >> (2 * sector) & 3u);
}

static inline bool line_modified(const Line *l)
{
    return (l->status & l->status >> 1 & 0x55u) != 0;
}

extern const uint8_t line_classes[256]; /* By status. */

static inline LineClass line_class(uint8_t status)
{
    return (LineClass)line_classes[status];
}

/* A write or an atomic: counts the line as dirty if it was not, and the sector becomes MODIFIED. */
static inline void tags_modify(Tags *t, uint32_t line, uint32_t sector)
{
    if (!line_modified(&t->line[line])) {
        t->dirty++;
    }
    tags_set_status(t, line, sector, SECTOR_MODIFIED);
}

static inline void tags_add_bytes(Tags *t, uint32_t line, const WwByteMask *bytes)
{
    WwByteMask *to = &t->bytes[line];
    if (t->line[line].written) {
        to->w[0] |= bytes->w[0];
        to->w[1] |= bytes->w[1];
    } else {
        *to = *bytes;
        t->line[line].written = true;
    }
}

/* Bytes of a line that were written since its allocation. */
static inline WwByteMask tags_bytes(const Tags *t, uint32_t line)
{
    return t->line[line].written ? t->bytes[line] : (WwByteMask){{0, 0}};
}

static inline uint16_t *tags_bucket(const Tags *t, uint64_t tag)
{
    return &t->bucket[tag * 0x9e3779b97f4a7c15u >> t->bucket_shift];
}

/* The line of the set with this tag and a sector that is not INVALID; of several that with the lowest place. */
static inline uint32_t tags_find(const Tags *t, uint32_t set, uint64_t tag)
{
    uint32_t first = set * t->ways, found = NO_LINE;
    for (uint32_t at = *tags_bucket(t, tag); at != 0;) {
        const Line *l = &t->line[at - 1];
        if (l->tag == tag && l->place - first < t->ways) {
            if (G_LIKELY(!t->mixed)) {
                return at - 1;
            }
            if (found == NO_LINE || l->place < t->line[found].place) {
                found = at - 1;
            }
        }
        at = l->chain;
    }
    return found;
}

/* Completes @p look, whose set, sector and tag are given. Changes nothing but that a victim gets its number. */
static inline void tags_probe(Tags *t, Look *look, bool write)
{
    static const uint8_t results[] = {
        [SECTOR_INVALID] = WW_CACHE_SECTOR_MISS,
        [SECTOR_RESERVED] = WW_CACHE_HIT_RESERVED,
        [SECTOR_VALID] = WW_CACHE_HIT,
        [SECTOR_MODIFIED] = WW_CACHE_HIT,
    };
    look->line = tags_find(t, look->set, look->tag);
    if (look->line == NO_LINE) {
        look->line = tags_victim(t, look->set);
        look->result = look->line == NO_LINE ? WW_CACHE_RESERVATION_FAIL : WW_CACHE_MISS;
        return;
    }
    const Line *l = &t->line[look->line];
    SectorStatus status = line_status(l, look->sector);
    look->result = (WwCacheResult)results[status];
    if (G_UNLIKELY((l->unreadable >> look->sector & 1u) != 0) && status == SECTOR_MODIFIED &&
        !write) {
        look->result = WW_CACHE_SECTOR_MISS;
    }
}

/*
 * Ages have 32 bits, and begin again after 2^32 cycles: from where on those beside @p age are counted, so that the earlier one is less.
 */
static inline uint32_t tags_origin(const Tags *t, uint32_t age)
{
    return (age ^ 1u << 31) & t->serial;
}

/* Least recently used: @p line was accessed. What is the youngest of its list, as a rule, stays it. */
static inline void tags_touch(Tags *t, uint32_t line, uint32_t age)
{
    Line *l = &t->line[line];
    if (line_class(l->status) < LINE_CLEAN || l->place >= t->visible ||
        (l->next == 0 && (uint64_t)age - l->age < 1u << 31 /* however ages are compared */)) {
        l->age = age;
    } else if (l->age != age) {
        tags_move(t, line, age);
    }
}

/* An access to a line that is there. */
static inline void tags_age(Tags *t, uint32_t line, uint32_t now)
{
    if (!t->fifo) {
        tags_touch(t, line, now);
    }
    if (G_UNLIKELY(t->policy != NULL)) {
        tags_tell_touched(t, line, now);
    }
}

/* Commits a hit, as tags_access() does. */
static inline void tags_hit(Tags *t, uint32_t line, uint32_t now)
{
    t->used = true;
    tags_age(t, line, now);
}
