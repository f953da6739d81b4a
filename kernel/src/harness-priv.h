/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the two halves of the harness share: building and driving. Private to kernel/src. */
#pragma once

#include "machine-priv.h"

#include <warpwright/harness.h>

/** A token on its way between the test and an end that acts by itself. */
typedef struct HarnessPass {
    WwCycle cycle; /**< It is put from then on; it was taken then. */
    int slot;
    WwToken token;
} HarnessPass;

/** What stands at the other end of a port. */
typedef struct HarnessPeer {
    WwComponent base;
    WwPort port;
    uint64_t turns;
    uint64_t seen;    /**< Turns already told by ww_harness_wakes(). */
    uint64_t carries; /**< What is known of what the test puts. */
    const WwChannelOps *ops;
    bool reads, by_itself;
    uint64_t seed; /**< When it takes. */
    WW_HEAP_LIST(HarnessPass) pass;
    uint32_t passed; /**< Of these. */
} HarnessPeer;

typedef struct HarnessEnd {
    char *port; /**< As the test names it: "in", "spec[2]". */
    int row;
    char *rank; /**< PROVIDES: of this caller. */
    uint32_t ordinal;
    HarnessPeer *peer;
    WwComponent *filled; /**< REQUIRES: what fills it. */
    const WwChannelOps *ops;
} HarnessEnd;

struct WwHarness {
    const WwRegistry *registry;
    WwMachine *m;
    WwGroup *own; /**< Of the component under test, and what fills its needs. */
    bool apart;   /**< That is a partition. */
    WwComponent *dut;
    GPtrArray *ends;   /**< HarnessEnd */
    bool *settled_row; /**< Rows that the test has dealt with. */
};

/** Misuse: ends the process. */
void ww_harness_fatal(const char *format, ...) G_GNUC_PRINTF(1, 2) G_GNUC_NORETURN;
/** Row of "name" or "name[i]". */
int ww_harness_row(const WwHarness *h, const char *port);
/** The entry point of a peer. */
WwRest ww_harness_peer_turn(void *self);
/** Power-on makes everything due; the peers have not been woken by anybody yet. */
void ww_harness_rest_peers(const WwHarness *h);
