/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The whole front end of an SM, four sub-cores with a stage each that issues whatever is there, against records of the simulator that was released with the
 * paper: of straight code, jumps and loops each instruction issues in the same cycle. What is below the shared cache answers when it did there.
 */
#include "tests.h"

#include <ports/ctas.h>
#include <ports/hazards.h>
#include <ports/sub_core.h>
#include <string.h>
#include <tests/support/machine.h>

enum { SUB_CORES = 4, WARPS = 8, MOST = 1024, LINES = 512 };

/* ---- a record ---------------------------------------------------------------------------------------------------- */

typedef struct Record {
    WwCycle start;
    bool here[WARPS];
    uint64_t stalls_at; /* Behind the instruction here its warp issues nothing */
    WwCycle stall;      /* before so many cycles later. */
    uint32_t n[WARPS];
    uint64_t pc[WARPS][MOST];
    WwCycle at[WARPS][MOST];
    uint32_t n_lines;
    uint64_t line[LINES];
    WwCycle came[LINES];
} Record;

static void read_line(Record *r, char **words)
{
    if (g_strcmp0(words[0], "start") == 0) {
        r->start = g_ascii_strtoull(words[1], NULL, 10);
    } else if (g_strcmp0(words[0], "stall") == 0) {
        r->stalls_at = g_ascii_strtoull(words[1], NULL, 16);
        r->stall = g_ascii_strtoull(words[2], NULL, 10);
    } else if (g_strcmp0(words[0], "warp") == 0) {
        r->here[g_ascii_strtoull(words[1], NULL, 10)] = true;
    } else if (g_strcmp0(words[0], "line") == 0) {
        g_assert_cmpuint(r->n_lines, <, LINES);
        r->line[r->n_lines] = g_ascii_strtoull(words[1], NULL, 16);
        r->came[r->n_lines++] = g_ascii_strtoull(words[2], NULL, 10);
    } else if (g_strcmp0(words[0], "issue") == 0) {
        uint32_t w = (uint32_t)g_ascii_strtoull(words[1], NULL, 10);
        for (uint32_t i = 2; words[i] != NULL && *words[i] != '\0'; i++) {
            char *cycle;
            g_assert_cmpuint(r->n[w], <, MOST);
            r->pc[w][r->n[w]] = g_ascii_strtoull(words[i], &cycle, 16);
            r->at[w][r->n[w]++] = g_ascii_strtoull(cycle + 1, NULL, 10);
        }
    }
}

static Record *read_record(const char *name)
{
    Record *r = g_new0(Record, 1);
    g_autofree char *file = g_strdup_printf("records/%s.rec", name), *text = NULL;
    g_autofree char *path = g_test_build_filename(G_TEST_DIST, file, NULL);
    GError *error = NULL;
    g_file_get_contents(path, &text, NULL, &error);
    g_assert_no_error(error);
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        g_auto(GStrv) words = g_strsplit(*line, " ", -1);
        read_line(r, words);
    }
    return r;
}

/* ---- what is around the front end -------------------------------------------------------------------------------- */

/* Issues the head of the warp that issued last, else of the youngest. */
typedef struct Issuer {
    WwComponent base;
    WwPort ibuffer;
    WwPort warps;
    const Record *record;
    WwCycle *shift; /* Of time here to time there. */
    uint32_t issued[WARPS];
    WwCycle ready[WARPS]; /* Its stall is over. */
    uint64_t n;
} Issuer;

static bool can_issue(const Issuer *s, const WwIbufferView *v, uint32_t warp)
{
    return (v->valid >> warp & 1u) != 0 && s->ready[warp] <= ww_now(s);
}

