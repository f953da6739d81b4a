/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Faulty providers: each is a shipped type of which one function does something else now and then. What a contract promises is checked when
 * every one of them is caught, by the check that is there for it.
 */
#include "faulty.h"

#include <components/register.h>
#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/latency.h>
#include <ports/warps.h>
#include <string.h>
#include <testing/conformance.h>
#include <testing/drive.h>
#include <testing/testing.h>
#include <warpwright/component.h>

typedef struct Fault {
    const char *name; /* Of the faulty type. */
    const char *of;   /* The type that it is otherwise, */
    const char *port; /* but for this port's functions. */
    const void *table;
    const char *caught; /* By this check. */
} Fault;

static uint32_t calls;

/* Every seventh call. */
static bool now_and_then(void)
{
    return ++calls % 7 == 0;
}

/* Where a faulty provider keeps what it should not: behind the state of the type that it is. */
static uint64_t *extra(void *self)
{
    const WwComponent *c = self;
    return (uint64_t *)((char *)self + c->type->size - sizeof(uint64_t));
}

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
        out[n++] = (uint8_t)__builtin_ctzll(~view->mine);
    }
    return n;
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

static void remembers_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    gto->issued(self, view, (uint32_t)(*extra(self) += warp) % 16 * 4 + view->scheduler, n);
}

#define POLICY(name, order_, issued_)                                                              \
    static const WwPolicyIf name = {.order = order_, .issued = issued_}
static uint32_t plain_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    return gto->order(self, view, out);
}
static void plain_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n)
{
    gto->issued(self, view, warp, n);
}
POLICY(refuses, refuses_order, plain_issued);
POLICY(doubles, doubles_order, plain_issued);
POLICY(strays, strays_order, plain_issued);
POLICY(turns, turns_order, plain_issued);
POLICY(remembers, plain_order, remembers_issued); /* over a reset, too */

/* ---- scoreboard, barriers --------------------------------------------------------------------------------------- */

static WwScoreboardIf board;

static void forgets_release(void *self, uint32_t warp, uint32_t reg)
{
    if (!now_and_then()) {
        board.release(self, warp, reg);
    }
}

static void crosses_release(void *self, uint32_t warp, uint32_t reg)
{
    board.release(self, now_and_then() ? warp ^ 1u : warp, reg);
}

static void forgets_release_all(void *self, const WwInst *inst)
{
    if (!now_and_then()) {
        board.release_all(self, inst);
    }
}

static bool blind_collides(void *self, uint32_t warp, const WwSinst *s)
{
    return board.collides(self, warp, s) && !now_and_then();
}

static bool blind_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    return board.collides_long(self, warp, s) && !now_and_then();
}

static void hides_reserve(void *self, const WwInst *inst)
{
    board.reserve(self, inst);
    if (now_and_then()) {
        ((WwHazardView *)(uintptr_t)board.view(self))->pending &= ~(1ull << inst->warp);
    }
}

static void silent_release(void *self, uint32_t warp, uint32_t reg)
{
    board.release(self, warp, reg);
    board.seen(self, UINT64_MAX);
}

static WwScoreboardIf forgets, crosses, forgets_all, blind, blind_long, hides, silent;

static WwBarriersIf unit;

static void stays_exit(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit.exit(self, warp);
    }
}

static void passes_arrive(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit.arrive(self, warp);
    }
}

static void ignores_membar(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit.set_membar(self, warp);
    }
}

static void keeps_membar(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        unit.complete_membar(self, warp);
    }
}

static WwBarriersIf stays, passes, ignores, keeps;

/* ---- warps ------------------------------------------------------------------------------------------------------ */

static WwWarpsIf pool;

static WwInst *skipping_decode(void *self, uint32_t warp)
{
    if (now_and_then()) {
        WwInst *lost = pool.decode(self, warp);
        if (lost != NULL) {
            pool.release(self, lost);
        }
    }
    return pool.decode(self, warp);
}

static void staying_leave(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        pool.leave(self, warp);
    }
}

static void living_exit(void *self, uint32_t warp, uint32_t mask)
{
    pool.exit_lanes(self, warp, now_and_then() ? 0 : mask);
}

static WwInst *unstamped_pop(void *self, uint32_t warp)
{
    WwInst *inst = pool.pop(self, warp);
    inst->uid = 1;
    return inst;
}

