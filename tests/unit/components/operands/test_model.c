/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operand collector compared tick by tick with the plainest possible model: sets of units,
 * lists of requests, everything looked at in every step. Random instructions, writes and
 * back-pressure; with sleep and without.
 */
#include "tests.h"

#define MAX_UNITS 32
#define MAX_REQUESTS 512

/* Numbering order of sets; class of each special set. */
enum { GEN, SP, DP, TENSOR, SFU, MEM, INT, N_SETS };
static const char *const names[] = {"generic", "sp", "dp", "tensor", "sfu", "mem", "int"};
static const int class_of[] = {-1,        CLASS_SP,  CLASS_DP, CLASS_TENSOR,
                               CLASS_SFU, CLASS_MEM, CLASS_INT};
static const int port_order[] = {SP, DP, SFU, TENSOR, MEM, INT};

typedef struct PlainUnit {
    WwInst *inst;
    int class;
    int outstanding;
    uint32_t number;
} PlainUnit;

typedef struct PlainSet {
    uint32_t units, in, out;
    PlainUnit unit[MAX_UNITS];
    uint32_t last[16];
} PlainSet;

typedef struct Plain {
    bool sub_core, private;
    uint32_t schedulers, banks, width, repeat, classes, n;
    PlainSet set[N_SETS];
    PlainUnit *queue[64][MAX_REQUESTS];
    uint32_t queued[64];
    bool written[64];
    WwInst *id_oc[N_CLASSES][64], *oc_ex[N_CLASSES][64];
} Plain;

static uint32_t plain_bank(const Plain *p, const WwInst *inst, uint32_t reg)
{
    if (p->sub_core) {
        uint32_t b = p->banks / p->schedulers;
        return (reg + inst->warp) % b + inst->sched * b;
    }
    return (reg + inst->warp) % p->banks;
}

static int plain_room(const Plain *p, const PlainUnit *u)
{
    uint32_t group = p->sub_core ? u->number / (p->n / p->schedulers) : u->inst->sched;
    for (uint32_t i = 0; i < p->width; i++) {
        if (p->oc_ex[u->class][i] == NULL && (!p->private || i == group)) {
            return (int)i;
        }
    }
    return -1;
}

static void plain_dispatch(Plain *p)
{
    for (int s = 0; s < N_SETS; s++) {
        PlainSet *set = &p->set[s];
        for (uint32_t d = 0; d < set->out && set->units != 0; d++) {
            uint32_t q = set->units / p->schedulers;
            uint32_t inc = p->sub_core ? q - set->last[d] % q : 1;
            for (uint32_t k = 0; k < set->units; k++) {
                uint32_t c = (set->last[d] + inc + k) % set->units;
                PlainUnit *u = &set->unit[c];
                if (u->inst != NULL && u->outstanding == 0 && plain_room(p, u) >= 0) {
                    p->oc_ex[u->class][plain_room(p, u)] = u->inst;
                    u->inst = NULL;
                    set->last[d] = c;
                    break;
                }
            }
        }
    }
}

static void plain_read(Plain *p)
{
    for (uint32_t b = 0; b < p->banks; b++) {
        if (p->queued[b] != 0 && !p->written[b]) {
            p->queue[b][0]->outstanding--;
            p->queued[b]--;
            memmove(&p->queue[b][0], &p->queue[b][1], p->queued[b] * sizeof p->queue[b][0]);
        }
    }
}

static bool plain_put(Plain *p, PlainSet *set, WwInst *inst, int class)
{
    uint32_t lo = 0, hi = set->units;
    if (p->sub_core) {
        lo = inst->sched * (set->units / p->schedulers);
        hi = lo + set->units / p->schedulers;
    }
    for (uint32_t i = lo; i < hi; i++) {
        PlainUnit *u = &set->unit[i];
        if (u->inst == NULL) {
            u->inst = inst;
            u->class = class;
            for (uint32_t k = 0; k < inst->s->nsrc; k++) {
                bool twice = false;
                for (uint32_t j = 0; j < k; j++) {
                    twice |= inst->s->src[j] == inst->s->src[k];
                }
                if (!twice) {
                    uint32_t b = plain_bank(p, inst, inst->s->src[k]);
                    p->queue[b][p->queued[b]++] = u;
                    u->outstanding++;
                }
            }
            return true;
        }
    }
    return false;
}

