/* SPDX-License-Identifier: Apache-2.0 */
/* The run loop: waking and sleeping, timed events, what happens between ticks, how a run ends. */
#include "parts.h"

#include <string.h>

/* ---- sleep and wake --------------------------------------------------------------------------------------------- */

static void test_rest_and_settle(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 3);
    parts_add(m, NULL, "k", 1);
    parts_seal(m);
    parts_run(m, 8);
    g_assert_cmpstr(parts_diary->str, ==, "ak|k|k|ak|k|k|ak|k|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns, ==, 3);
    g_assert_cmpuint(a->slept, ==,
                     5); /* turns + slept == edges, also for the last, unfinished rest */
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 5);
    ww_machine_free(m);
}

/* Each rest is settled by itself, also one of a single cycle. */
static void test_settle_each_rest(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 2);
    parts_add(m, NULL, "k", 1);
    parts_seal(m);
    parts_run(m, 7);
    g_assert_cmpuint(a->turns, ==, 4);
    g_assert_cmpuint(a->slept, ==, 3);
    ww_machine_free(m);
}

/* A wake acts in this tick when the sleeper's place is still to come, else in the next. */
static void test_wake_place(void)
{
    for (int same = 0; same < 2; same++) {
        WwMachine *m = parts_machine();
        Part *a = parts_add(m, NULL, "a", 4), *b = parts_add(m, NULL, "b", 0);
        parts_join(a, b, same ? "same" : NULL);
        a->sends = true;
        parts_seal(m);
        parts_run(m, 6);
        g_assert_cmpstr(parts_diary->str, ==, same ? "ab||||ab||" : "ba|b|||a|b|");
        ww_machine_free(m);
    }
}

static void test_no_sleep_runs_everything(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 3);
    parts_add(m, NULL, "b", 0);
    ww_machine_set_no_sleep(m, true);
    parts_seal(m);
    parts_run(m, 3);
    g_assert_cmpstr(parts_diary->str, ==, "ab|ab|ab|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 0);
    ww_machine_free(m);
}

static void test_skipped_time_counts(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 1000);
    parts_seal(m);
    g_assert_cmpint(ww_run(m, 2500), ==, WW_RUN_BUDGET);
    g_assert_cmpuint(ww_machine_tick(m), ==, 2500);
    g_assert_cmpuint(ww_machine_activations(m), ==, 3);
    ww_machine_settle(m);
    g_assert_cmpuint(a->slept, ==, 2497);
    ww_machine_free(m);
}

/* ---- between ticks ---------------------------------------------------------------------------------------------- */

static void note_tick(void *self)
{
    g_string_append_printf(parts_diary, "<%u>",
                           (unsigned)ww_machine_tick(((WwComponent *)self)->machine));
}

/* Told when the run goes on after a pause, between two edges; not of other ends, and not after a reset. */
static void test_resume(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 1);
    parts_seal(m);
    parts_run(m, 2);
    ww_pause(a);
    g_assert_cmpint(ww_run(m, 5), ==, WW_RUN_PAUSED);
    g_assert_cmpuint(a->resumed, ==, 0);
    parts_run(m, 2);
    g_assert_cmpuint(a->resumed, ==, 1);
    g_assert_cmpuint(a->resumed_at, ==, 3);
    ww_pause(a);
    g_assert_cmpint(ww_run(m, 5), ==, WW_RUN_PAUSED);
    ww_machine_reset(m);
    parts_run(m, 1);
    g_assert_cmpuint(a->resumed, ==, 1);
    ww_machine_free(m);
}

static WwBetween once, other;

static void note_late(void *self, WwEvent *event) {}

static void note_and_again(void *self)
{
    note_tick(self);
    ww_between_ticks(self, &once, note_tick);
    ww_pause(self);
}

static void note_other(void *self)
{
    g_string_append_c(parts_diary, '!');
}

static void from_event(void *self, WwEvent *event)
{
    g_assert_cmpuint(ww_edges_over(self, ((WwComponent *)self)->domain), ==, ww_now(self));
    ww_between_ticks(self, &once, note_and_again);
    ww_between_ticks(self, &other, note_other);
}

