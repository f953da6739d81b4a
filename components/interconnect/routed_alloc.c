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

void routed_alloc_init(void *owner, RoutedAlloc *a, uint32_t inputs, uint32_t outputs)
{
    a->inputs = inputs;
    a->outputs = outputs;
    a->in_words = (inputs + 63) / 64;
    a->out_words = (outputs + 63) / 64;
    a->by_out = ww_alloc(owner, (gsize)outputs * a->in_words * sizeof *a->by_out);
    a->by_in = ww_alloc(owner, (gsize)inputs * a->out_words * sizeof *a->by_in);
    a->asking = ww_alloc(owner, a->in_words * sizeof *a->asking);
    a->asked = ww_alloc(owner, a->out_words * sizeof *a->asked);
    a->in_match = ww_alloc(owner, inputs * sizeof *a->in_match);
    a->out_match = ww_alloc(owner, outputs * sizeof *a->out_match);
    a->grant = ww_alloc(owner, MAX(inputs, outputs) * sizeof *a->grant);
    a->in_pointer = ww_alloc(owner, inputs * sizeof *a->in_pointer);
    a->out_pointer = ww_alloc(owner, outputs * sizeof *a->out_pointer);
    if (a->matrix) {
        a->in_served = ww_alloc(owner, (gsize)inputs * outputs * sizeof *a->in_served);
        a->out_served = ww_alloc(owner, (gsize)inputs * outputs * sizeof *a->out_served);
    }
}

void routed_alloc_reset(RoutedAlloc *a)
{
    memset(a->by_out, 0, (gsize)a->outputs * a->in_words * sizeof *a->by_out);
    memset(a->by_in, 0, (gsize)a->inputs * a->out_words * sizeof *a->by_in);
    memset(a->asking, 0, a->in_words * sizeof *a->asking);
    memset(a->asked, 0, a->out_words * sizeof *a->asked);
    memset(a->in_pointer, 0, a->inputs * sizeof *a->in_pointer);
    memset(a->out_pointer, 0, a->outputs * sizeof *a->out_pointer);
    for (uint32_t i = 0; i < a->inputs; i++) {
        a->in_match[i] = -1;
    }
    for (uint32_t o = 0; o < a->outputs; o++) {
        a->out_match[o] = -1;
    }
    for (gsize i = 0; a->matrix && i < (gsize)a->inputs * a->outputs; i++) {
        a->in_served[i] = a->outputs - i % a->outputs; /* at power-on the last one is first */
        a->out_served[i] = a->inputs - i % a->inputs;
    }
    a->turn = (uint64_t)MAX(a->inputs, a->outputs) + 1;
    a->diagonal = 0;
}

void routed_alloc_clear(RoutedAlloc *a)
{
    FOR_BITS(i, a->asking, a->in_words)
    {
        memset(a->by_in + (gsize)i * a->out_words, 0, a->out_words * sizeof *a->by_in);
        a->in_match[i] = -1;
    }
    FOR_BITS(o, a->asked, a->out_words)
    {
        memset(a->by_out + (gsize)o * a->in_words, 0, a->in_words * sizeof *a->by_out);
        a->out_match[o] = -1;
    }
    memset(a->asking, 0, a->in_words * sizeof *a->asking);
    memset(a->asked, 0, a->out_words * sizeof *a->asked);
}

static inline const uint64_t *asked_by(const RoutedAlloc *a, uint32_t out)
{
    return a->by_out + (gsize)out * a->in_words;
}

static inline const uint64_t *asks_for(const RoutedAlloc *a, uint32_t in)
{
    return a->by_in + (gsize)in * a->out_words;
}

static void match(RoutedAlloc *a, uint32_t in, uint32_t out)
{
    a->in_match[in] = (int32_t)out;
    a->out_match[out] = (int32_t)in;
}

/* ---- iSLIP ----------------------------------------------------------------------------------- */

/* The first input from the pointer on, round to it again, that asks for @p out and has no match. */
static int32_t islip_grant(const RoutedAlloc *a, uint32_t out)
{
    const uint64_t *ask = asked_by(a, out);
    uint32_t from = a->out_pointer[out];
    int32_t i = bit_next(ask, a->in_words, from);
    for (; i >= 0 && a->in_match[i] >= 0;) {
        i = bit_next(ask, a->in_words, (uint32_t)i + 1);
    }
    if (i >= 0) {
        return i;
    }
    i = bit_next(ask, a->in_words, 0);
    for (; i >= 0 && (uint32_t)i < from && a->in_match[i] >= 0;) {
        i = bit_next(ask, a->in_words, (uint32_t)i + 1);
    }
    return i >= 0 && (uint32_t)i < from ? i : -1;
}

static int32_t islip_accept(const RoutedAlloc *a, uint32_t in)
{
    const uint64_t *ask = asks_for(a, in);
    uint32_t from = a->in_pointer[in];
    for (int32_t o = bit_next(ask, a->out_words, from); o >= 0;
         o = bit_next(ask, a->out_words, (uint32_t)o + 1)) {
        if (a->grant[o] == (int32_t)in) {
            return o;
        }
    }
    for (int32_t o = bit_next(ask, a->out_words, 0); o >= 0 && (uint32_t)o < from;
         o = bit_next(ask, a->out_words, (uint32_t)o + 1)) {
        if (a->grant[o] == (int32_t)in) {
            return o;
        }
    }
    return -1;
}

