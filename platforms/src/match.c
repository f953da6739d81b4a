/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which edits and overrides apply to which elements of a member, and whether every override found
 * its place.
 *
 * Elements to which the same items apply are alike and evaluated once: a GPU of 80 SMs of which one
 * is special has two nodes. The cost is that of the items that name the member, not of the
 * elements.
 */
#include "elab-priv.h"
#include <string.h>

/** An item that goes on to elements from..to-1; `all` also to those of an empty array. */
typedef struct Hit {
    Item item;
    uint32_t from, to;
    bool all;
} Hit;

#define FEW 16u /* items that are as well looked through */

typedef struct Hits {
    VEC(Hit) list;
    bool special; /**< Some apply to some elements only. */
} Hits;

static bool edit_range(WwElaboration *e, const Item *item, const Seg *seg, const Extent *extent,
                       Hit *hit, GError **error)
{
    *hit = (Hit){.item = *item, .to = extent->count, .all = true};
    hit->item.pos++;
    if (seg->index == INDEX_NONE) {
        return true;
    }
    if (!extent->array) {
        return ELAB_FAIL(e, WW_ERROR_WIRING, seg->at, NULL, error,
                         "'%s' is no array; expected no index", seg->name);
    }
    if (seg->index == INDEX_ALL) {
        return true;
    }
    int64_t from = 0, to = 0, size = extent->size;
    bool range = seg->index == INDEX_RANGE; /* may be empty, also at the array's end */
    if (size == 0 && !range) {
        ELAB_FAIL(e, WW_ERROR_USAGE, seg->from->at, NULL, error,
                  "'%s' has no elements; expected no index, or '[*]'", seg->name);
        e->beyond = true;
        elab_blame_count(e, extent->node, extent->expr, error);
        return false;
    }
    char what[96];
    g_snprintf(what, sizeof what, range ? "start of the range of '%.40s'" : "index of '%.40s'",
               seg->name);
    bool ok = elab_count(e, item->scope, NULL, seg->from, 0, size - !range, what, &from, error);
    to = from + 1;
    if (!ok || (range && !elab_count(e, item->scope, NULL, seg->to, from, size, "end of the range",
                                     &to, error))) {
        elab_blame_count(e, extent->node, extent->expr, error);
        return false;
    }
    if (extent->count == 0) { /* as without an index, or an empty range */
        hit->all = from < to;
        return true;
    }
    hit->from = (uint32_t)from;
    hit->to = (uint32_t)to;
    hit->all = false;
    return true;
}

static const char *next_name(const WwElaboration *e, const Item *item)
{
    return item->edit != NULL ? item->edit->path.seg.v[item->pos].name
                              : e->global[item->global].o->pattern.seg.v[item->pos].name;
}

void elab_index(WwElaboration *e, Items *items)
{
    if (items->list.n <= FEW) {
        return;
    }
    items->first = g_hash_table_new(g_str_hash, g_str_equal);
    items->next = g_new0(uint32_t, items->list.n);
    for (uint32_t i = items->list.n; i-- > 0;) {
        const char *name = next_name(e, &items->list.v[i]);
        items->next[i] = GPOINTER_TO_UINT(g_hash_table_lookup(items->first, name));
        g_hash_table_insert(items->first, (gpointer)name, GUINT_TO_POINTER(i + 1));
    }
}

void elab_forget_names(Items *items)
{
    g_clear_pointer(&items->first, g_hash_table_unref);
    g_clear_pointer(&items->next, g_free);
}

/** Index of the first item that may go on to @p name, or the number of items. */
static uint32_t first_of(const Items *items, const char *name)
{
    uint32_t n = items->list.n;
    if (items->first == NULL) {
        return 0;
    }
    uint32_t i = GPOINTER_TO_UINT(g_hash_table_lookup(items->first, name));
    return i != 0 ? i - 1 : n;
}

static uint32_t after(const Items *items, uint32_t i)
{
    return items->next == NULL ? i + 1 : items->next[i] != 0 ? items->next[i] - 1 : items->list.n;
}

