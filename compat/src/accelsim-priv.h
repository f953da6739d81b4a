/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Parts of the reference's report, in the order in which accelsim.c puts them together. Each prints the lines of what the
 * machine has; @p kernel is the one that has ended, `results->total` is as of its end.
 */
#pragma once

#include <compat/accelsim.h>

/** Averages over the kernels that were reported, of a network with routers (accelsim_routed.c). */
typedef struct AccelsimOverall AccelsimOverall;

struct WwAccelsim {
    const WwResults *results;
    AccelsimOverall *overall; /**< NULL: none yet. */
};

/* ---- accelsim.c --------------------------------------------------------------------------------------------------- */

/** The @p i-th line that is a name and one figure; false behind the last. */
bool accelsim_line(uint32_t i, WwAccelsimLine *out);
uint32_t accelsim_n_lines(void);

/* ---- accelsim_memory.c -------------------------------------------------------------------------------------------- */

/** In the head: gpu_stall_dramfull to L2_BW_total. */
void accelsim_memory_head(const WwResults *results, const WwResultKernel *kernel, FILE *out);
/** After the latencies: DRAM channels, L2, packets, networks ("maximum concurrent accesses ..." to the end). */
void accelsim_memory(WwAccelsim *a, const WwResultKernel *kernel, FILE *out);

/* ---- accelsim_routed.c -------------------------------------------------------------------------------------------- */

/** The network with routers; nothing where the machine has none. To be called once for each kernel that is reported: it averages. */
void accelsim_routed(WwAccelsim *a, FILE *out);

/* ---- accelsim_dram.c ---------------------------------------------------------------------------------------------- */

/** DRAM channels: tables by bank, then each channel. */
void accelsim_dram(const WwResults *results, FILE *out);

/* ---- accelsim_wiring.c -------------------------------------------------------------------------------------------- */

/** A cache is told by who uses it: a component type, and its port. */
typedef struct AccelsimPlace {
    const char *type, *port; /**< NULL: the end of a list. */
} AccelsimPlace;
typedef void (*AccelsimSee)(WwComponent *cache, void *data);

/** Has a component of type @p type anything bound to its port @p port? */
bool accelsim_networks(const WwResults *results, const char *type, const char *port);
/** Calls @p see for each cache behind port @p port of @p user; how many there are. */
uint32_t accelsim_behind(const WwComponent *user, const char *port, AccelsimSee see, void *data);
/** The same of all components, for a list of places. */
uint32_t accelsim_all_behind(const WwResults *results, const AccelsimPlace *places, AccelsimSee see,
                             void *data);
/** Takes what caches counted whose misses go to another cache of their SM, not into the network, in @p stat, of @p n entries, from what all caches did. */
void accelsim_without_inner(const WwResults *results, const char *stat, uint64_t *sum, uint32_t n);

/* ---- accelsim_caches.c -------------------------------------------------------------------------------------------- */

/** First-level caches: totals, by cluster, and the tables of outcomes and of refusals of the kernel's stream. */
void accelsim_caches(const WwResults *results, const WwResultKernel *kernel, FILE *out);
/**
 * "NAME[type][outcome] = n" for each access type and outcome, and TOTAL_ACCESS, of the kernel's stream: @p type is the
 * component type, a cache. Nothing when the stream made no access.
 */
void accelsim_outcomes(const WwResults *results, const WwResultKernel *kernel, const char *type,
                       const char *name, FILE *out);
/** "NAME[type][reason] = n" for each reason that occurred. */
void accelsim_fails(const WwResults *results, const WwResultKernel *kernel, const char *type,
                    const char *name, FILE *out);

/* ---- accelsim_traffic.c ------------------------------------------------------------------------------------------- */

/** Packets that SMs put into the network for memory. */
uint64_t accelsim_packets(const WwResults *results);
/** Packets that SMs sent to memory with access type @p access (atomics count as GLOBAL_ACC_R). False: nothing counts them. */
bool accelsim_sent(const WwResults *results, const char *access, uint64_t *out);
/** traffic_breakdown_coretomem and _memtocore. */
void accelsim_traffic(const WwResults *results, FILE *out);
/** Flits of @p flit bytes of all packets to memory, or back (@p reply). False: nothing counts them. */
bool accelsim_flits(const WwResults *results, bool reply, uint32_t flit, uint64_t *out);
/** maxmflatency to mf_lat_pw_table. */
void accelsim_latency(const WwResults *results, FILE *out);

/* ---- figures as the reference prints them (accelsim.c) ----------------------------------------------------- */

/** a / b in single precision with @p digits decimals, padded to @p width; "-nan" for 0 / 0 and "inf" for n / 0 everywhere. */
void accelsim_float(uint64_t a, uint64_t b, int width, int digits, FILE *out);
/** The same in double precision. */
void accelsim_double(uint64_t a, uint64_t b, int width, int digits, FILE *out);

/** Parameter @p name of @p c as a number, 0 if its type has none of that name. */
uint32_t accelsim_param(const WwComponent *c, const char *name);
/** Parameter @p name of the machine's `report`, or @p otherwise in a machine without one. */
uint32_t accelsim_shown(const WwResults *results, const char *name, uint32_t otherwise);

/** Do clusters answer requests themselves? Then nothing is sent into the network. */
bool accelsim_perfect(const WwResults *results);
/** Tells whether @p c is a memory channel, of whatever type. */
bool accelsim_is_channel(const WwComponent *c);
