/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Platforms: text that composes components into a machine. `.plat` files hold structure, `.conf`
 * files hold values.
 *
 *     g_autoptr(WwPlatform) platform = ww_platform_load(registry, "volta", dirs, &error);
 *     g_autoptr(WwOverrides) values = ww_overrides_new();
 *     ww_overrides_add_file(values, "qv100.conf", dirs, &error);
 *     ww_overrides_add_text(values, "sm.scheduler=scheduler.gto", "-s", &error);
 *     g_autoptr(WwMachine) machine = ww_platform_elaborate(platform, values, &elaboration, &error);
 *     ww_bind_external(...);
 *     ww_machine_seal(machine, &error);
 *
 * The language is in docs/platform-language.md; its grammar heads platforms/src/parser.c. A GPU of
 * 80 SMs elaborates in a few milliseconds: a composite is evaluated once for each distinct set of
 * values and then replicated.
 */
#pragma once

#include <stdio.h>
#include <warpwright/machine.h>

/** A platform that was read, with what it imports. Free with ww_platform_free(). */
typedef struct WwPlatform WwPlatform;
/** Assignments from outside a platform: ww_overrides_new(). */
typedef struct WwOverrides WwOverrides;
/** What is known of each value of a machine that was built: where it comes from, and what it replaced. Free with ww_elaboration_free(). */
typedef struct WwElaboration WwElaboration;

/* ---- platforms ----------------------------------------------------------------------------- */

/**
 * Reads a platform and everything it imports. @p file_or_name is a file (it has a '/' or ends in
 * ".plat") or the name of NAME.plat in one of @p dirs (NULL-terminated, may be NULL), where imports
 * are looked up too. @p registry must outlive the platform; it is only asked when elaborating, so
 * that modules may still add types to it.
 */
WW_API WwPlatform *ww_platform_load(const WwRegistry *registry, const char *file_or_name,
                                    const char *const *dirs, GError **error);
/**
 * The same from memory; @p name stands for the file in messages, and imports are relative to it.
 */
WW_API WwPlatform *ww_platform_load_text(const WwRegistry *registry, const char *text,
                                         size_t length, const char *name, const char *const *dirs,
                                         GError **error);
/** @p platform may be NULL. */
WW_API void ww_platform_free(WwPlatform *platform);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwPlatform, ww_platform_free)
/** Name of its machine. */
WW_API const char *ww_platform_name(const WwPlatform *platform);
/** Refuses machines of more than @p n components (default 1,000,000). */
WW_API void ww_platform_set_limit(WwPlatform *platform, uint32_t n);

/** A parameter of a composite. A `type like FAMILY` parameter is a STRING with `like` set. */
typedef struct WwCompositeParam {
    const WwParamRow
        *row; /**< `def` is the text of the default, NULL without one; offset is not used. */
    const char *like;
    WwLocation where;
} WwCompositeParam;

/** What a composite or machine looks like from outside; inherited things included. */
typedef struct WwCompositeInfo {
    const char *name;
    const char *base; /**< What it extends, or NULL. */
    const char *doc;  /**< Or NULL. */
    WwLocation where;
    bool machine;
    bool gated, partition;
    const WwCompositeParam *params;
    uint32_t n_params;
    const char *const *ports;
    uint32_t n_ports;
    const char *const *members;
    uint32_t n_members;
} WwCompositeInfo;

/** Called with each file that was read, in order of reading; the text is as it was then. */
typedef void (*WwFileFn)(void *user, const char *file, const char *text, size_t length);
/** The files of a platform: itself, then what it imports. */
WW_API void ww_platform_each_file(const WwPlatform *platform, WwFileFn fn, void *user);

/** Everything declared, in order of declaration (imports first); owned by the platform. */
WW_API const WwCompositeInfo *ww_platform_composites(const WwPlatform *platform, uint32_t *n);

/* ---- values -------------------------------------------------------------------------------- */

/**
 * Assignments from outside a platform, in the order of precedence: what is added later wins. So add
 * `.conf` files first, then what an importer found, then -s.
 */
WW_API WwOverrides *ww_overrides_new(void);
/** @p overrides may be NULL. */
WW_API void ww_overrides_free(WwOverrides *overrides);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwOverrides, ww_overrides_free)
/** Reads a `.conf` file; @p file_or_name and @p dirs as for ww_platform_load(). */
WW_API bool ww_overrides_add_file(WwOverrides *overrides, const char *file_or_name,
                                  const char *const *dirs, GError **error);
/** Reads `.conf` text; @p name stands for the file in messages. */
WW_API bool ww_overrides_add_conf(WwOverrides *overrides, const char *text, size_t length,
                                  const char *name, const char *const *dirs, GError **error);
/** Adds "PATTERN=VALUE"; @p origin ("-s") names it in messages. */
WW_API bool ww_overrides_add_text(WwOverrides *overrides, const char *assignment,
                                  const char *origin, GError **error);
/** Adds one assignment that was found at @p file, @p line (an importer's). */
WW_API bool ww_overrides_add(WwOverrides *overrides, const char *pattern, const char *value,
                             const char *file, uint32_t line, GError **error);
/**
 * Binary versions of the traces that the values are for (`traces sm_70 ...`, the last such line), and
 * the file that says so in @p by (may be NULL); NULL when none does.
 */
WW_API const uint32_t *ww_overrides_traces(const WwOverrides *overrides, uint32_t *n,
                                           const char **by);
/** Says so for an importer. */
WW_API void ww_overrides_set_traces(WwOverrides *overrides, const uint32_t *versions, uint32_t n,
                                    const char *by);
