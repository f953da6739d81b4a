/* SPDX-License-Identifier: Apache-2.0 */
/** @file `warpwright bench`: one component alone, its ports driven by a script or by random traffic. */
#pragma once

#include "cli-priv.h"

#include <testing/testing.h>

/** A token that came out. */
typedef struct BenchArrival {
    WwToken token;
    WwCycle cycle; /**< In which the component put it. */
    int slot;      /**< Register of a register_set. */
} BenchArrival;

/** A channel port of the component. */
typedef struct BenchPort {
    char *name; /**< "in", "spec[2]" */
    int row;
    const WwPortRow *port;
    const WwPayload *payload;
    bool out, held; /**< Held: nobody takes what comes out. */
    bool level;     /**< A signal: only changes come out. */
    WwToken last;   /**< Level seen last. */
    uint64_t taken;
    GQueue cycles;  /**< When tokens that nobody took yet came out: cycle + 1 as a pointer. */
    GQueue arrived; /**< BenchArrival, not expected yet. */
} BenchPort;

typedef struct Bench {
    CliSetup setup;
    char *cycles_text, *seed_text; /**< As given; NULL: they were not. */
    uint64_t cycles, seed;         /**< Of random traffic. */
    gboolean no_sleep, all;
    const WwType *type;
    WwHarness *h;
    GPtrArray *ports;  /**< BenchPort */
    uint32_t *filled;  /**< By row: how many of a REQUIRES port the script filled. */
    GHashTable *named; /**< Name -> uint64_t *: tokens that the script made. */
    GRand *random;
    uint64_t made; /**< Tokens made so far. */
    bool started;
    const char *file; /**< The script, and the line being carried out. */
    uint32_t line;
    bool stopped;   /**< The error is about what the component did, not about the script. */
    uint64_t shown; /**< Tokens printed. */
    double host_s;
} Bench;

/* ---- the component (bench.c) ------------------------------------------------------------------------------------ */

/** Binds what is not bound yet, and begins. */
bool bench_start(Bench *b, GError **error);
/** Binds a channel to port @p name, made with @p params (NULL: defaults). */
bool bench_channel(Bench *b, const char *name, const char *params, GError **error);
/** Fills REQUIRES port @p name. */
bool bench_fill(Bench *b, const char *name, const char *type, const char *params, GError **error);
/** Are these "name=value ..." parameters of @p type? */
bool bench_check_params(const WwType *type, const char *params, GError **error);
/** One cycle; then takes what came out, where the port is not held. */
bool bench_step(Bench *b, GError **error);
/** Takes what waits at a port. */
bool bench_take(Bench *b, BenchPort *port, GError **error);
/** The channel port of that name, or NULL with an error that lists them. */
BenchPort *bench_port(Bench *b, const char *name, bool out, GError **error);
/** Random traffic for @p cycles, then until all came out. */
bool bench_traffic(Bench *b, uint32_t cycles, GError **error);

/* ---- tokens (bench_tokens.c) ------------------------------------------------------------------------------------ */

/** A token for @p port from words such as "42", "random", "op=SP dst=5". */
bool bench_make(Bench *b, const BenchPort *port, char **words, WwToken *out, GError **error);
/** The text of a token, with the name that the script gave it; newly allocated. */
char *bench_text(const Bench *b, const BenchPort *port, WwToken token);
/** Is @p token what @p word says: a name, a number, or part of its text? */
bool bench_is(const Bench *b, const BenchPort *port, WwToken token, const char *word);

/* ---- scripts (bench_script.c) ----------------------------------------------------------------------------------- */

/** Carries out a script; the error names file and line. */
bool bench_script(Bench *b, const char *file, GError **error);
/** What `--help` says about scripts. */
extern const char bench_script_help[];
