/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a contract promises is checked when each provider that breaks it is caught, by the check that is there for it. Every contract that a
 * type of the registry provides has such a provider.
 */
#include "faulty.h"
#include "faulty-priv.h"

#include <components/register.h>
#include <string.h>
#include <testing/conformance.h>
#include <testing/drive.h>
#include <testing/testing.h>

static const FaultRoom *const rooms[] = {&faults_of_issue, &faults_of_memory, &faults_of_caches,
                                         &faults_of_gpu,   &faults_of_front,  &faults_of_sub_cores};

uint32_t fault_calls;

static const WwPortRow *port_of(const WwRegistry *r, const char *type, const char *port)
{
    GError *error = NULL;
    const WwType *t = ww_registry_find(r, type, &error);
    g_assert_no_error(error);
    g_assert_cmpint(ww_type_port(t, port), >=, 0);
    return &t->ports[ww_type_port(t, port)];
}

static void take_originals(const WwRegistry *r, const Original *o)
{
    for (; o->type != NULL; o++) {
        *(const void **)o->table = port_of(r, o->type, o->port)->table;
    }
}

/* The table of the type that it is, with one function exchanged. */
static void *faulty_table(const Fault *f, const void *table)
{
    char *copy = g_memdup2(table, f->is.table);
    memcpy(copy + f->is.at, &f->is.function, sizeof f->is.function);
    return copy;
}

/* The type that it is, with that table and room for what it should not keep. */
static WwType *faulty_type(const WwRegistry *registry, const Fault *f)
{
    const WwType *of = ww_registry_find(registry, f->is.of, NULL);
    uint32_t n = 0;
    const WwPortRow *r;
    for (WW_ROWS(of->ports, r)) {
        n++;
    }
    WwType *t = g_memdup2(of, sizeof *of);
    WwPortRow *ports = g_memdup2(of->ports, (n + 1) * sizeof *ports);
    for (uint32_t i = 0; i < n; i++) {
        if (strcmp(ports[i].name, f->is.port) == 0) {
            ports[i].table = faulty_table(f, ports[i].table);
        }
    }
    t->name = f->is.name;
    t->flags |= WW_TYPE_FAULTY;
    t->size = (of->size + 7) / 8 * 8 + sizeof(uint64_t);
    t->ports = ports;
    return t;
}

static void free_type(WwType *t, const char *port)
{
    WwPortRow *ports = (WwPortRow *)t->ports;
    g_free((void *)ports[ww_type_port(t, port)].table);
    g_free(ports);
    g_free(t);
}

typedef struct Case {
    const WwRegistry *registry;
    const Fault *fault;
} Case;

/* The check that is there for it says so. */
static void run_fault(gconstpointer data)
{
    const Case *c = data;
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++) {
        if (strcmp(k->name, c->fault->caught) == 0) {
            fault_calls = 0;
            g_autofree char *why =
                k->check(c->registry, ww_registry_find(c->registry, c->fault->is.name, NULL), 0);
            g_assert_nonnull(why);
            g_test_message("%s is caught by %s: %s", c->fault->is.name, k->name, why);
            return;
        }
    }
    g_assert_not_reached();
}

static WwRegistry *registry;
static GPtrArray *cases;

/* Does a faulty type provide it? */
static bool has_fault(const WwContract *contract)
{
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        if (port_of(registry, c->fault->is.of, c->fault->is.port)->contract == contract) {
            return true;
        }
    }
    return false;
}

/* Every contract that a type provides is driven, and one that breaks it is caught. */
static void all_contracts(void)
{
    size_t n;
    uint32_t provided = 0;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (size_t i = 0; i < n; i++) {
        const WwPortRow *r;
        for (WW_ROWS(types[i]->ports, r)) {
            if (r->role != WW_PROVIDES || types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY)) {
                continue;
            }
            provided++;
            bool driven = ww_driver_of(r->contract) != NULL;
            if (!driven || !has_fault(r->contract)) {
                g_test_message("%s.%s: contract %s has no %s", types[i]->name, r->name,
                               r->contract->name,
                               driven ? "faulty type" : "driver (testing/src/drivers)");
                g_test_fail();
            }
        }
    }
    g_assert_cmpuint(provided, >=, ww_n_drivers()); /* no driver is of something else, */
    for (uint32_t i = 0; i < ww_n_drivers(); i++) { /* and each is the one of its contract */
        g_assert_true(ww_driver_of(ww_driver(i)->contract) == ww_driver(i));
    }
}

static void add_fault(const Fault *f)
{
    GError *error = NULL;
    ww_registry_add(registry, faulty_type(registry, f), "test", &error);
    g_assert_no_error(error);
    Case *c = g_new0(Case, 1);
    *c = (Case){registry, f};
    g_ptr_array_add(cases, c);
    g_autofree char *path = g_strdup_printf("/conformance/faulty/%s", f->is.name);
    g_test_add_data_func(path, c, run_fault);
}

void add_faulty_providers(void)
{
    GError *error = NULL;
    registry = ww_registry_new();
    cases = g_ptr_array_new_with_free_func(g_free);
    ww_components_register(registry, &error);
    ww_testing_register_fakes(registry, &error);
    g_assert_no_error(error);
    for (size_t i = 0; i < G_N_ELEMENTS(rooms); i++) {
        take_originals(registry, rooms[i]->originals);
        for (size_t k = 0; k < rooms[i]->n; k++) {
            add_fault(&rooms[i]->fault[k]);
        }
    }
    g_test_add_func("/conformance/faulty-of-each-contract", all_contracts);
}

void free_faulty_providers(void)
{
    for (guint i = 0; i < cases->len; i++) {
        const Case *c = g_ptr_array_index(cases, i);
        free_type((WwType *)ww_registry_find(registry, c->fault->is.name, NULL), c->fault->is.port);
    }
    ww_registry_free(registry);
    g_ptr_array_unref(cases);
}
