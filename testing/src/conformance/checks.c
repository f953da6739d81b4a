/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bench for every type: each port gets a peer (generators at IN ports, readers that are ready at random at OUT ports, fake providers at
 * needs, random callers at what it provides), from the tokens, checkers, fakes and drivers of the contracts. What it does is drawn from a seed.
 */
#include <ports/tokens.h>
#include <string.h>
#include <testing/conformance.h>
#include <testing/drive.h>
#include <testing/testing.h>
#include <warpwright/component.h>

enum { TRAFFIC = 600, DRAIN = 3000, IDLE = 6000, ARRAY = 2 };

/* ---- the bench -------------------------------------------------------------------------------------------------- */

typedef struct Bench {
    WwHarness *h;
    const WwType *type;
    GPtrArray *in, *out; /* port names with element */
    GArray *in_rows;     /* int, beside `in` */
    GHashTable *held;    /* token -> how often inside, while conservation is counted */
    GPtrArray *drives;   /* WwDrive: callers of what it provides */
    GString *log;        /* tick, port, token key: what came out, when; what was answered */
    GRand *random;
    uint64_t made;
    char *wrong;
} Bench;

static void bench_free(Bench *b)
{
    ww_harness_free(b->h);
    g_ptr_array_unref(b->in);
    g_ptr_array_unref(b->out);
    g_array_unref(b->in_rows);
    g_hash_table_unref(b->held);
    g_ptr_array_unref(b->drives);
    g_string_free(b->log, true);
    g_rand_free(b->random);
    g_free(b->wrong);
    g_free(b);
}

/* Room for a burst and for one register a scheduler, whatever the channel is. */
static const char *channel_params(const WwPortRow *r)
{
    return strcmp(r->contract->channel, "register_set") == 0 ? "width=4"
           : strcmp(r->contract->channel, "fifo") == 0       ? "depth=2"
                                                             : NULL;
}

static void drive_free(gpointer data)
{
    WwDrive *d = data;
    g_free((char *)d->port);
    g_free(d->state);
    g_free(d->wrong);
    g_free(d);
}

/* A random caller for each contract that the type provides and that has one. */
static void add_drives(Bench *b)
{
    const WwPortRow *r;
    for (WW_ROWS(b->type->ports, r)) {
        const WwDriver *driver = r->role == WW_PROVIDES ? ww_driver_of(r->contract) : NULL;
        bool seen = driver == NULL;
        for (const WwPortRow *q = b->type->ports; !seen && q < r; q++) {
            seen =
                q->role == WW_PROVIDES && q->contract == r->contract; /* a later step of its own */
        }
        if (!seen) {
            WwDrive *d = g_new0(WwDrive, 1);
            *d = (WwDrive){.h = b->h,
                           .port = g_strdup(r->name),
                           .random = b->random,
                           .log = b->log,
                           .state = g_malloc0(MAX(driver->state, 1))};
            d->table = ww_harness_table(b->h, r->name, &d->self);
            g_ptr_array_add(b->drives, d);
        }
    }
}

static const WwDriver *driver_of(const Bench *b, const WwDrive *d)
{
    return ww_driver_of(b->type->ports[ww_type_port(b->type, d->port)].contract);
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
    return NULL;
}

static Bench *bench_new(const WwRegistry *registry, const WwType *type, const char *params,
                        GError **error)
{
    Bench *b = g_new0(Bench, 1);
    b->h = ww_harness_new(registry, type->name, params);
    b->type = type;
    b->in = g_ptr_array_new_with_free_func(g_free);
    b->out = g_ptr_array_new_with_free_func(g_free);
    b->in_rows = g_array_new(false, false, sizeof(int));
    b->held = g_hash_table_new(g_direct_hash, g_direct_equal);
    b->drives = g_ptr_array_new_with_free_func(drive_free);
    b->log = g_string_new(NULL);
    b->random = g_rand_new_with_seed(1);
    const WwPortRow *r;
    int row = 0;
    for (WW_ROWS(type->ports, r)) {
        if (r->role == WW_IN || r->role == WW_OUT) {
            for (uint32_t i = 0; i < MIN(r->max, MAX(r->min, ARRAY)); i++) {
                char *name = r->max > 1 ? g_strdup_printf("%s[%u]", r->name, i) : g_strdup(r->name);
                ww_harness_channel(b->h, name, channel_params(r));
                g_ptr_array_add(r->role == WW_IN ? b->in : b->out, name);
                if (r->role == WW_IN) {
                    g_array_append_val(b->in_rows, row);
                }
            }
        }
        if (is_open(registry, r)) {
            ww_harness_fill(b->h, r->name, filler(registry, r)->name, NULL);
        }
        row++;
    }
    if (!ww_harness_start(b->h, error)) {
        bench_free(b);
        return NULL;
    }
    add_drives(b);
    return b;
}

