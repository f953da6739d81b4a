/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The table of the reference's options: what each becomes. Private to the importer.
 */
#pragma once

#include <compat/import.h>

typedef enum ValueForm {
    FORM_NUMBER,  /**< One number to every path. */
    FORM_LONG,    /**< The same of 64 bits. */
    FORM_FLAG,    /**< 0 or 1 to a bool. */
    FORM_SWITCH,  /**< A number of 8 bits to a bool: is it another than 0? */
    FORM_PAIR,    /**< "a,b" becomes the list [a, b]. */
    FORM_TEXT,    /**< As it is, to every path. */
    FORM_CHOICE,  /**< Exactly one of `words`; several rows of one word set several parameters. */
    FORM_REFUSED, /**< Of the value in `words` alone, which changes nothing; any other is an error, its reason that word's `value`. */
    FORM_NETWORKS, /**< Any number of networks from 2 on: the third and later ones do nothing. */
    FORM_FIRST,    /**< The first of numbers separated by ',' or ':' to every path. */
    FORM_FIELDS,   /**< Numbers separated by ',' or ':', one to each path. */
    FORM_WIDTHS,   /**< The same of pipeline widths. */
    FORM_MHZ,      /**< Fields in MHz. */
    FORM_WORD,     /**< Looked up in `words`. */
    FORM_LIST, /**< `unit` (0: any number of) numbers separated by ','; becomes the list [a, b, ...]. */
    FORM_CACHE, /**< A cache: paths are those of the cache and of a switch for "none"; "" if it has none. */
    FORM_DRAM, /**< "nbk=16:CCD=2:..." or the numbers alone, to parameters of the path in lower case. */
    FORM_THREADS, /**< "threads:warp size": hardware warps. */
    FORM_SPECIAL, /**< "enabled,units,latency,id_oc,oc_ex,name" of specialised unit number `unit`. */
    FORM_DERIVED, /**< Kept for a rule over several options (derive()). */
} ValueForm;

/** A word of FORM_WORD, which may have an argument, or of FORM_CHOICE. */
typedef struct Word {
    const char *word, *value;
    const char *
        form; /**< NULL, or what the option's value must look like: fields separated by ':', N the argument, */
    const char *
        path; /**< and the parameter that it sets. FORM_CHOICE: sets this instead of the option's paths. */
} Word;

typedef struct Option {
    const char *name; /**< With its leading '-'. */
    const char *def;  /**< The reference's built-in default; NULL: none. */
    ValueForm form;
    const char *const *paths; /**< NULL-terminated. */
    const Word *words;
    uint32_t unit; /**< FORM_SPECIAL: of the unit; FORM_LIST: how many numbers. */
} Option;

/** An option of the reference of which nothing becomes anything. */
typedef struct LeftOut {
    const char *name;
    WwOptionClass class;
    const char *why;
} LeftOut;

/** The option @p name that is left out, or NULL. */
const LeftOut *left_out_find(const char *name);
/** The i-th that is left out, or NULL behind the last. */
const LeftOut *left_out_at(size_t i);
/** The modelled option @p name, or NULL. */
const Option *option_find(const char *name);
/** The name of the reference's option, modelled or not, that is nearest to @p name, or NULL. */
const char *option_closest(const char *name);
/** The i-th modelled option, or NULL behind the last. */
const Option *option_at(size_t i);
