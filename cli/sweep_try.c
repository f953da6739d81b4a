/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is wrong with a sweep is told before its first run. Names and single values are found out when a machine is elaborated with each; that values do
 * not go together, only when a machine of each combination is sealed, which takes some 10 ms of a GPU: as many are as are worth it, first those that
 * have a value that none before had, then those with two values that none before had together, then the others.
 *
 * Sealing calls what components do at their start, those of modules, too: it is done in children, and one that crashes is left to its run.
 */
#include "sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define MOST_VALUES 500u     /* machines that are elaborated for single values */
#define MOST_MACHINES 10000u /* that are sealed */
#define MOST_CHILDREN 16u
#define MOST_OTHERS 4u /* values of an axis that are tried in place of one that fails */
#define SHARE 0.02     /* of what the sweep is expected to take */
#define LEAST_S 0.5
#define MOST_S 10.0
#define LEAST_MACHINES 8u /* however long they take */
#define GRACE_S 5u        /* that a child has for each of these, and more for its last machine */

const char *const sweep_machine_words[] = {
    "config", "platform", "module", "gpgpusim", "strict", "ignore-unknown-options", NULL};

bool sweep_is_one_of(const WwSweepOption *o, const char *const *names)
{
    return g_strv_contains(names, o->word->name);
}

const char *sweep_value_of(const GPtrArray *options, const char *name)
{
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (strcmp(o->word->name, name) == 0) {
            return o->value;
        }
    }
    return NULL;
}

char **sweep_values_of(const GPtrArray *options, const char *name)
{
    GPtrArray *list = g_ptr_array_new();
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (strcmp(o->word->name, name) == 0) {
            g_ptr_array_add(list, g_strdup(o->value));
        }
    }
    bool none = list->len == 0;
    g_ptr_array_add(list, NULL);
    char **all = (char **)g_ptr_array_free(list, false);
    if (none) {
        g_strfreev(all);
        return NULL;
    }
    return all;
}

/* ---- one machine ------------------------------------------------------------------------------------------------ */

bool sweep_set_up(CliSetup *setup, const SweepRun *run, const GPtrArray *options, GError **error)
{
    setup->configs = sweep_values_of(options, "config");
    setup->modules = sweep_values_of(options, "module");
    setup->gpgpusim = sweep_values_of(options, "gpgpusim");
    setup->platform_name = g_strdup(sweep_value_of(options, "platform"));
    setup->strict = sweep_value_of(options, "strict") != NULL;
    setup->ignore_unknown = sweep_value_of(options, "ignore-unknown-options") != NULL;
    setup->sms_text = g_strdup(sweep_value_of(options, "sms"));
    setup->version = run->version;
    setup->replays = run->replays;
    return cli_setup_values(setup, error);
}

/* "a.sweep:2:25:" or "-s": how errors of a setting begin. Newly allocated. */
static char *place_of(const WwSweepOption *o)
{
    return o->at.line != 0 ? g_strdup_printf("%s:%u:%u:", o->at.file, o->at.line, o->at.column)
                           : g_strdup(o->at.file);
}

static bool add_settings(CliSetup *setup, const GPtrArray *options, GError **error)
{
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (o->word->kind == WW_SWEEP_SETTING) {
            g_autofree char *from = place_of(o);
            if (!ww_overrides_add_text(setup->overrides, o->value, g_intern_string(from), error)) {
                return false;
            }
        }
    }
    return true;
}

/* Do the patterns of statistics choose any of this machine? */
static bool try_figures(const CliSetup *setup, const GPtrArray *options, GError **error)
{
    g_auto(GStrv) stats = sweep_values_of(options, "stats");
    g_auto(GStrv) over_time = sweep_values_of(options, "interval-stats");
    return cli_try_figures(setup->machine, stats, sweep_value_of(options, "intervals") != NULL,
                           over_time, error);
}

typedef struct Machine {
    const SweepRun *run;
    SweepDepth depth;
} Machine;

static bool build(gpointer user, const GPtrArray *options, GError **error)
{
    const Machine *m = user;
    CliSetup setup = {0};
    bool good = sweep_set_up(&setup, m->run, options, error) &&
                (m->depth == SWEEP_FILES
                     ? cli_setup_platform(&setup, error)
                     : add_settings(&setup, options, error) && cli_setup_machine(&setup, error) &&
                           try_figures(&setup, options, error)) &&
                (m->depth != SWEEP_SEALED || cli_setup_seal(&setup, error));
    cli_setup_clear(&setup);
    return good;
}

