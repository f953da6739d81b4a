/* SPDX-License-Identifier: Apache-2.0 */
/* Maps of folders and of the library: which one a trace has, and what it refers to. */
#include "opcode-priv.h"
#include "text-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/** A version that was asked for, and its map. */
typedef struct Found {
    uint32_t version;
    const WwOpcodeMap *map;
} Found;

struct WwOpcodes {
    GPtrArray *maps;   /**< WwOpcodeMap *, that were read, in no order. */
    GPtrArray *places; /**< Place *, most important first. */
    GArray *found;     /**< Found */
    const WwOpcodeMap *chosen;
};

/** Where a map is. */
typedef struct Place {
    char *file, *stem;
    uint32_t folder;             /**< Number of its folder. */
    const WwShippedMap *shipped; /**< NULL: it is a file. */
    WwOpcodeMap *map;            /**< NULL: not read yet. */
} Place;

static void free_place(gpointer data)
{
    Place *p = data;
    g_free(p->file);
    g_free(p->stem);
    g_free(p);
}

static void free_map(gpointer data)
{
    ww_map_free(data);
}

static Place *find_place(const WwOpcodes *o, const char *stem)
{
    for (guint i = 0; i < o->places->len; i++) {
        Place *p = o->places->pdata[i];
        if (strcmp(p->stem, stem) == 0) {
            return p;
        }
    }
    return NULL;
}

/** Takes @p file and @p stem. */
static void add_place(WwOpcodes *o, char *file, char *stem, uint32_t folder,
                      const WwShippedMap *shipped)
{
    Place *p = g_new0(Place, 1);
    *p = (Place){.file = file, .stem = stem, .folder = folder, .shipped = shipped};
    if (find_place(o, stem) != NULL) {
        free_place(p);
    } else {
        g_ptr_array_add(o->places, p);
    }
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_folder(WwOpcodes *o, const char *folder, uint32_t number)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".map")) {
            g_ptr_array_add(names, g_strdup(name));
        }
    }
    g_ptr_array_sort(names, by_text);
    for (guint i = 0; i < names->len; i++) {
        add_place(o, g_build_filename(folder, names->pdata[i], NULL), ww_map_stem(names->pdata[i]),
                  number, NULL);
    }
}

WwOpcodes *ww_opcodes_new(const char *const *folders)
{
    WwOpcodes *o = g_new0(WwOpcodes, 1);
    o->maps = g_ptr_array_new_with_free_func(free_map);
    o->places = g_ptr_array_new_with_free_func(free_place);
    o->found = g_array_new(false, false, sizeof(Found));
    uint32_t n = 0;
    for (; folders != NULL && folders[n] != NULL; n++) {
        add_folder(o, folders[n], n);
    }
    for (const WwShippedMap *s = ww_shipped_maps; s->stem != NULL; s++) {
        add_place(o, g_strdup_printf("configs/opcodes/%s.map", s->stem), g_strdup(s->stem), n, s);
    }
    return o;
}

void ww_opcodes_free(WwOpcodes *o)
{
    if (o != NULL) {
        g_ptr_array_unref(o->maps);
        g_ptr_array_unref(o->places);
        g_array_unref(o->found);
        g_free(o);
    }
}

/* ---- reading ------------------------------------------------------------------------------- */

static WwOpcodeMap *add_text(WwOpcodes *o, const char *file, char *text, size_t length,
                             GError **error)
{
    WwOpcodeMap *map = ww_map_parse(file, text, length, error);
    if (map != NULL) {
        g_ptr_array_add(o->maps, map);
    }
    return map;
}

/** With a NUL behind it, whatever is in it. */
static char *copy(const void *text, size_t length)
{
    char *out = g_malloc(length + 1);
    memcpy(out, text, length);
    out[length] = '\0';
    return out;
}

static bool fail_read(const char *file, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s: cannot be read (%s); expected an opcode map", file,
                   g_strerror(errno));
}

/** Like ww_read_text(), without what that costs: every byte that is no part of a comment is looked at by the map's reader anyway. */
static bool read_text(const char *file, int fd, char *text, size_t *length, GError **error)
{
    ssize_t n;
    *length = 0;
    do {
        n = read(fd, text + *length, WW_MAP_MAX_BYTES + 1 - *length);
        *length += (size_t)MAX(n, 0);
    } while (n > 0 || (n < 0 && errno == EINTR));
    if (n < 0) {
        return fail_read(file, error);
    }
    if (ww_begins_with_mark(text, *length)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:1: begins with a byte order mark; expected plain text without", file);
    }
    return *length <= WW_MAP_MAX_BYTES ||
           ww_fail(error, WW_ERROR_INPUT, "%s: more than %u bytes; expected an opcode map", file,
                   WW_MAP_MAX_BYTES);
}

