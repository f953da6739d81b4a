/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalescing: lanes that fall into the same segment share one access.
 *
 * Nearly all accesses are of sectors that no lane crosses: the addresses are put in order, and those of one
 * sector follow each other. Records of other accesses are kept in order while they are collected.
 */
#include "coalesce-priv.h"

#include <string.h>

#define LINE 128u /* Byte masks cover one line. */

/* The records of one group of lanes: out[first] .. out[n - 1]. */
typedef struct Records {
    LdstAccess *out;
    uint32_t first, n;
} Records;

static uint64_t low_bits(uint32_t n)
{
    return n >= 64 ? UINT64_MAX : (1ull << n) - 1;
}

/* Bytes from .. from + n - 1 of a line, cut at its end. */
static WwByteMask byte_range(uint32_t from, uint32_t n)
{
    uint32_t end = MIN(from + n, LINE);
    uint32_t low = MIN(from, 64u), high = from > 64 ? from - 64 : 0;
    WwByteMask m = {{low_bits(MIN(end, 64u)) & ~low_bits(low),
                     (end > 64 ? low_bits(end - 64) : 0) & ~low_bits(high)}};
    return m;
}

static inline LdstAccess *insert(Records *r, uint32_t at, uint64_t block)
{
    for (uint32_t i = r->n++; i > at; i--) {
        r->out[i] = r->out[i - 1];
    }
    r->out[at] = (LdstAccess){.addr = block};
    return &r->out[at];
}

/* The place behind the last record of a segment up to @p block. */
static uint32_t behind(const Records *r, uint64_t block)
{
    uint32_t at = r->n;
    while (at > r->first && r->out[at - 1].addr > block) {
        at--;
    }
    return at;
}

static void touch(LdstAccess *a, uint32_t lane, uint64_t addr, uint32_t width)
{
    uint32_t byte = (uint32_t)(addr % LINE);
    WwByteMask m = byte_range(byte, width);
    a->bytes.w[0] |= m.w[0];
    a->bytes.w[1] |= m.w[1];
    a->lanes |= 1u << lane;
    a->sectors |= (uint8_t)(1u << byte / WW_SECTOR_BYTES);
}

static void touch_segment(Records *r, uint64_t block, uint32_t lane, uint64_t addr, uint32_t width)
{
    uint32_t at = behind(r, block);
    bool there = at > r->first && r->out[at - 1].addr == block;
    touch(there ? &r->out[at - 1] : insert(r, at, block), lane, addr, width);
}

/* Shrinks a segment to the half that is used, and that once more. */
static void shrink(LdstAccess *a, uint32_t segment)
{
    for (a->size = (uint8_t)segment; a->size > WW_SECTOR_BYTES; a->size /= 2) {
        uint32_t chunks = a->size / 32u, base = (uint32_t)(a->addr % LINE) / 32;
        uint32_t low = (1u << chunks / 2) - 1, used = (uint32_t)a->sectors >> base;
        bool lower = (used & low) != 0, upper = (used & low << chunks / 2) != 0;
        if (lower == upper) {
            return;
        }
        if (upper) {
            a->addr += a->size / 2u;
        }
    }
}

static void shrink_group(Records *r, uint32_t segment)
{
    for (uint32_t i = r->first; i < r->n; i++) {
        shrink(&r->out[i], segment);
    }
    r->first = r->n;
}

/* Active lanes of group @p part. */
static uint32_t lanes_of(uint32_t mask, uint32_t parts, uint32_t part)
{
    uint32_t size = WW_WARP_SIZE / parts;
    return mask & (uint32_t)(low_bits(size) << part * size);
}

uint32_t coalesce_segment(const CoalesceRule *rule, uint32_t width, bool bypass)
{
    bool sectors =
        rule->arch >= 40 || (rule->arch >= 20 && rule->arch < 39 && (rule->skip_l1 || bypass));
    if (sectors || width <= 1) {
        return WW_SECTOR_BYTES;
    }
    return width == 2 ? 64 : 128;
}

/* What lane @p lane accesses at @p addr: one segment, or two. */
static void touch_lane(Records *r, const WwLanes *lanes, uint32_t segment, uint32_t lane,
                       uint64_t addr)
{
    uint64_t block = addr & ~(uint64_t)(segment - 1);
    uint64_t last = addr + lanes->width - 1;
    touch_segment(r, block, lane, addr, lanes->width);
    if ((last & ~(uint64_t)(segment - 1)) != block) {
        uint64_t next = last & ~(uint64_t)(segment - 1);
        if (lanes->tail_only) {
            touch_segment(r, next, lane, next, (uint32_t)(last - next) + 1);
        } else { /* as many bytes as the whole has: the reference's over-count */
            touch_segment(r, next, lane, last, lanes->width);
        }
    }
}

/* What lanes @p mask access, in the order of the segments. */
static void touch_lanes(Records *r, const WwLanes *lanes, uint32_t segment, uint32_t mask)
{
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        const uint64_t *addr = &lanes->addr[lane * lanes->words];
        for (uint32_t w = 0; w < lanes->words && (addr[w] != 0 || lanes->null_too); w++) {
            touch_lane(r, lanes, segment, lane, addr[w]);
        }
    }
}

