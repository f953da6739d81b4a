/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens: what generators make passes the checkers, what is wrong does not; keys; addresses of
 * lanes; names. */
#include "tests.h"

#include <string.h>

static const WwPayload *const payloads[] = {&ww_payload_inst, &ww_payload_number, &ww_payload_fetch,
                                            &ww_payload_mem};

static WwHarness *harness(WwRegistry **registry)
{
    *registry = ww_registry_new();
    g_assert_true(ww_testing_register(*registry, NULL));
    return ww_harness_new(*registry, "fake.scoreboard", NULL);
}

static void test_generated(void)
{
    WwRegistry *registry;
    WwHarness *h = harness(&registry);
    for (size_t p = 0; p < G_N_ELEMENTS(payloads); p++) {
        GRand *one = g_rand_new_with_seed(7), *other = g_rand_new_with_seed(7);
        for (uint64_t n = 0; n < 500; n++) {
            g_autoptr(GError) error = NULL;
            char text[WW_TOKEN_TEXT] = "";
            WwToken t = payloads[p]->make(h, one, n), u = payloads[p]->make(h, other, n);
            payloads[p]->check(t, &error);
            g_assert_no_error(error);
            g_assert_cmpuint(strlen(ww_token_text(payloads[p], t, text)), >, 0);
            g_assert_cmphex(payloads[p]->key(t), ==,
                            payloads[p]->key(u)); /* what it means, not where it lies */
        }
        g_rand_free(one);
        g_rand_free(other);
    }
    ww_harness_free(h);
    ww_registry_free(registry);
}

static void rejects(const WwPayload *payload, WwToken token, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(payload->check(token, &error));
    g_assert_error(error, WW_ERROR, WW_ERROR_MODEL);
    if (strstr(error->message, part) == NULL) {
        g_error("'%s' is not in '%s'", part, error->message);
    }
    g_assert_false(payload->check(token, NULL));
}

static void test_bad_inst(void)
{
    WwSinst s = {.opcode = "FFMA", .op = WW_OP_SP};
    WwInst good = {.s = &s, .order = 1, .mask = 1, .op = WW_OP_SP}, bad = good;
    g_assert_true(ww_payload_inst.check(ww_token_of(&good), NULL));
    rejects(&ww_payload_inst, 0, "no instruction");
    bad.s = NULL;
    rejects(&ww_payload_inst, ww_token_of(&bad), "no instruction");
    bad = good;
    bad.order = 0;
    rejects(&ww_payload_inst, ww_token_of(&bad), "FFMA was never issued");
    bad = good;
    bad.warp = WW_MAX_WARPS;
    rejects(&ww_payload_inst, ww_token_of(&bad), "warp 64");
    bad = good;
    bad.op = WW_N_OPS;
    rejects(&ww_payload_inst, ww_token_of(&bad), "out of range");
    s.nsrc = WW_MAX_SRC + 1;
    rejects(&ww_payload_inst, ww_token_of(&good), "5 sources out of range");
}

static void test_bad_fetch(void)
{
    g_assert_true(ww_payload_fetch.check(ww_fetch_token(63, 0x1230), NULL));
    g_assert_cmpuint(ww_fetch_warp(ww_fetch_token(63, 0x1230)), ==, 63);
    g_assert_cmphex(ww_fetch_pc(ww_fetch_token(63, 0x1230)), ==, 0x1230);
    rejects(&ww_payload_fetch, ww_fetch_token(64, 0), "warp 64; expected 0..63");
}

static void test_bad_mem(void)
{
    WwMemReq good = {.addr = 0x1020, .size = 32, .type = WW_ACCESS_GLOBAL_R}, bad = good;
    g_assert_true(ww_payload_mem.check(ww_token_of(&good), NULL));
    rejects(&ww_payload_mem, 0, "no memory transaction");
    bad.size = 0;
    rejects(&ww_payload_mem, ww_token_of(&bad), "0 bytes");
    bad.size = 4097;
    rejects(&ww_payload_mem, ww_token_of(&bad), "4097 bytes");
    bad.size = 128;
    rejects(&ww_payload_mem, ww_token_of(&bad), "128 bytes at 1020; expected 1..128 within a line");
    bad = good;
    bad.type = WW_N_ACCESS_TYPES;
    rejects(&ww_payload_mem, ww_token_of(&bad), "no such thing");
    bad = good;
    bad.write = bad.atomic = true;
    rejects(&ww_payload_mem, ww_token_of(&bad), "write 1, atomic 1");
    good.response = true;
    bad = good;
    bad.addr += 32;
    g_assert_cmphex(ww_payload_mem.key(ww_token_of(&good)), !=,
                    ww_payload_mem.key(ww_token_of(&bad)));
}

/* ---- addresses ---------------------------------------------------------------------------- */

static WwAddrBlock *block(WwAddrMode mode, uint64_t base, int64_t stride, uint8_t n,
                          const int64_t *value)
{
    WwAddrBlock *b = g_malloc0(sizeof *b + n * sizeof *value);
    b->mode = (uint8_t)mode;
    b->base = base;
    b->stride = stride;
    b->n = n;
    memcpy(b->own, value, n * sizeof *value);
    return b;
}

