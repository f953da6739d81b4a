/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run the partitions of one stage of a window beside the caller: each takes the next one that nobody has yet. A stage is over
 * when all its partitions have been run, and only then does the caller look at what they left in their outboxes. Nobody waits for a thread
 * that has none of them: on a busy host it may not have woken yet.
 *
 * Stages follow each other within microseconds, so whoever waits looks a few thousand times before it sleeps.
 */
#include "crew-priv.h"
#include <warpwright/thread.h>

enum { LOOKS = 1000 };

struct WwCrew {
    uint32_t n; /* Threads besides the caller. */
    pthread_t *thread;
    WwPartition **job;
    /* Each in a cache line of its own: all look at them. */
    _Alignas(64) uint64_t ticket; /* Round, and in the lower half how many jobs of it nobody has. */
    _Alignas(64) uint32_t left;   /* Jobs that are not done. */
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    bool quit;
};

typedef struct Worker {
    WwCrew *crew;
    uint32_t number;
} Worker;

static __thread uint32_t worker_number __attribute__((tls_model("initial-exec")));

uint32_t ww_worker(void)
{
    return worker_number;
}

/* A job of the round in progress that nobody has yet, the first one first; NULL: there is none. */
static WwPartition *take_job(WwCrew *c)
{
    uint64_t ticket = __atomic_load_n(&c->ticket, __ATOMIC_ACQUIRE);
    while ((uint32_t)ticket != 0) {
        if (__atomic_compare_exchange_n(&c->ticket, &ticket, ticket - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return c->job[(uint32_t)ticket - 1]; /* its round is not over before it is done */
        }
    }
    return NULL;
}

static void work_off(WwCrew *c)
{
    for (WwPartition *p; (p = take_job(c)) != NULL;) {
        ww_run_partition(p);
        if (__atomic_sub_fetch(&c->left, 1, __ATOMIC_ACQ_REL) == 0) {
            pthread_mutex_lock(&c->lock); /* the caller may have gone to sleep */
            pthread_cond_signal(&c->done);
            pthread_mutex_unlock(&c->lock);
        }
    }
}

static bool has_jobs(const WwCrew *c)
{
    return (uint32_t)__atomic_load_n(&c->ticket, __ATOMIC_ACQUIRE) != 0 ||
           __atomic_load_n(&c->quit, __ATOMIC_ACQUIRE);
}

static bool is_done(const WwCrew *c)
{
    return __atomic_load_n(&c->left, __ATOMIC_ACQUIRE) == 0;
}

/* Waits until it is so; who changes that says so under the lock. */
static void wait_until(WwCrew *c, bool (*is)(const WwCrew *), pthread_cond_t *cond)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (is(c)) {
            return;
        }
        ww_relax();
    }
    pthread_mutex_lock(&c->lock);
    while (!is(c)) {
        pthread_cond_wait(cond, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *user)
{
    Worker *w = user;
    WwCrew *c = w->crew;
    worker_number = w->number;
    g_free(w);
    for (;;) {
        wait_until(c, has_jobs, &c->go);
        if (__atomic_load_n(&c->quit, __ATOMIC_ACQUIRE)) {
            return NULL;
        }
        work_off(c);
    }
}

void ww_crew_run(WwCrew *c, WwPartition **job, uint32_t n)
{
    for (uint32_t i = 0; i < n / 2; i++) { /* they are taken from the end */
        WwPartition *p = job[i];
        job[i] = job[n - 1 - i];
        job[n - 1 - i] = p;
    }
    c->job = job;
    __atomic_store_n(&c->left, n, __ATOMIC_RELAXED);
    uint64_t round = (__atomic_load_n(&c->ticket, __ATOMIC_RELAXED) >> 32) + 1;
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(&c->ticket, round << 32 | n, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    work_off(c);
    wait_until(c, is_done, &c->done);
}

WwCrew *ww_crew_new(WwMachine *machine, uint32_t threads)
{
    WwCrew *c = g_aligned_alloc0(1, sizeof *c, 64);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->go, NULL);
    pthread_cond_init(&c->done, NULL);
    c->thread = g_new0(pthread_t, threads);
    while (c->n < threads) {
        Worker *w = g_new(Worker, 1);
        *w = (Worker){c, c->n + 1};
        if (!ww_thread_begin(&c->thread[c->n], work, w)) {
            g_free(w);
            break; /* fewer of them: the results are the same */
        }
        c->n++;
    }
    return c;
}

uint32_t ww_machine_threads(const WwMachine *m)
{
    return m->host->crew != NULL ? m->host->crew->n + 1 : 1;
}

void ww_crew_free(WwCrew *c)
{
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(&c->quit, true, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    for (uint32_t i = 0; i < c->n; i++) {
        pthread_join(c->thread[i], NULL);
    }
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->go);
    pthread_cond_destroy(&c->done);
    g_free(c->thread);
    g_aligned_free(c);
}
