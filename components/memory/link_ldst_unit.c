/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `link.ldst_unit`: the sub-cores of a modern SM in front of a `ldst_unit`, the LD/ST unit of the Accel-Sim SM.
 *
 *     in[sub-core] -> [ with the unit ] -> unit -> ... ldst_unit
 *                                                    => ends
 *     out[sub-core] <- results <- [ over ] <---------------'
 *
 * Sub-cores give what `ldst.shared` takes, and want back what it gives: a result in the latch of its sub-core, which writes the registers; what has
 * none ends with the warps. A `ldst_unit` says instead, piece by piece, what of an instruction ends. Here it is over when the unit is through with
 * its record: with its last data, of a store when the last access has left. Which one has a result is as with `ldst.shared`: loads and atomics of
 * global memory; no stores, no asynchronous copies, nothing without active lanes, no SHFL and its like, no memory barriers.
 *
 * The unit gives back the lanes of atomics as their answers come, so they are counted here, where an Accel-Sim SM does it at issue. It has no caches
 * of constants and textures: both are there at once. What it tells of asynchronous copies by address nobody here asks for: they are over like the others.
 *
 * In a cycle the unit comes first, then results, then an instruction of the sub-core behind the one that was taken from last.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/execute.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/test_inst.h>
#include <ports/warps.h>
#include <string.h>

enum { LINK_MAX_CORES = 16 };

/* Instructions in the order in which they were over, by `next`. */
typedef struct LinkResults {
    WwInst *first, *last;
} LinkResults;

typedef struct LinkUnit {
    WwComponent base;
    /* parameters */
    uint32_t entries;
    /* ports */
    WwPort in[LINK_MAX_CORES], out[LINK_MAX_CORES];
    uint32_t n_in, n_out;
    WwPort unit;
    WwPort warps, dispatch;
    WwProvided ends;
    /* state */
    WwWake wake;
    WwInst **inside; /* With the unit, in the order in which they went there. */
    uint32_t n_inside;
    uint32_t turn; /* The sub-core that is asked first. */
    LinkResults result[LINK_MAX_CORES];
    /* statistics */
    uint64_t instructions;
    uint64_t lanes;
    uint64_t results;
    uint64_t retired;
    uint64_t most;
} LinkUnit;

enum { LOG_RETIRE };
static const WwEventRow link_events[] = {
    [LOG_RETIRE] = WW_EVENT_RETIRE,
    {0},
};

/* ---- what the unit says -------------------------------------------------------------------- */

static bool has_result(const WwInst *inst)
{
    uint32_t without = WW_TAKES_STORE | WW_TAKES_LDGSTS | WW_TAKES_OTHER | WW_TAKES_MEMBAR;
    return inst->mask != 0 && (inst->timing->flags & without) == 0;
}

static void come_back(LinkUnit *l, const WwInst *inst)
{
    uint32_t i = 0;
    while (i < l->n_inside && l->inside[i] != inst) {
        i++;
    }
    ww_assert(i < l->n_inside);
    memmove(&l->inside[i], &l->inside[i + 1], (--l->n_inside - i) * sizeof(WwInst *));
}

static void ends_finish(void *self, WwInst *inst, uint32_t what)
{
    LinkUnit *l = self;
    if ((what & WW_END_RECORD) == 0) {
        return;
    }
    come_back(l, inst);
    ww_wake(&l->wake);
    if (has_result(inst)) {
        LinkResults *r = &l->result[inst->sched];
        inst->next = NULL;
        *(r->first != NULL ? &r->last->next : &r->first) = inst;
        r->last = inst;
        return;
    }
    l->retired++;
    WW_LOG(l, &link_events[LOG_RETIRE], inst->warp, WW_PART(inst));
    WW_WARPS(&l->warps)->finish(l->warps.peer, inst, WW_END_ALL);
}

static const WwInstEndsIf ends_table = {.finish = ends_finish};

/* ---- a cycle ------------------------------------------------------------------------------- */

