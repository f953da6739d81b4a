/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and the rig that they share. */
#pragma once

#include <ports/traffic.h>
#include <testing/fake_barriers.h>
#include <testing/fake_ctas.h>
#include <testing/fake_register_banks.h>
#include <testing/fake_scoreboard.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

#include "scripted_cache.h"

void register_coalesce_tests(void);
void register_coalescer_tests(void);
void register_smem_tests(void);
void register_shared_tests(void);
void register_global_tests(void);
void register_async_tests(void);
void register_sleep_tests(void);
void register_l1_tests(void);
void register_l1_queue_tests(void);
void register_l1_store_tests(void);
void register_carve_tests(void);
void register_model_tests(void);
void register_ideal_tests(void);
void register_lsu_tests(void);
void register_lsu_store_tests(void);
void register_lsu_table_tests(void);
void register_lsu_end_tests(void);
void register_link_tests(void);

/* A unit between fakes, both memory channels bound (depth 64 out, 2 in). */
typedef struct Rig {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeBarriers *barriers;
    WwFakeRegisterBanks *banks;
    WwFakeCtas *ctas;
    ScriptedCache *l1d; /* of rig_open_l1() */
} Rig;

/* @p out: parameters of the channel at mem_out, or NULL for depth 64. */
void rig_open(Rig *r, const char *params, const char *out);
/* The same with a coalescer of type @p coalescer, or none: NULL, with parameters @p of_coalescer. */
void rig_open_coalescer(Rig *r, const char *params, const char *coalescer,
                        const char *of_coalescer);
/* The same with an L1D, which rig_close() closes. */
void rig_open_l1(Rig *r, ScriptedCache *cache, const char *params);
/* The same with one that is open, and has other facts from the start. */
void rig_open_l1_as_is(Rig *r, ScriptedCache *cache, const char *params);
void rig_close(Rig *r);
/* The L1D of the tests is as Volta's; a load of four sectors, 4 bytes a lane. */
#define L1_VOLTA "l1_banks=4 l1_latency=20"
extern const WwTestInst l1_load;
/* A store of four sectors, 4 bytes a lane. */
extern const WwTestInst rig_store;
/* Puts an instruction where the next step accepts it. */
WwInst *rig_put(Rig *r, const WwTestInst *what);
/* Takes the oldest request, or NULL. */
WwMemReq *rig_request(Rig *r);
/* Puts a response; fails the test when there is no room. */
void rig_respond(Rig *r, WwMemReq *req);
/* Sends back everything that was requested, in order, one a tick, and lets it drain. */
void rig_answer_all(Rig *r);
/* The same for what an L1D sent down, one every other tick. */
void rig_answer_cache(Rig *r, ScriptedCache *cache);
/*
 * Steps until @p counter reaches @p value; the cycle in which it did. Fails the test after 10000.
 */
WwCycle rig_until(Rig *r, const uint32_t *counter, uint32_t value);
/* Entry "kind.reason" of the stall matrix. */
uint64_t rig_stall(Rig *r, const char *label);
