/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run the partitions of one stage of a window beside the caller: each takes the next one that nobody has yet. A stage is over
 * when all have come back, and only then does the caller look at what the partitions left in their outboxes.
 *
 * Stages follow each other within microseconds, so whoever waits looks a few thousand times before it sleeps.
 */
#include "crew-priv.h"
#include <pthread.h>
#include <sched.h>
#include <signal.h>

enum { LOOKS = 4000 };

struct WwCrew {
    uint32_t n; /* Threads besides the caller. */
    pthread_t *thread;
    WwPartition **job;
    uint32_t n_jobs;
    /* Each in a cache line of its own: all look at them. */
    _Alignas(64) uint32_t next; /* Job that nobody has yet. */
    _Alignas(64) uint32_t round;
    _Alignas(64) uint32_t working; /* Threads that have not come back. */
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

static inline void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

static void take_jobs(WwCrew *c)
{
    uint32_t i;
    while ((i = __atomic_fetch_add(&c->next, 1, __ATOMIC_RELAXED)) < c->n_jobs) {
        ww_run_partition(c->job[i]);
    }
}

/* Waits until *word is not @p old any more. */
static void wait_while(WwCrew *c, const uint32_t *word, uint32_t old, pthread_cond_t *cond)
{
    for (uint32_t i = 0; i < LOOKS; i++) {
        if (__atomic_load_n(word, __ATOMIC_ACQUIRE) != old) {
            return;
        }
        relax();
    }
    pthread_mutex_lock(&c->lock);
    while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == old) {
        pthread_cond_wait(cond, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static void set(WwCrew *c, uint32_t *word, uint32_t value, pthread_cond_t *cond)
{
    pthread_mutex_lock(&c->lock);
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
    pthread_cond_broadcast(cond);
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *user)
{
    Worker *w = user;
    WwCrew *c = w->crew;
    worker_number = w->number;
    g_free(w);
    for (uint32_t round = 0;; round++) {
        wait_while(c, &c->round, round, &c->go);
        if (c->quit) {
            return NULL;
        }
        take_jobs(c);
        if (__atomic_sub_fetch(&c->working, 1, __ATOMIC_ACQ_REL) == 0) {
            pthread_mutex_lock(&c->lock);
            pthread_cond_signal(&c->done);
            pthread_mutex_unlock(&c->lock);
        }
    }
}

void ww_crew_run(WwCrew *c, WwPartition **job, uint32_t n)
{
    c->job = job;
    c->n_jobs = n;
    c->next = 0;
    c->working = c->n;
    set(c, &c->round, c->round + 1, &c->go);
    take_jobs(c);
    for (uint32_t left; (left = __atomic_load_n(&c->working, __ATOMIC_ACQUIRE)) != 0;) {
        wait_while(c, &c->working, left, &c->done);
    }
}

WwCrew *ww_crew_new(WwMachine *machine, uint32_t threads)
{
    WwCrew *c = g_aligned_alloc0(1, sizeof *c, 64);
    sigset_t all, before;
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->go, NULL);
    pthread_cond_init(&c->done, NULL);
    c->thread = g_new0(pthread_t, threads);
    sigfillset(&all); /* signals are the control plane's, in the thread that has it */
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    while (c->n < threads) {
        Worker *w = g_new(Worker, 1);
        *w = (Worker){c, c->n + 1};
        if (pthread_create(&c->thread[c->n], NULL, work, w) != 0) {
            g_free(w);
            break; /* fewer of them: the results are the same */
        }
        c->n++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return c;
}

uint32_t ww_machine_threads(const WwMachine *m)
{
    return m->host->crew != NULL ? m->host->crew->n + 1 : 1;
}

void ww_crew_free(WwCrew *c)
{
    c->quit = true;
    set(c, &c->round, c->round + 1, &c->go);
    for (uint32_t i = 0; i < c->n; i++) {
        pthread_join(c->thread[i], NULL);
    }
    pthread_mutex_destroy(&c->lock);
    pthread_cond_destroy(&c->go);
    pthread_cond_destroy(&c->done);
    g_free(c->thread);
    g_aligned_free(c);
}
