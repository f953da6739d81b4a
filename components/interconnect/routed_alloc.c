/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocators of a router: each input gets at most one output that it asked for, each output at most one input.
 *
 *   islip         outputs grant in turns, inputs accept in turns; both pointers move when the first iteration matched
 *   input first   each input chooses among its outputs, then each output among the inputs that chose it; by an arbiter each,
 *                 which moves on only when both agreed
 *   output first  the other way round
 *   wavefront     diagonals of the matrix of requests, beginning with one that moves on by one each time, or (rr_wavefront) behind
 *                 the first that matched
 *   loa           each input asks for the output that the fewest ask for, outputs grant in turns
 */
#include "routed-priv.h"

#include <string.h>

/* ---- both sides ------------------------------------------------------------------------------ */

static void side_init(void *owner, RoutedSide *s, uint32_t n, uint32_t others, bool matrix)
{
    s->n = n;
    s->words = (n + 63) / 64;
    s->ask = ww_alloc(owner, (gsize)n * ((others + 63) / 64) * sizeof *s->ask);
    s->asking = ww_alloc(owner, s->words * sizeof *s->asking);
    s->match = ww_alloc(owner, n * sizeof *s->match);
    s->pointer = ww_alloc(owner, n * sizeof *s->pointer);
    s->served = matrix ? ww_alloc(owner, (gsize)n * others * sizeof *s->served) : NULL;
}

static void side_reset(RoutedSide *s, const RoutedSide *other)
{
    memset(s->ask, 0, (gsize)s->n * other->words * sizeof *s->ask);
    memset(s->asking, 0, s->words * sizeof *s->asking);
    memset(s->pointer, 0, s->n * sizeof *s->pointer);
    for (uint32_t i = 0; i < s->n; i++) {
        s->match[i] = -1;
    }
    for (gsize i = 0; s->served != NULL && i < s->n; i++) {
        for (gsize o = 0; o < other->n; o++) {
            s->served[i * other->n + o] = other->n - o; /* at power-on the last one is first */
        }
    }
}

static void side_clear(RoutedSide *s, const RoutedSide *other)
{
    FOR_BITS(i, s->asking, s->words)
    {
        memset(s->ask + (gsize)i * other->words, 0, other->words * sizeof *s->ask);
        s->match[i] = -1;
    }
    memset(s->asking, 0, s->words * sizeof *s->asking);
}

void routed_alloc_init(void *owner, RoutedAlloc *a, uint32_t inputs, uint32_t outputs)
{
    side_init(owner, &a->in, inputs, outputs, a->matrix);
    side_init(owner, &a->out, outputs, inputs, a->matrix);
    a->grant = ww_alloc(owner, MAX(inputs, outputs) * sizeof *a->grant);
}

void routed_alloc_reset(RoutedAlloc *a)
{
    side_reset(&a->in, &a->out);
    side_reset(&a->out, &a->in);
    a->turn = (uint64_t)MAX(a->in.n, a->out.n) + 1;
    a->diagonal = 0;
}

void routed_alloc_clear(RoutedAlloc *a)
{
    side_clear(&a->in, &a->out);
    side_clear(&a->out, &a->in);
}

static inline const uint64_t *asked_by(const RoutedAlloc *a, uint32_t out)
{
    return a->out.ask + (gsize)out * a->in.words;
}

static inline const uint64_t *asks_for(const RoutedAlloc *a, uint32_t in)
{
    return a->in.ask + (gsize)in * a->out.words;
}

static void match(RoutedAlloc *a, uint32_t in, uint32_t out)
{
    a->in.match[in] = (int32_t)out;
    a->out.match[out] = (int32_t)in;
}

/* ---- iSLIP ----------------------------------------------------------------------------------- */

/* Bits from @p from on, round to it again: the one behind @p i, the first for -1; -1 when all were seen. */
static int32_t next_in_turn(const uint64_t *bits, uint32_t words, uint32_t from, int32_t i)
{
    bool round = i >= 0 && (uint32_t)i < from;
    int32_t next = bit_next(bits, words, i < 0 ? from : (uint32_t)i + 1);
    if (next < 0 && !round) {
        next = bit_next(bits, words, 0);
        round = true;
    }
    return round && next >= 0 && (uint32_t)next >= from ? -1 : next;
}

/* The first input from the pointer on that asks for @p out and has no match. */
static int32_t islip_grant(const RoutedAlloc *a, uint32_t out)
{
    int32_t i = -1;
    do {
        i = next_in_turn(asked_by(a, out), a->in.words, a->out.pointer[out], i);
    } while (i >= 0 && a->in.match[i] >= 0);
    return i;
}

/* The first output from the pointer on that was granted to @p in. */
static int32_t islip_accept(const RoutedAlloc *a, uint32_t in)
{
    int32_t o = -1;
    do {
        o = next_in_turn(asks_for(a, in), a->out.words, a->in.pointer[in], o);
    } while (o >= 0 && a->grant[o] != (int32_t)in);
    return o;
}

static void islip(RoutedAlloc *a)
{
    for (uint32_t iteration = 0; iteration < a->iterations; iteration++) {
        FOR_BITS(o, a->out.asking, a->out.words)
        {
            a->grant[o] = a->out.match[o] >= 0 ? -1 : islip_grant(a, (uint32_t)o);
        }
        FOR_BITS(i, a->in.asking, a->in.words)
        {
            int32_t o = islip_accept(a, (uint32_t)i);
            if (o < 0) {
                continue;
            }
            match(a, (uint32_t)i, (uint32_t)o);
            if (iteration == 0) {
                a->out.pointer[o] = ((uint32_t)i + 1) % a->in.n;
                a->in.pointer[i] = ((uint32_t)o + 1) % a->out.n;
            }
        }
    }
}

