/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Processes on an event loop. Each place has a memory file that is its processes' stdout, and a pipe from their stderr. A child is begun by vfork():
 * what it does before exec() is a few system calls; the parent waits for that and copies no page tables. It is in a process group of its own, so that
 * Ctrl-C reaches this process alone, and the kernel kills it when this process is gone.
 */
#include <sweep/processes.h>

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM "/proc/self/exe" /* that of the parent, also when its file was replaced */
#define MOST_ERR (64u << 10)
#define WATCH_US 100000 /* how often limits are looked at */

typedef struct Place {
    struct WwProcesses *pool;
    int out, err; /* memory file; the end of the pipe that is read, or -1 */
    struct event *reader;
    GString *text; /* of stderr */
    pid_t pid;     /* 0: free */
    WwProcessJob job;
    WwProcessWhy why;
    gint64 began; /* monotonic, us */
    int64_t start;
    uint64_t memory; /* seen last */
    uint64_t most;
    uint64_t
        inherited; /* of this process: the kernel counts it as used by a child that has begun by vfork() */
    uint64_t number; /* of all that began */
} Place;

struct WwProcesses {
    WwProcessesSpec spec;
    struct event_base *base;
    struct event *child, *watch, *tick, *ends[3];
    Place *places;
    uint32_t n; /* places that run */
    uint64_t begun;
    uint64_t page;
    int null;
    int signal;
    bool over, quiet; /* nothing more begins; ends are told to nobody */
    bool filling;
    GString *out;
};

/* ---- beginning -------------------------------------------------------------------------------------------------- */

static void free_job(WwProcessJob *job)
{
    g_strfreev(job->words);
    memset(job, 0, sizeof *job);
}

/* In the child, which shares the parent's memory until exec(): system calls only. */
static void become(const Place *p, int null, int err, pid_t parent, char *const *words)
{
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent || dup2(null, STDIN_FILENO) < 0 || dup2(p->out, STDOUT_FILENO) < 0 ||
        dup2(err, STDERR_FILENO) < 0) {
        _exit(127);
    }
    execve(PROGRAM, words, environ);
    _exit(127);
}

static void on_err(evutil_socket_t fd, short what, void *user)
{
    Place *p = user;
    char chunk[4096];
    ssize_t n;
    while ((n = read(p->err, chunk, sizeof chunk)) > 0) {
        size_t room = MOST_ERR - MIN(p->text->len, MOST_ERR);
        g_string_append_len(p->text, chunk, (gssize)MIN((size_t)n, room));
    }
    if (n == 0 && p->reader != NULL) {
        event_del(p->reader);
    }
}

static bool prepare(Place *p, int pipe_ends[2])
{
    if (p->out < 0) {
        p->out = memfd_create("warpwright-results", MFD_CLOEXEC);
    }
    if (p->out < 0 || ftruncate(p->out, 0) != 0 || lseek(p->out, 0, SEEK_SET) != 0 ||
        pipe2(pipe_ends, O_CLOEXEC) != 0) {
        return false;
    }
    fcntl(pipe_ends[0], F_SETFL, O_NONBLOCK);
    p->err = pipe_ends[0];
    p->reader = event_new(p->pool->base, p->err, EV_READ | EV_PERSIST, on_err, p);
    g_string_truncate(p->text, 0);
    return p->reader != NULL && event_add(p->reader, NULL) == 0;
}

static uint64_t own_peak(void)
{
    struct rusage used;
    return getrusage(RUSAGE_SELF, &used) == 0 ? (uint64_t)used.ru_maxrss * 1024u : 0;
}

static bool begin(Place *p)
{
    int ends[2] = {-1, -1};
    bool good = prepare(p, ends);
    int why = errno;
    if (good) {
        pid_t parent = getpid();
        char *const *words = p->job.words;
        p->inherited = own_peak();
        /* posix_spawn() knows no death signal.
         * NOLINTBEGIN(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
        pid_t pid = vfork();
        if (pid == 0) {
            become(p, p->pool->null, ends[1], parent, words);
        }
        /* NOLINTEND(clang-analyzer-security.insecureAPI.vfork,clang-analyzer-unix.Vfork) */
        p->pid = pid;
        good = pid > 0;
        why = errno;
    }
    if (ends[1] >= 0) {
        close(ends[1]);
    }
    p->began = g_get_monotonic_time();
    p->start = g_get_real_time() / G_USEC_PER_SEC;
    p->why = WW_PROCESS_ENDED;
    p->memory = p->most = 0;
    p->number = p->pool->begun++;
    if (!good) {
        p->pid = 0;
        if (p->out >= 0) { /* a place without a process keeps nothing that the others lack */
            close(p->out);
        }
        p->out = -1;
        g_string_printf(p->text, "cannot start a process: %s", g_strerror(why));
    }
    return good;
}

