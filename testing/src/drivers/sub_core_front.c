/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of the front end of a sub-core: instruction buffers, instruction fetch. */
#include "drivers-priv.h"

#include <ports/sub_core.h>
#include <string.h>
#include <testing/fake_cache.h>
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
        } else if (v->next[warp] != head) {
            ww_drive_wrong(d, "`next` of warp %u is not its head()", warp);
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
    bool told;  /* The caller was woken since nothing was there to take. */
    bool stays; /* The last request was refused, and would be again until then: */
    Open refused;
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
    bool again = s->stays && ww_drive_draw(d, 4) != 0;
    if (again) {
        warp = s->refused.warp;
        pc = s->refused.pc;
    }
    uint32_t at = find_open(s, warp, pc);
    if (s->n == OPEN) {
        return;
    }
    WwFetchResult result = f->access(d->self, warp, pc);
    if (again && result != WW_FETCH_FAIL) {
        ww_drive_wrong(d,
                       "access() answers %d for warp %u and %" G_GINT64_MODIFIER
                       "x, which refuses() said to be refused until the caller is woken",
                       result, warp, pc);
    }
    s->stays = result == WW_FETCH_FAIL && f->refuses != NULL && f->refuses(d->self);
    s->refused = (Open){warp, pc};
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
    s->stays = s->stays && !s->told;
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
                "woken; or all of it is there at once; what is refused until the caller is woken "
                "is refused until then",
    .state = sizeof(Opens),
    .drive = fetches_drive,
    .serve = fetches_serve,
};

/* ---- constants ---------------------------------------------------------------------------------------------------- */

typedef struct Operands {
    bool made;
    WwInst *inst;
    WwTiming *timing;
} Operands;

static void constants_drive(WwDrive *d)
{
    static const WwCacheResult results[] = {WW_CACHE_HIT, WW_CACHE_HIT_RESERVED, WW_CACHE_MISS,
                                            WW_CACHE_RESERVATION_FAIL};
    const WwConstantsIf *f = d->table;
    Operands *s = d->state;
    WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    if (!s->made) {
        s->made = true;
        s->inst = ww_test_inst(d->h, &(WwTestInst){.op = WW_OP_SP});
        s->timing = ww_harness_alloc(d->h, sizeof *s->timing);
        s->timing->flags = WW_TAKES_CONSTANT | WW_TAKES_FIXED;
        s->inst->timing = s->timing;
    }
    WwCacheResult result = results[ww_drive_draw(d, G_N_ELEMENTS(results))];
    s->timing->constant = 0xEEEEEEEEu + 4ull * ww_drive_draw(d, 512);
    if (cache != NULL) {
        cache->others = 0; /* all refusals are from here */
        cache->result = result == WW_CACHE_HIT_RESERVED ? WW_CACHE_MISS : result;
        cache->probe = result == WW_CACHE_RESERVATION_FAIL ? WW_CACHE_MISS : result;
    }
    uint32_t accesses = cache != NULL ? cache->accesses : 0;
    bool ready = f->ready(d->self, s->inst);
    ww_drive_say(d, "%" G_GINT64_MODIFIER "x: %d", s->timing->constant, ready);
    if (ready != (cache == NULL || result == WW_CACHE_HIT)) {
        ww_drive_wrong(d, "ready() answers %d; expected %d, as its cache has it or not", ready,
                       !ready);
    } else if (cache != NULL && result == WW_CACHE_HIT_RESERVED && cache->accesses != accesses) {
        ww_drive_wrong(d, "a line that is on its way is sent for again");
    }
}

const WwDriver drive_constants = {
    .contract = &ww_contract_constants,
    .promises =
        "an operand is ready when its line is there, and only then; a line is sent for once",
    .state = sizeof(Operands),
    .drive = constants_drive,
};

/* ---- refill ------------------------------------------------------------------------------------------------------- */

typedef struct Refills {
    bool made;
    WwMemReq *req;
} Refills;

static void refill_drive(WwDrive *d)
{
    const WwRefillIf *f = d->table;
    Refills *s = d->state;
    WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    if (cache == NULL) {
        return;
    }
    if (!s->made) {
        s->made = true;
        s->req = ww_harness_alloc(d->h, sizeof *s->req);
    }
    cache->fill_port_taken = ww_drive_draw(d, 2) != 0;
    *s->req = (WwMemReq){.addr = 0x7f0000000000 + 128ull * ww_drive_draw(d, 64),
                         .size = 128,
                         .type = WW_ACCESS_INST_R};
    if (f->awaits(d->self, s->req)) {
        ww_drive_wrong(d, "awaits() says yes to a request of nobody's");
    }
    s->req->miss_of = &cache->facts;
    if (!f->awaits(d->self, s->req)) {
        ww_drive_wrong(d, "awaits() says no to a miss of its cache");
    }
    if (f->ready(d->self) == cache->fill_port_taken) {
        ww_drive_wrong(d, "ready() answers %d, and the fill port is %s", cache->fill_port_taken,
                       cache->fill_port_taken ? "taken" : "free");
    }
    uint32_t fills = cache->fills;
    if (!cache->fill_port_taken && cache->order.n == 0) {
        f->fill(d->self, s->req);
        if (cache->fills != fills + 1) {
            ww_drive_wrong(d, "fill() of a miss of its cache does not come to it");
        }
    }
}

