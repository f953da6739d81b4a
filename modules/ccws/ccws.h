/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the two parts of CCWS say to each other: a contract of this module's own. Contracts are compared by address, so only
 * types of this module can be joined by it.
 */
#pragma once

#include <ports/warps.h>
#include <warpwright/module.h>

typedef struct CcwsIf {
    /** The warps that may issue loads in this cycle. Free of effects. */
    uint64_t (*may_load)(void *self);
    /** A scheduler has issued @p n instructions. */
    void (*issued)(void *self, uint32_t n);
} CcwsIf;

extern const WwContract ccws_contract;
#define CCWS(port) ((const CcwsIf *)(port)->table)

extern const WwType ccws_monitor_type;
extern const WwType ccws_scheduler_type;
