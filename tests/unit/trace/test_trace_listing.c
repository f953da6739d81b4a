/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Listings: operands, control bits, what is written; both disassemblers' text; how they are found, joined with a trace, and refused.
 */
#include "util.h"

#include <listing-priv.h>
#include <math.h>
#include <string.h>
#include <trace/info.h>

/* ---- operands ----------------------------------------------------------------------------------------------------- */

static void assert_operand(const char *text, WwOperandKind kind, uint8_t flags, uint8_t reg,
                           uint8_t ureg, uint32_t bank, int64_t imm)
{
    WwOperand o = ww_operand_read(text, strlen(text));
    g_test_message("%s", text);
    g_assert_cmpstr(ww_operand_kind_name(o.kind), ==, ww_operand_kind_name(kind));
    g_assert_cmphex(o.flags, ==, flags);
    g_assert_cmpuint(o.reg, ==, reg);
    g_assert_cmpuint(o.ureg, ==, ureg);
    g_assert_cmpuint(o.bank, ==, bank);
    g_assert_cmphex((guint64)o.imm, ==, (guint64)imm);
}

static void test_operands(void)
{
    const uint8_t reg = WW_OPERAND_HAS_REG, ureg = WW_OPERAND_HAS_UREG;
    assert_operand("R0", WW_OPERAND_REG, 0, 0, 0, 0, 0);
    assert_operand("R254", WW_OPERAND_REG, 0, 254, 0, 0, 0);
    assert_operand("RZ", WW_OPERAND_REG, 0, WW_REG_ZERO, 0, 0, 0);
    assert_operand("-|R7.reuse|", WW_OPERAND_REG,
                   WW_OPERAND_NEGATED | WW_OPERAND_ABSOLUTE | WW_OPERAND_REUSE, 7, 0, 0, 0);
    assert_operand("-R4.reuse.H0_H0", WW_OPERAND_REG, WW_OPERAND_NEGATED | WW_OPERAND_REUSE, 4, 0,
                   0, 0);
    assert_operand("~UR63", WW_OPERAND_UREG, WW_OPERAND_NEGATED, 63, 0, 0, 0);
    assert_operand("URZ", WW_OPERAND_UREG, 0, WW_UREG_ZERO, 0, 0, 0);
    assert_operand("!PT", WW_OPERAND_PRED, WW_OPERAND_NEGATED, WW_PRED_TRUE, 0, 0, 0);
    assert_operand("P6", WW_OPERAND_PRED, 0, 6, 0, 0, 0);
    assert_operand("PR", WW_OPERAND_PRED, 0, WW_PRED_ALL, 0, 0, 0);
    assert_operand("!UP3", WW_OPERAND_UPRED, WW_OPERAND_NEGATED, 3, 0, 0, 0);
    assert_operand("B15", WW_OPERAND_BARRIER, 0, 15, 0, 0, 0);
    assert_operand("SB0", WW_OPERAND_COUNTER, 0, 0, 0, 0, 0);
    assert_operand("SB5", WW_OPERAND_COUNTER, 0, 5, 0, 0, 0);
    assert_operand("{4,1}", WW_OPERAND_COUNTERS, 0, 0, 0, 0, 0x12);
    assert_operand("SR_TID.X", WW_OPERAND_SPECIAL, 0, 0, 0, 0, 0);
    assert_operand("0x1a0", WW_OPERAND_IMMEDIATE, 0, 0, 0, 0, 0x1a0);
    assert_operand("-0x8", WW_OPERAND_IMMEDIATE, 0, 0, 0, 0, -8);
    assert_operand("c[0x0][0x160]", WW_OPERAND_CONST, 0, 0, 0, 0, 0x160);
    assert_operand("-c[0x3][R2+0x10]", WW_OPERAND_CONST, WW_OPERAND_NEGATED | reg, 2, 0, 3, 0x10);
    assert_operand("c[0x0] [0x164].H1_H1", WW_OPERAND_CONST, 0, 0, 0, 0, 0x164);
    assert_operand("c[0x0][UR4]", WW_OPERAND_CONST, ureg, 0, 4, 0, 0);
    assert_operand("cx[UR6][0x20]", WW_OPERAND_CONST, WW_OPERAND_BOUND, 0, 6, 0, 0x20);
    assert_operand("[R2.64]", WW_OPERAND_ADDRESS, reg | WW_OPERAND_WIDE, 2, 0, 0, 0);
    assert_operand("[R2.64+UR4+-0x10]", WW_OPERAND_ADDRESS, reg | ureg | WW_OPERAND_WIDE, 2, 4, 0,
                   -16);
    assert_operand("[R2+UR4.64]", WW_OPERAND_ADDRESS, reg | ureg, 2, 4, 0, 0);
    assert_operand("[R3.X4+0x8]", WW_OPERAND_ADDRESS, reg, 3, 0, 0, 8);
    assert_operand("[UR5+0x100]", WW_OPERAND_ADDRESS, ureg, 0, 5, 0, 256);
    assert_operand("[0x40]", WW_OPERAND_ADDRESS, 0, 0, 0, 0, 64);
    assert_operand("desc[UR4][R2.64+0x4]", WW_OPERAND_DESC, reg | ureg | WW_OPERAND_WIDE, 2, 4, 0,
                   4);
    assert_operand("gdesc[UR8]", WW_OPERAND_DESC, ureg, 0, 8, 0, 0);
}

