/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fu.fixed`: a fixed-latency unit of a sub-core: INT, SP, UNIFORM, TENSOR, BRANCH, MISC. How it executes is in fu_stages.c; here is what
 * others ask of it before an instruction comes.
 *
 * The input is reserved at issue for the initiation interval, and one cycle longer for each that an instruction for it is held up on its way.
 * The calendar knows in which cycles instructions end, booked when they are allocated: no two end at once. Bits of cycles that are over are
 * cleared when somebody asks.
 */
#include "fu_stages-priv.h"
#include "types.h"

static bool fixed_free(void *self)
{
    const FuStages *fu = self;
    return ww_now(fu) >= fu->free_at;
}

static WwCycle fixed_free_at(void *self)
{
    return ((const FuStages *)self)->free_at;
}

static void fixed_reserve(void *self, uint32_t interval)
{
    FuStages *fu = self;
    fu->free_at = ww_now(fu) + interval;
}

static void fixed_delay(void *self)
{
    FuStages *fu = self;
    fu->free_at = MAX(fu->free_at, ww_now(fu)) + 1;
    fu->delays++;
}

static inline uint64_t *word_of(FuStages *fu, WwCycle cycle)
{
    return &fu->end[cycle % FU_AHEAD / 64u];
}

/* Forgets the cycles that are over. */
static void clear_past(FuStages *fu)
{
    WwCycle now = ww_now(fu);
    if (now - fu->ends >= FU_AHEAD) {
        fu->ends = now - FU_AHEAD;
    }
    while (fu->ends < now) { /* a word at a time */
        uint32_t at = fu->ends % 64u;
        WwCycle n = MIN(now - fu->ends, 64u - at);
        *word_of(fu, fu->ends) &= ~(UINT64_MAX >> (64u - n) << at);
        fu->ends += n;
    }
}

WW_COLD static void fail_ahead(FuStages *fu, uint32_t ahead)
{
    g_autofree char *path = ww_path(fu);
    ww_fail_run(fu, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                                "%s: an instruction ends %u cycles after it is allocated; expected "
                                "at most %u",
                                path, ahead, FU_AHEAD - 1));
}

static bool fixed_fits(void *self, uint32_t ahead)
{
    FuStages *fu = self;
    if (G_UNLIKELY(ahead >= FU_AHEAD)) {
        fail_ahead(fu, ahead);
        return false;
    }
    clear_past(fu);
    WwCycle end = ww_now(fu) + ahead;
    bool taken = (*word_of(fu, end) >> end % 64u & 1u) != 0;
    fu->end_conflicts += taken;
    return !taken;
}

static void fixed_book(void *self, uint32_t ahead)
{
    FuStages *fu = self;
    ww_assert(ahead < FU_AHEAD);
    clear_past(fu);
    WwCycle end = ww_now(fu) + ahead;
    *word_of(fu, end) |= 1ull << end % 64u;
}

static const WwUnitIf fixed_table = {
    .free = fixed_free,
    .free_at = fixed_free_at,
    .reserve = fixed_reserve,
    .delay = fixed_delay,
    .fits = fixed_fits,
    .book = fixed_book,
};

static const WwParamRow fixed_params[] = {
    FU_STAGES_PARAMS,
    {0},
};

static const WwPortRow fixed_ports[] = {
    FU_STAGES_PORTS("the dispatch latch: instructions with operands",
                    "results, for the result queue"),
    WW_PORT_PROVIDES(FuStages, unit, &ww_contract_unit, &fixed_table,
                     "for the stages that send instructions here"),
    {0},
};

static const WwStatRow fixed_stats[] = {
    FU_STAGES_STATS,
    WW_COUNTER(FuStages, delays, "cycles",
               "cycles by which reservations of the input were extended"),
    WW_COUNTER(FuStages, end_conflicts, "cycles",
               "cycles in which an instruction was not allocated because another would end at the "
               "same time"),
    {0},
};

static const WwEntryRow fixed_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = fu_stages_tick,
     .doc = "sends results on, then takes the next instruction from the latch",
     .port = "unit",
     .rank = WW_RANK_UNIT},
    {0},
};

const WwType fu_fixed_type = {
    .abi = WW_ABI_VERSION,
    .name = "fu.fixed",
    .doc = "Fixed-latency unit of a sub-core: an instruction inside never waits.",
    .family = "sub_core",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(FuStages),
    .events = fu_stages_events,
    .params = fixed_params,
    .ports = fixed_ports,
    .stats = fixed_stats,
    .entries = fixed_entries,
    .init = fu_stages_init,
    .reset = fu_stages_reset,
    .settle = fu_stages_settle,
    .explain = fu_stages_explain,
    .carries = fu_stages_carries,
    .adapt = fu_stages_adapt,
};
