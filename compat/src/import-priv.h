/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What the importer's files share: options as they were given, and how one becomes assignments. Private to the importer.
 */
#pragma once

#include "options.h"

typedef struct Place {
    const char *file;
    uint32_t line;
} Place;

/* One option as it was last given. */
typedef struct Given {
    char *value;
    Place at;
} Given;

typedef struct Import {
    const WwImportOptions *options;
    GHashTable *given; /* name -> Given */
    GPtrArray *order;  /* names in the order in which they were given last */
    WwOverrides *out;
    uint32_t n_left[WW_N_OPTION_CLASSES];
    GString *left[WW_N_OPTION_CLASSES];
} Import;

/** Turns @p g, a value of @p o, into assignments; false and one line in @p error if it is malformed. */
bool import_apply(Import *in, const Option *o, const Given *g, GError **error);
/** Assigns @p value to what @p path matches, in the name of @p g. */
bool import_assign(Import *in, const char *path, const char *value, const Given *g, GError **error);
/** Says that @p path was read. */
void import_tell_file(const Import *in, const char *path);
/** Reads a decimal number of 32 bits. */
bool import_number(const char *text, uint64_t *out);
/** Reads the network's settings (icnt.c) from the file that @p named, the option -inter_config_file, names. */
bool import_icnt(Import *in, const Given *named, GError **error);
