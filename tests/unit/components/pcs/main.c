/* SPDX-License-Identifier: Apache-2.0 */
/* Figures of instructions: at which one the cycles of a warp count, what of a ready one's are the unit's, what stays when a kernel has gone. */
#include <string.h>
#include <testing/fake_warps.h>
#include <tests/support/machine.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

#include <ports/pcs_book.h>
#include <ports/pcs_rows.h>

static const WwRegistry *registry;

enum { K = 3 }; /* static instructions */

typedef struct Rig {
    WwHarness *h;
    WwFakeWarps *warps;
    const WwPcsIf *f;
    void *self;
    WwSinst s[K];
    const WwSinst *table[K];
    WwKernel kernel;
    WwTinst trace[K];
    WwPcCounts n[K]; /* what was taken */
    uint32_t rows;
} Rig;

static void rig_init(Rig *r)
{
    memset(r, 0, sizeof *r);
    r->h = ww_harness_new(registry, "pcs", "");
    g_assert_true(ww_harness_start(r->h, NULL));
    r->warps = ww_harness_peer(r->h, "warps");
    r->warps->view.schedulers = 2; /* nobody is bound for them */
    r->f = ww_harness_table(r->h, "pcs", &r->self);
    for (uint32_t i = 0; i < K; i++) {
        r->s[i] = (WwSinst){.opcode = "IADD3", .pc = 0x10 * i, .id = i};
        r->table[i] = &r->s[i];
        r->trace[i].sinst = i;
    }
    r->kernel = (WwKernel){.name = "k", .file = "k", .uid = 1, .sinst = r->table};
}

static WwCycle now(const Rig *r)
{
    return ww_harness_now(r->h);
}

/* Instruction 0 is the first of @p warp's trace. */
static void launch(Rig *r, uint32_t warp)
{
    WwWarp *w = &r->warps->warp[warp];
    w->kernel = &r->kernel;
    w->trace = r->trace;
    w->n_trace = K;
    w->cursor = 0;
    r->warps->view.resident |= 1ull << warp;
    r->f->launched(r->self, warp);
}

static void retire(Rig *r, uint32_t warp)
{
    r->warps->view.resident &= ~(1ull << warp);
    r->f->retired(r->self, warp);
}

/* The next of its trace, which then goes on. */
static void issue(Rig *r, uint32_t warp, WwStall next)
{
    WwWarp *w = &r->warps->warp[warp];
    WwInst inst = {.s = &r->s[w->cursor++], .warp = (uint16_t)warp, .mask = 0xfu};
    r->f->issued(r->self, 0, &inst, true);
    r->f->enter(r->self, 1ull << warp, next, now(r) + 1);
}

static bool add(void *user, WwPcsRow *row)
{
    Rig *r = user;
    if (row->kernel != 1) {
        return false;
    }
    g_assert_cmpuint(row->pc, ==, r->s[row->id].pc);
    r->rows++;
    ww_pcs_add_row(&r->n[row->id], row);
    ww_pcs_clear(row);
    return true;
}

static void take(Rig *r)
{
    memset(r->n, 0, sizeof r->n);
    r->rows = 0;
    ww_machine_settle(ww_harness_machine(r->h));
    r->f->take(r->self, add, r);
}

/* A cycle counts for the instruction that the warp is to issue; at a barrier and at its end, for the one it has issued. */
static void places(void)
{
    Rig r;
    rig_init(&r);
    launch(&r, 0); /* in cycle 0: resident from cycle 1 on */
    ww_harness_step(r.h, 3);
    r.f->enter(r.self, 1, WW_STALL_LONG, 3);
    ww_harness_step(r.h, 4);
    issue(&r, 0, WW_STALL_FETCH); /* cycle 7 */
    ww_harness_step(r.h, 2);
    issue(&r, 0, WW_STALL_SHORT); /* cycle 9, and in 10 it is at the barrier after all */
    ww_harness_step(r.h, 1);
    r.f->enter(r.self, 1, WW_STALL_BARRIER, 10);
    ww_harness_step(r.h, 5);
    r.f->enter(r.self, 1, WW_STALL_SHORT, 15);
    ww_harness_step(r.h, 5);
    retire(&r, 0); /* cycle 20 is its last */
    ww_harness_step(r.h, 5);
    take(&r);
    g_assert_cmpuint(r.n[0].states[WW_STALL_FETCH], ==, 2);
    g_assert_cmpuint(r.n[0].states[WW_STALL_LONG], ==, 4);
    g_assert_cmpuint(r.n[0].states[WW_STATE_SELECTED], ==, 1);
    g_assert_cmpuint(r.n[0].issues, ==, 1);
    g_assert_cmpuint(r.n[0].lanes, ==, 4);
    g_assert_cmpuint(r.n[1].states[WW_STALL_FETCH], ==, 1);
    g_assert_cmpuint(r.n[1].states[WW_STATE_SELECTED], ==, 1);
    g_assert_cmpuint(r.n[1].states[WW_STALL_BARRIER], ==, 5);
    g_assert_cmpuint(r.n[2].states[WW_STALL_SHORT], ==, 6);
    g_assert_cmpuint(ww_harness_stat(r.h, "resident", 0), ==, 20);
    ww_harness_free(r.h);
}

