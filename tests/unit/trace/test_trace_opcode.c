/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Opcode maps: categories by architecture, special cases, widths, the fallback rule.
 */
#include "util.h"

#include <trace/opcode.h>

static WwSinst decode(uint32_t version, const char *text, bool known)
{
    WwSinst s = {0};
    g_assert_cmpint(ww_opcode_decode(ww_opcode_map(version), text, &s), ==, known);
    g_assert_cmpint((s.flags & WW_INST_UNKNOWN) == 0, ==, known);
    return s;
}

static void assert_op(uint32_t version, const char *text, const char *category)
{
    g_assert_cmpstr(ww_op_name((WwOp)decode(version, text, true).op), ==, category);
}

static void test_maps(void)
{
    assert_op(35, "SSY", "RET");
    assert_op(35, "ISAD", "INT");
    assert_op(35, "SUCLAMP", "LOAD");
    assert_op(60, "XMAD", "INT");
    assert_op(61, "BRA", "BRANCH");
    assert_op(61, "PRET", "CALL");
    assert_op(61, "TEX", "ALU");
    assert_op(70, "HMMA.1688.F32", "SPEC3");
    assert_op(70, "IMMA", "INT");
    assert_op(70, "KILL", "SPEC1");
    assert_op(70, "TEX", "SPEC2");
    assert_op(75, "IMMA", "SPEC3");
    assert_op(75, "KILL", "SPEC3");
    assert_op(75, "UMOV", "SPEC4");
    assert_op(80, "DMMA", "SPEC3");
    assert_op(86, "HMNMX2", "SP");
    assert_op(86, "LDGSTS.E", "LOAD");
    assert_op(86, "FFMA.FTZ", "SP");
    g_assert_null(ww_opcode_map(90));
    g_assert_cmpstr(ww_opcode_map_name(ww_opcode_map(61)), ==, "Pascal");
    decode(75, "HMNMX2", false);
    decode(75, "REDUX", false);
    decode(70, "SHL", false);
    decode(70, "FFM", false);
}

