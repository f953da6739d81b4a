/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Text of tracer version 6 (Accel-Sim 2) as version 5 would have written it.
 *
 * Version 6 says more: uniform and predicate registers among the operands, a second immediate, the registers' values, and for each thread block
 * its cluster. All of that is left out, line by line and in place (nothing becomes longer), before anything else sees the text: what follows lines,
 * packs them or tells their numbers knows one form. Text of other versions passes untouched behind its header.
 */
#include "stream-priv.h"
#include "text-priv.h"
#include "trace-priv.h"

#include <string.h>

/* Of the buffer: for a header, which is all that it has of most traces, and for lines. */
#define START_SIZE (4u << 10)
#define LINES_SIZE (64u << 10)
/* A line that is longer is handed on in pieces, as it is: lines have fewer bytes, and whoever cuts them says so. */
#define MOST_SIZE (4u << 20)
#define MOST_REGS 32u

typedef enum {
    PART_HEADER, /* `-key = value` */
    PART_BLOCKS, /* of version 6, from the first '#' line on */
    PART_ALIEN,  /* of another version: nothing to do, ever */
} Part;

struct WwVersion6 {
    Part part;
    uint64_t version, lineinfo; /* As the header says. */
    bool end;
    char *text; /* cap + WW_LINES_SLACK bytes */
    size_t cap;
    size_t at, ready; /* Text to hand out: [at, ready). */
    size_t rest, n;   /* Text that is not looked at yet: [rest, n), the beginning of a line. */
    const char *why;  /* What is wrong behind that; NULL: nothing. */
    const char *expected;
    char message[128];
};

WwVersion6 *ww_version6_new(void)
{
    WwVersion6 *v = g_new0(WwVersion6, 1);
    v->cap = START_SIZE;
    v->text = g_malloc(v->cap + WW_LINES_SLACK);
    return v;
}

void ww_version6_free(WwVersion6 *v)
{
    if (v != NULL) {
        g_free(v->text);
        g_free(v);
    }
}

const char *ww_version6_expected(const WwVersion6 *v)
{
    return v->expected;
}

/* ---- a line ------------------------------------------------------------------------------------------------------------ */

/** A line while it is read: the rest of it, and where what is kept goes. */
typedef struct Cut {
    const char *p;
    char *to;
    const char *what; /* That is not as it should be, at `p`; NULL: none. */
    const char *expected;
} Cut;

static bool fault(Cut *c, const char *what, const char *at, const char *expected)
{
    c->p = at;
    c->what = what;
    c->expected = expected;
    return false;
}

static void keep(Cut *c, const char *from, const char *to)
{
    memmove(c->to, from, (size_t)(to - from));
    c->to += to - from;
}

/** The end of the field that stands at @p p, which is no blank. */
static const char *field_end(const char *p)
{
    while (!ww_at_field_end(p)) {
        p++;
    }
    return p;
}

/** Keeps @p n fields; they may be anything but missing. */
static bool keep_fields(Cut *c, uint32_t n, const char *what, const char *expected)
{
    const char *from = c->p;
    for (uint32_t i = 0; i < n; i++) {
        const char *at = ww_skip_blanks(c->p);
        if (*at == '\0') {
            return fault(c, what, at, expected);
        }
        c->p = field_end(at);
    }
    keep(c, from, c->p);
    return true;
}

/** Of what kind is the register from @p p to @p end? 'R': one of the warp's lanes; 'U': uniform, or a predicate; 0: it is none. */
static char kind_of_register(const char *p, const char *end)
{
    bool general = *p == 'R';
    p += *p == 'U';
    if (*p != 'R' && *p != 'P') {
        return 0;
    }
    const char *digits = ++p;
    while (*p >= '0' && *p <= '9') {
        p++;
    }
    return p == digits || p != end ? 0 : general ? 'R' : 'U';
}

/** A count and as many registers, of which the general ones stay. Adds to *@p n how many there were. */
static bool cut_registers(Cut *c, const char *what, uint32_t *n)
{
    const char *at = ww_skip_blanks(c->p), *kept[MOST_REGS];
    uint64_t count;
    uint32_t n_kept = 0;
    const char *p = ww_scan_dec(at, MOST_REGS, &count);
    if (p == NULL || !ww_at_field_end(p)) {
        return fault(c, what, at, "a small decimal number");
    }
    for (uint64_t i = 0; i < count; i++) {
        at = ww_skip_blanks(p);
        p = field_end(at);
        char kind = kind_of_register(at, p);
        if (kind == 0) {
            return fault(c, "register", at, "R, UR, P or UP and a number");
        }
        if (kind == 'R') {
            kept[n_kept++] = at;
        }
    }
    if (n_kept == count) { /* mostly */
        keep(c, c->p, p);
    } else {
        char number[16];
        keep(c, number, number + g_snprintf(number, sizeof number, " %u", n_kept));
        for (uint32_t i = 0; i < n_kept; i++) {
            *c->to++ = ' ';
            keep(c, kept[i], field_end(kept[i]));
        }
    }
    c->p = p;
    *n += (uint32_t)count;
    return true;
}

