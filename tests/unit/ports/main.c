/* SPDX-License-Identifier: Apache-2.0 */
#include "tests.h"

#include <string.h>
#include <tests/support/machine.h>

static WwRest hand_turn(void *self)
{
    Hand *h = self;
    h->runs++;
    if (h->act != NULL) {
        h->act(h);
    }
    return WW_SLEEP;
}

static const WwEntryRow entries[] = {
    {.name = "turn", .phase = "main", .tick = hand_turn, .doc = "does what the test says"},
    {0},
};

#define HAND(name_, contract_)                                                                     \
    static const WwPortRow name_##_in_ports[] = {WW_PORT_IN(Hand, port, contract_, 1, "in"), {0}}; \
    static const WwPortRow name_##_out_ports[] = {WW_PORT_OUT(Hand, port, contract_, 1, "out"),    \
                                                  {0}};                                            \
    static const WwType name_##_in = {.abi = WW_ABI_VERSION,                                       \
                                      .name = "hand." #name_ "_in",                                \
                                      .doc = "Takes.",                                             \
                                      .family = "test",                                            \
                                      .size = sizeof(Hand),                                        \
                                      .ports = name_##_in_ports,                                   \
                                      .entries = entries};                                         \
    static const WwType name_##_out = {.abi = WW_ABI_VERSION,                                      \
                                       .name = "hand." #name_ "_out",                              \
                                       .doc = "Puts.",                                             \
                                       .family = "test",                                           \
                                       .size = sizeof(Hand),                                       \
                                       .ports = name_##_out_ports,                                 \
                                       .entries = entries}

HAND(inst, &ww_contract_inst);
HAND(number, &ww_contract_number);
HAND(number_wire, &ww_contract_number_wire);
HAND(level, &ww_contract_level);

static const WwType *const types[] = {&inst_in,    &inst_out,       &number_in,
                                      &number_out, &number_wire_in, &number_wire_out,
                                      &level_in,   &level_out,      NULL};

static Hand *add_hand(Bench *b, const char *contract, const char *role, uint32_t index)
{
    g_autofree char *name = g_strdup_printf("hand.%s_%s", contract, role);
    const WwType *const *type = types;
    while (strcmp((*type)->name, name) != 0) {
        type++;
        g_assert_nonnull(*type);
    }
    Hand *hand = test_add_type(b->m, NULL, *type, role, (int32_t)index);
    test_join(hand, "port", b->channel);
    return hand;
}

Bench *bench_new(const char *type, const char *params, const char *contract, uint32_t writers,
                 uint32_t readers)
{
    Bench *b = g_new0(Bench, 1);
    b->m = ww_machine_new(test_registry());
    ww_machine_add_domain(b->m, "clock", 1e9, NULL);
    ww_machine_add_phase(b->m, "main", "clock", NULL);
    ww_machine_set_hang_limit(b->m, 0);
    b->channel = test_add(b->m, NULL, type, "channel", -1);
    test_set(b->channel, params);
    b->n_writers = writers;
    b->n_readers = readers;
    for (uint32_t i = 0; i < writers; i++) {
        b->writer[i] = add_hand(b, contract, "out", i);
    }
    for (uint32_t i = 0; i < readers; i++) {
        b->reader[i] = add_hand(b, contract, "in", i);
    }
    return b;
}

Bench *bench_open(const char *type, const char *params, const char *contract, uint32_t writers,
                  uint32_t readers)
{
    Bench *b = bench_new(type, params, contract, writers, readers);
    test_seal(b->m, false);
    bench_step(b, 1); /* everybody has had the first turn, and sleeps */
    for (uint32_t i = 0; i < writers; i++) {
        b->writer[i]->runs = 0;
    }
    for (uint32_t i = 0; i < readers; i++) {
        b->reader[i]->runs = 0;
    }
    return b;
}

void bench_step(Bench *b, uint64_t ticks)
{
    ww_run(b->m, ticks);
}

uint64_t bench_runs(Hand *hand)
{
    uint64_t runs = hand->runs;
    hand->runs = 0;
    return runs;
}

void bench_fill(const Bench *b, uint32_t tokens, uint32_t used, uint32_t capacity)
{
    WwFill fill;
    g_assert_true(ww_channel_fill(b->channel, &fill));
    g_assert_cmpuint(fill.tokens, ==, tokens);
    g_assert_cmpuint(fill.used, ==, used);
    g_assert_cmpuint(fill.capacity, ==, capacity);
}

void bench_free(Bench *b)
{
    ww_machine_free(b->m);
    g_free(b);
}

void bench_refused(Bench *b, const char *part)
{
    g_autoptr(GError) error = NULL;
    g_assert_false(ww_machine_seal(b->m, &error));
    if (strstr(error->message, part) == NULL) {
        g_error("'%s' is not in '%s'", part, error->message);
    }
    bench_free(b);
}

int main(int argc, char **argv)
{
    g_test_init(&argc, &argv, NULL);
    add_register_tests();
    add_fifo_tests();
    add_log_tests();
    add_span_tests();
    add_lag_tests();
    add_hash_tests();
    add_wire_tests();
    add_payload_tests();
    add_said_tests();
    add_contract_tests();
    add_packed_tests();
    return test_run();
}
