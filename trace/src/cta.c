/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * CTAs: `#BEGIN_TB` ... `#END_TB` with the instruction lines of every warp, into buffers that are
 * used again.
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <string.h>

G_STATIC_ASSERT(sizeof(WwAddrBlock) == 32 && G_ALIGNOF(WwAddrBlock) == sizeof(uint64_t));
/* Words of addresses for which a trace's first CTA has room at first. */
#define FEW_ADDR_WORDS 256u
G_STATIC_ASSERT(FEW_ADDR_WORDS >= WW_MAX_ADDR_WORDS);
G_STATIC_ASSERT(WW_TRACE_MAX_THREADS / WW_WARP_SIZE <= WW_MAX_WARPS);

static bool fail_here(WwKernelReader *k, GError **error, const char *text)
{
    return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines), "%s", text);
}

/*
 * There is room for as many instructions and addresses as a CTA of the kernel needed at most so far. Where one leaves much of that, it is copied into a block of
 * its own, and the next CTA is read into the room: all that was read lies close together, whatever CTAs there are.
 */

/* @p at, with @p n items in it, becomes room for *@p cap of them, or more. */
static void *make_room(const WwCtaBuf *c, void *at, size_t n, size_t *cap, WwSpare *spare)
{
    if (spare->cap < *cap) {
        return ww_heap_resize(c->heap, at, *cap * spare->item);
    }
    void *to = spare->at;
    if (n != 0) {
        memcpy(to, at, n * spare->item);
    }
    ww_heap_give(c->heap, at);
    *cap = spare->cap;
    spare->cap = 0;
    return to;
}

static void *give_rest(const WwCtaBuf *c, void *at, size_t n, size_t *cap, WwSpare *spare,
                       size_t *most)
{
    *most = MAX(*most, n);
    if (n >= *cap - *cap / 4) {
        return at;
    }
    void *to = NULL;
    if (n != 0) {
        to = ww_heap_take(c->heap, n * spare->item);
        memcpy(to, at, n * spare->item);
    }
    if (spare->cap == 0 && *cap <= *most + *most / 4) {
        spare->at = at;
        spare->cap = *cap;
    } else {
        ww_heap_give(c->heap, at);
    }
    *cap = n;
    return to;
}

static void reserve_insts(WwCtaBuf *c, size_t n)
{
    if (c->cap_inst - c->n_inst < n) {
        c->cap_inst = MAX(MAX(c->cap_inst * 2, c->n_inst + n), c->kernel->most_inst);
        c->inst = make_room(c, c->inst, c->n_inst, &c->cap_inst, &c->trace->spare_inst);
    }
}

bool ww_grow_addr(WwCtaBuf *c)
{
    if (c->n_addr >= WW_MAX_CTA_ADDR_WORDS) {
        return false;
    }
    c->cap_addr = MAX(MAX(c->cap_addr * 2, FEW_ADDR_WORDS), c->kernel->most_addr);
    c->addr = make_room(c, c->addr, c->n_addr, &c->cap_addr, &c->trace->spare_addr);
    return true;
}

/** Where a line of a CTA may belong when it is no instruction. */
static bool is_keyword(const char *line)
{
    return line[0] == '#' || line[0] == 'w' || line[0] == 'i' || line[0] == 't';
}

/** `key = value`, decimal. */
static bool scan_setting(const char *line, const char *key, uint64_t max, uint64_t *out)
{
    size_t n = strlen(key);
    if (strncmp(line, key, n) != 0) {
        return false;
    }
    const char *p = ww_skip_blanks(line + n);
    if (*p != '=') {
        return false;
    }
    p = ww_scan_dec(ww_skip_blanks(p + 1), max, out);
    return p != NULL && *p == '\0';
}

/** One more blank line in a row; gigabytes of them fit into a small archive. */
static bool skip_blank(const WwKernelReader *k, uint32_t *n, GError **error)
{
    return ++*n <= WW_TRACE_MAX_BLANK ||
           ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                      "more than %u blank lines in a row; expected a trace", WW_TRACE_MAX_BLANK);
}

/** The next line that is not blank, or NULL at the end of the file. */
static bool next_line(WwKernelReader *k, char **line, size_t *len, GError **error)
{
    uint32_t blank = 0;
    for (;;) {
        if (G_UNLIKELY(!ww_lines_next(&k->lines, line, len, error))) {
            return false;
        }
        if (G_LIKELY(*len != 0) || *line == NULL) {
            return true;
        }
        if (!skip_blank(k, &blank, error)) {
            return false;
        }
    }
}

