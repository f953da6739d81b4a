/* SPDX-License-Identifier: Apache-2.0 */
/* The tag array: lookup, replacement, allocation, fills. */
#include "tags-priv.h"
#include <warpwright/component.h>

/* ---- classes --------------------------------------------------------------------------------- */

#define LOW(s) ((s)&0x55)
#define HIGH(s) ((s) >> 1 & 0x55)
#define CLASS(s)                                                                                   \
    ((s) == 0                   ? LINE_INVALID                                                     \
     : (LOW(s) & ~HIGH(s)) != 0 ? LINE_RESERVED                                                    \
     : (LOW(s) & HIGH(s)) != 0  ? LINE_MODIFIED                                                    \
                                : LINE_CLEAN)
#define CLASS4(s) CLASS(s), CLASS(s + 1), CLASS(s + 2), CLASS(s + 3)
#define CLASS16(s) CLASS4(s), CLASS4(s + 4), CLASS4(s + 8), CLASS4(s + 12)
#define CLASS64(s) CLASS16(s), CLASS16(s + 16), CLASS16(s + 32), CLASS16(s + 48)

const uint8_t line_classes[256] = {CLASS64(0), CLASS64(64), CLASS64(128), CLASS64(192)};

/* ---- lines by tag ---------------------------------------------------------------------------- */

static inline void index_add(Tags *t, uint32_t line)
{
    Line *l = &t->line[line];
    uint16_t *first = tags_bucket(t, l->tag);
    l->chain = *first;
    *first = (uint16_t)(line + 1);
}

static inline void index_remove(Tags *t, uint32_t line)
{
    const Line *l = &t->line[line];
    uint16_t *at = tags_bucket(t, l->tag);
    while (*at != line + 1) {
        at = &t->line[*at - 1].chain;
    }
    *at = l->chain;
}

/* ---- memory ---------------------------------------------------------------------------------- */

#define FEW 128u                    /* lines for which there is room at first; it doubles */
static const uint16_t no_bucket[2]; /* before that */

static void *more(const Tags *t, const void *from, uint32_t room, size_t size)
{
    void *to = ww_alloc(t->owner, room * size);
    if (from != NULL) {
        memcpy(to, from, t->room * size);
    }
    return to;
}

WW_COLD static void grow(Tags *t)
{
    uint32_t room = MIN(MAX(2 * t->room, FEW), t->max_lines), bits = 1;
    while (1u << bits < MIN(2 * room, t->max_lines)) {
        bits++;
    }
    t->line = more(t, t->line, room, sizeof *t->line);
    t->bytes = more(t, t->bytes, room, sizeof *t->bytes);
    t->at = t->at != NULL ? t->at : ww_alloc(t->owner, t->max_lines * sizeof *t->at);
    t->room = room;
    t->bucket = ww_alloc(t->owner, sizeof *t->bucket << bits);
    t->bucket_shift = (uint8_t)(64 - bits);
    for (uint32_t line = 0; line < t->n; line++) {
        if (t->line[line].status != 0) {
            index_add(t, line);
        }
    }
}

/* The line at @p place, which is met for the first time. */
static __attribute__((noinline)) uint32_t new_line(Tags *t, uint32_t place)
{
    if (t->n == t->room) {
        grow(t);
    }
    t->line[t->n].place = (uint16_t)place;
    t->at[place] = (uint16_t)(t->n + 1);
    return t->n++;
}

/* The line at @p place. */
static inline uint32_t line_at(Tags *t, uint32_t place)
{
    uint32_t at = t->n != 0 ? t->at[place] : 0;
    return G_LIKELY(at != 0) ? at - 1 : new_line(t, place);
}

/* ---- lists by age ---------------------------------------------------------------------------- */

static inline LineList *list_of(Tags *t, uint32_t line, LineClass class)
{
    SetLists *s =
        &t->list[t->line[line].place * t->one_way >> 32]; /* exact: places * ways is below 2^32 */
    return class == LINE_CLEAN ? &s->clean : &s->modified;
}

static inline bool listed(const Tags *t, uint32_t line, LineClass class)
{
    return class >= LINE_CLEAN && t->line[line].place < t->visible;
}

