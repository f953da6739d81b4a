/* SPDX-License-Identifier: Apache-2.0 */
/* Every port contract of an SM and a GPU, with its version, ranks and fake provider. */
#include "functions-priv.h"

#include <ports/cache.h>
#include <ports/coalesce.h>
#include <ports/ctas.h>
#include <ports/execute.h>
#include <ports/hazards.h>
#include <ports/icache.h>
#include <ports/issue.h>
#include <ports/latency.h>
#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/replacement.h>
#include <ports/sub_core.h>
#include <ports/tokens.h>
#include <ports/warps.h>
#include <ports/wire.h>

static const char *const warps_ranks[] = {
    WW_RANK_WRITEBACK, WW_RANK_EXECUTE, WW_RANK_ISSUE, WW_RANK_DECODE,
    WW_RANK_FETCH,     WW_RANK_CTA,     NULL};
static const char *const hazard_ranks[] = {WW_RANK_RELEASE, WW_RANK_CHECK, WW_RANK_RETIRE, NULL};
static const char *const barrier_ranks[] = {WW_RANK_EXECUTE, WW_RANK_ISSUE, WW_RANK_CTA, NULL};
static const char *const bank_ranks[] = {WW_RANK_WRITE, WW_RANK_COLLECT, NULL};
static const char *const ctas_ranks[] = {WW_RANK_FETCH, WW_RANK_DISPATCH, NULL};
static const char *const cluster_ranks[] = {WW_RANK_CLUSTER_COLLECT, WW_RANK_DISPATCH,
                                            WW_RANK_CLUSTER_FLUSH, WW_RANK_FINISH, NULL};
static const char *const kernels_ranks[] = {WW_RANK_LAUNCH, WW_RANK_DISPATCH, WW_RANK_FINISH, NULL};

static const char *const ibuffer_ranks[] = {WW_RANK_ISSUE, WW_RANK_DECODE, WW_RANK_FETCH, NULL};
static const char *const fetches_ranks[] = {WW_RANK_FETCH, WW_RANK_STEP, NULL};
static const char *const dependence_ranks[] = {WW_RANK_WRITTEN, WW_RANK_READ,   WW_RANK_SENT,
                                               WW_RANK_CHECK,   WW_RANK_RETIRE, NULL};
static const char *const unit_ranks[] = {WW_RANK_UNIT, WW_RANK_ALLOCATE, WW_RANK_CONTROL,
                                         WW_RANK_ISSUE, NULL};
static const char *const register_ports_ranks[] = {WW_RANK_WRITE, WW_RANK_QUEUED, WW_RANK_ALLOCATE,
                                                   NULL};
static const char *const slots_ranks[] = {WW_RANK_WRITE, WW_RANK_ISSUE, NULL};
static const char *const constants_ranks[] = {WW_RANK_ISSUE, WW_RANK_STEP, NULL};
static const char *const dispatch_ranks[] = {WW_RANK_SHARED, WW_RANK_UNIT, NULL};

#define CHANNEL(id, name_, doc_, channel_, payload_)                                               \
    const WwContract id = {.name = name_,                                                          \
                           .doc = doc_,                                                            \
                           .version = 1,                                                           \
                           .kind = WW_CHANNEL,                                                     \
                           .channel = channel_,                                                    \
                           .payload = payload_}
