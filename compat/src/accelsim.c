/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The reference's report: the lines that existing scrapers look for, from one table: the text before the value, and the statistic
 * that the value is. A line is printed if the machine has the component that it comes from: a mechanism that is not there has no
 * line instead of a zero. Figures accumulate over kernels, as in the reference; the interval's own are the first three.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <string.h>

#define MAX_ENTRIES 4

/* Where a figure comes from. */
typedef struct Source {
    const char *type,
        *stat; /* stat NULL: zero by construction, if there is a component of the type */
    const char *entry[MAX_ENTRIES]; /* labels that are added up; none: the whole statistic */
    const char *less;               /* a statistic of which the same is subtracted */
} Source;

typedef struct Line {
    const char *text;    /* what stands before the value */
    Source from, modern; /* without a type: a machine of such SMs has no such line */
} Line;

#define LDST "ldst_unit"
#define SHARED "ldst.shared"  /* the LD/ST unit of modern SMs */
#define SENT "sent to memory" /* no type: packets, by access type (accelsim_traffic.c) */
/* Nothing of a trace is in these spaces. */
#define NO_SPACE                                                                                   \
    {LDST, NULL},                                                                                  \
    {                                                                                              \
        SHARED, NULL                                                                               \
    }

static const Line sm_lines[] = {
    {"gpgpu_n_tot_thrd_icount = ", {"warp_pool", "thread_slots"}},
    {"gpgpu_n_tot_w_icount = ", {"warp_pool", "warp_insns"}},
    {"gpgpu_n_stall_shd_mem = ", {LDST, "n_stall_shd_mem"}},
    {"gpgpu_n_stall_dispatch_to_subpipeline_mem = ", {0}, {SHARED, "next_full"}},
    {"gpgpu_n_mem_read_local = ", {SENT, NULL, {"LOCAL_ACC_R"}}},
    {"gpgpu_n_mem_write_local = ", {SENT, NULL, {"LOCAL_ACC_W"}}},
    {"gpgpu_n_mem_read_global = ", {SENT, NULL, {"GLOBAL_ACC_R"}}},
    {"gpgpu_n_mem_write_global = ", {SENT, NULL, {"GLOBAL_ACC_W", "L1_WRBK_ACC"}}},
    {"gpgpu_n_mem_texture = ", {SENT, NULL, {"TEXTURE_ACC_R"}}},
    {"gpgpu_n_mem_const = ", {SENT, NULL, {"CONST_ACC_R"}}},
    {"gpgpu_n_load_insn  = ", {LDST, "n_load_insn"}, {SHARED, "lanes_of", {"load"}}},
    {"gpgpu_n_store_insn = ", {LDST, "n_store_insn"}, {SHARED, "lanes_of", {"store"}}},
    {"gpgpu_n_shmem_insn = ", {LDST, "n_shmem_insn"}, {SHARED, "lanes_of", {"shared"}}},
    {"gpgpu_n_sstarr_insn = ", NO_SPACE},
    {"gpgpu_n_tex_insn = ", NO_SPACE},
    {"gpgpu_n_const_mem_insn = ", {LDST, "n_const_insn"}, {SHARED, "lanes_of", {"constant"}}},
    {"gpgpu_n_param_mem_insn = ", NO_SPACE},
    {"gpgpu_n_shmem_bkconflict = ", {LDST, "n_shmem_bkconflict"}, {SHARED, "bank_conflicts"}},
    {"gpgpu_n_shmem_port_conflict = ", {0}, {SHARED, "refused", {"shared"}}},
    {"gpgpu_n_l1cache_bkconflict = ", {LDST, "n_l1cache_bkconflict"}, {SHARED, "l1d_lookups_lost"}},
    {"gpgpu_n_l1cache_coalescing_conflicts = ", {0}, {SHARED, "accesses", {"l1d"}, "instructions"}},
    {"gpgpu_n_directly_to_l2_coalescing_conflicts = ",
     {0},
     {SHARED, "accesses", {"past_l1"}, "instructions"}},
    {"gpgpu_n_intrawarp_mshr_merge = ", {LDST, NULL}}, /* the reference never counts these */
    {"gpgpu_n_cmem_portconflict = ", {LDST, NULL}},    /* there is no constant cache */
    {"gpgpu_n_cmem_coalescing_conflicts = ",
     {0},
     {SHARED, "accesses", {"constant"}, "instructions"}},
    {"gpgpu_stall_shd_mem[c_mem][resource_stall] = ", {LDST, "stall", {"c_mem.bank"}}},
    {"gpgpu_stall_shd_mem[s_mem][bk_conf] = ", {LDST, "stall", {"s_mem.bank"}}},
    {"gpgpu_stall_shd_mem[gl_mem][resource_stall] = ",
     {LDST,
      "stall",
      {"global_load.bank", "local_load.bank", "global_store.bank", "local_store.bank"}}},
    {"gpgpu_stall_shd_mem[gl_mem][coal_stall] = ",
     {LDST,
      "stall",
      {"global_load.coalescing", "local_load.coalescing", "global_store.coalescing",
       "local_store.coalescing"}}},
    {"gpgpu_stall_shd_mem[gl_mem][data_port_stall] = ",
     {LDST,
      "stall",
      {"global_load.data_port", "local_load.data_port", "global_store.data_port",
       "local_store.data_port"}}},
    {"gpu_reg_bank_conflict_stalls = ", {"operand_collector", NULL}}, /* nor these */
    {NULL},
};

