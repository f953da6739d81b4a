/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * State of a cache and what its files share. The types cache.l1 and cache.l2 differ only in the
 * channel below them, in what they call their own transactions, and in the address that chooses the
 * set.
 */
#pragma once

#include "mshr-priv.h"
#include "set_index-priv.h"
#include "tags-priv.h"
#include <ports/events.h>
#include <ports/hash.h>
#include <ports/req_pool.h>
#include <ports/traffic.h>
#include <warpwright/component.h>
#include <warpwright/ring.h>

/* Why an access was refused; the reference's names stand in cache_rows.c. */
typedef enum CacheFail {
    FAIL_LINE_ALLOC,
    FAIL_MISS_QUEUE,
    FAIL_MSHR_ENTRY,
    FAIL_MSHR_MERGE,
    FAIL_MSHR_RW_PENDING, /* Cannot happen: only reads stand in the table. */
    N_CACHE_FAILS
} CacheFail;

/* What became of the accesses of one stream. */
typedef struct StreamCounts {
    struct StreamCounts *next; /* In order of appearance. */
    uint64_t stream;
    uint64_t outcomes[WW_N_ACCESS_TYPES * WW_N_CACHE_RESULTS];
    uint64_t fails[WW_N_ACCESS_TYPES * N_CACHE_FAILS];
} StreamCounts;

typedef enum AllocateChoice { ALLOCATE_MISS, ALLOCATE_FILL, ALLOCATE_STREAMING } AllocateChoice;

/*
 * An access that was refused. Its user tries again in every cycle; until something in the cache has changed the answer is the same,
 * and only the statistics have to notice.
 */
typedef struct Refusal {
    uint64_t changes; /* The cache's at the refusal; 0: none. */
    uint64_t addr, partition;
    WwByteMask bytes;
    uint32_t size;
    uint8_t type, sectors;
    bool write, atomic;
    uint8_t why;
} Refusal;

/* A port that may be busy. Cycles are the cache's. */
typedef struct CachePort {
    uint64_t free;  /* Cycle from which on it is free. */
    uint64_t taken; /* For how many it was taken. */
} CachePort;

#define N_REFUSALS 4u /* remembered: one a bank of most first-level caches */

/* In the order in which an access, a fill and a cycle look at it, for the sake of the host's cache. */
typedef struct Cache {
    WwComponent base;
    /* of the shape and the rules: parameters, and what follows from them */
    bool sector, second; /* `second`: level two. */
    bool in_turns;       /* Its user has said that it asks in its own turns. */
    bool inner;          /* Likewise, that it sends to another cache of its SM. */
    bool spare_entry, free_read_evictions;
    bool fills_blindly, pending_write_modifies, write_back_follows;
    uint32_t atom; /* As in the facts. */
    uint32_t write, write_allocate, index, line, sets;
    uint32_t line_bits, set_bits;
    uint32_t width;       /* Of the data port. */
    uint32_t fill_cycles; /* For which a fill takes its port. */
    uint32_t miss_queue, mshr_entries, mshr_merge;
    bool blocked;     /* `lower` was full; the step is woken when it is not. */
    bool tells_later; /* Refusals that its user sleeps through are events, too. */
    /* state */
    uint64_t changes;             /* Of whatever an access may depend on. */
    uint64_t refused;             /* Changes at the last refusal. */
    StreamCounts *streams, *last; /* All, and that of the last access; NULL: none yet. */
    CachePort data, fill;
    uint64_t port_samples; /* A statistic: cycles of the cache, but for those that it sleeps in. */
    WwWake step;           /* Of the cache's cycle. */
    WwMemReq **queue;      /* What is to be sent down, */
    WwRing down;           /* in order. */
    CacheFail why;         /* Of the last refusal. */
    WwPort lower;
    Mshr misses;
    Tags tags;
    Refusal refusal[N_REFUSALS];
    WwPort address_map, policy;
    WwReqPool own; /* Transactions of the cache itself: write-backs, allocating reads. */
    WwProvided cache;
    WwCacheFacts facts;
    /* parameters */
    uint32_t ways, max_bytes, replacement, allocate, mshr, port_width, write_ratio;
    bool skip_unused, exact_dirty, free_from_top, stamps_wrap;
    uint32_t most_ways; /* `ways` stays within. */
    /* statistics; what accesses came to is counted by stream, and added up when it is read */
    uint64_t outcomes[WW_N_ACCESS_TYPES * WW_N_CACHE_RESULTS];
    uint64_t fails[WW_N_ACCESS_TYPES * N_CACHE_FAILS];
    uint64_t accesses, misses_total, pending_hits, reservation_fails;
    uint64_t data_port_busy, fill_port_busy;
    uint64_t write_backs, lower_full;
    uint64_t traffic[WW_N_TRAFFIC]; /* Level one: what it put into the network. */
} Cache;

