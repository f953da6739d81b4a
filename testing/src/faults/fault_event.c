/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.event`: the events check must catch it. What it writes has a field that nobody can look up.
 */
#include "fault-priv.h"

static const WwEventField field_number =
    WW_EVENT_FIELD("number", WW_EVENT_NUMBER, "", "that is passed on");
static const WwEventRow event_events[] = {
    {"pass", "", "a number is passed on", {&field_number}},
    {0},
};

static WwRest event_pass(void *self)
{
    Fault *f = self;
    while (fault_can_pass(f)) {
        WwToken token = fault_take(f);
        WW_EVENT(f, "pass", -1, "numbers=%" G_GUINT64_FORMAT, token); /* the fault */
        ww_fifo_put(&f->out, token);
    }
    return WW_SLEEP;
}

static const WwEntryRow event_entries[] = {
    {.name = "pass", .phase = "main", .tick = event_pass, .doc = "passes numbers on"},
    {0},
};

const WwType fault_event_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.event",
    .doc = "Writes an event with a field that it does not declare.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .events = event_events,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = event_entries,
    .reset = fault_reset,
};
