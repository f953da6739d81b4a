/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a tick: in a phase, in groups that repeat and rotate, behind gates. */
#include "parts.h"

#include <string.h>

/* ---- order ------------------------------------------------------------------------------------------------------ */

static void test_consumer_first(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1),
         *c = parts_add(m, NULL, "c", 1);
    parts_join(a, b, NULL);
    parts_join(b, c, NULL);
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "cba|cba|");
    ww_machine_free(m);
}

static void test_same_puts_writer_first(void)
{
    WwMachine *m = parts_machine();
    Part *b = parts_add(m, NULL, "b", 1), *a = parts_add(m, NULL, "a", 1);
    parts_join(a, b, "same");
    parts_seal(m);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, "ab|");
    ww_machine_free(m);
}

static void test_latency_imposes_no_order(void)
{
    WwMachine *m = parts_machine();
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1);
    parts_join(a, b, "latency");
    parts_join(b, a, "latency");
    parts_seal(m);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, "ab|");
    ww_machine_free(m);
}

static void test_ranks(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    Part *late = parts_add(m, NULL, "l", 1), *early = parts_add(m, NULL, "e", 1),
         *d = parts_add(m, NULL, "d", 0);
    ww_bind(&late->base, ww_type_port(&parts_part_type, "second"), &d->base, -1, (WwLocation){0},
            &error);
    ww_bind(&early->base, ww_type_port(&parts_part_type, "first"), &d->base, -1, (WwLocation){0},
            &error);
    g_assert_no_error(error);
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "eld|el|");
    g_assert_cmpuint(d->offered.n, ==, 2);
    g_assert_true(ww_provided_client(&d->offered, 0, 0)->who == &early->base);
    ww_machine_free(m);
}

/* Three clients of a rank, for whatever has numbers: 0, 1, 2, 0, 1, ... */
static void test_wakes(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    Part *c[3], *d = parts_add(m, NULL, "d", 0);
    for (uint32_t i = 0; i < G_N_ELEMENTS(c); i++) {
        c[i] = parts_add(m, NULL, (const char *[]){"a", "b", "c"}[i], 1);
        ww_bind(&c[i]->base, ww_type_port(&parts_part_type, "first"), &d->base, -1, (WwLocation){0},
                &error);
    }
    g_assert_no_error(error);
    parts_seal(m);
    const WwWake none = ww_wake_none(), *of[8];
    g_assert_cmpuint(ww_provided_wakes(&d->offered, 0, &none, of, 8), ==, 3);
    for (uint32_t i = 0; i < 8; i++) {
        g_assert_true(of[i] == &ww_provided_client(&d->offered, 0, i % 3)->wake);
    }
    g_assert_cmpuint(ww_provided_wakes(&d->offered, 0, &none, of, 2), ==, 3); /* no room for all */
    g_assert_true(of[1] == &ww_provided_client(&d->offered, 0, 1)->wake);
    g_assert_cmpuint(ww_provided_wakes(&d->offered, 1, &none, of, 2), ==, 0);
    g_assert_true(of[0] == &none && of[1] == &none);
    ww_machine_free(m);
}

/* A provider's own turn has a rank among its callers': declared first, it acts last. */
static void test_own_rank(void)
{
    for (int ranked = 0; ranked < 2; ranked++) {
        WwMachine *m = parts_machine();
        GError *error = NULL;
        WwEntryRow entries[2] = {parts_part_type.entries[0], {0}};
        WwType type = parts_part_type;
        type.entries = entries;
        entries[0].port = ranked ? "offered" : NULL;
        entries[0].rank = ranked ? "second" : NULL;
        WwComponent *d = ww_machine_add(m, ww_machine_root(m), &type, "d", -1, (WwLocation){0});
        ww_component_set_text(d, "mark", "d", &error);
        Part *early = parts_add(m, NULL, "e", 1);
        ww_bind(&early->base, ww_type_port(&parts_part_type, "first"), d, -1, (WwLocation){0},
                &error);
        g_assert_no_error(error);
        parts_seal(m);
        parts_run(m, 1);
        g_assert_cmpstr(parts_diary->str, ==, ranked ? "ed|" : "de|");
        ww_machine_free(m);
    }
}

