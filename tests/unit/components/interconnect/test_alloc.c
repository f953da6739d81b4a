/* SPDX-License-Identifier: Apache-2.0 */
/* The allocators of routers, against plain loops over all inputs and outputs. */
#include "tests.h"

#include "components/interconnect/routed-priv.h"

#include <string.h>

enum { IN = 9, OUT = 7, WIDE = 70 };

/* What an allocator does, by its definition; pointers, order of service and diagonal as it keeps them. */
typedef struct Plain {
    RoutedAllocKind kind;
    uint32_t iterations, in, out;
    bool matrix, ask[WIDE][WIDE];
    int in_match[WIDE], out_match[WIDE];
    uint32_t in_pointer[WIDE], out_pointer[WIDE], diagonal;
    int in_order[WIDE][WIDE], out_order[WIDE][WIDE]; /* Matrix: first is served first. */
} Plain;

static void plain_reset(Plain *p)
{
    memset(p->in_pointer, 0, sizeof p->in_pointer);
    memset(p->out_pointer, 0, sizeof p->out_pointer);
    p->diagonal = 0;
    for (uint32_t i = 0; i < p->in; i++) {
        for (uint32_t o = 0; o < p->out; o++) {
            p->in_order[i][o] = (int)(p->out - 1 - o);
            p->out_order[o][i] = (int)(p->in - 1 - i);
        }
    }
}

/* Moves @p chosen to the end. */
static void served(int *order, uint32_t n, int chosen)
{
    uint32_t at = 0;
    while (order[at] != chosen) {
        at++;
    }
    for (; at + 1 < n; at++) {
        order[at] = order[at + 1];
    }
    order[n - 1] = chosen;
}

static int choose(const Plain *p, const bool *ask, uint32_t n, uint32_t pointer, const int *order)
{
    for (uint32_t k = 0; k < n; k++) {
        uint32_t at = p->matrix ? (uint32_t)order[k] : (pointer + k) % n;
        if (ask[at]) {
            return (int)at;
        }
    }
    return -1;
}

static void plain_match(Plain *p, int i, int o)
{
    p->in_match[i] = o;
    p->out_match[o] = i;
}

static void plain_islip(Plain *p)
{
    for (uint32_t iteration = 0; iteration < p->iterations; iteration++) {
        int grant[WIDE];
        for (uint32_t o = 0; o < p->out; o++) {
            grant[o] = -1;
            for (uint32_t k = 0; k < p->in && grant[o] < 0 && p->out_match[o] < 0; k++) {
                uint32_t i = (p->out_pointer[o] + k) % p->in;
                grant[o] = p->ask[i][o] && p->in_match[i] < 0 ? (int)i : -1;
            }
        }
        for (uint32_t i = 0; i < p->in; i++) {
            for (uint32_t k = 0; k < p->out; k++) {
                uint32_t o = (p->in_pointer[i] + k) % p->out;
                if (grant[o] == (int)i) {
                    plain_match(p, (int)i, (int)o);
                    if (iteration == 0) {
                        p->out_pointer[o] = (i + 1) % p->in;
                        p->in_pointer[i] = (o + 1) % p->out;
                    }
                    break;
                }
            }
        }
    }
}

static void plain_separable(Plain *p, bool inputs_first)
{
    bool left[WIDE][WIDE] = {{false}}; /* [second][first]: the first chose the second */
    uint32_t n = inputs_first ? p->in : p->out, m = inputs_first ? p->out : p->in;
    for (uint32_t a = 0; a < n; a++) {
        bool ask[WIDE];
        for (uint32_t b = 0; b < m; b++) {
            ask[b] = inputs_first ? p->ask[a][b] : p->ask[b][a];
        }
        int b = inputs_first ? choose(p, ask, m, p->in_pointer[a], p->in_order[a])
                             : choose(p, ask, m, p->out_pointer[a], p->out_order[a]);
        if (b >= 0) {
            left[b][a] = true;
        }
    }
    for (uint32_t b = 0; b < m; b++) {
        int a = inputs_first ? choose(p, left[b], n, p->out_pointer[b], p->out_order[b])
                             : choose(p, left[b], n, p->in_pointer[b], p->in_order[b]);
        if (a >= 0) {
            int i = inputs_first ? a : (int)b, o = inputs_first ? (int)b : a;
            plain_match(p, i, o);
            p->in_pointer[i] = ((uint32_t)o + 1) % p->out;
            p->out_pointer[o] = ((uint32_t)i + 1) % p->in;
            served(p->in_order[i], p->out, o);
            served(p->out_order[o], p->in, i);
        }
    }
}

static void plain_wavefront(Plain *p, bool skip)
{
    uint32_t square = MAX(p->in, p->out), first = UINT32_MAX;
    for (uint32_t d = 0; d < square; d++) {
        for (uint32_t o = 0; o < p->out; o++) {
            uint32_t i = (p->diagonal + d + square - o) % square;
            if (i < p->in && p->ask[i][o] && p->in_match[i] < 0 && p->out_match[o] < 0) {
                plain_match(p, (int)i, (int)o);
                first = MIN(first, first == UINT32_MAX ? i + o : first);
            }
        }
    }
    if (first != UINT32_MAX) {
        p->diagonal = ((skip ? first : p->diagonal) + 1) % square;
    }
}

