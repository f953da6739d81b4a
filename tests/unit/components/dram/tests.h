/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of this room share. */
#pragma once

#include <ports/cache.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

extern const WwRegistry *registry; /* test_registry() */

void add_address_map_tests(void);
void add_frfcfs_tests(void);
void add_naive_tests(void);
void add_channel_tests(void);

/** A request of slice 0 to @p bank and @p row; its @p serial tells it from others. */
WwMemReq *new_req(WwHarness *h, WwAccessType type, uint32_t bank, uint32_t row, uint64_t serial);
/** Puts it into request port of its slice. */
void put_req(WwHarness *h, WwMemReq *req);
/** Serial of the next response to slice @p slice, or -1. */
int64_t take_response(WwHarness *h, uint32_t slice);
/** Steps until slice @p slice has a response, and takes it; the cycle in which it came. */
WwCycle response_at(WwHarness *h, uint32_t slice, int64_t serial);
/** "port[i]", good until the next call but seven. */
const char *element(const char *port, uint32_t i);
