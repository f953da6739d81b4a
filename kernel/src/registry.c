/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The registry: which component types there are, and where each comes from.
 *
 * Some hundred types, added once at the start; found by name while a platform is built, never in a
 * run. Types are listed by (family, name), so that nothing that is printed depends on the order of
 * registration or on a hash.
 */
#include <warpwright/machine.h>

#include <string.h>

/** A family is listed in an error when it has at most so many members. */
enum { SHORT_FAMILY = 8 };

struct WwRegistry {
    GHashTable *origin_of; /**< Name -> interned origin. */
    GHashTable *by_name;   /**< Name -> WwType. */
    GPtrArray *sorted;     /**< WwType, by (family, name). */
};

WwRegistry *ww_registry_new(void)
{
    WwRegistry *registry = g_new0(WwRegistry, 1);
    registry->origin_of = g_hash_table_new(g_str_hash, g_str_equal);
    registry->by_name = g_hash_table_new(g_str_hash, g_str_equal);
    registry->sorted = g_ptr_array_new();
    return registry;
}

void ww_registry_free(WwRegistry *registry)
{
    if (registry == NULL) {
        return;
    }
    g_hash_table_unref(registry->origin_of);
    g_hash_table_unref(registry->by_name);
    g_ptr_array_unref(registry->sorted);
    g_free(registry);
}

/* ---- adding ---------------------------------------------------------------------------------- */

static int compare_types(const WwType *a, const WwType *b)
{
    int by_family = strcmp(a->family, b->family);
    return by_family != 0 ? by_family : strcmp(a->name, b->name);
}

/** @p origin lives for ever. */
static void insert(WwRegistry *registry, const WwType *type, const char *origin)
{
    guint at = registry->sorted->len;
    while (at > 0 && compare_types(type, registry->sorted->pdata[at - 1]) < 0) {
        at--;
    }
    g_ptr_array_insert(registry->sorted, (gint)at, (gpointer)type);
    g_hash_table_insert(registry->by_name, (gpointer)type->name, (gpointer)type);
    g_hash_table_insert(registry->origin_of, (gpointer)type->name, (gpointer)origin);
}

/** Is no name taken? */
static bool check_names(const WwRegistry *registry, const WwType *const *types, const char *origin,
                        GError **error)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    for (size_t i = 0; types[i] != NULL; i++) {
        const WwType *type = types[i];
        const char *other = g_hash_table_lookup(registry->origin_of, type->name);
        if (other != NULL && strcmp(other, origin) == 0) {
            return ww_fail(
                error, WW_ERROR_MODULE,
                "type '%s' is there already, since %s was loaded before; expected it once",
                type->name, origin);
        }
        if (!g_hash_table_add(names, (gpointer)type->name)) {
            other = other != NULL ? other : origin;
        }
        if (other != NULL) {
            return ww_fail(error, WW_ERROR_MODULE,
                           "type '%s' of %s is already defined by %s; expected another name",
                           type->name, origin, other);
        }
    }
    return true;
}

bool ww_registry_add_known(WwRegistry *registry, const WwType *const *types, const char *origin,
                           GError **error)
{
    if (!check_names(registry, types, origin, error)) {
        return false;
    }
    const char *kept = g_intern_string(origin);
    for (size_t i = 0; types[i] != NULL; i++) {
        insert(registry, types[i], kept);
    }
    return true;
}

bool ww_registry_add_all(WwRegistry *registry, const WwType *const *types, const char *origin,
                         GError **error)
{
    for (size_t i = 0; types[i] != NULL; i++) {
        if (!ww_type_check(types[i], error)) {
            return false;
        }
    }
    return ww_registry_add_known(registry, types, origin, error);
}

bool ww_registry_add(WwRegistry *registry, const WwType *type, const char *origin, GError **error)
{
    const WwType *const types[] = {type, NULL};
    return ww_registry_add_all(registry, types, origin, error);
}

/* ---- finding --------------------------------------------------------------------------------- */

/** Appends @p before and the types of @p family, when these are few. */
static void append_family(const WwRegistry *registry, const char *family, const char *before,
                          const char *between, GString *out)
{
    g_autoptr(GString) members = g_string_new(NULL);
    guint n = 0;
    for (guint i = 0; i < registry->sorted->len; i++) {
        const WwType *type = registry->sorted->pdata[i];
        if (strcmp(type->family, family) == 0) {
            g_string_append_printf(members, "%s%s", n++ == 0 ? "" : ", ", type->name);
        }
    }
    if (n > 0 && n <= SHORT_FAMILY) {
        g_string_append_printf(out, "; %s '%s'%s%s", before, family, between, members->str);
    }
}

/** Describes what there is instead of @p name. */
static bool fail_unknown(const WwRegistry *registry, const char *name, GError **error)
{
    g_autofree const char **names = g_new(const char *, registry->sorted->len + 1);
    for (guint i = 0; i < registry->sorted->len; i++) {
        names[i] = ((const WwType *)registry->sorted->pdata[i])->name;
    }
    const char *near = ww_closest(name, names, registry->sorted->len);
    g_autoptr(GString) text = g_string_new(NULL);
    if (near != NULL) {
        g_string_append_printf(text, "; did you mean '%s'?", near);
        const WwType *meant = g_hash_table_lookup(registry->by_name, near);
        append_family(registry, meant->family, "family", " has ", text);
    } else {
        g_autofree char *family = g_strdup(name);
        family[strcspn(family, ".")] = '\0';
        append_family(registry, family, "expected one of family", ": ", text);
        if (text->len == 0) { /* nothing is like it */
            g_string_append(text, "; expected one that 'warpwright inspect' lists");
        }
        g_string_append(text, " (a type of a module needs -m MODULE.so)");
    }
    g_autofree char *shown = g_strescape(name, NULL);
    return ww_fail(error, WW_ERROR_USAGE, "unknown component type '%.80s'%s", shown, text->str);
}

const WwType *ww_registry_find(const WwRegistry *registry, const char *name, GError **error)
{
    const WwType *type = g_hash_table_lookup(registry->by_name, name);
    if (type == NULL && error != NULL) {
        fail_unknown(registry, name, error);
    }
    return type;
}

const WwType *const *ww_registry_types(const WwRegistry *registry, size_t *n)
{
    *n = registry->sorted->len;
    return (const WwType *const *)registry->sorted->pdata;
}

const char *ww_registry_origin(const WwRegistry *registry, const WwType *type)
{
    return g_hash_table_lookup(registry->origin_of, type->name);
}
