/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what the memory system shares: address map, sums over partitions, copies, carve-out. */
#include "drivers-priv.h"

#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/latency.h>
#include <testing/fake_address_map.h>
#include <testing/fake_cache.h>
#include <warpwright/component.h>

/* A number that follows from the seed alone. */
static uint64_t mixed(uint32_t seed, uint32_t n)
{
    uint64_t x = (seed + 1) * 0x9e3779b97f4a7c15u + n * 0xd1342543de82ef95u;
    x ^= x >> 31;
    x *= 0xbf58476d1ce4e5b9u;
    return x ^ x >> 29;
}

static void drive_calls(WwDrive *d, void (*call)(WwDrive *d, uint32_t seed))
{
    for (uint32_t n = ww_drive_draw(d, 6); n > 0; n--) {
        call(d, ww_drive_draw(d, 1u << 20));
    }
}

/* ---- address_map ------------------------------------------------------------------------------------------------ */

static void address_map_call(WwDrive *d, uint32_t seed)
{
    const WwAddressMapIf *f = d->table;
    uint64_t addr = mixed(seed, 0) & ((1ull << 44) - 1);
    WwAddress at = {0}, again = {0};
    f->decode(d->self, addr, &at);
    f->decode(d->self, addr, &again);
    uint32_t channels = f->channels(d->self), slices = f->slices(d->self);
    ww_drive_say(d,
                 "%" G_GINT64_MODIFIER "x: channel %u slice %u bank %u row %u column %u, "
                 "%" G_GINT64_MODIFIER "x",
                 addr, at.channel, at.slice, at.bank, at.row, at.column, at.partition);
    if (at.channel >= channels || at.slice >= slices) {
        ww_drive_wrong(
            d, "address %" G_GINT64_MODIFIER "x is in channel %u, slice %u; expected below %u, %u",
            addr, at.channel, at.slice, channels, slices);
    } else if (at.slice / MAX(slices / MAX(channels, 1), 1) != at.channel) {
        ww_drive_wrong(d,
                       "address %" G_GINT64_MODIFIER "x is in slice %u and channel %u, which has "
                       "other slices",
                       addr, at.slice, at.channel);
    } else if (at.slice != again.slice || at.partition != again.partition ||
               at.bank != again.bank || at.row != again.row || at.column != again.column) {
        ww_drive_wrong(d, "address %" G_GINT64_MODIFIER "x decodes differently the second time",
                       addr);
    }
}

static void address_map_drive(WwDrive *d)
{
    drive_calls(d, address_map_call);
}

const WwDriver drive_address_map = {
    .contract = &ww_contract_address_map,
    .promises = "an address has one place, in a channel and a slice of it that exist",
    .drive = address_map_drive,
    .call = address_map_call,
};

/* ---- arrivals, latency ------------------------------------------------------------------------------------------ */

static void arrivals_call(WwDrive *d, uint32_t seed)
{
    ((const WwArrivalsIf *)d->table)->arrived(d->self, ww_harness_now(d->h));
}

static void arrivals_drive(WwDrive *d)
{
    drive_calls(d, arrivals_call);
}

const WwDriver drive_arrivals = {
    .contract = &ww_contract_arrivals,
    .promises = "sums do not depend on the order of calls",
    .drive = arrivals_drive,
    .call = arrivals_call,
};

enum { LATENCY_BANKS = WW_MAX_DRAM_BANKS };

typedef struct Latencies {
    WwBankLatency bank[LATENCY_BANKS]; /* Of channel 0. */
} Latencies;

static void latency_call(WwDrive *d, uint32_t seed)
{
    const WwLatencyIf *f = d->table;
    Latencies *l = d->state;
    uint32_t bank = (uint32_t)(mixed(seed, 0) % LATENCY_BANKS);
    uint32_t latency = (uint32_t)(mixed(seed, 1) % 1000);
    WwMemReq req = {.at = {.channel = 0, .bank = bank}};
    f->handed(d->self, &req, latency, ww_now(d->self));
    l->bank[bank].sum += latency;
    l->bank[bank].max = MAX(l->bank[bank].max, latency);
    WwBankLatency said = f->bank(d->self, 0, bank);
    if (said.sum != l->bank[bank].sum || said.max != l->bank[bank].max) {
        ww_drive_wrong(d,
                       "bank %u has a sum of %" G_GUINT64_FORMAT
                       " and a maximum of %" G_GUINT64_FORMAT "; expected %" G_GUINT64_FORMAT
                       " and %" G_GUINT64_FORMAT,
                       bank, said.sum, said.max, l->bank[bank].sum, l->bank[bank].max);
    }
}

