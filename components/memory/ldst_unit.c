/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LD/ST unit of an SM.
 *
 *     in (OC_EX_MEM) -> [ dispatch register ] -+-> shared-memory pipeline --------------+
 *                                              +-> mem_out ... memory ... mem_in -> held +
 *                                              +-> latency queues -> L1D  -> misses -----+
 *                         warps <- [ write-back register ] <- five clients in turn ------+
 *
 * Cycle of the unit (mem_unit_ports of them in a tick), in this order: finish the write-back
 * register, refill it from the next ready of five clients; advance the shared-memory pipeline;
 * take one response; give the L1D its cycle, then look up the exits of its latency queues; serve
 * the dispatch register. Last in the tick the oldest instruction of `in` is accepted if the
 * dispatch register is empty, so it is served from the next tick on.
 *
 * Shared memory (ldst_shared.c): an instruction holds the dispatch register one cycle for each
 * conflicting access to a bank, then a load enters the pipeline.
 *
 * Global and local memory: accesses go to the L1D (ldst_l1.c), or one a cycle past it as requests
 * of their own: with the operator "global", without an L1D, and by choice for global memory. The
 * next instruction is accepted when all have left; a load completes with its last data, a store at
 * once (its warp counts the acknowledgements).
 *
 * Sleep: the unit runs while it moves something, while the L1D has something to do, and while the
 * L1D refuses an access (every try counts there). It sleeps through bank conflicts and a full
 * mem_out (settle() counts the stalled cycles; the L1D is told whom room wakes), through the
 * shared-memory pipeline and the latency queues until a head is due, and while only responses are
 * awaited. Its cycles are counted, not taken from the clock: what is in a pipeline stands still
 * while the SM is not clocked.
 */
#include "ldst-priv.h"
#include "smem-priv.h"
#include "types.h"

#include <ports/test_inst.h>
#include <string.h>

/* Has the network room for the next access? */
static bool network_room(const Ldst *u)
{
    bool data = u->dispatch.flight == NULL || (u->dispatch.inst->s->flags & WW_INST_ATOMIC) != 0;
    return ww_fifo_room_for(&u->mem_out,
                            WW_PACKET_HEAD + (data ? ldst_next_access(&u->dispatch)->size : 0));
}

/* Past the L1D: sends the next access to memory; there must be room. */
static void send_access(Ldst *u)
{
    LdstReq *r = ldst_request(u);
    WW_LOG(u, &ldst_events[LOG_REQUEST], r->req.warp, WW_PART(&r->req));
    ldst_sent(&u->dispatch);
    u->counts.traffic[ww_traffic_entry(&r->req, false)]++;
    if (r->flight == NULL) {
        ldst_store_sent(u, r, 1);
    }
    WW_LOG(u, &ldst_events[LOG_SEND], r->req.warp, WW_PART(&r->req));
    ww_fifo_put(&u->mem_out, (WwToken)(uintptr_t)r);
}

/* Global and local memory: false while accesses are left. */
static bool serve_memory(Ldst *u)
{
    if (u->dispatch.cached) {
        return ldst_l1_serve(u);
    }
    if (!network_room(u)) {
        ldst_count_stall(&u->counts, ldst_kind(u->dispatch.inst), LDST_STALL_ICNT, 1);
        return false;
    }
    send_access(u);
    if (u->dispatch.n != 0) {
        ldst_count_stall(&u->counts, ldst_kind(u->dispatch.inst), LDST_STALL_COALESCING, 1);
        return false;
    }
    return true;
}

/* A load with no response to come for its destination completes here; what of it ends. */
static uint32_t complete_load(Ldst *u)
{
    const WwInst *inst = u->dispatch.inst;
    if ((inst->s->flags & WW_INST_LDGSTS) &&
        ldst_copy_over(&u->pending, inst->warp, inst->s->pc, u->dispatch.addr0)) {
        ldst_copied(u, inst->warp, inst->s->pc, u->dispatch.addr0);
    }
    return inst->s->ndst != 0 ? WW_END_COUNT | WW_END_RESULT : WW_END_COUNT;
}

