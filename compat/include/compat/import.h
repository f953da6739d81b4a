/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Importing the reference's option files (gpgpusim.config, trace.config, or a few overrides) as assignments to a platform.
 */
#pragma once

#include <platforms/platform.h>

/** What becomes of an option that the platform has no parameter for. */
typedef enum WwOptionClass {
    WW_OPTION_MODELLED,      /**< Becomes one or more assignments. */
    WW_OPTION_FUNCTIONAL,    /**< No effect on timing in trace-driven mode. */
    WW_OPTION_POWER,         /**< Power model. */
    WW_OPTION_VISUALISATION, /**< Visualiser, logs, printing. */
    WW_OPTION_TIMING,        /**< Changes timing and is not modelled: an error when strict. */
    WW_OPTION_UNKNOWN,       /**< The reference has no such option, as far as we know. */
    WW_N_OPTION_CLASSES
} WwOptionClass;

/** How files of the reference are read. Zero-initialise: unknown options are errors, and nobody is told of what is left out. */
typedef struct WwImportOptions {
    bool
        complete; /**< The files are the whole configuration: options that are absent take the reference's built-in default. */
    bool strict;  /**< Timing options that are not modelled are errors. */
    bool
        ignore_unknown; /**< What is no option of the reference is left out, and noted; else it is an error. */
    bool verbose; /**< Notes name every option that was left out; else harmless ones are counted. */
    /** Receives a line on each class of options left out, or on all harmless ones (no newline); NULL: nobody. */
    void (*note)(void *user, const char *message);
    void *note_user;
    /** Receives the name of each file that was read, also of one that an option names; NULL: nobody. */
    void (*file)(void *user, const char *path);
    void *file_user;
} WwImportOptions;

/**
 * Reads @p files (NULL-terminated, later ones win, as do later lines) and adds what they say to @p overrides. The error names file and
 * line; nothing is added then.
 */
WW_API bool ww_gpgpusim_import(WwOverrides *overrides, const char *const *files,
                               const WwImportOptions *options, GError **error);

/** What becomes of one option of the reference. */
typedef struct WwOptionInfo {
    const char *name; /**< With its leading '-'. */
    const char *def;  /**< The reference's own default, where the importer knows it; or NULL. */
    WwOptionClass class;
    const char *const
        *paths;       /**< Parameters that it sets, NULL-terminated, "" not counting; or NULL. */
    const char *what; /**< What else there is to say, such as why it is left out. */
} WwOptionInfo;

/** The @p i-th option that the importer knows, in no order; false behind the last. */
WW_API bool ww_gpgpusim_option(uint32_t i, WwOptionInfo *out);

/** The class of one option ("-gpgpu_n_clusters"); for lists and tests. */
WW_API WwOptionClass ww_gpgpusim_class(const char *option);
