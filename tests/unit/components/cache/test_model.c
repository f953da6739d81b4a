/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The component against the slow cache of model.h: random configurations of all policies, the same
 * accesses, answers, cycles, invalidations and resizings to both. Everything that can be seen must
 * agree, step by step, also when cycles are slept through.
 */
#include "model.h"
#include "tests.h"
#include <string.h>

enum { CONFIGS = 250, STEPS = 3000, DEPTH = 2 };

typedef struct Pair {
    Rig *r;
    Model *m;
    ModelConfig k;
    GRand *random;
    GHashTable *twin; /* WwMemReq -> ModelReq */
    GPtrArray *below; /* WwMemReq: left the cache, reads not answered yet */
    GPtrArray *users; /* ModelReq of the user */
    GPtrArray *lower; /* ModelReq in `lower` */
    uint32_t ways;    /* As last set. */
    uint32_t ids;
    uint32_t lines; /* different addresses */
} Pair;

static uint32_t pick(Pair *p, uint32_t n)
{
    return (uint32_t)g_rand_int_range(p->random, 0, (gint32)n);
}

static uint32_t one_of(GRand *random, const uint32_t *list, uint32_t n)
{
    return list[g_rand_int_range(random, 0, (gint32)n)];
}
#define ONE_OF(random, ...)                                                                        \
    one_of(random, (const uint32_t[]){__VA_ARGS__}, sizeof((const uint32_t[]){__VA_ARGS__}) / 4)

static ModelConfig draw(GRand *g)
{
    ModelConfig k = {
        .sector = ONE_OF(g, 1, 1, 1, 0) != 0,
        .second = ONE_OF(g, 0, 1) != 0,
        .sets = ONE_OF(g, 1, 2, 4, 8),
        .ways = ONE_OF(g, 1, 2, 3, 4, 7, 17),
        .repl = ONE_OF(g, M_LRU, M_LRU, M_FIFO),
        .alloc = ONE_OF(g, M_MISS, M_MISS, M_MISS, M_FILL, M_STREAMING),
        .index = ONE_OF(g, 0, 1),
        .entries = ONE_OF(g, 1, 2, 5, 32),
        .merge = ONE_OF(g, 1, 2, 8),
        .queue = ONE_OF(g, 3, 4, 8, 16),
        .ratio = ONE_OF(g, 0, 0, 25, 50, 100),
    };
    k.line = k.sector ? 128 : ONE_OF(g, 32, 64, 128);
    k.width = ONE_OF(g, 32, k.line);
    k.max_ways = k.ways * ONE_OF(g, 1, 1, 2, 4);
    k.write = k.alloc == M_MISS ? ONE_OF(g, 0, 1, 1, 2, 2, 3, 4) : ONE_OF(g, 0, 2, 3, 4);
    k.walloc = k.alloc == M_MISS ? ONE_OF(g, 0, 1, 2, 3, 3, 3) : ONE_OF(g, 0, 1);
    k.sector_assoc = !k.sector && k.write == WW_WRITE_READ_ONLY && ONE_OF(g, 0, 1) != 0;
    if (k.second) {
        k.ratio = 0;
    }
    return k;
}

static char *params_of(const ModelConfig *k)
{
    static const char *const repl[] = {"lru", "fifo"}, *const alloc[] = {"miss", "fill",
                                                                         "streaming"};
    static const char *const write[] = {"read_only", "back", "through", "evict", "local_back"};
    static const char *const walloc[] = {"none", "naive", "fetch", "lazy"};
    static const char *const index[] = {"linear", "xor"}, *const mshr[] = {"assoc", "sector_assoc"};
    GString *s = g_string_new(NULL);
    g_string_printf(
        s,
        "sector=%s sets=%u line=%u ways=%u max_bytes=%u replacement=%s write=%s allocate=%s "
        "write_allocate=%s index=%s mshr=%s mshr_entries=%u mshr_merge=%u miss_queue=%u "
        "port_width=%u",
        k->sector ? "true" : "false", k->sets, k->line, k->ways, k->max_ways * k->sets * k->line,
        repl[k->repl], write[k->write], alloc[k->alloc], walloc[k->walloc], index[k->index],
        mshr[k->sector_assoc], k->entries, k->merge, k->queue, k->width);
    if (!k->second) {
        g_string_append_printf(s, " write_ratio=%u", k->ratio);
    }
    return g_string_free(s, false);
}

