/* SPDX-License-Identifier: Apache-2.0 */
/* What can be asked of a machine: statistics, and who waits for whom. */
#include "machine-priv.h"
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* ---- statistics ------------------------------------------------------------------------------------------------- */

void ww_machine_settle(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (m->phase[i].root != NULL) {
            ww_block_settle(m, m->phase[i].root);
        }
    }
    ww_settle_all_steps(m);
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (c->type->tally != NULL) {
            c->type->tally(c);
        }
    }
}

const uint64_t *ww_stat_values(const WwComponent *c, const WwStatRow *row)
{
    return (const uint64_t *)((const char *)c + row->offset);
}

uint32_t ww_stat_sum(WwMachine *m, const char *path, const char *type, const char *name,
                     uint64_t *out, uint32_t n)
{
    uint32_t found = 0;
    g_autoptr(GPatternSpec) glob = path != NULL ? g_pattern_spec_new(path) : NULL;
    memset(out, 0, n * sizeof *out);
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwComponent *c = ww_info(m, i)->component;
        if (type != NULL && strcmp(c->type->name, type) != 0) {
            continue;
        }
        int row = ww_type_stat(c->type, name);
        if (row < 0) {
            continue;
        }
        if (glob != NULL) {
            g_autofree char *p = ww_path(c);
            if (!g_pattern_spec_match_string(glob, p)) {
                continue;
            }
        }
        const WwStatRow *s = &c->type->stats[row];
        const uint64_t *v = ww_stat_values(c, s);
        for (uint32_t k = 0; k < MIN(n, s->n); k++) {
            out[k] = s->kind == WW_STAT_MAX ? MAX(out[k], v[k]) : out[k] + v[k];
        }
        found++;
    }
    return found;
}

/* ---- explanations ----------------------------------------------------------------------------------------------- */

#define MOST_OTHERS 20u /* waits beside the trail, and notes, that are told */

/* One component waits for another: as a whole, or one unit of it (a warp) for one unit of the other. */
typedef struct Waiting {
    const WwComponent *who, *on; /* on NULL: unknown, or whoever holds `thing` */
    int64_t unit, on_unit;
    uint64_t thing;
    char *text;
    bool guessed; /* on: nobody says to hold `thing`; this one, on its way, says nothing at all */
} Waiting;

typedef struct Hold {
    const WwComponent *who;
    uint64_t thing;
    char *text;
    uint32_t before; /* Hold of the same thing, + 1; 0: none */
} Hold;

struct WwExplain {
    const WwComponent *who;
    int64_t unit, on_unit;
    GArray *waits;       /* Waiting */
    GArray *holds;       /* Hold */
    GHashTable *holders; /* by thing: its last Hold + 1 */
    GHashTable *senders; /* by thing: GPtrArray of components */
    GString *notes;
    uint32_t n_notes;
};

static Waiting *wait_at(const WwExplain *e, uint32_t i)
{
    return &g_array_index(e->waits, Waiting, i);
}

void ww_explain_unit(WwExplain *e, int64_t own, int64_t other)
{
    e->unit = own;
    e->on_unit = other;
}

void ww_explain_waits(WwExplain *e, const void *on, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    Waiting w = {e->who, on, e->unit, e->on_unit, 0, g_strdup_vprintf(format, ap)};
    va_end(ap);
    g_array_append_val(e->waits, w);
}

void ww_explain_waits_for(WwExplain *e, uint64_t thing, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    Waiting w = {e->who, NULL, e->unit, e->on_unit, thing, g_strdup_vprintf(format, ap)};
    va_end(ap);
    g_array_append_val(e->waits, w);
}

void ww_explain_holds(WwExplain *e, uint64_t thing, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    void *key = (void *)(uintptr_t)thing;
    uint32_t before = GPOINTER_TO_UINT(g_hash_table_lookup(e->holders, key));
    Hold h = {e->who, thing, g_strdup_vprintf(format, ap), before};
    va_end(ap);
    g_array_append_val(e->holds, h);
    g_hash_table_insert(e->holders, key, GUINT_TO_POINTER(e->holds->len));
}

