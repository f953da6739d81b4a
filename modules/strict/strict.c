/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `coalescer.strict`: lanes share transactions only if they access consecutive words in their order, as in the first GPUs that ran CUDA.
 *
 * A group of lanes (half a warp) is coalesced if its words have 4, 8 or 16 bytes, all lie in one aligned block of as many words as the group has lanes,
 * and the k-th lane accesses the k-th word; lanes may be inactive. Else each lane has its own transactions. Source: NVIDIA, CUDA C Programming Guide
 * 4.2, section F.3.2.1 (compute capability 1.0 and 1.1). There a block is read as a whole; here it is cut into transactions of `bytes`, and those that
 * nobody touches are left out, as the caches of today ask for sectors.
 */
#include <ports/coalesce.h>
#include <ports/inst.h>
#include <warpwright/module.h>

enum { LINE = 128 };

typedef struct Strict {
    WwComponent base;
    uint32_t group, bytes;         /* parameters */
    WwProvided coalescer;          /* port */
    uint64_t coalesced, scattered; /* statistics */
} Strict;

/* Transactions as they are made. */
typedef struct Made {
    WwTransaction *out;
    uint32_t n;
    uint32_t first; /* Those from here on may have a lane more. */
    uint32_t bytes;
} Made;

static void touch(Made *m, uint32_t lane, uint64_t addr)
{
    uint64_t at = addr & ~(uint64_t)(m->bytes - 1);
    uint32_t byte = (uint32_t)(addr % LINE);
    if (m->n == m->first || m->out[m->n - 1].addr != at) {
        m->out[m->n++] = (WwTransaction){.addr = at, .size = (uint8_t)m->bytes};
    }
    WwTransaction *t = &m->out[m->n - 1];
    t->bytes.w[byte / 64] |= 1ull << byte % 64;
    t->sectors |= (uint8_t)(1u << byte / WW_SECTOR_BYTES);
    t->lanes |= 1u << lane;
}

static bool is_active(const WwLanes *lanes, uint32_t lane, uint64_t addr)
{
    return (lanes->mask >> lane & 1u) != 0 && (addr != 0 || lanes->null_too);
}

/* Where lane @p lane has its word @p word; a lane's words end at the first that is at 0. */
static bool address_of(const WwLanes *lanes, uint32_t lane, uint32_t word, uint64_t *addr)
{
    for (uint32_t w = 0; w <= word; w++) {
        *addr = lanes->addr[lane * lanes->words + w];
        if (!is_active(lanes, lane, *addr)) {
            return false;
        }
    }
    return true;
}

/* Do lanes @p from to @p end access consecutive words of a block? */
static bool in_order(const WwLanes *lanes, uint32_t word, uint32_t from, uint32_t end)
{
    uint64_t block = UINT64_MAX, width = lanes->width;
    if (width != 4 && width != 8 && width != 16) {
        return false;
    }
    for (uint32_t lane = from; lane < end; lane++) {
        uint64_t addr;
        if (!address_of(lanes, lane, word, &addr)) {
            continue;
        }
        uint64_t of = addr - (lane - from) * width;
        if (of % ((end - from) * width) != 0 || (block != UINT64_MAX && of != block)) {
            return false;
        }
        block = of;
    }
    return true;
}

static void make(Strict *c, Made *m, const WwLanes *lanes, uint32_t word, uint32_t from)
{
    uint32_t end = from + c->group;
    bool together = in_order(lanes, word, from, end), any = false;
    m->first = m->n;
    for (uint32_t lane = from; lane < end; lane++) {
        uint64_t addr;
        if (!address_of(lanes, lane, word, &addr)) {
            continue;
        }
        any = true;
        m->first = together ? m->first : m->n;
        for (uint32_t i = 0; i < lanes->width; i++) {
            touch(m, lane, addr + i);
        }
    }
    *(together ? &c->coalesced : &c->scattered) += any;
}

static uint32_t strict_coalesce(void *self, const WwInst *inst, const WwLanes *lanes,
                                WwTransaction *out)
{
    Strict *c = self;
    Made m = {.out = out, .bytes = c->bytes};
    for (uint32_t word = 0; word < lanes->words; word++) {
        for (uint32_t from = 0; from < WW_WARP_SIZE; from += c->group) {
            make(c, &m, lanes, word, from);
        }
    }
    return m.n;
}

static uint32_t strict_most(void *self)
{
    return ((const Strict *)self)->bytes;
}

static bool strict_init(void *self, GError **error)
{
    const Strict *c = self;
    if ((c->group & (c->group - 1)) != 0 || (c->bytes & (c->bytes - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "group = %u, bytes = %u; expected powers of two, 1..32 and 32..128",
                       c->group, c->bytes);
    }
    return true;
}

static const WwParamRow params[] = {
    WW_UINT(Strict, group, "", "16", 1, WW_WARP_SIZE,
            "lanes that are coalesced or not, as one; a power of two"),
    WW_UINT(Strict, bytes, "bytes", "32", 32, LINE, "of a transaction; a power of two"),
    {0},
};
static const WwCoalescerIf table = {.coalesce = strict_coalesce, .most = strict_most};
static const WwPortRow ports[] = {
    WW_PORT_PROVIDES(Strict, coalescer, &ww_contract_coalescer, &table, "for an LD/ST unit"),
    {0},
};
static const WwStatRow stats[] = {
    WW_COUNTER(Strict, coalesced, "groups", "whose lanes access consecutive words in their order"),
    WW_COUNTER(Strict, scattered, "groups", "of which each lane has its own transactions"),
    {0},
};
static const WwType type = {
    .abi = WW_ABI_VERSION,
    .name = "coalescer.strict",
    .doc = "Lanes share transactions if they access consecutive words in their order: compute "
           "capability 1.0.",
    .family = "coalescer",
    .size = sizeof(Strict),
    .params = params,
    .ports = ports,
    .stats = stats,
    .init = strict_init,
};

static const WwType *const types[] = {&type, NULL};
WW_MODULE_EXPORT const WwModule ww_module = {
    .abi = WW_ABI_VERSION,
    .name = "strict",
    .version = "1",
    .doc = "the coalescing of the first GPUs that ran CUDA",
    .types = types,
};