static void test_numbers(void)
{
    static const struct {
        const char *text;
        double value;
    } numbers[] = {{"1", 0},        {"1.5", 1.5},       {"-0.25", -0.25},
                   {"5e+10", 5e10}, {"+INF", HUGE_VAL}, {"-INF", -HUGE_VAL}};
    for (size_t i = 0; i < G_N_ELEMENTS(numbers); i++) {
        WwOperand o = ww_operand_read(numbers[i].text, strlen(numbers[i].text));
        double v;
        memcpy(&v, &o.imm, sizeof v);
        g_assert_cmpuint(o.kind, ==, WW_OPERAND_IMMEDIATE);
        g_assert_cmpint((o.flags & WW_OPERAND_FLOAT) != 0, ==, i != 0);
        g_assert_true(i == 0 ? o.imm == 1 : v == numbers[i].value);
    }
    WwOperand nan = ww_operand_read("+QNAN", 5);
    g_assert_cmphex(nan.flags, ==, WW_OPERAND_FLOAT);
}

/** What nobody knows is kept as that, and whatever it is it stays within its text. */
static void test_strange(void)
{
    static const char *const strange[] = {
        "2D",           "R255",    "R1000",    "P7",       "UP9",   "B16",
        "SB6",          "{6}",     "{1",       "[R2",      "[R2+]", "c[0x0][",
        "c[0x0]",       "c[x][0]", "desc[R2]", "`(foo)",   "|R2",   "R2..",
        "R2.",          "-",       "!",        "32@lo(x)", "0x",    "0x1g",
        "[R2.64",       "",        "cx[UR4]",  "R2junk",   "URX",   "99999999999999999999",
        "c[0x100][0x0]"};
    for (size_t i = 0; i < G_N_ELEMENTS(strange); i++) {
        g_autofree char *exact = g_memdup2(strange[i], MAX(strlen(strange[i]), 1));
        WwOperand o = ww_operand_read(exact, strlen(strange[i]));
        g_test_message("%s", strange[i]);
        g_assert_true(o.kind == WW_OPERAND_OTHER ||
                      (o.kind == WW_OPERAND_IMMEDIATE && (o.flags & WW_OPERAND_FLOAT)));
    }
}

