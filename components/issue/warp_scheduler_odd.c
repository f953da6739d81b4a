/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What hardly a machine or trace brings to a warp scheduler, off its common path: guests, warps that
 * stray from their i-buffers, device-side launches, units and policies that are not as they should be.
 */
#include "warp_scheduler-priv.h"
#include <ports/events.h>

/* ---- refusals ------------------------------------------------------------------------------ */

WW_COLD void warp_scheduler_no_unit(WarpScheduler *s, const WwInst *inst)
{
    const WwKernel *kernel = s->view.warps->warp[inst->warp].kernel;
    const char *name = s->route[inst->op].name->text;
    GError *error = NULL;
    g_autofree char *path = ww_path(s);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s:%u: %s (category %s) needs unit %s, which %s does not have; expected a platform "
            "with that unit",
            kernel != NULL && kernel->file != NULL ? kernel->file : "trace", inst->s->line,
            inst->s->opcode, ww_op_name(inst->op), name, path);
    ww_fail_run(s, error);
}

WW_COLD WwRest warp_scheduler_bad_policy(WarpScheduler *s, const char *what, int64_t number,
                                         uint32_t most)
{
    GError *error = NULL;
    const WwComponent *policy = s->policy.peer;
    g_autofree char *name = ww_path(policy);
    g_autofree char *path = ww_path(s);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s (%s) %s %" G_GINT64_FORMAT " for %s; expected a number from 0 to %u", name,
            policy->type->name, what, number, path, most);
    ww_fail_run(s, error);
    return WW_SLEEP;
}

/* ---- guests and strays --------------------------------------------------------------------- */

WW_COLD void warp_scheduler_invite(WarpScheduler *s)
{
    int32_t guest = s->policy_if->guest(s->policy.peer, &s->view);
    if (G_UNLIKELY(guest >= (int32_t)s->view.warps->slots)) {
        warp_scheduler_bad_policy(s, "invites warp", guest, s->view.warps->slots - 1);
        guest = -1;
    }
    s->guest = guest >= 0 ? (1ull << guest) & ~s->view.mine : 0;
}

WW_COLD bool warp_scheduler_strays(WarpScheduler *s, uint32_t warp, const WwInst *inst)
{
    if (!(s->simt_view->unsure >> warp & 1u)) {
        return false;
    }
    uint64_t pc = s->simt_if->expected(s->simt.peer, warp);
    if (pc == inst->s->pc) {
        return false;
    }
    WW_LOG(s, &warp_scheduler_events[LOG_FLUSH], warp, WW_PART(inst), pc);
    s->warps_if->rewind(s->warps.peer, warp);
    s->flushes++;
    s->acted = true;
    return true;
}

/* ---- launches ------------------------------------------------------------------------------ */

WW_COLD bool warp_scheduler_launches(WarpScheduler *s, uint32_t warp)
{
    const WwWarp *w = &s->view.warps->warp[warp];
    if (w->launch_wait == 0) {
        return false;
    }
    s->warps_if->tries(s->warps.peer, warp, w->launch_paid, w->launch_wait - 1);
    s->acted = s->counting = true;
    return true;
}

/*
 * Creating a stream takes what it takes; the other calls take some for the warp and some for each
 * lane.
 */
WW_COLD bool warp_scheduler_must_launch(WarpScheduler *s, const WwInst *inst, Unit unit)
{
    const uint32_t *latency = s->launch_latency.v;
    if (unit != UNIT_INT && unit != UNIT_SP) {
        return false;
    }
    if (s->view.warps->warp[inst->warp].launch_paid) {
        s->warps_if->tries(s->warps.peer, inst->warp, false, 0);
        return false;
    }
    uint32_t wait = latency[0];
    if (!(inst->s->flags & WW_INST_CDP_STREAM)) {
        latency += inst->s->flags & WW_INST_CDP_BUFFER ? 1 : 3;
        wait = latency[0] + latency[1] * ww_inst_lanes(inst);
    }
    s->warps_if->tries(s->warps.peer, inst->warp, true, wait);
    WW_LOG(s, &warp_scheduler_events[LOG_LAUNCH], inst->warp, WW_PART(inst), wait);
    if (s->refused == UNIT_NONE) {
        s->refused = UNIT_LAUNCH;
    }
    s->acted = true;
    return true;
}
