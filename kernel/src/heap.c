/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Heaps: a range of addresses each, in places that are numbered. Free memory is kept by class of size: four to a power of two.
 */
#include "heap-priv.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define WW_THREAD_SANITIZER
#endif
#endif
#ifdef __SANITIZE_THREAD__
#define WW_THREAD_SANITIZER
#endif

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define PAGE WW_HEAP_PAGE
/*
 * Blocks are cut from pieces. The first one has small pages, further ones are huge pages where there are any: to clear one takes as long as 85 faults on small
 * ones. Blocks of more than HUGE_LARGE have pages of their own; while the heap has few bytes, and may need no more, those of more than LARGE.
 */
#define PIECE (256u << 10)
#define HUGE_PIECE (2u << 20)
#define LARGE (PIECE / 4)
#define HUGE_LARGE (HUGE_PIECE / 8)
#define FEW (2 * PIECE)
/* Small pages are asked for by so many bytes at once: a fault for each costs more than to clear it, on some virtual machines twenty times as much. */
#define AHEAD (32u << 10)
/* Given back, pages of blocks from here on go back to the system. */
#define RETURNED (1u << 20)

/* Where heaps are: far from programs, libraries and their heaps, in 47 bits; and where a tool leaves less. */
static const struct Range {
    uintptr_t from;
    uint64_t size; /* of a heap */
    uint32_t n;
} ranges[] = {
#ifndef WW_THREAD_SANITIZER /* which has that range for itself */
    {UINT64_C(0x200000000000), UINT64_C(1) << 38, 64},
#endif
    {UINT64_C(0x1000000000), UINT64_C(1) << 34, 24},
};

#define RANGES (sizeof ranges / sizeof *ranges)

static pthread_mutex_t places_lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t places[RANGES]; /* that are taken */

/* In front of each block. */
typedef struct Head {
    uint64_t class;
    struct Head *next; /* of those given back */
} Head;

G_STATIC_ASSERT(sizeof(Head) == 16);

static void *map(void *at, size_t size)
{
    void *p =
        mmap(at, size, PROT_READ | PROT_WRITE,
             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at != NULL ? MAP_FIXED_NOREPLACE : 0),
             -1, 0);
    if (p == MAP_FAILED) {
        return NULL;
    }
    if (at != NULL && p != at) { /* kernels before 4.17 take it for a wish */
        munmap(p, size);
        return NULL;
    }
    return p;
}

static bool enter(uint32_t range, uint32_t place, WwHeap **out)
{
    const struct Range *r = &ranges[range];
    WwHeap *h = map((void *)(r->from + place * r->size), PIECE);
    if (h == NULL) {
        return false;
    }
    h->range = range;
    h->place = place;
    h->most = r->size;
    *out = h;
    return true;
}

static WwHeap *find_place(void)
{
    WwHeap *h = NULL;
    for (uint32_t r = 0; r < RANGES && h == NULL; r++) {
        for (uint32_t k = 0; k < ranges[r].n && h == NULL; k++) {
            if (!(places[r] >> k & 1u) && enter(r, k, &h)) {
                places[r] |= UINT64_C(1) << k;
            }
        }
    }
    return h;
}

/* The pages of what is cut, and of some that will be. */
static void make_ready(WwHeap *h)
{
    size_t cut = (size_t)(h->at - h->ready), n = (cut + AHEAD - 1) & ~(size_t)(AHEAD - 1);
    n = MIN(n, cut + h->left);
    madvise(h->ready, n, MADV_POPULATE_WRITE); /* a wish */
    h->ready += n;
}

WwHeap *ww_heap_new(void)
{
    pthread_mutex_lock(&places_lock);
    WwHeap *h = find_place();
    pthread_mutex_unlock(&places_lock);
    if (h == NULL) {
        h = map(NULL, PIECE);
        if (h == NULL) {
            ww_exhausted(WW_OUT_OF_MEMORY);
        }
        h->loose = true;
    }
    h->end = PIECE;
    h->held = g_ptr_array_new();
    h->at = (char *)h + ((sizeof *h + 15) & ~(size_t)15);
    h->left = PIECE - (size_t)(h->at - (char *)h);
    h->ready = (char *)h;
    make_ready(h);
    return h;
}

void ww_heap_free(WwHeap *h)
{
    if (h == NULL) {
        return;
    }
    for (WwHeapPiece *p = h->pieces, *next; p != NULL; p = next) {
        next = p->next;
        munmap(p->at, p->size);
        g_free(p);
    }
    g_ptr_array_unref(h->held);
    uint32_t range = h->range, place = h->place;
    bool loose = h->loose;
    munmap(h, loose ? PIECE : h->end);
    if (!loose) {
        pthread_mutex_lock(&places_lock);
        places[range] &= ~(UINT64_C(1) << place);
        pthread_mutex_unlock(&places_lock);
    }
}

bool ww_heap_fixed(const WwHeap *h)
{
    return !h->loose;
}

bool ww_heap_extend(WwHeap *h, uint64_t end)
{
    if (h->loose || end > h->most) {
        return false;
    }
    if (end > h->end) {
        if (map((char *)h + h->end, end - h->end) == NULL) {
            return false;
        }
        h->end = end;
    }
    return true;
}

static void *loose_pages(WwHeap *h, size_t size)
{
    WwHeapPiece *p = g_new(WwHeapPiece, 1);
    *p = (WwHeapPiece){h->pieces, map(NULL, size), size};
    if (p->at == NULL) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    h->pieces = p;
    return p->at;
}

