/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which partitions can run alone in windows, and in which order: a partition comes after those that write into its channels.
 *
 * That needs channels between partitions that keep the times of their tokens (WwType.span), no calls from one into the other but what is
 * pure or a sum, and a serial partition whose turns, when a partition has posted something, touch that one only (WW_TYPE_STOPS). A machine
 * that is otherwise runs tick by tick; nothing is refused.
 */
#include "machine-priv.h"
#include <stdarg.h>
#include <string.h>

typedef struct Plan {
    WwMachine *m;
    bool *after;     /* [n_all][n_all]: the first runs after the second */
    GArray *watches; /* Watch; while turns are found */
    GArray *spans;   /* Span */
    GArray *ends;    /* uint32_t: bindings to channels that have an end in another partition */
    uint32_t places; /* given to members of blocks in which partitions meet */
} Plan;

G_GNUC_PRINTF(2, 3) static bool cannot(WwMachine *m, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_free(m->lockstep);
    m->lockstep = g_strdup_vprintf(format, ap);
    va_end(ap);
    return false;
}

static bool *after(const Plan *p, uint32_t later, uint32_t earlier)
{
    return &p->after[later * p->m->n_all + earlier];
}

/* ---- wakes that leave a partition -------------------------------------------------------------------------------- */

WwWake ww_post(WwMachine *m, WwPartition *from, WwEntry *e)
{
    Post *post = ww_machine_alloc(m, sizeof *post);
    post->from = from;
    post->entry = e;
    post->block = (WwBlock){.due = &post->due,
                            .parent = e->wake.block,
                            .up_word = e->wake.word,
                            .up_bit = e->wake.bit,
                            .post = true};
    from->may_post = true;
    return (WwWake){&post->due, 1, &post->block};
}

/* ---- turns ------------------------------------------------------------------------------------------------------- */

/* The elements of an array, for as long as the machine lives. */
static void *keep(WwMachine *m, const GArray *from, size_t size)
{
    void *to = ww_machine_alloc(m, (from->len + 1) * size);
    if (from->len != 0) {
        memcpy(to, from->data, from->len * size);
    }
    return to;
}

/* All in the block counts the time of @p p. */
static void give_time(Block *b, WwPartition *p)
{
    b->domain = p->moment.domain[b->domain->index];
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->member[i].tick == NULL) {
            give_time(b->member[i].part, p);
        }
    }
}

static void watch(const Plan *plan, WwPartition *p, const uint64_t *due, uint32_t bit)
{
    Watch *last = plan->watches->len != 0
                      ? &g_array_index(plan->watches, Watch, plan->watches->len - 1)
                      : NULL;
    if (last == NULL || last->due != due) {
        g_array_set_size(plan->watches, plan->watches->len + 1);
        last = &g_array_index(plan->watches, Watch, plan->watches->len - 1);
        *last = (Watch){.due = due};
    }
    last->of[bit] = p;
}

static void add_turn(const Plan *plan, WwPartition *p, Block *b, uint32_t member)
{
    Share *s = b->share[member];
    watch(plan, p, &b->pub.due[member / 64], member % 64);
    p->share[p->n_shares++] = s;
    for (uint32_t i = 0; i < (uint32_t)__builtin_popcountll(s->mask); i++) {
        p->turn[s->number + i] = (Turn){.member = &b->member[member],
                                        .inner = s->inner,
                                        .settles = b->settles[member / 64] >> (member % 64) & 1u,
                                        .cycle = &p->moment.domain[b->domain->index]->cycle,
                                        .share = s,
                                        .phase = (int32_t)b->phase,
                                        .domain = b->domain->index};
    }
}

