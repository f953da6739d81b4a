/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a log, plain or compressed, checked as they are read: whoever asks gets events or one error that says where. */
#include <events/log.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>
#include <warpwright/interrupt.h>
#include <zstd.h>

#define PIECE (256u << 10)
#define WINDOW_LOG 27 /* 128 MiB, what `zstd --long` asks for */

struct WwLogReader {
    char *path;
    int fd;
    ZSTD_DCtx *zst; /* NULL: plain. */
    char *in;       /* What was read of a compressed file: PIECE bytes. */
    ZSTD_inBuffer left;
    bool begun, in_frame, over; /* A byte was read; within a frame; the file is at its end. */
    char *text;                 /* PIECE + 1 bytes: */
    size_t at, n;               /* from `at` on not given yet, `n` in all. */
    uint64_t line;
};

/* Of @p size bytes as many as there are; -1: it cannot be read. */
static ssize_t read_some(WwLogReader *r, void *to, size_t size)
{
    ssize_t n;
    do {
        n = read(r->fd, to, size);
    } while (n < 0 && errno == EINTR && !ww_interrupted());
    if (n >= 0) {
        r->over = n == 0;
    }
    return n;
}

static bool fail(const WwLogReader *r, GError **error, const char *what)
{
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s:%" G_GUINT64_FORMAT ": %s; expected an event log (docs/events.md)", r->path,
                   r->line + 1, what);
}

static bool cannot_read(const WwLogReader *r, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected an event log", r->path,
                   g_strerror(errno));
}

static bool decompress(WwLogReader *r, char *to, size_t room, size_t *got, GError **error)
{
    ZSTD_outBuffer o = {.dst = to, .size = room};
    while (o.pos == 0) {
        if (r->left.pos == r->left.size && !r->over) {
            ssize_t n = read_some(r, r->in, PIECE);
            if (n < 0) {
                return cannot_read(r, error);
            }
            r->left = (ZSTD_inBuffer){.src = r->in, .size = (size_t)n};
        }
        size_t before = r->left.pos, hint = ZSTD_decompressStream(r->zst, &o, &r->left);
        if (ZSTD_isError(hint)) {
            return fail(r, error, "zstd data is damaged, or needs more than 128 MiB");
        }
        if (r->left.pos != before || o.pos != 0) {
            r->in_frame = hint != 0;
        } else if (r->over) {
            break;
        }
    }
    *got = o.pos;
    return o.pos != 0 || !r->in_frame || fail(r, error, "zstd data ends in the middle");
}

/* More text behind what is left of it; *got 0: there is none. */
static bool more(WwLogReader *r, size_t *got, GError **error)
{
    memmove(r->text, r->text + r->at, r->n - r->at);
    r->n -= r->at;
    r->at = 0;
    if (r->zst != NULL) {
        if (!decompress(r, r->text + r->n, PIECE - r->n, got, error)) {
            return false;
        }
    } else {
        ssize_t n = read_some(r, r->text + r->n, PIECE - r->n);
        if (n < 0) {
            return cannot_read(r, error);
        }
        *got = (size_t)n;
    }
    r->n += *got;
    return true;
}

/* The first bytes say what it is. */
static bool begin(WwLogReader *r, GError **error)
{
    while (r->n < 4 && !r->over) {
        ssize_t n = read_some(r, r->text + r->n, PIECE - r->n);
        if (n < 0) {
            return cannot_read(r, error);
        }
        r->n += (size_t)n;
    }
    const uint8_t *b = (const uint8_t *)r->text;
    bool magic = r->n >= 4 && b[1] == 0xB5 && b[2] == 0x2F && b[3] == 0xFD && b[0] == 0x28;
    bool skipped = r->n >= 4 && b[1] == 0x2A && b[2] == 0x4D && b[3] == 0x18 && b[0] >> 4 == 5;
    if (magic || skipped) {
        r->zst = ZSTD_createDCtx();
        r->in = g_malloc(PIECE);
        memcpy(r->in, r->text, r->n);
        r->left = (ZSTD_inBuffer){.src = r->in, .size = r->n};
        r->n = 0;
        if (r->zst == NULL ||
            ZSTD_isError(ZSTD_DCtx_setParameter(r->zst, ZSTD_d_windowLogMax, WINDOW_LOG))) {
            return ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot start the zstd decoder", r->path);
        }
    }
    return true;
}

