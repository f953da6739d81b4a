/* SPDX-License-Identifier: Apache-2.0 */
/* Building a machine: domains, phases, groups, components, parameters; sealing and resetting it. */
#include "at_work-priv.h"
#include "counts-priv.h"
#include "crew-priv.h"
#include "guards-priv.h"
#include "log-priv.h"
#include "profile-priv.h"
#include <string.h>
#include <sys/mman.h>

/* A whole GPU is some 10 MiB of state that each tick walks through: on huge pages its translations fit the TLB. */
#define HUGE_PAGE (2u << 20)
/* Address space taken at once; a page of it costs nothing before it is touched. */
#define CHUNK (32u << 20)
/* More than there is anywhere: sizes beyond it, of which sums would wrap around, are refused like this one. */
#define MOST_MEMORY ((size_t)1 << 62)
/* Room that is made before it is needed: more grows as it comes. */
#define MOST_EXPECTED (1u << 18)

/* In windows several threads come here. */
static inline void lock(WwMachine *m)
{
    if (m->host->crew != NULL) {
        pthread_mutex_lock(&m->host->lock);
    }
}

static inline void unlock(WwMachine *m)
{
    if (m->host->crew != NULL) {
        pthread_mutex_unlock(&m->host->lock);
    }
}

WW_COLD static void refill(Room *room, WwHeap *heap, size_t size)
{
    size_t n = (size + CHUNK - 1) / CHUNK * CHUNK + HUGE_PAGE;
    char *c = ww_heap_pages(heap, n);
    room->at = (char *)(((uintptr_t)c + HUGE_PAGE - 1) & ~(uintptr_t)(HUGE_PAGE - 1));
    room->left = n - (size_t)(room->at - c);
    madvise(room->at, room->left & ~(size_t)(HUGE_PAGE - 1),
            MADV_HUGEPAGE); /* a wish: without it all is the same, slower */
}

void *ww_machine_alloc(WwMachine *m, size_t size)
{
    Room *room = &m->room;
    size = (MIN(size, MOST_MEMORY) + 63) & ~(size_t)63;
    lock(m);
    if (G_UNLIKELY(m->host->guards != NULL)) {
        void *guarded = ww_guards_alloc(m, size);
        unlock(m);
        return guarded;
    }
    if (size > room->left) {
        refill(room, m->heap, size);
    }
    void *p = room->at;
    room->at += size;
    room->left -= size;
    unlock(m);
    return p;
}

void *ww_alloc(void *self, size_t size)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    void *at = ww_machine_alloc(m, size);
    if (G_UNLIKELY(m->host->counts != NULL)) {
        ww_counts_memory(self, at, size);
    }
    if (G_UNLIKELY(m->host->guards != NULL)) {
        lock(m);
        ww_guards_own(self, at, size);
        unlock(m);
    }
    return at;
}

void *ww_take(void *self, size_t size)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    lock(m);
    void *at = ww_heap_take(m->heap, size);
    unlock(m);
    return at;
}

void *ww_resize(void *self, void *at, size_t size)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    lock(m);
    void *to = ww_heap_resize(m->heap, at, size);
    unlock(m);
    return to;
}

char *ww_text(void *self, const char *text)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    lock(m);
    char *to = ww_heap_text(m->heap, text, strlen(text));
    unlock(m);
    return to;
}

void ww_give(void *self, void *at)
{
    WwMachine *m = ((WwComponent *)self)->machine;
    lock(m);
    ww_heap_give(m->heap, at);
    unlock(m);
}

void *ww_list_grow(WwMachine *m, void *v, uint32_t *room, size_t size)
{
    lock(m);
    void *to = ww_heap_double(m->heap, v, room, size);
    unlock(m);
    return to;
}

void *ww_vec_grow(void *v, uint32_t *room, size_t size)
{
    *room = *room != 0 ? *room * 2 : 64;
    return g_realloc_n(v, *room, size);
}

void ww_machine_expect(WwMachine *m, uint32_t components, uint32_t bindings)
{
    components = MIN(components, MOST_EXPECTED);
    bindings = MIN(bindings, MOST_EXPECTED);
    if (components > m->info.room) {
        m->info.room = components;
        m->info.v = g_realloc_n(m->info.v, m->info.room, sizeof *m->info.v);
    }
    if (bindings > m->bindings.room) {
        m->bindings.room = bindings;
        m->bindings.v = g_realloc_n(m->bindings.v, m->bindings.room, sizeof *m->bindings.v);
    }
}

