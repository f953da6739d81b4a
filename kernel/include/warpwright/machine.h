/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A machine: built from a registry's types by a platform, a harness or C code; sealed; run; asked.
 *
 * Building order: domains and phases, groups and components (parents first), parameters, bindings, ww_machine_seal().
 * Until sealed nothing of a model runs; sealing checks everything and derives the order of every phase.
 */
#pragma once

#include <stdio.h>
#include <warpwright/component.h>
#include <warpwright/heap.h>

/* ---- registry --------------------------------------------------------------------------------------------------- */

/** The component types that there are, by name; the types themselves belong to who added them. */
typedef struct WwRegistry WwRegistry;

/** A registry without types. */
WW_API WwRegistry *ww_registry_new(void);
/** Frees @p registry (may be NULL); its types stay. */
WW_API void ww_registry_free(WwRegistry *registry);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwRegistry, ww_registry_free)
/** Adds a type after checking its descriptor completely; @p origin ("built-in" or a module's path) is interned. */
WW_API bool ww_registry_add(WwRegistry *registry, const WwType *type, const char *origin,
                            GError **error);
/**
 * Adds a NULL-terminated list of types whose descriptors were checked before, by a test: those of the program itself, which has some hundred
 * at each start.
 */
WW_API bool ww_registry_add_known(WwRegistry *registry, const WwType *const *types,
                                  const char *origin, GError **error);
/** Adds a NULL-terminated list of types. */
WW_API bool ww_registry_add_all(WwRegistry *registry, const WwType *const *types,
                                const char *origin, GError **error);
/** Finds a type; NULL with @p error (naming near and possible ones; may be NULL) if there is none. */
WW_API const WwType *ww_registry_find(const WwRegistry *registry, const char *name, GError **error);
/** All types sorted by (family, name); *n entries, owned by the registry. */
WW_API const WwType *const *ww_registry_types(const WwRegistry *registry, size_t *n);
/** The @c origin that a type of the registry was added with; NULL: there is none of its name. */
WW_API const char *ww_registry_origin(const WwRegistry *registry, const WwType *type);
/** Checks a descriptor: names, defaults within range, ports, ranks, entries; what ww_registry_add() calls. */
WW_API bool ww_type_check(const WwType *type, GError **error);

/* ---- building --------------------------------------------------------------------------------------------------- */

/** A group of a machine's components and groups, which owns it: ww_machine_add_group(). */
typedef struct WwGroup WwGroup;

/** Which rule says when edges come: docs/kernel.md#time. */
typedef enum WwClockKind {
    WW_CLOCK_EXACT, /**< Rational periods: edges never drift. */
    WW_CLOCK_ACCELSIM, /**< Double periods added edge by edge, as the reference does: docs/model.md#time. */
} WwClockKind;

/** How members of a group have their turns in a tick: docs/kernel.md#groups. */
typedef enum WwGroupMode {
    WW_GROUP_PLAIN,
    WW_GROUP_REPEAT, /**< Members in order, `repeat` times a tick. */
    WW_GROUP_ROTATE, /**< Which member goes first moves by one each tick in which the group is clocked. */
    WW_GROUP_SEQUENCE, /**< One member after the other, in order of declaration, each with all that it does in a tick: ranks say nothing about two of them. */
} WwGroupMode;

/** Parameters of ww_machine_add_group(). Zero-initialise. */
typedef struct WwGroupSpec {
    const char *name; /**< NULL: anonymous, adds nothing to paths. */
    bool array;       /**< The group is element `index` of an array. */
    uint32_t index;
    WwGroupMode mode;
    uint32_t repeat;
    bool gated;     /**< Its clock can be gated (ww_gate()); closed at power-on. */
    bool partition; /**< Its state is a partition of its own. */
    WwLocation where;
} WwGroupSpec;

