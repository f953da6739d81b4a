/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns are compared with names once for each type; what is chosen of a component is then a mask over its type's values. Reading
 * is a walk over places in memory.
 */
#include "picks-priv.h"

#include <stdlib.h>
#include <string.h>

/* ---- names ------------------------------------------------------------------------------------------------------ */

char *ww_pick_name(const WwPick *p, uint32_t i)
{
    const WwStatRow *row = p->row;
    uint32_t entry = p->first + i;
    GString *name = g_string_new(NULL);
    if (p->component != NULL) {
        g_autofree char *path = ww_path(p->component);
        g_string_append_printf(name, "%s:%s", path, row->name);
    } else {
        g_string_append_printf(name, "%s.%s", p->type->name, row->name);
    }
    if (row->labels != NULL) {
        g_string_append_printf(name, ".%s", row->labels[entry]);
    } else if (row->n > 1) {
        g_string_append_printf(name, ".%u", entry);
    }
    return g_string_free(name, false);
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b)
{
    return strcmp(((const PickType *)a)->type->name, ((const PickType *)b)->type->name);
}

static void add_types(WwPicks *p)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < ww_machine_n_components(p->machine); i++) {
        const WwType *type = ww_machine_component(p->machine, i)->type;
        if (type->stats != NULL && g_hash_table_add(seen, (void *)type)) {
            PickType t = {.type = type};
            const WwStatRow *row;
            for (WW_ROWS(type->stats, row)) {
                t.n += row->n;
            }
            t.sum = g_new0(uint8_t, t.n + 1);
            t.each = g_new0(uint8_t, t.n + 1);
            t.of_ask = g_ptr_array_new_with_free_func(g_free);
            g_array_append_val(p->types, t);
        }
    }
    if (p->types->len > 1) {
        qsort(p->types->data, p->types->len, sizeof(PickType), by_name);
    }
    for (guint i = 0; i < p->types->len; i++) {
        PickType *t = &g_array_index(p->types, PickType, i);
        g_hash_table_insert(p->by_type, (void *)t->type, t);
    }
}

static void clear_type(gpointer data)
{
    PickType *t = data;
    g_free(t->sum);
    g_free(t->each);
    g_ptr_array_unref(t->of_ask);
}

static void free_ask(gpointer data)
{
    PickAsk *a = data;
    g_pattern_spec_free(a->path);
    g_free(a);
}

WwPicks *ww_picks_new(const WwMachine *machine)
{
    WwPicks *p = g_new0(WwPicks, 1);
    p->machine = machine;
    p->types = g_array_new(false, false, sizeof(PickType));
    g_array_set_clear_func(p->types, clear_type);
    p->by_type = g_hash_table_new(NULL, NULL);
    p->asks = g_ptr_array_new_with_free_func(free_ask);
    p->picks = g_array_new(false, false, sizeof(WwPick));
    p->places = g_array_new(false, false, sizeof(PickPlace));
    add_types(p);
    return p;
}

void ww_picks_free(WwPicks *p)
{
    if (p == NULL) {
        return;
    }
    g_array_unref(p->types);
    g_hash_table_unref(p->by_type);
    g_ptr_array_unref(p->asks);
    g_array_unref(p->picks);
    g_array_unref(p->places);
    g_free(p);
}

/* ---- choosing --------------------------------------------------------------------------------------------------- */

