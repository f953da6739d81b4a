/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lines that need no parsing: programs loop and warps do the same, so that nearly every line equals, byte for byte but
 * for its mask and its addresses, the one that followed the line before it last time or the time before.
 *
 * Each remembered line knows those two. A candidate's bytes are compared where the line would stand, eight at a time: PC,
 * the text behind the mask, and the newline or, when it has addresses, what stood behind the base address last time. So
 * a line costs some 35 host instructions, one with addresses some 130; nobody looks for its end. What differs is for
 * decode.c.
 */
#include "text-priv.h"
#include "trace-priv.h"

/** PC and the blank behind it fit into eight bytes. */
#define MAX_PC_DIGITS 7u
/** Longer text is left to decode.c. */
#define MAX_TEXT 256u

/** Where a line may begin in a buffer, and where it was told apart. */
typedef struct Place {
    const char *p, *stop;
} Place;

static inline bool same_bytes(const char *p, const uint64_t *text, uint32_t n, uint64_t last_used)
{
    for (; n > 8; n -= 8, p += 8, text++) {
        if (ww_eight(p) != *text) {
            return false;
        }
    }
    return ((ww_eight(p) ^ *text) & last_used) == 0;
}

/** What five fields take at most, before skip_fields() gives up. */
#define MAX_FIELDS 128

/** The fields in front of the pc; NULL: no numbers with one blank behind each. */
static const char *skip_fields(const char *p, uint32_t n)
{
    for (; n != 0; n--) {
        const char *first = p;
        while (*p >= '0' && *p <= '9') {
            p++;
        }
        if (p == first || p - first > 18 || *p++ != ' ') {
            return NULL;
        }
    }
    return p;
}

/** Eight digits of a mask. */
static inline bool read_mask(WwLineBytes *b, const char *p)
{
    uint64_t v = ww_eight(p);
    if (v != b->mask_text) {
        if (ww_hex_digits(v) != WW_EACH << 7) {
            return false;
        }
        b->mask_text = v;
        b->mask = (uint32_t)ww_hex_value_of(v);
    }
    return true;
}

/** Of a line with addresses: mode and base at @p p, then what the entry remembers. Returns the start of the next line, or NULL. */
static inline const char *follow_addresses(WwSinstTable *table, WwCtaBuf *c, WwLineEntry *e,
                                           Place at, WwTinst *t)
{
    WwAddrMemo *m = &e->memo;
    const char *p = at.p;
    if (!ww_memo_fits(m, t->mask) || !ww_reserve_addr(c)) {
        return NULL;
    }
    const uint64_t mode = (uint64_t)m->block->mode << 8 | UINT64_C(0x7830203020); /* " 0 0x" */
    WwAddrBlock *b = ww_next_block(c);
    if ((ww_eight(p) & UINT64_C(0xFFFFFFFFFF)) != mode ||
        (p = ww_scan_hex_digits(p + 5, &b->base)) == NULL || at.stop - p < m->len + 2 ||
        memcmp(p, m->text, m->len) != 0) {
        return NULL;
    }
    p += m->len;
    p += *p == ' ';
    if (*p != '\n') {
        return NULL;
    }
    b->mode = m->block->mode;
    ww_memo_recall(table, m, b);
    t->addr = ww_commit_block(c, b);
    return p + 1;
}

/** The line at @p at, if its bytes are those of @p e, into @p t. Returns the start of the next line, or NULL. */
static inline const char *follow_one(WwSinstTable *table, WwCtaBuf *c, WwLineEntry *e, Place at,
                                     WwTinst *t)
{
    WwLineBytes *b = &e->bytes;
    if (((ww_eight(at.p) ^ b->pc) & b->pc_used) != 0 || b->n_pc == 0 ||
        at.stop - at.p < b->n_pc + 8 + b->n || !read_mask(b, at.p + b->n_pc)) {
        return NULL;
    }
    at.p += b->n_pc + 8;
    if (!same_bytes(at.p, b->text, b->n, b->last_used)) {
        return NULL;
    }
    at.p += b->n;
    *t = (WwTinst){.sinst = e->sinst, .mask = b->mask};
    return e->has_addr ? follow_addresses(table, c, e, at, t) : at.p;
}