static void wrong(Bench *b, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void wrong(Bench *b, const char *format, ...)
{
    if (b->wrong == NULL) {
        va_list ap;
        va_start(ap, format);
        b->wrong = g_strdup_vprintf(format, ap);
        va_end(ap);
    }
}

static const WwPayload *payload_of(const Bench *b, const char *port)
{
    g_autofree char *name = g_strdup(port);
    name[strcspn(name, "[")] = '\0';
    const WwPayload *p = b->type->ports[ww_type_port(b->type, name)].contract->payload;
    return p != NULL ? p
                     : &ww_payload_number; /* a port that carries anything carries numbers here */
}

static int64_t held(const Bench *b, WwToken t)
{
    return (int64_t)(intptr_t)g_hash_table_lookup(b->held, (gpointer)(uintptr_t)t);
}

static void hold(Bench *b, WwToken t, int64_t by)
{
    g_hash_table_insert(b->held, (gpointer)(uintptr_t)t, (gpointer)(intptr_t)(held(b, t) + by));
}

static void feed(Bench *b)
{
    for (uint32_t i = 0; i < b->in->len; i++) {
        if (g_rand_int_range(b->random, 0, 3) == 0) {
            continue;
        }
        const char *port = g_ptr_array_index(b->in, i);
        WwToken t = payload_of(b, port)->make(b->h, b->random, b->made);
        if (b->type->adapt != NULL) {
            b->type->adapt(ww_harness_self(b->h),
                           &b->type->ports[g_array_index(b->in_rows, int, i)], t, b->random);
        }
        if (ww_harness_put(b->h, port, -1, t)) {
            b->made++;
            hold(b, t, 1);
        }
    }
}

static void collect(Bench *b, bool everything)
{
    for (uint32_t i = 0; i < b->out->len; i++) {
        const char *port = g_ptr_array_index(b->out, i);
        WwToken t;
        int slot;
        while ((everything || g_rand_boolean(b->random)) &&
               ww_harness_take(b->h, port, &slot, &t)) {
            g_autoptr(GError) error = NULL;
            const WwPayload *p = payload_of(b, port);
            if (!p->check(t, &error)) {
                wrong(b, "port %s: %s", port, error->message);
                return;
            }
            g_string_append_printf(b->log, "%" G_GUINT64_FORMAT " %s %d %" G_GINT64_MODIFIER "x\n",
                                   ww_harness_now(b->h), port, slot, p->key(t));
            if (b->type->conserves == WW_CONSERVES_ONE && held(b, t) <= 0) {
                wrong(b, "port %s: a token came out that was not inside (invented or doubled)",
                      port);
                return;
            }
            hold(b, t, -1);
            if (strcmp(b->type->ports[0].contract->name, "level") == 0) {
                break; /* a level can be read for ever */
            }
        }
    }
}

static bool failed(Bench *b)
{
    const GError *e = ww_machine_error(ww_harness_machine(b->h));
    if (e != NULL) {
        wrong(b, "the run failed: %s", e->message);
    }
    return b->wrong != NULL;
}

static void drive(Bench *b, bool rest)
{
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        void (*turn)(WwDrive *) = rest ? driver_of(b, d)->rest : driver_of(b, d)->drive;
        if (turn != NULL && d->wrong == NULL) {
            turn(d);
        }
        if (d->wrong != NULL) {
            wrong(b, "%s", d->wrong);
        }
    }
}

