/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tokens from words: numbers, instructions, fetched groups and memory transactions field by field; those of any contract by its
 * generator.
 */
#include "bench.h"

#include <errno.h>
#include <ports/register_set.h>
#include <string.h>

/* ---- fields ----------------------------------------------------------------------------------------------------- */

typedef struct Field {
    const char *name;
    uint64_t v; /* default, then what was given */
    const char *(*word)(uint32_t i); /* names that stand for numbers; NULL: only numbers */
    uint32_t n_words;
    bool given;
} Field;

static bool number(const char *text, uint64_t *out)
{
    char *end;
    errno = 0;
    *out = g_ascii_strtoull(text, &end, 0);
    return errno == 0 && end != text && *end == '\0' && *text != '-';
}

static bool field_value(Field *f, const char *text, GError **error)
{
    for (uint32_t i = 0; i < f->n_words; i++) {
        if (g_ascii_strcasecmp(f->word(i), text) == 0) {
            f->v = i;
            return true;
        }
    }
    return number(text, &f->v) ||
           ww_fail(error, WW_ERROR_INPUT, "'%s=%s'; expected a number%s%s%s", f->name, text,
                   f->word != NULL ? " or a name such as " : "", f->word != NULL ? f->word(0) : "",
                   f->word != NULL ? " (--help lists what the simulator calls them)" : "");
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
            return ww_fail(error, WW_ERROR_INPUT, "'%s' is no field of this token; expected %s", *w, list->str);
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
    enum { OP, DST, SRC0, SRC1, SRC2, WARP, SCHED, MASK, LATENCY, INTERVAL, UID, PC, SPACE, WIDTH, BASE, STRIDE };
    Field f[] = {{"op", WW_OP_ALU, op_word, WW_N_OPS, false},
                 {.name = "dst"},
                 {.name = "src0"},
                 {.name = "src1"},
                 {.name = "src2"},
                 {.name = "warp"},
                 {.name = "sched"},
                 {.name = "mask", .v = UINT32_MAX},
                 {.name = "latency", .v = 1},
                 {.name = "interval", .v = 1},
                 {.name = "uid", .v = b->made + 1},
                 {.name = "pc", .v = 16 * b->made},
                 {"space", WW_SPACE_NONE, space_word, WW_N_SPACES, false},
                 {.name = "width", .v = 4},
                 {.name = "base"},
                 {.name = "stride", .v = 4},
                 {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    if (f[OP].v >= WW_N_OPS || f[WARP].v >= WW_MAX_WARPS || f[LATENCY].v > UINT16_MAX || f[INTERVAL].v > UINT16_MAX) {
        return ww_fail(error, WW_ERROR_INPUT, "an instruction of category %" G_GUINT64_FORMAT ", warp %" G_GUINT64_FORMAT
                       "; expected a category below %u, a warp below %u, times below 65536",
                       f[OP].v, f[WARP].v, (unsigned)WW_N_OPS, (unsigned)WW_MAX_WARPS);
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
    Field f[] = {{.name = "warp"}, {.name = "pc", .v = 32 * b->made}, {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    *out = ww_fetch_token((uint32_t)f[0].v & 0xff, f[1].v);
    return true;
}

/* Sectors and bytes follow from address and size. */
static bool make_mem(Bench *b, char **words, WwToken *out, GError **error)
{
    enum { ADDR, SIZE, TYPE, WRITE, ATOMIC, RESPONSE, BYPASS, SM, CLUSTER, WARP };
    Field f[] = {{.name = "addr"},
                 {.name = "size", .v = 32},
                 {"type", WW_ACCESS_GLOBAL_R, access_word, WW_N_ACCESS_TYPES, false},
                 {.name = "write"},
                 {.name = "atomic"},
                 {.name = "response"},
                 {.name = "bypass_l1"},
                 {.name = "sm"},
                 {.name = "cluster"},
                 {.name = "warp"},
                 {NULL}};
    if (!read_fields(words, f, error)) {
        return false;
    }
    uint64_t from = f[ADDR].v % 128;
    if (f[SIZE].v == 0 || from + f[SIZE].v > 128 || f[TYPE].v >= WW_N_ACCESS_TYPES) {
        return ww_fail(error, WW_ERROR_INPUT, "%" G_GUINT64_FORMAT " bytes at 0x%" G_GINT64_MODIFIER
                       "x; expected 1 to 128 bytes within a line of 128, of a type that there is",
                       f[SIZE].v, f[ADDR].v);
    }
    WwMemReq *r = ww_harness_alloc(b->h, sizeof *r);
    *r = (WwMemReq){.addr = f[ADDR].v,
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
        return ww_fail(error, WW_ERROR_INPUT, "'%s' is no token; expected a number, 'random', or the name of a token",
                       words[0] != NULL ? words[0] : "");
    }
    return true;
}

/* ---- what others use -------------------------------------------------------------------------------------------- */

static bool make_random(Bench *b, const BenchPort *port, WwToken *out, GError **error)
{
    if (port->payload->make == NULL) {
        return ww_fail(error, WW_ERROR_INPUT, "contract '%s' of port %s has no generator; expected a token in full",
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
        good = ww_fail(error, WW_ERROR_INPUT, "tokens of '%s' cannot be written down; expected 'random'", p->name);
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
    char text[200];
    const char *name = name_of(b, token);
    port->payload->text(token, text, sizeof text);
    return name != NULL ? g_strdup_printf("%s: %s", name, text) : g_strdup(text);
}

bool bench_is(const Bench *b, const BenchPort *port, WwToken token, const char *word)
{
    char text[200];
    uint64_t v;
    const uint64_t *named = g_hash_table_lookup(b->named, word);
    if (named != NULL) {
        return port->payload->key(*named) == port->payload->key(token);
    }
    if (port->payload == &ww_payload_number && number(word, &v)) {
        return v == token;
    }
    port->payload->text(token, text, sizeof text);
    return strstr(text, word) != NULL;
}
