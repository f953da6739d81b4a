/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contracts of the memory system: `cache` (one component type in the roles of L1D, L2, L1I, constant), `address_map`, `l1_control`
 * (carve-out), `memcpy` (warming the L2).
 *
 * A cache works in its user's turns (the LD/ST unit's, the fetch unit's, an L2 slice's): its own cycle is an owned step, which the user
 * runs with ww_step() in each of its cycles: at most one entry of the miss queue goes to `lower`, the cache's own OUT port, if it has room, and
 * ports count down.
 */
#pragma once

#include <ports/tokens.h>

/** What an access came to. */
typedef enum WwCacheResult {
    WW_CACHE_HIT,              /**< The data are there. */
    WW_CACHE_HIT_RESERVED,     /**< They are on their way for an access before. */
    WW_CACHE_MISS,             /**< They are not: see access(). */
    WW_CACHE_RESERVATION_FAIL, /**< Something that a miss needs is taken: try again. */
    WW_CACHE_SECTOR_MISS,      /**< Only in statistics and probes. */
    WW_CACHE_MSHR_HIT,         /**< Only in statistics. */
    WW_N_CACHE_RESULTS
} WwCacheResult;

/** What an access did besides its result; bits. */
enum {
    WW_CACHE_SENT_WRITE =
        1u << 0, /**< The request itself was forwarded (write-through, no-allocate). */
    WW_CACHE_SENT_READ = 1u << 1,        /**< A read went to the miss queue. */
    WW_CACHE_SENT_WRITE_ALLOC = 1u << 2, /**< An allocating read went to the miss queue. */
    WW_CACHE_SENT_WRITE_BACK = 1u << 3,  /**< A modified victim went to the miss queue. */
};

/** What becomes of a write that misses: users acknowledge writes according to it. */
typedef enum WwWriteAllocate {
    WW_ALLOCATE_NONE,  /**< It is sent on. */
    WW_ALLOCATE_NAIVE, /**< It is sent on, together with a read of the sector. */
    WW_ALLOCATE_FETCH, /**< Of all of a sector: takes it; of a part: reads the sector first. */
    WW_ALLOCATE_LAZY,  /**< Takes the sector at once; it is readable when all of it is written. */
} WwWriteAllocate;
/** Their names, in order. */
#define WW_WRITE_ALLOCATE_LABELS "none", "naive", "fetch", "lazy"
/** What becomes of a write that hits. */
typedef enum WwWritePolicy {
    WW_WRITE_READ_ONLY,               /**< There are none. */
    WW_WRITE_BACK,                    /**< It modifies the sector. */
    WW_WRITE_THROUGH,                 /**< The same, and is sent on. */
    WW_WRITE_EVICT,                   /**< It is sent on; the sector becomes INVALID. */
    WW_WRITE_LOCAL_BACK_GLOBAL_EVICT, /**< BACK for local memory, EVICT for global. */
} WwWritePolicy;
/** Their names, in order. */
#define WW_WRITE_LABELS "read_only", "back", "through", "evict", "local_back"

/** Constant facts that a user of a cache needs. */
struct WwCacheFacts {
    uint32_t sets, ways; /**< As configured. */
    uint32_t most_ways;  /**< What set_ways() takes at most. */
    uint32_t line;       /**< Bytes of a line. */
    uint32_t atom;       /**< Bytes of a tracked unit: 32 for a sector cache, else the line. */
    bool
        one_sector; /**< An access is of one sector: no more than `atom` bytes; else of no more than a line. */
    /**
     * Accesses are answered in their order (a texture cache): nothing hits at once, and a line counts as there from its miss on. HIT_RESERVED: it
     * is there, or on its way for an access before.
     */
    bool in_order;
    uint32_t mshr_sectors; /**< Sector-assoc MSHRs: line / 32 responses answer one miss; else 0. */
    WwWritePolicy write;
    WwWriteAllocate allocate;
};

/** Is @p response what the cache with these facts waits for: its miss, or a part of one? Then it is to be filled there. */
static inline bool ww_cache_awaits(const WwCacheFacts *facts, const WwMemReq *response)
{
    const WwMemReq *whole = response->original;
    return response->miss_of == facts ||
           (facts->mshr_sectors != 0 && whole != NULL && whole->miss_of == facts);
}

/** Ports of a cache that may be taken for some cycles. */
typedef enum WwCachePort {
    WW_CACHE_DATA_PORT, /**< By accesses. */
    WW_CACHE_FILL_PORT  /**< By what comes back from below. */
} WwCachePort;

/** What clear() makes INVALID. */
typedef enum WwCacheClear {
    WW_CACHE_ALL, /**< Every sector of every line; skipped when not accessed since the last time. */
    WW_CACHE_DIRTY, /**< Dirty lines (the reference's L2 flush). */
} WwCacheClear;

/** What the accesses of one stream came to: the cache's statistics `outcomes` and `fails`, of them alone. */
typedef struct WwCacheStream {
    uint64_t stream;
    const uint64_t *outcomes, *fails; /**< As long as the statistics. */
} WwCacheStream;

