/* SPDX-License-Identifier: Apache-2.0 */
/* Values from outside: patterns, precedence, what they may and may not match. */
#include "tests.h"

#define LINES(...) ((const char *const[]){__VA_ARGS__, NULL})

static const char gpu[] =
    "composite sm { param width : uint = 4; param policy : type like policy = policy.lrr;\n"
    "    issue[2] : worker { width = width; policy : $policy; } l1 : board; ghost[0] : source; }\n"
    "composite cluster { param n : uint = 2; sm[n] : sm; }\n"
    "machine m { domain core = 1GHz; phases { core : core; } param n : uint = 2;\n"
    "    gpu[n] : cluster; l1 : board { width = 16; } s : source; }\n";

static void test_patterns(void)
{
    test_expect(gpu, "gpu[*].sm[*].l1.width = 3",
                LINES("gpu[0].sm[0].l1 : board width=3", "gpu[1].sm[1].l1 : board width=3",
                      "\nl1 : board width=16"));
    test_expect(gpu, "gpu.sm.l1.width=3\ngpu[1].sm[0].l1.width=5",
                LINES("gpu[0].sm[0].l1 : board width=3", "gpu[1].sm[0].l1 : board width=5"));
    test_expect(gpu, "sm[0].width=6\nissue[1].width=7",
                LINES("gpu[0].sm[0].issue[0] : worker flag=false width=6",
                      "gpu[0].sm[0].issue[1] : worker flag=false width=7",
                      "gpu[1].sm[1].issue[0] : worker flag=false width=4"));
    test_expect(gpu, "gpu[0..1].sm[1..9].issue.label=a b\nratio=0.75",
                LINES("gpu[0].sm[0].issue[0] : worker flag=false width=4 size=1 KiB ratio=0.75 "
                      "hz=1 MHz label=\"none\"",
                      "gpu[0].sm[1].issue[1] : worker flag=false width=4 size=1 KiB ratio=0.75 "
                      "hz=1 MHz label=\"a b\""));
    test_expect(gpu, " sm . policy = policy.gto ",
                LINES("gpu[1].sm[1].issue[1].policy : policy.gto"));
    test_expect(gpu, "issue.policy.quantum = 9 cycles",
                LINES("gpu[0].sm[0].issue[0].policy : policy.lrr quantum=9"));
    test_expect(gpu, "sm.ghost.rate = 3", LINES("gpu[0]"));
    /* the last one wins, with or without a path */
    test_expect(gpu, "ratio=1\nratio=2\nissue[0].ratio=3\nratio=4\nissue[1].ratio=5",
                LINES("issue[0] : worker flag=false width=4 size=1 KiB ratio=4",
                      "issue[1] : worker flag=false width=4 size=1 KiB ratio=5"));
}

/* `n` and `l1.width` are whole paths: they do not also mean the ends of longer ones. */
static void test_whole_path_wins(void)
{
    test_expect(gpu, "n=1", LINES("gpu[0].sm[1].l1"));
    g_autoptr(WwMachine) machine = test_built(gpu, "n=1", NULL);
    g_assert_null(ww_machine_find(machine, "gpu[1].sm[0].l1"));
    test_expect(gpu, "l1.width=2",
                LINES("gpu[0].sm[0].l1 : board width=8", "\nl1 : board width=2"));
    test_expect(gpu, "sm.l1.width=2",
                LINES("gpu[0].sm[0].l1 : board width=2", "\nl1 : board width=16"));
}