bool sweep_blame_machine(const Sweep *s, uint32_t run, SweepDepth depth, GError **error)
{
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    Machine m = {&s->runs[run], depth};
    return sweep_blame(s, run, options, build, &m, error);
}

static bool try_run(const Sweep *s, uint32_t run, SweepDepth depth, GError **error)
{
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    Machine m = {&s->runs[run], depth};
    return build(&m, options, error) || sweep_blame(s, run, options, build, &m, error);
}

/* ---- which option it is ----------------------------------------------------------------------------------------- */

/* The axis whose value in run @p run has option @p o; -1: it is one of every run. */
static int axis_of(const Sweep *s, uint32_t run, const WwSweepOption *o)
{
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        if (g_ptr_array_find(v->options, o, NULL)) {
            return (int)a;
        }
    }
    return -1;
}

/* Does the message begin as errors of this option do? */
static bool names_itself(const char *message, const WwSweepOption *o)
{
    g_autofree char *place = place_of(o);
    if (!g_str_has_prefix(message, place)) {
        return false;
    }
    const char *rest = message + strlen(place);
    return o->at.line != 0 || (*rest == ' ' && g_str_has_prefix(rest + 1, o->value));
}

/* @p options with value @p other of axis @p axis in place of @p v. */
static GPtrArray *with_other(const GPtrArray *options, const WwSweepValue *v,
                             const WwSweepValue *other)
{
    GPtrArray *all = g_ptr_array_new();
    bool put = false;
    for (guint i = 0; i < options->len; i++) {
        bool own = g_ptr_array_find(v->options, options->pdata[i], NULL);
        if (own && !put) {
            g_ptr_array_extend(all, other->options, NULL, NULL);
            put = true;
        }
        if (!own) {
            g_ptr_array_add(all, options->pdata[i]);
        }
    }
    return all;
}

/* Axes of which another value is all right: without their option it may be another value that is not. */
static void add_axes(const Sweep *s, uint32_t run, const GPtrArray *options, SweepTryFn attempt,
                     gpointer user, GPtrArray *causes)
{
    guint found = causes->len;
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        bool known = v->options->len == 0;
        for (guint i = 0; i < found; i++) {
            known |= g_ptr_array_find(v->options, causes->pdata[i], NULL);
        }
        for (guint i = 0; !known && i < axis->values->len && i < MOST_OTHERS; i++) {
            g_autoptr(GPtrArray) others = with_other(options, v, axis->values->pdata[i]);
            known = axis->values->pdata[i] != v && attempt(user, others, NULL);
            if (known) {
                g_ptr_array_add(causes, v->options->pdata[0]);
            }
        }
    }
}

/*
 * Options without which all is well; if there are none, without which it is another error. The text of an error does not tell that: it may speak of
 * another option, as one that is like what was meant.
 */
static GPtrArray *find_causes(const Sweep *s, uint32_t run, const GPtrArray *options,
                              SweepTryFn attempt, gpointer user, const char *message)
{
    GPtrArray *causes = g_ptr_array_new();
    g_autoptr(GPtrArray) others = g_ptr_array_new();
    for (guint i = 0; i < options->len; i++) {
        g_autoptr(GPtrArray) rest = g_ptr_array_new();
        g_autoptr(GError) other = NULL;
        for (guint k = 0; k < options->len; k++) {
            if (k != i) {
                g_ptr_array_add(rest, options->pdata[k]);
            }
        }
        if (attempt(user, rest, &other)) {
            g_ptr_array_add(causes, options->pdata[i]);
        } else if (strcmp(other->message, message) != 0) {
            g_ptr_array_add(others, options->pdata[i]);
        }
    }
    add_axes(s, run, options, attempt, user, causes);
    if (causes->len == 0) {
        g_ptr_array_extend(causes, others, NULL, NULL);
    }
    return causes;
}

/* "a.sweep:2:25", or "--axis s=3" of an option that stands in no file; newly allocated. */
static char *name_of(const Sweep *s, uint32_t run, const WwSweepOption *o, int axis)
{
    if (o->at.line != 0) {
        return g_strdup_printf("%s:%u:%u", o->at.file, o->at.line, o->at.column);
    }
    if (axis < 0) {
        return g_strdup_printf("%s %s", o->at.file, o->value);
    }
    const WwSweepAxis *a = s->sweep->axes->pdata[axis];
    const WwSweepValue *v = a->values->pdata[ww_plan_value(s->plan, run, (uint32_t)axis)];
    return g_strdup_printf("%s%s%s=%s", *o->at.file == '-' ? o->at.file : "",
                           *o->at.file == '-' ? " " : "", a->name, v->name);
}

