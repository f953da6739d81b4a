/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A trace in memory: kernels, CTAs, warps and instructions described in a few lines of a test.
 *
 *     WwFakeTrace *t = ww_fake_trace_new();
 *     const WwTestInst program[] = {WW_T_LDG(1, 2, 0x1000000, 4), WW_T_INT(3, 1)};
 *     WwFakeKernel *k = ww_fake_trace_kernel(t, "saxpy", 16, 128); // 16 CTAs of 128 threads
 *     k->pub.shmem = 1024;
 *     ww_fake_kernel_program(k, program, G_N_ELEMENTS(program)); // for every warp; adds EXIT
 *     ww_harness_provide(h, "trace", &ww_fake_trace_source, t); // or ww_bind_external()
 *     ...
 *     ww_fake_trace_free(t); // after the machine
 *
 * The component type `fake.trace_source` holds a WwFakeTrace of its own (empty at first), for
 * benches that fill it later.
 */
#pragma once

#include <ports/trace_source.h>
#include <testing/testing.h>
#include <warpwright/heap.h>

/* ---- instructions of a program --------------------------------------------------------------- */

/**
 * A WwTestInst of each category. Registers are numbers + 1 as everywhere in inst.h (0: none); trailing arguments are further
 * sources; the units SPEC1 to SPEC8 are those of @p k_ 1 to 8.
 */
#define WW_T_ALU(dst_, ...)                                                                        \
    {                                                                                              \
        .op = WW_OP_ALU, .dst = dst_, .src = { __VA_ARGS__ }                                       \
    }
#define WW_T_INT(dst_, ...)                                                                        \
    {                                                                                              \
        .op = WW_OP_INT, .dst = dst_, .src = { __VA_ARGS__ }                                       \
    }
#define WW_T_SP(dst_, ...)                                                                         \
    {                                                                                              \
        .op = WW_OP_SP, .dst = dst_, .src = { __VA_ARGS__ }                                        \
    }
#define WW_T_DP(dst_, ...)                                                                         \
    {                                                                                              \
        .op = WW_OP_DP, .dst = dst_, .src = { __VA_ARGS__ }                                        \
    }
#define WW_T_SFU(dst_, ...)                                                                        \
    {                                                                                              \
        .op = WW_OP_SFU, .dst = dst_, .src = { __VA_ARGS__ }                                       \
    }
#define WW_T_SPEC(k_, dst_, ...)                                                                   \
    {                                                                                              \
        .op = WW_OP_SPEC1 + (k_)-1, .dst = dst_, .src = { __VA_ARGS__ }                            \
    }
#define WW_T_BAR()                                                                                 \
    {                                                                                              \
        .op = WW_OP_BARRIER                                                                        \
    }
#define WW_T_MEMBAR()                                                                              \
    {                                                                                              \
        .op = WW_OP_MEMBAR                                                                         \
    }
#define WW_T_EXIT()                                                                                \
    {                                                                                              \
        .op = WW_OP_EXIT                                                                           \
    }
/** Loads and stores of 4 bytes: lane l accesses base + l * stride. */
#define WW_T_LOAD(space_, dst_, src_, base_, stride_)                                              \
    {                                                                                              \
        .op = WW_OP_LOAD, .space = space_, .dst = dst_, .src = {src_}, .base = base_,              \
        .stride = stride_                                                                          \
    }
#define WW_T_STORE(space_, addr_, data_, base_, stride_)                                           \
    {                                                                                              \
        .op = WW_OP_STORE, .space = space_, .src = {addr_, data_}, .base = base_,                  \
        .stride = stride_                                                                          \
    }
#define WW_T_LDG(dst_, src_, base_, stride_) WW_T_LOAD(WW_SPACE_GLOBAL, dst_, src_, base_, stride_)
#define WW_T_LDS(dst_, src_, base_, stride_) WW_T_LOAD(WW_SPACE_SHARED, dst_, src_, base_, stride_)
#define WW_T_LDL(dst_, src_, base_, stride_) WW_T_LOAD(WW_SPACE_LOCAL, dst_, src_, base_, stride_)
#define WW_T_STG(addr_, data_, base_, stride_)                                                     \
    WW_T_STORE(WW_SPACE_GLOBAL, addr_, data_, base_, stride_)
#define WW_T_STS(addr_, data_, base_, stride_)                                                     \
    WW_T_STORE(WW_SPACE_SHARED, addr_, data_, base_, stride_)

/* ---- kernels --------------------------------------------------------------------------------- */

