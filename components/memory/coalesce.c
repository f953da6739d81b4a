/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Coalescing: lanes that fall into the same segment share one access.
 *
 * Records of a group of lanes are kept sorted by segment while they are collected: addresses
 * mostly ascend with the lane, so the place of a lane is found at the end or next to it. Where they
 * do not, segments are found by hash and put in order when all lanes are through.
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

/* ---- segments in no order ------------------------------------------------------------------ */

enum { PLACES = 2 * COALESCE_MAX };

/* Records by hash of their segment; 1 + how many stand before it in the group, 0: none. */
typedef struct Places {
    bool used; /* Else the records are sorted. */
    uint16_t at[PLACES];
} Places;

static inline uint16_t *place_of(Places *p, const Records *r, uint64_t block)
{
    uint32_t i = (uint32_t)(block * 0x9e3779b97f4a7c15u >> 40) % PLACES;
    while (p->at[i] != 0 && r->out[r->first + p->at[i] - 1u].addr != block) {
        i = (i + 1) % PLACES;
    }
    return &p->at[i];
}

/* From here on records are not in order: those that there are get their places. */
static void begin_places(Places *p, const Records *r)
{
    memset(p->at, 0, sizeof p->at);
    p->used = true;
    for (uint32_t i = r->first; i < r->n; i++) {
        *place_of(p, r, r->out[i].addr) = (uint16_t)(i - r->first + 1);
    }
}

/* Puts the records of the group in order. */
static void sort_records(Places *p, Records *r)
{
    uint64_t key[COALESCE_MAX];
    LdstAccess sorted[COALESCE_MAX], *out = r->out + r->first;
    uint32_t n = r->n - r->first;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t addr = out[i].addr, *at = key + i;
        for (; at > key && at[-1] > addr; at--) {
            *at = at[-1];
        }
        *at = addr;
    }
    for (uint32_t i = 0; i < n; i++) {
        sorted[i] = out[*place_of(p, r, key[i]) - 1u];
    }
    memcpy(out, sorted, n * sizeof *out);
    p->used = false;
}

static void touch_segment(Records *r, Places *p, uint64_t block, uint32_t lane, uint64_t addr,
                          uint32_t width)
{
    LdstAccess *last = r->n > r->first ? &r->out[r->n - 1] : NULL;
    if (last == NULL || (!p->used && last->addr < block)) {
        last = insert(r, r->n, block);
    } else if (last->addr != block) {
        if (!p->used) {
            begin_places(p, r);
        }
        uint16_t *at = place_of(p, r, block);
        if (*at == 0) {
            insert(r, r->n, block);
            *at = (uint16_t)(r->n - r->first);
        }
        last = &r->out[r->first + *at - 1u];
    }
    touch(last, lane, addr, width);
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

/*
 * As a rule the next lanes of @p m fall into the segment of the last record, each with all of its bytes in one word of the mask. Returns
 * the lanes from the first one on that does not, or has no address; for one word a lane.
 */
static uint32_t touch_last(LdstAccess *last, const WwLanes *lanes, uint32_t segment, uint32_t m)
{
    const uint64_t *addr = lanes->addr, base = last->addr, width = lanes->width;
    const uint64_t ones = low_bits((uint32_t)width);
    LdstAccess a = *last;
    for (; m != 0; m &= m - 1) {
        uint64_t at = addr[__builtin_ctz(m)], byte = at % LINE;
        if (at == 0 || at - base >= segment || at - base + width > segment ||
            byte % 64 + width > 64) {
            break;
        }
        a.bytes.w[byte / 64] |= ones << byte % 64;
        a.lanes |= m & -m;
        a.sectors |= (uint8_t)(1u << byte / WW_SECTOR_BYTES);
    }
    *last = a;
    return m;
}

/* What lane @p lane accesses at @p addr: one segment, or two. */
static void touch_lane(Records *r, Places *p, const WwLanes *lanes, uint32_t segment, uint32_t lane,
                       uint64_t addr)
{
    uint64_t block = addr & ~(uint64_t)(segment - 1);
    uint64_t last = addr + lanes->width - 1;
    touch_segment(r, p, block, lane, addr, lanes->width);
    if ((last & ~(uint64_t)(segment - 1)) != block) {
        uint64_t next = last & ~(uint64_t)(segment - 1);
        if (lanes->tail_only) {
            touch_segment(r, p, next, lane, next, (uint32_t)(last - next) + 1);
        } else { /* as many bytes as the whole has: the reference's over-count */
            touch_segment(r, p, next, lane, last, lanes->width);
        }
    }
}

uint32_t coalesce_plain(const WwLanes *lanes, uint32_t parts, uint32_t segment, LdstAccess *out)
{
    Records r = {out, 0, 0};
    Places places;
    places.used = false;
    for (uint32_t part = 0; part < parts; part++) {
        uint32_t m = lanes_of(lanes->mask, parts, part);
        while (m != 0) {
            uint32_t lane = (uint32_t)__builtin_ctz(m);
            m &= m - 1;
            for (uint32_t w = 0; w < lanes->words; w++) {
                uint64_t addr = lanes->addr[lane * lanes->words + w];
                if (addr == 0 && !lanes->null_too) {
                    break;
                }
                touch_lane(&r, &places, lanes, segment, lane, addr);
            }
            if (lanes->words == 1 && r.n != r.first) {
                m = touch_last(&out[r.n - 1], lanes, segment, m);
            }
        }
        if (places.used) {
            sort_records(&places, &r);
        }
        shrink_group(&r, segment);
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
