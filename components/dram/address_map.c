/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an address lives: memory channel, L2 slice, DRAM bank, row and column, and the address
 * within its slice.
 *
 * A text gives each address bit its meaning, bit 63 first: R row, B bank, C column, S column
 * (burst), D channel, 0 none; dots, blanks and bars are for the eye. "dramid@8;" before it inserts
 * the channel at bit 8 instead: with a power of two of channels as bits between those of the text,
 * else as the remainder of the address above bit 8 divided by the number of channels. The slice
 * within a channel is the lowest bits of the bank. `indexing` then spreads slices, so that no
 * stride camps on one of them.
 *
 * Workload: one call for transactions of one block of addresses that follow each other, and one for each block of a memcpy. A
 * field is its runs of adjacent bits, each a mask and a shift: one to three of them, as a rule, and no loop.
 */
#include "types.h"

#include <ports/cache.h>
#include <ports/hash.h>
#include <string.h>

enum { MAX_RUNS = 32 };

typedef enum Indexing {
    INDEX_CONSECUTIVE,
    INDEX_XOR,
    INDEX_IPOLY,
    INDEX_CUSTOM,
    INDEX_RANDOM,
    INDEX_IPOLY_CODE
} Indexing;
static const char *const indexings[] = {"consecutive", "xor",        "ipoly", "custom",
                                        "random",      "ipoly_code", NULL};

/* Bits of an address that are packed together, lowest first. Runs beyond the last have mask 0. */
typedef struct Field {
    uint64_t mask;
    uint32_t n;
    struct {
        uint64_t mask;
        uint32_t shift;
    } run[MAX_RUNS];
} Field;
enum { FEW_RUNS = 3 }; /* No field of a known GPU has more. */

/*
 * Slices drawn for regions of the address space: open addressing, key 0 is free (a key is the
 * region + 1).
 */
typedef struct Drawn {
    uint64_t *key;
    uint32_t *slice;
    uint32_t n, size;
    struct random_data random;
    char random_state[128];
} Drawn;

typedef struct Map {
    WwComponent base;
    /* parameters */
    uint32_t channels;
    uint32_t slices_per_channel;
    const char *mapping;
    uint32_t mask;
    uint32_t indexing;
    bool hash_from_bottom;
    /* ports */
    WwProvided address_map;
    /* state */
    Field channel_bits, bank, row, column, partition;
    uint32_t start; /* Lowest bit above the interleaved part, UINT32_MAX: the text has D bits. */
    uint64_t above; /* Address bits that are hashed, */
    uint32_t high_shift; /* the lowest of them; 63 if there are none. */
    uint32_t region;     /* Address bits from here on draw a slice. */
    uint32_t total;      /* Slices of the GPU. */
    uint32_t places;     /* Of the polynomial hash. */
    bool divide;         /* The number of channels is no power of two. */
    Drawn drawn;
} Map;

/* ---- fields -------------------------------------------------------------------------------- */

static void field_set(Field *f, uint64_t mask)
{
    uint32_t at = 0;
    *f = (Field){.mask = mask};
    while (mask != 0) {
        uint32_t low = (uint32_t)__builtin_ctzll(mask);
        uint64_t run = mask & ~(mask + (1ull << low)); /* up to the first gap */
        f->run[f->n].mask = run;
        f->run[f->n++].shift = low - at;
        at += (uint32_t)__builtin_popcountll(run);
        mask &= ~run;
    }
}

static inline uint64_t field_of(const Field *f, uint64_t addr)
{
    uint64_t value = (addr & f->run[0].mask) >> f->run[0].shift |
                     (addr & f->run[1].mask) >> f->run[1].shift |
                     (addr & f->run[2].mask) >> f->run[2].shift;
    for (uint32_t i = FEW_RUNS; i < f->n; i++) {
        value |= (addr & f->run[i].mask) >> f->run[i].shift;
    }
    return value;
}

/* ---- decoding ------------------------------------------------------------------------------ */

/*
 * A new region draws its slice; out of line, and the table grows only while there are new regions.
 */
