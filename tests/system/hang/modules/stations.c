/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A module for tests: stations on the way of a memory request, and policies, that break it. What is called
 * `.eats` takes and forgets, and says nothing of itself; what is called `.stuck` takes nothing.
 */
#include <ports/cache.h>
#include <ports/ctas.h>
#include <ports/fifo.h>
#include <ports/issue.h>
#include <ports/latency.h>
#include <ports/tokens.h>
#include <warpwright/module.h>

enum { MANY = 128 };

/* ---- policies -------------------------------------------------------------------------------- */

typedef struct Policy {
    WwComponent base;
    WwProvided policy;
} Policy;

static uint32_t order_none(void *self, const WwPolicyView *view, uint8_t *out)
{
    return 0;
}

static uint32_t order_wild(void *self, const WwPolicyView *view, uint8_t *out)
{
    out[0] = 200;
    return 1;
}

static uint32_t order_many(void *self, const WwPolicyView *view, uint8_t *out)
{
    return 65;
}

static int32_t guest_wild(void *self, const WwPolicyView *view)
{
    return 999;
}

static void issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static const WwPolicyIf none_table = {.order = order_none, .issued = issued};
static const WwPolicyIf wild_table = {.order = order_wild, .issued = issued};
static const WwPolicyIf many_table = {.order = order_many, .issued = issued};
static const WwPolicyIf guest_table = {.order = order_none, .issued = issued, .guest = guest_wild};

#define POLICY(word, says)                                                                         \
    static const WwPortRow word##_ports[] = {                                                      \
        {.name = "policy",                                                                         \
         .role = WW_PROVIDES,                                                                      \
         .contract = &ww_contract_scheduler,                                                       \
         .max = 1,                                                                                 \
         .table = &word##_table,                                                                   \
         .doc = "of one warp scheduler",                                                           \
         .offset = WW_FIELD(Policy, policy, WwProvided)},                                          \
        {0},                                                                                       \
    };                                                                                             \
    static const WwType word##_type = {                                                            \
        .abi = WW_ABI_VERSION,                                                                     \
        .name = "scheduler." #word,                                                                \
        .doc = says,                                                                               \
        .family = "scheduler",                                                                     \
        .size = sizeof(Policy),                                                                    \
        .ports = word##_ports,                                                                     \
    }
POLICY(none, "A policy that orders no warp.");
POLICY(wild, "A policy that orders warp 200.");
POLICY(many, "A policy that orders 65 warps.");
POLICY(guest, "A policy that invites warp 999.");

/* ---- stations: whatever their ports, they empty all inputs, or none -------------------------- */

typedef struct Network {
    WwComponent base;
    WwPort request_in[MANY], request_out[MANY], reply_in[MANY], reply_out[MANY];
    uint32_t n_request_in, n_request_out, n_reply_in, n_reply_out;
    WwProvided activity;
} Network;

static bool never(void *self)
{
    return false;
}
static WwCycle at_once(void *self, WwCycle most)
{
    (void)self;
    return 0;
}

static const WwActivityIf activity_table = {.active = never, .lasts = at_once};

static void eat(const WwPort *in, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        while (ww_fifo_ready(&in[i])) {
            ww_fifo_take(&in[i]);
        }
    }
}

static WwRest network_takes(void *self)
{
    Network *x = self;
    eat(x->request_in, x->n_request_in);
    eat(x->reply_in, x->n_reply_in);
    return WW_SLEEP;
}

static WwRest takes_nothing(void *self)
{
    return WW_SLEEP;
}

static void explains_nothing(void *self, WwExplain *explain) {}

static const WwPortRow network_ports[] = {
    WW_PORT_ARRAY(Network, request_in, WW_IN, &ww_contract_mem_request, 1, NULL, "from clusters"),
    WW_PORT_ARRAY(Network, request_out, WW_OUT, &ww_contract_mem_request, 1, NULL, "to slices"),
    WW_PORT_ARRAY(Network, reply_in, WW_IN, &ww_contract_mem_response, 1, NULL, "from slices"),
    WW_PORT_ARRAY(Network, reply_out, WW_OUT, &ww_contract_mem_response, 1, NULL, "to clusters"),
    WW_PORT_PROVIDES(Network, activity, &ww_contract_activity, &activity_table, "never active"),
    {0},
};

typedef struct Dram {
    WwComponent base;
    WwPort request[8], response[8];
    uint32_t n_request, n_response;
} Dram;

static WwRest dram_takes(void *self)
{
    Dram *d = self;
    eat(d->request, d->n_request);
    return WW_SLEEP;
}

static const WwPortRow dram_ports[] = {
    WW_PORT_ARRAY(Dram, request, WW_IN, &ww_contract_mem_request, 1, NULL, "from slices"),
    WW_PORT_ARRAY(Dram, response, WW_OUT, &ww_contract_mem_response, 1, NULL, "never used"),
    {0},
};

