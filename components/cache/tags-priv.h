/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The tag array of a cache: lines of up to four sectors, lookup, replacement.
 *
 * Everything is indexed by line = set * ways + way, with the ways of now: when the associativity
 * changes, the same array is read differently and nothing moves. All-zero memory is an empty
 * cache, so that a cache that is never used touches no page.
 *
 * Workload: one lookup for each access and each retry of a refused one, up to 256 ways. A byte
 * per line (a fingerprint of its tag, 0 when no sector is valid) is compared 64 ways at a time;
 * lines that may be replaced stand in lists by age, clean and modified apart, so that a victim is
 * the first of a list.
 */
#pragma once

#include <ports/cache.h>
#include <string.h>

#define NO_LINE UINT32_MAX
#define MAX_WAYS 1024u
#define MAX_LINES 32768u

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
    uint64_t tag;             /* Line address. */
    WwByteMask bytes;         /* Written since allocation. */
    uint32_t age;             /* LRU: last access; FIFO: allocation. */
    uint16_t prev, next;      /* In its list: line + 1, 0 none. */
    uint8_t status;           /* Two bits a sector. */
    uint8_t unreadable;       /* Bit s: written in parts, a read must fetch it. */
    uint8_t modified_on_fill; /* Bit s: a fill makes it MODIFIED. */
    uint8_t readable_on_fill; /* Bit s. */
    bool merge_on_fill;       /* A fill adds the request's bytes. */
} Line;

/* Lines that may be replaced, oldest first; line + 1, 0 none. */
typedef struct LineList {
    uint16_t first, last;
} LineList;

typedef struct SetLists {
    LineList clean, modified;
} SetLists;

typedef struct Tags {
    /* configuration */
    bool sector;        /* Sectors of 32 bytes, else one status a line. */
    bool fifo;          /* Replacement by age of allocation. */
    bool on_fill;       /* Lines are allocated when data come, else at the miss. */
    bool skip_unused;   /* What nothing accessed since the last invalidation is not invalidated. */
    bool exact_dirty;   /* `dirty` falls with what a fill makes VALID. */
    bool free_from_top; /* The highest INVALID way is taken first. */
    uint32_t sets, ways;
    uint64_t one_way; /* 2^32 / ways, rounded up: the set of a line without a division. */
    uint32_t max_lines;
    uint32_t write_ratio;
    /* state */
    Line *line;
    uint8_t *print;  /* Fingerprint of a line's tag; 0: INVALID. */
    uint64_t *taken; /* Bit per line: not INVALID. */
    SetLists *list;
    uint64_t *scratch; /* Ages of a set, while lists are rebuilt. */
    uint32_t visible;  /* Lines below are within the sets of now. */
    uint32_t
        dirty; /* Lines with a MODIFIED sector, as the model counts them: it may drift and wrap. */
    uint32_t limit; /* From this many on, modified lines may be replaced. */
    bool used;      /* Accessed since the last invalidation. */
    bool touched;   /* Not all zero any more. */
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
/* Completes @p look, whose set, sector and tag are given. Changes nothing. */
void tags_probe(const Tags *t, Look *look, bool write);
/* Commits an access: time stamps, allocation, eviction. */
void tags_access(Tags *t, const Look *look, uint32_t now, Evicted *out);
/* Data for a sector of a line that was remembered; its tag is not looked at. */
void tags_fill_line(Tags *t, uint32_t line, uint32_t sector, const WwByteMask *bytes);
/* The line that waits for this sector: @p line, if it still does, else the one with its tag. NO_LINE: none. */
uint32_t tags_waiting(const Tags *t, uint32_t line, const Look *look);
/* Data for an address: allocates if it must, is dropped if it cannot. */
void tags_fill_address(Tags *t, Look *look, bool write, const WwByteMask *bytes, uint32_t now);
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

static inline LineClass line_class(uint8_t status)
{
    uint32_t low = status & 0x55u, high = status >> 1 & 0x55u;
    return status == 0          ? LINE_INVALID
           : (low & ~high) != 0 ? LINE_RESERVED
           : (low & high) != 0  ? LINE_MODIFIED
                                : LINE_CLEAN;
}

/* A write or an atomic: counts the line as dirty if it was not, and the sector becomes MODIFIED. */
static inline void tags_modify(Tags *t, uint32_t line, uint32_t sector)
{
    if (!line_modified(&t->line[line])) {
        t->dirty++;
    }
    tags_set_status(t, line, sector, SECTOR_MODIFIED);
}

static inline void line_add_bytes(Line *l, const WwByteMask *bytes)
{
    l->bytes.w[0] |= bytes->w[0];
    l->bytes.w[1] |= bytes->w[1];
}
