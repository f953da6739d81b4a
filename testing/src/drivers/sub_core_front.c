/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of the front end of a sub-core: instruction buffers, instruction fetch. */
#include "drivers-priv.h"

#include <ports/sub_core.h>
#include <string.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>

/* ---- ibuffer ----------------------------------------------------------------------------------------------------- */

enum { WARPS = 4, STEPS = 24, FLIGHTS = 8, MOST = 16 };

/* What a warp's buffer should look like. */
typedef struct Lane {
    bool running;
    bool gone; /* All of its trace has been issued. */
    WwInst *inst[STEPS];
    uint32_t issued;
    uint64_t base;
    uint32_t n;
    bool valid[MOST];
    uint64_t flight[FLIGHTS]; /* pcs that were requested and not answered, or given up; */
    uint32_t n_flight;
} Lane;

typedef struct Lanes {
    bool made;
    Lane lane[WARPS];
} Lanes;

static uint64_t pc_of(const Lane *l)
{
    return l->inst[l->issued]->s->pc;
}

/* A program with jumps, some of them back. */
static void make_program(WwDrive *d, Lane *l)
{
    uint64_t pc = 0;
    for (uint32_t i = 0; i < STEPS; i++) {
        l->inst[i] = ww_test_inst(d->h, &(WwTestInst){.op = WW_OP_INT, .pc = pc});
        pc = ww_drive_draw(d, 4) == 0 ? 16ull * ww_drive_draw(d, 2 * STEPS) : pc + 16;
    }
}

static void begin(WwDrive *d, Lane *l, uint32_t warp)
{
    WwFakeWarps *warps = ww_drive_fake(d, &ww_fake_warps_type, 0);
    for (uint32_t i = 0; i < STEPS; i++) {
        ww_fake_warps_trace(warps, warp, l->inst[i]);
    }
    l->running = true;
    l->gone = false;
    l->issued = l->n = l->n_flight = 0;
    l->base = pc_of(l);
}

static void check_lane(WwDrive *d, const Lane *l, uint32_t warp, const char *after)
{
    const WwIbufferIf *f = d->table;
    const WwIbufferView *v = f->view(d->self);
    bool valid = l->n != 0 && l->valid[0];
    bool space = !l->gone && l->n < v->entries;
    if ((v->valid >> warp & 1u) != valid) {
        ww_drive_wrong(d, "after %s of warp %u its bit in `valid` is %d; expected %d", after, warp,
                       !valid, valid);
    } else if ((v->space >> warp & 1u) != space) {
        ww_drive_wrong(d, "after %s of warp %u its bit in `space` is %d; expected %d", after, warp,
                       !space, space);
    } else if ((v->ended >> warp & 1u) != l->gone) {
        ww_drive_wrong(d, "after %s of warp %u its bit in `ended` is %d; expected %d", after, warp,
                       !l->gone, l->gone);
    } else if (valid) {
        const WwInst *head = f->head(d->self, warp);
        if (head == NULL || head->s->pc != pc_of(l) || head->timing == NULL) {
            ww_drive_wrong(d,
                           "head() of warp %u is not the instruction at %" G_GINT64_MODIFIER
                           "x with its timing",
                           warp, pc_of(l));
        }
    }
}

static void request(WwDrive *d, Lane *l, uint32_t warp)
{
    const WwIbufferIf *f = d->table;
    uint64_t expected = l->base + 16ull * l->n, pc = f->request(d->self, warp);
    ww_drive_say(d, "warp %u fetches %" G_GINT64_MODIFIER "x", warp, pc);
    if (pc != expected) {
        ww_drive_wrong(
            d, "request() of warp %u is %" G_GINT64_MODIFIER "x; expected %" G_GINT64_MODIFIER "x",
            warp, pc, expected);
        return;
    }
    if (l->n_flight == FLIGHTS || ww_drive_draw(d, 6) == 0) {
        f->refused(d->self, warp);
        return;
    }
    l->flight[l->n_flight++] = pc;
    l->valid[l->n++] = false;
}

