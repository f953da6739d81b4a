/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Port contracts that travel through a `fifo`: plain numbers, fetched groups, memory requests and responses.
 */
#pragma once

#include <ports/fifo.h>
#include <ports/inst.h>

/**
 * A token that stands for something is its address: what a fifo of memory requests gives is a WwMemReq, what one of instructions
 * gives a WwInst. A token of numbers or fetched groups is a value (ww_fetch_warp()).
 */
static inline WwToken ww_token_of(const void *pointer)
{
    return (WwToken)(uintptr_t)pointer;
}
/** What ww_token_of() made a token of. */
static inline void *ww_token_pointer(WwToken token)
{
    return (void *)(uintptr_t)token;
}

/** Plain numbers: for teaching, sources, sinks and tests. */
WW_API extern const WwPayload ww_payload_number;
/** Port contract: plain numbers through a `fifo`. */
WW_API extern const WwContract ww_contract_number;
/** The same numbers through a `wire`. */
WW_API extern const WwContract ww_contract_number_wire;
/** Either end of a fifo, whatever it carries: probes, delays, sinks. */
WW_API extern const WwContract ww_contract_any;

/** A fetched group of instructions: which warp, from which pc. Packed by value. */
WW_API extern const WwPayload ww_payload_fetch;
/** Port contract: fetched groups on their way to the decoder, through a `fifo`. */
WW_API extern const WwContract ww_contract_fetch;

/** The token of a group of warp @p warp, below 256, from @p pc, below 2^56. */
static inline WwToken ww_fetch_token(uint32_t warp, uint64_t pc)
{
    return pc << 8 | warp;
}
/** Its warp, */
static inline uint32_t ww_fetch_warp(WwToken t)
{
    return (uint32_t)(t & 0xff);
}
/** and its pc. */
static inline uint64_t ww_fetch_pc(WwToken t)
{
    return t >> 8;
}

/** What a memory request is for: the reference's access types, which its statistics are kept by. */
typedef enum WwAccessType {
    WW_ACCESS_GLOBAL_R,
    WW_ACCESS_LOCAL_R,
    WW_ACCESS_CONST_R,
    WW_ACCESS_TEXTURE_R,
    WW_ACCESS_GLOBAL_W,
    WW_ACCESS_LOCAL_W,
    WW_ACCESS_L1_WRBK, /**< A modified victim of a first-level cache. */
    WW_ACCESS_L2_WRBK, /**< Of an L2 slice. */
    WW_ACCESS_INST_R,
    WW_ACCESS_L1_WR_ALLOC_R, /**< A first-level cache reads what a write to it needs. */
    WW_ACCESS_L2_WR_ALLOC_R, /**< An L2 slice does. */
    WW_N_ACCESS_TYPES
} WwAccessType;

/** What @p of makes of the reference's name of each type, in order; for tables of labels. */
#define WW_ACCESS_LABELS(of)                                                                       \
    of("GLOBAL_ACC_R"), of("LOCAL_ACC_R"), of("CONST_ACC_R"), of("TEXTURE_ACC_R"),                 \
        of("GLOBAL_ACC_W"), of("LOCAL_ACC_W"), of("L1_WRBK_ACC"), of("L2_WRBK_ACC"),               \
        of("INST_ACC_R"), of("L1_WR_ALLOC_R"), of("L2_WR_ALLOC_R")

/** The reference's name: "GLOBAL_ACC_R". */
WW_API const char *ww_access_type_name(WwAccessType type);

/** Bytes of a 128-byte line: bit i of word i / 64. */
typedef struct WwByteMask {
    uint64_t w[2];
} WwByteMask;

/** Banks of a DRAM channel that are told apart: no channel with command timing has more. */
#define WW_MAX_DRAM_BANKS 64u

/** Where an address lives in the memory system; filled in once, when the transaction is created (see ports/cache.h). */
typedef struct WwAddress {
    uint64_t
        partition; /**< The address with channel and slice bits squeezed out: what L2 sets are indexed by. */
    uint16_t channel; /**< Memory channel. */
    uint16_t slice;   /**< L2 slice of the GPU: channel * slices a channel + which. */
    uint32_t bank, row, column;
} WwAddress;

typedef struct WwMemReq WwMemReq;
/** What is known of a transaction that has been in the L2. */
enum {
    WW_L2_ACCESS = 1u << 0, /**< It was looked up, */
    WW_L2_HIT = 1u << 1,    /**< and hit. */
};
typedef struct WwCacheFacts WwCacheFacts;

/** Whoever created a transaction: takes it back when it ends elsewhere (a write-back that reached memory). */
typedef struct WwMemOwner {
    void (*release)(struct WwMemOwner *owner, WwMemReq *req);
} WwMemOwner;

/**
 * A memory transaction. The requester owns it and gets the same handle back as the response (reads and atomics with data, writes
 * as an acknowledgement); whoever holds it in between must not free it. A transaction that nobody waits for (a write-back) ends with
 * ww_mem_release().
 */
