/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A sweep that goes on: the longest runs first, what ends goes into the database. Ends are written together, a tenth of a second's at once: a run is
 * as good as running until then.
 */
#include "sweep.h"

#include <math.h>
#include <monitor/signals.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <warpwright/component.h>

#define TICK_MS 200u
#define TOGETHER_US 100000
#define MARK_S                                                                                     \
    0.2 /* a run that takes longer is in the database while it runs: marks cost as much as ends */
#define MOST_AGAIN 3u     /* times that a run that was ended from outside is begun */
#define MOST_LOOKED 4096u /* runs that are looked at for one that fits */
#define MOST_TEXT 500u    /* bytes of an error */
#define MORE_ROOM 1.5     /* memory of a run that needed more than expected */

typedef struct Going {
    Sweep *s;
    WwProcesses *pool;
    SweepPage *page;
    uint32_t *order; /* runs to do, longest first */
    uint32_t n, at;  /* those before `at` have begun */
    GArray *again;   /* of those, to be begun again */
    uint32_t ended, failed;
    double took, was_expected; /* of those that are done, for what is left; processor seconds */
    double left;               /* processor seconds expected of what has not begun */
    char *failure;
    gint64 begun, written;
    bool open; /* a transaction */
    GError *error;
} Going;

/* ---- what the database is told ---------------------------------------------------------------------------------- */

typedef struct Description {
    GArray *axes, *settings;
    GPtrArray *texts;
} Description;

static void add_pair(GArray *pairs, const char *name, const char *value)
{
    const WwDbPair pair = {name, value};
    g_array_append_val(pairs, pair);
}

static void describe(const Sweep *s, uint32_t run, Description *d, WwDbRun *out)
{
    d->axes = g_array_sized_new(false, false, sizeof(WwDbPair), 1); /* no axes: none, not NULL */
    d->settings = g_array_new(false, false, sizeof(WwDbPair));
    d->texts = g_ptr_array_new_with_free_func(g_free);
    for (guint a = 0; a < s->sweep->axes->len; a++) {
        const WwSweepAxis *axis = s->sweep->axes->pdata[a];
        const WwSweepValue *v = axis->values->pdata[ww_plan_value(s->plan, run, a)];
        add_pair(d->axes, axis->name, v->name);
    }
    g_autoptr(GPtrArray) options = ww_plan_options(s->plan, run);
    for (guint i = 0; i < options->len; i++) {
        const WwSweepOption *o = options->pdata[i];
        if (o->word->kind == WW_SWEEP_SETTING) {
            char *name = g_strdup(o->value), *value = strchr(name, '=');
            *value++ = '\0';
            g_ptr_array_add(d->texts, name);
            add_pair(d->settings, g_strstrip(name), g_strstrip(value));
        }
    }
    *out = (WwDbRun){.key = s->runs[run].key,
                     .number = run + 1,
                     .axes = (const WwDbPair *)(void *)d->axes->data,
                     .n_axes = d->axes->len,
                     .settings =
                         d->settings->len != 0 ? (const WwDbPair *)(void *)d->settings->data : NULL,
                     .n_settings = d->settings->len,
                     .version = WW_VERSION,
                     .host = g_get_host_name()};
}

static void forget(Description *d)
{
    g_array_unref(d->axes);
    g_array_unref(d->settings);
    g_ptr_array_unref(d->texts);
}

static bool open_change(Going *g)
{
    if (g->error == NULL && !g->open) {
        g->open = ww_db_begin(g->s->db, &g->error);
    }
    return g->error == NULL && g->open;
}

static void close_change(Going *g)
{
    if (g->open) {
        g->open = false;
        if (!ww_db_commit(g->s->db, g->error == NULL ? &g->error : NULL)) {
            ww_db_rollback(g->s->db);
        }
    }
    g->written = g_get_monotonic_time();
}

/* What is there from before is called as the sweep calls it now. */
static void rename_runs(Going *g)
{
    const Sweep *s = g->s;
    for (uint32_t i = s->first; i < s->last; i++) {
        if (!s->runs[i].renamed || s->runs[i].state == SWEEP_TO_DO || !open_change(g)) {
            continue;
        }
        Description d;
        WwDbRun run;
        describe(s, i, &d, &run);
        ww_db_rename(s->db, sweep_name(s), run.key, run.number, run.axes, run.n_axes, &g->error);
        forget(&d);
    }
}

