/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The file of a pack: head, segments, index, tail. Opening it reads the tail and the index, and nothing else.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <lzma.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>
#include <zstd_errors.h>

/** What is the process's own. */
typedef struct File {
    int fd;
    ZSTD_DCtx *zst;
    uint8_t *packed; /**< Room for a compressed segment. */
    uint32_t n_packed;
} File;

static bool wrong(const WwPack *p, uint64_t at, const char *what, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: byte %" G_GUINT64_FORMAT ": %s; expected what 'trace pack' wrote", p->path,
                   at, what);
}

static bool read_at(const WwPack *p, uint64_t at, void *out, size_t size, GError **error)
{
    const File *f = ww_heap_held(p->heap, p->file);
    for (size_t done = 0; done < size;) {
        ssize_t n = pread(f->fd, (char *)out + done, size - done, (off_t)(at + done));
        if (n > 0) {
            done += (size_t)n;
        } else if (n == 0 || errno != EINTR) {
            return wrong(p, at + done, n == 0 ? "the file ends" : g_strerror(errno), error);
        }
    }
    return true;
}

static bool open_file(WwPack *p, GError **error)
{
    struct stat st;
    int fd = open(p->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot open: %s; expected a trace pack", p->path,
                fd < 0 ? g_strerror(errno) : "no file");
        if (fd >= 0) {
            close(fd);
        }
        return false;
    }
    File *f = g_new0(File, 1);
    f->fd = fd;
    f->zst = ZSTD_createDCtx();
    p->bytes = (uint64_t)st.st_size;
    p->file = ww_heap_hold(p->heap, f);
    return true;
}

bool ww_pack_is(const char *path)
{
    char head[8] = {0};
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        return false;
    }
    bool is = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && read(fd, head, 8) == 8 &&
              memcmp(head, WW_PACK_MAGIC, 8) == 0;
    close(fd);
    return is;
}

void ww_pack_close(WwPack *p)
{
    File *f = p != NULL ? ww_heap_held(p->heap, p->file) : NULL;
    if (f != NULL) {
        close(f->fd);
        ZSTD_freeDCtx(f->zst);
        g_free(f->packed);
        g_free(f);
        ww_heap_let_go(p->heap, p->file);
        p->file = 0;
    }
}

/** Why a frame is none. */
static const char *reason(size_t code)
{
    return ZSTD_getErrorCode(code) == ZSTD_error_checksum_wrong ? "wrong checksum"
                                                                : "damaged zstd data";
}

static bool decompress(WwPack *p, uint64_t at, uint32_t size, uint32_t bytes, uint8_t *out,
                       const char *dictionary, size_t n_dictionary, GError **error)
{
    File *f = ww_heap_held(p->heap, p->file);
    if (size > f->n_packed) {
        g_free(f->packed);
        f->packed = g_malloc(size);
        f->n_packed = size;
    }
    if (!read_at(p, at, f->packed, size, error)) {
        return false;
    }
    if (ZSTD_getFrameContentSize(f->packed, size) != bytes ||
        ZSTD_findFrameCompressedSize(f->packed, size) != size) {
        return wrong(p, at, "a piece of another length", error);
    }
    size_t n =
        ZSTD_decompress_usingDict(f->zst, out, bytes, f->packed, size, dictionary, n_dictionary);
    return n == bytes ||
           wrong(p, at, ZSTD_isError(n) ? reason(n) : "a piece of another length", error);
}

bool ww_pack_bytes(WwPack *p, uint64_t at, uint32_t size, uint32_t bytes, uint8_t *out,
                   GError **error)
{
    return decompress(p, at, size, bytes, out, NULL, 0, error);
}

/* ---- index ----------------------------------------------------------------------------------------------------------- */

typedef struct Index {
    WwPack *pack;
    WwPackBytes in;
    uint64_t at;       /**< Of the next segment. */
    uint64_t segments; /**< Where they end. */
    uint64_t room;     /**< Memory that it may still take. */
} Index;

