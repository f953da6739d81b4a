/* SPDX-License-Identifier: Apache-2.0 */
/** @file Putting a machine together by hand, where a harness around one component is not enough. Every step must work. */
#pragma once

#include "registry.h"

/** Keeps time going when everything else sleeps: does nothing, in phase `core`. */
extern const WwType test_heart_type;

/** The type of a component with state @p State that only holds the test's own ends of channels and interfaces, @p rows. */
#define TEST_ENDS_TYPE(State, rows)                                                                \
    {                                                                                              \
        .abi = WW_ABI_VERSION, .name = "test.ends", .doc = "driven by hand", .family = "test",     \
        .flags = WW_TYPE_FAKE, .size = sizeof(State), .ports = rows                                \
    }

/** A machine of test_registry()'s types with one clock, `core`, of 1 GHz, and one phase, `core`; without hang limit. */
WwMachine *test_core_machine(void);

/** The same with a heart. */
WwMachine *test_beating_machine(void);

/** Adds a component of a registered type; @p group NULL: at the root. */
WwComponent *test_add(WwMachine *machine, WwGroup *group, const char *type, const char *name,
                      int32_t index);
/** The same, of any type. */
void *test_add_type(WwMachine *machine, WwGroup *group, const WwType *type, const char *name,
                    int32_t index);

/** Sets parameters: "name=value name=value"; NULL or "": none. */
void test_set(void *component, const char *params);
/** Sets one, to any text. */
void test_set_one(void *component, const char *name, const char *text);

/** Binds a port to a channel, or to a component that provides what it requires. */
void test_join(void *component, const char *port, void *peer);
/** Binds a port that requires an interface to a table of the test. */
void test_join_table(void *component, const char *port, const void *table, void *self);

/** Wiring is complete. */
void test_seal(WwMachine *machine, bool no_sleep);
