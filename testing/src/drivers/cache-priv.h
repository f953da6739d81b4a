/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a random user of a cache may expect: which units of data are under way, who waits for them in which order, what was announced and has to
 * come out below.
 */
#pragma once

#include "drivers-priv.h"

#include <ports/cache.h>

#define CACHE_BASE 0x40000000ull /* Where its addresses begin. */

enum {
    REQS = 64,   /* Requests of the user under way. */
    WAITS = 128, /* Those, and the cache's own reads for writes. */
    RESPONSES = 64,
    UNITS = 64, /* Units that are fetched, or fetched and not yet taken. */
    TAGS = 96,
    SETS = 2,
    WHOLE = 128, /* Bytes that a transaction of a user has at most. */
};

typedef struct Req {
    WwMemReq req, before; /* As it is, as it was before the access. */
    bool used;      /* Accessed since lines were thrown out: else nothing is, the next time. */
    bool waits;     /* To be taken. */
    bool goes;      /* To come out below. */
    bool written;   /* A write that its allocating read ends. */
    bool filled;    /* Of a cache that answers in order: its data are there, or it needed none. */
    uint64_t order; /* Likewise: of its access. */
} Req;

/* Who waits for a unit. */
typedef struct Wait {
    bool used; /* Accessed since lines were thrown out: else nothing is, the next time. */
    uint64_t unit, order;
    Req *req; /* NULL: a read that the cache made itself. */
} Wait;

typedef struct Unit {
    bool used, ready;
    uint64_t addr;
    uint64_t order; /* Of completion. */
} Unit;

typedef struct Response {
    WwMemReq *whole;
    uint32_t parts; /* Still to come; 0: none is here. */
    WwCycle due;
    bool own;       /* Of what stands before a cache: it made the request itself. */
    WwMemReq *part; /* As many, for a cache that waits for parts. */
} Response;

typedef struct Cache {
    const WwCacheFacts *facts;
    WwCacheFacts copy; /* They never change. */
    uint32_t ways;     /* As configured, or as set since. */
    Req req[REQS];
    Wait wait[WAITS];
    Unit unit[UNITS];
    Response response[RESPONSES];
    uint64_t order, serial, installs;
    uint64_t write_backs, own_reads; /* Announced, to come out below. */
    uint32_t below,
        extra; /* Tokens below when they were counted, turns besides those of each cycle since; */
    WwCycle counted; /* then. */
    uint64_t steps;  /* Of the cache behind it, when it was made busy. */
    bool busy;
    bool used;       /* Accessed since lines were thrown out: else nothing is, the next time. */
    bool reads_only; /* This run: then a hit needs data that came. */
    bool shaken;     /* Lines were thrown out, the shape changed: what is under way may fill any. */
    bool touched[SETS][TAGS];             /* Lines that were accessed or installed. */
    bool present[SETS][TAGS][WHOLE / 32]; /* Units that came. */
} Cache;

/* cache_below.c */
/* The component's OUT port for requests; NULL if it has none, or one that others might come in by. */
const WwPortRow *cache_lower(const WwDrive *d);
uint64_t cache_unit_of(const Cache *c, uint64_t addr);
/* Is it under way, or has it come and not all were taken that wait for it? */
Unit *cache_unit(Cache *c, uint64_t addr);
/* One more waits for it (NULL: a read of the cache's own). */
void cache_wait(Cache *c, uint64_t unit, Req *r);
bool cache_room_for_waits(const Cache *c);
void cache_came(WwDrive *d, const WwPortRow *row, WwToken token);
/* Memory answers @p q after some time. */
void cache_respond(WwDrive *d, Cache *c, WwMemReq *q, bool own);
/* One of what came back, if there is one and the fill port is free. */
void cache_fill_one(WwDrive *d, Cache *c);
/* The next of what is complete. */
void cache_take_one(WwDrive *d, Cache *c);
