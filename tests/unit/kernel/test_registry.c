/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The registry, and the check of descriptors: each rule is shown a descriptor that breaks only it.
 */
#include "tests.h"

#include <warpwright/component.h>
#include <warpwright/machine.h>

#include <math.h>
#include <string.h>

/* ---- a good type, with a row of every sort --------------------------------------------------- */

static const char *const ranks[] = {"early", "late", NULL};
static const WwContract tokens = {.name = "tokens", .kind = WW_CHANNEL, .channel = "fifo"};
static const WwContract calls = {.name = "calls", .kind = WW_INTERFACE, .ranks = ranks};
static const char *const colours[] = {"red", "green", NULL};
static const char *const labels[] = {"one", "two", "three"};
static const int functions;

typedef struct Table {
    void (*always)(void), (*maybe)(void), (*beside)(void);
} Table;

static const WwFunctionRow listed_functions[] = {
    WW_FUNCTION(Table, always),
    WW_FUNCTION_OR(Table, maybe, "never"),
    WW_FUNCTION_WITH(Table, beside, maybe),
    {0},
};
static const WwContract listed = {
    .name = "listed", .kind = WW_INTERFACE, .functions = listed_functions};

static void do_nothing(void) {}

typedef struct Part {
    WwComponent base;
    /* parameters */
    bool flag;
    uint32_t depth;
    uint64_t bytes;
    double ratio;
    const char *label;
    uint32_t colour;
    WwList list;
    /* ports */
    WwPort in;
    WwPort out[4];
    uint32_t n_out;
    WwPort needs;
    WwProvided offers;
    /* statistics */
    uint64_t moved;
    uint64_t most;
    uint64_t causes[3];
    uint64_t lengths[8];
} Part;

static WwRest part_tick(void *self)
{
    (void)self;
    return WW_SLEEP;
}

static const WwParamRow part_params[] = {
    WW_BOOL(Part, flag, "true", "A flag."),
    WW_UINT(Part, depth, "entries", "4", 1, 16, "A depth."),
    WW_U64(Part, bytes, "bytes", "1 KiB", 0, 0, "A size."),
    WW_REAL(Part, ratio, "%", "12.5", 0, 100, "A share."),
    WW_STRING(Part, label, "", "A text."),
    WW_CHOICE(Part, colour, "green", colours, "A choice."),
    WW_LIST(Part, list, "cycles", "[1, 2]", 0, 9, "A list."),
    {0},
};
static const WwPortRow part_ports[] = {
    WW_PORT_IN(Part, in, &tokens, 1, "Takes."),
    WW_PORT_ARRAY(Part, out, WW_OUT, &tokens, 0, NULL, "Gives."),
    WW_PORT_REQUIRES(Part, needs, &calls, 0, "late", "Calls."),
    WW_PORT_PROVIDES(Part, offers, &calls, &functions, "Is called."),
    {0},
};
static const WwStatRow part_stats[] = {
    WW_COUNTER(Part, moved, "tokens", "Moved."),
    WW_MAXIMUM(Part, most, "tokens", "Most."),
    WW_VECTOR(Part, causes, "", labels, "Causes."),
    WW_HISTOGRAM(Part, lengths, "tokens", "Lengths."),
    {0},
};
static const WwEntryRow part_entries[] = {
    {.name = "work", .phase = "core", .tick = part_tick, .doc = "Works."},
    {0},
};

/** A copy of the good type whose rows a test may spoil. */
typedef struct Draft {
    WwType type;
    WwParamRow params[8];
    WwPortRow ports[5];
    WwStatRow stats[5];
    WwEntryRow entries[3];
} Draft;

enum { FLAG, DEPTH, BYTES, RATIO, LABEL, COLOUR, LIST };
enum { IN, OUT, NEEDS, OFFERS };
enum { MOVED, MOST, CAUSES, LENGTHS };

static void draft_init(Draft *d)
{
    memset(d, 0, sizeof *d);
    d->type = (WwType){.abi = WW_ABI_VERSION,
                       .name = "test.part",
                       .doc = "A part for tests.",
                       .family = "test",
                       .size = sizeof(Part),
                       .params = d->params,
                       .ports = d->ports,
                       .stats = d->stats,
                       .entries = d->entries};
    memcpy(d->params, part_params, sizeof part_params);
    memcpy(d->ports, part_ports, sizeof part_ports);
    memcpy(d->stats, part_stats, sizeof part_stats);
    memcpy(d->entries, part_entries, sizeof part_entries);
}

