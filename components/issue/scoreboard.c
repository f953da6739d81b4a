/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `scoreboard`: which registers of each warp have a write pending.
 *
 *            release: write-back, LD/ST unit
 *                        v
 *     reserve, check  [scoreboard]  retire scan
 *     warp schedulers                fetch unit
 *
 * Passive: a bit per register and warp, so that a check is a few loads and ands. Workload: one
 * reservation and one release for an instruction with a destination, one to three checks for each
 * instruction (a scheduler remembers a collision until a register of the warp is released).
 * Register numbers are the trace's plus one; R255 is a register like any other, unless
 * zero_register says no. Sources are not protected against later writes.
 *
 * The long-operation marks are kept as the reference keeps them: releasing a single
 * register leaves its mark behind (marks_stay), and only releasing a whole instruction removes it.
 * Schedulers that set warps aside look at these marks. `slow` is the honest table beside it, for statistics.
 */
#include "issue-priv.h"
#include "types.h"
#include <ports/hazards.h>
#include <ports/register_set.h>
#include <string.h>

#define WORDS ((WW_NUM_REGS + 63u) / 64u)

typedef struct Registers {
    uint64_t pending[WORDS]; /* a write is on its way */
    uint64_t marked[WORDS];  /* long-operation marks */
    uint64_t slow[WORDS];    /* pending, reserved by a long operation */
    uint32_t n;              /* bits set in pending */
} Registers;

typedef struct Scoreboard {
    WwComponent base;
    /* parameters */
    bool zero_register;
    bool marks_stay;
    /* ports */
    WwProvided hazards;
    /* state */
    WwHazardView view;
    Registers warp[WW_MAX_WARPS];
    WarpWakes check;
    uint32_t n_retire;
    WwWake retire[4];
    /* statistics */
    uint64_t reservations;
    uint64_t releases;
} Scoreboard;

static inline bool has(const uint64_t *set, uint32_t reg)
{
    return (set[reg / 64] >> (reg % 64) & 1u) != 0;
}

static inline void add(uint64_t *set, uint32_t reg)
{
    set[reg / 64] |= 1ull << (reg % 64);
}

static inline void take_out(uint64_t *set, uint32_t reg)
{
    set[reg / 64] &= ~(1ull << (reg % 64));
}

static const WwHazardView *board_view(void *self)
{
    Scoreboard *b = self;
    b->view.exact = true; /* before the first reset, too */
    return &b->view;
}

static void board_seen(void *self, uint64_t warps)
{
    ((Scoreboard *)self)->view.changed &= ~warps;
}

static inline bool any_source(const uint64_t *set, const WwSinst *s)
{
    for (uint32_t i = 0; i < s->nsrc; i++) {
        if (has(set, s->src[i])) {
            return true;
        }
    }
    return false;
}

/* Register 0 is "none" and never in a set. */
static bool board_collides(void *self, uint32_t warp, const WwSinst *s)
{
    const Scoreboard *b = self;
    const Registers *r = &b->warp[warp];
    return r->n != 0 && (has(r->pending, s->dst) || any_source(r->pending, s));
}

static bool board_waits_long(void *self, uint32_t warp, const WwSinst *s)
{
    return any_source(((const Scoreboard *)self)->warp[warp].marked, s);
}

static bool board_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    const Registers *r = &((const Scoreboard *)self)->warp[warp];
    return has(r->slow, s->dst) || any_source(r->slow, s);
}

/* A component reserved what it had not checked. */
WW_COLD static void reserved_twice(Scoreboard *b, const WwInst *inst)
{
    GError *error = NULL;
    g_autofree char *path = ww_path(b);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: warp %u reserves R%d for %s (pc %" G_GINT64_MODIFIER
            "x, line %u of its trace) while a write to it is "
            "pending; expected that an instruction issues only after a check",
            path, inst->warp, inst->s->dst - 1, inst->s->opcode, inst->s->pc, inst->s->line);
    ww_fail_run(b, error);
}

static void board_reserve(void *self, const WwInst *inst)
{
    Scoreboard *b = self;
    Registers *r = &b->warp[inst->warp];
    uint32_t reg = inst->s->dst;
    if (reg == 0 || (reg == WW_ZERO_REG && !b->zero_register)) {
        return;
    }
    if (G_UNLIKELY(has(r->pending, reg))) {
        reserved_twice(b, inst);
        return;
    }
    add(r->pending, reg);
    r->n++;
    b->view.pending |= 1ull << inst->warp;
    b->reservations++;
    if (ww_inst_is_load(inst) &&
        (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL)) {
        add(r->marked, reg);
        add(r->slow, reg);
    }
}

