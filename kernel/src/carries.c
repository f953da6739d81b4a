/* SPDX-License-Identifier: Apache-2.0 */
/* What comes through a channel, as far as those know who write to it: asked backwards along the channels, when a machine is sealed. */
#include "machine-priv.h"

/* Rings of channels end here: what is that far away is not known. */
enum { FARTHEST = 16 };

static bool writes_to(const WwComponent *c, const WwPortRow *row, const WwChannel *channel)
{
    const WwPort *port = (const WwPort *)((const char *)c + row->offset);
    for (uint32_t i = 0; i < MAX(row->max, 1u); i++) {
        if (port[i].peer == channel) {
            return true;
        }
    }
    return false;
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
            if (row->role == WW_OUT && writes_to(c, row, channel)) {
                bits |= c->type->carries(c, row);
            }
        }
    }
    channel->base.machine->asking--;
    return bits;
}
