/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `link.ldst_shared`: the operand collector of an Accel-Sim SM in front of `ldst.shared`, the LD/ST unit of a modern SM.
 *
 *     in (OC_EX_MEM) -> [ link ] -> to[scheduler] -> ... ldst.shared
 *                    => timing                             => ends
 *     warps, banks, barriers <= [ link ] <- results[scheduler] <-'
 *
 * The unit wants to know what an instruction takes (`timing`), and takes instructions from a latch of each scheduler; it gives a result back into
 * another one, and ends by itself what has none. An Accel-Sim SM wants more of an end: a result takes the bank of its register, and waits while that
 * is taken; lanes of atomics are counted back, and an asynchronous copy is told of by address. An instruction ends whole: its warp has it in its
 * pipeline until then, and the scoreboard releases all of its registers, long-operation marks included.
 *
 * In a cycle the unit comes first, then results, one of each scheduler, then instructions, the oldest of each scheduler whose latch is empty.
 */
#include "types.h"

#include <ports/events.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/warps.h>

enum { LINK_MAX_SCHEDULERS = 16 };

typedef struct LinkShared {
    WwComponent base;
    /* ports */
    WwPort in;
    WwPort to[LINK_MAX_SCHEDULERS], results[LINK_MAX_SCHEDULERS];
    uint32_t n_to, n_results;
    WwPort timing, warps, banks, barriers;
    WwProvided ends;
    /* statistics */
    uint64_t instructions;
    uint64_t lanes;
    uint64_t written;
    uint64_t ended;
    uint64_t bank_conflicts;
} LinkShared;

static const WwEventRow link_events[] = {
    {"writeback",
     "warp",
     "an instruction's result is written: the instruction ends",
     {&ww_field_inst}},
    {0},
};

/* ---- ends ---------------------------------------------------------------------------------- */

static void end(LinkShared *l, WwInst *inst)
{
    if ((inst->s->flags & WW_INST_ATOMIC) != 0 && inst->mask != 0) {
        WW_WARPS(&l->warps)->atomics(l->warps.peer, inst->warp, -(int32_t)ww_inst_lanes(inst));
    }
    if ((inst->s->flags & WW_INST_LDGSTS) != 0 && inst->mask != 0) {
        /* by the address of lane 0, as it was told of at issue */
        uint64_t addr = (inst->mask & 1u) != 0 ? ww_addr_first(inst->addr, inst->mask) : 0;
        WW_BARRIERS(&l->barriers)->async_done(l->barriers.peer, inst->warp, inst->s->pc, addr);
    }
    WW_WARPS(&l->warps)->finish(l->warps.peer, inst, WW_END_ALL);
}

static void ends_finish(void *self, WwInst *inst, uint32_t what)
{
    LinkShared *l = self;
    if ((what & WW_END_RECORD) != 0) {
        l->ended++;
        end(l, inst);
    }
}

static const WwInstEndsIf ends_table = {.finish = ends_finish};

/* ---- a cycle ------------------------------------------------------------------------------- */

/* Writes a result of scheduler @p i; false: it waits for its bank. */
static bool write_result(LinkShared *l, uint32_t i)
{
    int slot = ww_regs_oldest(&l->results[i]);
    if (slot < 0) {
        return true;
    }
    const WwInst *inst = ww_regs_at(&l->results[i], slot);
    if (!WW_REGISTER_BANKS(&l->banks)->write(l->banks.peer, inst)) {
        l->bank_conflicts++;
        return false;
    }
    WwInst *over = ww_regs_take(&l->results[i], slot);
    WW_LOG(l, &link_events[0], over->warp, WW_PART(over));
    l->written++;
    end(l, over);
    return ww_regs_full(&l->results[i]) == 0;
}

WW_COLD static void refuse(LinkShared *l, const WwInst *inst)
{
    g_autofree char *path = ww_path(l);
    ww_fail_run(
        l, g_error_new(
               WW_ERROR, WW_ERROR_MODEL,
               "%s: %s (trace line %u) comes from scheduler %u; expected that `to` leads on for it",
               path, inst->s->opcode, inst->s->line, inst->sched));
}

/* The oldest instructions first, as the latches of their schedulers are empty. */
static void hand_on(LinkShared *l)
{
    uint64_t left = ww_regs_full(&l->in);
    while (left != 0) {
        int from = ww_regs_oldest_of(&l->in, left);
        left &= ~(1ull << from);
        uint32_t sched = ww_regs_at(&l->in, from)->sched;
        if (G_UNLIKELY(sched >= l->n_to)) {
            refuse(l, ww_regs_at(&l->in, from));
            return;
        }
        int slot = ww_regs_free(&l->to[sched], sched);
        if (slot < 0) {
            continue; /* whoever makes room wakes */
        }
        WwInst *inst = ww_regs_take(&l->in, from);
        inst->timing = WW_TIMING(&l->timing)->of(l->timing.peer, inst);
        l->instructions++;
        l->lanes += ww_inst_lanes(inst);
        ww_regs_put_in(l->to[sched].peer, slot, inst);
    }
}