void *ww_heap_pages(WwHeap *h, size_t size)
{
    size = (size + PAGE - 1) & ~(size_t)(PAGE - 1);
    if (h->loose) {
        return loose_pages(h, size);
    }
    uint64_t from = h->end;
    if (!ww_heap_extend(h, from + size)) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    return (char *)h + from;
}

/* ---- handles ---------------------------------------------------------------------------------------------------- */

/* Of all heaps: a thread asks for what it holds while another one, which has the heap, lets it hold more. */
static pthread_mutex_t held_lock = PTHREAD_MUTEX_INITIALIZER;

static uint32_t free_handle(const WwHeap *h)
{
    uint32_t i = 0;
    while (i < h->held->len && h->held->pdata[i] != NULL) {
        i++;
    }
    return i + 1;
}

uint32_t ww_heap_hold(WwHeap *h, void *thing)
{
    pthread_mutex_lock(&held_lock);
    uint32_t handle = free_handle(h);
    if (handle > h->held->len) {
        g_ptr_array_add(h->held, NULL);
    }
    h->held->pdata[handle - 1] = thing;
    pthread_mutex_unlock(&held_lock);
    return handle;
}

void *ww_heap_held(const WwHeap *h, uint32_t handle)
{
    pthread_mutex_lock(&held_lock);
    void *thing = handle != 0 && handle <= h->held->len ? h->held->pdata[handle - 1] : NULL;
    pthread_mutex_unlock(&held_lock);
    return thing;
}

void ww_heap_let_go(WwHeap *h, uint32_t handle)
{
    if (handle != 0) {
        pthread_mutex_lock(&held_lock);
        h->held->pdata[handle - 1] = NULL;
        pthread_mutex_unlock(&held_lock);
    }
}

/* ---- blocks ----------------------------------------------------------------------------------------------------- */

/* Bytes of a block, head included: 64, 80, 96, 112, 128, 160, ... */
static uint64_t size_of(uint64_t class)
{
    return (4 + class % 4) << (class / 4 + 3);
}

static uint64_t class_of(size_t size)
{
    uint64_t n = size + sizeof(Head);
    if (n <= 64) {
        return 4; /* one class for all that is small */
    }
    uint64_t log = 63u - (uint64_t)__builtin_clzll(n - 1);
    uint64_t step = UINT64_C(1) << (log - 2);
    return (log - 5) * 4 + (n - 1) / step - 4 + 1;
}

static void more_pieces(WwHeap *h)
{
    uint64_t skip = h->loose ? 0 : -h->end & (HUGE_PIECE - 1);
    h->at = (char *)ww_heap_pages(h, skip + HUGE_PIECE) + skip;
    h->left = HUGE_PIECE;
    h->ready = h->at + HUGE_PIECE;
    madvise(h->at, HUGE_PIECE, MADV_HUGEPAGE); /* a wish */
}

static Head *cut(WwHeap *h, uint64_t size)
{
    if (size > (h->end < FEW ? LARGE : HUGE_LARGE)) {
        return ww_heap_pages(h, size);
    }
    if (size > h->left) {
        more_pieces(h);
    }
    Head *b = (Head *)(void *)h->at;
    h->at += size;
    h->left -= size;
    if (h->at > h->ready) {
        make_ready(h);
    }
    return b;
}

/* The part of a large block that went back to the system: what is gone reads as zero. */
static size_t gone(uint64_t size)
{
    return size >= RETURNED ? (size - PAGE) & ~(uint64_t)(PAGE - 1) : 0;
}

/* Clears the first @p size bytes of a block that was given back. */
static void clear(Head *b, size_t size)
{
    size_t middle = gone(size_of(b->class)), first = PAGE - sizeof *b;
    if (middle == 0 || size <= first) {
        memset(b + 1, 0, size);
        return;
    }
    memset(b + 1, 0, first);
    if (size > first + middle) {
        memset((char *)b + PAGE + middle, 0, size - first - middle);
    }
}

void *ww_heap_take(WwHeap *h, size_t size)
{
    if (size > PTRDIFF_MAX / 2) {
        ww_exhausted(WW_OUT_OF_MEMORY);
    }
    uint64_t class = class_of(size);
    Head *b = h->free[class];
    if (b == NULL) {
        b = cut(h, size_of(class));
    } else {
        h->free[class] = b->next;
        clear(b, size);
    }
    *b = (Head){.class = class};
    return b + 1;
}

void ww_heap_give(WwHeap *h, void *at)
{
    if (at == NULL) {
        return;
    }
    Head *b = (Head *)at - 1;
    uint64_t class = b->class;
    size_t middle = gone(size_of(class));
    if (middle != 0) {
        madvise((char *)b + PAGE, middle, MADV_DONTNEED);
    }
    b->next = h->free[class];
    h->free[class] = b;
}

void *ww_heap_resize(WwHeap *h, void *at, size_t size)
{
    if (at == NULL) {
        return ww_heap_take(h, size);
    }
    const Head *b = (Head *)at - 1;
    uint64_t room = size_of(b->class) - sizeof(Head);
    if (size <= room && class_of(size) == b->class) {
        return at;
    }
    void *to = ww_heap_take(h, size);
    memcpy(to, at, MIN(room, size));
    ww_heap_give(h, at);
    return to;
}

void *ww_heap_double(WwHeap *h, void *v, uint32_t *room, size_t size)
{
    *room = *room != 0 ? 2 * *room : 8;
    return ww_heap_resize(h, v, *room * size);
}

char *ww_heap_text(WwHeap *h, const char *text, size_t n)
{
    char *to = ww_heap_take(h, n + 1);
    memcpy(to, text, n);
    return to;
}
