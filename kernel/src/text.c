/* SPDX-License-Identifier: Apache-2.0 */
/* Reading a whole text from outside: whatever it is, a bounded amount of it. */
#include <warpwright/base.h>

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PIECE 65536u

static bool read_all(const char *path, int fd, const WwTextLimits *limits, GByteArray *out,
                     GError **error)
{
    for (;;) {
        guint before = out->len;
        g_byte_array_set_size(out, before + PIECE);
        ssize_t n = read(fd, out->data + before, PIECE);
        if (n < 0 && errno == EINTR) {
            n = 0;
        } else if (n <= 0) {
            g_byte_array_set_size(out, before);
            return n == 0 || ww_fail(error, WW_ERROR_INPUT, "%s: cannot be read (%s); expected %s",
                                     path, g_strerror(errno), limits->expected);
        }
        g_byte_array_set_size(out, before + (guint)n);
        if (memchr(out->data + before, '\0', (size_t)n) != NULL) {
            return true; /* no text: ww_check_text() says where */
        }
        if (out->len > limits->bytes) {
            return ww_fail(error, WW_ERROR_INPUT, "%s: more than %u bytes; expected %s", path,
                           limits->bytes, limits->expected);
        }
    }
}

bool ww_begins_with_mark(const void *text, size_t n)
{
    return (n >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) ||
           (n >= 2 && (memcmp(text, "\xFF\xFE", 2) == 0 || memcmp(text, "\xFE\xFF", 2) == 0));
}

bool ww_check_text(const char *name, const char *text, size_t length, const WwTextLimits *limits,
                   GError **error)
{
    if (ww_begins_with_mark(text, length)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s:1: begins with a byte order mark; expected plain text without", name);
    }
    const char *end = text + length, *line = text, *bad = end;
    bool valid = g_utf8_validate(text, (gssize)length, &bad);
    uint32_t number = 1;
    for (const char *p = text; p < bad; p++) {
        unsigned char c = (unsigned char)*p;
        if ((c < ' ' && c != '\n' && c != '\t' && c != '\r') || c == 0x7f) {
            bad = p;
            valid = false;
            break;
        }
        if (limits->line != 0 && (size_t)(p - line) > limits->line) {
            return ww_fail(error, WW_ERROR_INPUT, "%s:%u: line of more than %u bytes; expected %s",
                           name, number, limits->line, limits->expected);
        }
        if (c == '\n') {
            number++;
            line = p + 1;
        }
    }
    return valid || ww_fail(error, WW_ERROR_INPUT, "%s:%u:%zu: byte 0x%02x is no text; expected %s",
                            name, number, (size_t)(bad - line) + 1, (unsigned)(unsigned char)*bad,
                            limits->expected);
}

bool ww_read_text(const char *path, const WwTextLimits *limits, char **text, size_t *length,
                  GError **error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return ww_fail(error, WW_ERROR_INPUT, "%s: cannot be read (%s); expected %s", path,
                       g_strerror(errno), limits->expected);
    }
    GByteArray *all = g_byte_array_new();
    bool ok = read_all(path, fd, limits, all, error) &&
              ww_check_text(path, (const char *)all->data, all->len, limits, error);
    close(fd);
    if (!ok) {
        g_byte_array_unref(all);
        return false;
    }
    *length = all->len;
    g_byte_array_append(all, (const guint8 *)"", 1);
    *text = (char *)g_byte_array_free(all, false);
    return true;
}