/* What the run takes the place of goes. */
static void remove_before(Going *g, uint32_t number)
{
    SweepRun *r = &g->s->runs[number];
    if (r->before != NULL) {
        ww_db_remove(g->s->db, sweep_name(g->s), r->before, NULL, &g->error);
        r->before = NULL;
    }
}

/* A state without results. */
static void put_state(Going *g, uint32_t number, const WwDbRun *run)
{
    if (open_change(g) && ww_db_put(g->s->db, sweep_name(g->s), run, &g->error) &&
        run->state != WW_DB_RUNNING) {
        remove_before(g, number);
    }
}

/* False: they are none, and *@p why says how. */
static bool put_results(Going *g, uint32_t number, const WwDbRun *run, const WwProcessEnd *e,
                        char **why)
{
    g_autoptr(GError) error = NULL;
    g_autofree char *what = g_strdup_printf("results of run %u", number + 1);
    if (!open_change(g)) {
        return true;
    }
    if (ww_db_put_text(g->s->db, sweep_name(g->s), run, what, e->out, e->out_size, &error)) {
        remove_before(g, number);
    } else if (g_error_matches(error, WW_ERROR, WW_ERROR_INPUT) && !ww_db_is_damaged(g->s->db)) {
        *why = g_strdup_printf("%s (does a module print to stdout?)", error->message);
    } else {
        g->error = g_steal_pointer(&error);
    }
    return *why == NULL;
}

/* ---- ends ------------------------------------------------------------------------------------------------------- */

/* The line that says why: an error of ours, else the first that is there. Newly allocated, or NULL. */
static char *error_line(const char *text)
{
    static const char own[] = "warpwright: ";
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    const char *first = NULL, *found = NULL;
    for (char **l = lines; *l != NULL && found == NULL; l++) {
        bool ours = g_str_has_prefix(*l, own);
        const char *said = ours ? *l + strlen(own) : *l;
        bool aside =
            ours && (g_str_has_prefix(said, "note: ") || g_str_has_prefix(said, "warning: "));
        first = first == NULL && !aside && *g_strstrip(*l) != '\0' ? said : first;
        found = ours && !aside ? said : NULL;
    }
    found = found != NULL ? found : first;
    if (found == NULL) {
        return NULL;
    }
    g_autofree char *valid = g_utf8_make_valid(found, -1);
    return cli_cut(valid, MOST_TEXT);
}

static bool has_status(const WwProcessEnd *e, const char *status)
{
    g_autofree char *head = g_strndup(e->out, MIN(e->out_size, 400u));
    g_autofree char *member = g_strdup_printf("\"status\": \"%s\"", status);
    return strstr(head, member) != NULL;
}

/* Somebody else ended it: the run itself may be all right. */
static bool was_ended(const WwProcessEnd *e)
{
    if (e->why != WW_PROCESS_ENDED) {
        return e->why == WW_PROCESS_ROOM;
    }
    if (WIFSIGNALED(e->status)) {
        int n = WTERMSIG(e->status);
        return n == SIGKILL || n == SIGTERM || n == SIGINT || n == SIGHUP;
    }
    int code = WEXITSTATUS(e->status);
    return code == 128 + SIGTERM || code == 128 + SIGINT || code == 128 + SIGHUP ||
           (code == 1 && has_status(e, "interrupted"));
}

static bool has_results(const WwProcessEnd *e)
{
    return e->why == WW_PROCESS_ENDED && WIFEXITED(e->status) && e->out_size != 0 &&
           (WEXITSTATUS(e->status) == 0 ||
            (WEXITSTATUS(e->status) == 1 && has_status(e, "limit"))); /* asked for: --max-cycles */
}

static double time_limit(const Sweep *s)
{
    return s->sweep->time_limit;
}

static char *why_failed(const Sweep *s, const WwProcessEnd *e)
{
    g_autofree char *said = error_line(e->err);
    g_autofree char *size = sweep_size(e->memory);
    g_autofree char *time = sweep_duration(time_limit(s));
    switch (e->why) {
    case WW_PROCESS_TIME:
        return g_strdup_printf("stopped after %s (time-limit)", time);
    case WW_PROCESS_MEMORY:
        return g_strdup_printf("stopped at %s of memory (%s)", size,
                               s->sweep->memory_limit != 0 && e->memory > s->sweep->memory_limit
                                   ? "memory-limit"
                                   : "--memory");
    default:
        break;
    }
    if (said != NULL) {
        return g_steal_pointer(&said);
    }
    if (WIFSIGNALED(e->status)) {
        return g_strdup_printf(
            "ended by signal %d (%s)%s", WTERMSIG(e->status), g_strsignal(WTERMSIG(e->status)),
            WTERMSIG(e->status) == SIGKILL ? ": maybe the system had too little memory" : "");
    }
    return g_strdup_printf("exit status %d, and no word why", WEXITSTATUS(e->status));
}

