/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: what the kernel costs when the components do nothing but pass tokens on.
 *
 * 80 SMs of 40 components with a port between each two: a source, 38 stages, a sink. The source sends in every cycle (100 % of the
 * components active), in every tenth, or never; with and without windows, since an SM is a partition, as in the shipped platforms. And timed
 * events that reschedule themselves at random delays, 100 and 100,000 pending. bench/systemc/floor.cpp builds the same in SystemC;
 * bench/ratios prints both side by side. Read the ratios: seconds are noisy.
 */
#include <ports/tokens.h>
#include <stdio.h>
#include <stdlib.h>
#include <testing/testing.h>
#include <time.h>
#include <warpwright/event.h>
#include <warpwright/machine.h>

enum { SMS = 80, PARTS = 40 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the parts -------------------------------------------------------------------------------------------------- */

typedef struct Source {
    WwComponent base;
    uint32_t interval; /* cycles between tokens; 0: never */
    WwPort out;
    uint64_t sent;
} Source;

static WwRest source_turn(void *self)
{
    Source *s = self;
    if (s->interval == 0) {
        return WW_SLEEP;
    }
    if (ww_fifo_room(&s->out)) {
        ww_fifo_put(&s->out, s->sent++);
    }
    return s->interval;
}

typedef struct Stage {
    WwComponent base;
    WwPort in, out;
} Stage;

static WwRest stage_turn(void *self)
{
    Stage *s = self;
    if (ww_fifo_ready(&s->in) && ww_fifo_room(&s->out)) {
        ww_fifo_put(&s->out, ww_fifo_take(&s->in) + 1);
    }
    return WW_SLEEP;
}

typedef struct Sink {
    WwComponent base;
    WwPort in;
    uint64_t sum;
} Sink;

static WwRest sink_turn(void *self)
{
    Sink *s = self;
    if (ww_fifo_ready(&s->in)) {
        s->sum += ww_fifo_take(&s->in);
    }
    return WW_SLEEP;
}

#define ENTRY(fn)                                                                                  \
    (const WwEntryRow[])                                                                           \
    {                                                                                              \
        {.name = "turn", .phase = "main", .tick = fn, .doc = "one cycle"},                         \
        {                                                                                          \
            0                                                                                      \
        }                                                                                          \
    }

static const WwType source_type = {
    .abi = WW_ABI_VERSION,
    .name = "bench.source",
    .doc = "Sends a token every `interval` cycles.",
    .family = "bench",
    .size = sizeof(Source),
    .params =
        (const WwParamRow[]){WW_UINT(Source, interval, "cycles", "1", 0, 1e6, "0: never"), {0}},
    .ports = (const WwPortRow[]){WW_PORT_OUT(Source, out, &ww_contract_number, 1, "tokens"), {0}},
    .entries = ENTRY(source_turn),
};
static const WwType stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "bench.stage",
    .doc = "Passes a token on.",
    .family = "bench",
    .size = sizeof(Stage),
    .ports = (const WwPortRow[]){WW_PORT_IN(Stage, in, &ww_contract_number, 1, "tokens"),
                                 WW_PORT_OUT(Stage, out, &ww_contract_number, 1, "tokens"),
                                 {0}},
    .entries = ENTRY(stage_turn),
};
static const WwType sink_type = {
    .abi = WW_ABI_VERSION,
    .name = "bench.sink",
    .doc = "Takes tokens.",
    .family = "bench",
    .size = sizeof(Sink),
    .ports = (const WwPortRow[]){WW_PORT_IN(Sink, in, &ww_contract_number, 1, "tokens"), {0}},
    .entries = ENTRY(sink_turn),
};

static void must(bool ok, GError *error)
{
    if (!ok) {
        fprintf(stderr, "bench: %s\n", error->message);
        exit(1);
    }
}