static void latency_drive(WwDrive *d)
{
    drive_calls(d, latency_call);
}

const WwDriver drive_latency = {
    .contract = &ww_contract_latency,
    .promises = "a bank's figures are the sum and the maximum of what was handed over; sums do not "
                "depend on the order of calls",
    .state = sizeof(Latencies),
    .drive = latency_drive,
    .call = latency_call,
};

/* ---- activity --------------------------------------------------------------------------------------------------- */

static void activity_drive(WwDrive *d)
{
    const WwActivityIf *f = d->table;
    const WwType *type = ((const WwComponent *)d->self)->type;
    bool active = f->active(d->self);
    ww_drive_say(d, "active %d", active);
    if (f->active(d->self) != active) {
        ww_drive_wrong(d, "active() says %d, then %d", active, !active);
    }
    uint64_t inside = ww_drive_is_network(type) ? d->inside : d->held;
    if (type->conserves == WW_CONSERVES_ONE && inside != 0 && !active) {
        ww_drive_wrong(d, "active() says no, and %" G_GUINT64_FORMAT " transactions are inside",
                       inside);
    }
}

static void activity_rest(WwDrive *d)
{
    const WwComponent *c = d->self;
    if (c->type->conserves == WW_CONSERVES_ONE && d->inside == 0 &&
        ((const WwActivityIf *)d->table)->active(d->self)) {
        ww_drive_wrong(d, "active() when all that went in has come out");
    }
}

const WwDriver drive_activity = {
    .contract = &ww_contract_activity,
    .promises =
        "asking has no effect; where all that goes in comes out, it is active while something is "
        "inside, and not afterwards",
    .drive = activity_drive,
    .rest = activity_rest,
};

/* ---- memcpy, l1_control ----------------------------------------------------------------------------------------- */

/* A bench has one slice: its map must not speak of others. */
static void one_slice(WwDrive *d)
{
    WwFakeAddressMap *map = ww_drive_fake(d, &ww_fake_address_map_type, 0);
    if (map != NULL) {
        map->channels = map->slices = 1;
    }
}

static void memcpy_drive(WwDrive *d)
{
    one_slice(d);
    uint64_t addr = mixed(ww_drive_draw(d, 1u << 20), 0) & ((1ull << 40) - 1);
    ((const WwMemcpyIf *)d->table)->copy(d->self, addr, ww_drive_draw(d, 512));
}

const WwDriver drive_memcpy = {
    .contract = &ww_contract_memcpy,
    .promises = "a copy takes no time and ends no run",
    .drive = memcpy_drive,
};

typedef struct Carved {
    WwKernel kernel; /* the last of many */
} Carved;

static void l1_control_drive(WwDrive *d)
{
    const WwL1ControlIf *f = d->table;
    Carved *c = d->state;
    const WwKernelRun run = {.kernel = &c->kernel, .slot = ww_drive_draw(d, 8)};
    c->kernel.uid++;
    uint64_t bytes = (uint64_t)ww_drive_draw(d, 200) << 10;
    g_autoptr(GError) error = NULL, again = NULL;
    bool carved = f->carve(d->self, UINT32_MAX, &run, bytes, &error);
    ww_drive_say(d, "carve %" G_GUINT64_FORMAT ": %d", bytes, carved);
    if (carved != (error == NULL)) {
        ww_drive_wrong(d, "carve() of %" G_GUINT64_FORMAT " bytes answers %s", bytes,
                       carved ? "true with an error" : "false without a reason");
    } else if (f->carve(d->self, UINT32_MAX, &run, bytes, &again) != carved) {
        ww_drive_wrong(d, "carve() of %" G_GUINT64_FORMAT " bytes answers %d, then %d", bytes,
                       carved, !carved);
    }
}

const WwDriver drive_l1_control = {
    .contract = &ww_contract_l1_control,
    .promises = "the same need has the same answer, and a refusal a reason",
    .state = sizeof(Carved),
    .drive = l1_control_drive,
};

/* ---- l2_control ------------------------------------------------------------------------------------------------- */

typedef struct L2 {
    uint64_t installs;
    WwCycle installed;      /* When, at the last time, */
    WwCycle now;            /* and what the cache was told. */
    bool flushing, settled; /* Settled: the cache was used since it is as it is. */
    WwCycle from;           /* The first cycle that flushes, or that does no more. */
    uint32_t uses, flushes; /* Of the cache, up to the last tick, */
    uint32_t flushed;       /* and when it was used last. */
} L2;

