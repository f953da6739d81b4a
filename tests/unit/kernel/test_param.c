/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Parameter values: what is accepted, what is refused and how, and that every text reads back.
 */
#include "tests.h"

#include <warpwright/type.h>

#include <locale.h>
#include <math.h>
#include <string.h>

static const char *const policies[] = {"lrr", "gto", "oldest", NULL};

static const WwParamRow flag = {.name = "flag", .kind = WW_PARAM_BOOL, .unit = ""};
static const WwParamRow depth = {
    .name = "depth", .kind = WW_PARAM_UINT, .unit = "entries", .min = 1, .max = 16};
static const WwParamRow any = {.name = "any", .kind = WW_PARAM_UINT, .unit = ""};
static const WwParamRow big = {.name = "big", .kind = WW_PARAM_U64, .unit = ""};
static const WwParamRow size = {.name = "size", .kind = WW_PARAM_U64, .unit = "bytes"};
static const WwParamRow wait = {.name = "wait", .kind = WW_PARAM_UINT, .unit = "cycles"};
static const WwParamRow clock_hz = {
    .name = "clock", .kind = WW_PARAM_REAL, .unit = "Hz", .min = 1, .max = 1e12};
static const WwParamRow real = {.name = "real", .kind = WW_PARAM_REAL, .unit = ""};
static const WwParamRow share = {
    .name = "share", .kind = WW_PARAM_REAL, .unit = "%", .min = 0, .max = 100};
static const WwParamRow text = {.name = "text", .kind = WW_PARAM_STRING, .unit = ""};
static const WwParamRow policy = {
    .name = "policy", .kind = WW_PARAM_CHOICE, .unit = "", .choices = policies};
static const WwParamRow list = {
    .name = "list", .kind = WW_PARAM_LIST, .unit = "", .min = 0, .max = 100};
static const WwParamRow sizes = {.name = "sizes", .kind = WW_PARAM_LIST, .unit = "bytes"};

static WwValue parse(const WwParamRow *row, const char *in)
{
    WwValue value;
    GError *error = NULL;
    if (!ww_value_parse(row, in, &value, &error)) {
        g_error("'%s' refused: %s", in, error->message);
    }
    g_assert_true(ww_value_check(row, &value, &error));
    g_assert_no_error(error);
    return value;
}

static void whole(void)
{
    static const struct {
        const WwParamRow *row;
        const char *in;
        uint64_t out;
    } cases[] = {
        {&depth, "1", 1},
        {&depth, " 16 ", 16},
        {&depth, "3 entries", 3},
        {&depth, "1 entry", 1},
        {&depth, "0x0F", 15},
        {&depth, "007", 7},
        {&any, "0", 0},
        {&any, "4294967295", UINT32_MAX},
        {&any, "0xffffffff", UINT32_MAX},
        {&any, "2.0", 2},
        {&big, "18446744073709551615", UINT64_MAX},
        {&big, "0xFFFFFFFFFFFFFFFF", UINT64_MAX},
        {&size, "100", 100},
        {&size, "100 B", 100},
        {&size, "100bytes", 100},
        {&size, "128KiB", 131072},
        {&size, "1.5 KiB", 1536},
        {&size, "0x10 MiB", 16 << 20},
        {&size, "2 GiB", 2ull << 30},
        {&size, "17179869183.5 GiB", UINT64_MAX - (1u << 29) + 1},
        {&wait, "20 cycles", 20},
        {&wait, "1 cycle", 1},
        {&wait, "1\tcycle", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpuint(parse(cases[i].row, cases[i].in).u, ==, cases[i].out);
    }
}

static void reals(void)
{
    static const struct {
        const WwParamRow *row;
        const char *in;
        double out;
    } cases[] = {
        {&real, "0", 0},
        {&real, "-0.0", 0},
        {&real, "1.5", 1.5},
        {&real, "+2", 2},
        {&real, "-1e-3", -1e-3},
        {&real, "1e308", 1e308},
        {&real, "1E+2", 100},
        {&share, "25 %", 25},
        {&share, "25%", 25},
        {&clock_hz, "1132 MHz", 1132 * 1e6},
        {&clock_hz, "1.132GHz", 1.132 * 1e9},
        {&clock_hz, "3500.5MHz", 3500.5 * 1e6},
        {&clock_hz, "32 kHz", 32000},
        {&clock_hz, "5e6", 5e6},
        {&clock_hz, "5e6 Hz", 5e6},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpfloat(parse(cases[i].row, cases[i].in).r, ==, cases[i].out);
    }
}

static void words(void)
{
    static const char *const yes[] = {"true", "yes", "on", "1", " true\n"};
    static const char *const no[] = {"false", "no", "off", "0"};
    for (size_t i = 0; i < G_N_ELEMENTS(yes); i++) {
        g_assert_true(parse(&flag, yes[i]).b);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(no); i++) {
        g_assert_false(parse(&flag, no[i]).b);
    }
    g_assert_cmpuint(parse(&policy, "lrr").u, ==, 0);
    g_assert_cmpuint(parse(&policy, "oldest").u, ==, 2);
}

static void strings(void)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"", ""},         {"plain", "plain"}, {" kept ", " kept "},
        {"\"\"", ""},     {"\"a b\"", "a b"}, {"  \" a\\\"b\\\\c\\n\\t\" ", " a\"b\\c\n\t"},
        {"a\"b", "a\"b"}, {"a\\n", "a\\n"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WwValue value = parse(&text, cases[i].in);
        g_assert_cmpstr(value.s, ==, cases[i].out);
        ww_value_clear(&value);
        g_assert_null(value.s);
        ww_value_clear(&value);
    }
}

