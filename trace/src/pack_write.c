/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * `trace pack`: reads a trace as a run does, and writes it as one file. Beside it the text is read once more, and compared with what `trace unpack` would
 * write: so it is known which kernels come back byte for byte.
 */
#include "pack-write-priv.h"
#include "text-priv.h"

#include <lzma.h>
#include <string.h>
#include <trace/info.h>
#include <warpwright/output.h>
#include <zstd.h>

#define LOOK (256u << 10) /* bytes of a text that are looked at for its header and style */
#define MOST_LIST (64u << 20)
#define LEVEL 19

typedef struct Packer {
    const char *path;
    WwTrace *trace;
    FILE *file, *out;
    ZSTD_CCtx *zst;
    uint64_t at; /**< Bytes written. */
    uint32_t sum;
    WwHeap *heap;
    GByteArray *list;  /**< Text. */
    GArray *entries;   /**< uint32_t: number of the kernel, of each command. */
    GPtrArray *codes;  /**< GByteArray: as it stands in the index. */
    GHashTable *named; /**< Name of a kernel trace -> number + 1. */
    GArray *kernels;   /**< WwPackKernel */
} Packer;

/** A text that is read once more. */
typedef struct Text {
    WwStream *stream;
    char *look; /**< Its first bytes, and a NUL. */
    size_t n_look, used;
    uint64_t line;
    bool differs;
    char piece[64u << 10];
} Text;

static bool write_bytes(void *user, const void *data, size_t n, GError **error)
{
    Packer *p = user;
    p->sum = lzma_crc32(data, n, p->sum);
    p->at += n;
    return fwrite(data, 1, n, p->file) == n ||
           ww_fail(error, WW_ERROR_SYSTEM, "%s: cannot write; expected room for it", p->path);
}

/* ---- the text ------------------------------------------------------------------------------------------------------ */

static bool fill(WwStream *stream, char *to, size_t most, size_t *n, const char *file,
                 GError **error)
{
    size_t got = 1;
    const char *why = NULL;
    for (*n = 0; *n < most && got != 0; *n += got) {
        if (!ww_stream_read(stream, to + *n, most - *n, &got, &why)) {
            return ww_fail(error, WW_ERROR_INPUT, "%s: cannot read: %s; expected a complete file",
                           file, why);
        }
    }
    return true;
}

/** The next @p n bytes are @p text? Only the first difference is looked for. */
static bool compare(void *user, const char *text, size_t n, GError **error)
{
    Text *t = user;
    size_t done = 0;
    while (done < n && !t->differs) {
        const char *at = t->piece;
        size_t some = MIN(t->n_look - t->used, n - done);
        if (some > 0) {
            at = t->look + t->used;
            t->used += some;
        } else if (!fill(t->stream, t->piece, MIN(sizeof t->piece, n - done), &some, "", NULL) ||
                   some == 0) {
            t->differs = true;
            break;
        }
        for (size_t i = 0; i < some && !t->differs; i++) {
            t->differs = at[i] != text[done + i];
            t->line += at[i] == '\n' && !t->differs;
        }
        done += some;
    }
    return true;
}

static uint32_t count_newlines(const char **p)
{
    uint32_t n = (uint32_t)strspn(*p, "\n");
    *p += n;
    return MIN(n, WW_PACK_BLANKS);
}

static const char *behind_line(const char *p)
{
    p = strchr(p, '\n');
    return p != NULL ? p + 1 : "";
}

/** Does this instruction line, whose pc begins at @p p, end without an immediate? */
static bool lacks_imm(const char *p)
{
    g_autofree char *line = g_strndup(p, strcspn(p, "\n"));
    g_auto(GStrv) word = g_strsplit(g_strchomp(line), " ", -1);
    uint32_t n = g_strv_length(word), at = 2; /* pc, mask */
    for (uint32_t i = 0; i < 2 && at < n; i++) {
        at += 1 + (uint32_t)MIN(strtoul(word[at], NULL, 10), 8) + (i == 0); /* opcode */
    }
    return at + 1 == n && strcmp(word[at], "0") == 0;
}