static WwRest issuer_tick(void *self)
{
    Issuer *s = self;
    const WwIbufferIf *f = WW_IBUFFERS(&s->ibuffer);
    const WwIbufferView *v = f->view(s->ibuffer.peer);
    uint32_t me = s->ibuffer.ordinal, best = v->last[me];
    if (!can_issue(s, v, best)) {
        best = WW_MAX_WARPS;
        for (uint32_t w = me; w < WARPS; w += SUB_CORES) {
            best = can_issue(s, v, w) ? w : best; /* launched in this order */
        }
    }
    if (best == WW_MAX_WARPS) {
        return WW_AGAIN;
    }
    WwInst *inst = f->pop(s->ibuffer.peer, best, me);
    uint32_t i = s->issued[best]++;
    g_assert_cmphex(inst->s->pc, ==, s->record->pc[best][i]);
    if (ww_now(s) + *s->shift != s->record->at[best][i]) {
        g_test_message("warp %u, instruction %u at %" G_GINT64_MODIFIER "x", best, i, inst->s->pc);
    }
    g_assert_cmpuint(ww_now(s) + *s->shift, ==, s->record->at[best][i]);
    s->ready[best] =
        ww_now(s) +
        (s->record->stall != 0 && inst->s->pc == s->record->stalls_at ? s->record->stall : 1);
    if (s->issued[best] == s->record->n[best]) {
        WW_WARPS(&s->warps)->exit_lanes(s->warps.peer, best, UINT32_MAX);
        f->flush(s->ibuffer.peer, best);
    }
    WW_WARPS(&s->warps)->finish(s->warps.peer, inst, WW_END_ALL);
    s->n++;
    return WW_AGAIN;
}

static const WwPortRow issuer_ports[] = {
    WW_PORT_REQUIRES(Issuer, ibuffer, &ww_contract_ibuffer, 1, WW_RANK_ISSUE, "instructions"),
    WW_PORT_REQUIRES(Issuer, warps, &ww_contract_warps, 1, WW_RANK_ISSUE, "their warps"),
    {0},
};
static const WwEntryRow issuer_entries[] = {
    {.name = "issue", .phase = "core", .tick = issuer_tick, .doc = "issues"}, {0}};
static const WwType issuer_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.issuer",
    .doc = "issues what is there",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Issuer),
    .ports = issuer_ports,
    .entries = issuer_entries,
};

/* Answers a line in the cycle of the record. */
typedef struct Replay {
    WwComponent base;
    WwPort req;
    WwPort resp;
    const Record *record;
    WwCycle *shift;
    WwMemReq *open[64];
    WwCycle due[64];
} Replay;

static void replay_take(Replay *s, WwMemReq *req)
{
    const Record *r = s->record;
    WwCycle now = ww_now(s) + *s->shift, best = WW_NEVER; /* it came behind the end */
    for (uint32_t i = 0; i < r->n_lines; i++) {
        if (r->line[i] == (req->addr & 0xffffffffu) && r->came[i] > now && r->came[i] < best) {
            best = r->came[i];
        }
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(s->open); i++) {
        if (s->open[i] == NULL) {
            s->open[i] = req;
            s->due[i] = best;
            return;
        }
    }
    g_assert_not_reached();
}

static WwRest replay_tick(void *self)
{
    Replay *s = self;
    while (ww_fifo_ready(&s->req)) {
        replay_take(s, ww_token_mem(ww_fifo_take(&s->req)));
    }
    for (uint32_t i = 0; i < G_N_ELEMENTS(s->open); i++) {
        if (s->open[i] != NULL && s->due[i] == ww_now(s) + *s->shift + 1) {
            s->open[i]->response = true;
            ww_fifo_put(&s->resp, ww_token_of(s->open[i])); /* seen in the next cycle */
            s->open[i] = NULL;
        }
    }
    return WW_AGAIN;
}

static const WwPortRow replay_ports[] = {
    WW_PORT_IN(Replay, req, &ww_contract_mem_request, 1, "requests"),
    WW_PORT_OUT(Replay, resp, &ww_contract_mem_response, 1, "answers"),
    {0},
};
static const WwEntryRow replay_entries[] = {
    {.name = "serve", .phase = "core", .tick = replay_tick, .doc = "answers"}, {0}};
static const WwType replay_type = {
    .abi = WW_ABI_VERSION,
    .name = "test.replay",
    .doc = "answers as recorded",
    .family = "test",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Replay),
    .ports = replay_ports,
    .entries = replay_entries,
};

static void nothing_retired(void *self, uint32_t warp)
{
    (*(uint32_t *)self)++;
}
static const WwCtasIf ctas_table = {.retire = nothing_retired};

static bool always(void *self, uint32_t warp)
{
    return true;
}
static void retired(void *self, uint32_t warp) {}
static const WwDependenceIf dependence_table = {
    .idle = always, .settled = always, .retired = retired};

static const WwHazardView no_hazards = {.exact = true};
static const WwHazardView *see_hazards(void *self)
{
    return &no_hazards;
}
static void release_all(void *self, const WwInst *inst) {}
static const WwScoreboardIf hazard_table = {.view = see_hazards, .release_all = release_all};