/* The dispatch register's instruction has no accesses left: where it goes. */
static void retire(Ldst *u)
{
    WwInst *inst = u->dispatch.inst;
    LdstFlight *f = u->dispatch.flight;
    bool load = ww_inst_is_load(inst), over = f == NULL || f->left == 0;
    uint32_t ends = WW_END_PIPELINE;
    if (load && inst->space == WW_SPACE_SHARED) {
        if (ldst_shared_enter(&u->shared, inst, u->cycle)) {
            u->dispatch.inst = NULL;
        }
        return;
    }
    if (!load) {
        ends |= WW_END_COUNT;
    } else if (over || ldst_destination(u, inst) == 0) {
        ends |= complete_load(u);
    }
    if (over) {
        ends |= WW_END_RECORD;
        if (f != NULL) {
            ldst_flight_end(&u->pending, f);
        }
    }
    u->dispatch.inst = NULL;
    ldst_finish(u, inst, ends);
}

static void unit_cycle(Ldst *u)
{
    if (ldst_wb_busy(&u->wb) || u->shared.pipe.n != 0) {
        ldst_write_back(u);
    }
    if (u->mem_in.peer != NULL && ww_fifo_length(&u->mem_in) != 0) {
        ldst_take_response(u);
    }
    if (u->l1.facts != NULL) {
        ww_step(&u->l1d);
        if (u->cycle >= u->l1.next) {
            ldst_l1_look_up(u);
        }
    }
    if (u->dispatch.inst == NULL) {
        return;
    }
    if (u->dispatch.conflicts ? ldst_shared_serve(u->dispatch.inst, &u->counts)
                              : u->dispatch.n == 0 || serve_memory(u)) {
        retire(u);
    }
}

/* Cycles of the unit that are nothing but stalls, from the next one on. */
static inline uint64_t stalled_cycles(const Ldst *u)
{
    if (u->dispatch.conflicts) {
        return u->dispatch.inst->cycles > 1 ? u->dispatch.inst->cycles - 1u : 0;
    }
    return u->dispatch.n != 0 && !u->dispatch.cached && !network_room(u) ? WW_NEVER : 0;
}

/* Whole ticks of @p cycles of the unit. */
static inline uint64_t ticks_of(const Ldst *u, uint64_t cycles)
{
    return u->turns == 1 ? cycles : cycles / u->turns;
}

/* Ticks from this one to the tick of the unit's cycle @p due. */
static inline WwRest ticks_until(const Ldst *u, uint64_t due)
{
    return due > u->cycle ? ticks_of(u, due - u->cycle) + 1 : WW_AGAIN;
}

/* What to wait for; `cycle` is that of the next tick's first. */
static WwRest rest(Ldst *u)
{
    if (ldst_wb_busy(&u->wb) || (WW_BOUND(&u->mem_in) && ww_fifo_ready(&u->mem_in))) {
        return WW_AGAIN;
    }
    WwRest r = WW_SLEEP;
    if (u->dispatch.inst != NULL) {
        uint64_t stalled = stalled_cycles(u);
        r = stalled == WW_NEVER ? WW_SLEEP : ticks_of(u, stalled) + 1;
    }
    if (u->shared.pipe.n != 0) {
        r = MIN(r, ticks_until(u, ldst_shared_due(&u->shared)));
    }
    if (u->l1.queued != 0) {
        r = MIN(r, ticks_until(u, u->l1.next));
    }
    return r;
}

static WwRest ldst_execute(void *self)
{
    Ldst *u = self;
    uint32_t left = u->turns; /* never 0 */
    do {
        unit_cycle(u);
        u->cycle++;
    } while (--left != 0);
    if (u->dispatch.inst == NULL) {
        int slot = ww_regs_oldest(&u->in);
        if (slot >= 0) {
            ldst_accept(u, ww_regs_take(&u->in, slot));
        }
    }
    return rest(u);
}

/* Slept cycles with an occupied dispatch register were stalls, all of the same kind. */
static void ldst_settle(void *self, uint32_t entry, uint64_t n)
{
    Ldst *u = self;
    uint64_t cycles = n * u->turns;
    u->cycle += cycles;
    if (u->dispatch.inst == NULL) {
        return;
    }
    if (u->dispatch.conflicts) {
        ldst_shared_conflicts(u->dispatch.inst, cycles, &u->counts);
    } else if (u->dispatch.n != 0) {
        ldst_count_stall(&u->counts, ldst_kind(u->dispatch.inst), LDST_STALL_ICNT, cycles);
    }
}

