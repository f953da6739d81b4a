/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line. */
#include "tests.h"

#include <monitor/monitor.h>

static void test_line(void)
{
    WwProgress p = {.cycle = 1234567,
                    .kernel = 2,
                    .kernels = 5,
                    .name = "hotspot",
                    .ctas_done = 40,
                    .ctas_running = 16,
                    .ctas_total = 1081,
                    .ipc = 512.3,
                    .done = 0.25};
    g_autofree char *all = ww_monitor_line(&p, 350400, 100, 0);
    g_assert_cmpstr(all, ==,
                    "kernel 2 of 5 hotspot, 40 of 1,081 CTAs (16 running), cycle 1,234,567, IPC "
                    "512.3, 350 k cycles/s, "
                    "about 5:00 left");
    g_autofree char *narrow = ww_monitor_line(&p, 350400, 100, 21);
    g_assert_cmpstr(narrow, ==, "kernel 2 of 5 hotspot");
    p = (WwProgress){.cycle = 7, .done = 0.5};
    g_autofree char *little = ww_monitor_line(&p, 0, 1, 0); /* too early to guess what is left */
    g_assert_cmpstr(little, ==, "cycle 7");
}

static void test_long_name(void)
{
    WwProgress p = {
        .kernel = 1, .name = "_Z17a_very_long_kernel_name_indeedPKfS0_Pfi", .done = 0.001};
    g_autofree char *line = ww_monitor_line(&p, 0, 36000, 0);
    g_assert_cmpstr(line, ==, "kernel 1 _Z17a_very_long_kernel_na..., cycle 0");
}

/* ---- the loop --------------------------------------------------------------------------------------------------- */

typedef struct Count {
    int steps;
} Count;

static bool ten_steps(void *user)
{
    return ++((Count *)user)->steps < 10;
}

static void look(void *user, WwProgress *p)
{
    p->cycle = (WwCycle)((Count *)user)->steps;
}

static void test_loop(void)
{
    Count count = {0};
    g_autoptr(GError) error = NULL;
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    WwMonitorSpec spec = {
        .progress = WW_PROGRESS_PLAIN, .out = out, .step = ten_steps, .look = look, .user = &count};
    g_autoptr(WwMonitor) monitor = ww_monitor_new(&spec, &error);
    g_assert_no_error(error);
    ww_monitor_run(monitor);
    g_assert_cmpint(count.steps, ==, 10);
    g_assert_cmpint(ww_monitor_signal(monitor), ==, 0);
    ww_monitor_mark(monitor);
    fclose(out);
    g_assert_true(g_str_has_prefix(text, "cycle 10"));
    free(text);
}

void add_monitor_tests(void)
{
    g_test_add_func("/cli/monitor/line", test_line);
    g_test_add_func("/cli/monitor/long-name", test_long_name);
    g_test_add_func("/cli/monitor/loop", test_loop);
}
