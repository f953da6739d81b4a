/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright inspect`: options, and which of the views is wanted. */
#include "inspect.h"

#include <ports/ctas.h>
#include <string.h>

typedef struct Inspect {
    CliSetup setup;
    gboolean dot, json, markdown, order, resolved, all;
    char *why;
} Inspect;

static const char *const description =
    "Without a TYPE and without -c or -p: all component types. With TYPE: its parameters, ports, "
    "statistics.\n"
    "With -c or -p (or a TYPE that ends in .plat): the platform, as a tree and a table of "
    "connections, or\n"
    "  --dot        as a graph: warpwright inspect -c qv100 --dot | dot -Tsvg > gpu.svg\n"
    "  --json       every component with its values, every binding\n"
    "  --order      what runs in which order in each phase of a tick; '~' marks an order that "
    "nothing but the\n"
    "               declaration decides\n"
    "  --resolved   one platform text without parameters that elaborates to the same machine\n"
    "  --why PATH   where the values that PATH matches come from, e.g. sm.scheduler or "
    "gpu.clusters";

static bool parse_options(Inspect *o, int *argc, char ***argv, GError **error)
{
    const GOptionEntry own[] = {
        {"dot", 0, 0, G_OPTION_ARG_NONE, &o->dot, "The platform as a Graphviz graph", NULL},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "Types, or the platform, as JSON", NULL},
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown,
         "Types as Markdown: the component reference", NULL},
        {"order", 0, 0, G_OPTION_ARG_NONE, &o->order, "The order of each phase", NULL},
        {"resolved", 0, 0, G_OPTION_ARG_NONE, &o->resolved,
         "The platform with every value written out", NULL},
        {"why", 0, 0, G_OPTION_ARG_FILENAME, &o->why, "Where a value comes from", "PATH"},
        {"all", 0, 0, G_OPTION_ARG_NONE, &o->all, "Also types that only tests use", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {cli_setup_options(&o->setup), own, NULL};
    return cli_parse(argc, argv, "[TYPE]",
                     "Describes component types, or a platform with its values.", description,
                     tables, error);
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static bool show_types(Inspect *o, const char *name, GError **error)
{
    InspectForm form = o->json ? INSPECT_JSON : o->markdown ? INSPECT_MARKDOWN : INSPECT_TEXT;
    if (o->dot || o->order || o->resolved || o->why != NULL) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "inspect: --%s is about a platform; expected -p PLATFORM or -c CONFIG as well",
            o->dot        ? "dot"
            : o->order    ? "order"
            : o->resolved ? "resolved"
                          : "why");
    }
    if (!cli_setup_registry(&o->setup, error)) {
        return false;
    }
    if (name == NULL) {
        inspect_types(o->setup.registry, form, o->all, stdout);
        return true;
    }
    const WwType *type = ww_registry_find(o->setup.registry, name, error);
    if (type != NULL) {
        inspect_type(o->setup.registry, type, form, stdout);
    }
    return type != NULL;
}

/* ---- machines --------------------------------------------------------------------------------------------------- */

/* A trace without commands: enough to seal a machine that only shall be looked at. */
static bool no_command(void *self, WwCommand *out, GError **error)
{
    out->kind = WW_COMMAND_END;
    return true;
}

static bool no_cta(void *self, WwKernel *kernel, WwCtaTrace **out, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "there is no trace");
}

static void keep_cta(void *self, WwKernel *kernel, WwCtaTrace *cta) {}

static void keep_kernel(void *self, WwKernel *kernel) {}

static const WwTraceSourceIf no_trace = {no_command, no_cta, keep_cta, keep_kernel};

static bool show_order(Inspect *o, GError **error)
{
    int row;
    static char nobody;
    WwComponent *reader = cli_trace_port(o->setup.machine, &row, NULL);
    if ((reader != NULL && !ww_bind_external(reader, row, &no_trace, &nobody, error)) ||
        !ww_machine_seal(o->setup.machine, error)) {
        return false;
    }
    ww_machine_print_order(o->setup.machine, stdout);
    return true;
}

static bool show_machine(Inspect *o, GError **error)
{
    if (o->markdown) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: --markdown is about types; a platform can be shown as text, "
                       "--dot, --json, --order or --resolved");
    }
    if (!cli_setup_machine(&o->setup, error)) {
        return false;
    }
    if (o->why != NULL) {
        g_autofree char *text = ww_elaboration_why(o->setup.elaboration, o->why, error);
        fputs(text != NULL ? text : "", stdout);
        return text != NULL;
    }
    if (o->resolved) {
        return ww_platform_write_resolved(o->setup.elaboration, stdout, error);
    }
    if (o->order) {
        return show_order(o, error);
    }
    if (o->json) {
        inspect_machine_json(o->setup.machine, stdout);
        return true;
    }
    g_autoptr(InspectMachine) view = inspect_machine_new(o->setup.machine);
    if (o->dot) {
        inspect_machine_dot(view, ww_platform_name(o->setup.platform), stdout);
    } else {
        inspect_machine_text(view, ww_platform_name(o->setup.platform), stdout);
    }
    return true;
}

static bool show(Inspect *o, int argc, char **argv, GError **error)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    int forms = o->dot + o->json + o->markdown + o->order + o->resolved + (o->why != NULL);
    if (argc > 2) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: '%s' is one argument too many; expected at most one TYPE",
                       argv[2]);
    }
    if (forms > 1) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: expected at most one of --dot, --json, --markdown, --order, "
                       "--resolved and --why");
    }
    if (name != NULL && g_str_has_suffix(name, ".plat") && o->setup.platform_name == NULL) {
        o->setup.platform_name = g_strdup(name);
        name = NULL;
    }
    bool machine =
        o->setup.platform_name != NULL || o->setup.configs != NULL || o->setup.gpgpusim != NULL;
    if (machine && name != NULL) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: a TYPE ('%s') and a platform were given; expected one of them",
                       name);
    }
    return machine ? show_machine(o, error) : show_types(o, name, error);
}

int cli_inspect(int argc, char **argv)
{
    Inspect o = {0};
    GError *error = NULL;
    bool good = parse_options(&o, &argc, &argv, &error) && show(&o, argc, argv, &error);
    cli_setup_clear(&o.setup);
    g_free(o.why);
    return good ? CLI_DONE : cli_fail(error);
}