uint32_t accelsim_n_lines(void)
{
    return G_N_ELEMENTS(sm_lines) - 1;
}

/* "ldst_unit.stall.c_mem.bank + ..." */
static const char *formula(const Source *s)
{
    g_autoptr(GString) all = g_string_new(NULL);
    if (s->stat != NULL && s->entry[0] == NULL) {
        g_string_append_printf(all, "%s.%s", s->type, s->stat);
    }
    for (int i = 0; s->stat != NULL && i < MAX_ENTRIES && s->entry[i] != NULL; i++) {
        g_string_append_printf(all, "%s%s.%s.%s", i != 0 ? " + " : "", s->type, s->stat,
                               s->entry[i]);
    }
    if (s->less != NULL) {
        g_string_append_printf(all, " without %s.%s.%s", s->type, s->less, s->entry[0]);
    }
    return g_intern_string(all->str);
}

bool accelsim_line(uint32_t i, WwAccelsimLine *out)
{
    if (i >= accelsim_n_lines()) {
        return false;
    }
    const Line *l = &sm_lines[i];
    g_autofree char *text = g_strndup(l->text, strcspn(l->text, " ="));
    *out = (WwAccelsimLine){.text = g_intern_string(text), .from = formula(&l->from), .what = ""};
    if (l->modern.stat != NULL) {
        g_autofree char *modern = g_strconcat("modern SMs: ", formula(&l->modern), NULL);
        out->what = g_intern_string(modern);
    } else if (l->from.entry[0] != NULL && l->from.stat == NULL) {
        g_autofree char *classes = g_strjoinv(" and ", (char **)(void *)l->from.entry);
        g_autofree char *packets =
            g_strconcat("packets of ", classes,
                        " in ldst_unit.traffic and cache.l1.traffic; modern "
                        "SMs: ldst.shared.traffic, cache.texture.traffic, too",
                        NULL);
        out->what = g_intern_string(packets);
    } else if (l->from.stat == NULL) {
        out->what = "always 0";
    }
    return true;
}

static bool has_type(const WwResults *r, const char *type)
{
    for (uint32_t c = 0; c < r->columns->len; c++) {
        if (strcmp(g_array_index(r->columns, WwColumn, c).type->name, type) == 0) {
            return true;
        }
    }
    return false;
}

/* A figure; false: the machine has nothing that it could come from. */
static bool source_value(const WwResults *r, const Source *s, uint64_t *sum)
{
    bool there = false;
    uint64_t v;
    *sum = 0;
    if (s->type == NULL) {
        return false;
    }
    if (s->entry[0] == NULL) {
        return s->stat == NULL ? has_type(r, s->type)
                               : ww_results_value(r, r->total, s->type, s->stat, NULL, sum);
    }
    for (int i = 0; i < MAX_ENTRIES && s->entry[i] != NULL; i++) {
        there |= s->stat == NULL ? accelsim_sent(r, s->entry[i], &v)
                                 : ww_results_value(r, r->total, s->type, s->stat, s->entry[i], &v);
        *sum += v;
        if (s->less != NULL) {
            ww_results_value(r, r->total, s->type, s->less, s->entry[i], &v);
            *sum -= v;
        }
    }
    return there;
}

