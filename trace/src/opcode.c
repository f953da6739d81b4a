/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Decoding of one opcode text by a map, and the rule for opcodes that it lacks.
 *
 * A map is a chain: its own rows win over those of the map that it builds upon.
 */
#include "opcode-priv.h"

#include <string.h>

const char *ww_opcode_map_name(const WwOpcodeMap *map)
{
    return map->name;
}

const char *ww_opcode_map_file(const WwOpcodeMap *map)
{
    return map->file;
}

const uint32_t *ww_opcode_map_versions(const WwOpcodeMap *map, uint32_t *n)
{
    *n = map->n_versions;
    return map->versions;
}

typedef WwOpToken Token;

/** Cuts the next non-empty token off *@p text; false when there is none. */
static bool next_token(const char **text, Token *token)
{
    const char *p = *text;
    while (*p == '.') {
        p++;
    }
    token->text = p;
    token->len = strcspn(p, ".");
    *text = p + token->len;
    return token->len > 0;
}

static bool is(Token token, const char *word)
{
    return strlen(word) == token.len && memcmp(token.text, word, token.len) == 0;
}

static bool begins(Token token, const char *prefix)
{
    size_t n = strlen(prefix);
    return token.len >= n && memcmp(token.text, prefix, n) == 0;
}

/* ---- look-ups in a chain ------------------------------------------------------------------- */

static bool find(const WwOpcodeMap *map, Token name, WwOp *op)
{
    for (; map != NULL; map = map->base) {
        const WwOpWord *w = ww_map_find(map, name);
        if (w != NULL && w->unit != 0) {
            *op = (WwOp)(w->unit - 1);
            return true;
        }
    }
    return false;
}

static const WwOpTraits *find_traits(const WwOpcodeMap *map, Token name)
{
    for (; map != NULL; map = map->base) {
        const WwOpWord *w = ww_map_find(map, name);
        if (w != NULL && w->has_traits) {
            return &w->traits;
        }
    }
    return NULL;
}

/** Opcodes that a map, like the reference's, sends to a unit that does not execute them: 1 + WwOp of the one that does. */
static uint8_t true_op_of(const WwOpcodeMap *map, Token name, WwOp op)
{
    for (; map != NULL; map = map->base) {
        const WwOpWord *w = ww_map_find(map, name);
        if (w != NULL && w->true_unit != 0) {
            return w->true_unit != 1 + op ? w->true_unit : 0;
        }
    }
    return 0;
}

/** 1 + WwSubOp, or 0. */
static uint8_t sub_op_of(const WwOpcodeMap *map, Token name)
{
    for (; map != NULL; map = map->base) {
        const WwOpWord *w = ww_map_find(map, name);
        if (w != NULL && w->sub_op != 0) {
            return w->sub_op;
        }
    }
    return 0;
}

/** 1 + WwOp, or 0 when no unit of @p map has the role. */
static uint8_t unit_in_role(const WwOpcodeMap *map, WwOpRole role)
{
    for (; map != NULL; map = map->base) {
        if (map->role[role] != 0) {
            return map->role[role];
        }
    }
    return 0;
}

/** The role of @p op in @p map, or WW_N_ROLES. */
static uint32_t role_of(const WwOpcodeMap *map, WwOp op)
{
    uint32_t role = 0;
    while (role < WW_N_ROLES && unit_in_role(map, (WwOpRole)role) != 1 + op) {
        role++;
    }
    return role;
}

const char *ww_opcode_map_role(const WwOpcodeMap *map, WwOp op)
{
    static const char *const names[WW_N_ROLES + 1] = {"branch", "texture", "tensor", "uniform"};
    return names[role_of(map, op)];
}

uint32_t ww_opcode_map_units(const WwOpcodeMap *map)
{
    uint32_t units = 0;
    for (; map != NULL; map = map->base) {
        for (uint32_t i = 0; i < map->n_words; i++) {
            units |= map->words[i].unit != 0 ? 1u << (map->words[i].unit - 1) : 0;
        }
    }
    return units;
}

/* ---- opcodes that a map lacks -------------------------------------------------------------- */

