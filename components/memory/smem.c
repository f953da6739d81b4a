/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared-memory bank conflicts.
 *
 * Addresses come as a base and what is added to it, lane by lane; of the last few shapes the cost is known. Of others:
 *
 * Distinct words of a group of lanes are collected in a small hash table of which each used slot
 * is remembered, so that nothing of it needs clearing: 32 lanes cost some 32 probes.
 */
#include "smem-priv.h"

#include <string.h>

#define SLOTS 64u /* Twice the lanes. */

typedef struct Words {
    uint64_t used; /* Bit per slot. */
    uint64_t word[SLOTS];
    uint8_t lanes[SLOTS]; /* That access the word. */
} Words;

/* Counts a lane's access to @p word; true when it is the first. */
static bool add_word(Words *t, uint64_t word)
{
    uint32_t i = (uint32_t)(word ^ word >> 6) % SLOTS;
    while ((t->used >> i & 1u) != 0) {
        if (t->word[i] == word) {
            t->lanes[i]++;
            return false;
        }
        i = (i + 1) % SLOTS;
    }
    t->used |= 1ull << i;
    t->word[i] = word;
    t->lanes[i] = 1;
    return true;
}

/*
 * Slot of the word that is broadcast: in the lowest bank, the lowest word, that several lanes
 * access; -1: none.
 */
static int broadcast_slot(const Words *t, uint32_t banks)
{
    int best = -1;
    for (uint64_t m = t->used; m != 0; m &= m - 1) {
        int i = __builtin_ctzll(m);
        if (t->lanes[i] < 2) {
            continue;
        }
        if (best < 0 || t->word[i] % banks < t->word[best] % banks ||
            (t->word[i] % banks == t->word[best] % banks && t->word[i] < t->word[best])) {
            best = i;
        }
    }
    return best;
}

/*
 * Usually every bank has one word at most: all lanes read the same one, or neighbours. True when that is so and lanes that share a word
 * cost nothing, or there are none; for one word a lane.
 */
static bool no_conflict(const SmemRule *rule, const uint64_t *addr, uint32_t lanes)
{
    uint64_t used = 0, last = UINT64_MAX, of_bank[64];
    bool apart = rule->limited_broadcast || rule->lanes_apart;
    const uint64_t mask = rule->banks - 1;
    addr += __builtin_ctz(lanes);
    for (uint32_t m = lanes >> __builtin_ctz(lanes); m != 0; m >>= 1, addr++) {
        uint64_t word = *addr / 4, bank = word & mask;
        if ((m & 1u) == 0) {
            continue;
        }
        if (word != last && (used >> bank & 1u) == 0) {
            used |= 1ull << bank;
            of_bank[bank] = last = word;
        } else if (apart || (word != last && of_bank[bank] != word)) {
            return false;
        }
    }
    return true;
}

/* Of @p words words from each lane's address on. */
static uint32_t group_cost(const SmemRule *rule, const uint64_t *addr, uint32_t lanes,
                           uint32_t words)
{
    Words t;
    uint8_t load[SMEM_MAX_BANKS];
    uint32_t cost = 0;
    if (words == 1 && rule->banks <= 64 && (rule->banks & (rule->banks - 1)) == 0 &&
        no_conflict(rule, addr, lanes)) {
        return 1;
    }
    t.used = 0;
    memset(load, 0, rule->banks);
    for (uint32_t m = lanes; m != 0; m &= m - 1) {
        uint64_t word = addr[__builtin_ctz(m)] / 4;
        for (uint64_t end = word + words; word < end; word++) {
            if (add_word(&t, word) || rule->limited_broadcast || rule->lanes_apart) {
                load[word % rule->banks]++;
            }
        }
    }
    if (rule->limited_broadcast && !rule->lanes_apart) {
        int slot = broadcast_slot(&t, rule->banks);
        if (slot >= 0) {
            uint8_t *l = &load[t.word[slot] % rule->banks];
            *l = (uint8_t)(*l - (t.lanes[slot] - 1));
        }
    }
    for (uint32_t b = 0; b < rule->banks; b++) {
        cost = MAX(cost, load[b]);
    }
    return cost;
}