static void good(void)
{
    Draft d;
    GError *error = NULL;
    draft_init(&d);
    g_assert_true(ww_type_check(&d.type, &error));
    g_assert_no_error(error);
    d.type.flags =
        WW_TYPE_FAULTY | WW_TYPE_FAKE | WW_TYPE_SERIAL | WW_TYPE_STOPS | WW_TYPE_NOT_SAVED;
    g_assert_true(ww_type_check(&d.type, &error));
    g_assert_no_error(error);
    WwType bare = {.abi = WW_ABI_VERSION,
                   .name = "bare",
                   .doc = "Nothing.",
                   .family = "test",
                   .size = sizeof(WwComponent)};
    g_assert_true(ww_type_check(&bare, &error));
    g_assert_no_error(error);
}

#define REFUSED(what, message)                                                                     \
    do {                                                                                           \
        Draft d;                                                                                   \
        GError *error = NULL;                                                                      \
        draft_init(&d);                                                                            \
        what;                                                                                      \
        if (ww_type_check(&d.type, &error)) {                                                      \
            g_error("accepted: " #what);                                                           \
        }                                                                                          \
        test_assert_error(&error, WW_ERROR_MODULE, message);                                       \
    } while (0)

static void bad_heads(void)
{
    REFUSED(d.type.abi = WW_ABI_VERSION + 1, "interface version 17, expected 16");
    REFUSED(d.type.abi = 0, "has no abi, expected WW_ABI_VERSION (16)");
    REFUSED(d.type.name = NULL, "no name");
    static const char *const bad[] = {"",    "Test", "a.b.c", ".a",  "a.",  "1a",
                                      "a-b", "a b",  "_a",    "a.1", "a/b", "\xc3\xa4"};
    for (size_t i = 0; i < G_N_ELEMENTS(bad); i++) {
        REFUSED(d.type.name = bad[i], "bad name");
    }
    REFUSED(d.type.name = "a23456789012345678901234567890123456789012345678901234567890abcd",
            "bad name");
    REFUSED(d.type.doc = NULL, "type 'test.part': no doc");
    REFUSED(d.type.doc = "", "bad doc");
    REFUSED(d.type.doc = "two\nlines", "bad doc, expected one line");
    REFUSED(d.type.size = (size_t)1 << 40, "size 1099511627776, expected at most 1073741824");
    REFUSED(d.type.family = NULL, "bad family");
    REFUSED(d.type.family = "Test", "bad family");
    REFUSED(d.type.flags = 1u << 20, "flags 0x100000 are unknown");
    REFUSED(d.type.conserves = (WwConserves)9, "conserves 9");
    REFUSED(d.type.size = sizeof(WwComponent) - 1, "begins with WwComponent");
    REFUSED((d.type.flags = WW_TYPE_CHANNEL, d.type.size = sizeof(WwChannel) - 1),
            "begins with WwChannel");
}

static void bad_params(void)
{
    REFUSED(d.params[DEPTH].name = "Depth", "parameter 'Depth': bad name");
    REFUSED(d.params[DEPTH].name = "flag", "parameter 'flag': there are two");
    REFUSED(d.params[DEPTH].doc = NULL, "parameter 'depth': no doc");
    REFUSED(d.params[DEPTH].kind = (WwParamKind)99, "kind 99");
    REFUSED(d.params[DEPTH].unit = NULL, "unit 'NULL' is unknown");
    REFUSED(d.params[DEPTH].unit = "warps", "unit 'warps' is unknown");
    REFUSED(d.params[DEPTH].min = 17, "expected min <= max");
    REFUSED(d.params[DEPTH].max = NAN, "expected min <= max");
    REFUSED(d.params[DEPTH].max = INFINITY, "expected min <= max");
    REFUSED(d.params[DEPTH].min = -1, "never negative");
    REFUSED(d.params[DEPTH].max = 5e9, "does not fit the field");
    REFUSED(d.params[DEPTH].def = "0", "bad default of parameter 'depth': 0 is out of range");
    REFUSED(d.params[DEPTH].def = "four", "bad default of parameter 'depth': 'four'");
    REFUSED(d.params[COLOUR].def = "blue", "bad default of parameter 'colour'");
    REFUSED(d.params[LIST].def = "[1, 10]", "bad default of parameter 'list'");
    REFUSED(d.params[FLAG].max = 1, "only numbers have a range");
    REFUSED(d.params[LABEL].unit = "bytes", "only numbers have a range or a unit");
    static const WwGoneRow still_there[] = {{"depth", "elsewhere"}, {0}};
    REFUSED(d.type.gone = still_there, "parameter 'depth' is gone");
    static const WwGoneRow first_of_all[] = {{"flag", "elsewhere"}, {0}};
    REFUSED(d.type.gone = first_of_all, "parameter 'flag' is gone");
    static const WwGoneRow unsaid[] = {{"width", NULL}, {0}};
    REFUSED(d.type.gone = unsaid, "parameter 'width' is gone");
    REFUSED(d.params[COLOUR].choices = NULL, "needs choices");
    REFUSED(d.params[COLOUR].choices = colours + 2, "needs choices");
    static const char *const twice[] = {"green", "green", NULL};
    REFUSED(d.params[COLOUR].choices = twice, "'green' is there twice");
    static const char *const hole[] = {"green", "", NULL};
    REFUSED(d.params[COLOUR].choices = hole, "a choice is empty");
    REFUSED(d.params[DEPTH].choices = colours, "only a CHOICE has choices");
}

static void bad_offsets(void)
{
    REFUSED(d.params[DEPTH].offset = 0, "lies in the head of the state");
    REFUSED(d.params[DEPTH].offset = sizeof(Part), "do not fit the state");
    REFUSED(d.params[DEPTH].offset = sizeof(Part) - 2, "do not fit the state");
    REFUSED(d.params[DEPTH].offset = SIZE_MAX - 3, "do not fit the state");
    REFUSED(d.params[DEPTH].offset++, "not a multiple of 4");
    REFUSED(d.params[DEPTH].offset = d.params[COLOUR].offset, "share a field");
    REFUSED(d.params[BYTES].offset = d.stats[MOVED].offset,
            "parameter 'bytes' and statistic 'moved' share a field");
    REFUSED(d.stats[MOVED].offset = d.ports[OUT].offset + 2 * sizeof(WwPort), "share a field");
    REFUSED((d.stats[CAUSES].labels = NULL, d.stats[CAUSES].n++), "share a field");
    REFUSED(d.ports[OUT].max++, "share a field");
    REFUSED(d.ports[OUT].count_offset = d.params[DEPTH].offset,
            "parameter 'depth' and count of port 'out' share a field");
    REFUSED(d.ports[IN].offset += 4, "not a multiple of 8");
    REFUSED(d.stats[LENGTHS].n = UINT32_MAX, "do not fit the state");
}

/** Two fields of a channel's head are parameters; nothing else of it is. */
static void channel_fields(void)
{
    typedef struct Channel {
        WwChannel ch;
        uint64_t puts;
    } Channel;
    WwParamRow params[] = {
        {.name = "same",
         .kind = WW_PARAM_BOOL,
         .unit = "",
         .def = "false",
         .doc = "Same.",
         .offset = offsetof(Channel, ch.same)},
        {.name = "latency",
         .kind = WW_PARAM_UINT,
         .unit = "cycles",
         .def = "0",
         .doc = "Latency.",
         .offset = offsetof(Channel, ch.latency)},
        {0},
    };
    WwType type = {.abi = WW_ABI_VERSION,
                   .name = "channel",
                   .doc = "A channel.",
                   .family = "channel",
                   .flags = WW_TYPE_CHANNEL,
                   .size = sizeof(Channel),
                   .params = params};
    GError *error = NULL;
    g_assert_true(ww_type_check(&type, &error));
    g_assert_no_error(error);
    params[1].offset = offsetof(Channel, ch.n_readers);
    g_assert_false(ww_type_check(&type, &error));
    test_assert_error(&error, WW_ERROR_MODULE, "head of the state");
    type.flags = 0;
    params[1].offset = offsetof(Channel, puts);
    g_assert_true(ww_type_check(&type, &error));
}

static void bad_ports(void)
{
    REFUSED(d.ports[IN].name = "In", "bad name");
    REFUSED(d.ports[IN].name = "out", "port 'out': there are two");
    REFUSED(d.ports[IN].name = "depth", "a parameter has this name");
    REFUSED(d.ports[IN].doc = "", "no doc");
    REFUSED(d.ports[IN].contract = NULL, "no contract");
    REFUSED(d.ports[IN].role = (WwPortRole)7, "role 7");
    REFUSED(d.ports[IN].contract = &calls,
            "contract 'calls' is an interface, expected a channel's");
    REFUSED(d.ports[NEEDS].contract = &tokens,
            "contract 'tokens' is a channel's, expected an inter");
    REFUSED(d.ports[IN].rank = "late", "contract 'tokens' has no rank 'late'");
    REFUSED(d.ports[NEEDS].rank = "never", "contract 'calls' has no rank 'never'");
    REFUSED((d.ports[NEEDS].role = WW_PROVIDES, d.ports[NEEDS].table = &functions,
             d.ports[NEEDS].rank = NULL),
            "provide the same contract 'calls'");
    REFUSED(d.ports[OFFERS].rank = "never", "a rank is a caller's; expected it in the row of an");
    REFUSED(d.entries[0].rank = "never", "entry point 'work': '(none)' is no PROVIDES port");
    REFUSED((d.entries[0].port = d.ports[OFFERS].name, d.ports[OFFERS].contract = NULL),
            "no contract");
    REFUSED(d.entries[0].port = "in", "entry point 'work': 'in' is no PROVIDES port");
    REFUSED(d.entries[0].port = d.ports[OFFERS].name, "contract 'calls' has no rank '(none)'");
    REFUSED(d.ports[OFFERS].table = NULL, "PROVIDES needs a function table");
    REFUSED(d.ports[NEEDS].table = &functions, "only PROVIDES has a function table");
    REFUSED(d.ports[IN].entry = "play", "no entry point 'play'");
    REFUSED(d.ports[IN].min = 2, "min 2 <= max 1");
    REFUSED(d.ports[IN].max = 0, "bad number of peers");
    REFUSED(d.ports[OUT].count_offset = 0, "needs a count field");
    REFUSED(d.ports[OFFERS].count_offset = d.ports[OUT].count_offset, "has no count field");
    REFUSED((d.ports[OFFERS].max = 1, d.ports[OFFERS].min = 2), "min 2 <= max 1");
}

/* A table that leaves out what its contract has no use for does, one that leaves out more does not. */
static void bad_tables(void)
{
    static const Table whole = {do_nothing, do_nothing, do_nothing}, least = {.always = do_nothing},
                       none = {0}, half = {do_nothing, do_nothing, NULL};
    static WwPortRow row[] = {
        {.name = "offers", .role = WW_PROVIDES, .contract = &listed, .doc = "Is called."}, {0}};
    struct {
        WwComponent base;
        WwProvided offers;
    } part;
    WwType type = {.abi = WW_ABI_VERSION,
                   .name = "test.tables",
                   .doc = "Has a table.",
                   .family = "test",
                   .size = sizeof part,
                   .ports = row};
    row[0].offset = sizeof part.base;
    const struct {
        const Table *table;
        const char *says;
    } given[] = {
        {&whole, NULL},
        {&least, NULL},
        {&none, "port 'offers': no function 'always' of contract 'listed'; expected it in the "
                "port's table"},
        {&half, "port 'offers': no function 'beside' of contract 'listed'; expected it beside "
                "maybe"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(given); i++) {
        g_autoptr(GError) error = NULL;
        row[0].table = given[i].table;
        g_assert_cmpint(ww_type_check(&type, &error), ==, given[i].says == NULL);
        g_assert_true(error == NULL || g_str_has_suffix(error->message, given[i].says));
    }
}

static void bad_stats(void)
{
    REFUSED(d.stats[MOVED].name = "most", "statistic 'most': there are two");
    REFUSED(d.stats[MOVED].doc = NULL, "no doc");
    REFUSED(d.stats[MOVED].kind = (WwStatKind)8, "kind 8");
    REFUSED(d.stats[MOVED].unit = NULL, "no unit");
    REFUSED(d.stats[MOVED].n = 2, "length 2, expected 1");
    REFUSED(d.stats[CAUSES].n = 0, "length 0, expected at least 1");
    REFUSED(d.stats[LENGTHS].labels = labels, "only a vector has labels");
    static const char *const hole[] = {"one", "", "three"};
    REFUSED(d.stats[CAUSES].labels = hole, "label 1 of 3 is missing");
    static const char *const few[] = {"one", "two", NULL};
    REFUSED(d.stats[CAUSES].labels = few, "label 2 of 3 is missing");
    static const char *const twice[] = {"one", "two", "one"};
    REFUSED(d.stats[CAUSES].labels = twice, "there are two labels 'one'");
    REFUSED(d.stats[CAUSES].offset = d.stats[LENGTHS].offset + 6 * sizeof(uint64_t),
            "do not fit the state");
}

static void bad_entries(void)
{
    REFUSED(d.entries[0].tick = NULL, "no tick function");
    REFUSED(d.entries[0].phase = NULL, "no phase");
    REFUSED(d.entries[0].phase = "", "no phase");
    REFUSED(d.entries[0].doc = NULL, "no doc");
    REFUSED(d.entries[0].name = "W", "bad name");
    REFUSED(d.entries[0].tick_bound = d.entries[0].tick, "come together");
    REFUSED(d.entries[0].bound = "port", "come together");
    REFUSED(d.entries[1] = d.entries[0], "entry point 'work': there are two");
}

static char *half(char *at, uint64_t value)
{
    return ww_event_number(at, value);
}

static void bad_events(void)
{
    static const WwEventKept only_keep = {.keep = half};
    static const WwEventField number = {.name = "n",
                                        .unit = "",
                                        .doc = "a number",
                                        .form = WW_EVENT_NUMBER,
                                        .kept = &ww_event_value},
                              parts = {.name = "n",
                                       .unit = "",
                                       .doc = "a number",
                                       .form = WW_EVENT_PARTS,
                                       .write = half,
                                       .kept = &only_keep};
    static const WwEventRow of_number[] = {{"moved", "", "It moved.", {&number}}, {0}},
                            of_parts[] = {{"moved", "", "It moved.", {&parts}}, {0}};
    static const WwPayload payload = {.name = "half", .kept = &only_keep};
    WwContract contract = tokens;
    contract.payload = &payload;
    REFUSED(d.type.events = of_number,
            "event 'moved': field 'n' says how it is kept and is not of parts");
    REFUSED(d.type.events = of_parts,
            "event 'moved': field 'n' is kept without both keep() and tell()");
    REFUSED(d.ports[IN].contract = &contract,
            "port 'in': payload 'half' is kept without both keep() and tell()");
}

static void rows(void)
{
    Draft d;
    draft_init(&d);
    g_assert_cmpint(ww_type_param(&d.type, "flag"), ==, FLAG);
    g_assert_cmpint(ww_type_param(&d.type, "list"), ==, LIST);
    g_assert_cmpint(ww_type_param(&d.type, "out"), ==, -1);
    g_assert_cmpint(ww_type_port(&d.type, "offers"), ==, OFFERS);
    g_assert_cmpint(ww_type_stat(&d.type, "lengths"), ==, LENGTHS);
    g_assert_cmpint(ww_type_entry(&d.type, "work"), ==, 0);
    WwType bare = {0};
    g_assert_cmpint(ww_type_param(&bare, "x"), ==, -1);
    g_assert_cmpint(ww_type_port(&bare, "x"), ==, -1);
    g_assert_cmpint(ww_type_stat(&bare, "x"), ==, -1);
    g_assert_cmpint(ww_type_entry(&bare, "x"), ==, -1);
}

/* ---- the registry ---------------------------------------------------------------------------- */

#define BARE(name_, family_)                                                                       \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = name_, .doc = "A type.", .family = family_,                 \
        .size = sizeof(WwComponent)                                                                \
    }

static const WwType gto = BARE("scheduler.gto", "scheduler");
static const WwType lrr = BARE("scheduler.lrr", "scheduler");
static const WwType fifo = BARE("fifo", "channel");
static const WwType other_gto = BARE("scheduler.gto", "other");
static const WwType bad = BARE("Bad", "bad");

static void adding(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    GError *error = NULL;
    size_t n;
    ww_registry_types(registry, &n);
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(ww_registry_add(registry, &lrr, "built-in", &error));
    g_assert_true(ww_registry_add(registry, &fifo, "built-in", &error));
    char origin[] = "my.so";
    g_assert_true(ww_registry_add(registry, &gto, origin, &error));
    origin[0] = '?'; /* Interned, not kept. */
    g_assert_false(ww_registry_add(registry, &other_gto, "yours.so", &error));
    test_assert_error(&error, WW_ERROR_MODULE,
                      "type 'scheduler.gto' of yours.so is already defined by my.so");
    g_assert_false(ww_registry_add(registry, &bad, "yours.so", &error));
    test_assert_error(&error, WW_ERROR_MODULE, "bad name");

    const WwType *const *types = ww_registry_types(registry, &n);
    g_assert_cmpuint(n, ==, 3);
    g_assert_true(types[0] == &fifo && types[1] == &gto && types[2] == &lrr);
    g_assert_cmpstr(ww_registry_origin(registry, &gto), ==, "my.so");
    g_assert_cmpstr(ww_registry_origin(registry, &fifo), ==, "built-in");
    g_assert_true(ww_registry_find(registry, "fifo", &error) == &fifo);
}

/** All or nothing. */
static void adding_all(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    GError *error = NULL;
    size_t n;
    const WwType *const with_bad[] = {&gto, &lrr, &bad, NULL};
    const WwType *const twice[] = {&gto, &lrr, &other_gto, NULL};
    const WwType *const fine[] = {&gto, &lrr, NULL};
    g_assert_false(ww_registry_add_all(registry, with_bad, "a.so", &error));
    test_assert_error(&error, WW_ERROR_MODULE, "type 'Bad'");
    g_assert_false(ww_registry_add_all(registry, twice, "a.so", &error));
    test_assert_error(&error, WW_ERROR_MODULE, "already defined by a.so");
    ww_registry_types(registry, &n);
    g_assert_cmpuint(n, ==, 0);
    g_assert_true(ww_registry_add_all(registry, fine, "a.so", &error));
    g_assert_false(ww_registry_add_all(registry, fine, "b.so", &error));
    test_assert_error(&error, WW_ERROR_MODULE, "of b.so is already defined by a.so");
    ww_registry_types(registry, &n);
    g_assert_cmpuint(n, ==, 2);
}

static void finding(void)
{
    g_autoptr(WwRegistry) registry = ww_registry_new();
    GError *error = NULL;
    const WwType *const types[] = {&gto, &lrr, &fifo, NULL};
    g_assert_true(ww_registry_add_all(registry, types, "built-in", &error));
    g_assert_null(ww_registry_find(registry, "scheduler.gtp", &error));
    test_assert_error(&error, WW_ERROR_USAGE,
                      "unknown component type 'scheduler.gtp'; did you mean 'scheduler.gto'?; "
                      "family 'scheduler' has scheduler.gto, scheduler.lrr");
    g_assert_null(ww_registry_find(registry, "scheduler.two_level", &error));
    test_assert_error(&error, WW_ERROR_USAGE, "family 'scheduler': scheduler.gto");
    g_assert_null(ww_registry_find(registry, "nonsense", &error));
    g_assert_cmpstr(
        error->message, ==,
        "unknown component type 'nonsense'; expected one that 'warpwright inspect' lists (a type "
        "of a module needs -m MODULE.so)");
    g_clear_error(&error);
    g_assert_null(ww_registry_find(registry, "a\nb", &error));
    test_assert_error(&error, WW_ERROR_USAGE, "unknown component type");
    g_assert_null(ww_registry_find(registry, "", NULL));
}

void test_registry_register(void)
{
    g_test_add_func("/kernel/registry/check/good", good);
    g_test_add_func("/kernel/registry/check/heads", bad_heads);
    g_test_add_func("/kernel/registry/check/params", bad_params);
    g_test_add_func("/kernel/registry/check/offsets", bad_offsets);
    g_test_add_func("/kernel/registry/check/channel-fields", channel_fields);
    g_test_add_func("/kernel/registry/check/ports", bad_ports);
    g_test_add_func("/kernel/registry/check/stats", bad_stats);
    g_test_add_func("/kernel/registry/check/tables", bad_tables);
    g_test_add_func("/kernel/registry/check/entries", bad_entries);
    g_test_add_func("/kernel/registry/check/events", bad_events);
    g_test_add_func("/kernel/registry/rows", rows);
    g_test_add_func("/kernel/registry/adding", adding);
    g_test_add_func("/kernel/registry/adding-all", adding_all);
    g_test_add_func("/kernel/registry/finding", finding);
}