/** Fewest bytes of a code and of a kernel. */
enum { CODE_BYTES = 10, KERNEL_BYTES = 17 };

/** A count of things that have @p bytes bytes or more each in the index, and become @p size in memory. */
static uint32_t get_count(Index *x, uint64_t most, uint32_t bytes, uint64_t size)
{
    uint64_t n = ww_get_number(&x->in);
    if (n > most || n > (uint64_t)(x->in.end - x->in.p) / bytes ||
        !ww_pack_afford(&x->room, (n + 1) * size)) {
        x->in.bad = true;
        return 0;
    }
    return (uint32_t)n;
}

/** Text without NULs; its length into @p n. */
static char *get_text(Index *x, uint32_t *n)
{
    *n = get_count(x, WW_PACK_INDEX, 1, 1);
    char *text = ww_heap_text(x->pack->heap, (const char *)x->in.p, *n);
    x->in.bad |= memchr(text, '\0', *n) != NULL;
    x->in.p += *n;
    return text;
}

/** Line by line: 0, as in the header before; else its length + 1, and the line. */
static void get_header(Index *x, const WwPackKernel *before, WwPackKernel *k)
{
    g_autoptr(GString) text = g_string_new(NULL);
    const char *old = before != NULL ? before->header : "";
    for (uint32_t n = get_count(x, WW_TRACE_MAX_HEADER, 1, 1); n > 0 && !x->in.bad; n--) {
        uint32_t length = (uint32_t)strcspn(old, "\n");
        length += old[length] == '\n';
        uint64_t size = ww_get_number(&x->in);
        bool there = size == 0 || size - 1 <= (uint64_t)(x->in.end - x->in.p);
        if (!there || !ww_pack_afford(&x->room, size == 0 ? length : size)) {
            x->in.bad = true;
        } else if (size == 0) {
            g_string_append_len(text, old, length);
        } else {
            g_string_append_len(text, (const char *)x->in.p, (gssize)(size - 1));
            x->in.p += size - 1;
        }
        old += length;
    }
    k->n_header = (uint32_t)text->len;
    k->header = ww_heap_text(x->pack->heap, text->str, text->len);
    x->in.bad |= memchr(text->str, '\0', text->len) != NULL;
}

static void get_segments(Index *x, WwPackKernel *k)
{
    k->n_segments = get_count(x, MIN((x->segments - x->at) / WW_PACK_FRAME, UINT32_MAX), 3,
                              sizeof(WwPackSegment));
    k->segments = WW_HEAP_NEW(x->pack->heap, WwPackSegment, k->n_segments + UINT64_C(1));
    uint64_t ctas = 0;
    for (uint32_t i = 0; i < k->n_segments && !x->in.bad; i++) {
        WwPackSegment *s = &k->segments[i];
        uint64_t size = ww_get_number(&x->in), bytes = ww_get_number(&x->in);
        uint64_t n = ww_get_number(&x->in);
        if (size > x->segments - x->at || bytes > WW_PACK_MOST || size > 2 * WW_PACK_MOST ||
            n >> 1 > k->ctas - ctas) {
            x->in.bad = true;
            return;
        }
        *s = (WwPackSegment){.at = x->at,
                             .size = (uint32_t)size,
                             .bytes = (uint32_t)bytes,
                             .first_cta = ctas,
                             .fresh = n & 1};
        x->at += size;
        ctas += n >> 1;
    }
    x->in.bad |= ctas != k->ctas;
}

/** Of a file in any folder, and not of the list. */
static bool is_name(const char *name)
{
    return *name != '\0' && strlen(name) < 256 && strchr(name, '/') == NULL &&
           strcmp(name, ".") != 0 && strcmp(name, "..") != 0 && strcmp(name, "kernelslist.g") != 0;
}

