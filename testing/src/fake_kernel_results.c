/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `kernel_results`: a list that the test wrote down. */
#include <testing/fake_kernel_results.h>

static bool fake_next(void *self, WwKernelResult *out)
{
    WwFakeKernelResults *f = self;
    if (f->at >= f->n) {
        return false;
    }
    *out = f->results[f->at++];
    return true;
}

static uint32_t fake_running(void *self)
{
    WwFakeKernelResults *f = self;
    return f->in_flight;
}

static void fake_progress(void *self, uint64_t *issued, uint64_t *completed, uint64_t *total)
{
    WwFakeKernelResults *f = self;
    *issued = f->issued;
    *completed = f->completed;
    *total = f->total;
}

static const WwKernelResultsIf fake_table = {
    .next = fake_next,
    .running = fake_running,
    .ctas = fake_progress,
};

static void fake_reset(void *self)
{
    WwFakeKernelResults *f = self;
    f->results = NULL;
    f->n = f->at = f->in_flight = 0;
    f->issued = f->completed = f->total = 0;
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeKernelResults, kernel_results, &ww_contract_kernel_results, &fake_table,
                     "results that the test wrote down"),
    {0},
};

const WwType ww_fake_kernel_results_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.kernel_results",
    .doc = "finished kernels that a test wrote down",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeKernelResults),
    .ports = fake_ports,
    .reset = fake_reset,
};
