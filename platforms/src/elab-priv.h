/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What elaboration makes of a platform: a graph of nodes, one for each distinct part, that array
 * elements share.
 *
 * Workload: a GPU of 80 alike SMs of 70 components has some hundred nodes; only build.c works per
 * component. What sets a value travels down the tree as a list of items: an edit of the platform or
 * an override, and how much of its path is behind. Inner edits come before outer ones, overrides
 * last, in their order: the last one wins. Private to platforms/src.
 */
#pragma once

#include "platform-priv.h"

typedef struct Node Node;

/** An edit (or, with edit NULL, an override) on its way to where its path ends. */
typedef struct Item {
    const Edit *edit;
    Node *scope;     /**< Edits: whose parameters their expressions mean. */
    uint32_t global; /**< Overrides: index. */
    uint32_t pos;    /**< Path elements behind. */
    bool anchored;   /**< Overrides: matched from the root. */
} Item;

typedef struct Items {
    VEC(Item) list;
    GHashTable *first; /**< Many: next name of the path -> index + 1 of the first such item, */
    uint32_t *next;    /**< and of the one after each; 0: none. */
} Items;

/** Where a value was given; as text only when somebody asks: elab_cause(). */
typedef struct Cause {
    WwCause told;
    struct Cause *over;
    const WwParamRow *row;
    WwValue value;
    WwLocation at;
    const WwType *type; /**< Whose default it is; NULL: of none. */
} Cause;

typedef struct Setting {
    WwValue value;
    Cause *cause;         /**< NULL: the type's default, value not filled in. */
    const Edit *own;      /**< The last assignment of the user's own platform text, or NULL; */
    Cause *own_cause;     /**< what it says; */
    const Override *over; /**< and the last override, or NULL. */
    WwLocation final;     /**< Where the platform says `final`; line 0: nowhere. */
    uint8_t state;        /**< 0 not yet, 1 being evaluated, 2 done. */
    bool read;            /**< Of a composite: something of the platform goes by it. */
} Setting;

typedef struct Slot {
    const char *name;
    int row;
    Node *node;
    WwLocation at;
    uint32_t end_offset; /**< Providing component, from the slot's own first one. */
    int end_row;
} Slot;

/** Alike elements of an array. */
typedef struct Run {
    uint32_t start, end;
    uint32_t offset; /**< First component of element `start`, from the composite's first one. */
    Node *node;
} Run;

/** A member, evaluated. */
typedef struct Part {
    const Member *member;
    bool array;
    uint32_t count;
    VEC(Run) runs; /**< At least one; of an array without elements one empty run. */
} Part;

/** One end of a wire: a port of a component, or (row -1) the component. */
typedef struct End {
    uint32_t offset; /**< Component, from the composite's first one. */
    int row;
    const Node *node;
} End;

typedef struct Ends {
    VEC(End) list;
} Ends;

/** One binding, ready to be replayed for every instance. */
typedef struct Join {
    uint32_t a, b;
    int16_t a_row, b_row;
    bool join; /**< ww_join(), else ww_bind(). */
    WwLocation at;
} Join;

/** How often a group of members runs, in one node. */
typedef struct Repeat {
    const Node *node;
    const Grouping *group;
    uint32_t times;
} Repeat;

/** A distinct part: a component with its slots, or a composite with its parts. */
struct Node {
    uint32_t id;
    const WwType *type; /**< NULL: a composite. */
    const Composite *composite;
    const char *phase; /**< In which its entry points run; NULL: as the type says. */
    WwLocation phase_at;
    WwLocation at;
    const TypeRef *ref; /**< What says its type; NULL: it is the machine. */
    const Node *scope;  /**< Whose parameters `ref` means, or NULL. */
    uint32_t n_params;
    Setting *setting;
    Items finals;          /**< Items that end here. */
    uint32_t *first_final; /**< By parameter: index + 1 of the first that sets it, */
    uint32_t *next_final;  /**< and of the one after each; 0: none. */
    uint32_t n_components;
    uint32_t n_groups; /**< Composites, and components with slots; of one instance. */
    uint32_t n_bindings,
        n_channels; /**< Of one instance: bindings, and channels that wires bring. */
    VEC(Slot) slots;
    Part *part;
    Ends *exports; /**< One per port of the composite. */
    VEC(Join) joins;
};

