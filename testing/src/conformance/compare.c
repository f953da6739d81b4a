/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that compare two runs of the same traffic: what came out, what was answered, statistics, fingerprints. */
#include "conformance-priv.h"

#include <string.h>

Trail conform_trail(Bench *b, uint32_t seed)
{
    if (b->dead) {
        return (Trail){g_strdup(""), g_strdup(""), 0, g_strdup(b->wrong)};
    }
    ww_machine_set_fingerprint(ww_harness_machine(b->h), true);
    conform_traffic(b, seed);
    return (Trail){g_strdup(b->log->str), conform_statistics(b),
                   ww_machine_fingerprint(ww_harness_machine(b->h)), g_strdup(b->wrong)};
}

void conform_trail_clear(Trail *t)
{
    g_free(t->log);
    g_free(t->stats);
    g_free(t->wrong);
}

/* Where the first line begins in which two texts differ; NULL: they do not. */
static const char *difference(const char *a, const char *b, const char **other)
{
    size_t i = 0, line = 0;
    for (; a[i] == b[i]; i++) {
        if (a[i] == '\0') {
            return NULL;
        }
        line = a[i] == '\n' ? i + 1 : line;
    }
    *other = b + line;
    return a + line;
}

static int line_of(const char *text)
{
    return (int)MIN(strcspn(text, "\n"), 80);
}

char *conform_compare(const char *what, const Trail *a, const Trail *b)
{
    const char *x, *y;
    if (a->wrong != NULL || b->wrong != NULL) {
        return g_strdup_printf("%s: %s", what, a->wrong != NULL ? a->wrong : b->wrong);
    }
    if ((x = difference(a->log, b->log, &y)) != NULL) {
        return g_strdup_printf("%s: tokens or answers differ, first '%.*s' and '%.*s'", what,
                               line_of(x), x, line_of(y), y);
    }
    if ((x = difference(a->stats, b->stats, &y)) != NULL) {
        return g_strdup_printf("%s: statistics differ, first '%.*s' and '%.*s'", what, line_of(x),
                               x, line_of(y), y);
    }
    return a->print != b->print ? g_strdup_printf("%s: fingerprints differ", what) : NULL;
}

/* Two benches, which are used up, and one of which never sleeps. With other parameters both may fail, with the same words. */
static char *asleep_and_awake(Bench *a, Bench *b, uint32_t seed, bool others)
{
    if (!b->dead) {
        ww_machine_set_no_sleep(ww_harness_machine(b->h), true);
    }
    Trail x = conform_trail(a, seed), y = conform_trail(b, seed);
    bool fail_alike = others && x.wrong != NULL && g_strcmp0(x.wrong, y.wrong) == 0;
    char *why = fail_alike ? NULL : conform_compare("sleeping and never sleeping", &x, &y);
    conform_trail_clear(&x);
    conform_trail_clear(&y);
    conform_free(a);
    conform_free(b);
    return why;
}

enum { OTHERS = 4, TRIES = 30 }; /* Runs with other parameters; draws of those. */

/* The same with other parameters. */
static char *with_others(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    char *why = NULL;
    g_autoptr(GRand) random = g_rand_new_with_seed(seed);
    for (uint32_t n = 0, tries = 0; n < OTHERS && tries < TRIES && why == NULL; tries++) {
        g_autofree char *params = conform_params(type, random);
        g_autoptr(GError) error = NULL;
        Bench *a = *params != '\0' ? conform_new(registry, type, params, ALL_NEEDS, &error) : NULL;
        if (a != NULL) {
            Bench *b = conform_new(registry, type, params, ALL_NEEDS, NULL);
            g_autofree char *what = asleep_and_awake(a, b, seed + n++, true);
            why = what != NULL ? g_strdup_printf("with %s: %s", params, what) : NULL;
        }
    }
    return why;
}

char *check_no_sleep(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    char *why = NULL;
    for (uint32_t n = 1; n <= 3 && why == NULL; n++) {
        Needs needs = n == 3 ? BARE : ALL_NEEDS;
        why = asleep_and_awake(conform_new(registry, type, NULL, needs, NULL),
                               conform_new(registry, type, NULL, needs, NULL), seed_of(seed, n),
                               false);
    }
    return why != NULL ? why : with_others(registry, type, seed_of(seed, 40));
}

static WwConformanceElsewhere elsewhere;

void ww_conformance_elsewhere(WwConformanceElsewhere fn)
{
    elsewhere = fn;
}

enum { SAME = 5 };

static char *trail_text(const Trail *t)
{
    return g_strdup_printf("%s%sfingerprint %" G_GINT64_MODIFIER "x\n%s", t->log, t->stats,
                           t->print, t->wrong != NULL ? t->wrong : "");
}

char *ww_conformance_run(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    Trail t = conform_trail(b, seed_of(seed, SAME));
    char *text = trail_text(&t);
    conform_trail_clear(&t);
    conform_free(b);
    return text;
}

/* What a type does follows from nothing that another process has otherwise. */
static char *compare_elsewhere(const WwType *type, uint32_t seed, const Trail *here)
{
    char *why = NULL;
    g_autofree char *text = trail_text(here);
    for (uint32_t n = 0; elsewhere != NULL && why == NULL; n++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *other = elsewhere(type, seed, n, &error);
        const char *x, *y = NULL;
        if (other == NULL) {
            return error != NULL ? g_strdup(error->message) : NULL;
        }
        if ((x = difference(text, other, &y)) != NULL) {
            why = g_strdup_printf("two processes differ, first '%.*s' and '%.*s'; expected nothing "
                                  "to follow from addresses, the environment or the process",
                                  line_of(x), x, line_of(y), y);
        }
    }
    return why;
}

char *check_same_seed(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *a = conform_new(registry, type, NULL, ALL_NEEDS, NULL),
          *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    Trail x = conform_trail(a, seed_of(seed, SAME)), y = conform_trail(b, seed_of(seed, SAME));
    char *why = conform_compare("two runs of one seed", &x, &y);
    if (why == NULL) {
        why = compare_elsewhere(type, seed, &x);
    }
    conform_trail_clear(&x);
    conform_trail_clear(&y);
    conform_free(a);
    conform_free(b);
    return why;
}

/* A reset in the middle of something else leaves nothing of it. */
char *check_reset(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *a = conform_new(registry, type, NULL, ALL_NEEDS, NULL),
          *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    Trail x = conform_trail(a, seed_of(seed, 7));
    if (!b->dead) {
        ww_machine_set_fingerprint(ww_harness_machine(b->h), true);
    }
    conform_begin(b, seed_of(seed, 8));
    conform_reset(b);
    Trail y = conform_trail(b, seed_of(seed, 7));
    char *why = conform_compare("new and reset", &x, &y);
    conform_trail_clear(&x);
    conform_trail_clear(&y);
    conform_free(a);
    conform_free(b);
    return why;
}
