/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a value or an argument may be, by the name that help gives it. A machine is built, where its parameters or statistics are asked for, of
 * the words before.
 */
#include "complete.h"
#include "events.h"
#include "inspect.h"

#include <string.h>
#include <sys/stat.h>

/* ---- files ------------------------------------------------------------------------------------------------------ */

/* Folders, and files whose name ends in one of @p suffixes (NULL: any file; "": none), below what has been typed. */
static void offer_files(const Completion *c, const char *const *suffixes)
{
    const char *slash = strrchr(c->begun, '/');
    g_autofree char *typed = g_strndup(c->begun, slash != NULL ? (gsize)(slash - c->begun) + 1 : 0);
    g_autofree char *folder = g_str_has_prefix(typed, "~/")
                                  ? g_build_filename(g_get_home_dir(), typed + 2, NULL)
                                  : g_strdup(*typed != '\0' ? typed : ".");
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    bool dots = slash != NULL ? slash[1] == '.' : c->begun[0] == '.';
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        g_autofree char *path = g_build_filename(folder, name, NULL);
        bool is_folder = g_file_test(path, G_FILE_TEST_IS_DIR), fits = suffixes == NULL;
        for (const char *const *s = suffixes; s != NULL && *s != NULL; s++) {
            fits |= **s != '\0' && g_str_has_suffix(name, *s);
        }
        if ((name[0] == '.' && !dots) || (!is_folder && !fits) || strchr(name, '\n') != NULL) {
            continue;
        }
        g_autofree char *word = g_strconcat(typed, name, is_folder ? "/" : "", NULL);
        complete_offer(c, word);
    }
}

static void offer_any_file(const Completion *c)
{
    offer_files(c, NULL);
}

static void offer_csv(const Completion *c)
{
    offer_files(c, (const char *const[]){".csv", NULL});
}

static void offer_folders(const Completion *c)
{
    offer_files(c, (const char *const[]){NULL});
}

static void offer_traces(const Completion *c)
{
    offer_files(c, (const char *const[]){".g", ".traceg", ".traceg.xz", ".traceg.zst", ".tracez",
                                         ".wwpack", NULL});
}

/* What lies where the command looks such things up, by name without the ending; and files. */
static void offer_named(const Completion *c, const char *kind, const char *suffix)
{
    g_autoptr(GPtrArray) list = cli_files(kind, suffix);
    for (guint i = 0; i < list->len; i++) {
        g_autofree char *name = g_path_get_basename(list->pdata[i]);
        name[strlen(name) - strlen(suffix)] = '\0';
        complete_offer(c, name);
    }
    offer_files(c, (const char *const[]){suffix, NULL});
}

static void offer_configs(const Completion *c)
{
    offer_named(c, "configs", ".conf");
}

static void offer_platforms(const Completion *c)
{
    offer_named(c, "platforms", ".plat");
}

static void offer_modules(const Completion *c)
{
    offer_named(c, "modules", ".so");
}

static void offer_databases(const Completion *c)
{
    offer_files(c, (const char *const[]){".db", ".sqlite", NULL});
}

static void offer_maps(const Completion *c)
{
    for (const char *const *dir = cli_opcode_dirs(); *dir != NULL; dir++) {
        g_autoptr(GDir) d = g_dir_open(*dir, 0, NULL);
        const char *name;
        while (d != NULL && (name = g_dir_read_name(d)) != NULL) {
            if (g_str_has_suffix(name, ".map")) {
                g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".map"));
                complete_offer(c, stem);
            }
        }
    }
    offer_files(c, (const char *const[]){".map", NULL});
}

static void offer_commands(const Completion *c)
{
    for (const CliCommand *k = cli_commands; k->name != NULL; k++) {
        if (!k->hidden) {
            complete_offer(c, k->name);
        }
    }
}

/* ---- the machine that the words before ask for ------------------------------------------------------------------ */

