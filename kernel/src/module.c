/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Loading modules: shared objects that add component types.
 *
 * Nothing in a module is trusted before its version of the interface is known, and none of its
 * types is registered unless all can be. A module is never unloaded: registered descriptors point
 * into it. (Its constructors, if it has any, run when it is opened: a module is code, and loading
 * it means running it.)
 */
#include "at_work-priv.h"

#include <gmodule.h>
#include <string.h>

/**
 * Checks the descriptor's own fields; the abi first, because with another one the rest means
 * nothing.
 */
static bool check_module(const WwModule *module, const char *path, GError **error)
{
    if (module->abi != WW_ABI_VERSION) {
        return ww_fail(error, WW_ERROR_MODULE,
                       "%s: built for interface version %u, expected %u; build it again", path,
                       module->abi, WW_ABI_VERSION);
    }
    const char *missing = module->name == NULL || module->name[0] == '\0'         ? "name"
                          : module->version == NULL || module->version[0] == '\0' ? "version"
                          : module->doc == NULL || module->doc[0] == '\0'         ? "doc"
                          : module->types == NULL || module->types[0] == NULL     ? "types"
                                                                                  : NULL;
    if (missing != NULL) {
        return ww_fail(error, WW_ERROR_MODULE, "%s: its ww_module has no %s; expected at least one",
                       path, missing);
    }
    return true;
}

/** The dynamic loader's own words on one line, without the path that it begins with. */
static char *loader_message(const char *path)
{
    const char *text = g_module_error();
    text = text != NULL ? text : "unknown error";
    if (g_str_has_prefix(text, path)) {
        text += strlen(path);
        text += strspn(text, ": ");
    }
    return g_strdelimit(g_strdup(text), "\r\n", ' ');
}

bool ww_module_load(WwRegistry *registry, const char *path, const WwModule **module, GError **error)
{
    /* Absolute, or the loader would look for a name without '/' in the system's directories. */
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    if (!g_file_test(absolute, G_FILE_TEST_EXISTS)) {
        return ww_fail(error, WW_ERROR_MODULE, "%s: no such module, expected a shared object",
                       path);
    }
    if (!g_file_test(absolute, G_FILE_TEST_IS_REGULAR)) {
        return ww_fail(error, WW_ERROR_MODULE, "%s: not a file, expected a shared object", path);
    }
    ww_at_work_loading(absolute);
    GModule *handle = g_module_open(absolute, G_MODULE_BIND_LOCAL);
    ww_at_work_loading(NULL);
    if (handle == NULL) {
        g_autofree char *text = loader_message(absolute);
        return ww_fail(error, WW_ERROR_MODULE, "%s: cannot be loaded: %s; expected a shared object",
                       path, text);
    }
    gpointer symbol = NULL;
    if (!g_module_symbol(handle, "ww_module", &symbol) || symbol == NULL) {
        ww_fail(error, WW_ERROR_MODULE,
                "%s: not a module: it has no symbol 'ww_module'; expected one of type WwModule",
                path);
        goto refused;
    }
    const WwModule *found = symbol;
    GError *cause = NULL;
    ww_at_work_adding(absolute);
    bool good = check_module(found, path, &cause);
    if (good && !ww_registry_add_all(registry, found->types, absolute, &cause)) {
        g_prefix_error(&cause, "%s: ", path);
        good = false;
    }
    ww_at_work_loading(NULL);
    if (!good) {
        g_propagate_error(error, cause);
        goto refused;
    }
    g_module_make_resident(handle);
    ww_at_work_loaded(found, absolute);
    if (module != NULL) {
        *module = found;
    }
    return true;

refused:
    g_module_close(handle);
    return false;
}

uint32_t ww_module_abi(const char *path)
{
    uint32_t abi = 0;
    gpointer symbol = NULL;
    g_autofree char *absolute = g_canonicalize_filename(path, NULL);
    if (!g_file_test(absolute, G_FILE_TEST_IS_REGULAR)) {
        return 0;
    }
    ww_at_work_loading(absolute);
    GModule *handle = g_module_open(absolute, G_MODULE_BIND_LOCAL);
    ww_at_work_loading(NULL);
    if (handle != NULL && g_module_symbol(handle, "ww_module", &symbol) && symbol != NULL) {
        abi = ((const WwModule *)symbol)->abi;
    }
    if (handle != NULL) {
        g_module_close(handle);
    }
    return abi;
}