static void test_precedence(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), gpu, strlen(gpu), "gpu.plat", NULL, &error);
    g_assert_no_error(error);
    g_autoptr(WwOverrides) o = ww_overrides_new();
    const char conf[] = "# values\nplatform volta\n\nsm.width = 5   # five\nissue[0].width = 6\n"
                        "issue.label = \"a # b\"\nl1.width=3";
    g_assert_true(ww_overrides_add_conf(o, conf, strlen(conf), "one.conf", NULL, &error));
    g_assert_true(ww_overrides_add(o, "gpu.sm.width", "7", "gpgpusim.config", 12, &error));
    g_assert_true(ww_overrides_add_text(o, "gpu[1].sm.width=8", "-s", &error));
    g_assert_cmpstr(ww_overrides_platform(o, NULL), ==, "volta");
    g_autoptr(WwElaboration) e = NULL;
    g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, o, &e, &error);
    g_assert_no_error(error);
    g_autofree char *dump = test_dump(machine);
    g_assert_nonnull(strstr(dump, "gpu[0].sm[0].issue[1] : worker flag=false width=7"));
    g_assert_nonnull(strstr(dump, "gpu[1].sm[0].issue[1] : worker flag=false width=8"));
    g_assert_nonnull(strstr(dump, "gpu[1].sm[0].issue[0] : worker flag=false width=6"));
    g_assert_nonnull(strstr(dump, "label=\"a # b\""));
    g_autofree char *why = ww_elaboration_why(e, "gpu[1].sm.width", &error);
    g_assert_cmpstr(why, ==,
                    "gpu[1].sm[*].width = 8    (sm)\n"
                    "    from -s gpu[1].sm.width=8\n"
                    "    instead of 7 from gpgpusim.config:12\n"
                    "    instead of 5 from one.conf:4\n"
                    "    instead of 4 from gpu.plat:1:22\n");
}

static void refuse(const char *values, const char *const *parts)
{
    test_refuse(gpu, values, parts);
}

static void test_refused(void)
{
    refuse("sm.widht=3",
           LINES("-s sm.widht=3: 'sm.widht' matches no parameter", "did you mean 'sm.width'?"));
    refuse("sn.width=3", LINES("did you mean 'sm.width'?"));
    refuse("foo.bar.quantum=3", LINES("matches no parameter"));
    refuse("elsewhere.age=3", LINES("matches no parameter"));
    refuse("gpu[2].sm.width=3",
           LINES("there is 'gpu.sm.width', but index of 'gpu' is 2; expected 0 to 1"));
    refuse("s[0].rate=3", LINES("there is 's.rate', but 's' is no array; expected no index"));
    refuse("width=3", LINES("'width' is ambiguous: it matches gpu[*].sm[*].width (sm), "
                            "gpu[*].sm[*].issue[*].width (worker), "
                            "gpu[*].sm[*].l1.width (board); expected a longer path"));
    refuse("quantum=3", LINES("'quantum' is ambiguous", "issue[*].policy.quantum (policy.lrr)"));
    refuse("sm.width=0", LINES("parameter 'width': 0 is out of range, expected 1 to 64 ('width' is "
                               "from -s sm.width=0)"));
    refuse("sm.issue.width=65",
           LINES("-s sm.issue.width=65: parameter 'width': 65 is out of range, expected 1 to 64"));
    refuse("gpu.sm.issue.width=x", LINES("parameter 'width': 'x' is not a whole number"));
    refuse("sm.policy=board", LINES("'board' is of family 'board'; expected one like 'policy'"));
    refuse("sm.policy=policy.gt", LINES("'policy.gt' is neither", "did you mean 'policy.gto'?"));
    refuse("sm.policy=cluster", LINES("'cluster' is a composite that does not extend it"));
    refuse("nothing", LINES("-s nothing: no '='; expected PATH=VALUE"));
    refuse("a.b=", LINES("no value for 'a.b'"));
    refuse("a..b=1", LINES("bad path 'a..b': expected a name"));
    refuse("a[1=1", LINES("bad path 'a[1': expected ']'"));
    refuse("a[x].b=1", LINES("expected an index from 0 to 65535 or '*'"));
    refuse("a[3..3].b=1", LINES("expected a range A..B"));
    refuse("a[1]=1", LINES("expected '.' and the name of a parameter"));
    refuse("a b=1", LINES("expected '.' or '['"));
    refuse("=1", LINES("expected a name"));
    refuse("a[99999999].b=1", LINES("expected an index from 0 to 65535"));
    refuse("gpu.sm.width=\xff", LINES("is not UTF-8"));
}

