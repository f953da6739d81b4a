/* SPDX-License-Identifier: Apache-2.0 */
#include "parts.h"

#include <string.h>

GString *parts_diary;

static const WwPayload payload = {.name = "bit", .version = 1};
static const WwPayload other_payload = {.name = "other", .version = 1};
/* clang-format off */
static const WwContract bit = {.name = "bit", .doc = "bits", .version = 1, .kind = WW_CHANNEL, .channel = "pipe", .payload = &payload};
static const WwContract other = {.name = "other", .doc = "others", .version = 1, .kind = WW_CHANNEL, .channel = "pipe", .payload = &other_payload};
static const char *const ranks[] = {"first", "second", NULL};
static const WwContract desk = {.name = "desk", .doc = "a desk", .version = 1, .kind = WW_INTERFACE, .ranks = ranks};

static const WwParamRow pipe_params[] = {
    {.name = "same", .kind = WW_PARAM_BOOL, .unit = "", .def = "false", .doc = "writer first",
     .offset = WW_FIELD(Pipe, ch.same, bool)},
    {.name = "latency", .kind = WW_PARAM_UINT, .unit = "cycles", .def = "0", .doc = "no order",
     .offset = WW_FIELD(Pipe, ch.latency, uint32_t)},
    {0}};
const WwType parts_pipe_type = {.abi = WW_ABI_VERSION, .name = "pipe", .doc = "a test channel", .family = "test",
                                 .flags = WW_TYPE_CHANNEL, .size = sizeof(Pipe), .params = pipe_params};


static WwRest part_turn(void *self)
{
    Part *p = self;
    p->turns++;
    WW_EVENT(p, "turn", (int64_t)p->turns, "%s rests %u", p->mark, p->rest);
    g_string_append(parts_diary, p->mark);
    for (uint32_t i = 0; i < p->n_in; i++) {
        ((Pipe *)p->in[i].peer)->tokens = 0;
    }
    for (uint32_t i = 0; p->sends && i < p->n_out; i++) {
        Pipe *k = p->out[i].peer;
        k->tokens++;
        ww_wake(&k->ch.reader->wake);
    }
    return p->until != 0 ? p->until - ww_now(p) : p->rest == 0 ? WW_SLEEP : p->rest;
}

static void part_settle(void *self, uint32_t entry, uint64_t n)
{
    ((Part *)self)->slept += n;
}

static void part_explain(void *self, WwExplain *e)
{
    Part *p = self;
    for (uint32_t i = 0; i < p->n_out; i++) {
        ww_explain_waits(e, ((Pipe *)p->out[i].peer)->ch.reader->who, "room in front");
    }
}

static int desk_table;
static const WwParamRow part_params[] = {
    WW_UINT(Part, rest, "cycles", "1", 0, 1e6, "answer"),
    WW_BOOL(Part, sends, "false", "puts"),
    WW_STRING(Part, mark, "x", "in the parts_diary"),
    {0}};
static const WwPortRow part_ports[] = {
    WW_PORT_ARRAY(Part, in, WW_IN, &bit, 0, NULL, "in"),
    WW_PORT_ARRAY(Part, out, WW_OUT, &bit, 0, NULL, "out"),
    WW_PORT_REQUIRES(Part, first, &desk, 0, "first", "acts first"),
    WW_PORT_REQUIRES(Part, second, &desk, 0, "second", "acts second"),
    WW_PORT_PROVIDES(Part, offered, &desk, &desk_table, "a desk"),
    WW_PORT_ARRAY(Part, many, WW_REQUIRES, &desk, 0, NULL, "some desks"),
    {0}};
static const WwStatRow part_stats[] = {
    WW_COUNTER(Part, turns, "turns", "run"), WW_COUNTER(Part, slept, "cycles", "settled"), {0}};
static const WwEntryRow part_entries[] = {{.name = "turn", .phase = "main", .tick = part_turn, .doc = "x"}, {0}};
static void part_resume(void *self)
{
    Part *p = self;
    p->resumed++;
    p->resumed_at = ww_now(p);
}

const WwType parts_part_type = {.abi = WW_ABI_VERSION, .name = "part", .doc = "a test part", .family = "test",
                                 .size = sizeof(Part), .params = part_params, .ports = part_ports,
                                 .stats = part_stats, .entries = part_entries, .settle = part_settle, .resume = part_resume,
                                 .explain = part_explain};

typedef struct Odd {
    WwComponent base;
    WwPort need;
    WwPort strange;
} Odd;
static const WwPortRow odd_ports[] = {WW_PORT_REQUIRES(Odd, need, &desk, 1, "first", "needs a desk"),
                                      WW_PORT_OUT(Odd, strange, &other, 0, "others"), {0}};
const WwType parts_odd_type = {.abi = WW_ABI_VERSION, .name = "odd", .doc = "needs things", .family = "test",
                                .size = sizeof(Odd), .ports = odd_ports};
/* clang-format on */

const WwRegistry *parts_registry(void)
{
    static WwRegistry *registry;
    if (registry == NULL) {
        g_autoptr(GError) error = NULL;
        registry = ww_registry_new();
        const WwType *const types[] = {&parts_pipe_type, &parts_part_type, &parts_odd_type, NULL};
        ww_registry_add_all(registry, types, "test", &error);
        g_assert_no_error(error);
    }
    return registry;
}

WwMachine *parts_machine(void)
{
    GError *error = NULL;
    if (parts_diary != NULL) {
        g_string_free(parts_diary, true);
    }
    parts_diary = g_string_new(NULL);
    WwMachine *m = ww_machine_new(parts_registry());
    g_assert_nonnull(ww_machine_add_domain(m, "core", 1e9, &error));
    g_assert_true(ww_machine_add_phase(m, "main", "core", &error));
    return m;
}

Part *parts_add(WwMachine *m, WwGroup *g, const char *mark, uint32_t rest)
{
    GError *error = NULL;
    WwComponent *c = ww_machine_add(m, g != NULL ? g : ww_machine_root(m), &parts_part_type, mark,
                                    -1, (WwLocation){"test.plat", 1, 2});
    g_autofree char *text = g_strdup_printf("%u", rest);
    ww_component_set_text(c, "mark", mark, &error);
    ww_component_set_text(c, "rest", text, &error);
    g_assert_no_error(error);
    return (Part *)c;
}

Pipe *parts_join(Part *from, Part *to, const char *param)
{
    GError *error = NULL;
    WwMachine *m = from->base.machine;
    WwComponent *k =
        ww_machine_add(m, ww_machine_root(m), &parts_pipe_type, "pipe", -1, (WwLocation){0});
    if (param != NULL) {
        ww_component_set_text(k, param, "1", &error);
    }
    g_assert_true(ww_bind(&from->base, ww_type_port(&parts_part_type, "out"), k, -1,
                          (WwLocation){0}, &error));
    g_assert_true(
        ww_bind(&to->base, ww_type_port(&parts_part_type, "in"), k, -1, (WwLocation){0}, &error));
    g_assert_no_error(error);
    return (Pipe *)k;
}

void parts_seal(WwMachine *m)
{
    GError *error = NULL;
    ww_machine_seal(m, &error);
    g_assert_no_error(error);
}

/* Runs n ticks, '|' after each in the parts_diary. */
void parts_run(WwMachine *m, int n)
{
    for (int i = 0; i < n; i++) {
        ww_run(m, 1);
        g_string_append_c(parts_diary, '|');
    }
}
