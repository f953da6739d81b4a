/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Interface contract `trace_source`: where kernels, their CTAs and their warps' instructions come from.
 *
 * A provider is bound from outside the machine (the `warpwright` command binds a trace on disk, a test binds a
 * list in memory). It streams: nothing but the CTAs that are resident needs to be in memory.
 */
#pragma once

#include <ports/code.h>
#include <ports/inst.h>
#include <ports/packed.h>

/** What a kernel launch says before its first instruction. Owned by the source until close_kernel(). */
typedef struct WwKernel {
    const char *name; /**< Kernel (function) name from the header. */
    const char *file; /**< Trace file, for errors. */
    uint32_t uid;     /**< 1, 2, ... in order of kernel commands. */
    uint32_t grid[3], block[3];
    uint64_t n_ctas;          /**< Product of grid (after --max-ctas, if that was given). */
    uint32_t threads_per_cta; /**< Product of block. */
    uint32_t shmem;           /**< Bytes of shared memory of a CTA. */
    uint32_t nregs;           /**< Registers of a thread. */
    uint32_t binary_version;  /**< 35, 60, 61, 70, 75, 80, 86. */
    uint64_t stream;          /**< CUDA stream. */
    uint64_t shmem_base;      /**< Window of shared memory in generic addresses; 0: none. */
    uint64_t local_base;      /**< Window of local memory. */
    const WwCode *code;       /**< Its static code, where a listing has it; NULL: there is none. */
    const WwSinst *const
        *sinst; /**< Instruction table, indexed by WwTinst.sinst; valid up to the ids seen in
                                      CTAs already read. The array may move when a CTA is read; entries do not. */
    void *priv; /**< The source's own. */
} WwKernel;

/** The instructions of one CTA. Owned by the source until release_cta(). */
typedef struct WwCtaTrace {
    uint32_t n_warps;
    const WwTinst *const *warp; /**< warp[k]: its instructions in order; NULL when it is packed. */
    WwPacked *const *packed;    /**< packed[k]: or here, when they are many; NULL: no warp is. */
    const uint32_t *n_insts;    /**< n_insts[k] >= 1. */
    const uint64_t *addr;       /**< Address arena; see WwTinst.addr. */
    uint32_t id[3];             /**< Block id as printed in the trace; informational. */
    void *priv;                 /**< The source's own. */
} WwCtaTrace;

/** What an entry of the command list is. */
typedef enum WwCommandKind {
    WW_COMMAND_END,        /**< There is no more. */
    WW_COMMAND_KERNEL,     /**< A kernel is launched. */
    WW_COMMAND_MEMCPY_HTOD /**< The host copies to the device. */
} WwCommandKind;

/** One entry of the command list. */
typedef struct WwCommand {
    WwCommandKind kind;
    const WwKernel *kernel; /**< WW_COMMAND_KERNEL */
    uint64_t address;       /**< WW_COMMAND_MEMCPY_HTOD: device address, */
    uint64_t bytes;         /**< and length. */
} WwCommand;

/** A trace that is read from its first command to its last; in memory, or from a disk. */
typedef struct WwTraceSourceIf {
    /** The next command into @p out (kind END after the last). False with @p error on bad input. */
    bool (*next_command)(void *self, WwCommand *out, GError **error);
    /**
     * The next CTA of @p kernel in file order. Must be called at most n_ctas times. False with @p error when the
     * trace is malformed or ends early.
     */
    bool (*next_cta)(void *self, const WwKernel *kernel, const WwCtaTrace **out, GError **error);
    /** Gives a CTA's memory back. Its WwTinst and addresses are invalid afterwards. */
    void (*release_cta)(void *self, const WwKernel *kernel, const WwCtaTrace *cta);
    /** Gives a kernel back; every CTA must have been released. */
    void (*close_kernel)(void *self, const WwKernel *kernel);
} WwTraceSourceIf;
