/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * CTAs, read before they are asked for: by a thread of their own, or in the moment in which they are.
 *
 * Everything that reading changes (a kernel's reader, its tables, the memory of the trace) belongs to whoever reads. That is one thread at
 * a time: `busy` says so of the reader's, and the others get in with ww_trace_hold(), which keeps the lock until ww_trace_go(). What
 * was read waits with its kernel, which may not have had its turn yet, in order, with its warnings and its failure, which are told when it is
 * taken: so nobody can see how far ahead the reader was. All of that is memory that a checkpoint saves; the thread is not, and what restores
 * takes what waits first.
 */
#include "trace-priv.h"

#include <warpwright/interrupt.h>
#include <warpwright/thread.h>

#define MOST_CTAS 64u /* ready at a time, of all kernels; the reader goes on at half of them. */
#define MOST_BYTES (16u << 20) /* The same, of their instructions and addresses. */
/* Reads, of some KiB each, after a signal for who waits: most CTAs are whole by then, and the run comes to the end of a tick. */
#define PATIENCE 32u
#define LOOKS 1000u /* before who waits for a CTA sleeps: the next one takes microseconds. */

typedef struct Ahead {
    WwTrace *trace;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t go, done;      /* The reader waits for `go`, the others for `done`. */
    const WwKernelReader *wanted; /* Somebody waits for a CTA of this one. */
    bool busy;                    /* The reader reads. */
    bool full;                    /* It has read enough for now. */
    bool quit;
    bool awaited; /* Somebody waits for the reader, whatever for. */
    bool cut;     /* It was interrupted: what it has read last is not whole. */
} Ahead;

static __thread Ahead *own; /* In the reader's thread. */

static Ahead *ahead_of(const WwTrace *trace)
{
    return ww_heap_held(trace->heap, trace->ahead);
}

bool ww_trace_interrupted(void)
{
    static __thread uint32_t more;
    if (!ww_interrupted()) {
        more = 0;
        return false;
    }
    if ((own != NULL && !__atomic_load_n(&own->awaited, __ATOMIC_RELAXED)) || more++ < PATIENCE) {
        return false;
    }
    if (own != NULL) {
        own->cut = true;
    }
    return true;
}

/* Under the lock. The reader looks at that without. */
static void set_awaited(Ahead *a, bool awaited)
{
    __atomic_store_n(&a->awaited, awaited, __ATOMIC_RELAXED);
}

static void wait_for_reader(Ahead *a)
{
    while (a->busy) {
        pthread_cond_wait(&a->done, &a->lock);
    }
}

void ww_trace_hold(WwTrace *trace)
{
    Ahead *a = ahead_of(trace);
    if (a != NULL) {
        pthread_mutex_lock(&a->lock);
        set_awaited(a, true);
        wait_for_reader(a);
        set_awaited(a, false);
    }
}

bool ww_trace_hold_whole(WwTrace *trace)
{
    Ahead *a = ahead_of(trace);
    if (a == NULL) {
        return true;
    }
    pthread_mutex_lock(&a->lock);
    wait_for_reader(a);
    bool cut = a->cut;
    if (cut) {
        pthread_mutex_unlock(&a->lock);
    }
    return !cut;
}

void ww_trace_go(WwTrace *trace)
{
    Ahead *a = ahead_of(trace);
    if (a != NULL) {
        pthread_cond_signal(&a->go); /* there may be more to read, or room for it */
        pthread_mutex_unlock(&a->lock);
    }
}

/* ---- buffers: for whoever may read -------------------------------------------------------------------------------- */

/* What came back is cleared here, where nobody else uses the memory that is freed. */
static void clear_returned(WwTrace *t)
{
    for (WwCtaBuf *c = t->returned, *next; c != NULL; c = next) {
        next = c->next;
        ww_cta_clear(c);
        c->next = t->free_ctas;
        t->free_ctas = c;
    }
    t->returned = NULL;
}

static WwCtaBuf *take_buffer(WwTrace *t)
{
    clear_returned(t);
    WwCtaBuf *c = t->free_ctas;
    if (c != NULL) {
        t->free_ctas = c->next;
        return c;
    }
    c = WW_HEAP_NEW(t->heap, WwCtaBuf, 1);
    c->trace = t;
    c->heap = t->heap;
    c->pub.priv = c;
    return c;
}

static uint64_t bytes_of(const WwCtaBuf *c)
{
    return c->n_read * sizeof *c->inst + c->n_addr * sizeof *c->addr;
}

/* ---- what is ready: under the lock -------------------------------------------------------------------------------- */

static void append(WwTrace *t, WwKernelReader *k, WwCtaBuf *c)
{
    c->next = NULL;
    *(k->ready != NULL ? &k->last_ready->next : &k->ready) = c;
    k->last_ready = c;
    t->n_ready++;
    t->ready_bytes += bytes_of(c);
    __atomic_store_n(&k->n_ready, k->n_ready + 1, __ATOMIC_RELEASE);
}

static WwCtaBuf *pop(WwTrace *t, WwKernelReader *k)
{
    WwCtaBuf *c = k->ready;
    if (c != NULL) {
        k->ready = c->next;
        t->n_ready--;
        t->ready_bytes -= bytes_of(c);
        __atomic_store_n(&k->n_ready, k->n_ready - 1, __ATOMIC_RELAXED);
    }
    return c;
}

void ww_ahead_drop(WwTrace *t, WwKernelReader *k)
{
    for (WwCtaBuf *c; (c = pop(t, k)) != NULL;) {
        c->next = t->returned;
        t->returned = c;
    }
    clear_returned(t);
}

/* ---- the reader ----------------------------------------------------------------------------------------------------- */

static bool can_read(const WwKernelReader *k)
{
    return !k->failed && k->ctas_read < k->pub.n_ctas;
}

/* The kernel that somebody waits for, else the one with least ahead, else the one that will be the first; NULL: there is nothing to do. */
static WwKernelReader *choose(const Ahead *a)
{
    WwKernelReader *best = NULL;
    for (WwKernelReader *k = a->trace->open; k != NULL; k = k->next) {
        if (k == a->wanted && k->ready == NULL && can_read(k)) {
            return k;
        }
        if (!a->full && can_read(k) && (best == NULL || k->n_ready < best->n_ready)) {
            best = k;
        }
    }
    WwKernelReader *first = a->trace->looked_at;
    return best == NULL && !a->full && first != NULL && can_read(first) ? first : best;
}

/* Does whatever there is to be done; false: nothing. Under the lock, which is let go meanwhile. */
static bool read_some(Ahead *a)
{
    WwTrace *t = a->trace;
    WwKernelReader *k = choose(a);
    if (k == NULL && (a->full || !ww_trace_may_look(t))) {
        return false;
    }
    WwCtaBuf *c = k != NULL ? take_buffer(t) : NULL;
    bool waits = k != NULL && k == a->wanted; /* then a core has nothing to do */
    a->busy = true;
    pthread_mutex_unlock(&a->lock);
    if (k != NULL) {
        if (waits) {
            ww_lines_ahead(&k->lines);
        }
        ww_cta_read(k, c);
    } else {
        ww_trace_look(t);
    }
    pthread_mutex_lock(&a->lock);
    a->busy = false;
    if (k != NULL) {
        append(t, k, c);
        a->full = t->n_ready >= MOST_CTAS || t->ready_bytes >= MOST_BYTES;
    }
    pthread_cond_signal(&a->done);
    return true;
}

static void *work(void *user)
{
    Ahead *a = own = user;
    pthread_mutex_lock(&a->lock);
    while (!a->quit) {
        if (!read_some(a)) {
            pthread_cond_wait(&a->go, &a->lock);
        }
    }
    pthread_mutex_unlock(&a->lock);
    return NULL;
}

static void wait_a_little(const WwKernelReader *k)
{
    for (uint32_t i = 0; i < LOOKS && __atomic_load_n(&k->n_ready, __ATOMIC_ACQUIRE) == 0; i++) {
        ww_relax();
    }
}

/* What is ready, or else it is read now. */
static WwCtaBuf *take_now(WwTrace *t, WwKernelReader *k)
{
    WwCtaBuf *c = pop(t, k);
    if (c == NULL) {
        c = take_buffer(t);
        ww_cta_read(k, c);
    }
    return c;
}

static WwCtaBuf *take_read(Ahead *a, WwKernelReader *k)
{
    WwTrace *t = a->trace;
    wait_a_little(k);
    pthread_mutex_lock(&a->lock);
    while (k->ready == NULL && (a->busy || can_read(k))) {
        a->wanted = k;
        set_awaited(a, true);
        pthread_cond_signal(&a->go);
        pthread_cond_wait(&a->done, &a->lock);
    }
    a->wanted = NULL;
    set_awaited(a, false);
    WwCtaBuf *c = take_now(t, k);
    if (a->full && t->n_ready <= MOST_CTAS / 2 && t->ready_bytes <= MOST_BYTES / 2) {
        a->full = false;
        pthread_cond_signal(&a->go);
    }
    pthread_mutex_unlock(&a->lock);
    return c;
}

WwCtaBuf *ww_ahead_take(WwTrace *t, WwKernelReader *k)
{
    Ahead *a = ahead_of(t);
    return a != NULL ? take_read(a, k) : take_now(t, k);
}

void ww_ahead_return(WwTrace *t, WwCtaBuf *c)
{
    Ahead *a = ahead_of(t);
    if (a != NULL) {
        pthread_mutex_lock(&a->lock);
    }
    c->next = t->returned;
    t->returned = c;
    if (a != NULL) {
        pthread_mutex_unlock(&a->lock);
    } else {
        clear_returned(t);
    }
}

/* ---- life ----------------------------------------------------------------------------------------------------------- */

void ww_trace_unpack_ahead(WwTrace *t)
{
    if (t->looked_at != NULL) {
        ww_lines_ahead(&t->looked_at->lines);
    }
}

bool ww_trace_read_ahead(WwTrace *t)
{
    g_return_val_if_fail(t->ahead == 0, false);
    ww_trace_begin_looked_at(t);
    Ahead *a = g_new0(Ahead, 1);
    a->trace = t;
    pthread_mutex_init(&a->lock, NULL);
    pthread_cond_init(&a->go, NULL);
    pthread_cond_init(&a->done, NULL);
    t->ahead = ww_heap_hold(t->heap, a);
    pthread_mutex_lock(&a->lock);
    bool begun = ww_thread_begin(&a->thread, work, a);
    pthread_mutex_unlock(&a->lock);
    if (!begun) {
        ww_heap_let_go(t->heap, t->ahead);
        t->ahead = 0;
        g_free(a);
    }
    return begun;
}

void ww_ahead_end(WwTrace *t)
{
    Ahead *a = ahead_of(t);
    if (a == NULL) {
        return;
    }
    pthread_mutex_lock(&a->lock);
    a->quit = true;
    set_awaited(a, true);
    pthread_cond_signal(&a->go);
    pthread_mutex_unlock(&a->lock);
    pthread_join(a->thread, NULL);
    pthread_mutex_destroy(&a->lock);
    pthread_cond_destroy(&a->go);
    pthread_cond_destroy(&a->done);
    ww_heap_let_go(t->heap, t->ahead);
    t->ahead = 0;
    g_free(a);
}