static bool ldst_init(void *self, GError **error)
{
    Ldst *u = self;
    if (!coalesce_rule_fits(&u->coalescing.rule, error)) {
        return false;
    }
    if (WW_BOUND(&u->mem_out) != WW_BOUND(&u->mem_in)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "port %s is bound and %s is not; expected both (a memory) or neither",
                       WW_BOUND(&u->mem_out) ? "mem_out" : "mem_in",
                       WW_BOUND(&u->mem_out) ? "mem_in" : "mem_out");
    }
    if (!ldst_l1_init(u, error)) {
        return false;
    }
    u->turns = u->mem_unit_ports != 0 ? u->mem_unit_ports : u->coalescing.rule.parts;
    u->coalescing.local_start = LDST_LOCAL_START;
    ldst_shared_init(&u->shared, u);
    ldst_pending_init(&u->pending, u);
    ldst_wb_init(&u->wb, u, u->l1.banks);
    return true;
}

static bool ldst_start(void *self, GError **error)
{
    return ldst_l1_start(self, error);
}

static void ldst_reset(void *self)
{
    Ldst *u = self;
    u->cycle = 0;
    ww_puts_a_turn(&u->mem_out, u->turns);
    ww_placer_begin(&u->placer, &u->address_map);
    ldst_l1_reset(u);
    ww_ring_clear(&u->shared.pipe);
    ldst_pending_reset(&u->pending);
    ldst_wb_reset(&u->wb);
    u->dispatch.inst = NULL;
    u->dispatch.n = 0;
}

static void ldst_explain(void *self, WwExplain *explain)
{
    Ldst *u = self;
    const LdstDispatch *d = &u->dispatch;
    if (u->wb.inst != NULL && WW_BOUND(&u->banks)) {
        ww_explain_waits(explain, u->banks.peer,
                         "the write-back register waits for a register bank");
    }
    if (d->inst != NULL) {
        ww_explain_holds_inst(explain, d->inst);
    }
    ldst_shared_explain(&u->shared, explain);
    uint32_t outstanding = u->pending.outstanding;
    if (outstanding != 0) {
        ww_explain_holds(explain, WW_THING_UNKNOWN, "%u memory %s", outstanding,
                         WW_PLURAL(outstanding, "request", "requests"));
    }
    if (d->inst != NULL && d->n != 0) {
        ww_explain_waits(explain, d->cached ? u->l1d.peer : u->mem_out.peer,
                         "%u %s of %s (warp %u) %s for room", d->n,
                         WW_PLURAL(d->n, "access", "accesses"), d->inst->s->opcode, d->inst->warp,
                         WW_PLURAL(d->n, "waits", "wait"));
    }
    /* requests that are with the unit itself: those in front of the L1D, a held response */
    g_autoptr(GHashTable) mine = g_hash_table_new(NULL, NULL);
    uint32_t waiting = ldst_l1_collect(&u->l1, mine);
    if (u->wb.held != NULL) {
        g_hash_table_add(mine, u->wb.held);
    }
    if (waiting != 0) {
        ww_explain_waits(explain, u->l1d.peer, "%u %s in front of the L1D", waiting,
                         WW_PLURAL(waiting, "access is", "accesses are"));
    }
    const WwMemReq *oldest = ldst_oldest_out(&u->pending, mine);
    if (oldest != NULL) {
        uint32_t away = outstanding - waiting;
        ww_explain_waits_for(explain, ww_thing_req(oldest),
                             "%u memory %s not come back, the oldest of warp %u", away,
                             WW_PLURAL(away, "request has", "requests have"), oldest->warp);
    }
}

