/* SPDX-License-Identifier: Apache-2.0 */
/* Which cache is what in the reference's report: seen from the wiring, by who uses it. */
#include "accelsim-priv.h"

#include <ports/cache.h>
#include <string.h>

/* Ends bound to a port, or to the one of an array. */
static uint32_t bound(const WwComponent *c, const WwPortRow *row)
{
    return row->count_offset != 0
               ? *(const uint32_t *)(const void *)((const char *)c + row->count_offset)
               : 1;
}

bool accelsim_networks(const WwResults *r, const char *type, const char *port)
{
    bool found = false;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, type) == 0) {
            found |= bound(c, &c->type->ports[ww_type_port(c->type, port)]) != 0;
        }
    }
    return found;
}

uint32_t accelsim_behind(const WwComponent *user, const char *port, AccelsimSee see, void *data)
{
    const WwPortRow *row;
    uint32_t found = 0;
    for (WW_ROWS(user->type->ports, row)) {
        if (row->contract != &ww_contract_cache || strcmp(row->name, port) != 0) {
            continue;
        }
        const char *base = (const char *)user;
        const WwPort *p = (const WwPort *)(const void *)(base + row->offset);
        uint32_t n = bound(user, row);
        for (uint32_t i = 0; i < n; i++) {
            if (WW_BOUND(&p[i])) {
                see(p[i].peer, data);
                found++;
            }
        }
    }
    return found;
}

uint32_t accelsim_all_behind(const WwResults *r, const AccelsimPlace *places, AccelsimSee see,
                             void *data)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        for (const AccelsimPlace *p = places; p->type != NULL; p++) {
            if (strcmp(c->type->name, p->type) == 0) {
                found += accelsim_behind(c, p->port, see, data);
            }
        }
    }
    return found;
}

/* Those whose users call ww_cache_inner(). */
static const AccelsimPlace inner[] = {
    {"icache.l0", "cache"}, {"constants.l0", "cache"}, {"ldst.shared", "constants"}, {0}};

typedef struct Less {
    const char *stat;
    uint64_t *sum;
    uint32_t n;
} Less;

static void subtract(WwComponent *cache, void *data)
{
    const Less *l = data;
    int row = ww_type_stat(cache->type, l->stat);
    for (uint32_t i = 0; row >= 0 && i < MIN(cache->type->stats[row].n, l->n); i++) {
        l->sum[i] -= ww_stat_values(cache, &cache->type->stats[row])[i];
    }
}

void accelsim_without_inner(const WwResults *r, const char *stat, uint64_t *sum, uint32_t n)
{
    Less l = {stat, sum, n};
    accelsim_all_behind(r, inner, subtract, &l);
}
