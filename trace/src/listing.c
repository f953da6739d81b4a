/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Which functions listings have, and the code of those that are asked for.
 */
#include "listing-priv.h"
#include "text-priv.h"

#include <string.h>

#define LINE (1u << 20) /* bytes of the longest */

/* ---- functions by name -------------------------------------------------------------------------------------------- */

/* The first function @p name, or the empty place where it belongs. */
static uint32_t *place_of(const WwListings *l, const char *name)
{
    for (uint32_t i = ww_text_hash(name);; i++) {
        uint32_t *at = &l->index[i & l->index_mask];
        if (*at == 0 || strcmp(l->functions.v[*at - 1].name, name) == 0) {
            return at;
        }
    }
}

static void make_index(WwListings *l)
{
    uint32_t size = 64;
    while (size < 2 * l->functions.n) {
        size *= 2;
    }
    ww_heap_give(l->heap, l->index);
    l->index = WW_HEAP_NEW(l->heap, uint32_t, size);
    l->index_mask = size - 1;
    for (uint32_t i = 0; i < l->functions.n; i++) {
        uint32_t *at = place_of(l, l->functions.v[i].name);
        if (*at == 0) {
            *at = i + 1;
        }
    }
}

/* ---- a file ------------------------------------------------------------------------------------------------------- */

static bool add_function(WwListings *l, const WwLines *lines, uint32_t arch, const char *name,
                         size_t n, GError **error)
{
    if (n == 0 || l->functions.n == WW_LISTING_MAX_FUNCTIONS) {
        return ww_fail_at(error, lines->file, ww_lines_number(lines), "%s; expected a listing",
                          n == 0 ? "a function without a name" : "more than 4 million functions");
    }
    *WW_HEAP_ADD(l->heap, &l->functions) = (WwListed){
        .name = ww_heap_text(l->heap, name, n),
        .file = l->files.n - 1,
        .arch = arch,
        .bytes = lines->bytes - (lines->end - lines->begin),
        .line = lines->line,
    };
    return true;
}

static bool read_functions(WwListings *l, WwLines *lines, GError **error)
{
    uint32_t arch = 0, before = l->functions.n;
    for (;;) {
        char *line;
        const char *name = NULL;
        size_t len, n = 0;
        if (!ww_lines_next(lines, &line, &len, error)) {
            return false;
        }
        if (line == NULL) {
            break;
        }
        if (ww_listing_line(line, &arch, &name, &n) == WW_LISTING_FUNCTION &&
            !add_function(l, lines, arch, name, n, error)) {
            return false;
        }
    }
    return l->functions.n != before ||
           ww_fail(error, WW_ERROR_INPUT,
                   "%s: no function; expected what cuobjdump -sass or nvdisasm -hex prints",
                   lines->file);
}

static bool add_file(WwListings *l, const char *path, GError **error)
{
    WwLines lines;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: no such file; expected a listing", path);
    }
    if (!ww_lines_open(&lines, l->heap, path, LINE, error)) {
        return false;
    }
    *WW_HEAP_ADD(l->heap, &l->files) = ww_heap_text(l->heap, path, strlen(path));
    bool good = read_functions(l, &lines, error);
    ww_lines_close(&lines);
    make_index(l);
    return good;
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The listings in the folder of @p trace, in the order of their names. */
static GPtrArray *beside(const char *trace)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(trace);
    g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
    const char *name;
    while (dir != NULL && (name = g_dir_read_name(dir)) != NULL) {
        if (g_str_has_suffix(name, ".sass")) {
            g_ptr_array_add(found, g_build_filename(folder, name, NULL));
        }
    }
    if (found->len > 1) {
        qsort(found->pdata, found->len, sizeof found->pdata[0], by_text);
    }
    return found;
}

/* The listing of file @p trace: its name up to the first dot, and ".sass". */
static GPtrArray *of_file(const char *trace)
{
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(trace), *base = g_path_get_basename(trace);
    base[strcspn(base, ".")] = '\0';
    g_autofree char *name = g_strconcat(base, ".sass", NULL);
    char *path = g_build_filename(folder, name, NULL);
    if (*base != '\0' && g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        g_ptr_array_add(found, path);
    } else {
        g_free(path);
    }
    return found;
}

bool ww_listings_open(WwListings *l, WwHeap *heap, const char *trace, bool single,
                      const char *const *files, GError **error)
{
    *l = (WwListings){.heap = heap};
    g_autoptr(GPtrArray) found = NULL;
    if (files == NULL) {
        found = single ? of_file(trace) : beside(trace);
        g_ptr_array_add(found, NULL);
        files = (const char *const *)found->pdata;
    }
    for (; *files != NULL; files++) {
        if (!add_file(l, *files, error)) {
            return false;
        }
    }
    return true;
}

/* ---- code --------------------------------------------------------------------------------------------------------- */

static bool read_code(WwListings *l, WwListed *f, uint32_t arch, GError **error)
{
    WwLines lines;
    if (!ww_lines_open(&lines, l->heap, l->files.v[f->file], LINE, error)) {
        return false;
    }
    WwCode *code = WW_HEAP_NEW(l->heap, WwCode, 1);
    bool good = ww_lines_skip(&lines, f->bytes, f->line, error) &&
                ww_listing_read(&lines, l->heap, f->name, arch, code, error);
    ww_lines_close(&lines);
    if (good) {
        f->code = code;
    } else {
        ww_heap_give(l->heap, code);
    }
    return good;
}

bool ww_listings_find(WwListings *l, const char *name, uint32_t arch, const WwCode **code,
                      GError **error)
{
    uint32_t other = 0, first = l->index != NULL ? *place_of(l, name) : 0;
    *code = NULL;
    if (first == 0) {
        return true;
    }
    for (uint32_t i = first - 1; i < l->functions.n; i++) {
        WwListed *f = &l->functions.v[i];
        if (strcmp(f->name, name) != 0) {
            continue;
        }
        if (f->arch != 0 && f->arch != arch) {
            other = i + 1;
            continue;
        }
        if (f->code == NULL && !read_code(l, f, arch, error)) {
            return false;
        }
        *code = f->code;
        return true;
    }
    const WwListed *f = &l->functions.v[other - 1];
    return ww_fail_at(error, l->files.v[f->file], (uint32_t)MIN(f->line, UINT32_MAX),
                      "%s is for sm_%u here, and the trace is sm_%u; expected a listing for that",
                      name, f->arch, arch);
}
