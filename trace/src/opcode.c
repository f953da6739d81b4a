/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Opcode maps as tables, and decoding of one opcode text.
 *
 * The facts (opcode to category) are those of the Accel-Sim ISA definitions, so that instructions
 * go to the same units. A map is a chain: its own rows win over those of the map it extends.
 * The words are found through one index, made at the first look-up.
 */
#include <trace/opcode.h>

#include <string.h>

/* What the specialised units stand for on maps that use them. */
#define SPEC_BRANCH WW_OP_SPEC1
#define SPEC_TEXTURE (WW_OP_SPEC1 + 1)
#define SPEC_TENSOR (WW_OP_SPEC1 + 2)
#define SPEC_UNIFORM (WW_OP_SPEC1 + 3)

typedef struct Row {
    WwOp op;
    const char *words; /**< Opcodes without suffixes, separated by one or more blanks. */
} Row;

struct WwOpcodeMap {
    const char *name;
    const WwOpcodeMap *base; /**< Asked for what this map's rows lack; NULL: none. */
    const Row *rows;
    uint32_t n_rows;
    bool plain_is_global; /**< LD and ST mean LDG and STG (Kepler has no LDG for plain loads). */
};

static const Row kepler_rows[] = {
    {WW_OP_SP, "FADD FADD32I FCHK FCMP FFMA FFMA32I FMNMX FMUL FMUL32I FSET FSETP FSWZ RRO"},
    {WW_OP_SFU, "MUFU"},
    {WW_OP_DP, "DADD DFMA DMNMX DMUL DSET DSETP"},
    {WW_OP_INT,
     "BFE BFI FLO IADD IADD32I ICMP IMAD IMADSP IMNMX IMUL IMUL32I ISAD ISCADD ISCADD32I "
     "ISET ISETP ISUB LOP LOP32I POPC SHF SHL SHR"},
    {WW_OP_ALU,
     "B2R CCTL CCTLL CSET CSETP F2F F2I I2F I2I LDC MOV MOV32I NOP P2R PRMT PSET PSETP R2P "
     "S2R SEL SHFL TEX TLD TLD4 TXQ VOTE"},
    {WW_OP_LOAD, "LD LDG LDL LDS LDSLK SUBFM SUCLAMP SUEAU SULDGA"},
    {WW_OP_STORE, "ATOM RED ST STL STS STSCUL SUSTGA"},
    {WW_OP_MEMBAR, "MEMBAR"},
    {WW_OP_BARRIER, "BAR"},
    {WW_OP_EXIT, "EXIT"},
    {WW_OP_BRANCH, "BPT BRA BRX JMP JMX"},
    {WW_OP_CALL, "CAL JCAL"},
    {WW_OP_RET, "BRK CONT PBK PCNT PRET RET SSY"},
};

static const Row pascal_rows[] = {
    {WW_OP_SP,
     "FADD FADD32I FCHK FCMP FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD HADD2 "
     "HFMA2 HMUL2 HSET2 HSETP2 RRO"},
    {WW_OP_SFU, "MUFU"},
    {WW_OP_DP, "DADD DFMA DMNMX DMUL DSET DSETP"},
    {WW_OP_INT,
     "BFE BFI BMSK BREV FLO IABS IADD IADD3 IADD32I ICMP IDP IDP4A IMAD IMADSP IMMA IMNMX "
     "IMUL IMUL32I ISCADD ISCADD32I ISET ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR "
     "VABSDIFF VABSDIFF4 VADD VMNMX XMAD"},
    {WW_OP_ALU,
     "B2R CCTL CCTLL CCTLT CS2R CSET CSETP CSMTEST DEPBAR ERRBAR F2F F2I FRND GETLMEMBASE "
     "I2F I2I I2IP LDC LEPC MATCH MOV MOV32I NOP P2R PLOP3 PMTRIG PRMT PSET PSETP QSPC R2B "
     "R2P S2R SEL SETCTAID SETLMEMBASE SGXT SHFL TEX TEXS TLD TLD4 TLD4S TLDS TMML TXD TXQ "
     "VOTE VOTE_VTG"},
    {WW_OP_LOAD, "LD LDG LDL LDS"},
    {WW_OP_STORE, "ATOM ATOMG ATOMS RED ST STG STL STS"},
    {WW_OP_MEMBAR, "MEMBAR"},
    {WW_OP_BARRIER, "BAR"},
    {WW_OP_EXIT, "EXIT"},
    {WW_OP_BRANCH,
     "BMOV BPT BRA BREAK BRX BSSY BSYNC JMP JMX KILL NANOSLEEP RPCMOV SSY SYNC WARPSYNC "
     "YIELD"},
    {WW_OP_CALL, "BRK CAL CALL CONT JCAL PBK PCNT PEXIT PRET"},
    {WW_OP_RET, "RET RTT"},
};

