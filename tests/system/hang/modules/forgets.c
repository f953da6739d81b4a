/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: `forgets`, which takes numbers and forgets to ask for a turn in which it could put them; `starves`, which waits for another one. */
#include <ports/fifo.h>
#include <ports/tokens.h>
#include <warpwright/module.h>

typedef struct Forgets {
    WwComponent base;
    /* ports */
    WwPort in, out;
    /* state */
    uint64_t n;
} Forgets;

static WwRest forgets_tick(void *self)
{
    Forgets *f = self;
    while (f->n < 2 && ww_fifo_ready(&f->in)) {
        ww_fifo_take(&f->in);
        f->n++;
    }
    return WW_SLEEP;
}

static void forgets_reset(void *self)
{
    Forgets *f = self;
    f->n = 0;
}

static void forgets_explain(void *self, WwExplain *explain)
{
    Forgets *f = self;
    if (f->n != 0) {
        ww_explain_waits(explain, f->out.peer, "%" G_GUINT64_FORMAT " numbers wait for room", f->n);
    }
}

static void starves_explain(void *self, WwExplain *explain)
{
    Forgets *f = self;
    if (f->n != 0) {
        ww_explain_waits(explain, f->in.peer, "%" G_GUINT64_FORMAT " numbers wait for a third",
                         f->n);
    }
}

static const WwPortRow ports[] = {
    WW_PORT_IN(Forgets, in, &ww_contract_number, 1, "numbers"),
    WW_PORT_OUT(Forgets, out, &ww_contract_number, 1, "never used"),
    {0},
};

static const WwEntryRow entries[] = {
    {.name = "work", .phase = "main", .tick = forgets_tick, .doc = "takes two numbers, puts none"},
    {0},
};

#define TYPE(name_, explain_)                                                                      \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = #name_, .doc = "Takes two numbers and puts none.",          \
        .family = "std", .size = sizeof(Forgets), .ports = ports, .entries = entries,              \
        .reset = forgets_reset, .explain = explain_,                                               \
    }

static const WwType forgets_type = TYPE(forgets, forgets_explain),
                    starves_type = TYPE(starves, starves_explain);

static const WwType *const types[] = {&forgets_type, &starves_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "forgets",
    .version = "1",
    .doc = "a component that does not go on",
    .types = types,
};