/* At the end of the tick, in the order in which they were asked for; between ticks at the end of the next one, which is not skipped; once. */
static void test_between_ticks(void)
{
    for (uint32_t in_tick = 0; in_tick < 2; in_tick++) {
        WwMachine *m = parts_machine();
        GError *error = NULL;
        WwDomain *fast = ww_machine_add_domain(m, "fast", 4e9, &error);
        Part *a = parts_add(m, NULL, "a", 0);
        WwEvent event = {.fire = from_event, .self = a}, late = {.fire = note_late, .self = a};
        parts_seal(m);
        ww_event_at(m, fast, &late, 100); /* there is something to wait for */
        if (in_tick) {
            ww_event_at(m, fast, &event, 1);
        } else {
            parts_run(m, 1);
            ww_between_ticks(a, &once, note_and_again);
        }
        WwRunStatus status;
        while ((status = ww_run(m, 6)) == WW_RUN_PAUSED) {
            g_string_append_c(parts_diary, 'P');
        }
        g_assert_cmpint(status, ==, WW_RUN_BUDGET);
        g_assert_cmpstr(parts_diary->str, ==, in_tick ? "a<2>!P<3>" : "a|<2>P<3>");
        g_assert_null(once.call);
        ww_machine_free(m);
    }
}

/* What is pending at a reset is forgotten. */
static void test_between_ticks_reset(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 0);
    parts_seal(m);
    ww_between_ticks(a, &once, note_tick);
    ww_machine_reset(m);
    once = (WwBetween){0};
    parts_run(m, 3);
    g_assert_cmpstr(parts_diary->str, ==, "a|||");
    ww_machine_free(m);
}

/* ---- timed events ----------------------------------------------------------------------------------------------- */

typedef struct Note {
    WwEvent event;
    char letter;
} Note;

static void note_fired(void *self, WwEvent *event)
{
    g_string_append_c(parts_diary, ((Note *)self)->letter);
}

static void test_events_by_priority_then_sequence(void)
{
    WwMachine *m = parts_machine();
    WwDomain *d = ww_machine_domain(m, "core");
    parts_add(m, NULL, "a", 1);
    parts_seal(m);
    Note n[3] = {{.letter = '1'}, {.letter = '2'}, {.letter = '3'}};
    for (int i = 0; i < 3; i++) {
        n[i].event.fire = note_fired;
        n[i].event.self = &n[i];
        n[i].event.priority = i == 2 ? -1 : 0;
        ww_event_at(m, d, &n[i].event, 1);
    }
    parts_run(m, 3);
    g_assert_cmpstr(parts_diary->str, ==, "a|312a|a|"); /* before the clocked work of their tick */
    ww_machine_free(m);
}

static WwEvent again;

static void fire_again(void *self, WwEvent *event)
{
    g_string_append_c(parts_diary, 'e');
}

static WwRest ask_at_once(void *self)
{
    g_string_append_c(parts_diary, 't');
    ww_event_at(((WwComponent *)self)->machine, ((WwComponent *)self)->domain, &again,
                ww_now(self));
    return WW_SLEEP;
}

/* Events of a tick run before its clocked work: what that asks for at once comes with the next edge. */
static void test_event_at_once(void)
{
    static const WwEntryRow entries[] = {
        {.name = "turn", .phase = "main", .tick = ask_at_once, .doc = "x"}, {0}};
    WwType asker = parts_part_type;
    asker.name = "asker";
    asker.entries = entries;
    asker.settle = NULL;
    WwMachine *m = parts_machine();
    parts_add(m, NULL, "a", 1);
    g_assert_nonnull(
        ww_machine_add(m, ww_machine_root(m), &asker, "b", -1, (WwLocation){"x.plat", 1, 1}));
    parts_seal(m);
    again = (WwEvent){.fire = fire_again};
    parts_run(m, 3);
    g_assert_cmpstr(parts_diary->str, ==, "at|ea|a|");
    ww_machine_free(m);
}

/* ---- run ends --------------------------------------------------------------------------------------------------- */

static void test_idle_is_done(void)
{
    WwMachine *m = parts_machine();
    parts_add(m, NULL, "a", 0);
    parts_seal(m);
    g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_DONE);
    g_assert_cmpuint(ww_machine_tick(m), ==, 1);
    ww_machine_free(m);
}

