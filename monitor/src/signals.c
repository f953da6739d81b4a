/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Handlers call only what a handler may. Whoever does not answer is found by two timers: one of processor time, for a loop without
 * end, short because the work between two looks at the flag is, and because it does not run while others have the machine; one of
 * real time for what sleeps.
 */
#include "crash-priv.h"
#include <monitor/signals.h>

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>
#include <warpwright/at_work.h>
#include <warpwright/interrupt.h>
#include <warpwright/output.h>

#define ANSWER_CPU_NS 150000000 /* of a model that works */
#define ANSWER_WALL_S 2         /* of one that waits for something */

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
static timer_t timer[2]; /* processor time, real time */
static bool begun;
static volatile sig_atomic_t mode, caught, asked, wanted;

static void end_process(int number, const void *context, const char *consequence)
{
    ww_crash_tell_interrupted(context, consequence);
    ww_pending_remove_all();
    _exit(128 + number);
}

static void set_timers(bool on)
{
    const struct itimerspec off = {0}, cpu = {.it_value = {.tv_nsec = ANSWER_CPU_NS}},
                            wall = {.it_value = {.tv_sec = ANSWER_WALL_S}};
    timer_settime(timer[0], 0, on ? &cpu : &off, NULL);
    timer_settime(timer[1], 0, on ? &wall : &off, NULL);
}

static void on_end(int number, siginfo_t *info, void *context)
{
    int saved = errno;
    if (caught != 0 || mode == WW_SIGNALS_END) {
        end_process(number, context, caught != 0 ? " again; results are lost" : "");
    }
    caught = number;
    ww_interrupt();
    if (mode == WW_SIGNALS_ASK) {
        set_timers(true);
    }
    errno = saved;
}

static void end_endless(const void *context)
{
    end_process(caught, context, ", and does not come to an end; results are lost");
}

/* Nobody has looked at the flag: the model is in a tick that does not end, perhaps in another thread, for which this one waits. */
static void on_alarm(int number, siginfo_t *info, void *context)
{
    static volatile sig_atomic_t passed_on;
    pthread_t other;
    if (mode != WW_SIGNALS_ASK || caught == 0) {
        return;
    }
    if (!passed_on && ww_at_work().component == NULL && ww_at_work_beside(&other)) {
        passed_on = 1;
        set_timers(true); /* once more, should that one not answer */
        ww_crash_ask(other, end_endless);
    } else {
        end_endless(context);
    }
}

static void on_user(int number, siginfo_t *info, void *context)
{
    static const char text[] = "warpwright: nothing is being simulated now\n";
    int saved = errno;
    if (mode == WW_SIGNALS_ASK) {
        *(number == SIGUSR1 ? &asked : &wanted) = 1;
        ww_attention();
    } else {
        ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
        (void)n;
    }
    errno = saved;
}

static void handle(int number, void (*handler)(int, siginfo_t *, void *))
{
    struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_RESTART | SA_SIGINFO};
    sigfillset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void ww_signals_begin(void)
{
    if (begun) {
        return;
    }
    begun = true;
    mode = WW_SIGNALS_END;
    caught = asked = wanted = 0;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    handle(SIGALRM, on_alarm);
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer[0]) != 0 ||
        timer_create(CLOCK_MONOTONIC, &event, &timer[1]) != 0) {
        ww_exhausted(errno == EAGAIN ? "cannot set up timers: too few signals may be queued; "
                                       "expected a higher limit (ulimit -i)"
                                     : WW_OUT_OF_MEMORY);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(ending); i++) {
        struct sigaction before;
        sigaction(ending[i], NULL, &before);
        if (ending[i] != SIGHUP || before.sa_handler != SIG_IGN) {
            handle(ending[i], on_end);
        }
    }
    handle(SIGUSR1, on_user);
    handle(SIGUSR2, on_user);
}

void ww_signals_set(WwSignalsMode next)
{
    mode = (sig_atomic_t)next;
    if (begun && next != WW_SIGNALS_ASK) {
        set_timers(false);
    }
}

void ww_signals_alive(void)
{
    if (caught != 0 && mode == WW_SIGNALS_ASK) {
        set_timers(true);
    }
}

int ww_signals_caught(void)
{
    return caught;
}

bool ww_signals_wanted(void)
{
    bool was = wanted != 0;
    wanted = 0;
    return was;
}

bool ww_signals_asked(void)
{
    bool was = asked != 0;
    asked = 0;
    return was;
}
