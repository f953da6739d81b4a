/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that appear complete or not at all. The list of what is pending is walked by signal handlers: an entry is whole before it is
 * linked, is never unlinked, and is switched off by one store.
 */
#include <warpwright/interrupt.h>
#include <warpwright/output.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define LONGEST_STEM 180 /* of the temporary name: the file's may be as long as the system allows */
#define BUFFER (1u << 20)
#define READER_WAIT_US 20000

struct WwPending {
    WwPending *before;
    volatile sig_atomic_t live;
    char path[];
};

static WwPending *volatile last;

struct WwOutput {
    char *path, *temporary; /* temporary NULL: written to directly */
    FILE *out;
    int fd; /* That of out; -1: not open. */
    int claim; /* The same, of a file that another process may go on with, until it has its name; -1: none. */
    int why; /* The first write that failed did so for this reason; stdio forgets it. 0: none. */
    WwPending *pending;
    bool finished;
    bool unhurried;
    bool is_stream;    /* What stdout or stderr is. */
    WwOutput *next;    /* that is held */
    const char *words; /* Before the message when it gets no name; or NULL. */
};

/* What has been kept, and has no name yet. */
static struct {
    bool on;
    WwOutput *first, **end;
} held;

/* ---- pending ---------------------------------------------------------------------------------------------------- */

static WwPending *new_pending(const char *path)
{
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    size_t n = strlen(absolute) + 1;
    WwPending *p = g_malloc(sizeof *p + n);
    memcpy(p->path, absolute, n);
    return p;
}

/* Of a file that was not made: errno says why. */
static void free_pending(WwPending *p)
{
    int why = errno;
    g_free(p);
    errno = why;
}

static WwPending *link_pending(WwPending *p)
{
    p->before = last;
    p->live = 1;
    last = p;
    return p;
}

WwPending *ww_pending_add(const char *path)
{
    return link_pending(new_pending(path));
}

/*
 * A file is made and becomes pending in one: no signal comes between, nothing is allocated, and a thread that ends the process waits for that. Another
 * one is not made then.
 */
static int making; /* The thread that makes one; 0: none does. */
static int over;   /* All that is pending is being removed. */

static void begin_making(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
    __atomic_store_n(&making, gettid(), __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&over, __ATOMIC_SEQ_CST)) {
        __atomic_store_n(&making, 0, __ATOMIC_SEQ_CST);
        for (;;) {
            pause();
        }
    }
}

static void end_making(const sigset_t *before)
{
    __atomic_store_n(&making, 0, __ATOMIC_SEQ_CST);
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

void ww_pending_forget(WwPending *p)
{
    if (p != NULL) {
        p->live = 0;
    }
}

void ww_pending_remove(WwPending *p)
{
    if (p->live != 0 && unlink(p->path) != 0) {
        rmdir(p->path);
    }
    p->live = 0;
}

void ww_pending_remove_all(void)
{
    __atomic_store_n(&over, 1, __ATOMIC_SEQ_CST);
    for (int by; (by = __atomic_load_n(&making, __ATOMIC_SEQ_CST)) != 0 && by != gettid();) {
        sched_yield();
    }
    for (WwPending *p = last; p != NULL; p = p->before) {
        ww_pending_remove(p);
    }
}

/* ---- files ------------------------------------------------------------------------------------------------------ */

static bool same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool ww_output_same(const char *path, const char *other)
{
    struct stat a, b;
    return stat(path, &a) == 0 && stat(other, &b) == 0 && same(&a, &b);
}

static ssize_t write_some(void *user, const char *bytes, size_t n)
{
    WwOutput *o = user;
    size_t done = 0;
    while (done < n && o->why == 0) {
        ssize_t put = write(o->fd, bytes + done, n - done);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        o->why = put > 0 ? 0 : put < 0 ? errno : EIO;
        done += put > 0 ? (size_t)put : 0;
    }
    errno = o->why != 0 ? o->why : errno;
    return (ssize_t)done;
}

static int seek(void *user, off64_t *to, int whence)
{
    const WwOutput *o = user;
    *to = lseek(o->fd, *to, whence);
    return *to < 0 ? -1 : 0;
}

static int close_fd(void *user)
{
    WwOutput *o = user;
    int fd = o->fd;
    o->fd = -1;
    return close(fd);
}

/* A stream for @p fd, which is its own from here on. A terminal's is one that can be asked what it is. */
static bool open_stream(WwOutput *o, int fd)
{
    o->fd = fd;
    if (fd < 0) {
        return false;
    }
    o->out = isatty(fd) ? fdopen(fd, "w")
                        : fopencookie(o, "w",
                                      (cookie_io_functions_t){
                                          .write = write_some, .seek = seek, .close = close_fd});
    return o->out != NULL;
}

/* The stream whose file @p st is: it must go on where the other one stands. */
static int open_already(const struct stat *st)
{
    struct stat own;
    for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fstat(fd, &own) == 0 && same(st, &own)) {
            return fd;
        }
    }
    return -1;
}