/* Groups of as many parts and wires, the last of them the same: the order of one is taken over only from one that is the same in all. */
static void test_alike(void)
{
    static const struct {
        const char *wires[2]; /* of each group's parts 0, 1, 2: writer, reader */
        const char *turns;
    } groups[] = {{{"01", "12"}, "210"}, {{"02", "21"}, "120"}, {{"01", "12"}, "210"},
                  {{"12", "20"}, "021"}, {{"12", "01"}, "210"}, {{"12", "20"}, "021"}};
    WwMachine *m = parts_machine();
    g_autoptr(GString) expected = g_string_new(NULL);
    for (guint g = 0; g < G_N_ELEMENTS(groups); g++) {
        WwGroup *group = ww_machine_add_group(
            m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .array = true, .index = g});
        Part *part[3];
        for (guint i = 0; i < 3; i++) {
            g_autofree char *mark = g_strdup_printf("%c%u", 'a' + g, i);
            part[i] = parts_add(m, group, g_intern_string(mark), 1);
            g_string_append_printf(expected, "%c%c", 'a' + g, groups[g].turns[i]);
        }
        for (guint i = 0; i < 2; i++) {
            parts_join(part[groups[g].wires[i][0] - '0'], part[groups[g].wires[i][1] - '0'], NULL);
        }
    }
    g_string_append_c(expected, '|');
    parts_seal(m);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, expected->str);
    ww_machine_free(m);
}

static void test_loop_is_refused(void)
{
    WwMachine *m = parts_machine();
    GError *error = NULL;
    Part *a = parts_add(m, NULL, "a", 1), *b = parts_add(m, NULL, "b", 1);
    parts_join(a, b, NULL);
    parts_join(b, a, NULL);
    g_assert_false(ww_machine_seal(m, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
    g_assert_nonnull(strstr(error->message, "no order exists in phase 'main'"));
    g_assert_nonnull(strstr(error->message, "b.turn before a.turn before b.turn"));
    g_error_free(error);
    ww_machine_free(m);
}

static void test_group_in_the_way_is_dissolved(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g"});
    Part *a = parts_add(m, g, "a", 1), *b = parts_add(m, NULL, "b", 1),
         *c = parts_add(m, g, "c", 1);
    parts_join(a, b, NULL); /* c b a: b has to stand between the members of g */
    parts_join(b, c, NULL);
    parts_seal(m);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, "cba|");
    ww_machine_free(m);
}

/* ---- groups ----------------------------------------------------------------------------------------------------- */

static void test_rotate(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    parts_add(m, g, "a", 1);
    parts_add(m, g, "b", 1);
    parts_add(m, g, "c", 2);
    parts_seal(m);
    parts_run(m, 5);
    g_assert_cmpstr(parts_diary->str, ==, "abc|ba|cab|ab|bca|");
    ww_machine_free(m);
}

static void test_repeat(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m),
                                      &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 3});
    Part *a = parts_add(m, g, "a", 1);
    parts_add(m, NULL, "k", 1);
    parts_add(m, g, "b", 0);
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "abaak|aaak|");
    g_assert_cmpuint(a->slept, ==, 0); /* a turn is a round */
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns + a->slept, ==, 6);
    ww_machine_free(m);
}

/* Waking an earlier member of a repeat group acts in the next round, a later one in this. */
static void test_repeat_wakes_next_round(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g = ww_machine_add_group(m, ww_machine_root(m),
                                      &(WwGroupSpec){.mode = WW_GROUP_REPEAT, .repeat = 2});
    Part *a = parts_add(m, g, "a", 5), *b = parts_add(m, g, "b", 0);
    parts_join(a, b, NULL); /* order: b, a */
    a->sends = true;
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "bab||"); /* b again in round 2 of the same tick */
    ww_machine_free(m);
}

/*
 * Two groups of two parts that call one desk. By rank all firsts act before all seconds; in a sequence a group is through before the next begins. A wire
 * that goes with the sequence cannot be had: its reader acts first.
 */
static void test_sequence(void)
{
    for (int which = 0; which < 4; which++) {
        WwMachine *m = parts_machine();
        GError *error = NULL;
        Part *d = parts_add(m, NULL, "d", 0), *part[4];
        WwGroup *all = ww_machine_add_group(
            m, ww_machine_root(m),
            &(WwGroupSpec){.mode = which != 0 ? WW_GROUP_SEQUENCE : WW_GROUP_PLAIN});
        for (uint32_t g = 0; g < 2; g++) {
            WwGroup *group = ww_machine_add_group(
                m, all, &(WwGroupSpec){.name = "g", .array = true, .index = g});
            for (uint32_t i = 0; i < 2; i++) { /* declared against their ranks */
                static const char *const marks[] = {"b", "a", "f", "e"};
                part[2 * g + i] = parts_add(m, group, marks[2 * g + i], 1);
                ww_bind(&part[2 * g + i]->base,
                        ww_type_port(&parts_part_type, i == 0 ? "second" : "first"), &d->base, -1,
                        (WwLocation){0}, &error);
                g_assert_no_error(error);
            }
        }
        if (which == 2) {
            parts_join(part[2], part[0], NULL); /* the reader is in the group that comes first */
        } else if (which == 3) {
            parts_join(part[0], part[2], NULL);
            g_assert_false(ww_machine_seal(m, &error));
            g_assert_error(error, WW_ERROR, WW_ERROR_WIRING);
            g_assert_nonnull(strstr(error->message, "no order exists"));
            g_error_free(error);
            ww_machine_free(m);
            continue;
        }
        parts_seal(m);
        parts_run(m, 2);
        g_assert_cmpstr(parts_diary->str, ==, which == 0 ? "daebf|aebf|" : "dabef|abef|");
        ww_machine_free(m);
    }
}