/** As text, and read again, they are what they were. */
static void test_operand_text(void)
{
    static const char *const texts[] = {"R0",
                                        "RZ",
                                        "-R7.reuse",
                                        "|R3|",
                                        "-|R7.reuse|",
                                        "UR63",
                                        "URZ",
                                        "!PT",
                                        "PR",
                                        "!UPT",
                                        "UPR",
                                        "B3",
                                        "SB2",
                                        "{5,0}",
                                        "0x1a0",
                                        "-0x8",
                                        "c[0x0][0x160]",
                                        "-c[0x3][R2+0x10]",
                                        "cx[UR6][0x20]",
                                        "[R2.64+UR4+-0x10]",
                                        "[UR5+0x100]",
                                        "[0x0]",
                                        "desc[UR4][R2.64+0x4]",
                                        "desc[UR8]",
                                        "1.5",
                                        "-INF",
                                        "+QNAN",
                                        "R2.64"};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        char out[WW_OPERAND_TEXT], again[WW_OPERAND_TEXT];
        WwOperand o = ww_operand_read(texts[i], strlen(texts[i]));
        ww_operand_text(&o, out);
        WwOperand p = ww_operand_read(out, strlen(out));
        ww_operand_text(&p, again);
        g_assert_cmpstr(out, ==, again);
        g_assert_cmpmem(&o, sizeof o, &p, sizeof p);
        g_assert_cmpuint(o.kind, !=, WW_OPERAND_OTHER);
    }
}

static void assert_written(const char *inst, uint32_t n)
{
    g_autofree char *opcode = g_strndup(inst, strcspn(inst, " "));
    g_auto(GStrv) texts = g_strsplit(inst + strcspn(inst, " "), ",", -1);
    WwOperand o[WW_LISTING_OPERANDS];
    uint32_t k = 0;
    for (; texts[k] != NULL; k++) {
        char *text = g_strstrip(texts[k]);
        o[k] = ww_operand_read(text, strlen(text));
    }
    g_test_message("%s", inst);
    g_assert_cmpuint(ww_operands_written(opcode, o, k), ==, n);
}

static void test_written(void)
{
    assert_written("FFMA R1, R2, R3, R4", 1);
    assert_written("ISETP.GE.AND P0, PT, R1, R2, PT", 2);
    assert_written("PLOP3.LUT P0, PT, P1, P2, PT, 0x80, 0x8", 2);
    assert_written("IADD3 R1, P0, P1, R2, R3, R4", 3);
    assert_written("IADD3.X R1, R2, R3, R4, P0, !PT", 1);
    assert_written("UIADD3 UR4, UP0, UR5, UR6, URZ", 2);
    assert_written("LOP3.LUT P0, R1, R2, 0x1, RZ, 0xc0, !PT", 2);
    assert_written("SHFL.IDX PT, R3, R4, R5, 0x1f", 2);
    assert_written("ATOMG.E.ADD.STRONG.GPU PT, R0, [R2.64], R4", 2);
    assert_written("ATOMS.ADD R0, [R2], R4", 1);
    assert_written("LDG.E.128 R8, desc[UR4][R2.64]", 1);
    assert_written("LDGSTS.E [R3], [R2.64]", 0);
    assert_written("STG.E [R2.64], R4", 0);
    assert_written("RED.E.ADD.STRONG.GPU [R2.64], R4", 0);
    assert_written("VOTE.ANY R1, PT, P0", 2);
    assert_written("VOTE.ALL P1, P0", 1);
    assert_written("FCHK P0, R1, R2", 1);
    assert_written("R2P PR, R1, 0x7f", 1);
    assert_written("P2R R0, PR, RZ, 0x7f", 1);
    assert_written("SEL R1, R2, R3, P0", 1);
    assert_written("MATCH.ALL PT, R1, R2", 2);
    assert_written("TEX.LL R0, R2, R4, R6, 2D", 2);
    assert_written("BSSY B0, 0x100", 1);
    assert_written("BSYNC B0", 0);
    assert_written("BMOV.32.CLEAR RZ, B0", 1);
    assert_written("BAR.SYNC 0x0", 0);
    assert_written("DEPBAR.LE SB0, 0x1, {3,2}", 0);
    assert_written("RET.REL.NODEC R2, 0x0", 0);
    assert_written("S2R R0, SR_TID.X", 1);
    assert_written("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", 1);
}

