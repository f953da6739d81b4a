/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Opcode maps: categories by architecture, special cases, widths, the fallback rule.
 */
#include "util.h"

#include <string.h>
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
    g_assert_null(ww_opcode_map(91));
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

/* ---- maps of a user ---------------------------------------------------------------------------- */

static WwSinst decode_with(const WwOpcodeMap *map, const char *text, bool known)
{
    WwSinst s = {0};
    g_assert_cmpint(ww_opcode_decode(map, text, &s), ==, known);
    return s;
}

static WwOp op_with(const WwOpcodeMap *map, const char *text, bool known)
{
    return (WwOp)decode_with(map, text, known).op;
}

/* What the library brings along is what lies in the tree, and every opcode of a row is known to its map. */
static void test_shipped(void)
{
    static const char *const names[] = {"ada",    "ampere", "common", "hopper",
                                        "kepler", "pascal", "turing", "volta"};
    g_autofree char *folder = g_build_filename(g_getenv("WW_SOURCE_DIR"), "configs/opcodes", NULL);
    const char *const folders[] = {folder, NULL};
    g_autoptr(WwOpcodes) of_files = ww_opcodes_new(folders), own = ww_opcodes_new(NULL);
    for (size_t i = 0; i < G_N_ELEMENTS(names); i++) {
        g_autoptr(GError) error = NULL;
        g_assert_true(ww_opcodes_choose(of_files, names[i], &error));
        g_assert_true(ww_opcodes_choose(own, names[i], &error));
        g_assert_no_error(error);
        const WwOpcodeMap *a = ww_opcodes_for(of_files, 1, NULL), *b = ww_opcodes_for(own, 1, NULL);
        g_autofree char *text = NULL;
        g_assert_true(g_str_has_prefix(ww_opcode_map_file(a), folder));
        g_assert_true(g_file_get_contents(ww_opcode_map_file(a), &text, NULL, &error));
        g_assert_cmpuint(ww_opcode_map_units(a), ==, ww_opcode_map_units(b));
        g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
        for (char **l = lines; *l != NULL; l++) {
            g_auto(GStrv) parts = g_strsplit(*l, ":", 2);
            g_auto(GStrv) words = **l != '#' && g_strv_length(parts) == 2 && g_ascii_isupper(**l)
                                      ? g_strsplit_set(parts[1], " ", -1)
                                      : NULL;
            for (char **w = words; w != NULL && *w != NULL; w++) {
                if (**w != '\0') {
                    WwSinst x = decode_with(a, *w, true), y = decode_with(b, *w, true);
                    g_assert_cmpmem(&x, sizeof x, &y, sizeof y);
                    bool atomic = (x.flags & WW_INST_ATOMIC) != 0; /* run as loads */
                    g_assert_true(atomic || strcmp(ww_op_name((WwOp)x.op), parts[0]) == 0);
                }
            }
        }
    }
    g_assert_null(ww_opcode_map(100));
    for (uint32_t version = 80; version <= 90; version++) {
        g_assert_true((ww_opcode_map(version) != NULL) ==
                      (version == 80 || version == 86 || version == 87 || version >= 89));
    }
}

static void test_new_gpus(void)
{
    assert_op(87, "LDGSTS.E", "LOAD");
    assert_op(89, "QMMA.16832.F32.E4M3.E4M3", "SPEC3");
    assert_op(90, "HGMMA.64x128x16.F32", "SPEC3");
    assert_op(90, "UTMALDG.2D", "SPEC4");
    assert_op(90, "VIADD", "INT");
    assert_op(90, "WARPGROUP.ARRIVE", "SPEC1");
    g_assert_cmpint(decode(90, "STSM.16.M88.4", true).space, ==, WW_SPACE_SHARED);
    WwSinst red = decode(90, "REDG.E.ADD.F32.STRONG.GPU", true);
    g_assert_cmpint(red.op, ==, WW_OP_LOAD);
    g_assert_cmpint(red.flags, ==, WW_INST_LOAD | WW_INST_ATOMIC | WW_INST_BYPASS_L1);
    g_assert_cmpint(decode(86, "QMMA.16832", false).op, ==, WW_OP_SPEC1 + 2);
}

