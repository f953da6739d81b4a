/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line. */
#include "tests.h"

#include <monitor/monitor.h>
#include <string.h>

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
                    "512.3, 350 k cycles/s, 25 %, "
                    "about 5:00 left");
    p.ctas_total = 1;
    p.ctas_done = p.ctas_running = 0;
    g_autofree char *one = ww_monitor_line(&p, 12345678, 100, 0);
    g_assert_cmpstr(one, ==,
                    "kernel 2 of 5 hotspot, 0 of 1 CTA (0 running), cycle 1,234,567, IPC 512.3, "
                    "12,346 k cycles/s, 25 %, about 5:00 left");
    p = (WwProgress){.cycle = 7, .done = 0.5};
    g_autofree char *little = ww_monitor_line(&p, 0, 1, 0); /* too early to guess what is left */
    g_assert_cmpstr(little, ==, "cycle 7, 50 %");
}

/* Whatever the width: the line fits, and is a line of whole pieces as long as one does. */
static void test_widths(void)
{
    static const char *const fits[] = {
        "kernel 2 of 5 hotspot, 40 of 1,081 CTAs, cycle 1,234,567, 25 %, about 5:00 left",
        "kernel 2 of 5, 40 of 1,081 CTAs, cycle 1,234,567, 25 %, about 5:00 left",
        "kernel 2 of 5, 40 of 1,081 CTAs, cycle 1,234,567, about 5:00 left",
        "kernel 2 of 5, cycle 1,234,567, about 5:00 left",
        "kernel 2 of 5, about 5:00 left",
        "kernel 2 of 5",
    };
    const WwProgress p = {.cycle = 1234567,
                          .kernel = 2,
                          .kernels = 5,
                          .name = "hotspot",
                          .ctas_done = 40,
                          .ctas_running = 16,
                          .ctas_total = 1081,
                          .ipc = 512.3,
                          .done = 0.25};
    for (size_t i = 0; i < G_N_ELEMENTS(fits); i++) {
        g_autofree char *line = ww_monitor_line(&p, 350400, 100, (uint32_t)strlen(fits[i]));
        g_assert_cmpstr(line, ==, fits[i]);
    }
    for (uint32_t width = 1; width < 140; width++) {
        g_autofree char *line = ww_monitor_line(&p, 350400, 100, width);
        g_assert_cmpuint(strlen(line), <=, width);
        g_assert_true(width < 30 || g_str_has_suffix(line, "about 5:00 left"));
    }
}

static void test_long_name(void)
{
    WwProgress p = {
        .kernel = 1, .name = "_Z17a_very_long_kernel_name_indeedPKfS0_Pfi", .done = 0.001};
    g_autofree char *line = ww_monitor_line(&p, 0, 36000, 0);
    g_assert_cmpstr(line, ==, "kernel 1 _Z17a_very_long_kernel_na..., cycle 0, 0 %");
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
    g_test_add_func("/cli/monitor/widths", test_widths);
    g_test_add_func("/cli/monitor/long-name", test_long_name);
    g_test_add_func("/cli/monitor/loop", test_loop);
}
