/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel language: statements and kernels. docs/kernel-language.md has the grammar. */
#include "make_parse-priv.h"
#include "text-priv.h"

#include <string.h>

/* ---- statements ---------------------------------------------------------------------------- */

static bool parse_block(WwMakeParser *p, WwMakeStmt **body, GError **error);

static WwMakeStmt *new_stmt(WwMakeParser *p, WwMakeKind kind)
{
    WwMakeStmt *s = ww_make_own(p, sizeof *s);
    s->kind = kind;
    s->line = p->line;
    *p->tail = s;
    p->tail = &s->next;
    return s;
}

static bool parse_let(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_LET);
    uint32_t i = p->n_names;
    if (!ww_make_advance(p, error)) {
        return false;
    }
    while (i-- > 0 && !ww_make_is(p, p->names[i])) {
    }
    bool there = i != UINT32_MAX;
    uint32_t before = p->n_names; /* a new name is not known in its own value */
    if (there && i < p->program->n_constants) {
        return ww_make_fail(p, "a name of its own: this one is a constant", error);
    }
    s->slot = i;
    if ((there ? !ww_make_advance(p, error) : !ww_make_add_name(p, &s->slot, error)) ||
        !ww_make_need(p, "=", "'='", error)) {
        return false;
    }
    uint32_t n = p->n_names;
    p->n_names = before;
    s->from = ww_make_expr(p, error);
    p->n_names = n;
    return s->from != NULL;
}

static bool parse_if(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_IF);
    bool good = true;
    if (!ww_make_advance(p, error) || (s->from = ww_make_expr(p, error)) == NULL ||
        !parse_block(p, &s->body, error)) {
        return false;
    }
    if (!ww_make_take(p, "else", &good, error)) {
        return good;
    }
    if (!ww_make_is(p, "if")) {
        return parse_block(p, &s->other, error);
    }
    WwMakeStmt **tail = p->tail;
    p->tail = &s->other;
    good = ww_make_deeper(p, error) && parse_if(p, error);
    p->depth--;
    p->tail = tail;
    return good;
}

static bool parse_range(WwMakeParser *p, WwMakeStmt *s, GError **error)
{
    bool good = true;
    return ww_make_need(p, "in", "'in'", error) && (s->from = ww_make_expr(p, error)) != NULL &&
           ww_make_need(p, "..", "'..' between the first value and the one behind the last",
                        error) &&
           (s->to = ww_make_expr(p, error)) != NULL &&
           (!ww_make_take(p, "step", &good, error) || (s->step = ww_make_expr(p, error)) != NULL) &&
           good;
}

static bool parse_for(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_FOR);
    uint32_t n = p->n_names;
    bool good = ww_make_advance(p, error);
    if (!good || !ww_make_add_name(p, &s->slot, error)) {
        return false;
    }
    p->n_names = n; /* not known in its own range */
    const char *kept = p->names[n];
    good = parse_range(p, s, error);
    p->names[n] = kept;
    p->n_names = n + 1;
    good = good && parse_block(p, &s->body, error);
    p->n_names = n;
    return good;
}

/** `repeat N` and `unroll N` count with a variable that nobody names. */
static bool add_counter(WwMakeParser *p, uint32_t *slot, GError **error)
{
    if (p->n_names == WW_MAKE_MAX_NAMES) {
        return ww_make_fail(p, "at most 256 names at one place", error);
    }
    *slot = p->n_names;
    p->names[p->n_names++] = "";
    return true;
}

static bool parse_repeat(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_FOR);
    uint32_t n = p->n_names;
    if (!ww_make_advance(p, error) || (s->to = ww_make_expr(p, error)) == NULL ||
        !add_counter(p, &s->slot, error)) {
        return false;
    }
    s->from = ww_make_new_expr(p, WW_MAKE_NUMBER, 0);
    bool good = parse_block(p, &s->body, error);
    p->n_names = n;
    return good;
}

