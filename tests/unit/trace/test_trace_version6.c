/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Tracer version 6, as text and as `.tracez`: read as version 5 would have written it.
 */
#include "util.h"

#include <string.h>
#include <trace/info.h>
#include <zdict.h>
#include <zstd.h>

/** Writes version 6 out of version 5: what a drawn line does not have. */
typedef struct Later {
    GRand *rand;
    GString *text;
} Later;

static uint32_t draw(const Later *l, uint32_t n)
{
    return (uint32_t)g_rand_int_range(l->rand, 0, (gint32)n);
}

static void put_other(Later *l)
{
    static const char *const kinds[] = {"UR", "P", "UP"};
    uint32_t kind = draw(l, 3);
    g_string_append_printf(l->text, " %s%u", kinds[kind], draw(l, kind == 0 ? 64 : 8));
}

/** The registers of @p f, a count in front, with others among them. Returns the field behind them. */
static char **put_registers(Later *l, char **f, uint32_t most, uint32_t *n)
{
    uint32_t count = (uint32_t)atoi(*f++), others = draw(l, 2) == 0 ? draw(l, most + 1) : 0;
    others = count == 0 || most > 1 ? others : 0;
    g_string_append_printf(l->text, " %u", count + others);
    *n += count + others;
    while (count + others > 0) {
        if (draw(l, count + others) < others) {
            put_other(l);
            others--;
        } else {
            g_string_append_printf(l->text, " %s", *f++);
            count--;
        }
    }
    return f;
}

static void put_tail(Later *l, uint32_t n)
{
    switch (draw(l, 5)) {
    case 0: /* as the first of this version */
        return;
    case 1:
        g_string_append(l->text, " NoVal");
        return;
    case 2:
        g_string_append_printf(l->text, " %u NoVal", draw(l, 100));
        return;
    case 3:
        g_string_append(l->text, " 18446744073709551615 NoVal");
        return;
    default:
        g_string_append(l->text, " 0 Val");
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t many = draw(l, 2) == 0 ? 1 : 32;
        g_string_append_printf(l->text, " %u", many);
        for (uint32_t j = 0; j < many; j++) {
            g_string_append_printf(l->text, " %x", g_rand_int(l->rand));
        }
    }
}

static void put_instruction(Later *l, const char *line)
{
    g_auto(GStrv) fields = g_strsplit(line, " ", -1);
    char **f = fields;
    uint32_t n = 0;
    bool numbered = strlen(f[1]) != 8;
    for (int i = 0; i < (numbered ? 3 : 2); i++) {
        g_string_append_printf(l->text, "%s%s", i > 0 ? " " : "", *f++);
    }
    f = put_registers(l, f, 1, &n);
    g_string_append_printf(l->text, " %s", *f++);
    f = put_registers(l, f, 3, &n);
    for (; *f != NULL && **f != '\0'; f++) {
        g_string_append_printf(l->text, " %s", *f);
    }
    put_tail(l, n);
}

static void put_cluster(Later *l, const char *line)
{
    const char *id = line + strlen("thread block = ");
    g_string_append_printf(l->text, "%s\ncluster id = %s\ncluster cta = 0,0,0\ncluster rank = 0 ",
                           line, id);
}

/** Free it. */
static char *as_version6(const char *text, uint32_t seed)
{
    Later l = {.rand = g_rand_new_with_seed(seed), .text = g_string_new(NULL)};
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    for (char **line = lines; *line != NULL; line++) {
        if (g_ascii_isxdigit(**line)) {
            put_instruction(&l, *line);
        } else if (g_str_has_prefix(*line, "thread block")) {
            put_cluster(&l, *line);
        } else if (g_str_has_prefix(*line, "-accelsim")) {
            g_string_append(l.text, "-accelsim tracer version = 6");
        } else {
            g_string_append(l.text, *line);
        }
        g_string_append(l.text, line[1] != NULL ? "\n" : "");
    }
    g_rand_free(l.rand);
    return g_string_free(l.text, false);
}

/* ---- the file ---------------------------------------------------------------------------------------------------------- */

