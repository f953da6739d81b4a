/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Cubins: how their functions are found, joined with a trace and with text, and what is refused.
 */
#include "cubin.h"
#include "util.h"

#include <listing-priv.h>
#include <string.h>
#include <trace/info.h>

/* NOP under @!P2 that waits for SB1, stalls 5, keeps A and C; an opcode that nobody knows; EXIT */
static const uint64_t words[] = {UINT64_C(0x000000000000a918), UINT64_C(0x142fea0000000000),
                                 UINT64_C(0x0000000000007fff), UINT64_C(0x000fe20000000000),
                                 UINT64_C(0x000000000000794d), UINT64_C(0x000fea0003800000)};
static const uint64_t nop[] = {UINT64_C(0x0000000000007918), UINT64_C(0x000fc00000000000)};
static const char lines_of_k[] = "0000 ffffffff 0 NOP 0 0 \n0020 ffffffff 0 EXIT 0 0 \n";

static const CubinSection usual[] = {
    {.name = ".strtab", .data = "", .size = 1, .type = SHT_STRTAB},
    {.name = ".nv.info.k", .data = nop, .size = 12, .type = SHT_LOPROC},
    {.name = ".text._Z5otherPf", .data = nop, .size = sizeof nop},
    {.name = ".text.k", .data = words, .size = sizeof words},
    {.name = NULL}};

static char *trace_of(const char *lines, uint32_t arch)
{
    g_autofree char *volta = make_kernel("", 2, lines);
    g_auto(GStrv) parts = g_strsplit(volta, "binary version = 70", -1);
    g_autofree char *version = g_strdup_printf("binary version = %u", arch);
    g_assert_nonnull(parts[1]);
    return g_strjoinv(version, parts);
}

static const char *write_trace(Scratch *s, const char *name, uint32_t arch)
{
    g_autofree char *text = trace_of(lines_of_k, arch);
    return scratch_write(s, name, text, -1);
}

static const char *write_cubin(Scratch *s, const char *name, uint32_t flags,
                               const CubinSection *sections)
{
    g_autoptr(GByteArray) cubin = make_cubin(flags, sections);
    return scratch_write(s, name, cubin->data, cubin->len);
}

/** Opens @p path with @p listing (NULL: what is beside it) and its first kernel, which is closed with the trace. */
static const WwCode *code_of(WwTrace **trace, const char *path, const char *listing)
{
    const char *const files[] = {listing, NULL};
    WwTraceOptions options = {.listings = listing != NULL ? files : NULL};
    g_autoptr(GError) error = NULL;
    WwCommand command;
    *trace = ww_trace_open(path, &options, &error);
    g_assert_no_error(error);
    ww_trace_source.next_command(*trace, &command, &error);
    g_assert_no_error(error);
    return command.kernel->code;
}

static void assert_code(const WwCode *code, uint32_t arch)
{
    g_assert_nonnull(code);
    g_assert_cmpuint(code->n, ==, 3);
    g_assert_cmpuint(code->arch, ==, arch);
    g_assert_cmpstr(code->name, ==, "k");
    for (uint32_t i = 0; i < code->n; i++) {
        const WwCodeInst *inst = ww_code_at(code, i * UINT64_C(16));
        g_assert_true(inst == &code->inst[i]);
        g_assert_cmphex(inst->word[0], ==, words[2 * i]);
        g_assert_cmphex(inst->word[1], ==, words[2 * i + 1]);
        g_assert_cmpuint(inst->line, ==, 0);
    }
    const WwCodeInst *first = &code->inst[0], *odd = &code->inst[1];
    g_assert_cmpuint(first->guard, ==, 2);
    g_assert_true(first->guard_negated);
    g_assert_cmpuint(first->control.stall, ==, 5);
    g_assert_cmpuint(first->control.wait, ==, 2);
    g_assert_cmpuint(first->control.reuse, ==, 5);
    g_assert_cmpuint(odd->guard, ==, WW_PRED_TRUE);
    g_assert_false(odd->guard_negated);
    g_assert_cmpstr(odd->opcode, ==, "");
    g_assert_true(odd->bits_only);
    g_assert_cmpuint(odd->n_operands, ==, 0);
}

