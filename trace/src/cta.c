/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * CTAs: `#BEGIN_TB` ... `#END_TB` with the instruction lines of every warp, into buffers that are
 * used again.
 */
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

G_STATIC_ASSERT(sizeof(WwAddrBlock) == 24 && G_ALIGNOF(WwAddrBlock) == sizeof(uint64_t));
G_STATIC_ASSERT(WW_TRACE_MAX_THREADS / WW_WARP_SIZE <= WW_MAX_WARPS);

static bool fail_here(WwKernelReader *k, GError **error, const char *text)
{
    return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines), "%s", text);
}

static void reserve_insts(WwCtaBuf *c, size_t n)
{
    if (c->cap_inst - c->n_inst < n) {
        c->cap_inst = MAX(c->cap_inst * 2, c->n_inst + n);
        c->inst = g_renew(WwTinst, c->inst, c->cap_inst);
    }
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

static bool next_nonblank(WwKernelReader *k, char **line, size_t *len, GError **error)
{
    do {
        if (!ww_lines_next(&k->lines, line, len, error)) {
            return false;
        }
        if (*line == NULL) {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "trace ends inside thread block %" G_GUINT64_FORMAT
                              "; expected #END_TB",
                              k->ctas_read + 1);
        }
    } while (*len == 0);
    return true;
}

/** The instruction lines of one warp after `warp = k`. */
static bool read_warp(WwKernelReader *k, WwCtaBuf *c, uint32_t warp, GError **error)
{
    char *line, quoted[48];
    size_t len;
    uint64_t n;
    if (!next_nonblank(k, &line, &len, error)) {
        return false;
    }
    if (!scan_setting(line, "insts", WW_TRACE_MAX_CTA_INSTS, &n) || n == 0) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "bad line '%s' after 'warp = %u'; expected 'insts = n', n from 1 to %u",
                          ww_quote(line, quoted), warp, WW_TRACE_MAX_CTA_INSTS);
    }
    if (n > WW_TRACE_MAX_CTA_INSTS - c->n_inst) {
        return fail_here(k, error,
                         "too many instructions in one thread block; expected at most 268435456");
    }
    c->first[warp] = c->n_inst;
    for (uint64_t i = 0; i < n; i++) {
        if ((i & 1023) == 0) {
            reserve_insts(c, MIN(n - i, 1024)); /* never more than the file proves: n may lie */
        }
        do {
            if (G_UNLIKELY(!ww_lines_next(&k->lines, &line, &len, error))) {
                return false;
            }
        } while (len == 0 && line != NULL);
        if (G_UNLIKELY(line == NULL || is_keyword(line))) {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "warp %u %s after %" G_GUINT64_FORMAT
                              " instructions; expected %" G_GUINT64_FORMAT,
                              warp, line == NULL ? "is cut off (the trace ends)" : "ends", i, n);
        }
        if (G_UNLIKELY(!ww_decode_line(k, c, line, len, error))) {
            return false;
        }
    }
    c->n_insts[warp] = (uint32_t)n;
    return true;
}

static bool read_block_id(WwKernelReader *k, WwCtaBuf *c, const char *line, GError **error)
{
    const char *p = line + strlen("thread block");
    char quoted[48];
    p = ww_skip_blanks(p);
    bool good = *p++ == '=';
    for (uint32_t i = 0; i < 3 && good; i++) {
        uint64_t n = 0;
        p = ww_scan_dec(ww_skip_blanks(p), UINT32_MAX, &n);
        good = p != NULL && *p == (i < 2 ? ',' : '\0');
        c->pub.id[i] = (uint32_t)n;
        p += good && i < 2;
    }
    return good ||
           ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                      "bad line '%s'; expected 'thread block = x,y,z'", ww_quote(line, quoted));
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
        c->warp[w] = c->inst + c->first[w];
    }
    c->pub.warp = c->warp;
    c->pub.n_insts = c->n_insts;
    c->pub.addr = c->addr;
    k->pub.sinst = k->table.sinst;
    return true;
}

/** The next #BEGIN_TB; blank lines may stand before it. *@p found is false at the end of the file.
 */
static bool find_begin(WwKernelReader *k, bool *found, GError **error)
{
    char *line, quoted[48];
    size_t len;
    do {
        if (!ww_lines_next(&k->lines, &line, &len, error)) {
            return false;
        }
    } while (line != NULL && len == 0);
    *found = line != NULL;
    if (line != NULL && strcmp(line, "#BEGIN_TB") != 0) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "bad line '%s' between thread blocks; expected #BEGIN_TB",
                          ww_quote(line, quoted));
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
            "bad line '%s'; expected 'warp = k', k from 0 to %u (a block has %u threads)",
            ww_quote(line, quoted), c->pub.n_warps - 1, k->pub.threads_per_cta);
    }
    if (c->n_insts[warp] != 0) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "warp %u stands twice in a thread block; expected each once",
                          (uint32_t)warp);
    }
    return read_warp(k, c, (uint32_t)warp, error);
}

bool ww_cta_read(WwKernelReader *k, WwCtaBuf *c, GError **error)
{
    char *line, quoted[48];
    size_t len;
    bool found = false;
    c->n_inst = c->n_addr = 0;
    c->pub = (WwCtaTrace){.n_warps = (k->pub.threads_per_cta + WW_WARP_SIZE - 1) / WW_WARP_SIZE,
                          .priv = c};
    memset(c->n_insts, 0, sizeof c->n_insts);
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
        } else if (strcmp(line, "#END_TB") == 0) {
            return finish(k, c, error);
        } else if (g_str_has_prefix(line, "thread block")) {
            if (!read_block_id(k, c, line, error)) {
                return false;
            }
        } else {
            return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                              "'%s' where no instruction is due; expected 'warp = k' or #END_TB",
                              ww_quote(line, quoted));
        }
    }
}

bool ww_cta_read_end(WwKernelReader *k, GError **error)
{
    bool found = false;
    if (!find_begin(k, &found, error)) {
        return false;
    }
    return !found || ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                                "another thread block after %" G_GUINT64_FORMAT
                                "; expected the end, as the grid says",
                                k->ctas_read);
}

void ww_cta_count_modes(const WwCtaBuf *c, uint64_t count[3])
{
    for (size_t i = 0; i < c->n_addr;) {
        const WwAddrBlock *b = (const WwAddrBlock *)(const void *)&c->addr[i];
        count[b->mode]++;
        i += WW_ADDR_WORDS + b->n;
    }
}
