/* SPDX-License-Identifier: Apache-2.0 */
/* Lines and sectors of the slow cache: what stands where, what goes when something else comes. */
#include "model_tags.h"

#include <string.h>

static uint32_t n_sectors(const Model *m)
{
    return m->k.sector ? 4 : 1;
}

bool model_any(const Model *m, const ModelLine *l, int status)
{
    for (uint32_t i = 0; i < n_sectors(m); i++) {
        if (l->s[i].status == status) {
            return true;
        }
    }
    return false;
}

static bool all_invalid(const Model *m, const ModelLine *l)
{
    return !model_any(m, l, M_RESERVED) && !model_any(m, l, M_VALID) &&
           !model_any(m, l, M_MODIFIED);
}

uint32_t model_sector_of(const Model *m, uint32_t mask)
{
    for (uint32_t i = 0; m->k.sector && i < 4; i++) {
        if (mask >> i & 1) {
            return i;
        }
    }
    return 0;
}

static uint32_t log2_of(uint32_t n)
{
    uint32_t bits = 0;
    while (1u << bits < n) {
        bits++;
    }
    return bits;
}

/* The polynomial hash is tested on its own; here sets are chosen plainly or by xor. */
static uint32_t set_of(const Model *m, uint64_t addr, uint64_t partition)
{
    uint64_t a = (m->k.second ? partition : addr) >> log2_of(m->k.line);
    uint32_t linear = (uint32_t)(a % m->k.sets);
    return m->k.index == 0 ? linear : linear ^ (uint32_t)(a / m->k.sets % m->k.sets);
}

static uint64_t tag_of(const Model *m, uint64_t addr)
{
    return addr / m->k.line * m->k.line;
}

WwCacheResult model_probe(const Model *m, uint64_t addr, uint64_t partition, uint32_t mask,
                          bool write, uint32_t *out)
{
    uint32_t set = set_of(m, addr, partition), s = model_sector_of(m, mask);
    int64_t invalid = -1, oldest = -1;
    uint32_t age = UINT32_MAX;
    for (uint32_t way = 0; way < m->ways; way++) {
        uint32_t index = set * m->ways + way;
        const ModelLine *l = &m->line[index];
        *out = index;
        if (l->tag == tag_of(m, addr)) {
            const ModelSector *x = &l->s[s];
            if (x->status == M_RESERVED) {
                return WW_CACHE_HIT_RESERVED;
            } else if (x->status == M_VALID) {
                return WW_CACHE_HIT;
            } else if (x->status == M_MODIFIED) {
                return write || x->readable ? WW_CACHE_HIT : WW_CACHE_SECTOR_MISS;
            } else if (!all_invalid(m, l)) {
                return WW_CACHE_SECTOR_MISS;
            }
        }
        float percent = (float)m->dirty / (m->k.sets * m->ways) * 100;
        if (!model_any(m, l, M_RESERVED) &&
            (!model_any(m, l, M_MODIFIED) || percent >= m->k.ratio)) {
            uint32_t t = m->k.repl == M_LRU ? l->last : l->born;
            if (all_invalid(m, l)) {
                invalid = index;
            } else if (t < age) {
                age = t;
                oldest = index;
            }
        }
    }
    if (invalid < 0 && oldest < 0) {
        return WW_CACHE_RESERVATION_FAIL;
    }
    *out = (uint32_t)(invalid >= 0 ? invalid : oldest);
    return WW_CACHE_MISS;
}

static void allocate(Model *m, uint32_t index, uint64_t addr, uint32_t s, uint32_t now)
{
    ModelLine *l = &m->line[index];
    for (uint32_t i = 0; i < n_sectors(m); i++) {
        bool readable =
            m->k.sector ? true : l->s[i].readable; /* a line without sectors keeps these two */
        l->s[i] = (ModelSector){.status = M_INVALID, .readable = readable};
    }
    if (m->k.sector) {
        memset(l->bytes, 0, sizeof l->bytes);
    }
    l->tag = tag_of(m, addr);
    l->last = l->born = now;
    l->merge_on_fill = false;
    l->s[s].status = M_RESERVED;
}

static void allocate_sector(Model *m, uint32_t index, uint32_t s, uint32_t now)
{
    ModelLine *l = &m->line[index];
    bool before = model_any(m, l, M_MODIFIED);
    l->s[s].modified_on_fill = l->s[s].status == M_MODIFIED;
    l->s[s].readable_on_fill = false;
    l->s[s].readable = true;
    l->s[s].status = M_RESERVED;
    l->last = now;
    if (before && !model_any(m, l, M_MODIFIED)) {
        m->dirty--;
    }
}

WwCacheResult model_tag_access(Model *m, const ModelReq *r, uint32_t now, uint32_t *index,
                               ModelVictim *v)
{
    m->used = true;
    WwCacheResult result = model_probe(m, r->addr, r->partition, r->sectors, r->write, index);
    ModelLine *l = &m->line[*index];
    uint32_t s = model_sector_of(m, r->sectors);
    switch (result) {
    case WW_CACHE_HIT:
    case WW_CACHE_HIT_RESERVED:
        l->last = now;
        break;
    case WW_CACHE_MISS:
        if (m->on_fill) {
            break;
        }
        if (model_any(m, l, M_MODIFIED)) {
            v->any = true;
            v->addr = l->tag;
            memcpy(v->bytes, l->bytes, sizeof v->bytes);
            for (uint32_t i = 0; i < 4; i++) {
                if (!m->k.sector || l->s[i].status == M_MODIFIED) {
                    v->sectors |= 1u << i;
                    v->size += 32;
                }
            }
            m->dirty--;
        }
        allocate(m, *index, r->addr, s, now);
        break;
    case WW_CACHE_SECTOR_MISS:
        if (!m->on_fill) {
            allocate_sector(m, *index, s, now);
        }
        break;
    default:
        break;
    }
    return result;
}

void model_add_bytes(ModelLine *l, const bool *bytes)
{
    for (uint32_t i = 0; i < 128; i++) {
        l->bytes[i] |= bytes[i];
    }
}

void model_fill_line(Model *m, uint32_t index, uint32_t s, const bool *bytes)
{
    ModelLine *l = &m->line[index];
    bool before = model_any(m, l, M_MODIFIED);
    l->s[s].status = l->s[s].modified_on_fill ? M_MODIFIED : M_VALID;
    if (l->s[s].readable_on_fill) {
        l->s[s].readable = true;
        if (m->k.sector) {
            l->s[s].readable_on_fill = false;
        }
    }
    if (l->merge_on_fill) {
        model_add_bytes(l, bytes);
    }
    if (!before && model_any(m, l, M_MODIFIED)) {
        m->dirty++;
    }
}

void model_fill_address(Model *m, uint64_t addr, uint64_t partition, uint32_t mask,
                        const bool *bytes, bool write, uint32_t now)
{
    uint32_t index, s = model_sector_of(m, mask);
    WwCacheResult p = model_probe(m, addr, partition, mask, write, &index);
    if (p == WW_CACHE_RESERVATION_FAIL) {
        return;
    }
    if (p == WW_CACHE_MISS) {
        if (model_any(m, &m->line[index], M_MODIFIED)) {
            m->dirty--;
        }
        allocate(m, index, addr, s, now);
    } else if (p == WW_CACHE_SECTOR_MISS) {
        allocate_sector(m, index, s, now);
    }
    model_fill_line(m, index, s, bytes);
}
