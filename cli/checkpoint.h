/* SPDX-License-Identifier: Apache-2.0 */
/** @file --checkpoint, --checkpoint-every, --checkpoint-at, --restore, and SIGUSR2. */
#pragma once

#include "record.h"

#include <checkpoint/checkpoint.h>
#include <trace/trace.h>

/** Zero-initialise; cli_checkpoints_clear() at the end. */
typedef struct CliCheckpoints {
    /* options */
    char *file, *every_text, *at_text, *restore;
    /* what they say */
    uint64_t every; /**< Cycles; 0: not. */
    GArray *at;     /**< uint64_t: cycles, ascending; NULL: none. */
    /* the run */
    WwMachine *machine;
    WwTrace *trace;           /**< NULL: none is replayed. */
    WwCheckpoint *checkpoint; /**< NULL: none is made or read. */
    WwCheckpointHead head;    /**< Of the one that is read. */
    WwCycle from;             /**< No cycle of `at` before it is still to come. */
    WwCycle next;             /**< When the next one is due. */
    WwCycle until;            /**< When to look again at the latest. */
    bool asked;               /**< Somebody wants one now. */
} CliCheckpoints;

/** Option rows that fill @p checkpoints; valid until the next call. */
const GOptionEntry *cli_checkpoints_options(CliCheckpoints *checkpoints);
/** Do they go together? */
bool cli_checkpoints_check(CliCheckpoints *checkpoints, GError **error);
/** Are any made or read? */
bool cli_checkpoints_on(const CliCheckpoints *checkpoints);
/** Before the trace is opened. */
bool cli_checkpoints_early(CliCheckpoints *checkpoints, GError **error);
/**
 * All is built, nothing has run: @p heap has what the run keeps beside @p setup's machine and @p trace (NULL: none). Facts are added with cli_checkpoints_fact(), then
 * cli_checkpoints_restore() makes it what it was.
 */
bool cli_checkpoints_begin(CliCheckpoints *checkpoints, const CliSetup *setup, WwHeap *heap,
                           WwTrace *trace, GError **error);
/** Something else that must be as it was. Nothing when no checkpoints are made or read. */
void cli_checkpoints_fact(CliCheckpoints *checkpoints, const char *name, const char *value);
/** The program, every file that went in, and what it says, as facts. Of what differs the first is named. */
bool cli_checkpoints_facts(CliCheckpoints *checkpoints, const CliSetup *setup,
                           const CliRecord *record, GError **error);
/** Every parameter, as facts; those of copies with the same value as one (checkpoint_parameters.c). */
void cli_checkpoints_parameters(CliCheckpoints *checkpoints, const WwElaboration *elaboration);
/** Adds the machine, and reads the one to go on from, if there is one. */
bool cli_checkpoints_restore(CliCheckpoints *checkpoints, GError **error);
/** After a step of the model, all of it looked at: is it time to write one? */
bool cli_checkpoints_due(CliCheckpoints *checkpoints);
/** Writes one. */
bool cli_checkpoints_write(CliCheckpoints *checkpoints, GError **error);
/** The run begins: says when only a signal makes one. */
void cli_checkpoints_tell_begin(const CliCheckpoints *checkpoints);
/** The run has ended: says which of --checkpoint-at did not come. */
void cli_checkpoints_tell(const CliCheckpoints *checkpoints);
void cli_checkpoints_clear(CliCheckpoints *checkpoints);
