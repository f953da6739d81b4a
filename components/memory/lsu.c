/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `ldst.shared`: the LD/ST unit that the sub-cores of a modern SM share.
 *
 *     in[sub-core] -> [ pending request table ] -> address units -> next -+-> L1D, by bank
 *                         => dispatch_slot                               +-> constant cache => refill, from the link to the SM's cache
 *                                                                        +-> texture cache
 *                                                                        +-> mem_out: past the L1D
 *                                                                        +-> shared memory
 *     out[sub-core] <- results <- entries whose accesses have been served
 *
 * An instruction stays in its entry of the table until all its accesses have been served. Entries do not wait for each other: results come in any order.
 * An asynchronous copy goes through twice, as a load, and copy_cycles after its data have come as a store to shared memory.
 *
 * In a cycle what is behind comes first, so that whatever moves makes room for what follows: results; completed misses; a response; the exit of
 * shared memory; caches; queues; what the address units have made; the address units; acceptance of an instruction.
 *
 * Source: the simulator released with Huerta et al., MICRO'25 (docs/modern.md).
 *
 * Sleep: while only responses are awaited, and until something is at the exit of a pipeline. Its cycles are counted, not taken from the clock: what
 * is in a pipeline stands still while the SM is not clocked.
 */
#include "lsu-priv.h"
#include "stores-priv.h"
#include "types.h"

#include <ports/hash.h>
#include <ports/test_inst.h>

/* Anything to do in the next cycle but for pipelines and responses? */
static bool is_busy(const Lsu *u)
{
    const LsuTable *t = &u->table;
    const LsuEnd *d = &u->end;
    if (t->waiting.ring.n != 0 || t->n_open != 0 || t->next.n != 0 || lsu_paths_busy(u) ||
        d->results + t->n_done != 0 || d->missed[0] || d->missed[1] || d->missed[2]) {
        return true;
    }
    if (lsu_is_offered(u)) {
        return true;
    }
    return WW_BOUND(&u->mem_in) && ww_fifo_ready(&u->mem_in);
}

static WwRest lsu_tick(void *self)
{
    Lsu *u = self;
    lsu_write_back(u);
    lsu_serve_misses(u);
    lsu_take_response(u);
    lsu_leave_shared(u);
    if (u->texture_facts != NULL) {
        ww_step(&u->textures);
        lsu_see_textures(u);
    }
    if (u->constant_facts != NULL) {
        ww_step(&u->constants);
    }
    if (u->l1d_facts != NULL) {
        ww_step(&u->l1d);
    }
    lsu_look_up(u);
    lsu_serve(u);
    lsu_translate(u);
    lsu_distribute(u);
    lsu_admit(u);
    lsu_make_accesses(u);
    lsu_accept(u);
    u->cycle++;
    if (is_busy(u)) {
        return WW_AGAIN;
    }
    WwCycle due = lsu_paths_due(u);
    if (u->end.copies.n != 0) {
        due = MIN(due, u->end.copy[ww_ring_first(&u->end.copies)].due);
    }
    return due == WW_NEVER ? WW_SLEEP : due > u->cycle ? due - u->cycle + 1 : WW_AGAIN;
}

/* Nothing happened, but whose turn it is goes on. */
static void lsu_settle(void *self, uint32_t entry, uint64_t n)
{
    Lsu *u = self;
    u->cycle += n;
    u->end.turn = (uint32_t)((u->end.turn + n) % (u->n_in + 1));
    u->table.turn = (uint32_t)((u->table.turn + n) % u->n_in);
}

/* ---- life ---------------------------------------------------------------------------------- */

