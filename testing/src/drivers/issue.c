/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of what a warp scheduler calls: policies, scoreboards, barriers. */
#include "drivers-priv.h"

#include <ports/hazards.h>
#include <ports/issue.h>
#include <string.h>

#define BIT(warp) (1ull << (warp))

/* ---- scheduler -------------------------------------------------------------------------------------------------- */

typedef struct Policy {
    bool made;
    WwWarp warp[WW_MAX_WARPS];
    WwWarpView warps;
    WwBarrierView barriers;
    WwHazardView hazard;
    WwPort hazards;
    WwPolicyView view;
    uint64_t insns[WW_MAX_WARPS];
    uint64_t slow; /* Warps whose next instruction waits for a long operation. */
    WwSinst sinst;
    WwInst inst;
} Policy;

static const WwHazardView *hazard_view(void *self)
{
    return &((Policy *)self)->hazard;
}

static bool hazard_collides(void *self, uint32_t warp, const WwSinst *s)
{
    return (((Policy *)self)->hazard.pending >> warp & 1u) != 0;
}

static bool hazard_slow(void *self, uint32_t warp, const WwSinst *s)
{
    return (((Policy *)self)->slow >> warp & 1u) != 0;
}

static const WwScoreboardIf hazards_of_driver = {
    .view = hazard_view,
    .collides = hazard_collides,
    .waits_long = hazard_slow,
    .collides_long = hazard_slow,
};

static void launch(Policy *p, uint32_t warp)
{
    WwWarp *w = &p->warp[warp];
    *w = (WwWarp){.ibuf = {&p->inst, &p->inst},
                  .lanes = UINT32_MAX,
                  .launched = UINT32_MAX,
                  .n_trace = 1000,
                  .dynamic_id = p->warps.launches++};
    p->insns[warp] = 0;
    p->warps.resident |= BIT(warp);
    p->warps.live |= BIT(warp);
    p->warps.ibuf |= BIT(warp);
}

/* The warps of one scheduler of several, or of one that has them all: any warp may be the one that a policy forgets. */
static void make_view(WwDrive *d, Policy *p)
{
    uint32_t schedulers = 1u << ww_drive_draw(d, 3), mine = ww_drive_draw(d, schedulers);
    p->made = true;
    p->sinst = (WwSinst){.opcode = "IADD3", .op = WW_OP_INT, .nsrc = 1, .src = {2}};
    p->inst = (WwInst){.s = &p->sinst, .mask = UINT32_MAX, .op = WW_OP_INT};
    p->hazards = (WwPort){.peer = p, .table = &hazards_of_driver};
    p->warps.slots = WW_MAX_WARPS;
    p->warps.warp = p->warp;
    p->warps.insns = p->insns;
    p->view = (WwPolicyView){.warps = &p->warps,
                             .barriers = &p->barriers,
                             .hazards = &p->hazards,
                             .scheduler = mine,
                             .n_schedulers = schedulers};
    for (uint32_t warp = 0; warp < WW_MAX_WARPS; warp++) {
        p->view.mine |= warp % schedulers == mine ? BIT(warp) : 0;
        launch(p, warp);
    }
}

static uint64_t some_of(WwDrive *d, uint64_t mask)
{
    return mask & ((uint64_t)g_rand_int(d->random) << 32 | g_rand_int(d->random));
}

/* What happens in a cycle: warps end and others take their place, some wait, some can issue. */
static void move_on(WwDrive *d, Policy *p)
{
    if (ww_drive_draw(d, 8) == 0) {
        launch(p, ww_drive_draw(d, WW_MAX_WARPS));
    }
    p->slow = some_of(d, some_of(d, p->view.mine));
    p->view.candidates = some_of(d, p->view.mine);
    p->view.waiting = some_of(d, some_of(d, p->view.mine & ~p->view.candidates));
    if (ww_drive_draw(d, 10) == 0) {
        p->view.candidates = 0;
    }
}