void ww_explain_sent(WwExplain *e, uint64_t thing)
{
    void *key = (void *)(uintptr_t)thing;
    GPtrArray *of = g_hash_table_lookup(e->senders, key);
    if (of == NULL) {
        of = g_ptr_array_new();
        g_hash_table_insert(e->senders, key, of);
    }
    g_ptr_array_add(of, (void *)e->who);
}

void ww_explain_note(WwExplain *e, const char *format, ...)
{
    va_list ap;
    if (e->n_notes++ >= MOST_OTHERS) {
        return;
    }
    va_start(ap, format);
    g_autofree char *path = ww_path(e->who);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    g_string_append_printf(e->notes, "  note: %s: %s\n", path, text);
}

/* How many groups, from the root, hold both. */
static uint32_t kinship(const WwComponent *a, const WwComponent *b)
{
    uint32_t n = 0;
    for (const WwGroup *g = a->group; g != NULL; g = ww_group_parent(g)) {
        const WwGroup *h = b->group;
        while (h != NULL && h != g) {
            h = ww_group_parent(h);
        }
        n += h != NULL;
    }
    return n;
}

static const Hold *holder(const WwExplain *e, const WwComponent *who, uint64_t thing)
{
    const Hold *best = NULL;
    uint32_t nearest = 0;
    /* numbers that are no names mean something in one partition: each SM has a warp 3 with a register 5 */
    bool anywhere = thing != WW_THING_UNKNOWN && (thing & WW_THING_NAMED) != 0;
    void *key = (void *)(uintptr_t)thing;
    uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(e->holders, key));
    while (at != 0) {
        const Hold *h = &g_array_index(e->holds, Hold, at - 1);
        if ((anywhere || h->who->partition == who->partition) &&
            (best == NULL || kinship(who, h->who) >= nearest)) {
            best = h;
            nearest = kinship(who, h->who);
        }
        at = h->before;
    }
    return best == NULL && thing != WW_THING_UNKNOWN && (thing & WW_THING_NAMED) == 0
               ? holder(e, who, WW_THING_UNKNOWN)
               : best;
}

/* Who reads what a component writes: channels by writer. */
static GHashTable *channels_by_writer(WwMachine *m)
{
    GHashTable *out = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref);
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        WwChannel *ch = (WwChannel *)c;
        for (uint32_t w = 0; (c->type->flags & WW_TYPE_CHANNEL) && w < ch->n_writers; w++) {
            GPtrArray *of = g_hash_table_lookup(out, ch->writer[w].who);
            if (of == NULL) {
                of = g_ptr_array_new();
                g_hash_table_insert(out, (void *)ch->writer[w].who, of);
            }
            g_ptr_array_add(of, ch);
        }
    }
    return out;
}

/* The nearest component that tokens of @p who reach and that cannot say what it holds; NULL: none. */
static const WwComponent *silent_behind(GHashTable *by_writer, const WwComponent *who)
{
    g_autoptr(GPtrArray) reached = g_ptr_array_new();
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    g_ptr_array_add(reached, (void *)who);
    for (uint32_t i = 0; i < reached->len; i++) {
        const WwComponent *c = g_ptr_array_index(reached, i);
        const GPtrArray *of = g_hash_table_lookup(by_writer, c);
        if (i > 0 && c->type->explain == NULL) {
            return c;
        }
        for (uint32_t k = 0; of != NULL && k < of->len; k++) {
            const WwChannel *ch = g_ptr_array_index(of, k);
            for (uint32_t r = 0; r < ch->n_readers; r++) {
                if (g_hash_table_add(seen, (void *)ch->reader[r].who)) {
                    g_ptr_array_add(reached, (void *)ch->reader[r].who);
                }
            }
        }
    }
    return NULL;
}

