/* SPDX-License-Identifier: Apache-2.0 */
/** @file Lines and sectors of the slow cache; its misses and accesses are in model.c. */
#pragma once

#include "model.h"

/* A modified line that another one takes the place of. */
typedef struct ModelVictim {
    bool any;
    uint64_t addr;
    uint32_t size, sectors;
    bool bytes[128];
} ModelVictim;

/* Has a sector of the line this status? */
bool model_any(const Model *m, const ModelLine *l, int status);
/* The sector that a mask of sectors means. */
uint32_t model_sector_of(const Model *m, uint32_t mask);
/* What an access would find, and in which line. */
WwCacheResult model_probe(const Model *m, uint64_t addr, uint64_t partition, uint32_t mask,
                          bool write, uint32_t *out);
/* The same, and the line is taken for it: what stood there before is a victim. */
WwCacheResult model_tag_access(Model *m, const ModelReq *r, uint32_t now, uint32_t *index,
                               ModelVictim *v);
/* These bytes are written in the line. */
void model_add_bytes(ModelLine *l, const bool *bytes);
/* Data for a sector have come: to a line; */
void model_fill_line(Model *m, uint32_t index, uint32_t s, const bool *bytes);
/* to wherever the address belongs. */
void model_fill_address(Model *m, uint64_t addr, uint64_t partition, uint32_t mask,
                        const bool *bytes, bool write, uint32_t now);
