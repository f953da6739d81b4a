/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * A thread that unpacks a stream's text into a ring of pieces, while whoever reads the stream works on what came before.
 *
 * It calls what the reader would have called, with the same sizes, so the same bytes come before the same failure. Both sleep seldom: the thread when the
 * ring is full, until half of it is free; the reader when it is empty, until there are some pieces or nothing more comes.
 */
#include "stream-priv.h"

#include <warpwright/thread.h>

enum { PIECES = 32, PIECE = 32 << 10, SOME = 2 };

struct WwUnpacker {
    WwUnpackFn read;
    WwStream *of;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t go, some; /* The thread waits for `go`, the reader for `some`. */
    bool on;                 /* There is something to unpack. */
    bool busy;               /* The thread unpacks. */
    bool full;               /* The ring was, and half of it still is. */
    bool waits;              /* The reader does. */
    bool ended;              /* Nothing comes behind what is in the ring, */
    const char *why;         /* because of this; NULL: it is the end. */
    bool quit;
    uint32_t ready;      /* Pieces in the ring. */
    uint32_t to, from;   /* The thread's and the reader's. */
    size_t at;           /* The reader's place in its piece; 0: it has none. */
    size_t n[PIECES];    /* Bytes of each. */
    char (*text)[PIECE]; /* [PIECES] */
};

/* Fills a piece; without the lock. False: nothing comes behind it. */
static bool fill(const WwUnpacker *u, char *piece, size_t *n, const char **why)
{
    *n = 0;
    *why = NULL;
    while (*n < PIECE) {
        size_t got = 0;
        if (!u->read(u->of, piece + *n, PIECE - *n, &got, why) || got == 0) {
            return false;
        }
        *n += got;
    }
    return true;
}

static void unpack_some(WwUnpacker *u)
{
    size_t n;
    const char *why;
    u->busy = true;
    pthread_mutex_unlock(&u->lock);
    bool more = fill(u, u->text[u->to], &n, &why);
    pthread_mutex_lock(&u->lock);
    u->busy = false;
    u->ended = !more;
    u->why = why;
    if (n != 0) {
        u->n[u->to] = n;
        u->to = (u->to + 1) % PIECES;
        u->full = ++u->ready == PIECES;
    }
    if (u->waits && (u->ready >= SOME || u->ended || !u->on)) {
        pthread_cond_signal(&u->some);
    }
}

static void *work(void *user)
{
    WwUnpacker *u = user;
    pthread_mutex_lock(&u->lock);
    while (!u->quit) {
        if (u->on && !u->full && !u->ended) {
            unpack_some(u);
        } else {
            pthread_cond_wait(&u->go, &u->lock);
        }
    }
    pthread_mutex_unlock(&u->lock);
    return NULL;
}

/* ---- whoever reads ---------------------------------------------------------------------------------------------------- */

/* The piece that was read is free. Under the lock. */
static void free_piece(WwUnpacker *u)
{
    u->at = 0;
    u->from = (u->from + 1) % PIECES;
    u->ready--;
    if (u->full && u->ready <= PIECES / 2) {
        u->full = false;
        pthread_cond_signal(&u->go);
    }
}

static void wait_for_some(WwUnpacker *u)
{
    u->waits = true;
    while (u->ready == 0 && !u->ended) {
        pthread_cond_wait(&u->some, &u->lock);
    }
    u->waits = false;
}

bool ww_unpacker_read(WwUnpacker *u, void *out, size_t size, size_t *n, const char **why)
{
    *n = 0;
    if (u->at == 0) {
        pthread_mutex_lock(&u->lock);
        wait_for_some(u);
        bool none = u->ready == 0;
        pthread_mutex_unlock(&u->lock);
        if (none) { /* and nothing is written there any more */
            *why = u->why;
            return u->why == NULL;
        }
    }
    *n = MIN(size, u->n[u->from] - u->at);
    memcpy(out, u->text[u->from] + u->at, *n);
    u->at += *n;
    if (u->at == u->n[u->from]) {
        pthread_mutex_lock(&u->lock);
        free_piece(u);
        pthread_mutex_unlock(&u->lock);
    }
    return true;
}

void ww_unpacker_start(WwUnpacker *u)
{
    pthread_mutex_lock(&u->lock);
    u->on = true;
    pthread_cond_signal(&u->go);
    pthread_mutex_unlock(&u->lock);
}

void ww_unpacker_stop(WwUnpacker *u)
{
    pthread_mutex_lock(&u->lock);
    u->on = false;
    u->waits = true;
    while (u->busy) {
        pthread_cond_wait(&u->some, &u->lock);
    }
    u->waits = u->full = u->ended = false;
    u->ready = u->to = u->from = 0;
    u->at = 0;
    pthread_mutex_unlock(&u->lock);
}

WwUnpacker *ww_unpacker_new(WwStream *of, WwUnpackFn read)
{
    WwUnpacker *u = g_new0(WwUnpacker, 1);
    u->of = of;
    u->read = read;
    pthread_mutex_init(&u->lock, NULL);
    pthread_cond_init(&u->go, NULL);
    pthread_cond_init(&u->some, NULL);
    u->text = g_malloc_n(PIECES, PIECE);
    if (!ww_thread_begin(&u->thread, work, u)) {
        u->quit = true; /* there is none to be joined */
        g_clear_pointer(&u, ww_unpacker_free);
    }
    return u;
}

void ww_unpacker_free(WwUnpacker *u)
{
    if (u == NULL) {
        return;
    }
    pthread_mutex_lock(&u->lock);
    bool begun = !u->quit;
    u->quit = true;
    pthread_cond_signal(&u->go);
    pthread_mutex_unlock(&u->lock);
    if (begun) {
        pthread_join(u->thread, NULL);
    }
    pthread_mutex_destroy(&u->lock);
    pthread_cond_destroy(&u->go);
    pthread_cond_destroy(&u->some);
    g_free(u->text);
    g_free(u);
}