/* ---- gates ------------------------------------------------------------------------------------------------------ */

static void test_gate(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    Part *a = parts_add(m, g, "a", 1), *b = parts_add(m, g, "b", 4);
    parts_add(m, NULL, "k", 1);
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "k|k|"); /* closed at power-on */
    ww_gate(a, true);
    parts_run(m, 3);
    ww_gate(a, false);
    parts_run(m, 2);
    ww_gate(a, true);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, "k|k|abk|ak|ak|k|k|abk|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns, ==, 4);
    g_assert_cmpuint(a->slept, ==, 0);
    g_assert_cmpuint(b->turns + b->slept, ==, 4); /* closed edges do not count */
    ww_machine_free(m);
}

/* What is behind two gates is clocked where both are open; each keeps what it was told while the other is closed. */
static void test_gates_nest(void)
{
    WwMachine *m = parts_machine();
    WwGroupSpec spec = {.name = "g", .gated = true};
    WwGroup *outer = ww_machine_add_group(m, ww_machine_root(m), &spec);
    WwGroup *inner = ww_machine_add_group(m, outer, &spec);
    WwGroup *r = ww_machine_add_group(m, inner, &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    Part *a = parts_add(m, outer, "a", 1), *b = parts_add(m, r, "b", 1);
    parts_add(m, r, "c", 1);
    Part *d = parts_add(m, inner, "d", 0);
    parts_seal(m);
    ww_gate(b, true);
    parts_run(m, 2);
    ww_gate(a, true);
    parts_run(m, 2);
    ww_gate(a, false);
    parts_run(m, 3);
    ww_gate(b, false);
    ww_gate(a, true);
    parts_run(m, 1);
    ww_gate(b, true);
    parts_run(m, 1);
    g_assert_cmpstr(parts_diary->str, ==, "||bcda|cba||||a|bca|");
    ww_machine_settle(m);
    g_assert_cmpuint(a->turns + a->slept, ==, 4);
    g_assert_cmpuint(b->turns + b->slept, ==, 3);
    g_assert_cmpuint(d->turns + d->slept, ==, 3);
    ww_machine_free(m);
}

/* A gate inside of what repeats is refused; one around it is none inside. */
static void test_gate_in_repeat(void)
{
    for (uint32_t inside = 0; inside < 2; inside++) {
        WwMachine *m = parts_machine();
        WwGroupSpec gate = {.name = "g", .gated = true},
                    repeat = {.name = "r", .mode = WW_GROUP_REPEAT, .repeat = 2};
        WwGroup *outer = ww_machine_add_group(m, ww_machine_root(m), inside != 0 ? &repeat : &gate);
        WwGroup *between = ww_machine_add_group(m, outer, &(WwGroupSpec){.name = "b"});
        parts_add(m, ww_machine_add_group(m, between, inside != 0 ? &gate : &repeat), "a", 1);
        g_autoptr(GError) error = NULL;
        g_assert_cmpint(ww_machine_seal(m, &error), ==, inside == 0);
        if (inside != 0) {
            g_assert_cmpstr(error->message, ==,
                            "group r.b.g has a gate, and a `repeat` around it; expected the gate "
                            "around the `repeat`");
        }
        ww_machine_free(m);
    }
}

static Part *gated;

/* Its turns come after those of the phase `main`: opens the gate in tick 1, closes it in tick 3. */
static WwRest doorkeeper_turn(void *self)
{
    if (ww_now(self) == 1 || ww_now(self) == 3) {
        ww_gate(gated, ww_now(self) == 1);
    }
    return WW_AGAIN;
}

/* A later phase that opens or closes a gate means the next edge: the present one was closed, or was had. */
static void test_gate_from_a_later_phase(void)
{
    static const WwEntryRow entries[] = {
        {.name = "turn", .phase = "late", .tick = doorkeeper_turn, .doc = "x"}, {0}};
    WwType doorkeeper = parts_part_type;
    doorkeeper.name = "doorkeeper";
    doorkeeper.entries = entries;
    WwMachine *m = parts_machine();
    GError *error = NULL;
    g_assert_true(ww_machine_add_phase(m, "late", "core", &error));
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    gated = parts_add(m, g, "a", 1);
    Part *b = parts_add(m, g, "b", 0);
    g_assert_nonnull(
        ww_machine_add(m, ww_machine_root(m), &doorkeeper, "d", -1, (WwLocation){"x.plat", 1, 1}));
    parts_seal(m);
    parts_run(m, 6);
    g_assert_cmpstr(parts_diary->str, ==, "||ab|a|||");
    ww_machine_settle(m);
    g_assert_cmpuint(gated->turns, ==, 2);
    g_assert_cmpuint(gated->slept, ==, 0);
    g_assert_cmpuint(b->turns + b->slept, ==, 2);
    ww_machine_free(m);
}

static void test_no_sleep_keeps_gates(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    parts_add(m, g, "a", 1);
    parts_add(m, NULL, "k", 1);
    ww_machine_set_no_sleep(m, true);
    parts_seal(m);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "k|k|");
    ww_machine_free(m);
}

