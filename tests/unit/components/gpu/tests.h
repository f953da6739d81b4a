/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and what they share. */
#pragma once

#include <ports/ctas.h>
#include <ports/hazards.h>
#include <testing/fake_activity.h>
#include <testing/fake_cluster.h>
#include <testing/fake_ctas.h>
#include <testing/fake_kernels.h>
#include <testing/fake_trace.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_cta_slots_tests(void);
void register_cluster_tests(void);
void register_dispatcher_tests(void);
void register_kernel_queue_tests(void);
void register_limit_tests(void);
void register_l2_flush_tests(void);
void register_gpu_tests(void);
void register_fake_trace_tests(void);

/* Barriers that only remember what CTAs they were told of: external provider of `barriers`. */
typedef struct TestBarriers {
    uint64_t warps[WW_MAX_CTAS];
    uint32_t enters, leaves, last_left;
} TestBarriers;
extern const WwBarriersIf test_barriers;

/* A scoreboard in which nothing is pending. */
extern const WwScoreboardIf test_scoreboard;
