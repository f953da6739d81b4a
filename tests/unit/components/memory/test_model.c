/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit against the plainest model of it (plain.c). Random instructions, random refusals of
 * banks, a random memory, an L1D of random answers; every call to the outside and every request
 * must agree, cycle by cycle, with sleep and without, and all statistics in the end.
 */
#include "plain.h"

#include "components/memory/types.h"
#include <ports/hash.h>
#include <string.h>

#define TICKS 6000u

/* ---- random traffic ------------------------------------------------------------------------ */

/* An instruction; registers are not reused while a load to them is out, as a scoreboard sees to. */
static WwTestInst random_inst(GRand *r, uint32_t uid)
{
    WwTestInst t = {.uid = uid,
                    .warp = (uint16_t)g_rand_int_range(r, 0, PLAIN_WARPS),
                    .pc = 16u * (uid % 8),
                    .base = 0x1000000u + 4u * (uint32_t)g_rand_int_range(r, 0, 64),
                    .stride = 4 * g_rand_int_range(r, 0, 5),
                    .dst = (uint16_t)(1 + uid % (PLAIN_REGS - 1))};
    if (g_rand_int_range(r, 0, 3) == 0) {
        t.mask = g_rand_int(r);
        t.mask &= g_rand_int(r); /* a quarter of the lanes */
        t.no_lanes = t.mask == 0;
    }
    switch (g_rand_int_range(r, 0, 8)) {
    case 0:
    case 1:
        t.op = WW_OP_LOAD;
        t.space = WW_SPACE_SHARED;
        break;
    case 2:
        t.op = WW_OP_STORE;
        t.space = WW_SPACE_SHARED;
        if (uid % 2) { /* ATOMS */
            t.flags = WW_INST_LOAD | WW_INST_ATOMIC;
        } else {
            t.dst = 0;
        }
        break;
    case 3:
        t.op = WW_OP_STORE;
        t.space = WW_SPACE_GLOBAL;
        t.dst = 0;
        break;
    case 4: /* ATOM, RED */
        t.op = WW_OP_LOAD;
        t.space = WW_SPACE_GLOBAL;
        t.flags = WW_INST_ATOMIC | WW_INST_BYPASS_L1;
        t.mask = 0xff;
        t.no_lanes = false;
        if (uid % 2) {
            t.dst = 0;
        }
        break;
    case 5:
        t.op = WW_OP_LOAD;
        t.space = WW_SPACE_GLOBAL;
        t.flags = WW_INST_LDGSTS;
        t.dst = 0;
        t.base = 0x1000000u + 512u * (uint32_t)g_rand_int_range(r, 0, 2);
        break;
    case 6:
        t.op = WW_OP_MEMBAR;
        t.dst = 0;
        break;
    default:
        t.op = WW_OP_LOAD;
        t.space = WW_SPACE_GLOBAL;
        break;
    }
    return t;
}

/* What a pair is made of. */
typedef struct Shape {
    uint32_t ports, depth; /* Cycles of the unit in a tick, room towards memory. */
    bool l1;
    uint32_t banks, latency, hash;
    WwWritePolicy write;
    WwWriteAllocate allocate;
    uint32_t mshr_sectors, data_cost, fill_cost;
} Shape;

typedef struct Pair {
    const Shape *shape;
    WwHarness *h;
    Outside real, plain_side;
    Plain *plain;
    GQueue *out_real, *out_plain; /* WwMemReq under way in the memory. */
} Pair;