static int exit_status(const WwProcessEnd *e)
{
    if (e->why == WW_PROCESS_REFUSED) {
        return 127; /* as of one that could not be executed */
    }
    return WIFSIGNALED(e->status) ? -WTERMSIG(e->status) : WEXITSTATUS(e->status);
}

static void note_failure(Going *g, uint32_t number, const char *why)
{
    g_autofree char *name = ww_plan_text(g->s->plan, number);
    g_free(g->failure);
    g->failure = g_strdup_printf("run %u (%s): %s", number + 1, name, why);
    g->failed++;
    g_autofree char *line = g_strconcat("failed: ", g->failure, NULL);
    sweep_page_tell(g->page, line);
}

static void begin_again(Going *g, uint32_t number, const WwProcessEnd *e)
{
    SweepRun *r = &g->s->runs[number];
    if ((e->why == WW_PROCESS_ROOM && e->memory != 0) ||              /* not: it did not start */
        (WIFSIGNALED(e->status) && WTERMSIG(e->status) == SIGKILL)) { /* too little memory? */
        r->memory = (uint64_t)((double)MAX(r->memory, e->memory) * MORE_ROOM);
        r->memory = MIN(r->memory, g->s->memory);
    }
    sweep_set(g->s, number, SWEEP_TO_DO);
    g_array_append_val(g->again, number);
    g->left += r->expected * r->cores;
}

static void on_end(void *user, const WwProcessEnd *e)
{
    Going *g = user;
    uint32_t number = GPOINTER_TO_UINT(e->user) - 1;
    SweepRun *r = &g->s->runs[number];
    if (was_ended(e) && (e->why == WW_PROCESS_ROOM || ++r->again < MOST_AGAIN)) {
        begin_again(g, number, e);
        return;
    }
    Description d;
    WwDbRun run;
    describe(g->s, number, &d, &run);
    run.start = e->start;
    run.seconds = e->seconds;
    run.processor_seconds = e->processor_seconds;
    run.memory = e->memory;
    run.exit_status = exit_status(e);
    g->ended++;
    g->took += e->seconds * r->cores;
    g->was_expected += r->expected * r->cores;
    run.state = WW_DB_DONE;
    g_autofree char *why = has_results(e) ? NULL : why_failed(g->s, e);
    bool done = why == NULL && put_results(g, number, &run, e, &why);
    sweep_set(g->s, number, done ? SWEEP_DONE : SWEEP_FAILED);
    if (!done) {
        run.state = WW_DB_FAILED;
        run.error = why;
        put_state(g, number, &run);
        note_failure(g, number, why);
    }
    r->marked = false;
    forget(&d);
}

/* ---- beginnings ------------------------------------------------------------------------------------------------- */

static void job_of(const Going *g, uint32_t number, WwProcessJob *job)
{
    const SweepRun *r = &g->s->runs[number];
    *job = (WwProcessJob){.words = sweep_words(g->s, number),
                          .time_limit = time_limit(g->s),
                          .memory = r->memory,
                          .memory_limit = g->s->sweep->memory_limit,
                          .cores = r->cores,
                          .user = GUINT_TO_POINTER(number + 1)};
}

static bool fits(const SweepRun *r, uint32_t cores, uint64_t memory)
{
    return r->state == SWEEP_TO_DO && r->cores <= cores && r->memory <= memory;
}

static bool choose(Going *g, uint32_t cores, uint64_t memory, uint32_t *number)
{
    for (guint i = 0; i < g->again->len; i++) {
        *number = g_array_index(g->again, uint32_t, i);
        if (fits(&g->s->runs[*number], cores, memory)) {
            g_array_remove_index(g->again, i);
            return true;
        }
    }
    while (g->at < g->n && g->s->runs[g->order[g->at]].state != SWEEP_TO_DO) {
        g->at++;
    }
    for (uint32_t i = g->at; i < g->n && i - g->at < MOST_LOOKED; i++) {
        *number = g->order[i];
        if (fits(&g->s->runs[*number], cores, memory)) {
            return true;
        }
    }
    return false;
}

