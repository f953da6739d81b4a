/* SPDX-License-Identifier: Apache-2.0 */
/* The slow cache; see model.h. */
#include "model_tags.h"
#include <string.h>

/* ---- misses ---------------------------------------------------------------------------------- */

static ModelMiss *find_miss(const Model *m, uint64_t addr)
{
    for (uint32_t i = 0; i < m->misses->len; i++) {
        ModelMiss *x = g_ptr_array_index(m->misses, i);
        if (x->key == addr / m->atom * m->atom) {
            return x;
        }
    }
    return NULL;
}

static bool full(const Model *m, uint64_t addr)
{
    const ModelMiss *x = find_miss(m, addr);
    return x != NULL ? x->list->len >= m->k.merge : m->misses->len >= m->k.entries;
}

static WwCacheResult fail(Model *m, const ModelReq *r, uint32_t why)
{
    m->fails[r->type][why]++;
    return WW_CACHE_RESERVATION_FAIL;
}

static bool queue_full(const Model *m, uint32_t more)
{
    return m->queue->len + more >= m->k.queue;
}

static WwCacheResult fail_of_miss(Model *m, const ModelReq *r)
{
    return fail(m, r, find_miss(m, r->addr) != NULL ? M_MSHR_MERGE : M_MSHR_ENTRY);
}

/* The table has room: it was asked. */
static void send_read(Model *m, ModelReq *r, uint32_t now, ModelVictim *v, uint32_t *index,
                      uint32_t event, uint32_t *sent)
{
    ModelMiss *x = find_miss(m, r->addr);
    bool fresh = x == NULL;
    model_tag_access(m, r, now, index, v);
    if (fresh) {
        x = g_new0(ModelMiss, 1);
        x->key = r->addr / m->atom * m->atom;
        x->list = g_ptr_array_new();
        g_ptr_array_add(m->misses, x);
        r->own_addr = r->addr;
        r->own_size = r->size;
        r->line = *index;
        r->parts = m->k.sector_assoc ? m->k.line / 32 : 1;
        r->addr = x->key;
        r->size = m->atom;
        g_ptr_array_add(m->waiting, r);
        g_ptr_array_add(m->queue, r);
        *sent |= event;
    } else {
        m->outcome[r->type][WW_CACHE_MSHR_HIT]++;
    }
    g_ptr_array_add(x->list, r);
    x->atomic |= r->atomic;
}

static ModelReq *own(Model *m, uint32_t type)
{
    ModelReq *r = g_new0(ModelReq, 1);
    r->type = type;
    g_ptr_array_add(m->made, r);
    return r;
}

static bool send_victim(Model *m, const ModelVictim *v, uint32_t *sent)
{
    if (!v->any || m->k.write == WW_WRITE_THROUGH) {
        return false;
    }
    ModelReq *r = own(m, m->k.second ? WW_ACCESS_L2_WRBK : WW_ACCESS_L1_WRBK);
    r->addr = v->addr;
    r->size = v->size;
    r->sectors = v->sectors;
    r->write = true;
    memcpy(r->bytes, v->bytes, sizeof r->bytes);
    g_ptr_array_add(m->queue, r);
    *sent |= WW_CACHE_SENT_WRITE_BACK;
    return true;
}

/* ---- access ---------------------------------------------------------------------------------- */

static void modify(Model *m, uint32_t index, const ModelReq *r)
{
    ModelLine *l = &m->line[index];
    if (!model_any(m, l, M_MODIFIED)) {
        m->dirty++;
    }
    l->s[model_sector_of(m, r->sectors)].status = M_MODIFIED;
    model_add_bytes(l, r->bytes);
}

static void update_readable(Model *m, uint32_t index, const ModelReq *r)
{
    ModelLine *l = &m->line[index];
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t set = 0;
        for (uint32_t k = 32 * i; k < 32 * i + 32; k++) {
            set += l->bytes[k];
        }
        if ((r->sectors >> i & 1) && set == 32) {
            l->s[model_sector_of(m, r->sectors)].readable = true;
        }
    }
}

static uint32_t n_bytes(const ModelReq *r)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < 128; i++) {
        n += r->bytes[i];
    }
    return n;
}

static WwCacheResult do_read(Model *m, ModelReq *r, WwCacheResult p, uint32_t index, uint32_t now,
                             uint32_t *sent)
{
    ModelVictim v = {.any = false};
    bool only = m->k.write == WW_WRITE_READ_ONLY;
    if (p == WW_CACHE_HIT) {
        model_tag_access(m, r, now, &index, &v);
        if (r->atomic && !only) {
            modify(m, index, r);
        }
        return WW_CACHE_HIT;
    }
    if (p == WW_CACHE_RESERVATION_FAIL) {
        return fail(m, r, M_LINE_ALLOC);
    }
    if (queue_full(m, only ? 0 : 1)) {
        return fail(m, r, M_QUEUE_FULL);
    }
    if (full(m, r->addr)) {
        return fail_of_miss(m, r);
    }
    send_read(m, r, now, &v, &index, WW_CACHE_SENT_READ, sent);
    send_victim(m, &v, sent);
    return WW_CACHE_MISS;
}

