/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Trace packets of Perfetto: tracks, slices, instants, counters, flows. Field numbers are those of Perfetto's protos/perfetto/trace; a test decodes
 * the files with another implementation and those numbers (tests/unit/view/trace.proto).
 */
#pragma once

#include "proto-priv.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct Tracks Tracks;
/** Numbers of a track, 1 and up. */
typedef uint64_t Track;

typedef enum SliceType { SLICE_BEGIN = 1, SLICE_END = 2, SLICE_INSTANT = 3 } SliceType;

Tracks *tracks_new(FILE *out);
void tracks_free(Tracks *t);

/** A track below @p parent (0: none), which stands there as number @p rank. Those of one name and parent are shown as one. */
Track tracks_add(Tracks *t, Track parent, const char *name, uint32_t rank);
/** A track of values. */
Track tracks_add_counter(Tracks *t, Track parent, const char *name, const char *unit,
                         uint32_t rank);

/** Begins an event of @p track at nanosecond @p time; what follows up to tracks_put() belongs to it. @p name may be NULL at an end. */
void tracks_event(Tracks *t, SliceType type, Track track, uint64_t time, const char *category,
                  const char *name);
void tracks_number(Tracks *t, const char *key, uint64_t value);
void tracks_text(Tracks *t, const char *key, const char *value);
/** The event is part of flow @p flow: an arrow from the part before. @p last: nothing follows. */
void tracks_flow(Tracks *t, uint64_t flow, bool last);
void tracks_put(Tracks *t);
/** A value of a counter. */
void tracks_value(Tracks *t, Track track, uint64_t time, double value);

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

/**
 * Slices of one kind that may overlap: each takes a row, a track of its own, that is free when it begins. Rows of one name and parent are shown as one
 * track of several lines.
 */
typedef struct Rows {
    Track parent;
    uint32_t rank;
    char *name;
    GArray *row; /* of struct Row */
} Rows;

typedef struct Row {
    Track track;
    uint64_t free; /* from this nanosecond on; UINT64_MAX: taken */
} Row;

Rows *rows_new(Track parent, const char *name, uint32_t rank);
void rows_free(Rows *rows);
/** Takes a row from nanosecond @p time on; its number. */
uint32_t rows_take(Tracks *t, Rows *rows, uint64_t time);
Track rows_track(const Rows *rows, uint32_t row);
/** It is free from nanosecond @p time on. */
void rows_give(Rows *rows, uint32_t row, uint64_t time);