/* A guest is another scheduler's warp. */
static uint64_t guest_of(WwDrive *d, Policy *p)
{
    const WwPolicyIf *f = d->table;
    int32_t guest = f->guest != NULL ? f->guest(d->self, &p->view) : -1;
    if (guest < 0) {
        return 0;
    }
    if (guest >= (int32_t)WW_MAX_WARPS || (p->view.mine >> guest & 1u)) {
        ww_drive_wrong(d, "guest() says %d; expected a warp of another scheduler or -1", guest);
        return 0;
    }
    if (ww_drive_draw(d, 2) == 0) {
        p->view.candidates |= BIT(guest);
    }
    return BIT(guest);
}

static void check_order(WwDrive *d, const Policy *p, uint64_t guest, const uint8_t *out, uint32_t n)
{
    const WwPolicyIf *f = d->table;
    uint64_t listed = 0;
    if (n > WW_MAX_WARPS) {
        ww_drive_wrong(d, "order() lists %u warps; expected at most %u", n, WW_MAX_WARPS);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (out[i] >= WW_MAX_WARPS || !((p->view.mine | guest) >> out[i] & 1u)) {
            ww_drive_wrong(d, "order() lists warp %u; expected one of its scheduler, or the guest",
                           out[i]);
            return;
        }
        if (listed >> out[i] & 1u) {
            ww_drive_wrong(d, "order() lists warp %u twice", out[i]);
        }
        listed |= BIT(out[i]);
    }
    uint64_t considered = f->considers != NULL ? f->considers(d->self, &p->view) : UINT64_MAX;
    uint64_t left_out = p->view.candidates & considered & ~listed;
    if (left_out != 0) {
        ww_drive_wrong(d,
                       "order() leaves out warp %d, which could issue; expected every candidate%s",
                       __builtin_ctzll(left_out), f->considers != NULL ? " that it considers" : "");
    }
}

static uint64_t listed_of(const uint8_t *out, uint32_t n)
{
    uint64_t listed = 0;
    for (uint32_t i = 0; i < n; i++) {
        listed |= BIT(out[i]);
    }
    return listed;
}

/* limits() says whom order() lists; nothing has happened since. */
static void check_limits(WwDrive *d, const Policy *p, const uint8_t *out, uint32_t n)
{
    const WwPolicyIf *f = d->table;
    uint64_t listed = listed_of(out, n) & p->view.candidates;
    if (f->limits != NULL && (f->limits(d->self, &p->view) & p->view.candidates) != listed) {
        ww_drive_wrong(d, "limits() are not those that order() lists; expected them");
    }
}

/* first() says of any candidates, within its limits(), the one that order() lists first. */
static void check_first(WwDrive *d, Policy *p, const uint8_t *out, uint32_t n)
{
    const WwPolicyIf *f = d->table;
    uint64_t among =
        p->view.candidates & (ww_drive_draw(d, 2) == 0 ? UINT64_MAX : some_of(d, p->view.mine));
    uint32_t i = 0;
    among &= f->limits != NULL ? listed_of(out, n) : UINT64_MAX;
    while (i < n && !(among >> out[i] & 1u)) {
        i++;
    }
    if (f->first == NULL || i == n) {
        return;
    }
    uint32_t first = f->first(d->self, &p->view, among);
    if (first != out[i]) {
        ww_drive_wrong(d,
                       "first() of %" G_GINT64_MODIFIER
                       "x is warp %u; expected %u, which order() lists first",
                       among, first, out[i]);
    } else if (f->limits == NULL &&
               (f->restless != NULL || f->considers != NULL || f->guest != NULL)) {
        ww_drive_wrong(
            d, "a policy has first() and restless(), considers() or guest(); expected none of "
               "these, or limits()");
    }
}

