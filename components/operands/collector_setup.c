/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an operand collector is made of: sets of units from its parameters, a share of units and
 * banks for each scheduler; what would wait for ever is refused. And what it waits for.
 */
#include "collector-priv.h"

#include <string.h>

static const char *const set_name[N_SETS] = {"generic", "sp", "dp", "tensor", "sfu", "mem", "int"};

const CollectorSpecial collector_special[N_SPECIAL] = {
    {SET_SP, CLASS_SP},         {SET_DP, CLASS_DP},   {SET_SFU, CLASS_SFU},
    {SET_TENSOR, CLASS_TENSOR}, {SET_MEM, CLASS_MEM}, {SET_INT, CLASS_INT}};

static bool check_sharing(const OperandCollector *oc, GError **error)
{
    if (oc->n_banks % oc->schedulers != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "banks = %u with sub_core_model; expected a multiple of schedulers = %u",
                       oc->n_banks, oc->schedulers);
    }
    for (uint32_t i = 0; i < N_SETS; i++) {
        if (oc->set[i].n % oc->schedulers != 0) {
            return ww_fail(
                error, WW_ERROR_USAGE,
                "%s_units = %u with sub_core_model; expected a multiple of schedulers = %u",
                set_name[i], oc->set[i].n, oc->schedulers);
        }
    }
    return true;
}

/*
 * Every bound class needs a way in and every unit a way out, or instructions would wait for ever.
 */
static bool check_paths(const OperandCollector *oc, GError **error)
{
    uint32_t served =
        oc->set[SET_GENERIC].n != 0 && oc->set[SET_GENERIC].in_ports != 0 ? oc->classes : 0;
    for (uint32_t i = 0; i < N_SPECIAL; i++) {
        const CollectorSet *set = &oc->set[collector_special[i].set];
        if (set->in_ports != 0 && set->n + oc->set[SET_GENERIC].n != 0) {
            served |= 1u << collector_special[i].class;
        }
    }
    if (oc->classes & ~served) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "a class of instructions is connected but no collector units and input ports serve it; "
            "raise generic_units and generic_in_ports, or those of its own set with "
            "enable_specialized");
    }
    for (uint32_t i = 0; i < N_SETS; i++) {
        if (oc->set[i].n != 0 && oc->set[i].dispatches == 0) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "%s_out_ports = 0 with %s_units = %u; expected at least 1", set_name[i],
                           set_name[i], oc->set[i].n);
        }
    }
    return true;
}

/* A private register set behind has a register for each scheduler. */
static bool check_outputs(const OperandCollector *oc, GError **error)
{
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwRegisterSet *set = oc->ports.out[__builtin_ctz(m)].peer;
        if (set->private && set->width < oc->schedulers) {
            return ww_fail(error, WW_ERROR_WIRING,
                           "a private register_set of width %u on an output with schedulers = %u; "
                           "expected a register for each",
                           set->width, oc->schedulers);
        }
    }
    return true;
}

uint64_t collector_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return op_carried(&((const OperandCollector *)self)->ports, row, k,
                      offsetof(OperandCollector, ports));
}

bool collector_init(void *self, GError **error)
{
    OperandCollector *oc = self;
    for (uint32_t i = 0; i < N_SETS; i++) {
        bool on = i == SET_GENERIC || oc->enable_specialized;
        CollectorSet *set = &oc->set[i];
        set->n = on ? oc->size[i].units : 0;
        set->in_ports = on ? oc->size[i].in_ports : 0;
        set->dispatches = on ? oc->size[i].out_ports : 0;
        set->first = oc->n_units;
        oc->n_units += set->n;
    }
    if (!op_classes(&oc->ports, &oc->classes, error) || !check_paths(oc, error)) {
        return false;
    }
    oc->unit = ww_alloc(oc, (oc->n_units + 1) * sizeof(CollectorUnit));
    oc->next = ww_alloc(oc, (oc->n_units + 1) * WW_MAX_SRC * sizeof(uint16_t));
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m);
        const WwRegisterSet *out = oc->ports.out[class].peer;
        CollectorClass *c = &oc->class[class];
        c->in = oc->ports.in[class].peer;
        c->out = oc->ports.out[class].peer;
        c->writer = ww_writer_bit(&oc->ports.out[class]);
        c->private = out->private;
        c->wait = ww_alloc(oc, out->width * sizeof *c->wait);
    }
    for (uint32_t i = 0; i < N_SPECIAL; i++) {
        oc->class[collector_special[i].class].own = collector_special[i].set;
    }
    for (uint32_t i = 0; i < N_SETS; i++) {
        for (uint32_t k = 0; k < oc->set[i].n; k++) {
            uint32_t number = oc->set[i].first + k;
            CollectorUnit *u = &oc->unit[number];
            u->set = (uint8_t)i;
            u->index = (uint8_t)k;
            u->bit = 1ull << k;
        }
    }
    return true;
}

/*
 * How many schedulers there are: what comes in is known to be of so many, or else each writer of the registers in front is one.
 */
static uint32_t schedulers_of(const OperandCollector *oc)
{
    uint32_t known = 0, writers = 1;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwPort *in = &oc->ports.in[__builtin_ctz(m)];
        known = MAX(known, ww_carried_schedulers(in));
        writers = MAX(writers, ((const WwChannel *)in->peer)->n_writers);
    }
    return known != 0 ? known : writers;
}

