/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared memory in the LD/ST unit: bank conflicts, and the pipeline of loads.
 *
 * An instruction holds the dispatch register one cycle for each conflicting access to a bank, then
 * a load enters the pipeline. Stages move up as soon as the one ahead is empty, also behind a
 * blocked exit. With one entry and one exit a cycle that means: the k-th instruction of the
 * pipeline is in stage max(k, stages - 1 - its age), so nothing moves here; a ring remembers when
 * each arrives at the exit if nothing is in its way. The first stage is free if and only if fewer
 * are inside than there are stages.
 */
#include "ldst-priv.h"

void ldst_shared_init(LdstShared *s, void *self)
{
    s->stage = ww_alloc(self, ww_ring_init(&s->pipe, s->latency) * sizeof *s->stage);
}

WW_COLD static void make_memo(LdstShared *s, void *self)
{
    s->memo = ww_alloc(self, sizeof *s->memo);
}

uint16_t ldst_shared_cost(LdstShared *s, void *self, uint32_t warp_parts, const WwInst *inst)
{
    if (G_UNLIKELY(s->memo == NULL)) {
        make_memo(s, self);
    }
    bool atomic = (inst->s->flags & WW_INST_ATOMIC) != 0;
    SmemRule rule = {s->banks, warp_parts, s->limited_broadcast, atomic && !s->atomics_merge,
                     s->first_word ? 0 : inst->s->width};
    return (uint16_t)smem_cost_of(s->memo, &rule, inst->addr, inst->mask);
}

static inline void count_conflicts(LdstCounts *c, uint64_t cycles)
{
    ldst_count_stall(c, LDST_S_MEM, LDST_STALL_BANK, cycles);
    c->n_shmem_bkconflict += cycles;
    c->n_shmem_bank_access += cycles;
}

bool ldst_shared_serve(WwInst *inst, LdstCounts *counts)
{
    if (inst->cycles > 1) {
        inst->cycles--;
        count_conflicts(counts, 1);
        return false;
    }
    counts->n_shmem_bank_access += inst->cycles;
    inst->cycles = 0;
    return true;
}

void ldst_shared_slept(WwInst *inst, uint64_t cycles, LdstCounts *counts)
{
    inst->cycles = (uint16_t)(inst->cycles - cycles);
    count_conflicts(counts, cycles);
}

bool ldst_shared_enter(LdstShared *s, WwInst *inst, uint64_t cycle)
{
    if (s->pipe.n >= s->latency) {
        return false;
    }
    s->stage[ww_ring_put(&s->pipe)] = (LdstStage){inst, cycle + s->latency};
    return true;
}

WwInst *ldst_shared_take(LdstShared *s)
{
    return s->stage[ww_ring_take(&s->pipe)].inst;
}

void ldst_shared_explain(const LdstShared *s, WwExplain *explain)
{
    for (uint32_t i = 0; i < s->pipe.n; i++) {
        ww_explain_holds_inst(explain, s->stage[ww_ring_slot(&s->pipe, i)].inst);
    }
}
