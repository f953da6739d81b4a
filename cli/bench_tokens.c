/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens from words: numbers, instructions, fetched groups and memory transactions field by field; those of any contract by its
 * generator.
 */
#include "bench.h"

#include <errno.h>
#include <ports/register_set.h>
#include <string.h>

enum { MOST_REGISTER = 254 }; /* R255 is the register that is zero */

/* ---- fields ----------------------------------------------------------------------------------------------------- */

typedef struct Field {
    const char *name;
    uint64_t v;                      /* default, then what was given */
    uint64_t max;                    /* 0: any number */
    const char *(*word)(uint32_t i); /* what numbers are called; NULL: nothing */
    bool given;
} Field;

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = g_ascii_strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

/* Numbers from 0 to max, and the names that they may have. */
static char *range_text(const Field *f)
{
    GString *out = g_string_new(NULL);
    if (f->max == 0) {
        g_string_append(out, "a number");
    } else {
        g_string_append_printf(out, "0 to %" G_GUINT64_FORMAT, f->max);
    }
    for (uint32_t i = 0; f->word != NULL && i <= f->max; i++) {
        g_string_append_printf(out, "%s%s", i == 0 ? " or " : ", ", f->word(i));
    }
    return g_string_free(out, false);
}

static bool field_value(Field *f, const char *text, GError **error)
{
    for (uint32_t i = 0; f->word != NULL && i <= f->max; i++) {
        if (g_ascii_strcasecmp(f->word(i), text) == 0) {
            f->v = i;
            return true;
        }
    }
    if (number(text, &f->v) && (f->max == 0 || f->v <= f->max)) {
        return true;
    }
    g_autofree char *range = range_text(f);
    return ww_fail(error, WW_ERROR_INPUT, "'%s=%s'; expected %s", f->name, text, range);
}

/* Reads "name=value" words; a bare name is name=1. */
static bool read_fields(char **words, Field *fields, GError **error)
{
    for (char **w = words; *w != NULL; w++) {
        size_t n = strcspn(*w, "=");
        Field *f = fields;
        while (f->name != NULL && (strlen(f->name) != n || strncmp(f->name, *w, n) != 0)) {
            f++;
        }
        if (f->name == NULL) {
            g_autoptr(GString) list = g_string_new(NULL);
            for (f = fields; f->name != NULL; f++) {
                g_string_append_printf(list, "%s%s", list->len != 0 ? ", " : "", f->name);
            }
            return ww_fail(error, WW_ERROR_INPUT, "'%s' is no field of this token; expected %s", *w,
                           list->str);
        }
        if (!field_value(f, (*w)[n] == '=' ? *w + n + 1 : "1", error)) {
            return false;
        }
        f->given = true;
    }
    return true;
}

/* ---- payloads --------------------------------------------------------------------------------------------------- */

static const char *op_word(uint32_t i)
{
    return ww_op_name((WwOp)i);
}

static const char *space_word(uint32_t i)
{
    return ww_space_name((WwSpace)i);
}

static const char *access_word(uint32_t i)
{
    return ww_access_type_name((WwAccessType)i);
}

