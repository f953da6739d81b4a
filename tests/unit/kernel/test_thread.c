/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What threads find when they begin: numbers are read by a locale that GLib makes with the first one, and it has made it by then.
 */
#include "tests.h"

#include <dlfcn.h>
#include <locale.h>
#include <warpwright/thread.h>

static int made; /* Locales, in this process. */

/* In the place of the C library's, for GLib too. Its names are reserved for it.
 * NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name) */
__attribute__((visibility("default"))) locale_t newlocale(int mask, const char *name, locale_t base)
{
    locale_t (*real)(int, const char *, locale_t) = NULL;
    *(void **)&real = dlsym(RTLD_NEXT, "newlocale");
    made++;
    return real(mask, name, base);
}

static void *look(void *seen)
{
    *(int *)seen = made;
    return NULL;
}

static int before, seen, after;
static bool begun;

/* GLib's own tests read a number when they are set up. */
void test_thread_first(void)
{
    pthread_t thread;
    before = made;
    begun = ww_thread_begin(&thread, look, &seen);
    if (begun) {
        pthread_join(thread, NULL);
    }
    guint64 number = 0;
    g_ascii_string_to_unsigned("48", 10, 0, 100, &number, NULL);
    after = made;
}

static void a_thread_finds_numbers_readable(void)
{
    g_assert_true(begun);
    g_assert_cmpint(before, ==, 0);
    g_assert_cmpint(seen, ==, 1);
    g_assert_cmpint(after, ==, 1);
}

static const TestRow tests[] = {
    {"numbers", a_thread_finds_numbers_readable},
};

void test_thread_register(void)
{
    test_add_rows("/kernel/thread", tests, G_N_ELEMENTS(tests));
}