/* Results of @p core go into its latch while there is room; then whoever makes room wakes. */
static void give_results(LinkUnit *l, uint32_t core)
{
    LinkResults *r = &l->result[core];
    while (r->first != NULL) {
        int slot = ww_regs_free(&l->out[core], core);
        if (slot < 0) {
            return;
        }
        WwInst *inst = r->first;
        r->first = inst->next;
        inst->next = NULL;
        ww_regs_put_in(l->out[core].peer, slot, inst);
        l->results++;
    }
}

WW_COLD static void refuse(LinkUnit *l, const WwInst *inst)
{
    g_autofree char *path = ww_path(l);
    ww_fail_run(
        l, g_error_new(
               WW_ERROR, WW_ERROR_MODEL,
               "%s: %s (trace line %u) comes from sub-core %u; expected that `out` leads there",
               path, inst->s->opcode, inst->s->line, inst->sched));
}

static void take_from(LinkUnit *l, uint32_t core, int slot)
{
    WwInst *inst = ww_regs_take(&l->in[core], ww_regs_oldest(&l->in[core]));
    if (G_UNLIKELY(inst->sched >= l->n_out)) {
        refuse(l, inst);
        return;
    }
    if ((inst->s->flags & WW_INST_ATOMIC) != 0 && inst->mask != 0) {
        WW_WARPS(&l->warps)->atomics(l->warps.peer, inst->warp, (int32_t)ww_inst_lanes(inst));
    }
    l->inside[l->n_inside++] = inst;
    l->most = MAX(l->most, l->n_inside);
    l->instructions++;
    l->lanes += ww_inst_lanes(inst);
    l->turn = (core + 1) % l->n_in;
    ww_regs_put_in(l->unit.peer, slot, inst);
}

/* The first sub-core from `turn` on that offers an instruction; n_in: none. */
static uint32_t offered(const LinkUnit *l)
{
    for (uint32_t i = 0; i < l->n_in; i++) {
        uint32_t core = (l->turn + i) % l->n_in;
        if (ww_regs_full(&l->in[core]) != 0) {
            return core;
        }
    }
    return l->n_in;
}

/* Takes an instruction over; answers when there may be another one to take that nobody tells of. */
static WwRest accept(LinkUnit *l)
{
    uint32_t core = offered(l);
    if (core == l->n_in || l->n_inside == l->entries) {
        return WW_SLEEP; /* the unit wakes with an end */
    }
    WwCycle now = ww_now(l), way = WW_DISPATCH_SLOT(&l->dispatch)->free_at(l->dispatch.peer);
    if (way > now) {
        return way - now;
    }
    int slot = ww_regs_free(&l->unit, 0);
    if (slot < 0) {
        return WW_SLEEP;
    }
    take_from(l, core, slot);
    return offered(l) < l->n_in ? WW_AGAIN : WW_SLEEP;
}

static WwRest link_tick(void *self)
{
    LinkUnit *l = self;
    for (uint32_t i = 0; i < l->n_out; i++) {
        give_results(l, i);
    }
    return accept(l);
}

/* ---- life ---------------------------------------------------------------------------------- */

static bool link_init(void *self, GError **error)
{
    LinkUnit *l = self;
    if (l->n_in != l->n_out) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u ports `in` are bound and %u ports `out`; expected both of each sub-core",
                       l->n_in, l->n_out);
    }
    l->inside = ww_alloc(l, l->entries * sizeof(WwInst *));
    return true;
}

static void link_reset(void *self)
{
    LinkUnit *l = self;
    l->wake = ww_wake_of(l, 0);
    l->n_inside = l->turn = 0;
    memset(l->result, 0, sizeof l->result);
}

