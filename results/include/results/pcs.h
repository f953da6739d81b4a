/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Figures of static instructions (run --pcs): what the SMs' `pcs` have counted, summed when a kernel ends.
 *
 * Workload: 10 to 10,000 instructions of some 25 numbers that are not 0, on each of 80 SMs; kept are some 100 bytes an instruction.
 */
#pragma once

#include <ports/pcs.h>
#include <results/results.h>

/** A static instruction with its figures, of all SMs. */
typedef struct WwPcEntry {
    uint32_t kernel; /**< WwKernel.uid */
    uint32_t line;   /**< Of the trace file; 0: not known, as the next two. */
    const char *opcode;
    const char *registers; /**< "R2 <- R4 R6"; behind the opcode and its NUL. */
    uint32_t letters;      /**< Of both, with their NUL. */
    uint64_t pc;
    uint64_t n_slots; /**< The sum of n.slots. */
    uint64_t some;    /**< Bit k: number k of `n` is not 0. */
    WwPcCounts n;
} WwPcEntry;
G_STATIC_ASSERT(WW_PC_COUNTS <= 64);

/** The static instruction @p id of kernel @p uid; NULL: gone. */
typedef const WwSinst *(*WwPcFindFn)(void *user, uint32_t uid, uint32_t id);

/** Keeps with @p k what the machine's `pcs` have counted since the last time; nothing where it has none. After ww_results_add(). */
void ww_pcs_add(WwResults *results, WwResultKernel *k, WwPcFindFn find, void *user);
/**
 * The next instruction in *@p at, which begins as WwResultKernel.pcs, into @p out; false: that was all. Those of the kernel itself come
 * first, by pc; then those of others that ran or were answered in its interval, by uid and pc. Texts stay as long as the results.
 */
bool ww_pcs_next(const uint8_t **at, WwPcEntry *out);
/** The same without its figures, but for their n_slots: `some` and `n` are left as they are. */
bool ww_pcs_look(const uint8_t **at, WwPcEntry *out);
