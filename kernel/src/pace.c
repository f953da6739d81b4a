/* SPDX-License-Identifier: Apache-2.0 */
#include "pace-priv.h"
#include <glib.h>

/*
 * In turns, since windows differ: those of the first CTAs have hundreds, later ones ten thousands, and several threads may be worth something in the large
 * ones alone. Each time that a try says that all is as it should be, it takes longer until the next. A window that several threads run on a busy host may take
 * ten times as long as the others, so where they have paid and do so no more, that does not make tries more frequent.
 */
enum {
    FIRST = 2048,
    TRY = 4096,
    WITH_ONE = 16384,
    WITH_ONE_IF_BUSY = 65536, /* More than short runs have. */
    WITH_SEVERAL = 65536,
    LONGER = 4,
    MOST = 1 << 20
};
#define BETTER 1.1   /* So many times as fast must be what is tried. */
#define HOPELESS 2.0 /* So many times as slow, and a try has seen enough. */
#define OLDER 0.75   /* What a window counts that is one older. */

bool ww_pace_several(Pace *p)
{
    if (p->pause[false] == 0) {
        p->left = p->busy ? WITH_ONE_IF_BUSY : FIRST;
        p->pause[false] = p->busy ? WITH_ONE_IF_BUSY : WITH_ONE;
    }
    return p->several != p->trying;
}

static void begin_try(Pace *p)
{
    p->trying = true;
    p->moved = true;
    p->tried = (Spent){0, 0};
}

static void end_try(Pace *p, bool better)
{
    p->trying = false;
    if (better) {
        p->several = !p->several;
        p->spent = (Spent){0, 0};
        p->pause[true] = WITH_SEVERAL;
    }
    p->left = p->pause[p->several];
    p->pause[p->several] = MIN(LONGER * p->pause[p->several], MOST);
}

static void add(Spent *s, double time, double turns)
{
    s->time += time;
    s->turns += turns;
}

void ww_pace_note(Pace *p, double time, double turns)
{
    if (!p->trying) {
        p->spent.time *= OLDER;
        p->spent.turns *= OLDER;
        add(&p->spent, time, turns);
        p->left -= turns;
        if (p->left <= 0) {
            begin_try(p);
        }
        return;
    }
    double pace = p->spent.time / p->spent.turns;
    bool moved = p->moved; /* what partitions have came from other cores */
    p->moved = false;
    if (moved && time < HOPELESS * pace * turns) {
        return;
    }
    add(&p->tried, time, turns);
    if (p->tried.turns >= TRY || p->tried.time >= HOPELESS * pace * TRY) {
        end_try(p, BETTER * p->tried.time < pace * p->tried.turns);
    }
}

__attribute__((noinline)) uint64_t ww_pace_begin(Pace *p, bool *several)
{
    *several = ww_pace_several(p);
    return (uint64_t)g_get_monotonic_time();
}

__attribute__((noinline)) void ww_pace_end(Pace *p, uint64_t begun, uint64_t turns)
{
    uint64_t took = (uint64_t)g_get_monotonic_time() - begun;
    if (turns != 0 && took != 0) {
        ww_pace_note(p, (double)took, (double)turns);
    }
}
