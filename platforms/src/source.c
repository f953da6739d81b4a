/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that goes all at once, texts that errors quote, and reading files. */
#include "platform-priv.h"
#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define CHUNK 16384u
#define LARGE (CHUNK / 4) /* has memory of its own: what is left of a chunk is not lost for it */
#define QUOTE_WIDTH 96    /* characters of a source line shown around the caret */

void plat_arena_init(Arena *arena)
{
    *arena = (Arena){.chunks = g_ptr_array_new_with_free_func(g_free)};
}

void plat_arena_clear(Arena *arena)
{
    g_ptr_array_unref(arena->chunks);
    *arena = (Arena){0};
}

static size_t rounded(size_t size)
{
    return (size + 15) & ~(size_t)15;
}

static void *add_chunk(Arena *arena, size_t size)
{
    void *chunk = g_malloc(size);
    g_ptr_array_add(arena->chunks, chunk);
    return chunk;
}

/** Like plat_alloc(), not zeroed. */
static void *take(Arena *arena, size_t size)
{
    size = rounded(size);
    if (size > arena->left && size >= LARGE) {
        return add_chunk(arena, size);
    }
    if (size > arena->left) {
        arena->at = add_chunk(arena, CHUNK);
        arena->left = CHUNK;
    }
    void *p = arena->at;
    arena->at += size;
    arena->left -= size;
    return p;
}

void *plat_alloc(Arena *arena, size_t size)
{
    return memset(take(arena, size), 0, size);
}

char *plat_dup(Arena *arena, const char *text, size_t length)
{
    char *p = take(arena, length + 1);
    memcpy(p, text, length);
    p[length] = '\0';
    return p;
}

char *plat_printf(Arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    g_autofree char *text = g_strdup_vprintf(format, args);
    va_end(args);
    return plat_dup(arena, text, strlen(text));
}

char *plat_join(Arena *arena, const char *first, ...)
{
    va_list args;
    size_t length = 0;
    va_start(args, first);
    for (const char *part = first; part != NULL; part = va_arg(args, const char *)) {
        length += strlen(part);
    }
    va_end(args);
    char *whole = take(arena, length + 1), *at = whole;
    *at = '\0';
    va_start(args, first);
    for (const char *part = first; part != NULL; part = va_arg(args, const char *)) {
        at = stpcpy(at, part);
    }
    va_end(args);
    return whole;
}

void *plat_grow(Arena *arena, void *v, uint32_t n, uint32_t *cap, size_t size)
{
    uint32_t more = *cap == 0 ? 4 : *cap * 2;
    size_t now = rounded(*cap * size), further = rounded(more * size) - now;
    void *w = v;
    if (*cap != 0 && (char *)v + now == arena->at && further <= arena->left) {
        arena->at += further; /* the last that was taken: it grows where it is */
        arena->left -= further;
    } else {
        w = take(arena, more * size);
        if (n != 0) {
            memcpy(w, v, n * size);
        }
    }
    memset((char *)w + n * size, 0, (more - n) * size);
    *cap = more;
    return w;
}

/* ---- errors -------------------------------------------------------------------------------- */

static const Source *find_source(const Sources *sources, const char *file)
{
    for (uint32_t i = 0; sources != NULL && i < sources->list.n; i++) {
        const char *f = sources->list.v[i].file;
        if (f == file || strcmp(f, file) == 0) {
            return &sources->list.v[i];
        }
    }
    return NULL;
}

static const char *find_line(const Source *source, uint32_t line, const char **end)
{
    const char *at = source->text;
    const char *stop = source->text + source->length;
    for (uint32_t i = 1; i < line; i++) {
        const char *newline = memchr(at, '\n', (size_t)(stop - at));
        if (newline == NULL) {
            return NULL;
        }
        at = newline + 1;
    }
    const char *newline = memchr(at, '\n', (size_t)(stop - at));
    *end = newline != NULL ? newline : stop;
    if (*end > at && (*end)[-1] == '\r') {
        (*end)--;
    }
    return at;
}

/** Appends the source line and a caret under its column. A long line is cut around the caret. */
static void append_quote(GString *out, const Source *source, WwLocation at)
{
    const char *end = NULL;
    const char *line = find_line(source, at.line, &end);
    if (line == NULL || !g_utf8_validate(line, end - line, NULL) || line == end) {
        return;
    }
    long width = g_utf8_strlen(line, end - line);
    long caret = MIN((long)at.column - 1, width);
    long from = caret > QUOTE_WIDTH - 16 ? caret - QUOTE_WIDTH / 2 : 0;
    long to = MIN(width, from + QUOTE_WIDTH);
    const char *a = g_utf8_offset_to_pointer(line, from);
    const char *b = g_utf8_offset_to_pointer(line, to);
    g_string_append(out, from > 0 ? "\n    ..." : "\n    ");
    g_string_append_len(out, a, b - a);
    g_string_append(out, to < width ? "...\n    " : "\n    ");
    g_string_append(out, from > 0 ? "   " : "");
    for (const char *p = a; from < caret; from++, p = g_utf8_next_char(p)) {
        g_string_append_c(out, *p == '\t' ? '\t' : ' ');
    }
    g_string_append_c(out, '^');
}