/** Recognised by what is in it, plain and compressed. */
static void test_code(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GByteArray) cubin = make_cubin(CUBIN_SM70, usual);
    g_autoptr(GByteArray) xz = make_xz((const char *)cubin->data, cubin->len);
    g_autoptr(GByteArray) zst = make_zst((const char *)cubin->data, cubin->len);
    const GByteArray *const files[] = {cubin, xz, zst};
    const char *trace = write_trace(s, "q.traceg", 70);
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(WwTrace) t = NULL;
        assert_code(
            code_of(&t, trace, scratch_write(s, "any.thing", files[i]->data, files[i]->len)), 70);
        ReadResult r;
        const char *const given[] = {scratch_path(s, "any.thing"), NULL};
        WwTraceOptions options = {.listings = given};
        g_assert_true(read_all(trace, &options, &r, NULL));
        g_assert_cmpuint(r.warp_insts, ==, 2);
    }
}

/** The architecture stands in the header's flags, in one of two ways. */
static void test_architectures(void)
{
    static const struct {
        uint32_t flags, arch;
    } known[] = {{CUBIN_SM70, 70},   {0x4b054bu, 75},   {0x500550u, 80},   {CUBIN_SM86, 86},
                 {0x590559u, 89},    {0x5a055au, 90},   {0x6006402u, 100}, {0x6006702u, 103},
                 {0x06007802u, 120}, {0x06007902u, 121}};
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(known); i++) {
        g_autoptr(GError) error = NULL;
        const char *cubin = write_cubin(s, "k.cubin", known[i].flags, usual);
        WwListings l;
        const WwCode *code;
        const char *const files[] = {cubin, NULL};
        g_autoptr(WwHeap) heap = ww_heap_new();
        g_assert_true(ww_listings_open(&l, heap, "", true, files, &error));
        g_assert_true(ww_listings_find(&l, "k", known[i].arch, &code, &error));
        g_assert_no_error(error);
        assert_code(code, known[i].arch);
    }
}

static void assert_refused(Scratch *s, const char *expected)
{
    const char *const files[] = {scratch_path(s, "x"), NULL};
    WwTraceOptions options = {.listings = files};
    assert_read_fails(scratch_path(s, "k.traceg"), &options, expected);
}

static void assert_cubin_refused(Scratch *s, uint32_t flags, const CubinSection *sections,
                                 const char *expected)
{
    write_cubin(s, "x", flags, sections);
    assert_refused(s, expected);
}

static void test_sections(void)
{
    static const struct {
        CubinSection section;
        const char *expected;
    } wrong[] = {
        {{.name = ".text.k", .data = words, .size = 24}, "section '.text.k' ends in an instr"},
        {{.name = ".text.k", .data = words, .size = 0}, "section '.text.k' is empty; expected"},
        {{.name = ".text.", .data = words, .size = 16}, "section '.text.' is of no function"},
        {{.name = ".text.k", .data = words, .size = 16, .type = SHT_NOBITS}, "holds no code"},
        {{.name = ".text.k", .data = words, .size = 16, .flags = SHF_COMPRESSED}, "is compressed"},
        {{.name = ".text.k", .data = words, .size = 16, .claim = 1u << 16}, "goes beyond the end"},
        {{.name = ".text.k", .data = words, .size = 16, .claim = 288}, "goes beyond the end"},
        {{.name = ".text.k", .data = words, .size = 16, .claim = UINT64_MAX - 15}, "goes beyond"},
        {{.name = ".text.k", .data = words, .size = 16, .offset = UINT64_MAX}, "lies behind the"},
        {{.name = ".text.k", .data = words, .size = 16, .offset = 1u << 20}, "lies behind the"},
        {{.name = ".nv.info.k", .data = words, .size = 16}, "x: no section .text.NAME; expected"},
    };
    g_autoptr(Scratch) s = scratch_new();
    write_trace(s, "k.traceg", 70);
    for (size_t i = 0; i < G_N_ELEMENTS(wrong); i++) {
        const CubinSection sections[] = {wrong[i].section, {.name = NULL}};
        assert_cubin_refused(s, CUBIN_SM70, sections, wrong[i].expected);
    }
    CubinSection strange[] = {{.name = ".text.\x1b[2J\xff", .data = words, .size = 20}, {0}};
    assert_cubin_refused(s, CUBIN_SM70, strange, "section '.text.?[2J?' ends in");
}