/* Permissions as those of the file that is replaced, or of any new one. */
static mode_t mode_of(const char *path)
{
    struct stat st;
    if (stat(path, &st) == 0) {
        return st.st_mode & 0777;
    }
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool open_temporary(WwOutput *o)
{
    g_autofree char *folder = g_path_get_dirname(o->path);
    g_autofree char *base = g_path_get_basename(o->path);
    if (strlen(base) > LONGEST_STEM) {
        base[LONGEST_STEM] = '\0';
    }
    o->temporary = g_strdup_printf("%s/.%s.XXXXXX", folder, base);
    WwPending *p = new_pending(o->temporary);
    sigset_t before;
    begin_making(&before);
    int fd = g_mkstemp_full(o->temporary, O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0) {
        size_t n = strlen("XXXXXX"); /* is letters now */
        memcpy(p->path + strlen(p->path) - n, o->temporary + strlen(o->temporary) - n, n);
        o->pending = link_pending(p);
    }
    end_making(&before);
    if (fd < 0) {
        free_pending(p);
        return false;
    }
    fchmod(fd, mode_of(o->path));
    return open_stream(o, fd);
}

/* Waits for the reader of a FIFO, but not for ever when somebody wants the end: open() itself would. */
static int open_special(const char *path, bool fifo)
{
    int fd;
    while ((fd = open(path, O_WRONLY | O_CLOEXEC | (fifo ? O_NONBLOCK : 0))) < 0 && fifo &&
           errno == ENXIO) {
        if (ww_interrupted()) {
            errno = EINTR;
            return -1;
        }
        g_usleep(READER_WAIT_US);
    }
    if (fd >= 0) {
        fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    }
    return fd;
}

static WwOutput *new_output(void)
{
    WwOutput *o = g_new0(WwOutput, 1);
    o->fd = o->claim = -1;
    return o;
}

/* The file that is to be made when @p path is a link to what is not there yet. */
static char *behind_links(const char *path)
{
    char *at = g_strdup(path), *to;
    for (int i = 0; i < 40 && (to = g_file_read_link(at, NULL)) != NULL; i++) {
        g_autofree char *folder = g_path_get_dirname(at);
        g_free(at);
        at = g_path_is_absolute(to) ? g_strdup(to) : g_build_filename(folder, to, NULL);
        g_free(to);
    }
    return at;
}

WwOutput *ww_output_new(const char *path, GError **error)
{
    WwOutput *o = new_output();
    struct stat st;
    bool there = stat(path, &st) == 0, good;
    int fd = there ? open_already(&st) : -1;
    if (there && S_ISREG(st.st_mode) && fd < 0) { /* behind a link it is the file that changes */
        char *real = realpath(path, NULL);
        o->path = g_strdup(real != NULL ? real : path);
        free(real);
    } else {
        o->path = there ? g_strdup(path) : behind_links(path);
    }
    if (fd >= 0) {
        o->is_stream = true;
        good = open_stream(o, fcntl(fd, F_DUPFD_CLOEXEC, 3));
    } else if (there && !S_ISREG(st.st_mode)) {
        good = open_stream(o, open_special(path, S_ISFIFO(st.st_mode)));
    } else {
        good = open_temporary(o);
    }
    if (!good) {
        ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a file that can be written", path,
                g_strerror(errno));
        ww_output_drop(o);
        return NULL;
    }
    setvbuf(o->out, NULL, _IOFBF, BUFFER);
    return o;
}

/* ---- files that another process goes on with -------------------------------------------------------------------- */

#define TAIL (64u << 10) /* bytes that are compared */

static int open_partial(WwOutput *o)
{
    WwPending *p = new_pending(o->temporary);
    sigset_t before;
    begin_making(&before);
    int fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd >= 0) { /* nobody needs it yet */
        o->pending = link_pending(p);
    }
    end_making(&before);
    if (fd < 0 && errno == EEXIST) {
        fd = open(o->temporary, O_RDWR | O_CLOEXEC);
    }
    if (o->pending != p) {
        free_pending(p);
    }
    return fd;
}