/** An empty machine; @p registry has to stay until it is sealed. */
WW_API WwMachine *ww_machine_new(const WwRegistry *registry);
/** Some @p components components and @p bindings bindings are to come: makes room for them at once. A hint; more or fewer may come. */
WW_API void ww_machine_expect(WwMachine *machine, uint32_t components, uint32_t bindings);
/** Frees @p machine (may be NULL) with all that is in it; calls every finish. */
WW_API void ww_machine_free(WwMachine *machine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwMachine, ww_machine_free)
/** Before the first domain is added; WW_CLOCK_EXACT unless told. */
WW_API void ww_machine_set_clock(WwMachine *machine, WwClockKind kind);
/** Adds a clock domain of @p hz (1 Hz to 1000 GHz); the first one is what limits and the hang limit count. NULL with @p error. */
WW_API WwDomain *ww_machine_add_domain(WwMachine *machine, const char *name, double hz,
                                       GError **error);
/** Adds the next phase of a tick. */
WW_API bool ww_machine_add_phase(WwMachine *machine, const char *name, const char *domain,
                                 GError **error);
/** The clock domain of that name, or NULL. */
WW_API WwDomain *ww_machine_domain(const WwMachine *machine, const char *name);
/** The group that holds everything. */
WW_API WwGroup *ww_machine_root(WwMachine *machine);
/** Adds a group. Never fails. */
WW_API WwGroup *ww_machine_add_group(WwMachine *machine, WwGroup *parent, const WwGroupSpec *spec);
/** Adds a component with default parameters; @p index -1 when it is not an array element. Never fails. */
WW_API WwComponent *ww_machine_add(WwMachine *machine, WwGroup *group, const WwType *type,
                                   const char *name, int32_t index, WwLocation where);
/** Adds a component of the type, name and present parameters of @p model: cheaper, for the elements of an array. Never fails. */
WW_API WwComponent *ww_machine_add_like(WwGroup *group, const WwComponent *model, int32_t index,
                                        WwLocation where);
/**
 * Its entry points run in phase @p phase of the machine instead of that of their type, so that a part may stand between any two others.
 * Fails when they run in several phases, or there is none; whether the machine has the phase is checked when it is sealed.
 */
WW_API bool ww_component_place(WwComponent *component, const char *phase, GError **error);
/** Sets parameter number @p row of a component to a checked value (copied). */
WW_API bool ww_component_set(WwComponent *component, int row, const WwValue *value, GError **error);
/** Sets a parameter from text. */
WW_API bool ww_component_set_text(WwComponent *component, const char *name, const char *text,
                                  GError **error);
/** Text of a parameter's value, newly allocated. */
WW_API char *ww_component_get_text(const WwComponent *component, int row);

/**
 * Joins port @p row of @p component to @p peer: a channel (for IN and OUT), or the providing component (REQUIRES; @p peer_row
 * selects its PROVIDES port, -1 the only one of that contract). Order of calls is binding order. Checks kind, role, contract.
 */
WW_API bool ww_bind(WwComponent *component, int row, WwComponent *peer, int peer_row,
                    WwLocation where, GError **error);
/** Joins an OUT port to an IN port through a new anonymous channel of the contract's kind with default parameters. */
WW_API bool ww_join(WwComponent *out, int out_row, WwComponent *in, int in_row, WwLocation where,
                    GError **error);
/** How much there is in a machine by now: what has been added has the numbers below. */
typedef struct WwExtent {
    uint32_t groups, components, bindings, parts; /**< `parts`: groups and components. */
} WwExtent;
/** As of now. */
WW_API WwExtent ww_machine_extent(const WwMachine *machine);
/**
 * Adds to @p parent a copy of a group with all that is in it, for the elements of an array: cheaper, and the same as if it was made in the same
 * way. @p from and @p to: what there was before the model was added, and when all that is in it was added and bound, but nothing in it to anything outside.
 * @p index: -1 when it is not an array element. Returns the number of the copy's first component, which the others follow in the model's
 * order. Never fails.
 */
