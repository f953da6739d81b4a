/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The memory side of the reference's report, all but the DRAM channels (accelsim_dram.c): what reaches the L2 and comes back, the
 * L2, the networks.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <string.h>

#define SLICE "l2_slice"
#define L2 "cache.l2"
#define NETWORK "xbar.local"

/* ---- head ------------------------------------------------------------------------------------------------------- */

static void print_quotient(const char *text, uint64_t a, uint64_t b, FILE *out)
{
    fputs(text, out);
    accelsim_float(a, b, 12, 4, out);
    fputc('\n', out);
}

/* A counter of this kernel's interval alone. */
static uint64_t alone(const WwResults *r, const char *type, const char *stat)
{
    const WwColumn *c = ww_results_column(r, type, stat);
    return c != NULL ? ww_results_alone(r, c, 0) : 0;
}

/* Each reply counts as a sector, acknowledgements too. */
static void print_bandwidth(const WwResults *r, const char *text, uint64_t replies, WwCycle cycles,
                            FILE *out)
{
    const WwDomain *core = ww_machine_domain(r->machine, "core");
    double s = (double)cycles / (core != NULL ? core->hz : 1.0);
    fprintf(out, "%s%12.4f GB/Sec\n", text, (double)(float)(replies * 32) / s / 1e9);
}

void accelsim_memory_head(const WwResults *r, const WwResultKernel *k, FILE *out)
{
    uint64_t full, icnt, packets, ticks, replies;
    if (!ww_results_value(r, r->total, SLICE, "stall_dramfull", NULL, &full) ||
        !ww_results_value(r, r->total, "arrival_meter", "cycles", NULL, &ticks)) {
        return;
    }
    ww_results_value(r, r->total, SLICE, "stall_icnt2sh", NULL, &icnt);
    ww_results_value(r, r->total, SLICE, "accepted", NULL, &packets);
    ww_results_value(r, r->total, SLICE, "replies", NULL, &replies);
    fprintf(out, "gpu_stall_dramfull = %" PRIu64 "\ngpu_stall_icnt2sh    = %" PRIu64 "\n", full,
            icnt);
    uint64_t now = alone(r, SLICE, "accepted");
    print_quotient("partiton_level_parallism = ", now, k->cycles, out);
    print_quotient("partiton_level_parallism_total  = ", packets, k->end, out);
    print_quotient("partiton_level_parallism_util = ", now, alone(r, "arrival_meter", "cycles"),
                   out);
    print_quotient("partiton_level_parallism_util_total  = ", packets, ticks, out);
    print_bandwidth(r, "L2_BW  = ", alone(r, SLICE, "replies"), k->cycles, out);
    print_bandwidth(r, "L2_BW_total  = ", replies, k->end, out);
}

/* ---- L2 --------------------------------------------------------------------------------------------------------- */

static uint64_t value_of(const WwComponent *c, const char *stat)
{
    int row = ww_type_stat(c->type, stat);
    return row >= 0 ? ww_stat_values(c, &c->type->stats[row])[0] : 0;
}

static void print_banks(const WwResults *r, FILE *out)
{
    uint32_t bank = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, L2) != 0) {
            continue;
        }
        uint64_t accesses = value_of(c, "accesses"), misses = value_of(c, "misses");
        fprintf(out,
                "L2_cache_bank[%u]: Access = %" PRIu64 ", Miss = %" PRIu64 ", Miss_rate = ", bank++,
                accesses, misses);
        accelsim_double(misses, accesses, 0, 3, out);
        fprintf(out, ", Pending_hits = %" PRIu64 ", Reservation_fails = %" PRIu64 "\n",
                value_of(c, "pending_hits"), value_of(c, "reservation_fails"));
    }
}

static void print_port(const WwResults *r, const char *text, const char *stat, FILE *out)
{
    uint64_t busy, samples;
    ww_results_value(r, r->total, L2, stat, NULL, &busy);
    ww_results_value(r, r->total, L2, "port_samples", NULL, &samples);
    fprintf(out, "%s%.3f\n", text, samples != 0 ? (double)((float)busy / (float)samples) : 0.0);
}