static void test_size(void)
{
    g_autoptr(Scratch) s = scratch_new();
    const size_t most = (size_t)WW_LISTING_MAX_INSTS * WW_CODE_BYTES;
    g_autofree uint8_t *code = g_malloc0(most + WW_CODE_BYTES);
    CubinSection big[] = {{.name = ".text.k", .data = code, .size = most + WW_CODE_BYTES}, {0}};
    write_trace(s, "k.traceg", 70);
    assert_cubin_refused(s, CUBIN_SM70, big, "x: more than a million instructions in k; expected");
    big[0].size = most;
    g_autoptr(WwTrace) t = NULL;
    g_assert_cmpuint(
        code_of(&t, scratch_path(s, "k.traceg"), write_cubin(s, "x", CUBIN_SM70, big))->n, ==,
        WW_LISTING_MAX_INSTS);
}

static void test_headers(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GByteArray) cubin = make_cubin(CUBIN_SM70, usual);
    const Elf64_Ehdr good = *cubin_header(cubin);
    Elf64_Ehdr *h = cubin_header(cubin);
    write_trace(s, "k.traceg", 70);
#define REFUSED(change, expected)                                                                  \
    (*h = good, change, scratch_write(s, "x", cubin->data, cubin->len), assert_refused(s, expected))
    REFUSED(h->e_ident[EI_CLASS] = ELFCLASS32, "x: an ELF file of 32 bits or another byte order");
    REFUSED(h->e_ident[EI_DATA] = ELFDATA2MSB, "x: an ELF file of 32 bits or another byte order");
    REFUSED(h->e_machine = EM_X86_64, "x: an ELF file for machine 62; expected a cubin, which is");
    REFUSED(h->e_ident[EI_VERSION] = 9, "x: a damaged ELF file; expected a complete cubin");
    REFUSED(h->e_shoff = 0, "x: an ELF file without its sections; expected a complete cubin");
    REFUSED(h->e_shoff = UINT64_MAX, "expected a complete cubin");
    REFUSED(h->e_shoff = cubin->len - 1, "expected a complete cubin");
    REFUSED(h->e_shnum = 0xfeff, "expected a complete cubin");
    REFUSED(h->e_shstrndx = 99, "expected a complete cubin");
    REFUSED(h->e_shstrndx = 4, "expected a complete cubin"); /* code is no names */
    REFUSED(h->e_flags = CUBIN_SM61, "x: k is for sm_61 here, and the trace is sm_70; expected a");
#undef REFUSED
    for (guint n = 5; n < cubin->len; n += n < 70 ? 1 : 13) { /* cut off wherever it may be */
        *h = good;
        scratch_write(s, "x", cubin->data, n);
        assert_refused(s,
                       n < EI_NIDENT ? "x: an ELF file that ends in its header; expected" : "x: ");
    }
    scratch_write(s, "x", cubin->data, cubin->len);
    g_autoptr(WwTrace) t = NULL;
    assert_code(code_of(&t, scratch_path(s, "k.traceg"), scratch_path(s, "x")), 70);
}

/** Instructions of Pascal have 64 bits, their control bits in others. */
static void test_older(void)
{
    g_autoptr(Scratch) s = scratch_new();
    write_trace(s, "k.traceg", 61);
    assert_cubin_refused(s, CUBIN_SM61, usual, "x: is for sm_61; expected sm_70 to sm_129");
}

