/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Platforms: reading a file with all that it imports, choosing its machine, and telling what is
 * declared.
 */
#include "platform-priv.h"
#include <stdlib.h>
#include <string.h>

typedef struct Loading {
    WwPlatform *platform;
    const char *file; /**< The importing file. */
    const char *const *dirs;
    uint32_t depth;
} Loading;

static WwPlatform *new_platform(const WwRegistry *registry)
{
    WwPlatform *p = g_new0(WwPlatform, 1);
    p->refs = 1;
    p->registry = registry;
    plat_arena_init(&p->arena);
    p->names = g_string_chunk_new(1024);
    p->files = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
    p->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    p->own = g_hash_table_new(NULL, NULL);
    p->limit = PLAT_MAX_COMPONENTS;
    return p;
}

void ww_platform_free(WwPlatform *p)
{
    if (p == NULL || --p->refs != 0) {
        return;
    }
    for (uint32_t i = 0; i < p->composites.n; i++) {
        plat_forget_names(p->composites.v[i]);
    }
    g_hash_table_unref(p->files);
    g_hash_table_unref(p->by_name);
    g_hash_table_unref(p->own);
    g_string_chunk_free(p->names);
    plat_arena_clear(&p->arena);
    g_free(p);
}

/**
 * Remembers a text and parses it. The file's name is interned: a machine's locations outlive the
 * platform.
 */
static bool add_source(Loading *loading, const char *name, const char *text, size_t length,
                       GError **error);

/**
 * The file that `import "name"` means: beside the importing file, else in one of the directories.
 */
static char *find_import(const Loading *loading, const char *name)
{
    if (g_path_is_absolute(name)) {
        return g_strdup(name);
    }
    g_autofree char *dir = g_path_get_dirname(loading->file);
    char *beside = strcmp(dir, ".") == 0 ? g_strdup(name) : g_strconcat(dir, "/", name, NULL);
    if (g_file_test(beside, G_FILE_TEST_EXISTS)) {
        return beside;
    }
    for (const char *const *d = loading->dirs; d != NULL && *d != NULL; d++) {
        char *file = g_strconcat(*d, "/", name, NULL);
        if (g_file_test(file, G_FILE_TEST_EXISTS)) {
            g_free(beside);
            return file;
        }
        g_free(file);
    }
    return beside;
}

/* Where it was looked for, and what is there under a name like it. */
static bool fail_import(const Loading *loading, const char *name, WwLocation at, GError **error)
{
    WwPlatform *p = loading->platform;
    g_autofree char *tried =
        loading->dirs != NULL ? g_strjoinv(", ", (char **)loading->dirs) : g_strdup("");
    g_autofree char *wanted =
        g_strndup(name, strlen(name) - (g_str_has_suffix(name, ".plat") ? strlen(".plat") : 0));
    g_autofree char *near = plat_nearest(wanted, ".plat", loading->dirs);
    g_autofree char *file = near != NULL ? g_strconcat(near, ".plat", NULL) : NULL;
    return plat_fail(
        &p->sources, WW_ERROR_INPUT, at, file, error,
        "cannot import: %s: there is no such file beside this one%s%s; expected a file", name,
        *tried != '\0' ? " or in " : "", tried);
}

static bool import(void *user, const char *name, WwLocation at, GError **error)
{
    Loading *loading = user;
    WwPlatform *p = loading->platform;
    g_autofree char *file = find_import(loading, name);
    char *real = realpath(file, NULL);
    if (real != NULL && g_hash_table_contains(p->files, real)) {
        free(real);
        return true; /* read already, or being read: declarations do not depend on order */
    }
    free(real);
    if (loading->depth == PLAT_MAX_DEPTH) {
        return plat_fail(&p->sources, WW_ERROR_INPUT, at, NULL, error,
                         "imports nested too deeply; expected at most %u levels", PLAT_MAX_DEPTH);
    }
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;
    g_autoptr(GError) why = NULL;
    const char *const none[] = {NULL};
    g_autofree char *with_slash =
        strchr(file, '/') != NULL ? g_strdup(file) : g_strconcat("./", file, NULL);
    if (!g_path_is_absolute(name) && !g_file_test(file, G_FILE_TEST_EXISTS)) {
        return fail_import(loading, name, at, error);
    }
    if (!plat_read(with_slash, ".plat", none, &path, &text, &length, &why)) {
        return plat_fail(&p->sources, WW_ERROR_INPUT, at, NULL, error, "cannot import: %s",
                         why->message);
    }
    Loading inner = {.platform = p, .dirs = loading->dirs, .depth = loading->depth + 1};
    return add_source(&inner, file, text, length, error);
}

/** Does the file lie in one of the platform directories? */
static bool in_dirs(const char *file, const char *const *dirs)
{
    g_autofree char *dir = g_path_get_dirname(file);
    char *real = realpath(dir, NULL);
    bool found = false;
    for (; real != NULL && !found && dirs != NULL && *dirs != NULL; dirs++) {
        char *other = realpath(*dirs, NULL);
        found = other != NULL && strcmp(real, other) == 0;
        free(other);
    }
    free(real);
    return found;
}

