/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The text of `cuobjdump -sass` and of `nvdisasm -hex`: an instruction has two lines, the second with the upper half of its bits.
 *
 *         /\*0010*\/         @!P0 IMAD R2, R3, c[0x0][0x160], R4 ;        /\* 0x0000580003028a24 *\/
 *                                                                       /\* 0x001fe200078e0204 *\/
 *
 * nvdisasm prints labels, too, and names them as targets: they become the pc that they stand for.
 */
#include "listing-priv.h"
#include "names-priv.h"
#include "text-priv.h"

#include <string.h>

static bool begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/** The number behind "sm_" at @p text. */
static bool read_arch(const char *text, uint32_t *arch)
{
    uint64_t n;
    const char *p = begins(text, "sm_") ? ww_scan_dec(text + 3, 999, &n) : NULL;
    if (p != NULL) {
        *arch = (uint32_t)n;
    }
    return p != NULL;
}

WwListingLine ww_listing_line(const char *line, uint32_t *arch, const char **name, size_t *n)
{
    const char *p = ww_skip_blanks(line);
    if (begins(p, "/*")) {
        return WW_LISTING_OTHER;
    }
    if (begins(p, "arch = ") && read_arch(p + 7, arch)) {
        return WW_LISTING_ARCH;
    }
    if (begins(p, ".target") && read_arch(ww_skip_blanks(p + 7), arch)) {
        return WW_LISTING_ARCH;
    }
    if (begins(p, "Function : ")) {
        *name = p + 11;
        *n = strlen(*name);
        return WW_LISTING_FUNCTION;
    }
    if (!begins(p, ".section\t") && !begins(p, ".section ")) {
        return WW_LISTING_OTHER;
    }
    p = ww_skip_blanks(p + 8);
    if (!begins(p, ".text.")) {
        return WW_LISTING_SECTION;
    }
    *name = p + 6;
    *n = strcspn(*name, ",\t \"");
    return WW_LISTING_FUNCTION;
}

/* ---- one function ------------------------------------------------------------------------------------------------- */

/** An operand that names a label. */
typedef struct Target {
    uint32_t operand, label, line;
} Target;

typedef struct Reader {
    WwLines *lines;
    GArray *inst;     /**< WwCodeInst; opcode: its number among `opcodes` + 1. */
    GArray *operands; /**< WwOperand */
    GArray *targets;  /**< Target */
    GArray *places;   /**< uint64_t by label: its pc; NOWHERE: not seen yet. */
    WwNames opcodes, labels;
    bool half; /**< The last instruction lacks its second line. */
} Reader;

#define NOWHERE UINT64_MAX

static bool fail(const Reader *r, const char *what, const char *expected, GError **error)
{
    return ww_fail_at(error, r->lines->file, ww_lines_number(r->lines), "%s; expected %s", what,
                      expected);
}

static WwCodeInst *last_inst(const Reader *r)
{
    return &g_array_index(r->inst, WwCodeInst, r->inst->len - 1);
}

/** The bits at the end of a line: "/\* 0x... *\/". */
static bool read_word(const char *text, uint64_t *word)
{
    const char *p = strstr(text, "/* 0x");
    p = p != NULL ? ww_scan_hex(p + 3, word) : NULL;
    return p != NULL && begins(ww_skip_blanks(p), "*/");
}

/** Number of the label between @p text and @p end. */
static uint32_t label_of(Reader *r, const char *text, const char *end)
{
    g_autofree char *name = g_strndup(text, (gsize)(end - text));
    uint32_t number = ww_names_add(&r->labels, name);
    uint64_t nowhere = NOWHERE;
    if (number == r->places->len) {
        g_array_append_val(r->places, nowhere);
    }
    return number;
}

static bool add_operand(Reader *r, const char *text, size_t n, GError **error)
{
    WwCodeInst *inst = last_inst(r);
    if (inst->n_operands == WW_LISTING_OPERANDS) {
        return fail(r, "an instruction with more than 16 operands", "fewer", error);
    }
    WwOperand o = ww_operand_read(text, n);
    if (n > 4 && memcmp(text, "`(.", 3) == 0 && text[n - 1] == ')') {
        Target t = {r->operands->len, label_of(r, text + 2, text + n - 1),
                    ww_lines_number(r->lines)};
        g_array_append_val(r->targets, t);
    }
    g_array_append_val(r->operands, o);
    inst->n_operands++;
    return true;
}

