/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: its memory, its filter and its file. Each partition keeps lines (log_line.c) in chunks (log_chunk.c) while it runs, and so does who
 * runs outside of windows; at the end of a window they are merged (log_merge.c) and told (log_text.c). All of it is beside the machine's heap: no
 * checkpoint has any of it.
 */
#include "log-priv.h"
#include <stdio.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

void ww_log_clear(LogText *t)
{
    t->n_pieces = 0;
    t->tick = NO_TICK;
    t->last_tick = 0;
}

void ww_log_clear_cycles(LogCycle *cycle)
{
    for (uint32_t d = 0; d < WW_MAX_DOMAINS; d++) {
        cycle[d].cycle = WW_NEVER;
        cycle[d].hundreds = LOG_NO_HUNDREDS;
    }
}

static LogText *more_texts(LogText *of, uint32_t n, uint32_t all)
{
    if (of != NULL) { /* the last was of none */
        g_free(of[n].piece);
        g_free(of[n].later);
    }
    of = g_renew(LogText, of, all);
    memset(of + n, 0, (all - n) * sizeof *of);
    for (uint32_t i = n; i < all; i++) {
        ww_log_clear(&of[i]);
    }
    return of;
}

static void free_texts(LogText *of, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        g_free(of[i].piece);
        g_free(of[i].later);
    }
    g_free(of);
}

void ww_log_make(WwMachine *m)
{
    Host *h = m->host;
    if (h->log == NULL) {
        h->log = g_new0(Log, 1);
        ww_log_make_chunks(&h->log->chunks);
        ww_log_clear(&h->log->out);
        ww_log_clear_cycles(h->log->cycle);
        for (uint32_t d = 0; d < WW_MAX_DOMAINS; d++) {
            h->log->noted[d] = WW_NEVER;
        }
        for (uint32_t i = 0; i < LOG_PARTS; i++) {
            ww_log_clear_cycles(h->log->parts.at[i].cycle);
        }
    }
    if (h->log->of == NULL || h->log->n_of < m->n_all) {
        ww_log_flush(m);
        h->log->of = more_texts(h->log->of, h->log->n_of, m->n_all + 1);
        h->log->full = more_texts(h->log->full, h->log->n_of, m->n_all + 1);
        h->log->merge = g_renew(Merged, h->log->merge, m->n_all);
        h->log->next = g_renew(uint32_t, h->log->next, m->n_all);
        h->log->n_of = m->n_all;
    }
    if (h->log->n_heads < m->info.n) {
        h->log->head = g_renew(LogHead *, h->log->head, m->info.n);
        memset(h->log->head + h->log->n_heads, 0,
               (m->info.n - h->log->n_heads) * sizeof *h->log->head);
        h->log->token = g_renew(const LogHead *, h->log->token, 2 * (size_t)m->info.n);
        memset(h->log->token + 2 * (size_t)h->log->n_heads, 0,
               2 * (size_t)(m->info.n - h->log->n_heads) * sizeof *h->log->token);
        h->log->n_heads = m->info.n;
    }
}

void ww_log_free(WwMachine *m)
{
    Log *l = m->host->log;
    if (l == NULL) {
        return;
    }
    ww_scribe_end(l);
    free_texts(l->of, l->n_of + 1);
    free_texts(l->full, l->n_of + 1);
    ww_log_free_chunks(&l->chunks);
    for (uint32_t i = 0; i < l->n_heads; i++) {
        for (LogHead *h = l->head[i], *next; h != NULL; h = next) {
            next = h->next;
            g_free(h);
        }
    }
    g_strfreev(l->fields);
    g_free(l->outside);
    g_free(l->time[0]);
    g_free(l->out.text);
    for (uint32_t i = 0; i < LOG_PARTS; i++) {
        g_free(l->parts.at[i].out.text);
    }
    g_free(l->parts.first);
    g_free(l->head);
    g_free(l->token);
    g_free(l->sorted);
    g_free(l->count);
    g_free(l->merge);
    g_free(l->next);
    g_free(l);
    m->host->log = NULL;
}

bool ww_log_wants(const WwMachine *m, const char *kind)
{
    return m->kinds == NULL ||
           g_strv_contains((const char *const *)m->kinds, kind) != m->filter.but;
}