/** What is known of one override. */
typedef struct Global {
    const Override *o;
    bool anchored_only; /**< Found from the root: suffixes do not count. */
    uint32_t n_anchored, n_floating;
    const void *owner;        /**< Of the distinct parameters matched by suffix the first, */
    GHashTable *owners;       /**< and the others; NULL: none. */
    const char *missed;       /**< Why an index found no element, the first time; NULL: all did. */
    VEC(const char *) places; /**< The first of them. */
    GError *pending;          /**< A value refused by a suffix match. */
} Global;

/** Overrides whose path begins with one name, by precedence. */
typedef struct Starts {
    VEC(uint32_t) list;
} Starts;

typedef struct Vars {
    uint32_t n;
    const char *name[4];
    int64_t value[4];
} Vars;

struct WwElaboration {
    WwPlatform *platform;
    WwOverrides *overrides;
    const WwRegistry *registry;
    Arena arena;
    Sources sources;
    Global *global;
    uint32_t n_globals;
    GHashTable *starts; /**< Name -> Starts */
    GHashTable *bare;   /**< The same of those without a path, by the parameter's name. */
    Node *root;
    GString *path;                          /**< Of the node being evaluated, for messages. */
    const Composite *stack[PLAT_MAX_DEPTH]; /**< Being evaluated; NULL: a component. */
    uint32_t depth, n_nodes, eval_depth, expr_depth;
    GHashTable *repeats; /**< Set of Repeat, by node and group. */
    uint64_t steps;
    WwLocation failed; /**< Where the last error lies. */
    bool blamed;       /**< It is told who led there. */
    bool beyond;       /**< It is that a number is out of its range. */
    bool lacks_port; /**< The path just resolved ends in a port that its component does not have. */
    Ends left, right;        /**< Of the wire being resolved; reused. */
    WwComponent **component; /**< By offset from the root. */
    uint32_t n_components;
};

#define ELAB_FAIL(e, code, at, near, error, ...)                                                   \
    ((e)->failed = (at), (e)->blamed = (e)->beyond = false,                                        \
     plat_fail(&(e)->sources, (code), (at), (near), (error), __VA_ARGS__))

/* ---- blame.c ------------------------------------------------------------------------------- */

/*
 * Each says in an error that lies in a library's text, once, which statement of the user's led there: the one at @p at, if it is the user's;
 */
void elab_blame(WwElaboration *e, WwLocation at, GError **error);
/** the one that a parameter in @p x goes by; */
void elab_blame_expr(WwElaboration *e, const Node *scope, const Expr *x, GError **error);
/** the one that says a type; */
void elab_blame_type(WwElaboration *e, const Node *scope, const TypeRef *ref, GError **error);
/** the boundary port that gives port @p row of the component at @p offset in @p node. */
void elab_blame_end(WwElaboration *e, const Node *node, uint32_t offset, int row, GError **error);
/** Says in an error that an index is beyond @p count elements of @p node which config or option made them so few. */
void elab_blame_count(WwElaboration *e, const Node *node, const Expr *count, GError **error);
/** The same in an error about @p o: which `include` of the user's own config brought it. */
void elab_blame_include(WwElaboration *e, const Override *o, GError **error);

/* ---- expression.c -------------------------------------------------------------------------- */

/** A 64-bit integer, or, where something in its expression is one, a real number. */
typedef struct Number {
    const Expr *from; /**< The number or parameter that made it real; NULL: an integer. */
    int64_t integer;
    double real;
} Number;

bool elab_number(WwElaboration *e, Node *scope, const Vars *vars, const Expr *expr, Number *out,
                 GError **error);
/** As elab_number(); a real one is an error. */
bool elab_integer(WwElaboration *e, Node *scope, const Vars *vars, const Expr *expr, int64_t *out,
                  GError **error);
/** Is @p expr other than 0? NULL, no condition: yes. */
bool elab_condition(WwElaboration *e, Node *scope, const Vars *vars, const Expr *expr, bool *out,
                    GError **error);
/** An integer in least..most, called @p what in messages. */
bool elab_count(WwElaboration *e, Node *scope, const Vars *vars, const Expr *expr, int64_t least,
                int64_t most, const char *what, int64_t *out, GError **error);

/* ---- evaluate.c ---------------------------------------------------------------------------- */

