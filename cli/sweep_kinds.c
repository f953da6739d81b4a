/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Machines that are built before a sweep begins: that values do not go together is found out when one of each combination is sealed, which takes some
 * 10 ms of a GPU. As many are as are worth it, first those that have a value that none before had, then those with two values that none before had
 * together, then the others. What is noted of them is known then, too.
 *
 * Sealing calls what components do at their start, those of modules, too: it is done in children, and one that crashes is left to its run.
 */
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_MACHINES 10000u /* that are sealed */
#define MOST_CHILDREN 16u
#define SHARE 0.02 /* of what the sweep is expected to take */
#define LEAST_S 0.5
#define MOST_S 10.0
#define LEAST_MACHINES 8u /* however long they take */
#define GRACE_S                                                                                    \
    5u /* of a processor, that a child has for each of these, and more for its last machine */
#define WAIT_S 30u /* the same by the clock, of which other processes have their share */

/* Machines to seal: the first run to do that has each. */
typedef struct Kinds {
    const Sweep *s;
    uint32_t axes[WW_SWEEP_MAX_AXES], n_axes; /* those that change machines */
    GArray *runs;  /* uint32_t; one of each kind, in the order of the plan */
    GArray *order; /* the same, in the order in which they are tried */
    GHashTable *seen;
    bool *chosen;
    uint32_t *kind_of; /* run -> its place in `runs` + 1; 0: it is not to do */
    char **notes;      /* by place in `runs`: of the machine, a line each; NULL: not known */
} Kinds;

static void find_kinds(Kinds *k)
{
    const Sweep *s = k->s;
    g_autoptr(GHashTable) texts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    for (uint32_t run = s->first; run < s->last; run++) {
        if (s->runs[run].state != SWEEP_TO_DO) {
            continue;
        }
        g_autoptr(GString) text = g_string_new(NULL);
        g_string_append_printf(text, "%u", s->runs[run].replays ? s->runs[run].version + 1 : 0);
        for (uint32_t i = 0; i < k->n_axes; i++) {
            g_string_append_printf(text, " %u", ww_plan_value(s->plan, run, k->axes[i]));
        }
        gpointer kind = g_hash_table_lookup(texts, text->str);
        if (kind == NULL) {
            g_array_append_val(k->runs, run);
            kind = GUINT_TO_POINTER(k->runs->len);
            g_hash_table_insert(texts, g_strdup(text->str), kind);
        }
        k->kind_of[run] = GPOINTER_TO_UINT(kind);
    }
}

/* Is there a value (@p together 1), or two that are together (2), that none before had? Notes what there is. */
static bool is_new(Kinds *k, uint32_t run, uint32_t together)
{
    bool new = false;
    for (uint32_t i = 0; i < k->n_axes; i++) {
        guint64 one = (guint64)(i + 1) << 17 | ww_plan_value(k->s->plan, run, k->axes[i]);
        for (uint32_t j = together == 1 ? i : i + 1; j < (together == 1 ? i + 1 : k->n_axes); j++) {
            guint64 other =
                j == i ? 0 : (guint64)(j + 1) << 17 | ww_plan_value(k->s->plan, run, k->axes[j]);
            new |= g_hash_table_add(k->seen, GSIZE_TO_POINTER(other << 24 | one));
        }
    }
    return new;
}

static void choose(Kinds *k)
{
    uint64_t looked = 0;
    for (uint32_t together = 1; together <= 3; together++) {
        for (guint i = 0; i < k->runs->len && k->order->len < MOST_MACHINES; i++) {
            uint32_t run = g_array_index(k->runs, uint32_t, i);
            looked += together == 2 ? (uint64_t)k->n_axes * k->n_axes / 2 : 0;
            if (!k->chosen[i] &&
                (together == 3 || (looked < 1u << 22 && is_new(k, run, together)))) {
                k->chosen[i] = true;
                g_array_append_val(k->order, run);
            }
        }
    }
}

