/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of numbers, `[[1,0,2],0,[3]]`, as db_layout_write() writes them. Anything else is of a damaged file: it is told, not read as 0. */
#include "db-priv.h"

#define NOWHERE UINT32_MAX

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

/* Goes over a piece; what stands at @p want of it goes to *v, which stays where it does not reach so far. */
static bool read_piece(const char **p, bool falls, uint32_t want, uint64_t *v)
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
        if (!read_number(p, falls, &n)) {
            return false;
        }
        *v = i == want ? n : *v;
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
    uint64_t none;
    while (*now < want) {
        if (!read_piece(p, false, NOWHERE, &none)) {
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
        uint64_t v = 0;
        if (!go_to(&piece, last, &now, want / DB_PIECE, &ended)) {
            return false;
        }
        const char *p = piece;
        if (!ended &&
            (!read_piece(&p, false, want % DB_PIECE, &v) || (*p == ']' ? p != last : *p != ','))) {
            return false;
        }
        *sum += (double)v;
    }
    return true;
}

bool db_list_fits(const char *list, size_t length, bool falls)
{
    uint64_t none;
    const char *p = list + 1, *last = list + length - 1;
    if (length < 2 || *list != '[' || *last != ']') {
        return false;
    }
    while (p != last) {
        if (!read_piece(&p, falls, NOWHERE, &none) || (p != last && *p != ',')) {
            return false;
        }
        if (p != last && ++p == last) {
            return false;
        }
    }
    return true;
}
