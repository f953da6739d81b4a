/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * What components are tested with, installed beside the harness: instructions of any look (ports/test_inst.h), a fake provider of
 * every interface contract (testing/fake_*.h), and components that each break one rule, for whoever tests a check.
 */
#pragma once

#include <ports/test_inst.h>
#include <warpwright/machine.h>

/** Adds the channel types and the fakes: what a bench of one component starts with. */
WW_API bool ww_testing_register(WwRegistry *registry, GError **error);
/** Adds a fake provider of every interface contract: for benches that hold the built-in types already. */
WW_API bool ww_testing_register_fakes(WwRegistry *registry, GError **error);
/** Adds the types that break a rule on purpose (WW_TYPE_FAULTY). */
WW_API bool ww_testing_register_faults(WwRegistry *registry, GError **error);
