/* SPDX-License-Identifier: Apache-2.0 */
/* `run --pcs`: a part in each SM that counts, and its figures as JSON. */
#include "pcs.h"
#include "cli-priv.h"

#include <stdlib.h>
#include <string.h>
#include <warpwright/event_log.h>

/* ---- the machine ------------------------------------------------------------------------------------------------ */

/* The row of a port of @p type that has this role and contract, or -1. */
static int row_of(const WwType *type, WwPortRole role, const WwContract *contract)
{
    const WwPortRow *p;
    for (WW_ROWS(type->ports, p)) {
        if (p->role == role && p->contract == contract) {
            return (int)(p - type->ports);
        }
    }
    return -1;
}

/* Who could tell, and the warp pool whose warps it speaks of. */
typedef struct Teller {
    WwComponent *who;
    const WwComponent *pool;
} Teller;

static bool tells(const WwComponent *c)
{
    return row_of(c->type, WW_REQUIRES, &ww_contract_pcs) >= 0;
}

static void look_at_binding(void *user, const WwComponent *c, const WwPortRow *row,
                            const WwComponent *peer, const WwPortRow *peer_row, WwLocation where)
{
    if (peer == NULL) {
        return;
    }
    GArray *tellers = user;
    const WwComponent *both[] = {peer, c}; /* the pool tells, too */
    for (uint32_t i = 0; i < G_N_ELEMENTS(both); i++) {
        Teller t = {(WwComponent *)(uintptr_t)both[i], peer};
        bool known = i == 0 && tellers->len != 0 &&
                     g_array_index(tellers, Teller, tellers->len - 1).pool == peer;
        if (!known && tells(both[i])) {
            g_array_append_val(tellers, t);
        }
    }
}

/* Puts a counter beside @p pool. */
static WwComponent *add_counter(WwMachine *m, WwComponent *pool, const WwType *type, GError **error)
{
    WwLocation here = {.file = "--pcs"};
    WwComponent *pcs = ww_machine_add(m, pool->group, type, type->name, -1, here);
    return ww_bind(pcs, row_of(type, WW_REQUIRES, &ww_contract_warps), pool, -1, here, error)
               ? pcs
               : NULL;
}

/* A counter for each pool that tells, in @p counters; none for one that has one. */
static bool add_counters(WwMachine *m, const WwType *type, const GArray *tellers,
                         GHashTable *counters, GError **error)
{
    for (guint i = 0; i < tellers->len; i++) {
        const Teller *t = &g_array_index(tellers, Teller, i);
        if (t->who != t->pool || g_hash_table_contains(counters, t->pool)) {
            continue;
        }
        WwComponent *pcs = NULL;
        if (ww_component_bound(t->who, row_of(t->who->type, WW_REQUIRES, &ww_contract_pcs)) == 0 &&
            (pcs = add_counter(m, t->who, type, error)) == NULL) {
            return false;
        }
        g_hash_table_insert(counters, t->who, pcs);
    }
    return true;
}

static bool tell(WwComponent *who, WwComponent *pcs, GError **error)
{
    int row = row_of(who->type, WW_REQUIRES, &ww_contract_pcs);
    return pcs == NULL || ww_component_bound(who, row) != 0 ||
           ww_bind(who, row, pcs, -1, (WwLocation){.file = "--pcs"}, error);
}

