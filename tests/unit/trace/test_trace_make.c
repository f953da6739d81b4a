/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Traces made of programs in the kernel language.
 */
#include "util.h"

#include <glib/gstdio.h>
#include <string.h>
#include <tests/support/files.h>
#include <trace/info.h>

static const WwTraceMakeOptions plain = {.format = WW_TRACE_PLAIN, .max_steps = 10000000};

/* The text of kernel @p n of the program, whose trace can be read; it is in "made" alone, once more in place of the one before. */
static char *make(Scratch *scratch, const char *program, uint32_t n)
{
    g_autoptr(GError) error = NULL;
    const char *file = scratch_write(scratch, "p.wwk", program, -1);
    const char *folder = scratch_path(scratch, "made");
    if (g_file_test(folder, G_FILE_TEST_EXISTS)) {
        test_remove_folder(folder);
    }
    g_assert_true(ww_trace_make(file, folder, &plain, NULL, &error));
    g_assert_no_error(error);
    ReadResult result;
    g_assert_true(read_all(folder, &(WwTraceOptions){.strict = true}, &result, &error));
    g_assert_no_error(error);
    g_autofree char *path = g_strdup_printf("%s/kernel-%u.traceg", folder, n);
    char *text = NULL;
    g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
    return text;
}

/* The lines of warp @p warp of block @p cta (its number) of a kernel's text, without their ends. */
static char *lines_of(const char *text, uint32_t cta, uint32_t warp)
{
    const char *at = text;
    for (uint32_t i = 0; i <= cta; i++) {
        at = strstr(at, "#BEGIN_TB") + 1;
    }
    g_autofree char *head = g_strdup_printf("\nwarp = %u\n", warp);
    at = strstr(at, head);
    g_assert_nonnull(at);
    at = strstr(strstr(at, "insts = "), "\n") + 1;
    g_autofree char *lines = g_strndup(at, (gsize)(strstr(at, "\n\n") - at));
    g_auto(GStrv) words = g_strsplit(lines, " \n", -1);
    return g_strchomp(g_strjoinv("\n", words));
}

#define KERNEL(settings, code) "kernel k {\n" settings "\n" code "\n}\n"

static void lines(const char *program, uint32_t cta, uint32_t warp, const char *expected)
{
    g_autoptr(Scratch) scratch = scratch_new();
    g_autofree char *text = make(scratch, program, 1);
    g_autofree char *found = lines_of(text, cta, warp);
    g_assert_cmpstr(found, ==, expected);
}

/* Programs make the very bytes of the traces of the same name. */
static void test_same(void)
{
    const char *top = g_getenv("WW_SOURCE_DIR");
    g_autoptr(GError) error = NULL;
    g_autofree char *programs = g_build_filename(top, "tests/unit/trace/programs", NULL);
    g_autoptr(GDir) dir = g_dir_open(programs, 0, &error);
    g_assert_no_error(error);
    const char *name;
    uint32_t n = 0;
    while ((name = g_dir_read_name(dir)) != NULL) {
        g_autoptr(Scratch) scratch = scratch_new();
        g_autofree char *file = g_build_filename(programs, name, NULL);
        g_autofree char *stem = g_strndup(name, strlen(name) - strlen(".wwk"));
        g_autofree char *old = g_build_filename(top, "tests/traces", stem, NULL);
        const char *made = scratch_path(scratch, "made"), *flat = scratch_path(scratch, "flat");
        WwTraceMakeOptions xz = {.format = WW_TRACE_XZ};
        g_assert_true(ww_trace_make(file, made, &xz, NULL, &error));
        g_assert_no_error(error);
        assert_same_traces(made, old, true);
        g_assert_true(ww_trace_make(file, flat, &plain, NULL, &error));
        for (uint32_t k = 1;; k++) {
            g_autofree char *text_file = g_strdup_printf("%s/kernel-%u.traceg", flat, k);
            g_autofree char *old_file = g_strdup_printf("%s/kernel-%u.traceg.xz", old, k);
            g_autofree char *text = NULL, *other = NULL;
            if (!g_file_test(old_file, G_FILE_TEST_EXISTS)) {
                g_assert_false(g_file_test(text_file, G_FILE_TEST_EXISTS));
                break;
            }
            gsize length;
            g_assert_true(g_file_get_contents(text_file, &text, &length, NULL));
            other = unpacked_text(old_file);
            g_assert_cmpstr(text, ==, other);
            n++;
        }
    }
    g_assert_cmpuint(n, >=, 14);
}

