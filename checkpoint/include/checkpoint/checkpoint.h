/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Checkpoints: a run at one moment, in a file, from which another process goes on with it.
 *
 * What changes while a model runs lives in heaps, at the same addresses in every process (warpwright/heap.h). A process
 * that goes on builds the same things in the same order as the one before; then only the words differ that have changed since. These are the file, and all
 * else, which may hold addresses of programs and libraries, stays as the new process made it:
 *
 *     build ──> image ──────> run ──────> words that differ from the image ──> file
 *     build ──> image <────────────────── the same words <──────────────────── file ──> run on
 *
 * That both have built the same is said by facts: a name and a value each, all of which must be equal.
 *
 * The file is zstd with a check sum, and is read to its end before anything is changed. It is as much to be trusted as a program: who can
 * forge one can make the process do anything.
 */
#pragma once

#include <warpwright/machine.h>

/** What some heaps held when they were built, and what they were made from. Free with ww_checkpoint_free(). */
typedef struct WwCheckpoint WwCheckpoint;

/** Takes images of @p n heaps as they are now: built, nothing has run. They outlive it. NULL with @p error when one of them has no
 * place of its own. */
WW_API WwCheckpoint *ww_checkpoint_new(WwHeap *const *heaps, uint32_t n, GError **error);
/** @p checkpoint may be NULL. */
WW_API void ww_checkpoint_free(WwCheckpoint *checkpoint);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwCheckpoint, ww_checkpoint_free)

/** Says what the heaps were made from: @p name ("config 'qv100'") has @p value (a hash, say). Both are copied. */
WW_API void ww_checkpoint_fact(WwCheckpoint *checkpoint, const char *name, const char *value);
/** The facts of @p machine: its components with their parameters, and each of their types. */
WW_API void ww_checkpoint_facts_of(WwCheckpoint *checkpoint, const WwMachine *machine);

/** The first component of @p machine whose type says that it cannot be saved (WW_TYPE_NOT_SAVED), or NULL. */
WW_API const WwComponent *ww_checkpoint_refuses(const WwMachine *machine);

/** What a process has to know before it builds anything. */
typedef struct WwCheckpointHead {
    uint64_t seed;  /**< As it was given to ww_checkpoint_write(). */
    uint64_t cycle; /**< The same. */
} WwCheckpointHead;

/** Writes the checkpoint @p path: complete, or not at all. Between two ticks, when ww_machine_quiet(). */
WW_API bool ww_checkpoint_write(WwCheckpoint *checkpoint, const char *path, WwCheckpointHead head,
                                GError **error);
/** Reads the begin of @p path. */
WW_API bool ww_checkpoint_head(const char *path, WwCheckpointHead *head, GError **error);
/** Checks all of @p path, which begins as ww_checkpoint_head() said, then makes the heaps what they were. An error leaves them as they are. */
WW_API bool ww_checkpoint_read(WwCheckpoint *checkpoint, const char *path, WwCheckpointHead head,
                               GError **error);

/**
 * For tests: words that changed and hold addresses of this process outside of heaps, which mean nothing in another one. Calls @p fn for each, with
 * its address; returns their number.
 */
WW_API uint32_t ww_checkpoint_foreign(const WwCheckpoint *checkpoint,
                                      void (*fn)(void *user, const uint64_t *word), void *user);
