/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of this room share. */
#pragma once

#include <ports/cache.h>
#include <ports/fake_address_map.h>
#include <ports/fake_cache.h>
#include <ports/fake_l2_control.h>
#include <ports/testing.h>
#include <tests/support/registry.h>

extern const WwRegistry *registry; /* test_registry() */

void add_slice_tests(void);
void add_memory_tests(void);
void add_latency_tests(void);
