/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The table of the reference's options: what each becomes. Private to the importer.
 */
#pragma once

#include <configs/import.h>

typedef enum ValueForm {
    FORM_NUMBER,    /**< One number to every path. */
    FORM_FLAG,      /**< 0 or 1 to a bool. */
    FORM_PAIR,      /**< "a,b" becomes the list [a, b]. */
    FORM_FIELDS,    /**< Fields separated by ',' or ':', one to each path; "-" as a path: not used. */
    FORM_MHZ,       /**< Fields in MHz. */
    FORM_WORD,      /**< Looked up in `words`. */
    FORM_LIST,      /**< `unit` numbers separated by ','; becomes the list [a, b, ...]. */
    FORM_THREADS,   /**< "threads:warp size": hardware warps. */
    FORM_SPECIAL,   /**< "enabled,units,latency,id_oc,oc_ex,name" of specialised unit number `unit`. */
    FORM_DERIVED,   /**< Kept for a rule over several options (derive()). */
} ValueForm;

/** A word of FORM_WORD, which may have an argument. */
typedef struct Word {
    const char *word, *value;
    const char *form; /**< NULL, or what the option's value must look like: fields separated by ':', N the argument, */
    const char *path; /**< and the parameter that it sets. */
} Word;

typedef struct Option {
    const char *name;         /**< With its leading '-'. */
    const char *def;          /**< The reference's built-in default; NULL: none. */
    ValueForm form;
    const char *const *paths; /**< NULL-terminated. */
    const Word *words;
    uint32_t unit;            /**< FORM_SPECIAL: of the unit; FORM_LIST: how many numbers. */
} Option;

/** The modelled option @p name, or NULL. */
const Option *option_find(const char *name);
/** The i-th modelled option, or NULL behind the last. */
const Option *option_at(size_t i);