/* Several threads may write lines of a component: it may have two heads of one kind, which are the same. */
__attribute__((noinline)) const LogHead *ww_log_head(LogHead **first, const WwComponent *c,
                                                     const char *kind, const WwEventRow *row)
{
    const LogHead *other = __atomic_load_n(&first[c->id], __ATOMIC_ACQUIRE);
    g_autofree char *made = other != NULL ? NULL : ww_path(c);
    const char *path = other != NULL ? other->text + other->at_path : made;
    size_t n = strlen(kind), n_path = other != NULL ? other->n - other->at_path - 1 : strlen(made),
           all = n + n_path + 3;
    LogHead *h = g_malloc0(sizeof *h + all + LOG_SLOT + LOG_COPY);
    *h = (LogHead){.row = row,
                   .component = c,
                   .kind = kind,
                   .n = (uint32_t)all,
                   .at_path = (uint32_t)n + 2,
                   .domain = c->domain->index,
                   .wanted = ww_log_wants(c->machine, kind)};
    while (row != NULL && row->field[h->n_fields] != NULL) {
        h->n_fields++;
    }
    h->brief = h->wanted && all <= LOG_MOST_HEAD && c->logged == (WW_LOGGED | WW_LOGGED_ALL);
    if ((c->type->flags & WW_TYPE_CHANNEL) && ((const WwChannel *)c)->payload != NULL) {
        h->kept = ((const WwChannel *)c)->payload->kept;
    }
    char *at = h->text;
    *at++ = '\t';
    memcpy(at, kind, n);
    at += n;
    *at++ = '\t';
    memcpy(at, path, n_path);
    at[n_path] = '\t';
    memcpy(at + n_path + 1, LOG_OF_SLOT, LOG_SLOT);
    h->next = __atomic_load_n(&first[c->id], __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(&first[c->id], &h->next, h, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
    }
    return h;
}

/* ---- the file ---------------------------------------------------------------------------------------------------- */

__attribute__((noinline)) void ww_log_write(WwMachine *m, Log *l)
{
    size_t n = ww_log_bytes(&l->out);
    if (n != 0) {
        fwrite(l->out.text, 1, n, m->events);
        l->out.at = l->out.text;
    }
}

/* Whoever made text of what was kept, in whatever thread, could only go on. */
static void fail_badly(Log *l)
{
    const LogHead *h = __atomic_exchange_n(&l->badly, NULL, __ATOMIC_ACQ_REL);
    if (h == NULL) {
        return;
    }
    GError *error = NULL;
    g_autofree char *text = ww_component_text(h->component);
    ww_fail(&error, WW_ERROR_MODEL,
            "%s: of what was kept of an event '%s' not all was told, or more; expected tell() to "
            "move behind what keep() wrote",
            text, h->kind);
    ww_fail_run((void *)(uintptr_t)h->component, error);
}

__attribute__((noinline)) void ww_log_flush(WwMachine *m)
{
    Log *l = m->host->log;
    if (l != NULL && l->of != NULL) {
        ww_scribe_wait(l);
        ww_log_give_chunks(&l->chunks);
        ww_log_sort_all(m, l);
        ww_log_write(m, l);
        fail_badly(l);
    }
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

/* Has @p text the field @p field, name and value? */
static bool has_field(const char *text, const char *field)
{
    size_t n = strlen(field);
    for (const char *at = text; (at = strstr(at, field)) != NULL; at += n) {
        if ((at == text || at[-1] == ' ') && (at[n] == '\0' || at[n] == ' ')) {
            return true;
        }
    }
    return false;
}

static bool wanted_fields(const Log *l, const char *text)
{
    for (char **f = l->fields; f != NULL && *f != NULL; f++) {
        if (!has_field(text, *f)) {
            return false;
        }
    }
    return true;
}

bool ww_log_wants_text(const Log *l, const WwComponent *c, const char *text)
{
    bool only_if = (c->logged & WW_LOGGED_IF) != 0;
    return (!only_if || has_field(text, l->outside)) && wanted_fields(l, text);
}

bool ww_log_in_bounds(const WwMachine *m, WwCycle core, int64_t unit)
{
    const WwEventFilter *f = &m->filter;
    return core >= f->from && (f->to == 0 || core <= f->to) && (!f->has_unit || unit == f->unit);
}

/* ---- beside the components --------------------------------------------------------------------------------------- */

static bool wanted_path(const WwMachine *m, const char *path, const char *text)
{
    const char *outside = m->host->log->outside;
    return m->filter.path == NULL || g_pattern_match_simple(m->filter.path, path) ||
           (outside != NULL && has_field(text, outside));
}

void ww_machine_note(WwMachine *m, const char *kind, const char *path, const char *text)
{
    if (m->events == NULL) {
        return;
    }
    ww_log_make(m);
    Log *l = m->host->log;
    WwCycle now = ww_machine_cycle(m);
    if (!ww_log_wants(m, kind) || !ww_log_in_bounds(m, now, -1) || !wanted_path(m, path, text) ||
        !wanted_fields(l, text)) {
        return;
    }
    ww_log_flush(m);
    size_t n = strlen(kind) + strlen(path) + strlen(text) + LOG_NUMBERS;
    ww_log_need_text(&l->out, n);
    l->out.at += (size_t)g_snprintf(l->out.at, n, "%" G_GUINT64_FORMAT "\t%s\t%s\t-1\t%s\n", now,
                                    kind, path, text);
    ww_log_write(m, l); /* nobody may run it any more */
}
