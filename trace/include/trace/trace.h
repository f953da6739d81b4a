/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Reading Accel-Sim / NVBit traces: command lists, kernel headers, CTAs; plain, `.xz`, `.zst` and `.tracez`, streamed.
 *
 * A WwTrace is a provider of the interface `trace_source` (ports/trace_source.h). Every byte is distrusted: each error
 * names file and line, what is wrong and what was expected.
 */
#pragma once

#include <ports/trace_source.h>
#include <trace/opcode.h>
#include <warpwright/heap.h>

/** A trace on disk that is being read. Free with ww_trace_free(). */
typedef struct WwTrace WwTrace;

/** What to read and how strictly. Zero-initialise for the defaults. */
typedef struct WwTraceOptions {
    bool strict;       /**< An opcode that no map knows is an error instead of a warning. */
    uint64_t max_ctas; /**< Only the first N CTAs of each kernel; 0: all. */
    const char
        *kernels; /**< Kernel ordinals to keep ("3,5-7", 1-based); NULL: all. Memcpys are kept, and
                                  so are the ordinals of the others: WwKernel.uid counts the whole list. */
    const char *const
        *listings; /**< Listings of its code, NULL-terminated; NULL: those beside the trace
                                      (docs/traces.md#listings). */
    uint64_t max_line_bytes; /**< Longest line accepted; 0: 1 MiB. */
    WwOpcodes
        *opcodes; /**< Maps, which outlive the trace; NULL: those that the library brings along. */
    bool as_written; /**< EXITs keep the lanes that the text says, also those that go on. */
    /** Receives each warning (one line, no newline); NULL: g_printerr(). */
    void (*warn)(void *user, const char *message);
    void *warn_user;
} WwTraceOptions;

/** A trace that ww_trace_find() has found. */
typedef struct WwTraceFound {
    char *path; /**< The folder with its `kernelslist.g`. */
    char *
        name; /**< Path below the folder that was looked through, without a last `traces`: `APP/ARGS`. Never empty. */
} WwTraceFound;

/**
 * The traces below folder @p path, itself one or not: WwTraceFound, by name, each name once; NULL with @p error when there are too many folders, or one
 * cannot be read. Free with g_ptr_array_unref().
 */
WW_API GPtrArray *ww_trace_find(const char *path, GError **error);

/**
 * Opens @p path: a `kernelslist.g`, a directory that holds one, or a single kernel trace. Reads the list (not the kernels).
 * Returns NULL with @p error if the path is missing, empty or malformed. Free with ww_trace_free().
 */
WW_API WwTrace *ww_trace_open(const char *path, const WwTraceOptions *options, GError **error);
/** With all that it has handed out and not got back: kernels and CTAs of a run that ended early. */
WW_API void ww_trace_free(WwTrace *trace);
/** The command that was read last as it stands in the list, or NULL; valid as long as @p trace. */
WW_API const char *ww_trace_command_line(const WwTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwTrace, ww_trace_free)

/**
 * After ww_opcodes_choose(), if it comes at all: reads CTAs of open kernels, and of the one that comes, ahead from now on, in a thread of its own: the caller sees the same CTAs, warnings and failures at the same moments.
 * False: the system gives no thread, and each is read when it is asked for. All of the functions here still belong to one thread.
 */
WW_API bool ww_trace_read_ahead(WwTrace *trace);

/** Where a trace and all that it has read lives: what a checkpoint saves. Nothing there changes between ww_trace_hold() and ww_trace_go(),
 * which alone may be called then. */
WW_API WwHeap *ww_trace_heap(const WwTrace *trace);
/** Waits until nothing of it is being read, and keeps it so. */
WW_API void ww_trace_hold(WwTrace *trace);
/** After ww_trace_hold() or ww_trace_hold_whole(): reading goes on. */
WW_API void ww_trace_go(WwTrace *trace);
/**
 * As ww_trace_hold() for whoever saves it: what is being read is read to its end, whatever signal comes. False, and not held: one has come while
 * somebody else waited, and what was read is not whole.
 */
WW_API bool ww_trace_hold_whole(WwTrace *trace);

/**
 * After the memory of @p trace became what it was in another process, when it had read as far: opens the files of its kernels where reading stood.
 * False with @p error when they are not what they were.
 */
WW_API bool ww_trace_reopen(WwTrace *trace, GError **error);
/** What keeps hash tables from being attacked by their keys: tables in memory that is saved need that of the process they were made in. */
WW_API uint64_t ww_trace_seed(void);
/** Sets it; before any trace is opened. */
WW_API void ww_trace_set_seed(uint64_t seed);

/** The function table through which a machine reads this trace; the WwTrace is its `self`. */
WW_API extern const WwTraceSourceIf ww_trace_source;

/**
 * Binary version of the first kernel that is still to come, from its header, which is read as well when the kernel's turn comes; with @p keep
 * its file stays open until then (not for checkpoints, which name the files that are open). 0 when there is none, when its header is wrong
 * (which is told in its turn), or when its file can be read but once (a pipe). Once.
 */
WW_API uint32_t ww_trace_version(WwTrace *trace, bool keep);

/** After that, if ww_trace_read_ahead() is to come: the kernel's file is unpacked from now on, by a thread of its own. */
WW_API void ww_trace_unpack_ahead(WwTrace *trace);

/** Static instructions of a kernel that this has opened: those of the CTAs handed out so far. */
WW_API uint32_t ww_trace_n_instructions(const WwKernel *kernel);

/** Number of kernel commands in the list (after `kernels` selection). */
WW_API uint32_t ww_trace_n_kernels(const WwTrace *trace);

/** The list that was read, or the one kernel trace (@p single) in place of a list. */
WW_API const char *ww_trace_file(const WwTrace *trace, bool *single);
/** The file of kernel command @p i (0 first, as selected). */
WW_API const char *ww_trace_kernel_file(const WwTrace *trace, uint32_t i);

/**
 * How many bytes of text the kernel trace in file @p path has, unpacked, as the file says; 0 where it does not: a pack, a `.tracez`, a `.zst` that was
 * written without.
 */
WW_API uint64_t ww_trace_text_size(const char *path);

/** The listings that it reads; *n of them, owned by the trace. */
WW_API char *const *ww_trace_listings(const WwTrace *trace, uint32_t *n);

/** One opcode that no map knew, with how often it stood in the trace so far. */
typedef struct WwTraceUnknown {
    const char *opcode;
    uint64_t count;
    WwOp category; /**< Given by the documented rule. */
} WwTraceUnknown;

/** Unknown opcodes met so far, sorted by name; *n entries, owned by the trace. */
WW_API const WwTraceUnknown *ww_trace_unknown(const WwTrace *trace, uint32_t *n);