/* Rows win over those of the base, line by line what they say; another map answers for what is lacking, in the order of `else`. */
static void test_own(void)
{
    g_autoptr(Scratch) scratch = scratch_new();
    g_autoptr(GError) error = NULL;
    const char *file = scratch_write(scratch, "mine.map",
                                     "name Mine # a comment\r\n"
                                     "versions 70 7000\n"
                                     "base turing\n"
                                     "else kepler hopper\n"
                                     "role tensor SPEC7\n"
                                     "role texture SPEC2\n"
                                     "\n"
                                     "SPEC7:HMMA XMMA\n"
                                     "INT: MUFU ISAD:\n",
                                     -1);
    g_autoptr(WwOpcodes) wrong = ww_opcodes_new(NULL);
    g_assert_false(ww_opcodes_choose(wrong, file, &error));
    g_assert_nonnull(strstr(error->message, "mine.map:9: bad opcode ':'; expected capitals"));
    g_clear_error(&error);
    scratch_write(scratch, "mine.map",
                  "name Mine\nversions 70 7000\nbase turing\nelse kepler hopper\n"
                  "role tensor SPEC7\nSPEC7:HMMA XMMA\nINT: MUFU\nshared store: XMMA\n"
                  "true SFU: MUFU\nsub_core uniform: MUFU\n",
                  -1);
    const char *const folders[] = {scratch->dir, NULL};
    g_autoptr(WwOpcodes) maps = ww_opcodes_new(folders);
    const WwOpcodeMap *mine = ww_opcodes_for(maps, 70, &error);
    g_assert_no_error(error);
    g_assert_cmpstr(ww_opcode_map_name(mine), ==, "Mine");
    g_assert_cmpstr(ww_opcode_map_file(mine), ==, file);
    g_assert_true(ww_opcodes_for(maps, 7000, NULL) == mine);
    g_assert_cmpstr(ww_opcode_map_name(ww_opcodes_for(maps, 75, NULL)), ==, "Turing");
    g_assert_cmpint(op_with(mine, "HMMA.16816", true), ==, WW_OP_SPEC1 + 6);
    g_assert_cmpint(op_with(mine, "BMMA", true), ==, WW_OP_SPEC1 + 2);   /* a row of the base */
    g_assert_cmpint(op_with(mine, "HGMMA", false), ==, WW_OP_SPEC1 + 6); /* Hopper's tensor unit */
    g_assert_cmpint(op_with(mine, "ISAD", false), ==, WW_OP_INT);
    g_assert_cmpint(op_with(mine, "UMOV", true), ==, WW_OP_SPEC1 + 3);
    g_assert_cmpint(op_with(mine, "UTMALDG", false), ==, WW_OP_SPEC1 + 3);
    WwSinst s = decode_with(mine, "MUFU", true);
    g_assert_cmpint(s.op, ==, WW_OP_INT);
    g_assert_cmpint(s.true_op, ==, 1 + WW_OP_SFU);
    g_assert_cmpint(s.sub_op, ==, 1 + WW_SUB_UNIFORM);
    g_assert_cmpint(decode_with(mine, "HMMA.16816", true).sub_op, ==,
                    1 + WW_SUB_TENSOR); /* the base */
    s = decode_with(mine, "XMMA", true);
    g_assert_cmpint(s.sub_op, ==, 0);
    g_assert_cmpint(s.space, ==, WW_SPACE_SHARED);
    g_assert_cmpint(s.flags, ==, WW_INST_STORE);
    g_assert_cmpint(decode_with(mine, "LDG.E.STRONG.GPU", true).flags, ==,
                    WW_INST_LOAD | WW_INST_BYPASS_L1);
    g_assert_cmpstr(ww_opcode_map_role(mine, WW_OP_SPEC1 + 6), ==, "tensor");
    g_assert_cmpstr(ww_opcode_map_role(mine, WW_OP_SPEC1 + 3), ==, "uniform");
    g_assert_null(ww_opcode_map_role(mine, WW_OP_SPEC1 + 2));
    g_assert_true(ww_opcode_map_units(mine) >> (WW_OP_SPEC1 + 6) & 1u);
    g_assert_false(ww_opcode_map_units(mine) >> (WW_OP_SPEC1 + 7) & 1u);
    scratch_write(scratch, "turing.map", "name Hidden\nversions 75\nSP: HMMA\n", -1);
    scratch_write(scratch, "also.map", "name Also\nversions 70\n", -1);
    g_autoptr(WwOpcodes) twice = ww_opcodes_new(folders);
    g_assert_cmpstr(ww_opcode_map_name(ww_opcodes_for(twice, 75, NULL)), ==, "Hidden");
    g_assert_null(ww_opcodes_for(twice, 70, &error));
    g_assert_nonnull(
        strstr(error->message, "mine.map are both for binary version 70; expected one"));
}