/* Sectors that came: the cache gets them as they are, at a time that each one puts forward. */
static void install_some(WwDrive *d, L2 *s, const WwFakeCache *cache)
{
    const WwL2ControlIf *f = d->table;
    uint64_t addr = mixed(ww_drive_draw(d, 1u << 20), 0) & 0xffffffffe0u;
    uint64_t partition = mixed(ww_drive_draw(d, 1u << 20), 1) & 0xffffffe0u;
    uint32_t before = cache != NULL ? cache->installs : 0, n = 1 + ww_drive_draw(d, 4);
    uint64_t more = (n - 1) * (uint64_t)WW_SECTOR_BYTES;
    f->install(d->self, addr, partition, n);
    if (cache == NULL) {
        return;
    }
    if (cache->installs != before + n || cache->installed != addr + more ||
        cache->partition != partition + more) {
        ww_drive_wrong(
            d,
            "install() of %" G_GINT64_MODIFIER "x, %" G_GINT64_MODIFIER
            "x of the partition, brings %u of %u sectors, the last at %" G_GINT64_MODIFIER
            "x, %" G_GINT64_MODIFIER "x",
            addr, partition, cache->installs - before, n, cache->installed, cache->partition);
    } else if (s->installs != 0 && s->installed == ww_harness_now(d->h) &&
               cache->now != s->now + n) {
        ww_drive_wrong(d,
                       "install() tells the cache time %" G_GUINT64_FORMAT
                       "; expected %" G_GUINT64_FORMAT ": one more a sector",
                       cache->now, s->now + n);
    }
    s->now = cache->now;
    s->installed = ww_harness_now(d->h);
    s->installs++;
}

/* Of either kind. */
static uint32_t flushes_of(const WwFakeCache *cache)
{
    return cache->flushes + cache->invalidations;
}

/* What was written in a cycle that flushes is gone when the cache is used in a later one; and nothing goes otherwise. */
static void check_flush(WwDrive *d, L2 *s, const WwFakeCache *cache)
{
    WwCycle tick = ww_harness_now(d->h) - 1;
    bool used = cache->accesses + cache->fills + cache->installs != s->uses;
    if (s->flushing && used && tick > s->from && flushes_of(cache) == s->flushed) {
        ww_drive_wrong(d,
                       "the cache is used in cycle %" G_GUINT64_FORMAT
                       ", and no dirty lines went when the cycle before ended",
                       tick);
    } else if (!s->flushing && s->settled && flushes_of(cache) != s->flushes) {
        ww_drive_wrong(d, "dirty lines go in cycle %" G_GUINT64_FORMAT " although no flush is on",
                       tick);
    }
    if (used) {
        s->settled = true;
        s->uses = cache->accesses + cache->fills + cache->installs;
        s->flushed = flushes_of(cache);
    }
    s->flushes = flushes_of(cache);
}

static void l2_control_drive(WwDrive *d)
{
    const WwL2ControlIf *f = d->table;
    L2 *s = d->state;
    const WwFakeCache *cache = ww_drive_fake(d, &ww_fake_cache_type, 0);
    WwCycle now = ww_harness_now(d->h);
    if (now == 0) {
        s->settled = true;
        return;
    }
    if (cache != NULL) {
        check_flush(d, s, cache);
    }
    if (ww_drive_draw(d, 24) == 0) { /* as a caller does in the tick that is over */
        s->flushing = !s->flushing;
        s->from = now - 1;
        s->settled = false;
        f->flush(d->self, s->flushing, s->from);
        s->flushed = cache != NULL ? flushes_of(cache) : 0;
        ww_drive_say(d, "flush %d", s->flushing);
    }
    for (uint32_t n = ww_drive_draw(d, 8) == 0 ? ww_drive_draw(d, 4) : 0; n > 0; n--) {
        install_some(d, s, cache);
    }
    if (cache != NULL) {
        s->flushes = flushes_of(cache);
        s->uses = cache->accesses + cache->fills + cache->installs;
    }
}

const WwDriver drive_l2_control = {
    .contract = &ww_contract_l2_control,
    .promises =
        "each copy brings its sector to the cache, at a time of its own; while it flushes, what "
        "was written in one cycle is gone in the next, otherwise nothing goes",
    .state = sizeof(L2),
    .drive = l2_control_drive,
};