static void refuse_conf(const char *text, size_t length, const char *const *parts)
{
    g_autoptr(WwOverrides) o = ww_overrides_new();
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_overrides_add_conf(o, text, length, "x.conf", NULL, &error));
    for (; *parts != NULL; parts++) {
        if (strstr(error->message, *parts) == NULL) {
            g_error("'%s' is not in:\n%s", *parts, error->message);
        }
    }
}

static void test_refused_conf(void)
{
    refuse_conf(
        "a.b = 1\n  c d\n", 14,
        LINES("x.conf:2:3: no '=' in this line; expected PATH = VALUE\n      c d\n      ^"));
    refuse_conf("platform\n", 9, LINES("x.conf:1:1: 'platform'; expected 'platform NAME'"));
    refuse_conf("include", 7, LINES("x.conf:1:1: 'include'; expected 'include FILE'"));
    refuse_conf("traces ", 7, LINES("x.conf:1:1: 'traces'; expected 'traces sm_NUMBER ...'"));
    refuse_conf("opcodes", 7, LINES("x.conf:1:1: 'opcodes'; expected 'opcodes NAME'"));
    refuse_conf("not valid", 9, LINES("x.conf:1:1: 'not valid'; expected 'not validated'"));
    refuse_conf("incldue \"x\"", 11,
                LINES("x.conf:1:1: no '=' in this line; expected PATH = VALUE\n",
                      "did you mean 'include'?"));
    refuse_conf("a.b = \n", 7, LINES("x.conf:1:6: no value for 'a.b'"));
    refuse_conf("a.b# = 3\n", 9, LINES("x.conf:1:1: no '='"));
    refuse_conf(" a.[ = 1", 8,
                LINES("x.conf:1:4: bad path 'a.[': expected a name\n     a.[ = 1\n       ^"));
    refuse_conf("a\0b = 1", 7, LINES("x.conf:1:2: NUL byte"));
    refuse_conf("include nowhere.conf", 20,
                LINES("x.conf:1:1: cannot include: nowhere.conf: there is no such file"));
    g_autofree char *line = g_strnfill(10100, 'a');
    refuse_conf(line, 10100, LINES("x.conf:1:1: line of 10100 bytes; expected at most 10000"));
}

/* A value in a .conf is refused where it stands. */
static void test_place_of_value(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), gpu, strlen(gpu), "gpu.plat", NULL, &error);
    g_autoptr(WwOverrides) o = ww_overrides_new();
    const char conf[] = "\ngpu.sm.issue.width =  99 # too many\n";
    g_assert_true(ww_overrides_add_conf(o, conf, strlen(conf), "x.conf", NULL, &error));
    g_assert_null(ww_platform_elaborate(platform, o, NULL, &error));
    g_assert_cmpstr(error->message, ==,
                    "x.conf:2:23: parameter 'width': 99 is out of range, expected 1 to 64\n"
                    "    gpu.sm.issue.width =  99 # too many\n"
                    "                          ^");
}

static WwMachine *with_conf(const char *text, const char *conf, GError **error)
{
    g_autoptr(WwPlatform) platform =
        ww_platform_load_text(test_registry(), text, strlen(text), "gpu.plat", NULL, error);
    g_autoptr(WwOverrides) o = ww_overrides_new();
    g_assert_nonnull(platform);
    g_assert_true(ww_overrides_add_conf(o, conf, strlen(conf), "x.conf", NULL, error));
    return ww_platform_elaborate(platform, o, NULL, error);
}

/*
 * A config may speak of another type of the family than the one that a parameter chose: then its
 * value is left aside. It may not where the platform's text chose, nor of what no such type has.
 */
