/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where events happen. With a machine, a component's clock and SM are known; else an SM is what has `sm` in its path, or the group of
 * whatever issues, and its number is what sm= says, or is read from the indexes.
 */
#include "view-priv.h"

#include <inttypes.h>
#include <math.h>
#include <ports/ctas.h>

#define MOST_NS 9e15 /* so that as picoseconds it is below 2^63 */

__extension__ typedef unsigned __int128 Wide;

static void sm_free(gpointer data)
{
    Sm *sm = data;
    g_free(sm->prefix);
    g_ptr_array_unref(sm->warps);
    g_free(sm);
}

static void place_free(gpointer data)
{
    Place *p = data;
    g_free(p->path);
    g_free(p);
}

static bool provides_ctas(const WwComponent *c)
{
    const WwPortRow *row;
    for (WW_ROWS(c->type->ports, row)) {
        if (row->role == WW_PROVIDES && row->contract == &ww_contract_ctas) {
            return true;
        }
    }
    return false;
}

/* SM number n is the group of the n-th component that has CTA slots. */
static void learn_machine(WwView *view, const WwMachine *machine)
{
    uintptr_t n = 0;
    view->prefixes = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t i = 0; i < ww_machine_n_components(machine); i++) {
        const WwComponent *c = ww_machine_component(machine, i);
        view->core_hz = c->domain != NULL && c->domain->index == 0 ? c->domain->hz : view->core_hz;
        if (provides_ctas(c)) {
            char *path = ww_path(c), *dot = strrchr(path, '.');
            path[dot != NULL ? dot - path + 1 : 0] = '\0';
            g_hash_table_insert(view->prefixes, path, (gpointer)++n);
        }
    }
}

void view_places_begin(WwView *view)
{
    view->places = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, place_free);
    view->sms = g_ptr_array_new_with_free_func(sm_free);
    if (view->spec.machine != NULL) {
        learn_machine(view, view->spec.machine);
    }
}

void view_places_free(WwView *view)
{
    g_hash_table_unref(view->places);
    g_ptr_array_unref(view->sms);
    if (view->prefixes != NULL) {
        g_hash_table_unref(view->prefixes);
    }
}

/* ---- SMs --------------------------------------------------------------------------------------------------------- */

/* Bytes of @p path that lead into an SM, by names alone: through a part that is called sm. */
static size_t named_prefix(const char *path)
{
    for (const char *part = path; part != NULL && *part != '\0';) {
        const char *dot = strchr(part, '.');
        size_t n = strcspn(part, "[.");
        if (n == 2 && memcmp(part, "sm", 2) == 0 && dot != NULL) {
            return (size_t)(dot - path) + 1;
        }
        part = dot != NULL ? dot + 1 : NULL;
    }
    return 0;
}

/*
 * The number that the indexes of the path say: the outer one, as long as the inner ones are 0. Else (several SMs a cluster, and nobody says how many)
 * one that no SM has.
 */
static bool number_of(const char *prefix, uint64_t nth, uint64_t *number)
{
    const char *p = strchr(prefix, '[');
    *number = p != NULL ? g_ascii_strtoull(p + 1, NULL, 10) : 0;
    bool alone = true;
    while (p != NULL && (p = strchr(p + 1, '[')) != NULL) {
        alone = false;
        if (g_ascii_strtoull(p + 1, NULL, 10) != 0) {
            *number = UINT32_MAX + nth;
        }
    }
    return alone;
}

static uint32_t add_sm(WwView *view, const char *path, size_t n, const uintptr_t *number)
{
    g_autofree char *prefix = g_strndup(path, n);
    for (guint i = 0; i < view->sms->len; i++) {
        const Sm *sm = view->sms->pdata[i];
        if (strcmp(sm->prefix, prefix) == 0) {
            return i;
        }
    }
    Sm *sm = g_new0(Sm, 1);
    if (number != NULL) {
        sm->number = *number;
        sm->known = true;
    } else {
        sm->known = number_of(prefix, view->sms->len, &sm->number);
    }
    sm->prefix = g_steal_pointer(&prefix);
    sm->warps = g_ptr_array_new();
    g_ptr_array_add(view->sms, sm);
    return view->sms->len - 1;
}

static uint32_t sm_of(WwView *view, const char *path, bool inside)
{
    if (view->prefixes != NULL) {
        for (size_t n = strlen(path); n > 0; n--) {
            if (path[n - 1] != '.') {
                continue;
            }
            g_autofree char *prefix = g_strndup(path, n);
            gpointer found = g_hash_table_lookup(view->prefixes, prefix);
            if (found != NULL) {
                uintptr_t number = (uintptr_t)found - 1;
                return add_sm(view, path, n, &number);
            }
        }
        return VIEW_NOBODY;
    }
    size_t n = named_prefix(path);
    if (n == 0 && inside) {
        const char *dot = strrchr(path, '.');
        n = dot != NULL ? (size_t)(dot - path) + 1 : 0;
        return add_sm(view, path, n, NULL);
    }
    return n != 0 ? add_sm(view, path, n, NULL) : VIEW_NOBODY;
}

