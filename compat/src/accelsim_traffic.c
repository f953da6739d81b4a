/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets between SMs and memory, and how long requests took, in the reference's report. What SMs send is counted by the LD/ST
 * unit, for what goes past its cache, and by first-level caches; what comes back by the clusters' ports.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <ports/traffic.h>
#include <string.h>

/* ---- packets ---------------------------------------------------------------------------------------------------- */

static const char *const senders[] = {"ldst_unit", "ldst_unit.linked", "ldst.shared",
                                      "cache.l1",  "cache.texture",    NULL};
static const char *const receivers[] = {"cluster_port", NULL};

/* Adds up the packets that @p types count; false: the machine has none of them. */
static bool sum_traffic(const WwResults *r, const char *const *types, uint64_t sum[WW_N_TRAFFIC])
{
    bool there = false;
    memset(sum, 0, WW_N_TRAFFIC * sizeof *sum);
    for (; *types != NULL; types++) {
        const WwColumn *c = ww_results_column(r, *types, "traffic");
        for (uint32_t i = 0; c != NULL && i < MIN(c->row->n, WW_N_TRAFFIC); i++) {
            sum[i] += r->total[c->at + i];
            there = true;
        }
    }
    return there;
}

static const char *class_name(uint32_t class)
{
    return class == WW_TRAFFIC_ATOMIC ? "GLOBAL_ATOMIC" : ww_access_type_name((WwAccessType) class);
}

bool accelsim_perfect(const WwResults *r)
{
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        int row = strcmp(c->type->name, "cluster_port") == 0 ? ww_type_port(c->type, "direct") : -1;
        const char *base = (const char *)c;
        if (row >= 0 &&
            WW_BOUND((const WwPort *)(const void *)(base + c->type->ports[row].offset))) {
            return true;
        }
    }
    return false;
}

bool accelsim_sent(const WwResults *r, const char *access, uint64_t *out)
{
    uint64_t sum[WW_N_TRAFFIC];
    *out = 0;
    if (!sum_traffic(r, senders, sum)) {
        return false;
    }
    if (accelsim_perfect(r)) {
        return true;
    }
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        uint32_t class = i / WW_PACKET_SIZES;
        const char *name = class_name(class == WW_TRAFFIC_ATOMIC ? WW_ACCESS_GLOBAL_R : class);
        *out += strcmp(name, access) == 0 ? sum[i] : 0;
    }
    return true;
}

uint64_t accelsim_packets(const WwResults *r)
{
    uint64_t sum[WW_N_TRAFFIC], all = 0;
    sum_traffic(r, senders, sum);
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        all += sum[i];
    }
    return all;
}

bool accelsim_flits(const WwResults *r, bool reply, uint32_t flit, uint64_t *out)
{
    uint64_t sum[WW_N_TRAFFIC];
    *out = 0;
    if (!sum_traffic(r, reply ? receivers : senders, sum)) {
        return false;
    }
    for (uint32_t i = 0; i < WW_N_TRAFFIC; i++) {
        *out += sum[i] * ((ww_traffic_bytes(i) + flit - 1) / flit);
    }
    return true;
}

static void print_class(const char *network, uint32_t class, const uint64_t *packets, FILE *out)
{
    uint64_t bytes = 0, n = 0;
    for (uint32_t i = 0; i < WW_PACKET_SIZES; i++) {
        bytes += packets[i] * ww_traffic_bytes(i);
        n += packets[i];
    }
    if (n == 0) {
        return;
    }
    fprintf(out, "traffic_breakdown_%s[%s] = %" PRIu64 " {", network, class_name(class), bytes);
    for (uint32_t i = 0; i < WW_PACKET_SIZES; i++) {
        if (packets[i] != 0) {
            fprintf(out, "%u:%" PRIu64 ",", ww_traffic_bytes(i), packets[i]);
        }
    }
    fputs("}\n", out);
}

/* The classes in alphabetical order. */
static const uint8_t by_name[WW_TRAFFIC_CLASSES] = {
    WW_ACCESS_CONST_R,       WW_ACCESS_GLOBAL_R, WW_ACCESS_GLOBAL_W,      WW_TRAFFIC_ATOMIC,
    WW_ACCESS_INST_R,        WW_ACCESS_L1_WRBK,  WW_ACCESS_L1_WR_ALLOC_R, WW_ACCESS_L2_WRBK,
    WW_ACCESS_L2_WR_ALLOC_R, WW_ACCESS_LOCAL_R,  WW_ACCESS_LOCAL_W,       WW_ACCESS_TEXTURE_R,
};

