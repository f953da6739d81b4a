/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Charts: what was counted in some hundred intervals since the beginning. When there are too many rows each two become one. A row costs settling the
 * machine, some tenths of a millisecond: while nobody looks, no more than half a percent of the time goes into rows. Finding what is counted costs as much as
 * some thousand cycles, so before somebody looks only a run that takes its time does it; its first row has all that was before.
 */
#include "live-priv.h"

#include <string.h>

#define MOST_ROWS 512u
#define FIRST_EVERY 128u
#define LOOKED_US 5000000   /* somebody looks who asked for something so recently */
#define ALONE_US 5000000    /* a run that nobody looks at takes rows after that, */
#define ALONE_TICKS 100000u /* and so many ticks */
#define SHARE_LOOKED 10     /* of time, for rows: one tenth, */
#define SHARE_ALONE 200     /* and while nobody looks */

static const struct {
    WwPickKind kind;
    const char *pattern;
} wanted[] = {
    {WW_PICK_SUM, "warp_pool.thread_insns"},
    {WW_PICK_SUM, "warp_pool.warp_insns"},
    {WW_PICK_SUM, "warp_scheduler.single_issue"},
    {WW_PICK_SUM, "warp_scheduler.dual_issue"},
    {WW_PICK_SUM, "warp_scheduler.cause.*"},
    {WW_PICK_SUM, "issue_stage.single_issue"},
    {WW_PICK_SUM, "issue_stage.cause.*"},
    {WW_PICK_SUM, "cta_slots.warp_cycles"},
    {WW_PICK_SUM, "cta_slots.slot_cycles"},
    {WW_PICK_SUM, "cache.l1.accesses"},
    {WW_PICK_SUM, "cache.l1.misses"},
    {WW_PICK_SUM, "cache.l1.pending_hits"},
    {WW_PICK_SUM, "cache.l1.outcomes.INST_ACC_R.HIT*"}, /* to be taken off: what is no data */
    {WW_PICK_SUM, "cache.l1.outcomes.INST_ACC_R.*MISS"},
    {WW_PICK_SUM, "cache.l1.outcomes.CONST_ACC_R.HIT*"},
    {WW_PICK_SUM, "cache.l1.outcomes.CONST_ACC_R.*MISS"},
    {WW_PICK_SUM, "cache.l2.accesses"},
    {WW_PICK_SUM, "cache.l2.misses"},
    {WW_PICK_SUM, "cache.l2.pending_hits"},
    {WW_PICK_SUM, "dram.frfcfs.column_commands"},
    {WW_PICK_EACH, "warp_pool.warp_insns"},
};

static uint64_t *row(const LiveSamples *s, guint i)
{
    return &g_array_index(s->rows, uint64_t, (gsize)i * (1 + s->n));
}

static guint n_rows(const LiveSamples *s)
{
    return s->rows->len / (1 + s->n);
}

void live_samples_init(CliLive *l)
{
    LiveSamples *s = &l->samples;
    s->rows = g_array_new(false, false, sizeof(uint64_t));
    s->every = FIRST_EVERY;
    s->from = ww_machine_cycle(l->machine);
    s->next = WW_NEVER;
}

/* What is counted, once it is wanted. */
static bool begin(CliLive *l)
{
    LiveSamples *s = &l->samples;
    if (s->picks != NULL) {
        return true;
    }
    if (l->asked == 0 && (g_get_monotonic_time() - l->begin < ALONE_US ||
                          ww_machine_tick(l->machine) < ALONE_TICKS)) {
        return false;
    }
    s->picks = ww_picks_new(l->machine);
    for (size_t i = 0; i < G_N_ELEMENTS(wanted); i++) {
        ww_picks_add(s->picks, wanted[i].kind, wanted[i].pattern, NULL); /* what there is */
    }
    ww_picks_close(s->picks);
    s->n = ww_picks_n(s->picks);
    s->now = g_new0(uint64_t, s->n + 1);
    s->before = g_new0(uint64_t, s->n + 1);
    if (s->from !=
        0) { /* it goes on from a checkpoint: what was counted before that is not known apart */
        s->from = ww_machine_cycle(l->machine);
        ww_machine_settle(l->machine);
        ww_picks_read(s->picks, s->before);
    }
    return true;
}

void live_samples_clear(CliLive *l)
{
    LiveSamples *s = &l->samples;
    ww_picks_free(s->picks);
    g_free(s->now);
    g_free(s->before);
    if (s->rows != NULL) {
        g_array_unref(s->rows);
    }
}