/* Kinds of events. */
enum { LOG_ACCESS, LOG_MISS, LOG_MERGE, LOG_EVICT, LOG_SEND, LOG_FILL };
extern const WwEventRow cache_events[];
extern const WwEventField cache_field_outcome;
typedef struct CacheOutcome CacheOutcome;
/* Its value: what an access came to; @p why: it was refused. */
const CacheOutcome *cache_outcome(WwCacheResult result, CacheFail why);

/* An access in progress. */
typedef struct Access {
    Look look;
    WwCycle now;
    uint32_t sent;  /* WW_CACHE_SENT_ bits */
    uint32_t moved; /* Bytes that a write miss makes the data port read out. */
} Access;

/* What an access does, by kind of cache; the result is HIT, MISS or RESERVATION_FAIL. */
WwCacheResult cache_read(Cache *c, Access *a, WwMemReq *req);
WwCacheResult cache_read_only(Cache *c, Access *a, WwMemReq *req);
WwCacheResult cache_write_hit(Cache *c, Access *a, WwMemReq *req);
WwCacheResult cache_write_miss(Cache *c, Access *a, WwMemReq *req);

/* The same functions for both types. */
extern const WwCacheIf cache_table;
bool cache_init(Cache *c, bool second, GError **error);
bool cache_start(void *self, GError **error);
void cache_reset(void *self);
void cache_settle(void *self, uint32_t entry, uint64_t n);
void cache_tally(void *self);
extern const WwEntryRow cache_entries[];
void cache_explain(void *self, WwExplain *explain);
extern const char *const cache_replacements[], *const cache_writes[], *const cache_allocates[];
extern const char *const cache_write_allocates[], *const cache_indices[], *const cache_mshrs[];
extern const WwStatRow cache_l1_stats[], cache_l2_stats[];

/*
 * Cycles of the cache that are over. Where all that takes a port has its user's time, it may sleep while ports are busy, and what it slept is
 * asked for; else it is awake then.
 */
static inline uint64_t cycles_over(const Cache *c)
{
    return c->port_samples + (c->in_turns ? ww_step_slept(&c->step) : 0);
}

/* Where an access like this one is remembered when it is refused. */
static inline Refusal *refusal_of(Cache *c, const WwMemReq *req)
{
    return &c->refusal[req->addr / WW_SECTOR_BYTES % N_REFUSALS];
}

/* ---- statistics (cache_count.c) -------------------------------------------------------------- */

/* What accesses count for from now on, besides all. */
void cache_choose_stream(Cache *c, uint64_t stream);
void cache_forget_streams(Cache *c);
/* As in the contract. */
bool cache_stream(void *self, uint32_t i, WwCacheStream *out);
bool cache_refuses(void *self);
void cache_refused(void *self, const WwMemReq *req, uint64_t n);

static inline WwCacheResult cache_fail(Cache *c, const WwMemReq *req, CacheFail why)
{
    c->last->fails[req->type * N_CACHE_FAILS + why]++;
    c->why = why;
    return WW_CACHE_RESERVATION_FAIL;
}

static inline void cache_count(Cache *c, const WwMemReq *req, WwCacheResult result)
{
    c->last->outcomes[req->type * WW_N_CACHE_RESULTS + result]++;
}

/* Ends the run: the miss queue never has @p places. */
void queue_too_small(Cache *c, uint32_t places);