WW_COLD static uint32_t draw(Map *m, uint64_t region)
{
    Drawn *d = &m->drawn;
    if (2 * (d->n + 1) > d->size) {
        Drawn old = *d;
        d->size = MAX(2 * old.size, 1024u);
        d->key = ww_take(m, d->size * sizeof *d->key);
        d->slice = ww_take(m, d->size * sizeof *d->slice);
        for (uint32_t i = 0; i < old.size; i++) {
            uint32_t at = (uint32_t)(old.key[i] * 0x9e3779b97f4a7c15u >> 32) & (d->size - 1);
            while (old.key[i] != 0 && d->key[at] != 0) {
                at = (at + 1) & (d->size - 1);
            }
            if (old.key[i] != 0) {
                d->key[at] = old.key[i];
                d->slice[at] = old.slice[i];
            }
        }
        ww_give(m, old.key);
        ww_give(m, old.slice);
    }
    uint32_t at = (uint32_t)((region + 1) * 0x9e3779b97f4a7c15u >> 32) & (d->size - 1);
    while (d->key[at] != 0 && d->key[at] != region + 1) {
        at = (at + 1) & (d->size - 1);
    }
    if (d->key[at] == 0) {
        int32_t number;
        random_r(&d->random, &number);
        d->key[at] = region + 1;
        d->slice[at] = (uint32_t)number % m->total;
        d->n++;
    }
    return d->slice[at];
}

static void map_decode(void *self, uint64_t addr, WwAddress *out)
{
    Map *m = self;
    uint64_t rest = addr, high = (addr & m->above) >> m->high_shift;
    if (m->divide) {
        uint64_t above = addr >> m->start;
        high = above / m->channels;
        out->channel = (uint32_t)(above % m->channels);
        rest = high << m->start | (addr & ((1ull << m->start) - 1));
    } else {
        out->channel = (uint32_t)field_of(&m->channel_bits, addr);
    }
    out->bank = (uint32_t)field_of(&m->bank, rest);
    out->row = (uint32_t)field_of(&m->row, rest);
    out->column = (uint32_t)field_of(&m->column, rest);
    out->partition = field_of(&m->partition, rest);
    uint32_t within = out->bank & (m->slices_per_channel - 1);
    switch (m->indexing) {
    case INDEX_XOR:
        out->channel ^= (uint32_t)high & (m->channels - 1);
        break;
    case INDEX_IPOLY:
    case INDEX_IPOLY_CODE:
        within += out->channel * m->slices_per_channel;
        out->slice = (m->indexing == INDEX_IPOLY ? ww_hash_ipoly : ww_hash_ipoly_code)(high, within,
                                                                                       m->places);
        if (m->divide) {
            out->slice %= m->total;
        }
        out->channel = out->slice >> __builtin_ctz(m->slices_per_channel);
        return;
    case INDEX_RANDOM:
        out->slice = draw(m, addr >> m->region);
        out->channel = out->slice >> __builtin_ctz(m->slices_per_channel);
        return;
    default:
        break;
    }
    out->slice = out->channel * m->slices_per_channel + within;
}

static uint32_t map_channels(void *self)
{
    return ((Map *)self)->channels;
}

static uint32_t map_slices(void *self)
{
    const Map *m = self;
    return m->channels * m->slices_per_channel;
}

/* As long as the lowest bits are the column's, and nothing is drawn. */
static uint32_t map_block(void *self)
{
    const Map *m = self;
    uint64_t others = m->channel_bits.mask | m->bank.mask | m->row.mask | ~m->column.mask;
    uint32_t bits = others != 0 ? (uint32_t)__builtin_ctzll(others) : 0;
    bits = MIN(MIN(bits, m->high_shift), MIN(m->start, 31u));
    return m->indexing == INDEX_RANDOM ? 0 : 1u << bits;
}

static const WwAddressMapIf map_table = {
    .decode = map_decode, .channels = map_channels, .slices = map_slices, .block = map_block};

/* ---- the text ------------------------------------------------------------------------------ */

typedef struct Masks {
    uint64_t channel, bank, row, column;
} Masks;

/* What a mask number of old configurations stands for; used when there is no text. */
static const struct {
    uint32_t number, start;
    Masks masks;
} old_masks[] = {
    {0, 10, {0, 0x300, 0x7ffe000, 0x1cff}},  {1, 13, {0, 0x1800, 0x7ffe000, 0x7ff}},
    {2, 11, {0, 0x1800, 0x7ffe000, 0x7ff}},  {3, 11, {0, 0x1800, 0xfffe000, 0x7ff}},
    {5, 5, {0, 0x1800, 0x7ffe000, 0x7ff}},   {6, 6, {0, 0x1800, 0x7ffe000, 0x7ff}},
    {14, 14, {0, 0x1800, 0x7ffe000, 0x7ff}}, {15, 15, {0, 0x1800, 0x7ffe000, 0x7ff}},
    {16, 16, {0, 0x1800, 0x7ffe000, 0x7ff}}, {100, 1, {0, 0x3, 0x7ffe000, 0x1ffc}},
    {103, 3, {0, 0x3, 0x7ffe000, 0x1ffc}},   {106, 6, {0, 0x1800, 0x7ffe000, 0x7ff}},
    {160, 6, {0, 0x300, 0x7ffe000, 0x1cff}},
};

