/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A machine around one operands component: register sets on both sides, a group that repeats it, a
 * heart that keeps time.
 */
#include "tests.h"

#include <tests/support/machine.h>

static const WwPortRow ends_ports[] = {
    WW_PORT_ARRAY(Ends, issue, WW_OUT, &ww_contract_inst, 0, NULL, "to ID_OC"),
    WW_PORT_ARRAY(Ends, exec, WW_IN, &ww_contract_inst, 0, NULL, "from OC_EX"),
    WW_PORT_REQUIRES(Ends, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE, "write-backs"),
    {0},
};

/* As the last of the schedulers would. */
static uint64_t ends_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return ww_carries_scheduler(((const Ends *)self)->schedulers - 1);
}

static const WwType ends_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.ends",
    .doc = "driven by hand",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Ends),
    .ports = ends_ports,
    .carries = ends_carries,
};

static WwComponent *add_set(Rig *r, const RigSpec *spec, const char *name, int index)
{
    WwComponent *c = test_add_type(r->m, NULL, &ww_register_set_type, name, index);
    g_autofree char *width = g_strdup_printf("%u", spec->width != 0 ? spec->width : 4);
    test_set_one(c, "width", width);
    test_set_one(c, "private", spec->private ? "true" : "false");
    return c;
}

static void join_classes(Rig *r, const RigSpec *spec)
{
    static const char *const in[] = {"sp", "sfu", "mem", "tensor", "dp", "int"};
    static const char *const out[] = {"sp_out",     "sfu_out", "mem_out",
                                      "tensor_out", "dp_out",  "int_out"};
    r->bound = spec->classes != 0 ? spec->classes : 1u << CLASS_SP | 1u << CLASS_MEM;
    for (int c = 0; c < N_CLASSES; c++) {
        if (r->bound >> c & 1) {
            WwComponent *from = add_set(r, spec, "id_oc", c), *to = add_set(r, spec, "oc_ex", c);
            test_join(r->ends, "issue", from);
            test_join(r->ends, "exec", to);
            test_join(r->dut, c < CLASS_SPEC ? in[c] : "spec", from);
            test_join(r->dut, c < CLASS_SPEC ? out[c] : "spec_out", to);
        }
    }
}

bool rig_open(Rig *r, const RigSpec *spec, GError **error)
{
    GError *why = NULL;
    *r = (Rig){.m = test_beating_machine(), .insts = g_ptr_array_new_with_free_func(g_free)};
    WwGroupSpec group = {
        .name = "collect", .mode = WW_GROUP_REPEAT, .repeat = spec->repeat != 0 ? spec->repeat : 1};
    r->dut = test_add(r->m, ww_machine_add_group(r->m, ww_machine_root(r->m), &group),
                      spec->type != NULL ? spec->type : "operand_collector", "dut", -1);
    r->ends = test_add_type(r->m, NULL, &ends_type, "ends", -1);
    r->ends->schedulers = spec->schedulers != 0 ? spec->schedulers : 4;
    test_join(r->ends, "banks", r->dut);
    join_classes(r, spec);
    test_set(r->dut, spec->params);
    ww_machine_set_no_sleep(r->m, spec->no_sleep);
    if (ww_machine_seal(r->m, &why)) {
        uint32_t n = 0;
        for (int c = 0; c < N_CLASSES; c++) {
            if (r->bound >> c & 1) {
                r->issue[c] = r->ends->issue[n];
                r->exec[c] = r->ends->exec[n++];
            }
        }
        return true;
    }
    if (error == NULL) {
        g_assert_no_error(why);
    }
    g_propagate_error(error, why);
    rig_close(r);
    return false;
}

void rig_close(Rig *r)
{
    ww_machine_free(r->m);
    g_ptr_array_unref(r->insts);
}

void rig_tick(Rig *r)
{
    g_assert_cmpint(ww_run(r->m, 1), ==, WW_RUN_BUDGET);
}

typedef struct Made {
    WwInst inst;
    WwSinst s;
} Made;

WwInst *rig_inst(Rig *r, uint16_t warp, uint8_t sched, uint16_t s0, uint16_t s1, uint16_t s2)
{
    Made *m = g_new0(Made, 1);
    g_ptr_array_add(r->insts, m);
    m->s = (WwSinst){.opcode = "TEST", .src = {s0, s1, s2}};
    while (m->s.nsrc < 3 && m->s.src[m->s.nsrc] != 0) {
        m->s.nsrc++;
    }
    r->uid++;
    m->inst = (WwInst){.s = &m->s,
                       .uid = (uint32_t)r->uid,
                       .order = (uint32_t)r->uid,
                       .mask = UINT32_MAX,
                       .warp = warp,
                       .sched = sched,
                       .op = WW_OP_SP,
                       .latency = 2,
                       .interval = 1};
    return &m->inst;
}

bool rig_issue(Rig *r, OpClass class, WwInst *inst)
{
    const WwPort *out = &r->issue[class];
    int slot = ww_regs_free(out, inst->sched);
    if (slot < 0) {
        return false;
    }
    ww_regs_put(out, slot, inst);
    return true;
}

bool rig_take(Rig *r, OpClass class, const WwInst *inst)
{
    const WwPort *in = &r->exec[class];
    for (uint64_t m = ww_regs_full(in); m != 0; m &= m - 1) {
        int slot = __builtin_ctzll(m);
        if (ww_regs_at(in, slot) == inst) {
            ww_regs_take(in, slot);
            return true;
        }
    }
    return false;
}

uint32_t rig_until(Rig *r, OpClass class, const WwInst *inst)
{
    uint32_t n = 0;
    while (n < 1000 && !rig_take(r, class, inst)) {
        rig_tick(r);
        n++;
    }
    return n;
}

bool rig_write(Rig *r, uint16_t warp, uint8_t sched, uint16_t dst)
{
    WwInst *inst = rig_inst(r, warp, sched, 0, 0, 0);
    WwSinst *s = (WwSinst *)inst->s;
    s->ndst = 1;
    s->dst = dst;
    return WW_REGISTER_BANKS(&r->ends->banks)->write(r->ends->banks.peer, inst);
}

uint64_t rig_stat(Rig *r, const char *name)
{
    ww_machine_settle(r->m);
    int row = ww_type_stat(r->dut->type, name);
    g_assert_cmpint(row, >=, 0);
    return *ww_stat_values(r->dut, &r->dut->type->stats[row]);
}
