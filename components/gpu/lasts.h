/* SPDX-License-Identifier: Apache-2.0 */
/** @file How long CTAs last at least: before that no kernel ends, and SMs hold one. Who stops windows there asks. */
#pragma once

#include <ports/ctas.h>

/** The most parts of the memory system that are asked: slices of the L2, and the network. */
#define GPU_MAX_MEMORY 257u

/**
 * No fewer edges pass until no SM holds a CTA; @p most or more if it is that many, 0 if none holds one. Clusters know it from their traces
 * (contract `cluster`), and the memory system from requests that a warp waits for (contract `activity`). Before a window, which has no more than @p most.
 * *@p longest: the cluster that had much to do when last asked, 0 at first; it is asked first.
 */
WwCycle gpu_lasts(WwCycle most, const WwPort *cluster, uint32_t n_cluster, uint32_t *longest,
                  const WwPort *memory, uint32_t n_memory);
