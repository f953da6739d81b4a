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