/* Partitions that share a provider depend on each other. */
#define INTERFACE(id, name_, doc_, ranks_) SHARED(id, name_, doc_, ranks_, WW_EXCLUSIVE)
/* Whose providers wake nobody. */
#define QUIET(c, n, d)                                                                             \
    const WwContract c = {.name = n,                                                               \
                          .doc = d,                                                                \
                          .version = 1,                                                            \
                          .kind = WW_INTERFACE,                                                    \
                          .quiet = true,                                                           \
                          .fake = "fake." n,                                                       \
                          .functions = c##_functions}
#define SHARED(id, name_, doc_, ranks_, sharing_)                                                  \
    const WwContract id = {.name = name_,                                                          \
                           .doc = doc_,                                                            \
                           .version = 1,                                                           \
                           .kind = WW_INTERFACE,                                                   \
                           .ranks = ranks_,                                                        \
                           .sharing = sharing_,                                                    \
                           .fake = "fake." name_,                                                  \
                           .functions = id##_functions}

CHANNEL(ww_contract_inst, "inst", "instructions through pipeline registers", "register_set",
        &ww_payload_inst);
CHANNEL(ww_contract_fetch, "fetch", "fetched groups on their way to the decoder", "fifo",
        &ww_payload_fetch);
CHANNEL(ww_contract_mem_request, "mem_request", "memory transactions to memory", "fifo",
        &ww_payload_mem);
CHANNEL(ww_contract_mem_response, "mem_response", "memory responses", "fifo", &ww_payload_mem);
CHANNEL(ww_contract_dram_request, "dram_request",
        "transactions from an L2 slice to its DRAM channel", "fifo", &ww_payload_mem);
CHANNEL(ww_contract_dram_response, "dram_response",
        "transactions from a DRAM channel to its L2 slice", "fifo", &ww_payload_mem);
CHANNEL(ww_contract_number, "number", "plain numbers through a fifo", "fifo", &ww_payload_number);
CHANNEL(ww_contract_number_wire, "number_wire", "plain numbers on a wire", "wire",
        &ww_payload_number);
CHANNEL(ww_contract_level, "level", "a number as a level on a signal", "signal",
        &ww_payload_number);
CHANNEL(ww_contract_any, "any", "either end of a fifo, whatever it carries", "fifo", NULL);

INTERFACE(ww_contract_warps, "warps", "the hardware warps of an SM", warps_ranks);
INTERFACE(ww_contract_simt, "simt", "the pc a warp executes next", NULL);
INTERFACE(ww_contract_scoreboard, "scoreboard", "registers with a pending write", hazard_ranks);
INTERFACE(ww_contract_barriers, "barriers", "CTA barriers, memory barriers, asynchronous copies",
          barrier_ranks);
INTERFACE(ww_contract_scheduler, "scheduler", "the order in which warps are tried", NULL);
INTERFACE(ww_contract_result_bus, "result_bus", "reservation of result buses", NULL);
INTERFACE(ww_contract_register_banks, "register_banks", "writes to register file banks",
          bank_ranks);
QUIET(ww_contract_inst_ends, "inst_ends", "ends of a memory unit's instructions");
INTERFACE(ww_contract_icache, "icache", "instruction fetch", NULL);
INTERFACE(ww_contract_ctas, "ctas", "the CTA slots of an SM", ctas_ranks);
INTERFACE(ww_contract_cluster, "cluster", "SMs that share a port", cluster_ranks);
INTERFACE(ww_contract_kernels, "kernels", "running kernels and their CTAs", kernels_ranks);
QUIET(ww_contract_activity, "activity", "tells whether a part of the memory system is empty");
INTERFACE(ww_contract_kernel_results, "kernel_results", "finished kernels", NULL);
QUIET(ww_contract_coalescer, "coalescer", "turns lanes into memory transactions");
QUIET(ww_contract_replacement, "replacement", "choice of the line to replace in a set");
INTERFACE(ww_contract_cache, "cache", "tags, MSHRs and ports of a cache", NULL);
SHARED(ww_contract_address_map, "address_map", "place of an address in the memory system", NULL,
       WW_PURE);
INTERFACE(ww_contract_l1_control, "l1_control", "sizes of L1Ds", NULL);
INTERFACE(ww_contract_code_caches, "code_caches", "the instruction caches of an SM", NULL);
INTERFACE(ww_contract_memcpy, "memcpy", "host-to-device copies that warm the L2", NULL);
QUIET(ww_contract_l2_control, "l2_control", "warming and flushing an L2 slice");
SHARED(ww_contract_arrivals, "arrivals", "packets that slices take from the network", NULL,
       WW_REDUCE);
SHARED(ww_contract_latency, "latency", "round trips of memory requests", NULL, WW_REDUCE);
const WwContract ww_contract_pcs = {.name = "pcs",
                                    .doc = "statistics of static instructions and of warps",
                                    .version = 1,
                                    .kind = WW_INTERFACE,
                                    .quiet = true,
                                    .aside = true,
                                    .fake = "fake.pcs",
                                    .functions = ww_contract_pcs_functions};
INTERFACE(ww_contract_timing, "timing", "timing of instructions in a sub-core", NULL);
INTERFACE(ww_contract_ibuffer, "ibuffer", "instruction buffers that run ahead of the trace",
          ibuffer_ranks);
INTERFACE(ww_contract_fetches, "fetches", "instruction fetch of a sub-core", fetches_ranks);
INTERFACE(ww_contract_refill, "refill", "responses to the caches of sub-cores", NULL);
INTERFACE(ww_contract_prefetch, "prefetch", "stream buffers beside an instruction cache", NULL);
INTERFACE(ww_contract_dependence, "dependence", "what keeps a warp from issuing", dependence_ranks);
INTERFACE(ww_contract_unit, "unit", "the input of a fixed-latency unit", unit_ranks);
INTERFACE(ww_contract_register_ports, "register_ports", "ports of register banks",
          register_ports_ranks);
INTERFACE(ww_contract_register_cache, "register_cache", "registers kept for reuse", NULL);
INTERFACE(ww_contract_result_slots, "result_slots", "room in a result queue", slots_ranks);
INTERFACE(ww_contract_issue_port, "issue_port", "stalls of an issue stage", NULL);
INTERFACE(ww_contract_constants, "constants", "the constant-operand cache", constants_ranks);
INTERFACE(ww_contract_dispatch_slot, "dispatch_slot",
          "the path from sub-cores to the SM's shared units", dispatch_ranks);
INTERFACE(ww_contract_trace_source, "trace_source", "kernels, CTAs and instructions", NULL);
