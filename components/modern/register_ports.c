/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `register_ports`: the read and write ports of a sub-core's regular register file. Register r is in bank r mod `banks`; a bank gives
 * `read_ports` registers a cycle and takes `write_ports`.
 *
 *     cycle c:   write-back         can_write(), write()    ports of cycle c
 *                units with a queue read_queued()           ports of cycle c
 *                Allocate           read()                  ports of cycles c + 1 .. c + read stages
 *
 * An instruction of fixed latency reads a register once, however often it names it, and what the register-file cache has not at all. So what
 * Allocate took for a cycle is gone for the queues of that cycle, and never the other way round.
 *
 * What an instruction from a queue needs is a matter of `queued_reads`. The released simulator asks for one port of every bank, whatever the
 * instruction reads (`code`); the paper's hardware reads its registers, each bank as many a cycle as it has ports (`paper`).
 *
 * Ports are counted by cycle: the count of cycle c is in row c mod HORIZON, which belongs to no other cycle as long as its stamp says c.
 */
#include "types.h"

#include <ports/sub_core.h>
#include <string.h>

enum { MAX_BANKS = 16, HORIZON = 64 };

typedef enum QueuedReads { QUEUED_CODE, QUEUED_PAPER } QueuedReads;

typedef struct Row {
    WwCycle stamp; /* 1 + the cycle that it counts for. */
    uint16_t used[MAX_BANKS];
} Row;

typedef struct RegisterPorts {
    WwComponent base;
    /* parameters */
    uint32_t banks;
    uint32_t read_ports;
    uint32_t write_ports;
    uint32_t queued_reads;
    /* ports */
    WwProvided ports;
    WwPort cache;
    /* state */
    Row read[HORIZON];
    Row written;
    /* statistics */
    uint64_t reads;
    uint64_t cache_hits;
    uint64_t read_conflicts;
    uint64_t queued;
    uint64_t queued_conflicts;
    uint64_t writes;
} RegisterPorts;

/* Registers to be read, by bank. */
typedef struct Wanted {
    uint16_t n[MAX_BANKS];
} Wanted;

static inline void renew(Row *row, WwCycle cycle)
{
    if (row->stamp != cycle + 1) {
        memset(row->used, 0, sizeof row->used);
        row->stamp = cycle + 1;
    }
}

static inline Row *row_of(RegisterPorts *p, WwCycle cycle)
{
    Row *row = &p->read[cycle % HORIZON];
    renew(row, cycle);
    return row;
}

static bool is_cached(const RegisterPorts *p, const WwInst *inst, const WwTimingRead *read)
{
    return WW_BOUND(&p->cache) && (inst->timing->flags & WW_TAKES_CACHED) != 0 &&
           WW_REGISTER_CACHE(&p->cache)->hit(p->cache.peer, inst->warp, read->reg % p->banks, read);
}

/* What has to be read of @p inst, each register once. Says how many the cache has, if @p hits is asked for. */
static Wanted registers_of(const RegisterPorts *p, const WwInst *inst, uint64_t *hits)
{
    const WwTiming *t = inst->timing;
    uint64_t seen[4] = {0};
    Wanted wanted = {{0}};
    for (uint32_t i = 0; i < t->n_reads; i++) {
        uint32_t reg = t->read[i].reg;
        if (hits != NULL && is_cached(p, inst, &t->read[i])) {
            ++*hits;
        } else if (!(seen[reg / 64] >> reg % 64 & 1u)) {
            seen[reg / 64] |= 1ull << reg % 64;
            wanted.n[reg % p->banks]++;
        }
    }
    return wanted;
}

/* Do @p n reads of a bank find ports in the @p cycles cycles from @p first on? */
static bool bank_fits(RegisterPorts *p, uint32_t bank, uint32_t n, WwCycle first, uint32_t cycles)
{
    for (uint32_t k = 0; k < cycles && n > 0; k++) {
        n -= MIN(n, p->read_ports - row_of(p, first + k)->used[bank]);
    }
    return n == 0;
}

static bool fit(RegisterPorts *p, const Wanted *wanted, WwCycle first, uint32_t cycles)
{
    for (uint32_t b = 0; b < p->banks; b++) {
        if (!bank_fits(p, b, wanted->n[b], first, cycles)) {
            return false;
        }
    }
    return true;
}

/* The earliest ones. */
static void take(RegisterPorts *p, const Wanted *wanted, WwCycle first)
{
    for (uint32_t b = 0; b < p->banks; b++) {
        uint32_t n = wanted->n[b];
        for (WwCycle cycle = first; n > 0; cycle++) {
            uint16_t *used = &row_of(p, cycle)->used[b];
            uint32_t here = MIN(n, p->read_ports - *used);
            *used = (uint16_t)(*used + here);
            n -= here;
        }
        p->reads += wanted->n[b];
    }
}

static void refill_cache(const RegisterPorts *p, const WwInst *inst)
{
    const WwTiming *t = inst->timing;
    if (!WW_BOUND(&p->cache) || !(t->flags & WW_TAKES_CACHED)) {
        return;
    }
    for (uint32_t i = 0; i < t->n_reads; i++) {
        WW_REGISTER_CACHE(&p->cache)->use(p->cache.peer, inst->warp, t->read[i].reg % p->banks,
                                          &t->read[i]);
    }
}

/* Could it be read if nothing else were? */
static inline bool is_possible(const RegisterPorts *p, const Wanted *wanted, uint32_t cycles)
{
    for (uint32_t b = 0; b < p->banks; b++) {
        if (wanted->n[b] > cycles * p->read_ports) {
            return false;
        }
    }
    return true;
}