/* Who sent on last what @p w waits for: the one farthest from it in the tree of groups. */
static const WwComponent *last_sender(const WwExplain *e, const Waiting *w)
{
    const GPtrArray *of = g_hash_table_lookup(e->senders, (void *)(uintptr_t)w->thing);
    const WwComponent *last = w->who;
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; of != NULL && i < of->len; i++) {
        uint32_t near = kinship(w->who, g_ptr_array_index(of, i));
        if (near < least) {
            least = near;
            last = g_ptr_array_index(of, i);
        }
    }
    return last;
}

/* What nobody says to hold is with someone on its way who says nothing. */
static void guess(WwMachine *m, WwExplain *e)
{
    g_autoptr(GHashTable) by_writer = NULL;
    g_autoptr(GHashTable) known = g_hash_table_new(NULL, NULL);
    for (uint32_t i = 0; i < e->waits->len; i++) {
        Waiting *w = wait_at(e, i);
        void *on = NULL;
        if (w->thing == 0 || w->on != NULL) {
            continue;
        }
        const WwComponent *from = last_sender(e, w);
        if (!g_hash_table_lookup_extended(known, from, NULL, &on)) {
            by_writer = by_writer != NULL ? by_writer : channels_by_writer(m);
            on = (void *)silent_behind(by_writer, from);
            g_hash_table_insert(known, (void *)from, on);
        }
        w->on = on;
        w->guessed = on != NULL;
    }
}

static void ask_everyone(WwMachine *m, WwExplain *e)
{
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        if (c->type->explain != NULL) {
            e->who = c;
            e->unit = e->on_unit = -1;
            c->type->explain(c, e);
        }
    }
    for (uint32_t i = 0; i < e->waits->len; i++) {
        Waiting *w = wait_at(e, i);
        const Hold *h = w->thing != 0 ? holder(e, w->who, w->thing) : NULL;
        w->on = h != NULL ? h->who : w->on;
    }
    guess(m, e);
}

static WwExplain explain_new(void)
{
    return (WwExplain){
        .waits = g_array_new(false, false, sizeof(Waiting)),
        .holds = g_array_new(false, false, sizeof(Hold)),
        .holders = g_hash_table_new(NULL, NULL),
        .senders = g_hash_table_new_full(NULL, NULL, NULL, (GDestroyNotify)g_ptr_array_unref),
        .notes = g_string_new(NULL)};
}

static void explain_clear(WwExplain *e)
{
    for (uint32_t i = 0; i < e->waits->len; i++) {
        g_free(wait_at(e, i)->text);
    }
    for (uint32_t i = 0; i < e->holds->len; i++) {
        g_free(g_array_index(e->holds, Hold, i).text);
    }
    g_array_unref(e->waits);
    g_array_unref(e->holds);
    g_hash_table_unref(e->holders);
    g_hash_table_unref(e->senders);
    g_string_free(e->notes, true);
}

bool ww_machine_anyone_waits(WwMachine *m)
{
    WwExplain e = explain_new();
    ask_everyone(m, &e);
    bool any = e.waits->len != 0;
    explain_clear(&e);
    return any;
}

/* Does wait @p k go on where @p w ends? */
static bool goes_on(const Waiting *w, const Waiting *k)
{
    return k->who == w->on && (w->on_unit < 0 || k->unit < 0 || w->on_unit == k->unit);
}

/* A way through the waits. */
typedef struct Walk {
    const WwExplain *e;
    uint8_t *state;    /* by wait: 1: on the trail, 2: looked at */
    uint32_t *next;    /* by wait: the next one of the same component, + 1; 0: none */
    GHashTable *first; /* by component: its first wait, + 1 */
    GArray *trail;     /* uint32_t */
    bool knot;         /* its last element is on it twice */
} Walk;

static Walk walk_new(const WwExplain *e)
{
    uint32_t n = e->waits->len;
    Walk w = {.e = e,
              .state = g_new0(uint8_t, n + 1),
              .next = g_new0(uint32_t, n + 1),
              .first = g_hash_table_new(NULL, NULL),
              .trail = g_array_new(false, false, sizeof(uint32_t))};
    for (uint32_t i = n; i-- > 0;) {
        void *who = (void *)wait_at(e, i)->who;
        w.next[i] = GPOINTER_TO_UINT(g_hash_table_lookup(w.first, who));
        g_hash_table_insert(w.first, who, GUINT_TO_POINTER(i + 1));
    }
    return w;
}