static void get_kernel(Index *x, const WwPackKernel *before, WwPackKernel *k)
{
    uint32_t n, *style = (uint32_t *)(void *)&k->style;
    k->name = get_text(x, &n);
    uint64_t flags = ww_get_number(&x->in);
    k->exact = flags & 1;
    get_header(x, before, k);
    uint64_t code = ww_get_number(&x->in);
    k->code = (uint32_t)code;
    x->in.bad |= code >= x->pack->n_codes || !is_name(k->name);
    for (uint32_t i = 0; i < WW_PACK_STYLE_N; i++) {
        uint64_t value = ww_get_number(&x->in);
        x->in.bad |= value > WW_PACK_BLANKS;
        style[i] = (uint32_t)value;
    }
    x->in.bad |= k->style.pc_digits > 16 || k->style.line_blank > 1 || k->style.empty_blank > 1 ||
                 k->style.no_imm > 1;
    k->ctas = ww_get_number(&x->in);
    if (!x->in.bad) {
        get_segments(x, k);
    }
}

static void get_list(Index *x)
{
    WwPack *p = x->pack;
    uint32_t n;
    p->list = get_text(x, &n);
    p->n_kernels = get_count(x, WW_TRACE_MAX_COMMANDS, KERNEL_BYTES, sizeof(WwPackKernel));
    p->n_entries = get_count(x, WW_TRACE_MAX_COMMANDS, 1, sizeof(uint32_t));
    p->entries = WW_HEAP_NEW(p->heap, uint32_t, p->n_entries + UINT64_C(1));
    for (uint32_t i = 0; i < p->n_entries; i++) {
        uint64_t kernel = ww_get_number(&x->in);
        x->in.bad |= kernel >= p->n_kernels;
        p->entries[i] = (uint32_t)kernel;
    }
    x->in.bad |= p->n_entries == 0;
}

static bool get_index(Index *x)
{
    WwPack *p = x->pack;
    get_list(x);
    p->n_codes = get_count(x, WW_TRACE_MAX_COMMANDS, CODE_BYTES, sizeof(WwPackCodes));
    p->codes = WW_HEAP_NEW(p->heap, WwPackCodes, p->n_codes + UINT64_C(1));
    for (uint32_t i = 0; i < p->n_codes && !x->in.bad; i++) {
        p->codes[i].code = ww_pack_get_code(p->heap, &x->in, &x->room, &p->codes[i].n);
        x->in.bad |= p->codes[i].code == NULL;
    }
    p->kernels = WW_HEAP_NEW(p->heap, WwPackKernel, p->n_kernels + UINT64_C(1));
    for (uint32_t i = 0; i < p->n_kernels && !x->in.bad; i++) {
        get_kernel(x, i > 0 ? &p->kernels[i - 1] : NULL, &p->kernels[i]);
    }
    return !x->in.bad && x->in.p == x->in.end && x->at == x->segments;
}

static uint64_t get_le(const uint8_t *p, uint32_t n)
{
    uint64_t value = 0;
    for (uint32_t i = n; i-- > 0;) {
        value = value << 8 | p[i];
    }
    return value;
}

/** Does so much fit into so few bytes, as 'trace pack' writes them? */
static bool is_likely(uint64_t bytes, uint64_t size)
{
    return bytes <= WW_PACK_INDEX && bytes <= WW_PACK_INDEX_SMALL + WW_PACK_INDEX_RATIO * size;
}

bool ww_pack_index(WwPack *p, const uint8_t *raw, uint64_t bytes, uint64_t at, uint64_t size,
                   GError **error)
{
    Index x = {.pack = p,
               .in = {.p = raw, .end = raw != NULL ? raw + bytes : NULL},
               .at = WW_PACK_HEAD,
               .segments = at,
               .room = WW_PACK_ROOM + WW_PACK_ROOM_RATIO * size};
    bool likely = is_likely(bytes, size);
    if (likely && get_index(&x)) {
        return true;
    }
    if (likely && x.room != 0) {
        return wrong(p, at, "an index that makes no sense", error);
    }
    return ww_fail(error, WW_ERROR_INPUT,
                   "%s: byte %" G_GUINT64_FORMAT ": an index of %" G_GUINT64_FORMAT
                   " bytes that says more than so few can; expected at most %u MiB unpacked and "
                   "%u in memory, and %u and %u bytes for each of its bytes",
                   p->path, at, size, WW_PACK_INDEX_SMALL >> 20, WW_PACK_ROOM >> 20,
                   WW_PACK_INDEX_RATIO, WW_PACK_ROOM_RATIO);
}