static void islip(RoutedAlloc *a)
{
    for (uint32_t iteration = 0; iteration < a->iterations; iteration++) {
        FOR_BITS(o, a->asked, a->out_words)
        {
            a->grant[o] = a->out_match[o] >= 0 ? -1 : islip_grant(a, (uint32_t)o);
        }
        FOR_BITS(i, a->asking, a->in_words)
        {
            int32_t o = islip_accept(a, (uint32_t)i);
            if (o < 0) {
                continue;
            }
            match(a, (uint32_t)i, (uint32_t)o);
            if (iteration == 0) {
                a->out_pointer[o] = ((uint32_t)i + 1) % a->inputs;
                a->in_pointer[i] = ((uint32_t)o + 1) % a->outputs;
            }
        }
    }
}

/* ---- separable ------------------------------------------------------------------------------- */

/* What an arbiter chooses among the bits of @p ask. */
static int32_t choose(const RoutedAlloc *a, const uint64_t *ask, uint32_t words, uint32_t pointer,
                      const uint64_t *served)
{
    if (!a->matrix) {
        int32_t i = bit_next(ask, words, pointer);
        return i >= 0 ? i : bit_next(ask, words, 0);
    }
    int32_t best = -1;
    FOR_BITS(i, ask, words)
    {
        if (best < 0 || served[i] < served[best]) {
            best = i;
        }
    }
    return best;
}

static int32_t choose_output(const RoutedAlloc *a, uint32_t in, const uint64_t *ask)
{
    return choose(a, ask, a->out_words, a->in_pointer[in],
                  a->matrix ? a->in_served + (gsize)in * a->outputs : NULL);
}

static int32_t choose_input(const RoutedAlloc *a, uint32_t out, const uint64_t *ask)
{
    return choose(a, ask, a->in_words, a->out_pointer[out],
                  a->matrix ? a->out_served + (gsize)out * a->inputs : NULL);
}

/* Both arbiters agreed. */
static void agree(RoutedAlloc *a, uint32_t in, uint32_t out)
{
    match(a, in, out);
    a->in_pointer[in] = (out + 1) % a->outputs;
    a->out_pointer[out] = (in + 1) % a->inputs;
    if (a->matrix) {
        a->in_served[(gsize)in * a->outputs + out] = a->turn;
        a->out_served[(gsize)out * a->inputs + in] = a->turn++;
    }
}

/* Takes back what the first arbiters did not choose: the requests of output @p out that are left are those that chose it. */
static void input_first(RoutedAlloc *a)
{
    FOR_BITS(i, a->asking, a->in_words)
    {
        int32_t chosen = choose_output(a, (uint32_t)i, asks_for(a, (uint32_t)i));
        FOR_BITS(o, asks_for(a, (uint32_t)i), a->out_words)
        {
            if (o != chosen) {
                bit_clear(a->by_out + (gsize)o * a->in_words, (uint32_t)i);
            }
        }
    }
    FOR_BITS(o, a->asked, a->out_words)
    {
        int32_t i = choose_input(a, (uint32_t)o, asked_by(a, (uint32_t)o));
        if (i >= 0) {
            agree(a, (uint32_t)i, (uint32_t)o);
        }
    }
}

static void output_first(RoutedAlloc *a)
{
    FOR_BITS(o, a->asked, a->out_words)
    {
        int32_t chosen = choose_input(a, (uint32_t)o, asked_by(a, (uint32_t)o));
        FOR_BITS(i, asked_by(a, (uint32_t)o), a->in_words)
        {
            if (i != chosen) {
                bit_clear(a->by_in + (gsize)i * a->out_words, (uint32_t)o);
            }
        }
    }
    FOR_BITS(i, a->asking, a->in_words)
    {
        int32_t o = choose_output(a, (uint32_t)i, asks_for(a, (uint32_t)i));
        if (o >= 0) {
            agree(a, (uint32_t)i, (uint32_t)o);
        }
    }
}

/* ---- wavefront, lonely output ---------------------------------------------------------------- */

static void wavefront(RoutedAlloc *a, bool skip)
{
    uint32_t square = MAX(a->inputs, a->outputs);
    int64_t first = -1;
    for (uint32_t p = 0; p < square; p++) {
        FOR_BITS(o, a->asked, a->out_words)
        {
            uint32_t in = (a->diagonal + p + square - (uint32_t)o) % square;
            if (in < a->inputs && a->in_match[in] < 0 && a->out_match[o] < 0 &&
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
        c += (uint32_t)__builtin_popcountll(words[i]);
    }
    return c;
}

/* The output that the fewest ask for, from the pointer on. */
static int32_t loneliest(const RoutedAlloc *a, uint32_t in)
{
    int32_t best = -1;
    uint32_t fewest = a->inputs + 1, best_distance = 0;
    FOR_BITS(o, asks_for(a, in), a->out_words)
    {
        uint32_t n = count(asked_by(a, (uint32_t)o), a->in_words);
        uint32_t distance = ((uint32_t)o + a->outputs - a->in_pointer[in]) % a->outputs;
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
    FOR_BITS(i, a->asking, a->in_words)
    {
        a->grant[i] = loneliest(a, (uint32_t)i);
    }
    FOR_BITS(o, a->asked, a->out_words)
    {
        int32_t best = -1;
        uint32_t from = a->out_pointer[o];
        FOR_BITS(i, asked_by(a, (uint32_t)o), a->in_words)
        {
            bool wraps = (uint32_t)i < from, best_wraps = best >= 0 && (uint32_t)best < from;
            if (a->grant[i] == o && (best < 0 || (best_wraps && !wraps))) {
                best = i;
            }
        }
        if (best >= 0) {
            match(a, (uint32_t)best, (uint32_t)o);
            a->in_pointer[best] = (a->in_pointer[best] + 1) % a->outputs;
            a->out_pointer[o] = (a->out_pointer[o] + 1) % a->inputs;
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
        input_first(a);
        break;
    case ALLOC_OUTPUT_FIRST:
        output_first(a);
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
