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

bool ww_thread_begin(pthread_t *thread, void *(*work)(void *), void *user)
{
    read_first_number();
    sigset_t all, before;
    sigfillset(&all);
    sigdelset(&all, SIGSEGV); /* what a thread does itself, it is told */
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    sigdelset(&all, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    bool begun = pthread_create(thread, NULL, work, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return begun;
}