static void free_groups(WwMachine *m)
{
    for (uint32_t i = 0; i < m->groups->len; i++) {
        WwGroup *g = m->groups->pdata[i];
        if (g->blocks != NULL) {
            g_ptr_array_unref(g->blocks);
        }
    }
    g_ptr_array_unref(m->groups);
    g_ptr_array_unref(m->group_memory);
}

WwMachine *ww_machine_new(const WwRegistry *registry)
{
    WwHeap *heap = ww_heap_new();
    WwMachine *m = WW_HEAP_NEW(heap, WwMachine, 1);
    m->heap = heap;
    m->host = g_new0(Host, 1);
    m->host->until = WW_NEVER;
    m->host->enough = WW_ENOUGH_TURNS;
    m->registry = registry;
    m->groups = g_ptr_array_new();
    m->group_memory = g_ptr_array_new_with_free_func(g_free);
    m->steps = g_ptr_array_new();
    m->resumed = g_ptr_array_new();
    m->types = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, ww_type_info_free);
    m->text = g_string_chunk_new(4096);
    m->hang_limit = 50000;
    m->threads = 1;
    pthread_mutex_init(&m->host->lock, NULL);
    m->now.phase = -1;
    m->n_partitions = 1;
    ww_clock_init(&m->clock, WW_CLOCK_EXACT);
    m->root = ww_machine_add_group(m, NULL, &(WwGroupSpec){.name = NULL});
    return m;
}

static void clear_wheels(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_domains; i++) {
        for (uint32_t k = 0; k < m->n_all; k++) {
            if (m->partition[k].wheels >> i & 1u) {
                ww_wheel_clear(m->partition[k].wheel[i]);
            }
            if (m->partition[k].noted >> i & 1u) {
                ww_clear_days(m->partition[k].calendar[i]);
            }
            m->partition[k].alarm[i].cycle = WW_NEVER;
            m->partition[k].wheels &= ~(1u << i);
            m->partition[k].noted &= ~(1u << i);
        }
        ww_wheel_clear(&m->wheel[i]);
    }
}

void ww_machine_free(WwMachine *m)
{
    if (m == NULL) {
        return;
    }
    if (m->host->crew != NULL) {
        ww_crew_free(m->host->crew);
        m->host->crew = NULL;
    }
    ww_profile_free(m);
    ww_counts_free(m);
    ww_guards_free(m);
    ww_watch_end(m);
    ww_log_free(m);
    pthread_mutex_destroy(&m->host->lock);
    clear_wheels(m); /* while their owners' memory is there */
    ww_at_work_forget(m);
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (m->sealed && c->type->finish != NULL) {
            ww_at_work_doing(c, "finish");
            c->type->finish(c);
            ww_at_work_doing(NULL, NULL);
        }
    }
    g_free(m->info.v);
    g_free(m->first.v);
    g_free(m->bindings.v);
    g_free(m->apart.v);
    g_free(m->meeting.v);
    g_free(m->copies.v);
    g_free(m->externals.v);
    g_free(m->bound.v);
    free_groups(m);
    g_ptr_array_unref(m->steps);
    g_ptr_array_unref(m->resumed);
    g_hash_table_unref(m->types);
    g_free(m->carried);
    if (m->host->paths != NULL) {
        g_hash_table_unref(m->host->paths);
    }
    g_string_chunk_free(m->text);
    g_free(m->lockstep);
    g_strfreev(m->kinds);
    g_free((char *)m->filter.path);
    g_clear_error(&m->error);
    g_free(m->host);
    ww_heap_free(m->heap);
}

void ww_machine_set_clock(WwMachine *m, WwClockKind kind)
{
    ww_assert(m->n_domains == 0);
    m->clock_kind = kind;
    ww_clock_init(&m->clock, kind);
}

