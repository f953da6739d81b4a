/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright inspect`: options, and which of the views is wanted. */
#include "inspect.h"
#include "picture.h"

#include <ports/ctas.h>
#include <string.h>

typedef struct Inspect {
    CliSetup setup;
    gboolean dot, svg, json, markdown, order, partitions, resolved, all;
    char *depth_text;
    uint64_t depth; /* 0: all */
    char *why, *only, *with;
} Inspect;

static const char *const description =
    "Without TYPE, -c and -p: all component types. With TYPE: its parameters, ports, statistics.\n"
    "With -c or -p (or a FILE.plat): the platform, as a tree and a table of connections, or\n"
    "  --dot         as a graph: warpwright inspect -c qv100 --depth 1 --dot | dot -Tsvg > "
    "gpu.svg\n"
    "  --json        every component with its values, every binding, where each value comes from, "
    "the order\n"
    "  --order       the order of turns in each phase of a tick; '~': decided only by the order of "
    "declaration, '>': run by the line above within its own turn\n"
    "  --partitions  which parts own their state, and what makes some of them depend on others\n"
    "  --resolved    a single platform text without parameters that elaborates to the same "
    "machine\n"
    "  --why PATH    where the values matching PATH come from, e.g. sm.scheduler or gpu.clusters\n"
    "--json with --order or --why gives that alone. Tree, table and graph can be narrowed: --only "
    "sm shows one SM and\n"
    "what it is connected to, --depth 1 a GPU with its clusters and channels collapsed.";

static bool parse_options(Inspect *o, int *argc, char ***argv, GError **error)
{
    const GOptionEntry own[] = {
        CLI_HEADING("How it is shown"),
        {"dot", 0, 0, G_OPTION_ARG_NONE, &o->dot, "The platform as a Graphviz graph", NULL},
        {"svg", 0, 0, G_OPTION_ARG_NONE, &o->svg, "The platform as a picture", NULL},
        {"with", 0, 0, G_OPTION_ARG_FILENAME, &o->with,
         "Add the figures of a run to the picture: results of run --stats '*' -o FILE.json",
         "FILE.json"},
        {"json", 0, 0, G_OPTION_ARG_NONE, &o->json, "The types, or the platform, as JSON", NULL},
        {"markdown", 0, 0, G_OPTION_ARG_NONE, &o->markdown,
         "The types as Markdown: the component reference", NULL},
        {"order", 0, 0, G_OPTION_ARG_NONE, &o->order, "The order of turns in each phase", NULL},
        {"partitions", 0, 0, G_OPTION_ARG_NONE, &o->partitions,
         "What ties partitions together in each phase", NULL},
        {"resolved", 0, 0, G_OPTION_ARG_NONE, &o->resolved,
         "The platform with every value written out", NULL},
        {"why", 0, 0, G_OPTION_ARG_FILENAME, &o->why, "Where a value comes from", "PATH"},
        CLI_HEADING("Which parts"),
        {"only", 0, 0, G_OPTION_ARG_FILENAME, &o->only,
         "Only one group of the platform, by the end of its path (sm), or one element (cluster[3])",
         "GROUP"},
        {"depth", 0, 0, G_OPTION_ARG_FILENAME, &o->depth_text,
         "Collapse what is more than N groups deep", "N"},
        {"all", 0, 0, G_OPTION_ARG_NONE, &o->all,
         "Also types used only by tests; with --order every element", NULL},
        {NULL},
    };
    const GOptionEntry *const tables[] = {cli_setup_options(&o->setup), own, NULL};
    return cli_parse(argc, argv, "[TYPE|FILE.plat]",
                     "Describes component types, or a platform and its values.", description,
                     tables, error) &&
           (o->depth_text == NULL ||
            cli_number_in("--depth", o->depth_text, 1, UINT32_MAX, &o->depth, error));
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

/* The file that declares composite @p name of @p platform, newly allocated; NULL: there is none. */
static char *file_of(const WwRegistry *registry, const char *platform, const char *name)
{
    WwPlatform *p = ww_platform_load(registry, platform, cli_dirs("platforms"), NULL);
    uint32_t n = 0;
    const WwCompositeInfo *all = p != NULL ? ww_platform_composites(p, &n) : NULL;
    char *file = NULL;
    for (uint32_t i = 0; i < n && file == NULL; i++) {
        bool it = strcmp(all[i].name, name) == 0 && !all[i].machine;
        file = it ? g_path_get_basename(all[i].where.file) : NULL;
    }
    ww_platform_free(p);
    return file;
}

/* The error when @p name is a composite of any platform: of gpu, or of the first by name that has it. */
static void say_composite(const WwRegistry *registry, const char *name, GError **error)
{
    g_autoptr(GPtrArray) files = cli_files("platforms", ".plat");
    g_autofree char *platform = g_strdup("gpu"), *file = file_of(registry, platform, name);
    for (guint i = 0; i < files->len && file == NULL; i++) {
        g_free(platform);
        platform = g_path_get_basename(files->pdata[i]);
        platform[strlen(platform) - strlen(".plat")] = '\0';
        file = file_of(registry, platform, name);
    }
    if (file != NULL) {
        ww_fail(error, WW_ERROR_USAGE,
                "inspect: '%s' is a composite of %s, not a component type; expected a type, or "
                "-p %s for a platform that has it",
                name, file, platform);
    }
}

/* Not a file of composites alone, which needs another one with a machine. */
static bool is_platform(const WwRegistry *registry, const char *name)
{
    WwPlatform *p = cli_is_file("platforms", ".plat", name)
                        ? ww_platform_load(registry, name, cli_dirs("platforms"), NULL)
                        : NULL;
    ww_platform_free(p);
    return p != NULL;
}

/* @p name is no type: when it is something else that can be shown, that becomes the error @p why. */
static void say_what_it_is(const WwRegistry *registry, const char *name, GError **why)
{
    bool config = cli_is_file("configs", ".conf", name);
    GError *instead = NULL;
    if (config || is_platform(registry, name)) {
        ww_fail(&instead, WW_ERROR_USAGE,
                "inspect: '%s' is a %s, not a component type; expected %s %s", name,
                config ? "config" : "platform", config ? "-c" : "-p", name);
    } else {
        say_composite(registry, name, &instead);
    }
    if (instead != NULL) {
        g_clear_error(why);
        g_propagate_error(why, instead);
    }
}

static bool show_types(Inspect *o, const char *name, GError **error)
{
    InspectForm form = o->json ? INSPECT_JSON : o->markdown ? INSPECT_MARKDOWN : INSPECT_TEXT;
    const char *platforms_only = o->dot            ? "dot"
                                 : o->svg          ? "svg"
                                 : o->with != NULL ? "with"
                                 : o->order        ? "order"
                                 : o->partitions   ? "partitions"
                                 : o->resolved     ? "resolved"
                                 : o->why != NULL  ? "why"
                                 : o->only != NULL ? "only"
                                 : o->depth != 0   ? "depth"
                                                   : NULL;
    if (platforms_only != NULL) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "inspect: --%s is about a platform; expected -p PLATFORM or -c CONFIG as well",
            platforms_only);
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
    } else {
        say_what_it_is(o->setup.registry, name, error);
    }
    return type != NULL;
}

/* ---- machines --------------------------------------------------------------------------------------------------- */

static bool show_order(Inspect *o, GError **error)
{
    if (!cli_setup_seal(&o->setup, error)) {
        return false;
    }
    if (o->json) {
        inspect_order_json(o->setup.machine, stdout);
    } else if (o->all) {
        ww_machine_print_order(o->setup.machine, stdout);
    } else {
        inspect_order_text(o->setup.machine, stdout);
    }
    return true;
}

static bool show_partitions(Inspect *o, GError **error)
{
    bool good = cli_setup_seal(&o->setup, error);
    if (good) {
        ww_machine_print_partitions(o->setup.machine, stdout);
    }
    return good;
}

static bool show_why(Inspect *o, GError **error)
{
    if (o->json) {
        return inspect_why_json(o->setup.elaboration, o->why, stdout, error);
    }
    g_autofree char *text = ww_elaboration_why(o->setup.elaboration, o->why, error);
    fputs(text != NULL ? text : "", stdout);
    return text != NULL;
}

/* Also of a platform that cannot run yet: then without the order, but with the reason. */
static void show_json(Inspect *o)
{
    g_autoptr(GError) why_not = NULL;
    cli_setup_seal(&o->setup, &why_not);
    inspect_machine_json(o->setup.machine, o->setup.elaboration,
                         ww_platform_name(o->setup.platform),
                         why_not != NULL ? why_not->message : NULL, stdout);
}

/* "rtx3070"; "my_gpu with rtx3070" of a platform of the user's choice. */
static char *picture_title(const Inspect *o)
{
    const char *platform = ww_platform_name(o->setup.platform);
    GString *text = g_string_new(NULL);
    for (char **c = o->setup.configs; c != NULL && *c != NULL; c++) {
        g_autofree char *name = g_path_get_basename(*c), *valid = g_utf8_make_valid(name, -1);
        g_string_append_printf(text, "%s%s", text->len != 0 ? " + " : "", valid);
    }
    if (text->len == 0) {
        g_string_append(text, platform);
    } else if (o->setup.named) {
        g_autofree char *both = g_strdup_printf("%s with ", platform);
        g_string_prepend(text, both);
    }
    return g_string_free(text, false);
}

static char *picture_subtitle(const Inspect *o, const InspectMachine *view)
{
    uint32_t n;
    const WwCompositeInfo *all = ww_platform_composites(o->setup.platform, &n);
    const char *doc = "";
    for (uint32_t i = 0; i < n; i++) {
        bool own = strcmp(all[i].name, ww_platform_name(o->setup.platform)) == 0;
        doc = own && all[i].doc != NULL ? all[i].doc : doc;
    }
    g_autofree char *file = g_utf8_make_valid(o->with != NULL ? o->with : "", -1);
    bool alone = view->root == NULL && *doc == '\0';
    g_autofree char *with =
        o->with != NULL ? g_strdup_printf("%swith the figures of %s", alone ? "" : ", ", file)
                        : g_strdup("");
    guint of =
        view->root != NULL ? GPOINTER_TO_UINT(g_hash_table_lookup(view->group_of, view->root)) : 0;
    g_autofree char *one = g_strdup_printf("one of %u %s", of, view->root);
    return g_strconcat(view->element != NULL ? view->element
                       : view->root != NULL  ? one
                                             : doc,
                       with, NULL);
}

static bool show_picture(Inspect *o, const InspectMachine *view, GHashTable *patterns,
                         GError **error)
{
    if (view->parts->len > PICTURE_MOST || view->wires->len > 4 * PICTURE_MOST) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: a picture of %u kinds of parts and %u of wires cannot be read; "
                       "expected at most %u and %u: --only and --depth leave some out",
                       view->parts->len, view->wires->len, PICTURE_MOST, 4 * PICTURE_MOST);
    }
    g_autoptr(Picture) picture = picture_new(view);
    picture->patterns_of = g_hash_table_ref(patterns);
    if (o->with != NULL && !picture_with(picture, &o->setup, o->with, error)) {
        return false;
    }
    g_autofree char *title = picture_title(o), *subtitle = picture_subtitle(o, view);
    picture_write(picture, title, subtitle, stdout);
    return true;
}

static bool show_view(Inspect *o, GError **error)
{
    const char *title = ww_platform_name(o->setup.platform);
    g_autoptr(InspectMachine) view = inspect_machine_new(o->setup.machine);
    g_autoptr(GHashTable) patterns = picture_patterns(view);
    if ((o->only != NULL || o->depth != 0) &&
        !inspect_machine_narrow(view, o->only, (guint)o->depth, error)) {
        return false;
    }
    if (o->svg) {
        return show_picture(o, view, patterns, error);
    } else if (o->dot) {
        inspect_machine_dot(view, title, stdout);
    } else {
        inspect_machine_text(view, title, stdout);
    }
    return true;
}

static bool show_machine(Inspect *o, GError **error)
{
    if (o->markdown) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "inspect: --markdown is about types; expected --dot, --svg, --json, --order, "
            "--partitions or --resolved for a platform, or none of them for text");
    }
    bool whole = o->json || o->order || o->partitions || o->resolved || o->why != NULL;
    if (whole && (o->only != NULL || o->depth != 0)) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "inspect: --only and --depth narrow the tree and the graph; expected none of --json, "
            "--order, --partitions, --resolved and --why with them");
    }
    if (o->with != NULL && !o->svg) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: --with puts figures on a picture; expected --svg, too");
    }
    if (!cli_setup_machine(&o->setup, error)) {
        return false;
    }
    cli_fit_tell(&o->setup);
    bool text = !whole && !o->dot && !o->svg; /* says it in its place */
    if (!text && ww_machine_n_components(o->setup.machine) == 0) {
        fprintf(stderr, "warpwright: note: machine '%s' is empty: it has no components\n",
                ww_platform_name(o->setup.platform));
    }
    if (o->why != NULL) {
        return show_why(o, error);
    }
    if (o->resolved) {
        return ww_platform_write_resolved(o->setup.elaboration, stdout, error);
    }
    if (o->order) {
        return show_order(o, error);
    }
    if (o->partitions) {
        return show_partitions(o, error);
    }
    if (o->json) {
        show_json(o);
        return true;
    }
    return show_view(o, error);
}

static bool show(Inspect *o, int argc, char **argv, GError **error)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    bool json_of = o->json && (o->order || o->why != NULL);
    int forms = o->dot + o->svg + (o->json && !json_of) + o->markdown + o->order + o->partitions +
                o->resolved + (o->why != NULL);
    if (argc > 2) {
        return ww_fail(error, WW_ERROR_USAGE,
                       "inspect: '%s' is one argument too many; expected at most one TYPE",
                       argv[2]);
    }
    if (forms > 1) {
        return ww_fail(
            error, WW_ERROR_USAGE,
            "inspect: expected at most one of --dot, --svg, --json, --markdown, --order, "
            "--partitions, --resolved and --why");
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
    g_free(o.only);
    g_free(o.depth_text);
    g_free(o.with);
    return good ? CLI_DONE : cli_fail(error);
}