/* The members of a block in which several partitions meet. */
static bool share_out(Plan *plan, Block *b)
{
    b->place = ww_machine_alloc(plan->m, b->n * sizeof *b->place);
    bool plain = b->repeat == 1 && b->round_size == 0 && !b->has_gate;
    for (uint32_t i = 0; i < b->n; i++) {
        Member *k = &b->member[i];
        WwPartition *p = k->tick != NULL ? k->entry->partition : ww_owner_of(k->part);
        b->place[i] = plan->places++;
        if (p != NULL) {
            if (k->tick == NULL) {
                give_time(k->part, p);
            }
            add_turn(plan, p, b, i);
        } else if (!share_out(plan, k->part)) {
            return false;
        }
    }
    if (!plain) {
        g_autofree char *path = ww_group_path(b->group);
        return cannot(plan->m, "%s has members of several partitions and takes them in turns",
                      path);
    }
    return true;
}

/* Which turns of a run have an edge in a tick of lanes: fills @p open, by lanes. */
static void find_open(const WwMachine *m, const Run *r, uint64_t *open)
{
    for (uint32_t i = 0; i < r->n; i++) { /* of one lane alone */
        open[1u << m->clock.lane_of[r->turn[i].domain]] |= 1ull << i;
    }
    for (uint32_t lanes = 1; lanes < 1u << m->clock.n_lanes; lanes++) {
        open[lanes] |= open[lanes & (lanes - 1)] | open[lanes & -lanes];
    }
}

/* That of turn @p i, for all domains that fire together with the turn's. Turns come in their order, so that a word is in no chain, or the last. */
static Calendar *calendar_of(WwMachine *m, WwPartition *p, uint32_t i)
{
    const uint32_t d = p->turn[i].domain, mask = m->clock.lane[m->clock.lane_of[d]].mask;
    Calendar **to = &p->calendar[d];
    while (*to != NULL && (*to)->word != i / 64) {
        to = &(*to)->next;
    }
    if (*to == NULL) {
        Calendar *c = *to = ww_machine_alloc(m, sizeof *c);
        c->due = p->turn[i].share->word;
        c->word = i / 64;
        for (uint32_t k = 0; c == p->calendar[d] && k < m->n_domains; k++) {
            p->calendar[k] = mask >> k & 1u ? c : p->calendar[k];
        }
    }
    return *to;
}

/* Entry points have a place in a calendar, by their turn; the serial partition's own events limit windows, and are looked for in its wheels. */
static void make_calendars(WwMachine *m, WwPartition *p, Calendar *empty)
{
    const Turn *of = NULL; /* whose calendar `c` is */
    Calendar *c = p->days = empty;
    for (uint32_t i = 0; p->index != 0 && i < p->n_turns; i++) {
        const Turn *t = &p->turn[i];
        WwEntry *e = t->inner != NULL   ? t->inner->first[i % 64].entry
                     : t->share != NULL ? t->share->entry
                                        : NULL; /* nobody's bit */
        if (e == NULL) {
            continue;
        }
        if (of == NULL || of->domain != t->domain || c->word != i / 64) {
            c = calendar_of(m, p, i);
            p->days = p->calendar[t->domain];
            of = t;
        }
        e->calendar = c;
    }
}

static void make_runs(WwMachine *m, WwPartition *p)
{
    uint32_t n_lanes = 1u << m->clock.n_lanes;
    p->n_runs = (p->n_turns + 63) / 64;
    p->run = ww_machine_alloc(m, (p->n_runs + 1) * sizeof(Run));
    if (p->n_runs == 0) {
        p->run[0] = (Run){.due = &p->word.due,
                          .live = &p->word.live,
                          .open = ww_machine_alloc(m, n_lanes * sizeof(uint64_t))};
    }
    for (uint32_t i = 0; i < p->n_runs; i++) {
        Run *r = &p->run[i];
        uint64_t *open = ww_machine_alloc(m, n_lanes * sizeof(uint64_t));
        *r = (Run){.due = p->turn[i * 64].share->word,
                   .live = p->turn[i * 64].share->live,
                   .open = open,
                   .turn = &p->turn[i * 64],
                   .n = MIN(p->n_turns - i * 64, 64)};
        find_open(m, r, open);
    }
}