/* Something about @p warp's registers has changed: its scheduler must look again. */
static void changed(Scoreboard *b, uint32_t warp)
{
    b->view.changed |= 1ull << warp;
    ww_wake(&b->check.of[warp]);
}

static void board_release(void *self, uint32_t warp, uint32_t reg)
{
    Scoreboard *b = self;
    Registers *r = &b->warp[warp];
    if (!has(r->pending, reg)) {
        return;
    }
    take_out(r->pending, reg);
    take_out(r->slow, reg);
    if (!b->marks_stay) {
        take_out(r->marked, reg);
    }
    b->releases++;
    if (--r->n == 0) {
        b->view.pending &= ~(1ull << warp);
        for (uint32_t i = 0; i < b->n_retire; i++) {
            ww_wake(&b->retire[i]);
        }
    }
    changed(b, warp);
}

static void board_release_all(void *self, const WwInst *inst)
{
    Scoreboard *b = self;
    Registers *r = &b->warp[inst->warp];
    uint32_t reg = inst->s->dst;
    if (reg == 0) {
        return;
    }
    if (has(r->marked, reg)) {
        take_out(r->marked, reg);
        changed(b, inst->warp);
    }
    board_release(b, inst->warp, reg);
}

static const WwScoreboardIf board_table = {
    .view = board_view,
    .seen = board_seen,
    .collides = board_collides,
    .waits_long = board_waits_long,
    .reserve = board_reserve,
    .release = board_release,
    .release_all = board_release_all,
    .collides_long = board_collides_long,
};

/* ---- life ---------------------------------------------------------------------------------- */

static bool board_init(void *self, GError **error)
{
    Scoreboard *b = self;
    uint32_t n = ww_provided_count(&b->hazards, WW_HAZARD_RETIRE);
    if (n > G_N_ELEMENTS(b->retire)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "scoreboard has %u callers of rank retire; expected at most %u", n,
                       (unsigned)G_N_ELEMENTS(b->retire));
    }
    return true;
}

static void board_reset(void *self)
{
    Scoreboard *b = self;
    b->view = (WwHazardView){.exact = true};
    memset(b->warp, 0, sizeof b->warp);
    warp_wakes_gather(&b->check, &b->hazards, WW_HAZARD_CHECK);
    b->n_retire = ww_provided_count(&b->hazards, WW_HAZARD_RETIRE);
    for (uint32_t i = 0; i < b->n_retire; i++) {
        b->retire[i] = ww_provided_client(&b->hazards, WW_HAZARD_RETIRE, i)->wake;
    }
}

/* Who will write a register is not known here: the instruction is somewhere in the pipelines. */
static void board_explain(void *self, WwExplain *explain)
{
    Scoreboard *b = self;
    for (uint64_t m = b->view.pending; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        ww_explain_unit(explain, warp, warp);
        for (uint32_t reg = 1; reg < WW_NUM_REGS; reg++) {
            if (has(b->warp[warp].pending, reg)) {
                ww_explain_waits_for(explain, ww_thing_write(warp, reg),
                                     "warp %u: the write to R%u%s is pending", warp, reg - 1,
                                     has(b->warp[warp].slow, reg) ? " (of a load)" : "");
            }
        }
    }
}

static const WwParamRow board_params[] = {
    WW_BOOL(Scoreboard, zero_register, "true",
            "writes to R255 are waited for, as in the reference; false: nobody waits for it"),
    WW_BOOL(Scoreboard, marks_stay, "true",
            "the release of one register leaves its long-operation mark, as in the reference; "
            "false: the mark goes with it"),
    {0},
};

static const WwGoneRow board_gone[] = {
    {"warps", "it knows all of the warp pool's (pool.slots, sm.warps)"},
    {0},
};

static const WwPortRow board_ports[] = {
    WW_PORT_PROVIDES(Scoreboard, hazards, &ww_contract_scoreboard, &board_table,
                     "check and reserve at issue, release at write-back"),
    {0},
};

static const WwStatRow board_stats[] = {
    WW_COUNTER(Scoreboard, reservations, "registers", "destinations reserved at issue"),
    WW_COUNTER(Scoreboard, releases, "registers", "registers released"),
    {0},
};

const WwType scoreboard_type = {
    .abi = WW_ABI_VERSION,
    .name = "scoreboard",
    .doc =
        "Registers with a pending write, per warp; holds back instructions that read or write one.",
    .family = "hazards",
    .size = sizeof(Scoreboard),
    .params = board_params,
    .gone = board_gone,
    .ports = board_ports,
    .stats = board_stats,
    .init = board_init,
    .reset = board_reset,
    .explain = board_explain,
};