/* A function of address and cycle alone, so that both caches answer alike; refuses for a while. */
static WwCacheResult decide(ScriptedCache *c, const WwMemReq *req, WwCycle now, uint32_t *sent)
{
    uint32_t x = ((uint32_t)(req->addr >> 5) * 40503u + (uint32_t)now + c->seed) * 2654435761u;
    uint32_t spell = ((uint32_t)now / 32 + c->seed) * 2654435761u;
    uint32_t pick = (x >> 16) % 8;
    *sent = 0;
    if (pick == 0 || (pick < 6 && (spell >> 16) % 4 == 0)) {
        return WW_CACHE_RESERVATION_FAIL;
    }
    if (!req->write) {
        if (pick < 3) {
            return WW_CACHE_HIT;
        }
        *sent = pick == 3 && c->pending.length != 0 ? 0 : WW_CACHE_SENT_READ;
        return *sent != 0 ? WW_CACHE_MISS : WW_CACHE_HIT_RESERVED;
    }
    if (c->facts.write == WW_WRITE_THROUGH) {
        *sent = WW_CACHE_SENT_WRITE;
    } else if (pick >= 3 && pick < 6 && c->facts.allocate == WW_ALLOCATE_FETCH) {
        *sent = WW_CACHE_SENT_WRITE_ALLOC;
    }
    return pick < 3 ? WW_CACHE_HIT : WW_CACHE_MISS;
}

static void outside_init(Outside *o, const Shape *s, uint32_t seed)
{
    memset(o, 0, sizeof *o);
    o->log = g_string_new(NULL);
    o->seed = seed;
    o->view.slots = 64;
    o->view.warp = o->warp;
    for (uint32_t w = 0; w < PLAIN_WARPS; w++) {
        o->kernel[w].stream = 100 + w;
        o->warp[w].kernel = &o->kernel[w];
    }
    o->cta = (WwCtaView){.sm = 1, .sms = 2, .padded = 64, .limit = 4};
    scripted_cache_open(&o->cache);
    o->cache.log = o->log;
    o->cache.seed = seed;
    o->cache.decide = decide;
    o->cache.facts.write = s->write;
    o->cache.facts.allocate = s->allocate;
    o->cache.facts.mshr_sectors = s->mshr_sectors;
    o->cache.data_cost = s->data_cost;
    o->cache.fill_cost = s->fill_cost;
}

static void outside_clear(Outside *o)
{
    scripted_cache_close(&o->cache);
    g_string_free(o->log, TRUE);
}

static WwHarness *real_new(Outside *o, const Shape *s)
{
    static const char *const hashes[] = {"linear", "xor", "ipoly"};
    g_autofree char *params =
        g_strdup_printf("smem_latency=%u mem_unit_ports=%u l1_banks=%u l1_latency=%u l1_hash=%s",
                        PLAIN_STAGES, s->ports, MAX(s->banks, 1u), s->latency, hashes[s->hash]);
    g_autofree char *out = g_strdup_printf("depth=%u", s->depth);
    WwHarness *h = ww_harness_new(test_registry(), "ldst_unit", params);
    ww_harness_channel(h, "in", "width=4");
    ww_harness_channel(h, "mem_out", out);
    ww_harness_channel(h, "mem_in", "depth=2");
    ww_harness_provide(h, "warps", &outside_warps, o);
    ww_harness_provide(h, "barriers", &outside_barriers, o);
    ww_harness_provide(h, "banks", &outside_banks, o);
    ww_harness_provide(h, "ctas", &outside_ctas, o);
    if (s->l1) {
        scripted_cache_provide(h, &o->cache);
    }
    ww_harness_start(h, NULL);
    return h;
}

static void pair_open(Pair *c, uint32_t seed, const Shape *s, bool no_sleep)
{
    c->shape = s;
    outside_init(&c->real, s, seed);
    outside_init(&c->plain_side, s, seed);
    c->h = real_new(&c->real, s);
    ww_machine_set_no_sleep(ww_harness_machine(c->h), no_sleep);
    c->plain = g_new0(Plain, 1);
    c->plain->self = &c->plain_side;
    c->plain->ports = s->ports;
    c->plain->depth = s->depth;
    c->plain->l1 = s->l1;
    c->plain->banks = s->banks;
    c->plain->latency = s->latency;
    c->plain->hash = s->hash;
    c->plain->resp = g_queue_new();
    c->plain->sent = g_queue_new();
    c->out_real = g_queue_new();
    c->out_plain = g_queue_new();
}

static void pair_close(Pair *c)
{
    ww_harness_free(c->h);
    g_queue_free(c->plain->resp);
    g_queue_free(c->plain->sent);
    g_queue_free(c->out_plain);
    g_queue_free(c->out_real);
    g_free(c->plain);
    outside_clear(&c->real);
    outside_clear(&c->plain_side);
}

