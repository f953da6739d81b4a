/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file: one frame of zstd with a check sum. In it, numbers of 8 bytes as the machine has them:
 *
 *     magic | seed | cycle | facts: number, each length and text
 *     heaps: number, each address | end | changed pages: page, which words, words ... | end mark
 */
#include "checkpoint-priv.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <warpwright/output.h>
#include <zstd.h>

#define CHUNK (128u << 10)

/* ---- writing ---------------------------------------------------------------------------------------------------- */

typedef struct Writer {
    FILE *out;
    ZSTD_CStream *zst;
    bool failed; /* the file system tells when the file is kept */
    uint8_t chunk[CHUNK];
} Writer;

static void put_all(Writer *w, const void *data, size_t size, ZSTD_EndDirective end)
{
    ZSTD_inBuffer in = {data, size, 0};
    size_t left;
    do {
        ZSTD_outBuffer o = {w->chunk, sizeof w->chunk, 0};
        left = ZSTD_compressStream2(w->zst, &o, &in, end);
        if (ZSTD_isError(left)) {
            w->failed = true;
            return;
        }
        fwrite(w->chunk, 1, o.pos, w->out);
    } while (end == ZSTD_e_end ? left != 0 : in.pos < in.size);
}

static void put(Writer *w, const void *data, size_t size)
{
    put_all(w, data, size, ZSTD_e_continue);
}

static void put_number(Writer *w, uint64_t n)
{
    put(w, &n, sizeof n);
}

static void put_heap(Writer *w, const WwHeap *heap, const WwHeapImage *image, WwHeapChange *change)
{
    uint64_t page = 0;
    put_number(w, (uintptr_t)heap);
    put_number(w, ww_heap_end(heap));
    while (ww_heap_change(heap, image, &page, change)) {
        put_number(w, change->page);
        put(w, change->which, sizeof change->which);
        put(w, change->word, change->n * sizeof change->word[0]);
    }
    put_number(w, WW_CHECKPOINT_END);
}

static void put_checkpoint(Writer *w, const WwCheckpoint *c, WwCheckpointHead head)
{
    g_autofree WwHeapChange *change = g_new(WwHeapChange, 1);
    put(w, WW_CHECKPOINT_MAGIC, 8);
    put_number(w, head.seed);
    put_number(w, head.cycle);
    put_number(w, c->facts->len);
    for (guint i = 0; i < c->facts->len; i++) {
        const char *fact = c->facts->pdata[i];
        put_number(w, strlen(fact));
        put(w, fact, strlen(fact));
    }
    put_number(w, c->n);
    for (uint32_t i = 0; i < c->n; i++) {
        put_heap(w, c->heap[i], c->image[i], change);
    }
    put_all(w, NULL, 0, ZSTD_e_end);
}

bool ww_checkpoint_write(WwCheckpoint *c, const char *path, WwCheckpointHead head, GError **error)
{
    WwOutput *output = ww_output_new(path, error);
    if (output == NULL) {
        return g_prefix_error(error, "cannot write the checkpoint "), false;
    }
    g_autofree Writer *w = g_new0(Writer, 1);
    w->out = ww_output_file(output);
    w->zst = ZSTD_createCStream();
    w->failed = w->zst == NULL ||
                ZSTD_isError(ZSTD_CCtx_setParameter(w->zst, ZSTD_c_compressionLevel, 1)) ||
                ZSTD_isError(ZSTD_CCtx_setParameter(w->zst, ZSTD_c_checksumFlag, 1));
    if (!w->failed) {
        put_checkpoint(w, c, head);
    }
    ZSTD_freeCStream(w->zst);
    if (w->failed) {
        ww_output_drop(output);
        return ww_fail(error, WW_ERROR_SYSTEM, "cannot write the checkpoint %s: zstd failed", path);
    }
    return ww_output_keep(output, "cannot write the checkpoint ", error);
}

/* ---- reading ---------------------------------------------------------------------------------------------------- */

typedef struct Reader {
    const char *path;
    FILE *in;
    ZSTD_DStream *zst;
    ZSTD_inBuffer have;
    bool over;    /* the frame is */
    bool has_sum; /* behind it, as its head says */
    uint8_t chunk[CHUNK];
} Reader;

