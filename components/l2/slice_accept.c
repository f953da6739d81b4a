/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packets that reach an L2 slice: cut into the sectors that a sector cache tracks, and delayed by
 * the raster pipeline's latency.
 *
 * Packets of the first-level data cache carry one sector and pass as they are; the parts of others
 * are new transactions that remember the whole. They come back to their requester one by one.
 */
#include "slice-priv.h"

/* ---- ROP queue ----------------------------------------------------------------------------- */

static void arrive(Slice *s, WwMemReq *req)
{
    s->inside++;
    s->awaited += req->awaited;
    if (req->type == WW_ACCESS_TEXTURE_R && !s->texture_rop) {
        ww_assert(!ww_partition_alone(s->base.domain->partition));
        if (s->late) {
            slice_wake_late(s, s->accept_rop_clock->cycle);
        }
        slice_queue_put(&s->in, req); /* textures have no raster pipeline to pass */
        ww_wake(&s->wake_l2);
        return;
    }
    if (G_UNLIKELY(ww_ring_full(&s->rop_ring))) {
        s->rop = ww_ring_grow(&s->rop_ring, s, s->rop, sizeof *s->rop);
    }
    WwCycle ready = s->accept_rop_clock->cycle + s->rop_latency;
    s->rop[ww_ring_put(&s->rop_ring)] = (RopEntry){req, ready};
    if (s->rop_ring.n == 1) {
        slice_expect(s, ready);
    }
}

/* ---- packets ------------------------------------------------------------------------------- */

static WwByteMask bytes_of_sectors(uint32_t from, uint32_t to)
{
    WwByteMask m = {{0, 0}};
    for (uint32_t i = from; i <= to; i++) {
        m.w[i / 2] |= 0xffffffffull << (32 * (i % 2));
    }
    return m;
}

/*
 * A part lives where its own address says, but its channel and slice stay those of the packet: the
 * packet goes where the bytes live that were asked for first, and its address may be another by now.
 */
static void place_part(Slice *s, WwMemReq *part, uint64_t offset)
{
    WwAddress whole = part->at;
    if (!WW_BOUND(&s->address_map)) {
        part->at.partition += offset;
        return;
    }
    WW_ADDRESS_MAP(&s->address_map)->decode(s->address_map.peer, part->addr, &part->at);
    part->at.channel = whole.channel;
    part->at.slice = whole.slice;
}

/* Sector @p i of @p whole; its bytes may reach back to sector @p from. */
static void arrive_part(Slice *s, WwMemReq *whole, uint32_t i, uint32_t from, uint64_t offset,
                        WwCycle time)
{
    WwMemReq *part = ww_req_pool_take(&s->parts);
    WwByteMask mask = bytes_of_sectors(from, i);
    *part = *whole;
    part->birth = (uint32_t)time;
    part->next = NULL;
    part->original = whole;
    part->awaited = false; /* nothing is promised of parts */
    part->owner = &s->parts.owner;
    part->addr += offset;
    part->size = WW_SECTOR_BYTES;
    part->sectors = (uint8_t)(1u << i);
    part->bytes.w[0] &= mask.w[0];
    part->bytes.w[1] &= mask.w[1];
    place_part(s, part, offset);
    s->splits++;
    arrive(s, part);
}

static void cut(Slice *s, WwMemReq *req, WwCycle time)
{
    uint32_t sectors = req->sectors & 0xfu;
    if (req->size == SECTORS * WW_SECTOR_BYTES) {
        for (uint32_t i = 0; i < SECTORS; i++) {
            arrive_part(s, req, i, s->parts_reach_back ? 0 : i, WW_SECTOR_BYTES * i, time);
        }
    } else if (req->size == 2 * WW_SECTOR_BYTES && (sectors == 0 || sectors == 0xf)) {
        uint32_t start = req->addr % (SECTORS * WW_SECTOR_BYTES) == 0 ? 0 : 2;
        arrive_part(s, req, start, start, 0, time);
        arrive_part(s, req, start + 1, s->parts_reach_back ? start : start + 1, 0, time);
    } else {
        for (uint32_t m = sectors; m != 0; m &= m - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(m);
            arrive_part(s, req, i, i, WW_SECTOR_BYTES * i, time);
        }
    }
}

static void measure(Slice *s, const WwMemReq *req, WwCycle time)
{
    uint64_t latency = ww_mem_since(req->birth, time);
    s->icnt2mem_sum += latency;
    s->icnt2mem_max = MAX(s->icnt2mem_max, latency);
    s->icnt2mem_table[ww_log2_class(latency)]++;
}

/* Takes the packet at the head. */
static void accept_packet(Slice *s, WwCycle time)
{
    WwMemReq *req = (WwMemReq *)(uintptr_t)ww_fifo_take(&s->request);
    s->accepted++;
    if (WW_BOUND(&s->arrivals)) {
        WW_ARRIVALS(&s->arrivals)->arrived(s->arrivals.peer, s->accept_l2->cycle);
    }
    measure(s, req, time);
    WW_LOG(s, &slice_events[LOG_ARRIVE], req->warp, WW_PART(req));
    bool one = req->size == WW_SECTOR_BYTES && ww_one_bit(req->sectors & 0xfu);
    if (s->facts == NULL || s->facts->atom != WW_SECTOR_BYTES || one) {
        arrive(s, req);
    } else {
        cut(s, req, time);
    }
}

/* While parts in the ROP delay count, each of them may close the slice: it is looked at in every cycle. */
static WwRest accept_counting(Slice *s)
{
    if (slice_closed(s)) {
        s->stall_dramfull++;
        return WW_AGAIN;
    }
    if (ww_fifo_ready(&s->request)) {
        accept_packet(s, s->accept_core->cycle);
    }
    return slice_closed(s) || ww_fifo_ready(&s->request) ? WW_AGAIN : WW_SLEEP;
}

WwRest slice_accept(void *self)
{
    Slice *s = self;
    if (s->rop_counts) {
        return accept_counting(s);
    }
    WwCycle now = s->accept_l2->cycle;
    if (ww_past_at(&s->was_closed, now) == 0) {
        if (ww_fifo_ready(&s->request)) {
            accept_packet(s, s->accept_core->cycle);
        }
        return ww_fifo_ready(&s->request) ? WW_AGAIN : WW_SLEEP;
    }
    WwCycle opens = ww_past_next(&s->was_closed); /* or it wakes this when it does */
    return opens != WW_NEVER ? opens - now : WW_SLEEP;
}