static bool parse_unroll(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_UNROLL);
    uint32_t n = p->n_names, line = p->line;
    uint64_t begin = p->pc;
    if (!ww_make_advance(p, error)) {
        return false;
    }
    bool named = p->token == TOK_WORD && strncmp(p->at + strspn(p->at, " \t"), "in ", 3) == 0;
    bool good = true;
    if (named) {
        good = ww_make_add_name(p, &s->slot, error) && ww_make_need(p, "in", "'in'", error);
        p->n_names -= good;
        const char *kept = good ? p->names[n] : NULL;
        good = good && ww_make_number(p, &s->first, error) &&
               ww_make_need(p, "..", "'..'", error) && ww_make_number(p, &s->last, error);
        p->names[n] = kept != NULL ? kept : p->names[n];
        p->n_names += good;
    } else {
        good = ww_make_number(p, &s->last, error) && add_counter(p, &s->slot, error);
    }
    good = good && parse_block(p, &s->body, error);
    p->n_names = n;
    s->size = p->pc - begin;
    if (!good) {
        return false;
    }
    uint64_t copies = s->last > s->first ? (uint64_t)s->last - (uint64_t)s->first : 0;
    if (copies > WW_TRACE_MAX_SINSTS || s->size * copies > WW_TRACE_MAX_SINSTS) {
        return ww_fail_at(error, p->program->file, line,
                          "more than %u different instructions; expected fewer copies",
                          WW_TRACE_MAX_SINSTS);
    }
    p->pc = begin + s->size * copies;
    return true;
}

/** Register R4, RZ or R(EXPR). */
static WwMakeExpr *parse_register(WwMakeParser *p, GError **error)
{
    WwMakeExpr *e = NULL;
    bool digits = p->token == TOK_UPPER && p->n >= 2 && p->n <= 4 && p->text[0] == 'R';
    int64_t n = 0;
    for (uint32_t i = 1; i < p->n && digits; i++) {
        digits = g_ascii_isdigit(p->text[i]);
        n = n * 10 + (p->text[i] - '0');
    }
    if (digits && n <= 255) {
        e = ww_make_new_expr(p, WW_MAKE_NUMBER, n);
    } else if (p->token == TOK_UPPER && p->n == 2 && memcmp(p->text, "RZ", 2) == 0) {
        e = ww_make_new_expr(p, WW_MAKE_NUMBER, 255);
    } else if (p->token == TOK_UPPER && p->n == 1 && *p->text == 'R') {
        bool good =
            ww_make_advance(p, error) && ww_make_need(p, "(", "'(' of R(EXPRESSION)", error);
        e = good ? ww_make_expr(p, error) : NULL;
        return e != NULL && ww_make_need(p, ")", "')'", error) ? e : NULL;
    } else {
        ww_make_fail(p, "a register: R0 to R255, RZ or R(EXPRESSION)", error);
        return NULL;
    }
    return ww_make_advance(p, error) ? e : NULL;
}

/** Is the token a register, and not an opcode? */
static bool at_register(const WwMakeParser *p)
{
    bool digits = p->token == TOK_UPPER && p->text[0] == 'R';
    for (uint32_t i = 1; i < p->n && digits; i++) {
        digits = g_ascii_isdigit(p->text[i]);
    }
    return digits || (p->token == TOK_UPPER && p->n == 2 && memcmp(p->text, "RZ", 2) == 0);
}