static WwCacheResult write_hit(Model *m, ModelReq *r, uint32_t index, uint32_t now, uint32_t *sent)
{
    ModelVictim v = {.any = false};
    bool evict = m->k.write == WW_WRITE_EVICT ||
                 (m->k.write == WW_WRITE_LOCAL_BACK_GLOBAL_EVICT && r->type == WW_ACCESS_GLOBAL_W);
    bool forward = evict || m->k.write == WW_WRITE_THROUGH;
    if (forward && queue_full(m, 0)) {
        return fail(m, r, M_QUEUE_FULL);
    }
    if (evict) {
        m->line[index].s[model_sector_of(m, r->sectors)].status = M_INVALID;
    } else {
        model_tag_access(m, r, now, &index, &v);
        modify(m, index, r);
        update_readable(m, index, r);
    }
    if (forward) {
        g_ptr_array_add(m->queue, r);
        *sent |= WW_CACHE_SENT_WRITE;
    }
    return WW_CACHE_HIT;
}

static void write_lazily(Model *m, ModelReq *r, uint32_t index, WwCacheResult o)
{
    ModelSector *s = &m->line[index].s[model_sector_of(m, r->sectors)];
    modify(m, index, r);
    if (o == WW_CACHE_HIT_RESERVED) {
        s->modified_on_fill = true;
        m->line[index].merge_on_fill = true;
    }
    s->readable = n_bytes(r) == m->atom;
    if (!s->readable && o == WW_CACHE_HIT_RESERVED) {
        s->readable_on_fill = true;
    }
    update_readable(m, index, r);
}

static WwCacheResult write_miss(Model *m, ModelReq *r, WwCacheResult p, uint32_t index,
                                uint32_t now, uint32_t *sent, uint32_t *moved)
{
    ModelVictim v = {.any = false};
    uint32_t policy = m->k.walloc;
    bool whole = policy == WW_ALLOCATE_FETCH && n_bytes(r) == m->atom;
    bool fetches = policy == WW_ALLOCATE_NAIVE || (policy == WW_ALLOCATE_FETCH && !whole);
    if (p == WW_CACHE_RESERVATION_FAIL && policy != WW_ALLOCATE_NONE) {
        return fail(m, r, M_LINE_ALLOC);
    }
    if (queue_full(m, policy == WW_ALLOCATE_NAIVE ? 2 : fetches ? 1 : 0)) {
        return fail(m, r, M_QUEUE_FULL);
    }
    if (fetches && full(m, r->addr)) {
        return fail_of_miss(m, r);
    }
    if (policy <= WW_ALLOCATE_NAIVE ||
        (policy == WW_ALLOCATE_LAZY && m->k.write == WW_WRITE_THROUGH)) {
        g_ptr_array_add(m->queue, r);
        *sent |= WW_CACHE_SENT_WRITE;
    }
    if (policy == WW_ALLOCATE_NONE) {
        return WW_CACHE_MISS;
    }
    if (fetches) {
        ModelReq *read = own(m, m->k.second ? WW_ACCESS_L2_WR_ALLOC_R : WW_ACCESS_L1_WR_ALLOC_R);
        read->addr = r->addr;
        read->partition = r->partition;
        read->size = m->atom;
        read->sectors = r->sectors;
        memcpy(read->bytes, r->bytes, sizeof r->bytes);
        read->original = policy == WW_ALLOCATE_FETCH ? r : NULL;
        send_read(m, read, now, &v, &index, 0, sent);
        *sent |= WW_CACHE_SENT_WRITE_ALLOC;
        if (policy == WW_ALLOCATE_FETCH) {
            m->line[index].s[model_sector_of(m, r->sectors)].modified_on_fill = true;
            m->line[index].merge_on_fill = true;
        }
    } else {
        WwCacheResult o = model_tag_access(m, r, now, &index, &v);
        if (whole) {
            modify(m, index, r);
        } else {
            write_lazily(m, r, index, o);
        }
    }
    if (send_victim(m, &v, sent)) {
        *moved = v.size;
    }
    return WW_CACHE_MISS;
}