Sm *view_sm(const WwView *view, const Place *place)
{
    return place->sm != VIEW_NOBODY ? view->sms->pdata[place->sm] : NULL;
}

/* ---- places ------------------------------------------------------------------------------------------------------ */

static bool matches(const WwView *view, const char *path)
{
    for (guint i = 0; view->globs != NULL && i < view->globs->len; i++) {
        if (g_pattern_spec_match_string(view->globs->pdata[i], path)) {
            return true;
        }
    }
    return view->globs == NULL;
}

/* Sums over a type are of no component. */
static bool is_sum(const char *path)
{
    return g_str_has_prefix(path, "total.");
}

static void learn_clock(WwView *view, Place *p)
{
    p->domain = VIEW_NOBODY;
    if (view->spec.machine == NULL) {
        return;
    }
    const WwComponent *c = ww_machine_find(view->spec.machine, p->path);
    if (c != NULL && c->domain != NULL) {
        p->hz = c->domain->hz;
        p->domain = c->domain->index;
    } else if (c == NULL && !is_sum(p->path)) {
        view->stranger = view->lack[LACK_PLACE]++ == 0 ? p->path : view->stranger;
    }
}

static bool check_path(WwView *view, const char *path)
{
    if (*path == '\0' || *path == '.' || strpbrk(path, " =") != NULL) {
        return view_fail(
            view, "'%.80s' is no path; expected one such as gpu.cluster[0].sm[0].fetch", path);
    }
    view->paths += strlen(path);
    return (g_hash_table_size(view->places) < VIEW_PLACES && view->paths <= VIEW_PATHS) ||
           view_fail(view,
                     "more than %d different paths, or %d MiB of them; expected the events of one "
                     "machine",
                     VIEW_PLACES, VIEW_PATHS >> 20);
}

Place *view_place(WwView *view, const char *path, bool inside, bool core)
{
    Place *p = g_hash_table_lookup(view->places, path);
    if (p != NULL && core && !p->core) { /* a statistic of it came first */
        p->sm = sm_of(view, path, inside);
        p->core = true;
    }
    if (p != NULL || !check_path(view, path)) {
        return p;
    }
    p = g_new0(Place, 1);
    p->path = g_strdup(path);
    p->index = g_hash_table_size(view->places);
    p->sm = sm_of(view, path, inside);
    p->core = core || p->sm != VIEW_NOBODY;
    p->wanted = matches(view, path);
    learn_clock(view, p);
    g_hash_table_insert(view->places, p->path, p);
    return p;
}

/* An event is @p met of what is asked for. What is of no SM is drawn with any, and says nothing of the one that is asked for. */
static void meet(WwView *view, uint32_t met)
{
    uint32_t all = MET_PATH | MET_CYCLE | (view->spec.has_sm ? MET_SM : 0) |
                   (view->spec.has_warp ? MET_WARP : 0);
    view->met |= met | ((met & all) == all ? MET_ALL : 0);
}

uint64_t view_core_cycle(const WwView *view, const Event *e)
{
    const Place *p = e->place;
    if (e->kind == KIND_INTERVAL || p->core || (p->hz > 0 && p->hz == view->core_hz)) {
        return e->cycle;
    }
    if (p->hz >= 1 && view->core_hz > 0) {
        return (uint64_t)((Wide)e->cycle * (Wide)view->core_hz / (Wide)p->hz);
    }
    return view->sms->len == 0 ? e->cycle : view->now;
}

bool view_wants(WwView *view, const Event *e)
{
    const WwViewSpec *s = &view->spec;
    Sm *sm = view_sm(view, e->place);
    uint64_t number = 0;
    bool says = event_number(view, e, "sm", &number);
    if (sm != NULL && says && view->prefixes == NULL) {
        sm->number = number;
        sm->known = true;
    }
    if (sm != NULL) {
        number = sm->number;
        view->lack[LACK_SM] += !sm->known;
    }
    bool in_sm = sm != NULL || says, in_warp = sm != NULL && e->unit >= 0;
    bool other_sm = s->has_sm && in_sm && number != s->sm;
    bool other_warp = s->has_warp && in_warp && (uint64_t)e->unit != s->warp;
    uint64_t now = view_core_cycle(view, e);
    bool in_time = now >= s->from && (s->to == 0 || now <= s->to);
    meet(view, (in_sm && !other_sm ? MET_SM : 0) | (in_warp && !other_warp ? MET_WARP : 0) |
                   (e->place->wanted ? MET_PATH : 0) | (in_time ? MET_CYCLE : 0));
    return !other_sm && !other_warp && e->place->wanted && in_time;
}

double view_time(WwView *view, const Place *place, uint64_t cycle)
{
    if (place->hz > 0) {
        return MIN((double)cycle * (1e9 / place->hz), MOST_NS);
    }
    view->lack[LACK_CLOCK] = 1;
    return MIN((double)(place->core || view->sms->len == 0 ? cycle : view->now), MOST_NS);
}

double view_core_time(WwView *view, uint64_t cycle)
{
    if (view->core_hz > 0) {
        return MIN((double)cycle * (1e9 / view->core_hz), MOST_NS);
    }
    view->lack[LACK_CLOCK] = 1;
    return MIN((double)cycle, MOST_NS);
}