static bool find_turns(Plan *plan)
{
    WwMachine *m = plan->m;
    g_autoptr(GArray) watches = g_array_new(false, false, sizeof(Watch));
    plan->watches = watches;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        if (p->turn == NULL && p->n_turns != 0) {
            p->turn = ww_machine_alloc(m, p->n_turns * sizeof(Turn));
            p->share = ww_machine_alloc(m, p->n_shares * sizeof(Share *));
        }
        p->n_shares = 0;
    }
    for (uint32_t f = 0; f < m->n_phases; f++) {
        if (m->phase[f].root != NULL && !share_out(plan, m->phase[f].root)) {
            return false;
        }
    }
    m->n_watches = watches->len;
    m->watch = keep(m, watches, sizeof(Watch));
    return true;
}

/* ---- what stands between partitions -------------------------------------------------------------------------------- */

/* Who reads and writes a channel. */
typedef struct Ends {
    const WwEntry *reader, *writer;
    uint32_t n_ports; /* of writers that have turns */
    int32_t span;     /* -1: it stands between no two partitions */
    bool several;     /* writers, or readers, of several partitions */
} Ends;

/* Has the binding a turn, and leads to a channel? */
static bool moves(const Binding *b)
{
    return b->peer_row < 0 && b->turn != NULL && b->peer != NULL;
}

static bool join_channel(const Plan *plan, WwComponent *c, Ends *e)
{
    WwMachine *m = plan->m;
    if (e->reader == NULL || e->writer == NULL || e->reader->partition == e->writer->partition) {
        return true;
    }
    if (e->several || e->reader->partition->index == 0 || e->writer->partition->index == 0) {
        g_autofree char *path = ww_path(c);
        return cannot(m, "%s leads to or from the serial partition, or several", path);
    }
    if (c->type->span == NULL || !c->type->span(c, &m->touched[plan->spans->len])) {
        g_autofree char *path = ww_path(c);
        return cannot(m, "%s does not keep the times of its tokens", path);
    }
    *after(plan, e->reader->partition->index, e->writer->partition->index) = true;
    Span s = {.channel = c,
              .domain = e->writer->domain,
              .early = e->writer->phase < e->reader->phase,
              .writer = e->writer->partition,
              .reader = e->reader->partition};
    if (c->type->lag != NULL) { /* its reader says when the writers have room again */
        ww_use_time(s.reader, s.domain->index);
    }
    s.port = ww_machine_alloc(m, e->n_ports * sizeof(WwPort *));
    e->span = (int32_t)plan->spans->len;
    g_array_append_val(plan->spans, s);
    return true;
}

/* Channels with an end in the turn of another partition: by id their number, from 1 on; 0: others. */
static uint32_t number_channels(const WwMachine *m, uint32_t *number)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        if (b->away && moves(b) && number[b->to] == 0) {
            number[b->to] = ++n;
        }
    }
    return n;
}

static const Binding *end_of(const Plan *plan, guint i)
{
    return &plan->m->bindings.v[g_array_index(plan->ends, uint32_t, i)];
}

static void find_ends(const Plan *plan, const uint32_t *number, Ends *ends)
{
    const WwMachine *m = plan->m;
    for (uint32_t i = 0; i < m->meeting.n; i++) {
        const Binding *b = &m->bindings.v[m->meeting.v[i]];
        if (b->away || number[b->to] != 0) {
            g_array_append_val(plan->ends, m->meeting.v[i]);
        }
    }
    for (guint i = 0; i < plan->ends->len; i++) {
        const Binding *b = end_of(plan, i);
        if (!moves(b) || number[b->to] == 0) {
            continue;
        }
        Ends *e = &ends[number[b->to]];
        bool out = b->port->role == WW_OUT;
        const WwEntry **at = out ? &e->writer : &e->reader;
        e->n_ports += out;
        e->several |= *at != NULL && (*at)->partition != b->turn->partition;
        *at = b->turn;
    }
}