/** Is @p p, outside of brackets, behind the operand that begins at @p first? Of c[0x0] [0x160].H1_H1, the constants of halves, the blank is not. */
static bool parts(const char *first, const char *p)
{
    return *p == ',' || (*p == ' ' && !(p > first && p[-1] == ']' && p[1] == '['));
}

/** Operands, with commas between them; a blank parts two, too: "RET.REL.NODEC R2 0x0". */
static bool read_operands(Reader *r, const char *p, const char *end, GError **error)
{
    while (p < end) {
        const char *first = p = ww_skip_blanks(p);
        int depth = 0;
        for (; p < end && (depth > 0 || !parts(first, p)); p++) {
            depth += (*p == '[' || *p == '{' || *p == '(') - (*p == ']' || *p == '}' || *p == ')');
        }
        if (depth != 0) {
            return fail(r, "a bracket that is not closed", "an operand", error);
        }
        if (p > first && *first != '&' && *first != '?' &&
            !add_operand(r, first, (size_t)(p - first), error)) {
            return false; /* &req={0} ?trans1: what the control bits say, again */
        }
        p = ww_skip_blanks(p);
        p += p < end && *p == ',';
    }
    return true;
}

/** "@!P0 " */
static bool read_guard(Reader *r, const char **text, GError **error)
{
    WwCodeInst *inst = last_inst(r);
    inst->guard = WW_PRED_TRUE;
    if (**text != '@') {
        return true;
    }
    size_t n = strcspn(*text + 1, " \t");
    WwOperand o = ww_operand_read(*text + 1, n);
    if (o.kind != WW_OPERAND_PRED && o.kind != WW_OPERAND_UPRED) {
        return fail(r, "a guard that is no predicate", "@P0 to @!UP6", error);
    }
    inst->guard = o.reg;
    inst->guard_negated = (o.flags & WW_OPERAND_NEGATED) != 0;
    inst->guard_uniform = o.kind == WW_OPERAND_UPRED;
    *text = ww_skip_blanks(*text + 1 + n);
    return true;
}

/** Guard, opcode and operands, up to ';'. */
static bool read_statement(Reader *r, const char *p, GError **error)
{
    WwCodeInst *inst = last_inst(r);
    const char *end = strchr(p, ';');
    if (end == NULL) {
        return fail(r, "an instruction without ';'", "what cuobjdump -sass prints", error);
    }
    if (!read_guard(r, &p, error)) {
        return false;
    }
    size_t n = strcspn(p, " \t;");
    bool good = n > 0 && n <= WW_LISTING_OPCODE && g_ascii_isalpha(*p);
    if (!good) {
        return fail(r, "an instruction without an opcode", "a name such as LDG.E.64", error);
    }
    g_autofree char *opcode = g_strndup(p, n);
    inst->opcode = GUINT_TO_POINTER(ww_names_add(&r->opcodes, opcode) + 1);
    inst->operand = r->operands->len;
    if (!read_operands(r, p + n, end, error)) {
        return false;
    }
    inst = last_inst(r);
    if (inst->n_operands != 0) {
        inst->n_dst = ww_operands_written(
            opcode, &g_array_index(r->operands, WwOperand, inst->operand), inst->n_operands);
    }
    return true;
}

/** @p p stands behind the first slash and star of a line. */
static bool read_inst(Reader *r, const char *p, GError **error)
{
    uint64_t pc;
    WwCodeInst inst = {.line = ww_lines_number(r->lines)};
    p = ww_scan_hex(ww_skip_blanks(p), &pc);
    p = p != NULL && begins(p, "*/") ? ww_skip_blanks(p + 2) : NULL;
    if (p == NULL) {
        return fail(r, "a line without a pc", "one such as /*0010*/", error);
    }
    if (r->half) {
        return fail(r, "an instruction with half of its bits", "its second line", error);
    }
    if (pc != r->inst->len * (uint64_t)WW_CODE_BYTES) {
        g_autofree char *what = g_strdup_printf(
            "pc 0x%" G_GINT64_MODIFIER "x behind 0x%" G_GINT64_MODIFIER "x", pc,
            (r->inst->len * (uint64_t)WW_CODE_BYTES) - (r->inst->len != 0 ? WW_CODE_BYTES : 0));
        return fail(r, what, "one instruction every 16 bytes, from 0 (sm_70 and later)", error);
    }
    if (r->inst->len == WW_LISTING_MAX_INSTS) {
        return fail(r, "more than a million instructions", "a function", error);
    }
    inst.pc = pc;
    if (!read_word(p, &inst.word[0])) {
        return fail(r, "an instruction without its bits",
                    "those that cuobjdump -sass and nvdisasm -hex print", error);
    }
    g_array_append_val(r->inst, inst);
    r->half = true;
    return read_statement(r, p, error);
}

