/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The stages of a window: one after the other, or, with several threads, side by side in pieces of the window:
 *
 *   piece         0   1   2   3
 *   replies      [0] [1] [2] [3]                each bracket: a step; in one step all partitions in a column of the picture are run,
 *   SMs              [0] [1] [2] [3]            by whichever thread is free
 *   requests             [0] [1] [2] [3]
 *
 * A stage needs what those before it did in the same piece, no more. What is put into a channel between two of them stands in an outbox
 * (WwType.outbox) until the step is over, so nobody sees what another one of its step does. Results are the same as one after the other.
 */
#include "crew-priv.h"
#include "profile-priv.h"
#include "stages-priv.h"
#include <string.h>

/* As many as there are threads: each time that they go along the window costs them what the others' caches have by now. */
enum { PIECES = 4 /* at most */, PIECE = 16 /* ticks, at least */ };
/* Where nothing better is known: so many partitions with turns that are due have one every so many ticks. */
enum { PARTITIONS = 8, SPARSE = 4 };

void ww_take_mail(WwMachine *m, const Stage *stage)
{
    WwPartition *p;
    for (uint32_t at = stage->from; (p = ww_next_in(m, &at, stage->end)) != NULL;) {
        for (uint32_t i = 0; i < p->mail.n; i++) {
            ww_wake_entry_at(p->mail.v[i].entry, p->mail.v[i].cycle);
        }
        p->mail.n = 0;
    }
}

/* Partitions of the stage that take part, behind the @p n of m->job: up to tick @p until. How many there are then. */
static uint32_t add_jobs(WwMachine *m, const Stage *stage, uint32_t n, uint32_t until)
{
    WwPartition *p;
    for (uint32_t at = stage->from; (p = ww_next_in(m, &at, stage->end)) != NULL;) {
        p->until = until;
        m->job[n++] = p;
    }
    return n;
}

/*
 * Ticks ran one by one since the last window, or there was none: what that one had says little, so those whose turns are due now count. Few of them
 * may do nothing but wait.
 */
static void expect_turns(const WwMachine *m)
{
    uint64_t due = 0;
    if (m->tick == m->host->after) {
        return;
    }
    ww_join_due(m);
    for (uint32_t i = 0; i < (m->n_all + 63) / 64; i++) {
        due += (uint64_t)__builtin_popcountll(m->window.in[i]);
    }
    if (due >= PARTITIONS) {
        m->host->before = MAX(m->host->before, due * m->window.at.n / SPARSE);
    }
}

void ww_run_jobs(WwMachine *m, uint32_t n)
{
    if (n > 1 && m->host->several) {
        ww_crew_run(m->host->crew, m->job, n);
    } else {
        for (uint32_t i = 0; i < n; i++) {
            ww_run_partition(m->job[i]);
        }
    }
}

static void run_stage(WwMachine *m, const Stage *stage)
{
    ww_join_due(m);
    ww_run_jobs(m, add_jobs(m, stage, 0, m->window.at.n));
    if (stage->serial) {
        ww_serve_all(m, stage, m->window.at.n);
    }
    ww_take_mail(m, stage);
}

/* ---- side by side ------------------------------------------------------------------------------------------------ */

/* Writers put into outboxes, or into the channels again. */
static void use_outboxes(WwMachine *m, bool on)
{
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        if (s->stage < m->whole) {
            continue;
        }
        void *to = on ? s->channel->type->outbox(s->channel) : s->channel;
        for (uint32_t k = 0; k < s->n_ports; k++) {
            s->port[k]->peer = to;
        }
    }
}

/* Of the channels that something was put into; most have nothing, and are not looked at. */
static void hand_over(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_spans; i += sizeof(uint64_t)) {
        uint64_t touched;
        memcpy(&touched, &m->touched[i], sizeof touched);
        for (uint32_t k = i; touched != 0 && k < MIN(i + sizeof touched, m->n_spans); k++) {
            if (m->touched[k] != 0 && m->span[k].stage >= m->whole) {
                m->span[k].channel->type->hand_over(m->span[k].channel);
            }
        }
    }
}

/* The piece that the stage runs in a step, if it runs one. */
static bool piece_of(const WwMachine *m, uint32_t stage, uint32_t step, uint32_t pieces,
                     uint32_t *until)
{
    uint32_t behind = stage - m->whole;
    if (step < behind || step - behind >= pieces) {
        return false;
    }
    *until = m->window.at.n * (step - behind + 1) / pieces;
    return true;
}

static void run_step(WwMachine *m, uint32_t step, uint32_t pieces)
{
    uint32_t n = 0, until;
    ww_join_due(m);
    for (int alone = 1; alone >= 0; alone--) { /* first what nobody can share */
        for (uint32_t s = m->whole; s < m->n_stages; s++) {
            const Stage *stage = &m->stage[s];
            if ((stage->end - stage->from == 1) == (alone != 0) &&
                piece_of(m, s, step, pieces, &until)) {
                n = add_jobs(m, stage, n, until);
            }
        }
    }
    ww_run_jobs(m, n);
    for (uint32_t s = m->whole; s < m->n_stages; s++) {
        if (m->stage[s].serial && piece_of(m, s, step, pieces, &until)) {
            ww_serve_all(m, &m->stage[s], until);
        }
    }
    hand_over(m);
    for (uint32_t s = m->whole; s < m->n_stages; s++) {
        ww_take_mail(m, &m->stage[s]);
    }
}

static void run_side_by_side(WwMachine *m)
{
    uint32_t pieces = CLAMP(m->window.at.n / PIECE, 1, MIN(PIECES, m->threads));
    use_outboxes(m, true);
    for (uint32_t step = 0; step < pieces + m->n_stages - m->whole - 1; step++) {
        run_step(m, step, pieces);
    }
    use_outboxes(m, false);
}

static void count_turns(WwMachine *m)
{
    uint64_t turns = 0;
    for (uint32_t i = 0; i < m->n_all; i++) {
        turns += m->partition[i].ran + m->partition[i].rounds;
    }
    m->host->before = turns - m->host->turns;
    m->host->turns = turns;
    m->host->after = m->tick + m->window.at.n;
}

/* Who runs the window. Returns when it began, if that depends on how long windows take. Like the last one, if that was small, it is sooner run by one thread. */
static uint64_t choose_threads(WwMachine *m)
{
    Host *h = m->host;
    uint64_t begun = 0;
    expect_turns(m);
    h->several = h->before >= h->enough;
    if (h->several && h->when_it_pays) {
        begun = ww_pace_begin(&h->pace, &h->several);
    }
    if (h->several && h->crew == NULL) {
        h->crew = ww_crew_new(m, m->threads - 1);
    }
    return begun;
}

void ww_run_stages(WwMachine *m)
{
    uint64_t begun = m->threads > 1 ? choose_threads(m) : 0;
    bool side_by_side = m->host->several && m->n_stages - m->whole > 1 &&
                        m->host->profile == NULL && m->window.tight == 0;
    for (uint32_t s = 0; s < (side_by_side ? m->whole : m->n_stages); s++) {
        if (m->window.tight >> s & 1u) {
            ww_run_tight(m, s);
            ww_profile_stage(m, s++);
        } else {
            run_stage(m, &m->stage[s]);
        }
        ww_profile_stage(m, s);
    }
    if (side_by_side) {
        run_side_by_side(m);
    }
    if (m->threads > 1) {
        count_turns(m);
        if (begun != 0) {
            ww_pace_end(&m->host->pace, begun, m->host->before);
        }
    }
}
