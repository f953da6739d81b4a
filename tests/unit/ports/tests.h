/* SPDX-License-Identifier: Apache-2.0 */
/** @file A machine of two or three hands and a channel between them. */
#pragma once

#include <ports/fifo.h>
#include <ports/register_set.h>
#include <ports/tokens.h>
#include <ports/wire.h>
#include <testing/testing.h>
#include <warpwright/machine.h>

/** A component that does what the test says, in its turn: "hand.CONTRACT_in", "hand.CONTRACT_out". */
typedef struct Hand {
    WwComponent base;
    WwPort port;
    void (*act)(struct Hand *hand); /* NULL: nothing */
    uint64_t data, seen;            /* the test's own */
    uint64_t runs;                  /* how often it had its turn */
} Hand;

enum { BENCH_MOST = 72 };

/** Writers and readers of one channel, in the order in which they were added. */
typedef struct Bench {
    WwMachine *m;
    WwComponent *channel;
    Hand *writer[BENCH_MOST], *reader[BENCH_MOST];
    uint32_t n_writers, n_readers;
} Bench;

/** Channel @p type with @p params ("a=1 b=2"), hands for @p contract; not sealed. */
Bench *bench_new(const char *type, const char *params, const char *contract, uint32_t writers,
                 uint32_t readers);
/** The same, sealed. */
Bench *bench_open(const char *type, const char *params, const char *contract, uint32_t writers,
                  uint32_t readers);
void bench_step(Bench *b, uint64_t ticks);
/** Turns of a hand since the last question. */
uint64_t bench_runs(Hand *hand);
/** Asserts how full the channel is: tokens, places, of how many. */
void bench_fill(const Bench *b, uint32_t tokens, uint32_t used, uint32_t capacity);
void bench_free(Bench *b);
/** Seals; the error must contain @p part. Frees the bench. */
void bench_refused(Bench *b, const char *part);

void add_register_tests(void);
void add_fifo_tests(void);
void add_log_tests(void);
void add_span_tests(void);
void add_lag_tests(void);
void add_hash_tests(void);
void add_wire_tests(void);
void add_payload_tests(void);
void add_said_tests(void);
void add_contract_tests(void);
void add_packed_tests(void);