static void test_lanes(void)
{
    lines(KERNEL("block 40", "if lane < 4 { NOP }"), 0, 1,
          "0000 0000000f 0 NOP 0 0 0\n0010 000000ff 0 EXIT 0 0 0");
    lines(KERNEL("",
                 "if lane % 2 == 0 { NOP } else if lane > 29 { R1 = MOV R2 } else { BRA imm -5 }"),
          0, 0,
          "0000 55555555 0 NOP 0 0 0\n0010 80000000 1 R1 MOV 1 R2 0 0\n0020 2aaaaaaa 0 BRA 0 0 -5\n"
          "0030 ffffffff 0 EXIT 0 0 0");
    lines(KERNEL("", "if lane == 7 { EXIT }\nNOP; if lane < 16 { EXIT\nNOP }\nEXIT\nNOP"), 0, 0,
          "0000 00000080 0 EXIT 0 0 0\n0010 ffffff7f 0 NOP 0 0 0\n0020 0000ff7f 0 EXIT 0 0 0\n"
          "0040 ffff0000 0 EXIT 0 0 0");
    lines(KERNEL("block 4", "for i in 0..lane { NOP }"), 0, 0,
          "0000 0000000e 0 NOP 0 0 0\n0000 0000000c 0 NOP 0 0 0\n0000 00000008 0 NOP 0 0 0\n"
          "0010 0000000f 0 EXIT 0 0 0");
    lines(KERNEL("block 2", "for i in 5..0 step -2 { NOP imm i }"), 0, 0,
          "0000 00000003 0 NOP 0 0 5\n0000 00000003 0 NOP 0 0 3\n0000 00000003 0 NOP 0 0 1\n"
          "0010 00000003 0 EXIT 0 0 0");
    lines(
        KERNEL(
            "block 1",
            "unroll i in 0..2 { unroll j in 1..3 { R(i * 2 + j) = MOV R(j) } }\nrepeat 2 { NOP }"),
        0, 0,
        "0000 00000001 1 R1 MOV 1 R1 0 0\n0010 00000001 1 R2 MOV 1 R2 0 0\n"
        "0020 00000001 1 R3 MOV 1 R1 0 0\n0030 00000001 1 R4 MOV 1 R2 0 0\n"
        "0040 00000001 0 NOP 0 0 0\n0040 00000001 0 NOP 0 0 0\n0050 00000001 0 EXIT 0 0 0");
    lines(KERNEL("lineinfo 1\nblock 1", "NOP"), 0, 0,
          "4 0000 00000001 0 NOP 0 0 0\n1 0010 00000001 0 EXIT 0 0 0");
}

static void test_addresses(void)
{
    lines(KERNEL("block 4",
                 "STS [0x10 - 4 * lane]\nLDS [lane == 0 ? 0 : 64]\nR1 = LDG.E.U8 [7]\n"
                 "if lane == 2 { STL.64 R1, R2 [lane] }\nif lane != 1 { LDS.128 [lane] width 2 }"),
          0, 0,
          "0000 0000000f 0 STS 0 4 1 0x10 -4 0\n0010 0000000f 0 LDS 0 4 2 0x0 64 0 0 0\n"
          "0020 0000000f 1 R1 LDG.E.U8 0 1 1 0x7 0 0\n0030 00000004 0 STL.64 2 R1 R2 8 1 0x2 0 0\n"
          "0040 0000000d 0 LDS.128 0 2 2 0x0 2 1 0\n0050 0000000f 0 EXIT 0 0 0");
}