/* ---- ending ----------------------------------------------------------------------------------------------------- */

static void free_event(struct event *e)
{
    if (e != NULL) {
        event_free(e);
    }
}

static void read_out(const Place *p)
{
    GString *out = p->pool->out;
    g_string_truncate(out, 0);
    off_t size = p->out >= 0 ? lseek(p->out, 0, SEEK_END) : 0;
    g_string_set_size(out, (gsize)MAX(size, 0));
    gsize have = 0;
    while (have < out->len) {
        ssize_t n = pread(p->out, out->str + have, out->len - have, (off_t)have);
        if (n <= 0) {
            break;
        }
        have += (gsize)n;
    }
    g_string_truncate(out, have);
}

static double seconds_of(const struct timeval *t)
{
    return (double)t->tv_sec + (double)t->tv_usec / 1e6;
}

/* A run that ended between two looks at the limits is held to them, too. What it used below what it inherited is not known. */
static void hold_to_limits(Place *p, double seconds, uint64_t most)
{
    if (p->why != WW_PROCESS_ENDED) {
        return;
    }
    if (p->job.time_limit > 0 && seconds > p->job.time_limit) {
        p->why = WW_PROCESS_TIME;
    } else if (p->job.memory_limit != 0 && most > p->job.memory_limit &&
               (most > p->inherited || p->most > p->job.memory_limit)) {
        p->why = WW_PROCESS_MEMORY;
    }
}

static void end(Place *p, int status, const struct rusage *used)
{
    WwProcesses *pool = p->pool;
    gint64 now = g_get_monotonic_time();
    uint64_t most = MAX(p->most, (uint64_t)used->ru_maxrss * 1024u);
    if (p->err >= 0) {
        on_err(p->err, EV_READ, p);
        free_event(p->reader);
        close(p->err);
    }
    p->err = -1;
    p->reader = NULL;
    p->pid = 0;
    pool->n--;
    read_out(p);
    hold_to_limits(p, (double)(now - p->began) / 1e6, most);
    WwProcessEnd e = {.user = p->job.user,
                      .why = p->why,
                      .status = status,
                      .start = p->start,
                      .seconds = (double)(now - p->began) / 1e6,
                      .processor_seconds =
                          seconds_of(&used->ru_utime) + seconds_of(&used->ru_stime),
                      .memory = most,
                      .out = pool->out->str,
                      .out_size = pool->out->len,
                      .err = p->text->str};
    free_job(&p->job);
    if (!pool->quiet) {
        pool->spec.ended(pool->spec.user, &e);
    }
}

/* Those that have ended; are there any? */
static bool reap(WwProcesses *pool)
{
    bool any = false;
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        Place *p = &pool->places[i];
        struct rusage used;
        int status;
        if (p->pid > 0 && wait4(p->pid, &status, WNOHANG, &used) == p->pid) {
            end(p, status, &used);
            any = true;
        }
    }
    return any;
}

/* ---- filling ---------------------------------------------------------------------------------------------------- */

static uint64_t needs(const Place *p)
{
    return MAX(p->job.memory, p->memory);
}

static void add_up(const WwProcesses *pool, uint32_t *cores, uint64_t *memory)
{
    *cores = 0;
    *memory = 0;
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        const Place *p = &pool->places[i];
        if (p->pid > 0) {
            *cores += p->job.cores;
            *memory += needs(p);
        }
    }
}

static Place *free_place(WwProcesses *pool)
{
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        if (pool->places[i].pid == 0) {
            return &pool->places[i];
        }
    }
    return NULL;
}

/* Begins what there is room for. */
static void fill(WwProcesses *pool)
{
    uint32_t cores;
    uint64_t memory;
    while (!pool->over) {
        add_up(pool, &cores, &memory);
        Place *p = free_place(pool);
        WwProcessJob job = {0};
        if (p == NULL || cores >= pool->spec.cores ||
            !pool->spec.next(pool->spec.user, pool->spec.cores - cores,
                             pool->spec.memory - MIN(memory, pool->spec.memory), pool->n == 0,
                             &job)) {
            pool->over |= p != NULL && pool->n == 0;
            break;
        }
        p->job = job;
        pool->n++;
        if (!begin(p)) {
            static const struct rusage nothing;
            bool alone = pool->n == 1;
            p->why = alone ? WW_PROCESS_REFUSED : WW_PROCESS_ROOM;
            end(p, 0, &nothing);
            if (!alone) {
                break; /* until one of the others has ended, and given back what it lacked */
            }
        }
    }
}

