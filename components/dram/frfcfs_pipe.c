/* SPDX-License-Identifier: Apache-2.0 */
/* The data pipe of a DRAM channel: from column commands to data. */
#include "frfcfs-priv.h"

void dram_pipe_init(DramPipe *p, const DramTiming *t, void *self)
{
    p->beat = ww_alloc(self, ww_ring_init(&p->ring, MAX(t->cl, t->wl) + 1) * sizeof *p->beat);
}

void dram_pipe_reset(DramPipe *p, const DramTiming *t)
{
    ww_ring_clear(&p->ring);
    p->first = p->end = p->last = 0;
    p->least = t->cl;
    p->writing = false;
}

/* The other direction has another minimum; empty cells at the end go, or come. */
static void turn(DramPipe *p, const DramTiming *t, bool writing)
{
    p->writing = writing;
    p->end = dram_pipe_end(p);
    p->least = writing ? t->wl : t->cl;
    uint64_t occupied = MAX(p->last, p->first);
    p->end = MIN(p->end, MAX(p->first + p->least, occupied));
}

/* Behind the last command, or in the last cell if that is empty. */
void dram_pipe_push(DramPipe *p, const DramTiming *t, DramJob *job)
{
    if (p->writing != job->write) {
        turn(p, t, job->write);
    }
    p->end = dram_pipe_end(p);
    if (p->end == p->first || p->last == p->end) {
        p->end++;
    }
    p->last = p->end;
    p->beat[ww_ring_put(&p->ring)] = (DramBeat){job, p->end - 1};
}

DramJob *dram_pipe_pop(DramPipe *p)
{
    bool occupied = p->ring.n != 0 && p->beat[ww_ring_first(&p->ring)].cell == p->first;
    p->first++;
    return occupied ? p->beat[ww_ring_take(&p->ring)].job : NULL;
}

/*
 * It stays as it is while nothing leaves; else a cell leaves before each cycle's commands, and only one that still has the length
 * of writes, longer than reads, is full for more than the cycle that filled it.
 */
uint64_t dram_pipe_cycles_full(const DramPipe *p, const DramTiming *t, bool stands, WwCycle next,
                               WwCycle from, uint64_t n)
{
    uint64_t length = dram_pipe_end(p) - p->first, most = dram_pipe_places(p, t);
    if (length < most) {
        return 0;
    }
    return stands ? n : cycles_before(next + (length - most), from, n);
}