/* "s=3 w=13": values of several axes that do not go together; "" of one. Newly allocated. */
static char *together(const Sweep *s, uint32_t run, const GPtrArray *causes)
{
    GString *out = g_string_new(NULL);
    guint n = 0;
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        bool any = false;
        for (guint i = 0; i < causes->len; i++) {
            any |= axis_of(s, run, causes->pdata[i]) == (int)a;
        }
        if (any) {
            g_string_append_printf(out, "%s%s=%s", n++ != 0 ? " " : "", axis->name, v->name);
        }
    }
    return n > 1 ? g_string_free(out, false) : (g_string_free(out, true), g_strdup(""));
}

bool sweep_blame(const Sweep *s, uint32_t run, const GPtrArray *options, SweepTryFn attempt,
                 gpointer user, GError **error)
{
    if (error == NULL || *error == NULL) {
        return false;
    }
    for (guint i = 0; i < options->len; i++) {
        if (names_itself((*error)->message, options->pdata[i])) {
            return false;
        }
    }
    g_autoptr(GPtrArray) causes = find_causes(s, run, options, attempt, user, (*error)->message);
    const WwSweepOption *last = NULL; /* of those of axes, if any is: what all have may be right */
    int axis = -1;
    for (guint i = 0; i < causes->len; i++) {
        int its = axis_of(s, run, causes->pdata[i]);
        if (last == NULL || its >= axis) {
            last = causes->pdata[i];
            axis = its;
        }
    }
    g_autofree char *all = together(s, run, causes);
    if (last == NULL || (last->at.line == 0 && axis < 0)) {
        g_autofree char *text = ww_plan_text(s->plan, run);
        g_prefix_error(error, "run %u%s%s%s: ", run + 1, *text != '\0' ? " (" : "", text,
                       *text != '\0' ? ")" : "");
        return false;
    }
    g_autofree char *name = name_of(s, run, last, axis);
    g_prefix_error(error, "%s: %s%s", name, all, *all != '\0' ? ": " : "");
    if (*all != '\0') {
        g_autofree char *before = g_steal_pointer(&(*error)->message);
        (*error)->message =
            g_strdup_printf("%s\n    'exclude %s' leaves such runs out", before, all);
    }
    return false;
}

/* ---- values ----------------------------------------------------------------------------------------------------- */

/* Has it an option of @p names, or with @p settings one that sets a parameter? */
static bool axis_has(const WwSweepAxis *a, const char *const *names, bool settings)
{
    for (guint i = 0; i < a->values->len; i++) {
        const WwSweepValue *v = a->values->pdata[i];
        for (guint k = 0; k < v->options->len; k++) {
            const WwSweepOption *o = v->options->pdata[k];
            if ((settings && o->word->kind == WW_SWEEP_SETTING) || sweep_is_one_of(o, names)) {
                return true;
            }
        }
    }
    return false;
}

static bool changes_machine(const WwSweepAxis *a)
{
    static const char *const sms[] = {"sms", NULL};
    return axis_has(a, sweep_machine_words, true) || axis_has(a, sms, false);
}

/* Are its values told by a machine that is elaborated? */
static bool is_tried(const WwSweepAxis *a)
{
    static const char *const figures[] = {"stats", "intervals", "interval-stats", NULL};
    return changes_machine(a) || axis_has(a, figures, false);
}

bool sweep_try_values(const Sweep *s, GError **error)
{
    uint32_t tried = 0;
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    for (guint a = 0; a < s->sweep->axes->len || a == 0; a++) {
        bool only = a >= s->sweep->axes->len || !is_tried(s->sweep->axes->pdata[a]);
        for (uint32_t run = s->first; run < s->last && tried < MOST_VALUES; run++) {
            uint32_t value = only ? 0 : ww_plan_value(s->plan, run, a);
            if (s->runs[run].state != SWEEP_OUT && (!only || run == s->first) &&
                g_hash_table_add(seen, GUINT_TO_POINTER(only ? 1 : (a + 1) << 20 | value))) {
                tried++;
                if (!try_run(s, run, SWEEP_ELABORATED, error)) {
                    return false;
                }
            }
        }
    }
    return true;
}

/* ---- combinations ----------------------------------------------------------------------------------------------- */

