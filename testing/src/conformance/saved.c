/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bench whose machine is saved, freed, built anew and made what it was. Whoever stands outside goes on with the new one: the tokens
 * that it holds are in the heap, at the addresses that they had.
 *
 *     build -> image -> run -> words that differ from the image
 *     free; something else runs; free
 *     build -> image -> the same words -> run on
 */
#include "conformance-priv.h"

#include <checkpoint/checkpoint.h>
#include <string.h>
#include <warpwright/component.h>

enum {
    EVERY = 150, /* Ticks from one to the next, about, */
    LATER = 1500 /* and when only what is inside comes out. */
};

struct Moving {
    GRand *random;
    bool looks;  /* It looks for addresses of this process, and moves nothing. */
    bool wanted; /* As soon as it can be. */
    uint32_t times;
    WwHeapImage *image;
    WwCheckpoint *checkpoint;
};

/* ---- images ------------------------------------------------------------------------------------------------------ */

static void forget(Moving *m)
{
    g_clear_pointer(&m->image, ww_heap_image_free);
    g_clear_pointer(&m->checkpoint, ww_checkpoint_free);
}

/* As it was built. False: this process has no such addresses. */
static bool look_at(Bench *b)
{
    Moving *m = b->moving;
    WwHeap *heap = ww_machine_heap(ww_harness_machine(b->h));
    g_autoptr(GError) error = NULL;
    forget(m);
    if (m->looks) {
        m->checkpoint = ww_checkpoint_new(&heap, 1, &error);
    } else if (ww_heap_fixed(heap)) {
        m->image = ww_heap_image_new(heap);
    }
    return m->looks ? m->checkpoint != NULL : m->image != NULL;
}

bool conform_moves(Bench *b, uint32_t seed, bool looks)
{
    Moving *m = b->moving = g_new0(Moving, 1);
    m->random = g_rand_new_with_seed(seed);
    m->looks = looks;
    return look_at(b);
}

void conform_moves_end(Bench *b)
{
    if (b->moving != NULL) {
        forget(b->moving);
        g_rand_free(b->moving->random);
        g_clear_pointer(&b->moving, g_free);
    }
}

/* ---- addresses of this process ----------------------------------------------------------------------------------- */

typedef struct Foreign {
    const Bench *b;
    GString *text;
} Foreign;

/* What a driver keeps is not the machine's. */
static bool of_a_driver(const Bench *b, const uint64_t *word)
{
    for (uint32_t i = 0; i < b->drives->len; i++) {
        const WwDrive *d = g_ptr_array_index(b->drives, i);
        const char *from = d->state, *at = (const char *)word;
        if (at >= from && at < from + conform_driver(b, d)->state) {
            return true;
        }
    }
    return false;
}

/* Where the word is: in the state of a component, or in memory that one has taken. */
static void say_word(void *user, const uint64_t *word)
{
    Foreign *f = user;
    const WwMachine *m = ww_harness_machine(f->b->h);
    if (f->text->len != 0 || of_a_driver(f->b, word)) {
        return; /* one is enough */
    }
    g_string_printf(f->text, "memory that was taken holds");
    for (uint32_t i = 0; i < ww_machine_n_components(m); i++) {
        const WwComponent *c = ww_machine_component(m, i);
        const char *from = (const char *)c, *at = (const char *)word;
        if (at >= from && at < from + c->type->size) {
            g_autofree char *path = ww_path(c);
            g_string_printf(f->text, "%s (%s), %zu bytes from its begin, holds", path,
                            c->type->name, (size_t)(at - from));
        }
    }
    g_string_append_printf(f->text, " %" G_GINT64_MODIFIER "x,", *word);
}

static void find_foreign(Bench *b)
{
    Foreign f = {b, g_string_new(NULL)};
    ww_checkpoint_foreign(b->moving->checkpoint, say_word, &f);
    if (f.text->len != 0) {
        conform_wrong(b,
                      "%s an address of this process that it got in the run (of a function, a "
                      "constant, or memory of others); expected its state to point to nothing but "
                      "memory of components: ww_alloc(), ww_take()",
                      f.text->str);
    }
    g_string_free(f.text, true);
}

/* ---- saved and restored ------------------------------------------------------------------------------------------ */

