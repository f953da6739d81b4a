/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of `replacement`: a cache of a few sets that fills up; some of its lines may not go, now and then all become INVALID. */
#include "drivers-priv.h"

#include <ports/replacement.h>
#include <string.h>
#include <warpwright/component.h>

enum { SETS = 4, WAYS = 70, FEW = 5 }; /* more than a word's bits; a set that is full soon */

typedef struct Sets {
    bool begun;
    uint32_t ways;
    bool filled[SETS][WAYS];
} Sets;

static void fill(WwDrive *d, WwCacheSet set, uint32_t way, bool replaced, uint32_t now)
{
    const WwReplacementIf *f = d->table;
    Sets *s = d->state;
    uint64_t line = (uint64_t)ww_drive_draw(d, 1u << 20) * 128;
    f->filled(d->self, set, way, line, replaced, now);
    s->filled[set.first / set.ways][way] = true;
}

static bool asked(WwDrive *d, WwCacheSet set, const uint64_t *may, uint32_t *way)
{
    const WwReplacementIf *f = d->table;
    *way = f->victim(d->self, set, may);
    if (*way >= set.ways || !ww_way_may(may, *way)) {
        ww_drive_wrong(d, "way %u of %u goes, which may not", *way, set.ways);
        return false;
    }
    return true;
}

/* A set that is full: lines that may go, of which one goes, asked once, or again. */
static void replace(WwDrive *d, WwCacheSet set, uint32_t now)
{
    uint64_t may[2] = {0, 0};
    uint32_t sure = ww_drive_draw(d, set.ways), way, again;
    for (uint32_t i = 0; i < set.ways; i++) {
        may[i / 64] |= (uint64_t)(i == sure || ww_drive_draw(d, 3) != 0) << i % 64;
    }
    if (!asked(d, set, may, &way) || !asked(d, set, may, &again)) {
        return;
    }
    if (way != again) {
        ww_drive_wrong(d, "way %u goes, and asked again way %u; nothing happened between", way,
                       again);
    }
    ww_drive_say(d, "of set %u way %u", set.first / set.ways, way);
    fill(d, set, way, true, now);
}

static void replacement_drive(WwDrive *d)
{
    const WwReplacementIf *f = d->table;
    Sets *s = d->state;
    uint32_t now = (uint32_t)ww_harness_now(d->h);
    if (!s->begun) {
        s->begun = true;
        s->ways = ww_drive_draw(d, 2) == 0 ? FEW : WAYS;
        f->begin(d->self, SETS * WAYS);
    }
    if (ww_drive_draw(d, 200) == 0) {
        memset(s->filled, 0, sizeof s->filled);
    }
    for (uint32_t n = ww_drive_draw(d, 30); n > 0; n--) {
        uint32_t number = ww_drive_draw(d, SETS), way = ww_drive_draw(d, s->ways), free = 0;
        WwCacheSet set = {number * s->ways, s->ways};
        if (s->filled[number][way] && ww_drive_draw(d, 3) != 0) {
            f->touched(d->self, set, way, now);
            continue;
        }
        while (free < s->ways && s->filled[number][free]) {
            free++;
        }
        if (free < s->ways) {
            fill(d, set, free, false, now);
        } else {
            replace(d, set, now);
        }
    }
}

const WwDriver drive_replacement = {
    .contract = &ww_contract_replacement,
    .promises = "the line that goes is one that may; asking has no effect",
    .state = sizeof(Sets),
    .drive = replacement_drive,
};
