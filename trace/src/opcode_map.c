/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of an opcode map; docs/opcodes.md has the grammar.
 *
 *   line  = [ name | versions | base | else | role | row ] [ "#" comment ]
 *   row   = ( UNIT | "true" UNIT | "sub_core" CLASS | trait { trait } ) ":" { OPCODE }
 */
#include "opcode-priv.h"
#include "text-priv.h"

#include <string.h>

/** A text being read. */
typedef struct Reader {
    WwOpcodeMap *map;
    uint32_t line;
    uint32_t room;                 /**< Of map->words. */
    uint32_t seen[WW_N_ROLES + 4]; /**< Line of each statement that may stand once. */
    bool head;                     /**< Rows are not read yet, */
    bool rows;                     /**< and there is one. */
} Reader;

enum { ONCE_NAME = WW_N_ROLES, ONCE_VERSIONS, ONCE_BASE, ONCE_ELSE };

static const char *const role_names[] = {"branch", "texture", "tensor", "uniform"};

static const struct {
    const char *name;
    uint16_t flags;
    uint8_t space;
    bool scoped;
} traits[] = {
    {"global", 0, WW_SPACE_GLOBAL, false},
    {"local", 0, WW_SPACE_LOCAL, false},
    {"shared", 0, WW_SPACE_SHARED, false},
    {"const", 0, WW_SPACE_CONST, false},
    {"generic", 0, WW_SPACE_GENERIC, false},
    {"load", WW_INST_LOAD, 0, false},
    {"store", WW_INST_STORE, 0, false},
    {"atomic", WW_INST_ATOMIC, 0, false},
    {"scoped", 0, 0, true},
    {"bypass_l1", WW_INST_BYPASS_L1, 0, false},
    {"async_copy", WW_INST_LDGSTS, 0, false},
    {"async_commit", WW_INST_LDGDEPBAR, 0, false},
    {"async_wait", WW_INST_DEPBAR, 0, false},
    {"half_rate", WW_INST_HALF_RATE_II, 0, false},
    {"packed_half", WW_INST_PACKED_HALF, 0, false},
};

static bool is(WwOpToken token, const char *word)
{
    return token.text[0] == word[0] && strlen(word) == token.len &&
           memcmp(token.text, word, token.len) == 0;
}

/** Ends a word. */
static bool ends(char c)
{
    return (unsigned char)c <= '#' &&
           (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '#' || c == '\0');
}

/** Cuts the next word off *@p text, which ends at a newline, '#' or NUL; a ':' is a word. False: none is left. */
static bool next_word(const char **text, WwOpToken *token)
{
    const char *p = *text;
    while (*p == ' ' || *p == '\t' || *p == '\r') {
        p++;
    }
    token->text = p;
    while ((unsigned char)*p > ':' || (*p != ':' && !ends(*p))) {
        p++;
    }
    p += p == token->text && *p == ':';
    token->len = (size_t)(p - token->text);
    *text = p;
    return token->len > 0;
}

static bool fail(const Reader *r, WwOpToken word, const char *what, const char *expected,
                 GError **error)
{
    char quoted[48];
    g_autofree char *text = g_strndup(word.text, word.len);
    return ww_fail_at(error, r->map->file, r->line, "%s '%s'; expected %s", what,
                      ww_quote(text, quoted), expected);
}

/** The error of a line of which there is nothing left. */
static bool fail_end(const Reader *r, const char *expected, GError **error)
{
    return ww_fail_at(error, r->map->file, r->line, "the line ends early; expected %s", expected);
}

static bool once(Reader *r, uint32_t what, WwOpToken word, GError **error)
{
    if (r->seen[what] != 0) {
        return ww_fail_at(error, r->map->file, r->line,
                          "'%.*s' stands in line %u, too; expected it once", (int)word.len,
                          word.text, r->seen[what]);
    }
    r->seen[what] = r->line;
    return true;
}

static bool at_end(const Reader *r, const char *at, GError **error)
{
    WwOpToken word;
    return !next_word(&at, &word) || fail(r, word, "odd word", "the end of the line", error);
}