const WwDriver drive_refill = {
    .contract = &ww_contract_refill,
    .promises =
        "what is awaited is filled, nothing else; nothing can be filled while the fill port "
        "is taken",
    .state = sizeof(Refills),
    .drive = refill_drive,
};

/* ---- prefetch ----------------------------------------------------------------------------------------------------- */

enum { AHEAD = 64 };

typedef struct Prefetches {
    uint32_t line;          /* Bytes; 0: not known yet. */
    WwMemReq *asked[AHEAD]; /* Requests that were not answered. */
    uint32_t n_asked;
    uint32_t waits; /* For the first line of a buffer. */
    uint64_t waits_at;
    uint64_t warps; /* Those that wait. */
} Prefetches;

/* The least of those who wait is given its instruction, and nothing that nobody waits for. */
static void check_given(WwDrive *d, Prefetches *s)
{
    const WwPrefetchIf *f = d->table;
    uint32_t warp;
    uint64_t addr;
    f->allow(d->self, true);
    if (!f->take(d->self, &warp, &addr)) {
        return;
    }
    ww_drive_say(d, "warp %u is given %" G_GINT64_MODIFIER "x", warp, addr);
    if (s->warps == 0 || warp != (uint32_t)__builtin_ctzll(s->warps) || addr != s->waits_at) {
        ww_drive_wrong(d,
                       "take() gives %" G_GINT64_MODIFIER
                       "x to warp %u; expected %" G_GINT64_MODIFIER
                       "x, and the least of %" G_GINT64_MODIFIER "x",
                       addr, warp, s->waits_at, s->warps);
        return;
    }
    s->warps &= s->warps - 1;
}

static void prefetch_drive(WwDrive *d)
{
    const WwPrefetchIf *f = d->table;
    Prefetches *s = d->state;
    WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    uint32_t buffer;
    if (cache == NULL) {
        return;
    }
    s->line = cache->facts.line;
    check_given(d, s);
    if (d->wrong != NULL) {
        return;
    }
    uint64_t line = 0x7f0000000000 + (uint64_t)s->line * ww_drive_draw(d, 12);
    WwStreamResult result = f->search(d->self, line, &buffer);
    if (ww_drive_draw(d, 4) == 0) {
        f->searched(d->self, ww_drive_draw(d, 1000));
    }
    if (result != WW_STREAM_HIT && f->search(d->self, line - s->line, &buffer) == WW_STREAM_HIT) {
        result = WW_STREAM_NONE; /* there is another */
    }
    if (result == WW_STREAM_HIT && (s->warps == 0 || s->waits_at == line + 17)) {
        uint32_t warp = ww_drive_draw(d, 8);
        f->wait(d->self, buffer, warp, line + 17);
        s->waits_at = line + 17;
        s->warps |= 1ull << warp;
    } else if (result == WW_STREAM_NONE && ww_drive_draw(d, 16) == 0) {
        f->begin(d->self, line);
    }
    if (s->n_asked != 0 && ww_drive_draw(d, 3) == 0) {
        uint32_t i = ww_drive_draw(d, s->n_asked);
        WwMemReq *req = s->asked[i];
        s->asked[i] = s->asked[--s->n_asked];
        if (f->awaits(d->self, req)) {
            f->fill(d->self, req);
        } else {
            ww_mem_release(req); /* its stream is gone */
        }
    }
}

static void prefetch_came(WwDrive *d, const WwPortRow *row, WwToken token)
{
    Prefetches *s = d->state;
    WwMemReq *req = ww_token_mem(token);
    if (row->contract != &ww_contract_mem_request) {
        return;
    }
    if (s->line != 0 && (req->addr % s->line != 0 || req->size != s->line)) {
        ww_drive_wrong(d, "a line of %u bytes at %" G_GINT64_MODIFIER "x is sent for; expected %u",
                       req->size, req->addr, s->line);
    }
    if (s->n_asked < AHEAD) {
        s->asked[s->n_asked++] = req;
    } else {
        ww_mem_release(req);
    }
}

const WwDriver drive_prefetch = {
    .contract = &ww_contract_prefetch,
    .promises = "whole lines are sent for; who waits for the first line of a buffer is given its "
                "instruction when it has come, the least first, and nobody else is",
    .state = sizeof(Prefetches),
    .drive = prefetch_drive,
    .came = prefetch_came,
};

/* ---- code caches -------------------------------------------------------------------------------------------------- */

static void code_caches_drive(WwDrive *d)
{
    const WwCodeCachesIf *f = d->table;
    const WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    uint32_t before = cache != NULL ? cache->invalidations : 0;
    if (ww_drive_draw(d, 20) != 0) {
        return;
    }
    f->clear(d->self);
    if (cache != NULL && cache->invalidations == before) {
        ww_drive_wrong(d, "clear() leaves the cache of instructions as it is");
    }
}

const WwDriver drive_code_caches = {
    .contract = &ww_contract_code_caches,
    .promises = "the cache of instructions is invalidated",
    .drive = code_caches_drive,
};
