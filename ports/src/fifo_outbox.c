/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outbox of a fifo between partitions: another fifo, in whose ring writers put while the reader takes from the first, in another thread.
 */
#include "fifo-priv.h"

void ww_fifo_add_outbox(WwFifo *f)
{
    WwFifo *box = ww_alloc(f, sizeof *box);
    ww_ring_init(&box->ring, WW_FIFO_INLINE);
    box->ch = f->ch;
    box->depth = f->depth;
    box->slot = box->few;
    box->times = (WwFifoTimes){.writer = f->times.writer,
                               .reader = f->times.reader,
                               .touched = f->times.touched,
                               .mark = &box->nobody};
    f->outbox = box;
}

/* Empty, with the places that are left. */
void *ww_fifo_outbox(void *self)
{
    WwFifo *f = self, *box = f->outbox;
    box->how = (uint8_t)(f->how & ~WW_FIFO_REFUSING);
    box->ch = f->ch;
    box->read = f->read;
    box->clock = f->clock;
    box->limit = f->depth != 0 ? f->depth - MIN(f->ring.n, f->depth) : UINT32_MAX;
    return box;
}

/* The reader is told of the first token of each piece that is handed over. */
void ww_fifo_hand_over(void *self)
{
    WwFifo *f = self, *box = f->outbox;
    if (box->ring.n != 0 && *f->times.mark == 0) {
        *f->times.mark = 1;
    }
    for (; box->ring.n != 0; ww_ring_take(&box->ring)) {
        uint32_t from = ww_ring_first(&box->ring);
        if (G_UNLIKELY(ww_ring_full(&f->ring))) {
            ww_fifo_grow(f);
        }
        uint32_t to = ww_ring_put(&f->ring);
        f->slot[to] = box->slot[from];
        f->puts++;
        box->limit -= box->limit != UINT32_MAX;
    }
    f->times.stay += box->times.stay;
    box->times.stay = 0;
    box->window = 0;
}
