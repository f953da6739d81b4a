/* SPDX-License-Identifier: Apache-2.0 */
/* Scripts of `warpwright bench`: a line is a command, '#' begins a comment, quotes hold words together. */
#include "bench.h"

#include <string.h>

enum { PATIENCE = 10000 }; /* cycles that an expected token is waited for */

const char bench_script_help[] =
    "Ports get channels, needs get the fakes of their contracts. Without a SCRIPT the contracts' "
    "generators feed\n"
    "the ports at random, and what comes out is taken at random. A SCRIPT has one command per "
    "line:\n"
    "\n"
    "  channel PORT [PARAM=VALUE]...     parameters of the channel of a port (first in the "
    "script)\n"
    "  fill PORT TYPE [PARAM=VALUE]...   the type that fills a need instead of the fake (first in "
    "the script)\n"
    "  token NAME PORT TOKEN             make a token for a port and name it\n"
    "  put PORT TOKEN [slot=N]           put a token into the channel of a port\n"
    "  step [N]                          run N cycles (default 1)\n"
    "  expect PORT TOKEN [at CYCLE]      wait for the next token to come out: it is this one, and "
    "came in that cycle\n"
    "  expect PORT nothing               no further token has come out so far\n"
    "  hold PORT, open PORT              stop taking what comes out; resume\n"
    "  stat NAME VALUE                   a statistic has this value; an entry of a vector is "
    "NAME[3] or NAME[label]\n"
    "  asleep, awake                     the component sleeps, or wants to run again by itself\n"
    "  random N                          run N cycles of random traffic\n"
    "  reset                             return to power-on\n"
    "\n"
    "A TOKEN is a number; 'random'; or its fields:\n"
    "  instruction   op=SP dst=5 src0=1 src1=2 src2=3 warp=0 sched=0 latency=4 interval=2 uid=7 "
    "pc=0x10 mask=0xffffffff\n"
    "                space=GLOBAL width=4 base=0x1000 stride=4\n"
    "  memory        addr=0x1000 size=32 write atomic response bypass_l1 type=GLOBAL_ACC_R sm=0 "
    "cluster=0 warp=0\n"
    "  fetch         warp=0 pc=0x20\n"
    "put and expect also take the NAME of a token; expect also takes any part of its text, in "
    "quotes.\n"
    "Exit status: 0 everything came as expected, 1 it did not, 2 bad usage or script.\n";

/* ---- small helpers ---------------------------------------------------------------------------------------------- */

/* An expectation that was not met. */
static bool differs(Bench *b, GError **error, const char *format, ...) G_GNUC_PRINTF(3, 4);
static bool differs(Bench *b, GError **error, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *text = g_strdup_vprintf(format, ap);
    va_end(ap);
    b->stopped = true;
    return ww_fail(error, WW_ERROR_MODEL, "%s", text);
}

static bool whole(const char *word, uint64_t *out, GError **error)
{
    return cli_number("number", word, out, error);
}

/* ---- before the first cycle ------------------------------------------------------------------------------------- */

static bool too_late(const Bench *b, const char *what, GError **error)
{
    return b->started &&
           !ww_fail(error, WW_ERROR_USAGE,
                    "'%s' after the component was started; expected it before the first other line",
                    what);
}

static bool do_channel(Bench *b, char **w, guint n, GError **error)
{
    g_autofree char *params = g_strjoinv(" ", w + 2);
    return !too_late(b, w[0], error) && bench_channel(b, w[1], params, error);
}

static bool do_fill(Bench *b, char **w, guint n, GError **error)
{
    g_autofree char *params = g_strjoinv(" ", w + 3);
    return !too_late(b, w[0], error) && bench_fill(b, w[1], w[2], n > 3 ? params : NULL, error);
}

/* ---- tokens ----------------------------------------------------------------------------------------------------- */

/* A port of either direction: tokens are made for what it carries. */
static BenchPort *any_port(Bench *b, const char *name, GError **error)
{
    BenchPort *p = bench_port(b, name, false, NULL);
    return p != NULL ? p : bench_port(b, name, true, error);
}

static bool do_token(Bench *b, char **w, guint n, GError **error)
{
    WwToken t;
    BenchPort *p = any_port(b, w[2], error);
    if (p == NULL || !bench_make(b, p, w + 3, &t, error)) {
        return false;
    }
    uint64_t *kept = g_new(uint64_t, 1);
    *kept = t;
    g_hash_table_insert(b->named, g_strdup(w[1]), kept);
    return true;
}