static void pass(WwProcesses *pool)
{
    if (!pool->over) {
        fill(pool);
    }
    if (!pool->spec.pass(pool->spec.user)) {
        pool->over = pool->quiet = true;
    }
    if (pool->over && (pool->n == 0 || pool->quiet)) {
        event_base_loopbreak(pool->base);
    }
}

static void on_child(evutil_socket_t number, short what, void *user)
{
    WwProcesses *pool = user;
    if (reap(pool)) {
        pass(pool);
    }
}

/* ---- limits ----------------------------------------------------------------------------------------------------- */

static uint64_t memory_of(const WwProcesses *pool, pid_t pid)
{
    char name[32], text[128] = "";
    g_snprintf(name, sizeof name, "/proc/%d/statm", (int)pid);
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : 0;
    if (fd >= 0) {
        close(fd);
    }
    char *second = n > 0 ? strchr(text, ' ') : NULL;
    return second != NULL ? g_ascii_strtoull(second, NULL, 10) * pool->page : 0;
}

static void stop(Place *p, WwProcessWhy why)
{
    if (p->why == WW_PROCESS_ENDED) {
        p->why = why;
        kill(-p->pid, SIGKILL);
    }
}

/* All together need more than there is: who is furthest above what was expected of it, and not alone, gives way. */
static void make_room(WwProcesses *pool)
{
    Place *worst = NULL;
    uint64_t sum = 0, by = 0;
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        Place *p = &pool->places[i];
        if (p->pid <= 0) {
            continue;
        }
        sum += p->memory;
        uint64_t above = p->memory - MIN(p->memory, p->job.memory);
        if (above > by || worst == NULL) {
            worst = p;
            by = above;
        }
    }
    if (worst != NULL && sum > pool->spec.memory) {
        stop(worst, pool->n == 1 ? WW_PROCESS_MEMORY : WW_PROCESS_ROOM);
    }
}

static void on_watch(evutil_socket_t fd, short what, void *user)
{
    WwProcesses *pool = user;
    gint64 now = g_get_monotonic_time();
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        Place *p = &pool->places[i];
        gint64 age = now - p->began;
        if (p->pid <= 0 || age < WATCH_US) {
            continue;
        }
        p->memory = memory_of(pool, p->pid);
        p->most = MAX(p->most, p->memory);
        if (p->job.time_limit > 0 && (double)age / 1e6 > p->job.time_limit) {
            stop(p, WW_PROCESS_TIME);
        } else if (p->job.memory_limit != 0 && p->memory > p->job.memory_limit) {
            stop(p, WW_PROCESS_MEMORY);
        }
    }
    make_room(pool);
}

static void on_tick(evutil_socket_t fd, short what, void *user)
{
    WwProcesses *pool = user;
    pool->spec.tick(pool->spec.user);
}

/* What has ended until now has ended; the rest is lost. */
static void on_signal(evutil_socket_t number, short what, void *user)
{
    WwProcesses *pool = user;
    pool->signal = (int)number;
    reap(pool);
    pool->over = pool->quiet = true;
    pool->spec.pass(pool->spec.user);
    event_base_loopbreak(pool->base);
}

/* ---- life ------------------------------------------------------------------------------------------------------- */

static bool add_timer(WwProcesses *pool, struct event **e, uint32_t us, event_callback_fn fn)
{
    struct timeval every = {us / 1000000, us % 1000000};
    *e = event_new(pool->base, -1, EV_PERSIST, fn, pool);
    return *e != NULL && event_add(*e, &every) == 0;
}

/* It fails where libevent had no descriptors left for its pipe of signals: nothing would be heard of a child's end. */
static bool add_signal(WwProcesses *pool, struct event **e, int number, event_callback_fn fn)
{
    *e = evsignal_new(pool->base, number, fn, pool);
    return *e != NULL && event_add(*e, NULL) == 0;
}

/* libevent prints what it cannot do, and exits when it can do nothing. */
static void on_event_log(int severity, const char *message) {}

static void on_event_fatal(int code)
{
    ww_exhausted("cannot set up the event loop: too few file descriptors or too little memory; "
                 "expected a higher limit (ulimit -n)");
}

/*
 * As many descriptors as libevent, /dev/null and one run take. Without its own libevent ends the process, which could not put away what it has begun;
 * without those of a run all would fail.
 */
static bool has_room(void)
{
    int fds[3 + 1 + 3], n = 0;
    while (n < (int)G_N_ELEMENTS(fds) && (fds[n] = open("/dev/null", O_RDWR | O_CLOEXEC)) >= 0) {
        n++;
    }
    int why = errno;
    bool good = n == (int)G_N_ELEMENTS(fds);
    while (n > 0) {
        close(fds[--n]);
    }
    errno = why;
    return good;
}