/* What a child has found so far, after each machine. Behind one that failed comes the message, behind another one its notes. */
typedef struct Found {
    uint32_t tried;
    uint32_t failed; /* place in the order + 1, or 0 */
    uint32_t notes;  /* bytes */
    bool same;       /* the notes are those of the one before */
} Found;

static bool write_all(int fd, const void *data, size_t n)
{
    for (const char *at = data; n != 0;) {
        ssize_t done = write(fd, at, n);
        if (done < 0 && errno != EINTR) {
            return false;
        }
        at += MAX(done, 0);
        n -= (size_t)MAX(done, 0);
    }
    return true;
}

/* The lines as they are for all values of axes: most machines have those of the one before. */
static char *notes_of_all(const Sweep *s, uint32_t run, const char *lines)
{
    g_auto(GStrv) notes = g_strsplit(lines, "\n", -1);
    for (char **n = notes; *n != NULL; n++) {
        char *text = sweep_note_of_all(s, run, *n);
        g_free(*n);
        *n = text;
    }
    return g_strjoinv("\n", notes);
}

/* One machine; false: nobody reads it. */
static bool try_one(const Kinds *k, uint32_t i, Found *found, char **before, int fd, GError **error)
{
    uint32_t run = g_array_index(k->order, uint32_t, i);
    g_autofree char *lines = NULL;
    found->tried++;
    if (!sweep_try_run(k->s, run, SWEEP_SEALED, &lines, error)) {
        *found = (Found){.tried = found->tried, .failed = i + 1};
        return write_all(fd, found, sizeof *found);
    }
    g_autofree char *notes = notes_of_all(k->s, run, lines != NULL ? lines : "");
    found->same = g_strcmp0(notes, *before) == 0;
    found->notes = found->same ? 0 : (uint32_t)strlen(notes);
    bool good =
        write_all(fd, found, sizeof *found) && (found->same || write_all(fd, notes, found->notes));
    g_free(*before);
    *before = g_steal_pointer(&notes);
    return good;
}

/* A machine that does not come to its end in @p seconds and what it has beyond them ends the child: computing, or waiting. */
static void limit_time(unsigned seconds)
{
    const struct itimerval busy = {.it_value.tv_sec = seconds + GRACE_S};
    setitimer(ITIMER_PROF, &busy, NULL);
    alarm(seconds + WAIT_S);
}

static G_GNUC_NORETURN void try_in_child(const Kinds *k, uint32_t first, uint32_t step,
                                         gint64 until, int fd)
{
    Found found = {0};
    g_autoptr(GError) error = NULL;
    g_autofree char *before = NULL;
    bool good = true;
    for (uint32_t i = first; i < k->order->len && good && error == NULL; i += step) {
        gint64 left = until - g_get_monotonic_time();
        if (i >= LEAST_MACHINES && left <= 0) {
            break;
        }
        limit_time((unsigned)(MAX(left, 0) / G_USEC_PER_SEC));
        good = try_one(k, i, &found, &before, fd, &error);
    }
    good = good && (error == NULL || write_all(fd, error->message, strlen(error->message)));
    _exit(good ? 0 : 1);
}

/* The file in memory that a child writes to, which does not wait for a reader as a pipe would; below 0: it could not be begun. */
static int begin_child(const Kinds *k, uint32_t first, uint32_t step, gint64 until, pid_t *pid)
{
    int file = memfd_create("machines", MFD_CLOEXEC);
    if (file < 0) {
        return -1;
    }
    pid_t parent = getpid();
    *pid = fork();
    if (*pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        int null = open("/dev/null", O_RDWR); /* what modules print, and a crash, are their runs' */
        if (getppid() != parent || null < 0 || dup2(null, STDOUT_FILENO) < 0 ||
            dup2(null, STDERR_FILENO) < 0) {
            _exit(1);
        }
        signal(SIGALRM, SIG_DFL); /* a machine that does not come to its end is its run's, too */
        signal(SIGPROF, SIG_DFL);
        try_in_child(k, first, step, until, file);
    }
    if (*pid < 0) {
        close(file);
        return -1;
    }
    return file;
}

