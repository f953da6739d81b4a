/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Errors, assertions, and the "did you mean" that error messages end with.
 */
#include <warpwright/at_work.h>

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

/** Longer words are nobody's typing error, and the distance costs the square of the length. */
enum { LONGEST_WORD = 64 };

GQuark ww_error_quark(void)
{
    return g_quark_from_static_string("ww-error");
}

bool ww_fail(GError **error, WwErrorCode code, const char *format, ...)
{
    if (error != NULL) {
        va_list args;
        va_start(args, format);
        *error = g_error_new_valist(WW_ERROR, (int)code, format, args);
        va_end(args);
        /* A cut ("%.40s") may go through a character of what it quotes. */
        if (!g_utf8_validate((*error)->message, -1, NULL)) {
            char *valid = g_utf8_make_valid((*error)->message, -1);
            g_free((*error)->message);
            (*error)->message = valid;
        }
    }
    return false;
}

static int ending; /* The thread that ends the process; 0: none does. */

void ww_end_alone(void)
{
    int none = 0, self = gettid();
    if (!__atomic_compare_exchange_n(&ending, &none, self, false, __ATOMIC_RELAXED,
                                     __ATOMIC_RELAXED) &&
        none != self) {
        for (;;) {
            pause();
        }
    }
}

static void (*before_exhaustion)(void);

void ww_before_exhaustion(void (*fn)(void))
{
    before_exhaustion = fn;
}

void ww_exhausted(const char *what)
{
    const struct iovec parts[] = {{(void *)"warpwright: ", strlen("warpwright: ")},
                                  {(void *)what, strlen(what)},
                                  {(void *)"\n", 1}};
    ww_end_alone();
    if (before_exhaustion != NULL) {
        void (*fn)(void) = before_exhaustion;
        before_exhaustion = NULL; /* it may be exhausted itself */
        fn();
    }
    ssize_t n = writev(STDERR_FILENO, parts, 3);
    (void)n;
    _exit(2);
}

static void (*assert_watch)(void);

void ww_assert_watch(void (*fn)(void))
{
    assert_watch = fn;
}

void ww_assert_failed(const char *file, int line, const char *what)
{
    char text[1024];
    int n =
        g_snprintf(text, sizeof text, "warpwright: %s:%d: internal error: '%.800s' does not hold%s",
                   file, line, what, assert_watch != NULL ? "" : "\n");
    fflush(stdout);
    ww_end_alone(); /* behind it no lock is asked for, which one that waits may have */
    ssize_t written = write(STDERR_FILENO, text, (size_t)n);
    (void)written;
    if (assert_watch != NULL) {
        assert_watch();
    }
    abort();
}

/**
 * Damerau-Levenshtein distance, case-insensitive: the number of letters to insert, delete, replace
 * or swap with their neighbour (no letter twice). Three rows of the table are enough.
 */
static size_t distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][LONGEST_WORD + 1];
    size_t *before = rows[0];
    size_t *above = rows[1];
    size_t *row = rows[2];
    for (size_t j = 0; j <= b_length; j++) {
        row[j] = j;
    }
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = before;
        before = above;
        above = row;
        row = spare;
        row[0] = i;
        char ca = g_ascii_tolower(a[i - 1]);
        for (size_t j = 1; j <= b_length; j++) {
            char cb = g_ascii_tolower(b[j - 1]);
            size_t best = above[j - 1] + (ca != cb);
            best = MIN(best, above[j] + 1);
            best = MIN(best, row[j - 1] + 1);
            if (i > 1 && j > 1 && ca == g_ascii_tolower(b[j - 2]) &&
                cb == g_ascii_tolower(a[i - 2])) {
                best = MIN(best, before[j - 2] + 1);
            }
            row[j] = best;
        }
    }
    return row[b_length];
}

/* How often each letter stands in a word; several may share a place. */
typedef struct Letters {
    int8_t n[32];
} Letters;

static Letters letters_of(const char *word, size_t length)
{
    Letters l = {{0}};
    for (size_t i = 0; i < length; i++) {
        l.n[(uint8_t)word[i] % 32]++; /* no difference between upper and lower case */
    }
    return l;
}

/* No fewer edits than letters that one of two words has more of: each edit adds, takes or replaces one. */
static size_t least_distance(const Letters *a, const Letters *b)
{
    int more = 0, less = 0;
    for (size_t i = 0; i < G_N_ELEMENTS(a->n); i++) {
        int d = a->n[i] - b->n[i];
        more += MAX(d, 0);
        less += MAX(-d, 0);
    }
    return (size_t)MAX(more, less);
}

/* Letters up to the last dot that both have in common. */
static size_t same_path(const char *a, const char *b)
{
    size_t n = 0;
    for (size_t i = 0; a[i] != '\0' && a[i] == b[i]; i++) {
        n = a[i] == '.' ? i + 1 : n;
    }
    return n;
}

const char *ww_closest(const char *word, const char *const *names, size_t n)
{
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) {
        return NULL;
    }
    const char *best = NULL;
    size_t limit = MAX(1, length / 3);
    Letters letters = letters_of(word, length);
    for (size_t i = 0; i < n; i++) {
        size_t name_length = strlen(names[i]);
        /* The difference of the lengths is a lower bound, that of the letters another: most names cost no table. */
        if (name_length == 0 || name_length > LONGEST_WORD || name_length > length + limit ||
            length > name_length + limit) {
            continue;
        }
        Letters others = letters_of(names[i], name_length);
        if (least_distance(&letters, &others) > limit) {
            continue;
        }
        size_t d = distance(word, length, names[i], name_length);
        /* What they begin with makes names of a family long, not alike: 'scheduler.mine' is no 'scheduler.gto'. */
        size_t path = same_path(word, names[i]);
        size_t rest = MAX(1, MAX(length, name_length) - path);
        bool alike = path == 0 || d <= MAX(1, rest / 2);
        /* A one-letter word is one edit from every one-letter name: that is no resemblance. */
        if (alike && d <= limit && d < rest) {
            best = names[i];
            if (d == 0) {
                break;
            }
            limit = d - 1;
        }
    }
    return best;
}