static void give_inst(Pair *c, GRand *r, uint32_t *uid)
{
    for (int slot = 0; slot < 4; slot++) {
        if (c->plain->in[slot] == NULL && g_rand_int_range(r, 0, 8) == 0) {
            WwTestInst t = random_inst(r, ++*uid);
            c->plain->in[slot] = ww_test_inst(c->h, &t);
            g_assert_true(ww_harness_put(c->h, "in", slot, ww_token_of(ww_test_inst(c->h, &t))));
        }
    }
}

static void take_request(Pair *c, WwMemReq *real, WwMemReq *plain)
{
    g_assert_cmphex(real->addr, ==, plain->addr);
    g_assert_cmphex(real->lanes, ==, plain->lanes);
    g_assert_cmpuint(real->type, ==, plain->type);
    g_assert_true(real->write == plain->write && real->atomic == plain->atomic);
    g_queue_push_tail(c->out_real, real);
    g_queue_push_tail(c->out_plain, plain);
}

static void move_memory(Pair *c, GRand *r, bool busy)
{
    WwToken t;
    if (c->shape->l1 && c->real.cache.stuck == busy) {
        scripted_cache_stick(&c->real.cache, !busy);
        c->plain_side.cache.stuck = !busy;
    }
    if (busy && ww_harness_take(c->h, "mem_out", NULL, &t)) {
        const WwMemReq *real = ww_token_pointer(t);
        g_assert_cmpuint(real->stream, ==, 100u + real->warp);
        c->plain->out--;
        take_request(c, ww_token_pointer(t), g_queue_pop_head(c->plain->sent));
    }
    if (busy && c->real.cache.down.length != 0) {
        take_request(c, g_queue_pop_head(&c->real.cache.down),
                     g_queue_pop_head(&c->plain_side.cache.down));
    }
    guint n = g_queue_get_length(c->out_real);
    if (n != 0 && g_queue_get_length(c->plain->resp) < 2 && g_rand_int_range(r, 0, 4) != 0) {
        guint k = (guint)g_rand_int_range(r, 0, (gint32)MIN(n, 6));
        WwMemReq *real = g_queue_pop_nth(c->out_real, k);
        real->response = true;
        g_assert_true(ww_harness_put(c->h, "mem_in", 0, ww_token_of(real)));
        g_queue_push_tail(c->plain->resp, g_queue_pop_nth(c->out_plain, k));
    }
}

static void compare_tick(Pair *c)
{
    c->real.now = c->plain_side.now = ww_harness_now(c->h);
    ww_harness_step(c->h, 1);
    plain_tick(c->plain);
    g_assert_cmpstr(c->real.log->str, ==, c->plain_side.log->str);
    g_assert_cmpuint(ww_harness_count(c->h, "mem_out"), ==, c->plain->out);
    g_assert_cmpuint(c->real.cache.down.length, ==, c->plain_side.cache.down.length);
    g_string_truncate(c->real.log, 0);
    g_string_truncate(c->plain_side.log, 0);
}

static void compare_statistics(Pair *c)
{
    const Plain *p = c->plain;
    g_assert_cmpuint(ww_harness_stat(c->h, "n_stall_shd_mem", 0), ==, p->stalls);
    g_assert_cmpuint(ww_harness_stat(c->h, "n_shmem_bkconflict", 0), ==, p->conflicts);
    g_assert_cmpuint(ww_harness_stat(c->h, "n_l1cache_bkconflict", 0), ==, p->bank_conflicts);
    for (uint32_t i = 0; i < G_N_ELEMENTS(p->stall); i++) {
        g_assert_cmpuint(ww_harness_stat(c->h, "stall", i), ==, p->stall[i]);
    }
    g_assert_cmpuint(c->real.cache.cycles + c->real.cache.settled, ==, p->self->cache.cycles);
}

