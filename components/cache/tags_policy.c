/* SPDX-License-Identifier: Apache-2.0 */
/* Replacement by another part: what it is told and asked. */
#include "cache-priv.h"

static inline WwCacheSet set_of(const Tags *t, uint32_t set)
{
    return (WwCacheSet){set * t->ways, t->ways};
}

WW_COLD static uint32_t wrong_way(const Tags *t, uint32_t way, const uint64_t *may)
{
    uint32_t first = 0;
    g_autofree char *cache = ww_path(t->owner), *policy = ww_path(t->policy->peer);
    ww_fail_run(t->owner,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: %s chooses way %u of %u; expected one that may be replaced", cache,
                            policy, way, t->ways));
    while (!ww_way_may(may, first)) {
        first++;
    }
    return first;
}

uint32_t tags_other_victim(const Tags *t, uint32_t set)
{
    uint64_t may[WW_MAX_WAYS / 64], any = 0;
    memset(may, 0, (t->ways + 63) / 64 * sizeof *may); /* the policy looks at no more */
    bool modified = t->dirty >= t->limit;
    for (uint32_t way = 0; way < t->ways; way++) { /* none is INVALID: each has its line */
        LineClass class = line_class(t->line[t->at[set * t->ways + way] - 1].status);
        uint64_t goes = class == LINE_CLEAN || (class == LINE_MODIFIED && modified);
        may[way / 64] |= goes << way % 64;
        any |= goes;
    }
    if (any == 0) {
        return NO_LINE;
    }
    uint32_t way = WW_REPLACEMENT(t->policy)->victim(t->policy->peer, set_of(t, set), may);
    if (G_UNLIKELY(way >= t->ways || !ww_way_may(may, way))) {
        way = wrong_way(t, way, may);
    }
    return t->at[set * t->ways + way] - 1u;
}

void tags_tell_touched(const Tags *t, uint32_t line, uint32_t now)
{
    uint32_t place = t->line[line].place;
    if (place < t->visible) {
        WW_REPLACEMENT(t->policy)->touched(t->policy->peer, set_of(t, place / t->ways),
                                           place % t->ways, now);
    }
}

void tags_tell_filled(const Tags *t, uint32_t line, bool replaced, uint32_t now)
{
    const Line *l = &t->line[line];
    WW_REPLACEMENT(t->policy)->filled(t->policy->peer, set_of(t, l->place / t->ways),
                                      l->place % t->ways, l->tag, replaced, now);
}

bool cache_start(void *self, GError **error)
{
    const Cache *c = self;
    if (WW_BOUND(&c->policy)) {
        WW_REPLACEMENT(&c->policy)->begin(c->policy.peer, c->sets * c->most_ways);
    }
    return true;
}