static void lists(void)
{
    static const char *const same[] = {"[1, 2, 30]", "1,2,30", " [ 1 ,2, 0x1e ] ", "1 , 2,30"};
    for (size_t i = 0; i < G_N_ELEMENTS(same); i++) {
        WwValue value = parse(&list, same[i]);
        g_assert_cmpuint(value.list.n, ==, 3);
        g_assert_cmpuint(value.list.v[0], ==, 1);
        g_assert_cmpuint(value.list.v[1], ==, 2);
        g_assert_cmpuint(value.list.v[2], ==, 30);
        ww_value_clear(&value);
    }
    WwValue value = parse(&list, "[ ]");
    g_assert_cmpuint(value.list.n, ==, 0);
    ww_value_clear(&value);
    value = parse(&sizes, "[1 KiB, 32B]");
    g_assert_cmpuint(value.list.v[0], ==, 1024);
    g_assert_cmpuint(value.list.v[1], ==, 32);
    ww_value_clear(&value);
}

static void refused(void)
{
    static const struct {
        const WwParamRow *row;
        const char *in, *message;
    } cases[] = {
        {&depth, "0", "parameter 'depth': 0 is out of range, expected 1 to 16 entries"},
        {&depth, "17 entries", "17 is out of range, expected 1 to 16 entries"},
        {&depth, "-3", "-3 is out of range, expected 1 to 16 entries"},
        {&depth, "", "'' is not a whole number"},
        {&depth, "x", "'x' is not a whole number"},
        {&depth, "3 cycles", "unit 'cycles' does not fit, expected entries, entry or none"},
        {&depth, "3 entires", "did you mean 'entries'?"},
        {&any, "3 B", "expected a number without unit"},
        {&any, "1_000", "'1_000' is not a whole number"},
        {&any, "1e3", "'1e3' is not a whole number"},
        {&any, "1.5", "'1.5' is not a whole number"},
        {&any, "1.", "'1.' is not a whole number"},
        {&any, "+1", "'+1' is not a whole number"},
        {&any, "- 1", "'- 1' is not a whole number"},
        {&any, "0x", "'0x' is not a whole number"},
        {&any, "1 2", "'1 2' is not a whole number"},
        {&any, "4294967296", "out of range, expected 0 to 4294967295"},
        {&any, "99999999999999999999999", "99999999999999999999999 is out of range"},
        {&big, "18446744073709551616", "out of range, expected 0 to 18446744073709551615"},
        {&big, "0x10000000000000000", "out of range"},
        {&size, "17179869184 GiB", "17179869184 GiB is out of range"},
        {&size, "1.3 KiB", "'1.3 KiB' is not a whole number"},
        {&size, "4 KB", "unit 'KB' does not fit, expected GiB, MiB, KiB, B"},
        {&size, "4 KB", "did you mean 'KiB'?"},
        {&size, "4K", "did you mean 'KiB'?"},
        {&size, "4mb", "did you mean 'MiB'?"},
        {&size, "4 Gib", "did you mean 'GiB'?"},
        {&clock_hz, "0", "0 is out of range, expected 1 to 1000000000000 Hz"},
        {&clock_hz, "2 mhz", "did you mean 'MHz'?"},
        {&clock_hz, "2000 GHz", "out of range"},
        {&share, "100.5", "100.5 is out of range, expected 0 to 100 %"},
        {&share, "5 %%", "'5 %%' is not a number"},
        {&real, "nan", "'nan' is not a number"},
        {&real, "inf", "'inf' is not a number"},
        {&real, "-inf", "'-inf' is not a number"},
        {&real, "0x10", "'0x10' is not a number"},
        {&real, "1,5", "'1,5' is not a number"},
        {&real, ".5", "'.5' is not a number"},
        {&real, "1.5.2", "'1.5.2' is not a number"},
        {&real, "1e", "unit 'e' does not fit"},
        {&real, "1e999", "1e999 is out of range"},
        {&real, "1e-999", "1e-999 is out of range"},
        {&flag, "True", "'True' is not true or false"},
        {&flag, "2", "'2' is not true or false"},
        {&policy, "gtp", "'gtp' is unknown, expected lrr, gto or oldest; did you mean 'gto'?"},
        {&policy, "GTO", "did you mean 'gto'?"},
        {&policy, "", "'' is unknown, expected lrr, gto or oldest"},
        {&list, "", "is not a list"},
        {&list, "[1, 2", "is not a list"},
        {&list, "1]", "is not a list"},
        {&list, "[", "is not a list"},
        {&list, "[1,,2]", "an entry is empty"},
        {&list, "[1,]", "an entry is empty"},
        {&list, "[1, 101]", "101 is out of range, expected 0 to 100"},
        {&list, "[[1]]", "'[1]' is not a whole number"},
        {&text, "\"abc", "expected one '\"' at its end"},
        {&text, "\"", "expected one '\"' at its end"},
        {&text, "\"a\"b", "expected one '\"' at its end"},
        {&text, "\"\\x\"", "expected '\"', '\\', 'n' or 't'"},
        {&text, "\"\\", "expected '\"', '\\', 'n' or 't'"},
        {&any, "two\nlines\x80\x01", "'two?lines?"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WwValue value;
        GError *error = NULL;
        if (ww_value_parse(cases[i].row, cases[i].in, &value, &error)) {
            g_error("'%s' was accepted", cases[i].in);
        }
        test_assert_error(&error, WW_ERROR_USAGE, cases[i].message);
        g_assert_false(ww_value_parse(cases[i].row, cases[i].in, &value, NULL));
        ww_value_clear(&value); /* Harmless after a failure. */
    }
}

/** A message stays short however long the text. */
static void refused_long(void)
{
    g_autofree char *digits = g_strnfill(10000, '9');
    g_autofree char *letters = g_strconcat(digits, "zzzz", digits, NULL);
    static const WwParamRow *const rows[] = {&any, &big, &real, &flag, &policy, &list, &size};
    for (size_t i = 0; i < G_N_ELEMENTS(rows); i++) {
        GError *error = NULL;
        WwValue value;
        g_assert_false(ww_value_parse(rows[i], digits, &value, &error));
        g_assert_cmpuint(strlen(error->message), <, 200);
        g_clear_error(&error);
        g_assert_false(ww_value_parse(rows[i], letters, &value, &error));
        g_assert_cmpuint(strlen(error->message), <, 200);
        g_clear_error(&error);
    }
}

static void check(void)
{
    const uint32_t entries[] = {1, 101};
    const struct {
        const WwParamRow *row;
        WwValue value;
        const char *message;
    } cases[] = {
        {&depth, {.kind = WW_PARAM_UINT, .u = 0}, "0 is out of range"},
        {&depth, {.kind = WW_PARAM_U64, .u = 3}, "another kind"},
        {&any, {.kind = WW_PARAM_UINT, .u = 1ull << 32}, "out of range"},
        {&real, {.kind = WW_PARAM_REAL, .r = NAN}, "out of range"},
        {&real, {.kind = WW_PARAM_REAL, .r = INFINITY}, "out of range"},
        {&share, {.kind = WW_PARAM_REAL, .r = -1}, "out of range"},
        {&text, {.kind = WW_PARAM_STRING, .s = NULL}, "no text"},
        {&policy, {.kind = WW_PARAM_CHOICE, .u = 3}, "expected less than 3"},
        {&list, {.kind = WW_PARAM_LIST, .list = {2, entries}}, "101 is out of range"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        GError *error = NULL;
        g_assert_false(ww_value_check(cases[i].row, &cases[i].value, &error));
        test_assert_error(&error, WW_ERROR_USAGE, cases[i].message);
    }
}

/* ---- reading back ---------------------------------------------------------------------------- */

static void assert_reads_back(const WwParamRow *row, const WwValue *value)
{
    g_autofree char *as_text = ww_value_text(row, value);
    WwValue again = parse(row, as_text);
    switch (row->kind) {
    case WW_PARAM_BOOL:
        g_assert_cmpint(again.b, ==, value->b);
        break;
    case WW_PARAM_REAL:
        g_assert_cmpmem(&again.r, sizeof again.r, &value->r, sizeof value->r);
        break;
    case WW_PARAM_STRING:
        g_assert_cmpstr(again.s, ==, value->s);
        break;
    case WW_PARAM_LIST:
        g_assert_cmpmem(again.list.v, again.list.n * sizeof(uint32_t), value->list.v,
                        value->list.n * sizeof(uint32_t));
        break;
    default:
        g_assert_cmpuint(again.u, ==, value->u);
    }
    ww_value_clear(&again);
}

static uint64_t random_u64(void)
{
    uint64_t bits = (uint64_t)g_test_rand_int() << 32 | (uint32_t)g_test_rand_int();
    bits >>= g_test_rand_int_range(0, 64);
    return g_test_rand_bit() ? bits : bits << g_test_rand_int_range(0, 20);
}

static double random_real(void)
{
    double value;
    do {
        uint64_t bits = (uint64_t)g_test_rand_int() << 32 | (uint32_t)g_test_rand_int();
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return value;
}

static void round_trip(void)
{
    for (int i = 0; i < 20000; i++) {
        WwValue value = {.kind = WW_PARAM_U64, .u = random_u64()};
        assert_reads_back(&big, &value);
        assert_reads_back(&size, &value);
        value = (WwValue){.kind = WW_PARAM_UINT, .u = random_u64() & UINT32_MAX};
        assert_reads_back(&any, &value);
        assert_reads_back(&wait, &value);
        value = (WwValue){.kind = WW_PARAM_REAL, .r = random_real()};
        assert_reads_back(&real, &value);
        value.r = g_test_rand_int_range(1, 100000) / 8.0 * (g_test_rand_bit() ? 1e6 : 1e3);
        assert_reads_back(&clock_hz, &value);
        value.r = 1 + fabs(random_real());
        value.r = fmin(value.r, 1e12);
        assert_reads_back(&clock_hz, &value);
        uint32_t entries[5];
        value = (WwValue){.kind = WW_PARAM_LIST,
                          .list = {(uint32_t)g_test_rand_int_range(0, 6), entries}};
        for (uint32_t k = 0; k < value.list.n; k++) {
            entries[k] = (uint32_t)random_u64();
        }
        assert_reads_back(&sizes, &value);
        char letters[12] = "";
        for (int k = g_test_rand_int_range(0, 11); k > 0; k--) {
            letters[k - 1] = "\"\\\n\t aA0,[]%"[g_test_rand_int_range(0, 12)];
            letters[k - 1] = letters[k - 1] == '\0' ? 'z' : letters[k - 1];
        }
        value = (WwValue){.kind = WW_PARAM_STRING, .s = letters};
        assert_reads_back(&text, &value);
    }
    for (uint64_t u = 0; u < 3; u++) {
        assert_reads_back(&policy, &(WwValue){.kind = WW_PARAM_CHOICE, .u = u});
        assert_reads_back(&flag, &(WwValue){.kind = WW_PARAM_BOOL, .b = u == 0});
    }
}

static void texts(void)
{
    const struct {
        const WwParamRow *row;
        WwValue value;
        const char *out;
    } cases[] = {
        {&size, {.kind = WW_PARAM_U64, .u = 131072}, "128 KiB"},
        {&size, {.kind = WW_PARAM_U64, .u = 131073}, "131073"},
        {&size, {.kind = WW_PARAM_U64, .u = 0}, "0"},
        {&depth, {.kind = WW_PARAM_UINT, .u = 4}, "4"},
        {&clock_hz, {.kind = WW_PARAM_REAL, .r = 1132 * 1e6}, "1.132 GHz"},
        {&clock_hz, {.kind = WW_PARAM_REAL, .r = 850 * 1e6}, "850 MHz"},
        {&clock_hz, {.kind = WW_PARAM_REAL, .r = 850123456}, "850.123456 MHz"},
        {&real, {.kind = WW_PARAM_REAL, .r = 0.1}, "0.1"},
        {&policy, {.kind = WW_PARAM_CHOICE, .u = 1}, "gto"},
        {&list, {.kind = WW_PARAM_LIST, .list = {0, NULL}}, "[]"},
        {&text, {.kind = WW_PARAM_STRING, .s = "a \"b\""}, "\"a \\\"b\\\"\""},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *out = ww_value_text(cases[i].row, &cases[i].value);
        g_assert_cmpstr(out, ==, cases[i].out);
    }
}

/** Random bytes are refused or accepted, never worse. */
static void garbage(void)
{
    static const WwParamRow *const rows[] = {&flag, &depth,  &any,  &big,  &size,  &wait,
                                             &text, &policy, &list, &real, &share, &clock_hz};
    static const char alphabet[] = "0123456789.+-xXeE,[] \"\\%BKMGizH\t_\x80truefalsgo";
    for (int i = 0; i < 100000; i++) {
        char in[16] = "";
        int n = g_test_rand_int_range(0, 15);
        for (int k = 0; k < n; k++) {
            in[k] = alphabet[g_test_rand_int_range(0, sizeof alphabet - 1)];
        }
        const WwParamRow *row = rows[g_test_rand_int_range(0, G_N_ELEMENTS(rows))];
        WwValue value;
        g_autoptr(GError) error = NULL;
        if (ww_value_parse(row, in, &value, &error)) {
            assert_reads_back(row, &value);
        } else {
            g_assert_nonnull(error);
            g_assert_null(strchr(error->message, '\n'));
        }
        ww_value_clear(&value);
    }
}

/** A locale with a decimal comma changes nothing. Skipped where none is installed. */
static void locale(void)
{
    if (setlocale(LC_ALL, "de_DE.UTF-8") == NULL && setlocale(LC_ALL, "fr_FR.UTF-8") == NULL) {
        g_test_skip("no locale with a decimal comma");
        return;
    }
    g_assert_cmpfloat(parse(&real, "1.5").r, ==, 1.5);
    WwValue half = {.kind = WW_PARAM_REAL, .r = 0.5};
    g_autofree char *out = ww_value_text(&real, &half);
    g_assert_cmpstr(out, ==, "0.5");
    setlocale(LC_ALL, "C");
}

void test_param_register(void)
{
    g_test_add_func("/kernel/param/whole", whole);
    g_test_add_func("/kernel/param/reals", reals);
    g_test_add_func("/kernel/param/words", words);
    g_test_add_func("/kernel/param/strings", strings);
    g_test_add_func("/kernel/param/lists", lists);
    g_test_add_func("/kernel/param/refused", refused);
    g_test_add_func("/kernel/param/refused-long", refused_long);
    g_test_add_func("/kernel/param/check", check);
    g_test_add_func("/kernel/param/texts", texts);
    g_test_add_func("/kernel/param/round-trip", round_trip);
    g_test_add_func("/kernel/param/garbage", garbage);
    g_test_add_func("/kernel/param/locale", locale);
}
