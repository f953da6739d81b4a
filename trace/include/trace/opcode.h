/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Opcode maps: which category an opcode belongs to, per binary version; and decoding of one opcode text.
 *
 * A map is a text (docs/opcodes.md). The library brings along those of configs/opcodes; files in folders come before them.
 */
#pragma once

#include <ports/inst.h>

/** A map that was read: constant. */
typedef struct WwOpcodeMap WwOpcodeMap;
/** Where maps are looked for, and those that were read. Free with ww_opcodes_free(). */
typedef struct WwOpcodes WwOpcodes;

/**
 * The maps in @p folders (NULL-terminated, most important first; NULL: none), and then those that the library brings along. Files are read
 * when a map is asked for; a name in a folder that comes first hides a later one.
 */
WW_API WwOpcodes *ww_opcodes_new(const char *const *folders);
/** With the maps that it has read; @p opcodes may be NULL. */
WW_API void ww_opcodes_free(WwOpcodes *opcodes);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(WwOpcodes, ww_opcodes_free)

/** From here on one map is for every binary version: a NAME ("volta") of a map, or a file. False with @p error when it cannot be. */
WW_API bool ww_opcodes_choose(WwOpcodes *opcodes, const char *file_or_name, GError **error);

/**
 * The map for a trace's `-binary version`, or NULL with @p error: there is none, two of one folder are for it, or one that was asked for is
 * wrong. What it refers to is read, too. It lives as long as @p opcodes (NULL: what the library brings along, which live for ever).
 */
WW_API const WwOpcodeMap *ww_opcodes_for(WwOpcodes *opcodes, uint32_t binary_version,
                                         GError **error);

/** Receives the file, or "configs/opcodes/NAME.map", and the text of a map. */
typedef void (*WwOpcodeFileFn)(void *user, const char *file, const char *text, size_t length);
/** @p map, and then each that it refers to, once. */
WW_API void ww_opcode_map_each_file(const WwOpcodeMap *map, WwOpcodeFileFn fn, void *user);

/** Units that rows of @p map, or of one that it builds upon, send opcodes to: bit WwOp. */
WW_API uint32_t ww_opcode_map_units(const WwOpcodeMap *map);
/** What the unit @p op stands for in @p map, "tensor", or NULL. */
WW_API const char *ww_opcode_map_role(const WwOpcodeMap *map, WwOp op);

/** The map for a binary version that the library brings along, or NULL if there is none. */
WW_API const WwOpcodeMap *ww_opcode_map(uint32_t binary_version);

/** Its path, or "configs/opcodes/NAME.map" of one that the library brings along. */
WW_API const char *ww_opcode_map_file(const WwOpcodeMap *map);
/** "Kepler", "Volta", ... */
WW_API const char *ww_opcode_map_name(const WwOpcodeMap *map);
/** What it says its binary versions are; @p n receives how many. */
WW_API const uint32_t *ww_opcode_map_versions(const WwOpcodeMap *map, uint32_t *n);

/**
 * Decodes the text of an opcode ("LDG.E.64.STRONG.GPU") into op, space, width, flags of @p out (the other fields are left
 * alone). An opcode that the map lacks gets WW_INST_UNKNOWN and the category of the fallback rule, and the call returns
 * false. Cost: some microseconds; meant for static instructions.
 *
 * The fallback rule. (1) If a map of its `else` line has the name, its category: the first of them. (2) Else by prefix: ...MMA tensor; U
 * uniform; LDC ALU, other LD load; ST, ATOM, RED store; MEMBAR, BAR, EXIT
 * themselves; TEX, TLD, TX texture; BR, JMP, CALL, RET control; MUFU SFU; F2, I2, VOTE ALU; other F and H SP; D DP; I, L
 * and V INT; anything else ALU. (3) Tensor, uniform, texture and branch units that the map does not use become ALU
 * (branches: BRANCH). An unknown load or store acts on the space of its nearest relative (LDS..., LDL..., else
 * global), an unknown atomic like ATOMG or ATOMS.
 */
WW_API bool ww_opcode_decode(const WwOpcodeMap *map, const char *text, WwSinst *out);
