/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads that run the partitions of one stage of a window beside the caller. Each has a queue: of the partitions that it ran last, whose state
 * is in its core's caches; when that is empty it takes from the others'. A stage is over when all its partitions have been run, and only then
 * does the caller look at what they left in their outboxes. Nobody waits for a thread that has none of them: on a busy host it may not have
 * woken yet.
 *
 * Stages follow each other within microseconds, so whoever waits looks a few thousand times before it sleeps: some 70 us, about what waking up costs
 * on a virtual machine. With more threads than cores somebody else may need the core, and it looks less often.
 */
#include "crew-priv.h"
#include <string.h>
#include <warpwright/thread.h>

enum { LOOKS = 4000, LOOKS_OF_MANY = 1000 };

/* Jobs of the round in progress; a cache line of its own. */
typedef struct Queue {
    _Alignas(64) uint64_t ticket; /* Round, and in the lower half how many nobody has. */
    WwPartition **job;            /* The last one first. */
    uint32_t n;
    bool at_work; /* Whose queue it is runs a partition. */
} Queue;

struct WwCrew {
    uint32_t n; /* Threads besides the caller. */
    uint32_t looks;
    pthread_t *thread;
    Queue *queue; /* [n + 1]: the caller's is the first. */
    WwPartition **job;
    uint8_t *home; /* By index of a partition: who ran it last; NOBODY: it has not run yet. */
    /* Each in a cache line of its own: all look at them. */
    _Alignas(64) uint64_t round; /* Number of the last one that was begun. */
    _Alignas(64) uint32_t left;  /* Jobs that are not done. */
    pthread_mutex_t lock;
    pthread_cond_t go, done;
    bool quit;
};

enum { NOBODY = 0xff };
G_STATIC_ASSERT(WW_MAX_WORKERS <= NOBODY);

typedef struct Worker {
    WwCrew *crew;
    uint32_t number;
    uint64_t seen; /* Rounds, that it has looked for jobs of. */
} Worker;

static __thread uint32_t worker_number __attribute__((tls_model("initial-exec")));

uint32_t ww_worker(void)
{
    return worker_number;
}

/* A job of the queue that nobody has yet, the first one first; NULL: there is none. */
static WwPartition *take_of(Queue *q)
{
    uint64_t ticket = __atomic_load_n(&q->ticket, __ATOMIC_ACQUIRE);
    while ((uint32_t)ticket != 0) {
        if (__atomic_compare_exchange_n(&q->ticket, &ticket, ticket - 1, false, __ATOMIC_ACQ_REL,
                                        __ATOMIC_ACQUIRE)) {
            return q->job[(uint32_t)ticket - 1]; /* its round is not over before it is done */
        }
    }
    return NULL;
}

/* A job for worker @p w: its own, or else another one's, which it keeps then. */
static WwPartition *take_job(WwCrew *c, uint32_t w)
{
    WwPartition *p = take_of(&c->queue[w]);
    for (uint32_t i = w + 1; p == NULL && i <= w + c->n; i++) {
        p = take_of(&c->queue[i % (c->n + 1)]);
        if (p != NULL) {
            c->home[p->index] = (uint8_t)w;
        }
    }
    return p;
}

static void work_off(WwCrew *c, uint32_t w)
{
    for (WwPartition *p; (p = take_job(c, w)) != NULL;) {
        __atomic_store_n(&c->queue[w].at_work, true, __ATOMIC_RELAXED);
        ww_run_partition(p);
        __atomic_store_n(&c->queue[w].at_work, false, __ATOMIC_RELAXED);
        if (__atomic_sub_fetch(&c->left, 1, __ATOMIC_ACQ_REL) == 0) {
            pthread_mutex_lock(&c->lock); /* the caller may have gone to sleep */
            pthread_cond_signal(&c->done);
            pthread_mutex_unlock(&c->lock);
        }
    }
}

static bool is_begun(const WwCrew *c, uint64_t seen)
{
    return __atomic_load_n(&c->round, __ATOMIC_ACQUIRE) != seen ||
           __atomic_load_n(&c->quit, __ATOMIC_ACQUIRE);
}