static void put32(GByteArray *to, uint32_t value)
{
    value = GUINT32_TO_LE(value);
    g_byte_array_append(to, (const guint8 *)&value, sizeof value);
}

static void put64(GByteArray *to, uint64_t value)
{
    value = GUINT64_TO_LE(value);
    g_byte_array_append(to, (const guint8 *)&value, sizeof value);
}

/** A `.tracez` on its way. */
typedef struct Packer {
    GByteArray *file, *index;
    ZSTD_CCtx *zst;
    uint32_t each; /**< Instructions of a frame. */
} Packer;

static void put_frame(Packer *p, char **line, uint32_t n)
{
    g_autoptr(GString) text = g_string_new(*line);
    for (uint32_t i = 1; i < n; i++) {
        g_string_append_printf(text, "\n%s", line[i]);
    }
    size_t room = ZSTD_compressBound(text->len);
    g_autofree void *frame = g_malloc(room);
    size_t size = ZSTD_compress2(p->zst, frame, room, text->str, text->len);
    g_assert_false(ZSTD_isError(size));
    put32(p->file, (uint32_t)size);
    g_byte_array_append(p->file, frame, (guint)size);
    put32(p->index, n);
}

/** The warp whose `insts = n` line this is; returns the line behind it. */
static char **put_warp(Packer *p, char **line)
{
    uint32_t n = (uint32_t)atoi(*line++ + strlen("insts = ")), frames = (n + p->each - 1) / p->each;
    put32(p->index, n);
    put32(p->index, frames);
    put64(p->index, p->file->len);
    put32(p->file, n);
    put32(p->file, frames);
    for (uint32_t i = 0; i < n; i += p->each) {
        put_frame(p, line + i, MIN(p->each, n - i));
    }
    return line + n;
}

/** A dictionary of what the lines of @p text have; empty where there is too little. */
static GByteArray *train(const char *text)
{
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    g_autoptr(GString) samples = g_string_new(NULL);
    g_autoptr(GArray) sizes = g_array_new(false, false, sizeof(size_t));
    for (char **line = lines; *line != NULL; line++) {
        size_t n = strlen(*line);
        if (n != 0 && g_ascii_isxdigit(**line)) {
            g_string_append(samples, *line);
            g_array_append_val(sizes, n);
        }
    }
    GByteArray *to = g_byte_array_new();
    g_byte_array_set_size(to, 64u << 10);
    size_t n = ZDICT_trainFromBuffer(to->data, to->len, samples->str,
                                     (const size_t *)(const void *)sizes->data, sizes->len);
    g_byte_array_set_size(to, ZDICT_isError(n) ? 0 : (guint)n);
    return to;
}

/** Version 6 text as the tracer's own file. Free it. */
static GByteArray *as_tracez(const char *text, uint32_t each, bool dictionary)
{
    const char *blocks = strstr(text, "\n#BEGIN_TB");
    blocks = blocks != NULL ? blocks : text + strlen(text);
    Packer p = {.file = g_byte_array_new(),
                .index = g_byte_array_new(),
                .zst = ZSTD_createCCtx(),
                .each = each};
    g_autoptr(GByteArray) trained = dictionary ? train(text) : g_byte_array_new();
    g_assert_true(!dictionary || trained->len != 0);
    g_byte_array_append(p.file, (const guint8 *)text, (guint)(blocks - text));
    g_byte_array_append(p.file, (const guint8 *)"\n", 2); /* and NUL */
    put32(p.file, trained->len);
    put32(p.file, each);
    g_byte_array_append(p.file, trained->data, trained->len);
    g_assert_false(ZSTD_isError(ZSTD_CCtx_loadDictionary(p.zst, trained->data, trained->len)));
    g_auto(GStrv) lines = g_strsplit(blocks, "\n", -1);
    uint32_t n_blocks = 0, id[3] = {0}, warps = 0;
    guint at_warps = 0;
    for (char **line = lines; *line != NULL;) {
        if (g_str_has_prefix(*line, "insts")) {
            warps++;
            line = put_warp(&p, line);
            continue;
        }
        if (sscanf(*line, "thread block = %u,%u,%u", &id[0], &id[1], &id[2]) == 3) {
            n_blocks++;
            warps = 0;
            for (uint32_t i = 0; i < 10; i++) {
                put32(p.index, i < 6 ? id[i % 3] : 0);
            }
            at_warps = p.index->len;
            put32(p.index, 0);
        } else if (g_str_equal(*line, "#END_TB")) {
            warps = GUINT32_TO_LE(warps);
            memcpy(p.index->data + at_warps, &warps, sizeof warps);
        }
        line++;
    }
    uint64_t at = p.file->len;
    put32(p.file, n_blocks);
    g_byte_array_append(p.file, p.index->data, p.index->len);
    put64(p.file, at);
    g_byte_array_unref(p.index);
    ZSTD_freeCCtx(p.zst);
    return p.file;
}

