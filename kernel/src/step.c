/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Owned steps: entry points that another component runs at a point of its own turn.
 *
 * A step is a block of one bit whose parent is the owner's bit, so that a wake finds its way up as from any block. Turns in which it was not
 * due are only counted: by ww_step() while its owner is awake, by the owner's settle when it sleeps. They are settled before
 * the step runs and when somebody reads statistics, so what settle() goes by must not change between two runs but by the step itself.
 */
#include "machine-priv.h"
#include <string.h>

enum { DUE = 1, ALWAYS = 2 };

void ww_place_step(WwMachine *m, WwEntry *e)
{
    WwStep *s = ww_machine_alloc(m, sizeof *s);
    s->entry = e;
    s->block = (WwBlock){.due = &s->due, .step = true, .stopped = true}; /* until it has an owner */
    e->step = s;
    e->wake = (WwWake){&s->due, DUE, &s->block};
    g_ptr_array_add(m->steps, s);
}

WwWake ww_bind_external_step(WwComponent *c, int row, WwTickFn tick,
                             void (*settle)(void *self, uint32_t entry, uint64_t n), void *self)
{
    WwEntry *e = ww_machine_alloc(c->machine, sizeof *e);
    *e = (WwEntry){.tick = tick, .self = self, .settle = settle, .external = true};
    ww_set_timer(e);
    ww_place_step(c->machine, e);
    for (uint32_t i = 0; i < c->machine->bindings.n; i++) {
        Binding *b = &c->machine->bindings.v[i];
        if (b->component == c && b->row == row && b->peer == NULL) {
            ww_external(c->machine, b)->step = e->step;
        }
    }
    return e->wake;
}

/* ---- whose step ------------------------------------------------------------------------------------------------- */

/* The owned entry point of @p c that the owner at its PROVIDES row @p row runs, or NULL. */
static WwEntry *step_at(const WwComponent *c, int row)
{
    int32_t i = ww_port_info(c, row)->step;
    return i >= 0 ? &c->entries[i] : NULL;
}

WwStep *ww_step_at(WwComponent *c, int row)
{
    WwEntry *e = step_at(c, row);
    return e != NULL ? e->step : NULL;
}

static bool fail_owner(const Binding *b, const WwEntry *step, const char *why, GError **error)
{
    g_autofree char *at = ww_location_text(b->where);
    ww_assert(b->peer != NULL);
    g_autofree char *text = ww_component_text(b->peer);
    g_autofree char *caller = ww_component_text(b->component);
    return ww_fail(
        error, WW_ERROR_WIRING,
        "%s%s: entry point '%s' is run by whoever owns port '%s', and %s %s; expected one "
        "owner",
        at, text, b->peer->type->entries[step->row].name, b->peer->type->entries[step->row].owner,
        caller, why);
}

/* The settle() of an entry point that owns steps: they sleep as long as it does. */
static void settle_owner(void *self, uint32_t row, uint64_t n)
{
    WwComponent *c = self;
    if (c->type->settle != NULL) {
        c->type->settle(self, row, n);
    }
    for (WwStep *s = c->entries[row].steps; s != NULL; s = s->next) {
        s->skipped += n * s->turns;
    }
}

static void own(WwEntry *owner, WwEntry *step)
{
    WwStep **end = &owner->steps;
    while (*end != NULL) {
        end = &(*end)->next;
    }
    *end = step->step;
    step->owner = owner;
    owner->settle = settle_owner;
}

/* The owned entry point of what a binding leads to, or NULL. */
static WwEntry *step_behind(const Binding *b)
{
    if (b->peer == NULL) {
        const WwStep *step = ww_external(b->component->machine, b)->step;
        return step != NULL ? step->entry : NULL;
    }
    return b->peer_row >= 0 ? step_at(b->peer, b->peer_row) : NULL;
}

static bool find_owners(WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        WwEntry *step = b->to_steps && b->port->owns ? step_behind(b) : NULL;
        if (step == NULL) {
            continue;
        }
        WwEntry *owner = ww_row_entry(b->component, b->row);
        if (step->owner != NULL || owner == NULL) {
            return fail_owner(b, step, owner != NULL ? "is another" : "has no entry point", error);
        }
        own(owner, step);
    }
    return true;
}

/* Whoever has callers has an owner; a fake may do without. */
static bool check_called(WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        WwEntry *step = b->to_steps ? step_behind(b) : NULL;
        bool fake = b->peer != NULL && (b->peer->type->flags & WW_TYPE_FAKE) != 0;
        if (step != NULL && step->owner == NULL && !fake) {
            return fail_owner(b, step, "only calls it", error);
        }
    }
    return true;
}

/* A ring of owners has no turn. */
static bool check_rings(WwMachine *m, GError **error)
{
    for (uint32_t i = 0; i < m->steps->len; i++) {
        const WwEntry *e = ((WwStep *)m->steps->pdata[i])->entry;
        for (uint32_t n = 0; e != NULL && e->step != NULL; e = e->owner) {
            if (n++ > m->steps->len) {
                g_autofree char *text = ww_component_text(e->self);
                return ww_fail(error, WW_ERROR_WIRING,
                               "%s owns itself, through others; expected an owner with a phase",
                               text);
            }
        }
    }
    return true;
}

/* ---- bindings that few are like -------------------------------------------------------------------------------- */

static void add_special(WwMachine *m, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->crosses || b->elsewhere || b->to_steps) {
            *WW_VEC_ADD(&m->apart) = i;
        }
    }
}