bool plat_fail(const Sources *sources, WwErrorCode code, WwLocation at, const char *near,
               GError **error, const char *format, ...)
{
    GString *out = g_string_new(at.file != NULL ? at.file : NULL);
    if (at.line != 0) {
        g_string_append_printf(out, ":%u", at.line);
        if (at.column != 0) {
            g_string_append_printf(out, ":%u", at.column);
        }
    }
    g_string_append(out, out->len != 0 ? ": " : "");
    va_list args;
    va_start(args, format);
    g_string_append_vprintf(out, format, args);
    va_end(args);
    const Source *source = at.file != NULL ? find_source(sources, at.file) : NULL;
    if (source != NULL && at.line != 0 && at.column != 0) {
        append_quote(out, source, at);
    }
    if (near != NULL) {
        g_string_append_printf(out, "\n    did you mean '%s'?", near);
    }
    ww_fail(error, code, "%s", out->str);
    g_string_free(out, true);
    return false;
}

void plat_note_element(GError **error, const char *element)
{
    if (error == NULL || *error == NULL || element == NULL) {
        return;
    }
    const char *message = (*error)->message;
    const char *end = strchrnul(message, '\n');
    char *whole =
        g_strdup_printf("%.*s (for element %s)%s", (int)(end - message), message, element, end);
    g_free((*error)->message);
    (*error)->message = whole;
}

const char *plat_place(Arena *arena, WwLocation at)
{
    return at.line == 0     ? at.file
           : at.column == 0 ? plat_printf(arena, "%s:%u", at.file, at.line)
                            : plat_printf(arena, "%s:%u:%u", at.file, at.line, at.column);
}

static void each_file(const Sources *sources, WwFileFn fn, void *user)
{
    for (uint32_t i = 0; i < sources->list.n; i++) {
        const Source *s = &sources->list.v[i];
        fn(user, s->file, s->text, s->length);
    }
}

void ww_platform_each_file(const WwPlatform *platform, WwFileFn fn, void *user)
{
    each_file(&platform->sources, fn, user);
}

void ww_overrides_each_file(const WwOverrides *overrides, WwFileFn fn, void *user)
{
    each_file(&overrides->sources, fn, user);
}

/* ---- reading ------------------------------------------------------------------------------- */

static bool read_one(const char *path, char **text, size_t *length, GError **error)
{
    GStatBuf st;
    if (g_stat(path, &st) != 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: %s; expected a text file", path,
                       g_strerror(errno));
    }
    if (!S_ISREG(st.st_mode)) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: not a regular file; expected a text file", path);
    }
    if (st.st_size > (off_t)PLAT_MAX_FILE) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: %lld bytes; expected at most %u", path,
                       (long long)st.st_size, PLAT_MAX_FILE);
    }
    g_autoptr(GError) why = NULL;
    if (!g_file_get_contents(path, text, length, &why)) {
        const char *colon = strrchr(why->message, ':'); /* GLib names the file once more */
        return ww_fail(error, WW_ERROR_INPUT, "%s: cannot be read (%s); expected a text file", path,
                       colon != NULL ? colon + 2 : why->message);
    }
    return true;
}

char *plat_nearest(const char *name, const char *suffix, const char *const *dirs)
{
    g_autoptr(GPtrArray) names = g_ptr_array_new_with_free_func(g_free);
    for (; dirs != NULL && *dirs != NULL; dirs++) {
        g_autoptr(GDir) dir = g_dir_open(*dirs, 0, NULL);
        const char *file;
        while (dir != NULL && (file = g_dir_read_name(dir)) != NULL) {
            if (g_str_has_suffix(file, suffix)) {
                g_ptr_array_add(names, g_strndup(file, strlen(file) - strlen(suffix)));
            }
        }
    }
    return g_strdup(ww_closest(name, (const char *const *)names->pdata, names->len));
}

