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

void ldst_shared_conflicts(WwInst *inst, uint64_t cycles, LdstCounts *counts)
{
    inst->cycles = (uint16_t)(inst->cycles - cycles);
    ldst_count_stall(counts, LDST_S_MEM, LDST_STALL_BANK, cycles);
    counts->n_shmem_bkconflict += cycles;
    counts->n_shmem_bank_access += cycles;
}

void ldst_shared_explain(const LdstShared *s, WwExplain *explain)
{
    for (uint32_t i = 0; i < s->pipe.n; i++) {
        ww_explain_holds_inst(explain, s->stage[ww_ring_slot(&s->pipe, i)].inst);
    }
}
