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

static const WwCode *read_words(WwHeap *heap, const char *file, uint32_t arch)
{
    g_autofree char *path =
        g_build_filename(g_getenv("WW_SOURCE_DIR"), "tests/unit/trace", file, NULL);
    return read_code(heap, path, "words", arch);
}

static uint32_t count_bits_only(const WwCode *code)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < code->n; i++) {
        n += code->inst[i].bits_only;
    }
    return n;
}

/**
 * Every opcode and form, with reuse, uniform registers and descriptors where there are such: the text says the same. Those of sm_86 are of public
 * records, the others of programs of our own and nvdisasm: what those add, and all of sm_90.
 */
static void test_words(void)
{
    static const struct {
        const char *file;
        uint32_t flags, arch, least, unknown;
    } files[] = {{"words.sass", CUBIN_SM86, 86, 350, 8},
                 {"words-75.sass", 0x4b054bu, 75, 50, 0},
                 {"words-80.sass", 0x500550u, 80, 60, 0},
                 {"words-90.sass", 0x6005a04u, 90, 300, 1}};
    g_autoptr(Scratch) s = scratch_new();
    for (uint32_t k = 0; k < G_N_ELEMENTS(files); k++) {
        g_autoptr(WwHeap) heap = ww_heap_new(), other = ww_heap_new();
        const WwCode *text = read_words(heap, files[k].file, files[k].arch),
                     *cubin = as_cubin(s, other, text, files[k].flags, files[k].arch);
        g_test_message("%s", files[k].file);
        g_assert_cmpuint(text->n, >, files[k].least);
        g_assert_cmpuint(cubin->n, ==, text->n);
        for (uint32_t i = 0; i < text->n; i++) {
            assert_same_inst(text, cubin, i);
        }
        g_assert_cmpuint(count_bits_only(cubin), ==, files[k].unknown);
    }
}

