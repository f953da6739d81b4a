/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The command list (`kernelslist.g`): reading it, finding the kernels' files, selecting kernels.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

static bool is_directory(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/** Also if it cannot be looked at: whoever opens it says why. */
static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

static WwListEntry *append(WwList *list, WwCommandKind kind, uint32_t line)
{
    if ((list->n & (list->n - 1)) == 0) {
        list->entries = g_renew(WwListEntry, list->entries, list->n == 0 ? 1 : 2 * (size_t)list->n);
    }
    WwListEntry *e = &list->entries[list->n++];
    *e = (WwListEntry){.kind = kind, .line = line};
    return e;
}

/** The file that @p name means: itself, or its compressed sibling. NULL if there is neither. Free
 * with g_free(). */
static char *resolve(const char *directory, const char *name)
{
    static const char *const suffixes[] = {"", ".xz", ".zst"};
    g_autofree char *base = g_build_filename(directory, name, NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(suffixes); i++) {
        g_autofree char *path = g_strconcat(base, suffixes[i], NULL);
        if (exists(path)) {
            return g_steal_pointer(&path);
        }
    }
    return NULL;
}

/** `MemcpyHtoD,<hex address>,<bytes>`; what else stands before the comma, as in `MemcpyHtoDAsync`, does not matter. */
static bool parse_memcpy(WwList *list, const char *text, uint32_t line, GError **error)
{
    WwListEntry *e = append(list, WW_COMMAND_MEMCPY_HTOD, line);
    char quoted[48];
    const char *p = strchr(text, ',');
    if (p != NULL && (p = ww_scan_hex(ww_skip_blanks(p + 1), &e->address)) != NULL && *p == ',' &&
        (p = ww_scan_dec(ww_skip_blanks(p + 1), UINT64_MAX, &e->bytes)) != NULL && *p == '\0') {
        if (e->bytes > WW_TRACE_MAX_COPY) {
            return ww_fail_at(error, list->file, line,
                              "copy of %" G_GUINT64_FORMAT " bytes; expected at most "
                              "%" G_GUINT64_FORMAT " (1 TiB)",
                              e->bytes, WW_TRACE_MAX_COPY);
        }
        if (e->bytes > UINT64_MAX - e->address) {
            return ww_fail_at(error, list->file, line,
                              "'%s' ends behind the last address; expected address and bytes "
                              "within 64 bits",
                              ww_quote(text, quoted));
        }
        e->name = g_strdup(text);
        return true;
    }
    return ww_fail_at(error, list->file, line,
                      "bad copy '%s'; expected 'MemcpyHtoD,<hex address>,<bytes>'",
                      ww_quote(text, quoted));
}

/** Lines of lists that are no part of the model: comments, other copies, calls of the runtime. */
static bool is_known(const char *text)
{
    return *text == '\0' || *text == '#' || g_str_has_prefix(text, "Memcpy") ||
           g_str_has_prefix(text, "cuda");
}

/** The first unknown line may be a misspelt kernel: one warning for all, or (strict) an error. */
static bool tell_unknown(const WwList *list, const WwTraceOptions *options, GError **error)
{
    static const char *const expected =
        "expected 'kernel...' or 'MemcpyHtoD,<hex address>,<bytes>'";
    if (list->n_unknown == 0) {
        return true;
    }
    if (options->strict) {
        return ww_fail_at(error, list->file, list->unknown_line, "unknown line '%s'; %s",
                          list->unknown, expected);
    }
    g_autofree char *more =
        list->n_unknown > 1 ? g_strdup_printf(" (and %u more)", list->n_unknown - 1) : g_strdup("");
    ww_trace_warn(options, "%s:%u: unknown line '%s' is left out%s; %s", list->file,
                  list->unknown_line, list->unknown, more, expected);
    return true;
}

static bool parse_list_line(WwList *list, const char *directory, const char *text, uint32_t line,
                            GError **error)
{
    if (g_str_has_prefix(text, "MemcpyHtoD")) {
        return parse_memcpy(list, text, line, error);
    }
    if (!g_str_has_prefix(text, "kernel")) {
        if (!is_known(text) && list->n_unknown++ == 0) {
            list->unknown_line = line;
            ww_quote(text, list->unknown);
        }
        return true;
    }
    WwListEntry *e = append(list, WW_COMMAND_KERNEL, line);
    e->ordinal = ++list->n_kernels;
    e->name = g_strdup(text);
    if (list->pack == NULL) {
        e->path = resolve(directory, text);
    } else if (list->n_kernels <= list->pack->n_entries) {
        e->in_pack = list->pack->entries[list->n_kernels - 1];
        e->path = g_strdup_printf("%s/%s", list->file, list->pack->kernels[e->in_pack].name);
    }
    return true;
}

static bool read_list(WwList *list, WwLines *lines, GError **error)
{
    g_autofree char *directory = g_path_get_dirname(list->file);
    char *line;
    size_t len;
    for (;;) {
        if (!ww_lines_next(lines, &line, &len, error)) {
            return false;
        }
        uint32_t number = ww_lines_number(lines);
        if (line == NULL) {
            break;
        }
        if (memchr(line, '\0', len) != NULL) {
            return ww_fail_at(error, list->file, number, "NUL byte; expected a command list");
        }
        if (list->n >= WW_TRACE_MAX_COMMANDS || number > WW_TRACE_MAX_LIST) {
            return ww_fail_at(error, list->file, number,
                              "the list is too long; expected at most %u commands and %u lines",
                              WW_TRACE_MAX_COMMANDS, WW_TRACE_MAX_LIST);
        }
        if (!parse_list_line(list, directory, line, number, error)) {
            return false;
        }
    }
    if (list->n_kernels == 0) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: no kernels in the list; expected lines such as 'kernel-1.traceg'",
                       list->file);
    }
    return true;
}