static bool do_put(Bench *b, char **w, guint n, GError **error)
{
    BenchPort *p = bench_port(b, w[1], false, error);
    uint64_t slot = 0;
    bool placed = g_str_has_prefix(w[n - 1], "slot=");
    if (p == NULL || (placed && !whole(w[n - 1] + strlen("slot="), &slot, error))) {
        return false;
    }
    if (placed) {
        g_free(w[--n]);
        w[n] = NULL;
    }
    const uint64_t *named = n == 3 ? g_hash_table_lookup(b->named, w[2]) : NULL;
    WwToken t = named != NULL ? *named : 0;
    if (named == NULL && !bench_make(b, p, w + 2, &t, error)) {
        return false;
    }
    if (slot > G_MAXINT || !ww_harness_put(b->h, p->name, placed ? (int)slot : -1, t)) {
        return differs(b, error,
                       "port %s has no room in cycle %" G_GUINT64_FORMAT "; expected some", p->name,
                       ww_harness_now(b->h));
    }
    p->taken++;
    return true;
}

static bool expect_nothing(Bench *b, BenchPort *p, GError **error)
{
    const BenchArrival *a = g_queue_peek_head(&p->arrived);
    if (a == NULL) {
        return true;
    }
    g_autofree char *text = bench_text(b, p, a->token);
    return differs(b, error, "port %s: expected nothing, got %s in cycle %" G_GUINT64_FORMAT,
                   p->name, text, a->cycle);
}

static bool do_expect(Bench *b, char **w, guint n, GError **error)
{
    BenchPort *p = bench_port(b, w[1], true, error);
    uint64_t at = UINT64_MAX;
    bool timed = n == 5 && strcmp(w[3], "at") == 0;
    if (p == NULL || (timed && !whole(w[4], &at, error))) {
        return false;
    }
    if (n != 3 && !timed) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "expected 'expect PORT TOKEN' or 'expect PORT TOKEN at CYCLE'");
    }
    if (strcmp(w[2], "nothing") == 0) {
        return expect_nothing(b, p, error);
    }
    for (int i = 0;
         i < PATIENCE && g_queue_is_empty(&p->arrived) && (!timed || ww_harness_now(b->h) <= at);
         i++) {
        if (!bench_step(b, error)) {
            return false;
        }
    }
    g_autofree BenchArrival *a = g_queue_pop_head(&p->arrived);
    g_autofree char *when = timed ? g_strdup_printf(" at cycle %s", w[4]) : g_strdup("");
    if (a == NULL) {
        return differs(
            b, error, "port %s: expected %s%s, got nothing up to cycle %" G_GUINT64_FORMAT "%s",
            p->name, w[2], when, ww_harness_now(b->h) - 1, p->held ? " (it is held)" : "");
    }
    p->taken++;
    if (!bench_is(b, p, a->token, w[2]) || (timed && a->cycle != at)) {
        g_autofree char *text = bench_text(b, p, a->token);
        return differs(b, error, "port %s: expected %s%s, got %s at cycle %" G_GUINT64_FORMAT,
                       p->name, w[2], when, text, a->cycle);
    }
    return true;
}

static bool do_hold(Bench *b, char **w, guint n, GError **error)
{
    BenchPort *p = bench_port(b, w[1], true, error);
    if (p == NULL) {
        return false;
    }
    p->held = strcmp(w[0], "hold") == 0;
    return p->held || bench_take(b, p, error);
}

/* ---- time and statistics ---------------------------------------------------------------------------------------- */

static bool do_step(Bench *b, char **w, guint n, GError **error)
{
    uint64_t cycles = 1;
    bool good = n < 2 || whole(w[1], &cycles, error);
    for (uint64_t i = 0; good && i < cycles; i++) {
        good = bench_step(b, error);
    }
    return good;
}

static bool do_random(Bench *b, char **w, guint n, GError **error)
{
    uint64_t cycles;
    return whole(w[1], &cycles, error) &&
           bench_traffic(b, (uint32_t)MIN(cycles, UINT32_MAX), error);
}

static bool do_asleep(Bench *b, char **w, guint n, GError **error)
{
    bool asleep = ww_harness_asleep(b->h);
    return asleep == (strcmp(w[0], "asleep") == 0) ||
           differs(b, error, "expected the component %s in cycle %" G_GUINT64_FORMAT ", it is %s",
                   w[0], ww_harness_now(b->h), asleep ? "asleep" : "awake");
}

static void drop(GQueue *queue)
{
    g_queue_clear_full(queue, g_free);
}

static bool do_reset(Bench *b, char **w, guint n, GError **error)
{
    ww_harness_reset(b->h);
    for (guint i = 0; i < b->ports->len; i++) {
        BenchPort *p = b->ports->pdata[i];
        drop(&p->arrived);
        g_queue_clear(&p->cycles);
        p->taken = 0;
        p->last = 0;
    }
    return true;
}