WwCacheResult model_access(Model *m, ModelReq *r, uint32_t now, uint32_t *sent)
{
    uint32_t index, moved = 0, size = r->size;
    *sent = 0;
    WwCacheResult p = model_probe(m, r->addr, r->partition, r->sectors, r->write, &index);
    WwCacheResult a = !r->write           ? do_read(m, r, p, index, now, sent)
                      : p == WW_CACHE_HIT ? write_hit(m, r, index, now, sent)
                                          : write_miss(m, r, p, index, now, sent, &moved);
    if (m->k.write != WW_WRITE_READ_ONLY) {
        m->data +=
            a == WW_CACHE_HIT ? size / m->k.width + (size % m->k.width != 0) : moved / m->k.width;
    }
    WwCacheResult shown = a;
    if ((p == WW_CACHE_HIT_RESERVED && a != WW_CACHE_RESERVATION_FAIL) ||
        (p == WW_CACHE_SECTOR_MISS && a == WW_CACHE_MISS)) {
        shown = p;
    }
    m->outcome[r->type][shown]++;
    return a;
}

/* ---- the rest -------------------------------------------------------------------------------- */

bool model_waits(const Model *m, const ModelReq *r)
{
    return g_ptr_array_find(m->waiting, r, NULL);
}

void model_fill(Model *m, ModelReq *r, uint32_t now)
{
    if (--r->parts != 0) {
        return;
    }
    ModelMiss *x = find_miss(m, r->addr);
    r->addr = r->own_addr;
    r->size = r->own_size;
    if (m->on_fill) {
        model_fill_address(m, x->key, r->partition, r->sectors, r->bytes, r->write, now);
    } else {
        model_fill_line(m, r->line, model_sector_of(m, r->sectors), r->bytes);
        if (x->atomic) {
            modify(m, r->line, r);
        }
    }
    g_ptr_array_add(m->complete, x);
    g_ptr_array_remove(m->waiting, r);
    m->fill += m->atom / m->k.width;
}

bool model_ready(const Model *m)
{
    return m->complete->len != 0;
}

static void free_miss(gpointer data)
{
    ModelMiss *x = data;
    g_ptr_array_unref(x->list);
    g_free(x);
}

ModelReq *model_take(Model *m)
{
    ModelMiss *x = g_ptr_array_index(m->complete, 0);
    ModelReq *r = g_ptr_array_remove_index(x->list, 0);
    if (x->list->len == 0) {
        g_ptr_array_remove_index(m->complete, 0);
        g_ptr_array_remove(m->misses, x);
    }
    return r;
}

ModelReq *model_cycle(Model *m, bool room)
{
    ModelReq *r = m->queue->len != 0 && room ? g_ptr_array_remove_index(m->queue, 0) : NULL;
    m->samples++;
    m->data_busy += m->data != 0;
    m->fill_busy += m->fill != 0;
    m->data -= m->data != 0;
    m->fill -= m->fill != 0;
    return r;
}

static void drop(Model *m, bool dirty_only)
{
    for (uint32_t i = 0; m->used && i < m->k.sets * m->ways; i++) {
        if (!dirty_only || model_any(m, &m->line[i], M_MODIFIED)) {
            for (uint32_t s = 0; s < 4; s++) {
                m->line[i].s[s].status = M_INVALID;
            }
        }
    }
    m->dirty = m->used ? 0 : m->dirty;
    m->used = false;
}

void model_invalidate(Model *m)
{
    drop(m, false);
}

void model_flush(Model *m)
{
    drop(m, true);
}

void model_ways(Model *m, uint32_t ways)
{
    m->ways = ways;
}

void model_install(Model *m, uint64_t addr, uint64_t partition, uint32_t now)
{
    static const bool none[128];
    model_fill_address(m, addr, partition, 1u << (addr % 128 / 32), none, true, now);
}

Model *model_new(const ModelConfig *k)
{
    Model *m = g_new0(Model, 1);
    m->k = *k;
    m->ways = k->ways;
    m->atom = k->sector ? 32 : k->line;
    m->on_fill = k->alloc != M_MISS;
    m->line = g_new0(ModelLine, k->sets * k->max_ways);
    for (uint32_t i = 0; i < 4 * k->sets * k->max_ways; i++) {
        m->line[i / 4].s[i % 4].readable = true;
    }
    m->misses = g_ptr_array_new_with_free_func(free_miss);
    m->complete = g_ptr_array_new();
    m->waiting = g_ptr_array_new();
    m->queue = g_ptr_array_new();
    m->made = g_ptr_array_new_with_free_func(g_free);
    return m;
}

void model_free(Model *m)
{
    g_ptr_array_unref(m->misses);
    g_ptr_array_unref(m->complete);
    g_ptr_array_unref(m->waiting);
    g_ptr_array_unref(m->queue);
    g_ptr_array_unref(m->made);
    g_free(m->line);
    g_free(m);
}