/* Random instructions become memory instructions: every kind, over a few lines of memory. */
static void ldst_adapt(void *self, const WwPortRow *port, WwToken token, GRand *random)
{
    static const struct {
        uint8_t op, space;
        uint16_t flags;
    } kinds[] = {
        {WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_LOAD},
        {WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_LOAD | WW_INST_ATOMIC | WW_INST_BYPASS_L1},
        {WW_OP_LOAD, WW_SPACE_GLOBAL, WW_INST_LOAD | WW_INST_LDGSTS},
        {WW_OP_LOAD, WW_SPACE_LOCAL, WW_INST_LOAD},
        {WW_OP_LOAD, WW_SPACE_SHARED, WW_INST_LOAD},
        {WW_OP_LOAD, WW_SPACE_CONST, WW_INST_LOAD},
        {WW_OP_STORE, WW_SPACE_GLOBAL, WW_INST_STORE},
        {WW_OP_STORE, WW_SPACE_SHARED, WW_INST_STORE},
        {WW_OP_STORE, WW_SPACE_SHARED, WW_INST_LOAD | WW_INST_STORE | WW_INST_ATOMIC},
        {WW_OP_MEMBAR, WW_SPACE_NONE, 0},
    };
    static const WwAddrBlock addrs[] = {
        {.base = 0x1000000, .stride = 4, .mode = WW_ADDR_STRIDE},
        {.base = 0x1000100, .stride = 64, .mode = WW_ADDR_STRIDE},
        {.base = 0x1000200, .stride = 0, .mode = WW_ADDR_STRIDE},
    };
    if (strcmp(port->name, "in") != 0) {
        return;
    }
    WwInst *inst = (WwInst *)(uintptr_t)token;
    WwSinst *s = ww_test_sinst(inst);
    uint32_t k = (uint32_t)g_rand_int_range(random, 0, G_N_ELEMENTS(kinds));
    inst->op = s->op = kinds[k].op;
    inst->space = s->space = kinds[k].space;
    s->flags = kinds[k].flags;
    if (!(s->flags & WW_INST_LOAD) || (s->flags & WW_INST_LDGSTS)) {
        s->dst = s->ndst = 0;
    }
    WwAddrBlock *addr = ww_take(self, sizeof *addr);
    *addr = addrs[g_rand_int_range(random, 0, G_N_ELEMENTS(addrs))];
    inst->addr = addr;
}

static const WwParamRow ldst_params[] = {
    WW_UINT_AT(Ldst, shared.latency, "smem_latency", "cycles", "20", 2, 1024,
               "stages of the shared-memory pipeline"),
    WW_UINT_AT(Ldst, shared.banks, "smem_banks", "", "32", 1, SMEM_MAX_BANKS,
               "banks of shared memory, each one 4-byte word wide"),
    COALESCE_PARTS(Ldst),
    WW_BOOL_OF(
        Ldst, shared, limited_broadcast, "false",
        "shared memory broadcasts one word per group; false: every word that several lanes read"),
    COALESCE_ARCH(Ldst, coalescing.rule, "70"),
    WW_BOOL_AT(Ldst, coalescing.rule.skip_l1, "gmem_skip_l1", "false",
               "global accesses bypass the L1D; rules 20..38 then use 32-byte segments"),
    COALESCE_LOCAL_MAP(Ldst),
    WW_UINT(Ldst, mem_unit_ports, "", "1", 0, 32, "unit cycles per core cycle; 0: warp_parts"),
    WW_BOOL_OF(Ldst, wb, count_ldgsts_twice, "true",
               "an asynchronous copy counts as completed again when its data return from memory, "
               "as in the reference; one that hits the L1D counts once"),
    COALESCE_NULL(Ldst),
    WW_BOOL_AT(Ldst, shared.first_word, "smem_first_word", "true",
               "shared memory only sees the first word of each lane, as in the reference; false: "
               "8- and 16-byte accesses take two and four parts"),
    WW_BOOL_OF(Ldst, coalescing, highest_first, "true",
               "the accesses of an instruction leave in descending order of address, as in the "
               "reference; false: ascending"),
    COALESCE_WIDTHS(Ldst),
    WW_BOOL_AT(Ldst, shared.atomics_merge, "shared_atomics_merge", "true",
               "lanes of a shared-memory atomic on the same word cost nothing extra, as in the "
               "reference; false: they are serialised"),
    WW_UINT_AT(Ldst, l1.banks, "l1_banks", "", "1", 1, LDST_MAX_BANKS, "banks of the L1D"),
    WW_BOOL_OF(Ldst, wb, hits_write_back, "false",
               "L1D hits use the write-back register and a register bank, as misses do; false: "
               "they complete at the look-up, as in the reference"),
    WW_BOOL_AT(Ldst, l1.queues_close_up, "l1_queues_close_up", "true",
               "accesses in a latency queue close up behind a blocked exit, as in the reference; "
               "false: they all stop"),
    WW_BOOL_OF(Ldst, l1, places_unsent, "true",
               "an access that finds its latency queue full also consults the address map, as in "
               "the reference"),
    WW_UINT_AT(Ldst, l1.latency, "l1_latency", "cycles", "1", 0, 1024,
               "from entering a bank's queue to the look-up; 0: no queues, one access per cycle"),
    WW_UINT_AT(Ldst, l1.interleave, "l1_interleave", "bytes", "32", 1, 65536,
               "consecutive bytes in the same bank, rounded down to a power of two"),
    WW_CHOICE_AT(Ldst, l1.hash, "l1_hash", "linear", ldst_l1_hashes,
                 "how an address selects its bank"),
    {0},
};