static bool masks_of_number(Map *m, Masks *out, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(old_masks); i++) {
        if (old_masks[i].number == m->mask) {
            *out = old_masks[i].masks;
            m->start = old_masks[i].start;
            return true;
        }
    }
    return ww_fail(error, WW_ERROR_USAGE,
                   "mask = %u; expected 0, 1, 2, 3, 5, 6, 14, 15, 16, 100, 103, 106 or 160",
                   m->mask);
}

static bool start_of_text(Map *m, const char **letters, GError **error)
{
    *letters = strchr(m->mapping, ';') != NULL ? strchr(m->mapping, ';') + 1 : m->mapping;
    m->start = UINT32_MAX;
    if (g_str_has_prefix(m->mapping, "dramid@")) {
        char *end;
        guint64 n = g_ascii_strtoull(m->mapping + strlen("dramid@"), &end, 10);
        if (*end != ';' || n == 0 || n > 40) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "mapping = %s; expected dramid@<bit 1 to 40>;<64 letters>", m->mapping);
        }
        m->start = (uint32_t)n;
    }
    return true;
}

static bool masks_of_text(Map *m, Masks *out, GError **error)
{
    const char *letters;
    uint32_t n = 0;
    if (!start_of_text(m, &letters, error)) {
        return false;
    }
    for (const char *p = letters; *p != '\0'; p++) {
        uint64_t bit = n < 64 ? 1ull << (63 - n) : 0;
        char c = g_ascii_toupper(*p);
        if (strchr(". |", c) != NULL) {
            continue;
        }
        if (strchr("0DBRCS", c) == NULL || (c == 'D' && m->start != UINT32_MAX)) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "mapping = %s: letter '%c'; expected R, B, C, S, 0%s", m->mapping, *p,
                           m->start != UINT32_MAX ? " (D only without dramid@)" : " or D");
        }
        out->channel |= c == 'D' ? bit : 0;
        out->bank |= c == 'B' ? bit : 0;
        out->row |= c == 'R' ? bit : 0;
        out->column |= c == 'C' || c == 'S' ? bit : 0;
        n++;
    }
    return n == 64 ||
           ww_fail(error, WW_ERROR_USAGE, "mapping = %s: %u letters; expected 64", m->mapping, n);
}

/* Makes room for @p n bits at bit @p start. */
static uint64_t insert_bits(uint64_t mask, uint32_t start, uint32_t n)
{
    uint64_t low = (1ull << start) - 1;
    return (mask & ~low) << n | (mask & low);
}

static bool set_fields(Map *m, Masks k, GError **error)
{
    uint32_t bits = 31u - (uint32_t)__builtin_clz(m->channels);
    uint32_t slice_bits = (uint32_t)__builtin_ctz(m->slices_per_channel);
    m->divide = (m->channels & (m->channels - 1)) != 0;
    if (m->start != UINT32_MAX && !m->divide) {
        k.bank = insert_bits(k.bank, m->start, bits);
        k.row = insert_bits(k.row, m->start, bits);
        k.column = insert_bits(k.column, m->start, bits);
        k.channel |= ((1ull << bits) - 1) << m->start;
    } else if (m->start == UINT32_MAX &&
               (m->divide || __builtin_popcountll(k.channel) > (int)bits)) {
        return ww_fail(error, WW_ERROR_USAGE, "%u channels with %d D letters; expected %s",
                       m->channels, __builtin_popcountll(k.channel),
                       m->divide ? "dramid@" : "dramid@, or at most a letter for each bit");
    }
    uint64_t slice = 0;
    for (uint32_t i = 0; i < slice_bits; i++) {
        slice |= k.bank & ~slice & -(k.bank & ~slice);
    }
    field_set(&m->channel_bits, k.channel);
    field_set(&m->bank, k.bank);
    field_set(&m->row, k.row);
    field_set(&m->column, k.column);
    field_set(&m->partition, ~(slice | (m->divide ? 0 : k.channel)));
    /* without dramid@ the reference counts from bit -1, not from the fields' place */
    uint64_t fields = k.channel | slice;
    m->high_shift = m->start != UINT32_MAX               ? m->start + bits + slice_bits
                    : bits + slice_bits == 0             ? 0
                    : m->hash_from_bottom || fields == 0 ? bits + slice_bits - 1
                                                         : 64u - (uint32_t)__builtin_clzll(fields);
    m->above = m->high_shift < 64 ? UINT64_MAX << m->high_shift : 0;
    m->high_shift = MIN(m->high_shift, 63);
    return true;
}

