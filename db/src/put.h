/* SPDX-License-Identifier: Apache-2.0 */
/** @file Results on their way from JSON to rows. */
#pragma once

#include "db-priv.h"

/* Figures that kernels and runs have, in the order of their columns. */
enum { CYCLES, THREADS, WARPS, CTAS, SMS, LAUNCH, TAIL, N_FIGURES };

/* What a kernel counted, or all of the run. */
typedef struct Part {
    int64_t figure[N_FIGURES];
    bool has[N_FIGURES];
    DbSlice bound_by, name;
    int64_t uid, stream, end;
    bool partial, has_counters;
    GString *grid, *block;
    DbCounts counters, instances;
} Part;

/* Where reading stands. */
typedef struct Put {
    WwDb *db;
    DbScan scan;
    GError **error;
    GString *word;   /* a name */
    GString *values; /* numbers as they are written */
    GString *more;
    /* of the run */
    DbSlice version, status, trace, platform, fingerprint;
    GString *config, *command, *inputs, *settings, *notes;
    GPtrArray *given; /* words of `command` behind -s */
    GPtrArray
        *options; /* of `command`: axis and value, of what chooses a machine or what of it runs */
    bool partial;
    double seconds, processor_seconds;
    GChecksum *machine; /* of values, and of the files that say what the machine is made of */
    GChecksum *all;
    int64_t every;
    DbLayout *over_time;
    int64_t n_intervals, n_kernels;
    Part total, kernel;
    int64_t row; /* the run's; kernels and intervals are rows that need it */
    uint32_t seen;
} Put;

void put_part_init(Part *part);
void put_part_clear(Part *part);
/** Reads all of the results, and writes the rows of kernels and intervals. */
bool put_read(Put *put);
/** An error that came without a place in the text gets the text's name; false. */
bool put_failed(Put *put);
/** Binds the layout and the numbers at @p at and behind; nothing, where nothing was counted. @p text holds them until the row is written. */
bool put_bind_counts(Put *put, sqlite3_stmt *s, int at, const DbCounts *counts, GString *text);
void put_bind_figure(sqlite3_stmt *s, int at, const Part *part, int figure);