/* What names mean, and operators do. */
static void test_values(void)
{
    lines("let big = 0x7000\nmemcpy big, 4\n" KERNEL(
              "grid 2, 3, 2\nblock 4, 4, 4\nshared_base 0x100\nlocal_base 0x200",
              "NOP imm cta\nif tx == 3 && ty == 2 && tz == 3 { NOP imm thread }\n"
              "NOP imm cx * 100 + cy * 10 + cz\nNOP imm gx * 100 + gy * 10 + gz\n"
              "NOP imm bx + by + bz + warps\nNOP imm shared_base + local_base + big\nNOP imm warp"),
          9, 1,
          "0000 ffffffff 0 NOP 0 0 9\n0010 08000000 0 NOP 0 0 59\n0020 ffffffff 0 NOP 0 0 111\n"
          "0030 ffffffff 0 NOP 0 0 232\n0040 ffffffff 0 NOP 0 0 14\n0050 ffffffff 0 NOP 0 0 29440\n"
          "0060 ffffffff 0 NOP 0 0 1\n0070 ffffffff 0 EXIT 0 0 0");
    static const struct {
        const char *text;
        int value;
    } cases[] = {
        {"2 + 3 * 4", 14},
        {"(2 + 3) * 4", 20},
        {"7 - 2 - 1", 4},
        {"-7 / 2", -3},
        {"-7 % 3", -1},
        {"1 << 4 >> 1", 8},
        {"-1 >> 1", -1},
        {"6 & 3 | 8 ^ 1", 11},
        {"1 < 2 == 1", 1},
        {"!5 + !0", 1},
        {"~0", -1},
        {"0 ? 1 : 2 ? 3 : 4", 3},
        {"min(3, -2)", -2},
        {"max(3, -2)", 3},
        {"0 && 1 / 0", 0},
        {"1 || 1 / 0", 1},
        {"1 ? 2 : 1 / 0", 2},
        {"2 >= 2 != 0", 1},
        {"hash(1) == hash(2)", 0},
        {"hash(1) % 1000", 232},
        {"1_000 + 0x1F", 1031},
        {"3 <= 2", 0},
        {"3 > 2", 1},
        {"0xffffffffffffffff + 2", 1},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *program = g_strdup_printf("kernel k {\nNOP imm %s\n}\n", cases[i].text);
        g_autofree char *expected = g_strdup_printf(
            "0000 ffffffff 0 NOP 0 0 %d\n0010 ffffffff 0 EXIT 0 0 0", cases[i].value);
        lines(program, 0, 0, expected);
    }
    lines(KERNEL("block 3", "let x = lane\nif lane == 1 { let x = x + 10\nlet y = 5 }\nlet y = 1\n"
                            "STS [x]\nrepeat 2 { let x = x * 2 }\nSTS [x + y]"),
          0, 0,
          "0000 00000007 0 STS 0 4 2 0x0 11 -9 0\n0010 00000007 0 STS 0 4 2 0x1 44 -36 0\n"
          "0020 00000007 0 EXIT 0 0 0");
}

/* The list, headers, and the same bytes again. */
static void test_files(void)
{
    g_autoptr(Scratch) scratch = scratch_new();
    static const char program[] =
        "memcpy 0x10, 32 # a comment\nlet n = 3; kernel \"a b\" { grid n; stream 7 ; "
        "registers 9; shared 5\r\nversion 86 } memcpy 1, 2\nkernel B {\n}";
    g_autoptr(GError) error = NULL;
    const char *wrong = scratch_write(scratch, "w.wwk", program, -1);
    g_assert_false(ww_trace_make(wrong, scratch_path(scratch, "made"), &plain, NULL, &error));
    g_assert_nonnull(strstr(error->message, "w.wwk:3: 'memcpy'; expected the end of the line"));
    g_assert_false(g_file_test(scratch_path(scratch, "made"), G_FILE_TEST_EXISTS));
    g_auto(GStrv) parts = g_strsplit(program, "} memcpy", 2);
    g_autofree char *good = g_strjoinv("}\nmemcpy", parts);
    g_autofree char *one = make(scratch, good, 1), *again = make(scratch, good, 1);
    g_assert_cmpstr(one, ==, again);
    g_assert_true(g_str_has_prefix(one, "-kernel name = a b\n-kernel id = 1\n-grid dim = (3,1,1)\n"
                                        "-block dim = (32,1,1)\n-shmem = 5\n-nregs = 9\n"
                                        "-binary version = 86\n-cuda stream id = 7\n"));
    g_autofree char *list = NULL;
    g_assert_true(
        g_file_get_contents(scratch_path(scratch, "made/kernelslist.g"), &list, NULL, NULL));
    g_assert_cmpstr(list, ==,
                    "MemcpyHtoD,0x0000000000000010,32\nkernel-1.traceg\n"
                    "MemcpyHtoD,0x0000000000000001,2\nkernel-2.traceg\n");
}

