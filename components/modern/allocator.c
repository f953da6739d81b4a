/* SPDX-License-Identifier: Apache-2.0 */
/* Stall counts and counters for code that has none: the rules. */
#include "allocator-priv.h"

/* Who has the fewest of them reads its operands last in so many stages; longer pipelines of a producer count from here. */
#define READ_STAGES 3u

uint32_t alloc_latency(const WwTiming *t)
{
    if ((t->flags & WW_TAKES_FIXED) == 0) {
        return 0;
    }
    uint32_t more = t->read_stages > READ_STAGES ? t->read_stages - READ_STAGES : 0;
    return (uint32_t)t->latency + t->interval + t->extra + more;
}

static bool stalled_for(const AllocRules *rules, const WwTiming *t)
{
    uint32_t n = alloc_latency(t);
    return n != 0 && n <= rules->max_stall;
}

/* ---- sets of registers --------------------------------------------------------------------- */

static bool has(const uint64_t *set, uint32_t name)
{
    return set[name / 64] >> (name % 64) & 1u;
}

static void add(uint64_t *set, const WwTiming *t, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        set[t->name[i] / 64] |= 1ull << (t->name[i] % 64);
    }
}

/* ---- plan ---------------------------------------------------------------------------------- */

static uint32_t guards_of(const AllocWarp *w, const WwTiming *t)
{
    uint32_t wait = 0;
    for (uint32_t k = 0; k < WW_COUNTERS; k++) {
        for (uint32_t i = 0; i < t->n_named; i++) {
            bool guarded =
                has(w->written[k], t->name[i]) || (i < t->n_written && has(w->read[k], t->name[i]));
            wait |= (uint32_t)guarded << k;
        }
    }
    return wait;
}

/* When the results that are stalled for let it issue. */
static WwCycle stall_of(const AllocRules *rules, const AllocWarp *w, const WwTiming *t)
{
    WwCycle from = 0;
    uint32_t late = (t->flags & WW_TAKES_FIXED) == 0; /* no bypass leads there */
    for (uint32_t i = t->n_written; i < t->n_named; i++) {
        WwCycle c = w->from[t->name[i]];
        from = MAX(from, c != 0 ? c + late : 0);
    }
    for (uint32_t i = 0; i < t->n_written; i++) {
        WwCycle c = w->from[t->name[i]]; /* its own result comes behind that one */
        uint32_t own = stalled_for(rules, t) ? alloc_latency(t) : 1;
        from = MAX(from, c != 0 && c + 1 > own ? c + 1 - own : 0);
    }
    return from;
}

/* The next free counter in turn, else the next in turn; @p but is taken. */
static uint32_t choose(const AllocWarp *w, uint32_t but)
{
    uint32_t shared = w->next != but ? w->next : (w->next + 1u) % WW_COUNTERS;
    for (uint32_t i = 0; i < WW_COUNTERS; i++) {
        uint32_t k = (w->next + i) % WW_COUNTERS;
        if (k != but && w->users[k] == 0) {
            return k;
        }
    }
    return shared;
}

AllocPlan alloc_plan(const AllocRules *rules, const AllocWarp *w, const WwTiming *t)
{
    AllocPlan p = {.from = stall_of(rules, w, t),
                   .wait = guards_of(w, t),
                   .write = WW_NO_COUNTER,
                   .read = WW_NO_COUNTER,
                   .room = true};
    if (t->n_written != 0 && !stalled_for(rules, t)) {
        p.write = (uint8_t)choose(w, WW_NO_COUNTER);
        p.room = w->users[p.write] < ALLOC_MOST;
    }
    if (rules->war && (t->flags & WW_TAKES_FIXED) == 0 && t->n_named != t->n_written) {
        p.read = (uint8_t)choose(w, p.write);
        p.room = p.room && w->users[p.read] < ALLOC_MOST;
    }
    bool takes = p.write != WW_NO_COUNTER || p.read != WW_NO_COUNTER;
    p.room = p.room && (!takes || w->n_flights < ALLOC_FLIGHTS);
    return p;
}

/* ---- issue --------------------------------------------------------------------------------- */

/* Who issues has waited for all registers under these counters: nobody has to do that again. */
static void waited(AllocWarp *w, uint32_t wait)
{
    for (uint32_t m = wait; m != 0; m &= m - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(m);
        for (uint32_t i = 0; i < ALLOC_WORDS && w->users[k] == 0; i++) {
            w->written[k][i] = w->read[k][i] = 0;
        }
    }
}

static void hold(AllocWarp *w, const WwInst *inst, const AllocPlan *p)
{
    for (uint32_t i = 0; i < ALLOC_FLIGHTS; i++) {
        AllocFlight *f = &w->flight[i];
        if (!f->used) {
            *f = (AllocFlight){inst->timing, inst->uid, p->write, p->read, true};
            w->n_flights++;
            return;
        }
    }
}

static uint32_t take(AllocWarp *w, uint32_t k)
{
    if (k == WW_NO_COUNTER) {
        return 0;
    }
    w->next = (uint8_t)((k + 1) % WW_COUNTERS);
    return w->users[k]++ != 0;
}

uint32_t alloc_issue(const AllocRules *rules, AllocWarp *w, const WwInst *inst, WwCycle now)
{
    const WwTiming *t = inst->timing;
    AllocPlan p = alloc_plan(rules, w, t);
    uint32_t shared = 0;
    waited(w, p.wait);
    for (uint32_t i = 0; i < t->n_written; i++) {
        w->from[t->name[i]] = stalled_for(rules, t) ? now + alloc_latency(t) : 0;
    }
    if (p.write != WW_NO_COUNTER || p.read != WW_NO_COUNTER) {
        hold(w, inst, &p);
        shared = take(w, p.write) + take(w, p.read);
    }
    if (p.write != WW_NO_COUNTER) {
        add(w->written[p.write], t, 0, t->n_written);
    }
    if (p.read != WW_NO_COUNTER) {
        add(w->read[p.read], t, t->n_written, t->n_named);
    }
    return shared;
}

/* ---- ends ---------------------------------------------------------------------------------- */

static AllocFlight *flight_of(AllocWarp *w, const WwInst *inst)
{
    for (uint32_t i = 0; w->n_flights != 0 && i < ALLOC_FLIGHTS; i++) {
        AllocFlight *f = &w->flight[i];
        if (f->used && f->uid == inst->uid && f->timing == inst->timing) {
            return f;
        }
    }
    return NULL;
}

static uint32_t bit_of(uint32_t k)
{
    return k < WW_COUNTERS ? 1u << k : 0;
}

uint32_t alloc_read(AllocWarp *w, const WwInst *inst)
{
    AllocFlight *f = flight_of(w, inst);
    if (f == NULL) {
        return 0;
    }
    uint32_t given = bit_of(f->read);
    f->read = WW_NO_COUNTER;
    f->used = f->write != WW_NO_COUNTER;
    w->n_flights -= !f->used;
    return given;
}

uint32_t alloc_over(AllocWarp *w, const WwInst *inst)
{
    AllocFlight *f = flight_of(w, inst);
    if (f == NULL) {
        return 0;
    }
    uint32_t given = bit_of(f->write) | bit_of(f->read);
    f->used = false;
    w->n_flights--;
    return given;
}
