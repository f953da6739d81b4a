/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `simt`: pcs out of a table that the test fills. */
#include <string.h>
#include <testing/fake_simt.h>

static uint64_t fake_pc(void *self, uint32_t warp)
{
    WwFakeSimt *f = self;
    f->asked++;
    return f->pc[warp];
}

static const WwSimtView *fake_view(void *self)
{
    return &((WwFakeSimt *)self)->view;
}

static uint64_t fake_expected(void *self, uint32_t warp)
{
    WwFakeSimt *f = self;
    f->asked_expected++;
    return f->expected[warp];
}

void ww_fake_simt_expect(WwFakeSimt *f, uint32_t warp, uint64_t pc)
{
    f->view.unsure |= 1ull << warp;
    f->expected[warp] = pc;
    ww_notify(&f->simt);
}

void ww_fake_simt_sure(WwFakeSimt *f, uint32_t warp)
{
    f->view.unsure &= ~(1ull << warp);
    ww_notify(&f->simt);
}

static const WwSimtIf fake_table = {.pc = fake_pc, .view = fake_view, .expected = fake_expected};

static void fake_reset(void *self)
{
    WwFakeSimt *f = self;
    memset(f->pc, 0, sizeof f->pc);
    memset(f->expected, 0, sizeof f->expected);
    f->view = (WwSimtView){0};
    f->asked = f->asked_expected = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeSimt, simt, &ww_contract_simt, &fake_table,
                     "the pcs that the test gave"),
    {0},
};

const WwType ww_fake_simt_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.simt",
    .doc = "pcs of warps, given by a test",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeSimt),
    .ports = fake_ports,
    .reset = fake_reset,
};
