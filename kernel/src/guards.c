/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Words around what components have.
 *
 *     BEFORE | state      | AFTER | entry points | AFTER
 *     BEFORE | ww_alloc() | AFTER
 *
 * They are the machine's memory, so that what is saved and restored has them, too; who owns what is noted beside it.
 */
#include "guards-priv.h"

#include <string.h>

enum { BEFORE = 256, AFTER = 4096, PIECE = 2 << 20 };

#define BYTE 0xa5 /* no address begins with it */

typedef struct Owned {
    const WwComponent *who;
    const unsigned char *at;
    size_t size;
} Owned;

struct Guards {
    GArray *owned;
};

void ww_guards_begin(WwMachine *m)
{
    m->host->guards = g_new(Guards, 1);
    m->host->guards->owned = g_array_new(false, false, sizeof(Owned));
    m->guarded = m->room;
    m->room = (Room){0}; /* all comes here */
}

void ww_guards_free(WwMachine *m)
{
    if (m->host->guards != NULL) {
        g_array_unref(m->host->guards->owned);
        g_clear_pointer(&m->host->guards, g_free);
    }
}

uint32_t ww_guards_room(void)
{
    return AFTER;
}

void *ww_guards_alloc(WwMachine *m, size_t size)
{
    Room *room = &m->guarded;
    size_t n = BEFORE + ((size + 63) & ~(size_t)63) + AFTER;
    if (n > room->left) {
        room->left = MAX(n, PIECE);
        room->at = ww_heap_pages(m->heap, room->left);
    }
    char *at = room->at + BEFORE;
    memset(room->at, BYTE, BEFORE);
    memset(at + n - BEFORE - AFTER, BYTE, AFTER);
    room->at += n;
    room->left -= n;
    return at;
}

void ww_guards_own(WwComponent *self, void *at, size_t size)
{
    Owned o = {self, at, size};
    memset((char *)at + size, BYTE, (-size & 63u) + (at == self ? AFTER : 0));
    g_array_append_val(self->machine->host->guards->owned, o);
}

/* The first byte of @p n that is no guard's, or @p n. */
static size_t written(const unsigned char *at, size_t n)
{
    size_t i = 0;
    while (i < n && at[i] == BYTE) {
        i++;
    }
    return i;
}

char *ww_guards_overwritten(const WwMachine *m)
{
    const GArray *owned = m->host->guards->owned;
    for (guint i = 0; i < owned->len; i++) {
        const Owned *o = &g_array_index(owned, Owned, i);
        size_t behind = (-o->size & 63u) + AFTER, after = written(o->at + o->size, behind),
               before = written(o->at - BEFORE, BEFORE);
        if (after == behind && before == BEFORE) {
            continue;
        }
        g_autofree char *path = ww_path(o->who);
        g_autofree char *what = (const void *)o->at == o->who
                                    ? g_strdup_printf("the state of %s (%s, %zu bytes)", path,
                                                      o->who->type->name, o->size)
                                    : g_strdup_printf("%zu bytes that %s (%s) has of ww_alloc()",
                                                      o->size, path, o->who->type->name);
        return after < behind
                   ? g_strdup_printf("something was written behind %s, %zu bytes from its end; "
                                     "expected it to end there",
                                     what, after)
                   : g_strdup_printf("something was written in front of %s, %zu bytes before its "
                                     "begin; expected it to begin there",
                                     what, BEFORE - before);
    }
    return NULL;
}
