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
        {"-binary version = 90",
         "no opcode map for binary version 90; expected one of 35, 60, 61, 70, 75, 80, 86"},
        {"-accelsim tracer version = 6",
         ":10: bad '-accelsim tracer version = 6'; expected 1 to 5"},
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
        {"MemcpyHtoD,0xffffffffffffffff,2\n", ":1: bad copy"},
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

void add_error_tests(void)
{
    g_test_add_func("/trace/errors/lines", test_lines);
    g_test_add_func("/trace/errors/fast_path", test_fast_path);
    g_test_add_func("/trace/errors/headers", test_headers);
    g_test_add_func("/trace/errors/missing_fields", test_missing_fields);
    g_test_add_func("/trace/errors/blocks", test_blocks);
    g_test_add_func("/trace/errors/lists", test_lists);
    g_test_add_func("/trace/errors/nul", test_nul);
}
