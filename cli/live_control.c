/* SPDX-License-Identifier: Apache-2.0 */
/* What somebody who looks may do to a run: let it pause and go on, and say where it is to pause. Nothing of it changes a result. */
#include "events.h"
#include "live-priv.h"

#include <string.h>
#include <warpwright/interrupt.h>

#define MOST_BREAKS 64u
#define MOST_TEXT 512u   /* characters of a path, a kind, a statistic */
#define MOST_HOLD 3600u  /* seconds */
#define USUAL_EVERY 100u /* cycles between two looks at a condition */

/* ---- pausing ----------------------------------------------------------------------------------------------------- */

static void clear_reason(CliLive *l)
{
    g_free(l->reason.text);
    l->reason = (LiveReason){0};
}

static void clear_condition(LiveCondition *c)
{
    g_free(c->name);
    g_free(c->values);
    ww_picks_free(c->picks);
    *c = (LiveCondition){0};
}

static void clear_stops(CliLive *l)
{
    l->stop = WW_NEVER;
    l->stop_kind = NULL;
    l->stop_kernel = 0;
    clear_condition(&l->condition);
}

void live_pause(CliLive *l, const char *kind, const char *text)
{
    if (l->paused || l->over != NULL) {
        return;
    }
    clear_stops(l);
    clear_reason(l);
    l->paused = true;
    l->paused_at = g_get_monotonic_time();
    l->reason = (LiveReason){kind, g_strdup(text), ww_machine_cycle(l->machine)};
    if (l->samples.rows != NULL) {
        live_samples_take(l);
    }
}

void live_go(CliLive *l)
{
    clear_stops(l);
    clear_reason(l);
    l->paused_for = cli_live_paused_for(l);
    l->paused = false;
}

static uint64_t condition_now(CliLive *l)
{
    const LiveCondition *c = &l->condition;
    uint64_t sum = 0;
    ww_machine_settle(l->machine);
    ww_picks_read(c->picks, c->values);
    for (uint32_t i = 0; i < ww_picks_n(c->picks); i++) {
        sum += c->values[i];
    }
    return sum;
}

static bool is_met(const LiveCondition *c, uint64_t now)
{
    switch (c->op) {
    case LIVE_AT_LEAST:
        return now >= c->value;
    case LIVE_AT_MOST:
        return now <= c->value;
    case LIVE_EQUAL:
        return now == c->value;
    }
    return false;
}

WwCycle live_next_stop(const CliLive *l)
{
    const LiveCondition *c = &l->condition;
    WwCycle now = ww_machine_cycle(l->machine);
    return c->picks != NULL ? MIN(l->stop, (now / c->every + 1) * c->every) : l->stop;
}

void live_check_stops(CliLive *l)
{
    LiveCondition *c = &l->condition;
    WwCycle now = ww_machine_cycle(l->machine);
    if (l->hit != NULL) {
        g_autofree char *hit = g_steal_pointer(&l->hit);
        live_pause(l, "breakpoint", hit);
    }
    if (now >= l->stop) {
        live_pause(l, l->stop_kind, NULL);
    }
    if (!l->paused && c->picks != NULL && now % c->every == 0) {
        c->last = condition_now(l);
        if (is_met(c, c->last)) {
            g_autofree char *text = g_strdup_printf("%s is %" G_GUINT64_FORMAT, c->name, c->last);
            live_pause(l, "condition", text);
        }
    }
}

/* ---- breakpoints -------------------------------------------------------------------------------------------------- */

static void on_event(void *user, uint32_t watch, const WwComponent *who, WwCycle cycle,
                     const char *kind, int64_t unit, const char *text)
{
    CliLive *l = user;
    LiveBreak *b = &g_array_index(l->breaks, LiveBreak, watch);
    b->hits++;
    if (l->hit == NULL) {
        g_autofree char *path = ww_path(who);
        l->hit = g_strdup_printf("breakpoint %u: %s %s, unit %" G_GINT64_FORMAT
                                 ", cycle %" G_GUINT64_FORMAT ": %s",
                                 b->id, path, kind, unit, cycle, text);
    }
    ww_attention(); /* ww_run() comes back at the end of the tick */
}

