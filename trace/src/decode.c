/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Instruction lines: [ids] pc mask TEXT [addresses] imm.
 *
 * Nearly every line equals one that followed the line before it some time ago, and never comes here: follow.c. Of the
 * others TEXT decides the static instruction; mostly it equals what stood at this pc last time, so that a line costs
 * finding its end, reading pc and mask, one comparison, and its addresses. Everything else is the slow path: a full
 * scan, once for each distinct line (and whenever lines of one pc alternate).
 */
#include "pack-priv.h"
#include "text-priv.h"

#include <string.h>

/** Why a line was refused: field, where it stands, and what should have stood there. */
typedef struct Fault {
    const char *what;
    const char *at;
    const char *expected;
} Fault;

static const char *fault(Fault *f, const char *what, const char *at, const char *expected)
{
    *f = (Fault){what, at, expected};
    return NULL;
}

static bool fail_line(WwKernelReader *k, const Fault *f, GError **error)
{
    char quoted[48], field[48];
    const char *at = ww_skip_blanks(f->at);
    size_t n = strcspn(at, " \t");
    memset(field, 0, sizeof field);
    memcpy(field, at, MIN(n, sizeof field - 1));
    return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                      "bad %s '%s'; expected %s%s", f->what, ww_quote(field, quoted), f->expected,
                      ww_lines_cut_off(&k->lines));
}

/** The list of @p n values of one address block, decimal or hexadecimal. */
static const char *scan_values(const char *p, WwAddrBlock *b, uint32_t n, Fault *f)
{
    b->n = (uint8_t)n;
    for (uint32_t i = 0; i < n; i++) {
        const char *at = ww_skip_blanks(p);
        if (b->mode == WW_ADDR_LIST) {
            uint64_t value;
            p = ww_scan_hex_slack(at, &value);
            b->own[i] = (int64_t)value;
        } else {
            p = ww_scan_signed_slack(at, &b->own[i]);
        }
        if (p == NULL || !ww_at_field_end(p)) {
            return b->mode == WW_ADDR_LIST
                       ? fault(f, "address", at, "one hexadecimal address for each active lane")
                       : fault(f, "address delta", at,
                               "one decimal number for each active lane after the first");
        }
    }
    return p;
}

/** Mode, and the base that modes 1 and 2 have. */
static const char *scan_base(WwAddrBlock *b, const char *p, Fault *f)
{
    const char *at = ww_skip_blanks(p);
    if (G_UNLIKELY(*at < '0' || *at > '2' || !ww_at_field_end(at + 1))) {
        return fault(f, "address mode", at, "0 (list), 1 (base and stride) or 2 (base and deltas)");
    }
    b->mode = (uint8_t)(*at - '0');
    b->base = 0;
    b->shared = NULL;
    p = at + 1;
    if (b->mode != WW_ADDR_LIST) {
        at = ww_skip_blanks(p);
        p = ww_scan_hex_slack(at, &b->base);
        if (G_UNLIKELY(p == NULL || !ww_at_field_end(p))) {
            return fault(f, "base address", at, "a hexadecimal address");
        }
    }
    return p;
}

/** What follows the base: stride, deltas, or (mode 0) the addresses. */
static const char *scan_offsets(WwAddrBlock *b, const char *p, uint32_t mask, Fault *f)
{
    b->stride = 0;
    b->n = 0;
    if (b->mode == WW_ADDR_STRIDE) {
        const char *at = ww_skip_blanks(p);
        p = ww_scan_signed(at, &b->stride);
        if (p == NULL || !ww_at_field_end(p) || b->stride < INT32_MIN || b->stride > INT32_MAX) {
            return fault(f, "stride", at, "a decimal number of 32 bits");
        }
        return p;
    }
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    return scan_values(p, b, b->mode == WW_ADDR_DELTA && lanes > 0 ? lanes - 1 : lanes, f);
}

/** Mode and addresses of one execution, into the arena; *@p ref is what WwTinst.addr holds. */
static const char *scan_addresses(WwCtaBuf *c, const char *p, uint32_t mask, uint32_t *ref,
                                  Fault *f)
{
    if (!ww_reserve_addr(c)) {
        return fault(f, "address", p, "fewer addresses in one thread block");
    }
    WwAddrBlock *b = ww_next_block(c);
    if ((p = scan_base(b, p, f)) != NULL && (p = scan_offsets(b, p, mask, f)) != NULL) {
        *ref = ww_commit_block(c, b);
    }
    return p;
}

