/* SPDX-License-Identifier: Apache-2.0 */
/* The list of drivers, and what they share. A new one is one line here. */
#include "drivers-priv.h"

#include <ports/ctas.h>
#include <ports/tokens.h>
#include <warpwright/component.h>

static const WwDriver *const drivers[] = {
    &drive_warps,        &drive_policy,         &drive_scoreboard,
    &drive_barriers,     &drive_result_bus,     &drive_register_banks,
    &drive_address_map,  &drive_arrivals,       &drive_latency,
    &drive_activity,     &drive_memcpy,         &drive_l1_control,
    &drive_cache,        &drive_l2_control,     &drive_icache,
    &drive_simt,         &drive_ctas,           &drive_cluster,
    &drive_kernels,      &drive_kernel_results, &drive_pcs,
    &drive_ibuffer,      &drive_fetches,        &drive_timing,
    &drive_constants,    &drive_refill,         &drive_prefetch,
    &drive_code_caches,  &drive_dependence,     &drive_issue_port,
    &drive_unit,         &drive_register_ports, &drive_register_cache,
    &drive_result_slots, &drive_dispatch_slot,  &drive_inst_ends,
    &drive_coalescer,    &drive_replacement,
};

uint32_t ww_n_drivers(void)
{
    return G_N_ELEMENTS(drivers);
}

const WwDriver *ww_driver(uint32_t i)
{
    return drivers[i];
}

const WwDriver *ww_driver_of(const WwContract *contract)
{
    for (size_t i = 0; i < G_N_ELEMENTS(drivers); i++) {
        if (drivers[i]->contract == contract) {
            return drivers[i];
        }
    }
    return NULL;
}

void ww_drive_wrong(WwDrive *d, const char *format, ...)
{
    if (d->wrong == NULL) {
        va_list ap;
        va_start(ap, format);
        g_autofree char *what = g_strdup_vprintf(format, ap);
        va_end(ap);
        d->wrong = g_strdup_printf("port %s, cycle %" G_GUINT64_FORMAT ": %s", d->port,
                                   ww_harness_now(d->h), what);
    }
}

void ww_drive_say(WwDrive *d, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_string_append_printf(d->log, "%" G_GUINT64_FORMAT " %s ", ww_harness_now(d->h), d->port);
    g_string_append_vprintf(d->log, format, ap);
    g_string_append_c(d->log, '\n');
    va_end(ap);
}

/* The ends of REQUIRES port @p row that are bound. */
static uint32_t bound(const void *self, const WwPortRow *row)
{
    const char *base = self;
    if (row->count_offset != 0) {
        return *(const uint32_t *)(base + row->count_offset);
    }
    return WW_BOUND((const WwPort *)(base + row->offset));
}

void *ww_drive_fake(const WwDrive *d, const WwType *fake, uint32_t i)
{
    const WwPortRow *r;
    for (WW_ROWS(((const WwComponent *)d->self)->type->ports, r)) {
        const WwPort *port = (const WwPort *)((const char *)d->self + r->offset);
        for (uint32_t k = 0; r->role == WW_REQUIRES && k < bound(d->self, r); k++) {
            WwComponent *c = port[k].peer;
            if (c->type == fake && i-- == 0) {
                return c;
            }
        }
    }
    return NULL;
}

bool ww_drive_is_network(const WwType *type)
{
    bool passes = false, says = false;
    const WwPortRow *r;
    for (WW_ROWS(type->ports, r)) {
        passes |= r->role == WW_OUT && r->contract == &ww_contract_mem_request;
        says |= r->role == WW_PROVIDES && r->contract == &ww_contract_activity;
    }
    return passes && says && type->conserves == WW_CONSERVES_ONE;
}

uint32_t ww_drive_draw(WwDrive *d, uint32_t n)
{
    return n > 1 ? (uint32_t)g_rand_int_range(d->random, 0, (gint32)n) : 0;
}
