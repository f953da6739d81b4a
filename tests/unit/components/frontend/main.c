/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

static const WwHazardView *show(void *self)
{
    return self;
}

static void release_all(void *self, const WwInst *inst) {}

const WwScoreboardIf test_scoreboard = {.view = show, .release_all = release_all};

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    register_warp_pool_tests();
    register_fetch_tests();
    register_decoder_tests();
    register_front_end_tests();
    register_icache_perfect_tests();
    return test_run();
}
