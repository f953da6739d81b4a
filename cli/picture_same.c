/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Are figures of a run those of the machine of a picture? Those of another config or platform are refused, and of a machine without a part that the
 * picture has; other values of the same parts are told. `resolved` of the result is compared with the values of the machine that is drawn.
 */
#include "picture.h"
#include "result_file.h"

#include <report/report.h>
#include <string.h>

/* Values that differ between the two; also of parts that are not there, of which `resolved` has values, too. */
typedef struct Other {
    const json_t *there, *here; /* `resolved` of the result and of the picture's machine */
    const char *path;           /* the first; of those that both have, if there is one */
    guint n;
} Other;

static void compare(Other *o)
{
    const char *path;
    json_t *value;
    bool both = false;
    json_object_foreach((json_t *)o->here, path, value)
    {
        const json_t *other = json_object_get(o->there, path);
        if (other == NULL || !json_equal(value, other)) {
            o->path = o->path == NULL || (other != NULL && !both) ? path : o->path;
            both |= other != NULL;
            o->n++;
        }
    }
    json_object_foreach((json_t *)o->there, path, value)
    {
        if (json_object_get(o->here, path) == NULL) {
            o->path = o->path == NULL ? path : o->path;
            o->n++;
        }
    }
}

static char *value_text(const json_t *resolved, const char *path)
{
    const json_t *value = json_object_get(resolved, path);
    return value != NULL ? ww_report_text(path, value) : g_strdup("not there");
}

/* "gpu.clusters is 46 there, 80 in the picture" */
static char *difference(const Other *o)
{
    g_autofree char *there = value_text(o->there, o->path), *here = value_text(o->here, o->path),
                    *short_there = cli_cut(there, 60), *short_here = cli_cut(here, 60);
    return g_strdup_printf("%s is %s there, %s in the picture", o->path, short_there, short_here);
}

/* A name without folder and ending: of a config or platform. */
static char *short_name(const char *name)
{
    g_autofree char *base = g_path_get_basename(name), *valid = g_utf8_make_valid(base, -1);
    char *end = strrchr(valid, '.');
    if (end != NULL && (strcmp(end, ".conf") == 0 || strcmp(end, ".plat") == 0)) {
        *end = '\0';
    }
    return g_steal_pointer(&valid);
}

static void add_name(GString *text, const char *between, const char *name)
{
    g_autofree char *word = short_name(name);
    g_string_append_printf(text, "%s%s", between, word);
}

/* "gpu with rtx3070": what it was made from, by name. */
static char *made_there(const json_t *run)
{
    const char *platform = json_string_value(json_object_get(run, "platform"));
    const json_t *configs = json_object_get(run, "config");
    GString *text = g_string_new(NULL);
    add_name(text, "", platform != NULL ? platform : "?");
    for (size_t i = 0; i < json_array_size(configs); i++) {
        const char *config = json_string_value(json_array_get(configs, i));
        add_name(text, i == 0 ? " with " : ", ", config != NULL ? config : "?");
    }
    return g_string_free(text, false);
}

static char *made_here(const CliSetup *setup)
{
    GString *text = g_string_new(NULL);
    add_name(text, "", setup->platform_name);
    for (char **c = setup->configs; c != NULL && *c != NULL; c++) {
        add_name(text, c == setup->configs ? " with " : ", ", *c);
    }
    return g_string_free(text, false);
}

/* Are the instances of which it has figures of the types that the picture shows? */
static bool same_types(const Picture *picture, const json_t *run, const char *file, GError **error)
{
    const char *path;
    json_t *own;
    json_object_foreach(json_object_get(json_object_get(run, "total"), "instances"), path, own)
    {
        g_autofree char *pattern = picture_pattern(path);
        const PictureNode *node = g_hash_table_lookup(picture->node_of, pattern);
        const char *type = json_string_value(json_object_get(own, "type"));
        if (node != NULL && node->part->type != NULL && !node->part->mixed && type != NULL &&
            strcmp(type, node->part->type->name) != 0) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s: %s is of type %s there, of %s in the picture; expected results of "
                           "the machine of the picture",
                           file, path, type, node->part->type->name);
        }
    }
    return true;
}

/* Had the machine components of this type? Each type's statistics are among its counters. */
static bool has_type(const json_t *counters, const WwType *type)
{
    const WwStatRow *s = NULL;
    for (WW_ROWS(type->stats, s)) {
        g_autofree char *name = g_strdup_printf("%s.%s", type->name, s->name);
        if (json_object_get(counters, name) != NULL) {
            return true;
        }
    }
    return type->stats == NULL || type->stats->name == NULL;
}

/* Has the machine every part that the picture has? @p what: a value that differs, or NULL. */
static bool has_parts(const Picture *picture, const json_t *run, const char *what, const char *file,
                      GError **error)
{
    const json_t *counters = json_object_get(json_object_get(run, "total"), "counters");
    guint n =
        json_object_size(counters) != 0 ? picture->leaves->len : 0; /* none: it does not say */
    for (guint i = 0; i < n; i++) {
        const PictureNode *node = picture->leaves->pdata[i];
        const InspectPart *part = node->part;
        if (part->type != NULL && !part->mixed && !has_type(counters, part->type)) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s: the machine of these figures has no %s, as the picture has at "
                           "%s%s%s; expected results of the machine of the picture",
                           file, part->type->name, node->pattern, what != NULL ? ": " : "",
                           what != NULL ? what : "");
        }
    }
    return true;
}

/* Is it made from the same platform and configs? Asked of those whose values differ. */
static bool same_names(const json_t *run, const CliSetup *setup, const char *what, const char *file,
                       GError **error)
{
    if (!json_is_string(json_object_get(run, "platform")) ||
        !json_is_array(json_object_get(run, "config"))) {
        return true; /* it does not say */
    }
    g_autofree char *there = made_there(run), *here = made_here(setup);
    return strcmp(there, here) == 0 ||
           ww_fail(error, WW_ERROR_INPUT,
                   "%s: these are figures of %s, the picture is of %s: %s; expected results of the "
                   "machine of the picture",
                   file, there, here, what);
}

bool picture_same(const Picture *picture, const CliSetup *setup, const json_t *run,
                  const char *file, GError **error)
{
    const json_t *there = json_object_get(run, "resolved");
    json_t *here = cli_resolved_json(setup->elaboration, NULL);
    Other o = {.there = there, .here = here};
    if (json_is_object(there)) {
        compare(&o);
    }
    g_autofree char *what = o.n != 0 ? difference(&o) : NULL;
    bool good = (what == NULL || same_names(run, setup, what, file, error)) &&
                same_types(picture, run, file, error) && has_parts(picture, run, what, file, error);
    if (good && what != NULL) {
        g_autofree char *text = g_strdup_printf(
            "%s: the machine of these figures has %u other %s than that of the picture: %s", file,
            o.n, WW_PLURAL(o.n, "value", "values"), what);
        cli_say("note: ", text);
    }
    json_decref(here);
    return good;
}
