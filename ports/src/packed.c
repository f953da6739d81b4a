/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Packed instructions: a prediction, and bytes for what it missed.
 *
 * Writer and reader keep the same table: for a static instruction (by its id, a few may share an
 * entry) who followed it last time, its last addresses, and by how much their base moved. An
 * instruction is predicted to be the follower of the one before, on the same lanes, with the
 * addresses of its own last time moved on. The bytes:
 *
 *     0lllllll              l + 1 instructions as predicted
 *     0xFF varint           that many as predicted
 *     1000AASM ...          one that differs: M its mask follows (4 bytes), S its id (varint, from
 *                           the id after the one before); AA its addresses: 0 as predicted, 1 none,
 *                           2 another base (varint, from the predicted one), 3 base and all
 *
 * Varints are 7 bits a byte, least first; signed numbers alternate (0, -1, 1, -2, ...). Addresses
 * are mode + 4 n, then what the mode has: its stride, or values, each from the one before in a list.
 * Chunks of bytes do not move: a pointer into one says what the last addresses were.
 */
#include <ports/packed.h>

#include <string.h>

#define SLOTS 1024u       /* of the table */
#define TOKEN_MAX 512u    /* bytes of one instruction, generously */
#define CHUNK_FIRST 2048u /* bytes; each chunk has twice those of the one before, up to */
#define CHUNK_LAST (256u << 10)
#define RING 4u /* instructions that the reader holds: WW_PACKED_BACK and the next */

enum { TOKEN = 0x80, LONG_RUN = 0xFF, NEW_MASK = 1, NEW_ID = 2, ADDR_SHIFT = 2 };
typedef enum Addresses { SAME, NONE, BASE, ALL } Addresses;

typedef struct Slot {
    const uint8_t *shape; /* the last addresses without their base; NULL: none */
    uint64_t base;
    uint64_t step;
    uint32_t next; /* who followed */
    uint32_t n_shape;
} Slot;

typedef struct Chunk {
    struct Chunk *next;
    uint32_t used, size;
    uint8_t data[];
} Chunk;

typedef struct Held {
    WwTinst inst;
    WwAddrRoom room;
} Held;

struct WwPacked {
    WwHeap *heap;
    Chunk *first, *last;
    uint64_t run; /* as predicted: not written yet, or still to be read */
    uint64_t n;   /* instructions */
    uint32_t id, mask;
    /* of the reader */
    const Chunk *chunk;
    const uint8_t *at;
    uint64_t read, given; /* instructions */
    Held held[RING];
    Slot slot[SLOTS];
};

/* ---- numbers --------------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *p, uint64_t value)
{
    for (; value > 127; value >>= 7) {
        *p++ = (uint8_t)(value | 128);
    }
    *p++ = (uint8_t)value;
    return p;
}

static const uint8_t *get(const uint8_t *p, uint64_t *value)
{
    *value = 0;
    for (uint32_t shift = 0;; shift += 7) {
        *value |= (uint64_t)(*p & 127) << shift;
        if (*p++ < 128) {
            return p;
        }
    }
}

static uint8_t *put_signed(uint8_t *p, uint64_t value)
{
    return put(p, value << 1 ^ (0 - (value >> 63)));
}

static const uint8_t *get_signed(const uint8_t *p, uint64_t *value)
{
    p = get(p, value);
    *value = *value >> 1 ^ (0 - (*value & 1));
    return p;
}

/* ---- addresses ------------------------------------------------------------------------------- */

/* What modes 1 and 2 call the base; of a list its first address. */
static uint64_t base_of(const WwAddrBlock *b)
{
    return b->mode != WW_ADDR_LIST ? b->base : b->n > 0 ? (uint64_t)ww_addr_values(b)[0] : 0;
}

static uint8_t *put_shape(uint8_t *p, const WwAddrBlock *b)
{
    const int64_t *value = ww_addr_values(b);
    *p++ = (uint8_t)(b->mode | b->n << 2);
    if (b->mode == WW_ADDR_STRIDE) {
        return put_signed(p, (uint64_t)b->stride);
    }
    for (uint32_t i = b->mode == WW_ADDR_LIST; i < b->n; i++) {
        uint64_t before = b->mode == WW_ADDR_LIST ? (uint64_t)value[i - 1] : 0;
        p = put_signed(p, (uint64_t)value[i] - before);
    }
    return p;
}