static const Row volta_rows[] = {
    {WW_OP_SP, "FADD FADD32I FCHK FFMA FFMA32I FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD HADD2 "
               "HADD2_32I HFMA2 HFMA2_32I HMUL2 HMUL2_32I HSET2 HSETP2"},
    {WW_OP_SFU, "MUFU"},
    {WW_OP_DP, "DADD DFMA DMUL DSETP"},
    {WW_OP_INT,
     "BMSK BREV FLO IABS IADD IADD3 IADD32I IDP IDP4A IMAD IMMA IMNMX IMUL IMUL32I ISCADD "
     "ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHR VABSDIFF VABSDIFF4"},
    {WW_OP_ALU,
     "B2R CCTL CCTLL CCTLT CS2R CSMTEST DEPBAR ERRBAR F2F F2I FRND GETLMEMBASE I2F I2I "
     "I2IP LDC LEPC MATCH MOV MOV32I NOP P2R PLOP3 PMTRIG PRMT PSETP QSPC R2B R2P S2R SEL "
     "SETCTAID SETLMEMBASE SGXT SHFL VOTE VOTE_VTG"},
    {WW_OP_LOAD, "LD LDG LDL LDS"},
    {WW_OP_STORE, "ATOM ATOMG ATOMS RED ST STG STL STS"},
    {WW_OP_MEMBAR, "MEMBAR"},
    {WW_OP_BARRIER, "BAR"},
    {WW_OP_EXIT, "EXIT"},
    {SPEC_BRANCH, "BMOV BPT BRA BREAK BRX BSSY BSYNC CALL JMP JMX KILL NANOSLEEP RET RPCMOV RTT "
                  "WARPSYNC YIELD"},
    {SPEC_TEXTURE, "TEX TLD TLD4 TMML TXD TXQ"},
    {SPEC_TENSOR, "HMMA"},
};

static const Row turing_rows[] = {
    {WW_OP_INT, "SHL"},
    {WW_OP_ALU, "F2FP MOVM SUATOM SULD SURED SUST"},
    {WW_OP_LOAD, "LDSM"},
    {SPEC_BRANCH, "BRXU JMXU"},
    {SPEC_TENSOR, "BMMA IMMA KILL"},
    {SPEC_UNIFORM,
     "R2UR S2UR UBMSK UBREV UCLEA UFLO UIADD3 UIMAD UISETP ULDC ULEA ULOP ULOP3 ULOP32I "
     "UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU"},
};

static const Row ampere_rows[] = {
    {WW_OP_SP, "HMNMX2"},          {WW_OP_ALU, "F2IP I2FP LDGDEPBAR SUQUERY"},
    {WW_OP_LOAD, "LDGSTS"},        {SPEC_TENSOR, "DMMA"},
    {SPEC_UNIFORM, "REDUX UF2FP"},
};

static const WwOpcodeMap kepler = {.name = "Kepler",
                                   .rows = kepler_rows,
                                   .n_rows = G_N_ELEMENTS(kepler_rows),
                                   .plain_is_global = true};
static const WwOpcodeMap pascal = {
    .name = "Pascal", .rows = pascal_rows, .n_rows = G_N_ELEMENTS(pascal_rows)};
static const WwOpcodeMap volta = {
    .name = "Volta", .rows = volta_rows, .n_rows = G_N_ELEMENTS(volta_rows)};
static const WwOpcodeMap turing = {
    .name = "Turing", .base = &volta, .rows = turing_rows, .n_rows = G_N_ELEMENTS(turing_rows)};
static const WwOpcodeMap ampere = {
    .name = "Ampere", .base = &turing, .rows = ampere_rows, .n_rows = G_N_ELEMENTS(ampere_rows)};

static const struct {
    uint32_t version;
    const WwOpcodeMap *map;
} versions[] = {{35, &kepler}, {60, &pascal}, {61, &pascal}, {70, &volta},
                {75, &turing}, {80, &ampere}, {86, &ampere}};

const WwOpcodeMap *ww_opcode_map(uint32_t binary_version)
{
    for (size_t i = 0; i < G_N_ELEMENTS(versions); i++) {
        if (versions[i].version == binary_version) {
            return versions[i].map;
        }
    }
    return NULL;
}

const char *ww_opcode_map_versions(void)
{
    return "35, 60, 61, 70, 75, 80, 86";
}

const char *ww_opcode_map_name(const WwOpcodeMap *map)
{
    return map->name;
}

/** Part of an opcode text between two dots. */
typedef struct Token {
    const char *text;
    size_t len;
} Token;

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

