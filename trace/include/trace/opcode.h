/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Opcode maps: which category an opcode belongs to, per binary version; and decoding of one opcode text.
 */
#pragma once

#include <ports/inst.h>

typedef struct WwOpcodeMap WwOpcodeMap;

/** The map for a trace's `-binary version`, or NULL if there is none (35, 60, 61, 70, 75, 80, 86 have one). */
WW_API const WwOpcodeMap *ww_opcode_map(uint32_t binary_version);

/** Binary versions that have a map, ascending, as text for errors: "35, 60, ...". */
WW_API const char *ww_opcode_map_versions(void);

/** "Kepler", "Volta", ... */
WW_API const char *ww_opcode_map_name(const WwOpcodeMap *map);

/**
 * Decodes the text of an opcode ("LDG.E.64.STRONG.GPU") into op, space, width, flags of @p out (the other fields are left
 * alone). An opcode that the map lacks gets WW_INST_UNKNOWN and the category of the fallback rule, and the call returns
 * false. Cost: some microseconds; meant for static instructions.
 *
 * The fallback rule. (1) If another map has the name, its category (Ampere asked first, then Turing and Volta, Pascal,
 * Kepler). (2) Else by prefix: ...MMA tensor; U uniform; LDC ALU, other LD load; ST, ATOM, RED store; MEMBAR, BAR, EXIT
 * themselves; TEX, TLD, TX texture; BR, JMP, CALL, RET control; MUFU SFU; F2, I2, VOTE ALU; other F and H SP; D DP; I, L
 * and V INT; anything else ALU. (3) Tensor, uniform, texture and branch units that the map does not use become ALU
 * (branches: BRANCH). An unknown load or store acts on the space of its nearest relative (LDS..., LDL..., else
 * global), an unknown atomic like ATOMG or ATOMS.
 */
WW_API bool ww_opcode_decode(const WwOpcodeMap *map, const char *text, WwSinst *out);
