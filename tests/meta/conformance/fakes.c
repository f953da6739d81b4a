/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fakes, as providers: what a test leaves alone keeps the promises of its contract, or stands here with what it does not keep and why. A
 * type that is tested with a fake which does something else is tested with something that there is not.
 */
#include "fakes.h"

#include <string.h>
#include <testing/conformance.h>

static const struct {
    const char *type;
    const char *fails; /* The check, and what it says. */
    const char *says;
    const char *why;
} excused[] = {
    {"fake.warps", "promises", "decode() of warp", "instructions are the test's, or endless"},
    {"fake.barriers", "promises", "after arrive", "the test says who is held"},
    {"fake.cluster", "promises", "it is empty", "the test says whether it is"},
    {"fake.kernels", "promises", "idle()", "the test says how long it was idle"},
    {"fake.dependence", "promises", "counter of warp", "the test says what blocks"},
    {"fake.pcs", "promises", "take() has", "it takes no account of instructions"},
    {"fake.latency", "promises", "bank ", "the test says what banks answer"},
    {"fake.address_map", "sharing", "a call changes the component", "it counts calls"},
};

/* Which row excuses it, or -1. */
static int excuse_of(const char *type)
{
    for (size_t i = 0; i < G_N_ELEMENTS(excused); i++) {
        if (strcmp(excused[i].type, type) == 0) {
            return (int)i;
        }
    }
    return -1;
}

typedef struct Fake {
    const WwRegistry *registry;
    const WwType *type;
} Fake;

/* It passes, or fails as it is excused for: a row that is not needed goes. */
static void run_fake(gconstpointer data)
{
    const Fake *f = data;
    int excuse = excuse_of(f->type->name);
    bool excused_once = excuse < 0;
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
        g_autofree char *why = k->check(f->registry, f->type, 0);
        if (why == NULL) {
            continue;
        }
        bool known = excuse >= 0 && strstr(why, excused[excuse].says) != NULL;
        excused_once |= known && strcmp(k->name, excused[excuse].fails) == 0;
        if (known) {
            g_test_message("%s: excused, %s", k->name, excused[excuse].why);
        } else {
            g_test_message("%s: %s: %s", f->type->name, k->name, why);
            g_test_fail();
        }
    }
    if (!excused_once) {
        g_test_message("%s passes: its row can go", f->type->name);
        g_test_fail();
    }
}

GPtrArray *add_fakes(const WwRegistry *registry)
{
    GPtrArray *fakes = g_ptr_array_new_with_free_func(g_free);
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        if (types[i]->flags & WW_TYPE_FAKE) {
            Fake *f = g_new0(Fake, 1);
            *f = (Fake){registry, types[i]};
            g_ptr_array_add(fakes, f);
            g_autofree char *path = g_strdup_printf("/conformance/fakes/%s", types[i]->name);
            g_test_add_data_func(path, f, run_fake);
        }
    }
    g_assert_cmpuint(fakes->len, >=, G_N_ELEMENTS(excused));
    return fakes;
}
