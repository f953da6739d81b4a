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

static AllocInst of_timing(const AllocRules *rules, const WwTiming *t)
{
    uint32_t n = alloc_latency(t);
    bool stalled = n != 0 && n <= rules->max_stall, fixed = (t->flags & WW_TAKES_FIXED) != 0;
    return (AllocInst){.name = t->name,
                       .n_written = t->n_written,
                       .n_named = t->n_named,
                       .there = stalled ? n : 0,
                       .own = stalled ? n : 1,
                       .late = !fixed, /* no bypass leads there */
                       .guards = !fixed};
}

/* ---- sets of registers --------------------------------------------------------------------- */

static bool has(const uint64_t *set, uint32_t name)
{
    return set[name / 64] >> (name % 64) & 1u;
}

static void add(uint64_t *set, const uint16_t *name, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        set[name[i] / 64] |= 1ull << (name[i] % 64);
    }
}

/* ---- plan ---------------------------------------------------------------------------------- */

uint32_t alloc_guards(const AllocWarp *w, const uint16_t *name, uint32_t n_written,
                      uint32_t n_named)
{
    uint32_t wait = 0;
    for (uint32_t k = 0; k < WW_COUNTERS; k++) {
        for (uint32_t i = 0; i < n_named; i++) {
            bool guarded =
                has(w->written[k], name[i]) || (i < n_written && has(w->read[k], name[i]));
            wait |= (uint32_t)guarded << k;
        }
    }
    return wait;
}

/* When the results that are stalled for let it issue. */
static WwCycle stall_of(const AllocWarp *w, const AllocInst *in)
{
    WwCycle from = 0;
    for (uint32_t i = in->n_written; i < in->n_named; i++) {
        WwCycle c = w->from[in->name[i]];
        from = MAX(from, c != 0 ? c + in->late : 0);
    }
    for (uint32_t i = 0; i < in->n_written; i++) {
        WwCycle c = w->from[in->name[i]]; /* its own result comes behind that one */
        from = MAX(from, c != 0 && c + 1 > in->own ? c + 1 - in->own : 0);
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

AllocPlan alloc_plan_of(const AllocRules *rules, const AllocWarp *w, const AllocInst *in)
{
    AllocPlan p = {.from = stall_of(w, in),
                   .wait = alloc_guards(w, in->name, in->n_written, in->n_named),
                   .write = WW_NO_COUNTER,
                   .read = WW_NO_COUNTER,
                   .room = true};
    if (in->n_written != 0 && in->there == 0) {
        p.write = (uint8_t)choose(w, WW_NO_COUNTER);
        p.room = w->users[p.write] < ALLOC_MOST;
    }
    if (rules->war && in->guards && in->n_named != in->n_written) {
        p.read = (uint8_t)choose(w, p.write);
        p.room = p.room && w->users[p.read] < ALLOC_MOST;
    }
    return p;
}

static bool takes(const AllocPlan *p)
{
    return p->write != WW_NO_COUNTER || p->read != WW_NO_COUNTER;
}

AllocPlan alloc_plan(const AllocRules *rules, const AllocWarp *w, const WwTiming *t)
{
    AllocInst in = of_timing(rules, t);
    AllocPlan p = alloc_plan_of(rules, w, &in);
    p.room = p.room && (!takes(&p) || w->n_flights < ALLOC_FLIGHTS);
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

AllocPlan alloc_take(const AllocRules *rules, AllocWarp *w, const AllocInst *in, WwCycle now,
                     uint64_t *shared)
{
    AllocPlan p = alloc_plan_of(rules, w, in);
    waited(w, p.wait);
    for (uint32_t i = 0; i < in->n_written; i++) {
        w->from[in->name[i]] = in->there != 0 ? now + in->there : 0;
    }
    *shared += take(w, p.write);
    *shared += take(w, p.read);
    if (p.write != WW_NO_COUNTER) {
        add(w->written[p.write], in->name, 0, in->n_written);
    }
    if (p.read != WW_NO_COUNTER) {
        add(w->read[p.read], in->name, in->n_written, in->n_named);
    }
    return p;
}

uint32_t alloc_issue(const AllocRules *rules, AllocWarp *w, const WwInst *inst, WwCycle now)
{
    AllocInst in = of_timing(rules, inst->timing);
    uint64_t shared = 0;
    AllocPlan p = alloc_take(rules, w, &in, now, &shared);
    if (takes(&p)) {
        hold(w, inst, &p);
    }
    return (uint32_t)shared;
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
