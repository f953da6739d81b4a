/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of this room give to main(), and the rig that they share. */
#pragma once

#include "operands-priv.h"
#include <testing/testing.h>
#include <tests/support/registry.h>
#include <warpwright/harness.h>

void register_collector_tests(void);
void register_model_tests(void);
void register_ideal_tests(void);
void register_bank_router_tests(void);

/* The test's own ends of all register sets around an operands component. */
typedef struct Ends {
    WwComponent base;
    WwPort issue[N_CLASSES]; /* to ID_OC */
    WwPort exec[N_CLASSES];  /* from OC_EX */
    uint32_t n_issue, n_exec;
    uint32_t schedulers; /* the last of them issues, as far as is known */
    WwPort banks;
} Ends;

/*
 * A component of this room in a group that is repeated, between register sets that the test fills
 * and empties.
 */
typedef struct Rig {
    WwMachine *m;
    WwComponent *dut;
    Ends *ends;
    uint32_t bound;
    WwPort issue[N_CLASSES], exec[N_CLASSES]; /* the test's ends by class; unbound ones are zero */
    GPtrArray *insts;
    uint64_t uid;
} Rig;

typedef struct RigSpec {
    const char *type;    /* default operand_collector */
    const char *params;  /* "name=value ..." */
    uint32_t repeat;     /* default 1 */
    uint32_t classes;    /* bound ones as a mask; default SP and MEM */
    uint32_t width;      /* of every set; default 4 */
    uint32_t schedulers; /* whose instructions are known to come in; default 4 */
    bool private;
    bool no_sleep;
} RigSpec;

/* False with @p error when the machine is refused (@p error NULL: the test fails). */
bool rig_open(Rig *r, const RigSpec *spec, GError **error);
void rig_close(Rig *r);
/* One tick, even when everything sleeps. */
void rig_tick(Rig *r);
/* An instruction with sources (registers + 1, up to the first 0), numbered by age. */
WwInst *rig_inst(Rig *r, uint16_t warp, uint8_t sched, uint16_t s0, uint16_t s1, uint16_t s2);
/* Issues to @p class; the register is the scheduler's own (private) or the lowest free one. */
bool rig_issue(Rig *r, OpClass class, WwInst *inst);
/* Takes @p inst out of OC_EX of @p class if it is there. */
bool rig_take(Rig *r, OpClass class, const WwInst *inst);
/* Ticks until @p inst is in OC_EX of @p class and takes it: the number of ticks, or 1000. */
uint32_t rig_until(Rig *r, OpClass class, const WwInst *inst);
/* A write-back of register @p dst (number + 1) in the coming tick. */
bool rig_write(Rig *r, uint16_t warp, uint8_t sched, uint16_t dst);
uint64_t rig_stat(Rig *r, const char *name);
