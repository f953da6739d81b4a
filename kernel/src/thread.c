/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a thread that works for a run. */
#include <glib.h>
#include <signal.h>
#include <warpwright/thread.h>

/**
 * Has GLib make the locale that it reads numbers by. It makes it with the first number, under a
 * lock; a thread that meets another there may come back with an errno of that lock, which
 * g_ascii_string_to_unsigned() takes for a number that is none.
 */
static void read_first_number(void)
{
    g_ascii_strtoull("0", NULL, 10);
}

/* A thread that is about to begin. */
typedef struct Start {
    void *(*work)(void *);
    void *user;
    char stack[64 * 1024]; /* of handlers: the thread's own may have run out */
} Start;

static void *begin(void *start)
{
    Start *s = start;
    stack_t before;
    sigaltstack(NULL, &before);
    if (before.ss_flags & SS_DISABLE) { /* else a sanitizer gave it one, and takes it back */
        sigaltstack(&(stack_t){.ss_sp = s->stack, .ss_size = sizeof s->stack}, NULL);
    }
    void *result = s->work(s->user);
    sigaltstack(&before, NULL);
    g_free(s);
    return result;
}

bool ww_thread_begin(pthread_t *thread, void *(*work)(void *), void *user)
{
    read_first_number();
    Start *s = g_try_new(Start, 1);
    if (s == NULL) {
        return false;
    }
    s->work = work;
    s->user = user;
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* what a thread does itself, it is told */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGTRAP);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool begun = pthread_create(thread, NULL, begin, s) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!begun) {
        g_free(s);
    }
    return begun;
}
