/* SPDX-License-Identifier: Apache-2.0 */
/* The bench of the conformance suite: who stands at each port. */
#include "conformance-priv.h"
#include <string.h>
#include <warpwright/component.h>

enum { ARRAY = 2 };

void conform_free(Bench *b)
{
    conform_moves_end(b);
    ww_harness_free(b->h);
    g_free(b->params);
    g_ptr_array_unref(b->in);
    g_ptr_array_unref(b->out);
    g_array_unref(b->in_rows);
    g_hash_table_unref(b->held);
    g_hash_table_unref(b->fed);
    g_ptr_array_unref(b->drives);
    g_string_free(b->log, true);
    g_rand_free(b->random);
    g_free(b->wrong);
    g_free(b);
}

/* Room for a burst and for one register a scheduler, whatever the channel is; in windows for as many ticks as they are to have. */
static const char *channel_params(const Bench *b, const WwPortRow *r)
{
    return strcmp(r->contract->channel, "register_set") == 0 ? "width=4"
           : strcmp(r->contract->channel, "fifo") != 0       ? NULL
           : b->apart                                        ? "depth=24"
                                                             : "depth=2";
}

static void drive_free(gpointer data)
{
    WwDrive *d = data;
    g_free((char *)d->port);
    g_free(d->wrong);
    g_free(d);
}

/* A random caller for each contract that the type provides and that has one. */
static void add_drives(Bench *b)
{
    const WwPortRow *r;
    for (WW_ROWS(b->type->ports, r)) {
        const WwDriver *driver = r->role == WW_PROVIDES ? ww_driver_of(r->contract) : NULL;
        if (driver != NULL) {
            WwDrive *d = g_new0(WwDrive, 1);
            *d = (WwDrive){.h = b->h,
                           .port = g_strdup(r->name),
                           .random = b->random,
                           .log = b->log,
                           .state = ww_harness_alloc(b->h, MAX(driver->state, 1))};
            d->table = ww_harness_table(b->h, r->name, &d->self);
            g_ptr_array_add(b->drives, d);
        }
    }
}

const WwPortRow *conform_row(const Bench *b, const char *port)
{
    g_autofree char *name = g_strdup(port);
    name[strcspn(name, "[")] = '\0';
    return &b->type->ports[ww_type_port(b->type, name)];
}

const WwDriver *conform_driver(const Bench *b, const WwDrive *d)
{
    return ww_driver_of(conform_row(b, d->port)->contract);
}

/* ---- needs ------------------------------------------------------------------------------------------------------ */

static bool has_fake(const WwRegistry *registry, const WwPortRow *r)
{
    return r->contract->fake != NULL && ww_registry_find(registry, r->contract->fake, NULL) != NULL;
}

/* A need that has to be filled and for which no fake is there. */
static bool is_open(const WwRegistry *registry, const WwPortRow *r)
{
    return r->role == WW_REQUIRES && r->min != 0 && !has_fake(registry, r);
}

/* A type that fills such a need, and needs nothing of the kind itself; NULL: there is none. */
static const WwType *filler(const WwRegistry *registry, const WwPortRow *r)
{
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        bool offers = false, open = false;
        const WwPortRow *p;
        for (WW_ROWS(types[i]->ports, p)) {
            offers |= p->role == WW_PROVIDES && p->contract == r->contract;
            open |= is_open(registry, p);
        }
        if (offers && !open && !(types[i]->flags & WW_TYPE_FAULTY)) {
            return types[i];
        }
    }
    return NULL;
}

char *ww_conformance_obstacle(const WwRegistry *registry, const WwType *type)
{
    const WwPortRow *r;
    for (WW_ROWS(type->ports, r)) {
        if (is_open(registry, r) && filler(registry, r) == NULL) {
            return g_strdup_printf(
                "port %s needs '%s', of which there is neither a fake nor a type "
                "that offers it; expected one of them in a module",
                r->name, r->contract->name);
        }
    }
    for (int needs = ALL_NEEDS; needs <= BARE; needs++) {
        g_autoptr(GError) error = NULL;
        Bench *b = conform_new(registry, type, NULL, (Needs)needs, &error);
        if (b == NULL) {
            return g_strdup_printf("it does not start with its defaults: %s", error->message);
        }
        conform_free(b);
    }
    return NULL;
}

