/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Operands from the bits of instructions: what a text says of the same words, what is not known, and that no bits at all make nonsense.
 */
#include "cubin.h"
#include "util.h"

#include <math.h>
#include <sass-priv.h>
#include <string.h>

/* ---- the words of a listing --------------------------------------------------------------------------------------- */

static double number_of(const WwOperand *o)
{
    double v;
    memcpy(&v, &o->imm, sizeof v);
    return (o->flags & WW_OPERAND_FLOAT) != 0 ? v : (double)o->imm;
}

/** Texts have singles in ten digits, and integers of 32 bits with and without their sign. */
static bool same_number(const WwOperand *a, const WwOperand *b)
{
    if (((a->flags | b->flags) & WW_OPERAND_FLOAT) == 0) {
        return (uint32_t)a->imm == (uint32_t)b->imm;
    }
    double x = number_of(a), y = number_of(b);
    return x == y || (isnan(x) && isnan(y)) || fabs(x - y) <= 1e-9 * fabs(x);
}

static void assert_same_operand(const WwOperand *text, const WwOperand *bits)
{
    char a[WW_OPERAND_TEXT], b[WW_OPERAND_TEXT];
    ww_operand_text(text, a);
    ww_operand_text(bits, b);
    g_test_message("    %s, %s", a, b);
    if (text->kind == WW_OPERAND_IMMEDIATE && bits->kind == WW_OPERAND_IMMEDIATE) {
        g_assert_true(same_number(text, bits));
    } else {
        g_assert_cmpstr(a, ==, b);
        g_assert_cmpmem(text, sizeof *text, bits, sizeof *bits);
    }
}

static void assert_same_inst(const WwCode *text, const WwCode *cubin, uint32_t i)
{
    const WwCodeInst *a = &text->inst[i], *b = &cubin->inst[i];
    size_t n = strcspn(a->opcode, ".");
    g_test_message("line %u: %s", a->line, a->opcode);
    g_assert_cmpmem(a->opcode, n, b->opcode, strlen(b->opcode));
    g_assert_cmpuint(a->guard, ==, b->guard);
    g_assert_cmpint(a->guard_negated, ==, b->guard_negated);
    g_assert_cmpint(a->guard_uniform, ==, b->guard_uniform);
    g_assert_cmpmem(&a->control, sizeof a->control, &b->control, sizeof b->control);
    if (b->bits_only) {
        g_assert_cmpuint(b->n_operands, ==, 0);
        return;
    }
    g_assert_cmpuint(a->n_operands, ==, b->n_operands);
    g_assert_cmpuint(a->n_dst, ==, b->n_dst);
    for (uint32_t k = 0; k < a->n_operands; k++) {
        assert_same_operand(&ww_code_operands(text, a)[k], &ww_code_operands(cubin, b)[k]);
    }
}

/** The only function of @p file for @p arch, in memory of @p heap. */
static const WwCode *read_code(WwHeap *heap, const char *file, const char *name, uint32_t arch)
{
    const char *const files[] = {file, NULL};
    g_autoptr(GError) error = NULL;
    const WwCode *code = NULL;
    WwListings l;
    ww_listings_open(&l, heap, "", true, files, &error);
    g_assert_no_error(error);
    ww_listings_find(&l, name, arch, &code, &error);
    g_assert_no_error(error);
    g_assert_nonnull(code);
    return code;
}

/** The words of @p text as a cubin for @p flags, read back. */
static const WwCode *as_cubin(Scratch *s, WwHeap *heap, const WwCode *text, uint32_t flags,
                              uint32_t arch)
{
    g_autofree uint64_t *bits = g_new(uint64_t, 2 * text->n);
    for (uint32_t i = 0; i < text->n; i++) {
        memcpy(&bits[2 * i], text->inst[i].word, sizeof text->inst[i].word);
    }
    CubinSection sections[] = {{.name = ".text.words", .data = bits, .size = text->n * 16u}, {0}};
    g_autoptr(GByteArray) cubin = make_cubin(flags, sections);
    return read_code(heap, scratch_write(s, "words.cubin", cubin->data, cubin->len), "words", arch);
}

static const WwCode *read_words(WwHeap *heap)
{
    g_autofree char *path =
        g_build_filename(g_getenv("WW_SOURCE_DIR"), "tests/unit/trace/words.sass", NULL);
    return read_code(heap, path, "words", 86);
}

static uint32_t count_bits_only(const WwCode *code)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < code->n; i++) {
        n += code->inst[i].bits_only;
    }
    return n;
}

/** Every opcode and form, with reuse, uniform registers and descriptors where there are such: the text says the same. */
static void test_words(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(WwHeap) heap = ww_heap_new(), other = ww_heap_new();
    const WwCode *text = read_words(heap), *cubin = as_cubin(s, other, text, CUBIN_SM86, 86);
    g_assert_cmpuint(text->n, >, 350);
    g_assert_cmpuint(cubin->n, ==, text->n);
    for (uint32_t i = 0; i < text->n; i++) {
        assert_same_inst(text, cubin, i);
    }
    g_assert_cmpuint(count_bits_only(cubin), ==, 11u);
}

/** Of architectures whose words nobody has compared nothing is guessed but what all have. */
static void test_later(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(WwHeap) heap = ww_heap_new(), other = ww_heap_new();
    const WwCode *text = read_words(heap), *cubin = as_cubin(s, other, text, 0x5a055au, 90);
    g_assert_cmpuint(count_bits_only(cubin), ==, text->n);
    for (uint32_t i = 0; i < text->n; i++) {
        const WwCodeInst *a = &text->inst[i], *b = &cubin->inst[i];
        g_assert_cmpstr(b->opcode, ==, "");
        g_assert_cmpuint(a->guard, ==, b->guard);
        g_assert_cmpmem(&a->control, sizeof a->control, &b->control, sizeof b->control);
    }
}