static void plain_take(Plain *p, int class, int own)
{
    int at = -1;
    for (uint32_t i = 0; i < p->width; i++) {
        WwInst *inst = p->id_oc[class][i];
        if (inst != NULL && (at < 0 || inst->order < p->id_oc[class][at]->order)) {
            at = (int)i;
        }
    }
    if (at >= 0 && (plain_put(p, &p->set[own], p->id_oc[class][at], class) ||
                    plain_put(p, &p->set[GEN], p->id_oc[class][at], class))) {
        p->id_oc[class][at] = NULL;
    }
}

static void plain_step(Plain *p)
{
    plain_dispatch(p);
    plain_read(p);
    for (uint32_t i = 0; i < p->set[GEN].in; i++) {
        for (int c = 0; c < N_CLASSES; c++) {
            plain_take(p, c, GEN);
        }
    }
    for (size_t k = 0; k < G_N_ELEMENTS(port_order); k++) {
        for (uint32_t i = 0; i < p->set[port_order[k]].in; i++) {
            plain_take(p, class_of[port_order[k]], port_order[k]);
        }
    }
    memset(p->written, 0, sizeof p->written);
}

/* ---- the comparison -------------------------------------------------------------------------- */

typedef struct Counts {
    uint64_t reads, bank_conflicts, unit_refusals, activations;
} Counts;

static uint32_t pick(GRand *random, uint32_t lo, uint32_t hi)
{
    return (uint32_t)g_rand_int_range(random, (gint32)lo, (gint32)hi + 1);
}

/* Draws a machine; the same one for the same seed. */
static void draw(Plain *p, GRand *random, GString *params)
{
    p->sub_core = pick(random, 0, 1);
    p->private = p->sub_core || pick(random, 0, 3) == 0;
    p->schedulers = 1u << pick(random, 0, 2);
    p->banks = p->schedulers * pick(random, 1, 4);
    p->width = p->schedulers + pick(random, 0, 2);
    p->repeat = pick(random, 1, 3);
    p->classes = pick(random, 1, (1u << N_CLASSES) - 1) & 0x3ff;
    bool special = pick(random, 0, 1);
    uint32_t unit = p->sub_core ? p->schedulers : 1;
    for (int s = 0; s < N_SETS; s++) {
        PlainSet *set = &p->set[s];
        if (s == GEN || special) {
            set->units = unit * pick(random, s == GEN, 16 / unit < 4 ? 16 / unit : 4);
            set->in = pick(random, s == GEN, 4);
            set->out = pick(random, 1, 4);
        }
        for (uint32_t i = 0; i < set->units; i++) {
            set->unit[i].number = p->n++;
        }
        g_string_append_printf(params, " %s_units=%u %s_in_ports=%u %s_out_ports=%u", names[s],
                               set->units, names[s], set->in, names[s], set->out);
    }
    g_string_append_printf(params, " enable_specialized=%d sub_core_model=%d banks=%u", special,
                           p->sub_core, p->banks);
    while (p->classes == 0 || (p->classes >> CLASS_SPEC & 3) == 2) {
        p->classes =
            p->classes == 0 ? 1 : p->classes | 1u << CLASS_SPEC; /* units are numbered from 1 */
    }
    for (int c = CLASS_SPEC; c < N_CLASSES; c++) {
        if ((p->classes >> CLASS_SPEC & ((2u << (c - CLASS_SPEC)) - 1)) !=
            (2u << (c - CLASS_SPEC)) - 1) {
            p->classes &= ~(1u << c); /* without gaps */
        }
    }
    p->classes = p->classes == 0 ? 1 : p->classes;
}