WwDomain *ww_machine_add_domain(WwMachine *m, const char *name, double hz, GError **error)
{
    if (m->n_domains == WW_MAX_DOMAINS) {
        ww_fail(error, WW_ERROR_WIRING, "clock domain '%s' is one too many; expected at most %u",
                name, WW_MAX_DOMAINS);
        return NULL;
    }
    if (ww_machine_domain(m, name) != NULL) {
        ww_fail(error, WW_ERROR_WIRING, "clock domain '%s' is declared twice; expected once", name);
        return NULL;
    }
    if (!(hz >= 1.0 && hz <= 1e12)) {
        ww_fail(error, WW_ERROR_USAGE, "clock domain '%s' at %g Hz; expected 1 Hz to 1 THz", name,
                hz);
        return NULL;
    }
    if (!ww_clock_add(&m->clock, hz, error)) {
        return NULL;
    }
    WwDomain *d = ww_machine_alloc(m, sizeof *d);
    d->name = g_string_chunk_insert(m->text, name);
    d->hz = hz;
    d->index = m->n_domains;
    ww_wheel_init(&m->wheel[m->n_domains]);
    m->domain[m->n_domains++] = d;
    return d;
}

WwDomain *ww_machine_domain(const WwMachine *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_domains; i++) {
        if (strcmp(m->domain[i]->name, name) == 0) {
            return m->domain[i];
        }
    }
    return NULL;
}

bool ww_machine_add_phase(WwMachine *m, const char *name, const char *domain, GError **error)
{
    WwDomain *d = ww_machine_domain(m, domain);
    if (d == NULL) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "phase '%s' is tied to clock domain '%s', which is not declared; expected a "
                       "declared one",
                       name, domain);
    }
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (strcmp(m->phase[i].name, name) == 0) {
            return ww_fail(error, WW_ERROR_WIRING, "phase '%s' is declared twice; expected once",
                           name);
        }
    }
    if (m->n_phases == WW_MAX_PHASES) {
        return ww_fail(error, WW_ERROR_WIRING, "phase '%s' is one too many; expected at most %u",
                       name, WW_MAX_PHASES);
    }
    m->phase[m->n_phases++] = (Phase){.name = g_string_chunk_insert(m->text, name), .domain = d};
    return true;
}

WwGroup *ww_machine_root(WwMachine *m)
{
    return m->root;
}

WwGroup *ww_machine_add_group(WwMachine *m, WwGroup *parent, const WwGroupSpec *spec)
{
    const char *name = spec->name != NULL ? g_string_chunk_insert_const(m->text, spec->name) : NULL;
    return ww_group_add(m, ww_groups_take(m, 1), parent, spec, name);
}

WwGroup *ww_groups_take(WwMachine *m, uint32_t n)
{
    WwGroup *groups = g_new0(WwGroup, n);
    g_ptr_array_add(m->group_memory, groups);
    return groups;
}

WwGroup *ww_group_add(WwMachine *m, WwGroup *g, WwGroup *parent, const WwGroupSpec *spec,
                      const char *name)
{
    ww_assert(!m->sealed);
    g->machine = m;
    g->parent = parent;
    g->spec = *spec;
    g->name = name;
    g->number = m->groups->len;
    g->sequence = m->sequence_of_parts++;
    g->depth = parent != NULL ? parent->depth + 1 : 0;
    g->partition = spec->partition ? m->n_partitions++ : parent != NULL ? parent->partition : 0;
    g->gate = spec->gated ? g : parent != NULL ? parent->gate : NULL;
    if (spec->gated) {
        g->blocks = g_ptr_array_new();
        if (parent != NULL && parent->gate != NULL) {
            g->beside = parent->gate->inner;
            parent->gate->inner = g;
        }
    }
    g_ptr_array_add(m->groups, g);
    return g;
}

/* ---- looking ---------------------------------------------------------------------------------------------------- */

char *ww_location_text(WwLocation where)
{
    return where.file == NULL ? g_strdup("")
           : where.line == 0  ? g_strdup_printf("%s: ", where.file)
           : where.column == 0
               ? g_strdup_printf("%s:%u: ", where.file, where.line)
               : g_strdup_printf("%s:%u:%u: ", where.file, where.line, where.column);
}

char *ww_component_text(const WwComponent *c)
{
    g_autofree char *path = ww_path(c);
    return g_strdup_printf("%s (%s)", path, c->type->name);
}

WwHeap *ww_machine_heap(WwMachine *m)
{
    return m->heap;
}

uint32_t ww_machine_n_components(const WwMachine *m)
{
    return m->info.n;
}

WwComponent *ww_machine_component(const WwMachine *m, uint32_t i)
{
    return ww_info(m, i)->component;
}

uint32_t ww_machine_n_types(const WwMachine *m)
{
    return m->first.n;
}