static bool is_done(const WwCrew *c, uint64_t unused)
{
    (void)unused;
    return __atomic_load_n(&c->left, __ATOMIC_ACQUIRE) == 0;
}

/* Waits until it is so; who changes that says so under the lock. */
static void wait_until(WwCrew *c, bool (*is)(const WwCrew *, uint64_t), uint64_t seen,
                       pthread_cond_t *cond)
{
    for (uint32_t i = 0; i < c->looks; i++) {
        if (is(c, seen)) {
            return;
        }
        ww_relax();
    }
    pthread_mutex_lock(&c->lock);
    while (!is(c, seen)) {
        pthread_cond_wait(cond, &c->lock);
    }
    pthread_mutex_unlock(&c->lock);
}

static void *work(void *user)
{
    Worker *w = user;
    WwCrew *c = w->crew;
    worker_number = w->number;
    for (;;) {
        wait_until(c, is_begun, w->seen, &c->go);
        w->seen = __atomic_load_n(&c->round, __ATOMIC_ACQUIRE);
        if (__atomic_load_n(&c->quit, __ATOMIC_ACQUIRE)) {
            g_free(w);
            return NULL;
        }
        work_off(c, w->number);
    }
}

/* They are taken from the end. */
static void share_out(WwCrew *c, WwPartition *const *job, uint32_t n)
{
    for (uint32_t w = 0; w <= c->n; w++) {
        c->queue[w].n = 0;
    }
    for (uint32_t i = n; i-- > 0;) {
        uint8_t *home = &c->home[job[i]->index];
        if (*home == NOBODY) {
            *home = (uint8_t)(i % (c->n + 1));
        }
        Queue *q = &c->queue[*home];
        q->job[q->n++] = job[i];
    }
}

void ww_crew_run(WwCrew *c, WwPartition *const *job, uint32_t n)
{
    share_out(c, job, n);
    __atomic_store_n(&c->left, n, __ATOMIC_RELAXED);
    uint64_t round = __atomic_load_n(&c->round, __ATOMIC_RELAXED) + 1;
    pthread_mutex_lock(&c->lock);
    for (uint32_t w = 0; w <= c->n; w++) {
        Queue *q = &c->queue[w];
        __atomic_store_n(&q->ticket, round << 32 | q->n, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&c->round, round, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&c->go);
    pthread_mutex_unlock(&c->lock);
    work_off(c, 0);
    wait_until(c, is_done, 0, &c->done);
}

WwCrew *ww_crew_new(WwMachine *machine, uint32_t threads)
{
    WwCrew *c = g_aligned_alloc0(1, sizeof *c, 64);
    pthread_mutex_init(&c->lock, NULL);
    pthread_cond_init(&c->go, NULL);
    pthread_cond_init(&c->done, NULL);
    c->thread = g_new0(pthread_t, threads);
    c->queue = g_aligned_alloc0(threads + 1, sizeof *c->queue, 64);
    c->job = g_new0(WwPartition *, (threads + 1) * machine->n_all);
    for (uint32_t w = 0; w <= threads; w++) {
        c->queue[w].job = &c->job[w * machine->n_all];
    }
    c->home = g_malloc(machine->n_all);
    memset(c->home, NOBODY, machine->n_all);
    c->looks = threads < g_get_num_processors() ? LOOKS : LOOKS_OF_MANY;
    while (c->n < threads) {
        Worker *w = g_new(Worker, 1);
        *w = (Worker){c, c->n + 1, 0};
        if (!ww_thread_begin(&c->thread[c->n], work, w)) {
            g_free(w);
            break; /* fewer of them: the results are the same */
        }
        c->n++;
    }
    return c;
}

bool ww_crew_at_work(const WwCrew *c, pthread_t *thread)
{
    uint32_t w = 1;
    while (w <= c->n && !__atomic_load_n(&c->queue[w].at_work, __ATOMIC_RELAXED)) {
        w++;
    }
    if (w <= c->n) {
        *thread = c->thread[w - 1];
    }
    return w <= c->n;
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
    g_free(c->job);
    g_free(c->home);
    g_aligned_free(c->queue);
    g_aligned_free(c);
}
