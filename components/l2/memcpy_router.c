/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warms the L2 with what the host copies: each 32 bytes of a copy are installed, clean, in the
 * slice where they live. It takes no time.
 *
 * The reference keeps these addresses in 32 bits: with cut_addresses a copy to above 4 GB warms
 * lines that no access will look for.
 */
#include "types.h"

#include <ports/cache.h>
#include <warpwright/interrupt.h>

enum {
    SECTORS_BETWEEN = 1 << 16
}; /* Two looks at whether anybody wants to see how the run goes on. */

typedef struct Router {
    WwComponent base;
    /* parameters */
    bool enabled;
    bool cut_addresses;
    /* ports */
    WwProvided memcpy;
    WwPort map;
    WwPort slice[WW_MAX_SLICES];
    uint32_t n_slice;
    /* statistics */
    uint64_t copies, sectors;
} Router;

WW_COLD static void too_few(Router *r, const WwAddress *where, uint64_t addr)
{
    g_autofree char *path = ww_path(r);
    ww_fail_run(r, g_error_new(WW_ERROR, WW_ERROR_WIRING,
                               "%s: address %" G_GINT64_MODIFIER
                               "x lives in slice %u, %u slices are bound; expected all "
                               "slices of the address map",
                               path, addr, where->slice, r->n_slice));
}

/* A checkpoint of this tick would lack the rest. */
WW_COLD static void cut_short(Router *r)
{
    ww_fail_run(r, g_error_new(WW_ERROR, WW_ERROR_INPUT, "a copy to the device was interrupted"));
}

static void router_copy(void *self, uint64_t addr, uint64_t bytes)
{
    Router *r = self;
    if (!r->enabled) {
        return;
    }
    uint64_t sectors = (bytes + WW_SECTOR_BYTES - 1) / WW_SECTOR_BYTES;
    uint64_t look = 0;
    WwPlacer placer;
    ww_placer_begin(&placer, &r->map);
    for (uint64_t i = 0, n; i < sectors; i += n) {
        if (i >= look) {
            if (ww_interrupted()) {
                cut_short(r);
                return;
            }
            look = i + SECTORS_BETWEEN;
        }
        uint64_t at = addr + i * WW_SECTOR_BYTES;
        at = r->cut_addresses ? (uint32_t)at : at;
        WwAddress where;
        ww_place(&placer, &r->map, at, &where);
        if (G_UNLIKELY(where.slice >= r->n_slice)) {
            too_few(r, &where, at);
            return;
        }
        const WwPort *slice = &r->slice[where.slice];
        n = MIN(sectors - i,
                (placer.mask - (at & placer.mask)) / WW_SECTOR_BYTES + 1); /* of a block */
        WW_L2_CONTROL(slice)->install(slice->peer, at, where.partition, (uint32_t)n);
    }
    r->copies++;
    r->sectors += sectors;
}

static bool router_start(void *self, GError **error)
{
    Router *r = self;
    const WwAddressMapIf *map = WW_ADDRESS_MAP(&r->map);
    uint32_t slices = map->slices(r->map.peer), channels = map->channels(r->map.peer);
    return slices == 0 || slices == r->n_slice ||
           ww_fail(
               error, WW_ERROR_USAGE,
               "the address map has %u channels of %u slices, but %u slices are bound; expected "
               "as many (channels and slices of the map are set by those of the machine)",
               channels, slices / channels, r->n_slice);
}

static const WwMemcpyIf router_table = {.copy = router_copy};

static const WwParamRow router_params[] = {
    WW_BOOL(Router, enabled, "true", "copies warm the L2; false: they have no effect"),
    WW_BOOL(Router, cut_addresses, "true",
            "addresses of copies are cut to 32 bits, as in the reference"),
    {0},
};

static const WwPortRow router_ports[] = {
    WW_PORT_PROVIDES(Router, memcpy, &ww_contract_memcpy, &router_table, "copies from the host"),
    WW_PORT_REQUIRES(Router, map, &ww_contract_address_map, 1, NULL,
                     "maps an address to its slice"),
    WW_PORT_ARRAY(Router, slice, WW_REQUIRES, &ww_contract_l2_control, 1, NULL,
                  "every slice, in order"),
    {0},
};

static const WwStatRow router_stats[] = {
    WW_COUNTER(Router, copies, "copies", "copies from the host"),
    WW_COUNTER(Router, sectors, "sectors", "sectors installed"),
    {0},
};

const WwType memcpy_router_type = {
    .abi = WW_ABI_VERSION,
    .name = "memcpy_router",
    .doc = "Installs host-to-device copies in the L2 slices.",
    .family = "l2",
    .flags = WW_TYPE_SERIAL,
    .size = sizeof(Router),
    .params = router_params,
    .ports = router_ports,
    .stats = router_stats,
    .start = router_start,
};
