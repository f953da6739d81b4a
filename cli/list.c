/* SPDX-License-Identifier: Apache-2.0 */
/* `warpwright list`: what there is to choose from, and where it lies. */
#include "cli-priv.h"
#include "inspect.h"
#include <compat/accelsim.h>
#include <compat/import.h>
#include <warpwright/module.h>

#include <string.h>

static const char *const whats[] = {"types",   "platforms",  "configs", "modules",
                                    "options", "statistics", NULL};

static char *stem(const char *path, const char *suffix)
{
    char *name = g_path_get_basename(path);
    name[strlen(name) - strlen(suffix)] = '\0';
    return name;
}

/* ---- platforms -------------------------------------------------------------------------------------------------- */

/* A file of parts has no machine: it is read by an empty one that imports it. */
static WwPlatform *load_parts(const WwRegistry *registry, const char *path)
{
    g_autofree char *text =
        g_strdup_printf("import \"%s\";\n"
                        "machine listing { domain core = 1MHz; phases { core : core; } }\n",
                        path);
    return ww_platform_load_text(registry, text, strlen(text), "list", cli_dirs("platforms"), NULL);
}

static const char *doc_of(const WwCompositeInfo *info)
{
    return info->doc != NULL ? info->doc : "";
}

/* Columns for the names of files. */
static int name_width(const GPtrArray *list, const char *suffix)
{
    size_t width = 16;
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *name = stem(list->pdata[i], suffix);
        width = MAX(width, strlen(name));
    }
    return (int)width;
}

/* Prints the machine of each file, or (@p parts) the composites of those that have none. */
static void print_platforms(const WwRegistry *registry, const GPtrArray *list, bool parts)
{
    bool head = !parts;
    int width = name_width(list, ".plat");
    for (guint i = 0; i < list->len; i++) {
        const char *path = list->pdata[i];
        g_autofree char *name = stem(path, ".plat");
        g_autoptr(GError) error = NULL;
        g_autoptr(WwPlatform) whole =
            ww_platform_load(registry, path, cli_dirs("platforms"), &error);
        g_autoptr(WwPlatform) part = whole == NULL ? load_parts(registry, path) : NULL;
        uint32_t n = 0;
        const WwCompositeInfo *all = whole != NULL ? ww_platform_composites(whole, &n) : NULL;
        for (uint32_t k = 0; k < n && !parts; k++) {
            if (all[k].machine && strcmp(all[k].name, ww_platform_name(whole)) == 0) {
                printf("%-*s %s\n", width, name, doc_of(&all[k]));
            }
        }
        if (whole == NULL && part == NULL && !parts) {
            error->message[strcspn(error->message, "\n")] = '\0';
            printf("%-*s (broken: %s)\n", width, name, error->message);
        }
        n = 0;
        all = part != NULL ? ww_platform_composites(part, &n) : NULL;
        for (uint32_t k = 0; k < n && parts; k++) {
            if (!all[k].machine && g_str_has_suffix(all[k].where.file, strrchr(path, '/'))) {
                printf("%s%-*s %s: %s\n", head ? "" : "\nparts to import\n", width, name,
                       all[k].name, doc_of(&all[k]));
                head = true;
            }
        }
    }
}

static bool list_platforms(GError **error)
{
    CliSetup setup = {0};
    bool good = cli_setup_registry(&setup, error);
    if (good) {
        g_autoptr(GPtrArray) list = cli_files("platforms", ".plat");
        print_platforms(setup.registry, list, false);
        print_platforms(setup.registry, list, true);
    }
    cli_setup_clear(&setup);
    return good;
}

/* ---- configs ---------------------------------------------------------------------------------------------------- */

/*
 * Traces that the values of a .conf are for, itself or by what it includes: "sm_60 sm_61", "-" when nothing says. Newly allocated;
 * NULL and @p error when it cannot be read.
 */
static char *config_traces(const char *path, bool *validated, GError **error)
{
    uint32_t n = 0;
    const char *by;
    g_autoptr(WwOverrides) values = ww_overrides_new();
    g_autoptr(GString) out = g_string_new(NULL);
    if (!ww_overrides_add_file(values, path, cli_dirs("configs"), error)) {
        return NULL;
    }
    const uint32_t *versions = ww_overrides_traces(values, &n, &by);
    *validated = ww_overrides_not_validated(values) == NULL;
    for (uint32_t i = 0; i < n; i++) {
        g_string_append_printf(out, "%ssm_%u", i == 0 ? "" : " ", versions[i]);
    }
    return g_strdup(n != 0 ? out->str : "-");
}

