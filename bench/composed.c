/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What composing costs: an SM-like pipeline of 24 stages, once as components that the kernel runs and ports join, and once as the same
 * functions called in the same order from one C function, with the pipeline registers as plain fields.
 *
 * The work of a stage is what components of an SM do for a token: choose a warp by masks, look operands up for bank conflicts, find
 * a line among tags, fold 32 addresses into sectors, hash. Both versions call the same six functions, and both
 * take a token only when there is room behind the stage; at the end they must have computed the same.
 *
 * Host instructions are counted: by the processor's counter where the system lets us, else under callgrind (the difference of two
 * lengths, so that setting up does not count), else seconds stand in. Loads: a token in every cycle, in every second, in every tenth.
 *
 * The goal is a ratio of at most 1.15 with a token in every cycle. It is missed: a stage works for some 200 instructions on a token, and
 * composing adds some 80 to it. docs/kernel.md#what-it-costs says what each of them is for, and what share of a whole simulator they have. The
 * direct version has none of it: sleeping, statistics of channels, fingerprints, an event log, parts that can be exchanged.
 */
#include <linux/perf_event.h>
#include <ports/tokens.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <testing/testing.h>
#include <time.h>
#include <unistd.h>
#include <warpwright/machine.h>

enum { STAGES = 24, LANES = 32, WARPS = 64, BANKS = 16, WAYS = 32, MOST = 6 };

/* ---- the work: the same functions for both ---------------------------------------------------------------------- */

typedef struct Work {
    uint64_t ready, waiting; /* warps */
    uint32_t last;
    uint32_t bank[BANKS];
    uint64_t tag[WAYS];
    uint64_t stamp[WAYS];
    uint64_t lane[LANES];
    uint64_t tick;
} Work;

#define WORK __attribute__((noinline)) static uint64_t

/* The next ready warp behind the last one, of those whose registers are free. */
WORK choose_warp(Work *w, uint64_t token)
{
    w->ready |= 1ull << (token % WARPS) | 1ull << (token / 64 % WARPS);
    w->waiting ^= token * 0x9e3779b97f4a7c15u;
    uint64_t can = w->ready & ~w->waiting, behind = can & (UINT64_MAX << w->last);
    for (uint64_t m = behind != 0 ? behind : can; m != 0; m &= m - 1) {
        w->last = (uint32_t)__builtin_ctzll(m);
        if ((token >> (w->last & 31) & 3) != 0) {
            w->ready &= ~(1ull << w->last);
            break;
        }
    }
    return token + w->last;
}

/* Operands over banks: the most requests to one. */
WORK count_conflicts(Work *w, uint64_t token)
{
    uint32_t most = 0;
    for (int i = 0; i < BANKS; i++) {
        w->bank[i] -= w->bank[i] != 0;
    }
    for (int i = 0; i < 8; i++) {
        uint32_t b = (uint32_t)(token >> (8 * i)) % BANKS;
        w->bank[b]++;
        most = MAX(most, w->bank[b]);
    }
    return token ^ (uint64_t)most << 7;
}

/* A set-associative look-up with least recently used replacement. */
WORK look_up(Work *w, uint64_t token)
{
    uint64_t line = token >> 5 & 0x3f;
    int oldest = 0;
    w->tick++;
    for (int i = 0; i < WAYS; i++) {
        if (w->tag[i] == line) {
            w->stamp[i] = w->tick;
            return token + 1;
        }
        oldest = w->stamp[i] < w->stamp[oldest] ? i : oldest;
    }
    w->tag[oldest] = line;
    w->stamp[oldest] = w->tick;
    return token + 2;
}

/* 32 addresses with a stride: which sectors. */
WORK coalesce(Work *w, uint64_t token)
{
    uint64_t sectors = 0, stride = token & 15;
    for (uint64_t i = 0; i < LANES; i++) {
        w->lane[i] = token + i * stride;
        sectors |= 1ull << (w->lane[i] >> 5 & 63);
    }
    return token + (uint64_t)__builtin_popcountll(sectors);
}

/* A lane at a time. */
WORK execute(Work *w, uint64_t token)
{
    uint64_t sum = token;
    for (int i = 0; i < LANES; i++) {
        w->lane[i] = w->lane[i] * 3 + sum;
        sum ^= w->lane[i] >> 3;
    }
    return sum;
}

/* Some ten multiplications. */
WORK hash(Work *w, uint64_t token)
{
    for (int i = 0; i < 10; i++) {
        token = (token ^ token >> 29) * 0xbf58476d1ce4e5b9u + w->tick;
    }
    return token;
}

typedef uint64_t (*WorkFn)(Work *, uint64_t);
static const WorkFn work[MOST] = {choose_warp, count_conflicts, look_up, coalesce, execute, hash};

/* ---- composed: components, ports, kernel ------------------------------------------------------------------------- */

typedef struct Source {
    WwComponent base;
    uint32_t interval;
    WwPort out;
    uint64_t sent;
} Source;

static WwRest source_turn(void *self)
{
    Source *s = self;
    if (ww_fifo_room(&s->out)) {
        ww_fifo_put(&s->out, s->sent++);
    }
    return s->interval;
}

