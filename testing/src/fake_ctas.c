/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `ctas`: a queue of CTAs placed, of which the test completes the oldest. */
#include <string.h>
#include <testing/fake_ctas.h>

static uint32_t padded(const WwKernel *kernel)
{
    return (kernel->threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE * WW_WARP_SIZE;
}

static const WwCtaView *fake_view(void *self)
{
    WwFakeCtas *f = self;
    return &f->view;
}

static void fake_number(void *self, uint32_t sm, uint32_t sms, uint32_t cluster)
{
    WwFakeCtas *f = self;
    f->view.sm = sm;
    f->view.sms = sms;
    f->view.cluster = cluster;
}

static bool fake_can_place(void *self, const WwKernelRun *run, GError **error)
{
    WwFakeCtas *f = self;
    f->asked++;
    if (f->error != NULL) {
        return ww_fail(error, WW_ERROR_MODEL, "%s", f->error);
    }
    return ww_kernel_more(run) && f->view.active < f->limit && f->placed < WW_FAKE_CTAS_MAX;
}

static void fake_place(void *self, const WwKernelRun *run, const WwCtaTrace *trace)
{
    WwFakeCtas *f = self;
    f->run[f->placed] = run;
    f->trace[f->placed++] = trace;
    f->view.run = run;
    f->view.active++;
    f->view.threads += run->kernel->threads_per_cta;
    f->view.limit = f->limit;
    f->view.padded = padded(run->kernel);
}

static void fake_retire(void *self, uint32_t warp)
{
    WwFakeCtas *f = self;
    f->retires++;
    f->retired |= 1ull << warp;
}

static bool fake_collect(void *self, const WwKernelRun **run, const WwCtaTrace **trace)
{
    WwFakeCtas *f = self;
    if (f->first == f->done) {
        return false;
    }
    *run = f->run[f->first];
    *trace = f->trace[f->first++];
    f->collected++;
    return true;
}

static void fake_rotate_from(void *self, WwCycle edge)
{
    ((WwFakeCtas *)self)->rotate_from = edge;
}

static WwCycle fake_lasts(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwCtasIf fake_table = {
    .view = fake_view,
    .number = fake_number,
    .can_place = fake_can_place,
    .place = fake_place,
    .retire = fake_retire,
    .collect = fake_collect,
    .rotate_from = fake_rotate_from,
    .lasts = fake_lasts,
};

void ww_fake_ctas_complete(WwFakeCtas *f)
{
    ww_assert(f->done < f->placed);
    f->view.threads -= f->run[f->done++]->kernel->threads_per_cta;
    if (--f->view.active == 0) {
        f->view.run = NULL;
    }
    for (uint32_t i = 0; i < f->ctas.n; i++) {
        if (f->ctas.client[i].rank == WW_CTAS_DISPATCH) {
            ww_wake(&f->ctas.client[i].wake);
        }
    }
}

static void fake_reset(void *self)
{
    WwFakeCtas *f = self;
    memset(&f->view, 0, sizeof f->view);
    f->limit = 32;
    f->error = NULL;
    f->asked = f->placed = f->collected = f->retires = f->first = f->done = 0;
    f->retired = 0;
    f->rotate_from = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeCtas, ctas, &ww_contract_ctas, &fake_table,
                     "CTA slots that the test empties"),
    {0},
};

const WwType ww_fake_ctas_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.ctas",
    .doc = "an SM that accepts CTAs up to a limit and completes them when a test says so",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeCtas),
    .ports = fake_ports,
    .reset = fake_reset,
};