/** How the first thread block is laid out; what cannot be seen stays as it usually is. */
static WwPackStyle style_of(const char *begin, uint32_t skip)
{
    WwPackStyle s = {1, 1, 1, 1, 2, 1, 4, strstr(begin, " 0  ") != NULL, 0, 1};
    const char *p = behind_line(begin);
    s.before_id = count_newlines(&p);
    p = behind_line(p);
    s.before_warp = count_newlines(&p);
    p = behind_line(behind_line(p)); /* warp, insts */
    for (uint32_t i = 0; i < skip; i++) {
        p += strspn(p, "0123456789");
        p += *p == ' ';
    }
    size_t digits = strspn(p, "0123456789abcdef"), n = strcspn(p, "\n");
    if (p[n] == '\n' && n > 0) {
        s.pc_digits = (uint32_t)CLAMP(digits, 1, 16);
        s.line_blank = p[n - 1] == ' ';
        s.no_imm = lacks_imm(p);
    }
    const char *warp = strstr(p, "\nwarp"), *end = strstr(p, "\n#END_TB"), *q;
    if (warp != NULL) {
        for (q = warp, s.after_warp = 0; q > p && q[-1] == '\n'; q--) {
            s.after_warp++;
        }
    }
    if (end != NULL) {
        for (q = end, s.after_last = 0; q > p && q[-1] == '\n'; q--) {
            s.after_last++;
        }
        q = end + strlen("\n#END_TB");
        uint32_t between = count_newlines(&q);
        s.between = *q == '#' ? between : s.between;
    }
    s.after_warp = MIN(s.after_warp, WW_PACK_BLANKS);
    s.after_last = MIN(s.after_last, WW_PACK_BLANKS);
    return s;
}

/** Its header, and how it is laid out, into @p kernel. */
static bool look(Packer *p, Text *t, WwKernelReader *k, WwPackKernel *kernel, GError **error)
{
    t->stream = ww_stream_open_trace(k->lines.file, error);
    if (t->stream == NULL) {
        return false;
    }
    t->look = g_malloc(LOOK + 1);
    if (!fill(t->stream, t->look, LOOK, &t->n_look, k->lines.file, error)) {
        return false;
    }
    t->look[t->n_look] = '\0';
    const char *begin =
        g_str_has_prefix(t->look, "#BEGIN_TB") ? t->look : strstr(t->look, "\n#BEGIN_TB");
    if (begin == NULL) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%s: no thread block in the first %u bytes; expected a shorter header",
                       k->lines.file, LOOK);
    }
    begin += *begin == '\n';
    kernel->n_header = (uint32_t)(begin - t->look);
    kernel->header = ww_heap_text(p->heap, t->look, kernel->n_header);
    kernel->style = style_of(begin, k->skip);
    t->used = kernel->n_header;
    for (const char *q = t->look; q < begin; q++) {
        t->line += *q == '\n';
    }
    return true;
}

/** What stands behind the last thread block. */
static void look_at_end(Text *t, WwPackKernel *kernel)
{
    char rest[WW_PACK_BLANKS + 1];
    size_t n = t->n_look - t->used, more = 0;
    if (t->differs || n > WW_PACK_BLANKS) {
        t->differs = true;
        return;
    }
    memcpy(rest, t->look + t->used, n);
    t->differs = !fill(t->stream, rest + n, sizeof rest - n, &more, "", NULL);
    n += more;
    t->differs |= n > WW_PACK_BLANKS || strspn(rest, "\n") < n;
    kernel->style.at_end = (uint32_t)MIN(n, WW_PACK_BLANKS);
}

/* ---- kernels ------------------------------------------------------------------------------------------------------- */

static void add_codes(GArray *code, const WwSinstTable *table)
{
    for (uint32_t i = code->len; i < table->n; i++) {
        const WwLineEntry *e = table->entry[i];
        WwPackCode c = {.text = e->text,
                        .n = e->len,
                        .pc = e->pc,
                        .imm = e->imm,
                        .line = table->sinst[i]->line,
                        .number = e->number,
                        .has_addr = e->has_addr};
        g_array_append_val(code, c);
    }
}

/** Number of these static instructions among those of all kernels. */
static uint32_t number_of_code(Packer *p, const GArray *code)
{
    GByteArray *bytes = g_byte_array_new();
    ww_pack_put_code(bytes, (const WwPackCode *)(const void *)code->data, code->len);
    for (guint i = 0; i < p->codes->len; i++) {
        const GByteArray *other = p->codes->pdata[i];
        if (other->len == bytes->len && memcmp(other->data, bytes->data, bytes->len) == 0) {
            g_byte_array_unref(bytes);
            return i;
        }
    }
    g_ptr_array_add(p->codes, bytes);
    return p->codes->len - 1;
}

