/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `bank_router`: one register file made of several.
 *
 *     write-back, LD/ST unit => [ router ] => banks[0] of scheduler 0, banks[1] of scheduler 1, ...
 *
 * A result is written where the scheduler that issued it keeps its registers. For SMs whose
 * sub-cores have an operand collector each.
 */
#include "types.h"

#include <ports/execute.h>

#define ROUTER_MAX 16u

typedef struct BankRouter {
    WwComponent base;
    /* ports */
    WwPort banks[ROUTER_MAX];
    uint32_t n_banks;
    WwProvided register_banks;
    /* statistics */
    uint64_t writes;
    uint64_t refusals;
} BankRouter;

WW_COLD static void no_banks(BankRouter *r, const WwInst *inst)
{
    GError *error = NULL;
    g_autofree char *path = ww_path(r);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: %s of warp %u comes from scheduler %u; expected one of the %u that have banks",
            path, inst->s->opcode, inst->warp, inst->sched, r->n_banks);
    ww_fail_run(r, error);
}

static bool router_write(void *self, const WwInst *inst)
{
    BankRouter *r = self;
    if (G_UNLIKELY(inst->sched >= r->n_banks)) {
        no_banks(r, inst);
        return true;
    }
    const WwPort *banks = &r->banks[inst->sched];
    bool written = WW_REGISTER_BANKS(banks)->write(banks->peer, inst);
    *(written ? &r->writes : &r->refusals) += 1;
    return written;
}

static const WwRegisterBanksIf router_table = {.write = router_write};

static const WwPortRow router_ports[] = {
    WW_PORT_ARRAY(BankRouter, banks, WW_REQUIRES, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                  "the banks of each scheduler, in order"),
    WW_PORT_PROVIDES(BankRouter, register_banks, &ww_contract_register_banks, &router_table,
                     "writes of results"),
    {0},
};

static const WwStatRow router_stats[] = {
    WW_COUNTER(BankRouter, writes, "writes", "results passed on and written"),
    WW_COUNTER(BankRouter, refusals, "writes", "results passed on whose bank was busy"),
    {0},
};

const WwType bank_router_type = {
    .abi = WW_ABI_VERSION,
    .name = "bank_router",
    .doc = "Routes the results of each scheduler to that scheduler's register banks.",
    .family = "register_banks",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(BankRouter),
    .ports = router_ports,
    .stats = router_stats,
};
