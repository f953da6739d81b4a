/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `warp_scheduler`: chooses the warp that issues in this tick and moves its instruction into an
 * issue register.
 *
 *      [policy]   order of warps                      -> sp, dp, int, sfu, mem, tensor, spec[]
 *         ^                                              issue registers, one set a unit class
 *     warp_scheduler --- hazard: scoreboard, reserve
 *         |   \--------- barriers: held warps, memory barriers, asynchronous copies
 *       warps: i-buffers, lanes, atomics; simt (optional): what they are expected to execute
 *
 * Scheduler number k of n (its ordinal among the issue callers of `warps`) owns the warps w with
 * w mod n = k. Each tick it takes the warps in the order of its policy; the first that can issue
 * does, up to max_issue instructions, and ends the search. A second instruction is tried only
 * after the first has issued, and not to a unit of the same class when dual_issue_diff_units is
 * set.
 *
 * Cost follows warps that may issue: everything that makes a warp wait is a bit mask, and a warp
 * whose head collides with a pending register is remembered (`blocked`) until one of its
 * registers is released. So is one whose head collides with none (`clear`): it cannot before it has issued, so that
 * of these warps only the ports are asked, one for all whose heads go there.
 *
 * With nothing to issue the scheduler sleeps; fills of i-buffers, releases of registers of blocked warps and of
 * barriers, the end of atomics and freed issue registers wake it. The outcome of the last tick is then counted
 * for each tick slept. It looks ahead for that: after an issue it finds out what the next tick would find if
 * nothing happened before, and sleeps when that is nothing to issue.
 *
 * That is the quick tick (warp_scheduler_turn.c), for a scoreboard that shows its registers and a policy that has first(). All other
 * ticks try the warps one after the other: warp_scheduler_walk.c.
 *
 * A memory barrier completes as an effect of looking at its warp (reference behaviour): when the
 * policy examines all of its warps, when the search reaches the warp, or just after an
 * instruction of the warp has issued. Without membar_needs_look it completes first thing in the
 * tick in which nothing holds it any more.
 *
 * Two things that hardly a trace brings cost a mask test each (warp_scheduler_odd.c). An i-buffer that starts with another
 * instruction than its warp is expected to execute is flushed when its turn comes, and fetched
 * again from there. A call of the device-side launch interface finds its unit free, then waits a
 * number of further tries (launch_latency) and issues in the try after that; tries do not count
 * while the warp waits or a better one issues.
 *
 * A policy may name one warp of another scheduler (a guest): the scheduler then does not sleep,
 * looks at the guest afresh each tick, and wakes its owner when it has changed it.
 *
 * Statistics: a tick in which nothing issues counts once, by the warp that came closest. `stall`:
 * an instruction was ready and its unit had no free register; else `scoreboard_wait`: an
 * instruction waited for a register; else `idle`. `cause` divides the same ticks further; the
 * entry nearest to issuing wins, that is the last one of the list (among units, the one that was
 * refused first). An instruction without active lanes counts in `stall`, too, as the reference
 * prints it: sum(cause) = idle + scoreboard_wait + stall - issued[0].
 */
#include "types.h"
#include "warp_scheduler-priv.h"
#include <ports/events.h>
#include <string.h>

/* ---- life ---------------------------------------------------------------------------------- */

