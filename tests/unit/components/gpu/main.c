/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

static void enter(void *self, uint32_t cta, uint64_t warps)
{
    TestBarriers *b = self;
    b->warps[cta] = warps;
    b->enters++;
}

static void leave(void *self, uint32_t cta)
{
    TestBarriers *b = self;
    b->leaves++;
    b->last_left = cta;
}

static const WwBarrierView *masks(void *self)
{
    static const WwBarrierView nothing;
    return &nothing;
}

const WwBarriersIf test_barriers = {.view = masks, .cta_enter = enter, .cta_leave = leave};

static const WwHazardView *show(void *self)
{
    static const WwHazardView nothing;
    return &nothing;
}

static void release_all(void *self, const WwInst *inst) {}

const WwScoreboardIf test_scoreboard = {.view = show, .release_all = release_all};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_fake_trace_tests();
    register_cta_slots_tests();
    register_cluster_tests();
    register_dispatcher_tests();
    register_kernel_queue_tests();
    register_limit_tests();
    register_l2_flush_tests();
    register_gpu_tests();
    return test_run();
}