WwComponent *ww_machine_first(const WwMachine *m, uint32_t t)
{
    return ww_info(m, m->first.v[t])->component;
}

uint32_t ww_machine_n_of(const WwMachine *m, uint32_t t)
{
    return ww_info(m, m->first.v[t])->type->n;
}

uint32_t ww_machine_next(const WwMachine *m, uint32_t t, uint32_t i)
{
    const TypeInfo *type = ww_info(m, m->first.v[t])->type;
    while (i < m->info.n && ww_info(m, i)->type != type) {
        i++;
    }
    return i;
}

uint32_t ww_machine_type_of(const WwMachine *m, uint32_t i)
{
    return ww_info(m, i)->type->number;
}

WwComponent *ww_machine_find(const WwMachine *machine, const char *path)
{
    WwMachine *m = (WwMachine *)machine;
    if (m->host->paths == NULL || g_hash_table_size(m->host->paths) != m->info.n) {
        if (m->host->paths != NULL) {
            g_hash_table_unref(m->host->paths);
        }
        m->host->paths = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
        for (uint32_t i = 0; i < m->info.n; i++) {
            g_hash_table_insert(m->host->paths, ww_path(ww_info(m, i)->component),
                                ww_info(m, i)->component);
        }
    }
    return g_hash_table_lookup(m->host->paths, path);
}

WwLocation ww_component_where(const WwComponent *c)
{
    return ww_info(c->machine, c->id)->where;
}

WwGroup *ww_group_parent(const WwGroup *group)
{
    return group->parent;
}

const char *ww_group_name(const WwGroup *group, int32_t *index)
{
    *index = group->spec.array ? (int32_t)group->spec.index : -1;
    return group->name;
}

/* ---- sealing ---------------------------------------------------------------------------------------------------- */

typedef bool (*Step)(void *self, GError **error);

WW_COLD static bool fail_ready(const WwComponent *c, const char *name, bool good, GError *why,
                               GError **error)
{
    g_autofree char *where = ww_location_text(ww_component_where(c));
    g_autofree char *text = ww_component_text(c);
    if (why == NULL) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "%s%s: %s failed without a reason; expected one in its GError", where, text,
                       name);
    }
    ww_fail(error, WW_ERROR_WIRING, "%s%s: %s%s", where, text, why->message,
            good ? " (and yet true was returned; expected false with an error)" : "");
    g_error_free(why);
    return false;
}

/* Calls @p step, the `init` or `start` of @p c, and says whose error it is. */
static inline bool make_ready(WwComponent *c, const char *name, Step step, GError **error)
{
    if (step == NULL) {
        return true;
    }
    GError *why = NULL;
    ww_at_work_doing(c, name);
    bool good = step(c, &why);
    ww_at_work_doing(NULL, NULL);
    return (good && why == NULL) || fail_ready(c, name, good, why, error);
}

/* All are ready by themselves before any may ask another. */
static bool start_components(WwMachine *m, GError **error)
{
    uint32_t done = 0;
    while (done < m->info.n && make_ready(ww_info(m, done)->component, "init",
                                          ww_info(m, done)->type->type->init, error)) {
        done++;
    }
    bool good = done == m->info.n;
    for (uint32_t i = 0; good && i < m->info.n; i++) {
        good =
            make_ready(ww_info(m, i)->component, "start", ww_info(m, i)->type->type->start, error);
    }
    for (uint32_t i = 0; !good && i < done; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (c->type->finish != NULL) {
            c->type->finish(c);
        }
    }
    return good;
}

static void reset_open(const Block *b)
{
    b->open->block.stopped = b->closed;
    *b->open->live = b->closed ? *b->open->live & ~b->mask : *b->open->live | b->mask;
}

static void reset_block(WwMachine *m, Block *b)
{
    if (b->mask != 0) {
        *b->pub.due |= b->mask;
    } else {
        memset(b->pub.due, 0xff, b->n / 64 * sizeof(uint64_t));
    }
    if (b->mask == 0 && b->n % 64 != 0) {
        b->pub.due[b->n / 64] = (1ull << (b->n % 64)) - 1;
    }
    b->closed = b->shut = b->has_gate;
    b->pub.stopped = b->closed;
    b->closing = b->walking = false;
    b->skipped = b->ran = 0;
    b->closed_at = 0;
    b->from = 0;
    if (b->open != NULL) {
        reset_open(b);
    }
    for (uint32_t i = 0; i < b->n_rounds; i++) {
        b->round[i].from = 0;
    }
    for (uint32_t i = 0; i < b->n; i++) {
        b->member[i].turns = 0;
        if (b->member[i].entry != NULL) {
            b->member[i].entry->noted_at = WW_NEVER;
        }
        if (b->share != NULL && b->share[i] != NULL) {
            *b->share[i]->word |= b->share[i]->mask;
        }
        if (b->member[i].tick == NULL) {
            reset_block(m, b->member[i].part);
        }
    }
}