static const char *write_bytes(Scratch *s, const char *name, const GByteArray *bytes)
{
    return scratch_write(s, name, bytes->data, bytes->len);
}

/* ---- tests ------------------------------------------------------------------------------------------------------------- */

/** Drawn traces say the same in version 5, in version 6, and as its file in frames of any size. */
static void test_drawn(void)
{
    g_autoptr(Scratch) s = scratch_new();
    for (uint32_t seed = 0; seed < 24; seed++) {
        DrawnStyle style = {.wild = seed % 2 == 1,
                            .front = seed % 3 == 1 ? "%" : NULL,
                            .blanks = " ",
                            .end = seed % 4 == 3 ? " \n" : "\n"};
        static const uint32_t each[] = {1, 7, 2048};
        g_autofree char *five = draw_trace(seed, style);
        g_autofree char *six = as_version6(five, seed);
        g_autoptr(GByteArray) packed = as_tracez(six, each[seed % 3], seed % 2 == 0);
        const char *a = scratch_write(s, "five.traceg", five, -1);
        g_assert_cmpstr(five, !=, six);
        assert_same_traces(a, scratch_write(s, "six.traceg", six, -1), false);
        g_autoptr(GByteArray) zst = make_zst(six, strlen(six));
        assert_same_traces(a, write_bytes(s, "six.traceg.zst", zst), false);
        assert_same_traces(a, write_bytes(s, "six.tracez", packed), false);
    }
}

/** The only instruction of a trace that has @p line and an EXIT. */
static void assert_reads(const char *line, const char *same_as)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *five = NULL, *six = NULL, *text = NULL;
    g_autofree char *lines = g_strdup_printf("%s\n0010 ffffffff 0 EXIT 0 0 0 NoVal\n", line);
    g_autofree char *others = g_strdup_printf("%s\n0010 ffffffff 0 EXIT 0 0 0\n", same_as);
    five = make_kernel("", 2, others);
    text = make_kernel("", 2, lines);
    g_auto(GStrv) halves = g_strsplit(text, "tracer version = 5", 2);
    six = g_strjoinv("tracer version  =06", halves); /* as the header may have it */
    assert_same_traces(scratch_write(s, "five.traceg", five, -1),
                       scratch_write(s, "six.traceg", six, -1), true);
    g_auto(GStrv) all = g_strsplit(
        six, "\n", -1); /* lines that end as those of Windows, and a last one without an end */
    g_autofree char *windows = g_strjoinv("\r\n", all);
    windows[strlen(windows) - 2] = '\0';
    assert_same_traces(scratch_path(s, "five.traceg"),
                       scratch_write(s, "windows.traceg", windows, -1), true);
}

