/* SPDX-License-Identifier: Apache-2.0 */
/** @file What the two files of `warpwright complete` share. */
#pragma once

#include "page.h"

typedef struct Completion {
    char **words; /**< Of the command line, behind `warpwright`; the last one is completed. */
    guint n;      /**< Of them. */
    const char
        *prefix; /**< What every candidate begins with: "--report=" of the last word, or "". */
    const char *begun; /**< What is behind that. */
} Completion;

/** Prints a candidate if the word may become it. */
void complete_offer(const Completion *c, const char *candidate);
/** Offers all that a value or argument may be that is called @p name in help; false: nobody knows the name. */
bool complete_kind(const Completion *c, const char *name);