static bool lsu_init(void *self, GError **error)
{
    Lsu *u = self;
    if (!coalesce_rule_fits(&u->coalescing.rule, error)) {
        return false;
    }
    if (WW_BOUND(&u->mem_out) != WW_BOUND(&u->mem_in)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "port %s is bound and %s is not; expected both (a memory) or neither",
                       WW_BOUND(&u->mem_out) ? "mem_out" : "mem_in",
                       WW_BOUND(&u->mem_out) ? "mem_in" : "mem_out");
    }
    if (WW_BOUND(&u->l1d) && !WW_BOUND(&u->mem_in)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "port l1d is bound and mem_in is not; expected a memory behind the cache");
    }
    if (u->n_in != u->n_out) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%u ports `in` are bound and %u ports `out`; expected both of each sub-core",
                       u->n_in, u->n_out);
    }
    lsu_table_init(u);
    lsu_end_init(u);
    return lsu_paths_init(u, error);
}

static const WwCacheFacts *facts_of(const WwPort *cache)
{
    return WW_BOUND(cache) ? WW_CACHE(cache)->facts(cache->peer) : NULL;
}

/* Refuses a cache that cannot take what the unit sends, or would wait in vain. */
static bool fits(const Lsu *u, const WwPort *port, uint32_t bytes, GError **error)
{
    const WwCacheFacts *f = facts_of(port);
    if (f == NULL) {
        return true;
    }
    uint32_t room = f->one_sector ? f->atom : f->line;
    if (port == &u->l1d && !(stores_fit(port, error) && stores_end(port, error))) {
        return false;
    }
    if (bytes > room) {
        g_autofree char *cache = ww_path(port->peer);
        return ww_fail(
            error, WW_ERROR_USAGE,
            "%s takes %u bytes at a time, and is sent up to %u; expected %s, or a cache with a "
            "longer line",
            cache, room, bytes,
            port == &u->l1d && WW_BOUND(&u->coalescer) ? "a coalescer of smaller transactions"
                                                       : "coalesce_arch = 40 or more");
    }
    return true;
}

/* Refuses a cache that waits for a line at once where the memory behind it answers in parts. */
static bool takes_parts(const Lsu *u, const WwPort *port, const char *expected, GError **error)
{
    const WwCacheFacts *f = facts_of(port);
    if (f == NULL || !WW_BOUND(&u->mem_in) || f->mshr_sectors != 0 || f->atom <= WW_SECTOR_BYTES ||
        (ww_carried(&u->mem_in) & WW_CARRIES_PARTS) == 0) {
        return true;
    }
    g_autofree char *cache = ww_path(port->peer);
    return ww_fail(error, WW_ERROR_USAGE,
                   "%s waits for a line of %u bytes at once, but an L2 of sectors answers in parts "
                   "of %u; expected %s",
                   cache, f->line, WW_SECTOR_BYTES, expected);
}

static bool lsu_start(void *self, GError **error)
{
    Lsu *u = self;
    const WwCacheFacts *c = facts_of(&u->constants);
    if (c != NULL) {
        ww_cache_inner(&u->constants);
    }
    const CoalescePorts ports = {&u->ctas, &u->warps, &u->coalescer};
    return fits(u, &u->l1d, coalesce_most(&u->coalescing, &ports), error) &&
           fits(u, &u->constants, c != NULL ? c->line : 0, error) &&
           fits(u, &u->textures, WW_SECTOR_BYTES, error) &&
           takes_parts(u, &u->l1d, "sector = true or mshr = sector_assoc", error) &&
           takes_parts(u, &u->textures, "sectors = true", error);
}

static void lsu_reset(void *self)
{
    Lsu *u = self;
    u->wake = ww_wake_of(u, 0);
    u->cycle = 0;
    u->l1d_facts = facts_of(&u->l1d);
    u->constant_facts = facts_of(&u->constants);
    u->texture_facts = facts_of(&u->textures);
    ww_placer_begin(&u->placer, &u->address_map);
    lsu_table_reset(u);
    lsu_paths_reset(u);
    lsu_end_reset(u);
}

