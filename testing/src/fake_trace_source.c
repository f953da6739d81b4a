/* SPDX-License-Identifier: Apache-2.0 */
/* Fake provider of `trace_source`: a component around a trace in memory. */
#include <ports/ctas.h>
#include <testing/fake_trace.h>
#include <warpwright/machine.h>

static bool fake_command(void *self, WwCommand *out, GError **error)
{
    return ww_fake_trace_source.next_command(((WwFakeTraceSource *)self)->trace, out, error);
}

static bool fake_cta(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error)
{
    return ww_fake_trace_source.next_cta(((WwFakeTraceSource *)self)->trace, kernel, out, error);
}

static void fake_release(void *self, const WwKernel *kernel, const WwCtaTrace *cta)
{
    ww_fake_trace_source.release_cta(((WwFakeTraceSource *)self)->trace, kernel, cta);
}

static void fake_close(void *self, const WwKernel *kernel)
{
    ww_fake_trace_source.close_kernel(((WwFakeTraceSource *)self)->trace, kernel);
}

static const WwTraceSourceIf fake_table = {
    .next_command = fake_command,
    .next_cta = fake_cta,
    .release_cta = fake_release,
    .close_kernel = fake_close,
};

static bool fake_init(void *self, GError **error)
{
    ((WwFakeTraceSource *)self)->trace =
        ww_fake_trace_new_in(ww_machine_heap(((WwComponent *)self)->machine));
    return true;
}

static void fake_reset(void *self)
{
    ww_fake_trace_rewind(((WwFakeTraceSource *)self)->trace);
}

static const WwPortRow fake_ports[] = {
    WW_PORT_PROVIDES(WwFakeTraceSource, trace_source, &ww_contract_trace_source, &fake_table,
                     "the trace in memory"),
    {0},
};

const WwType ww_fake_trace_source_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.trace_source",
    .doc = "a trace in memory, described by a test",
    .family = "fake",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(WwFakeTraceSource),
    .ports = fake_ports,
    .init = fake_init,
    .reset = fake_reset,
};
