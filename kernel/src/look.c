/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a machine between two runs of it: who is due, how full channels are, and events that somebody watches for. */
#include "log-priv.h"
#include <string.h>

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* Is one of the gates around @p g closed? */
static bool is_gated(const WwGroup *g)
{
    for (const WwGroup *gate = g->gate; gate != NULL;
         gate = gate->parent != NULL ? gate->parent->gate : NULL) {
        for (uint32_t i = 0; gate->blocks != NULL && i < gate->blocks->len; i++) {
            if (((const Block *)gate->blocks->pdata[i])->closed) {
                return true;
            }
        }
    }
    return false;
}

WwWhen ww_entry_when(const WwComponent *c, uint32_t entry)
{
    const WwEntry *e = &c->entries[entry];
    WwWhen when = {.domain = e->domain, .at = WW_NEVER};
    if (e->domain == NULL) {
        return when;
    }
    when.gated = is_gated(c->group);
    when.due = c->machine->no_sleep || (*e->wake.word & e->wake.bit) != 0;
    if (!when.due && ww_event_pending(&e->timer)) {
        when.at = e->timer.cycle;
    } else if (!when.due && ww_timer_pending(e)) {
        when.at = e->noted_at;
    }
    return when;
}

bool ww_channel_fill(const WwComponent *c, WwFill *out)
{
    const WwChannelOps *ops = c->type->channel;
    *out = (WwFill){0};
    if (ops == NULL || ops->fill == NULL) {
        return false;
    }
    ops->fill(c, out);
    return true;
}

/* ---- watches ----------------------------------------------------------------------------------------------------- */

/* Beside the machine's heap: no checkpoint has any of it. */
typedef struct Watcher {
    WwWatchFn fn;
    void *user;
    uint32_t n;
    WwWatch *watch;
    GPatternSpec **path;
} Watcher;

static void free_watcher(Watcher *w)
{
    for (uint32_t i = 0; w != NULL && i < w->n; i++) {
        g_free((char *)w->watch[i].path);
        g_free((char *)w->watch[i].kind);
        g_pattern_spec_free(w->path[i]);
    }
    if (w != NULL) {
        g_free(w->watch);
        g_free(w->path);
        g_free(w);
    }
}

static Watcher *new_watcher(const WwWatch *watches, uint32_t n, WwWatchFn fn, void *user)
{
    Watcher *w = g_new0(Watcher, 1);
    *w = (Watcher){fn, user, n, g_new(WwWatch, n), g_new(GPatternSpec *, n)};
    for (uint32_t i = 0; i < n; i++) {
        w->watch[i] = watches[i];
        w->watch[i].path = g_strdup(watches[i].path);
        w->watch[i].kind = g_strdup(watches[i].kind);
        w->path[i] = g_pattern_spec_new(watches[i].path);
    }
    return w;
}

static bool is_watched(const Watcher *w, const WwComponent *c)
{
    g_autofree char *path = ww_path(c);
    for (uint32_t i = 0; i < w->n; i++) {
        if (g_pattern_spec_match_string(w->path[i], path)) {
            return true;
        }
    }
    return false;
}

static void mark(WwComponent *c, bool watched)
{
    c->logged = (uint8_t)((c->logged & ~WW_WATCHED) | (watched ? WW_WATCHED : 0));
    if (!(c->type->flags & WW_TYPE_CHANNEL)) {
        return;
    }
    WwChannel *ch = (WwChannel *)c;
    if (watched && ch->tap == NULL && ch->payload != NULL) {
        ww_set_tap(ch, &ww_tap_of_watch);
    } else if (!watched && ch->tap == &ww_tap_of_watch) {
        ww_set_tap(ch, NULL);
    }
}

void ww_machine_watch(WwMachine *m, const WwWatch *watches, uint32_t n, WwWatchFn fn, void *user)
{
    free_watcher(m->host->watcher);
    m->host->watcher = n != 0 ? new_watcher(watches, n, fn, user) : NULL;
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        mark(c, n != 0 && is_watched(m->host->watcher, c));
    }
}

void ww_watch_end(WwMachine *m)
{
    free_watcher(m->host->watcher);
    m->host->watcher = NULL;
}

void ww_watch_event(const WwComponent *c, WwCycle cycle, const char *kind, int64_t unit,
                    const char *text)
{
    const Watcher *w = c->machine->host->watcher;
    g_autofree char *path = NULL;
    for (uint32_t i = 0; w != NULL && i < w->n; i++) {
        const WwWatch *watch = &w->watch[i];
        if ((watch->kind != NULL && strcmp(watch->kind, kind) != 0) ||
            (watch->has_unit && watch->unit != unit)) {
            continue;
        }
        path = path != NULL ? path : ww_path(c);
        if (g_pattern_spec_match_string(w->path[i], path)) {
            w->fn(w->user, i, c, cycle, kind, unit, text);
        }
    }
}