static void lsu_explain(void *self, WwExplain *explain)
{
    Lsu *u = self;
    const LsuTable *t = &u->table;
    for (uint32_t i = 0; i < t->entries; i++) {
        if (t->entry[i].inst != NULL) {
            ww_explain_holds_inst(explain, t->entry[i].inst);
        }
    }
    for (uint32_t i = 0; i < u->n_in; i++) {
        if (u->end.result[i] != NULL) {
            ww_explain_holds_inst(explain, u->end.result[i]);
            ww_explain_waits(explain, u->out[i].peer,
                             "the result of %s waits for the latch of sub-core %u",
                             u->end.result[i]->s->opcode, i);
        }
    }
    uint32_t inside = t->entries - t->free.ring.n;
    if (inside != 0) {
        ww_explain_note(explain, "%u of %u entries are taken, %u of them wait for an address unit",
                        inside, t->entries, t->waiting.ring.n);
    }
    const WwMemReq *oldest = lsu_oldest_out(u);
    if (oldest != NULL) {
        uint32_t away = u->end.outstanding;
        ww_explain_waits_for(explain, ww_thing_req(oldest),
                             "%u memory %s not come back, the oldest of warp %u", away,
                             WW_PLURAL(away, "request has", "requests have"), oldest->warp);
    }
}

static uint64_t lsu_carries(void *self, const WwPortRow *row, uint32_t k)
{
    return row->contract == &ww_contract_inst ? ww_carried_from(&((const Lsu *)self)->in[k], k) : 0;
}

/* Random instructions become memory instructions: every kind, over a few lines of memory. */
static void lsu_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    static const struct {
        uint8_t space;
        uint16_t shared;
        uint32_t flags;
    } kinds[] = {
        {WW_SPACE_GLOBAL, 13, WW_TAKES_LOAD},
        {WW_SPACE_GLOBAL, 13, WW_TAKES_LOAD | WW_TAKES_ATOMIC | WW_TAKES_BYPASS},
        {WW_SPACE_GLOBAL, 13, WW_TAKES_LOAD | WW_TAKES_LDGSTS},
        {WW_SPACE_GLOBAL, 13, WW_TAKES_STORE},
        {WW_SPACE_GLOBAL, 13, WW_TAKES_STORE | WW_TAKES_BYPASS},
        {WW_SPACE_LOCAL, 13, WW_TAKES_LOAD},
        {WW_SPACE_SHARED, 8, WW_TAKES_LOAD},
        {WW_SPACE_SHARED, 7, WW_TAKES_STORE},
        {WW_SPACE_CONST, 11, WW_TAKES_LOAD},
        {WW_SPACE_NONE, 0, WW_TAKES_TEXTURE},
        {WW_SPACE_NONE, 0, WW_TAKES_OTHER},
        {WW_SPACE_NONE, 0, WW_TAKES_MEMBAR},
    };
    static const WwAddrBlock addrs[] = {
        {.base = 0x1000000, .stride = 4, .mode = WW_ADDR_STRIDE},
        {.base = 0x1000100, .stride = 64, .mode = WW_ADDR_STRIDE},
        {.base = 0x1000200, .stride = 0, .mode = WW_ADDR_STRIDE},
    };
    const Lsu *u = self;
    if (port->contract != &ww_contract_inst) {
        return;
    }
    WwInst *inst = ww_token_inst(token);
    WwTiming *t = ww_test_timing(inst);
    uint32_t k = (uint32_t)g_rand_int_range(random, 0, G_N_ELEMENTS(kinds));
    inst->sched = (uint8_t)(inst->sched % u->n_out);
    inst->space = t->space = kinds[k].space;
    t->flags = kinds[k].flags;
    t->shared = kinds[k].shared;
    t->copy = 8;
    WwAddrBlock *addr = ww_take(self, sizeof *addr);
    *addr = addrs[g_rand_int_range(random, 0, G_N_ELEMENTS(addrs))];
    inst->addr = addr;
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const char *const hashes[] = {WW_HASH_LABELS, NULL};

static const char *const copies[] = {"code", "paper", NULL};

#define ROOM(way, name_, doc_)                                                                     \
    WW_UINT_AT(Lsu, paths.room[way], name_, "entries", "1", 1, 1024, doc_)