static bool next_nonblank(WwKernelReader *k, char **line, size_t *len, GError **error)
{
    return next_line(k, line, len, error) &&
           (*line != NULL ||
            ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                       "trace ends inside thread block %" G_GUINT64_FORMAT "; expected #END_TB",
                       k->ctas_read + 1));
}

/** `insts = n` after `warp = k`. */
static bool read_count(WwKernelReader *k, const WwCtaBuf *c, uint64_t *n, GError **error)
{
    char *line, quoted[48];
    size_t len;
    if (!next_nonblank(k, &line, &len, error)) {
        return false;
    }
    if (!scan_setting(line, "insts", WW_TRACE_MAX_CTA_INSTS, n) || *n == 0) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "bad line '%s' after 'warp = %u'; expected 'insts = n', n from 1 to %u%s",
                          ww_quote(line, quoted), c->reading, WW_TRACE_MAX_CTA_INSTS,
                          ww_lines_cut_off(&k->lines));
    }
    if (*n > WW_TRACE_MAX_CTA_INSTS - c->n_read) {
        return fail_here(k, error,
                         "too many instructions in one thread block; expected at most 268435456");
    }
    return true;
}

/** @p count instruction lines; @p before of @p n are read already. */
static bool read_lines(WwKernelReader *k, WwCtaBuf *c, uint32_t count, uint64_t before, uint64_t n,
                       GError **error)
{
    char *line;
    size_t len;
    for (uint32_t i = 0;; i++) {
        i += ww_follow(k, c, count - i);
        if (i == count) {
            return true;
        }
        if (G_UNLIKELY(!ww_lines_next(&k->lines, &line, &len, error)) ||
            G_UNLIKELY(len == 0 && line != NULL && !next_line(k, &line, &len, error))) {
            return false;
        }
        if (G_UNLIKELY(line == NULL || is_keyword(line))) {
            return ww_fail_at(
                error, k->lines.file, ww_lines_number(&k->lines),
                "warp %u %s after %" G_GUINT64_FORMAT " instructions; expected %" G_GUINT64_FORMAT,
                c->reading, line == NULL ? "is cut off (the trace ends)" : "ends", before + i, n);
        }
        if (G_UNLIKELY(!ww_decode_line(k, c, line, len, error))) {
            return false;
        }
    }
}

/** Moves the warp's instructions, the last @p n, out of the flat buffers. */
static void pack(WwCtaBuf *c, WwPacked *packed, uint32_t n, size_t n_addr)
{
    c->n_inst -= n;
    c->origin -= n;
    ww_packed_add(packed, &c->inst[c->n_inst], n, c->addr);
    c->n_addr = n_addr;
}

/** The instructions of one warp, flat or (when there are many) packed. */
bool ww_cta_read_warp(WwKernelReader *k, WwCtaBuf *c, uint32_t warp, uint64_t n, GError **error)
{
    const uint32_t threads = k->pub.threads_per_cta - WW_WARP_SIZE * warp;
    const size_t n_addr = c->n_addr;
    c->reading = warp;
    c->order[c->n_order++] = (uint8_t)warp;
    const uint32_t lanes = threads >= WW_WARP_SIZE ? UINT32_MAX : (1u << threads) - 1;
    c->lanes = lanes;
    c->exit_line = 0;
    c->first[warp] = c->origin = c->n_inst;
    if (n > WW_TRACE_FLAT_INSTS || n_addr > WW_TRACE_FLAT_ADDR) {
        c->packed[warp] = ww_packed_new(c->heap);
        c->has_packed = true;
    }
    for (uint64_t i = 0; i < n;) {
        uint32_t some = (uint32_t)MIN(n - i, 1024); /* never more than the file proves: n may lie */
        reserve_insts(c, some);
        if (!(k->pack != NULL ? ww_pack_lines(k, c, some, error)
                              : read_lines(k, c, some, i, n, error))) {
            return false;
        }
        if (c->packed[warp] != NULL) {
            pack(c, c->packed[warp], some, n_addr);
        }
        i += some;
    }
    /* what is fetched with the EXIT is dropped, as in the reference; the rest would never be fetched */
    uint64_t fetched = c->last_exit + c->last_exit % 2; /* instructions come in twos */
    if (c->exit_line != 0 && n > fetched &&
        (k->trace->options.strict || !ww_exits_mend(k, c, lanes, n))) {
        return ww_fail_at(error, k->lines.file, c->exit_line,
                          "warp %u of thread block %u,%u,%u has no lanes left after this, its "
                          "instruction %zu of %" G_GUINT64_FORMAT
                          "; expected nothing after the last EXIT",
                          warp, c->pub.id[0], c->pub.id[1], c->pub.id[2], c->last_exit, n);
    }
    c->n_read += n;
    c->n_insts[warp] = (uint32_t)n;
    return true;
}

