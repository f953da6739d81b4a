/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Malformed traces: each names file and line, what is wrong, what was expected.
 */
#include "util.h"

#include <string.h>

#define EXIT_LINE "0010 ffffffff 0 EXIT 0 0 0\n"

/** Instruction lines that must be refused; line 19 of the file. */
static void test_lines(void)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"zz ffffffff 0 EXIT 0 0 0", ":19: bad pc 'zz'"},
        {"11112222333344445 f 0 EXIT 0 0 0", ":19: bad pc"},
        {"0010 fffffffg 0 EXIT 0 0 0", ":19: bad mask 'fffffffg'"},
        {"0010 1ffffffff 0 EXIT 0 0 0",
         ":19: bad mask '1ffffffff'; expected a hexadecimal number of 32 bits"},
        {"0010", ":19: bad mask ''"},
        {"0010 ffffffff 2 R1 R2 MOV 0 0 0", ":19: bad number of destinations '2'; expected 0 or 1"},
        {"0010 ffffffff 1 R256 MOV 0 0 0", ":19: bad register 'R256'; expected R0 to R255"},
        {"0010 ffffffff 1 P1 MOV 0 0 0", ":19: bad register 'P1'"},
        {"0010 ffffffff 1 R1 MOV 5 R1 R1 R1 R1 R1 0 0",
         ":19: bad number of sources '5'; expected 0 to 4"},
        {"0010 ffffffff 1 R1 MOV -1 0 0", ":19: bad number of sources '-1'"},
        {"0010 ffffffff 0 M\x01V 0 0 0", ":19: bad opcode 'M?V'"},
        {"0010 ffffffff 0", ":19: bad opcode ''"},
        {"0010 ffffffff 0 MOV 0 129 0", ":19: bad memory width '129'"},
        {"0010 ffffffff 0 MOV 0", ":19: bad memory width ''"},
        {"0010 ffffffff 0 LDG 0 4 3 0x0 0", ":19: bad address mode '3'; expected 0 (list)"},
        {"0010 ffffffff 0 LDG 0 4", ":19: bad address mode ''"},
        {"0010 00000003 0 LDG 0 4 0 0x10",
         ":19: bad address ''; expected one hexadecimal address for each"},
        {"0010 00000001 0 LDG 0 4 0 0x10 0x20 0", ":19: bad immediate '0x20'"},
        {"0010 00000001 0 LDG 0 4 1 0x 4 0", ":19: bad base address '0x'"},
        {"0010 00000001 0 LDG 0 4 1 0x10 2147483648 0", ":19: bad stride '2147483648'"},
        {"0010 00000007 0 LDG 0 4 2 0x10 4", ":19: bad address delta ''"},
        {"0010 00000007 0 LDG 0 4 2 0x10 4 99999999999999999999", ":19: bad address delta '9999"},
        {"0010 ffffffff 0 MOV 0 0 1 2", ":19: bad rest of the line '2'; expected nothing"},
        {"0010 ffffffff 0 MOV 0 0 1.5", ":19: bad immediate '1.5'"},
        {"warp = 0", ":19: warp 0 ends after 0 instructions; expected 1"},
        {"#END_TB", ":19: warp 0 ends after 0 instructions; expected 1"},
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *line = g_strconcat(cases[i].line, "\n", NULL);
        g_autofree char *text = make_kernel("", 1, line);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, cases[i].message);
    }
}

