/* SPDX-License-Identifier: Apache-2.0 */
/* Pools and rings: random use against the plainest model, and what their headers promise one by one. */
#include "tests.h"

#include <string.h>
#include <warpwright/machine.h>
#include <warpwright/pool.h>
#include <warpwright/ring.h>

typedef struct Owner {
    WwComponent base;
} Owner;

static const WwType owner_type = {.abi = WW_ABI_VERSION,
                                  .name = "owner",
                                  .doc = "has memory",
                                  .family = "test",
                                  .size = sizeof(Owner)};

static WwMachine *machine(WwRegistry *registry, void **owner)
{
    g_autoptr(GError) error = NULL;
    g_assert_true(ww_registry_add(registry, &owner_type, "built-in", &error));
    WwMachine *m = ww_machine_new(registry);
    ww_machine_add_domain(m, "core", 1e9, &error);
    g_assert_no_error(error);
    *owner = ww_machine_add(m, ww_machine_root(m), &owner_type, "owner", -1, (WwLocation){0});
    return m;
}

/* ---- pools ---------------------------------------------------------------------------------- */

/* Its bytes say whose it is; 12 bytes, so that the stride is rounded up. */
typedef struct Item {
    uint32_t tag, handle, copy;
} Item;

static void assert_whole(const WwPool *p, const Item *i, uint32_t tag)
{
    g_assert_cmpuint(i->tag, ==, tag);
    g_assert_cmpuint(i->copy, ==, ~tag);
    g_assert_cmpuint(i->handle, ==, ww_pool_handle(i));
    g_assert_true(ww_pool_at(p, i->handle) == i);
    g_assert_cmpuint((uintptr_t)i % 8, ==, 0);
}

static Item *take(WwPool *p, uint32_t tag)
{
    Item *i = ww_pool_take(p);
    *i = (Item){tag, ww_pool_handle(i), ~tag};
    return i;
}

/* Items in use keep address, handle and bytes, whatever the others do. */
static void pool_random(void)
{
    void *owner;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    G_GNUC_UNUSED g_autoptr(WwMachine) m = machine(registry, &owner);
    WwPool p;
    ww_pool_init(&p, owner, sizeof(Item));
    g_autoptr(GPtrArray) used = g_ptr_array_new();
    g_autoptr(GArray) tags = g_array_new(false, false, sizeof(uint32_t));
    for (uint32_t step = 0; step < 30000; step++) {
        if (used->len == 0 || g_test_rand_int_range(0, 1000) < (step < 15000 ? 530 : 470)) {
            g_ptr_array_add(used, take(&p, step));
            g_array_append_val(tags, step);
        } else {
            guint at = (guint)g_test_rand_int_range(0, (gint32)used->len);
            Item *i = g_ptr_array_index(used, at);
            assert_whole(&p, i, g_array_index(tags, uint32_t, at));
            ww_pool_give(&p, i);
            g_ptr_array_remove_index_fast(used, at);
            g_array_remove_index_fast(tags, at);
        }
    }
    g_assert_cmpuint(p.end, >, 64); /* it grew */
    for (guint at = 0; at < used->len; at++) {
        assert_whole(&p, g_ptr_array_index(used, at), g_array_index(tags, uint32_t, at));
    }
    guint seen = 0;
    uint32_t handle = 0, last = 0;
    for (const Item *i; (i = ww_pool_next_used(&p, &handle)) != NULL; seen++) {
        g_assert_true(g_ptr_array_find(used, i, NULL));
        g_assert_cmpuint(handle, ==, i->handle);
        g_assert_cmpuint(handle, >, last);
        last = handle;
    }
    g_assert_cmpuint(seen, ==, used->len);
}

