/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of the fifo share. */
#pragma once

#include <ports/fifo.h>

/** Gives a fifo between partitions its outbox. */
void ww_fifo_add_outbox(WwFifo *fifo);
/** WwType.outbox */
void *ww_fifo_outbox(void *self);
/** WwType.hand_over */
void ww_fifo_hand_over(void *self);

/** The run ends: @p what is wrong with the fifo's use, and what was expected. */
void ww_fifo_fail(WwFifo *fifo, const char *what);
/** Reader and writers of a fifo between partitions may lag. */
void ww_fifo_add_back(WwFifo *fifo);
/** For its reset. */
void ww_fifo_reset_back(WwFifo *fifo);
/** WwType.lag */
bool ww_fifo_lag(void *self, bool on);
/** WwType.spare */
bool ww_fifo_spare(const void *self);
/** Of a fifo that lags: its reader takes the head. */
void ww_fifo_give_back(WwFifo *fifo);
/** A writer finds out what is free by its time. Is there room? */
bool ww_fifo_regain(WwFifo *fifo);
/** When the writer that was refused is to ask again, if that is known: it is woken then. Else it has to wait for the reader. */
bool ww_fifo_wake_later(WwFifo *fifo, uint64_t writer);
/** Of a fifo that lags, in a window: a token was put that is visible from the reader's edge @p due on. */
void ww_fifo_tell_lagging(WwFifo *fifo, WwCycle due);
/** Has the reader come as far as the writers, who have their turn? */
bool ww_fifo_reader_came(const WwFifo *fifo);
/** Tokens put at an edge of the writers at most; 0: none ever. */
uint32_t ww_fifo_puts(WwFifo *fifo);
/** The queue had @p n tokens at a time. */
static inline void ww_fifo_was_long(WwFifo *f, uint32_t n)
{
    f->most = f->longest = MAX(f->longest, n);
}
