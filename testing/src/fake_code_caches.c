/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `code_caches`. */
#include <testing/fake_code_caches.h>

static void fake_clear(void *self)
{
    ((WwFakeCodeCaches *)self)->clears++;
}

static const WwCodeCachesIf fake_table = {.clear = fake_clear};

static void fake_reset(void *self)
{
    ((WwFakeCodeCaches *)self)->clears = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCodeCaches, control, &ww_contract_code_caches, &fake_table,
                     "code that is given up"),
    {0},
};

const WwType ww_fake_code_caches_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.code_caches",
    .doc = "caches of instructions without any",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeCodeCaches),
    .ports = fake_ports,
    .reset = fake_reset,
};