static bool is_trace_name(const char *path)
{
    return g_str_has_suffix(path, ".traceg") || g_str_has_suffix(path, ".traceg.xz") ||
           g_str_has_suffix(path, ".traceg.zst") || g_str_has_suffix(path, ".tracez");
}

/** A kernel trace begins with a '-' header line; a list never does. */
static bool is_kernel_trace(WwLines *lines, const char *path, bool *result, GError **error)
{
    char *line;
    size_t len;
    *result = is_trace_name(path);
    if (*result) {
        return true;
    }
    do {
        if (!ww_lines_next(lines, &line, &len, error)) {
            return false;
        }
        if (line == NULL) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s: nothing but blank lines; expected a command list", path);
        }
    } while (len == 0);
    *result = line[0] == '-';
    ww_lines_unget(lines);
    return true;
}

static bool parse_ordinal(const char **p, uint64_t *out)
{
    const char *next = ww_scan_dec(ww_skip_blanks(*p), UINT32_MAX, out);
    if (next == NULL || *out == 0) {
        return false;
    }
    *p = ww_skip_blanks(next);
    return true;
}

/** Marks in @p keep (index: ordinal) what @p text ("3,5-7") selects. */
static bool parse_selection(const WwList *list, const char *text, bool *keep, GError **error)
{
    const char *p = text;
    for (;;) {
        uint64_t from = 0, to = 0;
        bool good = parse_ordinal(&p, &from);
        to = from;
        if (good && *p == '-') {
            p++;
            good = parse_ordinal(&p, &to);
        }
        if (!good || to < from || (*p != ',' && *p != '\0')) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "kernels '%s': not a selection; expected ordinals such as '3,5-7'",
                           text);
        }
        if (to > list->n_kernels) {
            return ww_fail(error, WW_ERROR_USAGE,
                           "kernels '%s': no kernel %" G_GUINT64_FORMAT " in %s; expected 1 to %u",
                           text, to, list->file, list->n_kernels);
        }
        for (uint64_t i = from; i <= to; i++) {
            keep[i] = true;
        }
        if (*p++ == '\0') {
            return true;
        }
    }
}

static void clear_entry(WwListEntry *e)
{
    g_free(e->name);
    g_free(e->path);
}

static bool select_kernels(WwList *list, const char *selection, GError **error)
{
    g_autofree bool *keep = g_new0(bool, (size_t)list->n_kernels + 1);
    if (!parse_selection(list, selection, keep, error)) {
        return false;
    }
    uint32_t n = 0, n_kernels = 0;
    for (uint32_t i = 0; i < list->n; i++) {
        WwListEntry *e = &list->entries[i];
        bool kernel = e->kind == WW_COMMAND_KERNEL;
        if (kernel && !keep[e->ordinal]) {
            clear_entry(e);
            continue;
        }
        n_kernels += kernel;
        list->entries[n++] = *e;
    }
    list->n = n;
    list->n_kernels = n_kernels;
    return true;
}

static bool check_files(const WwList *list, GError **error)
{
    for (uint32_t i = 0; i < list->n; i++) {
        const WwListEntry *e = &list->entries[i];
        if (e->kind == WW_COMMAND_KERNEL && e->path == NULL) {
            char quoted[48];
            return ww_fail_at(error, list->file, e->line,
                              "no kernel trace '%s'; expected that file, or with .xz or .zst",
                              ww_quote(e->name, quoted));
        }
    }
    return true;
}

