/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a machine between two runs: who is due, who waits for whom, and events that are watched for. */
#include "parts.h"

#include <string.h>
#include <warpwright/interrupt.h>

static void check_when(const Part *p, bool due, WwCycle at, bool gated)
{
    WwWhen when = ww_entry_when(&p->base, 0);
    g_assert_cmpint(when.due, ==, due);
    g_assert_cmpuint(when.at, ==, at);
    g_assert_cmpint(when.gated, ==, gated);
    g_assert_true(when.domain == p->base.domain);
}

static void test_when(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    const Part *again = parts_add(m, NULL, "a", 1), *rests = parts_add(m, NULL, "r", 700),
               *soon = parts_add(m, NULL, "s", 3), *sleeps = parts_add(m, NULL, "z", 0);
    Part *behind = parts_add(m, g, "g", 1);
    parts_seal(m);
    check_when(sleeps, true, WW_NEVER, false); /* everybody has a first turn */
    check_when(behind, true, WW_NEVER, true);
    parts_run(m, 1);
    check_when(again, true, WW_NEVER, false);
    check_when(rests, false, 700, false);
    check_when(soon, false, 3, false);
    check_when(sleeps, false, WW_NEVER, false);
    g_assert_cmpuint(behind->turns, ==, 0);
    ww_gate(behind, true);
    check_when(behind, true, WW_NEVER, false);
    parts_run(m, 2);
    check_when(soon, false, 3, false);
    parts_run(m, 1);
    check_when(soon, false, 6, false);
    ww_machine_set_no_sleep(m, true);
    check_when(sleeps, true, WW_NEVER, false);
    ww_machine_free(m);
}

/* One that looks at everything at each tick changes nothing. */
static void test_looking_changes_nothing(void)
{
    g_autofree char *alone = NULL;
    for (int pass = 0; pass < 2; pass++) {
        WwMachine *m = parts_machine();
        Part *a = parts_add(m, NULL, "a", 3), *b = parts_add(m, NULL, "b", 0),
             *c = parts_add(m, NULL, "c", 700);
        parts_join(a, b, NULL);
        a->sends = true;
        parts_seal(m);
        for (int i = 0; i < 2000; i++) {
            parts_run(m, 1);
            for (uint32_t k = 0; k < 3 && pass == 1; k++) {
                ww_entry_when(&((Part *[]){a, b, c})[k]->base, 0);
            }
        }
        if (pass == 0) {
            alone = g_strdup(parts_diary->str);
        } else {
            g_assert_cmpstr(parts_diary->str, ==, alone);
        }
        ww_machine_free(m);
    }
}

/* ---- waits ------------------------------------------------------------------------------------------------------- */

static void note_wait(void *user, const WwWait *w)
{
    g_string_append_printf(user, "%s%s>%s@%d ", w->knot ? "*" : "", w->who->name,
                           w->on != NULL ? w->on->name : "?", w->trail);
    g_assert_cmpstr(w->text, ==, "room in front");
    g_assert_cmpint(w->unit, ==, -1);
    g_assert_null(w->holds);
    g_assert_false(w->guessed);
}

static void test_waits(void)
{
    g_autoptr(GString) seen = g_string_new(NULL);
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 0), *b = parts_add(m, NULL, "b", 0),
         *c = parts_add(m, NULL, "c", 0), *d = parts_add(m, NULL, "d", 0);
    parts_join(d, a, "latency");
    parts_join(a, b, "latency");
    parts_join(b, c, "latency");
    parts_join(c, b, "latency");
    parts_seal(m);
    g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_HANG);
    g_assert_cmpuint(ww_machine_each_wait(m, 100, note_wait, seen), ==, 4);
    g_assert_cmpstr(seen->str, ==, "a>b@0 *b>c@1 c>b@2 d>a@-1 "); /* as ww_machine_explain() */
    g_string_truncate(seen, 0);
    g_assert_cmpuint(ww_machine_each_wait(m, 2, note_wait, seen), ==, 4);
    g_assert_cmpstr(seen->str, ==, "a>b@0 *b>c@1 ");
    g_string_truncate(seen, 0);
    g_assert_cmpuint(ww_machine_each_wait(m, 0, note_wait, seen), ==, 4);
    g_assert_cmpstr(seen->str, ==, "");
    ww_machine_free(m);
}

/* Without a knot the trail ends at whoever waits for nobody. */
static void test_waits_in_a_row(void)
{
    g_autoptr(GString) seen = g_string_new(NULL);
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 0), *b = parts_add(m, NULL, "b", 0),
         *c = parts_add(m, NULL, "c", 0);
    parts_join(a, b, "latency");
    parts_join(b, c, "latency");
    parts_seal(m);
    ww_run(m, 100);
    g_assert_cmpuint(ww_machine_each_wait(m, 100, note_wait, seen), ==, 2);
    g_assert_cmpstr(seen->str, ==, "a>b@0 b>c@1 ");
    ww_machine_free(m);
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

