/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The LD/ST unit of an SM.
 *
 *     in (OC_EX_MEM) -> [ dispatch register ] -+-> shared-memory pipeline --------------+
 *                                              +-> mem_out ... memory ... mem_in -> held +
 *                 hazard, warps <- [ write-back register ] <- five clients in turn ------+
 *
 * Cycle of the unit (mem_unit_ports of them in a tick), in this order: finish the write-back
 * register, refill it from the next ready of five clients; advance the shared-memory pipeline;
 * take one response; serve the dispatch register. Last in the tick the oldest instruction of `in`
 * is accepted if the dispatch register is empty, so it is served from the next tick on.
 *
 * Shared memory: an instruction holds the dispatch register one cycle for each conflicting access
 * to a bank, then a load enters the pipeline. Stages move up as soon as the one ahead is empty,
 * also behind a blocked exit. With one entry and one exit a cycle that means: the k-th
 * instruction of the pipeline is in stage max(k, stages - 1 - its age), so nothing moves here; a
 * ring remembers when each arrives at the exit if nothing is in its way. The last stage is free
 * if and only if fewer are inside than there are stages.
 *
 * Global and local memory: one access a cycle leaves as a request. serve_memory() is the one
 * place that chooses an access's path; there is one path, past any first-level cache. The next
 * instruction is accepted when all have left; a load completes with its last response, a store at
 * once (its warp counts the acknowledgements).
 *
 * Sleep: the unit runs while it moves something. It sleeps through bank conflicts and a full
 * mem_out (settle() counts the stalled cycles), through the shared-memory pipeline until its head
 * is due, and while only responses are awaited.
 */
#include "ldst-priv.h"
#include "types.h"

#include <string.h>

static inline void count_stall(Ldst *u, LdstKind kind, LdstStall stall, uint64_t cycles)
{
    u->n_stall_shd_mem += cycles;
    u->stall[kind * LDST_N_STALLS + stall] += cycles;
}

/* Rows of the stall matrix for global and local memory. */
static inline LdstKind kind_of(const WwInst *inst)
{
    bool local = inst->space == WW_SPACE_LOCAL;
    if (ww_inst_is_store(inst)) {
        return local ? LDST_L_ST : LDST_G_ST;
    }
    return local ? LDST_L_LD : LDST_G_LD;
}

static inline void count_conflicts(Ldst *u, uint64_t cycles)
{
    count_stall(u, LDST_S_MEM, LDST_STALL_BANK, cycles);
    u->n_shmem_bkconflict += cycles;
    u->n_shmem_bank_access += cycles;
}

/* Shared memory: false while accesses to a bank follow one another. */
static bool serve_shared(Ldst *u)
{
    WwInst *inst = u->d.inst;
    if (inst->cycles > 1) {
        inst->cycles--;
        count_conflicts(u, 1);
        return false;
    }
    u->n_shmem_bank_access += inst->cycles;
    inst->cycles = 0;
    return true;
}

static WwAccessType access_type(const WwInst *inst, bool write)
{
    if (inst->space == WW_SPACE_LOCAL) {
        return write ? WW_ACCESS_LOCAL_W : WW_ACCESS_LOCAL_R;
    }
    return write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
}

/* Sends the next access to memory; there must be room. */
static void send_access(Ldst *u)
{
    WwInst *inst = u->d.inst;
    const LdstAccess *a = &u->d.access[--u->d.n];
    bool write = u->d.flight == NULL;
    LdstReq *r = ldst_pool_take(&u->reqs);
    *r = (LdstReq){.req = {.addr = a->addr,
                           .inst = write ? &u->stored : inst,
                           .bytes = a->bytes,
                           .birth = ww_now(u),
                           .serial = u->serial++,
                           .size = a->size,
                           .lanes = a->lanes,
                           .sm = (uint16_t)WW_CTAS(&u->ctas)->view(u->ctas.peer)->sm,
                           .warp = inst->warp,
                           .type = (uint8_t)access_type(inst, write),
                           .sectors = a->sectors,
                           .write = write,
                           .atomic = !write && (inst->s->flags & WW_INST_ATOMIC) != 0,
                           .bypass_l1 = (inst->s->flags & WW_INST_BYPASS_L1) != 0},
                   .flight = u->d.flight};
    u->outstanding++;
    u->packets[r->req.type]++;
    if (write) {
        WW_WARPS(&u->warps)->stores(u->warps.peer, inst->warp, 1);
    }
    WW_EVENT(u, "request", inst->warp, "%s addr=%" G_GINT64_MODIFIER "x size=%u",
             ww_access_type_name(r->req.type), a->addr, a->size);
    ww_fifo_put(&u->mem_out, (WwToken)(uintptr_t)r);
}