/** The unit of @p map for what others do in @p role; without one branches are BRANCH, the rest ALU. */
static WwOp in_role(const WwOpcodeMap *map, uint32_t role)
{
    uint8_t unit = role < WW_N_ROLES ? unit_in_role(map, (WwOpRole)role) : 0;
    return unit != 0 ? (WwOp)(unit - 1) : role == WW_ROLE_BRANCH ? WW_OP_BRANCH : WW_OP_ALU;
}

/** What @p map uses for the work that is @p op in @p other. */
static WwOp translate(const WwOpcodeMap *map, const WwOpcodeMap *other, WwOp op)
{
    switch ((unsigned)op) {
    case WW_OP_BRANCH:
    case WW_OP_CALL:
    case WW_OP_RET:
        return unit_in_role(map, WW_ROLE_BRANCH) != 0 ? in_role(map, WW_ROLE_BRANCH) : op;
    default:
        return op < WW_OP_SPEC1 ? op : in_role(map, role_of(other, op));
    }
}

/** Prefix rules for names that no map at all has. First match wins; the order matters. */
static WwOp category_of_prefix(const WwOpcodeMap *map, Token name)
{
    enum { ROLE = 100 }; /* behind all categories */
    static const struct {
        const char *prefix;
        uint32_t op; /* WwOp, or ROLE + WwOpRole */
    } rules[] = {
        {"LDC", WW_OP_ALU},
        {"LD", WW_OP_LOAD},
        {"ST", WW_OP_STORE},
        {"ATOM", WW_OP_STORE},
        {"RED", WW_OP_STORE},
        {"MEMBAR", WW_OP_MEMBAR},
        {"BAR", WW_OP_BARRIER},
        {"EXIT", WW_OP_EXIT},
        {"TEX", ROLE + WW_ROLE_TEXTURE},
        {"TLD", ROLE + WW_ROLE_TEXTURE},
        {"TX", ROLE + WW_ROLE_TEXTURE},
        {"BR", ROLE + WW_ROLE_BRANCH},
        {"JMP", ROLE + WW_ROLE_BRANCH},
        {"CALL", WW_OP_CALL},
        {"RET", WW_OP_RET},
        {"MUFU", WW_OP_SFU},
        {"F2", WW_OP_ALU},
        {"I2", WW_OP_ALU},
        {"F", WW_OP_SP},
        {"H", WW_OP_SP},
        {"D", WW_OP_DP},
        {"I", WW_OP_INT},
        {"L", WW_OP_INT},
        {"VOTE", WW_OP_ALU},
        {"V", WW_OP_INT},
    };
    if (name.len > 3 && memcmp(name.text + name.len - 3, "MMA", 3) == 0) {
        return in_role(map, WW_ROLE_TENSOR);
    }
    if (name.text[0] == 'U') {
        return in_role(map, WW_ROLE_UNIFORM);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (begins(name, rules[i].prefix)) {
            return rules[i].op >= ROLE ? in_role(map, rules[i].op - ROLE)
                                       : translate(map, map, (WwOp)rules[i].op);
        }
    }
    return WW_OP_ALU;
}

/** Maps that @p map asks: those of its own `else` line, or of the nearest base that has one. */
static const WwOpcodeMap *const *others_of(const WwOpcodeMap *map, uint32_t *n)
{
    while (map->n_others == 0 && map->base != NULL) {
        map = map->base;
    }
    *n = map->n_others;
    return map->others;
}

/** The fallback rule (see the header): another map's category, then the prefix. */
static WwOp guess(const WwOpcodeMap *map, Token name)
{
    uint32_t n;
    const WwOpcodeMap *const *others = others_of(map, &n);
    for (uint32_t i = 0; i < n; i++) {
        WwOp op;
        if (find(others[i], name, &op)) {
            return translate(map, others[i], op);
        }
    }
    return category_of_prefix(map, name);
}

/** What an opcode that @p map lacks does in another map; NULL: none knows. */
static const WwOpTraits *guess_traits(const WwOpcodeMap *map, Token name)
{
    uint32_t n;
    const WwOpcodeMap *const *others = others_of(map, &n);
    const WwOpTraits *traits = find_traits(map, name);
    for (uint32_t i = 0; i < n && traits == NULL; i++) {
        traits = find_traits(others[i], name);
    }
    return traits;
}

