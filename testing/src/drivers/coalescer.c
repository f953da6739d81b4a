/* SPDX-License-Identifier: Apache-2.0 */
/* Random callers of `coalescer`: lanes in order, in a few blocks, anywhere, at 0; loads, stores and atomics. */
#include "drivers-priv.h"

#include <ports/coalesce.h>
#include <ports/inst.h>
#include <warpwright/component.h>

typedef struct Drawn {
    uint64_t addr[WW_WARP_SIZE * 8];
    WwLanes lanes;
    WwSinst s;
    WwInst inst;
} Drawn;

static uint64_t draw_address(WwDrive *d, uint32_t pattern, uint64_t base, uint32_t i,
                             uint32_t width)
{
    switch (pattern) {
    case 0: /* one behind the other */
        return base + (uint64_t)i * width;
    case 1: /* in a few blocks */
        return base + ww_drive_draw(d, 512) / width * width;
    case 2: /* all the same */
        return base;
    default:
        return (uint64_t)(1 + ww_drive_draw(d, 1u << 30)) * width;
    }
}

static void draw(WwDrive *d, Drawn *n)
{
    static const uint32_t widths[] = {1, 2, 4, 8, 16};
    bool atomic = ww_drive_draw(d, 4) == 0, local = !atomic && ww_drive_draw(d, 4) == 0;
    uint32_t width = local ? 4 : widths[ww_drive_draw(d, G_N_ELEMENTS(widths))];
    uint32_t words = local ? 1 + ww_drive_draw(d, 8) : 1, pattern = ww_drive_draw(d, 4);
    uint64_t base = (uint64_t)(1 + ww_drive_draw(d, 1u << 20)) * 32;
    uint32_t odd = !atomic && !local && ww_drive_draw(d, 4) == 0 ? 1 + ww_drive_draw(d, 31) : 0;
    for (uint32_t i = 0; i < WW_WARP_SIZE * words; i++) {
        bool null = !atomic && ww_drive_draw(d, 16) == 0;
        n->addr[i] = null ? 0 : draw_address(d, pattern, base, i, width) + odd;
    }
    uint32_t mask = ww_drive_draw(d, 2) == 0 ? UINT32_MAX : ww_drive_draw(d, 1u << 30) << 2;
    n->lanes = (WwLanes){.addr = n->addr,
                         .words = words,
                         .mask = mask != 0 ? mask : 1,
                         .width = width,
                         .null_too = ww_drive_draw(d, 2) != 0,
                         .tail_only = ww_drive_draw(d, 2) != 0};
    n->s = (WwSinst){.opcode = "LDG", .op = WW_OP_LOAD, .width = (uint8_t)width};
    n->s.flags = WW_INST_LOAD | (atomic ? WW_INST_ATOMIC : 0);
    n->inst = (WwInst){.s = &n->s, .op = WW_OP_LOAD, .mask = n->lanes.mask};
    n->inst.space = (uint8_t)(local ? WW_SPACE_LOCAL : WW_SPACE_GLOBAL);
}

/* Is address @p addr of lane @p lane in one of the @p n transactions? */
static bool is_served(const WwTransaction *t, uint32_t n, uint32_t lane, uint64_t addr)
{
    for (uint32_t i = 0; i < n; i++) {
        if ((t[i].lanes >> lane & 1u) != 0 && addr - t[i].addr < t[i].size) {
            return true;
        }
    }
    return false;
}

/* The first address that nobody asks for; false: all are asked for. */
static bool is_left_out(const WwLanes *l, const WwTransaction *t, uint32_t n, uint32_t *lane,
                        uint64_t *addr)
{
    for (uint32_t m = l->mask; m != 0; m &= m - 1) {
        *lane = (uint32_t)__builtin_ctz(m);
        for (uint32_t w = 0; w < l->words; w++) {
            *addr = l->addr[*lane * l->words + w];
            if (*addr == 0 && !l->null_too) {
                break;
            }
            if (!is_served(t, n, *lane, *addr)) {
                return true;
            }
        }
    }
    return false;
}

static void look_at(WwDrive *d, const WwLanes *l, const WwTransaction *t, uint32_t n)
{
    uint32_t most = ((const WwCoalescerIf *)d->table)->most(d->self), lane = 0;
    uint64_t addr = 0;
    if (n > WW_COALESCE_MAX) {
        ww_drive_wrong(d, "%u transactions; expected at most %u", n, WW_COALESCE_MAX);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        const char *expected = ww_transaction_wrong(&t[i], l, most);
        if (expected != NULL) {
            ww_drive_wrong(d,
                           "transaction %u: %u bytes at %" G_GINT64_MODIFIER
                           "x, sectors %x, lanes %x; expected %s",
                           i + 1, t[i].size, t[i].addr, t[i].sectors, t[i].lanes, expected);
        }
        ww_drive_say(d, "%" G_GINT64_MODIFIER "x %u lanes %x sectors %x", t[i].addr, t[i].size,
                     t[i].lanes, t[i].sectors);
    }
    if (is_left_out(l, t, n, &lane, &addr)) {
        ww_drive_wrong(d, "lane %u is not served at %" G_GINT64_MODIFIER "x", lane, addr);
    }
}

static void coalescer_drive(WwDrive *d)
{
    const WwCoalescerIf *f = d->table;
    for (uint32_t k = ww_drive_draw(d, 4); k > 0; k--) {
        Drawn drawn;
        WwTransaction out[WW_COALESCE_MAX];
        draw(d, &drawn);
        look_at(d, &drawn.lanes, out, f->coalesce(d->self, &drawn.inst, &drawn.lanes, out));
    }
}

const WwDriver drive_coalescer = {
    .contract = &ww_contract_coalescer,
    .promises = "each address of each lane is in a transaction of that lane; "
                "transactions have a size, an address and sectors that fit",
    .drive = coalescer_drive,
};