static void print_lines(const WwResults *r, const Line *lines, FILE *out)
{
    uint64_t sum, modern;
    for (const Line *l = lines; l->text != NULL; l++) {
        bool there = source_value(r, &l->from, &sum);
        if (source_value(r, &l->modern, &modern) || there) {
            fprintf(out, "%s%" PRIu64 "\n", l->text, sum + modern);
        }
    }
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

uint32_t accelsim_param(const WwComponent *c, const char *name)
{
    int row = ww_type_param(c->type, name);
    if (row < 0) {
        return 0;
    }
    const char *at = (const char *)c + c->type->params[row].offset;
    return c->type->params[row].kind == WW_PARAM_BOOL ? *(const bool *)at
                                                      : *(const uint32_t *)(const void *)at;
}

/* The first component of type @p type, or NULL; how many there are in *n. */
static const WwComponent *first_of(const WwMachine *m, const char *type, uint32_t *n)
{
    const WwComponent *first = NULL;
    *n = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(m); i++) {
        const WwComponent *c = ww_machine_component(m, i);
        if (strcmp(c->type->name, type) == 0) {
            first = (*n)++ == 0 ? c : first;
        }
    }
    return first;
}

uint32_t accelsim_shown(const WwResults *r, const char *name, uint32_t otherwise)
{
    uint32_t n;
    const WwComponent *c = first_of(r->machine, "report", &n);
    return c != NULL ? accelsim_param(c, name) : otherwise;
}

bool ww_accelsim_check(const WwMachine *m, GError **error)
{
    uint32_t n, sms;
    const WwComponent *c = first_of(m, "report", &n);
    first_of(m, "cta_slots", &sms);
    uint32_t sm = c != NULL ? accelsim_param(c, "issue_sm") : 0;
    if (sm != 0 && sm >= sms) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "report.issue_sm is %" PRIu32 " and there are %" PRIu32
                       " SMs; expected one of them, from 0 on",
                       sm, sms);
    }
    return true;
}

/* ---- quotients -------------------------------------------------------------------------------------------------- */

/* What a machine makes of n / 0 is its own business. */
static bool print_no_number(uint64_t a, uint64_t b, int width, FILE *out)
{
    if (b == 0) {
        fprintf(out, "%*s", width, a == 0 ? "-nan" : "inf");
    }
    return b == 0;
}

void accelsim_float(uint64_t a, uint64_t b, int width, int digits, FILE *out)
{
    if (!print_no_number(a, b, width, out)) {
        fprintf(out, "%*.*f", width, digits, (double)((float)a / (float)b));
    }
}

void accelsim_double(uint64_t a, uint64_t b, int width, int digits, FILE *out)
{
    if (!print_no_number(a, b, width, out)) {
        fprintf(out, "%*.*f", width, digits, (double)a / (double)b);
    }
}

/* ---- parts that are not a name and a number ---------------------------------------------------------------------- */

static void print_ipc(const char *name, uint64_t insns, uint64_t cycles, FILE *out)
{
    fprintf(out, "%s = ", name);
    accelsim_float(insns, cycles, 12, 4, out);
    fputc('\n', out);
}

