/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Parts of the reference's report, in the order in which report_accelsim.c puts them together. Each prints the lines of what the
 * machine has; @p kernel is the one that has ended, `results->total` is as of its end.
 */
#pragma once

#include "report.h"

/* ---- report_memory.c -------------------------------------------------------------------------------------------- */

/** In the head: gpu_stall_dramfull to L2_BW_total. */
void cli_accelsim_memory_head(const CliResults *results, const CliKernel *kernel, FILE *out);
/** After the latencies: DRAM channels, L2, packets, networks ("maximum concurrent accesses ..." to the end). */
void cli_accelsim_memory(const CliResults *results, const CliKernel *kernel, FILE *out);

/* ---- report_routed.c -------------------------------------------------------------------------------------------- */

/** The network with routers; false: the machine has none. To be called once for each kernel that is reported: it averages. */
bool cli_accelsim_routed(const CliResults *results, FILE *out);

/* ---- report_dram.c ---------------------------------------------------------------------------------------------- */

/** DRAM channels: tables by bank, then each channel. */
void cli_accelsim_dram(const CliResults *results, FILE *out);

/* ---- report_caches.c -------------------------------------------------------------------------------------------- */

/** First-level caches: totals, by cluster, and the tables of outcomes and of refusals of the kernel's stream. */
void cli_accelsim_caches(const CliResults *results, const CliKernel *kernel, FILE *out);
/**
 * "NAME[type][outcome] = n" for each access type and outcome, and TOTAL_ACCESS, of the kernel's stream: @p type is the
 * component type, a cache. Nothing when the stream made no access.
 */
void cli_accelsim_outcomes(const CliResults *results, const CliKernel *kernel, const char *type,
                           const char *name, FILE *out);
/** "NAME[type][reason] = n" for each reason that occurred. */
void cli_accelsim_fails(const CliResults *results, const CliKernel *kernel, const char *type,
                        const char *name, FILE *out);

/* ---- report_traffic.c ------------------------------------------------------------------------------------------- */

/** Packets that SMs sent to memory with access type @p access (atomics count as GLOBAL_ACC_R). False: nothing counts them. */
bool cli_accelsim_sent(const CliResults *results, const char *access, uint64_t *out);
/** traffic_breakdown_coretomem and _memtocore. */
void cli_accelsim_traffic(const CliResults *results, FILE *out);
/** Flits of @p flit bytes of all packets to memory, or back (@p reply). False: nothing counts them. */
bool cli_accelsim_flits(const CliResults *results, bool reply, uint32_t flit, uint64_t *out);
/** maxmflatency to mf_lat_pw_table. */
void cli_accelsim_latency(const CliResults *results, FILE *out);

/* ---- figures as the reference prints them (report_accelsim.c) ----------------------------------------------------- */

/** a / b in single precision with @p digits decimals, padded to @p width; "-nan" for 0 / 0 and "inf" for n / 0 everywhere. */
void cli_accelsim_float(uint64_t a, uint64_t b, int width, int digits, FILE *out);
/** The same in double precision. */
void cli_accelsim_double(uint64_t a, uint64_t b, int width, int digits, FILE *out);

/** Parameter @p name of @p c as a number, 0 if its type has none of that name. */
uint32_t cli_accelsim_param(const WwComponent *c, const char *name);
/** Parameter @p name of the machine's `report`, or @p otherwise in a machine without one. */
uint32_t cli_accelsim_shown(const CliResults *results, const char *name, uint32_t otherwise);

/** Do clusters answer requests themselves? Then nothing is sent into the network. */
bool cli_accelsim_perfect(const CliResults *results);
/** Tells whether @p c is a memory channel, of whatever type. */
bool cli_accelsim_is_channel(const WwComponent *c);
