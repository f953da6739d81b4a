/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network with routers in the reference's report: figures since power-on, and below them, under the same names, their averages over all
 * kernels' ends until now. Numbers are printed as C++ streams print doubles; what was never sampled is no number.
 */
#include "accelsim-priv.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define NETWORK "network.routed"

/* A figure in three forms. */
typedef struct Figure {
    double average, min, max;
} Figure;

static uint64_t of(const WwResults *r, const char *name, const char *suffix)
{
    uint64_t v;
    g_autofree char *stat = g_strconcat(name, suffix, NULL);
    ww_results_value(r, r->total, NETWORK, stat, NULL, &v);
    return v;
}

/* The first of the machine's @p n; NULL: it has none. */
static const WwComponent *network(const WwResults *r, uint32_t *n)
{
    const WwComponent *first = NULL;
    *n = 0;
    for (uint32_t i = 0; i < ww_machine_n_components(r->machine); i++) {
        const WwComponent *c = ww_machine_component(r->machine, i);
        if (strcmp(c->type->name, NETWORK) == 0) {
            first = first != NULL ? first : c;
            ++*n;
        }
    }
    return first;
}

static uint32_t parameter(const WwComponent *c, const char *name)
{
    const WwParamRow *row = &c->type->params[ww_type_param(c->type, name)];
    uint32_t v;
    memcpy(&v, (const char *)c + row->offset, sizeof v);
    return v;
}

/* Nodes of the network; k = 0 stands for as many as there are devices. */
static double nodes_of(const WwResults *r, const WwComponent *c)
{
    uint32_t k = parameter(c, "k");
    const WwColumn *clusters = ww_results_column(r, "cluster_port", "responses"),
                   *slices = ww_results_column(r, "l2_slice", "accepted");
    if (k == 0) {
        k = (clusters != NULL ? clusters->instances : 0) + (slices != NULL ? slices->instances : 0);
    }
    return pow(k, parameter(c, "n"));
}

/* ---- figures ---------------------------------------------------------------------------------------------------- */

static double quotient(double a, double b)
{
    return a == 0 && b == 0 ? -(double)NAN : a / b;
}

static Figure latency(const WwResults *r, const char *name, uint64_t n)
{
    if (n == 0) {
        return (Figure){-(double)NAN, (double)NAN, -(double)NAN};
    }
    return (Figure){(double)of(r, name, "_sum") / (double)n, (double)of(r, name, "_min"),
                    (double)of(r, name, "_max")};
}

static Figure rate(const WwResults *r, const char *name, uint64_t sum, double cycles, double nodes)
{
    return (Figure){quotient((double)sum, cycles) / nodes,
                    quotient((double)of(r, name, "_min"), cycles),
                    quotient((double)of(r, name, "_max"), cycles)};
}

static void print_latency(const char *name, Figure f, FILE *out)
{
    fprintf(out, "%s average = %g\n\tminimum = %g\n\tmaximum = %g\n", name, f.average, f.min,
            f.max);
}

static void print_rate(const WwResults *r, const char *name, const char *stat, Figure f, FILE *out)
{
    fprintf(out,
            "%s%g\n\tminimum = %g (at node %" PRIu64 ")\n\tmaximum = %g (at node %" PRIu64 ")\n",
            name, f.average, f.min, of(r, stat, "_min_node"), f.max, of(r, stat, "_max_node"));
}

/* ---- averages over kernels -------------------------------------------------------------------------------------- */

enum { PACKET, NET, FLIT, FRAGMENTATION, PACKETS_IN, PACKETS_OUT, FLITS_IN, FLITS_OUT, N_FIGURES };

struct AccelsimOverall {
    Figure sum[N_FIGURES];
    double hops;
    uint32_t kernels;
};

static const char *samples(const AccelsimOverall *o)
{
    static char text[32];
    g_snprintf(text, sizeof text, " (%u samples)\n", o->kernels);
    return text;
}

static void print_overall(const AccelsimOverall *o, FILE *out)
{
    static const char *const names[N_FIGURES] = {
        "Packet latency",       "Network latency",      "Flit latency",       "Fragmentation",
        "Injected packet rate", "Accepted packet rate", "Injected flit rate", "Accepted flit rate"};
    const char *after = samples(o);
    double n = o->kernels;
    fputs("====== Overall Traffic Statistics ======\n====== Traffic class 0 ======\n", out);
    for (int i = 0; i < N_FIGURES; i++) {
        const Figure *f = &o->sum[i];
        fprintf(out, "%s average = %g%s\tminimum = %g%s\tmaximum = %g%s", names[i], f->average / n,
                after, f->min / n, after, f->max / n, after);
    }
    fprintf(out, "Injected packet size average = %g%s",
            quotient(o->sum[FLITS_IN].average, o->sum[PACKETS_IN].average), after);
    fprintf(out, "Accepted packet size average = %g%s",
            quotient(o->sum[FLITS_OUT].average, o->sum[PACKETS_OUT].average), after);
    fprintf(out, "Hops average = %g%s", o->hops / n, after);
}

