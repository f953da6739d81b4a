/* SPDX-License-Identifier: Apache-2.0 */
/* Address map and memory channels. */
#include "tests.h"

const WwRegistry *registry;

const char *element(const char *port, uint32_t i)
{
    static char text[8][64];
    static uint32_t n;
    n = (n + 1) % G_N_ELEMENTS(text);
    g_snprintf(text[n], sizeof text[n], "%s[%u]", port, i);
    return text[n];
}

WwMemReq *new_req(WwHarness *h, WwAccessType type, uint32_t bank, uint32_t row, uint64_t serial)
{
    WwMemReq *r = ww_harness_alloc(h, sizeof *r);
    r->type = (uint8_t)type;
    r->write = type == WW_ACCESS_GLOBAL_W || type == WW_ACCESS_L2_WRBK || type == WW_ACCESS_L1_WRBK;
    r->size = 32;
    r->sectors = 1;
    r->serial = serial;
    r->at.bank = bank;
    r->at.row = row;
    return r;
}

void put_req(WwHarness *h, WwMemReq *req)
{
    g_assert_true(ww_harness_put(h, element("request", req->at.slice), -1, ww_token_of(req)));
}

int64_t take_response(WwHarness *h, uint32_t slice)
{
    WwToken t;
    if (!ww_harness_take(h, element("response", slice), NULL, &t)) {
        return -1;
    }
    const WwMemReq *r = ww_token_pointer(t);
    g_assert_true(r->response);
    return (int64_t)r->serial;
}

WwCycle response_at(WwHarness *h, uint32_t slice, int64_t serial)
{
    g_assert_cmpuint(ww_harness_until(h, element("response", slice), 2000), !=, UINT64_MAX);
    g_assert_cmpint(take_response(h, slice), ==, serial);
    return ww_harness_now(h) - 1;
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    registry = test_registry();
    add_address_map_tests();
    add_frfcfs_tests();
    add_naive_tests();
    add_channel_tests();
    return test_run();
}
