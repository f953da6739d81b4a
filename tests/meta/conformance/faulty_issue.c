/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty providers of what warps, issue and execution ask for. */
#include "faulty-priv.h"

#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/warps.h>

/* ---- scheduler -------------------------------------------------------------------------------------------------- */

static const WwPolicyIf *gto;

static uint32_t refuses_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    return now_and_then() ? 0 : gto->order(self, view, out);
}

static uint32_t doubles_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    uint32_t n = gto->order(self, view, out);
    if (n != 0 && now_and_then()) {
        out[n++] = out[0];
    }
    return n;
}

static uint32_t strays_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    uint32_t n = gto->order(self, view, out);
    if (now_and_then()) {
        out[n++] = view->mine != UINT64_MAX ? (uint8_t)__builtin_ctzll(~view->mine) : WW_MAX_WARPS;
    }
    return n;
}

/* One warp of all that an SM can have. */
static uint32_t forgets_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    uint32_t n = gto->order(self, view, out), kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        out[kept] = out[i];
        kept += out[i] != 3;
    }
    return kept;
}

static uint32_t turns_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    uint32_t n = gto->order(self, view, out);
    if (n > 1 && (++*extra(self) & 1u)) {
        uint8_t first = out[0];
        out[0] = out[1];
        out[1] = first;
    }
    return n;
}

static uint32_t prefers_first(void *self, const WwPolicyView *view, uint64_t among)
{
    return now_and_then() ? 63u - (uint32_t)__builtin_clzll(among) : gto->first(self, view, among);
}

static void remembers_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    uint32_t of = view->n_schedulers, each = WW_MAX_WARPS / of;
    gto->issued(self, view, (uint32_t)(*extra(self) += warp) % each * of + view->scheduler, n);
}

/* ---- scoreboard, barriers --------------------------------------------------------------------------------------- */

static const WwScoreboardIf *board;

static void forgets_release(void *self, uint32_t warp, uint32_t reg)
{
    if (!now_and_then()) {
        board->release(self, warp, reg);
    }
}

static void crosses_release(void *self, uint32_t warp, uint32_t reg)
{
    board->release(self, now_and_then() ? warp ^ 1u : warp, reg);
}

static void forgets_release_all(void *self, const WwInst *inst)
{
    if (!now_and_then()) {
        board->release_all(self, inst);
    }
}

static bool blind_collides(void *self, uint32_t warp, const WwSinst *s)
{
    return board->collides(self, warp, s) && !now_and_then();
}

static bool blind_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    return board->collides_long(self, warp, s) && !now_and_then();
}

static void hides_reserve(void *self, const WwInst *inst)
{
    board->reserve(self, inst);
    if (now_and_then()) {
        ((WwHazardView *)(uintptr_t)board->view(self))->pending &= ~(1ull << inst->warp);
    }
}

static void silent_release(void *self, uint32_t warp, uint32_t reg)
{
    board->release(self, warp, reg);
    board->seen(self, UINT64_MAX);
}

static const WwBarriersIf *unit;

static void stays_exit(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit->exit(self, warp);
    }
}

static void passes_arrive(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit->arrive(self, warp);
    }
}

static void ignores_membar(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit->set_membar(self, warp);
    }
}

static void keeps_membar(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit->complete_membar(self, warp);
    }
}

/* ---- warps ------------------------------------------------------------------------------------------------------ */

static const WwWarpsIf *pool;

static WwInst *skipping_decode(void *self, uint32_t warp)
{
    if (now_and_then()) {
        WwInst *lost = pool->decode(self, warp);
        if (lost != NULL) {
            pool->finish(self, lost, WW_END_RECORD);
        }
    }
    return pool->decode(self, warp);
}

static void staying_finish(void *self, WwInst *inst, uint32_t what)
{
    pool->finish(self, inst, now_and_then() ? what & ~(uint32_t)WW_END_PIPELINE : what);
}

static void living_exit(void *self, uint32_t warp, uint32_t mask)
{
    pool->exit_lanes(self, warp, now_and_then() ? 0 : mask);
}

static WwInst *unstamped_pop(void *self, uint32_t warp)
{
    WwInst *inst = pool->pop(self, warp);
    inst->order = 1;
    return inst;
}

static void forgetful_rewind(void *self, uint32_t warp)
{
    (now_and_then() ? pool->drop : pool->rewind)(self, warp);
}

static const WwSimtIf *simt;

