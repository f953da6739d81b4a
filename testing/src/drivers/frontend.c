/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what a fetch unit calls: instruction caches, the expected flow of warps. */
#include "drivers-priv.h"

#include <ports/cache.h>
#include <ports/icache.h>
#include <ports/warps.h>
#include <string.h>
#include <testing/fake_cache.h>
#include <warpwright/component.h>

/* ---- icache ----------------------------------------------------------------------------------------------------- */

enum { FETCHERS = 8, FETCHES = 32 };

/* A request that the memory behind the cache has to answer. */
typedef struct Asked {
    WwMemReq *req; /* NULL: none */
    WwCycle due;
} Asked;

typedef struct Fetches {
    bool waits[FETCHERS]; /* For its miss. */
    bool told;            /* The caller was woken since nothing was there to take. */
    Asked asked[FETCHES];
} Fetches;

static void ask_memory(WwDrive *d, Fetches *s, WwMemReq *req)
{
    for (uint32_t i = 0; i < FETCHES; i++) {
        if (s->asked[i].req == NULL) {
            s->asked[i] = (Asked){req, ww_harness_now(d->h) + 1 + ww_drive_draw(d, 40)};
            return;
        }
    }
}

static void access_one(WwDrive *d, Fetches *s)
{
    const WwICacheIf *f = d->table;
    WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    static const WwCacheResult results[] = {WW_CACHE_HIT, WW_CACHE_MISS, WW_CACHE_RESERVATION_FAIL};
    uint32_t warp = ww_drive_draw(d, FETCHERS);
    uint64_t pc = 16ull * ww_drive_draw(d, 256);
    if (s->waits[warp]) {
        return;
    }
    if (cache != NULL) {
        cache->others = 0; /* all refusals are from here */
        cache->result = results[ww_drive_draw(d, G_N_ELEMENTS(results))];
    }
    uint32_t asked = cache != NULL ? cache->accesses : 0;
    WwFetchResult result = f->access(d->self, warp, pc);
    ww_drive_say(d, "warp %u pc %" G_GINT64_MODIFIER "x: %d", warp, pc, result);
    if (result != WW_FETCH_HIT && result != WW_FETCH_MISS && result != WW_FETCH_FAIL) {
        ww_drive_wrong(d, "access() answers %d; expected hit, miss or fail", result);
    }
    s->waits[warp] = result == WW_FETCH_MISS;
    if (cache != NULL && cache->accesses != asked && cache->result == WW_CACHE_MISS) {
        ask_memory(d, s, cache->last);
    }
}

static void icache_drive(WwDrive *d)
{
    for (uint32_t n = ww_drive_draw(d, 4); n > 0; n--) {
        access_one(d, d->state);
    }
}

/* The port by which responses come; NULL: there is none. */
static const WwPortRow *response_port(const WwDrive *d)
{
    const WwPortRow *r;
    for (WW_ROWS(((const WwComponent *)d->self)->type->ports, r)) {
        if (r->role == WW_IN && r->contract == &ww_contract_mem_response) {
            return r;
        }
    }
    return NULL;
}

static void answer(WwDrive *d, Fetches *s)
{
    const WwPortRow *port = response_port(d);
    for (uint32_t i = 0; port != NULL && i < FETCHES; i++) {
        Asked *a = &s->asked[i];
        if (a->req != NULL && a->due <= ww_harness_now(d->h)) {
            a->req->response = true;
            a->req = ww_harness_put(d->h, port->name, -1, ww_token_of(a->req)) ? NULL : a->req;
        }
    }
}

static void take_all(WwDrive *d, Fetches *s)
{
    const WwICacheIf *f = d->table;
    uint32_t warp;
    while (d->wrong == NULL && f->take(d->self, &warp)) {
        ww_drive_say(d, "warp %u comes back", warp);
        if (warp >= FETCHERS || !s->waits[warp]) {
            ww_drive_wrong(d, "take() answers warp %u, which waits for nothing", warp);
        } else if (!s->told) {
            ww_drive_wrong(d, "warp %u comes back and the caller is not woken", warp);
        } else {
            s->waits[warp] = false;
        }
    }
    s->told = false;
}

