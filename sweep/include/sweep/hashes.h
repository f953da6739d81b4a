/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What files hold, as SHA-256, remembered from process to process: a file that has the size, times and inode that it had is not read again. The
 * memory is a text that any number of processes may add to; what is wrong in it is not believed, and it may be removed at any time.
 */
#pragma once

#include <warpwright/base.h>

/** Files whose hashes are asked for, and those that are remembered. Free with ww_hashes_free(). */
typedef struct WwHashes WwHashes;

/** @p file NULL: nothing is remembered. The text is made where it is not there; that it cannot be is no error. */
WwHashes *ww_hashes_new(const char *file);
/** Adds to the text what was read. */
void ww_hashes_free(WwHashes *hashes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwHashes, ww_hashes_free)
/** Where the user's programs remember things: newly allocated. */
char *ww_hashes_place(void);

/** Says that ww_hashes_of() will be called for @p path. False with @p error for what cannot be read. */
bool ww_hashes_add(WwHashes *hashes, const char *path, GError **error);
/** Called some times a second while other threads read files, and when all are read, by the thread that waits for them. */
typedef void (*WwHashesFn)(void *user, uint64_t bytes, uint64_t all);
/** Reads what was added and is not known, on @p threads other threads (0, or if there are none: on this one); a signal that asks for the end ends the process as ever. */
bool ww_hashes_read(WwHashes *hashes, uint32_t threads, WwHashesFn progress, void *user,
                    GError **error);
/** 64 hexadecimal digits of a file that was added and read; *bytes (may be NULL) gets its size. */
const char *ww_hashes_of(const WwHashes *hashes, const char *path, uint64_t *bytes);