static bool add_source(Loading *loading, const char *name, const char *text, size_t length,
                       GError **error)
{
    WwPlatform *p = loading->platform;
    char *real = realpath(name, NULL);
    if (real != NULL) {
        g_hash_table_add(p->files, g_strdup(real));
        free(real);
    }
    Source *source = VEC_ADD(&p->arena, &p->sources.list);
    *source = (Source){
        .file = g_intern_string(name),
        .text = plat_dup(&p->arena, text, length),
        .length = length,
    };
    Source copy = *source;
    if (loading->depth == 0 || !in_dirs(copy.file, loading->dirs)) {
        g_hash_table_add(p->own, (gpointer)copy.file);
    }
    loading->file = copy.file;
    return plat_check_text(&p->sources, &copy, error) &&
           plat_parse(p, &copy, import, loading, error);
}

/** Several machines came in, some perhaps by an import's own imports: they are named. */
static bool fail_choice(WwPlatform *p, WwLocation at, uint32_t n, GError **error)
{
    enum { MOST_NAMED = 4 };
    g_autoptr(GString) names = g_string_new(NULL);
    uint32_t named = 0;
    for (uint32_t i = 0; i < p->composites.n && named < MOST_NAMED; i++) {
        const Composite *c = p->composites.v[i];
        if (c->machine) {
            g_string_append_printf(names, "%s%s of %s", named++ == 0 ? "" : ", ", c->name,
                                   c->at.file);
        }
    }
    return plat_fail(NULL, WW_ERROR_INPUT, at, NULL, error,
                     "no machine of its own and %u imported ones, %s%s; expected 'machine NAME "
                     "extends ... { ... }'",
                     n, names->str, n > named ? ", ..." : "");
}

/** The machine of the main file; if that declares none, the only one of what it imports. */
static bool choose_machine(WwPlatform *p, const char *file, GError **error)
{
    uint32_t n_own = 0, n_other = 0;
    for (uint32_t i = 0; i < p->composites.n; i++) {
        Composite *c = p->composites.v[i];
        if (!c->machine) {
            continue;
        }
        if (c->at.file != file) {
            n_other++;
        } else if (n_own++ != 0) {
            return plat_fail(&p->sources, WW_ERROR_INPUT, c->at, NULL, error,
                             "a second machine, '%s'; expected one in a file", c->name);
        }
        if (c->at.file == file || n_own == 0) {
            p->machine = c;
        }
    }
    WwLocation at = {.file = file};
    if (n_own + n_other == 0) {
        return plat_fail(NULL, WW_ERROR_INPUT, at, NULL, error,
                         "no machine is declared; expected 'machine NAME { ... }'");
    }
    if (n_own == 0 && n_other > 1) {
        return fail_choice(p, at, n_other, error);
    }
    return true;
}

static void describe(WwPlatform *p)
{
    for (uint32_t i = 0; i < p->composites.n; i++) {
        const Composite *c = p->composites.v[i];
        VEC(WwCompositeParam) params = {0};
        VEC(const char *) ports = {0};
        VEC(const char *) members = {0};
        for (uint32_t k = 0; k < c->params.n; k++) {
            Param *param = c->params.v[k];
            if (param->def != NULL && param->row.def == NULL) {
                const Value *v = param->def;
                param->row.def = v->text != NULL ? v->text
                                 : v->kind == VALUE_EXPR && v->expr->kind == EXPR_NAME
                                     ? v->expr->name
                                     : "(computed)";
            }
            *VEC_ADD(&p->arena, &params) =
                (WwCompositeParam){.row = &param->row, .like = param->like, .where = param->at};
        }
        for (uint32_t k = 0; k < c->ports.n; k++) {
            *VEC_ADD(&p->arena, &ports) = c->ports.v[k]->name;
        }
        for (uint32_t k = 0; k < c->members.n; k++) {
            *VEC_ADD(&p->arena, &members) = c->members.v[k].name;
        }
        *VEC_ADD(&p->arena, &p->info) = (WwCompositeInfo){
            .name = c->name,
            .base = c->base_name,
            .doc = c->doc,
            .where = c->at,
            .machine = c->machine,
            .gated = c->gated,
            .partition = c->partition,
            .params = params.v,
            .n_params = params.n,
            .ports = ports.v,
            .n_ports = ports.n,
            .members = members.v,
            .n_members = members.n,
        };
    }
}

WwPlatform *ww_platform_load_text(const WwRegistry *registry, const char *text, size_t length,
                                  const char *name, const char *const *dirs, GError **error)
{
    g_autoptr(WwPlatform) p = new_platform(registry);
    Loading loading = {.platform = p, .dirs = dirs};
    if (!add_source(&loading, name, text, length, error) || !plat_flatten(p, error) ||
        !choose_machine(p, g_intern_string(name), error)) {
        return NULL;
    }
    describe(p);
    return g_steal_pointer(&p);
}

WwPlatform *ww_platform_load(const WwRegistry *registry, const char *file_or_name,
                             const char *const *dirs, GError **error)
{
    g_autofree char *path = NULL;
    g_autofree char *text = NULL;
    size_t length = 0;
    if (!plat_read(file_or_name, ".plat", dirs, &path, &text, &length, error)) {
        return NULL;
    }
    return ww_platform_load_text(registry, text, length, path, dirs, error);
}

const char *ww_platform_name(const WwPlatform *p)
{
    return p->machine->name;
}

void ww_platform_set_limit(WwPlatform *p, uint32_t n)
{
    p->limit = MIN(n, PLAT_MAX_COMPONENTS);
}

const WwCompositeInfo *ww_platform_composites(const WwPlatform *p, uint32_t *n)
{
    *n = p->info.n;
    return p->info.v;
}