static WwRest link_tick(void *self)
{
    LinkShared *l = self;
    WwRest rest = WW_SLEEP;
    for (uint32_t i = 0; i < l->n_results; i++) {
        rest = write_result(l, i) ? rest : WW_AGAIN;
    }
    hand_on(l);
    return rest;
}

/* ---- life ---------------------------------------------------------------------------------- */

static bool link_init(void *self, GError **error)
{
    const LinkShared *l = self;
    return l->n_to == l->n_results ||
           ww_fail(
               error, WW_ERROR_WIRING,
               "%u ports `to` are bound and %u ports `results`; expected both of each scheduler",
               l->n_to, l->n_results);
}

static void link_explain(void *self, WwExplain *explain)
{
    const LinkShared *l = self;
    for (uint64_t m = ww_regs_full(&l->in); m != 0; m &= m - 1) {
        const WwInst *inst = ww_regs_at(&l->in, __builtin_ctzll(m));
        if (inst->sched < l->n_to && ww_regs_none_free(&l->to[inst->sched], inst->sched)) {
            ww_explain_waits(explain, l->to[inst->sched].peer,
                             "%s of warp %u waits for the latch of scheduler %u", inst->s->opcode,
                             inst->warp, inst->sched);
        }
    }
    for (uint32_t i = 0; i < l->n_results; i++) {
        int slot = ww_regs_oldest(&l->results[i]);
        if (slot >= 0) {
            const WwInst *inst = ww_regs_at(&l->results[i], slot);
            ww_explain_waits(explain, l->banks.peer,
                             "the result of %s of warp %u waits for its register bank",
                             inst->s->opcode, inst->warp);
        }
    }
}

static uint64_t link_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carried_from(&((const LinkShared *)self)->in, k);
}

/* Any scheduler that is there. */
static void link_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    WwInst *inst = ww_token_inst(token);
    inst->sched = (uint8_t)(inst->sched % ((const LinkShared *)self)->n_to);
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwPortRow link_ports[] = {
    WW_PORT_IN(LinkShared, in, &ww_contract_inst, 1,
               "memory instructions with their operands (OC_EX_MEM)"),
    WW_PORT_ARRAY(LinkShared, to, WW_OUT, &ww_contract_inst, 1, NULL,
                  "the latch of each scheduler to the LD/ST unit, by its number"),
    WW_PORT_ARRAY(LinkShared, results, WW_IN, &ww_contract_inst, 1, NULL,
                  "the latch of results for each scheduler, by its number"),
    WW_PORT_REQUIRES(LinkShared, timing, &ww_contract_timing, 1, NULL, "timing of instructions"),
    WW_PORT_REQUIRES(LinkShared, warps, &ww_contract_warps, 1, WW_RANK_EXECUTE,
                     "told of instructions that end; counters of atomic lanes"),
    WW_PORT_REQUIRES(LinkShared, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                     "register banks for results"),
    WW_PORT_REQUIRES(LinkShared, barriers, &ww_contract_barriers, 1, WW_RANK_EXECUTE,
                     "finished asynchronous copies"),
    WW_PORT_PROVIDES(LinkShared, ends, &ww_contract_inst_ends, &ends_table,
                     "told by the LD/ST unit of instructions without a result"),
    {0},
};

static const WwStatRow link_stats[] = {
    WW_COUNTER(LinkShared, instructions, "instructions", "instructions passed to the unit"),
    WW_COUNTER(LinkShared, lanes, "lanes", "their active lanes"),
    WW_COUNTER(LinkShared, written, "instructions", "of these, those that returned as a result"),
    WW_COUNTER(LinkShared, ended, "instructions", "and those that ended without one"),
    WW_COUNTER(LinkShared, bank_conflicts, "cycles",
               "cycles in which a result waited for its register bank"),
    {0},
};

static const WwEntryRow link_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = link_tick,
     .doc = "writes results, passes instructions on"},
    {0},
};

const WwType link_ldst_shared_type = {
    .abi = WW_ABI_VERSION,
    .name = "link.ldst_shared",
    .doc = "Link from the operand collector of an Accel-Sim SM to ldst.shared, and back.",
    .family = "link",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(LinkShared),
    .events = link_events,
    .ports = link_ports,
    .stats = link_stats,
    .entries = link_entries,
    .init = link_init,
    .explain = link_explain,
    .carries = link_carries,
    .adapt = link_adapt,
};