static void print_l2(const WwResults *r, const WwResultKernel *k, FILE *out)
{
    uint64_t accesses, misses, pending, fails;
    if (!ww_results_value(r, r->total, L2, "accesses", NULL, &accesses)) {
        return;
    }
    ww_results_value(r, r->total, L2, "misses", NULL, &misses);
    ww_results_value(r, r->total, L2, "pending_hits", NULL, &pending);
    ww_results_value(r, r->total, L2, "reservation_fails", NULL, &fails);
    fputs("\n========= L2 cache stats =========\n", out);
    print_banks(r, out);
    fprintf(out, "L2_total_cache_accesses = %" PRIu64 "\nL2_total_cache_misses = %" PRIu64 "\n",
            accesses, misses);
    if (accesses != 0) {
        fputs("L2_total_cache_miss_rate = ", out);
        accelsim_double(misses, accesses, 0, 4, out);
        fputc('\n', out);
    }
    fprintf(out,
            "L2_total_cache_pending_hits = %" PRIu64 "\nL2_total_cache_reservation_fails = %" PRIu64
            "\nL2_total_cache_breakdown:\n",
            pending, fails);
    accelsim_outcomes(r, k, L2, "L2_cache_stats_breakdown", out);
    fputs("L2_total_cache_reservation_fail_breakdown:\n", out);
    accelsim_fails(r, k, L2, "L2_cache_stats_fail_breakdown", out);
    print_port(r, "L2_cache_data_port_util = ", "data_port_busy", out);
    print_port(r, "L2_cache_fill_port_util = ", "fill_port_busy", out);
}

/* ---- networks --------------------------------------------------------------------------------------------------- */

static void print_flits(const WwResults *r, FILE *out)
{
    uint64_t flits;
    uint32_t size = accelsim_shown(r, "flit_size", 32); /* only counted, packets move whole */
    fputc('\n', out);
    if (accelsim_flits(r, true, size, &flits)) {
        fprintf(out, "icnt_total_pkts_mem_to_simt=%" PRIu64 "\n", flits);
    }
    if (accelsim_flits(r, false, size, &flits)) {
        fprintf(out, "icnt_total_pkts_simt_to_mem=%" PRIu64 "\n", flits);
    }
    /* The reference has left its counters behind these out of use. */
    for (int i = 0; i < 2; i++) {
        fputs(i == 0 ? "LD_mem_lat_dist " : "ST_mem_lat_dist ", out);
        for (int slot = 0; slot < 27; slot++) {
            fputs(" 0", out);
        }
        fputc('\n', out);
    }
}

static uint32_t instances(const WwResults *r, const char *type)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        n += strcmp(ww_machine_component(r->machine, i)->type->name, type) == 0;
    }
    return n;
}

/* Packets put into the network for memory, and attempts for which its input had no room. */
static void requests_sent(const WwResults *r, uint64_t *sent, uint64_t *refused)
{
    static const char *const attempts[][3] = {
        {"cache.l1", "lower_full", NULL},
        {"cache.texture", "lower_full", NULL},
        {"ldst.shared", "refused", "past_l1"},
        {"ldst_unit", "stall", "global_load.icnt"},
        {"ldst_unit", "stall", "local_load.icnt"},
        {"ldst_unit", "stall", "global_store.icnt"},
        {"ldst_unit", "stall", "local_store.icnt"},
        {"ldst_unit.linked", "stall", "global_load.icnt"},
        {"ldst_unit.linked", "stall", "local_load.icnt"},
        {"ldst_unit.linked", "stall", "global_store.icnt"},
        {"ldst_unit.linked", "stall", "local_store.icnt"},
    };
    uint64_t more;
    *sent = *refused = 0;
    if (accelsim_perfect(r)) {
        return;
    }
    *sent = accelsim_packets(r);
    for (size_t i = 0; i < G_N_ELEMENTS(attempts); i++) {
        ww_results_value(r, r->total, attempts[i][0], attempts[i][1], attempts[i][2], &more);
        *refused += more;
    }
    accelsim_without_inner(r, "lower_full", refused, 1);
}