/** The same faults behind a good line of the same text: the fast path must not let them through. */
static void test_fast_path(void)
{
    static const struct {
        const char *good, *bad, *message;
    } cases[] = {
        {"0010 ffffffff 0 EXIT 0 0 0", "0010 ffffffff 0 EXIT 0 0 0 1",
         ":20: bad rest of the line '1'"},
        {"0010 ffffffff 0 EXIT 0 0 0", "0010 ffffffff 0 EXIT 0 0 00 x",
         ":20: bad rest of the line 'x'"},
        {"0010 00000003 0 LDG 0 4 2 0x10 4 0", "0010 00000003 0 LDG 0 4 2 0x10",
         ":20: bad address delta ''"},
        {"0010 00000003 0 LDG 0 4 2 0x10 4 0", "0010 00000003 0 LDG 0 4 2 0xq 4 0",
         ":20: bad base address '0xq'"},
        {"0010 00000003 0 LDG 0 4 2 0x10 4 0", "0010 00000003 0 LDG 0 4 2 0x10 4 z",
         ":20: bad immediate 'z'"},
        {"0010 00000003 0 LDG 0 4 2 0x10 4 0", "0010 00000003 0 LDG 0 45",
         ":20: bad address mode ''"},
        {"0010 00000003 0 LDG 0 4 0 0x10 0x4 0", "0010 00000007 0 LDG 0 4 0 0x10 0x4 zz",
         ":20: bad address 'zz'"},
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *lines = g_strconcat(cases[i].good, "\n", cases[i].bad, "\n", NULL);
        g_autofree char *text = make_kernel("", 2, lines);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, cases[i].message);
    }
}

static void test_headers(void)
{
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"-grid dim = (0,1,1)", ":10: bad '-grid dim = (0,1,1)'; expected (x,y,z)"},
        {"-grid dim = (1,1)", ":10: bad '-grid dim"},
        {"-grid dim = (1,1,1) x", ":10: bad '-grid dim"},
        {"-grid dim = (2147483648,1,1)", ":10: bad '-grid dim"},
        {"-grid dim = (2147483647,2147483647,2147483647)", "the grid has too many blocks"},
        {"-block dim = (64,64,1)", "a block has 4096 threads; expected at most 2048"},
        {"-block dim = (-1,1,1)", ":10: bad '-block dim"},
        {"-shmem = 0x10", ":10: bad '-shmem = 0x10'; expected bytes"},
        {"-shmem = 99999999999", ":10: bad '-shmem"},
        {"-nregs = 2000", ":10: bad '-nregs"},
        {"-binary version = 91", "no opcode map for binary version 91; expected one of 35, 60, 61, "
                                 "70, 75, 80, 86, 87, 89, 90"},
        {"-accelsim tracer version = 7",
         ":10: bad '-accelsim tracer version = 7'; expected 1 to 6"},
        {"-accelsim tracer version = 1.", ":10: bad '-accelsim tracer version = 1.'"},
        {"-accelsim tracer version = 1.2.3", ":10: bad '-accelsim tracer version = 1.2.3'"},
        {"-accelsim tracer version = 0", ":10: bad '-accelsim tracer version = 0'"},
        {"-local mem base_addr = 0x1ffffffffffffffff", ":10: bad '-local mem base_addr"},
        {"-kernel name = ", ":10: bad '-kernel name = '; expected a name"},
        {"hello", ":10: 'hello' is not a header line; expected '-key = value' or '#'"},
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = make_kernel(cases[i].header, 1, EXIT_LINE);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, cases[i].message);
    }
}

static void test_missing_fields(void)
{
    static const char *const fields[] = {"-kernel name", "-grid dim", "-block dim",
                                         "-shmem",       "-nregs",    "-binary version"};
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = make_kernel("", 1, EXIT_LINE);
    for (size_t i = 0; i < G_N_ELEMENTS(fields); i++) {
        g_autofree char *copy = g_strdup(text);
        g_autofree char *message = g_strdup_printf("header has no '%s = ...'", fields[i]);
        memcpy(strstr(copy, fields[i]), "-x", 2);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", copy, -1), NULL, message);
    }
    assert_read_fails(scratch_write(s, "kernel-1.traceg", "-kernel name = k\n", -1), NULL,
                      ":1: trace ends inside the header");
}

