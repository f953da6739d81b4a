/* SPDX-License-Identifier: Apache-2.0 */
#include "pace-priv.h"
#include <glib.h>

/*
 * Windows between tries: four times as many each time that a try says what was expected. A window that several threads run on a busy host may take ten
 * times as long as the others, so where they have paid and do so no more, each time that happens it takes longer until they are tried again.
 */
enum { FEW = 4, MANY = 256 };
/* What a try may say. The first one may be of threads that have hardly begun. */
#define LEAST_GAIN 0.5
#define MOST_GAIN 2.0
#define HOPELESS 2.0 /* So many times as slow is said of a first window. */
#define UNKNOWN 0.99 /* One thread begins. */

bool ww_pace_several(Pace *p)
{
    if (p->gain == 0) {
        *p = (Pace){.gain = UNKNOWN, .left = 1, .every = 1, .pause = 4 * FEW};
    }
    return (p->gain > 1) != (p->left <= 0);
}

void ww_pace_note(Pace *p, double pace)
{
    if (p->left > 0) {
        p->before = p->before != 0 ? p->before + (pace - p->before) / 4 : pace;
        p->left--;
        return;
    }
    if (p->left == 0 && pace < HOPELESS * p->before) {
        p->left = -1; /* of a first window, what partitions have comes from other cores */
        return;
    }
    bool paid = p->gain > 1;
    double gain = paid ? pace / p->before : p->before / pace;
    p->gain = (p->gain + CLAMP(gain, LEAST_GAIN, MOST_GAIN)) / 2;
    if ((p->gain > 1) != paid) {
        p->every = paid ? p->pause : FEW;
        p->pause = MIN(4 * p->pause, MANY);
        p->before = 0;
    } else {
        p->every = (gain > 1) == paid ? MIN(4 * p->every, MANY) : FEW;
    }
    p->left = (int32_t)p->every;
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
        ww_pace_note(p, (double)took / (double)turns);
    }
}
