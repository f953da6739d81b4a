/* SPDX-License-Identifier: Apache-2.0 */
/* cache.texture: answers in the order of accesses, room, responses in parts. */
#include "tests.h"
#include <string.h>

#define LINE(n) ((uint64_t)(n)*128)

static Rig *texture(const char *params)
{
    return rig_new("cache.texture", params, 16);
}

/* A cycle in which a request comes out below. */
static WwMemReq *sent(Rig *r)
{
    WwMemReq *req = rig_cycle(r);
    g_assert_nonnull(req);
    return req;
}

/* A cycle at the end of which @p req can be taken; NULL: nothing can. */
static void gives(Rig *r, const WwMemReq *req)
{
    g_assert_null(rig_cycle(r));
    g_assert_true(r->c->peek(r->self) == req);
    if (req != NULL) {
        g_assert_true(r->c->take(r->self) == req);
        g_assert_null(r->c->peek(r->self));
    }
}

/* Whoever hits waits behind who brings the line, and everybody for those before. */
static void test_order(void)
{
    Rig *r = texture("sectors=false");
    WwMemReq *a = rig_req(r, false, LINE(1) + 32, 4), *same = rig_req(r, false, LINE(1) + 64, 4);
    WwMemReq *b = rig_req(r, false, LINE(2), 4);
    g_assert_cmpint(rig_access(r, a), ==, WW_CACHE_MISS);
    g_assert_cmpuint(r->sent, ==, WW_CACHE_SENT_READ);
    g_assert_cmpint(rig_access(r, same), ==, WW_CACHE_HIT_RESERVED);
    g_assert_cmpuint(r->sent, ==, 0);
    g_assert_cmpint(rig_access(r, b), ==, WW_CACHE_MISS);
    g_assert_true(sent(r) == a && a->addr == LINE(1) && a->size == 128);
    g_assert_true(ww_cache_awaits(r->c->facts(r->self), a));
    g_assert_true(sent(r) == b);
    gives(r, NULL);
    g_assert_false(ww_harness_due(r->h, "cache")); /* asleep until something comes */
    r->c->fill(r->self, b, ++r->now);
    gives(r, NULL);
    r->c->fill(r->self, a, ++r->now);
    g_assert_true(a->addr == LINE(1) + 32 && a->size == 32 && a->miss_of == NULL);
    gives(r, a);
    gives(r, same);
    gives(r, b);
    gives(r, NULL);
    g_assert_cmpint(rig_access(r, b), ==,
                    WW_CACHE_HIT_RESERVED); /* it is there, and comes in its turn */
    g_assert_null(r->c->peek(r->self));
    gives(r, b);
    g_assert_cmpuint(ww_harness_stat(r->h, "accesses", 0), ==, 4);
    g_assert_cmpuint(ww_harness_stat(r->h, "misses", 0), ==, 2);
    rig_free(r);
}

/* An L2 of sectors answers a line in parts: it is there with the last. */
static void test_parts(void)
{
    Rig *r = texture(NULL);
    WwMemReq *a = rig_req(r, false, LINE(1), 4);
    g_assert_cmpuint(r->c->facts(r->self)->mshr_sectors, ==, 4);
    rig_access(r, a);
    g_assert_true(sent(r) == a);
    for (uint32_t i = 0; i < 4; i++) {
        WwMemReq *part = rig_req(r, false, LINE(1) + 32ull * i, 32);
        part->original = a;
        g_assert_true(ww_cache_awaits(r->c->facts(r->self), part));
        gives(r, NULL);
        r->c->fill(r->self, part, ++r->now);
    }
    gives(r, a);
    rig_free(r);
}

/* Room for accesses, for requests, for data under way. */
static void test_room(void)
{
    static const struct {
        const char *params, *full;
        WwCacheResult second;
    } rooms[] = {{"fragments=1", "fragments", WW_CACHE_RESERVATION_FAIL},
                 {"requests=1", "requests", WW_CACHE_RESERVATION_FAIL},
                 {"under_way=1", "under_way", WW_CACHE_RESERVATION_FAIL},
                 {"fragments=2", NULL, WW_CACHE_MISS}};
    for (size_t k = 0; k < G_N_ELEMENTS(rooms); k++) {
        Rig *r = texture(rooms[k].params);
        g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
        g_assert_cmpint(rig_read(r, LINE(2)), ==, rooms[k].second);
        if (rooms[k].full != NULL) {
            g_assert_cmpuint(rig_count(r, "refused", rooms[k].full), ==, 1);
        }
        sent(r); /* a request makes room for another; the rest is there until the data are */
        g_assert_cmpint(rig_read(r, LINE(3)), ==,
                        k == 1 ? WW_CACHE_MISS : WW_CACHE_RESERVATION_FAIL);
        rig_free(r);
    }
}