/** A parameter of @p node near @p name, or NULL. */
const char *elab_near_own_param(WwElaboration *e, const Node *node, const char *name);
bool elab_value(WwElaboration *e, Node *scope, const WwParamRow *row, const char *like,
                const Value *value, WwValue *out, GError **error);
/** Evaluates parameter @p i of @p node if it is not yet. */
bool elab_param(WwElaboration *e, Node *node, uint32_t i, GError **error);
/** The same for what goes by its value. */
bool elab_read(WwElaboration *e, Node *node, uint32_t i, GError **error);
/** A part has the type that @p ref says: what it was taken from has been read. */
void elab_type_taken(Node *scope, const TypeRef *ref);
/** The cause "default of TYPE". */
Cause *elab_type_default(WwElaboration *e, const Node *node, uint32_t i);
/** With its texts, and those of what it replaced. */
const WwCause *elab_cause(WwElaboration *e, Cause *cause);
const WwParamRow *elab_row(const Node *node, uint32_t i);
/** Index of a parameter of a node, or -1. */
int elab_find_param(const Node *node, const char *name);
const char *elab_owner(const Node *node);
bool elab_type(WwElaboration *e, Node *scope, const TypeRef *ref, const WwType **type,
               const Composite **composite, GError **error);

/* ---- elaborate.c, match.c ------------------------------------------------------------------ */

bool elab_root(WwElaboration *e, GError **error);
/** Every override found its place, and only one kind of place. */
bool elab_match_names(WwElaboration *e, GError **error);
/** Runs of alike elements among @p count, with what applies to each. */
typedef struct Split {
    uint32_t start, end;
    Items items;
    uint32_t same; /**< Index of an earlier split with the same items, or its own. */
} Split;
typedef struct Splits {
    VEC(Split) list;
} Splits;
/** How many elements a member has. */
typedef struct Extent {
    bool array;
    uint32_t count;
    uint32_t
        size; /**< What an index is less than: more than `count` where a condition took the elements away. */
    const Node *node; /**< Whose member it is; */
    const Expr *expr; /**< what computed `count`, or NULL. */
} Extent;
bool elab_split(WwElaboration *e, Node *node, const Items *own, const Items *outer,
                const char *name, const Extent *extent, WwLocation at, Splits *out, GError **error);
/** Prints "name[a..b]" as paths show it. */
void elab_append_element(GString *out, const char *name, bool array, uint32_t count, uint32_t start,
                         uint32_t end);

/** How often members of @p group run in @p node. */
uint32_t elab_repeat(const WwElaboration *e, const Node *node, const Grouping *group);
/** Makes the next items of a name quick to find; elab_forget_names() gives the index back. */
void elab_index(WwElaboration *e, Items *items);
void elab_forget_names(Items *items);

/* ---- wires.c ------------------------------------------------------------------------------- */

/** Counts a unit of work, so that no short text makes endless work. */
bool elab_step(WwElaboration *e, WwLocation at, GError **error);
/** Resolves boundary ports and wires of a composite whose parts are evaluated. */
bool elab_wires(WwElaboration *e, Node *node, GError **error);
/** The run that holds element @p i. */
const Run *elab_run(const Part *part, uint32_t i);
const WwPortRow *elab_port_row(const WwType *type, int row);

/* ---- build.c ------------------------------------------------------------------------------- */

WwMachine *elab_build(WwElaboration *e, GError **error);
/** Frequency of a clock domain. */
bool elab_hz(WwElaboration *e, const Domain *domain, WwValue *out, GError **error);

/* ---- report.c ------------------------------------------------------------------------------ */

bool elab_setting_value(WwElaboration *e, const Node *node, uint32_t i, WwValue *out);
/** What the winner of a parameter is in the platform's text, and the part whose parameters it means; NULL: it is no such text. */
const Value *elab_winner(const Node *node, uint32_t i, const Node **scope);
/** Every parameter path without indices, newly allocated, for suggestions. */
void elab_param_paths(const WwElaboration *e, GPtrArray *out);
/** The path of a parameter that @p pattern, which matches none, may have meant, or NULL. */
const char *elab_near_param(WwElaboration *e, const Pattern *pattern);
/** Where the fact is now that @p pattern set when its type had such a parameter; NULL: none had. */
const char *elab_gone(const WwElaboration *e, const Pattern *pattern);
