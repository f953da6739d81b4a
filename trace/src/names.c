/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are told apart: a hash index over an array of copies. */
#include "names-priv.h"

#include "text-priv.h"

#include <string.h>

#define START_SIZE 16u

void ww_names_init(WwNames *names, WwHeap *heap)
{
    *names = (WwNames){.heap = heap};
}

void ww_names_clear(WwNames *names)
{
    for (uint32_t i = 0; i < names->n; i++) {
        ww_heap_give(names->heap, (char *)(uintptr_t)names->text[i]);
    }
    ww_heap_give(names->heap, (void *)names->text);
    ww_heap_give(names->heap, names->index);
    ww_names_init(names, names->heap);
}

/* Its own place in the index, or the empty one where it belongs. */
static uint32_t *place_of(const WwNames *names, const char *text)
{
    for (uint32_t i = ww_text_hash(text);; i++) {
        uint32_t *at = &names->index[i & (2 * names->room - 1)];
        if (*at == 0 || strcmp(names->text[*at - 1], text) == 0) {
            return at;
        }
    }
}

static void grow(WwNames *names)
{
    names->room = names->room != 0 ? 2 * names->room : START_SIZE;
    names->text =
        ww_heap_resize(names->heap, (void *)names->text, names->room * sizeof *names->text);
    ww_heap_give(names->heap, names->index);
    names->index = WW_HEAP_NEW(names->heap, uint32_t, 2 * names->room);
    for (uint32_t i = 0; i < names->n; i++) {
        *place_of(names, names->text[i]) = i + 1;
    }
}

uint32_t ww_names_add(WwNames *names, const char *text)
{
    if (names->n == names->room) {
        grow(names);
    }
    uint32_t *at = place_of(names, text);
    if (*at == 0) {
        size_t n = strlen(text);
        char *copy = WW_HEAP_NEW(names->heap, char, n + WW_NAME_ROOM);
        names->text[names->n] = memcpy(copy, text, n);
        *at = ++names->n;
    }
    return *at - 1;
}
