/* SPDX-License-Identifier: Apache-2.0 */
/* Causes of lost issue slots: in words, and as Nsight Compute says. */
#include <results/stalls.h>

#include <glib.h>
#include <string.h>

static const WwStallCause stalls[] = {
    {"no_warp", WW_LOST_WARPS, "no warp", "", "The scheduler has no warp that is not finished.",
     "More CTAs, or smaller ones: occupancy, launch latency, the tail."},
    {"barrier", WW_LOST_SYNC, "waiting at a CTA barrier", "barrier",
     "Every remaining warp waits at a barrier for others of its CTA.",
     "Balance the work of the warps of a CTA; use smaller CTAs, several per SM."},
    {"membar", WW_LOST_MEMORY, "waiting at a memory barrier", "membar",
     "Every remaining warp waits at a fence for its accesses to be performed.",
     "Fewer fences, or of smaller scope."},
    {"async_copy", WW_LOST_MEMORY, "waiting for asynchronous copies", "long_scoreboard",
     "Every remaining warp waits for copies from global to shared memory.",
     "Start copies earlier: more stages."},
    {"atomic", WW_LOST_MEMORY, "waiting for atomics", "long_scoreboard",
     "Every remaining warp waits for the result of an atomic.",
     "Reduce within the warp or CTA first."},
    {"fetch", WW_LOST_FETCH, "waiting for instructions", "no_instruction",
     "Warps could proceed, but none has a decoded instruction.",
     "Shorter code, fewer jumps; the instruction cache."},
    {"policy", WW_LOST_OTHER, "held back by the policy", "not_selected",
     "A warp was ready, but the policy did not offer it. (Nsight counts ready warps that wait "
     "while another one issues.)",
     "Another scheduler, a larger active set."},
    {"scoreboard_long", WW_LOST_MEMORY, "data from memory", "long_scoreboard",
     "Every ready instruction needs the result of a load from global, local or texture memory.",
     "More warps or independent loads in flight; hits closer to the SM; fewer sectors per "
     "request."},
    {"scoreboard", WW_LOST_ARITHMETIC, "data from arithmetic", "wait, short_scoreboard",
     "An instruction needs a result of arithmetic or of shared memory, and nothing else could be "
     "issued.",
     "More independent instructions, or more warps."},
    {"unit_sp", WW_LOST_UNIT, "SP unit taken", "math_pipe_throttle",
     "An instruction is ready, but its unit or the path to it cannot take one now.",
     "Fewer FP32 instructions; a different mix."},
    {"unit_dp", WW_LOST_UNIT, "DP unit taken", "math_pipe_throttle", "The same for the FP64 unit.",
     "FP32 where it suffices."},
    {"unit_int", WW_LOST_UNIT, "INT unit taken", "math_pipe_throttle",
     "The same for the integer unit.", "Fewer address computations: unrolling, simpler indices."},
    {"unit_sfu", WW_LOST_UNIT, "SFU taken", "math_pipe_throttle",
     "The same for the special function unit.",
     "Cheaper functions, or polynomials on the SP unit."},
    {"unit_mem", WW_LOST_MEMORY, "memory unit taken", "lg_throttle, mio_throttle",
     "The same for the LD/ST unit: it is behind with requests.",
     "Fewer and wider accesses; coalescing; no bank conflicts."},
    {"unit_tensor", WW_LOST_UNIT, "tensor unit taken", "math_pipe_throttle",
     "The same for the tensor unit.", "It is what such a kernel should wait for."},
    {"unit_spec", WW_LOST_UNIT, "specialised unit taken", "math_pipe_throttle, tex_throttle",
     "The same for a specialised unit (branches, texture, uniform instructions).",
     "See which one under units in the summary."},
    {"device_launch", WW_LOST_OTHER, "launching from the device", "misc",
     "A launch from the device is being retried.", "Fewer, larger launches."},
    {"scoreboard_short", WW_LOST_ARITHMETIC, "a dependence counter", "short_scoreboard",
     "An instruction waits for a dependence counter of something other than a load from global, "
     "local or texture memory: shared memory, special functions, FP64.",
     "More independent instructions in between, or more warps."},
    {"stall_count", WW_LOST_ARITHMETIC, "the compiler's stall count", "wait",
     "The warp waits as long as the compiler wrote into its previous instruction, for a "
     "fixed-latency result.",
     "More independent instructions, or more warps."},
    {"yield", WW_LOST_OTHER, "the compiler's yield", "dispatch_stall",
     "The previous instruction yielded to other warps, but there were none.", "More warps."},
    {"constant", WW_LOST_MEMORY, "a constant operand", "imc_miss",
     "A constant operand is not in the sub-core's cache.",
     "Fewer constants at a time; load early those used later."},
    {"result", WW_LOST_OTHER, "no room for a result", "dispatch_stall",
     "The queue of results that wait for write ports is full.",
     "Registers in other banks; fewer loads that return together."},
    {"next_stage", WW_LOST_OTHER, "register ports taken", "dispatch_stall",
     "The previous instruction is stalled: no ports are free to read its registers.",
     "Registers in other banks; reuse."},
    {"issue_port", WW_LOST_OTHER, "issue closed behind an IMAD", "dispatch_stall",
     "No instruction issues in the cycle after an IMAD.", "Shifts and additions instead."},
};

const char *const ww_issue_types[] = {"warp_scheduler", "issue_stage", NULL};

const char *ww_cause_of(const char *name, char mark)
{
    for (const char *const *type = ww_issue_types; *type != NULL; type++) {
        size_t n = strlen(*type);
        if (strncmp(name, *type, n) == 0 && strncmp(name + n, ".cause", 6) == 0 &&
            name[n + 6] == mark) {
            return name + n + 7;
        }
    }
    return NULL;
}

const WwStallCause *ww_stalls(uint32_t *n)
{
    *n = G_N_ELEMENTS(stalls);
    return stalls;
}

const WwStallCause *ww_stall(const char *cause)
{
    for (size_t i = 0; i < G_N_ELEMENTS(stalls); i++) {
        if (strcmp(stalls[i].cause, cause) == 0) {
            return &stalls[i];
        }
    }
    return NULL;
}