static void plain_loa(Plain *p)
{
    int wants[WIDE];
    for (uint32_t i = 0; i < p->in; i++) {
        uint32_t fewest = UINT32_MAX;
        wants[i] = -1;
        for (uint32_t k = 0; k < p->out; k++) {
            uint32_t o = (p->in_pointer[i] + k) % p->out, n = 0;
            for (uint32_t j = 0; j < p->in; j++) {
                n += p->ask[j][o];
            }
            if (p->ask[i][o] && n < fewest) {
                fewest = n;
                wants[i] = (int)o;
            }
        }
    }
    for (uint32_t o = 0; o < p->out; o++) {
        for (uint32_t k = 0; k < p->in; k++) {
            uint32_t i = (p->out_pointer[o] + k) % p->in;
            if (wants[i] == (int)o) {
                plain_match(p, (int)i, (int)o);
                p->in_pointer[i] = (p->in_pointer[i] + 1) % p->out;
                p->out_pointer[o] = (p->out_pointer[o] + 1) % p->in;
                break;
            }
        }
    }
}

static void plain_allocate(Plain *p)
{
    memset(p->in_match, 0xff, sizeof p->in_match);
    memset(p->out_match, 0xff, sizeof p->out_match);
    switch (p->kind) {
    case ALLOC_ISLIP:
        plain_islip(p);
        break;
    case ALLOC_INPUT_FIRST:
    case ALLOC_OUTPUT_FIRST:
        plain_separable(p, p->kind == ALLOC_INPUT_FIRST);
        break;
    case ALLOC_WAVEFRONT:
    case ALLOC_RR_WAVEFRONT:
        plain_wavefront(p, p->kind == ALLOC_RR_WAVEFRONT);
        break;
    case ALLOC_LOA:
        plain_loa(p);
        break;
    }
}

static void compare(RoutedAllocKind kind, uint32_t iterations, bool matrix, uint32_t in,
                    uint32_t out)
{
    g_autoptr(WwHarness) owner = net_new(1, 1, NULL).h;
    g_autoptr(GRand) random = g_rand_new_with_seed(kind * 100 + in);
    g_autofree Plain *p = g_new0(Plain, 1);
    *p = (Plain){.kind = kind, .iterations = iterations, .matrix = matrix, .in = in, .out = out};
    RoutedAlloc a = {.kind = kind, .iterations = iterations, .matrix = matrix};
    routed_alloc_init(ww_harness_self(owner), &a, in, out);
    routed_alloc_reset(&a);
    plain_reset(p);
    uint32_t matched = 0;
    for (uint32_t round = 0; round < 400; round++) {
        int density = g_rand_int_range(random, 1, 12);
        routed_alloc_clear(&a);
        for (uint32_t i = 0; i < in; i++) {
            for (uint32_t o = 0; o < out; o++) {
                p->ask[i][o] = g_rand_int_range(random, 0, density) == 0;
                if (p->ask[i][o]) {
                    routed_alloc_ask(&a, i, o);
                }
            }
        }
        plain_allocate(p);
        routed_alloc_allocate(&a);
        for (uint32_t i = 0; i < in; i++) {
            g_assert_cmpint(a.in.match[i], ==, p->in_match[i]);
            matched += a.in.match[i] >= 0;
        }
        for (uint32_t o = 0; o < out; o++) {
            g_assert_cmpint(a.out.match[o], ==, p->out_match[o]);
        }
    }
    g_assert_cmpuint(matched, >, 400);
}

static void compare_sizes(RoutedAllocKind kind, uint32_t iterations, bool matrix)
{
    compare(kind, iterations, matrix, IN, OUT);
    compare(kind, iterations, matrix, OUT, IN);
    compare(kind, iterations, matrix, WIDE, WIDE - 1);
}

static void test_islip(void)
{
    compare_sizes(ALLOC_ISLIP, 1, false);
    compare_sizes(ALLOC_ISLIP, 3, false);
}

static void test_separable(void)
{
    compare_sizes(ALLOC_INPUT_FIRST, 1, false);
    compare_sizes(ALLOC_OUTPUT_FIRST, 1, false);
}

static void test_matrix(void)
{
    compare_sizes(ALLOC_INPUT_FIRST, 1, true);
    compare_sizes(ALLOC_OUTPUT_FIRST, 1, true);
}

static void test_wavefront(void)
{
    compare_sizes(ALLOC_WAVEFRONT, 1, false);
    compare_sizes(ALLOC_RR_WAVEFRONT, 1, false);
}

static void test_loa(void)
{
    compare_sizes(ALLOC_LOA, 1, false);
}

void register_alloc_tests(void)
{
    g_test_add_func("/interconnect/alloc/islip", test_islip);
    g_test_add_func("/interconnect/alloc/separable", test_separable);
    g_test_add_func("/interconnect/alloc/matrix", test_matrix);
    g_test_add_func("/interconnect/alloc/wavefront", test_wavefront);
    g_test_add_func("/interconnect/alloc/loa", test_loa);
}