static bool check_opcode(WwMakeParser *p, WwMakeStmt *s, GError **error)
{
    const char *file = p->program->file;
    WwSinst inst = {0};
    char quoted[48];
    if (strlen(s->opcode) > 127) {
        return ww_fail_at(error, file, s->line, "'%s'; expected an opcode of at most 127 bytes",
                          ww_quote(s->opcode, quoted));
    }
    if (!ww_opcode_decode(p->map, s->opcode, &inst)) {
        return ww_fail_at(error, file, s->line,
                          "unknown opcode '%s' (%s); expected one of its opcode map",
                          ww_quote(s->opcode, quoted), ww_opcode_map_name(p->map));
    }
    bool access = inst.op == WW_OP_LOAD || inst.op == WW_OP_STORE;
    if (access && inst.space != WW_SPACE_NONE && s->address == NULL) {
        return ww_fail_at(error, file, s->line,
                          "%s accesses memory; expected an address, as [EXPR]", s->opcode);
    }
    if (!access && inst.space == WW_SPACE_NONE && s->address != NULL) {
        return ww_fail_at(error, file, s->line, "%s accesses no memory; expected no address",
                          s->opcode);
    }
    if (inst.op == WW_OP_STORE && (inst.flags & WW_INST_ATOMIC) == 0 && s->reg[0] != NULL) {
        return ww_fail_at(error, file, s->line, "the store %s has a destination; expected none",
                          s->opcode);
    }
    s->exits = inst.op == WW_OP_EXIT;
    s->width = s->width != 0 ? s->width : inst.signed_width != 0 ? inst.signed_width : inst.width;
    return true;
}

static bool parse_operands(WwMakeParser *p, WwMakeStmt *s, GError **error)
{
    bool good = true;
    while (good && p->token == TOK_UPPER) {
        if (s->n_src == WW_MAX_SRC) {
            return ww_make_fail(p, "at most 4 source registers", error);
        }
        if ((s->reg[1 + s->n_src] = parse_register(p, error)) == NULL) {
            return false;
        }
        s->n_src++;
        if (ww_make_take(p, ",", &good, error) && p->token != TOK_UPPER && !ww_make_is(p, "[")) {
            return ww_make_fail(p, "a register or '['", error);
        }
    }
    if (ww_make_take(p, "[", &good, error)) {
        s->address = ww_make_expr(p, error);
        good = s->address != NULL && ww_make_need(p, "]", "']' or an operator", error);
    }
    if (ww_make_take(p, "width", &good, error)) {
        uint64_t width = 0;
        good = ww_make_between(p, "width", 1, 128, &width, error);
        s->width = (uint32_t)width;
    }
    if (ww_make_take(p, "imm", &good, error)) {
        good = (s->imm = ww_make_expr(p, error)) != NULL;
    }
    return good;
}

static bool parse_inst(WwMakeParser *p, GError **error)
{
    WwMakeStmt *s = new_stmt(p, WW_MAKE_INST);
    if (at_register(p)) {
        if ((s->reg[0] = parse_register(p, error)) == NULL ||
            !ww_make_need(p, "=", "'=' and an opcode", error)) {
            return false;
        }
    }
    if (p->token != TOK_UPPER) {
        return ww_make_fail(p, "an opcode, in capitals", error);
    }
    s->opcode = ww_make_own_text(p, p->text, p->n);
    s->pc = p->pc++;
    if (p->pc > WW_TRACE_MAX_SINSTS) {
        return ww_fail_at(error, p->program->file, p->line,
                          "more than %u different instructions; expected fewer",
                          WW_TRACE_MAX_SINSTS);
    }
    return ww_make_advance(p, error) && parse_operands(p, s, error) && check_opcode(p, s, error);
}

static bool parse_statement(WwMakeParser *p, GError **error)
{
    static const struct {
        const char *word;
        bool (*parse)(WwMakeParser *p, GError **error);
    } words[] = {{"let", parse_let},
                 {"if", parse_if},
                 {"for", parse_for},
                 {"repeat", parse_repeat},
                 {"unroll", parse_unroll}};
    bool good = false, found = false;
    for (size_t i = 0; i < G_N_ELEMENTS(words) && !found; i++) {
        found = ww_make_is(p, words[i].word);
        good = found && words[i].parse(p, error);
    }
    if (!found) {
        good = p->token == TOK_UPPER
                   ? parse_inst(p, error)
                   : ww_make_fail(p, "an instruction, let, if, for, repeat, unroll or '}'", error);
    }
    return good && (p->token == TOK_LINE || ww_make_is(p, "}") ||
                    ww_make_fail(p, "the end of the line, ';' or '}'", error));
}