static const uint8_t *get_shape(const uint8_t *p, uint64_t base, WwAddrBlock *b)
{
    uint64_t value = 0;
    uint8_t head = *p++;
    b->mode = head & 3;
    b->n = head >> 2;
    b->base = base;
    b->stride = 0;
    b->shared = NULL;
    if (b->mode == WW_ADDR_STRIDE) {
        p = get_signed(p, &value);
        b->stride = (int64_t)value;
        return p;
    }
    if (b->mode == WW_ADDR_LIST) {
        b->base = 0;
        b->own[0] = (int64_t)base;
    }
    for (uint32_t i = b->mode == WW_ADDR_LIST; i < b->n; i++) {
        uint64_t before = b->mode == WW_ADDR_LIST ? (uint64_t)b->own[i - 1] : 0;
        p = get_signed(p, &value);
        b->own[i] = (int64_t)(value + before);
    }
    return p;
}

/* ---- both sides ------------------------------------------------------------------------------ */

static Slot *slot_of(WwPacked *k, uint32_t id)
{
    return &k->slot[id % SLOTS];
}

static void start(WwPacked *k)
{
    memset(k->slot, 0, sizeof k->slot);
    k->id = UINT32_MAX;
    k->mask = UINT32_MAX;
    k->run = 0;
}

static void learn(WwPacked *k, uint32_t id, uint32_t mask)
{
    slot_of(k, k->id)->next = id;
    k->id = id;
    k->mask = mask;
}

static void move_base(Slot *s, uint64_t base)
{
    s->step = base - s->base;
    s->base = base;
}

/* ---- writing --------------------------------------------------------------------------------- */

WW_COLD static Chunk *add_chunk(WwPacked *k)
{
    Chunk *c = k->last;
    uint32_t size = c == NULL ? CHUNK_FIRST : MIN(2 * c->size, CHUNK_LAST);
    Chunk *more = ww_heap_take(k->heap, sizeof *more + size);
    *more = (Chunk){.size = size};
    *(c == NULL ? &k->first : &c->next) = more;
    return k->last = more;
}

static uint8_t *room_for_token(WwPacked *k)
{
    Chunk *c = k->last;
    if (c == NULL || c->size - c->used < TOKEN_MAX) {
        c = add_chunk(k);
    }
    return c->data + c->used;
}

static void commit(WwPacked *k, const uint8_t *end)
{
    k->last->used = (uint32_t)(end - k->last->data);
}

static void end_run(WwPacked *k)
{
    if (k->run == 0) {
        return;
    }
    uint8_t *p = room_for_token(k);
    if (k->run <= 128) {
        *p++ = (uint8_t)(k->run - 1);
    } else {
        *p++ = LONG_RUN;
        p = put(p, k->run);
    }
    commit(k, p);
    k->run = 0;
}

/* How the addresses differ from what is predicted. @p shape: room, filled when they have any. */
static Addresses compare(const Slot *s, const WwAddrBlock *b, uint8_t *shape, uint32_t *n_shape)
{
    if (b == NULL) {
        return s->shape == NULL ? SAME : NONE;
    }
    *n_shape = (uint32_t)(put_shape(shape, b) - shape);
    if (s->shape == NULL || s->n_shape != *n_shape || memcmp(s->shape, shape, *n_shape) != 0) {
        return ALL;
    }
    return base_of(b) == s->base + s->step ? SAME : BASE;
}

static void add(WwPacked *k, const WwTinst *t, const WwAddrBlock *b)
{
    uint8_t shape[TOKEN_MAX];
    uint32_t n_shape = 0;
    uint32_t expected = slot_of(k, k->id)->next;
    Slot *s = slot_of(k, t->sinst);
    Addresses addresses = compare(s, b, shape, &n_shape);
    uint32_t differs = (t->sinst != expected ? NEW_ID : 0u) | (t->mask != k->mask ? NEW_MASK : 0u);
    if (differs == 0 && addresses == SAME) {
        k->run++;
    } else {
        end_run(k);
        uint8_t *p = room_for_token(k);
        *p++ = (uint8_t)(TOKEN | (uint32_t)addresses << ADDR_SHIFT | differs);
        if (differs & NEW_ID) {
            p = put_signed(p, (uint64_t)t->sinst - ((uint64_t)k->id + 1));
        }
        if (differs & NEW_MASK) {
            memcpy(p, &t->mask, sizeof t->mask);
            p += sizeof t->mask;
        }
        if (addresses >= BASE) {
            p = put_signed(p, base_of(b) - (s->base + s->step));
        }
        if (addresses == ALL) {
            memcpy(p, shape, n_shape);
            s->shape = p;
            s->n_shape = n_shape;
            p += n_shape;
        } else if (addresses == NONE) {
            s->shape = NULL;
        }
        commit(k, p);
    }
    if (b != NULL) {
        move_base(s, base_of(b));
    }
    learn(k, t->sinst, t->mask);
}