/* Each names line, what is wrong and what was expected. */
static void test_wrong_maps(void)
{
    static const struct {
        const char *text, *says;
    } cases[] = {
        {"versions 70\n", ":1: the map has no name; expected 'name NAME'"},
        {"name A\nname B\n", ":2: 'name' stands in line 1, too; expected it once"},
        {"name A B\n", ":1: odd word 'B'; expected the end of the line"},
        {"name\n", ":1: the line ends early; expected the name of the architecture"},
        {"name A-B\n", ":1: bad name 'A-B'; expected up to 32 letters"},
        {"name A\nversions\n", ":2: the line ends early; expected 1 to 16 binary versions"},
        {"name A\nversions sm_70\n", ":2: bad version 'sm_70'; expected 1 to 16"},
        {"name A\nversions 70 70\n", ":2: doubled version '70'"},
        {"name A\nversions 0\n", ":2: bad version '0'"},
        {"name A\nversions 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", ":2: bad version '17'"},
        {"name A\nbase none\n", ":2: no opcode map 'none'; expected one of ada, "},
        {"name A\nelse ada none\n", ":2: no opcode map 'none'; expected one of ada, "},
        {"name A\nbase ../x\n", ":2: bad name of a map '../x'"},
        {"name A\nrole tensors SPEC3\n", ":2: unknown role 'tensors'; expected branch, texture"},
        {"name A\nrole tensor SP\n", ":2: unknown unit 'SP'; expected SPEC1 to SPEC8"},
        {"name A\nrole tensor\n", ":2: the line ends early; expected SPEC1 to SPEC8"},
        {"name A\nrole tensor SPEC3\nrole tensor SPEC4\n", ":3: 'tensor' stands in line 2, too"},
        {"name A\nSPEC9: X\n", ":2: unknown unit 'SPEC9'; expected ALU, INT"},
        {"name A\nSP FADD\n", ":2: odd word 'FADD'; expected ':' and opcodes"},
        {"name A\nSP\n", ":2: the line ends early; expected ':' and opcodes"},
        {"name A\nsub_core INT: X\n", ":2: unknown class 'INT'; expected int, sp, half"},
        {"name A\nsub_core\n", ":2: the line ends early; expected a class, ':' and opcodes"},
        {"name A\nsub_core int sp: X\n", ":2: odd word 'sp'; expected ':' and opcodes"},
        {"name A\nsub_core int: X\nsub_core sp: X\n", ":3: 'X' has been sorted already"},
        {"name A\n: X\n", ":2: nothing stands before ':'"},
        {"name A\nSP: FADD.FTZ\n", ":2: bad opcode 'FADD.FTZ'; expected capitals"},
        {"name A\nSP: fadd\n", ":2: bad opcode 'fadd'"},
        {"name A\nSP: F\xff\n", ":2: bad opcode 'F?'"},
        {"name A\nSP: F\001 G\n", ":2: bad opcode 'F?'"},
        {"name A\nSP: X\nINT: Y X\n", ":3: 'X' has been sorted already, first in line 2"},
        {"name A\nSP: X\nversions 70\n", ":3: late 'versions'; expected it before the first row"},
        {"name A\nglobal load global: X\n", ":2: doubled trait 'global'"},
        {"name A\nload load global: X\n", ":2: doubled trait 'load'"},
        {"name A\nfast: X\n", ":2: unknown word 'fast'; expected a statement, a UNIT or traits"},
        {"name A\nglobal: X\n", ":2: not an access; expected a space and either"},
        {"name A\nload: X\n", ":2: not an access"},
        {"name A\nglobal load store: X\n", ":2: not an access"},
        {"name A\nglobal store atomic: X\n", ":2: atomic, scoped, bypass_l1 and async_copy are of"},
        {"name A\ntrue: X\n", ":2: unknown unit ':'"},
        {"name A\nelse volta volta volta volta volta volta volta volta ada\n", ":2: too many maps"},
    };
    g_autoptr(Scratch) scratch = scratch_new();
    for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
        g_autoptr(GError) error = NULL;
        const char *file = scratch_write(scratch, "a.map", cases[i].text, -1);
        g_autoptr(WwOpcodes) maps = ww_opcodes_new(NULL);
        g_autofree char *says = g_strconcat("a.map", cases[i].says, NULL);
        g_assert_false(ww_opcodes_choose(maps, file, &error));
        if (strstr(error->message, says) == NULL) {
            g_error("%s: %s", says, error->message);
        }
        g_assert_null(strchr(error->message, '\n'));
    }
    g_autoptr(GError) error = NULL;
    const char *const folders[] = {scratch->dir, NULL};
    scratch_write(scratch, "a.map", "name A\nbase b\n", -1);
    scratch_write(scratch, "b.map", "name B\nversions 99\nbase a\n", -1);
    g_autoptr(WwOpcodes) ring = ww_opcodes_new(folders);
    g_assert_null(ww_opcodes_for(ring, 99, &error));
    g_assert_nonnull(strstr(error->message, "is its own base, or a base of too many"));
    g_clear_error(&error);
    g_assert_false(ww_opcodes_choose(ring, "vola", &error));
    g_assert_nonnull(
        strstr(error->message, "no opcode map 'vola'; expected a file or one of a, b"));
    g_clear_error(&error);
    g_assert_false(ww_opcodes_choose(ring, "/nowhere/x.map", &error));
    g_assert_nonnull(strstr(error->message, "/nowhere/x.map: cannot be read (No such file"));
    g_clear_error(&error);
    g_autofree char *big = g_strnfill(262200, 'x');
    memcpy(big, "name A#", 7);
    g_assert_false(ww_opcodes_choose(ring, scratch_write(scratch, "a.map", big, -1), &error));
    g_assert_nonnull(strstr(error->message, "more than 262144 bytes; expected an opcode map"));
    g_clear_error(&error);
    g_assert_false(ww_opcodes_choose(ring, scratch_write(scratch, "a.map", "name A\0", 7), &error));
    g_assert_nonnull(strstr(error->message, "a NUL byte; expected an opcode map"));
}

void add_opcode_tests(void)
{
    g_test_add_func("/trace/opcode/shipped", test_shipped);
    g_test_add_func("/trace/opcode/new_gpus", test_new_gpus);
    g_test_add_func("/trace/opcode/own", test_own);
    g_test_add_func("/trace/opcode/wrong_maps", test_wrong_maps);
    g_test_add_func("/trace/opcode/maps", test_maps);
    g_test_add_func("/trace/opcode/special", test_special);
    g_test_add_func("/trace/opcode/width", test_width);
    g_test_add_func("/trace/opcode/true", test_true);
    g_test_add_func("/trace/opcode/fallback", test_fallback);
}
