/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions: which there are, whose an entry point is, and their time. */
#include "machine-priv.h"
#include <string.h>

/* Partitions that entry points name, behind those of groups, in the order of their first component. */
static GPtrArray *named_partitions(const WwMachine *m)
{
    GPtrArray *names = g_ptr_array_new();
    for (uint32_t i = 0; i < m->first.n; i++) {
        const WwEntryRow *row;
        for (WW_ROWS(ww_machine_first(m, i)->type->entries, row)) {
            if (row->partition != NULL &&
                !g_ptr_array_find_with_equal_func(names, row->partition, g_str_equal, NULL)) {
                g_ptr_array_add(names, (gpointer)row->partition);
            }
        }
    }
    return names;
}

static void make(WwMachine *m, uint32_t index, const char *name)
{
    WwPartition *p = &m->partition[index];
    p->machine = m;
    p->index = index;
    p->name = name;
    p->moment.now.phase = WW_NOT_IN_TICK;
    p->moment.outside = &m->now;
    for (uint32_t d = 0; d < m->n_domains; d++) {
        p->moment.domain[d] = index == 0 ? m->domain[d] : &m->times[index * m->n_domains + d];
        *p->moment.domain[d] = *m->domain[d];
        p->moment.domain[d]->partition = p;
        p->alarm[d].cycle = WW_NEVER;
    }
}

void ww_make_partitions(WwMachine *m)
{
    g_autoptr(GPtrArray) names = m->n_partitions > 1 ? named_partitions(m) : g_ptr_array_new();
    m->n_all = m->n_partitions + names->len;
    m->partition = ww_machine_alloc(m, m->n_all * sizeof *m->partition);
    m->times = ww_machine_alloc(m, m->n_all * m->n_domains * sizeof *m->times);
    for (uint32_t i = 0; i < m->n_all; i++) {
        make(m, i, i < m->n_partitions ? NULL : names->pdata[i - m->n_partitions]);
    }
}

WwPartition *ww_partition_of(const WwComponent *c, const WwEntryRow *row)
{
    const WwMachine *m = c->machine;
    for (uint32_t i = m->n_partitions; row->partition != NULL && i < m->n_all; i++) {
        if (strcmp(m->partition[i].name, row->partition) == 0) {
            return &m->partition[i];
        }
    }
    return &m->partition[c->partition];
}

static void share_with(WwMachine *m, Block *b)
{
    b->domain = m->domain[b->domain->index];
    for (uint32_t i = 0; i < b->n; i++) {
        if (b->member[i].tick == NULL) {
            share_with(m, b->member[i].part);
        }
    }
}

void ww_share_time(WwMachine *m)
{
    m->one_time = true;
    for (uint32_t i = 0; i < m->n_all; i++) {
        for (uint32_t d = 0; d < m->n_domains; d++) {
            m->partition[i].moment.domain[d] = m->domain[d];
            m->partition[i].wheel[d] = &m->wheel[d];
        }
    }
    for (uint32_t i = 0; i < m->info.n; i++) {
        WwComponent *c = ww_info(m, i)->component;
        c->domain = m->domain[c->domain->index];
        for (uint32_t k = 0; k < ww_info(m, i)->type->n_entries; k++) {
            if (c->entries[k].domain != NULL) {
                c->entries[k].domain = m->domain[c->entries[k].domain->index];
            }
        }
        const WwClockRow *clock;
        for (WW_ROWS(c->type->clocks, clock)) {
            WwDomain **at = (WwDomain **)((char *)c + clock->offset);
            *at = m->domain[(*at)->index];
        }
    }
    for (uint32_t i = 0; i < m->n_phases; i++) {
        if (m->phase[i].root != NULL) {
            share_with(m, m->phase[i].root);
        }
    }
}

void ww_use_time(WwPartition *p, uint32_t d)
{
    const WwMachine *m = p->machine;
    if (p->times >> d & 1u) {
        return;
    }
    p->times |= 1u << d;
    p->time[p->n_times++] =
        (Time){.from = m->window.at.cycle[m->clock.lane_of[d]], .to = &p->moment.domain[d]->cycle};
    uint32_t lane = m->clock.lane_of[0]; /* progress is said in cycles of domain 0 */
    p->lane = (p->times & ~m->clock.lane[lane].mask) == 0 ? lane : NO_LANE;
}

static inline __attribute__((always_inline)) void spread(const WwMachine *m, uint32_t n)
{
    WwDomain *to = &m->times[n], *end = &m->times[m->n_all * n];
    WwCycle time[WW_MAX_DOMAINS];
    for (uint32_t d = 0; d < n; d++) {
        time[d] = m->domain[d]->cycle;
    }
    for (; to < end; to += n) {
        for (uint32_t d = 0; d < n; d++) {
            to[d].cycle = time[d];
        }
    }
}

void ww_spread_time(const WwMachine *m)
{
    if (m->one_time) {
        return;
    }
    if (m->n_domains == 4) { /* as GPUs have; it is done after every tick outside of windows */
        spread(m, 4);
    } else {
        spread(m, m->n_domains);
    }
}

const WwDomain *ww_time_of(void *self, uint32_t entry, const WwDomain *domain)
{
    const WwComponent *c = self;
    const WwEntry *turn = ww_turn_of(&c->entries[entry]);
    if (turn == NULL) {
        return domain;
    }
    ww_use_time(turn->partition, domain->index);
    return turn->partition->moment.domain[domain->index];
}
