/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.code`: the memory check must catch it. What it does next is
 * a function, whose address means nothing in another process.
 */
#include "fault-priv.h"

typedef struct Code {
    Fault fault;
    WwRest (*next)(Fault *f); /* the fault: set while the model runs */
} Code;

static WwRest odd(Fault *f)
{
    return fault_dawdle(f, f->n, 2);
}

static WwRest even(Fault *f)
{
    return fault_dawdle(f, f->n, 3);
}

static void code_reset(void *self)
{
    fault_reset(self);
    ((Code *)self)->next = NULL;
}

static WwRest code_pass(void *self)
{
    Code *c = self;
    WwRest rest = c->next != NULL ? c->next(&c->fault) : odd(&c->fault);
    c->next = c->fault.n % 2 == 0 ? even : odd;
    return rest;
}

static const WwEntryRow code_entries[] = {
    {.name = "pass", .phase = "main", .tick = code_pass, .doc = "passes numbers on, nearly"},
    {0},
};

const WwType fault_code_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.code",
    .doc = "Keeps the address of a function that it got in the run.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .size = sizeof(Code),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = code_entries,
    .reset = code_reset,
};