/** "{" statements "}" */
static bool parse_body(WwMakeParser *p, WwMakeStmt **body, GError **error)
{
    WwMakeStmt **tail = p->tail;
    uint32_t n = p->n_names;
    p->tail = body;
    bool good = ww_make_deeper(p, error) && ww_make_skip_lines(p, error);
    while (good && !ww_make_is(p, "}")) {
        good = parse_statement(p, error) && ww_make_skip_lines(p, error);
    }
    p->depth--;
    p->n_names = n;
    p->tail = tail;
    return good && ww_make_advance(p, error);
}

static bool parse_block(WwMakeParser *p, WwMakeStmt **body, GError **error)
{
    return ww_make_need(p, "{", "'{'", error) && parse_body(p, body, error);
}

/* ---- kernels ------------------------------------------------------------------------------- */

static bool parse_dim(WwMakeParser *p, uint64_t dim[3], int64_t most, GError **error)
{
    bool good = true;
    for (int i = 0; i < 3; i++) {
        if (i > 0 && !ww_make_take(p, ",", &good, error)) {
            return good;
        }
        if (!ww_make_between(p, "size", 1, most, &dim[i], error)) {
            return false;
        }
    }
    return true;
}

static bool parse_setting(WwMakeParser *p, WwMakeKernel *k, bool *found, GError **error)
{
    const struct {
        const char *word;
        uint64_t *value;
        int64_t least, most;
    } numbers[] = {{"shared", &k->shared, 0, INT32_MAX},
                   {"registers", &k->registers, 0, 1024},
                   {"version", &k->version, 1, 9999},
                   {"stream", &k->stream, 0, INT64_MAX},
                   {"shared_base", &k->shared_base, 0, INT64_MAX},
                   {"local_base", &k->local_base, 0, INT64_MAX},
                   {"lineinfo", &k->lineinfo, 0, 1}};
    *found = true;
    if (ww_make_is(p, "grid")) {
        return ww_make_advance(p, error) && parse_dim(p, k->grid, INT32_MAX, error);
    }
    if (ww_make_is(p, "block")) {
        return ww_make_advance(p, error) && parse_dim(p, k->block, WW_TRACE_MAX_THREADS, error);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        if (ww_make_is(p, numbers[i].word)) {
            return ww_make_advance(p, error) &&
                   ww_make_between(p, numbers[i].word, numbers[i].least, numbers[i].most,
                                   numbers[i].value, error);
        }
    }
    *found = false;
    return true;
}

static bool check_kernel(WwMakeParser *p, WwMakeKernel *k, GError **error)
{
    g_autoptr(GError) why = NULL;
    k->threads = k->block[0] * k->block[1] * k->block[2];
    k->warps = (k->threads + WW_WARP_SIZE - 1) / WW_WARP_SIZE;
    uint64_t plane = k->grid[0] * k->grid[1]; /* below 2^62 */
    if (k->threads > WW_TRACE_MAX_THREADS) {
        return ww_fail_at(error, p->program->file, k->line,
                          "a block has %" G_GUINT64_FORMAT " threads; expected at most %u",
                          k->threads, WW_TRACE_MAX_THREADS);
    }
    if (plane > (UINT64_C(1) << 53) / k->grid[2]) {
        return ww_fail_at(error, p->program->file, k->line,
                          "the grid has too many blocks; expected at most 2^53");
    }
    k->ctas = plane * k->grid[2];
    p->map = ww_opcodes_for(p->opcodes, (uint32_t)k->version, &why);
    return p->map != NULL || ww_fail_at(error, p->program->file, k->line, "%s", why->message);
}