/* ---- sectors that no lane crosses ---------------------------------------------------------- */

/* An address of a lane: its sector, and below that which of lanes->addr it is. Sorted by sector, the lanes of one stand side by side. */
enum { WHICH_BITS = 8 };
_Static_assert(COALESCE_MAX <= 1u << WHICH_BITS, "all of a warp's addresses");
#define MOST_ADDR (UINT64_MAX >> WHICH_BITS << 5) /* of which the sector fits */

/* The addresses of lanes @p mask in the order of their sectors; returns how many, or -1: a lane may cross a sector. */
static int32_t sort_sectors(const WwLanes *lanes, uint32_t mask, uint64_t *key)
{
    const uint64_t within = lanes->width - 1u;
    int32_t n = 0;
    for (uint32_t m = mask; m != 0; m &= m - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(m) * lanes->words;
        for (uint32_t end = i + lanes->words; i < end; i++) {
            const uint64_t addr = lanes->addr[i];
            if (addr == 0 && !lanes->null_too) {
                break;
            }
            if ((addr & within) != 0 || addr > MOST_ADDR) {
                return -1;
            }
            const uint64_t k = addr / WW_SECTOR_BYTES << WHICH_BITS | i;
            int32_t at = n++;
            for (; at > 0 && key[at - 1] > k; at--) {
                key[at] = key[at - 1];
            }
            key[at] = k;
        }
    }
    return n;
}

/* The same as touch_lanes() does of sectors. False: it has to. */
static bool touch_sectors(Records *r, const WwLanes *lanes, uint32_t mask)
{
    uint64_t key[COALESCE_MAX], last = UINT64_MAX;
    const uint64_t ones = low_bits(lanes->width);
    if (lanes->width > WW_SECTOR_BYTES || (lanes->width & (lanes->width - 1)) != 0) {
        return false;
    }
    const int32_t n = sort_sectors(lanes, mask, key);
    LdstAccess *a = NULL;
    for (int32_t i = 0; i < n; i++) {
        const uint64_t sector = key[i] >> WHICH_BITS;
        const uint32_t which = key[i] & ((1u << WHICH_BITS) - 1);
        const uint64_t byte = lanes->addr[which] % LINE;
        if (sector != last) {
            last = sector;
            a = &r->out[r->n++];
            *a = (LdstAccess){.addr = sector * WW_SECTOR_BYTES,
                              .size = WW_SECTOR_BYTES,
                              .sectors = (uint8_t)(1u << byte / WW_SECTOR_BYTES)};
        }
        a->bytes.w[byte / 64] |= ones << byte % 64;
        a->lanes |= 1u << (lanes->words == 1 ? which : which / lanes->words);
    }
    r->first = r->n;
    return n >= 0;
}

uint32_t coalesce_plain(const WwLanes *lanes, uint32_t parts, uint32_t segment, LdstAccess *out)
{
    Records r = {out, 0, 0};
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t m = lanes_of(lanes->mask, parts, part);
        if (segment != WW_SECTOR_BYTES || !touch_sectors(&r, lanes, m)) {
            touch_lanes(&r, lanes, segment, m);
            shrink_group(&r, segment);
        }
    }
    return r.n;
}

/* ---- runs ---------------------------------------------------------------------------------- */

/* @p k lanes from @p lane on, at @p addr and further, which are all of the segment. */
static void touch_run(LdstAccess *a, const CoalesceRun *run, uint32_t lane, uint64_t addr,
                      uint32_t k)
{
    uint32_t byte = (uint32_t)(addr % LINE), stride = (uint32_t)run->stride;
    a->lanes = (uint32_t)low_bits(k) << lane;
    if (k == 1 || stride <= run->width) {
        uint32_t bytes = (k - 1) * stride + run->width, last = byte + bytes - 1;
        a->bytes = byte_range(byte, bytes);
        a->sectors = (uint8_t)((2u << last / WW_SECTOR_BYTES) - (1u << byte / WW_SECTOR_BYTES));
        return;
    }
    for (const uint64_t ones = low_bits(run->width); k != 0; k--, byte += stride) {
        a->bytes.w[byte / 64] |= ones << byte % 64;
        a->sectors |= (uint8_t)(1u << byte / WW_SECTOR_BYTES);
    }
}

uint32_t coalesce_run(const CoalesceRun *run, uint32_t segment, LdstAccess *out)
{
    uint64_t addr = run->base, most = UINT64_MAX / WW_WARP_SIZE / 2;
    uint32_t n = 0, lane = run->lane, left = run->n;
    bool aligned = (run->width & (run->width - 1)) == 0 && run->width <= segment &&
                   ((addr | run->stride) & (run->width - 1)) == 0;
    if (!aligned || addr == 0 || addr > most || run->stride > most) {
        return 0;
    }
    while (left != 0) {
        uint64_t block = addr & ~(uint64_t)(segment - 1);
        uint32_t room = (uint32_t)(block + segment - addr), k = left;
        if (run->stride >= room) {
            k = 1;
        } else if (run->stride != 0) {
            k = MIN(left, (room + (uint32_t)run->stride - 1) / (uint32_t)run->stride);
        }
        out[n] = (LdstAccess){.addr = block};
        touch_run(&out[n], run, lane, addr, k);
        shrink(&out[n++], segment);
        addr += k * run->stride;
        lane += k;
        left -= k;
    }
    return n;
}