static void walk_clear(Walk *w)
{
    g_free(w->state);
    g_free(w->next);
    g_hash_table_unref(w->first);
    g_array_unref(w->trail);
}

/* Depth first from @p i towards a wait already on the trail (the knot) or a component that waits for nobody. */
static bool follow(Walk *w, uint32_t i, bool want_knot)
{
    const Waiting *from = wait_at(w->e, i);
    w->state[i] = 1;
    g_array_append_val(w->trail, i);
    bool further = false;
    for (uint32_t at = GPOINTER_TO_UINT(g_hash_table_lookup(w->first, from->on)); at != 0;
         at = w->next[at - 1]) {
        uint32_t k = at - 1;
        if (!goes_on(from, wait_at(w->e, k))) {
            continue;
        }
        further = true;
        if (w->state[k] == 1) {
            if (want_knot) {
                g_array_append_val(w->trail, k);
                return true;
            }
        } else if (w->state[k] == 0 && follow(w, k, want_knot)) {
            return true;
        }
    }
    if (!further && !want_knot) {
        return true;
    }
    w->state[i] = 2;
    g_array_set_size(w->trail, w->trail->len - 1);
    return false;
}

/* The way to the cause: a knot, if there is one. False: nobody waits. */
static bool find_trail(Walk *w)
{
    uint32_t n = w->e->waits->len;
    for (int pass = 0; pass < 2; pass++) {
        memset(w->state, 0, n);
        w->knot = pass == 0;
        for (uint32_t i = 0; i < n; i++) {
            g_array_set_size(w->trail, 0);
            if (w->state[i] == 0 && follow(w, i, w->knot)) {
                return true;
            }
        }
    }
    w->knot = false;
    g_array_set_size(w->trail, 0);
    return false;
}

static char *target_text(const Waiting *w)
{
    return w->on != NULL ? ww_component_text(w->on)
                         : g_strdup(w->thing != 0 ? "something that nobody says to hold"
                                                  : "nobody it could name");
}

static bool is_end(const WwClient *end, uint32_t n, const WwComponent *who)
{
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        found |= end[i].who == who;
    }
    return found;
}

/* Where the trail ends. A channel does nothing by itself, and one that holds something waits for its reader: this one is empty. */
static void print_cause(const Waiting *last, GString *out)
{
    const WwChannel *ch = (const WwChannel *)last->on;
    bool channel = (last->on->type->flags & WW_TYPE_CHANNEL) != 0;
    g_autofree char *on = ww_component_text(last->on);
    g_autofree char *who = ww_component_text(last->who);
    if (channel && is_end(ch->writer, ch->n_writers, last->who)) {
        g_string_append_printf(
            out, "  %s is empty: %s has room there and does not go on: the cause is there\n", on,
            who);
    } else if (channel && is_end(ch->reader, ch->n_readers, last->who)) {
        g_autofree char *from = ww_component_text(ch->writer[0].who);
        g_string_append_printf(out, "  %s is empty: the cause is with who fills it, %s%s\n", on,
                               from, ch->n_writers > 1 ? " or another one" : "");
    } else {
        g_string_append_printf(out, "  %s waits for nobody: the cause is there\n", on);
    }
}

