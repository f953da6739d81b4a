/* SPDX-License-Identifier: Apache-2.0 */
/* Occupancy, hit rates and row locality from statistics. */
#include <results/rates.h>
#include <results/stalls.h>

#include <glib.h>
#include <ports/cache.h>
#include <ports/tokens.h>
#include <string.h>

const char *ww_cause_text(const char *label)
{
    const WwStallCause *stall = ww_stall(label);
    return stall != NULL ? stall->text : label;
}

/* ---- rates ------------------------------------------------------------------------------------------------------ */

typedef struct Source {
    WwValueFn value;
    void *user;
} Source;

static WwRate share(const char *name, const char *of, bool has, uint64_t part, uint64_t all)
{
    return (WwRate){name, of, has && all != 0,
                    has && all != 0 ? 100.0 * (double)part / (double)all : 0};
}

static WwRate quotient(const Source *s, const char *name, const char *of, const char *type,
                       const char *part, const char *all)
{
    uint64_t p = 0, a = 0;
    bool has = s->value(s->user, type, part, NULL, &p) && s->value(s->user, type, all, NULL, &a);
    return share(name, of, has, p, a);
}

/*
 * Accesses that found their data, of those that the cache took: what hit a line on its way is none. Instructions and constants are
 * told from data by the access type, so that caches of one type are kept apart by what they hold.
 */
static WwRate hits(const Source *s, const char *name, const char *of, const char *cache, bool data,
                   bool instructions)
{
    static const char *const taken[] = {"HIT", "HIT_RESERVED", "MISS", "SECTOR_MISS"};
    uint64_t part = 0, all = 0;
    bool has = false;
    for (uint32_t t = 0; t < WW_N_ACCESS_TYPES; t++) {
        if (!(t == WW_ACCESS_INST_R    ? instructions
              : t == WW_ACCESS_CONST_R ? instructions && data
                                       : data)) {
            continue;
        }
        for (size_t i = 0; i < G_N_ELEMENTS(taken); i++) {
            g_autofree char *label =
                g_strconcat(ww_access_type_name((WwAccessType)t), ".", taken[i], NULL);
            uint64_t v = 0;
            has |= s->value(s->user, cache, "outcomes", label, &v);
            all += v;
            part += i == 0 ? v : 0;
        }
    }
    return share(name, of, has, part, all);
}

void ww_rates(WwValueFn value, void *user, WwRate rates[WW_N_RATES])
{
    Source s = {value, user};
    rates[0] =
        quotient(&s, "occupancy", "the hardware warps of SMs that hold a CTA: warps with work left",
                 "cta_slots", "warp_cycles", "slot_cycles");
    rates[1] = hits(&s, "L1D hits", "accesses of first-level data caches", "cache.l1", true, false);
    rates[2] =
        hits(&s, "L1I hits", "accesses of first-level instruction caches", "cache.l1", false, true);
    rates[3] = hits(&s, "L2 hits", "accesses of L2 slices", "cache.l2", true, true);
    rates[4] = quotient(&s, "DRAM row hits", "requests given to a bank", "dram.frfcfs", "row_hits",
                        "selections");
}

int ww_ipc_digits(double ipc)
{
    return ipc > 0 && ipc < 1 ? 3 : 1;
}
