/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * For tests of scheduling policies, also in modules: a real warp scheduler on the harness with the policy in its slot, all
 * around it played by the test. Included once, by the test program.
 */
#pragma once

#include <components/register.h>
#include <ports/register.h>
#include <testing/fake_warps.h>
#include <testing/testing.h>
#include <warpwright/module.h>

/** A registry of all built-in types and fakes, and the types of the module at @p path (NULL: none); aborts if it does not load. */
static inline WwRegistry *ww_bench_registry(const char *path)
{
    GError *error = NULL;
    WwRegistry *registry = ww_registry_new();
    if (!ww_components_register(registry, &error) || !ww_testing_register_fakes(registry, &error) ||
        (path != NULL && !ww_module_load(registry, path, NULL, &error))) {
        g_error("%s", error->message);
    }
    return registry;
}

/** A warp scheduler with policy @p type (and its @p params) in its slot, and issue registers `int` and `mem`. */
static inline WwHarness *ww_policy_bench(const WwRegistry *registry, const char *type,
                                         const char *params)
{
    WwHarness *h = ww_harness_new(registry, "warp_scheduler", NULL);
    ww_harness_fill(h, "policy", type, params);
    ww_harness_channel(h, "int", "width=1");
    ww_harness_channel(h, "mem", "width=1");
    ww_harness_start(h, NULL);
    return h;
}

/** Each digit is a warp that gets one more instruction of category @p op. */
static inline void ww_policy_feed(WwHarness *h, const char *warps, WwOp op)
{
    WwFakeWarps *fake = ww_harness_peer(h, "warps");
    for (; *warps != '\0'; warps++) {
        ww_fake_warps_put(fake, (uint32_t)(*warps - '0'), ww_test_inst(h, &(WwTestInst){.op = op}));
    }
}

/** One cycle: the warp that issued in it as a digit, or '.' if none did. */
static inline char ww_policy_step(WwHarness *h)
{
    WwToken token;
    ww_harness_step(h, 1);
    if (ww_harness_take(h, "int", NULL, &token) || ww_harness_take(h, "mem", NULL, &token)) {
        return (char)('0' + ((const WwInst *)ww_token_pointer(token))->warp);
    }
    return '.';
}

/** The warps that issue in the next cycles; '.' is a cycle in which none does. */
static inline void ww_policy_expect(WwHarness *h, const char *warps)
{
    GString *got = g_string_new(NULL);
    for (const char *w = warps; *w != '\0'; w++) {
        g_string_append_c(got, ww_policy_step(h));
    }
    g_assert_cmpstr(got->str, ==, warps);
    g_string_free(got, true);
}