typedef struct Stage {
    WwComponent base;
    uint32_t kind;
    WwPort in, out;
    WorkFn fn;
    Work work;
} Stage;

static WwRest stage_turn(void *self)
{
    Stage *s = self;
    if (ww_fifo_ready(&s->in) && ww_fifo_room(&s->out)) {
        ww_fifo_put(&s->out, s->fn(&s->work, ww_fifo_take(&s->in)));
    }
    return WW_SLEEP;
}

static void stage_reset(void *self)
{
    Stage *s = self;
    s->fn = work[s->kind];
    s->work = (Work){0};
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
        s->sum = s->sum * 31 + ww_fifo_take(&s->in);
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
        (const WwParamRow[]){
            WW_UINT(Source, interval, "cycles", "1", 1, 1e6, "cycles between tokens"), {0}},
    .ports = (const WwPortRow[]){WW_PORT_OUT(Source, out, &ww_contract_number, 1, "tokens"), {0}},
    .entries = ENTRY(source_turn),
};
static const WwType stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "bench.work",
    .doc = "Does one kind of work on each token.",
    .family = "bench",
    .size = sizeof(Stage),
    .params = (const WwParamRow[]){WW_UINT(Stage, kind, "", "0", 0, MOST - 1, "which work"), {0}},
    .ports = (const WwPortRow[]){WW_PORT_IN(Stage, in, &ww_contract_number, 1, "tokens"),
                                 WW_PORT_OUT(Stage, out, &ww_contract_number, 1, "tokens"),
                                 {0}},
    .entries = ENTRY(stage_turn),
    .reset = stage_reset,
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

static void set_uint(WwComponent *c, uint32_t v)
{
    GError *error = NULL;
    must(ww_component_set(c, 0, &(WwValue){.kind = WW_PARAM_UINT, .u = v}, &error), error);
}

static WwMachine *build(const WwRegistry *registry, uint32_t interval, const Sink **sink)
{
    GError *error = NULL;
    WwMachine *m = ww_machine_new(registry);
    must(ww_machine_add_domain(m, "core", 1e9, &error) != NULL, error);
    must(ww_machine_add_phase(m, "main", "core", &error), error);
    ww_machine_set_hang_limit(m, 0);
    WwComponent *last = NULL;
    for (int i = 0; i < STAGES + 2; i++) {
        const WwType *t = i == 0 ? &source_type : i == STAGES + 1 ? &sink_type : &stage_type;
        WwComponent *c = ww_machine_add(m, ww_machine_root(m), t, "part", i, (WwLocation){0});
        if (i == 0) {
            set_uint(c, interval);
        } else {
            must(ww_join(last, ww_type_port(last->type, "out"), c, ww_type_port(t, "in"),
                         (WwLocation){0}, &error),
                 error);
        }
        if (t == &stage_type) {
            set_uint(c, (uint32_t)(i - 1) % MOST);
        }
        last = c;
    }
    must(ww_machine_seal(m, &error), error);
    *sink = (const Sink *)(const void *)last;
    return m;
}

/* ---- direct: the same functions from one C function --------------------------------------------------------------- */

typedef struct Direct {
    uint64_t
        token[STAGES + 1]; /* the register in front of each stage, and the one behind the last */
    bool full[STAGES + 1];
    Work work[STAGES];
    uint64_t sent, sum;
    uint32_t interval, rest;
} Direct;

static void direct_cycle(Direct *d)
{
    if (d->full[STAGES]) {
        d->sum = d->sum * 31 + d->token[STAGES];
        d->full[STAGES] = false;
    }
    for (int i = STAGES - 1; i >= 0; i--) {
        if (d->full[i] && !d->full[i + 1]) {
            d->token[i + 1] = work[i % MOST](&d->work[i], d->token[i]);
            d->full[i + 1] = true;
            d->full[i] = false;
        }
    }
    if (d->rest-- == 0) {
        d->rest = d->interval - 1;
        if (!d->full[0]) {
            d->token[0] = d->sent++;
            d->full[0] = true;
        }
    }
}

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static int counter = -1;

static void open_counter(void)
{
    struct perf_event_attr a = {.type = PERF_TYPE_HARDWARE,
                                .size = sizeof a,
                                .config = PERF_COUNT_HW_INSTRUCTIONS,
                                .disabled = 1,
                                .exclude_kernel = 1,
                                .exclude_hv = 1};
    counter = (int)syscall(SYS_perf_event_open, &a, 0, -1, -1, 0);
}

static void start_counter(void)
{
    if (counter >= 0) {
        ioctl(counter, PERF_EVENT_IOC_RESET, 0);
        ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
    }
}

static uint64_t stop_counter(void)
{
    uint64_t n = 0;
    if (counter >= 0) {
        ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
        if (read(counter, &n, sizeof n) != sizeof n) {
            n = 0;
        }
    }
    return n;
}

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

typedef struct Cost {
    uint64_t sum;          /* what was computed */
    uint64_t instructions; /* 0: not counted here */
    double seconds;
} Cost;

