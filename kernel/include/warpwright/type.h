/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The descriptor of a component type: parameters, ports, statistics, entry points, functions.
 *
 * A type is one static WwType at the end of one file. Everything that `warpwright inspect`, the checks, the manual and the
 * defaults say comes from its rows; each row is `{ .name = ..., ... }` and each array ends with `{ 0 }`.
 * Offsets are checked against the field's C type when the descriptor compiles.
 */
#pragma once

#include <warpwright/event_log.h>

/** A machine, and all that was built into it: warpwright/machine.h. */
typedef struct WwMachine WwMachine;
typedef struct WwComponent WwComponent;
/** Collects who waits for what, and who holds it: what `explain` of a type gives to ww_explain_*. */
typedef struct WwExplain WwExplain;
typedef struct WwDomain WwDomain;
typedef struct WwPort WwPort;
typedef struct WwProvided WwProvided;

/* ---- parameters ------------------------------------------------------------------------------------------------- */

/** What a parameter is in C, and how it is written. */
typedef enum WwParamKind {
    WW_PARAM_BOOL,   /**< `bool`; written true / false (yes/no, on/off, 1/0 accepted). */
    WW_PARAM_UINT,   /**< `uint32_t` */
    WW_PARAM_U64,    /**< `uint64_t` */
    WW_PARAM_REAL,   /**< `double` */
    WW_PARAM_STRING, /**< `const char *`, owned by the machine. */
    WW_PARAM_CHOICE, /**< `uint32_t`, the index in `choices`. */
    WW_PARAM_LIST,   /**< `WwList` of uint32_t; written [1, 2, 3]. */
} WwParamKind;

/** A list of numbers; @c v is owned by the machine. */
typedef struct WwList {
    uint32_t n;
    const uint32_t *v;
} WwList;

/** A value on its way into a parameter. */
typedef struct WwValue {
    WwParamKind kind;
    union {
        bool b;
        uint64_t u; /**< UINT, U64, CHOICE */
        double r;
        const char *s;
        WwList list;
    };
} WwValue;

/**
 * One parameter. @c unit is "" or one of: "cycles", "bytes" (accepts B, KiB, MiB, GiB), "Hz" (kHz, MHz, GHz), "entries",
 * "%" - a suffix in a text must fit it. A UINT, U64 or REAL value must lie in min..max; each entry of a LIST too.
 */
typedef struct WwParamRow {
    const char *name;
    WwParamKind kind;
    const char *unit;
    const char *def;            /**< Default as text; NULL: the platform must give a value. */
    double min, max;            /**< Inclusive; max 0 with min 0: the whole range of the kind. */
    const char *const *choices; /**< CHOICE: NULL-terminated names. */
    const char *doc;
    size_t offset;
} WwParamRow;

/** A parameter that a type had once: texts that still name it are told where the fact is now. */
typedef struct WwGoneRow {
    const char *name;
    const char *now; /**< "as many as the warp pool has (sm.warps)": ends the message. */
} WwGoneRow;

/** Compile-time check that field @p f of @p T has C type @p C; evaluates to its offset. */
#define WW_FIELD(T, f, C)                                                                          \
    (offsetof(T, f) +                                                                              \
     0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)0)->f), C) ? 1 : -1]))

/** The offset of array @p f in @p T; does not compile unless its elements are of C type @p C. */
#define WW_ELEMENTS(T, f, C)                                                                       \
    (offsetof(T, f) +                                                                              \
     0 * sizeof(char[__builtin_types_compatible_p(__typeof__(((T *)0)->f[0]), C) ? 1 : -1]))

/** Field @p f of state @p T is parameter @p name_. A default is text; NULL: a platform gives the value. */
#define WW_BOOL_AT(T, f, name_, default_, doc_)                                                    \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_BOOL, .unit = "", .def = default_, .doc = doc_,            \
        .offset = WW_FIELD(T, f, bool)                                                             \
    }