/* Entry of a statistic: "waited", "cause[3]", "cause[fetch]". */
static const WwStatRow *find_stat(const Bench *b, const char *word, uint32_t *entry, GError **error)
{
    g_autofree char *name = g_strndup(word, strcspn(word, "["));
    int row = ww_type_stat(b->type, name);
    const WwStatRow *s = row >= 0 ? &b->type->stats[row] : NULL;
    if (s == NULL) {
        ww_fail(error, WW_ERROR_INPUT,
                "%s has no statistic '%s'; expected one that 'warpwright inspect %s' lists",
                b->type->name, name, b->type->name);
        return NULL;
    }
    g_autofree char *index = g_strdup(word + strlen(name));
    *entry = 0;
    if (*index == '\0') {
        return s;
    }
    index[strlen(index) - 1] = '\0';
    for (uint32_t i = 0; i < s->n; i++) {
        g_autofree char *number = g_strdup_printf("%u", i);
        if (strcmp(number, index + 1) == 0 ||
            (s->labels != NULL && strcmp(s->labels[i], index + 1) == 0)) {
            *entry = i;
            return s;
        }
    }
    ww_fail(error, WW_ERROR_INPUT, "statistic '%s' has no entry '%s'; expected 0 to %u%s", name,
            index + 1, s->n - 1, s->labels != NULL ? " or a label" : "");
    return NULL;
}

static bool do_stat(Bench *b, char **w, guint n, GError **error)
{
    uint32_t i;
    uint64_t wanted;
    const WwStatRow *s = find_stat(b, w[1], &i, error);
    if (s == NULL || !whole(w[2], &wanted, error)) {
        return false;
    }
    uint64_t v = ww_harness_stat(b->h, s->name, i);
    return v == wanted ||
           differs(b, error, "%s: expected %" G_GUINT64_FORMAT " %s, got %" G_GUINT64_FORMAT, w[1],
                   wanted, s->unit, v);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

static const struct Line {
    const char *name;
    guint least, most; /* words, the name included */
    bool before;       /* does not start the component */
    bool (*carry_out)(Bench *b, char **words, guint n, GError **error);
    const char *usage;
} lines[] = {
    {"channel", 2, 20, true, do_channel, "channel PORT [PARAM=VALUE]..."},
    {"fill", 3, 20, true, do_fill, "fill PORT TYPE [PARAM=VALUE]..."},
    {"token", 3, 30, false, do_token, "token NAME PORT TOKEN"},
    {"put", 3, 30, false, do_put, "put PORT TOKEN [slot=N]"},
    {"step", 1, 2, false, do_step, "step [N]"},
    {"expect", 3, 5, false, do_expect, "expect PORT TOKEN [at CYCLE]"},
    {"hold", 2, 2, false, do_hold, "hold PORT"},
    {"open", 2, 2, false, do_hold, "open PORT"},
    {"stat", 3, 3, false, do_stat, "stat NAME VALUE"},
    {"asleep", 1, 1, false, do_asleep, "asleep"},
    {"awake", 1, 1, false, do_asleep, "awake"},
    {"random", 2, 2, false, do_random, "random N"},
    {"reset", 1, 1, false, do_reset, "reset"},
};

static bool do_line(Bench *b, char **words, guint n, GError **error)
{
    const char *names[G_N_ELEMENTS(lines)];
    for (size_t i = 0; i < G_N_ELEMENTS(lines); i++) {
        const struct Line *l = &lines[i];
        names[i] = l->name;
        if (strcmp(l->name, words[0]) != 0) {
            continue;
        }
        if (n < l->least || n > l->most) {
            return ww_fail(error, WW_ERROR_INPUT, "%u words; expected '%s'", n, l->usage);
        }
        return (l->before || bench_start(b, error)) && l->carry_out(b, words, n, error);
    }
    const char *near = ww_closest(words[0], names, G_N_ELEMENTS(names));
    return ww_fail(error, WW_ERROR_INPUT,
                   "unknown command '%s'%s%s%s; expected one that 'warpwright bench --help' lists",
                   words[0], near != NULL ? ", did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

static bool do_text(Bench *b, const char *line, GError **error)
{
    g_auto(GStrv) words = NULL;
    g_autoptr(GError) why = NULL;
    int n;
    if (!g_shell_parse_argv(line, &n, &words, &why)) {
        return g_error_matches(why, G_SHELL_ERROR, G_SHELL_ERROR_EMPTY_STRING) ||
               ww_fail(error, WW_ERROR_INPUT,
                       "cannot part the line into words; expected quotes in pairs");
    }
    return do_line(b, words, (guint)n, error);
}

bool bench_script(Bench *b, const char *file, GError **error)
{
    static const WwTextLimits limits = {
        .bytes = 16u << 20, .line = 10000, .expected = "a script ('warpwright bench --help')"};
    g_autofree char *text = NULL;
    size_t length;
    if (!ww_read_text(file, &limits, &text, &length, error)) {
        return false;
    }
    g_auto(GStrv) all = g_strsplit(text, "\n", -1);
    b->file = file;
    for (char **l = all; *l != NULL; l++) {
        b->line++;
        if (!do_text(b, g_strstrip(*l), error)) {
            g_prefix_error(error, "%s:%u: ", file, b->line);
            return false;
        }
    }
    return bench_start(b, error);
}
