/* SPDX-License-Identifier: Apache-2.0 */
/* The event log of partitions that write at their own pace: the same bytes tick by tick, in windows, by threads, and whoever writes the file. */
#include "tests.h"

#include <stdio.h>
#include <string.h>
#include <tests/support/machine.h>

enum {
    WRITERS = 5,
    EDGES = 1500,
    LONG = 300000, /* Letters: more than any room that is there beforehand. */
};

typedef struct Writer {
    WwComponent base;
    uint64_t state; /* Of what it draws. */
    uint32_t longest;
} Writer;

static const WwEventField count_field =
    WW_EVENT_FIELD("count", WW_EVENT_NUMBER, "", "of what it wrote");
static const WwEventRow count_row = {
    .name = "count", .unit = "digit", .doc = "at times", .field = {&count_field}};

static uint32_t draw(Writer *w, uint32_t n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->state >> 33) % n;
}

static WwRest write_some(void *self)
{
    Writer *w = self;
    for (uint32_t n = draw(w, 30); n != 0; n--) {
        WW_LOG(w, &count_row, draw(w, 10), draw(w, 100000));
    }
    if (draw(w, 8) == 0) {
        uint32_t most = draw(w, 20) == 0 ? w->longest : 4000;
        g_autofree char *text = g_strnfill(draw(w, most), (char)('a' + draw(w, 26)));
        WW_EVENT(w, "told", -1, "text=%s", text);
    }
    return draw(w, 4) != 0 ? WW_AGAIN : 2 + draw(w, 20);
}

static const WwEntryRow writer_entries[] = {
    {.name = "write", .phase = "core", .tick = write_some, .doc = "writes"}, {0}};
static const WwType writer_type = {.abi = WW_ABI_VERSION,
                                   .name = "writer",
                                   .doc = "writes",
                                   .family = "test",
                                   .size = sizeof(Writer),
                                   .entries = writer_entries};

typedef struct How {
    bool windows, apart;
    uint32_t threads;
} How;

static char *log_of(uint32_t seed, uint32_t longest, How how)
{
    g_autoptr(WwMachine) m = test_core_machine();
    for (uint32_t i = 0; i < WRITERS; i++) {
        WwGroup *g = ww_machine_add_group(
            m, ww_machine_root(m),
            &(WwGroupSpec){.name = "side", .index = i, .array = true, .partition = true});
        Writer *w = test_add_type(m, g, &writer_type, "writer", -1);
        w->state = seed + i;
        w->longest = longest;
    }
    ww_machine_set_windows(m, how.windows);
    ww_machine_set_threads(m, how.threads);
    ww_machine_set_threads_from(m, 0);
    test_seal(m, false);
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n);
    ww_machine_set_events(m, out, &(WwEventFilter){.apart = how.apart});
    g_assert_cmpint(ww_run(m, EDGES), ==, WW_RUN_BUDGET);
    g_assert_true(how.windows == (ww_machine_window_ticks(m) != 0));
    g_clear_pointer(&m, ww_machine_free);
    fclose(out);
    g_assert_cmpuint(strlen(text), ==, n);
    return text;
}

static void test_same(void)
{
    static const How hows[] = {
        {true, false, 1}, {true, true, 1}, {true, false, 3}, {true, true, 3}};
    static const uint32_t longest[] = {4000, LONG};
    for (uint32_t seed = 1; seed <= 4; seed++) {
        for (size_t k = 0; k < G_N_ELEMENTS(longest); k++) {
            char *plain = log_of(seed, longest[k], (How){false, false, 1});
            g_assert_cmpuint(strlen(plain), >, 1u << 20);
            for (size_t i = 0; i < G_N_ELEMENTS(hows); i++) {
                char *other = log_of(seed, longest[k], hows[i]);
                g_assert_true(strcmp(plain, other) == 0);
                free(other);
            }
            free(plain);
        }
    }
}

void add_log_tests(void)
{
    g_test_add_func("/ports/log/same", test_same);
}