/** Does an opcode move memory by the Tensor Memory Accelerator? Its lines have other fields. */
static bool is_tensor_copy(const char *opcode, size_t n)
{
    static const char *const names[] = {"UTMALDG", "UTMASTG", "UTMAPF", "UTMAREDG",
                                        "UBLKCP",  "UBLKPF",  "UBLKRED"};
    for (size_t i = 0; *opcode == 'U' && i < G_N_ELEMENTS(names); i++) {
        if (n >= strlen(names[i]) && memcmp(opcode, names[i], strlen(names[i])) == 0) {
            return true;
        }
    }
    return false;
}

/** Width, mode and addresses of a memory instruction; of others a 0. */
static bool keep_memory(Cut *c, uint32_t mask)
{
    const char *at = ww_skip_blanks(c->p);
    bool none = at[0] == '0' && ww_at_field_end(at + 1);
    uint32_t lanes = (uint32_t)__builtin_popcount(mask);
    if (!keep_fields(c, 1, "memory width", "0 to 128 bytes") || none) {
        return none;
    }
    at = ww_skip_blanks(c->p);
    if (*at < '0' || *at > '2' || !ww_at_field_end(at + 1)) {
        return fault(c, "address mode", at, "0 (list), 1 (base and stride) or 2 (base and deltas)");
    }
    return keep_fields(c,
                       1 + (*at == '0'   ? lanes
                            : *at == '1' ? 2
                                         : MAX(lanes, 1)),
                       "addresses", "one for each active lane, or a base and a stride");
}

/** `Val`, and the values of @p n registers: one for all lanes, or 32. */
static bool skip_values(Cut *c, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const char *at = ww_skip_blanks(c->p);
        uint64_t count, value;
        const char *p = ww_scan_dec(at, 32, &count);
        if (p == NULL || !ww_at_field_end(p) || (count != 1 && count != 32)) {
            return fault(c, "number of values", at, "1 or 32 for each register");
        }
        for (; count != 0; count--) {
            at = ww_skip_blanks(p);
            p = ww_scan_hex(at, &value);
            if (p == NULL || !ww_at_field_end(p)) {
                return fault(c, "value of a register", at, "a hexadecimal number");
            }
        }
        c->p = p;
    }
    return true;
}

/** Behind the addresses: an immediate, which stays; a second one, and `NoVal` or `Val` and values, which first tracers of this version left out. */
static bool cut_tail(Cut *c, uint32_t n_regs)
{
    for (int i = 0; i < 2; i++) {
        const char *at = ww_skip_blanks(c->p);
        int64_t value;
        const char *p = ww_scan_signed(at, &value);
        if (p == NULL || !ww_at_field_end(p)) {
            break;
        }
        if (i == 0) {
            keep(c, c->p, p);
        }
        c->p = p;
    }
    c->p = ww_skip_blanks(c->p);
    size_t n = (size_t)(field_end(c->p) - c->p);
    if (n == 5 && memcmp(c->p, "NoVal", n) == 0) {
        c->p += n;
    } else if (n == 3 && memcmp(c->p, "Val", n) == 0) {
        c->p += n;
        if (!skip_values(c, n_regs)) {
            return false;
        }
    }
    c->p = ww_skip_blanks(c->p);
    return *c->p == '\0' || fault(c, "rest of the line", c->p, "NoVal, or Val and values");
}

/** [line number] pc mask destinations opcode sources [GMMA: group] width [addresses] [immediates] [values] */
static bool cut_instruction(const WwVersion6 *v, Cut *c)
{
    uint64_t mask = 0;
    uint32_t n_regs = 0;
    if (!keep_fields(c, v->lineinfo != 0 ? 2 : 1, "pc", "a hexadecimal number")) {
        return false;
    }
    const char *at = ww_skip_blanks(c->p), *p = ww_scan_hex(at, &mask);
    if (p == NULL || !ww_at_field_end(p) || mask > UINT32_MAX) {
        return fault(c, "mask", at, "a hexadecimal number of 32 bits");
    }
    if (!keep_fields(c, 1, "", "") || !cut_registers(c, "number of destinations", &n_regs)) {
        return false;
    }
    at = ww_skip_blanks(c->p);
    size_t n = (size_t)(field_end(at) - at);
    if (is_tensor_copy(at, n)) {
        return fault(c, "opcode", at, "none of the Tensor Memory Accelerator, which is not read");
    }
    bool group = memmem(at, n, "GMMA", 4) != NULL; /* before it is kept: that moves it */
    if (!keep_fields(c, 1, "opcode", "a name such as LDG.E.64") ||
        !cut_registers(c, "number of sources", &n_regs)) {
        return false;
    }
    if (group) {
        c->p = field_end(ww_skip_blanks(c->p));
    }
    return keep_memory(c, (uint32_t)mask) && cut_tail(c, n_regs);
}