static inline uint32_t words_of(const SmemRule *rule)
{
    return CLAMP(rule->width / 4, 1u, 4u);
}

uint32_t smem_cost(const SmemRule *rule, const uint64_t *addr, uint32_t mask)
{
    uint32_t words = words_of(rule);
    uint32_t size =
        rule->parts * words == 1 ? WW_WARP_SIZE : MAX(WW_WARP_SIZE / rule->parts / words, 1u);
    uint32_t cost = 0;
    for (uint32_t first = 0; first < WW_WARP_SIZE; first += size) {
        uint32_t lanes = mask & (uint32_t)(((1ull << size) - 1) << first);
        if (lanes != 0) {
            cost += group_cost(rule, addr, lanes, words);
        }
    }
    return cost;
}

/* ---- shapes -------------------------------------------------------------------------------- */

/* Has the block at least one value that is added to its base, and not more than are remembered? */
static inline bool has_values(const WwAddrBlock *block)
{
    return block->mode == WW_ADDR_STRIDE ||
           (block->mode == WW_ADDR_DELTA && block->n != 0 && block->n < WW_WARP_SIZE);
}

/* Is every lane's address, of @p mask, the base and what is added to it? And may the base be left out? */
static bool has_shape(const SmemRule *rule, const WwAddrBlock *block, uint32_t mask)
{
    if (rule->limited_broadcast || (rule->banks & (rule->banks - 1)) != 0) {
        return false;
    }
    return block->mode == WW_ADDR_STRIDE ? ww_one_run(mask) : block->n + 1u >= ww_ones32(mask);
}

/* What two accesses have in common whose lanes cost the same, but for their mask. */
typedef struct Key {
    const int64_t *value; /* The stride, or the deltas. */
    uint32_t n;
    uint32_t kind;
} Key;

static inline Key key_of(const SmemRule *rule, const WwAddrBlock *block)
{
    const bool stride = block->mode == WW_ADDR_STRIDE;
    const uint32_t n = stride ? 1 : block->n;
    return (Key){
        .value = stride ? &block->stride : ww_addr_values(block),
        .n = n,
        .kind = (uint32_t)block->mode | n << 8 | words_of(rule) << 16 |
                (uint32_t)rule->lanes_apart << 23 | (uint32_t)(block->base % 4) << 24,
    };
}

static inline SmemShape *shape_at(SmemMemo *memo, const Key *k, uint32_t mask)
{
    uint64_t key = (uint64_t)k->value[0] * 31 + (uint64_t)k->value[k->n / 2] * 17 + mask;
    return &memo->shape[key * 0x9e3779b97f4a7c15u >> 61];
}
_Static_assert(SMEM_SHAPES == 1 << (64 - 61), "a shape for each hash");

static __attribute__((noinline)) uint32_t cost_of_expanded(const SmemRule *rule,
                                                           const WwAddrBlock *block, uint32_t mask)
{
    uint64_t addr[WW_WARP_SIZE];
    ww_addr_expand(block, mask, addr);
    return smem_cost(rule, addr, mask);
}

/* The cost of an access that @p s is not the shape of. It is from now on, if the access has one. */
static __attribute__((noinline)) uint32_t learn(SmemShape *s, const SmemRule *rule,
                                                const WwAddrBlock *block, uint32_t mask)
{
    uint32_t cost = cost_of_expanded(rule, block, mask);
    if (has_shape(rule, block, mask)) {
        const Key k = key_of(rule, block);
        s->mask = mask;
        s->kind = k.kind;
        s->cost = cost;
        memcpy(s->value, k.value, k.n * sizeof *k.value);
    }
    return cost;
}

uint32_t smem_cost_of(SmemMemo *memo, const SmemRule *rule, const WwAddrBlock *block, uint32_t mask)
{
    if (block == NULL || mask == 0 || !has_values(block)) {
        return cost_of_expanded(rule, block, mask);
    }
    const Key k = key_of(rule, block);
    SmemShape *s = shape_at(memo, &k, mask);
    if (s->mask == mask && s->kind == k.kind &&
        memcmp(s->value, k.value, k.n * sizeof *k.value) == 0) {
        return s->cost;
    }
    return learn(s, rule, block, mask);
}
