/* SPDX-License-Identifier: Apache-2.0 */
/* Where generic addresses lead. */
#include "generic-priv.h"

#define LOCAL_WINDOW 16384u /* bytes of the local window in generic addresses */

/* A base of 0 is not known: nothing lies in its window. */
static inline bool in_window(uint64_t address, uint64_t base, uint64_t bytes)
{
    return base != 0 && address - base < bytes;
}

WwSpace generic_space(uint64_t window, const WwKernel *k, const WwInst *inst)
{
    if (window == 0 && (k->shmem_base == 0 || k->local_base == 0)) {
        return WW_SPACE_SHARED;
    }
    if (inst->mask == 0) {
        return WW_SPACE_NONE;
    }
    uint64_t a = ww_addr_first(inst->addr, inst->mask);
    if (window != 0) {
        return in_window(a, k->shmem_base, window)   ? WW_SPACE_SHARED
               : in_window(a, k->local_base, window) ? WW_SPACE_LOCAL
                                                     : WW_SPACE_GLOBAL;
    }
    if (a >= k->shmem_base && a < k->local_base) {
        return WW_SPACE_SHARED;
    }
    return a >= k->local_base && a < k->local_base + LOCAL_WINDOW ? WW_SPACE_LOCAL
                                                                  : WW_SPACE_GLOBAL;
}