static bool on_next(void *user, uint32_t cores, uint64_t memory, bool alone, WwProcessJob *job)
{
    Going *g = user;
    uint32_t number;
    if (g->error != NULL || !choose(g, cores, memory, &number)) {
        return false;
    }
    SweepRun *r = &g->s->runs[number];
    g->left = fmax(0, g->left - r->expected * r->cores);
    sweep_set(g->s, number, SWEEP_RUNNING);
    job_of(g, number, job);
    return true;
}

/* ---- while they run --------------------------------------------------------------------------------------------- */

static bool on_pass(void *user)
{
    Going *g = user;
    if (g_get_monotonic_time() - g->written >= TOGETHER_US) {
        close_change(g);
    }
    return g->error == NULL;
}

/* Processor seconds that the running ones still need. */
static double left_of_running(const Going *g, const WwProcessRun *runs, uint32_t n, double ratio)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        const SweepRun *r = &g->s->runs[GPOINTER_TO_UINT(runs[i].user) - 1];
        sum += fmax(0, r->expected * ratio - runs[i].seconds) * r->cores;
    }
    return sum;
}

static void mark(Going *g, const WwProcessRun *runs, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t number = GPOINTER_TO_UINT(runs[i].user) - 1;
        SweepRun *r = &g->s->runs[number];
        if (r->marked || runs[i].seconds < MARK_S) {
            continue;
        }
        Description d;
        WwDbRun run;
        describe(g->s, number, &d, &run);
        run.state = WW_DB_RUNNING;
        run.start = g_get_real_time() / G_USEC_PER_SEC - (int64_t)runs[i].seconds;
        put_state(g, number, &run);
        r->marked = true;
        forget(&d);
    }
}

/* How much longer than expected runs take: those that are done, and those that go on and have taken more already. */
static double measured(const Going *g, const WwProcessRun *runs, uint32_t n)
{
    double took = g->took, expected = g->was_expected,
           ratio = expected > 0 && took > 0 ? took / expected : 1;
    for (uint32_t i = 0; i < n; i++) {
        const SweepRun *r = &g->s->runs[GPOINTER_TO_UINT(runs[i].user) - 1];
        if (runs[i].seconds > r->expected * ratio) {
            took += runs[i].seconds * r->cores;
            expected += r->expected * r->cores;
        }
    }
    return expected > 0 && took > 0 ? took / expected : ratio;
}

/*
 * What is left takes as much longer than expected as what is done did: in all, with what passes between two runs and what others leave of the cores. As
 * long as next to nothing is done, as its runs did.
 */
static double left(const Going *g, const WwProcessRun *runs, uint32_t n)
{
    double ratio = measured(g, runs, n);
    double since = (double)(g_get_monotonic_time() - g->begun) / 1e6;
    if (g->ended > 4 * g->s->cores && g->was_expected > 0) {
        double done = g->was_expected;
        for (uint32_t i = 0; i < n; i++) {
            const SweepRun *r = &g->s->runs[GPOINTER_TO_UINT(runs[i].user) - 1];
            done += fmin(r->expected, runs[i].seconds / ratio) * r->cores;
        }
        ratio = since * g->s->cores / done;
    }
    return (g->left * ratio + left_of_running(g, runs, n, ratio)) / g->s->cores;
}

static void on_tick(void *user)
{
    Going *g = user;
    g_autofree WwProcessRun *runs = g_new(WwProcessRun, g->s->cores);
    uint32_t n = ww_processes_running(g->pool, runs, g->s->cores);
    mark(g, runs, n);
    close_change(g);
    SweepNow now = {.sweep = g->s,
                    .running = runs,
                    .n_running = n,
                    .ended = g->ended,
                    .failed = g->failed,
                    .left = left(g, runs, n),
                    .slower = measured(g, runs, n),
                    .failure = g->failure};
    sweep_page_show(g->page, &now);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

static int by_length(const void *a, const void *b, void *user)
{
    const SweepRun *runs = user;
    const SweepRun *x = &runs[*(const uint32_t *)a], *y = &runs[*(const uint32_t *)b];
    return x->expected != y->expected ? (x->expected < y->expected ? 1 : -1)
                                      : (*(const uint32_t *)a > *(const uint32_t *)b ? 1 : -1);
}

/* Those that needed more before than they can have now are not begun. */
static void refuse_large(Going *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        uint32_t number = g->order[i];
        SweepRun *r = &g->s->runs[number];
        if (r->memory <= g->s->memory) {
            continue;
        }
        g_autofree char *size = sweep_size(r->memory), *most = sweep_size(g->s->memory);
        g_autofree char *why =
            g_strdup_printf("needs about %s of memory; expected --memory of that "
                            "or more, not %s",
                            size, most);
        Description d;
        WwDbRun run;
        describe(g->s, number, &d, &run);
        run.state = WW_DB_FAILED;
        run.error = why;
        run.exit_status = CLI_USAGE;
        sweep_set(g->s, number, SWEEP_FAILED);
        put_state(g, number, &run);
        note_failure(g, number, why);
        forget(&d);
    }
}

