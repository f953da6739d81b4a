/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `dependence`. */
#include <string.h>
#include <testing/fake_dependence.h>

void ww_fake_dependence_block(WwFakeDependence *f, uint32_t warp, uint32_t bits)
{
    uint32_t n = ww_provided_count(&f->dependence, WW_DEPENDENCE_CHECK);
    f->blocks[warp] = bits;
    const WwClient *c =
        n != 0 ? ww_provided_client(&f->dependence, WW_DEPENDENCE_CHECK, warp % n) : NULL;
    if (c != NULL && bits == 0) {
        ww_wake(&c->wake);
    }
}

/* ---- the contract -------------------------------------------------------------------------- */

static uint32_t fake_blocks(void *self, const WwInst *inst)
{
    return ((WwFakeDependence *)self)->blocks[inst->warp];
}

static WwCycle fake_until(void *self, uint32_t warp)
{
    const WwFakeDependence *f = self;
    return MAX(f->until[warp], ww_now(f) + 1);
}

static void fake_issued(void *self, const WwInst *inst)
{
    WwFakeDependence *f = self;
    f->issued++;
    f->last = inst;
    f->cycle = ww_now(f);
}

static void fake_sent(void *self, const WwInst *inst)
{
    WwFakeDependence *f = self;
    f->sent++;
    f->last = inst;
    f->cycle = ww_now(f);
}

static void fake_read(void *self, const WwInst *inst)
{
    WwFakeDependence *f = self;
    f->read++;
    f->last = inst;
    f->cycle = ww_now(f);
}

static void fake_written(void *self, const WwInst *inst)
{
    WwFakeDependence *f = self;
    f->written++;
    f->last = inst;
    f->cycle = ww_now(f);
}

static bool fake_settled(void *self, uint32_t warp)
{
    return (((WwFakeDependence *)self)->pending >> warp & 1u) == 0;
}

static void fake_retired(void *self, uint32_t warp)
{
    ((WwFakeDependence *)self)->retired++;
}

static const WwDependenceIf fake_table = {
    .blocks = fake_blocks,
    .until = fake_until,
    .issued = fake_issued,
    .sent = fake_sent,
    .read = fake_read,
    .written = fake_written,
    .settled = fake_settled,
    .idle = fake_settled,
    .retired = fake_retired,
};

static void fake_reset(void *self)
{
    WwFakeDependence *f = self;
    memset(f->blocks, 0, sizeof f->blocks);
    memset(f->until, 0, sizeof f->until);
    f->pending = 0;
    f->issued = f->sent = f->read = f->written = f->retired = 0;
    f->last = NULL;
    f->cycle = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeDependence, dependence, &ww_contract_dependence, &fake_table,
                     "dependences that a test chose"),
    {0},
};

const WwType ww_fake_dependence_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.dependence",
    .doc = "dependences of instructions that a test chooses",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeDependence),
    .ports = fake_ports,
    .reset = fake_reset,
};