/* @p fresh: the machine was just sealed, and its memory is zero. */
static void reset(WwMachine *m, bool fresh)
{
    ww_clock_reset(&m->clock);
    clear_wheels(m);
    for (uint32_t i = 0; i < m->n_domains; i++) {
        m->domain[i]->cycle = 0;
    }
    ww_spread_time(m);
    for (uint32_t k = 0; k < m->n_all; k++) {
        m->partition[k].sequence = m->partition[k].ran = m->partition[k].rounds = 0;
    }
    m->tick = 0;
    m->stop = 0;
    m->paused = false;
    m->between = NULL;
    m->between_end = &m->between;
    m->progress = m->progress_seen = 0;
    m->progress_at = m->active_at = 0;
    m->now = (WwNow){.phase = WW_NOT_IN_TICK};
    m->window.wait = 0;
    m->window.ticks = 0;
    m->host->turns = m->host->before = 0;
    g_clear_error(&m->error);
    memset(m->print, 0, m->n_partitions * sizeof *m->print);
    /* everything starts due: a component says itself that it may sleep */
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (m->phase[i].root != NULL) {
            reset_block(m, m->phase[i].root);
        }
    }
    ww_reset_steps(m);
    ww_counts_reset(m);
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        const WwType *type = ww_info(m, i)->type->type;
        const WwStatRow *s;
        for (WW_ROWS(fresh ? NULL : type->stats, s)) {
            memset((char *)c + s->offset, 0, s->n * sizeof(uint64_t));
        }
        if (type->reset != NULL) {
            ww_at_work_doing(c, "reset");
            type->reset(c);
            ww_at_work_doing(NULL, NULL);
        }
    }
    ww_reset_windows(m);
}

void ww_machine_reset(WwMachine *m)
{
    ww_assert(m->sealed);
    reset(m, false);
}

/* What a gated group sleeps through is counted in edges: of one that has several turns at an edge nobody would know how many those were. */
static bool check_gates(const WwMachine *m, GError **error)
{
    for (guint i = 0; i < m->groups->len; i++) {
        const WwGroup *g = m->groups->pdata[i], *up = g->parent;
        while (g->spec.gated && up != NULL && up->spec.mode != WW_GROUP_REPEAT) {
            up = up->parent;
        }
        if (g->spec.gated && up != NULL) {
            g_autofree char *where = ww_location_text(g->spec.where);
            g_autofree char *path = ww_group_path(g);
            return ww_fail(error, WW_ERROR_WIRING,
                           "%sgroup %s has a gate, and a `repeat` around it; expected the gate "
                           "around the `repeat`",
                           where, path);
        }
    }
    return true;
}

bool ww_machine_seal(WwMachine *m, GError **error)
{
    ww_assert(!m->sealed);
    if (m->n_domains == 0 || m->n_phases == 0) {
        return ww_fail(error, WW_ERROR_WIRING,
                       "the machine has no clock domain or no phase; expected at least one");
    }
    ww_make_partitions(m);
    if (!check_gates(m, error) || !ww_place_entries(m, error) || !ww_own_steps(m, error) ||
        !ww_check_bindings(m, error) || !ww_check_twice(m, error) || !ww_order(m, error)) {
        return false;
    }
    ww_connect(m);
    if (!ww_may_have_windows(m)) {
        ww_share_time(m);
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        if (ww_info(m, i)->type->type->resume != NULL) {
            g_ptr_array_add(m->resumed, ww_info(m, i)->component);
        }
    }
    m->print = ww_machine_alloc(m, m->n_partitions * sizeof *m->print);
    if (!start_components(m, error)) {
        return false;
    }
    m->sealed = true;
    ww_counts_start(m);
    if (!m->one_time) {
        ww_plan_windows(m);
    }
    reset(m, true);
    return true;
}