static bool hit_edits(WwElaboration *e, const Items *items, const char *name, const Extent *extent,
                      Hits *hits, GError **error)
{
    for (uint32_t i = items != NULL ? first_of(items, name) : 0;
         items != NULL && i < items->list.n && items->list.v[i].edit != NULL; i = after(items, i)) {
        const Item *item = &items->list.v[i];
        const Seg *seg = &item->edit->path.seg.v[item->pos];
        if (seg->name != name) { /* both are interned */
            continue;
        }
        Hit *hit = VEC_ADD(&e->arena, &hits->list);
        if (!edit_range(e, item, seg, extent, hit, error)) {
            return false;
        }
        hits->special |= !hit->all;
    }
    return true;
}

/** Remembers why @p seg of @p g finds nothing; it is an error if that is all that @p g does. */
static void miss(WwElaboration *e, Global *g, const PatternSeg *seg, const Extent *extent)
{
    if (g->missed == NULL) {
        g->missed =
            !extent->array
                ? plat_printf(&e->arena, "'%s' is no array; expected no index", seg->name)
            : extent->size == 0
                ? plat_printf(&e->arena, "'%s' has no elements; expected no index", seg->name)
                : plat_printf(&e->arena, "index of '%s' is %u; expected 0 to %u", seg->name,
                              seg->from, extent->size - 1);
    }
}

static void hit_global(WwElaboration *e, Item item, const char *name, const Extent *extent,
                       Hits *hits)
{
    Global *g = &e->global[item.global];
    const PatternSeg *seg = &g->o->pattern.seg.v[item.pos];
    if (seg->name[0] != name[0] || strcmp(seg->name, name) != 0) {
        return;
    }
    if (!seg->any && (!extent->array || seg->from >= extent->size)) {
        miss(e, g, seg, extent);
        return;
    }
    bool all = seg->any || extent->count == 0;
    item.pos++;
    *VEC_ADD(&e->arena, &hits->list) = (Hit){
        .item = item,
        .from = all ? 0 : seg->from,
        .to = all ? extent->count : MIN(seg->to, extent->count),
        .all = all,
    };
    hits->special |= !all;
}