/* What was fetched comes back, in any order; some of it for an entry that is gone, or was made again. */
static void answer(WwDrive *d, Lane *l, uint32_t warp)
{
    const WwIbufferIf *f = d->table;
    uint32_t i = ww_drive_draw(d, l->n_flight);
    uint64_t pc = l->flight[i], k = (pc - l->base) / 16;
    bool fits = pc >= l->base && k < l->n && !l->valid[k];
    l->flight[i] = l->flight[--l->n_flight];
    ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0);
    uint32_t got = f->decoded(d->self, warp, pc);
    bool told = ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0) != 0;
    ww_drive_say(d, "warp %u has %" G_GINT64_MODIFIER "x: %u", warp, pc, got);
    if (got != fits) {
        ww_drive_wrong(d,
                       "decoded() of warp %u answers %u for %" G_GINT64_MODIFIER "x; expected %d",
                       warp, got, pc, fits);
    } else if (fits) {
        l->valid[k] = true;
        if (k == 0 && !told) {
            ww_drive_wrong(
                d, "the first entry of warp %u is valid and its `issue` caller not woken", warp);
        }
    }
}

static void issue(WwDrive *d, Lane *l, uint32_t warp)
{
    const WwIbufferIf *f = d->table;
    ww_harness_wakes(d->h, d->port, WW_RANK_FETCH, 0);
    const WwInst *inst = f->pop(d->self, warp, 0);
    bool told = ww_harness_wakes(d->h, d->port, WW_RANK_FETCH, 0) != 0;
    const WwIbufferView *v = f->view(d->self);
    if (inst != l->inst[l->issued]) {
        ww_drive_wrong(d, "pop() of warp %u is not instruction %u of its trace", warp, l->issued);
        return;
    }
    if (v->last[0] != warp || v->issued[0] != ww_harness_now(d->h)) {
        ww_drive_wrong(d, "pop() of warp %u, and the one that issued last is %u", warp, v->last[0]);
    }
    if (!told) {
        ww_drive_wrong(d, "pop() of warp %u does not wake its `fetch` caller", warp);
    }
    l->issued++;
    l->base += 16;
    l->n--;
    memmove(l->valid, l->valid + 1, l->n * sizeof l->valid[0]);
    l->gone = l->issued == STEPS;
    if (l->gone || pc_of(l) != l->base) {
        l->n = 0;
        l->base = l->gone ? 0 : pc_of(l);
    }
}

static void ibuffer_drive(WwDrive *d)
{
    const WwIbufferIf *f = d->table;
    Lanes *s = d->state;
    if (ww_drive_fake(d, &ww_fake_warps_type, 0) == NULL) {
        return; /* its traces are not ours */
    }
    if (!s->made) {
        s->made = true;
        ((WwFakeWarps *)ww_drive_fake(d, &ww_fake_warps_type, 0))->endless = false;
        for (uint32_t i = 0; i < WARPS; i++) {
            make_program(d, &s->lane[i]);
        }
    }
    for (uint32_t i = ww_drive_draw(d, 4); i > 0 && d->wrong == NULL; i--) {
        uint32_t warp = ww_drive_draw(d, WARPS);
        Lane *l = &s->lane[warp];
        uint64_t bit = 1ull << warp;
        const WwIbufferView *v = f->view(d->self);
        const char *what = "begin";
        if (!l->running) {
            begin(d, l, warp);
        } else if (l->gone) {
            f->flush(d->self, warp);
            l->running = l->gone = false;
            l->n = 0;
            what = "flush";
        } else if ((v->valid & bit) != 0 && ww_drive_draw(d, 2) == 0) {
            issue(d, l, warp);
            what = "pop";
        } else if (l->n_flight != 0 && ww_drive_draw(d, 2) == 0) {
            answer(d, l, warp);
            what = "decoded";
        } else if ((v->space & bit) != 0) {
            request(d, l, warp);
            what = "request";
        }
        check_lane(d, l, warp, what);
    }
}