static void list_remove(Tags *t, LineList *list, uint32_t line)
{
    const Line *l = &t->line[line];
    *(l->prev != 0 ? &t->line[l->prev - 1].next : &list->first) = l->next;
    *(l->next != 0 ? &t->line[l->next - 1].prev : &list->last) = l->prev;
}

/*
 * Puts a line in by age, among equals by way. It nearly always belongs near the end: what is
 * inserted was just accessed, or just filled while few others were.
 */
static void list_insert(Tags *t, LineList *list, uint32_t line)
{
    Line *l = &t->line[line];
    const uint32_t origin = tags_origin(t, l->age), age = l->age - origin;
    uint16_t after = list->last;
    while (after != 0) {
        const Line *a = &t->line[after - 1];
        if (a->age - origin < age || (a->age == l->age && a->place < l->place)) {
            break;
        }
        after = a->prev;
    }
    uint16_t *link = after != 0 ? &t->line[after - 1].next : &list->first;
    l->prev = after;
    l->next = *link;
    *link = (uint16_t)(line + 1);
    *(l->next != 0 ? &t->line[l->next - 1].prev : &list->last) = (uint16_t)(line + 1);
}

static void list_append(Tags *t, LineList *list, uint32_t line)
{
    Line *l = &t->line[line];
    l->prev = list->last;
    l->next = 0;
    *(list->last != 0 ? &t->line[list->last - 1].next : &list->first) = (uint16_t)(line + 1);
    list->last = (uint16_t)(line + 1);
}

void tags_move(Tags *t, uint32_t line, uint32_t age)
{
    Line *l = &t->line[line];
    LineList *list = list_of(t, line, line_class(l->status));
    list_remove(t, list, line);
    l->age = age;
    list_insert(t, list, line);
}

/* Every change of a line's status goes through here or allocate(): it keeps index, bit and list right. */
static void set_line(Tags *t, uint32_t line, uint8_t status)
{
    Line *l = &t->line[line];
    LineClass before = line_class(l->status), after = line_class(status);
    l->status = status;
    if (before == after) {
        return;
    }
    if (before == LINE_INVALID) { /* a blind fill: another line may have its tag by now */
        t->taken[l->place / 64] |= 1ull << (l->place % 64);
        t->mixed = true;
        index_add(t, line);
    } else if (after == LINE_INVALID) {
        t->taken[l->place / 64] &= ~(1ull << (l->place % 64));
        index_remove(t, line);
    }
    if (listed(t, line, before)) {
        list_remove(t, list_of(t, line, before), line);
    }
    if (listed(t, line, after)) {
        list_insert(t, list_of(t, line, after), line);
    }
}

void tags_set_status(Tags *t, uint32_t line, uint32_t sector, SectorStatus status)
{
    uint32_t at = 2 * sector;
    set_line(t, line, (uint8_t)((t->line[line].status & ~(3u << at)) | (uint32_t)status << at));
}

/* ---- lookup ---------------------------------------------------------------------------------- */

/* The highest place of the set whose line is INVALID. */
static uint32_t highest_free(const Tags *t, uint32_t set)
{
    uint32_t first = set * t->ways, end = first + t->ways;
    while (end > first) {
        uint32_t word = (end - 1) / 64, low = MAX(first, word * 64);
        uint64_t free = ~t->taken[word] & UINT64_MAX >> (63 - (end - 1) % 64);
        free &= UINT64_MAX << (low % 64);
        if (free != 0) {
            return word * 64 + 63 - (uint32_t)__builtin_clzll(free);
        }
        end = low;
    }
    return NO_LINE;
}

/* The lowest. */
static uint32_t lowest_free(const Tags *t, uint32_t set)
{
    uint32_t first = set * t->ways, end = first + t->ways;
    while (first < end) {
        uint64_t free = ~t->taken[first / 64] & UINT64_MAX << (first % 64);
        if (free != 0) {
            uint32_t place = first / 64 * 64 + (uint32_t)__builtin_ctzll(free);
            return place < end ? place : NO_LINE;
        }
        first = first / 64 * 64 + 64;
    }
    return NO_LINE;
}

