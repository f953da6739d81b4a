/* SPDX-License-Identifier: Apache-2.0 */
/** @file What all pages have around their parts: head, links, foot, scripts that are named by their hashes. */
#pragma once

#include "html.h"

/** A part of a page: what its heading's section is called, and its link says. */
typedef struct FramePlace {
    const char *id, *text;
} FramePlace;

typedef struct Frame {
    const char *title;          /**< Of the document. */
    const char *heading;        /**< The page's own. */
    const char *no_script;      /**< What a reader without scripts is told. */
    const char *version;        /**< Of the program. */
    const char *const *scripts; /**< All that may run; NULL-terminated. */
    const FramePlace *places;   /**< Ends with one without an id. */
} Frame;

/** Everything up to the first part; html_close() after the last one. */
void frame_begin(Html *h, const Frame *frame);
/** What the page was made of: "the files named above". */
void frame_foot(Html *h, const Frame *frame, const char *of);
/** The scripts, and the end of the document. */
void frame_end(Html *h, const Frame *frame);

/** In a list of class "tiles": a figure, and what it is. */
void frame_tile(Html *h, const char *what, const char *value);
