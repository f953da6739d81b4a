/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warps that go on after the EXIT of their last lane. An EXIT may have a condition besides its guard (`@P0 EXIT P1`), and tracers write the lanes
 * of the guard: some of these stay. Who executes anything later has not left.
 */
#include "trace-priv.h"

/** Instructions of the warp that was read last, flat or packed, in order; their number is from 1 on. */
typedef struct Walk {
    WwCtaBuf *cta;
    WwPacked *packed;
    WwTinst *flat;
    uint64_t i;
    WwAddrRoom room;
} Walk;

static void begin(Walk *w, WwCtaBuf *c)
{
    w->cta = c;
    w->packed = c->packed[c->reading];
    w->flat = c->inst + c->first[c->reading];
    w->i = 0;
    if (w->packed != NULL) {
        ww_packed_start(w->packed);
    }
}

static WwTinst next(Walk *w)
{
    WwTinst t;
    if (w->packed == NULL) {
        return w->flat[w->i++];
    }
    ww_packed_next(w->packed, &t, &w->room);
    w->i++;
    return t;
}

/** What each lane executes last: the number of that instruction. */
static void find_last(const WwKernelReader *k, Walk *w, uint64_t n, uint64_t last[WW_WARP_SIZE],
                      uint32_t *exits)
{
    *exits = 0;
    while (w->i < n) {
        WwTinst t = next(w);
        for (uint32_t rest = t.mask; rest != 0; rest &= rest - 1) {
            last[__builtin_ctz(rest)] = w->i;
        }
        *exits = k->table.entry[t.sinst]->exits ? *exits | t.mask : *exits & ~t.mask;
    }
}

/** The mask of instruction @p t, the @p i th: of an EXIT the lanes that execute nothing behind it. */
static uint32_t leaving(const WwKernelReader *k, const WwTinst *t, uint64_t i,
                        const uint64_t last[WW_WARP_SIZE])
{
    uint32_t mask = t->mask;
    if (k->table.entry[t->sinst]->exits) {
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            mask &= ~((uint32_t)(last[lane] != i) << lane);
        }
    }
    return mask;
}

static void mend(const WwKernelReader *k, Walk *w, uint64_t n, const uint64_t last[WW_WARP_SIZE])
{
    WwCtaBuf *c = w->cta;
    if (w->packed == NULL) {
        for (uint64_t i = 0; i < n; i++) {
            w->flat[i].mask = leaving(k, &w->flat[i], i + 1, last);
        }
        return;
    }
    WwPacked *packed = ww_packed_new(c->heap);
    begin(w, c);
    while (w->i < n) {
        WwTinst t = next(w);
        t.mask = leaving(k, &t, w->i, last);
        ww_packed_add(packed, &t, 1, w->room.words);
    }
    ww_packed_free(w->packed);
    c->packed[c->reading] = packed;
}

bool ww_exits_mend(const WwKernelReader *k, WwCtaBuf *c, uint32_t lanes, uint64_t n)
{
    Walk w;
    uint64_t last[WW_WARP_SIZE] = {0}, end = 0;
    uint32_t exits;
    begin(&w, c);
    find_last(k, &w, n, last, &exits);
    for (uint32_t lane = 0; lane < WW_WARP_SIZE; lane++) {
        end = MAX(end, last[lane]);
    }
    if ((lanes & ~exits) != 0 || n > end + end % 2) {
        return false;
    }
    if (!k->trace->options.as_written) {
        mend(k, &w, n, last);
    }
    if (c->stays.line == 0) {
        c->stays = (WwStays){c->exit_line, c->reading};
    }
    return true;
}