/* The first of them from binding number @p binding on. */
static uint32_t special_from(const WwMachine *m, uint32_t binding)
{
    uint32_t lo = 0, hi = m->apart.n;
    while (lo < hi) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (m->apart.v[mid] < binding) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

/* Those that have to do with steps, with another partition's turns, or with another partition; in a copy: those of its model. */
static void find_special(WwMachine *m)
{
    uint32_t done = 0;
    m->apart.n = 0;
    for (uint32_t k = 0; k < m->copies.n; k++) {
        const Copied *c = &m->copies.v[k];
        add_special(m, done, c->from.bindings);
        done = c->to.bindings;
        uint32_t end = special_from(m, c->to.bindings - c->behind.bindings);
        for (uint32_t i = special_from(m, c->from.bindings - c->behind.bindings); i < end; i++) {
            uint32_t like = m->apart.v[i];
            *WW_VEC_ADD(&m->apart) = like + c->behind.bindings;
        }
    }
    add_special(m, done, m->bindings.n);
}

/* Whose turns use them; then those that are apart alone. */
static void find_turns(WwMachine *m)
{
    uint32_t n = m->apart.n;
    m->apart.n = 0;
    for (uint32_t i = 0; i < n; i++) {
        Binding *b = &m->bindings.v[m->apart.v[i]];
        if (b->elsewhere) {
            b->turn = ww_turn_of(b->turn);
            b->away = b->peer != NULL && ww_user_of(b)->index != b->peer->partition;
        }
        if (b->away || b->crosses) {
            m->apart.v[m->apart.n++] = m->apart.v[i];
        }
    }
}

static void add_meeting(WwMachine *m, const bool *meets, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        const Binding *b = &m->bindings.v[i];
        if (b->peer_row < 0 && b->peer != NULL && meets[b->to]) {
            *WW_VEC_ADD(&m->meeting) = i;
        }
    }
}

/* All ends of the channels that lead from one partition to another. */
static void find_meeting(WwMachine *m)
{
    g_autofree bool *meets = g_new0(bool, m->info.n + 1);
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        if (b->peer_row < 0 && b->peer != NULL) {
            meets[b->to] = true;
        }
    }
    uint32_t done = 0;
    m->meeting.n = 0;
    for (uint32_t k = 0; k < m->copies.n; k++) {
        const Copied *c = &m->copies.v[k];
        if (memchr(&meets[c->from.components], true, c->to.components - c->from.components) ==
            NULL) {
            add_meeting(m, meets, done, c->from.bindings);
            done = c->to.bindings;
        }
    }
    add_meeting(m, meets, done, m->bindings.n);
}

bool ww_own_steps(WwMachine *m, GError **error)
{
    find_special(m);
    if (m->steps->len != 0 &&
        !(find_owners(m, error) && check_called(m, error) && check_rings(m, error))) {
        return false;
    }
    find_turns(m);
    find_meeting(m);
    return true;
}

/* ---- turns ------------------------------------------------------------------------------------------------------ */

static void settle_step(WwStep *s)
{
    uint64_t n = s->skipped;
    s->skipped = 0;
    if (n != 0 && s->entry->settle != NULL) {
        s->entry->settle(s->entry->self, s->entry->row, n);
    }
}

void ww_settle_steps(WwEntry *e)
{
    for (WwStep *s = e->steps; s != NULL; s = s->next) {
        settle_step(s);
        ww_settle_steps(s->entry);
    }
}

void ww_settle_all_steps(WwMachine *m)
{
    for (uint32_t i = 0; i < m->steps->len; i++) {
        WwStep *s = m->steps->pdata[i];
        if (s->entry->owner == NULL) { /* the others: with their owners */
            settle_step(s);
            ww_settle_steps(s->entry);
        }
    }
}

void ww_step_run(WwStep *s)
{
    WwEntry *e = s->entry;
    settle_step(s);
    s->due &= ~(uint64_t)DUE;
    WwRest rest = e->tick(e->self);
    if (rest <= WW_AGAIN) {
        ww_wake(&e->wake);
    } else if (rest != WW_SLEEP) {
        ww_wake_entry_at(e, e->domain->cycle + rest);
    }
}

/* ---- the machine ------------------------------------------------------------------------------------------------ */

void ww_join_steps(WwMachine *m)
{
    for (uint32_t i = 0; i < m->steps->len; i++) {
        WwStep *s = m->steps->pdata[i];
        WwEntry *e = s->entry, *owner = e->owner, *turn = ww_turn_of(e);
        if (turn == NULL) {
            continue;
        }
        e->domain = turn->domain;
        e->partition = turn->partition;
        if (!e->external && ((WwComponent *)e->self)->domain == NULL) {
            ((WwComponent *)e->self)->domain = turn->domain;
        }
        s->block.stopped = false;
        s->block.parent = owner->wake.block;
        s->block.up_word = owner->wake.word;
        s->block.up_bit = owner->wake.bit;
    }
}

void ww_reset_steps(WwMachine *m)
{
    for (uint32_t i = 0; i < m->steps->len; i++) {
        WwStep *s = m->steps->pdata[i];
        s->due = DUE | (m->no_sleep ? ALWAYS : 0);
        s->skipped = 0;
        s->turns = 1;
    }
}

void ww_machine_set_no_sleep(WwMachine *m, bool on)
{
    m->no_sleep = on;
    for (uint32_t i = 0; i < m->steps->len; i++) {
        WwStep *s = m->steps->pdata[i];
        s->due = on ? s->due | ALWAYS : s->due & DUE;
    }
}