/**
 * Looks into one `.conf` file, not into what it includes: does a line of its own say that it is for
 * traces of @p version, and (@p preferred) before other configs that are?
 */
WW_API bool ww_conf_is_for(const char *file, uint32_t version, bool *preferred);
/** The `.conf` file that says that its values were compared with no reference (`not validated`, the last one), or NULL. */
WW_API const char *ww_overrides_not_validated(const WwOverrides *overrides);
/** The opcode map that the `.conf` files ask for (`opcodes NAME`, the last one; docs/opcodes.md), or NULL; @p by: file and line. */
WW_API const char *ww_overrides_opcodes(const WwOverrides *overrides, const char **by);
/**
 * The platform that the `.conf` files ask for (`platform NAME`, the last one), or NULL; @p by (may be NULL):
 * file and line, newly allocated.
 */
WW_API const char *ww_overrides_platform(const WwOverrides *overrides, char **by);

/** The `.conf` files, with what they include. */
WW_API void ww_overrides_each_file(const WwOverrides *overrides, WwFileFn fn, void *user);

/* ---- elaboration --------------------------------------------------------------------------- */

/** What an error says of a value whose pattern, in quotes before it, fits no parameter: for who can say more of that. */
#define WW_UNMATCHED "matches no parameter; expected the path of one"

/**
 * Builds the platform's machine, with @p overrides (may be NULL) applied. Not sealed: bind external
 * ports, then seal. @p elaboration (may be NULL) receives what is known about every value; it does
 * not need platform or overrides to stay, but it must be freed before the registry.
 */
WW_API WwMachine *ww_platform_elaborate(const WwPlatform *platform, const WwOverrides *overrides,
                                        WwElaboration **elaboration, GError **error);
/** @p elaboration may be NULL; the machine stays. */
WW_API void ww_elaboration_free(WwElaboration *elaboration);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwElaboration, ww_elaboration_free)

/** One place where a value was given. */
typedef struct WwCause {
    const struct WwCause *over; /**< What it replaced, or NULL. */
    const char *text;           /**< The value. */
    const char *from;           /**< "volta.plat:12:5", "-s sm.x=3", "default of fu.pipelined". */
} WwCause;

/** A parameter that stands in the expression of a value, or of another such parameter. */
typedef struct WwOrigin {
    const char *name, *text, *from; /**< "buffer", and its own value and place as in WwCause. */
    uint32_t depth; /**< 0: of the value itself; n: of the last one before it of depth n - 1. */
} WwOrigin;

/** One parameter of one or more alike components or composites. */
typedef struct WwSettingInfo {
    const char *path;  /**< "gpu.sm[*].issue[0..2].width": what has this very value. */
    const char *owner; /**< Component type or composite. */
    const WwParamRow *row;
    const WwValue *value;
    const char *text;
    const WwCause *cause; /**< The winner. */
    const WwOrigin *
        where; /**< With a pattern: the parameters that the winner is computed from, each once, down to those that are not computed; NULL: none, or no pattern. */
    uint32_t n_where;
    bool composite; /**< Belongs to a composite, not to a component. */
    bool unused;    /**< Of a composite: nothing of the platform goes by it. */
} WwSettingInfo;

/** Called for each setting; what @p setting points to is valid during the call. */
typedef void (*WwSettingFn)(void *user, const WwSettingInfo *setting);
/** Calls @p fn for every setting that @p pattern (as in a .conf; NULL: all) matches; returns how many. */
WW_API uint32_t ww_elaboration_each(const WwElaboration *elaboration, const char *pattern,
                                    WwSettingFn fn, void *user);
/**
 * The value at @p path, a pattern as in a `.conf` whose matches all have the same value. Owned by
 * the elaboration. NULL with @p error if nothing matches or the values differ.
 */
WW_API const WwValue *ww_elaboration_value(const WwElaboration *elaboration, const char *path,
                                           GError **error);
/**
 * Why the parameters that @p path matches have their values: text of a few lines, newly allocated.
 */
WW_API char *ww_elaboration_why(const WwElaboration *elaboration, const char *path, GError **error);
/** A value of the platform's own text (not of a library in a platform directory) that did not win. */
typedef struct WwClash {
    WwLocation where;  /**< The assignment. */
    const char *path;  /**< What it assigns to, as it is written: "issue[*].width". */
    const char *says;  /**< Its value. */
    const char *by;    /**< The config or option file that says otherwise. */
    const char *value; /**< What holds instead. */
} WwClash;
/**
 * Adds to an error of ww_machine_seal() about a port without peers which `remove` of the platform's text took
 * its wire away, if one did.
 */
WW_API void ww_elaboration_explain(WwElaboration *elaboration, GError *error);

/** Called for each clash; what @p clash points to is valid during the call. */
typedef void (*WwClashFn)(void *user, const WwClash *clash);
/**
 * Calls @p fn once for each assignment of the platform's own text that a config or an option file
 * replaced by another value. What the command line says (ww_overrides_add_text()) is no clash.
 */
WW_API void ww_elaboration_clashes(const WwElaboration *elaboration, WwClashFn fn, void *user);
/**
 * The component and port row behind boundary port @p name of the machine (for ww_bind_external());
 * false with @p error if there is no such port or it is not exactly one end.
 */
WW_API bool ww_elaboration_port(const WwElaboration *elaboration, const char *name,
                                WwComponent **component, int *row, GError **error);
/**
 * Writes the machine as one platform text without parameters or imports that elaborates to the same
 * machine. Whether @p out could be written is for its owner to ask.
 */
WW_API bool ww_platform_write_resolved(const WwElaboration *elaboration, FILE *out, GError **error);
