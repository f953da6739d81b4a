/* SPDX-License-Identifier: Apache-2.0 */
/* Rings: what does not happen at every use. */
#include <string.h>
#include <warpwright/component.h>
#include <warpwright/ring.h>

uint32_t ww_ring_init(WwRing *r, uint32_t places)
{
    uint32_t slots = 1;
    while (slots < places) {
        slots *= 2;
    }
    *r = (WwRing){.mask = slots - 1};
    return slots;
}

WW_COLD void *ww_ring_grow(WwRing *r, void *owner, const void *entries, size_t size)
{
    size_t slots = (size_t)r->mask + 1, behind = slots - r->head;
    char *to = ww_alloc(owner, 2 * slots * size);
    memcpy(to, (const char *)entries + r->head * size, behind * size);
    memcpy(to + behind * size, entries, r->head * size);
    r->head = 0;
    r->mask = (uint32_t)(2 * slots - 1);
    return to;
}