const WwDriver drive_ibuffer = {
    .contract = &ww_contract_ibuffer,
    .promises = "entries follow each other by pc, become valid when decoded, leave in the trace's "
                "order, and are dropped where it goes elsewhere; who can go on is woken",
    .state = sizeof(Lanes),
    .drive = ibuffer_drive,
};

/* ---- fetches ------------------------------------------------------------------------------------------------------ */

enum { OPEN = 64 };

typedef struct Open {
    uint32_t warp;
    uint64_t pc;
} Open;

typedef struct Opens {
    Open open[OPEN];
    uint32_t n;
    bool hits, misses;
    bool told; /* The caller was woken since nothing was there to take. */
} Opens;

static uint32_t find_open(const Opens *s, uint32_t warp, uint64_t pc)
{
    uint32_t i = 0;
    while (i < s->n && (s->open[i].warp != warp || s->open[i].pc != pc)) {
        i++;
    }
    return i;
}

static void fetch_one(WwDrive *d, Opens *s)
{
    const WwFetchesIf *f = d->table;
    uint32_t warp = ww_drive_draw(d, 6);
    uint64_t pc = 16ull * ww_drive_draw(d, 96);
    uint32_t at = find_open(s, warp, pc);
    if (s->n == OPEN) {
        return;
    }
    WwFetchResult result = f->access(d->self, warp, pc);
    ww_drive_say(d, "warp %u pc %" G_GINT64_MODIFIER "x: %d", warp, pc, result);
    s->hits |= result == WW_FETCH_HIT;
    s->misses |= result != WW_FETCH_HIT;
    if (s->hits && s->misses) {
        ww_drive_wrong(d, "access() answers %d after others; expected always a hit, or never",
                       result);
    } else if (at != s->n && result != WW_FETCH_MISS) {
        ww_drive_wrong(d,
                       "access() of warp %u answers %d for %" G_GINT64_MODIFIER
                       "x, which is under way; expected a miss",
                       warp, result, pc);
    } else if (result == WW_FETCH_MISS && at == s->n) {
        s->open[s->n++] = (Open){warp, pc};
    }
}

static void take_one(WwDrive *d, Opens *s)
{
    const WwFetchesIf *f = d->table;
    uint32_t warp, again;
    uint64_t pc, pc_again;
    if (!f->take(d->self, &warp, &pc)) {
        return;
    }
    ww_drive_say(d, "warp %u has %" G_GINT64_MODIFIER "x", warp, pc);
    uint32_t at = find_open(s, warp, pc);
    if (at == s->n) {
        ww_drive_wrong(d,
                       "take() answers %" G_GINT64_MODIFIER "x of warp %u, which is not under way",
                       pc, warp);
    } else if (!s->told) {
        ww_drive_wrong(d, "%" G_GINT64_MODIFIER "x of warp %u comes and the caller is not woken",
                       pc, warp);
    } else if (f->take(d->self, &again, &pc_again)) {
        ww_drive_wrong(d, "take() answers twice in a cycle");
    } else {
        s->open[at] = s->open[--s->n];
    }
}

static void fetches_drive(WwDrive *d)
{
    Opens *s = d->state;
    take_one(d, s);
    s->told = false;
    if (d->wrong == NULL) {
        fetch_one(d, s);
    }
}

static bool fetches_serve(WwDrive *d)
{
    Opens *s = d->state;
    s->told |= ww_harness_wakes(d->h, d->port, WW_RANK_FETCH, 0) != 0;
    return false;
}

const WwDriver drive_fetches = {
    .contract = &ww_contract_fetches,
    .promises = "what is fetched comes back once, to its warp, one a cycle, and the caller is "
                "woken; or all of it is there at once",
    .state = sizeof(Opens),
    .drive = fetches_drive,
    .serve = fetches_serve,
};
