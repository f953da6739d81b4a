/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of an event log: it puts what a window's partitions wrote in order and writes it to the file, while the next window runs. The run waits for it
 * where it has something to hand over before the last is done, and at its end, and helps as long (log_parts.c). Only the thread writes to the file then, and
 * the file's bytes are the same.
 */
#include "log-priv.h"

#include <warpwright/thread.h>

enum { LOOKS = 1000 };

struct Scribe {
    WwMachine *machine;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    bool busy;  /* It has a window's lines. */
    bool waits; /* Somebody sleeps until it has not, or there is something to do for others. */
    bool quit;
};

static bool is_busy(const Scribe *s)
{
    return __atomic_load_n(&s->busy, __ATOMIC_ACQUIRE);
}

/* Until it is busy, or has to go. */
static void await_work(Scribe *s)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (is_busy(s)) {
            return;
        }
        ww_relax();
    }
    pthread_mutex_lock(&s->lock);
    while (!s->busy && !s->quit) {
        pthread_cond_wait(&s->go, &s->lock);
    }
    pthread_mutex_unlock(&s->lock);
}

/* Until it is not, or there is something to do for others. */
static void await_end(Scribe *s, const Log *l)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (!is_busy(s) || ww_log_can_help(l)) {
            return;
        }
        ww_relax();
    }
    pthread_mutex_lock(&s->lock);
    __atomic_store_n(&s->waits, true, __ATOMIC_SEQ_CST);
    while (s->busy && !ww_log_can_help(l)) {
        pthread_cond_wait(&s->done, &s->lock);
    }
    __atomic_store_n(&s->waits, false, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&s->lock);
}

void ww_scribe_call(Log *l)
{
    Scribe *s = l->scribe;
    if (s != NULL && __atomic_load_n(&s->waits, __ATOMIC_SEQ_CST)) {
        pthread_mutex_lock(&s->lock);
        pthread_cond_signal(&s->done);
        pthread_mutex_unlock(&s->lock);
    }
}

/* Whoever waits for that may sleep. */
static void set_busy(Scribe *s, bool busy, pthread_cond_t *cond)
{
    pthread_mutex_lock(&s->lock);
    __atomic_store_n(&s->busy, busy, __ATOMIC_RELEASE);
    pthread_cond_signal(cond);
    pthread_mutex_unlock(&s->lock);
}

static void *work(void *user)
{
    Scribe *s = user;
    for (;;) {
        await_work(s);
        if (!is_busy(s)) {
            return NULL;
        }
        ww_log_sort(s->machine, s->machine->host->log->full);
        set_busy(s, false, &s->done);
    }
}

/* False: the system gives no thread. */
static WW_COLD bool begin(WwMachine *m, Log *l)
{
    Scribe *s = g_new0(Scribe, 1);
    s->machine = m;
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->go, NULL);
    pthread_cond_init(&s->done, NULL);
    l->scribe = s;
    if (!ww_thread_begin(&s->thread, work, s)) {
        g_clear_pointer(&l->scribe, g_free);
        l->apart = false;
    }
    return l->apart;
}

void ww_scribe_wait(Log *l)
{
    Scribe *s = l->scribe;
    if (s == NULL) {
        return;
    }
    while (is_busy(s)) {
        if (!ww_log_help(l)) {
            await_end(s, l);
        }
    }
}

bool ww_scribe_take(WwMachine *m, Log *l)
{
    if (l->scribe == NULL && !(l->apart && begin(m, l))) {
        return false;
    }
    ww_log_give_chunks(&l->chunks);
    ww_log_take_chunks(&l->chunks);
    LogText *of = l->of;
    l->of = l->full;
    l->full = of;
    set_busy(l->scribe, true, &l->scribe->go);
    return true;
}

void ww_scribe_end(Log *l)
{
    Scribe *s = l->scribe;
    if (s == NULL) {
        return;
    }
    ww_scribe_wait(l);
    pthread_mutex_lock(&s->lock);
    s->quit = true;
    pthread_cond_signal(&s->go);
    pthread_mutex_unlock(&s->lock);
    pthread_join(s->thread, NULL);
    pthread_mutex_destroy(&s->lock);
    pthread_cond_destroy(&s->go);
    pthread_cond_destroy(&s->done);
    g_clear_pointer(&l->scribe, g_free);
}