/* The same stimulus for the same seed, whatever the component does with its time. */
static void traffic(Bench *b, uint32_t seed)
{
    g_rand_set_seed(b->random, seed);
    for (int i = 0; i < TRAFFIC && !failed(b); i++) {
        feed(b);
        drive(b, false);
        ww_harness_step(b->h, 1);
        collect(b, false);
    }
    for (int i = 0; i < DRAIN && !failed(b); i++) {
        ww_harness_step(b->h, 1);
        collect(b, true);
    }
    drive(b, true);
}

static char *statistics(Bench *b)
{
    GString *s = g_string_new(NULL);
    const WwStatRow *r;
    for (WW_ROWS(b->type->stats, r)) {
        for (uint32_t i = 0; i < r->n; i++) {
            g_string_append_printf(s, "%s[%u]=%" G_GUINT64_FORMAT "\n", r->name, i,
                                   ww_harness_stat(b->h, r->name, i));
        }
    }
    return g_string_free(s, false);
}

/* ---- the checks ------------------------------------------------------------------------------------------------- */

static char *descriptor(const WwRegistry *registry, const WwType *type)
{
    g_autoptr(GError) error = NULL;
    return ww_type_check(type, &error) ? NULL : g_strdup(error->message);
}

static char *starts_with(const WwRegistry *registry, const WwType *type, const char *params)
{
    g_autoptr(GError) error = NULL;
    Bench *b = bench_new(registry, type, params, &error);
    if (b == NULL) {
        return g_strdup_printf("does not start with %s: %s", params != NULL ? params : "defaults",
                               error->message);
    }
    ww_harness_step(b->h, 10);
    char *why = failed(b) ? g_strdup(b->wrong) : NULL;
    bench_free(b);
    return why;
}

static bool numeric(const WwParamRow *p)
{
    return p->kind == WW_PARAM_UINT || p->kind == WW_PARAM_U64 || p->kind == WW_PARAM_REAL;
}

/* Each parameter at its bounds: either it starts, or init refuses the combination with a reason. */
static char *bounds(const WwRegistry *registry, const WwType *type)
{
    char *why = starts_with(registry, type, NULL);
    const WwParamRow *p;
    for (WW_ROWS(type->params, p)) {
        if (why != NULL || !numeric(p) || (p->min == 0 && p->max == 0)) {
            continue;
        }
        double ends[2] = {p->min, p->max};
        for (int i = 0; i < 2 && why == NULL; i++) {
            if (ends[i] > 4096) {
                continue; /* a cache of 2^32 entries starts too, but not here */
            }
            g_autofree char *text = g_strdup_printf("%s=%.17g", p->name, ends[i]);
            g_autoptr(GError) error = NULL;
            Bench *b = bench_new(registry, type, text, &error);
            if (b != NULL) {
                ww_harness_step(b->h, 10);
                bench_free(b);
            } else if (error->message[0] == '\0') {
                why = g_strdup_printf("refuses %s without a reason", text);
            }
        }
    }
    return why;
}

static char *ranges(const WwRegistry *registry, const WwType *type)
{
    const WwParamRow *p;
    for (WW_ROWS(type->params, p)) {
        if (!numeric(p) || (p->min == 0 && p->max == 0)) {
            continue;
        }
        WwValue v = {.kind = p->kind};
        if (p->kind == WW_PARAM_REAL) {
            v.r = p->max * 2 + 1;
        } else {
            v.u = (uint64_t)p->max + 1;
        }
        g_autoptr(GError) error = NULL;
        if (ww_value_check(p, &v, &error)) {
            return g_strdup_printf("parameter %s takes a value over its maximum", p->name);
        }
        if (strstr(error->message, p->name) == NULL) {
            return g_strdup_printf("the refusal does not name parameter %s: %s", p->name,
                                   error->message);
        }
    }
    return NULL;
}

/* Left alone it goes to sleep, and something that only passes tokens on says nothing. */
static char *idle(const WwRegistry *registry, const WwType *type)
{
    Bench *b = bench_new(registry, type, NULL, NULL);
    for (int i = 0; i < IDLE / 10 && !failed(b); i++) {
        ww_harness_step(b->h, 10);
        collect(b, true);
    }
    char *why = NULL;
    if (failed(b)) {
        why = g_strdup(b->wrong);
    } else if (!ww_harness_asleep(b->h) && type->entries != NULL) {
        why = g_strdup_printf("is still awake after %d idle cycles", IDLE);
    } else if (b->log->len != 0 && b->in->len != 0) {
        why = g_strdup("sends tokens although it was given none");
    }
    bench_free(b);
    return why;
}