/* ---- single instructions ------------------------------------------------------------------------------------------ */

/** @p expected: the operands as text, with blanks between them; NULL: not known. */
static void assert_read(uint64_t low, uint64_t high, uint64_t pc, const char *name,
                        const char *expected)
{
    const uint64_t word[2] = {low, high};
    g_autoptr(GString) got = g_string_new(NULL);
    WwSass sass;
    ww_sass_read(word, pc, 86, &sass);
    g_assert_cmpstr(sass.name, ==, name);
    g_assert_cmpint(sass.known, ==, expected != NULL);
    for (uint32_t i = 0; i < sass.n; i++) {
        char text[WW_OPERAND_TEXT];
        ww_operand_text(&sass.operand[i], text);
        g_string_append_printf(got, "%s%s", i != 0 ? " " : "", text);
    }
    g_assert_cmpstr(got->str, ==, expected != NULL ? expected : "");
}

/** What the documentation says of how many are known. */
static void test_names(void)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint64_t i = 0; i < 512; i++) {
        const WwSassOpcode *o = ww_sass_opcode(i);
        if (o != NULL) {
            g_hash_table_add(names, (char *)o->name);
            g_assert_cmpint(o->operands != NULL, ==, o->forms != 0);
        }
        if (o != NULL && o->forms != 0) {
            g_hash_table_add(known, (char *)o->name);
        }
    }
    g_assert_cmpuint(g_hash_table_size(names), ==, 128);
    g_assert_cmpuint(g_hash_table_size(known), ==, 107);
}

static void test_targets(void)
{
    const uint64_t back = UINT64_C(0x000fc0000383ffff), on = UINT64_C(0x000fea0003800000);
    assert_read(UINT64_C(0xfffffff000007947), back, 0x110, "BRA", "0x110");
    assert_read(UINT64_C(0x0000002000008947), on, 0x180, "BRA", "0x1b0");
    assert_read(UINT64_C(0x0000049000009947), UINT64_C(0x000fea0005000000), 0, "BRA", "!P2 0x4a0");
    assert_read(UINT64_C(0x0000090000037945), on, 0x60, "BSSY", "B3 0x970");
    assert_read(UINT64_C(0x0000004000007944), UINT64_C(0x000fea0003c00000), 0x1a0, "CALL", "0x1f0");
}

/** Opcodes without operands here, forms that an opcode does not have, and what changes what fields mean. */
static void test_unknown(void)
{
    const uint64_t control = UINT64_C(0x000fc00000000000);
    assert_read(UINT64_C(0x0000000000007fff), control, 0, "", NULL);
    assert_read(UINT64_C(0x0000000000000000), control, 0, "", NULL);
    assert_read(UINT64_C(0x3000641b08099b60), control, 0, "TEX", NULL);
    assert_read(UINT64_C(0x0000000302017e24), control, 0, "IMAD", "R1 R2 R0 UR3");
    assert_read(UINT64_C(0x0000000302017024), control, 0, "IMAD", NULL); /* form 0 */
    assert_read(UINT64_C(0x0000000302017410), control, 0, "IADD3", NULL);
    assert_read(UINT64_C(0x00005a0002017a24), control | 1u << 27, 0, "IMAD", NULL); /* cx[...] */
    assert_read(UINT64_C(0x00002ac204007947), control | UINT64_C(0x0b800000), 0, "BRA", NULL);
    assert_read(UINT64_C(0x0004041c1802723c), control, 0, "HMMA", NULL);   /* .SP */
    assert_read(UINT64_C(0x0000741e0000791a), control, 0, "DEPBAR", NULL); /* SB7 */
}

/** Whatever the bits are: operands that print, in bounds. */
static void test_any_bits(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(14);
    uint32_t known = 0;
    for (uint32_t i = 0; i < 200000; i++) {
        uint64_t word[2];
        WwSass sass;
        for (uint32_t k = 0; k < 2; k++) {
            word[k] = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
        }
        word[0] = (word[0] & ~UINT64_C(0xfff)) | (i & 0xfffu);
        ww_sass_read(word, i * UINT64_C(16), 70 + i % 20, &sass);
        known += sass.known;
        g_assert_cmpuint(sass.n, <=, WW_LISTING_OPERANDS);
        g_assert_cmpuint(sass.n_dst, <=, sass.n);
        g_assert_true(sass.known || sass.n == 0);
        for (uint32_t k = 0; k < sass.n; k++) {
            char text[WW_OPERAND_TEXT];
            ww_operand_text(&sass.operand[k], text);
            g_assert_cmpuint(sass.operand[k].kind, <, WW_OPERAND_OTHER);
            g_assert_cmpuint(sass.operand[k].bank, <, 32);
            g_assert_cmpint(text[0], !=, '\0');
        }
    }
    g_assert_cmpuint(known, >, 10000);
}

void add_sass_tests(void)
{
    g_test_add_func("/trace/sass/words", test_words);
    g_test_add_func("/trace/sass/later", test_later);
    g_test_add_func("/trace/sass/names", test_names);
    g_test_add_func("/trace/sass/targets", test_targets);
    g_test_add_func("/trace/sass/unknown", test_unknown);
    g_test_add_func("/trace/sass/any_bits", test_any_bits);
}