uint32_t tags_victim(Tags *t, uint32_t set)
{
    uint32_t free = t->free_from_top ? highest_free(t, set) : lowest_free(t, set);
    if (free != NO_LINE) {
        return line_at(t, free);
    }
    if (G_UNLIKELY(t->policy != NULL)) {
        return tags_other_victim(t, set);
    }
    const SetLists *s = &t->list[set];
    uint32_t clean = s->clean.first - 1u; /* 0 - 1 is NO_LINE */
    uint32_t modified = t->dirty >= t->limit ? s->modified.first - 1u : NO_LINE;
    if (clean == NO_LINE || modified == NO_LINE) {
        return clean == NO_LINE ? modified : clean;
    }
    uint32_t origin = tags_origin(t, t->line[modified].age);
    uint32_t a = t->line[clean].age - origin, b = t->line[modified].age - origin;
    bool lower = t->line[clean].place < t->line[modified].place;
    return a < b || (a == b && lower) ? clean : modified;
}

/* ---- changes --------------------------------------------------------------------------------- */

static uint8_t modified_sectors(const Line *l)
{
    uint32_t m = l->status & l->status >> 1;
    return (uint8_t)((m & 1u) | (m >> 1 & 2u) | (m >> 2 & 4u) | (m >> 3 & 8u));
}

/* A line without sectors counts as 128 bytes in four. */
static void evict(Tags *t, uint32_t line, Evicted *out)
{
    const Line *l = &t->line[line];
    out->any = true;
    out->addr = l->tag;
    out->bytes = tags_bytes(t, line);
    out->sectors = t->sector ? modified_sectors(l) : 0xf;
    out->size = ww_ones32(out->sectors) * WW_SECTOR_BYTES;
    t->dirty--;
}

/* A line without sectors keeps what it knew of written bytes and readability. */
static void allocate(Tags *t, const Look *look, uint32_t now)
{
    uint32_t line = look->line;
    Line *l = &t->line[line];
    LineClass before = line_class(l->status);
    if (before == LINE_INVALID) {
        t->taken[l->place / 64] |= 1ull << (l->place % 64);
    } else {
        index_remove(t, line);
        if (listed(t, line, before)) {
            list_remove(t, list_of(t, line, before), line);
        }
    }
    if (t->sector) {
        l->unreadable = 0;
        l->written = false;
    }
    l->modified_on_fill = l->readable_on_fill = 0;
    l->merge_on_fill = false;
    l->tag = look->tag;
    l->age = now;
    l->status = (uint8_t)(SECTOR_RESERVED << (2 * look->sector));
    index_add(t, line);
    t->touched = true;
    if (G_UNLIKELY(t->policy != NULL)) {
        tags_tell_filled(t, line, before != LINE_INVALID, now);
    }
}

/* A further sector of a line that is there, or the refetch of one that was written in parts. */
static void allocate_sector(Tags *t, const Look *look, uint32_t now)
{
    Line *l = &t->line[look->line];
    uint8_t bit = (uint8_t)(1u << look->sector);
    bool was = line_status(l, look->sector) == SECTOR_MODIFIED;
    l->modified_on_fill = (uint8_t)((l->modified_on_fill & ~bit) | (was ? bit : 0));
    l->readable_on_fill &= (uint8_t)~bit;
    l->unreadable &= (uint8_t)~bit;
    bool before = line_modified(l);
    tags_set_status(t, look->line, look->sector, SECTOR_RESERVED);
    if (before && !line_modified(l)) {
        t->dirty--;
    }
    if (!t->fifo) {
        l->age = now; /* RESERVED, so in no list */
    }
    if (G_UNLIKELY(t->policy != NULL)) {
        tags_tell_touched(t, look->line, now);
    }
}

void tags_access(Tags *t, const Look *look, uint32_t now, Evicted *out)
{
    t->used = true;
    switch (look->result) {
    case WW_CACHE_HIT:
    case WW_CACHE_HIT_RESERVED:
        tags_hit(t, look->line, now);
        break;
    case WW_CACHE_MISS:
        if (!t->on_fill) {
            if (line_modified(&t->line[look->line])) {
                evict(t, look->line, out);
            }
            allocate(t, look, now);
        }
        break;
    case WW_CACHE_SECTOR_MISS:
        if (!t->on_fill) {
            allocate_sector(t, look, now);
        }
        break;
    default:
        break;
    }
}

