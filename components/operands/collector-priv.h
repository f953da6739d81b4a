/* SPDX-License-Identifier: Apache-2.0 */
/*
 * State of the operand collector. How it works is told in operand_collector.c; what one is made of,
 * and which are refused, in collector_setup.c.
 */
#pragma once

#include "operands-priv.h"

#define COLLECTOR_MAX_BANKS 64u
#define COLLECTOR_MAX_UNITS 64u    /* A set. */
#define COLLECTOR_MAX_DISPATCH 64u /* A set. */

/* Sets in the order in which their units are numbered and their dispatch units act. */
typedef enum CollectorSetId {
    SET_GENERIC,
    SET_SP,
    SET_DP,
    SET_TENSOR,
    SET_SFU,
    SET_MEM,
    SET_INT,
    N_SETS
} CollectorSetId;

typedef struct CollectorSetSize {
    uint32_t units, in_ports, out_ports;
} CollectorSetSize;

/* Units that wait for one OC_EX register, or, where registers are anybody's, for any of their class. */
typedef struct CollectorWait {
    uint64_t generic; /* of the generic set, */
    uint64_t own;     /* of the set of the class. */
} CollectorWait;

/* What is of a class of instructions. */
typedef struct CollectorClass {
    const WwRegisterSet *in;  /* ID_OC, */
    const WwRegisterSet *out; /* OC_EX; */
    uint64_t awaited;         /* registers of it that units wait for: all, where any will do. */
    uint64_t writer;          /* Our bit there. */
    CollectorWait *wait;      /* [register]; [0] where any will do. */
    uint32_t refused_order;   /* The oldest instruction that found no unit, */
    uint64_t seen;            /* and the ID_OC registers that were occupied then. */
    uint64_t all;             /* OC_EX registers. */
    bool private;             /* They have owners. */
    uint8_t own;              /* The set of the class. */
} CollectorClass;

typedef struct CollectorSet {
    uint64_t free;  /* Units that hold nothing. */
    uint64_t ready; /* Units that hold an instruction with all operands, */
    uint64_t owned; /* Units of scheduler 0; */
    uint32_t
        step; /* those of each further one are so many units on; all are of every scheduler: 0. */
    uint32_t first; /* Number of unit 0 among all units. */
    uint32_t n;
    uint32_t share; /* Units of each scheduler (sub-core model). */
    uint32_t in_ports, dispatches;
    uint8_t start[COLLECTOR_MAX_DISPATCH]; /* Where each dispatch unit begins to look. */
} CollectorSet;

/* Reads of a bank, oldest first. */
typedef struct CollectorQueue {
    uint16_t first, last;
} CollectorQueue;

/* A cache line. */
typedef struct CollectorUnit {
    WwInst *inst;
    const WwRegisterSet *out; /* OC_EX of its class, */
    uint64_t may;             /* and the registers of it that it may use. */
    uint64_t bit;             /* Of it in the masks of its set. */
    uint8_t class;
    uint8_t need; /* Operands outstanding. */
    uint8_t slot; /* Register that it may use; 0: any. */
    uint8_t set;
    uint8_t index; /* In its set. */
    uint8_t group; /* Private OC_EX register that it may use (sub-core model). */
    uint8_t owner; /* Whose instructions it takes. */
    uint8_t after; /* Where a dispatch unit that sent it looks first the next time. */
    uint64_t spare[3];
} CollectorUnit;

typedef struct OperandCollector {
    WwComponent base;
    /* parameters */
    bool sub_core_model;
    bool enable_specialized;
    bool bank_adds_warp, zero_register;
    bool oldest_blocks, dispatch_oldest;
    uint32_t n_banks;
    /* state */
    bool plain;          /* One set of units, in the reference's order, alone at both ends. */
    bool owned;          /* An owner is a scheduler; else all are one. */
    uint32_t schedulers; /* Whose instructions come in. */
    uint32_t freed;      /* Classes of which an OC_EX register was freed: set by takes. */
    uint32_t waiting;  /* Classes with an instruction for which there may be a unit: set by puts. */
    uint32_t held;     /* Classes in `refused`. */
    uint32_t live;     /* Sets with a unit that is ready. */
    uint32_t unmarked; /* Classes whose input others take from, too, */
    uint32_t unmarked_out; /* whose output others fill, too. */
    uint32_t
        share; /* Banks that a register may be in: of its scheduler (sub-core model), or all. */
    uint32_t bank_mask;  /* share - 1; 0: no power of two. */
    uint32_t warp_mask;  /* All bits where a register's bank depends on its warp. */
    uint32_t no_bank;    /* A register besides 0 that lies in none. */
    uint32_t first_bank; /* Times the scheduler: its first bank. */
    uint32_t requests;   /* Reads queued. */
    uint64_t queued;     /* Banks with queued reads. */
    uint64_t written;    /* Banks claimed by a write in cycle `written_at`. */
    WwCycle written_at;
    CollectorUnit *unit;
    uint16_t *
        next; /* Request i of unit u is node u * WW_MAX_SRC + i; what stands behind a node that is not the last. */
    /* statistics */
    uint64_t instructions;
    uint64_t reads;
    uint64_t writes;
    uint64_t bank_conflicts;
    uint64_t write_refusals;
    uint64_t unit_refusals;
    /* state */
    CollectorQueue bank[COLLECTOR_MAX_BANKS];
    uint32_t refused
        [WW_MAX_SCHEDULERS]; /* [owner] classes of which one found no unit of the owner's, and none was freed since */
    CollectorClass class[N_CLASSES];
    CollectorSet set[N_SETS];
    uint32_t classes; /* Bound ones. */
    uint32_t n_units;
    /* ports */
    OpPorts ports;
    WwProvided banks;
    /* parameters */
    CollectorSetSize size[N_SETS];
} OperandCollector;

/* Special input ports come after the generic ones, in this order. */
typedef struct CollectorSpecial {
    uint8_t set, class;
} CollectorSpecial;
enum { N_SPECIAL = N_SETS - 1 };
extern const CollectorSpecial collector_special[N_SPECIAL];

/* The functions of the type that say what it is made of (collector_setup.c). */
bool collector_init(void *self, GError **error);
bool collector_start(void *self, GError **error);
void collector_reset(void *self);
void collector_explain(void *self, WwExplain *explain);
uint64_t collector_carries(void *self, const WwPortRow *row, uint32_t k);
