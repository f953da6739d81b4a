/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of one type: its descriptor, its parameters, rest, conservation; and the list of all. */
#include "conformance-priv.h"

#include <string.h>

enum { IDLE = 6000 };

static char *descriptor(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    g_autoptr(GError) error = NULL;
    return ww_type_check(type, &error) ? NULL : g_strdup(error->message);
}

static char *starts_with(const WwRegistry *registry, const WwType *type, const char *params)
{
    g_autoptr(GError) error = NULL;
    Bench *b = conform_new(registry, type, params, BARE, &error);
    if (b == NULL) {
        return g_strdup_printf("does not start with %s: %s", params != NULL ? params : "defaults",
                               error->message);
    }
    ww_harness_step(b->h, 10);
    char *why = conform_failed(b) ? g_strdup(b->wrong) : NULL;
    conform_free(b);
    return why;
}

static bool numeric(const WwParamRow *p)
{
    return p->kind == WW_PARAM_UINT || p->kind == WW_PARAM_U64 || p->kind == WW_PARAM_REAL;
}

/* Each parameter at its bounds: either it starts, or init refuses the combination with a reason. */
static char *bounds(const WwRegistry *registry, const WwType *type, uint32_t seed)
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
            Bench *b = conform_new(registry, type, text, BARE, &error);
            if (b != NULL) {
                ww_harness_step(b->h, 10);
                conform_free(b);
            } else if (error->message[0] == '\0') {
                why = g_strdup_printf("refuses %s without a reason", text);
            }
        }
    }
    return why;
}

static char *ranges(const WwRegistry *registry, const WwType *type, uint32_t seed)
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
char *check_idle(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    for (int i = 0; i < IDLE / 10 && !conform_failed(b); i++) {
        ww_harness_step(b->h, 10);
        conform_collect(b, true);
    }
    char *why = NULL;
    if (conform_failed(b)) {
        why = g_strdup(b->wrong);
    } else if (!ww_harness_asleep(b->h) && type->entries != NULL) {
        why = g_strdup_printf("is still awake after %d idle cycles", IDLE);
    } else if (b->log->len != 0 && b->in->len != 0) {
        why = g_strdup("sends tokens although it was given none");
    }
    conform_free(b);
    return why;
}

char *check_conservation(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    if (type->conserves != WW_CONSERVES_ONE || (type->flags & WW_TYPE_CHANNEL)) {
        return NULL;
    }
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    conform_traffic(b, seed_of(seed, 11));
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
    conform_free(b);
    return why;
}

const WwConformanceCheck ww_conformance_checks[] = {
    {"descriptor", "names, offsets and defaults are in order", descriptor},
    {"bounds", "starts with each parameter at its bounds, or says why not", bounds},
    {"ranges", "refuses values out of range, by name", ranges},
    {"idle", "goes to sleep when there is nothing to do, and sends nothing", check_idle},
    {"conservation", "loses, doubles and invents no token, where it says so", check_conservation},
    {"promises", "answers calls as its contracts promise", check_promises},
    {"sharing", "is as its contracts say when partitions share it", check_sharing},
    {"no-sleep", "does the same asleep and awake", check_no_sleep},
    {"same-seed", "does the same twice, also in another process", check_same_seed},
    {"reset", "does the same again after a reset", check_reset},
    {"windows", "does the same in windows and tick by tick", check_windows},
    {"memory",
     "keeps all that changes where a checkpoint finds it, and writes nothing beside what it has",
     check_memory},
    {"saved", "does the same when it is saved, built anew and restored", check_saved},
    {"events", "writes only events that its type declares, with their fields, kept or at once",
     check_events},
    {NULL, NULL, NULL},
};