/** What has cubins inside is refused with what takes them out. */
static void test_fat(void)
{
    static const CubinSection fat[] = {{.name = ".nv_fatbin", .data = nop, .size = 16}, {0}};
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GByteArray) program = make_cubin(0, fat);
    write_trace(s, "k.traceg", 70);
    cubin_header(program)->e_machine = EM_X86_64;
    scratch_write(s, "x", program->data, program->len);
    g_autofree char *expected = g_strdup_printf(
        "x: holds several cubins, packed; expected one, as 'cuobjdump -xelf all %s' writes them",
        scratch_path(s, "x"));
    assert_refused(s, expected);
    scratch_write(s, "x", "\x50\xED\x55\xBA\x01\0\x10\0", 8);
    assert_refused(s, expected);
    scratch_write(s, "x", "!<arch>\nk.o/  ", -1);
    assert_refused(s, expected);
}

/** Another opcode than the trace's, or a pc behind the end. */
static void test_misfit(void)
{
    g_autoptr(Scratch) s = scratch_new();
    write_cubin(s, "k.cubin", CUBIN_SM70, usual);
    g_autofree char *behind = trace_of("0000 ffffffff 0 NOP 0 0 \n0030 ffffffff 0 EXIT 0 0 \n", 70);
    assert_read_fails(scratch_write(s, "k.traceg", behind, -1), NULL, "EXIT at pc 0x30, where ");
}

/** The text of what a cubin holds, with @p first as the first word's digits. */
static char *text_of(const char *first)
{
    return g_strdup_printf("arch = sm_70\n\tFunction : k\n"
                           "/*0000*/ @!P2 NOP ; /* 0x%s */\n/* 0x142fea0000000000 */\n"
                           "/*0010*/ WHAT R1, 0x1 ; /* 0x0000000000007fff */\n"
                           "/* 0x000fe20000000000 */\n"
                           "/*0020*/ EXIT ; /* 0x000000000000794d */\n/* 0x000fea0003800000 */\n",
                           first);
}

/** Beside a trace both are found; text has the operands, and both have to be of the same code. */
static void test_beside(void)
{
    g_autoptr(Scratch) s = scratch_new();
    uint32_t n;
    g_autofree char *same = text_of("000000000000a918"), *other = text_of("000000000000b918");
    g_autofree char *cut = g_strndup(same, (gsize)(strstr(same, "/*0020*/") - same));
    const char *path = write_trace(s, "k.traceg", 70);
    const char *cubin = write_cubin(s, "k.cubin", CUBIN_SM70, usual);
    write_cubin(s, "other.cubin", CUBIN_SM70, usual);
    WwTrace *t;
    assert_code(code_of(&t, path, NULL), 70);
    char *const *found = ww_trace_listings(t, &n);
    g_assert_cmpuint(n, ==, 1);
    g_assert_cmpstr(found[0], ==, cubin);
    ww_trace_free(t);
    scratch_write(s, "k.sass", same, -1);
    const WwCode *code = code_of(&t, path, NULL);
    g_assert_true(g_str_has_suffix(code->file, "k.sass"));
    g_assert_cmpstr(code->inst[1].opcode, ==, "WHAT");
    g_assert_cmpuint(code->inst[1].n_operands, ==, 2);
    ww_trace_free(t);
    scratch_write(s, "k.sass", other, -1);
    assert_read_fails(path, NULL, "k.sass:3: other bits at pc 0x0 of k than ");
    scratch_write(s, "k.sass", cut, -1);
    assert_read_fails(path, NULL, "k.sass:3: 2 instructions of k, where ");
    write_trace(s, "kernel-1.traceg", 70);
    scratch_write(s, "kernelslist.g", "kernel-1.traceg\n", -1);
    g_autoptr(GError) error = NULL;
    g_autoptr(WwTrace) list = ww_trace_open(s->dir, NULL, &error);
    g_assert_no_error(error);
    ww_trace_listings(list, &n);
    g_assert_cmpuint(n, ==, 3);
}

/** A cubin of another architecture in the folder is passed over when another file has the trace's. */
static void test_other_architecture(void)
{
    g_autoptr(Scratch) s = scratch_new();
    WwTrace *t;
    scratch_write(s, "kernelslist.g", "kernel-1.traceg\n", -1);
    write_trace(s, "kernel-1.traceg", 70);
    write_cubin(s, "a.cubin", CUBIN_SM61, usual);
    write_cubin(s, "b.cubin", CUBIN_SM86, usual);
    write_cubin(s, "c.cubin", CUBIN_SM70, usual);
    const WwCode *code = code_of(&t, s->dir, NULL);
    g_assert_true(g_str_has_suffix(code->file, "c.cubin"));
    ww_trace_free(t);
}