void tags_fill_line(Tags *t, uint32_t line, uint32_t sector, const WwByteMask *bytes)
{
    Line *l = &t->line[line];
    bool before = line_modified(l);
    bool modified = l->modified_on_fill >> sector & 1u;
    tags_set_status(t, line, sector, modified ? SECTOR_MODIFIED : SECTOR_VALID);
    if (l->readable_on_fill >> sector & 1u) {
        l->unreadable &= (uint8_t) ~(1u << sector);
        if (t->sector) {
            l->readable_on_fill &= (uint8_t) ~(1u << sector);
        }
    }
    if (l->merge_on_fill) {
        tags_add_bytes(t, line, bytes);
    }
    if (!before && line_modified(l)) {
        t->dirty++;
    } else if (before && !line_modified(l) && t->exact_dirty) {
        t->dirty--;
    }
}

static bool waits(const Line *l, const Look *look)
{
    SectorStatus s = line_status(l, look->sector);
    return l->tag == look->tag && (s == SECTOR_RESERVED || s == SECTOR_MODIFIED);
}

uint32_t tags_waiting(const Tags *t, uint32_t line, const Look *look)
{
    if (waits(&t->line[line], look)) {
        return line;
    }
    line = tags_find(t, look->set, look->tag);
    return line != NO_LINE && waits(&t->line[line], look) ? line : NO_LINE;
}

#define ALL_VALID 0xaau /* status of sectors each of which is SECTOR_VALID */

/* The bits of status of @p n sectors from @p sector on. */
static uint32_t status_bits(uint32_t sector, uint32_t n)
{
    return ((1u << (2 * n)) - 1) << (2 * sector);
}

/* @p n further sectors of a line that is there, with their data at once: the same as if each was allocated, then filled, the last one @p now. */
static void fill_further(Tags *t, const Look *look, uint32_t n, const WwByteMask *bytes,
                         uint32_t now)
{
    Line *l = &t->line[look->line];
    uint8_t others = (uint8_t) ~(((1u << n) - 1) << look->sector);
    l->modified_on_fill &= others;
    l->readable_on_fill &= others;
    l->unreadable &= others;
    l->status |= (uint8_t)(ALL_VALID & status_bits(look->sector, n));
    if (l->merge_on_fill) {
        tags_add_bytes(t, look->line, bytes);
    }
    tags_age(t, look->line, now);
}

void tags_fill_address(Tags *t, Look *look, bool write, const WwByteMask *bytes, uint32_t now)
{
    tags_probe(t, look, write);
    if (look->result == WW_CACHE_RESERVATION_FAIL) {
        return;
    }
    if (look->result == WW_CACHE_SECTOR_MISS &&
        line_status(&t->line[look->line], look->sector) == SECTOR_INVALID) {
        fill_further(t, look, 1, bytes, now);
        return;
    }
    if (look->result == WW_CACHE_MISS) {
        /* what the victim had modified is lost: such caches write nothing back */
        if (line_modified(&t->line[look->line])) {
            t->dirty--;
        }
        allocate(t, look, now);
    } else if (look->result == WW_CACHE_SECTOR_MISS) {
        allocate_sector(t, look, now);
    }
    tags_fill_line(t, look->line, look->sector, bytes);
}