/** Text after the header of a kernel of 64 threads. */
static void test_blocks(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "trace ends after 0 thread blocks; expected 1 as the grid says"},
        {"#END_TB\n", ":13: bad line '#END_TB' between thread blocks; expected #BEGIN_TB"},
        {"#BEGIN_TB\n", "trace ends inside thread block 1; expected #END_TB"},
        {"#BEGIN_TB\n#BEGIN_TB\n", ":14: '#BEGIN_TB' where no instruction is due"},
        {"#BEGIN_TB\n" EXIT_LINE, ":14: '0010 ffffffff 0 EXIT 0 0 0' where no instruction is due"},
        {"#BEGIN_TB\nthread block = 1,2\n", ":14: bad line 'thread block = 1,2'"},
        {"#BEGIN_TB\nthread block\n", ":14: bad line 'thread block'"},
        {"#BEGIN_TB\nwarp = 2\n",
         ":14: bad line 'warp = 2'; expected 'warp = k', k from 0 to 1 (a block has 64"},
        {"#BEGIN_TB\nwarp = x\n", ":14: bad line 'warp = x'"},
        {"#BEGIN_TB\nwarp = 0\ninsts = 0\n", ":15: bad line 'insts = 0' after 'warp = 0'"},
        {"#BEGIN_TB\nwarp = 0\ninsts = 4294967296\n", ":15: bad line 'insts"},
        {"#BEGIN_TB\nwarp = 0\ninsts = -1\n", ":15: bad line 'insts = -1'"},
        {"#BEGIN_TB\nwarp = 0\n" EXIT_LINE, ":15: bad line '0010"},
        {"#BEGIN_TB\nwarp = 0\ninsts = 2\n" EXIT_LINE,
         "warp 0 is cut off (the trace ends) after 1 instructions"},
        {"#BEGIN_TB\nwarp = 0\ninsts = 1\n" EXIT_LINE EXIT_LINE,
         ":17: '0010 ffffffff 0 EXIT 0 0 0' where no"},
        {"#BEGIN_TB\nwarp = 0\ninsts = 1\n" EXIT_LINE "warp = 0\n", ":17: warp 0 stands twice"},
        {"#BEGIN_TB\nwarp = 1\ninsts = 1\n" EXIT_LINE "#END_TB\n",
         ":17: thread block ends without warp 0; expected 2"},
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *header = make_header(64, "");
        g_autofree char *text = g_strconcat(header, cases[i].text, NULL);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, cases[i].message);
    }
}

static void test_lists(void)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "kernelslist.g: file is empty"},
        {"\n\n", "nothing but blank lines"},
        {"MemcpyHtoD,0x0,1\n", "no kernels in the list; expected lines such as"},
        {"kernel-9.traceg\n",
         "kernelslist.g:1: no kernel trace 'kernel-9.traceg'; expected that file, or with .xz"},
        {"MemcpyHtoD\nkernel-1.traceg\n",
         ":1: bad copy 'MemcpyHtoD'; expected 'MemcpyHtoD,<hex address>,<bytes>'"},
        {"MemcpyHtoD,0x0\n", ":1: bad copy"},
        {"MemcpyHtoD,0x0,1,2\n", ":1: bad copy"},
        {"MemcpyHtoD,0xg,1\n", ":1: bad copy"},
        {"MemcpyHtoD,0x0,x\n", ":1: bad copy"},
        {"MemcpyHtoD,0xffffffffffffffff,2\n",
         ":1: 'MemcpyHtoD,0xffffffffffffffff,2' ends behind the last address; expected"},
        {"MemcpyHtoD,0x0,1099511627777\n",
         ":1: copy of 1099511627777 bytes; expected at most 1099511627776 (1 TiB)"},
        {"MemcpyHtoD,0x0,99999999999999999999\n", ":1: bad copy"},
    };
    g_autoptr(Scratch) s = scratch_new();
    assert_read_fails(s->dir, NULL, "no kernelslist.g in this directory");
    assert_read_fails(scratch_path(s, "nothing"), NULL, "cannot open: No such file");
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        assert_read_fails(scratch_write(s, "kernelslist.g", cases[i].text, -1), NULL,
                          cases[i].message);
    }
    assert_read_fails(scratch_write(s, "kernelslist.g", "kernel-1\0.traceg\n", 17), NULL,
                      ":1: NUL byte");
    scratch_write(s, "kernel-dir/x", "x", -1);
    assert_read_fails(scratch_write(s, "kernelslist.g", "kernel-dir\n", -1), NULL,
                      "is a directory");
}