static const WwParamRow lsu_params[] = {
    WW_UINT_AT(Lsu, table.entries, "entries", "", "128", 1, 4096,
               "entries of the pending request table: instructions in the unit"),
    WW_UINT_AT(Lsu, table.units, "address_units", "", "4", 1, LSU_MAX_UNITS,
               "address units: each makes one access per cycle for one instruction; also the "
               "number of accesses that can wait for a queue"),
    WW_UINT_AT(Lsu, table.most, "most", "entries", "1024", 0, 65536,
               "instructions in the unit, except those of shared memory; 0: no limit"),
    WW_UINT_AT(Lsu, table.most_shared, "most_shared", "entries", "0", 0, 65536,
               "the same for shared memory"),
    WW_UINT_AT(Lsu, paths.lookups, "lookups", "", "4", 1, LSU_MAX_LOOKUPS,
               "accesses per cycle to a bank of the L1D, and to queues"),
    ROOM(LSU_L1D, "l1d_queue", "queue of an L1D bank, before address translation and after it"),
    ROOM(LSU_L2, "l2_queue", "queue of accesses that bypass the L1D"),
    ROOM(LSU_SHARED, "shared_queue", "queue of shared memory"),
    ROOM(LSU_CONSTANT, "constant_queue", "queue of the constant cache"),
    ROOM(LSU_TEXTURE, "texture_queue", "queue of the texture cache"),
    ROOM(LSU_NOWHERE, "other_queue", "queue of instructions without accesses"),
    WW_UINT_AT(Lsu, paths.l1_stages, "l1_stages", "", "64", 1, 1024,
               "stages of an L1D latency queue: the largest latency"),
    WW_UINT_AT(Lsu, paths.constant_stages, "constant_stages", "", "64", 1, 1024,
               "the same for the constant cache"),
    WW_UINT_AT(Lsu, paths.shared_stages, "shared_stages", "", "64", 1, 1024,
               "the same for shared memory"),
    WW_UINT_AT(Lsu, paths.banks, "l1_banks", "", "4", 1, LSU_MAX_BANKS,
               "banks of the L1D; a power of two"),
    WW_UINT_AT(Lsu, paths.interleave, "l1_interleave", "bytes", "32", 1, 65536,
               "consecutive bytes in the same bank; a power of two"),
    WW_CHOICE_AT(Lsu, paths.hash, "l1_hash", "linear", hashes, "how an address selects its bank"),
    WW_UINT_AT(Lsu, end.copy_cycles, "copy_cycles", "cycles", "19", 1, 1024,
               "cycles for the data of an asynchronous copy from the L1D to shared memory"),
    WW_CHOICE_AT(Lsu, end.copies_are, "copies", "code", copies,
                 "asynchronous copies whose data have arrived: code: pass through the unit again "
                 "as stores, as in the released simulator; paper: end"),
    WW_UINT_AT(Lsu, paths.shared_banks, "smem_banks", "", "32", 1, SMEM_MAX_BANKS,
               "banks of shared memory, each one 4-byte word wide"),
    WW_BOOL_OF(
        Lsu, paths, limited_broadcast, "false",
        "shared memory broadcasts one word per group; false: every word that several lanes read"),
    WW_BOOL_AT(Lsu, paths.first_word, "smem_first_word", "true",
               "shared memory only sees the first word of each lane, as in the released simulator"),
    WW_BOOL_AT(Lsu, paths.atomics_merge, "shared_atomics_merge", "true",
               "lanes of a shared-memory atomic on the same word cost nothing extra, as in the "
               "released simulator"),
    COALESCE_PARTS(Lsu),
    COALESCE_ARCH(Lsu, coalescing.rule, "86"),
    WW_BOOL_AT(Lsu, coalescing.rule.skip_l1, "gmem_skip_l1", "false",
               "global accesses bypass the L1D"),
    COALESCE_LOCAL_MAP(Lsu),
    WW_U64_OF(Lsu, coalescing, local_start, "", "0xffffffff7f880000", 0,
              UINT64_C(0xfffffffffff00000),
              "start of local memory in the memory system; default: that of the released "
              "simulator, whose sum of sizes wraps around"),
    COALESCE_NULL(Lsu),
    WW_BOOL_OF(Lsu, coalescing, highest_first, "true",
               "the accesses of an instruction are made in descending order of address, as in the "
               "reference; false: ascending"),
    COALESCE_WIDTHS(Lsu),
    {0},
};