/* Options of the setup that the words hold; others are left alone. */
static void read_setup(const Completion *c, CliSetup *setup)
{
    g_autoptr(GOptionContext) context = g_option_context_new(NULL);
    g_autoptr(GPtrArray) words = g_ptr_array_new();
    g_autoptr(GArray) rows = g_array_new(true, false, sizeof(GOptionEntry));
    for (const GOptionEntry *e = cli_setup_options(setup); e->long_name != NULL; e++) {
        if (*e->long_name != '\0') {
            g_array_append_val(rows, *e);
        }
    }
    const CliPage page = {"run", "", "", NULL,
                          (const GOptionEntry *const[]){cli_setup_options(setup), NULL}};
    for (guint i = 0; i + 1 < c->n && strcmp(c->words[i], "--") != 0; i++) {
        const char *w = c->words[i];
        const GOptionEntry *e = w[0] == '-' && w[1] != '-' && w[1] != '\0' && w[2] != '\0'
                                    ? cli_page_option(&page, NULL, w[1])
                                    : NULL;
        if (e != NULL && cli_option_takes_word(e)) { /* "-cNAME" */
            g_ptr_array_add(words, (gpointer)g_intern_string((char[]){'-', w[1], '\0'}));
            g_ptr_array_add(words, (gpointer)(w + 2));
        } else {
            g_ptr_array_add(words, (gpointer)w);
        }
    }
    int n = (int)words->len;
    g_ptr_array_add(words, NULL);
    char **argv = (char **)words->pdata;
    g_option_context_set_help_enabled(context, false);
    g_option_context_set_ignore_unknown_options(context, true);
    g_option_context_add_main_entries(context, (const GOptionEntry *)(void *)rows->data, NULL);
    g_option_context_parse(context, &n, &argv, NULL);
}

static bool build(const Completion *c, CliSetup *setup)
{
    g_autoptr(GError) error = NULL;
    read_setup(c, setup);
    return cli_setup_machine(setup, &error);
}

/* ---- parameters ------------------------------------------------------------------------------------------------- */

/* A path without its indices. */
static char *plain(const char *path)
{
    GString *out = g_string_new(NULL);
    for (const char *p = path; *p != '\0'; p++) {
        p += *p == '[' ? strcspn(p, "]") : 0;
        if (*p != ']' && *p != '\0') {
            g_string_append_c(out, *p);
        }
    }
    return g_string_free(out, false);
}

typedef struct Keys {
    GPtrArray *paths;   /* plain, of every parameter */
    GHashTable *owners; /* end of a path -> whose parameter it is; "" when several have it */
    GHashTable *values; /* plain path -> Setting, of its first */
} Keys;

typedef struct Setting {
    const WwParamRow *row;
    char text[]; /* its value */
} Setting;

static void add_key(void *user, const WwSettingInfo *setting)
{
    Keys *k = user;
    char *path = plain(setting->path);
    if (g_hash_table_contains(k->values, path)) {
        g_free(path);
        return;
    }
    size_t n = strlen(setting->text), quoted = n >= 2 && setting->text[0] == '"';
    Setting *copy = g_malloc0(sizeof *copy + n + 1);
    copy->row = setting->row;
    memcpy(copy->text, setting->text + quoted, n - 2 * quoted);
    g_hash_table_insert(k->values, path, copy);
    g_ptr_array_add(k->paths, path);
    const char *owner = g_intern_string(setting->owner);
    for (const char *dot = strrchr(path, '.'); dot != NULL;) {
        while (dot > path && dot[-1] != '.') {
            dot--;
        }
        const char *before = g_hash_table_lookup(k->owners, dot);
        bool same = before == NULL || strcmp(before, owner) == 0;
        g_hash_table_insert(k->owners, (gpointer)dot, (gpointer)(same ? owner : ""));
        dot = dot > path ? dot - 1 : NULL;
    }
}

/* The shortest end of @p path, of two words or more, that means one parameter alone. */
static const char *key_of(const Keys *k, const char *path)
{
    for (const char *dot = strrchr(path, '.'); dot != NULL && dot > path;) {
        while (dot > path && dot[-1] != '.') {
            dot--;
        }
        if (*(const char *)g_hash_table_lookup(k->owners, dot) != '\0') {
            return dot;
        }
        dot = dot > path ? dot - 1 : NULL;
    }
    return path;
}

/* Values of a parameter: words that it takes, types that fit where one stands, the value that it has. */
static void offer_values(const Completion *c, const WwRegistry *registry, const char *key,
                         const WwParamRow *row, const char *text)
{
    static const char *const bools[] = {"false", "true", NULL};
    const char *const *words = row->kind == WW_PARAM_BOOL     ? bools
                               : row->kind == WW_PARAM_CHOICE ? row->choices
                                                              : NULL;
    const WwType *type =
        row->kind == WW_PARAM_STRING ? ww_registry_find(registry, text, NULL) : NULL;
    size_t n;
    const WwType *const *types = ww_registry_types(registry, &n);
    for (; words != NULL && *words != NULL; words++) {
        g_autofree char *word = g_strdup_printf("%s=%s", key, *words);
        complete_offer(c, word);
    }
    for (size_t i = 0; type != NULL && i < n; i++) {
        if (strcmp(types[i]->family, type->family) == 0 &&
            !(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY))) {
            g_autofree char *word = g_strdup_printf("%s=%s", key, types[i]->name);
            complete_offer(c, word);
        }
    }
    if (words == NULL && type == NULL && text != NULL && *text != '\0') {
        g_autofree char *word = g_strdup_printf("%s=%s", key, text);
        complete_offer(c, word);
    }
}

