/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The checks that every component type must pass without any work by its author. Each answers NULL, or why the type fails (newly
 * allocated), so that deliberately faulty types can be shown to be caught.
 */
#pragma once

#include <warpwright/harness.h>

typedef char *(*Check)(const WwRegistry *registry, const WwType *type);

typedef struct NamedCheck {
    const char *name;
    Check check;
} NamedCheck;

/** Ends with a NULL name. */
extern const NamedCheck checks[];
