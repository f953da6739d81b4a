/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `fault.event` and `fault.told`: the events check must catch them. What the first writes has a field that nobody can look up; a line of the second
 * says something else when it was kept.
 */
#include "fault-priv.h"

#include <string.h>

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

/* ---- fault.told -------------------------------------------------------------------------------------------------- */

static char *put_number(char *at, uint64_t value)
{
    memcpy(at, " number=", 8);
    return ww_event_number(at + 8, value);
}

static char *tell_next(char *at, const char **from)
{
    return put_number(at, ww_event_take(from) + 1); /* the fault */
}

static const WwEventKept next_number = {ww_event_keep, tell_next};
static const WwEventField *const number_parts[] = {&field_number, NULL};
static const WwEventField field_told = {.name = "told",
                                        .unit = "",
                                        .doc = "a number",
                                        .form = WW_EVENT_PARTS,
                                        .write = put_number,
                                        .parts = number_parts,
                                        .kept = &next_number};
static const WwEventRow told_events[] = {
    {"pass", "lane", "a number is passed on", {&field_told}},
    {0},
};

static WwRest told_pass(void *self)
{
    Fault *f = self;
    while (fault_can_pass(f)) {
        WwToken token = fault_take(f);
        WW_LOG(f, &told_events[0], 0, token);
        ww_fifo_put(&f->out, token);
    }
    return WW_SLEEP;
}

static const WwEntryRow told_entries[] = {
    {.name = "pass", .phase = "main", .tick = told_pass, .doc = "passes numbers on"},
    {0},
};

const WwType fault_told_type = {
    .abi = WW_ABI_VERSION,
    .name = "fault.told",
    .doc = "Writes events that say something else when they were kept.",
    .family = "std",
    .flags = WW_TYPE_FAULTY,
    .conserves = WW_CONSERVES_ONE,
    .events = told_events,
    .size = sizeof(Fault),
    .params = fault_params,
    .ports = fault_ports,
    .stats = fault_stats,
    .entries = told_entries,
    .reset = fault_reset,
};
