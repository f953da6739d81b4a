/* SPDX-License-Identifier: Apache-2.0 */
/* Which cache is what in the reference's report: seen from the wiring, by who uses it. */
#include "accelsim-priv.h"

#include <ports/cache.h>
#include <string.h>

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
        uint32_t n = row->count_offset != 0
                         ? *(const uint32_t *)(const void *)(base + row->count_offset)
                         : 1;
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
