/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Errors, assertions and "did you mean".
 */
#include "tests.h"

#include <warpwright/base.h>
#include <warpwright/thread.h>

#include <errno.h>
#include <string.h>
#include <time.h>

static const char *const names[] = {"scheduler.gto", "scheduler.lrr", "fifo", "wire", "a"};

static void closest(void)
{
    static const struct {
        const char *word, *expected;
    } cases[] = {
        {"scheduler.gtp", "scheduler.gto"},
        {"SCHEDULER.LRR", "scheduler.lrr"},
        {"schedluer.gto", "scheduler.gto"},
        {"fif", "fifo"},
        {"fiof", "fifo"},
        {"wir", "wire"},
        {"foo", NULL},
        {"", NULL},
        {"b", NULL},
        {"scheduler", NULL},
        {"A", "a"},
        {"sheduler.rrr", "scheduler.lrr"},
        {"scheduler.gt", "scheduler.gto"},
        {"scheduler.mine", NULL}, /* as long as its family's name is */
        {"scheduler.pairs", NULL},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpstr(ww_closest(cases[i].word, names, G_N_ELEMENTS(names)), ==,
                        cases[i].expected);
    }
    g_assert_null(ww_closest("fifo", NULL, 0));
}

/** Words far beyond any name cost nothing and crash nothing. */
static void closest_long(void)
{
    g_autofree char *word = g_strnfill(100000, 'f');
    const char *const one[] = {word};
    g_assert_null(ww_closest(word, names, G_N_ELEMENTS(names)));
    g_assert_null(ww_closest("ffff", one, 1));
}

/* The whole table, for words of up to 15 letters. */
static size_t plain_distance(const char *a, const char *b)
{
    size_t t[16][16], m = strlen(a), n = strlen(b);
    for (size_t i = 0; i <= m; i++) {
        for (size_t j = 0; j <= n; j++) {
            if (i == 0 || j == 0) {
                t[i][j] = i + j;
                continue;
            }
            bool same = g_ascii_tolower(a[i - 1]) == g_ascii_tolower(b[j - 1]);
            t[i][j] = MIN(t[i - 1][j - 1] + !same, MIN(t[i - 1][j], t[i][j - 1]) + 1);
            if (i > 1 && j > 1 && g_ascii_tolower(a[i - 1]) == g_ascii_tolower(b[j - 2]) &&
                g_ascii_tolower(a[i - 2]) == g_ascii_tolower(b[j - 1])) {
                t[i][j] = MIN(t[i][j], t[i - 2][j - 2] + 1);
            }
        }
    }
    return t[m][n];
}

static void draw(char *word)
{
    static const char alphabet[] = "aAbBcd_0.P-";
    int n = g_test_rand_int_range(1, 16);
    for (int i = 0; i < n; i++) {
        word[i] = alphabet[g_test_rand_int_range(0, (gint32)strlen(alphabet))];
    }
    word[n] = '\0';
}

/* What spares work misses no name, and takes none that is too far. */
static void closest_random(void)
{
    uint32_t found = 0;
    for (int round = 0; round < 200000; round++) {
        char word[16], name[16];
        draw(word);
        draw(name);
        if (round % 2 == 0) { /* a near one */
            g_strlcpy(name, word, sizeof name);
            name[strlen(name) / 2] = 'd';
        }
        size_t d = plain_distance(word, name), m = strlen(word), rest = MAX(m, strlen(name));
        bool near = d <= MAX(1, m / 3) && d < rest;
        for (size_t k = m; k > 0; k--) { /* behind what both begin with, up to a dot */
            if (word[k - 1] == '.' && strncmp(word, name, k) == 0) {
                near = near && d <= MAX(1, (rest - k) / 2) && d < MAX(1, rest - k);
                break;
            }
        }
        const char *const one[] = {name};
        g_assert_cmpint(ww_closest(word, one, 1) != NULL, ==, near);
        found += near;
    }
    g_assert_cmpuint(found, >, 50000);
}

static void fail(void)
{
    GError *error = NULL;
    g_assert_false(ww_fail(&error, WW_ERROR_USAGE, "%s is %d", "x", 3));
    test_assert_error(&error, WW_ERROR_USAGE, "x is 3");
    g_autoptr(GError) cut = NULL; /* in the midst of a character: still a text */
    g_assert_false(ww_fail(&cut, WW_ERROR_USAGE, "'%.2s' is cut", "a\xc3\xa4"));
    g_assert_cmpstr(cut->message, ==, "'a\xef\xbf\xbd' is cut");
    g_assert_false(ww_fail(NULL, WW_ERROR_USAGE, "nobody listens"));
}

static void assertion(void)
{
    if (g_test_subprocess()) {
        ww_assert(1 + 1 == 3);
        return;
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*test_error.c:*1 + 1 == 3*");
}

static void *end_second(void *unused)
{
    ww_exhausted("the second");
    return unused;
}

/* The first one has its say only when the second has had time for its own. */
static void begin_second(void)
{
    pthread_t second;
    struct timespec soon;
    g_assert_true(ww_thread_begin(&second, end_second, NULL));
    clock_gettime(CLOCK_REALTIME, &soon);
    soon.tv_sec += 1;
    g_assert_cmpint(pthread_timedjoin_np(second, NULL, &soon), ==, ETIMEDOUT);
}

/* Two threads end the process: one of them says why. */
static void ends_alone(void)
{
    if (g_test_subprocess()) {
        ww_before_exhaustion(begin_second);
        ww_exhausted("the first");
    }
    g_test_trap_subprocess(NULL, 0, 0);
    g_test_trap_assert_failed();
    g_test_trap_assert_stderr("*warpwright: the first*");
    g_test_trap_assert_stderr_unmatched("*the second*");
}

void test_error_register(void)
{
    g_test_add_func("/kernel/error/closest", closest);
    g_test_add_func("/kernel/error/closest-long", closest_long);
    g_test_add_func("/kernel/error/closest-random", closest_random);
    g_test_add_func("/kernel/error/fail", fail);
    g_test_add_func("/kernel/error/assert", assertion);
    g_test_add_func("/kernel/error/ends-alone", ends_alone);
}
