/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stage that works on one number at a time. Copy this file to begin a component of your own.
 *
 *     numbers -> in [ work ] out -> numbers
 *
 * Say here, in one picture and a few sentences, what the component does and when. This one: a
 * number taken in cycle c has been worked on by cycle c + work and is put then, if `out` has
 * room. The next one can be taken in the same cycle.
 *
 * Say also what it costs: this one runs twice a number and sleeps in between, however long the
 * work is.
 */
#include "types.h"

#include <ports/tokens.h>         /* the contracts of its ports: what they carry */
#include <warpwright/warpwright.h>/* everything a component may use */

/* 1. State: a plain struct that begins with WwComponent, in this order. */
typedef struct Stage {
    WwComponent base;
    /* parameters: written before init(), never changed afterwards */
    uint32_t work;
    /* ports: joined to their channels before init() */
    WwPort in;
    WwPort out;
    /* state: set by reset() */
    bool busy; /* `number` is inside */
    WwToken number;
    WwCycle finished; /* Cycle in which the work on it is over. */
    /* statistics: set to 0 by the kernel */
    uint64_t waited;
} Stage;

/* What the event log gets: kinds, and the fields that each has. */
static const WwEventField field_number =
    WW_EVENT_FIELD("number", WW_EVENT_NUMBER, "", "the number that is done");
static const WwEventRow stage_events[] = {
    {"finish", "", "a number is done and passed on", {&field_number}},
    {0},
};

/* 2. What happens in a cycle. The answer is when to run again. */
static WwRest stage_work(void *self)
{
    Stage *s = self;
    WwCycle now = ww_now(s);

    if (s->busy && now >= s->finished) {
        if (!ww_fifo_room(&s->out)) {
            s->waited++;
            return WW_SLEEP; /* the channel remembers, and wakes it when a slot is freed */
        }
        WW_LOG(s, &stage_events[0], -1, s->number);
        ww_fifo_put(&s->out, s->number);
        s->busy = false;
    }
    if (!s->busy) {
        if (!ww_fifo_ready(&s->in)) {
            return WW_SLEEP; /* the channel wakes it when a token comes */
        }
        s->number = ww_fifo_take(&s->in);
        s->finished = now + s->work;
        s->busy = true;
    }
    return s->finished - now; /* cycles from now: until then there is nothing to do */
}

/*
 * 3. Accounts for `n` cycles that were slept through, so that sleeping changes no statistic. It
 * may look only at its own state.
 */
static void stage_settle(void *self, uint32_t entry, uint64_t n)
{
    Stage *s = self;
    WwCycle now = ww_now(s);
    if (s->busy && now > s->finished) {
        s->waited += MIN(
            n, now - s->finished); /* of the cycles before `now`, those after the work was over */
    }
}

/*
 * 4. Power-on. Called before the first cycle and for every reset: everything under "state" gets
 * its first value.
 */
static void stage_reset(void *self)
{
    Stage *s = self;
    s->busy = false;
    s->number = 0;
    s->finished = 0;
}

/* 5. What it waits for, for the report of a run that hangs. Silent when it waits for nothing. */
static void stage_explain(void *self, WwExplain *explain)
{
    Stage *s = self;
    if (s->busy && ww_now(s) >= s->finished) {
        ww_explain_waits(explain, s->out.peer, "number %" G_GUINT64_FORMAT " waits for room",
                         s->number);
    }
}

/*
 * 6. The descriptor: all that the command, the checks and the manual know about the type. Each
 * array ends with {0}.
 */
static const WwParamRow stage_params[] = {
    WW_UINT(Stage, work, "cycles", "1", 1, 1000, "cycles of work on a number"),
    {0},
};

static const WwPortRow stage_ports[] = {
    WW_PORT_IN(Stage, in, &ww_contract_number, 1, "numbers to work on"),
    WW_PORT_OUT(Stage, out, &ww_contract_number, 1, "the same numbers, done"),
    {0},
};

static const WwStatRow stage_stats[] = {
    WW_COUNTER(Stage, waited, "cycles", "cycles a finished number had no room"),
    {0},
};

static const WwEntryRow stage_entries[] = {
    {.name = "work",
     .phase = "main",
     .tick = stage_work,
     .doc = "puts the finished number, takes the next"},
    {0},
};

const WwType template_stage_type = {
    .abi = WW_ABI_VERSION,
    .name = "template.stage",
    .doc = "Works on one number at a time, for some cycles each.",
    .family = "template",
    .conserves = WW_CONSERVES_ONE, /* every number that goes in comes out once */
    .size = sizeof(Stage),
    .events = stage_events,
    .params = stage_params,
    .ports = stage_ports,
    .stats = stage_stats,
    .entries = stage_entries,
    .reset = stage_reset,
    .settle = stage_settle,
    .explain = stage_explain,
};
