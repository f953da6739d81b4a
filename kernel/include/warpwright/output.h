/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Files that appear complete or not at all.
 *
 * A WwOutput is written under a name of its own beside its place and renamed when it is complete. Until then it is *pending*: what is
 * pending goes when the process fails or is interrupted. So does a folder that was made for such files.
 */
#pragma once

#include <stdio.h>
#include <warpwright/base.h>

/* ---- what is to go when the process does ------------------------------------------------------------------------ */

/** A file or folder that goes with the process. The process owns it until it is forgotten or removed. */
typedef struct WwPending WwPending;

/** From now on the file or empty folder @p path goes with the process, unless ww_pending_forget() comes first. */
WW_API WwPending *ww_pending_add(const char *path);
/** It stays; @p pending may be NULL. */
WW_API void ww_pending_forget(WwPending *pending);
/** Removes it now. */
WW_API void ww_pending_remove(WwPending *pending);
/** Removes all that is pending, last first. May be called in a signal handler, which must then end the process. */
WW_API void ww_pending_remove_all(void);

/* ---- files ------------------------------------------------------------------------------------------------------ */

/** A file that is being written: ww_output_keep() or ww_output_drop() ends it, and frees this. */
typedef struct WwOutput WwOutput;

/**
 * Opens what shall become the file @p path. A pipe, a device, and what stdout or stderr is, are written to directly. NULL with @p
 * error when that cannot be done; it begins with @p path's name.
 */
WW_API WwOutput *ww_output_new(const char *path, GError **error);
/** Behind the name of an output that another process may go on with. */
#define WW_OUTPUT_PARTIAL ".partial"
/**
 * The same for a file that another process may go on with: until it is complete its name is that of @p path with WW_OUTPUT_PARTIAL behind, always. One that
 * was there stays as it is until ww_output_from() has found what it looks for; a new one is pending until ww_output_sum(), and stays from then on however the
 * process ends. Nothing but a file will do, and of several processes one alone has it at a time. ww_output_from() comes next.
 */
WW_API WwOutput *ww_output_resumable(const char *path, GError **error);
/**
 * Goes on behind the first @p bytes bytes, which another process has written, whether it had completed the file or not; 0: begins anew. @p sum is what
 * ww_output_sum() said there. When they are nowhere, nothing is changed.
 */
WW_API bool ww_output_from(WwOutput *output, uint64_t bytes, uint64_t sum, GError **error);
/** Writes out what there is so far: its length into @p bytes, and a sum of its last bytes into @p sum. */
WW_API bool ww_output_sum(WwOutput *output, uint64_t *bytes, uint64_t *sum, GError **error);
/** Where to write to; errors are looked at in the end. */
WW_API FILE *ww_output_file(WwOutput *output);
/**
 * The system may bring it to the disk when it likes: for what is large and can be made again. A host that goes down meanwhile (not a process that does) loses
 * it.
 */
WW_API void ww_output_unhurried(WwOutput *output);
/**
 * Everything is written and on the disk (but see above), but under its temporary name. False with @p error when something could not be written, with the reason
 * that was met first; that nobody reads stdout any more is none.
 */
WW_API bool ww_output_finish(WwOutput *output, GError **error);
/**
 * ww_output_finish(), then gives it its name; frees @p output either way. An error, also one of ww_outputs_release(), begins with @p words ("cannot write
 * results: "; NULL: with the file), which stay where they are.
 */
WW_API bool ww_output_keep(WwOutput *output, const char *words, GError **error);
/**
 * From now on what is kept is written and on the disk, but gets its name only with ww_outputs_release(): several files appear together, when all else that may
 * fail is over.
 */
WW_API void ww_outputs_hold(void);
/** Names all that was kept meanwhile; allocates nothing where that can be done. False with @p error for the first that could not get its name. */
WW_API bool ww_outputs_release(GError **error);
/** Frees @p output (may be NULL), and nothing is left of it. */
WW_API void ww_output_drop(WwOutput *output);

/** Are these two names of one file that is there? */
WW_API bool ww_output_same(const char *path, const char *other);
