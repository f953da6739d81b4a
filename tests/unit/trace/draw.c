/* SPDX-License-Identifier: Apache-2.0 */
/** @file A drawn program as a trace: loops, or (wild) a way through it that nobody can guess. */
#include "util.h"

#include <string.h>

enum { N_PCS = 40, N_WARPS = 3, N_INSTS = 400, N_CTAS = 6 };

typedef struct Drawn {
    GRand *rand;
    GString *text;
    const char *front, *blanks, *end; /**< Of a line. */
    bool wild;                        /**< Masks and ways through the program are drawn anew. */
} Drawn;

static uint32_t draw(Drawn *d, uint32_t n)
{
    return (uint32_t)g_rand_int_range(d->rand, 0, (gint32)n);
}

static uint32_t draw_mask(Drawn *d)
{
    return draw(d, d->wild ? 2 : 30) == 0 ? g_rand_int(d->rand) : UINT32_MAX;
}

static void put_addresses(Drawn *d, uint32_t pc, uint32_t mask)
{
    uint32_t mode = draw(d, d->wild ? 3 : 40) == 0 ? draw(d, 3) : pc % 3;
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    uint64_t base = draw(d, 3) == 0 ? draw(d, 4096) : UINT64_C(0x7f0000000000) + draw(d, 1u << 30);
    g_string_append_printf(d->text, " 4 %u", mode);
    if (mode != 0) {
        g_string_append_printf(d->text, " 0x%" G_GINT64_MODIFIER "x", base);
    }
    if (mode == 1) {
        g_string_append_printf(d->text, " %d", (int)draw(d, 3) * 4 - 4);
    }
    for (uint32_t i = mode == 2 && lanes > 0; i < lanes && mode != 1; i++) {
        if (mode == 0) {
            g_string_append_printf(d->text, " 0x%" G_GINT64_MODIFIER "x", base + i * 12);
        } else {
            g_string_append_printf(d->text, " %d", d->wild ? (int)draw(d, 20000000) - 9999999 : 4);
        }
    }
}

static void put_line(Drawn *d, uint32_t pc, bool last)
{
    static const char *const alu[] = {"1 R4 FFMA 3 R1 R2 R3", "1 R9 IADD3 2 R4 R5", "0 BRA 0",
                                      "1 R200 XQZ.SOME 1 R4", "0 NOP 0"};
    uint32_t mask = last ? UINT32_MAX : draw_mask(d);
    if (strchr(d->front, '%') != NULL) {
        g_string_append_printf(d->text, "%u ", pc / 5);
    }
    g_string_append_printf(d->text, "%04x%s%08x ", pc * 16, d->blanks, mask);
    if (last) {
        g_string_append(d->text, "0 EXIT 0 0");
    } else if (pc % 4 == 1) {
        g_string_append(d->text, pc % 8 == 1 ? "1 R7 LDG.E.SYS 1 R2" : "0 STS 2 R1 R7");
        put_addresses(d, pc, mask);
    } else {
        g_string_append_printf(d->text, "%s 0", alu[pc % G_N_ELEMENTS(alu)]);
    }
    /* the same text with several immediates is as many instructions */
    g_string_append_printf(d->text, " %u%s", pc % 7 == 0 ? draw(d, 3) : 0, d->end);
}

static void put_warp(Drawn *d, uint32_t warp)
{
    uint32_t pc = 0;
    g_string_append_printf(d->text, "\nwarp = %u\ninsts = %u\n", warp, N_INSTS);
    for (uint32_t i = 0; i + 1 < N_INSTS; i++) {
        put_line(d, pc, false);
        pc = draw(d, d->wild ? 4 : 50) == 0 ? draw(d, N_PCS) : (pc + 1) % N_PCS;
    }
    put_line(d, N_PCS, true);
}

char *draw_trace(uint32_t seed, DrawnStyle style)
{
    Drawn d = {.rand = g_rand_new_with_seed(seed), .text = g_string_new(NULL), .wild = style.wild};
    d.front = style.front != NULL ? style.front : "";
    d.blanks = style.blanks;
    d.end = style.end;
    g_string_append_printf(
        d.text,
        "-kernel name = k\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 0\n-nregs = 8\n"
        "-binary version = 70\n-accelsim tracer version = 5\n-enable lineinfo = %d\n\n#\n",
        N_CTAS, N_WARPS * 32, *d.front != '\0');
    for (uint32_t c = 0; c < N_CTAS; c++) {
        g_string_append_printf(d.text, "%s#BEGIN_TB\n\nthread block = %u,0,0\n", c > 0 ? "\n" : "",
                               c);
        for (uint32_t w = 0; w < N_WARPS; w++) {
            put_warp(&d, w);
            g_string_append(d.text,
                            c + 1 == N_CTAS && w == 1 && style.more != NULL ? style.more : "");
        }
        g_string_append(d.text, "#END_TB\n");
    }
    g_rand_free(d.rand);
    return g_string_free(d.text, false);
}
