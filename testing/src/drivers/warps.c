/* SPDX-License-Identifier: Apache-2.0 */
/* A random caller of the hardware warps: launches them, fetches and issues their traces, ends them; every mask against what was done. */
#include "drivers-priv.h"

#include <ports/warps.h>

enum { SLOTS = 8, INSTS = 24, UNDER_WAY = 4 };

/* What a warp should look like. */
typedef struct Slot {
    bool resident, imiss;
    uint32_t lanes, cursor, in_pipeline, stores, atomics;
    uint32_t ibuf[WW_IBUFFER]; /* Numbers in the trace + 1, oldest first; 0: none. */
    WwInst *under_way[UNDER_WAY];
} Slot;

typedef struct Warps {
    bool made;
    WwSinst sinst[INSTS];
    const WwSinst *table[INSTS];
    WwTinst tinst[INSTS];
    const WwTinst *warp[1];
    uint32_t n_insts[1];
    WwKernel kernel;
    WwCtaTrace trace;
    uint32_t order;
    Slot slot[SLOTS];
} Warps;

static void make_trace(Warps *w)
{
    w->made = true;
    for (uint32_t i = 0; i < INSTS; i++) {
        w->sinst[i] = (WwSinst){.pc = 16ull * i,
                                .opcode = "IADD3",
                                .id = i,
                                .op = WW_OP_INT,
                                .ndst = 1,
                                .dst = (uint16_t)(1 + i),
                                .nsrc = 1,
                                .src = {2}};
        w->table[i] = &w->sinst[i];
        w->tinst[i] = (WwTinst){.sinst = i, .mask = UINT32_MAX};
    }
    w->warp[0] = w->tinst;
    w->n_insts[0] = INSTS;
    w->kernel =
        (WwKernel){.name = "driven", .file = "driven", .uid = 1, .n_ctas = 1, .sinst = w->table};
    w->trace = (WwCtaTrace){.n_warps = 1, .warp = w->warp, .n_insts = w->n_insts};
}

static bool fetchable(const Slot *s)
{
    return s->lanes != 0 && s->ibuf[0] == 0 && !s->imiss;
}

static bool retirable(const Slot *s)
{
    return s->resident && s->lanes == 0 && s->in_pipeline == 0 && s->stores == 0 && s->atomics == 0;
}

static void check_masks(WwDrive *d, const Slot *s, uint32_t warp, const char *after)
{
    const WwWarpView *v = ((const WwWarpsIf *)d->table)->view(d->self);
    const struct {
        const char *name;
        uint64_t mask;
        bool expected;
    } rows[] = {
        {"resident", v->resident, s->resident},   {"live", v->live, s->lanes != 0},
        {"ibuf", v->ibuf, s->ibuf[0] != 0},       {"imiss", v->imiss, s->imiss},
        {"busy", v->busy, s->in_pipeline != 0},   {"stores", v->stores, s->stores != 0},
        {"atomics", v->atomics, s->atomics != 0},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        if ((rows[i].mask >> warp & 1u) != rows[i].expected) {
            ww_drive_wrong(d, "after %s of warp %u its bit in `%s` is %d; expected %d", after, warp,
                           rows[i].name, !rows[i].expected, rows[i].expected);
        }
    }
}

/* The next instructions of the trace, as many as there is room for. */
static void fetch(WwDrive *d, Slot *s, uint32_t warp)
{
    const WwWarpsIf *f = d->table;
    uint32_t n = 1 + ww_drive_draw(d, WW_IBUFFER);
    for (uint32_t i = 0; i < n; i++) {
        WwInst *inst = f->decode(d->self, warp);
        if ((inst == NULL) != (s->cursor == INSTS)) {
            ww_drive_wrong(d, "decode() of warp %u answers %s at instruction %u of %u", warp,
                           inst == NULL ? "nothing" : "something", s->cursor, INSTS);
            return;
        }
        if (inst == NULL) {
            return;
        }
        if (inst->s->pc != 16ull * s->cursor || inst->warp != warp) {
            ww_drive_wrong(d,
                           "decode() of warp %u answers pc %" G_GINT64_MODIFIER "x of warp %u; "
                           "expected %x",
                           warp, inst->s->pc, inst->warp, 16 * s->cursor);
            return;
        }
        ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0);
        f->fill(d->self, warp, i, inst);
        if (ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0) == 0) {
            ww_drive_wrong(d, "fill() of warp %u does not wake its `issue` caller", warp);
        }
        s->ibuf[i] = ++s->cursor;
        s->in_pipeline++;
    }
}

static void issue(WwDrive *d, Warps *w, Slot *s, uint32_t warp)
{
    uint32_t place = 0;
    while (place < UNDER_WAY && s->under_way[place] != NULL) {
        place++;
    }
    if (place == UNDER_WAY) {
        return;
    }
    WwInst *inst = ((const WwWarpsIf *)d->table)->pop(d->self, warp);
    if (inst == NULL || inst->s->pc != 16ull * (s->ibuf[0] - 1)) {
        ww_drive_wrong(d, "pop() of warp %u answers pc %" G_GINT64_MODIFIER "x; expected %x", warp,
                       inst != NULL ? inst->s->pc : 0, 16 * (s->ibuf[0] - 1));
        return;
    }
    if (inst->order <= w->order) {
        ww_drive_wrong(d, "pop() of warp %u stamps order %u after %u", warp, inst->order, w->order);
    }
    w->order = inst->order;
    ww_drive_say(d, "warp %u pc %" G_GINT64_MODIFIER "x", warp, inst->s->pc);
    s->under_way[place] = inst;
    for (uint32_t i = 0; i < WW_IBUFFER; i++) {
        s->ibuf[i] = i + 1 < WW_IBUFFER ? s->ibuf[i + 1] : 0;
    }
}