static bool icache_serve(WwDrive *d)
{
    Fetches *s = d->state;
    s->told |= ww_harness_wakes(d->h, d->port, NULL, 0) != 0;
    answer(d, s);
    if (ww_drive_draw(d, 3) != 0) {
        take_all(d, s);
    }
    for (uint32_t i = 0; i < FETCHES; i++) {
        if (s->asked[i].req != NULL) {
            return response_port(d) != NULL;
        }
    }
    return false;
}

/* One with a port of its own to memory is answered, too. */
static void icache_came(WwDrive *d, const WwPortRow *row, WwToken token)
{
    if (row->contract == &ww_contract_mem_request && !ww_token_mem(token)->write) {
        ask_memory(d, d->state, ww_token_mem(token));
    }
}

static void icache_rest(WwDrive *d)
{
    const Fetches *s = d->state;
    for (uint32_t warp = 0; warp < FETCHERS; warp++) {
        if (s->waits[warp]) {
            ww_drive_wrong(d, "the miss of warp %u never comes back", warp);
        }
    }
}

const WwDriver drive_icache = {
    .contract = &ww_contract_icache,
    .promises = "a miss comes back once, to its warp, and the caller is woken; what hit or was "
                "refused does not",
    .state = sizeof(Fetches),
    .drive = icache_drive,
    .serve = icache_serve,
    .came = icache_came,
    .rest = icache_rest,
};

/* ---- simt ------------------------------------------------------------------------------------------------------- */

/* The slots beside those of the driver of `warps`. */
enum { FIRST = 16, WALKERS = 4, STEPS = 40 };

typedef struct Walker {
    bool resident;
    uint32_t cursor, issued; /* Instructions decoded, and of them issued. */
} Walker;

/* A warp's way through its program, which branches: the pcs are not in order. */
typedef struct Walk {
    bool made;
    const WwSimtView *view;
    uint64_t unsure;
    WwSinst sinst[STEPS];
    const WwSinst *table[STEPS];
    WwTinst tinst[STEPS];
    const WwTinst *warp[1];
    uint32_t n_insts[1];
    WwKernel kernel;
    WwCtaTrace trace;
    Walker walker[WALKERS];
} Walk;

static void make_walk(WwDrive *d, Walk *w)
{
    w->made = true;
    for (uint32_t i = 0; i < STEPS; i++) {
        w->sinst[i] = (WwSinst){.pc = 16ull * (1 + ww_drive_draw(d, 4096)),
                                .opcode = "IADD3",
                                .id = i,
                                .op = WW_OP_INT,
                                .ndst = 1,
                                .dst = 1};
        w->table[i] = &w->sinst[i];
        w->tinst[i] = (WwTinst){.sinst = i, .mask = UINT32_MAX};
    }
    w->warp[0] = w->tinst;
    w->n_insts[0] = STEPS;
    w->kernel =
        (WwKernel){.name = "walk", .file = "walk", .uid = 2, .n_ctas = 1, .sinst = w->table};
    w->trace = (WwCtaTrace){.n_warps = 1, .warp = w->warp, .n_insts = w->n_insts};
}

/* The hardware warps that the same component has; NULL: it has none. */
static const WwWarpsIf *warps_of(const WwDrive *d)
{
    const WwPortRow *r;
    for (WW_ROWS(((const WwComponent *)d->self)->type->ports, r)) {
        if (r->role == WW_PROVIDES && r->contract == &ww_contract_warps) {
            return r->table;
        }
    }
    return NULL;
}

static uint64_t pc_of(const Walk *w, uint32_t i)
{
    return i < STEPS ? w->sinst[i].pc : 0;
}

