/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Traces below a folder, as the Accel-Sim tracer leaves them: `SUITE/APP/ARGS/traces/kernelslist.g`.
 */
#include "text-priv.h"
#include <trace/trace.h>

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/** What a tree of benchmarks has at most: `device-0/12.1/SUITE/APP/ARGS/traces`, and some above it. */
enum { DEEPEST = 12, MOST_FOLDERS = 1 << 18 };

typedef struct Search {
    const char *root;
    GPtrArray *found;
    GHashTable
        *seen; /**< "device:inode" of the folders that it has been in: links may lead round. */
    bool too_many;
    char *closed; /**< The first that could not be looked at, and `why`: an errno. */
    int why;
} Search;

static void free_found(gpointer data)
{
    WwTraceFound *f = data;
    g_free(f->path);
    g_free(f->name);
    g_free(f);
}

/** The folder's name as its owner thinks of it: without the `traces` in which the tracer puts each. */
static char *name_of(const char *root, const char *path)
{
    const char *below = path + strlen(root);
    g_autofree char *name = g_strdup(below + strspn(below, "/"));
    if (strcmp(name, "traces") == 0) {
        *name = '\0';
    } else if (g_str_has_suffix(name, "/traces")) {
        name[strlen(name) - strlen("/traces")] = '\0';
    }
    if (*name != '\0') {
        return g_steal_pointer(&name);
    }
    g_autofree char *whole = g_canonicalize_filename(path, NULL);
    g_autofree char *above =
        g_str_has_suffix(whole, "/traces") ? g_path_get_dirname(whole) : g_strdup(whole);
    return g_path_get_basename(above);
}

static void note_closed(Search *s, const char *path, int why)
{
    if (s->closed == NULL) {
        s->closed = g_strdup(path);
        s->why = why;
    }
}

static void look(Search *s, const char *path, int depth)
{
    struct stat st;
    if (s->too_many || stat(path, &st) != 0 || !S_ISDIR(st.st_mode)) {
        return;
    }
    if (!g_hash_table_add(s->seen, g_strdup_printf("%" G_GUINT64_FORMAT ":%" G_GUINT64_FORMAT,
                                                   (uint64_t)st.st_dev, (uint64_t)st.st_ino))) {
        return;
    }
    if (g_hash_table_size(s->seen) > MOST_FOLDERS) {
        s->too_many = true;
        return;
    }
    g_autofree char *list = g_build_filename(path, "kernelslist.g", NULL);
    if (stat(list, &st) == 0) {
        WwTraceFound *f = g_new0(WwTraceFound, 1);
        f->path = g_strdup(path);
        f->name = name_of(s->root, path);
        g_ptr_array_add(s->found, f);
        return;
    }
    if (errno != ENOENT) {
        note_closed(s, list, errno);
    }
    g_autoptr(GDir) dir = depth < DEEPEST ? g_dir_open(path, 0, NULL) : NULL;
    if (dir == NULL && access(path, R_OK) != 0) {
        note_closed(s, path, errno);
    }
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (name[0] != '.') {
            g_autofree char *below = g_build_filename(path, name, NULL);
            look(s, below, depth + 1);
        }
    }
}

static int by_name(const void *a, const void *b)
{
    const WwTraceFound *x = *(WwTraceFound *const *)a, *y = *(WwTraceFound *const *)b;
    return strcmp(x->name, y->name);
}

/** Two folders of one name, `A` and `A/traces`, cannot both have it. */
static void tell_apart(GPtrArray *found)
{
    for (guint i = 1; i < found->len; i++) {
        WwTraceFound *before = found->pdata[i - 1], *f = found->pdata[i];
        if (strcmp(before->name, f->name) == 0) {
            char *name = g_strconcat(f->name, "/traces", NULL);
            g_free(f->name);
            f->name = name;
        }
    }
}

GPtrArray *ww_trace_find(const char *path, GError **error)
{
    g_autofree char *root = g_strdup(path);
    for (size_t n = strlen(root); n > 1 && root[n - 1] == '/'; n--) {
        root[n - 1] = '\0';
    }
    Search s = {
        .root = root,
        .found = g_ptr_array_new_with_free_func(free_found),
        .seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL),
    };
    look(&s, root, 0);
    g_hash_table_unref(s.seen);
    g_autofree char *closed = s.closed;
    if (closed != NULL) { /* a part of them, and nobody told, would be worse than none */
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot be looked at: %s; expected %s", closed,
                g_strerror(s.why),
                s.found->len == 0 ? "a trace"
                                  : "folders of traces that can be read, or the name of one");
        g_ptr_array_unref(s.found);
        return NULL;
    }
    if (s.too_many) {
        ww_fail(error, WW_ERROR_INPUT,
                "%s: more than %d folders below this one; expected a folder of traces", path,
                MOST_FOLDERS);
        g_ptr_array_unref(s.found);
        return NULL;
    }
    if (s.found->len != 0) {
        qsort(s.found->pdata, s.found->len, sizeof s.found->pdata[0], by_name);
    }
    tell_apart(s.found);
    return s.found;
}
