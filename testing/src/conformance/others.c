/* SPDX-License-Identifier: Apache-2.0 */
/* Who else uses what the fakes of a bench offer: refusals, which a component that is alone would never see. */
#include "conformance-priv.h"

#include <testing/fake_cache.h>
#include <testing/fake_icache.h>
#include <testing/fake_refill.h>
#include <testing/fake_register_banks.h>
#include <testing/fake_result_bus.h>
#include <testing/fake_sub_core.h>

/* Fakes that know of other users, and where. */
static const struct {
    const WwType *type;
    size_t others;
} fakes[] = {
    {&ww_fake_result_bus_type, offsetof(WwFakeResultBus, others)},
    {&ww_fake_register_banks_type, offsetof(WwFakeRegisterBanks, others)},
    {&ww_fake_unit_type, offsetof(WwFakeUnit, others)},
    {&ww_fake_register_ports_type, offsetof(WwFakeRegisterPorts, others)},
    {&ww_fake_dispatch_slot_type, offsetof(WwFakeDispatchSlot, others)},
    {&ww_fake_cache_type, offsetof(WwFakeCache, others)},
    {&ww_fake_icache_type, offsetof(WwFakeICache, others)},
    {&ww_fake_refill_type, offsetof(WwFakeRefill, others)},
};

/* Does the type stand between its callers and the fake? What it is refused it refuses, and a driver would not know why. */
static bool stands_before(const WwType *type, const WwType *fake)
{
    const WwPortRow *mine, *its;
    for (WW_ROWS(type->ports, mine)) {
        for (WW_ROWS(fake->ports, its)) {
            if (mine->role == WW_PROVIDES && its->role == WW_PROVIDES &&
                mine->contract == its->contract) {
                return true;
            }
        }
    }
    return false;
}

void conform_others(Bench *b, uint32_t seed)
{
    if (b->dead) {
        return;
    }
    const WwMachine *m = ww_harness_machine(b->h);
    g_autoptr(GRand) random = g_rand_new_with_seed(seed); /* what is fed stays what it was */
    for (uint32_t i = 0; i < ww_machine_n_components(m); i++) {
        WwComponent *c = ww_machine_component(m, i);
        for (size_t k = 0; k < G_N_ELEMENTS(fakes); k++) {
            if (c->type == fakes[k].type && !stands_before(b->type, c->type)) {
                *(uint32_t *)((char *)c + fakes[k].others) = MAX(g_rand_int(random), 1);
            }
        }
    }
}
