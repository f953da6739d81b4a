/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of a register_set where tokens are looked at: what is said of a component that takes from, or puts into, one with which it has no business. */
#include <ports/register_set.h>
#include <warpwright/at_work.h>

WW_COLD static void fail_take(WwRegisterSet *s, const WwPort *in, int slot, const char *why)
{
    GError *error = NULL;
    g_autofree char *path = ww_path(s), *who = ww_path(s->ch.reader[in->ordinal].who);
    ww_fail(&error, WW_ERROR_MODEL, "%s: %s took register %d, which %s", path, who, slot, why);
    ww_fail_run(s, error);
}

WW_COLD static void fail_put(WwRegisterSet *s, int slot, const WwComponent *writer)
{
    const WwComponent *turn = writer != NULL ? writer : ww_at_work().component;
    GError *error = NULL;
    g_autofree char *path = ww_path(s), *who = turn != NULL ? ww_path(turn) : g_strdup("a writer");
    if (slot < 0 || (uint32_t)slot >= s->width) {
        ww_fail(&error, WW_ERROR_MODEL,
                "%s: %s put into register %d of %u; expected one that ww_regs_free() gave", path,
                who, slot, s->width);
    } else {
        ww_fail(&error, WW_ERROR_MODEL,
                "%s: %s put into register %d, which is taken; expected an empty one "
                "(ww_regs_free)",
                path, who, slot);
    }
    ww_fail_run(s, error);
}

bool ww_regs_check_put(const WwRegisterSet *set, int slot, const WwComponent *who)
{
    bool good = slot >= 0 && (uint32_t)slot < set->width && (set->full >> slot & 1u) == 0;
    if (!good) {
        fail_put(ww_regs_of(set), slot, who);
    }
    return good;
}

void ww_regs_put_seen(WwRegisterSet *s, int slot, WwInst *inst)
{
    if (ww_regs_check_put(s, slot, NULL)) {
        ww_tap(&s->ch, "put", (uint32_t)slot, (WwToken)(uintptr_t)inst);
        ww_regs_put_now(s, slot, inst);
    }
}

WwInst *ww_regs_take_seen(const WwPort *in, int slot)
{
    WwRegisterSet *s = in->peer;
    bool there = slot >= 0 && (uint32_t)slot < s->width;
    if (!there || (s->full >> slot & 1u) == 0) {
        fail_take(s, in, slot, "holds nothing; expected one that does (ww_regs_oldest)");
        return there ? s->reg[slot] : NULL;
    }
    if (s->private && !s->one && (uint32_t)slot < s->ch.n_readers &&
        (uint32_t)slot != in->ordinal) {
        fail_take(s, in, slot,
                  "is private to another reader; expected its own (ww_regs_oldest_mine)");
    }
    return ww_regs_take_out(s, slot);
}
