/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A slow cache for comparison, written from the rules alone: ways are searched one after the other,
 * misses stand in a list, the share of dirty lines is a division. It shares nothing with the
 * component but the names of policies.
 */
#pragma once

#include <ports/cache.h>

enum { M_INVALID, M_RESERVED, M_VALID, M_MODIFIED };
enum { M_LRU, M_FIFO };
enum { M_MISS, M_FILL, M_STREAMING };
enum { M_LINE_ALLOC, M_QUEUE_FULL, M_MSHR_ENTRY, M_MSHR_MERGE, M_RW_PENDING, M_N_FAILS };

typedef struct ModelConfig {
    bool sector, second;
    uint32_t sets, line, ways, max_ways, repl, write, alloc, walloc, index;
    uint32_t sector_assoc, entries, merge, queue, width, ratio;
} ModelConfig;

typedef struct ModelReq ModelReq;
struct ModelReq {
    uint64_t addr, partition;
    uint32_t size, type, sectors, id;
    bool bytes[128];
    bool write, atomic;
    uint64_t own_addr; /* while it travels */
    uint32_t own_size, line, parts;
    ModelReq *original;
    void *real; /* its counterpart */
};

typedef struct ModelSector {
    int status;
    bool readable, modified_on_fill, readable_on_fill;
} ModelSector;

typedef struct ModelLine {
    uint64_t tag;
    uint32_t last, born;
    bool bytes[128];
    bool merge_on_fill;
    ModelSector s[4];
} ModelLine;

typedef struct ModelMiss {
    uint64_t key;
    GPtrArray *list;
    bool atomic;
} ModelMiss;

typedef struct Model {
    ModelConfig k;
    uint32_t ways, atom, dirty;
    bool on_fill, used;
    ModelLine *line;
    GPtrArray *misses;   /* ModelMiss */
    GPtrArray *complete; /* ModelMiss, in order */
    GPtrArray *waiting;  /* ModelReq sent down */
    GPtrArray *queue;    /* ModelReq */
    GPtrArray *made;     /* all ModelReq that it made */
    uint32_t data, fill;
    uint64_t samples, data_busy, fill_busy;
    uint64_t outcome[WW_N_ACCESS_TYPES][WW_N_CACHE_RESULTS], fails[WW_N_ACCESS_TYPES][M_N_FAILS];
} Model;

Model *model_new(const ModelConfig *k);
void model_free(Model *m);
WwCacheResult model_access(Model *m, ModelReq *r, uint32_t now, uint32_t *sent);
bool model_waits(const Model *m, const ModelReq *r);
void model_fill(Model *m, ModelReq *r, uint32_t now);
bool model_ready(const Model *m);
ModelReq *model_take(Model *m);
/* One cycle; @p room below. What was sent, or NULL. */
ModelReq *model_cycle(Model *m, bool room);
void model_invalidate(Model *m);
void model_flush(Model *m);
void model_ways(Model *m, uint32_t ways);
void model_install(Model *m, uint64_t addr, uint64_t partition, uint32_t now);