void tags_fill_sectors(Tags *t, Look *look, uint32_t n, uint32_t now)
{
    static const WwByteMask none;
    tags_fill_address(t, look, true, &none, now);
    uint32_t left = n - 1;
    look->sector++;
    if (left != 0 && look->line != NO_LINE &&
        (t->line[look->line].status & status_bits(look->sector, left)) == 0) {
        fill_further(t, look, left, &none, now + left);
        return;
    }
    for (; left != 0; left--, look->sector++) {
        tags_fill_address(t, look, true, &none, ++now);
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* Places within the sets of now whose lines are not INVALID: those of word @p w. */
static inline uint64_t taken_word(const Tags *t, uint32_t w)
{
    uint64_t m = t->taken[w];
    return (w + 1) * 64 <= t->visible ? m : m & ~(UINT64_MAX << (t->visible % 64));
}

/* Only the lines within the sets of now: what a smaller associativity hides stays as it is. */
void tags_invalidate(Tags *t)
{
    if (!t->touched || (!t->used && t->skip_unused)) {
        t->used = false;
        return;
    }
    bool all = !t->mixed || t->visible == t->max_lines;
    for (uint32_t w = 0; w * 64 < t->visible; w++) {
        uint64_t gone = taken_word(t, w);
        t->taken[w] &= ~gone;
        for (uint64_t m = gone; m != 0; m &= m - 1) {
            uint32_t line = t->at[w * 64 + (uint32_t)__builtin_ctzll(m)] - 1u;
            t->line[line].status = 0;
            if (!all) {
                index_remove(t, line);
            }
        }
    }
    if (all) {
        memset(t->bucket, 0, sizeof *t->bucket << (64 - t->bucket_shift));
        t->mixed = false;
    }
    memset(t->list, 0, t->sets * sizeof *t->list);
    t->dirty = 0;
    t->used = false;
}

void tags_flush_dirty(Tags *t)
{
    if (!t->used) {
        return;
    }
    for (uint32_t w = 0; w * 64 < t->visible; w++) {
        for (uint64_t m = taken_word(t, w); m != 0; m &= m - 1) {
            uint32_t line = t->at[w * 64 + (uint32_t)__builtin_ctzll(m)] - 1u;
            if (line_modified(&t->line[line])) {
                set_line(t, line, 0);
            }
        }
    }
    t->dirty = 0;
    t->used = false;
}

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void rebuild_set(Tags *t, uint32_t set)
{
    uint64_t old[WW_MAX_WAYS];
    uint32_t n = 0, origin = 0;
    t->list[set] = (SetLists){{0, 0}, {0, 0}};
    for (uint32_t place = set * t->ways; place < (set + 1) * t->ways; place++) {
        const Line *l = t->at[place] != 0 ? &t->line[t->at[place] - 1] : NULL;
        if (l != NULL && line_class(l->status) >= LINE_CLEAN) {
            origin = n == 0 ? tags_origin(t, l->age) : origin;
            old[n++] = (uint64_t)(l->age - origin) << 32 | place;
        }
    }
    qsort(old, n, sizeof *old, by_value);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t line = t->at[(uint32_t)old[i]] - 1u;
        list_append(t, list_of(t, line, line_class(t->line[line].status)), line);
    }
}

/* The share of dirty lines is compared in single precision; it grows with the count. */
static uint32_t dirty_limit(const Tags *t)
{
    uint32_t low = 0, high = UINT32_MAX;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        float percent = (float)middle / (float)(t->sets * t->ways) * 100;
        if (percent >= (float)t->write_ratio) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

static bool any_taken(const Tags *t)
{
    uint64_t any = 0;
    for (uint32_t w = 0; t->touched && w < (t->max_lines + 63) / 64; w++) {
        any |= t->taken[w];
    }
    return any != 0;
}

WW_COLD void tags_set_ways(Tags *t, uint32_t ways)
{
    if (ways == t->ways) {
        return;
    }
    t->ways = ways;
    t->one_way = ((1ull << 32) + ways - 1) / ways;
    t->visible = t->sets * ways;
    t->limit = dirty_limit(t);
    if (any_taken(t)) {
        t->mixed = true;
        for (uint32_t set = 0; set < t->sets; set++) {
            rebuild_set(t, set);
        }
    }
}

void tags_init(Tags *t, void *component, uint32_t max_ways)
{
    t->max_lines = t->sets * max_ways;
    t->owner = component;
    t->bucket = (uint16_t *)(uintptr_t)no_bucket;
    t->bucket_shift = 63;
    t->taken = ww_alloc(component, (t->max_lines + 63) / 64 * sizeof *t->taken);
    t->list = ww_alloc(component, t->sets * sizeof *t->list);
}

void tags_reset(Tags *t, uint32_t ways, bool on_fill)
{
    if (t->room != 0) {
        memset(t->line, 0, t->n * sizeof *t->line);
        memset(t->at, 0, t->max_lines * sizeof *t->at);
        memset(t->bucket, 0, sizeof *t->bucket << (64 - t->bucket_shift));
        memset(t->taken, 0, (t->max_lines + 63) / 64 * sizeof *t->taken);
        memset(t->list, 0, t->sets * sizeof *t->list);
        t->n = 0;
    }
    t->touched = t->used = t->mixed = false;
    t->dirty = 0;
    t->on_fill = on_fill;
    tags_set_ways(t, ways);
}
