/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a descriptor by name. */
#include "machine-priv.h"

#include <string.h>

/* Most names begin otherwise. */
static inline bool same(const char *a, const char *b)
{
    return a[0] == b[0] && strcmp(a, b) == 0;
}

int ww_type_param(const WwType *type, const char *name)
{
    const WwParamRow *row;
    for (WW_ROWS(type->params, row)) {
        if (same(row->name, name)) {
            return (int)(row - type->params);
        }
    }
    return -1;
}

int ww_type_port(const WwType *type, const char *name)
{
    const WwPortRow *row;
    for (WW_ROWS(type->ports, row)) {
        if (same(row->name, name)) {
            return (int)(row - type->ports);
        }
    }
    return -1;
}

const char *ww_type_gone(const WwType *type, const char *name)
{
    const WwGoneRow *row;
    for (WW_ROWS(type->gone, row)) {
        if (same(row->name, name)) {
            return row->now;
        }
    }
    return NULL;
}

int ww_type_stat(const WwType *type, const char *name)
{
    const WwStatRow *row;
    for (WW_ROWS(type->stats, row)) {
        if (same(row->name, name)) {
            return (int)(row - type->stats);
        }
    }
    return -1;
}

int ww_type_entry(const WwType *type, const char *name)
{
    const WwEntryRow *row;
    for (WW_ROWS(type->entries, row)) {
        if (same(row->name, name)) {
            return (int)(row - type->entries);
        }
    }
    return -1;
}
