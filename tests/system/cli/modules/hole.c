/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: `memory.hole`, a memory that takes no request, so that whoever loads waits for ever; or answers some twice. */
#include <ports/tokens.h>
#include <warpwright/module.h>

typedef struct Hole {
    WwComponent base;
    /* parameters */
    bool spin, twice;
    /* ports */
    WwPort req;
    WwPort resp;
    /* state */
    uint64_t answers;
} Hole;

static WwRest hole_tick(void *self)
{
    Hole *h = self;
    while (h->twice && ww_fifo_ready(&h->req) && ww_fifo_room(&h->resp)) {
        WwMemReq *req = ww_token_mem(ww_fifo_take(&h->req));
        req->response = true;
        ww_fifo_put(&h->resp, ww_token_of(req));
        if (++h->answers % 50 == 0 && ww_fifo_room(&h->resp)) {
            ww_fifo_put(&h->resp, ww_token_of(req));
        }
    }
    return h->spin ? WW_AGAIN : WW_SLEEP;
}

static void hole_explain(void *self, WwExplain *explain)
{
    ww_explain_note(explain, "takes nothing, ever");
}

static const WwParamRow hole_params[] = {
    WW_BOOL(Hole, spin, "false", "keeps busy, so that the machine never sleeps"),
    WW_BOOL(Hole, twice, "false", "takes and answers, each fiftieth twice"),
    {0},
};

static const WwPortRow hole_ports[] = {
    WW_PORT_IN(Hole, req, &ww_contract_mem_request, 1, "requests that nobody answers"),
    WW_PORT_OUT(Hole, resp, &ww_contract_mem_response, 1, "used for answers that come twice"),
    {0},
};

static const WwEntryRow hole_entries[] = {
    {.name = "serve", .phase = "core", .tick = hole_tick, .doc = "does nothing"},
    {0},
};

static const WwType hole_type = {
    .abi = WW_ABI_VERSION,
    .name = "memory.hole",
    .doc = "A memory that takes no request.",
    .family = "memory",
    .size = sizeof(Hole),
    .params = hole_params,
    .ports = hole_ports,
    .entries = hole_entries,
    .explain = hole_explain,
};

static const WwType *const types[] = {&hole_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "hole",
    .version = "1",
    .doc = "a memory that takes no request",
    .types = types,
};
