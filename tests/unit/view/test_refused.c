/* SPDX-License-Identifier: Apache-2.0 */
/* Logs that are none: one line that says where and what. */
#include "tests.h"

#include <string.h>

static const struct {
    const char *log, *says;
} bad[] = {
    {"1\tissue\tsm.issue\t0\tA pc=0 uid=x\n", "log:1: uid=x of event 'issue' is no number"},
    {"1\tissue\tsm.issue\t0\tA pc=0 uid=18446744073709551616\n",
     "expected a decimal one below 2^64"},
    {"1\tissue\tsm.issue\t0\tA pc=zz uid=1\n", "log:1: pc=zz of event 'issue' is no number"},
    {"1\tissue\tsm.issue\t1000\tA pc=0 uid=1\n",
     "log:1: event 'issue' is of warp 1000; expected 0 to 999"},
    {"1\tissue\tsm.issue\t0\tA pc=0 uid=1\n2\tissue\tsm.issue\t0\tA pc=0 uid=1\n",
     "log:2: uid=1 issues twice in one SM"},
    {"5\tissue\tsm.issue\t0\tA pc=0 uid=1\n4\texec\tsm.int\t0\tA uid=1\n",
     "log:2: cycle 4 comes after cycle 5 of the same clock"},
    {"5\tput\tq\t-1\tslot=0\n4\tput\tq\t-1\tslot=0\n", "log:2: cycle 4 comes after cycle 5"},
    {"9\tinterval\tq\t-1\tsince=0 statistic=a\n", "log:1: an interval without since="},
    {"9\tinterval\tq\t-1\tsince=10 statistic=a value=1\n", "log:1: an interval without since="},
    {"9\tinterval\tq\t-1\tsince=0 statistic=a value=1\n8\tinterval\tq\t-1\tsince=0 "
     "statistic=a value=1\n",
     "log:2: an interval ends in cycle 8, before"},
    {"1\tIssue\tsm.issue\t0\tA\n", "log:1: 'Issue' is no kind of event"},
    {"1\ta b\tsm.issue\t0\tA\n", "log:1: 'a b' is no kind of event"},
    {"1\tissue\t.sm\t0\tA\n", "log:1: '.sm' is no path"},
    {"1\tissue\tsm\t0\tA\x01\n", "log:1: byte 0x01 in the text"},
    {"1\tissue\tsm\xff\t0\tA\n", "log:1: the path is no UTF-8"},
    {"1\tissue\tsm\t0\t\xc3\n", "log:1: the text is no UTF-8"},
    {"9007199254740992\tissue\tsm\t0\tA\n",
     "log:1: cycle 9007199254740992 is too large; expected one below 2^53"},
    {"issue\tsm\t0\tA\n", "the first field is no cycle"},
    {"1\tissue\tsm\t0\n", "1: "},
    {"1\tissue\tsm\t0\tA", "the last line has no end"},
};

static void test_lines(void)
{
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        for (int f = WW_VIEW_KONATA; f <= WW_VIEW_VCD; f++) {
            g_autoptr(GError) error = NULL;
            size_t size;
            char *text = view_draw(&(WwViewSpec){.format = (WwViewFormat)f}, bad[i].log, &size,
                                   NULL, &error);
            if (text != NULL || strstr(error->message, bad[i].says) == NULL ||
                strstr(error->message, "expected") == NULL) {
                g_error("case %zu in %s: %s", i, ww_view_formats[f],
                        text != NULL ? "drawn" : error->message);
            }
        }
    }
}

/* Slots and requests are the timeline's. */
static void test_timeline(void)
{
    g_autoptr(GError) error = NULL;
    size_t size;
    g_assert_null(view_draw(&(WwViewSpec){.format = WW_VIEW_PERFETTO},
                            "1\tcta\tsm.ctas\t-1\tplace slot=4000000000 kernel=1 cta=0\n", &size,
                            NULL, &error));
    g_assert_nonnull(strstr(error->message, "log:1: slot=4000000000; expected a CTA slot below"));
}

/* Long paths that differ in their ends compress to nothing, and each is kept. */
static void test_paths(void)
{
    g_autoptr(GString) log = g_string_new(NULL);
    g_autofree char *path = g_strnfill(60000, 'a');
    for (int i = 0; i < 1200; i++) {
        g_string_append_printf(log, "%d\tput\t%s%d\t-1\tslot=0\n", i, path, i);
    }
    for (int f = WW_VIEW_KONATA; f <= WW_VIEW_VCD; f++) {
        g_autoptr(GError) error = NULL;
        size_t size;
        g_assert_null(
            view_draw(&(WwViewSpec){.format = (WwViewFormat)f}, log->str, &size, NULL, &error));
        g_assert_nonnull(strstr(error->message, "different paths, or 64 MiB of them; expected"));
    }
}

/* Events of a run have numbers, and a picture: neither is a line of a file. */
static void test_live(void)
{
    char *out = NULL;
    size_t size;
    WwViewSpec spec = {.format = WW_VIEW_VCD, .name = "x.vcd", .live = true};
    spec.out = open_memstream(&out, &size);
    WwView *view = ww_view_new(&spec);
    g_autoptr(GError) error = NULL;
    WwLogLine line = {.number = 7, .cycle = 1ull << 60, .kind = "issue", .path = "sm", .text = ""};
    g_assert_false(ww_view_event(view, &line, &error));
    g_assert_true(g_str_has_prefix(error->message, "x.vcd: event 7: cycle 1152921504606846976 is"));
    ww_view_free(view);
    fclose(spec.out);
    free(out);
}

void test_refused(void)
{
    g_test_add_func("/view/refused/live", test_live);
    g_test_add_func("/view/refused/lines", test_lines);
    g_test_add_func("/view/refused/timeline", test_timeline);
    g_test_add_func("/view/refused/paths", test_paths);
}
