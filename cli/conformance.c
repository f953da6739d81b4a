/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright conformance`: puts component types, those of a module above all, to the checks that every type has to pass. */
#include "cli-priv.h"

#include <string.h>
#include <testing/conformance.h>
#include <testing/testing.h>

static const char *const description = "Each type gets a test bench of its own: random tokens at "
                                       "its inputs, fakes for what it needs, random callers of\n"
                                       "what it provides. Without a TYPE: all types of the "
                                       "modules. The exit status is 1 if a type fails a check.";

typedef struct Conformance {
    CliSetup setup;
    gboolean verbose;
    char *seed_text;
    uint64_t seed;
} Conformance;

static bool parse_options(Conformance *c, int *argc, char ***argv, GError **error)
{
    const GOptionEntry own[] = {
        {"module", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &c->setup.modules,
         "Load component types from a shared object", "MODULE.so"},
        {"seed", 0, 0, G_OPTION_ARG_FILENAME, &c->seed_text,
         "Seed of the random traffic (default 0)", "N"},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &c->verbose, "Explain each check", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    return cli_parse(argc, argv, "[TYPE]...",
                     "Runs the checks that every component type must pass.", description, tables,
                     error) &&
           (c->seed_text == NULL ||
            cli_number_in("--seed", c->seed_text, 0, UINT32_MAX, &c->seed, error));
}

/* All checks of one type; false when it fails one. */
static bool check(const Conformance *c, const WwType *type)
{
    uint32_t failed = 0, n = 0;
    g_autofree char *obstacle = ww_conformance_obstacle(c->setup.registry, type);
    if (obstacle != NULL) {
        printf("%s: cannot be checked: %s\n", type->name, obstacle);
        return false;
    }
    for (const WwConformanceCheck *k = ww_conformance_checks; k->name != NULL; k++, n++) {
        g_autofree char *why = k->check(c->setup.registry, type, (uint32_t)c->seed);
        failed += why != NULL;
        if (why != NULL) {
            printf("%s: %s: %s\n", type->name, k->name, why);
        } else if (c->verbose) {
            printf("%s: %s: %s\n", type->name, k->name, k->doc);
        }
    }
    g_autofree char *no_windows = ww_conformance_no_windows(c->setup.registry, type);
    if (c->verbose && no_windows != NULL) {
        printf("%s: has no windows: %s\n", type->name, no_windows);
    }
    if (c->verbose && (type->flags & WW_TYPE_NOT_SAVED)) {
        printf("%s: says that it cannot be saved\n", type->name);
    }
    printf("%s: %u of %u checks passed\n", type->name, n - failed, n);
    return failed == 0;
}

static bool is_checked(const WwType *type, GError **error)
{
    return !(type->flags & WW_TYPE_CHANNEL) ||
           ww_fail(error, WW_ERROR_USAGE,
                   "conformance: '%s' is a channel; expected a type of component", type->name);
}

/* The types that were named, else those of the modules; NULL with an error. */
static GPtrArray *chosen(const Conformance *c, int argc, char **argv, GError **error)
{
    g_autoptr(GPtrArray) types = g_ptr_array_new();
    size_t n;
    const WwType *const *all = ww_registry_types(c->setup.registry, &n);
    for (int i = 1; i < argc; i++) {
        const WwType *type = ww_registry_find(c->setup.registry, argv[i], error);
        if (type == NULL || !is_checked(type, error)) {
            return NULL;
        }
        g_ptr_array_add(types, (gpointer)type);
    }
    for (size_t i = 0; argc < 2 && i < n; i++) {
        if (strcmp(ww_registry_origin(c->setup.registry, all[i]), "built-in") != 0 &&
            !(all[i]->flags & WW_TYPE_CHANNEL)) {
            g_ptr_array_add(types, (gpointer)all[i]);
        }
    }
    if (types->len == 0) {
        ww_fail(error, WW_ERROR_USAGE,
                "conformance: there is nothing to check; expected a TYPE, or -m MODULE");
        return NULL;
    }
    return g_steal_pointer(&types);
}

int cli_conformance(int argc, char **argv)
{
    Conformance c = {0};
    GError *error = NULL;
    g_autoptr(GPtrArray) types = NULL;
    bool good = parse_options(&c, &argc, &argv, &error) && cli_setup_registry(&c.setup, &error) &&
                ww_testing_register_fakes(c.setup.registry, &error) &&
                (types = chosen(&c, argc, argv, &error)) != NULL;
    if (good && cli_is_elsewhere()) {
        int status = cli_run_elsewhere(c.setup.registry, types, (uint32_t)c.seed);
        cli_setup_clear(&c.setup);
        g_free(c.seed_text);
        return status;
    }
    cli_look_elsewhere(true);
    uint32_t failed = 0;
    for (guint i = 0; good && i < types->len; i++) {
        failed += !check(&c, types->pdata[i]);
        fflush(stdout); /* the next one may crash */
    }
    cli_look_elsewhere(false);
    cli_setup_clear(&c.setup);
    g_free(c.seed_text);
    return !good ? cli_fail(error) : failed == 0 ? CLI_DONE : CLI_STOPPED;
}
