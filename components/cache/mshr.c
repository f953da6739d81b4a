/* SPDX-License-Identifier: Apache-2.0 */
/* The table of misses under way. */
#include "mshr-priv.h"
#include <string.h>
#include <warpwright/component.h>

/* The slots of a table that never had a key. */
static const uint16_t none[2];

static inline uint32_t home(const Mshr *m, uint64_t addr)
{
    return (uint32_t)((addr >> 5) * 0x9e3779b97f4a7c15u >> m->shift);
}

static inline uint32_t free_slot(const Mshr *m, uint64_t addr)
{
    uint32_t s = home(m, addr);
    while (m->slot[s] != 0) {
        s = (s + 1) & m->mask;
    }
    return s;
}

MshrEntry *mshr_find(const Mshr *m, uint64_t addr)
{
    for (uint32_t s = home(m, addr); m->slot[s] != 0; s = (s + 1) & m->mask) {
        MshrEntry *e = mshr_entry(m, m->slot[s]);
        if (e->addr == addr) {
            return e;
        }
    }
    return NULL;
}

/* The request says which; one that came another way is looked for. */
MshrEntry *mshr_of(const Mshr *m, const WwMemReq *req)
{
    uint32_t id = req->miss;
    MshrEntry *e = id - 1u < m->fresh ? mshr_entry(m, id) : NULL;
    if (G_LIKELY(e != NULL && e->first == req)) {
        return e;
    }
    e = mshr_find(m, req->addr);
    return e != NULL && e->first == req ? e : NULL;
}

void mshr_fetch(const Mshr *m, uint64_t addr)
{
    ww_host_fetch(&m->slot[home(m, addr)]);
}

/* Slots for twice as many keys as there is room for, or may be. */
static void make_slots(Mshr *m)
{
    const uint16_t *old = m->slot;
    uint32_t n = m->mask + 1, bits = 1;
    while (1u << bits < 2 * MIN(m->room, m->entries)) {
        bits++;
    }
    m->mask = (1u << bits) - 1;
    m->shift = 64 - bits;
    m->slot = ww_alloc(m->owner, (size_t)(m->mask + 1) * sizeof *m->slot);
    for (uint32_t i = 0; i < n; i++) {
        if (old[i] != 0) {
            m->slot[free_slot(m, mshr_entry(m, old[i])->addr)] = old[i];
        }
    }
}

WW_COLD static void grow(Mshr *m)
{
    if (m->chunk == NULL) {
        uint32_t chunks = (m->entries + MSHR_CHUNK - 1) / MSHR_CHUNK;
        m->chunk = ww_alloc(m->owner, chunks * sizeof *m->chunk);
    }
    m->chunk[m->room / MSHR_CHUNK] = ww_alloc(m->owner, MSHR_CHUNK * sizeof(MshrEntry));
    m->room += MSHR_CHUNK;
    make_slots(m);
}

MshrEntry *mshr_add(Mshr *m, uint64_t addr, WwMemReq *req)
{
    uint16_t id = m->free;
    if (id != 0) {
        m->free = mshr_entry(m, id)->next;
        if (m->free != 0) {
            __builtin_prefetch(mshr_entry(m, m->free), 1); /* the next one */
        }
    } else {
        if (G_UNLIKELY(m->fresh == m->room)) {
            grow(m);
        }
        id = (uint16_t)++m->fresh;
    }
    m->slot[free_slot(m, addr)] = id;
    m->n++;
    MshrEntry *e = mshr_entry(m, id);
    *e = (MshrEntry){.addr = addr,
                     .first = req,
                     .n = 1,
                     .id = id,
                     .atomic = req->atomic,
                     .above = req->miss_of,
                     .above_miss = req->miss};
    req->miss = id;
    return e;
}

void mshr_merge(MshrEntry *e, WwMemReq *req)
{
    req->next = NULL;
    if (e->head == NULL) {
        e->head = req;
    } else {
        e->tail->next = req;
    }
    e->tail = req;
    e->n++;
    e->atomic |= req->atomic;
}

void mshr_complete(Mshr *m, MshrEntry *e)
{
    e->ready = true;
    e->next = 0;
    if (m->ready == NULL) {
        m->ready = e;
    } else {
        m->last->next = e->id;
    }
    m->last = e;
}

/* Empties a slot; what stands behind it in the same run moves up so that it is still found. */
static void empty_slot(Mshr *m, uint32_t s)
{
    uint32_t hole = s;
    for (;;) {
        s = (s + 1) & m->mask;
        if (m->slot[s] == 0) {
            break;
        }
        uint32_t from = home(m, mshr_entry(m, m->slot[s])->addr);
        if (((s - from) & m->mask) >= ((s - hole) & m->mask)) {
            m->slot[hole] = m->slot[s];
            hole = s;
        }
    }
    m->slot[hole] = 0;
}

static void forget(Mshr *m, MshrEntry *e)
{
    uint16_t id = e->id;
    uint32_t s = home(m, e->addr);
    while (m->slot[s] != id) {
        s = (s + 1) & m->mask;
    }
    empty_slot(m, s);
    m->ready = e->next != 0 ? mshr_entry(m, e->next) : NULL;
    e->next = m->free;
    m->free = id;
    m->n--;
}

WwMemReq *mshr_take(Mshr *m)
{
    MshrEntry *e = m->ready;
    WwMemReq *req = e->first;
    if (req != NULL) {
        e->first = NULL;
    } else {
        req = e->head;
        e->head = req->next;
    }
    req->next = NULL;
    if (--e->n == 0) {
        forget(m, e);
    }
    return req;
}

void mshr_forget(Mshr *m)
{
    for (uint32_t s = 0; m->n != 0 && s <= m->mask; s++) {
        MshrEntry *e = m->slot[s] != 0 ? mshr_entry(m, m->slot[s]) : NULL;
        if (e == NULL) {
            continue;
        }
        if (e->first != NULL && e->ready) {
            ww_mem_release(e->first);
        } else if (e->first != NULL) {
            e->first->miss_of = e->above;
            e->first->miss = e->above_miss;
        }
        for (WwMemReq *next, *req = e->head; req != NULL; req = next) {
            next = req->next;
            ww_mem_release(req);
        }
    }
    mshr_reset(m);
}

void mshr_init(Mshr *m, void *component)
{
    m->owner = component;
    m->slot = (uint16_t *)(uintptr_t)none;
    m->mask = 1;
    m->shift = 63;
}

void mshr_reset(Mshr *m)
{
    if (m->n != 0) {
        memset(m->slot, 0, (size_t)(m->mask + 1) * sizeof *m->slot);
    }
    m->n = m->fresh = 0;
    m->free = 0;
    m->ready = m->last = NULL;
}
