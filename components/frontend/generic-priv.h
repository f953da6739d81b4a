/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Where generic addresses lead. Private to warp_pool.
 */
#pragma once

#include <ports/warps.h>

/**
 * The space of generic load or store @p inst of kernel @p k: where the address of the lowest active lane points; with no lane there is
 * nothing to decide by. The reference lets the shared window reach up to the local one, and takes everything for shared where one of them is
 * not known; @p window, if it is not 0, is the size of both in bytes.
 */
WwSpace generic_space(uint64_t window, const WwKernel *k, const WwInst *inst);