static void link_explain(void *self, WwExplain *explain)
{
    const LinkUnit *l = self;
    for (uint32_t i = 0; i < l->n_inside; i++) {
        ww_explain_holds_inst(explain, l->inside[i]);
    }
    if (l->n_inside != 0) {
        ww_explain_waits(
            explain, l->ends.n != 0 ? l->ends.client[0].who : NULL,
            "%u of %u instructions are with the LD/ST unit, the oldest is %s of warp %u",
            l->n_inside, l->entries, l->inside[0]->s->opcode, l->inside[0]->warp);
    }
    for (uint32_t i = 0; i < l->n_out; i++) {
        for (const WwInst *inst = l->result[i].first; inst != NULL; inst = inst->next) {
            ww_explain_holds_inst(explain, inst);
        }
        if (l->result[i].first != NULL) {
            ww_explain_waits(explain, l->out[i].peer,
                             "the result of %s waits for the latch of sub-core %u",
                             l->result[i].first->s->opcode, i);
        }
    }
}

static uint64_t link_carries(void *self, const WwPortRow *row, uint32_t k)
{
    const LinkUnit *l = self;
    bool result = row->offset == offsetof(LinkUnit, out);
    return result ? ww_carried_from(&l->in[k], k) : ww_carried_by_any(l->in, l->n_in);
}

/* Random instructions become memory instructions, with a result or without. */
static void link_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    static const uint32_t kinds[] = {WW_TAKES_LOAD, WW_TAKES_STORE, WW_TAKES_LOAD | WW_TAKES_LDGSTS,
                                     WW_TAKES_OTHER, WW_TAKES_TEXTURE};
    const LinkUnit *l = self;
    WwInst *inst = ww_token_inst(token);
    WwTiming *t = ww_test_timing(inst);
    inst->sched = (uint8_t)(inst->sched % l->n_out);
    t->flags = kinds[g_rand_int_range(random, 0, G_N_ELEMENTS(kinds))];
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow link_params[] = {
    WW_UINT(LinkUnit, entries, "", "128", 1, 4096, "instructions the unit may hold"),
    {0},
};

static const WwPortRow link_ports[] = {
    WW_PORT_ARRAY(LinkUnit, in, WW_IN, &ww_contract_inst, 1, NULL,
                  "the latch of each sub-core to the LD/ST unit, by its number"),
    WW_PORT_ARRAY(LinkUnit, out, WW_OUT, &ww_contract_inst, 1, NULL,
                  "the latch of results from the SM of each sub-core, by its number"),
    WW_PORT_OUT(LinkUnit, unit, &ww_contract_inst, 1, "input of the LD/ST unit"),
    WW_PORT_REQUIRES(LinkUnit, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "told of instructions that end without a result; counters of atomic lanes"),
    WW_PORT_REQUIRES(LinkUnit, dispatch, &ww_contract_dispatch_slot, 1, WW_RANK_SHARED,
                     "nothing is accepted while a transfer is in progress"),
    WW_PORT_PROVIDES(LinkUnit, ends, &ww_contract_inst_ends, &ends_table,
                     "told by the LD/ST unit of its instructions"),
    {0},
};

static const WwStatRow link_stats[] = {
    WW_COUNTER(LinkUnit, instructions, "instructions", "instructions passed to the unit"),
    WW_COUNTER(LinkUnit, lanes, "lanes", "their active lanes"),
    WW_COUNTER(LinkUnit, results, "instructions", "of these, results sent to a sub-core"),
    WW_COUNTER(LinkUnit, retired, "instructions", "and those without a result, which ended here"),
    WW_MAXIMUM(LinkUnit, most, "entries", "maximum number of instructions in the unit"),
    {0},
};

static const WwEntryRow link_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = link_tick,
     .doc = "sends results to the sub-cores, passes an instruction on"},
    {0},
};

const WwType link_ldst_unit_type = {
    .abi = WW_ABI_VERSION,
    .name = "link.ldst_unit",
    .doc = "Link from the sub-cores of a modern SM to an ldst_unit, and back.",
    .family = "link",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(LinkUnit),
    .events = link_events,
    .params = link_params,
    .ports = link_ports,
    .stats = link_stats,
    .entries = link_entries,
    .init = link_init,
    .reset = link_reset,
    .explain = link_explain,
    .carries = link_carries,
    .adapt = link_adapt,
};