/** The immediate that ends a line: decimal, absent in old versions (0); its low 32 bits count. */
static const char *scan_imm(const char *p, int32_t *imm, Fault *f)
{
    const char *at = ww_skip_blanks(p);
    int64_t value = 0;
    *imm = 0;
    if (*at == '\0') {
        return at;
    }
    p = ww_scan_signed(at, &value);
    if (p == NULL || !ww_at_field_end(p)) {
        return fault(f, "immediate", at, "a decimal number");
    }
    *imm = (int32_t)(uint32_t)(uint64_t)value;
    p = ww_skip_blanks(p);
    return *p == '\0' ? p : fault(f, "rest of the line", p, "nothing after the immediate");
}

/** A count, then that many registers. */
static const char *scan_regs(const char *p, uint32_t max, uint8_t *n, uint16_t *regs, Fault *f)
{
    const char *at = ww_skip_blanks(p);
    uint64_t value;
    p = ww_scan_dec(at, max, &value);
    if (p == NULL || !ww_at_field_end(p)) {
        return max == 1 ? fault(f, "number of destinations", at, "0 or 1")
                        : fault(f, "number of sources", at, "0 to 4");
    }
    *n = (uint8_t)value;
    for (uint32_t i = 0; i < *n; i++) {
        at = ww_skip_blanks(p);
        p = *at == 'R' ? ww_scan_dec(at + 1, 255, &value) : NULL;
        if (p == NULL || !ww_at_field_end(p)) {
            return fault(f, "register", at, "R0 to R255");
        }
        regs[i] = (uint16_t)(value + 1);
    }
    return p;
}

static const char *scan_opcode(const char *p, char out[128], Fault *f)
{
    const char *at = ww_skip_blanks(p);
    size_t n = strcspn(at, " \t");
    bool good = n > 0 && n < 128 && g_ascii_isalpha(*at);
    for (size_t i = 0; i < n && good; i++) {
        good = g_ascii_isalnum(at[i]) || at[i] == '.' || at[i] == '_' || at[i] == '-';
    }
    if (!good) {
        return fault(f, "opcode", at, "a name such as LDG.E.64");
    }
    memcpy(out, at, n);
    out[n] = '\0';
    return at + n;
}

/** The full scan of what follows the mask, up to mem_width or (not a memory instruction) to the end
 * of the line. */
static const char *scan_text(WwSinst *s, const char *p, char opcode[128], bool *has_addr, Fault *f)
{
    uint64_t width;
    uint8_t ndst;
    if ((p = scan_regs(p, 1, &ndst, &s->dst, f)) == NULL ||
        (p = scan_opcode(p, opcode, f)) == NULL ||
        (p = scan_regs(p, WW_MAX_SRC, &s->nsrc, s->src, f)) == NULL) {
        return NULL;
    }
    s->ndst = ndst & 1u;
    const char *at = ww_skip_blanks(p);
    p = ww_scan_dec(at, 128, &width);
    if (p == NULL || !ww_at_field_end(p)) {
        return fault(f, "memory width", at, "0 to 128 bytes");
    }
    *has_addr = width != 0;
    return *has_addr ? p : scan_imm(p, &s->imm, f);
}

bool ww_fail_unknown(const WwKernelReader *k, const WwSinst *s, GError **error)
{
    return ww_fail_at(error, k->lines.file, s->line,
                      "unknown opcode '%s' (%s); expected one of its opcode map (strict)",
                      s->opcode, ww_opcode_map_name(ww_kernel_map(k)));
}

/**
 * Is @p s what the listing has at its pc? Suffixes differ between disassemblers, the names in front of them do not; of a cubin they are not
 * always known.
 */
static bool fits_listing(const WwKernelReader *k, const WwSinst *s, GError **error)
{
    const WwCode *code = k->pub.code;
    const WwCodeInst *inst = ww_code_at(code, s->pc);
    if (inst == NULL) {
        return ww_fail_at(
            error, k->lines.file, s->line,
            "%s at pc 0x%" G_GINT64_MODIFIER
            "x, where %s has no instruction of %s; expected the listing of this trace",
            s->opcode, s->pc, code->file, code->name);
    }
    size_t n = strcspn(s->opcode, ".");
    if (*inst->opcode == '\0' ||
        (strcspn(inst->opcode, ".") == n && memcmp(inst->opcode, s->opcode, n) == 0)) {
        return true;
    }
    g_autofree char *line = inst->line != 0 ? g_strdup_printf(":%u", inst->line) : g_strdup("");
    return ww_fail_at(error, k->lines.file, s->line,
                      "%s at pc 0x%" G_GINT64_MODIFIER
                      "x, where %s%s has %s; expected the listing of this trace",
                      s->opcode, s->pc, code->file, line, inst->opcode);
}

