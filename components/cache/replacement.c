/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `replacement.lru`, `replacement.srrip`: which line of a set goes.
 *
 *     cache => policy
 *
 * The first is what the caches do by themselves, as a part: the line whose last access is the longest ago, of several the one in the lowest way.
 *
 * The second is static re-reference interval prediction with hit priority: a line that comes is expected again late, but for one that was hit, which is
 * expected at once; the one expected last goes, of several that in the lowest way, and then all that stay are expected later by as much as it
 * took to make that one distant. Source: Jaleel et al., High Performance Cache Replacement Using Re-Reference Interval Prediction, ISCA 2010. It ages the lines
 * when it looks for a victim; here, where asking has no effect, when the new line comes: the same, for the cache asks in between for nothing
 * else in that set.
 */
#include "types.h"

#include <ports/replacement.h>
#include <string.h>

/* ---- least recently used --------------------------------------------------------------------- */

typedef struct Lru {
    WwComponent base;
    WwProvided policy; /* port */
    uint32_t *age;     /* state: last access of */
    uint32_t lines;    /* so many */
} Lru;

static void lru_begin(void *self, uint32_t lines)
{
    Lru *p = self;
    p->age = p->age != NULL ? p->age : ww_alloc(p, lines * sizeof *p->age);
    p->lines = lines;
}

static uint32_t lru_victim(void *self, WwCacheSet set, const uint64_t *may)
{
    const uint32_t *age = ((const Lru *)self)->age + set.first;
    uint32_t best = WW_MAX_WAYS;
    for (uint32_t way = 0; way < set.ways; way++) {
        if (ww_way_may(may, way) && (best == WW_MAX_WAYS || age[way] < age[best])) {
            best = way;
        }
    }
    return best;
}

static void lru_touched(void *self, WwCacheSet set, uint32_t way, uint32_t now)
{
    ((Lru *)self)->age[set.first + way] = now;
}

static void lru_filled(void *self, WwCacheSet set, uint32_t way, uint64_t line, bool replaced,
                       uint32_t now)
{
    ((Lru *)self)->age[set.first + way] = now;
}

static void lru_reset(void *self)
{
    Lru *p = self;
    if (p->age != NULL) {
        memset(p->age, 0, p->lines * sizeof *p->age);
    }
}

static const WwReplacementIf lru_table = {
    .begin = lru_begin, .victim = lru_victim, .touched = lru_touched, .filled = lru_filled};

static const WwPortRow lru_ports[] = {
    WW_PORT_PROVIDES(Lru, policy, &ww_contract_replacement, &lru_table, "serves a cache"),
    {0},
};

const WwType replacement_lru_type = {
    .abi = WW_ABI_VERSION,
    .name = "replacement.lru",
    .doc = "Replaces the least recently used line: the built-in policy of caches as a component.",
    .family = "replacement",
    .size = sizeof(Lru),
    .ports = lru_ports,
    .reset = lru_reset,
};

/* ---- re-reference intervals ------------------------------------------------------------------ */

typedef struct Srrip {
    WwComponent base;
    uint32_t bits;     /* parameter */
    WwProvided policy; /* port */
    uint8_t *interval; /* state: re-reference prediction values of */
    uint32_t lines;    /* so many */
    uint64_t aged;     /* statistic */
} Srrip;

static inline uint8_t distant(const Srrip *p)
{
    return (uint8_t)((1u << p->bits) - 1);
}

static void srrip_begin(void *self, uint32_t lines)
{
    Srrip *p = self;
    p->interval = p->interval != NULL ? p->interval : ww_alloc(p, lines);
    p->lines = lines;
}

static uint32_t srrip_victim(void *self, WwCacheSet set, const uint64_t *may)
{
    const uint8_t *interval = ((const Srrip *)self)->interval + set.first;
    uint32_t best = WW_MAX_WAYS;
    for (uint32_t way = 0; way < set.ways; way++) {
        if (ww_way_may(may, way) && (best == WW_MAX_WAYS || interval[way] > interval[best])) {
            best = way;
        }
    }
    return best;
}

static void srrip_touched(void *self, WwCacheSet set, uint32_t way, uint32_t now)
{
    ((Srrip *)self)->interval[set.first + way] = 0;
}

/* Lines get older until the one that goes is distant. */
static void srrip_filled(void *self, WwCacheSet set, uint32_t way, uint64_t line, bool replaced,
                         uint32_t now)
{
    Srrip *p = self;
    uint8_t *interval = p->interval + set.first, most = distant(p);
    uint8_t by = replaced ? (uint8_t)(most - interval[way]) : 0;
    p->aged += by != 0;
    for (uint32_t i = 0; by != 0 && i < set.ways; i++) {
        interval[i] = MIN((uint8_t)(interval[i] + by), most);
    }
    interval[way] = (uint8_t)(most - 1);
}

static void srrip_reset(void *self)
{
    Srrip *p = self;
    if (p->interval != NULL) {
        memset(p->interval, 0, p->lines);
    }
}

static const WwReplacementIf srrip_table = {
    .begin = srrip_begin, .victim = srrip_victim, .touched = srrip_touched, .filled = srrip_filled};

static const WwParamRow srrip_params[] = {
    WW_UINT(Srrip, bits, "", "2", 1, 7, "bits of a line's prediction"),
    {0},
};

static const WwPortRow srrip_ports[] = {
    WW_PORT_PROVIDES(Srrip, policy, &ww_contract_replacement, &srrip_table, "serves a cache"),
    {0},
};

static const WwStatRow srrip_stats[] = {
    WW_COUNTER(Srrip, aged, "lines", "lines that replaced one whose prediction was not distant"),
    {0},
};

const WwType replacement_srrip_type = {
    .abi = WW_ABI_VERSION,
    .name = "replacement.srrip",
    .doc = "Replaces the line expected to be reused last: static re-reference interval prediction.",
    .family = "replacement",
    .size = sizeof(Srrip),
    .params = srrip_params,
    .ports = srrip_ports,
    .stats = srrip_stats,
    .reset = srrip_reset,
};