bool cli_pcs_bind(WwMachine *m, const WwRegistry *registry, GError **error)
{
    const WwType *type = ww_registry_find(registry, "pcs", error);
    g_autoptr(GArray) tellers = g_array_new(false, false, sizeof(Teller));
    g_autoptr(GHashTable) counters = g_hash_table_new(NULL, NULL); /* by pool */
    if (type == NULL) {
        return false;
    }
    ww_machine_bindings_of(m, &ww_contract_warps, look_at_binding, tellers);
    if (!add_counters(m, type, tellers, counters, error)) {
        return false;
    }
    for (guint i = 0; i < tellers->len; i++) {
        const Teller *t = &g_array_index(tellers, Teller, i);
        if (!tell(t->who, g_hash_table_lookup(counters, t->pool), error)) {
            return false;
        }
    }
    return g_hash_table_size(counters) != 0 ||
           ww_fail(error, WW_ERROR_USAGE,
                   "--pcs: nothing in the platform tells of its instructions; expected a "
                   "component with warps and a port of contract pcs, such as a warp_pool");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------- */

static const char *const state_names[] = {WW_WARP_STATE_LABELS};
static const char *const slot_names[] = {WW_STALL_LABELS, "issued"};

/*
 * Entries are put together here, and written when many of them are: kernels of a microsecond have hundreds, which must cost less than to simulate them.
 * The room behind the last is for all that an entry may have, its texts aside.
 */
#define ENTRIES_ROOM 32768u
#define ENTRY_ROOM 8192u
#define NAME_ROOM 32u
#define MOST_TEXT 512u

typedef struct Entry {
    char *at;
    char bytes[ENTRIES_ROOM + ENTRY_ROOM];
} Entry;

/* `"NAME": ` of a table; copied as a whole. */
typedef struct Name {
    char text[NAME_ROOM];
    uint32_t n;
} Name;
static Name state_text[WW_N_WARP_STATES], slot_text[WW_N_SLOTS];
G_STATIC_ASSERT((WW_N_WARP_STATES + WW_N_SLOTS) * (NAME_ROOM + 24) + 2 * MOST_TEXT + 2048 <
                ENTRY_ROOM);

static void make_names(Name *to, const char *const *names, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        int length = g_snprintf(to[i].text, NAME_ROOM, "\"%s\": ", names[i]);
        g_assert(length < (int)NAME_ROOM);
        to[i].n = (uint32_t)length;
    }
}

/* @p text: a constant. */
#define PUT(e, text) ((e)->at = (char *)memcpy((e)->at, text, sizeof(text) - 1) + sizeof(text) - 1)
#define PUT_MEMBER(e, name) PUT(e, ",\n     \"" name "\": ")

static inline void put_number(Entry *e, uint64_t v)
{
    e->at = ww_event_number(e->at, v);
}

#define PUT_NUMBER(e, name, v) (PUT_MEMBER(e, name), put_number(e, v))

static void flush(Entry *e, FILE *out)
{
    fwrite_unlocked(e->bytes, 1, (size_t)(e->at - e->bytes), out);
    e->at = e->bytes;
}

/* An object of those that are not 0: @p some has a bit for each. */
static inline void put_named(Entry *e, const Name *names, const uint64_t *v, uint64_t some)
{
    char *at = e->at;
    memcpy(at, "{}", 2);
    at += some == 0 ? 2 : 1;
    for (; some != 0; some &= some - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(some);
        memcpy(at, names[i].text, NAME_ROOM);
        at = ww_event_number(at + names[i].n, v[i]);
        memcpy(at, (some & (some - 1)) != 0 ? ", " : "} ", 2);
        at += (some & (some - 1)) != 0 ? 2 : 1;
    }
    e->at = at;
}

static void put_hits(Entry *e, uint64_t accesses, uint64_t hits)
{
    PUT(e, "{\"accesses\": ");
    put_number(e, accesses);
    PUT(e, ", \"hits\": ");
    put_number(e, hits);
    PUT(e, "}");
}

static inline void put_quoted(Entry *e, const char *text, size_t n)
{
    char *at = e->at;
    *at = '"';
    at = (char *)memcpy(at + 1, text, n) + n;
    *at = '"';
    e->at = at + 1;
}

/* Most texts are as they are in quotes. */
static void put_string(Entry *e, const char *text, FILE *out)
{
    size_t n = cli_json_plain(text);
    if ((n == 0 && *text != '\0') || n > MOST_TEXT) {
        flush(e, out);
        cli_json_put_string(text, out);
        return;
    }
    put_quoted(e, text, n);
}