/* The ports of their writers. */
static void fill_spans(const Plan *plan, const uint32_t *number, const Ends *ends)
{
    for (guint i = 0; plan->spans->len != 0 && i < plan->ends->len; i++) {
        const Binding *b = end_of(plan, i);
        if (!moves(b) || number[b->to] == 0) {
            continue;
        }
        const Ends *e = &ends[number[b->to]];
        if (b->port->role == WW_OUT && e->span >= 0) {
            Span *s = &g_array_index(plan->spans, Span, (guint)e->span);
            s->port[s->n_ports++] = (WwPort *)((char *)b->component + b->port->offset) + b->nth;
        }
    }
}

static bool join_channels(const Plan *plan)
{
    WwMachine *m = plan->m;
    g_autofree uint32_t *number = g_new0(uint32_t, m->info.n + 1);
    uint32_t channels = number_channels(m, number);
    g_autofree Ends *ends = g_new0(Ends, (gsize)channels + 1);
    m->touched = ww_machine_alloc(m, channels + sizeof(uint64_t));
    for (uint32_t i = 1; i <= channels; i++) {
        ends[i].span = -1;
    }
    find_ends(plan, number, ends);
    for (uint32_t i = 0; i < m->info.n; i++) {
        if (number[i] != 0 && !join_channel(plan, ww_info(m, i)->component, &ends[number[i]])) {
            return false;
        }
    }
    fill_spans(plan, number, ends);
    return true;
}

/* A port that is used in calls of one rank only: are all who call with it of the serial partition? */
static bool called_serially(const Binding *b)
{
    const WwComponent *c = b->component;
    const char *rank = b->port->in_calls;
    const WwPortRow *r;
    bool any = false;
    for (WW_ROWS(c->type->ports, r)) {
        const WwProvided *p = (const WwProvided *)((const char *)c + r->offset);
        for (uint32_t i = 0; rank != NULL && r->role == WW_PROVIDES && i < p->n; i++) {
            int32_t k = p->client[i].rank;
            if (k >= 0 && strcmp(r->contract->ranks[k], rank) == 0) {
                any = true;
                if (p->client[i].who->partition != 0) {
                    return false;
                }
            }
        }
    }
    return any;
}

static bool check_calls(const Plan *plan)
{
    WwMachine *m = plan->m;
    for (uint32_t i = 0; i < m->apart.n; i++) {
        const Binding *b = &m->bindings.v[m->apart.v[i]];
        if (!b->away || b->peer_row < 0) {
            continue;
        }
        const WwContract *contract = b->port->contract;
        if (ww_user_of(b)->index == 0 ||
            (contract->sharing != WW_EXCLUSIVE && !b->peer->exclusive) || called_serially(b)) {
            continue; /* the serial one's turns are looked at by themselves */
        }
        g_autofree char *caller = ww_component_text(b->component);
        g_autofree char *called = ww_component_text(b->peer);
        return cannot(m, "%s calls %s, which is of another partition", caller, called);
    }
    return true;
}

/* Own turns before those of named partitions, to which they tell how far they are. */
static bool check_entries(const Plan *plan)
{
    WwMachine *m = plan->m;
    for (uint32_t i = 0; i < m->info.n; i++) {
        const TypeInfo *t = ww_info(m, i)->type;
        if (t->n_entries == 0) {
            continue;
        }
        const WwComponent *c = ww_info(m, i)->component;
        uint32_t n = t->own_turns && c->partition != 0 ? 0 : t->n_entries;
        for (uint32_t k = 0; k < n; k++) {
            const WwEntry *e = ww_turn_of(&c->entries[k]);
            if (e == NULL) {
                continue;
            }
            if (e->partition->index == 0 && !(c->type->flags & WW_TYPE_STOPS)) {
                g_autofree char *text = ww_component_text(c);
                return cannot(m, "%s may look at any partition in any tick", text);
            }
            if (e->partition->index != c->partition && c->partition != 0) {
                *after(plan, e->partition->index, c->partition) = true;
                m->partition[c->partition].tells = true;
            }
        }
    }
    return true;
}

