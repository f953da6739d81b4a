/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * The header of a kernel trace: `-key = value` lines until the first line that starts with '#'.
 */
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

enum {
    FIELD_NAME,
    FIELD_ID,
    FIELD_GRID,
    FIELD_BLOCK,
    FIELD_SHMEM,
    FIELD_NREGS,
    FIELD_BINARY,
    FIELD_STREAM,
    FIELD_SHMEM_BASE,
    FIELD_LOCAL_BASE,
    FIELD_NVBIT,
    FIELD_TRACER,
    FIELD_LINEINFO,
    N_FIELDS
};

typedef enum { FORM_TEXT, FORM_DIM, FORM_DEC, FORM_HEX, FORM_MAJOR } Form;

static const struct {
    const char *key;
    const char *expected;
    Form form;
    bool required;
    uint64_t min, max;
} fields[N_FIELDS] = {
    [FIELD_NAME] = {"kernel name", "a name", FORM_TEXT, true, 0, 0},
    [FIELD_ID] = {"kernel id", "a decimal number", FORM_DEC, false, 0, UINT64_MAX},
    [FIELD_GRID] = {"grid dim", "(x,y,z), each 1 to 2147483647", FORM_DIM, true, 1, INT32_MAX},
    [FIELD_BLOCK] = {"block dim", "(x,y,z), each 1 to 2048", FORM_DIM, true, 1,
                     WW_TRACE_MAX_THREADS},
    [FIELD_SHMEM] = {"shmem", "bytes, at most 2147483647", FORM_DEC, true, 0, INT32_MAX},
    [FIELD_NREGS] = {"nregs", "registers of a thread, 0 to 1024", FORM_DEC, true, 0, 1024},
    [FIELD_BINARY] = {"binary version", "a decimal number", FORM_DEC, true, 0, UINT32_MAX},
    [FIELD_STREAM] = {"cuda stream id", "a decimal number", FORM_DEC, false, 0, UINT64_MAX},
    [FIELD_SHMEM_BASE] = {"shmem base_addr", "a hexadecimal address", FORM_HEX, false, 0,
                          UINT64_MAX},
    [FIELD_LOCAL_BASE] = {"local mem base_addr", "a hexadecimal address", FORM_HEX, false, 0,
                          UINT64_MAX},
    [FIELD_NVBIT] = {"nvbit version", "a version", FORM_TEXT, false, 0, 0},
    [FIELD_TRACER] = {WW_KEY_TRACER, "1 to 6", FORM_MAJOR, false, 1, 6},
    [FIELD_LINEINFO] = {WW_KEY_LINEINFO, "0 or 1", FORM_DEC, false, 0, INT32_MAX},
};

/** A field's values: one number, or three. */
typedef struct Value {
    uint32_t line; /**< 0: not given. */
    uint64_t n[3];
} Value;

static const char *scan_dim(const char *p, Value *v)
{
    if (*p++ != '(') {
        return NULL;
    }
    for (int i = 0; i < 3; i++) {
        p = ww_scan_dec(ww_skip_blanks(p), UINT64_MAX, &v->n[i]);
        if (p == NULL) {
            return NULL;
        }
        p = ww_skip_blanks(p);
        if (*p++ != (i < 2 ? ',' : ')')) {
            return NULL;
        }
    }
    return p;
}

static bool parse_value(uint32_t field, const char *text, Value *v)
{
    const char *p = NULL;
    uint32_t n = 1;
    uint64_t minor;
    switch (fields[field].form) {
    case FORM_TEXT:
        return *text != '\0';
    case FORM_DIM:
        p = scan_dim(text, v);
        n = 3;
        break;
    case FORM_DEC:
        p = ww_scan_dec(text, UINT64_MAX, &v->n[0]);
        break;
    case FORM_HEX:
        p = ww_scan_hex(text, &v->n[0]);
        break;
    case FORM_MAJOR: /* "1.2" is 1, as in the reference */
        p = ww_scan_dec(text, UINT64_MAX, &v->n[0]);
        if (p != NULL && *p == '.') {
            p = ww_scan_dec(p + 1, UINT64_MAX, &minor);
        }
        break;
    }
    if (p == NULL || *p != '\0') {
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (v->n[i] < fields[field].min || v->n[i] > fields[field].max) {
            return false;
        }
    }
    return true;
}

/** Index of the field that @p line names, or N_FIELDS. Sets *@p value to the text after '='. */
static uint32_t field_of(const char *line, const char **value)
{
    for (uint32_t i = 0; i < N_FIELDS; i++) {
        *value = ww_header_value(line, fields[i].key, strlen(fields[i].key));
        if (*value != NULL) {
            return i;
        }
    }
    return N_FIELDS;
}

/** @p name as it is shown everywhere: control characters, also those that terminals with 8 bits know (U+0080 to U+009F), are '?'. */
static GString *plain_name(const char *name)
{
    g_autofree char *valid = g_utf8_make_valid(name, -1);
    GString *plain = g_string_new(NULL);
    for (const char *p = valid; *p != '\0'; p = g_utf8_next_char(p)) {
        gunichar c = g_utf8_get_char(p);
        g_string_append_unichar(plain, g_unichar_iscntrl(c) ? '?' : c);
    }
    return plain;
}