/* Who fills a need: its fake, some of an array; without a fake something real. */
static void fill_need(Bench *b, const WwRegistry *registry, const WwPortRow *r)
{
    const WwType *real = is_open(registry, r) ? filler(registry, r) : NULL;
    if (real == NULL && !has_fake(registry, r)) {
        return;
    }
    for (uint32_t i = 0; i < MIN(r->max, MAX(r->min, ARRAY)); i++) {
        g_autofree char *name =
            r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
        ww_harness_fill(b->h, name, real != NULL ? real->name : NULL, NULL);
    }
}

/* The machine, and the names of its ports. */
static bool build(Bench *b, GError **error)
{
    const WwType *type = b->type;
    ww_harness_guarded(true); /* in each check, so that what writes there does nothing worse */
    b->h = b->apart ? ww_harness_new_apart(b->registry, type->name, b->params)
                    : ww_harness_new(b->registry, type->name, b->params);
    ww_harness_guarded(false);
    g_ptr_array_set_size(b->in, 0);
    g_ptr_array_set_size(b->out, 0);
    g_array_set_size(b->in_rows, 0);
    const WwPortRow *r;
    int row = 0;
    for (WW_ROWS(type->ports, r)) {
        if (r->role == WW_IN || r->role == WW_OUT) {
            for (uint32_t i = 0; i < MIN(r->max, MAX(r->min, ARRAY)); i++) {
                char *name = r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
                ww_harness_channel(b->h, name, channel_params(b, r));
                g_ptr_array_add(r->role == WW_IN ? b->in : b->out, name);
                if (r->role == WW_IN) {
                    g_array_append_val(b->in_rows, row);
                }
            }
        }
        if (r->role == WW_REQUIRES && (r->min != 0 || b->needs == ALL_NEEDS)) {
            fill_need(b, b->registry, r);
        }
        row++;
    }
    return ww_harness_start(b->h, error);
}

/* What started before with the same parameters starts again. */
static void build_again(Bench *b)
{
    g_autoptr(GError) error = NULL;
    b->dead = !build(b, &error);
    if (b->dead) {
        bool with = b->params != NULL && *b->params != '\0';
        conform_wrong(b, "started with %s before, and does not start again: %s",
                      with ? b->params : "its defaults", error->message);
    }
}

static Bench *new_bench(const WwRegistry *registry, const WwType *type, const char *params,
                        Needs needs, bool apart, GError **error)
{
    Bench *b = g_new0(Bench, 1);
    b->registry = registry;
    b->type = type;
    b->params = g_strdup(params);
    b->needs = needs;
    b->apart = apart;
    b->in = g_ptr_array_new_with_free_func(g_free);
    b->out = g_ptr_array_new_with_free_func(g_free);
    b->in_rows = g_array_new(false, false, sizeof(int));
    b->held = g_hash_table_new(g_direct_hash, g_direct_equal);
    b->fed = g_hash_table_new_full(g_direct_hash, g_direct_equal, NULL, g_free);
    b->drives = g_ptr_array_new_with_free_func(drive_free);
    b->log = g_string_new(NULL);
    b->random = g_rand_new_with_seed(1);
    if (error == NULL) {
        build_again(b);
    } else if (!build(b, error)) {
        conform_free(b);
        return NULL;
    }
    if (!b->dead) {
        add_drives(b);
    }
    return b;
}

Bench *conform_new(const WwRegistry *registry, const WwType *type, const char *params, Needs needs,
                   GError **error)
{
    return new_bench(registry, type, params, needs, false, error);
}

Bench *conform_new_apart(const WwRegistry *registry, const WwType *type, const char *params,
                         Needs needs, GError **error)
{
    return new_bench(registry, type, params, needs, true, error);
}