/* ---- separable ------------------------------------------------------------------------------- */

/* What the arbiter of @p i chooses among those that it asks for, or that ask for it. */
static int32_t choose(const RoutedSide *s, const RoutedSide *other, uint32_t i)
{
    const uint64_t *ask = s->ask + (gsize)i * other->words;
    if (s->served == NULL) {
        int32_t next = bit_next(ask, other->words, s->pointer[i]);
        return next >= 0 ? next : bit_next(ask, other->words, 0);
    }
    const uint64_t *served = s->served + (gsize)i * other->n;
    int32_t best = -1;
    FOR_BITS(o, ask, other->words)
    {
        if (best < 0 || served[o] < served[best]) {
            best = o;
        }
    }
    return best;
}

/* The arbiter of @p i of this side agreed with that of @p o of the other. */
static void agree(RoutedSide *s, const RoutedSide *other, uint32_t i, uint32_t o, uint64_t turn)
{
    s->match[i] = (int32_t)o;
    s->pointer[i] = (o + 1) % other->n;
    if (s->served != NULL) {
        s->served[(gsize)i * other->n + o] = turn;
    }
}

/* The requests of the second side that are left are those that the arbiters of the first one chose. */
static void separable(RoutedAlloc *a, RoutedSide *first, RoutedSide *second)
{
    FOR_BITS(i, first->asking, first->words)
    {
        int32_t chosen = choose(first, second, (uint32_t)i);
        FOR_BITS(o, first->ask + (gsize)i * second->words, second->words)
        {
            if (o != chosen) {
                bit_clear(second->ask + (gsize)o * first->words, (uint32_t)i);
            }
        }
    }
    FOR_BITS(o, second->asking, second->words)
    {
        int32_t i = choose(second, first, (uint32_t)o);
        if (i >= 0) {
            agree(first, second, (uint32_t)i, (uint32_t)o, a->turn);
            agree(second, first, (uint32_t)o, (uint32_t)i, a->turn++);
        }
    }
}

/* ---- wavefront, lonely output ---------------------------------------------------------------- */

static void wavefront(RoutedAlloc *a, bool skip)
{
    uint32_t square = MAX(a->in.n, a->out.n);
    int64_t first = -1;
    for (uint32_t p = 0; p < square; p++) {
        FOR_BITS(o, a->out.asking, a->out.words)
        {
            uint32_t in = (a->diagonal + p + square - (uint32_t)o) % square;
            if (in < a->in.n && a->in.match[in] < 0 && a->out.match[o] < 0 &&
                bit_is_set(asked_by(a, (uint32_t)o), in)) {
                match(a, in, (uint32_t)o);
                first = first < 0 ? (int64_t)in + o : first;
            }
        }
    }
    if (first >= 0) {
        a->diagonal = (uint32_t)((skip ? (uint64_t)first : a->diagonal) + 1) % square;
    }
}

static uint32_t count(const uint64_t *words, uint32_t n)
{
    uint32_t c = 0;
    for (uint32_t i = 0; i < n; i++) {
        c += ww_ones(words[i]);
    }
    return c;
}

/* The output that the fewest ask for, from the pointer on. */
static int32_t loneliest(const RoutedAlloc *a, uint32_t in)
{
    int32_t best = -1;
    uint32_t fewest = a->in.n + 1, best_distance = 0;
    FOR_BITS(o, asks_for(a, in), a->out.words)
    {
        uint32_t n = count(asked_by(a, (uint32_t)o), a->in.words);
        uint32_t distance = ((uint32_t)o + a->out.n - a->in.pointer[in]) % a->out.n;
        if (n < fewest || (n == fewest && distance < best_distance)) {
            best = o;
            fewest = n;
            best_distance = distance;
        }
    }
    return best;
}

static void lonely_outputs(RoutedAlloc *a)
{
    FOR_BITS(i, a->in.asking, a->in.words)
    {
        a->grant[i] = loneliest(a, (uint32_t)i);
    }
    FOR_BITS(o, a->out.asking, a->out.words)
    {
        int32_t best = -1;
        uint32_t from = a->out.pointer[o];
        FOR_BITS(i, asked_by(a, (uint32_t)o), a->in.words)
        {
            bool wraps = (uint32_t)i < from, best_wraps = best >= 0 && (uint32_t)best < from;
            if (a->grant[i] == o && (best < 0 || (best_wraps && !wraps))) {
                best = i;
            }
        }
        if (best >= 0) {
            match(a, (uint32_t)best, (uint32_t)o);
            a->in.pointer[best] = (a->in.pointer[best] + 1) % a->out.n;
            a->out.pointer[o] = (a->out.pointer[o] + 1) % a->in.n;
        }
    }
}

void routed_alloc_allocate(RoutedAlloc *a)
{
    switch ((RoutedAllocKind)a->kind) {
    case ALLOC_ISLIP:
        islip(a);
        break;
    case ALLOC_INPUT_FIRST:
        separable(a, &a->in, &a->out);
        break;
    case ALLOC_OUTPUT_FIRST:
        separable(a, &a->out, &a->in);
        break;
    case ALLOC_WAVEFRONT:
    case ALLOC_RR_WAVEFRONT:
        wavefront(a, a->kind == ALLOC_RR_WAVEFRONT);
        break;
    case ALLOC_LOA:
        lonely_outputs(a);
        break;
    }
}
