/* SPDX-License-Identifier: Apache-2.0 */
/* What a heap held at a moment, and which of its words have changed since. */
#include "heap-priv.h"

#include <string.h>

struct WwHeapImage {
    uint64_t pages;
    uint32_t *copy; /* [pages]: 1 + number of its copy; 0: all zero */
    uint64_t *word; /* copies */
    uint32_t n, room;
};

static const uint64_t nothing[WW_HEAP_WORDS];

static const uint64_t *page_of(const WwHeap *heap, uint64_t page)
{
    return (const uint64_t *)(const void *)heap + page * WW_HEAP_WORDS;
}

static const uint64_t *copy_of(const WwHeapImage *image, uint64_t page)
{
    uint32_t copy = page < image->pages ? image->copy[page] : 0;
    return copy != 0 ? image->word + (uint64_t)(copy - 1) * WW_HEAP_WORDS : nothing;
}

WwHeapImage *ww_heap_image_new(const WwHeap *heap)
{
    WwHeapImage *image = g_new0(WwHeapImage, 1);
    image->pages = heap->end / WW_HEAP_PAGE;
    image->copy = g_new0(uint32_t, image->pages);
    for (uint64_t p = 0; p < image->pages; p++) {
        const uint64_t *from = page_of(heap, p);
        if (memcmp(from, nothing, WW_HEAP_PAGE) == 0) {
            continue;
        }
        if (image->n == image->room) {
            image->room = MAX(1024, 2 * image->room);
            image->word = g_realloc_n(image->word, image->room, WW_HEAP_PAGE);
        }
        memcpy(image->word + (uint64_t)image->n * WW_HEAP_WORDS, from, WW_HEAP_PAGE);
        image->copy[p] = ++image->n;
    }
    return image;
}

void ww_heap_image_free(WwHeapImage *image)
{
    if (image != NULL) {
        g_free(image->copy);
        g_free(image->word);
        g_free(image);
    }
}

static void compare(const uint64_t *now, const uint64_t *then, WwHeapChange *out)
{
    memset(out->which, 0, sizeof out->which);
    out->n = 0;
    for (uint32_t i = 0; i < WW_HEAP_WORDS; i++) {
        if (now[i] != then[i]) {
            out->which[i / 64] |= UINT64_C(1) << (i % 64);
            out->word[out->n++] = now[i];
        }
    }
}

bool ww_heap_change(const WwHeap *heap, const WwHeapImage *image, uint64_t *page, WwHeapChange *out)
{
    for (uint64_t p = *page; p < heap->end / WW_HEAP_PAGE; p++) {
        const uint64_t *now = page_of(heap, p), *then = copy_of(image, p);
        if (memcmp(now, then, WW_HEAP_PAGE) != 0) {
            compare(now, then, out);
            out->page = p;
            *page = p + 1;
            return true;
        }
    }
    *page = heap->end / WW_HEAP_PAGE;
    return false;
}

uint64_t ww_heap_end(const WwHeap *heap)
{
    return heap->end;
}

bool ww_heap_apply(WwHeap *heap, const WwHeapChange *change)
{
    if (change->page >= heap->end / WW_HEAP_PAGE) {
        return false;
    }
    uint64_t *to = (uint64_t *)(void *)heap + change->page * WW_HEAP_WORDS;
    uint32_t n = 0;
    for (uint32_t i = 0; i < WW_HEAP_WORDS; i++) {
        if (change->which[i / 64] >> (i % 64) & 1u) {
            if (n == change->n) {
                return false;
            }
            to[i] = change->word[n++];
        }
    }
    return n == change->n;
}