static bool parse_line(WwKernelReader *k, const char *line, Value *values, GError **error)
{
    const char *value = NULL;
    char quoted[48];
    uint32_t field = field_of(line, &value), number = ww_lines_number(&k->lines);
    if (field == N_FIELDS) {
        return true; /* tracers may add fields; they are not ours to judge */
    }
    if (values[field].line != 0) {
        return ww_fail_at(error, k->lines.file, number,
                          "'-%s' stands twice, in line %u, too; expected once", fields[field].key,
                          values[field].line);
    }
    if (!parse_value(field, value, &values[field])) {
        return ww_fail_at(error, k->lines.file, number, "bad '-%s = %s'; expected %s",
                          fields[field].key, ww_quote(value, quoted), fields[field].expected);
    }
    values[field].line = number;
    if (field == FIELD_NAME) {
        g_autoptr(GString) name = plain_name(value);
        k->name = ww_heap_text(k->lines.heap, name->str, name->len);
    }
    return true;
}

/** Leaves the first '#' line to be read again if it begins a CTA already. */
static bool read_lines(WwKernelReader *k, Value *values, GError **error)
{
    char *line, quoted[48];
    size_t len;
    for (;;) {
        if (!ww_lines_next(&k->lines, &line, &len, error)) {
            return false;
        }
        uint32_t number = ww_lines_number(&k->lines);
        if (line != NULL && number > WW_TRACE_MAX_HEADER) {
            return ww_fail_at(error, k->lines.file, number,
                              "the header has more than %u lines; expected one that starts with "
                              "'#' after it",
                              WW_TRACE_MAX_HEADER);
        }
        if (line == NULL) {
            return ww_fail_at(error, k->lines.file, number,
                              "trace ends inside the header; expected a line that starts with '#'");
        }
        if (memchr(line, '\0', len) != NULL) {
            return ww_fail_at(error, k->lines.file, number,
                              "NUL byte in the header; expected text");
        }
        if (line[0] == '#') {
            if (g_str_has_prefix(line, "#BEGIN_TB")) {
                ww_lines_unget(&k->lines);
            }
            return true;
        }
        if (line[0] == '-') {
            if (!parse_line(k, line, values, error)) {
                return false;
            }
        } else if (len > 0) {
            return ww_fail_at(error, k->lines.file, number,
                              "'%s' is not a header line; expected '-key = value' or '#'",
                              ww_quote(line, quoted));
        }
    }
}

static bool check(WwKernelReader *k, const Value *v, GError **error)
{
    const char *file = k->lines.file;
    uint32_t line = ww_lines_number(&k->lines);
    for (uint32_t i = 0; i < N_FIELDS; i++) {
        if (fields[i].required && v[i].line == 0) {
            return ww_fail_at(error, file, line, "header has no '-%s = ...'; expected %s",
                              fields[i].key, fields[i].expected);
        }
    }
    uint64_t threads = v[FIELD_BLOCK].n[0] * v[FIELD_BLOCK].n[1] * v[FIELD_BLOCK].n[2];
    if (threads > WW_TRACE_MAX_THREADS) {
        return ww_fail_at(error, file, line,
                          "a block has %" G_GUINT64_FORMAT " threads; expected at most %u", threads,
                          WW_TRACE_MAX_THREADS);
    }
    uint64_t ctas = v[FIELD_GRID].n[0] * v[FIELD_GRID].n[1]; /* below 2^62 */
    if (ctas > (UINT64_C(1) << 53) / v[FIELD_GRID].n[2]) {
        return ww_fail_at(error, file, line, "the grid has too many blocks; expected at most 2^53");
    }
    k->header_end = line;
    return true;
}

bool ww_header_map(WwKernelReader *k, GError **error)
{
    g_autoptr(GError) why = NULL;
    if (ww_opcodes_for(k->trace->options.opcodes, k->pub.binary_version, &why) != NULL) {
        return true;
    }
    return ww_fail_at(error, k->lines.file, k->header_end, "%s", why->message);
}

bool ww_header_read(WwKernelReader *k, GError **error)
{
    Value v[N_FIELDS] = {0};
    v[FIELD_TRACER].n[0] = 1; /* the oldest tracers do not say it */
    if (!read_lines(k, v, error) || !check(k, v, error)) {
        return false;
    }
    WwKernel *pub = &k->pub;
    pub->name = k->name;
    pub->file = k->lines.file;
    for (int i = 0; i < 3; i++) {
        pub->grid[i] = (uint32_t)v[FIELD_GRID].n[i];
        pub->block[i] = (uint32_t)v[FIELD_BLOCK].n[i];
    }
    k->ctas_in_grid = (uint64_t)pub->grid[0] * pub->grid[1] * pub->grid[2];
    pub->n_ctas = k->ctas_in_grid;
    pub->threads_per_cta = pub->block[0] * pub->block[1] * pub->block[2];
    pub->shmem = (uint32_t)v[FIELD_SHMEM].n[0];
    pub->nregs = (uint32_t)v[FIELD_NREGS].n[0];
    pub->binary_version = (uint32_t)v[FIELD_BINARY].n[0];
    pub->stream = v[FIELD_STREAM].n[0];
    pub->shmem_base = v[FIELD_SHMEM_BASE].n[0];
    pub->local_base = v[FIELD_LOCAL_BASE].n[0];
    k->tracer_version = (uint32_t)v[FIELD_TRACER].n[0];
    k->skip = (k->tracer_version < 3 ? 4u : 0u) + (v[FIELD_LINEINFO].n[0] != 0 ? 1u : 0u);
    return true;
}
