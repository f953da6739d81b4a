/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of groups and components. A machine has thousands, and printf would show in the time that a run takes to begin. */
#include "machine-priv.h"

#include <warpwright/event_log.h>

/* "sm[3]" behind what there is; an index below 0: none. */
static void append_name(GString *s, const char *name, int64_t index)
{
    char digits[40]; /* ten of them, and what a number may change behind it */
    if (s->len != 0) {
        g_string_append_c(s, '.');
    }
    g_string_append(s, name);
    if (index >= 0) {
        g_string_append_c(s, '[');
        g_string_append_len(s, digits, ww_event_number(digits, (uint64_t)index) - digits);
        g_string_append_c(s, ']');
    }
}

static void append_group_path(GString *s, const WwGroup *g)
{
    if (g == NULL) {
        return;
    }
    append_group_path(s, g->parent);
    if (g->name != NULL) {
        append_name(s, g->name, g->spec.array ? (int64_t)g->spec.index : -1);
    }
}

char *ww_group_path(const WwGroup *group)
{
    GString *s = g_string_new(NULL);
    append_group_path(s, group);
    return g_string_free(s, false);
}

char *ww_path(const void *self)
{
    const WwComponent *c = self;
    GString *s = g_string_new(NULL);
    append_group_path(s, c->group);
    append_name(s, c->name, c->index);
    return g_string_free(s, false);
}