static WwMachine *build(const WwRegistry *registry, uint32_t interval)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(registry);
    must(ww_machine_add_domain(m, "core", 1e9, &error) != NULL, error);
    must(ww_machine_add_phase(m, "main", "core", &error), error);
    ww_machine_set_hang_limit(m, 0);
    for (uint32_t sm = 0; sm < SMS; sm++) {
        WwGroup *g = ww_machine_add_group(
            m, ww_machine_root(m),
            &(WwGroupSpec){.name = "sm", .array = true, .index = sm, .partition = true});
        WwComponent *last = NULL;
        for (int i = 0; i < PARTS; i++) {
            const WwType *t = i == 0 ? &source_type : i == PARTS - 1 ? &sink_type : &stage_type;
            WwComponent *c = ww_machine_add(m, g, t, "part", i, (WwLocation){0});
            if (i == 0) {
                WwValue v = {.kind = WW_PARAM_UINT, .u = interval};
                must(ww_component_set(c, 0, &v, &error), error);
            } else {
                must(ww_join(last, ww_type_port(last->type, "out"), c, ww_type_port(t, "in"),
                             (WwLocation){0}, &error),
                     error);
            }
            last = c;
        }
    }
    must(ww_machine_seal(m, &error), error);
    return m;
}

/* ---- timed events ----------------------------------------------------------------------------------------------- */

typedef struct Timed {
    WwEvent event;
    WwMachine *machine;
    WwDomain *domain;
    uint64_t state; /* of its random delays */
    uint64_t *fired;
    uint32_t span;
} Timed;

static void fire(void *self, WwEvent *event)
{
    Timed *t = self;
    t->state = t->state * 6364136223846793005u + 1442695040888963407u;
    ++*t->fired;
    ww_event_at(t->machine, t->domain, event,
                t->domain->cycle + 1 + (uint32_t)(t->state >> 40) % t->span);
}

static double timed(const WwRegistry *registry, uint32_t pending, uint64_t events)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(registry);
    WwDomain *d = ww_machine_add_domain(m, "core", 1e9, &error);
    must(ww_machine_add_phase(m, "main", "core", &error), error);
    ww_machine_set_hang_limit(m, 0);
    must(ww_machine_seal(m, &error), error);
    Timed *t = g_new0(Timed, pending);
    uint64_t fired = 0;
    for (uint32_t i = 0; i < pending; i++) {
        t[i] = (Timed){{.fire = fire, .self = &t[i]}, m, d, i * 7919u + 1, &fired, 2 * pending};
        ww_event_at(m, d, &t[i].event, 1 + i % (2 * pending));
    }
    double start = seconds();
    while (fired < events) {
        ww_run(m, 10000);
    }
    double s = seconds() - start;
    ww_machine_free(m);
    g_free(t);
    return 1e9 * s / (double)fired;
}

int main(int argc, char **argv)
{
    double scale = argc > 1 ? atof(argv[1]) : 1.0;
    GError *error = NULL;
    WwRegistry *registry = ww_registry_new();
    const WwType *const types[] = {&source_type, &stage_type, &sink_type, NULL};
    must(ww_testing_register(registry, &error), error);
    must(ww_registry_add_all(registry, types, "bench", &error), error);
    static const struct {
        const char *name;
        uint32_t interval;
        double ticks;
        bool windows;
    } loads[] = {{"0", 0, 1e6, true},
                 {"10", 10, 4e4, true},
                 {"10_no_windows", 10, 4e4, false},
                 {"100", 1, 1e4, true},
                 {"100_no_windows", 1, 1e4, false}};
    for (size_t i = 0; i < G_N_ELEMENTS(loads); i++) {
        WwMachine *m = build(registry, loads[i].interval);
        WwTick n = (WwTick)(loads[i].ticks * scale);
        ww_machine_set_windows(m, loads[i].windows);
        ww_run(m, 100);
        uint64_t before = ww_machine_activations(m);
        double start = seconds();
        WwRunStatus s = ww_run(m, n);
        double t = seconds() - start;
        uint64_t a = ww_machine_activations(m) - before;
        if (a != 0) {
            printf("active_%s_ns_per_activation %.2f\n", loads[i].name, 1e9 * t / (double)a);
        }
        /* with nothing to do the run ends at once: an idle machine has no ticks at all */
        printf("active_%s_ns_per_sm_cycle %.3f\n", loads[i].name,
               s == WW_RUN_DONE ? 0.0 : 1e9 * t / (double)n / SMS);
        ww_machine_free(m);
    }
    printf("timed_100_ns_per_event %.2f\n", timed(registry, 100, (uint64_t)(2e6 * scale)));
    printf("timed_100000_ns_per_event %.2f\n", timed(registry, 100000, (uint64_t)(2e6 * scale)));
    ww_registry_free(registry);
    return 0;
}
