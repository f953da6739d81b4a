/* SPDX-License-Identifier: Apache-2.0 */
/* Component types that do nothing: platforms are about structure. */
#include "tests.h"

static const WwContract tokens = {
    .name = "tokens", .doc = "Anything", .version = 1, .kind = WW_CHANNEL, .channel = "pipe"};
static const WwContract board_contract = {
    .name = "board", .doc = "A board", .version = 1, .kind = WW_INTERFACE};
static const WwContract policy_contract = {
    .name = "policy", .doc = "A policy", .version = 1, .kind = WW_INTERFACE};
static const int table;

static WwRest rest(void *self)
{
    return WW_SLEEP;
}

/* ---- pipe ---------------------------------------------------------------------------------- */

typedef struct Pipe {
    WwChannel ch;
    uint32_t depth;
} Pipe;

static const WwType pipe_type = {
    .abi = WW_ABI_VERSION,
    .name = "pipe",
    .doc = "A channel",
    .family = "std",
    .flags = WW_TYPE_CHANNEL,
    .size = sizeof(Pipe),
    .params = (const WwParamRow[]){WW_UINT(Pipe, depth, "entries", "1", 1, 64, "Tokens"), {0}},
};

/* ---- source, worker, sink ------------------------------------------------------------------ */

typedef struct Source {
    WwComponent base;
    uint32_t rate;
    WwPort out;
} Source;

static const WwType source_type = {
    .abi = WW_ABI_VERSION,
    .name = "source",
    .doc = "Makes tokens",
    .family = "std",
    .size = sizeof(Source),
    .params = (const WwParamRow[]){WW_UINT(Source, rate, "", "1", 1, 100, "Tokens a cycle"), {0}},
    .ports = (const WwPortRow[]){WW_PORT_OUT(Source, out, &tokens, 0, "Tokens"), {0}},
    .entries = (const WwEntryRow[]){{"tick", "core", rest, "Makes a token"}, {0}},
};

static const char *const modes[] = {"plain", "fast", "write-back", NULL};

typedef struct Worker {
    WwComponent base;
    bool flag;
    uint32_t width;
    uint64_t size;
    double ratio;
    double hz;
    const char *label;
    uint32_t mode;
    WwList ways;
    uint32_t quantum;
    WwPort in, out, hazard, policy;
} Worker;

static const WwType worker_type = {
    .abi = WW_ABI_VERSION,
    .name = "worker",
    .doc = "Has a parameter of every kind",
    .family = "work",
    .size = sizeof(Worker),
    .params =
        (const WwParamRow[]){
            WW_BOOL(Worker, flag, "false", "A flag"),
            WW_UINT(Worker, width, "", "4", 1, 64, "A width"),
            WW_U64(Worker, size, "bytes", "1KiB", 0, 0, "A size"),
            WW_REAL(Worker, ratio, "", "0.5", -10, 10, "A ratio"),
            WW_REAL(Worker, hz, "Hz", "1MHz", 0, 1e12, "A frequency"),
            WW_STRING(Worker, label, "none", "A label"),
            WW_CHOICE(Worker, mode, "plain", modes, "A mode"),
            WW_LIST(Worker, ways, "", "[1, 2]", 0, 100, "A list"),
            WW_UINT(Worker, quantum, "cycles", "7", 0, 1000, "A quantum"),
            {0},
        },
    .ports =
        (const WwPortRow[]){
            WW_PORT_IN(Worker, in, &tokens, 0, "Tokens in"),
            WW_PORT_OUT(Worker, out, &tokens, 0, "Tokens out"),
            WW_PORT_REQUIRES(Worker, hazard, &board_contract, 0, NULL, "The board"),
            WW_PORT_REQUIRES(Worker, policy, &policy_contract, 0, NULL, "The policy"),
            {0},
        },
    .entries = (const WwEntryRow[]){{"tick", "core", rest, "Works"}, {0}},
};

typedef struct Sink {
    WwComponent base;
    WwPort in[256];
    uint32_t n_in;
} Sink;