/** What a cache does for the one component that works it, in that one's turns. */
typedef struct WwCacheIf {
    /** Never change once the machine is sealed; for start() and reset() of its user, not for its init. */
    const WwCacheFacts *(*facts)(void *self);
    /**
     * Accesses the cache with @p req at time @p now (core cycles; an L2 adds its memcpy count). MISS and HIT_RESERVED: the cache holds the
     * request in an MSHR (reads) or in its miss queue (writes), or forwarded it; RESERVATION_FAIL: nothing changed, try again. @p sent
     * receives WW_CACHE_SENT_ bits.
     */
    WwCacheResult (*access)(void *self, WwMemReq *req, WwCycle now, uint32_t *sent);
    /** A response that it awaits (ww_cache_awaits()): fills and completes its MSHR entry; restores the request's own address and size. */
    void (*fill)(void *self, WwMemReq *req, WwCycle now);
    /** Looks at the next completed request, NULL: there is none; only fill() and take() change that. Takes it (MSHR entries in completion order, requests in order of arrival). */
    const WwMemReq *(*peek)(void *self);
    WwMemReq *(*take)(void *self);
    /** Is @p port free in this cycle? */
    bool (*port_free)(void *self, WwCachePort port);
    /** Lines become INVALID, nothing is written back. */
    void (*clear)(void *self, WwCacheClear what);
    /**
     * Adaptive carve-out: @p ways, at most `most_ways`, from now on. Streaming caches then allocate on fill (@p on_fill) or on miss; others
     * keep their policy.
     */
    void (*reshape)(void *self, uint32_t ways, bool on_fill);
    /** For reports: the @p i-th of the streams that have accessed the cache since power-on; false: there are fewer. */
    bool (*stream)(void *self, uint32_t i, WwCacheStream *out);
    /** Installs @p n neighbouring sectors, clean (memcpy): fills by address, of which the i-th is at time @p now + i. */
    void (*install)(void *self, uint64_t addr, uint64_t partition_addr, uint32_t n, WwCycle now);
    /**
     * What a read of @p addr would find, of a first-level cache, without any effect: HIT; HIT_RESERVED: not there, and its miss is under
     * way; MISS: neither.
     */
    WwCacheResult (*probe)(void *self, uint64_t addr);
    /**
     * Misses under way are given up: requests that wait for them are released, and what is answered is awaited no more. Of a cache whose
     * misses are answered at once.
     */
    void (*forget)(void *self);
    /** A line that came past the cache's own misses is put in at time @p now, as by fill(): the fill port is taken. */
    void (*bring)(void *self, uint64_t addr, WwCycle now);
    /** Ways that a set has now: those of the facts, until reshape() says otherwise. */
    uint32_t (*ways)(void *self);
    /**
     * For its user's start(): access(), fill(), bring() and port_free() come in turns of the entry point that owns the cache's step, which
     * may then sleep while ports are busy. NULL: it has no use for that.
     */
    void (*in_turns)(void *self);
    /**
     * Right after a refused access: will it be refused until something is filled, taken, accessed or cleared, or the cache's own step runs? Then
     * its user need not ask before, and says by refused() how often it would have asked. NULL: the cache wants to be asked.
     */
    bool (*refuses)(void *self);
    /** @p req, of which refuses() was true, would have been refused @p n times more. With refuses(). */
    void (*refused)(void *self, const WwMemReq *req, uint64_t n);
    /**
     * For its user's start(): what it sends down goes to another cache of its SM, not into the network; no packets are counted. NULL: it
     * counts none.
     */
    void (*inner)(void *self);
} WwCacheIf;
/** Port contract `cache`: tags, MSHRs and ports of a cache. WW_CACHE(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_cache;
#define WW_CACHE(port) ((const WwCacheIf *)(port)->table)
/** Says inner() to a cache that wants to know it. */
static inline void ww_cache_inner(const WwPort *port)
{
    if (WW_CACHE(port)->inner != NULL) {
        WW_CACHE(port)->inner(port->peer);
    }
}

/** Says in_turns() to a cache that wants to know it. */
static inline void ww_cache_in_turns(const WwPort *port)
{
    if (WW_CACHE(port)->in_turns != NULL) {
        WW_CACHE(port)->in_turns(port->peer);
    }
}

/* ---- address map ------------------------------------------------------------------------------------------------ */

/** Where addresses live in the memory system: the same answers all through a run. */
typedef struct WwAddressMapIf {
    /** Where the byte at @p addr lives. */
    void (*decode)(void *self, uint64_t addr, WwAddress *out);
    uint32_t (*channels)(void *self); /**< Of the whole GPU. */
    uint32_t (*slices)(void *self);   /**< Of the whole GPU. */
    /**
     * Bytes of the aligned blocks of addresses, a power of two, whose places differ in `partition` and `column` alone, and there by
     * as much as the addresses do. 0, or no such function: who asks for a place, and when, may matter.
     */
    uint32_t (*block)(void *self);
} WwAddressMapIf;
/** Port contract `address_map`: pure, so that all partitions share one provider. WW_ADDRESS_MAP(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_address_map;
#define WW_ADDRESS_MAP(port) ((const WwAddressMapIf *)(port)->table)

/** Somebody who asks an address map for many places, of which neighbours follow each other. */
typedef struct WwPlacer {
    bool early;     /**< A place is asked for as soon as the reference does: it may matter. */
    uint64_t mask;  /**< Bits of an address within its block. */
    uint64_t block; /**< Of `last`. */
    WwAddress last;
} WwPlacer;