/* Each two rows become one. */
static void join_rows(LiveSamples *s)
{
    guint n = n_rows(s);
    for (guint i = 0; i < n / 2; i++) {
        uint64_t *to = row(s, i);
        const uint64_t *a = row(s, 2 * i), *b = row(s, 2 * i + 1);
        to[0] = b[0];
        for (uint32_t k = 1; k <= s->n; k++) {
            to[k] = a[k] + b[k];
        }
    }
    if (n % 2 != 0) {
        memmove(row(s, n / 2), row(s, n - 1), (1 + s->n) * sizeof(uint64_t));
    }
    g_array_set_size(s->rows, (n / 2 + n % 2) * (1 + s->n));
    s->every *= 2;
    s->generation++;
}

static WwCycle last_cycle(const LiveSamples *s)
{
    return n_rows(s) != 0 ? row(s, n_rows(s) - 1)[0] : s->from;
}

static bool looked(const CliLive *l)
{
    return l->asked != 0 && g_get_monotonic_time() - l->asked < LOOKED_US;
}

/* Where the next row is to end, if somebody looks: rows of one length make a better picture. */
static void plan(CliLive *l)
{
    LiveSamples *s = &l->samples;
    s->next = looked(l) && s->cost * SHARE_LOOKED < 50000
                  ? (ww_machine_cycle(l->machine) / s->every + 1) * s->every
                  : WW_NEVER;
}

void live_samples_take(CliLive *l)
{
    LiveSamples *s = &l->samples;
    WwCycle now = ww_machine_cycle(l->machine);
    if (!begin(l) || now <= last_cycle(s)) {
        return;
    }
    gint64 start = g_get_monotonic_time();
    if (n_rows(s) == MOST_ROWS) {
        join_rows(s);
    }
    ww_machine_settle(l->machine);
    ww_picks_read(s->picks, s->now);
    g_array_set_size(s->rows, s->rows->len + 1 + s->n);
    uint64_t *to = row(s, n_rows(s) - 1);
    to[0] = now;
    for (uint32_t k = 0; k < s->n; k++) {
        to[1 + k] = s->now[k] - s->before[k];
    }
    uint64_t *other = s->before;
    s->before = s->now;
    s->now = other;
    s->at = g_get_monotonic_time();
    s->cost = s->at - start + 1;
    plan(l);
}

void live_samples_look(CliLive *l)
{
    LiveSamples *s = &l->samples;
    WwCycle now = ww_machine_cycle(l->machine);
    if (!begin(l) || (now < last_cycle(s) + s->every && now < s->next)) {
        return;
    }
    gint64 since = g_get_monotonic_time() - MAX(s->at, l->begin);
    if (since >= s->cost * (looked(l) ? SHARE_LOOKED : SHARE_ALONE)) {
        live_samples_take(l);
    } else if (now >= s->next) {
        plan(l);
    }
}

/* ---- the answer -------------------------------------------------------------------------------------------------- */

static json_t *names_json(const LiveSamples *s)
{
    uint32_t n;
    json_t *out = json_array();
    const WwPick *picks = ww_picks_list(s->picks, &n);
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t k = 0; k < picks[i].n; k++) {
            g_autofree char *name = ww_pick_name(&picks[i], k);
            json_array_append_new(out, cli_json_text(name));
        }
    }
    return out;
}

void live_get_samples(CliLive *l, const WwRequest *request, WwReply *r)
{
    LiveSamples *s = &l->samples;
    uint64_t since = 0, generation = 0;
    if (!live_number(request, "since", G_MAXINT64, &since, r) ||
        !live_number(request, "generation", G_MAXINT64, &generation, r)) {
        return;
    }
    begin(l);
    if (n_rows(s) == 0) {
        live_samples_take(l);
    }
    bool all = live_word(request, "since") == NULL || live_word(request, "generation") == NULL ||
               generation != s->generation;
    json_t *o = json_object(), *rows = json_array();
    json_object_set_new(o, "generation", json_integer((json_int_t)s->generation));
    json_object_set_new(o, "from", json_integer((json_int_t)s->from));
    json_object_set_new(o, "all", json_boolean(all));
    if (all) {
        json_object_set_new(o, "statistics", names_json(s));
    }
    for (guint i = 0; i < n_rows(s); i++) {
        const uint64_t *from = row(s, i);
        if (all || from[0] > since) {
            json_t *values = json_array();
            for (uint32_t k = 0; k <= s->n; k++) {
                json_array_append_new(values, json_integer((json_int_t)from[k]));
            }
            json_array_append_new(rows, values);
        }
    }
    json_object_set_new(o, "rows", rows);
    live_reply(r, o);
}