WW_API uint32_t ww_machine_copy_group(WwGroup *parent, const WwExtent *from, const WwExtent *to,
                                      int32_t index);
/** Binds a REQUIRES port to functions outside the machine (a trace on disk, a test). */
WW_API bool ww_bind_external(WwComponent *component, int row, const void *table, void *self,
                             GError **error);
/**
 * Gives the functions outside that REQUIRES port @p row of @p component is bound to an owned step, of which the component is the
 * owner; @p settle may be NULL. Its answer is WW_AGAIN or WW_SLEEP. Returns its wake.
 */
WW_API WwWake ww_bind_external_step(WwComponent *component, int row, WwTickFn tick,
                                    void (*settle)(void *self, uint32_t entry, uint64_t n),
                                    void *self);

/**
 * Checks (ports bound, capacities, partitions), calls every init, derives orders, resets. After it parameters and bindings
 * cannot change. The error names both ends and their places.
 */
WW_API bool ww_machine_seal(WwMachine *machine, GError **error);
/** Back to power-on: equal to a new machine (time, state, statistics, fingerprint). */
WW_API void ww_machine_reset(WwMachine *machine);

/** Where all that changes while the machine runs lives; it goes with the machine. */
WW_API WwHeap *ww_machine_heap(WwMachine *machine);

/* ---- looking ---------------------------------------------------------------------------------------------------- */

/** How many components there are, channels too. */
WW_API uint32_t ww_machine_n_components(const WwMachine *machine);
/** Component number @p i in order of creation. */
WW_API WwComponent *ww_machine_component(const WwMachine *machine, uint32_t i);
/** Of how many types there are components. What is a matter of the type alone is found out once for each, not for thousands of components. */
WW_API uint32_t ww_machine_n_types(const WwMachine *machine);
/** The first component of type number @p t; types are numbered by their first ones. */
WW_API WwComponent *ww_machine_first(const WwMachine *machine, uint32_t t);
/** How many components of type number @p t there are. */
WW_API uint32_t ww_machine_n_of(const WwMachine *machine, uint32_t t);
/** The first component of type number @p t from number @p i on, or the number of components: there is no more. */
WW_API uint32_t ww_machine_next(const WwMachine *machine, uint32_t t, uint32_t i);
/** The number of the type of component @p i. */
WW_API uint32_t ww_machine_type_of(const WwMachine *machine, uint32_t i);
/** The component at @p path, or NULL. */
WW_API WwComponent *ww_machine_find(const WwMachine *machine, const char *path);
/** Peers bound so far to port row @p row of @p c. */
WW_API uint32_t ww_component_bound(const WwComponent *c, int row);
/** Called for every binding in order: for inspect. */
typedef void (*WwBindingFn)(void *user, const WwComponent *component, const WwPortRow *row,
                            const WwComponent *peer, const WwPortRow *peer_row, WwLocation where);
/** Calls @p fn for each binding of @p machine. */
WW_API void ww_machine_each_binding(const WwMachine *machine, WwBindingFn fn, void *user);
/** The same for those of ports of @p contract: a machine has some 14,000 of others. */
WW_API void ww_machine_bindings_of(const WwMachine *machine, const WwContract *contract,
                                   WwBindingFn fn, void *user);