static void forgetful_rewind(void *self, uint32_t warp)
{
    (now_and_then() ? pool.drop : pool.rewind)(self, warp);
}

static WwWarpsIf skips, leaves_not, exits_not, stamps_not, rewinds_not;

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

static const WwResultBusIf bus_refuses = {refuses_bus}, bus_overbooks = {overbooks_bus};

static const WwRegisterBanksIf *banks;

static bool refuses_write(void *self, const WwInst *inst)
{
    return !now_and_then() && banks->write(self, inst);
}

static const WwRegisterBanksIf banks_refuse = {refuses_write};

/* ---- memory ----------------------------------------------------------------------------------------------------- */

static WwAddressMapIf map;

static void drifting_decode(void *self, uint64_t addr, WwAddress *out)
{
    map.decode(self, addr, out);
    out->row ^= now_and_then();
}

static void outside_decode(void *self, uint64_t addr, WwAddress *out)
{
    map.decode(self, addr, out);
    out->slice += now_and_then() ? map.slices(self) : 0;
}

static void counting_decode(void *self, uint64_t addr, WwAddress *out)
{
    map.decode(self, addr, out);
    ++*extra(self);
}

/* Each address gets the next row when it comes for the first time. */
static void first_come_decode(void *self, uint64_t addr, WwAddress *out)
{
    static uint64_t known[4096];
    static void *whose;
    uint64_t *seen = &known[addr * 0x9e3779b97f4a7c15u >> 52];
    map.decode(self, addr, out);
    if (whose != self) {
        whose = self;
        calls = 0;
        memset(known, 0, sizeof known);
    }
    if (*seen == 0) {
        *seen = ++calls;
    }
    out->row = (uint32_t)*seen;
}

static WwAddressMapIf drifts, outside, counts, first_come;

static const WwArrivalsIf *arrivals;

static void drops_arrived(void *self, WwCycle edge)
{
    if (!now_and_then()) {
        arrivals->arrived(self, edge);
    }
}

static const WwArrivalsIf drops = {drops_arrived};

static WwLatencyIf latency;

static void drops_handed(void *self, const WwMemReq *req, uint32_t n)
{
    if (!now_and_then()) {
        latency.handed(self, req, n);
    }
}

/* Each is told with half of the one before. */
static void blurs_handed(void *self, const WwMemReq *req, uint32_t n)
{
    WwMemReq far = *req;
    *extra(self) = *extra(self) / 2 + n;
    far.at.channel = UINT32_MAX; /* in no bank's figures */
    latency.handed(self, &far, (uint32_t)*extra(self));
    latency.handed(self, req, n);
}

static WwLatencyIf latency_drops, latency_blurs;

static const WwActivityIf *activity;

static bool always_active(void *self)
{
    return true;
}

static bool flickering(void *self)
{
    return activity->active(self) != now_and_then();
}

static const WwActivityIf always = {always_active}, flickers = {flickering};

static const WwMemcpyIf *copies;

static void ends_copy(void *self, uint64_t addr, uint64_t bytes)
{
    copies->copy(self, addr, bytes);
    if (now_and_then()) {
        ww_fail_run(self, g_error_new(WW_ERROR, WW_ERROR_MODEL, "no more copies"));
    }
}

static const WwMemcpyIf ends = {ends_copy};

static const WwL1ControlIf *carve;

static bool silent_carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t bytes,
                         GError **error)
{
    return !now_and_then() && carve->carve(self, sm, run, bytes, error);
}

static bool moody_carve(void *self, uint32_t sm, const WwKernelRun *run, uint64_t bytes,
                        GError **error)
{
    return now_and_then() ? ww_fail(error, WW_ERROR_USAGE, "not now")
                          : carve->carve(self, sm, run, bytes, error);
}

