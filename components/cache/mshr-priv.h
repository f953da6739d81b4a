/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Misses that are under way: a table keyed by the address of the fetched unit, each with the
 * requests that wait for it.
 *
 * Workload: one lookup for each miss, retry and response; up to some hundred keys, none in many a
 * cache. Open addressing, half full at most; entries are taken from the top of a stack, and more
 * are made when that is empty. There is no memory before the first key.
 */
#pragma once

#include <ports/cache.h>

#define MAX_MSHR_ENTRIES 16384u
/* Entries that are made at a time. */
#define MSHR_CHUNK 32u

typedef struct MshrEntry { /* a cache line of the host */
    uint64_t addr;
    WwMemReq *first;       /* What was sent down, on its way until the response; NULL once taken. */
    WwMemReq *head, *tail; /* Merged later. */
    const WwCacheFacts *above; /* What the first is a miss of besides; NULL: of nothing. */
    uint64_t own_addr;         /* Of the first, before it became the fetched unit's. */
    uint32_t n;                /* Requests in it. */
    uint16_t own_size;
    uint16_t line;       /* To be filled. */
    uint16_t next;       /* Completed or free list: entry + 1. */
    uint16_t above_miss; /* `miss` of the first, for that cache. */
    uint16_t id;         /* Its number, from 1. */
    uint8_t parts;       /* Responses still to come. */
    bool atomic : 1;     /* One of its requests is an atomic. */
    bool ready : 1;      /* Complete: waits to be taken. */
} MshrEntry;
G_STATIC_ASSERT(sizeof(MshrEntry) == 64);

typedef struct Mshr {
    MshrEntry **chunk; /* MSHR_CHUNK entries each. */
    uint16_t *slot;    /* Number of the entry, 0 free. */
    uint32_t mask;     /* Of the slots. */
    uint32_t n;        /* Keys. */
    uint32_t shift;
    uint32_t fresh;          /* Entries numbered higher were never used. */
    uint16_t free;           /* Used ones. */
    uint32_t room;           /* Entries for which there is memory. */
    MshrEntry *ready, *last; /* Completed keys in order of completion. */
    void *owner;             /* Of the memory. */
    /* configuration */
    uint32_t entries, merge;
} Mshr;

void mshr_init(Mshr *m, void *component);
void mshr_reset(Mshr *m);
MshrEntry *mshr_find(const Mshr *m, uint64_t addr);
/* The entry that @p req was sent down for, or NULL. */
MshrEntry *mshr_of(const Mshr *m, const WwMemReq *req);
/* The host fetches where a key is looked for. */
void mshr_fetch(const Mshr *m, uint64_t addr);
/* A new key; the table must have room. */
MshrEntry *mshr_add(Mshr *m, uint64_t addr, WwMemReq *req);
void mshr_merge(MshrEntry *e, WwMemReq *req);
/* The response is complete. */
void mshr_complete(Mshr *m, MshrEntry *e);
/* All keys go: who waits is released; what is under way is nobody's miss any more. */
void mshr_forget(Mshr *m);
/* Takes the next request of the first completed key; the key goes with its last one. */
WwMemReq *mshr_take(Mshr *m);

static inline MshrEntry *mshr_entry(const Mshr *m, uint32_t id)
{
    return &m->chunk[(id - 1) / MSHR_CHUNK][(id - 1) % MSHR_CHUNK];
}

static inline WwMemReq *mshr_peek(const Mshr *m)
{
    const MshrEntry *e = m->ready;
    return e->first != NULL ? e->first : e->head;
}
