/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a descriptor by name. */
#include "machine-priv.h"

#include <string.h>

int ww_type_param(const WwType *type, const char *name)
{
    const WwParamRow *row;
    for (WW_ROWS(type->params, row)) {
        if (strcmp(row->name, name) == 0) {
            return (int)(row - type->params);
        }
    }
    return -1;
}

int ww_type_port(const WwType *type, const char *name)
{
    const WwPortRow *row;
    for (WW_ROWS(type->ports, row)) {
        if (strcmp(row->name, name) == 0) {
            return (int)(row - type->ports);
        }
    }
    return -1;
}

const char *ww_type_gone(const WwType *type, const char *name)
{
    const WwGoneRow *row;
    for (WW_ROWS(type->gone, row)) {
        if (strcmp(row->name, name) == 0) {
            return row->now;
        }
    }
    return NULL;
}

int ww_type_stat(const WwType *type, const char *name)
{
    const WwStatRow *row;
    for (WW_ROWS(type->stats, row)) {
        if (strcmp(row->name, name) == 0) {
            return (int)(row - type->stats);
        }
    }
    return -1;
}

int ww_type_entry(const WwType *type, const char *name)
{
    const WwEntryRow *row;
    for (WW_ROWS(type->entries, row)) {
        if (strcmp(row->name, name) == 0) {
            return (int)(row - type->entries);
        }
    }
    return -1;
}
