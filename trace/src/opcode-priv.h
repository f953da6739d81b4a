/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * An opcode map in memory: what its text says, and the maps that it refers to.
 */
#pragma once

#include <trace/opcode.h>

#define WW_MAP_MAX_BYTES 262144u  /**< Of a map's text. */
#define WW_MAP_MAX_OPCODES 16384u /**< Of one map. */
#define WW_MAP_MAX_VERSIONS 16u
#define WW_MAP_MAX_ELSE 8u
#define WW_MAP_MAX_NAME 32u  /**< Characters of an opcode, or of a map's name. */
#define WW_MAP_MAX_DEPTH 16u /**< Maps in a row, each the base of the one before. */

/** What the specialised units of a map may stand for. */
typedef enum WwOpRole {
    WW_ROLE_BRANCH,
    WW_ROLE_TEXTURE,
    WW_ROLE_TENSOR,
    WW_ROLE_UNIFORM,
    WW_N_ROLES
} WwOpRole;

/** What an opcode does besides belonging to a unit. */
typedef struct WwOpTraits {
    uint16_t flags; /**< WW_INST_... */
    uint8_t space;  /**< WwSpace */
    bool scoped;    /**< `.STRONG.GPU` bypasses the L1. */
} WwOpTraits;

/** Part of an opcode text between two dots, or a name in a map. */
typedef struct WwOpToken {
    const char *text;
    size_t len;
} WwOpToken;

/** An opcode of a map. */
typedef struct WwOpWord {
    WwOpToken name;
    uint32_t line;     /**< Where it stands first. */
    uint8_t unit;      /**< 1 + WwOp; 0: no row of this map says. */
    uint8_t true_unit; /**< The same, of the unit that the hardware has. */
    uint8_t sub_op;    /**< 1 + WwSubOp; 0: no row says. */
    bool has_traits;
    WwOpTraits traits;
} WwOpWord;

struct WwOpcodeMap {
    char *file; /**< Path, or "configs/opcodes/NAME.map" of one that the library brings along. */
    char *stem; /**< What other maps and --opcodes call it: its file without folder and ".map". */
    char *text; /**< With a NUL; the words lie in it. */
    size_t length;
    char *name; /**< "Volta" */
    uint32_t versions[WW_MAP_MAX_VERSIONS], n_versions;
    char *base_name; /**< NULL: none. */
    char *else_names[WW_MAP_MAX_ELSE];
    uint32_t n_else, base_line, else_line;
    uint8_t role[WW_N_ROLES]; /**< 1 + WwOp; 0: not said. */
    const char *rows_at;      /**< The first row; NULL: there is none. */
    uint32_t rows_line;
    WwOpWord *words;
    uint32_t n_words;
    uint32_t *index; /**< Open addressing over names: number of the word + 1. */
    uint32_t index_mask;
    /* what ww_opcodes_for() makes of the names */
    bool linked;
    const WwOpcodeMap *base;
    const WwOpcodeMap *others[WW_MAP_MAX_ELSE];
    uint32_t n_others;
};

/** Reads @p text, which it takes, as that of the map @p file, up to its first row. NULL with @p error that names the line. */
WwOpcodeMap *ww_map_parse(const char *file, char *text, size_t length, GError **error);
/** Reads the rest, once. */
bool ww_map_read_rows(WwOpcodeMap *map, GError **error);
void ww_map_free(WwOpcodeMap *map);
/** The word of this map alone, whose rows were read, or NULL. */
const WwOpWord *ww_map_find(const WwOpcodeMap *map, WwOpToken name);
/** "volta" of ".../volta.map"; newly allocated. */
char *ww_map_stem(const char *file);

/** What ww_opcodes_for() has returned before; NULL: nothing yet. Any thread may ask while none asks ww_opcodes_for(). */
const WwOpcodeMap *ww_opcodes_known(const WwOpcodes *opcodes, uint32_t binary_version);

/** A map that the library brings along. */
typedef struct WwShippedMap {
    const char *stem;
    const unsigned char *text;
    size_t length;
} WwShippedMap;

/** Made of configs/opcodes when the library is built; the last has no stem. */
extern const WwShippedMap ww_shipped_maps[];