/* In a tick the serial partition comes after those that post to it. */
static bool check_posts(const Plan *plan)
{
    WwMachine *m = plan->m;
    const WwPartition *serial = &m->partition[0];
    for (uint32_t i = 1; i < m->n_all; i++) {
        const WwPartition *p = &m->partition[i];
        if (p->may_post && p->n_turns != 0 && serial->n_turns != 0 &&
            p->turn[p->n_turns - 1].phase >= serial->turn[0].phase) {
            return cannot(m, "the serial partition has turns before the last of others");
        }
    }
    return true;
}

/* ---- stages ------------------------------------------------------------------------------------------------------- */

/* The first one from @p k on that partition comes after; @p n: none. */
static uint32_t next_after(const bool *row, uint32_t k, uint32_t n)
{
    const bool *at = k < n ? memchr(row + k, true, n - k) : NULL;
    return at != NULL ? (uint32_t)(at - row) : n;
}

/* The stage of each partition: behind all that it comes after. */
static bool number_stages(const Plan *plan)
{
    WwMachine *m = plan->m;
    bool more = true;
    for (uint32_t round = 0; more; round++) {
        if (round > m->n_all) {
            return cannot(m, "the channels between partitions form a ring");
        }
        more = false;
        for (uint32_t i = 1; i < m->n_all; i++) {
            const bool *row = after(plan, i, 0);
            for (uint32_t k = next_after(row, 1, m->n_all); k < m->n_all;
                 k = next_after(row, k + 1, m->n_all)) {
                if (m->partition[i].stage <= m->partition[k].stage) {
                    m->partition[i].stage = m->partition[k].stage + 1;
                    more = true;
                }
            }
        }
    }
    return true;
}

static bool make_stages(const Plan *plan)
{
    WwMachine *m = plan->m;
    if (!number_stages(plan)) {
        return false;
    }
    for (uint32_t i = 1; i < m->n_all; i++) {
        m->n_stages = MAX(m->n_stages, m->partition[i].stage + 1);
    }
    m->stage = ww_machine_alloc(m, m->n_stages * sizeof *m->stage);
    m->ranked = ww_machine_alloc(m, m->n_all * sizeof(WwPartition *));
    m->job = ww_machine_alloc(m, m->n_all * sizeof(WwPartition *));
    uint32_t posting = 0, rank = 0;
    for (uint32_t s = 0; s < m->n_stages; s++) {
        Stage *stage = &m->stage[s];
        stage->from = rank;
        for (uint32_t i = 1; i < m->n_all; i++) {
            WwPartition *p = &m->partition[i];
            if (p->stage == s && p->n_turns != 0) {
                m->ranked[rank++] = p;
                stage->serial |= p->may_post;
            }
        }
        stage->end = rank;
        posting += stage->serial;
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        if (i == 0 || m->partition[i].n_turns == 0) {
            m->ranked[rank++] = &m->partition[i];
        }
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        m->ranked[i]->rank = i;
    }
    m->window.in = ww_machine_alloc(m, (m->n_all + 63) / 64 * sizeof(uint64_t));
    return posting <= 1 || cannot(m, "partitions of several stages post to the serial one");
}

/* Stages that share more with later ones than channels whose writers may go on meanwhile. */
static void find_whole(WwMachine *m)
{
    for (uint32_t i = 0; i < m->n_all; i++) {
        const WwPartition *p = &m->partition[i];
        m->whole = MAX(m->whole, p->tells && p->n_turns != 0 ? p->stage + 1 : 0);
    }
    for (uint32_t i = 0; i < m->n_spans; i++) {
        Span *s = &m->span[i];
        s->stage = s->domain->partition->stage;
        m->whole = MAX(m->whole, s->channel->type->outbox == NULL ? s->stage + 1 : 0);
    }
    m->whole = MIN(m->whole, m->n_stages);
}

