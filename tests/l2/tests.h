/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of this room share. */
#pragma once

#include <components/register.h>
#include <ports/cache.h>
#include <ports/fake_address_map.h>
#include <ports/fake_cache.h>
#include <ports/fake_l2_control.h>
#include <ports/register.h>
#include <ports/testing.h>

extern WwRegistry *registry;

void add_slice_tests(void);
void add_memory_tests(void);
