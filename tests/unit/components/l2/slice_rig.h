/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One slice alone, its cache a fake one. The bench runs the reply entry after the L2's in a cycle,
 * where a GPU runs it before: replies come one cycle earlier here.
 */
#pragma once

#include "tests.h"

typedef struct Rig {
    WwHarness *h;
    WwFakeCache *cache;
} Rig;

/* A slice with these channels towards the network and DRAM; without a cache if not @p cached. */
Rig slice_rig_of(const char *params, const char *reply, const char *down, bool cached);
/* The same with long channels and a cache. */
Rig slice_rig(const char *params);
void slice_rig_free(Rig *r);
/* A request of 32 bytes; */
WwMemReq *slice_req(Rig *r, WwAccessType type, uint64_t addr);
/* put, too. */
WwMemReq *slice_request(Rig *r, WwAccessType type, uint64_t addr);
/* What comes out of @p port, or NULL. */
WwMemReq *slice_take(Rig *r, const char *port);
void slice_step(Rig *r, uint64_t n);
uint64_t slice_stat(Rig *r, const char *name);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Rig, slice_rig_free)