/*
 * While nothing issues a ready warp waits for its unit; while another one issues it is not selected, but where its port is full all the
 * same; and while nothing issues and the port has room, the policy leaves it out.
 */
static void ready(void)
{
    Rig r;
    rig_init(&r);
    launch(&r, 0);
    launch(&r, 1);
    WwPcsBook *b = r.f->book(r.self);
    ww_harness_step(r.h, 1);
    r.f->ready(r.self, 0, 0, WW_STATE_READY, 1);
    r.f->ready(r.self, 0, 1, WW_STATE_READY + 1, 1);
    ww_harness_step(r.h, 4); /* 1 to 4: nothing issues, all ports are full */
    issue(&r, 1, WW_STALL_SHORT);
    ww_harness_step(r.h, 1);
    b->warp[0].others++;
    issue(&r, 1, WW_STALL_SHORT);
    ww_harness_step(r.h, 3); /* 7 to 8: nothing issues, and in 7 the port is full again */
    ww_pcs_left_out(b, 1, 1);
    issue(&r, 0, WW_STALL_SHORT); /* cycle 9 */
    take(&r);
    g_assert_cmpuint(r.n[0].states[WW_STALL_UNIT], ==, 4 + 1 + 1);
    g_assert_cmpuint(r.n[0].states[WW_STALL_UNIT + 1], ==, 4);
    g_assert_cmpuint(r.n[0].states[WW_STATE_NOT_SELECTED], ==, 1);
    g_assert_cmpuint(r.n[0].states[WW_STALL_POLICY], ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "not_selected", 0), ==, 1);
    g_assert_cmpuint(ww_harness_stat(r.h, "not_selected", 1), ==, 0);
    ww_harness_free(r.h);
}

/* Slots go to where the warp stood that was blamed; also those of a row of which all has been taken. */
static void slots(void)
{
    Rig r;
    rig_init(&r);
    launch(&r, 0);
    ww_harness_step(r.h, 1);
    WwPcsScheduler *k = &r.f->book(r.self)->scheduler[1];
    ++*k->lost; /* of no instruction */
    k->lost = &r.f->place(r.self, 0)->slots[WW_STALL_FETCH];
    *k->lost += 3;
    issue(&r, 0, WW_STALL_SHORT);
    *k->lost += 2;
    take(&r);
    g_assert_cmpuint(r.rows, ==, 1);
    g_assert_cmpuint(r.n[0].slots[WW_STALL_FETCH], ==, 5);
    g_assert_cmpuint(r.n[0].slots[WW_SLOT_ISSUED], ==, 1);
    retire(&r, 0);
    take(&r);
    launch(&r, 1);
    WwInst inst = {.s = &r.s[1], .warp = 1, .mask = 1};
    r.f->accesses(r.self, &inst, 1, 0);
    ++*k->lost;
    take(&r);
    g_assert_cmpuint(r.n[0].slots[WW_STALL_FETCH], ==, 1);
    g_assert_cmpuint(r.n[1].slots[WW_STALL_FETCH], ==, 0);
    g_assert_cmpuint(r.n[1].transactions, ==, 1);
    ww_harness_free(r.h);
}