static void test_special(void)
{
    WwSinst s = decode(70, "LDC.64", true);
    g_assert_cmpint(s.op, ==, WW_OP_ALU);
    g_assert_cmpint(s.space, ==, WW_SPACE_CONST);
    g_assert_cmpint(s.width, ==, 4);
    g_assert_cmpint(s.flags, ==, WW_INST_LOAD);

    s = decode(70, "LDG.E.64.STRONG.GPU", true);
    g_assert_cmpint(s.flags, ==, WW_INST_LOAD | WW_INST_BYPASS_L1);
    g_assert_cmpint(decode(70, "LDG.E.STRONG.SYS", true).flags, ==, WW_INST_LOAD);
    g_assert_cmpint(decode(70, "STG.E.STRONG.GPU", true).flags, ==, WW_INST_STORE);
    g_assert_cmpint(decode(86, "LDGSTS.E.BYPASS.128", true).flags, ==,
                    WW_INST_LOAD | WW_INST_LDGSTS);
    g_assert_cmpint(decode(86, "LDGDEPBAR", true).flags, ==, WW_INST_LDGDEPBAR);
    g_assert_cmpint(decode(86, "DEPBAR.LE", true).flags, ==, WW_INST_DEPBAR);

    s = decode(70, "ATOMG.E.ADD.64.STRONG.GPU", true);
    g_assert_cmpint(s.op, ==, WW_OP_LOAD);
    g_assert_cmpint(s.flags, ==, WW_INST_LOAD | WW_INST_ATOMIC | WW_INST_BYPASS_L1);
    g_assert_cmpint(s.width, ==, 8);
    g_assert_cmpint(decode(70, "RED.E.ADD", true).op, ==, WW_OP_LOAD);

    s = decode(70, "ATOMS.ADD", true);
    g_assert_cmpint(s.op, ==, WW_OP_STORE);
    g_assert_cmpint(s.space, ==, WW_SPACE_SHARED);
    g_assert_cmpint(s.flags, ==, WW_INST_LOAD | WW_INST_STORE | WW_INST_ATOMIC);

    g_assert_cmpint(decode(70, "LD.E", true).space, ==, WW_SPACE_GENERIC);
    g_assert_cmpint(decode(35, "LD.E", true).space, ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(decode(35, "ST.E", true).space, ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(decode(75, "LDSM.16.M88.4", true).space, ==, WW_SPACE_SHARED);
    g_assert_cmpint(decode(70, "HFMA2.MMA", true).flags, ==, WW_INST_HALF_RATE_II);
    g_assert_cmpint(decode(70, "HMUL2", true).flags, ==, WW_INST_PACKED_HALF);
    g_assert_cmpint(decode(86, "HMNMX2", true).flags, ==, WW_INST_PACKED_HALF);
}

static void test_width(void)
{
    static const struct {
        const char *text;
        uint8_t width;
    } cases[] = {{"LDG.E", 4},     {"LDG.E.128", 16},       {"LDG.E.U8", 1}, {"LDG.E.S8", 4},
                 {"LDG.E.U16", 2}, {"LDS.U.128", 16},       {"LDG..64", 8},  {"STG.E.64.8", 8},
                 {"LDG.E.7", 4},   {"LDG.E.99999999999", 4}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(decode(70, cases[i].text, true).width, ==, cases[i].width);
    }
    g_assert_cmpint(decode(75, "LDSM.16.M88.4", true).width, ==, 2);
}

static void test_fallback(void)
{
    static const struct {
        uint32_t version;
        const char *text, *category;
    } cases[] = {
        {70, "UMOV", "ALU"},    {75, "UNEW", "SPEC4"}, {70, "SHL", "INT"},
        {70, "SSY", "SPEC1"},   {61, "BSSX", "ALU"},   {61, "BRXU", "BRANCH"},
        {86, "HGMMA", "SPEC3"}, {61, "HGMMA", "ALU"},  {70, "LDGMC.E", "LOAD"},
        {70, "STAS", "STORE"},  {70, "ATOMX", "LOAD"}, {70, "FNEW", "SP"},
        {70, "DNEW", "DP"},     {70, "INEW", "INT"},   {70, "VIADD", "INT"},
        {70, "QQQ", "ALU"},     {70, "LDCU", "ALU"},   {75, "LDGDEPBAR", "ALU"},
    };
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        WwSinst s = decode(cases[i].version, cases[i].text, false);
        g_assert_cmpstr(ww_op_name((WwOp)s.op), ==, cases[i].category);
    }
    g_assert_cmpint(decode(70, "LDGMC.E", false).space, ==, WW_SPACE_GLOBAL);
    g_assert_cmpint(decode(70, "LDSX", false).space, ==, WW_SPACE_SHARED);
}

/* `.S8` and `.S16` beside the reference's 4 bytes, and the unit that the hardware has. */
static void test_true(void)
{
    static const struct {
        const char *text;
        uint8_t width;
    } cases[] = {{"LDG.E.S8", 1}, {"LDG.E.S16", 2}, {"LDS.S16", 2},    {"LDG.E.U8", 0},
                 {"LDG.E", 0},    {"LDG.E.64", 0},  {"LDG.E.64.S8", 0}};
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_assert_cmpint(decode(70, cases[i].text, true).signed_width, ==, cases[i].width);
    }
    g_assert_cmpint(decode(70, "IMMA.8816.S8.S8", true).true_op, ==, 1 + WW_OP_SPEC1 + 2);
    g_assert_cmpint(decode(86, "IMMA.8816.S8.S8", true).true_op, ==, 0);
    g_assert_cmpint(decode(86, "KILL", true).true_op, ==, 1 + WW_OP_SPEC1);
    g_assert_cmpint(decode(75, "KILL", true).true_op, ==, 1 + WW_OP_SPEC1);
    g_assert_cmpint(decode(70, "KILL", true).true_op, ==, 0);
    g_assert_cmpint(decode(70, "IMAD", true).true_op, ==, 0);
}

void add_opcode_tests(void)
{
    g_test_add_func("/trace/opcode/maps", test_maps);
    g_test_add_func("/trace/opcode/special", test_special);
    g_test_add_func("/trace/opcode/width", test_width);
    g_test_add_func("/trace/opcode/true", test_true);
    g_test_add_func("/trace/opcode/fallback", test_fallback);
}