/* Where the trace was decoded to, whatever was issued. */
static uint64_t ahead_expected(void *self, uint32_t warp)
{
    const WwWarp *w = &pool->view(self)->warp[warp];
    return w->cursor < w->n_trace && w->trace != NULL
               ? w->kernel->sinst[w->trace[w->cursor].sinst]->pc
               : simt->expected(self, warp);
}

static uint64_t drifting_pc(void *self, uint32_t warp)
{
    return simt->pc(self, warp) + (now_and_then() ? 16 : 0);
}

static const WwSimtView *moving_view(void *self)
{
    static WwSimtView copy[2];
    return now_and_then() ? &copy[fault_calls & 1u] : simt->view(self);
}

/* ---- execution -------------------------------------------------------------------------------------------------- */

static const WwResultBusIf *bus;

static bool refuses_bus(void *self, uint32_t latency)
{
    return !now_and_then() && bus->reserve(self, latency);
}

static bool overbooks_bus(void *self, uint32_t latency)
{
    return bus->reserve(self, latency) || now_and_then();
}

static const WwRegisterBanksIf *banks;

static bool refuses_write(void *self, const WwInst *inst)
{
    return !now_and_then() && banks->write(self, inst);
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {
    {"scheduler.gto", "policy", &gto},
    {"scoreboard", "hazards", &board},
    {"barrier_unit", "barriers", &unit},
    {"warp_pool", "warps", &pool},
    {"warp_pool", "simt", &simt},
    {"result_bus", "bus", &bus},
    {"operand_collector", "register_banks", &banks},
    {NULL, NULL, NULL},
};

#define POLICY(name, f, g) FAULT(name, "scheduler.gto", "policy", WwPolicyIf, f, g)
#define BOARD(name, f, g) FAULT(name, "scoreboard", "hazards", WwScoreboardIf, f, g)
#define BARRIER(name, f, g) FAULT(name, "barrier_unit", "barriers", WwBarriersIf, f, g)
#define WARPS(name, f, g) FAULT(name, "warp_pool", "warps", WwWarpsIf, f, g)

#define SIMT(name, f, g) FAULT(name, "warp_pool", "simt", WwSimtIf, f, g)

static const Fault faults[] = {
    {POLICY("policy_refuses", order, refuses_order), "promises"},
    {POLICY("policy_doubles", order, doubles_order), "promises"},
    {POLICY("policy_strays", order, strays_order), "promises"},
    {POLICY("policy_forgets", order, forgets_order), "promises"},
    {POLICY("policy_turns", order, turns_order), "promises"},
    {POLICY("policy_prefers", first, prefers_first), "promises"},
    {POLICY("policy_remembers", issued, remembers_issued), "reset"},
    {BOARD("board_forgets", release, forgets_release), "promises"},
    {BOARD("board_forgets_all", release_all, forgets_release_all), "promises"},
    {BOARD("board_crosses", release, crosses_release), "promises"},
    {BOARD("board_blind", collides, blind_collides), "promises"},
    {BOARD("board_blind_long", collides_long, blind_collides_long), "promises"},
    {BOARD("board_hides", reserve, hides_reserve), "promises"},
    {BOARD("board_silent", release, silent_release), "promises"},
    {BARRIER("barrier_stays", exit, stays_exit), "promises"},
    {BARRIER("barrier_passes", arrive, passes_arrive), "promises"},
    {BARRIER("barrier_ignores", set_membar, ignores_membar), "promises"},
    {BARRIER("barrier_keeps", complete_membar, keeps_membar), "promises"},
    {WARPS("warps_skip", decode, skipping_decode), "promises"},
    {WARPS("warps_stay", finish, staying_finish), "promises"},
    {WARPS("warps_live", exit_lanes, living_exit), "promises"},
    {WARPS("warps_unstamped", pop, unstamped_pop), "promises"},
    {WARPS("warps_forget", rewind, forgetful_rewind), "promises"},
    {SIMT("simt_ahead", expected, ahead_expected), "promises"},
    {SIMT("simt_drifts", pc, drifting_pc), "promises"},
    {SIMT("simt_moves", view, moving_view), "promises"},
    {FAULT("bus_refuses", "result_bus", "bus", WwResultBusIf, reserve, refuses_bus), "promises"},
    {FAULT("bus_overbooks", "result_bus", "bus", WwResultBusIf, reserve, overbooks_bus),
     "promises"},
    {FAULT("banks_refuse", "operand_collector", "register_banks", WwRegisterBanksIf, write,
           refuses_write),
     "promises"},
};

const FaultRoom faults_of_issue = {originals, faults, G_N_ELEMENTS(faults)};