/*
 * Where a dispatch unit looks first after unit @p index went: the next unit, or the next
 * scheduler's first one.
 */
static uint8_t unit_after(const OperandCollector *oc, const CollectorSet *set, uint32_t index)
{
    uint32_t start = oc->sub_core_model ? index + set->share - index % set->share : index + 1;
    return (uint8_t)(start % set->n);
}

/* Classes without a mark are looked at in every step. */
static void mark_classes(OperandCollector *oc)
{
    oc->unmarked = oc->unmarked_out = 0;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        uint32_t class = (uint32_t)__builtin_ctz(m), bit = 1u << class;
        oc->unmarked |= ww_regs_mark_puts(&oc->ports.in[class], &oc->waiting, bit) ? 0 : bit;
        oc->unmarked_out |= ww_regs_mark_takes(&oc->ports.out[class], &oc->freed, bit) ? 0 : bit;
    }
}

bool collector_start(void *self, GError **error)
{
    OperandCollector *oc = self;
    oc->schedulers = schedulers_of(oc);
    if ((oc->sub_core_model && !check_sharing(oc, error)) || !check_outputs(oc, error)) {
        return false;
    }
    oc->share = oc->sub_core_model ? oc->n_banks / oc->schedulers : oc->n_banks;
    for (uint32_t i = 0; i < N_SETS; i++) {
        CollectorSet *set = &oc->set[i];
        set->share = set->n / oc->schedulers;
        set->step = oc->sub_core_model ? set->share : 0;
        set->owned = set->step == 0 ? UINT64_MAX : UINT64_MAX >> (64 - set->step);
    }
    for (uint32_t u = 0; oc->sub_core_model && u < oc->n_units; u++) {
        oc->unit[u].group = (uint8_t)(u / (oc->n_units / oc->schedulers));
    }
    oc->owned = oc->sub_core_model && oc->oldest_blocks;
    for (uint32_t i = 0; i < oc->n_units; i++) {
        CollectorUnit *u = &oc->unit[i];
        const CollectorSet *set = &oc->set[u->set];
        u->owner = oc->owned ? (uint8_t)(u->index / set->share) : 0;
        u->after = unit_after(oc, set, u->index);
    }
    oc->first_bank = oc->sub_core_model ? oc->share : 0;
    oc->bank_mask = (oc->share & (oc->share - 1)) == 0 ? oc->share - 1 : 0;
    oc->warp_mask = oc->bank_adds_warp ? UINT32_MAX : 0;
    oc->no_bank = oc->zero_register ? 0 : WW_ZERO_REG;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        oc->class[__builtin_ctz(m)].all =
            ((const WwRegisterSet *)oc->ports.out[__builtin_ctz(m)].peer)->all;
    }
    mark_classes(oc);
    oc->plain = !oc->enable_specialized && oc->oldest_blocks && !oc->dispatch_oldest &&
                oc->no_bank == 0 && (oc->share & (oc->share - 1)) == 0 &&
                (oc->unmarked | oc->unmarked_out) == 0;
    return true;
}

void collector_reset(void *self)
{
    OperandCollector *oc = self;
    oc->waiting = oc->freed = 0;
    memset(oc->refused, 0, sizeof oc->refused);
    oc->live = 0;
    oc->held = 0;
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        CollectorClass *c = &oc->class[__builtin_ctz(m)];
        const WwRegisterSet *out = oc->ports.out[__builtin_ctz(m)].peer;
        c->awaited = c->seen = c->refused_order = 0;
        memset(c->wait, 0, out->width * sizeof *c->wait);
    }
    oc->requests = 0;
    oc->queued = 0;
    oc->written = 0;
    oc->written_at = WW_NEVER;
    for (uint32_t i = 0; i < N_SETS; i++) {
        CollectorSet *set = &oc->set[i];
        set->free = set->n == 0 ? 0 : UINT64_MAX >> (64 - set->n);
        set->ready = 0;
        for (uint32_t d = 0; set->n != 0 && d < set->dispatches; d++) {
            set->start[d] = oc->unit[set->first].after;
        }
    }
    for (uint32_t u = 0; u < oc->n_units; u++) {
        oc->unit[u].inst = NULL;
    }
}

void collector_explain(void *self, WwExplain *explain)
{
    OperandCollector *oc = self;
    for (uint32_t i = 0; i < oc->n_units; i++) {
        const CollectorUnit *u = &oc->unit[i];
        if (u->inst == NULL) {
            continue;
        }
        ww_explain_holds_inst(explain, u->inst);
        if (u->need == 0) {
            ww_explain_waits(
                explain, oc->ports.out[u->class].peer,
                "unit %u: %s of warp %u has its operands and waits for a free register", i,
                u->inst->s->opcode, u->inst->warp);
        } else {
            ww_explain_note(explain, "unit %u: %s of warp %u waits for %u operands", i,
                            u->inst->s->opcode, u->inst->warp, u->need);
        }
    }
    for (uint32_t m = oc->classes; m != 0; m &= m - 1) {
        const WwPort *in = &oc->ports.in[__builtin_ctz(m)];
        int slot = ww_regs_oldest(in);
        if (slot >= 0) {
            const WwInst *inst = ww_regs_at(in, slot);
            ww_explain_note(explain, "%s of warp %u, scheduler %u, needs a free collector unit",
                            inst->s->opcode, inst->warp, inst->sched);
        }
    }
}