static const WwGoneRow ldst_gone[] = {
    {"zero_register", "as the scoreboard says (score.zero_register, sm.score.zero_register)"},
    {0},
};

/* What every SM has for the unit; @p rank: when it acts among those that end instructions. */
#define PORTS(rank)                                                                                \
    WW_PORT_IN(Ldst, in, &ww_contract_inst, 1,                                                     \
               "memory instructions with their operands (OC_EX_MEM)"),                             \
        WW_PORT_OUT(Ldst, mem_out, &ww_contract_mem_request, 0,                                    \
                    "requests to memory; the room of the network's input"),                        \
        WW_PORT_IN(Ldst, mem_in, &ww_contract_mem_response, 0,                                     \
                   "responses; its depth is that of the response queue"),                          \
        WW_PORT_REQUIRES(Ldst, warps, &ww_contract_warps, 1, rank,                                 \
                         "counters of the warps; told of instructions that end")
#define PORTS_BEHIND                                                                               \
    WW_PORT_REQUIRES(Ldst, ctas, &ww_contract_ctas, 1, NULL,                                       \
                     "number of this SM, and the placement of local memory"),                      \
        WW_PORT_OWNS(Ldst, l1d, &ww_contract_cache, 0,                                             \
                     "L1D, whose `lower` shares the channel of mem_out"),                          \
        WW_PORT_REQUIRES(                                                                          \
            Ldst, coalescer, &ww_contract_coalescer, 0, NULL,                                      \
            "makes the transactions of global and local memory, instead of the unit's own rule"),  \
        WW_PORT_REQUIRES(Ldst, address_map, &ww_contract_address_map, 0, NULL,                     \
                         "gives the place of a request in memory"),                                \
        WW_PORT_PCS(Ldst, "told of transactions")

static const WwPortRow ldst_ports[] = {
    PORTS(WW_RANK_EXECUTE),
    WW_PORT_REQUIRES(Ldst, barriers, &ww_contract_barriers, 1, WW_RANK_EXECUTE,
                     "finished asynchronous copies"),
    WW_PORT_REQUIRES(Ldst, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                     "register banks for results"),
    PORTS_BEHIND,
    {0},
};

/* Registers are written, and copies waited for, elsewhere. */
static const WwPortRow linked_ports[] = {
    PORTS(WW_RANK_WRITEBACK),
    WW_PORT_REQUIRES(Ldst, ends, &ww_contract_inst_ends, 1, NULL,
                     "told of instructions that end, instead of the warps"),
    PORTS_BEHIND,
    {0},
};

#define STALLS(kind) kind ".bank", kind ".coalescing", kind ".icnt", kind ".data_port"
static const char *const stall_labels[LDST_N_KINDS * LDST_N_STALLS] = {
    STALLS("c_mem"),      STALLS("t_mem"),        STALLS("s_mem"),       STALLS("global_load"),
    STALLS("local_load"), STALLS("global_store"), STALLS("local_store"),
};
static const char *const traffic_labels[] = {WW_TRAFFIC_LABELS};