static Pair *pair_new(uint32_t seed)
{
    Pair *p = g_new0(Pair, 1);
    p->random = g_rand_new_with_seed(seed);
    p->k = draw(p->random);
    g_autofree char *params = params_of(&p->k);
    const char *type = p->k.second ? "cache.l2" : "cache.l1";
    const char *policy = p->k.repl == M_LRU && seed % 2 != 0 ? "replacement.lru" : NULL;
    g_test_message("seed %u: %s %s, policy %s", seed, type, params, policy != NULL ? policy : "-");
    p->r = rig_new_with(type, params, DEPTH, policy, NULL);
    p->m = model_new(&p->k);
    p->ways = p->k.ways;
    p->twin = g_hash_table_new(NULL, NULL);
    p->below = g_ptr_array_new();
    p->users = g_ptr_array_new_with_free_func(g_free);
    p->lower = g_ptr_array_new();
    p->lines = p->k.sets * p->k.max_ways * 3 / 2 + 2;
    ww_machine_set_no_sleep(ww_harness_machine(p->r->h), pick(p, 2) != 0);
    return p;
}

static void pair_free(Pair *p)
{
    rig_free(p->r);
    model_free(p->m);
    g_rand_free(p->random);
    g_hash_table_unref(p->twin);
    g_ptr_array_unref(p->below);
    g_ptr_array_unref(p->users);
    g_ptr_array_unref(p->lower);
    g_free(p);
}

/* ---- requests -------------------------------------------------------------------------------- */

static uint64_t partition_of(const Pair *p, uint64_t addr)
{
    return p->k.second ? addr / 2 / p->k.line * p->k.line | addr % p->k.line : addr;
}

/* Where the bytes of an access lie in its unit. */
static void draw_bytes(Pair *p, ModelReq *q, uint32_t atom)
{
    uint32_t n = pick(p, 3) == 0 ? atom : 1 + pick(p, atom);
    uint32_t first = pick(p, atom - n + 1) + (uint32_t)(q->addr / atom * atom % 128);
    for (uint32_t i = first; i < first + n; i++) {
        q->bytes[i] = true;
    }
}

static ModelReq *draw_request(Pair *p)
{
    uint32_t atom = p->m->atom;
    ModelReq *q = g_new0(ModelReq, 1);
    g_ptr_array_add(p->users, q);
    q->addr = 0x10000 + (uint64_t)pick(p, p->lines) * p->k.line + pick(p, p->k.line / atom) * atom;
    q->partition = partition_of(p, q->addr);
    q->size = pick(p, 4) == 0 ? atom / 2 : atom;
    q->sectors = p->k.sector ? 1u << (q->addr / 32 % 4) : 1u + pick(p, 15);
    q->write = p->k.write != WW_WRITE_READ_ONLY && pick(p, 5) < 2;
    q->atomic = !q->write && p->k.write == WW_WRITE_BACK && pick(p, 8) == 0;
    bool local = pick(p, 3) == 0 && !q->atomic;
    q->type = q->write ? (local ? WW_ACCESS_LOCAL_W : WW_ACCESS_GLOBAL_W)
                       : (local ? WW_ACCESS_LOCAL_R : WW_ACCESS_GLOBAL_R);
    q->id = ++p->ids;
    draw_bytes(p, q, atom);
    return q;
}

static WwMemReq *real_of(Pair *p, ModelReq *q)
{
    WwMemReq *req = ww_harness_alloc(p->r->h, sizeof *req);
    req->addr = q->addr;
    req->at.partition = q->partition;
    req->size = q->size;
    req->sectors = (uint8_t)q->sectors;
    req->write = q->write;
    req->atomic = q->atomic;
    req->type = (uint8_t)q->type;
    for (uint32_t i = 0; i < 128; i++) {
        req->bytes.w[i / 64] |= (uint64_t)q->bytes[i] << (i % 64);
    }
    g_hash_table_insert(p->twin, req, q);
    q->real = req;
    return req;
}

