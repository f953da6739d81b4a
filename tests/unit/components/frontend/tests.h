/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and what they share. */
#pragma once

#include <ports/hazards.h>
#include <testing/fake_icache.h>
#include <testing/fake_simt.h>
#include <testing/fake_trace.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_warp_pool_tests(void);
void register_fetch_tests(void);
void register_decoder_tests(void);
void register_front_end_tests(void);
void register_icache_perfect_tests(void);

/* A scoreboard that only shows masks: external provider of the fetch unit's `scoreboard`. */
extern const WwScoreboardIf test_scoreboard;