/** Each of the 2^21 control fields is read and printed as the notation of assemblers says; what a text says is what is read back. */
static void test_control(void)
{
    for (uint32_t bits = 0; bits < 1u << 21; bits += 1 + bits % 7) {
        WwControl c = ww_control_of((uint64_t)bits << 41 | UINT64_C(0xc0000000deadbeef));
        char text[WW_CONTROL_TEXT], read, write, yield, wait[7];
        unsigned stall;
        ww_control_text(&c, text);
        g_assert_cmpint(
            sscanf(text, "B%6[-0-5]:R%c:W%c:%c:S%2u", wait, &read, &write, &yield, &stall), ==, 5);
        uint32_t back = stall | (yield == 'Y' ? 0u : 1u << 4) |
                        (write == '-' ? 7u : (uint32_t)(write - '0')) << 5 |
                        (read == '-' ? 7u : (uint32_t)(read - '0')) << 8 | (uint32_t)c.reuse << 17;
        for (uint32_t i = 0; i < WW_COUNTERS; i++) {
            g_assert_true(wait[i] == '-' || wait[i] == (char)('0' + i));
            back |= (wait[i] == '-' ? 0u : 1u) << (11 + i);
        }
        g_assert_cmphex(back, ==, bits);
    }
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

/* What cuobjdump prints for two architectures of one function, and another function between. */
static const char cuobjdump[] =
    "\nFatbin elf code:\n================\narch = sm_75\ncode version = [1,7]\n\n\tcode for sm_75\n"
    "\t\tFunction : k\n"
    "        /*0000*/                   EXIT ;                     /* 0x000000000000794d */\n"
    "                                                              /* 0x000fea0003800000 */\n"
    "\t\t..........\n\n"
    "Fatbin elf code:\n================\narch = sm_70\n\n\tcode for sm_70\n"
    "\t\tFunction : _Z5otherPf\n\t.headerflags\t@\"EF_CUDA_SM70\"\n"
    "        /*0000*/                   NOP ;                      /* 0x0000000000007918 */\n"
    "                                                              /* 0x000fc00000000000 */\n"
    "\t\tFunction : k\n"
    "        /*0000*/              @!P0 FADD R1, |R2|.reuse, -c[0x0][0x160] ;  /* "
    "0x0000580002018621 */\n"
    "                                                              /* 0x002fca0000000200 */\n"
    "        /*0010*/                   BRA 0x10 ;                 /* 0xfffffff000007947 */\n"
    "                                                              /* 0x000fc0000383ffff */\n"
    "\t\t..........\n";

/* And nvdisasm. */
static const char nvdisasm[] =
    "\t.headerflags\t@\"EF_CUDA_SM70\"\n\t.elftype\t@\"ET_EXEC\"\n"
    "//--------------------- .text.k --------------------------\n"
    "\t.section\t.nv.info,\"\",@\"SHT_CUDA_INFO\"\n\t.align\t4\n"
    "\t.target\tsm_70\n"
    "\t.section\t.text.k,\"ax\",@progbits\n\t.sectioninfo\t@\"SHI_REGISTERS=10\"\n\t.align\t128\n"
    ".text.k:\n"
    "        /*0000*/              @!P0 FADD R1, |R2|.reuse, -c[0x0][0x160] ;  /* "
    "0x0000580002018621 */\n"
    "                                                              /* 0x002fca0000000200 */\n"
    ".L_x_0:\n"
    "        /*0010*/                   BRA `(.L_x_0) ;            /* 0xfffffff000007947 */\n"
    "                                                              /* 0x000fc0000383ffff */\n"
    ".L_x_1:\n";

static char *trace_of(const char *lines)
{
    return make_kernel("", 2, lines);
}

static const char lines_of_k[] = "0000 ffffffff 1 R1 FADD 1 R2 0 \n0010 00000000 0 BRA 0 0 \n";

/** The code that a trace beside @p listing has. */
static void assert_code(const char *listing, const char *compressed)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = trace_of(lines_of_k);
    scratch_write(s, "k.traceg", text, -1);
    if (compressed != NULL) {
        g_autoptr(GByteArray) z = *compressed == 'x' ? make_xz(listing, strlen(listing))
                                                     : make_zst(listing, strlen(listing));
        scratch_write(s, "k.sass", z->data, z->len);
    } else {
        scratch_write(s, "k.sass", listing, -1);
    }
    g_autoptr(WwTrace) trace = ww_trace_open(scratch_path(s, "k.traceg"), NULL, NULL);
    g_autoptr(GError) error = NULL;
    WwCommand command;
    g_assert_nonnull(trace);
    ww_trace_source.next_command(trace, &command, &error);
    g_assert_no_error(error);
    const WwCode *code = command.kernel->code;
    g_assert_nonnull(code);
    g_assert_cmpuint(code->n, ==, 2);
    g_assert_cmpuint(code->arch, ==, 70);
    const WwCodeInst *add = ww_code_at(code, 0), *bra = ww_code_at(code, 16);
    g_assert_null(ww_code_at(code, 32));
    g_assert_null(ww_code_at(code, 8));
    g_assert_cmpstr(add->opcode, ==, "FADD");
    g_assert_cmpuint(add->guard, ==, 0);
    g_assert_true(add->guard_negated);
    g_assert_cmpuint(add->n_operands, ==, 3);
    g_assert_cmpuint(add->n_dst, ==, 1);
    const WwOperand *o = ww_code_operands(code, add);
    g_assert_cmphex(o[1].flags, ==, WW_OPERAND_ABSOLUTE | WW_OPERAND_REUSE);
    g_assert_cmpint(o[2].imm, ==, 0x160);
    g_assert_cmphex(add->word[0], ==, UINT64_C(0x0000580002018621));
    g_assert_cmpuint(add->control.stall, ==, 5);
    g_assert_cmpuint(add->control.wait, ==, 2);
    g_assert_cmpint(ww_code_operands(code, bra)->imm, ==, 0x10);
    g_assert_cmpuint(bra->guard, ==, WW_PRED_TRUE);
    ww_trace_source.close_kernel(trace, command.kernel);
}