static void feed(Rig *r, Plain *p, GRand *random)
{
    uint32_t class = pick(random, 0, N_CLASSES - 1);
    uint32_t sched = pick(random, 0, p->schedulers - 1);
    if (!(p->classes >> class & 1)) {
        return;
    }
    int slot = ww_regs_free(&r->issue[class], sched);
    if (slot >= 0) {
        WwInst *inst =
            rig_inst(r, (uint16_t)pick(random, 0, 15), (uint8_t)sched, (uint16_t)pick(random, 0, 8),
                     (uint16_t)pick(random, 0, 8), (uint16_t)pick(random, 0, 8));
        ww_regs_put(&r->issue[class], slot, inst);
        p->id_oc[class][slot] = inst;
    }
}

static void write_back(Rig *r, Plain *p, GRand *random)
{
    uint32_t sched = pick(random, 0, p->schedulers - 1);
    uint16_t warp = (uint16_t)pick(random, 0, 15), dst = (uint16_t)pick(random, 1, 20);
    WwInst inst = {.warp = warp, .sched = (uint8_t)sched};
    uint32_t bank = plain_bank(p, &inst, dst);
    g_assert_cmpint(rig_write(r, warp, (uint8_t)sched, dst), ==, !p->written[bank]);
    p->written[bank] = true;
}

static void compare(const WwPort *port, WwInst *const reg[], uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        g_assert_cmpint(ww_regs_full(port) >> i & 1, ==, reg[i] != NULL);
        g_assert_true(reg[i] == NULL || ww_regs_at(port, (int)i) == reg[i]);
    }
}

static void drain(Rig *r, Plain *p, GRand *random, uint32_t class, uint32_t eagerness)
{
    for (uint32_t i = 0; i < p->width; i++) {
        if (p->oc_ex[class][i] != NULL && pick(random, 0, 7) < eagerness) {
            ww_regs_take(&r->exec[class], (int)i);
            p->oc_ex[class][i] = NULL;
        }
    }
}

static Counts random_run(uint32_t seed, bool no_sleep, uint32_t ticks)
{
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    g_autoptr(GString) params = g_string_new("");
    Plain *p = g_new0(Plain, 1);
    draw(p, random, params);
    Rig r;
    rig_open(&r,
             &(RigSpec){.params = params->str + 1,
                        .schedulers = p->schedulers,
                        .repeat = p->repeat,
                        .classes = p->classes,
                        .width = p->width,
                        .private = p->private,
                        .no_sleep = no_sleep},
             NULL);
    for (uint32_t t = 0; t < ticks; t++) {
        for (uint32_t i = 0; i < 3 * (t / 100 % 3); i++) {
            feed(&r, p, random);
        }
        for (uint32_t i = pick(random, 0, 3); i > 0; i--) {
            write_back(&r, p, random);
        }
        rig_tick(&r);
        for (uint32_t i = 0; i < p->repeat; i++) {
            plain_step(p);
        }
        for (uint32_t c = 0; c < N_CLASSES; c++) {
            if (!(p->classes >> c & 1)) {
                continue;
            }
            compare(&r.issue[c], p->id_oc[c], p->width);
            compare(&r.exec[c], p->oc_ex[c], p->width);
            drain(&r, p, random, c, t / 50 % 9);
        }
    }
    Counts counts = {rig_stat(&r, "reads"), rig_stat(&r, "bank_conflicts"),
                     rig_stat(&r, "unit_refusals"), ww_machine_activations(r.m)};
    rig_close(&r);
    g_free(p);
    return counts;
}

static void test_plain_model(void)
{
    for (uint32_t seed = 0; seed < 60; seed++) {
        Counts a = random_run(seed, false, 1000), b = random_run(seed, true, 1000);
        g_assert_cmpuint(a.reads, ==, b.reads);
        g_assert_cmpuint(a.bank_conflicts, ==, b.bank_conflicts);
        g_assert_cmpuint(a.unit_refusals, ==, b.unit_refusals);
        g_assert_cmpuint(a.activations, <, b.activations);
    }
}

void register_model_tests(void)
{
    g_test_add_func("/operands/collector/plain_model", test_plain_model);
}