static void test_rotation_counts_clocked_ticks(void)
{
    WwMachine *m = parts_machine();
    WwGroup *g =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.name = "g", .gated = true});
    WwGroup *r = ww_machine_add_group(m, g, &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    Part *a = parts_add(m, r, "a", 1);
    parts_add(m, r, "b", 1);
    parts_add(m, NULL, "k", 1);
    parts_seal(m);
    ww_gate(a, true);
    parts_run(m, 1);
    ww_gate(a, false);
    parts_run(m, 3);
    ww_gate(a, true);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "abk|k|k|k|bak|abk|");
    ww_machine_free(m);
}

/* A rotation has an edge at which the first goes first: a past one, one to come, or none. */
static void test_rotate_from(void)
{
    WwMachine *m = parts_machine();
    WwGroup *r =
        ww_machine_add_group(m, ww_machine_root(m), &(WwGroupSpec){.mode = WW_GROUP_ROTATE});
    WwGroup *inner = ww_machine_add_group(m, r, &(WwGroupSpec){.name = "g"});
    Part *a = parts_add(m, inner, "a", 1);
    parts_add(m, r, "b", 1);
    parts_add(m, r, "c", 1);
    parts_seal(m);
    parts_run(m, 2);
    ww_rotate_from(a, 1);
    parts_run(m, 2);
    ww_rotate_from(a, 3);
    parts_run(m, 1);
    ww_rotate_from(a, 6);
    parts_run(m, 3);
    g_assert_cmpstr(parts_diary->str, ==, "abc|bca|bca|cab|bca|abc|abc|bca|");
    ww_machine_reset(m);
    g_string_truncate(parts_diary, 0);
    parts_run(m, 2);
    ww_machine_reset(m);
    ww_rotate_from(a, WW_NEVER);
    parts_run(m, 2);
    g_assert_cmpstr(parts_diary->str, ==, "abc|bca|abc|abc|");
    ww_machine_free(m);
}

void test_order_register(void)
{
    static const TestRow tests[] = {
        {"order/consumer-first", test_consumer_first},
        {"order/same", test_same_puts_writer_first},
        {"order/latency", test_latency_imposes_no_order},
        {"order/ranks", test_ranks},
        {"order/wakes", test_wakes},
        {"order/own-rank", test_own_rank},
        {"order/alike", test_alike},
        {"order/loop", test_loop_is_refused},
        {"order/dissolve", test_group_in_the_way_is_dissolved},
        {"group/rotate", test_rotate},
        {"group/sequence", test_sequence},
        {"group/repeat", test_repeat},
        {"group/repeat-wake", test_repeat_wakes_next_round},
        {"gate/counts", test_gate},
        {"gate/in-repeat", test_gate_in_repeat},
        {"gate/later-phase", test_gate_from_a_later_phase},
        {"gate/nested", test_gates_nest},
        {"gate/no-sleep", test_no_sleep_keeps_gates},
        {"gate/rotation", test_rotation_counts_clocked_ticks},
        {"group/rotate-from", test_rotate_from},
    };
    test_add_rows("/kernel/machine", tests, G_N_ELEMENTS(tests));
}