static void set_order(Going *g)
{
    const Sweep *s = g->s;
    g->order = g_new(uint32_t, s->n + 1);
    for (uint32_t i = s->first; i < s->last; i++) {
        if (s->runs[i].state == SWEEP_TO_DO) {
            g->order[g->n++] = i;
            g->left += s->runs[i].expected * s->runs[i].cores;
        }
    }
    g_qsort_with_data(g->order, (gint)g->n, sizeof *g->order, by_length, s->runs);
}

/* Runs that did not come to an end are not there any more. */
static void unmark(Going *g)
{
    for (uint32_t i = 0; i < g->n; i++) {
        const SweepRun *r = &g->s->runs[g->order[i]];
        if (r->marked && open_change(g)) {
            ww_db_remove(g->s->db, sweep_name(g->s), r->key, NULL, &g->error);
        }
    }
}

static void run_pool(Going *g)
{
    g->pool = ww_processes_new(&(WwProcessesSpec){.cores = g->s->cores,
                                                  .memory = g->s->memory,
                                                  .tick_ms = TICK_MS,
                                                  .next = on_next,
                                                  .ended = on_end,
                                                  .pass = on_pass,
                                                  .tick = on_tick,
                                                  .user = g},
                               &g->error);
    if (g->pool != NULL && ww_signals_caught() == 0) { /* from here on signals are the pool's */
        ww_processes_run(g->pool);
    }
    unmark(g);
    close_change(g);
}

static int finish(const Going *g, double seconds)
{
    Sweep *s = g->s;
    g_autofree char *done = cli_grouped(s->counts[SWEEP_DONE]), *all = cli_grouped(sweep_all(s)),
                    *time = sweep_duration(seconds);
    uint32_t left = sweep_all(s) - s->counts[SWEEP_DONE] - s->counts[SWEEP_FAILED];
    printf("%s: %s of %s %s done", sweep_name(s), done, all,
           WW_PLURAL(sweep_all(s), "run", "runs"));
    if (s->counts[SWEEP_FAILED] != 0) {
        printf(", %u failed", s->counts[SWEEP_FAILED]);
    }
    printf("; %u run here in %s", g->ended, time);
    printf("; in %s\n", ww_db_path(s->db));
    sweep_tell_noted(s, NULL); /* it has been read already */
    if (left != 0) {
        fflush(stdout);
        fprintf(stderr, "warpwright: interrupted: %u %s left; the same command goes on\n", left,
                WW_PLURAL(left, "run is", "runs are"));
    } else if (s->counts[SWEEP_FAILED] != 0 && !s->retry) {
        printf("'--status' says why runs failed, '--retry' runs them again\n");
    }
    return left != 0 || s->counts[SWEEP_FAILED] != 0 ? CLI_STOPPED : CLI_DONE;
}

int sweep_go(Sweep *s, GError **error)
{
    gint64 begun = g_get_monotonic_time();
    Going g = {.s = s,
               .page = sweep_page_new(s->progress),
               .again = g_array_new(false, false, sizeof(uint32_t)),
               .begun = begun,
               .written = begun};
    set_order(&g);
    if (ww_db_prepare(s->db, &g.error)) {
        rename_runs(&g);
        refuse_large(&g);
    }
    if (g.error == NULL) {
        run_pool(&g);
    }
    sweep_page_free(g.page);
    int status = CLI_USAGE;
    if (g.error != NULL) {
        g_propagate_error(error, g.error);
    } else {
        status = finish(&g, (double)(g_get_monotonic_time() - begun) / 1e6);
    }
    ww_processes_free(g.pool);
    g_array_unref(g.again);
    g_free(g.order);
    g_free(g.failure);
    return status;
}
