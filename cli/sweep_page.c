/* SPDX-License-Identifier: Apache-2.0 */
/* What a sweep shows while it goes on: on a terminal a page that is written over, else lines, seldom. */
#include "sweep.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#define PLAIN_US 5000000
#define MOST_ROWS 16u

struct SweepPage {
    bool live, plain;
    uint32_t lines; /* that stand on the terminal */
    gint64 begun, told;
};

char *sweep_duration(double s)
{
    uint64_t n = (uint64_t)(s + 0.5);
    if (s < 1) {
        return g_strdup_printf("%.1f s", s);
    }
    if (n < 100) {
        return g_strdup_printf("%u s", (unsigned)n);
    }
    uint64_t minutes = (n + 30) / 60;
    if (minutes < 100) {
        return g_strdup_printf("%u min", (unsigned)minutes);
    }
    return minutes < 48 * 60
               ? g_strdup_printf("%u h %u min", (unsigned)(minutes / 60), (unsigned)(minutes % 60))
               : g_strdup_printf("%.1f days", (double)minutes / (24 * 60));
}

char *sweep_size(uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double n = (double)bytes;
    size_t unit = 0;
    while (n >= 1000 && unit + 1 < G_N_ELEMENTS(units)) {
        n /= 1024;
        unit++;
    }
    return g_strdup_printf(n < 10 && unit > 2 ? "%.1f %s" : "%.0f %s", n, units[unit]);
}

SweepPage *sweep_page_new(int progress)
{
    SweepPage *p = g_new0(SweepPage, 1);
    bool terminal = isatty(STDERR_FILENO);
    p->live = progress == 0 && terminal;
    p->plain = progress == 1 || (progress == 0 && !terminal);
    p->begun = p->told = g_get_monotonic_time();
    return p;
}

static void clear(SweepPage *p)
{
    if (p->lines != 0) {
        fprintf(stderr, "\033[%uA\r\033[J", p->lines);
        p->lines = 0;
    }
}

/* ---- parts ------------------------------------------------------------------------------------------------------ */

/* "36 of 48 runs done, 2 failed, 1 running, about 3 min left" */
static char *head(const SweepNow *now)
{
    const Sweep *s = now->sweep;
    uint32_t failed = s->counts[SWEEP_FAILED];
    g_autofree char *n = cli_grouped(s->counts[SWEEP_DONE]), *all = cli_grouped(sweep_all(s));
    GString *out = g_string_new(NULL);
    g_string_append_printf(out, "%s of %s %s done", n, all, WW_PLURAL(sweep_all(s), "run", "runs"));
    if (failed != 0) {
        g_string_append_printf(out, ", %u failed", failed);
    }
    if (now->n_running != 0) {
        g_string_append_printf(out, ", %u running", now->n_running);
    }
    if (now->left >= 0.5 && now->n_running != 0) {
        g_autofree char *left = sweep_duration(now->left);
        g_string_append_printf(out, ", about %s left", left);
    }
    return g_string_free(out, false);
}

static void put(SweepPage *p, const char *text, uint32_t width, CliPaint paint)
{
    g_autofree char *line = cli_cut(text, width);
    const char *on = paint != CLI_PLAIN ? cli_paint(stderr, paint) : "";
    fprintf(stderr, "%s%s%s\n", on, line, *on != '\0' ? cli_paint(stderr, CLI_PLAIN) : "");
    p->lines++;
}

static void put_bar(SweepPage *p, const SweepNow *now, uint32_t width)
{
    const Sweep *s = now->sweep;
    uint32_t ended = s->counts[SWEEP_DONE] + s->counts[SWEEP_FAILED];
    double share = (double)ended / MAX(sweep_all(s), 1u);
    uint32_t columns = MIN(width - 8, 60);
    g_autofree char *bar = cli_bar(stderr, share, columns);
    uint32_t full = (uint32_t)(share * columns + 0.5);
    g_autofree char *rest = g_strnfill(columns - MIN(full, columns), '.');
    fprintf(stderr, "%s%s %3u %%\n", bar, rest, (unsigned)(share * 100));
    p->lines++;
}

static void put_run(SweepPage *p, const SweepNow *now, const WwProcessRun *run, uint32_t width)
{
    uint32_t number = GPOINTER_TO_UINT(run->user) - 1;
    const SweepRun *r = &now->sweep->runs[number];
    g_autofree char *name = ww_plan_text(now->sweep->plan, number);
    g_autofree char *since = sweep_duration(run->seconds);
    g_autofree char *of = sweep_duration(r->expected * now->slower);
    g_autofree char *memory = run->memory != 0 ? sweep_size(run->memory) : g_strdup("");
    g_autofree char *line =
        g_strdup_printf("%7u  %8s of about %-8s %8s  %s", number + 1, since, of, memory, name);
    put(p, line, width, CLI_PLAIN);
}

static uint32_t height(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row != 0 ? size.ws_row : 24;
}

static void show_live(SweepPage *p, const SweepNow *now)
{
    uint32_t width = cli_width(stderr) - 1, all = height();
    uint32_t rows = MIN(all - MIN(all, 6u), MOST_ROWS); /* beside what stands around them */
    g_autofree char *title = head(now);
    g_autofree char *since = sweep_duration((double)(g_get_monotonic_time() - p->begun) / 1e6);
    g_autofree char *first =
        g_strdup_printf("%s: %s, %s so far", sweep_name(now->sweep), title, since);
    clear(p);
    put(p, first, width, CLI_BOLD);
    put_bar(p, now, width);
    for (uint32_t i = 0; i < now->n_running && i < rows; i++) {
        put_run(p, now, &now->running[i], width);
    }
    if (now->n_running > rows) {
        g_autofree char *more = g_strdup_printf("        and %u more", now->n_running - rows);
        put(p, more, width, CLI_PLAIN);
    }
    if (now->failure != NULL) {
        g_autofree char *line = g_strconcat("failed last: ", now->failure, NULL);
        put(p, line, width, CLI_ERROR);
    }
    fflush(stderr);
}

/* ---- showing ---------------------------------------------------------------------------------------------------- */

void sweep_page_show(SweepPage *p, const SweepNow *now)
{
    gint64 time = g_get_monotonic_time();
    if (p->live) {
        show_live(p, now);
    } else if (p->plain && time - p->told >= PLAIN_US) {
        g_autofree char *title = head(now);
        fprintf(stderr, "%s: %s\n", sweep_name(now->sweep), title);
        fflush(stderr);
        p->told = time;
    }
}

void sweep_page_tell(SweepPage *p, const char *line)
{
    if (p->plain) {
        fprintf(stderr, "%s\n", line);
        fflush(stderr);
    }
}

void sweep_page_free(SweepPage *p)
{
    clear(p);
    fflush(stderr);
    g_free(p);
}