static void end_one(WwDrive *d, Slot *s, uint32_t warp)
{
    const WwWarpsIf *f = d->table;
    WwInst **at = &s->under_way[ww_drive_draw(d, UNDER_WAY)];
    if (*at != NULL) {
        f->finish(d->self, *at, WW_END_ALL);
        *at = NULL;
        s->in_pipeline--;
    }
}

static void empty_ibuf(WwDrive *d, Slot *s, uint32_t warp, bool back)
{
    const WwWarpsIf *f = d->table;
    uint32_t n = 0;
    for (uint32_t i = 0; i < WW_IBUFFER; i++) {
        n += s->ibuf[i] != 0;
        s->ibuf[i] = 0;
    }
    (back ? f->rewind : f->drop)(d->self, warp);
    s->in_pipeline -= n;
    s->cursor -= back ? n : 0;
}

static void count(WwDrive *d, uint32_t warp, uint32_t *n,
                  void (*change)(void *self, uint32_t warp, int32_t delta))
{
    int32_t by =
        *n != 0 && ww_drive_draw(d, 2) == 0 ? -(int32_t)*n : 1 + (int32_t)ww_drive_draw(d, 3);
    change(d->self, warp, by);
    *n += (uint32_t)by;
}

/* One thing that may happen to the warp; says what. */
static const char *happens(WwDrive *d, Warps *w, Slot *s, uint32_t warp)
{
    const WwWarpsIf *f = d->table;
    if (!s->resident) {
        *s = (Slot){.resident = true, .lanes = 1u << ww_drive_draw(d, 32) | 1u};
        f->launch(d->self,
                  &(WwWarpLaunch){
                      .warp = warp, .lanes = s->lanes, .kernel = &w->kernel, .trace = &w->trace});
        return "launch";
    }
    if (retirable(s)) {
        f->retire(d->self, warp);
        s->resident = false;
        return "retire";
    }
    switch (ww_drive_draw(d, 8)) {
    case 0:
        count(d, warp, &s->stores, f->stores);
        return "stores";
    case 1:
        count(d, warp, &s->atomics, f->atomics);
        return "atomics";
    case 2:
        if (s->lanes != 0 && s->cursor > INSTS / 2) {
            uint32_t mask = ww_drive_draw(d, 2) == 0 ? s->lanes : s->lanes & -s->lanes;
            f->exit_lanes(d->self, warp, mask);
            s->lanes &= ~mask;
        }
        return "exit_lanes";
    case 3:
        if (s->ibuf[0] == 0 && s->lanes != 0) {
            s->imiss = !s->imiss;
            f->set_imiss(d->self, warp, s->imiss);
        }
        return "set_imiss";
    case 4:
        if (s->ibuf[0] != 0) {
            empty_ibuf(d, s, warp, s->lanes != 0);
        }
        return s->lanes != 0 ? "rewind" : "drop";
    default:
        if (s->lanes != 0 && s->ibuf[0] != 0) {
            issue(d, w, s, warp);
            return "pop";
        }
        if (fetchable(s)) {
            fetch(d, s, warp);
            return "fill";
        }
        end_one(d, s, warp);
        return "leave";
    }
}

static void warps_drive(WwDrive *d)
{
    const WwWarpsIf *f = d->table;
    Warps *w = d->state;
    if (!w->made) {
        make_trace(w);
    }
    for (int i = 0; i < 4 && d->wrong == NULL; i++) {
        uint32_t warp = ww_drive_draw(d, MIN(f->view(d->self)->slots, SLOTS));
        Slot *s = &w->slot[warp];
        bool could_fetch = fetchable(s), could_retire = retirable(s);
        ww_harness_wakes(d->h, d->port, WW_RANK_FETCH, 0);
        const char *what = happens(d, w, s, warp);
        bool told = ww_harness_wakes(d->h, d->port, WW_RANK_FETCH, 0) != 0;
        if (s->imiss && s->lanes == 0) {
            f->set_imiss(d->self, warp, s->imiss = false);
        }
        check_masks(d, s, warp, what);
        if (!told && ((!could_fetch && fetchable(s)) || (!could_retire && retirable(s)))) {
            ww_drive_wrong(d, "after %s warp %u may be %s and the `fetch` caller is not woken",
                           what, warp, fetchable(s) ? "fetched" : "retired");
        }
    }
}

const WwDriver drive_warps = {
    .contract = &ww_contract_warps,
    .promises = "instructions come in the trace's order, once; every mask says what was done; who "
                "can go on is woken",
    .state = sizeof(Warps),
    .drive = warps_drive,
};