static bool pack_ctas(Packer *p, const WwKernel *pub, WwPackEncoder *e, WwPackKernel *kernel,
                      Text *t, GArray *code, GError **error)
{
    WwKernelReader *k = ww_kernel_reader(pub);
    for (uint64_t i = 0; i < pub->n_ctas; i++) {
        const WwCtaTrace *cta;
        if (!ww_trace_source.next_cta(p->trace, pub, &cta, error)) {
            return false;
        }
        add_codes(code, &k->table);
        ww_pack_model_grow(e->model, code->len);
        bool good =
            ww_pack_encode(e, cta->priv, error) &&
            (t->differs || ww_pack_text(kernel, (const WwPackCode *)(const void *)code->data, k,
                                        cta->priv, i == 0, compare, t, error));
        ww_trace_source.release_cta(p->trace, pub, cta);
        if (!good) {
            return false;
        }
    }
    look_at_end(t, kernel);
    return ww_pack_encode_end(e, error);
}

static void tell(const Packer *p, const WwPackKernel *k, const Text *t, const WwKernelReader *r,
                 uint64_t bytes)
{
    if (p->out == NULL) {
        return;
    }
    g_autofree char *size = ww_trace_grouped(bytes);
    fprintf(p->out, "%s: %s bytes", r->lines.file, size);
    if (r->tracer_version >= WW_TRACER_LATER) {
        fputs("; 'trace unpack' will say of tracer version 6 what version 5 says", p->out);
    } else if (!k->exact) {
        fprintf(p->out,
                "; line %" G_GUINT64_FORMAT " is not as tracers write it: 'trace unpack' will say "
                "the same in other words",
                t->line + 1);
    }
    fputc('\n', p->out);
}

static bool pack_kernel(Packer *p, const WwKernel *pub, const char *name, GError **error)
{
    WwKernelReader *k = ww_kernel_reader(pub);
    WwPackKernel kernel = {.name = name, .ctas = pub->n_ctas};
    g_autofree Text *t = g_new0(Text, 1);
    g_autoptr(GArray) code = g_array_new(false, true, sizeof(WwPackCode));
    WwPackEncoder e = {.zst = p->zst, .grid = pub->grid, .write = write_bytes, .user = p};
    uint64_t before = p->at;
    ww_pack_encoder_init(&e, p->heap);
    bool good = look(p, t, k, &kernel, error) && pack_ctas(p, pub, &e, &kernel, t, code, error);
    if (good) {
        kernel.exact = !t->differs;
        kernel.code = number_of_code(p, code);
        kernel.n_segments = e.segments->len;
        kernel.segments = WW_HEAP_NEW(p->heap, WwPackSegment, e.segments->len + 1);
        memcpy(kernel.segments, e.segments->data, e.segments->len * sizeof(WwPackSegment));
        g_array_append_val(p->kernels, kernel);
        tell(p, &kernel, t, k, p->at - before);
    }
    ww_pack_encoder_clear(&e);
    ww_stream_free(t->stream);
    g_free(t->look);
    return good;
}

/** Its name in the list, if no folder is in it. */
static char *name_of(const Packer *p, const WwListEntry *e)
{
    bool single;
    ww_trace_file(p->trace, &single);
    g_autofree char *name = g_path_get_basename(e->name);
    if (g_str_has_suffix(name, ".tracez")) {
        name[strlen(name) - 1] = 'g';
    } else if (single) { /* its text comes back, and that only */
        name[strlen(name) - (g_str_has_suffix(name, ".xz")    ? 3
                             : g_str_has_suffix(name, ".zst") ? 4
                                                              : 0)] = '\0';
    }
    return g_steal_pointer(&name);
}

static bool pack_entry(Packer *p, const WwListEntry *e, GError **error)
{
    g_autofree char *name = name_of(p, e);
    uint32_t number = GPOINTER_TO_UINT(g_hash_table_lookup(p->named, name));
    if (strchr(e->name, '/') != NULL) {
        return ww_fail_at(error, p->trace->list.file, e->line,
                          "'%s' is in another folder; expected kernel traces beside their list",
                          e->name);
    }
    if (number != 0) {
        number--;
        p->trace->next++;
    } else {
        WwCommand command;
        char *kept = ww_heap_text(p->heap, name, strlen(name));
        number = p->kernels->len;
        if (!ww_trace_source.next_command(p->trace, &command, error)) {
            return false;
        }
        bool good = pack_kernel(p, command.kernel, kept, error);
        ww_trace_source.close_kernel(p->trace, command.kernel);
        if (!good) {
            return false;
        }
        g_hash_table_insert(p->named, kept, GUINT_TO_POINTER(number + 1));
    }
    g_array_append_val(p->entries, number);
    return true;
}