/** Decodes a line seen for the first time and remembers it. @p c: where it stands; NULL: in a pack's code. */
static WwLineEntry *learn(WwKernelReader *k, const WwCtaBuf *c, WwSinst *s, const char *text,
                          uint32_t len, bool has_addr, GError **error)
{
    bool odd = !ww_opcode_decode(ww_kernel_map(k), s->opcode, s);
    if (k->table.n >= WW_TRACE_MAX_SINSTS) {
        ww_fail_at(error, k->lines.file, s->line,
                   "kernel has more than %u different instructions; expected a trace",
                   WW_TRACE_MAX_SINSTS);
        return NULL;
    }
    if (odd && c != NULL && k->trace->options.strict) {
        ww_fail_unknown(k, s, error);
        return NULL;
    }
    if (s->op == WW_OP_STORE && (s->flags & WW_INST_ATOMIC) == 0 && s->ndst != 0) {
        if (c == NULL) {
            ww_fail_at(
                error, k->lines.file, s->line,
                "the store %s has a destination register, R%u; expected none: it would never "
                "be written",
                s->opcode, s->dst - 1u);
            return NULL;
        }
        ww_fail_at(error, k->lines.file, s->line,
                   "the store %s has a destination register, R%u (thread block %u,%u,%u, warp %u); "
                   "expected none: it would never be written",
                   s->opcode, s->dst - 1u, c->pub.id[0], c->pub.id[1], c->pub.id[2], c->reading);
        return NULL;
    }
    if (k->pub.code != NULL) {
        if (!fits_listing(k, s, error)) {
            return NULL;
        }
        s->code = ww_code_at(k->pub.code, s->pc);
    }
    WwLineEntry *e = ww_sinst_add(&k->table, s, text, len);
    e->has_addr = has_addr;
    e->odd = odd;
    e->number = k->number;
    e->exits = s->op == WW_OP_EXIT;
    e->special = has_addr || e->exits || odd;
    return e;
}

bool ww_decode_static(WwKernelReader *k, const WwPackCode *code, GError **error)
{
    WwSinst s = {.pc = code->pc, .line = code->line, .imm = code->imm};
    Fault f = {0};
    char opcode[128];
    bool has_addr = false;
    const char *p = scan_text(&s, code->text, opcode, &has_addr, &f);
    if (p == NULL) {
        return ww_fail_at(error, k->lines.file, code->line, "bad %s; expected %s", f.what,
                          f.expected);
    }
    s.opcode = opcode;
    if (p != code->text + code->n || has_addr != code->has_addr ||
        ww_sinst_find(&k->table, s.pc, code->text, code->n, s.imm) != NULL) {
        return ww_fail_at(error, k->lines.file, code->line,
                          "not one instruction of its own; expected what 'trace pack' wrote");
    }
    return learn(k, NULL, &s, code->text, code->n, has_addr, error) != NULL;
}

/** Slow path: the line's text is not the one seen last at this pc. */
static bool push_scanned(WwKernelReader *k, WwCtaBuf *c, uint64_t pc, uint32_t mask,
                         const char *text, const char *end, GError **error)
{
    WwSinst s = {.pc = pc, .line = ww_lines_number(&k->lines)};
    WwTinst t = {.mask = mask};
    Fault f = {0};
    char opcode[128];
    bool has_addr = false;
    const char *p = scan_text(&s, text, opcode, &has_addr, &f);
    uint32_t len = p != NULL ? (uint32_t)(p - text) : 0;
    if (p != NULL && has_addr && (p = scan_addresses(c, p, mask, &t.addr, &f)) != NULL) {
        p = scan_imm(p, &s.imm, &f);
    }
    if (p == NULL) {
        return fail_line(k, &f, error);
    }
    if (p != end) {
        return ww_fail_at(error, k->lines.file, ww_lines_number(&k->lines),
                          "NUL byte in the line; expected text");
    }
    s.opcode = opcode;
    WwLineEntry *e = ww_sinst_find(&k->table, pc, text, len, s.imm);
    if (e == NULL && (e = learn(k, c, &s, text, len, has_addr, error)) == NULL) {
        return false;
    }
    *ww_sinst_recent(&k->table, pc) = e;
    if (e->odd) {
        ww_cta_odd(k, c, e);
    }
    t.sinst = e->sinst;
    c->inst[c->n_inst++] = t;
    if (e->exits) {
        ww_exit_lanes(c, mask, k->lines.line);
    }
    return true;
}

static void remember(WwHeap *heap, WwAddrMemo *m, const WwAddrBlock *b, uint32_t mask,
                     const char *text, size_t len)
{
    if (len == 0 || len > WW_ADDR_MEMO_MAX) { /* nothing to read again, or too much */
        return;
    }
    if (len > m->cap) {
        m->cap = (uint32_t)MIN(2 * len, WW_ADDR_MEMO_MAX);
        m->text = ww_heap_resize(heap, m->text, m->cap + WW_LINES_SLACK);
    }
    if (m->block == NULL) {
        m->block = ww_heap_take(heap, sizeof *b + WW_WARP_SIZE * sizeof b->own[0]);
    }
    memcpy(m->text, text, len);
    memcpy(m->block, b, sizeof *b + b->n * sizeof b->own[0]);
    m->len = (uint32_t)len;
    m->mask = mask;
}