/** True if @p token is one of the blank-separated @p words. */
static bool is_one_of(Token token, const char *words)
{
    for (const char *p = words; *p != '\0';) {
        size_t n = strcspn(p, " ");
        if (n == token.len && n > 0 && memcmp(p, token.text, n) == 0) {
            return true;
        }
        p += n + (p[n] == ' ');
    }
    return false;
}

/** A word of a map in the index. */
typedef struct Word {
    const WwOpcodeMap *map;
    Token name;
    WwOp op;
} Word;

#define N_WORDS 2048u /* of the index; some 450 are taken */

static Word word_index[N_WORDS];

/** The word's place in the index, or the empty one where it belongs. */
static Word *place_of(const WwOpcodeMap *map, Token name)
{
    uint32_t h = (uint32_t)((uintptr_t)map >> 3);
    for (size_t i = 0; i < name.len; i++) {
        h = (h ^ (uint8_t)name.text[i]) * 16777619u;
    }
    for (h ^= h >> 15;; h++) {
        Word *w = &word_index[h % N_WORDS];
        if (w->map == NULL || (w->map == map && w->name.len == name.len &&
                               memcmp(w->name.text, name.text, name.len) == 0)) {
            return w;
        }
    }
}

static void index_map(const WwOpcodeMap *map)
{
    for (uint32_t i = 0; i < map->n_rows; i++) {
        for (const char *p = map->rows[i].words; *p != '\0';) {
            Token name = {p, strcspn(p, " ")};
            Word *w = place_of(map, name);
            if (w->map == NULL) { /* the first row wins */
                *w = (Word){map, name, map->rows[i].op};
            }
            p += name.len + (p[name.len] == ' ');
        }
    }
}

static bool find(const WwOpcodeMap *map, Token name, WwOp *op)
{
    static const WwOpcodeMap *const all[] = {&kepler, &pascal, &volta, &turing, &ampere};
    static gsize made;
    if (g_once_init_enter(&made)) {
        for (size_t i = 0; i < G_N_ELEMENTS(all); i++) {
            index_map(all[i]);
        }
        g_once_init_leave(&made, 1);
    }
    for (; map != NULL; map = map->base) {
        const Word *w = place_of(map, name);
        if (w->map != NULL) {
            *op = w->op;
            return true;
        }
    }
    return false;
}

static bool has_op(const WwOpcodeMap *map, WwOp op)
{
    for (; map != NULL; map = map->base) {
        for (uint32_t i = 0; i < map->n_rows; i++) {
            if (map->rows[i].op == op) {
                return true;
            }
        }
    }
    return false;
}

/** @p op if @p map has such a unit; else what that map uses for the same work. */
static WwOp translate(const WwOpcodeMap *map, WwOp op)
{
    bool branch_unit = has_op(map, SPEC_BRANCH);
    switch ((unsigned)op) {
    case WW_OP_BRANCH:
    case WW_OP_CALL:
    case WW_OP_RET:
        return branch_unit ? SPEC_BRANCH : op;
    case SPEC_BRANCH:
        return branch_unit ? SPEC_BRANCH : WW_OP_BRANCH;
    case SPEC_TEXTURE:
    case SPEC_TENSOR:
    case SPEC_UNIFORM:
        return has_op(map, op) ? op : WW_OP_ALU;
    default:
        return op;
    }
}

/** Prefix rules for names that no map at all has. First match wins; the order matters. */
static WwOp category_of_prefix(const WwOpcodeMap *map, Token name)
{
    static const struct {
        const char *prefix;
        WwOp op;
    } rules[] = {
        {"LDC", WW_OP_ALU},     {"LD", WW_OP_LOAD},   {"ST", WW_OP_STORE},
        {"ATOM", WW_OP_STORE},  {"RED", WW_OP_STORE}, {"MEMBAR", WW_OP_MEMBAR},
        {"BAR", WW_OP_BARRIER}, {"EXIT", WW_OP_EXIT}, {"TEX", SPEC_TEXTURE},
        {"TLD", SPEC_TEXTURE},  {"TX", SPEC_TEXTURE}, {"BR", SPEC_BRANCH},
        {"JMP", SPEC_BRANCH},   {"CALL", WW_OP_CALL}, {"RET", WW_OP_RET},
        {"MUFU", WW_OP_SFU},    {"F2", WW_OP_ALU},    {"I2", WW_OP_ALU},
        {"F", WW_OP_SP},        {"H", WW_OP_SP},      {"D", WW_OP_DP},
        {"I", WW_OP_INT},       {"L", WW_OP_INT},     {"VOTE", WW_OP_ALU},
        {"V", WW_OP_INT},
    };
    if (name.len > 3 && memcmp(name.text + name.len - 3, "MMA", 3) == 0) {
        return translate(map, SPEC_TENSOR);
    }
    if (name.text[0] == 'U') {
        return translate(map, SPEC_UNIFORM);
    }
    for (size_t i = 0; i < G_N_ELEMENTS(rules); i++) {
        if (begins(name, rules[i].prefix)) {
            return translate(map, rules[i].op);
        }
    }
    return WW_OP_ALU;
}