static void test_lines(void)
{
    assert_reads("0000 ffffffff 1 UR4 R2UR 1 R3 0 0 0 NoVal", "0000 ffffffff 0 R2UR 1 R3 0 0");
    assert_reads("0000 ffffffff 1 R9 IMAD.WIDE 4 R2 UR4 P0 R255 0 5 0 NoVal",
                 "0000 ffffffff 1 R9 IMAD.WIDE 2 R2 R255 0 5");
    assert_reads("0000 ffffffff 1 P0 ISETP.GE.AND 3 R2 P7 P7 0 0 0 NoVal",
                 "0000 ffffffff 0 ISETP.GE.AND 1 R2 0 0");
    assert_reads(
        "0000 ffffffff 0 UISETP 12 UR1 UR2 UR3 UR4 UR5 UR6 UR7 UR8 UP1 UP2 P3 R7 0 9 NoVal",
        "0000 ffffffff 0 UISETP 1 R7 0 9");
    assert_reads("0000 0000000f 1 R3 LDG.E 2 R4 UR4 4 0 0x10 0x20 0x30 0x40 1 2 NoVal",
                 "0000 0000000f 1 R3 LDG.E 1 R4 4 0 0x10 0x20 0x30 0x40 1");
    assert_reads("0000 0000000f 1 R3 LDG.E 2 R4 UR4 4 1 0x10 4 1 2 Val 1 0 1 7f 32 0 1 2 3 4 5 6 7 "
                 "8 9 a b c d e f 0 1 2 3 4 5 6 7 8 9 a b c d e f",
                 "0000 0000000f 1 R3 LDG.E 1 R4 4 1 0x10 4 1");
    assert_reads("0000 0000000f 1 R3 LDG.E 2 R4 UR4 4 2 0x10 4 -4 8 1",
                 "0000 0000000f 1 R3 LDG.E 1 R4 4 2 0x10 4 -4 8 1");
    assert_reads("0000 00000000 1 R3 LDG.E 2 R4 UR4 4 0 0 0 NoVal",
                 "0000 00000000 1 R3 LDG.E 1 R4 4 0 0");
    assert_reads("0000 00000001 1 R3 LDG.E 2 R4 UR4 4 2 0x10 3 NoVal",
                 "0000 00000001 1 R3 LDG.E 1 R4 4 2 0x10 3");
    assert_reads("0000 00000000 1 R3 LDG.E 2 R4 UR4 4 2 0x10 7 0 NoVal",
                 "0000 00000000 1 R3 LDG.E 1 R4 4 2 0x10 7");
    assert_reads("0000 ffffffff 0 DEPBAR.LE 0 0 1 0 Val", "0000 ffffffff 0 DEPBAR.LE 0 0 1");
    assert_reads("0000 ffffffff 1 R24 HGMMA.64x8x16.F32 2 R24 UR4 1 0 0 0 NoVal",
                 "0000 ffffffff 1 R24 HGMMA.64x8x16.F32 1 R24 0 0");
    assert_reads("c000 ffffffff 0 NOP 0 0", "c000 ffffffff 0 NOP 0 0");
}

/** @p line, the first of a warp, is refused with @p text. */
static void assert_refused(const char *line, const char *text)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *lines = g_strdup_printf(
        "0000 ffffffff 0 NOP 0 0 0 0 NoVal\n%s\n0010 ffffffff 0 EXIT 0 0 0 0 NoVal\n", line);
    g_autofree char *five = make_kernel("", 3, lines);
    g_auto(GStrv) halves = g_strsplit(five, "tracer version = 5", 2);
    g_autofree char *six = g_strjoinv("tracer version = 6", halves);
    g_autofree char *expected = g_strdup_printf("kernel-1.traceg:20: %s", text);
    assert_read_fails(scratch_write(s, "kernel-1.traceg", six, -1), NULL, expected);
}