/* Marks the entries of @p type's statistics whose name, behind @p prefix, matches: STATISTIC means all of it. */
static bool mark(const WwType *type, const char *prefix, const char *pattern, uint8_t *mask)
{
    g_autoptr(GPatternSpec) spec = g_pattern_spec_new(pattern);
    g_autoptr(GString) name = g_string_new(prefix);
    gsize from = name->len;
    const WwStatRow *row;
    bool any = false;
    for (WW_ROWS(type->stats, row)) {
        g_string_append(g_string_truncate(name, from), row->name);
        gsize end = name->len;
        bool whole = g_pattern_spec_match_string(spec, name->str);
        for (uint32_t k = 0; k < row->n; k++) {
            g_string_truncate(name, end);
            if (row->labels != NULL) {
                g_string_append_printf(name, ".%s", row->labels[k]);
            } else {
                g_string_append_printf(name, ".%u", k);
            }
            if (whole || ((row->labels != NULL || row->n > 1) &&
                          g_pattern_spec_match_string(spec, name->str))) {
                mask[k] = 1;
                any = true;
            }
        }
        mask += row->n;
    }
    return any;
}

static bool add_by_type(WwPicks *p, bool each, const char *pattern)
{
    bool any = false;
    for (guint i = 0; i < p->types->len; i++) {
        PickType *t = &g_array_index(p->types, PickType, i);
        g_autofree char *prefix = g_strconcat(t->type->name, ".", NULL);
        any |= mark(t->type, prefix, pattern, each ? t->each : t->sum);
    }
    return any;
}

static bool add_by_path(WwPicks *p, const char *path, const char *stat)
{
    PickAsk *a = g_new0(PickAsk, 1);
    a->path = g_pattern_spec_new(path);
    g_ptr_array_add(p->asks, a);
    for (guint i = 0; i < p->types->len; i++) {
        PickType *t = &g_array_index(p->types, PickType, i);
        g_autofree uint8_t *mask = g_new0(uint8_t, t->n + 1);
        bool any = mark(t->type, "", stat, mask);
        g_ptr_array_add(t->of_ask, any ? g_steal_pointer(&mask) : NULL);
    }
    for (uint32_t i = 0; i < ww_machine_n_components(p->machine); i++) {
        const WwComponent *c = ww_machine_component(p->machine, i);
        const PickType *t = g_hash_table_lookup(p->by_type, c->type);
        if (t != NULL && t->of_ask->pdata[p->asks->len - 1] != NULL) {
            g_autofree char *name = ww_path(c);
            if (g_pattern_spec_match_string(a->path, name)) {
                return true;
            }
        }
    }
    for (guint i = 0; i < p->types->len; i++) {
        PickType *t = &g_array_index(p->types, PickType, i);
        g_ptr_array_set_size(t->of_ask, (int)p->asks->len - 1);
    }
    g_ptr_array_set_size(p->asks, (int)p->asks->len - 1);
    return false;
}

bool ww_picks_add(WwPicks *p, WwPickKind kind, const char *pattern, GError **error)
{
    if (!g_utf8_validate(pattern, -1, NULL)) {
        return ww_fail(error, WW_ERROR_USAGE, "is no valid UTF-8; expected a pattern");
    }
    const char *colon = kind == WW_PICK_PATH ? strchr(pattern, ':') : NULL;
    g_autofree char *path =
        colon != NULL ? g_strndup(pattern, (gsize)(colon - pattern)) : g_strdup(pattern);
    const char *stat = colon != NULL ? colon + 1 : "*";
    if (kind == WW_PICK_PATH ? add_by_path(p, path, stat)
                             : add_by_type(p, kind == WW_PICK_EACH, pattern)) {
        return true;
    }
    g_autofree char *why = kind == WW_PICK_PATH ? ww_picks_no_path(p->machine, path, stat)
                                                : ww_picks_no_sum(p, pattern);
    return ww_fail(error, WW_ERROR_USAGE, "%s", why);
}

/* ---- what was chosen -------------------------------------------------------------------------------------------- */

/* A pick for each run of marked entries; @p c NULL: sums. */
static void add_picks(WwPicks *p, const WwComponent *c, const WwType *type, const uint8_t *mask)
{
    const WwStatRow *row;
    for (WW_ROWS(type->stats, row)) {
        for (uint32_t k = 0, n; k < row->n; k += n + 1) {
            for (n = 0; k + n < row->n && mask[k + n] != 0; n++) {
            }
            if (n != 0) {
                WwPick pick = {c, type, row, k, n, p->n};
                g_array_append_val(p->picks, pick);
                p->n += n;
            }
        }
        mask += row->n;
    }
}