void cli_live_watch(CliLive *l, bool on)
{
    if (l == NULL) {
        return;
    }
    uint32_t n = on ? l->breaks->len : 0;
    g_autofree WwWatch *watches = g_new0(WwWatch, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        const LiveBreak *b = &g_array_index(l->breaks, LiveBreak, i);
        watches[i] = (WwWatch){b->path, b->kind, b->unit, b->has_unit};
    }
    ww_machine_watch(l->machine, watches, n, on_event, l);
}

static void clear_break(LiveBreak *b)
{
    g_free(b->path);
    g_free(b->kind);
}

static void clear_breaks(CliLive *l)
{
    for (guint i = 0; i < l->breaks->len; i++) {
        clear_break(&g_array_index(l->breaks, LiveBreak, i));
    }
    g_array_set_size(l->breaks, 0);
}

void live_control_clear(CliLive *l)
{
    clear_stops(l);
    clear_reason(l);
    clear_breaks(l);
    g_array_unref(l->breaks);
    g_free(l->hit);
}

static json_t *break_json(const LiveBreak *b)
{
    json_t *o = json_object();
    json_object_set_new(o, "id", json_integer(b->id));
    json_object_set_new(o, "path", cli_json_text(b->path));
    json_object_set_new(o, "kind", b->kind != NULL ? cli_json_text(b->kind) : json_null());
    json_object_set_new(o, "unit", b->has_unit ? json_integer(b->unit) : json_null());
    json_object_set_new(o, "hits", json_integer((json_int_t)b->hits));
    return o;
}

void live_get_breakpoints(CliLive *l, const WwRequest *request, WwReply *r)
{
    json_t *o = json_object(), *list = json_array();
    for (guint i = 0; i < l->breaks->len; i++) {
        json_array_append_new(list, break_json(&g_array_index(l->breaks, LiveBreak, i)));
    }
    json_object_set_new(o, "breakpoints", list);
    live_reply(r, o);
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

/* A whole number of the body; false: refused. Without one: as it was. */
static bool number(json_t *body, const char *key, uint64_t least, uint64_t *out, WwReply *r)
{
    json_t *v = json_object_get(body, key);
    if (v == NULL) {
        return true;
    }
    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        (uint64_t)json_integer_value(v) < least) {
        live_refuse(r, 400,
                    "%s is no such number; expected a whole number from %" G_GUINT64_FORMAT " on",
                    key, least);
        return false;
    }
    *out = (uint64_t)json_integer_value(v);
    return true;
}

/* A text of the body, *out NULL without one; false: refused. */
static bool text(json_t *body, const char *key, const char **out, WwReply *r)
{
    json_t *v = json_object_get(body, key);
    *out = json_string_value(v);
    if (v != NULL && (*out == NULL || json_string_length(v) != strlen(*out) || **out == '\0' ||
                      strlen(*out) > MOST_TEXT)) {
        live_refuse(r, 400, "%s is no such text; expected a string of 1 to %u characters", key,
                    MOST_TEXT);
        return false;
    }
    return true;
}

/* How things stand, for whoever has changed that; refuses when the run is over. */
static bool may_act(const CliLive *l, WwReply *r)
{
    if (l->over != NULL) {
        live_refuse(r, 409, "the run is over (%s); expected one that goes on", l->over);
    }
    return l->over == NULL;
}

static void reply_state(const CliLive *l, WwReply *r)
{
    json_t *o = json_object();
    json_object_set_new(o, "paused", json_boolean(l->paused));
    json_object_set_new(o, "cycle", json_integer((json_int_t)ww_machine_cycle(l->machine)));
    live_reply(r, o);
}

void live_post_pause(CliLive *l, json_t *body, WwReply *r)
{
    if (may_act(l, r)) {
        live_pause(l, "user", NULL);
        reply_state(l, r);
    }
}