/* Machines to seal: the first run to do that has each. */
typedef struct Kinds {
    const Sweep *s;
    uint32_t axes[WW_SWEEP_MAX_AXES], n_axes; /* those that change machines */
    GArray *runs;  /* uint32_t; one of each kind, in the order of the plan */
    GArray *order; /* the same, in the order in which they are tried */
    GHashTable *seen;
    bool *chosen;
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
        if (g_hash_table_add(texts, g_strdup(text->str))) {
            g_array_append_val(k->runs, run);
        }
    }
}

/* Is there a value (@p most 1), or two (2), that none before had? Notes what there is. */
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

/* What a child has found so far, after each machine. Behind one that failed comes the message. */
typedef struct Found {
    uint32_t tried;
    uint32_t failed; /* place in the order + 1, or 0 */
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

static G_GNUC_NORETURN void try_in_child(const Kinds *k, uint32_t first, uint32_t step,
                                         gint64 until, int fd)
{
    Found found = {0};
    g_autoptr(GError) error = NULL;
    bool good = true;
    for (uint32_t i = first; i < k->order->len && good && error == NULL; i += step) {
        gint64 left = until - g_get_monotonic_time();
        if (i >= LEAST_MACHINES && left <= 0) {
            break;
        }
        alarm((unsigned)(MAX(left, 0) / G_USEC_PER_SEC) + GRACE_S);
        found.tried++;
        if (!try_run(k->s, g_array_index(k->order, uint32_t, i), SWEEP_SEALED, &error)) {
            found.failed = i + 1;
        }
        good = write_all(fd, &found, sizeof found);
    }
    good = good && (error == NULL || write_all(fd, error->message, strlen(error->message)));
    _exit(good ? 0 : 1);
}

/* The end of a pipe that a child writes to; below 0: it could not be begun. */
static int begin_child(const Kinds *k, uint32_t first, uint32_t step, gint64 until, pid_t *pid)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
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
        try_in_child(k, first, step, until, ends[1]);
    }
    close(ends[1]);
    if (*pid < 0) {
        close(ends[0]);
        return -1;
    }
    return ends[0];
}

static GString *read_all(int fd)
{
    GString *text = g_string_new(NULL);
    char chunk[4096];
    ssize_t n;
    while ((n = read(fd, chunk, sizeof chunk)) > 0 || (n < 0 && errno == EINTR)) {
        g_string_append_len(text, chunk, MAX(n, 0));
    }
    close(fd);
    return text;
}

static bool try_kinds(Sweep *s, const Kinds *k, double seconds, GError **error)
{
    uint32_t n = MIN(MIN(g_get_num_processors(), s->cores), MIN(MOST_CHILDREN, k->order->len)),
             least = 0;
    gint64 until = g_get_monotonic_time() + (gint64)(seconds * 1e6);
    int fds[MOST_CHILDREN];
    pid_t pids[MOST_CHILDREN];
    g_autofree char *message = NULL;
    for (uint32_t i = 0; i < n; i++) {
        fds[i] = begin_child(k, i, n, until, &pids[i]);
    }
    for (uint32_t i = 0; i < n; i++) {
        if (fds[i] < 0) {
            continue;
        }
        g_autoptr(GString) text = read_all(fds[i]);
        Found found = {0};
        while (waitpid(pids[i], NULL, 0) < 0 && errno == EINTR) {
        }
        size_t at = 0;
        for (; text->len - at >= sizeof found && found.failed == 0; at += sizeof found) {
            memcpy(&found, text->str + at, sizeof found);
        }
        s->n_tried += found.tried;
        if (found.failed != 0 && (least == 0 || found.failed < least)) {
            least = found.failed;
            g_free(message);
            message = g_strdup(text->str + at);
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
               .seen = g_hash_table_new(NULL, NULL)};
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        if (changes_machine(s->sweep->axes->pdata[a])) {
            k.axes[k.n_axes++] = a;
        }
    }
    find_kinds(&k);
    k.chosen = g_new0(bool, k.runs->len + 1);
    choose(&k);
    s->n_machines = k.runs->len;
    s->n_tried = 0;
    bool good = k.order->len == 0 ||
                try_kinds(s, &k, CLAMP(sweep_estimate(s) * SHARE, LEAST_S, MOST_S), error);
    g_array_unref(k.runs);
    g_array_unref(k.order);
    g_hash_table_unref(k.seen);
    g_free(k.chosen);
    return good;
}