typedef struct Seen {
    GString *text;
    bool stop;
} Seen;

static void note_event(void *user, uint32_t watch, const WwComponent *who, WwCycle cycle,
                       const char *kind, int64_t unit, const char *text)
{
    Seen *seen = user;
    g_string_append_printf(seen->text, "%u:%s@%u %s %d %s|", watch, who->name, (unsigned)cycle,
                           kind, (int)unit, text);
    if (seen->stop) {
        ww_attention();
    }
}

static void test_watch(void)
{
    Seen seen = {.text = g_string_new(NULL)};
    WwMachine *m = parts_machine();
    const Part *a = parts_add(m, NULL, "a", 2), *b = parts_add(m, NULL, "b", 1);
    const WwWatch watches[] = {
        {.path = "a"},
        {.path = "*", .kind = "turn", .has_unit = true, .unit = 3},
        {.path = "*", .kind = "nothing"},
    };
    parts_seal(m);
    g_assert_cmpuint(a->base.logged, ==, 0);
    parts_run(m, 2);
    ww_machine_watch(m, watches, 3, note_event, &seen);
    parts_run(m, 3);
    g_assert_cmpstr(seen.text->str, ==,
                    "0:a@2 turn 2 a rests 2|1:b@2 turn 3 b rests 1|"
                    "0:a@4 turn 3 a rests 2|1:a@4 turn 3 a rests 2|");
    g_string_truncate(seen.text, 0);
    ww_machine_watch(m, &watches[1], 1, note_event, &seen); /* only b's, which is past it */
    g_assert_cmpuint(b->base.logged, ==, WW_WATCHED);
    ww_machine_watch(m, NULL, 0, NULL, NULL);
    g_assert_cmpuint(a->base.logged, ==, 0);
    g_assert_cmpuint(b->base.logged, ==, 0);
    parts_run(m, 4);
    g_assert_cmpstr(seen.text->str, ==, "");
    ww_machine_watch(m, watches, 3, note_event,
                     &seen); /* whoever forgets to end it loses nothing */
    ww_machine_free(m);
    g_string_free(seen.text, true);
}

/* The run comes back at the end of the tick, and goes on where it was. */
static void test_watch_stops(void)
{
    Seen seen = {.text = g_string_new(NULL), .stop = true};
    WwMachine *m = parts_machine();
    parts_add(m, NULL, "a", 5);
    parts_add(m, NULL, "b", 1);
    parts_seal(m);
    ww_machine_watch(m, &(WwWatch){.path = "a"}, 1, note_event, &seen);
    for (WwTick tick = 1; tick < 30; tick += 5) {
        g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_BUDGET);
        g_assert_cmpuint(ww_machine_tick(m), ==, tick);
        g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_BUDGET); /* nobody has cleared it */
        g_assert_cmpuint(ww_machine_tick(m), ==, tick);
        ww_attention_clear();
    }
    ww_machine_free(m);
    g_string_free(seen.text, true);
}

/* The event log goes on as it was beside a watch for something else. */
static void test_watch_beside_log(void)
{
    g_autofree char *log = NULL;
    size_t size;
    Seen seen = {.text = g_string_new(NULL)};
    FILE *out = open_memstream(&log, &size);
    WwMachine *m = parts_machine();
    const Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1);
    parts_seal(m);
    ww_machine_set_events(m, out, &(WwEventFilter){.path = "a"});
    ww_machine_watch(m, &(WwWatch){.path = "b"}, 1, note_event, &seen);
    g_assert_cmpuint(a->base.logged & (WW_LOGGED | WW_WATCHED), ==, WW_LOGGED);
    g_assert_cmpuint(b->base.logged, ==, WW_WATCHED);
    parts_run(m, 2);
    fclose(out);
    g_assert_cmpstr(log, ==, "0\tturn\ta\t1\ta rests 1\n1\tturn\ta\t2\ta rests 1\n");
    g_assert_cmpstr(seen.text->str, ==, "0:b@0 turn 1 b rests 1|0:b@1 turn 2 b rests 1|");
    ww_machine_free(m);
    g_string_free(seen.text, true);
}

void test_look_register(void)
{
    static const TestRow tests[] = {
        {"when", test_when},
        {"changes-nothing", test_looking_changes_nothing},
        {"waits", test_waits},
        {"waits-in-a-row", test_waits_in_a_row},
        {"watch", test_watch},
        {"watch-stops", test_watch_stops},
        {"watch-beside-log", test_watch_beside_log},
    };
    test_add_rows("/kernel/look", tests, G_N_ELEMENTS(tests));
}