/* The same transaction on both sides, the cache's own ones by what they say. */
static void same_request(Pair *p, WwMemReq *req, ModelReq *q)
{
    g_assert_cmphex(req->addr, ==, q->addr);
    g_assert_cmpuint(req->size, ==, q->size);
    g_assert_cmpuint(req->type, ==, q->type);
    g_assert_cmphex(req->sectors, ==, q->sectors);
    g_assert_true(req->write == q->write);
    for (uint32_t i = 0; i < 128; i++) {
        g_assert_true((req->bytes.w[i / 64] >> (i % 64) & 1) == q->bytes[i]);
    }
    if (q->id != 0) {
        g_assert_true(q->real == req);
    } else {
        g_assert_true((req->original != NULL) == (q->original != NULL));
        g_assert_true(q->original == NULL || q->original->real == req->original);
        q->real = req;
        g_hash_table_insert(p->twin, req, q);
    }
}

/* ---- steps ----------------------------------------------------------------------------------- */

static void do_access(Pair *p)
{
    ModelReq *q = draw_request(p);
    WwMemReq *req = real_of(p, q);
    uint32_t sent;
    WwCacheResult want = model_access(p->m, q, (uint32_t)p->r->now, &sent);
    WwCacheResult got = p->r->c->access(p->r->self, req, p->r->now, &p->r->sent);
    g_assert_cmpint(got, ==, want);
    g_assert_cmphex(p->r->sent, ==, sent);
}

static void do_cycle(Pair *p)
{
    ModelReq *q = model_cycle(p->m, p->lower->len < DEPTH);
    if (q != NULL) {
        g_ptr_array_add(p->lower, q);
    }
    ww_harness_turn(p->r->h, "cache");
    g_assert_cmpuint(ww_harness_count(p->r->h, "lower"), ==, p->lower->len);
}

/* Below: takes a transaction; a slot freed wakes the step if it waited for it. */
static void do_take_below(Pair *p)
{
    WwToken token;
    if (!ww_harness_take(p->r->h, "lower", NULL, &token)) {
        return;
    }
    WwMemReq *req = ww_token_pointer(token);
    same_request(p, req, g_ptr_array_remove_index(p->lower, 0));
    if (ww_cache_awaits(p->r->c->facts(p->r->self), req) || p->k.sector_assoc) {
        g_ptr_array_add(p->below, req);
    } else {
        ww_mem_release(req);
    }
}

static void do_fill(Pair *p)
{
    if (p->below->len == 0) {
        return;
    }
    WwMemReq *req = g_ptr_array_index(p->below, pick(p, p->below->len)),
             part = {.addr = req->addr, .original = req};
    ModelReq *q = g_hash_table_lookup(p->twin, req);
    g_assert_true(model_waits(p->m, q));
    g_assert_true(ww_cache_awaits(p->r->c->facts(p->r->self), p->k.sector_assoc ? &part : req));
    model_fill(p->m, q, (uint32_t)p->r->now);
    p->r->c->fill(p->r->self, p->k.sector_assoc ? &part : req, p->r->now);
    if (!model_waits(p->m, q)) {
        g_assert_false(
            ww_cache_awaits(p->r->c->facts(p->r->self), p->k.sector_assoc ? &part : req));
        g_ptr_array_remove(p->below, req);
    }
}

static void do_take(Pair *p)
{
    if (!model_ready(p->m)) {
        return;
    }
    g_assert_nonnull(p->r->c->peek(p->r->self));
    ModelReq *q = model_take(p->m);
    const WwMemReq *peek = p->r->c->peek(p->r->self);
    WwMemReq *req = p->r->c->take(p->r->self);
    g_assert_true(peek == req);
    same_request(p, req, q);
    ww_mem_release(req);
}

