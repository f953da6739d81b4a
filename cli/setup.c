/* SPDX-License-Identifier: Apache-2.0 */
/* From options to a machine: registry, modules, platform, values, elaboration. */
#include "cli-priv.h"
#include <compat/import.h>
#include <components/register.h>
#include <ports/ctas.h>
#include <testing/testing.h>
#include <warpwright/module.h>

#include <string.h>

#define DEFAULT_PLATFORM "gpu"

const GOptionEntry *cli_setup_options(CliSetup *s)
{
    static GOptionEntry rows[16];
    const GOptionEntry all[] = {
        CLI_HEADING(CLI_WHAT_RUNS),
        {"config", 'c', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->configs,
         "Values for the platform: NAME of a config, or a .conf file; repeatable, later ones win",
         "CONFIG"},
        {"platform", 'p', 0, G_OPTION_ARG_FILENAME, &s->platform_name,
         "The machine: NAME of a platform, or a .plat file (default: the one a config asks for, "
         "or " DEFAULT_PLATFORM ")",
         "PLATFORM"},
        {"gpgpusim", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &s->gpgpusim,
         "Options of the reference (gpgpusim.config, trace.config), applied after configs. Without "
         "any CONFIG they are the whole configuration",
         "FILE"},
        {"set", 's', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->values,
         "Set one parameter, e.g. sm.scheduler=scheduler.gto; applied after configs", "KEY=VALUE"},
        {"sms", 0, 0, G_OPTION_ARG_FILENAME, &s->sms_text,
         "Only N SMs, each a cluster of its own, with an ideal memory instead of network, L2 and "
         "DRAM",
         "N"},
        {"module", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &s->modules,
         "Load component types from a shared object", "MODULE.so"},
        {"strict", 0, 0, G_OPTION_ARG_NONE, &s->strict,
         "Treat unknown opcodes, options that are not modelled, and warps that continue after "
         "their last EXIT as errors, not warnings",
         NULL},
        {"ignore-unknown-options", 0, 0, G_OPTION_ARG_NONE, &s->ignore_unknown,
         "Skip unknown options in --gpgpusim files instead of refusing them", NULL},
        {"verbose", 'v', 0, G_OPTION_ARG_NONE, &s->verbose,
         "Name every ignored option in notes instead of counting the harmless ones", NULL},
        {NULL},
    };
    G_STATIC_ASSERT(sizeof all <= sizeof rows);
    memcpy(rows, all, sizeof all);
    return rows;
}

/* There is no module @p name in any of @p folders: say which one of there it may be. */
static bool no_module(const char *name, const char *const *folders, const char *is, GError **error)
{
    g_autofree char *stem = g_path_get_basename(name);
    if (g_str_has_suffix(stem, ".so")) {
        stem[strlen(stem) - strlen(".so")] = '\0';
    }
    g_autofree char *near = cli_closest_file(folders, ".so", stem);
    if (near != NULL && strchr(name, '/') != NULL) { /* a bare name is not looked for there */
        g_autofree char *file = g_strconcat(near, ".so", NULL);
        g_free(near);
        near = g_build_filename(folders[0], file, NULL);
    }
    g_autofree char *hint = near != NULL ? g_strdup_printf(", did you mean '%s'?", near) : NULL;
    return ww_fail(error, WW_ERROR_USAGE,
                   "module '%s' is %s%s; expected the path of a shared object", name, is,
                   hint != NULL ? hint : "");
}

static bool add_module(CliSetup *s, const char *path, GError **error)
{
    const WwModule *module;
    if (!ww_module_load(s->registry, path, &module, error)) {
        return false;
    }
    g_ptr_array_add(s->loaded, (gpointer)module);
    return true;
}

/* A module is a file; a bare name is looked up in the module folders, too. */
static bool load_module(CliSetup *s, const char *name, GError **error)
{
    if (s->module_files == NULL) {
        s->module_files = g_ptr_array_new_with_free_func(g_free);
        s->loaded = g_ptr_array_new();
    }
    if (strchr(name, '/') != NULL && !g_file_test(name, G_FILE_TEST_EXISTS)) {
        g_autofree char *folder = g_path_get_dirname(name);
        return no_module(name, (const char *const[]){folder, NULL}, "no file", error);
    }
    if (g_file_test(name, G_FILE_TEST_IS_REGULAR) || strchr(name, '/') != NULL) {
        g_autofree char *path = g_canonicalize_filename(name, NULL);
        g_ptr_array_add(s->module_files, g_strdup(name));
        return add_module(s, path, error);
    }
    g_autofree char *file =
        g_str_has_suffix(name, ".so") ? g_strdup(name) : g_strconcat(name, ".so", NULL);
    for (const char *const *dir = cli_dirs("modules"); *dir != NULL; dir++) {
        g_autofree char *path = g_build_filename(*dir, file, NULL);
        if (g_file_test(path, G_FILE_TEST_EXISTS)) {
            g_ptr_array_add(s->module_files, g_strdup(path));
            return add_module(s, path, error);
        }
    }
    g_autofree char *folders = g_strjoinv(" or ", (char **)cli_dirs("modules"));
    g_autofree char *is = g_strdup_printf("not a file, nor in %s", folders);
    return no_module(name, cli_dirs("modules"), is, error);
}