static void put_which(Entry *e, const WwPcEntry *of, uint32_t uid, FILE *out)
{
    PUT(e, "{\n     \"pc\": ");
    put_number(e, of->pc);
    if (of->line != 0) {
        PUT_MEMBER(e, "opcode");
        put_string(e, of->opcode, out);
        PUT_MEMBER(e, "registers");
        put_quoted(e, of->registers, strlen(of->registers)); /* of our making */
        PUT_NUMBER(e, "line", of->line);
    }
    if (of->kernel != uid) {
        PUT_NUMBER(e, "kernel", of->kernel);
    }
}

static void put_memory(Entry *e, const WwPcCounts *n)
{
    if (n->transactions != 0) {
        PUT_NUMBER(e, "transactions", n->transactions);
    }
    if (n->requests != 0) {
        PUT_NUMBER(e, "requests", n->requests);
        PUT_MEMBER(e, "latency");
        PUT(e, "{\"sum\": ");
        put_number(e, n->latency);
        PUT(e, ", \"max\": ");
        put_number(e, n->latency_max);
        PUT(e, "}");
    }
    if (n->bank_conflicts != 0) {
        PUT_NUMBER(e, "bank_conflicts", n->bank_conflicts);
    }
    if (n->l1_accesses != 0) {
        PUT_MEMBER(e, "l1");
        put_hits(e, n->l1_accesses, n->l1_hits);
    }
    if (n->l2_accesses != 0) {
        PUT_MEMBER(e, "l2");
        put_hits(e, n->l2_accesses, n->l2_hits);
    }
}

/* In WwPcEntry.some. */
#define FIRST_OF(field) (offsetof(WwPcCounts, field) / sizeof(uint64_t))
#define ALL(n) ((1ull << (n)) - 1)

static void write_entry(Entry *e, const WwPcEntry *of, uint32_t uid, FILE *out)
{
    const WwPcCounts *n = &of->n;
    put_which(e, of, uid, out);
    PUT_NUMBER(e, "issues", n->issues);
    PUT_NUMBER(e, "lanes", n->lanes);
    PUT_MEMBER(e, "stalls");
    put_named(e, state_text, n->states, of->some >> FIRST_OF(states) & ALL(WW_N_WARP_STATES));
    PUT_MEMBER(e, "slots");
    put_named(e, slot_text, n->slots, of->some >> FIRST_OF(slots) & ALL(WW_N_SLOTS));
    put_memory(e, n);
    PUT(e, "\n    }");
    if (e->at - e->bytes > (ptrdiff_t)ENTRIES_ROOM) {
        flush(e, out);
    }
}

static void write_warps(const uint64_t *states, Entry *e, CliJsonWriter *kernel)
{
    uint64_t resident = 0, some = 0;
    for (uint32_t i = 0; i < WW_N_WARP_STATES; i++) {
        resident += states[i];
        some |= (uint64_t)(states[i] != 0) << i;
    }
    cli_json_part(kernel, "warps");
    PUT(e, "{\n    \"cycles\": ");
    put_number(e, resident);
    PUT(e, ",\n    \"stalls\": ");
    put_named(e, state_text, states, some);
    PUT(e, "\n   }");
    flush(e, kernel->out);
}

void cli_pcs_json(const WwResults *r, const WwResultKernel *k, const uint64_t *values,
                  CliJsonWriter *kernel)
{
    const WwColumn *states = ww_results_column(r, "pcs", "states");
    const uint8_t *at = k->pcs;
    Entry e = {.at = e.bytes};
    if (at == NULL || states == NULL) {
        return;
    }
    if (state_text[0].n == 0) {
        make_names(state_text, state_names, WW_N_WARP_STATES);
        make_names(slot_text, slot_names, WW_N_SLOTS);
    }
    write_warps(values + states->at, &e, kernel);
    cli_json_part(kernel, "pcs");
    unsigned n = 0;
    for (WwPcEntry of; ww_pcs_next(&at, &of); n++) {
        PUT(&e, "[\n    ");
        *(e.at - sizeof "\n    ") = n == 0 ? '[' : ',';
        write_entry(&e, &of, k->uid, kernel->out);
    }
    flush(&e, kernel->out);
    cli_json_put(n == 0 ? "[]" : "\n   ]", kernel->out);
}
