/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ccws_monitor`: finds lost locality in the L1D, and says which warps may load.
 *
 *     LD/ST unit --- cache [ccws_monitor] cache --- L1D
 *                          locality |
 *                           policies of the SM
 *
 * It stands between the LD/ST unit and its cache, passes everything on, and looks at what each load came to. The lines that
 * a warp has brought lately are kept in a small victim array of its own. A miss on one of them is lost locality: somebody else
 * has displaced it. The warp's score then jumps, and falls again by 1 a cycle:
 *
 *     jump = lost so far * throttle / instructions so far * cutoff, cutoff = warps of the SM * base
 *
 * Warps stand in a queue, highest score first, then the oldest; those before which scores add up to the cutoff or more
 * may not issue loads. Without lost locality every score is `base`, and everybody may.
 *
 * Costs a few loads for each miss, and for each question a comparison; only while some score is raised a sort of the warps.
 */
#include "ccws.h"
#include <ports/cache.h>
#include <string.h>

#define MOST_TAGS 64u
#define SECTOR 32u

typedef struct Warp {
    uint32_t id;             /* dynamic id of the warp that this speaks of */
    uint32_t n;              /* tags */
    uint64_t jump;           /* score above base */
    WwCycle at;              /* in that cycle */
    uint64_t tag[MOST_TAGS]; /* the one brought last first */
} Warp;

typedef struct Monitor {
    WwComponent base;
    /* parameters */
    uint32_t score, throttle, tags;
    /* ports */
    WwPort cache, warps;
    WwProvided user, locality;
    /* state */
    const WwCacheIf *lower;
    const WwWarpView *view;
    uint64_t raised; /* warps whose score may be above base */
    uint64_t lost_so_far, instructions;
    Warp warp[WW_MAX_WARPS];
    /* statistics */
    uint64_t misses, lost;
} Monitor;

/* ---- scores ----------------------------------------------------------------------------------------------------- */

static uint64_t above(const Monitor *m, uint32_t w, WwCycle now)
{
    const Warp *k = &m->warp[w];
    if (!(m->raised >> w & 1u) || k->id != m->view->warp[w].dynamic_id) {
        return 0;
    }
    WwCycle past = now - k->at;
    return k->jump > past ? k->jump - past : 0;
}

static uint64_t monitor_may_load(void *self)
{
    const Monitor *m = self;
    uint64_t live = m->view->live, allowed = 0, sum = 0, score[WW_MAX_WARPS];
    uint8_t queue[WW_MAX_WARPS];
    uint32_t n = 0;
    WwCycle now = ww_now(m);
    if ((m->raised & live) == 0) {
        return live;
    }
    for (uint64_t left = live; left != 0; left &= left - 1) {
        uint8_t w = (uint8_t)__builtin_ctzll(left);
        uint64_t s = above(m, w, now);
        uint32_t i = n++;
        for (; i > 0 && (score[i - 1] < s ||
                         (score[i - 1] == s &&
                          ww_warp_older(&m->view->warp[w], &m->view->warp[queue[i - 1]])));
             i--) {
            score[i] = score[i - 1];
            queue[i] = queue[i - 1];
        }
        score[i] = s;
        queue[i] = w;
    }
    uint64_t cutoff = (uint64_t)n * m->score;
    for (uint32_t i = 0; i < n && sum < cutoff; i++) {
        allowed |= 1ull << queue[i];
        sum += m->score + score[i];
    }
    return allowed;
}

static void monitor_issued(void *self, uint32_t n)
{
    ((Monitor *)self)->instructions += n;
}

/* ---- lost locality ---------------------------------------------------------------------------------------------- */

/* Where @p tag is among the warp's, or n. */
static uint32_t find(const Warp *k, uint64_t tag)
{
    uint32_t i = 0;
    while (i < k->n && k->tag[i] != tag) {
        i++;
    }
    return i;
}

static void raise_score(Monitor *m, uint32_t w, WwCycle now)
{
    Warp *k = &m->warp[w];
    uint64_t cutoff = (uint64_t)__builtin_popcountll(m->view->live) * m->score;
    m->lost++;
    m->lost_so_far++;
    uint64_t jump = m->lost_so_far * m->throttle * cutoff / MAX(m->instructions, 1);
    k->jump = MAX(jump, above(m, w, now));
    k->at = now;
    m->raised |= 1ull << w;
}

/* A load of @p w has missed on the sector @p tag, which it brings. */
static void missed(Monitor *m, uint32_t w, uint64_t tag, WwCycle now)
{
    Warp *k = &m->warp[w];
    uint32_t id = m->view->warp[w].dynamic_id;
    m->misses++;
    if (k->id != id || (k->n == 0 && k->jump == 0)) { /* a new warp in the slot has no past */
        k->id = id;
        k->n = 0;
        k->jump = 0;
        m->raised &= ~(1ull << w);
    }
    uint32_t at = find(k, tag);
    if (at < k->n) {
        raise_score(m, w, now);
    } else if (k->n < m->tags) {
        k->n++;
    } else {
        at = k->n - 1; /* the oldest goes */
    }
    memmove(&k->tag[1], &k->tag[0], at * sizeof k->tag[0]);
    k->tag[0] = tag;
}

/* ---- passing on ------------------------------------------------------------------------------------------------- */

static const WwCacheFacts *pass_facts(void *self)
{
    Monitor *m = self;
    return m->lower->facts(m->cache.peer);
}

static WwCacheResult pass_access(void *self, WwMemReq *req, WwCycle now, uint32_t *sent)
{
    Monitor *m = self;
    uint64_t tag = req->addr / SECTOR; /* the cache may change it */
    WwCacheResult result = m->lower->access(m->cache.peer, req, now, sent);
    if (result == WW_CACHE_MISS && !req->write && req->warp < WW_MAX_WARPS) {
        missed(m, req->warp, tag, now);
    }
    return result;
}

static void pass_fill(void *self, WwMemReq *req, WwCycle now)
{
    Monitor *m = self;
    m->lower->fill(m->cache.peer, req, now);
}

static const WwMemReq *pass_peek(void *self)
{
    Monitor *m = self;
    return m->lower->peek(m->cache.peer);
}

static WwMemReq *pass_take(void *self)
{
    Monitor *m = self;
    return m->lower->take(m->cache.peer);
}

static bool pass_port_free(void *self, WwCachePort port)
{
    Monitor *m = self;
    return m->lower->port_free(m->cache.peer, port);
}

/* The cache's user owns this step, and this step the cache's. */
static WwRest pass_cycle(void *self)
{
    ww_step(&((Monitor *)self)->cache);
    return WW_SLEEP;
}

static void pass_clear(void *self, WwCacheClear what)
{
    Monitor *m = self;
    m->lower->clear(m->cache.peer, what);
}

static void pass_reshape(void *self, uint32_t ways, bool on_fill)
{
    Monitor *m = self;
    m->lower->reshape(m->cache.peer, ways, on_fill);
}

static uint32_t pass_ways(void *self)
{
    Monitor *m = self;
    return m->lower->ways(m->cache.peer);
}

static bool pass_stream(void *self, uint32_t i, WwCacheStream *out)
{
    Monitor *m = self;
    return m->lower->stream(m->cache.peer, i, out);
}

static void pass_install(void *self, uint64_t addr, uint64_t partition_addr, uint32_t n,
                         WwCycle now)
{
    Monitor *m = self;
    m->lower->install(m->cache.peer, addr, partition_addr, n, now);
}

static WwCacheResult pass_probe(void *self, uint64_t addr)
{
    Monitor *m = self;
    return m->lower->probe(m->cache.peer, addr);
}

static void pass_forget(void *self)
{
    Monitor *m = self;
    m->lower->forget(m->cache.peer);
}

static void pass_bring(void *self, uint64_t addr, WwCycle now)
{
    Monitor *m = self;
    m->lower->bring(m->cache.peer, addr, now);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static bool monitor_init(void *self, GError **error)
{
    Monitor *m = self;
    m->lower = WW_CACHE(&m->cache); /* its user's reset may come before ours */
    return true;
}

static void monitor_reset(void *self)
{
    Monitor *m = self;
    m->view = WW_WARPS(&m->warps)->view(m->warps.peer);
    m->raised = 0;
    m->lost_so_far = m->instructions = 0;
    memset(m->warp, 0, sizeof m->warp);
}

static const WwCacheIf cache_table = {
    .facts = pass_facts,
    .access = pass_access,
    .fill = pass_fill,
    .peek = pass_peek,
    .take = pass_take,
    .port_free = pass_port_free,
    .clear = pass_clear,
    .reshape = pass_reshape,
    .ways = pass_ways,
    .stream = pass_stream,
    .install = pass_install,
    .probe = pass_probe,
    .forget = pass_forget,
    .bring = pass_bring,
};

static const CcwsIf ccws_table = {.may_load = monitor_may_load, .issued = monitor_issued};

static const WwFunctionRow ccws_functions[] = {
    WW_FUNCTION(CcwsIf, may_load),
    WW_FUNCTION(CcwsIf, issued),
    {0},
};

const WwContract ccws_contract = {
    .name = "ccws",
    .doc = "which warps may issue loads",
    .version = 1,
    .kind = WW_INTERFACE,
    .fake = "fake.ccws",
    .functions = ccws_functions,
};

static const WwParamRow params[] = {
    WW_UINT(Monitor, score, "", "100", 1, 1000000, "score of a warp that has lost nothing"),
    WW_UINT(Monitor, throttle, "", "8", 0, 1000000,
            "weight of lost locality; 0: nobody is ever held back"),
    WW_UINT(Monitor, tags, "entries", "16", 1, 64, "lines that each warp's victim array holds"),
    {0},
};
static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Monitor, user, &ww_contract_cache, &cache_table,
                     "in place of the cache: for the LD/ST unit"),
    WW_PORT_PROVIDES(Monitor, locality, &ccws_contract, &ccws_table, "for the policies of the SM"),
    WW_PORT_OWNS(Monitor, cache, &ww_contract_cache, 1, "the cache that is watched"),
    WW_PORT_REQUIRES(Monitor, warps, &ww_contract_warps, 1, WW_RANK_EXECUTE,
                     "the SM's warps: who is live, who is older"),
    {0},
};
static const WwStatRow stats[] = {
    WW_COUNTER(Monitor, misses, "accesses", "loads that missed"),
    WW_COUNTER(Monitor, lost, "accesses",
               "of these, on a line that the warp had brought before: lost locality"),
    {0},
};

static const WwEntryRow entries[] = {
    {.name = "cycle", .owner = "user", .tick = pass_cycle, .doc = "a cycle of the cache"},
    {0},
};

const WwType ccws_monitor_type = {
    .abi = WW_ABI_VERSION,
    .name = "ccws_monitor",
    .doc = "Finds lost locality in an L1D, and says which warps may load.",
    .family = "ccws",
    .size = sizeof(Monitor),
    .params = params,
    .ports = ports,
    .stats = stats,
    .entries = entries,
    .init = monitor_init,
    .reset = monitor_reset,
};
