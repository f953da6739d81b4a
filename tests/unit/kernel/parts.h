/* SPDX-License-Identifier: Apache-2.0 */
/** @file A machine of parts that write down when they ran: for the tests of the run loop. */
#pragma once

#include "tests.h"

#include <warpwright/event.h>
#include <warpwright/machine.h>

/** One letter a turn, '|' between ticks. */
extern GString *parts_diary;

/** A level between parts: what a test channel carries. */
typedef struct Pipe {
    WwChannel ch;
    uint64_t tokens;
    uint32_t refused;
} Pipe;

typedef struct Part {
    WwComponent base;
    uint32_t rest; /* what it answers; 0: sleep */
    WwCycle until; /* not 0: it rests until this edge, which may be over */
    bool sends;    /* puts a token at each turn */
    const char *mark;
    WwPort in[4], out[4], first, second, many[4];
    uint32_t n_in, n_out, n_many;
    WwProvided offered;
    uint64_t turns, slept, resumed, resumed_at;
} Part;

extern const WwType parts_pipe_type, parts_part_type;
/** Requires a desk, and gives what nobody takes. */
extern const WwType parts_odd_type;

/** The types above. */
const WwRegistry *parts_registry(void);

/** A machine with one clock and one phase, `main`, and an empty diary. */
WwMachine *parts_machine(void);
/** A part that writes @p mark at each turn and answers @p rest; @p group NULL: at the root. */
Part *parts_add(WwMachine *m, WwGroup *group, const char *mark, uint32_t rest);
/** A channel between two parts; @p param: a parameter of it that is 1, or NULL. */
Pipe *parts_join(Part *from, Part *to, const char *param);
void parts_seal(WwMachine *m);
/** Runs @p n ticks, '|' after each in the diary. */
void parts_run(WwMachine *m, int n);