/* Parameters of the machine, with their values once "=" stands there (@p assign); else their names alone. */
static void offer_parameters(const Completion *c, bool assign)
{
    CliSetup setup = {0};
    Keys keys = {.paths = g_ptr_array_new(),
                 .owners = g_hash_table_new(g_str_hash, g_str_equal),
                 .values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};
    bool valued = strchr(c->begun, '=') != NULL;
    if (build(c, &setup)) {
        ww_elaboration_each(setup.elaboration, NULL, add_key, &keys);
    }
    g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
    for (guint i = 0; i < keys.paths->len; i++) {
        const char *key = key_of(&keys, keys.paths->pdata[i]);
        const Setting *setting = g_hash_table_lookup(keys.values, keys.paths->pdata[i]);
        if (!g_hash_table_add(seen, (gpointer)key)) {
            continue;
        }
        if (valued) {
            g_autofree char *head = g_strconcat(key, "=", NULL);
            if (g_str_has_prefix(c->begun, head)) {
                offer_values(c, setup.registry, key, setting->row, setting->text);
            }
            continue;
        }
        g_autofree char *word = g_strconcat(key, assign ? "=" : "", NULL);
        complete_offer(c, word);
    }
    g_ptr_array_unref(keys.paths);
    g_hash_table_unref(keys.owners);
    g_hash_table_unref(keys.values);
    cli_setup_clear(&setup);
}

static void offer_settings(const Completion *c)
{
    offer_parameters(c, true);
}

static void offer_paths(const Completion *c)
{
    offer_parameters(c, false);
}

/* ---- types ------------------------------------------------------------------------------------------------------ */

static void offer_types(const Completion *c)
{
    CliSetup setup = {0};
    g_autoptr(GError) error = NULL;
    read_setup(c, &setup);
    if (cli_setup_registry(&setup, &error)) {
        size_t n;
        const WwType *const *types = ww_registry_types(setup.registry, &n);
        for (size_t i = 0; i < n; i++) {
            if (!(types[i]->flags & (WW_TYPE_FAKE | WW_TYPE_FAULTY))) {
                complete_offer(c, types[i]->name);
            }
        }
    }
    cli_setup_clear(&setup);
}

/* Parameters of the type that one of the words names. */
static void offer_type_parameters(const Completion *c)
{
    CliSetup setup = {0};
    g_autoptr(GError) error = NULL;
    read_setup(c, &setup);
    g_clear_pointer(&setup.values, g_strfreev);
    for (guint i = 1; cli_setup_registry(&setup, &error) && i + 1 < c->n; i++) {
        const WwType *type = ww_registry_find(setup.registry, c->words[i], NULL);
        const WwParamRow *p;
        for (WW_ROWS(type != NULL ? type->params : NULL, p)) {
            g_autofree char *word = g_strconcat(p->name, "=", NULL);
            complete_offer(c, word);
            if (g_str_has_prefix(c->begun, word)) {
                offer_values(c, setup.registry, p->name, p, p->def);
            }
        }
        g_clear_pointer(&setup.registry, ww_registry_free);
    }
    cli_setup_clear(&setup);
}

/* ---- parts of the machine --------------------------------------------------------------------------------------- */

static void offer_groups(const Completion *c)
{
    CliSetup setup = {0};
    if (build(c, &setup)) {
        g_autoptr(InspectMachine) view = inspect_machine_new(setup.machine);
        GHashTableIter it;
        gpointer group;
        g_hash_table_iter_init(&it, view->group_of);
        while (g_hash_table_iter_next(&it, &group, NULL)) {
            g_autofree char *path = plain(group);
            const char *dot = strrchr(path, '.');
            complete_offer(c, path);
            if (dot != NULL) {
                complete_offer(c, dot + 1);
            }
        }
    }
    cli_setup_clear(&setup);
}

