/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parameters as facts of a checkpoint. Where one copy of a group has a value of its own, an elaboration keeps every parameter of the group apart, those
 * that are all alike, too: `cluster[0..3].sms`, `cluster[3].sms`, `cluster[4..80].sms`. Here what has the same value is one again, so that what differs is
 * what is named. How groups are told apart comes behind, by group: machines are built after that.
 */
#include "checkpoint.h"

#include <stdlib.h>
#include <string.h>

#define MOST_INDICES 16u

/* "cluster[4..80].sm[*].warps": the text between its indices, and these. */
typedef struct Parameter {
    char *shape; /* "cluster[].sm[].warps" */
    char *value;
    uint32_t n;
    uint32_t from[MOST_INDICES], to[MOST_INDICES]; /* both 0: "*" */
    bool gone;                                     /* part of one before */
} Parameter;

typedef struct Parameters {
    GPtrArray *all;     /* Parameter */
    GHashTable *shapes; /* shape -> GPtrArray of Parameter */
    GPtrArray *groups;  /* char *: "gpu.cluster", as they come */
    GHashTable *parts;  /* of each of them: "[0..3] [3] [4..80]", GString */
} Parameters;

static void free_parameter(gpointer data)
{
    Parameter *p = data;
    g_free(p->shape);
    g_free(p->value);
    g_free(p);
}

static void free_list(gpointer list)
{
    g_ptr_array_unref(list);
}

/* False: it is none that can be taken apart, and stays as it is. */
static bool take_apart(Parameter *p, const char *path)
{
    GString *shape = g_string_new(NULL);
    bool good = true;
    for (const char *at = path; good && *at != '\0';) {
        g_string_append_c(shape, *at);
        if (*at++ != '[') {
            continue;
        }
        char *end = (char *)at;
        good = p->n < MOST_INDICES;
        if (good && *at == '*') {
            end++;
        } else if (good) {
            p->from[p->n] = (uint32_t)strtoul(at, &end, 10);
            p->to[p->n] = p->from[p->n] + 1;
            if (g_str_has_prefix(end, "..")) {
                p->to[p->n] = (uint32_t)strtoul(end + 2, &end, 10);
            }
        }
        p->n++;
        good = good && end != at && *end == ']';
        at = end;
    }
    p->shape = g_string_free(shape, !good);
    return good;
}

static void free_text(gpointer text)
{
    g_string_free(text, true);
}

static void add_groups(Parameters *all, const char *path)
{
    for (const char *at = strchr(path, '['); at != NULL; at = strchr(at + 1, '[')) {
        g_autofree char *group = g_strndup(path, (gsize)(at - path));
        g_autofree char *part = g_strndup(at, strcspn(at, "]") + 1);
        GString *parts = g_hash_table_lookup(all->parts, group);
        if (parts == NULL) {
            parts = g_string_new(part);
            g_ptr_array_add(all->groups, g_strdup(group));
            g_hash_table_insert(all->parts, g_steal_pointer(&group), parts);
        } else if (strstr(parts->str, part) == NULL) {
            g_string_append_printf(parts, " %s", part);
        }
    }
}

static void add_parameter(void *user, const WwSettingInfo *s)
{
    Parameters *all = user;
    Parameter *p = g_new0(Parameter, 1);
    add_groups(all, s->path);
    if (!take_apart(p, s->path)) {
        p->n = 0;
        p->shape = g_strdup(s->path);
    }
    p->value = g_strdup(s->text);
    g_ptr_array_add(all->all, p);
    GPtrArray *list = g_hash_table_lookup(all->shapes, p->shape);
    if (list == NULL) {
        list = g_ptr_array_new();
        g_hash_table_insert(all->shapes, p->shape, list);
    }
    g_ptr_array_add(list, p);
}

/* Is @p b what comes behind @p a in index @p k, and equal in all else? */
static bool follows(const Parameter *a, const Parameter *b, uint32_t k)
{
    for (uint32_t i = 0; i < a->n; i++) {
        if (i == k ? b->from[i] != a->to[i] || b->to[i] == 0
                   : b->from[i] != a->from[i] || b->to[i] != a->to[i]) {
            return false;
        }
    }
    return strcmp(a->value, b->value) == 0;
}

/* How many copies index @p k tells apart: the highest end. */
static uint32_t copies(const GPtrArray *list, uint32_t k)
{
    uint32_t most = 0;
    for (guint i = 0; i < list->len; i++) {
        most = MAX(most, ((const Parameter *)list->pdata[i])->to[k]);
    }
    return most;
}

/* Inner indices first: copies of which all parts are alike are then alike themselves. */
static void put_together(GPtrArray *list)
{
    uint32_t n = list->len > 1 ? ((const Parameter *)list->pdata[0])->n : 0;
    for (uint32_t k = n; k-- > 0;) {
        uint32_t all = copies(list, k);
        for (guint i = 0; i < list->len; i++) {
            Parameter *p = list->pdata[i];
            for (guint j = i + 1; j < list->len && !p->gone; j++) {
                Parameter *next = list->pdata[j];
                if (!next->gone && follows(p, next, k)) {
                    p->to[k] = next->to[k];
                    next->gone = true;
                }
            }
            if (!p->gone && p->from[k] == 0 && p->to[k] == all) {
                p->to[k] = 0;
            }
        }
    }
}

static char *path_of(const Parameter *p)
{
    GString *out = g_string_new("parameter ");
    uint32_t k = 0;
    for (const char *at = p->shape; *at != '\0'; at++) {
        g_string_append_c(out, *at);
        if (*at != '[' || p->n == 0) {
            continue;
        }
        if (p->to[k] == 0) {
            g_string_append_c(out, '*');
        } else if (p->to[k] == p->from[k] + 1) {
            g_string_append_printf(out, "%u", p->from[k]);
        } else {
            g_string_append_printf(out, "%u..%u", p->from[k], p->to[k]);
        }
        k++;
    }
    return g_string_free(out, false);
}

void cli_checkpoints_parameters(CliCheckpoints *c, const WwElaboration *elaboration)
{
    Parameters all = {g_ptr_array_new_with_free_func(free_parameter),
                      g_hash_table_new_full(g_str_hash, g_str_equal, NULL, free_list),
                      g_ptr_array_new_with_free_func(g_free),
                      g_hash_table_new_full(g_str_hash, g_str_equal, g_free, free_text)};
    GHashTableIter iter;
    gpointer list;
    ww_elaboration_each(elaboration, NULL, add_parameter, &all);
    g_hash_table_iter_init(&iter, all.shapes);
    while (g_hash_table_iter_next(&iter, NULL, &list)) {
        put_together(list);
    }
    for (guint i = 0; i < all.all->len; i++) {
        const Parameter *p = all.all->pdata[i];
        if (!p->gone) {
            g_autofree char *name = path_of(p);
            cli_checkpoints_fact(c, name, p->value);
        }
    }
    for (guint i = 0; i < all.groups->len; i++) {
        const GString *parts = g_hash_table_lookup(all.parts, all.groups->pdata[i]);
        g_autofree char *name =
            g_strdup_printf("the division of %s", (const char *)all.groups->pdata[i]);
        cli_checkpoints_fact(c, name, parts->str);
    }
    g_ptr_array_unref(all.groups);
    g_hash_table_unref(all.parts);
    g_hash_table_unref(all.shapes);
    g_ptr_array_unref(all.all);
}
