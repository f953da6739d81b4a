/* SPDX-License-Identifier: Apache-2.0 */
/** @file Figures of a result, read without belief in what it holds. */
#pragma once

#include <glib.h>
#include <jansson.h>
#include <report/experiment.h>
#include <report/report.h>
#include <stdbool.h>
#include <stdint.h>

/** One run, as all parts of the page see it. */
typedef struct Run {
    const char *file;
    char name[2]; /**< "A" */
    const json_t *o, *total, *kernels, *resolved, *intervals;
} Run;

/** Number @p key of @p o, 0 without one. */
double number_of(const json_t *o, const char *key);
/** String @p key of @p o, or @p other. */
const char *string_of(const json_t *o, const char *key, const char *other);
/** Statistic NAME of the counters of a kernel or of a total; entry @p label of a vector (NULL: all of it). 0 without one. */
double counter(const json_t *of, const char *name, const char *label);
bool has_counter(const json_t *of, const char *name);
/** False where the counters of the run show that its machine has no component whose type begins with one of @p types, which end with NULL. */
bool may_have(const Run *run, const char *const *types);
/** The trace that ran, or NULL: none did. */
const char *trace_of(const Run *run);
/** The sum of a number, a list or an object of numbers. */
double sum_of(const json_t *value);

/** Issue slots: used, or lost to a cause. */
typedef struct Slot {
    const char *label; /**< "issued" or the label of a cause. */
    double n;
} Slot;
enum { MOST_SLOTS = 40 };
/** Those of a kernel or a total, in the order of the JSON, those of 0 too; their number, and their sum into @p sum. */
unsigned slots_of(const json_t *of, Slot slots[MOST_SLOTS], double *sum);
/** A label of ours: the slots of SMs that were not clocked, which no scheduler counts. */
#define SLOT_ASLEEP WW_REPORT_ASLEEP
const char *slot_text(const char *label);
/** Nsight Compute's name of a cause, or NULL. */
const char *slot_nsight(const char *label);
/** A class of the style for the parts of a stack: of the cause, or the @p i-th colour; valid until the next call. */
const char *slot_class(const char *label, unsigned i);

/** Data accesses that found what they asked for and those that the cache took; percent of them by `part`/`all`. */
typedef struct Hits {
    double hit, all;
} Hits;
Hits hits_of(const json_t *outcomes);
Hits cache_hits(const json_t *of, const char *type);

/**
 * A value of the machine by the end of its path (".ldst.l1_banks"). False when there is none, or several that are not the same.
 */
bool resolved_number(const Run *run, const char *suffix, double *out);
bool resolved_true(const Run *run, const char *suffix);
/** The largest of such values; 0 without any. */
double resolved_most(const Run *run, const char *suffix);

/** What the machine could move, in bytes a core cycle; 0: not known. And how large an access counts. */
typedef struct Machine {
    double sms, slots,
        issue; /**< SMs; issue slots a cycle of all their schedulers; thread instructions that these can issue. */
    double l1, l2, dram;                      /**< Ceilings. */
    double l1_access, l2_access, dram_access; /**< Bytes that one access counts. */
    double core_clock;                        /**< Hz */
} Machine;
Machine machine_of(const Run *run);
/** Bytes that a kernel (or total) moved at each level. */
typedef struct Traffic {
    double l1, l2, dram;
} Traffic;
Traffic traffic_of(const json_t *of, const Machine *m);

/** Cycles of a kernel (or total) without its launch, in which no SM had a CTA; 0 where that was all. */
double cycles_at_work(const json_t *of);

/** Kernels in the order of their end; of more than @p most the longest. */
GPtrArray *kernels_of(const Run *run, unsigned most);
/** "1 vecadd" */
char *kernel_title(const Run *run, const json_t *kernel);