static bool set_up(WwProcesses *pool)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    if (!has_room()) {
        return false;
    }
    event_set_log_callback(on_event_log);
    event_set_fatal_callback(on_event_fatal);
    pool->base = event_base_new();
    pool->null = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (pool->base == NULL || pool->null < 0 ||
        !add_signal(pool, &pool->child, SIGCHLD, on_child)) {
        return false;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(ending); i++) {
        struct sigaction now;
        if (ending[i] == SIGHUP && sigaction(SIGHUP, NULL, &now) == 0 &&
            now.sa_handler == SIG_IGN) { /* nohup */
            continue;
        }
        if (!add_signal(pool, &pool->ends[i], ending[i], on_signal)) {
            return false;
        }
    }
    return add_timer(pool, &pool->watch, WATCH_US, on_watch) &&
           (pool->spec.tick == NULL ||
            add_timer(pool, &pool->tick, pool->spec.tick_ms * 1000, on_tick));
}

WwProcesses *ww_processes_new(const WwProcessesSpec *spec, GError **error)
{
    WwProcesses *pool = g_new0(WwProcesses, 1);
    pool->spec = *spec;
    pool->null = -1;
    pool->page = (uint64_t)sysconf(_SC_PAGESIZE);
    pool->out = g_string_new(NULL);
    pool->places = g_new0(Place, spec->cores);
    for (uint32_t i = 0; i < spec->cores; i++) {
        pool->places[i] = (Place){.pool = pool, .out = -1, .err = -1, .text = g_string_new(NULL)};
    }
    if (!set_up(pool)) {
        ww_fail(error, WW_ERROR_SYSTEM,
                "cannot set up the event loop: %s; expected more file "
                "descriptors (ulimit -n)",
                g_strerror(errno));
        ww_processes_free(pool);
        return NULL;
    }
    return pool;
}

static void kill_all(WwProcesses *pool)
{
    pool->quiet = true;
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        if (pool->places[i].pid > 0) {
            stop(&pool->places[i], WW_PROCESS_ROOM);
        }
    }
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        Place *p = &pool->places[i];
        struct rusage used;
        int status;
        if (p->pid > 0) {
            while (wait4(p->pid, &status, 0, &used) < 0 && errno == EINTR) {
            }
            end(p, status, &used);
        }
    }
}

void ww_processes_free(WwProcesses *pool)
{
    if (pool == NULL) {
        return;
    }
    kill_all(pool);
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        if (pool->places[i].out >= 0) {
            close(pool->places[i].out);
        }
        g_string_free(pool->places[i].text, true);
    }
    free_event(pool->child);
    free_event(pool->watch);
    free_event(pool->tick);
    for (size_t i = 0; i < G_N_ELEMENTS(pool->ends); i++) {
        free_event(pool->ends[i]);
    }
    if (pool->base != NULL) {
        event_base_free(pool->base);
    }
    if (pool->null >= 0) {
        close(pool->null);
    }
    g_string_free(pool->out, true);
    g_free(pool->places);
    g_free(pool);
}

int ww_processes_run(WwProcesses *pool)
{
    pass(pool);
    if (pool->spec.tick != NULL && pool->n != 0) {
        pool->spec.tick(pool->spec.user);
    }
    while (!pool->over || (pool->n != 0 && !pool->quiet)) {
        if (event_base_loop(pool->base, EVLOOP_ONCE) < 0) {
            break;
        }
    }
    kill_all(pool);
    return pool->signal;
}

static int by_number(const void *a, const void *b)
{
    const Place *x = *(const Place *const *)a, *y = *(const Place *const *)b;
    return (x->number > y->number) - (x->number < y->number);
}

uint32_t ww_processes_running(const WwProcesses *pool, WwProcessRun *runs, uint32_t most)
{
    g_autoptr(GPtrArray) list = g_ptr_array_new();
    gint64 now = g_get_monotonic_time();
    for (uint32_t i = 0; i < pool->spec.cores; i++) {
        if (pool->places[i].pid > 0) {
            g_ptr_array_add(list, &pool->places[i]);
        }
    }
    if (list->len > 1) {
        qsort(list->pdata, list->len, sizeof list->pdata[0], by_number);
    }
    for (guint i = 0; i < list->len && i < most; i++) {
        const Place *p = list->pdata[i];
        runs[i] = (WwProcessRun){p->job.user, (double)(now - p->began) / 1e6, p->memory};
    }
    return list->len;
}