/* The comment in line @p l, without what marks it; NULL: it has none, or an empty one. */
static const char *comment(const char *l)
{
    const char *said = l != NULL && *l == '#' ? l + 1 + strspn(l + 1, "# ") : "";
    return *said != '\0' ? said : NULL;
}

/* The first sentence of a comment that begins in @p lines; where none ends, its first line. Newly allocated. */
static char *sentence(char **lines)
{
    g_autoptr(GString) text = g_string_new(comment(*lines));
    if (g_str_has_suffix(text->str, ".")) {
        return g_strdup(text->str); /* it may be two */
    }
    for (char **l = lines + 1; strstr(text->str, ". ") == NULL; l++) {
        if (comment(*l) == NULL) {
            return g_strdup(comment(*lines));
        }
        g_string_append_printf(text, " %s", comment(*l));
    }
    return g_strndup(text->str, (gsize)(strstr(text->str, ". ") - text->str) + 1);
}

/* The first comment of a .conf that is not its licence says what it is. */
static char *config_doc(const char *path)
{
    static const WwTextLimits limits = {.bytes = 16u << 20, .expected = ""};
    g_autofree char *text = NULL;
    size_t length;
    if (!ww_read_text(path, &limits, &text, &length, NULL)) {
        return g_strdup("(cannot be read)");
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", 12);
    for (char **l = lines; *l != NULL && **l == '#'; l++) {
        if (comment(*l) != NULL && !g_str_has_prefix(comment(*l), "SPDX-")) {
            return sentence(l);
        }
    }
    return g_strdup("");
}

static bool list_configs(GError **error)
{
    g_autoptr(GPtrArray) list = cli_files("configs", ".conf");
    int width = name_width(list, ".conf");
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *name = stem(list->pdata[i], ".conf");
        g_autofree char *doc = config_doc(list->pdata[i]);
        g_autoptr(GError) broken = NULL;
        bool validated = true;
        g_autofree char *traces = config_traces(list->pdata[i], &validated, &broken);
        if (broken != NULL) {
            printf("%-*s (broken: %s)\n", width, name, broken->message);
        } else {
            printf("%-*s %-12s %s%s\n", width, name, traces, doc,
                   validated ? "" : " Not validated.");
        }
    }
    return true;
}

/* ---- modules and types ------------------------------------------------------------------------------------------ */

/* Each module is loaded into a registry of its own: two that clash with each other can both be listed. */
static void list_module(const char *path)
{
    CliSetup setup = {0};
    GError *error = NULL;
    g_autofree char *file = g_path_get_basename(path);
    const WwModule *module = NULL;
    uint32_t abi = ww_module_abi(path);
    if (!cli_setup_registry(&setup, &error)) {
        g_clear_error(&error);
    }
    bool good = setup.registry != NULL && ww_module_load(setup.registry, path, &module, &error);
    g_autofree char *version =
        abi != 0 ? g_strdup_printf("interface version %u", abi) : g_strdup("no interface");
    printf("%s%s%s%s%s\n    %s, %s\n", file, good ? "    " : "", good ? module->name : "",
           good ? " " : "", good ? module->version : "", path, version);
    if (good) {
        printf("    %s\n", module->doc);
        for (const WwType *const *t = module->types; *t != NULL; t++) {
            printf("    %-22s %s\n", (*t)->name, (*t)->doc);
        }
    } else {
        const char *why = error != NULL ? error->message : "unknown error";
        printf("    does not load: %s\n",
               g_str_has_prefix(why, path) ? why + strlen(path) + 2 : why);
    }
    g_clear_error(&error);
    cli_setup_clear(&setup);
}