static bool read_index(WwPack *p, uint64_t at, uint32_t size, uint32_t bytes, GError **error)
{
    if (!is_likely(bytes, size)) {
        return ww_pack_index(p, NULL, bytes, at, size, error);
    }
    g_autofree uint8_t *raw = g_try_malloc(MAX(bytes, 1));
    if (raw == NULL) {
        return wrong(p, at, "an index that does not fit into memory", error);
    }
    return decompress(p, at, size, bytes, raw, ww_pack_dictionary, ww_pack_dictionary_size,
                      error) &&
           ww_pack_index(p, raw, bytes, at, size, error);
}

static bool read_tail(WwPack *p, GError **error)
{
    uint8_t head[WW_PACK_HEAD], tail[WW_PACK_TAIL];
    if (p->bytes < WW_PACK_HEAD + WW_PACK_TAIL) {
        return wrong(p, p->bytes, "the file ends", error);
    }
    uint64_t end = p->bytes - WW_PACK_TAIL;
    if (!read_at(p, 0, head, sizeof head, error) || !read_at(p, end, tail, sizeof tail, error)) {
        return false;
    }
    if (get_le(head + 8, 4) != WW_PACK_VERSION) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: byte 8: trace pack of version %u; expected version %u", p->path,
                       (uint32_t)get_le(head + 8, 4), WW_PACK_VERSION);
    }
    if (memcmp(tail + 32, WW_PACK_END, 8) != 0) {
        return wrong(p, end, "the file is cut off", error);
    }
    if (lzma_crc32(tail, 28, 0) != get_le(tail + 28, 4)) {
        return wrong(p, end, "wrong checksum", error);
    }
    uint64_t at = get_le(tail, 8), size = get_le(tail + 8, 8), bytes = get_le(tail + 16, 8);
    if (get_le(head + 12, 4) != 0 || at < WW_PACK_HEAD || at > end || size != end - at ||
        size > 2 * (uint64_t)WW_PACK_INDEX || bytes > WW_PACK_INDEX) {
        return wrong(p, end, "a tail that makes no sense", error);
    }
    return read_index(p, at, (uint32_t)size, (uint32_t)bytes, error);
}

WwPack *ww_pack_open(WwHeap *heap, const char *path, GError **error)
{
    WwPack *p = WW_HEAP_NEW(heap, WwPack, 1);
    p->heap = heap;
    p->path = ww_heap_text(heap, path, strlen(path));
    if (!open_file(p, error)) {
        return NULL;
    }
    if (!read_tail(p, error)) {
        ww_pack_close(p);
        return NULL;
    }
    return p;
}

bool ww_pack_check(const WwPack *p, GError **error)
{
    uint64_t end = p->bytes - WW_PACK_TAIL;
    g_autofree uint8_t *room = g_malloc(1 << 20);
    uint8_t tail[WW_PACK_TAIL];
    uint32_t sum = 0;
    for (uint64_t at = 0; at < end;) {
        size_t n = (size_t)MIN(end - at, UINT64_C(1) << 20);
        if (!read_at(p, at, room, n, error)) {
            return false;
        }
        sum = lzma_crc32(room, n, sum);
        at += n;
    }
    if (!read_at(p, end, tail, sizeof tail, error)) {
        return false;
    }
    return get_le(tail + 24, 4) == sum || wrong(p, end + 24, "wrong checksum of the file", error);
}
