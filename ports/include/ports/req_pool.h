/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The memory transactions that a component makes itself: write-backs, allocating reads, parts of packets. They end wherever
 * they are done with, which may be another partition.
 */
#pragma once

#include <ports/tokens.h>
#include <warpwright/pool.h>

/** A pool of transactions; as their owner it takes them back. */
typedef struct WwReqPool {
    WwMemOwner owner; /**< First: release() finds the pool by it. */
    WwPool pool;
    WwMemReq *returned; /**< Released, from whatever partition; not yet free. */
    uint64_t serial;    /**< Of the next one. */
} WwReqPool;

/** Out of line: the run ends, since @p req of component @p self was released twice. For WwMemOwner.release() of who keeps requests itself. */
WW_API void ww_mem_released_twice(void *self, const WwMemReq *req);
/** For init: the pool of component @p self. */
WW_API void ww_req_pool_init(WwReqPool *pool, void *self);
/** None is under way any more. */
WW_API void ww_req_pool_reset(WwReqPool *pool);
/** A new transaction: owner and serial are set, all else is 0. */
WW_API WwMemReq *ww_req_pool_take(WwReqPool *pool);
/**
 * Says that the component holds what each transaction under way was made for. Returns the oldest by birth, of several the first that was
 * made; NULL: none.
 */
WW_API const WwMemReq *ww_req_pool_explain(WwReqPool *pool, WwExplain *explain);