/** Overrides under way and those that may begin here, in the order of their precedence. */
static void hit_globals(WwElaboration *e, const Node *node, const Items *outer, const char *name,
                        const Extent *extent, Hits *hits)
{
    uint32_t k = first_of(outer, name), n = outer->list.n;
    while (k < n && outer->list.v[k].edit != NULL) {
        k = after(outer, k);
    }
    bool root = node == e->root;
    const Starts *starts = g_hash_table_lookup(e->starts, name);
    for (uint32_t s = 0; starts != NULL && s < starts->list.n; s++) {
        uint32_t g = starts->list.v[s];
        for (; k < n && outer->list.v[k].global <= g; k = after(outer, k)) {
            hit_global(e, outer->list.v[k], name, extent, hits);
        }
        if (root || !e->global[g].anchored_only) {
            hit_global(e, (Item){.global = g, .anchored = root}, name, extent, hits);
        }
    }
    for (; k < n; k = after(outer, k)) {
        hit_global(e, outer->list.v[k], name, extent, hits);
    }
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static guint items_hash(gconstpointer key)
{
    const Items *a = key;
    guint h = a->list.n;
    for (uint32_t i = 0; i < a->list.n; i++) {
        const Item *x = &a->list.v[i];
        h = h * 31 + g_direct_hash(x->edit) + 7 * x->global + x->pos;
    }
    return h;
}

static gboolean items_equal(gconstpointer p, gconstpointer q)
{
    const Items *a = p, *b = q;
    if (a->list.n != b->list.n) {
        return false;
    }
    for (uint32_t i = 0; i < a->list.n; i++) {
        const Item *x = &a->list.v[i], *y = &b->list.v[i];
        if (x->edit != y->edit || x->scope != y->scope || x->global != y->global ||
            x->pos != y->pos) {
            return false;
        }
    }
    return true;
}

/** The first split that ends behind @p at. */
static uint32_t split_behind(const Splits *splits, uint32_t at)
{
    uint32_t low = 0, high = splits->list.n;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (splits->list.v[middle].end > at) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/** Hands every item to the runs that it applies to, in the order of the items. */
static bool deal_items(WwElaboration *e, const Hits *hits, Splits *out, WwLocation at,
                       GError **error)
{
    for (uint32_t i = 0; i < hits->list.n; i++) {
        const Hit *hit = &hits->list.v[i];
        uint32_t k = hit->all ? 0 : split_behind(out, hit->from);
        for (; k < out->list.n && (hit->all || out->list.v[k].start < hit->to); k++) {
            *VEC_ADD(&e->arena, &out->list.v[k].items.list) = hit->item;
            if (!elab_step(e, at, error)) {
                return false;
            }
        }
    }
    return true;
}

/** Runs to which the same applies are evaluated once. */
static void find_alike(Splits *out)
{
    if (out->list.n < 2) {
        return;
    }
    g_autoptr(GHashTable) seen = g_hash_table_new(items_hash, items_equal);
    for (uint32_t i = 0; i < out->list.n; i++) {
        Split *split = &out->list.v[i];
        gpointer first = g_hash_table_lookup(seen, &split->items);
        if (first != NULL) {
            split->same = GPOINTER_TO_UINT(first) - 1;
        } else {
            g_hash_table_insert(seen, &split->items, GUINT_TO_POINTER(i + 1));
        }
    }
}

bool elab_split(WwElaboration *e, Node *node, const Items *own, const Items *outer,
                const char *name, const Extent *extent, WwLocation at, Splits *out, GError **error)
{
    Hits hits = {0};
    uint32_t count = extent->count;
    if (!hit_edits(e, own, name, extent, &hits, error) ||
        !hit_edits(e, outer, name, extent, &hits, error)) {
        return false;
    }
    hit_globals(e, node, outer, name, extent, &hits);
    VEC(uint32_t) cuts = {0};
    *VEC_ADD(&e->arena, &cuts) = 0;
    for (uint32_t i = 0; hits.special && i < hits.list.n; i++) {
        *VEC_ADD(&e->arena, &cuts) = hits.list.v[i].from;
        *VEC_ADD(&e->arena, &cuts) = hits.list.v[i].to;
    }
    *VEC_ADD(&e->arena, &cuts) = count;
    qsort(cuts.v, cuts.n, sizeof *cuts.v, by_number);
    for (uint32_t i = 0; i + 1 < cuts.n && (count != 0 || i == 0); i++) {
        if (cuts.v[i] != cuts.v[i + 1] || count == 0) {
            Split *split = VEC_ADD(&e->arena, &out->list);
            *split = (Split){.start = cuts.v[i], .end = cuts.v[i + 1], .same = out->list.n - 1};
        }
    }
    if (!deal_items(e, &hits, out, at, error)) {
        return false;
    }
    find_alike(out);
    return true;
}

/* ---- did every override find its place? ---------------------------------------------------- */

/** The last @p n names of @p path, or NULL when it has fewer. */
static const char *tail(const char *path, uint32_t n)
{
    const char *p = path + strlen(path);
    while (p > path) {
        p--;
        if (*p == '.' && --n == 0) {
            return p + 1;
        }
    }
    return n == 1 ? path : NULL;
}

/** A pattern without its indices. */
static char *plain_text(WwElaboration *e, const Pattern *p)
{
    g_autoptr(GString) plain = g_string_new(NULL);
    for (uint32_t i = 0; i < p->seg.n; i++) {
        g_string_append_printf(plain, "%s.", p->seg.v[i].name);
    }
    g_string_append(plain, p->param);
    return plat_dup(&e->arena, plain->str, plain->len);
}

/** The path of a parameter that @p p, which matches none, may have meant, or NULL. The @p paths are elab_param_paths()'. */
static const char *near_path(WwElaboration *e, const Pattern *p, const GPtrArray *paths)
{
    VEC(const char *) near = {0};
    for (uint32_t i = 0; i < paths->len; i++) {
        const char *t = tail(paths->pdata[i], p->seg.n + 1);
        if (t != NULL) {
            *VEC_ADD(&e->arena, &near) = t;
        }
    }
    for (uint32_t i = 0; i < paths->len; i++) {
        *VEC_ADD(&e->arena, &near) = paths->pdata[i];
    }
    const char *closest = ww_closest(plain_text(e, p), near.v, near.n);
    for (uint32_t i = 0; closest == NULL && i < paths->len; i++) {
        /* the right parameter under a wrong path */
        const char *t = tail(paths->pdata[i], 1);
        closest = t != NULL && strcmp(t, p->param) == 0 ? paths->pdata[i] : NULL;
    }
    return closest;
}

const char *elab_near_param(WwElaboration *e, const Pattern *p)
{
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    elab_param_paths(e, paths);
    const char *near = near_path(e, p, paths);
    return near != NULL ? plat_dup(&e->arena, near, strlen(near)) : NULL;
}

/** A parameter of the part that @p plain is the path of, or the end of one; NULL: there is no such part. */
static const char *param_of_part(const GPtrArray *paths, const char *plain, uint32_t words)
{
    for (uint32_t i = 0; i < paths->len; i++) {
        const char *t = tail(paths->pdata[i], words + 1);
        size_t n = strlen(plain);
        if (t != NULL && strncmp(t, plain, n) == 0 && t[n] == '.') {
            return t;
        }
    }
    return NULL;
}

static bool fail_unmatched(WwElaboration *e, const Global *g, GError **error)
{
    const Pattern *p = &g->o->pattern;
    const char *now = elab_gone(e, p);
    if (now != NULL) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, NULL, error,
                         "'%s' is no parameter any more: %s; expected none", g->o->text, now);
    }
    g_autoptr(GPtrArray) paths = g_ptr_array_new_with_free_func(g_free);
    elab_param_paths(e, paths);
    const char *plain = plain_text(e, p);
    for (uint32_t i = 0; g->missed != NULL && i < paths->len; i++) {
        const char *t = tail(paths->pdata[i], p->seg.n + 1);
        if (t != NULL && strcmp(t, plain) == 0) {
            return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, NULL, error,
                             "'%s' matches no parameter: there is '%s', but %s", g->o->text,
                             (const char *)paths->pdata[i], g->missed);
        }
    }
    if (g->o->translated) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, NULL, error,
                         "'%s' matches no parameter, and is what an option of the reference says; "
                         "expected a platform with the parts of gpu.plat and sm.plat, or a config "
                         "for this one",
                         g->o->text);
    }
    const char *near = near_path(e, p, paths), *own = param_of_part(paths, plain, p->seg.n + 1);
    if (own != NULL) {
        return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, near, error,
                         "'%s' is a part, no parameter; expected a parameter of it, such as '%s', "
                         "or '%s : TYPE;' in a platform",
                         g->o->text, own, plain);
    }
    return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, near, error, "'%s' " WW_UNMATCHED, g->o->text);
}