static void policy_drive(WwDrive *d)
{
    const WwPolicyIf *f = d->table;
    Policy *p = d->state;
    uint8_t out[WW_MAX_WARPS + 1] = {0}, again[WW_MAX_WARPS + 1] = {0};
    if (!p->made) {
        make_view(d, p);
    }
    move_on(d, p);
    uint64_t guest = guest_of(d, p);
    uint64_t examined = f->examines != NULL ? f->examines(d->self, &p->view) : 0;
    uint32_t n = f->order(d->self, &p->view, out);
    check_order(d, p, guest, out, n);
    if (d->wrong == NULL) {
        check_first(d, p, out, n);
    }
    if (d->wrong != NULL) {
        return;
    }
    ww_drive_say(d, "%u of %" G_GINT64_MODIFIER "x: %u %u %u %u, examines %" G_GINT64_MODIFIER "x",
                 n, p->view.candidates, out[0], out[1], out[2], out[3], examined);
    if (f->restless == NULL || !f->restless(d->self, &p->view)) {
        uint32_t m = guest_of(d, p) == guest ? f->order(d->self, &p->view, again) : 0;
        if (m != n || memcmp(out, again, n) != 0) {
            ww_drive_wrong(d, "order() answers something else when asked again; expected the same, "
                              "or a policy that is restless");
        } else if (n == m && guest_of(d, p) == guest) {
            check_limits(d, p, out, n);
        }
    }
    for (uint32_t i = 0; i < n && ww_drive_draw(d, 4) != 0; i++) {
        if (p->view.candidates >> out[i] & 1u) {
            uint32_t issued = 1 + ww_drive_draw(d, 2);
            p->insns[out[i]] += issued;
            f->issued(d->self, &p->view, out[i], issued);
            break;
        }
    }
}

const WwDriver drive_policy = {
    .contract = &ww_contract_scheduler,
    .promises = "order() lists every candidate (that considers() names) once and nobody else's, "
                "and the same when nothing has happened; first() says what it lists first, "
                "limits() whom it lists",
    .state = sizeof(Policy),
    .drive = policy_drive,
};

/* ---- scoreboard ------------------------------------------------------------------------------------------------- */

enum { BOARD_WARPS = 8, BOARD_REGS = 24, BOARD_WRITES = 32 };

/* A pending write; `s` stands where the instruction may look at it. */
typedef struct Write {
    bool used;
    WwSinst s;
    WwInst inst;
} Write;

typedef struct Board {
    Write write[BOARD_WRITES];
    uint8_t pending[BOARD_WARPS][BOARD_REGS + 1]; /* 1: short, 2: long */
} Board;

static WwSinst draw_inst(WwDrive *d)
{
    WwSinst s = {.opcode = "LDG",
                 .op = WW_OP_LOAD,
                 .flags =
                     ww_drive_draw(d, 2) == 0 ? WW_INST_LOAD : 0, /* a long operation, or not */
                 .ndst = 1,
                 .dst = (uint16_t)(1 + ww_drive_draw(d, BOARD_REGS)),
                 .nsrc = (uint8_t)ww_drive_draw(d, 3)};
    for (uint32_t i = 0; i < s.nsrc; i++) {
        s.src[i] = (uint16_t)(1 + ww_drive_draw(d, BOARD_REGS));
    }
    return s;
}

