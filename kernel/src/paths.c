/* SPDX-License-Identifier: Apache-2.0 */
/* Paths of groups and components. A machine has thousands, and printf would show in the time that a run takes to begin. */
#include "machine-priv.h"

#include <warpwright/event_log.h>

#include <string.h>

/* A path that is written from its end on. */
typedef struct Path {
    char *text;
    size_t room, n; /* Its last bytes are there. */
    char few[240];
} Path;

static WW_COLD void more_room(Path *p, size_t n)
{
    size_t room = 2 * (p->room + n);
    char *text = g_malloc(room);
    memcpy(text + room - p->n, p->text + p->room - p->n, p->n);
    if (p->text != p->few) {
        g_free(p->text);
    }
    p->text = text;
    p->room = room;
}

/* Before what there is. */
static inline void put(Path *p, const char *text, size_t n)
{
    if (G_UNLIKELY(p->room - p->n < n)) {
        more_room(p, n);
    }
    p->n += n;
    memcpy(p->text + p->room - p->n, text, n);
}

/* "sm[3]"; an index below 0: none. */
static void put_name(Path *p, const char *name, int64_t index)
{
    char digits[40]; /* ten of them, and what a number may change behind it */
    if (p->n != 0) {
        put(p, ".", 1);
    }
    if (index >= 0) {
        digits[0] = '[';
        char *end = ww_event_number(digits + 1, (uint64_t)index);
        *end = ']';
        put(p, digits, (size_t)(end + 1 - digits));
    }
    put(p, name, strlen(name));
}

static char *finish(Path *p, const WwGroup *g)
{
    for (; g != NULL; g = g->parent) {
        if (g->name != NULL) {
            put_name(p, g->name, g->spec.array ? (int64_t)g->spec.index : -1);
        }
    }
    char *path = g_strndup(p->text + p->room - p->n, p->n);
    if (p->text != p->few) {
        g_free(p->text);
    }
    return path;
}

static inline void begin(Path *p)
{
    p->text = p->few;
    p->room = sizeof p->few;
    p->n = 0;
}

char *ww_group_path(const WwGroup *group)
{
    Path p;
    begin(&p);
    return finish(&p, group);
}

char *ww_path(const void *self)
{
    const WwComponent *c = self;
    Path p;
    begin(&p);
    put_name(&p, c->name, c->index);
    return finish(&p, c->group);
}