/* Deltas that differ from the one before: each row but the last of a tile makes two. */
#define MOST_TURNS 8u

static bool turns_often(const int64_t *delta, uint32_t n)
{
    uint32_t turns = 0;
    for (uint32_t i = 1; i < n && turns <= MOST_TURNS; i++) {
        turns += delta[i] != delta[i - 1];
    }
    return turns > MOST_TURNS;
}

/* The next run of @p rows, which begins with its lowest lane. */
static CoalesceRun next_row(CoalesceRows *rows)
{
    const uint32_t lane = (uint32_t)__builtin_ctz(rows->mask);
    CoalesceRun run = {rows->base, 0, lane, 1, rows->width};
    uint64_t left = (uint64_t)rows->mask >> lane >> 1;
    if ((left & 1u) != 0) {
        run.stride = (uint64_t)*rows->delta;
        for (; (left & 1u) != 0 && *rows->delta == (int64_t)run.stride; left >>= 1) {
            rows->base += run.stride;
            rows->delta++;
            run.n++;
        }
    }
    rows->mask = (uint32_t)(left << lane << run.n);
    rows->base += left != 0 ? (uint64_t)*rows->delta++ : 0;
    return run;
}

uint32_t coalesce_rows(CoalesceRows rows, LdstAccess *out)
{
    uint32_t n = 0;
    if (turns_often(rows.delta, ww_ones32(rows.mask) - 1)) {
        return 0;
    }
    while (rows.mask != 0) {
        const CoalesceRun run = next_row(&rows);
        LdstAccess *a = out + n;
        uint32_t more = coalesce_run(&run, WW_SECTOR_BYTES, a);
        if (more == 0 || (n != 0 && a->addr < a[-1].addr)) {
            return 0;
        }
        n += more;
        if (n != more && a->addr == a[-1].addr) {
            a[-1].bytes.w[0] |= a->bytes.w[0];
            a[-1].bytes.w[1] |= a->bytes.w[1];
            a[-1].lanes |= a->lanes;
            memmove(a, a + 1, (more - 1) * sizeof *a);
            n--;
        }
    }
    return n;
}

/* ---- atomics ------------------------------------------------------------------------------- */

static bool overlaps(const LdstAccess *a, WwByteMask m)
{
    return ((a->bytes.w[0] & m.w[0]) | (a->bytes.w[1] & m.w[1])) != 0;
}

uint32_t coalesce_atomic(const WwLanes *lanes, uint32_t parts, uint32_t segment, LdstAccess *out)
{
    Records r = {out, 0, 0};
    for (uint32_t part = 0; part < parts; part++) {
        for (uint32_t m = lanes_of(lanes->mask, parts, part); m != 0; m &= m - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            uint64_t addr = lanes->addr[lane];
            uint64_t block = addr & ~(uint64_t)(segment - 1);
            WwByteMask bytes = byte_range((uint32_t)(addr % LINE), lanes->width);
            uint32_t end = behind(&r, block), at = end;
            while (at > r.first && r.out[at - 1].addr == block) {
                at--;
            }
            while (at < end && overlaps(&r.out[at], bytes)) {
                at++;
            }
            touch(at < end ? &r.out[at] : insert(&r, end, block), lane, addr, lanes->width);
        }
        shrink_group(&r, segment);
    }
    return r.n;
}

uint32_t coalesce_straddles(const WwLanes *lanes, uint32_t segment)
{
    uint32_t bad = 0;
    for (uint32_t m = lanes->mask; m != 0; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint32_t offset = (uint32_t)(lanes->addr[lane] & (segment - 1));
        if (offset + lanes->width > segment) {
            bad |= 1u << lane;
        }
    }
    return bad;
}

uint32_t coalesce_local(const CoalesceLocal *local, uint32_t thread, uint64_t addr, uint32_t width,
                        uint64_t *out)
{
    uint64_t base, all;
    if (local->map) {
        uint32_t padded = MAX(local->padded, 1u);
        base =
            4 * (padded * (local->sm + (uint64_t)local->sms * (thread / padded)) + thread % padded);
        all = (uint64_t)padded * local->limit * local->sms;
    } else {
        base = 4 * ((uint64_t)local->threads * local->sm + thread);
        all = (uint64_t)local->sms * local->threads;
    }
    base += local->start;
    if (width < 4) {
        out[0] = addr / 4 * all * 4 + addr % 4 + base;
        return addr % 4 + width <= 4;
    }
    uint32_t n = MIN(width / 4, COALESCE_LANE_WORDS);
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (addr / 4 + i) * all * 4 + base;
    }
    return addr % 4 == 0 ? n : 0;
}
