/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `run --monitor`: options, life, and the steps of a run that somebody may look at. A step is made of pieces of ww_run(), each as long as the
 * one before allows: a machine that slept may have much to do all of a sudden, and whoever looks waits for the end of the step.
 */
#include "cli-priv.h"
#include "live-priv.h"

#include <errno.h>
#include <string.h>
#include <warpwright/interrupt.h>

#define STEP_US 20000
#define LEAST_PIECE                                                                                \
    768u /* two windows: shorter pieces would cut them, which costs more than it gives */
#define MOST_PIECE 16384u
#define TOKEN_VARIABLE "WARPWRIGHT_MONITOR_TOKEN"

/* ---- options ---------------------------------------------------------------------------------------------------- */

static const char *const waits[] = {"start", "end", "both", NULL};

const GOptionEntry *cli_live_options(CliLiveOptions *o)
{
    static GOptionEntry rows[5];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_IS_LOOKED_AT),
        {"monitor", 0, 0, G_OPTION_ARG_FILENAME, &o->listen,
         "Serve a live page at this address (default: a free port of loopback) and print its URL "
         "on stderr",
         "[ADDR:PORT]"},
        {"monitor-wait", 0, 0, G_OPTION_ARG_FILENAME, &o->wait_text,
         "Start paused (start), keep serving after the run (end), or both (default)",
         cli_choices(waits)},
        {"monitor-token", 0, 0, G_OPTION_ARG_FILENAME, &o->token_file,
         "Require the token in FILE (default: that of " TOKEN_VARIABLE
         "); mandatory beyond loopback",
         "FILE"},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof rows == sizeof all);
    memcpy(rows, all, sizeof all);
    return rows;
}

void cli_live_words(int argc, char **argv)
{
    static char bare[] = "--monitor=", both[] = "--monitor-wait=both";
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--monitor") == 0) {
            argv[i] = bare;
        } else if (strcmp(argv[i], "--monitor-wait") == 0) {
            argv[i] = both;
        }
    }
}

/* One line; what is more than a token is no token. */
static bool read_token(CliLiveOptions *o, GError **error)
{
    enum { MOST = 4096 };
    FILE *in = fopen(o->token_file, "r");
    char text[MOST + 1];
    size_t n = in != NULL ? fread(text, 1, MOST, in) : 0;
    if (in == NULL || ferror(in)) {
        int why = errno;
        if (in != NULL) {
            fclose(in);
        }
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor-token %s: %s; expected a file with a token", o->token_file,
                       g_strerror(why));
    }
    fclose(in);
    while (n != 0 && (text[n - 1] == '\n' || text[n - 1] == '\r')) {
        n--;
    }
    if (memchr(text, '\0', n) != NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor-token %s holds a 0; expected a file with a token of text",
                       o->token_file);
    }
    o->token = g_strndup(text, n);
    g_autofree char *what = g_strdup_printf("--monitor-token %s", o->token_file);
    return ww_server_check_token(what, o->token, error);
}

bool cli_live_check(CliLiveOptions *o, GError **error)
{
    const char *given = g_getenv(TOKEN_VARIABLE);
    if (o->listen == NULL && (o->wait_text != NULL || o->token_file != NULL)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "--monitor-%s has no effect without --monitor; expected both",
                       o->wait_text != NULL ? "wait" : "token");
    }
    if (o->wait_text != NULL) {
        int wait = cli_choice("--monitor-wait", o->wait_text, waits, error);
        if (wait < 0) {
            return false;
        }
        o->wait_start = wait != 1;
        o->wait_end = wait != 0;
    }
    if (o->listen == NULL) {
        return true;
    }
    if (o->token_file != NULL) {
        return read_token(o, error);
    }
    if (given != NULL) {
        o->token = g_strdup(given);
        return ww_server_check_token(TOKEN_VARIABLE, o->token, error);
    }
    return true;
}

