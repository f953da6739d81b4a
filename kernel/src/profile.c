/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the host's time goes in windows: a row for each partition that took part, for the stage as a whole, and for what is between.
 * What writing costs is in no row but its own. None of this is the model's: it is not in the machine's heap.
 */
#include "profile-priv.h"
#include <inttypes.h>
#include <time.h>

static const char *const names[N_PROFILE_PARTS] = {"alone", "served"};

uint64_t ww_profile_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void name_partitions(const WwMachine *m, char **title)
{
    for (uint32_t i = 0; i < m->n_all; i++) {
        title[i] = g_strdup(m->partition[i].name != NULL ? m->partition[i].name : "serial");
    }
    for (uint32_t i = m->groups->len; i-- > 0;) { /* the outermost comes last */
        const WwGroup *g = g_ptr_array_index(m->groups, i);
        if (g->partition != 0) {
            g_free(title[g->partition]);
            title[g->partition] = ww_group_path(g);
        }
    }
}

void ww_profile_free(WwMachine *m)
{
    Profile *p = m->host->profile;
    if (p != NULL) {
        for (uint32_t i = 0; i < m->n_all; i++) {
            g_free(p->title[i]);
        }
        g_free(p->title);
        g_free(p->spent);
        g_free(p);
        m->host->profile = NULL;
    }
}

void ww_machine_set_profile(WwMachine *m, FILE *out)
{
    ww_assert(m->sealed);
    ww_profile_free(m);
    Profile *p = g_new0(Profile, 1);
    p->out = out;
    p->tick = m->tick;
    p->title = g_new0(char *, m->n_all);
    p->spent = g_malloc0_n(m->n_all, sizeof *p->spent);
    name_partitions(m, p->title);
    fputs("window,ticks,stage,partition,part,nanoseconds\n", out);
    p->last = ww_profile_clock();
    m->host->profile = p;
}

static void write_partition(WwMachine *m, uint32_t stage, const WwPartition *of)
{
    Profile *p = m->host->profile;
    for (uint32_t i = 0; i < N_PROFILE_PARTS; i++) {
        uint64_t *spent = &p->spent[of->index][i];
        if (*spent != 0) {
            fprintf(p->out, "%" PRIu64 ",%u,%u,%s,%s,%" PRIu64 "\n", m->window.number,
                    m->window.at.n, stage, p->title[of->index], names[i], *spent);
            *spent = 0;
        }
    }
}

static void end_row(Profile *p, uint64_t begin)
{
    p->last = ww_profile_clock();
    p->cost += p->last - begin;
}

void ww_profile_write_part(WwMachine *m, WwTick ticks, const char *part)
{
    uint64_t now = ww_profile_clock();
    Profile *p = m->host->profile;
    fprintf(p->out, "%" PRIu64 ",%" PRIu64 ",,,%s,%" PRIu64 "\n", m->window.number,
            ticks != 0 ? ticks : m->tick - p->tick, part, now - p->last);
    p->tick = m->tick;
    end_row(p, now);
}

void ww_profile_write_stage(WwMachine *m, uint32_t stage)
{
    uint64_t now = ww_profile_clock();
    Profile *p = m->host->profile;
    const Stage *s = &m->stage[stage];
    uint64_t spent = now - p->last + p->next;
    p->next = 0;
    if (m->window.tight >> stage & 1u) { /* it took turns with the next one */
        p->next = p->spent[m->ranked[m->stage[stage + 1].from]->index][PROFILE_ALONE];
        spent -= p->next;
    }
    for (uint32_t i = s->from; i < s->end; i++) {
        write_partition(m, stage, m->ranked[i]);
    }
    write_partition(m, stage, &m->partition[0]);
    fprintf(p->out, "%" PRIu64 ",%u,%u,,%s,%" PRIu64 "\n", m->window.number, m->window.at.n, stage,
            stage < m->whole || m->window.tight != 0 ? "stage" : "beside", spent);
    if (stage + 1 == m->n_stages) {
        fprintf(p->out, "%" PRIu64 ",%u,,,profile,%" PRIu64 "\n", m->window.number, m->window.at.n,
                p->cost);
        p->cost = 0;
    }
    end_row(p, now);
}
