/* SPDX-License-Identifier: Apache-2.0 */
/* Starting a thread that works for a run. */
#include <signal.h>
#include <warpwright/thread.h>

bool ww_thread_begin(pthread_t *thread, void *(*work)(void *), void *user)
{
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
