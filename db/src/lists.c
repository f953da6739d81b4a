/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers, `[[1,0,2],0,[3]]`, as db_layout_write() writes them. Anything else is of a damaged file: it is told, not read as 0. */
#include "db-priv.h"

static bool read_number(const char **p, bool falls, uint64_t *v)
{
    const char *at = *p + (falls && **p == '-'), *first = at;
    uint64_t n = 0;
    for (; g_ascii_isdigit(*at); at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (n > (UINT64_MAX - digit) / 10) {
            return false;
        }
        n = n * 10 + digit;
    }
    *v = n;
    *p = at;
    return at != first;
}

/* Goes over a piece, whose numbers go to @p piece (or nowhere: NULL); what it does not reach stays. */
static bool read_piece(const char **p, bool falls, uint64_t *piece)
{
    uint64_t n;
    if (**p == '0') {
        ++*p;
        return true;
    }
    if (**p != '[') {
        return false;
    }
    for (uint32_t i = 0; i < DB_PIECE; i++) {
        ++*p;
        if (!read_number(p, falls, piece != NULL ? &piece[i] : &n)) {
            return false;
        }
        if (**p == ']') {
            ++*p;
            return true;
        }
        if (**p != ',') {
            return false;
        }
    }
    return false;
}

/* Goes on from piece *now to piece @p want. *ended: there are not so many. */
static bool go_to(const char **p, const char *last, uint32_t *now, uint32_t want, bool *ended)
{
    while (*now < want) {
        if (!read_piece(p, false, NULL)) {
            return false;
        }
        if (**p == ']') {
            *ended = true;
            return *p == last;
        }
        if (**p != ',') {
            return false;
        }
        ++*p;
        ++*now;
    }
    return true;
}

/* Behind the last place that is asked for only the end is looked at: there are many lists. */
bool db_list_sum(const char *list, size_t length, const GArray *at, double *sum)
{
    uint32_t now = 0;
    const char *piece = list + 1, *last = list + length - 1;
    *sum = 0;
    if (length < 2 || *list != '[' || *last != ']') {
        return false;
    }
    bool ended = piece == last;
    for (guint i = 0; !ended && i < at->len; i++) {
        uint32_t want = g_array_index(at, uint32_t, i);
        uint64_t numbers[DB_PIECE] = {0};
        if (!go_to(&piece, last, &now, want / DB_PIECE, &ended)) {
            return false;
        }
        const char *p = piece;
        if (!ended && (!read_piece(&p, false, numbers) || (*p == ']' ? p != last : *p != ','))) {
            return false;
        }
        *sum += (double)numbers[want % DB_PIECE];
    }
    return true;
}

bool db_list_read(const char *list, size_t length, GArray *numbers)
{
    const char *p = list + 1, *last = list + length - 1;
    g_array_set_size(numbers, 0);
    if (length < 2 || *list != '[' || *last != ']') {
        return false;
    }
    while (p != last) {
        uint64_t piece[DB_PIECE] = {0};
        if (!read_piece(&p, false, piece) || (p != last && (*p != ',' || ++p == last))) {
            return false;
        }
        g_array_append_vals(numbers, piece, DB_PIECE);
    }
    return true;
}

bool db_list_fits(const char *list, size_t length, bool falls)
{
    const char *p = list + 1, *last = list + length - 1;
    if (length < 2 || *list != '[' || *last != ']') {
        return false;
    }
    while (p != last) {
        if (!read_piece(&p, falls, NULL) || (p != last && *p != ',')) {
            return false;
        }
        if (p != last && ++p == last) {
            return false;
        }
    }
    return true;
}