static bool bad(const Reader *r, const char *what, GError **error)
{
    return ww_fail(error, WW_ERROR_INPUT, "%s: %s; expected a complete checkpoint", r->path, what);
}

static bool open_reader(Reader *r, const char *path, GError **error)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO does not stop us here */
    r->path = path;
    r->in = fd >= 0 ? fdopen(fd, "r") : NULL;
    if (r->in == NULL || fstat(fd, &st) != 0) {
        ww_fail(error, WW_ERROR_INPUT, "%s: cannot open: %s; expected a checkpoint", path,
                g_strerror(errno));
        if (fd >= 0 && r->in == NULL) {
            close(fd);
        }
        return false;
    }
    r->zst = ZSTD_createDStream();
    return S_ISREG(st.st_mode) ? r->zst != NULL || bad(r, "cannot start the zstd decoder", error)
                               : bad(r, "is no file", error);
}

static void close_reader(Reader *r)
{
    if (r->in != NULL) {
        fclose(r->in);
    }
    ZSTD_freeDStream(r->zst);
}

static bool get(Reader *r, void *to, size_t size, GError **error)
{
    ZSTD_outBuffer out = {to, size, 0};
    while (out.pos < size) {
        if (r->have.pos == r->have.size && !r->over) {
            r->have = (ZSTD_inBuffer){r->chunk, fread(r->chunk, 1, CHUNK, r->in), 0};
            if (r->have.size == 0) {
                return bad(r, ferror(r->in) ? "cannot be read" : "is cut off", error);
            }
        }
        if (r->over) {
            return bad(r, "ends too early", error);
        }
        size_t left = ZSTD_decompressStream(r->zst, &out, &r->have);
        if (ZSTD_isError(left)) {
            return bad(r, "is not zstd data, or damaged", error);
        }
        r->over = left == 0;
    }
    return true;
}

static bool get_number(Reader *r, uint64_t *n, GError **error)
{
    return get(r, n, sizeof *n, error);
}

static bool get_head(Reader *r, WwCheckpointHead *head, GError **error)
{
    char magic[8];
    if (!get(r, magic, sizeof magic, error)) {
        return false;
    }
    r->has_sum = (r->chunk[4] >> 2 & 1u) != 0; /* RFC 8878, Frame_Header_Descriptor */
    if (memcmp(magic, WW_CHECKPOINT_MAGIC, 6) != 0) {
        return bad(r, "is no checkpoint", error);
    }
    if (memcmp(magic, WW_CHECKPOINT_MAGIC, 8) != 0) {
        return ww_fail(
            error, WW_ERROR_INPUT,
            "%s: a checkpoint in format %.2s; expected format %s, which this program reads",
            r->path, magic + 6, &WW_CHECKPOINT_MAGIC[6]);
    }
    return get_number(r, &head->seed, error) && get_number(r, &head->cycle, error);
}

/* The facts of the file, "name\tvalue" each, as in WwCheckpoint. */
static bool get_facts(Reader *r, GPtrArray *facts, GError **error)
{
    uint64_t n, length, left = WW_CHECKPOINT_TEXTS;
    g_autofree char *text = g_malloc(WW_CHECKPOINT_TEXT);
    if (!get_number(r, &n, error)) {
        return false;
    }
    if (n > WW_CHECKPOINT_FACTS) {
        return bad(r, "says more than 1,048,576 facts", error);
    }
    for (uint64_t i = 0; i < n; i++) {
        if (!get_number(r, &length, error)) {
            return false;
        }
        if (length >= WW_CHECKPOINT_TEXT) {
            return bad(r, "is damaged", error);
        }
        if (length > left) {
            return bad(r, "has facts of more than 64 MiB", error);
        }
        left -= length;
        if (!get(r, text, length, error)) {
            return false;
        }
        text[length] = '\0';
        if (strlen(text) != length || strchr(text, '\t') == NULL) {
            return bad(r, "is damaged", error);
        }
        g_ptr_array_add(facts, g_strdup(text));
    }
    return true;
}