static void replies_sent(const WwResults *r, uint64_t *sent, uint64_t *refused)
{
    ww_results_value(r, r->total, SLICE, "replies", NULL, sent);
    ww_results_value(r, r->total, SLICE, "stall_icnt2sh", NULL, refused);
}

static uint64_t of_network(const WwResults *r, const char *stat, const char *net)
{
    uint64_t v;
    ww_results_value(r, r->total, NETWORK, stat, net, &v);
    return v;
}

static void print_figure(const char *net, const char *text, uint64_t a, uint64_t b,
                         const char *after, FILE *out)
{
    fputs(net, out);
    fputs(text, out);
    accelsim_float(a, b, 12, 4, out);
    fputs(after, out);
}

/* Packets held by a node's buffer on average. */
static void print_filling(const char *net, const char *text, uint64_t held, uint64_t cycles,
                          uint32_t nodes, FILE *out)
{
    fprintf(out, "%s%s%12.4f\n", net, text, (double)((float)held / (float)cycles / (float)nodes));
}

static void print_network(const WwResults *r, bool reply, FILE *out)
{
    const char *net = reply ? "Reply" : "Req", *which = reply ? "replies" : "requests";
    uint32_t clusters = instances(r, "cluster_port"), slices = instances(r, SLICE);
    uint64_t sent, refused, cycles = of_network(r, "transfers", which),
                            active = of_network(r, "active_transfers", which);
    (reply ? replies_sent : requests_sent)(r, &sent, &refused);
    fprintf(out, "%s_Network_injected_packets_num = %" PRIu64 "\n%s_Network_cycles = %" PRIu64 "\n",
            net, sent, net, cycles);
    print_figure(net,
                 reply ? "_Network_injected_packets_per_cycle =  "
                       : "_Network_injected_packets_per_cycle = ",
                 sent, cycles, reply ? "\n" : " \n", out);
    print_figure(net,
                 reply ? "_Network_conflicts_per_cycle =  " : "_Network_conflicts_per_cycle = ",
                 of_network(r, "conflicts", which), cycles, "\n", out);
    print_figure(net,
                 "_Network_conflicts_per_cycle_util = ", of_network(r, "active_conflicts", which),
                 active, "\n", out);
    print_figure(net, "_Bank_Level_Parallism = ", of_network(r, "active_packets", which), active,
                 "\n", out);
    print_figure(net, "_Network_in_buffer_full_per_cycle = ", refused, cycles, "\n", out);
    print_filling(net, "_Network_in_buffer_avg_util = ", of_network(r, "input_occupancy", which),
                  cycles, reply ? slices : clusters, out);
    print_figure(net, "_Network_out_buffer_full_per_cycle = ", of_network(r, "output_full", which),
                 cycles, "\n", out);
    print_filling(net, "_Network_out_buffer_avg_util = ", of_network(r, "output_occupancy", which),
                  cycles, reply ? clusters : slices, out);
}

static void print_networks(WwAccelsim *a, FILE *out)
{
    const WwResults *r = a->results;
    bool requests = accelsim_networks(r, NETWORK, "request_out");
    bool replies = accelsim_networks(r, NETWORK, "reply_out");
    if (!requests && !replies && ww_results_column(r, "network.routed", "cycles") == NULL) {
        return;
    }
    fputs("----------------------------Interconnect-DETAILS--------------------------------\n",
          out);
    if (requests) {
        print_network(r, false, out);
    }
    if (requests && replies) {
        fputc('\n', out);
    }
    if (replies) {
        print_network(r, true, out);
    }
    accelsim_routed(a, out);
    fputs("----------------------------END-of-Interconnect-DETAILS-------------------------\n",
          out);
}

void accelsim_memory(WwAccelsim *a, const WwResultKernel *k, FILE *out)
{
    const WwResults *r = a->results;
    if (ww_results_column(r, SLICE, "accepted") == NULL) {
        return;
    }
    accelsim_dram(r, out);
    print_l2(r, k, out);
    print_flits(r, out);
    print_networks(a, out);
}
