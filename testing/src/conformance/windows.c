/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench of partitions: the component and what fills its needs are one, each end of its fifos is another, and somebody else is
 * always busy. Those outside act every so many ticks, drawn; in between it runs in windows, or tick by tick.
 *
 *     |--- drawn ---|- drawn -|------- drawn -------|      tokens come and go at the ends in all of them
 */
#include "conformance-priv.h"

#include <stdlib.h>
#include <string.h>

enum { TRAFFIC = 900, LONGEST = 48, DRAIN = 2000, SLOW = 60000 };

/* What is to come in until @p end. */
static void feed(Bench *b, WwCycle end)
{
    for (uint32_t i = 0; i < b->in->len; i++) {
        const char *port = g_ptr_array_index(b->in, i);
        for (WwCycle at = ww_harness_now(b->h); at < end; at++) {
            if (g_rand_int_range(b->random, 0, 3) == 0) {
                continue;
            }
            ww_harness_put_at(b->h, port, at, -1, conform_token(b, i));
            b->made++;
        }
    }
}

static void collect(Bench *b)
{
    for (uint32_t i = 0; i < b->out->len; i++) {
        const char *port = g_ptr_array_index(b->out, i);
        WwToken t;
        WwCycle at;
        int slot;
        while (ww_harness_was_taken(b->h, port, &at, &slot, &t)) {
            conform_came(b, port, at, slot, t);
        }
    }
}

static void run(Bench *b, uint32_t ticks, bool more)
{
    for (uint32_t spent = 0, n; spent < ticks && !conform_failed(b); spent += n) {
        n = (uint32_t)g_rand_int_range(b->random, 1, LONGEST);
        if (more) {
            feed(b, ww_harness_now(b->h) + n);
            conform_drive(b);
        }
        bool busy = conform_serve(b);
        ww_harness_step(b->h, n);
        collect(b);
        if (!more && spent > DRAIN && !busy && ww_harness_asleep(b->h)) {
            return;
        }
    }
}

static Trail trail_of(Bench *b, uint32_t seed, bool windows)
{
    if (b->dead) {
        return conform_trail(b, seed);
    }
    WwMachine *m = ww_harness_machine(b->h);
    ww_machine_set_windows(m, windows);
    ww_machine_set_fingerprint(m, true);
    g_rand_set_seed(b->random, seed);
    conform_others(b, seed);
    for (uint32_t i = 0; i < b->out->len; i++) {
        ww_harness_read(b->h, g_ptr_array_index(b->out, i), seed + i);
    }
    run(b, TRAFFIC, true);
    run(b, SLOW, false);
    return (Trail){g_strdup(b->log->str), conform_statistics(b), ww_machine_fingerprint(m),
                   g_strdup(b->wrong)};
}

/* The same in windows and tick by tick. With other parameters, which it may refuse, both may fail, with the same words. */
static char *both_ways(const WwRegistry *registry, const WwType *type, const char *params,
                       Needs needs, uint32_t seed)
{
    g_autoptr(GError) error = NULL;
    Bench *a = conform_new_apart(registry, type, params, needs, &error);
    if (a == NULL) {
        return params != NULL ? NULL : g_strdup_printf("in partitions: %s", error->message);
    }
    Trail x = trail_of(a, seed, true);
    conform_free(a);
    Bench *b = conform_new_apart(registry, type, params, needs, NULL);
    Trail y = trail_of(b, seed, false);
    conform_free(b);
    bool fail_alike = params != NULL && x.wrong != NULL && g_strcmp0(x.wrong, y.wrong) == 0;
    char *why = fail_alike ? NULL : conform_compare("in windows and tick by tick", &x, &y);
    conform_trail_clear(&x);
    conform_trail_clear(&y);
    return why;
}

char *check_windows(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    return conform_variously(registry, type, both_ways, seed, 71);
}

char *ww_conformance_no_windows(const WwRegistry *registry, const WwType *type)
{
    g_autoptr(GError) error = NULL;
    Bench *b = conform_new_apart(registry, type, NULL, ALL_NEEDS, &error);
    if (b == NULL) {
        return g_strdup(error->message);
    }
    WwMachine *m = ww_harness_machine(b->h);
    Trail t = trail_of(b, seed_of(0, 71), true);
    conform_trail_clear(&t);
    char *why = NULL, *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    ww_machine_print_partitions(m, out);
    fclose(out);
    const char *no = strstr(text, "no windows: ");
    if (no != NULL) {
        why = g_strndup(no + strlen("no windows: "), strcspn(no, "\n") - strlen("no windows: "));
    } else if (ww_machine_window_ticks(m) == 0) {
        why = g_strdup("what it says of the ticks ahead leaves none");
    }
    free(text);
    conform_free(b);
    return why;
}