static void test_refused(void)
{
    assert_refused(
        "0010 fffffffff 0 NOP 0 0 0",
        "bad mask 'fffffffff' (tracer version 6); expected a hexadecimal number of 32 bits");
    assert_refused(
        "0010 ffffffff x",
        "bad number of destinations 'x' (tracer version 6); expected a small decimal number");
    assert_refused("0010 ffffffff 1 B4 MOV 0 0",
                   "bad register 'B4' (tracer version 6); expected R, UR, P or UP and a number");
    assert_refused("0010 ffffffff 1 UR MOV 0 0",
                   "bad register 'UR' (tracer version 6); expected R, UR, P or UP and a number");
    assert_refused(
        "0010 ffffffff 1 R4 MOV 33 0",
        "bad number of sources '33' (tracer version 6); expected a small decimal number");
    assert_refused("0010 ffffffff 1 R4 MOV 2 R4",
                   "bad register '' (tracer version 6); expected R, UR, P or UP and a number");
    assert_refused("0010 ffffffff 1 R300 MOV 0 0", "bad register 'R300'; expected R0 to R255");
    assert_refused("0010 ffffffff 1 R4 LDG 1 R2 4 3 0x10",
                   "bad address mode '3' (tracer version 6); expected 0 (list), 1 (base and "
                   "stride) or 2 (base and deltas)");
    assert_refused("0010 00000003 1 R4 LDG 1 R2 4 0 0x10",
                   "bad addresses '' (tracer version 6); expected one for each active lane, or a "
                   "base and a stride");
    assert_refused(
        "0010 ffffffff 1 R4 MOV 0 0 1 2 3 NoVal",
        "bad rest of the line '3' (tracer version 6); expected NoVal, or Val and values");
    assert_refused(
        "0010 ffffffff 1 R4 MOV 0 0 1 2 NoValue",
        "bad rest of the line 'NoValue' (tracer version 6); expected NoVal, or Val and values");
    assert_refused(
        "0010 ffffffff 1 R4 MOV 0 0 1 2 Val 2 0 0",
        "bad number of values '2' (tracer version 6); expected 1 or 32 for each register");
    assert_refused("0010 ffffffff 1 R4 MOV 0 0 1 2 Val 1 z",
                   "bad value of a register 'z' (tracer version 6); expected a hexadecimal number");
    assert_refused(
        "0010 ffffffff 1 R4 MOV 0 0 1 2 Val 1 0 1 0",
        "bad rest of the line '1' (tracer version 6); expected NoVal, or Val and values");
    assert_refused("0010 ffffffff 0 UTMALDG.2D 2 UR8 UR4 16 0x400 0 4096 0 4 0x7f00 1 0 0 NoVal",
                   "bad opcode 'UTMALDG.2D' (tracer version 6); expected none of the Tensor Memory "
                   "Accelerator, which is not read");
}

/** Thread blocks of a cluster run together on a GPU that has them; alone they are as ever. */
static void test_clusters(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *five = draw_trace(1, (DrawnStyle){.blanks = " ", .end = "\n"});
    g_autofree char *six = as_version6(five, 1);
    g_auto(GStrv) ranks = g_strsplit(six, "cluster rank = 0", 3);
    g_autofree char *second =
        g_strdup_printf("%scluster rank = 0%scluster rank = 1%s", ranks[0], ranks[1], ranks[2]);
    assert_read_fails(scratch_write(s, "a.traceg", second, -1), NULL,
                      "thread block 1,0,0 has others in its cluster ('cluster rank = 1'); expected "
                      "none: no machine launches thread blocks together");
    g_auto(GStrv) places = g_strsplit(six, "cluster cta = 0,0,0", 2);
    g_autofree char *place = g_strjoinv("cluster cta = 0,1,0", places);
    assert_read_fails(scratch_write(s, "b.traceg", place, -1), NULL,
                      "thread block 0,0,0 has others in its cluster ('cluster cta = 0,1,0')");
}

static void say_nothing(void *user, const char *message)
{
    g_assert_null(strchr(message, '\n'));
}

/** A `.tracez` that is cut off, or of which a byte is another: it is read, or refused in one line. */
static void test_broken(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *five = draw_trace(2, (DrawnStyle){.blanks = " ", .end = "\n"});
    g_autofree char *six = as_version6(five, 2);
    g_autoptr(GByteArray) whole = as_tracez(six, 100, true);
    const WwTraceOptions options = {.warn = say_nothing};
    uint32_t refused = 0;
    for (guint cut = 1; cut < whole->len; cut += 1 + whole->len / 200) {
        g_autoptr(GError) error = NULL;
        ReadResult r;
        g_assert_false(
            read_all(scratch_write(s, "cut.tracez", whole->data, cut), &options, &r, &error));
        g_assert_null(strchr(error->message, '\n'));
    }
    for (guint at = 0; at < whole->len; at += 1 + whole->len / 400) {
        g_autoptr(GError) error = NULL;
        ReadResult r;
        whole->data[at] ^= (guint8)(1u << at % 8);
        refused += !read_all(write_bytes(s, "other.tracez", whole), &options, &r, &error);
        g_assert_true(error == NULL || strchr(error->message, '\n') == NULL);
        whole->data[at] ^= (guint8)(1u << at % 8);
    }
    g_assert_cmpuint(refused, >, 0);
    assert_read_fails(scratch_write(s, "text.tracez", six, -1), NULL,
                      "not .tracez data; expected what the name says");
    uint64_t index;
    memcpy(&index, whole->data + whole->len - 8, sizeof index);
    guint8 *insts = whole->data + GUINT64_FROM_LE(index) +
                    12 * sizeof(uint32_t); /* of the first block's first warp */
    *insts ^= 1;
    assert_read_fails(write_bytes(s, "count.tracez", whole), NULL,
                      ".tracez data is corrupt: its index does not fit; expected a complete file");
    *insts ^= 1;
    for (guint i = whole->len - 8; i < whole->len; i++) {
        whole->data[i] = 0xff;
    }
    assert_read_fails(
        write_bytes(s, "index.tracez", whole), NULL,
        "index.tracez: cannot read: .tracez data is corrupt; expected a complete file");
}