/* All that the child @p pid has written, when it has ended. */
static GString *read_all(int file, pid_t pid)
{
    GString *text = g_string_new(NULL);
    char chunk[4096];
    ssize_t n;
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
    }
    while ((n = pread(file, chunk, sizeof chunk, (off_t)text->len)) > 0 ||
           (n < 0 && errno == EINTR)) {
        g_string_append_len(text, chunk, MAX(n, 0));
    }
    close(file);
    return text;
}

/* What child @p first of @p step has found: where behind the last machine the message is, if that failed. */
static const char *take_found(const Kinds *k, const GString *text, uint32_t first, uint32_t step,
                              Found *found)
{
    size_t at = 0;
    const char *notes = NULL;
    size_t n = 0;
    *found = (Found){0};
    while (text->len - at >= sizeof *found && found->failed == 0) {
        memcpy(found, text->str + at, sizeof *found);
        at += sizeof *found;
        if (found->failed != 0 || text->len - at < found->notes) {
            break;
        }
        if (!found->same) {
            notes = text->str + at;
            n = found->notes;
            at += n;
        }
        uint32_t place = first + (found->tried - 1) * step;
        uint32_t run = g_array_index(k->order, uint32_t, place);
        k->notes[k->kind_of[run] - 1] = n != 0 ? g_strndup(notes, n) : NULL;
    }
    return text->str + at;
}

static bool try_kinds(Sweep *s, const Kinds *k, double seconds, GError **error)
{
    uint32_t n = MIN(MIN(g_get_num_processors(), s->cores), MIN(MOST_CHILDREN, k->order->len)),
             least = 0;
    gint64 until = g_get_monotonic_time() + (gint64)(seconds * 1e6);
    int files[MOST_CHILDREN];
    pid_t pids[MOST_CHILDREN];
    g_autofree char *message = NULL;
    for (uint32_t i = 0; i < n; i++) {
        files[i] = begin_child(k, i, n, until, &pids[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (files[i] < 0) {
            continue;
        }
        g_autoptr(GString) text = read_all(files[i], pids[i]);
        Found found;
        const char *behind = take_found(k, text, i, n, &found);
        s->n_tried += found.tried;
        if (found.failed != 0 && (least == 0 || found.failed < least)) {
            least = found.failed;
            g_free(message);
            message = g_strdup(behind);
        }
    }
    return message == NULL || ww_fail(error, WW_ERROR_INPUT, "%s", message);
}

bool sweep_try_machines(Sweep *s, GError **error)
{
    if (s->keep_going) {
        return true;
    }
    Kinds k = {.s = s,
               .runs = g_array_new(false, false, sizeof(uint32_t)),
               .order = g_array_new(false, false, sizeof(uint32_t)),
               .seen = g_hash_table_new(NULL, NULL),
               .kind_of = g_new0(uint32_t, s->n + 1)};
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        if (sweep_changes_machine(s->sweep->axes->pdata[a])) {
            k.axes[k.n_axes++] = a;
        }
    }
    find_kinds(&k);
    k.chosen = g_new0(bool, k.runs->len + 1);
    k.notes = g_new0(char *, k.runs->len + 1);
    choose(&k);
    s->n_machines = k.runs->len;
    s->n_tried = 0;
    bool good = k.order->len == 0 ||
                try_kinds(s, &k, CLAMP(sweep_estimate(s) * SHARE, LEAST_S, MOST_S), error);
    for (uint32_t run = s->first; good && run < s->last; run++) {
        const char *notes = k.kind_of[run] != 0 ? k.notes[k.kind_of[run] - 1] : NULL;
        if (notes != NULL) {
            sweep_note(s, run, notes);
        }
    }
    for (guint i = 0; i < k.runs->len; i++) {
        g_free(k.notes[i]);
    }
    g_free(k.notes);
    g_free(k.kind_of);
    g_array_unref(k.runs);
    g_array_unref(k.order);
    g_hash_table_unref(k.seen);
    g_free(k.chosen);
    return good;
}
