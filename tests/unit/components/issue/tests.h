/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and the bench that they share. */
#pragma once

#include <ports/register_set.h>
#include <string.h>
#include <testing/fake_barriers.h>
#include <testing/fake_scheduler.h>
#include <testing/fake_scoreboard.h>
#include <testing/fake_simt.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>
#include <tests/support/registry.h>

void register_scoreboard_tests(void);
void register_barrier_unit_tests(void);
void register_warp_scheduler_tests(void);
void register_effect_tests(void);
void register_cause_tests(void);
void register_policy_tests(void);
void register_quick_tests(void);
void register_swl_tests(void);
void register_rrr_tests(void);
void register_two_level_tests(void);
void register_flush_tests(void);
void register_launch_tests(void);
void register_import_tests(void);
void register_rig_tests(void);

/* A warp scheduler among fakes. */
typedef struct Bench {
    WwHarness *h;
    WwFakeWarps *warps;
    WwFakeScoreboard *hazard;
    WwFakeBarriers *barriers;
    WwFakeScheduler *policy; /* when the policy is the fake */
    WwFakeSimt *simt;        /* when it was asked for */
} Bench;

/*
 * @p params: "max_issue=2"; or "schedulers=4", which the fake warps say. @p policy: "scheduler.swl limit=2", NULL: the fake. @p units: "int sp=2 mem": bound ports and the
 * widths of their register sets (1).
 */
Bench bench_open(const char *params, const char *policy, const char *units);
/* With a scoreboard that shows its registers. */
Bench bench_open_exact(const char *params, const char *policy, const char *units);
/* With a fake `simt`, too. */
Bench bench_open_simt(const char *params, const char *policy, const char *units);
void bench_close(Bench *b);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Bench, bench_close)

/* Puts an instruction into the i-buffer of @p warp. */
WwInst *bench_put(Bench *b, uint32_t warp, WwOp op);
WwInst *bench_put_like(Bench *b, uint32_t warp, const WwTestInst *what);
/* The instruction that left through @p port, or NULL. */
WwInst *bench_take(Bench *b, const char *port);
/* Steps a tick; the instruction that left through @p port in it, or NULL. */
WwInst *bench_step(Bench *b, const char *port);
/* Each digit is a warp that gets an ALU instruction. */
void bench_feed(Bench *b, const char *warps);
/* The warps that issue to `int` in the next ticks; '.' is a tick without an issue. */
void bench_expect(Bench *b, const char *warps);
uint64_t bench_stat(Bench *b, const char *name, uint32_t i);
/* Cycles counted for the cause of that name. */
uint64_t bench_cause(Bench *b, const char *name);
