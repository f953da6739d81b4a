/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what a type provides: answers are as its contracts promise, and as they say when partitions share it. */
#include "conformance-priv.h"

#include <string.h>
#include <warpwright/component.h>

/* ---- promises --------------------------------------------------------------------------------------------------- */

enum {
    OTHERS = 8,
    TRIES = 60
}; /* Runs with other parameters; draws of those, of which init refuses some. */

/* What breaks a promise is said; that a program and such parameters do not go together is none. */
static char *kept(Bench *b, uint32_t seed, const char *params)
{
    if (b->drives->len == 0) {
        return g_strdup(b->wrong); /* it may be dead */
    }
    conform_traffic(b, seed);
    if (b->wrong == NULL || params == NULL) {
        return g_strdup(b->wrong);
    }
    return ww_machine_error(ww_harness_machine(b->h)) != NULL
               ? NULL
               : g_strdup_printf("with %s: %s", params, b->wrong);
}

/* Calls keep what their contracts promise, with the parameters of the type and with others. */
char *check_promises(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    char *why = NULL;
    for (uint32_t n = 21; n <= 23 && why == NULL; n++) {
        Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
        why = kept(b, seed_of(seed, n), NULL);
        conform_free(b);
    }
    g_autoptr(GRand) random = g_rand_new_with_seed(seed_of(seed, 24));
    for (uint32_t n = 0, tries = 0; n < OTHERS && tries < TRIES && why == NULL; tries++) {
        g_autofree char *params = conform_params(type, random);
        g_autoptr(GError) error = NULL;
        Bench *b = *params != '\0'
                       ? conform_new(registry, type, params, n % 2 == 0 ? ALL_NEEDS : BARE, &error)
                       : NULL;
        if (b != NULL) {
            why = kept(b, seed_of(seed, 25 + n++), params);
            conform_free(b);
        }
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
    conform_driver(b, d)->call(d, seed);
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
        conform_driver(b, d)->call(d, i);
        conform_driver(b, e)->call(e, CALLS - 1 - i);
    }
    ww_harness_step(b->h, 1000);
    ww_harness_step(other->h, 1000);
    g_autofree char *x = conform_statistics(b);
    g_autofree char *y = conform_statistics(other);
    return strcmp(x, y) == 0 ? NULL
                             : g_strdup_printf("port %s: sums depend on the order of calls, which "
                                               "its contract says they do not "
                                               "(reduce):\n%s---\n%s",
                                               d->port, x, y);
}

/* What a contract says of partitions that share a provider is so. */
char *check_sharing(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL),
          *other = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    char *why = g_strdup(b->dead ? b->wrong : other->wrong);
    for (uint32_t i = 0; i < b->drives->len && why == NULL; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i), *e = g_ptr_array_index(other->drives, i);
        WwSharing kind = type->ports[ww_type_port(type, d->port)].contract->sharing;
        if (conform_driver(b, d)->call == NULL || ((WwComponent *)d->self)->exclusive) {
            continue;
        }
        why = kind == WW_PURE     ? is_pure(b, d, other, e)
              : kind == WW_REDUCE ? is_reduce(b, d, other, e)
                                  : NULL;
    }
    conform_free(b);
    conform_free(other);
    return why;
}