void conform_rebuild(Bench *b)
{
    build_again(b);
    if (b->dead) {
        return;
    }
    ww_machine_set_fingerprint(ww_harness_machine(b->h), true);
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        d->h = b->h;
        d->table = ww_harness_table(b->h, d->port, &d->self);
    }
}

/* A value of the parameter: small, since what is small is full soon; NULL: there is none to draw. */
static char *draw_value(const WwParamRow *p, GRand *random)
{
    uint64_t least = (uint64_t)p->min, n = 0;
    switch (p->kind) {
    case WW_PARAM_BOOL:
        return g_strdup(g_rand_boolean(random) ? "true" : "false");
    case WW_PARAM_CHOICE:
        while (p->choices[n] != NULL) {
            n++;
        }
        return g_strdup(p->choices[g_rand_int_range(random, 0, (gint32)n)]);
    case WW_PARAM_UINT:
    case WW_PARAM_U64:
        n = 1ull << g_rand_int_range(random, 0, 8);
        n = g_rand_boolean(random) ? least + (uint64_t)g_rand_int_range(random, 0, 8)
                                   : MAX(n, least);
        return p->max != 0 && n > (uint64_t)p->max ? NULL
                                                   : g_strdup_printf("%" G_GUINT64_FORMAT, n);
    default:
        return NULL;
    }
}

char *conform_params(const WwType *type, GRand *random)
{
    GString *s = g_string_new(NULL);
    const WwParamRow *p;
    for (WW_ROWS(type->params, p)) {
        g_autofree char *value = g_rand_int_range(random, 0, 3) == 0 ? draw_value(p, random) : NULL;
        if (value != NULL) {
            g_string_append_printf(s, "%s=%s ", p->name, value);
        }
    }
    return g_string_free(s, false);
}

void conform_reset(Bench *b)
{
    if (b->dead) {
        return;
    }
    ww_harness_reset(b->h);
    g_hash_table_remove_all(b->held);
    g_hash_table_remove_all(b->fed);
    b->inside = 0;
    g_string_truncate(b->log, 0);
    b->made = 0;
    g_clear_pointer(&b->wrong, g_free);
    g_ptr_array_set_size(b->drives, 0);
    add_drives(b);
}

/* ---- what it says ------------------------------------------------------------------------------------------------ */

void conform_wrong(Bench *b, const char *format, ...)
{
    if (b->wrong == NULL) {
        va_list ap;
        va_start(ap, format);
        b->wrong = g_strdup_vprintf(format, ap);
        va_end(ap);
    }
}

bool conform_failed(Bench *b)
{
    const GError *e = b->dead ? NULL : ww_machine_error(ww_harness_machine(b->h));
    if (e != NULL) {
        conform_wrong(b, "the run failed: %s", e->message);
    }
    return b->wrong != NULL;
}

char *conform_statistics(Bench *b)
{
    GString *s = g_string_new(NULL);
    const WwStatRow *r;
    for (WW_ROWS(b->type->stats, r)) {
        for (uint32_t i = 0; i < r->n && !b->dead; i++) {
            g_string_append_printf(s, "%s[%u]=%" G_GUINT64_FORMAT "\n", r->name, i,
                                   ww_harness_stat(b->h, r->name, i));
        }
    }
    return g_string_free(s, false);
}

char *conform_variously(const WwRegistry *registry, const WwType *type, ConformFn check,
                        uint32_t seed, uint32_t salt)
{
    enum { OTHERS = 2 };
    char *why = check(registry, type, NULL, ALL_NEEDS, seed_of(seed, salt));
    if (why == NULL) {
        why = check(registry, type, NULL, BARE, seed_of(seed, salt + 1));
    }
    g_autoptr(GRand) random = g_rand_new_with_seed(seed_of(seed, salt + 2));
    for (uint32_t n = 0; n < OTHERS && why == NULL; n++) {
        g_autofree char *params = conform_params(type, random);
        g_autofree char *what =
            *params != '\0' ? check(registry, type, params, ALL_NEEDS, seed_of(seed, salt + 3 + n))
                            : NULL;
        why = what != NULL ? g_strdup_printf("with %s: %s", params, what) : NULL;
    }
    return why;
}
