/* SPDX-License-Identifier: Apache-2.0 */
/** @file `warpwright inspect`: one file for types, one for machines, one for graphs. */
#pragma once

#include "cli-priv.h"

typedef enum InspectForm { INSPECT_TEXT, INSPECT_JSON, INSPECT_MARKDOWN } InspectForm;

/* ---- types (inspect_type.c) ------------------------------------------------------------------------------------- */

/** All types by family; Markdown: the whole component reference. Fakes and faulty types only with @p all. */
void inspect_types(const WwRegistry *registry, InspectForm form, bool all, FILE *out);
void inspect_type(const WwRegistry *registry, const WwType *type, InspectForm form, FILE *out);

/* ---- machines (inspect_machine.c, inspect_dot.c) ---------------------------------------------------------------- */

/** One binding of alike components: ends are patterns ("gpu.sm[*].issue[*].hazard"). */
typedef struct InspectWire {
    char *from, *to;                 /**< Patterns of the components. */
    const char *from_port, *to_port; /**< NULL for a channel's end. */
    bool interface;
    uint32_t n;
} InspectWire;

/** Components of one pattern. */
typedef struct InspectPart {
    char *pattern;
    const WwType *type; /**< Of the first. */
    bool mixed;         /**< Others have another type. */
    uint32_t n;
} InspectPart;

typedef struct InspectMachine {
    GPtrArray *parts;    /**< InspectPart, in order of creation. */
    GHashTable *part_of; /**< Pattern -> InspectPart. */
    GPtrArray *wires;    /**< InspectWire, in order of binding. */
    GHashTable *wire_of;
} InspectMachine;

InspectMachine *inspect_machine_new(WwMachine *machine);
void inspect_machine_free(InspectMachine *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InspectMachine, inspect_machine_free)

/** Tree of components, then connections; alike parts once, with how many there are. */
void inspect_machine_text(const InspectMachine *view, const char *title, FILE *out);
/** Every component with its parameters, and every binding. */
void inspect_machine_json(WwMachine *machine, FILE *out);
/** A graph for `dot`: groups are boxes around their parts. */
void inspect_machine_dot(const InspectMachine *view, const char *title, FILE *out);