/*
 * Two runs would write into one file, which always has this name: the second has none, for EWOULDBLOCK. The lock lasts until the file has its own name;
 * where a file system has no locks, nobody knows.
 */
static int claim_partial(WwOutput *o)
{
    for (;;) {
        struct stat mine, there;
        int fd = open_partial(o);
        if (fd < 0) {
            return -1;
        }
        bool alone = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
        if (alone && fstat(fd, &mine) == 0 && stat(o->temporary, &there) == 0 &&
            same(&mine, &there)) {
            o->claim = fcntl(fd, F_DUPFD_CLOEXEC, 3);
            return fd;
        }
        close(fd);
        ww_pending_forget(o->pending); /* somebody else's by now */
        o->pending = NULL;
        if (!alone) {
            errno = EWOULDBLOCK;
            return -1;
        } /* else it has just been given its name, or removed */
    }
}

WwOutput *ww_output_resumable(const char *path, GError **error)
{
    struct stat st;
    WwOutput *o = new_output();
    o->path = g_strdup(path);
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
        ww_fail(error, WW_ERROR_USAGE, "'%s': is no file; expected one, which can be gone on with",
                path);
        ww_output_drop(o);
        return NULL;
    }
    o->temporary = g_strconcat(path, WW_OUTPUT_PARTIAL, NULL);
    if (!open_stream(o, claim_partial(o))) {
        if (errno == EWOULDBLOCK) {
            ww_fail(error, WW_ERROR_USAGE,
                    "'%s': another process writes it; expected it to end first, or another file",
                    o->temporary);
        } else {
            ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a file that can be written",
                    o->temporary, g_strerror(errno));
        }
        ww_output_drop(o);
        return NULL;
    }
    setvbuf(o->out, NULL, _IOFBF, BUFFER);
    return o;
}

/* A sum of the up to TAIL bytes before byte @p end. */
static bool sum_tail(int fd, uint64_t end, uint64_t *sum)
{
    g_autofree uint8_t *tail = g_malloc(TAIL);
    uint64_t n = MIN(end, TAIL), have = 0;
    while (have < n) {
        ssize_t got = pread(fd, tail + have, n - have, (off_t)(end - n + have));
        if (got <= 0) {
            return false;
        }
        have += (uint64_t)got;
    }
    *sum = 0xcbf29ce484222325u; /* FNV-1a */
    for (uint64_t i = 0; i < n; i++) {
        *sum = (*sum ^ tail[i]) * 0x100000001b3u;
    }
    return true;
}

/* The complete file's first @p bytes bytes, in the place of what @p to has. */
static bool copy_bytes(const char *from, int to, uint64_t bytes)
{
    g_autofree uint8_t *piece = g_malloc(TAIL);
    int fd = open(from, O_RDONLY | O_CLOEXEC);
    bool good = fd >= 0 && ftruncate(to, 0) == 0;
    for (uint64_t at = 0; good && at < bytes;) {
        ssize_t got = pread(fd, piece, MIN(bytes - at, TAIL), (off_t)at);
        good = got > 0 && pwrite(to, piece, (size_t)got, (off_t)at) == got;
        at += good ? (uint64_t)got : 0;
    }
    if (fd >= 0) {
        close(fd);
    }
    return good;
}

typedef enum Has { TOO_SHORT, OTHERS, THESE } Has;

/* What are the first @p bytes bytes? */
static Has has(int fd, uint64_t bytes, uint64_t sum)
{
    struct stat st;
    uint64_t is;
    if (fstat(fd, &st) != 0 || (uint64_t)st.st_size < bytes || !sum_tail(fd, bytes, &is)) {
        return TOO_SHORT;
    }
    return is == sum ? THESE : OTHERS;
}

static Has path_has(const char *path, uint64_t bytes, uint64_t sum)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    Has what = fd >= 0 ? has(fd, bytes, sum) : TOO_SHORT;
    if (fd >= 0) {
        close(fd);
    }
    return what;
}