/* Slots that are lost to a warp that fetches go to what it fetched; what is lost later, to the next. */
static void fetching(void)
{
    Rig r;
    rig_init(&r);
    launch(&r, 0);
    WwPcsBook *b = r.f->book(r.self);
    WwPcsScheduler *k = &b->scheduler[1];
    ww_harness_step(r.h, 4);
    k->lost = &b->warp[0].lost;
    *k->lost += 3;
    issue(&r, 0, WW_STALL_FETCH); /* cycle 4 */
    ww_harness_step(r.h, 3);
    *k->lost += 2;
    issue(&r, 0, WW_STALL_SHORT); /* cycle 7 */
    take(&r);
    g_assert_cmpuint(r.n[0].slots[WW_STALL_FETCH], ==, 3);
    g_assert_cmpuint(r.n[1].slots[WW_STALL_FETCH], ==, 2);
    g_assert_cmpuint(r.n[0].states[WW_STALL_FETCH], ==, 3);
    g_assert_cmpuint(r.n[1].states[WW_STALL_FETCH], ==, 2);
    ww_harness_free(r.h);
}

/* Instructions whose numbers lie a table apart are told from each other, and stay so when it grows. */
static void far_apart(void)
{
    enum { MANY = 600 };
    Rig r;
    rig_init(&r);
    WwSinst *s = g_new0(WwSinst, MANY);
    const WwSinst **table = g_new0(const WwSinst *, MANY);
    WwPcsRow **row = g_new0(WwPcsRow *, MANY);
    for (uint32_t i = 0; i < MANY; i++) {
        s[i] = (WwSinst){.opcode = "IADD3", .pc = 16 * i, .id = i};
        table[i] = &s[i];
    }
    r.kernel.sinst = table;
    launch(&r, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        uint32_t id = i * 128 % MANY + i / 75; /* some behind one another from the start */
        if (row[id] == NULL) {
            row[id] = r.f->meet(r.self, 0, id);
        }
    }
    for (uint32_t id = 0; id < MANY; id++) {
        WwPcsRow *now = r.f->meet(r.self, 0, id);
        g_assert_true(row[id] == NULL || row[id] == now);
        g_assert_cmpuint(now->id, ==, id);
        g_assert_cmpuint(now->pc, ==, 16 * id);
    }
    ww_harness_free(r.h);
    g_free(s);
    g_free((void *)table);
    g_free((void *)row);
}

/* What is answered when its kernel has gone counts for it all the same; then its place is another's. */
static void late(void)
{
    Rig r;
    rig_init(&r);
    WwInst inst = {.s = &r.s[0], .mask = 1};
    launch(&r, 0);
    uint32_t number = r.f->accesses(r.self, &inst, 2, 5);
    r.f->l1(r.self, number, true);
    r.f->l2(r.self, number, false);
    r.f->done(r.self, number, 30);
    retire(&r, 0);
    take(&r);
    g_assert_cmpuint(r.n[0].transactions, ==, 2);
    g_assert_cmpuint(r.n[0].bank_conflicts, ==, 5);
    g_assert_cmpuint(r.n[0].requests, ==, 1);
    g_assert_cmpuint(r.n[0].l1_hits, ==, 1);
    g_assert_cmpuint(r.n[0].l2_accesses, ==, 1);
    g_assert_cmpuint(r.n[0].l2_hits, ==, 0);
    take(&r);
    g_assert_cmpuint(r.rows, ==, 0);
    launch(&r, 1); /* again: its first is met anew, in another place */
    inst.warp = 1;
    uint32_t other = r.f->accesses(r.self, &inst, 0, 0);
    g_assert_cmpuint(other, !=, number);
    retire(&r, 1);
    r.f->done(r.self, number, 50);
    take(&r);
    g_assert_cmpuint(r.rows, ==, 1);
    g_assert_cmpuint(r.n[0].requests, ==, 1);
    g_assert_cmpuint(r.n[0].latency, ==, 50);
    g_assert_cmpuint(r.n[0].latency_max, ==, 50);
    launch(&r, 1);
    launch(&r, 0);
    uint32_t again = r.f->accesses(r.self, &inst, 1, 0);
    g_assert_true(again == number || again == other);
    ww_harness_free(r.h);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    registry = test_registry();
    g_test_add_func("/pcs/places", places);
    g_test_add_func("/pcs/ready", ready);
    g_test_add_func("/pcs/slots", slots);
    g_test_add_func("/pcs/fetching", fetching);
    g_test_add_func("/pcs/far_apart", far_apart);
    g_test_add_func("/pcs/late", late);
    return test_run();
}