/* Global and local memory: the path of the next access. False while accesses are left. */
static bool serve_memory(Ldst *u)
{
    if (!ww_fifo_room(&u->mem_out)) {
        count_stall(u, kind_of(u->d.inst), LDST_STALL_ICNT, 1);
        return false;
    }
    send_access(u);
    if (u->d.n != 0) {
        count_stall(u, kind_of(u->d.inst), LDST_STALL_COALESCING, 1);
        return false;
    }
    return true;
}

static void enter_pipe(Ldst *u)
{
    uint32_t at = u->pipe_head + u->pipe_n++;
    u->pipe[at >= u->smem_latency ? at - u->smem_latency : at] =
        (LdstStage){u->d.inst, u->cycle + u->smem_latency};
    u->d.inst = NULL;
}

/* A load with no response to come for its destination completes here. */
static void complete_load(Ldst *u)
{
    WwInst *inst = u->d.inst;
    WW_WARPS(&u->warps)->complete(u->warps.peer, inst);
    if (inst->s->ndst != 0) {
        WW_SCOREBOARD(&u->hazard)->release_all(u->hazard.peer, inst);
    }
    if ((inst->s->flags & WW_INST_LDGSTS) && u->d.copy == NULL) {
        WW_BARRIERS(&u->barriers)
            ->async_done(u->barriers.peer, inst->warp, inst->s->pc, u->d.addr0);
    }
}

/* The dispatch register's instruction has no accesses left: where it goes. */
static void retire(Ldst *u)
{
    WwInst *inst = u->d.inst;
    bool load = ww_inst_is_load(inst);
    if (load && inst->space == WW_SPACE_SHARED) {
        if (u->pipe_n < u->smem_latency) {
            enter_pipe(u);
        }
        return;
    }
    if (!load) {
        WW_WARPS(&u->warps)->leave(u->warps.peer, inst->warp);
        WW_WARPS(&u->warps)->complete(u->warps.peer, inst);
    } else {
        if (u->d.flight == NULL || inst->s->dst == 0) {
            complete_load(u);
        }
        WW_WARPS(&u->warps)->leave(u->warps.peer, inst->warp);
    }
    u->d.inst = NULL;
    if (u->d.flight == NULL) {
        WW_WARPS(&u->warps)->release(u->warps.peer, inst);
    }
}

static void unit_cycle(Ldst *u)
{
    ldst_write_back(u);
    ldst_take_response(u);
    if (u->d.inst == NULL) {
        return;
    }
    if (u->d.conflicts ? serve_shared(u) : u->d.n == 0 || serve_memory(u)) {
        retire(u);
    }
}

/* Cycles of the unit that are nothing but stalls, from the next one on. */
static inline uint64_t stalled_cycles(const Ldst *u)
{
    if (u->d.conflicts) {
        return u->d.inst->cycles > 1 ? u->d.inst->cycles - 1u : 0;
    }
    return u->d.n != 0 && !ww_fifo_room(&u->mem_out) ? WW_NEVER : 0;
}

static WwRest rest(Ldst *u)
{
    if (u->wb != NULL || u->next_global != NULL ||
        (WW_BOUND(&u->mem_in) && ww_fifo_ready(&u->mem_in))) {
        return WW_AGAIN;
    }
    WwRest r = WW_SLEEP;
    if (u->d.inst != NULL) {
        uint64_t stalled = stalled_cycles(u);
        r = stalled == WW_NEVER ? WW_SLEEP : stalled / u->ports + 1;
    }
    if (u->pipe_n != 0) {
        WwCycle tick = u->pipe[u->pipe_head].due / u->ports, now = ww_now(u);
        r = MIN(r, tick > now ? tick - now : WW_AGAIN);
    }
    return r;
}

static WwRest ldst_execute(void *self)
{
    Ldst *u = self;
    u->cycle = ww_now(u) * u->ports;
    for (uint32_t k = 0; k < u->ports; k++, u->cycle++) {
        unit_cycle(u);
    }
    if (u->d.inst == NULL) {
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
    if (u->d.inst == NULL) {
        return;
    }
    uint64_t cycles = n * u->ports;
    if (u->d.conflicts) {
        u->d.inst->cycles = (uint16_t)(u->d.inst->cycles - cycles);
        count_conflicts(u, cycles);
    } else if (u->d.n != 0) {
        count_stall(u, kind_of(u->d.inst), LDST_STALL_ICNT, cycles);
    }
}

static bool ldst_init(void *self, GError **error)
{
    Ldst *u = self;
    if ((u->warp_parts & (u->warp_parts - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "warp_parts = %u; expected a power of two, 1..%u",
                       u->warp_parts, WW_WARP_SIZE);
    }
    if (!u->perfect_const) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "perfect_const = false; expected true: this unit has no constant cache");
    }
    if (WW_BOUND(&u->mem_out) != WW_BOUND(&u->mem_in)) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "port %s is bound and %s is not; expected both (a memory) or neither",
                       WW_BOUND(&u->mem_out) ? "mem_out" : "mem_in",
                       WW_BOUND(&u->mem_out) ? "mem_in" : "mem_out");
    }
    u->ports = u->mem_unit_ports != 0 ? u->mem_unit_ports : u->warp_parts;
    u->pipe = g_new0(LdstStage, u->smem_latency);
    ldst_pool_init(&u->reqs, sizeof(LdstReq));
    ldst_pool_init(&u->flights, sizeof(LdstFlight));
    ldst_pool_init(&u->copies, sizeof(LdstCopy));
    return true;
}