/** `trace info` says what there is. */
static void test_info(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = NULL;
    size_t n;
    const char *path = write_trace(s, "k.traceg", 70);
    write_cubin(s, "k.cubin", CUBIN_SM70, usual);
    for (int json = 0; json < 2; json++) {
        WwTraceInfoOptions options = {.json = json != 0, .code = json == 0};
        g_free(text);
        FILE *out = open_memstream(&text, &n);
        g_assert_true(ww_trace_info(path, &options, out, NULL));
        fclose(out);
        const char *const *expected =
            json != 0
                ? (const char *const[]){"/k.cubin\", \"form\": \"cubin\", \"bits_only\": ",
                                        "\"instructions\": 3, \"traced\": 2, ", NULL}
                : (const char *const[]){"  cubin /",
                                        "/k.cubin: 3 instructions, 2 of them executed",
                                        " of them by their control bits only: their operands are",
                                        "  * 0000 B-1----:R-:W-:-:S05  @!P2 ",
                                        "    0010 B------:R-:W-:-:S01  ?\n",
                                        NULL};
        for (; *expected != NULL; expected++) {
            g_test_message("%s in %s", *expected, text);
            g_assert_nonnull(strstr(text, *expected));
        }
    }
}

/** The words of a bundled listing as a cubin: the same control bits, guards and bits of every instruction. */
static void test_bundled(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *path =
        g_build_filename(g_getenv("WW_SOURCE_DIR"), "tests/traces/modern-gemm", NULL);
    WwTrace *t, *u;
    const WwCode *text = code_of(&t, path, NULL);
    g_assert_nonnull(text);
    g_autofree uint64_t *bits = g_new(uint64_t, 2 * text->n);
    for (uint32_t i = 0; i < text->n; i++) {
        memcpy(&bits[2 * i], text->inst[i].word, sizeof text->inst[i].word);
    }
    CubinSection sections[] = {{.name = ".text.k", .data = bits, .size = text->n * 16u}, {0}};
    const WwCode *cubin = code_of(&u, path, write_cubin(s, "x.cubin", CUBIN_SM86, sections));
    g_assert_cmpuint(cubin->n, ==, text->n);
    uint32_t waits = 0;
    for (uint32_t i = 0; i < text->n; i++) {
        const WwCodeInst *a = &text->inst[i], *b = &cubin->inst[i];
        char x[WW_CONTROL_TEXT], y[WW_CONTROL_TEXT];
        ww_control_text(&a->control, x);
        ww_control_text(&b->control, y);
        g_assert_cmpstr(x, ==, y);
        g_assert_cmpuint(a->control.reuse, ==, b->control.reuse);
        g_assert_cmpmem(a->word, sizeof a->word, b->word, sizeof b->word);
        waits += b->control.wait != 0;
    }
    g_assert_cmpuint(waits, ==, 3);
    ww_trace_free(t);
    ww_trace_free(u);
}

void add_cubin_tests(void)
{
    g_test_add_func("/trace/cubins/code", test_code);
    g_test_add_func("/trace/cubins/architectures", test_architectures);
    g_test_add_func("/trace/cubins/sections", test_sections);
    g_test_add_func("/trace/cubins/size", test_size);
    g_test_add_func("/trace/cubins/headers", test_headers);
    g_test_add_func("/trace/cubins/older", test_older);
    g_test_add_func("/trace/cubins/fat", test_fat);
    g_test_add_func("/trace/cubins/misfit", test_misfit);
    g_test_add_func("/trace/cubins/beside", test_beside);
    g_test_add_func("/trace/cubins/other_architecture", test_other_architecture);
    g_test_add_func("/trace/cubins/info", test_info);
    g_test_add_func("/trace/cubins/bundled", test_bundled);
}