static char *conservation(const WwRegistry *registry, const WwType *type)
{
    if (type->conserves != WW_CONSERVES_ONE || (type->flags & WW_TYPE_CHANNEL)) {
        return NULL;
    }
    Bench *b = bench_new(registry, type, NULL, NULL);
    traffic(b, 11);
    char *why = b->wrong != NULL ? g_strdup(b->wrong) : NULL;
    GHashTableIter it;
    gpointer key, value;
    g_hash_table_iter_init(&it, b->held);
    while (why == NULL && g_hash_table_iter_next(&it, &key, &value)) {
        if (value != NULL) {
            why = g_strdup_printf(
                "a token that went in never came out (%" G_GUINT64_FORMAT " were sent)", b->made);
        }
    }
    if (why == NULL && b->in->len != 0 && b->made == 0) {
        why = g_strdup("took no token at all: the check would be empty");
    }
    bench_free(b);
    return why;
}

typedef struct Trail {
    char *log, *stats;
    uint64_t print;
    char *wrong;
} Trail;

static Trail trail_of(Bench *b, uint32_t seed)
{
    ww_machine_set_fingerprint(ww_harness_machine(b->h), true);
    traffic(b, seed);
    return (Trail){g_strdup(b->log->str), statistics(b),
                   ww_machine_fingerprint(ww_harness_machine(b->h)), g_strdup(b->wrong)};
}

static void trail_clear(Trail *t)
{
    g_free(t->log);
    g_free(t->stats);
    g_free(t->wrong);
}

static char *compare(const char *what, const Trail *a, const Trail *b)
{
    if (a->wrong != NULL || b->wrong != NULL) {
        return g_strdup_printf("%s: %s", what, a->wrong != NULL ? a->wrong : b->wrong);
    }
    if (strcmp(a->log, b->log) != 0) {
        size_t i = 0, line = 0;
        for (; a->log[i] == b->log[i]; i++) {
            line = a->log[i] == '\n' ? i + 1 : line;
        }
        return g_strdup_printf("%s: tokens differ, first '%.40s' and '%.40s'", what, a->log + line,
                               b->log + line);
    }
    if (strcmp(a->stats, b->stats) != 0) {
        return g_strdup_printf("%s: statistics differ:\n%s---\n%s", what, a->stats, b->stats);
    }
    return a->print != b->print ? g_strdup_printf("%s: fingerprints differ", what) : NULL;
}

static char *no_sleep(const WwRegistry *registry, const WwType *type)
{
    char *why = NULL;
    for (uint32_t seed = 1; seed <= 3 && why == NULL; seed++) {
        Bench *a = bench_new(registry, type, NULL, NULL),
              *b = bench_new(registry, type, NULL, NULL);
        ww_machine_set_no_sleep(ww_harness_machine(b->h), true);
        Trail x = trail_of(a, seed), y = trail_of(b, seed);
        why = compare("sleeping and never sleeping", &x, &y);
        trail_clear(&x);
        trail_clear(&y);
        bench_free(a);
        bench_free(b);
    }
    return why;
}

static char *same_seed(const WwRegistry *registry, const WwType *type)
{
    Bench *a = bench_new(registry, type, NULL, NULL), *b = bench_new(registry, type, NULL, NULL);
    Trail x = trail_of(a, 5), y = trail_of(b, 5);
    char *why = compare("two runs of one seed", &x, &y);
    trail_clear(&x);
    trail_clear(&y);
    bench_free(a);
    bench_free(b);
    return why;
}

static char *reset(const WwRegistry *registry, const WwType *type)
{
    Bench *a = bench_new(registry, type, NULL, NULL);
    Trail x = trail_of(a, 7);
    ww_harness_reset(a->h);
    g_hash_table_remove_all(a->held);
    g_string_truncate(a->log, 0);
    a->made = 0;
    g_ptr_array_set_size(a->drives, 0);
    add_drives(a);
    Trail y = trail_of(a, 7);
    char *why = compare("new and reset", &x, &y);
    trail_clear(&x);
    trail_clear(&y);
    bench_free(a);
    return why;
}

