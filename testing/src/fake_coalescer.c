/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `coalescer`: no lane shares anything. */
#include <testing/fake_coalescer.h>

static void touch(WwTransaction *out, uint32_t *n, uint32_t lane, uint64_t addr, uint32_t from)
{
    uint64_t at = addr & ~(uint64_t)(WW_SECTOR_BYTES - 1);
    if (*n == from || out[*n - 1].addr != at) {
        out[(*n)++] = (WwTransaction){
            .addr = at,
            .lanes = 1u << lane,
            .size = WW_SECTOR_BYTES,
            .sectors = (uint8_t)(1u << at % 128 / WW_SECTOR_BYTES),
        };
    }
    out[*n - 1].bytes.w[addr % 128 / 64] |= 1ull << addr % 64;
}

static uint32_t fake_coalesce(void *self, const WwInst *inst, const WwLanes *lanes,
                              WwTransaction *out)
{
    WwFakeCoalescer *f = self;
    uint32_t n = 0;
    f->calls++;
    for (uint32_t m = lanes->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        for (uint32_t w = 0; w < lanes->words; w++) {
            uint64_t addr = lanes->addr[lane * lanes->words + w];
            uint32_t from = n;
            if (addr == 0 && !lanes->null_too) {
                break;
            }
            for (uint32_t i = 0; i < lanes->width; i++) {
                touch(out, &n, lane, addr + i, from);
            }
        }
    }
    if (f->spoil != NULL) {
        f->spoil(out, &n);
    }
    return n;
}

static uint32_t fake_most(void *self)
{
    return WW_SECTOR_BYTES;
}

static const WwCoalescerIf fake_table = {.coalesce = fake_coalesce, .most = fake_most};

static void fake_reset(void *self)
{
    WwFakeCoalescer *f = self;
    f->spoil = NULL;
    f->calls = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCoalescer, coalescer, &ww_contract_coalescer, &fake_table,
                     "transactions of one lane each"),
    {0},
};

const WwType ww_fake_coalescer_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.coalescer",
    .doc = "coalescer that lets no lanes share",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeCoalescer),
    .ports = fake_ports,
    .reset = fake_reset,
};
