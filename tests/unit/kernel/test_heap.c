/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps: random use against memory of malloc(), places that come again, and what has changed since an image. */
#include "tests.h"

#include <string.h>
#include <warpwright/heap.h>

/* A block and what it must hold. */
typedef struct Block {
    uint8_t *at, *copy;
    size_t size;
} Block;

static size_t draw_size(GRand *r)
{
    switch (g_rand_int_range(r, 0, 8)) {
    case 0:
        return 0;
    case 1:
        return (size_t)g_rand_int_range(
            r, 1, 3 << 20); /* pages of its own, some given back to the system */
    case 2:
        return (size_t)g_rand_int_range(r, 4000, 70000);
    default:
        return (size_t)g_rand_int_range(r, 1, 600);
    }
}

static void fill(Block *b, size_t from, GRand *r)
{
    for (size_t i = from; i < b->size; i += 1 + b->size / 64) {
        b->at[i] = b->copy[i] = (uint8_t)g_rand_int(r);
    }
}

static void take(WwHeap *h, Block *b, GRand *r)
{
    b->size = draw_size(r);
    b->at = ww_heap_take(h, b->size);
    b->copy = g_malloc0(b->size + 1);
    g_assert_cmpuint((uintptr_t)b->at % 16, ==, 0);
    g_assert_cmpmem(b->at, b->size, b->copy, b->size);
    fill(b, 0, r);
}

static void resize(WwHeap *h, Block *b, GRand *r)
{
    size_t size = draw_size(r), both = MIN(size, b->size);
    b->at = ww_heap_resize(h, b->at, size);
    g_assert_cmpmem(b->at, both, b->copy, both);
    b->copy = g_realloc(b->copy, size + 1);
    if (size > both) {
        memcpy(b->copy + both, b->at + both, size - both); /* not cleared: what it is, it stays */
    }
    b->size = size;
    fill(b, both, r);
}

static void test_random(void)
{
    for (uint32_t seed = 0; seed < 5; seed++) {
        GRand *r = g_rand_new_with_seed(seed);
        g_autoptr(WwHeap) h = ww_heap_new();
        Block block[64] = {0};
        for (uint32_t i = 0; i < 4000; i++) {
            Block *b = &block[g_rand_int_range(r, 0, G_N_ELEMENTS(block))];
            if (b->at == NULL) {
                take(h, b, r);
                continue;
            }
            g_assert_cmpmem(b->at, b->size, b->copy, b->size);
            if (g_rand_boolean(r)) {
                resize(h, b, r);
            } else {
                ww_heap_give(h, b->at);
                g_free(b->copy);
                *b = (Block){0};
            }
        }
        for (uint32_t i = 0; i < G_N_ELEMENTS(block); i++) {
            g_assert_true(block[i].at == NULL ||
                          memcmp(block[i].at, block[i].copy, block[i].size) == 0);
            g_free(block[i].copy);
        }
        g_rand_free(r);
    }
}

static void test_again(void)
{
    g_autoptr(WwHeap) h = ww_heap_new();
    ww_heap_give(h, NULL);
    void *a = ww_heap_take(h, 100), *b = ww_heap_take(h, 100);
    memset(a, 1, 100);
    ww_heap_give(h, a);
    g_assert_true(ww_heap_take(h, 97) == a); /* of the same class: used again, and cleared */
    for (uint32_t i = 0; i < 97; i++) {
        g_assert_cmpuint(((uint8_t *)a)[i], ==, 0);
    }
    g_assert_true(ww_heap_resize(h, b, 104) == b);
    g_autofree char *text = g_strdup("abcdef");
    g_assert_cmpstr(ww_heap_text(h, text, 3), ==, "abc");
    WW_HEAP_LIST(uint32_t) list = {0};
    for (uint32_t i = 0; i < 1000; i++) {
        *WW_HEAP_ADD(h, &list) = i;
    }
    for (uint32_t i = 0; i < 1000; i++) {
        g_assert_cmpuint(list.v[i], ==, i);
    }
}

/* The same order, the same addresses; a place that was given back is the next one taken. */
static void test_places(void)
{
    WwHeap *first = ww_heap_new(), *second = ww_heap_new();
    g_assert_true(first != second);
    g_assert_true(ww_heap_fixed(first) && ww_heap_fixed(second));
    void *a = ww_heap_take(second, 10), *b = ww_heap_take(second, 100000),
         *c = ww_heap_pages(second, 1);
    ww_heap_free(second);
    WwHeap *again = ww_heap_new();
    g_assert_true(again == second);
    g_assert_true(ww_heap_take(again, 10) == a && ww_heap_take(again, 100000) == b &&
                  ww_heap_pages(again, 1) == c);
    ww_heap_free(first);
    ww_heap_free(again);
    ww_heap_free(NULL);
}