/* ---- the index ----------------------------------------------------------------------------------------------------- */

static void put(GByteArray *to, uint64_t value)
{
    uint8_t bytes[10];
    g_byte_array_append(to, bytes, (guint)(ww_put_number(bytes, value) - bytes));
}

static void put_text(GByteArray *to, const char *text, size_t n)
{
    put(to, n);
    g_byte_array_append(to, (const guint8 *)text, (guint)n);
}

static void put_header(GByteArray *to, const WwPackKernel *before, const WwPackKernel *k)
{
    const char *old = before != NULL ? before->header : "", *p;
    uint32_t n = 0;
    for (p = k->header; *p != '\0'; n++) {
        size_t length = strcspn(p, "\n");
        p += length + (p[length] == '\n');
    }
    put(to, n);
    for (p = k->header; *p != '\0';) {
        size_t length = strcspn(p, "\n"), other = strcspn(old, "\n");
        length += p[length] == '\n';
        other += old[other] == '\n';
        if (length == other && memcmp(p, old, length) == 0) {
            put(to, 0);
        } else {
            put_text(to, p, length + 1);
            g_byte_array_set_size(to, to->len - 1);
        }
        p += length;
        old += other;
    }
}

static void put_kernel(GByteArray *to, const WwPackKernel *before, const WwPackKernel *k)
{
    const uint32_t *style = (const uint32_t *)(const void *)&k->style;
    put_text(to, k->name, strlen(k->name));
    put(to, k->exact);
    put_header(to, before, k);
    put(to, k->code);
    for (uint32_t i = 0; i < WW_PACK_STYLE_N; i++) {
        put(to, style[i]);
    }
    put(to, k->ctas);
    put(to, k->n_segments);
    for (uint32_t i = 0; i < k->n_segments; i++) {
        const WwPackSegment *s = &k->segments[i];
        put(to, s->size);
        put(to, s->bytes);
        put(to, (uint64_t)s->ctas << 1 | s->fresh);
    }
}

static GByteArray *index_of(const Packer *p)
{
    GByteArray *to = g_byte_array_new();
    put_text(to, (const char *)p->list->data, p->list->len);
    put(to, p->kernels->len);
    put(to, p->entries->len);
    for (guint i = 0; i < p->entries->len; i++) {
        put(to, g_array_index(p->entries, uint32_t, i));
    }
    put(to, p->codes->len);
    for (guint i = 0; i < p->codes->len; i++) {
        const GByteArray *code = p->codes->pdata[i];
        g_byte_array_append(to, code->data, code->len);
    }
    for (guint i = 0; i < p->kernels->len; i++) {
        const WwPackKernel *k = &g_array_index(p->kernels, WwPackKernel, i);
        put_kernel(to, i > 0 ? k - 1 : NULL, k);
    }
    return to;
}

static void put_le(uint8_t *to, uint64_t value, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        to[i] = (uint8_t)(value >> 8 * i);
    }
}

static bool write_end(Packer *p, GError **error)
{
    g_autoptr(GByteArray) index = index_of(p);
    size_t room = ZSTD_compressBound(index->len);
    g_autofree uint8_t *packed = g_malloc(room);
    uint8_t tail[WW_PACK_TAIL];
    g_autoptr(WwHeap) heap = ww_heap_new();
    WwPack read = {.heap = heap, .path = (char *)p->path};
    ZSTD_CCtx_reset(p->zst, ZSTD_reset_session_only);
    ZSTD_CCtx_loadDictionary(p->zst, ww_pack_dictionary, ww_pack_dictionary_size);
    size_t size = ZSTD_compress2(p->zst, packed, room, index->data, index->len);
    if (ZSTD_isError(size)) {
        return ww_fail(error, WW_ERROR_SYSTEM, "zstd: %s", ZSTD_getErrorName(size));
    }
    if (!ww_pack_index(&read, index->data, index->len, p->at, size, error)) {
        return false; /* nobody could read it */
    }
    put_le(tail, p->at, 8);
    put_le(tail + 8, size, 8);
    put_le(tail + 16, index->len, 8);
    if (!write_bytes(p, packed, size, error)) {
        return false;
    }
    put_le(tail + 24, p->sum, 4);
    put_le(tail + 28, lzma_crc32(tail, 28, 0), 4);
    memcpy(tail + 32, WW_PACK_END, 8);
    return write_bytes(p, tail, sizeof tail, error);
}