static void scheduler_reset(void *self)
{
    static const WwSimtView all_sure;
    WarpScheduler *s = self;
    s->simt_view = WW_BOUND(&s->simt) ? s->simt_if->view(s->simt.peer) : &all_sure;
    s->guest = 0;
    s->hazards = s->hazard_if->view(s->hazard.peer);
    const WwPolicyIf *p = s->policy_if;
    bool quick = s->hazards->exact && s->hazards->regs[0] != NULL && p->first != NULL;
    s->limited = quick && p->limits != NULL;
    s->quick = quick && p->limits == NULL && p->restless == NULL && p->considers == NULL &&
               p->guest == NULL;
    s->more = s->max_issue > 1 ? MORE : 0;
    s->tell_all = s->walking = false;
    s->quiet_cause = NOT_QUIET;
    s->blamed = -1;
    s->seen_long = s->strange = s->quick_can = 0;
    memset(s->told_waiting, 0, sizeof s->told_waiting);
    if (warp_scheduler_tells(s)) {
        s->pcs_if = WW_PCS(&s->pcs);
        s->book = s->pcs_if->book(s->pcs.peer);
        s->cycles = &s->book->scheduler[s->warps.ordinal];
    }
    s->view = (WwPolicyView){
        .warps = s->warps_if->view(s->warps.peer),
        .barriers = s->barriers_if->view(s->barriers.peer),
        .hazards = &s->hazard,
        .scheduler = s->warps.ordinal,
        .n_schedulers = s->schedulers,
    };
    for (uint32_t q = 0; q < N_QUEUES; q++) { /* the registers are there, too */
        s->slots[q] = s->set[q] != NULL ? ww_regs_for(s->port[q], s->view.scheduler) : 0;
    }
    s->started = false;
    s->turns = UNSTARTED;
    s->counting = false;
    s->blocked = s->blocked_long = 0;
    s->full = 0;
    warp_scheduler_forget_all(s);
    s->touches = 0;
    s->outcome = ISSUED;
    s->cause = CAUSE_NO_WARP;
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow scheduler_params[] = {
    WW_UINT(WarpScheduler, max_issue, "", "1", 1, MAX_ISSUE,
            "instructions one warp may issue per tick"),
    WW_BOOL(WarpScheduler, dual_issue_diff_units, "true",
            "instructions issued in the same tick must go to different unit classes"),
    WW_BOOL(WarpScheduler, atomics_block, "true",
            "a warp issues nothing while lanes of its atomics are outstanding, as in the "
            "reference; false: only instructions that need the results wait"),
    WW_BOOL(WarpScheduler, membar_needs_look, "true",
            "a memory barrier ends when the scheduler looks at its warp, as in the reference; "
            "false: as soon as nothing holds it"),
    WW_BOOL(WarpScheduler, membar_waits_stores, "false",
            "a memory barrier also waits for its warp's stores and atomics, and for everything in "
            "the pipeline; false: for registers only, as in the reference"),
    WW_BOOL(WarpScheduler, count_empty_as_stall, "true",
            "an instruction without active lanes also counts as a stall, as in the reference"),
    WW_LIST(WarpScheduler, launch_latency, "cycles", "[7200, 8000, 100, 12000, 1600]", 0, 1 << 24,
            "latency before issue of calls of the device-side launch interface: create a stream; "
            "parameter buffer, per warp and per lane; launch, per warp and per lane"),
    WW_LIST(WarpScheduler, spec_categories, "", "[1, 2, 3, 4, 5, 6, 7, 8]", 1, WW_NUM_SPEC,
            "specialised category (SPEC1 to SPEC8) of each spec port, in order: [1, 3] for a "
            "machine without units for SPEC2"),
    {0},
};

static const WwGoneRow scheduler_gone[] = {
    {"schedulers", "as many as are joined to the warps (sm.schedulers)"},
    {0},
};

static const WwPortRow scheduler_ports[] = {
    WW_PORT_REQUIRES(WarpScheduler, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "hardware warps"),
    WW_PORT_REQUIRES(WarpScheduler, hazard, &ww_contract_scoreboard, 1, WW_RANK_CHECK,
                     "pending registers, checked and reserved at issue"),
    WW_PORT_REQUIRES(WarpScheduler, barriers, &ww_contract_barriers, 1, WW_RANK_ISSUE,
                     "barriers and asynchronous copies"),
    WW_PORT_REQUIRES(WarpScheduler, policy, &ww_contract_scheduler, 1, NULL, "order of warps"),
    WW_PORT_REQUIRES(WarpScheduler, simt, &ww_contract_simt, 0, NULL,
                     "what warps are expected to execute; unbound: what their i-buffers hold"),
    WW_PORT_PCS(WarpScheduler, "told of issues, of what warps wait for, of lost slots"),
    WW_PORT_OUT(WarpScheduler, sp, &ww_contract_inst, 0,
                "fp32; also integer and the rest if int is unbound"),
    WW_PORT_OUT(WarpScheduler, dp, &ww_contract_inst, 0, "fp64; unbound: to sfu"),
    {.name = "int",
     .role = WW_OUT,
     .contract = &ww_contract_inst,
     .max = 1,
     .doc = "integer, control, barriers, everything without a unit of its own",
     .offset = WW_FIELD(WarpScheduler, int_, WwPort)},
    WW_PORT_OUT(WarpScheduler, sfu, &ww_contract_inst, 0, "special functions"),
    WW_PORT_OUT(WarpScheduler, mem, &ww_contract_inst, 0, "loads, stores, memory barriers"),
    WW_PORT_OUT(WarpScheduler, tensor, &ww_contract_inst, 0, "tensor core"),
    WW_PORT_ARRAY(WarpScheduler, spec, WW_OUT, &ww_contract_inst, 0, NULL,
                  "specialised units, in the order of spec_categories"),
    {0},
};

static const WwStatRow scheduler_stats[] = {
    WW_COUNTER(
        WarpScheduler, stall, "cycles",
        "ready instructions but no free issue register, or instructions without active lanes"),
    WW_COUNTER(WarpScheduler, idle, "cycles", "no warp had an instruction to try (W0_Idle)"),
    WW_COUNTER(WarpScheduler, scoreboard_wait, "cycles",
               "all instructions waited for a pending register (W0_Scoreboard)"),
    WW_COUNTER(WarpScheduler, single_issue, "cycles", "one instruction issued"),
    WW_COUNTER(WarpScheduler, dual_issue, "cycles", "more than one instruction issued"),
    WW_COUNTER(WarpScheduler, flushes, "groups",
               "i-buffers flushed because their warp branched elsewhere"),
    WW_VECTOR(WarpScheduler, issued, "instructions", NULL, "instructions issued, by active lanes"),
    WW_VECTOR(
        WarpScheduler, warp_issue, "instructions", NULL,
        "issues by hardware warp; the k-th instruction of a tick counts k, as in the reference"),
    {.name = "cause",
     .kind = WW_STAT_VECTOR,
     .unit = "cycles",
     .doc = "why nothing issued: one cause per cycle, that of the warp closest to issuing",
     .labels = warp_scheduler_causes,
     .n = N_CAUSES,
     .offset = offsetof(WarpScheduler, causes[0])},
    {0},
};

static const WwEntryRow scheduler_entries[] = {
    {.name = "issue",
     .phase = "core",
     .tick = warp_scheduler_tick,
     .doc = "issues from one warp",
     .bound = "pcs",
     .tick_bound = warp_scheduler_telling_tick},
    {0},
};

static const WwEventField field_order =
    WW_EVENT_FIELD("order", WW_EVENT_NUMBER, "", "of issue in the SM");
static const WwEventField field_to =
    WW_EVENT_FIELD("to", WW_EVENT_LABEL, "", "the units that it goes to");
static const WwEventField field_expected =
    WW_EVENT_FIELD("expected", WW_EVENT_HEX, "bytes", "the pc that the warp goes on at");
static const WwEventField field_tries =
    WW_EVENT_FIELD("tries", WW_EVENT_NUMBER, "", "how often it is tried before it issues");
const WwEventRow warp_scheduler_events[] = {
    [LOG_ISSUE] = {"issue",
                   "warp",
                   "an instruction issues",
                   {&ww_field_inst, &ww_field_mask, &ww_field_registers, &ww_field_line,
                    &field_order, &field_to}},
    [LOG_FLUSH] =
        {"flush",
         "warp",
         "the i-buffer is flushed: after a branch it holds instructions that are not executed",
         {&ww_field_inst, &field_expected}},
    [LOG_LAUNCH] = {"launch",
                    "warp",
                    "a device-side launch starts to wait",
                    {&ww_field_inst, &field_tries}},
    {0},
};

const WwType warp_scheduler_type = {
    .abi = WW_ABI_VERSION,
    .name = "warp_scheduler",
    .doc = "Issues instructions of the warps of one scheduler in policy order.",
    .family = "issue",
    .size = sizeof(WarpScheduler),
    .events = warp_scheduler_events,
    .params = scheduler_params,
    .gone = scheduler_gone,
    .ports = scheduler_ports,
    .stats = scheduler_stats,
    .entries = scheduler_entries,
    .init = warp_scheduler_init,
    .reset = scheduler_reset,
    .settle = warp_scheduler_settle,
    .explain = warp_scheduler_explain,
    .carries = warp_scheduler_carries,
};
