/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `cluster`: accepts as many CTAs as the test allows. */
#include <testing/fake_cluster.h>

static uint32_t fake_number(void *self, uint32_t first, uint32_t sms, uint32_t cluster)
{
    WwFakeCluster *f = self;
    f->first = first;
    f->sms = sms;
    f->numbered++;
    return f->cores;
}

static uint32_t fake_size(void *self)
{
    WwFakeCluster *f = self;
    return f->cores;
}

static bool fake_offer(void *self)
{
    WwFakeCluster *f = self;
    f->offers++;
    if (f->order != NULL) {
        f->turn = (*f->order)++;
    }
    if (f->accept == 0) {
        return false;
    }
    f->accept--;
    f->placed++;
    f->last_placed = ww_now(f);
    return true;
}

static bool fake_empty(void *self)
{
    return !((WwFakeCluster *)self)->busy;
}

static uint64_t fake_insns(void *self)
{
    return ((WwFakeCluster *)self)->insns;
}

static WwCycle fake_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwClusterIf fake_table = {.number = fake_number,
                                       .size = fake_size,
                                       .offer = fake_offer,
                                       .empty = fake_empty,
                                       .insns = fake_insns,
                                       .lasts = fake_lasts};

void ww_fake_cluster_free(WwFakeCluster *f, uint32_t n)
{
    f->accept += n;
    ww_notify(&f->cluster);
}

static void fake_reset(void *self)
{
    WwFakeCluster *f = self;
    f->accept = UINT32_MAX;
    f->cores = 1;
    f->order = NULL;
    f->first = f->sms = f->numbered = f->offers = f->placed = f->turn = 0;
    f->busy = false;
    f->insns = 0;
    f->last_placed = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCluster, cluster, &ww_contract_cluster, &fake_table,
                     "SMs that the test fills"),
    {0},
};

const WwType ww_fake_cluster_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.cluster",
    .doc = "a cluster that accepts as many CTAs as a test allows",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeCluster),
    .ports = fake_ports,
    .reset = fake_reset,
};