WwLogReader *ww_log_open(const char *path, GError **error)
{
    WwLogReader *r = g_new0(WwLogReader, 1);
    bool standard = strcmp(path, "-") == 0;
    r->path = g_strdup(standard ? "stdin" : path);
    r->text = g_malloc(PIECE + 1);
    r->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (r->fd < 0) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot open: %s; expected an event log", path,
                g_strerror(errno));
    } else if (begin(r, error)) {
        return r;
    }
    ww_log_close(r);
    return NULL;
}

void ww_log_close(WwLogReader *r)
{
    if (r == NULL) {
        return;
    }
    if (r->fd > STDIN_FILENO) {
        close(r->fd);
    }
    ZSTD_freeDCtx(r->zst);
    g_free(r->in);
    g_free(r->text);
    g_free(r->path);
    g_free(r);
}

/* ---- lines ------------------------------------------------------------------------------------------------------ */

/* The next line, without its end; NULL: there is none, or an error. */
static char *next_line(WwLogReader *r, GError **error)
{
    size_t seen = 0;
    char *end;
    while ((end = memchr(r->text + r->at + seen, '\n', r->n - r->at - seen)) == NULL) {
        size_t got = 0;
        seen = r->n - r->at;
        if (seen > WW_LOG_LINE) {
            fail(r, error, "a line of more than 65,536 bytes");
            return NULL;
        }
        if (!more(r, &got, error)) {
            return NULL;
        }
        if (got == 0) {
            if (r->n != 0) {
                fail(r, error, "the last line has no end");
            }
            return NULL;
        }
    }
    char *line = r->text + r->at;
    *end = '\0';
    r->at = (size_t)(end - r->text) + 1;
    if (end - line > (ssize_t)WW_LOG_LINE || memchr(line, '\0', (size_t)(end - line)) != NULL) {
        fail(r, error,
             end - line > (ssize_t)WW_LOG_LINE ? "a line of more than 65,536 bytes" : "a byte 0");
        return NULL;
    }
    return line;
}

/* A number and the tab behind it. */
static bool number(char **at, bool sign, uint64_t *value)
{
    bool minus = sign && **at == '-';
    char *end = *at + minus;
    if (!g_ascii_isdigit(*end)) {
        return false;
    }
    errno = 0;
    *value = strtoull(end, &end, 10);
    if (errno != 0 || *end != '\t' || (sign && *value > (uint64_t)INT64_MAX)) {
        return false;
    }
    *value = minus ? -*value : *value;
    *at = end + 1;
    return true;
}

/* A word and the tab behind it. */
static bool word(char **at, const char **value)
{
    char *end = strchr(*at, '\t');
    if (end == NULL || end == *at) {
        return false;
    }
    *end = '\0';
    *value = *at;
    *at = end + 1;
    return true;
}

bool ww_log_next(WwLogReader *r, WwLogLine *line, GError **error)
{
    uint64_t unit = 0;
    if (ww_interrupted()) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: interrupted", r->path);
    }
    char *at = next_line(r, error);
    if (at == NULL) {
        return false;
    }
    *line = (WwLogLine){.number = r->line + 1};
    if (!number(&at, false, &line->cycle)) {
        return fail(r, error, "the first field is no cycle");
    }
    if (!word(&at, &line->kind) || !word(&at, &line->path)) {
        return fail(r, error, "no kind or no path");
    }
    if (!number(&at, true, &unit) || strchr(at, '\t') != NULL) {
        return fail(r, error, "the fourth field is no unit, or there are more than five");
    }
    line->unit = (int64_t)unit;
    line->text = at;
    r->line++;
    return true;
}

/* ---- fields ----------------------------------------------------------------------------------------------------- */

const char *ww_log_field(const char *text, const char *key, size_t *length)
{
    size_t n = strlen(key);
    for (const char *at = text; at != NULL; at = strchr(at, ' ')) {
        at += *at == ' ';
        if (strncmp(at, key, n) == 0 && at[n] == '=') {
            at += n + 1;
            *length = strcspn(at, " ");
            return at;
        }
    }
    return NULL;
}

bool ww_log_number(const char *text, const char *key, int base, uint64_t *value)
{
    size_t n;
    const char *at = ww_log_field(text, key, &n);
    if (at == NULL || n == 0 || !g_ascii_isxdigit(*at)) {
        return false;
    }
    char *end;
    errno = 0;
    *value = strtoull(at, &end, base);
    return errno == 0 && end == at + n && (n < 2 || (at[1] != 'x' && at[1] != 'X'));
}