static void test_meant_for_another(void)
{
    g_autoptr(GError) error = NULL;
    g_autoptr(WwMachine) machine = with_conf(
        gpu, "issue.policy.quantum = 3\nsm.policy = policy.gto\nissue.policy.age = 2\n", &error);
    g_assert_no_error(error);
    g_autofree char *dump = test_dump(machine);
    g_assert_nonnull(strstr(dump, "gpu[1].sm[0].issue[1].policy : policy.gto age=2"));

    g_assert_null(with_conf(gpu, "sm.policy = policy.gto\nissue.policy.nothing = 3\n", &error));
    g_assert_nonnull(
        strstr(error->message, "x.conf:2:1: 'issue.policy.nothing' matches no parameter"));
    g_clear_error(&error);

    const char *slot = strstr(gpu, "$policy");
    g_autoptr(GString) chosen = g_string_new_len(gpu, slot - gpu);
    g_string_append_printf(chosen, "policy.gto%s", slot + strlen("$policy"));
    g_assert_null(with_conf(chosen->str, "issue.policy.quantum = 3\n", &error));
    g_assert_nonnull(
        strstr(error->message, "x.conf:1:1: 'issue.policy.quantum' matches no parameter"));

    /* what is said on the command line must fit */
    test_refuse(gpu, "sm.policy=policy.gto\nissue.policy.quantum=3",
                LINES("'issue.policy.quantum' matches no parameter"));
}

/* [0] of an optional member is the member, there or not; an index that a plain or empty member cannot have is told as such. */
static void test_optional_element(void)
{
    const char *text =
        "machine m { domain core = 1GHz; phases { core : core; } param p : bool = true;\n"
        "    x : source if p; y : source if not p; z[3] : source if not p; n : source; e[0] : "
        "source;\n"
        "    y[0].rate = 9; y[0..1] { rate = 8; } y[0..0].rate = 7; z[2].rate = 6; x[0].rate = 5; "
        "}\n";
    test_expect(text, "y[0].rate=2\ny[0..1].rate=2\nz[1].rate=3\nx[0].rate=4",
                LINES("x[0] : source rate=4"));
    test_expect(text, "p=false\ny[0].rate=2\nx[0].rate=4", LINES("y[0] : source rate=2"));
    test_refuse(text, "y[1].rate=2",
                LINES("'y[1].rate' matches no parameter: there is 'y.rate', but index of 'y' is 1; "
                      "expected 0 to 0"));
    test_expect(text, "p=false\nz[1..9].rate=2", /* a range ends with the array */
                LINES("z[0] : source rate=1", "z[1] : source rate=2", "z[2] : source rate=2"));
    test_refuse(text, "p=false\nz[3..9].rate=2",
                LINES("there is 'z.rate', but index of 'z' is 3; expected 0 to 2"));
    test_refuse(text, "n[0].rate=2", LINES("but 'n' is no array; expected no index"));
    test_refuse(text, "e[0..1].rate=2", LINES("but 'e' has no elements; expected no index"));
}

/* An index of the platform's text that a value from outside leaves without an element names that value. */
static void test_fewer_elements(void)
{
    const char *text =
        "machine m { domain core = 1GHz; phases { core : core; } param n : uint = 4;\n"
        "    param k : uint = n; x[k] : source; x[3].rate = 9; y : sink; x[1..4].out -> y.in; }\n";
    test_refuse(text, "n=3", LINES("index of 'x' is 3; expected 0 to 2 ('n' is 3 from -s n=3)\n"));
    test_refuse(text, "n=0",
                LINES("'x' has no elements; expected no index, or '[*]' ('n' is 0 from -s n=0)\n"));
    const char *wired =
        "machine m { domain core = 1GHz; phases { core : core; } param n : uint = 4;\n"
        "    x[n] : source; y : sink; x[1..4].out -> y.in; }\n";
    test_refuse(wired, "n=3",
                LINES("(which has 3 elements) is 4; expected 1 to 3 ('n' is 3 from -s n=3)\n"));
}

void register_overrides_tests(void)
{
    g_test_add_func("/platforms/overrides/fewer_elements", test_fewer_elements);
    g_test_add_func("/platforms/overrides/optional_element", test_optional_element);
    g_test_add_func("/platforms/overrides/meant_for_another", test_meant_for_another);
    g_test_add_func("/platforms/overrides/patterns", test_patterns);
    g_test_add_func("/platforms/overrides/whole_path_wins", test_whole_path_wins);
    g_test_add_func("/platforms/overrides/precedence", test_precedence);
    g_test_add_func("/platforms/overrides/refused", test_refused);
    g_test_add_func("/platforms/overrides/refused_conf", test_refused_conf);
    g_test_add_func("/platforms/overrides/place_of_value", test_place_of_value);
}
