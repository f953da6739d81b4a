/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and what they share. */
#pragma once

#include <ports/cache.h>
#include <ports/traffic.h>
#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_shape_tests(void);
void register_lookup_tests(void);
void register_read_tests(void);
void register_write_tests(void);
void register_time_tests(void);
void register_icache_tests(void);
void register_texture_tests(void);
void register_model_tests(void);
void register_replacement_tests(void);

/* A cache alone; the test is its user, and what lies below it. */
typedef struct Rig {
    WwHarness *h;
    const WwCacheIf *c;
    void *self;
    WwCycle now;
    uint32_t sent; /* by the last access */
} Rig;

/* A cache of @p type; `lower` holds @p depth transactions. */
Rig *rig_new(const char *type, const char *params, uint32_t depth);
/* The same with a replacement of type @p policy, if not NULL, with parameters @p of_policy. */
Rig *rig_new_with(const char *type, const char *params, uint32_t depth, const char *policy,
                  const char *of_policy);
void rig_free(Rig *r);
/* A sector's request: @p n bytes from @p addr; writes GLOBAL_ACC_W, reads GLOBAL_ACC_R. */
WwMemReq *rig_req(Rig *r, bool write, uint64_t addr, uint32_t n);
/* A request for a whole line of 128 bytes, for caches without sectors. */
WwMemReq *rig_line(Rig *r, bool write, uint64_t addr);
/* Accesses at the next time. */
WwCacheResult rig_access(Rig *r, WwMemReq *req);
/* The same with a fresh request. */
WwCacheResult rig_read(Rig *r, uint64_t addr);
WwCacheResult rig_write(Rig *r, uint64_t addr, uint32_t n);
/* One cycle; what came out below, or NULL. */
WwMemReq *rig_cycle(Rig *r);
/* All that is sent down is answered, all that completes is taken: the reads are over. */
void rig_settle(Rig *r);
/* Puts a whole sector in: a read, its answer. */
void rig_load(Rig *r, uint64_t addr);
/* Counts so far: outcome or failure by its label. */
uint64_t rig_count(Rig *r, const char *stat, const char *label);
