/* SPDX-License-Identifier: Apache-2.0 */
/* Names in a composite: of members, parameters and ports, and of those that it extends. */
#include "platform-priv.h"
#include <string.h>

#define FEW 16u /* names that are as well looked through */

/**
 * Looks @p name up among the @p n things of a composite, whose names @p name_of tells. An index is
 * made when there are many, and follows as more are added.
 */
static int find_name(const Composite *c, NameIndex *index, uint32_t n,
                     const char *(*name_of)(const Composite *c, uint32_t i), const char *name)
{
    if (n <= FEW) {
        for (uint32_t i = 0; i < n; i++) {
            const char *other = name_of(c, i);
            if (other == name ||
                (other != NULL && other[0] == name[0] && strcmp(other, name) == 0)) {
                return (int)i;
            }
        }
        return -1;
    }
    if (index->at == NULL) {
        *index = (NameIndex){.at = g_hash_table_new(g_str_hash, g_str_equal)};
    }
    for (; index->n < n; index->n++) {
        if (name_of(c, index->n) != NULL) {
            g_hash_table_insert(index->at, (gpointer)name_of(c, index->n),
                                GUINT_TO_POINTER(index->n + 1));
        }
    }
    return (int)GPOINTER_TO_UINT(g_hash_table_lookup(index->at, name)) - 1;
}

static const char *member_name(const Composite *c, uint32_t i)
{
    return c->members.v[i].name;
}

static const char *param_name(const Composite *c, uint32_t i)
{
    return c->params.v[i]->name;
}

static const char *port_name(const Composite *c, uint32_t i)
{
    return c->ports.v[i]->name;
}

int plat_member(const Composite *c, const char *name)
{
    return find_name(c, &((Composite *)c)->member_index, c->members.n, member_name, name);
}

int plat_param(const Composite *c, const char *name)
{
    return find_name(c, &((Composite *)c)->param_index, c->params.n, param_name, name);
}

int plat_port(const Composite *c, const char *name)
{
    return find_name(c, &((Composite *)c)->port_index, c->ports.n, port_name, name);
}

void plat_forget_names(Composite *c)
{
    g_clear_pointer(&c->member_index.at, g_hash_table_unref);
    g_clear_pointer(&c->param_index.at, g_hash_table_unref);
    g_clear_pointer(&c->port_index.at, g_hash_table_unref);
}

bool plat_extends(const Composite *c, const char *name)
{
    for (; c != NULL; c = c->base) {
        if (strcmp(c->name, name) == 0) {
            return true;
        }
    }
    return false;
}
