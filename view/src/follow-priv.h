/* SPDX-License-Identifier: Apache-2.0 */
/** @file Instructions followed from the i-buffer to their end: what Konata and Perfetto draw. */
#pragma once

#include "view-priv.h"

enum { FOLLOW_TEXT = 40, FOLLOW_PART = 32 };

/** Where an instruction is; each begins where the one before ends. */
typedef enum Stage {
    STAGE_FETCH,     /* its group goes to the decoder */
    STAGE_DECODE,    /* enters the i-buffer */
    STAGE_BUFFER,    /* waits there */
    STAGE_ISSUE,     /* issued; waits for a collector unit */
    STAGE_CONTROL,   /* in the control stage of a modern SM */
    STAGE_ALLOCATE,  /* gets its register ports there */
    STAGE_READ,      /* its operands are read there */
    STAGE_COLLECT,   /* gathers operands */
    STAGE_DISPATCH,  /* waits for its unit */
    STAGE_EXECUTE,   /* in a unit */
    STAGE_MEMORY,    /* its first request has left the load/store unit */
    STAGE_WRITEBACK, /* its result is written */
    N_STAGES,
} Stage;

typedef struct Inst {
    uint32_t sm;   /* index */
    uint32_t warp; /* hardware warp */
    uint64_t uid;  /* 0: not issued yet */
    uint64_t name; /* the uid that its decoding says; 0: none */
    uint64_t pc;
    uint64_t fetched, issued, ends; /* cycles */
    uint64_t controlled;    /* of a modern SM: when it came into the control stage; else 0 */
    uint64_t through;       /* likewise: when its unit is through with it; 0: nobody says */
    char part[FOLLOW_PART]; /* of its SM that issued it: "core[2]", or "" */
    Stage stage;
    bool has_stage; /* was any begun? */
    bool memory;    /* the load/store unit took it */
    bool result;    /* will it be written? */
    bool retired;   /* of a modern SM: it has, and some of its requests are under way */
    uint64_t accesses, requests, answers;
    char opcode[FOLLOW_TEXT];
    struct Inst *next, **link; /* of its warp; and what leads to this one there */
    void *drawn;               /* what the format keeps of it */
    uint64_t id;               /* likewise */
} Inst;

/** What the format is told, in the order of events. Cycles may lie up to FOLLOW_BACK behind those of the event. */
typedef struct FollowSink {
    /** In the i-buffer (or, when its decoding is not among the events, issued). */
    void (*begin)(void *user, Inst *inst, const Event *e, uint64_t cycle);
    /** It has left the i-buffer. */
    void (*issue)(void *user, Inst *inst, const Event *e);
    /** A stage begins, and the one before ends. */
    void (*stage)(void *user, Inst *inst, Stage stage, uint64_t cycle);
    /** It is over; @p flushed: it was dropped before it issued. */
    void (*end)(void *user, Inst *inst, uint64_t cycle, bool flushed);
    /** Its warp has left. */
    void (*leave)(void *user, uint32_t sm, uint32_t warp);
} FollowSink;

/** How far back the cycle of a stage may lie: from the fetch of a group to its decoding. */
#define FOLLOW_BACK 64

typedef struct Follow Follow;

Follow *follow_new(WwView *view, const FollowSink *sink, void *user);
/** Takes @p e; false: it is of no instruction. */
bool follow_event(Follow *follow, const Event *e);
/** The instruction of @p e, which has a uid, or NULL. */
Inst *follow_find(Follow *follow, uint32_t sm, uint64_t uid);
/** How many have been issued and are not over. */
uint32_t follow_in_flight(const Follow *follow);
void follow_free(Follow *follow);