static void print_network(const WwResults *r, const char *name, const char *const *types, FILE *out)
{
    uint64_t sum[WW_N_TRAFFIC];
    sum_traffic(r, types, sum);
    for (uint32_t i = 0; i < WW_TRAFFIC_CLASSES; i++) {
        print_class(name, by_name[i], &sum[by_name[i] * WW_PACKET_SIZES], out);
    }
}

void accelsim_traffic(const WwResults *r, FILE *out)
{
    if (!accelsim_perfect(r)) {
        print_network(r, "coretomem", senders, out);
        print_network(r, "memtocore", receivers, out);
    }
}

/* ---- latencies -------------------------------------------------------------------------------------------------- */

/* Who measures what; the averages share one count, see print_average(). */
#define HANDED "cluster_port" /* responses handed over to an SM */
#define ARRIVED "l2_slice"    /* packets taken out of the network */
#define SELECTED "dram.frfcfs"
#define FOLDED "latency_meter"

/* A channel that selects nothing, such as dram.simple, has these lines in the reference, too: zeroes. */
static bool zeroes_instead(const WwResults *r, const char *type)
{
    bool found = false;
    for (uint32_t i = 0;
         strcmp(type, SELECTED) == 0 && i < ww_machine_n_components(r->machine) && !found; i++) {
        found = accelsim_is_channel(ww_machine_component(r->machine, i));
    }
    return found;
}

static void print_maximum(const WwResults *r, const char *name, const char *type, const char *stat,
                          FILE *out)
{
    uint64_t v = 0;
    if (ww_results_value(r, r->total, type, stat, NULL, &v) || zeroes_instead(r, type)) {
        fprintf(out, "%s = %" PRIu64 " \n", name, v);
    }
}

/* A whole sum, over @p count; nothing while nothing was counted. */
static void print_average(const WwResults *r, const char *name, const char *type, const char *stat,
                          uint64_t count, FILE *out)
{
    uint64_t sum;
    if (count != 0 && ww_results_value(r, r->total, type, stat, NULL, &sum)) {
        fprintf(out, "%s = %" PRIu64 " \n", name, sum / count);
    }
}

/* The first @p n classes of a histogram; @p stat NULL: @p n zeros if there is a component of the type. */
static void print_table(const WwResults *r, const char *name, const char *type, const char *stat,
                        uint32_t n, FILE *out)
{
    const WwColumn *c = ww_results_column(r, type, stat != NULL ? stat : "mrq_latency_table");
    if (c == NULL && !zeroes_instead(r, type)) {
        return;
    }
    fprintf(out, "%s:", name);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t v = c != NULL && stat != NULL && i < c->row->n ? r->total[c->at + i] : 0;
        fprintf(out, "%" PRIu64 " \t", v);
    }
    fputc('\n', out);
}

void accelsim_latency(const WwResults *r, FILE *out)
{
    uint64_t folded, selections;
    ww_results_value(r, r->total, FOLDED, "folded", NULL, &folded);
    ww_results_value(r, r->total, SELECTED, "selections", NULL, &selections);
    print_maximum(r, "maxmflatency", HANDED, "latency_max", out);
    print_maximum(r, "max_icnt2mem_latency", ARRIVED, "icnt2mem_max", out);
    print_maximum(r, "maxmrqlatency", SELECTED, "mrq_latency_max", out);
    print_maximum(r, "max_icnt2sh_latency", HANDED, "reply_max", out);
    print_average(r, "averagemflatency", FOLDED, "folded_sum", folded, out);
    print_average(r, "avg_icnt2mem_latency", ARRIVED, "icnt2mem_sum", folded, out);
    if (folded != 0) {
        print_average(r, "avg_mrq_latency", SELECTED, "mrq_latency_sum", selections, out);
    }
    print_average(r, "avg_icnt2sh_latency", HANDED, "reply_sum", folded, out);
    print_table(r, "mrq_lat_table", SELECTED, "mrq_latency_table", 32, out);
    print_table(r, "dq_lat_table", SELECTED, NULL, 32, out); /* never counted by the reference */
    print_table(r, "mf_lat_table", HANDED, "latency_table", 32, out);
    print_table(r, "icnt2mem_lat_table", ARRIVED, "icnt2mem_table", 24, out);
    print_table(r, "icnt2sh_lat_table", HANDED, "reply_table", 24, out);
    print_table(r, "mf_lat_pw_table", FOLDED, "window_table", 32, out);
}