/* More heaps than there are places: they work, but stay in this process. */
static void test_loose(void)
{
    enum { MANY = 100 };
    WwHeap *h[MANY];
    uint32_t loose = 0;
    for (uint32_t i = 0; i < MANY; i++) {
        h[i] = ww_heap_new();
        loose += !ww_heap_fixed(h[i]);
        memset(ww_heap_take(h[i], 1 << 20), 1, 1 << 20);
        memset(ww_heap_take(h[i], 100), 1, 100);
    }
    g_assert_cmpuint(loose, >, 0);
    g_assert_false(ww_heap_extend(h[MANY - 1], 64 << 20));
    for (uint32_t i = 0; i < MANY; i++) {
        ww_heap_free(h[i]);
    }
}

static void test_handles(void)
{
    g_autoptr(WwHeap) h = ww_heap_new();
    int a, b, c;
    uint32_t x = ww_heap_hold(h, &a), y = ww_heap_hold(h, &b);
    g_assert_cmpuint(x, !=, 0);
    g_assert_true(ww_heap_held(h, x) == &a && ww_heap_held(h, y) == &b);
    ww_heap_let_go(h, x);
    ww_heap_let_go(h, 0);
    g_assert_null(ww_heap_held(h, x));
    g_assert_null(ww_heap_held(h, 0));
    g_assert_null(ww_heap_held(h, 99));
    g_assert_cmpuint(ww_heap_hold(h, &c), ==, x);
}

/* What has changed since the image, written into a heap that is as the first one was, makes it what the first one became. */
static void test_changes(void)
{
    enum { WORDS = 100000, LATER = 50000 };
    GRand *r = g_rand_new_with_seed(1);
    WwHeap *h = ww_heap_new();
    uint64_t *was = WW_HEAP_NEW(h, uint64_t, WORDS);
    for (uint32_t i = 0; i < WORDS; i += 7) {
        was[i] = g_rand_int(r);
    }
    WwHeapImage *image = ww_heap_image_new(h);
    uint64_t page = 0;
    WwHeapChange *change = g_new(WwHeapChange, 1);
    g_assert_false(ww_heap_change(h, image, &page, change));
    was[7] ^= 1;
    was[7] ^= 1; /* changed back is not changed */
    for (uint32_t i = 0; i < 300; i++) {
        was[g_rand_int_range(r, 0, WORDS)] = g_rand_int(r);
    }
    uint64_t *later = WW_HEAP_NEW(h, uint64_t, LATER);
    later[LATER - 1] = 5;
    g_autofree uint64_t *is = g_memdup2(was, WORDS * sizeof *was);
    GArray *all = g_array_new(false, false, sizeof(WwHeapChange));
    uint32_t words = 0;
    for (page = 0; ww_heap_change(h, image, &page, change);) {
        g_array_append_val(all, *change);
        words += change->n;
    }
    g_assert_cmpuint(words, >=, 250);
    g_assert_cmpuint(words, <, 400);
    uint64_t end = ww_heap_end(h);
    ww_heap_free(h);
    WwHeap *again = ww_heap_new();
    g_assert_true(again == h);
    g_assert_true(WW_HEAP_NEW(again, uint64_t, WORDS) == was);
    GRand *same = g_rand_new_with_seed(1);
    for (uint32_t i = 0; i < WORDS; i += 7) {
        was[i] = g_rand_int(same);
    }
    WwHeapChange outside = {.page = end / WW_HEAP_PAGE};
    g_assert_false(ww_heap_apply(again, &outside));
    g_assert_true(ww_heap_extend(again, end));
    g_assert_false(ww_heap_apply(again, &outside));
    for (guint i = 0; i < all->len; i++) {
        g_assert_true(ww_heap_apply(again, &g_array_index(all, WwHeapChange, i)));
    }
    g_assert_cmpmem(was, WORDS * sizeof *was, is, WORDS * sizeof *is);
    g_assert_cmpuint(later[LATER - 1], ==, 5);
    outside = (WwHeapChange){.page = 1, .which = {3}, .n = 1};
    g_assert_false(ww_heap_apply(again, &outside)); /* fewer words than places */
    outside.n = 3;
    g_assert_false(ww_heap_apply(again, &outside));
    ww_heap_image_free(image);
    ww_heap_free(again);
    g_array_unref(all);
    g_free(change);
    g_rand_free(r);
    g_rand_free(same);
}

void test_heap_register(void)
{
    static const TestRow tests[] = {
        {"random", test_random}, {"again", test_again},     {"places", test_places},
        {"loose", test_loose},   {"handles", test_handles}, {"changes", test_changes},
    };
    test_add_rows("/kernel/heap", tests, G_N_ELEMENTS(tests));
}
