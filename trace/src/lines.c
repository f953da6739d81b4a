/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Lines of a stream, cut in place.
 *
 * A trace line has 40 to 700 bytes. The buffer starts at 128 KiB (fits a second-level cache) and
 * grows only for a longer line, at most to max_line, so that a file without newlines is refused in
 * bounded memory.
 */
#include "stream-priv.h"

#include <string.h>

#define START_SIZE (128u << 10)
#define AGAIN (64u << 10)
/* The first bytes, which are looked at alone when a trace is opened: its header. */
#define HEAD_SIZE (4u << 10)

static WwStream *open_stream(const WwLines *l, const char *path, GError **error)
{
    return l->trace ? ww_stream_open_trace(path, error) : ww_stream_open(path, error);
}

static bool open_lines(WwLines *l, WwHeap *heap, const char *path, bool trace, uint64_t max_line,
                       GError **error)
{
    *l = (WwLines){.heap = heap, .trace = trace};
    WwStream *stream = open_stream(l, path, error);
    if (stream == NULL) {
        return false;
    }
    l->stream = ww_heap_hold(heap, stream);
    l->file = ww_heap_text(heap, path, strlen(path));
    l->max_line = max_line > SIZE_MAX / 4 ? SIZE_MAX / 4 : (size_t)max_line;
    l->cap = START_SIZE;
    l->buf = ww_heap_take(heap, l->cap + WW_LINES_SLACK);
    return true;
}

bool ww_lines_open(WwLines *l, WwHeap *heap, const char *path, uint64_t max_line, GError **error)
{
    return open_lines(l, heap, path, false, max_line, error);
}

bool ww_lines_open_trace(WwLines *l, WwHeap *heap, const char *path, uint64_t max_line,
                         GError **error)
{
    return open_lines(l, heap, path, true, max_line, error);
}

void ww_lines_end(WwLines *l)
{
    ww_stream_free(ww_heap_held(l->heap, l->stream));
    ww_heap_let_go(l->heap, l->stream);
    ww_heap_give(l->heap, l->buf);
    l->stream = 0;
    l->buf = NULL;
}

void ww_lines_close(WwLines *l)
{
    ww_lines_end(l);
    ww_heap_give(l->heap, l->file);
    memset(l, 0, sizeof *l);
}

void ww_lines_ahead(const WwLines *l)
{
    if (l->stream != 0) {
        ww_stream_ahead(ww_heap_held(l->heap, l->stream));
    }
}

bool ww_lines_skip(WwLines *l, uint64_t bytes, uint64_t n, GError **error)
{
    const char *why;
    if (!ww_stream_skip(ww_heap_held(l->heap, l->stream), bytes, &why)) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read on: %s; expected the file as it was",
                       l->file, why);
    }
    l->bytes = bytes;
    l->line = n;
    return true;
}

/* Reads @p size bytes that were read once before. */
static bool read_again(WwLines *l, WwStream *stream, char *out, uint64_t size, GError **error)
{
    while (size != 0) {
        size_t n = 0;
        const char *why = "it is shorter than it was";
        if (!ww_stream_read(stream, out, (size_t)MIN(size, AGAIN), &n, &why) || n == 0) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s: cannot go on reading where the checkpoint stands: %s; expected the "
                           "file as it was",
                           l->file, why);
        }
        size -= n;
    }
    return true;
}

bool ww_lines_reopen(WwLines *l, GError **error)
{
    if (l->buf == NULL) {
        return true; /* it was closed */
    }
    WwStream *stream = open_stream(l, l->file, error);
    if (stream == NULL) {
        return false;
    }
    size_t left = l->end - l->begin; /* is in the buffer, and has to be what the file has there */
    g_autofree char *some = g_malloc(MAX(AGAIN, left));
    size_t n = 0, got = 0;
    const char *why;
    bool good = read_again(l, stream, some, l->bytes - left, error);
    while (good && n < left && ww_stream_read(stream, some + n, left - n, &got, &why) && got != 0) {
        n += got;
    }
    if (good && (n != left || memcmp(some, l->buf + l->begin, left) != 0)) {
        good = ww_fail(error, WW_ERROR_INPUT,
                       "%s: is not what the checkpoint was made with; expected the file as it was",
                       l->file);
    }
    if (!good) {
        ww_stream_free(stream);
        return false;
    }
    l->stream = ww_heap_hold(l->heap, stream);
    return true;
}

static bool too_long(WwLines *l, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s:%u: line is longer than %zu bytes; expected a trace line", l->file,
                   ww_lines_number(l) + 1, l->max_line);
}

static bool refill(WwLines *l, GError **error)
{
    if (l->begin > 0) {
        memmove(l->buf, l->buf + l->begin, l->end - l->begin);
        l->end -= l->begin;
        l->scanned -= l->begin;
        l->begin = 0;
    }
    if (l->end > l->max_line) {
        return too_long(l, error);
    }
    if (l->end == l->cap) {
        l->cap = l->cap * 2;
        l->buf = ww_heap_resize(l->heap, l->buf, l->cap + WW_LINES_SLACK);
    }
    size_t n = 0;
    const char *why = NULL;
    size_t room = l->bytes == 0 ? MIN(HEAD_SIZE, l->cap) : l->cap - l->end;
    WwStream *stream = ww_heap_held(l->heap, l->stream);
    if (!ww_stream_read(stream, l->buf + l->end, room, &n, &why)) {
        const char *expected = ww_stream_expected(stream);
        if (expected != NULL) {
            return ww_fail(error, WW_ERROR_INPUT, "%s:%u: %s; expected %s", l->file,
                           ww_lines_number(l) + 1, why, expected);
        }
        return ww_fail(error, WW_ERROR_INPUT, "%s:%u: cannot read on: %s; expected a complete file",
                       l->file, ww_lines_number(l) + 1, why);
    }
    l->eof = n == 0;
    l->end += n;
    l->bytes += n;
    if (l->line == 0 && ww_begins_with_mark(l->buf, l->end)) { /* of a compressed text */
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:1: begins with a byte order mark; expected plain text without", l->file);
    }
    return true;
}

/** Hands out [begin, stop) and goes on after @p next. */
static bool take(WwLines *l, size_t stop, size_t next, char **line, size_t *len, GError **error)
{
    if (G_UNLIKELY(stop - l->begin > l->max_line)) {
        return too_long(l, error);
    }
    char *first = l->buf + l->begin;
    char *last = l->buf + stop;
    while (last > first && (last[-1] == ' ' || last[-1] == '\r' || last[-1] == '\t')) {
        last--;
    }
    l->cut = *last;
    *last = '\0';
    l->begin = l->scanned = next;
    l->line++;
    *line = l->last = first;
    *len = l->last_len = (size_t)(last - first);
    return true;
}

bool ww_lines_next(WwLines *l, char **line, size_t *len, GError **error)
{
    if (G_UNLIKELY(l->again)) {
        l->again = false;
        *line = l->last;
        *len = l->last_len;
        return true;
    }
    for (;;) {
        const char *newline = memchr(l->buf + l->scanned, '\n', l->end - l->scanned);
        if (G_LIKELY(newline != NULL)) {
            size_t stop = (size_t)(newline - l->buf);
            return take(l, stop, stop + 1, line, len, error);
        }
        l->scanned = l->end;
        if (l->eof) {
            break;
        }
        if (!refill(l, error)) {
            return false;
        }
    }
    if (l->begin == l->end) {
        *line = NULL;
        *len = 0;
        return true;
    }
    return take(l, l->end, l->end, line, len, error);
}

void ww_lines_unget(WwLines *l)
{
    l->again = true;
}
