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

/* Bits 0 to 39 of each. */
const WwIpolyRests ww_hash_ipoly_more = {
    /* x^7 + x^3 + 1 */
    {TABLE(9, 18, 36, 72, 25, 50, 100, 65), TABLE(11, 22, 44, 88, 57, 114, 109, 83),
     TABLE(47, 94, 53, 106, 93, 51, 102, 69), TABLE(3, 6, 12, 24, 48, 96, 73, 27),
     TABLE(54, 108, 81, 43, 86, 37, 74, 29)},
    /* x^8 + x^4 + x^3 + x^2 + 1 */
    {TABLE(29, 58, 116, 232, 205, 135, 19, 38), TABLE(76, 152, 45, 90, 180, 117, 234, 201),
     TABLE(143, 3, 6, 12, 24, 48, 96, 192), TABLE(157, 39, 78, 156, 37, 74, 148, 53),
     TABLE(106, 212, 181, 119, 238, 193, 159, 35)},
    /* x^9 + x^4 + 1 */
    {TABLE(17, 34, 68, 136, 272, 49, 98, 196), TABLE(392, 257, 19, 38, 76, 152, 304, 113),
     TABLE(226, 452, 409, 291, 87, 174, 348, 169), TABLE(338, 181, 362, 197, 394, 261, 27, 54),
     TABLE(108, 216, 432, 369, 243, 486, 477, 427)},
    /* x^10 + x^3 + 1 */
    {TABLE(9, 18, 36, 72, 144, 288, 576, 137), TABLE(274, 548, 65, 130, 260, 520, 25, 50),
     TABLE(100, 200, 400, 800, 585, 155, 310, 620), TABLE(209, 418, 836, 641, 267, 534, 37, 74),
     TABLE(148, 296, 592, 169, 338, 676, 321, 642)},
};

/* Not remainders; bits above the last that is not 0 do not take part. */
const WwIpolyRests ww_hash_ipoly_coded = {
    /* 128 places */
    {TABLE(9, 18, 36, 73, 18, 36, 73, 19), TABLE(39, 79, 31, 63, 127, 126, 124, 120),
     TABLE(112, 96, 64, 0, 0, 0, 0, 0), TABLE(0, 0, 0, 0, 0, 0, 0, 0),
     TABLE(0, 0, 0, 0, 0, 0, 0, 0)},
    /* 256 places */
    {TABLE(17, 34, 69, 139, 23, 46, 92, 185), TABLE(114, 228, 201, 146, 37, 75, 150, 45),
     TABLE(90, 181, 107, 215, 174, 92, 184, 112), TABLE(224, 192, 128, 0, 0, 0, 0, 0),
     TABLE(0, 0, 0, 0, 0, 0, 0, 0)},
    /* 512 places */
    {TABLE(17, 34, 68, 136, 273, 34, 68, 136), TABLE(273, 34, 68, 136, 273, 34, 68, 137),
     TABLE(274, 37, 74, 149, 298, 85, 171, 343), TABLE(174, 349, 186, 372, 232, 464, 416, 320),
     TABLE(128, 256, 0, 0, 0, 0, 0, 0)},
    /* 1024 places */
    {TABLE(9, 18, 36, 73, 146, 292, 584, 144), TABLE(288, 577, 130, 260, 521, 18, 36, 72),
     TABLE(145, 290, 581, 138, 277, 554, 85, 170), TABLE(341, 682, 341, 683, 343, 686, 349, 698),
     TABLE(372, 744, 464, 928, 832, 640, 256, 512)},
};

bool ww_hash_ipoly_fits(uint32_t places)
{
    return places >= 16 && places <= 1024 && (places & (places - 1)) == 0;
}
