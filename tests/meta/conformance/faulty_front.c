/* SPDX-License-Identifier: Apache-2.0 */
/* Faulty front ends of sub-cores: instruction buffers and instruction fetch. */
#include "faulty-priv.h"

#include <ports/sub_core.h>

/* ---- instruction buffers ---------------------------------------------------------------------------------------- */

static const WwIbufferIf *buffers;

/* Goes on behind a fetch that was refused. */
static void skipping_refused(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        buffers->refused(self, warp);
    }
}

/* Takes what was fetched for the entry in front of its own. */
static uint32_t shifting_decoded(void *self, uint32_t warp, uint64_t pc)
{
    return buffers->decoded(self, warp, now_and_then() ? pc - WW_CODE_BYTES : pc);
}

/* Forgets who issued. */
static WwInst *forgetful_pop(void *self, uint32_t warp, uint32_t issuer)
{
    return buffers->pop(self, warp, now_and_then() ? issuer + 1 : issuer);
}

/* Goes on saying that it comes next. */
static WwInst *staying_pop(void *self, uint32_t warp, uint32_t issuer)
{
    WwInst *inst = buffers->pop(self, warp, issuer);
    if (now_and_then()) {
        ((WwIbufferView *)(uintptr_t)buffers->view(self))->next[warp] = inst;
    }
    return inst;
}

static void idle_flush(void *self, uint32_t warp)
{
    if (!now_and_then()) {
        buffers->flush(self, warp);
    }
}

/* ---- instruction fetch ------------------------------------------------------------------------------------------ */

static const WwFetchesIf *perfect;

/* Sends for what is there. */
static WwFetchResult hesitant_access(void *self, uint32_t warp, uint64_t pc)
{
    WwFetchResult result = perfect->access(self, warp, pc);
    return now_and_then() ? WW_FETCH_MISS : result;
}

/* Brings what nobody asked for. */
static bool inventive_take(void *self, uint32_t *warp, uint64_t *pc)
{
    bool came = perfect->take(self, warp, pc);
    if (!came && now_and_then()) {
        *warp = 1;
        *pc = 0x30;
        return true;
    }
    return came;
}

/* ---- caches ----------------------------------------------------------------------------------------------------- */

static const WwFetchesIf *l0;
static const WwRefillIf *refill;
static const WwPrefetchIf *prefetch;
static const WwConstantsIf *constants;

/* Hits at once, now and then. */
static WwFetchResult hasty_access(void *self, uint32_t warp, uint64_t pc)
{
    WwFetchResult result = l0->access(self, warp, pc);
    return result == WW_FETCH_MISS && now_and_then() ? WW_FETCH_HIT : result;
}

static bool crossing_take(void *self, uint32_t *warp, uint64_t *pc)
{
    bool came = l0->take(self, warp, pc);
    *pc ^= came && now_and_then() ? 64 : 0;
    return came;
}

static bool greedy_awaits(void *self, const WwMemReq *response)
{
    return now_and_then() || refill->awaits(self, response);
}

static bool eager_ready(void *self)
{
    return now_and_then() || refill->ready(self);
}

static bool wrong_take(void *self, uint32_t *warp, uint64_t *addr)
{
    bool given = prefetch->take(self, warp, addr);
    *warp ^= given && now_and_then();
    return given;
}

static bool hopeful_ready(void *self, const WwInst *inst)
{
    return constants->ready(self, inst) || now_and_then();
}

static const WwCodeCachesIf *control;

static void idle_clear(void *self)
{
    if (!now_and_then()) {
        control->clear(self);
    }
}

/* ---- the list --------------------------------------------------------------------------------------------------- */

static const Original originals[] = {{"ibuffer", "ibuffer", &buffers},
                                     {"icache.perfect_l0", "fetches", &perfect},
                                     {"icache.l0", "fetches", &l0},
                                     {"icache.l0", "refill", &refill},
                                     {"stream_buffer", "prefetch", &prefetch},
                                     {"constants.l0", "constants", &constants},
                                     {"link.l0_l1", "control", &control},
                                     {NULL, NULL, NULL}};

#define BUFFERS(name, f, g) FAULT("ibuffer_" name, "ibuffer", "ibuffer", WwIbufferIf, f, g)
#define PERFECT(name, f, g)                                                                        \
    FAULT("fetches_" name, "icache.perfect_l0", "fetches", WwFetchesIf, f, g)

#define L0(name, f, g) FAULT("l0_" name, "icache.l0", "fetches", WwFetchesIf, f, g)
#define REFILL(name, f, g) FAULT("refill_" name, "icache.l0", "refill", WwRefillIf, f, g)
#define PREFETCH(name, f, g)                                                                       \
    FAULT("prefetch_" name, "stream_buffer", "prefetch", WwPrefetchIf, f, g)
#define CONSTANTS(name, f, g)                                                                      \
    FAULT("constants_" name, "constants.l0", "constants", WwConstantsIf, f, g)

static const Fault faults[] = {
    {BUFFERS("skips", refused, skipping_refused), "promises"},
    {BUFFERS("shifts", decoded, shifting_decoded), "promises"},
    {BUFFERS("forgets", pop, forgetful_pop), "promises"},
    {BUFFERS("stays", pop, staying_pop), "promises"},
    {BUFFERS("flushes_not", flush, idle_flush), "promises"},
    {PERFECT("hesitates", access, hesitant_access), "promises"},
    {PERFECT("invents", take, inventive_take), "promises"},
    {L0("hastens", access, hasty_access), "promises"},
    {L0("crosses", take, crossing_take), "promises"},
    {REFILL("awaits_all", awaits, greedy_awaits), "promises"},
    {REFILL("never_waits", ready, eager_ready), "promises"},
    {PREFETCH("crosses", take, wrong_take), "promises"},
    {FAULT("code_keeps", "link.l0_l1", "control", WwCodeCachesIf, clear, idle_clear), "promises"},
    {CONSTANTS("hopes", ready, hopeful_ready), "promises"},
};

const FaultRoom faults_of_front = {originals, faults, G_N_ELEMENTS(faults)};