/** One line of the order of a tick. */
typedef struct WwOrderStep {
    const char *phase, *domain;
    uint32_t depth;    /**< 0: the phase begins; members of it 1, of a group in it 2, ... */
    const char *group; /**< A group begins: "sm[3] rotate"; NULL at an entry point. */
    const WwComponent *component; /**< The component and entry point whose turn it is. */
    const WwEntryRow *entry;
    bool tied;  /**< Only the declaration puts it behind the one before. */
    bool owned; /**< An owned step, which the entry point of the depth above runs in its turn. */
} WwOrderStep;
/** Called for each line of the order; @p step is valid during the call. */
typedef void (*WwOrderFn)(void *user, const WwOrderStep *step);
/** Calls @p fn for each phase, group, entry point and owned step of a sealed machine, in the order of a tick; steps after their owner. */
WW_API void ww_machine_each_step(const WwMachine *machine, WwOrderFn fn, void *user);
/** Prints each phase's derived order; pairs that only declaration order separates are marked with '~', owned steps with '>'. */
WW_API void ww_machine_print_order(const WwMachine *machine, FILE *out);
/**
 * Writes the partitions of a sealed machine and, for each phase, what joins them: components that two or more use there through channels and
 * contracts that are neither pure nor reduce. Returns how many such components there are.
 */
WW_API uint32_t ww_machine_print_partitions(const WwMachine *machine, FILE *out);
/** Where it was declared: what ww_machine_add() was told. */
WW_API WwLocation ww_component_where(const WwComponent *component);
/** The group that holds @p group; NULL: it is the root. */
WW_API WwGroup *ww_group_parent(const WwGroup *group);
/** Name and index (or -1) of a group; NULL if anonymous. */
WW_API const char *ww_group_name(const WwGroup *group, int32_t *index);

/* ---- looking at what runs: between two ww_run(); nothing of it changes what the machine does ----------------------- */

/** When an entry point has its next turn. */
typedef struct WwWhen {
    bool due;   /**< At the next edge of its domain. */
    bool gated; /**< Behind a closed gate: not before that opens. */
    WwCycle
        at; /**< Asleep: the edge of its domain at which it wakes by itself; WW_NEVER: only somebody else wakes it. */
    const WwDomain *domain; /**< NULL: it has no turns (a step that nobody owns). */
} WwWhen;
/** The same for entry point number @p entry of @p component. An owned step that is due runs in a turn of its owner. */
WW_API WwWhen ww_entry_when(const WwComponent *component, uint32_t entry);
/** How full a channel is; false: it has no places (a signal), or does not say. */
WW_API bool ww_channel_fill(const WwComponent *channel, WwFill *out);

/** One component waits for another. */
typedef struct WwWait {
    const WwComponent *who, *on; /**< on NULL: not known. */
    int64_t unit, on_unit;       /**< Unit (a warp) of each that it is about; -1: all of it. */
    const char *text;            /**< What it waits for. */
    const char *holds;           /**< How `on` holds it, as it says, or NULL. */
    bool guessed;  /**< Nobody says to hold it; `on`, on its way, says nothing at all. */
    int32_t trail; /**< Place on the way to the cause, from 0 on; -1: beside it. */
    bool knot;     /**< The way comes back to here. */
} WwWait;
/** Called for each wait; what @p wait points to is valid during the call. */
typedef void (*WwWaitFn)(void *user, const WwWait *wait);
/**
 * Calls @p fn for everything that anybody waits for now, those on the trail of ww_machine_explain() first; texts are valid in the call. A machine that
 * works waits, too: only after WW_RUN_HANG and WW_RUN_STUCK is the end of the trail the cause. Returns how many there are; @p fn is
 * called for the first @p most.
 */
WW_API uint32_t ww_machine_each_wait(WwMachine *machine, uint32_t most, WwWaitFn fn, void *user);

/** Events that are watched for. */
typedef struct WwWatch {
    const char *path; /**< Glob over component paths. */
    const char *kind; /**< NULL: all. */
    int64_t unit;     /**< With has_unit: only this one. */
    bool has_unit;
} WwWatch;
/** Event of watch number @p watch: what the event log would say of it. */
typedef void (*WwWatchFn)(void *user, uint32_t watch, const WwComponent *who, WwCycle cycle,
                          const char *kind, int64_t unit, const char *text);
/**
 * From now on @p fn is called for each event that one of the @p n watches (copied) is for, in the order of the event log. While something is watched ticks are run
 * one at a time; the results are the same. @p n 0: no longer. Checkpoints are made without. To stop ww_run() at the end of the tick, @p fn calls
 * ww_attention().
 */