static WwOpcodeMap *read_file(WwOpcodes *o, const char *file, GError **error)
{
    size_t length;
    int fd = open(file, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        fail_read(file, error);
        return NULL;
    }
    g_autofree char *text = g_malloc(WW_MAP_MAX_BYTES + 1);
    bool good = read_text(file, fd, text, &length, error);
    close(fd);
    return good ? add_text(o, file, copy(text, length), length, error) : NULL;
}

static WwOpcodeMap *read_place(WwOpcodes *o, Place *p, GError **error)
{
    if (p->map == NULL && p->shipped != NULL) {
        char *text = copy(p->shipped->text, p->shipped->length);
        p->map = add_text(o, p->file, text, p->shipped->length, error);
    } else if (p->map == NULL) {
        p->map = read_file(o, p->file, error);
    }
    return p->map;
}

/** "ada, ampere and volta", newly allocated. */
static char *all_names(const WwOpcodes *o)
{
    GString *out = g_string_new(NULL);
    for (guint i = 0; i < o->places->len; i++) {
        g_string_append_printf(out, "%s%s",
                               i == 0                    ? ""
                               : i + 1 == o->places->len ? " or "
                                                         : ", ",
                               ((const Place *)o->places->pdata[i])->stem);
    }
    return g_string_free(out, false);
}

static bool fail_name(const WwOpcodes *o, const WwOpcodeMap *by, uint32_t line, const char *name,
                      GError **error)
{
    char quoted[48];
    g_autofree char *names = all_names(o), *file = g_strconcat(name, ".map", NULL);
    const char *here = g_file_test(file, G_FILE_TEST_IS_REGULAR)   ? file
                       : g_file_test(name, G_FILE_TEST_IS_REGULAR) ? name
                                                                   : NULL;
    if (by == NULL && here != NULL) { /* a bare name is not looked for there */
        return ww_fail(error, WW_ERROR_USAGE,
                       "no opcode map '%s', but a file '%s' is here; expected './%s' if it is "
                       "meant, or one of %s",
                       ww_quote(name, quoted), here, here, names);
    }
    return by == NULL
               ? ww_fail(error, WW_ERROR_USAGE, "no opcode map '%s'; expected a file or one of %s",
                         ww_quote(name, quoted), names)
               : ww_fail_at(error, by->file, line, "no opcode map '%s'; expected one of %s",
                            ww_quote(name, quoted), names);
}

/** The map @p name that @p by names in @p line. */
static WwOpcodeMap *referred(WwOpcodes *o, const WwOpcodeMap *by, uint32_t line, const char *name,
                             GError **error)
{
    Place *p = find_place(o, name);
    if (p == NULL) {
        fail_name(o, by, line, name, error);
        return NULL;
    }
    return read_place(o, p, error);
}

/** Makes the bases of @p map known, which has @p depth maps above it. */
static bool link_bases(WwOpcodes *o, WwOpcodeMap *map, uint32_t depth, GError **error)
{
    if (map->base_name == NULL || map->base != NULL) {
        return true;
    }
    if (depth == WW_MAP_MAX_DEPTH) {
        return ww_fail_at(error, map->file, map->base_line,
                          "the map '%s' is its own base, or a base of too many; expected at most "
                          "%u maps in a row",
                          map->stem, WW_MAP_MAX_DEPTH);
    }
    WwOpcodeMap *base = referred(o, map, map->base_line, map->base_name, error);
    if (base == NULL || !link_bases(o, base, depth + 1, error)) {
        return false;
    }
    map->base = base;
    return true;
}

/** Makes known what @p map refers to, with all that this refers to. */
static bool link_map(WwOpcodes *o, WwOpcodeMap *map, GError **error)
{
    if (map->linked) {
        return true;
    }
    map->linked = ww_map_read_rows(map, error) && link_bases(o, map, 0, error);
    bool good = map->linked && (map->base == NULL || link_map(o, (WwOpcodeMap *)map->base, error));
    for (uint32_t i = 0; i < map->n_else && good; i++) {
        WwOpcodeMap *other = referred(o, map, map->else_line, map->else_names[i], error);
        good = other != NULL && link_map(o, other, error);
        map->others[i] = other;
    }
    map->n_others = good ? map->n_else : 0;
    map->linked = good;
    return good;
}

/* ---- choosing ------------------------------------------------------------------------------ */

bool ww_opcodes_choose(WwOpcodes *o, const char *file_or_name, GError **error)
{
    bool is_file = strchr(file_or_name, '/') != NULL || g_str_has_suffix(file_or_name, ".map");
    Place *p = is_file ? NULL : find_place(o, file_or_name);
    if (p == NULL && !is_file) {
        return fail_name(o, NULL, 0, file_or_name, error);
    }
    WwOpcodeMap *map = is_file ? read_file(o, file_or_name, error) : read_place(o, p, error);
    if (map == NULL || !link_map(o, map, error)) {
        return false;
    }
    o->chosen = map;
    return true;
}

static bool is_for(const WwOpcodeMap *map, uint32_t version)
{
    for (uint32_t i = 0; i < map->n_versions; i++) {
        if (map->versions[i] == version) {
            return true;
        }
    }
    return false;
}