/* ---- the whole ---------------------------------------------------------------------------------------------------- */

/*
 * Which times do turns of a partition ask for? Those of their components, of their channels, and what else a type says. A channel without an end in
 * another partition has its own one's time.
 */
static void find_times(const Plan *plan)
{
    WwMachine *m = plan->m;
    for (uint32_t i = 0; i < m->n_all; i++) {
        WwPartition *p = &m->partition[i];
        for (uint32_t k = 0; k < p->n_shares; k++) {
            ww_use_time(p, p->turn[p->share[k]->number].domain);
        }
    }
    const WwDomain *last = NULL; /* neighbours have the same */
    for (uint32_t i = 0; i < m->info.n; i++) {
        const WwComponent *c = ww_info(m, i)->component;
        const WwClockRow *clock;
        if (c->domain != last) {
            last = c->domain;
            ww_use_time(last->partition, last->index);
        }
        for (WW_ROWS(c->type->clocks, clock)) {
            const WwDomain *d = *(WwDomain *const *)((const char *)c + clock->offset);
            ww_use_time(d->partition, d->index);
        }
    }
    for (guint i = 0; i < plan->ends->len; i++) {
        const Binding *b = end_of(plan, i);
        ww_use_time(ww_user_of(b), b->peer->domain->index);
    }
    for (uint32_t i = 0; i < m->n_all; i++) {
        if (m->partition[i].n_times == 0) {
            ww_use_time(&m->partition[i], 0);
        }
    }
}

static void find_ahead(WwMachine *m)
{
    g_autoptr(GArray) ahead = g_array_new(false, false, sizeof(WwComponent *));
    for (uint32_t i = 0; i < m->info.n; i++) {
        if (ww_info(m, i)->type->type->ahead != NULL) {
            g_array_append_val(ahead, ww_info(m, i)->component);
        }
    }
    m->n_ahead = ahead->len;
    m->ahead = keep(m, ahead, sizeof(WwComponent *));
}

static bool plan_windows(WwMachine *m, bool ready)
{
    if (m->n_all == 1) {
        return cannot(m, "there is one partition");
    }
    Plan plan = {.m = m};
    plan.spans = g_array_new(false, false, sizeof(Span));
    plan.ends = g_array_new(false, false, sizeof(uint32_t));
    plan.after = g_new0(bool, (gsize)m->n_all * m->n_all);
    /* calls have been looked at before, unless a component has said more since */
    bool can = (ready || find_turns(&plan)) && check_entries(&plan) &&
               ((ready && !m->exclusive) || check_calls(&plan)) && check_posts(&plan);
    if (ready && can && join_channels(&plan) && make_stages(&plan)) {
        m->windows = true;
        m->n_spans = plan.spans->len;
        m->span = keep(m, plan.spans, sizeof(Span));
        m->lag = ww_machine_alloc(m, (m->n_spans + 1) * sizeof(Span *));
        find_whole(m);
        find_ahead(m);
        find_times(&plan);
        Calendar *empty = ww_machine_alloc(m, sizeof *empty);
        for (uint32_t i = 0; i < m->n_all; i++) {
            make_calendars(m, &m->partition[i], empty);
            make_runs(m, &m->partition[i]);
        }
        for (uint32_t d = 0; d < m->n_domains; d++) {
            m->window.time[d] = m->window.at.cycle[m->clock.lane_of[d]];
        }
        for (uint32_t lanes = 0; lanes < 1u << m->clock.n_lanes; lanes++) {
            m->window.domains[lanes] = (uint8_t)ww_clock_domains(&m->clock, lanes);
        }
    }
    g_array_unref(plan.ends);
    g_array_unref(plan.spans);
    g_free(plan.after);
    return can;
}

bool ww_may_have_windows(WwMachine *m)
{
    return plan_windows(m, false);
}

void ww_plan_windows(WwMachine *m)
{
    plan_windows(m, true);
}