void ww_packed_add(WwPacked *k, const WwTinst *inst, uint32_t n, const uint64_t *arena)
{
    for (uint32_t i = 0; i < n; i++) {
        const void *block = inst[i].addr != 0 ? arena + inst[i].addr - 1 : NULL;
        add(k, &inst[i], block);
    }
    k->n += n;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Reads what stands before the next instruction; its number of addresses may change there. */
static uint32_t next_token(WwPacked *k)
{
    if (k->run > 0) {
        k->run--;
        return 0;
    }
    while (k->at == k->chunk->data + k->chunk->used) {
        k->chunk = k->chunk->next;
        k->at = k->chunk->data;
    }
    uint32_t token = *k->at++;
    if (token == LONG_RUN) {
        k->at = get(k->at, &k->run);
    } else if (token < TOKEN) {
        k->run = token + 1;
    } else {
        return token;
    }
    k->run--;
    return 0;
}

static void read_one(WwPacked *k)
{
    Held *h = &k->held[k->read++ % RING];
    uint32_t token = next_token(k), id = slot_of(k, k->id)->next, mask = k->mask;
    Addresses addresses = token >> ADDR_SHIFT & 3;
    uint64_t value = 0;
    if (token & NEW_ID) {
        k->at = get_signed(k->at, &value);
        id = (uint32_t)((uint64_t)k->id + 1 + value);
    }
    if (token & NEW_MASK) {
        memcpy(&mask, k->at, sizeof mask);
        k->at += sizeof mask;
    }
    Slot *s = slot_of(k, id);
    value = 0;
    if (addresses >= BASE) {
        k->at = get_signed(k->at, &value);
    }
    if (addresses == NONE) {
        s->shape = NULL;
    } else if (addresses == ALL) {
        s->shape = k->at;
    }
    h->inst = (WwTinst){.sinst = id, .mask = mask, .addr = s->shape != NULL};
    if (s->shape != NULL) {
        uint64_t base = s->base + s->step + value;
        const uint8_t *end = get_shape(s->shape, base, ww_addr_block(&h->room));
        k->at = addresses == ALL ? end : k->at;
        move_base(s, base);
    }
    learn(k, id, mask);
}

void ww_packed_start(WwPacked *k)
{
    if (k->chunk == NULL) {
        end_run(k); /* the first time */
    }
    start(k);
    k->chunk = k->first;
    k->at = k->chunk != NULL ? k->chunk->data : NULL;
    k->read = k->given = 0;
    if (k->n > 0) {
        read_one(k);
    }
}

bool ww_packed_next(WwPacked *k, WwTinst *out, WwAddrRoom *room)
{
    if (k->given == k->n) {
        return false;
    }
    Held *h = &k->held[k->given++ % RING];
    *out = h->inst;
    if (out->addr != 0) {
        const WwAddrBlock *b = ww_addr_block(&h->room);
        memcpy(room, b, sizeof *b + b->n * sizeof b->own[0]);
    }
    if (k->given == k->read && k->read < k->n) {
        read_one(k);
    }
    return true;
}

uint32_t ww_packed_peek(const WwPacked *k)
{
    return k->given < k->n ? k->held[k->given % RING].inst.sinst : UINT32_MAX;
}

void ww_packed_back(WwPacked *k, uint32_t n)
{
    k->given -= n;
}

/* ---- life ------------------------------------------------------------------------------------ */

WwPacked *ww_packed_new(WwHeap *heap)
{
    WwPacked *k = WW_HEAP_NEW(heap, WwPacked, 1);
    k->heap = heap;
    start(k);
    return k;
}

void ww_packed_free(WwPacked *k)
{
    if (k == NULL) {
        return;
    }
    while (k->first != NULL) {
        Chunk *c = k->first;
        k->first = c->next;
        ww_heap_give(k->heap, c);
    }
    ww_heap_give(k->heap, k);
}

size_t ww_packed_bytes(const WwPacked *k)
{
    size_t n = sizeof *k;
    for (const Chunk *c = k->first; c != NULL; c = c->next) {
        n += sizeof *c + c->size;
    }
    return n;
}