static inline bool queue_short(Cache *c, uint32_t spare)
{
    if (G_LIKELY(c->down.n + spare < c->miss_queue)) {
        return false;
    }
    if (G_UNLIKELY(spare >= c->miss_queue)) {
        queue_too_small(c, spare + 1);
    }
    return true;
}

static inline void cache_send(Cache *c, WwMemReq *req)
{
    c->queue[ww_ring_put(&c->down)] = req;
}

static inline uint64_t atom_address(const Cache *c, uint64_t addr)
{
    return addr & ~(uint64_t)(c->atom - 1);
}

/* A port of both. */
#define CACHE_POLICY                                                                               \
    WW_PORT_REQUIRES(Cache, policy, &ww_contract_replacement, 0, NULL,                             \
                     "chooses the line to replace, instead of `replacement`")

/*
 * The rows of both types' parameters; only defaults differ.
 */
#define CACHE_PARAMS(sets_, ways_, write_, index_, entries_, merge_, queue_, doc_lines_)           \
    WW_BOOL(Cache, sector, "true", "128-byte lines of four 32-byte sectors; false: whole lines"),  \
        WW_UINT(Cache, sets, "", sets_, 1, 4096,                                                   \
                "number of sets; a power of two, unless `index` is linear, modulo or custom"),     \
        WW_UINT(Cache, line, "bytes", "128", 32, 4096, "line size; a power of two"),               \
        WW_UINT(Cache, ways, "", ways_, 1, MAX_WAYS, "lines per set" doc_lines_),                  \
        WW_UINT(Cache, max_bytes, "bytes", "0", 0, 1u << 30,                                       \
                "largest size that `ways` may be set to while running; 0: only as configured"),    \
        WW_CHOICE(Cache, replacement, "lru", cache_replacements, "replacement policy"),            \
        WW_CHOICE(Cache, write, write_, cache_writes, "policy for write hits"),                    \
        WW_CHOICE(Cache, allocate, "miss", cache_allocates, "when a miss is allocated a line"),    \
        WW_CHOICE(Cache, write_allocate, "lazy", cache_write_allocates,                            \
                  "policy for write misses"),                                                      \
        WW_CHOICE(Cache, index, index_, cache_indices, "how an address selects its set"),          \
        WW_CHOICE(Cache, mshr, "assoc", cache_mshrs,                                               \
                  "one response per miss, or one per 32 bytes"),                                   \
        WW_UINT(Cache, mshr_entries, "entries", entries_, 1, MAX_MSHR_ENTRIES,                     \
                "outstanding misses"),                                                             \
        WW_UINT(Cache, mshr_merge, "entries", merge_, 1, 65536,                                    \
                "requests merged into one miss, including its own"),                               \
        WW_UINT(Cache, miss_queue, "entries", queue_, 1, 4096,                                     \
                "transactions waiting to be sent to the next level"),                              \
        WW_UINT(Cache, port_width, "bytes", "32", 0, 4096,                                         \
                "width of the data port, a divisor of the line size; 0: a line"),                  \
        WW_BOOL(Cache, spare_entry, "true",                                                        \
                "a read miss needs a second free entry in the miss queue, as in the reference; "   \
                "false: only if it evicts modified data"),                                         \
        WW_BOOL(                                                                                   \
            Cache, free_read_evictions, "true",                                                    \
            "write-backs caused by read misses do not occupy the data port, as in the reference"), \
        WW_BOOL(Cache, fills_blindly, "true",                                                      \
                "a fill validates whatever its way now holds, as in the reference; false: only a " \
                "line that waits for it"),                                                         \
        WW_BOOL(Cache, pending_write_modifies, "true",                                             \
                "a lazy write makes a pending sector MODIFIED at once, as in the reference; "      \
                "false: when its data arrive"),                                                    \
        WW_BOOL(Cache, free_from_top, "true",                                                      \
                "the highest of several INVALID ways is filled first, as in the reference; "       \
                "false: the lowest"),                                                              \
        WW_BOOL(Cache, stamps_wrap, "true",                                                        \
                "access times have 32 bits, as in the reference: after 2^32 cycles the oldest "    \
                "line counts as the youngest; false: comparisons allow for the wrap")