/** Of architectures whose words nobody has compared nothing is guessed but what all have. */
static void test_later(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(WwHeap) heap = ww_heap_new(), other = ww_heap_new();
    const WwCode *text = read_words(heap, "words-90.sass", 90),
                 *cubin = as_cubin(s, other, text, 0x6006402u, 100);
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
static void assert_read_for(uint32_t arch, uint64_t low, uint64_t high, uint64_t pc,
                            const char *name, const char *expected)
{
    const uint64_t word[2] = {low, high};
    g_autoptr(GString) got = g_string_new(NULL);
    WwSass sass;
    ww_sass_read(word, pc, arch, &sass);
    g_assert_cmpstr(sass.name, ==, name);
    g_assert_cmpint(sass.known, ==, expected != NULL);
    for (uint32_t i = 0; i < sass.n; i++) {
        char text[WW_OPERAND_TEXT];
        ww_operand_text(&sass.operand[i], text);
        g_string_append_printf(got, "%s%s", i != 0 ? " " : "", text);
    }
    g_assert_cmpstr(got->str, ==, expected != NULL ? expected : "");
}

static void assert_read(uint64_t low, uint64_t high, uint64_t pc, const char *name,
                        const char *expected)
{
    assert_read_for(86, low, high, pc, name, expected);
}

static void assert_names(uint32_t arch, uint32_t n_names, uint32_t n_known)
{
    g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
    g_autoptr(GHashTable) known = g_hash_table_new(g_str_hash, g_str_equal);
    for (uint64_t i = 0; i < 4096; i++) {
        const WwSassOpcode *o = ww_sass_opcode(i, arch);
        if (o != NULL) {
            g_hash_table_add(names, (char *)o->name);
            g_assert_cmpint(o->operands != NULL, ==, o->forms != 0);
        }
        if (o != NULL && (o->forms >> (i >> 9) & 1u) != 0 && ww_sass_compared(i, arch)) {
            g_hash_table_add(known, (char *)o->name);
        }
    }
    g_assert_cmpuint(g_hash_table_size(names), ==, n_names);
    g_assert_cmpuint(g_hash_table_size(known), ==, n_known);
}

/** What the documentation says of how many are known. */
static void test_names(void)
{
    assert_names(86, 130, 125);
    assert_names(90, 147, 146);
}

static void test_targets(void)
{
    const uint64_t back = UINT64_C(0x000fc0000383ffff), on = UINT64_C(0x000fea0003800000);
    assert_read(UINT64_C(0xfffffff000007947), back, 0x110, "BRA", "0x110");
    assert_read(UINT64_C(0x0000002000008947), on, 0x180, "BRA", "0x1b0");
    assert_read(UINT64_C(0x0000049000009947), UINT64_C(0x000fea0005000000), 0, "BRA", "!P2 0x4a0");
    assert_read(UINT64_C(0x0000090000037945), on, 0x60, "BSSY", "B3 0x970");
    assert_read(UINT64_C(0x0000004000007944), UINT64_C(0x000fea0003c00000), 0x1a0, "CALL", "0x1f0");
    assert_read(UINT64_C(0x00002ac204007947), on | 1u << 27, 0, "BRA", "UR4 0x2ad0"); /* .DIV */
    assert_read(UINT64_C(0xffffe31008007950), UINT64_C(0x000fec0003c3ffff), 0x2000, "RET",
                "R8 0x320");
    assert_read(UINT64_C(0xfffffc9006007949), UINT64_C(0x000fea000383ffff), 0, "BRX", "R6 -0x370");
    /* since sm_90 offsets have eight bits more */
    assert_read_for(90, UINT64_C(0x00000000005c1947), on, 0x1000, "BRA", "0x1180");
    assert_read_for(90, UINT64_C(0x0000027000067945), on, 0x1000, "BSSY", "B6 0x1280");
}

/** Opcodes without operands here, forms that an opcode does not have, and what changes what fields mean. */
static void test_unknown(void)
{
    const uint64_t control = UINT64_C(0x000fc00000000000);
    assert_read(UINT64_C(0x0000000000007fff), control, 0, "", NULL);
    assert_read(UINT64_C(0x0000000000000000), control, 0, "", NULL);
    assert_read(UINT64_C(0x000000001a0f7f55), control, 0, "BMOV", NULL);
    assert_read(UINT64_C(0x0000000302017e24), control, 0, "IMAD", "R1 R2 R0 UR3");
    assert_read(UINT64_C(0x0000000302017024), control, 0, "IMAD", NULL); /* form 0 */
    assert_read(UINT64_C(0x0000000302017410), control, 0, "IADD3", NULL);
    assert_read(UINT64_C(0x00005a0002017a24), control | 1u << 27, 0, "IMAD", NULL); /* cx[...] */
    assert_read(UINT64_C(0x00002ac004007947), control | UINT64_C(0x0b800000), 0, "BRA", NULL);
    assert_read(UINT64_C(0x0004041c1802723c), control, 0, "HMMA", NULL);
    assert_read_for(90, UINT64_C(0x00200000081879f0), control | UINT64_C(0x0b800a18), 0, "HGMMA",
                    NULL);                                                 /* .SP */
    assert_read(UINT64_C(0x0000741e0000791a), control, 0, "DEPBAR", NULL); /* SB7 */
    /* numbers and forms that no text of sm_90 was compared with */
    assert_read(UINT64_C(0x0000000302017217), control | UINT64_C(0x03800000), 0, "IMNMX",
                "R1 R2 R3 PT");
    assert_read_for(90, UINT64_C(0x0000000302017217), control | UINT64_C(0x03800000), 0, "", NULL);
    assert_read_for(90, UINT64_C(0x000000040000795c), control, 0, "BPT", NULL);
}

/** A uniform register beside a global address is a descriptor if a bit says so: the text has it since sm_90, before where another bit says so. */
static void test_descriptors(void)
{
    const uint64_t low = UINT64_C(0x0000000a0c0b7981), high = UINT64_C(0x000722000c1e1100);
    const uint64_t flag = UINT64_C(1) << 12, shown = UINT64_C(1) << 37;
    assert_read_for(75, low, high, 0, "LDG", "R11 [R12.64+UR10]");
    assert_read_for(80, low, high, 0, "LDG", "R11 [R12.64]");
    assert_read_for(89, low, high | shown, 0, "LDG", "R11 desc[UR10][R12.64]");
    assert_read_for(89, low, high & ~flag, 0, "LDG", "R11 [R12.64+UR10]");
    assert_read_for(90, low, high, 0, "LDG", "R11 desc[UR10][R12.64]");
    assert_read_for(90, low, high & ~flag, 0, "LDG", "R11 [R12.64+UR10]");
    assert_read_for(86, UINT64_C(0x000000050600798e), UINT64_C(0x0001e4000c10e186), 0, "RED",
                    "[R6.64] R5");
    assert_read_for(90, UINT64_C(0x000000050600798e), UINT64_C(0x0001e4000c10e186), 0, "REDG",
                    "desc[UR6][R6.64] R5");
    assert_read_for(90, UINT64_C(0x000000050600798e), UINT64_C(0x0001e4000c10e106), 0, "REDG",
                    "[R6.64+UR6] R5");
}

/** What no compiler's words here have, and single bits turned in them showed. */
static void test_turned(void)
{
    const uint64_t control = UINT64_C(0x000fc00000000000);
    assert_read(UINT64_C(0x8000000008007fae), control | 0x0c141c44u, 0, "LDGSTS",
                "[R0+-0x80000] [R8.64] !P0");
    assert_read(UINT64_C(0x0000000404047981), control | 0x0c1e1908u, 0, "LDG", "R4 [R4.64] !PT");
    assert_read(UINT64_C(0x3e003e000b077832), control | 0x00200800u, 0, "HMUL2", "R7 R11 1.5 1.5");
    assert_read_for(90, UINT64_C(0x3e003e000b077832), control | 0x00200800u, 0, "HMUL2",
                    "R7 R11 0.125 0.125");
    assert_read(UINT64_C(0x0000000804107237), control | 0x00405d10u, 0, "IMMA", NULL); /* .SP */
    assert_read_for(90, UINT64_C(0x800000040d0d7c36), control | 0x08000000u, 0, "VIADD",
                    "R13 R13 -UR4");
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
        ww_sass_read(word, i * UINT64_C(16), 70 + i % 21, &sass);
        known += sass.known;
        g_assert_cmpuint(sass.n, <=, WW_LISTING_OPERANDS);
        g_assert_cmpuint(sass.n_dst, <=, sass.n);
        g_assert_true(sass.known || sass.n == 0);
        for (uint32_t k = 0; k < sass.n; k++) {
            char text[WW_OPERAND_TEXT];
            ww_operand_text(&sass.operand[k], text);
            g_assert_cmpuint(sass.operand[k].kind, <=, WW_OPERAND_OTHER);
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
    g_test_add_func("/trace/sass/descriptors", test_descriptors);
    g_test_add_func("/trace/sass/turned", test_turned);
    g_test_add_func("/trace/sass/any_bits", test_any_bits);
}
