/* SPDX-License-Identifier: Apache-2.0 */
/* How much text a file unpacks to, as the file itself says: nothing is unpacked. */
#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include <trace/trace.h>

#define HEAD 32u /* bytes of it, more than any header of zstd has */
#define MOST_INDEX (64u << 20)
#define XZ_MEMORY (256u << 20)

static bool read_at(int fd, uint64_t at, void *out, size_t n)
{
    return pread(fd, out, n, (off_t)at) == (ssize_t)n;
}

/* The stream of xz that ends at *end, which is then where it begins: how long its text is. */
static bool stream_before(int fd, uint64_t *end, uint64_t *text)
{
    uint8_t footer[LZMA_STREAM_HEADER_SIZE], *raw = NULL;
    lzma_stream_flags flags;
    lzma_index *index = NULL;
    uint64_t memory = XZ_MEMORY;
    size_t at = 0;
    bool good = *end >= 2 * sizeof footer &&
                read_at(fd, *end - sizeof footer, footer, sizeof footer) &&
                lzma_stream_footer_decode(&flags, footer) == LZMA_OK &&
                flags.backward_size <= MIN(MOST_INDEX, *end - sizeof footer);
    if (good) {
        raw = g_malloc(flags.backward_size);
        good = read_at(fd, *end - sizeof footer - flags.backward_size, raw, flags.backward_size) &&
               lzma_index_buffer_decode(&index, &memory, NULL, raw, &at, flags.backward_size) ==
                   LZMA_OK;
    }
    g_free(raw);
    good = good && lzma_index_stream_size(index) <= *end;
    if (good) {
        *text += lzma_index_uncompressed_size(index);
        *end -= lzma_index_stream_size(index);
    }
    lzma_index_end(index, NULL);
    return good;
}

static uint64_t xz_text(int fd, uint64_t size)
{
    uint64_t text = 0, end = size;
    while (end != 0) {
        uint8_t last[4];
        if (end >= sizeof last && read_at(fd, end - sizeof last, last, sizeof last) &&
            memcmp(last, "\0\0\0", sizeof last) == 0) {
            end -= sizeof last; /* filled up behind a stream */
        } else if (!stream_before(fd, &end, &text)) {
            return 0;
        }
    }
    return text;
}

/* Frames behind the first are not looked at. */
static uint64_t zst_text(const uint8_t *head, size_t n)
{
    unsigned long long text = ZSTD_getFrameContentSize(head, n);
    return text == ZSTD_CONTENTSIZE_UNKNOWN || text == ZSTD_CONTENTSIZE_ERROR ? 0 : text;
}

uint64_t ww_trace_text_size(const char *path)
{
    static const uint8_t xz[] = {0xfd, '7', 'z', 'X', 'Z', 0}, zst[] = {0x28, 0xb5, 0x2f, 0xfd};
    uint8_t head[HEAD];
    struct stat st;
    int fd = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    ssize_t n = fd >= 0 ? pread(fd, head, sizeof head, 0) : 0;
    uint64_t text = 0;
    if (n >= (ssize_t)sizeof xz && memcmp(head, xz, sizeof xz) == 0) {
        text = xz_text(fd, (uint64_t)st.st_size);
    } else if (n >= (ssize_t)sizeof zst && memcmp(head, zst, sizeof zst) == 0) {
        text = zst_text(head, (size_t)n);
    } else if (n > 0 && *head == '-' && !g_str_has_suffix(path, ".tracez")) {
        text = (uint64_t)st.st_size;
    }
    if (fd >= 0) {
        close(fd);
    }
    return text;
}