static const WwType sink_type = {
    .abi = WW_ABI_VERSION,
    .name = "sink",
    .doc = "Takes tokens",
    .family = "std",
    .size = sizeof(Sink),
    .ports = (const WwPortRow[]){WW_PORT_ARRAY(Sink, in, WW_IN, &tokens, 0, NULL, "Tokens"), {0}},
    .entries = (const WwEntryRow[]){{"tick", "core", rest, "Takes a token"}, {0}},
};

/* A parameter without a default. */
typedef struct Strict {
    WwComponent base;
    uint32_t must;
} Strict;

static const WwType strict_type = {
    .abi = WW_ABI_VERSION,
    .name = "strict",
    .doc = "Insists on a value",
    .family = "std",
    .size = sizeof(Strict),
    .params = (const WwParamRow[]){WW_UINT(Strict, must, "", NULL, 0, 0, "Must be given"), {0}},
};

/* ---- interfaces ---------------------------------------------------------------------------- */

typedef struct Board {
    WwComponent base;
    uint32_t width;
    WwProvided clients;
    WwProvided spare;
} Board;

static const WwType board_type = {
    .abi = WW_ABI_VERSION,
    .name = "board",
    .doc = "Offers the board",
    .family = "board",
    .size = sizeof(Board),
    .params = (const WwParamRow[]){WW_UINT(Board, width, "", "8", 1, 64, "A width"), {0}},
    .ports =
        (const WwPortRow[]){
            WW_PORT_PROVIDES(Board, clients, &board_contract, &table, "The board"),
            WW_PORT_PROVIDES(Board, spare, &policy_contract, &table, "A policy as well"),
            {0},
        },
};

typedef struct Policy {
    WwComponent base;
    uint32_t quantum;
    uint32_t age;
    WwProvided clients;
    WwPort inner;
} Policy;

static const WwType lrr_type = {
    .abi = WW_ABI_VERSION,
    .name = "policy.lrr",
    .doc = "Round robin",
    .family = "policy",
    .size = sizeof(Policy),
    .params =
        (const WwParamRow[]){WW_UINT(Policy, quantum, "cycles", "3", 0, 100, "A quantum"), {0}},
    .ports =
        (const WwPortRow[]){
            WW_PORT_PROVIDES(Policy, clients, &policy_contract, &table, "The policy"), {0}},
};

static const WwType gto_type = {
    .abi = WW_ABI_VERSION,
    .name = "policy.gto",
    .doc = "Greedy, then oldest",
    .family = "policy",
    .size = sizeof(Policy),
    .params = (const WwParamRow[]){WW_UINT(Policy, age, "", "9", 0, 100, "An age"), {0}},
    .ports =
        (const WwPortRow[]){
            WW_PORT_PROVIDES(Policy, clients, &policy_contract, &table, "The policy"),
            WW_PORT_REQUIRES(Policy, inner, &policy_contract, 0, NULL, "A policy within"),
            {0},
        },
};

static const WwType fake_type = {
    .abi = WW_ABI_VERSION,
    .name = "fake.policy",
    .doc = "For test benches",
    .family = "policy",
    .flags = WW_TYPE_FAKE,
    .size = sizeof(Policy),
    .ports =
        (const WwPortRow[]){
            WW_PORT_PROVIDES(Policy, clients, &policy_contract, &table, "The policy"), {0}},
};

/* A policy of one caller. */
static const WwType lone_type = {
    .abi = WW_ABI_VERSION,
    .name = "lone",
    .doc = "Takes one caller",
    .family = "lone",
    .size = sizeof(Policy),
    .ports = (const WwPortRow[]){{.name = "clients",
                                  .role = WW_PROVIDES,
                                  .contract = &policy_contract,
                                  .table = &table,
                                  .max = 1,
                                  .doc = "The policy",
                                  .offset = WW_FIELD(Policy, clients, WwProvided)},
                                 {0}},
};

WwRegistry *test_types_new(void)
{
    static const WwType *const types[] = {&pipe_type,   &source_type, &worker_type, &sink_type,
                                          &strict_type, &board_type,  &lrr_type,    &gto_type,
                                          &fake_type,   &lone_type,   NULL};
    WwRegistry *registry = ww_registry_new();
    GError *error = NULL;
    ww_registry_add_all(registry, types, "test", &error);
    g_assert_no_error(error);
    return registry;
}