static Cost run_composed(const WwRegistry *registry, uint32_t interval, uint64_t cycles)
{
    const Sink *sink;
    WwMachine *m = build(registry, interval, &sink);
    double start = seconds();
    start_counter();
    ww_run(m, cycles);
    Cost c = {.instructions = stop_counter(), .seconds = seconds() - start, .sum = sink->sum};
    ww_machine_free(m);
    return c;
}

static Cost run_direct(uint32_t interval, uint64_t cycles)
{
    Direct *d = g_new0(Direct, 1);
    d->interval = interval;
    double start = seconds();
    start_counter();
    for (uint64_t i = 0; i < cycles; i++) {
        direct_cycle(d);
    }
    Cost c = {.instructions = stop_counter(), .seconds = seconds() - start, .sum = d->sum};
    g_free(d);
    return c;
}

/* Instructions of this program with these arguments under callgrind; 0: it cannot be run. */
static uint64_t callgrind(const char *program, const char *what, uint32_t interval, uint64_t cycles)
{
    g_autofree char *valgrind = g_find_program_in_path("valgrind");
    g_autofree char *interval_text = g_strdup_printf("%u", interval);
    g_autofree char *cycles_text = g_strdup_printf("%" G_GUINT64_FORMAT, cycles);
    g_autofree char *err = NULL;
    const char *argv[] = {valgrind,
                          "--tool=callgrind",
                          "--callgrind-out-file=/dev/null",
                          program,
                          what,
                          interval_text,
                          cycles_text,
                          NULL};
    if (valgrind == NULL || !g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_STDOUT_TO_DEV_NULL,
                                          NULL, NULL, NULL, &err, NULL, NULL)) {
        return 0;
    }
    const char *collected = strstr(err, "Collected : ");
    return collected != NULL ? g_ascii_strtoull(collected + strlen("Collected : "), NULL, 10) : 0;
}

/* Instructions a cycle: the difference of two lengths. */
static double counted(const char *program, const char *what, uint32_t interval)
{
    uint64_t few = callgrind(program, what, interval, 2000),
             many = callgrind(program, what, interval, 6000);
    return few != 0 && many > few ? (double)(many - few) / 4000 : 0;
}

static void compare(const WwRegistry *registry, const char *program, uint32_t interval,
                    uint64_t cycles)
{
    Cost c = run_composed(registry, interval, cycles), d = run_direct(interval, cycles);
    for (int i = 0; i < 4; i++) { /* of seconds the least: others use the machine, too */
        c.seconds = MIN(c.seconds, run_composed(registry, interval, cycles).seconds);
        d.seconds = MIN(d.seconds, run_direct(interval, cycles).seconds);
    }
    if (c.sum != d.sum) {
        fprintf(stderr,
                "bench: the two pipelines computed different things (%" G_GUINT64_FORMAT
                ", %" G_GUINT64_FORMAT ")\n",
                c.sum, d.sum);
        exit(1);
    }
    const char *unit = "instructions";
    double composed = (double)c.instructions / (double)cycles,
           direct = (double)d.instructions / (double)cycles;
    if (composed == 0 || direct == 0) {
        composed = counted(program, "composed", interval);
        direct = composed != 0 ? counted(program, "direct", interval) : 0;
    }
    if (composed == 0 || direct == 0) {
        unit = "ns";
        composed = 1e9 * c.seconds / (double)cycles;
        direct = 1e9 * d.seconds / (double)cycles;
    }
    double tokens = (double)(STAGES + 2) / interval; /* activations a cycle: one a token a part */
    printf("load_%u_composed_%s_per_cycle %.1f\n", 100 / interval, unit, composed);
    printf("load_%u_direct_%s_per_cycle %.1f\n", 100 / interval, unit, direct);
    printf("load_%u_composing_%s_per_activation %.1f\n", 100 / interval, unit,
           (composed - direct) / tokens);
    printf("load_%u_ratio %.3f\n", 100 / interval, composed / direct);
    printf("load_%u_time_ratio %.3f\n", 100 / interval, c.seconds / d.seconds);
}

int main(int argc, char **argv)
{
    GError *error = NULL;
    WwRegistry *registry = ww_registry_new();
    const WwType *const types[] = {&source_type, &stage_type, &sink_type, NULL};
    must(ww_testing_register(registry, &error), error);
    must(ww_registry_add_all(registry, types, "bench", &error), error);
    if (argc == 4) { /* what callgrind counts */
        uint32_t interval = (uint32_t)atoi(argv[2]);
        uint64_t cycles = g_ascii_strtoull(argv[3], NULL, 10);
        Cost c = strcmp(argv[1], "composed") == 0 ? run_composed(registry, interval, cycles)
                                                  : run_direct(interval, cycles);
        printf("%" G_GUINT64_FORMAT "\n", c.sum);
        ww_registry_free(registry);
        return 0;
    }
    static const uint32_t intervals[] = {1, 2, 10};
    double scale = argc > 1 ? atof(argv[1]) : 1.0;
    open_counter();
    for (size_t i = 0; i < G_N_ELEMENTS(intervals); i++) {
        compare(registry, argv[0], intervals[i], (uint64_t)(1e5 * scale));
    }
    ww_registry_free(registry);
    return 0;
}
