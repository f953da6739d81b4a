/* SPDX-License-Identifier: Apache-2.0 */
/* Random traffic on a bench: tokens in, tokens out, calls. */
#include "conformance-priv.h"

#include <ports/tokens.h>
#include <string.h>

enum {
    TRAFFIC = 600,
    DRAIN = 3000, /* Ticks in which all comes out, */
    SLOW = 60000, /* and at most, while it does not sleep. */
    BEGUN = 150
};

static const WwPayload *payload_of(const Bench *b, const char *port)
{
    const WwPayload *p = conform_row(b, port)->contract->payload;
    return p != NULL ? p
                     : &ww_payload_number; /* a port that carries anything carries numbers here */
}

static int64_t held(const Bench *b, WwToken t)
{
    return (int64_t)(intptr_t)g_hash_table_lookup(b->held, (gpointer)(uintptr_t)t);
}

static void hold(Bench *b, WwToken t, int64_t by)
{
    int64_t before = held(b, t), now = before + by;
    b->inside += (uint64_t)(MAX(now, 0) - MAX(before, 0));
    g_hash_table_insert(b->held, (gpointer)(uintptr_t)t, (gpointer)(intptr_t)now);
}

WwToken conform_token(Bench *b, uint32_t i)
{
    const WwPortRow *row = &b->type->ports[g_array_index(b->in_rows, int, i)];
    WwToken t = payload_of(b, g_ptr_array_index(b->in, i))->make(b->h, b->random, b->made);
    conform_as_it_comes(row, t);
    if (b->type->adapt != NULL) {
        b->type->adapt(ww_harness_self(b->h), row, t, b->random);
    }
    conform_fed(b, row, t);
    return t;
}

static void feed(Bench *b)
{
    for (uint32_t i = 0; i < b->in->len; i++) {
        if (g_rand_int_range(b->random, 0, 3) == 0) {
            continue;
        }
        WwToken t = conform_token(b, i);
        if (ww_harness_put(b->h, g_ptr_array_index(b->in, i), -1, t)) {
            b->made++;
            hold(b, t, 1);
        }
    }
}

static void tell(Bench *b, const WwPortRow *row, WwToken token)
{
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        if (conform_driver(b, d)->came != NULL) {
            conform_driver(b, d)->came(d, row, token);
        }
    }
}

bool conform_came(Bench *b, const char *port, WwCycle at, int slot, WwToken t)
{
    g_autoptr(GError) error = NULL;
    const WwPayload *p = payload_of(b, port);
    if (!p->check(t, &error)) {
        conform_wrong(b, "port %s: %s", port, error->message);
        return false;
    }
    g_string_append_printf(b->log, "%" G_GUINT64_FORMAT " %s %d %" G_GINT64_MODIFIER "x\n", at,
                           port, slot, p->key(t));
    tell(b, conform_row(b, port), t);
    conform_check_answer(b, port, conform_row(b, port), t);
    return true;
}

void conform_collect(Bench *b, bool everything)
{
    for (uint32_t i = 0; i < b->out->len; i++) {
        const char *port = g_ptr_array_index(b->out, i);
        WwToken t;
        int slot;
        while ((everything || g_rand_boolean(b->random)) &&
               ww_harness_take(b->h, port, &slot, &t)) {
            if (!conform_came(b, port, ww_harness_now(b->h), slot, t)) {
                return;
            }
            if (b->type->conserves == WW_CONSERVES_ONE && held(b, t) <= 0) {
                conform_wrong(
                    b, "port %s: a token came out that was not inside (invented or doubled)", port);
                return;
            }
            hold(b, t, -1);
            if (strcmp(b->type->ports[0].contract->name, "level") == 0) {
                break; /* a level can be read for ever */
            }
        }
    }
}

static void hear(Bench *b, const WwDrive *d)
{
    if (d->wrong != NULL) {
        conform_wrong(b, "%s", d->wrong);
    }
}

/* Tokens in the channels of the ports. */
static uint64_t at_ports(const Bench *b)
{
    uint64_t n = 0;
    for (uint32_t i = 0; i < b->in->len; i++) {
        n += ww_harness_count(b->h, g_ptr_array_index(b->in, i));
    }
    for (uint32_t i = 0; i < b->out->len; i++) {
        n += ww_harness_count(b->h, g_ptr_array_index(b->out, i));
    }
    return n;
}

void conform_drive(Bench *b)
{
    uint64_t outside = b->inside != 0 && b->drives->len != 0 ? at_ports(b) : 0;
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        d->inside = b->inside;
        d->held = b->inside - MIN(b->inside, outside);
        if (d->wrong == NULL) {
            conform_driver(b, d)->drive(d);
        }
        hear(b, d);
    }
}

bool conform_serve(Bench *b)
{
    bool more = false;
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        if (conform_driver(b, d)->serve != NULL && d->wrong == NULL) {
            more |= conform_driver(b, d)->serve(d);
        }
        hear(b, d);
    }
    return more;
}

static void rest(Bench *b)
{
    for (uint32_t i = 0; i < b->drives->len; i++) {
        WwDrive *d = g_ptr_array_index(b->drives, i);
        d->inside = b->inside;
        if (conform_driver(b, d)->rest != NULL && d->wrong == NULL) {
            conform_driver(b, d)->rest(d);
        }
        hear(b, d);
    }
}

static void run(Bench *b, uint32_t seed, int ticks)
{
    g_rand_set_seed(b->random, seed);
    conform_others(b, seed);
    for (int i = 0; i < ticks && !conform_failed(b); i++) {
        feed(b);
        conform_drive(b);
        conform_serve(b);
        ww_harness_step(b->h, 1);
        conform_collect(b, false);
        conform_perhaps_move(b, false);
    }
}

void conform_begin(Bench *b, uint32_t seed)
{
    run(b, seed, BEGUN);
}

void conform_traffic(Bench *b, uint32_t seed)
{
    run(b, seed, TRAFFIC);
    bool more = true;
    for (int i = 0; (i < DRAIN || (i < SLOW && more)) && !conform_failed(b); i++) {
        more = conform_serve(b);
        ww_harness_step(b->h, 1);
        more |= !ww_harness_asleep(b->h);
        conform_collect(b, true);
        conform_perhaps_move(b, true);
    }
    if (!conform_failed(b)) {
        rest(b);
    }
}
