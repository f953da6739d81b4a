/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the crossbar and the network with routers share.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stdint.h>

/** How many inputs and outputs of a network are bound; none on both sides of a direction: the network is for the other one. */
typedef struct NetworkEnds {
    uint32_t request_in, request_out, reply_in, reply_out;
} NetworkEnds;

/**
 * What @p ends are for: clusters send requests and take replies, slices the other way round. Fails with WW_ERROR_WIRING if a side of a direction
 * is missing, or the two directions differ; without request_in alone nobody sends, for clusters answer their own requests.
 */
bool network_sides(const NetworkEnds *ends, uint32_t *clusters, uint32_t *slices, GError **error);

/**
 * A network may lead to a part of the clusters or slices only; a packet for another, number @p to, ends the run of component @p self, which has
 * @p outputs of that kind. Returns an output that there is.
 */
uint32_t network_without_way(void *self, bool reply, uint32_t to, uint32_t outputs);
