/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Words that every other header uses: integer types of time, visibility, errors, assertions.
 */
#pragma once

#include <glib.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Version of the binary interface between the kernel and a module; a module built for another is refused. */
#define WW_ABI_VERSION 16u

/** Marks what a module or a component may call; everything else is hidden. */
#define WW_API __attribute__((visibility("default")))

/**
 * For functions that are called in a tick, but seldom: what ends the run, what grows a table. Out of the way and never inlined, so that
 * tools/check-forbidden can tell them from what runs all the time.
 */
#define WW_COLD __attribute__((cold, noinline))

/**
 * The host fetches the cache line of @p at, which is asked for soon: anything, also NULL; nothing changes. The empty statement keeps GCC 12 from leaving out calls of
 * functions that do nothing else.
 */
static inline __attribute__((always_inline)) void ww_host_fetch(const void *at)
{
    __builtin_prefetch(at);
    __asm__ volatile("");
}

/** An edge count of one clock domain. Edge 0 is the first. Never a plain int. */
typedef uint64_t WwCycle;

/** Ordinal of a tick: one step of the machine, in which one or more clock domains fire. */
typedef uint64_t WwTick;

/** "No such cycle": later than every other one. */
#define WW_NEVER UINT64_MAX

/**
 * Error domain of everything a user can get wrong: text, files, modules, wiring.
 * A message is one line, complete by itself: where, what is wrong, what was expected. Further lines (the
 * source line and a caret) may follow after '\n'.
 */
#define WW_ERROR (ww_error_quark())
/** What WW_ERROR stands for. */
WW_API GQuark ww_error_quark(void);

/** Codes of WW_ERROR: whose fault it is. */
typedef enum WwErrorCode {
    WW_ERROR_INPUT,  /**< A file or a text cannot be read or is malformed. */
    WW_ERROR_USAGE,  /**< A name, an option or a value is unknown or out of range. */
    WW_ERROR_WIRING, /**< Ports, order or platform structure do not fit. */
    WW_ERROR_MODULE, /**< A module cannot be loaded or its descriptors are bad. */
    WW_ERROR_MODEL,  /**< A run met something that its machine cannot do. */
    WW_ERROR_SYSTEM, /**< The operating system refused. */
} WwErrorCode;

/** Sets @p error (may be NULL) and returns false, so that a check reads `return ww_fail(error, ...)`. */
WW_API bool ww_fail(GError **error, WwErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/** What a text from outside may be. */
typedef struct WwTextLimits {
    uint32_t bytes;       /**< Of the whole; at most 2 GiB. */
    uint32_t line;        /**< Of one line; 0: no limit. */
    const char *expected; /**< What it should be, for messages: "a script". */
} WwTextLimits;
/** Does a text begin with a byte order mark, of UTF-8 or UTF-16? No reader of ours takes one: it would be a part of the first word. */
WW_API bool ww_begins_with_mark(const void *text, size_t length);
/** Refuses what no text holds (a byte order mark, NULs, other control characters, broken UTF-8) and lines that are too long; the error names the line. */
WW_API bool ww_check_text(const char *name, const char *text, size_t length,
                          const WwTextLimits *limits, GError **error);
/**
 * Reads a whole text, of a file, a pipe or a device: never more than the limit. @p text gets a newly allocated one with a NUL behind it.
 */
WW_API bool ww_read_text(const char *path, const WwTextLimits *limits, char **text, size_t *length,
                         GError **error);

/** Always on: an invariant of ours. Prints file, line and text, then aborts; never for user input. */
#define ww_assert(condition)                                                                       \
    do {                                                                                           \
        if (G_UNLIKELY(!(condition))) {                                                            \
            ww_assert_failed(__FILE__, __LINE__, #condition);                                      \
        }                                                                                          \
    } while (0)
/** For whoever ends the process, before it says why: returns in the first thread that calls it, also again; any other waits for the end. For handlers, too. */
WW_API void ww_end_alone(void);
/** Out of line: what ww_assert() does when @p what, its condition as text, does not hold. */
WW_API void ww_assert_failed(const char *file, int line, const char *what) G_GNUC_NORETURN;
/**
 * Ends the process with status 2 and one line: something that it cannot go on without is used up. @p what says what, and what would
 * help ("out of memory; expected ..."). Needs no memory itself.
 */
WW_API void ww_exhausted(const char *what) G_GNUC_NORETURN;
/** Calls @p fn, once, before ww_exhausted() says so and ends the process: to remove what is half written. It may not allocate. */
WW_API void ww_before_exhaustion(void (*fn)(void));
/** What ww_exhausted() is called with when memory is refused. */
#define WW_OUT_OF_MEMORY                                                                           \
    "out of memory; expected more of it, a smaller machine, or a higher limit (ulimit -v)"

/** Where a thing was written down, for errors. @c file is interned or static; line 0 means "no place". */
typedef struct WwLocation {
    const char *file;
    uint32_t line;
    uint32_t column;
} WwLocation;

/**
 * The entry of @p names (n strings) closest to @p word by edit distance, or NULL when none is near
 * (distance over a third of its length, at least 1). For "did you mean".
 */
WW_API const char *ww_closest(const char *word, const char *const *names, size_t n);