static bool fail_ambiguous(WwElaboration *e, const Global *g, GError **error)
{
    g_autoptr(GString) list = g_string_new(NULL);
    for (uint32_t i = 0; i < g->places.n && i < 8; i++) {
        g_string_append_printf(list, "%s%s", i == 0 ? "" : ", ", g->places.v[i]);
    }
    g_string_append(list, g->places.n > 8 ? ", ..." : "");
    return ELAB_FAIL(e, WW_ERROR_USAGE, g->o->at, NULL, error,
                     "'%s' is ambiguous: it matches %s; expected a longer path", g->o->text,
                     list->str);
}

bool elab_match_names(WwElaboration *e, GError **error)
{
    for (uint32_t i = 0; i < e->n_globals; i++) {
        const Global *g = &e->global[i];
        if (g->n_anchored + g->n_floating == 0) {
            fail_unmatched(e, g, error);
            elab_blame_include(e, g->o, error);
            return false;
        }
        if (g->n_anchored == 0 && g->owners != NULL) {
            fail_ambiguous(e, g, error);
            elab_blame_include(e, g->o, error);
            return false;
        }
        if (g->n_anchored == 0 && g->pending != NULL) {
            g_propagate_error(error, g_error_copy(g->pending));
            return false;
        }
    }
    return true;
}
