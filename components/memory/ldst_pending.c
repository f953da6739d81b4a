/* SPDX-License-Identifier: Apache-2.0 */
/* From an access of the dispatch register to the request that asks memory for it. */
#include "ldst-priv.h"

static WwAccessType access_type(const WwInst *inst, bool write)
{
    if (inst->space == WW_SPACE_LOCAL) {
        return write ? WW_ACCESS_LOCAL_W : WW_ACCESS_LOCAL_R;
    }
    return write ? WW_ACCESS_GLOBAL_W : WW_ACCESS_GLOBAL_R;
}

/* Of the kernel that hardware warp @p warp belongs to. */
static uint64_t stream_of(const Ldst *u, uint32_t warp)
{
    const WwKernel *k = WW_WARPS(&u->warps)->view(u->warps.peer)->warp[warp].kernel;
    return k != NULL ? k->stream : 0;
}

LdstReq *ldst_request(Ldst *u)
{
    WwInst *inst = u->d.inst;
    const LdstAccess *a = &u->d.access[u->d.n - 1];
    bool write = u->d.flight == NULL;
    const WwCtaView *view = WW_CTAS(&u->ctas)->view(u->ctas.peer);
    LdstReq *r = ww_pool_take(&u->reqs);
    *r = (LdstReq){.req = {.addr = a->addr,
                           .inst = write ? &u->stored : inst,
                           .owner = &u->owner,
                           .bytes = a->bytes,
                           .birth = ww_now(u),
                           .stamp = ww_now(u),
                           .stream = stream_of(u, inst->warp),
                           .serial = u->serial++,
                           .size = a->size,
                           .lanes = a->lanes,
                           .sm = (uint16_t)view->sm,
                           .cluster = (uint16_t)view->cluster,
                           .warp = inst->warp,
                           .type = (uint8_t)access_type(inst, write),
                           .sectors = a->sectors,
                           .write = write,
                           .atomic = !write && (inst->s->flags & WW_INST_ATOMIC) != 0,
                           .bypass_l1 = (inst->s->flags & WW_INST_BYPASS_L1) != 0},
                   .flight = u->d.flight,
                   .parts = (uint8_t)(a->size / 32)};
    if (WW_BOUND(&u->address_map)) {
        WW_ADDRESS_MAP(&u->address_map)->decode(u->address_map.peer, a->addr, &r->req.at);
    }
    u->outstanding++;
    WW_EVENT(u, "request", inst->warp, "%s addr=%" G_GINT64_MODIFIER "x size=%u",
             ww_access_type_name(r->req.type), a->addr, a->size);
    return r;
}