/* "dst=5" is register R5; "src0" to "src2" are the sources. */
static bool make_inst(Bench *b, char **words, WwToken *out, GError **error)
{
    enum {
        OP,
        DST,
        SRC0,
        SRC1,
        SRC2,
        WARP,
        SCHED,
        MASK,
        LATENCY,
        INTERVAL,
        UID,
        PC,
        SPACE,
        WIDTH,
        BASE,
        STRIDE
    };
    Field f[] = {{"op", WW_OP_ALU, WW_N_OPS - 1, op_word, false},
                 {.name = "dst", .max = MOST_REGISTER},
                 {.name = "src0", .max = MOST_REGISTER},
                 {.name = "src1", .max = MOST_REGISTER},
                 {.name = "src2", .max = MOST_REGISTER},
                 {.name = "warp", .max = WW_MAX_WARPS - 1},
                 {.name = "sched", .max = 15},
                 {.name = "mask", .v = UINT32_MAX, .max = UINT32_MAX},
                 {.name = "latency", .v = 1, .max = UINT16_MAX},
                 {.name = "interval", .v = 1, .max = UINT16_MAX},
                 {.name = "uid", .v = b->made + 1},
                 {.name = "pc", .v = 16 * b->made},
                 {"space", WW_SPACE_NONE, WW_N_SPACES - 1, space_word, false},
                 {.name = "width", .v = 4, .max = 16},
                 {.name = "base"},
                 {.name = "stride", .v = 4},
                 {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    WwTestInst t = {.op = (WwOp)f[OP].v,
                    .dst = (uint16_t)(f[DST].given ? f[DST].v + 1 : 0),
                    .warp = (uint16_t)f[WARP].v,
                    .sched = (uint8_t)f[SCHED].v,
                    .mask = (uint32_t)f[MASK].v,
                    .no_lanes = f[MASK].v == 0,
                    .latency = (uint16_t)f[LATENCY].v,
                    .interval = (uint16_t)f[INTERVAL].v,
                    .uid = f[UID].v,
                    .pc = f[PC].v,
                    .space = (uint8_t)f[SPACE].v,
                    .width = (uint8_t)f[WIDTH].v,
                    .base = f[BASE].v,
                    .stride = f[BASE].given ? (int64_t)f[STRIDE].v : 0};
    for (int i = SRC0, n = 0; i <= SRC2; i++) {
        if (f[i].given) {
            t.src[n++] = (uint16_t)(f[i].v + 1);
        }
    }
    *out = ww_token_of(ww_test_inst(b->h, &t));
    return true;
}

static bool make_fetch(Bench *b, char **words, WwToken *out, GError **error)
{
    Field f[] = {
        {.name = "warp", .max = WW_MAX_WARPS - 1}, {.name = "pc", .v = 32 * b->made}, {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    *out = ww_fetch_token((uint32_t)f[0].v, f[1].v);
    return true;
}

/* Sectors and bytes follow from address and size. */
static bool make_mem(Bench *b, char **words, WwToken *out, GError **error)
{
    enum { ADDR, SIZE, TYPE, WRITE, ATOMIC, RESPONSE, BYPASS, SM, CLUSTER, WARP };
    Field f[] = {{.name = "addr"},
                 {.name = "size", .v = 32, .max = 128},
                 {"type", WW_ACCESS_GLOBAL_R, WW_N_ACCESS_TYPES - 1, access_word, false},
                 {.name = "write", .max = 1},
                 {.name = "atomic", .max = 1},
                 {.name = "response", .max = 1},
                 {.name = "bypass_l1", .max = 1},
                 {.name = "sm", .max = UINT16_MAX},
                 {.name = "cluster", .max = UINT16_MAX},
                 {.name = "warp", .max = WW_MAX_WARPS - 1},
                 {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    uint64_t from = f[ADDR].v % 128;
    if (f[SIZE].v == 0 || from + f[SIZE].v > 128) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "%" G_GUINT64_FORMAT " bytes at 0x%" G_GINT64_MODIFIER
                       "x; expected 1 to 128 bytes within a line of 128",
                       f[SIZE].v, f[ADDR].v);
    }
    WwMemReq *r = ww_harness_alloc(b->h, sizeof *r);
    *r =
        (WwMemReq){.addr = f[ADDR].v,
                   .size = (uint32_t)f[SIZE].v,
                   .type = (uint8_t)(f[WRITE].v && !f[TYPE].given ? WW_ACCESS_GLOBAL_W : f[TYPE].v),
                   .write = f[WRITE].v != 0,
                   .atomic = f[ATOMIC].v != 0,
                   .response = f[RESPONSE].v != 0,
                   .bypass_l1 = f[BYPASS].v != 0,
                   .sm = (uint16_t)f[SM].v,
                   .cluster = (uint16_t)f[CLUSTER].v,
                   .warp = (uint16_t)f[WARP].v,
                   .lanes = UINT32_MAX,
                   .serial = b->made};
    for (uint64_t i = from; i < from + r->size; i++) {
        r->bytes.w[i / 64] |= 1ull << i % 64;
        r->sectors |= (uint8_t)(1u << i / 32);
    }
    *out = ww_token_of(r);
    return true;
}

static bool make_number(char **words, WwToken *out, GError **error)
{
    if (words[0] == NULL || words[1] != NULL || !number(words[0], out)) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "'%s' is no token; expected a number, 'random', or the name of a token",
                       words[0] != NULL ? words[0] : "");
    }
    return true;
}

/* ---- what others use -------------------------------------------------------------------------------------------- */

static bool make_random(Bench *b, const BenchPort *port, WwToken *out, GError **error)
{
    if (port->payload->make == NULL) {
        return ww_fail(error, WW_ERROR_INPUT,
                       "contract '%s' of port %s has no generator; expected a token in full",
                       port->port->contract->name, port->name);
    }
    *out = port->payload->make(b->h, b->random, b->made);
    if (b->type->adapt != NULL) {
        b->type->adapt(ww_harness_self(b->h), port->port, *out, b->random);
    }
    return true;
}

bool bench_make(Bench *b, const BenchPort *port, char **words, WwToken *out, GError **error)
{
    const WwPayload *p = port->payload;
    bool good;
    if (words[0] != NULL && strcmp(words[0], "random") == 0 && words[1] == NULL) {
        good = make_random(b, port, out, error);
    } else if (p == &ww_payload_inst) {
        good = make_inst(b, words, out, error);
    } else if (p == &ww_payload_mem) {
        good = make_mem(b, words, out, error);
    } else if (p == &ww_payload_fetch) {
        good = make_fetch(b, words, out, error);
    } else if (p == &ww_payload_number) {
        good = make_number(words, out, error);
    } else {
        good = ww_fail(error, WW_ERROR_INPUT,
                       "tokens of '%s' cannot be written down; expected 'random'", p->name);
    }
    b->made += good;
    return good;
}

static const char *name_of(const Bench *b, WwToken token)
{
    GHashTableIter it;
    gpointer name, value;
    const char *first = NULL; /* by the alphabet: hash order is nobody's */
    g_hash_table_iter_init(&it, b->named);
    while (g_hash_table_iter_next(&it, &name, &value)) {
        if (*(const uint64_t *)value == token && (first == NULL || strcmp(name, first) < 0)) {
            first = name;
        }
    }
    return first;
}

char *bench_text(const Bench *b, const BenchPort *port, WwToken token)
{
    char text[WW_TOKEN_TEXT];
    const char *name = name_of(b, token);
    ww_token_text(port->payload, token, text);
    return name != NULL ? g_strdup_printf("%s: %s", name, text) : g_strdup(text);
}

bool bench_is(const Bench *b, const BenchPort *port, WwToken token, const char *word)
{
    char text[WW_TOKEN_TEXT];
    uint64_t v;
    const uint64_t *named = g_hash_table_lookup(b->named, word);
    if (named != NULL) {
        return port->payload->key(*named) == port->payload->key(token);
    }
    if (port->payload == &ww_payload_number && number(word, &v)) {
        return v == token;
    }
    return strstr(ww_token_text(port->payload, token, text), word) != NULL;
}
