/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The unit against the plainest model of it: pipeline registers that are copied from stage to
 * stage, counters per register, everything looked at in every cycle. Random instructions, random
 * refusals of banks, a random memory; every call to the outside and every request must agree,
 * cycle by cycle, with sleep and without, and all statistics in the end.
 */
#include "tests.h"

#include "components/memory/ldst-priv.h"
#include "components/memory/types.h"
#include <string.h>

#define STAGES 6u
#define TICKS 6000u
#define WARPS 4u

/* ---- the outside, as both see it ----------------------------------------------------------- */

typedef struct Outside {
    GString *log;
    WwCycle now;
    uint32_t seed;
    WwWarpView view;
    WwCtaView cta;
    WwBarrierView barriers;
    WwHazardView hazard;
} Outside;

#define LOG(...) g_string_append_printf(((Outside *)self)->log, __VA_ARGS__)

static const WwWarpView *warps_view(void *self)
{
    return &((Outside *)self)->view;
}
static void warps_leave(void *self, uint32_t warp)
{
    LOG("leave %u; ", warp);
}
static void warps_complete(void *self, const WwInst *inst)
{
    LOG("complete %u; ", (unsigned)inst->uid);
}
static void warps_release(void *self, WwInst *inst)
{
    LOG("free %u; ", (unsigned)inst->uid);
}
static void warps_stores(void *self, uint32_t warp, int32_t delta)
{
    LOG("stores %u %d; ", warp, delta);
}
static void warps_atomics(void *self, uint32_t warp, int32_t delta)
{
    LOG("atomics %u %d; ", warp, delta);
}
static const WwWarpsIf warps_if = {.view = warps_view,
                                   .leave = warps_leave,
                                   .complete = warps_complete,
                                   .release = warps_release,
                                   .stores = warps_stores,
                                   .atomics = warps_atomics};

static void hazard_release(void *self, uint32_t warp, uint32_t reg)
{
    LOG("release %u R%u; ", warp, reg);
}
static void hazard_release_all(void *self, const WwInst *inst)
{
    LOG("release all %u; ", (unsigned)inst->uid);
}
static const WwScoreboardIf hazard_if = {.release = hazard_release,
                                         .release_all = hazard_release_all};

static void async_done(void *self, uint32_t warp, uint64_t pc, uint64_t addr)
{
    LOG("copied %u %x %x; ", warp, (unsigned)pc, (unsigned)addr);
}
static const WwBarriersIf barriers_if = {.async_done = async_done};

/* Refuses a third of the cycles, as a function of the cycle alone. */
static bool banks_write(void *self, WwInst *inst)
{
    Outside *o = self;
    uint32_t x = ((uint32_t)o->now + o->seed) * 2654435761u;
    LOG("bank %u; ", (unsigned)inst->uid);
    return (x >> 16) % 3 != 0;
}
static const WwRegisterBanksIf banks_if = {.write = banks_write};

static const WwCtaView *ctas_view(void *self)
{
    return &((Outside *)self)->cta;
}
static const WwCtasIf ctas_if = {.view = ctas_view};

/* ---- the plain unit ------------------------------------------------------------------------ */

typedef struct Req {
    WwInst *inst;
    uint64_t addr, pc, addr0;
    uint32_t lanes, warp;
    bool write, atomic, ldgsts;
} Req;

typedef struct Key {
    uint32_t warp;
    uint64_t pc, addr;
    uint32_t n;
} Key;

typedef struct Plain {
    Outside *self;
    uint32_t ports;
    WwInst *in[4];
    WwInst *d;
    LdstAccess access[COALESCE_MAX];
    uint64_t addr[32];
    uint32_t n;
    WwInst *stage[STAGES];
    WwInst *wb;
    Req wb_req;
    bool wb_shared, have_global;
    Req global;
    GQueue *resp; /* Req, at most 2 */
    uint32_t arb, out, depth;
    GQueue *sent; /* Req, in order of mem_out */
    uint32_t pend[WARPS][64];
    uint32_t left[100000]; /* by uid: accesses of a load not yet written back */
    Key key[128];
    uint32_t n_keys;
    /* statistics */
    uint64_t stall[LDST_N_KINDS * LDST_N_STALLS], stalls, conflicts;
} Plain;