static void test_nul(void)
{
    g_autoptr(Scratch) s = scratch_new();
    static const char *const places[] = {"ffffffff", "EXIT",   "0 0 0\n",
                                         "-nregs",   "#BEGIN", "insts"};
    g_autofree char *text = make_kernel("", 1, EXIT_LINE);
    for (size_t i = 0; i < G_N_ELEMENTS(places); i++) {
        g_autofree char *copy = g_strdup(text);
        strstr(copy, places[i])[1] = '\0';
        assert_read_fails(scratch_write(s, "kernel-1.traceg", copy, (gssize)strlen(text)), NULL,
                          "kernel-1.traceg:");
    }
}

/** What no warp could execute: told with line, thread block and warp. */
static void test_programs(void)
{
    static const struct {
        uint32_t n;
        const char *lines, *message;
    } cases[] = {
        {3, EXIT_LINE "0020 00000000 0 NOP 0 0 0\n0030 00000000 0 NOP 0 0 0\n",
         ":19: warp 0 of thread block 0,0,0 has no lanes left after this, its instruction 1 of 3; "
         "expected nothing after the last EXIT"},
        {3, "0000 0000ffff 0 EXIT 0 0 0\n0010 ffff0000 0 EXIT 0 0 0\n0020 ffffffff 0 NOP 0 0 0\n",
         ":20: warp 0 of thread block 0,0,0 has no lanes left after this, its instruction 2 of 3"},
        {2, "0000 ffffffff 1 R7 STG.E 2 R2 R5 4 1 0x40 4 0\n" EXIT_LINE,
         ":19: the store STG.E has a destination register, R7 (thread block 0,0,0, warp 0); "
         "expected none"},
        {2, "0000 ffffffff 1 R7 STS 2 R2 R5 4 1 0x40 4 0\n" EXIT_LINE, ":19: the store STS has"},
        {2, "0000 ffffffff 1 R7 ST.E 2 R2 R5 4 1 0x40 4 0\n" EXIT_LINE, ":19: the store ST.E has"},
    };
    static const char *const good[] = {
        "0000 0000ffff 0 EXIT 0 0 0\n0010 ffff0000 0 MOV 0 0 0\n0020 ffff0000 0 EXIT 0 0 0\n",
        "0000 00000000 0 EXIT 0 0 0\n0010 ffffffff 0 MOV 0 0 0\n0020 ffffffff 0 EXIT 0 0 0\n",
        ("0000 ffffffff 1 R4 ATOMS.ADD 2 R2 R5 4 1 0x40 4 0\n"
         "0010 ffffffff 1 R4 ATOMG.ADD 2 R2 R5 4 1 0x40 4 0\n0020 ffffffff 0 EXIT 0 0 0\n"),
    };
    g_autoptr(Scratch) s = scratch_new();
    ReadResult r;
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autofree char *text = make_kernel("", cases[i].n, cases[i].lines);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, cases[i].message);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(good); i++) {
        g_autoptr(GError) error = NULL;
        g_autofree char *text = make_kernel("", 3, good[i]);
        read_all(scratch_write(s, "kernel-1.traceg", text, -1), NULL, &r, &error);
        g_assert_no_error(error);
    }
    g_autoptr(GError) error = NULL; /* fetched with the EXIT, and dropped */
    g_autofree char *text = make_kernel("", 2, EXIT_LINE "0020 00000000 0 NOP 0 0 0\n");
    read_all(scratch_write(s, "kernel-1.traceg", text, -1), NULL, &r, &error);
    g_assert_no_error(error);
}

/** The last of a warp of 8 threads is its 8th lane. */
static void test_partial_warp(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *header = make_header(40, "");
    g_autofree char *text = g_strconcat(header,
                                        "#BEGIN_TB\nwarp = 0\ninsts = 1\n" EXIT_LINE
                                        "warp = 1\ninsts = 3\n0010 000000ff 0 EXIT 0 0 0\n"
                                        "0020 000000ff 0 EXIT 0 0 0\n"
                                        "0030 000000ff 0 NOP 0 0 0\n#END_TB\n",
                                        NULL);
    assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL,
                      ":19: warp 1 of thread block 0,0,0 has no lanes left after this");
}

