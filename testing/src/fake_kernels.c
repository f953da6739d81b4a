/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `kernels`: runs that a test added. */
#include <string.h>
#include <testing/fake_kernels.h>

static const WwKernelRun *fake_select(void *self)
{
    WwFakeKernels *f = self;
    f->selects++;
    for (uint32_t i = 0; i < f->n; i++) {
        if (ww_kernel_more(&f->run[i]) && ww_now(f) >= f->run[i].ready) {
            return &f->run[i];
        }
    }
    return NULL;
}

static const WwCtaTrace *fake_take(void *self, const WwKernelRun *of)
{
    WwFakeKernels *f = self;
    WwKernelRun *run = &f->run[of->slot];
    if (f->fail) {
        return NULL;
    }
    f->takes++;
    run->next_cta++;
    run->resident++;
    return &f->trace;
}

static void fake_completed(void *self, const WwKernelRun *of, const WwCtaTrace *trace)
{
    WwFakeKernels *f = self;
    WwKernelRun *run = &f->run[of->slot];
    f->completed++;
    f->last = run;
    f->last_trace = trace;
    run->resident--;
}

static bool fake_more(void *self)
{
    WwFakeKernels *f = self;
    for (uint32_t i = 0; i < f->n; i++) {
        if (ww_kernel_more(&f->run[i])) {
            return true;
        }
    }
    return false;
}

static WwCycle fake_idle(void *self)
{
    return ((WwFakeKernels *)self)->idle;
}

/* Whoever was refused may always ask again. */
static uint64_t fake_changes(void *self)
{
    return ((WwFakeKernels *)self)->changes++;
}

static const WwKernelsIf fake_table = {
    .select = fake_select,
    .take = fake_take,
    .completed = fake_completed,
    .more = fake_more,
    .idle = fake_idle,
    .changes = fake_changes,
};

WwKernelRun *ww_fake_kernels_add(WwFakeKernels *f, uint64_t ctas, uint32_t threads, WwCycle ready)
{
    ww_assert(f->n < WW_FAKE_KERNELS_MAX);
    WwKernel *k = &f->kernel[f->n];
    *k = (WwKernel){
        .name = f->name,
        .file = f->name,
        .uid = f->n + 1,
        .grid = {(uint32_t)ctas, 1, 1},
        .block = {threads, 1, 1},
        .n_ctas = ctas,
        .threads_per_cta = threads,
        .nregs = 16,
        .binary_version = 80,
    };
    WwKernelRun *run = &f->run[f->n];
    *run = (WwKernelRun){.kernel = k, .ready = ready, .slot = f->n};
    f->n++;
    for (uint32_t i = 0; i < f->kernels.n; i++) {
        const WwClient *c = &f->kernels.client[i];
        if (c->rank == WW_KERNELS_DISPATCH) {
            ww_wake_at(&c->wake, ready > ww_now(c->who) ? ready : ww_now(c->who));
        }
    }
    return run;
}

static void fake_reset(void *self)
{
    WwFakeKernels *f = self;
    strcpy(f->name, "fake");
    f->n = 0;
    memset(f->run, 0, sizeof f->run);
    memset(f->kernel, 0, sizeof f->kernel);
    f->fail = false;
    f->selects = f->takes = f->completed = 0;
    f->last = NULL;
    f->last_trace = NULL;
    f->trace = (WwCtaTrace){0};
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeKernels, kernels, &ww_contract_kernels, &fake_table,
                     "kernels that the test added"),
    {0},
};

const WwType ww_fake_kernels_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.kernels",
    .doc = "kernels that a test added",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeKernels),
    .ports = fake_ports,
    .reset = fake_reset,
};