static Key *key_of(Plain *p, uint32_t warp, uint64_t pc, uint64_t addr)
{
    for (uint32_t i = 0; i < p->n_keys; i++) {
        if (p->key[i].warp == warp && p->key[i].pc == pc && p->key[i].addr == addr) {
            return &p->key[i];
        }
    }
    g_assert_cmpuint(p->n_keys, <, G_N_ELEMENTS(p->key));
    p->key[p->n_keys] = (Key){warp, pc, addr, 0};
    return &p->key[p->n_keys++];
}

static bool is_copy(const WwInst *i)
{
    return (i->s->flags & WW_INST_LDGSTS) != 0;
}

static void plain_write_back(Plain *p)
{
    void *self = p->self;
    if (p->wb != NULL && (p->wb->s->dst == 0 || banks_write(self, p->wb))) {
        uint32_t dst = p->wb->s->dst, warp = p->wb->warp;
        if (p->wb_shared) {
            if (dst != 0) {
                hazard_release(self, warp, dst);
                warps_complete(self, p->wb);
            }
            warps_release(self, p->wb);
        } else {
            p->left[p->wb->uid]--;
            if (dst != 0 && --p->pend[warp][dst] == 0) {
                hazard_release(self, warp, dst);
                warps_complete(self, p->wb);
            }
            if (dst == 0 && is_copy(p->wb)) {
                Key *k = key_of(p, warp, p->wb_req.pc, p->wb_req.addr0);
                if (--k->n == 0) {
                    async_done(self, warp, k->pc, k->addr);
                }
            }
            if (p->left[p->wb->uid] == 0) {
                warps_release(self, p->wb);
            }
        }
        p->wb = NULL;
    }
    for (uint32_t c = 0; c < 5 && p->wb == NULL; c++) {
        uint32_t client = (p->arb + c) % 5;
        if (client == 0 && p->stage[0] != NULL) {
            p->wb = p->stage[0];
            p->wb_shared = true;
            if (p->wb->s->flags & WW_INST_ATOMIC) {
                warps_atomics(self, p->wb->warp, -(int32_t)ww_inst_lanes(p->wb));
            }
            warps_leave(self, p->wb->warp);
            p->stage[0] = NULL;
        } else if (client == 3 && p->have_global) {
            p->wb_req = p->global;
            p->wb = p->global.inst;
            p->wb_shared = false;
            if (p->global.atomic) {
                warps_atomics(self, p->global.warp, -__builtin_popcount(p->global.lanes));
            }
            p->have_global = false;
        } else {
            continue;
        }
        p->arb = (client + 1) % 5;
        break;
    }
}

static void plain_stall(Plain *p, LdstKind kind, LdstStall stall)
{
    p->stalls++;
    p->stall[kind * LDST_N_STALLS + stall]++;
}

static bool plain_memory(Plain *p)
{
    void *self = p->self;
    static const LdstKind kinds[2][2] = {{LDST_G_LD, LDST_G_ST}, {LDST_L_LD, LDST_L_ST}};
    LdstKind kind = kinds[p->d->space == WW_SPACE_LOCAL][ww_inst_is_store(p->d)];
    if (p->n == 0) {
        return true;
    }
    if (p->out == p->depth) {
        plain_stall(p, kind, LDST_STALL_ICNT);
        return false;
    }
    const LdstAccess *a = &p->access[--p->n];
    Req *q = g_new0(Req, 1);
    *q = (Req){p->d,
               a->addr,
               p->d->s->pc,
               p->addr[0],
               a->lanes,
               p->d->warp,
               ww_inst_is_store(p->d),
               (p->d->s->flags & WW_INST_ATOMIC) != 0,
               is_copy(p->d)};
    if (q->write) {
        warps_stores(self, q->warp, 1);
    }
    g_queue_push_tail(p->sent, q);
    p->out++;
    if (p->n != 0) {
        plain_stall(p, kind, LDST_STALL_COALESCING);
        return false;
    }
    return true;
}

static void plain_retire(Plain *p)
{
    void *self = p->self;
    WwInst *i = p->d;
    if (ww_inst_is_load(i) && i->space == WW_SPACE_SHARED) {
        if (p->stage[STAGES - 1] == NULL) {
            p->stage[STAGES - 1] = i;
            p->d = NULL;
        }
        return;
    }
    p->d = NULL;
    if (!ww_inst_is_load(i)) {
        warps_leave(self, i->warp);
        warps_complete(self, i);
        warps_release(self, i);
        return;
    }
    if (i->s->dst == 0 || p->pend[i->warp][i->s->dst] == 0) {
        warps_complete(self, i);
        if (i->s->dst != 0) {
            hazard_release_all(self, i);
        }
        if (is_copy(i) && key_of(p, i->warp, i->s->pc, p->addr[0])->n == 0) {
            async_done(self, i->warp, i->s->pc, p->addr[0]);
        }
    }
    warps_leave(self, i->warp);
    if (p->left[i->uid] == 0) {
        warps_release(self, i);
    }
}