static void test_cuobjdump(void)
{
    assert_code(cuobjdump, NULL);
    assert_code(cuobjdump, "xz");
    assert_code(cuobjdump, "zst");
}

static void test_nvdisasm(void)
{
    assert_code(nvdisasm, NULL);
}

/** The error of reading a trace of k with @p listing. */
static void assert_listing_fails(const char *listing, const char *lines, const char *expected)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = trace_of(lines);
    scratch_write(s, "k.sass", listing, -1);
    scratch_write(s, "k.traceg", text, -1);
    assert_read_fails(scratch_path(s, "k.traceg"), NULL, expected);
}

/** cuobjdump's text with @p from replaced. */
static void assert_changed_fails(const char *from, const char *to, const char *expected)
{
    g_auto(GStrv) parts = g_strsplit(cuobjdump, from, -1);
    g_autofree char *listing = g_strjoinv(to, parts);
    g_assert_nonnull(parts[1]);
    assert_listing_fails(listing, lines_of_k, expected);
}

static void test_misfit(void)
{
    assert_listing_fails(cuobjdump, "0000 ffffffff 1 R1 FMUL 1 R2 0 \n0010 00000000 0 EXIT 0 0 \n",
                         "FMUL at pc 0x0, where ");
    assert_listing_fails(cuobjdump, "0000 ffffffff 1 R1 FADD 1 R2 0 \n0020 ffffffff 0 EXIT 0 0 \n",
                         "EXIT at pc 0x20, where ");
    assert_changed_fails("sm_70", "sm_80", "k is for sm_80 here, and the trace is sm_70");
}