void cli_live_options_clear(CliLiveOptions *o)
{
    char *const texts[] = {o->listen, o->token_file, o->wait_text, o->token};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

CliLive *cli_live_new(const CliLiveOptions *o, const CliLiveSpec *spec, GError **error)
{
    CliLive *l = g_new0(CliLive, 1);
    l->spec = *spec;
    l->machine = spec->results->machine;
    l->begin = g_get_monotonic_time();
    l->budget = 1; /* what is read of the trace to begin with is told before the first kernel */
    l->stop = WW_NEVER;
    l->breaks = g_array_new(false, true, sizeof(LiveBreak));
    l->wait_end = o->wait_end;
    l->server = ww_server_new(&(WwServerSpec){.base = ww_monitor_base(spec->monitor),
                                              .address = o->listen,
                                              .token = o->token,
                                              .serve = live_serve,
                                              .user = l},
                              error);
    if (l->server == NULL) {
        cli_live_free(l);
        return NULL;
    }
    live_samples_init(l);
    if (o->wait_start) {
        live_pause(l, "start", NULL);
    }
    g_autofree char *text =
        g_strdup_printf("monitor: %s%s", ww_server_url(l->server),
                        o->wait_start ? " (paused until the page lets it go on)" : "");
    cli_say("", text);
    return l;
}

void cli_live_free(CliLive *l)
{
    if (l == NULL) {
        return;
    }
    ww_server_free(l->server);
    live_control_clear(l);
    live_samples_clear(l);
    live_tree_clear(l);
    g_free(l->why);
    g_free(l);
}

/* ---- the run ----------------------------------------------------------------------------------------------------- */

/* The next piece of a step: shorter if the last one took long, longer if it was used up at once. */
static void pace(CliLive *l, WwTick ran, gint64 took)
{
    if (took > STEP_US && l->budget >= 2 * LEAST_PIECE) {
        l->budget /= 2;
    } else if (ran >= l->budget && took < STEP_US / 2 && l->budget < MOST_PIECE) {
        l->budget *= 2;
    }
}

WwRunStatus cli_live_run(CliLive *l, WwCycle limit)
{
    WwMachine *m = l->machine;
    WwRunStatus status = WW_RUN_BUDGET;
    gint64 begin = g_get_monotonic_time(), before = begin, now = begin;
    while (status == WW_RUN_BUDGET && !l->paused && now - begin < STEP_US) {
        WwCycle at = ww_machine_cycle(m), stop = MIN(live_next_stop(l), l->samples.next);
        WwTick tick = ww_machine_tick(m);
        ww_machine_run_until(m, MIN(MAX(stop, at + 1), limit));
        status = ww_run(m, l->budget);
        now = g_get_monotonic_time();
        WwTick ran = ww_machine_tick(m) - tick;
        pace(l, ran, now - before);
        before = now;
        live_check_stops(l);
        live_samples_look(l);
        if (ran == 0 || ww_machine_cycle(m) >= limit) {
            break; /* a signal; a checkpoint */
        }
    }
    return status;
}

void cli_live_collected(CliLive *l)
{
    if (l->stop_kernel != 0 && l->spec.results->kernels.n >= l->stop_kernel) {
        const WwResultKernel *k = l->spec.results->kernels.v[l->spec.results->kernels.n - 1];
        g_autofree char *text = g_strdup_printf("%s has ended", k->name);
        live_pause(l, "kernel", text);
    }
}

bool cli_live_serving(CliLive *l)
{
    return l != NULL && ww_server_busy(l->server);
}

bool cli_live_waiting(const CliLive *l)
{
    if (l == NULL || l->over == NULL) {
        return l != NULL && l->paused;
    }
    return !l->released && (l->wait_end || g_get_monotonic_time() < l->lease);
}

gint64 cli_live_paused_for(const CliLive *l)
{
    return l == NULL ? 0 : l->paused_for + (l->paused ? g_get_monotonic_time() - l->paused_at : 0);
}

void cli_live_over(CliLive *l, const char *state, const char *why)
{
    if (l == NULL) {
        return;
    }
    l->over = state;
    l->paused_for = cli_live_paused_for(l);
    l->paused = false;
    l->why = g_strdup(why);
    live_samples_take(l);
}

void cli_live_hold(CliLive *l)
{
    if (l == NULL || ww_monitor_signal(l->spec.monitor) != 0 || !cli_live_waiting(l)) {
        return;
    }
    fflush(stdout);
    g_autofree char *text =
        g_strdup_printf("the page at %s stays until %s, or an interrupt", ww_server_url(l->server),
                        l->wait_end ? "it says 'end'" : "it is closed");
    cli_say("", text);
    ww_monitor_wait(l->spec.monitor);
}