/** The index ends before what it says that there is, while all that it leads to is whole. */
static void test_short_index(void)
{
    static const char says[] =
        "cannot read on: .tracez data is truncated; expected a complete file";
    g_autoptr(Scratch) s = scratch_new();
    g_autofree char *five = draw_trace(2, (DrawnStyle){.blanks = " ", .end = "\n"});
    g_autofree char *six = as_version6(five, 2);
    g_autoptr(GByteArray) whole = as_tracez(six, 1, false);
    uint64_t place;
    memcpy(&place, whole->data + whole->len - sizeof place, sizeof place);
    guint8 *blocks = whole->data + GUINT64_FROM_LE(place);
    g_assert_cmpuint(*blocks, <, 255);
    ++*blocks;
    assert_read_fails(write_bytes(s, "blocks.tracez", whole), NULL, says);
    --*blocks;
    g_byte_array_remove_range(whole, whole->len - 20,
                              12); /* of the last warp's last three frames */
    assert_read_fails(write_bytes(s, "frames.tracez", whole), NULL, says);
}

/** As xz and zst, it is found beside a list, packed, and comes back as text with a name that says so. */
static void test_list(void)
{
    g_autoptr(Scratch) s = scratch_new();
    g_autoptr(GError) error = NULL;
    g_autofree char *five = draw_trace(4, (DrawnStyle){.blanks = " ", .end = "\n"});
    g_autofree char *six = as_version6(five, 4);
    g_autoptr(GByteArray) packed = as_tracez(six, 2048, true);
    scratch_write(s, "kernel-1.traceg", five, -1);
    write_bytes(s, "kernel-1.tracez", packed);
    const char *a =
        scratch_write(s, "a.g", "MemcpyHtoD,0x100,64\nkernel-1.traceg\nkernel-1.traceg\n", -1);
    const char *b =
        scratch_write(s, "b.g", "MemcpyHtoD,0x100,64\nkernel-1.tracez\nkernel-1.tracez\n", -1);
    assert_same_traces(a, b, false);
    const char *pack = scratch_path(s, "b.wwpack"), *folder = scratch_path(s, "out");
    g_assert_true(ww_trace_pack(b, pack, 3, NULL, &error));
    assert_same_traces(a, pack, false);
    g_assert_true(ww_trace_unpack(pack, folder, NULL, &error));
    g_autofree char *list = unpacked_text(scratch_path(s, "out/kernelslist.g"));
    g_assert_cmpstr(list, ==, "MemcpyHtoD,0x100,64\nkernel-1.traceg\nkernel-1.traceg\n");
    assert_same_traces(a, scratch_path(s, "out/kernelslist.g"), false);
}

void add_version6_tests(void)
{
    g_test_add_func("/trace/version6/drawn", test_drawn);
    g_test_add_func("/trace/version6/lines", test_lines);
    g_test_add_func("/trace/version6/refused", test_refused);
    g_test_add_func("/trace/version6/clusters", test_clusters);
    g_test_add_func("/trace/version6/broken", test_broken);
    g_test_add_func("/trace/version6/short-index", test_short_index);
    g_test_add_func("/trace/version6/list", test_list);
}