/** For start() or reset(): @p map may be unbound. */
static inline void ww_placer_begin(WwPlacer *placer, const WwPort *map)
{
    bool tells = WW_BOUND(map) && WW_ADDRESS_MAP(map)->block != NULL;
    uint32_t bytes = tells ? WW_ADDRESS_MAP(map)->block(map->peer) : 0;
    *placer =
        (WwPlacer){.early = bytes == 0, .mask = bytes > 1 ? bytes - 1 : 0, .block = UINT64_MAX};
}

/** Where @p addr lives, by the @p map, which is bound. */
static inline void ww_place(WwPlacer *placer, const WwPort *map, uint64_t addr, WwAddress *out)
{
    uint64_t mask = placer->mask;
    if (mask == 0) {
        WW_ADDRESS_MAP(map)->decode(map->peer, addr, out);
        return;
    }
    if ((addr & ~mask) != placer->block) {
        placer->block = addr & ~mask;
        WW_ADDRESS_MAP(map)->decode(map->peer, addr & ~mask, &placer->last);
    }
    *out = placer->last;
    out->partition += addr & mask;
    out->column += (uint32_t)(addr & mask);
}

/* ---- control of first-level caches ------------------------------------------------------------------------------ */

typedef struct WwKernelRun WwKernelRun;
/** Adaptive carve-out: what of an SM's first-level memory is cache, and what is shared memory. */
typedef struct WwL1ControlIf {
    /**
     * An SM is asked for the first time to hold a CTA of @p run, with which it will use @p shmem_total bytes of shared memory (adaptive
     * carve-out). @p sm: whose cache is carved; UINT32_MAX: all, by the first that asks for this run.
     */
    bool (*carve)(void *self, uint32_t sm, const WwKernelRun *run, uint64_t shmem_total,
                  GError **error);
} WwL1ControlIf;
/** Port contract `l1_control`: sizes of L1Ds. WW_L1_CONTROL(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_l1_control;
#define WW_L1_CONTROL(port) ((const WwL1ControlIf *)(port)->table)

/* ---- caches of code --------------------------------------------------------------------------------------------- */

/** What can be asked of all caches of instructions of an SM together. */
typedef struct WwCodeCachesIf {
    /** All instructions that an SM's caches hold, or have asked for, are given up. Asked for while the SM holds no thread. */
    void (*clear)(void *self);
} WwCodeCachesIf;
/** Port contract `code_caches`: the instruction caches of an SM. WW_CODE_CACHES(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_code_caches;
#define WW_CODE_CACHES(port) ((const WwCodeCachesIf *)(port)->table)

/* ---- memcpy ----------------------------------------------------------------------------------------------------- */

/** Who is told of copies from the host, which warm the L2. */
typedef struct WwMemcpyIf {
    /** A host-to-device copy of @p bytes to @p addr happens now; takes no time. */
    void (*copy)(void *self, uint64_t addr, uint64_t bytes);
} WwMemcpyIf;
/** Port contract `memcpy`: host-to-device copies that warm the L2. WW_MEMCPY(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_memcpy;
#define WW_MEMCPY(port) ((const WwMemcpyIf *)(port)->table)

/* ---- control of the L2 slices ----------------------------------------------------------------------------------- */

/** The most slices of a GPU that one component controls. */
#define WW_MAX_SLICES 256u

/** What is asked of one L2 slice from outside of its traffic. */
typedef struct WwL2ControlIf {
    /** @p n neighbouring sectors that a memcpy brought: installs them clean; each one adds 1 to the times that the slice gives its cache from now on. */
    void (*install)(void *self, uint64_t addr, uint64_t partition_addr, uint32_t n);
    /**
     * While on, each core cycle ends with all dirty lines INVALID, without write-back (the reference's L2 flush), or all lines, by the
     * slice's choice. Core cycle @p edge is the first that does, or that does no more.
     */
    void (*flush)(void *self, bool on, WwCycle edge);
} WwL2ControlIf;
/** Port contract `l2_control`: warming and flushing an L2 slice. Nobody is woken. WW_L2_CONTROL(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_l2_control;
#define WW_L2_CONTROL(port) ((const WwL2ControlIf *)(port)->table)

/* ---- arrivals --------------------------------------------------------------------------------------------------- */

/** Who is told of packets that L2 slices take. */
typedef struct WwArrivalsIf {
    /** A slice took a packet out of the network in cycle @p edge of the L2's clock. May be called from several partitions at once. */
    void (*arrived)(void *self, WwCycle edge);
} WwArrivalsIf;
/** Port contract `arrivals`: reduce, so slices of all partitions tell one provider. WW_ARRIVALS(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_arrivals;
#define WW_ARRIVALS(port) ((const WwArrivalsIf *)(port)->table)
