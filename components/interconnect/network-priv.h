/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the crossbar and the network with routers share.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/**
 * A network may lead to a part of the clusters or slices only; a packet for another, number @p to, ends the run of component @p self, which has
 * @p outputs of that kind. Returns an output that there is.
 */
uint32_t network_without_way(void *self, bool reply, uint32_t to, uint32_t outputs);