/* Nothing is changed before it is known that the bytes are there. */
bool ww_output_from(WwOutput *o, uint64_t bytes, uint64_t sum, GError **error)
{
    Has partial = bytes != 0 ? has(o->fd, bytes, sum) : THESE;
    Has whole = partial != THESE ? path_has(o->path, bytes, sum) : TOO_SHORT;
    if (partial != THESE && whole == TOO_SHORT && partial == TOO_SHORT) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s': neither it nor '%s' has the %" G_GUINT64_FORMAT
                       " bytes that the run had written; expected that output",
                       o->path, o->temporary, bytes);
    }
    if (partial != THESE && whole != THESE) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s': its first %" G_GUINT64_FORMAT
                       " bytes are not those that the run had written, nor are they in '%s'; "
                       "expected that output",
                       whole == OTHERS ? o->path : o->temporary, bytes,
                       whole == OTHERS ? o->temporary : o->path);
    }
    return ((partial == THESE || copy_bytes(o->path, o->fd, bytes)) &&
            ftruncate(o->fd, (off_t)bytes) == 0 && fseeko(o->out, (off_t)bytes, SEEK_SET) == 0) ||
           ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected a file that can be written",
                   o->temporary, g_strerror(errno));
}

bool ww_output_sum(WwOutput *o, uint64_t *bytes, uint64_t *sum, GError **error)
{
    off_t at = fflush(o->out) == 0 && !ferror(o->out) ? ftello(o->out) : -1;
    *bytes = (uint64_t)at;
    if (at < 0 || fsync(o->fd) != 0 || !sum_tail(o->fd, *bytes, sum)) {
        return ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected room for it", o->path,
                       g_strerror(o->why != 0 ? o->why : errno));
    }
    ww_pending_forget(o->pending); /* a checkpoint will need it */
    o->pending = NULL;
    return true;
}

/* ---- the end of a file ------------------------------------------------------------------------------------------ */

FILE *ww_output_file(WwOutput *o)
{
    return o->out;
}

static bool fail(const WwOutput *o, int why, GError **error)
{
    return ww_fail(error, WW_ERROR_SYSTEM, "'%s': %s; expected room for it", o->path,
                   why != 0 ? g_strerror(why) : "an earlier write failed");
}

void ww_output_unhurried(WwOutput *o)
{
    o->unhurried = true;
}

bool ww_output_finish(WwOutput *o, GError **error)
{
    if (o->finished) {
        return true;
    }
    errno = 0;
    bool good = fflush(o->out) == 0 && !ferror(o->out);
    good = good && (o->temporary == NULL || o->unhurried || fsync(o->fd) == 0);
    int why = o->why != 0 ? o->why : errno;
    good = fclose(o->out) == 0 && good;
    why = why != 0 ? why : errno;
    o->out = NULL;
    o->fd = -1;
    o->finished = good || (o->is_stream && why == EPIPE); /* its reader has had enough */
    return o->finished || fail(o, why, error);
}

static bool give_name(WwOutput *o, GError **error)
{
    bool good = o->temporary == NULL || rename(o->temporary, o->path) == 0;
    if (good) {
        ww_pending_forget(o->pending);
    } else {
        ww_fail(error, WW_ERROR_SYSTEM, "%s'%s': %s; expected a file that can be replaced",
                o->words != NULL ? o->words : "", o->path, g_strerror(errno));
    }
    ww_output_drop(o);
    return good;
}

bool ww_output_keep(WwOutput *o, const char *words, GError **error)
{
    o->words = words;
    if (!ww_output_finish(o, error)) {
        if (words != NULL) {
            g_prefix_error(error, "%s", words);
        }
        ww_output_drop(o);
        return false;
    }
    if (held.on) {
        *held.end = o;
        held.end = &o->next;
        return true;
    }
    return give_name(o, error);
}

void ww_outputs_hold(void)
{
    held.on = true;
    held.first = NULL;
    held.end = &held.first;
}

bool ww_outputs_release(GError **error)
{
    bool good = true;
    held.on = false;
    for (WwOutput *o = held.first, *next; o != NULL; o = next) {
        next = o->next;
        good = give_name(o, good ? error : NULL) && good;
    }
    held.first = NULL;
    return good;
}

void ww_output_drop(WwOutput *o)
{
    if (o == NULL) {
        return;
    }
    if (o->out != NULL) {
        fclose(o->out);
    } else if (o->fd >= 0) {
        close(o->fd);
    }
    if (o->pending != NULL) {
        ww_pending_remove(o->pending);
    }
    if (o->claim >= 0) {
        close(o->claim);
    }
    g_free(o->path);
    g_free(o->temporary);
    g_free(o);
}