void live_post_continue(CliLive *l, json_t *body, WwReply *r)
{
    if (may_act(l, r)) {
        live_go(l);
        reply_state(l, r);
    }
}

static void go_to(CliLive *l, const char *kind, WwCycle cycle, WwReply *r)
{
    live_go(l);
    l->stop = cycle;
    l->stop_kind = kind;
    reply_state(l, r);
}

void live_post_step(CliLive *l, json_t *body, WwReply *r)
{
    uint64_t n = 1;
    WwCycle now = ww_machine_cycle(l->machine);
    if (may_act(l, r) && number(body, "cycles", 1, &n, r)) {
        go_to(l, "step", n < WW_NEVER - now ? now + n : WW_NEVER - 1, r);
    }
}

/* ---- run until ---------------------------------------------------------------------------------------------------- */

static void until_cycle(CliLive *l, json_t *body, WwReply *r)
{
    uint64_t cycle = 0;
    WwCycle now = ww_machine_cycle(l->machine);
    if (!number(body, "cycle", 0, &cycle, r)) {
        return;
    }
    if (cycle <= now) {
        live_refuse(r, 400,
                    "cycle %" G_GUINT64_FORMAT " is over; expected one after %" G_GUINT64_FORMAT,
                    cycle, now);
        return;
    }
    go_to(l, "cycle", cycle, r);
}

static void until_kernel(CliLive *l, json_t *body, WwReply *r)
{
    uint64_t kernel = 0;
    guint done = l->spec.results->kernels.n;
    if (!number(body, "kernel", 1, &kernel, r)) {
        return;
    }
    if (kernel <= done || kernel > UINT32_MAX) {
        live_refuse(r, 400, "%u kernels have ended; expected a number after that", done);
        return;
    }
    live_go(l);
    l->stop_kernel = (uint32_t)kernel;
    reply_state(l, r);
}

static bool read_op(json_t *body, LiveOp *op, WwReply *r)
{
    static const char *const names[] = {
        [LIVE_AT_LEAST] = ">=", [LIVE_AT_MOST] = "<=", [LIVE_EQUAL] = "=="};
    G_STATIC_ASSERT(G_N_ELEMENTS(names) == LIVE_OPS);
    const char *word;
    if (!text(body, "op", &word, r)) {
        return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        if (word == NULL || strcmp(word, names[i]) == 0) {
            *op = word == NULL ? LIVE_AT_LEAST : (LiveOp)i;
            return true;
        }
    }
    live_refuse(r, 400, "op '%s' is unknown; expected >=, <= or ==", word);
    return false;
}

static void until_statistic(CliLive *l, json_t *body, WwReply *r)
{
    g_autoptr(GError) why = NULL;
    LiveCondition c = {.every = USUAL_EVERY};
    const char *name;
    if (!text(body, "statistic", &name, r) || !read_op(body, &c.op, r) ||
        !number(body, "value", 0, &c.value, r) || !number(body, "every", 1, &c.every, r)) {
        return;
    }
    if (json_object_get(body, "value") == NULL) {
        live_refuse(r, 400, "a statistic without a value; expected both");
        return;
    }
    WwPicks *picks = ww_picks_new(l->machine);
    if (!ww_picks_add(picks, strchr(name, ':') != NULL ? WW_PICK_PATH : WW_PICK_SUM, name, &why)) {
        live_refuse(r, 400, "statistic '%s' %s", name, why->message);
        ww_picks_free(picks);
        return;
    }
    ww_picks_close(picks);
    live_go(l);
    l->condition = c;
    l->condition.name = g_strdup(name);
    l->condition.picks = picks;
    l->condition.values = g_new0(uint64_t, ww_picks_n(picks));
    reply_state(l, r);
}

