/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One bench for every type: each port gets a peer (generators at IN ports, readers that are ready at random at OUT ports, fake providers at
 * needs, random callers at what it provides), from the tokens, checkers, fakes and drivers of the contracts. What it does is drawn from a seed.
 */
#pragma once

#include <testing/conformance.h>
#include <testing/drive.h>

/* Are needs filled, too, that need not be? */
typedef enum Needs { ALL_NEEDS, BARE } Needs;

typedef struct Moving Moving;

typedef struct Bench {
    WwHarness *h;
    const WwRegistry *registry;
    const WwType *type;
    char *params;
    Needs needs;
    bool apart;          /* In partitions, where windows are. */
    Moving *moving;      /* Its machine is saved and restored now and then; NULL: it is not. */
    GPtrArray *in, *out; /* port names with element */
    GArray *in_rows;     /* int, beside `in` */
    GHashTable *held;    /* token -> how often inside, while conservation is counted */
    uint64_t inside;     /* Of `held`, how many in all. */
    GHashTable *fed;     /* token -> WwMemReq as it went in */
    GPtrArray *drives;   /* WwDrive: callers of what it provides */
    GString *log;        /* tick, port, token key: what came out, when; what was answered */
    GRand *random;
    uint64_t made;
    char *wrong;
    bool dead; /* It did not start, though the same did before: that is wrong, and nothing runs. */
} Bench;

/* bench.c */
/* Without @p error it is known to start: one that does not, is dead. */
Bench *conform_new(const WwRegistry *registry, const WwType *type, const char *params, Needs needs,
                   GError **error);
/* The same with ends of other partitions. */
Bench *conform_new_apart(const WwRegistry *registry, const WwType *type, const char *params,
                         Needs needs, GError **error);
void conform_free(Bench *b);
/* A new machine for a bench whose last one is gone. */
void conform_rebuild(Bench *b);
/* Other values for some of its parameters, as text for conform_new(), which may refuse them. */
char *conform_params(const WwType *type, GRand *random);
/** A check of a type with such parameters (NULL: defaults) and needs; what is wrong, newly allocated, or NULL. */
typedef char *(*ConformFn)(const WwRegistry *registry, const WwType *type, const char *params,
                           Needs needs, uint32_t seed);
/** Runs @p check with the defaults, all needs filled and bare, then with two drawn sets of parameters; seeds from @p salt on. */
char *conform_variously(const WwRegistry *registry, const WwType *type, ConformFn check,
                        uint32_t seed, uint32_t salt);
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
/* A token for the @p i-th of the ports where tokens come in. */
WwToken conform_token(Bench *b, uint32_t i);
/* One came out; false: it is not as it may be. */
bool conform_came(Bench *b, const char *port, WwCycle at, int slot, WwToken t);
/* Calls. */
void conform_drive(Bench *b);
/* What has to follow; is there more to do? */
bool conform_serve(Bench *b);
/* Takes what has come out, all of it or as much as a reader likes. */
void conform_collect(Bench *b, bool everything);

/* others.c */
/* From now on, up to a reset, others use what the fakes offer, as it follows from @p seed. */
void conform_others(Bench *b, uint32_t seed);

/* answers.c */
/* A token just made for port @p row says whether it is an answer. */
void conform_as_it_comes(const WwPortRow *row, WwToken t);
/* It goes in as it is now. */
void conform_fed(Bench *b, const WwPortRow *row, WwToken t);
/* It comes out: as it went in, at the right port? */
void conform_check_answer(Bench *b, const char *port, const WwPortRow *row, WwToken t);

/* saved.c */
/* From now on its machine is saved and restored in ticks that follow from a seed; or looked into for what cannot be saved. False: not here. */
bool conform_moves(Bench *b, uint32_t seed, bool looks);
void conform_moves_end(Bench *b);
/* After each tick; @p later: nothing more goes in. */
void conform_perhaps_move(Bench *b, bool later);

/* compare.c */
/* What a run leaves: all that came out and when, answers, statistics, the fingerprint. */
typedef struct Trail {
    char *log, *stats;
    uint64_t print;
    char *wrong;
} Trail;

Trail conform_trail(Bench *b, uint32_t seed);
void conform_trail_clear(Trail *t);
/* How they differ, newly allocated, or NULL. */
char *conform_compare(const char *what, const Trail *a, const Trail *b);

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
char *check_windows(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_events(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_memory(const WwRegistry *registry, const WwType *type, uint32_t seed);
char *check_saved(const WwRegistry *registry, const WwType *type, uint32_t seed);