static void ldst_reset(void *self)
{
    Ldst *u = self;
    u->cycle = 0;
    u->serial = 0;
    u->arb = 0;
    u->outstanding = 0;
    u->next_global = NULL;
    u->wb = NULL;
    u->wb_flight = NULL;
    u->wb_dst = 0;
    u->pipe_head = u->pipe_n = 0;
    u->d.inst = NULL;
    u->d.n = 0;
    for (uint32_t i = 0; i < WW_MAX_WARPS; i++) {
        u->copy[i] = NULL;
    }
    ldst_pool_reset(&u->reqs);
    ldst_pool_reset(&u->flights);
    ldst_pool_reset(&u->copies);
}

static void ldst_finish(void *self)
{
    Ldst *u = self;
    g_free(u->pipe);
    ldst_pool_finish(&u->reqs);
    ldst_pool_finish(&u->flights);
    ldst_pool_finish(&u->copies);
}

static void ldst_explain(void *self, WwExplain *explain)
{
    Ldst *u = self;
    if (u->wb != NULL) {
        ww_explain_waits(explain, u->banks.peer,
                         "the write-back register waits for a register bank");
    }
    if (u->d.inst != NULL && u->d.n != 0) {
        ww_explain_waits(explain, u->mem_out.peer, "%u accesses of %s (warp %u) wait for room",
                         u->d.n, u->d.inst->s->opcode, u->d.inst->warp);
    }
    if (u->outstanding != 0) {
        const WwChannel *back = u->mem_in.peer;
        ww_explain_waits(explain, back->n_writers != 0 ? back->writer[0].who : NULL,
                         "%u memory requests have not come back", u->outstanding);
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
    WwSinst *s = (WwSinst *)inst->s; /* of the test, not of a trace */
    uint32_t k = (uint32_t)g_rand_int_range(random, 0, G_N_ELEMENTS(kinds));
    inst->op = s->op = kinds[k].op;
    inst->space = s->space = kinds[k].space;
    s->flags = kinds[k].flags;
    if (!(s->flags & WW_INST_LOAD) || (s->flags & WW_INST_LDGSTS)) {
        s->dst = s->ndst = 0;
    }
    inst->addr = &addrs[g_rand_int_range(random, 0, G_N_ELEMENTS(addrs))];
}

static const WwParamRow ldst_params[] = {
    WW_UINT(Ldst, smem_latency, "cycles", "20", 2, 1024, "stages of the shared-memory pipeline"),
    WW_UINT(Ldst, smem_banks, "", "32", 1, SMEM_MAX_BANKS,
            "banks of shared memory, one word of 4 bytes wide"),
    WW_UINT(Ldst, warp_parts, "", "1", 1, WW_WARP_SIZE,
            "groups of lanes that are coalesced, and go to shared memory, apart; a power of two"),
    WW_BOOL(Ldst, limited_broadcast, "false",
            "shared memory broadcasts one word a group; false: every word that several lanes read"),
    WW_UINT(
        Ldst, coalesce_arch, "", "70", 13, 999,
        "coalescing rule: compute capability times 10 (from 40 on segments are 32-byte sectors)"),
    WW_BOOL(Ldst, gmem_skip_l1, "false",
            "global accesses skip the first-level cache; rules 20..38 then use 32-byte segments"),
    WW_BOOL(Ldst, local_mem_map, "true",
            "local memory of a CTA's threads lies side by side; false: by hardware thread"),
    WW_UINT(Ldst, mem_unit_ports, "", "1", 0, 32,
            "cycles of the unit in a core cycle; 0: warp_parts"),
    WW_BOOL(Ldst, perfect_const, "true",
            "constant memory answers at once (there is no constant cache)"),
    WW_BOOL(Ldst, count_ldgsts_twice, "false",
            "an asynchronous copy counts as completed again when its data returns, as the "
            "reference counts "
            "those that miss its first-level cache; off while there is no such cache to hit"),
    {0},
};

static const WwPortRow ldst_ports[] = {
    WW_PORT_IN(Ldst, in, &ww_contract_inst, 1,
               "memory instructions with their operands (OC_EX_MEM)"),
    WW_PORT_OUT(Ldst, mem_out, &ww_contract_mem_request, 0,
                "requests to memory; the room of the network's input"),
    WW_PORT_IN(Ldst, mem_in, &ww_contract_mem_response, 0,
               "responses; its depth is that of the response queue"),
    WW_PORT_REQUIRES(Ldst, warps, &ww_contract_warps, 1, WW_RANK_EXECUTE,
                     "counters of the warps, completed instructions"),
    WW_PORT_REQUIRES(Ldst, hazard, &ww_contract_scoreboard, 1, WW_RANK_RELEASE,
                     "releases destinations"),
    WW_PORT_REQUIRES(Ldst, barriers, &ww_contract_barriers, 1, WW_RANK_EXECUTE,
                     "finished asynchronous copies"),
    WW_PORT_REQUIRES(Ldst, banks, &ww_contract_register_banks, 1, WW_RANK_WRITE,
                     "banks that results are written to"),
    WW_PORT_REQUIRES(Ldst, ctas, &ww_contract_ctas, 1, NULL,
                     "number of this SM, and what places local memory"),
    {0},
};

#define STALLS(kind) kind ".bank", kind ".coalescing", kind ".icnt", kind ".data_port"
static const char *const stall_labels[LDST_N_KINDS * LDST_N_STALLS] = {
    STALLS("c_mem"),      STALLS("t_mem"),        STALLS("s_mem"),       STALLS("global_load"),
    STALLS("local_load"), STALLS("global_store"), STALLS("local_store"),
};
static const char *const packet_labels[WW_N_ACCESS_TYPES] = {
    "GLOBAL_ACC_R", "LOCAL_ACC_R", "CONST_ACC_R", "TEXTURE_ACC_R", "GLOBAL_ACC_W",  "LOCAL_ACC_W",
    "L1_WRBK_ACC",  "L2_WRBK_ACC", "INST_ACC_R",  "L1_WR_ALLOC_R", "L2_WR_ALLOC_R",
};

static const WwStatRow ldst_stats[] = {
    WW_COUNTER(Ldst, n_insn, "instructions", "instructions accepted"),
    WW_COUNTER(Ldst, n_load_insn, "lanes",
               "active lanes of loads and atomics of global and local memory"),
    WW_COUNTER(Ldst, n_store_insn, "lanes", "active lanes of stores to global and local memory"),
    WW_COUNTER(Ldst, n_shmem_insn, "lanes", "active lanes of accesses to shared memory"),
    WW_COUNTER(Ldst, n_const_insn, "lanes", "active lanes of accesses to constant memory"),
    WW_COUNTER(Ldst, n_stall_shd_mem, "cycles",
               "cycles in which the dispatch register was not finished"),
    WW_COUNTER(Ldst, n_shmem_bkconflict, "cycles", "of these, for bank conflicts of shared memory"),
    WW_COUNTER(Ldst, n_shmem_bank_access, "cycles", "cycles in which shared memory was accessed"),
    WW_COUNTER(Ldst, n_writeback, "results", "results that went through the write-back register"),
    WW_COUNTER(Ldst, n_writeback_blocked, "cycles",
               "cycles in which the write-back register waited for a bank"),
    WW_COUNTER(Ldst, n_stray, "tokens", "responses that this unit had not asked for, dropped"),
    WW_VECTOR(Ldst, stall, "cycles", stall_labels,
              "unfinished cycles by kind of access and reason"),
    WW_VECTOR(Ldst, packets, "requests", packet_labels, "requests sent to memory by access type"),
    {0},
};

static const WwEntryRow ldst_entries[] = {
    {.name = "execute",
     .phase = "core",
     .tick = ldst_execute,
     .doc = "write-back, responses, dispatch register, acceptance"},
    {0},
};

const WwType ldst_unit_type = {
    .abi = WW_ABI_VERSION,
    .name = "ldst_unit",
    .doc = "Load/store unit: coalescer, shared memory with bank conflicts, write-back of loads.",
    .family = "memory",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(Ldst),
    .params = ldst_params,
    .ports = ldst_ports,
    .stats = ldst_stats,
    .entries = ldst_entries,
    .init = ldst_init,
    .reset = ldst_reset,
    .finish = ldst_finish,
    .settle = ldst_settle,
    .adapt = ldst_adapt,
    .explain = ldst_explain,
};
