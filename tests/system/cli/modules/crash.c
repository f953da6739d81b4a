/* SPDX-License-Identifier: Apache-2.0 */
/* A module for tests: `scheduler.crash`, a policy that ends the process, or refuses to start, in the way it is told. */
#include <ports/issue.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <warpwright/module.h>

typedef struct Crash {
    WwComponent base;
    uint32_t how;
    WwProvided policy;
} Crash;

enum {
    SEGV,
    FPE,
    ABORT,
    LIBRARY,
    NOWHERE,
    STACK,
    INNER,
    RESET,
    INIT,
    REFUSE,
    SILENT,
    LOOP,
    WAIT,
    INIT_LOOP,
    WINDOW,
    STACK_BESIDE,
    TRAP_BESIDE,
    LOOP_BESIDE,
    FAR,
    EXIT
};
static const char *const hows[] = {
    "segv",   "fpe",          "abort",       "library",     "nowhere", "stack", "inner",
    "reset",  "init",         "refuse",      "silent",      "loop",    "wait",  "init_loop",
    "window", "stack_beside", "trap_beside", "loop_beside", "far",     "exit",  NULL};

static volatile int zero; /* always 0; the compiler does not know */

static __attribute__((noinline)) void write_to(uintptr_t address)
{
    *(volatile int *)address = 1;
}

/* Says so first: a test waits for it. */
static __attribute__((noinline)) void stay(bool busy)
{
    static const char text[] = "here it stays\n";
    ssize_t n = write(STDERR_FILENO, text, sizeof text - 1);
    while (n != 0) {
        if (!busy) {
            pause();
        }
        n += zero;
    }
}

static __attribute__((noinline)) int dig(volatile const char *above)
{
    volatile char here[4096];
    here[0] = above[0];
    return zero == 0 ? dig(here) + here[1] : 0;
}

/* Outside of a window nobody is earlier than who had a turn before. Says first who it is, and when. */
static void end_in_window(const Crash *c)
{
    static WwCycle latest;
    if (ww_now(c) < latest) {
        fprintf(stderr, "module: a window, cycle %" G_GUINT64_FORMAT "\n", ww_now(c));
        write_to((uintptr_t)zero);
    }
    latest = ww_now(c);
}

/* In a window that several threads run: waits a little until another one has a turn, too. */
static bool meet(const Crash *c)
{
    static WwCycle latest;
    static int here;
    bool window = ww_now(c) < __atomic_exchange_n(&latest, ww_now(c), __ATOMIC_RELAXED);
    if (gettid() == getpid() && !window) {
        return false;
    }
    __atomic_add_fetch(&here, 1, __ATOMIC_RELAXED);
    for (gint64 end = g_get_monotonic_time() + 20000; g_get_monotonic_time() < end;) {
        if (__atomic_load_n(&here, __ATOMIC_RELAXED) > 1) {
            return true;
        }
        sched_yield();
    }
    __atomic_sub_fetch(&here, 1, __ATOMIC_RELAXED);
    return false;
}

/* Of two threads that have met the one that is not the process's first; that one waits, in its turn or behind it. */
static void end_beside(const Crash *c)
{
    if (!meet(c)) {
        return;
    }
    if (gettid() == getpid()) {
        while (c->how != LOOP_BESIDE) {
            pause();
        }
        return;
    }
    if (c->how == LOOP_BESIDE) {
        stay(true);
    }
    if (c->how == TRAP_BESIDE) {
        raise(SIGTRAP);
    }
    zero = dig((const char *)c);
}

static uint32_t list(uint64_t warps, uint8_t *out)
{
    uint32_t n = 0;
    for (; warps != 0; warps &= warps - 1) {
        out[n++] = (uint8_t)__builtin_ctzll(warps);
    }
    return n;
}

static uint32_t crash_order(void *self, const WwPolicyView *view, uint8_t *out)
{
    Crash *c = self;
    uint32_t (*volatile nowhere)(void) = NULL;
    switch (c->how) {
    case SEGV:
        *(volatile int *)(uintptr_t)zero = 1;
        break;
    case FPE:
        return (uint32_t)(77 / zero);
    case ABORT:
        abort();
    case LIBRARY:
        memset((void *)(uintptr_t)zero, 0, 1u << 20);
        break;
    case NOWHERE:
        return nowhere() + 1;
    case STACK:
        return (uint32_t)dig((const char *)out);
    case LOOP:
    case WAIT:
        stay(c->how == LOOP);
        break;
    case WINDOW:
        end_in_window(c);
        break;
    case EXIT:
        exit(0);
    case FAR:
        for (uint32_t i = 0; i < 1u << 17; i++) {
            ((uintptr_t *)(void *)(c + 1))[i] = 0x10101010101; /* where nothing is */
        }
        break;
    case STACK_BESIDE:
    case TRAP_BESIDE:
    case LOOP_BESIDE:
        end_beside(c);
        break;
    default:
        write_to((uintptr_t)zero);
    }
    return list(view->candidates, out);
}

static void crash_issued(void *self, const WwPolicyView *view, uint32_t warp, uint32_t n) {}

static bool crash_init(void *self, GError **error)
{
    Crash *c = self;
    if (c->how == INIT) {
        *(volatile int *)(uintptr_t)zero = 1;
    }
    if (c->how == INIT_LOOP) {
        stay(true);
    }
    if (c->how == REFUSE) {
        return ww_fail(error, WW_ERROR_USAGE, "how = refuse; expected another way");
    }
    return c->how != SILENT;
}

static void crash_reset(void *self)
{
    if (((Crash *)self)->how == RESET) {
        *(volatile int *)(uintptr_t)zero = 1;
    }
}

static const WwParamRow crash_params[] = {
    WW_CHOICE(Crash, how, "segv", hows, "in which way it fails"),
    {0},
};

static const WwPolicyIf crash_table = {.order = crash_order, .issued = crash_issued};

static const WwPortRow crash_ports[] = {
    WW_PORT_PROVIDES(Crash, policy, &ww_contract_scheduler, &crash_table, "a slot"),
    {0},
};

static const WwType crash_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.crash",
    .doc = "Ends the process.",
    .family = "scheduler",
    .size = sizeof(Crash),
    .params = crash_params,
    .ports = crash_ports,
    .init = crash_init,
    .reset = crash_reset,
};

/* A second one, so that the type does not follow from the module alone. */
static const WwType other_type = {
    .abi = WW_ABI_VERSION,
    .name = "scheduler.crash_other",
    .doc = "Is never used.",
    .family = "scheduler",
    .size = sizeof(Crash),
    .params = crash_params,
    .ports = crash_ports,
};

static const WwType *const types[] = {&other_type, &crash_type, NULL};

WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "crash",
    .version = "1",
    .doc = "a policy that fails",
    .types = types,
};