/** Behind the words `thread block`, between any blanks; NULL: the line has others. */
static const char *behind_thread_block(const char *line)
{
    const char *p = ww_skip_blanks(line);
    if (!g_str_has_prefix(p, "thread")) {
        return NULL;
    }
    const char *word = ww_skip_blanks(p + strlen("thread"));
    bool good = word != p + strlen("thread") && g_str_has_prefix(word, "block");
    return good ? ww_skip_blanks(word + strlen("block")) : NULL;
}

/** `= x,y,z` at @p p in @p line; blanks may stand around each. */
static bool read_block_id(WwKernelReader *k, WwCtaBuf *c, const char *line, const char *p,
                          GError **error)
{
    char quoted[48];
    bool good = *p++ == '=';
    for (uint32_t i = 0; i < 3 && good; i++) {
        uint64_t n = 0;
        p = ww_scan_dec(ww_skip_blanks(p), UINT32_MAX, &n);
        p = p != NULL ? ww_skip_blanks(p) : NULL;
        good = p != NULL && *p == (i < 2 ? ',' : '\0');
        c->pub.id[i] = (uint32_t)n;
        if (good && i < 2) {
            p++;
        }
    }
    if (!good) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "bad line '%s'; expected 'thread block = x,y,z'%s",
                          ww_quote(line, quoted), ww_lines_cut_off(&k->lines));
    }
    const uint32_t *id = c->pub.id, *grid = k->pub.grid;
    return (id[0] < grid[0] && id[1] < grid[1] && id[2] < grid[2]) ||
           ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                      "thread block %u,%u,%u is not in the grid; expected less than (%u,%u,%u)",
                      id[0], id[1], id[2], grid[0], grid[1], grid[2]);
}

/** Every warp of the block must have been there, each once. */
static bool finish(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    for (uint32_t w = 0; w < c->pub.n_warps; w++) {
        if (c->n_insts[w] == 0) {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "thread block ends without warp %u; expected %u warps for %u threads",
                              w, c->pub.n_warps, k->pub.threads_per_cta);
        }
    }
    WwTrace *t = k->trace;
    c->inst = give_rest(c, c->inst, c->n_inst, &c->cap_inst, &t->spare_inst, &k->most_inst);
    c->addr = give_rest(c, c->addr, c->n_addr, &c->cap_addr, &t->spare_addr, &k->most_addr);
    for (uint32_t w = 0; w < c->pub.n_warps; w++) {
        c->warp[w] = c->packed[w] == NULL ? c->inst + c->first[w] : NULL;
    }
    c->pub.warp = c->warp;
    c->pub.packed = c->has_packed ? c->packed : NULL;
    c->pub.n_insts = c->n_insts;
    c->pub.addr = c->addr;
    return true;
}

/** Is @p line what the tracer writes before its lines are grouped: "x y z warp pc mask ...", numbers all? */
static bool is_raw(const char *line)
{
    uint64_t n;
    for (int i = 0; i < 4; i++) {
        const char *next = ww_scan_dec(line, UINT32_MAX, &n);
        if (next == NULL || *next != ' ') {
            return false;
        }
        line = next + 1;
    }
    return ww_scan_hex(line, &n) != NULL;
}

/** Is @p line @p mark, and blanks around it? */
static bool is_mark(const char *line, const char *mark)
{
    line = ww_skip_blanks(line);
    return g_str_has_prefix(line, mark) && *ww_skip_blanks(line + strlen(mark)) == '\0';
}

/** The next #BEGIN_TB; blank lines may stand before it. *@p found is false at the end of the file.
 */
static bool find_begin(WwKernelReader *k, bool *found, GError **error)
{
    char *line, quoted[48];
    size_t len;
    if (!next_line(k, &line, &len, error)) {
        return false;
    }
    *found = line != NULL;
    if (line != NULL && !is_mark(line, "#BEGIN_TB")) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "bad line '%s' between thread blocks; expected #BEGIN_TB%s",
                          ww_quote(line, quoted),
                          is_raw(line) ? ": this trace is raw, and the tracer's "
                                         "post-traces-processing makes a .traceg of it"
                                       : "");
    }
    return true;
}

static bool read_warp_line(WwKernelReader *k, WwCtaBuf *c, const char *line, GError **error)
{
    uint64_t warp;
    char quoted[48];
    if (!scan_setting(line, "warp", c->pub.n_warps - 1, &warp)) {
        return ww_fail_at(
            error, k->lines.file, ww_lines_number(&k->lines),
            "bad line '%s'; expected 'warp = k', k from 0 to %u (a block has %u threads)%s",
            ww_quote(line, quoted), c->pub.n_warps - 1, k->pub.threads_per_cta,
            ww_lines_cut_off(&k->lines));
    }
    if (c->n_insts[warp] != 0) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "warp %u stands twice in a thread block; expected each once",
                          (uint32_t)warp);
    }
    uint64_t n;
    c->reading = (uint32_t)warp;
    return read_count(k, c, &n, error) && ww_cta_read_warp(k, c, (uint32_t)warp, n, error);
}