static const WwTiming timing = {.flags = WW_TAKES_FIXED};
static const WwTiming *timing_of(void *self, const WwInst *inst)
{
    return &timing;
}
static const WwTimingIf timing_table = {.of = timing_of};

/* ---- the SM ------------------------------------------------------------------------------------------------------ */

typedef struct Sm {
    WwMachine *m;
    WwComponent *pool, *ibuffer, *requests, *link;
    Issuer *issuer[SUB_CORES];
    Replay *memory;
    WwCycle shift;
    uint32_t retired;
    const WwSinst **sinst;
    WwCtaTrace trace;
    WwKernel kernel;
} Sm;

#define CACHE                                                                                      \
    "sector=false write=read_only allocate=fill write_allocate=none port_width=0 mshr=assoc "

static void add_sub_core(Sm *sm, WwGroup *sub_cores, int32_t i, const Record *r)
{
    g_autofree char *name = g_strdup_printf("s%d", i);
    WwGroup *g = ww_machine_add_group(sm->m, sub_cores, &(WwGroupSpec){.name = name});
    WwComponent *fetch = test_add(sm->m, g, "fetch.modern", "fetch", -1);
    WwComponent *decode = test_add(sm->m, g, "decode.modern", "decode", -1);
    WwComponent *latch = test_add(sm->m, g, "fifo", "latch", -1);
    WwComponent *l0 = test_add(sm->m, g, "icache.l0", "l0", -1);
    WwComponent *cache = test_add(sm->m, g, "cache.l1", "cache", -1);
    WwComponent *streams = test_add(sm->m, g, "stream_buffer", "streams", -1);
    sm->issuer[i] = test_add_type(sm->m, g, &issuer_type, "issue", -1);
    test_set(latch, "depth=1");
    test_set(cache, CACHE "sets=8 ways=32 mshr_entries=32 mshr_merge=16 miss_queue=8");
    test_join(fetch, "fetch", latch);
    test_join(decode, "fetch", latch);
    test_join(fetch, "ibuffer", sm->ibuffer);
    test_join(decode, "ibuffer", sm->ibuffer);
    test_join(sm->issuer[i], "ibuffer", sm->ibuffer);
    test_join(fetch, "warps", sm->pool);
    test_join(sm->issuer[i], "warps", sm->pool);
    test_join(fetch, "fetches", l0);
    test_join_table(fetch, "ctas", &ctas_table, &sm->retired);
    test_join_table(fetch, "dependence", &dependence_table, sm);
    test_join(l0, "cache", cache);
    test_join(l0, "prefetch", streams);
    test_join(streams, "cache", cache);
    test_join(cache, "lower", sm->requests);
    test_join(streams, "requests", sm->requests);
    test_join(sm->link, "clients", l0);
}

static Sm *make_sm(const Record *r, bool no_sleep)
{
    Sm *sm = g_new0(Sm, 1);
    sm->m = ww_machine_new(test_registry());
    ww_machine_add_domain(sm->m, "core", 1e9, NULL);
    ww_machine_add_phase(sm->m, "intake", "core", NULL);
    ww_machine_add_phase(sm->m, "core", "core", NULL);
    ww_machine_set_hang_limit(sm->m, 0);
    sm->pool = test_add(sm->m, NULL, "warp_pool", "pool", -1);
    sm->ibuffer = test_add(sm->m, NULL, "ibuffer", "ibuffer", -1);
    sm->link = test_add(sm->m, NULL, "link.l0_l1", "link", -1);
    sm->requests = test_add(sm->m, NULL, "fifo", "requests", -1);
    WwComponent *l1 = test_add(sm->m, NULL, "cache.l1", "l1", -1);
    WwComponent *down = test_add(sm->m, NULL, "fifo", "down", -1);
    WwComponent *up = test_add(sm->m, NULL, "fifo", "up", -1);
    sm->memory = test_add_type(sm->m, NULL, &replay_type, "memory", -1);
    test_set(sm->pool, "slots=8");
    test_set(sm->requests, "depth=1");
    test_set(up, "depth=0");
    test_set(l1, CACHE "sets=64 ways=16 mshr_entries=32 mshr_merge=32 miss_queue=32");
    test_join_table(sm->pool, "hazard", &hazard_table, sm);
    test_join(sm->ibuffer, "warps", sm->pool);
    test_join_table(sm->ibuffer, "timing", &timing_table, sm);
    test_join(sm->link, "requests", sm->requests);
    test_join(sm->link, "cache", l1);
    test_join(sm->link, "response", up);
    test_join(l1, "lower", down);
    test_join(sm->memory, "req", down);
    test_join(sm->memory, "resp", up);
    WwGroup *sub_cores =
        ww_machine_add_group(sm->m, ww_machine_root(sm->m),
                             &(WwGroupSpec){.name = "sub_cores", .mode = WW_GROUP_SEQUENCE});
    for (int32_t i = 0; i < SUB_CORES; i++) {
        add_sub_core(sm, sub_cores, i, r);
    }
    test_seal(sm->m, no_sleep);
    for (int32_t i = 0; i < SUB_CORES; i++) {
        sm->issuer[i]->record = r;
        sm->issuer[i]->shift = &sm->shift;
    }
    sm->memory->record = r;
    sm->memory->shift = &sm->shift;
    return sm;
}