static void add_place(WwPicks *p, const WwPick *pick, const WwComponent *c)
{
    PickPlace place = {ww_stat_values(c, pick->row) + pick->first, pick->at, pick->n,
                       pick->row->kind == WW_STAT_MAX};
    g_array_append_val(p->places, place);
}

/* What was asked of component @p c, into @p mask, which is clear. */
static bool ask(const WwPicks *p, const PickType *t, const WwComponent *c, uint8_t *mask)
{
    bool any = false;
    g_autofree char *path = NULL;
    memcpy(mask, t->each, t->n);
    for (guint i = 0; i < p->asks->len; i++) {
        const uint8_t *of = t->of_ask->pdata[i];
        const PickAsk *a = p->asks->pdata[i];
        if (of == NULL) {
            continue;
        }
        path = path != NULL ? path : ww_path(c);
        if (g_pattern_spec_match_string(a->path, path)) {
            for (uint32_t k = 0; k < t->n; k++) {
                mask[k] |= of[k];
            }
        }
    }
    for (uint32_t k = 0; k < t->n; k++) {
        any |= mask[k] != 0;
    }
    return any;
}

static void close_sums(WwPicks *p)
{
    for (guint i = 0; i < p->types->len; i++) {
        const PickType *t = &g_array_index(p->types, PickType, i);
        guint from = p->picks->len;
        add_picks(p, NULL, t->type, t->sum);
        for (uint32_t k = 0; from != p->picks->len && k < ww_machine_n_components(p->machine);
             k++) {
            const WwComponent *c = ww_machine_component(p->machine, k);
            for (guint at = from; c->type == t->type && at < p->picks->len; at++) {
                add_place(p, &g_array_index(p->picks, WwPick, at), c);
            }
        }
    }
}

void ww_picks_close(WwPicks *p)
{
    close_sums(p);
    uint32_t most = 1;
    for (guint i = 0; i < p->types->len; i++) {
        most = MAX(most, g_array_index(p->types, PickType, i).n);
    }
    g_autofree uint8_t *mask = g_new(uint8_t, most);
    for (uint32_t i = 0; i < ww_machine_n_components(p->machine); i++) {
        const WwComponent *c = ww_machine_component(p->machine, i);
        const PickType *t = g_hash_table_lookup(p->by_type, c->type);
        guint from = p->picks->len;
        if (t != NULL && ask(p, t, c, mask)) {
            add_picks(p, c, c->type, mask);
        }
        for (; from < p->picks->len; from++) {
            add_place(p, &g_array_index(p->picks, WwPick, from), c);
        }
    }
}

uint32_t ww_picks_n(const WwPicks *p)
{
    return p->n;
}

const WwPick *ww_picks_list(const WwPicks *p, uint32_t *n)
{
    *n = p->picks->len;
    return (const WwPick *)(void *)p->picks->data;
}

void ww_picks_read(const WwPicks *p, uint64_t *values)
{
    memset(values, 0, p->n * sizeof *values);
    for (guint i = 0; i < p->places->len; i++) {
        const PickPlace *place = &g_array_index(p->places, PickPlace, i);
        uint64_t *to = values + place->to;
        for (uint32_t k = 0; k < place->n; k++) {
            to[k] = place->max ? MAX(to[k], place->from[k]) : to[k] + place->from[k];
        }
    }
}

void ww_picks_since(const WwPicks *p, uint64_t *values, const uint64_t *before)
{
    for (guint i = 0; i < p->picks->len; i++) {
        const WwPick *pick = &g_array_index(p->picks, WwPick, i);
        for (uint32_t k = pick->at; pick->row->kind != WW_STAT_MAX && k < pick->at + pick->n; k++) {
            values[k] -= before[k];
        }
    }
}
