/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the files of --monitor share. */
#pragma once

#include "json.h"
#include "live.h"
#include <monitor/server.h>
#include <results/picks.h>

/** Why a run paused. */
typedef struct LiveReason {
    const char *
        kind; /**< "start", "user", "step", "cycle", "kernel", "condition", "breakpoint"; NULL: it does not. */
    char *text;    /**< More of it, or NULL. */
    WwCycle cycle; /**< At which. */
} LiveReason;

typedef struct LiveBreak {
    uint32_t id;
    char *path, *kind; /**< kind NULL: all. */
    bool has_unit;
    int64_t unit;
    uint64_t hits;
} LiveBreak;

typedef enum LiveOp { LIVE_AT_LEAST, LIVE_AT_MOST, LIVE_EQUAL } LiveOp;
#define LIVE_OPS (LIVE_EQUAL + 1)

/** Pause when a statistic is so. */
typedef struct LiveCondition {
    char *name;
    WwPicks *picks; /**< NULL: there is none. */
    uint64_t *values;
    LiveOp op;
    uint64_t value, last;
    WwCycle every; /**< Cycles: it is looked at where they are a multiple. */
} LiveCondition;

/** Charts: what was counted from row to row. */
typedef struct LiveSamples {
    WwPicks *picks;
    uint32_t n;   /**< Values in a row. */
    GArray *rows; /**< uint64_t [1 + n]: cycle at its end, values. */
    uint64_t *now, *before;
    WwCycle every; /**< Cycles between rows, at least. */
    WwCycle from, next;
    uint64_t generation; /**< Rows were joined so often. */
    gint64 at, cost;     /**< Of the last one, microseconds. */
} LiveSamples;

/** A place in the tree: a group, or a component, which may have parts of its own. */
typedef struct LiveNode {
    char *path;
    const WwComponent *component; /**< NULL: a group. */
    GPtrArray *children;          /**< LiveNode */
} LiveNode;

struct CliLive {
    CliLiveSpec spec;
    WwMachine *machine;
    WwServer *server;
    gint64 begin,
        asked; /**< When it began, and when somebody last asked for something; microseconds. */
    WwTick budget;
    /* control */
    bool paused;
    gint64 paused_at, paused_for; /**< Since when, and how long before that; microseconds. */
    LiveReason reason;
    const char *over; /**< How the run ended, or NULL. */
    char *why;
    bool wait_end;
    bool released; /**< When it was over: whatever another client asks for in the same moment. */
    gint64 lease;  /**< Until then the end is held. */
    WwCycle stop;  /**< Pause there; WW_NEVER: do not. */
    const char *stop_kind;
    uint32_t stop_kernel; /**< Pause when so many are complete; 0: do not. */
    LiveCondition condition;
    GArray *breaks; /**< LiveBreak */
    uint32_t last_break;
    char *hit; /**< The first event of this piece of a step that a breakpoint is for, in words. */
    LiveSamples samples;
    /* what is where */
    LiveNode *root;    /**< Made when somebody asks. */
    GHashTable *nodes; /**< path -> LiveNode */
    GArray *waits;     /**< LiveWait, as of `waits_at` */
    uint32_t all_waits;
    WwTick waits_at;
};

/** WwWait that stays. */
typedef struct LiveWait {
    WwWait wait;
    char *text, *holds;
} LiveWait;

#define LIVE_MOST_WAITS 4000u   /* of an answer */
#define LIVE_KEPT_WAITS 200000u /* what the tree and a part are told from */

/* ---- answers (live_api.c) ---------------------------------------------------------------------------------------- */

void live_serve(void *user, const WwRequest *request, WwReply *reply);
/** Gives @p value away. */
void live_reply(WwReply *reply, json_t *value);
void live_refuse(WwReply *reply, int status, const char *format, ...) G_GNUC_PRINTF(3, 4);
/** A word of the query, or NULL. */
const char *live_word(const WwRequest *request, const char *key);
/** A number of the query in a range; false: refused. Without one: as it was. */
bool live_number(const WwRequest *request, const char *key, uint64_t most, uint64_t *out,
                 WwReply *reply);

/* ---- looking (live_run.c, live_parts.c, live_tree.c, live_samples.c) ------------------------------------------------ */

void live_get_run(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_samples(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_tree(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_component(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_channels(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_waits(CliLive *live, const WwRequest *request, WwReply *reply);
void live_get_breakpoints(CliLive *live, const WwRequest *request, WwReply *reply);

/** The place at @p path ("": all), or NULL with an answer. */
const LiveNode *live_node(CliLive *live, const char *path, WwReply *reply);
/** "due", "rests", "asleep", "gated", "passive" or "channel". */
const char *live_state(const WwComponent *component);
/** What everybody waits for, as of now. */
const GArray *live_waits(CliLive *live);
/** One of them as JSON. */
json_t *live_wait_json(const LiveWait *wait);
void live_tree_clear(CliLive *live);
json_t *live_reason_json(const CliLive *live);

void live_samples_init(CliLive *live);
/** A row is due: takes it. */
void live_samples_look(CliLive *live);
/** A row of what has happened so far, if anything has. */
void live_samples_take(CliLive *live);
void live_samples_clear(CliLive *live);

/* ---- acting (live_control.c) --------------------------------------------------------------------------------------- */

void live_pause(CliLive *live, const char *kind, const char *text);
/** It goes on; what it was to stop for is forgotten. */
void live_go(CliLive *live);
/** The next cycle at which somebody wants to look. */
WwCycle live_next_stop(const CliLive *live);
/** The machine stands there: pauses where somebody wants that. */
void live_check_stops(CliLive *live);
void live_control_clear(CliLive *live);

void live_post_pause(CliLive *live, json_t *body, WwReply *reply);
void live_post_continue(CliLive *live, json_t *body, WwReply *reply);
void live_post_step(CliLive *live, json_t *body, WwReply *reply);
void live_post_until(CliLive *live, json_t *body, WwReply *reply);
void live_post_breakpoints(CliLive *live, json_t *body, WwReply *reply);
void live_post_remove(CliLive *live, json_t *body, WwReply *reply);
void live_post_hold(CliLive *live, json_t *body, WwReply *reply);
void live_post_release(CliLive *live, json_t *body, WwReply *reply);
