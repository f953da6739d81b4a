/* SPDX-License-Identifier: Apache-2.0 */
/* State of an issue_stage, and what of it is in issue_stage_why.c: why nothing issues, what is told of warps. */
#pragma once

#include <ports/hazards.h>
#include <ports/issue.h>
#include <ports/pcs.h>
#include <ports/register_set.h>
#include <ports/sub_core.h>
#include <ports/warps.h>

#define MAX_PEERS 16u

typedef struct IssueStage {
    WwComponent base;
    /* parameters */
    uint32_t patience, imad_bubble;
    WwList membar_stall;
    /* ports */
    WwPort out, policy, warps, ibuffer, dependence, barriers, constants, pcs;
    WwPort unit[WW_N_FIXED_UNITS];
    WwPort results, uniform_results;
    WwPort peer[MAX_PEERS];
    uint32_t n_peer;
    WwProvided port;
    /* state */
    WwPolicyView view;
    const WwIbufferView *buffers;
    WwWake self;      /* of its own turn */
    uint32_t number;  /* of this stage: warps w mod the number of stages are its own */
    WwCycle busy;     /* first cycle in which the port is free, */
    WwStall closed;   /* and why it is not before */
    uint32_t patient; /* cycles that the greedy warp may still wait for a constant */
    uint32_t greedy;  /* warp that issued last */
    WwStall cause;    /* of the last turn, if nothing issued */
    uint64_t lacking; /* warps that lacked nothing but their constant in it */
    WwCycle next;     /* cycle in which the last turn's waits may be over */
    /* telling */
    WwPcsBook *book;             /* NULL: nobody listens */
    uint8_t state[WW_MAX_WARPS]; /* WwStall of each warp, before anything issues */
    /* statistics */
    uint64_t single_issue, bubbles;
    uint64_t lost[WW_N_STALLS];
    uint64_t warp_issue[WW_MAX_WARPS];
} IssueStage;

extern const char *const issue_stage_causes[WW_N_STALLS];
/** By WwStall: what is nearer to issuing has more. */
extern const uint8_t issue_stage_rank[WW_N_STALLS];

/** The slots that the result of @p t needs, or NULL. */
static inline const WwPort *issue_stage_slots(const IssueStage *s, const WwTiming *t)
{
    const WwPort *port = t->unit == WW_UNIT_UNIFORM ? &s->uniform_results : &s->results;
    return (t->flags & WW_TAKES_FIXED) != 0 && t->dst_file != WW_FILE_NONE && WW_BOUND(port) ? port
                                                                                             : NULL;
}

/** What keeps @p inst from issuing, its constant aside, and until which cycle, if that is known; WW_STATE_NOT_SELECTED: nothing, to @p unit. */
WwStall issue_stage_waits(IssueStage *s, const WwInst *inst, int *unit, WwCycle *until);
/** The next stage is taken: by what? */
WwStall issue_stage_held(const IssueStage *s);
/** No warp was tried that waits for something: what do they wait for? */
WwStall issue_stage_idle(const IssueStage *s);

/** Before anything issues: what does each warp wait for? */
void issue_stage_look(IssueStage *s);
/** Tells of all warps but those of @p issued, and, if it is 0, whom the slot is lost to. */
void issue_stage_tell(IssueStage *s, uint64_t issued);
/** The same in a cycle in which nothing can issue whatever the warps have. */
void issue_stage_tell_closed(IssueStage *s);

void issue_stage_explain(void *self, WwExplain *explain);