bool cli_setup_registry(CliSetup *s, GError **error)
{
    s->registry = ww_registry_new();
    if (!ww_components_register(s->registry, error) ||
        !ww_testing_register_faults(s->registry, error)) {
        return false;
    }
    for (char **m = s->modules; m != NULL && *m != NULL; m++) {
        if (!load_module(s, *m, error)) {
            return false;
        }
    }
    return true;
}

static void on_note(void *user, const char *message)
{
    CliSetup *s = user; /* told when everything is right: an error stands alone */
    if (s->notes == NULL) {
        s->notes = g_ptr_array_new_with_free_func(g_free);
    }
    g_ptr_array_add(s->notes, g_strdup(message));
}

static void on_file(void *user, const char *path)
{
    CliSetup *s = user;
    if (s->option_files == NULL) {
        s->option_files = g_ptr_array_new_with_free_func(g_free);
    }
    g_ptr_array_add(s->option_files, g_strdup(path));
}

/* --sms N: values of the platform `gpu`, so -s may still change them. */
static bool alone(CliSetup *s, GError **error)
{
    if (s->sms_text == NULL) {
        return true;
    }
    if (!cli_number_in("--sms", s->sms_text, 1, UINT64_MAX, &s->sms, error)) {
        return false;
    }
    g_autofree char *clusters = g_strdup_printf("gpu.clusters=%" G_GUINT64_FORMAT, s->sms);
    return ww_overrides_add_text(s->overrides, clusters, "--sms", error) &&
           ww_overrides_add_text(s->overrides, "cluster.sms=1", "--sms", error) &&
           ww_overrides_add_text(s->overrides, "gpu.ideal_memory=true", "--sms", error);
}

/* The name of a config behind -p, or of a platform behind -c. */
static bool refuse_swapped(const char *option, const char *name, GError **error)
{
    bool platform = strcmp(option, "-p") == 0;
    const char *other = platform ? "configs" : "platforms";
    if (g_file_test(name, G_FILE_TEST_EXISTS) ||
        cli_is_file(platform ? "platforms" : "configs", platform ? ".plat" : ".conf", name) ||
        !cli_is_file(other, platform ? ".conf" : ".plat", name)) {
        return true;
    }
    return ww_fail(error, WW_ERROR_USAGE, "%s %s: is a %s, not a %s; expected %s %s", option, name,
                   platform ? "config" : "platform", platform ? "platform" : "config",
                   platform ? "-c" : "-p", name);
}

static bool read_values(CliSetup *s, GError **error)
{
    s->overrides = ww_overrides_new();
    for (char **c = s->configs; c != NULL && *c != NULL; c++) {
        if (!refuse_swapped("-c", *c, error) ||
            !ww_overrides_add_file(s->overrides, *c, cli_dirs("configs"), error)) {
            return false;
        }
    }
    if (s->gpgpusim != NULL) {
        WwImportOptions options = {.complete = s->configs == NULL,
                                   .strict = s->strict,
                                   .ignore_unknown = s->ignore_unknown,
                                   .verbose = s->verbose,
                                   .note = on_note,
                                   .note_user = s,
                                   .file = on_file,
                                   .file_user = s};
        if (!ww_gpgpusim_import(s->overrides, (const char *const *)s->gpgpusim, &options, error)) {
            return false;
        }
    }
    if (!alone(s, error)) {
        return false;
    }
    for (char **v = s->values; v != NULL && *v != NULL; v++) {
        if (!ww_overrides_add_text(s->overrides, *v, "-s", error)) {
            return false;
        }
    }
    return true;
}

bool cli_setup_values(CliSetup *s, GError **error)
{
    s->named = s->platform_name != NULL;
    s->valued = true;
    cli_fit_choose(s);
    return cli_setup_registry(s, error) && read_values(s, error);
}