static bool read_file(WwList *list, const WwTraceOptions *options, GError **error)
{
    WwLines lines;
    bool single = false;
    g_autoptr(WwHeap) heap = ww_heap_new();
    if (!ww_lines_open(&lines, heap, list->file, options->max_line_bytes, error)) {
        return false;
    }
    bool good = !g_str_has_suffix(list->file, ".wwk") ||
                ww_fail(error, WW_ERROR_INPUT,
                        "%s: is a program, no trace; expected the trace that 'warpwright trace "
                        "make -o FOLDER %s' makes of it",
                        list->file, list->file);
    good = good && is_kernel_trace(&lines, list->file, &single, error);
    if (good && single) {
        WwListEntry *e = append(list, WW_COMMAND_KERNEL, 1);
        e->ordinal = ++list->n_kernels;
        e->name = g_path_get_basename(list->file);
        e->path = g_strdup(list->file);
    } else if (good) {
        good = read_list(list, &lines, error) && tell_unknown(list, options, error);
    }
    ww_lines_close(&lines);
    return good;
}

enum { MOST_FOUND = 4 }; /**< Traces that an error names. */

/** The list of directory @p path: there, or in the one directory below that has one (APP/ARGS/traces). */
static char *list_of(const char *path, GError **error)
{
    g_autoptr(GPtrArray) found = ww_trace_find(path, error);
    if (found == NULL) {
        return NULL;
    }
    if (found->len == 1) {
        return g_build_filename(((const WwTraceFound *)found->pdata[0])->path, "kernelslist.g",
                                NULL);
    }
    if (found->len == 0) {
        g_autofree char *raw = g_build_filename(path, "kernelslist", NULL);
        ww_fail(error, WW_ERROR_INPUT,
                "%s: no kernelslist.g in this directory, nor below it; expected a trace%s", path,
                exists(raw) ? " (this one is raw: the tracer's post-traces-processing makes a "
                              "kernelslist.g of its kernelslist)"
                            : "");
        return NULL;
    }
    g_autoptr(GString) names = g_string_new(NULL);
    for (guint i = 0; i < found->len && i < MOST_FOUND; i++) {
        g_string_append_printf(names, "%s%s", i != 0 ? ", " : "",
                               ((const WwTraceFound *)found->pdata[i])->path);
    }
    ww_fail(error, WW_ERROR_INPUT,
            "%s: %u traces are below this directory; expected one of them: %s%s", path, found->len,
            names->str, found->len > MOST_FOUND ? ", ..." : "");
    return NULL;
}

/** The list that the pack has, without a line for each file when it was one kernel trace. */
static bool read_pack(WwList *list, const WwPack *pack, const WwTraceOptions *options,
                      GError **error)
{
    g_auto(GStrv) lines = g_strsplit(pack->list, "\n", -1);
    uint32_t n = g_strv_length(lines);
    bool good = true;
    list->pack = pack;
    if (*pack->list == '\0') {
        good = parse_list_line(list, NULL, "kernel", 1, error);
    }
    for (uint32_t i = 0; i < n && good; i++) {
        good = list->n < WW_TRACE_MAX_COMMANDS && n <= WW_TRACE_MAX_LIST &&
               parse_list_line(list, NULL, g_strchomp(lines[i]), i + 1, error);
    }
    if (good ? list->n_kernels != pack->n_entries : error == NULL || *error == NULL) {
        good = ww_fail(error, WW_ERROR_INPUT,
                       "%s: its list does not name its kernels; expected what 'trace pack' wrote",
                       list->file);
    }
    return good && tell_unknown(list, options, error);
}

bool ww_list_read(WwList *list, const char *path, const WwPack *pack, const WwTraceOptions *options,
                  GError **error)
{
    *list = (WwList){0};
    list->file = g_strdup(path);
    if (pack == NULL && is_directory(path)) {
        g_free(list->file);
        list->file = list_of(path, error);
        if (list->file == NULL) {
            return false;
        }
    }
    if (!(pack != NULL ? read_pack(list, pack, options, error) : read_file(list, options, error))) {
        return false;
    }
    if (options->kernels != NULL && !select_kernels(list, options->kernels, error)) {
        return false;
    }
    return check_files(list, error);
}

void ww_list_clear(WwList *list)
{
    for (uint32_t i = 0; i < list->n; i++) {
        clear_entry(&list->entries[i]);
    }
    g_free(list->entries);
    g_free(list->file);
    *list = (WwList){0};
}