static bool fail_no_file(const char *name, const char *suffix, const char *const *dirs,
                         bool is_file, GError **error)
{
    if (!is_file && g_file_test(name, G_FILE_TEST_IS_REGULAR)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: is here, but its name does not end in '%s'; expected './%s' if it is "
                       "meant (a .plat is given with -p, a .conf with -c, a gpgpusim.config "
                       "with --gpgpusim)",
                       name, suffix, name);
    }
    g_autofree char *tried = dirs != NULL ? g_strjoinv(", ", (char **)dirs) : g_strdup("");
    g_autofree char *near = is_file ? NULL : plat_nearest(name, suffix, dirs);
    g_autofree char *meant = near != NULL ? g_strdup_printf(", did you mean '%s'?", near) : NULL;
    return ww_fail(error, WW_ERROR_INPUT, "%s: there is no such file%s%s%s; expected %s", name,
                   *tried != '\0' ? " here or in " : "", tried, meant != NULL ? meant : "",
                   is_file ? "a file"
                           : "a name there, or a file name, which has a '/' or its suffix");
}

/* Then nobody knows whether it is there, and whoever reads it says why. */
static bool cannot_be_looked_at(const char *path)
{
    GStatBuf st;
    return g_stat(path, &st) != 0 && errno != ENOENT && errno != ENOTDIR;
}

bool plat_read(const char *name, const char *suffix, const char *const *dirs, char **path,
               char **text, size_t *length, GError **error)
{
    bool is_file = strchr(name, '/') != NULL || g_str_has_suffix(name, suffix);
    if (is_file && (g_path_is_absolute(name) || g_file_test(name, G_FILE_TEST_EXISTS))) {
        *path = g_strdup(name);
        return read_one(name, text, length, error);
    }
    for (const char *const *d = dirs; d != NULL && *d != NULL; d++) {
        g_autofree char *file = g_strconcat(*d, "/", name, is_file ? "" : suffix, NULL);
        if (g_file_test(file, G_FILE_TEST_EXISTS)) {
            *path = g_steal_pointer(&file);
            return read_one(*path, text, length, error);
        }
    }
    if (is_file && cannot_be_looked_at(name)) {
        return read_one(name, text, length, error);
    }
    return fail_no_file(name, suffix, dirs, is_file, error);
}

/** Nothing but ASCII, lines and tabs? Most texts are that; eight bytes at a time. */
static bool is_plain(const char *text, size_t length)
{
    static const uint64_t high = 0x8080808080808080u, blanks = 0x2020202020202020u;
    const char *c = text, *const end = text + length;
    while (c < end) {
        uint64_t word;
        if ((size_t)(end - c) >= sizeof word) {
            memcpy(&word, c, sizeof word);
            if ((word & high) == 0 && ((word - blanks) & high) == 0) { /* all from ' ' on */
                c += sizeof word;
                continue;
            }
        }
        if ((unsigned char)*c >= 0x80 ||
            ((unsigned char)*c < ' ' && *c != '\n' && *c != '\t' && *c != '\r')) {
            return false;
        }
        c++;
    }
    return true;
}

bool plat_check_text(const Sources *sources, const Source *source, GError **error)
{
    WwLocation at = {.file = source->file, .line = 1, .column = 1};
    if (source->length > PLAT_MAX_FILE) {
        return plat_fail(NULL, WW_ERROR_INPUT, at, NULL, error, "%zu bytes; expected at most %u",
                         source->length, PLAT_MAX_FILE);
    }
    if (ww_begins_with_mark(source->text, source->length)) {
        return plat_fail(NULL, WW_ERROR_INPUT, at, NULL, error,
                         "a byte order mark; expected text without one (UTF-8 needs none)");
    }
    const char *bad = NULL;
    bool plain = is_plain(source->text, source->length);
    bool valid = plain || g_utf8_validate(source->text, (gssize)source->length, &bad);
    const char *const end = source->text + source->length;
    const char *const stop_at = plain ? source->text : valid ? end : bad;
    for (const char *c = source->text; c < stop_at; c++) {
        if (G_UNLIKELY((unsigned char)*c < ' ') && *c != '\n' && *c != '\t' && *c != '\r') {
            bad = c;
            valid = false;
            break;
        }
    }
    for (const char *line = source->text; line < end; at.line++) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline != NULL ? newline : end;
        if (!valid && bad >= line && bad <= stop) {
            at.column = (uint32_t)g_utf8_strlen(line, bad - line) + 1;
            bool control = (unsigned char)*bad < ' '; /* not for a terminal */
            return plat_fail(control ? NULL : sources, WW_ERROR_INPUT, at, NULL, error,
                             *bad == '\0' ? "NUL byte; expected text"
                             : control    ? "control character 0x%02x; expected text"
                                          : "byte 0x%02x is not UTF-8; expected text",
                             (unsigned char)*bad);
        }
        if (stop - line > (ptrdiff_t)PLAT_MAX_LINE) {
            return plat_fail(NULL, WW_ERROR_INPUT, at, NULL, error,
                             "line of %zd bytes; expected at most %u", (ssize_t)(stop - line),
                             PLAT_MAX_LINE);
        }
        line = stop + 1;
    }
    return true;
}