static GPtrArray *save(const Bench *b)
{
    const WwHeap *heap = ww_machine_heap(ww_harness_machine(b->h));
    GPtrArray *changes = g_ptr_array_new_with_free_func(g_free);
    WwHeapChange c;
    for (uint64_t page = 0; ww_heap_change(heap, b->moving->image, &page, &c);) {
        g_ptr_array_add(changes, g_memdup2(&c, sizeof c));
    }
    return changes;
}

/* Another of its type does other things, at the same place. */
static void disturb(Bench *b)
{
    Bench *other = conform_new(b->registry, b->type, b->params, b->needs, NULL);
    conform_begin(other, g_rand_int(b->moving->random));
    if (other->dead) {
        conform_wrong(b, "%s", other->wrong);
    }
    conform_free(other);
}

static void move(Bench *b)
{
    const void *self = ww_harness_self(b->h);
    uint64_t end = ww_heap_end(ww_machine_heap(ww_harness_machine(b->h)));
    g_autoptr(GPtrArray) changes = save(b);
    ww_harness_free(b->h);
    disturb(b);
    conform_rebuild(b);
    if (b->dead) {
        return;
    }
    WwHeap *heap = ww_machine_heap(ww_harness_machine(b->h));
    if (ww_harness_self(b->h) != self || !look_at(b) || !ww_heap_extend(heap, end)) {
        conform_wrong(b, "a machine that is built anew does not lie where the first one lay; "
                         "expected init() to take the same memory each time");
        return;
    }
    for (guint i = 0; i < changes->len; i++) {
        if (!ww_heap_apply(heap, changes->pdata[i])) {
            conform_wrong(b, "what was saved does not fit");
            return;
        }
    }
}

void conform_perhaps_move(Bench *b, bool later)
{
    Moving *m = b->moving;
    if (m == NULL || conform_failed(b)) {
        return;
    }
    m->wanted |= g_rand_int_range(m->random, 0, later ? LATER : EVERY) == 0;
    if (!m->wanted || !ww_machine_quiet(ww_harness_machine(b->h))) {
        return;
    }
    m->wanted = false;
    m->times++;
    if (m->looks) {
        find_foreign(b);
    } else {
        move(b);
    }
}

/* ---- the checks -------------------------------------------------------------------------------------------------- */

static bool is_saved(const Bench *b)
{
    return !b->dead && ww_checkpoint_refuses(ww_harness_machine(b->h)) == NULL;
}

/* All that changes is in heaps, and holds no address of the process; nothing is written beside it. */
char *check_memory(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    Bench *b = conform_new(registry, type, NULL, ALL_NEEDS, NULL);
    bool looks = is_saved(b) && conform_moves(b, seed_of(seed, 61), true);
    if (!b->dead) {
        conform_traffic(b, seed_of(seed, 62));
    }
    if (looks) {
        b->moving->wanted = true;
        conform_perhaps_move(b, true);
    }
    char *beside = b->dead ? NULL : ww_harness_overwritten(b->h);
    char *why = beside != NULL ? beside : looks || b->dead ? g_strdup(b->wrong) : NULL;
    conform_free(b);
    return why;
}

/* A run that is saved and goes on in a new machine, again and again, is the run that nobody touched. Other parameters may be refused, or fail alike. */
static char *in_pieces(const WwRegistry *registry, const WwType *type, const char *params,
                       Needs needs, uint32_t seed)
{
    g_autoptr(GError) error = NULL;
    char *why = NULL;
    Bench *a = conform_new(registry, type, params, needs, &error);
    if (a == NULL) {
        return params != NULL ? NULL : g_strdup(error->message);
    }
    bool saved = is_saved(a);
    Trail x = conform_trail(a, seed);
    conform_free(a);
    Bench *b = conform_new(registry, type, params, needs, NULL);
    if (b->dead) {
        why = g_strdup(b->wrong);
    } else {
        ww_machine_set_fingerprint(ww_harness_machine(b->h), true);
    }
    if (why == NULL && saved && conform_moves(b, seed, false)) {
        Trail y = conform_trail(b, seed);
        bool fail_alike = params != NULL && x.wrong != NULL && g_strcmp0(x.wrong, y.wrong) == 0;
        why = fail_alike ? NULL : conform_compare("in one piece, and saved and restored", &x, &y);
        conform_trail_clear(&y);
    }
    conform_trail_clear(&x);
    conform_free(b);
    return why;
}

char *check_saved(const WwRegistry *registry, const WwType *type, uint32_t seed)
{
    return conform_variously(registry, type, in_pieces, seed, 65);
}