/** Kernels that a test describes. Free with ww_fake_trace_free(), after the machine. */
typedef struct WwFakeTrace WwFakeTrace;
/** What one or more warps of a kernel execute: private (fake_trace.c). */
typedef struct WwFakeProgram WwFakeProgram;

/** Where an execution stands, for address functions. */
typedef struct WwFakePlace {
    uint64_t cta;
    uint32_t warp;  /**< In the CTA. */
    uint32_t index; /**< Instruction of the program. */
    uint32_t lane;
} WwFakePlace;

/** Address of a lane; @p user is the kernel's `user`. */
typedef uint64_t (*WwFakeAddress)(void *user, const WwFakePlace *place);

/** A kernel under description. Fields of `pub` may be changed until the machine reads it. */
typedef struct WwFakeKernel {
    WwKernel pub;
    WwFakeTrace *trace;
    /** Non-NULL: makes the addresses of memory instructions with a base (any non-zero value). */
    WwFakeAddress address;
    void *user;
    uint64_t handed;                        /**< CTAs handed out, */
    uint64_t held;                          /**< and of these not given back. */
    bool opened, closed;                    /**< The machine read it; gave it back. */
    WW_HEAP_LIST(WwFakeProgram *) programs; /**< In order of description. */
    WW_HEAP_LIST(WwSinst *) sinsts;
} WwFakeKernel;

/** An empty one. */
WW_API WwFakeTrace *ww_fake_trace_new(void);
/** One in memory of @p heap, which it goes with. */
WW_API WwFakeTrace *ww_fake_trace_new_in(WwHeap *heap);
/** With its kernels; of one in somebody's heap, nothing. @p t may be NULL. */
WW_API void ww_fake_trace_free(WwFakeTrace *t);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwFakeTrace, ww_fake_trace_free)
/** Functions of `trace_source`; the WwFakeTrace is their self. */
WW_API extern const WwTraceSourceIf ww_fake_trace_source;

/**
 * Appends a kernel of @p ctas CTAs of @p threads threads, one-dimensional, 16 registers, stream
 * 0, sm_80, windows of the usual places. Without a program its warps execute EXIT alone. Owned by
 * the trace.
 */
WW_API WwFakeKernel *ww_fake_trace_kernel(WwFakeTrace *t, const char *name, uint64_t ctas,
                                          uint32_t threads);
/** Appends a copy from the host. */
WW_API void ww_fake_trace_memcpy(WwFakeTrace *t, uint64_t address, uint64_t bytes);
/**
 * Every warp of every CTA executes @p program (copied), then EXIT unless it ends with one. pc is
 * 16 * index unless given.
 */
WW_API void ww_fake_kernel_program(WwFakeKernel *k, const WwTestInst *program, uint32_t n);
/**
 * The same for CTA @p cta (or all: -1) and warp @p warp (or all: -1) only; later descriptions
 * win.
 */
WW_API void ww_fake_kernel_warp(WwFakeKernel *k, int64_t cta, int32_t warp,
                                const WwTestInst *program, uint32_t n);

/** Command number @p n (0 first) cannot be read: next_command() fails with @p message. */
WW_API void ww_fake_trace_fail_command(WwFakeTrace *t, uint32_t n, const char *message);
/** CTA number @p cta of @p k cannot be read. */
WW_API void ww_fake_kernel_fail_cta(WwFakeKernel *k, uint64_t cta, const char *message);

/** Kernels read and not given back. */
WW_API uint32_t ww_fake_trace_open(const WwFakeTrace *t);
/** CTAs handed out and not given back. */
WW_API uint64_t ww_fake_trace_held(const WwFakeTrace *t);
/** Commands read so far. */
WW_API uint32_t ww_fake_trace_read(const WwFakeTrace *t);
/** Back to the first command; everything handed out is invalid. */
WW_API void ww_fake_trace_rewind(WwFakeTrace *t);
/** As new: before a machine reads it, at first or after a reset. */
WW_API void ww_fake_trace_clear(WwFakeTrace *t);
/** The kernel of command number @p n (0 first); NULL: it is a copy, or there is none. */
WW_API const WwFakeKernel *ww_fake_trace_command(const WwFakeTrace *t, uint32_t n);

/* ---- as a component -------------------------------------------------------------------------- */

/** A provider of `trace_source` with a trace of its own. */
typedef struct WwFakeTraceSource {
    WwComponent base;
    WwProvided trace_source;
    WwFakeTrace *trace; /**< To be described by the test. */
} WwFakeTraceSource;

/** The type `fake.trace_source`. */
WW_API extern const WwType ww_fake_trace_source_type;