static const WwStatRow ldst_stats[] = {
    WW_COUNTER_OF(Ldst, counts, n_insn, "instructions", "instructions accepted"),
    WW_COUNTER_OF(Ldst, counts, n_load_insn, "lanes",
                  "active lanes of loads and atomics of global and local memory"),
    WW_COUNTER_OF(Ldst, counts, n_store_insn, "lanes",
                  "active lanes of stores to global and local memory"),
    WW_COUNTER_OF(Ldst, counts, n_shmem_insn, "lanes", "active lanes of accesses to shared memory"),
    WW_COUNTER_OF(Ldst, counts, n_const_insn, "lanes",
                  "active lanes of accesses to constant memory"),
    WW_COUNTER_OF(Ldst, counts, n_stall_shd_mem, "cycles",
                  "cycles in which the instruction in the dispatch register was not finished"),
    WW_COUNTER_OF(Ldst, counts, n_shmem_bkconflict, "cycles",
                  "of these, for bank conflicts of shared memory"),
    WW_COUNTER_OF(Ldst, counts, n_shmem_bank_access, "cycles",
                  "cycles in which shared memory was accessed"),
    WW_COUNTER_OF(Ldst, counts, n_l1cache_bkconflict, "accesses",
                  "refusals by the L1D bank queues"),
    WW_COUNTER_OF(Ldst, counts, n_writeback, "results",
                  "results that went through the write-back register"),
    WW_COUNTER_OF(Ldst, counts, n_writeback_blocked, "cycles",
                  "cycles in which the write-back register waited for a bank"),
    WW_COUNTER_OF(Ldst, counts, n_stray, "tokens",
                  "dropped responses that this unit had not requested"),
    WW_VECTOR_OF(Ldst, counts, stall, "cycles", stall_labels,
                 "unfinished cycles by kind of access and reason"),
    WW_VECTOR_OF(Ldst, counts, traffic, "packets", traffic_labels,
                 "packets that bypass the L1D, by access type and bytes"),
    {0},
};

static const WwEntryRow ldst_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = ldst_execute,
     .doc = "handles write-back, responses, dispatch register, acceptance"},
    {0},
};

static const WwEventField field_space = WW_EVENT_FIELD("space", WW_EVENT_LABEL, "", "memory space");
static const WwEventField field_accesses =
    WW_EVENT_FIELD("accesses", WW_EVENT_NUMBER, "requests", "that its lanes are coalesced to");
static const WwEventField field_cycles = WW_EVENT_FIELD(
    "cycles", WW_EVENT_NUMBER, "cycles", "for which its lanes take shared memory, beyond one");
static const WwEventField field_what = WW_EVENT_FIELD(
    "what", WW_EVENT_WORD, "", "register: a load's; shared: what asynchronous copies brought");
static const WwEventField field_register =
    WW_EVENT_FIELD("register", WW_EVENT_NUMBER, "", "its number; of a pair the first");
const WwEventRow ldst_events[] = {
    [LOG_EXEC] = {"exec",
                  "warp",
                  "the unit accepts a memory instruction",
                  {&ww_field_inst, &field_space, &field_accesses, &field_cycles}},
    [LOG_REQUEST] = {"request",
                     "warp",
                     "a coalesced access leaves the dispatch register: its request is made",
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
    [LOG_WRITEBACK] = {"writeback",
                       "warp",
                       "a load's register is written, with the last of its requests",
                       {&ww_field_uid, &field_what, &field_register}},
    {0},
};

#define TYPE(name_, doc_, ports_)                                                                  \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = name_, .doc = doc_, .family = "memory",                     \
        .conserves = WW_CONSERVES_NOTHING_SAID, .size = sizeof(Ldst), .events = ldst_events,       \
        .params = ldst_params, .gone = ldst_gone, .ports = ports_, .stats = ldst_stats,            \
        .entries = ldst_entries, .init = ldst_init, .reset = ldst_reset, .settle = ldst_settle,    \
        .adapt = ldst_adapt, .explain = ldst_explain, .start = ldst_start                          \
    }

const WwType ldst_unit_type =
    TYPE("ldst_unit",
         "Load/store unit: coalescer, shared memory with bank conflicts, write-back of loads.",
         ldst_ports);

const WwType ldst_unit_linked_type = TYPE(
    "ldst_unit.linked",
    "ldst_unit for another kind of SM: link.ldst_unit connects it to sub-cores.", linked_ports);
