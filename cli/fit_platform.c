/* SPDX-License-Identifier: Apache-2.0 */
/* A config whose parameters the platform does not have, since it is for another one: what is near to their names is no help then. */
#include "cli-priv.h"

#include <string.h>

/* "modern" of "./modern.plat"; newly allocated. */
static char *stem_of(const char *name, const char *suffix)
{
    char *stem = g_path_get_basename(name);
    if (g_str_has_suffix(stem, suffix)) {
        stem[strlen(stem) - strlen(suffix)] = '\0';
    }
    return stem;
}

/* The platform that a config is for, by itself or by what it includes; newly allocated, or NULL. */
static char *platform_of(const char *config)
{
    WwOverrides *values = ww_overrides_new();
    const char *asked = ww_overrides_add_file(values, config, cli_dirs("configs"), NULL)
                            ? ww_overrides_platform(values, NULL)
                            : NULL;
    char *name = asked != NULL ? stem_of(asked, ".plat") : NULL;
    ww_overrides_free(values);
    return name;
}

/* "-c rtx2080ti_modern, rtx3080_modern or no -p": what goes with the platform. Newly allocated. */
static char *configs_of(const char *platform)
{
    g_autoptr(GPtrArray) files = cli_files("configs", ".conf");
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < files->len; i++) {
        g_autofree char *name = platform_of(files->pdata[i]);
        if (g_strcmp0(name, platform) == 0) {
            g_autofree char *config = stem_of(files->pdata[i], ".conf");
            g_string_append_printf(out, "%s%s", out->len == 0 ? "-c " : ", ", config);
        }
    }
    g_string_append(out, out->len == 0 ? "a config for it, or no -p" : ", or no -p");
    return g_string_free(out, false);
}

/* The config that says which platform it is for; newly allocated, or NULL. */
static char *config_for(const CliSetup *s, const char *platform)
{
    char *found = NULL;
    for (char **c = s->configs; c != NULL && *c != NULL; c++) {
        g_autofree char *its = platform_of(*c);
        if (g_strcmp0(its, platform) == 0) {
            g_free(found);
            found = stem_of(*c, ".conf");
        }
    }
    return found;
}

/* --sms sets parameters that a machine without clusters of SMs does not have. */
static bool fit_sms(const CliSetup *s, GError *error)
{
    const char *at = strstr(error->message, "' " WW_UNMATCHED);
    if (s->sms_text == NULL || !g_str_has_prefix(error->message, "--sms ") || at == NULL) {
        return false;
    }
    const char *path = g_strrstr_len(error->message, at - error->message, "'") + 1;
    char *message = g_strdup_printf(
        "--sms %s: platform '%s' has no '%.*s'; expected one with the parts of gpu.plat",
        s->sms_text, s->platform_name, (int)(at - path), path);
    g_free(error->message);
    error->message = message;
    return true;
}

void cli_fit_platform(const CliSetup *s, GError *error)
{
    if (fit_sms(s, error)) {
        return;
    }
    static const char what[] = "' " WW_UNMATCHED, near[] = "\n    did you mean '";
    const char *asked = ww_overrides_platform(s->overrides, NULL);
    char *at = strstr(error->message, what), *hint = strstr(error->message, near);
    if (!s->named || asked == NULL || at == NULL) {
        return;
    }
    g_autofree char *head = g_strndup(error->message, (gsize)(at - error->message));
    if (!g_regex_match_simple(":[0-9]+:[0-9]+: '[^']*$", head, 0, 0)) { /* no line: -s */
        return;
    }
    g_autofree char *own = stem_of(s->platform_name, ".plat"), *other = stem_of(asked, ".plat"),
                    *config = config_for(s, other);
    /* a platform of one's own may well go with the config but for a name that is misspelt */
    if (config == NULL || strcmp(own, other) == 0 ||
        (hint != NULL && !cli_is_file("platforms", ".plat", own))) {
        return;
    }
    if (hint != NULL) {
        *hint = '\0';
    }
    g_autofree char *instead = configs_of(own);
    char *message = g_strdup_printf(
        "%s' matches no parameter: %s is for platform %s, and -p %s was given; expected %s%s", head,
        config, other, s->platform_name, instead, at + strlen(what));
    g_free(error->message);
    error->message = message;
}