static const WwPortRow lsu_ports[] = {
    WW_PORT_ARRAY(Lsu, in, WW_IN, &ww_contract_inst, 1, NULL,
                  "the reception latch of each sub-core, by number"),
    WW_PORT_ARRAY(Lsu, out, WW_OUT, &ww_contract_inst, 1, NULL,
                  "the latch of results from the SM of each sub-core, by its number"),
    WW_PORT_OUT(Lsu, mem_out, &ww_contract_mem_request, 0,
                "requests that bypass the L1D; the room of the network's input"),
    WW_PORT_IN(Lsu, mem_in, &ww_contract_mem_response, 0,
               "responses; its depth is that of the response queue"),
    WW_PORT_REQUIRES(Lsu, warps, &ww_contract_warps, 1, WW_RANK_WRITEBACK,
                     "counters of stores; told of instructions that end without a result"),
    WW_PORT_REQUIRES(Lsu, dispatch, &ww_contract_dispatch_slot, 1, WW_RANK_SHARED,
                     "nothing is accepted while a transfer is in progress"),
    WW_PORT_REQUIRES(Lsu, ctas, &ww_contract_ctas, 1, NULL,
                     "number of this SM, and the placement of local memory"),
    WW_PORT_OWNS(Lsu, constants, &ww_contract_cache, 0,
                 "constant cache of LDC, whose `lower` goes to the link to the SM's cache; "
                 "unbound: constants always hit"),
    WW_PORT_OWNS(Lsu, l1d, &ww_contract_cache, 0,
                 "L1D, whose `lower` shares the channel of mem_out"),
    WW_PORT_OWNS(
        Lsu, textures, &ww_contract_cache, 0,
        "texture cache, whose `lower` shares the channel of mem_out; unbound: textures always hit"),
    WW_PORT_PROVIDES(Lsu, refill, &ww_contract_refill, &lsu_refill_table,
                     "responses for the constant cache"),
    WW_PORT_REQUIRES(
        Lsu, coalescer, &ww_contract_coalescer, 0, NULL,
        "makes the transactions of global and local memory, instead of the unit's own rule"),
    WW_PORT_REQUIRES(Lsu, address_map, &ww_contract_address_map, 0, NULL,
                     "gives the place of a request in memory"),
    WW_PORT_REQUIRES(Lsu, ends, &ww_contract_inst_ends, 0, NULL,
                     "told of instructions that end without a result, instead of the warps"),
    WW_PORT_PCS(Lsu, "told of transactions"),
    {0},
};

static const char *const way_labels[LSU_N_WAYS] = {"l1d",      "past_l1", "shared",
                                                   "constant", "texture", "nowhere"};
static const char *const class_labels[LSU_N_CLASSES] = {"load", "store", "shared", "constant",
                                                        "other"};
static const char *const traffic_labels[] = {WW_TRAFFIC_LABELS};