static void plain_cycle(Plain *p)
{
    plain_write_back(p);
    for (uint32_t s = 0; s + 1 < STAGES; s++) {
        if (p->stage[s] == NULL) {
            p->stage[s] = p->stage[s + 1];
            p->stage[s + 1] = NULL;
        }
    }
    Req *q = g_queue_peek_head(p->resp);
    if (q != NULL && (q->write || !p->have_global)) {
        if (q->write) {
            warps_stores(p->self, q->warp, -1);
        } else {
            p->have_global = true;
            p->global = *q;
        }
        g_free(g_queue_pop_head(p->resp));
    }
    if (p->d == NULL) {
        return;
    }
    if (p->d->space == WW_SPACE_SHARED && p->d->mask != 0) {
        if (p->d->cycles > 0) {
            p->d->cycles--;
        }
        if (p->d->cycles > 0) {
            p->conflicts++;
            plain_stall(p, LDST_S_MEM, LDST_STALL_BANK);
            return;
        }
    } else if (!plain_memory(p)) {
        return;
    }
    plain_retire(p);
}

static void plain_accept(Plain *p)
{
    int best = -1;
    for (int k = 0; k < 4; k++) {
        if (p->in[k] != NULL && (best < 0 || p->in[k]->uid < p->in[best]->uid)) {
            best = k;
        }
    }
    if (best < 0) {
        return;
    }
    WwInst *i = p->d = p->in[best];
    p->in[best] = NULL;
    p->n = 0;
    ww_addr_expand(i->addr, i->mask, p->addr);
    if (i->mask != 0 && i->space == WW_SPACE_SHARED) {
        SmemRule r = {32, 1, false};
        i->cycles = (uint16_t)smem_cost(&r, p->addr, i->mask);
    } else if (i->mask != 0 && i->space == WW_SPACE_GLOBAL) {
        CoalesceLanes l = {p->addr, 1, i->mask, i->s->width};
        p->n = i->s->flags & WW_INST_ATOMIC ? coalesce_atomic(&l, 1, 32, p->access)
                                            : coalesce_plain(&l, 1, 32, p->access);
    }
    if (ww_inst_is_load(i) && i->space != WW_SPACE_SHARED) {
        p->left[i->uid] = p->n;
        if (i->s->dst != 0) {
            p->pend[i->warp][i->s->dst] += p->n;
        }
        if (is_copy(i)) {
            key_of(p, i->warp, i->s->pc, p->addr[0])->n += p->n;
        }
    }
}

static void plain_tick(Plain *p)
{
    for (uint32_t k = 0; k < p->ports; k++) {
        plain_cycle(p);
    }
    if (p->d == NULL) {
        plain_accept(p);
    }
}

/* ---- random traffic ------------------------------------------------------------------------ */