typedef struct Intake {
    WwComponent base;
    WwPort net, direct[1], data[32], inst[32], latency;
    uint32_t n_direct, n_data, n_inst;
} Intake;

static WwRest intake_takes(void *self)
{
    eat(&((Intake *)self)->net, 1);
    return WW_SLEEP;
}

static const WwPortRow intake_ports[] = {
    WW_PORT_IN(Intake, net, &ww_contract_mem_response, 1, "replies"),
    WW_PORT_ARRAY(Intake, direct, WW_IN, &ww_contract_mem_request, 0, NULL, "never used"),
    WW_PORT_ARRAY(Intake, data, WW_OUT, &ww_contract_mem_response, 1, NULL, "never used"),
    WW_PORT_ARRAY(Intake, inst, WW_OUT, &ww_contract_mem_response, 0, NULL, "never used"),
    WW_PORT_REQUIRES(Intake, latency, &ww_contract_latency, 0, NULL, "never used"),
    {0},
};

typedef struct Slice {
    WwComponent base;
    WwPort request, reply, to_dram, from_dram, cache, arrivals, address_map;
    WwProvided control, activity;
} Slice;

static WwRest slice_takes(void *self)
{
    eat(&((Slice *)self)->request, 1);
    return WW_SLEEP;
}

static void install(void *self, uint64_t addr, uint64_t partition_addr, uint32_t n) {}
static void flush(void *self, bool on, WwCycle edge) {}
static const WwL2ControlIf control_table = {.install = install, .flush = flush};

static const WwPortRow slice_ports[] = {
    WW_PORT_IN(Slice, request, &ww_contract_mem_request, 1, "from the network"),
    WW_PORT_OUT(Slice, reply, &ww_contract_mem_response, 1, "never used"),
    WW_PORT_OUT(Slice, to_dram, &ww_contract_mem_request, 1, "never used"),
    WW_PORT_IN(Slice, from_dram, &ww_contract_mem_response, 1, "nothing comes"),
    WW_PORT_REQUIRES(Slice, cache, &ww_contract_cache, 0, NULL, "never used"),
    WW_PORT_REQUIRES(Slice, arrivals, &ww_contract_arrivals, 0, NULL, "never used"),
    WW_PORT_REQUIRES(Slice, address_map, &ww_contract_address_map, 0, NULL, "never used"),
    WW_PORT_PROVIDES(Slice, control, &ww_contract_l2_control, &control_table, "never called"),
    WW_PORT_PROVIDES(Slice, activity, &ww_contract_activity, &activity_table, "never active"),
    {0},
};

#define STATION(ident, says_name, in_family, of, in_phase, what, explains)                         \
    static const WwEntryRow ident##_entries[] = {                                                  \
        {.name = "serve", .phase = in_phase, .tick = what, .doc = "breaks the way"},               \
        {0},                                                                                       \
    };                                                                                             \
    static const WwType ident##_type = {                                                           \
        .abi = WW_ABI_VERSION,                                                                     \
        .name = says_name,                                                                         \
        .doc = "A station that breaks the way of a request.",                                      \
        .family = in_family,                                                                       \
        .size = sizeof(of),                                                                        \
        .ports = of##_PORTS,                                                                       \
        .entries = ident##_entries,                                                                \
        .explain = explains,                                                                       \
    }
#define Network_PORTS network_ports
#define Dram_PORTS dram_ports
#define Intake_PORTS intake_ports
#define Slice_PORTS slice_ports
STATION(net_eats, "net.eats", "interconnect", Network, "net", network_takes, NULL);
STATION(net_stuck, "net.stuck", "interconnect", Network, "net", takes_nothing, explains_nothing);
STATION(dram_eats, "dram.eats", "dram", Dram, "dram", dram_takes, NULL);
STATION(dram_stuck, "dram.stuck", "dram", Dram, "dram", takes_nothing, explains_nothing);
STATION(slice_eats, "slice.eats", "l2", Slice, "l2", slice_takes, NULL);
STATION(slice_stuck, "slice.stuck", "l2", Slice, "l2", takes_nothing, explains_nothing);
STATION(intake_eats, "intake.eats", "interconnect", Intake, "intake", intake_takes, NULL);
STATION(intake_stuck, "intake.stuck", "interconnect", Intake, "intake", takes_nothing,
        explains_nothing);

static const WwType *const types[] = {&none_type,
                                      &wild_type,
                                      &many_type,
                                      &guest_type,
                                      &net_eats_type,
                                      &net_stuck_type,
                                      &dram_eats_type,
                                      &dram_stuck_type,
                                      &intake_eats_type,
                                      &intake_stuck_type,
                                      &slice_eats_type,
                                      &slice_stuck_type,
                                      NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "stations",
    .version = "1",
    .doc = "policies and stations of memory that break",
    .types = types,
};