static void test_wrong(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"", ":1: no kernel; expected 'kernel NAME"},
        {"memcpy 1, 2", ":1: no kernel"},
        {"krnl k {}", ":1: 'krnl'; expected kernel, memcpy or let"},
        {"kernel {}", ":1: '{'; expected the kernel's name"},
        {"kernel k", ":1: the end of the file; expected '{'"},
        {"kernel k {\nNOP", ":2: the end of the file; expected the end of the line, ';' or '}'"},
        {"kernel k {\nNOPE\n}",
         ":2: unknown opcode 'NOPE' (Volta); expected one of its opcode map"},
        {"kernel k {\nversion 71\n}",
         ":1: no opcode map for binary version 71; expected one of 35"},
        {"kernel k {\ngrid 0\n}", ":2: size 0; expected 1 to 2147483647"},
        {"kernel k {\ngrid 2147483647, 2147483647, 9\n}", ":1: the grid has too many blocks"},
        {"kernel k {\nblock 64, 64\n}", ":1: a block has 4096 threads; expected at most 2048"},
        {"kernel k {\nregisters 2000\n}", ":2: registers 2000; expected 0 to 1024"},
        {"kernel k {\nNOP\ngrid 2\n}", ":3: 'grid'; expected an instruction, let, if, for"},
        {"kernel k {\nlet lane = 2\n}", ":2: 'lane'; expected a name that means nothing yet"},
        {"kernel k {\nlet X = 2\n}", ":2: 'X'; expected a name that begins with a small letter"},
        {"let a = 1\nkernel k {\nlet a = 2\n}", ":3: 'a'; expected a name of its own"},
        {"kernel k {\nlet a = a\n}", ":2: 'a'; expected a variable, or one of lane"},
        {"kernel k {\nif lane { let a = 1 }\nNOP imm a\n}", ":3: 'a'; expected a variable"},
        {"kernel k {\nNOP imm 1 / (lane - 3)\n}", ":2: division by 0"},
        {"kernel k {\nNOP imm 1 % 0\n}", ":2: division by 0"},
        {"kernel k {\nNOP imm 1 << 64\n}", ":2: shift by 64; expected 0 to 63 bits"},
        {"kernel k {\nNOP imm lane\n}", ":2: immediate differs from lane to lane"},
        {"kernel k {\nNOP imm 1 << 40\n}", ":2: immediate 1099511627776; expected -2147483648 to"},
        {"kernel k {\nR(lane) = NOP\n}", ":2: register differs from lane to lane"},
        {"kernel k {\nR(256) = NOP\n}", ":2: register 256; expected 0 to 255"},
        {"kernel k {\nR256 = NOP\n}", ":2: 'R256'; expected a register: R0 to R255"},
        {"kernel k {\nR1 = R2\n}", ":2: unknown opcode 'R2' (Volta)"},
        {"kernel k {\nR1 NOP\n}", ":2: 'NOP'; expected '=' and an opcode"},
        {"kernel k {\nFFMA R1, R2, R3, R4, R5\n}", ":2: 'R5'; expected"},
        {"kernel k {\nFFMA R1,\n}", ":2: the end of the line; expected a register or '['"},
        {"kernel k {\nLDG\n}", ":2: LDG accesses memory; expected an address, as [EXPR]"},
        {"kernel k {\nFFMA [3]\n}", ":2: FFMA accesses no memory; expected no address"},
        {"kernel k {\nR1 = STG [3]\n}", ":2: the store STG has a destination; expected none"},
        {"kernel k {\nLDS [3 width 4\n}", ":2: 'width'; expected ']' or an operator"},
        {"kernel k {\nLDS [3] width 200\n}", ":2: width 200; expected 1 to 128"},
        {"kernel k {\nLDS [(3\n}", ":3: '}'; expected ')' or an operator"},
        {"kernel k {\nunroll lane { NOP }\n}", ":2: this depends on lanes, blocks or variables"},
        {"kernel k {\nunroll 2000000 { NOP }\n}", ":2: more than 1048576 different instructions"},
        {"kernel k {\nunroll 2000 { unroll 2000 { NOP } }\n}", ":2: more than 1048576 different"},
        {"kernel k {\nfor i in 0..3 step 0 { NOP }\n}", ":2: a step of 0"},
        {"kernel k {\nfor i 0..3 { NOP }\n}", ":2: '0'; expected 'in'"},
        {"kernel k {\nfor i in 0 { NOP }\n}", ":2: '{'; expected '..' between"},
        {"kernel k {\nfor i in i..3 { NOP }\n}", ":2: 'i'; expected a variable"},
        {"kernel k {\nrepeat 1000000000000 { }\n}",
         ":2: the program has not ended after all of its"},
        {"kernel k {\nrepeat 1000000000000 { NOP }\n}", ":2: the program has not ended after all"},
        {"kernel k {\ngrid 2147483647, 4194304\n}", ":1: the program has not ended after all"},
        {"kernel k {\nNOP NOP\n}", ":2: 'NOP'; expected a register"},
        {"kernel k {\nNOP }\nNOP", ":3: 'NOP'; expected kernel, memcpy or let"},
        {"kernel k {\n@P0 NOP\n}", ":2: '@'; expected a program: words"},
        {"kernel \"k {\n}", ":1: '\"k {'; expected '\"' at its end"},
        {"kernel k {\nNOP imm 0xfffffffffffffffff\n}", "; expected a number of 64 bits"},
        {"kernel k {\nNOP imm 12ab\n}", ":2: '12a'; expected a number of 64 bits"},
        {"kernel k {\nNOP imm 0x\n}", ":2: '0x'; expected digits behind 0x"},
        {"memcpy 1", ":1: the end of the file; expected ',' and the number of bytes"},
        {"memcpy 1, 0", ":1: bytes 0; expected 1 to 1099511627776"},
        {"memcpy lane, 1", ":1: this depends on lanes"},
        {"kernel k {\nNOP imm \xc3\xa9\n}", ":2: '?'; expected a program"},
        {"kernel k {\n\001\n}", ":2:1: byte 0x01 is no text; expected a kernel program"},
    };
    g_autoptr(Scratch) scratch = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        const char *file = scratch_write(scratch, "p.wwk", cases[i].text, -1);
        if (ww_trace_make(file, scratch_path(scratch, "out"), &plain, NULL, &error) ||
            strstr(error->message, cases[i].says) == NULL || strchr(error->message, '\n') != NULL) {
            g_error("%s: %s", cases[i].says, error != NULL ? error->message : "no error");
        }
        g_assert_nonnull(strstr(error->message, "p.wwk:"));
        g_assert_false(g_file_test(scratch_path(scratch, "out"), G_FILE_TEST_EXISTS));
    }
}

