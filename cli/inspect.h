/* SPDX-License-Identifier: Apache-2.0 */
/** @file `warpwright inspect`: one file for types, one for machines, one for graphs. */
#pragma once

#include "cli-priv.h"
#include "json.h"

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

/** Components of one pattern; or, in a narrowed view, a closed group with all that is in it. */
typedef struct InspectPart {
    char *pattern;
    const WwType *type; /**< Of the first; NULL: a closed group. */
    bool mixed;         /**< Others have another type. */
    bool
        outside; /**< Of another group than the one that is shown; here because a wire leads to it. */
    uint32_t n;      /**< Components; of a closed group: how often the group is there. */
    uint32_t inside; /**< Components of a closed group. */
    bool unlike;     /**< Of a closed group that is there several times: what is in it differs. */
} InspectPart;

/** How often a part or group is in one of what it is in: so many at least, so many at most. */
typedef struct InspectSpread {
    guint least, most;
    guint parents; /**< Of those that have any. */
} InspectSpread;

typedef struct InspectMachine {
    WwMachine *machine;
    GPtrArray *parts;    /**< InspectPart, in order of creation. */
    GHashTable *part_of; /**< Pattern -> InspectPart. */
    GPtrArray *wires;    /**< InspectWire, in order of binding. */
    GHashTable *wire_of;
    GHashTable *group_of;  /**< Pattern of a group -> how often it is there. */
    GHashTable *spread_of; /**< Pattern -> InspectSpread. */
    char *root;            /**< The one group that is shown, or NULL; */
    char *element;         /**< which of its elements, as a path; NULL: they are alike. */
} InspectMachine;

InspectMachine *inspect_machine_new(WwMachine *machine);
void inspect_machine_free(InspectMachine *view);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(InspectMachine, inspect_machine_free)

/** Empty lists that own what is put into them. */
GPtrArray *inspect_parts_new(void);
GPtrArray *inspect_wires_new(void);
/** Collects the lists anew: of what the view has an `element` of, only that element. */
void inspect_machine_collect(InspectMachine *view);
/** The begin of @p path that has as many words as pattern @p root, newly allocated; NULL: it has fewer, or no more. */
char *inspect_element(const char *path, const char *root);
/** Has the view the component at @p path? */
bool inspect_machine_has(const InspectMachine *view, const char *path);
InspectSpread inspect_spread(const InspectMachine *view, const char *pattern);
/** "80 parts" of a closed group, "some 80 parts" of several that are not alike, which have so many in the mean. Newly allocated. */
char *inspect_inside_text(const InspectPart *part);
/** " ×4", or " ×2–8" where not all have as many; "" for one everywhere. Newly allocated. */
char *inspect_spread_text(InspectSpread spread);
/**
 * Leaves of the view what @p only (NULL: everything) names - a group, by the end of its path, with indices one element of it - and what
 * it is joined to. Without indices it is one of several, and the first with a note where they are not alike. And closes the groups below @p depth levels (0: none): each becomes one part (inspect_view.c).
 */
bool inspect_machine_narrow(InspectMachine *view, const char *only, guint depth, GError **error);
/** Length of the path of the innermost group that holds both ends of a wire, with its dot. */
size_t inspect_common_group(const InspectWire *wire);
/** Tree of components, then connections; alike parts once, with how many there are. */
void inspect_machine_text(const InspectMachine *view, const char *title, FILE *out);

/* ---- the order of a tick (inspect_order.c) ------------------------------------------------------ */

/** Every phase of a sealed machine; elements of an array that stand in a row and do the same are one line. */
void inspect_order_text(const WwMachine *machine, FILE *out);

/* ---- JSON (inspect_json.c) -------------------------------------------------------------------------------------- */

/** Every component with its parameters, every binding, where each value comes from, and the order (when @p order_error is NULL). */
void inspect_machine_json(WwMachine *machine, const WwElaboration *elaboration, const char *name,
                          const char *order_error, FILE *out);
/** What a parameter takes, as keys of @p o: "kind", "unit", and where they say something "min", "max", "choices" (inspect_type.c). */
void inspect_range_json(json_t *o, const WwParamRow *p);
/** The order of each phase of a sealed machine. */
void inspect_order_json(WwMachine *machine, FILE *out);
/** The values that @p path matches, and where they come from. */
bool inspect_why_json(const WwElaboration *elaboration, const char *path, FILE *out,
                      GError **error);

/* ---- graphs (inspect_dot.c) ------------------------------------------------------------------------------------- */

/** A graph for `dot`: groups are boxes around their parts. */
void inspect_machine_dot(const InspectMachine *view, const char *title, FILE *out);