/* Every answer about a warp, against what was reserved and released. */
static bool check_warp(WwDrive *d, const Board *b, uint32_t warp, const WwSinst *s)
{
    const WwScoreboardIf *f = d->table;
    const uint8_t *r = b->pending[warp];
    bool collides = r[s->dst] != 0, slow = r[s->dst] == 2, any = false;
    for (uint32_t i = 0; i < s->nsrc; i++) {
        collides |= r[s->src[i]] != 0;
        slow |= r[s->src[i]] == 2;
    }
    for (uint32_t i = 1; i <= BOARD_REGS; i++) {
        any |= r[i] != 0;
    }
    if (!f->view(d->self)->exact) {
        bool held = f->collides(d->self, warp, s), slow_held = f->collides_long(d->self, warp, s);
        if (f->collides(d->self, warp, s) != held ||
            f->collides_long(d->self, warp, s) != slow_held) {
            ww_drive_wrong(d, "warp %u collides, and does not when asked again", warp);
        }
        return held || collides; /* nothing is reserved twice */
    }
    if (f->collides(d->self, warp, s) != collides) {
        ww_drive_wrong(d, "collides() says %s of warp %u and R%u; expected %s",
                       collides ? "no" : "yes", warp, s->dst - 1u,
                       collides ? "yes: a write is pending" : "no");
    } else if (f->collides_long(d->self, warp, s) != slow) {
        ww_drive_wrong(d, "collides_long() says %s of warp %u and R%u", slow ? "no" : "yes", warp,
                       s->dst - 1u);
    } else if (f->view(d->self)->regs[0] != NULL &&
               (ww_hazard_regs(f->view(d->self), warp, s) & (WW_REG_PENDING | WW_REG_SLOW)) !=
                   ((collides ? WW_REG_PENDING : 0u) | (slow ? WW_REG_SLOW : 0u))) {
        ww_drive_wrong(d, "the view shows %u of the registers of warp %u that are asked for",
                       ww_hazard_regs(f->view(d->self), warp, s), warp);
    } else if ((f->view(d->self)->pending >> warp & 1u) != any) {
        ww_drive_wrong(d, "the view says that warp %u has %s pending write", warp,
                       any ? "no" : "a");
    }
    return collides;
}

static void reserve(WwDrive *d, Board *b, uint32_t warp, const WwSinst *s)
{
    for (uint32_t i = 0; i < BOARD_WRITES; i++) {
        Write *w = &b->write[i];
        if (!w->used) {
            *w = (Write){.used = true, .s = *s};
            w->inst = (WwInst){.s = &w->s,
                               .mask = UINT32_MAX,
                               .warp = (uint16_t)warp,
                               .op = s->op,
                               .space = WW_SPACE_GLOBAL};
            ((const WwScoreboardIf *)d->table)->reserve(d->self, &w->inst);
            b->pending[warp][s->dst] = s->flags != 0 ? 2 : 1;
            return;
        }
    }
}

static void release(WwDrive *d, Board *b, Write *w)
{
    const WwScoreboardIf *f = d->table;
    uint32_t warp = w->inst.warp;
    const WwHazardView *view = f->view(d->self);
    f->seen(d->self, BIT(warp));
    ww_harness_wakes(d->h, d->port, WW_RANK_RETIRE, 0); /* those before do not count */
    ww_harness_wakes(d->h, d->port, WW_RANK_CHECK, 0);
    if (ww_drive_draw(d, 2) == 0) {
        f->release(d->self, warp, w->s.dst);
    } else {
        f->release_all(d->self, &w->inst);
    }
    b->pending[warp][w->s.dst] = 0;
    w->used = false;
    uint32_t check = ww_harness_wakes(d->h, d->port, WW_RANK_CHECK, 0);
    uint32_t retire = ww_harness_wakes(d->h, d->port, WW_RANK_RETIRE, 0);
    if (!view->exact) {
        return;
    }
    if (check == 0 || !(view->changed >> warp & 1u)) {
        ww_drive_wrong(d, "a release of warp %u %s", warp,
                       check == 0 ? "does not wake the `check` caller"
                                  : "is not in the view's `changed`");
    } else if (retire == 0 && !(view->pending >> warp & 1u)) {
        ww_drive_wrong(d, "warp %u is clean and the `retire` caller is not woken", warp);
    }
}

static void scoreboard_drive(WwDrive *d)
{
    Board *b = d->state;
    uint32_t warp = ww_drive_draw(d, BOARD_WARPS);
    WwSinst s = draw_inst(d);
    bool collides = check_warp(d, b, warp, &s);
    bool slow = ((const WwScoreboardIf *)d->table)->waits_long(d->self, warp, &s);
    ww_drive_say(d, "warp %u R%u collides %d, waits long %d", warp, s.dst - 1u, collides, slow);
    if (!collides && d->wrong == NULL) {
        reserve(d, b, warp, &s);
        check_warp(d, b, warp, &s);
    }
    Write *w = &b->write[ww_drive_draw(d, BOARD_WRITES)];
    if (w->used && d->wrong == NULL) {
        WwSinst was = w->s;
        warp = w->inst.warp;
        release(d, b, w);
        check_warp(d, b, warp, &was);
    }
}