/* ---- statements ---------------------------------------------------------------------------- */

static bool read_name(Reader *r, const char *at, GError **error)
{
    WwOpToken word;
    if (!next_word(&at, &word)) {
        return fail_end(r, "the name of the architecture, such as Volta", error);
    }
    for (size_t i = 0; i < word.len; i++) {
        if (word.len > WW_MAP_MAX_NAME || (!g_ascii_isalnum(word.text[i]) && word.text[i] != '_')) {
            return fail(r, word, "bad name", "up to 32 letters, digits and '_'", error);
        }
    }
    r->map->name = g_strndup(word.text, word.len);
    return at_end(r, at, error);
}

static bool read_versions(Reader *r, const char *at, GError **error)
{
    static const char expected[] =
        "1 to 16 binary versions, each 1 to 9999, as in 'versions 80 86'";
    WwOpcodeMap *m = r->map;
    WwOpToken word;
    while (next_word(&at, &word)) {
        uint64_t version = 0;
        const char *end = ww_scan_dec(word.text, 9999, &version);
        if (end != word.text + word.len || version == 0 || m->n_versions == WW_MAP_MAX_VERSIONS) {
            return fail(r, word, "bad version", expected, error);
        }
        for (uint32_t i = 0; i < m->n_versions; i++) {
            if (m->versions[i] == version) {
                return fail(r, word, "doubled version", "each once", error);
            }
        }
        m->versions[m->n_versions++] = (uint32_t)version;
    }
    return m->n_versions != 0 || fail_end(r, expected, error);
}

/** The name of another map: newly allocated, or NULL with @p error. */
static char *map_name(const Reader *r, WwOpToken word, GError **error)
{
    bool good = word.len <= WW_MAP_MAX_NAME;
    for (size_t i = 0; i < word.len; i++) {
        char c = word.text[i];
        good = good && (g_ascii_isalnum(c) || c == '_' || c == '-');
    }
    if (!good) {
        fail(r, word, "bad name of a map", "that of a file without '.map', such as volta", error);
        return NULL;
    }
    return g_strndup(word.text, word.len);
}

static bool read_base(Reader *r, const char *at, GError **error)
{
    WwOpToken word;
    r->map->base_line = r->line;
    return next_word(&at, &word)
               ? (r->map->base_name = map_name(r, word, error)) != NULL && at_end(r, at, error)
               : fail_end(r, "the name of a map, such as volta", error);
}

static bool read_else(Reader *r, const char *at, GError **error)
{
    static const char expected[] = "1 to 8 names of maps, as in 'else ampere pascal'";
    WwOpcodeMap *m = r->map;
    WwOpToken word;
    m->else_line = r->line;
    while (next_word(&at, &word)) {
        if (m->n_else == WW_MAP_MAX_ELSE) {
            return fail(r, word, "too many maps, from", expected, error);
        }
        if ((m->else_names[m->n_else] = map_name(r, word, error)) == NULL) {
            return false;
        }
        m->n_else++;
    }
    return m->n_else != 0 || fail_end(r, expected, error);
}

/** The unit that @p word names, or an error. */
static bool unit_of(const Reader *r, WwOpToken word, uint32_t first, WwOp *out, GError **error)
{
    for (uint32_t op = first; op < WW_N_OPS; op++) {
        if (is(word, ww_op_name((WwOp)op))) {
            *out = (WwOp)op;
            return true;
        }
    }
    return fail(r, word, "unknown unit",
                first == WW_OP_SPEC1
                    ? "SPEC1 to SPEC8"
                    : "ALU, INT, SP, DP, SFU, TENSOR, LOAD, STORE, BARRIER, MEMBAR, EXIT, BRANCH, "
                      "CALL, RET or SPEC1 to SPEC8",
                error);
}