/* Calls keep what their contracts promise. */
static char *promises(const WwRegistry *registry, const WwType *type)
{
    char *why = NULL;
    for (uint32_t seed = 21; seed <= 23 && why == NULL; seed++) {
        Bench *b = bench_new(registry, type, NULL, NULL);
        if (b->drives->len != 0) {
            traffic(b, seed);
            why = g_strdup(b->wrong);
        }
        bench_free(b);
    }
    return why;
}

/* ---- sharing ---------------------------------------------------------------------------------------------------- */

enum { CALLS = 200 };

/* The answer of one call, and whether it left the component as it was. */
static char *answer(const Bench *b, WwDrive *d, uint32_t seed, bool *changed)
{
    g_autofree void *before = g_memdup2(d->self, b->type->size);
    g_string_truncate(d->log, 0);
    driver_of(b, d)->call(d, seed);
    *changed |= memcmp(before, d->self, b->type->size) != 0;
    return g_strdup(d->log->str);
}

/* Pure: the same answers in the other order, and nothing changes. */
static char *is_pure(Bench *b, WwDrive *d, Bench *other, WwDrive *e)
{
    g_autoptr(GPtrArray) said = g_ptr_array_new_with_free_func(g_free);
    bool changed = false;
    for (uint32_t i = 0; i < CALLS && !changed; i++) {
        g_ptr_array_add(said, answer(b, d, i, &changed));
    }
    for (uint32_t i = CALLS; !changed && i-- > 0;) {
        g_autofree char *again = answer(other, e, i, &changed);
        if (strcmp(again, g_ptr_array_index(said, i)) != 0) {
            return g_strdup_printf("port %s: the answer depends on the order of calls, which its "
                                   "contract says it does not (pure)",
                                   d->port);
        }
    }
    return changed ? g_strdup_printf("port %s: a call changes the component, which its contract "
                                     "says it does not (pure)",
                                     d->port)
                   : NULL;
}

/* Reduce: the same sums in the other order. */
static char *is_reduce(Bench *b, WwDrive *d, Bench *other, WwDrive *e)
{
    for (uint32_t i = 0; i < CALLS; i++) {
        driver_of(b, d)->call(d, i);
        driver_of(b, e)->call(e, CALLS - 1 - i);
    }
    ww_harness_step(b->h, 1000);
    ww_harness_step(other->h, 1000);
    g_autofree char *x = statistics(b);
    g_autofree char *y = statistics(other);
    return strcmp(x, y) == 0 ? NULL
                             : g_strdup_printf("port %s: sums depend on the order of calls, which "
                                               "its contract says they do not "
                                               "(reduce):\n%s---\n%s",
                                               d->port, x, y);
}

/* What a contract says of partitions that share a provider is so. */
static char *sharing(const WwRegistry *registry, const WwType *type)
{
    Bench *b = bench_new(registry, type, NULL, NULL),
          *other = bench_new(registry, type, NULL, NULL);
    char *why = NULL;
    for (uint32_t i = 0; i < b->drives->len && why == NULL; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i), *e = g_ptr_array_index(other->drives, i);
        WwSharing kind = type->ports[ww_type_port(type, d->port)].contract->sharing;
        if (driver_of(b, d)->call == NULL || ((WwComponent *)d->self)->exclusive) {
            continue;
        }
        why = kind == WW_PURE     ? is_pure(b, d, other, e)
              : kind == WW_REDUCE ? is_reduce(b, d, other, e)
                                  : NULL;
    }
    bench_free(b);
    bench_free(other);
    return why;
}

const WwConformanceCheck ww_conformance_checks[] = {
    {"descriptor", "names, offsets and defaults are in order", descriptor},
    {"bounds", "starts with each parameter at its bounds, or says why not", bounds},
    {"ranges", "refuses values out of range, by name", ranges},
    {"idle", "goes to sleep when there is nothing to do, and sends nothing", idle},
    {"conservation", "loses, doubles and invents no token, where it says so", conservation},
    {"promises", "answers calls as its contracts promise", promises},
    {"sharing", "is as its contracts say when partitions share it", sharing},
    {"no-sleep", "does the same asleep and awake", no_sleep},
    {"same-seed", "does the same twice", same_seed},
    {"reset", "does the same again after a reset", reset},
    {NULL, NULL, NULL},
};