uint32_t ww_follow(WwKernelReader *k, WwCtaBuf *c, uint32_t most)
{
    WwLines *l = &k->lines;
    WwLineEntry *last = k->last;
    Place at = {.p = l->buf + l->begin, .stop = l->buf + l->end};
    const char *begin = at.p;
    uint32_t n = 0;
    if (last == NULL || l->again) {
        return 0;
    }
    for (; n < most; n++) {
        WwTinst t;
        WwLineEntry *e = last->next[0];
        if (k->skip != 0 &&
            (at.stop - at.p < MAX_FIELDS || (at.p = skip_fields(at.p, k->skip)) == NULL)) {
            break;
        }
        const char *next = follow_one(&k->table, c, e, at, &t);
        if (next == NULL) {
            e = last->next[1];
            next = follow_one(&k->table, c, e, at, &t);
            if (next == NULL) {
                break;
            }
            last->next[1] = last->next[0];
            last->next[0] = e;
        }
        at.p = begin = next;
        last = e;
        c->inst[c->n_inst++] = t;
        if (G_UNLIKELY(e->special)) {
            if (e->odd) {
                ww_cta_odd(k, c, e);
            }
            if (e->exits) {
                ww_exit_lanes(c, t.mask, l->line + n + 1);
            }
        }
    }
    k->last = last;
    l->line += n;
    l->begin = l->scanned = (size_t)(begin - l->buf);
    return n;
}

/** Length of the text behind the mask that ww_follow() shall compare, from the blank on; 0: it cannot. */
static uint32_t length(const WwLines *l, const WwLineEntry *e, const char *text)
{
    size_t n = e->has_addr ? e->len : (size_t)(l->buf + l->begin - text);
    return n > MAX_TEXT ? 0 : (uint32_t)n + 1;
}

static void learn_bytes(WwKernelReader *k, WwLineEntry *e, const char *text)
{
    WwLineBytes *b = &e->bytes;
    const WwLines *l = &k->lines;
    const char *pc = skip_fields(l->last, k->skip), *p = pc;
    while (p != NULL && ww_hex_value[(uint8_t)*p] != 255) {
        p++;
    }
    if (p == NULL || *p != ' ' || p - pc > MAX_PC_DIGITS || text - p != 10 || p[9] != ' ' ||
        l->buf[l->begin - 1] != '\n') {
        return;
    }
    uint32_t n = length(l, e, text), n_pc = (uint32_t)(p + 1 - pc);
    if (n == 0 || !read_mask(b, p + 1)) {
        return;
    }
    b->text = ww_heap_take(k->lines.heap, (n + 7) / 8 * 8);
    char *copy = (char *)b->text;
    memcpy(copy, text - 1, n);
    if (!e->has_addr) { /* as it was before the end of the line was cut off */
        copy[l->last + l->last_len - (text - 1)] = l->cut;
    }
    for (uint32_t i = 0; i < (n + 7) / 8; i++) {
        b->text[i] = GUINT64_FROM_LE(b->text[i]);
    }
    b->n = n;
    b->last_used = UINT64_MAX >> 8 * (-n % 8);
    b->pc_used = UINT64_MAX >> 8 * (8 - n_pc);
    b->pc = ww_eight(pc) & b->pc_used;
    b->n_pc = n_pc;
}

void ww_follow_learn(WwKernelReader *k, WwLineEntry *e, const char *text)
{
    if (e->bytes.text == NULL) {
        learn_bytes(k, e, text);
    }
    if (k->last != NULL && k->last->next[0] != e) {
        k->last->next[1] = k->last->next[0];
        k->last->next[0] = e;
    }
    k->last = e;
}
