/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room share. */
#pragma once

#include <ports/traffic.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

void register_crossbar_tests(void);
void register_cluster_port_tests(void);
void register_routed_tests(void);
void register_routed_router_tests(void);
void register_alloc_tests(void);
void register_reply_router_tests(void);

/* ---- a routed network in a harness (test_routed.c) ---------------------------------------------------------------------- */

typedef struct Net {
    WwHarness *h;
    uint32_t clusters, slices;
} Net;

/* @p params follow topology-free defaults that make a packet of one flit take as little as can be. */
Net net_new(uint32_t clusters, uint32_t slices, const char *params);
/* A read request of cluster @p from, or a reply of slice @p from with @p size bytes; false: no room. */
bool net_put(Net *n, bool reply, uint32_t from, uint32_t to, uint32_t size, uint64_t serial);
/* The same of a request with data. */
bool net_put_write(Net *n, uint32_t from, uint32_t to, uint32_t size, uint64_t serial);
/* Serial of what comes out, or -1. */
int64_t net_take(Net *n, bool reply, uint32_t at);
/* Steps until something comes out there; returns the cycle after which it did, or 0 after @p limit. */
uint64_t net_until(Net *n, bool reply, uint32_t at, uint64_t limit, int64_t serial);
