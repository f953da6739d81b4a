/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bench for every type: each port gets a peer (generators at IN ports, readers that are ready at random at OUT ports, fake providers at
 * needs, random callers at what it provides), from the tokens, checkers, fakes and drivers of the contracts. What it does is drawn from a seed.
 */
#pragma once

#include <testing/conformance.h>
#include <testing/drive.h>

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

/* Are needs filled, too, that need not be? */
typedef enum Needs { ALL_NEEDS, BARE } Needs;

/* bench.c */
Bench *conform_new(const WwRegistry *registry, const WwType *type, const char *params, Needs needs,
                   GError **error);
void conform_free(Bench *b);
/* Other values for some of its parameters, as text for conform_new(), which may refuse them. */
char *conform_params(const WwType *type, GRand *random);
/* Back to power-on: what it did and said is forgotten. */
void conform_reset(Bench *b);
const WwPortRow *conform_row(const Bench *b, const char *port);
const WwDriver *conform_driver(const Bench *b, const WwDrive *d);
void conform_wrong(Bench *b, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* Has it ended, or broken a promise? */
bool conform_failed(Bench *b);
/* All of them, as text. */
char *conform_statistics(Bench *b);

/* traffic.c */
/* The same stimulus for the same seed, whatever the component does with its time. */
void conform_traffic(Bench *b, uint32_t seed);
/* As it begins, and is left in the middle. */
void conform_begin(Bench *b, uint32_t seed);
/* Takes what has come out, all of it or as much as a reader likes. */
void conform_collect(Bench *b, bool everything);

/* Of the runs that one seed stands for the n-th. */
static inline uint32_t seed_of(uint32_t seed, uint32_t n)
{
    return seed * 1000 + n;
}

/* The checks that are runs: each is a WwConformanceFn. */
char *check_idle(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_conservation(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_promises(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_sharing(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_no_sleep(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_same_seed(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_reset(const WwRegistry *registry, const WwType *type, uint32_t seed);
