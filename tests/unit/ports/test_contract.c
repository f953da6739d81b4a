/* SPDX-License-Identifier: Apache-2.0 */
/* Every contract that a component of ours uses can be tested against: its fake, its channel, its
 * payload exist. */
#include "tests.h"

#include <components/register.h>
#include <string.h>

static WwRegistry *everything(void)
{
    GError *error = NULL;
    WwRegistry *r = ww_registry_new();
    ww_components_register(r, &error);
    g_assert_no_error(error);
    ww_testing_register_fakes(r, &error);
    g_assert_no_error(error);
    ww_testing_register_faults(r, &error);
    g_assert_no_error(error);
    return r;
}

static void check_interface(const WwRegistry *r, const WwContract *c)
{
    g_autoptr(GError) error = NULL;
    const WwType *fake = c->fake != NULL ? ww_registry_find(r, c->fake, &error) : NULL;
    if (fake == NULL) {
        g_test_fail_printf("contract '%s' has no fake provider '%s'", c->name,
                           c->fake != NULL ? c->fake : "");
        return;
    }
    g_assert_true(fake->flags & WW_TYPE_FAKE);
    if (c->functions == NULL || c->functions[0].name == NULL) {
        g_test_fail_printf("contract '%s' does not list its functions", c->name);
    }
    const WwPortRow *p;
    bool provides = false;
    for (WW_ROWS(fake->ports, p)) {
        provides |= p->role == WW_PROVIDES && p->contract == c && p->table != NULL;
    }
    g_assert_true(provides);
}

static void check_channel(const WwRegistry *r, const WwContract *c)
{
    const WwType *channel = ww_registry_find(r, c->channel, NULL);
    g_assert_nonnull(channel);
    g_assert_true(channel->flags & WW_TYPE_CHANNEL);
    g_assert_true(channel->channel->put != NULL && channel->channel->take != NULL &&
                  channel->channel->count != NULL);
    if (c->payload != NULL) {
        g_assert_true(c->payload->key != NULL && c->payload->write != NULL &&
                      c->payload->make != NULL && c->payload->check != NULL);
    }
}

static void test_complete(void)
{
    g_autoptr(WwRegistry) r = everything();
    g_autoptr(GHashTable) seen = g_hash_table_new(NULL, NULL);
    size_t n;
    const WwType *const *types = ww_registry_types(r, &n);
    for (size_t i = 0; i < n; i++) {
        const WwPortRow *p;
        for (WW_ROWS(types[i]->ports, p)) {
            if (!g_hash_table_add(seen, (gpointer)p->contract)) {
                continue;
            }
            g_assert_true(p->contract->version >= 1 && p->contract->doc != NULL);
            if (p->contract->kind == WW_INTERFACE) {
                check_interface(r, p->contract);
            } else {
                check_channel(r, p->contract);
            }
        }
    }
    g_assert_cmpuint(g_hash_table_size(seen), >=, 20); /* not vacuously */
}

/* The program takes its own descriptors as checked: this is where they are. */
static void test_descriptors(void)
{
    g_autoptr(WwRegistry) r = everything();
    size_t n;
    const WwType *const *types = ww_registry_types(r, &n);
    g_assert_cmpuint(n, >=, 80);
    for (size_t i = 0; i < n; i++) {
        g_autoptr(GError) error = NULL;
        ww_type_check(types[i], &error);
        g_assert_no_error(error);
    }
}

void add_contract_tests(void)
{
    g_test_add_func("/ports/contract/descriptors", test_descriptors);
    g_test_add_func("/ports/contract/complete", test_complete);
}