/** Is what follows the base what m remembers? */
static bool fits(const WwAddrMemo *m, const WwAddrBlock *b, uint32_t mask, const char *text,
                 size_t len)
{
    return m->len == len && ww_memo_fits(m, mask) && m->block->mode == b->mode &&
           memcmp(m->text, text, len) == 0;
}

/** The addresses of a known line, and its immediate, which must be that of @p e. False: take the
 * slow path. */
static bool push_addresses(WwKernelReader *k, WwCtaBuf *c, WwLineEntry *e, WwTinst *t,
                           const char *p, const char *end)
{
    Fault f;
    int32_t imm;
    if (!ww_reserve_addr(c)) {
        return false;
    }
    WwAddrBlock *b = ww_next_block(c);
    const char *offsets = scan_base(b, p, &f);
    if (G_UNLIKELY(offsets == NULL)) {
        return false;
    }
    size_t len = (size_t)(end - offsets);
    if (len != 0 && fits(&e->memo, b, t->mask, offsets, len)) {
        ww_memo_recall(&k->table, &e->memo, b);
    } else {
        p = scan_offsets(b, offsets, t->mask, &f);
        if (p == NULL || (p = scan_imm(p, &imm, &f)) != end || imm != e->imm) {
            return false;
        }
        if (b->mode != WW_ADDR_LIST) {
            remember(c->heap, &e->memo, b, t->mask, offsets, len);
        }
    }
    t->addr = ww_commit_block(c, b);
    return true;
}

/** The text is known. False: take the slow path. */
static bool push_known(WwKernelReader *k, WwCtaBuf *c, WwLineEntry *e, uint32_t mask, const char *p,
                       const char *end)
{
    WwTinst t = {.mask = mask, .sinst = e->sinst};
    if (e->has_addr ? !ww_at_field_end(p) || !push_addresses(k, c, e, &t, p, end) : p != end) {
        return false;
    }
    if (e->odd) {
        ww_cta_odd(k, c, e);
    }
    c->inst[c->n_inst++] = t;
    if (e->exits) {
        ww_exit_lanes(c, mask, k->lines.line);
    }
    return true;
}

/** pc and mask of a line, after the fields that are skipped. Returns the text after them. */
static const char *scan_front(WwKernelReader *k, const char *p, uint64_t *pc, uint64_t *mask,
                              Fault *f)
{
    const char *at = p = ww_skip_blanks(p);
    for (uint32_t i = 0; i < k->skip; i++) {
        p = ww_scan_dec(at, UINT64_MAX, &k->number);
        if (G_UNLIKELY(p == NULL || !ww_at_field_end(p))) {
            return fault(f, "leading number", at,
                         "block ids and warp id (tracer versions 1, 2) or a line number");
        }
        at = p = ww_skip_blanks(p);
    }
    p = ww_scan_hex(at, pc);
    if (G_UNLIKELY(p == NULL || !ww_at_field_end(p))) {
        return fault(f, "pc", at, "a hexadecimal number");
    }
    at = ww_skip_blanks(p);
    if (memcmp(at, "ffffffff ", 9) == 0) { /* at least the line's slack can be read */
        *mask = UINT32_MAX;
        return ww_skip_blanks(at + 9);
    }
    p = ww_scan_hex(at, mask);
    if (G_UNLIKELY(p == NULL || !ww_at_field_end(p) || *mask > UINT32_MAX)) {
        return fault(f, "mask", at, "a hexadecimal number of 32 bits");
    }
    return ww_skip_blanks(p);
}

/** Appends the instruction of one line; room for it is reserved. */
bool ww_decode_line(WwKernelReader *k, WwCtaBuf *c, const char *line, size_t len, GError **error)
{
    uint64_t pc, mask;
    Fault f;
    const char *text = scan_front(k, line, &pc, &mask, &f);
    if (G_UNLIKELY(text == NULL)) {
        return fail_line(k, &f, error);
    }
    const char *end = line + len;
    WwLineEntry *e = *ww_sinst_recent(&k->table, pc);
    if (G_UNLIKELY(e == NULL || e->pc != pc || (size_t)(end - text) < e->len ||
                   memcmp(text, e->text, e->len) != 0 ||
                   !push_known(k, c, e, (uint32_t)mask, text + e->len, end))) {
        if (!push_scanned(k, c, pc, (uint32_t)mask, text, end, error)) {
            return false;
        }
        e = *ww_sinst_recent(&k->table, pc);
    }
    ww_follow_learn(k, e, text);
    return true;
}
