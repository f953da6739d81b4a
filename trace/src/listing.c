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

bool ww_listings_add(WwListings *l, const WwListed *function, GError **error)
{
    if (l->functions.n == WW_LISTING_MAX_FUNCTIONS) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: more than 4 million functions; expected a listing",
                       l->files.v[l->files.n - 1]);
    }
    WwListed *f = WW_HEAP_ADD(l->heap, &l->functions);
    *f = *function;
    f->name = ww_heap_text(l->heap, function->name, strlen(function->name));
    f->file = l->files.n - 1;
    return true;
}

static bool add_function(WwListings *l, const WwLines *lines, uint32_t arch, const char *name,
                         size_t n, GError **error)
{
    if (n == 0) {
        return ww_fail_at(error, lines->file, ww_lines_number(lines),
                          "a function without a name; expected a listing");
    }
    g_autofree char *copy = g_strndup(name, n);
    return ww_listings_add(l,
                           &(WwListed){.name = copy,
                                       .arch = arch,
                                       .bytes = lines->bytes - (lines->end - lines->begin),
                                       .line = lines->line},
                           error);
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
                   "%s: no function; expected a cubin, or what cuobjdump -sass or nvdisasm -hex "
                   "prints",
                   lines->file);
}

static bool add_text(WwListings *l, const char *path, GError **error)
{
    WwLines lines;
    if (!ww_lines_open(&lines, l->heap, path, LINE, error)) {
        return false;
    }
    bool good = read_functions(l, &lines, error);
    ww_lines_close(&lines);
    return good;
}

/** By what is in it: names say nothing. */
static bool look_at(const char *path, WwListingForm *form, GError **error)
{
    unsigned char begin[8];
    WwStream *stream = ww_stream_open(path, error);
    if (stream == NULL) {
        return false;
    }
    size_t n = 0, more = 1;
    const char *why;
    while (n < sizeof begin && more != 0 &&
           ww_stream_read(stream, begin + n, sizeof begin - n, &more, &why)) {
        n += more;
    }
    ww_stream_free(stream); /* what cannot be read is told by who reads it */
    *form = ww_listing_form(begin, n);
    return true;
}

static bool add_file(WwListings *l, const char *path, GError **error)
{
    WwListingForm form;
    if (!g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: %s; expected a listing", path,
                       g_file_test(path, G_FILE_TEST_EXISTS) ? "is no file" : "no such file");
    }
    if (!look_at(path, &form, error)) {
        return false;
    }
    if (form == WW_LISTING_FAT) {
        return ww_listing_fat(path, error);
    }
    *WW_HEAP_ADD(l->heap, &l->files) = ww_heap_text(l->heap, path, strlen(path));
    bool good =
        form == WW_LISTING_CUBIN ? ww_cubin_functions(l, path, error) : add_text(l, path, error);
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
        if (g_str_has_suffix(name, ".sass") || g_str_has_suffix(name, ".cubin")) {
            g_ptr_array_add(found, g_build_filename(folder, name, NULL));
        }
    }
    if (found->len > 1) {
        qsort(found->pdata, found->len, sizeof found->pdata[0], by_text);
    }
    return found;
}

