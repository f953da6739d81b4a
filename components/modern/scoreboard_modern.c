/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `dependence.scoreboard`: registers that are on their way, as scoreboards keep book of them, in the place of control bits.
 *
 *     written: warp pool        read: units, operand_read
 *            └────────────┬────────────────┘
 *             [dependence.scoreboard] <── issue (check, issued) <── fetch (retire)
 *
 * An instruction issues when no register that it reads or writes has a write pending, from an issue on until that instruction is over. Registers of all kinds count
 * (WwTiming.name). A second table has for each register how many instructions have issued that are to read it: nobody writes it while there is one, and
 * no more than `max_readers` read it at a time. `war` says until when they count, or that there is no such table.
 *
 * What is released is seen in the same cycle, by who acts later in it. Stall counts, yields and dependence counters are not looked at, and nobody waits for
 * asynchronous copies: all as in the released simulator of MICRO'25 (docs/modern.md#scoreboards).
 */
#include "dependence-priv.h"
#include "types.h"

#include <ports/register_set.h>
#include <string.h>

typedef enum War { WAR_DISABLED, WAR_OPERANDS, WAR_WRITEBACK } War;
static const char *const wars[] = {"disabled", "operands", "writeback", NULL};

typedef struct Warp {
    uint32_t n_writes; /* registers with a pending write */
    uint32_t n_reads;  /* pending reads, all in all */
    uint64_t write[WW_N_NAMES / 64 + 1];
    uint64_t memory[WW_N_NAMES / 64 + 1]; /* of these, from memory; for statistics */
    uint16_t readers[WW_N_NAMES];
} Warp;

typedef struct Board {
    WwComponent base;
    /* parameters */
    uint32_t war, max_readers;
    /* ports */
    WwProvided dependence, hazard;
    /* state */
    uint64_t used;            /* warps of which a register was ever reserved */
    Warp *warp[WW_MAX_WARPS]; /* of warps that never reserved a register NULL */
    DependenceWakes wakes;
    /* statistics */
    uint64_t reserved, most_readers;
} Board;

/* What is known of a warp. */
static inline const Warp *shown(const Board *b, uint32_t warp)
{
    static const Warp nothing;
    return b->warp[warp] != NULL ? b->warp[warp] : &nothing;
}

WW_COLD static void make(Board *b, uint32_t warp)
{
    b->warp[warp] = ww_alloc(b, sizeof *b->warp[warp]);
}

/* The same, to be changed. */
static inline Warp *kept(Board *b, uint32_t warp)
{
    if (G_UNLIKELY(b->warp[warp] == NULL)) {
        make(b, warp);
    }
    return b->warp[warp];
}

static inline bool pending(const Warp *w, uint32_t name)
{
    return w->write[name / 64] >> (name % 64) & 1u;
}

/* ---- checking ------------------------------------------------------------------------------ */

static uint32_t board_blocks(void *self, const WwInst *inst)
{
    const Board *b = self;
    const WwTiming *t = inst->timing;
    const Warp *w = shown(b, inst->warp);
    bool waits = false;
    for (uint32_t i = 0; i < t->n_named; i++) {
        waits |= pending(w, t->name[i]);
    }
    if (w->n_reads != 0) {
        for (uint32_t i = 0; i < t->n_written; i++) {
            waits |= w->readers[t->name[i]] != 0;
        }
        for (uint32_t i = t->n_written; i < t->n_named; i++) {
            waits |= w->readers[t->name[i]] >= b->max_readers;
        }
    }
    return waits ? WW_DEP_REGISTER : 0;
}

static bool board_waits_long(void *self, const WwInst *inst)
{
    const Warp *w = shown(self, inst->warp);
    const WwTiming *t = inst->timing;
    for (uint32_t i = 0; i < t->n_named; i++) {
        if (w->memory[t->name[i] / 64] >> (t->name[i] % 64) & 1u) {
            return true;
        }
    }
    return false;
}

static WwCycle board_until(void *self, uint32_t warp)
{
    return ww_now((Board *)self) + 1;
}

static bool board_settled(void *self, uint32_t warp)
{
    const Warp *w = shown(self, warp);
    return w->n_writes == 0 && w->n_reads == 0;
}

/* ---- book-keeping -------------------------------------------------------------------------- */

/* Somebody issued what he had not checked. */
WW_COLD static void reserved_twice(Board *b, const WwInst *inst, uint32_t name)
{
    g_autofree char *path = ww_path(b);
    ww_fail_run(b,
                g_error_new(WW_ERROR, WW_ERROR_MODEL,
                            "%s: warp %u reserves register %u of %s (trace line %u) while a write "
                            "to it is pending; expected that an instruction issues only after a "
                            "check",
                            path, inst->warp, name, inst->s->opcode, inst->s->line));
}

static void board_issued(void *self, const WwInst *inst)
{
    Board *b = self;
    const WwTiming *t = inst->timing;
    Warp *w = kept(b, inst->warp);
    b->used |= 1ull << inst->warp;
    for (uint32_t i = 0; i < t->n_written; i++) {
        uint32_t name = t->name[i];
        if (G_UNLIKELY(pending(w, name))) {
            reserved_twice(b, inst, name);
            return;
        }
        w->write[name / 64] |= 1ull << (name % 64);
        w->memory[name / 64] |= (uint64_t)dependence_is_long(inst) << (name % 64);
        w->n_writes++;
    }
    b->reserved += t->n_written;
    if (b->war == WAR_DISABLED) {
        return;
    }
    for (uint32_t i = t->n_written; i < t->n_named; i++) {
        uint32_t n = ++w->readers[t->name[i]];
        b->most_readers = MAX(b->most_readers, n);
        w->n_reads++;
    }
}

