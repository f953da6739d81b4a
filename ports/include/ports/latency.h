/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `latency`: round trips of memory requests, as far as no partition can know them alone (averages over
 * windows of time, tables by memory bank).
 *
 * Only what has to be known in one place goes through here: whoever hands a response over keeps its own sums, maxima and
 * tables, and so does whoever takes a request out of the network; the report adds them up.
 */
#pragma once

#include <ports/tokens.h>

/** Round trips to one bank of one channel. */
typedef struct WwBankLatency {
    uint64_t sum; /**< Cycles. */
    uint64_t max; /**< Cycles. */
} WwBankLatency;

/** Who adds up round trips of all SMs. */
typedef struct WwLatencyIf {
    /**
     * A data response is handed over to its SM at core cycle @p now, @p latency cycles after its birth. Not for instruction
     * lines. May be called from several partitions, which need not have the same time.
     */
    void (*handed)(void *self, const WwMemReq *req, uint32_t latency, WwCycle now);
    /** Round trips by bank, for reports: @p bank as decoded from the address. */
    WwBankLatency (*bank)(void *self, uint32_t channel, uint32_t bank);
} WwLatencyIf;
/** Port contract `latency`: reduce, so SMs of all partitions tell one provider. WW_LATENCY(): the functions behind a port of it. */
WW_API extern const WwContract ww_contract_latency;
#define WW_LATENCY(port) ((const WwLatencyIf *)(port)->table)