/* A rest until WW_NEVER is sleep; one until an edge that is over, which wraps, ends the run. */
static void test_rests_beyond(void)
{
    for (uint32_t over = 0; over < 2; over++) {
        g_autoptr(WwMachine) m = parts_machine();
        Part *a = parts_add(m, NULL, "a", 3);
        parts_seal(m);
        parts_run(m, 5);
        a->until = over != 0 ? 2 : WW_NEVER;
        g_assert_cmpint(ww_run(m, 1000), ==, over != 0 ? WW_RUN_FAILED : WW_RUN_DONE);
        g_assert_cmpuint(ww_now(a), <=, 7);
        g_assert_cmpstr(over != 0 ? ww_machine_error(m)->message : NULL, ==,
                        over != 0
                            ? "a: entry point 'turn' rests for 18446744073709551612 edges in its "
                              "edge 6, beyond the end of time; expected a number of edges to come "
                              "(of a time that is over it wraps), or WW_SLEEP"
                            : NULL);
    }
}

static void test_hang_names_the_knot(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 0), *b = parts_add(m, NULL, "b", 0),
         *c = parts_add(m, NULL, "c", 0);
    parts_join(a, b, "latency");
    parts_join(b, c, "latency");
    parts_join(c, b, "latency");
    parts_seal(m);
    g_assert_cmpint(ww_run(m, 100), ==, WW_RUN_HANG);
    g_autofree char *text = ww_machine_explain(m);
    g_assert_nonnull(strstr(text, "[knot] b (part) waits for c (part): room in front"));
    g_assert_nonnull(strstr(text, "c (part) waits for b (part)"));
    ww_machine_free(m);
}

static void test_stuck(void)
{
    WwMachine *m = parts_machine();
    parts_add(m, NULL, "a", 1);
    parts_seal(m);
    ww_machine_set_hang_limit(m, 200);
    g_assert_cmpint(ww_run(m, 1000), ==, WW_RUN_STUCK);
    g_assert_cmpuint(ww_machine_tick(m), ==, 200);
    ww_machine_free(m);
}

static void test_limit(void)
{
    WwMachine *m = parts_machine();
    parts_add(m, NULL, "a", 50);
    parts_seal(m);
    ww_machine_set_max_cycles(m, 120);
    g_assert_cmpint(ww_run(m, 1000), ==, WW_RUN_LIMIT);
    g_assert_cmpuint(ww_machine_tick(m), ==, 120);
    ww_machine_free(m);
}

static void test_reset_equals_new(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 2), *b = parts_add(m, NULL, "b", 0);
    parts_join(a, b, NULL);
    a->sends = true;
    parts_seal(m);
    parts_run(m, 5);
    g_autofree char *first = g_strdup(parts_diary->str);
    g_string_truncate(parts_diary, 0);
    ww_machine_reset(m);
    g_assert_cmpuint(a->turns, ==, 0);
    parts_run(m, 5);
    g_assert_cmpstr(parts_diary->str, ==, first);
    ww_machine_free(m);
}

void test_machine_register(void)
{
    static const TestRow tests[] = {
        {"sleep/rest-and-settle", test_rest_and_settle},
        {"sleep/settle-each-rest", test_settle_each_rest},
        {"sleep/wake-place", test_wake_place},
        {"sleep/no-sleep", test_no_sleep_runs_everything},
        {"sleep/skip", test_skipped_time_counts},
        {"run/between-ticks", test_between_ticks},
        {"run/between-ticks-reset", test_between_ticks_reset},
        {"run/resume", test_resume},
        {"sleep/beyond", test_rests_beyond},
        {"run/idle", test_idle_is_done},
        {"run/hang", test_hang_names_the_knot},
        {"run/stuck", test_stuck},
        {"run/limit", test_limit},
        {"run/reset", test_reset_equals_new},
        {"event/order", test_events_by_priority_then_sequence},
        {"event/at-once", test_event_at_once},
    };
    test_add_rows("/kernel/machine", tests, G_N_ELEMENTS(tests));
}
