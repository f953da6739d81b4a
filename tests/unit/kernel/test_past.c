/* SPDX-License-Identifier: Apache-2.0 */
/* Values with a past: what a reader sees that is behind the writer, against a plain record of all edges. */
#include "tests.h"

#include <warpwright/machine.h>
#include <warpwright/past.h>

enum { EDGES = 400 };

typedef struct Owner {
    WwComponent base;
} Owner;

static const WwType owner_type = {.abi = WW_ABI_VERSION,
                                  .name = "owner",
                                  .doc = "has a past",
                                  .family = "test",
                                  .size = sizeof(Owner)};

/* The writer changes the value in some edges, up to @p ahead before the reader looks. */
static void follow(WwPast *past, void *self, uint32_t ahead)
{
    uint64_t value[EDGES + 64] = {7};
    uint32_t written = 0, reader = 0;
    ww_past_clear(past, value[0]);
    while (reader < EDGES) {
        uint32_t to = MIN(reader + ahead, EDGES);
        while (written < to) {
            uint32_t next = ++written;
            value[next] = value[next - 1];
            if (g_test_rand_int_range(0, 3) == 0) {
                value[next] = (uint64_t)g_test_rand_int_range(0, 5);
                ww_past_set(past, self, next, value[next]);
            }
        }
        for (; reader < to; reader++) {
            g_assert_cmpuint(ww_past_at(past, reader), ==, value[reader]);
            WwCycle next = ww_past_next(past);
            g_assert_true(next == WW_NEVER || (next > reader && next <= written));
        }
    }
}

static void test_follow(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    g_assert_true(ww_registry_add(registry, &owner_type, "built-in", &error));
    g_autoptr(WwMachine) m = ww_machine_new(registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    g_assert_no_error(error);
    void *c = ww_machine_add(m, ww_machine_root(m), &owner_type, "owner", -1, (WwLocation){0});
    WwPast past;
    ww_past_init(&past, c);
    for (uint32_t ahead = 1; ahead <= 64; ahead *= 4) {
        follow(&past, c, ahead);
    }
}

void test_past_register(void)
{
    g_test_add_func("/kernel/past/follow", test_follow);
}