/* The same handles again after a reset, as in a new pool; what was given back last is next; no handle is 0. */
static void pool_order(void)
{
    void *owner;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    G_GNUC_UNUSED g_autoptr(WwMachine) m = machine(registry, &owner);
    WwPool p;
    ww_pool_init(&p, owner, sizeof(Item));
    uint32_t first[20], handle = 0;
    for (uint32_t round = 0; round < 2; round++) {
        Item *item[20];
        for (uint32_t i = 0; i < 20; i++) {
            item[i] = take(&p, i);
            first[i] = round == 0 ? item[i]->handle : first[i];
            g_assert_cmpuint(item[i]->handle, ==, first[i]);
            g_assert_cmpuint(item[i]->handle, !=, 0);
        }
        ww_pool_give(&p, item[3]);
        ww_pool_give(&p, item[17]);
        ww_pool_give(&p, item[5]);
        g_assert_true(ww_pool_take(&p) == item[5]);
        g_assert_true(ww_pool_take(&p) == item[17]);
        g_assert_true(ww_pool_take(&p) == item[3]);
        ww_pool_reset(&p);
        handle = 0;
        g_assert_null(ww_pool_next_used(&p, &handle));
    }
    uint32_t n = 0;
    handle = 0;
    for (const Item *i; (i = ww_pool_next(&p, &handle)) != NULL; n++) {
        g_assert_cmpuint(i->tag, ==,
                         n < 20 ? n : 0); /* what they held is there; those never used are zero */
    }
    g_assert_cmpuint(n, ==, 32); /* two chunks */
}

/* A pool has no memory before its first use, takes it by chunks, and touches no item before its use. */
static void pool_room(void)
{
    void *owner;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    G_GNUC_UNUSED g_autoptr(WwMachine) m = machine(registry, &owner);
    WwPool p;
    ww_pool_init(&p, owner, 100);
    g_assert_null(p.chunk);
    g_assert_cmpuint(p.end, ==, WW_POOL_CHUNK);
    for (uint32_t i = 0; i < 2000; i++) {
        char *item = ww_pool_take(&p);
        g_assert_cmpuint(p.end, ==, (i / WW_POOL_CHUNK + 2) * WW_POOL_CHUNK);
        const char *chunk = p.chunk[i / WW_POOL_CHUNK + 1];
        g_assert_true(item == chunk + i % WW_POOL_CHUNK * 112);
        for (uint32_t k = 0; k < 100; k++) {
            g_assert_cmpint(item[k], ==, 0);
        }
        memset(item, 0xff, 100);
        if (i % WW_POOL_CHUNK < WW_POOL_CHUNK - 1) {
            g_assert_cmpuint(ww_pool_head(ww_pool_at(&p, p.fresh))->handle, ==, 0);
        }
    }
}

/* ---- rings ---------------------------------------------------------------------------------- */

/* Against a GLib queue, with growth when it is full. */
static void ring_random(void)
{
    void *owner;
    g_autoptr(WwRegistry) registry = ww_registry_new();
    G_GNUC_UNUSED g_autoptr(WwMachine) m = machine(registry, &owner);
    for (uint32_t places = 1; places < 40; places++) {
        WwRing r;
        uint32_t slots = ww_ring_init(&r, places);
        g_assert_cmpuint(slots, >=, places);
        g_assert_cmpuint(slots & (slots - 1), ==, 0);
        uint64_t *entry = ww_alloc(owner, slots * sizeof *entry);
        g_autoptr(GQueue) plain = g_queue_new();
        for (uint32_t step = 1; step < 600; step++) {
            if (g_test_rand_int_range(0, 100) < 55) {
                if (ww_ring_full(&r)) {
                    g_assert_cmpuint(plain->length, ==, slots);
                    entry = ww_ring_grow(&r, owner, entry, sizeof *entry);
                    slots *= 2;
                }
                g_assert_cmpuint(ww_ring_slot(&r, r.n), <, slots);
                entry[ww_ring_put(&r)] = step;
                g_queue_push_tail(plain, GUINT_TO_POINTER(step));
            } else if (plain->length != 0) {
                g_assert_cmpuint(entry[ww_ring_first(&r)], ==,
                                 GPOINTER_TO_UINT(g_queue_peek_head(plain)));
                g_assert_cmpuint(entry[ww_ring_take(&r)], ==,
                                 GPOINTER_TO_UINT(g_queue_pop_head(plain)));
            }
            g_assert_cmpuint(r.n, ==, plain->length);
            for (uint32_t i = 0; i < r.n; i++) {
                g_assert_cmpuint(entry[ww_ring_slot(&r, i)], ==,
                                 GPOINTER_TO_UINT(g_queue_peek_nth(plain, i)));
            }
        }
        ww_ring_clear(&r);
        g_assert_cmpuint(r.n, ==, 0);
    }
}

void test_pool_register(void)
{
    g_test_add_func("/kernel/pool/random", pool_random);
    g_test_add_func("/kernel/pool/order", pool_order);
    g_test_add_func("/kernel/pool/room", pool_room);
    g_test_add_func("/kernel/ring/random", ring_random);
}