/* Fetched from is where the trace goes on, or the place behind what was issued last; issued is what comes next, unless it is unsure. */
static void check_walker(WwDrive *d, const Walk *w, const Walker *k, uint32_t warp)
{
    const WwSimtIf *f = d->table;
    uint64_t pc = f->pc(d->self, warp), expected = f->expected(d->self, warp);
    uint64_t behind = k->issued != 0 ? pc_of(w, k->issued - 1) + 16 : pc_of(w, 0);
    ww_drive_say(d, "warp %u: fetch %" G_GINT64_MODIFIER "x, expected %" G_GINT64_MODIFIER "x",
                 warp, pc, expected);
    if (f->pc(d->self, warp) != pc || f->expected(d->self, warp) != expected) {
        ww_drive_wrong(d, "warp %u has another pc when asked again", warp);
    } else if (k->cursor == k->issued && pc != behind && pc != pc_of(w, k->cursor)) {
        ww_drive_wrong(d,
                       "pc() of warp %u is %" G_GINT64_MODIFIER "x; expected %" G_GINT64_MODIFIER
                       "x, where its trace goes on, or %" G_GINT64_MODIFIER
                       "x, behind what was issued last",
                       warp, pc, pc_of(w, k->cursor), behind);
    } else if (!(w->view->unsure >> warp & 1u) && k->issued < STEPS &&
               expected != pc_of(w, k->issued)) {
        ww_drive_wrong(d,
                       "expected() of warp %u is %" G_GINT64_MODIFIER
                       "x, and it is not unsure; expected %" G_GINT64_MODIFIER "x",
                       warp, expected, pc_of(w, k->issued));
    }
}

/* A step of the warp: it is launched, fetched, issued, or ends. */
static void walk(WwDrive *d, const WwWarpsIf *f, Walk *w, Walker *k, uint32_t warp)
{
    if (!k->resident) {
        *k = (Walker){.resident = true};
        f->launch(d->self,
                  &(WwWarpLaunch){
                      .warp = warp, .lanes = UINT32_MAX, .kernel = &w->kernel, .trace = &w->trace});
    } else if (k->issued == STEPS) {
        f->exit_lanes(d->self, warp, UINT32_MAX);
        f->retire(d->self, warp);
        k->resident = false;
    } else if (k->cursor > k->issued && ww_drive_draw(d, 8) == 0) {
        f->rewind(d->self, warp);
        k->cursor = k->issued;
    } else if (k->cursor > k->issued) {
        f->finish(d->self, f->pop(d->self, warp), WW_END_PIPELINE | WW_END_RECORD);
        k->issued++;
    } else {
        for (uint32_t i = 0; i < 1 + ww_drive_draw(d, WW_IBUFFER) && k->cursor < STEPS; i++) {
            f->fill(d->self, warp, i, f->decode(d->self, warp));
            k->cursor++;
        }
    }
}

/* Whoever calls is told when a warp becomes unsure. */
static void check_view(WwDrive *d, Walk *w)
{
    const WwSimtIf *f = d->table;
    const WwSimtView *view = f->view(d->self);
    bool told = ww_harness_wakes(d->h, d->port, NULL, 0) != 0;
    if (w->view != NULL && view != w->view) {
        ww_drive_wrong(d, "view() answers another pointer than at first");
    } else if ((view->unsure & ~w->unsure) != 0 && !told) {
        ww_drive_wrong(d, "warps %" G_GINT64_MODIFIER "x become unsure and no caller is woken",
                       view->unsure & ~w->unsure);
    }
    w->view = view;
    w->unsure = view->unsure;
}

static void simt_drive(WwDrive *d)
{
    Walk *w = d->state;
    const WwWarpsIf *warps = warps_of(d);
    if (!w->made) {
        make_walk(d, w);
    }
    check_view(d, w);
    if (warps == NULL || warps->view(d->self)->slots < FIRST + WALKERS) {
        return;
    }
    uint32_t i = ww_drive_draw(d, WALKERS);
    walk(d, warps, w, &w->walker[i], FIRST + i);
    check_view(d, w);
    if (w->walker[i].resident && d->wrong == NULL) {
        check_walker(d, w, &w->walker[i], FIRST + i);
    }
}

const WwDriver drive_simt = {
    .contract = &ww_contract_simt,
    .promises = "asking has no effect; a warp is fetched from where its trace goes on or from "
                "behind what it issued last, and issues what comes next unless it is unsure, "
                "which callers are told of",
    .state = sizeof(Walk),
    .drive = simt_drive,
};
