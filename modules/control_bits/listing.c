/* SPDX-License-Identifier: Apache-2.0 */
/* Listings of control words, in the notation that SASS assemblers use. */
#include "control_bits.h"

#include <string.h>

/* One of '0' to '5', or '-'. */
static bool barrier(char c, uint8_t *out)
{
    *out = c == '-' ? NO_BARRIER : (uint8_t)(c - '0');
    return c == '-' || (c >= '0' && c < '0' + (char)BARRIERS);
}

/* "B01---5:R-:W2:-:S04": barriers waited for, read barrier, write barrier, yield, stall. */
static bool parse_word(const char *text, ControlWord *w)
{
    if (strlen(text) != 19 || text[0] != 'B' || strncmp(text + 7, ":R", 2) != 0 ||
        strncmp(text + 10, ":W", 2) != 0 || text[13] != ':' ||
        (text[14] != '-' && text[14] != 'Y') || strncmp(text + 15, ":S", 2) != 0) {
        return false;
    }
    for (uint32_t i = 0; i < BARRIERS; i++) {
        if (text[1 + i] == (char)('0' + i)) {
            w->wait |= (uint8_t)(1u << i);
        } else if (text[1 + i] != '-') {
            return false;
        }
    }
    int tens = g_ascii_digit_value(text[17]), ones = g_ascii_digit_value(text[18]);
    w->stall = (uint8_t)(tens * 10 + ones);
    return barrier(text[9], &w->read) && barrier(text[12], &w->write) && tens >= 0 && ones >= 0 &&
           w->stall <= LONGEST_STALL;
}

static bool parse_line(char *line, ControlWord *w)
{
    char *end, *word = strpbrk(line, " \t");
    if (word == NULL) {
        return false;
    }
    *word = '\0';
    word = g_strstrip(word + 1);
    w->pc = g_ascii_strtoull(line, &end, 16);
    return *end == '\0' && end != line && parse_word(word, w);
}

static int by_pc(const void *a, const void *b)
{
    const ControlWord *x = a, *y = b;
    return x->pc < y->pc ? -1 : x->pc > y->pc;
}

bool listing_read(const char *path, Listing *out, GError **error)
{
    static const WwTextLimits limits = {
        .bytes = 64u << 20, .line = 10000, .expected = "a listing of control words"};
    g_autofree char *text = NULL;
    size_t length;
    if (!ww_read_text(path, &limits, &text, &length, error)) {
        return false;
    }
    g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
    out->word = g_new0(ControlWord, g_strv_length(lines) + 1);
    out->n = 0;
    for (uint32_t i = 0; lines[i] != NULL; i++) {
        lines[i][strcspn(lines[i], "#")] = '\0';
        char *line = g_strstrip(lines[i]);
        if (*line != '\0' && !parse_line(line, &out->word[out->n++])) {
            return ww_fail(
                error, WW_ERROR_INPUT,
                "%s:%u: expected a pc and control bits, such as 0010 B01----:R-:W2:-:S04", path,
                i + 1);
        }
    }
    qsort(out->word, out->n, sizeof *out->word, by_pc);
    for (uint32_t i = 1; i < out->n; i++) {
        if (out->word[i].pc == out->word[i - 1].pc) {
            return ww_fail(error, WW_ERROR_INPUT,
                           "%s: pc %" G_GINT64_MODIFIER
                           "x stands twice; expected one line for each",
                           path, out->word[i].pc);
        }
    }
    return true;
}

void listing_clear(Listing *listing)
{
    g_clear_pointer(&listing->word, g_free);
    listing->n = 0;
}
