/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Memory at addresses that are the same in every process: what a checkpoint saves as it is.
 *
 * A heap is one range of addresses that only grows, at a place far from where programs and libraries are loaded. Heaps that are made in the same
 * order get the same places, and memory that is asked for in the same order lies at the same offsets: so pointers
 * from heap to heap mean the same in a process that has built the same things. What changes while a model runs lives in one
 * (a machine has its own), and holds no pointers to anything else that are set after the model was built.
 *
 * Not for several threads at a time.
 */
#pragma once

#include <warpwright/base.h>

/** A range of addresses that only grows, and what lies in it. Free with ww_heap_free(). */
typedef struct WwHeap WwHeap;

/** An empty heap at the first place that is free. Without such a place it works, too, but not for checkpoints: see ww_heap_fixed(). */
WW_API WwHeap *ww_heap_new(void);
/** With all that was taken from it; @p heap may be NULL. */
WW_API void ww_heap_free(WwHeap *heap);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwHeap, ww_heap_free)
/** Is it at one of the places that every process has? */
WW_API bool ww_heap_fixed(const WwHeap *heap);

/** @p size zeroed bytes, aligned to 16. Ends the process when there are none, as GLib does. */
WW_API void *ww_heap_take(WwHeap *heap, size_t size);
/** Gives back what ww_heap_take() or ww_heap_resize() returned; @p at may be NULL. */
WW_API void ww_heap_give(WwHeap *heap, void *at);
/** Room for @p size bytes, with what @p at (may be NULL) held as far as it fits; what is more is not cleared. @p at is given back. */
WW_API void *ww_heap_resize(WwHeap *heap, void *at, size_t size);
/** A copy of @p n bytes of @p text and a NUL. */
WW_API char *ww_heap_text(WwHeap *heap, const char *text, size_t n);
/** @p n elements of type @p T, zeroed. */
#define WW_HEAP_NEW(heap, T, n) ((T *)ww_heap_take((heap), sizeof(T) * (size_t)(n)))

/** A list in memory of a heap; all zero: empty. */
#define WW_HEAP_LIST(T)                                                                            \
    struct {                                                                                       \
        T *v;                                                                                      \
        uint32_t n, room;                                                                          \
    }
/** Appends an element to a WW_HEAP_LIST, not cleared, and points to it. */
#define WW_HEAP_ADD(heap, list)                                                                    \
    ((list)->n == (list)->room                                                                     \
         ? ((list)->v = ww_heap_double((heap), (list)->v, &(list)->room, sizeof *(list)->v))       \
         : (list)->v,                                                                              \
     &(list)->v[(list)->n++])
/** Memory for twice as many elements as @p room says, which it sets; with those of @p v. */
WW_API void *ww_heap_double(WwHeap *heap, void *v, uint32_t *room, size_t size);

/** @p size zeroed bytes, aligned to a page, that are never given back. Untouched, they cost addresses alone. */
WW_API void *ww_heap_pages(WwHeap *heap, size_t size);

/* ---- what is of the process alone ------------------------------------------------------------------------------- */

/**
 * Keeps @p thing (an open file, say) outside of the heap. Returns its handle, from 1 on, which stands for it in this process. This and the next two may
 * be called by several threads at a time.
 */
WW_API uint32_t ww_heap_hold(WwHeap *heap, void *thing);
/** What @p handle stands for. */
WW_API void *ww_heap_held(const WwHeap *heap, uint32_t handle);
/** Forgets a handle; 0 is nobody's. */
WW_API void ww_heap_let_go(WwHeap *heap, uint32_t handle);

/* ---- what has changed ------------------------------------------------------------------------------------------- */

/** What a heap holds at a moment. */
typedef struct WwHeapImage WwHeapImage;

/** Copies what @p heap holds now. */
WW_API WwHeapImage *ww_heap_image_new(const WwHeap *heap);
/** @p image may be NULL. */
WW_API void ww_heap_image_free(WwHeapImage *image);

/** Bytes of a page. */
#define WW_HEAP_PAGE 4096u
#define WW_HEAP_WORDS (WW_HEAP_PAGE / sizeof(uint64_t))

/** Words of page @p page (its number in the heap) that differ from those of an image: a bit each in @p which, the words one after the other. */
typedef struct WwHeapChange {
    uint64_t page;
    uint64_t which[WW_HEAP_WORDS / 64];
    uint32_t n; /**< Words. */
    uint64_t word[WW_HEAP_WORDS];
} WwHeapChange;

/** The first page from number *@p page on that has changed since @p image was made; *@p page becomes the one after it. False: none. */
WW_API bool ww_heap_change(const WwHeap *heap, const WwHeapImage *image, uint64_t *page,
                           WwHeapChange *out);
/** Bytes that the heap extends over. */
WW_API uint64_t ww_heap_end(const WwHeap *heap);
/** Makes it extend over @p end bytes, a multiple of a page; false: it cannot. */
WW_API bool ww_heap_extend(WwHeap *heap, uint64_t end);
/** Writes changed words into a heap that is like the one of the image; false: they are not in it. */
WW_API bool ww_heap_apply(WwHeap *heap, const WwHeapChange *change);
