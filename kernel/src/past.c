/* SPDX-License-Identifier: Apache-2.0 */
/* Values with a past. */
#include <warpwright/component.h>
#include <warpwright/past.h>

enum { CHANGES = 4 }; /* To begin with. */

void ww_past_init(WwPast *past, void *self)
{
    past->change = ww_alloc(self, ww_ring_init(&past->ring, CHANGES) * sizeof(WwChange));
}

void ww_past_clear(WwPast *past, uint64_t value)
{
    ww_ring_clear(&past->ring);
    past->value = value;
}

void ww_past_set(WwPast *past, void *self, WwCycle from, uint64_t value)
{
    if (G_UNLIKELY(ww_ring_full(&past->ring))) {
        past->change = ww_ring_grow(&past->ring, self, past->change, sizeof(WwChange));
    }
    past->change[ww_ring_put(&past->ring)] = (WwChange){from, value};
}