static const WwL1ControlIf carve_silent = {silent_carve}, carve_moody = {moody_carve};

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Fault faults[] = {
    {"faulty.policy_refuses", "scheduler.gto", "policy", &refuses, "promises"},
    {"faulty.policy_doubles", "scheduler.gto", "policy", &doubles, "promises"},
    {"faulty.policy_strays", "scheduler.gto", "policy", &strays, "promises"},
    {"faulty.policy_turns", "scheduler.gto", "policy", &turns, "promises"},
    {"faulty.policy_remembers", "scheduler.gto", "policy", &remembers, "reset"},
    {"faulty.board_forgets", "scoreboard", "hazards", &forgets, "promises"},
    {"faulty.board_forgets_all", "scoreboard", "hazards", &forgets_all, "promises"},
    {"faulty.board_crosses", "scoreboard", "hazards", &crosses, "promises"},
    {"faulty.board_blind", "scoreboard", "hazards", &blind, "promises"},
    {"faulty.board_blind_long", "scoreboard", "hazards", &blind_long, "promises"},
    {"faulty.board_hides", "scoreboard", "hazards", &hides, "promises"},
    {"faulty.board_silent", "scoreboard", "hazards", &silent, "promises"},
    {"faulty.barrier_stays", "barrier_unit", "barriers", &stays, "promises"},
    {"faulty.barrier_passes", "barrier_unit", "barriers", &passes, "promises"},
    {"faulty.barrier_ignores", "barrier_unit", "barriers", &ignores, "promises"},
    {"faulty.barrier_keeps", "barrier_unit", "barriers", &keeps, "promises"},
    {"faulty.warps_skip", "warp_pool", "warps", &skips, "promises"},
    {"faulty.warps_stay", "warp_pool", "warps", &leaves_not, "promises"},
    {"faulty.warps_live", "warp_pool", "warps", &exits_not, "promises"},
    {"faulty.warps_unstamped", "warp_pool", "warps", &stamps_not, "promises"},
    {"faulty.warps_forget", "warp_pool", "warps", &rewinds_not, "promises"},
    {"faulty.bus_refuses", "result_bus", "bus", &bus_refuses, "promises"},
    {"faulty.bus_overbooks", "result_bus", "bus", &bus_overbooks, "promises"},
    {"faulty.banks_refuse", "operand_collector", "register_banks", &banks_refuse, "promises"},
    {"faulty.map_drifts", "address_map", "address_map", &drifts, "promises"},
    {"faulty.map_outside", "address_map", "address_map", &outside, "promises"},
    {"faulty.map_counts", "address_map", "address_map", &counts, "sharing"},
    {"faulty.map_first_come", "address_map", "address_map", &first_come, "sharing"},
    {"faulty.arrivals_drop", "arrival_meter", "arrivals", &drops, "same-seed"},
    {"faulty.latency_drops", "latency_meter", "latency", &latency_drops, "promises"},
    {"faulty.latency_blurs", "latency_meter", "latency", &latency_blurs, "sharing"},
    {"faulty.activity_always", "xbar.local", "activity", &always, "promises"},
    {"faulty.activity_flickers", "xbar.local", "activity", &flickers, "promises"},
    {"faulty.copies_end", "memcpy_router", "memcpy", &ends, "promises"},
    {"faulty.carve_silent", "l1_carve", "control", &carve_silent, "promises"},
    {"faulty.carve_moody", "l1_carve", "control", &carve_moody, "promises"},
};

static const void *table_of(const WwRegistry *registry, const char *type, const char *port)
{
    GError *error = NULL;
    const WwType *t = ww_registry_find(registry, type, &error);
    g_assert_no_error(error);
    g_assert_cmpint(ww_type_port(t, port), >=, 0);
    return t->ports[ww_type_port(t, port)].table;
}

