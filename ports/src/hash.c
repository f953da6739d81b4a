/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Remainders of polynomials over GF(2). They add up: that of a number is the xor of those of its bits, so a table by bytes says them
 * all. The remainder of bit i above the index is that of x^(n + i); bits that do not take part have none.
 */
#include <ports/hash.h>

#define BIT(v, i, rest) ((v) >> (i)&1 ? (rest) : 0)
#define BYTE(v, a, b, c, d, e, f, g, h)                                                            \
    (BIT(v, 0, a) ^ BIT(v, 1, b) ^ BIT(v, 2, c) ^ BIT(v, 3, d) ^ BIT(v, 4, e) ^ BIT(v, 5, f) ^     \
     BIT(v, 6, g) ^ BIT(v, 7, h))
#define BYTES4(v, ...)                                                                             \
    BYTE(v, __VA_ARGS__), BYTE(v + 1, __VA_ARGS__), BYTE(v + 2, __VA_ARGS__),                      \
        BYTE(v + 3, __VA_ARGS__)
#define BYTES16(v, ...)                                                                            \
    BYTES4(v, __VA_ARGS__), BYTES4(v + 4, __VA_ARGS__), BYTES4(v + 8, __VA_ARGS__),                \
        BYTES4(v + 12, __VA_ARGS__)
#define BYTES64(v, ...)                                                                            \
    BYTES16(v, __VA_ARGS__), BYTES16(v + 16, __VA_ARGS__), BYTES16(v + 32, __VA_ARGS__),           \
        BYTES16(v + 48, __VA_ARGS__)
/* Of eight bits with these remainders. */
#define TABLE(...)                                                                                 \
    {                                                                                              \
        BYTES64(0, __VA_ARGS__), BYTES64(64, __VA_ARGS__), BYTES64(128, __VA_ARGS__),              \
            BYTES64(192, __VA_ARGS__)                                                              \
    }

const uint8_t ww_hash_ipoly_rests[3][3][256] = {
    /* x^4 + x + 1, bits 0 to 12 */
    {TABLE(3, 6, 12, 11, 5, 10, 7, 14), TABLE(15, 13, 9, 1, 2, 0, 0, 0), {0}},
    /* x^5 + x^2 + 1, bits 0 to 14 */
    {TABLE(5, 10, 20, 13, 26, 17, 7, 14), TABLE(28, 29, 31, 27, 19, 3, 6, 0), {0}},
    /* x^6 + x + 1, bits 0 to 18 */
    {TABLE(3, 6, 12, 24, 48, 35, 5, 10), TABLE(20, 40, 19, 38, 15, 30, 60, 59),
     TABLE(53, 41, 17, 0, 0, 0, 0, 0)},
};

bool ww_hash_ipoly_fits(uint32_t places)
{
    return places == 16 || places == 32 || places == 64;
}