static bool read_role(Reader *r, const char *at, GError **error)
{
    WwOpToken word;
    WwOp op = WW_OP_ALU;
    uint32_t role = 0;
    if (!next_word(&at, &word)) {
        return fail_end(r, "branch, texture, tensor or uniform, and a unit", error);
    }
    while (role < WW_N_ROLES && !is(word, role_names[role])) {
        role++;
    }
    if (role == WW_N_ROLES) {
        return fail(r, word, "unknown role", "branch, texture, tensor or uniform", error);
    }
    if (!once(r, role, word, error)) {
        return false;
    }
    if (!next_word(&at, &word)) {
        return fail_end(r, "SPEC1 to SPEC8", error);
    }
    if (!unit_of(r, word, WW_OP_SPEC1, &op, error)) {
        return false;
    }
    r->map->role[role] = (uint8_t)(1 + op);
    return at_end(r, at, error);
}

/* ---- rows ---------------------------------------------------------------------------------- */

static uint32_t *place_of(const WwOpcodeMap *map, WwOpToken name)
{
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ (uint8_t)name.text[i]) * 16777619u;
    }
    for (h ^= h >> 15;; h++) {
        uint32_t *at = &map->index[h & map->index_mask];
        if (*at == 0 || (map->words[*at - 1].name.len == name.len &&
                         memcmp(map->words[*at - 1].name.text, name.text, name.len) == 0)) {
            return at;
        }
    }
}

const WwOpWord *ww_map_find(const WwOpcodeMap *map, WwOpToken name)
{
    const uint32_t *at = place_of(map, name);
    return *at != 0 ? &map->words[*at - 1] : NULL;
}