static void take_originals(const WwRegistry *r)
{
    gto = table_of(r, "scheduler.gto", "policy");
    board = *(const WwScoreboardIf *)table_of(r, "scoreboard", "hazards");
    forgets = crosses = forgets_all = blind = blind_long = hides = silent = board;
    forgets.release = forgets_release;
    crosses.release = crosses_release;
    forgets_all.release_all = forgets_release_all;
    blind.collides = blind_collides;
    blind_long.collides_long = blind_collides_long;
    hides.reserve = hides_reserve;
    silent.release = silent_release;
    unit = *(const WwBarriersIf *)table_of(r, "barrier_unit", "barriers");
    stays = passes = ignores = keeps = unit;
    stays.exit = stays_exit;
    passes.arrive = passes_arrive;
    ignores.set_membar = ignores_membar;
    keeps.complete_membar = keeps_membar;
    pool = *(const WwWarpsIf *)table_of(r, "warp_pool", "warps");
    skips = leaves_not = exits_not = stamps_not = rewinds_not = pool;
    skips.decode = skipping_decode;
    leaves_not.leave = staying_leave;
    exits_not.exit_lanes = living_exit;
    stamps_not.pop = unstamped_pop;
    rewinds_not.rewind = forgetful_rewind;
    bus = table_of(r, "result_bus", "bus");
    banks = table_of(r, "operand_collector", "register_banks");
    map = *(const WwAddressMapIf *)table_of(r, "address_map", "address_map");
    drifts = outside = counts = first_come = map;
    drifts.decode = drifting_decode;
    outside.decode = outside_decode;
    counts.decode = counting_decode;
    first_come.decode = first_come_decode;
    arrivals = table_of(r, "arrival_meter", "arrivals");
    latency = *(const WwLatencyIf *)table_of(r, "latency_meter", "latency");
    latency_drops = latency_blurs = latency;
    latency_drops.handed = drops_handed;
    latency_blurs.handed = blurs_handed;
    activity = table_of(r, "xbar.local", "activity");
    copies = table_of(r, "memcpy_router", "memcpy");
    carve = table_of(r, "l1_carve", "control");
}

/* The type that it is, with the table exchanged and room for what it should not keep. */
static WwType *faulty_type(const WwRegistry *registry, const Fault *f)
{
    const WwType *of = ww_registry_find(registry, f->of, NULL);
    uint32_t n = 0;
    const WwPortRow *r;
    for (WW_ROWS(of->ports, r)) {
        n++;
    }
    WwType *t = g_memdup2(of, sizeof *of);
    WwPortRow *ports = g_memdup2(of->ports, (n + 1) * sizeof *ports);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(ports[i].name, f->port) == 0) {
            ports[i].table = f->table;
        }
    }
    t->name = f->name;
    t->flags |= WW_TYPE_FAULTY;
    t->size = (of->size + 7) / 8 * 8 + sizeof(uint64_t);
    t->ports = ports;
    return t;
}

typedef struct Case {
    const WwRegistry *registry;
    const Fault *fault;
} Case;

/* The check that is there for it says so. */
static void run_fault(gconstpointer data)
{
    const Case *c = data;
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
        if (strcmp(k->name, c->fault->caught) == 0) {
            calls = 0;
            g_autofree char *why =
                k->check(c->registry, ww_registry_find(c->registry, c->fault->name, NULL));
            g_assert_nonnull(why);
            g_test_message("%s is caught by %s: %s", c->fault->name, k->name, why);
            return;
        }
    }
    g_assert_not_reached();
}

/* Every contract with a driver has a faulty type. */
static void all_contracts(gconstpointer data)
{
    for (uint32_t i = 0; i < ww_n_drivers(); i++) {
        bool found = false;
        for (size_t k = 0; k < G_N_ELEMENTS(faults); k++) {
            const WwType *t = ww_registry_find(data, faults[k].of, NULL);
            found |= t->ports[ww_type_port(t, faults[k].port)].contract == ww_driver(i)->contract;
        }
        if (!found) {
            g_test_message("contract %s has a driver and no faulty type",
                           ww_driver(i)->contract->name);
            g_test_fail();
        }
    }
}

static WwRegistry *registry;
static GPtrArray *cases;

void add_faulty_providers(void)
{
    GError *error = NULL;
    registry = ww_registry_new();
    cases = g_ptr_array_new_with_free_func(g_free);
    ww_components_register(registry, &error);
    ww_testing_register_fakes(registry, &error);
    g_assert_no_error(error);
    take_originals(registry);
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        WwType *t = faulty_type(registry, &faults[i]);
        ww_registry_add(registry, t, "test", &error);
        g_assert_no_error(error);
        Case *c = g_new0(Case, 1);
        *c = (Case){registry, &faults[i]};
        g_ptr_array_add(cases, c);
        g_autofree char *path = g_strdup_printf("/conformance/faulty/%s", faults[i].name);
        g_test_add_data_func(path, c, run_fault);
    }
    g_test_add_data_func("/conformance/faulty-of-each-contract", registry, all_contracts);
}

void free_faulty_providers(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(faults); i++) {
        WwType *t = (WwType *)ww_registry_find(registry, faults[i].name, NULL);
        g_free((WwPortRow *)t->ports);
        g_free(t);
    }
    ww_registry_free(registry);
    g_ptr_array_unref(cases);
}