/* The listings of file @p trace: its name up to the first dot, and ".sass" or ".cubin". */
static GPtrArray *of_file(const char *trace)
{
    static const char *const ends[] = {".sass", ".cubin"};
    GPtrArray *found = g_ptr_array_new_with_free_func(g_free);
    g_autofree char *folder = g_path_get_dirname(trace), *base = g_path_get_basename(trace);
    base[strcspn(base, ".")] = '\0';
    for (size_t i = 0; *base != '\0' && i < G_N_ELEMENTS(ends); i++) {
        g_autofree char *name = g_strconcat(base, ends[i], NULL);
        char *path = g_build_filename(folder, name, NULL);
        if (g_file_test(path, G_FILE_TEST_IS_REGULAR)) {
            g_ptr_array_add(found, path);
        } else {
            g_free(path);
        }
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

static bool read_text(WwListings *l, const WwListed *f, uint32_t arch, WwCode *code, GError **error)
{
    WwLines lines;
    if (!ww_lines_open(&lines, l->heap, l->files.v[f->file], LINE, error)) {
        return false;
    }
    bool good = ww_lines_skip(&lines, f->bytes, f->line, error) &&
                ww_listing_read(&lines, l->heap, f->name, arch, code, error);
    ww_lines_close(&lines);
    return good;
}

static bool read_code(WwListings *l, WwListed *f, uint32_t arch, GError **error)
{
    if (f->code != NULL) {
        return true;
    }
    WwCode *code = WW_HEAP_NEW(l->heap, WwCode, 1);
    bool good = f->form == WW_LISTING_CUBIN
                    ? ww_cubin_read(l->files.v[f->file], l->heap, f, code, error)
                    : read_text(l, f, arch, code, error);
    if (good) {
        f->code = code;
    } else {
        ww_heap_give(l->heap, code);
    }
    return good;
}

/** A text and a cubin of one function have the same instructions. */
static bool same_bits(const WwCode *text, const WwCode *cubin, GError **error)
{
    for (uint32_t i = 0; i < MIN(text->n, cubin->n); i++) {
        const WwCodeInst *a = &text->inst[i], *b = &cubin->inst[i];
        if (a->word[0] != b->word[0] || a->word[1] != b->word[1]) {
            return ww_fail_at(error, text->file, a->line,
                              "other bits at pc 0x%" G_GINT64_MODIFIER
                              "x of %s than %s has; expected the listing of that cubin",
                              a->pc, text->name, cubin->file);
        }
    }
    return text->n == cubin->n ||
           ww_fail_at(error, text->file, text->inst[0].line,
                      "%u instructions of %s, where %s has %u; expected the listing of that cubin",
                      text->n, text->name, cubin->file, cubin->n);
}

/** The first function from number @p i on called @p name that is for sm_@p arch and of @p form. *@p other: one for another architecture. */
static WwListed *find(WwListings *l, uint32_t i, const char *name, uint32_t arch,
                      WwListingForm form, const WwListed **other)
{
    for (; i < l->functions.n; i++) {
        WwListed *f = &l->functions.v[i];
        if (strcmp(f->name, name) != 0) {
            continue;
        }
        if (f->arch != 0 && f->arch != arch) {
            *other = f;
        } else if (f->form == form) {
            return f;
        }
    }
    return NULL;
}

bool ww_listings_find(WwListings *l, const char *name, uint32_t arch, const WwCode **code,
                      GError **error)
{
    uint32_t first = l->index != NULL ? *place_of(l, name) : 0;
    const WwListed *other = NULL;
    *code = NULL;
    if (first == 0) {
        return true;
    }
    WwListed *text = find(l, first - 1, name, arch, WW_LISTING_TEXT, &other);
    WwListed *cubin = find(l, first - 1, name, arch, WW_LISTING_CUBIN, &other);
    if (text == NULL && cubin == NULL) {
        const char *file = l->files.v[other->file];
        return other->form == WW_LISTING_CUBIN
                   ? ww_fail(error, WW_ERROR_INPUT,
                             "%s: %s is for sm_%u here, and the trace is sm_%u; expected a cubin "
                             "for that",
                             file, name, other->arch, arch)
                   : ww_fail_at(error, file, (uint32_t)MIN(other->line, UINT32_MAX),
                                "%s is for sm_%u here, and the trace is sm_%u; expected a listing "
                                "for that",
                                name, other->arch, arch);
    }
    if ((text != NULL && !read_code(l, text, arch, error)) ||
        (cubin != NULL && !read_code(l, cubin, arch, error))) {
        return false;
    }
    *code = text != NULL ? text->code : cubin->code;
    return text == NULL || cubin == NULL || same_bits(text->code, cubin->code, error);
}