WW_API void ww_machine_watch(WwMachine *machine, const WwWatch *watches, uint32_t n, WwWatchFn fn,
                             void *user);

/* ---- running ---------------------------------------------------------------------------------------------------- */

/** Why ww_run() came back. */
typedef enum WwRunStatus {
    WW_RUN_BUDGET, /**< The budget is used up; call again. */
    WW_RUN_PAUSED, /**< A component called ww_pause() (a kernel ended); call again. */
    WW_RUN_DONE,   /**< A component called ww_done(). */
    WW_RUN_LIMIT,  /**< ww_machine_set_max_cycles() reached. */
    WW_RUN_HANG,   /**< All asleep and no event pending. */
    WW_RUN_STUCK,  /**< No ww_progress() in the given number of cycles. */
    WW_RUN_FAILED, /**< ww_fail_run(); see ww_machine_error(). */
} WwRunStatus;

/** Everything always runs (closed gates aside): the check that sleeping is exact. Before the first ww_run(). */
WW_API void ww_machine_set_no_sleep(WwMachine *machine, bool on);
/** Off: one tick at a time, also where partitions could run many alone (docs/kernel.md#windows). The results are the same. On unless told. */
WW_API void ww_machine_set_windows(WwMachine *machine, bool on);
/**
 * Threads that run partitions in windows, 1 to WW_MAX_WORKERS; 1 unless told. The results are the same. Before the first ww_run().
 */
WW_API void ww_machine_set_threads(WwMachine *machine, uint32_t threads);
/**
 * @p on: windows are run by several threads only while that is faster than one, which is measured now and then. Off unless told: always. The results are
 * the same. @p busy: other work is known to want the processors, so several are first tried in a run that lasts.
 */
WW_API void ww_machine_set_threads_when_they_pay(WwMachine *machine, bool on, bool busy);
/**
 * Windows are run by one thread alone while the last one had fewer than @p turns turns of partitions (a round and all that runs in
 * it are one): then threads would wait for each other for longer than they work. WW_ENOUGH_TURNS unless told. The results are the same.
 */
WW_API void ww_machine_set_threads_from(WwMachine *machine, uint64_t turns);
/** A turn takes some 1 us (measured), so these take longer than threads need to meet. */
#define WW_ENOUGH_TURNS 300
/**
 * Writes what the host's time goes to in windows: CSV, a row a partition and window (docs/performance.md#a-profile-of-windows). Of a sealed
 * machine, before the first ww_run(); @p out is the caller's.
 */
WW_API void ww_machine_set_profile(WwMachine *machine, FILE *out);
/**
 * Counts turns of entry points: how many, how many changed nothing, how many were slept and settled. Slow. Before ww_machine_seal(); the
 * machine stays with one thread.
 */
WW_API void ww_machine_count_turns(WwMachine *machine);
/** Writes them: CSV, a row an entry point of a type (docs/performance.md#a-profile-of-turns). Of a machine that counts. */
WW_API void ww_machine_write_turns(WwMachine *machine, FILE *out);
/** Ends the run when domain 0 (the first added) has completed @p cycles edges; 0: no limit. */
WW_API void ww_machine_set_max_cycles(WwMachine *machine, WwCycle cycles);
/**
 * Ends the run when nothing progressed in @p cycles edges of domain 0; 0: never. Default 50,000. Stretches of 384 edges or more through which all sleep do
 * not count.
 */
WW_API void ww_machine_set_hang_limit(WwMachine *machine, WwCycle cycles);
/** Runs at most @p budget ticks (skipped ones count) and returns at a tick boundary. */
WW_API WwRunStatus ww_run(WwMachine *machine, WwTick budget);
/**
 * ww_run() comes back (WW_RUN_BUDGET) before the first tick in which domain 0 has completed @p cycle edges or more, too; WW_NEVER: it does not, as at
 * first. It changes no result.
 */