static void test_wrong(void)
{
    assert_listing_fails("no listing\n", lines_of_k, "k.sass: no function; expected");
    assert_changed_fails("/*0010*/", "/*0008*/", "pc 0x8 behind 0x0; expected one instruction");
    assert_changed_fails("/*0010*/", "/*00z0*/", "a line without a pc");
    assert_changed_fails("/* 0xfffffff000007947 */", "", "an instruction without its bits");
    assert_changed_fails("/* 0x002fca0000000200 */", "", "an instruction with half of its bits");
    assert_changed_fails("/* 0x000fc0000383ffff */", "", "an instruction with half of its bits");
    assert_changed_fails("BRA 0x10 ;", "BRA 0x10  ", "an instruction without ';'");
    assert_changed_fails("BRA 0x10 ;", ";", "an instruction without an opcode");
    assert_changed_fails("BRA 0x10 ;", "BRA [0x10 ;", "a bracket that is not closed");
    assert_changed_fails("BRA 0x10 ;", "BRA 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17 ;",
                         "more than 16 operands");
    assert_changed_fails("@!P0", "@R0", "a guard that is no predicate");
    assert_listing_fails("Function : k\n", lines_of_k, "a function without instructions");
}

/** Which file is one: beside a list all, beside a file the one of its name, or those that are named. */
static void test_found(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = trace_of(lines_of_k);
    uint32_t n;
    scratch_write(s, "kernel-1.traceg", text, -1);
    scratch_write(s, "kernelslist.g", "kernel-1.traceg\n", -1);
    scratch_write(s, "b.sass", nvdisasm, -1);
    const char *named = scratch_write(s, "a.sass", cuobjdump, -1);
    const char *const files[] = {named, NULL}, *const none[] = {NULL};
    WwTraceOptions options = {.listings = files};
    g_autoptr(WwTrace) list = ww_trace_open(s->dir, NULL, NULL);
    char *const *found = ww_trace_listings(list, &n);
    g_assert_cmpuint(n, ==, 2);
    g_assert_true(g_str_has_suffix(found[0], "/a.sass"));
    g_autoptr(WwTrace) one = ww_trace_open(scratch_path(s, "kernel-1.traceg"), NULL, NULL);
    ww_trace_listings(one, &n);
    g_assert_cmpuint(n, ==, 0);
    g_autoptr(WwTrace) given = ww_trace_open(scratch_path(s, "kernel-1.traceg"), &options, NULL);
    ww_trace_listings(given, &n);
    g_assert_cmpuint(n, ==, 1);
    options.listings = none;
    g_autoptr(WwTrace) without = ww_trace_open(s->dir, &options, NULL);
    ww_trace_listings(without, &n);
    g_assert_cmpuint(n, ==, 0);
}

/** A kernel that no listing has runs without. */
static void test_other_kernel(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *text = trace_of(lines_of_k);
    char *name = strstr(text, "kernel name = ");
    ReadResult r;
    g_assert_nonnull(name);
    name[strlen("kernel name = ")] = 'q';
    scratch_write(s, "k.sass", cuobjdump, -1);
    g_assert_true(read_all(scratch_write(s, "k.traceg", text, -1), NULL, &r, NULL));
    g_assert_cmpuint(r.warp_insts, ==, 2);
}

void add_listing_tests(void)
{
    g_test_add_func("/trace/listings/operands", test_operands);
    g_test_add_func("/trace/listings/numbers", test_numbers);
    g_test_add_func("/trace/listings/strange", test_strange);
    g_test_add_func("/trace/listings/operand_text", test_operand_text);
    g_test_add_func("/trace/listings/written", test_written);
    g_test_add_func("/trace/listings/control", test_control);
    g_test_add_func("/trace/listings/cuobjdump", test_cuobjdump);
    g_test_add_func("/trace/listings/nvdisasm", test_nvdisasm);
    g_test_add_func("/trace/listings/misfit", test_misfit);
    g_test_add_func("/trace/listings/wrong", test_wrong);
    g_test_add_func("/trace/listings/found", test_found);
    g_test_add_func("/trace/listings/other_kernel", test_other_kernel);
}