/* Lanes 1, 2 and 5 are active. */
static void test_addresses(void)
{
    static const int64_t list[] = {0x100, 0x200, 0x300}, deltas[] = {8, -16};
    static const struct {
        WwAddrMode mode;
        int64_t stride;
        uint8_t n;
        const int64_t *value;
        uint64_t lane1, lane2, lane5, first;
    } cases[] = {
        {WW_ADDR_LIST, 0, 3, list, 0x100, 0x200, 0x300, 0x100},
        {WW_ADDR_LIST, 0, 2, list, 0x100, 0x200, 0,
         0x100}, /* too short a list: nothing is read beyond it */
        {WW_ADDR_LIST, 0, 0, list, 0, 0, 0, 0},
        {WW_ADDR_STRIDE, 4, 0, list, 0x1000, 0x1004, 0, 0x1000}, /* nothing after the first gap */
        {WW_ADDR_STRIDE, -4, 0, list, 0x1000, 0xffc, 0, 0x1000},
        {WW_ADDR_DELTA, 0, 2, deltas, 0x1000, 0x1008, 0xff8, 0x1000},
        {WW_ADDR_DELTA, 0, 1, deltas, 0x1000, 0x1008, 0, 0x1000},
    };
    const uint32_t mask = 1u << 1 | 1u << 2 | 1u << 5;
    uint64_t out[WW_WARP_SIZE];
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree WwAddrBlock *b = block(cases[i].mode, 0x1000, cases[i].stride, cases[i].n,
                                          cases[i].n != 0 ? cases[i].value : list);
        memset(out, 0xff, sizeof out);
        ww_addr_expand(b, mask, out);
        g_assert_cmphex(out[1], ==, cases[i].lane1);
        g_assert_cmphex(out[2], ==, cases[i].lane2);
        g_assert_cmphex(out[5], ==, cases[i].lane5);
        g_assert_cmphex(out[0] | out[3] | out[4] | out[31], ==, 0);
        g_assert_cmphex(ww_addr_first(b, mask), ==, cases[i].first);
        ww_addr_expand(b, 0, out);
        g_assert_cmphex(out[1], ==, 0);
        g_assert_cmphex(ww_addr_first(b, 0), ==, 0);
    }
    ww_addr_expand(NULL, mask, out);
    g_assert_cmphex(out[1], ==, 0);
    g_assert_cmphex(ww_addr_first(NULL, mask), ==, 0);
}

static void test_names(void)
{
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint32_t i = 0; i < WW_N_OPS; i++) {
        g_assert_cmpstr(ww_op_name((WwOp)i), !=, "?");
        g_assert_true(g_hash_table_add(seen, (gpointer)ww_op_name((WwOp)i)));
    }
    for (uint32_t i = 0; i < WW_N_SPACES; i++) {
        g_assert_cmpstr(ww_space_name((WwSpace)i), !=, "?");
    }
    for (uint32_t i = 0; i < WW_N_ACCESS_TYPES; i++) {
        g_assert_cmpstr(ww_access_type_name((WwAccessType)i), !=, "?");
    }
    g_assert_cmpstr(ww_op_name(WW_N_OPS), ==, "?");
    g_assert_cmpstr(ww_space_name(WW_N_SPACES), ==, "?");
    g_assert_cmpstr(ww_access_type_name(WW_N_ACCESS_TYPES), ==, "?");
    g_assert_cmpstr(ww_op_name(WW_OP_SPEC8), ==, "SPEC8");
}

/* Transactions keep the lower halves of cycle numbers: what is compared may lie on both sides of 2^32. */
static void test_times(void)
{
    const WwCycle half = 1ull << 32;
    WwMemReq before = {.birth = UINT32_MAX - 4}, after = {.birth = 5}, same = after;
    g_assert_cmpuint(ww_mem_since(7, 20), ==, 13);
    g_assert_cmpuint(ww_mem_since(before.birth, half + 5), ==, 10);
    g_assert_cmpuint(ww_mem_since(0, half - 1), ==, UINT32_MAX);
    g_assert_true(ww_mem_is_older(&before, &after));
    g_assert_false(ww_mem_is_older(&after, &before));
    g_assert_false(ww_mem_is_older(&after, &same));
    before.birth = 3;
    g_assert_true(ww_mem_is_older(&before, &after));
    g_assert_false(ww_mem_is_older(&after, &before));
}

void add_payload_tests(void)
{
    g_test_add_func("/ports/payload/generated", test_generated);
    g_test_add_func("/ports/payload/bad-inst", test_bad_inst);
    g_test_add_func("/ports/payload/bad-fetch", test_bad_fetch);
    g_test_add_func("/ports/payload/bad-mem", test_bad_mem);
    g_test_add_func("/ports/payload/addresses", test_addresses);
    g_test_add_func("/ports/payload/names", test_names);
    g_test_add_func("/ports/payload/times", test_times);
}
