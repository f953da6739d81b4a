/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Random callers of interface contracts: what a payload's make() is for a channel. A driver calls a provider as its contract allows, compares
 * the answers with what the contract promises, and writes them down, so that two runs can be compared.
 */
#pragma once

#include <warpwright/harness.h>
#include <warpwright/type.h>

/** A provider under test, on a harness. */
typedef struct WwDrive {
    WwHarness *h;
    const char *port;  /**< Its PROVIDES port, */
    const void *table; /**< with these functions, */
    void *self;        /**< of this component. */
    GRand *random;     /**< What is called is drawn from here alone. */
    void *state;       /**< The driver's: WwDriver.state bytes, 0 at power-on. */
    GString *log;      /**< See ww_drive_say(). */
    uint64_t
        inside; /**< Tokens that went in and have not come out; counted where the bench takes them itself, else 0. */
    uint64_t held; /**< Those of them that are in no channel of its ports. */
    char *wrong;   /**< The first broken promise, or NULL. */
} WwDrive;

/** How providers of one contract are called, and what is asked of their answers. */
typedef struct WwDriver {
    const WwContract *contract;
    const char *promises; /**< What is checked, in a sentence. */
    size_t state;
    /** A few calls, between two ticks. */
    void (*drive)(WwDrive *d);
    /** After it, and in each tick in which nothing more is asked for: gives the provider what it waits for, takes what it has. Has it more to do? */
    bool (*serve)(WwDrive *d);
    /** @p token came out of the component at its OUT port @p row; it is this driver's to answer if that is what its contract is about. */
    void (*came)(WwDrive *d, const WwPortRow *row, WwToken token);
    /** Nothing was called and all that came out was taken for a long time; NULL: nothing is promised then. */
    void (*rest)(WwDrive *d);
    /**
     * One call that follows from @p seed alone, for contracts that are pure or reduce: made in different orders, calls have the same answers (pure) and
     * leave the same sums (reduce). Writes its answer.
     */
    void (*call)(WwDrive *d, uint32_t seed);
} WwDriver;

/** All drivers: the @p i-th of ww_n_drivers(). */
WW_API const WwDriver *ww_driver(uint32_t i);
/** How many drivers there are. */
WW_API uint32_t ww_n_drivers(void);
/** The driver of a contract, or NULL. */
WW_API const WwDriver *ww_driver_of(const WwContract *contract);

/** Says that a promise is broken; the first counts. */
WW_API void ww_drive_wrong(WwDrive *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/** Writes down what was answered. */
WW_API void ww_drive_say(WwDrive *d, const char *format, ...) G_GNUC_PRINTF(2, 3);
/**
 * State of the @p i-th fake of type @p fake that fills a need of the component, to be told what to do; NULL: there is none (a need may be filled
 * by something real).
 */
WW_API void *ww_drive_fake(const WwDrive *d, const WwType *fake, uint32_t i);
/** Is @p type a network, which brings a request to OUT port number `at.slice` and a response to number `cluster`: one that passes on requests and provides `activity`? */
WW_API bool ww_drive_is_network(const WwType *type);
/** A number from 0 to @p n - 1. */
WW_API uint32_t ww_drive_draw(WwDrive *d, uint32_t n);