WW_API void ww_machine_run_until(WwMachine *machine, WwCycle cycle);
/** Between two ticks: is nothing left that a component asked for with ww_between_ticks()? Then a checkpoint can be made. */
WW_API bool ww_machine_quiet(const WwMachine *machine);
/** Edges that domain 0 has completed. */
WW_API WwCycle ww_machine_cycle(const WwMachine *machine);
/** Ticks so far, those that were skipped too. */
WW_API WwTick ww_machine_tick(const WwMachine *machine);
/** Threads that have run the machine so far: 1 until there was a stage for several (a host figure). */
WW_API uint32_t ww_machine_threads(const WwMachine *machine);
/** Ticks so far of windows, in which partitions ran alone (a host figure). */
WW_API WwTick ww_machine_window_ticks(const WwMachine *machine);
/** Entry points called so far (a host figure: depends on --no-sleep). */
WW_API uint64_t ww_machine_activations(const WwMachine *machine);
/** After WW_RUN_FAILED: why; the machine's. */
WW_API const GError *ww_machine_error(const WwMachine *machine);
/** After WW_RUN_HANG or WW_RUN_STUCK: who waits for whom, down to the knot; newly allocated, one fact a line. */
WW_API char *ww_machine_explain(WwMachine *machine);

/* ---- statistics ------------------------------------------------------------------------------------------------- */

/** Accounts for everything slept so far. Statistics are right only after it. */
WW_API void ww_machine_settle(WwMachine *machine);
/** A component's statistic: pointer to its @c row->n values. */
WW_API const uint64_t *ww_stat_values(const WwComponent *component, const WwStatRow *row);
/**
 * Sums statistic @p name over the components of type @p type (NULL: all types) whose path matches the glob @p path (NULL: all).
 * Vectors add element-wise into @p out[n]; returns the number of components that had it.
 */
WW_API uint32_t ww_stat_sum(WwMachine *machine, const char *path, const char *type,
                            const char *name, uint64_t *out, uint32_t n);

/* ---- fingerprints and the event log ----------------------------------------------------------------------------- */

/** Switches fingerprinting on; before the first ww_run(). */
WW_API void ww_machine_set_fingerprint(WwMachine *machine, bool on);
/** The hash of every token moved so far: what, when, where. */
WW_API uint64_t ww_machine_fingerprint(const WwMachine *machine);

/** Which events are written. Zero-initialise: all. */
typedef struct WwEventFilter {
    const char *path; /**< Glob over component paths; NULL: all. */
    const char *
        outside; /**< Of components that it does not match: events with this field ("sm=3"); NULL: none. */
    const char
        *fields; /**< Comma-separated fields ("uid=5,req=2") that an event must have; NULL: any. */
    const char *kinds; /**< Comma-separated kinds; NULL: all. */
    bool but;          /**< All but these kinds. */
    int64_t unit;      /**< With has_unit: only this unit (warp). */
    bool has_unit;
    WwCycle from,
        to; /**< Cycles of the first domain, whatever the component's own is; to 0: no end. */
    /** A thread may put lines in order and write them while the run goes on: nobody else uses the stream before ww_run() returns. */
    bool apart;
} WwEventFilter;

/**
 * Writes events as lines `cycle <TAB> kind <TAB> path <TAB> unit <TAB> text` to @p out. Token movements appear as kinds
 * "put" and "take". NULL switches off. Before the first ww_run().
 */
WW_API void ww_machine_set_events(WwMachine *machine, FILE *out, const WwEventFilter *filter);
/**
 * Writes a line that is of no component's turn, of unit -1 and the present cycle of the machine, if there is a log and its filter has @p kind (a constant),
 * @p path and what @p text, words and fields, says. Before or after ww_run().
 */
WW_API void ww_machine_note(WwMachine *machine, const char *kind, const char *path,
                            const char *text);
