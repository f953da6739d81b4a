/* SPDX-License-Identifier: Apache-2.0 */
/* What comes through a channel, as far as those know who write to it: asked backwards along the channels, when a machine is sealed. */
#include "machine-priv.h"

/* Rings of channels end here: what is that far away is not known. */
enum { FARTHEST = 16 };

/* What @p c is known to put into @p channel through the elements of the OUT port @p row. */
static uint64_t written(WwComponent *c, const WwPortRow *row, const WwChannel *channel)
{
    const WwPort *port = (const WwPort *)((const char *)c + row->offset);
    uint64_t bits = 0;
    for (uint32_t k = 0; k < MAX(row->max, 1u); k++) {
        bits |= port[k].peer == channel ? c->type->carries(c, row, k) : 0;
    }
    return bits;
}

uint64_t ww_carried(const WwPort *in)
{
    const WwChannel *channel = in->peer;
    if (channel == NULL || channel->base.machine->asking == FARTHEST) {
        return 0;
    }
    uint64_t bits = 0;
    channel->base.machine->asking++;
    for (uint32_t i = 0; i < channel->n_writers; i++) {
        WwComponent *c = channel->writer[i].who;
        const WwPortRow *row;
        for (WW_ROWS(c->type->carries != NULL ? c->type->ports : NULL, row)) {
            bits |= row->role == WW_OUT ? written(c, row, channel) : 0;
        }
    }
    channel->base.machine->asking--;
    return bits;
}