#define WW_UINT_AT(T, f, name_, unit_, default_, min_, max_, doc_)                                 \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_UINT, .unit = unit_, .def = default_, .min = min_,         \
        .max = max_, .doc = doc_, .offset = WW_FIELD(T, f, uint32_t)                               \
    }
#define WW_U64_AT(T, f, name_, unit_, default_, min_, max_, doc_)                                  \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_U64, .unit = unit_, .def = default_, .min = min_,          \
        .max = max_, .doc = doc_, .offset = WW_FIELD(T, f, uint64_t)                               \
    }
#define WW_REAL_AT(T, f, name_, unit_, default_, min_, max_, doc_)                                 \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_REAL, .unit = unit_, .def = default_, .min = min_,         \
        .max = max_, .doc = doc_, .offset = WW_FIELD(T, f, double)                                 \
    }
#define WW_STRING_AT(T, f, name_, default_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_STRING, .unit = "", .def = default_, .doc = doc_,          \
        .offset = WW_FIELD(T, f, const char *)                                                     \
    }
#define WW_CHOICE_AT(T, f, name_, default_, choices_, doc_)                                        \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_CHOICE, .unit = "", .def = default_, .choices = choices_,  \
        .doc = doc_, .offset = WW_FIELD(T, f, uint32_t)                                            \
    }
#define WW_LIST_AT(T, f, name_, unit_, default_, min_, max_, doc_)                                 \
    {                                                                                              \
        .name = name_, .kind = WW_PARAM_LIST, .unit = unit_, .def = default_, .min = min_,         \
        .max = max_, .doc = doc_, .offset = WW_FIELD(T, f, WwList)                                 \
    }

/** A field of the state is a parameter of its own name. */
#define WW_BOOL(T, f, ...) WW_BOOL_AT(T, f, #f, __VA_ARGS__)
#define WW_UINT(T, f, ...) WW_UINT_AT(T, f, #f, __VA_ARGS__)
#define WW_U64(T, f, ...) WW_U64_AT(T, f, #f, __VA_ARGS__)
#define WW_REAL(T, f, ...) WW_REAL_AT(T, f, #f, __VA_ARGS__)
#define WW_STRING(T, f, ...) WW_STRING_AT(T, f, #f, __VA_ARGS__)
#define WW_CHOICE(T, f, ...) WW_CHOICE_AT(T, f, #f, __VA_ARGS__)
#define WW_LIST(T, f, ...) WW_LIST_AT(T, f, #f, __VA_ARGS__)
/** The same of a field in part @p p of the state. */
#define WW_BOOL_OF(T, p, f, ...) WW_BOOL_AT(T, p.f, #f, __VA_ARGS__)
#define WW_UINT_OF(T, p, f, ...) WW_UINT_AT(T, p.f, #f, __VA_ARGS__)
#define WW_U64_OF(T, p, f, ...) WW_U64_AT(T, p.f, #f, __VA_ARGS__)
#define WW_REAL_OF(T, p, f, ...) WW_REAL_AT(T, p.f, #f, __VA_ARGS__)
#define WW_STRING_OF(T, p, f, ...) WW_STRING_AT(T, p.f, #f, __VA_ARGS__)
#define WW_CHOICE_OF(T, p, f, ...) WW_CHOICE_AT(T, p.f, #f, __VA_ARGS__)
#define WW_LIST_OF(T, p, f, ...) WW_LIST_AT(T, p.f, #f, __VA_ARGS__)

/* ---- clocks ----------------------------------------------------------------------------------------------------- */

/**
 * A clock domain that the component counts besides its own: the field is a `WwDomain *`, set before init() to the machine's domain
 * @c name, or to the component's own in a machine that has none of that name.
 */
typedef struct WwClockRow {
    const char *name;
    const char *doc;
    size_t offset;
} WwClockRow;

/** Field @p f of state @p T is the domain @p name_. */
#define WW_CLOCK(T, f, name_, doc_)                                                                \
    {                                                                                              \
        .name = name_, .doc = doc_, .offset = WW_FIELD(T, f, WwDomain *)                           \
    }

