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

typedef struct Scoreboard {
    WwComponent base;
    /* parameters */
    bool zero_register;
    bool marks_stay;
    /* ports */
    WwProvided hazards;
    /* state */
    WwHazardView
        view; /* of warps without a reservation `none` is shown: few have as many as there may be */
    uint64_t used;            /* warps of which a register was ever reserved */
    uint16_t n[WW_MAX_WARPS]; /* registers pending */
    WarpWakes check;
    uint32_t n_retire;
    WwWake retire[4];
    /* statistics */
    uint64_t reservations;
    uint64_t releases;
} Scoreboard;

/* What is known of the registers of a warp that never reserved one. */
static const uint8_t none[WW_HAZARD_REGS];

/* Warps for which there is memory at a time. */
#define ROWS 4u

static const WwHazardView *board_view(void *self)
{
    Scoreboard *b = self;
    b->view.exact = true; /* before the first reset, too */
    b->view.zero_free = !b->zero_register;
    return &b->view;
}

/* WW_REG_... of the registers of @p warp; to be written where one is reserved. */
static inline uint8_t *row_of(const Scoreboard *b, uint32_t warp)
{
    return (uint8_t *)(uintptr_t)b->view.regs[warp];
}

static void board_seen(void *self, uint64_t warps)
{
    ((Scoreboard *)self)->view.changed &= ~warps;
}

static inline uint32_t sources(const uint8_t *reg, const WwSinst *s)
{
    uint32_t known = 0;
    for (uint32_t i = 0; i < WW_MAX_SRC; i++) {
        known |= reg[s->src[i]];
    }
    return known;
}

/* Register 0 is "none": nothing is ever known of it. */
static bool board_collides(void *self, uint32_t warp, const WwSinst *s)
{
    return (ww_hazard_regs(&((const Scoreboard *)self)->view, warp, s) & WW_REG_PENDING) != 0;
}

static bool board_waits_long(void *self, uint32_t warp, const WwSinst *s)
{
    return (sources(row_of(self, warp), s) & WW_REG_MARKED) != 0;
}

static bool board_collides_long(void *self, uint32_t warp, const WwSinst *s)
{
    return (ww_hazard_regs(&((const Scoreboard *)self)->view, warp, s) & WW_REG_SLOW) != 0;
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

static void board_reserve(void *self, const WwInst *inst);

/* The first reservation of a warp or a neighbour. */
WW_COLD static void reserve_first(Scoreboard *b, const WwInst *inst)
{
    uint8_t *row = ww_alloc(b, (size_t)ROWS * WW_HAZARD_REGS);
    for (uint32_t i = 0; i < ROWS; i++) {
        b->view.regs[inst->warp / ROWS * ROWS + i] = row + (size_t)i * WW_HAZARD_REGS;
    }
    board_reserve(b, inst);
}

static void board_reserve(void *self, const WwInst *inst)
{
    Scoreboard *b = self;
    uint32_t warp = inst->warp, reg = inst->s->dst;
    if (reg == 0 || (reg == WW_ZERO_REG && !b->zero_register)) {
        return;
    }
    if (G_UNLIKELY(b->view.regs[warp] == none)) {
        reserve_first(b, inst);
        return;
    }
    uint8_t *r = row_of(b, warp) + reg;
    if (G_UNLIKELY(*r & WW_REG_PENDING)) {
        reserved_twice(b, inst);
        return;
    }
    bool slow =
        ww_inst_is_load(inst) && (inst->space == WW_SPACE_GLOBAL || inst->space == WW_SPACE_LOCAL);
    *r |= slow ? WW_REG_PENDING | WW_REG_SLOW | WW_REG_MARKED : WW_REG_PENDING;
    b->n[warp]++;
    b->view.pending |= 1ull << warp;
    b->used |= 1ull << warp;
    b->reservations++;
}

/* Something about @p warp's registers has changed: its scheduler must look again. */
static inline void changed(Scoreboard *b, uint32_t warp)
{
    uint64_t bit = 1ull << warp;
    if (!(b->view.changed & bit)) {
        b->view.changed |= bit;
        ww_wake(b->check.of[warp]);
    }
}

/* No write of @p warp is pending any more, and somebody wants to know that of any warp. */
static __attribute__((noinline)) void released_last(Scoreboard *b, uint32_t warp)
{
    for (uint32_t i = 0; i < b->n_retire; i++) {
        ww_wake(&b->retire[i]);
    }
    changed(b, warp);
}

static inline void release(Scoreboard *b, uint32_t warp, uint8_t *r)
{
    if (!(*r & WW_REG_PENDING)) {
        return;
    }
    *r &= b->marks_stay ? WW_REG_MARKED : 0;
    b->releases++;
    if (--b->n[warp] == 0) {
        b->view.pending &= ~(1ull << warp);
        if (b->n_retire != 0) {
            released_last(b, warp);
            return;
        }
    }
    changed(b, warp);
}

static void board_release(void *self, uint32_t warp, uint32_t reg)
{
    Scoreboard *b = self;
    release(b, warp, row_of(b, warp) + reg);
}

static __attribute__((noinline)) void release_marked(Scoreboard *b, uint32_t warp, uint8_t *r)
{
    *r &= (uint8_t)~WW_REG_MARKED;
    changed(b, warp);
    release(b, warp, r);
}

static void board_release_all(void *self, const WwInst *inst)
{
    Scoreboard *b = self;
    uint8_t *r = row_of(b, inst->warp) + inst->s->dst;
    if (*r == 0) { /* it writes none */
        return;
    }
    if (*r & WW_REG_MARKED) {
        release_marked(b, inst->warp, r);
    } else {
        release(b, inst->warp, r);
    }
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
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        b->view.regs[i] = none;
    }
    return true;
}

static void board_reset(void *self)
{
    Scoreboard *b = self;
    b->view.pending = b->view.changed = 0;
    for (; b->used != 0; b->used &= b->used - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(b->used);
        memset(row_of(b, warp), 0, WW_HAZARD_REGS);
        b->n[warp] = 0;
    }
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
            if (row_of(b, warp)[reg] & WW_REG_PENDING) {
                ww_explain_waits_for(explain, ww_thing_write(warp, reg),
                                     "warp %u: the write to R%u%s is pending", warp, reg - 1,
                                     row_of(b, warp)[reg] & WW_REG_SLOW ? " (of a load)" : "");
            }
        }
    }
}

static const WwParamRow board_params[] = {
    WW_BOOL(Scoreboard, zero_register, "true",
            "writes to R255 cause waits, as in the reference; false: they do not, and loads to it "
            "have no destination"),
    WW_BOOL(Scoreboard, marks_stay, "true",
            "releasing one register leaves its long-operation mark, as in the reference; false: "
            "the mark is cleared, too"),
    {0},
};

static const WwGoneRow board_gone[] = {
    {"warps", "it knows all of the warp pool's (pool.slots, sm.warps)"},
    {0},
};

static const WwPortRow board_ports[] = {
    WW_PORT_PROVIDES(Scoreboard, hazards, &ww_contract_scoreboard, &board_table,
                     "checked and reserved at issue, released at write-back"),
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
    .doc = "Registers with a pending write, per warp; stalls instructions that read or write one.",
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
