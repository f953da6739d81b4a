/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event log: room for lines. In a window each partition writes where the one before it stopped, in room that was written last a window or two ago: most
 * windows have a few megabytes of lines, which the host's caches hold. (Buffers of each partition's own would be 200 places that are written to now and then.) Threads
 * that run partitions at the same time have a chunk each, from the first line of a turn to the turn's end.
 */
#include "crew-priv.h"
#include "log-priv.h"
#include <sys/mman.h>

#define BLOCK (2u << 20)   /* A huge page, where the system gives any: a fault for 512. */
#define CHUNK (256u << 10) /* Of which so many bytes are a chunk, */
#define ROOM (CHUNK - sizeof(LogChunk) - LOG_STEP) /* and so many have lines. */
#define FIRST_ROOM (1u << 18)                      /* Of what goes to the file. */
#define MOST                                                                                       \
    (LOG_NUMBERS + LOG_MOST_HEAD + LOG_COPY + WW_EVENT_FIELDS * WW_EVENT_ROOM) /* Of a line. */

__thread LogText *ww_log_acting __attribute__((tls_model("initial-exec")));

void ww_log_act(WwMachine *m, const WwPartition *p)
{
    Log *l = m->host->log;
    LogText *t = &l->of[p->index];
    t->partition = p;
    t->head = l->head;
    t->token = l->token;
    ww_log_acting = t;
}

__attribute__((noinline)) void ww_log_need_piece(LogText *t)
{
    if (t->n_pieces == t->room_pieces) {
        t->piece = ww_vec_grow(t->piece, &t->room_pieces, sizeof *t->piece);
    }
}

/* ---- chunks -------------------------------------------------------------------------------------------------------- */

static void push(LogChunk **to, LogChunk *c)
{
    c->next = *to;
    *to = c;
}

static LogChunk *pop(LogChunk **from)
{
    LogChunk *c = *from;
    if (c != NULL) {
        *from = c->next;
    }
    return c;
}

static size_t room_of(const LogChunk *c)
{
    return (size_t)(c->end - c->at);
}

static LogChunk *begin(void *at, size_t room)
{
    LogChunk *c = at;
    c->at = c->text;
    c->end = c->text + room;
    return c;
}

static void make_block(LogChunks *all)
{
    if (all->n_blocks == all->room_blocks) {
        all->block = ww_vec_grow(all->block, &all->room_blocks, sizeof *all->block);
    }
    char *at = all->block[all->n_blocks++] = g_aligned_alloc(1, BLOCK, BLOCK);
    madvise(at, BLOCK, MADV_HUGEPAGE); /* a wish */
    for (uint32_t i = BLOCK / CHUNK; i-- != 0;) {
        push(&all->empty, begin(at + i * CHUNK, ROOM));
    }
}

/* NULL: the worker has none with so much room. */
static LogChunk *find_begun(LogWorker *w, size_t room)
{
    LogChunk *c;
    while ((c = pop(&w->begun)) != NULL && room_of(c) < room) {
        push(&w->spent, c);
    }
    return c;
}

static LogChunk *find_empty(LogChunks *all, size_t room)
{
    if (room > ROOM) { /* for a line that is as long: it is not kept */
        return begin(g_malloc(sizeof(LogChunk) + room + LOG_STEP), room);
    }
    pthread_mutex_lock(&all->lock);
    if (all->empty == NULL) {
        make_block(all);
    }
    LogChunk *c = pop(&all->empty);
    pthread_mutex_unlock(&all->lock);
    return c;
}

static void begin_chunk(LogChunks *all, LogText *t, size_t room)
{
    LogChunk *c = find_begun(&all->of[ww_worker()], room);
    c = t->chunk = c != NULL ? c : find_empty(all, room);
    t->at = c->at;
    t->end = c->end;
    t->most = c->end - MOST;
}

/* What @p t writes next goes elsewhere. */
static void leave_chunk(LogChunks *all, LogText *t)
{
    LogChunk *c = t->chunk;
    if (t->tick != NO_TICK) {
        ww_log_need_piece(t);
        t->piece[t->n_pieces++] = (LogPiece){.tick = NO_TICK, .from = t->at};
        t->tick = NO_TICK;
    }
    c->at = t->at;
    t->chunk = NULL;
    t->at = t->most = t->end = NULL;
    push(&all->of[ww_worker()].begun, c);
}

void ww_log_act_no_more(void)
{
    LogText *t = ww_log_acting;
    ww_log_acting = NULL;
    if (t->chunk != NULL) {
        leave_chunk(&t->partition->machine->host->log->chunks, t);
    }
}

void ww_log_leave_aside(Log *l)
{
    LogText *t = ww_log_aside(l, l->of);
    if (t->chunk != NULL) {
        leave_chunk(&l->chunks, t);
    }
}

__attribute__((noinline)) void ww_log_more_text(LogText *t, size_t n)
{
    size_t used = ww_log_bytes(t), now = (size_t)(t->end - t->text);
    size_t room = MAX(2 * now, MAX(used + n + MOST, FIRST_ROOM));
    t->text = g_realloc(t->text, room + LOG_STEP);
    t->at = t->text + used;
    t->end = t->text + room;
    t->most = t->end - MOST;
}

__attribute__((noinline)) void ww_log_more(Log *l, LogText *t, size_t n)
{
    if (t->chunk != NULL) {
        leave_chunk(&l->chunks, t);
    }
    begin_chunk(&l->chunks, t, n + MOST);
}

static void move_all(LogChunk **to, LogChunk **from)
{
    for (LogChunk *c; (c = pop(from)) != NULL;) {
        push(to, c);
    }
}

void ww_log_take_chunks(LogChunks *all)
{
    for (uint32_t w = 0; w < WW_MAX_WORKERS; w++) {
        move_all(&all->taken, &all->of[w].begun);
        move_all(&all->taken, &all->of[w].spent);
    }
}

__attribute__((noinline)) void ww_log_give_chunks(LogChunks *all)
{
    for (LogChunk *c; (c = pop(&all->taken)) != NULL;) {
        if ((size_t)(c->end - c->text) > ROOM) {
            g_free(c);
        } else {
            push(&all->empty, begin(c, ROOM));
        }
    }
}

void ww_log_make_chunks(LogChunks *all)
{
    pthread_mutex_init(&all->lock, NULL);
}

void ww_log_free_chunks(LogChunks *all)
{
    ww_log_take_chunks(all);
    ww_log_give_chunks(all);
    for (uint32_t i = 0; i < all->n_blocks; i++) {
        g_aligned_free(all->block[i]);
    }
    g_free(all->block);
    pthread_mutex_destroy(&all->lock);
}