static void do_rare(Pair *p)
{
    switch (pick(p, 6)) {
    case 0:
        model_invalidate(p->m);
        p->r->c->clear(p->r->self, WW_CACHE_ALL);
        break;
    case 1:
        model_flush(p->m);
        p->r->c->clear(p->r->self, WW_CACHE_DIRTY);
        break;
    case 2:
        if (p->k.max_ways != p->k.ways) {
            uint32_t ways = 1 + pick(p, p->k.max_ways);
            model_ways(p->m, ways);
            p->ways = ways;
            p->r->c->reshape(p->r->self, ways, p->m->on_fill);
        }
        break;
    case 3: {
        bool on_fill = pick(p, 2) != 0;
        p->m->on_fill = p->k.alloc == M_STREAMING ? on_fill : p->m->on_fill;
        p->r->c->reshape(p->r->self, p->ways, on_fill);
        break;
    }
    default: {
        uint32_t first = pick(p, p->k.line / 32), n = 1 + pick(p, p->k.line / 32 - first);
        uint64_t addr = 0x10000 + (uint64_t)pick(p, p->lines) * p->k.line + 32 * first;
        for (uint32_t i = 0; i < n; i++) {
            model_install(p->m, addr + 32 * i, partition_of(p, addr + 32 * i),
                          (uint32_t)p->r->now + i);
        }
        p->r->c->install(p->r->self, addr, partition_of(p, addr), n, p->r->now);
        break;
    }
    }
}

static void compare(Pair *p)
{
    g_assert_true((p->r->c->peek(p->r->self) != NULL) == model_ready(p->m));
    g_assert_true(p->r->c->port_free(p->r->self, WW_CACHE_DATA_PORT) == (p->m->data == 0));
    g_assert_true(p->r->c->port_free(p->r->self, WW_CACHE_FILL_PORT) == (p->m->fill == 0));
}

static void compare_statistics(Pair *p)
{
    for (uint32_t t = 0; t < WW_N_ACCESS_TYPES; t++) {
        for (uint32_t i = 0; i < WW_N_CACHE_RESULTS; i++) {
            g_assert_cmpuint(ww_harness_stat(p->r->h, "outcomes", t * WW_N_CACHE_RESULTS + i), ==,
                             p->m->outcome[t][i]);
        }
        for (uint32_t i = 0; i < M_N_FAILS; i++) {
            g_assert_cmpuint(ww_harness_stat(p->r->h, "fails", t * M_N_FAILS + i), ==,
                             p->m->fails[t][i]);
        }
    }
    g_assert_cmpuint(ww_harness_stat(p->r->h, "port_samples", 0), ==, p->m->samples);
    g_assert_cmpuint(ww_harness_stat(p->r->h, "data_port_busy", 0), ==, p->m->data_busy);
    g_assert_cmpuint(ww_harness_stat(p->r->h, "fill_port_busy", 0), ==, p->m->fill_busy);
}

static void run_pair(uint32_t seed)
{
    Pair *p = pair_new(seed);
    for (int i = 0; i < STEPS; i++) {
        p->r->now += pick(p, 3);
        switch (pick(p, 10)) {
        case 0:
        case 1:
        case 2:
        case 3:
            do_access(p);
            break;
        case 4:
        case 5:
            do_cycle(p);
            break;
        case 6:
            do_take_below(p);
            break;
        case 7:
            do_fill(p);
            break;
        case 8:
            do_take(p);
            break;
        default:
            if (pick(p, 20) == 0) {
                do_rare(p);
            }
            break;
        }
        compare(p);
    }
    compare_statistics(p);
    pair_free(p);
}

static void test_random(gconstpointer data)
{
    uint32_t first = GPOINTER_TO_UINT(data);
    for (uint32_t seed = first; seed < first + CONFIGS / 5; seed++) {
        run_pair(seed);
    }
}

void register_model_tests(void)
{
    for (uint32_t i = 0; i < 5; i++) {
        g_autofree char *path = g_strdup_printf("/cache/model/%u", i);
        g_test_add_data_func(path, GUINT_TO_POINTER(1000 * i + 1), test_random);
    }
}