static void print_head(const WwResults *r, const WwResultKernel *k, bool host, FILE *out)
{
    uint64_t insns, ctas;
    bool counted = ww_results_value(r, r->total, WW_THREAD_INSNS, NULL, &insns);
    fprintf(out, "kernel_name = %s\nkernel_launch_uid = %s\nkernel_stream_id = %" PRIu64 "\n",
            k->begun, k->begun_uids, k->stream);
    fprintf(out, "gpu_sim_cycle = %" PRIu64 "\n", k->cycles);
    if (counted) {
        fprintf(out, "gpu_sim_insn = %" PRIu64 "\n", k->thread_insns);
        print_ipc("gpu_ipc", k->thread_insns, k->cycles, out);
    }
    fprintf(out, "gpu_tot_sim_cycle = %" PRIu64 "\n", k->end);
    if (counted) {
        fprintf(out, "gpu_tot_sim_insn = %" PRIu64 "\n", insns);
        print_ipc("gpu_tot_ipc", insns, k->end, out);
    }
    if (ww_results_value(r, r->total, "kernel_queue", "ctas_issued", NULL, &ctas)) {
        fprintf(out, "gpu_tot_issued_cta = %" PRIu64 "\n", ctas);
    }
    /* The reference measures occupancy for its power model only, and a trace has no parameters. */
    fputs("gpu_occupancy = -nan% \ngpu_tot_occupancy = -nan% \nmax_total_param_size = 0\n", out);
    accelsim_memory_head(r, k, out);
    if (host && r->host_s > 0) {
        fprintf(out, "gpu_total_sim_rate=%.0f\n", (double)insns / r->host_s);
    }
}

/* The innermost group with a name that holds this component: its SM, for a warp scheduler. */
static const WwGroup *named_group(const WwComponent *c)
{
    const WwGroup *g = c->group;
    int32_t index;
    while (g != NULL && ww_group_name(g, &index) == NULL) {
        g = ww_group_parent(g);
    }
    return g;
}

/* Issues by warp slot, of SM @p number. Slots after the last one that issued are left out. */
static void print_distribution(const WwResults *r, uint32_t number, FILE *out)
{
    const WwGroup *sm = NULL;
    uint64_t sum[WW_MAX_WARPS] = {0};
    uint32_t n = 0, seen = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        int row =
            strcmp(c->type->name, "warp_scheduler") == 0 ? ww_type_stat(c->type, "warp_issue") : -1;
        if (row < 0) {
            continue;
        }
        seen += named_group(c) != sm;
        sm = named_group(c);
        if (seen != number + 1) {
            continue;
        }
        const WwStatRow *s = &c->type->stats[row];
        for (uint32_t w = 0; w < MIN(s->n, WW_MAX_WARPS); w++) {
            sum[w] += ww_stat_values(c, s)[w];
            n = sum[w] != 0 ? MAX(n, w + 1) : n;
        }
    }
    fputs("warp_id:\n", out);
    for (uint32_t w = 0; w < n; w++) {
        fprintf(out, "%u, ", w);
    }
    fputs("\ndistro:\n", out);
    for (uint32_t w = 0; w < n; w++) {
        fprintf(out, "%" PRIu64 ", ", sum[w]);
    }
    fputc('\n', out);
}

static void print_occupancy(const WwResults *r, FILE *out)
{
    uint64_t stall, idle, board;
    if (!ww_results_value(r, r->total, "warp_scheduler", "stall", NULL, &stall) ||
        !ww_results_value(r, r->total, "warp_scheduler", "idle", NULL, &idle) ||
        !ww_results_value(r, r->total, "warp_scheduler", "scoreboard_wait", NULL, &board)) {
        return;
    }
    fprintf(out,
            "Warp Occupancy Distribution:\nStall:%" PRIu64 "\tW0_Idle:%" PRIu64
            "\tW0_Scoreboard:%" PRIu64,
            stall, idle, board);
    const WwColumn *issued = ww_results_column(r, "warp_scheduler", "issued");
    for (uint32_t lanes = 1; issued != NULL && lanes < issued->row->n; lanes++) {
        fprintf(out, "\tW%u:%" PRIu64, lanes, r->total[issued->at + lanes]);
    }
    fputc('\n', out);
}

/* A counter of the schedulers, by their number in the SM. */
static void print_by_scheduler(const WwResults *r, const char *text, const char *stat, FILE *out)
{
    uint64_t sum[64] = {0};
    uint32_t n = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        int row = strcmp(c->type->name, "warp_scheduler") == 0 ? ww_type_stat(c->type, stat) : -1;
        uint32_t k = c->index > 0 ? (uint32_t)c->index : 0;
        if (row >= 0 && k < G_N_ELEMENTS(sum)) {
            sum[k] += ww_stat_values(c, &c->type->stats[row])[0];
            n = MAX(n, k + 1);
        }
    }
    if (n == 0) {
        return;
    }
    fputs(text, out);
    for (uint32_t k = 0; k < n; k++) {
        fprintf(out, "WS%u:%" PRIu64 "\t", k, sum[k]);
    }
    fputc('\n', out);
}