/* As many results wait as there is room for; a full `lower` holds requests. */
static void test_waits(void)
{
    Rig *r = rig_new("cache.texture", "results=1 sectors=false", 1);
    WwMemReq *a = rig_req(r, false, LINE(1), 4), *b = rig_req(r, false, LINE(2), 4);
    rig_access(r, a);
    rig_access(r, b);
    ww_harness_turn(r->h, "cache");
    ww_harness_turn(r->h, "cache"); /* `lower` has one place */
    g_assert_cmpuint(ww_harness_stat(r->h, "lower_full", 0), ==, 1);
    WwToken token;
    g_assert_true(ww_harness_take(r->h, "lower", NULL, &token));
    g_assert_true(sent(r) == b);
    r->c->fill(r->self, a, ++r->now);
    r->c->fill(r->self, b, ++r->now);
    rig_cycle(r);
    rig_cycle(r);
    g_assert_true(r->c->take(r->self) == a);
    g_assert_null(r->c->peek(r->self)); /* it waited for the place */
    gives(r, b);
    rig_free(r);
}

/* The least recently used line goes, also one whose data are still under way. */
static void test_lines(void)
{
    Rig *r = texture("sets=1 ways=2 sectors=false");
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT_RESERVED);
    g_assert_cmpint(rig_read(r, LINE(3)), ==, WW_CACHE_MISS);
    g_assert_cmpint(rig_read(r, LINE(1)), ==, WW_CACHE_HIT_RESERVED);
    g_assert_cmpint(rig_read(r, LINE(2)), ==, WW_CACHE_MISS);
    r->c->clear(r->self, WW_CACHE_ALL);
    g_assert_cmpint(r->c->probe(r->self, LINE(1)), ==, WW_CACHE_MISS);
    r->c->install(r->self, LINE(1), 0, 1, ++r->now);
    g_assert_cmpint(r->c->probe(r->self, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpuint(r->c->ways(r->self), ==, 2);
    rig_free(r);
}

static void refused(const char *params, const char *word)
{
    g_autoptr(GError) error = NULL;
    WwHarness *h = ww_harness_new(test_registry(), "cache.texture", params);
    g_assert_false(ww_harness_start(h, &error));
    g_assert_nonnull(strstr(error->message, word));
    ww_harness_free(h);
}

static void test_refusals(void)
{
    refused("sets=3", "powers of two");
    refused("line=96", "powers of two");
    refused("sets=4096", "lines");
    Rig *r = texture(NULL);
    g_assert_cmpint(rig_write(r, LINE(1), 4), ==, WW_CACHE_RESERVATION_FAIL);
    g_assert_nonnull(
        strstr(ww_machine_error(ww_harness_machine(r->h))->message, "expected a read"));
    rig_free(r);
}

/* What a copy brings is there, by its whole line. */
static void test_install(void)
{
    Rig *r = texture(NULL);
    r->c->install(r->self, LINE(1) + 64, 0, 3, 1); /* the last of the three is the next line's */
    g_assert_cmpint(r->c->probe(r->self, LINE(0) + 96), ==, WW_CACHE_MISS);
    g_assert_cmpint(r->c->probe(r->self, LINE(1)), ==, WW_CACHE_HIT);
    g_assert_cmpint(r->c->probe(r->self, LINE(2)), ==, WW_CACHE_HIT);
    g_assert_cmpint(r->c->probe(r->self, LINE(3)), ==, WW_CACHE_MISS);
    rig_free(r);
}

void register_texture_tests(void)
{
    g_test_add_func("/cache/texture/order", test_order);
    g_test_add_func("/cache/texture/parts", test_parts);
    g_test_add_func("/cache/texture/room", test_room);
    g_test_add_func("/cache/texture/waits", test_waits);
    g_test_add_func("/cache/texture/lines", test_lines);
    g_test_add_func("/cache/texture/refusals", test_refusals);
    g_test_add_func("/cache/texture/install", test_install);
}