/* ---- contracts and ports ---------------------------------------------------------------------------------------- */

/** What a channel carries: by handle (a pointer, or a value packed into 64 bits). */
typedef uint64_t WwToken;

/** A test bench for one component: warpwright/harness.h. */
typedef struct WwHarness WwHarness;
/** A part of a machine that may run beside others, with a time of its own in windows: docs/kernel.md#windows. Private to the kernel. */
typedef struct WwPartition WwPartition;

/** Room for what WwPayload.write makes of a token. */
#define WW_TOKEN_TEXT 256u

/** The payload of channel contracts. */
typedef struct WwPayload {
    const char *name;
    uint32_t version;
    /** A number that depends only on what the token means (never on its address): for fingerprints. */
    uint64_t (*key)(WwToken token);
    /** Short text for event logs and errors: at @p at, fewer than WW_TOKEN_TEXT bytes; returns where it ends (warpwright/event_log.h). */
    char *(*write)(char *at, WwToken token);
    /** How a line of an event log keeps it; NULL: as text. */
    const struct WwEventKept *kept;
    /** A valid token, the n-th of a test, drawn from @p random; owned by the harness. */
    WwToken (*make)(WwHarness *harness, GRand *random, uint64_t n);
    /** Protocol checker: is this token one that the contract allows? */
    bool (*check)(WwToken token, GError **error);
} WwPayload;

/** The text of token @p token, which ends with a 0; returns @p text. */
static inline const char *ww_token_text(const WwPayload *payload, WwToken token,
                                        char text[WW_TOKEN_TEXT])
{
    *payload->write(text, token) = '\0';
    return text;
}

/** Is it about tokens that a channel carries, or about functions that are called? */
typedef enum WwContractKind { WW_CHANNEL, WW_INTERFACE } WwContractKind;

/**
 * What callers of different partitions do to each other through an interface. Whatever is said here, a component that keeps more state than its
 * contract allows says so: ww_exclusive().
 */
typedef enum WwSharing {
    WW_EXCLUSIVE, /**< The order of calls matters: partitions that share a provider depend on each other. */
    WW_PURE, /**< Functions read only what is fixed when the machine is sealed, and change nothing. */
    WW_REDUCE, /**< Functions add to sums, maxima and sets, in any order, one of each for every thread (ww_worker()); nobody reads these in the same phase. */
} WwSharing;

/** One function of an interface: its member of the contract's struct of function pointers. */
typedef struct WwFunctionRow {
    const char *name;
    size_t offset;
    const char *without; /**< What a table without it says; NULL: each table has it. */
    const char
        *with; /**< A table that has this one has it, too. NULL: it does not follow from others. */
} WwFunctionRow;

/** Member @p f of struct @p I: it has to be there; @p without_ says what it means that it is not; or what function @p with_ needs it. */
#define WW_FUNCTION(I, f)                                                                          \
    {                                                                                              \
        .name = #f, .offset = offsetof(I, f)                                                       \
    }
#define WW_FUNCTION_OR(I, f, without_)                                                             \
    {                                                                                              \
        .name = #f, .offset = offsetof(I, f), .without = without_                                  \
    }
#define WW_FUNCTION_WITH(I, f, with_)                                                              \
    {                                                                                              \
        .name = #f, .offset = offsetof(I, f), .without = "there is no " #with_, .with = #with_     \
    }

/** What a port may be joined to. Contracts are compared by address; each is a global constant in ports/. */
typedef struct WwContract {
    const char *name;
    const char *doc;
    uint32_t version;
    WwContractKind kind;
    const char
        *channel; /**< WW_CHANNEL: channel type that carries it ("register_set", "fifo", ...). */
    const WwPayload *payload; /**< WW_CHANNEL: what is carried; NULL: anything (a probe's end). */
    const char *const *
        ranks; /**< WW_INTERFACE: caller ranks in the order in which they act; NULL-terminated or NULL. */
    WwSharing sharing; /**< WW_INTERFACE: what callers of different partitions do to each other. */
    bool quiet;        /**< WW_INTERFACE: a provider never wakes its callers. */
    bool aside; /**< WW_INTERFACE: nothing in a model is decided by it, nor by who is bound. */
    const char *fake; /**< WW_INTERFACE: type name of the fake provider that tests use. */
    const WwFunctionRow
        *functions; /**< WW_INTERFACE: what a table has; ends with {0}. NULL: nobody looks. */
} WwContract;