void live_post_until(CliLive *l, json_t *body, WwReply *r)
{
    bool cycle = json_object_get(body, "cycle") != NULL;
    bool kernel = json_object_get(body, "kernel") != NULL;
    bool statistic = json_object_get(body, "statistic") != NULL;
    if (!may_act(l, r)) {
        return;
    }
    if (cycle + kernel + statistic != 1 || (!statistic && json_object_size(body) != 1)) {
        live_refuse(r, 400,
                    "until what; expected cycle, or kernel, or statistic (with value, op, every)");
    } else if (cycle) {
        until_cycle(l, body, r);
    } else if (kernel) {
        until_kernel(l, body, r);
    } else {
        until_statistic(l, body, r);
    }
}

/* ---- breakpoints and the end --------------------------------------------------------------------------------------- */

static bool any_at(const CliLive *l, const char *glob)
{
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(glob);
    for (uint32_t i = 0; i < ww_machine_n_components(l->machine); i++) {
        g_autofree char *path = ww_path(ww_machine_component(l->machine, i));
        if (g_pattern_spec_match_string(spec, path)) {
            return true;
        }
    }
    return false;
}

void live_post_breakpoints(CliLive *l, json_t *body, WwReply *r)
{
    const char *path, *kind;
    uint64_t unit = 0;
    const json_t *asked = json_object_get(body, "unit");
    bool none = json_is_integer(asked) && json_integer_value(asked) == -1; /* as events say it */
    if (!may_act(l, r) || !text(body, "path", &path, r) || !text(body, "kind", &kind, r) ||
        (!none && !number(body, "unit", 0, &unit, r))) {
        return;
    }
    if (path == NULL || !any_at(l, path)) {
        live_refuse(r, 400,
                    "path '%s' is that of no component; expected one of /api/tree, in which * and "
                    "? may stand",
                    path != NULL ? path : "");
        return;
    }
    g_autoptr(GError) why = NULL;
    if (kind != NULL && !cli_events_kind(l->machine, "kind", kind, &why)) {
        live_refuse(r, 400, "%s", why->message);
        return;
    }
    if (l->breaks->len == MOST_BREAKS) {
        live_refuse(r, 409, "there are %u breakpoints; expected no more", MOST_BREAKS);
        return;
    }
    LiveBreak b = {.id = ++l->last_break,
                   .path = g_strdup(path),
                   .kind = g_strdup(kind),
                   .has_unit = asked != NULL,
                   .unit = none ? -1 : (int64_t)unit};
    g_array_append_val(l->breaks, b);
    cli_live_watch(l, true);
    live_reply(r, break_json(&b));
}

void live_post_remove(CliLive *l, json_t *body, WwReply *r)
{
    uint64_t id = 0;
    if (!number(body, "id", 1, &id, r)) {
        return;
    }
    for (guint i = 0; i < l->breaks->len; i++) {
        LiveBreak *b = &g_array_index(l->breaks, LiveBreak, i);
        if (b->id == id) {
            clear_break(b);
            g_array_remove_index(l->breaks, i);
            cli_live_watch(l, true);
            live_get_breakpoints(l, NULL, r);
            return;
        }
    }
    live_refuse(r, 404,
                "there is no breakpoint %" G_GUINT64_FORMAT "; expected one of /api/breakpoints",
                id);
}

void live_post_hold(CliLive *l, json_t *body, WwReply *r)
{
    uint64_t seconds = 10;
    if (!number(body, "seconds", 0, &seconds, r)) {
        return;
    }
    if (seconds > MOST_HOLD) {
        live_refuse(r, 400, "seconds is more than %u; expected less, and to ask again", MOST_HOLD);
        return;
    }
    l->lease = g_get_monotonic_time() + (gint64)seconds * 1000000;
    reply_state(l, r);
}

/* Whoever paused it and goes lets it go on, past breakpoints, too: nobody is there who could continue. What is over ends. */
void live_post_release(CliLive *l, json_t *body, WwReply *r)
{
    l->wait_end = false;
    l->released = l->over != NULL;
    l->lease = 0;
    clear_breaks(l);
    cli_live_watch(l, true);
    if (l->over == NULL) {
        live_go(l);
    }
    reply_state(l, r);
}