static void test_doubled_keys(void)
{
    static const char *const keys[] = {
        "kernel name = k",
        "kernel id = 1",
        "grid dim = (1,1,1)",
        "block dim = (32,1,1)",
        "shmem = 0",
        "nregs = 32",
        "binary version = 70",
        "cuda stream id = 0",
        "shmem base_addr = 0x10",
        "local mem base_addr = 0x10",
        "nvbit version = 1.7",
        "accelsim tracer version = 5",
        "enable lineinfo = 0",
    };
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(keys); i++) {
        g_autofree char *more = g_strdup_printf("-%s\n-%s", keys[i], keys[i]);
        g_autofree char *key = g_strndup(keys[i], strcspn(keys[i], "=") - 1);
        g_autofree char *message =
            g_strdup_printf(":11: '-%s' stands twice, in line 10, too; expected once", key);
        g_autofree char *text = make_kernel(more, 1, EXIT_LINE);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", text, -1), NULL, message);
    }
}

static void keep_warning(void *user, const char *message)
{
    g_string_append_printf(user, "%s\n", message);
}

/** Lines that lists are known to hold are left out in silence; others are told, in one line. */
static void test_unknown_lines(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GString) said = g_string_new(NULL);
    g_autofree char *text = make_kernel("", 1, EXIT_LINE);
    WwTraceOptions options = {.warn = keep_warning, .warn_user = said};
    ReadResult r;
    scratch_write(s, "kernel-1.traceg", text, -1);
    const char *list = scratch_write(s, "kernelslist.g",
                                     "# a comment\n\nMemcpyHtoD,0x10,4\nMemcpyDtoH,0x10,4\n"
                                     "cudaEventRecord\nkernel-1.traceg\n",
                                     -1);
    g_assert_true(read_all(list, &options, &r, NULL));
    g_assert_cmpstr(said->str, ==, "");
    scratch_write(s, "kernelslist.g", "kernel-1.traceg\nkernle-2.traceg\nx\n", -1);
    g_assert_true(read_all(list, &options, &r, NULL));
    g_assert_cmpuint(r.kernels, ==, 1);
    g_autofree char *expected = g_strdup_printf(
        "%s:2: unknown line 'kernle-2.traceg' is left out (and 1 more); expected 'kernel...' or "
        "'MemcpyHtoD,<hex address>,<bytes>'\n",
        list);
    g_assert_cmpstr(said->str, ==, expected);
    options.strict = true;
    assert_read_fails(list, &options, ":2: unknown line 'kernle-2.traceg'; expected 'kernel");
}

/** A run reads what stands after the last thread block, too. */
static void test_after_the_last(void)
{
    static const char *const after[] = {"#BEGIN_TB\nwarp = 0\ninsts = 1\n" EXIT_LINE "#END_TB\n",
                                        "x\n", "#END_TB\n"};
    static const char *const says[] = {"another thread block after 1; expected the end",
                                       "bad line 'x' between thread blocks",
                                       "bad line '#END_TB' between thread blocks"};
    g_autoptr(Scratch) s = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(after); i++) {
        g_autofree char *text = make_kernel("", 1, EXIT_LINE);
        g_autofree char *all = g_strconcat(text, after[i], NULL);
        assert_read_fails(scratch_write(s, "kernel-1.traceg", all, -1), NULL, says[i]);
    }
}

void add_error_tests(void)
{
    g_test_add_func("/trace/errors/programs", test_programs);
    g_test_add_func("/trace/errors/partial_warp", test_partial_warp);
    g_test_add_func("/trace/errors/doubled_keys", test_doubled_keys);
    g_test_add_func("/trace/errors/unknown_lines", test_unknown_lines);
    g_test_add_func("/trace/errors/after_the_last", test_after_the_last);
    g_test_add_func("/trace/errors/lines", test_lines);
    g_test_add_func("/trace/errors/fast_path", test_fast_path);
    g_test_add_func("/trace/errors/headers", test_headers);
    g_test_add_func("/trace/errors/missing_fields", test_missing_fields);
    g_test_add_func("/trace/errors/blocks", test_blocks);
    g_test_add_func("/trace/errors/lists", test_lists);
    g_test_add_func("/trace/errors/nul", test_nul);
}