bool cli_setup_platform(CliSetup *s, GError **error)
{
    if (!s->valued && !cli_setup_values(s, error)) {
        return false;
    }
    g_autofree char *by = NULL;
    if (!s->named) {
        const char *asked = ww_overrides_platform(s->overrides, &by);
        s->platform_name = g_strdup(asked != NULL ? asked : DEFAULT_PLATFORM);
    }
    if (s->named && !refuse_swapped("-p", s->platform_name, error)) {
        return false;
    }
    g_autoptr(GError) why = NULL;
    s->platform = ww_platform_load(s->registry, s->platform_name, cli_dirs("platforms"), &why);
    if (why == NULL) {
        return true;
    }
    g_autofree char *head = g_strconcat(s->platform_name, ": ", NULL);
    if (by != NULL && g_str_has_prefix(why->message, head)) { /* it names no line of the platform */
        g_prefix_error(&why, "%s: ", by);
    }
    g_propagate_error(error, g_steal_pointer(&why));
    return false;
}

bool cli_setup_machine(CliSetup *s, GError **error)
{
    if (!cli_setup_platform(s, error)) {
        return false;
    }
    g_autoptr(GError) why = NULL;
    s->machine = ww_platform_elaborate(s->platform, s->overrides, &s->elaboration, &why);
    if (why != NULL) {
        cli_fit_platform(s, why);
        g_propagate_error(error, g_steal_pointer(&why));
    }
    return s->machine != NULL;
}

/* ---- the end that a trace is bound to --------------------------------------------------------------------------- */

/* The row of a port of @p type that requires a trace, or -1. */
static int trace_row(const WwType *type)
{
    const WwPortRow *p;
    for (WW_ROWS(type->ports, p)) {
        if (p->role == WW_REQUIRES && p->contract == &ww_contract_trace_source) {
            return (int)(p - type->ports);
        }
    }
    return -1;
}

static gint by_number(gconstpointer a, gconstpointer b)
{
    const WwComponent *x = *(WwComponent *const *)a, *y = *(WwComponent *const *)b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* The components that could do with a trace and have none. */
static GPtrArray *without_trace(const WwMachine *machine)
{
    GPtrArray *found = g_ptr_array_new();
    for (uint32_t t = 0; t < ww_machine_n_types(machine); t++) {
        WwComponent *c = ww_machine_first(machine, t);
        int row = trace_row(c->type);
        uint32_t n = row >= 0 ? ww_machine_n_of(machine, t) : 0;
        for (uint32_t i = c->id; n != 0; n--) {
            i = ww_machine_next(machine, t, i);
            c = ww_machine_component(machine, i++);
            if (ww_component_bound(c, row) == 0) {
                g_ptr_array_add(found, c);
            }
        }
    }
    g_ptr_array_sort(found, by_number);
    return found;
}

WwComponent *cli_trace_port(WwMachine *machine, int *row, GError **error)
{
    g_autoptr(GPtrArray) found = without_trace(machine);
    if (found->len > 1) {
        g_autofree char *one = ww_path(found->pdata[0]);
        g_autofree char *other = ww_path(found->pdata[1]);
        ww_fail(error, WW_ERROR_WIRING,
                "%s and %s both need a trace; expected one component of the platform with "
                "an unbound "
                "port of contract trace_source",
                one, other);
        return NULL;
    }
    WwComponent *only = found->len != 0 ? found->pdata[0] : NULL;
    if (only == NULL) {
        ww_fail(error, WW_ERROR_WIRING,
                "nothing in the platform reads a trace; expected a component with an unbound port "
                "of contract "
                "trace_source, such as a kernel_queue");
    }
    *row = only != NULL ? trace_row(only->type) : -1;
    return only;
}

void cli_setup_clear(CliSetup *s)
{
    ww_machine_free(s->machine);
    ww_elaboration_free(s->elaboration);
    ww_platform_free(s->platform);
    ww_overrides_free(s->overrides);
    ww_registry_free(s->registry);
    g_strfreev(s->configs);
    g_strfreev(s->values);
    g_strfreev(s->modules);
    g_strfreev(s->gpgpusim);
    g_free(s->platform_name);
    g_free(s->sms_text);
    g_free(s->choice);
    g_clear_pointer(&s->notes, g_ptr_array_unref);
    g_clear_pointer(&s->told, g_ptr_array_unref);
    g_clear_pointer(&s->module_files, g_ptr_array_unref);
    g_clear_pointer(&s->loaded, g_ptr_array_unref);
    g_clear_pointer(&s->option_files, g_ptr_array_unref);
    memset(s, 0, sizeof *s);
}
