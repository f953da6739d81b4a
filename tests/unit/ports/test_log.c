/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log of partitions that write at their own pace: the same bytes tick by tick, in windows, by threads, whoever writes the file, and whether lines are
 * text at once, which a filter by cycles makes them, or are kept until they are told.
 */
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

static char *write_stars(char *at, uint64_t n)
{
    for (uint64_t i = 0; i < n % 7; i++) {
        memcpy(at, " *", 2);
        at += 2;
    }
    return at;
}

static char *tell_stars(char *at, const char **from)
{
    return write_stars(at, ww_event_take(from));
}

static const WwEventKept stars_kept = {ww_event_keep, tell_stars};
static const WwEventField fields[] = {
    WW_EVENT_FIELD("hex", WW_EVENT_HEX, "", "any"),
    WW_EVENT_FIELD("mask", WW_EVENT_MASK, "", "any"),
    WW_EVENT_FIELD("text", WW_EVENT_TEXT, "", "or none"),
    WW_EVENT_FIELD("label", WW_EVENT_LABEL, "", "or none"),
    WW_EVENT_FIELD("word", WW_EVENT_WORD, "", "or none"),
    {.name = "stars", .unit = "", .doc = "up to six", .form = WW_EVENT_PARTS, .write = write_stars},
    {.name = "kept",
     .unit = "",
     .doc = "likewise",
     .form = WW_EVENT_PARTS,
     .write = write_stars,
     .kept = &stars_kept},
    WW_EVENT_FIELD("last", WW_EVENT_NUMBER, "", "any"),
};
static const WwEventRow all_row = {.name = "all",
                                   .unit = "any",
                                   .doc = "at times",
                                   .field = {&fields[0], &fields[1], &fields[2], &fields[3],
                                             &fields[4], &fields[5], &fields[6], &fields[7]}};
static const WwEventRow stars_row = {
    .name = "stars", .unit = "any", .doc = "at times", .field = {&fields[5]}};
static const WwEventRow kept_row = {
    .name = "kept", .unit = "any", .doc = "at times", .field = {&fields[6]}};
static const WwEventField value_field = {.name = "value",
                                         .unit = "",
                                         .doc = "likewise",
                                         .form = WW_EVENT_PARTS,
                                         .write = write_stars,
                                         .kept = &ww_event_value};
static const WwEventRow value_row = {
    .name = "value", .unit = "any", .doc = "at times", .field = {&value_field, &fields[7]}};
static const WwEventRow none_row = {.name = "none", .unit = "any", .doc = "at times"};

static uint32_t draw(Writer *w, uint32_t n)
{
    w->state = w->state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(w->state >> 33) % n;
}

/* A line of each form. What a text and a word of it are may be another thing at the next. */
static void write_forms(Writer *w)
{
    static const WwEventWord words[] = {WW_WORD("so"), WW_WORD("otherwise")};
    int64_t unit = (int64_t)draw(w, 120) - 1;
    uint64_t any = (uint64_t)draw(w, 1u << 31) << draw(w, 33) >> draw(w, 31);
    char text[] = "a text";
    text[draw(w, 6)] = draw(w, 2) != 0 ? 'x' : '\0';
    WW_LOG(w, &all_row, unit, any, draw(w, 3) != 0 ? UINT32_MAX : any,
           WW_TEXT(draw(w, 4) != 0 ? text : NULL), WW_SAY(draw(w, 4) != 0 ? &words[any % 2] : NULL),
           WW_SAY(draw(w, 4) != 0 ? &words[draw(w, 2)] : NULL), draw(w, 9), draw(w, 9), any);
    memset(text, '?', sizeof text);
    WW_LOG(w, &stars_row, unit, draw(w, 9));
    WW_LOG(w, &kept_row, unit, draw(w, 9));
    WW_LOG(w, &value_row, unit, draw(w, 9), any);
    ww_log(w, &none_row, unit, NULL, 0);
}

static WwRest write_some(void *self)
{
    Writer *w = self;
    for (uint32_t n = draw(w, 30); n != 0; n--) {
        WW_LOG(w, &count_row, draw(w, 10), draw(w, 100000));
    }
    if (draw(w, 3) == 0) {
        write_forms(w);
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
    bool at_once;
    bool slow; /* Its file: the run has to wait, and helps. */
} How;

static ssize_t write_slowly(void *out, const char *text, size_t n)
{
    g_usleep(300);
    return (ssize_t)fwrite(text, 1, n, out);
}

/* What is written to it comes to @p out. */
static FILE *slow_file(FILE *out)
{
    FILE *f = fopencookie(out, "w", (cookie_io_functions_t){.write = write_slowly});
    g_assert_nonnull(f);
    setvbuf(f, NULL, _IONBF, 0);
    return f;
}

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
    ww_machine_set_threads(m, MAX(1, how.threads));
    ww_machine_set_threads_from(m, 0);
    test_seal(m, false);
    char *text = NULL;
    size_t n = 0;
    FILE *out = open_memstream(&text, &n), *slow = how.slow ? slow_file(out) : NULL;
    ww_machine_set_events(m, slow != NULL ? slow : out,
                          &(WwEventFilter){.apart = how.apart, .to = how.at_once ? EDGES : 0});
    g_assert_cmpint(ww_run(m, EDGES), ==, WW_RUN_BUDGET);
    g_assert_true(how.windows == (ww_machine_window_ticks(m) != 0));
    g_clear_pointer(&m, ww_machine_free);
    g_clear_pointer(&slow, fclose);
    fclose(out);
    g_assert_cmpuint(strlen(text), ==, n);
    return text;
}

static void test_same(void)
{
    static const How hows[] = {
        {.windows = true},
        {.windows = true, .apart = true},
        {.windows = true, .threads = 3},
        {.windows = true, .apart = true, .threads = 3},
        {.windows = true, .apart = true, .slow = true},
        {.windows = true, .apart = true, .slow = true, .threads = 3},
        {.apart = true},
        {.windows = true, .apart = true, .threads = 3, .at_once = true},
    };
    static const uint32_t longest[] = {4000, LONG};
    for (uint32_t seed = 1; seed <= 4; seed++) {
        for (size_t k = 0; k < G_N_ELEMENTS(longest); k++) {
            char *plain = log_of(seed, longest[k], (How){.at_once = true});
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