static void release_reads(Board *b, const WwInst *inst)
{
    const WwTiming *t = inst->timing;
    Warp *w = kept(b, inst->warp);
    for (uint32_t i = t->n_written; i < t->n_named; i++) {
        uint16_t *n = &w->readers[t->name[i]];
        w->n_reads -= *n != 0;
        *n -= *n != 0;
    }
}

static void board_read(void *self, const WwInst *inst)
{
    Board *b = self;
    if (b->war == WAR_OPERANDS) {
        release_reads(b, inst);
        dependence_wake(&b->wakes, inst->warp);
    }
}

static void board_written(void *self, const WwInst *inst)
{
    Board *b = self;
    const WwTiming *t = inst->timing;
    Warp *w = kept(b, inst->warp);
    if (b->war == WAR_WRITEBACK || (b->war == WAR_OPERANDS && (t->flags & WW_TAKES_HELD) != 0)) {
        release_reads(b, inst);
    }
    for (uint32_t i = 0; i < t->n_written; i++) {
        uint32_t name = t->name[i];
        w->n_writes -= pending(w, name);
        w->write[name / 64] &= ~(1ull << (name % 64));
        w->memory[name / 64] &= w->write[name / 64];
    }
    dependence_wake(&b->wakes, inst->warp);
}

static void board_sent(void *self, const WwInst *inst) {}

static void board_retired(void *self, uint32_t warp)
{
    Board *b = self;
    if (b->warp[warp] != NULL) {
        memset(b->warp[warp], 0, sizeof(Warp));
    }
}

static const WwDependenceIf dependence_table = {
    .at_once = true,
    .blocks = board_blocks,
    .waits_long = board_waits_long,
    .until = board_until,
    .issued = board_issued,
    .sent = board_sent,
    .read = board_read,
    .written = board_written,
    .settled = board_settled,
    .idle = board_settled,
    .retired = board_retired,
};

/* One that nobody has told what it takes has reserved nothing. */
static void board_over(void *self, const WwInst *inst)
{
    if (inst->timing != NULL) {
        board_written(self, inst);
    }
}

static const WwScoreboardIf hazard_table = DEPENDENCE_HAZARDS(board_over);

/* ---- life ---------------------------------------------------------------------------------- */

static void board_reset(void *self)
{
    Board *b = self;
    for (; b->used != 0; b->used &= b->used - 1) {
        board_retired(b, (uint32_t)__builtin_ctzll(b->used));
    }
    dependence_wakes_gather(&b->wakes, &b->dependence);
}

static void board_explain(void *self, WwExplain *explain)
{
    static const char *const kinds[] = {"R", "UR", "P", "UP", "B"};
    static const uint32_t begins[] = {0, WW_NAME_UNIFORM, WW_NAME_PRED, WW_NAME_UPRED,
                                      WW_NAME_BARRIER};
    const Board *b = self;
    for (uint64_t m = b->used; m != 0; m &= m - 1) {
        uint32_t warp = (uint32_t)__builtin_ctzll(m);
        for (uint32_t name = 0, kind = 0; name < WW_N_NAMES; name++) {
            kind += kind + 1 < G_N_ELEMENTS(begins) && name >= begins[kind + 1];
            if (pending(shown(b, warp), name)) {
                ww_explain_unit(explain, warp, warp);
                ww_explain_waits_for(explain, ww_thing_flight(warp),
                                     "warp %u: the write to %s%u is pending", warp, kinds[kind],
                                     name - begins[kind]);
            }
        }
    }
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow board_params[] = {
    WW_CHOICE(Board, war, "operands", wars,
              "how long a pending read protects a register from writes: operands: until it has "
              "been read; writeback: until the reader ends; disabled: not at all"),
    WW_UINT(Board, max_readers, "entries", "9999", 1, 65535,
            "pending readers per register; an instruction that would be one more does not issue"),
    {0},
};

static const WwPortRow board_ports[] = {
    WW_PORT_PROVIDES(Board, dependence, &ww_contract_dependence, &dependence_table,
                     "what keeps a warp from issuing"),
    WW_PORT_PROVIDES(Board, hazard, &ww_contract_scoreboard, &hazard_table,
                     "for the warp pool, which reports instructions that end"),
    {0},
};

static const WwStatRow board_stats[] = {
    WW_COUNTER(Board, reserved, "registers", "registers reserved at issue"),
    WW_MAXIMUM(Board, most_readers, "", "maximum number of pending readers of a register"),
    {0},
};

const WwType scoreboard_modern_type = {
    .abi = WW_ABI_VERSION,
    .name = "dependence.scoreboard",
    .doc = "Dependences by scoreboards of registers (of all kinds) with pending writes and with "
           "pending reads.",
    .family = "dependence",
    .size = sizeof(Board),
    .params = board_params,
    .ports = board_ports,
    .stats = board_stats,
    .reset = board_reset,
    .explain = board_explain,
};