static bool write_head(Packer *p, GError **error)
{
    uint8_t head[WW_PACK_HEAD] = {0};
    memcpy(head, WW_PACK_MAGIC, 8);
    put_le(head + 8, WW_PACK_VERSION, 4);
    return write_bytes(p, head, sizeof head, error);
}

/* ---- all of it ----------------------------------------------------------------------------------------------------- */

/** `.tracez` holds text, which is what comes back: the list names it so. */
static void name_as_text(char *list, size_t n)
{
    static const char ending[] = ".tracez";
    for (char *at = list;
         (at = memmem(at, (size_t)(list + n - at), ending, strlen(ending))) != NULL;) {
        at += strlen(ending);
        if (at == list + n || g_ascii_isspace(*at)) {
            at[-1] = 'g';
        }
    }
}

static bool read_list(Packer *p, GError **error)
{
    bool single;
    const char *file = ww_trace_file(p->trace, &single);
    if (single) {
        return true;
    }
    WwStream *stream = ww_stream_open(file, error);
    g_autofree char *text = g_malloc(MOST_LIST);
    size_t n;
    bool good = stream != NULL && fill(stream, text, MOST_LIST, &n, file, error);
    if (good) {
        good = n < MOST_LIST ||
               ww_fail(error, WW_ERROR_INPUT, "%s: is longer than 64 MiB; expected less", file);
        name_as_text(text, n);
        g_byte_array_append(p->list, (const guint8 *)text, (guint)n);
    }
    ww_stream_free(stream);
    return good;
}

static bool pack_all(Packer *p, GError **error)
{
    if (!read_list(p, error) || !write_head(p, error)) {
        return false;
    }
    const WwListEntry *e;
    while ((e = ww_trace_peek(p->trace)) != NULL) {
        if (e->kind != WW_COMMAND_KERNEL) {
            p->trace->next++;
        } else if (!pack_entry(p, e, error)) {
            return false;
        }
    }
    return write_end(p, error);
}

static bool refuse(const WwTrace *trace, const char *file, GError **error)
{
    if (trace->pack != NULL) {
        return ww_fail(error, WW_ERROR_USAGE, "%s: is a trace pack; expected text",
                       trace->list.file);
    }
    bool same = ww_output_same(file, trace->list.file);
    for (uint32_t i = 0; i < trace->list.n && !same; i++) {
        const WwListEntry *e = &trace->list.entries[i];
        same = e->path != NULL && ww_output_same(file, e->path);
    }
    return !same ||
           ww_fail(error, WW_ERROR_USAGE, "%s: is a file of the trace; expected another one", file);
}

static void no_warning(void *user, const char *message) {}

bool ww_trace_pack(const char *path, const char *file, uint32_t level, FILE *out, GError **error)
{
    const WwTraceOptions options = {.warn = no_warning, .as_written = true};
    g_autoptr(WwTrace) trace = ww_trace_open(path, &options, error);
    if (trace == NULL || !refuse(trace, file, error)) {
        return false;
    }
    if (level > LEVEL) {
        return ww_fail(error, WW_ERROR_USAGE, "compression level %u; expected 1 to %u", level,
                       LEVEL);
    }
    WwOutput *output = ww_output_new(file, error);
    if (output == NULL) {
        g_prefix_error(error, "cannot write ");
        return false;
    }
    Packer p = {
        .path = file,
        .trace = trace,
        .file = ww_output_file(output),
        .out = out,
        .zst = ZSTD_createCCtx(),
        .heap = ww_heap_new(),
        .list = g_byte_array_new(),
        .entries = g_array_new(false, false, sizeof(uint32_t)),
        .codes = g_ptr_array_new_with_free_func((GDestroyNotify)g_byte_array_unref),
        .named = g_hash_table_new(g_str_hash, g_str_equal),
        .kernels = g_array_new(false, false, sizeof(WwPackKernel)),
    };
    ZSTD_CCtx_setParameter(p.zst, ZSTD_c_compressionLevel, level != 0 ? (int)level : LEVEL);
    ZSTD_CCtx_setParameter(p.zst, ZSTD_c_checksumFlag, 1);
    bool good = pack_all(&p, error);
    ZSTD_freeCCtx(p.zst);
    g_byte_array_unref(p.list);
    g_array_unref(p.entries);
    g_ptr_array_unref(p.codes);
    g_hash_table_unref(p.named);
    g_array_unref(p.kernels);
    ww_heap_free(p.heap);
    if (!good) {
        ww_output_drop(output);
        return false;
    }
    return ww_output_keep(output, NULL, error);
}