static bool parse_kernel(WwMakeParser *p, GError **error)
{
    WwMakeKernel *k = ww_make_own(p, sizeof *k);
    *k = (WwMakeKernel){.line = p->line,
                        .grid = {1, 1, 1},
                        .block = {32, 1, 1},
                        .registers = 32,
                        .version = 70,
                        .shared_base = 0x7fb139000000,
                        .local_base = 0x7fb137000000};
    bool found = true;
    if (!ww_make_advance(p, error)) {
        return false;
    }
    if ((p->token != TOK_WORD && p->token != TOK_TEXT && p->token != TOK_UPPER) || p->n == 0) {
        return ww_make_fail(p, "the kernel's name", error);
    }
    k->name = ww_make_own_text(p, p->text, p->n);
    if (!ww_make_advance(p, error) || !ww_make_need(p, "{", "'{'", error)) {
        return false;
    }
    while (found) {
        if (!ww_make_skip_lines(p, error) || !parse_setting(p, k, &found, error)) {
            return false;
        }
        if (found && p->token != TOK_LINE && !ww_make_is(p, "}")) {
            return ww_make_fail(p, "the end of the line", error);
        }
    }
    if (!check_kernel(p, k, error)) {
        return false;
    }
    p->pc = 0;
    bool good = parse_body(p, &k->code, error);
    k->size = p->pc;
    const WwMakeCommand command = {.kernel = k};
    g_array_append_val(p->program->commands, command);
    return good;
}

static bool parse_memcpy(WwMakeParser *p, GError **error)
{
    WwMakeCommand c = {0};
    bool good = ww_make_advance(p, error) &&
                ww_make_between(p, "address", 0, INT64_MAX, &c.address, error) &&
                ww_make_need(p, ",", "',' and the number of bytes", error) &&
                ww_make_between(p, "bytes", 1, INT64_C(1) << 40, &c.bytes, error);
    g_array_append_val(p->program->commands, c);
    return good;
}

/** Outside of kernels: its value is known. */
static bool parse_global(WwMakeParser *p, GError **error)
{
    uint32_t slot = 0, n = p->n_names;
    int64_t value;
    if (!ww_make_advance(p, error) || !ww_make_add_name(p, &slot, error)) {
        return false;
    }
    p->n_names = n;
    const char *kept = p->names[n];
    if (!ww_make_need(p, "=", "'='", error) || !ww_make_number(p, &value, error)) {
        return false;
    }
    p->names[n] = kept;
    p->n_names = n + 1;
    p->program->constant[slot] = value;
    p->program->n_constants = n + 1;
    return true;
}

static bool parse_top(WwMakeParser *p, GError **error)
{
    if (p->program->commands->len == WW_MAKE_MAX_KERNELS) {
        return ww_make_fail(p, "at most 4096 kernels and copies", error);
    }
    bool good = ww_make_is(p, "kernel")   ? parse_kernel(p, error)
                : ww_make_is(p, "memcpy") ? parse_memcpy(p, error)
                : ww_make_is(p, "let")    ? parse_global(p, error)
                                          : ww_make_fail(p, "kernel, memcpy or let", error);
    return good && (p->token == TOK_LINE || p->token == TOK_END ||
                    ww_make_fail(p, "the end of the line", error));
}

bool ww_make_parse(WwMakeProgram *program, const char *text, WwOpcodes *opcodes, GError **error)
{
    g_autofree WwMakeParser *p = g_new0(WwMakeParser, 1);
    program->owned = g_ptr_array_new_with_free_func(g_free);
    program->commands = g_array_new(false, false, sizeof(WwMakeCommand));
    p->program = program;
    p->opcodes = opcodes;
    p->at = text;
    p->line = 1;
    WwMakeStmt *none = NULL;
    p->tail = &none;
    bool good = ww_make_advance(p, error) && ww_make_skip_lines(p, error);
    while (good && p->token != TOK_END) {
        good = parse_top(p, error) && ww_make_skip_lines(p, error);
    }
    return good &&
           (program->commands->len != 0 ||
            ww_fail_at(error, program->file, 1, "no kernel; expected 'kernel NAME { ... }'"));
}

void ww_make_clear(WwMakeProgram *program)
{
    if (program->owned != NULL) {
        g_ptr_array_unref(program->owned);
        g_array_unref(program->commands);
    }
}