static void add_up(AccelsimOverall *o, const Figure *now, double hops)
{
    for (int i = 0; i < N_FIGURES; i++) {
        o->sum[i].average += now[i].average;
        o->sum[i].min += now[i].min;
        o->sum[i].max += now[i].max;
    }
    o->hops += hops;
    o->kernels++;
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* Flits of packets that were put into the network and have not left it. */
static uint64_t in_flight(const WwResults *r, const WwComponent *c, uint64_t out)
{
    uint64_t to_memory, replies;
    accelsim_flits(r, false, parameter(c, "flit_size"), &to_memory);
    ww_results_value(r, r->total, NETWORK, "flits_made", "replies", &replies);
    bool sent = !accelsim_perfect(r) && accelsim_networks(r, NETWORK, "request_out");
    return (sent ? to_memory : 0) + replies - out;
}

static void print_now(const WwResults *r, const WwComponent *c, const Figure *f,
                      const uint64_t *count, FILE *out)
{
    bool any = count[PACKETS_OUT] != 0;
    fputs("Class 0:\n", out);
    print_latency("Packet latency", f[PACKET], out);
    print_latency("Network latency", f[NET], out);
    fprintf(out, "Slowest packet = %" PRId64 "\n", any ? (int64_t)of(r, "slowest_packet", "") : -1);
    print_latency("Flit latency", f[FLIT], out);
    fprintf(out, "Slowest flit = %" PRId64 "\n",
            count[FLITS_OUT] != 0 ? (int64_t)of(r, "slowest_flit", "") : -1);
    print_latency("Fragmentation", f[FRAGMENTATION], out);
    print_rate(r, "Injected packet rate average = ", "sent_packets", f[PACKETS_IN], out);
    print_rate(r, "Accepted packet rate average = ", "accepted_packets", f[PACKETS_OUT], out);
    print_rate(r, "Injected flit rate average = ", "sent_flits", f[FLITS_IN], out);
    print_rate(r, "Accepted flit rate average= ", "accepted_flits", f[FLITS_OUT], out);
    fprintf(out, "Injected packet length average = %g\n",
            quotient((double)count[FLITS_IN], (double)count[PACKETS_IN]));
    fprintf(out, "Accepted packet length average = %g\n",
            quotient((double)count[FLITS_OUT], (double)count[PACKETS_OUT]));
    uint64_t inside = in_flight(r, c, count[FLITS_OUT]);
    fprintf(out, "Total in-flight flits = %" PRIu64 " (%" PRIu64 " measured)\n", inside, inside);
}

void accelsim_routed(WwAccelsim *a, FILE *out)
{
    const WwResults *r = a->results;
    uint32_t n;
    const WwComponent *c = network(r, &n);
    if (c == NULL) {
        return;
    }
    uint64_t count[N_FIGURES] = {0};
    count[PACKETS_IN] = of(r, "packets_entered", "");
    count[PACKETS_OUT] = of(r, "packets_left", "");
    count[FLITS_IN] = of(r, "flits_in", "");
    count[FLITS_OUT] = of(r, "flits_out", "");
    double cycles = (double)of(r, "cycles", "") / n, nodes = nodes_of(r, c);
    uint64_t packets = count[PACKETS_OUT];
    const Figure now[N_FIGURES] = {
        latency(r, "packet_latency", packets),
        latency(r, "network_latency", packets),
        latency(r, "flit_latency", count[FLITS_OUT]),
        latency(r, "fragmentation", packets),
        rate(r, "sent_packets", count[PACKETS_IN], cycles, nodes),
        rate(r, "accepted_packets", packets, cycles, nodes),
        rate(r, "sent_flits", count[FLITS_IN], cycles, nodes),
        rate(r, "accepted_flits", count[FLITS_OUT], cycles, nodes),
    };
    print_now(r, c, now, count, out);
    if (a->overall == NULL) {
        a->overall = WW_HEAP_NEW(a->results->heap, AccelsimOverall, 1);
    }
    add_up(a->overall, now, quotient((double)of(r, "hops", ""), (double)packets));
    print_overall(a->overall, out);
}