/* Statistics: sums over a type ("cache.l1.misses"), and those of each instance ("PATH:misses"). */
static void offer_patterns(const Completion *c)
{
    CliSetup setup = {0};
    if (build(c, &setup)) {
        g_autoptr(InspectMachine) view = inspect_machine_new(setup.machine);
        g_autoptr(GHashTable) seen = g_hash_table_new(g_direct_hash, g_direct_equal);
        for (guint i = 0; i < view->parts->len; i++) {
            const InspectPart *part = view->parts->pdata[i];
            bool first = g_hash_table_add(seen, (gpointer)part->type);
            const WwStatRow *s;
            for (WW_ROWS(part->type->stats, s)) {
                g_autofree char *sum = g_strdup_printf("%s.%s", part->type->name, s->name);
                g_autofree char *own = g_strdup_printf("%s:%s", part->pattern, s->name);
                if (first) {
                    complete_offer(c, sum);
                }
                complete_offer(c, own);
            }
        }
    }
    cli_setup_clear(&setup);
}

/* ---- event filters ---------------------------------------------------------------------------------------------- */

/* "sm=0,kind=issue,wri": keys, and behind `kind=` the kinds of events. */
static void offer_filter(const Completion *c)
{
    const char *comma = strrchr(c->begun, ','), *word = comma != NULL ? comma + 1 : c->begun,
               *equals = strchr(word, '='), *begun = equals != NULL ? equals + 1 : word;
    const char *kind = g_strrstr(c->begun, "kind="), *any = strrchr(c->begun, '=');
    g_autofree char *before = g_strndup(c->begun, (gsize)(begun - c->begun));
    g_autofree char *prefix = g_strconcat(c->prefix, before, NULL);
    Completion rest = *c;
    rest.prefix = prefix;
    rest.begun = begun;
    CliSetup setup = {0};
    read_setup(c, &setup);
    g_auto(GStrv) kinds = kind != NULL && any == kind + 4 && cli_setup_registry(&setup, NULL)
                              ? cli_events_kinds(setup.registry)
                              : NULL;
    for (char **k = kinds; k != NULL && *k != NULL; k++) {
        complete_offer(&rest, *k);
    }
    cli_setup_clear(&setup);
    for (const char *const *k = cli_events_keys(); equals == NULL && *k != NULL; k++) {
        g_autofree char *key = g_strconcat(*k, "=", NULL);
        if (strstr(c->begun, key) == NULL) {
            complete_offer(&rest, key);
        }
    }
}

/* ---- names ------------------------------------------------------------------------------------------------------ */

static void offer_nothing(const Completion *c) {}

static const struct {
    const char *name;
    void (*offer)(const Completion *c);
} kinds[] = {
    /* clang-format off */
    {"ADDR:PORT", offer_nothing},
    {"COMMAND", offer_commands},
    {"CONDITION", offer_nothing},
    {"[NAME=]VALUE", offer_nothing},
    {"[TRACE=]FILE.csv", offer_csv},
    {"CONFIG", offer_configs},
    {"DB", offer_databases},
    {"FILE", offer_any_file},
    {"FILTER", offer_filter},
    {"FIRST-LAST", offer_nothing},
    {"FOLDER", offer_folders},
    {"GROUP", offer_groups},
    {"KEY=VALUE", offer_settings},
    {"LIST", offer_nothing},
    {"LOW:HIGH", offer_nothing},
    {"LOG", offer_any_file},
    {"MAP", offer_maps},
    {"MODULE.so", offer_modules},
    {"N", offer_nothing},
    {"N,N...", offer_nothing},
    {"NAME", offer_nothing},
    {"NAME,NAME...", offer_nothing},
    {"NAME=VALUE", offer_nothing},
    {"PARAM=VALUE", offer_type_parameters},
    {"PATH", offer_paths},
    {"PATTERN", offer_patterns},
    {"PERCENT", offer_nothing},
    {"PLATFORM", offer_platforms},
    {"SCRIPT", offer_any_file},
    {"SIZE", offer_nothing},
    {"TESTS", offer_nothing},
    {"TEXT", offer_nothing},
    {"TIME", offer_nothing},
    {"TRACE", offer_traces},
    {"TYPE", offer_types},
    {"WxH", offer_nothing},
    /* clang-format on */
};

bool complete_kind(const Completion *c, const char *name)
{
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; i < G_N_ELEMENTS(kinds); i++) {
        if (strcmp(kinds[i].name, name) == 0) {
            kinds[i].offer(c);
            return true;
        }
    }
    if (dot != NULL && g_ascii_isupper(name[0])) { /* "A.json", "FILE.plat": files of that ending */
        offer_files(c, (const char *const[]){dot, NULL});
        return true;
    }
    return false;
}