static bool read_second(Reader *r, const char *p, GError **error)
{
    if (!r->half || !read_word(p, &last_inst(r)->word[1])) {
        return fail(r, "bits without an instruction", "an instruction's first line", error);
    }
    last_inst(r)->control = ww_control_of(last_inst(r)->word[1]);
    r->half = false;
    return true;
}

/** ".L_x_1:" */
static void read_label(Reader *r, const char *p)
{
    const char *end = strchr(p, ':');
    if (*p == '.' && end != NULL && end[1] == '\0') {
        uint32_t label = label_of(r, p, end);
        g_array_index(r->places, uint64_t, label) = r->inst->len * (uint64_t)WW_CODE_BYTES;
    }
}

static bool read_line(Reader *r, const char *line, GError **error)
{
    const char *p = ww_skip_blanks(line);
    if (!begins(p, "/*")) {
        read_label(r, p);
        return true;
    }
    return begins(p, "/* 0x") ? read_second(r, p, error) : read_inst(r, p + 2, error);
}

static void resolve_targets(Reader *r)
{
    for (guint i = 0; i < r->targets->len; i++) {
        const Target *t = &g_array_index(r->targets, Target, i);
        uint64_t pc = g_array_index(r->places, uint64_t, t->label);
        if (pc != NOWHERE) { /* else it is in another section */
            g_array_index(r->operands, WwOperand, t->operand) =
                (WwOperand){.kind = WW_OPERAND_IMMEDIATE, .imm = (int64_t)pc};
        }
    }
}

/** What was read, in memory of @p heap. */
static void keep(Reader *r, WwHeap *heap, WwCode *code)
{
    WwCodeInst *inst = WW_HEAP_NEW(heap, WwCodeInst, MAX(r->inst->len, 1));
    WwOperand *operand = WW_HEAP_NEW(heap, WwOperand, MAX(r->operands->len, 1));
    for (guint i = 0; i < r->inst->len; i++) {
        inst[i] = g_array_index(r->inst, WwCodeInst, i);
        inst[i].opcode = r->opcodes.text[GPOINTER_TO_UINT(inst[i].opcode) - 1];
    }
    if (r->operands->len != 0) {
        memcpy(operand, r->operands->data, r->operands->len * sizeof *operand);
    }
    code->n = r->inst->len;
    code->inst = inst;
    code->operand = operand;
}

static bool read_all(Reader *r, uint32_t arch, GError **error)
{
    char *line;
    size_t len, n;
    const char *name;
    for (;;) {
        if (!ww_lines_next(r->lines, &line, &len, error)) {
            return false;
        }
        if (line == NULL || ww_listing_line(line, &arch, &name, &n) != WW_LISTING_OTHER) {
            break;
        }
        if (!read_line(r, line, error)) {
            return false;
        }
    }
    if (r->half) {
        return fail(r, "an instruction with half of its bits", "its second line", error);
    }
    return r->inst->len != 0 ||
           fail(r, "a function without instructions", "what cuobjdump -sass prints", error);
}

bool ww_listing_read(WwLines *lines, WwHeap *heap, const char *name, uint32_t arch, WwCode *code,
                     GError **error)
{
    Reader r = {
        .lines = lines,
        .inst = g_array_new(false, false, sizeof(WwCodeInst)),
        .operands = g_array_new(false, false, sizeof(WwOperand)),
        .targets = g_array_new(false, false, sizeof(Target)),
        .places = g_array_new(false, false, sizeof(uint64_t)),
    };
    ww_names_init(&r.opcodes, heap);
    ww_names_init(&r.labels, heap);
    bool good = read_all(&r, arch, error);
    if (good) {
        resolve_targets(&r);
        keep(&r, heap, code);
        code->name = name;
        code->file = ww_heap_text(heap, lines->file, strlen(lines->file));
        code->arch = arch;
    } else {
        ww_names_clear(&r.opcodes);
    }
    ww_names_clear(&r.labels);
    g_array_unref(r.inst);
    g_array_unref(r.operands);
    g_array_unref(r.targets);
    g_array_unref(r.places);
    return good;
}