/* Bursts and pauses of instructions, a memory that stops and goes; then everything drains. */
static void run(uint32_t seed, const Shape *s, bool no_sleep)
{
    Pair c;
    uint32_t uid = 0;
    g_autoptr(GRand) r = g_rand_new_with_seed(seed);
    pair_open(&c, seed, s, no_sleep);
    for (uint32_t t = 0; t < TICKS; t++) {
        if ((t / 64 * 2654435761u >> 20) % 3 != 0) {
            give_inst(&c, r, &uid);
        }
        move_memory(&c, r, (t / 50 * 2654435761u >> 20) % 4 != 0);
        compare_tick(&c);
        if (t % 500 == 499) {
            compare_statistics(&c);
        }
    }
    for (uint32_t t = 0; t < 3000; t++) {
        move_memory(&c, r, true);
        compare_tick(&c);
    }
    compare_statistics(&c);
    g_assert_true(no_sleep || ww_harness_asleep(c.h));
    g_assert_cmpuint(uid, >, 400);
    g_assert_cmpuint(ww_harness_stat(c.h, "n_insn", 0), ==, uid);
    if (s->l1) {
        g_assert_cmpuint(c.real.cache.accesses, >, 1000);
        g_assert_cmpuint(c.real.cache.refusals, >, 100);
        g_assert_cmpuint(c.real.cache.pending.length, ==, 0);
        g_assert_true((c.real.cache.released != 0) == (s->allocate == WW_ALLOCATE_FETCH));
        g_assert_true(s->latency == 0 || ww_harness_stat(c.h, "n_l1cache_bkconflict", 0) > 10);
    }
    pair_close(&c);
}

static void run_all(const Shape *shape, uint32_t n)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        for (uint32_t i = 0; i < n; i++) {
            run(seed, &shape[i], false);
            run(seed, &shape[i], true);
        }
    }
}

static void as_the_model(void)
{
    static const Shape shapes[] = {{.ports = 1, .depth = 8},
                                   {.ports = 1, .depth = 1},
                                   {.ports = 2, .depth = 3},
                                   {.ports = 3, .depth = 2}};
    run_all(shapes, G_N_ELEMENTS(shapes));
}

#define L1(ports_, banks_, latency_, hash_, write_, allocate_, ...)                                \
    {                                                                                              \
        .ports = ports_, .depth = 8, .l1 = true, .banks = banks_, .latency = latency_,             \
        .hash = hash_, .write = write_, .allocate = allocate_, __VA_ARGS__                         \
    }

static void as_the_model_with_l1(void)
{
    static const Shape shapes[] = {
        L1(1, 4, 5, WW_HASH_LINEAR, WW_WRITE_THROUGH, WW_ALLOCATE_LAZY, .fill_cost = 1),
        L1(1, 2, 1, WW_HASH_XOR, WW_WRITE_BACK, WW_ALLOCATE_LAZY, .fill_cost = 3),
        L1(1, 1, 3, WW_HASH_LINEAR, WW_WRITE_BACK, WW_ALLOCATE_FETCH, .mshr_sectors = 4),
        L1(2, 4, 3, WW_HASH_LINEAR, WW_WRITE_THROUGH, WW_ALLOCATE_NONE, .data_cost = 2),
        L1(1, 16, 8, WW_HASH_IPOLY, WW_WRITE_BACK, WW_ALLOCATE_LAZY, .mshr_sectors = 4),
    };
    run_all(shapes, G_N_ELEMENTS(shapes));
}

static void as_the_model_without_latency(void)
{
    static const Shape shapes[] = {
        L1(1, 4, 0, WW_HASH_LINEAR, WW_WRITE_THROUGH, WW_ALLOCATE_LAZY, .data_cost = 3),
        L1(2, 1, 0, WW_HASH_LINEAR, WW_WRITE_BACK, WW_ALLOCATE_LAZY, .fill_cost = 2),
        L1(1, 1, 0, WW_HASH_LINEAR, WW_WRITE_BACK, WW_ALLOCATE_FETCH, .data_cost = 1),
    };
    run_all(shapes, G_N_ELEMENTS(shapes));
}

void register_model_tests(void)
{
    g_test_add_func("/memory/ldst/as_the_model", as_the_model);
    g_test_add_func("/memory/ldst/as_the_model_with_l1", as_the_model_with_l1);
    g_test_add_func("/memory/ldst/as_the_model_without_latency", as_the_model_without_latency);
}
