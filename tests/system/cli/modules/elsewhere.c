/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: for how long a number stays follows from what another process has otherwise. */
#include <ports/fifo.h>
#include <ports/tokens.h>
#include <unistd.h>
#include <warpwright/module.h>

typedef struct Part {
    WwComponent base;
    WwPort in, out;
    WwCycle due;
    bool waits;
} Part;

#define MOST 9973u /* So many that no two processes have the same by chance. */

/* Of process, environment or code: by name of the type. */
static WwCycle stay(const Part *p)
{
    const char *name = p->base.type->name;
    g_auto(GStrv) env = g_listenv();
    return g_str_has_suffix(name, "pid")   ? (WwCycle)getpid() % MOST
           : g_str_has_suffix(name, "env") ? g_strv_length(env) % MOST
                                           : ((uintptr_t)p->base.type >> 12) % MOST;
}

static WwRest pass(void *self)
{
    Part *p = self;
    if (!ww_fifo_ready(&p->in) || !ww_fifo_room(&p->out)) {
        return WW_SLEEP;
    }
    if (!p->waits) {
        p->waits = true;
        p->due = ww_now(p) + 1 + stay(p);
    }
    if (ww_now(p) < p->due) {
        return p->due - ww_now(p);
    }
    p->waits = false;
    ww_fifo_put(&p->out, ww_fifo_take(&p->in));
    return WW_AGAIN;
}

static void reset(void *self)
{
    Part *p = self;
    p->due = 0;
    p->waits = false;
}

static const WwPortRow ports[] = {
    WW_PORT_IN(Part, in, &ww_contract_number, 1, "numbers"),
    WW_PORT_OUT(Part, out, &ww_contract_number, 1, "the same"),
    {0},
};
static const WwEntryRow entries[] = {
    {.name = "pass", .phase = "main", .tick = pass, .doc = "passes a number on"},
    {0},
};

#define TYPE(id)                                                                                   \
    static const WwType type_##id = {.abi = WW_ABI_VERSION,                                        \
                                     .name = "elsewhere." #id,                                     \
                                     .doc = "Passes numbers on, when it likes.",                   \
                                     .family = "elsewhere",                                        \
                                     .size = sizeof(Part),                                         \
                                     .ports = ports,                                               \
                                     .entries = entries,                                           \
                                     .reset = reset}
TYPE(pid);
TYPE(env);
TYPE(code);

static const WwType *const types[] = {&type_pid, &type_env, &type_code, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "elsewhere",
    .version = "1",
    .doc = "what another process has otherwise",
    .types = types,
};