/** What the component does at a port. */
typedef enum WwPortRole {
    WW_IN,  /**< Takes tokens out of a channel. */
    WW_OUT, /**< Puts tokens into a channel. */
    WW_PROVIDES, /**< Offers the functions of an interface; `table` has them; the field is a WwProvided. */
    WW_REQUIRES, /**< Calls an interface. */
} WwPortRole;

/** One port. The field is a WwPort (max 1) or an array WwPort[max] with a uint32_t count field. */
typedef struct WwPortRow {
    const char *name;
    WwPortRole role;
    const WwContract *contract;
    uint16_t min, max; /**< Peers: min 0 is optional. PROVIDES: callers, max 0 is any number. */
    const char *rank;  /**< REQUIRES: this end's rank (see WwContract.ranks); NULL: none. */
    const char *
        entry; /**< Entry point that uses it; NULL: the type's first (or none if it has no entry). */
    const char
        *in_calls; /**< REQUIRES: used only in calls by callers of this rank, never in a turn of
                               the component's own; NULL: in any. */
    bool
        owns; /**< REQUIRES: this end runs the provider's owned step, at a point of its own turn: ww_step(). */
    const void *table; /**< PROVIDES: function table. */
    const char *doc;
    size_t offset;
    size_t count_offset; /**< Where the number of bound peers goes; 0: nowhere. */
} WwPortRow;

/**
 * Field @p f of state @p T is a port of its own name, of contract @p contract_ (a constant's address). @p min_ 0: it may stay unbound, WW_BOUND() asks;
 * 1: it may not. @p rank_: when it calls, one of WwContract.ranks; NULL: none.
 */
#define WW_PORT_IN(T, f, contract_, min_, doc_)                                                    \
    {                                                                                              \
        .name = #f, .role = WW_IN, .contract = contract_, .min = min_, .max = 1, .doc = doc_,      \
        .offset = WW_FIELD(T, f, WwPort)                                                           \
    }
#define WW_PORT_OUT(T, f, contract_, min_, doc_)                                                   \
    {                                                                                              \
        .name = #f, .role = WW_OUT, .contract = contract_, .min = min_, .max = 1, .doc = doc_,     \
        .offset = WW_FIELD(T, f, WwPort)                                                           \
    }
#define WW_PORT_REQUIRES(T, f, contract_, min_, rank_, doc_)                                       \
    {                                                                                              \
        .name = #f, .role = WW_REQUIRES, .contract = contract_, .min = min_, .max = 1,             \
        .rank = rank_, .doc = doc_, .offset = WW_FIELD(T, f, WwPort)                               \
    }
/** A REQUIRES port, without a rank, whose end runs the provider's owned step. */
#define WW_PORT_OWNS(T, f, contract_, min_, doc_)                                                  \
    {                                                                                              \
        .name = #f, .role = WW_REQUIRES, .contract = contract_, .min = min_, .max = 1,             \
        .owns = true, .doc = doc_, .offset = WW_FIELD(T, f, WwPort)                                \
    }
/** Offers the functions of @p table_, the address of the contract's struct of them, to any number of callers. */
#define WW_PORT_PROVIDES(T, f, contract_, table_, doc_)                                            \
    {                                                                                              \
        .name = #f, .role = WW_PROVIDES, .contract = contract_, .table = table_, .doc = doc_,      \
        .offset = WW_FIELD(T, f, WwProvided)                                                       \
    }
