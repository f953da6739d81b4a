/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How wide text is. Nobody knows the reader's fonts: the widths are those of DejaVu Sans, which is wider than Helvetica, Arial and their like, rounded
 * up; whoever has a font that is wider still sees text that fills its box.
 */
#include "picture.h"

/* In hundredths of the size, of ' ' to '~'. */
static const uint8_t widths[2][95] = {
    {
        32, 41, 46, 84, 64, 96, 78, 28, 40, 40, 50, 84, 32, 37,  32, 34, 64, 64, 64,
        64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 54, 100, 69, 69, 70, 78, 64,
        58, 78, 76, 30, 30, 66, 56, 87, 75, 79, 61, 79, 70, 64,  62, 74, 69, 99, 69,
        62, 69, 40, 34, 40, 84, 50, 50, 62, 64, 55, 64, 62, 36,  64, 64, 28, 28, 58,
        28, 98, 64, 62, 64, 64, 42, 53, 40, 64, 60, 82, 60, 60,  53, 64, 34, 64, 84,
    },
    {
        35, 46,  53, 84, 70, 101, 88, 31,  46, 46, 53, 84, 38, 42,  38, 37, 70, 70,  70,
        70, 70,  70, 70, 70, 70,  70, 40,  40, 84, 84, 84, 59, 100, 78, 77, 74, 84,  69,
        69, 83,  84, 38, 38, 78,  64, 100, 84, 86, 74, 86, 78, 73,  69, 82, 78, 111, 78,
        73, 73,  46, 37, 46, 84,  50, 50,  68, 72, 60, 72, 68, 44,  72, 72, 35, 35,  67,
        35, 105, 72, 69, 72, 72,  50, 60,  48, 72, 66, 93, 65, 66,  59, 72, 37, 72,  84,
    },
};
#define OTHER 100u /* of what is not ASCII */

double picture_text_width(const char *text, double size, bool bold)
{
    uint32_t sum = 0;
    for (const char *p = text; *p != '\0'; p = g_utf8_next_char(p)) {
        unsigned char c = (unsigned char)*p;
        sum += c >= ' ' && c <= '~' ? widths[bold][c - ' '] : OTHER;
    }
    return sum * size / 100;
}