/* What must be the same in both (facts.c). */
static bool same_facts(Reader *r, const WwCheckpoint *c, GError **error)
{
    g_autoptr(GPtrArray) facts = g_ptr_array_new_with_free_func(g_free);
    return get_facts(r, facts, error) && checkpoint_compare(r->path, facts, c->facts, error);
}

/* With @p apply, words go into the heap. */
static bool get_heap(Reader *r, WwHeap *heap, bool apply, WwHeapChange *change, GError **error)
{
    uint64_t at, end;
    if (!get_number(r, &at, error) || !get_number(r, &end, error)) {
        return false;
    }
    if (at != (uintptr_t)heap) {
        return bad(r, "needs addresses that are taken in this process", error);
    }
    if (end % WW_HEAP_PAGE != 0 || end < ww_heap_end(heap) ||
        (apply && !ww_heap_extend(heap, end))) {
        return bad(r, "needs memory that cannot be had", error);
    }
    for (uint64_t next = 0;; next = change->page + 1) { /* pages come once each, in order */
        if (!get_number(r, &change->page, error)) {
            return false;
        }
        if (change->page == WW_CHECKPOINT_END) {
            return true;
        }
        if (change->page < next) {
            return bad(r, "is damaged", error);
        }
        if (!get(r, change->which, sizeof change->which, error)) {
            return false;
        }
        change->n = 0;
        for (uint32_t i = 0; i < G_N_ELEMENTS(change->which); i++) {
            change->n += (uint32_t)__builtin_popcountll(change->which[i]);
        }
        if (!get(r, change->word, change->n * sizeof change->word[0], error)) {
            return false;
        }
        if (change->page >= end / WW_HEAP_PAGE || (apply && !ww_heap_apply(heap, change))) {
            return bad(r, "is damaged", error);
        }
    }
}

/* From the begin of the file to its end. */
static bool pass(Reader *r, const WwCheckpoint *c, WwCheckpointHead known, bool apply,
                 GError **error)
{
    g_autofree WwHeapChange *change = g_new(WwHeapChange, 1);
    WwCheckpointHead head;
    uint64_t n = 0;
    bool good = get_head(r, &head, error) && (r->has_sum || bad(r, "has no check sum", error)) &&
                ((head.seed == known.seed && head.cycle == known.cycle) ||
                 bad(r, "is another one than a moment ago", error)) &&
                same_facts(r, c, error) && get_number(r, &n, error) &&
                (n == c->n || bad(r, "is damaged", error));
    for (uint32_t i = 0; good && i < c->n; i++) {
        good = get_heap(r, c->heap[i], apply, change, error);
    }
    uint8_t more;
    while (good && !r->over) { /* the check sum comes last */
        ZSTD_outBuffer out = {&more, 1, 0};
        if (r->have.pos == r->have.size) {
            r->have = (ZSTD_inBuffer){r->chunk, fread(r->chunk, 1, CHUNK, r->in), 0};
        }
        size_t left = r->have.size == 0 ? 1 : ZSTD_decompressStream(r->zst, &out, &r->have);
        if (r->have.size == 0 || ZSTD_isError(left) || out.pos != 0) {
            good = bad(r, "is cut off or damaged", error);
        }
        r->over = left == 0;
    }
    return good && ((r->have.pos == r->have.size && fgetc(r->in) == EOF) ||
                    bad(r, "has something behind its end", error));
}

static bool again(Reader *r, GError **error)
{
    r->have = (ZSTD_inBuffer){0};
    r->over = false;
    ZSTD_DCtx_reset(r->zst, ZSTD_reset_session_only);
    return fseek(r->in, 0, SEEK_SET) == 0 || bad(r, "cannot be read again", error);
}

bool ww_checkpoint_read(WwCheckpoint *c, const char *path, WwCheckpointHead head, GError **error)
{
    g_autofree Reader *r = g_new0(Reader, 1);
    bool good = open_reader(r, path, error) && pass(r, c, head, false, error) && again(r, error) &&
                pass(r, c, head, true, error);
    close_reader(r);
    return good;
}

bool ww_checkpoint_head(const char *path, WwCheckpointHead *head, GError **error)
{
    g_autofree Reader *r = g_new0(Reader, 1);
    bool good = open_reader(r, path, error) && get_head(r, head, error);
    close_reader(r);
    return good;
}
