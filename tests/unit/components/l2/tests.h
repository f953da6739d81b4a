/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of this room share. */
#pragma once

#include <ports/cache.h>
#include <testing/fake_address_map.h>
#include <testing/fake_cache.h>
#include <testing/fake_l2_control.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

extern const WwRegistry *registry; /* test_registry() */

void add_slice_tests(void);
void add_split_tests(void);
void add_router_tests(void);
void add_memory_tests(void);
void add_latency_tests(void);