static void print_host(const WwResults *r, FILE *out)
{
    uint64_t insns, s = (uint64_t)r->host_s;
    ww_results_value(r, r->total, WW_THREAD_INSNS, NULL, &insns);
    fprintf(out,
            "\ngpgpu_simulation_time = %" PRIu64 " days, %" PRIu64 " hrs, %" PRIu64 " min, %" PRIu64
            " sec (%" PRIu64 " sec)\n",
            s / 86400, s / 3600 % 24, s / 60 % 60, s % 60, s);
    if (r->host_s > 0) {
        fprintf(
            out,
            "gpgpu_simulation_rate = %.0f (inst/sec)\ngpgpu_simulation_rate = %.0f (cycle/sec)\n",
            (double)insns / r->host_s, (double)r->cycles / r->host_s);
        const WwDomain *core = ww_machine_domain(r->machine, "core");
        if (core != NULL && r->cycles != 0) {
            fprintf(out, "gpgpu_silicon_slowdown = %.0fx\n",
                    core->hz * r->host_s / (double)r->cycles);
        }
    }
}

/* What the reference says in each cycle that ends without a thread; nothing was ever written back by it. */
static void print_flushes(const WwResults *r, FILE *out)
{
    const WwColumn *cycles = ww_results_column(r, "l2_flush", "cycles");
    if (cycles == NULL || ww_results_column(r, "cache.l2", "accesses") == NULL) {
        return;
    }
    uint32_t channels = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        channels += accelsim_is_channel(ww_machine_component(r->machine, i));
    }
    g_autoptr(GString) text = g_string_new("Flushed L2 caches...\n");
    for (uint32_t i = 0; i < channels; i++) {
        g_string_append_printf(text, "Dirty lines flushed from L2 %" PRIu32 " is 0\n", i);
    }
    for (uint64_t n = ww_results_alone(r, cycles, 0); n != 0; n--) {
        fputs(text->str, out);
    }
}

WwAccelsim *ww_accelsim_new(WwResults *results)
{
    WwAccelsim *a = WW_HEAP_NEW(results->heap, WwAccelsim, 1);
    a->results = results;
    return a;
}

void ww_accelsim_kernel(WwAccelsim *a, const WwResultKernel *k, bool host, FILE *out)
{
    const WwResults *r = a->results;
    uint64_t ctas;
    print_flushes(r, out);
    print_head(r, k, host, out);
    accelsim_caches(r, k, out);
    if (ww_results_value(r, r->total, "cta_slots", "ctas_completed", NULL, &ctas)) {
        uint32_t sm = accelsim_shown(r, "issue_sm", 0);
        fprintf(out, "ctas_completed %" PRIu64 ", Shader %" PRIu32 " warp_id issue ditsribution:\n",
                k->ctas_completed, sm);
        print_distribution(r, sm, out);
    }
    print_lines(r, sm_lines, out);
    print_occupancy(r, out);
    print_by_scheduler(r, "single_issue_nums: ", "single_issue", out);
    print_by_scheduler(r, "dual_issue_nums: ", "dual_issue", out);
    accelsim_traffic(r, out);
    if (accelsim_shown(r, "latencies", 1) != 0) {
        accelsim_latency(r, out);
    }
    accelsim_memory(a, k, out);
    if (r->has_fingerprint) {
        fprintf(out, "fingerprint = %016" PRIx64 "\n", r->fingerprint);
    }
    if (host) {
        print_host(r, out);
    }
    fputc('\n', out);
}

void ww_accelsim_end(const WwAccelsim *a, FILE *out)
{
    if (a->results->at_limit && !a->results->limit_untold) {
        fputs("GPGPU-Sim: ** break due to reaching the maximum cycles (or instructions) **\n", out);
    }
    fputs("GPGPU-Sim: *** simulation thread exiting ***\nGPGPU-Sim: *** exit detected ***\n", out);
}