static WwOpWord *add_word(Reader *r, WwOpToken name, GError **error)
{
    WwOpcodeMap *m = r->map;
    bool good = name.len <= WW_MAP_MAX_NAME && g_ascii_isupper(name.text[0]);
    for (size_t i = 1; i < name.len; i++) {
        char c = name.text[i];
        good &= (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    }
    if (!good) {
        fail(r, name, "bad opcode", "capitals, digits and '_', without what follows a '.'", error);
        return NULL;
    }
    uint32_t *at = place_of(m, name);
    if (*at == 0) {
        if (m->n_words == WW_MAP_MAX_OPCODES) {
            fail(r, name, "too many opcodes, from", "at most 16384", error);
            return NULL;
        }
        if (m->n_words == r->room) {
            r->room = MAX(64, 2 * r->room);
            m->words = g_renew(WwOpWord, m->words, r->room);
        }
        m->words[m->n_words] = (WwOpWord){.name = name, .line = r->line};
        *at = ++m->n_words;
    }
    return &m->words[*at - 1];
}

/** What stands before the colon of a row. */
typedef struct Head {
    uint8_t unit, true_unit; /**< 1 + WwOp */
    uint8_t sub_op;          /**< 1 + WwSubOp */
    WwOpTraits traits;
    const char *first_trait; /**< NULL: none. */
} Head;

static bool add_trait(const Reader *r, Head *h, WwOpToken word, GError **error)
{
    for (size_t i = 0; i < G_N_ELEMENTS(traits); i++) {
        if (!is(word, traits[i].name)) {
            continue;
        }
        if ((traits[i].space != 0 && h->traits.space != 0) || (h->traits.flags & traits[i].flags) ||
            (traits[i].scoped && h->traits.scoped)) {
            return fail(r, word, "doubled trait", "one space, and each trait once", error);
        }
        h->first_trait = word.text;
        h->traits.flags |= traits[i].flags;
        h->traits.space |= traits[i].space;
        h->traits.scoped |= traits[i].scoped;
        return true;
    }
    return fail(r, word, "unknown word",
                "a statement, a UNIT or traits: global, local, shared, const, generic, load, "
                "store, atomic, scoped, bypass_l1, async_copy, async_commit, async_wait, "
                "half_rate, packed_half",
                error);
}

/** What makes no sense together. */
static bool check_traits(const Reader *r, const Head *h, GError **error)
{
    enum { ACCESS = WW_INST_LOAD | WW_INST_STORE };
    uint32_t flags = h->traits.flags;
    bool spaced = h->traits.space != 0;
    if (spaced != ((flags & ACCESS) != 0) || (flags & ACCESS) == ACCESS) {
        return ww_fail_at(error, r->map->file, r->line,
                          "not an access; expected a space and either 'load' or 'store'");
    }
    if (((flags & (WW_INST_ATOMIC | WW_INST_BYPASS_L1 | WW_INST_LDGSTS)) || h->traits.scoped) &&
        (flags & WW_INST_LOAD) == 0) {
        return ww_fail_at(error, r->map->file, r->line,
                          "atomic, scoped, bypass_l1 and async_copy are of loads; expected 'load'");
    }
    return true;
}

static bool sub_op_of(const Reader *r, WwOpToken word, uint8_t *out, GError **error)
{
    for (uint32_t i = 0; i < WW_N_SUB_OPS; i++) {
        if (is(word, ww_sub_op_name((WwSubOp)i))) {
            *out = (uint8_t)(1 + i);
            return true;
        }
    }
    g_autoptr(GString) all = g_string_new(NULL);
    for (uint32_t i = 0; i < WW_N_SUB_OPS; i++) {
        g_string_append_printf(all, "%s%s", i != 0 ? ", " : "", ww_sub_op_name((WwSubOp)i));
    }
    return fail(r, word, "unknown class", all->str, error);
}

/** Of the words before a colon the @p n-th, which is not a trait. Sets @p taken when it is one of these. */
static bool read_place(const Reader *r, WwOpToken word, const char **at, Head *h, bool *taken,
                       GError **error)
{
    WwOpToken next;
    WwOp op = WW_OP_ALU;
    *taken = true;
    if (is(word, "sub_core")) {
        return next_word(at, &next) ? sub_op_of(r, next, &h->sub_op, error)
                                    : fail_end(r, "a class, ':' and opcodes", error);
    }
    if (is(word, "true")) {
        bool good = next_word(at, &next) ? unit_of(r, next, 0, &op, error)
                                         : fail_end(r, "a unit, ':' and opcodes", error);
        h->true_unit = good ? (uint8_t)(1 + op) : 0;
        return good;
    }
    if (g_ascii_isupper(word.text[0])) {
        bool good = unit_of(r, word, 0, &op, error);
        h->unit = good ? (uint8_t)(1 + op) : 0;
        return good;
    }
    *taken = false;
    return true;
}

static bool read_head(const Reader *r, const char **at, Head *h, GError **error)
{
    WwOpToken word;
    bool placed = false;
    for (uint32_t n = 0;; n++) {
        if (!next_word(at, &word)) {
            return fail_end(r, "':' and opcodes", error);
        }
        if (is(word, ":")) {
            break;
        }
        if (placed) {
            return fail(r, word, "odd word", "':' and opcodes", error);
        }
        if (n == 0 && !read_place(r, word, at, h, &placed, error)) {
            return false;
        }
        if (!placed && !add_trait(r, h, word, error)) {
            return false;
        }
    }
    if (!placed && h->first_trait == NULL) {
        return ww_fail_at(error, r->map->file, r->line,
                          "nothing stands before ':'; expected a UNIT or traits");
    }
    return h->first_trait == NULL || check_traits(r, h, error);
}

static bool read_row(Reader *r, const char *at, GError **error)
{
    Head h = {0};
    WwOpToken name;
    r->rows = true;
    if (r->head) {
        return true;
    }
    if (!read_head(r, &at, &h, error)) {
        return false;
    }
    while (next_word(&at, &name)) {
        WwOpWord *w = add_word(r, name, error);
        if (w == NULL) {
            return false;
        }
        bool again = (h.unit != 0 && w->unit != 0) || (h.true_unit != 0 && w->true_unit != 0) ||
                     (h.sub_op != 0 && w->sub_op != 0) || (h.first_trait != NULL && w->has_traits);
        if (again) {
            return ww_fail_at(error, r->map->file, r->line,
                              "'%.*s' has been sorted already, first in line %u; expected it once",
                              (int)name.len, name.text, w->line);
        }
        w->unit |= h.unit;
        w->true_unit |= h.true_unit;
        w->sub_op |= h.sub_op;
        if (h.first_trait != NULL) {
            w->has_traits = true;
            w->traits = h.traits;
        }
    }
    return true;
}

static bool read_line(Reader *r, const char *at, GError **error)
{
    static const struct {
        const char *word;
        bool (*read)(Reader *r, const char *at, GError **error);
        uint32_t once; /* 0: as often as it likes */
    } statements[] = {{"name", read_name, ONCE_NAME},
                      {"versions", read_versions, ONCE_VERSIONS},
                      {"base", read_base, ONCE_BASE},
                      {"else", read_else, ONCE_ELSE},
                      {"role", read_role, 0}};
    const char *start = at;
    WwOpToken word;
    if (!next_word(&at, &word)) {
        return true;
    }
    for (size_t i = 0; i < G_N_ELEMENTS(statements); i++) {
        if (is(word, statements[i].word)) {
            if (r->rows) {
                return fail(r, word, "late", "it before the first row", error);
            }
            return (statements[i].once == 0 || once(r, statements[i].once, word, error)) &&
                   statements[i].read(r, at, error);
        }
    }
    return read_row(r, start, error);
}

char *ww_map_stem(const char *file)
{
    char *stem = g_path_get_basename(file);
    if (g_str_has_suffix(stem, ".map")) {
        stem[strlen(stem) - strlen(".map")] = '\0';
    }
    return stem;
}

/** Reads from @p r->line at @p line on, to the end or (@p head) to the first row. */
static bool read_lines(Reader *r, const char *line, bool head, GError **error)
{
    WwOpcodeMap *m = r->map;
    const char *end = m->text + m->length;
    for (; line < end; r->line++) {
        m->rows_at = line;
        m->rows_line = r->line;
        if (!read_line(r, line, error)) {
            return false;
        }
        if (head && r->rows) {
            return true;
        }
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        line = newline != NULL ? newline + 1 : end;
    }
    m->rows_at = NULL;
    return true;
}

WwOpcodeMap *ww_map_parse(const char *file, char *text, size_t length, GError **error)
{
    Reader r = {.map = g_new0(WwOpcodeMap, 1), .line = 1, .head = true};
    WwOpcodeMap *m = r.map;
    m->file = g_strdup(file);
    m->stem = ww_map_stem(file);
    m->text = text;
    m->length = length;
    bool good = memchr(text, '\0', length) == NULL ||
                ww_fail(error, WW_ERROR_INPUT, "%s: a NUL byte; expected an opcode map", file);
    if (!good || !read_lines(&r, text, true, error)) {
        ww_map_free(m);
        return NULL;
    }
    if (m->name == NULL) {
        ww_fail_at(error, file, 1, "the map has no name; expected 'name NAME'");
        ww_map_free(m);
        return NULL;
    }
    return m;
}

bool ww_map_read_rows(WwOpcodeMap *m, GError **error)
{
    Reader r = {.map = m, .line = m->rows_line};
    if (m->index != NULL) {
        return true;
    }
    m->index_mask = 63;
    while (m->index_mask < m->length) { /* an opcode and the blank behind it: half of it fit */
        m->index_mask = 2 * m->index_mask + 1;
    }
    m->index = g_new0(uint32_t, m->index_mask + 1);
    return m->rows_at == NULL || read_lines(&r, m->rows_at, false, error);
}

void ww_map_free(WwOpcodeMap *map)
{
    char *const texts[] = {map->file, map->stem, map->text, map->name, map->base_name};
    for (size_t i = 0; i < G_N_ELEMENTS(texts); i++) {
        g_free(texts[i]);
    }
    for (uint32_t i = 0; i < map->n_else; i++) {
        g_free(map->else_names[i]);
    }
    g_free(map->words);
    g_free(map->index);
    g_free(map);
}