static int by_number(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool fail_version(const WwOpcodes *o, uint32_t version, GError **error)
{
    g_autoptr(GArray) all = g_array_new(false, false, sizeof version);
    g_autoptr(GString) text = g_string_new(NULL);
    for (guint i = 0; i < o->maps->len; i++) {
        const WwOpcodeMap *m = o->maps->pdata[i];
        g_array_append_vals(all, m->versions, m->n_versions);
    }
    g_array_sort(all, by_number);
    for (guint i = 0; i < all->len; i++) {
        uint32_t v = g_array_index(all, uint32_t, i);
        if (i == 0 || v != g_array_index(all, uint32_t, i - 1)) {
            g_string_append_printf(text, "%s%u", text->len != 0 ? ", " : "", v);
        }
    }
    return ww_fail(error, WW_ERROR_INPUT,
                   "no opcode map for binary version %u; expected one of %s, or --opcodes with a "
                   "map of your own",
                   version, text->str);
}

/** The first map for @p version; @p other: another one in the same folder, or NULL. False: one cannot be read. */
static bool find_version(WwOpcodes *o, uint32_t version, WwOpcodeMap **found, WwOpcodeMap **other,
                         GError **error)
{
    uint32_t folder = 0;
    *found = *other = NULL;
    for (guint i = 0; i < o->places->len; i++) {
        Place *p = o->places->pdata[i];
        if (*found != NULL && p->folder != folder) {
            break;
        }
        if (read_place(o, p, error) == NULL) {
            return false;
        }
        if (is_for(p->map, version)) {
            *(*found == NULL ? found : other) = p->map;
            folder = p->folder;
        }
    }
    return true;
}

/** The map of no choice, read. */
static const WwOpcodeMap *look_for(WwOpcodes *o, uint32_t version, GError **error)
{
    WwOpcodeMap *map, *other;
    if (!find_version(o, version, &map, &other, error)) {
        return NULL;
    }
    if (map == NULL) {
        fail_version(o, version, error);
        return NULL;
    }
    if (other != NULL) {
        ww_fail(error, WW_ERROR_INPUT,
                "%s and %s are both for binary version %u; expected one, or --opcodes", map->file,
                other->file, version);
        return NULL;
    }
    return link_map(o, map, error) ? map : NULL;
}

/** Those of the library, all read: nothing of them changes any more, whoever asks. */
static WwOpcodes *shipped(void)
{
    static gsize made;
    if (g_once_init_enter(&made)) {
        WwOpcodes *o = ww_opcodes_new(NULL);
        for (guint i = 0; i < o->places->len; i++) {
            g_autoptr(GError) error = NULL;
            const WwOpcodeMap *map = read_place(o, o->places->pdata[i], &error);
            for (uint32_t k = 0; map != NULL && k < map->n_versions; k++) {
                ww_opcodes_for(o, map->versions[k], &error);
            }
            ww_assert(error == NULL); /* a test reads them all */
        }
        g_once_init_leave(&made, (gsize)o);
    }
    return (WwOpcodes *)made;
}

const WwOpcodeMap *ww_opcodes_known(const WwOpcodes *o, uint32_t version)
{
    o = o != NULL ? o : shipped();
    for (guint i = 0; i < o->found->len && o->chosen == NULL; i++) {
        const Found *f = &g_array_index(o->found, Found, i);
        if (f->version == version) {
            return f->map;
        }
    }
    return o->chosen;
}

const WwOpcodeMap *ww_opcodes_for(WwOpcodes *o, uint32_t version, GError **error)
{
    o = o != NULL ? o : shipped();
    const WwOpcodeMap *map = ww_opcodes_known(o, version);
    if (map == NULL && (map = look_for(o, version, error)) != NULL) {
        const Found found = {version, map};
        g_array_append_val(o->found, found);
    }
    return map;
}

const WwOpcodeMap *ww_opcode_map(uint32_t binary_version)
{
    return ww_opcodes_known(NULL, binary_version);
}

/* ---- what a map refers to ------------------------------------------------------------------ */

static void add_closure(GPtrArray *all, const WwOpcodeMap *map)
{
    for (guint i = 0; i < all->len; i++) {
        if (all->pdata[i] == map) {
            return;
        }
    }
    g_ptr_array_add(all, (gpointer)(uintptr_t)map);
    if (map->base != NULL) {
        add_closure(all, map->base);
    }
    for (uint32_t i = 0; i < map->n_others; i++) {
        add_closure(all, map->others[i]);
    }
}

void ww_opcode_map_each_file(const WwOpcodeMap *map, WwOpcodeFileFn fn, void *user)
{
    g_autoptr(GPtrArray) all = g_ptr_array_new();
    add_closure(all, map);
    for (guint i = 0; i < all->len; i++) {
        const WwOpcodeMap *m = all->pdata[i];
        fn(user, m->file, m->text, m->length);
    }
}
