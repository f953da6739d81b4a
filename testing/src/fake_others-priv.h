/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other users of what a fake offers. A component under test is alone on its bench, and would never be refused: its fake then takes things
 * from it in the name of others. What they take follows from a number alone, so that two runs can be compared, whoever asks how often.
 */
#pragma once

#include <warpwright/component.h>

/* Have others taken @p what for cycle @p at? Answers the same each time. Of @p others 0 there are none; else they take one in 2 to 16, by its lowest bits. */
static inline bool fake_others_took(uint32_t others, WwCycle at, uint64_t what)
{
    uint64_t x = others * 0x9e3779b97f4a7c15u ^ at * 0xd1342543de82ef95u ^ what << 40;
    x = (x ^ x >> 31) * 0xbf58476d1ce4e5b9u;
    x ^= x >> 29;
    return others != 0 && x % (2u << (others & 3u)) == 0;
}