/** An array of ports `WwPort f[max]` with its count in `uint32_t n_f`. */
#define WW_PORT_ARRAY(T, f, role_, contract_, min_, rank_, doc_)                                   \
    {                                                                                              \
        .name = #f, .role = role_, .contract = contract_, .min = min_,                             \
        .max = sizeof(((T *)0)->f) / sizeof(WwPort), .rank = rank_, .doc = doc_,                   \
        .offset = WW_ELEMENTS(T, f, WwPort), .count_offset = WW_FIELD(T, n_##f, uint32_t)          \
    }
/** The same for channels, whose ends are entry point @p entry_'s. */
#define WW_PORT_ARRAY_AT(T, f, role_, contract_, min_, entry_, doc_)                               \
    {                                                                                              \
        .name = #f, .role = role_, .contract = contract_, .min = min_,                             \
        .max = sizeof(((T *)0)->f) / sizeof(WwPort), .entry = entry_, .doc = doc_,                 \
        .offset = WW_ELEMENTS(T, f, WwPort), .count_offset = WW_FIELD(T, n_##f, uint32_t)          \
    }

/* ---- statistics ------------------------------------------------------------------------------------------------- */

/** What a statistic is in C, and how instances are put together. */
typedef enum WwStatKind {
    WW_STAT_COUNTER,   /**< uint64_t, adds up over instances. */
    WW_STAT_MAX,       /**< uint64_t, the largest of the instances. */
    WW_STAT_VECTOR,    /**< uint64_t[n], each adds up. */
    WW_STAT_HISTOGRAM, /**< uint64_t[n]; entry i counts values of log2 class i (0: 0..1). */
} WwStatKind;

/** One statistic: the component adds to the field, the kernel sets it to 0. */
typedef struct WwStatRow {
    const char *name;
    WwStatKind kind;
    const char *unit;
    const char *doc;
    size_t offset;
    uint32_t n;                /**< Length of a vector or histogram. */
    const char *const *labels; /**< Names of a vector's entries (n of them, each once), or NULL. */
} WwStatRow;

/** Field @p f of state @p T, an array for vectors and histograms, is statistic @p name_. */
#define WW_COUNTER_AT(T, f, name_, unit_, doc_)                                                    \
    {                                                                                              \
        .name = name_, .kind = WW_STAT_COUNTER, .unit = unit_, .doc = doc_, .n = 1,                \
        .offset = WW_FIELD(T, f, uint64_t)                                                         \
    }
#define WW_MAXIMUM_AT(T, f, name_, unit_, doc_)                                                    \
    {                                                                                              \
        .name = name_, .kind = WW_STAT_MAX, .unit = unit_, .doc = doc_, .n = 1,                    \
        .offset = WW_FIELD(T, f, uint64_t)                                                         \
    }
#define WW_VECTOR_AT(T, f, name_, unit_, labels_, doc_)                                            \
    {                                                                                              \
        .name = name_, .kind = WW_STAT_VECTOR, .unit = unit_, .doc = doc_, .labels = labels_,      \
        .n = sizeof(((T *)0)->f) / sizeof(uint64_t), .offset = WW_ELEMENTS(T, f, uint64_t)         \
    }
#define WW_HISTOGRAM_AT(T, f, name_, unit_, doc_)                                                  \
    {                                                                                              \
        .name = name_, .kind = WW_STAT_HISTOGRAM, .unit = unit_, .doc = doc_,                      \
        .n = sizeof(((T *)0)->f) / sizeof(uint64_t), .offset = WW_ELEMENTS(T, f, uint64_t)         \
    }

/** A field of the state is a statistic of its own name. */
#define WW_COUNTER(T, f, ...) WW_COUNTER_AT(T, f, #f, __VA_ARGS__)
#define WW_MAXIMUM(T, f, ...) WW_MAXIMUM_AT(T, f, #f, __VA_ARGS__)
#define WW_VECTOR(T, f, ...) WW_VECTOR_AT(T, f, #f, __VA_ARGS__)
#define WW_HISTOGRAM(T, f, ...) WW_HISTOGRAM_AT(T, f, #f, __VA_ARGS__)
/** The same of a field in part @p p of the state. */
#define WW_COUNTER_OF(T, p, f, ...) WW_COUNTER_AT(T, p.f, #f, __VA_ARGS__)
#define WW_MAXIMUM_OF(T, p, f, ...) WW_MAXIMUM_AT(T, p.f, #f, __VA_ARGS__)
#define WW_VECTOR_OF(T, p, f, ...) WW_VECTOR_AT(T, p.f, #f, __VA_ARGS__)
#define WW_HISTOGRAM_OF(T, p, f, ...) WW_HISTOGRAM_AT(T, p.f, #f, __VA_ARGS__)

/** Classes of a histogram by powers of two. */
#define WW_LOG2_CLASSES 32u

/** The class of @p v: 0 has 0 and 1, class k from 2^k on; the last takes all that is larger. */
static inline uint32_t ww_log2_class(uint64_t v)
{
    uint32_t k = 63u - (uint32_t)__builtin_clzll(v | 1u);
    return k < WW_LOG2_CLASSES ? k : WW_LOG2_CLASSES - 1u;
}

/* ---- entry points ----------------------------------------------------------------------------------------------- */

/**
 * What an entry point answers: how many edges of its domain until it wants to run again. WW_AGAIN: at the next one.
 * WW_SLEEP: never by itself; a token published to one of its IN ports, a slot freed on an OUT port where it was
 * refused, or an interface's notice wakes it. An early wake is always allowed: an entry point must do nothing when there is
 * nothing to do (that is what --no-sleep tests). A rest until WW_NEVER is WW_SLEEP; one beyond, such as the unsigned
 * difference to a time that is over, ends the run with an error.
 */
typedef uint64_t WwRest;
#define WW_AGAIN 1u
#define WW_SLEEP WW_NEVER

/** A turn of an entry point of @p self, to its end. */
typedef WwRest (*WwTickFn)(void *self);

/**
 * One entry point. It has a place of its own in the order of a phase, or, with `owner`, it is an *owned step*: the one caller of that
 * PROVIDES port whose row says `owns` runs it with ww_step() once in each of its own turns, where it likes. The kernel keeps its due bit
 * and its slept turns as it does for any entry point; a wake of it wakes its owner, too. Its OUT ports wake it when they have room.
 */
typedef struct WwEntryRow {
    const char *name;
    const char
        *phase; /**< Phase of the machine in which it runs ("core", "l2", ...); owned: NULL. */
    WwTickFn tick;
    const char *doc;
    const char *owner; /**< PROVIDES port whose owner runs it; NULL: it runs by itself. */
    const char *port;  /**< PROVIDES port among whose callers it acts, */
    const char *rank;  /**< with this rank; NULL: it stands in no order with them. */
    const char *
        partition; /**< In a machine with partitions its turns are of one of this name, with those of all entry points that
                             say so; NULL: of the component's own. */
    const char *
        bound; /**< Port of the type: where it is bound, the turns are those of `tick_bound`, and no turn has to ask; NULL: of tick. */
    WwTickFn tick_bound;
} WwEntryRow;

/* ---- channels --------------------------------------------------------------------------------------------------- */

/** How full a channel is. */
typedef struct WwFill {
    uint32_t tokens; /**< In it, visible or not. */
    uint32_t
        used; /**< Places taken: the tokens', or in units of their sizes where the reader measures. */
    uint32_t capacity; /**< Places; 0: unbounded. */
} WwFill;

/**
 * A channel's operations by address, for harnesses and checkers; components use the inline functions of its header.
 * @p slot is a register number where the channel has registers (-1: any), else ignored and answered 0.
 */
typedef struct WwChannelOps {
    bool (*put)(const WwPort *out, int slot, WwToken token); /**< False: no room. */
    bool (*take)(const WwPort *in, int *slot,
                 WwToken *token); /**< The oldest visible; false: none. */
    uint32_t (*count)(const WwPort *port);
    /** How full it is, for who looks at it between two ww_run(): it changes nothing. Optional. */
    void (*fill)(const void *channel, WwFill *out);
    /** From now on WwChannel.tap is there, or no longer: for a channel that keeps that where its operations look. Optional. */
    void (*tapped)(void *channel, bool on);
} WwChannelOps;

/* ---- the type --------------------------------------------------------------------------------------------------- */

/** Bits of WwType.flags. */
enum {
    WW_TYPE_CHANNEL =
        1u << 0,              /**< A channel: state begins with WwChannel; joins OUT to IN ports. */
    WW_TYPE_FAULTY = 1u << 1, /**< Deliberately breaks its contract, to test the checkers. */
    WW_TYPE_FAKE = 1u << 2,   /**< A fake provider or harness part: not for platforms. */
    WW_TYPE_SERIAL =
        1u
        << 3, /**< Works for the whole machine: belongs to the serial partition wherever it stands. */
    WW_TYPE_STOPS =
        1u
        << 4, /**< Of the serial partition: a turn to which a partition's wake has led looks at that partition
                      only, and at others only when all have the same time (see `ahead`). */
    WW_TYPE_NOT_SAVED =
        1u
        << 5, /**< Keeps state where no checkpoint finds it: not in its own, ww_alloc()'s or ww_take()'s memory. */
};

/** How tokens in relate to tokens out: conformance checks it under random traffic. */
typedef enum WwConserves {
    WW_CONSERVES_NOTHING_SAID, /**< No claim (sources, sinks, interface-only components). */
    WW_CONSERVES_ONE,          /**< Every token that went in comes out once. */
    WW_CONSERVES_MANY,         /**< Each comes out one or more times, or as several. */
    WW_CONSERVES_MERGES,       /**< Several may come out as one. */
} WwConserves;

/** A component type: what the kernel, the checks and the manual know of it. One constant a type, never changed. */
struct WwType {
    uint32_t abi;     /**< WW_ABI_VERSION */
    const char *name; /**< "scheduler.gto", "fu.pipelined": lower case, digits, '_' and one '.'. */
    const char *doc;  /**< One line. */
    const char *
        family; /**< Slot name that it fits ("scheduler"), or the room it belongs to ("execute"). */
    uint32_t flags; /**< WW_TYPE_... */
    WwConserves conserves;
    size_t size; /**< sizeof of the state; it begins with WwComponent (channels: WwChannel). */
    const WwParamRow *params;
    const WwGoneRow *gone; /**< Optional. */
    const WwClockRow *clocks;
    const WwPortRow *ports;
    const WwStatRow *stats;
    const WwEntryRow *entries;
    const WwEventRow *events;    /**< Kinds of events that it writes: all of them. */
    const WwChannelOps *channel; /**< Channels only. */
    /** Once, after parameters and ports are set: check combinations, allocate. Optional. */
    bool (*init)(void *self, GError **error);
    /** Once, after `init` of all components: ask those at the ports what they are, check that it fits. Optional. */
    bool (*start)(void *self, GError **error);
    /** To the state at power-on; called after init and start, and for every reset. Statistics are the kernel's. Optional. */
    void (*reset)(void *self);
    /**
     * The run goes on after a pause (ww_pause()): between two edges. For statistics that are of the interval between two pauses; who
     * looks at the paused machine still sees the old one. Optional.
     */
    void (*resume)(void *self);
    /** Gives back what init took. Optional. */
    void (*finish)(void *self);
    /** Accounts for @p n edges that entry point @p entry slept through. Optional. */
    void (*settle)(void *self, uint32_t entry, uint64_t n);
    /**
     * Turns a generated token of @p port's contract into one that this component takes there (a load for a memory unit): for random
     * traffic in tests. Optional.
     */
    void (*adapt)(void *self, const WwPortRow *port, WwToken token, GRand *random);
    /** Says what it waits for (see ww_explain_*); silent when it waits for nothing. Optional. */
    void (*explain)(void *self, WwExplain *explain);
    /**
     * What is known to come out of element @p k of OUT port @p port if a program has it, as bits that the port's contract defines;
     * 0: nothing is known. One that passes tokens on asks for what comes in: ww_carried(). Asked in start() of others, of
     * each port's elements from 0 on, and again when more is known of what comes in; more that comes in never makes it less. Optional.
     */
    uint64_t (*carries)(void *self, const WwPortRow *port, uint32_t k);
    /** Brings statistics up to date that it works out when they are read; after settle(). Optional. */
    void (*tally)(void *self);
    /**
     * Says with ww_window_limit() for how many edges from now on the partitions can run one after the other: until then nothing that
     * another one does reaches the component's own partition by its hands, and the serial partition is not needed but by
     * those who wake it. Asked before each window. Optional.
     */
    void (*ahead)(void *self);
    /**
     * Channels: its writers are of one partition, its reader of another (ww_turns_of()). From now on each token has a time, of
     * which both count the edges, and each that is put sets *@p touched. False: it cannot. Called once, before reset(). Optional.
     */
    bool (*span)(void *self, uint8_t *touched);
    /**
     * Such a channel, all partitions at the same time: for how many edges its writers are sure to find room, and one place left. Asked
     * after resets, and before a window if a token was put since nothing stood in the way of its length.
     */
    WwCycle (*room)(void *self);
    /**
     * Optional, of such a channel: so that its reader may run in another thread while its writers put tokens. In a window writers use the
     * channel that this returns (of the same type, empty, with as much room) in place of it, and hand_over() moves what they have put there to
     * it, while neither of them runs, and after *touched was set at least. A channel without is read when its writers are at the end of the window.
     */
    void *(*outbox)(void *self);
    void (*hand_over)(void *self);
    /**
     * Optional, of such a channel, between windows: from now on, until it is called with @p on false, the reader may be ahead of the writers, too.
     * Writers find the room that they would have found at their time, and are woken then. False: it cannot, since the reader does not say
     * what it takes (ww_takes_a_turn()), or too few tokens fit in besides that. Then, and with @p on false, all is as ever. Asked with
     * false after resets, too.
     */
    bool (*lag)(void *self, bool on);
    /**
     * The same, while neither reader nor writers run: are there more tokens than the reader can take at an edge? Then it may go on without the
     * writers, until the channel holds it (ww_await_writers()).
     */
    bool (*spare)(const void *self);
};
typedef struct WwType WwType;

/** Rows of an array that ends with { 0 }. */
#define WW_ROWS(array, row)                                                                        \
    (row) = (array);                                                                               \
    (row) != NULL && (row)->name != NULL;                                                          \
    (row)++

/** Index of parameter @p name in the type's rows, or -1. */
WW_API int ww_type_param(const WwType *type, const char *name);
/** The same of a port. */
WW_API int ww_type_port(const WwType *type, const char *name);
/** Where the fact is now that parameter @p name of old texts said, or NULL: it never had one. */
WW_API const char *ww_type_gone(const WwType *type, const char *name);
/** As ww_type_param(), of a statistic. */
WW_API int ww_type_stat(const WwType *type, const char *name);
/** As ww_type_param(), of an entry point. */
WW_API int ww_type_entry(const WwType *type, const char *name);

/** Parses @p text as a value of @p row, with its unit and range. The strings and lists of @p out are newly allocated. */
WW_API bool ww_value_parse(const WwParamRow *row, const char *text, WwValue *out, GError **error);
/** Frees what ww_value_parse() allocated. */
WW_API void ww_value_clear(WwValue *value);
/** Text of a value as it may be written in a platform, newly allocated. */
WW_API char *ww_value_text(const WwParamRow *row, const WwValue *value);
/** The least and the most that a row of whole numbers takes, exactly; false: it is not of whole numbers (or of lists of them). */
WW_API bool ww_param_range(const WwParamRow *row, uint64_t *least, uint64_t *most);
/** Is @p value allowed for @p row? The error says the range. */
WW_API bool ww_value_check(const WwParamRow *row, const WwValue *value, GError **error);