void ww_cta_clear(WwCtaBuf *c)
{
    for (uint32_t w = 0; c->has_packed && w < WW_MAX_WARPS; w++) {
        ww_packed_free(c->packed[w]);
        c->packed[w] = NULL;
    }
    c->has_packed = false;
    ww_heap_give(c->heap, c->failure);
    c->failure = NULL;
}

void ww_cta_odd(const WwKernelReader *k, WwCtaBuf *c, WwLineEntry *e)
{
    if (e->seen_in != k->ctas_read + 1) {
        e->seen_in = k->ctas_read + 1;
        e->seen_at = c->odd.n;
        *WW_HEAP_ADD(c->heap, &c->odd) = (WwOdd){.entry = e};
    }
    c->odd.v[e->seen_at].n++;
}

static void empty(const WwKernelReader *k, WwCtaBuf *c)
{
    c->kernel = k;
    c->n_inst = c->n_addr = 0;
    c->n_read = 0;
    c->n_order = 0;
    c->odd.n = 0;
    c->stays = (WwStays){0};
    c->pub = (WwCtaTrace){.n_warps = (k->pub.threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE,
                          .priv = c};
    memset(c->n_insts, 0, sizeof c->n_insts);
}

static bool read_cta(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    char *line, quoted[48];
    const char *id;
    size_t len;
    bool found = false;
    empty(k, c);
    if (k->pack != NULL) {
        return ww_pack_cta_read(k, c, error) && finish(k, c, error);
    }
    if (!find_begin(k, &found, error)) {
        return false;
    }
    if (!found) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "trace ends after %" G_GUINT64_FORMAT
                          " thread blocks; expected %" G_GUINT64_FORMAT " as the grid says",
                          k->ctas_read, k->ctas_in_grid);
    }
    for (;;) {
        if (!next_nonblank(k, &line, &len, error)) {
            return false;
        }
        if (line[0] == 'w') {
            if (!read_warp_line(k, c, line, error)) {
                return false;
            }
        } else if (is_mark(line, "#END_TB")) {
            return finish(k, c, error);
        } else if ((id = behind_thread_block(line)) != NULL) {
            if (!read_block_id(k, c, line, id, error)) {
                return false;
            }
        } else if (k->tracer_version >= WW_TRACER_LATER && g_str_has_prefix(line, "cluster ")) {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "thread block %u,%u,%u has others in its cluster ('%s'); expected "
                              "none: no machine launches thread blocks together",
                              c->pub.id[0], c->pub.id[1], c->pub.id[2], ww_quote(line, quoted));
        } else {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "'%s' where no instruction is due; expected 'warp = k' or #END_TB%s",
                              ww_quote(line, quoted), ww_lines_cut_off(&k->lines));
        }
    }
}

static bool read_end(WwKernelReader *k, GError **error)
{
    bool found = false;
    if (k->pack != NULL) {
        return ww_pack_kernel_end(k, error);
    }
    if (!find_begin(k, &found, error)) {
        return false;
    }
    return !found || ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                                "another thread block after %" G_GUINT64_FORMAT
                                "; expected the end, as the grid says",
                                k->ctas_read);
}

void ww_cta_read(WwKernelReader *k, WwCtaBuf *c)
{
    g_autoptr(GError) error = NULL;
    bool good = read_cta(k, c, &error);
    k->ctas_read += good;
    if (!good || (k->ctas_read == k->ctas_in_grid && !read_end(k, &error))) {
        k->failed = true;
        c->failure = ww_heap_text(c->heap, error->message, strlen(error->message));
        c->failure_code = (WwErrorCode)error->code;
    }
    if (k->pack == NULL && (k->failed || k->ctas_read == k->pub.n_ctas)) {
        ww_lines_end(&k->lines); /* what it took is for the next kernel */
    }
    c->sinst = k->table.sinst;
    c->n_sinst = k->table.n;
}

void ww_cta_count_modes(const WwCtaBuf *c, uint64_t count[3])
{
    for (size_t i = 0; i < c->n_addr;) {
        const WwAddrBlock *b = (const WwAddrBlock *)(const void *)&c->addr[i];
        count[b->mode]++;
        i += WW_ADDR_WORDS + (b->shared != NULL ? 0 : b->n);
    }
}
