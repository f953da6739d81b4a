/* SPDX-License-Identifier: Apache-2.0 */
/* How the event log writes numbers, instructions and requests, at once and from what a line keeps of them: as printf does. */
#include "tests.h"

#include <ports/events.h>
#include <string.h>

/* Of any length in digits. */
static uint64_t any(GRand *rand)
{
    uint64_t bits = (uint64_t)g_rand_int(rand) << 32 | g_rand_int(rand);
    return bits >> g_rand_int_range(rand, 0, 64);
}

static void expect(const char *text, const char *end, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void expect(const char *text, const char *end, const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    g_autofree char *wanted = g_strdup_vprintf(format, ap), *is = NULL;
    va_end(ap);
    is = g_strndup(text, (gsize)(end - text));
    g_assert_cmpstr(is, ==, wanted);
}

/* What is kept of @p value, twice behind each other, is told as @p text, which ends at @p end, twice. */
static void expect_kept(const WwEventKept *kept, uint64_t value, const char *text, const char *end)
{
    char notes[2 * WW_EVENT_ROOM + 16], told[2 * WW_EVENT_ROOM];
    const char *from = notes, *behind = kept->keep(kept->keep(notes, value), value);
    g_assert_cmpuint((gsize)(behind - notes), <=, 2 * WW_EVENT_ROOM);
    for (uint32_t i = 0; i < 2; i++) {
        expect(told, kept->tell(told, &from), "%.*s", (int)(end - text), text);
    }
    g_assert_true(from == behind);
}

static void test_numbers(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(3);
    char text[64];
    uint64_t power = 1;
    for (uint32_t i = 0; i < 20; i++, power *= 10) { /* where the number of digits changes */
        for (uint64_t v = power - 1; v <= power + 1; v++) {
            expect(text, ww_event_number(text, v), "%" G_GUINT64_FORMAT, v);
        }
    }
    for (uint32_t bits = 0; bits < 64; bits++) {
        for (uint64_t v = (1ull << bits) - 1; v <= (1ull << bits) + 1; v++) {
            expect(text, ww_event_hex(text, v), "%" G_GINT64_MODIFIER "x", v);
        }
    }
    for (uint32_t i = 0; i < 20000; i++) {
        uint64_t v = any(rand);
        expect(text, ww_event_number(text, v), "%" G_GUINT64_FORMAT, v);
        expect(text, ww_event_hex(text, v), "%" G_GINT64_MODIFIER "x", v);
        expect(text, ww_event_hex8(text, (uint32_t)v), "%08x", (uint32_t)v);
    }
    expect(text, ww_event_number(text, UINT64_MAX), "18446744073709551615");
    expect(text, ww_event_hex(text, UINT64_MAX), "ffffffffffffffff");
}

static void test_letters(void)
{
    char long_text[201], text[300];
    memset(long_text, 'x', 200);
    long_text[200] = '\0';
    for (size_t n = 0; n <= 128; n++) {
        memset(text, '?', sizeof text);
        expect(text, ww_event_letters(text, long_text, n), "%.*s", (int)n, long_text);
    }
    expect(text, ww_event_text(text, long_text), "%.128s", long_text); /* no more than that */
}

/* Opcodes of any length, counted or not. */
static void draw_opcode(GRand *rand, WwSinst *s, char opcode[128 + WW_OPCODE_ROOM])
{
    static const char *const names[] = {"EXIT",
                                        "MOV",
                                        "F",
                                        "LDG.E.SYS",
                                        "FFMA",
                                        "IMAD.MOV.U32.X4",
                                        "ATOMS.CAS.64.XY",
                                        "ATOMS.CAS.64.XYZ",
                                        "ATOMS.CAS.64.XYZA",
                                        "ATOMS.CAS.64.XYZB",
                                        "HMMA.884.F32.F32.STEP0",
                                        "HMMA.884.F32.F32.STEP1",
                                        "IMMA.16816.S8.U8.SATURATES.B1.XY",
                                        "IMMA.16816.S8.U8.S4TURATES.B1.XY",
                                        "IMMA.16816.S8.U8.SATURATES.B1.XYZ"};
    memset(opcode, 0, 128 + WW_OPCODE_ROOM);
    if (g_rand_int_range(rand, 0, 20) == 0) {
        memset(opcode, 'A' + g_rand_int_range(rand, 0, 3), (size_t)g_rand_int_range(rand, 1, 128));
    } else {
        g_strlcpy(opcode, names[g_rand_int_range(rand, 0, G_N_ELEMENTS(names))], 128);
    }
    s->opcode = opcode;
    s->letters = (g_rand_int_range(rand, 0, 5) != 0 ? strlen(opcode) : 0) & 127u;
}

static void test_insts(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(4);
    char opcode[128 + WW_OPCODE_ROOM], text[2 * WW_EVENT_ROOM];
    WwSinst s = {0};
    WwInst i = {.s = &s};
    for (uint32_t n = 0; n < 50000; n++) {
        switch (g_rand_int_range(rand, 0, 4)) { /* all but one as before, mostly */
        case 0:
            draw_opcode(rand, &s, opcode);
            break;
        case 1:
            s.pc = g_rand_boolean(rand) ? any(rand) : 16u * (uint64_t)g_rand_int_range(rand, 0, 9);
            break;
        case 2:
            i.uid = g_rand_boolean(rand) ? (uint32_t)any(rand)
                                         : 256u * (uint32_t)g_rand_int_range(rand, 0, 3);
            break;
        default:
            i.warp = (uint16_t)g_rand_int_range(rand, 0, 200);
        }
        if (s.opcode == NULL) {
            draw_opcode(rand, &s, opcode);
        }
        char *end = ww_field_inst.write(text, WW_PART(&i));
        expect_kept(ww_field_inst.kept, WW_PART(&i), text, end);
        expect(text, end, " %s pc=%" G_GINT64_MODIFIER "x uid=%u", opcode, s.pc, i.uid);
        ww_token_text(&ww_payload_inst, ww_token_of(&i), text);
        expect_kept(ww_payload_inst.kept, ww_token_of(&i), text, text + strlen(text));
        expect(text, text + strlen(text), "%s pc=%" G_GINT64_MODIFIER "x warp=%u uid=%u", opcode,
               s.pc, i.warp, i.uid);
    }
}

/* What it is called, by its rules in docs/events.md. */
static char *name_of(const WwMemReq *r)
{
    g_autofree char *slice = r->type == WW_ACCESS_L2_WRBK || r->type == WW_ACCESS_L2_WR_ALLOC_R
                                 ? g_strdup_printf("s%u.", (unsigned)r->at.slice)
                                 : NULL;
    const char *letter = slice != NULL                 ? slice
                         : r->type == WW_ACCESS_INST_R ? "i"
                         : r->type == WW_ACCESS_L1_WRBK || r->type == WW_ACCESS_L1_WR_ALLOC_R ? "c"
                                                                                              : "";
    g_autofree char *sm =
        r->type != WW_ACCESS_L2_WRBK ? g_strdup_printf(" sm=%u", r->sm) : g_strdup("");
    g_autofree char *uid =
        r->uid != 0 ? g_strdup_printf(" uid=%" G_GUINT64_FORMAT, r->uid) : g_strdup("");
    return g_strdup_printf("%s%s req=%s%" G_GUINT64_FORMAT, sm, uid, letter, r->serial);
}

static void test_requests(void)
{
    g_autoptr(GRand) rand = g_rand_new_with_seed(5);
    char text[2 * WW_EVENT_ROOM];
    WwMemReq r = {.size = 32};
    for (uint32_t n = 0; n < 50000; n++) {
        switch (g_rand_int_range(rand, 0, 9)) {
        case 0:
            r.serial =
                g_rand_boolean(rand) ? any(rand) : 256u * (uint64_t)g_rand_int_range(rand, 0, 3);
            break;
        case 1:
            r.uid = any(rand);
            break;
        case 2:
            r.addr = any(rand);
            break;
        case 3:
            r.size = (uint32_t)any(rand);
            break;
        case 4:
            r.sm = (uint16_t)g_rand_int_range(rand, 0, 3);
            break;
        case 5:
            r.type = (uint8_t)g_rand_int_range(rand, 0, WW_N_ACCESS_TYPES);
            break;
        case 6:
            r.at.slice = (uint16_t)g_rand_int_range(rand, 0, 70);
            break;
        case 7:
            r.warp = (uint16_t)g_rand_int_range(rand, 0, 64);
            break;
        default:
            r.response = !r.response;
        }
        g_autofree char *name = name_of(&r);
        const char *type = ww_access_type_name(r.type);
        char *end = ww_field_request.write(text, WW_PART(&r));
        expect_kept(ww_field_request.kept, WW_PART(&r), text, end);
        expect(text, end, "%s type=%s addr=%" G_GINT64_MODIFIER "x size=%u", name, type, r.addr,
               r.size);
        ww_token_text(&ww_payload_mem, ww_token_of(&r), text);
        expect_kept(ww_payload_mem.kept, ww_token_of(&r), text, text + strlen(text));
        expect(text, text + strlen(text),
               "%s %s addr=%" G_GINT64_MODIFIER "x size=%u sm=%u warp=%u", type,
               r.response ? "response" : "request", r.addr, r.size, r.sm, r.warp);
    }
}

static void test_registers(void)
{
    char text[WW_EVENT_ROOM];
    WwSinst s = {0};
    expect(text, ww_write_registers(text, &s), "%s", "");
    s = (WwSinst){.dst = 1, .nsrc = 4, .src = {256, 10, 11, 65535}};
    expect(text, ww_write_registers(text, &s), " dst=R0 src=R255,R9,R10,R65534");
    s = (WwSinst){.nsrc = 1, .src = {101}};
    expect(text, ww_write_registers(text, &s), " src=R100");
}

void add_said_tests(void)
{
    g_test_add_func("/ports/said/numbers", test_numbers);
    g_test_add_func("/ports/said/letters", test_letters);
    g_test_add_func("/ports/said/insts", test_insts);
    g_test_add_func("/ports/said/requests", test_requests);
    g_test_add_func("/ports/said/registers", test_registers);
}