/* An instruction; registers are not reused while a load to them is out, as a scoreboard sees to. */
static WwTestInst random_inst(GRand *r, uint32_t uid)
{
    WwTestInst t = {.uid = uid,
                    .warp = (uint16_t)g_rand_int_range(r, 0, WARPS),
                    .pc = 16u * (uid % 8),
                    .base = 0x1000000u + 4u * (uint32_t)g_rand_int_range(r, 0, 64),
                    .stride = 4 * g_rand_int_range(r, 0, 5),
                    .dst = (uint16_t)(1 + uid % 63)};
    if (g_rand_int_range(r, 0, 3) == 0) {
        t.mask = g_rand_int(r) & g_rand_int(r);
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

typedef struct Pair {
    WwHarness *h;
    Outside real, plain_side;
    Plain *plain;
    GQueue *out_real, *out_plain; /* Requests under way in the memory: real handles, Req. */
} Pair;

static void outside_init(Outside *o, uint32_t seed)
{
    memset(o, 0, sizeof *o);
    o->log = g_string_new(NULL);
    o->seed = seed;
    o->view.slots = 64;
    o->cta = (WwCtaView){.sm = 1, .sms = 2, .padded = 64, .limit = 4};
}

static void pair_open(Pair *c, uint32_t seed, uint32_t ports, uint32_t depth, bool no_sleep)
{
    g_autofree char *params = g_strdup_printf("smem_latency=%u mem_unit_ports=%u", STAGES, ports);
    g_autofree char *out = g_strdup_printf("depth=%u", depth);
    outside_init(&c->real, seed);
    outside_init(&c->plain_side, seed);
    c->h = ww_harness_new(test_registry(), "ldst_unit", params);
    ww_harness_channel(c->h, "in", "width=4");
    ww_harness_channel(c->h, "mem_out", out);
    ww_harness_channel(c->h, "mem_in", "depth=2");
    ww_harness_provide(c->h, "warps", &warps_if, &c->real);
    ww_harness_provide(c->h, "hazard", &hazard_if, &c->real);
    ww_harness_provide(c->h, "barriers", &barriers_if, &c->real);
    ww_harness_provide(c->h, "banks", &banks_if, &c->real);
    ww_harness_provide(c->h, "ctas", &ctas_if, &c->real);
    ww_harness_start(c->h, NULL);
    ww_machine_set_no_sleep(ww_harness_machine(c->h), no_sleep);
    c->plain = g_new0(Plain, 1);
    c->plain->self = &c->plain_side;
    c->plain->ports = ports;
    c->plain->depth = depth;
    c->plain->resp = g_queue_new();
    c->plain->sent = g_queue_new();
    c->out_real = g_queue_new();
    c->out_plain = g_queue_new();
}

static void pair_close(Pair *c)
{
    ww_harness_free(c->h);
    g_queue_free_full(c->plain->resp, g_free);
    g_queue_free_full(c->plain->sent, g_free);
    g_queue_free_full(c->out_plain, g_free);
    g_queue_free(c->out_real);
    g_free(c->plain);
    g_string_free(c->real.log, TRUE);
    g_string_free(c->plain_side.log, TRUE);
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

static void move_memory(Pair *c, GRand *r, bool busy)
{
    WwToken t;
    if (busy && ww_harness_take(c->h, "mem_out", NULL, &t)) {
        WwMemReq *real = ww_token_pointer(t);
        Req *plain = g_queue_pop_head(c->plain->sent);
        c->plain->out--;
        g_assert_cmphex(real->addr, ==, plain->addr);
        g_assert_cmphex(real->lanes, ==, plain->lanes);
        g_assert_true(real->write == plain->write && real->atomic == plain->atomic);
        g_queue_push_tail(c->out_real, real);
        g_queue_push_tail(c->out_plain, plain);
    }
    guint n = g_queue_get_length(c->out_real);
    if (n != 0 && g_queue_get_length(c->plain->resp) < 2 && g_rand_boolean(r)) {
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
    g_string_truncate(c->real.log, 0);
    g_string_truncate(c->plain_side.log, 0);
}

static void compare_statistics(Pair *c)
{
    g_assert_cmpuint(ww_harness_stat(c->h, "n_stall_shd_mem", 0), ==, c->plain->stalls);
    g_assert_cmpuint(ww_harness_stat(c->h, "n_shmem_bkconflict", 0), ==, c->plain->conflicts);
    for (uint32_t i = 0; i < G_N_ELEMENTS(c->plain->stall); i++) {
        g_assert_cmpuint(ww_harness_stat(c->h, "stall", i), ==, c->plain->stall[i]);
    }
}

/* Bursts and pauses of instructions, a memory that stops and goes; then everything drains. */
static void run(uint32_t seed, uint32_t ports, uint32_t depth, bool no_sleep)
{
    Pair c;
    uint32_t uid = 0;
    g_autoptr(GRand) r = g_rand_new_with_seed(seed);
    pair_open(&c, seed, ports, depth, no_sleep);
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
    g_assert_cmpuint(uid, >, 500);
    g_assert_cmpuint(ww_harness_stat(c.h, "n_insn", 0), ==, uid);
    pair_close(&c);
}

static void as_the_model(void)
{
    for (uint32_t seed = 1; seed <= 4; seed++) {
        run(seed, 1, 8, false);
        run(seed, 1, 1, false);
        run(seed, 2, 3, false);
        run(seed, 1, 8, true);
        run(seed, 3, 2, true);
    }
}

void register_model_tests(void)
{
    g_test_add_func("/memory/ldst/as_the_model", as_the_model);
}