static bool check_indexing(Map *m, GError **error)
{
    uint32_t power = 1;
    while (power < m->channels) {
        power *= 2;
    }
    m->places = power * m->slices_per_channel;
    bool ipoly = m->indexing == INDEX_IPOLY || m->indexing == INDEX_IPOLY_CODE;
    if (ipoly && !ww_hash_ipoly_fits(m->places)) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "indexing = %s with %u channels of %u slices; expected 16 to 1024 slices, a "
                       "power of two (channels rounded up to one)",
                       indexings[m->indexing], m->channels, m->slices_per_channel);
    }
    if (m->indexing == INDEX_XOR && m->divide) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "indexing = xor with %u channels; expected a power of two", m->channels);
    }
    if (m->indexing == INDEX_RANDOM) {
        ww_exclusive(m); /* who comes first draws first */
    }
    uint32_t slice_bits = (uint32_t)__builtin_ctz(m->slices_per_channel);
    uint32_t first = m->start != UINT32_MAX      ? m->start
                     : m->channel_bits.mask == 0 ? slice_bits
                                                 : (uint32_t)__builtin_ctzll(m->channel_bits.mask);
    if (m->indexing == INDEX_RANDOM && first < slice_bits) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "indexing = random with channels from bit %u on and %u slices; expected a "
                       "bit for each doubling of slices below",
                       first, m->slices_per_channel);
    }
    /* without dramid@ the reference counts from bit -1 here, too, in shifts modulo 64 */
    m->region = (m->start == UINT32_MAX && m->hash_from_bottom ? 63 : first) - slice_bits;
    return true;
}

static bool map_init(void *self, GError **error)
{
    Map *m = self;
    Masks masks = {0};
    if ((m->slices_per_channel & (m->slices_per_channel - 1)) != 0) {
        return ww_fail(error, WW_ERROR_USAGE, "slices_per_channel = %u; expected a power of two",
                       m->slices_per_channel);
    }
    m->total = m->channels * m->slices_per_channel;
    if (!(m->mapping[0] != '\0' ? masks_of_text(m, &masks, error)
                                : masks_of_number(m, &masks, error))) {
        return false;
    }
    return set_fields(m, masks, error) && check_indexing(m, error);
}

static void map_reset(void *self)
{
    Map *m = self;
    ww_give(m, m->drawn.key);
    ww_give(m, m->drawn.slice);
    memset(&m->drawn, 0, sizeof m->drawn);
    initstate_r(1, m->drawn.random_state, sizeof m->drawn.random_state, &m->drawn.random);
}

/* ---- descriptor ---------------------------------------------------------------------------- */

static const WwParamRow map_params[] = {
    WW_UINT(Map, channels, "", "8", 1, 256, "memory channels"),
    WW_UINT(Map, slices_per_channel, "", "1", 1, 32, "L2 slices per channel; a power of two"),
    WW_STRING(Map, mapping, "",
              "meaning of each address bit (\"dramid@8;0000...RRRR.BBBB.CCCC\"); empty: by mask"),
    WW_UINT(Map, mask, "", "0", 0, 160, "number of a built-in mapping, used if `mapping` is empty"),
    WW_CHOICE(Map, indexing, "consecutive", indexings,
              "how upper address bits spread accesses over slices"),
    WW_BOOL(Map, hash_from_bottom, "true",
            "without dramid@, the bits that indexing mixes in are counted from the bottom of the "
            "address, as in the reference; false: from above channel and slice"),
    {0},
};

static const WwPortRow map_ports[] = {
    WW_PORT_PROVIDES(Map, address_map, &ww_contract_address_map, &map_table, "decoding"),
    {0},
};

const WwType address_map_type = {
    .abi = WW_ABI_VERSION,
    .name = "address_map",
    .doc = "Maps an address to channel, slice, bank, row and column.",
    .family = "dram",
    .size = sizeof(Map),
    .params = map_params,
    .ports = map_ports,
    .init = map_init,
    .reset = map_reset,
};