/* Texts made to go deep or long end with a line. */
static void test_hostile(void)
{
    static const struct {
        const char *before, *again, *after, *says;
        uint32_t n;
    } cases[] = {
        {"kernel k {\nNOP imm ", "(", "", "nested too deeply; expected at most 64 levels", 100000},
        {"kernel k {\nNOP imm ", "-", "1\n}", "nested too deeply", 100000},
        {"kernel k {\nNOP imm 1", "+1", "\n}", "more than 256 operations in each other", 100000},
        {"kernel k {\nNOP imm ", "1?", "", "nested too deeply", 10000},
        {"kernel k {\n", "if 1 {\n", "", "nested too deeply", 10000},
        {"kernel k {\nif 1 { }", "else if 1 { }", "\n}", "nested too deeply", 10000},
        {"kernel k {\n", "unroll 2 {\n", "", "nested too deeply", 10000},
        {"", "kernel k {\n}\n", "", "expected at most 4096 kernels and copies", 5000},
        {"kernel k {\n", "R1 = ", "", "unknown opcode 'R1'", 5000},
        {"kernel k {\nN", "O", "P\n}", "expected an opcode of at most 127 bytes", 5000},
        {"", "x", "", "line of more than 65536 bytes", 70000},
    };
    g_autoptr(Scratch) scratch = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        g_autoptr(GString) text = g_string_new(cases[i].before);
        for (uint32_t k = 0; k < cases[i].n; k++) {
            g_string_append(text, cases[i].again);
        }
        if (strcmp(cases[i].again, "+1") == 0 || text->len > 65536) {
            text->str[65000] = '\n'; /* no line is that long */
            g_string_truncate(text, *cases[i].again == 'x' ? text->len : 65000);
            text->str[*cases[i].again == 'x' ? 65000 : 64999] = 'x';
        }
        g_string_append(text, cases[i].after);
        const char *file = scratch_write(scratch, "p.wwk", text->str, (gssize)text->len);
        if (ww_trace_make(file, scratch_path(scratch, "out"), &plain, NULL, &error) ||
            strstr(error->message, cases[i].says) == NULL) {
            g_error("%s: %s", cases[i].says, error != NULL ? error->message : "no error");
        }
    }
    g_autoptr(GString) names = g_string_new("kernel k {\n");
    for (int i = 0; i < 300; i++) {
        g_string_append_printf(names, "let v%d = 1\n", i);
    }
    g_autoptr(GError) error = NULL;
    const char *file = scratch_write(scratch, "p.wwk", names->str, -1);
    g_assert_false(ww_trace_make(file, scratch_path(scratch, "out"), &plain, NULL, &error));
    g_assert_nonnull(strstr(error->message, ":258: 'v256'; expected at most 256 names"));
}

void add_make_tests(void)
{
    g_test_add_func("/trace/make/same", test_same);
    g_test_add_func("/trace/make/lanes", test_lanes);
    g_test_add_func("/trace/make/addresses", test_addresses);
    g_test_add_func("/trace/make/values", test_values);
    g_test_add_func("/trace/make/files", test_files);
    g_test_add_func("/trace/make/wrong", test_wrong);
    g_test_add_func("/trace/make/hostile", test_hostile);
}