/** n of a token that is all digits, or U and digits; 0 if it is neither or does not fit. */
static uint32_t bits_of_token(Token token)
{
    size_t i = token.text[0] == 'U' ? 1 : 0;
    uint32_t n = 0;
    if (i == token.len) {
        return 0;
    }
    for (; i < token.len; i++) {
        if (!g_ascii_isdigit(token.text[i]) || n > 100000) {
            return 0;
        }
        n = n * 10 + (uint32_t)(token.text[i] - '0');
    }
    return n;
}

/** The bytes that `.S8` or `.S16` asks for, which the reference does not read as a number. */
static uint8_t signed_bytes(Token token)
{
    return is(token, "S8") ? 1 : is(token, "S16") ? 2 : 0;
}

/** Tokens after the name: the width that the first number gives, and whether the scope is
 * STRONG.GPU. */
static uint8_t read_suffixes(const char *text, bool *strong_gpu, uint8_t *signed_width)
{
    Token token;
    bool found = false, strong = false, gpu = false;
    uint32_t bytes = 4;
    while (next_token(&text, &token)) {
        uint32_t bits = bits_of_token(token);
        if (bits != 0 && !found) {
            bytes = bits / 8;
            found = true;
        }
        if (!found && *signed_width == 0) {
            *signed_width = signed_bytes(token);
        }
        strong = strong || is(token, "STRONG");
        gpu = gpu || is(token, "GPU");
    }
    *strong_gpu = strong && gpu;
    bool valid = bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
    return valid ? (uint8_t)bytes : 4;
}

/** The known relative of a memory opcode that no map has: the same space and direction. */
static Token relative_of(Token name)
{
    static const char *const prefixes[] = {"LDGSTS", "LDC", "LDS",   "LDL",  "LD", "STS",
                                           "STL",    "ST",  "ATOMS", "ATOM", "RED"};
    static const char *const as[] = {"LDGSTS", "LDC", "LDS",   "LDL",   "LDG", "STS",
                                     "STL",    "STG", "ATOMS", "ATOMG", "RED"};
    for (size_t i = 0; i < G_N_ELEMENTS(prefixes); i++) {
        if (begins(name, prefixes[i])) {
            return (Token){as[i], strlen(as[i])};
        }
    }
    return name;
}

bool ww_opcode_decode(const WwOpcodeMap *map, const char *text, WwSinst *out)
{
    Token name;
    const char *rest = text;
    bool strong_gpu = false;
    WwOp op = WW_OP_ALU;
    next_token(&rest, &name);
    bool known = find(map, name, &op);
    out->flags = known ? 0 : WW_INST_UNKNOWN;
    out->space = WW_SPACE_NONE;
    out->signed_width = 0;
    out->width = read_suffixes(rest, &strong_gpu, &out->signed_width);

    const WwOpTraits *traits = known ? find_traits(map, name) : guess_traits(map, name);
    if (!known) {
        op = guess(map, name);
        if (traits == NULL && (op == WW_OP_LOAD || op == WW_OP_STORE)) {
            traits = guess_traits(map, relative_of(name));
        }
    }
    if (traits != NULL) {
        out->flags |= traits->flags;
        out->space = traits->space;
        if (traits->scoped && strong_gpu) {
            out->flags |= WW_INST_BYPASS_L1;
        }
        if (traits->space == WW_SPACE_CONST) {
            out->width = 4;
            out->signed_width = 0;
        }
        if ((traits->flags & WW_INST_ATOMIC) != 0 && traits->space == WW_SPACE_GLOBAL) {
            op = WW_OP_LOAD; /* the reference runs a global atomic as a load that bypasses the L1 */
        }
    }
    if (op == WW_OP_LOAD) {
        out->flags |= WW_INST_LOAD;
    } else if (op == WW_OP_STORE) {
        out->flags |= WW_INST_STORE;
    }
    out->op = (uint8_t)op;
    out->true_op = true_op_of(map, name, op);
    out->sub_op = sub_op_of(map, name);
    return known;
}