const WwDriver drive_scoreboard = {
    .contract = &ww_contract_scoreboard,
    .promises = "asking has no effect; where it is exact, a register is pending from reserve() to "
                "its release, of its warp alone; releases "
                "are told to `check`, a clean warp to `retire`",
    .state = sizeof(Board),
    .drive = scoreboard_drive,
};

/* ---- barriers --------------------------------------------------------------------------------------------------- */

enum { CTAS = 4, WARPS_OF_CTA = 4 };

typedef struct Barriers {
    uint64_t cta[CTAS]; /* 0: none is there */
    uint64_t active, held, membar;
} Barriers;

static void compare_masks(WwDrive *d, const Barriers *b, const char *after)
{
    const WwBarrierView *v = ((const WwBarriersIf *)d->table)->view(d->self);
    if (v->held != b->held) {
        ww_drive_wrong(d,
                       "held is %" G_GINT64_MODIFIER "x after %s; expected %" G_GINT64_MODIFIER "x",
                       v->held, after, b->held);
    } else if (v->membar != b->membar) {
        ww_drive_wrong(
            d, "membar is %" G_GINT64_MODIFIER "x after %s; expected %" G_GINT64_MODIFIER "x",
            v->membar, after, b->membar);
    }
}

/* All active warps of the CTA have arrived. */
static bool let_go(Barriers *b, uint64_t cta)
{
    bool go = (b->held & cta) != 0 && (b->held & cta) == (b->active & cta);
    b->held &= go ? ~cta : UINT64_MAX;
    return go;
}

static void barriers_drive(WwDrive *d)
{
    const WwBarriersIf *f = d->table;
    Barriers *b = d->state;
    uint32_t cta = ww_drive_draw(d, CTAS),
             warp = cta * WARPS_OF_CTA + ww_drive_draw(d, WARPS_OF_CTA);
    uint32_t kind = ww_drive_draw(d, 8);
    const char *what = "nothing";
    bool go = false;
    if (b->cta[cta] == 0) {
        b->cta[cta] = (BIT(WARPS_OF_CTA) - 1) << (cta * WARPS_OF_CTA);
        b->active |= b->cta[cta];
        f->cta_enter(d->self, cta, b->cta[cta]);
        what = "cta_enter";
    } else if ((b->active & b->cta[cta]) == 0) {
        f->cta_leave(d->self, cta);
        b->membar &= ~b->cta[cta];
        b->cta[cta] = 0;
        return; /* the masks of warps that left are cleared when others enter */
    } else if (!(b->active >> warp & 1u) || (b->held >> warp & 1u)) {
        return; /* it can do nothing */
    } else if (b->membar >> warp & 1u) {
        f->complete_membar(d->self, warp);
        b->membar &= ~BIT(warp);
        what = "complete_membar";
    } else if (kind == 0) {
        f->exit(d->self, warp);
        b->active &= ~BIT(warp);
        go = let_go(b, b->cta[cta]);
        what = "exit";
    } else if (kind == 1) {
        f->set_membar(d->self, warp);
        b->membar |= BIT(warp);
        what = "set_membar";
    } else {
        ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0);
        f->arrive(d->self, warp);
        b->held |= BIT(warp);
        go = let_go(b, b->cta[cta]);
        what = "arrive";
        if (go && ww_harness_wakes(d->h, d->port, WW_RANK_ISSUE, 0) == 0) {
            ww_drive_wrong(d, "a barrier lets its warps go and does not wake the `issue` caller");
        }
    }
    ww_drive_say(d, "%s warp %u%s", what, warp, go ? ", all go on" : "");
    compare_masks(d, b, what);
}

const WwDriver drive_barriers = {
    .contract = &ww_contract_barriers,
    .promises = "a warp that arrives is held until all active warps of its CTA have arrived, no "
                "longer; memory-barrier flags stay until completed",
    .state = sizeof(Barriers),
    .drive = barriers_drive,
};
