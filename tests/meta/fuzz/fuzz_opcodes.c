/* SPDX-License-Identifier: Apache-2.0 */
/* An opcode map, and behind "---" one that stands for all versions, too; then texts of opcodes are decoded. */
#include "common/fuzz.h"

#include <string.h>
#include <trace/opcode.h>

static void count(void *user, const char *file, const char *text, size_t length)
{
    (void)file;
    *(size_t *)user += strnlen(text, length);
}

static void decode(const WwOpcodeMap *map)
{
    static const char *const texts[] = {"LDG.E.64.STRONG.GPU",
                                        "IMAD",
                                        "HMMA.1688.F32",
                                        "UMOV",
                                        "KILL",
                                        "LD",
                                        "ATOMS.ADD",
                                        "XYZ.S8",
                                        "A",
                                        "BRA",
                                        "STX"};
    size_t sum = 0;
    uint32_t n;
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        WwSinst s = {0};
        ww_opcode_decode(map, texts[i], &s);
        fuzz_check(s.op < WW_N_OPS && s.space < WW_N_SPACES && s.true_op <= WW_N_OPS, "category",
                   texts[i]);
    }
    for (int op = 0; op < WW_N_OPS; op++) {
        fuzz_check(ww_opcode_map_role(map, (WwOp)op) == NULL || op >= WW_OP_SPEC1, "role", "");
    }
    fuzz_check(ww_opcode_map_units(map) < 1u << WW_N_OPS, "units", ww_opcode_map_name(map));
    fuzz_check(ww_opcode_map_versions(map, &n) != NULL && n <= 16, "versions", "");
    ww_opcode_map_each_file(map, count, &sum);
    fuzz_check(sum > 0, "no text", ww_opcode_map_file(map));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t length;
    const char *second = fuzz_second(data, size, &length);
    const char *files[] = {fuzz_file(0, data, length),
                           fuzz_file(1, second, size - (size_t)(second - (const char *)data))};
    for (size_t i = 0; i < G_N_ELEMENTS(files); i++) {
        g_autoptr(WwOpcodes) maps = ww_opcodes_new(NULL);
        g_autoptr(GError) error = NULL;
        bool good = ww_opcodes_choose(maps, files[i], &error);
        fuzz_check_error(good, error, false);
        if (good) {
            decode(ww_opcodes_for(maps, 70, NULL));
        }
    }
    return 0;
}