/* It would be tried for ever. */
WW_COLD static void fail_wide(RegisterPorts *p, const WwInst *inst, const Wanted *wanted)
{
    g_autofree char *path = ww_path(p);
    uint32_t most = 0;
    for (uint32_t b = 0; b < p->banks; b++) {
        most = MAX(most, wanted->n[b]);
    }
    ww_fail_run(p, g_error_new(WW_ERROR, WW_ERROR_MODEL,
                               "%s: %s (trace line %u) reads %u registers of a bank in %u cycles; "
                               "expected more banks or read_ports than %u and %u",
                               path, inst->s->opcode, inst->s->line, most,
                               inst->timing->read_stages, p->banks, p->read_ports));
}

static bool ports_read(void *self, const WwInst *inst)
{
    RegisterPorts *p = self;
    uint64_t hits = 0;
    Wanted wanted = registers_of(p, inst, &hits);
    uint32_t cycles = inst->timing->read_stages;
    if (G_UNLIKELY(cycles + 1 >= HORIZON || !is_possible(p, &wanted, cycles))) {
        fail_wide(p, inst, &wanted);
        return false;
    }
    if (!fit(p, &wanted, ww_now(p) + 1, cycles)) {
        p->read_conflicts++;
        return false;
    }
    take(p, &wanted, ww_now(p) + 1);
    refill_cache(p, inst);
    p->cache_hits += hits;
    return true;
}

/* Cycles that an instruction from a queue reads for. */
static uint32_t queued_cycles(const RegisterPorts *p, const Wanted *wanted)
{
    uint32_t cycles = 1;
    for (uint32_t b = 0; b < p->banks; b++) {
        cycles = MAX(cycles, (wanted->n[b] + p->read_ports - 1) / p->read_ports);
    }
    return cycles;
}

static bool ports_read_queued(void *self, const WwInst *inst)
{
    RegisterPorts *p = self;
    Wanted wanted;
    if (p->queued_reads == QUEUED_CODE) {
        for (uint32_t b = 0; b < MAX_BANKS; b++) {
            wanted.n[b] = 1;
        }
    } else {
        wanted = registers_of(p, inst, NULL);
    }
    if (!fit(p, &wanted, ww_now(p), queued_cycles(p, &wanted))) {
        p->queued_conflicts++;
        return false;
    }
    take(p, &wanted, ww_now(p));
    p->queued++;
    return true;
}

static bool ports_can_write(void *self, uint32_t first, uint32_t n)
{
    RegisterPorts *p = self;
    bool can = true;
    renew(&p->written, ww_now(p));
    for (uint32_t i = 0; i < MIN(n, p->banks); i++) {
        uint32_t here = (n - i + p->banks - 1) / p->banks; /* those of this bank */
        can &= p->written.used[(first + i) % p->banks] + here <= p->write_ports;
    }
    return can;
}

static void ports_write(void *self, uint32_t reg)
{
    RegisterPorts *p = self;
    renew(&p->written, ww_now(p));
    p->written.used[reg % p->banks]++;
    p->writes++;
}

static uint32_t ports_writes(void *self)
{
    const RegisterPorts *p = self;
    return p->banks * p->write_ports;
}

static void ports_reset(void *self)
{
    RegisterPorts *p = self;
    memset(p->read, 0, sizeof p->read);
    p->written = (Row){0};
}

static const WwRegisterPortsIf ports_table = {
    .read = ports_read,
    .read_queued = ports_read_queued,
    .can_write = ports_can_write,
    .write = ports_write,
    .writes = ports_writes,
};

static const char *const queued_names[] = {"code", "paper", NULL};

static const WwParamRow ports_params[] = {
    WW_UINT(RegisterPorts, banks, "", "2", 1, MAX_BANKS, "banks of the register file"),
    WW_UINT(RegisterPorts, read_ports, "", "1", 1, 128, "registers read from a bank per cycle"),
    WW_UINT(RegisterPorts, write_ports, "", "1", 1, 128, "registers written to a bank per cycle"),
    WW_CHOICE(RegisterPorts, queued_reads, "code", queued_names,
              "read ports an instruction from a queue takes: code: one of every bank; paper: those "
              "of its registers"),
    {0},
};

static const WwPortRow ports_ports[] = {
    WW_PORT_PROVIDES(RegisterPorts, ports, &ww_contract_register_ports, &ports_table,
                     "for readers and writers of registers"),
    WW_PORT_REQUIRES(RegisterPorts, cache, &ww_contract_register_cache, 0, NULL,
                     "holds registers that need not be read again"),
    {0},
};

static const WwStatRow ports_stats[] = {
    WW_COUNTER(RegisterPorts, reads, "reads", "read ports taken, each for one cycle"),
    WW_COUNTER(RegisterPorts, cache_hits, "reads",
               "operand registers of fixed-latency instructions found in the register-file cache"),
    WW_COUNTER(RegisterPorts, read_conflicts, "cycles",
               "cycles in which a fixed-latency instruction found too few read ports"),
    WW_COUNTER(RegisterPorts, queued, "instructions",
               "instructions from queues that read registers"),
    WW_COUNTER(RegisterPorts, queued_conflicts, "cycles",
               "cycles in which one of them found too few read ports"),
    WW_COUNTER(RegisterPorts, writes, "writes", "registers written"),
    {0},
};

const WwType register_ports_type = {
    .abi = WW_ABI_VERSION,
    .name = "register_ports",
    .doc = "Read and write ports of a sub-core's register banks, per cycle.",
    .family = "register_ports",
    .conserves = WW_CONSERVES_NOTHING_SAID,
    .size = sizeof(RegisterPorts),
    .params = ports_params,
    .ports = ports_ports,
    .stats = ports_stats,
    .reset = ports_reset,
};