static const WwStatRow lsu_stats[] = {
    WW_VECTOR_OF(Lsu, counts, instructions, "instructions", way_labels,
                 "instructions accepted, by where their accesses go; the store of an asynchronous "
                 "copy also counts"),
    WW_COUNTER_OF(Lsu, counts, lanes, "lanes", "their active lanes"),
    WW_VECTOR_OF(Lsu, counts, lanes_of, "lanes", class_labels,
                 "active lanes of these, by kind: loads and stores of global and local memory, "
                 "others; an asynchronous copy is a load, and then shared"),
    WW_VECTOR_OF(Lsu, counts, accesses, "accesses", way_labels,
                 "accesses made by the address units"),
    WW_MAXIMUM_OF(Lsu, counts, table_most, "entries", "maximum of table entries in use"),
    WW_COUNTER_OF(Lsu, counts, table_full, "cycles",
                  "cycles in which an instruction found all entries in use"),
    WW_COUNTER_OF(Lsu, counts, next_full, "cycles",
                  "cycles in which as many accesses waited for a queue as there are address units"),
    WW_VECTOR_OF(Lsu, counts, refused, "accesses", way_labels,
                 "attempts to proceed that found the next place full"),
    WW_COUNTER_OF(Lsu, counts, l1d_lookups_lost, "accesses",
                  "accesses a bank of the L1D could have taken, had there not been one whose place "
                  "in the latency queue was full"),
    WW_COUNTER_OF(Lsu, counts, bank_conflicts, "cycles",
                  "accesses to shared memory beyond the first of an instruction"),
    WW_COUNTER_OF(Lsu, counts, results, "instructions", "results sent to a sub-core"),
    WW_COUNTER_OF(Lsu, counts, result_waits, "cycles",
                  "cycles in which a result found the latch of its sub-core full"),
    WW_COUNTER_OF(Lsu, counts, copies, "instructions", "asynchronous copies whose data arrived"),
    WW_COUNTER_OF(Lsu, counts, strays, "tokens",
                  "dropped responses that this unit had not requested"),
    WW_VECTOR_OF(Lsu, counts, traffic, "packets", traffic_labels,
                 "packets that bypass the L1D, by access type and bytes"),
    {0},
};

static const WwEntryRow lsu_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = lsu_tick,
     .doc = "handles results, responses, memories, address units, acceptance"},
    {0},
};

static const WwEventField field_space = WW_EVENT_FIELD("space", WW_EVENT_LABEL, "", "memory space");
static const WwEventField field_accesses =
    WW_EVENT_FIELD("accesses", WW_EVENT_NUMBER, "requests", "that its lanes are coalesced to");
static const WwEventField field_cycles =
    WW_EVENT_FIELD("cycles", WW_EVENT_NUMBER, "cycles", "for which its lanes take shared memory");
const WwEventRow lsu_events[] = {
    [LOG_EXEC] = {"exec",
                  "warp",
                  "an instruction gets an entry of the pending request table",
                  {&ww_field_inst, &field_space, &field_accesses, &field_cycles}},
    [LOG_COPY] = {"copy",
                  "warp",
                  "the data of an asynchronous copy leave for shared memory",
                  {&ww_field_inst}},
    [LOG_REQUEST] = {"request",
                     "warp",
                     "the request of an access is made, to its cache or bypassing it",
                     {&ww_field_request}},
    [LOG_SEND] = {"send",
                  "warp",
                  "a request that does not go to the L1D leaves for the network",
                  {&ww_field_request}},
    [LOG_RESPONSE] = {"response", "warp", "the unit takes a response", {&ww_field_request}},
    [LOG_DONE] = {"done",
                  "warp",
                  "a request of the unit completes: a load has its data, a store is acknowledged",
                  {&ww_field_request}},
    [LOG_RETIRE] = WW_EVENT_RETIRE,
    {0},
};

const WwType ldst_shared_type = {
    .abi = WW_ABI_VERSION,
    .name = "ldst.shared",
    .doc = "LD/ST unit shared by the sub-cores of an SM: pending request table, address units, "
           "paths to the memories.",
    .family = "memory",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Lsu),
    .events = lsu_events,
    .params = lsu_params,
    .ports = lsu_ports,
    .stats = lsu_stats,
    .entries = lsu_entries,
    .init = lsu_init,
    .start = lsu_start,
    .reset = lsu_reset,
    .settle = lsu_settle,
    .explain = lsu_explain,
    .carries = lsu_carries,
    .adapt = lsu_adapt,
};