static int by_path(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sources of modules that came with the command, which lie where modules are looked for. */
static void print_sources(const char *dir)
{
    g_autoptr(GDir) d = g_dir_open(dir, 0, NULL);
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    const char *name;
    while (d != NULL && (name = g_dir_read_name(d)) != NULL) {
        g_autofree char *build = g_build_filename(dir, name, "CMakeLists.txt", NULL);
        if (g_file_test(build, G_FILE_TEST_EXISTS)) {
            g_ptr_array_add(names, g_build_filename(dir, name, NULL));
        }
    }
    g_ptr_array_sort(names, by_path);
    for (guint i = 0; i < names->len; i++) {
        fprintf(stderr, "%s    %s\n",
                i == 0 ? "sources, for cmake -S FOLDER -B BUILD; cmake --build BUILD; cmake "
                         "--install BUILD:\n"
                       : "",
                (const char *)names->pdata[i]);
    }
}

static bool list_modules(GError **error)
{
    g_autoptr(GPtrArray) list = cli_files("modules", ".so");
    for (guint i = 0; i < list->len; i++) {
        list_module(list->pdata[i]);
    }
    if (list->len == 0) {
        fputs("no modules in:\n", stderr);
        for (const char *const *dir = cli_dirs("modules"); *dir != NULL; dir++) {
            fprintf(stderr, "    %s\n", *dir);
        }
        for (const char *const *dir = cli_dirs("modules"); *dir != NULL; dir++) {
            print_sources(*dir);
        }
        fputs("WARPWRIGHT_PATH adds folders, and -m takes any file\n", stderr);
    }
    return true;
}

/* ---- options of the reference ----------------------------------------------------------------------------------- */

static int by_option(const void *a, const void *b)
{
    return strcmp(((const WwOptionInfo *)a)->name, ((const WwOptionInfo *)b)->name);
}

static void print_option(const WwOptionInfo *o)
{
    static const char *const classes[WW_N_OPTION_CLASSES] = {
        [WW_OPTION_FUNCTIONAL] = "no effect",
        [WW_OPTION_POWER] = "left out",
        [WW_OPTION_VISUALISATION] = "left out",
        [WW_OPTION_TIMING] = "NOT MODELLED",
    };
    printf("%-48s ", o->name);
    for (const char *const *p = o->paths; p != NULL && *p != NULL; p++) {
        if (**p != '\0') {
            printf("%s%s", p == o->paths ? "" : ", ", *p);
        }
    }
    if (o->class != WW_OPTION_MODELLED) {
        printf("(%s: %s)", classes[o->class], o->what);
    } else if (*o->what != '\0') {
        fputs(o->what, stdout);
    }
    fputc('\n', stdout);
}

static bool list_options(void)
{
    g_autoptr(GArray) all = g_array_new(false, false, sizeof(WwOptionInfo));
    WwOptionInfo o;
    for (uint32_t i = 0; ww_gpgpusim_option(i, &o); i++) {
        g_array_append_val(all, o);
    }
    g_array_sort(all, by_option);
    for (guint i = 0; i < all->len; i++) {
        print_option(&g_array_index(all, WwOptionInfo, i));
    }
    return true;
}

static bool list_statistics(void)
{
    WwAccelsimLine line;
    for (uint32_t i = 0; ww_accelsim_line(i, &line); i++) {
        bool both = *line.from != '\0' && *line.what != '\0';
        printf("%-52s  %s%s%s%s%s\n", line.text, *line.from != '\0' ? "= " : "", line.from,
               both ? " (" : "", line.what, both ? ")" : "");
    }
    return true;
}

static bool list_types(CliSetup *setup, GError **error)
{
    if (!cli_setup_registry(setup, error)) {
        return false;
    }
    inspect_types(setup->registry, INSPECT_TEXT, false, stdout);
    return true;
}

int cli_list(int argc, char **argv)
{
    CliSetup setup = {0};
    GError *error = NULL;
    const GOptionEntry own[] = {
        {"module", 'm', 0, G_OPTION_ARG_FILENAME_ARRAY, &setup.modules,
         "Also the types of this module", "MODULE.so"},
        {NULL},
    };
    const GOptionEntry *const tables[] = {own, NULL};
    bool good = cli_parse(
        &argc, &argv, cli_choices(whats), "Lists what there is to choose from.",
        "WARPWRIGHT_PATH adds folders to search. options: those of the reference and the "
        "parameters they set; statistics: the lines of its report and what they are in results.",
        tables, &error);
    if (good && argc != 2) {
        good = ww_fail(&error, WW_ERROR_USAGE,
                       "list: expected one of types, platforms, configs, modules, options and "
                       "statistics");
    }
    int what = good ? cli_choice("list:", argv[1], whats, &error) : -1;
    good = what == 0   ? list_types(&setup, &error)
           : what == 1 ? list_platforms(&error)
           : what == 2 ? list_configs(&error)
           : what == 3 ? list_modules(&error)
           : what == 4 ? list_options()
           : what == 5 ? list_statistics()
                       : false;
    cli_setup_clear(&setup);
    return good ? CLI_DONE : cli_fail(error);
}
