/* SPDX-License-Identifier: Apache-2.0 */
/** @file Running the command as a user does, and looking at what it says. */
#pragma once

#include <glib.h>
#include <stdbool.h>

/** What a run of the command left. */
typedef struct Tool {
    int status; /**< Exit status; -signal when a signal ended it. */
    char *out, *err;
    long kib;    /**< Most memory that it had; of tool_end() only. */
    double busy; /**< Seconds of processor time that it used; of tool_end() only. */
} Tool;

/** Runs $WARPWRIGHT with these arguments (NULL-terminated). */
Tool tool_run(const char *first, ...) G_GNUC_NULL_TERMINATED;
void tool_clear(Tool *tool);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Tool, tool_clear)

/** Fails the test, with everything the command said, unless it ended with @p status. */
void tool_status(const Tool *tool, int status);
/** Fails unless @p text (tool->out or tool->err) contains @p part. */
void tool_says(const Tool *tool, const char *text, const char *part);
/** Fails unless the command refused with status 2, one line on stderr that contains @p part, and nothing on stdout. */
void tool_refuses(const Tool *tool, const char *part);

/* ---- runs that are going on, or whose stdout is something else -------------------------------------------------- */

typedef struct ToolRun {
    GPid pid;
    int err;       /**< Read end of its stderr. */
    GString *said; /**< What was read of it. */
} ToolRun;

enum { TOOL_CLOSED = -1, TOOL_NULL = -2 };

/** Starts $WARPWRIGHT; its stdout is descriptor @p out, /dev/null, or closed. */
ToolRun tool_start(int out, const char *first, ...) G_GNUC_NULL_TERMINATED;
/** Reads its stderr until that contains @p part; fails at the end of it. */
void tool_until(ToolRun *run, const char *part);
/** Seconds of processor time that it has used so far. */
double tool_busy(ToolRun *run);
/** Waits until it has used so much processor time; for work that nothing tells of. */
void tool_until_busy(ToolRun *run, double seconds);
/** Waits until there are bytes of what is to become file @p path, under the name that it has until it is whole. */
void tool_until_written(ToolRun *run, const char *path);
/** Waits for its end. */
Tool tool_end(ToolRun *run);
/** The write end of a pipe that nobody reads. */
int tool_broken_pipe(void);

/** Path of a file in the folder of this test program's run; the same for the same name. */
const char *tool_path(const char *name);
char *tool_read(const char *path);
/**
 * A trace of @p kernels kernels, each of 4 CTAs of 64 threads that load, compute and store; written once. A folder with a
 * kernelslist.g.
 */
const char *tool_trace(int kernels);
/** A compressed file at @p path that is small, and blank lines for hours when it is read. */
void tool_make_endless(const char *path);
/** Path of a file of the source tree. */
const char *tool_source(const char *name);
/** Path of a module among the test program's own. */
const char *tool_module(const char *name);

/** Runs the tests that were added, then removes the folder of tool_path(); what main() returns. */
int tool_test_run(void);