static void print_trail(const WwExplain *e, const GArray *trail, bool knot, GString *out)
{
    uint32_t n = trail->len - (knot ? 1 : 0);
    uint32_t start = knot ? g_array_index(trail, uint32_t, trail->len - 1) : UINT32_MAX;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t k = g_array_index(trail, uint32_t, i);
        const Waiting *w = wait_at(e, k);
        const Hold *h = w->thing != 0 ? holder(e, w->who, w->thing) : NULL;
        g_autofree char *who = ww_component_text(w->who);
        g_autofree char *on = target_text(w);
        g_string_append_printf(out, "  %s%s waits for %s: %s%s%s\n", k == start ? "[knot] " : "",
                               who, on, w->text,
                               h != NULL    ? "; it holds "
                               : w->guessed ? "; nobody says to hold it, and this one, on its way, "
                                              "says nothing"
                                            : "",
                               h != NULL ? h->text : "");
    }
    const Waiting *last = wait_at(e, g_array_index(trail, uint32_t, n - 1));
    if (!knot && last->on != NULL) {
        print_cause(last, out);
    }
}

static bool on_trail(const GArray *trail, uint32_t i)
{
    for (uint32_t k = 0; k < trail->len; k++) {
        if (g_array_index(trail, uint32_t, k) == i) {
            return true;
        }
    }
    return false;
}

static void print_others(const WwExplain *e, const GArray *trail, GString *out)
{
    uint32_t others = 0;
    for (uint32_t i = 0; i < e->waits->len; i++) {
        const Waiting *w = wait_at(e, i);
        if (!on_trail(trail, i) && others++ < MOST_OTHERS) {
            g_autofree char *who = ww_component_text(w->who);
            g_autofree char *on = target_text(w);
            g_string_append_printf(out, "  also %s waits for %s: %s\n", who, on, w->text);
        }
    }
    if (others > MOST_OTHERS) {
        g_string_append_printf(out, "  and %u more wait\n", others - MOST_OTHERS);
    }
}

char *ww_machine_explain(WwMachine *m)
{
    WwExplain e = explain_new();
    ask_everyone(m, &e);
    GString *out = g_string_new(NULL);
    Walk walk = walk_new(&e);
    if (find_trail(&walk)) {
        g_string_append(out, walk.knot ? "who waits for whom, round to the knot:\n"
                                       : "who waits for whom:\n");
        print_trail(&e, walk.trail, walk.knot, out);
    }
    print_others(&e, walk.trail, out);
    g_string_append(out, e.notes->str);
    if (e.n_notes > MOST_OTHERS) {
        g_string_append_printf(out, "  and %u more notes\n", e.n_notes - MOST_OTHERS);
    }
    if (out->len == 0) {
        g_string_append(out, "  nobody says that it waits\n");
    }
    walk_clear(&walk);
    explain_clear(&e);
    return g_string_free(out, false);
}

static WwWait tell_wait(const WwExplain *e, uint32_t i, int32_t trail, bool knot)
{
    const Waiting *w = wait_at(e, i);
    const Hold *h = w->thing != 0 ? holder(e, w->who, w->thing) : NULL;
    return (WwWait){.who = w->who,
                    .on = w->on,
                    .unit = w->unit,
                    .on_unit = w->on_unit,
                    .text = w->text,
                    .holds = h != NULL ? h->text : NULL,
                    .guessed = w->guessed,
                    .trail = trail,
                    .knot = knot};
}

uint32_t ww_machine_each_wait(WwMachine *m, uint32_t most, WwWaitFn fn, void *user)
{
    WwExplain e = explain_new();
    ask_everyone(m, &e);
    Walk walk = walk_new(&e);
    find_trail(&walk);
    uint32_t n = walk.trail->len - walk.knot, told = 0, all = e.waits->len;
    uint32_t knot = walk.knot ? g_array_index(walk.trail, uint32_t, n) : UINT32_MAX;
    memset(walk.state, 0, all);
    for (; told < MIN(n, most); told++) {
        uint32_t k = g_array_index(walk.trail, uint32_t, told);
        WwWait w = tell_wait(&e, k, (int32_t)told, k == knot);
        walk.state[k] = 1;
        fn(user, &w);
    }
    for (uint32_t i = 0; i < all && told < most; i++) {
        if (walk.state[i] == 0) {
            WwWait w = tell_wait(&e, i, -1, false);
            fn(user, &w);
            told++;
        }
    }
    walk_clear(&walk);
    explain_clear(&e);
    return all;
}