/** `cluster ... = n[,n,n]`: true where it says what a thread block without others in its cluster has. */
static bool is_alone(const char *p)
{
    if (g_str_has_prefix(p, "id = ")) {
        return true; /* without clusters that is the thread block */
    }
    return g_str_equal(p, "cta = 0,0,0") || g_str_equal(p, "rank = 0");
}

/** The number that a line of the header gives @p key, into *@p number; else that stays. */
static void look_for(const char *line, const char *key, uint64_t *number)
{
    const char *value = ww_header_value(line, key, strlen(key));
    if (value != NULL) {
        ww_scan_dec(value, UINT64_MAX, number);
    }
}

/** Another line of the header. */
static void look_at_header(WwVersion6 *v, const char *line)
{
    look_for(line, WW_KEY_TRACER, &v->version);
    look_for(line, WW_KEY_LINEINFO, &v->lineinfo);
    if (line[0] == '#') {
        v->part = v->version >= WW_TRACER_LATER ? PART_BLOCKS : PART_ALIEN;
    }
}

/** The line [@p line, @p end), NUL-terminated, to @p to, which is not behind it. Returns the end of what is kept; NULL: it is wrong. */
static char *cut_line(WwVersion6 *v, char *line, char *end, char *to)
{
    if (v->part == PART_HEADER) {
        look_at_header(v, line);
    } else if (*line == 'c' && g_str_has_prefix(line, "cluster ")) {
        if (is_alone(line + strlen("cluster "))) {
            return to;
        }
    } else if (g_ascii_isxdigit(*line) && memchr(line, '\0', (size_t)(end - line)) == NULL) {
        Cut c = {.p = line, .to = to};
        if (!cut_instruction(v, &c)) {
            char quoted[48], field[48] = {0};
            memcpy(field, c.p, MIN((size_t)(field_end(c.p) - c.p), sizeof field - 1));
            g_snprintf(v->message, sizeof v->message, "bad %s '%s' (tracer version 6)", c.what,
                       ww_quote(field, quoted));
            v->why = v->message;
            v->expected = c.expected;
            return NULL;
        }
        return c.to;
    }
    memmove(to, line, (size_t)(end - line));
    return to + (end - line);
}

/* ---- text -------------------------------------------------------------------------------------------------------------- */

/** All whole lines of what was read; at the end of the file the last one, too. */
static void cut_lines(WwVersion6 *v)
{
    char *to = v->text, *line = v->text + v->rest, *stop = v->text + v->n;
    v->at = 0;
    while (line < stop && v->why == NULL) {
        if (v->part == PART_ALIEN) {
            memmove(to, line, (size_t)(stop - line));
            to += stop - line;
            line = stop;
            break;
        }
        char *newline = memchr(line, '\n', (size_t)(stop - line));
        char *end = newline != NULL ? newline : stop;
        if (newline == NULL && !v->end) {
            break;
        }
        char *last = end; /* of what is read of it: blanks behind that say nothing */
        while (v->part == PART_BLOCKS && last > line && strchr(" \t\r", last[-1]) != NULL &&
               last[-1] != '\0') {
            last--;
        }
        char cut = *last;
        *last = '\0';
        char *kept = cut_line(v, line, last, to);
        if (kept == NULL) {
            break;
        }
        to = kept;
        *last = cut;
        if (newline != NULL) {
            *to++ = '\n';
        }
        line = newline != NULL ? newline + 1 : stop;
    }
    v->ready = (size_t)(to - v->text);
    v->rest = (size_t)(line - v->text);
}

/** Room for more behind the line that is not at its end. False: it is too long to be one. */
static bool make_room(WwVersion6 *v)
{
    memmove(v->text, v->text + v->rest, v->n - v->rest);
    v->n -= v->rest;
    v->rest = v->at = v->ready = 0;
    if (v->n == v->cap && v->cap < MOST_SIZE) {
        v->cap = MAX(2 * v->cap, LINES_SIZE);
        v->text = g_realloc(v->text, v->cap + WW_LINES_SLACK);
    }
    return v->n < v->cap;
}

bool ww_version6_read(WwVersion6 *v, WwUnpackFn below, WwStream *stream, void *out, size_t size,
                      size_t *n, const char **why)
{
    while (v->at == v->ready) {
        if (v->why != NULL) {
            *why = v->why;
            return false;
        }
        if (v->part == PART_ALIEN) {
            return below(stream, out, size, n, why);
        }
        if (v->end) {
            *n = 0;
            return true;
        }
        if (!make_room(v)) {
            v->ready = v->rest = v->n;
            break;
        }
        size_t got = 0;
        if (!below(stream, v->text + v->n, v->cap - v->n, &got, why)) {
            return false;
        }
        v->end = got == 0;
        v->n += got;
        cut_lines(v);
    }
    *n = MIN(size, v->ready - v->at);
    memcpy(out, v->text + v->at, *n);
    v->at += *n;
    return true;
}