/** The fallback rule (see the header): another map's category, newest map first; then the prefix.
 */
static WwOp guess(const WwOpcodeMap *map, Token name)
{
    static const WwOpcodeMap *const newest_first[] = {&ampere, &volta, &pascal, &kepler};
    for (size_t i = 0; i < G_N_ELEMENTS(newest_first); i++) {
        WwOp op;
        if (find(newest_first[i], name, &op)) {
            return translate(map, op);
        }
    }
    return category_of_prefix(map, name);
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

/** Opcodes that the maps, like the reference's, send to a unit that does not execute them. */
static uint8_t true_op_of(Token name, WwOp op)
{
    if (is(name, "IMMA") && op == WW_OP_INT) {
        return 1 + SPEC_TENSOR;
    }
    return is(name, "KILL") && op == SPEC_TENSOR ? 1 + SPEC_BRANCH : 0;
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

/** What an opcode does besides belonging to a category; prefixes serve unknown relatives of known
 * opcodes. */
typedef struct Special {
    const char *words;
    uint16_t flags;
    uint8_t space;
    bool scoped; /**< `.STRONG.GPU` bypasses the L1. */
} Special;

static const Special specials[] = {
    {"LDC", WW_INST_LOAD, WW_SPACE_CONST, false},
    {"LDG", WW_INST_LOAD, WW_SPACE_GLOBAL, true},
    {"LDGSTS", WW_INST_LOAD | WW_INST_LDGSTS, WW_SPACE_GLOBAL, true},
    {"LDL", WW_INST_LOAD, WW_SPACE_LOCAL, true},
    {"STG", WW_INST_STORE, WW_SPACE_GLOBAL, false},
    {"STL", WW_INST_STORE, WW_SPACE_LOCAL, false},
    {"ATOMG ATOM RED", WW_INST_LOAD | WW_INST_ATOMIC | WW_INST_BYPASS_L1, WW_SPACE_GLOBAL, false},
    {"LDS LDSM", WW_INST_LOAD, WW_SPACE_SHARED, false},
    {"STS", WW_INST_STORE, WW_SPACE_SHARED, false},
    {"ATOMS", WW_INST_LOAD | WW_INST_ATOMIC, WW_SPACE_SHARED, false},
    {"LD", WW_INST_LOAD, WW_SPACE_GENERIC, false},
    {"ST", WW_INST_STORE, WW_SPACE_GENERIC, false},
    {"LDGDEPBAR", WW_INST_LDGDEPBAR, WW_SPACE_NONE, false},
    {"DEPBAR", WW_INST_DEPBAR, WW_SPACE_NONE, false},
    {"HADD2 HADD2_32I HFMA2 HFMA2_32I HMUL2_32I HSET2 HSETP2", WW_INST_HALF_RATE_II, WW_SPACE_NONE,
     false},
    {"HMUL2 HMNMX2", WW_INST_PACKED_HALF, WW_SPACE_NONE, false},
};

static const Special *special_of(const WwOpcodeMap *map, Token name)
{
    if (map->plain_is_global && is(name, "LD")) {
        name = (Token){"LDG", 3};
    } else if (map->plain_is_global && is(name, "ST")) {
        name = (Token){"STG", 3};
    }
    for (size_t i = 0; i < G_N_ELEMENTS(specials); i++) {
        if (is_one_of(name, specials[i].words)) {
            return &specials[i];
        }
    }
    return NULL;
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

    const Special *special = special_of(map, name);
    if (!known) {
        op = guess(map, name);
        if (special == NULL && (op == WW_OP_LOAD || op == WW_OP_STORE)) {
            special = special_of(map, relative_of(name));
        }
    }
    if (special != NULL) {
        out->flags |= special->flags;
        out->space = special->space;
        if (special->scoped && strong_gpu) {
            out->flags |= WW_INST_BYPASS_L1;
        }
        if (special->space == WW_SPACE_CONST) {
            out->width = 4;
            out->signed_width = 0;
        }
        if ((special->flags & WW_INST_ATOMIC) != 0 && special->space == WW_SPACE_GLOBAL) {
            op = WW_OP_LOAD; /* the reference runs a global atomic as a load that bypasses the L1 */
        }
    }
    if (op == WW_OP_LOAD) {
        out->flags |= WW_INST_LOAD;
    } else if (op == WW_OP_STORE) {
        out->flags |= WW_INST_STORE;
    }
    out->op = (uint8_t)op;
    out->true_op = true_op_of(name, op);
    return known;
}
