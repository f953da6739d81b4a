/* SPDX-License-Identifier: Apache-2.0 */
/* Every CTA keeps its promises: ids in range, address blocks inside the arena and of the right size. */
#include "fuzz.h"

/* Instructions of a warp that are looked at: a few bytes of a pack may say that there are very many. */
#define MOST 100000u

static void check_cta(const WwKernel *kernel, const WwCtaTrace *cta, uint64_t *sum, uint64_t *n)
{
    for (uint32_t w = 0; w < cta->n_warps; w++) {
        ww_assert(cta->n_insts[w] >= 1);
        *n += cta->n_insts[w];
        WwPacked *packed = cta->packed != NULL ? cta->packed[w] : NULL;
        if (packed != NULL) {
            ww_packed_start(packed);
        }
        for (uint32_t i = 0; i < MIN(cta->n_insts[w], MOST); i++) {
            WwTinst held;
            WwAddrRoom room;
            const WwTinst *t = packed != NULL ? &held : &cta->warp[w][i];
            ww_assert(packed == NULL || ww_packed_next(packed, &held, &room));
            const WwSinst *s = kernel->sinst[t->sinst];
            uint64_t lanes[WW_WARP_SIZE];
            ww_assert(s->id == t->sinst && s->op < WW_N_OPS && s->nsrc <= WW_MAX_SRC);
            if (t->addr == 0) {
                continue;
            }
            const WwAddrBlock *b = packed != NULL
                                       ? ww_addr_block(&room)
                                       : (const WwAddrBlock *)(const void *)&cta->addr[t->addr - 1];
            uint32_t active = (uint32_t)__builtin_popcount(t->mask);
            ww_assert(b->mode <= WW_ADDR_DELTA);
            ww_assert(b->n == (b->mode == WW_ADDR_LIST    ? active
                               : b->mode == WW_ADDR_DELTA ? active - (active > 0)
                                                          : 0));
            ww_addr_expand(b, t->mask, lanes);
            ww_assert(t->mask == 0 || lanes[__builtin_ctz(t->mask)] == ww_addr_first(b, t->mask));
            *sum += lanes[31];
        }
    }
}

static bool read_kernel(WwTrace *trace, const WwKernel *kernel, uint64_t *n, GError **error)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < kernel->n_ctas; i++) {
        const WwCtaTrace *cta = NULL;
        if (!ww_trace_source.next_cta(trace, kernel, &cta, error)) {
            return false;
        }
        check_cta(kernel, cta, &sum, n);
        ww_trace_source.release_cta(trace, kernel, cta);
    }
    return true;
}

bool fuzz_read_trace(const char *path, const WwTraceOptions *options, uint64_t *n, GError **error)
{
    *n = 0;
    WwCommand command;
    g_autoptr(WwTrace) trace = ww_trace_open(path, options, error);
    if (trace == NULL) {
        return false;
    }
    do {
        if (!ww_trace_source.next_command(trace, &command, error)) {
            return false;
        }
        if (command.kind == WW_COMMAND_KERNEL) {
            bool good = read_kernel(trace, command.kernel, n, error);
            ww_trace_source.close_kernel(trace, command.kernel);
            if (!good) {
                return false;
            }
        }
    } while (command.kind != WW_COMMAND_END);
    return true;
}
