/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: types that pass numbers on and make one mistake each, and one that says what is true, that no checkpoint has its state. */
#include <ports/issue.h>
#include <ports/req_pool.h>
#include <ports/tokens.h>
#include <stdlib.h>
#include <string.h>
#include <warpwright/module.h>

typedef struct Part {
    WwComponent base;
    WwPort in, out;
    uint64_t *kept; /* numbers so far, in memory that is not of the machine */
    WwReqPool reqs;
} Part;

static WwRest pass(Part *p)
{
    if (!ww_fifo_ready(&p->in) || !ww_fifo_room(&p->out)) {
        return WW_SLEEP;
    }
    ww_fifo_put(&p->out, ww_fifo_take(&p->in));
    return WW_AGAIN;
}

static const WwEventField field_number = WW_EVENT_FIELD("number", WW_EVENT_NUMBER, "", "which");
static const WwEventRow events[] = {{"pass", "lane", "a number goes on", {&field_number}}, {0}};

static WwRest says(void *self)
{
    WW_LOG(self, &events[0], 0, 1, 2, 3);
    return pass(self);
}

/* The first time it is right. */
static WwRest later(void *self)
{
    if (ww_now(self) == 0) {
        WW_LOG(self, &events[0], 0, 1);
    } else {
        WW_LOG(self, &events[0], 0, 1, 2, 3);
    }
    return pass(self);
}

static char *keep_two(char *at, uint64_t value)
{
    return ww_event_keep(ww_event_keep(at, value), value);
}

/* Half of it. */
static char *tell_one(char *at, const char **from)
{
    memcpy(at, " number=", 8);
    return ww_event_number(at + 8, ww_event_take(from));
}

static char *write_number(char *at, uint64_t value)
{
    memcpy(at, " number=", 8);
    return ww_event_number(at + 8, value);
}

static const WwEventKept two_and_one = {keep_two, tell_one};
static const WwEventField *const of_number[] = {&field_number, NULL};
static const WwEventField told = {.name = "parts",
                                  .unit = "",
                                  .doc = "a number",
                                  .form = WW_EVENT_PARTS,
                                  .write = write_number,
                                  .parts = of_number,
                                  .kept = &two_and_one};
static const WwEventRow told_events[] = {{"pass", "lane", "a number goes on", {&told}}, {0}};

static WwRest tells(void *self)
{
    WW_LOG(self, &told_events[0], 0, 1);
    return pass(self);
}

static WwRest takes(void *self)
{
    Part *p = self;
    ww_fifo_take(&p->in); /* without a look */
    return WW_AGAIN;
}

static WwRest keeps(void *self)
{
    Part *p = self;
    ++*p->kept;
    return pass(p);
}

static bool keeps_init(void *self, GError **error)
{
    ((Part *)self)->kept = calloc(1, sizeof(uint64_t));
    return true;
}

static void keeps_finish(void *self)
{
    free(((Part *)self)->kept);
}

static WwRest releases(void *self)
{
    Part *p = self;
    WwMemReq *req = ww_req_pool_take(&p->reqs);
    ww_mem_release(req);
    ww_mem_release(req);
    ww_mem_release(ww_req_pool_take(&p->reqs));
    return pass(p);
}

static bool pool_init(void *self, GError **error)
{
    ww_req_pool_init(&((Part *)self)->reqs, self);
    return true;
}

static void pool_reset(void *self)
{
    ww_req_pool_reset(&((Part *)self)->reqs);
}

static bool refuses(void *self, GError **error)
{
    return ww_fail(error, WW_ERROR_USAGE, "one and one is two; expected three");
}

/* It starts some times, and then no more. */
static bool restarts(void *self, GError **error)
{
    static uint32_t starts;
    return ++starts <= 12 ||
           ww_fail(error, WW_ERROR_USAGE, "the file is taken; expected it to be free");
}

static bool both(void *self, GError **error)
{
    ww_fail(error, WW_ERROR_USAGE, "one and one is two; expected three");
    return true;
}

static const WwPortRow ports[] = {
    WW_PORT_IN(Part, in, &ww_contract_number, 1, "numbers"),
    WW_PORT_OUT(Part, out, &ww_contract_number, 1, "the same"),
    {0},
};

#define ENTRY(fn)                                                                                  \
    static const WwEntryRow fn##_entry[] = {                                                       \
        {.name = "pass", .phase = "main", .tick = fn, .doc = "passes a number on"}, {0}}
ENTRY(says);
ENTRY(later);
ENTRY(tells);
ENTRY(takes);
ENTRY(keeps);
ENTRY(releases);

#define TYPE(name_, ...)                                                                           \
    static const WwType type_##name_ = {.abi = WW_ABI_VERSION,                                     \
                                        .name = "mistake." #name_,                                 \
                                        .doc = "Passes numbers on.",                               \
                                        .family = "mistake",                                       \
                                        .size = sizeof(Part),                                      \
                                        .ports = ports,                                            \
                                        __VA_ARGS__}
TYPE(says, .entries = says_entry, .events = events);
TYPE(later, .entries = later_entry, .events = events);
TYPE(tells, .entries = tells_entry, .events = told_events);
TYPE(takes, .entries = takes_entry);
TYPE(keeps, .entries = keeps_entry, .init = keeps_init, .finish = keeps_finish,
     .flags = WW_TYPE_NOT_SAVED);
TYPE(releases, .entries = releases_entry, .init = pool_init, .reset = pool_reset);
TYPE(refuses, .init = refuses);
TYPE(both, .start = both);
TYPE(restarts, .entries = says_entry, .events = events, .init = restarts);

/* A policy whose table has nothing in it any more when it is called. */
typedef struct Policy {
    WwComponent base;
    WwProvided policy;
} Policy;

static uint32_t order(void *self, const WwPolicyView *view, uint8_t *out)
{
    return 0;
}

static void issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static WwPolicyIf nothing = {.order = order, .issued = issued};

static bool nothing_init(void *self, GError **error)
{
    nothing = (WwPolicyIf){0};
    return true;
}

static const WwPortRow policy_ports[] = {WW_PORT_POLICY(Policy, policy, &nothing), {0}};
static const WwType type_policy = {.abi = WW_ABI_VERSION,
                                   .name = "scheduler.nothing",
                                   .doc = "Orders nobody.",
                                   .family = "scheduler",
                                   .size = sizeof(Policy),
                                   .ports = policy_ports,
                                   .init = nothing_init};

static const WwType *const types[] = {&type_says,   &type_later,    &type_tells, &type_takes,
                                      &type_keeps,  &type_refuses,  &type_both,  &type_restarts,
                                      &type_policy, &type_releases, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "mistakes",
    .version = "1",
    .doc = "Types that make a mistake each.",
    .types = types,
};