struct WwMemReq {
    /* what every station looks at: with what a pool has before it, a cache line of the host */
    uint64_t
        addr; /**< First byte; for a sector cache aligned to 32. A cache that misses makes it its atom's. */
    WwAddress at; /**< Decoded address. */
    /* measured only: nothing in a model is decided by them, and whoever holds it writes them; see ww_mem_since() */
    uint32_t birth;   /**< Core cycle of creation. */
    uint32_t stamp;   /**< Core cycle of the last hand-over that a statistic measures. */
    uint32_t size;    /**< Bytes. */
    uint16_t sm;      /**< Requester. */
    uint16_t cluster; /**< Network port of the requester. */
    uint16_t warp;
    uint8_t type;    /**< WwAccessType */
    uint8_t sectors; /**< Bit i: 32-byte sector i of the line. */
    bool write;      /**< Carries data to memory; answered by an acknowledgement. */
    bool atomic;     /**< A read that also writes. */
    bool response;   /**< On its way back. */
    bool awaited;    /**< The warp that it is for is not finished before it is answered. */
    /* what caches and its owner look at: another */
    WwMemOwner *owner; /**< Takes it back; NULL: nobody has to (tests). */
    const WwCacheFacts *
        miss_of; /**< The cache, by its facts, that sent it down for a miss and waits for it; NULL: none. */
    WwMemReq *
        original; /**< What it was made for: the whole of a split request, the write of a write-allocate read. */
    WwMemReq *next;   /**< List of its present holder. */
    WwByteMask bytes; /**< Bytes of the 128-byte line that are touched. */
    uint32_t lanes;   /**< Lanes that it serves. */
    bool bypass_l1;   /**< Cache operator "global". */
    uint8_t l2 : 2;   /**< What it came to in the L2: WW_L2_ bits, for figures. */
    uint8_t way : 6;  /**< How it came through those that merge requests: ww_mem_went(). */
    uint16_t
        miss; /**< Where the cache of `miss_of` keeps the miss: its own affair, and that of caches below, which leave it as it was. */
    uint64_t stream; /**< CUDA stream of the kernel that it was made for: caches count by it. */
    /* the rest */
    uint64_t
        serial; /**< Order of creation at its requester: identifies it in logs and fingerprints. */
    WwInst *inst; /**< The requester's own: instruction it belongs to, or NULL. */
    uint64_t uid; /**< Of the instruction that it was made for, for logs; 0: of none. */
};
G_STATIC_ASSERT(offsetof(WwMemReq, owner) == 56 && offsetof(WwMemReq, serial) == 120);

/** Cycles from @p then (`birth` or `stamp` of a transaction: the lower half of a cycle's number) to @p now; less than 2^32. */
static inline uint32_t ww_mem_since(uint32_t then, WwCycle now)
{
    return (uint32_t)now - then;
}
/** Was @p a created before @p b, of two that exist at one time? */
static inline bool ww_mem_is_older(const WwMemReq *a, const WwMemReq *b)
{
    return a->birth != b->birth && b->birth - a->birth < UINT32_MAX / 2;
}

/** Ways that can be told apart, of all that a transaction goes through. */
#define WW_MEM_WAYS 64u
/**
 * For who merges requests of @p n requesters: @p req came by way @p k of these. It is told beside what others on its way to memory said, and parts of
 * a split request know it, too. False: there is no room for that.
 */
static inline bool ww_mem_went(WwMemReq *req, uint32_t k, uint32_t n)
{
    uint32_t way = req->way * n + k;
    req->way = way & (WW_MEM_WAYS - 1);
    return way < WW_MEM_WAYS;
}
/** For the same one, which hands answer @p req on: the way of @p n by which it goes back. */
static inline uint32_t ww_mem_way(const WwMemReq *req, uint32_t n)
{
    return req->way % n;
}
/** It has gone that way: those nearer to the requester see what they said. */
static inline void ww_mem_back(WwMemReq *req, uint32_t n)
{
    req->way = (uint8_t)(req->way / n) & (WW_MEM_WAYS - 1);
}

/** Thing to wait for in explanations: the end of a transaction. */
static inline uint64_t ww_thing_req(const WwMemReq *req)
{
    return (uint64_t)(uintptr_t)req | WW_THING_NAMED;
}
/** Says that the component holds @p req. */
WW_API void ww_explain_holds_req(WwExplain *explain, const WwMemReq *req);
/** The transaction that a token of ww_contract_mem_request, _mem_response or a DRAM contract is. */
static inline WwMemReq *ww_token_mem(WwToken token)
{
    return (WwMemReq *)ww_token_pointer(token);
}
/** The instruction that a token of ww_contract_inst is, where it comes as a token (ww_regs_take() gives it as it is). */
static inline WwInst *ww_token_inst(WwToken token)
{
    return (WwInst *)ww_token_pointer(token);
}

/** Gives a transaction back to its owner. */
static inline void ww_mem_release(WwMemReq *req)
{
    if (req->owner != NULL) {
        req->owner->release(req->owner, req);
    }
}

/** What fifos between SMs and memory carry: the token is a WwMemReq. */
WW_API extern const WwPayload ww_payload_mem;
/** Requests from an SM (or cache) towards memory. */
WW_API extern const WwContract ww_contract_mem_request;
/** The same transactions coming back. */
WW_API extern const WwContract ww_contract_mem_response;
/** Bytes of a sector, the least that a transaction is of. */
#define WW_SECTOR_BYTES 32u
/** What is known of responses (ww_carried()): a request of more than a sector is answered sector by sector, as an L2 of sectors does. */
#define WW_CARRIES_PARTS 1u

/** Requests and their sectors between an L2 slice and its DRAM channel. */
WW_API extern const WwContract ww_contract_dram_request;
/** The same transactions coming back. */
WW_API extern const WwContract ww_contract_dram_response;