/* A kernel of one CTA whose warps execute what the record says. */
static void make_trace(Sm *sm, const Record *r)
{
    static const WwTinst *warps[WARPS];
    static uint32_t counts[WARPS];
    sm->sinst = g_new0(const WwSinst *, MOST * 8);
    for (uint32_t w = 0; w < WARPS; w++) {
        WwTinst *t = g_new0(WwTinst, r->n[w] + 1);
        for (uint32_t i = 0; i < r->n[w]; i++) {
            uint32_t id = (uint32_t)(r->pc[w][i] / WW_CODE_BYTES);
            g_assert_cmpuint(id, <, MOST * 8);
            if (sm->sinst[id] == NULL) {
                WwSinst *s = g_new0(WwSinst, 1);
                *s = (WwSinst){.pc = r->pc[w][i], .opcode = "NOP", .id = id, .op = WW_OP_INT};
                sm->sinst[id] = s;
            }
            t[i] = (WwTinst){.sinst = id, .mask = UINT32_MAX};
        }
        warps[w] = t;
        counts[w] = r->n[w];
    }
    sm->trace = (WwCtaTrace){.n_warps = WARPS, .warp = warps, .n_insts = counts};
    sm->kernel = (WwKernel){.name = "k", .file = "k", .uid = 1, .n_ctas = 1, .sinst = sm->sinst};
}

static void launch(Sm *sm, const Record *r)
{
    const WwPort *warps = &sm->issuer[0]->warps;
    for (uint32_t w = 0; w < WARPS; w++) {
        if (r->here[w]) {
            WW_WARPS(warps)->launch(warps->peer, &(WwWarpLaunch){.warp = w,
                                                                 .lanes = UINT32_MAX,
                                                                 .kernel = &sm->kernel,
                                                                 .trace = &sm->trace,
                                                                 .trace_warp = w});
        }
    }
}

static void free_sm(Sm *sm)
{
    ww_machine_free(sm->m);
    for (uint32_t w = 0; w < WARPS; w++) {
        g_free((void *)(uintptr_t)sm->trace.warp[w]);
    }
    for (uint32_t i = 0; i < MOST * 8; i++) {
        g_free((void *)(uintptr_t)sm->sinst[i]);
    }
    g_free(sm->sinst);
    g_free(sm);
}

static void replay(const char *name, bool no_sleep)
{
    Record *r = read_record(name);
    Sm *sm = make_sm(r, no_sleep);
    uint32_t total = 0, warps = 0;
    uint64_t issued = 0;
    WwCycle last = 0;
    make_trace(sm, r);
    ww_run(sm->m, 3);
    sm->shift = r->start - 3;
    launch(sm, r);
    for (uint32_t w = 0; w < WARPS; w++) {
        total += r->n[w];
        warps += r->here[w];
        last = r->n[w] != 0 ? MAX(last, r->at[w][r->n[w] - 1]) : last;
    }
    ww_run(sm->m, last - r->start + 60);
    for (uint32_t i = 0; i < SUB_CORES; i++) {
        issued += sm->issuer[i]->n;
    }
    g_assert_cmpuint(issued, ==, total);
    g_assert_cmpuint(sm->retired, ==, warps);
    free_sm(sm);
    g_free(r);
}

static void test_replay(gconstpointer name)
{
    replay(name, false);
    replay(name, true);
}

void register_front_tests(void)
{
    static const char *const names[] = {"ic-straight1",  "ic-forward",   "ic-pingpong",
                                        "ic-loop-small", "ic-straight8", "ic-places"};
    for (uint32_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autofree char *path = g_strdup_printf("/modern/front/%s", names[i]);
        g_test_add_data_func(path, names[i], test_replay);
    }
}
